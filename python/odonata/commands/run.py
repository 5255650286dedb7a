"""`odonata run`: an unmodified MPI program, or with `--jobs` several side by side."""

from __future__ import annotations

import os
import shlex
from typing import Any

import click

from .. import clocks, core, launch, openmp, records, tables, text
from ..errors import InputError
from ..options import BESIDE, COMMON, COUNTERS, LIMITS, NICS, PREFLIGHT, RULES, option, with_options
from ..progress import Progress
from ..streams import say, stdout_for_json
from . import launchers
from .cli_request import Request, given_by_hand
from .command import command

NO_CALLS = (
    "no rank called MPI: nothing was predicted. The program does not use MPI, or is linked "
    "statically, or loads another MPI library than odonata's (its own rpath comes first)"
)


@command("run", cls=launchers.RunCommand, context_settings={"allow_interspersed_args": False})
@option("-n", "-np", "--np", "--ntasks", "ranks", metavar="RANKS", help="Number of ranks.")
@option(
    "--ppn",
    "-ppn",
    "--ntasks-per-node",
    "--npernode",
    "-npernode",
    "-perhost",
    "ppn",
    metavar="P",
    help="Ranks per node.  [default: 1, or what the host file says]",
)
@option(
    "--nodes",
    metavar="N",
    help="Number of nodes, as srun's: RANKS divided by P, or instead of one of them.",
)
@option(
    "--hostfile",
    "-hostfile",
    "--machinefile",
    "-machinefile",
    "-f",
    "hostfile",
    metavar="FILE",
    help="Nodes in order, a line each: `x4000c0s5b0n0`, `nid[001000-001007]` or `5`, with "
    "`:SLOTS` or ` slots=N`.",
)
@option("--env", metavar="K=V", multiple=True, help="Set a variable for the ranks.")
@option("--wdir", "-wdir", "--chdir", "wdir", metavar="DIR", help="Directory the ranks start in.")
@click.option(
    "-l", "--label", "-prepend-rank", "--tag-output", "label", is_flag=True,
    help="Label output with ranks.",
)
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
@with_options(RULES, LIMITS, PREFLIGHT, COUNTERS, NICS, *BESIDE, *COMMON, *launchers.options())
@click.argument("program", nargs=-1, type=click.UNPROCESSED, metavar="-- PROGRAM ARGS...")
def run(program: tuple[str, ...], **given: Any) -> int:
    """Run an unmodified MPI program with its ranks on the simulated machine."""
    request = Request(given)
    wrong = request.wrong
    notes, variables = launchers.given(wrong)
    for words in notes:
        request.note(words)
    given["env"] = (*variables, *given["env"])
    if given["jobs"] is not None:
        return run_jobs(request, program, given)
    ranks, ppn = launchers.size(wrong, given)
    compute = launch.compute_of(wrong, given["compute"])
    env = wrong.environment(given["env"])
    environment = launch.environment_of(env)
    wdir = os.getcwd() if given["wdir"] is None else given["wdir"]
    clocks.variables(wrong, given["clock"], given["epoch"], environment)
    mine = launch.read_by(environment, request.mpi)
    wants_report = mine.get("MPICH_OFI_CXI_COUNTER_REPORT") in launch.REPORTS
    request.use_rules(given["coll_rules"] or launch.rules_files(mine, wdir))
    launch.rank_order(wrong, mine, wdir)
    launch.check_variables(wrong, environment)
    launch.check_program(wrong, list(program), wdir, environment)
    launch.check_warm(wrong, given["warm"])
    records.check_target(wrong, given["record"])
    if request.out is not None and tables.is_place(request.out, given["record"]):
        wrong.add("record", given["record"], "a name that none of the files of --out has")
    wdir = os.path.abspath(wdir)
    if given["hostfile"] is not None:
        launch.read_hostfile(wrong, given["hostfile"])
        if given_by_hand("placement"):
            launch.refuse_both(wrong, given["placement"])
    request.finish()
    job = request.job(-(-ranks // (ppn or 1)), ppn, ranks)
    fabric = request.machine.setting("fabric")
    for words in launch.ignored_variables([environment], request.mpi, fabric):
        request.note(words)
    if words := openmp.note({**os.environ, **env}):
        request.note(words)
    stop = core.Stop()
    with stdout_for_json(request.as_json) as stdout, Progress("run", request.quiet) as tick:
        result = launch.run(
            job,
            list(program),
            fidelity=request.fidelity,
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
        if exits := result.summary.get("nonzero_exits"):
            say(f"odonata: {text.nonzero_exits(exits, result.summary['ranks'])}")
        if not request.quiet:
            say(text.run(result.summary, result.data))
        request.tell_limits(result.summary, given["preflight"], bool(result.failure))
        request.tell_counters(result.summary, given["counters"] or wants_report)
        start = result.summary.get("start") or {}
        if start.get("unfit"):
            request.note(f"every rank started an interpreter of its own: {start['unfit']}")
        elif start and not start["forked"] and given["warm"] != "none" and given_by_hand("warm"):
            request.note("changes nothing where no Python script is started as one: --warm")
        if not result.summary.get("mpi_calls") and code == 0:
            request.note(NO_CALLS)
        request.tell_notes(result.summary)
        record = result.summary.get("record") or {}
        lost = record.get("refused") or record.get("unwritten")
        if record and (lost or not request.quiet):
            say(f"odonata: {records.outcome(record)}")
        request.deliver(result.summary, result.data, stdout)
    return code or int(bool(record.get("unwritten")))


def run_jobs(request: Request, program: tuple[str, ...], given: dict[str, Any]) -> int:
    """`odonata run --jobs FILE`."""
    from .. import multi_job

    wrong = request.wrong
    if program:
        wrong.add("program", shlex.join(program), "no program beside --jobs, whose file has them")
    in_file = {"ranks": "-n", "hostfile": "--hostfile", "wdir": "--wdir"}
    in_file |= {"ppn": "--ppn", "placement": "--placement", "compute": "--compute", "env": "--env"}
    in_file |= {"traffic_class": "--class", "nodes": "--nodes"}
    request.use_rules(given["coll_rules"])
    if given["record"] is not None:
        wrong.add("record", given["record"], "no record: of several jobs there is none")
    for name, typed in in_file.items():
        if given_by_hand(name):
            wrong.add(typed, str(given[name]), "a key of each job in the file of --jobs")
    for name in ("clock", "epoch", "warm"):
        if given_by_hand(name):
            wrong.add(f"--{name}", given[name], "its default, which programs of --jobs have")
    file = multi_job.read_file(wrong, given["jobs"])
    if file.get("noise") is not None and request.noise is not None:
        wrong.add("noise", request.noise, "--noise or `noise` in the file, not both")
    path, origins = given["jobs"], ["--background"] * len(given["background"])
    backgrounds = [*given["background"], *file.get("background", ())]
    origins += [path] * (len(backgrounds) - len(origins))
    about = {
        "background": backgrounds,
        "noise": request.noise if request.noise is not None else file.get("noise"),
        "warmup_s": file.get("warmup"),
        "fidelity": request.fidelity,
        "mpi": request.mpi,
        "seed": request.seed,
        "limits": request.limits,
        "coll_rules": request.coll_rules,
    }
    if wrong.list and request.machine.name:
        found = multi_job.foreseen(request.machine, file.get("job", ()), **about)
        wrong.extend(InputError(multi_job.in_file(c, path, file, given) for c in found))
    request.finish()
    programs = [job for job in file["job"] if job.get("program") is not None]
    given_each = [job.get("env") or {} for job in programs]
    environments = [launch.environment_of(own) for own in given_each]
    for words in {openmp.note({**os.environ, **own}): None for own in given_each}:
        if words:
            request.note(words)
    fabric = request.machine.setting("fabric")
    for words in launch.ignored_variables(environments, request.mpi, fabric, False):
        request.note(words)
    stop = core.Stop()
    with stdout_for_json(request.as_json) as stdout, Progress("jobs", request.quiet) as tick:
        try:
            result = multi_job.jobs(
                request.machine,
                file["job"],
                **about,
                alone=given["alone"],
                label=given["label"],
                check=False,
                tick=tick,
                stop=stop,
            )
        except InputError as error:
            found = (multi_job.in_file(c, path, file, given) for c in error.diagnostics)
            raise InputError(found) from None
        tick.wipe()
        multi_job.name_origins(result, backgrounds, origins)
        code = 128 + stop.signal if stop.signal else result.exit_code
        result.summary["exit_code"] = code
        for row in result.rows:
            if row["failure"]:
                say(text.failure({**row["failure"], "message": f"job {row['name']}: "
                                  f"{row['failure']['message']}"}))  # fmt: skip
            if exits := row.get("nonzero_exits"):
                say(f"odonata: job {row['name']}: {text.nonzero_exits(exits, row['ranks'])}")
        if not request.quiet:
            say(text.jobs(result.summary))
        request.tell_notes(result.summary)
        failed = any(row["failure"] for row in result.rows)
        request.tell_limits(result.summary, given["preflight"], failed)
        request.tell_counters(result.summary, given["counters"])
        request.deliver(result.summary, result.data, stdout)
    return code
