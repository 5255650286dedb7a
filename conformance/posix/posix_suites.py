"""Test suites of POSIX file systems, inside a simulation on Lustre and DAOS.

- pjdfstest checks results, errors and attributes of calls on names. Its verdicts must
  be those of a plain directory, except for the tests that `exceptions.toml` names.
- fsx makes random transfers, mappings, truncations and copies of one file, and checks
  all data that it reads.
- `posix_random.c` makes random calls on names and descriptors. Its output must be that in a plain
  directory.
"""

from __future__ import annotations

import fnmatch
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import places

HERE = Path(__file__).resolve().parent
HOME = places.CACHE / "posix"
# Programs of Rust's package registry.
VERSIONS = {"pjdfstest": "0.2.2", "fsx": "0.3.2"}
RANDOM = places.ROOT / "python" / "tests" / "programs" / "posix_random.c"
MOUNTS = {"lustre": "/lus/flare", "daos": "/daos"}
SIMULATE = ("--machine", "aurora", "--fidelity", "loggp", "--compute", "none", "--quiet")
SECONDS = 600
VERDICT = re.compile(r"^(\w+(?:::\w+)+)\s+(ok|FAILED|skipped)$")


def main(part: bool, seeds: int | None, calls: int | None) -> bool:
    """Whether all suites have the expected results."""
    tools = installed()
    expected = verdicts(pjdfstest(tools, None, []).stdout)
    # The preload libraries read paths, so an invalid pointer ends the process.
    tests = [test for test in expected if "::efault_" not in test]
    expected = {test: expected[test] for test in tests}
    fine = True
    for name, mount in MOUNTS.items():
        found = verdicts(pjdfstest(tools, mount, tests).stdout)
        fine &= compare(name, expected, found, exceptions(name))
        # A call on DAOS takes more time of the simulator.
        share = 1 if name == "lustre" else 4
        for seed in range(seeds or (1 if part else 10)):
            fine &= fsx(tools, name, seed, (1_000 if part else 10_000) // share)
        if not part:
            fine &= random(name, seeds or 40 // share, calls or 20_000)
    return fine


def installed() -> Path:
    """The folder with the programs, which cargo builds once."""
    for name, version in VERSIONS.items():
        command = ["cargo", "install", "--quiet", "--locked", "--root", HOME]
        if not (HOME / "bin" / name).exists():
            command += ["--target-dir", HOME / "build", "--version", f"={version}", name]
            subprocess.run([str(word) for word in command], check=True)
    return HOME / "bin"


def simulated(*words: object) -> subprocess.CompletedProcess[str]:
    """Runs a command as the only rank of a job."""
    command = [sys.executable, "-m", "odonata", "run", "-n", 1, *SIMULATE, "--", *words]
    return run(*command)


def run(*words: object) -> subprocess.CompletedProcess[str]:
    """Runs a command of the computer."""
    env = {**os.environ, "RUST_BACKTRACE": "0", "PYTHONPATH": str(places.ROOT / "python")}
    os.umask(0o022)
    return subprocess.run(
        [str(word) for word in words],
        env=env,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=SECONDS,
        check=False,
    )


def pjdfstest(
    tools: Path, mount: str | None, tests: list[str]
) -> subprocess.CompletedProcess[str]:
    """Runs these tests, or all, on a mount or in a plain directory."""
    suite = [tools / "pjdfstest", "-c", HERE / "pjdfstest.toml", "-p"]
    if mount is None:
        with tempfile.TemporaryDirectory() as plain:
            # Other users search it.
            Path(plain).chmod(0o755)
            return run(*suite, plain, *tests)
    top = f"{mount}/pjdfstest"
    return simulated("sh", "-c", 'mkdir "$0" && exec "$@"', top, *suite, top, *tests)


def verdicts(out: str) -> dict[str, str]:
    """The verdict of each test."""
    found = (VERDICT.match(line) for line in out.splitlines())
    return {match[1]: match[2] for match in found if match}


def exceptions(name: str) -> list[str]:
    """Patterns of tests that need not pass."""
    tables = places.toml((HERE / "exceptions.toml").read_text(encoding="utf-8"))
    return [test for table in tables.values() if name in table["on"] for test in table["tests"]]


def compare(
    name: str, expected: dict[str, str], found: dict[str, str], excused: list[str]
) -> bool:
    """Prints the tests whose verdicts are not the expected ones; whether there are none."""
    missing = [test for test in expected if test not in found]
    if missing or not expected:
        last = list(found)[-1:]
        print(f"pjdfstest on {name}: {len(missing)} tests have no verdict; the last is of {last}")
        return False
    fine = True
    for test, verdict in expected.items():
        got = found[test]
        is_excused = any(fnmatch.fnmatchcase(test, pattern) for pattern in excused)
        if got != verdict and not (is_excused and got == "FAILED"):
            print(f"pjdfstest on {name}: {test}: {got}, in a plain directory {verdict}")
            fine = False
    # Without privileges, many tests are skipped.
    for pattern in excused if os.geteuid() == 0 else []:
        failed = [test for test in fnmatch.filter(found, pattern) if found[test] == "FAILED"]
        if not failed:
            print(f"pjdfstest on {name}: exceptions.toml names {pattern!r}, which passes")
            fine = False
    n = sum(found[test] == verdict for test, verdict in expected.items())
    word = "as expected" if fine else "FAILED"
    print(f"pjdfstest on {name}: {n} of {len(expected)} as in a plain directory, {word}")
    return fine


def fsx(tools: Path, name: str, seed: int, operations: int) -> bool:
    """Runs one random sequence; whether all data were right."""
    with tempfile.TemporaryDirectory() as artifacts:
        options = ["-P", artifacts, "-S", seed, "-N", operations, "-f", HERE / f"fsx_{name}.toml"]
        done = simulated(tools / "fsx", *options, f"{MOUNTS[name]}/fsx")
    fine = done.returncode == 0 and "A-OK" in done.stdout + done.stderr
    print(f"fsx on {name}: seed {seed}, {operations} operations, {'good' if fine else 'FAILED'}")
    if not fine:
        print((done.stdout + done.stderr)[-2000:])
    return fine


def random(name: str, seeds: int, calls: int) -> bool:
    """Compares random calls with a plain directory; whether all results are equal."""
    program = HOME / "posix_random"
    subprocess.run(["cc", "-O1", "-w", RANDOM, "-o", program], check=True)
    # DAOS refuses hard links.
    refused = ["no-links"] if name == "daos" else []
    fine, n = True, 0
    for seed in range(seeds):
        with tempfile.TemporaryDirectory() as parent:
            # Links lead to the directory above, which has the attributes of a mount's root.
            Path(parent).chmod(0o755)
            plain = f"{parent}/w"
            Path(plain).mkdir()
            expected = lines(run(program, plain, seed, calls, *refused).stdout, plain)
        top = f"{MOUNTS[name]}/w"
        command = 'mkdir "$1" && exec "$0" "$@"'
        done = simulated("sh", "-c", command, program, top, seed, calls)
        found = lines(done.stdout, top)
        n += len(expected)
        if found != expected:
            fine = False
            print(f"random calls on {name}: seed {seed}: {first_difference(expected, found)}")
    word = "all as in a plain directory" if fine else "FAILED"
    print(f"random calls on {name}: {n} calls of {seeds} seeds, {word}")
    return fine


def lines(out: str, top: str) -> list[str]:
    """The output without the name of the directory."""
    return out.replace(top, "TOP").splitlines()


def first_difference(expected: list[str], found: list[str]) -> str:
    """The first line that differs, or the end of the shorter output."""

    def pairs() -> Iterator[str]:
        for a, b in zip(expected, found):
            if a != b:
                yield f"{b!r}, in a plain directory {a!r}"

    return next(pairs(), f"{len(found)} lines, in a plain directory {len(expected)}")
