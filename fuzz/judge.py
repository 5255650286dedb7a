"""Runs one case, in this process or as a command, and checks what odonata guarantees.

Whatever the input: exit code 0, 1 or 2 within the limits of time and memory; no traceback and no
panic; an error states what is expected; a refused input leaves no file behind.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

SECONDS, BYTES = 20, 4 << 30
# Output that indicates a bug of odonata.
OURS = ("Traceback (most recent call last)", "panicked at", "this is a bug of odonata")


@dataclass(frozen=True)
class Case:
    """A command line with its files and environment variables."""

    kind: str
    argv: tuple[str, ...]
    files: dict[str, bytes] = field(default_factory=dict)
    env: dict[str, str] = field(default_factory=dict)

    def write(self, at: Path) -> None:
        for name, data in self.files.items():
            file = at / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)

    def shown(self) -> str:
        """The case in a few lines."""
        words = [repr(word)[:120] for word in self.argv]
        lines = [f"{self.kind}: odonata {' '.join(words)}"]
        lines += [f"  {name}={value[:80]!r}" for name, value in self.env.items()]
        files = self.files.items()
        lines += [f"  {name}: {len(data)} bytes, {data[:160]!r}" for name, data in files]
        return "\n".join(lines)


@dataclass
class Outcome:
    """The result of a case."""

    code: int
    stdout: str
    stderr: str
    before: dict[str, int]
    after: dict[str, int]
    took_s: float  # CPU time; for a command, plus the time in which it sleeps


def wrong_with(case: Case, found: Outcome) -> str | None:
    """The broken guarantee, in a line that identifies the failure; or None."""
    errors = found.stderr
    for words in OURS:
        if words in errors or words in found.stdout:
            places = re.findall(r'File "[^"]*/(odonata/[^"]+|[^/"]+)", line (\d+)', errors)
            panics = re.findall(r"panicked at ([^\n]*)", errors)
            last = errors.rstrip().splitlines()[-2:]
            where = f"{places[-1][0]}:{places[-1][1]}" if places else ""
            what = [line[:100] for line in last if "bug of odonata" not in line]
            return " ".join([words, *panics[:1], where, *what])
    if found.code not in (0, 1, 2):
        return f"exit code {found.code}"
    if found.code and not errors.strip():
        return f"exit code {found.code} without a message"
    if found.took_s > SECONDS:
        return f"took longer than {SECONDS} s"
    return wrong_refusal(errors, found) if found.code == 2 else None


def wrong_refusal(errors: str, found: Outcome) -> str | None:
    """The requirement that a refusal breaks, or None."""
    if "Usage:" in errors:
        return None
    blocks = errors.strip().split("\n\n")[1:]
    if not blocks:
        return "a refusal without a diagnostic"
    if not all(re.search(r"(?m)^    wanted  .*\S", block) for block in blocks if "    " in block):
        return "a diagnostic that does not state what is expected"
    if len(errors) > 1 << 16:
        return "diagnostics of more than 64 KiB"
    if found.stdout:
        return "something on stdout though the input is refused"
    if found.after != found.before:
        return "files written though the input is refused"
    return None


def listing(at: Path) -> dict[str, int]:
    """All files below a directory, with their sizes."""
    found = {}
    for path, directories, files in os.walk(at):
        for name in files:
            with contextlib.suppress(OSError):
                found[os.path.join(path, name)] = os.lstat(os.path.join(path, name)).st_size
        for name in directories:
            found[os.path.join(path, name)] = -1
    return found


@contextlib.contextmanager
def clean(at: Path) -> Iterator[None]:
    """Inside, an empty directory."""
    shutil.rmtree(at, ignore_errors=True)
    at.mkdir(parents=True)
    yield
    shutil.rmtree(at, ignore_errors=True)


def here(case: Case, at: Path) -> Outcome:
    """The command in this process: nothing is started, and `run` stops before ranks start."""
    from odonata import cli, core, sweeps

    with clean(at):
        case.write(at)
        before = listing(at)
        stdout, stderr = io.StringIO(), io.StringIO()
        environment, place = dict(os.environ), os.getcwd()
        began = time.process_time()
        os.environ.update(case.env)
        os.chdir(at)
        computing = sweeps.run_points
        sweeps.run_points = nothing_computed
        try:
            with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
                code = requested(cli, core, case) if case.argv[:1] == ("run",) else None
                if code is None:
                    code = cli.code_of(list(case.argv))
        finally:
            sweeps.run_points = computing
            os.chdir(place)
            for name in set(os.environ) - set(environment):
                del os.environ[name]
            os.environ.update(environment)
        took = time.process_time() - began
        return Outcome(code, stdout.getvalue(), stderr.getvalue(), before, listing(at), took)


def requested(cli, core, case: Case) -> int:
    """Executes `run` up to the request to the core."""
    seen: list[str] = []

    def look(function: str, request: dict) -> None:
        seen.append(function)

    stderr = sys.stderr
    with core.dry_run(look):
        code = cli.code_of(list(case.argv))
    if seen:  # the request was reached, so the stop is no bug
        stderr.seek(0)
        stderr.truncate()
        return 0
    return code


def nothing_computed(points, store, executor, tick, stop):
    return {"asked": 0, "computed": 0, "interrupted": False, "wall_s": 0.0}, {}


def command(case: Case, at: Path) -> Outcome:
    """The command in a process of its own, as users start it."""
    with clean(at):
        case.write(at)
        before = listing(at)
        words = [os.fsencode(word) for word in (sys.executable, "-m", "odonata", *case.argv)]
        env = {**os.environ, **case.env}
        process = subprocess.Popen(
            words, cwd=at, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        watchdog = Watchdog(process.pid)
        out, err, code = watch(process, watchdog)
        text = (out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))
        return Outcome(code, *text, before, listing(at), watchdog.seconds)


def forked(case: Case, at: Path) -> Outcome:
    """The command in a fork of this process, which has imported it: it has its own exit code, and
    is twenty times as fast as a new process."""
    with clean(at):
        case.write(at)
        before = listing(at)
        out, err = at.with_name("stdout"), at.with_name("stderr-of-case")
        pid = os.fork()
        if pid == 0:
            become(case, at, out, err)
        watchdog = Watchdog(pid)
        code, killed = wait(watchdog)
        texts = [file.read_text(encoding="utf-8", errors="replace") for file in (out, err)]
        if killed:
            texts[1] += f"\nthis is a bug of odonata: {killed}"
        return Outcome(code, *texts, before, listing(at), watchdog.seconds)


def become(case: Case, at: Path, out: Path, err: Path) -> NoReturn:
    """Execute the command in this process, and exit with its code."""
    code = 99
    try:
        os.setsid()
        os.chdir(at)
        os.environ.update(case.env)
        for number, file in ((1, out), (2, err)):
            os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        sys.stdin, sys.stdout, sys.stderr = (
            open(n, mode, closefd=False, encoding="utf-8") for n, mode in enumerate("rww")
        )
        from odonata import cli

        cli.main(list(case.argv))
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)


def spent(pid: int) -> tuple[bool, float]:
    """Whether a process sleeps, and its CPU time in seconds."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return False, 0.0
    ticks = int(words[11]) + int(words[12])
    return words[0] in "SD", ticks / os.sysconf("SC_CLK_TCK")


