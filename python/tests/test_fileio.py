"""Notes of a run on files: outside mounts no file system is simulated; names with a date repeat."""

from __future__ import annotations

import json
import os
import re
import time

import pytest
from odonata import fileio

SMALL = ("--machine", "aurora", "--compute", "none")
POSIX = """
from mpi4py import MPI
rank = MPI.COMM_WORLD.rank
for nth in range(3):
    with open(f"out-{rank}-{nth}", "w") as file:
        file.write("x" * 1000)
open(f"out-{rank}-0").read()
"""
MPI_IO = """
from mpi4py import MPI
world = MPI.COMM_WORLD
file = MPI.File.Open(world, "data", MPI.MODE_CREATE | MPI.MODE_RDWR)
file.Write_at_all(world.rank * 8, bytes(8))
file.Read_at(0, bytearray(8))
file.Close()
"""
NEITHER = """
import json, socket  # reads the files of modules
from mpi4py import MPI
import decimal
print(open("/proc/self/status").readline())
"""


def found(odonata, script: str, *more: str) -> tuple[dict | None, str]:
    done = odonata("run", "-n", 2, *SMALL, *more, "--json", "--", "python", "-c", script)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout).get("file_io"), done.stderr


@pytest.mark.parametrize("more", [(), ("--clock", "real"), ("--warm", "none")])
def test_files_opened_without_mpi_are_reported(odonata, more):
    io, output = found(odonata, POSIX, *more)
    assert (io["opened_to_write"], io["opened_to_read"]) == (6, 2)
    assert (io["mpi_opens"], io["mpi_transfers"]) == (0, 0)
    assert re.search(r"^Files +outside mounts no file system is simulated$", output, re.MULTILINE)
    assert "6 to write, 2 to read) take no time" in output and "MPI-IO" not in output


def test_mpi_io_is_reported_with_its_modeled_rate(odonata):
    io, output = found(odonata, MPI_IO, "--set", "local_storage.node_rate=3 GB/s")
    assert (io["mpi_opens"], io["mpi_transfers"]) == (2, 4)
    assert (io["opened_to_write"], io["opened_to_read"]) == (0, 0)
    assert io["storage_node_B_per_s"] == pytest.approx(3e9)
    assert "outside mounts no file system is simulated" in io["note"]
    assert "[local_storage]" in output and "3.00 GB/s per node" in output


def test_a_run_without_files_has_no_note(odonata):
    io, output = found(odonata, NEITHER)
    assert io is None and "file system" not in output


def test_concurrent_jobs_are_reported_separately(odonata):
    (odonata.cwd / "posix.py").write_text(POSIX)
    (odonata.cwd / "neither.py").write_text(NEITHER)
    job = '[[job]]\nname = "%s"\nprogram = ["python", "%s.py"]\nranks = 2\ncompute = "none"\n'
    (odonata.cwd / "jobs.toml").write_text(job % ("a", "posix") + job % ("b", "neither"))
    done = odonata("run", "--jobs", "jobs.toml", "--machine", "aurora", "--no-alone", "--json")
    assert done.returncode == 0, done.stderr
    first, second = json.loads(done.stdout)["jobs"]
    assert first["file_io"]["opened_to_write"] == 6 and "file_io" not in second
    assert "Files    job a: outside mounts no file system is simulated" in done.stderr


DATED = """
import os, sys, time
from mpi4py import MPI
if MPI.COMM_WORLD.rank == 0:
    name = time.strftime(sys.argv[1])
    how = sys.argv[2]
    if how == "rename":
        open("part", "w").write("x")
        os.replace("part", name)
    else:
        open(name, how).write("x")
if sys.argv[2] == "w":
    MPI.File.Open(MPI.COMM_WORLD, time.strftime("%Y%m%d.mpi"),
                  MPI.MODE_CREATE | MPI.MODE_WRONLY).Close()
"""


def dated(odonata, pattern: str, how: str = "w", *more: str) -> list[str]:
    """Names that existed already, as the second of two runs reports them."""
    for name in odonata.cwd.iterdir():
        if name.is_file():
            name.unlink()
    for is_second in (False, True):
        done = odonata("run", "-n", 2, *SMALL, *more, "--json", "--", "python", "-c", DATED,
                       pattern, how)  # fmt: skip
        assert done.returncode == 0, done.stderr
        summary = json.loads(done.stdout)
        noted = any("--epoch now" in words for words in summary.get("notes", ()))
        assert noted == bool(summary.get("replaced_files")) == ("--epoch now" in done.stderr)
        names = [os.path.basename(path) for path in summary.get("replaced_files", ())]
        assert is_second or names == []
    return names


def test_files_named_by_the_date_cause_a_warning(odonata):
    # Simulated time starts at the same date in each run, so both names exist in the second.
    both = ["20260101.mpi", "run_2026-01-01_000000.log"]
    assert dated(odonata, "run_%Y-%m-%d_%H%M%S.log") == both
    assert dated(odonata, "%s.chk", "rename") == ["1767225600.chk"]


def test_names_that_do_not_repeat_cause_no_warning(odonata):
    assert dated(odonata, "step_000100.dat", "rename") == []  # no date in it
    assert dated(odonata, "run_%Y-%m-%d.log", "a") == []  # nothing is lost
    assert dated(odonata, "run_%Y-%m-%d.log", "rename", "--epoch", "now") == []  # as in reality
    assert dated(odonata, "run_%Y-%m-%d.log", "rename", "--clock", "real") == []


EPOCH = 1767225600  # 2026-01-01 00:00:00 UTC


@pytest.mark.parametrize(
    "name",
    [
        "out_20260101_000000.nc", "2026-01-01T00:00:01.txt", "log.2026_1_1", "01-01-2026.csv",
        "run-260101-000000", "Jan01_2026.out", "1jan2026", "Thu Jan  1 00:00:00 2026.log",
        "chk1767225600", "t1767225602.5", "x1767225600123456", "2026Jan01", "01012026.dat",
        "2026-001.bin", "2026.01.01/part0",
    ],
)  # fmt: skip
def test_dates_in_names(name, monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    is_dated = any(p.search(name) for p in fileio.patterns(EPOCH, 3.0))
    assert is_dated or fileio.has_seconds(name, EPOCH, 3.0)


@pytest.mark.parametrize(
    "name",
    [
        "step_00002600.dat", "out.0001", "mesh-128x128x128", "a2026", "v1.1.26.4", "2025-12-30.log",
        "1767225599", "1767229999", "id20261231", "12026010155", "jan2026", "checkpoint_20260102",
    ],
)  # fmt: skip
def test_names_without_the_date(name, monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    assert not any(p.search(name) for p in fileio.patterns(EPOCH, 3.0))
    assert not fileio.has_seconds(name, EPOCH, 3.0)
