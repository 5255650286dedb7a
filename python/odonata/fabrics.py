"""Runs on a served fabric: `--fabric URL` of `run`, `bench` and `traffic`.

A run uses the machine of `odonata fabric serve`, with the faults of its state when the run starts.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from .errors import Diagnostics
from .fabric_commands.client import TOKEN, Client, ClientError
from .machines import Machine

WANTED = f"the address of `odonata fabric serve`, and a token of it in {TOKEN}"


@dataclass(frozen=True)
class Fabric:
    """A served fabric, and notes on what of its state a run does not use."""

    client: Client
    notes: tuple[str, ...] = ()

    @contextmanager
    def job(
        self, name: str, nodes: int, placement: Any, note: Callable[[str], None]
    ) -> Iterator[None]:
        """A job on the fabric inside, with its nodes."""
        link = None
        try:
            link = self._start(f"{name}-{os.getpid()}", nodes_of(nodes, placement))
        except ClientError as error:
            note(f"the fabric does not show this job: {error}")
        try:
            yield
        finally:
            if link is not None:
                try:
                    self.client.request("DELETE", link)
                except ClientError as error:
                    note(f"the fabric still shows this job: {error}")

    def _start(self, name: str, nodes: Sequence[int] | None) -> str:
        if nodes is None:
            raise ClientError(0, "its nodes are known for `contiguous` and files only")
        body = {"name": name, "nodes": list(nodes)}
        self.client.request("POST", "/simulation/jobs", body)
        return f"/simulation/jobs/{name}"


def nodes_of(nodes: int, placement: Any) -> Sequence[int] | None:
    """The nodes of a job; None if the placement is drawn by the run."""
    if isinstance(placement, str):
        return range(nodes) if placement == "contiguous" else None
    return sorted(set(placement))


def read(
    wrong: Diagnostics, given: Mapping[str, Any], changes: Sequence[str]
) -> tuple[Fabric | None, Machine | None]:
    """The fabric of `--fabric`, and its machine in its present state."""
    for name in ("machine", "faults"):
        if given.get(name) is not None:
            wrong.add(name, given[name], "nothing with --fabric, which has a machine and its state")
    try:
        client = Client(given["fabric"])
        request = client.get("/simulation/machine")
        state = client.get("/simulation/state")
    except ClientError as error:
        wrong.add("fabric", given["fabric"] or "nothing", f"{WANTED} ({error})")
        return None, None
    # Packets notice a failure in a run; flows have one set of links.
    is_dynamic = given.get("fidelity") == "packet"
    schedule = state["dynamicToml"] if is_dynamic else without_bit_errors(state["toml"])
    notes = ()
    if not is_dynamic and schedule != state["toml"]:
        notes = ("bit errors of the fabric have no effect without packets",)
    machine = machine_of(request, state, schedule)
    pairs = tuple(tuple(change.partition("=")[::2]) for change in changes)
    found = replace(machine, changes=machine.changes + pairs, routing=given["routing"])
    return Fabric(client, notes), found


def without_bit_errors(schedule: str) -> str:
    """A schedule without its rows of bit errors, which only packets can have."""
    first, *rows = schedule.split("[[fault]]")
    return "[[fault]]".join([first, *(row for row in rows if "\nber = " not in row)])


def machine_of(request: Mapping[str, Any], state: Mapping[str, Any], schedule: str) -> Machine:
    """The machine of a request, with the policies of a state and a fault schedule."""
    return Machine(
        request["name"],
        request["toml"],
        tuple((key, value) for key, value in [*request["set"], *state["set"]]),
        faults={"name": "the state of the fabric", "toml": schedule} if schedule else None,
        like=tuple(text for _, text in request["like"]),
        file=request["file"],
        files=tuple(path for path, _ in request["like"]),
    )
