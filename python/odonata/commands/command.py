"""What a command is, and its complaints in the command line's words."""

from __future__ import annotations

import functools
from typing import Any

import click

from ..errors import Complaint, InputError, nearest
from ..spelling import spelled
from ..streams import silence


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

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


command = functools.partial(click.command, cls=Command)


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
        known = error.ctx.command.commands
        near = nearest(found, known)
        hint = f"did you mean `{near}`?" if near else None
        return Complaint("command", found, f"one of {', '.join(known)}", hint)
    return Complaint(at, word, "see `odonata --help`")
