"""Text for terminals and pipes: diagnostics, tables, the OSU format, the summary of a run.

Functions return text; the command decides where it goes. On a terminal it is styled
(`terminal.py`), in a pipe it is plain.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TextIO

from . import bands, filesystems
from .benchmarks import KINDS
from .errors import Diagnostic
from .preflight import near
from .tables import rows_of
from .terminal import Terminal, escaped, styled
from .units import (
    show_bytes,
    show_count,
    show_percent,
    show_rate,
    show_time,
)
from .version import version

SHARES = ("compute", "waiting", "transfer", "other")
MEANING = {
    "compute": "between MPI calls",
    "waiting": "blocked before the other side was ready",
    "transfer": "blocked after it: latency and bytes",
    "other": "after its own end, until the last rank's",
}
DISTANCES = {
    "node": "inside a node",
    "switch": "through one switch",
    "group": "inside a group",
    "global": "between groups",
}
# Colors of the bars, as near to those of the report as a terminal has them.
SHARE_STYLES = {
    "compute": "blue",
    "waiting": "yellow",
    "transfer": "green",
    "other": "bright_black",
}
BUSIEST = 5


MOST_PRINTED = 50  # diagnostics; the others are counted
LONGEST = 2_000  # letters of a message or of the words about a rank


def diagnostics(found: Sequence[Diagnostic], to: TextIO | None = None) -> str:
    """All problems of an input: where, what was found, what is expected, and a suggestion."""
    screen = Terminal(to)
    error = screen.paint("error:", "bold red")
    problems = counted(len(found), "problem")
    lines = [f"odonata: {error} {problems} in the input; nothing was run"]
    for c in found[:MOST_PRINTED]:
        lines += ["", f"  {screen.bold(printable(c.at))}"]
        if c.found:
            lines.append(f"    found   {printable(c.found)}")
        lines.append(f"    wanted  {printable(c.wanted, 1_000)}")
        if c.hint:
            lines.append(f"    hint    {screen.paint(printable(c.hint), 'cyan')}")
    if len(found) > MOST_PRINTED:
        lines += ["", f"  and {len(found) - MOST_PRINTED:,} more"]
    return "\n".join(lines)


def printable(text: str, most: int = 300) -> str:
    """Text from outside as one line without control characters, which become escapes. The middle of
    a text longer than `most` is left out."""
    if len(text) > most:
        half = most // 2
        text = f"{text[:half]} ... {len(text) - 2 * half:,} characters ... {text[-half:]}"
    return escaped(text)


def machines(rows: Iterable[Mapping[str, Any]]) -> str:
    """The presets, one per line, for stdout."""
    head = ("name", "nodes", "NICs", "switches", "groups", "file systems", "source")
    body = [
        (
            r["name"],
            *(f"{r[k]:,}" for k in ("nodes", "endpoints", "switches", "groups")),
            ", ".join(fs["name"] for fs in r.get("file_systems") or ()),
            r.get("source") or "",
        )
        for r in rows
    ]
    return "\n".join(Terminal(sys.stdout).columns([head, *body], "<>>>><<"))


# Directions that papers count (docs/models/machine.md): a comparison must halve one of them.
WAYS = {
    "injection_B_per_s": "one way",
    "global_B_per_s": "both ways",
    "bisection_B_per_s": "both ways",
}


def show(summary: Mapping[str, Any], source: str = "", routing: str = "") -> str:
    """The resolved machine, one fact per line, with the source and routing of its file."""
    lines = [escaped(summary["name"])]
    if source:
        lines.append(f"  {'source':16}  {escaped(source)}")
    for key, label in (
        ("groups", "groups"),
        ("switches", "switches"),
        ("nodes", "nodes"),
        ("endpoints", "NICs"),
        ("fabric_ports", "fabric ports"),
        ("links", "links"),
    ):
        if isinstance(summary.get(key), (int, float)):
            lines.append(f"  {label:16}  {summary[key]:,}")
    for kind, count in (summary.get("links_by_kind") or {}).items():
        if count:  # switches of one level have no links inside a chassis
            lines.append(f"    {kind.replace('_', ' '):14}  {count:,}")
    for key, label in (
        ("injection_B_per_s", "injection"),
        ("global_B_per_s", "global"),
        ("bisection_B_per_s", "bisection"),
        ("storage_B_per_s", "local storage"),
        ("storage_node_B_per_s", "  of one node"),
    ):
        if key in summary:
            # One group has no global links, and one switch no bisection.
            rate = show_rate(summary[key]) if summary[key] else "-"
            ways = WAYS.get(key) if summary[key] else None
            lines.append(f"  {label:16}  {rate}{f', {ways}' if ways else ''}")
    if summary.get("file_systems"):
        lines.append("  file systems")
        lines += [f"    {line}" for line in file_systems(summary["file_systems"])]
    latency = summary.get("zero_load_latency_s") or {}
    if latency:
        lines.append("  zero load, 8 B one way")
        for distance, seconds in latency.items():
            lines.append(f"    {distance.replace('_', ' '):14}  {show_time(seconds)}")
    if routing:
        lines.append(f"  {'routing':16}  {routing}")
    return "\n".join(lines)


def file_systems(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Name, protocol, mounts and servers of each file system, one per line."""
    lines = []
    for r in rows:
        mounts = escaped(", ".join(r["mounts"]))
        behind = f", behind {counted(r['gateways'], 'gateway')}" if r["gateways"] else ""
        lines.append(
            f"{r['name']:14}  {r['kind']} at {mounts}: {counted(r['servers'], 'server')}, "
            f"{counted(r['targets'], 'target')}{behind}"
        )
    return lines


