"""Machines and jobs: what a prediction is about, as plain values.

A `Machine` is a name, the text of its machine file and the changes made to it; the core resolves
it. Nothing here knows what a key means.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from . import door
from .errors import Complaints, InputError, nearest

PLACEMENTS = ("contiguous", "round-robin", "random", "group-spread")
ROUTINGS = ("minimal", "valiant", "ugal", "adaptive")
FIDELITIES = ("packet", "loggp")


@dataclass(frozen=True)
class Machine:
    """A machine to predict on; see `odonata.machine(name)` and `Machine.from_toml(path)`."""

    name: str
    toml: str | None = None
    changes: tuple[tuple[str, str], ...] = ()
    routing: str | None = None

    @classmethod
    def from_toml(cls, path: str | Path) -> Machine:
        """The machine described by a machine file."""
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            wrong = Complaints()
            wrong.add("machine", path, f"a readable machine file ({why(error)})")
            raise InputError(wrong.list) from None
        return cls(path.stem, text)

    def with_(
        self,
        changes: Mapping[str, Any] | None = None,
        *,
        routing: str | None = None,
        **keys: Any,
    ) -> Machine:
        """This machine with another routing or other values of machine-file keys.

        Dotted keys go into the mapping: `aurora.with_({"nic.window": 64}, routing="minimal")`.
        Values are what the machine file would hold, quantities with their unit: `"300 ns"`.
        """
        pairs = tuple((k, toml_value(v)) for k, v in {**(changes or {}), **keys}.items())
        return replace(
            self,
            changes=self.changes + pairs,
            routing=self.routing if routing is None else routing,
        )

    @property
    def summary(self) -> dict[str, Any]:
        """What the machine comes to: counts, bandwidths, zero-load latencies (`show --json`)."""
        return json.loads(door.ask("show", {"machine": self.request(), "routing": self.routing}))

    @property
    def source(self) -> str:
        """The text of the machine file, without changes."""
        return self.toml if self.toml is not None else door.ask("preset_toml", self.name)

    def job(
        self,
        *,
        nodes: int,
        ppn: int | None = 1,
        placement: str | Sequence[int] = "contiguous",
        ranks: int | None = None,
        mpi: str = "mpich",
        seed: int = 1,
        threads: int = 1,
    ) -> Job:
        """A job on this machine: `ppn` ranks on each of `nodes` nodes.

        `placement` is a name (contiguous, round-robin, random, group-spread) or the node of
        every rank. `ranks` defaults to `nodes * ppn`.
        """
        placed = placement if isinstance(placement, str) else tuple(placement)
        return Job(self, nodes, ppn, placed, ranks or nodes * (ppn or 1), mpi, seed, threads)

    def request(self) -> dict[str, Any]:
        return {"name": self.name, "toml": self.toml, "set": [list(c) for c in self.changes]}


@dataclass(frozen=True)
class Job:
    """Ranks on nodes of a machine, and the draw of luck (`seed`) they run under."""

    machine: Machine
    nodes: int
    ppn: int | None  # None: as many as a host file says
    placement: str | tuple[int, ...] = "contiguous"
    ranks: int = 0
    mpi: str = "mpich"
    seed: int = 1
    threads: int = 1

    def request(self, fidelity: str) -> dict[str, Any]:
        """What every request about a job says."""
        nodes = None if isinstance(self.placement, str) else list(self.placement)
        return {
            "machine": self.machine.request(),
            "fidelity": fidelity,
            "routing": self.machine.routing,
            "placement": self.placement if nodes is None else {"nodes": nodes},
            **library_request(self.mpi),
            "seed": self.seed,
            "threads": self.threads,
        }

    def check(self, fidelity: str) -> None:
        """Complain about what can be seen without building the machine."""
        wrong = Complaints()
        check_names(wrong, self.machine, fidelity, self.mpi)
        if isinstance(self.placement, str):
            wrong.word("placement", self.placement, PLACEMENTS, "a placement")
        for at, number in (("nodes", self.nodes), ("ppn", self.ppn), ("ranks", self.ranks)):
            if number is not None and number < 1:
                wrong.add(at, number, "a positive number")
        wrong.raise_any()


def check_names(
    wrong: Complaints, machine: Machine, fidelity: str, mpi: str, dash: str = ""
) -> None:
    """Complain about names no machine is needed to judge; `dash` is `--` on the command line."""
    if machine.toml is None and machine.name not in presets():
        near = nearest(machine.name, presets())
        wrong.add(
            f"{dash}machine",
            machine.name,
            f"a preset ({', '.join(presets())}) or a machine file (NAME.toml)",
            f"did you mean `{near}`?" if near else None,
        )
    if fidelity not in FIDELITIES:
        near = {"flow": "packet, loggp"}.get(fidelity) or nearest(fidelity, FIDELITIES)
        wrong.add(
            f"{dash}fidelity",
            fidelity,
            f"one of {', '.join(FIDELITIES)}"
            + ("; flow is not available yet" if fidelity == "flow" else ""),
            f"nearest: {near}" if near else None,
        )
    if machine.routing is not None:
        wrong.word(f"{dash}routing", machine.routing, ROUTINGS, "a routing")
    if mpi.endswith(".toml"):
        try:
            library_request(mpi)
        except (OSError, UnicodeDecodeError) as error:
            wrong.add(f"{dash}mpi", mpi, f"a readable library profile ({error})")
    else:
        wrong.word(f"{dash}mpi", mpi, libraries(), "an MPI library")


def library_request(mpi: str) -> dict[str, str]:
    """A preset library by name, or the profile in a file of the user's."""
    if not mpi.endswith(".toml"):
        return {"mpi": mpi}
    path = Path(mpi)
    return {"mpi": path.stem, "mpi_toml": path.read_text(encoding="utf-8")}


def machine(name: str) -> Machine:
    """A preset machine by name (`odonata.presets()` lists them), or a machine file by path."""
    if name.endswith(".toml") or "/" in name:
        return Machine.from_toml(name)
    wrong = Complaints()
    check_names(wrong, Machine(name), FIDELITIES[0], libraries()[0])
    wrong.raise_any()
    return Machine(name)


def presets() -> list[str]:
    """The names of the machines odonata knows."""
    return json.loads(door.ask("presets"))


def libraries() -> list[str]:
    """The names of the MPI libraries whose protocols and algorithms odonata knows."""
    return json.loads(door.ask("libraries"))


def toml_value(value: Any) -> str:
    """A value as the command line's `--set KEY=VALUE` would spell it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def why(error: Exception) -> str:
    """What the operating system said, without its number."""
    return getattr(error, "strerror", None) or str(error)
