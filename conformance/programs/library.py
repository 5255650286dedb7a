"""Python's shutil, pathlib, tempfile, zipfile, mmap and os on a simulated file system.

Usage: library.py DIR TREE."""

import filecmp
import mmap
import os
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path

import tree

base, source = Path(sys.argv[1]), Path(sys.argv[2])
expected = list(tree.lines(source))
# shutil: trees, archives, moves.
copy = Path(shutil.copytree(source, base / "copy", symlinks=True))
assert list(tree.lines(copy)) == expected
archive = shutil.make_archive(str(base / "archive"), "gztar", copy)
shutil.unpack_archive(archive, base / "unpacked")
assert list(tree.lines(base / "unpacked")) == expected
moved = Path(shutil.move(base / "unpacked", base / "moved"))
assert list(tree.lines(moved)) == expected and not (base / "unpacked").exists()
with tempfile.TemporaryDirectory() as real:
    back = Path(shutil.copytree(moved, Path(real) / "back", symlinks=True))
    assert list(tree.lines(back)) == expected
    assert Path(shutil.move(back, base / "across")).is_dir() and not back.exists()
assert list(tree.lines(base / "across")) == expected
assert not filecmp.dircmp(base / "across", source).diff_files
shutil.rmtree(moved)
assert not moved.exists()
usage = shutil.disk_usage(base)
assert usage.total > usage.free > 0
# pathlib: names, patterns, links, properties.
work = base / "work"
(work / "a" / "b").mkdir(parents=True)
text = work / "a" / "text.txt"
assert text.write_text("line\n" * 1000, encoding="utf-8") == 5000
assert text.read_text(encoding="utf-8") == "line\n" * 1000
text.touch()
assert text.stat().st_size == 5000 and text.is_file() and not text.is_symlink()
for i in range(30):
    (work / f"n{i:02}.dat").write_bytes(bytes(i))
assert [p.name for p in sorted(work.glob("n*.dat"))] == [f"n{i:02}.dat" for i in range(30)]
assert {p.name for p in work.rglob("*.txt")} == {"text.txt"}
(work / "link").symlink_to("a/text.txt")
assert (work / "link").resolve() == text.resolve()
assert (work / "link").read_text(encoding="utf-8").startswith("line")
renamed = text.rename(work / "renamed")
assert not (work / "link").exists() and renamed.replace(text) == text and (work / "link").exists()
assert sum(p.stat().st_size for p in work.glob("*.dat")) == sum(range(30))
try:
    (work / "a").rmdir()
    raise AssertionError("a directory with entries was removed")
except OSError:
    pass
assert text.samefile(work / "link")
assert Path.cwd() != work and (os.chdir(work) or Path.cwd() == work)
assert Path("n03.dat").stat().st_size == 3
os.chdir("/")
# tempfile, zipfile, mmap, descriptors.
with tempfile.TemporaryFile(dir=base) as nameless:
    nameless.write(b"x" * 70000)
    nameless.seek(1000)
    assert nameless.read() == b"x" * 69000
with tempfile.NamedTemporaryFile(dir=base) as named:
    assert Path(named.name).parent == base and Path(named.name).exists()
with zipfile.ZipFile(base / "z.zip", "w", zipfile.ZIP_DEFLATED) as packed:
    packed.write(text, "t")
    packed.writestr("u", b"u" * 100000)
with zipfile.ZipFile(base / "z.zip") as packed:
    assert packed.testzip() is None and packed.read("t") == text.read_bytes()
with open(base / "mapped", "w+b") as file:
    file.truncate(100000)
    with mmap.mmap(file.fileno(), 0) as pages:
        pages[50000:50005] = b"hello"
        pages.flush()
        assert pages.find(b"hello") == 50000
    file.seek(50000)
    assert file.read(5) == b"hello"
fd = os.open(base / "fd", os.O_RDWR | os.O_CREAT | os.O_EXCL)
assert os.pwrite(fd, b"abcdef", 10) == 6 and os.pread(fd, 3, 12) == b"cde"
assert os.writev(fd, [b"12", b"345"]) == 5 and os.preadv(fd, [bytearray(4)], 3) == 4
os.ftruncate(fd, 4)
assert os.fstat(fd).st_size == 4
os.close(fd)
with os.scandir(work) as entries:
    names = sorted(entry.name for entry in entries if entry.is_file(follow_symlinks=False))
assert len(names) == 30
print("python: all as expected")
