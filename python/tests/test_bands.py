"""Bands around predictions: quantiles of residuals, their coverage, and the rows that have them."""

from __future__ import annotations

import importlib.util
import json
import math
import random
from pathlib import Path

import pytest

import odonata as od
from odonata import bands, published, published_apps, published_files, residual_model
from odonata.benchmarks import NAMES
from odonata.residual_model import Point

SCRIPT = Path(__file__).resolve().parents[2] / "docs" / "reference" / "predictions.py"


@pytest.fixture(scope="module")
def predictions():
    spec = importlib.util.spec_from_file_location("predictions", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def chain(*kinds: str) -> tuple[str, ...]:
    return (bands.ALL, *kinds)


def planted(size: float) -> float:
    """The residual whose size in the model is ln `size`."""
    return max(size - residual_model.OFFSET, 0.0)


def points(
    draw: random.Random, organizations: int, sizes: dict[tuple[str, ...], float], spread: float
) -> list[Point]:
    """Points of the hierarchical model: `sizes` are medians of |r| + 0.15 by kind, `spread` is the
    standard deviation of its logarithm among organizations."""
    found = []
    for nth in range(organizations):
        scale = draw.lognormvariate(0.0, spread)
        for kinds in draw.sample(sorted(sizes), max(1, len(sizes) // 2)):
            for _ in range(draw.randint(1, 12)):
                size = sizes[kinds] * scale * draw.lognormvariate(0.0, 0.5)
                found.append(Point(f"{nth}", kinds, planted(size)))
    return found


SIZES = {chain("a", "x"): 0.2, chain("a", "y"): 0.3, chain("b", "x"): 0.6, chain("b", "y"): 1.2}


def test_a_new_organization_is_covered_as_often_as_stated():
    """150 draws of 15 organizations and one more; binomial deviation 2.4 %."""
    draw = random.Random(7)
    inside, widths = 0, []
    for _ in range(150):
        found = residual_model.factors(points(draw, 15, SIZES, 0.7), list(SIZES), 0.9)
        factors = dict(zip(SIZES, found, strict=True))
        (*_, one) = points(draw, 1, SIZES, 0.7)
        inside += one.residual <= math.log(factors[one.kinds])
        widths.append(factors)
    assert 0.85 <= inside / 150 <= 0.97
    # Kinds whose residuals are larger have wider bands.
    assert all(one[chain("b", "y")] > one[chain("a", "x")] for one in widths)


def test_kinds_without_own_points_have_the_band_of_related_ones_and_wider():
    draw = random.Random(3)
    known = points(draw, 15, dict.fromkeys(SIZES, 0.5), 0.3)
    x, new, family = residual_model.factors(known, [chain("a", "x"), chain("a"), chain()], 0.9)
    assert 1.0 < x < new < family


def test_deviations_of_planted_effects_are_found():
    """Organizations that differ by a factor, and points that do not: the likelihood assigns the
    deviation to organizations."""
    draw = random.Random(5)
    found = []
    for nth in range(40):
        scale = draw.lognormvariate(0.0, 1.0)
        for kind in "xyz" * 4:
            size = 10.0 * scale * draw.lognormvariate(0.0, 0.1)
            found.append(Point(f"{nth}", chain("a", kind), planted(size)))
    *_, organization, of_kind, point = residual_model.fit(residual_model.Cells(found)).variances
    assert math.sqrt(organization) == pytest.approx(1.0, rel=0.35)
    assert math.sqrt(point) == pytest.approx(0.1, rel=0.15)
    assert of_kind < 0.01


def test_the_quantile_gives_the_same_weight_to_each_organization():
    scores = {"many": [5.0] * 100, **{f"{nth}": [nth / 100] for nth in range(19)}}
    assert residual_model.quantile(scores, 0.9) == 0.17
    assert residual_model.quantile(scores, 1.0) == 5.0


def test_equal_residuals_have_their_own_factor():
    """Without deviations the factor is that of every residual, up to the prior's deviations."""
    found = [Point(f"{nth}", chain("a"), math.log(1.5)) for nth in range(30)]
    (factor,) = residual_model.factors(found, [chain("a")], 0.9)
    assert factor == pytest.approx(1.5, rel=0.02)


def residual(source: int, organization: int, ratio: float, *kinds: str) -> bands.Residual:
    return bands.Residual(f"source {source}", f"organization {organization}", chain(*kinds), ratio)


def test_sources_of_one_organization_are_left_out_together(predictions):
    """Ten sources of five organizations: a coverage is stated, and bands are without all sources
    of an organization."""
    found = [residual(nth, nth // 2, 1.1, "a") for nth in range(10)]
    found += [residual(10, 0, 3.0, "b")]
    table = predictions.factors(found)
    assert (table["a"]["sources"], table["a"]["organizations"]) == (10, 5)
    assert set(table["a"]["without"]) == {f"organization {nth}" for nth in range(5)}
    assert table["a"]["coverage"] == 1.0 and "coverage" not in table["b"]
    # Without organization 0, whose source 10 has a residual of a factor of 3, bands are narrower.
    assert table["a"]["without"]["organization 0"] < table["a"]["factor"]


def test_an_organization_outside_the_band_of_the_others_lowers_the_coverage(predictions):
    found = [residual(nth, nth, 1.1, "a") for nth in range(9)]
    found += [residual(9, 9, 1.1, "a"), residual(9, 9, 30.0, "a")]  # half of its points are outside
    assert predictions.factors(found)["a"]["coverage"] == pytest.approx(0.95)


def row(source: int, covered: bool, *kinds: str, is_input: bool = False) -> dict:
    return {"measured_by": f"source {source}", "organization": f"organization {source % 2}",
            "is_covered": covered, "is_input": is_input,
            "kinds": list(chain(*kinds)), "low": 1.0, "high": 1.5}  # fmt: skip


def test_each_source_has_the_same_weight_and_inputs_do_not_count():
    rows = [row(0, True)] * 9 + [row(1, False, "few"), row(2, False, is_input=True)]
    found = bands.cross_validation(rows)
    assert found["coverage"] == {bands.ALL: 0.5, "few": "not validated"}
    assert found["coverage_of_points"] == 0.9 and found["median_width"] == 1.5
    assert found["coverage_of_organizations"] == 0.5
    assert (found["sources"], found["organizations"], found["points"]) == (2, 2, 10)
    many = bands.cross_validation([row(nth, nth > 0, "many") for nth in range(bands.LEAST)])
    assert many["coverage"]["many"] == pytest.approx(0.9)
    assert bands.cross_validation([])["coverage"] == {bands.ALL: None}


def test_errors_of_replicas_and_sampling_widen_a_band():
    band = bands.Band("a", "a", 2.0, 10, 5)
    assert bands.ends(8.0, band) == (4.0, 16.0)
    assert bands.ends(8.0, band, -0.25, 0.5) == (3.0, 24.0)
    rows = [{"latency_s": 8.0, "error": 0.1, "band_low": -0.5, "band_high": 0.0},
            {"latency_s": 8.0, "error": 0.25}, {"latency_s": None}]  # fmt: skip
    (used,) = bands.add(rows, "latency_s", lambda _: bands.LOADED, "packet")
    factor = used["factor"]
    assert [r["low"] for r in rows] == [4.0 / factor, 6.0 / factor, None]
    assert [r["high"] for r in rows] == [8.0 * factor, 10.0 * factor, None]


def test_a_kind_without_measurements_is_not_validated_and_has_no_width():
    rows = [{"time_s": 8.0}]
    found = bands.add(rows, "time_s", lambda _: bands.program_kinds(has_files=False), "packet")
    assert rows == [{"time_s": 8.0, "low": None, "high": None}]
    (used,) = found
    assert used["validation"] == "not validated" and used["sources"] == 0
    assert used["factor"] is used["level"] is used["coverage"] is None
    first, wanted = bands.lines(found)
    assert first == "not validated, no measurement: programs"
    assert wanted.endswith("the time of this program on a known number of nodes")


def test_a_level_is_stated_only_for_kinds_with_enough_sources():
    validated = bands.band_of(bands.benchmark_kinds("latency", 8, 2, "host", "mpich"), "packet")
    assert validated.sources >= bands.LEAST > validated.organizations
    (used,) = bands.summary_of([validated], "packet")
    assert 0.85 <= used["coverage"] <= 1.0 and used["level"] == 0.9
    assert bands.lines([used])[0].startswith("90 % band: 1/")
    (used,) = bands.summary_of([bands.band_of(bands.LOADED, "packet")], "packet")
    assert used["level"] is used["coverage"] is None and used["factor"] > 1.0
    assert "90 %" not in "".join(bands.lines([used]))
    assert bands.lines([used])[0].startswith("range, not validated: 1/")


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
            assert band.is_measured or not band.is_validated


def test_the_cross_validated_coverage_is_that_of_the_stated_level():
    """The requirement on the pool of all measurements, and on each kind with enough sources. A kind
    may be covered more often, because the largest multiplier of its kinds counts."""
    for fidelity in ("packet", "flow", "loggp"):
        table = bands.rows_of(fidelity)
        for kind, one in table.items():
            assert ("coverage" in one) == (one["sources"] >= bands.LEAST)
            if "coverage" in one and bands.counted_kind(kind) == kind:
                assert 0.85 <= one["coverage"] <= (0.97 if kind == bands.ALL else 1.0), kind


def test_bands_of_files_and_applications_do_not_depend_on_the_fidelity():
    table = bands.content()["fidelities"]
    shared = {kind for kind in table["any"]}
    assert {kind.split(",")[0].split(":")[0] for kind in shared} == {"storage", "applications"}
    assert not any(shared & set(table[fidelity]) for fidelity in ("packet", "flow", "loggp"))


def test_every_source_has_one_organization():
    listed = published.content("organizations")["organizations"].values()
    assert len(published.organizations()) == sum(map(len, listed))
    names = {curve.measured_by for curve in (*published.curves(), *published.held_out())}
    names |= {run.source for run in published_files.runs()}
    names |= {run.origin for run in published_apps.runs()}
    assert names == set(published.organizations()) == set(bands.content()["organizations"])


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
    assert [b["validation"] for b in plain.summary["bands"]] == ["not validated"] * 2
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
    assert "100.0 % of 3 points in bands of the other organizations" in shown
