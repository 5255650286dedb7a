"""Names in requests: placements, routings, patterns of traffic and others.

Each check adds a diagnostic for an unknown name. The core defines their meaning:
`crates/machine/src/routing/mod.rs`, `crates/machine/src/placement.rs` and
`crates/sim/src/patterns.rs`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from .errors import Diagnostics, hint_of

PLACEMENTS = (
    "contiguous", "round-robin", "random", "one-group", "group-spread", "group-spread:K"
)  # fmt: skip
ROUTINGS = (
    "minimal", "valiant", "valiant-group", "ugal", "ugal-l", "ugal-g", "par", "slingshot",
    "adaptive-0", "adaptive-1", "adaptive-2", "adaptive-3", "min-hash", "nmin-hash", "in-order",
    "adaptive",
)  # fmt: skip
FIDELITIES = ("packet", "flow", "loggp")
# Selects the cheapest of these whose error bars are within a tolerance.
AUTO = "auto"
NIC_POLICIES = ("block", "numa", "round-robin", "gpu", "single")
PATTERNS = (
    "uniform", "adversarial:K", "group-shift:K", "shift:K", "hotspot:K", "incast:K",
    "random-permutation", "worst-permutation", "all-to-all", "random-all-to-all",
)  # fmt: skip


def check_placement(wrong: Diagnostics, text: str, more: Sequence[str] = ()) -> bool:
    """Add a diagnostic unless `text` names a placement."""
    if re.fullmatch("group-spread:[1-9][0-9]{0,8}", text):
        return True
    if text.startswith("group-spread:"):
        wrong.add("placement", text, "`group-spread:K` with K groups, 1 to 999999999")
        return False
    return wrong.word("placement", text, (*PLACEMENTS, *more), "a placement")


def check_pattern(wrong: Diagnostics, pattern: str) -> None:
    """Add a diagnostic unless `pattern` is one of PATTERNS with a whole K."""
    at = "pattern"
    name, colon, k = str(pattern).partition(":")
    known = {p.partition(":")[0]: p for p in PATTERNS}
    wanted = f"a pattern: {', '.join(PATTERNS)}"
    if name not in known:
        hint = hint_of("pattern", str(pattern), known.values())
        wrong.add(at, pattern, wanted, hint)
    elif ":" in known[name] and not (re.fullmatch(r"[1-9][0-9]{0,9}", k) and int(k) < 2**32):
        wanted = f"`{name}:K` with K a positive number below 2^32"
        wrong.add(at, pattern, wanted, f"such as `{name}:1`")
    elif ":" not in known[name] and colon:
        wrong.add(at, pattern, f"`{name}` without a number")


def check_class(wrong: Diagnostics, name: Any) -> None:
    """Add a diagnostic unless `name` can be a traffic class; the machine lists its classes."""
    if name is not None and not (isinstance(name, str) and is_text(name)):
        wrong.add("class", name, "the name of a traffic class")


def is_text(name: str) -> bool:
    """Whether a name is Unicode: a command line may contain other bytes."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def check_limits(wrong: Diagnostics, word: Any) -> None:
    """Add a diagnostic unless `word` is a mode of limits."""
    wrong.word("limits", word, ("fail", "warn", "off"), "one of")


def check_nic_policy(wrong: Diagnostics, word: Any) -> None:
    """Add a diagnostic unless `word` is a NIC policy, in Cray MPICH's capitals or not."""
    if word is not None:
        plain = word.lower().replace("_", "-") if isinstance(word, str) else word
        # The core reads what NIC each rank of a node has.
        if not (isinstance(plain, str) and plain.startswith("user:")):
            wrong.word("nic_policy", plain, NIC_POLICIES, "one of")
