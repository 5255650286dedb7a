"""`odonata check`: patterns, statistics, formats, campaigns on the twin, and resumption."""

from __future__ import annotations

import importlib.util
import json
import random
import subprocess
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import odonata
import pytest
from odonata.check import (
    campaign, faults, formats, isolation, launched, load, output, parts, patterns, running, twin,
)  # fmt: skip
from odonata.check import statistics as robust
from odonata.check.journal import Journal
from odonata.check.wiring import Wiring
from odonata.errors import InputError

EXAMPLES = Path(__file__).parents[2] / "examples"

# Rounds of pairs


@pytest.mark.parametrize("n", [2, 3, 8, 9, 16])
def test_the_circle_method_has_every_pair_once(n):
    rounds = patterns.circle(n)
    assert len(rounds) == n - 1 + n % 2
    assert sorted(pair for pairs in rounds for pair in pairs) == list(combinations(range(n), 2))
    for pairs in rounds:
        ends = [end for pair in pairs for end in pair]
        assert len(set(ends)) == len(ends)


@pytest.mark.parametrize("n", [4, 7, 32])
def test_links_of_a_group_are_tested_in_as_few_rounds_as_possible(n):
    edges = list(combinations(range(n), 2))
    random.Random(1).shuffle(edges)
    order = patterns.in_circle_order(edges)
    rounds = patterns.colored([edges[i] for i in order])
    assert len(rounds) == n - 1 + n % 2  # a complete graph needs that many
    assert sorted(order[i] for color in rounds for i in color) == list(range(len(edges)))
    for color in rounds:
        ends = [end for i in color for end in edges[order[i]]]
        assert len(set(ends)) == len(ends)


