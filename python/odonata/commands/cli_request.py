"""Common parts of the commands that predict: checks of options, and output of results."""

from __future__ import annotations

import json
import os
import shlex
import sys
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TextIO

import click

from .. import (
    background_traffic,
    core,
    faults,
    machines,
    names,
    tables,
    text,
    timelines,
    units,
)
from .._vocabulary import CONGESTION, PROGRESS
from ..checks import Checks
from ..libraries import rules_request
from ..machines import Job, Machine
from ..streams import say
from ..terminal import escaped

if TYPE_CHECKING:
    from .. import fabrics

SIZES_WANTED = f"sizes in bytes: {units.SIZES}"


class Request:
    """The common options, checked; `finish` raises all diagnostics at once."""

    def __init__(self, given: dict[str, Any], more_fidelities: tuple[str, ...] = ()):
        self.wrong = Checks()
        self.quiet, self.as_json = given["quiet"], given["as_json"]
        if given["progress"] is not None:
            self.wrong.word("progress", given["progress"], PROGRESS, "one of")
        self.fidelity, self.mpi = given["fidelity"], given["mpi"]
        changes = machines.with_node_kind(given["changes"], given["node_kind"])
        if given["congestion"] is not None:
            # An abbreviation of a key of the machine file, like --routing.
            if self.wrong.word("congestion", given["congestion"], CONGESTION, "one of"):
                changes.append(f"congestion.management={given['congestion']}")
        self.fabric: fabrics.Fabric | None = None
        if given.get("fabric") is not None:
            from .. import fabrics  # takes long: it is a client of HTTP

            self.fabric, found = fabrics.read(self.wrong, given, changes)
            for words in self.fabric.notes if self.fabric else ():
                self.note(words)
        else:
            found = self.wrong.machine(given["machine"], changes, given["routing"])
        broken = faults.fault_schedule(self.wrong, given.get("faults"))
        if found is not None and broken is not None:
            found = replace(found, faults=broken)
        self.machine = found or Machine("")
        self._found = found
        machines.check_names(self.wrong, found, self.fidelity, self.mpi, more_fidelities)
        self.placement = self.wrong.placement(given["placement"])
        self.seed = self.wrong.count("run", "seed", given["seed"])
        self.threads = self.wrong.integer("threads", given["threads"], 1)
        background = list(given.get("background", ()))
        self.background = background_traffic.background(self.wrong, background)
        self.noise = given.get("noise")
        self.traffic_class = given["traffic_class"]
        self.storage_class = given.get("storage_class")
        self.limits = given.get("limits", "fail")
        names.check_limits(self.wrong, self.limits)
        self.engine = given.get("engine", "auto")
        names.check_engine(self.wrong, self.engine)
        background_traffic.noise(self.wrong, self.noise)
        self.coll_rules = None
        self.nic_policy = given.get("nic_policy")
        names.check_nic_policy(self.wrong, self.nic_policy)
        self.timeline = timeline_of(self.wrong, given)
        self.out, self.force = None, given["force"]
        if given["out"] is not None:
            self.out = tables.check_out(self.wrong, given["out"], given["force"])
        elif given["force"]:
            self.wrong.add("--force", "--force", "--out DIR with it")

    def use_rules(self, files: Any) -> None:
        """Files that select collective algorithms: a path, or several `RulesFile`."""
        rules_request(self.wrong, files)
        self.coll_rules = files

    def finish(self) -> None:
        self.wrong.finish(self._found)

    def job(self, nodes: int, ppn: int | None, ranks: int | None = None) -> Job:
        return self.machine.job(
            nodes=nodes,
            ppn=ppn,
            placement=self.placement,
            ranks=ranks,
            mpi=self.mpi,
            seed=self.seed,
            threads=self.threads,
            background=self.background,
            noise=self.noise,
            traffic_class=self.traffic_class,
            limits=self.limits,
            coll_rules=self.coll_rules,
            nic_policy=self.nic_policy,
            storage_class=self.storage_class,
            timeline=self.timeline,
            engine=self.engine,
        )

    def on_fabric(self, name: str, nodes: int) -> AbstractContextManager[None]:
        """A job on the fabric of --fabric, while the run takes place."""
        if self.fabric is None:
            return nullcontext()
        return self.fabric.job(name, nodes, self.placement, self.note)

    def deliver(
        self,
        summary: dict[str, Any],
        data: dict[str, Any],
        stdout: TextIO | None = None,
        texts: dict[str, str] | None = None,
    ) -> None:
        """Write the requested output: the directory, and the object on stdout."""
        summary["command"] = command_line()
        if self.out is not None:
            tables.put(self.out, summary, data, texts or {}, self.force, self.note)
            self.note(f"wrote {os.path.relpath(self.out)}")
        if self.as_json:
            print(json.dumps(summary), file=stdout or sys.stdout, flush=True)

    def note(self, words: str) -> None:
        if not self.quiet:
            say(f"odonata: {escaped(words)}")

    def print_timeline(self, summary: dict[str, Any]) -> int:
        """The timeline that was written; 1 if it is not complete."""
        row = summary.get("timeline")
        if row and (row["unwritten"] or not self.quiet):
            say(f"odonata: {escaped(timelines.outcome(row))}")
        return int(bool(row and row["unwritten"]))

    def print_notes(self, summary: dict[str, Any]) -> None:
        """Notes on settings of the library that are not applied."""
        for words in summary.get("notes", ()):
            self.note(words)

    def print_threads(self, summary: dict[str, Any]) -> None:
        """The threads of simulations that request several."""
        for words in text.most_threads(summary):
            self.note(words)

    def print_limits(self, summary: dict[str, Any], preflight: bool, failed: bool = False) -> None:
        """Exceeded limits, unless a failure reports them; with `preflight` also others."""
        found = summary.get("limits")
        lines = text.limits(found) if found and preflight else []
        if found and not failed and (preflight or not self.quiet):
            lines += text.met(found)
        if lines:
            say("\n".join(lines))

    def print_counters(self, summary: dict[str, Any], requested: bool) -> None:
        """The counters, if requested."""
        if requested:
            say("\n".join(text.counters(summary)))


def timeline_of(wrong: Checks, given: dict[str, Any]) -> timelines.Timeline | None:
    """The options of a timeline, checked."""
    parts = {name: given.get(f"timeline_{name}") for name in ("window", "ranks", "sample")}
    if given.get("timeline") is None:
        for name, text in parts.items():
            if text is not None:
                wrong.add(f"timeline_{name}", text, "--timeline FILE with it")
        return None
    found = timelines.Timeline(given["timeline"], **parts)
    before = len(wrong.list)
    timelines.check(wrong, found)
    return found if len(wrong.list) == before else None


def stopped(stop: core.Stop, summary: dict[str, Any]) -> int:
    """The exit code of a sweep. An interruption is reported even with `--quiet`."""
    if not stop.signal:
        return 0
    sys.stdout.flush()
    say(f"odonata: {text.interrupted(summary) or 'interrupted'}")
    return 128 + stop.signal


def given_by_hand(name: str) -> bool:
    """Whether an option with a default is on the command line."""
    source = click.get_current_context().get_parameter_source(name)
    return source is click.core.ParameterSource.COMMANDLINE


def command_line() -> str:
    """The command line, for the report."""
    return shlex.join(["odonata", *sys.argv[1:]])
