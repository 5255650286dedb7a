"""The command line. What each command and option is called is a promise to people's scripts.

Exit codes: 0 ran, 1 the simulated job failed or results could not be written, 2 the input is
wrong, 70 a bug of ours, and the program's own for `run`. Results go to stdout, words about them
to stderr.

Complaints are made in the names of the Python API and of the core; `spelled` puts all of them
into the command line's words, in one place.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import sys
import traceback
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

import click

from . import __version__, bench, beside, clocks, door, faults, launch, machines, patterns, tables
from . import preflight, records, replaying, text, together, tuning, units
from .checks import Checks
from .errors import Complaint, InputError, SimulatedFailure, nearest
from .machines import Job, Machine
from .options import BESIDE, BUFFERS, CLASS, COMMON, LIMITS, MACHINE, NICS, PLAIN, PREFLIGHT
from .options import ROUTING, RULES, fidelity, option, with_options
from .progress import Progress
from .spelling import spelled
from .sweeps.command import command as sweeping

INTERRUPTED = 130
OURS = 70

SIZES_WANTED = "sizes in bytes: a doubling range `1:4Mi`, a list `8,1Ki,1Mi`, or one size"
LOADS_WANTED = "loads above 0 and at most 1: `0.3`, `0.1,0.5`, or FIRST:LAST:STEP"
NO_CALLS = (
    "no rank called MPI: nothing was predicted. The program does not use MPI, or is linked "
    "statically, or loads another MPI library than odonata's (its own rpath comes first)"
)
SPAN_WANTED = "a span of simulated time with its unit, such as `100us`"


class Command(click.Command):
    """A subcommand, whose complaints are in the command line's words."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # Whoever read our stdout has left (`| head`) and wants no more; click would fail.
            silence(1)
            return 0
        except InputError as error:
            typed = {opt: ctx.params.get(p.name or "") for p in self.params for opt in p.opts}
            found = [spelled(c, self.name or "", typed) for c in error.complaints]
            raise InputError(found) from None


class Commands(click.Group):
    """Subcommands in the order people meet them."""

    command_class = Command

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="odonata %(version)s")
def cli() -> None:
    """Predict how MPI programs run on dragonfly supercomputers.

    Start with `odonata machines`, then
    `odonata run -n 16 --ppn 8 --machine aurora -- python app.py`.
    """


@cli.command("machines")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def machines_command(as_json: bool) -> None:
    """List the preset machines."""
    rows = [{**Machine(name).summary, "name": name} for name in machines.presets()]
    for row in rows:
        row.setdefault("source", Machine(row["name"]).told("source"))
    if as_json:
        print(json.dumps({"machines": rows}))
    else:
        print(text.machines(rows))


@cli.command()
@click.argument("machine", required=False)
@with_options(MACHINE[1], ROUTING)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
@click.option("--toml", "as_toml", is_flag=True, help="Print the machine file, to start from.")
def show(
    machine: str | None,
    changes: tuple[str, ...],
    routing: str | None,
    as_json: bool,
    as_toml: bool,
) -> None:
    """Show MACHINE resolved: counts, bandwidths, latencies."""
    wrong = Checks()
    found = wrong.machine(machine, changes, routing)
    machines.check_names(wrong, found, "packet", "mpich")
    if as_json and as_toml:
        wrong.add("--toml", "--json --toml", "one of the two")
    wrong.finish(found)
    assert found is not None, "complained of above"
    if as_toml:
        sys.stdout.write(found.source)
        return
    summary = found.summary
    if as_json:
        print(json.dumps(summary))
    else:
        routed = found.routing or found.told("routing")
        print(text.show(summary, found.told("source"), routed))


@cli.command("faults")
@click.argument("machine", required=False)
@click.argument("plan", required=False, metavar="PLAN")
@with_options(MACHINE[1])
def faults_command(machine: str | None, plan: str | None, changes: tuple[str, ...]) -> None:
    """Print a plan of faults for MACHINE as TOML: `random:SEED:N` to edit, or a file, checked.

    odonata faults aurora random:7:20 > plan.toml
    """
    wrong = Checks()
    found = wrong.machine(machine, changes, None)
    broken = faults.plan(wrong, plan or "")
    machines.check_names(wrong, found, "packet", "mpich")
    wrong.finish(found)
    assert found is not None, "complained of above"
    sys.stdout.write(door.ask("faults", replace(found, faults=broken).request()))


