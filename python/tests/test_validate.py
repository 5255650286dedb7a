"""`odonata validate`: published and predicted curves, and the bounds of their errors."""

from __future__ import annotations

import html
import json
import random
import signal

import pytest

from odonata import checks, cli, published, published_apps, published_files

BOUNDS = {"mean": 0.05, "worst": 0.15, "single": 0.10}


def rows(*errors: float) -> list[dict]:
    return [{"id": "a_curve", "bytes": nth, "error": error} for nth, error in enumerate(errors)]


@pytest.mark.parametrize(
    ("errors", "passes"),
    [((0.05, -0.05), True), ((0.051, -0.05), False), ((0.0, 0.0, 0.0, -0.15), True),
     ((0.0, 0.0, 0.0, -0.151), False)],
)  # fmt: skip
def test_a_curve_passes_by_its_mean_and_by_its_worst_point(errors, passes):
    found = published.verdict(rows(*errors))
    assert found["passes"] == passes
    assert found["worst_error"] == max(map(abs, errors)) and found["points"] == len(errors)


def test_every_curve_has_a_source_and_a_prediction():
    ids = [curve.id for curve in published.curves()]
    assert len(set(ids)) == len(ids) >= 10
    for curve in published.curves():
        assert curve.source and curve.conditions and curve.sets
        sizes = [size for size, _ in curve.points]
        assert sizes == sorted(set(sizes)) and all(value > 0 for _, value in curve.points)


def test_a_curve_that_passes_and_one_that_fails(odonata):
    done = odonata("validate", "lumi_host_latency")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "OMB 7.5" in done.stdout and "2.34" in done.stdout and "pass" in done.stdout
    # GPCNeT's rings, and why: docs/validation.md.
    done = odonata("validate", "elbert_rr_lat_13", "lumi_host_latency")
    assert done.returncode == 1 and "1 curve of 2 within 5.0 %" in done.stdout
    done = odonata("validate", "elbert_rr_lat_13", "--json")
    result = json.loads(done.stdout)
    assert done.returncode == 1 and result["bounds"] == BOUNDS
    assert [c["passes"] for c in result["curves"]] == [False]
    for row in result["rows"]:
        assert row["error"] == pytest.approx(row["predicted_s"] / row["measured_s"] - 1)


def test_a_curve_that_is_named_twice_counts_once(odonata):
    done = odonata("validate", *["lumi_host_latency"] * 2, "--fidelity", "loggp", "--json")
    (curve,) = json.loads(done.stdout)["curves"]
    assert curve["points"] == len(json.loads(done.stdout)["rows"])


@pytest.mark.parametrize("within_the_core", [True, False])
def test_an_interrupted_result_says_so(monkeypatch, capsys, within_the_core):
    predict = published.predict

    def stopped(curve, fidelity, tick, stop):
        if curve.id == "lumi_host_latency":
            return predict(curve, "loggp", tick=tick, stop=stop)
        if not within_the_core:
            raise KeyboardInterrupt
        stop.signal = signal.SIGINT
        return []

    monkeypatch.setattr(published, "predict", stopped)
    names = ("lumi_host_latency", "daint_osu_latency", "cxi_send_lat")
    assert cli.code_of(["validate", *names, "--json"]) == 130
    shown = capsys.readouterr()
    found = json.loads(shown.out)
    assert (found["interrupted"], found["curves_wanted"]) == (True, 3)
    assert [curve["id"] for curve in found["curves"]] == ["lumi_host_latency"]
    assert shown.err == "odonata: interrupted: 1 of 3 rows\n"
    assert cli.code_of(["validate", names[0], "--json"]) in (0, 1)
    assert json.loads(capsys.readouterr().out)["interrupted"] is False


def test_elberts_rendezvous_follow_from_its_eager_messages(odonata):
    """Host parameters are fitted to osu_multi_lat up to 4 KiB; from 8 KiB on nothing is fitted."""
    done = odonata("validate", "elbert_osu_multi_lat", "--json")
    errors = {row["bytes"]: row["error"] for row in json.loads(done.stdout)["rows"]}
    assert max(errors) == 64 << 10
    assert all(abs(error) < 0.04 for size, error in errors.items() if size >= 8 << 10), errors


