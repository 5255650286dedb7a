"""Write the errors of predictions into README.md (a summary), docs/validation.md (a table), and
docs/validation/storage.md (measurements of file systems).

    python docs/reference/predictions.py [--measure] [--measure-storage] [--check]

`predictions.json` has the verdict on every published curve, `storage-predictions.json` the rates of
file systems. `--measure` predicts all curves again and writes them, which takes six minutes on two
cores, and `--measure-storage` those rates, in six minutes. `--check` writes nothing and fails if a
file or a page differs. A test checks the pages, and predicts again what takes less than a second.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from odonata import published, published_files, units

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(__file__).with_suffix(".json")
STORAGE = Path(__file__).with_name("storage-predictions.json")
PAGES = (
    ROOT / "README.md",
    ROOT / "docs" / "validation.md",
    ROOT / "docs" / "validation" / "storage.md",
)
BLOCK = re.compile(
    r"(<!-- docs/reference/predictions.py: (table|summary|storage) -->\n).*?(<!-- end -->)",
    re.DOTALL,
)
# Digits of a stored error: differences between compilers and libraries are far smaller.
DIGITS = 5
COLUMNS = 100
# Failures per row of the summary.
ACROSS = 3


def verdict_of(curve: published.Curve) -> dict[str, Any]:
    """Errors of the current prediction of a curve, as fractions."""
    found = published.verdict(published.predict(curve))
    mean, worst = (round(found[key], DIGITS) for key in ("mean_error", "worst_error"))
    return {"points": found["sizes"], "mean": mean, "worst": worst, "passes": found["passes"]}


def measured(curves: Iterable[published.Curve]) -> dict[str, dict[str, Any]]:
    return {curve.id: verdict_of(curve) for curve in curves}


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


def operations(rate: float) -> str:
    return f"{rate / 1e3:,.1f} k/s"


def text_of(verdicts: Mapping[str, Mapping[str, Any]]) -> str:
    lines = (f" {json.dumps(name)}: {json.dumps(v)}" for name, v in verdicts.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def table(verdicts: Mapping[str, Mapping[str, Any]]) -> str:
    """One row per curve of several points, and a sentence about the single numbers."""
    lines = ["| curve | points | mean error | worst error | |", "|---|---|---|---|---|"]
    for name, v in verdicts.items():
        if v["points"] > 1:
            cells = (percent(v["mean"]), percent(v["worst"]), "pass" if v["passes"] else "FAILS")
            lines.append(f"| `{name}` | {v['points']} | {' | '.join(cells)} |")
    lines += ["", score(verdicts)]
    return "\n".join(lines)


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
    return "\n".join(lines).replace("\0", " ") + "\n\n" + "\n".join(
        f"| {' | '.join(row)} |" for row in head + rows
    )


def percent(fraction: float) -> str:
    return f"{100 * fraction:.1f} %"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--measure", action="store_true", help="predict all curves again")
    parser.add_argument("--measure-storage", action="store_true", help="predict all rates again")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if stale")
    given = parser.parse_args()
    stale = []

    def put(path: Path, text: str) -> None:
        if path.read_text(encoding="utf-8") != text:
            stale.append(path.relative_to(ROOT))
            if not given.check:
                path.write_text(text, encoding="utf-8")

    if given.measure:
        DATA.touch()
        put(DATA, text_of(measured(published.curves())))
    if given.measure_storage:
        STORAGE.touch()
        found: dict[str, dict[str, Any]] = {}
        for run in published_files.runs():
            found |= rates_of(run)
        put(STORAGE, text_of(found))
    verdicts = json.loads(DATA.read_text(encoding="utf-8"))
    rates = json.loads(STORAGE.read_text(encoding="utf-8"))
    texts = {"table": table(verdicts), "summary": summary(verdicts), "storage": storage(rates)}
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        put(page, BLOCK.sub(lambda m: f"{m[1]}{texts[m[2]]}\n{m[3]}", text))
    if given.check and stale:
        print(f"stale: {', '.join(map(str, stale))}; run docs/reference/predictions.py",
              file=sys.stderr)  # fmt: skip
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
