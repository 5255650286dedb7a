"""The campaign file: what is tested, where, how, and on the twin with which faults."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import core, machines, names, units
from ..errors import Diagnostics, InputError
from ..files import read_text, why
from ..machines import Machine
from .faults import Planted, read_fault

STAGES = (
    "health", "loopback", "pairs", "switch", "group", "system", "links", "mbw_mr", "multi_lat",
    "gpcnet", "gpcnet_load", "sizes", "storage", "storage_links", "counters",
)  # fmt: skip
DEFAULT_STAGES = (
    "health", "loopback", "pairs", "switch", "group", "system", "links", "counters",
)  # fmt: skip
FIDELITIES = ("loggp", "flow", "packet")
ISOLATIONS = ("pairs", "halves", "groups")
REFERENCES = ("twin", "sets")
# Commands whose text the suite reads, by stage. `{nodes}` and others are replaced.
COMMANDS = ("health", "loopback", "counters", "mbw_mr", "multi_lat", "gpcnet",
            "gpcnet_load", "sizes", "storage", "storage_links", "switch", "group",
            "system")  # fmt: skip
KEYS = {
    "": ("name", "machine", "set", "nodes", "stages", "repeats", "fidelity", "isolation",
         "reference", "margin", "error", "size", "rounds", "launcher", "commands", "twin"),
    "launcher": ("command", "program", "compiler", "ppn", "time_limit", "env", "minimal_env",
                 "bindings"),
    "twin": ("seed", "noise", "bias", "fault"),
}  # fmt: skip
SECTIONS = ("launcher", "commands", "twin")


@dataclass
class Launcher:
    """How a test is started on the real machine."""

    command: str  # with {n}, {ppn}, {nodes}, {hosts}, {bind} and {program}
    program: str = ""  # path of the test program; compiled if absent
    compiler: str = "mpicc"
    ppn: int | None = None
    time_limit: float = 600.0
    env: dict[str, str] = field(default_factory=dict)
    bindings: str = ""  # replaces {bind}
    # Variables that make the machine's MPI library route minimally, for the stage `links`.
    minimal_env: dict[str, str] = field(default_factory=dict)


@dataclass
class Twin:
    """The simulated machine under test."""

    seed: int = 1
    # Standard deviation of one measurement. cxi_gpu_loopback_bw varies from 182 to 187 Gbit/s on
    # Aurora's reference system (HPE Slingshot Host Software, fabric validation): 0.7 %.
    noise: float = 0.01
    bias: float = 0.03  # systematic error of the predictions of a test [estimate]
    faults: list[Planted] = field(default_factory=list)


@dataclass
class Campaign:
    path: str
    name: str
    machine: Machine
    nodes: tuple[int, ...]
    hosts: tuple[str, ...]  # names on the real machine; empty on the twin
    stages: tuple[str, ...]
    repeats: int
    fidelity: str
    isolation: str
    reference: str
    margin: float
    error: float
    size: int
    rounds: int
    launcher: Launcher | None
    commands: dict[str, str]
    twin: Twin

    @property
    def is_twin(self) -> bool:
        return self.launcher is None


def read(path: str | Path) -> Campaign:
    """The campaign of a file. All problems are reported at once."""
    wrong = Diagnostics()
    try:
        found = json.loads(core.query("toml_to_json", read_text(path)))
    except InputError as error:
        wrong.extend(error)
        found = {}
    except (OSError, ValueError, TypeError) as error:
        wrong.add("campaign", path if str(path) else "nothing",
                  f"a readable TOML file ({why(error)})")  # fmt: skip
        found = {}
    wrong.raise_any()
    campaign = of_mapping(wrong, found, str(path))
    wrong.raise_any()
    assert campaign is not None
    return campaign


def of_mapping(wrong: Diagnostics, found: Mapping[str, Any], path: str) -> Campaign | None:
    """The same of a mapping; None after a diagnostic about machine or nodes."""
    for section in ("", *SECTIONS[::2]):
        table = found.get(section, {}) if section else found
        for key in table if isinstance(table, Mapping) else ():
            if key not in KEYS[section]:
                at = f"{section}.{key}" if section else key
                wrong.unknown_key(at, key, f"one of {', '.join(KEYS[section])}", key, KEYS[section])
    tables = {name: table_of(wrong, found, name) for name in SECTIONS}
    stages = words(wrong, "stages", found.get("stages", list(DEFAULT_STAGES)), STAGES)
    repeats = wrong.whole("repeats", found.get("repeats", 3), 1, 99)
    chosen = {
        key: one_of(wrong, key, found.get(key, default), legal)
        for key, default, legal in (
            # A real machine has contention, which the closed form has not.
            ("fidelity", "flow" if "launcher" in found else "loggp", FIDELITIES),
            ("isolation", "pairs", ISOLATIONS), ("reference", "twin", REFERENCES),
        )
    }  # fmt: skip
    margin = share(wrong, "margin", found.get("margin", 0.08))
    error = share(wrong, "error", found.get("error", 0.25))
    size = size_of(wrong, found.get("size", "128Ki"))
    rounds = wrong.whole("rounds", found.get("rounds", 8), 1, 10_000)
    machine = machine_of(wrong, found, path)
    launcher = launcher_of(wrong, tables["launcher"]) if "launcher" in found else None
    commands = {}
    for key, text in tables["commands"].items():
        if key not in COMMANDS:
            wrong.unknown_key(f"commands.{key}", key, f"one of {', '.join(COMMANDS)}", key,
                              COMMANDS)  # fmt: skip
        elif not isinstance(text, str) or not text.strip():
            wrong.add(f"commands.{key}", text, "a command line")
        else:
            commands[key] = text
    if launcher is not None:
        for stage in stages:
            if stage not in MPI_STAGES and stage not in commands and "stages" in found:
                wrong.add("stages", stage, f"`commands.{stage}`, which this stage runs")
        stages = tuple(s for s in stages if s in commands or s in MPI_STAGES)
        if "twin" in found:
            wrong.add("twin", "a table", "either [launcher] or [twin]")
    is_compared = launcher is None or chosen["reference"] == "twin"
    of_files = [stage for stage in stages if stage.startswith("storage")]
    if machine is not None and of_files and is_compared:
        if not machine.summary.get("file_systems"):
            wanted = f"a file system in the machine file of `{machine.name}`"
            wrong.add("stages", of_files[0], wanted)
    nodes, hosts = nodes_of(wrong, found.get("nodes"), machine, launcher is not None)
    twin = twin_of(wrong, tables["twin"], machine, nodes)
    if machine is None or not nodes:
        return None
    return Campaign(
        path, str(found.get("name", Path(path).stem)), machine, nodes, hosts, stages, repeats,
        chosen["fidelity"], chosen["isolation"], chosen["reference"], margin, error, size, rounds,
        launcher, commands, twin,
    )  # fmt: skip


MPI_STAGES = ("pairs", "switch", "group", "system", "links")


def table_of(wrong: Diagnostics, found: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    table = found.get(name, {})
    if not isinstance(table, Mapping):
        wrong.add(name, table, f"a table, [{name}]")
        return {}
    return table


def one_of(wrong: Diagnostics, at: str, value: Any, legal: tuple[str, ...]) -> str:
    return value if wrong.word(at, value, legal, "one of") else legal[0]


def words(wrong: Diagnostics, at: str, value: Any, legal: tuple[str, ...]) -> tuple[str, ...]:
    found = wrong.sequence(at, value, f"a list of {', '.join(legal)}")
    kept = [word for word in found if wrong.word(at, word, legal, "one of")]
    return tuple(stage for stage in legal if stage in kept)


def share(wrong: Diagnostics, at: str, value: Any) -> float:
    return wrong.number(at, value, "a share above 0 and below 1, such as 0.08", 0.0, 0.99, True)


def size_of(wrong: Diagnostics, value: Any) -> int:
    try:
        sizes = units.read_sizes(str(value))
        if len(sizes) == 1 and sizes[0] > 0:
            return sizes[0]
    except units.Unreadable:
        pass
    wrong.add("size", value, "bytes of a message, such as `128Ki`")
    return 1


def machine_of(wrong: Diagnostics, found: Mapping[str, Any], path: str) -> Machine | None:
    """The machine whose twin gives the references."""
    name = found.get("machine")
    if not isinstance(name, str) or not name:
        wrong.add("machine", "nothing" if name is None else name,
                  "a preset (`odonata machines`) or a machine file")  # fmt: skip
        return None
    if machines.is_path(name):
        name = os.path.join(os.path.dirname(path), name)
        read = machines.files_of(wrong, name)
        if not read:
            return None
        (file, *files), (text, *like) = zip(*read, strict=True)
        machine = Machine(Path(name).stem, text, like=tuple(like), file=file, files=tuple(files))
    else:
        before = len(wrong.list)
        machine = Machine(name)
        machines.check_names(wrong, machine, names.FIDELITIES[0], "mpich")
        if len(wrong.list) > before:
            return None
    changes = found.get("set", {})
    if not isinstance(changes, Mapping):
        wrong.add("set", changes, "a table of keys of the machine file")
        return machine
    return machine.with_(changes) if changes else machine


def launcher_of(wrong: Diagnostics, table: Mapping[str, Any]) -> Launcher | None:
    command = table.get("command")
    if not isinstance(command, str) or "{program}" not in command or "{n}" not in command:
        wrong.add("launcher.command", command or "nothing",
                  "a command line with {n} and {program}, such as "
                  "`srun -N {nodes} -n {n} -w {hosts} {bind} {program}`")  # fmt: skip
        command = "{n} {program}"
    unknown = set(re.findall(r"{(\w*)}", command)) - set(PLACEHOLDERS)
    for name in sorted(unknown):
        wrong.add("launcher.command", "{" + name + "}",
                  "one of " + ", ".join("{" + word + "}" for word in PLACEHOLDERS))  # fmt: skip
    ppn = table.get("ppn")
    limit = table.get("time_limit", "600 s")
    try:
        seconds = float(core.query("read_time", str(limit)))
    except InputError:
        wrong.add("launcher.time_limit", limit, "a time, such as `10 min` or `600 s`")
        seconds = 600.0
    env, minimal = (variables(wrong, f"launcher.{key}", table.get(key, {}))
                    for key in ("env", "minimal_env"))  # fmt: skip
    texts = {}
    for key, default in (("program", ""), ("compiler", "mpicc"), ("bindings", "")):
        text = table.get(key, default)
        if not isinstance(text, str):
            wrong.add(f"launcher.{key}", text, "a text")
            text = ""
        texts[key] = text
    return Launcher(
        command, texts["program"], texts["compiler"],
        None if ppn is None else wrong.whole("launcher.ppn", ppn),
        seconds, env, texts["bindings"], minimal,
    )  # fmt: skip


def variables(wrong: Diagnostics, at: str, table: Any) -> dict[str, str]:
    if not isinstance(table, Mapping):
        wrong.add(at, table, "a table of variables")
        return {}
    return {str(key): str(value) for key, value in table.items()}


PLACEHOLDERS = ("n", "ppn", "nodes", "hosts", "bind", "program")


def nodes_of(
    wrong: Diagnostics, given: Any, machine: Machine | None, is_real: bool
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Nodes of the machine by number, and the names of hosts on the real machine.

    `"0-127,256"` and lists are numbers. On a real machine a list of names gives the hosts, which
    are the first nodes of the machine file unless `NAME=NUMBER`.
    """
    wanted = "node numbers, such as `0-127,256`, or with [launcher] a list of host names"
    most = machine.summary["nodes"] if machine is not None else units.MOST
    numbers: list[int] = []
    hosts: list[str] = []
    items = given.split(",") if isinstance(given, str) else given
    if not isinstance(items, list) or not items:
        wrong.add("nodes", "nothing" if given is None else given, wanted)
        return (), ()
    for item in items:
        text = str(item).strip()
        match = re.fullmatch(r"([0-9]{1,9})(?:-([0-9]{1,9}))?", text)
        named = re.fullmatch(r"([A-Za-z][\w.\-]*)(?:=([0-9]{1,9}))?", text)
        if match:
            first, last = int(match[1]), int(match[2] or match[1])
            if first <= last < most:
                numbers += range(first, last + 1)
                hosts += map(str, range(first, last + 1))
            else:
                wrong.add("nodes", text, f"numbers from 0 to {most - 1}, the smaller first")
        elif named and is_real:
            numbers.append(int(named[2]) if named[2] else len(numbers))
            hosts.append(named[1])
        else:
            wrong.add("nodes", text or "nothing", wanted)
    if len(set(numbers)) < len(numbers):
        twice = next(n for i, n in enumerate(numbers) if n in numbers[:i])
        wrong.add("nodes", twice, "each node once")
    if 0 < len(numbers) < 2:
        wrong.add("nodes", given, "at least two nodes")
    return tuple(numbers), tuple(hosts) if is_real else ()


def twin_of(
    wrong: Diagnostics, table: Mapping[str, Any], machine: Machine | None, nodes: tuple[int, ...]
) -> Twin:
    rows = table.get("fault", [])
    if not isinstance(rows, list):
        wrong.add("twin.fault", rows, "tables, [[twin.fault]]")
        rows = []
    planted = [read_fault(wrong, f"twin.fault.{i}", row) for i, row in enumerate(rows, 1)]
    return Twin(
        wrong.whole("twin.seed", table.get("seed", 1), 0),
        wrong.number("twin.noise", table.get("noise", 0.01), "a share below 1", 0.0, 0.5),
        wrong.number("twin.bias", table.get("bias", 0.03), "a share below 1", 0.0, 0.5),
        [fault for fault in planted if fault is not None],
    )
