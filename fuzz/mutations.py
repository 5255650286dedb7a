"""Hypothesis strategies that damage a valid input: its tree of keys and values, text or bytes.

Values are dicts, lists and scalars as TOML and JSON have them, and `Nested`, which stands for a
nesting so deep that no Python value should hold it.
"""

from __future__ import annotations

import copy
import datetime
import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

Draw = Callable[[st.SearchStrategy[Any]], Any]


@dataclass(frozen=True)
class Nested:
    """`depth` lists or tables, one in the other."""

    depth: int
    of_tables: bool

    def text(self, key: str) -> str:
        first, last = (f"{{{key}", "}") if self.of_tables else ("[", "]")
        return first * self.depth + ("1" if self.of_tables else "") + last * self.depth


NUMBERS = (
    -1, 0, 1, 2, 3, 7, 64, 255, 256, 65_535, 65_536, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53 + 1,
    2**63 - 1, 2**63, 2**64, -(2**31), -(2**63), -(2**63) - 1, 10**30, 10**400, 0.5, -0.0, 5e-324,
    1e-300, 1e30, 1.8e308, math.nan, math.inf, -math.inf, 0.1 + 0.2,
)  # fmt: skip
TEXTS = (
    "", " ", "\0", "\n", "\t", "\r\n", "\ud800", "\udcff", "\ufeff", "\u202e", "\u0301", "é", "名",
    "\U0001f409", "\x1b[31m", "%s%n", "{0}", "$HOME", "~", "*", "[", "]", "{", "=", "#", "'", '"',
    "\\", "/", ".", "..", "/dev/zero", "/dev/null", "/dev/stdin", "/proc/self/mem", "no-such-file",
    "-1", "0", "1", "2", "1e30", "1e400", "-1e400", "nan", "inf", "-inf", "0x10", "1_000", "007",
    "٣", "1.5", "1/0", "1:2:3", ":", ",", "1,", "1Ti", "1Ki", "64Ki", "1 GB/s", "0 GB/s",
    "1e400 GB/s", "1 ns", "-1 ns", "1e30 s", "0 ns", "300 ns", "10%", "1000%", "64 KiB", "8 EiB",
    "0 B", "on", "off", "true", "all", "none", "auto", "minimal", "random", "aurora", "mpich",
    "openmpi", "x" * 300, "x" * 100_000, "1" * 5_000, "a." * 2_000, "9" * 40,
)  # fmt: skip
LONG = 40_000


def scalars() -> st.SearchStrategy[Any]:
    """Numbers at limits of types, texts that are hard for parsers and terminals, other kinds."""
    return st.one_of(
        st.sampled_from(NUMBERS),
        st.sampled_from(TEXTS),
        st.integers(),
        st.floats(),
        st.text(max_size=12),
        st.sampled_from((True, False, None, datetime.date(2026, 1, 1))),
        st.builds(Nested, st.sampled_from((1, 3, 130, 3_000, 60_000)), st.booleans()),
        st.sampled_from(([], {}, [[]], [{}], [None], [1, "a"], {"": 1}, {"a": {"b": 1}})),
    )


