"""The report: self-contained, with correct numbers, for every kind of result."""

from __future__ import annotations

import base64
import io
import json
import os
import re
from html.parser import HTMLParser

import matplotlib.image
import pytest

import odonata as od
from odonata import comparing, report
from odonata.report import drawings

SMALL = ("--machine", "dragonfly-1056")


class Page(HTMLParser):
    """Collects references and text of a page, and checks that tags match."""

    VOID = {"meta"}

    def __init__(self, text: str):
        super().__init__()
        self.references: list[str] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.references += [v for k, v in attrs if k in ("href", "src", "srcset", "xlink:href")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.references += [v for k, v in attrs if k in ("href", "src", "srcset", "xlink:href")]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def check(text: str) -> str:
    """Checks that a page needs no network; returns its text."""
    page = Page(text)
    assert page.open == []
    ids = set(re.findall(r' id="([^"]+)"', text))
    for r in page.references:  # within the page, or a data URL
        assert r.startswith("data:") or r.removeprefix("#") in ids, r
    assert "@import" not in text and "url(" not in text and "<script" not in text
    return " ".join(" ".join(page.words).split())


def test_of_a_run(odonata, program, tmp_path):
    run = odonata("run", "-n", "8", "--ppn", "2", *SMALL, "--out", "results", "--", "python",
                  program("ring"), "5000")  # fmt: skip
    assert run.returncode == 0, run.stderr
    done = odonata("report", "results", "--no-published")
    assert done.returncode == 0, done.stderr
    words = check((tmp_path / "results" / "report.html").read_text())
    summary = json.loads((tmp_path / "results" / "summary.json").read_text())
    for output in ("ring.py 5000", "MPI_Sendrecv", "inside a node", summary["digest"],
                 "odonata run -n 8", "Hottest links"):  # fmt: skip
        assert output in words, output


def test_of_a_failure_and_of_text_with_markup(odonata, program, tmp_path):
    odonata("run", "-n", "2", "--ppn", "1", *SMALL, "--out", "results", "--", "python",
            program("deadlock"), "<script>alert(1)</script>")  # fmt: skip
    assert odonata("report", "results", "--no-published", "-o", "page.html").returncode == 0
    words = check((tmp_path / "page.html").read_text())
    assert "ended early: deadlock" in words and "MPI_Recv" in words
    assert "no prediction: ended early" in words and "predicted time" not in words


def test_of_several_jobs_of_which_one_failed(odonata, program, tmp_path):
    one = "[[job]]\nname = '{}'\nprogram = ['python', '{}']\nranks = 2\ncompute = 'none'\n"
    jobs = [one.format("good", program("ring")), one.format("bad", program("deadlock"))]
    (tmp_path / "jobs.toml").write_text("".join(jobs))
    assert odonata("run", *SMALL, "--jobs", "jobs.toml", "--out", "results").returncode == 1
    assert odonata("report", "results", "--no-published").returncode == 0
    words = check((tmp_path / "results" / "report.html").read_text())
    assert "2 jobs no prediction: 1 of 2 jobs failed fidelity" in words
    assert "Job bad ended early: deadlock" in words


def test_of_traffic_that_did_not_arrive(odonata, tmp_path):
    """No packet arrives within a picosecond."""
    command = ("traffic", "uniform", *SMALL, "--load", "0.1", "--warmup", "1ps", "--time", "1ps")
    assert odonata(*command, "--out", "results").returncode == 0
    assert odonata("report", "results", "--no-published").returncode == 0
    words = check((tmp_path / "results" / "report.html").read_text())
    assert "highest accepted load nothing arrived" in words
    assert "0.0 %" not in words


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("bench", "latency", *SMALL, "--sizes", "1:1Ki"), ["latency", "1 KiB"]),
        (("traffic", "uniform", *SMALL, "--load", "0.1,0.2", "--time", "2us", "--warmup", "2us"),
         ["uniform traffic", "0.200"]),
    ],
)  # fmt: skip
def test_of_other_results(odonata, tmp_path, arguments, expected):
    assert odonata(*arguments, "--out", "results").returncode == 0
    assert odonata("report", "results", "--no-published").returncode == 0
    words = check((tmp_path / "results" / "report.html").read_text())
    for one in expected:
        assert one in words


