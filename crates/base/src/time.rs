//! Simulated time in integer picoseconds, so equality, order and digests are exact.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Sub};

/// An instant of simulated time, in picoseconds since the start of the run.
///
/// 64 bits reach 213 days; addition is checked in debug and `checked` builds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Time(pub u64);

/// A duration of simulated time, in picoseconds. `Time - Time` is a `Span`; `Time`s do not add.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Span(pub u64);

impl Time {
    pub const ZERO: Time = Time(0);
    /// Seconds since the start of the run, for output.
    pub fn seconds(self) -> f64 {
        self.0 as f64 * 1e-12
    }
    /// Duration since `earlier`; zero if `earlier` is later.
    pub fn since(self, earlier: Time) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

impl Span {
    pub const ZERO: Span = Span(0);
    pub const fn ps(n: u64) -> Span {
        Span(n)
    }
    pub const fn ns(n: u64) -> Span {
        Span(n * 1_000)
    }
    pub const fn us(n: u64) -> Span {
        Span(n * 1_000_000)
    }
    pub const fn ms(n: u64) -> Span {
        Span(n * 1_000_000_000)
    }
    /// Rounds to the nearest picosecond. Negative values and NaN become zero, values too large the
    /// longest span.
    pub fn from_seconds(s: f64) -> Span {
        Span((s * 1e12).round() as u64)
    }
    pub fn seconds(self) -> f64 {
        self.0 as f64 * 1e-12
    }
}

impl Add<Span> for Time {
    type Output = Time;
    #[inline]
    fn add(self, s: Span) -> Time {
        Time(self.0 + s.0)
    }
}
impl AddAssign<Span> for Time {
    #[inline]
    fn add_assign(&mut self, s: Span) {
        self.0 += s.0;
    }
}
impl Sub for Time {
    type Output = Span;
    #[inline]
    fn sub(self, t: Time) -> Span {
        Span(self.0 - t.0)
    }
}
impl Add for Span {
    type Output = Span;
    #[inline]
    fn add(self, s: Span) -> Span {
        Span(self.0 + s.0)
    }
}
impl AddAssign for Span {
    #[inline]
    fn add_assign(&mut self, s: Span) {
        self.0 += s.0;
    }
}
impl Sub for Span {
    type Output = Span;
    #[inline]
    fn sub(self, s: Span) -> Span {
        Span(self.0 - s.0)
    }
}
impl Mul<u64> for Span {
    type Output = Span;
    #[inline]
    fn mul(self, n: u64) -> Span {
        Span(self.0 * n)
    }
}
impl Sum for Span {
    fn sum<I: Iterator<Item = Span>>(spans: I) -> Span {
        spans.fold(Span::ZERO, Add::add)
    }
}

/// Prints with a suitable unit: `1.60 us`.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ps = self.0 as f64;
        match self.0 {
            0..1_000 => write!(f, "{} ps", self.0),
            1_000..1_000_000 => write!(f, "{:.2} ns", ps * 1e-3),
            1_000_000..1_000_000_000 => write!(f, "{:.2} us", ps * 1e-6),
            1_000_000_000..1_000_000_000_000 => write!(f, "{:.2} ms", ps * 1e-9),
            _ => write!(f, "{:.3} s", ps * 1e-12),
        }
    }
}
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Span(self.0).fmt(f)
    }
}

/// Gap per byte, LogGP's G: the inverse of a bandwidth, in 2^-20 ps per byte.
///
/// Machines state bandwidths; the core only multiplies by the inverse, so the one division happens
/// when the machine is resolved.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Gap(pub u64);

impl Gap {
    /// No gap: infinitely fast.
    pub const ZERO: Gap = Gap(0);
    /// From a bandwidth in bytes per second.
    pub fn from_bytes_per_s(rate: f64) -> Gap {
        Gap((1e12 / rate * f64::from(1u32 << 20)).round() as u64)
    }
    /// Bytes per second; infinite for `Gap::ZERO`.
    pub fn bytes_per_s(self) -> f64 {
        1e12 * f64::from(1u32 << 20) / self.0 as f64
    }
    /// Time for `bytes`, rounded to the nearest picosecond and capped at the longest `Span`.
    #[inline]
    pub fn span(self, bytes: u64) -> Span {
        match bytes.checked_mul(self.0).and_then(|ps| ps.checked_add(1 << 19)) {
            Some(ps) => Span(ps >> 20),
            None => self.long_span(bytes),
        }
    }
    #[cold]
    fn long_span(self, bytes: u64) -> Span {
        let ps = (u128::from(bytes) * u128::from(self.0) + (1 << 19)) >> 20;
        Span(u64::try_from(ps).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_gives_back_the_rate_it_came_from() {
        for (rate, bytes, ps) in [
            (25e9, 25, 1_000),
            (25e9, 2132, 85_280),
            (4.6875e9, 64, 13_653),
            (10e9, 1 << 30, 107_374_182_400),
        ] {
            let gap = Gap::from_bytes_per_s(rate);
            assert_eq!(gap.span(bytes), Span(ps), "{rate} B/s, {bytes} B");
            assert!((gap.bytes_per_s() / rate - 1.0).abs() < 1e-7);
        }
    }

    #[test]
    fn a_time_too_long_to_hold_is_the_longest() {
        assert_eq!(Gap::from_bytes_per_s(1e3).span(1 << 60), Span(u64::MAX));
    }

    #[test]
    fn a_span_is_printed_in_the_unit_a_person_would_choose() {
        for (ps, text) in
            [(0, "0 ps"), (999, "999 ps"), (1_600_000, "1.60 us"), (2_500_000_000_000, "2.500 s")]
        {
            assert_eq!(Span(ps).to_string(), text);
        }
    }
}
