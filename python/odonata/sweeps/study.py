"""A study: the points of a sweep, each equivalent to one command line.

`[base]` holds the keys that all points share; the lists of `[grid]` multiply; each `[[point]]` is
one more point. Keys are the command (`command = "bench"`), its arguments and its options, by their
names on the command line. The command itself checks a point; it stops before the simulation.
"""

from __future__ import annotations

import datetime
import functools
import hashlib
import itertools
import json
import math
import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from .. import core, launch
from ..commands.command import usage_diagnostic
from ..commands.sweepable import SWEEPABLE
from ..errors import Diagnostic, Diagnostics, InputError, nearest
from ..files import MOST_DATA, read_text, why
from ..machines import files_of, toml_value
from ..options import documented
from ..version import version as package_version

TABLES = ("base", "grid", "point")
# Options of the form KEY=VALUE, which may be tables of the study.
PAIRS = ("set", "env")
# Options that the sweep sets or keeps to itself, and those that name files to write.
OWN = ("json", "quiet", "progress", "out", "force", "record")
# Places in diagnostics: after the machine's file or one it is like, or of a preset alone, with
# dotted keys.
MACHINE_KEY = r"(.*\.toml|[\w-]+), [a-z]+(\.[\w-]+)*|[a-z]+(\.[\w-]+)+"
VALUE = "text, a number, true or false, or a list of these"
# Points that are always checked; of further ones, those with a value that none of these has.
CHECKS = 2_000
# Checks by the core before the start. Errors beyond them are reported when their point runs.
MOST_CORE_CHECKS = 500
MOST_KEYS = 1_000  # of a table
MOST_POINTS = 100_000  # more are taken for a typing error and must not fill the memory


@dataclass(frozen=True)
class Point:
    """One point. `given_keys` has its keys in the order of the study, as columns of the table."""

    number: int  # from 1, in the order of the study
    key: str  # a digest of the point and of everything that determines its result
    given_keys: Mapping[str, Any]
    argv: tuple[str, ...]  # the words after `odonata`

    def columns(self) -> dict[str, Any]:
        """The keys of the point, as cells of the table."""
        return {name.replace("-", "_"): value for name, value in self.given_keys.items()}

    def request(self) -> dict[str, Any]:
        """The request for a worker."""
        return {
            "argv": list(self.argv),
            "wdir": os.getcwd(),
            "variables": library_variables(os.environ),
            "version": version(),
        }


@dataclass
class Values:
    """Values of a point, with the table of the study that each is from."""

    values: dict[str, Any]
    where: dict[str, str]

    def at(self, key: str) -> str:
        """The place of a key in diagnostics; a missing one belongs to `[base]`."""
        return f"{self.where.get(key, '[base]')} {key}"


class Grouped:
    """Diagnostics of many points: equal ones are reported once, with their number."""

    def __init__(self, points: int):
        self.points = points
        self.numbers: dict[Diagnostic, list[int]] = {}

    def add(self, number: int, diagnostic: Diagnostic) -> None:
        self.numbers.setdefault(diagnostic, []).append(number)

    def into(self, wrong: Diagnostics) -> None:
        for c, numbers in self.numbers.items():
            of = f" (point {numbers[0]})" if len(numbers) == 1 else (
                f" ({len(numbers)} points, the first is {numbers[0]})"
            )  # fmt: skip
            plain = len(numbers) == self.points or c.at.startswith("[[point]]")
            wrong.add(c.at if plain else c.at + of, c.found, c.wanted, c.hint)


def read(wrong: Diagnostics, path: str | Path) -> dict[str, Any] | None:
    """The tables of a study's file, with keys in the order of the file; None if it is invalid."""
    try:
        import tomllib
    except ImportError:  # Python 3.10
        import tomli as tomllib
    try:
        text = read_text(path)
        # The core's parser refuses files that are nested too deeply, but it does not
        # keep the order of keys.
        core.query("toml_to_json", text)
        return tomllib.loads(text)
    except InputError as error:
        for c in error.diagnostics:
            wrong.add(f"{path}, {c.at}", c.found, f"TOML ({c.wanted})")
    except tomllib.TOMLDecodeError as error:
        wrong.add(f"{path}", "", f"TOML ({error})")
    except (OSError, ValueError, TypeError) as error:
        wrong.add("study", path or "nothing", f"a readable study ({why(error)})")
    return None


