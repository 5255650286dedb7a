"""Machines and jobs as plain values.

A `Machine` is a name, the text of its machine file and changes to it. The core resolves them; this
module does not interpret keys.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from . import background_traffic, core, names, synonyms, timelines
from ._vocabulary import Engine, Limits
from .errors import Diagnostics, InputError, nearest
from .faults import fault_schedule
from .files import read_text, why
from .libraries import libraries, library_request, rules_request
from .timelines import Timeline


@dataclass(frozen=True)
class Machine:
    """A machine to predict on; see `odonata.machine(name)` and `Machine.from_toml(path)`."""

    name: str
    toml: str | None = None
    changes: tuple[tuple[str, str], ...] = ()
    routing: str | None = None
    faults: Mapping[str, Any] | None = None  # see `faults.fault_schedule`
    like: tuple[str, ...] = ()  # texts of the files that `like` names, in order
    # Paths, for diagnostics. Machines with equal texts are equal, whatever their paths.
    file: str | None = field(default=None, compare=False)
    files: tuple[str, ...] = field(default=(), compare=False)

    @classmethod
    def from_toml(cls, path: str | Path) -> Machine:
        """The machine of a machine file and of the files that its key `like` names."""
        wrong = Diagnostics()
        read = files_of(wrong, path)
        wrong.raise_any()
        (file, *files), (text, *like) = zip(*read, strict=True)
        return cls(Path(path).stem, text, like=tuple(like), file=file, files=tuple(files))

    def with_(
        self,
        changes: Mapping[str, Any] | None = None,
        *,
        routing: str | None = None,
        faults: str | Path | None = None,
        **keys: Any,
    ) -> Machine:
        """This machine with another routing, a fault schedule, or other values of its file's keys.

        Dotted keys go into the mapping: `aurora.with_({"nic.window": 64}, routing="minimal")`.
        Values are those of a machine file, quantities with their unit: `"300 ns"`.
        `faults` is the file of a schedule, or `"random:SEED:N"`: N faults drawn from a seed.
        """
        wrong = Diagnostics()
        broken = fault_schedule(wrong, faults)
        wrong.raise_any()
        if changes is not None and not isinstance(changes, Mapping):
            wrong = Diagnostics()
            wrong.add("changes", changes, 'a mapping, such as `{"nic.window": 64}`')
            wrong.raise_any()
        pairs = tuple((str(k), toml_value(v)) for k, v in {**(changes or {}), **keys}.items())
        return replace(
            self,
            changes=self.changes + pairs,
            routing=self.routing if routing is None else routing,
            faults=self.faults if broken is None else broken,
        )

    @property
    def summary(self) -> dict[str, Any]:
        """Counts, bandwidths and unloaded latencies of the machine (`show --json`)."""
        return json.loads(core.query("show", {"machine": self.request(), "routing": self.routing}))

    @property
    def source(self) -> str:
        """The text of the machine file, without changes."""
        return self.toml if self.toml is not None else core.query("preset_toml", self.name)

    def setting(self, key: str) -> str:
        """The value of a top-level key with a text value, in the machine file or a change to it."""
        changed = [value.strip('"') for name, value in self.changes if name == key]
        if changed:
            return changed[-1]
        # Description and source are not inherited from another machine's file.
        texts = [self.source] if key in ("about", "source") else self.texts()
        return next((found for text in texts if (found := top(text, key))), "")

    def texts(self) -> Iterator[str]:
        """The machine file and the files it is `like`, in order."""
        yield (text := self.source)
        for text in self.like:
            yield text
        while (name := top(text, "like")) in presets():
            yield (text := core.query("preset_toml", name))

    def job(
        self,
        *,
        nodes: int | None = None,
        ppn: int | None = 1,
        placement: str | Sequence[int] = "contiguous",
        ranks: int | None = None,
        mpi: str = "mpich",
        seed: int = 1,
        threads: int = 1,
        background: Any = None,
        noise: str | None = None,
        faults: str | Path | None = None,
        traffic_class: str | None = None,
        limits: Limits = "fail",
        coll_rules: str | Path | None = None,
        nic_policy: str | None = None,
        storage_class: str | None = None,
        timeline: Timeline | None = None,
        engine: Engine = "auto",
    ) -> Job:
        """A job on this machine: `ppn` ranks on each of `nodes` nodes, or `ranks` ranks in all.

        `placement` is a name (contiguous, round-robin, random, one-group, group-spread: over all
        groups, group-spread:K: over K of them) or the node of every rank. `ranks` defaults to
        `nodes * ppn`.

        `background` is the traffic of nodes without a job: `"uniform:0.4"` (a pattern of `odonata
        traffic` and a load), `"uniform:0.4@64Ki"` (with a message size),
        `{"pattern": "uniform", "load": 0.4, "nodes": [64, 65]}`, or a list of these. `noise`
        interrupts the cores: `"25us/1ms"` for 25 us of every millisecond. `faults` is as for
        `with_`.

        `traffic_class` is one of Slingshot's: best-effort (default), low-latency, bulk-data, ...
        (docs/models/classes.md), and `storage_class` that of all file systems. `limits` is the
        reaction where a NIC or the library runs out of a resource: `"fail"`, `"warn"` or `"off"`
        (docs/models/limits.md). `coll_rules` is a tuning file of MPICH or Open MPI, as
        `odonata.tune` writes it. `nic_policy` assigns ranks to the NICs of their node: block
        (default), numa, round-robin, gpu, single (docs/models/node.md). `timeline` records the runs
        of the job for a viewer: `odonata.Timeline("run.pftrace")` (docs/timelines.md). `engine`
        selects how packets are simulated, and `threads` on how many threads in the window engine
        (docs/performance.md); neither changes a result.
        """
        machine = self if faults is None else self.with_(faults=faults)
        if nodes is None and ranks is not None:
            wrong = Diagnostics()
            whole, per_node = wrong.whole("ranks", ranks), wrong.whole("ppn", ppn)
            wrong.raise_any()
            nodes = -(-whole // per_node)
        return Job(
            machine, nodes, ppn, placement, ranks, mpi, seed, threads, background, noise,
            traffic_class, limits, coll_rules, nic_policy, storage_class, timeline, engine,
        )  # type: ignore[arg-type]

    def request(self) -> dict[str, Any]:
        found = {"name": self.name, "toml": self.toml, "set": [list(c) for c in self.changes]}
        found |= {"file": self.file, "like": list(zip(self.files, self.like, strict=True))}
        return found if self.faults is None else {**found, "faults": dict(self.faults)}


def top(text: str, key: str) -> str | None:
    """The text at a top-level key of a machine file, if any."""
    try:
        found = json.loads(core.query("toml_to_json", text)).get(key)
    except InputError:
        return None  # the core reports where
    return found if isinstance(found, str) else None


def is_path(name: str) -> bool:
    """Whether a machine's name is the path of a file, not a preset."""
    return name.endswith(".toml") or "/" in name