class Request:
    """The common options, checked; `finish` raises every complaint there is."""

    def __init__(self, given: dict[str, Any]):
        self.wrong = Checks()
        self.quiet, self.as_json = given["quiet"], given["as_json"]
        self.fidelity, self.mpi = given["fidelity"], given["mpi"]
        changes = list(given["changes"])
        if given["congestion"] is not None:
            # Short for a key of the machine file, as --routing is.
            if self.wrong.word("congestion", given["congestion"], ("on", "off"), "one of"):
                changes.append(f"congestion.management={given['congestion']}")
        found = self.wrong.machine(given["machine"], changes, given["routing"])
        broken = faults.plan(self.wrong, given["faults"])
        if found is not None and broken is not None:
            found = replace(found, faults=broken)
        self.machine = found or Machine("")
        self._found = found
        machines.check_names(self.wrong, found, self.fidelity, self.mpi)
        self.placement = self.wrong.placement(given["placement"])
        self.seed = self.wrong.integer("seed", given["seed"], 1, 0, 2**63 - 1)
        self.threads = self.wrong.integer("threads", given["threads"], 1)
        self.background = beside.background(self.wrong, list(given.get("background", ())))
        self.noise = given.get("noise")
        self.traffic_class = given["traffic_class"]
        self.limits = given.get("limits", "fail")
        machines.check_limits(self.wrong, self.limits)
        beside.noise(self.wrong, self.noise)
        self.coll_rules = None
        self.nic_policy = given.get("nic_policy")
        machines.check_nic_policy(self.wrong, self.nic_policy)
        self.out = None
        if given["out"] is not None:
            self.out = tables.check_out(self.wrong, given["out"], given["force"])
        elif given["force"]:
            self.wrong.add("--force", "--force", "--out DIR with it")

    def use_rules(self, path: str | None) -> None:
        """A file that says which algorithms collectives use."""
        machines.rules_request(self.wrong, path)
        self.coll_rules = path

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
        )

    def deliver(
        self, summary: dict[str, Any], data: dict[str, Any], stdout: TextIO | None = None
    ) -> None:
        """Write what was asked for: the directory, and the object on stdout."""
        summary["command"] = command_line()
        if self.out is not None:
            tables.put(self.out, summary, data)
            self.note(f"wrote {os.path.relpath(self.out)}")
        if self.as_json:
            print(json.dumps(summary), file=stdout or sys.stdout, flush=True)

    def note(self, words: str) -> None:
        if not self.quiet:
            say(f"odonata: {words}")

    def tell_notes(self, summary: dict[str, Any]) -> None:
        """What was asked of the library that is not followed."""
        for words in summary.get("notes", ()):
            self.note(words)

    def tell_limits(self, summary: dict[str, Any], preflight: bool, failed: bool = False) -> None:
        """What became of limits, unless a failure told it; with `preflight` also those near."""
        found = summary.get("limits")
        lines = text.limits(found) if found and preflight else []
        if found and not failed and (preflight or not self.quiet):
            lines += text.met(found)
        if lines:
            say("\n".join(lines))


def say(words: str) -> None:
    """Words for people, on stderr; nothing is lost with them if nobody can read them."""
    try:
        print(words, file=sys.stderr, flush=True)
    except OSError:
        silence(2)