def test_all_unknown_names_are_reported(odonata):
    done = odonata("validate", "daint_osu_latncy", "nothing_like_it", "--fidelity", "flaw")
    assert done.returncode == 2 and not done.stdout
    assert "daint_osu_latency" in done.stderr and "3 problems" in done.stderr


def test_numbers_of_libraries_are_predicted_by_one_set_of_parameters(odonata):
    """Spock with three libraries: only the copy rate of a core is fitted to these curves."""
    ids = [f"S2.cpu.inter.{name}.bw" for name in ("mvapich2x", "ompi_ucx", "craympich")]
    done = odonata("validate", *ids, "S2.cpu.intra.craympich.bw", "S2.gpu.intra.craympich.bw")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "5 curves of 5 within" in done.stdout and "10.0 % for a single number" in done.stdout


def test_a_single_number_has_its_own_bound():
    assert published.verdict(rows(0.099))["passes"]
    assert not published.verdict(rows(-0.101))["passes"]
    mean, tail = ({"id": "one_size", "bytes": 8, "error": error} for error in (0.0, 0.101))
    assert published.verdict([mean, mean])["passes"]
    assert not published.verdict([mean, tail])["passes"]


def test_a_mean_and_its_tail_are_two_rows_of_one_size(odonata):
    """GPCNeT on 13 nodes: microseconds of its table, mean and tail."""
    done = odonata("validate", "elbert_rr_lat_13", "--json")
    mean, tail = json.loads(done.stdout)["rows"]
    assert (mean["statistic"], tail["statistic"]) == ("mean", "p99")
    assert mean["measured_s"] == pytest.approx(2.9e-6)
    assert tail["measured_s"] == pytest.approx(4.3e-6)
    assert tail["predicted_s"] > mean["predicted_s"] > 0


def test_an_all_to_all_sends_a_block_to_every_rank_of_the_set():
    """1,024 ranks: the page has 22.81 ms for 5,610.83 MiB/s per rank with blocks of 128 KiB."""
    assert 22.81e-3 * 5610.83 * 8 == pytest.approx(1024, rel=3e-4)
    (curve,) = (curve for curve in published.curves() if curve.id == "elbert_all2all_1024")
    assert curve.points[0][1] == pytest.approx(1024 / (5437 * 8) * 1e6)


def test_every_run_on_a_file_system_has_a_source_and_a_measurement():
    runs = published_files.runs()
    assert len({run.id for run in runs}) == len(runs) >= 20
    assert not {run.id for run in runs} & {curve.id for curve in published.curves()}
    for run in runs:
        assert run.source and run.conditions and run.results
        # Measurements of more processes are not repeated.
        assert run.nodes * run.ppn <= 4096
        assert all(result.measured > 0 for result in run.results)


