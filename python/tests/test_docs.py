"""Sessions of the pages print what they show, and the reference pages are current."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from types import SimpleNamespace

import pytest
from conftest import ROOT, script

NOTEBOOKS = script("docs/tutorial/notebooks")

TUTORIAL = [*sorted((ROOT / "docs" / "tutorial").glob("*.md")), ROOT / "docs" / "tuning.md"]


def sessions(text: str) -> list[tuple[str, list[str]]]:
    """Commands and their expected output, from the `console` blocks."""
    blocks = [content for kind, content in NOTEBOOKS.blocks(text) if kind == "console"]
    return [session for block in blocks for session in NOTEBOOKS.commands(block)]


def alike(expected: str, actual: str) -> bool:
    """Words equal, numbers within 5 %: a page need not change with the last digit of a model.

    A final `...` stands for the rest of the line.
    """
    want, have = expected.split(), actual.split()
    if want[-1:] == ["..."]:
        want.pop()
        have = have[: len(want)]
    if len(want) != len(have):
        return False
    for w, h in zip(want, have, strict=True):
        try:
            close = float(h) == pytest.approx(float(w), rel=0.05)
        except ValueError:
            close = w == h
        if not close:
            return False
    return True


def differs(expected: list[str], actual: list[str]) -> str | None:
    """The first expected line that is missing; a line `...` stands for any lines."""
    at = 0
    skipping = False
    for line in expected:
        if line.strip() == "...":
            skipping = True
            continue
        while skipping and at < len(actual) and not alike(line, actual[at]):
            at += 1
        if at >= len(actual) or not alike(line, actual[at]):
            return line
        at, skipping = at + 1, False
    return None


@pytest.mark.parametrize("page", TUTORIAL, ids=lambda page: page.stem)
def test_sessions(odonata, page):
    odonata.cwd = ROOT  # commands of the pages run in the root of the repository
    for command, expected in sessions(page.read_text()):
        words = shlex.split(command)
        assert words[0] == "odonata"
        done = odonata(*words[1:])
        printed = (done.stdout or done.stderr).splitlines()
        missing = differs(expected, printed)
        assert missing is None, f"{command}\nnot printed: {missing}\n" + "\n".join(printed)
        exec(NOTEBOOKS.check(command, expected), {"_exit_code": done.returncode})


def test_there_are_sessions():
    assert sum(len(sessions(page.read_text())) for page in TUTORIAL) >= 6


def test_the_comparison_can_fail():
    assert alike("8   2.34", "8 2.35") and not alike("8 2.34", "8 2.50")
    assert not alike("answer right", "answer WRONG") and alike("a ...", "a b c")
    assert differs(["a", "...", "d"], ["a", "b", "d"]) is None
    assert differs(["a", "c"], ["a", "b", "c"]) == "c"


def test_reference_is_not_stale():
    done = subprocess.run([sys.executable, ROOT / "docs" / "reference" / "generate.py", "--check"],
                          capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_notebooks_are_not_stale():
    done = subprocess.run([sys.executable, ROOT / "docs" / "tutorial" / "notebooks.py", "--check"],
                          capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("block", "is_built"),
    [
        ("$ true", True),
        ("$ true\n$ false", False),
        ("$ exit 2\nodonata: error: 1 problem in the input; nothing was run", True),
        ("$ true\nodonata: error: 1 problem in the input; nothing was run", False),
    ],
)
def test_a_failing_command_fails_the_site(monkeypatch, block, is_built):
    """Its cells run as in a kernel, which stores the exit code of a shell command."""

    def cell(source: str, metadata: object = None) -> SimpleNamespace:
        return SimpleNamespace(source=source, metadata=metadata)

    form = SimpleNamespace(new_code_cell=cell, new_markdown_cell=cell)
    monkeypatch.setitem(sys.modules, "nbformat", SimpleNamespace(v4=form))
    monkeypatch.setitem(sys.modules, "nbclient", SimpleNamespace(NotebookClient=None))
    monkeypatch.setattr(sys, "path", list(sys.path))
    page = f"# Title\n\n```console\n{block}\n```\n"
    cells = script("docs/site/hooks").cells(page)
    shown = [each.source for each in cells if not (each.metadata or {}).get("check")]
    assert not any("_exit_code" in source for source in shown)
    kernel: dict[str, object] = {}

    def run() -> None:
        for each in cells[1:]:
            if each.source.startswith("! "):
                shell = subprocess.run(["sh", "-c", each.source[2:]])
                kernel["_exit_code"] = shell.returncode
            else:
                exec(each.source, kernel)

    if is_built:
        run()
    else:
        with pytest.raises(AssertionError):
            run()


def test_the_site_shows_the_final_output():
    erase = "\r\x1b[2K"
    output = f"{erase}run | 1 s{erase}\x1b[1mname\x1b[0m\r\n8  2.6\r\n"
    assert NOTEBOOKS.final(output) == "name\n8  2.6\n"


@pytest.mark.parametrize("page", TUTORIAL, ids=lambda page: page.stem)
def test_python_of_a_page_runs(page, tmp_path):
    """In a folder with the files of the tree, as the site and a notebook run it."""
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "out").mkdir()
    code = "\n".join(blocks)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          cwd=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert ("report" in code) == (tmp_path / "out" / "cg.html").exists()
