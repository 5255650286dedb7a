//! Floating-point numbers, as operators use them.

/// The floating-point operations that operators need.
pub trait Real: Copy {
    fn plus(self, b: Self) -> Self;
    fn minus(self, b: Self) -> Self;
    fn times(self, b: Self) -> Self;
    fn is_less(self, b: Self) -> bool;
}

macro_rules! reals { ($($t:ty)*) => { $(
    impl Real for $t {
        fn plus(self, b: $t) -> $t {
            self + b
        }
        fn minus(self, b: $t) -> $t {
            self - b
        }
        fn times(self, b: $t) -> $t {
            self * b
        }
        fn is_less(self, b: $t) -> bool {
            self < b
        }
    }
)* } }
reals! { f32 f64 }
