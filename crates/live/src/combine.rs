//! Reductions that the simulator applies, without waking the rank of the operand.
//!
//! Loops over packed elements that the compiler can vectorize. Operands need not be aligned.
//! Integers wrap, as in C on the usual machines.

use workload::wire::combine::{element, op};

/// `here = from op here` (`left`) or `here op from`. False if there is no such reduction.
pub(crate) fn apply(code: u32, here: &mut [u8], from: &[u8], left: bool) -> bool {
    let kernel = match kernel(code >> 8, code & 0xff) {
        Some(kernel) => kernel,
        None => return false,
    };
    kernel(here, from, left);
    true
}

/// Whether `apply` knows it, and the bytes of one element.
pub(crate) fn element_bytes(code: u32) -> Option<u64> {
    kernel(code >> 8, code & 0xff)?;
    Some(match code & 0xff {
        element::I8 | element::U8 => 1,
        element::I16 | element::U16 => 2,
        element::I32 | element::U32 | element::F32 => 4,
        element::C64 => 16,
        _ => 8,
    })
}

/// Description of a reduction from its `means`: "MPI_SUM of int32".
pub(crate) fn describe(means: u32, commutative: bool) -> String {
    let operator = match means >> 8 {
        op::OWN if commutative => "a commutative operator of the program's",
        op::OWN => "a non-commutative operator of the program's",
        op::SUM => "MPI_SUM",
        op::PROD => "MPI_PROD",
        op::MAX => "MPI_MAX",
        op::MIN => "MPI_MIN",
        op::LAND => "MPI_LAND",
        op::BAND => "MPI_BAND",
        op::LOR => "MPI_LOR",
        op::BOR => "MPI_BOR",
        op::LXOR => "MPI_LXOR",
        op::BXOR => "MPI_BXOR",
        op::REPLACE => "MPI_REPLACE",
        op::NO_OP => "MPI_NO_OP",
        op::MAXLOC => "MPI_MAXLOC",
        op::MINLOC => "MPI_MINLOC",
        _ => "an unknown operator",
    };
    let values = match means & 0xff {
        element::I8 => " of int8",
        element::U8 => " of uint8",
        element::I16 => " of int16",
        element::U16 => " of uint16",
        element::I32 => " of int32",
        element::U32 => " of uint32",
        element::I64 => " of int64",
        element::U64 => " of uint64",
        element::F32 => " of float32",
        element::F64 => " of float64",
        element::C32 => " of complex64",
        element::C64 => " of complex128",
        _ => "",
    };
    format!("{operator}{values}")
}

type Kernel = fn(&mut [u8], &[u8], bool);

/// Combines element by element; `f` gets its operands in rank order.
macro_rules! each {
    ($t:ty, $f:expr) => {{
        fn kernel(here: &mut [u8], from: &[u8], left: bool) {
            const N: usize = size_of::<$t>();
            let f: fn($t, $t) -> $t = $f;
            let (here, _) = here.as_chunks_mut::<N>();
            let (from, _) = from.as_chunks::<N>();
            // The order is the same for all elements, so it is selected outside the loop.
            if left {
                for (h, a) in here.iter_mut().zip(from) {
                    *h = f(<$t>::from_ne_bytes(*a), <$t>::from_ne_bytes(*h)).to_ne_bytes();
                }
            } else {
                for (h, a) in here.iter_mut().zip(from) {
                    *h = f(<$t>::from_ne_bytes(*h), <$t>::from_ne_bytes(*a)).to_ne_bytes();
                }
            }
        }
        Some(kernel as Kernel)
    }};
}

macro_rules! integer {
    ($t:ty, $op:expr) => {
        match $op {
            op::SUM => each!($t, |a, b| a.wrapping_add(b)),
            op::PROD => each!($t, |a, b| a.wrapping_mul(b)),
            op::MAX => each!($t, |a, b| a.max(b)),
            op::MIN => each!($t, |a, b| a.min(b)),
            op::LAND => each!($t, |a, b| <$t>::from(a != 0 && b != 0)),
            op::LOR => each!($t, |a, b| <$t>::from(a != 0 || b != 0)),
            op::LXOR => each!($t, |a, b| <$t>::from((a != 0) != (b != 0))),
            op::BAND => each!($t, |a, b| a & b),
            op::BOR => each!($t, |a, b| a | b),
            op::BXOR => each!($t, |a, b| a ^ b),
            _ => None,
        }
    };
}

/// Maximum and minimum as C's `a > b ? a : b`, like MPICH; one instruction.
macro_rules! float {
    ($t:ty, $op:expr) => {
        match $op {
            op::SUM => each!($t, |a, b| a + b),
            op::PROD => each!($t, |a, b| a * b),
            op::MAX => each!($t, |a, b| if a > b { a } else { b }),
            op::MIN => each!($t, |a, b| if a < b { a } else { b }),
            _ => None,
        }
    };
}

