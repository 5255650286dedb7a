"""Times of programs and of their models, without computation and with that of this machine.

    times.py [NAME ...]

The programs run on the machine dragonfly-1056, in closed form. With computation, ranks are charged
the CPU time that they take on this machine (`--compute measured`). The model has one rate, which a
run of the program on one rank yields: bytes per second of memory, or flops per second. HPL is built
by `validate.py hpl`. Other processes on this machine disturb the measurement.
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
from odonata.app import checking, running
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
    # With computation: a larger problem, whose computations take longer than a change of context,
    # and what limits them: `memory_rate`, `fp64`. Nothing: the program only communicates.
    large: dict[str, Any]
    rate: str = ""
    words: str = ""
    # The model covers a part of the run: the difference to a run with these options counts.
    shorter: dict[str, Any] | None = None


def programs() -> list[Program]:
    sph = ("--particles", "{particles}", "--split", "{split}", "--steps", "{steps}")
    lammps = validate.built("lammps")
    folder = validate.CACHE / "runs" / "times"
    folder.mkdir(parents=True, exist_ok=True)
    rhodo = validate.rhodo_input(lammps, folder)
    return [
        Program("cg27", "hpcg", {"nx": 16, "ny": 16, "nz": 16, "iterations": 4},
                (compiled("cg27"), "{nx}", "{ny}", "{nz}", "{iterations}"),
                {"nx": 64, "ny": 64, "nz": 64, "iterations": 2}, "memory_rate"),
        Program("swfft", str(APPS / "swfft.py"), {"points": 32},
                (compiled("swfft"), "{points}"), {"points": 128}, "fp64"),
        Program("bfs2d", str(APPS / "bfs2d.py"), {}, (compiled("bfs2d"), "{scale}", "{edges}"),
                {"scale": 15}, "memory_rate", r"ranks, ([\d.]+) us: ok"),
        Program("fmm", "fmm", {}, (compiled("fmm"), "get", "{count}", "{fence_every}", "{order}"),
                {}, words=r"per rank, ([\d.]+) us: ok"),
        Program("SPH", str(SPH / "model.py"), {"steps": 4},
                (sys.executable, str(SPH / "sph.py"), *sph),
                {"particles": 32, "split": 1024, "steps": 1, "corrections": 3},
                "memory_rate", r"step ([\d.]+) us"),
        Program("HPL", str(ROOT / "validation" / "hpcc" / "hpl.py"), {"n": 512, "nb": 64},
                (str(validate.built("hpl")), "{n}", "{nb}"),
                {"n": 2048}, "fp64", r"factorization ([\d.]+) us"),
        Program("LAMMPS", str(ROOT / "validation" / "lammps" / "rhodo.py"), {"steps": 3},
                (str(lammps), "-in", str(rhodo), "-log", "none", "-screen", "none", "-var", "steps",
                 "{steps}"), {}, shorter={"steps": 1}),
    ]  # fmt: skip


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


def job_of(ranks: int, rate: dict[str, str]) -> od.Job:
    ppn = 8 if ranks % 8 == 0 else 1
    # The rates are those of one rank. The preset has no `[node.device]`, so efficiencies are 1.
    count = {"node.device.count": ppn} if rate else {}
    return od.machine(MACHINE).with_(count | rate).job(nodes=ranks // ppn, ppn=ppn)


def rates(kind: str, value: float) -> dict[str, str]:
    """A device that one rate limits."""
    large = {"node.device.memory_rate": "1000 TB/s", "node.device.fp64": "1000 Tflop/s",
             "node.device.matrix_fp64": "1000 Tflop/s"}  # fmt: skip
    if kind == "memory_rate":
        return large | {"node.device.memory_rate": f"{value:.6g} MB/s"}
    return large | dict.fromkeys(
        ("node.device.fp64", "node.device.matrix_fp64"), f"{value:.6g} Mflop/s"
    )


def time_of_program(program: Program, ranks: int, compute: str) -> float:
    """Seconds of what the model covers."""
    folder = validate.CACHE / "runs" / "times"
    folder.mkdir(parents=True, exist_ok=True)
    job, values = job_of(ranks, {}), values_of(program, ranks, compute != "none")
    words = [word.format_map(values) for word in program.command]
    command = [sys.executable, "-m", "odonata", "run", "-n", str(ranks), "--ppn", str(job.ppn)]
    command += ["--machine", MACHINE, "--fidelity", "loggp", "--compute", compute, "--json"]
    found = []
    for _ in range(REPEATS if compute == "measured" else 1):
        done = subprocess.run(
            [*command, "--", *words], cwd=folder, capture_output=True, text=True, check=True,
            env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
        )  # fmt: skip
        if program.words:
            found.append(1e-6 * float(re.findall(program.words, done.stdout + done.stderr)[-1]))
        else:
            found.append(json.loads(done.stdout[done.stdout.index("{"):])["time_s"])
    steps = values["steps"] if program.name == "SPH" else 1
    return steps * min(found)


def time_of_model(program: Program, ranks: int, rate: dict[str, str] | None) -> float:
    model, values = running.load(program.model), values_of(program, ranks, rate is not None)
    job = job_of(ranks, rate or {})
    phases = model.phases(int(job.nodes), int(job.ppn or 1), values)
    if rate is None:
        return checking.time_of(job, phases, None)
    request = checking.request_of(job, "loggp", phases, MESSAGES)
    return float(core.enter("app", {**request, "method": "all"}, None)["time_s"])


def main() -> int:
    print("| program | ranks | computation | program | model | difference |")
    print("|---|---|---|---|---|---|")
    for program in programs():
        if sys.argv[1:] and program.name not in sys.argv[1:]:
            continue
        rows: list[tuple[str, int, dict[str, str] | None]]
        rows = [("none", ranks, None) for ranks in RANKS]
        if program.rate:
            alone = time_of_program(program, 1, "measured")
            # 1 GB/s or 1 Gflop/s; communication with itself takes no time.
            value = 1e3 * time_of_model(program, 1, rates(program.rate, 1e3)) / alone
            unit = "MB/s" if program.rate == "memory_rate" else "Mflop/s"
            label = f"{value:.0f} {unit}"
            rows += [(label, ranks, rates(program.rate, value)) for ranks in RANKS]
        for label, ranks, rate in rows:
            compute = "none" if rate is None else "measured"
            ours = time_of_program(program, ranks, compute)
            theirs = time_of_model(program, ranks, rate)
            if program.shorter is not None:
                part = replace(program, options=program.options | program.shorter)
                ours -= time_of_program(part, ranks, compute)
                theirs -= time_of_model(part, ranks, rate)
            cells = [program.name, ranks, label, f"{1e6 * ours:,.1f} us",
                     f"{1e6 * theirs:,.1f} us", f"{100 * (theirs / ours - 1):+.1f} %"]  # fmt: skip
            print(f"| {' | '.join(map(str, cells))} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
