"""Streams that are full, closed or ASCII: at most a message, never a traceback."""

from __future__ import annotations

import subprocess

import pytest

ARGUMENTS = ("bench", "latency", "--machine", "dragonfly-1056", "--sizes", "8")


def shell(odonata, redirection, *arguments):
    """The exit code and stderr of a command line under a shell's redirection."""
    words = ["sh", "-c", f'"$@" {redirection}', "sh", *odonata.arguments(*arguments)]
    done = subprocess.run(words, cwd=odonata.cwd, env=odonata.env, capture_output=True, text=True,
                          timeout=300)  # fmt: skip
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("redirection", [">/dev/full", ">&-"])
def test_stdout_that_cannot_be_written(odonata, redirection):
    code, _, errors = shell(odonata, redirection, *ARGUMENTS)
    assert code == 1 and errors.startswith("odonata: cannot write") and errors.count("\n") == 1
    code, _, errors = shell(odonata, redirection, *ARGUMENTS, "--json")
    assert code == 1 and errors.count("\n") == 1


@pytest.mark.parametrize("redirection", ["2>/dev/full", "2>&-"])
def test_results_do_not_depend_on_stderr(odonata, redirection):
    code, printed, _ = shell(odonata, redirection, *ARGUMENTS)
    assert code == 0 and "Avg Latency" in printed
    assert shell(odonata, redirection, *ARGUMENTS, "--nodes", "0")[0] == 2


def test_a_closed_pipe_is_no_error(odonata):
    assert shell(odonata, "| head -c 1", *ARGUMENTS)[1:] == ("#", "")


def test_characters_that_the_terminal_lacks(odonata):
    done = odonata("show", "aurora", env={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0 and "1.60 ?s" in done.stdout
