"""The fastest algorithm of a collective, and tuning files that select it in a library.

`odonata.tune("allgather", machine, nodes=[32, 512], ppn=12)` compares all algorithms. MPICH and
Open MPI read the files of the result.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import bands, core, tables, text
from ._vocabulary import BY_COMMAND, COLLECTIVES, Collective, Fidelity
from .benchmarks import MESSAGES, check_sizes
from .errors import Diagnostics
from .machines import Job, Machine, check_names, is_machine
from .results import Sweep, TuneRow
from .terminal import Terminal
from .units import Unreadable, read_sizes, show_bytes, show_size, show_time
from .version import version

if TYPE_CHECKING:
    import matplotlib.axes

SIZES = str(BY_COMMAND["tune", "sizes"].default)
NODES_WANTED = "numbers of nodes: `32` or `32,512,2048`"
# Messages of the budget per second [estimate], of which a message of the flow model is ten
# (crates/api/src/bench_checks.rs).
MESSAGES_PER_S = {"loggp": 2e6, "flow": 3e5}
# Ratio from which a difference is stated as a reason.
WORTH = 1.1


@dataclass
class TuneResult(Sweep[TuneRow]):
    """Rows by nodes, message size and algorithm, and tuning files for MPI libraries.

    A row has `nodes`, `ranks`, `bytes` and `algorithm`. Times are `latency_s`, the mean over ranks,
    and `latency_max_s`; None if the call was too large. `low` and `high` are the band of the
    mean, which `summary["bands"]` describes. `method` is `exact` or `sampled`, `error`
    half of the 95 % confidence interval, relative. `rounds`, `rounds_played` and `ranks_played` are
    counts. `messages` and `bytes_sent` are per rank, means; `network_bytes` between nodes and
    `global_bytes` between groups are of all ranks. `is_default` marks the library's own choice,
    `is_winner` the fastest algorithm.
    """

    collective: str
    summary: dict[str, Any] = field(repr=False)

    @property
    def nodes(self) -> list[int]:
        """Numbers of nodes that were tried."""
        return list(self.summary["nodes"])

    @property
    def ppn(self) -> int:
        """Ranks per node."""
        return int(self.summary["ppn"])

    @property
    def winners(self) -> dict[tuple[int, int], str]:
        """The fastest algorithm by number of nodes and message size in bytes."""
        return {(r["nodes"], r["bytes"]): r["algorithm"] for r in self.rows if r["is_winner"]}

    @property
    def files(self) -> dict[str, str]:
        """Text by name: `mpich.json` and `openmpi.conf`, if these libraries have the algorithms."""
        return {file["name"]: file["text"] for file in self.summary["files"]}

    def save(self, path: str | Path, force: bool = False) -> None:
        """Write `summary.json`, the rows and the files into a new or empty directory."""
        tables.write(path, self.summary, self.data, force, self.files)

    def calls(self) -> Iterator[list[TuneRow]]:
        """The rows of each number of nodes and each size."""
        by_call: dict[tuple[int, int], list[TuneRow]] = {}
        for row in self.rows:
            by_call.setdefault((row["nodes"], row["bytes"]), []).append(row)
        yield from by_call.values()

    def plot(
        self, ax: matplotlib.axes.Axes | None = None, *, bytes: int | None = None
    ) -> matplotlib.axes.Axes:
        """Plot time against ranks, one line per algorithm, at one message size (the smallest)."""
        from . import plot

        return plot.tune(self, ax, bytes)


def tune(
    collective: Collective,
    machine: Machine,
    *,
    nodes: int | Iterable[int],
    ppn: int = 1,
    sizes: Iterable[int] | str | None = None,
    fidelity: Fidelity = "loggp",
    mpi: str = "mpich",
    placement: str = "contiguous",
    coll_rules: str | Path | None = None,
    messages: int = MESSAGES,
    seed: int = 1,
) -> TuneResult:
    """Compare all algorithms of `collective` on `nodes`, one or several numbers of nodes.

    Each node has `ppn` ranks. `sizes` are in bytes, as for the benchmark of the same name.
    `messages` is the message budget of one call; longer calls are sampled: representative rounds
    and ranks are simulated.
    """
    wrong = Diagnostics()
    wrong.word("collective", collective, COLLECTIVES, "a collective")
    counts = [nodes] if isinstance(nodes, int) else wrong.sequence("nodes", nodes, NODES_WANTED)
    counts = [wrong.whole("nodes", count) for count in counts]
    chosen = read_sizes(SIZES) if sizes is None else check_sizes(wrong, sizes)
    messages = wrong.whole("messages", messages)
    is_machine(wrong, machine)
    check_names(wrong, machine, fidelity, mpi)
    wrong.raise_any()
    jobs = [
        machine.job(
            nodes=count, ppn=ppn, placement=placement, mpi=mpi, seed=seed, coll_rules=coll_rules
        )
        for count in counts
    ]
    return run(collective, jobs, chosen, fidelity, messages)


def run(
    collective: str,
    jobs: Sequence[Job],
    sizes: Sequence[int],
    fidelity: str,
    messages: int,
    tick: core.Tick | None = None,
    stop: core.Stop | None = None,
) -> TuneResult:
    """The same for jobs that differ in their nodes alone."""
    job = jobs[0]
    sizes = [0] if collective == "barrier" else sizes  # a barrier has no size
    job.check(fidelity)
    nodes = sorted({j.nodes for j in jobs})
    request = {
        **job.request(fidelity),
        "collective": collective,
        "nodes": nodes,
        "ppn": job.ppn,
        "sizes": list(sizes),
        "messages": messages,
    }
    answer = core.enter("tune", request, tick, stop)

    def kinds(row: Mapping[str, Any]) -> bands.Kinds:
        return bands.benchmark_kinds(collective, row["bytes"], row["nodes"], "host", job.mpi)

    rows = tables.rows_of(answer["rows"])
    answer |= {"rows": rows, "bands": bands.add(rows, "latency_s", kinds, answer["fidelity"])}
    summary = {
        "odonata": version(),
        "kind": "tune",
        "machine": job.machine.name,
        "nodes": nodes,
        "ppn": job.ppn,
        "seed": job.seed,
        "messages": messages,
        **answer,
    }
    summary["rows_wanted"] = len(nodes) * len(set(sizes))
    return TuneResult(collective, summary)


def read_counts(text: str) -> list[int]:
    """`32,512,2048`."""
    if not re.fullmatch(r"[1-9][0-9]{0,8}(,[1-9][0-9]{0,8})*", text):
        raise Unreadable("")
    return [int(part) for part in text.split(",")]


def shown(result: TuneResult, whole: bool) -> str:
    """For each number of nodes the fastest and the library's own; with `whole`, all of them."""
    s = result.summary
    where = f"{s['machine']}, {s['mpi']}, {s['fidelity']} fidelity"
    lines = [f"# odonata tune {result.collective} on {where}"]
    calls = list(result.calls())
    for nodes in sorted({call[0]["nodes"] for call in calls}):
        here = [call for call in calls if call[0]["nodes"] == nodes]
        job = f"{text.counted(nodes, 'node')} x {s['ppn']}"
        lines += ["", f"# {job}: {here[0][0]['ranks']:,} ranks"]
        lines += compared(here, s["mpi"])
        if whole:
            lines += ["", *by_algorithm(here)]
        printed = [row for call in here for row in call if whole or in_first_table(row)]
        lines += [f"# {line}" for line in text.sampled(printed, here[0][0]["ranks"])]
    lines += [f"# {line}" for line in left_out(result.rows, s["fidelity"])]
    lines += [f"# {line}" for line in bands.lines(s["bands"])]
    return "\n".join(lines)


