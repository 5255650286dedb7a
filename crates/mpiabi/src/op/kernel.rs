//! The arithmetic of predefined operators: `inout[i] = in[i] op inout[i]`. Addresses need not be
//! aligned.

use super::Operator;
use super::extended::LongDouble;
use super::half::{Bfloat16, Half};
use super::real::Real;
use crate::datatype::Number;

/// Whether an operator is defined for the type (MPI 5.0, 6.9.2; for characters as in MPICH).
pub fn combines(op: Operator, number: Number) -> bool {
    use Number::*;
    use Operator::*;
    let integer = matches!(number, I8 | I16 | I32 | I64 | I128 | U8 | U16 | U32 | U64);
    let real = matches!(number, F16 | BF16 | F32 | F64) || number == F80 && LongDouble::SUPPORTED;
    let complex = matches!(number, C16 | C32 | C64) || number == C80 && LongDouble::SUPPORTED;
    let logical = matches!(number, L8 | L16 | L32 | L64 | L128);
    match op {
        Sum | Prod => integer || real || complex,
        Max | Min => integer || real,
        OnComplete | Lor | Lxor => integer || logical,
        Band | Bor | Bxor => integer || number == Byte,
        MaxLoc | MinLoc => {
            number.halves().is_some() && (number != LongDoubleInt || LongDouble::SUPPORTED)
        }
        Replace | NoOp => true,
    }
}

/// `stride` is the distance of items; only pairs have padding.
///
/// # Safety
/// Both point to `count` items, `inout` writable; `combines(op, number)` is true.
pub unsafe fn combine(
    op: Operator,
    number: Number,
    stride: usize,
    count: u64,
    from: *const u8,
    inout: *mut u8,
) {
    use Number::*;
    let n = count as usize;
    match op {
        Operator::NoOp => return,
        // Padding may be copied: its value is undefined.
        Operator::Replace => unsafe { std::ptr::copy(from, inout, n * stride) },
        Operator::MaxLoc | Operator::MinLoc => {
            let max = op == Operator::MaxLoc;
            return unsafe { located(number, max, stride, n, from, inout) };
        }
        _ => {}
    }
    unsafe {
        match number {
            I8 => integers::<i8>(op, n, from, inout),
            I16 => integers::<i16>(op, n, from, inout),
            I32 => integers::<i32>(op, n, from, inout),
            I64 => integers::<i64>(op, n, from, inout),
            I128 => integers::<i128>(op, n, from, inout),
            U8 | Byte | L8 => integers::<u8>(op, n, from, inout),
            U16 | L16 => integers::<u16>(op, n, from, inout),
            U32 | L32 => integers::<u32>(op, n, from, inout),
            U64 | L64 => integers::<u64>(op, n, from, inout),
            L128 => integers::<i128>(op, n, from, inout),
            F16 => reals::<Half>(op, n, from, inout),
            BF16 => reals::<Bfloat16>(op, n, from, inout),
            C16 => complexes::<Half>(op, n, from, inout),
            F32 => reals::<f32>(op, n, from, inout),
            F64 => reals::<f64>(op, n, from, inout),
            F80 => reals::<LongDouble>(op, n, from, inout),
            C32 => complexes::<f32>(op, n, from, inout),
            C64 => complexes::<f64>(op, n, from, inout),
            C80 => complexes::<LongDouble>(op, n, from, inout),
            _ => {}
        }
    }
}

/// # Safety
/// There are `n` values at both places.
unsafe fn each<T: Copy>(n: usize, from: *const u8, inout: *mut u8, f: impl Fn(T, T) -> T) {
    let (from, inout) = (from.cast::<T>(), inout.cast::<T>());
    for i in 0..n {
        unsafe {
            let value = f(from.add(i).read_unaligned(), inout.add(i).read_unaligned());
            inout.add(i).write_unaligned(value);
        }
    }
}

trait Integral: Copy + Ord {
    const ZERO: Self;
    fn plus(self, b: Self) -> Self;
    fn times(self, b: Self) -> Self;
    fn and(self, b: Self) -> Self;
    fn or(self, b: Self) -> Self;
    fn xor(self, b: Self) -> Self;
    fn truth(yes: bool) -> Self;
}

