"""`odonata run`: an unmodified MPI program, or with `--jobs` several concurrent ones."""

from __future__ import annotations

import os
import shlex
from typing import Any

import click

from .. import clocks, core, counter_report, launch, openmp, records, tables, text
from ..errors import InputError
from ..options import options_of, with_options
from ..progress import Progress
from ..streams import say, stdout_for_json
from ..terminal import escaped
from . import launchers
from .cli_request import Request, given_by_hand
from .command import command

NO_CALLS = (
    "no rank called MPI: nothing was predicted. The program does not use MPI, is linked "
    "statically, or loads another MPI library than odonata's (its own rpath comes first)"
)


@command("run", cls=launchers.RunCommand, context_settings={"allow_interspersed_args": False})
@with_options(options_of("run"), *launchers.options())
@click.argument("program", nargs=-1, type=click.UNPROCESSED, metavar="-- PROGRAM ARGS...")
def run(program: tuple[str, ...], **given: Any) -> int:
    """Run an unmodified MPI program, with its ranks on the simulated machine.

    odonata run -n 16 --ppn 8 --machine aurora -- python app.py
    """
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
    own_variables = launch.read_by(environment, request.mpi)
    report = counter_report.settings(wrong, own_variables, wdir)
    request.use_rules(given["coll_rules"] or launch.rules_files(own_variables, wdir))
    launch.rank_order(wrong, own_variables, wdir)
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
    with (
        request.on_fabric("run", job.nodes),
        stdout_for_json(request.as_json) as stdout,
        Progress("run", request.quiet, form=given["progress"]) as tick,
    ):
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
            mounts=given["mounts"],
            keep=given["keep"],
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
        request.print_limits(result.summary, given["preflight"], bool(result.failure))
        request.print_counters(result.summary, given["counters"])
        print_report(report, result)
        start = result.summary.get("start") or {}
        if start.get("unfit"):
            request.note(f"each rank started its own interpreter: {start['unfit']}")
        elif start and not start["forked"] and given["warm"] != "none" and given_by_hand("warm"):
            request.note("--warm has no effect: the program is not a Python script")
        has_calls = result.summary.get("mpi_calls") or result.summary.get("io")
        if not has_calls and code == 0:
            request.note(NO_CALLS)
        request.print_notes(result.summary)
        record = result.summary.get("record") or {}
        lost = record.get("refused") or record.get("unwritten")
        if record and (lost or not request.quiet):
            say(f"odonata: {records.outcome(record)}")
        lost = request.print_timeline(result.summary)
        request.deliver(result.summary, result.data, stdout)
    return code or lost or int(bool(record.get("unwritten")))


def print_report(settings: counter_report.Settings, result: launch.RunResult) -> None:
    """The report that Cray MPICH prints at the end of a program, and its files."""
    words, files = counter_report.report(settings, result.summary, result.nic_counters)
    for path, content in files.items():
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
    if words:
        say(words)


def run_jobs(request: Request, program: tuple[str, ...], given: dict[str, Any]) -> int:
    """`odonata run --jobs FILE`."""
    from .. import multi_job

    wrong = request.wrong
    if program:
        wrong.add("program", shlex.join(program), "no program with --jobs, whose file has them")
    in_file = {"ranks": "-n", "hostfile": "--hostfile", "wdir": "--wdir"}
    in_file |= {"ppn": "--ppn", "placement": "--placement", "compute": "--compute", "env": "--env"}
    in_file |= {"traffic_class": "--class", "nodes": "--nodes"}
    request.use_rules(given["coll_rules"])
    if given["record"] is not None:
        wrong.add("record", given["record"], "no recording: several jobs cannot be recorded")
    if given["timeline"] is not None:
        wrong.add("timeline", given["timeline"], "no timeline with --jobs")
    if given["keep"] is not None:
        wrong.add("keep", given["keep"], "no directory: each of several jobs has files of its own")
    for mount in given["mounts"]:
        wrong.add("mount", mount, "only the mounts of the machine file with --jobs")
    for name, typed in in_file.items():
        if given_by_hand(name):
            wrong.add(typed, str(given[name]), "a key of each job in the file of --jobs")
    for name in ("clock", "epoch", "warm"):
        if given_by_hand(name):
            wrong.add(f"--{name}", given[name], "its default: programs of --jobs use it")
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
        "engine": request.engine,
        "threads": request.threads,
        "coll_rules": request.coll_rules,
        "storage_class": request.storage_class,
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
    with stdout_for_json(request.as_json) as stdout, Progress(
        "jobs", request.quiet, form=given["progress"]
    ) as tick:
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
                name = escaped(row["name"])
                say(f"odonata: job {name}: {text.nonzero_exits(exits, row['ranks'])}")
        if not request.quiet:
            say(text.jobs(result.summary))
        request.print_notes(result.summary)
        failed = any(row["failure"] for row in result.rows)
        request.print_limits(result.summary, given["preflight"], failed)
        request.print_counters(result.summary, given["counters"])
        request.deliver(result.summary, result.data, stdout)
    return code
