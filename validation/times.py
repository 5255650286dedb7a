"""Times of programs and of their models, without computation and with that of this machine.

    times.py [cg27|swfft|bfs2d|kmers|fmm|sph|hpl|lammps] ...

The programs run on the machine dragonfly-1056, in closed form. With computation, ranks are charged
the CPU time that they take on this machine (`--compute measured`). The model has the rates of
`odonata app rates`, compiled as the programs, with a factor per kernel, which a run of the program
on four ranks yields (LAMMPS: eight). HPL is built by `validate.py hpl`. Other processes on this
machine disturb the measurement.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import validate

import odonata as od
from odonata import core
from odonata.app import checking, rates, running
from odonata.benchmarks import MESSAGES

ROOT = Path(__file__).resolve().parents[1]
APPS, SPH = ROOT / "examples" / "apps", ROOT / "examples" / "sph"
MACHINE = "dragonfly-1056"
RANKS = (8, 27, 64)
REPEATS = 3  # measurements, of which the shortest counts


@dataclass(frozen=True)
class Program:
    """A program, its model, and the words in which it prints the microseconds that the model
    covers; without words, the whole run counts."""

    name: str
    model: str
    options: dict[str, Any]
    command: tuple[str, ...]
    # With computation: a larger problem, whose computations take longer than a change of context.
    # Nothing: the program only communicates.
    large: dict[str, Any]
    words: str = ""
    # The model covers a part of the run: the difference to a run with these options counts.
    shorter: dict[str, Any] | None = None
    # Ranks on which the rates are measured. On 4, LAMMPS has messages that the model does not have.
    fitted: int = 4


def programs(chosen: set[str]) -> list[Program]:
    """Those with chosen names, or all. Others are not compiled."""
    return [made() for made in PROGRAMS if not chosen or made.__name__ in chosen]


def cg27() -> Program:
    return Program(
        "cg27", "hpcg", {"nx": 16, "ny": 16, "nz": 16, "iterations": 4},
        (compiled("cg27"), "{nx}", "{ny}", "{nz}", "{iterations}"),
        {"nx": 64, "ny": 64, "nz": 64, "iterations": 2},
    )  # fmt: skip


def swfft() -> Program:
    model, command = str(APPS / "swfft.py"), (compiled("swfft"), "{points}")
    return Program("swfft", model, {"points": 32}, command, {"points": 128})


def bfs2d() -> Program:
    command = (compiled("bfs2d"), "{scale}", "{edges}")
    words = r"ranks, ([\d.]+) us: ok"
    large = {"scale": 18, "branch_ns": 5.0}  # a core
    return Program("bfs2d", str(APPS / "bfs2d.py"), {}, command, large, words)


def kmers() -> Program:
    command = (compiled("kmers"), "{reads}", "{batches}")
    words = r"words, ([\d.]+) us: ok"
    return Program("kmers", str(APPS / "kmers.py"), {}, command, {"reads": 1000}, words)


def fmm() -> Program:
    command = (compiled("fmm"), "get", "{count}", "{fence_every}", "{order}")
    return Program("fmm", "fmm", {}, command, {}, r"per rank, ([\d.]+) us: ok")


def sph() -> Program:
    return Program(
        "SPH", str(SPH / "model.py"), {"steps": 4},
        (sys.executable, str(SPH / "sph.py"), "--particles", "{particles}", "--split", "{split}",
         "--steps", "{steps}"),
        {"particles": 48, "split": 4096, "steps": 1, "corrections": 3}, r"step ([\d.]+) us",
    )  # fmt: skip


def hpl() -> Program:
    command = (str(validate.built("hpl")), "{n}", "{nb}")
    model = str(ROOT / "validation" / "hpcc" / "hpl.py")
    words = r"factorization ([\d.]+) us"
    return Program("HPL", model, {"n": 512, "nb": 64}, command, {"n": 2048}, words)


def lammps() -> Program:
    program = validate.built("lammps")
    command = (str(program), "-in", str(validate.rhodo_input(program, runs())), "-log", "none",
               "-screen", "none", "-var", "steps", "{steps}")  # fmt: skip
    model = str(ROOT / "validation" / "lammps" / "rhodo.py")
    return Program("LAMMPS", model, {"steps": 3}, command, {"steps": 3}, "", {"steps": 1}, 8)


PROGRAMS = (cg27, swfft, bfs2d, kmers, fmm, sph, hpl, lammps)


def runs() -> Path:
    """The folder in which programs run."""
    folder = validate.CACHE / "runs" / "times"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def compiled(name: str) -> str:
    out = validate.CACHE / "bin" / name
    out.parent.mkdir(parents=True, exist_ok=True)
    compiler = str(validate.WRAPPERS / "odonata-mpicc")
    source = APPS / f"{name}.c"
    subprocess.run(["sh", compiler, "-O2", source, "-o", out, "-lm"], check=True)
    return str(out)


def values_of(program: Program, ranks: int, is_large: bool) -> dict[str, Any]:
    """Options of the model. Epochs of FMM are whole sweeps over the other ranks."""
    values = {**running.load(program.model).options, **program.options}
    values |= program.large if is_large else {}
    if program.name == "fmm":
        sweeps = max(378 // (ranks - 1), 1)
        values |= {"fence_every": sweeps * (ranks - 1), "count": 4 * sweeps * (ranks - 1)}
    return values


def job_of(ranks: int, rate: dict[str, Any]) -> od.Job:
    ppn = 8 if ranks % 8 == 0 else 1
    # The rates are those of one rank.
    count = {"node.device.count": ppn} if rate else {}
    return od.machine(MACHINE).with_(rate | count).job(nodes=ranks // ppn, ppn=ppn)


def changes(keys: dict[str, Any]) -> dict[str, Any]:
    """Changes to a machine file. Differences between units are not compared."""
    found = {f"node.device.{key}": value for key, value in keys.items()}
    return {**found, "node.device.spread": rates.LEAST}


def fitted(program: Program, keys: dict[str, Any]) -> dict[str, Any]:
    """Rates of the program's code, from a few ranks."""
    values = values_of(program, program.fitted, True)
    words = [word.format_map(values) for word in program.command]
    machine, model = od.machine(MACHINE), running.load(program.model)
    os.chdir(runs())
    of = rates.fit(keys, model, machine, words, values, program.fitted)
    shown = ", ".join(f"{name} {factor:.3g}" for name, factor in of.factors.items())
    print(f"{program.name}: times as fast as the kernels: {shown}; jitter {of.jitter}",
          file=sys.stderr, flush=True)  # fmt: skip
    return changes(rates.fitted(keys, of))