def files_of(wrong: Diagnostics, path: str | Path) -> list[tuple[str, str]]:
    """Paths and texts of a machine file and of the files it is `like`. The core parses them."""
    found: list[tuple[str, str]] = []
    at, named, seen = "machine", path, set()
    while True:
        try:
            text = read_text(path)
        except (OSError, ValueError, TypeError) as error:
            wrong.add(at, named, f"a readable machine file ({why(error)})")
            return found
        path = os.fspath(path)
        found.append((path, text))
        seen.add(os.path.realpath(path))
        named = top(text, "like")
        if named is None or not is_path(named):
            return found
        at, path = f"{path}, like", os.path.join(os.path.dirname(path), named)
        try:
            is_again = os.path.realpath(path) in seen
        except ValueError:
            is_again = False  # not a file name; reported when it is read
        if is_again:
            wrong.add(at, named, "a machine file that is not like this one in turn")
            return found


@dataclass(frozen=True)
class Job:
    """Ranks on nodes of a machine, with the seed of all random draws."""

    machine: Machine
    nodes: int
    ppn: int | None  # None: from the host file
    placement: str | tuple[int, ...] = "contiguous"
    ranks: int = None  # type: ignore[assignment]  # None: nodes * ppn
    mpi: str = "mpich"
    seed: int = 1
    threads: int = 1
    background: Any = None  # see `background_traffic`
    noise: str | None = None
    traffic_class: str | None = None
    limits: str = "fail"
    coll_rules: Any = None  # a path or several `RulesFile`; see `libraries`
    nic_policy: str | None = None
    storage_class: str | None = None
    timeline: Timeline | None = None
    engine: str = "auto"

    def __post_init__(self) -> None:
        """Check all values and report every problem."""
        wrong = Diagnostics()
        is_machine(wrong, self.machine)
        found: dict[str, Any] = {"nodes": wrong.whole("nodes", self.nodes)}
        if self.ppn is not None:
            found["ppn"] = wrong.whole("ppn", self.ppn)
        ranks = found["nodes"] * found.get("ppn", 1) if self.ranks is None else self.ranks
        found["ranks"] = wrong.whole("ranks", ranks)
        found["seed"] = wrong.whole("seed", self.seed, 0, 2**63 - 1)
        found["threads"] = wrong.whole("threads", self.threads)
        if not isinstance(self.placement, str):
            nodes = wrong.sequence("placement", self.placement, "a name or the node of every rank")
            found["placement"] = tuple(wrong.whole("placement", node, 0) for node in nodes)
        found["background"] = background_traffic.background(wrong, self.background)
        background_traffic.noise(wrong, self.noise)
        names.check_class(wrong, self.traffic_class)
        names.check_class(wrong, self.storage_class, "storage_class")
        names.check_limits(wrong, self.limits)
        names.check_engine(wrong, self.engine)
        rules_request(wrong, self.coll_rules)
        names.check_nic_policy(wrong, self.nic_policy)
        if self.timeline is not None:
            timelines.check(wrong, self.timeline)
        wrong.raise_any()
        for name, value in found.items():
            object.__setattr__(self, name, value)

    def request(self, fidelity: str) -> dict[str, Any]:
        """The part that all requests about a job share."""
        nodes = None if isinstance(self.placement, str) else list(self.placement)
        return {
            "machine": self.machine.request(),
            "fidelity": fidelity,
            "routing": self.machine.routing,
            "placement": self.placement if nodes is None else {"nodes": nodes},
            **library_request(self.mpi),
            "rules": rules_request(Diagnostics(), self.coll_rules),
            "seed": self.seed,
            "threads": self.threads,
            "background": list(self.background),
            "noise": background_traffic.noise(Diagnostics(), self.noise),
            "class": self.traffic_class,
            "storage_class": self.storage_class,
            "limits": self.limits,
            "engine": self.engine,
            "nic_policy": self.nic_policy,
            **({} if self.timeline is None else {"timeline": self.timeline.request()}),
        }

    def check(self, fidelity: str, more: tuple[str, ...] = ()) -> None:
        """Raise all problems that can be found without building the machine."""
        wrong = Diagnostics()
        check_names(wrong, self.machine, fidelity, self.mpi, more)
        if isinstance(self.placement, str):
            names.check_placement(wrong, self.placement)
        wrong.raise_any()


