"""Rates of this computer for models: `odonata app rates FILE`, and `--rates FILE`.

rates.c measures kernels on all cores at a time. Products of matrices are those of NumPy's BLAS. The
efficiency of a kernel is the bound of the roofline over the measured time of its median call.
"""

from __future__ import annotations

import functools
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median, pstdev
from typing import Any

from .. import core
from ..errors import Diagnostics
from ..files import why
from ..machines import Job, Machine
from . import checking
from .model import App
from .phases import KERNELS, input_error

SOURCE = Path(__file__).with_name("rates.c")
FLAGS = "-O3 -march=native"  # unless $CFLAGS is set
SECONDS = 0.5  # of each kernel
REPEATS = 3  # runs of a program, of which the shortest counts
LEAST_RANKS = 4  # whose computations are compared for their variation
ORDERS = (128, 1024)  # of the matrices whose product is measured
LEAST = 0.001  # of spread and jitter that a machine file accepts
# Keys that a file may lack, and those whose values they have then, as in a machine file. Without a
# value of the file, those of the machine's GPU would remain.
ABSENT = (
    ("fp32", "fp64"), ("fp16", "fp32"), ("fp8", "fp16"), ("matrix_fp64", "fp64"),
    ("matrix_fp32", "fp32"), ("matrix_fp16", "fp16"), ("matrix_fp8", "fp8"),
    ("efficiency.gemm_fp16", "efficiency.gemm"),
)  # fmt: skip
# Rates of products below 64 bits, which are not measured.
NARROW = ("matrix_fp32", "matrix_fp16", "matrix_fp8")
WANTED = "a file with `[node.device]`, as `odonata app rates FILE` writes it"
GEMM = """
import sys, time
import numpy as np
for n in map(int, sys.argv[2:]):
    a, b = np.random.default_rng(1).random((2, n, n))
    a @ b
    took, start = [], time.thread_time()
    while len(took) < 3 or time.thread_time() - start < float(sys.argv[1]):
        before = time.thread_time()
        a @ b
        took.append(time.thread_time() - before)
    print("gemm", n, 2 * n**3, 24 * n**2, *(sorted(took)[len(took) * q // 100] for q in (50, 84)))
"""
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"), "1"
)


@dataclass(frozen=True)
class Timing:
    """A call of a kernel: what it does, and its CPU time on each core."""

    kernel: str
    size: float
    flops: float
    bytes: float
    typical: tuple[float, ...]  # of the median call
    late: tuple[float, ...]  # that 84 % of the calls do not exceed

    @property
    def seconds(self) -> float:
        return median(self.typical)


def measure(seconds: float = SECONDS) -> list[Timing]:
    """All kernels on each core that this process may use."""
    compiler = shlex.split(os.environ.get("CC") or "cc")
    flags = shlex.split(os.environ.get("CFLAGS") or FLAGS)
    with tempfile.TemporaryDirectory(prefix="odonata-rates-") as folder:
        program = os.path.join(folder, "rates")
        words = [*compiler, *flags, "-o", program, str(SOURCE), "-lm"]
        try:
            done = subprocess.run(words, capture_output=True, text=True, check=False)
        except OSError as error:
            raise input_error("CC", words[0], f"a C compiler ({why(error)})") from None
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise input_error("compiler", shlex.join(words[:-2]), f"no error: {last}")
        kernels = on_all_cores([program, str(seconds)])
    products = on_all_cores([sys.executable, "-c", GEMM, str(seconds), *map(str, ORDERS)])
    return kernels + products


def on_all_cores(words: Sequence[str]) -> list[Timing]:
    """Run a program on each core at the same time, and read what it prints."""
    cores = sorted(os.sched_getaffinity(0))
    started = [
        subprocess.Popen(
            words, stdout=subprocess.PIPE, text=True, env={**os.environ, **ONE_THREAD},
            preexec_fn=functools.partial(os.sched_setaffinity, 0, {core}),
        )
        for core in cores
    ]  # fmt: skip
    texts = [process.communicate()[0] for process in started]
    for process in started:
        if process.returncode:
            raise input_error("rates", shlex.join(words), f"exit code 0, not {process.returncode}")
    return read_timings(texts)


