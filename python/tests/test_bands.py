"""Bands around predictions: quantiles of residuals, their coverage, and the rows that have them."""

from __future__ import annotations

import json
import math
import random

import pytest

import odonata as od
from odonata import bands, published, published_files
from odonata.benchmarks import NAMES


def sources(*scores: list[float]) -> dict[str, list[float]]:
    return {f"source {nth}": of for nth, of in enumerate(scores)}


def test_a_quantile_of_nine_in_ten_needs_nine_sources():
    """Each of K sources has the weight 1 / (K + 1), and the rest is at infinity."""
    scores = [[nth / 100] for nth in range(1, 10)]
    assert bands.factor(sources(*scores[:8])) is None
    assert bands.factor(sources(*scores)) == pytest.approx(math.exp(0.09))
    # 19 sources: 18 of 20 parts reach 0.9, so that the largest is not needed.
    scores = [[nth / 100] for nth in range(1, 20)]
    assert bands.factor(sources(*scores)) == pytest.approx(math.exp(0.18))


def test_the_points_of_a_source_share_its_weight():
    """A source of 100 points counts as much as one of a single point."""
    many = sources([0.5] * 100, *([nth / 100] for nth in range(1, 19)))
    assert bands.factor(many) == pytest.approx(math.exp(0.18))
    # 9 of 10 parts: with half of the worst source beyond 1, the quantile is there.
    mixed = sources([0.1, 1.0], *([0.2] for _ in range(8)))
    assert bands.factor(mixed) == pytest.approx(math.exp(1.0))


def test_a_new_source_is_covered_as_often_as_stated():
    """2,000 draws of 12 sources and one more; binomial deviation 0.7 %."""
    draw = random.Random(7)

    def source() -> list[float]:
        spread = draw.lognormvariate(-2, 1)
        return [abs(draw.gauss(0, spread)) for _ in range(draw.randint(1, 20))]

    inside = 0
    for _ in range(2000):
        factor = bands.factor(sources(*(source() for _ in range(12))))
        inside += draw.choice(source()) <= math.log(factor)
    # At least 0.9, and less than 1 / (K + 1) above it with one point per source.
    assert 0.885 < inside / 2000 < 0.99


def residual(source: int, ratio: float, *kinds: str) -> bands.Residual:
    return bands.Residual(f"source {source}", (bands.ALL, *kinds), ratio)


def test_a_kind_with_few_sources_has_no_factor_of_its_own():
    found = [residual(nth, 1.1, "a") for nth in range(10)]
    found += [residual(nth, 1.5, "b") for nth in range(10, 19)]
    table = bands.factors(found)
    assert table["a"]["factor"] == pytest.approx(1.1) and table["a"]["sources"] == 10
    assert "factor" not in table["b"] and table["b"]["sources"] == 9
    assert table["a"]["coverage"] == 1.0
    # Of 19 sources nine have 1.5, more than the two parts of 20 beyond a quantile of 0.9.
    assert table[bands.ALL]["factor"] == pytest.approx(1.5)
    assert table[bands.ALL]["without"]["source 18"] == pytest.approx(1.5)


def test_a_source_outside_the_band_of_the_others_lowers_the_coverage():
    found = [residual(nth, 1.1) for nth in range(9)]
    found += [residual(9, 1.1), residual(9, 1 / 3.0)]  # half of its points are outside
    assert bands.factors(found)[bands.ALL]["coverage"] == pytest.approx(0.95)


def row(source: int, covered: bool, *kinds: str, is_input: bool = False) -> dict:
    return {"measured_by": f"source {source}", "is_covered": covered, "is_input": is_input,
            "kinds": [bands.ALL, *kinds], "low": 1.0, "high": 1.5}  # fmt: skip


def test_each_source_has_the_same_weight_and_inputs_do_not_count():
    rows = [row(0, True)] * 9 + [row(1, False, "few"), row(2, False, is_input=True)]
    found = bands.cross_validation(rows)
    assert found["coverage"] == {bands.ALL: 0.5, "few": "not validated"}
    assert found["coverage_of_points"] == 0.9 and found["median_width"] == 1.5
    assert (found["sources"], found["points"]) == (2, 10)
    many = bands.cross_validation([row(nth, nth > 0, "many") for nth in range(bands.LEAST)])
    assert many["coverage"]["many"] == pytest.approx(0.9)
    assert bands.cross_validation([])["coverage"] == {bands.ALL: None}


