"""`--counters`: counters of NICs and links, under the vendors' names."""

from __future__ import annotations

import json
import sys

import odonata as od
import pytest

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


def test_cray_mpich_s_variable_prints_the_table(odonata):
    script = "from mpi4py import MPI; MPI.COMM_WORLD.barrier()"
    words = ("run", "-n", 2, "--machine", "aurora", "--quiet", "--mpi", "cray-mpich", "--env")
    for value, printed in (("2", True), ("1", False)):
        name = f"MPICH_OFI_CXI_COUNTER_REPORT={value}"
        done = odonata(*words, name, "--", sys.executable, "-c", script)
        assert done.returncode == 0, done.stderr
        assert ("lpe_net_match_priority_0" in done.stderr) == printed, done.stderr
