//! Random quantities of a model: pure functions of the seed and what they belong to.

use crate::program::{Distribution, Size};
use base::{draw, uniform};

/// A factor on a duration: mean 1.
pub fn factor(of: Distribution, seed: u64, stream: u32, owner: u32, nth: u64) -> f64 {
    let first = uniform(draw(seed, stream, owner, nth.wrapping_mul(2)));
    match of {
        Distribution::Normal { sigma } => (1.0 + sigma * normal(seed, stream, owner, nth)).max(0.0),
        Distribution::Uniform { width } => 1.0 + width * (2.0 * first - 1.0),
        Distribution::Exponential { mean } => 1.0 + mean * (-first.ln() - 1.0),
        // With mean 1 of the factor itself.
        Distribution::LogNormal { sigma } => {
            (sigma * normal(seed, stream, owner, nth) - sigma * sigma / 2.0).exp()
        }
        // No elements: the factor has no effect.
        Distribution::Poisson { mean } if mean <= 0.0 => 1.0,
        Distribution::Poisson { mean } if mean > MOST_COUNTED => {
            (1.0 + normal(seed, stream, owner, nth) / mean.sqrt()).max(0.0)
        }
        Distribution::Poisson { mean } => f64::from(poisson(mean, first)) / mean,
    }
}

/// A drawn size: whole elements of `grain` bytes. `of` identifies the draw: its owner and number.
pub fn drawn(
    mean_bytes: f64,
    spread: Distribution,
    grain: u64,
    seed: u64,
    stream: u32,
    of: (u32, u64),
) -> u64 {
    let number = elements(mean_bytes, spread, grain) * factor(spread, seed, stream, of.0, of.1);
    number.round() as u64 * grain.max(1)
}

/// The mean number of elements of `grain` bytes in a drawn size. A Poisson distribution has it,
/// even if the mean size is less than a byte.
pub fn elements(mean_bytes: f64, of: Distribution, grain: u64) -> f64 {
    match of {
        Distribution::Poisson { mean } => mean,
        _ => mean_bytes / grain.max(1) as f64,
    }
}

/// Means of Poisson distributions above which they are taken as normal.
const MOST_COUNTED: f64 = 500.0;

/// The smallest number that a Poisson variable does not exceed with the probability `quantile`.
fn poisson(mean: f64, quantile: f64) -> u32 {
    let (mut k, mut term) = (0, (-mean).exp());
    let mut sum = term;
    // Rounding can leave the sum below a quantile near 1, so the terms decide, too.
    while sum < quantile && (f64::from(k) < mean || term > f64::EPSILON) {
        k += 1;
        term *= mean / f64::from(k);
        sum += term;
    }
    k
}

/// The central 95 % of a Poisson variable, over its mean.
pub fn poisson_range(mean: f64) -> (f64, f64) {
    if mean <= 0.0 {
        return (1.0, 1.0);
    }
    if mean > MOST_COUNTED {
        let deviation = 1.959_964 / mean.sqrt();
        return (1.0 - deviation, 1.0 + deviation);
    }
    let [low, high] = [0.025, 0.975].map(|quantile| f64::from(poisson(mean, quantile)) / mean);
    (low, high)
}

/// A standard normal variable (Box and Muller).
fn normal(seed: u64, stream: u32, owner: u32, nth: u64) -> f64 {
    let first = uniform(draw(seed, stream, owner, nth.wrapping_mul(2)));
    let second = uniform(draw(seed, stream, owner, nth.wrapping_mul(2) | 1));
    (-2.0 * first.ln()).sqrt() * (std::f64::consts::TAU * second).cos()
}

/// Bytes of a message between two ranks, in one iteration; both ends compute the same. `None` if
/// this message is not sent.
pub fn bytes(size: &Size, seed: u64, from: u32, to: u32, iteration: u64) -> Option<u64> {
    match *size {
        Size::Fixed(bytes) => Some(bytes),
        Size::Drawn { mean, spread, probability, grain, head, stream } => {
            let edge = iteration.wrapping_mul(0x1_0000_0001) ^ u64::from(to);
            if probability < 1.0
                && uniform(draw(seed, stream.wrapping_add(0x6564_6765), from, edge)) >= probability
            {
                return None;
            }
            Some(head + drawn(mean, spread, grain, seed, stream, (from, edge)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_have_mean_one_and_the_stated_deviation() {
        let n = 40_000;
        let moments = |of| {
            let all = (0..n).map(|nth| factor(of, 7, 1, nth, 0));
            let mean = all.clone().sum::<f64>() / f64::from(n);
            let deviation = (all.map(|x| (x - mean).powi(2)).sum::<f64>() / f64::from(n)).sqrt();
            (mean, deviation)
        };
        for (of, sigma) in [
            (Distribution::Normal { sigma: 0.1 }, 0.1),
            (Distribution::Uniform { width: 0.1 }, 0.1 / 3f64.sqrt()),
            (Distribution::Exponential { mean: 0.1 }, 0.1),
            (Distribution::LogNormal { sigma: 0.1 }, (0.01f64.exp() - 1.0).sqrt()),
            (Distribution::Poisson { mean: 100.0 }, 0.1),
            (Distribution::Poisson { mean: 1600.0 }, 0.025),
        ] {
            let (mean, deviation) = moments(of);
            // Standard errors: 0.0005 of the mean, about 1 % of the deviation.
            assert!((mean - 1.0).abs() < 0.003, "{of:?} {mean}");
            assert!((deviation / sigma - 1.0).abs() < 0.05, "{of:?} {deviation}");
        }
    }

    #[test]
    fn quantiles_of_counts_are_those_of_tables() {
        // Of the mean 10: P(X <= 3) = 0.0103, P(X <= 4) = 0.0293, P(X <= 16) = 0.9730,
        // P(X <= 17) = 0.9857.
        assert_eq!(poisson_range(10.0), (0.4, 1.7));
        // P(X = 0) = 0.905, P(X <= 1) = 0.9953.
        assert_eq!((poisson(0.1, 0.9), poisson(0.1, 0.91)), (0, 1));
        assert!(poisson(300.0, 1.0) < 500);
    }

    #[test]
    fn a_count_with_mean_zero_is_always_zero() {
        let none = Distribution::Poisson { mean: 0.0 };
        assert_eq!(factor(none, 1, 1, 1, 1), 1.0);
        assert_eq!(drawn(0.0, none, 24, 1, 1, (1, 1)), 0);
        assert_eq!(poisson_range(0.0), (1.0, 1.0));
    }

    #[test]
    fn sizes_are_multiples_and_some_messages_are_absent() {
        let size = Size::Drawn {
            mean: 1000.0,
            spread: Distribution::Normal { sigma: 0.2 },
            probability: 0.25,
            grain: 24,
            head: 8,
            stream: 3,
        };
        let all: Vec<_> = (0..10_000).map(|to| bytes(&size, 1, 5, to, 0)).collect();
        assert!(all.iter().flatten().all(|bytes| (bytes - 8).is_multiple_of(24)));
        // 2,500 expected; six standard deviations are 260.
        let sent = all.iter().flatten().count();
        assert!((2_240..2_760).contains(&sent), "{sent}");
        let mean = all.iter().flatten().sum::<u64>() as f64 / sent as f64;
        assert!((mean - 1008.0).abs() < 24.0, "{mean}");
        assert_ne!(bytes(&size, 1, 5, 6, 0), bytes(&Size::Fixed(1), 1, 5, 6, 0));
    }
}