def silence(number: int) -> None:
    """Point a stream that cannot be written at nothing, so that Python's last flush succeeds."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, number)
    os.close(nothing)


def given_by_hand(name: str) -> bool:
    """Whether an option with a default was on the command line."""
    source = click.get_current_context().get_parameter_source(name)
    return source is click.core.ParameterSource.COMMANDLINE


def command_line() -> str:
    """What was typed, for the report."""
    return shlex.join(["odonata", *sys.argv[1:]])


@cli.command("run", context_settings={"allow_interspersed_args": False})
@option("-n", "-np", "ranks", metavar="RANKS", help="Number of ranks.")
@option(
    "--ppn",
    "-ppn",
    "--ntasks-per-node",
    "ppn",
    metavar="P",
    help="Ranks per node.  [default: 1, or what the host file says]",
)
@option(
    "--hostfile",
    metavar="FILE",
    help="Nodes in order, a line each: `aurora-00005` or `5`, with `:SLOTS` or ` slots=N`.",
)
@option("--env", metavar="K=V", multiple=True, help="Set a variable for the ranks.")
@option("--wdir", metavar="DIR", help="Directory the ranks start in.")
@click.option("-l", "label", is_flag=True, help="Label output with ranks.")
@option(
    "--warm",
    metavar="MODULES",
    default="auto",
    show_default=True,
    help="Python ranks are forked from one interpreter that has imported what the script imports "
    "(auto), these modules too (`h5py,yaml`), or not at all (none).",
)
@option(
    "--compute",
    metavar="HOW",
    default="measured",
    show_default=True,
    help="What the time between MPI calls costs: measured (a thread's CPU time), none, or a "
    "factor of measured, such as 0.5 for cores twice as fast.",
)
@option(
    "--clock",
    metavar="HOW",
    default="virtual",
    show_default=True,
    help="Clocks and sleeps of the program: virtual (simulated time) or real.",
)
@option(
    "--epoch",
    metavar="DATE",
    default=clocks.EPOCH,
    show_default=True,
    help="What the virtual clock shows first, UTC: `2026-01-01T12:30:00`, or `now`.",
)
@option(
    "--jobs",
    metavar="FILE",
    help="Several jobs side by side instead of PROGRAM: a TOML file with a `[[job]]` table each, "
    "`program` or `bench`, `ranks`, `ppn`, `placement`. Each also runs alone, and the slowdown is "
    "told (docs/models/jobs.md).",
)
@click.option(
    "--alone/--no-alone",
    default=True,
    show_default=True,
    help="With --jobs: run each job alone as well.",
)
@option(
    "--record",
    metavar="FILE",
    help="Write down what the ranks do, computation included, for `odonata replay FILE` "
    "(docs/recording.md).",
)
@with_options(RULES, LIMITS, PREFLIGHT, NICS, *BESIDE, *COMMON)
@click.argument("program", nargs=-1, type=click.UNPROCESSED, metavar="-- PROGRAM ARGS...")
def run_command(program: tuple[str, ...], **given: Any) -> int:
    """Run an unmodified MPI program with its ranks on the simulated machine."""
    asked = Request(given)
    wrong = asked.wrong
    if given["jobs"] is not None:
        return run_jobs(asked, program, given)
    ranks = wrong.integer("ranks", given["ranks"], None)
    by_hosts = given["hostfile"] is not None and given["ppn"] is None
    ppn = None if by_hosts else wrong.integer("ppn", given["ppn"], 1)
    compute = launch.compute_of(wrong, given["compute"])
    env = wrong.environment(given["env"])
    environment = launch.environment_of(env)
    wdir = os.getcwd() if given["wdir"] is None else given["wdir"]
    clocks.variables(wrong, given["clock"], given["epoch"], environment)
    mine = launch.listened(environment, asked.mpi)
    asked.use_rules(given["coll_rules"] or launch.rules_file(mine, wdir))
    launch.check_program(wrong, list(program), wdir, environment)
    launch.check_warm(wrong, given["warm"])
    records.check_target(wrong, given["record"])
    wdir = os.path.abspath(wdir)
    if given["hostfile"] is not None:
        launch.read_hostfile(wrong, given["hostfile"])
        if given_by_hand("placement"):
            launch.refuse_both(wrong, given["placement"])
    asked.finish()
    job = asked.job(-(-ranks // (ppn or 1)), ppn, ranks)
    for words in launch.unheard([environment], asked.mpi, asked.machine.told("fabric")):
        asked.note(words)
    stop = door.Stop()
    with stdout_for_json(asked.as_json) as stdout, Progress("run", asked.quiet) as tick:
        result = launch.run(
            job,
            list(program),
            fidelity=asked.fidelity,
            compute=compute,
            clock=given["clock"],
            epoch=given["epoch"],
            env=env,
            wdir=wdir,
            hostfile=given["hostfile"],
            label=given["label"],
            warm=given["warm"],
            record=given["record"],
            check=False,
            tick=tick,
            stop=stop,
        )
        tick.wipe()
        code = 128 + stop.signal if stop.signal else result.exit_code
        result.summary["exit_code"] = code
        if result.failure:
            say(text.failure(result.failure))
        if not asked.quiet:
            say(text.run(result.summary, result.data))
        asked.tell_limits(result.summary, given["preflight"], bool(result.failure))
        unfit = (result.summary.get("start") or {}).get("unfit")
        if unfit:
            asked.note(f"every rank started an interpreter of its own: {unfit}")
        if not result.summary.get("mpi_calls") and code == 0:
            asked.note(NO_CALLS)
        asked.tell_notes(result.summary)
        record = result.summary.get("record") or {}
        lost = record.get("refused") or record.get("unwritten")
        if record and (lost or not asked.quiet):
            say(f"odonata: {records.said(record)}")
        asked.deliver(result.summary, result.data, stdout)
    return code or int(bool(record.get("unwritten")))


def run_jobs(asked: Request, program: tuple[str, ...], given: dict[str, Any]) -> int:
    """`odonata run --jobs FILE`."""
    wrong = asked.wrong
    if program:
        wrong.add("program", shlex.join(program), "no program beside --jobs, whose file has them")
    in_file = {"ranks": "-n", "hostfile": "--hostfile", "wdir": "--wdir"}
    in_file |= {"ppn": "--ppn", "placement": "--placement", "compute": "--compute", "env": "--env"}
    in_file |= {"traffic_class": "--class"}
    asked.use_rules(given["coll_rules"])
    if given["record"] is not None:
        wrong.add("record", given["record"], "no record: of several jobs there is none")
    for name, typed in in_file.items():
        if given_by_hand(name):
            wrong.add(typed, str(given[name]), "a key of each job in the file of --jobs")
    for name in ("clock", "epoch", "warm"):
        if given_by_hand(name):
            wrong.add(f"--{name}", given[name], "its default, which programs of --jobs have")
    file = together.read_file(wrong, given["jobs"])
    for i, entry in enumerate(file.get("job", ()), 1):
        together.entry(wrong, entry, i, False)
    if file.get("noise") is not None and asked.noise is not None:
        wrong.add("noise", asked.noise, "--noise or `noise` in the file, not both")
    asked.finish()
    programs = [job for job in file["job"] if job.get("program") is not None]
    environments = [launch.environment_of(job.get("env") or {}) for job in programs]
    fabric = asked.machine.told("fabric")
    for words in launch.unheard(environments, asked.mpi, fabric, False):
        asked.note(words)
    stop = door.Stop()
    with stdout_for_json(asked.as_json) as stdout, Progress("jobs", asked.quiet) as tick:
        result = together.jobs(
            asked.machine,
            file["job"],
            background=[*asked.background, *file.get("background", ())],
            noise=asked.noise if asked.noise is not None else file.get("noise"),
            warmup_s=file.get("warmup"),
            alone=given["alone"],
            fidelity=asked.fidelity,
            mpi=asked.mpi,
            seed=asked.seed,
            limits=asked.limits,
            coll_rules=asked.coll_rules,
            label=given["label"],
            check=False,
            tick=tick,
            stop=stop,
        )
        tick.wipe()
        code = 128 + stop.signal if stop.signal else result.exit_code
        result.summary["exit_code"] = code
        for row in result.rows:
            if row["failure"]:
                say(text.failure({**row["failure"], "message": f"job {row['name']}: "
                                  f"{row['failure']['message']}"}))  # fmt: skip
        if not asked.quiet:
            say(text.jobs(result.summary))
        asked.tell_notes(result.summary)
        failed = any(row["failure"] for row in result.rows)
        asked.tell_limits(result.summary, given["preflight"], failed)
        asked.deliver(result.summary, result.data, stdout)
    return code


@contextlib.contextmanager
def stdout_for_json(wanted: bool) -> Iterator[TextIO]:
    """With `--json`, stdout is the object's alone: what the ranks print goes to stderr."""
    if not wanted:
        yield sys.stdout
        return
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        with os.fdopen(os.dup(kept), "w") as stdout:
            yield stdout
    finally:
        os.dup2(kept, 1)
        os.close(kept)


