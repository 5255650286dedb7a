//! Environment variables about collectives: forced algorithms and their parameters.

use crate::names::did_you_mean;
use crate::selection::{Parameters, Rule, expected_names, names};
use crate::{Algorithm, Composition, Kind, TreeShape};

/// What the user forces by a library's environment variables.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Overrides {
    /// The last entry of a kind is used.
    pub forced: Vec<(Kind, Algorithm)>,
    /// Collectives that begin with a barrier (`MPICH_COLL_SYNC`): bit `kind as u32`. The highest
    /// bit is for `MPI_Alltoallw`, which is an alltoallv here.
    pub synchronized: u32,
    /// Rules that come before the library's: Open MPI's forced algorithms.
    pub rules: Vec<(Kind, Vec<Rule>)>,
    /// `MPIR_CVAR_<KIND>_COMPOSITION`. `None`: no composition, all ranks alike.
    pub(crate) compositions: Vec<(Kind, Option<Composition>)>,
    /// `MPIR_CVAR_ALLTOALL_THROTTLE`, for alltoall and alltoallv.
    pub throttle: Option<u16>,
    /// `MPICH_ALLTOALL_SYNC_FREQ` and `MPICH_ALLTOALLV_THROTTLE`.
    alltoall: Option<u16>,
    alltoallv: Option<u16>,
    /// `MPICH_ALLTOALL_SHORT_MSG`: largest block for Bruck's algorithm, bytes.
    short: Option<u64>,
    /// `MPICH_ALLTOALL_BLK_SIZE` and `MPICH_ALLTOALL_CHUNKING_MAX_NODES`: longer blocks are split
    /// into pieces of this many bytes, on at most this many nodes.
    piece: Option<u32>,
    chunking_nodes: Option<u64>,
    /// `MPIR_CVAR_ALLREDUCE_RECEXCH_KVAL` and similar, by kind and algorithm names. They apply to
    /// forced algorithms only, as in MPICH; a rule has its own parameters.
    parameters: Vec<(Kind, &'static [&'static str], Parameters)>,
}

/// The last entry of a kind.
pub(crate) fn last_of<T: Copy>(entries: &[(Kind, T)], kind: Kind) -> Option<T> {
    entries.iter().rev().find(|(k, _)| *k == kind).map(|&(_, value)| value)
}

/// The effect of an environment variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Setting {
    Applied,
    /// A value that MPICH knows and this model does not have; a note for the user.
    NotModeled(String),
    /// A variable of MPICH's collectives that this model does not read.
    Unsupported,
    /// Not a variable about collectives.
    Unrelated,
}

/// The bit of `MPI_Alltoallw` in `Overrides::synchronized`.
const ALLTOALLW: u32 = 1 << 31;

/// Radices and trees: the variable without its prefix, its kind and algorithms. [MPICH] cvars.txt.
const TREES: &[&str] = &["tree", "pipelined_tree"];
const PARAMETERS: [(&str, Kind, &[&str]); 11] = [
    ("BARRIER_DISSEM_KVAL", Kind::Barrier, &["k_dissemination"]),
    ("BARRIER_RECEXCH_KVAL", Kind::Barrier, &["recexch"]),
    ("BCAST_TREE_KVAL", Kind::Bcast, TREES),
    ("BCAST_TREE_TYPE", Kind::Bcast, TREES),
    ("BCAST_TREE_PIPELINE_CHUNK_SIZE", Kind::Bcast, &["pipelined_tree"]),
    ("ALLREDUCE_RECEXCH_KVAL", Kind::Allreduce, &["recexch"]),
    ("ALLREDUCE_TREE_KVAL", Kind::Allreduce, &["tree"]),
    ("ALLREDUCE_TREE_TYPE", Kind::Allreduce, &["tree"]),
    ("ALLREDUCE_TREE_PIPELINE_CHUNK_SIZE", Kind::Allreduce, &["tree"]),
    ("ALLGATHER_BRUCKS_KVAL", Kind::Allgather, &["k_brucks"]),
    ("ALLGATHER_RECEXCH_KVAL", Kind::Allgather, &["recexch_doubling", "recexch_halving"]),
];

