"""Rates of this computer: `odonata app rates`, and `--rates FILE`."""

import json
import random
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

import odonata as od
from odonata.app import App, checking, counts, rates
from odonata.app.rates import Timing
from odonata.errors import InputError

FLOPS, BYTES = 1e11, 2e10  # of the computer that is measured


def timings(**seconds):
    """Kernels that take the time of the roofline, or that of their name in `seconds`."""
    kinds = {
        "peak": (1e9, 0), "stream": (2e6, 24e6), "stencil": (8e6, 24e6), "spmv": (5e6, 3e7),
        "gauss_seidel": (1e7, 6e7), "pair": (1e8, 0), "tree": (0, 6e7), "panel": (2e7, 2e6),
    }  # fmt: skip
    found = []
    for kernel, (flops, bytes) in kinds.items():
        took = seconds.get(kernel, max(flops / FLOPS, bytes / BYTES))
        found.append(Timing(kernel, 0, flops, bytes, (took, took), (took, took)))
    # Half of 80 Gflop/s at order 100, and of 10 Gflop/s at 50 points.
    for kernel, sizes, large, half in (
        ("gemm", (128, 1024), 8e10, 100), ("fft", (64, 4096), 1e10, 50),
    ):  # fmt: skip
        for size in sizes:
            took = 1e9 / (large * size / (size + half))
            found.append(Timing(kernel, size, 1e9, 0, (took, took), (took, took)))
    return found


def test_efficiencies_are_the_bound_over_the_time():
    keys = rates.device(timings(pair=2 * 1e8 / FLOPS, tree=4 * 6e7 / BYTES))
    assert keys["count"] == 2
    assert keys["fp64"] == "1e+05 Mflop/s" and keys["memory_rate"] == "2e+04 MB/s"
    assert keys["efficiency.pair"] == 0.5 and keys["efficiency.tree"] == 0.25
    assert keys["efficiency.stream"] == keys["efficiency.stencil"] == 1.0


