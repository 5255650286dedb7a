"""Blocks that a program writes repeatedly to simulated files are stored once, and a real disk that
is full ends the job.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import odonata as od
import pytest

MACHINE = ("--machine", "aurora", "--fidelity", "loggp", "--compute", "none", "--quiet")
PROGRAMS = Path(__file__).with_name("programs")
COMPILER = Path(od.__file__).parent / "_bin" / "odonata-mpicc"


def compiled(folder: Path, name: str) -> Path:
    out = folder / name
    source = PROGRAMS / f"{name}.c"
    subprocess.run(["sh", COMPILER, "-O1", "-w", source, "-o", out], check=True)
    return out


@pytest.mark.parametrize("mount", ["/lus/flare", "/daos"])
@pytest.mark.parametrize("seed", [1, 2])
def test_contents_are_as_expected_after_random_calls(odonata, mount, seed):
    program = compiled(odonata.cwd, "blocks")
    done = odonata("run", "-n", 4, *MACHINE, "--", program, mount, seed, 600)
    assert (done.returncode, done.stdout) == (0, "equal\n"), done.stdout + done.stderr


# A child that writes repeated blocks, whole and in part, is killed; its parent goes on.
KILLED = """
import os, random, signal, sys
block, blocks = 64 << 10, 64
path = sys.argv[1] + "/x"
file = os.open(path, os.O_RDWR | os.O_CREAT)
kinds = [bytes([k]) * block for k in range(4)]
expected = bytearray(block * blocks)
os.ftruncate(file, block * blocks)
draw = random.Random(7)
for turn in range(12):
    steps = [(draw.randrange(blocks), draw.randrange(4), draw.random() < 0.3) for _ in range(400)]
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        for at, kind, part in steps:
            n = 100 if part else block
            os.pwrite(file, kinds[kind][:n], at * block)
            os.write(into, b"x")
        os._exit(0)
    os.close(into)
    wanted = draw.randrange(30, 200)
    done = 0
    while done < wanted:
        done += len(os.read(out, 1))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    done += len(os.read(out, 1000))
    for at, kind, part in steps[:done]:
        n = 100 if part else block
        expected[at * block : at * block + n] = kinds[kind][:n]
    found = os.pread(file, len(expected), 0)
    # The call that was interrupted may have taken place.
    at, kind, part = (steps + steps)[done]
    n = 100 if part else block
    for i in range(blocks):
        here = slice(i * block, (i + 1) * block)
        if found[here] != expected[here]:
            assert i == at, (turn, i, at)
            assert found[here][:n] == kinds[kind][:n] and found[here][n:] == expected[here][n:]
    expected[:] = found
print("equal")
"""


@pytest.mark.parametrize("mount", ["/lus/flare", "/daos"])
def test_a_killed_process_leaves_whole_blocks(odonata, mount):
    done = odonata("run", "-n", 1, *MACHINE, "--", "python3", "-c", KILLED, mount)
    assert (done.returncode, done.stdout) == (0, "equal\n"), done.stderr


def on_small_disk(odonata, *arguments: object, disk: str = "24m", other: Path | None = None):
    """A run whose temporary files are on a new disk of this size, and `other` on another."""
    folder = odonata.cwd / "small"
    folder.mkdir()
    can_mount = ["unshare", "-rm", "sh", "-c", f"mount -t tmpfs none {folder}"]
    if shutil.which("unshare") is None or subprocess.run(can_mount, check=False).returncode:
        pytest.skip("no permission to mount a disk")
    odonata.env["TMPDIR"] = str(folder)
    mount = f"mount -t tmpfs -o size={disk} none {folder}"
    if other is not None:
        mount += f" && mount -t tmpfs none {other}"
    mount += ' && exec "$@"'
    command = ["unshare", "-rm", "sh", "-c", mount, "sh", *odonata.arguments("run", *arguments)]
    return subprocess.run(
        command, env=odonata.env, cwd=odonata.cwd, capture_output=True, text=True, check=False
    )


WRITER = """
import os, sys
size, n, repeated = 1 << 20, 64, sys.argv[1] == "repeated"
buffer = os.urandom(size)
with open("/lus/flare/x", "wb", buffering=0) as file:
    for _ in range(n):
        file.write(buffer if repeated else os.urandom(size))
with open("/lus/flare/x", "rb", buffering=0) as file:
    print(all(file.read(size) == buffer for _ in range(n)), flush=True)
"""


def test_repeated_buffers_fit_on_a_small_disk(odonata):
    words = ("-n", 1, *MACHINE, "--", "python3", "-c", WRITER, "repeated")
    done = on_small_disk(odonata, *words)
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


def test_a_full_disk_ends_the_job(odonata):
    done = on_small_disk(odonata, "-n", 1, *MACHINE, "--", "python3", "-c", WRITER, "random")
    assert done.returncode == 1 and done.stdout == ""
    assert "needs more space than the real disk has for simulated files" in done.stderr
    # Not an error of the simulated file system.
    assert "OSError" not in done.stderr


MPI_IO = """
from mpi4py import MPI
import numpy, sys
comm = MPI.COMM_WORLD
repeated = sys.argv[1] == "repeated"
data = numpy.random.default_rng(comm.rank).integers(0, 255, 1 << 20, dtype="u1")
file = MPI.File.Open(comm, "/lus/flare/x", MPI.MODE_CREATE | MPI.MODE_RDWR)
for i in range(24):
    if not repeated:
        data = numpy.random.default_rng(i * 2 + comm.rank).integers(0, 255, 1 << 20, dtype="u1")
    file.Write_at((2 * i + comm.rank) << 20, data)