impl Overrides {
    /// Applies one environment variable. `Err` is an error message about its value.
    pub fn set(&mut self, name: &str, value: &str) -> Result<Setting, String> {
        let value = value.trim();
        let number = |min: u32, max: u32| match value.parse::<u32>() {
            Ok(n) if (min..=max).contains(&n) => Ok(n),
            _ => Err(format!("{name}: found `{value}`, expected a number from {min} to {max}")),
        };
        // [CRAY]
        match name {
            "MPICH_ALLTOALL_SYNC_FREQ" => {
                self.alltoall = Some(number(1, u16::MAX.into())? as u16);
                return Ok(Setting::Applied);
            }
            "MPICH_ALLTOALLV_THROTTLE" => {
                self.alltoallv = Some(number(1, u16::MAX.into())? as u16);
                return Ok(Setting::Applied);
            }
            "MPICH_ALLTOALL_SHORT_MSG" => {
                self.short = Some(number(0, i32::MAX as u32)?.into());
                return Ok(Setting::Applied);
            }
            "MPICH_ALLTOALL_BLK_SIZE" => {
                self.piece = Some(number(1, i32::MAX as u32)?);
                return Ok(Setting::Applied);
            }
            "MPICH_COLL_SYNC" => return Ok(self.synchronize(name, value)),
            "MPICH_ALLTOALL_CHUNKING_MAX_NODES" => {
                self.chunking_nodes = Some(number(0, i32::MAX as u32)?.into());
                return Ok(Setting::Applied);
            }
            _ => {}
        }
        let Some(short) = name.strip_prefix("MPIR_CVAR_") else { return Ok(Setting::Unrelated) };
        if short == "ALLTOALL_THROTTLE" {
            self.throttle = Some(number(1, u16::MAX.into())? as u16);
            return Ok(Setting::Applied);
        }
        if short == "ALLTOALL_BRUCKS_KVAL" {
            let k = Some(number(2, 16)?);
            let parameters = Parameters { k, ..Parameters::default() };
            self.parameters.push((Kind::Alltoall, &["k_brucks"], parameters));
            return Ok(Setting::Applied);
        }
        if let Some(&(_, kind, of)) = PARAMETERS.iter().find(|(known, ..)| *known == short) {
            let mut parameters = Parameters::default();
            if short.ends_with("TREE_KVAL") {
                parameters.k = Some(number(1, 1_000_000)?);
            } else if short.ends_with("_KVAL") {
                parameters.k = Some(number(2, 16)?);
            } else if short.ends_with("_CHUNK_SIZE") {
                parameters.chunk = Some(number(0, i32::MAX as u32)?);
            } else {
                // Open MPI's shapes are not valid in MPICH's variables.
                let known = [TreeShape::Kary, TreeShape::Knomial1, TreeShape::Knomial2];
                match known.into_iter().find(|shape| shape.name() == value) {
                    Some(shape) => parameters.shape = Some(shape),
                    None if value.starts_with("topology_") => {
                        return Ok(Setting::NotModeled(format!(
                            "{name}={value} is not modeled: trees are unchanged"
                        )));
                    }
                    None => {
                        let hint = did_you_mean(value, known.map(TreeShape::name));
                        return Err(format!(
                            "{name}: found `{value}`, expected kary, knomial_1 or knomial_2{hint}"
                        ));
                    }
                }
            }
            self.parameters.push((kind, of, parameters));
            return Ok(Setting::Applied);
        }
        if let Some(kind) = short.strip_suffix("_COMPOSITION") {
            return self.compose(kind, name, number(0, 4)?);
        }
        let Some(kind) = short.strip_suffix("_INTRA_ALGORITHM") else {
            return Ok(match short.ends_with("_ALGORITHM") || short.ends_with("_KVAL") {
                true => Setting::Unsupported,
                false => Setting::Unrelated,
            });
        };
        let Some(kind) = Kind::from_name(&kind.to_lowercase()) else {
            return Ok(Setting::Unsupported);
        };
        self.force(kind, name, value)
    }