def test_jitter_is_the_standard_deviation_of_calls():
    """Planted: normal noise of 5 %, and one call that is much faster."""
    draw = random.Random(1)
    calls = sorted([0.2, *(draw.gauss(1, 0.05) for _ in range(2000))])
    middle, late = calls[len(calls) // 2], calls[len(calls) * 84 // 100]
    noisy = [
        replace(of, typical=tuple(middle * t for t in of.typical),
                late=tuple(late * t for t in of.typical))
        for of in timings()
    ]  # fmt: skip
    assert rates.device(noisy)["jitter"] == pytest.approx(0.05, rel=0.1)


def test_quantiles_of_calls_are_measured(monkeypatch):
    """What the program of the products prints is the median and the quantile of 84 %."""
    clock = iter([0.0, *(x for took in (3, 1, 2) for x in (0.0, took)), 9.0])
    monkeypatch.setattr(time, "thread_time", lambda: next(clock))
    monkeypatch.setattr(sys, "argv", ["-c", "1", "2"])
    printed = []
    exec(rates.GEMM, {"print": lambda *words: printed.append(words)})
    assert printed == [("gemm", 2, 16, 96, 2, 3)]


def test_limited_efficiencies_are_noted():
    fast = timings(pair=1e8 / FLOPS / 2)
    keys = rates.device(fast)
    assert keys["efficiency.pair"] == 1.0
    text = rates.written(fast, keys)
    assert "# efficiency.pair: 2 measured" in text and text.count("measured\n") == 1
    assert "limited" not in rates.written(timings(), rates.device(timings()))


def test_the_c_kernels_are_those_that_count(tmp_path):
    """Products of matrices are NumPy's."""
    subprocess.run(["cc", "-O1", "-o", tmp_path / "rates", rates.SOURCE, "-lm"], check=True)
    found = subprocess.run([tmp_path / "rates", "0.001"], capture_output=True, text=True).stdout
    read = rates.read_timings([found])
    assert {of.kernel for of in read} == {"peak", *rates.KERNELS} - {"gemm"}
    assert all(0 < of.typical[0] <= of.late[0] for of in read)


def test_two_sizes_determine_the_half_size():
    keys = rates.device(timings())
    assert keys["matrix_fp64"] == "8e+04 Mflop/s" and keys["half_size.gemm"] == 100
    assert keys["efficiency.fft"] == pytest.approx(0.1) and keys["half_size.fft"] == 50


def test_rates_that_fall_with_the_size_have_no_half_size():
    falling = [Timing("fft", n, 1e9, 0, (s,), (s,)) for n, s in ((64, 1.0), (4096, 2.0))]
    assert rates.of_size(falling) == (pytest.approx(0.5e9), 0.0)


def test_this_computer_is_measured(odonata, tmp_path):
    """Arithmetic in caches is faster than what waits for memory."""
    found = rates.measure(seconds=0.02)
    keys = rates.device(found)
    assert {of.kernel for of in found} == {"peak", *rates.KERNELS}
    assert all(0 < keys[f"efficiency.{kernel}"] <= 1 for kernel in rates.KERNELS)
    by_kernel = {of.kernel: of for of in found}
    flops = {kernel: of.flops / of.seconds for kernel, of in by_kernel.items()}
    assert flops["gemm"] > flops["spmv"]
    file = tmp_path / "here.toml"
    file.write_text(rates.written(found, keys))
    options = ("--machine", "aurora", "--ppn", 2, "--nodes", 1, "--json")
    done = odonata("app", "hpcg", *options, "--rates", file, "--set", "node.device.count=2")
    assert done.returncode == 0, done.stderr
    (run,) = json.loads(done.stdout)["runs"]
    (spmv,) = [row for row in run["computations"] if row["kernel"] == "spmv"]
    share = keys["efficiency.spmv"] * float(keys["memory_rate"].split()[0]) * 1e6
    # Within jitter and spread of the two ranks.
    assert spmv["time_s"] == pytest.approx(spmv["bytes"] / share, rel=0.5)


def test_no_rate_of_the_machines_gpu_remains(odonata, tmp_path):
    """Frontier has rates of 16 bits, and an efficiency of their products."""
    keys, file, model = rates.device(timings()), tmp_path / "here.toml", tmp_path / "model.py"
    file.write_text(rates.written(timings(), keys))
    model.write_text("from odonata.app import App\n"
                     "model = App(lambda a: a.compute(flops=8e9, kernel='gemm', precision='fp16'))")
    changes = rates.read(str(file))
    for name in ("fp16", "fp8", "matrix_fp16", "matrix_fp8"):
        same = "matrix_fp64" if name.startswith("matrix") else "fp64"
        assert changes[f"node.device.{name}"] == keys[same]
    options = ("--machine", "frontier", "--ppn", 1, "--nodes", 1, "--json", "--rates", file)
    done = odonata("app", model, *options, "--set", "node.device.jitter=0.001",
                   "--set", "node.device.count=1")  # fmt: skip
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)["runs"][0]["computations"]
    assert row["time_s"] == pytest.approx(8e9 / 8e10, rel=0.01)


@pytest.mark.parametrize(
    "text",
    ["", "[node]\n", "[node.device]\n", "[node.device]\ncount = [1]\n", "[nic]\nwindow = 1\n",
     "[node.device]\ncount = 1\n[node]\nfp = 1\n", "[node.device\n"],
)  # fmt: skip
def test_other_files_are_refused(odonata, tmp_path, text):
    file = tmp_path / "rates.toml"
    file.write_text(text)
    with pytest.raises(InputError, match="rates"):
        rates.read(str(file))
    done = odonata("app", "hpcg", "--machine", "aurora", "--nodes", 1, "--rates", file)
    assert done.returncode == 2 and "rates" in done.stderr


def test_a_missing_file_is_refused(odonata, tmp_path):
    done = odonata("app", "hpcg", "--machine", "aurora", "--nodes", 1, "--rates", tmp_path / "no")
    assert done.returncode == 2 and "No such file" in done.stderr
    done = odonata("app", "rates", tmp_path / "no" / "here.txt")
    assert done.returncode == 2 and "FILE.toml" in done.stderr
    done = odonata("app", "rates", tmp_path / "a.toml", "hpcg")  # neither machine nor program
    assert done.returncode == 2 and "machine" in done.stderr


