"""Terminals show weight, color and a progress line; other outputs are plain, without rich."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import subprocess
import sys

import pytest

from odonata import terminal, text
from odonata.progress import Progress

ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")
RUN = ["validate", "lumi_host_latency", "--fidelity", "loggp"]
ODONATA = [sys.executable, "-m", "odonata"]


def on_terminal(words: list[str], **env: str) -> str:
    """Output of a command on a terminal, stdout and stderr together."""
    parent, child = pty.openpty()
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM", "COLORTERM")}
    running = subprocess.Popen([*ODONATA, *words], stdin=child, stdout=child, stderr=child,
                               env={**kept, "TERM": "xterm-256color", **env})  # fmt: skip
    os.close(child)
    found = b""
    while True:
        try:
            part = os.read(parent, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        found += part
    running.wait()
    os.close(parent)
    return found.decode()


def piped(words: list[str]) -> str:
    done = subprocess.run([*ODONATA, *words], capture_output=True, text=True)
    return done.stdout


def bare(shown: str) -> list[str]:
    """Lines without control codes and trailing blanks; cleared lines are omitted."""
    lines = ESCAPE.sub("", shown.replace("\r\n", "\n")).split("\n")
    return [line.rstrip() for line in lines]


def test_a_terminal_shows_the_same_text_in_weight_and_color():
    shown, plain = on_terminal([*RUN, "--quiet"]), piped(RUN)
    assert "\x1b[1m" in shown and "\x1b[32m" in shown.replace("\x1b[1;32m", "\x1b[32m")
    assert bare(shown) == plain.split("\n")
    assert "\x1b" not in plain


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_color_can_be_switched_off(env):
    shown = on_terminal([*RUN, "--quiet"], **env)
    assert "\x1b" not in shown and bare(shown) == piped(RUN).split("\n")


def test_an_empty_no_color_allows_color():
    """https://no-color.org: it disables color if it is not empty."""
    assert "\x1b[1m" in on_terminal([*RUN, "--quiet"], NO_COLOR="")


def test_diagnostics_on_a_terminal():
    shown = on_terminal(["validate", "lumi_host_latncy"])
    assert "\x1b[1;31merror:" in shown
    assert "odonata: error: 1 problem in the input; nothing was run" in bare(shown)


def test_nothing_is_imported_for_a_pipe():
    code = (
        "import sys\n"
        "from odonata import cli\n"
        f"cli.code_of({RUN!r})\n"
        "cli.code_of(['validate', 'nothing'])\n"
        "print('rich' in sys.modules, file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr.splitlines()[-1] == "False"


class Screen:
    """A terminal that keeps what is written on it."""

    def __init__(self) -> None:
        self.written = ""

    def isatty(self) -> bool:
        return True

    def write(self, words: str) -> int:
        self.written += words
        return len(words)

    def flush(self) -> None:
        pass


def test_the_progress_line_fits_and_is_cleared(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("TERM", "xterm")
    screen = Screen()
    with Progress("a title", to=screen) as tick:
        tick({"time_s": 1e-3, "events": 1000, "wall_s": 2.0})
        tick({"time_s": 2e-3, "events": 5_000_000, "wall_s": 3.0})
    lines = [ESCAPE.sub("", part) for part in screen.written.split("\r")]
    assert [line for line in lines if line] == [
        "a title | simulated 1.00 ms | 1,000 ev…",
        "a title | simulated 2.00 ms | 5.00 M e…",
    ]
    assert screen.written.endswith("\x1b[2K") and "\n" not in screen.written


def test_pipes_and_dumb_terminals_have_no_progress_line(monkeypatch, capsys):
    with Progress("title") as tick:
        tick({"time_s": 1e-3})
    monkeypatch.setenv("TERM", "dumb")
    screen = Screen()
    with Progress("title", to=screen) as tick:
        tick({"time_s": 1e-3})
    assert screen.written == "" and capsys.readouterr().err == ""


@pytest.fixture
def screens(monkeypatch):
    """A stream without style, and one with it."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    return terminal.Terminal(io.StringIO()), terminal.Terminal(Screen())


def test_columns_are_aligned_alike_with_and_without_style(screens):
    rows = [("name", "time", ""), ("  a", "1.00 µs", ""),
            ("long [b]x[/b]", terminal.styled("2 s", "red"), "last")]  # fmt: skip
    plain, shown = (screen.columns(rows, "<><") for screen in screens)
    assert [ESCAPE.sub("", line) for line in shown] == plain  # no blanks at the end of a line
    assert plain == [
        "name              time",
        "  a            1.00 µs",
        "long [b]x[/b]      2 s  last",
    ]
    assert "\x1b[31m" in shown[2] and "\x1b[1mname" in shown[0]


def test_control_characters_in_cells_do_not_break_the_layout(screens):
    rows = [("a\tb", "1"), ("\x1b[2J", "22"), ("two\nlines", "3"), ("\udcff", "4")]
    plain, shown = (screen.columns(rows, "<>", header=False) for screen in screens)
    assert [ESCAPE.sub("", line) for line in shown] == plain
    assert plain == ["a\\tb         1", "\\x1b[2J     22", "two\\nlines   3", "\\xff         4"]


def test_control_characters_in_messages_are_escaped():
    assert text.printable("\x1b[31m") == "\\x1b[31m"
    rank = {"rank": 0, "node": "n\x07", "call": "MPI_Abort", "detail": "\x1b[2J"}
    found = {"kind": "abort", "message": "abort: \x1b]0;title\x07", "ranks": [rank]}
    assert text.failure(found, io.StringIO()) == (
        "odonata: abort: \\x1b]0;title\\x07\n  rank 0 on n\\x07 in MPI_Abort: \\x1b[2J"
    )


def test_control_characters_in_notes_are_escaped(odonata, tmp_path):
    done = odonata("bench", "latency", "--machine", "spock", "--sizes", "8", "--out", "a\x1b[2J")
    assert done.stderr.endswith("odonata: wrote a\\x1b[2J\n"), done.stderr
    ends = tmp_path / "ends.py"
    ends.write_text("from mpi4py import MPI\nimport os\nMPI.Finalize()\nos._exit(3)\n")
    program = json.dumps([sys.executable, str(ends)])
    jobs = tmp_path / "jobs.toml"
    jobs.write_text(f'[[job]]\nname = "a\\u001b[2J"\nranks = 2\nppn = 2\nprogram = {program}\n')
    done = odonata("run", "--machine", "spock", "--jobs", jobs, "--quiet")
    assert "odonata: job a\\x1b[2J: 2 of 2 ranks ended" in done.stderr, done.stderr