    /// [CRAY] intro_mpi: 0 is no collective, 1 is all, else names separated by commas, in any case.
    /// An unknown name is ignored, with a warning. All blocking collectives but the barrier can be
    /// named, MPI_Reduce_scatter_block too [estimate]: the page's list was not available.
    fn synchronize(&mut self, name: &str, value: &str) -> Setting {
        let bit = |kind: Kind| 1 << kind as u32;
        let known = Kind::ALL.iter().filter(|&&kind| kind != Kind::Barrier);
        let names = || known.clone().map(|kind| kind.name()).chain(["alltoallw"]);
        self.synchronized = match value {
            "" | "0" => 0,
            "1" => known.clone().fold(ALLTOALLW, |bits, &kind| bits | bit(kind)),
            _ => 0,
        };
        let mut strange = Vec::new();
        for word in value.split(',').map(str::trim).filter(|word| !matches!(*word, "" | "0" | "1"))
        {
            let folded = word.to_lowercase();
            let short = folded.strip_prefix("mpi_").unwrap_or(&folded);
            match (short, Kind::from_name(short).filter(|&kind| kind != Kind::Barrier)) {
                ("alltoallw", _) => self.synchronized |= ALLTOALLW,
                (_, Some(kind)) => self.synchronized |= bit(kind),
                _ => {
                    let full: Vec<String> = names().map(|name| format!("mpi_{name}")).collect();
                    let hint = did_you_mean(&folded, full.iter().map(String::as_str));
                    strange.push(format!("`{word}` is not a collective{hint}"));
                }
            }
        }
        match strange.is_empty() {
            true => Setting::Applied,
            false => Setting::NotModeled(format!("{name}: ignored: {}", strange.join("; "))),
        }
    }

    /// [MPICH] ch4_coll.h. 0 is MPICH's own choice.
    fn compose(&mut self, kind: &str, name: &str, number: u32) -> Result<Setting, String> {
        let kind = Kind::from_name(&kind.to_lowercase());
        let flat = match kind {
            Some(Kind::Bcast | Kind::Reduce) => 3,
            _ => 2,
        };
        let composition = match (kind, number) {
            (_, 0) => None,
            (Some(Kind::Barrier | Kind::Bcast | Kind::Reduce | Kind::Allreduce), 1) => {
                Some(Some(Composition::Alpha))
            }
            (Some(Kind::Bcast | Kind::Reduce), 2) => Some(Some(Composition::Beta)),
            (Some(_), n) if n == flat => Some(None),
            _ => {
                let note = format!("{name}={number} is not modeled: the library's own is used");
                return Ok(Setting::NotModeled(note));
            }
        };
        if let Some(kind) = kind {
            self.compositions.retain(|(k, _)| *k != kind);
            self.compositions.extend(composition.map(|composition| (kind, composition)));
        }
        Ok(Setting::Applied)
    }

    /// The throttle set for a kind, in messages.
    pub(crate) fn throttle_of(&self, kind: Kind) -> Option<u16> {
        let own = if kind == Kind::Alltoallv { self.alltoallv } else { self.alltoall };
        own.or(self.throttle)
    }

    /// A rule of a library, with the bounds set for its algorithm.
    pub(crate) fn bounded(&self, kind: Kind, rule: &Rule) -> Rule {
        let mut rule = *rule;
        match &mut rule.algorithm {
            Algorithm::Bruck if kind == Kind::Alltoall => {
                rule.bytes.max = self.short.unwrap_or(rule.bytes.max);
            }
            Algorithm::Chunked { chunk, .. } => {
                *chunk = self.piece.unwrap_or(*chunk);
                rule.bytes.min = self.piece.map_or(rule.bytes.min, |piece| u64::from(piece) + 1);
                rule.nodes.max = self.chunking_nodes.unwrap_or(rule.nodes.max);
            }
            _ => {}
        }
        rule
    }

    /// A forced algorithm, with the parameters set for it.
    pub(crate) fn tuned(&self, kind: Kind, algorithm: Algorithm) -> Algorithm {
        let ours = |of: &[&str]| of.contains(&algorithm.name());
        let set = self.parameters.iter().filter(|(k, of, _)| *k == kind && ours(of));
        set.fold(algorithm, |algorithm, (_, _, given)| {
            given
                .applied_to(algorithm)
                .expect("variables exist only for algorithms that have the parameter")
        })
    }