@cli.command("bench")
@click.argument("name", required=False)
@option("--nodes", metavar="N", help="Nodes of the job.  [default: 2]")
@option("--ppn", "-ppn", metavar="P", help="Ranks per node.  [default: 1]")
@option("--sizes", metavar="SIZES", help="Bytes: `1:4Mi` doubles, `8,1Ki` lists.")
@option(
    "--messages",
    metavar="N",
    help="With --fidelity loggp, most messages that are simulated of one call of a collective; "
    "with flow a tenth as many. Of a longer one some rounds are, by some ranks, where they stand "
    "for all.  [default: 2000000]",
)
@click.option(
    "--error-bars",
    is_flag=True,
    help="With --fidelity loggp or flow, how far off a collective's times may be: it is run on "
    "fewer nodes too, there by packets as well.",
)
@option(
    "--twin-packets",
    metavar="N",
    help="Most packets that such a smaller twin sends.  [default: 500000]",
)
@with_options(BUFFERS, RULES, LIMITS, PREFLIGHT, NICS, *BESIDE, *COMMON)
def bench_command(name: str | None, **given: Any) -> int:
    """Run a built-in benchmark and print the OSU 7 text format.

    NAME: latency, bw, bibw, mbw_mr, multi_lat, put_latency, get_latency, put_bw, put_bibw, get_bw,
    put_alltoall, allreduce, allgather, allgatherv, alltoall, alltoallv, bcast, reduce,
    reduce_scatter, barrier, gather, scatter, scan, exscan.
    """
    asked = Request(given)
    asked.use_rules(given["coll_rules"])
    wrong = asked.wrong
    known = wrong.word("benchmark", name or "nothing", bench.NAMES, "a benchmark")
    nodes = wrong.integer("nodes", given["nodes"], 2)
    ppn = wrong.integer("ppn", given["ppn"], 1)
    sizes = None
    if given["sizes"] is not None:
        sizes = wrong.read("sizes", given["sizes"], units.read_sizes, SIZES_WANTED, None)
    messages = wrong.integer("messages", given["messages"], bench.MESSAGES)
    packets = wrong.integer("twin_packets", given["twin_packets"], bench.TWIN_PACKETS)
    if known and nodes * ppn < bench.KINDS[name].least_ranks:
        wrong.add("nodes", nodes, f"at least {bench.KINDS[name].least_ranks} ranks for {name}")
    wrong.word("buffers", given["buffers"], bench.BUFFERS, "one of")
    asked.finish()
    unheard = launch.knobs(os.environ)
    if unheard:
        asked.note(f"set, but built-in benchmarks do not listen: {', '.join(unheard)}")
    stop = door.Stop()
    with Progress(name, asked.quiet) as tick:
        job = asked.job(nodes, ppn)
        result = bench.run(
            name, job, sizes, asked.fidelity, messages,
            buffers=given["buffers"], error_bars=given["error_bars"], twin_packets=packets,
            tick=tick, stop=stop,
        )  # fmt: skip
    asked.tell_notes(result.summary)
    asked.tell_limits(result.summary, given["preflight"])
    if not asked.as_json:
        print(text.osu(result))
    asked.deliver(result.summary, result.data)
    return stopped(stop, result.summary)


