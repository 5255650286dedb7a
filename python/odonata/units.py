"""Numbers and quantities as text: `4Mi`, `1:4Mi`, `0.1:0.9:0.1`, `100 us`, `2.41 µs`.

The core reads units (`base::quantity`); lists, ranges and fractions are read here. Ambiguous text
is refused: `4M` may mean 4,000,000 or 4,194,304 bytes.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

from . import core

MOST_STEPS = 10_000  # of a range; a longer one is taken for a typing error
MOST_SECONDS = 2**63 * 1e-12  # the simulator counts picoseconds in 63 bits
MOST_EXPONENT = 300  # of a share; doubles end at 10^308
MOST = 2**63 - 1  # sizes and counts fit 63 bits
# Accepted quantities, in words.
SIZE = "0 to 2^63 - 1 bytes, with B, KB, MB, GB, TB, Ki, Mi or Gi"
SIZES = f"a doubling range `1:4Mi`, a list `8,1Ki,1Mi`, or one size; each of {SIZE}"
SPAN = "0 to 2^63 ps (106 days), with s, ms, us, ns or ps"


class Unreadable(ValueError):
    """Text that is not a legal value; the message is a hint, possibly empty."""


def read_bytes(text: str) -> int:
    """A size: `8`, `2048`, `16Ki`, `16KiB`, `4MB`."""
    return _read("read_size", text)


def read_span(text: str) -> float:
    """A simulated time in seconds: `100us`, `1.5 ms`."""
    return _read("read_time", text)


def _read(reader: str, text: str) -> Any:
    """A quantity with a unit, read by the core: there is one parser of units."""
    try:
        return core.query(reader, text)
    except ValueError as error:
        raise Unreadable(str(error)) from None


def read_sizes(text: str) -> list[int]:
    """Sizes: a doubling range `1:4Mi`, a list `8,1Ki,1Mi`, or one size."""
    sizes: list[int] = []
    for part in text.split(","):
        ends = part.split(":")
        if len(ends) == 1:
            sizes.append(read_bytes(part))
        elif len(ends) == 2:
            first, last = map(read_bytes, ends)
            if first > last:
                raise Unreadable(f"did you mean `{ends[1].strip()}:{ends[0].strip()}`?")
            if first == 0:
                sizes.append(0)
                first = 1
            while first <= last:
                sizes.append(first)
                first *= 2
        else:
            raise Unreadable("a range of sizes doubles: `FIRST:LAST`")
    return sizes


def read_loads(text: str) -> list[float]:
    """Offered loads: `0.3`, `0.1,0.5`, or `FIRST:LAST:STEP` with both ends.

    Decimal arithmetic, so that the ninth step of 0.1 is 0.9 and not 0.9000000000000001.
    """
    if ":" not in text:
        return [_load(_decimal(part)) for part in text.split(",")]
    ends = [_decimal(part) for part in text.split(":")]
    if len(ends) == 2:
        raise Unreadable(f"did you mean `{text}:0.1`?")
    if len(ends) != 3:
        raise Unreadable("")
    first, last, step = ends
    if step <= 0 or first > last:
        raise Unreadable("the step is positive and the first load is not above the last")
    _load(first)
    _load(last)
    step = min(step, Decimal(1))  # loads are at most 1; sums with a huge step would overflow
    if last - first > step * MOST_STEPS:
        raise Unreadable("that is a very long range")
    loads = []
    while first <= last:
        loads.append(_load(first))
        first += step
    return loads


def _decimal(text: str) -> Decimal:
    try:
        value = Decimal(text.strip())
    except ArithmeticError:
        raise Unreadable("") from None
    if not value.is_finite():
        raise Unreadable("numbers are finite")
    return value


def _load(value: Decimal) -> float:
    if not (0 < value <= 1) or float(value) == 0.0:
        raise Unreadable("a load is a fraction of the injection rate: above 0, at most 1")
    return float(value)


def read_share(text: str) -> float:
    """A fraction: `10%`, `10 %` or `0.1`; above 1 only in percent."""
    number, percent, rest = text.partition("%")
    value = _decimal(number)
    if value.adjusted() > MOST_EXPONENT:  # arithmetic with it would overflow
        raise Unreadable("")
    value /= 100 if percent else 1
    if rest.strip() or not 0 < float(value) < math.inf:
        raise Unreadable("")
    if value > 1 and not percent:
        raise Unreadable(f"did you mean `{number.strip()}%`?")
    return float(value)


def show_time(seconds: float | None, digits: int = 3) -> str:
    """`2.41 µs`: `digits` significant digits, or the integer part if it has more."""
    if seconds is None:
        return "-"
    if seconds == 0:
        return "0 s"
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9)):
        if abs(seconds) >= scale * 0.9995:
            return f"{_digits(seconds / scale, digits)} {unit}"
    return f"{_digits(seconds / 1e-12, digits)} ps"


def _digits(value: float, digits: int) -> str:
    whole = len(str(int(abs(value))))
    return f"{value:.{max(0, digits - whole)}f}"


def show_bytes(count: float | None) -> str:
    """`1.23 GB`, decimal: volumes are compared with rates in GB/s."""
    return "-" if count is None else _scaled(count, "B")


def show_rate(rate: float | None) -> str:
    """`24.0 GB/s`."""
    return "-" if rate is None else _scaled(rate, "B/s")


def show_size(count: int) -> str:
    """A message size: `8 B`, `16 KiB`, `4 MiB`; bytes if it is no multiple of 1 KiB."""
    for unit, scale in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= scale and count % scale == 0:
            return f"{count // scale} {unit}"
    return f"{count:,} B"


def show_count(count: float | None) -> str:
    """`12.3 M`; all digits below ten thousand."""
    if count is None:
        return "-"
    if abs(count) < 10_000:
        return f"{count:,.0f}"
    return _scaled(count, "").rstrip()


def _scaled(value: float, unit: str) -> str:
    for prefix, scale in (("P", 1e15), ("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if abs(value) >= scale * 0.9995:
            return f"{_digits(value / scale, 3)} {prefix}{unit}"
    return f"{value:,.0f} {unit}"


def show_percent(fraction: float | None) -> str:
    return "-" if fraction is None else f"{100 * fraction:.1f} %"


def short_size(size: float) -> str:
    """`16Ki` for an axis."""
    for unit, scale in (("Gi", 2**30), ("Mi", 2**20), ("Ki", 2**10)):
        if size >= scale:
            return f"{size / scale:g}{unit}"
    return f"{size:g}"
