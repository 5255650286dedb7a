//! The declaration of a key of machine files: its type, its meaning if it is absent, and its
//! description. `schema` has the tables of keys.

use crate::quantity::Dimension;

/// The type of a key's value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ValueForm {
    /// A whole number in this closed range.
    Count(u64, u64),
    /// `Count`, or the word `full`: as many as the ports allow.
    CountOrFull(u64, u64),
    /// A factor relative to something else.
    Ratio,
    Quantity(Dimension),
    Word(&'static [&'static str]),
    Text,
    /// A host list.
    Hosts,
    /// A list of small whole numbers.
    Counts,
    /// Absolute paths; a single one may be written without brackets.
    Paths,
}

impl ValueForm {
    /// What would be legal, completing "expected ...".
    pub fn expected(self) -> String {
        match self {
            ValueForm::Count(lo, hi) => format!("a whole number from {lo} to {hi}"),
            ValueForm::CountOrFull(lo, hi) => {
                format!("a whole number from {lo} to {hi}, or `full`")
            }
            ValueForm::Ratio => "a number from 0.001 to 1000".into(),
            ValueForm::Quantity(dimension) => dimension.expected().into(),
            ValueForm::Word(words) => format!("one of {}", words.join(", ")),
            ValueForm::Text => "text in quotes".into(),
            ValueForm::Hosts => "a list of hosts, such as `nid[001000-003047]`".into(),
            ValueForm::Counts => "a list of whole numbers, such as `[0, 0, 1, 1]`".into(),
            ValueForm::Paths => "absolute paths without `.`, `..` and a final `/`, not `/`, and \
                                 not below /dev, /proc or /sys; such as `[\"/lus/flare\"]`"
                .into(),
        }
    }

    /// Its name in the reference, which explains these words once.
    pub fn short(self) -> String {
        match self {
            ValueForm::Count(lo, hi) => format!("{lo} to {hi}"),
            ValueForm::CountOrFull(lo, hi) => format!("{lo} to {hi} or `full`"),
            ValueForm::Ratio => "ratio".into(),
            ValueForm::Quantity(Dimension::Time) => "time".into(),
            ValueForm::Quantity(Dimension::Rate) => "rate".into(),
            ValueForm::Quantity(Dimension::Size) => "size".into(),
            ValueForm::Quantity(Dimension::Memory) => "memory size".into(),
            ValueForm::Quantity(Dimension::FlopRate) => "arithmetic rate".into(),
            ValueForm::Quantity(Dimension::Power) => "power".into(),
            ValueForm::Word(words) => format!("`{}`", words.join("`, `")),
            ValueForm::Text => "text".into(),
            ValueForm::Hosts => "host list".into(),
            ValueForm::Counts => "list of numbers".into(),
            ValueForm::Paths => "list of paths".into(),
        }
    }
}

/// The meaning of an absent key.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum IfAbsent {
    Required,
    /// The default value, as written in a file.
    Default(&'static str),
    /// The consequence, in words.
    Described(&'static str),
}

#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Dotted path; `<kind>` stands for the name of a kind of group, `<class>` for that of a
    /// traffic class, `<name>` for that of a file system.
    pub path: &'static str,
    pub form: ValueForm,
    pub absent: IfAbsent,
    pub doc: &'static str,
}

pub const fn key(path: &'static str, form: ValueForm, absent: IfAbsent, doc: &'static str) -> Key {
    Key { path, form, absent, doc }
}

pub const TIME: ValueForm = ValueForm::Quantity(Dimension::Time);
pub const RATE: ValueForm = ValueForm::Quantity(Dimension::Rate);
pub const SIZE: ValueForm = ValueForm::Quantity(Dimension::Size);
pub const MEMORY: ValueForm = ValueForm::Quantity(Dimension::Memory);
pub const FLOP_RATE: ValueForm = ValueForm::Quantity(Dimension::FlopRate);
pub const POWER: ValueForm = ValueForm::Quantity(Dimension::Power);
