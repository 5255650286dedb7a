"""Ctrl-C while the command line is being imported: no traceback, and exit code 130.

An interrupted import raises `KeyboardInterrupt`, also where no `try` of odonata is on the stack
yet. So until the command begins, the signal ends the process at once.
"""

import os
import sys

# Not `signal`, which imports `enum`: this module must cover that time.
import _signal

INTERRUPTED = 130


def is_command() -> bool:
    """Whether this process is the `odonata` command, rather than a program that imports it."""
    name = sys.argv[0] if getattr(sys, "argv", None) else ""
    if name == "-m":
        # The interpreter searches for the module that it is to run, which may be another one that
        # imports us. Its name stands before the arguments.
        return sys.orig_argv[-len(sys.argv)].removeprefix("-m") == "odonata"
    ours = os.path.join(os.path.dirname(__file__), "__main__.py")
    return name == ours or os.path.basename(name) == "odonata"


def end_at_once() -> None:
    """From here on SIGINT ends the command, unless it is ignored or handled already."""
    if is_command() and _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _end)


def raise_again() -> None:
    """From here on SIGINT raises `KeyboardInterrupt`, as in Python."""
    if _signal.getsignal(_signal.SIGINT) is _end:
        _signal.signal(_signal.SIGINT, _signal.default_int_handler)


def _end(_number: int, _frame: object) -> None:
    try:
        os.write(2, b"odonata: interrupted\n")
    except OSError:
        pass
    os._exit(INTERRUPTED)
