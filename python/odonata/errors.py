"""Three kinds of errors, which are never mixed.

- The user's input is wrong: `InputError`, with all diagnostics at once, before anything starts.
- The simulated job failed: `SimulatedFailure`, a result, with the ranks and what they waited for.
- odonata has a bug: any other exception.

Only the first two are raised on purpose.
"""

from __future__ import annotations

import functools
import json
import math
import operator
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from . import synonyms


class Error(Exception):
    """Base of all exceptions that odonata raises on purpose."""


@dataclass(frozen=True)
class Diagnostic:
    """One problem of the input: its place, the value found, the expected value, a suggestion."""

    at: str
    found: str
    wanted: str
    hint: str | None = None

    def __str__(self) -> str:
        text = f"{self.at}: found `{self.found}`, wanted {self.wanted}"
        return f"{text} ({self.hint})" if self.hint else text


class InputError(Error):
    """The input is wrong. `diagnostics` lists all problems; nothing was run."""

    def __init__(self, diagnostics: Iterable[Diagnostic]):
        self.diagnostics = list(diagnostics)
        super().__init__("; ".join(map(str, self.diagnostics)))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.diagnostics,)  # else pickle would pass the message


class NoRoom(Error):
    """The request exceeds this computer's memory or a limit of this process."""


class SimulatedFailure(Error):
    """The simulated job failed: deadlock, abort, a rank that died, exhausted resources.

    `kind` is one word, `ranks` a list of mappings with `rank`, `node`, `call` and `detail`, and
    `result` holds the prediction up to the failure (None if there is none).
    """

    def __init__(
        self,
        message: str,
        kind: str = "failure",
        ranks: Iterable[Mapping[str, Any]] = (),
        result: Any = None,
    ):
        super().__init__(message)
        self.kind = kind
        self.ranks = [dict(r) for r in ranks]
        self.result = result

    @classmethod
    def of(cls, failure: Mapping[str, Any], result: Any) -> SimulatedFailure:
        """The exception for a failure that the core reports."""
        message = failure.get("message", "the simulated job failed")
        return cls(message, failure.get("kind", "failure"), failure.get("ranks") or (), result)


def nearest(word: str, legal: Iterable[str], alike: float = 0.5) -> str | None:
    """The valid word closest to `word`, or None if no similarity reaches `alike`."""
    return _nearest(word, tuple(legal), alike) if len(word) <= LONGEST_WORD else None


LONGEST_WORD = 100  # letters; longer words are not typing errors


@functools.lru_cache(maxsize=1 << 14)  # a file may repeat an error in many tables
def _nearest(word: str, legal: tuple[str, ...], alike: float) -> str | None:
    import difflib  # used for diagnostics only

    by_lower = {w.lower(): w for w in legal}
    found = difflib.get_close_matches(word.lower(), by_lower, n=1, cutoff=alike)
    return by_lower[found[0]] if found else None


def hint_of(kind: str | None, word: str, legal: Iterable[str]) -> str | None:
    """A suggestion for `word`: its equivalent if another tool uses it, else the closest valid
    word."""
    legal = list(legal)
    found = synonyms.meant(kind, word, legal) if kind else None
    if isinstance(found, synonyms.Hint):
        return found.text
    found = found or nearest(word, legal)
    return f"did you mean `{found}`?" if found else None


# Similarity below which an option is a different one, not a misspelled one.
ALIKE = 0.75


def hint_of_option(typed: str, command: str, legal: Iterable[str]) -> str | None:
    """A suggestion for an option that is not one of `legal`, those of `odonata COMMAND`."""
    legal = list(legal)
    if found := synonyms.for_option(typed, command, legal):
        return found.text
    # Options of one letter are never misspelled: `-N` is not `-n`.
    near = nearest(typed, (o for o in legal if len(o) > 2), ALIKE) if len(typed) > 2 else None
    return f"did you mean `{near}`?" if near else None


MAX_REPORTED = 1000  # diagnostics reported in full; a damaged file can have 100,000
MOST = 2**31 - 1  # largest value of counts that the core keeps in 32 bits


def whole_wanted(least: int, most: int = MOST) -> str:
    """The accepted range of a whole number, in words."""
    return f"a whole number of at least {least} and at most {most}"


def printed(value: object) -> str:
    """`str(value)`, also of an integer with more digits than Python prints, alone or in a list."""
    try:
        return str(value)
    except ValueError:
        if isinstance(value, int):
            return f"a number of {value.bit_length():,} bits"
        return f"a {type(value).__name__} with a number of too many digits"


