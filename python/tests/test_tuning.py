"""`odonata tune`: its output and files, and rule files in other commands."""

from __future__ import annotations

import json
import re

import odonata as od
import pytest

MACHINE = "dragonfly-1056"


def tune(odonata, *arguments, **more):
    common = ("tune", "allgather", "--machine", MACHINE, "--ppn", 4, "--quiet")
    return odonata(*common, *arguments, **more)


def test_every_algorithm_is_in_the_rows_and_one_wins(odonata, tmp_path):
    out = tmp_path / "tuned"
    done = tune(odonata, "--nodes", "8,2", "--sizes", "8,64Ki", "--json", "--out", out)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    calls = {}
    for row in summary["rows"]:
        calls.setdefault((row["nodes"], row["bytes"]), []).append(row)
    assert list(calls) == [(2, 8), (2, 65536), (8, 8), (8, 65536)]
    for rows in calls.values():
        # 8 and 32 ranks are powers of two.
        names = {row["algorithm"] for row in rows}
        radices = {f"k_brucks:{k}" for k in (4, 8)} | {f"recexch_doubling:{k}" for k in (2, 4, 8)}
        radices |= {f"recexch_halving:{k}" for k in (2, 4)}
        assert names == {"brucks", "neighbor", "recursive_doubling", "ring"} | radices
        winner = [row for row in rows if row["is_winner"]]
        assert len(winner) == 1
        mpich = [row for row in rows if row["algorithm"] != "neighbor"]
        assert winner[0]["latency_s"] == min(row["latency_s"] for row in mpich)
        assert sum(row["is_default"] for row in rows) == 1
        assert all(row["rounds_played"] == row["rounds"] for row in rows)
        assert {(row["method"], row["error"]) for row in rows} == {("exact", 0.0)}
    assert sorted(p.name for p in out.iterdir()) == [
        "mpich.json", "openmpi.conf", "rows.parquet", "summary.json"
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["mpich.json", "openmpi.conf"])
def test_found_rules_are_applied_by_other_commands(odonata, tmp_path, name):
    sizes = [8, 512, 4096, 1 << 16]
    mpi = "mpich" if name == "mpich.json" else "openmpi"
    found = od.tune("allgather", od.machine(MACHINE), nodes=[3, 8], ppn=4, sizes=sizes, mpi=mpi)
    file = tmp_path / name
    file.write_text(found.files[name])
    for nodes in (3, 8):
        done = odonata(
            *("bench", "allgather", "--machine", MACHINE, "--nodes", nodes, "--ppn", 4),
            *("--sizes", ",".join(map(str, sizes)), "--fidelity", "loggp", "--mpi", mpi),
            *("--coll-rules", file, "--json", "--quiet"),
        )
        assert done.returncode == 0, done.stderr
        chosen = [row["algorithm"] for row in json.loads(done.stdout)["rows"]]
        winners = [r for r in found.rows if r["is_winner"] and r["nodes"] == nodes]
        # Rows of a benchmark have no radix.
        won = [r["algorithm"].split(":")[0] for r in winners]
        assert chosen == won
        assert len(set(chosen)) > 1


def test_one_line_per_size_and_a_table_of_all_algorithms(odonata):
    done = tune(odonata, "--nodes", "2,4", "--sizes", "8,64Ki", "--all")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "# 2 nodes x 4: 8 ranks" in lines and "# 4 nodes x 4: 16 ranks" in lines
    assert sum(line.startswith("# bytes  fastest") for line in lines) == 2
    rounds = next(line for line in lines if line.startswith("# rounds")).split()[2:]
    # [docs/models/collectives.md] for 8 ranks: log2 p, log2 p, p - 1, p / 2.
    assert rounds[:4] == ["3", "3", "7", "4"]
    # Rounds are digits of 8 by radix: k_brucks 4, 8; exchanges 2, 4, 8 nearest first, where radix 4
    # folds half of the ranks; exchanges 2 and 4 farthest first, after a swap.
    assert rounds[4:] == ["2", "1", "3", "3", "1", "4", "4"]