def osu(s: Mapping[str, Any]) -> str:
    """A benchmark in the text format of the OSU micro-benchmarks 7, which scripts parse."""
    kind = KINDS[s["name"]]
    lines = [
        f"# odonata {kind.title} v{version()} (OSU 7 text format, predicted)",
        f"# {escaped(s['machine'])}, {counted(s['nodes'], 'node')} x {s['ppn']} ppn, "
        f"{s['fidelity']} fidelity, seed {s['seed']}",
    ]
    rows = rows_of(s["rows"])
    for traffic in s.get("background") or ():
        lines.append(f"# background {background_text(traffic)}")
    if s.get("class"):
        lines.append(f"# traffic class {s['class']}")
    if s["buffers"] != "host":
        lines.append("# buffers in GPU memory")
    if s.get("noise"):
        lines.append(f"# noise {s['noise']}")
    if s.get("network"):
        lines.append(f"# {network(s['network'])}")
    lines += [f"# {line}" for line in congestion(s.get("congestion"))]
    lines += [f"# {line}" for line in engines(s.get("engine") or {})]
    if s["name"] != "put_alltoall":
        lines += [f"# {line}" for line in sampled(rows, s["nodes"] * s["ppn"])]
    else:
        lines.append("# payload per second and rank, all ranks sending")
        lines += [f"# {line}" for line in shifts(rows)]
    lines += [f"# {line}" for line in chosen(s)]
    if s["name"] == "bisect":
        lines.append("# per rank, its message plus its partner's; not the bisection of the machine")
    bars = error_bars(s)
    if bars:
        lines.append(f"# {bars}")
    if s["name"] == "barrier":
        more = BAND_HEAD if bars else ""
        lines.append(f"# Avg Latency(us){more}")
        lines += [f"{r['latency_s'] * 1e6:18.2f}{band(r) if bars else ''}" for r in rows]
    elif s["name"] in ("mbw_mr", "put_bw", "put_bibw", "get_bw"):
        pairs = s["nodes"] * s["ppn"] // 2
        lines.append(f"# [ pairs: {pairs} ] [ window size: {s.get('window', 64)} ]")
        lines.append(f"# {'Size':<20}{'MB/s':>10}{'Messages/s':>22}")
        for r in rows:
            rate = r.get("bandwidth_B_per_s", 0.0)
            each = r.get("messages_per_s", rate / r["bytes"] if r["bytes"] else 0.0)
            lines.append(f"{r['bytes']:<22}{rate / 1e6:>10.2f}{each:>22.2f}")
    else:
        is_rate = kind.column == "bandwidth_B_per_s"
        head = "Bandwidth (MB/s)" if is_rate else "Avg Latency(us)"
        unit = 1e-6 if is_rate else 1e6
        p99 = kind.column.replace("_", "_p99_", 1)
        more = f"{'99 %':>18}" if rows and p99 in rows[0] else BAND_HEAD if bars else ""
        lines.append("# Datatype: MPI_CHAR.")
        lines.append(f"# {'Size':<8}{head:>18}{more}")
        for r in rows:
            columns = f"{r[p99] * unit:>18.2f}" if p99 in r else band(r) if bars else ""
            lines.append(f"{r['bytes']:<10}{r[kind.column] * unit:>18.2f}{columns}")
    lines += [f"# {line}" for line in bands.lines(s.get("bands") or ())]
    return "\n".join(lines)


def chosen(s: Mapping[str, Any]) -> list[str]:
    """The candidates of fidelity `auto`, one per line."""
    lines = []
    for row in s.get("candidates") or ():
        at = "" if row["bytes"] is None else f" at {row['bytes']:,} B"
        ends = ""
        if row["band_low"] is not None:
            ends = f" {100 * row['band_low']:+.1f} to {100 * row['band_high']:+.1f} %"
        word = "chosen" if row["is_chosen"] else "not"
        lines.append(f"auto: {row['fidelity']}{at}{ends}, {row['why']}: {word}")
    return lines


BAND_HEAD = f"{'Low(us)':>12}{'High(us)':>12}{'Replica nodes':>15}{'Off by':>9}"


def error_bars(s: Mapping[str, Any]) -> str:
    """The method of a benchmark's error bars; empty if it has none."""
    if not s.get("error_bars"):
        return ""
    replicas = s.get("twins") or ()
    nodes = sorted({replica["nodes"] for replica in replicas})
    if not nodes:
        return "error bars: none, no replica is within the packet budget (--replica-packets N)"
    listed = ", ".join(f"{n:,}" for n in nodes)
    return (
        f"error bars: packets against {s['fidelity']} on replicas of {listed} nodes; beyond, "
        "twice the largest change per doubling"
    )


