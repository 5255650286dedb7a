"""Application models: calls, times, errors, and the comparison with a program."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import odonata as od
from odonata import app, core, tuning
from odonata.app import checking, report, running, shapes
from odonata.commands import app as command
from odonata.errors import InputError, SimulatedFailure

MACHINE = od.machine("dragonfly-1056")
EXAMPLES = Path(__file__).parents[2] / "examples"
COMPILER = Path(od.__file__).parent / "_bin" / "odonata-mpicc"


def calls_of(function, ranks: int, **more):
    """The calls of a model by rank: operation, partner and bytes."""
    model = app.App(function, **more)
    phases = model.phases(ranks, 1, model.values(None, {}))
    answer = checking.calls_of(phases)
    return [[(op, peer, size) for op, _, peer, size, *_ in rows] for rows in answer["ranks"]]


def sends(calls):
    return sorted((rank, peer, size) for rank, rows in enumerate(calls)
                  for op, peer, size in rows if op == "send")  # fmt: skip


def receives(calls):
    return sorted((peer, rank, size) for rank, rows in enumerate(calls)
                  for op, peer, size in rows if op == "recv")  # fmt: skip


def timed(function, nodes=4, ppn=2, **more):
    given = {key: more.pop(key) for key in ("fidelity", "seed", "messages") if key in more}
    return app.run(app.App(function, ppn=ppn, **more), MACHINE, nodes=nodes, **given)


# Shapes and samples


@pytest.mark.parametrize("ranks, shape", [(8, (2, 2, 2)), (12, (3, 2, 2)), (7, (7, 1, 1)),
                                          (127_488, (83, 48, 32))])  # fmt: skip
def test_grids_are_balanced(ranks, shape):
    found = shapes.balanced(ranks, 3)
    assert found == shape


@pytest.mark.parametrize("count", [1, 2, 29, 30, 31, 1000])
def test_sampled_sums_of_lines_are_exact(count):
    at = shapes.sample(count, 30)
    weights = shapes.weights(at, count)
    assert at[0] == 0 and at[-1] == count - 1 and len(at) <= 30
    for line in (lambda k: 1.0, lambda k: 3.0 * k - 7.0):
        exact = math.fsum(line(k) for k in range(count))
        found = math.fsum(w * line(k) for w, k in zip(weights, at, strict=True))
        assert found == pytest.approx(exact, rel=1e-12)


# Calls, against closed forms


@pytest.mark.parametrize("order", ["isend", "send"])
def test_halos_send_faces_edges_and_corners(order):
    box = (4, 5, 6)
    calls = calls_of(lambda a: a.halo(width=2, bytes=8, order=order), 27, grid=3, box=box)
    found = sends(calls)
    assert found == receives(calls)
    # 3 x 3 x 3: (3 * 3 - 2)^3 - 27 directed pairs of neighbors; the middle rank has 26.
    assert len(found) == 7**3 - 27
    middle = sorted(size for rank, _, size in found if rank == 13)
    faces = [2 * a * b * 8 for a, b in ((4, 5), (4, 6), (5, 6)) for _ in range(2)]
    edges = [4 * n * 8 for n in box for _ in range(4)]
    assert middle == sorted([*faces, *edges, *[8 * 8] * 8])


def test_sweeps_cover_the_corners_with_six_messages():
    calls = calls_of(lambda a: a.halo(periodic=True, order="sweep"), 27, grid=3, box=(4, 4, 4))
    assert all(sum(op == "send" for op, *_ in rows) == 6 for rows in calls)
    assert sends(calls) == receives(calls)
    sizes = sorted(size // 8 for rank, _, size in sends(calls) if rank == 0)
    assert sizes == [16, 16, 24, 24, 36, 36]


@pytest.mark.parametrize("q", [2, 3, 5, 8, 13])
@pytest.mark.parametrize("algorithm", ["1ring", "1ringM", "2ring", "2ringM", "long", "longM"])
def test_panels_reach_every_rank(q, algorithm):
    size = 8 * 5 * 13 * q
    calls = calls_of(lambda a: a.panel_bcast(size, axis=1, root=1, algorithm=algorithm), 2 * q,
                     grid=lambda ranks: (2, q))  # fmt: skip
    found = sends(calls)
    assert found == receives(calls)
    for row in range(2):
        root = row * q + 1
        ranks = range(row * q, row * q + q)
        got = {rank: sum(n for _, to, n in found if to == rank) for rank in ranks}
        if algorithm.startswith("long"):
            # All pieces but the own one arrive by the ring, and each rank has one piece before.
            assert all(got[rank] >= size * (q - 1) // q for rank in ranks), got
        else:
            assert got == {rank: 0 if rank == root else size for rank in ranks}
            assert sum(from_ in ranks for from_, *_ in found) == q - 1


@pytest.mark.parametrize("p", [2, 3, 4, 6, 8])
def test_binary_exchange_takes_the_logarithm(p):
    calls = calls_of(lambda a: a.swap_rows(800, axis=0, algorithm="binary"), p, grid=1)
    found = sends(calls)
    power = 1 << (p.bit_length() - 1)
    assert found == receives(calls)
    assert len(found) == power * int(math.log2(power)) + 2 * (p - power)


def test_sparse_messages_match_and_have_their_mean():
    calls = calls_of(
        lambda a: a.sparse(4800, spread=app.normal(0.1), probability=0.5, partners=20, grain=24),
        200,
    )
    found = sends(calls)
    assert found == receives(calls)
    # 4,000 possible messages: 2,000 expected, six standard deviations are 190.
    assert 1810 < len(found) < 2190
    assert all(size % 24 == 0 for *_, size in found)
    assert sum(n for *_, n in found) / len(found) == pytest.approx(4800, rel=0.02)


def test_collectives_are_of_rows_and_columns():
    def step(a):
        a.allreduce(8, axes=1)
        a.bcast(80, axes=0, root=1)

    model = app.App(step, grid=lambda ranks: (2, 3))
    phases = model.phases(6, 1, {})
    answer = checking.calls_of(phases)
    members = {int(key): found for key, found in answer["communicators"].items()}
    first = {rank: members[rows[0][5]] for rank, rows in enumerate(answer["ranks"])}
    second = {rank: members[rows[1][5]] for rank, rows in enumerate(answer["ranks"])}
    assert first == {r: [0, 1, 2] if r < 3 else [3, 4, 5] for r in range(6)}
    assert second == {r: [r % 3, r % 3 + 3] for r in range(6)}


# Times


def test_computation_takes_its_time():
    result = timed(lambda a: a.compute(seconds=0.25))
    assert result.rows[0]["time_s"] == pytest.approx(0.25, rel=1e-9)


def test_loops_are_multiplied():
    def step(a):
        with a.loop(1000), a.loop(10):
            a.compute(seconds=1e-6)
            a.barrier()

    def once(a):
        with a.loop(3):
            a.compute(seconds=1e-6)
            a.barrier()

    many, three = timed(step).rows[0]["time_s"], timed(once).rows[0]["time_s"]
    assert many == pytest.approx(10_000 / 3 * three, rel=0.02)


def test_samples_integrate_shrinking_loops():
    def step(a):
        for k in a.sampled(range(1000)):
            a.compute(seconds=1e-3 * (1 - k / 1000) ** 2)

    run = timed(step)
    exact = sum(1e-3 * (1 - k / 1000) ** 2 for k in range(1000))
    assert run.rows[0]["time_s"] == pytest.approx(exact, rel=5e-3)
    errors = run.summary["runs"][0]["errors"]
    assert 0 < errors["sampling"] < 0.03
    assert abs(run.rows[0]["time_s"] / exact - 1) < errors["sampling"]


def test_overlap_hides_the_shorter_part():
    def communicate(a):
        a.shift(2, 4 << 20)

    def both(offload):
        def step(a):
            with a.overlap(offload):
                if offload:
                    a.compute(seconds=2e-3)
                communicate(a)
                if not offload:
                    a.compute(seconds=2e-3)

        return step

    alone = timed(communicate).rows[0]["time_s"]
    assert 1e-4 < alone < 2e-3
    for offload in (False, True):
        assert timed(both(offload)).rows[0]["time_s"] == pytest.approx(2e-3, rel=0.1)


def test_the_slowest_rank_delays_a_barrier():
    def step(a):
        a.compute(seconds=1e-3, imbalance=app.uniform(0.5))
        a.barrier()

    seconds = timed(step, nodes=64).rows[0]["time_s"]
    assert 1.45e-3 < seconds < 1.52e-3  # of 128 draws up to 1.5 ms


def test_a_shift_is_within_the_bounds_of_bandwidth_and_latency():
    size, rate = 1 << 20, 8e9  # machines/dragonfly-1056.toml, links.edge
    seconds = timed(lambda a: a.shift(1, size), nodes=8, ppn=1).rows[0]["time_s"]
    assert size / rate < seconds < 1.25 * size / rate + 20e-6


@pytest.mark.parametrize("algorithm", ["1ring", "1ringM", "2ring", "2ringM", "long", "longM"])
@pytest.mark.parametrize("q", [2, 5, 8])
def test_panels_take_at_least_their_bytes(algorithm, q):
    size, rate = 8 << 20, 8e9  # machines/dragonfly-1056.toml, links.edge

    def step(a):
        a.panel_bcast(size, axis=1, root=q - 1, algorithm=algorithm)
        a.swap_rows(size, axis=0, algorithm="binary")

    seconds = timed(step, nodes=2 * q, ppn=1, grid=lambda ranks: (2, q)).rows[0]["time_s"]
    # A ring passes the whole panel q - 1 times, at most; spread and roll twice.
    assert 2 * size * (q - 1) / q / rate / 1.01 < seconds < 3 * (q + 2) * size / rate


def test_remaps_one_sided_epochs_and_files_run_at_every_fidelity():
    machine = od.machine("aurora")

    def step(a):
        with a.phase("remap"):
            blocks, pencils = a.grid((2, 2, 4)), a.grid((1, 4, 4))
            a.remap(blocks, pencils, (64, 64, 64), 16)
        with a.phase("epoch"):
            a.get(4096, count=40)
            a.put(64, shift=3)
            a.accumulate(8, to=0)
            a.fence()
        with a.phase("checkpoint"):
            file = a.file(per_rank=True)
            file.create()
            file.write(1 << 20, transfer=1 << 18)
            file.sync()
            file.close()

    model = app.App(step, grid=1, ppn=4)
    for fidelity in ("loggp", "packet"):
        result = app.run(model, machine, nodes=4, fidelity=fidelity)
        (run,) = result.summary["runs"]
        phases = {row["phase"]: row for row in run["phases"]}
        assert phases["epoch"]["messages"] == pytest.approx(40 + 1 + 15 / 16)
        # Rank (x, y, z) of the blocks has pencil (2 x + y, z). The pencil is within its block for
        # x = y, which keeps half of the cells there. So a quarter of all cells stay.
        assert phases["remap"]["bytes"] == 0.75 * 64**3 * 16 / 16
        assert phases["checkpoint"]["calls"] == 7
        assert run["io"] is not None


def test_runs_are_deterministic_at_every_fidelity():
    def step(a):
        with a.loop(3):
            a.compute(seconds=1e-5, noise=app.normal(0.1))
            a.sparse(5000, spread=app.lognormal(0.3), partners=4)
            a.allreduce(64)

    for fidelity in ("loggp", "flow", "packet"):
        first, second = (timed(step, fidelity=fidelity).summary for _ in range(2))
        assert first["digest"] == second["digest"]
        assert first["rows"] == second["rows"]
    other = timed(step, seed=2).summary
    assert other["digest"] != timed(step).summary["digest"]


def test_compositions_are_near_the_whole():
    model = running.load("hpcg")
    values = model.values(None, {"nx": 32, "ny": 32, "nz": 32})
    machine = od.machine("aurora")
    job = machine.job(nodes=16, ppn=12)
    phases = model.phases(16, 12, values)
    found = running.composition((job, phases), "loggp", 2_000_000, None, None)
    assert found["error"] < 0.15


def test_large_runs_are_composed_and_state_the_error():
    result = app.run("hpcg", od.machine("aurora"), nodes=[64], messages=100_000)
    run = result.summary["runs"][0]
    assert run["method"] == "composed" and run["composition"]["nodes"] < 64
    whole = app.run("hpcg", od.machine("aurora"), nodes=[64], messages=10_000_000)
    row, exact = result.rows[0], whole.rows[0]
    assert row["time_s"] == pytest.approx(exact["time_s"], rel=0.1)
    assert row["low"] <= row["figure_of_merit"] <= row["high"]


def test_weak_and_strong_scaling():
    machine = od.machine("aurora")
    weak = app.run("hpcg", machine, nodes="2:4")
    strong = app.run("hpcg", machine, nodes="2:4", scaling="strong")
    assert [row["nodes"] for row in weak.rows] == [2, 4]
    assert weak.rows[0] == strong.rows[0]
    assert strong.rows[1]["time_s"] < 0.7 * weak.rows[1]["time_s"]


# Errors

MADE = "from odonata.app import App\nmodel = App"
BAD = """
from odonata.app import App


