//! Histogram of latencies, and the logarithm for interarrival times.

use base::Span;

/// Latency counts in steps of 1/128 of an octave's start: within 0.4 % at the middle of a bin.
pub(super) struct Histogram {
    bins: Vec<u64>,
    pub count: u64,
    sum: u128,
}

impl Histogram {
    const STEPS: u32 = 7;

    pub fn new() -> Self {
        Histogram { bins: vec![0; 58 << Self::STEPS], count: 0, sum: 0 }
    }
    /// Values below 128 have a bin each; above, the seven bits after the leading one select the
    /// bin.
    fn bin(ps: u64) -> usize {
        let octave = (63 - (ps | 1).leading_zeros()).saturating_sub(Self::STEPS);
        ((u64::from(octave) << Self::STEPS) + (ps >> octave)) as usize
    }
    pub fn merge(&mut self, other: &Histogram) {
        self.bins.iter_mut().zip(&other.bins).for_each(|(bin, n)| *bin += n);
        self.count += other.count;
        self.sum += other.sum;
    }
    pub fn add(&mut self, latency: Span) {
        self.bins[Self::bin(latency.0)] += 1;
        self.count += 1;
        self.sum += u128::from(latency.0);
    }
    /// Adds `count` values that are at least `latency`, with a total of `sum`.
    pub fn add_at_least(&mut self, latency: Span, count: u64, sum: u128) {
        self.bins[Self::bin(latency.0)] += count;
        self.count += count;
        self.sum += sum;
    }
    pub fn mean_s(&self) -> f64 {
        self.sum as f64 / self.count.max(1) as f64 * 1e-12
    }
    /// The smallest value that a share `q` of all values does not exceed, at the middle of its bin.
    pub fn quantile_s(&self, q: f64) -> f64 {
        let target = (q * self.count as f64).ceil() as u64;
        let mut seen = 0;
        for (bin, &count) in self.bins.iter().enumerate() {
            seen += count;
            if count > 0 && seen >= target {
                let octave = (bin as u64 >> Self::STEPS).saturating_sub(1);
                let low = (bin as u64 - (octave << Self::STEPS)) << octave;
                return (low as f64 + ((1u64 << octave) - 1) as f64 / 2.0) * 1e-12;
            }
        }
        0.0
    }
}

/// Natural logarithm using only +, -, x and /, which IEEE 754 rounds identically everywhere:
/// arrival times must not depend on the mathematical library. Relative error below 1e-14.
pub(super) fn ln(x: f64) -> f64 {
    debug_assert!(x.is_normal() && x > 0.0);
    // x = m 2^exponent with m in (sqrt(1/2), sqrt(2)], computed without an unpredictable branch.
    const ABOVE: u64 = std::f64::consts::FRAC_1_SQRT_2.to_bits() + 1;
    let bits = x.to_bits();
    let exponent = bits.wrapping_sub(ABOVE).cast_signed() >> 52;
    let m = f64::from_bits(bits.wrapping_sub((exponent << 52).cast_unsigned()));
    // ln m = 2 artanh z; |z| < 0.172, so eleven terms leave less than 1e-17.
    let z = (m - 1.0) / (m + 1.0);
    let (square, mut sum) = (z * z, 0.0);
    for k in (0..11).rev() {
        sum = sum * square + 1.0 / f64::from(2 * k + 1);
    }
    2.0 * z * sum + exponent as f64 * std::f64::consts::LN_2
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{draw, uniform};

    #[test]
    fn the_logarithm_is_the_library_s_within_its_error() {
        for i in 1..100_000u64 {
            let x = uniform(draw(1, 2, 3, i));
            let (got, want) = (ln(x), x.ln());
            assert!((got - want).abs() <= 1e-14 * want.abs().max(1e-2), "ln({x}) = {got}, {want}");
        }
    }

    #[test]
    fn a_histogram_is_within_its_stated_error() {
        for ps in (0..1_000u64).chain((10..63).map(|b| (1 << b) + (1 << (b - 3)) + 1)) {
            let mut h = Histogram::new();
            h.add(Span(ps));
            let got = h.quantile_s(0.5) * 1e12;
            assert!((got - ps as f64).abs() <= 0.004 * ps as f64, "{ps} ps read as {got}");
        }
    }
}