def is_machine(wrong: Diagnostics, machine: Any) -> bool:
    """Add a diagnostic unless `machine` is one."""
    if not isinstance(machine, Machine):
        wrong.add("machine", machine, "a Machine, such as `odonata.machine(NAME)`")
    return isinstance(machine, Machine)


def is_job(wrong: Diagnostics, job: Any) -> bool:
    """Add a diagnostic unless `job` is one."""
    if not isinstance(job, Job):
        wrong.add("job", job, "a Job, such as `odonata.machine(NAME).job(nodes=2)`")
    return isinstance(job, Job)


def check_names(
    wrong: Diagnostics,
    machine: Machine | None,
    fidelity: str,
    mpi: str,
    more: tuple[str, ...] = (),
) -> None:
    """Add a diagnostic for each invalid name that can be found without the machine.

    `machine` is None or no Machine if that was reported already. `more` lists further fidelities
    that are valid here.
    """
    fidelities = (*names.FIDELITIES, *more)
    machine = machine if isinstance(machine, Machine) else None
    if machine is not None and machine.toml is None and machine.name not in presets():
        near = nearest(machine.name, presets()) if isinstance(machine.name, str) else None
        if os.path.isfile(f"{machine.name}.toml"):  # does not raise for invalid names
            near = f"{machine.name}.toml"
        wrong.add(
            "machine",
            machine.name,
            f"a preset ({', '.join(presets())}) or a machine file (NAME.toml)",
            f"did you mean `{near}`?" if near else None,
        )
    if fidelity not in fidelities:
        near = synonyms.meant("fidelity", str(fidelity), fidelities)
        near = near or nearest(str(fidelity), fidelities)
        wrong.add(
            "fidelity",
            "nothing" if fidelity == "" else fidelity,
            f"one of {', '.join(fidelities)}",
            f"nearest: {near}" if near else None,
        )
    if machine is not None and machine.routing is not None:
        plain = machine.routing
        if isinstance(plain, str):  # Cray writes Aries' modes in capitals: ADAPTIVE_0.
            plain = plain.lower().replace("_", "-")
        wrong.word("routing", plain, names.ROUTINGS, "a routing")
    if isinstance(mpi, str) and mpi.endswith(".toml"):
        try:
            library_request(mpi)
        except (OSError, ValueError) as error:
            wrong.add("mpi", mpi, f"a readable library profile ({why(error)})")
    else:
        wrong.word("mpi", mpi, libraries(), "an MPI library")


def machine(name: str) -> Machine:
    """A preset machine by name (`odonata.presets()` lists them), or a machine file by path."""
    if isinstance(name, os.PathLike) or (isinstance(name, str) and is_path(name)):
        return Machine.from_toml(name)
    wrong = Diagnostics()
    check_names(wrong, Machine(name), names.FIDELITIES[0], libraries()[0])
    wrong.raise_any()
    return Machine(name)


def presets() -> list[str]:
    """Names of the preset machines."""
    return json.loads(core.query("presets"))


def with_node_kind(changes: Iterable[str], kind: str | None) -> list[str]:
    """Changes to a machine file, with that of `--node-kind`."""
    return [*changes, *([] if kind is None else [f"node_kind={kind}"])]


def toml_value(value: Any) -> str:
    """A value as in `--set KEY=VALUE` of the command line."""
    return str(value).lower() if isinstance(value, bool) else str(value)
