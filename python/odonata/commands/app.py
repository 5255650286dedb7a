"""`odonata app`: a model of an application."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import click

from .. import core, text, tuning
from .._vocabulary import BUFFERS
from ..app import checking, rates, report, running
from ..app.phases import input_error
from ..errors import Diagnostics, InputError, SimulatedFailure
from ..files import why
from ..options import options_of
from ..progress import Progress
from ..streams import say, stdout_for_json
from ..terminal import escaped
from .cli_request import Request, given_by_hand, stopped
from .command import command

RANKS_WANTED = "numbers of ranks, such as `8,27,64`"
FIGURES = (".png", ".svg", ".pdf")


@command("app")
@click.argument("words", nargs=-1, metavar="NAME|FILE|check|rates", type=click.UNPROCESSED)
@options_of("app")
def app(words: tuple[str, ...], **given: Any) -> int:
    """Predict how an application scales, from its model.

    NAME is a model of odonata: hpcg. FILE is a Python file that defines `model = App(...)`
    (docs/application-models.md). Its results are compared with the program by
    `odonata app check FILE -- ./program`.

    odonata app hpcg --machine aurora --nodes 128:8192

    odonata app hpcg --machine frontier --nodes 8,64 --problem nx=320 --json

    odonata app check my_model.py --machine aurora -n 8,27 -- ./program {n}

    `odonata app rates FILE` measures this computer's rates for `--rates FILE`.

    `odonata app all` predicts all models of odonata, one after the other. With --json, each is a
    line.
    """
    if words[:1] == ("rates",):
        return measure_rates(words[1:], given)
    if words[:1] == ("all",):
        return every_model(words[1:], given)
    if given["rates"] is not None:
        # Keys of --set are applied after those of the file.
        measured = tuple(f"{key}={value}" for key, value in rates.read(given["rates"]).items())
        given = {**given, "changes": measured + tuple(given["changes"])}
    request = Request(given)
    request.use_rules(given["coll_rules"])
    if words[:1] == ("check",):
        return compare(request, words[1:], given)
    wrong = request.wrong
    name = words[0] if words else "nothing"
    if len(words) > 1:
        wrong.add("model", " ".join(words), "one model")
    if given["nodes"] is None:
        wrong.add("nodes", "nothing", running.NODES_WANTED)
    nodes = wrong.read(
        "nodes", given["nodes"] or "1", running.read_nodes, running.NODES_WANTED, [1]
    )
    messages = wrong.count("app", "messages", given["messages"])
    problem = pairs(wrong, given["problem"])
    wrong.word("scaling", given["scaling"], running.SCALINGS, "a scaling")
    wrong.word("buffers", given["buffers"], BUFFERS, "one of")
    figure = given["plot"]
    if figure is not None and not figure.endswith(FIGURES):
        wrong.add("plot", figure, f"a file that ends in {', '.join(FIGURES)}")
    model = running.try_load(wrong, name)
    if model and given["native"] and model.native is None:
        wrong.add("native", name, "a model with the output of its application: hpl")
    values = model.values(wrong, problem) if model else {}
    is_default = given["ppn"] is None and model is not None and not wrong.list
    default = model.ranks_per_node(request.machine) if model and is_default else 1
    ppn = wrong.integer("ppn", given["ppn"], default)
    if request.timeline and len(nodes) > 1:
        wrong.add("timeline", given["timeline"], "one number of nodes with a timeline")
    request.finish()
    assert model is not None, "reported above"
    stop = core.Stop()
    with Progress(f"app {name}", request.quiet, form=given["progress"]) as tick:
        jobs = [request.job(count, ppn) for count in nodes]
        title = model.title or Path(name).stem
        result = running.play(
            model, title, jobs, values, given["scaling"], request.fidelity, messages, tick, stop,
            given["native"], given["advise"], given["buffers"],
        )  # fmt: skip
    if not request.as_json:
        own = ["", *result.native] if given["native"] else []
        print("\n".join([report.shown(result), *own]), flush=True)
    if figure is not None and result.rows:
        result.plot().figure.savefig(figure, dpi=150)
        request.note(f"wrote {figure}")
    for run in result.summary["runs"][-1:]:
        request.print_notes(run)
        request.print_threads(run)
        request.print_limits(run, given["preflight"])
        request.print_counters(run, given["counters"])
    lost = max(map(request.print_timeline, result.summary["runs"]), default=0)
    request.deliver(result.summary, result.data)
    return stopped(stop, result.summary) or lost


def every_model(words: tuple[str, ...], given: dict[str, Any]) -> int:
    """All models of odonata with the same options; the largest exit code. Problems and failures of
    one model do not stop the others, an interruption does."""
    wrong = Diagnostics()
    if words:
        wrong.add("model", " ".join(("all", *words)), "`all` without other names")
    for name in ("problem", "plot", "native", "timeline", "out"):
        if given.get(name):
            wrong.add(name, "given", "one model")
    wrong.raise_any()
    assert app.callback is not None, "a command"
    worst = 0
    for nth, name in enumerate(running.BUILT_IN):
        if nth and not given["as_json"]:
            print(flush=True)
        try:
            code = int(app.callback(words=(name,), **given))
            if code >= 128:
                return code
            worst = max(worst, code)
        except InputError as error:
            # A model need not be valid on any number of nodes.
            say(f"odonata: {name}: {escaped(str(error))}")
            worst = max(worst, 2)
        except SimulatedFailure as error:
            message = f"{name}: {error}"
            say(text.failure({"kind": error.kind, "message": message, "ranks": error.ranks}))
            worst = max(worst, 1)
    return worst


def compare(request: Request, words: tuple[str, ...], given: dict[str, Any]) -> int:
    """Compare a model with its program; exit code 1 if they differ."""
    wrong = request.wrong
    name = words[0] if words else "nothing"
    model = running.try_load(wrong, name)
    values = model.values(wrong, pairs(wrong, given["problem"])) if model else {}
    ranks = wrong.read("ranks", given["ranks"], tuning.read_counts, RANKS_WANTED, [8])
    request.finish()
    assert model is not None, "reported above"
    progress = Progress("check", request.quiet, form=given["progress"])
    with stdout_for_json(request.as_json) as stdout, progress as tick:
        result = checking.check(
            model, name, request.machine, list(words[1:]), ranks, values, tick=tick,
            computes=given["rates"] is not None,
        )  # fmt: skip
        if request.as_json:
            print(json.dumps(result.row()), file=stdout, flush=True)
    if not request.as_json:
        print(result.text(), flush=True)
    return 0 if result.is_equal else 1


def measure_rates(words: tuple[str, ...], given: dict[str, Any]) -> int:
    """Measure this computer's rates, for a program if one is given; write or print them."""
    file, program = words[:1], words[1:]
    if not all(word.endswith(".toml") for word in file):
        raise input_error("rates", file[0], "a file to write, FILE.toml")
    fits = None
    if program:
        request = Request(given)
        model = running.try_load(request.wrong, program[0])
        values = model.values(request.wrong, pairs(request.wrong, given["problem"])) \
            if model else {}  # fmt: skip
        chosen = given["ranks"] if given_by_hand("ranks") else "1"  # not the default of `check`
        ranks = request.wrong.integer("ranks", chosen, 1)
        request.finish()
        assert model is not None, "reported above"
        fits = functools.partial(
            rates.fit, model=model, machine=request.machine, program=program[1:],
            values=values, ranks=ranks,
        )  # fmt: skip
    timings = rates.measure()
    keys, note = rates.device(timings), ""
    if fits is not None:
        of = fits(keys)
        keys = rates.fitted(keys, of)
        each = ", ".join(f"{name} {factor:.3g}" for name, factor in of.factors.items())
        note = f"For {program[0]}, times as fast as the kernels: {each}."
    text = rates.written(timings, keys, note)
    if not file:
        print(text, end="", flush=True)
        return 0
    try:
        Path(file[0]).write_text(text, encoding="utf-8")
    except OSError as error:
        raise input_error("rates", file[0], f"a file that can be written ({why(error)})") from None
    if not given["quiet"]:
        say(f"odonata: wrote {escaped(file[0])}" + (f" ({note})" if note else ""))
    return 0


def pairs(wrong: Any, given: tuple[str, ...]) -> dict[str, str]:
    """Options of the model: `KEY=VALUE`."""
    found = {}
    for pair in given:
        key, equals, value = pair.partition("=")
        if key.strip() and equals:
            found[key.strip()] = value.strip()
        else:
            wrong.add("problem", pair or "nothing", "KEY=VALUE, KEY an option of the model")
    return found
