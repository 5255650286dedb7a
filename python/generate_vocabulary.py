"""Write python/odonata/_vocabulary.py from the schema of the compiled core (`odonata schema`).

    python python/generate_vocabulary.py [--check]

`--check` writes nothing and fails if the file is stale; the tests run it.
"""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

TARGET = Path(__file__).resolve().parent / "odonata" / "_vocabulary.py"
HEAD = '''"""Names, options, defaults and rows of results, as the core declares them.

Written by python/generate_vocabulary.py; change crates/api/src/vocabulary instead.
"""

# fmt: off
from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypedDict, get_args


class Option(NamedTuple):
    """An option of some commands: `name` in Python, `flags` on the command line."""

    commands: str  # separated by blanks
    name: str
    flags: tuple[str, ...]
    synonyms: tuple[str, ...]  # further flags, which help texts do not show
    topic: str
    metavar: str  # empty for a flag
    is_repeatable: bool
    default: str | int | bool | None
    default_words: str  # the default in words, if it is no value
    least: int  # of whole numbers
    most: int
    help: str
'''
TAIL = '''BY_COMMAND = {(command, o.name): o for o in OPTIONS for command in o.commands.split()}


def default_count(command: str, name: str) -> int:
    """The default of an option that is a whole number."""
    default = BY_COMMAND[command, name].default
    assert isinstance(default, int), name
    return default
'''
# Lists of names: their constant, and the type of a name if each is a literal.
LISTS = {
    "benchmark": ("BENCHMARKS", "Benchmark"),
    "collective": ("COLLECTIVES", "Collective"),
    "pattern": ("PATTERNS", ""),
    "placement": ("PLACEMENTS", ""),
    "routing": ("ROUTINGS", "Routing"),
    "fidelity": ("FIDELITIES", "Fidelity"),
    "fidelity_or_auto": ("FIDELITIES_OR_AUTO", "FidelityOrAuto"),
    "nic_policy": ("NIC_POLICIES", ""),
    "limits": ("LIMITS", "Limits"),
    "buffers": ("BUFFERS", "Buffers"),
    "congestion": ("CONGESTION", ""),
    "scaling": ("SCALINGS", "Scaling"),
    "clock": ("CLOCKS", "Clock"),
    "engine": ("ENGINES", "Engine"),
    "progress": ("PROGRESS", "ProgressForm"),
    "mpi": ("LIBRARIES", ""),
}
TYPES = {"integer": "int", "number": "float", "string": "str", "boolean": "bool", "null": "None",
         "array": "list[Any]"}  # fmt: skip
ROWS = {
    "bench_row": ("BenchRow", "One message size of a benchmark."),
    "app_row": ("AppRow", "An application model on one number of nodes."),
    "tune_row": ("TuneRow", "One algorithm at one message size on one number of nodes."),
    "traffic_row": ("TrafficRow", "One offered load of synthetic traffic."),
}


def text(schema: Mapping[str, Any]) -> str:
    """The generated file."""
    defs = schema["$defs"]
    assert LISTS.keys() | {k for k in defs if k.endswith(("_options", "_row"))} == defs.keys()
    parts = [HEAD]
    for key, (constant, kind) in LISTS.items():
        words = defs[key]["x-words"]
        about = f"# {defs[key]['description']}"
        if kind:
            parts.append(f"{about}\n{kind} = Literal[\n{wrapped(words)}\n]\n"
                         f"{constant}: tuple[{kind}, ...] = get_args({kind})")  # fmt: skip
        else:
            parts.append(f"{about}\n{constant}: tuple[str, ...] = (\n{wrapped(words)}\n)")
    entries = [
        f"    {quoted(e['name'])}: ({quoted(e['title'])}, {quoted(e['field'])}, "
        f"{quoted(e['sizes'])}),"
        for e in defs["benchmark"]["x-entries"]
    ]
    about = "# Of each benchmark: title, measured field and default sizes."
    table = "\n".join(entries)
    parts.append(f"{about}\nBENCHMARK_ENTRIES: dict[str, tuple[str, str, str]] = {{\n{table}\n}}")
    parts.append("OPTIONS: tuple[Option, ...] = (\n" + "\n".join(options(defs)) + "\n)")
    parts.append(TAIL)
    parts += [row(*ROWS[key], defs[key]) for key in ROWS]
    return "\n\n".join(parts).replace("\n\n\n\n", "\n\n\n") + "\n"


