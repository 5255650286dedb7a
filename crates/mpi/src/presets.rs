//! The included profiles of MPI libraries.

/// Names of the included profiles.
pub const PRESETS: &[&str] =
    &["mpich", "mpich-aurora", "cray-mpich", "openmpi", "mvapich-plus", "none"];

/// The text of an included profile.
pub fn preset(name: &str) -> Option<&'static str> {
    Some(match name {
        "mpich" => include_str!("../libraries/mpich.toml"),
        "mpich-aurora" => include_str!("../libraries/mpich-aurora.toml"),
        "cray-mpich" => include_str!("../libraries/cray-mpich.toml"),
        "openmpi" => include_str!("../libraries/openmpi.toml"),
        "mvapich-plus" => include_str!("../libraries/mvapich-plus.toml"),
        "none" => include_str!("../libraries/none.toml"),
        _ => return None,
    })
}
