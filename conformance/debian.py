"""Sources of programs from Debian, unchanged."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path


def source(package: str, inside: list[str], cache: Path) -> Path:
    """Unpacks the folders `inside` of a Debian source package's original archive.

    apt fetches it from the configured mirrors, with package lists of its own under `cache`. It
    needs no privilege and changes nothing of the system.
    """
    home = cache / package
    if (home / "unpacked").exists():
        return home
    fetched = cache / "fetched"
    fetched.mkdir(parents=True, exist_ok=True)
    settings = _apt_settings(cache)
    # Only the original archive: Debian's changes are about packaging.
    apt = ["apt-get", "--quiet", "source", "--download-only", "--tar-only", package]
    if not list(fetched.glob(f"{package}_*.orig.tar.*")):
        _apt(["apt-get", "--quiet", "update"], settings, fetched)
        _apt(apt, settings, fetched)
    (archive,) = fetched.glob(f"{package}_*.orig.tar.*")
    home.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive) as tar:
        for member in tar:
            path = member.name.split("/", 1)[1] if "/" in member.name else ""
            if path and (not inside or path.split("/")[0] in inside):
                member.name = path
                tar.extract(member, home)
    (home / "unpacked").write_text(archive.name + "\n", encoding="utf-8")
    return home


def _apt_settings(cache: Path) -> Path:
    """apt's settings: this system's sources, read as sources of source packages."""
    folder = cache / "apt"
    for name in ("lists/partial", "cache/archives/partial", "sources"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    etc = Path("/etc/apt")
    found = [etc / "sources.list", *sorted((etc / "sources.list.d").glob("*"))]
    for path in (p for p in found if p.exists()):
        text = path.read_text(encoding="utf-8")
        # Only Debian's own sources are needed.
        if "debian" not in text:
            continue
        if path.suffix == ".sources":
            text = re.sub(r"^Types:.*$", "Types: deb-src", text, flags=re.M)
        else:
            kept = [line for line in text.splitlines() if re.match(r"deb\s.*debian", line)]
            text = "\n".join(re.sub(r"^deb\s", "deb-src ", line) for line in kept) + "\n"
        (folder / "sources" / path.name).write_text(text, encoding="utf-8")
    settings = folder / "apt.conf"
    settings.write_text(
        f'Dir::State::lists "{folder}/lists";\nDir::Cache "{folder}/cache";\n'
        f'Dir::Etc::sourcelist "/dev/null";\nDir::Etc::sourceparts "{folder}/sources";\n'
        'APT::Update::Post-Invoke-Success "";\nAPT::Update::Post-Invoke "";\n'
        + (f'APT::Sandbox::User "{os.environ.get("USER", "root")}";\n'),
        encoding="utf-8",
    )
    return settings


def _apt(command: list[str], settings: Path, cwd: Path) -> None:
    environment = {**os.environ, "APT_CONFIG": str(settings)}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