def test_one_node_is_labeled_in_the_singular(odonata):
    done = tune(odonata, "--nodes", "1,2", "--sizes", 8)
    heads = [line for line in done.stdout.splitlines() if " x 4: " in line]
    assert heads == ["# 1 node x 4: 4 ranks", "# 2 nodes x 4: 8 ranks"]


def test_too_many_messages_are_omitted_or_sampled(odonata):
    options = ("--nodes", "64", "--sizes", "8", "--messages", "20000")
    done = tune(odonata, *options, "--all")
    assert done.returncode == 0, done.stderr
    # Two groups of 32 nodes with 4 ranks each: one represents both, and 20,000 / 128 is 156.
    assert re.search(
        r"# ~ ring sampled: 156 of 255 rounds, 128 of 256 ranks, ±<?[0-9.]+ %", done.stdout
    )
    assert re.search(r"8 B .* ~[0-9.]+ µs", done.stdout)
    done = tune(odonata, *options, "--json")
    ring = next(r for r in json.loads(done.stdout)["rows"] if r["algorithm"] == "ring")
    assert ring["method"] == "sampled" and ring["rounds_played"] == 156
    assert ring["ranks_played"] == 128 and 0 <= ring["error"] < 0.05
    # On random nodes no rank represents another, and neighbors wait for each other.
    done = tune(odonata, *options, "--all", "--placement", "random")
    assert "# not simulated where marked -: a call has more messages" in done.stdout
    wanted = re.search(r"#   neighbor: --messages (\d+), less than a minute", done.stdout)
    assert wanted, done.stdout
    # With the stated budget the algorithm is simulated.
    more = ("--nodes", "64", "--sizes", "8", "--messages", wanted[1], "--placement", "random")
    rows = json.loads(tune(odonata, *more, "--json").stdout)["rows"]
    neighbor = next(r for r in rows if r["algorithm"] == "neighbor")
    assert neighbor["latency_s"] > 0 and neighbor["messages_wanted"] is None


def test_a_sampled_collective_of_a_benchmark_states_its_sample(odonata):
    options = ("--machine", MACHINE, "--nodes", 96, "--ppn", 4, "--sizes", "512")
    options = ("bench", "allgather", *options, "--fidelity", "loggp", "--quiet")
    done = odonata(*options, "--messages", 20000)
    assert done.returncode == 0, done.stderr
    assert "# ~ ring sampled: 156 of 383 rounds, 128 of 384 ranks" in done.stdout
    part, whole = (
        json.loads(odonata(*options, "--json", *more).stdout)["rows"][0]
        for more in (("--messages", 20000), ())
    )
    assert (part["method"], whole["method"]) == ("sampled", "exact")
    assert part["latency_s"] == pytest.approx(whole["latency_s"], rel=0.02)


def test_error_bars_of_a_prediction(odonata):
    options = ("bench", "allreduce", "--machine", MACHINE, "--nodes", 32, "--ppn", 2)
    options += ("--sizes", "8,4Ki", "--fidelity", "loggp", "--quiet")
    done = odonata(*options, "--error-bars")
    assert done.returncode == 0, done.stderr
    output, _, _, *lines = [line for line in done.stdout.splitlines()[2:]]
    assert "packets against loggp on replicas of 4, 8, 16 nodes" in output
    summary = json.loads(odonata(*options, "--error-bars", "--json").stdout)
    lines = [line for line in lines if not line.startswith("#")]
    for line, row in zip(lines, summary["rows"], strict=True):
        size, latency, low, high, nodes, off, _ = line.split()
        assert (int(size), int(nodes)) == (row["bytes"], row["twin_nodes"]) == (int(size), 16)
        assert float(latency) == pytest.approx(row["latency_s"] * 1e6, abs=0.006)
        assert float(low) == pytest.approx(float(latency) * (1 + row["band_low"]), abs=0.02)
        assert float(high) == pytest.approx(float(latency) * (1 + row["band_high"]), abs=0.02)
        errors = [r["error"] for r in summary["twins"] if r["bytes"] == row["bytes"]]
        assert len(errors) == 6 and max(errors, key=abs) == row["twin_error"]
        assert float(off) == pytest.approx(100 * row["twin_error"], abs=0.06)
    # No replica is small enough: columns exist, but no error bars.
    done = odonata(*options, "--error-bars", "--replica-packets", 1)
    assert "error bars: none" in done.stdout
    assert re.search(r"^8 +[0-9.]+ +- +- +- +-$", done.stdout, re.MULTILINE)
    done = odonata(*options, "--error-bars", "--fidelity", "packet")
    assert done.returncode == 2 and "\n  --fidelity\n    found   packet\n" in done.stderr


