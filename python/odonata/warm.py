"""Which programs are Python scripts, and how their ranks are forked from one warmed interpreter.

`command` parses a command line like `python` itself. It returns None for all unusual ones, and each
rank then starts its own interpreter.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

BOOTSTRAP = Path(__file__).with_name("_warm.py")

_PYTHON = re.compile(r"python(\d+(\.\d+)?)?[dt]*")
# Options that do not affect how a script is found; some take a value.
_FLAGS = frozenset("bBEIOPqRsSu")
_VALUED_X = re.compile(r"dev|utf8(=[01])?|faulthandler|int_max_str_digits=\d+|pycache_prefix=.*")


def command(
    program: list[str], wdir: str, environment: Mapping[str, str], modules: str = "auto"
) -> list[str] | None:
    """The command that starts the warmed interpreter for `program`; None if unsupported."""
    if modules == "none" or not program:
        return None
    found = {**os.environ, **environment}
    if found.get("PYTHONINSPECT") or found.get("PYTHONPROFILEIMPORTTIME"):
        return None
    words = _interpreter(program, wdir, found.get("PATH", os.defpath))
    if words is None:
        return None
    n = _options(words)
    if n is None:
        return None
    return [*words[:n], str(BOOTSTRAP), modules, *words[n:]]


def _interpreter(program: list[str], wdir: str, path: str) -> list[str] | None:
    """The program's words from a Python interpreter on: its own, or that of its first line."""
    at = _which(program[0], wdir, path)
    if at is None:
        return None
    try:
        with open(at, "rb") as file:
            head = file.read(256)
    except OSError:
        return None
    if head.startswith(b"\x7fELF"):
        return list(program) if _PYTHON.fullmatch(os.path.basename(at)) else None
    if not head.startswith(b"#!") or b"\n" not in head:
        return None
    # As the kernel does: the interpreter, and the rest of the line as one argument.
    first, *rest = head[2 : head.index(b"\n")].decode("utf-8", "replace").strip().split(None, 1)
    rest = [word.strip() for word in rest]
    if os.path.basename(first) == "env" and rest and not rest[0].startswith("-"):
        first, rest = rest[0], []
    inner = _which(first, wdir, path)
    if inner is None or not _PYTHON.fullmatch(os.path.basename(inner)):
        return None
    with open(inner, "rb") as file:
        if file.read(4) != b"\x7fELF":
            return None
    return [first, *rest, at, *program[1:]]


def _which(name: str, wdir: str, path: str) -> str | None:
    if os.sep in name:
        at = os.path.abspath(os.path.join(wdir, name))
        return at if os.path.isfile(at) and os.access(at, os.X_OK) else None
    return shutil.which(name, path=path)


def _options(words: list[str]) -> int | None:
    """Where the interpreter's options end and its script, `-m` or `-c` begins."""
    i = 1
    while i < len(words):
        word = words[i]
        if not word.startswith("-"):
            return i
        if word in ("-m", "-c"):
            return i if i + 1 < len(words) else None
        if word in ("-W", "-X"):
            if i + 1 == len(words) or (word == "-X" and not _VALUED_X.fullmatch(words[i + 1])):
                return None
            i += 2
            continue
        if word.startswith("-W") or (word.startswith("-X") and _VALUED_X.fullmatch(word[2:])):
            i += 1
            continue
        if len(word) < 2 or not set(word[1:]) <= _FLAGS:
            return None
        i += 1
    return None
