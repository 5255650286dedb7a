"""`--counters`: counters of NICs and links, under the vendors' names."""

from __future__ import annotations

import json
import sys

import odonata as od
import pytest
from odonata.check.formats import read_counter_report

BENCH = ("bench", "allreduce", "--machine", "aurora", "--nodes", 4, "--ppn", 4, "--sizes", "8")


def totals(found: dict) -> dict[str, int]:
    return {row["name"]: row["total"] for row in found["counters"]}


def test_counters_of_a_benchmark_are_consistent(odonata):
    done = odonata(*BENCH, "--counters", "--json", "--quiet")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    n = totals(found)
    # A message of 8 B is one packet, and each message between nodes is matched once.
    matched = sum(n[f"lpe_net_match_{how}_0"] for how in ("priority", "overflow", "request"))
    assert n["hni_pkts_sent_by_tc_0"] == n["hni_pkts_recv_by_tc_0"] == matched > 0
    assert n["lpe_rndzv_puts_0"] == n["pct_spt_timeouts"] == 0
    for row in found["counters"]:
        assert row["nics"] == 4 * 8 and row["mean"] == pytest.approx(row["total"] / row["nics"])
        assert row["min"] <= row["mean"] <= row["max"] <= row["total"]
        assert (row["max_nic"] is None) == (row["max"] == 0)
    kinds = {row["kind"]: row for row in found["link_kinds"]}
    assert kinds["injection"]["packets"] == kinds["ejection"]["packets"] == matched
    assert kinds["global"]["used"] == 0 and kinds["global"]["busiest"] is None
    assert "hni_pkts_sent_by_tc_0" in done.stderr and "busiest" in done.stderr
    quiet = odonata(*BENCH, "--quiet")
    assert quiet.returncode == 0 and quiet.stderr == ""


def test_classes_are_counted_separately():
    aurora = od.machine("aurora")
    result = od.patterns.traffic(
        "shift:1", aurora, loads=[0.02], nodes=4, time_s=4e-6, warmup_s=1e-6,
        background="shift:1:0.02,bulk-data", alone=False, fidelity="packet",
    )  # fmt: skip
    n = totals(result.summary)
    # Counters of the measured nodes, which receive no background traffic.
    assert n["hni_pkts_sent_by_tc_0"] == 0 or n["hni_pkts_sent_by_tc_1"] == 0
    assert n["hni_pkts_sent_by_tc_0"] + n["hni_pkts_sent_by_tc_1"] > 0
    assert "hni_tx_paused_0" not in n


def test_lost_packets_are_counted_where_they_were_sent(odonata, tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text('[[fault]]\nnic_link = "aurora-00001:0"\nuntil = "1 ms"\n')
    words = ("bench", "latency", "--machine", "aurora", "--sizes", "8", "--json", "--quiet")
    done = odonata(*words, "--faults", plan)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    n = totals(found)
    assert n["pct_spt_timeouts"] == found["network"]["network_timeouts"] > 0
    assert n["pct_retry_srb_requests"] == found["network"]["packets_resent"]
    lost = found["network"]["packets_lost"]
    assert n["hni_pkts_sent_by_tc_0"] == n["hni_pkts_recv_by_tc_0"] + lost


def test_aries_and_each_fidelity_have_their_counters(odonata):
    words = ("bench", "latency", "--sizes", "8", "--json", "--quiet", "--machine")
    done = odonata(*words, "cascade-3k")
    (row,) = json.loads(done.stdout)["counters"]
    assert row["name"] == "AR_NIC_NETMON_ORB_EVENT_CNTR_REQ_PKTS"
    # Each request has a response: requests are half of the packets on links out of NICs.
    kinds = {kind["kind"]: kind for kind in json.loads(done.stdout)["link_kinds"]}
    assert 2 * row["total"] == kinds["injection"]["packets"]
    done = odonata(*words, "aurora", "--fidelity", "loggp")
    names = [row["name"] for row in json.loads(done.stdout)["counters"]]
    assert "hni_pkts_sent_by_tc_0" in names and "hni_tx_paused_0" not in names


SCRIPT = "from mpi4py import MPI; MPI.COMM_WORLD.barrier()"
REPORT = "MPICH_OFI_CXI_COUNTER_"


@pytest.fixture
def report(odonata):
    """The report of a third-party program with variables, on the machine with faults or not."""

    def run(level, *more, **variables):
        words = ["run", "-n", 2, "--machine", "aurora", "--quiet", "--mpi", "cray-mpich", *more]
        for name, value in {"REPORT": level, **variables}.items():
            words += ["--env", f"{REPORT}{name}={value}"]
        done = odonata(*words, "--", sys.executable, "-c", SCRIPT)
        assert done.returncode == 0, done.stderr
        return done.stderr

    return run


@pytest.mark.parametrize("level", range(6))
def test_cray_mpich_s_report_has_its_format(report, level):
    text = report(level)
    found = read_counter_report(text)
    timeouts, counters = found.timeouts, found.counters
    assert (timeouts is None) == (level == 0)
    assert bool(counters) == (level in (2, 4, 5))
    if level == 0:
        assert text == ""
        return
    lines = text.splitlines()
    assert lines[0] == "MPICH Slingshot Network Summary: 0 network timeouts"
    if counters:
        assert lines[2] == "MPICH Slingshot CXI Counter Summary:"
        heads = ["Counter", "Samples", "Min", "(/s)", "Mean", "(/s)", "Max", "(/s)"]
        assert lines[3].split() == heads
        # A barrier of two ranks: a message each way, on two of 16 NICs.
        row = counters["hni_pkts_sent_by_tc_0"]
        assert row["samples"] == 16 and row["min"] == 0 and row["max"] >= 1
    # Counters of each NIC: of all, or of those with timeouts, of which there are none.
    assert ("cxi7 hni_pkts_sent_by_tc_0 0" in text) == (level == 5)


def test_nics_with_timeouts_are_reported_in_files(report, tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text('[[fault]]\nnic_link = "aurora-00001:0"\nuntil = "1 ms"\n')
    names = tmp_path / "names.txt"
    names.write_text("rh:spt_timeouts  # of the retry handler\nhni_tx_paused_0\natu_cache_hit\n")
    prefix = tmp_path / "report"
    more = ("--faults", plan)
    text = report(4, *more, REPORT_FILE=prefix, FILE=names, VERBOSE=1)
    found = read_counter_report(text)
    timeouts, counters = found.timeouts, found.counters
    assert timeouts > 0 and list(counters) == ["rh:spt_timeouts", "hni_tx_paused_0"]
    assert "Counters without data: atu_cache_hit" in text and "max at " in text
    files = sorted(tmp_path.glob("report.*"))
    # Only NICs with timeouts, and their counters add up.
    rows = [line.split() for file in files for line in file.read_text().splitlines()]
    assert files and {row[0] for row in rows} == {file.name.partition(".")[2] for file in files}
    assert sum(int(row[3]) for row in rows if row[2] == "rh:spt_timeouts") == timeouts


def test_wrong_settings_of_the_report_are_input_errors(odonata, tmp_path):
    words = ["run", "-n", 2, "--machine", "aurora", "--mpi", "cray-mpich"]
    words += ["--env", f"{REPORT}REPORT_FILE=absent/x", "--env", f"{REPORT}FILE=absent.txt"]
    done = odonata(*words, "--", sys.executable, "-c", SCRIPT)
    assert done.returncode == 2
    assert "COUNTER_REPORT_FILE" in done.stderr and "COUNTER_FILE" in done.stderr