@cli.command("tune")
@click.argument("collective", required=False)
@option("--nodes", metavar="LIST", help="Numbers of nodes: `32,512,2048`.")
@option("--ppn", "-ppn", metavar="P", help="Ranks per node.  [default: 1]")
@option("--sizes", metavar="SIZES", help="Bytes: `8:1Mi` doubles, `8,1Ki` lists.  [default: 8:1Mi]")
@option(
    "--messages",
    metavar="N",
    help="Most messages that are simulated of one call; with --fidelity flow a tenth as many. "
    "Of a longer one some rounds are, by some ranks, where they stand for all (`~`, and the "
    "error); else it is left out.  [default: 2000000]",
)
@click.option("--all", "whole", is_flag=True, help="Print the time of every algorithm as well.")
@with_options(RULES, *MACHINE, CLASS, fidelity("loggp"), *PLAIN)
def tune_command(collective: str | None, **given: Any) -> int:
    """Try every algorithm of COLLECTIVE and print which is fastest, beside the library's choice.

    COLLECTIVE: bcast, reduce, allreduce, allgather, allgatherv, alltoall, alltoallv, gather,
    scatter, reduce_scatter, reduce_scatter_block. With --out, DIR/mpich.json and DIR/openmpi.conf
    carry the choice to MPICH and Open MPI (docs/tuning.md).
    """
    asked = Request(given)
    asked.use_rules(given["coll_rules"])
    wrong = asked.wrong
    known = wrong.word("collective", collective or "nothing", tuning.COLLECTIVES, "a collective")
    nodes = wrong.read("nodes", given["nodes"] or "", tuning.read_counts, tuning.NODES_WANTED, [2])
    ppn = wrong.integer("ppn", given["ppn"], 1)
    sizes = wrong.read("sizes", given["sizes"] or tuning.SIZES, units.read_sizes, SIZES_WANTED, [8])
    messages = wrong.integer("messages", given["messages"], bench.MESSAGES)
    if known and min(nodes) * ppn < 2:
        wrong.add("nodes", min(nodes), "at least 2 ranks")
    asked.finish()
    stop = door.Stop()
    with Progress(f"tune {collective}", asked.quiet) as tick:
        jobs = [asked.job(n, ppn) for n in nodes]
        result = tuning.run(collective, jobs, sizes, asked.fidelity, messages, tick, stop)
    asked.tell_notes(result.summary)
    if not asked.as_json:
        print(tuning.shown(result, given["whole"]))
    events, wall = (result.summary[key] for key in ("events", "wall_s"))
    asked.note(f"{units.show_count(events)} events in {units.show_time(wall)}")
    asked.deliver(result.summary, result.data)
    if asked.out is not None:
        result.write_files(asked.out)
    return stopped(stop, result.summary)