def step(a):
    {body}


model = App(step, grid=2, box=(4, 4), ppn=2)
"""


@pytest.mark.parametrize("body, words", [
    ("a.halo(box=(1, 2, 3))", "2, as the grid"),
    ("a.allreduce(-8)", "bytes from 0"),
    ("a.bcast(8, root=10**6)", "a rank from 0 to"),
    ("a.allreduce(8, axes=5)", "an axis of a grid"),
    ("a.where(axis=0, at=99).__enter__()", "coordinates of axis 0"),
    ("a.compute(seconds='long')", "seconds from 0"),
    ("1 / 0", "ZeroDivisionError"),
    ("a.nothing()", "AttributeError"),
    ("[a.barrier() for _ in iter(int, 1)]", "more than"),
    ("a.allreduce('8')", "a number"),
    ("a.compute(flops=1, kernel='gem')", "one of stream"),
    ("a.compute(flops=1, precision='fp65')", "one of fp64"),
    ("a.compute(seconds=1, imbalance=3)", "a distribution"),
    ("a.exchange([((1, 0), 8)])", "a.offset"),
    ("a.exchange([(a.offset(1, 0), -8)])", "bytes from 0"),
    ("a.exchange([(a.offset(1), 8)])", "2 whole numbers"),
    ("a.messages(a.links([(0, 99, 1)]), 8)", "a rank below 16"),
    ("a.loop(-1).__enter__()", "iterations from 0"),
    ("a.phase(None).__enter__()", "a name"),
    ("raise SystemExit(0)", "SystemExit"),
    ("step(a)", "RecursionError"),
])  # fmt: skip
def test_errors_have_file_and_line(tmp_path, monkeypatch, body, words):
    monkeypatch.setattr(app.phases, "MOST_CALLS", 10_000)
    file = tmp_path / "model.py"
    file.write_text(BAD.format(body=body))
    with pytest.raises(InputError) as error:
        app.run(str(file), MACHINE, nodes=8)
    assert any(one.at == f"{file}:6" for one in error.value.diagnostics)
    assert words in str(error.value)


def test_the_command_ends_with_2_and_names_the_line(odonata, tmp_path):
    file = tmp_path / "model.py"
    file.write_text(BAD.format(body="1 / 0"))
    done = odonata("app", file, "--machine", "dragonfly-1056", "--nodes", 8)
    assert done.returncode == 2
    assert f"{file}:6" in done.stderr and "ZeroDivisionError" in done.stderr


@pytest.mark.parametrize("text, words", [
    ("model = 3", "model = App(...)"),
    ("def broken(:", "a Python file"),
    ("import nothing_like_it", "ModuleNotFoundError"),
    ("raise SystemExit(0)", "SystemExit"),
    (f"{MADE}(3)", "must be a function"),
    (f"{MADE}(lambda a: 0, grid='x')", "a number of axes"),
    (f"{MADE}(lambda a: 0, options={{'loop': 1}})", "name of a call"),
    (f"{MADE}(lambda a: 0, box=('n',))", "not among the options"),
])  # fmt: skip
def test_files_without_a_model_are_refused(tmp_path, text, words):
    file = tmp_path / "model.py"
    file.write_text(text)
    with pytest.raises(InputError) as error:
        running.load(str(file))
    assert str(file) in str(error.value) and words in str(error.value)


@pytest.mark.parametrize("more, words", [
    ("merit=lambda a, s: a.nothing / s", "no option `nothing`"),
    ("merit=lambda a, s: 1 / 0", "ZeroDivisionError"),
    ("merit=lambda a, s: 'fast'", "a figure of merit above 0"),
    ("grid=lambda n: 1 / 0", "ZeroDivisionError"),
    ("native=lambda a, s, run: 1 / 0", "ZeroDivisionError"),
])  # fmt: skip
def test_errors_in_other_functions_have_file_and_line(tmp_path, more, words):
    file = tmp_path / "model.py"
    file.write_text(f"from odonata.app import App\nmodel = App(lambda a: a.barrier(), {more})\n")
    with pytest.raises(InputError) as error:
        app.run(str(file), MACHINE, nodes=8, native=True)
    assert error.value.diagnostics[0].at == f"{file}:2" and words in str(error.value)


def test_endless_files_are_stopped(monkeypatch, tmp_path):
    monkeypatch.setattr(app.phases, "MOST_SECONDS", 0.2)
    file = tmp_path / "model.py"
    file.write_text("while True:\n    pass\n")
    with pytest.raises(InputError, match="runs for more than") as error:
        running.load(str(file))
    assert error.value.diagnostics[0].at.startswith(f"{file}:")


def test_all_members_make_a_collective():
    """Rows may, each of which is whole; a part of a row may not."""
    def rows(a):
        with a.where(axis=0, at=1):
            a.allreduce(8, axes=1)

    timed(rows, nodes=[4], ppn=1, grid=2)

    def part(a):
        with a.where(axis=1, at=1):
            a.allreduce(8, axes=1)

    with pytest.raises(InputError, match="all members"):
        timed(part, nodes=[4], ppn=1, grid=2)


def test_kernels_are_those_of_machine_files():
    with pytest.raises(InputError) as error:
        od.machine("aurora").with_({"node.device.efficiency.none": 1}).summary
    near = str(error.value)
    for kernel in app.phases.KERNELS:
        changed = od.machine("aurora").with_({f"node.device.efficiency.{kernel}": 0.5})
        assert changed.summary["nodes"] > 0
    assert "efficiency.none" in near


def test_offsets_are_those_of_a_halo():
    def halo(a):
        a.halo(width=1, bytes=8, corners=False, box=(10, 10))

    def exchange(a):
        a.exchange([(a.offset(*by), 80) for by in ((-1, 0), (0, -1), (0, 1), (1, 0))])

    one, other = (timed(f, nodes=[9], ppn=1, grid=2).rows[0]["time_s"] for f in (halo, exchange))
    assert one == other


def test_partners_of_an_exchange_may_come_from_a_generator():
    def listed(a):
        a.exchange([(a.offset(by, periodic=True), 8) for by in (-1, 1)])

    def generated(a):
        a.exchange((a.offset(by, periodic=True), 8) for by in (-1, 1))

    assert len(sends(calls_of(generated, 4))) == 8
    assert calls_of(generated, 4) == calls_of(listed, 4)


def test_accesses_go_to_the_other_ranks_in_either_order():
    def targets(to):
        calls = calls_of(lambda a: (a.get(8, count=4, to=to), a.fence()), 4)
        return [[peer for op, peer, _ in rows if op == "access"] for rows in calls]

    assert targets("all") == [[1, 2, 3, 1], [2, 3, 0, 2], [3, 0, 1, 3], [0, 1, 2, 0]]
    assert targets("same") == [[1, 2, 3, 1], [0, 2, 3, 0], [0, 1, 3, 0], [0, 1, 2, 0]]


def test_a_common_target_takes_longer_with_more_nodes():
    """All ranks access the same one, also in a composition of parts."""
    def step(a):
        a.put(4096, count=8, to="same")
        a.fence()

    few, many = timed(step, nodes=[16, 64], ppn=1, messages=100).rows
    assert many["time_s"] > 2 * few["time_s"]


def test_buffers_in_gpu_memory_take_longer():
    def seconds(buffers):
        model = app.App(lambda a: a.shift(1, 8), ppn=12)
        result = app.run(model, od.machine("aurora"), nodes=2, buffers=buffers)
        head = app.report.shown(result).splitlines()[0]
        assert head.endswith("buffers in GPU memory") == (buffers == "gpu")
        return result.rows[0]["time_s"]

    assert seconds("gpu") > seconds("host")


def test_the_error_bar_contains_the_uncertainty_of_rates():
    """Of 10 s of computation, 3 s are uncertain, and so is the figure of merit, 1 / s. Residuals
    are independent of it: squares of logarithms add up."""
    def ends(uncertainty):
        keys = {"node.device.uncertainty.gemm": uncertainty, "node.device.spread": 0.001,
                "node.device.jitter": 0.001}  # fmt: skip
        machine = od.machine("aurora").with_(keys)
        model = app.App(lambda a: a.compute(flops=104e12, kernel="gemm"), ppn=12)
        (row,) = app.run(model, machine, nodes=1).rows
        assert row["figure_of_merit"] / row["low"] == pytest.approx(
            row["high"] / row["figure_of_merit"]
        )
        return math.log(row["high"] / row["figure_of_merit"])

    assert ends(0.3) == pytest.approx(math.hypot(ends(0.001), math.log(1.3)), rel=1e-3)


def test_all_problems_of_a_model_are_reported_at_once():
    def step(a):
        a.allreduce(-8)
        a.bcast(8, root=-1)

    with pytest.raises(InputError) as error:
        timed(step)
    assert len(error.value.diagnostics) == 2


def test_endless_functions_are_stopped(monkeypatch):
    def step(a):
        while True:
            pass

    monkeypatch.setattr(app.phases, "MOST_SECONDS", 0.2)
    with pytest.raises(InputError, match="runs for more than") as error:
        timed(step)
    assert error.value.diagnostics[0].at.startswith(f"{__file__}:")


def test_flops_need_rates():
    with pytest.raises(InputError, match="node.device"):
        timed(lambda a: a.compute(flops=1e9))


@pytest.mark.parametrize("name, problem", [("hpl", {"n": 100}), ("nekbone", {"iterations": 0})])
def test_problems_without_work_are_refused(name, problem):
    with pytest.raises(InputError, match="takes no time on 1 nodes"):
        app.run(name, od.machine("aurora"), nodes=1, problem=problem)


def test_ranks_without_work_are_refused():
    with pytest.raises(InputError, match="takes no time on 1 nodes"):
        timed(lambda a: a.shift(1, 8), nodes=[1, 2], ppn=1)


def test_merits_are_positive():
    with pytest.raises(InputError, match="a figure of merit above 0"):
        timed(lambda a: a.barrier(), nodes=[2, 4], merit=lambda a, s: 0.0)


def test_merits_may_be_numbers_of_numpy():
    result = timed(lambda a: a.barrier(), nodes=[2], merit=lambda a, s: np.float32(2.5))
    assert result.rows[0]["figure_of_merit"] == 2.5


def test_some_ranks_in_a_loop_delay_all():
    def step(a):
        with a.where(axis=0, first=0, end=4), a.loop(1000):
            a.compute(seconds=1e-3)
        a.barrier()

    assert timed(step).rows[0]["time_s"] == pytest.approx(1.0, rel=1e-3)


def test_loops_on_the_host_overlap_with_the_device():
    def step(a):
        with a.overlap(offload=True):
            a.compute(seconds=1.0)
            with a.loop(500):
                a.compute(seconds=1e-3, host=True)

    assert timed(step).rows[0]["time_s"] == pytest.approx(1.0, rel=1e-3)


def test_computation_of_omitted_iterations_belongs_to_its_phases():
    def step(a):
        with a.overlap(offload=True), a.loop(500):
            with a.phase("small"):
                a.compute(seconds=1e-3)
            with a.phase("large"):
                a.compute(seconds=3e-3)
        a.barrier()

    result = timed(step)
    phases = {row["phase"]: row["compute_s"] for row in result.summary["runs"][-1]["phases"]}
    assert phases["small"] == pytest.approx(0.5, rel=1e-3)
    assert phases["large"] == pytest.approx(1.5, rel=1e-3)
    assert result.rows[0]["time_s"] == pytest.approx(2.0, rel=1e-3)


# The command


def test_the_command_prints_rows(odonata):
    done = odonata("app", "hpcg", "--machine", "aurora", "--nodes", "1:4", "--json")
    assert done.returncode == 0
    summary = json.loads(done.stdout)
    assert [row["nodes"] for row in summary["rows"]] == [1, 2, 4]
    for row in summary["rows"]:
        assert row["unit"] == "flop/s" and row["low"] <= row["figure_of_merit"] <= row["high"]
        assert row["ranks"] == 12 * row["nodes"]
    assert summary["runs"][0]["energy"]["energy_J"] > 0


def test_the_model_of_the_page_runs(odonata, tmp_path):
    page = EXAMPLES.parent / "docs" / "application-models.md"
    file = tmp_path / "my_model.py"
    code = page.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    file.write_text(code, encoding="utf-8")
    done = odonata("app", file, "--machine", "aurora", "--nodes", "1:4", "--scaling", "strong",
                   "--problem", "n=64", "--json")  # fmt: skip
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert [row["unit"] for row in summary["rows"]] == ["cell/s"] * 3
    assert {row["phase"] for row in summary["runs"][0]["phases"]} == {"stencil", "norm"}
    assert not summary["is_checked"]


def test_figures_state_the_efficiency():
    result = app.run("hpcg", od.machine("aurora"), nodes=[1, 2], ppn=2)
    texts = [text.get_text() for text in result.plot().texts]
    assert texts == [f"{100 * row['efficiency']:.0f} %" for row in result.rows]


def test_the_breakdown_adds_up_if_some_ranks_end_early():
    """One of four ranks computes for a second: the others wait 3/4 of a second in the mean."""
    def step(a):
        with a.where(axis=0, at=0), a.phase("work"):
            a.compute(seconds=1.0)

    (run,) = timed(step, nodes=[4], ppn=1).summary["runs"]
    (row,) = [line for line in report.breakdown(run) if line.startswith("(end)")]
    assert row.split()[1:] == ["750", "ms", "75.0", "%"]


def test_times_that_a_model_states_are_named_as_such():
    result = timed(lambda a: a.compute(seconds=1.0))
    assert "whose time the model states, 100" in report.limit(result.summary["runs"][0])


def test_the_command_draws_a_figure(odonata, tmp_path):
    file = tmp_path / "scaling.png"
    done = odonata("app", "hpcg", "--machine", "aurora", "--nodes", "1:4", "--plot", file)
    assert done.returncode == 0 and file.read_bytes().startswith(b"\x89PNG")
    assert "limiting resource" in done.stdout


# The comparison with a program


@pytest.fixture(scope="module")
def cg27(tmp_path_factory):
    target = tmp_path_factory.mktemp("cg27") / "cg27"
    source = EXAMPLES / "apps" / "cg27.c"
    subprocess.run([COMPILER, "-O2", source, "-o", target, "-lm"], check=True)
    return target


WORDS = ("{nx}", "{ny}", "{nz}", "{iterations}")
SMALL = ("--problem", "nx=16", "--problem", "ny=8", "--problem", "nz=8",
         "--problem", "iterations=2")  # fmt: skip


def test_hpcg_equals_its_program(odonata, cg27):
    done = odonata("app", "check", "hpcg", "--machine", "dragonfly-1056", *SMALL,
                   "-n", "8,27,64", "--json", "--", cg27, *WORDS)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert found["is_equal"] and [size["ranks"] for size in found["sizes"]] == [8, 27, 64]
    for size in found["sizes"]:
        # MPI_Init and MPI_Finalize of the program are not in the model.
        assert size["model_s"] == pytest.approx(size["program_s"], rel=0.03)


@pytest.mark.parametrize("variable, found, expected", [
    ("CG27_EXTRA_BYTES", "513 B", "512 B"), ("CG27_SWAP", "to rank", "to rank"),
])  # fmt: skip
def test_planted_differences_are_located(odonata, cg27, variable, found, expected):
    done = odonata("app", "check", "hpcg", "--machine", "dragonfly-1056", *SMALL, "--json",
                   "-n", "8,12", "--", cg27, *WORDS, env={variable: "1"})  # fmt: skip
    assert done.returncode == 1, done.stdout + done.stderr
    for size in json.loads(done.stdout)["sizes"]:
        (difference,) = size["differences"]
        assert difference["rank"] == size["ranks"] - 1 and difference["phase"] == "mg"
        assert difference["found"] != difference["expected"]
        assert found in difference["found"] and expected in difference["expected"]


def test_further_iterations_are_a_difference(odonata, cg27):
    done = odonata("app", "check", "hpcg", "--machine", "dragonfly-1056", *SMALL,
                   "-n", "8,12", "--", cg27, 16, 8, 8, 3)  # fmt: skip
    assert done.returncode == 1
    assert "further iterations" in done.stdout


def test_drawn_sizes_lie_in_their_range():
    def row(size):
        return {"op": "send", "peer": 1, "bytes": size, "back": 0, "flags": 0, "lengths": [],
                "members": (0, 1)}  # fmt: skip

    call = checking.Call("send", "p", 1, 100, 0, (0, 1), 80, 120, False)
    calls, sizes = [[call] * 200, []], [100] * 195 + [200] * 5
    inside = checking.compared(2, calls, [[row(size) for size in sizes], []])
    assert inside.is_equal and (inside.drawn, inside.outside) == (200, 5)
    outside = checking.compared(2, calls, [[row(200)] * 50 + [row(100)] * 150, []])
    assert not outside.is_equal


def test_a_checked_model_is_marked(tmp_path):
    file = tmp_path / "model.py"
    shutil.copy(Path(app.__file__).parent / "models" / "hpcg.py", file)
    model = running.load(str(file))
    model.is_checked = False
    assert not checking.is_checked(model)
    checking.stamp(model, checking.CheckResult("model", []))
    assert checking.is_checked(model)
    file.write_text(file.read_text() + "\n")
    assert not checking.is_checked(model)


APPLICATIONS = {
    "hpl": ["n=30720"],
    "hpl-mxp": ["n=40960"],
    "graph500": ["scale=24", "roots=2"],
    "hpcg": ["nx=32", "ny=32", "nz=32"],
    "hacc": ["points_per_rank=100000"],
    "nekbone": ["ex=4", "ey=4", "ez=4"],
    "amr-wind": ["nx=64", "ny=64", "nz=64", "steps=2"],
    "lammps": ["atoms=10000"],
    "fmm": ["count=5000"],
    "shamrock": ["particles=1e6"],
}


def test_every_application_has_a_model():
    assert set(APPLICATIONS) == set(running.BUILT_IN)


@pytest.mark.parametrize("name", APPLICATIONS)
def test_applications_run_on_any_number_of_nodes(odonata, name):
    problem = [word for one in APPLICATIONS[name] for word in ("--problem", one)]
    done = odonata("app", name, "--machine", "aurora", "--nodes", "1,3", "--ppn", "4", *problem,
                   "--json")  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert [row["nodes"] for row in rows] == [1, 3]
    for row in rows:
        assert 0 < row["low"] <= row["figure_of_merit"] <= row["high"]
        # Of a tile: products of matrices in 64 and 16 bits; 1 TB/s of memory, times at most 0.16
        # flop/B of HPCG.
        tiles = 12 * row["nodes"]
        most = {"hpl": 10.4e12, "hpl-mxp": 205.7e12, "hpcg": 0.16e12}.get(name, math.inf)
        assert row["figure_of_merit"] < most * tiles


def test_lu_multiplies_most_of_the_time():
    """On one node of four tiles, HPL reaches 60 to 100 % of their products of matrices."""
    result = app.run("hpl", od.machine("aurora"), nodes=[1], ppn=4, problem={"n": 122_880})
    assert 0.6 < result.rows[0]["figure_of_merit"] / (3 * 4 * 10.4e12) < 1


@pytest.mark.parametrize("name", ["swfft", "fmm"])
def test_models_equal_their_programs(odonata, tmp_path, name):
    program = tmp_path / name
    source = EXAMPLES / "apps" / f"{name}.c"
    subprocess.run(["sh", COMPILER, "-O1", source, "-o", program, "-lm"], check=True)
    model, words = {
        "swfft": (EXAMPLES / "apps" / "swfft.py", ("points=32", "{points}")),
        # Epochs of the model begin at the next rank, so their lengths are whole sweeps.
        "fmm": (Path(app.__file__).parent / "models" / "fmm.py",
                ("count=150", "get", "150", "21", "2")),
    }[name]  # fmt: skip
    copy = tmp_path / "model.py"  # beside which the check notes its success
    copy.write_bytes(model.read_bytes())
    done = odonata("app", "check", copy, "--machine", "aurora", "-n", "4,8", "--problem", words[0],
                   *(("--problem", "fence_every=21") if name == "fmm" else ()), "--", program,
                   *words[1:])  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name, problem", [
    ("hpl", {"n": 100_000, "nb": 512}),
    ("hpl", {"n": 100_000, "nb": 512, "split": False}),
    ("hpl-mxp", {"n": 400_000, "nb": 2560}),
])  # fmt: skip
def test_samples_and_parts_of_factorizations_agree_with_all_steps(name, problem, monkeypatch):
    """Broadcasts of successive panels overlap in a pipeline whose root moves."""
    model = running.load(name)
    job = od.machine("aurora").job(nodes=4, ppn=12)
    values = model.values(None, problem)

    def time(method):
        phases = model.phases(4, 12, values)
        request = running.request_of(job, "loggp", phases, 50_000_000) | {"method": method}
        return core.enter("app", request)["time_s"]

    some, parts = time("simulate"), time("compose")
    sampled = app.Phases.sampled
    monkeypatch.setattr(app.Phases, "sampled", lambda self, values: sampled(self, values, 10**6))
    every = time("simulate")
    assert some == pytest.approx(every, rel=0.05)
    assert parts == pytest.approx(every, rel=0.05)


def test_results_in_the_format_of_the_application(odonata):
    """Readers of HPL's output take the last two words of the line that begins with W."""
    options = ("--machine", "aurora", "--nodes", 2)
    done = odonata("app", "hpl", *options, "--problem", "n=65536", "--native")
    line = next(line for line in done.stdout.splitlines() if line.startswith("WR11"))
    words = line.split()
    assert words[1:5] == ["65536", "512", "4", "6"] and len(line) == 80
    found = json.loads(odonata("app", "hpl", *options, "--problem", "n=65536", "--json").stdout)
    row = found["rows"][0]
    assert float(words[5]) == pytest.approx(row["time_s"], abs=0.005)
    assert float(words[6]) == pytest.approx(row["figure_of_merit"] / 1e9, rel=1e-4)
    done = odonata("app", "hpcg", *options, "--native")
    assert "Final Summary::HPCG result is VALID with a GFLOP/s rating of=" in done.stdout
    assert "harmonic_mean_TEPS" in odonata(
        "app", "graph500", *options, "--problem", "scale=24", "--native"
    ).stdout
    done = odonata("app", "hpl-mxp", *options, "--native")
    line = next(line for line in done.stdout.splitlines() if line.startswith("WR1"))
    assert len(line.split()) == 7 and "Final Score:" in done.stdout
    done = odonata("app", "fmm", *options, "--native")
    assert done.returncode == 2 and "the output of its application" in done.stderr


