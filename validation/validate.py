"""HPCC (including HPL) and LAMMPS with odonata and with MPICH: one binary, equal results.

    validate.py [hpcc|lammps|hpl|rhodo] ...   [--write]

apt fetches their sources, Debian's source packages, and nothing else. They are compiled unchanged
against odonata's mpi.h and run with both libraries. Their output must be equal digit for digit,
except times and rates. `--write` records the results in results.md.

`hpl` and `rhodo` compare the calls of HPL and of LAMMPS with those of their models, hpcc/hpl.py and
lammps/rhodo.py (docs/application-models.md).
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import re
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "conformance"))

import debian  # noqa: E402
import places  # noqa: E402

CACHE = places.CACHE.parent / "validation"
WRAPPERS = places.COMPILER.parent
# All ranks of the reference share one node. There MPICH adds in another order than across nodes,
# and a sum may differ in its last bit. With this variable it uses the algorithms of a network.
KNOBS = ("MPIR_CVAR_DEVICE_COLLECTIVES=none",)
PROGRAMS = ("hpcc", "lammps", "hpl", "rhodo")
# Time limit of one run in seconds: 64 ranks of the reference share the cores of this machine.
LIMIT_S = 1800


@dataclasses.dataclass(frozen=True)
class Case:
    """One program's run: its input, its ranks, and the machine they run on."""

    program: str
    work: str
    ranks: int
    machine: str
    ppn: int
    # OpenMP threads per rank.
    threads: int = 1


CASES = (
    *(Case("hpcc", f"N = {n}, NB = 32", *where) for n, *where in (
        (256, 4, "aurora", 2, 2), (384, 8, "aurora", 2), (512, 16, "frontier", 8),
        (512, 32, "dragonfly-1056", 4), (768, 64, "aurora", 8),
    )),
    *(Case("lammps", work, *where) for work, *where in (
        ("lj", 4, "aurora", 2, 2), ("rhodo", 4, "frontier", 2, 2),
        ("lj", 8, "aurora", 2), ("chain", 8, "frontier", 4), ("eam", 8, "dragonfly-1056", 1),
        ("chute", 8, "aurora", 8), ("rhodo", 8, "frontier", 8), ("lj", 12, "lumi-g", 4),
        ("eam", 16, "aurora", 4), ("chain", 32, "dragonfly-1056", 8), ("lj", 64, "frontier", 8),
        ("chute", 64, "aurora", 8),
    )),
)  # fmt: skip


# Building


def built(program: str) -> Path:
    """Compiles the program with odonata's wrapper from unchanged sources."""
    return {"hpcc": _hpcc, "hpl": _hpl, "lammps": _lammps}[program]()


def _hpcc() -> Path:
    home = debian.source("hpcc", [], CACHE)
    program = home / "hpcc"
    if not program.exists():
        _make(["cc", "-O3", "-c", str(HERE / "hpcc" / "cblas.c"), "-o", "cblas.o"], home)
        text = (HERE / "hpcc" / "Make.odonata").read_text(encoding="utf-8")
        (home / "hpl" / "Make.odonata").write_text(text, encoding="utf-8")
        wrapper = WRAPPERS / "odonata-mpicc"
        _make(["make", "arch=odonata", f"CC={wrapper}", f"BLAS={home}/cblas.o"], home)
    return program


def _hpl() -> Path:
    """HPL alone, from the library of HPCC."""
    home = built("hpcc").parent
    program, source = home / "hpl-only", HERE / "hpcc" / "hpl.c"
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        includes = [f"-I{home}/hpl/include", f"-I{home}/include", "-O1", "-fopenmp"]
        libraries = [f"{home}/hpl/lib/odonata/libhpl.a", f"{home}/cblas.o", "-lm"]
        libraries += ["-Wl,--wrap=HPL_pdgesv,--wrap=HPL_pdtrsv"]
        command = [str(WRAPPERS / "odonata-mpicc"), *includes, str(source), *libraries]
        _make([*command, "-o", str(program)], home)
    return program


def _lammps() -> Path:
    home = debian.source("lammps", ["src", "bench"], CACHE)
    program = home / "src" / "lmp_mpi"
    if not program.exists():
        wrapper = WRAPPERS / "odonata-mpicxx"
        # Packages of the five benchmarks of LAMMPS.
        packages = "MOLECULE KSPACE MANYBODY GRANULAR RIGID OPENMP".split()
        _make(["make", *(f"yes-{p}" for p in packages)], home / "src")
        flags = ["CCFLAGS=-O1 -std=c++11 -w -fopenmp", "LINKFLAGS=-O1 -fopenmp"]
        flags.append("LMP_INC=-DLAMMPS_MEMALIGN=64")
        jobs = f"-j{os.cpu_count() or 1}"
        _make(["make", jobs, "mpi", f"CC={wrapper}", f"LINK={wrapper}", *flags], home / "src")
    return program


def _make(command: list[str], cwd: Path) -> None:
    print(f"  {' '.join(command[:3])} ...", flush=True)
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    if done.returncode != 0:
        said = done.stdout[-3000:] + done.stderr[-3000:]
        sys.exit(f"in {cwd}: {' '.join(command)} failed:\n{said}")


