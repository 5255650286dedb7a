"""Reading and writing numbers."""

import pytest

from odonata import units


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("8", [8]),
        ("0", [0]),
        ("1:16", [1, 2, 4, 8, 16]),
        ("3:20", [3, 6, 12]),
        ("0:2", [0, 1, 2]),
        ("8,1Ki,1MiB", [8, 1024, 1 << 20]),
        ("2kB", [2000]),
        ("1.5Ki", [1536]),
        ("8, 16B", [8, 16]),
    ],
)
def test_sizes(text, sizes):
    assert units.read_sizes(text) == sizes


@pytest.mark.parametrize("text", ["", "x", "1:", ":8", "1:2:3", "8:1", "4M", "1K", "1.5", "-8",
                                  "1Xi", "8,,8", "1e400000:2", "1e400",
                                  "1:1e400", "18446744073709551616", "1e999999999999"])  # fmt: skip
def test_sizes_refused(text):
    with pytest.raises(units.Unreadable):
        units.read_sizes(text)


def test_the_units_in_errors_are_the_accepted_ones():
    named = set(units.SIZE.partition("with ")[2].replace(",", "").replace(" or ", " ").split())
    accepted = {
        unit for unit in ("B", *(p + end for p in "KMGTPE" for end in ("B", "i"))) if reads(unit)
    }
    assert named == accepted


def reads(unit: str) -> bool:
    try:
        return units.read_bytes(f"1{unit}") > 0
    except units.Unreadable:
        return False


def test_sizes_hint_states_both_meanings():
    with pytest.raises(units.Unreadable, match="4Mi.*4MB"):
        units.read_sizes("4M")


@pytest.mark.parametrize(
    ("text", "loads"),
    [
        ("0.3", [0.3]),
        ("1", [1.0]),
        ("0.1,0.5", [0.1, 0.5]),
        # Both ends are included, and each value is the nearest double: no 0.30000000000000004.
        ("0.1:0.9:0.1", [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]),
        ("0.25:1:0.5", [0.25, 0.75]),
    ],
)
def test_loads(text, loads):
    assert units.read_loads(text) == loads


@pytest.mark.parametrize(
    "text",
    ["", "a", "0", "1.1", "-0.1", "0.1:0.9", "0.9:0.1:0.1", "0.1:0.9:0", "0.1:0.9:1e-9", "nan",
     "inf", "1:2:3:4", "0.1:nan:0.1", "nan:0.5:0.1", "0.1:0.9:nan", "0.1:inf:0.1", "1e-400",
     "0.1:1e999999:0.1", "0.1:0.9:1e-999999999", "1e99999999999999999999"],
)  # fmt: skip
def test_loads_refused(text):
    with pytest.raises(units.Unreadable):
        units.read_loads(text)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("100us", 1e-4), ("1.5 ms", 1.5e-3), ("20 ns", 2e-8), ("3\u00b5s", 3e-6), ("3 \u03bcs", 3e-6)],
)
def test_spans(text, seconds):
    assert units.read_span(text) == pytest.approx(seconds, rel=1e-15)


@pytest.mark.parametrize(
    "text", ["", "5", "5 m", "us", "5 hours", "1e400s", "1e999999999999s", "1e8 s"]
)
def test_spans_refused(text):
    with pytest.raises(units.Unreadable):
        units.read_span(text)


@pytest.mark.parametrize(("text", "share"), [("10%", 0.1), ("0.1", 0.1), ("1", 1), ("250 %", 2.5)])
def test_shares(text, share):
    assert units.read_share(text) == share


@pytest.mark.parametrize("text", ["", "0", "-1%", "10", "1.01", "5%5", "x%", "nan",
                                  "1e999%", "1e-999"])  # fmt: skip
def test_shares_refused(text):
    with pytest.raises(units.Unreadable):
        units.read_share(text)


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (units.show_time(0), "0 s"),
        (units.show_time(2.41e-6), "2.41 µs"),
        (units.show_time(0.9999e-6), "1.00 µs"),
        (units.show_time(1234.5), "1234 s"),
        (units.show_time(3e-13), "0.30 ps"),
        (units.show_time(None), "-"),
        (units.show_bytes(999), "999 B"),
        (units.show_bytes(2.12e15), "2.12 PB"),
        (units.show_rate(25e9), "25.0 GB/s"),
        (units.show_size(16384), "16 KiB"),
        (units.show_size(18434), "18,434 B"),
        (units.show_count(12_345_678), "12.3 M"),
        (units.show_count(9999), "9,999"),
        (units.show_percent(0.125), "12.5 %"),
    ],
)
def test_shown(shown, text):
    assert shown == text


def test_huge_numbers_are_no_overflow():
    assert units.read_loads("0.1:0.9:1e9999999") == [0.1]
    for text in ("1e9999999", "1e9999999%", "1e-9999999"):
        with pytest.raises(units.Unreadable):
            units.read_share(text)
