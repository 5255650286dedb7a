"""`odonata app`: a model of an application."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .. import core
from ..app import report, running
from ..options import options_of
from ..progress import Progress
from .cli_request import Request, stopped
from .command import command

FIGURES = (".png", ".svg", ".pdf")


@command("app")
@click.argument("words", nargs=-1, metavar="NAME|FILE")
@options_of("app")
def app(words: tuple[str, ...], **given: Any) -> int:
    """Predict how an application scales, from its model.

    NAME is a model of odonata: hpcg. FILE is a Python file that defines `model = App(...)`
    (docs/application-models.md). Its results are compared with the program by
    `odonata app check FILE -- ./program`.

    odonata app hpcg --machine aurora --nodes 128:8192

    odonata app hpcg --machine frontier --nodes 8,64 --problem nx=320 --json
    """
    request = Request(given)
    request.use_rules(given["coll_rules"])
    wrong = request.wrong
    name = words[0] if words else "nothing"
    if len(words) > 1:
        wrong.add("model", " ".join(words), "one model")
    nodes = wrong.read(
        "nodes", given["nodes"] or "", running.read_nodes, running.NODES_WANTED, [1]
    )
    messages = wrong.count("app", "messages", given["messages"])
    problem = pairs(wrong, given["problem"])
    wrong.word("scaling", given["scaling"], running.SCALINGS, "a scaling")
    figure = given["plot"]
    if figure is not None and not figure.endswith(FIGURES):
        wrong.add("plot", figure, f"a file that ends in {', '.join(FIGURES)}")
    model = running.try_load(wrong, name)
    values = model.values(wrong, problem) if model else {}
    ppn = wrong.integer("ppn", given["ppn"], model.ppn if model else 1)
    request.finish()
    assert model is not None, "reported above"
    stop = core.Stop()
    with Progress(f"app {name}", request.quiet) as tick:
        jobs = [request.job(count, ppn) for count in nodes]
        title = model.title or Path(name).stem
        result = running.play(
            model, title, jobs, values, given["scaling"], request.fidelity, messages, tick, stop
        )
    if not request.as_json:
        print(report.shown(result), flush=True)
    if figure is not None and result.rows:
        result.plot().figure.savefig(figure, dpi=150)
        request.note(f"wrote {figure}")
    for run in result.summary["runs"][-1:]:
        request.print_notes(run)
        request.print_limits(run, given["preflight"])
        request.print_counters(run, given["counters"])
    request.deliver(result.summary, result.data)
    return stopped(stop, result.summary)


def pairs(wrong: Any, given: tuple[str, ...]) -> dict[str, str]:
    """Options of the model: `KEY=VALUE`."""
    found = {}
    for text in given:
        key, equals, value = text.partition("=")
        if key.strip() and equals:
            found[key.strip()] = value.strip()
        else:
            wrong.add("problem", text or "nothing", "KEY=VALUE, KEY an option of the model")
    return found
