"""Fuzz odonata's inputs: `python fuzz/run.py --cases 100000 --commands 2000 [--seed N]`.

Cases run in forked workers under a watchdog: a case that takes longer than 20 s or more than 4 GB
is killed and reported. What fails is kept below `target/fuzz`, with the command that repeats it.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import mmap
import os
import pickle
import random
import shutil
import signal
import struct
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import cases
import judge
from hypothesis import HealthCheck, Phase, given, seed, settings

TYPED = 10  # one of this many commands is started as users do, the others are forked
CHUNK = 500  # cases of one seed
OPTIONS = settings(
    database=None, deadline=None, phases=[Phase.generate],
    suppress_health_check=list(HealthCheck), print_blob=False,
)  # fmt: skip
KEPT = cases.ROOT / "target" / "fuzz"
# Weights of in-process cases; recordings and results take longer than others.
SHARES = {"machine": 16, "faults": 6, "profile": 8, "jobs": 8, "study": 12, "schedule": 16,
          "trace": 12, "otf2": 1, "recording": 8, "result": 6, "tuning": 8, "node_list": 6,
          "option": 12}  # fmt: skip
FAULTY = 99  # the exit code of a worker that made a case it cannot run
HEAD = struct.Struct("<ddQ")  # when the case began (0: none), cases done, failures


class Worker:
    """A forked process that runs chunks, and the state of its current case."""

    def __init__(self, chunks: list[tuple[str, int, int]], number: int, at: Path, how: str):
        self.at, self.number, self.how = at / f"worker-{number}", number, how
        self.at.mkdir(parents=True, exist_ok=True)
        self.board = mmap.mmap(-1, HEAD.size)
        self.chunks = chunks
        self.pid = 0
        self.at_case = 0.0  # start time of the current case
        self.watchdog = judge.Watchdog(self.pid)  # of the current case

    def start(self) -> None:
        self.pid = os.fork()
        if self.pid == 0:
            code = FAULTY
            try:
                os.setpgid(0, 0)
                self.work()
                code = 0
            except BaseException:
                import traceback

                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(code)

    def work(self) -> None:
        log = os.open(self.at / "stderr", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(log, 2)  # where panics go
        done, failures = HEAD.unpack(self.board[:])[1:]
        for nth, (kind, count, number) in enumerate(self.chunks):
            (self.at / "chunk").write_text(str(nth), encoding="utf-8")

            def one(case):
                nonlocal done, failures
                (self.at / "case").write_bytes(pickle.dumps(case))
                self.board[:] = HEAD.pack(time.monotonic(), done, failures)
                if self.how == "here":
                    found = judge.here(case, self.at / "place")
                else:
                    by = judge.forked if int(done) % TYPED else judge.command
                    found = by(case, self.at / "place")
                done += 1
                self.board[:] = HEAD.pack(0.0, done, failures)
                with (self.at / "codes").open("a", encoding="utf-8") as file:
                    file.write(f"{kind} {found.code}\n")
                if wrong := judge.wrong_with(case, found):
                    failures += 1
                    keep(self.at / "failures", kind, wrong, case, found.stderr)

            run_chunk(one, kind, count, number)

    def check_limits(self) -> str | None:
        """The limit that this worker exceeds, or None. Commands have watchdogs of their own."""
        began, *_ = HEAD.unpack(self.board[:])
        if began != self.at_case:
            self.at_case, self.watchdog = began, judge.Watchdog(self.pid)
        if began and self.how == "here":
            return self.watchdog.broken_limit() or None
        if judge.resident(self.pid) > judge.BYTES:
            return "memory above 4 GB"
        return None

    def record_failure(self, why: str) -> None:
        """Keep the current case as a failure, and continue after its chunk."""
        case = pickle.loads((self.at / "case").read_bytes())
        keep(self.at / "failures", case.kind, why, case, "")
        nth = int((self.at / "chunk").read_text(encoding="utf-8"))
        kind, count, number = self.chunks[nth]
        began, done, failures = HEAD.unpack(self.board[:])
        self.board[:] = HEAD.pack(0.0, done + 1, int(failures) + 1)
        self.chunks = [(kind, count, number + 1_000_003), *self.chunks[nth + 1 :]]


def run_chunk(one, kind: str, count: int, number: int) -> None:
    strategy = cases.KINDS[kind]()
    test = seed(number)(settings(OPTIONS, max_examples=count)(given(strategy)(one)))
    test()


def keep(at: Path, kind: str, wrong: str, case: judge.Case, errors: str) -> None:
    """Write one file per failure; the smallest case of each sort is shown at the end."""
    at.mkdir(exist_ok=True)
    (at / f"{time.monotonic_ns()}").write_bytes(pickle.dumps((kind, wrong, case, errors[-6000:])))


def chunks_of(total: int, number: int) -> list[tuple[str, int, int]]:
    """Kinds, numbers of cases and seeds, in an order that mixes kinds."""
    found = []
    for kind, share in SHARES.items():
        left = round(total * share / sum(SHARES.values()))
        while left > 0:
            found.append((kind, min(CHUNK, left), number + len(found)))
            left -= CHUNK
    random.Random(number).shuffle(found)
    return found


def fuzz(total: int, number: int, workers: int, at: Path, how: str) -> list[tuple]:
    """Run all cases with a progress line every ten seconds; return the failures."""
    chunks = chunks_of(total, number)
    crew = [Worker(chunks[n::workers], n, at / how, how) for n in range(workers)]
    for worker in crew:
        worker.start()
    alive, printed = set(crew), time.monotonic()
    while alive:
        time.sleep(0.05)
        for worker in list(alive):
            pid, status = os.waitpid(worker.pid, os.WNOHANG)
            why = worker.check_limits() if not pid else None
            if why:
                with contextlib.suppress(OSError):
                    os.killpg(worker.pid, signal.SIGKILL)
                os.waitpid(worker.pid, 0)
            elif not pid:
                continue
            elif status == 0:
                alive.discard(worker)
                continue
            elif (code := os.waitstatus_to_exitcode(status)) == FAULTY:
                log = (worker.at / "stderr").read_text(errors="replace", encoding="utf-8")
                sys.exit(f"the fuzzer itself failed:\n{log[-3000:]}")
            else:
                why = f"the process ended with {code}"
            worker.record_failure(why)
            worker.start()
        if time.monotonic() - printed > 10 or not alive:
            printed = time.monotonic()
            heads = [HEAD.unpack(worker.board[:]) for worker in crew]
            done, bad = (int(sum(head[n] for head in heads)) for n in (1, 2))
            print(f"{how}: {done:,} of {total:,} cases, {bad:,} failures", flush=True)
    files = (file for worker in crew for file in (worker.at / "failures").glob("*"))
    codes = collections.Counter(
        line for worker in crew if (worker.at / "codes").exists()
        for line in (worker.at / "codes").read_text(encoding="utf-8").splitlines()
    )
    for kind in SHARES:
        mine = {line.split()[1]: n for line, n in sorted(codes.items()) if line.split()[0] == kind}
        print(f"  {kind:10} exit codes " + ", ".join(f"{c}: {n:,}" for c, n in mine.items()))
    return [pickle.loads(file.read_bytes()) for file in sorted(files)]


def show(failures: list[tuple]) -> None:
    """Show each sort of failure once, by its smallest case, with the command that repeats it."""
    sorts = collections.defaultdict(list)
    for kind, wrong, case, errors in failures:
        sorts[f"{kind}: {wrong}"].append((case, errors))
    for nth, (sort, found) in enumerate(sorted(sorts.items(), key=lambda s: -len(s[1])), 1):
        case, errors = min(found, key=lambda f: sum(map(len, f[0].files.values())) + len(f[0].argv))
        place = KEPT / f"{nth:03}"
        place.mkdir(parents=True)
        case.write(place)
        (place / "COMMAND").write_text(f"{sort}\n{case.shown()}\n\n{errors}", encoding="utf-8")
        (place / "CASE").write_bytes(pickle.dumps(case))
        print(f"\n{len(found)} times: {sort}\n{case.shown()}\n  kept in {place}")


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    arguments.add_argument("--cases", type=int, default=100_000, help="in process")
    arguments.add_argument("--commands", type=int, default=2_000, help="as commands")
    arguments.add_argument("--seed", type=int, default=None)
    arguments.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    arguments.add_argument("--kind", choices=sorted(SHARES), action="append")
    given = arguments.parse_args()
    number = random.SystemRandom().randrange(1, 2**31) if given.seed is None else given.seed
    print(f"seed {number}", flush=True)
    for kind in set(SHARES) - set(given.kind or SHARES):
        del SHARES[kind]
    shutil.rmtree(KEPT, ignore_errors=True)
    _ = cases.MADE.records, cases.MADE.results
    import odonata.cli  # noqa: F401 - once, for all workers

    failures = []
    with tempfile.TemporaryDirectory(prefix="odonata-fuzz-", dir=memory()) as at:
        for how, total in (("here", given.cases), ("command", given.commands)):
            if total:
                began = time.monotonic()
                failures += fuzz(total, number, given.workers, Path(at), how)
                print(f"{how}: {time.monotonic() - began:.0f} s", flush=True)
    show(failures)
    print(f"\nseed {number}: {len(failures)} failures")
    return int(bool(failures))


def memory() -> str | None:
    """A file system in memory, if there is one."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


if __name__ == "__main__":
    sys.exit(main())
