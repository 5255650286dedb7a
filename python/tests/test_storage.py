"""File systems beside MPI: traffic classes, jobs, background traffic, and their report."""

from __future__ import annotations

import json
import re

import pytest
from test_report import check

LUMI = ("--machine", "lumi-c", "--quiet")
IOR = ("--io-options", "-t 4m -b 16m -F -e -w", "--file-system", "lustref1")
WRITER = """
import os
for name in "ab":
    with open(f"/pfs/lustref1/{name}.{os.environ['ODONATA_RANK']}", "wb") as file:
        file.write(bytes(1 << 20))
        file.flush()
        os.fsync(file.fileno())
"""


def result(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_ceiling_limits_storage(odonata):
    """20 % of a link of 200 Gbit/s, at most: the key of the machine file, or the option."""
    ceiling = ("--set", "classes.bulk-data.ceiling=20")
    rates = []
    of_file = ("--set", "storage.lustref1.class=bulk-data")
    for given in ((), ("--storage-class", "TC_BULK_DATA"), of_file):
        done = odonata("bench", "ior", *IOR, "--nodes", "1", "--ppn", "4", *LUMI, "--json",
                       "--fidelity", "flow", *ceiling, *given)  # fmt: skip
        rates.append(result(done)["rows"][0]["rate_B_per_s"])
    assert rates[0] > 10e9
    assert rates[1] == rates[2] < 5e9


@pytest.mark.parametrize(
    "given",
    [("--storage-class", "fast"), ("--set", "storage.lustref1.class=fast"),
     ("--background", "writes:scratch:0.1"), ("--background", "writes:lustref1:900TB/s"),
     ("--background", "uniform:3GB/s"), ("--set", "storage.lustref1.gateway_credits=3")],
)  # fmt: skip
def test_impossible_storage_is_refused(odonata, given):
    done = odonata("run", "-n", "2", *LUMI, "--compute", "none", *given, "--", "true")
    assert done.returncode == 2, done.stderr
    assert "found" in done.stderr and "wanted" in done.stderr


def test_a_benchmark_without_files_has_no_class_of_storage(odonata):
    done = odonata("bench", "allreduce", "--nodes", "2", *LUMI, "--storage-class", "bulk-data")
    assert done.returncode == 2 and "`ior` or `mdtest`" in done.stderr


def test_ior_is_a_job(odonata):
    """Rates beside another job and alone; a rank's file has the name that IOR gives it."""
    (odonata.cwd / "jobs.toml").write_text("""
        [[job]]
        name = "exchange"
        bench = "alltoall"
        nodes = 4
        [[job]]
        name = "checkpoint"
        bench = "ior"
        io_options = "-t 1m -b 4m -F -w"
        file_system = "lustref1"
        nodes = 2
        ppn = 2
    """)
    s = result(odonata("run", "--jobs", "jobs.toml", *LUMI, "--fidelity", "loggp", "--json"))
    exchange, checkpoint = s["jobs"]
    assert exchange["bench"] and not exchange.get("phases")
    (phase,), (alone,) = checkpoint["phases"], checkpoint["alone_phases"]
    assert phase["bytes"] == alone["bytes"] == 4 * (4 << 20)
    assert {row["path"] for row in s["io"]["files"]} == {f"testFile.{n:08}" for n in range(4)}


def test_background_traffic_moves_data_of_storage(odonata):
    done = odonata("bench", "latency", "--nodes", "2", "--sizes", "8", *LUMI, "--json",
                   "--background", "writes:lustref1:20GB/s",
                   "--background", "reads:lustref1:0.01@64Ki")  # fmt: skip
    writes, reads = result(done)["background"]
    assert (writes["pattern"], reads["pattern"]) == ("writes:lustref1", "reads:lustref1")
    assert writes["rate"] == 20e9


def test_the_report_of_a_program_that_writes(odonata):
    (odonata.cwd / "writer.py").write_text(WRITER)
    done = odonata("run", "-n", "2", *LUMI, "--compute", "none", "--out", "out", "--json",
                   "--", "python", "writer.py")  # fmt: skip
    io = result(done)["io"]
    assert {row["path"] for row in io["files"]} == {
        f"/pfs/lustref1/{name}.{rank}" for name in "ab" for rank in (0, 1)
    }
    assert all(row["bytes_written"] == 1 << 20 for row in io["files"])
    (rates,) = io["rates"]
    assert sum(rates["bytes_written"]) == sum(rates["bytes_to_servers"]) == 4 << 20
    assert sum(row["bytes_written"] for row in io["targets"]) == 4 << 20
    counters = {row["name"]: row["count"] for row in io["counters"]}
    assert counters["llite.stats.write_bytes"] == 4 << 20
    assert odonata("report", "out").returncode == 0
    page = (odonata.cwd / "out" / "report.html").read_text()
    words = check(page)
    for part in ("File system lustref1", "Busiest targets", "Rate over time", "/pfs/lustref1/a.0",
                 "Limit:"):  # fmt: skip
        assert part in words, part
    assert len(re.findall(r'aria-label="(?:Rate over time|Busy time of each medium)"', page)) == 2
