//! The two families of MPI libraries: whose variables one listens to, and whose files of rules it
//! reads.

use crate::library::preset;
use toml::Table;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// MPICH and what is derived from it: Cray MPICH, MVAPICH-Plus.
    Mpich,
    OpenMpi,
}

impl Family {
    pub const ALL: [Family; 2] = [Family::Mpich, Family::OpenMpi];

    /// The family of a profile: a preset's own, else that of the one it is like.
    pub fn of(name: &str, text: &str) -> Family {
        let table = || text.parse::<Table>().unwrap_or_default();
        let kin = match preset(name) == Some(text) {
            true => name.to_string(),
            false => table().get("like").and_then(|l| l.as_str()).unwrap_or_default().to_string(),
        };
        if kin == "openmpi" { Family::OpenMpi } else { Family::Mpich }
    }

    /// How the variables begin that only libraries of the other family listen to.
    pub fn deaf_to(self) -> &'static [&'static str] {
        match self {
            Family::Mpich => &["OMPI_MCA_"],
            Family::OpenMpi => &["MPIR_CVAR_", "MPICH_", "MPIDI_"],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::PRESETS;

    #[test]
    fn a_profile_is_of_the_family_it_is_like_whatever_its_name() {
        for name in PRESETS {
            let text = preset(name).expect("a preset");
            let want = if *name == "openmpi" { Family::OpenMpi } else { Family::Mpich };
            assert_eq!(Family::of(name, text), want, "{name}");
            assert_eq!(Family::of("mine", &format!("like = \"{name}\"")), want, "{name}");
        }
        assert_eq!(Family::of("openmpi", "version = \"1\""), Family::Mpich);
        assert_eq!(Family::of("mine", "[["), Family::Mpich);
    }
}