def band(row: Mapping[str, Any]) -> str:
    """Columns beside a prediction: its band, nodes of the largest replica, the largest error."""
    if row["band_low"] is None:
        return f"{'-':>12}{'-':>12}{'-':>15}{'-':>9}"
    low, high = (row["latency_s"] * 1e6 * (1 + row[end]) for end in ("band_low", "band_high"))
    off = f"{100 * row['twin_error']:+.1f} %"
    return f"{low:>12.2f}{high:>12.2f}{row['twin_nodes']:>15,}{off:>9}"


def sampled(rows: Sequence[Mapping[str, Any]], ranks: int) -> list[str]:
    """The simulated part of sampled collectives, one line per algorithm."""
    lines = []
    parts = [row for row in rows if row.get("method") == "sampled"]
    for name in dict.fromkeys(row["algorithm"] for row in parts):
        of_algorithm = [row for row in parts if row["algorithm"] == name]
        least = min(of_algorithm, key=lambda row: row["rounds_played"])
        words = f"{least['rounds_played']:,} of {least['rounds']:,} rounds"
        if least["ranks_played"] < ranks:
            words += f", {least['ranks_played']:,} of {ranks:,} ranks"
        worst = max(row["error"] for row in of_algorithm)
        lines.append(f"~ {name} sampled: {words}, {show_error(worst)}")
    return lines


