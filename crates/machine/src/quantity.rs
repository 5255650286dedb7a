//! Physical quantities of machine files: their ranges, and suggestions for wrong units.

use crate::input_error::nearest;
use base::quantity::{self, Quantity, Unit};

/// The dimension of a quantity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dimension {
    Time,
    Rate,
    Size,
    /// Bytes of a node's memory, which may exceed any message.
    Memory,
    /// Floating-point operations per second.
    FlopRate,
    Power,
}

impl Dimension {
    /// Legal units.
    fn units(self) -> &'static [Unit] {
        match self {
            Dimension::Time => quantity::TIME,
            Dimension::Rate => quantity::RATE,
            Dimension::Size | Dimension::Memory => quantity::SIZE,
            Dimension::FlopRate => quantity::FLOP_RATE,
            Dimension::Power => quantity::POWER,
        }
    }
    /// What would be legal, completing "expected ...".
    pub fn expected(self) -> &'static str {
        match self {
            Dimension::Time => "a time with its unit, such as `350 ns` or `1.2 us`, up to 1000 s",
            Dimension::Rate => {
                "a rate with its unit, such as `200 Gbit/s` or `25 GB/s`, from 1 kB/s to 1000 TB/s"
            }
            Dimension::Size => "a size with its unit, such as `64 B` or `16 KiB`, up to 1 TB",
            Dimension::Memory => "a size with its unit, such as `512 GiB`, from 1 MB to 1000 TB",
            Dimension::FlopRate => {
                "an arithmetic rate with its unit, such as `10.4 Tflop/s`, from 1 Mflop/s to 1000 \
                 Pflop/s"
            }
            Dimension::Power => "a power with its unit, such as `500 W`, up to 1000 kW",
        }
    }
    /// The range that integer picoseconds, gaps and byte counts hold with room for sums.
    fn range(self) -> std::ops::RangeInclusive<f64> {
        match self {
            Dimension::Time => 0.0..=1e3,
            Dimension::Rate => 1e3..=1e15,
            Dimension::Size => 0.0..=1e12,
            Dimension::Memory => 1e6..=1e15,
            Dimension::FlopRate => 1e6..=1e18,
            Dimension::Power => 0.0..=1e6,
        }
    }
}

/// Spells out `Gb/s` and `Gbps`, which mean bits: one letter from bytes, and eight times less.
fn spelled_out(unit: &str) -> String {
    let of = |end: &str, name: &str| unit.strip_suffix(end).map(|most| format!("{most}{name}"));
    let bits = of("bps", "bit/s").or_else(|| of("b/s", "bit/s"));
    bits.or_else(|| of("Bps", "B/s")).unwrap_or_else(|| unit.to_string())
}

/// The quantity in seconds, bytes per second or bytes; the error is a suggestion, if there is one.
pub fn parse(text: &str, dimension: Dimension) -> Result<f64, Option<String>> {
    let Some(read) = Quantity::split(text) else { return Err(None) };
    let (number, unit) = (read.written, read.unit);
    let units = dimension.units();
    match units.iter().find(|known| known.name == unit) {
        Some(&known) => {
            Some(read.value(known)).filter(|si| dimension.range().contains(si)).ok_or(None)
        }
        None => {
            let near = nearest(&spelled_out(unit), units.iter().map(|known| known.name));
            Err(match (unit, dimension) {
                // Data sheets give bits, measurements bytes; guessing one may be wrong by a factor
                // of eight.
                ("", Dimension::Memory) => Some(format!("{number} GiB")),
                ("", Dimension::Rate) => Some(format!("{number} Gbit/s` or `{number} GB/s")),
                // A bare number most often means the first unit of the list.
                ("", _) => Some(format!("{number} {}", units[0].name)),
                _ => near.map(|unit| format!("{number} {unit}")),
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_read() {
        for (text, dimension, want) in [
            ("200 Gbit/s", Dimension::Rate, 25e9),
            ("16 GiB/s", Dimension::Rate, 17_179_869_184.0),
            ("350 ns", Dimension::Time, 350e-9),
            ("1.25us", Dimension::Time, 1.25e-6),
            ("1.25 \u{b5}s", Dimension::Time, 1.25e-6),
            ("1.25 \u{3bc}s", Dimension::Time, 1.25e-6),
            ("0 ns", Dimension::Time, 0.0),
            ("16 KiB", Dimension::Size, 16_384.0),
            ("1134 GiB", Dimension::Memory, 1_217_623_228_416.0),
        ] {
            let got = parse(text, dimension).expect(text);
            assert!((got - want).abs() <= want * 1e-12, "{text}: {got}");
        }
    }

    #[test]
    fn a_wrong_unit_gets_the_nearest_right_one() {
        for (text, dimension, want) in [
            ("25 GB", Dimension::Rate, Some("25 GB/s")),
            ("200 gbit/s", Dimension::Rate, Some("200 Gbit/s")),
            ("200 Gbps", Dimension::Rate, Some("200 Gbit/s")),
            ("200 Gb/s", Dimension::Rate, Some("200 Gbit/s")),
            ("200gbps", Dimension::Rate, Some("200 Gbit/s")),
            ("25 GBps", Dimension::Rate, Some("25 GB/s")),
            ("350 NS", Dimension::Time, Some("350 ns")),
            ("16 kib", Dimension::Size, Some("16 KiB")),
            ("64", Dimension::Size, Some("64 B")),
            ("512", Dimension::Memory, Some("512 GiB")),
            ("512 gib", Dimension::Memory, Some("512 GiB")),
            ("1 kB", Dimension::Memory, None),
            ("2 TB", Dimension::Size, None),
            ("200", Dimension::Rate, Some("200 Gbit/s` or `200 GB/s")),
            ("fast", Dimension::Rate, None),
            ("-3 ns", Dimension::Time, None),
            ("0 GB/s", Dimension::Rate, None),
        ] {
            assert_eq!(parse(text, dimension).unwrap_err().as_deref(), want, "{text}");
        }
    }
}