def test_steps_of_hpl_are_printed_as_by_rochpl(odonata):
    """Steps add up to the time of the factorization: each has the interpolated time of those since
    the row before, and the flops of all steps are those of the factorization."""
    n, nb = 65536, 512
    options = ("--machine", "aurora", "--nodes", 2, "--problem", f"n={n}")
    done = odonata("app", "hpl", *options, "--native")
    lines = done.stdout.splitlines()
    head = next(at for at, line in enumerate(lines) if line.startswith("   %   | Column"))
    assert len(lines[head - 1]) == 164 == lines[head - 1].count("-")
    rows = [[cell for cell in line.replace("|", " ").split()] for line in lines[head + 3 :]]
    rows = rows[: next(at for at, row in enumerate(rows) if row[0].startswith("="))]
    assert all(len(row) == 13 for row in rows)
    columns = [int(row[1]) for row in rows]
    assert columns == sorted(columns) and columns[-1] == n - nb
    assert all(column % nb == 0 for column in columns)
    time_s = float(next(line for line in lines if line.startswith("WR11")).split()[5])
    overall = [float(row[12]) for row in rows]
    flops = 2 / 3 * (n**3 - nb**3) - (n**2 - nb**2) / 2 - (n - nb) / 6
    assert flops / overall[-1] / 1e9 == pytest.approx(time_s, rel=0.02)
    for row in rows:
        left = n - int(row[1])
        of_step = 2 * nb * left**2 + 2 * left * nb**2 - left * nb + 2 / 3 * nb**3 - nb**2 / 2
        assert float(row[11]) == pytest.approx(of_step / float(row[2]) / 1e9, rel=1e-3)
        assert float(row[7]) <= float(row[6])  # the pivot search is part of the panel