def read_timings(texts: Sequence[str]) -> list[Timing]:
    """Timings from the output of each core."""
    found = []
    for lines in zip(*(text.splitlines() for text in texts), strict=True):
        (name, *first), *others = (line.split() for line in lines)
        numbers = [[float(word) for word in words] for words in (first, *(o[1:] for o in others))]
        size, flops, bytes = numbers[0][:3]
        typical, late = zip(*((of[3], of[4]) for of in numbers), strict=True)
        found.append(Timing(name, size, flops, bytes, typical, late))
    return found


def of_size(timings: Sequence[Timing]) -> tuple[float, float]:
    """Rate of large sizes, and the size of half that rate: rate(n) = rate n / (n + half).

    Two sizes determine both, since 1 / rate(n) is linear in 1 / n. A rate that falls with the size
    has no half size.
    """
    small, large = min(timings, key=lambda t: t.size), max(timings, key=lambda t: t.size)
    slow, fast = small.seconds / small.flops, large.seconds / large.flops
    slope = (slow - fast) / (1 / small.size - 1 / large.size)
    least = fast - slope / large.size
    if slope <= 0 or least <= 0:
        return 1 / fast, 0.0
    return 1 / least, slope / least


def grouped(timings: Sequence[Timing]) -> dict[str, list[Timing]]:
    """Timings by kernel."""
    by_kernel: dict[str, list[Timing]] = {}
    for timing in timings:
        by_kernel.setdefault(timing.kernel, []).append(timing)
    return by_kernel


def shares(timings: Sequence[Timing]) -> dict[str, float]:
    """Measured efficiency by kernel. It is above 1 if a kernel exceeds the measured peaks, such as
    with arrays that caches hold in part."""
    by_kernel = grouped(timings)
    (peak,), (stream,) = by_kernel["peak"], by_kernel["stream"]
    flops, memory = peak.flops / peak.seconds, stream.bytes / stream.seconds
    found = {}
    for kernel in KERNELS:
        if kernel == "gemm":
            share = 1.0  # `matrix_fp64` is measured
        elif kernel == "fft":
            share = of_size(by_kernel[kernel])[0] / flops
        else:
            (of,) = by_kernel[kernel]
            share = max(of.flops / flops, of.bytes / memory) / of.seconds
        found[kernel] = significant(share)
    return found


def device(timings: Sequence[Timing]) -> dict[str, Any]:
    """The keys of `[node.device]` for one core."""
    by_kernel = grouped(timings)
    (peak,), (stream,) = by_kernel["peak"], by_kernel["stream"]
    flops, memory = peak.flops / peak.seconds, stream.bytes / stream.seconds
    matrix, half_matrix = of_size(by_kernel["gemm"])
    _, half_line = of_size(by_kernel["fft"])
    keys: dict[str, Any] = {
        "name": f"core of {processor()}", "count": len(timings[0].typical),
        "fp64": rate(flops, "flop"), "fp32": rate(flops, "flop"),
        "matrix_fp64": rate(matrix, "flop"), **dict.fromkeys(NARROW, rate(matrix, "flop")),
        "memory_rate": rate(memory, "B"), "link_rate": rate(memory, "B"), "launch": "0 us",
    }  # fmt: skip
    keys |= {f"efficiency.{kernel}": min(of, 1.0) for kernel, of in shares(timings).items()}
    keys |= {"half_size.gemm": round(half_matrix), "half_size.fft": round(half_line)}
    speeds = [[t / fmean(of.typical) for t in of.typical] for of in timings]
    keys["spread"] = max(significant(median([pstdev(of) for of in speeds])), LEAST)
    # Of a normal distribution, 84 % are at most one standard deviation above the median.
    late = [b / a - 1 for of in timings for a, b in zip(of.typical, of.late, strict=True)]
    keys["jitter"] = max(significant(median(late)), LEAST)
    return keys


