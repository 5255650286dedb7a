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
    }
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
        Size::Drawn { mean, spread, probability, grain, stream } => {
            let edge = iteration.wrapping_mul(0x1_0000_0001) ^ u64::from(to);
            if probability < 1.0
                && uniform(draw(seed, stream.wrapping_add(0x6564_6765), from, edge)) >= probability
            {
                return None;
            }
            let number = mean * factor(spread, seed, stream, from, edge);
            let grain = grain.max(1);
            Some((number.max(0.0) / grain as f64).round() as u64 * grain)
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
        ] {
            let (mean, deviation) = moments(of);
            // Standard errors: 0.0005 of the mean, about 1 % of the deviation.
            assert!((mean - 1.0).abs() < 0.003, "{of:?} {mean}");
            assert!((deviation / sigma - 1.0).abs() < 0.05, "{of:?} {deviation}");
        }
    }

    #[test]
    fn sizes_are_multiples_and_some_messages_are_absent() {
        let size = Size::Drawn {
            mean: 1000.0,
            spread: Distribution::Normal { sigma: 0.2 },
            probability: 0.25,
            grain: 24,
            stream: 3,
        };
        let all: Vec<_> = (0..10_000).map(|to| bytes(&size, 1, 5, to, 0)).collect();
        assert!(all.iter().flatten().all(|bytes| bytes.is_multiple_of(24)));
        // 2,500 expected; six standard deviations are 260.
        let sent = all.iter().flatten().count();
        assert!((2_240..2_760).contains(&sent), "{sent}");
        let mean = all.iter().flatten().sum::<u64>() as f64 / sent as f64;
        assert!((mean - 1000.0).abs() < 24.0, "{mean}");
        assert_ne!(bytes(&size, 1, 5, 6, 0), bytes(&Size::Fixed(1), 1, 5, 6, 0));
    }
}