def test_lines_of_nekbone_are_those_of_its_example():
    """Nekbone's own output of 50 elements on 2 ranks. The solve takes 0.2482 s, of which
    its rates have more digits."""
    model = running.load("nekbone")
    values = {**model.options, "ex": 5, "ey": 5, "ez": 2}
    phases = model.phases(1, 2, values)
    assert model.native(phases, 0.248197, {}) == [
        "nelt =      50, np =         2, nx1 =      10, elements =       100",
        "Tot MFlops =   6.2108E+03, MFlops      =   3.1054E+03",
        "Setup Flop =   6.9500E+08, Solver Flop =   7.5750E+07",
        "Solve Time =   0.2482E+00",
    ]


def test_steps_of_amr_wind_print_their_solvers_and_times():
    """print_mlmg_info has columns of 26, 6, 22 and 22 characters; the times of a step add up."""
    model = running.load("amr-wind")
    phases = model.phases(1, 2, {**model.options, "steps": 2, "cycles": 7})
    rows = [("step length", 0.2), ("mac projection", 2.4), ("statistics", 0.4)]
    run = {"phases": [{"phase": name, "time_s": seconds} for name, seconds in rows]}
    lines = model.native(phases, 3.0, run)
    times = [line for line in lines if line.startswith("WallClockTime")]
    assert times == [
        f"WallClockTime in Evolve() for step {n}: Pre: 0.1 Solve: 1.2 Post: 0.2 Total: 1.5"
        for n in (1, 2)
    ]
    assert "Cumulative WallClockTime in Evolve(): 3" in lines
    (first, second) = [line for line in lines if line.startswith("  MAC_projection")]
    assert first == second and len(first) == 2 + 26 + 6 + 22 + 22 and first[28:34] == "     7"