@dataclass(frozen=True)
class Fit:
    """A program's code compared with the kernels: how many times as fast it is, by kernel of its
    model, and all of its computation; and how much its computations vary, if several ranks made
    them."""

    factors: dict[str, float]
    factor: float
    jitter: float | None


def fit(
    keys: Mapping[str, Any],
    model: App,
    machine: Machine,
    program: Sequence[str],
    values: Mapping[str, Any],
    ranks: int = 1,
    tick: core.Tick | None = None,
) -> Fit:
    """Compare the computation between the model's calls, on this number of ranks.

    Of three runs of the program, that with the least computation counts. If calls of the model do
    not separate kernels, these share the time as in the model.
    """
    wrong = Diagnostics()
    words = [checking.filled(wrong, word, values) for word in program]
    if not words:
        wrong.add("program", "nothing", "a program after `--`")
    wrong.raise_any()
    exact = {f"node.device.{key}": value for key, value in keys.items()}
    ppn = checking.PPN if ranks % checking.PPN == 0 else 1
    exact |= {"node.device.count": ppn, "node.device.spread": LEAST, "node.device.jitter": LEAST}
    job = machine.with_(exact).job(nodes=ranks // ppn, ppn=ppn)
    of = checking.listing(model, ranks, values)
    model_s = checking.seconds_of(job, of.phases, tick)
    runs = [computing(of, job, words, model_s, tick) for _ in range(REPEATS)]
    found = min(runs, key=lambda gaps: sum(gap.seconds for gap in gaps))
    # Before the first call there is set-up, too.
    found = [gap for gap in found if not gap.is_first] or found
    of_model: dict[str, float] = {}
    of_program: dict[str, float] = {}
    for gap in found:
        each = list(zip(gap.kernels, gap.model_s, strict=True))
        # Stated times do not depend on rates. Kernels have the rest of the program's time.
        stated = sum(seconds for name, seconds in each if not name)
        whole = sum(gap.model_s) - stated
        for name, seconds in each:
            if name and whole:
                of_model[name] = of_model.get(name, 0.0) + seconds
                share = (gap.seconds - stated) * seconds / whole
                of_program[name] = of_program.get(name, 0.0) + share
    if not (sum(of_model.values()) > 0 and sum(of_program.values()) > 0):
        raise input_error("model", "none", "computation with flops or bytes, and a program's")
    factors = {
        name: seconds / of_program[name]
        for name, seconds in of_model.items() if seconds > 0 and of_program[name] > 0
    }  # fmt: skip
    factor = sum(of_model.values()) / sum(of_program.values())
    return Fit(factors, factor, variation(found) if ranks >= LEAST_RANKS else None)


def computing(
    of: checking.Listing,
    job: Job,
    words: Sequence[str],
    model_s: Sequence[float],
    tick: core.Tick | None,
) -> list[checking.Gap]:
    """The computations of one run of the program where the model has kernels. A program whose calls
    are not the model's is an input error; drawn sizes need not be those of the model."""
    rows, _ = checking.recorded(job, words, tick, "measured")
    calls = [own[:-1] for own in rows]  # without the end
    for one in checking.compared_calls(len(rows), of.calls, calls).differences[:1]:
        where = f"rank {one.rank}, call {one.call}, phase {one.phase}"
        raise input_error(f"program: {where}", one.found, f"the model's call: {one.expected}")
    return [gap for gap in checking.gaps(of, rows, model_s) if any(gap.kernels)]


def variation(gaps: Sequence[checking.Gap]) -> float:
    """The standard deviation of computations at the same call, relative to the model's there.

    It is the excess over the median of all ranks that 84 % of the time does not reach.
    """
    by_call: dict[tuple[int, str], list[tuple[float, float]]] = {}
    for gap in gaps:
        if (model_s := sum(gap.model_s)) > 0:
            by_call.setdefault((gap.call, gap.phase), []).append(
                (gap.seconds / model_s, gap.seconds)
            )
    ratios = sorted(
        (relative / middle, seconds)
        for each in by_call.values() if (middle := median(relative for relative, _ in each)) > 0
        for relative, seconds in each
    )  # fmt: skip
    left = 0.84 * sum(seconds for _, seconds in ratios)
    for ratio, seconds in ratios:
        left -= seconds
        if left <= 0:
            return max(ratio - 1, 0.0)
    return 0.0


def fitted(keys: Mapping[str, Any], of: Fit) -> dict[str, Any]:
    """The same for the code of a program: peaks times the largest factor, and efficiencies that
    are less for others."""
    found, most = dict(keys), max(of.factors.values())
    for name in ("fp64", "fp32", "matrix_fp64", *NARROW, "memory_rate", "link_rate"):
        value, unit = keys[name].split()
        found[name] = f"{most * float(value):.4g} {unit}"
    for kernel in KERNELS:
        share = of.factors.get(kernel, min(of.factor, most)) / most
        found[f"efficiency.{kernel}"] = significant(share * keys[f"efficiency.{kernel}"])
    if of.jitter is not None:
        found["jitter"] = max(significant(of.jitter), LEAST)
    return found


def significant(value: float) -> float:
    """Three digits."""
    return float(f"{value:.3g}")


def rate(value: float, unit: str) -> str:
    return f"{value / 1e6:.4g} M{unit}/s"


def processor() -> str:
    """The name of the processor."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name.strip() in ("model name", "Model", "uarch"):
            return value.strip().replace('"', "'")
    return os.uname().machine


def written(timings: Sequence[Timing], keys: Mapping[str, Any], note: str = "") -> str:
    """The machine-file fragment, with each measurement as a comment."""
    flags = os.environ.get("CFLAGS") or FLAGS
    lines = [
        "# Rates of one core while all compute, measured by `odonata app rates`: C kernels with",
        f"# {flags}, products of matrices by NumPy. Medians of calls. Not measured: less",
        "# than 64 bits (as fp64), link_rate (as memory_rate: a rank computes in host memory).",
        "#",
        "# kernel         size    time of a call     flop/s        B/s",
    ]
    for of in timings:
        size = f"{of.size:.0f}" if of.size else ""
        per_s = [f"{x / of.seconds:.3e}" if x else "" for x in (of.flops, of.bytes)]
        row = f"# {of.kernel:12} {size:>6} {of.seconds:14.3e} s {per_s[0]:>10} {per_s[1]:>10}"
        lines.append(row.rstrip())
    above = {kernel: share for kernel, share in shares(timings).items() if share > 1}
    if above:
        lines += ["#", "# Faster than the measured peaks, so the efficiency is limited to 1:"]
        lines += [f"# efficiency.{kernel}: {share:g} measured" for kernel, share in above.items()]
    lines += [*(["#", f"# {note}"] if note else []), "", "[node.device]"]
    for key, value in keys.items():
        lines.append(f'{key} = "{value}"' if isinstance(value, str) else f"{key} = {value}")
    return "\n".join(lines) + "\n"


def read(path: str) -> dict[str, Any]:
    """Changes to a machine file from the table `[node.device]` of a file."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        with open(path, "rb") as file:
            found = tomllib.load(file)
    except OSError as error:
        raise input_error("rates", path, f"{WANTED} ({why(error)})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise input_error("rates", path, f"{WANTED} ({error})") from None
    node = found.get("node")
    table = node.get("device") if isinstance(node, dict) else None
    others = [key for key in found if key != "node"]
    others += [f"node.{key}" for key in node if key != "device"] if isinstance(node, dict) else []
    if not isinstance(table, dict) or not table or others:
        raise input_error("rates", f"{path}: {', '.join(others) or 'no such table'}", WANTED)
    changes: dict[str, Any] = {}
    for key, value in table.items():
        parts = value.items() if isinstance(value, dict) else ((None, value),)
        for part, of in parts:
            name = f"node.device.{key}" + ("" if part is None else f".{part}")
            if isinstance(of, (dict, list)):
                raise input_error(f"rates: {name}", of, "a number or a text")
            changes[name] = of
    for key, same in ABSENT:
        key, same = f"node.device.{key}", f"node.device.{same}"
        if same in changes:
            changes.setdefault(key, changes[same])
    return changes