def wrapped(words: list[str]) -> str:
    """Words in quotes, as many per line as fit."""
    return packed([f"{quoted(word)}," for word in words], 4)


def packed(parts: list[str], indent: int) -> str:
    """Parts with a blank between them, as many per line as fit."""
    lines = [""]
    for part in parts:
        if lines[-1] and indent + len(lines[-1]) + 1 + len(part) > 96:
            lines.append("")
        lines[-1] = f"{lines[-1]} {part}".lstrip()
    return "\n".join(" " * indent + line for line in lines)


def quoted(word: str) -> str:
    return json.dumps(word, ensure_ascii=False)


def options(defs: Mapping[str, Any]) -> Iterator[str]:
    """Each distinct option once, with the commands that have it, in the order of the schema."""
    merged: dict[str, tuple[str, dict[str, Any], list[str]]] = {}
    for key in defs:
        if not key.endswith("_options"):
            continue
        for name in defs[key]["x-order"]:
            found = defs[key]["properties"][name]
            same = json.dumps([name, found], sort_keys=True)
            merged.setdefault(same, (name, found, []))[2].append(key.removesuffix("_options"))
    for name, found, commands in sorted(merged.values(), key=lambda each: each[1]["x-rank"]):
        default = found.get("default")
        fields = [
            " ".join(sorted(commands)), name, tuple(found["x-flags"]), tuple(found["x-synonyms"]),
            found["x-topic"], found["x-metavar"], "items" in found,
            default, found.get("x-default", ""), found.get("minimum", 0), found.get("maximum", 0),
        ]  # fmt: skip
        parts = [split(fields[0]), *map(literal, fields[1:])]
        head = packed([f"{part}," for part in parts], 8)
        words = textwrap.wrap(found["description"], 80, drop_whitespace=False,
                              break_on_hyphens=False, break_long_words=False)  # fmt: skip
        yield "\n".join(["    Option(", head, *(f"        {quoted(w)}" for w in words)]) + "),"


def split(text: str) -> str:
    """Words in quotes on as many lines as they need."""
    lines = textwrap.wrap(text, 84, drop_whitespace=False)
    return "\n        ".join(quoted(line) for line in lines)


def literal(value: Any) -> str:
    if isinstance(value, tuple):
        return "(" + "".join(f"{quoted(one)}, " for one in value).rstrip() + ")"
    return quoted(value) if isinstance(value, str) else repr(value)


def row(name: str, about: str, schema: Mapping[str, Any]) -> str:
    """A kind of row as a `TypedDict`."""
    lines = [f"class {name}(TypedDict, total=False):", f'    """{about}"""', ""]
    for field in schema["x-order"]:
        found = schema["properties"][field]
        kinds = found["type"] if isinstance(found["type"], list) else [found["type"]]
        unit = found["x-unit"]
        words = found["description"] + (f" [{unit}]" if unit not in ("", "1") else "")
        lines += [f"    # {line}" for line in textwrap.wrap(words, 92, break_on_hyphens=False)]
        lines.append(f"    {field}: {' | '.join(TYPES[kind] for kind in kinds)}")
    return "\n" + "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if stale")
    parser.add_argument("--schema", type=Path, help="the schema in a file, not that of the core")
    given = parser.parse_args()
    if given.schema:
        schema = json.loads(given.schema.read_text(encoding="utf-8"))
    else:
        from odonata import _core

        schema = json.loads(_core.schema())
    made = text(schema)
    if TARGET.exists() and TARGET.read_text(encoding="utf-8") == made:
        return 0
    if given.check:
        print("stale: _vocabulary.py; run python/generate_vocabulary.py", file=sys.stderr)
        return 1
    TARGET.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