def test_the_breakdown_of_lammps_adds_up(odonata):
    done = odonata("app", "lammps", "--machine", "aurora", "--ppn", 8, "--nodes", 1, "--native")
    lines = done.stdout.splitlines()
    loop = next(line for line in lines if line.startswith("Loop time of"))
    words = loop.split()
    assert int(words[5]) == 16 and int(words[-2]) == 8 * 287_000 and words[-1] == "atoms"
    speed = next(line for line in lines if line.startswith("Performance:")).split()
    # 100 steps of 2 fs.
    assert float(speed[1]) == pytest.approx(2e-4 * 86400 / float(words[3]), abs=1e-3)
    assert float(speed[5]) == pytest.approx(100 / float(words[3]), abs=1e-3)
    head = next(at for at, line in enumerate(lines) if line.startswith("Section |"))
    shares = [float(line.rpartition("|")[2]) for line in lines[head + 2 : head + 9]]
    assert [line.split()[0] for line in lines[head + 2 : head + 9]] == [
        "Pair", "Bond", "Kspace", "Neigh", "Comm", "Modify", "Other"
    ]  # fmt: skip
    assert sum(shares) == pytest.approx(100, abs=1)


def test_advice_finds_the_better_placement_and_algorithm():
    """A ring of 64 ranks needs 126 rounds for 8 bytes, recursive doubling 6."""
    def sums(a):
        with a.loop(100), a.phase("sum"):
            a.allreduce(8)

    model = app.App(sums, options={"way": "ring"}, ppn=1, choices={"way": ("ring", "tree")})
    machine = od.machine("dragonfly-1056")
    result = app.run(model, machine, nodes=64, placement="random", advise=True)
    advice = result.summary["advice"]
    changes = {row["change"]: row for row in advice["rows"]}
    assert changes["--placement contiguous"]["helps"]
    assert not changes["MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=ring"]["helps"]
    assert changes["MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=ring"]["gain"] < -1
    assert changes["--problem way=tree"]["gain"] == 0  # this function ignores it
    times = [row["time_s"] for row in advice["rows"]]
    assert times == sorted(times)
    assert not any("--class" in change for change in changes)


