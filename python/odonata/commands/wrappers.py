"""`odonata wrappers`: the directory of compilers and launchers with their usual names."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import click

from .. import launchers
from ..streams import say
from ..version import version
from .command import command

NAMES = Path(__file__).resolve().parents[1] / "_bin" / "mpi"


@command("wrappers")
def wrappers() -> None:
    """Print the directory of `mpicc`, `mpicxx`, `mpifort`, `mpiexec`, `mpirun` and `srun`.

    For scripts that use these names: `PATH=$(odonata wrappers):$PATH`. The launchers read the
    machine from ODONATA_MACHINE, and further options of `run` from ODONATA_RUN_OPTIONS.
    """
    for script in NAMES.iterdir():
        # A wheel may have lost the bit.
        mode = script.stat().st_mode
        if not os.access(script, os.X_OK):
            script.chmod(mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    print(NAMES)


@command(
    "launcher",
    hidden=True,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    add_help_option=False,
)
@click.argument("name", type=click.Choice(["mpiexec", "mpirun", "srun"]))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def launcher(context: click.Context, name: str, arguments: tuple[str, ...]) -> int:
    """The command that the scripts of that directory call."""
    if arguments[:1] in (("--version",), ("-version",), ("-V",)):
        print(f"{name} of odonata {version()}")
        return 0
    words, ignored = launchers.command_of(name, arguments, os.environ)
    if ignored:
        say(f"odonata: {name}: no effect on the simulated job: {', '.join(ignored)}")
    assert context.parent is not None, "a subcommand"
    group = context.parent.command
    result = group.main(words, prog_name="odonata", standalone_mode=False)
    return result if isinstance(result, int) else 0