def time_of_program(program: Program, ranks: int, compute: str) -> float:
    """Seconds of what the model covers."""
    job, values = job_of(ranks, {}), values_of(program, ranks, compute != "none")
    words = [word.format_map(values) for word in program.command]
    command = [sys.executable, "-m", "odonata", "run", "-n", str(ranks), "--ppn", str(job.ppn)]
    command += ["--machine", MACHINE, "--fidelity", "loggp", "--compute", compute, "--json"]
    found = []
    for _ in range(REPEATS if compute == "measured" else 1):
        done = subprocess.run(
            [*command, "--", *words], cwd=runs(), capture_output=True, text=True, check=True,
            env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
        )  # fmt: skip
        if program.words:
            found.append(1e-6 * float(re.findall(program.words, done.stdout + done.stderr)[-1]))
        else:
            found.append(json.loads(done.stdout[done.stdout.index("{"):])["time_s"])
    steps = values["steps"] if program.name == "SPH" else 1
    return steps * min(found)


def computations(program: Program, ranks: int, rate: dict[str, Any]) -> tuple[float, float]:
    """Seconds of computation of the program between the model's calls and of the model there, the
    mean over ranks. Waiting does not count."""
    values = values_of(program, ranks, True)
    words = [word.format_map(values) for word in program.command]
    os.chdir(runs())
    model, job = running.load(program.model), job_of(ranks, {})
    of = checking.listing(model, ranks, values)
    rows, _ = checking.recorded(job, words, None, "measured")
    model_s = checking.seconds_of(job_of(ranks, rate), of.phases, None)
    found = [gap for gap in checking.gaps(of, rows, model_s) if not gap.is_first]
    return sum(gap.seconds for gap in found) / ranks, sum(sum(g.model_s) for g in found) / ranks


def time_of_model(program: Program, ranks: int, rate: dict[str, Any] | None) -> float:
    model, values = running.load(program.model), values_of(program, ranks, rate is not None)
    job = job_of(ranks, rate or {})
    phases = model.phases(int(job.nodes), int(job.ppn or 1), values)
    if rate is None:
        return checking.time_of(job, phases, None)
    request = checking.request_of(job, "loggp", phases, MESSAGES)
    return float(core.enter("app", {**request, "method": "all"}, None)["time_s"])


def main() -> int:
    os.environ["CFLAGS"] = "-O2"  # as `compiled`; HPCC has its own
    keys = rates.device(rates.measure())
    print("| program | ranks | computation | program | model | difference | of computation |")
    print("|---|---|---|---|---|---|---|")
    for program in programs(set(sys.argv[1:])):
        rows: list[tuple[str, int, dict[str, Any] | None]]
        rows = [("none", ranks, None) for ranks in RANKS]
        if program.large:
            own = fitted(program, keys)
            rows += [("measured", ranks, own) for ranks in RANKS]
        for label, ranks, rate in rows:
            compute = "none" if rate is None else "measured"
            ours = time_of_program(program, ranks, compute)
            theirs = time_of_model(program, ranks, rate)
            if program.shorter is not None:
                part = replace(
                    program, options=program.options | program.shorter,
                    large=program.large | program.shorter,
                )  # fmt: skip
                ours -= time_of_program(part, ranks, compute)
                theirs -= time_of_model(part, ranks, rate)
            cells = [
                program.name, ranks, label, f"{1e6 * ours:,.1f} us", f"{1e6 * theirs:,.1f} us",
                f"{100 * (theirs / ours - 1):+.1f} %", "",
            ]  # fmt: skip
            if rate is not None:
                ours, theirs = computations(program, ranks, rate)
                cells[-1] = f"{100 * (theirs / ours - 1):+.1f} %"
            print(f"| {' | '.join(map(str, cells))} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
