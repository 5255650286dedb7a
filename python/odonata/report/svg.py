"""Drawings as SVG text, colored by the page's own style so that they follow light and dark.

Numbers in, markup out; every mark has a `<title>`, which browsers show on hovering.
"""

from __future__ import annotations

import base64
import math
import struct
import zlib
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from ..units import show_bytes, show_time

SHARES = ("compute", "waiting", "transfer", "other")
MOST_COLUMNS = 512  # more ranks than this are averaged with their neighbors
MOST_CELLS = 256  # more ranks than this share cells of the message matrix


def ticks(top: float, about: int = 5) -> list[float]:
    """Round numbers from 0 to at most `top`."""
    if top <= 0:
        return [0.0]
    raw = top / about
    power = 10 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= raw)
    return [i * step for i in range(int(top / step + 1e-9) + 1)]


def tick_time(seconds: float) -> str:
    """A round time for an axis: `250 µs`, `1.5 ms`, `0`."""
    number, unit = show_time(seconds, 6).split()
    return f"{float(number):g} {unit}" if seconds else "0"


def binned(values: Sequence[float], most: int) -> list[float]:
    """At most `most` values: means of equal stretches."""
    count = len(values)
    if count <= most:
        return list(values)
    cuts = [i * count // most for i in range(most + 1)]
    return [sum(values[a:b]) / (b - a) for a, b in zip(cuts, cuts[1:], strict=False)]


class Frame:
    """A drawing area with margins; collects marks."""

    def __init__(self, width: int, height: int, left: int = 56, bottom: int = 34, top: int = 10):
        self.width, self.height = width, height
        self.left, self.right, self.top, self.bottom = left, width - 8, top, height - bottom
        self.marks: list[str] = []

    def text(self, x: float, y: float, words: str, style: str = "tick", anchor: str = "middle"):
        self.marks.append(
            f'<text x="{x:.1f}" y="{y:.1f}" class="{style}" text-anchor="{anchor}">'
            f"{escape(words)}</text>"
        )

    def line(self, x1: float, y1: float, x2: float, y2: float, style: str) -> None:
        self.marks.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{style}"/>'
        )

    def svg(self, label: str) -> str:
        return (
            f'<svg viewBox="0 0 {self.width} {self.height}" role="img" '
            f'aria-label="{escape(label)}">{"".join(self.marks)}</svg>'
        )


def time_by_rank(ranks: Sequence[Mapping[str, Any]]) -> str:
    """Stacked time of every rank: compute, waiting, transfer, other."""
    frame = Frame(1040, 260)
    columns = {
        s: binned([float(r.get(f"{s}_s") or 0.0) for r in ranks], MOST_COLUMNS) for s in SHARES
    }
    count = len(columns["compute"])
    totals = [sum(columns[s][i] for s in SHARES) for i in range(count)]
    top = max(totals, default=0.0) or 1.0
    wide = (frame.right - frame.left) / max(count, 1)

    def y(value: float) -> float:
        return frame.bottom - value / top * (frame.bottom - frame.top)

    for tick in ticks(top, 6):
        frame.line(frame.left, y(tick), frame.right, y(tick), "grid")
        frame.text(frame.left - 6, y(tick) + 4, tick_time(tick), anchor="end")
    below = [0.0] * count
    for share in SHARES:
        above = [b + v for b, v in zip(below, columns[share], strict=True)]
        if any(columns[share]):
            path = [f"M{frame.left:.1f} {y(below[0]):.2f}"]
            for i, value in enumerate(above):
                x = frame.left + i * wide
                path.append(f"L{x:.2f} {y(value):.2f}H{x + wide:.2f}")
            for i in range(count - 1, -1, -1):
                x = frame.left + i * wide
                path.append(f"L{x + wide:.2f} {y(below[i]):.2f}H{x:.2f}")
            frame.marks.append(f'<path class="{share}" d="{"".join(path)}Z"/>')
        below = above
    _hover_columns(frame, columns, count, len(ranks), wide)
    _rank_axis(frame, len(ranks))
    return frame.svg("Where the time of every rank went")


def _hover_columns(
    frame: Frame, columns: Mapping[str, Sequence[float]], count: int, ranks: int, wide: float
) -> None:
    """Invisible columns that tell a rank's numbers."""
    for i in range(count):
        first, last = i * ranks // count, (i + 1) * ranks // count - 1
        name = f"rank {first}" if last <= first else f"ranks {first} to {last}, mean"
        words = [name] + [f"{s} {show_time(columns[s][i])}" for s in SHARES if columns[s][i]]
        frame.marks.append(
            f'<rect class="hover" x="{frame.left + i * wide:.2f}" y="{frame.top}" '
            f'width="{wide:.2f}" height="{frame.bottom - frame.top}">'
            f"<title>{escape(chr(10).join(words))}</title></rect>"
        )


def _rank_axis(frame: Frame, ranks: int) -> None:
    span = frame.right - frame.left
    for tick in ticks(max(ranks - 1, 1), 8):
        if tick == int(tick) and tick < ranks:
            x = frame.left + (tick + 0.5) / ranks * span
            frame.text(x, frame.bottom + 15, f"{int(tick):,}")
    frame.text(frame.left + span / 2, frame.height - 3, "rank", "label")


