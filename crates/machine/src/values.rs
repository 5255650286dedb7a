//! Checked values of a machine file, and a view of those below one path.

use std::collections::BTreeMap;

use base::{Gap, Span};

/// A checked value, in SI base units. Its debug form enters the machine's digest.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Count(u64),
    Full,
    Number(f64),
    Text(String),
    Counts(Vec<u64>),
    Texts(Vec<String>),
}

/// The values of one table of the file, such as a file system, by the last part of their path. A
/// key that is read as a number must be required or have a default, except where the method
/// returns an `Option`.
pub(crate) struct Values<'a> {
    pub all: &'a BTreeMap<String, Value>,
    /// Path of the table.
    pub at: String,
}

impl Values<'_> {
    pub fn path(&self, key: &str) -> String {
        format!("{}.{key}", self.at)
    }
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.all.get(&self.path(key))
    }
    pub fn optional_count(&self, key: &str) -> Option<u32> {
        match self.get(key)? {
            Value::Count(n) => Some(*n as u32),
            other => unreachable!("{key} is {other:?}, not a count"),
        }
    }
    pub fn count(&self, key: &str) -> u32 {
        self.optional_count(key).expect("required, or has a default")
    }
    pub fn number(&self, key: &str) -> Option<f64> {
        match self.get(key)? {
            Value::Number(x) => Some(*x),
            other => unreachable!("{key} is {other:?}, not a number"),
        }
    }
    pub fn span(&self, key: &str) -> Span {
        Span::from_seconds(self.number(key).expect("required, or has a default"))
    }
    /// The inverse of a rate; `Gap::ZERO`, which is no cap, if it is absent.
    pub fn gap(&self, key: &str) -> Gap {
        self.number(key).map_or(Gap::ZERO, Gap::from_bytes_per_s)
    }
    /// A size, rounded to whole bytes.
    pub fn bytes(&self, key: &str) -> u64 {
        self.number(key).expect("required, or has a default").round() as u64
    }
    /// A word or text; empty if absent.
    pub fn text(&self, key: &str) -> &str {
        match self.get(key) {
            Some(Value::Text(text)) => text,
            _ => "",
        }
    }
}