def points(wrong: Diagnostics, study: Any) -> list[Point]:
    """All points of a study in order, after the quick checks; else diagnostics."""
    entries = expand(wrong, study)
    grouped, inspect = Grouped(len(entries)), CoreCheck()
    found = []
    checked: dict[Any, list[Diagnostic]] = {}
    seen: set[tuple[str, str]] = set()
    for number, given_keys in enumerate(entries, 1):
        found_here = Diagnostics()
        words = words_of(found_here, given_keys)
        if words is not None:
            point = point_of(number, *words)
            found.append(point)
            same = point.argv, *given_keys.where.values()
            values = {(key, repr(value)) for key, value in given_keys.values.items()}
            if same in checked:
                found_here.list += checked[same]
            elif len(checked) < CHECKS or not values <= seen:
                before = len(found_here.list)
                check(found_here, given_keys, point.argv, inspect)
                checked[same] = found_here.list[before:]
                seen |= values
        for diagnostic in found_here.list:
            grouped.add(number, diagnostic)
    grouped.into(wrong)
    return found


def expand(wrong: Diagnostics, study: Any) -> list[Values]:
    """The points in order: those of the grid, its last key varying fastest, then `[[point]]`."""
    if not isinstance(study, Mapping):
        wrong.add("study", study, "a study's file, or a mapping with `base`, `grid` and `point`")
        return []
    if not set(study) & set(TABLES) and {"groups", "links", "nic"} <= set(study):
        at_home = '`machine = "NAME.toml"` in the [base] of a study'
        wrong.add("study", "a machine file", "[base], [grid] or [[point]]", f"name it: {at_home}")
        return []
    for key in study:
        if key not in TABLES:
            wrong.unknown_key("study", str(key), "[base], [grid] or [[point]]", key, TABLES)
    base = table(wrong, "[base]", study.get("base", {}))
    grid = table(wrong, "[grid]", study.get("grid", {}))
    for key, values in list(grid.items()):
        if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Sequence):
            wrong.add(f"[grid] {key}", values, "a list; a value for all points belongs in [base]")
            grid[key] = [values]
        elif not values:
            wrong.add(f"[grid] {key}", "an empty list", "a list of at least one value")
            del grid[key]
    listed = study.get("point", [])
    if isinstance(listed, Mapping) or not isinstance(listed, Sequence):
        wrong.add("point", listed, "a list of points, `[[point]]` each")
        listed = []
    if not study.get("grid") and not listed and set(study) <= set(TABLES):
        wrong.add("study", "no points", "a [grid], or [[point]] tables")
    count = math.prod(map(len, grid.values())) + len(listed)
    if count > MOST_POINTS:
        wrong.add("[grid]", f"{count:,} points", f"at most {MOST_POINTS:,}")
        return []
    origin = dict.fromkeys(base, "[base]")
    found = []
    for choice in itertools.product(*grid.values()) if grid else ():
        values = dict(zip(grid, choice, strict=True))
        found.append(Values({**base, **values}, {**origin, **dict.fromkeys(grid, "[grid]")}))
    for nth, given in enumerate(listed, 1):
        where = f"[[point]] {nth}:"
        own = table(wrong, where, given)
        found.append(Values({**base, **own}, {**origin, **dict.fromkeys(own, where)}))
    return found


def table(wrong: Diagnostics, where: str, given: Any) -> dict[str, Any]:
    """A table of the study. A table `set` in it becomes keys `set.KEY`."""
    if not isinstance(given, Mapping):
        wrong.add(where, given, "a table")
        return {}
    if len(given) > MOST_KEYS:
        wrong.add(where, f"{len(given):,} keys", f"a table of at most {MOST_KEYS:,} keys")
        return {}
    found: dict[str, Any] = {}
    for key, value in given.items():
        if key in PAIRS and isinstance(value, Mapping):
            found |= dict(dotted(key, value))
        else:
            found[str(key)] = value
    return found


