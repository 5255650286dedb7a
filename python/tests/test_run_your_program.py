"""Files and commands of the guides, in order, in an initially empty directory."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

import pytest
from conftest import GUARD_S, ROOT
from test_docs import differs, sessions

PAGES = ("run-your-program.md", "batch-scripts.md", "sweeps.md")
BLOCK = re.compile(r"```(\w+)(?: (\S+))?\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize("page", PAGES)
def test_every_file_and_command_of_the_page(odonata, page):
    ran = 0
    fortran = shutil.which(os.environ.get("FC", "gfortran"))
    for language, name, text in BLOCK.findall((ROOT / "docs" / page).read_text(encoding="utf-8")):
        if name:
            (odonata.cwd / name).write_text(text)
            if language == "python":
                compile(text, name, "exec")
            continue
        assert language == "console", f"neither a file nor a session: {language}"
        if "odonata-mpifort" in text and not fortran:
            continue  # test_fortran.py reports tests that need a compiler as skipped
        for command, expected in sessions(f"```console\n{text}```\n"):
            # As a reader types it: in a shell, in the reader's folder.
            done = subprocess.run(
                ["sh", "-c", command],
                cwd=odonata.cwd,
                env=odonata.env,
                capture_output=True,
                text=True,
                timeout=GUARD_S,
            )
            printed = (done.stdout or done.stderr).splitlines()
            missing = differs(expected, printed)
            output = "\n".join(printed + done.stderr.splitlines())
            assert missing is None, f"{command}\nnot printed: {missing}\n{output}"
            assert expected or done.returncode == 0, f"{command}\n{output}"
            ran += 1
    assert ran >= 4


def test_python_files_of_the_cluster_page_compile():
    page = (ROOT / "docs" / "sweeps-on-a-cluster.md").read_text(encoding="utf-8")
    files = {name: text for language, name, text in BLOCK.findall(page) if language == "python"}
    assert list(files) == ["pbs.py", "slurm.py"]
    for name, text in files.items():
        compile(text, name, "exec")


def test_the_folder_begins_empty(odonata):
    assert os.listdir(odonata.cwd) == []