def left_out(rows: Iterable[Mapping[str, Any]], fidelity: str) -> Iterator[str]:
    """Why algorithms are marked `-`: their calls are too large and cannot be sampled."""
    wanted: dict[str, int] = {}
    for row in rows:
        if row["latency_s"] is None:
            name = row["algorithm"]
            wanted[name] = max(wanted.get(name, 0), row["messages_wanted"])
    if wanted:
        yield (
            "not simulated where marked -: a call has more messages than the budget, and cannot "
            "be sampled. To simulate it:"
        )
    for name, messages in sorted(wanted.items()):
        time = ""
        if fidelity in MESSAGES_PER_S:
            minutes = messages / MESSAGES_PER_S[fidelity] / 60
            time = ", less than a minute" if minutes < 1 else f", about {minutes:,.0f} minutes"
        yield f"  {name}: --messages {messages}{time}"


def in_first_table(row: Mapping[str, Any]) -> bool:
    return row["is_winner"] or row["is_default"]


def compared(calls: Sequence[Sequence[Mapping[str, Any]]], mpi: str) -> list[str]:
    """One line per size: the fastest, the library's choice, their ratio and the reason."""
    cells = [("# bytes", "fastest", "time", f"{mpi} has", "time", "ratio", "why")]
    for call in calls:
        own = next(row for row in call if row["is_default"])
        best = next((row for row in call if row["is_winner"]), None)
        if best is None:
            cells.append((show_size(own["bytes"]), "-", "-", own["algorithm"], "-", "-", ""))
            continue
        ratio = "-" if own["latency_s"] is None else f"{own['latency_s'] / best['latency_s']:.2f}"
        cells.append(
            (show_size(best["bytes"]), best["algorithm"], timed(best), own["algorithm"], timed(own),
             ratio, reason(best, own))  # fmt: skip
        )
    return Terminal(sys.stdout).columns(cells, "><><>><")