/// A complex number: a pair of floats.
macro_rules! complex {
    ($name:ident, $t:ty) => {
        #[derive(Clone, Copy)]
        struct $name {
            re: $t,
            im: $t,
        }
        impl $name {
            fn from_ne_bytes(bytes: [u8; 2 * size_of::<$t>()]) -> $name {
                let (parts, _) = bytes.as_chunks::<{ size_of::<$t>() }>();
                $name { re: <$t>::from_ne_bytes(parts[0]), im: <$t>::from_ne_bytes(parts[1]) }
            }
            fn to_ne_bytes(self) -> [u8; 2 * size_of::<$t>()] {
                let mut bytes = [0; 2 * size_of::<$t>()];
                let (parts, _) = bytes.as_chunks_mut::<{ size_of::<$t>() }>();
                (parts[0], parts[1]) = (self.re.to_ne_bytes(), self.im.to_ne_bytes());
                bytes
            }
            fn sum(a: $name, b: $name) -> $name {
                $name { re: a.re + b.re, im: a.im + b.im }
            }
            fn product(a: $name, b: $name) -> $name {
                $name { re: a.re * b.re - a.im * b.im, im: a.re * b.im + a.im * b.re }
            }
        }
    };
}
complex!(Complex32, f32);
complex!(Complex64, f64);

fn kernel(op: u32, element: u32) -> Option<Kernel> {
    match op {
        op::REPLACE => return Some(|here, from, _| here.copy_from_slice(from)),
        op::NO_OP => return Some(|_, _, _| ()),
        _ => {}
    }
    match element {
        element::I8 => integer!(i8, op),
        element::U8 => integer!(u8, op),
        element::I16 => integer!(i16, op),
        element::U16 => integer!(u16, op),
        element::I32 => integer!(i32, op),
        element::U32 => integer!(u32, op),
        element::I64 => integer!(i64, op),
        element::U64 => integer!(u64, op),
        element::F32 => float!(f32, op),
        element::F64 => float!(f64, op),
        element::C32 if op == op::SUM => each!(Complex32, Complex32::sum),
        element::C32 if op == op::PROD => each!(Complex32, Complex32::product),
        element::C64 if op == op::SUM => each!(Complex64, Complex64::sum),
        element::C64 if op == op::PROD => each!(Complex64, Complex64::product),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use workload::wire::combine::builtin;

    fn packed<const N: usize>(values: &[[u8; N]]) -> Vec<u8> {
        values.concat()
    }
    macro_rules! check {
        ($t:ty, $element:ident, $op:ident, $from:expr, $here:expr, $left:expr, $right:expr) => {{
            let bytes = |v: &[$t]| packed(&v.iter().map(|x| x.to_ne_bytes()).collect::<Vec<_>>());
            for (left, expect) in [(true, $left), (false, $right)] {
                // An odd offset: operands need not be aligned.
                let mut here = [vec![0u8], bytes(&$here)].concat();
                let code = builtin(op::$op, element::$element);
                assert!(apply(code, &mut here[1..], &bytes(&$from), left));
                let what = (stringify!($op), stringify!($element), left);
                assert_eq!(here[1..], bytes(&expect), "{what:?}");
            }
        }};
    }

    #[test]
    fn reductions_follow_the_standard() {
        // Computed by hand from the definitions (MPI 5.0, section 6.9.2).
        check!(i32, I32, SUM, [1, i32::MAX, -5], [2, 1, 5], [3, i32::MIN, 0], [3, i32::MIN, 0]);
        check!(u8, U8, PROD, [16, 3], [16, 5], [0, 15], [0, 15]);
        check!(i64, I64, MAX, [-1, 7], [3, -9], [3, 7], [3, 7]);
        check!(i16, I16, MIN, [-1, 7], [3, -9], [-1, -9], [-1, -9]);
        check!(u16, U16, LAND, [0, 2, 4], [1, 0, 9], [0, 0, 1], [0, 0, 1]);
        check!(u32, U32, LOR, [0, 2, 0], [0, 0, 9], [0, 1, 1], [0, 1, 1]);
        check!(i8, I8, LXOR, [0, 2, 3], [0, 0, 9], [0, 1, 0], [0, 1, 0]);
        check!(u64, U64, BAND, [0b1100], [0b1010], [0b1000], [0b1000]);
        check!(u64, U64, BOR, [0b1100], [0b1010], [0b1110], [0b1110]);
        check!(u64, U64, BXOR, [0b1100], [0b1010], [0b0110], [0b0110]);
        check!(f32, F32, SUM, [1.5, 2.0], [0.25, -2.0], [1.75, 0.0], [1.75, 0.0]);
        check!(f64, F64, MAX, [1.0, -1.0], [2.0, -2.0], [2.0, -1.0], [2.0, -1.0]);
        // `a > b ? a : b` is b if either is not a number, so the order matters.
        check!(f64, F64, MAX, [f64::NAN], [1.0], [1.0], [f64::NAN]);
        check!(i32, I32, REPLACE, [7], [9], [7], [7]);
        check!(i32, I32, NO_OP, [7], [9], [9], [9]);
        // (1 + 2i)(3 + 4i) = -5 + 10i, packed as pairs.
        check!(f64, C64, PROD, [1.0, 2.0], [3.0, 4.0], [-5.0, 10.0], [-5.0, 10.0]);
        check!(f32, C32, SUM, [1.0, 2.0], [3.0, 4.0], [4.0, 6.0], [4.0, 6.0]);
    }

    #[test]
    fn undefined_reductions_are_refused() {
        for (op, element) in [
            (op::BAND, element::F64),
            (op::MAX, element::C64),
            (op::MAXLOC, element::I32),
            (99, element::I32),
            (op::SUM, 99),
        ] {
            assert!(element_bytes(builtin(op, element)).is_none(), "{op} {element}");
        }
    }
}
