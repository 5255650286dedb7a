"""The command line. What each command and option is called is a promise to people's scripts.

Exit codes: 0 ran, 1 the simulated job failed or results could not be written, 2 the input is
wrong, 70 a bug of ours, and the program's own for `run`. Results go to stdout, words about them
to stderr.

Each command is a file of `commands`.
"""

from __future__ import annotations

import sys
import traceback

import click

from . import interrupts, text
from .commands import (
    bench,
    extrapolate,
    machines,
    preflight,
    replay,
    report,
    run,
    traffic,
    tune,
    validate,
    wrappers,
)
from .commands.command import Commands, usage_complaint
from .errors import InputError, SimulatedFailure
from .files import why
from .streams import mend_streams, say, silence
from .sweeps.command import ask
from .version import __version__

OURS = 70


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="odonata %(version)s")
def cli() -> None:
    """Predict how MPI programs run on dragonfly supercomputers.

    Start with `odonata machines`, then
    `odonata run -n 16 --ppn 8 --machine aurora -- python app.py`.
    """


for command in (
    machines.list_machines,
    machines.show,
    machines.draw_faults,
    run.run,
    bench.run,
    tune.tune,
    traffic.traffic,
    validate.validate,
    report.write,
    preflight.preflight,
    replay.replay,
    extrapolate.extrapolate,
    ask,
    wrappers.wrappers,
    wrappers.launcher,
):
    cli.add_command(command)


def main(arguments: list[str] | None = None) -> None:
    """The `odonata` command; leaves with the exit code."""
    mend_streams()
    code = code_of(arguments)
    # The interpreter takes itself apart: what is interrupted there has no effect but a traceback.
    interrupts.end_at_once()
    sys.exit(code)


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
        say(f"odonata: cannot write{where}: {why(error)}")
        return 1
    except (KeyboardInterrupt, click.Abort):
        say("odonata: interrupted")
        return interrupts.INTERRUPTED
    except SystemExit:
        raise
    except BaseException:  # a panic of the core is no Exception
        say(traceback.format_exc().rstrip())
        say(f"odonata {__version__}: this is a bug of odonata, not of your input")
        return OURS
