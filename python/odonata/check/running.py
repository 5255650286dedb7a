"""Running a campaign: journal, backend, results."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..errors import Diagnostics
from ..files import read_text
from ..version import version
from . import output
from .campaign import Campaign
from .faults import check_places
from .journal import Journal
from .launched import Launched
from .suite import Suite
from .twin import Predictions, Twin
from .wiring import Wiring

JOURNAL = "journal.jsonl"


def run(
    campaign: Campaign, directory: Path, tick: Callable[[str], None] | None = None
) -> dict[str, Any]:
    """Run or continue a campaign, and write its results to the directory."""
    wiring = wiring_of(campaign)
    journal = Journal(directory / JOURNAL, identity(campaign))
    try:
        suite = suite_of(campaign, wiring, journal, directory, tick)
        suite.run()
    finally:
        journal.close()
    found = output.summary(suite)
    output.write(directory, suite, found)
    return found


def identity(campaign: Campaign) -> str:
    """What a journal belongs to. A changed machine or another version is another campaign."""
    asked = [read_text(campaign.path), campaign.machine.request(), version()]
    return json.dumps(asked, sort_keys=True)


def wiring_of(campaign: Campaign) -> Wiring:
    """The wiring of the campaign's nodes. Planted faults elsewhere are input errors."""
    wiring = Wiring(campaign.machine, campaign.nodes)
    wrong = Diagnostics()
    servers: set[int] = set()
    if "storage_links" in campaign.stages and campaign.twin.faults:
        summary = campaign.machine.summary
        every = Wiring(campaign.machine, range(summary["nodes"])).groups.values()
        servers = set(range(summary["groups"])) - set(every)
    check_places(wrong, campaign.twin.faults, wiring, servers)
    wrong.raise_any()
    return wiring


def suite_of(
    campaign: Campaign,
    wiring: Wiring,
    journal: Journal,
    directory: Path,
    tick: Callable[[str], None] | None = None,
) -> Suite:
    """The stages of a campaign with its backend: the twin or a launcher."""
    predictions = Predictions(campaign.machine, campaign.fidelity, wiring)
    backend: Twin | Launched = (
        Twin(campaign, wiring, predictions) if campaign.is_twin else Launched(campaign, directory)
    )
    return Suite(campaign, wiring, backend, predictions, journal, tick)


def shown(found: Mapping[str, Any]) -> str:
    """The result as text: stages, faulty parts, counts."""
    lines = [
        f"# {found['name']}: {found['machine']}, {found['nodes']:,} nodes",
        f"# {'stage':<13} {'test':<24} {'units':>7} {'slow':>6} {'of prediction':>14}",
    ]
    for row in found["stages"]:
        lines.append(f"  {row['stage']:<13} {row['test']:<24} {row['units']:>7,} {row['slow']:>6,} "
                     f"{row['center']:>14.3f}")  # fmt: skip
    for one in found["findings"]:
        lines.append(f"FAILED {one['part']}: {'; '.join(one['evidence'])}")
    lines += [f"note: {text}" for text in found["observations"]]
    lines += [f"NOT RUN {text}" for text in found["broken"]]
    lines.append(
        f"{len(found['passed']):,} nodes passed, {len(found['failed']):,} failed, "
        f"{len(found['not_run']):,} not run; {found['node_hours']:,.1f} node-hours, "
        f"{found['false_alarms']:.1g} false alarms expected"
    )
    return "\n".join(lines)
