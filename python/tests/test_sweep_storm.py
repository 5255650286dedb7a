"""Sweeps that are killed repeatedly at random times, locally and on a Dask cluster.

`ODONATA_SWEEP=N` sets the number of points (default 24; 200 before a release, by
`make sweeps`), `ODONATA_SEED` repeats a storm. Half of the points run a program that leaves a line
in a file of its own, which counts computations independently of odonata.
"""

from __future__ import annotations

import collections
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet
import pytest

POINTS = int(os.environ.get("ODONATA_SWEEP", "24"))
SEED = int(os.environ.get("ODONATA_SEED", "0")) or random.SystemRandom().randrange(1, 1 << 32)
KILLS = 5
WORKERS = 2
# A limit against hanging, not an expectation.
GUARD_S = 300


def write_study(directory: Path) -> Path:
    """A study of benchmarks in closed form, and of programs that record each run."""
    benches = [
        {"command": "bench", "name": name, "nodes": nodes, "sizes": sizes, "fidelity": "loggp"}
        for nodes in range(2, 3 + POINTS // 8)
        for name in ("allreduce", "alltoall")
        for sizes in ("8,1Ki", "64Ki")
    ][: POINTS // 2]
    runs = [
        {"command": "run", "ranks": 1, "compute": "none",
         "program": ["sh", "-c", f"echo {number} >> ran"]}
        for number in range(POINTS - len(benches))
    ]  # fmt: skip
    lines = ["[base]", 'machine = "dragonfly-1056"']
    for bench, run in zip(benches, runs, strict=True):
        for point in (bench, run):
            lines += ["[[point]]", *(f"{key} = {json.dumps(v)}" for key, v in point.items())]
    path = directory / "study.toml"
    path.write_text("\n".join(lines) + "\n")
    return path


def ran(directory: Path) -> collections.Counter[str]:
    """The number of runs of each program."""
    path = directory / "ran"
    return collections.Counter(path.read_text().split() if path.exists() else ())


def log(out: Path) -> list[dict]:
    """The log of the sweep without a truncated last line."""
    path = out / "attempts.jsonl"
    text = path.read_text() if path.exists() else ""
    return [json.loads(line) for line in text.splitlines() if line.endswith("}")]


def finished(out: Path) -> set[str]:
    return {path.stem for path in (out / "points").glob("*.parquet")}


def table(out: Path) -> pyarrow.Table:
    return pyarrow.parquet.read_table(out / "table.parquet")


def undisturbed(odonata, study: Path) -> pyarrow.Table:
    """The table of an undisturbed sweep."""
    assert POINTS % 2 == 0
    out = study.parent / "undisturbed"
    done = odonata("sweep", study, "--out", out, "--quiet")
    assert done.returncode == 0, done.stderr
    assert set(ran(study.parent).values()) == {1} and len(ran(study.parent)) == POINTS // 2
    (study.parent / "ran").unlink()
    assert len(finished(out)) == POINTS
    return table(out)


def test_a_resumed_sweep_has_the_same_table_and_repeats_nothing(odonata, tmp_path):
    print(f"ODONATA_SEED={SEED} ODONATA_SWEEP={POINTS}")
    draw = random.Random(f"{SEED} local")
    study = write_study(tmp_path)
    expected = undisturbed(odonata, study)
    out = tmp_path / "storm"
    words = ("sweep", study, "--out", out, "--workers", WORKERS, "--quiet")
    seen: list[tuple[set[str], collections.Counter[str], int]] = []
    for _ in range(KILLS):
        before = len(log(out))
        moment = draw.randrange(2 * POINTS // KILLS)
        running = odonata.start(*words)
        while running.poll() is None and len(log(out)) - before < moment:
            time.sleep(0.001)
        time.sleep(draw.uniform(0, 0.03))
        running.kill()
        running.communicate(timeout=GUARD_S)
        assert odonata.left() == [], "workers outlived the sweep"
        seen.append((finished(out), ran(tmp_path), len(log(out))))
        print(f"killed with {len(seen[-1][0])} points on disk")
    assert len(seen[0][0]) < POINTS, "the first kill came too late to show anything"
    done = odonata(*words)
    assert done.returncode == 0, done.stderr
    assert table(out).equals(expected)
    assert (out / "table.parquet").read_bytes() == (
        tmp_path / "undisturbed" / "table.parquet"
    ).read_bytes()
    lines, runs = log(out), ran(tmp_path)
    number_of = {line["key"]: line["point"] for line in lines}
    for kept, counted, at in seen:
        later = {line["key"] for line in lines[at:] if "begun" in line}
        assert not kept & later, "handed out although it was on disk"
        for number in (number_of[key] for key in kept):
            if number % 2 == 0:  # a point that runs a program
                name = str(number // 2 - 1)
                assert runs[name] == counted[name], f"program {name} ran again"
    begun = collections.Counter(line["key"] for line in lines if "begun" in line)
    ended = collections.Counter(line["key"] for line in lines if "finished" in line)
    assert max(ended.values()) == 1 and len(finished(out)) == len(begun) == POINTS
    # A kill loses the points in progress, at most one per worker.
    assert sum(begun.values()) <= POINTS + KILLS * WORKERS
    assert sum(runs.values()) <= POINTS // 2 + KILLS * WORKERS


def test_a_killed_worker_of_a_local_sweep_is_replaced(odonata, tmp_path):
    print(f"ODONATA_SEED={SEED} ODONATA_SWEEP={POINTS}")
    draw = random.Random(f"{SEED} workers")
    study = write_study(tmp_path)
    expected = undisturbed(odonata, study)
    out = tmp_path / "storm"
    running = odonata.start("sweep", study, "--out", out, "--workers", WORKERS, "--tries", 9)
    for moment in sorted(draw.sample(range(2, 2 * POINTS - 4), KILLS)):
        while running.poll() is None and len(log(out)) < moment:
            time.sleep(0.001)
        workers = [pid for pid in odonata.alive() if is_worker(pid)]
        if workers:
            os.kill(draw.choice(workers), signal.SIGKILL)
    _, errors = running.communicate(timeout=GUARD_S)
    assert running.returncode == 0, errors
    assert table(out).equals(expected)
    assert sum(ran(tmp_path).values()) <= POINTS // 2 + KILLS


def is_worker(pid: int) -> bool:
    try:
        # A forked rank that has not started has the command line and session of its worker.
        is_leader = os.getsid(pid) == pid
        return is_leader and b"odonata.sweeps.worker" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


@pytest.fixture
def cluster(odonata, tmp_path):
    """A Dask scheduler, two workers of one thread each, and the scheduler file."""
    file = tmp_path / "scheduler.json"
    dask = [sys.executable, "-m", "dask"]
    quiet = {"cwd": tmp_path, "env": odonata.env, "stdout": subprocess.DEVNULL,
             "stderr": subprocess.DEVNULL, "stdin": subprocess.DEVNULL}  # fmt: skip
    scheduler = subprocess.Popen(
        [*dask, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
         "--scheduler-file", file], **quiet)  # fmt: skip
    while scheduler.poll() is None and not (file.exists() and file.read_text().endswith("}")):
        time.sleep(0.01)
    workers = [
        subprocess.Popen([*dask, "worker", "--scheduler-file", file, "--nthreads", "1",
                          "--no-nanny", "--no-dashboard", "--host", "127.0.0.1"], **quiet)
        for _ in range(2)
    ]  # fmt: skip
    yield file, scheduler, workers
    for process in (*workers, scheduler):
        process.kill()
        process.wait()


def test_on_a_dask_cluster_with_one_of_two_workers_killed(odonata, tmp_path, cluster):
    print(f"ODONATA_SEED={SEED} ODONATA_SWEEP={POINTS}")
    draw = random.Random(f"{SEED} dask")
    file, _, workers = cluster
    study = write_study(tmp_path)
    expected = undisturbed(odonata, study)
    out = tmp_path / "storm"
    running = odonata.start("sweep", study, "--out", out, "--scheduler", file)
    moment = draw.randrange(POINTS // 6, POINTS // 2)
    victim = draw.choice(workers)
    while running.poll() is None and len(finished(out)) < moment:
        time.sleep(0.001)
    had = finished(out)
    victim.kill()
    _, errors = running.communicate(timeout=GUARD_S)
    assert running.returncode == 0, errors
    assert len(had) < POINTS, "the kill came too late to show anything"
    assert table(out).equals(expected)
    # Only points that the worker was computing or had not yet returned are lost.
    runs = ran(tmp_path)
    lost = sum(runs.values()) - POINTS // 2
    print(f"a worker killed with {len(had)} points on disk; programs run again: {lost}")
    number_of = {line["key"]: line["point"] for line in log(out)}
    kept = [str(number_of[key] // 2 - 1) for key in had if number_of[key] % 2 == 0]
    assert {runs[name] for name in kept} <= {1}
    assert len(finished(out)) == POINTS
    again = odonata("sweep", study, "--out", out, "--scheduler", file, "--json")
    assert json.loads(again.stdout)["computed"] == 0


def test_the_end_of_the_scheduler_ends_the_sweep_without_loss(odonata, tmp_path, cluster):
    file, scheduler, _ = cluster
    study = write_study(tmp_path)
    out = tmp_path / "storm"
    running = odonata.start("sweep", study, "--out", out, "--scheduler", file, "--json")
    while running.poll() is None and not finished(out):
        time.sleep(0.001)
    scheduler.kill()
    printed, errors = running.communicate(timeout=GUARD_S)
    assert running.returncode == 1, errors
    summary = json.loads(printed)
    assert 0 < summary["finished"] < POINTS and not summary["interrupted"]
    assert summary["failed"] + summary["finished"] == POINTS
    assert "given up" in summary["rows"][-1]["error"]
    done = odonata("sweep", study, "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["computed"] == summary["failed"]
