"""Commands: their help in sections, and diagnostics that name command line options."""

from __future__ import annotations

import functools
from collections import UserDict
from collections.abc import Callable, Sequence
from typing import Any

import click

from ..errors import Diagnostic, InputError, hint_of_option, nearest
from ..options import documented, sections
from ..streams import silence
from ..suggestions import spelled


class Command(click.Command):
    """A subcommand. Diagnostics name its options, and its help groups them by topic."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, rows in sections(self.get_params(ctx), ctx).items():
            with formatter.section(title):
                formatter.write_dl(rows)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # The reader of stdout has ended (`| head`); click would fail.
            silence(1)
            return 0
        except InputError as error:
            typed = {opt: ctx.params.get(p.name or "") for p in self.params for opt in p.opts}
            found = [spelled(c, self.name or "", typed) for c in error.diagnostics]
            raise InputError(found) from None


class Late(UserDict[str, click.Command]):
    """Commands by name, each imported when it is first used."""

    def __init__(self, names: Sequence[str], load: Callable[[str], click.Command]):
        super().__init__(dict.fromkeys(names))
        self.load = load

    def __getitem__(self, name: str) -> click.Command:
        found = super().__getitem__(name)
        if found is None:
            found = self.data[name] = self.load(name)
        return found


class Commands(click.Group):
    """Subcommands in the order of first use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


command = functools.partial(click.command, cls=Command)


def usage_diagnostic(error: click.UsageError) -> Diagnostic:
    """click's error as a diagnostic."""
    at = "command line"
    if isinstance(error, click.NoSuchOption):
        where = error.ctx.command_path if error.ctx else "odonata"
        return Diagnostic(at, error.option_name, f"an option of `{where}`", option_hint(error))
    word = error.format_message().rstrip(".")
    if word.startswith("No such command"):
        found = word.split("'")[1] if "'" in word else word
        known = error.ctx.command.commands
        near = nearest(found, known)
        hint = f"did you mean `{near}`?" if near else None
        return Diagnostic("command", found, f"one of {', '.join(known)}", hint)
    return Diagnostic(at, word, "see `odonata --help`")


def option_hint(error: click.NoSuchOption) -> str | None:
    """The hint for an option that a command does not have."""
    typed = error.option_name
    params = error.ctx.command.params if error.ctx else []
    legal = [word for param in params for word in documented(param) if word.startswith("-")]
    name = (error.ctx.info_name if error.ctx else None) or ""
    return hint_of_option(typed, name, legal)
