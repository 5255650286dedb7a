//! Parameters of Lustre: its servers and targets.

use base::Gap;

use crate::key::IfAbsent::{Described, Required};
use crate::key::ValueForm::Count;
use crate::key::{Key, RATE, key};
use crate::values::Values;

/// Keys of `[[storage]]` with `kind = "lustre"`. Each is read in `LustreParams::new`.
#[rustfmt::skip] // A table is read down its columns.
pub const KEYS: &[Key] = &[
    key("storage.<name>.mds", Count(1, 10_000), Required, "Metadata servers."),
    key("storage.<name>.mdts", Count(1, 10_000), Required,
        "Metadata targets, spread evenly over the metadata servers."),
    key("storage.<name>.oss", Count(1, 10_000), Required, "Object storage servers."),
    key("storage.<name>.osts", Count(1, 65_000), Required,
        "Object storage targets, spread evenly over the object storage servers."),
    key("storage.<name>.ost_read_rate", RATE, Required,
        "Rate of an object storage target, reading."),
    key("storage.<name>.ost_write_rate", RATE, Required,
        "Rate of an object storage target, writing."),
    key("storage.<name>.oss_rate", RATE, Described("no cap"),
        "Rate of an object storage server, all of its targets together, reading and writing."),
];

/// Resolved parameters of a Lustre file system.
#[derive(Clone, Debug, PartialEq)]
pub struct LustreParams {
    /// Hosts of metadata servers, and targets of all of them.
    pub mds: u32,
    pub mdts: u32,
    /// Hosts of object storage servers, and targets of all of them.
    pub oss: u32,
    pub osts: u32,
    /// Inverse of the rate of one OST, reading and writing.
    pub ost_read_gap: Gap,
    pub ost_write_gap: Gap,
    /// Inverse of the rate of one OSS, both directions together. `Gap::ZERO` is no cap.
    pub oss_gap: Gap,
}

impl LustreParams {
    pub(crate) fn new(values: &Values) -> LustreParams {
        LustreParams {
            mds: values.count("mds"),
            mdts: values.count("mdts"),
            oss: values.count("oss"),
            osts: values.count("osts"),
            ost_read_gap: values.gap("ost_read_rate"),
            ost_write_gap: values.gap("ost_write_rate"),
            oss_gap: values.gap("oss_rate"),
        }
    }
}
