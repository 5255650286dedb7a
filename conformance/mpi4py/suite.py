"""mpi4py's own test suite, run with odonata and with the reference library.

The suite is that of the source distribution of the installed mpi4py. It runs module by module, so
that a module whose ranks die hides no other. A test that killed its ranks is left out, and the rest
of its module runs again. A test's verdict is the worst of its ranks' verdicts.

exceptions.toml names the tests that do not pass with odonata, or are skipped with it only, each
with its reason. An exception that is no longer needed is stale and fails as well.
"""

from __future__ import annotations

import fnmatch
import importlib.metadata
import json
import os
import re
import shutil
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

import places

HERE = Path(__file__).resolve().parent
EXCEPTIONS = HERE / "exceptions.toml"
RANKS = (1, 2, 3, 8)
# From best to worst: the verdict of a test is the worst of all ranks.
VERDICTS = ("pass", "skip", "fail", "error", "died")
GOOD = ("pass", "skip")
# Time limit of a module in seconds. The slowest takes about 40 on an idle core.
LIMIT_S = 600
# Number of tests that may kill their ranks before a module is given up: more than a class has.
DEATHS = 24

# The part that `make test` runs: every area, with the most effective numbers of ranks.
PART = {
    1: "attributes datatype environ errhandler errorcode exceptions group info op request status",
    2: "cco_nb_buf cco_buf_inter cco_pr_buf file grequest io p2p_obj_matched rma_nb session win",
    3: "cco_buf cco_obj cco_ngh_buf cco_vec comm comm_inter comm_topo p2p_buf p2p_buf_part rma",
}


@dataclass
class Outcome:
    """The verdicts of some modules with one library and one number of ranks."""

    verdicts: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    # No run exceeded its time limit.
    is_whole: bool = True

    def record(self, test: str, verdict: str, reason: str = "") -> None:
        worst = max(verdict, self.verdicts.get(test, "pass"), key=VERDICTS.index)
        if worst == verdict:
            self.reasons[test] = reason or self.reasons.get(test, "")
        self.verdicts[test] = worst

    def add(self, other: Outcome) -> None:
        self.verdicts |= other.verdicts
        self.reasons |= other.reasons


@dataclass(frozen=True)
class Exempt:
    """One entry of exceptions.toml."""

    tests: str
    ranks: tuple[int, ...]
    verdicts: tuple[str, ...]
    reason: str

    def covers(self, test: str, ranks: int, verdict: str) -> bool:
        fits = ranks in self.ranks and verdict in self.verdicts
        return fits and fnmatch.fnmatchcase(test, self.tests)


def exceptions(text: str) -> list[Exempt]:
    """The entries of exceptions.toml; an invalid entry ends the run."""
    found = []
    for entry in places.toml(text).get("except", []):
        unknown = set(entry) - {"tests", "ranks", "verdicts", "reason"}
        ranks = tuple(entry.get("ranks", RANKS))
        verdicts = tuple(entry.get("verdicts", ("fail", "error")))
        good = not unknown and entry.get("reason") and entry.get("tests")
        if not good or not set(ranks) <= set(RANKS) or not set(verdicts) <= set(VERDICTS):
            sys.exit(f"{EXCEPTIONS.name}: an entry does not match the file's description: {entry}")
        found.append(Exempt(entry["tests"], ranks, verdicts, entry["reason"]))
    return found


def judge(
    twin: dict[int, Outcome], reference: dict[int, Outcome], known: list[Exempt], *, all_run: bool
) -> list[str]:
    """The errors, one per line: failures without an exception, and stale exceptions."""
    wrong = []
    used: set[Exempt] = set()
    for ranks, outcome in sorted(twin.items()):
        there = reference.get(ranks, Outcome()).verdicts
        for test, verdict in sorted(outcome.verdicts.items()):
            if verdict == "pass":
                continue
            covering = [e for e in known if e.covers(test, ranks, verdict)]
            used.update(covering)
            # Without the reference a skip may be the suite's own choice.
            if covering or (verdict == "skip" and there.get(test, "skip") == "skip"):
                continue
            beside = f" ({there[test]} on the reference)" if test in there else ""
            reason = outcome.reasons.get(test, "")
            wrong.append(f"{ranks} ranks: {test}: {verdict}{beside}: {reason}")
        for test in sorted(set(there) - set(outcome.verdicts)):
            # A module is given up after some deaths: the rest would have died as well.
            covering = [e for e in known if e.covers(test, ranks, "died")]
            used.update(covering)
            if there[test] in GOOD and not covering:
                wrong.append(f"{ranks} ranks: {test}: did not run; {there[test]} on the reference")
    if all_run:
        stale = [e for e in known if e not in used]
        wrong += [f"stale exception: `{e.tests}` no longer fails" for e in stale]
    return wrong


def source() -> Path:
    """The suite's folder, fetched once by pip as part of mpi4py's source distribution."""
    version = importlib.metadata.version("mpi4py")
    home = places.CACHE / f"mpi4py-{version}"
    suite = home / "test"
    if not (suite / "main.py").exists():
        with tempfile.TemporaryDirectory() as folder:
            what = ["--no-deps", "--no-binary", "mpi4py", "--dest", folder, f"mpi4py=={version}"]
            places.pip(sys.executable, "download", *what)
            (archive,) = Path(folder).glob("mpi4py-*.tar.gz")
            shutil.rmtree(home, ignore_errors=True)
            with tarfile.open(archive) as tar:
                inside = [m for m in tar.getmembers() if m.isfile() or m.isdir()]
                tests = [m for m in inside if m.name.split("/")[1:2] in (["test"], ["demo"])]
                tar.extractall(places.CACHE, members=tests)
    return suite