class Watchdog:
    """The time limit of a process: its CPU time, and the time in which it sleeps.

    Time in which other processes have the CPU does not count, so a loaded machine causes no hangs.
    """

    def __init__(self, pid: int):
        self.pid, self.cpu_before = pid, spent(pid)[1]
        self.checked, self.slept, self.seconds = time.monotonic(), 0.0, 0.0

    def broken_limit(self) -> str:
        """The limit that the process exceeds, or an empty text."""
        now, (is_asleep, cpu) = time.monotonic(), spent(self.pid)
        self.slept += (now - self.checked) * is_asleep
        self.checked = now
        self.seconds = max(self.seconds, cpu - self.cpu_before + self.slept)
        if resident(self.pid) > BYTES:
            return "memory above 4 GB"
        return f"a hang above {SECONDS} s" if self.seconds > SECONDS else ""


def wait(watchdog: Watchdog) -> tuple[int, str]:
    """A process's exit code, and the reason if it was killed."""
    pid, killed = watchdog.pid, ""
    while True:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            return (70 if killed else os.waitstatus_to_exitcode(status)), killed
        if killed := killed or watchdog.broken_limit():
            os.killpg(pid, 9)
        time.sleep(0.002)


def watch(process: subprocess.Popen, watchdog: Watchdog) -> tuple[bytes, bytes, int]:
    """Output and exit code of a process, which is killed at the limits of time and memory."""
    killed = ""
    while True:
        try:
            out, err = process.communicate(timeout=0.1)
            break
        except subprocess.TimeoutExpired:
            if killed := killed or watchdog.broken_limit():
                os.killpg(process.pid, 9)
    if killed:
        return out, err + b"\nthis is a bug of odonata: " + killed.encode(), 70
    return out, err, process.returncode


def resident(pid: int) -> int:
    """Bytes of memory a process has in use."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="utf-8").split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