def test_advice_has_the_access_of_nics_to_gpu_memory():
    """Without access, messages between nodes are copied through host memory."""
    def ring(a):
        with a.loop(10):
            a.shift(1, 1 << 20)

    model, machine = app.App(ring, ppn=1), od.machine("aurora")
    name = "MPIR_CVAR_CH4_OFI_ENABLE_HMEM"
    gains = {}
    for mpi in ("mpich", "mpich-aurora"):
        result = app.run(model, machine, nodes=4, mpi=mpi, buffers="gpu", advise=True)
        rows = {row["change"]: row for row in result.summary["advice"]["rows"]}
        gains[mpi] = [rows[f"{name}={value}"]["gain"] for value in "01"]
        assert rows[f"{name}=1"]["helps"] == (mpi == "mpich")
    # One of the two is the present setting.
    assert gains["mpich"][0] == 0 and gains["mpich"][1] > 0.01
    assert gains["mpich-aurora"][0] < -0.01 and gains["mpich-aurora"][1] == 0
    host = app.run(model, machine, nodes=4, mpi="mpich", advise=True)
    assert not any(name in row["change"] for row in host.summary["advice"]["rows"])


def test_gpu_buffers_need_gpus(odonata):
    done = odonata("app", "fmm", "--machine", "dragonfly-1056", "--nodes", 2, "--buffers", "gpu")
    assert done.returncode == 2 and "buffers" in done.stderr and "no GPUs" in done.stderr
    with pytest.raises(InputError, match="buffers"):
        app.run("fmm", od.machine("aurora"), nodes=2, buffers="tape")