def test_published_and_predicted_curves(odonata, tmp_path):
    assert odonata("bench", "barrier", *SMALL, "--out", "results").returncode == 0
    rows = [
        {"what": "a curve", "preset": "aurora", "bytes": 2**n, "measured_s": 1e-6,
         "predicted_s": 1.1e-6, "error": 0.1, "conditions": "none", "sets": "none",
         "source": "a paper"}
        for n in range(4)
    ]  # fmt: skip
    summary = json.loads((tmp_path / "results" / "summary.json").read_text())
    words = check(report.html(summary, {}, published_rows=rows))
    assert "a paper" in words and "+10.0 %" in words and "median error 10.0 %" in words


def test_only_a_report_is_overwritten(odonata, tmp_path):
    assert odonata("bench", "barrier", *SMALL, "--out", "results").returncode == 0
    mine = tmp_path / "thesis.html"
    mine.write_text("years of work")
    write = ("report", "results", "--no-published", "-o")
    for target, output in (("thesis.html", "--force"), (".", "directory"), ("", "empty"),
                         ("/proc/no.html", "can be written")):  # fmt: skip
        done = odonata(*write, target)
        assert done.returncode == 2 and "--output" in done.stderr and output in done.stderr
    assert mine.read_text() == "years of work"
    assert odonata(*write, "thesis.html", "--force").returncode == 0
    assert odonata(*write, "thesis.html").returncode == 0
    assert "MPI" in mine.read_text() or "barrier" in check(mine.read_text())


def test_a_dangling_link_is_written_through(odonata, tmp_path):
    link = tmp_path / "link.html"
    link.symlink_to("page.html")
    assert odonata("bench", "barrier", *SMALL, "--out", "results").returncode == 0
    done = odonata("report", "results", "--no-published", "-o", "link.html")
    assert done.returncode == 0 and link.is_symlink(), done.stderr
    assert "barrier" in check((tmp_path / "page.html").read_text())
    link.unlink()
    link.symlink_to("nowhere/page.html")
    done = odonata("report", "results", "--no-published", "-o", "link.html")
    assert done.returncode == 2 and "a directory that exists" in done.stderr
    assert link.is_symlink()


def test_a_pipe_of_its_name_is_no_report(tmp_path):
    result = od.bench.barrier(od.machine("dragonfly-1056").job(nodes=2))
    result.save(tmp_path / "d")
    os.mkfifo(tmp_path / "d" / "report.html")
    result.save(tmp_path / "d", force=True)  # reading it would block
    assert (tmp_path / "d" / "report.html").is_fifo()


@pytest.mark.parametrize("damage", ["keys", "table", "kind"])
def test_of_damaged_results(odonata, tmp_path, damage):
    assert odonata("bench", "latency", *SMALL, "--sizes", "8", "--out", "d").returncode == 0
    if damage == "table":
        (tmp_path / "d" / "rows.parquet").write_bytes(b"garbage")
    else:
        kept = {"kind": 3} if damage == "kind" else {}
        text = json.dumps({"format": "odonata-results/1", **kept})
        (tmp_path / "d" / "summary.json").write_text(text)
    done = odonata("report", "d", "--no-published")
    assert done.returncode == 2 and "RUNDIR" in done.stderr and "1 problem" in done.stderr
    assert not (tmp_path / "d" / "report.html").exists()


def test_the_report_of_replaced_results_is_removed(odonata, tmp_path):
    command = ("bench", "barrier", *SMALL, "--out", "results", "--quiet")
    page = tmp_path / "results" / "report.html"
    assert odonata(*command).returncode == 0
    assert odonata("report", "results", "--no-published").returncode == 0
    check(page.read_text())
    assert odonata(*command, "--force").returncode == 0
    assert not page.exists()
    page.write_text("<p>mine</p>")  # other files are not touched
    assert odonata(*command, "--force").returncode == 0
    assert page.read_text() == "<p>mine</p>"


def test_each_kind_of_result_has_a_report(odonata, tmp_path):
    quick = (*SMALL, "--fidelity", "loggp", "--quiet")
    sizes = ("--nodes", "2,4", "--sizes", "8,64")
    assert odonata("tune", "bcast", *quick, *sizes, "--out", "tune").returncode == 0
    assert odonata("app", "hpcg", "--machine", "aurora", "--fidelity", "loggp", "--nodes", "1,2",
                   "--quiet", "--out", "app").returncode == 0  # fmt: skip
    for name, words in (("tune", "Algorithms of bcast"), ("app", "efficiency")):
        assert odonata("report", name, "--no-published", "--quiet").returncode == 0
        page = (tmp_path / name / "report.html").read_text()
        assert words in page and "UTC" in page
        assert (report.LIBRARY in page) == (name == "tune")
    (tmp_path / "study").mkdir()
    wrong = odonata("report", "study")
    assert wrong.returncode == 2 and "RUNDIR" in wrong.stderr