def test_sets_run_at_once_and_pairs_stay_in_their_set():
    test = patterns.set_test("all2all", "t", range(10), 2, [[0, 1, 2, 3], [4, 5]], 8, 100)
    assert test.sets == (tuple(range(8)), tuple(range(8, 12)))
    # In all rounds each rank meets all ranks of its set on other nodes, once.
    met = sorted(tuple(sorted(pair)) for pair in test.pairs)
    all_pairs = (pair for ranks in test.sets for pair in combinations(ranks, 2))
    assert met == sorted((a, b) for a, b in all_pairs if a // 2 != b // 2)
    halves = patterns.set_test("bisect", "t", range(4), 2, [[0, 1, 2, 3]], 8, 100)
    assert {a // 4 for a, _ in halves.pairs} == {0} and {b // 4 for _, b in halves.pairs} == {1}
    assert len(set(halves.pairs)) == 16


# Search


@pytest.mark.parametrize("bad", [[], [3], [0, 63], [5, 6, 40]])
def test_halving_and_overlapping_groups_find_the_bad_items(bad):
    items = list(range(64))

    def is_slow(groups):
        assert sum(map(len, groups)) == len({item for group in groups for item in group})
        return [any(item in bad for item in group) for group in groups]

    found, rounds = isolation.halves(items, is_slow)
    assert found == bad and rounds <= 6  # log2(64)
    suspects, shots = isolation.overlapping(items, 4, 4, 1, is_slow)
    assert set(bad) <= set(suspects) and shots == 4 and len(suspects) <= len(bad) + 4


# Statistics


def noisy(rng, n, repeats, factor=1.0, slow=()):
    return [[factor * rng.gauss(1, 0.01) * (0.8 if i in slow else 1) for i in range(n)]
            for _ in range(repeats)]  # fmt: skip


def test_a_common_factor_is_no_fault_and_a_slow_unit_is():
    rng = random.Random(3)
    found = robust.compare(noisy(rng, 100, 3, 0.7, {17}), [1.0] * 100, 0.08, 0.25)
    assert found.slow == [17]
    assert found.center == pytest.approx(0.7, rel=0.01)
    assert found.sigma == pytest.approx(0.01, rel=0.3)
    # Few units have no sound median: the error bar of the prediction holds.
    few = robust.compare(noisy(rng, 2, 3, 0.7), [1.0] * 2, 0.08, 0.25)
    assert few.slow == [0, 1]
    assert robust.compare(noisy(rng, 2, 3, 0.8), [1.0] * 2, 0.08, 0.25).slow == []


def test_one_slow_repeat_is_an_outlier():
    rng = random.Random(4)
    values = noisy(rng, 50, 3)
    values[1][7] *= 0.5
    found = robust.compare(values, [1.0] * 50, 0.08, 0.25)
    assert (found.slow, found.outliers) == ([], [7])


def test_the_chance_of_a_false_alarm_is_that_of_a_binomial_of_normal_tails():
    # Three sigma below in two of three: p = 0.00135, 3 p^2 (1 - p) + p^3.
    p = 0.001349898
    expected = 3 * p**2 * (1 - p) + p**3
    assert robust.chance(0.97, 0.01, 3, 2) == pytest.approx(expected, rel=1e-4)
    # With 85,000 NICs one 3-sigma test flags 115.
    assert 85_000 * robust.chance(0.97, 0.01, 1, 1) == pytest.approx(115, abs=1)


def test_dgnettest_s_rule_is_relative_to_the_mean():
    # HPE's guide: two sets of two nodes at 43.6 and 70.2 GB/s per node.
    assert robust.below_mean([43.6, 70.2]) == [0]
    assert robust.below_mean([60, 58, 57, 55]) == []


# Formats


def test_texts_of_node_tools_are_read_as_written():
    text = formats.healthcheck("nid7", [set(), {"pci_check", "link_check"}])
    assert formats.read_healthcheck(text) == {
        ("nid7", 0): [], ("nid7", 1): ["pci_check", "link_check"],
    }  # fmt: skip
    rates = [185.31, 92.0]
    assert formats.read_loopback(formats.loopback("nid7", rates)) == {
        ("nid7", 0): 185.31, ("nid7", 1): 92.0,
    }  # fmt: skip
    ports = [formats.Port("1:2", flaps=2, last_flap_s=7.5, ber=1e-9), formats.Port("g0-g1#3")]
    assert formats.read_counters(formats.counters(ports)) == ports
    for read in (formats.read_healthcheck, formats.read_loopback, formats.read_counters,
                 formats.read_osu, formats.read_gpcnet, formats.read_dgnettest):  # fmt: skip
        with pytest.raises(formats.Unreadable):
            read("nothing of interest\n")


# HPE Slingshot Host Software guide, cxi_gpu_loopback_bw.
LOOPBACK = """---------------------------------------------------
    CXI Loopback Bandwidth Test
Device           : cxi0
Service ID       : 1
---------------------------------------------------
RDMA Size[B]      Writes  BW[Gb/s]  PktRate[Mpkt/s]
      131072     1810432    189.49        11.565970
---------------------------------------------------
"""
DGNETTEST = """Test       Iter    Bytes   Set    Base   Ranks    Reps      Secs   BW/proc   BW/node
bisect        0   131072     0       0      64     100     1.000    8775.0   70200.0
bisect        1   131072     0       0      64     100     1.000    8775.0   70000.0
bisect        0   131072     1      64      16     100     1.000    5450.0   43600.0
all2all test bandwidth low 6291 MB/s for set 1 location 001.00.00 32 nodes: nid[000033-000064]
dgnettest has FAILED
"""
OSU = """# OSU MPI Multiple Bandwidth / Message Rate Test v7.4
# [ pairs: 64 ] [ window size: 64 ]
# Size                  MB/s        Messages/s
1                     290.21      290208211.15
1048576           1392211.30        1327716.16
"""
GPCNET = """Network Tests v1.3
+------------------------------------------------------------------------------+
|                            Isolated Network Tests                            |
+---------------------------------+--------------+--------------+--------------+
|                            Name |          Avg |          99% |        Units |
+---------------------------------+--------------+--------------+--------------+
|          RR Two-sided Lat (8 B) |          2.6 |          4.9 |         usec |
|    RR Two-sided BW+Sync (131072 B) |       4413.6 |       2943.4 |   MiB/s/rank |
+---------------------------------+--------------+--------------+--------------+
"""


def test_texts_of_the_real_tools_are_read():
    assert formats.read_loopback(LOOPBACK) == {("", 0): 189.49}
    net = formats.read_dgnettest(DGNETTEST)
    assert net.rows == {"bisect": {0: 70_100.0, 1: 43_600.0}} and net.passed is False
    assert net.nodes == {1: "nid[000033-000064]"}
    assert formats.read_osu(OSU) == {1: 290.21, 1_048_576: 1_392_211.30}
    found = formats.read_gpcnet(GPCNET)["isolated"]
    assert found["RR Two-sided Lat"] == {"unit": "usec", "mean": 2.6, "p99": 4.9}
    assert found["RR Two-sided BW+Sync"] == {"unit": "MiB/s/rank", "mean": 4413.6, "p99": 2943.4}


# GPCNeT 1.3, network_load_test (HPE's guide, fabric validation).
GPCNET_LOAD = (
    GPCNET
    + """
|                 Network Tests running with Congestion Tests                  |
+---------------------------------+--------------+--------------+--------------+
|                            Name |          Avg |          99% |        Units |
+---------------------------------+--------------+--------------+--------------+
|          RR Two-sided Lat (8 B) |          2.9 |          5.3 |         usec |
+---------------------------------+--------------+--------------+--------------+

+------------------------------------------------------------------------------+
|          Network Tests running with Congestion Tests - Key Results           |
+---------------------------------+--------------------------------------------+
|                            Name |                   Congestion Impact Factor |
+---------------------------------+----------------------+---------------------+
|                                 |                  Avg |                 99% |
+---------------------------------+----------------------+---------------------+
|          RR Two-sided Lat (8 B) |                 1.1X |                1.2X |
+---------------------------------+----------------------+---------------------+
"""
)
# The same test of a verbose build: more columns, and the congestors' rows.
GPCNET_VERBOSE = """|Network Tests running with Congestion Tests ( RR Two-sided Lat Network Test) |
|              Name |  Min |   Max |   Avg |  Avg(Worst) |   99% |  99.9% |      Units |
|  RR Two-sided Lat (8 B) |  1.5 |  9.0 |  2.5 |  3.0 |  4.5 |  8.5 |  usec |
|  Alltoall (4096 B) |  10.0 |  90.0 |  25.0 |  20.0 |  15.0 |  12.0 |  MiB/s/rank |
"""


def test_sections_of_gpcnet_s_load_test_are_kept_apart():
    found = formats.read_gpcnet(GPCNET_LOAD)
    means = {key: rows["RR Two-sided Lat"]["mean"] for key, rows in found.items()}
    assert means == {"isolated": 2.6, "congested": 2.9, "impact": 1.1}
    row = formats.read_gpcnet(GPCNET_VERBOSE)["congested"]["RR Two-sided Lat"]
    assert row == {"unit": "usec", "mean": 2.5, "p99": 4.5}


def test_computed_ratios_of_cray_mpich_s_report_are_read():
    # Columns and names as in the description of the report: issue facts, section 2.
    text = """MPICH Slingshot Network Summary: 3 network timeouts

MPICH Slingshot CXI Counter Summary:
Counter                     Samples          Min         (/s)         Mean         (/s)
rh:nacks                          8            5          0.1           25          0.2   85   0.3

Computed Ratios                              Min   Mean    Max
PCIe posted (write) blocked cycles/pkt       0.4    0.9    2.1
PCIe non-posted (read) blocked cycles/pkt    0.0    0.1    0.3
"""
    found = formats.read_counter_report(text)
    assert found.timeouts == 3
    assert found.counters == {"rh:nacks": {"samples": 8, "min": 5, "mean": 25, "max": 85}}
    assert found.ratios == {
        "PCIe posted (write) blocked cycles/pkt": {"min": 0.4, "mean": 0.9, "max": 2.1},
        "PCIe non-posted (read) blocked cycles/pkt": {"min": 0.0, "mean": 0.1, "max": 0.3},
    }


# Campaigns on the twin

SOUND = """machine = "dragonfly-1056"
nodes = "0-63"
[twin]
seed = 5
"""
FAULTS = """[[twin.fault]]
kind = "slow-host"
node = 9
[[twin.fault]]
kind = "ber"
switches = [3, 1]
ber = 1e-8
[[twin.fault]]
kind = "switch"
switch = 12
[[twin.fault]]
kind = "policy"
groups = [1, 0]
[[twin.fault]]
kind = "pcie"
nic = "20:0"
[[twin.fault]]
kind = "flap"
nic = "30:0"
from = 100
"""
PARTS = ["cable 30:0", "cable s1-s3#0", "nic 20:0", "node 9", "port g0-g1#0", "switch 12"]


def run(path, text, out=None, **changes):
    path.write_text(text)
    directory = out or path.with_suffix(".check")
    directory.mkdir(exist_ok=True)
    return running.run(campaign.read(path), directory), directory


def test_a_sound_machine_has_no_finding(tmp_path):
    found, _ = run(tmp_path / "c.toml", SOUND)
    assert found["findings"] == [] and found["broken"] == [] and found["failed"] == []
    assert found["passed"] == list(range(64)) and found["false_alarms"] < 1e-3


def test_each_planted_part_is_named(tmp_path):
    found, directory = run(tmp_path / "c.toml", SOUND + FAULTS)
    assert sorted(one["part"] for one in found["findings"]) == PARTS
    # Nodes of the NICs, the host and the switch; cables between switches concern no node.
    assert found["failed"] == [9, 20, 30, 48, 49, 50, 51]
    for name in output.FILES:
        assert (directory / name).stat().st_size > 0 or name == "not-run.txt", name
    assert (directory / "failed.txt").read_text().splitlines()[0].endswith("9")
    net = formats.read_dgnettest((directory / "sets.txt").read_text())
    assert set(net.rows) == {"bisect", "all2all"}
    tree = ElementTree.parse(directory / "junit.xml")
    assert len(tree.findall(".//failure")) == len(PARTS)
    assert json.loads((directory / "result.json").read_text())["findings"] == found["findings"]
    compile((directory / "reframe_check.py").read_text(), "reframe_check.py", "exec")
    page = (directory / "report.html").read_text()
    assert "switch 12" in page and "<svg" in page and "http" not in page


def test_the_vendor_s_example_is_found(tmp_path):
    """HPE's guide, fabric validation: at group level 42 of 60 GB/s per node, and `PASSED`, because
    no threshold is applied. One level below, a set of two nodes has 43.6, the other 70.2."""
    path = EXAMPLES / "check" / "vendor.toml"
    found, _ = run(tmp_path / "c.toml", path.read_text())
    row = {row["test"]: row for row in found["stages"] if row["values"]}
    slow, sound = (value / 1e9 for value in row["switch bisect"]["values"][:2])
    assert slow == pytest.approx(43.6, rel=0.05) and sound == pytest.approx(70.2, rel=0.05)
    (one,) = found["findings"]
    assert one["part"] == "cable 0:3" and one["stage"] == "switch"
    # From the group down: the part is found by measurements alone.
    text = path.read_text().replace('["switch", "group", "counters"]', '["group"]')
    found, _ = run(tmp_path / "group.toml", text)
    assert found["stages"][0]["values"][0] / 1e9 == pytest.approx(42, rel=0.05)
    (one,) = found["findings"]
    assert one["part"] == "nic 0:3" and one["stage"] == "group"


def test_a_slow_group_without_a_faulty_part_is_a_finding(tmp_path):
    # Every local cable of a group has lost lanes; only the group is tested.
    text = 'stages = ["group"]\nfidelity = "flow"\nerror = 0.1\n' + SOUND
    for a, b in combinations(range(8), 2):
        text += f'[[twin.fault]]\nkind = "lanes"\nswitches = [{a}, {b}]\n'
    found, _ = run(tmp_path / "c.toml", text)
    assert [one["part"] for one in found["findings"]] == ["group 0"]


def test_the_example_of_the_page(odonata, tmp_path):
    example = EXAMPLES / "check" / "twin.toml"
    done = odonata("check", example, "--out", tmp_path / "out", "--quiet")
    failed = [line for line in done.stdout.splitlines() if line.startswith("FAILED")]
    assert done.returncode == 1 and len(failed) == 2
    assert failed[0].startswith("FAILED node 9:") and failed[1].startswith("FAILED cable s1-s3#0:")


@pytest.mark.parametrize("method", ["halves", "groups"])
def test_other_searches_find_a_slow_host(tmp_path, method):
    text = f'isolation = "{method}"\nstages = ["switch"]\n{SOUND}'
    text += '[[twin.fault]]\nkind = "slow-host"\nnode = 21\nlanes = 3\n'
    found, _ = run(tmp_path / "c.toml", text)
    assert [one["part"] for one in found["findings"]] == ["node 21"]
    assert any(method in row["test"] for row in found["stages"])


def test_a_slow_host_is_found_on_a_node_that_failed_for_a_port(tmp_path):
    text = 'machine = "aurora"\nnodes = "0-63"\nstages = ["health", "pairs"]\n'
    text += '[[twin.fault]]\nkind = "policy"\nnic = "9:4"\n'
    alone, _ = run(tmp_path / "port.toml", text)
    assert [one["part"] for one in alone["findings"]] == ["port 9:4"]
    found, _ = run(tmp_path / "both.toml", text + '[[twin.fault]]\nkind = "slow-host"\nnode = 9\n')
    assert [one["part"] for one in found["findings"]] == ["port 9:4", "node 9"]


@pytest.mark.parametrize("fault, place, wanted", [
    ('kind = "slow-host"\nnode = 64', "node", "a node of the campaign"),
    ('kind = "pcie"\nnic = "70:0"', "nic", "a node of the campaign"),
    ('kind = "pcie"\nnic = "7:1"', "nic", "a NIC from 0 to 0"),
    ('kind = "switch"\nswitch = 16', "switch", "a switch to which"),
    ('kind = "lanes"\nswitches = [1, 9]', "switches", "that a cable joins"),
    ('kind = "lanes"\ngroups = [0, 2]', "groups", "that a cable joins"),
    ('kind = "lanes"\ngroups = [0, 1]\ncable = 1', "groups", "the only one"),
])  # fmt: skip
def test_a_planted_fault_outside_the_campaign_is_an_input_error(tmp_path, fault, place, wanted):
    text = f'{SOUND}[[twin.fault]]\nkind = "slow-host"\nnode = 63\n[[twin.fault]]\n{fault}\n'
    with pytest.raises(InputError) as caught:
        run(tmp_path / "c.toml", text)
    (one,) = caught.value.diagnostics
    assert one.at == f"twin.fault.2.{place}" and wanted in one.wanted
    assert not (tmp_path / "c.check" / running.JOURNAL).exists()


@pytest.mark.parametrize("fidelity, most", [("loggp", 0.0), ("flow", 0.01)])
def test_a_test_of_groups_equals_its_parts(fidelity, most):
    """The flow solver's tolerance of 1/64 and its random routes make parts differ slightly."""
    machine = odonata.machine("dragonfly-1056")
    nodes = [node for node in range(96) if node != 40]  # three groups, one of them not whole
    wiring = Wiring(machine, range(96))
    places = [[i for i, node in enumerate(nodes) if node // 32 == group] for group in range(3)]
    test = patterns.set_test("all2all", "t", nodes, 1, places, 65536, 4)
    whole = twin.simulate(machine, test, fidelity)
    found = twin.Predictions(machine, fidelity, wiring).of(test)
    assert found == pytest.approx(whole, rel=most or 1e-12)
    pieces = list(parts.parts_of(test, wiring))
    assert [piece.groups for piece in pieces] == [{0}, {1}, {2}]
    # A whole group is that of the first; the other has no equal but itself, moved.
    assert parts.moved(pieces[2], wiring).key == parts.moved(pieces[0], wiring).key
    assert 8 not in parts.moved(pieces[1], wiring).nodes
    across = patterns.set_test("bisect", "t", nodes, 1, [range(len(nodes))], 65536, 4)
    (piece,) = parts.parts_of(across, wiring)
    assert piece.test is across
    # A pair across groups joins two of three.
    pairs = patterns.Test("t", (0, 1, 32, 64, 65), 1, 8, 1, [[(0, 2), (3, 4)], [(0, 1)]],
                          apart=True)  # fmt: skip
    pieces = list(parts.parts_of(pairs, wiring))
    assert [(piece.groups, piece.places) for piece in pieces] == [({0, 1}, [0, 2]), ({2}, [1])]
    assert pieces[0].test.rounds == [[(0, 2)], [(0, 1)]]


@pytest.mark.parametrize("place, at", [("switch", (16,)), ("switches", (16, 17, 0))])
def test_a_fault_of_a_switch_reaches_traffic_that_crosses_its_group(place, at):
    wiring = Wiring(odonata.machine("dragonfly-1056"), range(96))
    assert wiring.groups[16] == 2
    fault = faults.Planted("lanes", place, at)
    test = patterns.set_test("bisect", "t", range(64), 1, [range(64)], 65536, 4)
    (across,) = parts.parts_of(test, wiring)
    assert across.groups == {0, 1} and parts.touching([fault], across, wiring) == [fault]
    test = patterns.set_test("bisect", "t", range(32), 1, [range(32)], 65536, 4)
    (within,) = parts.parts_of(test, wiring)
    assert within.groups == {0} and parts.touching([fault], within, wiring) == []


def test_neighbors_are_paired_at_their_switches_first(tmp_path):
    # dragonfly-1056: four nodes per switch, eight switches per group.
    path = tmp_path / "c.toml"
    path.write_text(SOUND)
    one = campaign.read(path)
    suite = running.suite_of(one, running.wiring_of(one), Journal(None, ""), tmp_path)
    suite.good = [0, 1, 2, 4, 5, 9, 33, 40, 41]
    # 0-1, 4-5 and 40-41 at a switch; 2-9 in a group; 33 is left over.
    assert suite.neighbors() == [0, 1, 4, 5, 40, 41, 2, 9, 33]
    suite.good = [0, 33]
    assert suite.neighbors() == [0, 33]


def test_congestors_slow_network_tests_only_without_congestion_management():
    """HPE's guide, network_load_test: an impact of 1.0X on Slingshot."""
    aurora = odonata.machine("aurora")
    nodes = tuple(range(8))
    assert load.congestion_impact(aurora, "multiple_allreduce", 8, nodes, 8) < 1.05
    without = aurora.with_({"congestion.management": "off"})
    assert load.congestion_impact(without, "multiple_allreduce", 8, nodes, 8) > 1.1
    tested, groups = load.divided(tuple(range(100)))
    assert len(tested) == 20 and sorted(map(len, groups)) == [20] * 4
    assert sorted(tested + sum(groups, [])) == list(range(100))


def test_a_bad_cable_to_the_servers_of_a_file_system_is_found(tmp_path):
    """Aurora's groups 166 to 173 have DAOS servers; each has one cable to a group of nodes."""
    text = 'machine = "aurora"\nnodes = "0-127"\nstages = ["storage_links"]\nrepeats = 1\n'
    text += '[[twin.fault]]\nkind = "lanes"\ngroups = [1, 168]\n'
    found, _ = run(tmp_path / "c.toml", text)
    assert [one["part"] for one in found["findings"]] == ["storage g1"]
    assert found["failed"] == [] and len(found["passed"]) == 128
    with pytest.raises(InputError, match="that a cable joins"):
        run(tmp_path / "nodes.toml", text.replace("168", "160"))


def test_congestion_by_other_jobs_is_no_faulty_part(tmp_path):
    text = SOUND + '[[twin.fault]]\nkind = "congestion"\nshare = 0.5\nlength = 1e6\n'
    found, _ = run(tmp_path / "c.toml", text)
    assert found["findings"] == []
    assert any("congestion" in words for words in found["observations"])


def test_a_cut_journal_continues_with_the_same_verdict(tmp_path):
    text = SOUND + FAULTS
    whole, directory = run(tmp_path / "c.toml", text)
    journal = directory / running.JOURNAL
    data = journal.read_bytes()
    rng = random.Random(8)
    for _ in range(5):
        journal.write_bytes(data[: rng.randrange(len(data))])
        again, _ = run(tmp_path / "c.toml", text)
        assert again == whole
        # The same measurements, each once.
        assert journal.read_bytes() == data
    again = Journal(journal, running.identity(campaign.read(tmp_path / "c.toml")))
    again.close()
    assert journal.read_bytes() == data and again.added == 0
    with pytest.raises(InputError, match="journal"):
        run(tmp_path / "c.toml", text + "\n# another", directory)


def test_exit_codes_and_output(odonata, tmp_path):
    path = tmp_path / "c.toml"
    path.write_text('stages = ["health", "loopback"]\n' + SOUND)
    done = odonata("check", path, "--quiet")
    assert done.returncode == 0 and done.stderr == "" and "64 nodes passed" in done.stdout
    path.write_text('stages = ["health", "loopback"]\n' + SOUND + FAULTS)
    done = odonata("check", path, "--force", "--json")
    assert done.returncode == 1
    parts = [one["part"] for one in json.loads(done.stdout)["findings"]]
    assert sorted(parts) == ["nic 20:0", "switch 12"]


def test_all_input_errors_are_reported_at_once(odonata, tmp_path):
    path = tmp_path / "c.toml"
    path.write_text(
        'machine = "aurora"\nnodes = "0-20000,?"\nrepeats = 0\nfidelity = "exact"\nrepeat = 2\n'
        'stages = ["loopbak"]\nmargin = 2\n[[twin.fault]]\nkind = "lanes"\nnode = 3\n'
        '[[twin.fault]]\nkind = "flap"\nnic = "a"\n[launcher]\ncommand = "srun {m}"\n'
    )
    done = odonata("check", path)
    assert done.returncode == 2
    for words in (
        "  repeat\n", "stages", "loopback", "margin", "fidelity", "repeats", "0-20000",
        "found   ?\n", "twin.fault.1", "twin.fault.2.nic", "launcher.command", "{m}",
    ):  # fmt: skip
        assert words in done.stderr, (words, done.stderr)
    assert odonata("check").returncode == 2
    assert odonata("check", tmp_path / "absent.toml").returncode == 2


def test_benchmarks_of_the_whole_machine_are_compared_with_predictions(tmp_path):
    stages = ["mbw_mr", "multi_lat", "gpcnet", "gpcnet_load", "sizes", "storage"]
    text = SOUND.replace("dragonfly-1056", "aurora").replace("0-63", "0-7")
    text = f"stages = {json.dumps(stages)}\nrepeats = 1\n{text}"
    found, directory = run(tmp_path / "c.toml", text)
    assert sorted({row["stage"] for row in found["stages"]}) == sorted(stages)
    check_reframe(directory, found)
    assert all(abs(row["center"] - 1) < 0.25 for row in found["stages"])
    assert found["findings"] == [] and found["observations"] == []
    assert {row["seconds"] for row in found["stages"]} == {25.0}
    text += '[[twin.fault]]\nkind = "congestion"\nshare = 0.5\nlength = 1e6\n'
    found, _ = run(tmp_path / "slow.toml", text)
    assert len(found["observations"]) == len(found["stages"])


def check_reframe(directory, found):
    """References and measured values have the same names and units, and pass."""
    text = (directory / "reframe_check.py").read_text()
    space = {}
    body = text[text.index("def values(") :]
    exec("import re\n" + text[text.index("SCALE =") :].partition("\n")[0] + "\n" + body, space)
    values = list(space["values"](found))
    wanted = list(output.references(found, 0.25))
    assert [(name, unit) for name, _, unit in values] == [(row[0], row[-1]) for row in wanted]
    assert len({name for name, *_ in values}) == len(values)
    units = dict((name, unit) for name, _, unit in values)
    assert units["mbw_mr_1048576"] == "MB/s" and units["multi_lat_8"] == "us"
    assert units["rr_lat_loaded_8"] == "x"
    for (_, value, _), (_, expected, lower, upper, _) in zip(values, wanted, strict=True):
        assert lower is None or value > expected * (1 + lower)
        assert upper is None or value < expected * (1 + upper)
    # A latency of 2 us, and one a third longer, which the error bar of rates just excludes.
    row = {"test": "multi_lat 8", "unit": "1/s", "values": [1 / 2e-6], "predicted": [1 / 2e-6],
           "is_judged": True}  # fmt: skip
    ((name, expected, lower, upper, unit),) = output.references({"stages": [row]}, 0.25)
    assert (name, lower, unit) == ("multi_lat_8", None, "us")
    assert expected == pytest.approx(2) and upper == pytest.approx(1 / 3, abs=1e-4)


# A real launcher


STANDIN = """#!/usr/bin/env python3
# Stands for the launcher: prints a time for each pair and rank of the plan. Host h5 is slow.
import sys
hosts = sys.argv[sys.argv.index("--hosts") + 1].split(",")
for nth, line in enumerate(l for l in open(sys.argv[-1]) if l.startswith("round")):
    for pair in line.split()[1:]:
        a, b = map(int, pair.split("-"))
        seconds = 0.002 if "h5" in (hosts[a], hosts[b]) else 0.001
        print("pair", nth, min(a, b), max(a, b), seconds, 1)
for rank in range(len(hosts)):
    print("rank", rank, 0.001)
print("MPICH Slingshot Network Summary: 3 network timeouts")
"""


def test_a_real_machine_is_measured_by_commands(tmp_path):
    launcher = tmp_path / "launch"
    launcher.write_text(STANDIN)
    launcher.chmod(0o755)
    (tmp_path / "net.txt").write_text(DGNETTEST)
    (tmp_path / "ior.txt").write_text("Max Write: 100.00 MiB/sec (104.86 MB/sec)\n"
                                      "Max Read:  200.00 MiB/sec (209.72 MB/sec)\n")  # fmt: skip
    hosts = ", ".join(f'"h{i}={i}"' for i in range(16))
    found, _ = run(tmp_path / "c.toml", f"""machine = "dragonfly-1056"
nodes = [{hosts}]
stages = ["pairs", "switch", "storage", "storage_links"]
reference = "sets"
[launcher]
command = "{launcher} -n {{n}} --hosts {{hosts}} {{program}}"
program = "launch"
[commands]
switch = "cat {tmp_path}/net.txt"
storage = "cat {tmp_path}/ior.txt"
storage_links = "cat {tmp_path}/ior.txt"
""")
    assert found["broken"] == [] and found["network_timeouts"] > 0
    # A host with one NIC: without a loopback the two are not distinguished.
    assert [one["part"] for one in found["findings"]] == ["node 5"]
    tests = {row["test"]: row for row in found["stages"]}
    assert tests["dgnettest bisect"]["values"] == [70_100e6, 43_600e6]
    assert tests["ior_read 4194304"]["values"] == [200 * 2**20]
    # The duration of the commands, and not that of the twin.
    timed = [row["seconds"] for row in found["stages"] if row["stage"].startswith("storage")]
    assert len(timed) == 3 and all(0 <= seconds < 25 for seconds in timed)
    # 15 nodes are left in the only group.
    assert tests["IOR write by group"]["values"] == [100 * 2**20 / 15]
    assert any("FAILED" in words for words in found["observations"])


@pytest.mark.parametrize("fidelity, is_judged", [("loggp", False), ("flow", True)])
def test_the_system_is_not_judged_by_a_model_without_contention(tmp_path, fidelity, is_judged):
    launcher = tmp_path / "launch"
    launcher.write_text(STANDIN.replace('"rank", rank, 0.001', '"rank", rank, 1.0'))
    launcher.chmod(0o755)
    found, directory = run(tmp_path / "c.toml", f"""machine = "dragonfly-1056"
nodes = ["a=0", "b=1", "c=32", "d=33"]
stages = ["system"]
fidelity = "{fidelity}"
[launcher]
command = "{launcher} -n {{n}} --hosts {{hosts}} {{program}}"
program = "launch"
""")
    assert found["broken"] == [] and len(found["stages"]) == 2
    # The stand-in is much slower than any prediction.
    assert [one["part"] for one in found["findings"]] == (["system"] if is_judged else [])
    assert any("not judged" in words for words in found["observations"]) != is_judged
    assert [row["slow"] for row in found["stages"]] == [int(is_judged)] * 2
    assert ('class="bad">0.' in (directory / "report.html").read_text()) == is_judged
    lower = -0.25 if is_judged else None
    assert [row[2:4] for row in output.references(found, 0.25)] == [(lower, None)] * 2


def test_links_of_a_real_machine_are_tested_with_variables_of_their_own(tmp_path):
    launcher = tmp_path / "launch"
    log = f'open("{tmp_path}/seen", "a").write(os.environ.get("ROUTE", "adaptive") + "\\n")\n'
    launcher.write_text(STANDIN.replace("import sys\n", f"import os, sys\n{log}"))
    launcher.chmod(0o755)
    (tmp_path / "ior").write_text(f'#!/bin/sh\necho "${{ROUTE:-adaptive}}" >>{tmp_path}/seen\n'
                                  'echo "Max Write: 100.00 MiB/sec (104.86 MB/sec)"\n'
                                  'echo "Max Read: 100.00 MiB/sec (104.86 MB/sec)"\n')  # fmt: skip
    (tmp_path / "ior").chmod(0o755)
    text = f"""machine = "dragonfly-1056"
nodes = ["a=0", "b=1", "c=4", "d=5"]
stages = ["pairs", "links", "storage", "storage_links"]
reference = "sets"
repeats = 1
[commands]
storage = "{tmp_path}/ior"
storage_links = "{tmp_path}/ior"
[launcher]
command = "{launcher} -n {{n}} --hosts {{hosts}} {{program}}"
program = "launch"
"""
    found, _ = run(tmp_path / "plain.toml", text)
    assert (tmp_path / "seen").read_text().split() == ["adaptive"] * 4
    assert [words.partition(":")[0] for words in found["observations"]
            if "adaptive routing" in words] == ["links", "storage_links"]  # fmt: skip
    (tmp_path / "seen").unlink()
    found, _ = run(tmp_path / "c.toml", text + 'minimal_env = { ROUTE = "minimal" }\n')
    assert (tmp_path / "seen").read_text().split() == ["adaptive", "minimal"] * 2
    assert found["broken"] == [] and found["observations"] == []


def test_the_test_program_is_compiled_once_per_source_and_compiler(tmp_path, monkeypatch):
    compiler = tmp_path / "cc"
    compiler.write_text(f"#!/bin/sh\necho x >>{tmp_path}/calls\ncp \"$4\" \"$3\"\n")
    compiler.chmod(0o755)
    source = tmp_path / "fabric_test.c"
    monkeypatch.setattr(launched, "SOURCE", source)
    path = tmp_path / "c.toml"
    path.write_text(
        'machine = "dragonfly-1056"\nnodes = ["a", "b"]\n[launcher]\n'
        f'command = "run -n {{n}} {{program}}"\ncompiler = "{compiler}"\n'
    )
    read = campaign.read(path)
    assert read.fidelity == "flow"  # a real machine has contention
    runs = launched.Launched(read, tmp_path)
    for text, calls in (("one", 1), ("one", 1), ("two", 2)):
        source.write_text(text)
        program = Path(runs.program())
        assert program.read_text() == text
        assert (tmp_path / "calls").read_text().count("x") == calls


def test_a_launcher_that_fails_is_no_verdict(odonata, tmp_path):
    path = tmp_path / "c.toml"
    path.write_text(
        'machine = "dragonfly-1056"\nnodes = ["a", "b"]\nreference = "sets"\nstages = ["pairs"]\n'
        '[launcher]\ncommand = "false -n {n} {program}"\nprogram = "c.toml"\n'
    )
    done = odonata("check", path, "--quiet")
    assert done.returncode == 2 and "NOT RUN pairs: pairs: `false` ended with 1" in done.stdout


# Prolog and epilog


@pytest.fixture
def node(tmp_path):
    """A node with two NICs whose tools print the real texts, and the scheduler's commands."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for nic in range(2):
        (tmp_path / "cxi" / f"cxi{nic}" / "device" / "link_restarts").mkdir(parents=True)
    (tmp_path / "services").write_text("1\n")
    texts = {
        "cxi_healthcheck": f"cat {tmp_path}/health",
        "cxi_gpu_loopback_bw": f'sed -n "s/^nid0: //p" {tmp_path}/loopback-$2',
        "cxi_service": f"""case $1 in
            list) sed 's/^/ ID: /' {tmp_path}/services ;;
            delete) [ ! -e {tmp_path}/stuck ] && echo "$5" >>{tmp_path}/deleted ;;
        esac""",
        "dmesg": f"cat {tmp_path}/kernel",
        "scontrol": f'echo "$*" >>{tmp_path}/scontrol',
    }
    for name, body in texts.items():
        (tools / name).write_text(f"#!/bin/sh\n{body}\n")
        (tools / name).chmod(0o755)
    (tmp_path / "health").write_text(formats.healthcheck("nid0", [set(), set()]))
    (tmp_path / "kernel").write_text("")
    for nic in range(2):
        (tmp_path / f"loopback-cxi{nic}").write_text(formats.loopback("nid0", [185.0]))
    env = {"PATH": f"{tools}:/usr/bin:/bin", "SLURM_JOB_ID": "7", "SLURMD_NODENAME": "n1"}
    env |= {"STATE_DIR": str(tmp_path / "state"), "DEVICES": str(tmp_path / "cxi")}

    def script(name, *words):
        path = EXAMPLES / "check" / f"{name}.sh"
        return subprocess.run(["bash", path, *words], env=env, capture_output=True, text=True,
                              check=False)  # fmt: skip

    script.path = tmp_path
    return script


def test_a_sound_node_passes_prolog_and_epilog(node):
    for name in ("prolog", "epilog"):
        done = node(name)
        assert (done.returncode, done.stderr) == (0, ""), name
    assert not (node.path / "scontrol").exists()
    assert list((node.path / "state").iterdir()) == []


@pytest.mark.parametrize("fault, words", [
    ("health", "cxi_healthcheck: pci_check"), ("loopback", "cxi1: loopback 92.00 Gbit/s"),
    ("tool", "printed no check"),
])  # fmt: skip
def test_the_prolog_refuses_a_bad_node(node, fault, words):
    if fault == "health":
        (node.path / "health").write_text(formats.healthcheck("nid0", [{"pci_check"}, set()]))
    elif fault == "loopback":
        (node.path / "loopback-cxi1").write_text(formats.loopback("nid0", [92.0]))
    else:
        (node.path / "health").unlink()
    done = node("prolog")
    assert done.returncode == 1 and words in done.stderr


@pytest.mark.parametrize("fault, words", [
    ("flap", "cxi0: 1 flaps during job 7"), ("service", "CXI service 9 of job 7 remains"),
    ("error", "1 hardware errors"),
])  # fmt: skip
def test_the_epilog_drains_a_node_and_undrains_it(node, fault, words):
    assert node("prolog").returncode == 0
    if fault == "flap":
        (node.path / "cxi/cxi0/device/link_restarts/time_0").write_text("1790000000\n")
    elif fault == "service":
        (node.path / "services").write_text("1\n9\n")
        (node.path / "stuck").write_text("")
    else:
        (node.path / "kernel").write_text("[Hardware Error]: section_type: PCIe error\n")
    done = node("epilog")
    assert done.returncode == 1 and words in done.stderr
    assert "State=DRAIN" in (node.path / "scontrol").read_text()
    assert node("epilog", "--undrain").returncode == 0
    assert "State=RESUME" in (node.path / "scontrol").read_text().splitlines()[-1]


def test_the_epilog_removes_services_that_the_job_left(node):
    assert node("prolog").returncode == 0
    (node.path / "services").write_text("1\n9\n")
    assert node("epilog").returncode == 0
    assert (node.path / "deleted").read_text().split() == ["9", "9"]  # on both NICs
    assert not (node.path / "scontrol").exists()


def test_the_page_of_scores_is_that_of_its_rows():
    figures = Path(__file__).parents[2] / "docs" / "figures"
    spec = importlib.util.spec_from_file_location("fabric_check", figures / "fabric_check.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    text = module.PAGE.read_text(encoding="utf-8")
    assert module.page(figures / "fabric_check.jsonl") == text, "docs/figures/fabric_check.py page"
    # A missed fault and a false alarm, counted by hand.
    row = {"size": 128, "number": 0, "planted": ["a", "b"], "named": ["a", "c"], "hits": 1,
           "false": ["c"], "right": 1, "rounds": 10, "node_seconds": 7200.0, "congestion": True,
           "rule_hits": 1, "rule_false": 0, "rule_node_seconds": 3600.0, "cpu_s": 1.0,
           "faults": [["lanes", True, True, False], ["lanes", False, False, True]]}  # fmt: skip
    lines = module.scores([row])
    assert lines[2] == "| 128 | 1 | 2 | 0.500 | 0.500 | 1.000 | 10 | 2 |"
    assert module.by_kind([row])[-1] == "| `lanes` | 2 | 1 | 1 | 1 |"
    # Rows of earlier versions have no kinds. Kinds of another series are not in the table.
    rows = [{**row, "series": 3}, {**row, "series": 2, "number": 1},
            {**row, "series": 2, "number": 2, "faults": []}]  # fmt: skip
    text = " ".join(module.table(rows).split())
    assert text.endswith("| `lanes` | 2 | 1 | 1 | 1 |")
    assert "series 3 rests on 2 faults" in text and "For 2 faults of fresh seeds no kind" in text
    for row in module.read_rows(figures / "fabric_check.jsonl"):
        if row["faults"] or module.key_of(row)[0] > 2:
            assert len(row["faults"]) == len(row["planted"]), module.key_of(row)


def test_a_file_that_is_no_journal_is_kept(tmp_path):
    path = tmp_path / "journal.jsonl"
    for text in ("my notes\n", '{"campaign": "x"}\n{"key": "a", "value": 1}\n'):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InputError):
            Journal(path, "campaign")
        assert path.read_text(encoding="utf-8") == text


def test_an_incomplete_last_line_of_a_journal_is_dropped(tmp_path):
    path = tmp_path / "journal.jsonl"
    journal = Journal(path, "campaign")
    journal.put("a", 1)
    journal.close()
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole + '{"key": "b"', encoding="utf-8")
    journal = Journal(path, "campaign")
    journal.close()
    assert journal.found == {"a": 1} and path.read_text(encoding="utf-8") == whole
