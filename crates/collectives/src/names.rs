//! Names of collectives and algorithms: MPICH's where it has one.
//!
//! Source: MPICH `src/mpi/coll/coll_algorithms.txt`, which lists the values of
//! `MPIR_CVAR_<COLLECTIVE>_INTRA_ALGORITHM`.

use crate::{Algorithm, Composition, Kind};

impl Kind {
    /// As in `MPIR_CVAR_<NAME>_INTRA_ALGORITHM`, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Barrier => "barrier",
            Kind::Bcast => "bcast",
            Kind::Reduce => "reduce",
            Kind::Allreduce => "allreduce",
            Kind::Allgather => "allgather",
            Kind::Allgatherv => "allgatherv",
            Kind::Alltoall => "alltoall",
            Kind::Alltoallv => "alltoallv",
            Kind::Gather => "gather",
            Kind::Gatherv => "gatherv",
            Kind::Scatter => "scatter",
            Kind::Scatterv => "scatterv",
            Kind::ReduceScatter => "reduce_scatter",
            Kind::ReduceScatterBlock => "reduce_scatter_block",
            Kind::Scan => "scan",
            Kind::Exscan => "exscan",
        }
    }
    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|k| k.name() == name)
    }
    /// The kind whose number (`kind as u8`) this is.
    pub fn from_number(number: u32) -> Option<Kind> {
        Kind::ALL.get(number as usize).copied()
    }

    /// MPICH's algorithms for this kind that are not implemented here.
    pub fn unimplemented(self) -> &'static [&'static str] {
        match self {
            Kind::Allreduce => {
                &["nb", "k_reduce_scatter_allgather", "recursive_multiplying", "ccl"]
            }
            Kind::Bcast => &["nb", "circ_graph"],
            Kind::Alltoall => &["nb", "pairwise_sendrecv_replace"],
            Kind::Alltoallv => &["nb", "pairwise_sendrecv_replace"],
            Kind::ReduceScatter | Kind::ReduceScatterBlock => {
                &["nb", "noncommutative", "recursive_doubling"]
            }
            Kind::Scan => &["nb", "smp"],
            _ => &["nb"],
        }
    }
}

impl Algorithm {
    /// The algorithm's name: MPICH's if it has one.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Dissemination { .. } => "k_dissemination",
            Algorithm::Binomial => "binomial",
            Algorithm::ScatterRecursiveDoubling => "scatter_recursive_doubling_allgather",
            Algorithm::ScatterRing => "scatter_ring_allgather",
            Algorithm::RecursiveDoubling => "recursive_doubling",
            Algorithm::RecursiveExchange { .. } => "recexch",
            Algorithm::Rabenseifner => "reduce_scatter_allgather",
            Algorithm::ReduceScatterGather => "reduce_scatter_gather",
            Algorithm::Ring => "ring",
            Algorithm::Bruck => "brucks",
            Algorithm::KBruck { .. } => "k_brucks",
            Algorithm::ExchangeDoubling { .. } => "recexch_doubling",
            Algorithm::ExchangeHalving { .. } => "recexch_halving",
            Algorithm::Tree { chunk: 0, .. } => "tree",
            Algorithm::Tree { .. } => "pipelined_tree",
            Algorithm::NodeAware { form: Composition::Alpha, .. } => "alpha",
            Algorithm::NodeAware { form: Composition::Beta, .. } => "beta",
            Algorithm::NodeAware { form: Composition::Smp, .. } => "smp",
            Algorithm::RecursiveHalving => "recursive_halving",
            Algorithm::Pairwise => "pairwise",
            Algorithm::Scattered { .. } => "scattered",
            Algorithm::Linear => "linear",
            Algorithm::Chunked { .. } => "chunked",
            // Open MPI's names.
            Algorithm::Neighbor => "neighbor",
            Algorithm::ReduceBcast => "nonoverlapping",
            Algorithm::SplitBinary { .. } => "split_binary",
            // libfabric calls collectives of the hardware "offload".
            Algorithm::Offload => "offload",
        }
    }
    /// The name with its parameters, if it has any: `recexch:4`, `scattered:all`,
    /// `pipelined_tree:kary:2:8192`. A node-aware one is followed by its inter-node algorithm:
    /// `smp:binomial`.
    pub fn label(self) -> String {
        let name = self.name();
        match self {
            Algorithm::RecursiveExchange { k }
            | Algorithm::KBruck { k }
            | Algorithm::ExchangeDoubling { k }
            | Algorithm::ExchangeHalving { k } => format!("{name}:{k}"),
            // Radix 2 is the default.
            Algorithm::Dissemination { k } if k != 2 => format!("{name}:{k}"),
            Algorithm::Scattered { throttle: u16::MAX } => format!("{name}:all"),
            Algorithm::Scattered { throttle } => format!("{name}:{throttle}"),
            Algorithm::Tree { shape, k, chunk } => {
                let chunk = if chunk > 0 { format!(":{chunk}") } else { String::new() };
                format!("{name}:{}:{k}{chunk}", shape.name())
            }
            Algorithm::SplitBinary { chunk } if chunk > 0 => format!("{name}:{chunk}"),
            Algorithm::Chunked { chunk, throttle } => format!("{name}:{chunk}:{throttle}"),
            Algorithm::NodeAware { inter_node, .. } => {
                format!("{name}:{}", Algorithm::from(inter_node).label())
            }
            _ => name.to_string(),
        }
    }
    /// The algorithm of that name for that kind, with MPICH's default parameters.
    pub fn from_name(kind: Kind, name: &str) -> Option<Algorithm> {
        // MPICH's former name, from the time when its barrier had no radix.
        let name = if name == "dissemination" { "k_dissemination" } else { name };
        kind.algorithms().iter().copied().find(|a| a.name() == name)
    }
}

/// The valid word nearest to `word`, as a question to append to an error message; empty if none is
/// near.
pub(crate) fn did_you_mean<'a>(word: &str, legal: impl IntoIterator<Item = &'a str>) -> String {
    let folded = word.to_lowercase();
    let score = |l: &str| strsim::jaro_winkler(&folded, &l.to_lowercase());
    let best = legal.into_iter().map(|l| (score(l), l)).max_by(|a, b| a.0.total_cmp(&b.0));
    match best {
        // Below 0.7 Jaro-Winkler pairs words that share little more than letters.
        Some((score, word)) if score > 0.7 => format!("; did you mean `{word}`?"),
        _ => String::new(),
    }
}