def test_advice_states_that_nothing_helps(odonata, tmp_path):
    file = tmp_path / "model.py"
    file.write_text(
        "from odonata.app import App\n"
        "model = App(lambda a: a.compute(seconds=1.0), ppn=1)\n"
    )
    done = odonata("app", file, "--machine", "aurora", "--nodes", 2, "--advise")
    assert done.returncode == 0 and "none of" in done.stdout, done.stdout + done.stderr


def interrupt(monkeypatch, nth, **change):
    """The core's answer number `nth` is that of an interrupted run, or has another change."""
    enter, made = core.enter, []

    def entered(function, *given):
        answer = enter(function, *given)
        made.append(function)
        return answer | (change or {"interrupted": True}) if len(made) == nth else answer

    monkeypatch.setattr(core, "enter", entered)
    return made


def test_advice_states_how_many_changes_an_interruption_leaves(monkeypatch):
    model = app.App(lambda a: a.compute(seconds=1.0), ppn=1)
    machine = od.machine("aurora")
    whole = app.run(model, machine, nodes=2, advise=True)
    assert not whole.summary["interrupted"] and whole.summary["advice"]["not_tried"] == 0
    interrupt(monkeypatch, 3)
    result = app.run(model, machine, nodes=2, advise=True)
    advice, every = result.summary["advice"], whole.summary["advice"]
    assert result.summary["interrupted"] and advice["interrupted"] and len(result.rows) == 1
    done = len(advice["rows"]) + len(advice["refused"])
    assert done + advice["not_tried"] == len(every["rows"]) + len(every["refused"])
    text = report.shown(result)
    assert f"interrupted: {advice['not_tried']} changes not tried" in text
    assert "none of" not in text