def stopped(stop: door.Stop, summary: dict[str, Any]) -> int:
    """The exit code of a sweep; what it lacks is said even with `--quiet`."""
    if not stop.signal:
        return 0
    sys.stdout.flush()
    say(f"odonata: {text.interrupted(summary) or 'interrupted'}")
    return 128 + stop.signal


@cli.command("traffic")
@click.argument("pattern", required=False)
@option("--load", metavar="LOADS", help="Offered load: `0.3`, `0.1,0.5` or `0.1:0.9:0.1`.")
@option("--packet", metavar="BYTES", help="Payload of a packet.  [default: 2Ki]")
@option("--time", metavar="SPAN", help="Simulated span measured.  [default: 40us]")
@option("--warmup", metavar="SPAN", help="Simulated span before it.  [default: 20us]")
@option(
    "--slices",
    metavar="N",
    help="Cut the measured span into N parts and print a row each: what a fault does, over time.",
)
@click.option(
    "--ordered",
    is_flag=True,
    help="Packets between two NICs arrive as they were sent, on switches that keep flows.",
)
@option(
    "--nodes",
    metavar="N",
    help="Between so many nodes, placed by --placement.  [default: all compute nodes]",
)
@click.option(
    "--alone/--no-alone",
    default=True,
    show_default=True,
    help="With --background, run the same without it too, and show by how much it slows.",
)
@with_options(BESIDE[0], *COMMON)
def traffic_command(pattern: str | None, **given: Any) -> int:
    """Offer synthetic traffic and see how much is accepted.

    PATTERN: uniform, adversarial:K (to the group K further on), group-shift:K, shift:K, hotspot:K,
    incast:K, random-permutation, worst-permutation, all-to-all.
    """
    asked = Request(given)
    wrong = asked.wrong
    patterns.check_pattern(wrong, pattern or "nothing")
    loads: list[float] = []
    if given["load"] is None:
        wrong.add("loads", "nothing", LOADS_WANTED)
    else:
        loads = wrong.read("loads", given["load"], units.read_loads, LOADS_WANTED, [])
    packet, time, warmup = patterns.PACKET_BYTES, patterns.TIME_S, patterns.WARMUP_S
    if given["packet"] is not None:
        packet = wrong.read(
            "packet_bytes", given["packet"], units.read_bytes, "a size in bytes", packet
        )
    if given["time"] is not None:
        time = wrong.read("time_s", given["time"], units.read_span, SPAN_WANTED, time)
    if given["warmup"] is not None:
        warmup = wrong.read("warmup_s", given["warmup"], units.read_span, SPAN_WANTED, warmup)
    slices = wrong.integer("slices", given["slices"], 0, 0)
    nodes = None if given["nodes"] is None else wrong.integer("nodes", given["nodes"], None)
    if nodes is not None and not isinstance(asked.placement, str):
        wrong.add("placement", given["placement"], "a placement by name: traffic has no ranks")
    if asked.background and nodes is None:
        wrong.add("nodes", "nothing", "nodes for the traffic that is measured beside a background")
    if packet < 1:
        wrong.add("packet_bytes", given["packet"], "at least 1 byte")
    if time <= 0:
        wrong.add("time_s", given["time"], "a span above 0")
    asked.finish()
    deaf = ["mpi"] if given["nodes"] is not None else ["placement", "mpi"]
    unheard = [f"--{name}" for name in deaf if given_by_hand(name)]
    if unheard:
        asked.note(f"changes nothing in synthetic traffic: {', '.join(unheard)}")
    stop = door.Stop()
    with Progress(f"traffic {pattern}", asked.quiet) as tick:
        result = patterns.traffic(
            pattern,
            asked.machine,
            loads=loads,
            packet_bytes=packet,
            time_s=time,
            warmup_s=warmup,
            fidelity=asked.fidelity,
            seed=asked.seed,
            threads=asked.threads,
            nodes=nodes,
            placement=asked.placement if isinstance(asked.placement, str) else "contiguous",
            background=asked.background,
            slices=slices,
            ordered=given["ordered"],
            alone=given["alone"],
            traffic_class=asked.traffic_class,
            tick=tick,
            stop=stop,
        )
    if not asked.as_json:
        print(text.traffic(result))
    asked.deliver(result.summary, result.data)
    return stopped(stop, result.summary)