def test_auto_takes_the_cheapest_fidelity_within_the_tolerance(odonata):
    options = ("bench", "alltoall", "--machine", MACHINE, "--nodes", 16, "--sizes", "16Ki")
    bars = (*options, "--fidelity", "loggp", "--error-bars", "--json", "--quiet")
    row = json.loads(odonata(*bars).stdout)["rows"][0]
    reach = max(-row["band_low"], row["band_high"])
    auto = (*options, "--fidelity", "auto", "--quiet")
    done = odonata(*auto, "--tolerance", f"{101 * reach}%")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^# auto: loggp at 16,384 B .* %, within .*: chosen$", done.stdout, re.M)
    assert "loggp fidelity" in done.stdout and "# error bars: packets against" in done.stdout
    summary = json.loads(odonata(*auto, "--tolerance", 0.99 * reach, "--json").stdout)
    first, *_, last = summary["candidates"]
    assert (first["fidelity"], first["why"], first["is_chosen"]) == ("loggp", "too wide", False)
    assert last["is_chosen"] and last["fidelity"] == summary["fidelity"] != "loggp"
    # No fidelity is accurate enough, and packets are too many.
    done = odonata(*auto, "--tolerance", "0.0001%", "--messages", 1000)
    assert done.returncode == 2 and "\n  --tolerance\n" in done.stderr
    assert "packet at 16384 B, a call of more than 1000 packets" in done.stderr
    for wrong in (("--fidelity", "auto"), ("--tolerance", "5%"), (*auto[-3:], "--tolerance", "x")):
        done = odonata(*options, *wrong)
        assert done.returncode == 2 and "\n  --tolerance\n" in done.stderr, wrong


def test_all_mistakes_are_reported_at_once(odonata, tmp_path):
    rules = tmp_path / "rules.json"
    rules.write_text('{"collective=allgather": {"avg_msg_size<=8": {}, "any": {}}}')
    done = odonata("tune", "allgathr", "--machine", MACHINE, "--nodes", "2;4", "--messages", "few")
    assert done.returncode == 2
    for part in ("COLLECTIVE", "did you mean `allgather`?", "--nodes", "2;4", "--messages", "few"):
        assert part in done.stderr, part
    done = odonata(
        *("bench", "allgather", "--machine", MACHINE, "--nodes", 4, "--coll-rules", rules),
    )
    assert done.returncode == 2
    assert "--coll-rules" in done.stderr and "expected `total_msg_size`" in done.stderr
    none = tmp_path / "none.json"
    done = odonata("bench", "allgather", "--machine", MACHINE, "--coll-rules", none)
    assert done.returncode == 2 and "No such file" in done.stderr


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('{"collective=bcast": ', "JSON as in MPICH's tuning files (EOF while parsing"),
        ('{"collective=bcast": 3}', "JSON as in MPICH's tuning files (invalid type: integer `3`"),
        ("hello\n", "numbers as in Open MPI's rules, or MPICH's JSON, from a brace on (line 1: "),
    ],
)
def test_errors_of_invalid_rules_show_the_format(odonata, tmp_path, text, wanted):
    (tmp_path / "rules").write_text(text)
    done = odonata("bench", "bcast", "--machine", MACHINE, "--coll-rules", "rules")
    assert done.returncode == 2 and f"    wanted  {wanted}" in done.stderr, done.stderr
    with pytest.raises(od.InputError) as caught:
        job = od.machine(MACHINE).job(nodes=2, coll_rules=tmp_path / "rules")
        od.bench.bcast(job, sizes=[8])
    assert [c.wanted.startswith(wanted) for c in caught.value.diagnostics] == [True]


