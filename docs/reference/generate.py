"""Write the reference pages from the declarations they describe.

    python docs/reference/generate.py [--check]

One declaration each: the command line's help texts become `cli.md`, the Python API's docstrings
`python.md`. `--check` writes nothing and fails if a page is stale; the tests run it.
"""

from __future__ import annotations

import argparse
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click

import odonata
from odonata import benchmarking, benchmarks, cli, errors, extrapolating, launch, machines, patterns
from odonata import multi_job, options, replaying, sweeps, tuning

HERE = Path(__file__).resolve().parent
NOTE = "<!-- Written by docs/reference/generate.py; change the declarations, not this page. -->"


def cli_page() -> str:
    """Every command with its arguments and options."""
    lines = ["# Command line", "", NOTE, "", inspect.cleandoc(cli.cli.help or ""), ""]
    for name, command in commands():
        context = click.Context(command, info_name=f"odonata {name}")
        usage = " ".join(command.collect_usage_pieces(context))
        lines += [f"## odonata {name}", "", f"    odonata {name} {usage}", ""]
        lines += [inspect.cleandoc(command.help or ""), ""]
        for title, rows in options.sections(command.params, context).items():
            lines += [f"| {title} | |", "|---|---|"]
            lines += [f"| `{cell(names)}` | {cell(words)} |" for names, words in rows]
            lines.append("")
    lines += [
        "## Exit codes",
        "",
        "All of them are in [exit-codes.md](exit-codes.md). Which numbers options accept is in",
        "[ranges.md](ranges.md).",
        "",
    ]
    return "\n".join(lines)


def commands() -> Iterator[tuple[str, click.Command]]:
    """All commands that help texts show, with the subcommands of groups."""
    for name, command in cli.cli.commands.items():
        if not command.hidden:
            yield name, command
        if isinstance(command, click.Group):
            yield from ((f"{name} {own}", one) for own, one in command.commands.items())


def cell(text: str) -> str:
    """Text in a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def described(name: str, thing: object, level: str) -> list[str]:
    """Heading, signature and docstring."""
    lines = [f"{level} {name}", ""]
    if isinstance(thing, property):
        pass
    elif inspect.isclass(thing) and issubclass(thing, Exception):
        pass
    elif callable(thing):
        # Annotations are texts; show them without quotes, and defaults with theirs.
        signature = re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(inspect.signature(thing)))
        signature = re.sub(r"\((self|cls)(, )?", "(", signature)
        lines += [f"    {name}{signature}", ""]
    return [*lines, inspect.getdoc(thing) or "", ""]


def python_page() -> str:
    """Every public function and class."""
    lines = ["# Python", "", NOTE, "", "```python", "import odonata as od", "```", ""]
    lines += [inspect.cleandoc(odonata.__doc__ or "").splitlines()[0], ""]
    for name, thing in (("od.machine", machines.machine), ("od.presets", machines.presets)):
        lines += described(name, thing, "##")
    for name, kind in (("Machine", machines.Machine), ("Job", machines.Job)):
        lines += members(name, kind)
    lines += described("od.bench", benchmarking.bench, "##")
    lines += ["`od.bench.NAME(job, ...)` is short for `od.bench(\"NAME\", job, ...)`:", ""]
    lines += ["| benchmark | title | default sizes |", "|---|---|---|"]
    for name, kind in benchmarks.KINDS.items():
        lines.append(f"| `{name}` | {kind.title} | `{kind.sizes}` |")
    lines.append("")
    lines += members("BenchResult", benchmarking.BenchResult)
    lines += described("od.traffic", patterns.traffic, "##")
    lines += members("TrafficResult", patterns.TrafficResult)
    lines += described("od.tune", tuning.tune, "##")
    lines += members("TuneResult", tuning.TuneResult)
    lines += described("od.run", launch.run, "##")
    lines += members("RunResult", launch.RunResult)
    lines += described("od.replay", replaying.replay, "##")
    lines += described("od.extrapolate", extrapolating.extrapolate, "##")
    lines += members("Extrapolation", extrapolating.Extrapolation)
    lines += described("od.jobs", multi_job.jobs, "##")
    lines += members("JobsResult", multi_job.JobsResult)
    lines += described("od.sweep", sweeps.sweep, "##")
    lines += members("SweepResult", sweeps.SweepResult)
    for name in ("Error", "InputError", "Diagnostic", "SimulatedFailure"):
        lines += described(f"od.{name}", getattr(errors, name), "##")
    return "\n".join(lines)


def members(name: str, kind: type) -> list[str]:
    """A class and what it offers."""
    lines = [f"## {name}", "", inspect.getdoc(kind) or "", ""]
    inherited = {n: t for base in reversed(kind.__mro__[:-1]) for n, t in vars(base).items()}
    for member, thing in inherited.items():
        public = not member.startswith("_") and member not in ("request", "check")
        thing = thing.__func__ if isinstance(thing, classmethod) else thing
        if public and (isinstance(thing, property) or inspect.isfunction(thing)):
            lines += described(f"{name}.{member}", thing, "###")
    return lines


PAGES = {"cli.md": cli_page, "python.md": python_page}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if stale")
    given = parser.parse_args()
    stale = []
    for name, page in PAGES.items():
        path, text = HERE / name, page()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
            if not given.check:
                path.write_text(text, encoding="utf-8")
    if given.check and stale:
        print(f"stale: {', '.join(stale)}; run docs/reference/generate.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