def matrix(messages: Sequence[Mapping[str, Any]], ranks: int) -> str:
    """Bytes from every rank to every other: darker is more, on a logarithmic scale."""
    cells = min(ranks, MOST_CELLS)
    volume = [[0] * cells for _ in range(cells)]
    for m in messages:
        row, column = m["src"] * cells // ranks, m["dst"] * cells // ranks
        volume[row][column] += m.get("bytes") or m.get("messages") or 0
    top = max((v for row in volume for v in row), default=0)
    least = min((v for row in volume for v in row if v), default=1)
    span = math.log(top / least) if top > least else 0.0

    def alpha(value: int) -> int:
        if not value:
            return 0
        return round(255 * (0.22 + 0.78 * (math.log(value / least) / span if span else 1.0)))

    pixels = b"".join(
        b"\0" + b"".join(struct.pack("4B", 0x4A, 0x7E, 0xBF, alpha(v)) for v in row)
        for row in volume
    )
    picture = base64.b64encode(png(cells, cells, pixels)).decode()
    frame = Frame(460, 430, left=52, bottom=36)
    side = min(frame.right - frame.left, frame.bottom - frame.top)
    frame.marks.append(
        f'<rect class="panel" x="{frame.left}" y="{frame.top}" width="{side}" height="{side}"/>'
        f'<image x="{frame.left}" y="{frame.top}" width="{side}" height="{side}" '
        f'preserveAspectRatio="none" style="image-rendering:pixelated" '
        f'href="data:image/png;base64,{picture}"/>'
    )
    for tick in ticks(max(ranks - 1, 1), 4):
        if tick == int(tick) and tick < ranks:
            at = (tick + 0.5) / ranks * side
            frame.text(frame.left + at, frame.top + side + 15, f"{int(tick):,}")
            frame.text(frame.left - 6, frame.top + at + 4, f"{int(tick):,}", anchor="end")
    frame.text(frame.left + side / 2, frame.top + side + 31, "to rank", "label")
    middle = frame.top + side / 2
    frame.marks.append(
        f'<text class="label" text-anchor="middle" transform="rotate(-90 12 {middle:.0f})" '
        f'x="12" y="{middle:.0f}">from rank</text>'
    )
    return frame.svg(f"Message matrix; the largest cell is {show_bytes(top)}")


def png(width: int, height: int, rows: bytes) -> bytes:
    """A PNG of 8-bit RGBA; `rows` has a filter byte before each."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def curve(
    series: Sequence[tuple[str, Sequence[tuple[float, float]]]],
    x_label: str,
    y_label: str,
    logarithmic: bool,
    x_words: Callable[[float], str],
    y_words: Callable[[float], str],
    rings: Sequence[Sequence[tuple[float, float]]] = (),
) -> str:
    """Lines through points; both axes logarithmic, or both linear from 0.

    `rings` are points of each series without a line: what somebody measured.
    """
    frame = Frame(1040, 350, left=72, top=28)
    points = [p for _, line in series for p in line if not logarithmic or min(p) > 0]
    points += [p for line in rings for p in line]
    if not points:
        return ""
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    if logarithmic:
        inside = [x for x in _powers(min(xs), max(xs), 4.0) if min(xs) <= x <= max(xs)]
        x_ticks = inside or sorted({min(xs), max(xs)})
        y_ticks = _powers(min(ys), max(ys), 10.0)
        x_of = _log_scale(min(xs), max(xs), frame.left + 8, frame.right - 12)
        y_of = _log_scale(
            min(y_ticks[0], min(ys)), max(y_ticks[-1], max(ys)), frame.bottom, frame.top
        )
    else:
        x_ticks, y_ticks = ticks(max(xs), 8), ticks(max(ys))
        x_of = _linear_scale(max(xs), frame.left, frame.right - 12)
        y_of = _linear_scale(max(ys) * 1.04, frame.bottom, frame.top)
    for tick in y_ticks:
        frame.line(frame.left, y_of(tick), frame.right, y_of(tick), "grid")
        frame.text(frame.left - 6, y_of(tick) + 4, y_words(tick), anchor="end")
    for tick in x_ticks:
        frame.text(x_of(tick), frame.bottom + 15, x_words(tick))
    for number, (name, line) in enumerate(series):
        legal = [p for p in line if not logarithmic or min(p) > 0]
        path = " ".join(f"{x_of(x):.1f},{y_of(y):.1f}" for x, y in legal)
        frame.marks.append(f'<polyline class="line s{number}" points="{path}"/>')
        dots = [("dot", 2.4 if rings else 3.2, "predicted", legal)]
        dots += [("ring", 4.0, "published", line) for line in rings[number : number + 1]]
        for style, radius, origin, at in dots:
            for x, y in at:
                words = f"{name}, {origin}: {x_words(x)}, {show_time(y) if rings else y_words(y)}"
                frame.marks.append(
                    f'<circle class="{style} s{number}" cx="{x_of(x):.1f}" cy="{y_of(y):.1f}" '
                    f'r="{radius}"><title>{escape(words)}</title></circle>'
                )
    frame.text((frame.left + frame.right) / 2, frame.height - 3, x_label, "label")
    frame.text(frame.left, 9, y_label, "label", "start")
    return frame.svg(f"{y_label} over {x_label}")


def _powers(low: float, high: float, base: float) -> list[float]:
    first = math.floor(math.log(low, base) + 1e-9)
    last = math.ceil(math.log(high, base) - 1e-9)
    return [base**n for n in range(first, last + 1)]


def _log_scale(low: float, high: float, start: float, end: float) -> Callable[[float], float]:
    span = math.log(high / low) or 1.0
    return lambda value: start + math.log(value / low) / span * (end - start)


def _linear_scale(high: float, start: float, end: float) -> Callable[[float], float]:
    return lambda value: start + value / (high or 1.0) * (end - start)
