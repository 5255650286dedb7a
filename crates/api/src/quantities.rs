//! Sizes and times as the command line and Python accept them. `base::quantity` parses them.
//!
//! A size may lack its unit, and the case of its unit does not matter. The error is a suggestion,
//! empty if there is none.

use base::quantity::{self, Quantity, Unit};

/// Short forms of binary units.
const SHORT: [(&str, &str); 3] = [("ki", "KiB"), ("mi", "MiB"), ("gi", "GiB")];
/// Sizes and picoseconds fit 63 bits.
const MAX_SIZE: u64 = i64::MAX as u64;
const MAX_SECONDS: f64 = (1u64 << 63) as f64 * 1e-12;

fn find(units: &[Unit], is_named: impl Fn(&str) -> bool) -> Option<Unit> {
    units.iter().copied().find(|unit| is_named(unit.name))
}

/// Bytes of `8`, `16Ki`, `16 KiB` or `4MB`.
pub fn read_size(text: &str) -> Result<u64, String> {
    let read = Quantity::split(text).ok_or_else(String::new)?;
    let (number, lower) = (read.written, read.unit.to_ascii_lowercase());
    if let "k" | "m" | "g" = lower.as_str() {
        let letter = lower.to_ascii_uppercase();
        return Err(format!(
            "`{}` is ambiguous: `{number}{letter}i` counts in powers of 1024, `{number}{letter}B` \
             of 1000",
            read.unit
        ));
    }
    let short = SHORT.iter().find(|(short, _)| *short == lower).map(|(_, name)| *name);
    let name = if lower.is_empty() { "B" } else { short.unwrap_or(&lower) };
    let Some(unit) = find(quantity::SIZE, |known| known.eq_ignore_ascii_case(name)) else {
        return Err(near(&read).map(|near| format!("did you mean `{near}`?")).unwrap_or_default());
    };
    if read.value(unit) > MAX_SIZE as f64 {
        return Err("sizes are below 2^63".into());
    }
    let whole = read.whole(unit).ok_or("bytes are whole")?;
    if whole > MAX_SIZE { Err("sizes are below 2^63".into()) } else { Ok(whole) }
}

/// The nearest legal size to one whose unit is unknown.
fn near(read: &Quantity) -> Option<String> {
    let (number, unit) = (read.written, read.unit.to_ascii_lowercase());
    if !unit.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return None;
    }
    match unit.as_bytes() {
        // There is no binary unit above Gi.
        [b't', b'i', ..] => {
            let gi = number.parse::<u64>().ok()?.checked_mul(1024).filter(|&gi| gi < 1 << 33)?;
            Some(format!("{gi}Gi"))
        }
        [b't', ..] => Some(format!("{number}TB")),
        [first @ (b'k' | b'm' | b'g'), ..] => {
            Some(format!("{number}{}i", first.to_ascii_uppercase() as char))
        }
        _ => None,
    }
}

/// Seconds of `100us` or `1.5 ms`, at most 2^63 ps.
pub fn read_time(text: &str) -> Result<f64, String> {
    let read = Quantity::split(text).ok_or_else(String::new)?;
    let Some(unit) = find(quantity::TIME, |known| known == read.unit) else {
        let hint = format!("did you mean `{} us`?", read.written);
        return Err(if read.unit.is_empty() { hint } else { String::new() });
    };
    let seconds = read.value(unit);
    if seconds > MAX_SECONDS {
        return Err("a simulated time is below 2^63 ps, 106 days".into());
    }
    Ok(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        for (text, want) in [
            ("8", Ok(8)),
            (" 16B", Ok(16)),
            ("1.5Ki", Ok(1536)),
            ("2kB", Ok(2000)),
            ("2 KB", Ok(2000)),
            ("1mib", Ok(1 << 20)),
            ("1TB", Ok(1_000_000_000_000)),
            ("9223372036854775807", Ok(i64::MAX as u64)),
            ("9223372036854775808", Err("sizes are below 2^63")),
            ("1.5", Err("bytes are whole")),
            ("1Xi", Err("")),
            ("1Kx", Err("did you mean `1Ki`?")),
            ("4T", Err("did you mean `4TB`?")),
            ("4 tib", Err("did you mean `4096Gi`?")),
            ("1.5Ti", Err("")),
            ("8388608Ti", Err("")),
            ("-8", Err("")),
        ] {
            assert_eq!(read_size(text), want.map_err(String::from), "{text}");
        }
        assert!(read_size("4M").unwrap_err().contains("`4Mi` counts in powers of 1024, `4MB`"));
    }

    #[test]
    fn times_are_read() {
        assert_eq!(read_time("40us"), Ok(4e-5));
        assert_eq!(read_time("3 \u{b5}s"), Ok(3e-6));
        assert_eq!(read_time("5"), Err("did you mean `5 us`?".into()));
        assert_eq!(read_time("5 m"), Err(String::new()));
        assert!(read_time("1e8 s").is_err());
    }
}
