//! Keyed random draws and the digest of a run.

/// The `nth` draw of `owner` from `stream`: a pure function of its arguments.
///
/// Draws are keyed, not sequential: adding a component, or running on more threads, changes no
/// other draw. The mixing is SplitMix64's finalizer (Steele, Lea, Flood: "Fast splittable
/// pseudorandom number generators", OOPSLA 2014) over an odd-multiplier combination of the key.
#[inline]
pub fn draw(seed: u64, stream: u32, owner: u32, nth: u64) -> u64 {
    let key = (u64::from(stream) << 32 | u64::from(owner)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mix(mix(seed ^ key) ^ nth.wrapping_mul(0xD1B5_4A32_D192_ED03))
}

#[inline]
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// Maps a draw to `0..n` (multiply-shift; its bias is below `n` in 2^32).
#[inline]
pub fn below(draw: u64, n: u32) -> u32 {
    (((draw >> 32) * u64::from(n)) >> 32) as u32
}

/// Maps a draw to the open interval (0, 1), so its logarithm is finite.
#[inline]
pub fn uniform(draw: u64) -> f64 {
    ((draw >> 11) as f64 + 0.5) * (1.0 / (1u64 << 53) as f64)
}

/// Rolling digest of all events of a run, in order. Two runs are equal iff their digests are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Digest(pub u64);

impl Digest {
    #[inline]
    pub fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517C_C1B7_2722_0A95);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_fill_their_range_evenly() {
        let n = 16u32;
        let mut seen = [0u32; 16];
        for i in 0..16_000 {
            seen[below(draw(1, 2, 3, i), n) as usize] += 1;
        }
        // 1,000 expected each; six standard deviations are about 184.
        assert!(seen.iter().all(|&c| (816..1184).contains(&c)), "{seen:?}");
    }

    #[test]
    fn every_part_of_the_key_matters() {
        let base = draw(1, 1, 1, 1);
        for other in [draw(2, 1, 1, 1), draw(1, 2, 1, 1), draw(1, 1, 2, 1), draw(1, 1, 1, 2)] {
            assert_ne!(base, other);
        }
    }
}
