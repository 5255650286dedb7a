"""Names in requests: placements, routings, traffic patterns and others.

`_vocabulary` has the lists. Each check adds a diagnostic for a name that is not legal; the core
interprets legal ones.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ._vocabulary import (
    ENGINES,
    FIDELITIES as FIDELITIES,
    LIMITS,
    NIC_POLICIES,
    PATTERNS as PATTERNS,
    PLACEMENTS as PLACEMENTS,
    ROUTINGS as ROUTINGS,
)
from .errors import Diagnostics, hint_of, printed

F = TypeVar("F", bound=Callable[..., Any])

# The fidelity that stands for the cheapest one whose error bars are within a tolerance.
AUTO = "auto"


def renamed(**older: str) -> Callable[[F], F]:
    """A decorator: keyword arguments are also accepted by an older name, but not by both."""

    def decorate(function: F) -> F:
        @functools.wraps(function)
        def call(*args: Any, **given: Any) -> Any:
            wrong = Diagnostics()
            for old, new in older.items():
                if old in given and new in given:
                    wanted = f"one of its names only: `{new}` is given, too"
                    wrong.add(old, given[old], wanted)
                elif old in given:
                    given[new] = given.pop(old)
            wrong.raise_any()
            return function(*args, **given)

        return call  # type: ignore[return-value]

    return decorate


def check_placement(wrong: Diagnostics, text: str, more: Sequence[str] = ()) -> bool:
    """Add a diagnostic unless `text` names a placement or is one of `more`."""
    if re.fullmatch("group-spread:[1-9][0-9]{0,8}", text):
        return True
    if text.startswith("group-spread:"):
        wrong.add("placement", text, "`group-spread:K` with K groups, 1 to 999999999")
        return False
    return wrong.word("placement", text, (*PLACEMENTS, *more), "a placement")


def check_pattern(wrong: Diagnostics, pattern: str) -> None:
    """Add a diagnostic unless `pattern` is one of PATTERNS with a whole K."""
    at = "pattern"
    name, colon, k = printed(pattern).partition(":")
    known = {p.partition(":")[0]: p for p in PATTERNS}
    wanted = f"a pattern: {', '.join(PATTERNS)}"
    if name not in known:
        hint = hint_of("pattern", printed(pattern), known.values())
        wrong.add(at, pattern, wanted, hint)
    elif ":" in known[name] and not (re.fullmatch(r"[1-9][0-9]{0,9}", k) and int(k) < 2**32):
        wanted = f"`{name}:K` with K a positive number below 2^32"
        wrong.add(at, pattern, wanted, f"such as `{name}:1`")
    elif ":" not in known[name] and colon:
        wrong.add(at, pattern, f"`{name}` without a number")


def check_class(wrong: Diagnostics, name: Any, at: str = "class") -> None:
    """Add a diagnostic unless `name` can be a traffic class. The machine has the list of them."""
    if name is not None and not (isinstance(name, str) and is_text(name)):
        wrong.add(at, name, "the name of a traffic class")


def is_text(name: str) -> bool:
    """Whether a name is Unicode; a command line may have other bytes."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def check_engine(wrong: Diagnostics, word: Any) -> None:
    """Add a diagnostic unless `word` is an engine of packet networks, or `auto`."""
    wrong.word("engine", word, ENGINES, "one of")


def check_limits(wrong: Diagnostics, word: Any) -> None:
    """Add a diagnostic unless `word` is a legal effect of exceeding a limit."""
    wrong.word("limits", word, LIMITS, "one of")


def check_nic_policy(wrong: Diagnostics, word: Any) -> None:
    """Add a diagnostic unless `word` is a NIC policy, possibly in Cray MPICH's capitals."""
    if word is not None:
        plain = word.lower().replace("_", "-") if isinstance(word, str) else word
        # The core reads the list of NICs of `user:`.
        if not (isinstance(plain, str) and plain.startswith("user:")):
            wrong.word("nic_policy", plain, NIC_POLICIES, "one of")
