//! Parameters of DAOS: its engines and targets.

use crate::key::IfAbsent::{Default, Described};
use crate::key::ValueForm::Count;
use crate::key::{Key, key};
use crate::values::Values;

/// Keys of `[[storage]]` with `kind = "daos"`. Each is read in `DaosParams::new`, except `servers`,
/// which is the number of hosts.
#[rustfmt::skip] // A table is read down its columns.
pub const KEYS: &[Key] = &[
    key("storage.<name>.servers", Count(1, 65_000), Described("all nodes of its groups"),
        "Server nodes of the pool."),
    key("storage.<name>.engines", Count(1, 16), Default("2"),
        "Engines per server node, each with an equal share of its NICs."),
    key("storage.<name>.targets", Count(1, 64), Default("16"), "Targets per engine."),
];

/// Resolved parameters of a DAOS file system.
#[derive(Clone, Debug, PartialEq)]
pub struct DaosParams {
    /// Engines per host, and targets per engine.
    pub engines: u32,
    pub targets: u32,
}

impl DaosParams {
    pub(crate) fn new(values: &Values) -> DaosParams {
        DaosParams { engines: values.count("engines"), targets: values.count("targets") }
    }
}
