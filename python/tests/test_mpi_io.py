"""MPI-IO on simulated file systems: the same bytes as elsewhere, by the calls that ROMIO makes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import odonata as od
import pytest

ROOT = Path(__file__).resolve().parents[2]
COMPILER = Path(od.__file__).parent / "_bin" / "odonata-mpicc"
SOURCES = {"files": ROOT / "conformance" / "storm" / "files.c"} | {
    name: ROOT / "crates" / "mpiabi" / "tests" / "c" / f"{name}.c"
    for name in ("io_files", "io_patterns", "io_datarep")
}
QUIET = ("--machine", "aurora", "--compute", "none")

# Hints with which each path is taken: file of hints, driver, options.
DEFAULTS = ("", "lustre:", ())
STRIPES = (
    "romio_cb_write enable\nromio_cb_read enable\ncb_buffer_size 777\n"
    "striping_unit 1000\nstriping_factor 2\ncb_config_list *:*\n",
    "lustre:",
    (),
)
BLOCKS = (
    "romio_cb_write enable\nromio_cb_read enable\ncb_buffer_size 1500\nromio_ds_write disable\n",
    "ufs:",
    (),
)
SIEVING = (
    "romio_cb_write disable\nromio_cb_read disable\n"
    "ind_wr_buffer_size 300\nind_rd_buffer_size 500\n",
    "ufs:",
    (),
)
LISTS = ("romio_cb_write disable\nromio_cb_read disable\n", "daos:", ())
CRAY = ("cb_buffer_size 3000\nromio_cb_write enable\n", "lustre:", ("--mpi", "cray-mpich"))


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """The path of a C program, compiled with the wrapper."""
    folder = tmp_path_factory.mktemp("c")

    def build(name: str) -> Path:
        out = folder / name
        if not out.exists():
            command = ["sh", COMPILER, "-O1", SOURCES[name], "-o", out]
            subprocess.run(command, check=True)
        return out

    return build


def environment(odonata, hints: str, driver: str = "") -> dict[str, str]:
    file = odonata.cwd / "hints"
    file.write_text(hints)
    forced = {"ROMIO_FSTYPE_FORCE": driver} if driver else {}
    return {**odonata.env, "ROMIO_HINTS": str(file), **forced}


def python(odonata, script: str, *options: object, env=None):
    """The summary, and the program's lines `hint KEY VALUE`."""
    (odonata.cwd / "program.py").write_text(script)
    run = ("run", "-n", 4, *QUIET, *options, "--json")
    done = odonata(*run, "--", "python", "program.py", env=env)
    assert done.returncode == 0, done.stderr
    lines = [line.split(" ", 2) for line in done.stderr.splitlines()]
    hints = {line[1]: line[2] for line in lines if line[0] == "hint"}
    return hints, json.loads(done.stdout)


@pytest.mark.parametrize("path", [DEFAULTS, STRIPES, BLOCKS, SIEVING, LISTS, CRAY])
@pytest.mark.parametrize("ranks", [1, 5])
def test_random_programs_leave_the_same_bytes(odonata, compiled, ranks, path):
    hints, driver, options = path
    program = compiled("files")
    for seed in (7, 8):
        run = ("run", "-n", ranks, "--ppn", 2, *QUIET, "--quiet", *options, "--")
        here = odonata(*run, program, seed, 6, odonata.cwd)
        env = environment(odonata, hints, driver)
        there = odonata(*run, program, seed, 6, "/lus/flare", env=env)
        assert here.returncode == 0 == there.returncode, there.stderr
        assert here.stdout == there.stdout and f"seed {seed}" in here.stdout


@pytest.mark.parametrize("name", ["io_files", "io_patterns", "io_datarep"])
@pytest.mark.parametrize("path", [STRIPES, SIEVING])
def test_programs_that_check_themselves_pass_on_a_mount(odonata, compiled, name, path):
    # The variable is for the ranks only: the launcher puts the files of the mounts there.
    program = ("env", "TMPDIR=/lus/flare", compiled(name))
    run = ("run", "-n", 7, "--ppn", 3, *QUIET, "--quiet", "--", *program)
    done = odonata(*run, env=environment(odonata, *path[:2]))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "good" in done.stdout