def by_algorithm(calls: Sequence[Sequence[Mapping[str, Any]]]) -> list[str]:
    """The time of each algorithm in a column, with its rounds."""
    names = list(dict.fromkeys(row["algorithm"] for call in calls for row in call))
    rounds = {row["algorithm"]: f"{row['rounds']:,}" for call in calls for row in call}
    cells = [("# bytes", *names), ("# rounds", *(rounds[name] for name in names))]
    for call in calls:
        here = {row["algorithm"]: timed(row) for row in call}
        size = show_size(call[0]["bytes"])
        cells.append((size, *(here.get(name, "") for name in names)))
    return Terminal(sys.stdout).columns(cells, ">" * (1 + len(names)))


def timed(row: Mapping[str, Any]) -> str:
    """A time, marked if it is an estimate."""
    if row["latency_s"] is None:
        return "-"
    return ("~" if row["method"] == "sampled" else "") + show_time(row["latency_s"])


def reason(best: Mapping[str, Any], own: Mapping[str, Any]) -> str:
    """The quantities in which the fastest and the library's choice differ."""
    if best is own:
        return "the library's own"
    counts = (
        ("rounds", "{} rounds, not {}", lambda n: f"{n:,}"),
        ("bytes_sent", "{} sent by a rank, not {}", show_bytes),
        ("network_bytes", "{} between nodes, not {}", show_bytes),
        ("global_bytes", "{} between groups, not {}", show_bytes),
        ("contention", "contention {}, not {}", lambda x: f"{x:.2f}"),
    )
    less, more = [], []
    for key, words, show in counts:
        ours, theirs = best.get(key), own.get(key)
        if ours is None or theirs is None:
            continue
        if theirs > WORTH * ours:
            less.append(words.format(show(ours), show(theirs)))
        elif ours > WORTH * theirs:
            more.append(words.format(show(ours), show(theirs)))
    though = f"though {more[0]}" if less and more else "" if less else ", ".join(more[:1])
    return "; ".join(part for part in (", ".join(less[:2]), though) if part)