def shifts(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The number of shifts of `put_alltoall` that were simulated, if not all, and the error that
    the others add to each size."""
    parts = [row for row in rows if row.get("method") == "sampled"]
    if not parts:
        return []
    each = ", ".join(f"{row['bytes']} B {show_error(row['error'])}" for row in parts)
    of = parts[0]
    return [f"~ extrapolated from {of['rounds_played']:,} of {of['rounds']:,} shifts: {each}"]


def show_error(error: float) -> str:
    """A relative error: `±0.3 %`."""
    return f"±{100 * error:.1f} %" if error >= 5e-4 else "±<0.1 %"


def traffic(s: Mapping[str, Any]) -> str:
    """Offered against accepted load, one row per load."""
    found = rows_of(s["rows"])
    lines = [
        f"# odonata traffic {s['pattern']} on {escaped(s['machine'])}, {s['fidelity']} fidelity, "
        f"routing {s['routing']}, {s['packet_bytes']} B packets, "
        f"{show_time(s['measured_s'])} after {show_time(s['warmup_s'])}"
    ]
    if s.get("nodes"):
        lines.append(f"# between {counted(s['nodes'], 'node')}, {s['placement']} placement")
    if s.get("class"):
        lines.append(f"# traffic class {s['class']}")
    lines += [f"# background {background_text(one)}" for one in s.get("background") or ()]
    compared = any(r.get("alone_mean_s") for r in found)
    rows: list[Sequence[str]] = [
        ("# offered", "accepted", "mean(us)", "p50(us)", "p99(us)", "hops", "nonminimal")
        + (("mean/alone", "p99/alone") if compared else ())
    ]
    for r in found:
        rows.append(
            (
                f"{r['offered']:.3f}",
                f"{r['accepted']:.3f}",
                *(at_least(r, k, _us) for k in ("mean", "p50", "p99")),
                "-" if r.get("hops_mean") is None else f"{r['hops_mean']:.2f}",
                show_percent(r.get("nonminimal_fraction")),
                *(impact(r, k) for k in ("mean", "p99") if compared),
            )
        )
    lines += Terminal(sys.stdout).columns(rows)
    lines += slices(s.get("slices") or ())
    for r in found:
        lines += [f"# at load {r['offered']:g}: {line}" for line in lost(r)]
    for r in found:
        lines += with_background(r)
    lines += [f"# {line}" for line in missing(found)]
    lines += [f"# note: {line}" for line in s.get("notes") or ()]
    lines += [f"# {line}" for line in congestion(s.get("congestion"))]
    lines += ["# " + line for line in engine(s.get("engine") or {})]
    return "\n".join(lines)


def slices(parts: Iterable[Mapping[str, Any]]) -> list[str]:
    """The slices of the measured time, load by load."""
    rows: list[Sequence[str]] = [("# offered", "from(us)", "to(us)", "accepted", "mean(us)")]
    for part in parts:
        times = (_us(part["begin_s"]), _us(part["end_s"]))
        latency = _us(part["latency_mean_s"]) if part["packets"] else "-"
        rows.append((f"{part['offered']:.3f}", *times, f"{part['accepted']:.3f}", latency))
    return Terminal(sys.stdout).columns(rows) if len(rows) > 1 else []


def lost(row: Mapping[str, Any]) -> list[str]:
    """Reactions of the network to faults at one load, and losses that traffic does not show."""
    if "network_timeouts" not in row:
        return []
    lines = [network(row)]
    if (waiting := row["packets_lost"] - row["network_timeouts"]) > 0:
        lines.append(
            f"{counted(waiting, 'lost packet')} still waiting for a timer at the end: in a program "
            "each delays its message by `retry.timeout` (docs/models/faults.md)"
        )
    return lines


def network(counts: Mapping[str, Any]) -> str:
    """What the network did about faults, as a library prints it at the end of a job."""
    return (
        f"{counted(counts['network_timeouts'], 'network timeout')}, "
        f"{counted(counts['packets_lost'], 'packet')} lost, "
        f"{counted(counts['packets_resent'], 'packet')} sent again, "
        f"{counted(counts['link_retries'], 'link-level replay')}, "
        f"{counted(counts['messages_failed'], 'message')} given up"
    )


def congestion(counts: Mapping[str, Any] | None) -> list[str]:
    """Congestion events of overloaded NICs, if there are any."""
    if counts and counts["onsets"]:
        held = f"senders throttled {counted(counts['holds'], 'time')}"
        often = f" {counts['onsets']:,} times" if counts["onsets"] > counts["nics"] else ""
        return [f"{counted(counts['nics'], 'NIC')} congested{often}, {held}"]
    return []


def impact(row: Mapping[str, Any], which: str) -> str:
    """Latency with background traffic over latency without it."""
    alone, least = row.get(f"alone_{which}_s"), row.get(f"least_{which}_s")
    if not alone or least is None:
        return "-"
    return f"{'>' if row.get('unfinished') else ''}{least / alone:.2f}"


def with_background(row: Mapping[str, Any]) -> list[str]:
    """Offered and accepted background traffic at one load."""
    lines = []
    for b in row.get("background") or ():
        of_one = b.get("receiver")
        more = "" if of_one is None else f", {show_percent(of_one)} of the receiver's link"
        got = f"{b['offered']:g} offered, {b['accepted']:.4g} accepted"
        lines.append(f"# {b['pattern']}: {got}{more}")
    return lines


def at_least(row: Mapping[str, Any], which: str, words: Callable[[float | None], str]) -> str:
    """A latency in `words`; a lower bound if packets were in flight at the end."""
    if not row.get("unfinished"):
        return words(row.get(f"latency_{which}_s"))
    least = row.get(f"least_{which}_s")
    return words(least) if least is None else f">{words(least)}"


def missing(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """The note about lower bounds, with their loads."""
    shares = [
        f"{row['offered']:g}: {show_percent(row['unfinished'] / row['packets'])}"
        for row in rows
        if row.get("unfinished") and row.get("packets")
    ]
    if not shares:
        return []
    loads = ", ".join(shares)
    return [f"> is a lower bound: some packets were in flight at the end (load {loads})"]


def background_text(background: Mapping[str, Any]) -> str:
    """Background traffic in the syntax of the command line."""
    size = f"@{background['bytes']}" if background.get("bytes") else ""
    where = f" on {counted(len(background['nodes']), 'node')}" if background.get("nodes") else ""
    of_class = f",{background['class']}" if background.get("class") else ""
    rate = background.get("rate")
    load = f"{background['load']:g}" if rate is None else show_rate(rate).replace(" ", "")
    return f"{background['pattern']}:{load}{size}{of_class}{where}"


def accepted(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """A line for each background: its origin, its offered load and its accepted load."""
    return [
        f"Load     {row['pattern']} traffic of {counted(row['nics'], 'NIC')}"
        f"{' (' + row['origin'] + ')' if row.get('origin') else ''}: "
        f"{row['offered']:g} of the injection rate offered, {row['accepted']:.3f} accepted"
        for row in rows
    ]


def jobs(summary: Mapping[str, Any], to: TextIO | None = None) -> str:
    """Several jobs: the time of each beside the others and alone."""
    screen, s = Terminal(to), summary
    rows = s["jobs"]
    parts = [
        f"odonata {s.get('odonata', version())}",
        escaped(str(s.get("machine"))),
        f"{counted(len(rows), 'job')} on {counted(sum(r['nodes'] for r in rows), 'node')}",
        f"{s.get('fidelity')} fidelity",
        f"seed {s.get('seed')}",
    ]
    lines = ["", screen.dim(" | ".join(parts))]
    table: list[Sequence[str]] = [
        ("Job", "ranks", "nodes", "time", "alone", "slowdown", "messages", "bytes", "digest")
    ]
    for r in rows:
        slowdown = r.get("slowdown")
        table.append(
            (
                f"  {r['name']}",
                f"{r['ranks']:,}",
                f"{r['nodes']:,}",
                show_time(r["time_s"], 4) if not r.get("failure") else "failed",
                show_time(r.get("alone_s"), 4),
                "-" if slowdown is None else f"{slowdown:.3f}x",
                show_count(r["messages"]),
                show_bytes(r["bytes"]),
                r["digest"],
            )
        )
    lines += screen.columns(table, "<>>>>>>>>")
    if any(r.get("phases") for r in rows):
        lines += ["", *_phases(rows, screen)]
    measured = [r for r in rows if r.get("bench")]
    if measured:
        lines += ["", *_measured(measured, screen)]
    lines += ["", *accepted(s.get("background") or ())]
    lines += filesystems.lines(s.get("io"))
    for r in rows:
        lines += file_io(r.get("file_io"), f"Files    job {escaped(r['name'])}: ")
    lines += [f"Network  {line}" for line in congestion(s.get("congestion"))]
    lines += [f"Network  {network(s['network'])}"] if s.get("network") else []
    lines += [f"Engine   {line}" for line in engine(s.get("engine") or {}, rates=False)]
    lines.append(f"Digest   {s['digest']}")
    return "\n".join(lines)


def _measured(rows: Iterable[Mapping[str, Any]], screen: Terminal) -> list[str]:
    table: list[Sequence[str]] = [("Benchmark", "bytes", "measured", "alone")]
    for r in rows:
        both = []
        for found in (r["bench"], r.get("alone_bench") or {}):
            latency, rate = found.get("latency_s"), found.get("bandwidth_B_per_s")
            both.append(show_rate(rate) if latency is None and rate else show_time(latency))
        table.append((f"  {r['name']}", f"{r['bench']['bytes']:,}", *both))
    return screen.columns(table, "<>>>")


def _phases(rows: Iterable[Mapping[str, Any]], screen: Terminal) -> list[str]:
    """Rates of benchmarks of file systems: beside the other jobs, and alone."""
    table: list[Sequence[str]] = [("Benchmark", "phase", "measured", "alone")]
    for r in rows:
        alone = {phase["phase"]: phase for phase in r.get("alone_phases") or ()}
        for phase in r.get("phases") or ():
            both = [
                "-" if found is None
                else show_rate(found["rate_B_per_s"]) if found["bytes"]
                else f"{show_count(found['operations_per_s'])} operations/s"
                for found in (phase, alone.get(phase["phase"]))
            ]  # fmt: skip
            table.append((f"  {r['name']}", phase["phase"], *both))
    return screen.columns(table, "<<>>")


def _us(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds * 1e6:.3f}"


NO_EPOCH = "the machine has no switch.credit_epoch"


def engine(e: Mapping[str, Any], rates: bool = True) -> list[str]:
    """Cost of the prediction. A run has no `rates`: its wall clock is mostly its program's."""
    if not e:
        return []
    wall = e.get("wall_s")
    parts = []
    for key, word in (("events", "events"), ("packets", "packets"), ("packet_hops", "packet hops")):
        if e.get(key) is not None:
            rate = (
                f" ({show_count(e[key] / wall)}/s)" if rates and wall and key != "packets" else ""
            )
            parts.append(f"{show_count(e[key])} {word}{rate}")
    if wall is not None:
        parts.append(f"{show_time(wall)} of wall clock")
    memory = e.get("bytes")
    if memory:
        parts.append(f"{show_bytes(memory)} of state")
    if e.get("bytes_per_endpoint"):
        parts.append(f"{show_bytes(e['bytes_per_endpoint'])} per endpoint")
    return [", ".join(parts), *engines(e)]


def engines(e: Mapping[str, Any]) -> list[str]:
    """Engines and threads of packet networks. Without a credit epoch, jobs had no choice."""
    all_used = e.get("engines") or ()
    used = [each for each in all_used if "loads" in each or each["reason"] != NO_EPOCH]
    lines = [one_engine(each, len(used) == 1) for each in used]
    return [*lines, *most_threads(e)]


def one_engine(used: Mapping[str, Any], is_only: bool) -> str:
    """An engine of packet networks, its loads if there is another one, and why it was used."""
    several = () if is_only else used.get("loads", ())
    loads = " at load " + ", ".join(f"{load:g}" for load in several) if several else ""
    general = used.get("general")
    more = f"; all events of a switch are handled, since {general}" if general else ""
    return f"{used['name']} engine{loads}: {used['reason']}{more}"


def most_threads(e: Mapping[str, Any]) -> list[str]:
    """The threads of the run that used most of them."""
    all_used = e.get("threads") or ()
    return [thread_use(max(all_used, key=lambda each: each["used"]))] if all_used else []


def thread_use(used: Mapping[str, Any]) -> str:
    """The threads of a run that requests several, and why there were fewer."""
    count = f"{used['used']} of {used['requested']} threads"
    return f"{count}: {used['reason']}" if used["reason"] else count


def shares(ranks: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """Mean, least and most of each share of the time over the ranks, seconds."""
    found = {}
    for share in SHARES:
        times = [float(r.get(f"{share}_s") or 0.0) for r in ranks] or [0.0]
        found[share] = {"mean": sum(times) / len(times), "min": min(times), "max": max(times)}
    return found


def bar(fraction: float, width: int = 20) -> str:
    """A bar of eighths of a character."""
    eighths = round(max(0.0, min(1.0, fraction)) * width * 8)
    return "█" * (eighths // 8) + ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")[eighths % 8]


def run(
    summary: Mapping[str, Any],
    data: Mapping[str, Sequence[Mapping[str, Any]]],
    to: TextIO | None = None,
) -> str:
    """The summary of a run: predicted time, its parts, calls, distances, links, and cost."""
    screen, s = Terminal(to), summary
    lines = ["", screen.dim(headline(s))]
    ranks = data.get("ranks") or []
    why = unpredicted(s)
    head = ("No prediction", why) if why else ("Predicted time", show_time(s.get("time_s"), 4))
    lines.append("  ".join(map(screen.bold, head)))
    if not why and s.get("bands"):
        if s["low"] is not None:
            lines.append(f"  {' to '.join(show_time(s[end], 4) for end in ('low', 'high'))}")
        lines += [f"  {line}" for line in bands.lines(s["bands"])]
    if ranks:
        lines += _time_split(ranks, screen)
    calls = sorted(data.get("calls") or [], key=lambda r: -r.get("time_s", 0.0))
    if calls:
        lines += ["", *_calls(calls, len(ranks) or s.get("ranks", 1), screen)]
    if s.get("messages"):
        lines += ["", *_distance(data.get("distance") or [], screen)]
    if data.get("links") and data.get("link_kinds"):
        lines += ["", *_link_kinds(data["link_kinds"], screen)]
    if data.get("links"):
        lines += ["", *_links(data["links"], screen)]
    lines.append("")
    lines += accepted(s.get("background") or ())
    if s.get("network"):
        lines.append(f"Network  {network(s['network'])}")
    lines += [f"Network  {line}" for line in congestion(s.get("congestion"))]
    for line in engine(s.get("engine") or {}, rates=False):
        lines.append(f"Engine   {line}")
    blocking = s.get("blocking_calls")
    if s.get("mpi_calls") is not None:
        wall = s.get("wall_s")
        rate = f", {show_count(blocking / wall)} blocking calls/s" if blocking and wall else ""
        lines.append(
            f"Ranks    {show_count(s['mpi_calls'])} MPI calls, {show_count(blocking)} of them "
            f"blocking, in {show_time(wall)}{rate}"
        )
    lines += filesystems.lines(s.get("io"))
    lines += file_io(s.get("file_io"), "Files    ")
    if s.get("calls_done") is not None:
        lines.append(f"Schedule {s['calls_done']:,} of {s['calls_scheduled']:,} calls")
    if s.get("digest") is not None:
        repeats = s.get("compute") == "none" or s.get("kind") == "replay"
        same = "" if repeats else screen.dim("   (--compute none repeats it)")
        lines.append(f"Digest   {s['digest']}{same}")
    return "\n".join(lines)


def file_io(found: Mapping[str, Any] | None, head: str) -> list[str]:
    """What the files of a run take, a line each."""
    words = found["note"].split("; ") if found else ()
    return [f"{head if not i else ' ' * len(head)}{line}" for i, line in enumerate(words)]


def unpredicted(s: Mapping[str, Any]) -> str:
    """Why the time of a run is no prediction; empty if it is one.

    A prediction needs a program that ended and that called MPI or accessed simulated files.
    """
    if found := s.get("failure"):
        kind = str(found.get("kind", "failure")).replace("_", " ")
        return f"ended early, after {show_time(s.get('time_s'), 4)}: {kind}"
    return "no rank called MPI" if s.get("mpi_calls") == 0 and not s.get("io") else ""


def headline(s: Mapping[str, Any]) -> str:
    """One line: machine, job, model."""
    placed = s.get("placement")
    parts = [
        f"odonata {s.get('odonata', version())}",
        escaped(str(s.get("machine"))),
        f"{counted(s.get('ranks'), 'rank')} on {counted(s.get('nodes'), 'node')}",
        "host file" if placed == "host file" else f"{placed} placement",
        f"{s.get('fidelity')} fidelity",
    ]
    if s.get("routing"):
        parts.append(f"{s['routing']} routing")
    parts += [f"compute {s.get('compute')}", f"seed {s.get('seed')}"]
    return " | ".join(parts)


def counted(number: int | None, thing: str) -> str:
    """`1 node`, `2 nodes`."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}" if number is not None else thing


def _time_split(ranks: Sequence[Mapping[str, Any]], screen: Terminal) -> list[str]:
    split = shares(ranks)
    total = sum(v["mean"] for v in split.values()) or 1.0
    rows = []
    for share, value in split.items():
        if value["max"] == 0.0:
            continue
        part = value["mean"] / total
        spread = f"{show_time(value['min'])} .. {show_time(value['max'])}"
        rows.append(
            (
                f"  {share}",
                show_time(value["mean"]),
                show_percent(part),
                styled(bar(part).ljust(20), SHARE_STYLES[share]),
                spread,
                MEANING[share],
            )
        )
    return screen.columns(rows, "<>><><", header=False)


def _calls(
    calls: Sequence[Mapping[str, Any]], ranks: int, screen: Terminal, most: int = 10
) -> list[str]:
    total = sum(c.get("time_s", 0.0) for c in calls) or 1.0
    calls = [c for c in calls if not is_noise(c, ranks)]
    rows = [("By MPI call", "time/rank", "share", "calls", "bytes")]
    for c in calls[:most]:
        time = c.get("time_s", 0.0)
        rows.append(
            (
                f"  {c['function']}",
                show_time(time / ranks),
                show_percent(time / total),
                show_count(c.get("calls")),
                show_bytes(c.get("bytes")),
            )
        )
    if len(calls) > most:
        rest = calls[most:]
        time = sum(c.get("time_s", 0.0) for c in rest)
        rows.append(
            (
                f"  {counted(len(rest), 'other')}",
                show_time(time / ranks),
                show_percent(time / total),
                show_count(sum(c.get("calls") or 0 for c in rest)),
                show_bytes(sum(c.get("bytes") or 0 for c in rest)),
            )
        )
    return screen.columns(rows, "<>>>>")


def is_noise(call: Mapping[str, Any], ranks: int) -> bool:
    """Whether a row that every run has is empty: below 1 ns per rank."""
    name = call.get("function")
    return name in ("(between calls)", "MPI_Finalize") and call.get("time_s", 0.0) < 1e-9 * ranks


def interrupted(summary: Mapping[str, Any]) -> str:
    """The rows of a sweep before it was interrupted; empty if it was not."""
    wanted = summary.get("rows_wanted")
    if not summary.get("interrupted") or wanted is None:
        return ""
    return f"interrupted: {len(rows_of(summary.get('rows')))} of {wanted} rows"


def distance_name(row: Mapping[str, Any]) -> str:
    """The words for a row of the distance table."""
    word = str(row.get("distance", row.get("kind", "")))
    return DISTANCES.get(word, word)


def _distance(found: Sequence[Mapping[str, Any]], screen: Terminal) -> list[str]:
    total = sum(d.get("bytes") or 0 for d in found) or 1
    rows = [("By distance", "messages", "bytes", "share")]
    for d in found:
        rows.append(
            (
                f"  {distance_name(d)}",
                show_count(d.get("messages")),
                show_bytes(d.get("bytes")),
                show_percent((d.get("bytes") or 0) / total),
            )
        )
    return screen.columns(rows, "<>>>")


def _link_kinds(kinds: Sequence[Mapping[str, Any]], screen: Terminal) -> list[str]:
    rows = [("Links", "used", "of", "bytes", "mean utilization", "highest")]
    for k in kinds:
        rows.append(
            (
                f"  {str(k['kind']).replace('_', ' ')}",
                show_count(k.get("used")),
                show_count(k.get("links")),
                show_bytes(k.get("bytes")),
                show_percent(k.get("utilization_mean")),
                show_percent(k.get("utilization_max")),
            )
        )
    return screen.columns(rows, "<>>>>>")


def _links(links: Sequence[Mapping[str, Any]], screen: Terminal) -> list[str]:
    rows = [("Busiest links", "kind", "bytes", "packets", "busy", "utilization", "queue max")]
    for link in sorted(links, key=lambda r: -(r.get("busy_s") or 0.0))[:BUSIEST]:
        rows.append(
            (
                f"  {link.get('from')} -> {link.get('to')}",
                str(link.get("kind")),
                show_bytes(link.get("bytes")),
                show_count(link.get("packets")),
                show_time(link.get("busy_s")),
                show_percent(link.get("utilization")),
                show_bytes(link.get("queue_max")),
            )
        )
    return screen.columns(rows, "<<>>>>>")


def counters(summary: Mapping[str, Any]) -> list[str]:
    """NIC counters, and links by kind."""
    found = rows_of(summary.get("counters") or ())
    if not found:
        return ["Counters  none: sampled calls, and this fabric at this fidelity, have no counters"]
    rows: list[Sequence[str]] = [("Counter", "NICs", "total", "min", "mean", "max", "most at")]
    for c in found:
        counts = (f"{c[k]:,}" for k in ("nics", "total", "min"))
        where = c["max_nic"] or "-"
        rows.append((c["name"], *counts, f"{c['mean']:,.1f}", f"{c['max']:,}", where))
    screen = Terminal()
    lines = [*screen.columns(rows, "<>>>>><"), ""]
    rows = [("Links", "used", "of", "packets", "bytes", "utilization", "highest", "stalled")]
    rows[0] += ("busiest",)
    for k in rows_of(summary.get("link_kinds") or ()):
        rows.append(
            (
                str(k["kind"]).replace("_", " "),
                *(f"{k[n]:,}" for n in ("used", "links", "packets", "bytes")),
                show_percent(k["utilization_mean"]),
                show_percent(k["utilization_max"]),
                show_time(k["stalled_s"]),
                k["busiest"] or "-",
            )
        )
    return lines + screen.columns(rows, "<>>>>>>><")


# Limits by key: the users' term, with the unit if it is not a count.
LIMITS = {
    "tag": "tag",
    "match_entries": "match entries",
    "event_queue": "event queue",
    "rendezvous_sends": "rendezvous sends",
    "eager_buffers": "eager buffers, B",
    "regions": "registered memory",
    "portal_table": "portal table",
    "command_queues": "command queues",
    "communicators": "communicators",
    "memory": "memory of a node",
    "requests": "requests",
}


def _counted(limit: str, count: int) -> str:
    """An amount of a limited resource, with its unit."""
    return show_bytes(count) if limit == "memory" else f"{count:,}"


def limits(found: Mapping[str, Any]) -> list[str]:
    """The limits of which a run used more than a quarter."""
    rows: list[Sequence[str]] = [("Limit", "most used", "bound", "share", "at", "parameter")]
    for use in near(found):
        where = f"rank {use['rank']} on {use['node']}"
        name = use["limit"]
        counts = (_counted(name, use["used"]), _counted(name, use["bound"]))
        counts += (show_percent(use["share"]),)
        rows.append((f"  {LIMITS[use['limit']]}", *counts, where, use["parameter"]))
    near_any = len(rows) > 1
    if not near_any:
        return ["Limits   none within a factor of four"]
    return Terminal().columns(rows, "<>>><<")


def met(found: Mapping[str, Any]) -> list[str]:
    """The limits that a run reached, and their effects."""
    lines = [f"Limits   {crossed['message']}" for crossed in found["crossed"]]
    if found["flow_controls"]:
        lines.append(f"Limits   {counted(found['flow_controls'], 'time')} a NIC without match "
                     "entries stopped its senders (flow control)")  # fmt: skip
    if found["reduction_timeouts"]:
        lines.append(f"Limits   {counted(found['reduction_timeouts'], 'reduction')} in switches "
                     "did not wait for the last rank (FI_CXI_COLL_TIMEOUT_USEC)")  # fmt: skip
    if found["software_ranks"] and found["match_mode"] == "hybrid":
        lines.append(f"Limits   {counted(found['software_ranks'], 'rank')} fell back from "
                     "matching in the NIC to matching in software")  # fmt: skip
    return lines


def limit_name(limit: str) -> str:
    """A limit in words; the key of an unknown limit."""
    return LIMITS.get(limit, limit)


def preflight(rows: Sequence[Mapping[str, Any]], runs: Sequence[Mapping[str, Any]]) -> str:
    """The node count at which each limit is reached, from the trend of the runs."""
    run, sizes = runs[0], sorted(run["nodes"] for run in runs)
    shown = ", ".join(f"{n:,}" for n in sizes)
    lines = [
        f"Preflight on {escaped(run['machine'])} with {run['mpi']}, "
        f"{counted(run['ppn'], 'rank')} per node, from runs on {shown} nodes"
    ]
    table: list[Sequence[str]] = [
        ("Limit", *(f"on {n:,}" for n in sizes), "bound", "grows as", "met at")
    ]
    doubts = []
    for row in rows:
        name, hit, law = limit_name(row["limit"]), row["hit_nodes"], "-"
        where = "not met" if hit is None else f"{hit:,} nodes"
        if row["exponent"] is not None:
            law = f"nodes^{row['exponent']:.2f}"
            if row["limit"] == "memory" and row["fixed"] > 0.01 * row["used"][0]:
                law = f"{show_bytes(row['fixed'])} + {law}"
            if row["off"] > 0.1:
                off = show_percent(row["off"])
                doubts.append(f"{name}: the trend misses a run by {off}; it is unreliable")
        elif hit is None and max(row["used"]) > row["fixed"]:
            where = "unknown"
            doubts.append(f"{name}: unused in some runs, so no trend can be fitted")
        counts = [_counted(row["limit"], count) for count in (*row["used"], row["bound"])]
        table.append((f"  {name}", *counts, law, where))
    names = [{use["limit"] for use in run["limits"]["uses"]} for run in runs]
    for limit in sorted(set.union(*names) - set.intersection(*names)):
        doubts.append(f"{limit_name(limit)}: not counted in every run")
    sides = "<" + ">" * (len(sizes) + 3)
    shown = Terminal(sys.stdout).columns(table, sides) if rows else ["nothing was limited"]
    lines += shown
    lines += doubts
    for row in rows[:1]:
        if row["hit_nodes"]:
            lines.append(f"First, {limit_name(row['limit'])}: {row['cure']}.")
    return "\n".join(lines)


def nonzero_exits(found: Mapping[str, Any], of: int) -> str:
    """The message about ranks that ended with a nonzero status; `of` is the number of ranks."""
    n, rank, status = found["ranks"], found["first"], found["status"]
    if n == 1:
        return f"rank {rank} ended with exit status {status}"
    return f"{n} of {of} ranks ended with an exit status other than 0: rank {rank} with {status}"


def failure(found: Mapping[str, Any], to: TextIO | None = None, most: int = 8) -> str:
    """The reason why the simulated job ended early, with rank, node and call."""
    screen = Terminal(to)
    kind = str(found.get("kind", "failure")).replace("_", " ")
    message = str(found.get("message") or kind)
    head = message if kind in message else f"{kind}: {message}"
    lines = [screen.bold(f"odonata: {printable(head, LONGEST)}")]
    # The detail of a single rank often equals the message.
    ranks = [r for r in found.get("ranks") or [] if r.get("detail") != message]
    for r in ranks[:most]:
        detail = f": {r['detail']}" if r.get("detail") else ""
        call = f" in {r['call']}" if r.get("call") else ""
        line = f"rank {r.get('rank')} on {r.get('node')}{call}{detail}"
        lines.append(f"  {printable(line, LONGEST)}")
    if len(ranks) > most:
        lines.append(f"  and {len(ranks) - most} more ranks")
    return "\n".join(lines)