    fn force(&mut self, kind: Kind, name: &str, value: &str) -> Result<Setting, String> {
        if value == "auto" {
            self.forced.retain(|(k, _)| *k != kind);
            return Ok(Setting::Applied);
        }
        if let Some(algorithm) = Algorithm::from_name(kind, value).filter(|a| !a.is_composed()) {
            self.forced.push((kind, algorithm));
            return Ok(Setting::Applied);
        }
        if kind.unimplemented().contains(&value) {
            let note = format!("{name}={value} is not modeled: the library's own choice is used");
            return Ok(Setting::NotModeled(note));
        }
        let hint = did_you_mean(value, ["auto"].into_iter().chain(names(kind)));
        Err(format!("{name}: found `{value}`, expected auto or {}{hint}", expected_names(kind)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selection::{Case, Selection};

    fn case(kind: Kind, size: u32, bytes: u64) -> Case {
        let elements = bytes / 8;
        Case {
            kind,
            size,
            nodes: size,
            consecutive: true,
            bytes,
            elements,
            commutative: true,
            builtin: true,
        }
    }

    #[test]
    fn collectives_to_synchronize_are_named() {
        let bits = |value: &str| {
            let mut overrides = Overrides::default();
            let set = overrides.set("MPICH_COLL_SYNC", value).expect("never refused");
            (overrides.synchronized, set)
        };
        let bit = |kind: Kind| 1u32 << kind as u32;
        let both = bit(Kind::Bcast) | bit(Kind::Gather);
        assert_eq!(bits("MPI_Bcast, mpi_gather"), (both, Setting::Applied));
        assert_eq!(bits("0"), (0, Setting::Applied));
        assert_eq!(bits("MPI_Alltoallw"), (ALLTOALLW, Setting::Applied));
        let (all, _) = bits("1");
        assert_eq!(all.count_ones() as usize, Kind::ALL.len());
        assert_eq!(all & bit(Kind::Barrier), 0);
        // [estimate]: see `synchronize`.
        assert_ne!(all & bit(Kind::ReduceScatterBlock), 0);
        let (some, note) = bits("MPI_Bcsat,MPI_Scan");
        let Setting::NotModeled(note) = note else { panic!("{note:?}") };
        assert_eq!(some, bit(Kind::Scan));
        assert!(note.contains("did you mean `mpi_bcast`?"), "{note}");
    }

    #[test]
    fn the_environment_forces_applicable_algorithms() {
        let mut overrides = Overrides::default();
        let selection = Selection::default();
        let mut set = |name: &str, value: &str| overrides.set(name, value);
        assert_eq!(set("MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM", "brucks"), Ok(Setting::Applied));
        assert_eq!(
            set("MPIR_CVAR_REDUCE_INTRA_ALGORITHM", "reduce_scatter_gather"),
            Ok(Setting::Applied)
        );
        assert_eq!(set("MPIR_CVAR_ALLTOALL_THROTTLE", "8"), Ok(Setting::Applied));
        assert_eq!(set("PATH", "/bin"), Ok(Setting::Unrelated));
        assert_eq!(set("MPIR_CVAR_CH4_OFI_EAGER_THRESHOLD", "1"), Ok(Setting::Unrelated));
        let noted = [
            ("MPIR_CVAR_BCAST_INTRA_ALGORITHM", "circ_graph"),
            ("MPIR_CVAR_BCAST_TREE_TYPE", "topology_wave"),
            ("MPIR_CVAR_ALLGATHER_COMPOSITION", "1"),
        ];
        for (name, value) in noted {
            assert!(matches!(set(name, value), Ok(Setting::NotModeled(_))), "{name}");
        }
        for name in ["MPIR_CVAR_IBCAST_INTRA_ALGORITHM", "MPIR_CVAR_BCAST_INTER_ALGORITHM"] {
            assert_eq!(set(name, "nb"), Ok(Setting::Unsupported), "{name}");
        }
        let wrong = set("MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM", "bruck").unwrap_err();
        assert!(wrong.contains("did you mean `brucks`?"), "{wrong}");
        assert!(set("MPIR_CVAR_ALLTOALL_THROTTLE", "many").is_err());

        let decide = |case: Case| selection.decide(&case, &overrides);
        assert_eq!(decide(case(Kind::Allgather, 6, 8)), Algorithm::Bruck);
        assert_eq!(decide(case(Kind::Alltoall, 6, 8)), Algorithm::Scattered { throttle: 8 });
        // 16 elements can be spread over 16 ranks, 15 cannot.
        assert_eq!(decide(case(Kind::Reduce, 16, 128)), Algorithm::ReduceScatterGather);
        assert_eq!(decide(case(Kind::Reduce, 16, 120)), Algorithm::Binomial);
    }
}