def places(tree: Any, at: tuple = ()) -> Iterator[tuple]:
    """The path of every value below the root."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, value in items:
        yield (*at, key)
        if isinstance(value, (dict, list)):
            yield from places(value, (*at, key))


def parent(tree: Any, path: tuple) -> Any:
    for key in path[:-1]:
        tree = tree[key]
    return tree


OPERATIONS = ("replace", "replace", "replace", "delete", "rename", "wrap", "add", "repeat", "swap")


def damaged(draw: Draw, tree: Any) -> Any:
    """The tree after one to three changes."""
    tree = copy.deepcopy(tree)
    for _ in range(draw(st.integers(1, 3))):
        every = list(places(tree))
        if not every:
            return draw(scalars())
        path = draw(st.sampled_from(every))
        change(draw, tree, path, every)
    return tree


def change(draw: Draw, tree: Any, path: tuple, every: list[tuple]) -> None:
    held, key = parent(tree, path), path[-1]
    operation = draw(st.sampled_from(OPERATIONS))
    if operation == "replace":
        held[key] = near(draw, held[key]) if draw(st.booleans()) else draw(scalars())
    elif operation == "delete":
        del held[key]
    elif operation == "wrap":
        held[key] = [held[key]] if draw(st.booleans()) else {"a": held[key]}
    elif operation == "swap":
        other = draw(st.sampled_from(every))
        held[key] = copy.deepcopy(parent(tree, other)[other[-1]])
    elif isinstance(held, list):
        times = draw(st.sampled_from((1, 2, 50, 2_000)))
        held[key:key] = [held[key]] * times
    else:
        name = draw(st.one_of(st.sampled_from(TEXTS), st.text(max_size=5), typo(str(key))))
        if operation == "rename":
            held[name] = held.pop(key)
        elif operation == "repeat":
            held |= {f"{key}{n}": held[key] for n in range(draw(st.sampled_from((1, 20, 300))))}
        else:
            held[name] = draw(scalars())


def typo(word: str) -> st.SearchStrategy[str]:
    """A word with one letter removed or doubled."""
    nth = st.integers(0, max(0, len(word) - 1))
    return st.one_of(
        nth.map(lambda n: word[:n] + word[n + 1 :]),
        nth.map(lambda n: word[:n] + word[n : n + 1] * 2 + word[n + 1 :]),
    )


def near(draw: Draw, value: Any) -> Any:
    """A value of the same kind with a small or large change."""
    if isinstance(value, bool) or value is None:
        return draw(scalars())
    if isinstance(value, (int, float)):
        factor = draw(st.sampled_from((-1, 0, 2, 10, 1_000, 10**6, 10**12)))
        return value * factor + draw(st.sampled_from((0, 0, 1, -1)))
    if isinstance(value, str):
        numbers = list(re.finditer(r"[0-9.]+", value))
        if numbers and draw(st.booleans()):
            one = draw(st.sampled_from(numbers))
            other = str(draw(st.sampled_from(NUMBERS)))[:400]
            return value[: one.start()] + other + value[one.end() :]
        return draw(st.one_of(typo(value), st.sampled_from(TEXTS).map(lambda t: value + t)))
    return draw(scalars())


TOKENS = tuple(text.encode("utf-8", "surrogatepass") for text in TEXTS) + (
    b"\xff\xfe", b"\xef\xbb\xbf", b"\x80", b"\xed\xa0\x80", b"[[", b"]]", b"[a]\n", b"a = 1\n",
    b"[" * LONG, b"{a=" * LONG, b'{"a":' * LONG, b"(" * LONG, b"a." * LONG, b"\n" * LONG,
    b"x" * LONG, b'"' * 3, b"'''", b"requires", b"rank 0 {", b"num_ranks 4294967295",
    b"num_ranks 2", b"calc 18446744073709551615", b"send 1099511627776b to 0 tag 4294967295",
)  # fmt: skip


def damaged_bytes(draw: Draw, data: bytes) -> bytes:
    """The bytes after one to four changes that ignore their structure."""
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(data)))
        length = draw(st.sampled_from((1, 1, 2, 8, 64, 1_000)))
        what = draw(st.sampled_from(("flip", "flip", "cut", "token", "double", "end", "word")))
        if what == "flip" and at < len(data):
            data = data[:at] + bytes([data[at] ^ draw(st.integers(1, 255))]) + data[at + 1 :]
        elif what == "cut":
            data = data[:at] + data[at + length :]
        elif what == "token":
            data = data[:at] + draw(st.sampled_from(TOKENS)) + data[at:]
        elif what == "double":
            times = draw(st.sampled_from((1, 2, 30)))
            data = data[:at] + data[at : at + length] * times + data[at:]
        elif what == "end":
            data = data[:at]
        else:
            word = draw(st.sampled_from((0, 1, 2**31 - 1, 2**32 - 1, 2**63 - 1, 2**64 - 1)))
            width = draw(st.sampled_from((4, 8)))
            packed = (word % 2 ** (8 * width)).to_bytes(width, "little")
            data = data[:at] + packed + data[at + width :]
    return data


def damaged_text(draw: Draw, text: str) -> bytes:
    """The text after words or lines have changed, as bytes that need not be UTF-8."""
    words = [m.span() for m in re.finditer(r"[\w.+-]+", text)]
    lines = text.split("\n")
    for _ in range(draw(st.integers(1, 3))):
        what = draw(st.sampled_from(("word", "word", "line", "lines")))
        if what == "word" and words:
            first, last = draw(st.sampled_from(words))
            old = text[first:last]
            new = near(draw, int(old) if old.isdigit() and len(old) < 300 else old)
            new = new.text("a") if isinstance(new, Nested) else str(new)
            text = text[:first] + new + text[last:]
            words = [m.span() for m in re.finditer(r"[\w.+-]+", text[:20_000])]
        else:
            at = draw(st.integers(0, len(lines) - 1))
            times = draw(st.sampled_from((0, 2, 3, 500)))
            lines[at:at + 1] = [lines[at]] * times
            lines = lines or [""]
            text = "\n".join(lines)
            words = [m.span() for m in re.finditer(r"[\w.+-]+", text[:20_000])]
    return text.encode("utf-8", "surrogatepass")


def toml(tree: Any) -> bytes:
    """A tree as TOML with inline tables below the first level; null values are omitted."""
    if not isinstance(tree, dict):
        return toml_value(tree).encode("utf-8", "surrogatepass")
    lines = [f"{toml_key(key)} = {toml_value(value)}" for key, value in tree.items()
             if value is not None]  # fmt: skip
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def toml_key(key: Any) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", str(key)) else quoted(str(key))


def quoted(text: str) -> str:
    """A double-quoted string, which is valid except for surrogates."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml_value(value: Any) -> str:
    if isinstance(value, Nested):
        return value.text("a=")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, dict):
        inner = (f"{toml_key(k)} = {toml_value(v)}" for k, v in value.items() if v is not None)
        return "{" + ", ".join(inner) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(toml_value(v) for v in value if v is not None) + "]"
    return quoted(value) if isinstance(value, str) else str(value)


def to_json(value: Any) -> bytes:
    """A tree as JSON; NaN and infinities are written as Python writes them."""
    return json_value(value).encode("utf-8", "surrogatepass")


def json_value(value: Any) -> str:
    if isinstance(value, Nested):
        return value.text('"a":')
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quoted(str(k))}: {json_value(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(json_value, value)) + "]"
    if isinstance(value, str):
        return quoted(value)
    return json.dumps(value, default=str)
