"""Unmodified programs on simulated file systems: POSIX semantics between ranks, children, shells,
files that are kept, and runs that are killed.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import odonata as od
import pytest

MACHINE = ("--machine", "aurora", "--fidelity", "loggp", "--compute", "none")
PROGRAMS = Path(__file__).with_name("programs")
COMPILER = Path(od.__file__).parent / "_bin" / "odonata-mpicc"
RANKS = 4


@pytest.fixture(autouse=True)
def no_store_left(odonata):
    """Each test has a folder for temporary files of its own, which is empty afterwards."""
    folder = odonata.cwd / "temporary"
    folder.mkdir()
    odonata.env["TMPDIR"] = str(folder)
    yield
    deadline = time.monotonic() + 10
    stores = [1]
    while stores and time.monotonic() < deadline:
        stores = list(folder.glob("odonata-files-*"))
        time.sleep(0.02)
    assert stores == []


@pytest.fixture(scope="module")
def compiled():
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "file_calls"
        source = PROGRAMS / "file_calls.c"
        subprocess.run(["sh", COMPILER, "-O1", "-w", source, "-o", out], check=True)
        yield out


def run(odonata, *words: object, ranks: int = RANKS, options: tuple = ()):
    done = odonata("run", "-n", ranks, *MACHINE, "--json", *options, "--", *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout[done.stdout.index("{") :]), done


def traffic(summary, name: str):
    return next(row for row in summary["io"]["file_systems"] if row["name"] == name)


@pytest.mark.parametrize("mount", ["/lus/flare", "/daos"])
def test_ranks_share_a_file_system(odonata, compiled, mount):
    outputs, digests = set(), set()
    for _ in range(3):
        summary, done = run(odonata, compiled, mount)
        outputs.add("\n".join(line for line in done.stderr.splitlines() if line[:1].islower()))
        digests.add(summary["digest"])
    assert len(digests) == 1
    (output,) = outputs
    lines = [line for line in output.splitlines() if not line.startswith("odonata")]
    assert lines[0].startswith("winner ") and lines[0].endswith("alone 1")
    # 10 lines of 8 bytes per rank; three ranks create 20 files and rename one each to one name.
    assert lines[1:] == [f"log {RANKS * 80} whole 1", "entries 58", "time 1"]
    assert summary["io"]["file_systems"][0]["operations"] > 200


SHELL = """
set -e
cd /lus/flare
mkdir run.$PMI_RANK
echo first > run.$PMI_RANK/a
cat run.$PMI_RANK/a >> run.$PMI_RANK/b
for i in 1 2 3; do echo $i; done | tee run.$PMI_RANK/c > /dev/null
(cp run.$PMI_RANK/a run.$PMI_RANK/d; mv run.$PMI_RANK/d run.$PMI_RANK/e) &
wait
tar cf all.$PMI_RANK.tar run.$PMI_RANK
rm -r run.$PMI_RANK
tar xf all.$PMI_RANK.tar
cat run.$PMI_RANK/*
"""


def test_commands_of_a_shell_script_are_charged_one_after_the_other(odonata):
    script = odonata.cwd / "job.sh"
    script.write_text(SHELL)
    summary, done = run(odonata, "bash", script, ranks=2)
    lines = done.stderr.splitlines()
    assert [lines.count(line) for line in ("first", "1", "2", "3")] == [6, 2, 2, 2], done.stderr
    assert not any(line.startswith("tar") for line in lines), done.stderr
    assert not any("MPI_Finalize" in note for note in summary.get("notes", ()))
    one, _ = run(odonata, "bash", script, ranks=1)
    # The machine has a latency per call, so half of the calls take the same time.
    assert traffic(summary, "flare")["operations"] == 2 * traffic(one, "flare")["operations"]
    assert one["time_s"] > 30 * 50e-6
    # A program without MPI has the exit status that it returns.
    failed = odonata("run", "-n", 2, *MACHINE, "--", "sh", "-c", "cat /daos/none; exit 7")
    assert failed.returncode == 7


WITH_MPI = """
mkdir /daos/$PMI_RANK
{python} -c 'from mpi4py import MPI
rank = MPI.COMM_WORLD.rank
open(f"/daos/{{rank}}/a", "w").write(str(MPI.COMM_WORLD.allreduce(rank)))'
cp /daos/$PMI_RANK/a /daos/$PMI_RANK/b
cat /daos/$PMI_RANK/b > {out}.$PMI_RANK
exit $PMI_RANK
"""


def test_commands_after_a_program_with_mpi_are_charged(odonata):
    script, out = odonata.cwd / "job.sh", odonata.cwd / "out"
    script.write_text(WITH_MPI.format(python=sys.executable, out=out))
    done = odonata("run", "-n", 3, *MACHINE, "--json", "--", "sh", script)
    # The status of a rank is that of its script.
    assert done.returncode == 1, done.stderr
    assert [Path(f"{out}.{rank}").read_text() for rank in range(3)] == ["3"] * 3
    summary = json.loads(done.stdout[done.stdout.index("{") :])
    # Each rank writes one byte and copies it; a copy reads it, and so does the output.
    assert traffic(summary, "daos")["bytes_written"] >= 2 * 3
    assert not summary.get("failure") and summary["mpi_calls"] > 0


PYTHON = """
import os, pathlib, shutil, subprocess, sys, tempfile
root = pathlib.Path(sys.argv[1])
own = root / os.environ["PMI_RANK"]
own.mkdir()
(own / "text").write_text("x" * 100_000)
shutil.copytree(own, root / f"copy{own.name}")
with tempfile.TemporaryFile(dir=root) as file:
    file.write(b"0" * 1000)
    file.truncate(10)
    assert os.fstat(file.fileno()).st_size == 10
subprocess.run([sys.executable, "-c", f"open({str(own / 'sub')!r}, 'w').write('sub')"], check=True)
assert (own / "sub").read_text() == "sub"
os.symlink(own / "text", own / "link")
assert os.readlink(own / "link") == str(own / "text")
assert (own / "link").stat().st_size == 100_000
os.chdir(own)
assert os.getcwd() == str(own)
print(sorted(os.listdir()), flush=True)
"""


def test_python_without_mpi(odonata):
    summary, done = run(odonata, sys.executable, "-c", PYTHON, "/daos", ranks=2)
    assert done.stderr.count("['link', 'sub', 'text']") == 2
    assert traffic(summary, "daos")["bytes_written"] >= 2 * 200_000


def test_files_are_kept(odonata):
    keep = odonata.cwd / "kept"
    for turn in range(2):
        text = f"cat /scratch/x; echo {turn} >> /scratch/x"
        done = odonata("run", "-n", 1, *MACHINE, "--keep", keep, "--mount", "/scratch=flare",
                       "--", "sh", "-c", text)  # fmt: skip
        assert done.returncode == 0, done.stderr
    assert done.stdout == "0\n"
    # The first mount of the file system holds the files.
    assert (keep / "lus/flare/x").read_text() == "0\n1\n"


OBJECTS = "import os, sys; print(os.getxattr(sys.argv[1], 'odonata.objects').decode().split())"


def test_kept_files_keep_their_layouts(odonata):
    keep = odonata.cwd / "kept"
    layout = "mkdir /lus/flare/d; lfs setstripe -c 4 -S 1M /lus/flare/d"
    write = "head -c 8000000 /dev/zero > /lus/flare/d"
    for script, objects in [
        (f"{layout}; {write}/old; {write}/../plain", {}),
        (f"{write}/new", {"plain": 1, "d/old": 4, "d/new": 4}),
    ]:
        shows = [f"{sys.executable} -c \"{OBJECTS}\" /lus/flare/{name}" for name in objects]
        text = "; ".join([script, *shows])
        done = odonata("run", "-n", 1, *MACHINE, "--keep", keep, "--", "sh", "-c", text)
        assert done.returncode == 0, done.stderr
        lines = done.stdout.splitlines()
        assert [line.count(":") for line in lines] == list(objects.values()), done.stdout


def test_a_mount_hides_a_directory_of_the_computer(odonata):
    folder = odonata.cwd / "real"
    folder.mkdir()
    (folder / "own").write_text("real")
    text = f"ls {folder}; echo simulated > {folder}/own; cat {folder}/own"
    done = odonata("run", "-n", 1, *MACHINE, "--mount", f"{folder}=gecko", "--", "sh", "-c", text)
    assert (done.returncode, done.stdout) == (0, "simulated\n")
    assert (folder / "own").read_text() == "real"
    for mount, wanted in [
        ("scratch", "PATH=NAME"),
        ("scratch=flare", "an absolute path"),
        ("/scratch=flair", "did you mean `flare`?"),
    ]:
        wrong = odonata("run", "-n", 1, *MACHINE, "--mount", mount, "--", "true")
        assert wrong.returncode == 2 and wanted in wrong.stderr, wrong.stderr


WRITER = """
import os, sys, time
print("ready", flush=True)
i = 0
while True:
    with open(f"/lus/flare/{os.environ['PMI_RANK']}.{i % 7}", "wb") as file:
        file.write(bytes(10_000))
    i += 1
    if i == 50:
        print("writes", flush=True)
"""


@pytest.mark.parametrize("victim", ["rank", "launcher"])
def test_nothing_is_left_by_a_kill_during_writes(odonata, victim):
    started = odonata.start("run", "-n", 2, *MACHINE, "--", sys.executable, "-c", WRITER)
    lines = (started.stdout.readline() for _ in range(4))
    assert sorted(lines) == ["ready\n", "ready\n", "writes\n", "writes\n"]
    if victim == "launcher":
        started.kill()
    else:
        ranks = [p for p in odonata.alive() if b"WRITER" in Path(f"/proc/{p}/cmdline").read_bytes()
                 or b"PMI_RANK" in Path(f"/proc/{p}/cmdline").read_bytes()]  # fmt: skip
        assert ranks
        os.kill(ranks[-1], signal.SIGKILL)
    started.communicate(timeout=60)
    expected = -signal.SIGKILL if victim == "launcher" else 128 + signal.SIGKILL
    assert started.returncode == expected


# Writes records and states each one on the real disk when its call has returned.
ACKNOWLEDGED = """
import os, sys
rank, folder, size = os.environ["PMI_RANK"], sys.argv[1], 300_000
log = os.open(f"{folder}/log.{rank}", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
data = os.open(f"/lus/flare/data.{rank}", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
i = 0
while True:
    record = bytes([i % 251]) * size
    assert os.write(data, record) == size
    os.write(log, b"d")
    new = os.open(f"/lus/flare/new.{rank}", os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    assert os.pwrite(new, record, 0) == size
    os.close(new)
    os.rename(f"/lus/flare/new.{rank}", f"/lus/flare/file.{rank}.{i}")
    os.write(log, b"f")
    i += 1
    if i == 10:
        print("writes", flush=True)
"""


@pytest.mark.parametrize("victim", ["rank", "launcher"])
def test_acknowledged_data_survive_a_kill(odonata, victim):
    keep, folder = odonata.cwd / "kept", odonata.cwd
    script = folder / "acknowledged.py"
    script.write_text(ACKNOWLEDGED)
    command = (sys.executable, script, folder)
    started = odonata.start("run", "-n", 2, *MACHINE, "--keep", keep, "--", *command)
    assert [started.stdout.readline() for _ in range(2)] == ["writes\n"] * 2
    if victim == "launcher":
        started.kill()
    else:
        is_rank = b"acknowledged.py\0" + os.fsencode(folder)
        ranks = [p for p in odonata.alive() if is_rank in Path(f"/proc/{p}/cmdline").read_bytes()
                 and b"\0run\0" not in Path(f"/proc/{p}/cmdline").read_bytes()]  # fmt: skip
        os.kill(ranks[-1], signal.SIGKILL)
    started.communicate(timeout=60)
    assert not odonata.left()
    size = 300_000
    for rank in range(2):
        log = (folder / f"log.{rank}").read_bytes()
        data = (keep / f"lus/flare/data.{rank}").read_bytes()
        records = log.count(b"d")
        assert records >= 10 and len(data) >= records * size
        for i in range(records):
            assert data[i * size : (i + 1) * size] == bytes([i % 251]) * size, (rank, i)
        for i in range(log.count(b"f")):
            file = (keep / f"lus/flare/file.{rank}.{i}").read_bytes()
            assert file == bytes([i % 251]) * size, (rank, i)


@pytest.mark.skipif(shutil.which("tar") is None, reason="no tar")
def test_copies_have_equal_contents(odonata):
    tree = odonata.cwd / "tree"
    (tree / "a/b").mkdir(parents=True)
    for i in range(20):
        (tree / f"a/b/{i}").write_bytes(os.urandom(1000 * i + i))
    (tree / "link").symlink_to("a/b/3")
    steps = (
        f"cp -a {tree} /daos/tree",
        "tar cf /daos/t.tar -C /daos tree",
        "mkdir /daos/out",
        "tar xf /daos/t.tar -C /daos/out",
        f"diff -r {tree} /daos/out/tree",
        "echo equal",
    )
    text = " && ".join(steps)
    done = odonata("run", "-n", 1, *MACHINE, "--", "sh", "-c", text)
    assert (done.returncode, done.stdout) == (0, "equal\n"), done.stderr


ATTRIBUTES = """
import os, sys
os.chdir(sys.argv[1])
def show(what, name):
    s = os.lstat(name)
    print(what, s.st_ino, oct(s.st_mode), s.st_nlink, s.st_atime_ns, s.st_mtime_ns, s.st_ctime_ns)
    return s
fd = os.open("f", os.O_RDWR | os.O_CREAT, 0o600)
made = show("create", "f")
assert made.st_atime_ns == made.st_mtime_ns == made.st_ctime_ns
os.write(fd, b"x" * 1000)
written = show("write", "f")
assert written.st_mtime_ns == written.st_ctime_ns > made.st_mtime_ns
os.chmod("f", 0o644)
changed = show("chmod", "f")
assert changed.st_mtime_ns == written.st_mtime_ns < changed.st_ctime_ns
os.pread(fd, 100_000, 0)
read = show("read", "f")
assert read.st_mtime_ns < read.st_atime_ns > changed.st_ctime_ns
os.close(os.open("f", os.O_WRONLY | os.O_TRUNC))
cut = show("truncate", "f")
assert cut.st_mtime_ns == cut.st_ctime_ns > changed.st_ctime_ns
os.posix_fallocate(fd, 0, 10_000)
reserved = show("reserve", "f")
assert reserved.st_size == 10_000 and reserved.st_mtime_ns > cut.st_mtime_ns
os.utime("f", ns=(5, 6))
given = show("utime", "f")
assert (given.st_atime_ns, given.st_mtime_ns) == (5, 6) and given.st_ctime_ns > cut.st_ctime_ns
os.utime(fd)
assert show("present", "f").st_mtime_ns > given.st_ctime_ns
os.mkdir("d", 0o755)
assert show("mkdir", "d").st_mode & 0o7777 == 0o755
os.mkdir("d/e/", 0o700)
assert show("parent", "d").st_mtime_ns == show("child", "d/e").st_mtime_ns
os.symlink("f", "l")
show("link", "l")
os.rename("f", "g")
moved = show("rename", "g")
assert moved.st_ino == made.st_ino and moved.st_ctime_ns > moved.st_mtime_ns
os.close(os.open("m", os.O_WRONLY | os.O_CREAT, 0o400))
assert show("mode", "m").st_mode & 0o7777 == 0o400
show("top", ".")
for entry in sorted(os.scandir("."), key=lambda entry: entry.name):
    assert entry.inode() == os.lstat(entry.name).st_ino < 100, entry.name
    print(entry.name, entry.inode())
print(os.statvfs("."))
"""


@pytest.mark.parametrize("mount", ["/lus/flare", "/daos"])
def test_attributes_are_those_of_the_simulation(odonata, mount):
    """Numbers, times and usage do not depend on the computer, its disk and its clock."""
    run = ("run", "-n", 1, *MACHINE, "--quiet", "--", sys.executable, "-c", ATTRIBUTES, mount)
    outputs = set()
    for _ in range(2):
        done = odonata(*run)
        assert done.returncode == 0, done.stderr
        outputs.add(done.stdout)
    (output,) = outputs
    assert output.count("\n") == 20


def test_the_size_of_a_file_system_is_that_of_the_machine(odonata):
    text = "df -B 1 --output=size,used /lus/flare /daos"
    done = odonata("run", "-n", 1, *MACHINE, "--quiet", "--", "sh", "-c", text)
    sizes = [[int(n) for n in line.split()] for line in done.stdout.splitlines()[1:]]
    # 160 OSTs of 500 TB (machines/aurora.toml). DAOS: 1,024 servers of 2 engines, each with
    # 16 targets of 256 GB of SCM and 8 NVMes of 15.3 TB.
    assert sizes == [[160 * 500 * 10**12, 0], [2048 * (16 * 256 * 10**9 + 8 * 153 * 10**11), 0]]


def test_modes_follow_the_mask_of_the_program_only(odonata):
    """The mounts have their own permissions, and a mode of `mkdir` is masked once."""
    text = "umask; mkdir -m 755 /daos/a; (umask 022; mkdir /daos/b); stat -c %a /lus/flare /daos/*"
    mask = os.umask(0o077)
    try:
        done = odonata("run", "-n", 1, *MACHINE, "--quiet", "--", "sh", "-c", text)
    finally:
        os.umask(mask)
    assert done.stdout.split() == ["0077", "755", "755", "755"], done.stderr


DEADLOCK = """
import errno, fcntl, os, time
rank = int(os.environ["PMI_RANK"])
fd = os.open("/lus/flare/f", os.O_RDWR | os.O_CREAT)
fcntl.lockf(fd, fcntl.LOCK_EX, 1, rank)
os.mkdir(f"/lus/flare/{rank}")
while not os.path.exists(f"/lus/flare/{1 - rank}"):
    pass
try:
    fcntl.lockf(fd, fcntl.LOCK_EX, 1, 1 - rank)
    print("locked", flush=True)
except OSError as error:
    print(errno.errorcode[error.errno], flush=True)
"""


def test_a_cycle_of_locks_is_an_error_of_one_rank(odonata):
    run = ("run", "-n", 2, *MACHINE, "--quiet", "--", sys.executable, "-c", DEADLOCK)
    done = odonata(*run)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.split()) == [errno.errorcode[errno.EDEADLK], "locked"]


def test_too_many_mounts_are_an_error_of_the_input(odonata):
    mounts = [word for i in range(12) for word in ("--mount", f"/mount{i}=flare")]
    done = odonata("run", "-n", 1, *MACHINE, *mounts, "--", "true")
    assert done.returncode == 2
    assert "at most 14 mounts" in done.stderr


CALLS = """
import ctypes, errno, os, struct, sys
def error_of(call, *arguments, **more):
    try:
        call(*arguments, **more)
    except OSError as error:
        return errno.errorcode[error.errno]
    return "none"
libc = ctypes.CDLL(None, use_errno=True)
# A link of one mount into the other: names cannot move between file systems.
os.mkdir("/daos/d")
os.symlink("/daos/d", "/lus/flare/there")
open("/lus/flare/f", "w").write("0123456789")
print("rename", error_of(os.rename, "/lus/flare/f", "/lus/flare/there/f"))
print("link", error_of(os.link, "/lus/flare/f", "/lus/flare/there/f"))
print("listed", os.listdir("/daos/d"))
# A read beyond the end.
fd = os.open("/lus/flare/f", os.O_RDONLY)
print("read", len(os.read(fd, 1 << 20)))
# The layout of an open file: lov_user_md_v1 with 4 stripes of 2 MiB.
fd = os.open("/lus/flare/striped", os.O_RDWR | os.O_CREAT)
layout = struct.pack("<II16sIHH", 0x0BD10BD0, 1, b"", 2 << 20, 4, 0xFFFF)
os.setxattr(fd, "lustre.lov", layout)
for place in (fd, "/lus/flare/striped"):
    print("layout", struct.unpack("<IHH", os.getxattr(place, "lustre.lov")[24:32])[:2])
os.write(fd, b"data")
print("fixed", error_of(os.setxattr, fd, "lustre.lov", layout))
# dfuse has no fallocate, and the C library writes zeros instead.
for mount in ("/lus/flare", "/daos"):
    fd = os.open(f"{mount}/space", os.O_RDWR | os.O_CREAT)
    result = libc.fallocate(fd, 0, ctypes.c_long(0), ctypes.c_long(5000))
    print("fallocate", result and os.strerror(ctypes.get_errno()))
    os.pwrite(fd, b"x" * 10, 100)
    os.posix_fallocate(fd, 0, 10_000)
    data = os.pread(fd, 20_000, 0)
    print("posix_fallocate", len(data), data.strip(b"\\0"))
"""


def test_errors_and_data_of_calls(odonata):
    done = odonata("run", "-n", 1, *MACHINE, "--json", "--", sys.executable, "-c", CALLS)
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stderr.splitlines() if not line.startswith("odonata")]
    assert lines[:11] == [
        "rename EXDEV",
        "link EXDEV",
        "listed []",
        "read 10",
        "layout (2097152, 4)",
        "layout (2097152, 4)",
        "fixed EEXIST",
        "fallocate 0",
        "posix_fallocate 10000 b'xxxxxxxxxx'",
        "fallocate Operation not supported",
        "posix_fallocate 10000 b'xxxxxxxxxx'",
    ]
    flare = traffic(json.loads(done.stdout[done.stdout.index("{") :]), "flare")
    assert flare["bytes_read"] == 10 + 10_000


# Addresses that no process has, in place of paths.
INVALID_PATHS = """
import ctypes, errno, os
libc = ctypes.CDLL(None, use_errno=True)
P, I = ctypes.c_void_p, ctypes.c_int
calls = {
    "open": ([P, I], lambda p: (p, os.O_RDONLY)),
    "open64": ([P, I, I], lambda p: (p, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)),
    "openat": ([I, P, I], lambda p: (-100, p, os.O_RDONLY)),
    "creat": ([P, I], lambda p: (p, 0o600)),
    "mkdir": ([P, I], lambda p: (p, 0o700)),
    "unlink": ([P], lambda p: (p,)),
    "truncate": ([P, ctypes.c_long], lambda p: (p, 0)),
    "rename": ([P, P], lambda p: (p, name)),
    "link": ([P, P], lambda p: (name, p)),
}
name = ctypes.cast(ctypes.c_char_p(b"/lus/flare/f"), P).value
open("/lus/flare/f", "w").close()
for call, (types, arguments) in calls.items():
    function = getattr(libc, call)
    function.argtypes = types
    for address in (16, 2**64 - 1):
        ctypes.set_errno(0)
        found = function(*arguments(address)), ctypes.get_errno()
        assert found == (-1, errno.EFAULT), (call, address, found)
print(os.listdir("/lus/flare"))
"""


def test_paths_at_invalid_addresses_are_errors(odonata):
    done = odonata("run", "-n", 1, *MACHINE, "--quiet", "--", "python3", "-c", INVALID_PATHS)
    assert (done.returncode, done.stdout) == (0, "['f']\n"), done.stderr
