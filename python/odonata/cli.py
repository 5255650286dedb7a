"""The command line. Names of commands and options are stable: scripts depend on them.

Exit codes are in docs/reference/exit-codes.md. Results go to stdout, messages to stderr. Each
command has a file in `commands`.
"""

from __future__ import annotations

import sys

import click

from . import interrupts, text
from .commands.command import Commands, Late, usage_diagnostic
from .errors import InputError, NoRoom, SimulatedFailure
from .files import why
from .streams import mend_streams, say, silence
from .version import version

# In the order of first use.
COMMANDS = (
    "machines", "show", "faults", "run", "bench", "app", "tune", "traffic", "validate", "report",
    "compare", "preflight", "replay", "extrapolate", "sweep", "check", "fabric", "schema",
    "wrappers", "launcher",
)  # fmt: skip
OURS = 70


def load(name: str) -> click.Command:
    """Import a command. Ctrl-C ends the import at once, as it does for this module."""
    interrupts.end_at_once()
    try:
        return imported(name)
    finally:
        interrupts.raise_again()


def imported(name: str) -> click.Command:
    """Import one command; importing all of them takes longer than a small run."""
    match name:
        case "machines":
            from .commands.machines import list_machines as found
        case "show":
            from .commands.machines import show as found
        case "faults":
            from .commands.machines import draw_faults as found
        case "run":
            from .commands.run import run as found
        case "bench":
            from .commands.bench import run as found
        case "app":
            from .commands.app import app as found
        case "tune":
            from .commands.tune import tune as found
        case "traffic":
            from .commands.traffic import traffic as found
        case "validate":
            from .commands.validate import validate as found
        case "report":
            from .commands.report import write as found
        case "compare":
            from .commands.compare import compare as found
        case "preflight":
            from .commands.preflight import preflight as found
        case "replay":
            from .commands.replay import replay as found
        case "extrapolate":
            from .commands.extrapolate import extrapolate as found
        case "sweep":
            from .sweeps.command import sweep_command as found
        case "check":
            from .commands.check import check as found
        case "fabric":
            from .commands.fabric import fabric as found
        case "schema":
            from .commands.schema import schema as found
        case "wrappers":
            from .commands.wrappers import wrappers as found
        case "launcher":
            from .commands.wrappers import launcher as found
        case _:
            raise KeyError(name)
    return found


def show_version(context: click.Context, _: click.Parameter, requested: bool) -> None:
    """Print the version and exit: `--version`."""
    if requested and not context.resilient_parsing:
        click.echo(f"odonata {version()}")
        context.exit()


@click.group(
    cls=Commands,
    commands=Late(COMMANDS, load),
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=show_version,
    help="Show the version and exit.",
)
def cli() -> None:
    """Predict how MPI programs run on dragonfly supercomputers.

    Start with `odonata machines`, then
    `odonata run -n 16 --ppn 8 --machine aurora -- python app.py`.

    Exit codes: 0 success, 1 the simulated job failed or results could not be written, 2 wrong
    input, 70 a bug of odonata, 130 or 143 interrupted; otherwise the exit code of the program.

    All exit codes: docs/reference/exit-codes.md
    """


def main(arguments: list[str] | None = None) -> None:
    """Run the `odonata` command and exit with its code."""
    mend_streams()
    code = code_of(arguments)
    # The interpreter shuts down; an interrupt would only print a traceback.
    interrupts.end_at_once()
    sys.exit(code)


def code_of(arguments: list[str] | None) -> int:
    """Run a command line and return its exit code; errors are printed on stderr."""
    try:
        result = cli.main(arguments, prog_name="odonata", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except InputError as error:
        say(text.diagnostics(error.diagnostics))
        return 2
    except click.exceptions.NoArgsIsHelpError as error:
        say(error.format_message())
        return 2
    except click.UsageError as error:
        say(text.diagnostics([usage_diagnostic(error)]))
        return 2
    except SimulatedFailure as error:
        failure = {"kind": error.kind, "message": str(error), "ranks": error.ranks}
        say(text.failure(failure))
        return 1
    except NoRoom as error:
        say(f"odonata: {error}")
        return 1
    except MemoryError as error:
        about = f": {error}" if str(error) else ""
        say(f"odonata: out of memory{about} (is it limited, `ulimit -v`?)")
        return 1
    except BrokenPipeError:  # during the last flush
        silence(1)
        return 0
    except OSError as error:  # such as a full disk or a closed stdout
        where = f" `{error.filename}`" if error.filename else ""
        silence(1)
        say(f"odonata: cannot write{where}: {why(error)}")
        return 1
    except (KeyboardInterrupt, click.Abort):
        say("odonata: interrupted")
        return interrupts.INTERRUPTED
    except SystemExit:
        raise
    except BaseException:  # a panic of the core is not an Exception
        import traceback

        say(traceback.format_exc().rstrip())
        say(f"odonata {version()}: this is a bug of odonata, not of your input")
        return OURS