def test_errors_of_replicas_and_sampling_widen_a_band():
    band = bands.Band("a", "a", 2.0, 10)
    assert bands.ends(8.0, band) == (4.0, 16.0)
    assert bands.ends(8.0, band, -0.25, 0.5) == (3.0, 24.0)
    rows = [{"latency_s": 8.0, "error": 0.1, "band_low": -0.5, "band_high": 0.0},
            {"latency_s": 8.0, "error": 0.25}, {"latency_s": None}]  # fmt: skip
    (used,) = bands.add(rows, "latency_s", lambda _: (bands.ALL, "programs of a test"), "packet")
    factor = used["factor"]
    assert [r["low"] for r in rows] == [4.0 / factor, 6.0 / factor, None]
    assert [r["high"] for r in rows] == [8.0 * factor, 10.0 * factor, None]
    assert (used["validation"], used["residuals_of"]) == ("not validated", bands.ALL)


def test_every_prediction_has_a_kind_and_a_measurement_that_narrows_it():
    kinds = {bands.benchmark_kinds(name, size, nodes, buffers, "mpich", statistic)
             for name in NAMES for size in (8, 4096, 1 << 20) for nodes in (1, 2)
             for buffers in ("host", "gpu") for statistic in ("mean", "p99")}  # fmt: skip
    kinds |= {bands.storage_kinds("per_s"), bands.application_kinds("hpl")}
    kinds |= {bands.program_kinds(has_files) for has_files in (True, False)}
    for fidelity in ("packet", "flow", "loggp"):
        for one in kinds:
            band = bands.band_of(one, fidelity)
            assert band.factor > 1.0 and one[0] == bands.ALL and bands.measurement(one[-1])
            assert band.is_validated == (band.used == one[-1])


def test_the_cross_validated_coverage_is_that_of_the_stated_level():
    """The requirement on the pool of all measurements, and on each kind with enough sources."""
    for table in bands.content().values():
        assert 0.85 <= table[bands.ALL]["coverage"] <= 0.97
        for one in table.values():
            assert ("factor" in one) == (one["sources"] >= bands.LEAST)


def test_inputs_are_points_of_their_curves():
    for curve in published.curves():
        assert set(curve.inputs) <= {size for size, _ in curve.points}, curve.id
        assert curve.measured_by
        assert not (curve.sets == "none" and curve.inputs), curve.id
    assert all(run.source for run in published_files.runs())


def test_rows_of_a_benchmark_have_a_band_without_other_runs():
    job = od.machine("dragonfly-1056").job(nodes=8, ppn=1)
    plain = od.bench("allreduce", job, [8, 1 << 20], "loggp")
    for found in plain.rows:
        one = bands.band_of(
            bands.benchmark_kinds("allreduce", found["bytes"], 8, "host", "mpich"), "loggp"
        )
        assert found["low"] == pytest.approx(found["latency_s"] / one.factor)
        assert found["high"] == pytest.approx(found["latency_s"] * one.factor)
    assert [b["level"] for b in plain.summary["bands"]] == [0.9, 0.9]
    bars = od.bench("allreduce", job, [8], "loggp", error_bars=True)
    wide, narrow = bars.rows[0], plain.rows[0]
    assert wide["latency_s"] == narrow["latency_s"]
    low = narrow["low"] * (1 + wide["band_low"])
    assert wide["low"] == pytest.approx(low) and wide["high"] >= narrow["high"]


def test_background_traffic_is_load():
    job = od.machine("dragonfly-1056").job(nodes=4, background="uniform:0.1")
    (used,) = od.bench("latency", job, [8]).summary["bands"]
    assert used["kind"] == "under load"


def test_rows_of_tune_have_a_band():
    found = od.tune("allreduce", od.machine("dragonfly-1056"), nodes=4, sizes=[8])
    assert all(r["low"] < r["latency_s"] < r["high"] for r in found.rows)
    assert found.summary["bands"]


def test_validate_states_the_coverage_of_bands_without_the_source_itself(odonata):
    done = odonata("validate", "lumi_host_latency", "daos_process_128B", "--json")
    found = json.loads(done.stdout)
    assert found["coverage"][bands.ALL] == 1.0 and found["median_width"] > 1.0
    assert found["coverage"]["storage, operations"] == "not validated"
    rows = [*found["rows"], *found["storage"]["rows"]]
    for one in rows:
        unit = next(key[9:] for key in one if key.startswith("measured_") and key[9:] in
                    ("s", "B_per_s", "per_s"))  # fmt: skip
        assert one["is_covered"] == (one["low"] <= one[f"measured_{unit}"] <= one["high"])
        assert one["low"] < one[f"predicted_{unit}"] < one["high"]
    assert sum(one["is_input"] for one in rows) == 2
    assert found["points"] == len(rows) - 2
    shown = odonata("validate", "lumi_host_latency").stdout
    assert "100.0 % of 3 points of 1 source in bands" in shown
