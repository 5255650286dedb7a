"""The command line. What each command and option is called is a promise to people's scripts.

Exit codes: 0 ran, 1 the simulated job failed, 2 the input is wrong, 70 a bug of ours, and the
program's own for `run`. Results go to stdout, words about them to stderr.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import shlex
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

import click

from . import __version__, bench, door, launch, machines, patterns, tables, text, units
from .checks import Checks
from .errors import Complaint, InputError, SimulatedFailure, nearest
from .machines import Job, Machine
from .progress import Progress

INTERRUPTED = 130
OURS = 70

SIZES_WANTED = "sizes in bytes: a doubling range `1:4Mi`, a list `8,1Ki,1Mi`, or one size"
LOADS_WANTED = "loads above 0 and at most 1: `0.3`, `0.1,0.5`, or FIRST:LAST:STEP"
SPAN_WANTED = "a span of simulated time with its unit, such as `100us`"


def option(*names: str, help: str, **more: Any) -> Callable:
    """An option whose value stays text; see `checks`."""
    return click.option(*names, help=help, type=str, **more)


MACHINE = (
    option("--machine", metavar="NAME|FILE", help="A preset (`odonata machines`) or NAME.toml."),
    option(
        "--set",
        "changes",
        metavar="KEY=VALUE",
        multiple=True,
        help="Change a key of the machine file, dotted; may be given again.",
    ),
)
ROUTING = option("--routing", metavar="NAME", help="minimal, valiant or ugal (adaptive is ugal).")
COMMON = (
    *MACHINE,
    option(
        "--fidelity",
        metavar="NAME",
        default="packet",
        show_default=True,
        help="packet (every packet) or loggp (closed form, no contention).",
    ),
    ROUTING,
    option(
        "--placement",
        metavar="NAME|FILE",
        default="contiguous",
        show_default=True,
        help="contiguous, round-robin, random, group-spread, or a file with NODE[:RANKS] lines.",
    ),
    option(
        "--mpi",
        metavar="NAME|FILE",
        default="mpich",
        show_default=True,
        help="Whose protocols and algorithms to follow: a library, or a profile (FILE.toml).",
    ),
    option("--seed", metavar="N", help="Seed of every random draw.  [default: 1]"),
    option("--threads", metavar="N", help="Threads of the simulator; results never depend on it."),
    option("--out", metavar="DIR", help="Write tables as Parquet and summary.json to DIR."),
    click.option("--force", is_flag=True, help="Let --out replace an earlier result."),
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout."),
    click.option("--quiet", is_flag=True, help="No progress line, no notes, no summary."),
)


def with_options(*options: Callable) -> Callable:
    return lambda command: functools.reduce(lambda c, o: o(c), reversed(options), command)


class Commands(click.Group):
    """Subcommands in the order people meet them."""

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
        row.setdefault("source", source_of(Machine(row["name"]).source))
    if as_json:
        print(json.dumps({"machines": rows}))
    else:
        print(text.machines(rows))


def source_of(toml: str) -> str:
    """What a machine file names as its source."""
    found = re.search(r'^source *= *"(.*)"', toml, re.MULTILINE)
    return found[1] if found else ""


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
    for complaint in wrong.list:
        if complaint.at == "--machine":
            wrong.list[wrong.list.index(complaint)] = Complaint(
                "MACHINE", complaint.found, complaint.wanted, complaint.hint
            )
    check_names(wrong, found, "packet", "mpich", machine_at="MACHINE")
    if as_json and as_toml:
        wrong.add("--toml", "--json --toml", "one of the two")
    wrong.finish(found)
    if as_toml:
        sys.stdout.write(found.source)
        return
    summary = found.summary
    print(json.dumps(summary) if as_json else text.show(summary))


def check_names(
    wrong: Checks, machine: Machine, fidelity: str, mpi: str, machine_at: str = "--machine"
) -> None:
    """Complain about names; a machine that already failed to be read is not judged twice."""
    if machine.name:
        machines.check_names(wrong, machine, fidelity, mpi, "--")
    else:
        machines.check_names(wrong, Machine("", ""), fidelity, mpi, "--")
    if machine_at != "--machine":
        wrong.list = [
            Complaint(machine_at, c.found, c.wanted, c.hint) if c.at == "--machine" else c
            for c in wrong.list
        ]


class Request:
    """The common options, checked; `finish` raises every complaint there is."""

    def __init__(self, given: dict[str, Any]):
        self.wrong = Checks()
        self.quiet, self.as_json = given["quiet"], given["as_json"]
        self.fidelity, self.mpi = given["fidelity"], given["mpi"]
        self.machine = self.wrong.machine(given["machine"], given["changes"], given["routing"])
        check_names(self.wrong, self.machine, self.fidelity, self.mpi)
        self.placement = self.wrong.placement(given["placement"])
        self.seed = self.wrong.integer("--seed", given["seed"], 1, least=0)
        self.threads = self.wrong.integer("--threads", given["threads"], 1)
        self.out = None
        if given["out"] is not None:
            self.out = tables.check_out(self.wrong, given["out"], given["force"])
        elif given["force"]:
            self.wrong.add("--force", "--force", "--out DIR with it")

    def finish(self) -> None:
        self.wrong.finish(self.machine)

    def job(self, nodes: int, ppn: int | None, ranks: int | None = None) -> Job:
        return self.machine.job(
            nodes=nodes,
            ppn=ppn,
            placement=self.placement,
            ranks=ranks,
            mpi=self.mpi,
            seed=self.seed,
            threads=self.threads,
        )

    def deliver(
        self, summary: dict[str, Any], data: dict[str, Any], stdout: TextIO | None = None
    ) -> None:
        """Write what was asked for: the directory, and the object on stdout."""
        summary["command"] = command_line()
        if self.out is not None:
            tables.write(self.out, summary, data)
            self.note(f"wrote {os.path.relpath(self.out)}")
        if self.as_json:
            print(json.dumps(summary), file=stdout or sys.stdout, flush=True)

    def note(self, words: str) -> None:
        if not self.quiet:
            print(f"odonata: {words}", file=sys.stderr)


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
    "--hostfile", metavar="FILE", help="Hosts in order, `HOST`, `HOST:SLOTS` or `HOST slots=N`."
)
@option("--env", metavar="K=V", multiple=True, help="Set a variable for the ranks.")
@option("--wdir", metavar="DIR", help="Directory the ranks start in.")
@click.option("-l", "label", is_flag=True, help="Label output with ranks.")
@option(
    "--compute",
    metavar="HOW",
    default="measured",
    show_default=True,
    help="Charge time between MPI calls as measured, none, or measured times a factor.",
)
@with_options(*COMMON)
@click.argument("program", nargs=-1, type=click.UNPROCESSED, metavar="-- PROGRAM ARGS...")
def run_command(program: tuple[str, ...], **given: Any) -> int:
    """Run an unmodified MPI program with its ranks on the simulated machine."""
    asked = Request(given)
    wrong = asked.wrong
    ranks = wrong.integer("-n", given["ranks"], None)
    by_hosts = given["hostfile"] is not None and given["ppn"] is None
    ppn = None if by_hosts else wrong.integer("--ppn", given["ppn"], 1)
    compute = wrong.compute(given["compute"])
    env = wrong.environment(given["env"])
    environment = launch.environment_of(env)
    wdir = os.path.abspath(given["wdir"] or os.getcwd())
    launch.check_program(wrong, list(program), wdir, environment)
    if given["hostfile"] is not None:
        launch.read_hostfile(wrong, given["hostfile"])
    asked.finish()
    job = asked.job(-(-ranks // (ppn or 1)), ppn, ranks)
    unheard = launch.knobs_not_modelled(environment)
    if unheard:
        asked.note(f"set, but not modelled: {', '.join(unheard)}")
    stop = door.Stop()
    with stdout_for_json(asked.as_json) as stdout, Progress("run", asked.quiet) as tick:
        result = launch.run(
            job,
            list(program),
            fidelity=asked.fidelity,
            compute=compute,
            env=env,
            wdir=wdir,
            hostfile=given["hostfile"],
            label=given["label"],
            check=False,
            tick=tick,
            stop=stop,
        )
        tick.wipe()
        code = 128 + stop.signal if stop.signal else result.exit_code
        result.summary["exit_code"] = code
        if result.failure:
            print(text.failure(result.failure), file=sys.stderr)
        if not asked.quiet:
            print(text.run(result.summary, result.data), file=sys.stderr)
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
@with_options(*COMMON)
def bench_command(name: str | None, **given: Any) -> int:
    """Run a built-in benchmark and print the OSU 7 text format.

    NAME: latency, bw, bibw, mbw_mr, multi_lat, put_latency, allreduce, allgather, allgatherv,
    alltoall, alltoallv, bcast, reduce, reduce_scatter, barrier, gather, scatter, scan, exscan.
    """
    asked = Request(given)
    wrong = asked.wrong
    known = wrong.word("NAME", name or "nothing", bench.NAMES, "a benchmark")
    nodes = wrong.integer("--nodes", given["nodes"], 2)
    ppn = wrong.integer("--ppn", given["ppn"], 1)
    sizes = None
    if given["sizes"] is not None:
        sizes = wrong.read("--sizes", given["sizes"], units.read_sizes, SIZES_WANTED, None)
    if known and nodes * ppn < bench.KINDS[name].least_ranks:
        wrong.add("--nodes", nodes, f"at least {bench.KINDS[name].least_ranks} ranks for {name}")
    asked.finish()
    unheard = launch.knobs(os.environ)
    if unheard:
        asked.note(f"set, but built-in benchmarks do not listen: {', '.join(unheard)}")
    stop = door.Stop()
    with Progress(name, asked.quiet) as tick:
        result = bench.run(name, asked.job(nodes, ppn), sizes, asked.fidelity, tick=tick, stop=stop)
    if not asked.as_json:
        print(text.osu(result))
    asked.deliver(result.summary, {"rows": result.rows})
    return 128 + stop.signal if stop.signal else 0


@cli.command("traffic")
@click.argument("pattern", required=False)
@option("--load", metavar="LOADS", help="Offered load: `0.3`, `0.1,0.5` or `0.1:0.9:0.1`.")
@option("--packet", metavar="BYTES", help="Payload of a packet.  [default: 2Ki]")
@option("--time", metavar="SPAN", help="Simulated span measured.  [default: 40us]")
@option("--warmup", metavar="SPAN", help="Simulated span before it.  [default: 20us]")
@with_options(*COMMON)
def traffic_command(pattern: str | None, **given: Any) -> int:
    """Offer synthetic traffic and see how much is accepted.

    PATTERN: uniform, adversarial:K (to the group K further on), hotspot:K, shift:K,
    random-permutation.
    """
    asked = Request(given)
    wrong = asked.wrong
    patterns.check_pattern(wrong, pattern or "nothing", "PATTERN")
    loads: list[float] = []
    if given["load"] is None:
        wrong.add("--load", "nothing", LOADS_WANTED)
    else:
        loads = wrong.read("--load", given["load"], units.read_loads, LOADS_WANTED, [])
    packet = wrong.read(
        "--packet", given["packet"] or "2Ki", units.read_bytes, "a size in bytes", 2048
    )
    time = wrong.read("--time", given["time"] or "40us", units.read_span, SPAN_WANTED, 1.0)
    warmup = wrong.read("--warmup", given["warmup"] or "20us", units.read_span, SPAN_WANTED, 0.0)
    if packet < 1:
        wrong.add("--packet", given["packet"], "at least 1 byte")
    if time <= 0:
        wrong.add("--time", given["time"], "a span above 0")
    asked.finish()
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
            tick=tick,
            stop=stop,
        )
    if not asked.as_json:
        print(text.traffic(result))
    asked.deliver(result.summary, {"rows": result.rows})
    return 128 + stop.signal if stop.signal else 0


@cli.command("report")
@click.argument("rundir", required=False)
@option("-o", "--output", metavar="FILE", help="Where to write.  [default: RUNDIR/report.html]")
@click.option(
    "--published/--no-published",
    default=True,
    show_default=True,
    help="Predict published latencies again and show them side by side.",
)
@click.option("--quiet", is_flag=True, help="Do not say where it was written.")
def report_command(rundir: str | None, output: str | None, published: bool, quiet: bool) -> None:
    """Write one self-contained HTML file about the results in RUNDIR (from `--out`)."""
    from . import report

    wrong = Checks()
    path = Path(rundir or "nothing")
    if rundir is None or not tables.is_ours(path):
        wrong.add("RUNDIR", path, "a directory written by `odonata run --out`")
    target = Path(output) if output else path / "report.html"
    if not target.parent.is_dir() and not wrong.list:
        wrong.add("--output", target, "a file in a directory that exists")
    wrong.finish()
    summary, data = tables.read(path)
    target.write_text(report.html(summary, data, with_published=published), encoding="utf-8")
    if not quiet:
        print(f"odonata: wrote {target}", file=sys.stderr)


# What the core calls things that have another spelling on the command line.
SPELLED = {
    "ranks": "-n",
    "program": "PROGRAM",
    "pattern": "PATTERN",
    "loads": "--load",
    "benchmark": "NAME",
    **{
        word: f"--{word}"
        for word in ("machine", "routing", "fidelity", "placement", "mpi", "nodes", "ppn", "wdir",
                     "hostfile", "compute", "seed", "threads", "sizes")
    },
}  # fmt: skip


def spelled(complaint: Complaint) -> Complaint:
    """The complaint in the command line's words."""
    return replace(complaint, at=SPELLED.get(complaint.at, complaint.at))


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
    sys.exit(code_of(arguments))


def code_of(arguments: list[str] | None) -> int:
    """Run a command line; its exit code, with whatever went wrong said on stderr."""
    try:
        result = cli.main(arguments, prog_name="odonata", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except InputError as error:
        print(text.complaints([spelled(c) for c in error.complaints]), file=sys.stderr)
        return 2
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message(), file=sys.stderr)
        return 2
    except click.UsageError as error:
        print(text.complaints([usage_complaint(error)]), file=sys.stderr)
        return 2
    except SimulatedFailure as error:
        said = {"kind": error.kind, "message": str(error), "ranks": error.ranks}
        print(text.failure(said), file=sys.stderr)
        return 1
    except BrokenPipeError:
        # Whoever read our stdout has left (`| head`); the interpreter must not flush into it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except (KeyboardInterrupt, click.Abort):
        print("odonata: interrupted", file=sys.stderr)
        return INTERRUPTED
    except SystemExit:
        raise
    except BaseException:  # a panic of the core is no Exception
        traceback.print_exc()
        print(
            f"odonata {__version__}: this is a bug of odonata, not of your input", file=sys.stderr
        )
        return OURS
