//! The parser of quantities in text: a decimal number and a unit. The only one of the workspace.
//!
//! A number times a power of ten is the nearest `f64` of its decimal value: `40 us` is 4e-5.

/// A unit: its value is `factor * 10^exponent` seconds, bytes, bytes per second, flop/s or watts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unit {
    pub name: &'static str,
    pub factor: u64,
    pub exponent: i32,
}

const fn unit(name: &'static str, factor: u64, exponent: i32) -> Unit {
    Unit { name, factor, exponent }
}

/// Units of time. The first one is suggested for a number without a unit.
pub const TIME: &[Unit] = &[
    unit("ns", 1, -9),
    unit("us", 1, -6),
    unit("\u{b5}s", 1, -6),  // the micro sign
    unit("\u{3bc}s", 1, -6), // the Greek letter
    unit("ms", 1, -3),
    unit("s", 1, 0),
    unit("ps", 1, -12),
];

/// Units of size.
pub const SIZE: &[Unit] = &[
    unit("B", 1, 0),
    unit("KiB", 1 << 10, 0),
    unit("MiB", 1 << 20, 0),
    unit("GiB", 1 << 30, 0),
    unit("kB", 1, 3),
    unit("MB", 1, 6),
    unit("GB", 1, 9),
    unit("TB", 1, 12),
];

/// Units of rate. A bit is 1/8 byte.
pub const RATE: &[Unit] = &[
    unit("GB/s", 1, 9),
    unit("MB/s", 1, 6),
    unit("TB/s", 1, 12),
    unit("kB/s", 1, 3),
    unit("B/s", 1, 0),
    unit("GiB/s", 1 << 30, 0),
    unit("MiB/s", 1 << 20, 0),
    unit("KiB/s", 1 << 10, 0),
    unit("Gbit/s", 125, 6),
    unit("Mbit/s", 125, 3),
    unit("Tbit/s", 125, 9),
    unit("kbit/s", 125, 0),
];

/// Units of arithmetic rate.
pub const FLOP_RATE: &[Unit] =
    &[unit("Tflop/s", 1, 12), unit("Gflop/s", 1, 9), unit("Pflop/s", 1, 15), unit("Mflop/s", 1, 6)];

/// Units of power.
pub const POWER: &[Unit] = &[unit("W", 1, 0), unit("kW", 1, 3)];

/// A number as written, and what follows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Quantity<'a> {
    /// Digits with an optional point.
    number: &'a str,
    /// The exponent after `e`; 0 if there is none.
    exponent: i32,
    /// The number including its exponent, as written.
    pub written: &'a str,
    /// The unit as written; may be empty or unknown.
    pub unit: &'a str,
}

impl<'a> Quantity<'a> {
    /// Splits `1.5e3 us`; `None` if the text does not begin with a number.
    pub fn split(text: &'a str) -> Option<Quantity<'a>> {
        let text = text.trim();
        let is_part = |c: char| c.is_ascii_digit() || c == '.';
        let end = text.find(|c: char| !is_part(c)).unwrap_or(text.len());
        let (number, rest) = text.split_at(end);
        number.parse::<f64>().ok()?;
        let (exponent, len) = exponent_of(rest);
        let (written, unit) = text.split_at(end + len);
        Some(Quantity { number, exponent, written, unit: unit.trim() })
    }

    /// The value in seconds, bytes or bytes per second. Infinite if it is too large for an `f64`.
    pub fn value(&self, unit: Unit) -> f64 {
        let exponent = self.exponent.saturating_add(unit.exponent);
        let decimal = format!("{}e{exponent}", self.number);
        decimal.parse::<f64>().expect("digits and an exponent") * unit.factor as f64
    }

    /// The value if it is a whole number below 2^64.
    pub fn whole(&self, unit: Unit) -> Option<u64> {
        let (whole, fraction) = self.number.split_once('.').unwrap_or((self.number, ""));
        let fraction = fraction.trim_end_matches('0');
        let digits = format!("{whole}{fraction}");
        let digits = digits.trim_start_matches('0');
        if digits.is_empty() {
            return Some(0);
        }
        let exponent = i64::from(self.exponent) + i64::from(unit.exponent) - fraction.len() as i64;
        let product = digits.parse::<u128>().ok()?.checked_mul(u128::from(unit.factor))?;
        let power = 10u128.checked_pow(u32::try_from(exponent.unsigned_abs()).ok()?)?;
        let exact = match exponent >= 0 {
            true => product.checked_mul(power)?,
            false => product.is_multiple_of(power).then(|| product / power)?,
        };
        u64::try_from(exact).ok()
    }
}

/// The exponent at the start of `text`, and its length: `e-3` is -3 and 3 bytes.
fn exponent_of(text: &str) -> (i32, usize) {
    let Some(rest) = text.strip_prefix(['e', 'E']) else { return (0, 0) };
    let digits = rest.strip_prefix(['-', '+']).unwrap_or(rest);
    let len = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    if len == 0 {
        return (0, 0);
    }
    let end = text.len() - digits.len() + len;
    let is_negative = rest.starts_with('-');
    // Beyond this magnitude every value is 0 or infinite.
    let magnitude = digits[..len].parse::<i32>().unwrap_or(1_000_000).min(1_000_000);
    (if is_negative { -magnitude } else { magnitude }, end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(units: &[Unit], name: &str) -> Unit {
        *units.iter().find(|unit| unit.name == name).expect("a unit")
    }

    #[test]
    fn values_are_the_nearest_doubles() {
        for (text, units, want) in [
            ("40 us", TIME, 4e-5),
            ("350 ns", TIME, 3.5e-7),
            ("1.5e3 us", TIME, 1.5e-3),
            ("200 Gbit/s", RATE, 25e9),
            ("16 GiB/s", RATE, 17_179_869_184.0),
            ("1.5 KiB", SIZE, 1536.0),
            (".5 kB", SIZE, 500.0),
            ("1e999999999999 s", TIME, f64::INFINITY),
        ] {
            let read = Quantity::split(text).expect(text);
            assert_eq!(read.value(find(units, read.unit)), want, "{text}");
        }
    }

    #[test]
    fn whole_numbers_are_exact() {
        for (text, want) in [
            ("1.5 KiB", Some(1536)),
            ("1.50 B", None),
            ("9007199254740993 B", Some(9_007_199_254_740_993)),
            ("18446744073709551616 B", None),
            ("1e3 B", Some(1000)),
            ("1500e-2 B", Some(15)),
            ("15e-1 B", None),
            ("0e9999999 B", Some(0)),
            ("1e400 B", None),
        ] {
            let read = Quantity::split(text).expect(text);
            assert_eq!(read.whole(find(SIZE, read.unit)), want, "{text}");
        }
    }

    #[test]
    fn text_without_a_number_is_refused() {
        for text in ["", "us", "-3 ns", "+3 ns", ".", "1.2.3 ns", "inf", "nan s"] {
            assert_eq!(Quantity::split(text), None, "{text}");
        }
        assert_eq!(
            Quantity::split("3 express").map(|q| (q.written, q.unit)),
            Some(("3", "express"))
        );
    }
}
