"""`show-flaps`: links that flap, with scores from 0 (good) to 6 (bad)."""

from __future__ import annotations

import getopt
import sys
from collections.abc import Sequence
from typing import Any

from .client import Client, ClientError

USAGE = "usage: show-flaps [-s SCORE] [-l] [-N COUNT] [-t PORT]"
# Links that flapped; a fabric has some 100,000 others.
FLAPPED = "flapCount gt 0"
LEAST = 3  # score of listed links
WORST = 6
HEAD = (
    "            xname A<->B            |total flaps A/B|time since last flap A/B "
    "|flap period A/B  |flap score A/B|combined score"
)
RULE = "-" * 35 + "+" + "-" * 15 + "+" + "-" * 25 + "+" + "-" * 17 + "+" + "-" * 14 + "+" + "-" * 14


def main(words: Sequence[str]) -> int:
    """Run `show-flaps` with these arguments. Returns the exit status."""
    try:
        found, rest = getopt.getopt(list(words), "s:lN:t:h", ["help"])
        given = dict(found)
        score = count(given.get("-s", str(LEAST)))
        most = count(given["-N"]) if "-N" in given else None
    except (getopt.GetoptError, ValueError) as error:
        print(f"show-flaps: {error}\n{USAGE}", file=sys.stderr)
        return 2
    if rest or "-h" in given or "--help" in given:
        print(USAGE, file=sys.stderr if rest else sys.stdout)
        return 2 if rest else 0
    try:
        links = list(Client().documents("/fabric/links", FLAPPED if "-l" not in given else ""))
    except ClientError as error:
        print(f"show-flaps: {error}", file=sys.stderr)
        return 1
    is_listed = "-l" in given  # also links that never flapped
    rows = [
        link
        for link in links
        if (is_listed or link["flapScore"] >= score)
        and ("-t" not in given or given["-t"] in link["documentSelfLink"].rpartition("/")[2])
    ]
    rows.sort(key=lambda link: -link["flapScore"])
    print(f"Showing links with a flap score of {score} or greater")
    print(HEAD, RULE, *map(line, rows[:most]), sep="\n")
    return 0


def count(text: str) -> int:
    """A whole number."""
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise ValueError(f"`{text}` is no whole number")
    return int(text)


def line(link: dict[str, Any]) -> str:
    """The line of a link."""
    name = link["documentSelfLink"].rpartition("/")[2].replace("-", "<->")
    # Both ends of a simulated link count the same flaps.
    flaps, score = link["flapCount"], link["flapScore"]
    last, period = span(link["secondsSinceLastFlap"]), span(link["flapPeriodSeconds"])
    cells = (
        f" {name:<34}",
        f"{flaps:<5} / {flaps:>5}  ",
        f"{f'{last} / {last}':^25}",
        f"{f'{period} / {period}':^17}",
        f"{f'{score}/{score}':^14}",
        f"{2 * score:^14}".rstrip(),
    )
    return "|".join(cells)


def span(seconds: float | None) -> str:
    """Hours, minutes and seconds; `-` if there was no flap."""
    if seconds is None:
        return "-"
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"
