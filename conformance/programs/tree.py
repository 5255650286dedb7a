"""Makes a directory tree that depends on its seed only, or prints one: `tree.py make|list DIR`.

The tree has files of 0 B to 1 MiB, empty directories, symbolic links, holes, modes, times of
change, and names with blanks and non-ASCII letters. A line of the list has path, type, mode, size,
time of change, and the target of a link or the SHA-256 of the content.
"""

import hashlib
import os
import random
import stat
import sys
from pathlib import Path

# Time of the first file: 2020-01-01, in seconds.
EPOCH = 1577836800


def make(root: Path, seed: int = 1, directories: int = 12, files: int = 40) -> None:
    draws = random.Random(seed)
    root.mkdir()
    folders = [root]
    for i in range(directories):
        name = draws.choice(("plain", "with blank", "größe", "deep")) + str(i)
        folder = draws.choice(folders) / name
        folder.mkdir()
        folders.append(folder)
    made = []
    for i in range(files):
        path = draws.choice(folders[:-2]) / f"{draws.choice(('a', 'b c', 'é'))}{i}"
        size = draws.choice((0, 1, 511, 4096, 4097, 70000, 1 << 20))
        path.write_bytes(draws.randbytes(size))
        if draws.random() < 0.2:
            os.truncate(path, size + 100000)  # a hole at the end
        path.chmod(draws.choice((0o644, 0o600, 0o755, 0o444)))
        os.utime(path, ns=(0, (EPOCH + i) * 10**9))
        made.append(path)
    for i in range(6):
        link = draws.choice(folders) / f"link{i}"
        target = draws.choice((*made, *folders, Path("missing")))
        link.symlink_to(os.path.relpath(target, link.parent) if target.is_absolute() else target)
    for i, folder in enumerate(reversed(folders)):
        folder.chmod(draws.choice((0o755, 0o700, 0o775)))
        os.utime(folder, ns=(0, (EPOCH - i) * 10**9))


def lines(root: Path):
    for folder, names, files in os.walk(root):
        names.sort()
        for name in sorted((*names, *files)):
            path = Path(folder, name)
            yield line(path, root)


def line(path: Path, root: Path) -> str:
    status = path.lstat()
    common = f"{path.relative_to(root)}\t{stat.filemode(status.st_mode)}\t{status.st_mtime_ns}"
    if path.is_symlink():
        # The times of symbolic links are not restored by every program.
        return f"{path.relative_to(root)}\tlink\t{os.readlink(path)}"
    if path.is_dir():
        return common
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return f"{common}\t{status.st_size}\t{digest}"


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]).resolve())
    else:
        print(*lines(Path(sys.argv[2])), sep="\n")
