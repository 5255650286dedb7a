"""Programs and sources of programs from Debian, unchanged."""

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


def binaries(packages: list[str], cache: Path, *, with_dependencies: bool = True) -> Path:
    """Unpacks Debian packages into a folder, with the packages that they need and this system
    lacks. Needs no privilege and changes nothing of the system."""
    home = cache / "debian" / "+".join(packages)
    if (home / "unpacked").exists():
        return home
    archives = cache / "apt" / "cache" / "archives"
    home.mkdir(parents=True, exist_ok=True)
    settings = _apt_settings(cache, kind="deb")
    _apt(["apt-get", "--quiet", "update"], settings, cache)
    if with_dependencies:
        only = ("--download-only", "--no-install-recommends", "--reinstall", "--yes")
        for old in archives.glob("*.deb"):
            old.unlink()
        command = ["apt-get", "--quiet", "-o", "Debug::NoLocking=1", "install", *only, *packages]
        _apt(command, settings, cache)
        fetched = sorted(archives.glob("*.deb"))
    else:
        folder = home / "fetched"
        folder.mkdir(parents=True, exist_ok=True)
        _apt(["apt-get", "--quiet", "download", *packages], settings, folder)
        fetched = sorted(folder.glob("*.deb"))
    for archive in fetched:
        subprocess.run(["dpkg-deb", "-x", archive, home], check=True)
    names = "\n".join(archive.name for archive in fetched)
    (home / "unpacked").write_text(names + "\n", encoding="utf-8")
    return home


def library_path(*homes: Path) -> str:
    """The folders of shared libraries of unpacked packages, for `LD_LIBRARY_PATH`."""
    found = [folder for home in homes for folder in _library_folders(home)]
    return os.pathsep.join(str(folder) for folder in found)


def _library_folders(home: Path) -> list[Path]:
    libraries = [*home.glob("lib/*/*.so*"), *home.glob("usr/lib/*/**/*.so*")]
    return sorted({path.parent for path in libraries})


def _apt_settings(cache: Path, *, kind: str = "deb-src") -> Path:
    """apt's settings: this system's sources, read as sources of packages of a kind."""
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
            text = re.sub(r"^Types:.*$", f"Types: {kind}", text, flags=re.M)
        else:
            kept = [line for line in text.splitlines() if re.match(r"deb\s.*debian", line)]
            text = "\n".join(re.sub(r"^deb\s", f"{kind} ", line) for line in kept) + "\n"
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