def module_names(suite: Path) -> list[str]:
    return sorted(p.stem.removeprefix("test_") for p in suite.glob("test_*.py"))


def read(folder: Path, outcome: Outcome) -> str | None:
    """Adds the results of all ranks; returns the unfinished test, if there is one."""
    unfinished = None
    for path in sorted(folder.iterdir()):
        begun = None
        for line in path.read_text(encoding="utf-8").splitlines():
            word, test, reason = [*line.split("\t"), "", ""][:3]
            if word == "begin":
                begun = test
            elif word in VERDICTS:
                # A result without a beginning belongs to the set-up of a class or a module.
                begun = None
                outcome.record(test, word, reason)
        unfinished = unfinished or begun
    return unfinished


def run_module(place, suite: Path, module: str, ranks: int) -> Outcome:
    """Runs a module, repeatedly without the tests that killed their ranks."""
    outcome = Outcome()
    left_out: list[str] = []
    while True:
        with tempfile.TemporaryDirectory(prefix="odonata-") as folder:
            results, work = Path(folder, "results"), Path(folder, "work")
            results.mkdir()
            work.mkdir()
            program = [place.python, str(HERE / "rank.py"), str(suite), str(results)]
            program += ["-q", "-i", f"test_{module}.py$"]
            program += [option for test in left_out for option in ("-x", test)]
            done = places.run(place, ranks, program, seconds=LIMIT_S, cwd=work)
            unfinished = read(results, outcome)
        # The exit code of unittest is 1 if a test failed, and 5 if there was none. A run that
        # failed before the tests may also end with 1.
        has_failures = any(verdict not in GOOD for verdict in outcome.verdicts.values())
        if unfinished is None and (done.code in (0, 5) or done.code == 1 and has_failures):
            return outcome
        how = "time limit exceeded" if done.code is None else f"exit code {done.code}"
        last = next((s for s in reversed(done.err.splitlines()) if s.strip()), "")
        test = unfinished or f"test_{module}"
        outcome.record(test, "died", f"{how}: {last}")
        outcome.is_whole &= done.code is not None
        # Without a test to leave out, another attempt would end in the same way.
        if unfinished is None or len(left_out) == DEATHS:
            return outcome
        left_out.append(unfinished)


def run_or_recall(place, suite: Path, module: str, ranks: int) -> Outcome:
    """Runs a module; the reference's result is cached, because library and suite do not change."""
    if place.name == "twin":
        return run_module(place, suite, module, ranks)
    versions = f"{places.REFERENCE}-{suite.parent.name}".replace("=", "")
    kept = places.CACHE / "told" / versions / f"{module}-{ranks}.json"
    if kept.exists():
        return Outcome(**json.loads(kept.read_text(encoding="utf-8")))
    outcome = run_module(place, suite, module, ranks)
    # The load of this machine may be the cause.
    if outcome.is_whole:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(asdict(outcome)), encoding="utf-8")
    return outcome


def run_all(place, suite: Path, wanted: dict[int, list[str]], workers: int) -> dict[int, Outcome]:
    """Every module with its numbers of ranks. Large runs first: they take longest."""
    tasks = [(r, m) for r, modules in sorted(wanted.items(), reverse=True) for m in modules]
    with ThreadPoolExecutor(workers) as pool:
        outcomes = pool.map(lambda task: run_or_recall(place, suite, task[1], task[0]), tasks)
        found: dict[int, Outcome] = {ranks: Outcome() for ranks in wanted}
        for (ranks, module), outcome in zip(tasks, outcomes, strict=True):
            found[ranks].add(outcome)
            bad = Counter(v for v in outcome.verdicts.values() if v not in GOOD)
            summary = ", ".join(f"{n} {v}" for v, n in sorted(bad.items())) or "good"
            count = len(outcome.verdicts)
            print(f"  {place.name}, {ranks} ranks, {module}: {count} tests, {summary}", flush=True)
    return found


def main(*, part: bool, modules: Iterable[str] = (), ranks: Iterable[int] = RANKS) -> bool:
    """Runs the suite and prints the errors; true if there are none."""
    suite = source()
    known = exceptions(EXCEPTIONS.read_text(encoding="utf-8"))
    names = module_names(suite)
    unknown_modules = sorted(set(modules) - set(names))
    if unknown_modules:
        sys.exit(f"no module of the suite: {', '.join(unknown_modules)}")
    if part:
        wanted = {r: [m for m in PART[r].split() if m in names] for r in PART}
    else:
        wanted = {r: [m for m in names if not modules or m in modules] for r in ranks}
    workers = os.cpu_count() or 1
    twin = run_all(places.Twin(), suite, wanted, workers)
    reference: dict[int, Outcome] = {}
    if not part:
        numpy = importlib.metadata.version("numpy")
        beside = f"mpi4py=={importlib.metadata.version('mpi4py')}", f"numpy=={numpy}"
        reference = run_all(places.reference(*beside), suite, wanted, workers)
    whole = not part and not modules and tuple(ranks) == RANKS
    wrong = judge(twin, reference, known, all_run=whole)
    for line in wrong:
        print(line)
    if whole and not wrong:
        from mpi4py_table import write

        write(twin, reference, known)
    tests = sum(len(o.verdicts) for o in twin.values())
    print(f"mpi4py's suite: {tests} tests, {len(wrong)} of them wrong")
    return not wrong


def module_of(test: str) -> str:
    """`test_rma` of `test_rma.TestRMA.testPut` and of `setUpClass (test_rma.TestRMA)`."""
    found = re.search(r"\btest_\w+", test)
    return found[0] if found else test
