"""A page of the reference: results of mpi4py's suite with odonata and with the reference."""

from __future__ import annotations

import importlib.metadata
from collections import Counter

import places

PAGE = places.ROOT / "docs" / "reference" / "mpi4py.md"


def page(twin, reference, known) -> str:
    """The page's text."""
    version = importlib.metadata.version("mpi4py")
    beside = places.REFERENCE.replace("==", " ")
    lines = [
        "# mpi4py's test suite",
        "",
        "<!-- Written by `make conformance`; do not edit. -->",
        "",
        f"The suite of mpi4py {version}, run with odonata and with PyPI's {beside}. A test counts",
        "once, with its worst verdict on any rank.",
        "",
        "| ranks | library | tests | pass | skip | fail |",
        "|---|---|---|---|---|---|",
    ]
    for ranks in sorted(twin):
        for name, outcomes in (("odonata", twin), ("mpich", reference)):
            counts = Counter(outcomes[ranks].verdicts.values())
            total, bad = sum(counts.values()), sum(counts[v] for v in ("fail", "error", "died"))
            row = (ranks, name, total, counts["pass"], counts["skip"], bad)
            lines.append("| " + " | ".join(map(str, row)) + " |")
    lines += ["", "## Exceptions with odonata", ""]
    if known:
        lines += ["| tests | ranks | reason |", "|---|---|---|"]
    else:
        lines.append("None.")
    for entry in known:
        at = ", ".join(map(str, entry.ranks))
        lines.append(f"| `{entry.tests}` | {at} | {entry.reason} |")
    return "\n".join(lines) + "\n"


def write(twin, reference, known) -> None:
    PAGE.write_text(page(twin, reference, known), encoding="utf-8")
