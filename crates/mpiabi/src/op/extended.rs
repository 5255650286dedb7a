//! C's `long double` on x86-64, for which Rust has no type: 80 bits, on the x87 stack.

use super::real::Real;

/// Ten bytes of value and six of padding.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
pub struct LongDouble([u8; 16]);

impl LongDouble {
    /// On other architectures `long double` is 128 bits wide and has no instructions.
    pub const SUPPORTED: bool = cfg!(target_arch = "x86_64");
}

#[cfg(target_arch = "x86_64")]
macro_rules! binary {
    ($instruction:literal, $a:expr, $b:expr) => {{
        let (a, b, mut out) = ($a, $b, LongDouble([0; 16]));
        // SAFETY: loads two values, stores one; the x87 stack is empty before and after.
        unsafe {
            core::arch::asm!(
                "fld tbyte ptr [{a}]",
                "fld tbyte ptr [{b}]",
                $instruction,
                "fstp tbyte ptr [{out}]",
                a = in(reg) &raw const a,
                b = in(reg) &raw const b,
                out = in(reg) &raw mut out,
                out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
                options(nostack),
            );
        }
        out
    }};
}

#[cfg(target_arch = "x86_64")]
impl Real for LongDouble {
    fn plus(self, b: LongDouble) -> LongDouble {
        binary!("faddp st(1), st", self, b)
    }
    fn minus(self, b: LongDouble) -> LongDouble {
        binary!("fsubp st(1), st", self, b)
    }
    fn times(self, b: LongDouble) -> LongDouble {
        binary!("fmulp st(1), st", self, b)
    }
    fn is_less(self, b: LongDouble) -> bool {
        let (a, mut above) = (self, 0u8);
        // SAFETY: as above; `seta` is false for NaN, since the comparison sets the carry flag.
        unsafe {
            core::arch::asm!(
                "fld tbyte ptr [{a}]",
                "fld tbyte ptr [{b}]",
                "fucomip st, st(1)",
                "seta {above}",
                "fstp st(0)",
                a = in(reg) &raw const a,
                b = in(reg) &raw const b,
                above = inout(reg_byte) above,
                out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
                options(nostack),
            );
        }
        above != 0
    }
}

#[cfg(not(target_arch = "x86_64"))]
impl Real for LongDouble {
    fn plus(self, _: LongDouble) -> LongDouble {
        self
    }
    fn minus(self, _: LongDouble) -> LongDouble {
        self
    }
    fn times(self, _: LongDouble) -> LongDouble {
        self
    }
    fn is_less(self, _: LongDouble) -> bool {
        false
    }
}

#[cfg(test)]
impl LongDouble {
    /// Exact: a `long double` can represent every `f64`.
    pub fn from_f64(value: f64) -> LongDouble {
        let mut out = LongDouble([0; 16]);
        unsafe {
            core::arch::asm!(
                "fld qword ptr [{v}]", "fstp tbyte ptr [{out}]",
                v = in(reg) &raw const value, out = in(reg) &raw mut out,
                out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
                options(nostack),
            );
        }
        out
    }
    pub fn bytes(self) -> [u8; 16] {
        self.0
    }
}