def test_the_timeline_of_a_report(tmp_path):
    """The drawn shares add up to the times of the ranks."""

    (tmp_path / "p.py").write_text(
        "from mpi4py import MPI\nc = MPI.COMM_WORLD\nb = bytearray(65536)\n"
        "for _ in range(3):\n"
        "    c.Sendrecv(bytes(65536), (c.rank + 2) % 4, 1, b, (c.rank - 2) % 4, 1)\n"
        "    c.Barrier()\n"
    )
    job = od.machine("dragonfly-1056").job(
        nodes=2, ppn=2, placement=[0, 0, 40, 40], timeline=od.Timeline(tmp_path / "t.odtl")
    )
    result = od.run(job, ["python", str(tmp_path / "p.py")], compute=1e-9)
    result.report(tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    found = re.search(r'id="timeline-data">(.*?)</script>', page, re.DOTALL)
    drawn = json.loads(found[1])
    assert (drawn["rows"], drawn["first"], drawn["last"]) == (4, 0.0, result.time)
    shares = base64.b64decode(drawn["shares"])
    width = (drawn["last"] - drawn["first"]) / drawn["bins"]
    for nth, column in ((1, "waiting_s"), (2, "transfer_s")):
        total = sum(shares[nth::3]) / 255 * width
        assert total == pytest.approx(sum(r[column] for r in result.data["ranks"]), rel=0.01)
    assert {"MPI_Barrier", "MPI_Sendrecv"} <= set(drawn["names"])
    assert "Busiest links over time" in page and "Busy links between groups" in page
    assert "http" not in page.replace("http://www.w3.org", "")


def test_two_results_are_compared(odonata, tmp_path):
    quick = (*SMALL, "--fidelity", "loggp", "--quiet")
    for name, placement in (("near", "contiguous"), ("far", "random")):
        goal = ("replay", "t.goal", *quick, "--placement", placement, "--out", name)
        (tmp_path / "t.goal").write_text(
            "num_ranks 2\nrank 0 {\nsend 1000b to 1\n}\nrank 1 {\nrecv 1000b from 0\n}\n"
        )
        assert odonata(*goal).returncode == 0
    done = odonata("compare", "near", "far", "-o", "c.html")
    assert done.returncode == 0
    assert "placement: contiguous -> random" in done.stdout and "By distance" in done.stdout
    page = (tmp_path / "c.html").read_text()
    assert "contiguous" in page and "By distance" in page
    found = json.loads(odonata("compare", "near", "far", "--json").stdout)
    times = [json.loads((tmp_path / name / "summary.json").read_text())["time_s"]
             for name in ("near", "far")]  # fmt: skip
    assert [found["time"]["first"], found["time"]["second"]] == times
    assert found["time"]["ratio"] == times[1] / times[0]
    calls = [{"function": "MPI_Send", "time_s": found["time"]}]
    assert comparing.sections({**found, "calls": calls})[1]["rows"][0][0] == "MPI_Send"
    same = odonata("compare", "near", "near")
    assert "The requests are equal." in same.stdout and "digests are equal" in same.stdout
    wrong = odonata("compare", "near", "nowhere")
    assert wrong.returncode == 2 and wrong.stdout == ""


def test_of_a_parameter_sweep(tmp_path, odonata):
    """A curve per combination of the grid, the table, and the number of failed points."""
    study = tmp_path / "s.toml"
    study.write_text('[base]\ncommand = "bench"\nname = "allreduce"\nmachine = "aurora"\n'
                     'fidelity = "loggp"\nsizes = [8, 1024]\n[grid]\nnodes = [2, 8]\n')  # fmt: skip
    od.sweep(study, workers=1)
    assert odonata("report", tmp_path / "s.sweep").returncode == 0
    page = (tmp_path / "s.sweep/report.html").read_text()
    for words in ("Sweep s", "2 points", "nodes 2", "nodes 8", "message size", "1 KiB", "Study",
                  "nodes = [2, 8]", "[base]"):  # fmt: skip
        assert words in page, words
    assert page.count("<svg") == 1
    (tmp_path / "s.sweep/table.parquet").write_bytes(b"PAR1")
    done = odonata("report", tmp_path / "s.sweep", "--force")
    assert done.returncode == 2 and "Traceback" not in done.stderr


def test_of_an_interrupted_sweep():
    summary = {"odonata": "1", "kind": "bench", "name": "latency", "machine": "aurora",
               "fidelity": "packet", "nodes": 2, "ppn": 1, "seed": 1, "rows_wanted": 4,
               "interrupted": True, "rows": [{"bytes": 8, "latency_s": 1e-6}]}  # fmt: skip
    words = check(report.html(summary, {}, with_published=False))
    assert "interrupted: 1 of 4 rows" in words
    words = check(report.html({**summary, "interrupted": False}, {}, with_published=False))
    assert "nterrupted" not in words


def test_marks_on_the_axis_are_inside_the_frame():
    line = [(8, 1e-6), (3000, 2e-5)]
    drawing = drawings.curve([("a", line)], "bytes", "time", True, lambda x: f"x{x:g}", str)
    marks = re.findall(r'x="([0-9.]+)"[^>]*>x([0-9]+)</text>', drawing)
    assert [size for _, size in marks] == ["16", "64", "256", "1024"]
    assert all(0 < float(x) < 1040 for x, _ in marks)


def test_points_have_titles_and_names_are_escaped():
    line = [(8, 1e-6), (3000, 2e-5)]
    rings = [[(8, 1.1e-6)]]
    drawing = drawings.curve([("<a>", line)], "bytes", "time", True, str, str, rings)
    titles = re.findall(r"<title>(.*?)</title>", drawing)
    assert titles == ["&lt;a&gt;, predicted: 8, 1e-06", "&lt;a&gt;, predicted: 3000, 2e-05",
                      "&lt;a&gt;, published: 8, 1.10 µs"]  # fmt: skip


def test_colors_follow_the_page():
    """Light and dark colors are variables of the page; drawings define no colors."""
    ranks = [{"compute_s": 1.0, "waiting_s": 2.0, "transfer_s": 1.0, "other_s": 1.0}] * 4
    parts = [
        drawings.time_by_rank(ranks),
        drawings.matrix([{"src": 0, "dst": 1, "bytes": 8}], 4),
        drawings.curve([("a", [(0.1, 0.1)])], "offered", "accepted", False, str, str),
    ]
    for drawing in parts:
        assert "var(--" in drawing and not re.search(r": #[0-9a-f]{3}", drawing)
    page = report.PAGE.read_text()
    for variable in set(re.findall(r"var\((--[a-z]+)\)", "".join(parts))):
        assert f"{variable}: #" in page, variable


def test_many_ranks_are_averaged():
    ranks = [{"compute_s": float(i % 2), "waiting_s": 0.0} for i in range(5000)]
    drawing = drawings.time_by_rank(ranks)
    assert drawing.count('class="hover"') == drawings.MOST_COLUMNS
    assert "ranks 0 to 8, mean" in drawing


def test_binning_keeps_the_mean():
    values = [float(i * i % 97) for i in range(1024)]
    few = drawings.binned(values, 64)
    assert len(few) == 64 and sum(few) / 64 == pytest.approx(sum(values) / 1024)


def test_the_matrix_has_a_pixel_per_pair_of_ranks():
    messages = [{"src": 0, "dst": 1, "bytes": 1}, {"src": 2, "dst": 0, "bytes": 1000}]
    drawing = drawings.matrix(messages, 3)
    code = re.search(r"data:image/png;base64,([^\"]*)", drawing)[1]
    pixels = matplotlib.image.imread(io.BytesIO(base64.b64decode(code)))
    assert pixels.shape == (3, 3, 4)
    alpha = pixels[..., 3]
    assert 0 < alpha[0, 1] < alpha[2, 0] == 1 and (alpha > 0).sum() == 2
    assert "largest cell is 1.00 kB" in drawing


def test_equal_results_have_equal_drawings():
    line = [("a", [(8, 1e-6), (64, 2e-6)])]
    first, second = (drawings.curve(line, "x", "y", True, str, str) for _ in range(2))
    assert first == second


def test_labels_of_plots_are_shown_as_they_are():
    """Long numbers and dollar signs of labels; only coordinates are shortened."""
    from matplotlib.figure import Figure

    from odonata import figures

    figure = Figure(figsize=(3, 2))
    ax = figure.subplots()
    ax.plot([0.0006, 0.0012, 0.0025], [1, 2, 3], label="v2_$x_$.1234567")
    ax.legend()
    shown = set(re.findall(r">([^<>]+)</text>", figures.svg(figure, "x")))
    assert {"v2_$x_$.1234567", "0.0010"} <= shown