macro_rules! integrals { ($($t:ty)*) => { $(
    impl Integral for $t {
        const ZERO: $t = 0;
        fn plus(self, b: $t) -> $t {
            self.wrapping_add(b)
        }
        fn times(self, b: $t) -> $t {
            self.wrapping_mul(b)
        }
        fn and(self, b: $t) -> $t {
            self & b
        }
        fn or(self, b: $t) -> $t {
            self | b
        }
        fn xor(self, b: $t) -> $t {
            self ^ b
        }
        fn truth(yes: bool) -> $t {
            <$t>::from(yes)
        }
    }
)* } }
integrals! { i8 i16 i32 i64 i128 u8 u16 u32 u64 }

/// # Safety
/// See `each`.
unsafe fn integers<T: Integral>(op: Operator, n: usize, from: *const u8, inout: *mut u8) {
    let is = |a: T| a != T::ZERO;
    unsafe {
        match op {
            Operator::Sum => each(n, from, inout, T::plus),
            Operator::Prod => each(n, from, inout, T::times),
            Operator::Max => each(n, from, inout, T::max),
            Operator::Min => each(n, from, inout, T::min),
            Operator::Band => each(n, from, inout, T::and),
            Operator::Bor => each(n, from, inout, T::or),
            Operator::Bxor => each(n, from, inout, T::xor),
            Operator::OnComplete => each(n, from, inout, |a: T, b| T::truth(is(a) && is(b))),
            Operator::Lor => each(n, from, inout, |a: T, b| T::truth(is(a) || is(b))),
            Operator::Lxor => each(n, from, inout, |a: T, b| T::truth(is(a) != is(b))),
            _ => {}
        }
    }
}

fn greater<T: Real>(a: T, b: T) -> T {
    if a.is_less(b) { b } else { a }
}

fn smaller<T: Real>(a: T, b: T) -> T {
    if b.is_less(a) { b } else { a }
}

/// # Safety
/// See `each`.
unsafe fn reals<T: Real>(op: Operator, n: usize, from: *const u8, inout: *mut u8) {
    unsafe {
        match op {
            Operator::Sum => each(n, from, inout, T::plus),
            Operator::Prod => each(n, from, inout, T::times),
            Operator::Max => each(n, from, inout, greater::<T>),
            Operator::Min => each(n, from, inout, smaller::<T>),
            _ => {}
        }
    }
}

/// # Safety
/// See `each`.
unsafe fn complexes<T: Real>(op: Operator, n: usize, from: *const u8, inout: *mut u8) {
    let plus = |a: [T; 2], b: [T; 2]| [a[0].plus(b[0]), a[1].plus(b[1])];
    let times = |a: [T; 2], b: [T; 2]| {
        let re = a[0].times(b[0]).minus(a[1].times(b[1]));
        [re, a[0].times(b[1]).plus(a[1].times(b[0]))]
    };
    unsafe {
        match op {
            Operator::Sum => each(n, from, inout, plus),
            Operator::Prod => each(n, from, inout, times),
            _ => {}
        }
    }
}

/// # Safety
/// See `combine`.
unsafe fn located(
    number: Number,
    max: bool,
    stride: usize,
    n: usize,
    from: *const u8,
    inout: *mut u8,
) {
    use Number::*;
    let second = number.second_at() as usize;
    macro_rules! run {
        ($v:ty, $i:ty, $less:expr) => {
            for k in 0..n {
                unsafe {
                    let (a, b) = (from.add(k * stride), inout.add(k * stride));
                    let values = (a.cast::<$v>().read_unaligned(), b.cast::<$v>().read_unaligned());
                    let (ai, bi) = (a.add(second).cast::<$i>(), b.add(second).cast::<$i>());
                    let indices = (ai.read_unaligned(), bi.read_unaligned());
                    let less: fn($v, $v) -> bool = $less;
                    let (low, high) = if max { (values.1, values.0) } else { values };
                    if less(low, high) {
                        b.cast::<$v>().write_unaligned(values.0);
                        bi.write_unaligned(indices.0);
                    } else if !less(high, low) && indices.0 < indices.1 {
                        // On a tie the smaller index wins.
                        bi.write_unaligned(indices.0);
                    }
                }
            }
        };
    }
    match number {
        FloatInt => run!(f32, i32, |a, b| a < b),
        DoubleInt => run!(f64, i32, |a, b| a < b),
        LongInt => run!(i64, i32, |a, b| a < b),
        IntInt => run!(i32, i32, |a, b| a < b),
        ShortInt => run!(i16, i32, |a, b| a < b),
        LongDoubleInt => run!(LongDouble, i32, |a, b| a.is_less(b)),
        FloatFloat => run!(f32, f32, |a, b| a < b),
        DoubleDouble => run!(f64, f64, |a, b| a < b),
        _ => {}
    }
}