def test_an_algorithm_that_is_not_modeled_is_noted(odonata, tmp_path):
    rules = tmp_path / "rules.conf"
    # Algorithm 1 of allgather is Open MPI's linear algorithm.
    rules.write_text("1 0 1\n0 1\n0 1 0 0\n")
    options = ("--machine", MACHINE, "--nodes", 4, "--sizes", "8", "--coll-rules", rules)
    done = odonata("bench", "allgather", *options, "--mpi", "openmpi")
    assert done.returncode == 0, done.stderr
    assert "algorithm 1 is not modeled" in done.stderr


def test_concurrent_jobs_follow_a_rule_file(odonata, tmp_path):
    rules = tmp_path / "rules.conf"
    # Algorithm 4 of allgather, whose number is 0, is the ring.
    rules.write_text("1 0 1\n0 1\n0 4 0 0\n")
    job = "[[job]]\nbench = 'allgather'\nbytes = 8\nranks = 4\n"
    (odonata.cwd / "jobs.toml").write_text(job)
    common = ("run", "--jobs", "jobs.toml", "--machine", MACHINE, "--json", "--no-alone")
    chosen = []
    for more in ((), ("--coll-rules", rules)):
        done = odonata(*common, *more)
        assert done.returncode == 0, done.stderr
        chosen.append(json.loads(done.stdout)["jobs"][0]["bench"]["algorithm"])
    assert chosen == ["recursive_doubling", "ring"]
    rules.write_text("1 0 1\n0 1\n0 1 0 0\n")
    done = odonata(*common, "--coll-rules", rules)
    assert "rules.conf: allgather: algorithm 1 is not modeled" in done.stderr
    # Files named in the programs' environments are not read, which a note states.
    named = "env = {MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE = 'none.json'}\n"
    (odonata.cwd / "jobs.toml").write_text(f"[[job]]\nprogram = 'true'\nranks = 1\n{named}")
    assert "not modeled: MPIR_CVAR_COLL_SELECTION" in odonata(*common).stderr


def test_the_library_honors_the_variable_of_a_rule_file():
    mpich = {"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE": "none.json"}
    openmpi = {
        "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
        "OMPI_MCA_coll_tuned_dynamic_rules_filename": "none.json",
    }
    for mpi, mine, others in (("mpich", mpich, openmpi), ("openmpi", openmpi, mpich)):
        job = od.machine(MACHINE).job(nodes=1, mpi=mpi)
        with pytest.raises(od.InputError, match="none.json"):
            od.run(job, ["true"], env=mine)
        assert od.run(job, ["true"], env=others).exit_code == 0


def test_the_figure_has_a_line_per_algorithm(tmp_path):
    found = od.tune("allgather", od.machine(MACHINE), nodes=[2, 8], ppn=4, sizes=[8])
    axes = found.plot()
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        "recursive_doubling", "brucks", "ring", "neighbor", "k_brucks:4", "k_brucks:8",
        "recexch_doubling:2", "recexch_doubling:4", "recexch_doubling:8", "recexch_halving:2",
        "recexch_halving:4",
    ]  # fmt: skip
    # Distinguishable in gray, too.
    assert len({(line.get_linestyle(), line.get_marker()) for line in axes.lines}) == 11
    assert found.table.num_rows == 22
    saved = tmp_path / "saved"
    found.save(saved)
    assert (saved / "mpich.json").read_text() == found.files["mpich.json"]
    # A replacement leaves no file of the old result, and touches no other file.
    (saved / "notes.txt").write_text("mine")
    found.summary["files"] = [f for f in found.summary["files"] if f["name"] != "mpich.json"]
    found.save(saved, force=True)
    assert sorted(path.name for path in saved.iterdir()) == [
        "notes.txt", "openmpi.conf", "rows.parquet", "summary.json"
    ]  # fmt: skip