@cli.command("validate")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@option("--fidelity", metavar="NAME", help="packet, flow or loggp.  [default: packet]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
@click.option("--quiet", is_flag=True, help="No progress line.")
def validate_command(
    ids: tuple[str, ...], fidelity: str | None, as_json: bool, quiet: bool
) -> int:
    """Predict what others measured, and show how far off that is.

    ID: a published curve, all of them if none is named. The exit code is 1 if one of them is off by
    more than it may be: 5 % on the mean of its points, 15 % at worst, 10 % if it is one number.
    """
    from . import published

    wrong = Checks()
    chosen = fidelity or "packet"
    machines.check_names(wrong, None, chosen, "mpich")
    curves = published.chosen(wrong, ids)
    wrong.finish()
    found, rows, stop = [], [], door.Stop()
    for nth, curve in enumerate(curves, 1):
        with Progress(f"validate {curve.id}, {nth} of {len(curves)}", quiet) as tick:
            of_curve = published.predict(curve, chosen, tick=tick, stop=stop)
        if stop.signal:
            break
        rows += of_curve
        found.append(published.verdict(of_curve))
        if not as_json:
            print(text.published(of_curve, found[-1]), end="\n\n", flush=True)
    if as_json:
        bounds = {"mean": published.MEAN, "worst": published.WORST, "single": published.SINGLE}
        print(json.dumps({"bounds": bounds, "curves": found, "rows": rows}))
    elif found:
        print(text.verdicts(found, published.MEAN, published.WORST, published.SINGLE))
    summary = {"rows": found, "rows_wanted": len(curves), "interrupted": bool(stop.signal)}
    return stopped(stop, summary) or int(not all(v["passes"] for v in found))


@cli.command("report")
@click.argument("rundir", required=False)
@option("-o", "--output", metavar="FILE", help="Where to write.  [default: RUNDIR/report.html]")
@click.option(
    "--published/--no-published",
    default=True,
    show_default=True,
    help="Predict published latencies again and show them side by side.",
)
@click.option("--force", is_flag=True, help="Replace FILE even if it is no report.")
@click.option("--quiet", is_flag=True, help="Do not say where it was written.")
def report_command(
    rundir: str | None, output: str | None, published: bool, force: bool, quiet: bool
) -> None:
    """Write one self-contained HTML file about the results in RUNDIR (from `--out`)."""
    from . import report

    wrong = Checks()
    path = Path(rundir or "nothing")
    if not rundir or not tables.is_ours(path):
        wrong.add("rundir", path, "a directory written by `odonata run --out`")
    if output is not None or not wrong.list:
        target = path / "report.html" if output is None else output
        report.check_target(wrong, target, force)
    wrong.finish()
    page = report.of_directory(path, published)
    Path(target).write_text(page, encoding="utf-8")
    if not quiet:
        say(f"odonata: wrote {target}")


cli.command("preflight")(preflight.command)
cli.command("replay")(replaying.command)
cli.command("sweep")(sweeping)


def usage_complaint(error: click.UsageError) -> Complaint:
    """click's complaint in our form."""
    at = "command line"
    if isinstance(error, click.NoSuchOption):
        legal = [o for p in (error.ctx.command.params if error.ctx else []) for o in p.opts]
        near = nearest(error.option_name, legal)
        hint = f"did you mean `{near}`?" if near else None
        where = error.ctx.command_path if error.ctx else "odonata"
        return Complaint(at, error.option_name, f"an option of `{where}`", hint)
    word = error.format_message().rstrip(".")
    if word.startswith("No such command"):
        found = word.split("'")[1] if "'" in word else word
        near = nearest(found, cli.commands)
        hint = f"did you mean `{near}`?" if near else None
        return Complaint("command", found, f"one of {', '.join(cli.commands)}", hint)
    return Complaint(at, word, "see `odonata --help`")


def main(arguments: list[str] | None = None) -> None:
    """The `odonata` command; leaves with the exit code."""
    mend_streams()
    sys.exit(code_of(arguments))


def mend_streams() -> None:
    """Streams that are closed fail like a full disk, and letters they lack become `?`."""
    for number, mode in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:  # the lowest free number is this one; nothing can be written to it
            os.open(os.devnull, mode)
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115 - the process's own
    sys.stderr = sys.stderr or open(2, "w", closefd=False)  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def code_of(arguments: list[str] | None) -> int:
    """Run a command line; its exit code, with whatever went wrong said on stderr."""
    try:
        result = cli.main(arguments, prog_name="odonata", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except InputError as error:
        say(text.complaints(error.complaints))
        return 2
    except click.exceptions.NoArgsIsHelpError as error:
        say(error.format_message())
        return 2
    except click.UsageError as error:
        say(text.complaints([usage_complaint(error)]))
        return 2
    except SimulatedFailure as error:
        said = {"kind": error.kind, "message": str(error), "ranks": error.ranks}
        say(text.failure(said))
        return 1
    except BrokenPipeError:  # while the last of it was flushed
        silence(1)
        return 0
    except OSError as error:  # a full disk, a closed stdout: the machine's trouble, not a bug
        where = f" `{error.filename}`" if error.filename else ""
        silence(1)
        say(f"odonata: cannot write{where}: {machines.why(error)}")
        return 1
    except (KeyboardInterrupt, click.Abort):
        say("odonata: interrupted")
        return INTERRUPTED
    except SystemExit:
        raise
    except BaseException:  # a panic of the core is no Exception
        say(traceback.format_exc().rstrip())
        say(f"odonata {__version__}: this is a bug of odonata, not of your input")
        return OURS
