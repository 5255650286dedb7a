//! The two families of MPI libraries: the variables a library reads, and its format of tuning
//! files.

use crate::presets::preset;
use toml::Table;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// MPICH and its derivatives: Cray MPICH, MVAPICH-Plus.
    Mpich,
    OpenMpi,
}

impl Family {
    pub const ALL: [Family; 2] = [Family::Mpich, Family::OpenMpi];

    /// The family of a profile: a preset's own, else that of its base preset.
    pub fn of(name: &str, text: &str) -> Family {
        if base_preset(name, text) == "openmpi" { Family::OpenMpi } else { Family::Mpich }
    }
}

/// Prefixes of the variables that other libraries read and the library of this profile does not.
pub fn unsupported_prefixes(name: &str, text: &str) -> &'static [&'static str] {
    match base_preset(name, text).as_str() {
        "openmpi" => &["MPIR_CVAR_", "MPICH_", "MPIDI_"],
        "cray-mpich" => &["OMPI_MCA_"],
        _ => &["OMPI_MCA_", "MPICH_ALLTOALL", "MPICH_COLL_SYNC", "MPICH_RANK_REORDER"],
    }
}

/// The preset that a profile is, or is based on; empty if neither.
fn base_preset(name: &str, text: &str) -> String {
    if preset(name) == Some(text) {
        return name.to_string();
    }
    let table = text.parse::<Table>().unwrap_or_default();
    table.get("like").and_then(|like| like.as_str()).unwrap_or_default().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presets::PRESETS;

    #[test]
    fn a_profile_has_the_family_of_its_base() {
        for name in PRESETS {
            let text = preset(name).expect("a preset");
            let want = if *name == "openmpi" { Family::OpenMpi } else { Family::Mpich };
            assert_eq!(Family::of(name, text), want, "{name}");
            assert_eq!(Family::of("mine", &format!("like = \"{name}\"")), want, "{name}");
            for variable in
                ["MPICH_ALLTOALL_BLK_SIZE", "MPICH_RANK_REORDER_METHOD", "MPICH_COLL_SYNC"]
            {
                let is_unsupported = |start: &&str| variable.starts_with(*start);
                let is_supported = !unsupported_prefixes(name, text).iter().any(is_unsupported);
                assert_eq!(is_supported, *name == "cray-mpich", "{name}: {variable}");
            }
        }
        assert_eq!(Family::of("openmpi", "version = \"1\""), Family::Mpich);
        assert_eq!(Family::of("mine", "[["), Family::Mpich);
    }
}
