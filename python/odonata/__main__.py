"""`odonata` and `python -m odonata`: the command line, with handling of Ctrl-C from here on."""

from __future__ import annotations

import contextlib
import os
import sys

from . import interrupts


def main() -> None:
    """The `odonata` command; leaves with the exit code."""
    try:
        # Imported here, because the import takes 0.25 s, in which Ctrl-C is possible.
        from . import cli

        interrupts.raise_again()
        cli.main()
    except KeyboardInterrupt:
        if sys.stderr:
            with contextlib.suppress(OSError):  # nothing is buffered that would fail at the end
                os.write(2, b"odonata: interrupted\n")
        sys.exit(interrupts.INTERRUPTED)  # as `cli` reports it later


if __name__ == "__main__":
    main()
