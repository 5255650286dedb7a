//! Sixteen-bit floating point, for which stable Rust has no types. Computed in `f32`: its 24 bits
//! of mantissa are enough that rounding twice equals rounding once (2p + 2 for a sum or product).

use super::real::Real;

/// IEEE 754 binary16: 5 bits of exponent, 10 of fraction.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Half(pub u16);

/// bfloat16: the upper half of an `f32`.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Bfloat16(pub u16);

/// Rounds off the lowest `n` bits of a magnitude, to nearest, ties to even.
fn round(bits: u32, n: u32) -> u32 {
    let (kept, rest, half) = (bits >> n, bits & ((1 << n) - 1), 1 << (n - 1));
    kept + u32::from(rest > half || rest == half && kept & 1 == 1)
}

impl Half {
    pub fn to_f32(self) -> f32 {
        let (sign, exponent) = (u32::from(self.0 >> 15) << 31, u32::from(self.0 >> 10 & 31));
        let fraction = u32::from(self.0 & 0x3ff);
        let magnitude = match exponent {
            // Subnormal: units of 2^-24.
            0 => (fraction as f32 / 16_777_216.0).to_bits(),
            31 => 0x7f80_0000 | fraction << 13,
            _ => (exponent + 127 - 15) << 23 | fraction << 13,
        };
        f32::from_bits(sign | magnitude)
    }
    pub fn from_f32(value: f32) -> Half {
        let bits = value.to_bits();
        let (sign, magnitude) = ((bits >> 16 & 0x8000) as u16, bits & 0x7fff_ffff);
        let half = match magnitude {
            0x7f80_0001.. => 0x7e00,
            // 2^16 and more. Smaller values that round up to it get there below by a carry.
            0x4780_0000.. => 0x7c00,
            // Normal: the exponent's bias differs by 112.
            0x3880_0000.. => round(magnitude - (112 << 23), 13),
            // Subnormal, units of 2^-24: values below 2^-25 round to zero.
            0x3300_0000.. => {
                let shift = 126 - (magnitude >> 23);
                round(magnitude & 0x7f_ffff | 0x80_0000, shift)
            }
            _ => 0,
        };
        Half(sign | half as u16)
    }
}

impl Bfloat16 {
    pub fn to_f32(self) -> f32 {
        f32::from_bits(u32::from(self.0) << 16)
    }
    pub fn from_f32(value: f32) -> Bfloat16 {
        match value.is_nan() {
            true => Bfloat16(0x7fc0),
            false => Bfloat16(round(value.to_bits(), 16) as u16),
        }
    }
}

macro_rules! reals { ($($t:ident)*) => { $(
    impl Real for $t {
        fn plus(self, b: $t) -> $t {
            $t::from_f32(self.to_f32() + b.to_f32())
        }
        fn minus(self, b: $t) -> $t {
            $t::from_f32(self.to_f32() - b.to_f32())
        }
        fn times(self, b: $t) -> $t {
            $t::from_f32(self.to_f32() * b.to_f32())
        }
        fn is_less(self, b: $t) -> bool {
            self.to_f32() < b.to_f32()
        }
    }
)* } }
reals! { Half Bfloat16 }

#[cfg(test)]
mod tests {
    use super::*;

    /// Every half converts to `f32` and back; a value between two halves rounds to the nearer.
    #[test]
    fn halves_round_to_nearest_even() {
        for bits in 0..0x7c00u16 {
            let (low, high) = (Half(bits).to_f32(), Half(bits + 1).to_f32());
            assert_eq!(Half::from_f32(low).0, bits);
            assert_eq!(Half::from_f32(-low).0, bits | 0x8000);
            // The successor of the largest finite half would be 2^16.
            let high = if bits == 0x7bff { 65_536.0 } else { high };
            let middle = low + (high - low) / 2.0;
            let even = bits + (bits & 1);
            assert_eq!(Half::from_f32(middle).0, even, "between {low} and {high}");
            let (below, above) = (middle.next_down(), middle.next_up());
            assert_eq!((Half::from_f32(below).0, Half::from_f32(above).0), (bits, bits + 1));
        }
        assert_eq!(Half::from_f32(f32::INFINITY).0, 0x7c00);
        assert!(Half::from_f32(f32::NAN).to_f32().is_nan());
        assert_eq!((Bfloat16::from_f32(1.5).0, Bfloat16::from_f32(-2.0).0), (0x3fc0, 0xc000));
    }
}
