"""Write the errors of predictions into README.md (a summary), docs/validation.md (a table),
docs/validation/storage.md and applications.md, and docs/models/error-bars.md (factors of bands).
Also write the factors into python/odonata/data/bands.json.

    python docs/reference/predictions.py [--measure [ID]...] [--measure-storage]
        [--measure-applications [ID]...] [--check]

`predictions.json` has the verdict on every published curve and `fidelity-predictions.json` their
errors at other fidelities. `storage-predictions.json` has the rates of file systems, and
`application-predictions.json` the results of applications. `--measure` predicts curves again and
writes them: those that are named, or all, which takes eight minutes on two cores. The rates take
six minutes, the applications ten. `--check` writes nothing and fails if a file or a page differs. A
test checks the pages, and predicts again what takes less than a second.
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from odonata import bands, published, published_apps, published_files, residual_model, units
from odonata.app.report import show_merit

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(__file__).with_suffix(".json")
STORAGE = Path(__file__).with_name("storage-predictions.json")
APPLICATIONS = Path(__file__).with_name("application-predictions.json")
OTHERS = Path(__file__).with_name("fidelity-predictions.json")
# Ranks of the largest job that is repeated with flows.
MOST_FLOW_RANKS = 1024
# The fidelity of most curves; curves of long runs have another one.
PACKET, OTHER_FIDELITIES = "packet", ("flow", "loggp")
# Beginnings of kinds that are predicted at one fidelity only.
AT_ONE_FIDELITY = (bands.STORAGE, bands.APPLICATIONS)
PAGES = (
    ROOT / "README.md",
    ROOT / "docs" / "validation.md",
    ROOT / "docs" / "validation" / "storage.md",
    ROOT / "docs" / "validation" / "applications.md",
    ROOT / "docs" / "models" / "error-bars.md",
)
BLOCKS = "table|summary|storage|applications|bands"
BLOCK = re.compile(
    rf"(<!-- docs/reference/predictions.py: ({BLOCKS}) -->\n).*?(<!-- end -->)", re.DOTALL
)
# Digits of a stored error: differences between compilers and libraries are far smaller.
DIGITS = 5
BAND_DIGITS = 3
COLUMNS = 100
# Failures per row of the summary.
ACROSS = 3


def verdict_of(curve: published.Curve) -> dict[str, Any]:
    """Errors of the current prediction of a curve, as fractions."""
    rows = published.predict(curve)
    found = published.verdict(rows)
    mean, worst = (round(found[key], DIGITS) for key in ("mean_error", "worst_error"))
    passes = {"points": found["sizes"], "mean": mean, "worst": worst, "passes": found["passes"]}
    return passes | {"errors": errors_of(rows)}


def errors_of(rows: Iterable[Mapping[str, Any]]) -> list[float]:
    return [round(row["error"], DIGITS) for row in rows]


def measured(curves: Iterable[published.Curve]) -> dict[str, dict[str, Any]]:
    return {curve.id: verdict_of(curve) for curve in curves}


def at_other_fidelities(curves: Iterable[published.Curve]) -> dict[str, dict[str, list[float]]]:
    """Errors of each curve with flows and in closed form, for the bands of these fidelities.

    Large jobs are not repeated with flows; their own errors stand for them.
    """
    return {
        curve.id: {
            name: errors_of(published.predict(curve, name))
            for name in OTHER_FIDELITIES
            if name != "flow" or curve.nodes * curve.ppn <= MOST_FLOW_RANKS
        }
        for curve in curves
    }


def residuals(
    verdicts: Mapping[str, Mapping[str, Any]],
    others: Mapping[str, Mapping[str, Sequence[float]]],
    rates: Mapping[str, Mapping[str, Any]],
    results: Mapping[str, float],
    fidelity: str,
) -> Iterator[bands.Residual]:
    """Measured over predicted of every point that is no input of the model."""
    for curve in published.curves():
        errors = others[curve.id].get(fidelity, verdicts[curve.id]["errors"])
        for (size, statistic), error in zip(curve.predicted_points(), errors, strict=True):
            if size not in curve.inputs:
                kinds = curve.kinds(size, statistic)
                yield residual(curve.measured_by, kinds, 1.0 / (1.0 + error))
    for run in published_files.runs():
        for result in run.results:
            rate = rates[f"{run.id} {result.phase}"]
            if not rate["sets"]:
                ratio = rate["measured"] / rate["predicted"]
                yield residual(run.source, bands.storage_kinds(rate["unit"]), ratio)
    for one in published_apps.runs():
        if not one.sets:
            kinds = bands.application_kinds(one.app)
            yield residual(one.origin, kinds, one.measured / results[one.id])


def residual(source: str, kinds: bands.Kinds, ratio: float) -> bands.Residual:
    return bands.Residual(source, published.organizations()[source], kinds, ratio)


def bands_of(*stored: Any) -> str:
    """The text of `python/odonata/data/bands.json`.

    Rates of files and results of applications are stored at one fidelity. They are in the model of
    each fidelity; their own bands are those of the first.
    """
    found: dict[str, dict[str, Any]] = {"any": {}}
    for name in (PACKET, *OTHER_FIDELITIES):
        table = factors(list(residuals(*stored, name)))
        shared = {kind: row for kind, row in table.items() if kind.startswith(AT_ONE_FIDELITY)}
        found["any"] = found["any"] or shared
        found[name] = {kind: row for kind, row in table.items() if kind not in shared}
    head = {"about": "written by docs/reference/predictions.py", "level": bands.LEVEL}
    by_source = dict(sorted(published.organizations().items()))
    tables = (f"{json.dumps(name)}: {text_of(rounded(table))}" for name, table in found.items())
    return (
        f"{json.dumps({**head, 'organizations': by_source}, indent=1)[:-2]},\n"
        f' "fidelities": {{\n{",".join(tables)}}}\n}}\n'
    )


def factors(found: Sequence[bands.Residual]) -> dict[str, dict[str, Any]]:
    """Rows of one fidelity by kind: numbers of sources, organizations and points, the factor, and
    those without one organization. Kinds with enough sources have the cross-validated coverage."""
    points = [residual_model.Point(one.organization, one.kinds, one.score) for one in found]
    chains = {one.kinds[: n + 1] for one in found for n in range(len(one.kinds))}
    in_order = sorted(chains, key=lambda chain: chain[-1])
    whole = residual_model.factors(points, in_order, bands.LEVEL)
    left_out = {
        name: dict(zip(in_order, residual_model.factors(
            [point for point in points if point.organization != name], in_order, bands.LEVEL
        ), strict=True))
        for name in sorted({one.organization for one in found})
    }  # fmt: skip
    rows = [
        {
            "measured_by": one.source,
            "organization": one.organization,
            "kinds": one.kinds,
            "is_covered": one.score <= math.log(left_out[one.organization][one.kinds]),
            "width": left_out[one.organization][one.kinds] ** 2,
        }
        for one in found
    ]
    table = {}
    for chain, factor in zip(in_order, whole, strict=True):
        of = [row for row in rows if chain[-1] in row["kinds"]]
        row: dict[str, Any] = {
            "sources": len({one["measured_by"] for one in of}),
            "organizations": len({one["organization"] for one in of}),
            "points": len(of),
            "factor": factor,
            "without": {name: of_kinds[chain] for name, of_kinds in left_out.items()},
        }
        if row["sources"] >= bands.LEAST:
            row["coverage"] = bands.coverage(of)
            row["median_width"] = median(one["width"] for one in of)
        table[chain[-1]] = row
    return table


def rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: rounded(of) for key, of in value.items()}
    return round(value, BAND_DIGITS) if isinstance(value, float) else value


def rates_of(run: published_files.FileRun) -> dict[str, dict[str, Any]]:
    """Current predictions of the phases of a run, and what was measured."""
    found = {}
    for row in published_files.predict(run):
        unit = "B_per_s" if "measured_B_per_s" in row else "per_s"
        found[f"{run.id} {row['phase']}"] = {
            "measured": row[f"measured_{unit}"],
            "predicted": float(f"{row[f'predicted_{unit}']:.{DIGITS}g}"),
            "unit": unit,
            "sets": row["sets"],
        }
    return found


def results_of(runs: Iterable[published_apps.AppRun]) -> dict[str, float]:
    """Current predictions of applications, in the unit of the measurement."""
    found = {}
    for run in runs:
        (row,) = published_apps.predict(run)
        found[run.id] = float(f"{row['predicted']:.{DIGITS}g}")
    return found


def applications(results: Mapping[str, float]) -> str:
    """One row per result of an application: what was measured, predicted, and set by it."""
    head = "| result | nodes | published | predicted | error | | sets |"
    lines = [head, "|---|---|---|---|---|---|---|"]
    good = [0, 0]
    for run in published_apps.runs():
        predicted = results[run.id]
        error = predicted / run.measured - 1.0
        passes = abs(error) <= published_apps.BOUND
        good[bool(run.sets)] += passes
        show = units.show_time if run.unit == "s" else functools.partial(show_merit, unit=run.unit)
        cells = (f"`{run.id}`", f"{run.nodes:,}", show(run.measured), show(predicted))
        verdict = "pass" if passes else "FAILS"
        lines.append(f"| {' | '.join(cells)} | {100 * error:+.1f} % | {verdict} | {run.sets} |")
    inputs = sum(bool(run.sets) for run in published_apps.runs())
    text = (
        f"{good[0]} of {len(results) - inputs} predicted results pass. {good[1]} of {inputs} "
        "inputs are reproduced within the same bound."
    )
    return "\n".join([*lines, "", text])


def storage(rates: Mapping[str, Mapping[str, Any]]) -> str:
    """One row per phase, and how many are within the bounds."""
    head = "| measurement | phase | published | predicted | error | |"
    lines = [head, "|---|---|---|---|---|---|"]
    good = [0, 0]
    for name, rate in rates.items():
        run, phase = name.split()
        show = units.show_rate if rate["unit"] == "B_per_s" else operations
        error = rate["predicted"] / rate["measured"] - 1.0
        passes = abs(error) <= published_files.BOUNDS[rate["unit"]]
        good[bool(rate["sets"])] += passes
        verdict = ("pass" if passes else "FAILS") + (", input" if rate["sets"] else "")
        cells = (f"`{run}`", phase, show(rate["measured"]), show(rate["predicted"]))
        lines.append(f"| {' | '.join(cells)} | {100 * error:+.1f} % | {verdict} |")
    inputs = sum(bool(rate["sets"]) for rate in rates.values())
    text = (
        f"{good[0]} of {len(rates) - inputs} predicted rates pass. {good[1]} of {inputs} inputs "
        "are reproduced within the same bounds."
    )
    return "\n".join([*lines, "", text])


def band_table(content: Mapping[str, Any], checked: Mapping[str, Any]) -> str:
    """Kinds, who measured them, their factors, and the coverage of those with enough sources."""
    by_fidelity = content["fidelities"]
    names = [name for name in by_fidelity if name != "any"]
    head = f"| kind | sources | organizations | points | {' | '.join(names)} | coverage |"
    lines = [head, "|---" * (5 + len(names)) + "|"]
    first = {**by_fidelity["any"], **by_fidelity[PACKET]}
    for kind in in_order(first):
        row = first[kind]
        cells = [kind, *(str(row[count]) for count in ("sources", "organizations", "points"))]
        of_kind = (by_fidelity[name].get(kind, row) for name in names)
        cells += [f"{one['factor']:.2f}" for one in of_kind]
        refines = bands.counted_kind(kind) != kind
        cells.append(f"{100 * row['coverage']:.0f} %" if "coverage" in row
                     else "" if refines else bands.NOT_VALIDATED)  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    text = (
        f"Columns of fidelities have the factor F, the last one the cross-validated coverage of "
        f"`{PACKET}`."
    )
    words = textwrap.wrap(text, COLUMNS)
    return "\n".join([*lines, "", *words, "", coverage(checked)])


def in_use(points: Iterable[bands.Residual]) -> dict[str, Any]:
    """Coverage and width of the bands that `odonata validate` uses."""
    rows = (
        bands.checked(one.source, one.kinds, PACKET, one.ratio, 1.0, is_input=False)
        for one in points
    )
    return bands.cross_validation(rows)


def in_order(table: Mapping[str, Any]) -> list[str]:
    """Kinds without libraries. General kinds come first."""
    general = (bands.ALL, bands.NETWORK, bands.STORAGE, bands.APPLICATIONS)
    kinds = [kind for kind in table if kind.count(",") < 3 or kind.startswith("point")]
    return sorted(kinds, key=lambda kind: (kind not in general, kind))


def operations(rate: float) -> str:
    return f"{rate / 1e3:,.1f} k/s"


def text_of(verdicts: Mapping[str, Mapping[str, Any]]) -> str:
    """A JSON object with one line per entry."""
    lines = (f" {json.dumps(name)}: {json.dumps(v)}" for name, v in verdicts.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def table(verdicts: Mapping[str, Mapping[str, Any]], checked: Mapping[str, Any]) -> str:
    """One row per curve of several points, and a sentence about the single numbers."""
    head = "| curve | what | measured by | points | mean error | worst error | in the band | |"
    lines = [head, "|---|---|---|---|---|---|---|---|"]
    curves = {curve.id: curve for curve in published.curves()}
    for name, v in verdicts.items():
        if v["points"] > 1:
            inside = in_band(curves[name], v["errors"])
            cells = (percent(v["mean"]), percent(v["worst"]), f"{sum(inside)} of {len(inside)}")
            verdict = "pass" if v["passes"] else "FAILS"
            curve = curves[name]
            who = published.organizations()[curve.measured_by]
            head = f"`{name}` | {curve.what} | {who} | {v['points']}"
            lines.append(f"| {head} | {' | '.join(cells)} | {verdict} |")
    return "\n".join([*lines, "", score(verdicts), "", coverage(checked)])


def coverage(checked: Mapping[str, Any]) -> str:
    """How many points of curves, file systems and applications are in their bands."""
    by_kind = [
        f"{kind} {100 * share:.0f} %"
        for kind, share in checked["coverage"].items()
        if kind != bands.ALL and share != bands.NOT_VALIDATED
    ]
    text = (
        f"Of {checked['points']} points that are no inputs, with file systems and applications, "
        f"{100 * checked['coverage_of_points']:.0f} % are in the band that the other organizations "
        f"give. The mean over {checked['sources']} sources is "
        f"{100 * checked['coverage'][bands.ALL]:.0f} %, over {checked['organizations']} "
        f"organizations {100 * checked['coverage_of_organizations']:.0f} %. The median ratio of "
        f"the ends of a band is {checked['median_width']:.1f}. Kinds with at least {bands.LEAST} "
        f"sources: {'; '.join(by_kind)}. Other kinds are not validated."
    )
    words = textwrap.wrap(text.replace(" %", "\0%"), COLUMNS, break_on_hyphens=False)
    return "\n".join(words).replace("\0", " ")


def in_band(curve: published.Curve, errors: Sequence[float]) -> list[bool]:
    """Whether each point that is no input is in the band of all other organizations."""
    found = []
    for (size, statistic), error in zip(curve.predicted_points(), errors, strict=True):
        if size not in curve.inputs:
            row = bands.checked(
                curve.measured_by, curve.kinds(size, statistic), PACKET, 1.0 / (1.0 + error), 1.0,
                is_input=False,
            )  # fmt: skip
            found.append(row["is_covered"])
    return found


def score(verdicts: Mapping[str, Mapping[str, Any]]) -> str:
    curves = [v["passes"] for v in verdicts.values() if v["points"] > 1]
    numbers = [v["passes"] for v in verdicts.values() if v["points"] == 1]
    return (
        f"{sum(curves)} of {len(curves)} curves pass. {sum(numbers)} of {len(numbers)} single "
        "numbers pass."
    )


def summary(verdicts: Mapping[str, Mapping[str, Any]]) -> str:
    """The score, the errors of the curves that pass, and every failure with its worst error."""
    passed = [v for v in verdicts.values() if v["points"] > 1 and v["passes"]]
    text = (
        f"**{score(verdicts)}** The curves that pass have mean errors of up to "
        f"{percent(max(v['mean'] for v in passed))}. Single points of them have errors of up to "
        f"{percent(max(v['worst'] for v in passed))}. Failures, curves first:"
    )
    failures = [
        f"`{name}` | {percent(v['worst'])}" for name, v in verdicts.items() if not v["passes"]
    ]
    cells = failures + ["| "] * (-len(failures) % ACROSS)
    rows = [cells[n : n + ACROSS] for n in range(0, len(cells), ACROSS)]
    head = [["failure | worst error"] * ACROSS, ["--- | ---"] * ACROSS]
    lines = textwrap.wrap(text.replace(" %", "\0%"), COLUMNS)
    return (
        "\n".join(lines).replace("\0", " ")
        + "\n\n"
        + "\n".join(f"| {' | '.join(row)} |" for row in head + rows)
    )


def percent(fraction: float) -> str:
    return f"{100 * fraction:.1f} %"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--measure", nargs="*", metavar="ID", help="predict curves again")
    parser.add_argument("--measure-storage", action="store_true", help="predict all rates again")
    parser.add_argument(
        "--measure-applications", nargs="*", metavar="ID", help="predict applications again"
    )
    parser.add_argument("--check", action="store_true", help="write nothing; fail if stale")
    given = parser.parse_args()
    stale = []

    def put(path: Path, text: str) -> None:
        if path.read_text(encoding="utf-8") != text:
            stale.append(path.relative_to(ROOT))
            if not given.check:
                path.write_text(text, encoding="utf-8")

    if given.measure is not None:
        curves = published.curves()
        wanted = named(curves, given.measure)
        put(DATA, text_of(merged(DATA, curves, measured(wanted))))
        put(OTHERS, text_of(merged(OTHERS, curves, at_other_fidelities(wanted))))
    if given.measure_storage:
        found: dict[str, dict[str, Any]] = {}
        for run in published_files.runs():
            found |= rates_of(run)
        put(STORAGE, text_of(found))
    if given.measure_applications is not None:
        runs = published_apps.runs()
        results = results_of(named(runs, given.measure_applications))
        put(APPLICATIONS, text_of(merged(APPLICATIONS, runs, results)))
    stored = verdicts, _, rates, results = [
        json.loads(path.read_text(encoding="utf-8"))
        for path in (DATA, OTHERS, STORAGE, APPLICATIONS)
    ]
    content = bands_of(*stored)
    put(bands.DATA, content)
    bands.content.cache_clear()
    bands.rows_of.cache_clear()
    checked = in_use(residuals(*stored, PACKET))
    texts = {
        "table": table(verdicts, checked),
        "summary": summary(verdicts),
        "storage": storage(rates),
        "applications": applications(results),
        "bands": band_table(json.loads(content), checked),
    }
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        put(page, BLOCK.sub(lambda m: f"{m[1]}{texts[m[2]]}\n{m[3]}", text))
    if given.check and stale:
        print(f"stale: {', '.join(map(str, stale))}; run docs/reference/predictions.py",
              file=sys.stderr)  # fmt: skip
        return 1
    return 0


def named(measurements: Sequence[Any], ids: Sequence[str]) -> list[Any]:
    """Those with these ids, or all."""
    unknown = set(ids) - {one.id for one in measurements}
    if unknown:
        sys.exit(f"not a measurement: {', '.join(sorted(unknown))}")
    return [one for one in measurements if not ids or one.id in ids]


def merged(path: Path, measurements: Sequence[Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """The stored predictions with new ones, in the order of the measurements."""
    both = {**json.loads(path.read_text(encoding="utf-8")), **new}
    return {one.id: both[one.id] for one in measurements if one.id in both}


if __name__ == "__main__":
    sys.exit(main())