def test_a_missing_compiler_is_named(monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(InputError, match="no-such-compiler"):
        rates.measure(seconds=0.01)


BUSY = """
#include <mpi.h>
#include <time.h>
int main(int argc, char **argv)
{
    struct timespec t;
    MPI_Init(&argc, &argv);
    do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    while (t.tv_sec + 1e-9 * t.tv_nsec < 0.2);
    MPI_Finalize();
    return 0;
}
"""


def compiled(tmp_path, text):
    (tmp_path / "program.c").write_text(text)
    compiler = Path(od.__file__).parent / "_bin" / "odonata-mpicc"
    program = tmp_path / "program"
    subprocess.run(["sh", compiler, "-O1", tmp_path / "program.c", "-o", program], check=True)
    return str(program)


def test_rates_of_a_program_predict_its_time_on_one_rank(tmp_path):
    """A program computes until it has used 0.2 s: so does the model, whatever its flops."""
    model = App(lambda a: a.compute(flops=a.flops, kernel="pair"), options={"flops": 1e9})
    keys, machine = rates.device(timings()), od.machine("dragonfly-1056")
    of = rates.fit(keys, model, machine, [compiled(tmp_path, BUSY)], model.options)
    assert 0.15 < 1e9 / FLOPS / of.factor <= 0.21 and of.factors == {"pair": of.factor}
    fitted = rates.fitted(keys, of)
    assert float(fitted["fp64"].split()[0]) == pytest.approx(of.factor * 1e5, rel=1e-3)
    assert fitted["efficiency.pair"] == keys["efficiency.pair"]
    assert fitted["jitter"] == keys["jitter"]  # of one rank, nothing is known


TWO_KERNELS = """
#include <mpi.h>
#include <time.h>
static void compute(double seconds)
{
    struct timespec a, b;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
    do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
    while (b.tv_sec - a.tv_sec + 1e-9 * (b.tv_nsec - a.tv_nsec) < seconds);
}
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    compute(0.05); /* set-up */
    MPI_Barrier(MPI_COMM_WORLD);
    for (int k = 0; k < 3; k++) {
        compute(0.004);
        MPI_Barrier(MPI_COMM_WORLD);
        compute(0.012);
        MPI_Barrier(MPI_COMM_WORLD);
        compute(0.008); /* not in the model */
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
"""


def two_kernels(a):
    a.barrier()
    with a.loop(3):
        with a.phase("forces"):
            a.compute(flops=FLOPS / 100, kernel="pair")
        with a.phase("search"):
            a.barrier()
            a.compute(bytes=BYTES / 100, kernel="tree")
        with a.phase("end"):
            a.barrier()
            a.barrier()


def test_kernels_are_compared_between_calls(tmp_path):
    """In the model both kernels take 10 ms, in the program 4 and 12 ms of CPU time."""
    keys, machine = rates.device(timings()), od.machine("dragonfly-1056")
    program, model = [compiled(tmp_path, TWO_KERNELS)], App(two_kernels)
    model.file = str(tmp_path / "model.py")  # beside which the check notes its success
    of = rates.fit(keys, model, machine, program, {}, 4)
    assert of.factors["pair"] == pytest.approx(10 / 4, rel=0.15)
    assert of.factors["tree"] == pytest.approx(10 / 12, rel=0.15)
    fitted = rates.fitted(keys, of)
    share = fitted["efficiency.tree"] / fitted["efficiency.pair"]
    assert share == pytest.approx(of.factors["tree"] / of.factors["pair"], rel=0.01)
    # With these rates, the model computes as long as the program in phases that it has.
    changes = {f"node.device.{key}": value for key, value in fitted.items()}
    result = checking.check(
        model, "two", machine.with_(changes), program, [2, 4], {}, computes=True
    )
    assert result.is_equal
    for size in result.sizes:
        rows = {row.phase: row for row in size.computing}
        for name, seconds in (("forces", 0.012), ("search", 0.036)):
            assert rows[name].program_s == pytest.approx(seconds, rel=0.15)
            assert rows[name].model_s == pytest.approx(seconds, rel=0.15)
        # Set-up does not count; what the model does not have is computation of the next call.
        assert rows["end"].program_s == pytest.approx(0.024, rel=0.15)
        assert rows["end"].model_s == 0
        assert f"computation of end: program {size.computing[-1].program_s * 1e3:.1f} ms" in (
            result.text()
        )


def unequal(a):
    """Computations of one kernel differ in size, and with their ranks."""
    a.compute(flops=1e9, kernel="pair")
    a.barrier()
    for first, second in ((1e-3, 0), (0, 9e-3)):
        with a.loop(5):
            a.compute(bytes=first * BYTES, kernel="stream")
            a.compute(bytes=(second + 1e-9) * BYTES, kernel="tree")
            a.barrier()
    with a.phase("uneven"), a.loop(9):
        for rank in range(a.ranks):
            with a.where(at=rank):
                a.compute(flops=(rank + 1) * 1e6, kernel="pair")
        a.compute(seconds=1e-5)
        a.barrier()


def recordings(monkeypatch, model, seconds):
    """Recordings of a program that makes the model's calls; `seconds` per rank and computation."""
    def recorded(job, words, tick, compute):
        of = checking.listing(model, job.ranks, {})
        rows = []
        for rank, calls in enumerate(of.calls):
            rows.append([vars(call) | {"op": call.op, "root": 0, "lengths": []} for call in calls])
            rows[-1].append({"op": "exit"})
            for nth, row in enumerate(rows[-1]):
                own = of.computed[rank].get(nth, ())
                row["computing_s"] = sum(seconds(rank, number) for *_, number in own)
        return rows, 0.0

    monkeypatch.setattr(checking, "recorded", recorded)


def test_a_program_as_fast_as_its_model_has_the_factor_1(monkeypatch):
    keys, machine, model = rates.device(timings()), od.machine("dragonfly-1056"), App(unequal)
    exact = {f"node.device.{key}": value for key, value in keys.items()}
    job = machine.with_(exact | {"node.device.count": 1}).job(nodes=4, ppn=1)
    of = checking.listing(model, 4, {})
    model_s = checking.seconds_of(job, of.phases, None)
    uneven = [n / 100_000 for n in (1, 2, 3, 4)]
    assert model_s == pytest.approx([0.01, 1e-3, 1e-9, 0, 9e-3, *uneven, 1e-5], rel=1e-6)
    recordings(monkeypatch, model, lambda rank, number: model_s[number])
    fit = rates.fit(keys, model, machine, ["program"], {}, 4)
    assert fit.factors == pytest.approx({"pair": 1, "stream": 1, "tree": 1}, rel=1e-3)
    # Ranks that compute for different times in the model have no jitter.
    assert fit.factor == pytest.approx(1, rel=1e-3) and fit.jitter < 1e-3
    # What comes before the first call is not compared, of either side.
    recordings(monkeypatch, model, lambda rank, number: 2 * model_s[number])
    rows, _ = checking.recorded(job, [], None, "measured")
    phases = {"phases": [{"phase": "uneven"}]}
    found = checking.by_phase(checking.gaps(of, rows, model_s), phases, 4)
    assert [row.phase for row in found] == ["uneven", "main"]
    assert all(row.program_s == pytest.approx(2 * row.model_s, rel=1e-3) for row in found)
    assert found[0].model_s == pytest.approx(9 * (sum(uneven) / 4 + 1e-5), rel=1e-3)


def test_a_program_that_is_not_the_models_has_no_rates(monkeypatch):
    machine = od.machine("dragonfly-1056")
    recordings(monkeypatch, App(lambda a: a.barrier()), lambda rank, number: 0.0)
    model = App(lambda a: [a.barrier(), a.compute(flops=1), a.allreduce(8)])
    with pytest.raises(InputError, match="rank 0, call 1.*recording.*the model.s call: allreduce"):
        rates.fit(rates.device(timings()), model, machine, ["program"], {}, 4)


def test_drawn_sizes_need_not_be_those_of_the_model(monkeypatch):
    def model(elements):
        def step(a):
            a.barrier()
            a.compute(flops=1e6, kernel="pair")
            a.alltoallv(8 * elements, grain=8, spread=counts())

        return App(step)

    recordings(monkeypatch, model(1000), lambda rank, number: 0.01)
    machine = od.machine("dragonfly-1056")
    of = rates.fit(rates.device(timings()), model(100), machine, ["program"], {}, 4)
    assert of.factors["pair"] == pytest.approx(1e6 / FLOPS / 0.01, rel=1e-3)


def test_variation_is_that_of_ranks_at_the_same_call():
    """83 of 100 ranks take 1 s, the others 1.3 s; another call takes 100 times as long."""
    def gaps(call, scale):
        times = [1.0] * 83 + [1.3] * 17
        return [checking.Gap(rank, call, "all", scale * seconds, ("tree",), (1.0,), False)
                for rank, seconds in enumerate(times)]  # fmt: skip

    assert rates.variation(gaps(1, 1.0) + gaps(2, 100.0)) == pytest.approx(0.3)
    assert rates.variation(gaps(1, 0.0)) == 0


def test_programs_without_computation_are_refused():
    model = App(lambda a: None)
    with pytest.raises(InputError, match="computation with flops"):
        rates.fit(rates.device(timings()), model, od.machine("dragonfly-1056"), ["/bin/true"], {})