def test_rates_of_file_systems_have_bounds_of_their_own(odonata):
    done = odonata("validate", "daos_process_128B", "daos_process_1MiB", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert found["curves"] == found["rows"] == []
    assert found["storage"]["bounds"] == {"B_per_s": 0.15, "per_s": 0.30}
    rows = {(row["id"], row["phase"]): row for row in found["storage"]["rows"]}
    assert len(rows) == 4
    # Argonne's table: 60.80 k/s of 128 B, 5.54 k/s of 1 MiB.
    small, large = rows["daos_process_128B", "write"], rows["daos_process_1MiB", "write"]
    assert small["measured_per_s"] == 60.80e3
    assert large["measured_B_per_s"] == pytest.approx(5.54e3 * 2**20, rel=1e-3)
    for row, unit in ((small, "per_s"), (large, "B_per_s")):
        ratio = row[f"predicted_{unit}"] / row[f"measured_{unit}"]
        assert row["error"] == pytest.approx(ratio - 1) and row["sets"]
    shown = odonata("validate", "daos_process_128B").stdout
    assert "60.8 k/s" in shown and "2 rates of 2 within 15.0 % for bytes" in shown


@pytest.mark.parametrize(
    ("unit", "error", "passes"),
    [("rate", 0.149, True), ("rate", -0.151, False), ("operations", 0.299, True),
     ("operations", -0.301, False)],
)  # fmt: skip
def test_a_rate_passes_by_its_unit(unit, error, passes):
    (run, *_) = published_files.runs()
    result = published_files.Result("write", **{unit: 100.0})
    value = 100.0 * (1 + error)
    row = published_files.row_of(run, result, {"rate_B_per_s": value, "operations_per_s": value})
    assert row["passes"] == passes and row["error"] == pytest.approx(error)


def test_slow_measurements_are_predicted_on_request():
    def names(*ids: str, every: bool) -> set[str]:
        wrong = checks.Checks()
        return {one.id for one in published.chosen(wrong, ids, known, every)}

    known = (*published.curves(), *published_files.runs(), *published_apps.runs())
    slow = {one.id for one in known if one.slow}
    assert slow and names(every=True) == names(every=False) | slow
    assert not names(every=False) & slow
    (one, *_) = sorted(slow)
    assert names(one, every=False) == {one}


def test_every_result_of_an_application_has_a_source_and_a_model():
    from odonata.app import load

    runs = published_apps.runs()
    others = {one.id for one in (*published.curves(), *published_files.runs())}
    assert len({run.id for run in runs}) == len(runs) and not {run.id for run in runs} & others
    for run in runs:
        assert run.source and run.conditions and run.origin and run.measured > 0
        model = load(run.app)
        assert set(run.problem) <= set(model.options) and run.unit in ("s", model.unit), run.id


def test_a_result_of_an_application_passes_by_its_bound():
    (run, *_) = published_apps.runs()
    for error, passes in ((0.099, True), (-0.101, False)):
        value = run.measured * (1 + error)
        row = published_apps.row_of(run, {"figure_of_merit": value, "time_s": value}, "loggp")
        assert row["passes"] == passes and row["error"] == pytest.approx(error)


def test_a_result_of_an_application_is_predicted(odonata):
    """HPL of order 38,400 on one node: 26.5 Tflop/s of the facts about rocHPL."""
    done = odonata("validate", "hpl_mi250x_small", "--json")
    (row,) = json.loads(done.stdout)["applications"]["rows"]
    assert row["measured"] == 26.5e12 and row["unit"] == "flop/s"
    assert row["error"] == pytest.approx(row["predicted"] / row["measured"] - 1)
    assert row["low"] < row["predicted"] < row["high"]
    shown = odonata("validate", "hpl_mi250x_small")
    assert "26.5 Tflop/s" in shown.stdout and shown.returncode == int(not row["passes"])


def test_the_held_out_sources_are_the_seeded_draw():
    """The seed and the rule that both files state."""
    open_curves, held = list(published.read("further")), published.held_out()
    origins = sorted({curve.origin for curve in (*open_curves, *held)})
    drawn = random.Random(20261128).sample(origins, len(origins) // 2)
    assert {curve.origin for curve in held} == set(drawn)
    curves = [*open_curves, *held]
    assert len(origins) >= 8 and sum(len(curve.points) for curve in curves) >= 60
    assert len({curve.id for curve in curves}) == len(curves)
    assert not {curve.id for curve in held} & {curve.id for curve in published.curves()}


def test_held_out_measurements_need_the_option(odonata):
    name = published.held_out()[0].id
    done = odonata("validate", name)
    assert done.returncode == 2 and "1 problem" in done.stderr
    done = odonata("validate", "--held-out", "lumi_host_latency")
    assert done.returncode == 2 and "1 problem" in done.stderr


def test_the_page_has_every_point_its_band_and_its_source(odonata, tmp_path):
    page = tmp_path / "page.html"
    ids = ("daint_osu_latency", "daos_process_128B", "elbert_rr_lat_13")
    done = odonata("validate", *ids, "--json", "--page", page)
    text, found = page.read_text(encoding="utf-8"), json.loads(done.stdout)
    rows = [*found["rows"], *found["storage"]["rows"]]
    counted = [row for row in rows if not row["is_input"]]
    assert text.count("<circle ") == text.count('<rect class="band"') == len(counted) > 5
    assert text.count('class="out"') == sum(not row["is_covered"] for row in counted)
    assert text.count("<details>") == len(ids)
    assert all(html.escape(row["source"]) in text for row in rows)
    assert f"{len(counted)} points of {found['sources']} sources" in text
    # A page that cannot be written is reported before anything is predicted.
    done = odonata("validate", "daint_osu_latency", "--page", tmp_path / "no" / "page.html")
    assert done.returncode == 2 and "a file in an existing directory" in done.stderr
    assert not done.stdout