INTERLEAVED = """
import os
from mpi4py import MPI
world = MPI.COMM_WORLD
info = MPI.Info.Create()
for pair in os.environ["HINTS"].split():
    info.Set(*pair.split("="))
file = MPI.File.Open(world, os.environ["FILE"], MPI.MODE_CREATE | MPI.MODE_RDWR, info)
block, count = 1024, 64
kind = MPI.BYTE.Create_vector(count, block, block * world.size).Commit()
file.Set_view(block * world.rank, MPI.BYTE, kind)
file.Write_all(bytes([world.rank]) * (block * count))
if world.rank == 0:
    info = file.Get_info()
    for n in range(info.Get_nkeys()):
        print("hint", info.Get_nthkey(n), info.Get(info.Get_nthkey(n)))
file.Close()
"""


def interleaved(odonata, hints: str, *options: object, file="ufs:/lus/flare/x", **more: str):
    """The hints in effect, and the row of the file system."""
    env = {**odonata.env, "FILE": file, "HINTS": hints, **more}
    return python(odonata, INTERLEAVED, *options, env=env)


def row(summary: dict) -> dict:
    (found,) = summary["io"]["file_systems"]
    return found


def test_aggregators_write_whole_buffers(odonata):
    # 4 aggregators write 64 KiB each, in rounds of the buffer's size.
    operations = []
    for buffer in (64 << 10, 16 << 10, 1000):
        hints, summary = interleaved(odonata, f"cb_buffer_size={buffer}")
        assert hints["cb_nodes"] == "4" and hints["cb_buffer_size"] == str(buffer)
        assert row(summary)["bytes_written"] == 4 * 64 * 1024
        assert row(summary)["bytes_read"] == 0
        operations.append(row(summary)["operations"])
    calls = [4 * -(-(64 << 10) // buffer) for buffer in (64 << 10, 16 << 10, 1000)]
    assert [n - operations[0] for n in operations] == [n - calls[0] for n in calls]


def test_without_aggregation_each_rank_reads_and_writes_windows(odonata):
    _, summary = interleaved(odonata, "romio_cb_write=disable ind_wr_buffer_size=1048576")
    # From the first to the last byte of a rank: all but 3 blocks.
    window = (4 * 64 - 3) * 1024
    assert row(summary)["bytes_written"] == 4 * window
    # The first rank reads an empty file: a read returns what the file has.
    assert row(summary)["bytes_read"] <= 3 * window
    both = "romio_cb_write=disable romio_ds_write=disable"
    _, summary = interleaved(odonata, both)
    assert (row(summary)["bytes_written"], row(summary)["bytes_read"]) == (4 * 64 * 1024, 0)


def test_accesses_that_do_not_interleave_are_not_aggregated(odonata):
    script = """
from mpi4py import MPI
world = MPI.COMM_WORLD
file = MPI.File.Open(world, "ufs:/lus/flare/x", MPI.MODE_CREATE | MPI.MODE_WRONLY)
file.Write_at_all(world.rank << 16, bytes(1 << 16))
file.Close()
"""
    _, summary = python(odonata, script)
    assert row(summary)["bytes_written"] == 4 << 16
    calls = [c for c in summary["calls"] if c["function"] == "MPI_File_write_at_all"]
    # An allgather of 24 bytes per rank.
    assert 0 < sum(c["bytes"] for c in calls) < 4 * 4 * 100


def test_aggregators_fit_the_stripes_of_a_lustre_file(odonata):
    # The machine's default is one stripe of 1 MiB.
    hints, summary = interleaved(odonata, "", file="/lus/flare/x")
    assert hints["romio_filesystem_type"] == "LUSTRE:"
    assert (hints["striping_factor"], hints["striping_unit"]) == ("1", str(1 << 20))
    one = row(summary)["operations"]
    # 4 aggregators write one stripe each.
    stripes = "striping_factor=4 striping_unit=65536"
    hints, summary = interleaved(odonata, stripes, file="/lus/flare/x")
    assert (hints["striping_factor"], hints["striping_unit"]) == ("4", "65536")
    # With one aggregator a single call writes 256 KiB. One more call sets the stripes.
    assert row(summary)["operations"] - one == 4 - 1 + 1
    assert row(summary)["bytes_written"] == 4 * 64 * 1024


def test_new_daos_files_get_the_class_of_the_hints(odonata):
    hints = "romio_daos_obj_class=RP_2G1 romio_daos_chunk_size=65536"
    found, _ = interleaved(odonata, hints, file="/daos/x")
    assert found["romio_filesystem_type"].startswith("DAOS")
    assert (found["romio_daos_obj_class"], found["romio_ds_write"]) == ("RP_2G1", "disable")
    script = INTERLEAVED + """
if world.rank == 0:
    print("hint layout", os.getxattr("/daos/x", "lustre.lov").decode())
"""
    env = {**odonata.env, "FILE": "/daos/x", "HINTS": hints}
    found, _ = python(odonata, script, env=env)
    assert found["layout"] == "oclass=RP_2G1 chunk_size=65536"


def test_hints_come_from_the_program_a_file_and_the_environment(odonata):
    (odonata.cwd / "hints").write_text("cb_nodes 2\nromio_cb_read disable\n")
    given = {"ROMIO_HINTS": str(odonata.cwd / "hints")}
    hints, _ = interleaved(odonata, "cb_nodes=3 unknown=1 romio_cb_write=maybe", **given)
    assert (hints["cb_nodes"], hints["romio_cb_read"]) == ("3", "disable")
    assert (hints["romio_cb_write"], hints.get("unknown")) == ("automatic", None)
    hints, _ = interleaved(odonata, "", file="daos:/lus/flare/x")
    assert hints["romio_filesystem_type"].startswith("DAOS")
    hints, _ = interleaved(odonata, "", ROMIO_FSTYPE_FORCE="lustre:")
    assert hints["romio_filesystem_type"] == "LUSTRE:"
    # Cray's variable is for files whose name matches, and wins.
    cray = {"MPICH_MPIIO_HINTS": "*.y:cb_nodes=1,/lus/*:cb_nodes=2:cray_cb_write_lock_mode=1"}
    hints, _ = interleaved(odonata, "cb_nodes=4", "--mpi", "cray-mpich", **cray)
    assert (hints["cb_nodes"], hints["cray_cb_write_lock_mode"]) == ("2", "1")
    hints, _ = interleaved(odonata, "cb_nodes=4", **cray)
    assert hints["cb_nodes"] == "4"


def test_runs_repeat(odonata):
    digests = {interleaved(odonata, "cb_buffer_size=5000")[1]["digest"] for _ in range(3)}
    assert len(digests) == 1


def test_hints_of_files_elsewhere_change_nothing(odonata):
    file = str(odonata.cwd / "x")
    runs = [interleaved(odonata, hints, file=file) for hints in ("cb_nodes=1", "cb_nodes=2 a=b")]
    assert runs[0][1]["digest"] == runs[1][1]["digest"]
    assert (runs[0][0], runs[1][0]) == ({"cb_nodes": "1"}, {"cb_nodes": "2", "a": "b"})
    assert "file_systems" not in runs[0][1].get("io", {})


ATOMIC = """
import random
from mpi4py import MPI
world = MPI.COMM_WORLD
random.seed(5)
file = MPI.File.Open(world, "/lus/flare/x", MPI.MODE_CREATE | MPI.MODE_RDWR)
file.Set_atomicity(True)
for turn in range(12):
    block, count, size = random.randint(1, 900), random.randint(1, 20), random.randint(1, 2000)
    together = random.random() < 0.6
    kind = MPI.BYTE.Create_vector(count, block, block + size).Commit()
    file.Set_view(0, MPI.BYTE, kind)
    data = bytes([1 + world.rank]) * (block * count)
    (file.Write_at_all if together else file.Write_at)(0, data)
    world.Barrier()
    found = bytearray(block * count)
    (file.Read_at_all if together else file.Read_at)(0, found)
    assert len(set(found)) == 1 and 1 <= found[0] <= world.size, (turn, set(found))
    assert len(set(world.allgather(found[0]))) == 1
    world.Barrier()
file.Close()
"""


@pytest.mark.parametrize("path", [DEFAULTS, STRIPES, SIEVING])
def test_overlapping_writes_in_atomic_mode_are_those_of_one_rank(odonata, path):
    python(odonata, ATOMIC, env=environment(odonata, *path[:2]))


LATE = """
from mpi4py import MPI
world = MPI.COMM_WORLD
file = MPI.File.Open(world, "/lus/flare/x", MPI.MODE_CREATE | MPI.MODE_RDWR)
data = bytes([world.rank]) * 5000
request = None
if world.rank == 1:
    world.recv(source=0)
    request = file.Iwrite_at_all(5000, data)
elif world.rank == 0:
    request = file.Iwrite_at_all(0, data)
    world.send(1, 1)
else:
    request = file.Iwrite_at_all(5000 * world.rank, data)
if world.rank == 2:
    request.Wait()
    world.send(1, 3)
if world.rank == 3:
    world.recv(source=2)
request.Wait()
file.Sync()
world.Barrier()
found = bytearray(5000 * world.size)
file.Iread_at_all(0, found).Wait()
assert found == b"".join(bytes([rank]) * 5000 for rank in range(world.size))
file.Close()
"""


def test_non_blocking_collectives_wait_for_no_other_rank(odonata):
    python(odonata, LATE)


def test_non_blocking_collectives_are_aggregated(odonata):
    # Two aggregators write 128 KiB each, in calls of 16 KiB.
    hints = {"FILE": "ufs:/lus/flare/x", "HINTS": "cb_buffer_size=16384 cb_nodes=2"}
    env = {**odonata.env, **hints}
    write = "file.Write_all(bytes([world.rank]) * (block * count))"
    assert write in INTERLEAVED
    later = INTERLEAVED.replace(write, write.replace("Write_all", "Iwrite_all") + ".Wait()")
    rows = [row(python(odonata, script, env=env)[1]) for script in (INTERLEAVED, later)]
    for key in ("operations", "bytes_written", "bytes_read"):
        assert rows[0][key] == rows[1][key]
    assert rows[0]["bytes_written"] == 4 * 64 * 1024 and rows[0]["bytes_read"] == 0


OUTSTANDING = """
from mpi4py import MPI
world = MPI.COMM_WORLD
info = MPI.Info.Create()
info.Set("romio_cb_write", "enable")
info.Set("romio_cb_read", "enable")
info.Set("cb_buffer_size", "1000")
file = MPI.File.Open(world, "/lus/flare/x", MPI.MODE_CREATE | MPI.MODE_RDWR, info)
kind = MPI.BYTE.Create_vector(40, 100, 100 * world.size).Commit()
file.Set_view(100 * world.rank, MPI.BYTE, kind)
data = [bytes([10 * world.rank + i]) * 900 for i in range(3)]
requests = [file.Iwrite_at_all(900 * i, data[i]) for i in range(3)]
# Each rank completes them in another order; rank 2 tests. The next call completes the rest.
first = requests[world.rank % 3]
if world.rank == 2:
    while not first.Test():
        pass
else:
    first.Wait()
file.Write_at_all(2700, bytes([100 + world.rank]) * 300)
MPI.Request.Waitall(requests)
file.Sync()
world.Barrier()
found = [bytearray(900) for _ in range(3)]
requests = [file.Iread_at_all(900 * i, found[i]) for i in range(3)]
last = bytearray(300)
file.Read_at_all(2700, last)
MPI.Request.Waitall(requests[::-1])
assert [bytes(f) for f in found] == data and last == bytes([100 + world.rank]) * 300
# Requests that the program does not complete before it closes the file.
late = file.Iwrite_at_all(0, data[2])
file.Close()
late.Wait()
if world.rank == 0:
    whole = open("/lus/flare/x", "rb").read()
    for rank in range(world.size):
        assert whole[100 * rank] == 10 * rank + 2
"""


def test_outstanding_collectives_complete_in_any_order(odonata):
    python(odonata, OUTSTANDING)


def test_a_rank_with_wrong_arguments_does_not_block_the_others(odonata):
    script = """
from mpi4py import MPI
world = MPI.COMM_WORLD
file = MPI.File.Open(world, "/lus/flare/x", MPI.MODE_CREATE | MPI.MODE_RDWR)
try:
    file.Write_at_all(-1 if world.rank == 2 else 3 * world.rank, bytes([world.rank]) * 6)
    assert world.rank != 2
except MPI.Exception as error:
    assert world.rank == 2 and error.Get_error_class() == MPI.ERR_ARG
found = bytearray(20)
status = MPI.Status()
file.Read_at_all(0, found, status)
assert status.Get_count(MPI.BYTE) == 15
assert bytes(found[:15]) == bytes([0, 0, 0, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3])
file.Close()
"""
    python(odonata, script)
