//! Histogram of latencies.

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

#[cfg(test)]
mod tests {
    use super::*;

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
