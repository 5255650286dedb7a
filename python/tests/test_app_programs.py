"""Programs whose data determine their calls, compared with their models."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from pathlib import Path

import pytest

import odonata as od
from odonata import app
from odonata.app import checking, counts, normal, running
from odonata.app.phases import resolved
from odonata.errors import InputError

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
COMPILER = Path(od.__file__).parent / "_bin" / "odonata-mpicc"
BFS, SPH = EXAMPLES / "apps" / "bfs2d.py", EXAMPLES / "sph"


def check(odonata, model, ranks, *command, **more):
    """The comparison's result, and what the program has printed. A check notes its success beside
    the model, so a copy is checked."""
    copy = odonata.cwd / f"copy_of_{model.name}"
    copy.write_bytes(model.read_bytes())
    done = odonata("app", "check", copy, "--machine", "aurora", "-n", ranks, "--json", "--quiet",
                   *command, **more)  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    found = json.loads(done.stdout[done.stdout.index('{"name"'):])
    assert found["is_equal"] == (done.returncode == 0)
    return found, done.stdout + done.stderr


@pytest.fixture(scope="module")
def bfs2d(tmp_path_factory):
    target = tmp_path_factory.mktemp("bfs2d") / "bfs2d"
    subprocess.run(["sh", COMPILER, "-O1", EXAMPLES / "apps" / "bfs2d.c", "-o", target], check=True)
    return target


def test_the_search_equals_its_model(odonata, bfs2d):
    found, text = check(odonata, BFS, "8,27,64", "--", bfs2d, "{scale}", "{edges}")
    assert found["is_equal"], found
    # The times of the searches: set-up and the check of the tree are not in the model.
    times = [float(time) for time in re.findall(r"ranks, ([\d.]+) us: ok", text)]
    for size, time in zip(found["sizes"], times, strict=True):
        assert size["drawn"] >= 200
        assert 1e6 * size["model_s"] == pytest.approx(time, rel=0.1)


@pytest.mark.parametrize("variable, found, expected", [
    ("BFS2D_EXTRA_BYTES", "send to rank 9, 44 B", "send to rank 9, 43 B"),
    ("BFS2D_SWAP", "recv from rank", "recv from rank"),
])  # fmt: skip
def test_planted_differences_of_the_search_are_located(odonata, bfs2d, variable, found, expected):
    result, _ = check(odonata, BFS, "8,12", "--", bfs2d, "{scale}", "{edges}", env={variable: "1"})
    differences = result["sizes"][1]["differences"]
    assert differences and all(one["phase"] == "bottom up" for one in differences)
    for one in differences:
        assert found in one["found"] and expected in one["expected"]
        assert one["found"] != one["expected"]
    assert {one["rank"] for one in differences} <= {9, 10, 11}  # the last row of 4 x 3


def test_another_graph_is_not_that_of_the_model(odonata, bfs2d):
    result, _ = check(odonata, BFS, "8,16", "--", bfs2d, "{scale}", 12)
    assert not result["is_equal"]


WORDS = ("--particles", "{particles}", "--split", "{split}", "--steps", "{steps}")


def test_the_sph_code_equals_its_model(odonata):
    found, text = check(odonata, SPH / "model.py", "8,27,64", "--problem", "steps=1", "--",
                        "python", SPH / "sph.py", *WORDS)  # fmt: skip
    assert found["is_equal"], found
    times = [float(time) for time in re.findall(r"step ([\d.]+) us", text)]
    for size, time in zip(found["sizes"], times, strict=True):
        assert size["drawn"] > 3000
        assert 1e6 * size["model_s"] == pytest.approx(time, rel=0.03)


# The last rank sends a byte more than whole particles, or its first messages in another order.
PLANTED = """
import sys
sys.path.insert(0, {folder!r})
import exchange
import numpy as np
send = exchange.Exchange.__call__
def planted(self, messages):
    if self.comm.rank == self.comm.size - 1 and len(messages) > 1:
        {change}
    return [(source, data[: len(data) // 8 * 8]) for source, data in send(self, messages)]
exchange.Exchange.__call__ = planted
import sph
sys.exit(sph.main())
"""
BYTE = "messages[0] = (messages[0][0], np.append(messages[0][1], np.uint8(0)))"
ORDER = "messages = messages[1:] + messages[:1]"


@pytest.mark.parametrize("change, differs", [(BYTE, r"(\d+) B"), (ORDER, r"rank (\d+)")])
def test_planted_differences_of_the_sph_code_are_located(odonata, tmp_path, change, differs):
    script = tmp_path / "planted.py"
    script.write_text(PLANTED.format(folder=str(SPH), change=change))
    found, _ = check(odonata, SPH / "model.py", "4,8", "--problem", "steps=1", "--",
                     "python", script, *WORDS)  # fmt: skip
    for size in found["sizes"]:
        last = [one for one in size["differences"] if one["rank"] == size["ranks"] - 1]
        assert last and last[0]["phase"] == "smoothing length", size["differences"]
        numbers = [re.search(differs, last[0][of]) for of in ("found", "expected")]
        assert numbers[0][1] != numbers[1][1]


# Changes of a model: a byte, and a partner.
CHANGED = {
    "swfft": [("(n, n, n), 16)", "(n, n, n), 17)"), ("shape.insert(axis", "shape.insert(2 - axis")],
    "fmm": [("(a.order + 1) ** 2", "(a.order + 1) ** 2 + 1"),
            ("access(size, count=count, to=a.targets)", "access(size, count=count, shift=1)")],
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGED)
def test_changed_models_differ_from_their_programs(odonata, tmp_path, name):
    program, source = tmp_path / name, EXAMPLES / "apps" / f"{name}.c"
    subprocess.run(["sh", COMPILER, "-O1", source, "-o", program, "-lm"], check=True)
    models = {"swfft": EXAMPLES / "apps" / "swfft.py", "fmm": Path(app.__file__).parent / "models"
              / "fmm.py"}  # fmt: skip
    text, words = models[name].read_text(), {
        "swfft": ("--problem", "points=32", "--", program, "{points}"),
        "fmm": ("--problem", "count=150", "--problem", "fence_every=21", "--", program, "get",
                "{count}", "{fence_every}", "{order}"),
    }[name]  # fmt: skip
    for nth, change in enumerate([(), *CHANGED[name]]):
        model = tmp_path / f"model{nth}.py"
        model.write_text(text.replace(*change) if change else text)
        assert change == () or model.read_text() != text
        found, _ = check(odonata, model, "4,8", *words)
        assert found["is_equal"] == (change == ())
        for size in found["sizes"] if change else ():
            assert size["differences"][0]["found"] != size["differences"][0]["expected"]


def row(op, **more):
    return {"op": op, "peer": 1, "bytes": 0, "back": 0, "flags": 0, "lengths": [], "root": 0,
            "members": (0, 1), **more}  # fmt: skip


def test_drawn_sizes_are_whole_elements():
    call = checking.Call("send", "p", 1, 104, 0, (0, 1), 72, 136, False, 32, 8)
    assert checking.is_equal(call, row("send", bytes=136), None)
    assert not checking.is_equal(call, row("send", bytes=137), None)


def test_blocks_of_alltoallv_have_ranges_of_their_own():
    blocks = ((0, 0), (16, 48), (0, 0), (16, 48))
    call = checking.Call("alltoallv", "p", 0, 16, 0, (0, 1), None, None, False, 16, 0, blocks)
    for lengths, is_equal, outside in (
        ([0, 32, 0, 48], True, 0), ([16, 32, 0, 64], True, 2), ([0, 33, 0, 32], False, 0),
        ([0, 32], False, 0),
    ):  # fmt: skip
        size = checking.SizeCheck(2)
        assert checking.is_equal(call, row("alltoallv", lengths=lengths), size) == is_equal
        assert size.outside == outside


def test_counts_depend_on_the_size():
    assert resolved(counts(), 48, 16) == {"kind": "poisson", "mean": 3}
    assert resolved(counts(), 0, 16) is None
    assert resolved(normal(0.1), 48, 16) == normal(0.1)


@pytest.mark.parametrize("order, expected", [
    ("list", ["send 2 20", "recv 0 15", "recv 2 25", "send 0 10"]),
    ("isend", ["recv 0 15", "recv 2 25", "send 2 20", "send 0 10"]),
    ("send", ["recv 0 15", "recv 2 25", "send 2 20", "send 0 10"]),
    # From rank 1 on: ranks 2, 3 and 0.
    ("around", ["recv 2 25", "recv 0 15", "send 2 20", "send 0 10"]),
])  # fmt: skip
def test_messages_along_links_have_an_order(order, expected):
    def model(a):
        links = a.links([(1, 2, 3), (0, 1, 2), (2, 1, 4), (1, 0, 1)])
        a.messages(links, [5, 5, 5, 5], head=5, order=order)

    phases = app.App(model).phases(4, 1, {})
    calls = checking.calls_of(phases)["ranks"]
    assert [f"{op} {peer} {size}" for op, _, peer, size, *_ in calls[1]] == expected
    assert not calls[3]


def test_wrong_links_and_blocks_are_errors():
    def model(a):
        a.messages(a.links([(0, 9, 1)]), 8)
        a.messages(a.links([(0, 1, 1)]), 8, order="first")
        a.alltoallv([], axes=0)
        a.alltoallv([8, 8, 8, 8], spread=[normal(0.1)])
        a.compute(seconds=1, noise=counts())

    with pytest.raises(InputError) as error:
        app.App(model).phases(4, 1, {})
    for words in ("rank 9", "order `first`", "no blocks", "1 spreads", "counts"):
        assert words in str(error.value)
    with pytest.raises(InputError, match="one per member"):
        checking.calls_of(app.App(lambda a: a.alltoallv([8, 8, 8])).phases(4, 1, {}))


def test_the_count_of_words_equals_its_model(odonata, tmp_path):
    """A model that sends each word twice, or words of 7 bytes, differs."""
    program = tmp_path / "kmers"
    source = EXAMPLES / "apps" / "kmers.py"
    subprocess.run(["sh", COMPILER, "-O1", source.with_suffix(".c"), "-o", program], check=True)
    words = ("--", program, "{reads}", "{batches}")
    found, text = check(odonata, source, "8,27", *words)
    assert found["is_equal"] and ": ok" in text, found
    assert found["sizes"][1]["drawn"] == 2 * 27 * 27 * 4
    for old, new in (("alltoallv(8 *", "alltoallv(16 *"), ("grain=8", "grain=7")):
        planted = tmp_path / "planted.py"
        planted.write_text(source.read_text().replace(old, new))
        found, _ = check(odonata, planted, "8,12", *words)
        assert not found["is_equal"]


def test_error_bars_of_a_model_do_not_depend_on_its_title(odonata):
    """The title of `hpl` is HPL. Its measurements are those of applications: hpl."""
    done = odonata("app", "hpl", "--machine", "aurora", "--nodes", 1, "--problem", "n=9000",
                   "--problem", "nb=512", "--json")  # fmt: skip
    command = json.loads(done.stdout)
    values = {"nodes": 1, "problem": {"n": 9000, "nb": 512}}
    for model in ("hpl", running.load("hpl")):
        summary = running.run(model, od.machine("aurora"), **values).summary
        assert summary["bands"] == command["bands"]
    assert command["bands"][0]["residuals_of"] == "applications: hpl"


def test_the_search_is_composed_of_its_parts():
    """The program does not grow with the ranks, and its time is that of the whole."""
    model, job = running.load(str(BFS)), od.machine("aurora").job(nodes=16, ppn=8)
    values = {**model.options, "scale": 24}
    phases = model.phases(16, 8, values)
    size = len(json.dumps(model.phases(256, 8, values).program()["body"]))
    assert size < 2 * len(json.dumps(phases.program()["body"]))
    assert running.composition((job, phases), "loggp", 2_000_000, None, None)["error"] < 0.1


def test_checks_of_models_are_those_of_their_present_text():
    """docs/application-models.md states the numbers of ranks."""
    folders = (EXAMPLES, ROOT / "python" / "odonata" / "app" / "models")
    stamps = sorted(file for folder in folders for file in folder.rglob(f"*{checking.STAMP}"))
    names = [stamp.name.removesuffix(checking.STAMP) for stamp in stamps]
    assert sorted(names) == ["bfs2d.py", "fmm.py", "kmers.py", "model.py", "swfft.py"]
    for stamp, name in zip(stamps, names, strict=True):
        text = stamp.with_name(name).read_bytes()
        expected = {"sha256": hashlib.sha256(text).hexdigest(), "ranks": [8, 27, 64]}
        assert json.loads(stamp.read_text()) == expected, stamp