# Comparison with models

# Changes of the models that a comparison must find: a byte of a message, and its destination.
PLANTED = {
    "hpl": (
        ("bytes.append(DOUBLE * length)", "bytes.append(DOUBLE * length + 1)"),
        ("self.rank(down, across + 1)", "self.rank(down, across + 2)"),
    ),
    "rhodo": (
        ('self.a.links(pairs), bytes, order="send"', 'self.a.links(pairs), bytes, 1, order="send"'),
        ("(one, 1, a.ranks // one), 0)", "(one, 1, a.ranks // one), 2)"),
    ),
}


def check_model(name: str) -> bool:
    """The model equals the program, and models with planted differences do not."""
    folder = CACHE / "runs" / f"model-{name}"
    folder.mkdir(parents=True, exist_ok=True)
    if name == "hpl":
        source, command = HERE / "hpcc" / "hpl.py", [built("hpl"), "{n}", "{nb}"]
    else:
        source, program = HERE / "lammps" / "rhodo.py", built("lammps")
        command = [program, "-in", rhodo_input(program, folder), "-log", "none", "-screen", "none"]
        command += ["-var", "steps", "{steps}"]
    text, fine = source.read_text(encoding="utf-8"), True
    for nth, change in enumerate((None, *PLANTED[name])):
        model = folder / f"{name}{nth}.py"
        assert change is None or text.count(change[0]) == 1
        model.write_text(text.replace(*change) if change else text, encoding="utf-8")
        ranks = "8,27,64" if change is None else "8,27"
        check = [Path(sys.executable).parent / "odonata", "app", "check", model, "--machine"]
        words = [*check, "aurora", "-n", ranks, "--quiet", "--", *command]
        done = subprocess.run(
            [str(word) for word in words], cwd=folder, capture_output=True, text=True
        )
        lines = done.stdout.splitlines()
        is_found = done.returncode == 1 and any(", phase " in line for line in lines)
        good = done.returncode == 0 if change is None else is_found
        fine &= good
        print(f"  {name}, model {'as it is' if change is None else f'with `{change[1]}`'}: "
              f"{'as expected' if good else 'FAILED'}")  # fmt: skip
        words = (" ranks: ", "time without", "factorization ", "rank 0, ")
        shown = [line for line in lines if any(word in line for word in words)]
        print("\n".join(f"      {line}" for line in shown) + ("" if good else done.stderr))
    return fine


def rhodo_input(program: Path, folder: Path) -> Path:
    """The benchmark with one time step more than the model, without output between steps."""
    bench = program.parents[1] / "bench"
    data = folder / "data.rhodo"
    if not data.exists():
        data.symlink_to(bench / "data.rhodo")
    text = (bench / "in.rhodo").read_text(encoding="utf-8")
    text = re.sub(r"^thermo\b.*$", "thermo 100", text, flags=re.M)
    text, changed = re.subn(r"^run\b.*$", "run $(v_steps+1)", text, flags=re.M)
    assert changed == 1
    found = folder / "in.rhodo"
    found.write_text(text, encoding="utf-8")
    return found


# Running


def run(case: Case, place, program: Path) -> tuple[str | None, str]:
    """The output of the program, or None and the reason."""
    folder = CACHE / "runs" / f"{case.program}-{case.work.split(',')[0]}-{case.ranks}-{place.name}"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    command = [str(program)]
    if case.program == "hpcc":
        (folder / "hpccinf.txt").write_text(hpcc_input(case), encoding="utf-8")
    else:
        bench = program.parents[1] / "bench"
        for path in bench.glob("*"):
            if path.is_file() and path.name.startswith(("in.", "data.", "Cu_u3")):
                (folder / path.name).symlink_to(path)
        command += ["-in", f"in.{case.work}", "-log", "none"]
        if case.threads > 1:
            command += ["-sf", "omp", "-pk", "omp", str(case.threads)]
    # Both launchers pass them to the ranks. On few cores waiting threads of the reference sleep.
    os.environ |= {"OMP_NUM_THREADS": str(case.threads), "OMP_WAIT_POLICY": "passive"}
    done = places.run(place, case.ranks, command, seconds=LIMIT_S, cwd=folder)
    if done.code != 0:
        how = "time limit exceeded" if done.code is None else f"exit code {done.code}"
        return None, f"{place.name}: {how}: {(done.err or done.out).strip()[-500:]}"
    if case.program == "hpcc":
        return hpcc_answers((folder / "hpccoutf.txt").read_text(encoding="utf-8")), ""
    return lammps_answers(done.out), ""