class Diagnostics:
    """Collects diagnostics, so that all are reported at once."""

    def __init__(self) -> None:
        self.list: list[Diagnostic] = []

    def add(self, at: str, found: Any, wanted: str, hint: str | None = None) -> None:
        self.list.append(Diagnostic(at, printed(found), wanted, hint))

    def unknown_key(
        self, at: str, found: Any, wanted: str, key: object, legal: Iterable[str]
    ) -> None:
        """Report that `key` is not one of `legal`, with the nearest of them as a suggestion."""
        # Each suggestion takes about 0.2 ms.
        near = nearest(str(key), legal) if len(self.list) < MAX_REPORTED else None
        self.add(at, found, wanted, f"did you mean `{near}`?" if near else None)

    def word(self, at: str, found: str, legal: Iterable[str], what: str) -> bool:
        """Add a diagnostic with the closest word unless `found` is one of `legal`."""
        legal = list(legal)
        if found in legal:
            return True
        given = isinstance(found, str) and found
        hint = hint_of(synonyms.kind_of(at), found, legal) if given else None
        self.add(at, "nothing" if found == "" else found, f"{what}: {', '.join(legal)}", hint)
        return False

    def whole(self, at: str, value: Any, least: int = 1, most: int = MOST) -> int:
        """`value` as a whole number from `least` to `most`; `least` if it is not."""
        try:
            number = least - 1 if isinstance(value, bool) else operator.index(value)
        except TypeError:
            number = least - 1
        if not least <= number <= most:
            shown = repr(value) if isinstance(value, str) else value
            self.add(at, shown, whole_wanted(least, most))
        return number if least <= number <= most else least

    def number(
        self, at: str, value: Any, wanted: str, low: float, high: float, open_low: bool = False
    ) -> float:
        """`value` as a finite number from `low` (or above it) to `high`."""
        try:
            found = math.nan if isinstance(value, (bool, str)) else float(value)
        except (TypeError, ValueError, OverflowError):
            found = math.nan
        if low <= found <= high and not (open_low and found == low):
            return found
        self.add(at, value, wanted)
        return high

    def sequence(self, at: str, value: Any, wanted: str) -> list[Any]:
        """`value` as a list of at least one item. A text is no list."""
        try:
            found = None if isinstance(value, (str, bytes, Mapping)) else list(value)
        except TypeError:
            found = None
        if found is None:
            self.add(at, value, wanted)
        elif not found:
            self.add(at, "nothing", wanted)
        return found or []

    def extend(self, error: InputError) -> None:
        """Add the diagnostics of `error` that are not there yet."""
        known = {(d.at, d.found) for d in self.list}
        self.list += [d for d in error.diagnostics if (d.at, d.found) not in known]

    def raise_any(self) -> None:
        if (more := len(self.list) - MAX_REPORTED) > 0:
            last = Diagnostic("input", f"{more:,} more problems", "those above corrected first")
            raise InputError([*self.list[:MAX_REPORTED], last])
        if self.list:
            raise InputError(self.list)


def diagnostics_from_json(text: str) -> list[Diagnostic]:
    """The core's diagnostics; a plain message becomes one."""
    try:
        rows = json.loads(text)
    except ValueError:
        rows = None
    if not isinstance(rows, list):
        return [Diagnostic("input", text, "something the machine can do")]
    return [
        Diagnostic(
            str(row.get("at", "input")),
            str(row.get("found", "")),
            _wanted(str(row.get("at", "")), str(row.get("wanted", ""))),
            _hint(row),
        )
        for row in rows
    ]


def _hint(row: Mapping[str, Any]) -> str | None:
    """The core's suggestion; for placements and patterns, the equivalent of another tool's word."""
    at, found = str(row.get("at", "")), str(row.get("found", ""))
    kind = synonyms.kind_of(at)
    if kind in ("placement", "pattern") and found:
        legal = re.findall(r"[a-z][a-z0-9:K-]+", str(row.get("wanted", "")))
        meant = synonyms.meant(kind, found, legal)
        if meant:
            return meant.text if isinstance(meant, synonyms.Hint) else f"did you mean `{meant}`?"
    return f"did you mean `{row['hint']}`?" if row.get("hint") else None


def _wanted(at: str, words: str) -> str:
    """The expected format of a file of collective rules that could not be parsed.

    A parser's message states where it stopped, not what should be there."""
    if not at.startswith("coll_rules."):
        return words
    if re.search(r" at line [0-9]+ column [0-9]+$", words):
        return f"JSON as in MPICH's tuning files ({words})"
    if re.match(r"line [0-9]+: ", words):
        return f"numbers as in Open MPI's rules, or MPICH's JSON, from a brace on ({words})"
    return words
