"""Options of the commands, as `_vocabulary` declares them, and their sections in help texts."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click

from ._vocabulary import BY_COMMAND, OPTIONS, Option

# Sections of help texts, in this order.
TOPICS = tuple(dict.fromkeys(option.topic for option in OPTIONS))


class DeclaredOption(click.Option):
    """An option with a topic, whose synonyms are accepted and not shown."""

    def __init__(self, *words: Any, topic: str, synonyms: tuple[str, ...] = (), **more: Any):
        super().__init__(*words, **more)
        self.topic, self.synonyms = topic, synonyms

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        every = self.opts
        self.opts = documented(self)
        try:
            return super().get_help_record(ctx)
        finally:
            self.opts = every


def documented(parameter: click.Parameter) -> list[str]:
    """The names of an argument or option that help texts show."""
    if getattr(parameter, "hidden", False):
        return []
    synonyms = getattr(parameter, "synonyms", ())
    return [word for word in parameter.opts if word not in synonyms]


def declared(command: str, name: str) -> Callable:
    """The option `name` of a command, as a decorator.

    Values stay text; see `checks`. A default that is a number is applied by the command, which can
    thus distinguish whether the option was given.
    """
    found = BY_COMMAND[command, name]
    how: dict[str, Any] = {"topic": found.topic, "synonyms": found.synonyms}
    if not found.metavar:
        how |= {"is_flag": True, "default": bool(found.default)}
        how["show_default"] = bool(found.default)
    else:
        how |= {"type": str, "metavar": found.metavar, "multiple": found.is_repeatable}
        if isinstance(found.default, str):
            how["default"] = found.default
    words = shown_help(found)
    return click.option(
        *found.flags, *found.synonyms, found.name, cls=DeclaredOption, help=words, **how
    )


def shown_help(option: Option) -> str:
    """The help text with its default."""
    default = option.default_words or ("" if option.default is None else str(option.default))
    is_shown = default and option.metavar  # click shows the default of a flag
    return f"{option.help}  [default: {default}]" if is_shown else option.help


def options_of(command: str) -> Callable:
    """All declared options of a command, as one decorator."""
    return with_options(*(declared(*key) for key in BY_COMMAND if key[0] == command))


def with_options(*options: Callable) -> Callable:
    """Several options as one decorator."""
    return lambda command: functools.reduce(lambda c, o: o(c), reversed(options), command)


def sections(params: list[click.Parameter], ctx: click.Context) -> dict[str, list[Any]]:
    """Rows of help by topic; an option without a topic is one of `Options`."""
    found: dict[str, list[Any]] = {topic: [] for topic in (*TOPICS, "Options")}
    for param in params:
        if isinstance(param, click.Option) and (row := param.get_help_record(ctx)):
            found[getattr(param, "topic", "Options")].append(row)
    return {topic: rows for topic, rows in found.items() if rows}