def hpcc_input(case: Case) -> str:
    """hpccinf.txt: one problem on the squarest grid of processes."""
    n, nb = re.findall(r"\d+", case.work)
    p = max(d for d in range(1, case.ranks + 1) if case.ranks % d == 0 and d * d <= case.ranks)
    template = (HERE / "hpcc" / "hpccinf.txt").read_text(encoding="utf-8")
    values = {"N": n, "NB": nb, "P": str(p), "Q": str(case.ranks // p)}
    return re.sub(r"@(\w+)@", lambda m: values[m[1]].ljust(12), template)


# Keys of HPCC's summary that are times, rates, or properties of the machine.
MEASURED = re.compile(
    r"time\d*$|CheckTime|flops|GBs|GUPs|usec|GBytes|STREAM_(Copy|Scale|Add|Triad)|Wtick|TimeBound"
    # A slow run stops at its time limit and checks the updates up to then.
    r"|ExeUpdates"
)
# Lines of its report with the verdicts.
# Not the scaled residual of DGEMM, whose matrices are seeded with the time of day.
VERDICT = re.compile(r"\(passed\)|PASSED|FAILED|residual check|Solution Validates|with error")
# RandomAccess waits for any of four receives and stops at the last "finished", even if another one
# holds earlier updates. The number of lost updates depends on timing, and up to 1 % passes. The
# verdict is compared, not the number.
LOST = re.compile(r"Found \d+ errors in (\d+ locations \(passed\))")
LOST_KEYS = re.compile(r"MPIRandomAccess\w*_Errors(Fraction)?$")


def hpcc_answers(report: str) -> str:
    """Verdicts and residuals of all parts, without times."""
    body, _, summary = report.partition("Begin of Summary section.")
    lines = []
    for line in body.splitlines():
        if VERDICT.search(line):
            # PTRANS's table has time and rate beside the residual.
            words = line.split()
            table = words[0] in ("WALL", "CPU")
            line = LOST.sub(r"Found few enough errors in \1", line)
            lines.append(" ".join(words[:7] + words[8:9] + words[10:]) if table else line.strip())
    for line in summary.splitlines():
        key, equals, _ = line.partition("=")
        if equals and not MEASURED.search(key) and not LOST_KEYS.match(key):
            lines.append(line)
    return "\n".join(lines) + "\n"


def lammps_answers(out: str) -> str:
    """The thermodynamic output and the histograms of neighbors, without times."""
    lines = []
    for line in out.splitlines():
        timing = re.search(r"CPU|Loop time|Performance|wall time|\d\s*\|.*\|", line)
        if not timing and not re.match(r"(Pair|Bond|Kspace|Neigh|Comm|Output|Modify|Other) ", line):
            lines.append(line)
    return "\n".join(lines) + "\n"


def summary_line(case: Case, answers: str) -> str:
    """The most informative line of the results."""
    if case.program == "hpcc":
        found = re.search(r"\|\|Ax-b\|\|.*=\s+(\S+) \.+ (\w+)", answers)
        return f"HPL's scaled residual {found[1]}, {found[2]}" if found else "?"
    rows = re.findall(r"^ +\d+ +.*$", answers, re.M)
    return "last row `" + " ".join(rows[-1].split()) + "`" if rows else "see below"


def compare(case: Case, reference: places.Reference) -> tuple[bool, str]:
    """Whether both outputs are equal, and the most informative line or the difference."""
    program = built(case.program)
    twin = places.Twin(case.machine, case.ppn)
    answers = []
    for place in (twin, reference):
        answer, why = run(case, place, program)
        if answer is None:
            return False, why
        answers.append(answer)
    ours, theirs = (a.splitlines() for a in answers)
    for mine, other in zip(ours, theirs, strict=False):
        if mine != other:
            return False, f"twin `{mine}`, reference `{other}`"
    if len(ours) != len(theirs):
        return False, f"the twin answered {len(ours)} lines, the reference {len(theirs)}"
    # Two empty outputs would be equal.
    enough = "Success=1" in ours if case.program == "hpcc" else len(ours) > 20
    good = enough and not any("FAILED" in line for line in ours)
    return good, f"{summary_line(case, answers[0])}; {len(ours)} lines equal"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs="*", choices=[[], *PROGRAMS], default=[])
    parser.add_argument("--write", action="store_true", help="record the results in results.md")
    parser.add_argument("-n", type=int, help="only cases with so many ranks")
    given = parser.parse_args()
    reference = dataclasses.replace(places.reference(), knobs=KNOBS)
    cases = [c for c in CASES if not given.programs or c.program in given.programs]
    cases = [c for c in cases if given.n in (None, c.ranks)]
    rows, fine = [], True
    for name in PLANTED:
        if name in (given.programs or PLANTED):
            fine &= check_model(name)
    for case in cases:
        start = time.monotonic()
        good, said = compare(case, reference)
        fine &= good
        where = f"{case.machine}, {case.ppn} per node"
        where += f", {case.threads} threads" if case.threads > 1 else ""
        word = "equal" if good else "DIFFERS"
        took = time.monotonic() - start
        print(f"  {case.program} {case.work}, {case.ranks} ranks on {where}: {word} ({took:.0f} s)")
        print(f"      {said}", flush=True)
        rows.append(f"| {case.program} | {case.work} | {case.ranks} | {where} | {said} |")
    if given.write and fine:
        head = (HERE / "results.head.md").read_text(encoding="utf-8")
        (HERE / "results.md").write_text(head + "\n".join(rows) + "\n", encoding="utf-8")
    print("all results equal" if fine else "FAILED")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