found = numpy.empty(1 << 20, dtype="u1")
equal = True
for i in range(24):
    file.Read_at((2 * i + comm.rank) << 20, found)
    equal = equal and (found == data).all()
file.Close()
print(equal, flush=True)
"""


@pytest.mark.parametrize("kind", ["repeated", "random"])
def test_mpi_io(odonata, kind):
    done = on_small_disk(odonata, "-n", 2, *MACHINE, "--", "python3", "-c", MPI_IO, kind)
    if kind == "repeated":
        assert (done.returncode, done.stdout) == (0, "True\nTrue\n"), done.stderr
    else:
        assert done.returncode == 1 and done.stdout == ""
        assert "needs more space than the real disk has" in done.stderr


# A link below a mount leads to a file of the host, whose calls must neither use the blocks that are
# stored once nor change those of simulated files. `sys.argv[1]` is the folder of that file.
OUTSIDE = """
import os, sys
block, n = 64 << 10, 8
data = os.urandom(block)
path = sys.argv[1] + "/x"
os.symlink(path, "/lus/flare/link")
with open("/lus/flare/link", "wb", buffering=0) as file:
    for _ in range(n):
        file.write(data)
with open(path, "rb") as file:
    status = os.fstat(file.fileno())
    is_same = [os.path.samestat(status, os.stat(name)) for name in (path, "/lus/flare/link")]
    print(file.read() == data * n, *is_same, flush=True)
"""


def test_a_file_behind_a_link_to_the_host_keeps_its_data(odonata):
    folder = odonata.cwd / "host"
    folder.mkdir()
    done = odonata("run", "-n", 1, *MACHINE, "--", "python3", "-c", OUTSIDE, folder)
    assert (done.returncode, done.stdout) == (0, "True True True\n"), done.stderr
    data = (folder / "x").read_bytes()
    assert len(data) == 8 * (64 << 10) and data == data[: 64 << 10] * 8 and any(data)


# The first inode numbers of two new disks are the same. The simulated files get repeated blocks;
# then files of the host with their numbers are cut off, emptied or created through links.
SAME_INODES = """
import os, sys
kind, folder = sys.argv[1:]
data = os.urandom(64 << 10) * 8
simulated = ["/lus/flare/%d" % i for i in range(8)]
for path in simulated:
    with open(path, "wb", buffering=0) as file:
        file.write(data)
for i in range(64):
    host, link = "%s/%d" % (folder, i), "/lus/flare/link%d" % i
    os.symlink(host, link)
    if kind == "create":
        open(link, "w").close()
    else:
        with open(host, "w") as file:
            file.write("x" * 100)
    if kind == "open":
        open(link, "w").close()
    elif kind == "truncate":
        os.truncate(link, 10)
    sizes = {"create": 0, "open": 0, "truncate": 10}
    assert os.stat(host).st_size == sizes[kind]
for path in simulated:
    with open(path, "rb") as file:
        assert file.read() == data, path
print("equal")
"""


@pytest.mark.parametrize("kind", ["create", "open", "truncate"])
def test_calls_on_files_of_the_host_leave_blocks_of_simulated_files(odonata, kind):
    folder = odonata.cwd / "other"
    folder.mkdir()
    words = ("-n", 1, *MACHINE, "--", "python3", "-c", SAME_INODES, kind, folder)
    done = on_small_disk(odonata, *words, other=folder)
    assert (done.returncode, done.stdout) == (0, "equal\n"), done.stderr


# Buffers that the program may not write, or that end inside a block.
UNWRITABLE = """
import ctypes, errno, mmap, os
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = libc.pread.restype = libc.pwrite.restype = ctypes.c_ssize_t
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_size_t]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
libc.pread.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t]
libc.pwrite.argtypes = libc.pread.argtypes
block, page = 64 << 10, 4096
data = os.urandom(block)
file = os.open("/lus/flare/x", os.O_RDWR | os.O_CREAT)
for i in range(4):
    assert os.pwrite(file, data, i * block) == block
private, both = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ | mmap.PROT_WRITE
at = libc.mmap(None, 2 * block, both, private, -1, 0)
assert libc.pread(file, at, block, block) == block
assert ctypes.string_at(at, block) == data
ctypes.memset(at, 0, 2 * block)
for protection in (mmap.PROT_READ, 0):
    assert libc.mprotect(at + block, block, protection) == 0
    assert libc.pread(file, at + block, block, block) == -1
    assert ctypes.get_errno() == errno.EFAULT
    # The kernel copies up to the page that it cannot write.
    assert libc.pread(file, at + block - page, block, block) == page
    assert ctypes.string_at(at + block - page, page) == data[:page]
# Now the second half of the memory can be neither written nor read.
assert libc.pwrite(file, at + block, block, block) == -1
assert ctypes.get_errno() == errno.EFAULT
assert os.pread(file, 4 * block, 0) == data * 4
print("equal")
"""


def test_transfers_of_memory_that_cannot_be_accessed_fail(odonata):
    done = odonata("run", "-n", 1, *MACHINE, "--", "python3", "-c", UNWRITABLE)
    assert (done.returncode, done.stdout) == (0, "equal\n"), done.stderr