def test_advice_keeps_rows_if_algorithms_cannot_be_listed(monkeypatch):
    def refuse(kind, jobs, sizes, fidelity, messages, tick, stop):
        assert stop is not None
        raise InputError([])

    monkeypatch.setattr(tuning, "run", refuse)
    model = app.App(lambda a: a.allreduce(8), ppn=1)
    with core.Stop() as stop:
        result = app.run(model, od.machine("aurora"), nodes=2, advise=True, stop=stop)
    advice = result.summary["advice"]
    assert advice["rows"] and "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM" in advice["refused"]


def native_of_steps(run):
    def steps(a):
        for _ in a.sampled(range(100)):
            a.barrier()

    def native(a, seconds, run):
        return [f"{len(run['steps'])} steps"]

    model = app.App(steps, ppn=1, native=native)
    return app.run(model, od.machine("aurora"), nodes=[2, 4], native=True, **run)


def test_native_output_needs_all_steps(monkeypatch):
    whole = native_of_steps({})
    assert whole.native[0] == whole.native[2] and "steps" in whole.native[0]
    made = interrupt(monkeypatch, 5)
    result = native_of_steps({})
    assert len(made) == 5 and result.native == [] and result.summary["interrupted"]
    assert [row["nodes"] for row in result.rows] == [2]


def test_failures_of_a_step_are_failures_of_the_run(monkeypatch):
    interrupt(monkeypatch, 5, failure={"kind": "deadlock", "message": "a cycle", "ranks": []})
    with pytest.raises(SimulatedFailure, match="a cycle") as failed:
        native_of_steps({})
    assert failed.value.result.native == [] and len(failed.value.result.rows) == 1


def every_model(monkeypatch, ends):
    """The exit code of `odonata app all`, and the models that it ran, if these end so."""
    ran = []

    def one(words, **given):
        ran.extend(words)
        end = ends.get(words[0], 0)
        if isinstance(end, Exception):
            raise end
        return end

    monkeypatch.setattr(command.app, "callback", one)
    return command.every_model((), {"as_json": True}), ran


def test_an_interruption_ends_all_models(monkeypatch):
    first, second, *_ = running.BUILT_IN
    assert every_model(monkeypatch, {second: 130}) == (130, [first, second])


def test_failures_of_one_model_do_not_stop_the_others(monkeypatch, capsys):
    first, second, *_ = running.BUILT_IN
    failed = SimulatedFailure("a cycle", "deadlock")
    assert every_model(monkeypatch, {first: failed}) == (1, list(running.BUILT_IN))
    assert f"odonata: deadlock: {first}: a cycle" in capsys.readouterr().err
    ends = {first: InputError([]), second: failed}
    assert every_model(monkeypatch, ends) == (2, list(running.BUILT_IN))


@pytest.mark.parametrize(
    "name, on, ranks",
    [("hpl", "aurora", 12), ("hpl", "frontier", 8), ("hpcg", "lumi-g", 8), ("hacc", "aurora", 96),
     ("shamrock", "polaris", 4), ("lammps", "frontier", 64), ("fmm", "dragonfly-1056", 1)],
)  # fmt: skip
def test_each_computing_unit_has_a_rank_by_default(name, on, ranks):
    """`[node.device]` of the machine files; HACC and LAMMPS have 8 ranks per unit."""
    assert app.load(name).ranks_per_node(od.machine(on)) == ranks


def test_all_models_in_one_command(odonata):
    given = ("--machine", "aurora", "--nodes", "1", "--ppn", "4", "--json", "--quiet")
    done = odonata("app", "all", *given)
    # The graph of Graph500 does not fit one node, which does not stop the others.
    assert done.returncode == 2 and "graph500" in done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    names = [name for name in running.BUILT_IN if name != "graph500"]
    assert [row["name"] for row in rows] == [app.load(name).title for name in names]
    assert all(len(row["rows"]) == 1 for row in rows)
    for more in (("all", "--problem", "n=1"), ("all", "hpl")):
        refused = odonata("app", *more, *given)
        assert refused.returncode == 2 and "model" in refused.stderr
