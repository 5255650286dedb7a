"""Options of other launchers that `odonata run` accepts, with the same effect or with none."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import click

from ..synonyms import (
    LESS,
    MAPPINGS,
    MEANS,
    OPTIONAL,
    EXPLANATIONS,
    VARIABLES,
    WITHOUT_EFFECT,
    Hint,
    exported,
    place_of_mapping,
)
from .command import Command

KEY = "odonata.launchers"
# Options of `odonata run` with one dash and several letters.
OWN = (
    "-np", "-ppn", "-npernode", "-perhost", "-hostfile", "-machinefile", "-wdir", "-prepend-rank"
)  # fmt: skip
# Such options that it does not have: without an entry, click reads them letter by letter.
REFUSED = [
    name for name in (*MEANS, *EXPLANATIONS)
    if re.fullmatch("-[a-z-]{2,}", name) and name[1] != "-"
    and name not in (*OWN, *VARIABLES, *MAPPINGS)
]  # fmt: skip


class RunCommand(Command):
    """`odonata run`, which also accepts options of other launchers."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        rest = super().parse_args(ctx, list(bare(args)))
        # The program's own arguments are last and stay unchanged.
        program = ctx.params.get("program") or ()
        ctx.params["program"] = tuple(args[len(args) - len(program):])
        return rest


def bare(args: list[str]) -> Iterator[str]:
    """The same number of arguments, without optional values, and with `-genv NAME=VALUE` as
    `--env NAME=VALUE`."""
    options = True
    for arg, following in zip(args, [*args[1:], ""], strict=True):
        options = options and arg != "--"
        name, _, value = arg.partition("=")
        if options and name in VARIABLES and "=" in (value or following):
            arg = arg.replace(name, "--env", 1)
        if options and (name != arg and name in OPTIONAL or re.fullmatch("-K[01]", arg)):
            arg = name if name in OPTIONAL else "-K"
        yield arg


def remember(name: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    """A callback that stores the value of the option `name`."""

    def callback(ctx: click.Context, _: click.Parameter, value: Any) -> None:
        if value:
            ctx.meta.setdefault(KEY, []).append((name, value))

    return callback


def hidden(name: str, words: int) -> Callable:
    """An option with so many values that `--help` does not list."""
    how: dict[str, Any] = {"is_flag": True} if words == 0 else {"type": str, "multiple": True}
    if words > 1:
        how["nargs"] = words
    # `-E` and `-e` are two options.
    parameter = "other_" + "_".join(str(ord(letter)) for letter in name)
    return click.option(
        name, parameter, hidden=True, expose_value=False, callback=remember(name), **how
    )


def refuse(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    """A callback of an option that is refused."""
    if value:
        raise click.NoSuchOption(param.opts[0], ctx=ctx)


def options() -> tuple[Callable, ...]:
    """All these options, for `with_options`."""
    return (
        *(hidden(name, words) for name, (words, _) in WITHOUT_EFFECT.items()),
        *(hidden(name, 1) for name in (*MAPPINGS, "--export")),
        *(hidden(name, 2) for name in VARIABLES),
        *(
            click.option(name, f"no_{nth}", hidden=True, expose_value=False, is_flag=True,
                         is_eager=True, callback=refuse)
            for nth, name in enumerate(REFUSED)
        ),
    )


def given(wrong: Any) -> tuple[list[str], list[str]]:
    """Notes on the given options, and the variables that they set, as NAME=VALUE."""
    notes: dict[str, None] = {}
    variables = []
    for name, value in click.get_current_context().meta.get(KEY, ()):
        if name in WITHOUT_EFFECT:
            notes[f"{name} has no effect here: {WITHOUT_EFFECT[name][1]}"] = None
            continue
        for one in value:
            if name in VARIABLES:
                variables.append("=".join(one))
            elif name == "--export":
                found, ignored = exported(one)
                variables += found
                notes |= {f"--export={word} has no effect here: {LESS}": None for word in ignored}
            else:
                mapped(wrong, name, one, notes)
    return list(notes), variables


def mapped(wrong: Any, name: str, value: str, notes: dict[str, None]) -> None:
    """`--map-by`: no effect within a node; between nodes there is another option."""
    equivalent = place_of_mapping(name, value)
    if equivalent is None:
        notes[f"{name} {value} has no effect here: a rank has a core of its own"] = None
    elif isinstance(equivalent, Hint):
        wrong.add(name, value, "an object within a node, such as `core`", equivalent.text)
    else:
        hint = f"`{equivalent}` does this"
        wrong.add(name, value, "an object within a node, such as `core`", hint)


def bench_nodes(wrong: Any, given: dict[str, Any]) -> tuple[int, int]:
    """Nodes and ranks per node of a benchmark, which fills each of its nodes."""
    if given["ranks"] is None:
        nodes, ppn = (wrong.count("bench", name, given[name]) for name in ("nodes", "ppn"))
        return nodes, ppn
    ranks, per_node = size(wrong, {**given, "hostfile": None})
    assert per_node is not None, "there is no host file"
    if ranks % per_node:
        wrong.add("ranks", ranks, f"a multiple of the {per_node} ranks per node of --ppn")
    return -(-ranks // per_node), per_node


def size(wrong: Any, given: dict[str, Any]) -> tuple[int, int | None]:
    """Ranks, and ranks per node (None: as in the host file), of `-n`, `--ppn` and `--nodes`.

    As with srun, `--nodes` and ranks per node give the number of ranks; `--nodes` and the number of
    ranks give those per node; `--nodes` alone is one rank per node.
    """
    if given["nodes"] is None:
        ranks = wrong.integer("ranks", given["ranks"], None)
        by_hosts = given["hostfile"] is not None and given["ppn"] is None
        return ranks, None if by_hosts else wrong.integer("ppn", given["ppn"], 1)
    before = len(wrong.list)
    nodes = wrong.integer("--nodes", given["nodes"], None)
    ppn = wrong.integer("ppn", given["ppn"], 1)
    ranks = wrong.integer("ranks", given["ranks"], nodes * ppn)
    if given["hostfile"] is not None:
        wrong.add("--nodes", given["nodes"], "no number with --hostfile, which has the nodes")
    if len(wrong.list) > before:
        return ranks, ppn
    if given["ppn"] is None and ranks % nodes:
        wanted = f"a number that divides the {ranks} ranks of -n, or --ppn P with it"
        wrong.add("--nodes", str(nodes), wanted, "--hostfile can have unequal numbers of ranks")
    elif given["ppn"] is None:
        ppn = ranks // nodes
    elif -(-ranks // ppn) != nodes:
        wanted = f"{-(-ranks // ppn)}, the nodes that {ranks} ranks fill with {ppn} on each"
        wrong.add("--nodes", str(nodes), wanted)
    return ranks, ppn