def dotted(prefix: str, given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in given.items():
        if isinstance(value, Mapping):
            yield from dotted(f"{prefix}.{key}", value)
        else:
            yield f"{prefix}.{key}", value


@functools.cache
def names_of(command: click.Command) -> Mapping[str, click.Parameter]:
    """The accepted names of keys, and the argument or option of each."""
    found: dict[str, click.Parameter] = {}
    for parameter in command.params:
        if getattr(parameter, "hidden", False):  # options of other launchers
            continue
        words = list(parameter.opts)
        if not words[0].startswith("--"):  # `-n` is also `ranks`
            words.insert(0, parameter.name or "")
        for word in words:
            found.setdefault(word.lstrip("-"), parameter)
    return {name: p for name, p in found.items() if name not in OWN}


def documented_of(names: Mapping[str, click.Parameter]) -> list[str]:
    """Those of the accepted names that help texts show; the others are synonyms."""
    words = {p: {word.lstrip("-") for word in documented(p)} for p in names.values()}
    return [name for name, p in names.items() if name == p.name or name in words[p]]


def name_of(parameter: click.Parameter, names: Mapping[str, click.Parameter]) -> str:
    """The name of an argument or option in tables and digests."""
    return next(name for name, p in names.items() if p is parameter)


def words_of(wrong: Diagnostics, given_keys: Values) -> tuple[str, dict[str, Any], dict] | None:
    """The command, the columns of the point, and the words of each parameter."""
    commands = SWEEPABLE.commands
    command = given_keys.values.get("command")
    if not isinstance(command, str) or command not in commands:
        near = nearest(command, commands) if isinstance(command, str) else None
        hint = f"did you mean `{near}`?" if near else None
        found = "nothing" if command is None else command
        wrong.add(given_keys.at("command"), found, f"one of {', '.join(commands)}", hint)
        return None
    names = names_of(commands[command])
    known = documented_of(names)
    columns: dict[str, Any] = {"command": command}
    words: dict[str, list[str]] = {}
    for key, value in given_keys.values.items():
        if key == "command" or value is None:
            continue
        name, dot, changed = key.partition(".")
        if name not in names or (dot and name not in PAIRS):
            wanted = "no such key: the sweep keeps what comes out" if key in OWN else (
                f"a key of {command}: {', '.join(known)}"
            )  # fmt: skip
            wrong.unknown_key(given_keys.where[key].rstrip(":"), key, wanted, key, known)
            continue
        parameter = names[name]
        own = name_of(parameter, names)
        if own in words and own not in PAIRS:
            wanted = f"one of its names only: `{own}` is given, too"
            wrong.add(given_keys.at(key), shown(value), wanted)
            continue
        given = [f"{changed}={text(value)}"] if dot else as_words(parameter, value)
        if given is None or (dot and not plain(value)):
            wrong.add(given_keys.at(key), text(shown(value)), wanted_of(parameter))
            continue
        words.setdefault(own, []).extend(given)
        columns[key if dot else own] = shown(value)
    return command, columns, words


def plain(value: Any) -> bool:
    return isinstance(value, (str, bool, int, float))


def text(value: Any) -> str:
    """A value as on the command line."""
    return toml_value(value)


def shown(value: Any) -> Any:
    """A value as a cell of the table."""
    if isinstance(value, (datetime.date, datetime.time, Mapping)):
        return str(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ",".join(map(text, value))
    return value


def wanted_of(parameter: click.Parameter) -> str:
    return "true or false" if is_flag(parameter) else VALUE


def is_flag(parameter: click.Parameter) -> bool:
    return isinstance(parameter, click.Option) and parameter.is_flag


def as_words(parameter: click.Parameter, value: Any) -> list[str] | None:
    """The words of one argument or option: several if it accepts them, else one with commas."""
    if is_flag(parameter):
        return [text(value)] if isinstance(value, bool) else None
    several = getattr(parameter, "multiple", False) or parameter.nargs == -1
    if isinstance(value, str) and parameter.nargs == -1:
        try:
            return shlex.split(value)
        except ValueError:
            return None
    values = [value] if plain(value) else value
    if isinstance(values, Mapping) or not isinstance(values, Sequence):
        return None
    if isinstance(values, bytes) or not values or not all(map(plain, values)):
        return None
    found = [text(one) for one in values]
    return found if several else [",".join(found)]


def point_of(
    number: int, command: str, columns: dict[str, Any], words: dict[str, list[str]]
) -> Point:
    names = names_of(SWEEPABLE.commands[command])
    options, arguments = ["--quiet"], []
    for name, given in words.items():
        parameter = names[name]
        if isinstance(parameter, click.Argument):
            arguments += given
        elif is_flag(parameter):
            on, off = parameter.opts, parameter.secondary_opts
            options += (on if given == ["true"] else off)[:1]
        else:
            word = next((w for w in parameter.opts if w.startswith("--")), None)
            for one in given:
                options += [f"{word}={one}"] if word else [parameter.opts[0], one]
    argv = (command, *options, "--", *arguments)
    return Point(number, key_of(command, words), columns, argv)


def key_of(command: str, words: Mapping[str, Sequence[str]]) -> str:
    """A digest of all that determines the result: the point, its files, the variables that a
    program's library reads, and the version of odonata."""
    set_variables = library_variables(os.environ) if command == "run" else {}
    named = {word for given in words.values() for word in given} | set(set_variables.values())
    named |= {word.partition("=")[2] for word in words.get("env", ())}
    for machine in filter(is_file, words.get("machine", ())):
        named |= {file for file, _ in files_of(Diagnostics(), machine)}
    grouped = {
        "odonata": version(),
        "command": command,
        "words": words,
        "variables": set_variables,
        "files": {word: file_digest(word) for word in named if is_file(word)},
    }
    text = json.dumps(grouped, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def library_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that `odonata run` reads."""
    return {key: environment[key] for key in launch.library_variables(environment)}


def version() -> str:
    """The version of odonata, and the build of its core."""
    return f"{package_version()} {file_digest(core.core().__file__)}"


def is_file(word: str) -> bool:
    try:
        return os.path.isfile(word)
    except ValueError:  # a name with a NUL
        return False


def file_digest(path: str) -> str:
    """The digest of a file's content; read again after a change."""
    status = os.stat(path)
    if status.st_size > MOST_DATA:  # not an odonata file: a change updates its date
        return f"{status.st_size} bytes of {status.st_mtime_ns}"
    return _file_digest(os.path.abspath(path), status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=1024)
def _file_digest(path: str, *_: int) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def check(
    wrong: Diagnostics, given_keys: Values, argv: Sequence[str], inspect: core.Inspect
) -> None:
    """The command's diagnostics, in terms of the study."""
    found: list[Diagnostic] = []
    try:
        with core.dry_run(inspect):
            SWEEPABLE.main(list(argv), prog_name="odonata", standalone_mode=False)
    except core.DryRunEnded:
        return
    except InputError as error:
        found = error.diagnostics
    except click.UsageError as error:
        found = [usage_diagnostic(error)]
    names = names_of(SWEEPABLE.commands[argv[0]])
    misspelled = bool(wrong.list)
    changed = [name for name in given_keys.values if name.partition(".")[0] == "set"]
    for c in found:
        key, shown_value = c.at.lstrip("-"), c.found
        parameter = names.get(key) or names.get(key.lower())
        if f"set.{c.at}" in given_keys.values:  # an option of that name would have its dashes
            key = f"set.{c.at}"
        elif parameter is not None:
            names_given = (name for name in given_keys.values if names.get(name) is parameter)
            key = next(names_given, name_of(parameter, names))
        elif "set" in given_keys.values:  # a key of the machine file, where it is changed
            key, shown_value = "set", f"{c.at} = {c.found}"
        if misspelled and key not in given_keys.values:
            continue  # it may be the suggestion for an unknown key
        if key not in given_keys.values and re.fullmatch(MACHINE_KEY, c.at):
            # No table of the study has it, but one may have changed a key that it depends on.
            pairs = (f"`{given_keys.at(k)} = {text(given_keys.values[k])}`" for k in changed)
            others = ", ".join(pairs)
            hint = c.hint or (f"together with {others}" if others else None)
            wrong.add(c.at, shown_value, c.wanted, hint)
            continue
        listed = isinstance(given_keys.values.get(key), list)
        listed = "a list in [grid] makes a point of each of its values" if listed else None
        wrong.add(given_keys.at(key), shown_value, c.wanted, c.hint or listed)


class CoreCheck:
    """Checks requests by the core, without simulation: the machine, and the job if there is one.

    Only the first `MOST_CORE_CHECKS` different ones are checked: placing a job on Aurora takes
    30 ms.
    """

    def __init__(self) -> None:
        self.seen: dict[str, InputError | None] = {}

    def __call__(self, function: str, request: Mapping[str, Any]) -> None:
        routing = request.get("routing")
        reduced: dict[str, Any] = {"machine": request["machine"], "routing": routing}
        name = "show"
        if function == "bench" and request["nodes"] * request["ppn"] >= 2:
            # A benchmark without sizes: the job is placed, and nothing is sent.
            reduced = {**request, "name": "allreduce", "sizes": [], "seed": 1}
            name = "bench"
        text = json.dumps([name, reduced], sort_keys=True)
        if text not in self.seen and len(self.seen) < MOST_CORE_CHECKS:
            try:
                core.query(name, reduced)
                self.seen[text] = None
            except InputError as error:
                self.seen[text] = error
        if error := self.seen.get(text):
            raise error
