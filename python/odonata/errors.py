"""What can go wrong, in three kinds that are never mixed.

The user's input is wrong (`InputError`: every complaint at once, before anything starts); the
simulated machine says no (`SimulatedFailure`: a result, with who waited for what); we have a bug
(any other exception). Only the first two are ours to raise on purpose.
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
    """Everything odonata raises on purpose."""


@dataclass(frozen=True)
class Diagnostic:
    """One thing wrong with the input: where, what was found, what is wanted, the nearest word."""

    at: str
    found: str
    wanted: str
    hint: str | None = None

    def __str__(self) -> str:
        text = f"{self.at}: found `{self.found}`, wanted {self.wanted}"
        return f"{text} ({self.hint})" if self.hint else text


class InputError(Error):
    """The input is wrong. `complaints` has all of it; nothing was started."""

    def __init__(self, diagnostics: Iterable[Diagnostic]):
        self.diagnostics = list(diagnostics)
        super().__init__("; ".join(map(str, self.diagnostics)))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.diagnostics,)  # pickle would make it of its words


class NoRoom(Error):
    """This computer, or a limit of this process, has no room for what was asked."""


class SimulatedFailure(Error):
    """The simulated job failed: deadlock, abort, a rank that died, exhausted resources.

    `kind` is one word, `ranks` a list of mappings with `rank`, `node`, `call` and `detail`, and
    `result` holds whatever was predicted up to then (None if nothing was).
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
        """What the core says of a failure, as the exception."""
        message = failure.get("message", "the simulated job failed")
        return cls(message, failure.get("kind", "failure"), failure.get("ranks") or (), result)


def nearest(word: str, legal: Iterable[str], alike: float = 0.5) -> str | None:
    """The legal word most like `word`, or None if none is as much as `alike`."""
    return _nearest(word, tuple(legal), alike) if len(word) <= LONGEST_WORD else None


LONGEST_WORD = 100  # letters; what is longer is no slip of the keyboard


@functools.lru_cache(maxsize=1 << 14)  # a file may have the same slip in each of many tables
def _nearest(word: str, legal: tuple[str, ...], alike: float) -> str | None:
    import difflib  # for complaints only

    by_lower = {w.lower(): w for w in legal}
    found = difflib.get_close_matches(word.lower(), by_lower, n=1, cutoff=alike)
    return by_lower[found[0]] if found else None


def hint_of(kind: str | None, word: str, legal: Iterable[str]) -> str | None:
    """What to suggest for `word`: what it means as a word of another tool, else the legal word
    most like it."""
    legal = list(legal)
    found = synonyms.meant(kind, word, legal) if kind else None
    if isinstance(found, synonyms.Hint):
        return found.text
    found = found or nearest(word, legal)
    return f"did you mean `{found}`?" if found else None


# Options that differ in more letters than this are other options, not misspelled ones.
ALIKE = 0.75


def hint_of_option(typed: str, command: str, legal: Iterable[str]) -> str | None:
    """What to suggest for an option that `odonata COMMAND`, with the options `legal`, lacks."""
    legal = list(legal)
    if found := synonyms.for_option(typed, command, legal):
        return found.text
    # Of one letter nothing can be misspelled: `-N` is not `-n`.
    near = nearest(typed, (o for o in legal if len(o) > 2), ALIKE) if len(typed) > 2 else None
    return f"did you mean `{near}`?" if near else None


MAX_REPORTED = 1000  # problems of an input that are explained; a damaged file can have 100,000
MOST = 2**31 - 1  # of anything the core counts in 32 bits


def whole_wanted(least: int, most: int = MOST) -> str:
    """The accepted range of a whole number, in words."""
    return f"a whole number of at least {least} and at most {most}"


class Diagnostics:
    """Collects complaints so that the user hears all of them at once."""

    def __init__(self) -> None:
        self.list: list[Diagnostic] = []

    def add(self, at: str, found: Any, wanted: str, hint: str | None = None) -> None:
        try:
            shown = str(found)
        except ValueError:  # of a number with more digits than Python writes
            shown = f"a number of {found.bit_length():,} bits"
        self.list.append(Diagnostic(at, shown, wanted, hint))

    def unknown_key(
        self, at: str, found: Any, wanted: str, key: object, legal: Iterable[str]
    ) -> None:
        """Report that `key` is not one of `legal`, with the nearest of them as a suggestion."""
        # Each suggestion takes about 0.2 ms.
        near = nearest(str(key), legal) if len(self.list) < MAX_REPORTED else None
        self.add(at, found, wanted, f"did you mean `{near}`?" if near else None)

    def word(self, at: str, found: str, legal: Iterable[str], what: str) -> bool:
        """Complain unless `found` is one of `legal`; say the nearest."""
        legal = list(legal)
        if found in legal:
            return True
        asked = isinstance(found, str) and found
        hint = hint_of(synonyms.kind_of(at), found, legal) if asked else None
        self.add(at, "nothing" if found == "" else found, f"{what}: {', '.join(legal)}", hint)
        return False

    def whole(self, at: str, value: Any, least: int = 1, most: int = MOST) -> int:
        """`value` as a whole number from `least` to `most`; `least` after a complaint."""
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
        """`value` as a list of at least one thing, which a text is not."""
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
        """Add what `error` says, unless it was said already of the same option."""
        said = {(c.at, c.found) for c in self.list}
        self.list += [c for c in error.diagnostics if (c.at, c.found) not in said]

    def raise_any(self) -> None:
        if (more := len(self.list) - MAX_REPORTED) > 0:
            last = Diagnostic("input", f"{more:,} more problems", "those above corrected first")
            raise InputError([*self.list[:MAX_REPORTED], last])
        if self.list:
            raise InputError(self.list)


def diagnostics_from_json(text: str) -> list[Diagnostic]:
    """The core's complaints; a plain message becomes one complaint."""
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
    """The core's suggestion; of placements and patterns, what other tools mean by the word."""
    at, found = str(row.get("at", "")), str(row.get("found", ""))
    kind = synonyms.kind_of(at)
    if kind in ("placement", "pattern") and found:
        legal = re.findall(r"[a-z][a-z0-9:K-]+", str(row.get("wanted", "")))
        meant = synonyms.meant(kind, found, legal)
        if meant:
            return meant.text if isinstance(meant, synonyms.Hint) else f"did you mean `{meant}`?"
    return f"did you mean `{row['hint']}`?" if row.get("hint") else None


def _wanted(at: str, words: str) -> str:
    """What was expected, where a file of collectives' rules could not be read: a parser's own words
    tell where it stopped, not what should be there."""
    if not at.startswith("coll_rules."):
        return words
    if re.search(r" at line [0-9]+ column [0-9]+$", words):
        return f"JSON as in MPICH's tuning files ({words})"
    if re.match(r"line [0-9]+: ", words):
        return f"numbers as in Open MPI's rules, or MPICH's JSON, from a brace on ({words})"
    return words
