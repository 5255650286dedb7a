//! Rules for the choice of an algorithm, as data: when one applies, and its algorithm with
//! parameters.

use toml::Value;

use crate::names::did_you_mean;
use crate::{Algorithm, Collective, Composition, Kind, NodeMap, OFFLOAD_MAX, TreeShape};

/// The properties of a call on which libraries base their choice. They must be equal on all members
/// of the communicator, so that all choose alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Case {
    pub kind: Kind,
    /// Members of the communicator, and the number of their nodes.
    pub size: u32,
    pub nodes: u32,
    /// Whether the members on each node have consecutive ranks.
    pub consecutive: bool,
    /// Bytes as MPICH counts them; see `Collective::counted_bytes`.
    pub bytes: u64,
    /// Elements in `bytes`.
    pub elements: u64,
    pub commutative: bool,
    /// Whether the operator is predefined by MPI.
    pub builtin: bool,
}

impl Collective {
    /// Bytes as MPICH's selection counts them: the vector (bcast, reductions, scans), the sum of
    /// all blocks (allgather, allgatherv, reduce_scatter, reduce_scatter_block), one block
    /// (alltoall, gather, scatter), and 0 where ranks know different lengths (alltoallv, gatherv,
    /// scatterv).
    pub fn counted_bytes(&self) -> u64 {
        match self.kind {
            Kind::Barrier | Kind::Alltoallv | Kind::Gatherv | Kind::Scatterv => 0,
            kind if kind.counts_all_blocks() => self.at(self.member.size),
            _ => self.bytes,
        }
    }
    /// The properties of this call for selection.
    pub fn case(&self, commutative: bool, builtin: bool) -> Case {
        let bytes = self.counted_bytes();
        let elements = bytes / self.grain.max(1);
        let size = self.member.size;
        let nodes = self.nodes.as_ref().map_or(size, NodeMap::count);
        let consecutive = self.nodes.as_ref().is_none_or(NodeMap::are_consecutive);
        Case { kind: self.kind, size, nodes, consecutive, bytes, elements, commutative, builtin }
    }
}

impl Case {
    /// `chosen`, or the kind's first algorithm if `chosen` is of another kind or does not preserve
    /// the order that the operator needs.
    pub fn fit(&self, chosen: Algorithm) -> Algorithm {
        let keeps = self.commutative || chosen.preserves_order(self.kind);
        if chosen.implements(self.kind) && keeps { chosen } else { self.kind.algorithms()[0] }
    }
}

/// `min..=max`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    pub min: u64,
    pub max: u64,
}

impl Range {
    pub const ALL: Range = Range { min: 0, max: u64::MAX };
    pub fn holds(self, n: u64) -> bool {
        (self.min..=self.max).contains(&n)
    }
    /// The intersection; `None` if it is empty.
    pub fn and(self, other: Range) -> Option<Range> {
        let both = Range { min: self.min.max(other.min), max: self.max.min(other.max) };
        (both.min <= both.max).then_some(both)
    }
    /// Reads `8`, `..8`, `..=2048`, `8..`, `2..64`, `2..=64`; numbers may end in `B`, `KiB`, `MiB`.
    fn parse(text: &str) -> Option<Range> {
        let number = |text: &str| {
            let text = text.trim();
            let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
            let scale = match text[end..].trim() {
                "" | "B" => 1,
                "KiB" => 1 << 10,
                "MiB" => 1 << 20,
                _ => return None,
            };
            text[..end].parse::<u64>().ok()?.checked_mul(scale)
        };
        let Some((min, max)) = text.split_once("..") else {
            let n = number(text)?;
            return Some(Range { min: n, max: n });
        };
        let min = if min.trim().is_empty() { 0 } else { number(min)? };
        let max = match (max.trim(), max.trim().strip_prefix('=')) {
            ("", _) => u64::MAX,
            (_, Some(last)) => number(last)?,
            (end, None) => number(end)?.checked_sub(1)?,
        };
        (min <= max).then_some(Range { min, max })
    }
}

/// A condition, and the algorithm to use if all of it holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rule {
    pub size: Range,
    /// Nodes of the communicator.
    pub nodes: Range,
    /// Bytes as in `Case`.
    pub bytes: Range,
    /// Bytes one rank contributes: one block where `Case` counts all blocks.
    pub block_bytes: Range,
    /// Bytes of all blocks where `Case` counts one; of all ranks' vectors.
    pub total_bytes: Range,
    /// Whether the size is a power of two.
    pub power_of_two: Option<bool>,
    /// Whether some node has several ranks (MPICH's `comm_hierarchy=parent`).
    pub several_a_node: Option<bool>,
    /// Mean number of ranks per node, in half units: see `Case::ppn_halves`.
    pub ppn_halves: Range,
    /// Whether the ranks of each node are consecutive.
    pub consecutive: Option<bool>,
    pub commutative: Option<bool>,
    pub builtin: Option<bool>,
    /// Elements as in MPICH's `count`: see `Case::count`.
    pub count: Range,
    /// Whether there are fewer elements than the largest power of two of ranks (MPICH's
    /// `count<pow2`).
    pub too_few_elements: Option<bool>,
    pub algorithm: Algorithm,
}

impl Rule {
    /// A rule without conditions.
    pub const fn always(algorithm: Algorithm) -> Rule {
        Rule {
            size: Range::ALL,
            nodes: Range::ALL,
            bytes: Range::ALL,
            block_bytes: Range::ALL,
            total_bytes: Range::ALL,
            power_of_two: None,
            several_a_node: None,
            ppn_halves: Range::ALL,
            consecutive: None,
            commutative: None,
            builtin: None,
            count: Range::ALL,
            too_few_elements: None,
            algorithm,
        }
    }
    pub(crate) fn holds(&self, case: &Case) -> bool {
        let is = |want: Option<bool>, is: bool| want.is_none_or(|want| want == is);
        self.size.holds(u64::from(case.size))
            && self.nodes.holds(u64::from(case.nodes))
            && self.bytes.holds(case.bytes)
            && self.block_bytes.holds(case.block_bytes())
            && self.total_bytes.holds(case.total_bytes())
            && is(self.power_of_two, case.size.is_power_of_two())
            && is(self.several_a_node, case.nodes < case.size)
            && self.ppn_halves.holds(case.ppn_halves())
            && is(self.consecutive, case.consecutive)
            && self.count.holds(case.count())
            && is(self.commutative, case.commutative)
            && is(self.builtin, case.builtin)
            && is(self.too_few_elements, too_few(case))
            && (case.commutative || self.algorithm.preserves_order(case.kind))
            && (!self.algorithm.is_node_aware() || case.nodes < case.size)
            && (self.algorithm != Algorithm::Offload || case.fits_in_network())
    }
    /// This rule with the other's conditions added; `None` if they exclude each other.
    pub fn and(&self, other: &Rule) -> Option<Rule> {
        let is = |a: Option<bool>, b: Option<bool>| match (a, b) {
            (Some(a), Some(b)) => (a == b).then_some(Some(a)),
            _ => Some(a.or(b)),
        };
        Some(Rule {
            size: self.size.and(other.size)?,
            nodes: self.nodes.and(other.nodes)?,
            bytes: self.bytes.and(other.bytes)?,
            block_bytes: self.block_bytes.and(other.block_bytes)?,
            total_bytes: self.total_bytes.and(other.total_bytes)?,
            power_of_two: is(self.power_of_two, other.power_of_two)?,
            several_a_node: is(self.several_a_node, other.several_a_node)?,
            ppn_halves: self.ppn_halves.and(other.ppn_halves)?,
            consecutive: is(self.consecutive, other.consecutive)?,
            count: self.count.and(other.count)?,
            commutative: is(self.commutative, other.commutative)?,
            builtin: is(self.builtin, other.builtin)?,
            too_few_elements: is(self.too_few_elements, other.too_few_elements)?,
            algorithm: self.algorithm,
        })
    }
}

impl Kind {
    /// Whether `Case::bytes` is the sum of all blocks.
    pub fn counts_all_blocks(self) -> bool {
        matches!(
            self,
            Kind::Allgather | Kind::Allgatherv | Kind::ReduceScatter | Kind::ReduceScatterBlock
        )
    }
}

impl Case {
    /// Whether the network can reduce it: few bytes, a predefined operator and one rank per node.
    fn fits_in_network(&self) -> bool {
        self.bytes <= OFFLOAD_MAX && self.builtin && self.nodes == self.size
    }
    fn block_bytes(&self) -> u64 {
        let all = self.kind.counts_all_blocks();
        if all { self.bytes / u64::from(self.size.max(1)) } else { self.bytes }
    }
    fn total_bytes(&self) -> u64 {
        let all = self.kind.counts_all_blocks();
        if all { self.bytes } else { self.bytes.saturating_mul(u64::from(self.size)) }
    }
    /// Elements as in MPICH's `count`: of one block for allgather and reduce_scatter_block, of all
    /// blocks for allgatherv and reduce_scatter, of the vector otherwise. [MPICH] csel.c
    pub fn count(&self) -> u64 {
        let one_block = matches!(self.kind, Kind::Allgather | Kind::ReduceScatterBlock);
        if one_block { self.elements / u64::from(self.size.max(1)) } else { self.elements }
    }
    /// Twice the mean number of ranks per node if that mean is whole, else the odd number between
    /// its neighbors. So `mean <= n` is `halves <= 2 n`, and `mean < n` is `halves < 2 n`.
    pub fn ppn_halves(&self) -> u64 {
        let (size, nodes) = (u64::from(self.size), u64::from(self.nodes.max(1)));
        2 * (size / nodes) + u64::from(!size.is_multiple_of(nodes))
    }
}

fn too_few(case: &Case) -> bool {
    case.count() < 1 << case.size.max(1).ilog2()
}

impl Algorithm {
    /// Whether libraries run this algorithm for such a call: MPICH's restrictions in
    /// `coll_algorithms.txt`. If they do not hold, MPICH uses its own choice where the environment
    /// forces the algorithm, and ends the program where a rules file names it.
    pub fn is_applicable(self, case: &Case) -> bool {
        (case.commutative || self.preserves_order(case.kind))
            && (!self.needs_spread() || (case.builtin && !too_few(case)))
            && (!self.is_node_aware() || case.nodes < case.size)
            && (self != Algorithm::Offload || case.fits_in_network())
            && (!self.needs_power_of_two(case.kind) || case.size.is_power_of_two())
    }
    /// Whether it needs at least as many elements as the largest power of two of ranks, and a
    /// predefined operator.
    pub fn needs_spread(self) -> bool {
        matches!(self, Algorithm::Rabenseifner | Algorithm::ReduceScatterGather)
    }
    /// Whether it is a composition of MPICH's device layer, by shared memory within nodes.
    pub fn is_composed(self) -> bool {
        matches!(self, Algorithm::NodeAware { form: Composition::Alpha | Composition::Beta, .. })
    }
    /// The kind's node-aware algorithm of that composition, or its first algorithm if it has none.
    pub fn of_composition(kind: Kind, form: Composition) -> Algorithm {
        let is = |a: &&Algorithm| matches!(a, Algorithm::NodeAware { form: f, .. } if *f == form);
        *kind.algorithms().iter().find(is).unwrap_or(&kind.algorithms()[0])
    }
    /// Whether libraries run it only on powers of two; the implementation here works for every
    /// size.
    pub fn needs_power_of_two(self, kind: Kind) -> bool {
        matches!(kind, Kind::Allgather | Kind::Allgatherv) && self == Algorithm::RecursiveDoubling
    }
}

/// Reads one rule and reports all errors in it.
pub(crate) fn read_rule(
    kind: Kind,
    rule: &Value,
    at: &str,
    errors: &mut Vec<String>,
) -> Option<Rule> {
    let Value::Table(table) = rule else {
        errors.push(format!("{at}: found `{rule}`, expected a table such as `{{ use = ... }}`"));
        return None;
    };
    let before = errors.len();
    let mut read = Rule::always(kind.algorithms()[0]);
    let mut named = false;
    let mut parameters = Parameters::default();
    for (key, value) in table {
        let mut wrong = |expected: &str, hint: &str| {
            errors.push(format!("{at}.{key}: found `{value}`, expected {expected}{hint}"));
        };
        let range = "a range such as `..8`, `..=2048`, `12 KiB..`, in quotes";
        match (key.as_str(), value) {
            ("size" | "nodes" | "bytes" | "block_bytes" | "total_bytes", Value::String(text)) => {
                match (Range::parse(text), key.as_str()) {
                    (Some(range), "size") => read.size = range,
                    (Some(range), "nodes") => read.nodes = range,
                    (Some(range), "bytes") => read.bytes = range,
                    (Some(range), "block_bytes") => read.block_bytes = range,
                    (Some(range), _) => read.total_bytes = range,
                    (None, _) => wrong(range, ""),
                }
            }
            ("size" | "nodes" | "bytes" | "block_bytes" | "total_bytes", _) => wrong(range, ""),
            ("power_of_two", Value::Boolean(b)) => read.power_of_two = Some(*b),
            ("several_a_node", Value::Boolean(b)) => read.several_a_node = Some(*b),
            ("commutative", Value::Boolean(b)) => read.commutative = Some(*b),
            ("builtin", Value::Boolean(b)) => read.builtin = Some(*b),
            ("too_few_elements", Value::Boolean(b)) => read.too_few_elements = Some(*b),
            (
                "power_of_two" | "several_a_node" | "commutative" | "builtin" | "too_few_elements",
                _,
            ) => wrong("true or false", ""),
            ("k", Value::Integer(k @ 1..=1_000_000)) => parameters.k = Some(*k as u32),
            ("k", _) => wrong("a radix: of exchanges 2 to 16, of trees from 1", ""),
            ("throttle", Value::Integer(n @ 1..=65_535)) => parameters.throttle = Some(*n as u16),
            ("throttle", _) => wrong("a number of messages from 1 to 65535", ""),
            ("tree", Value::String(name)) if TreeShape::from_name(name).is_some() => {
                parameters.shape = TreeShape::from_name(name);
            }
            ("tree", _) => {
                let shapes = TreeShape::ALL.map(TreeShape::name);
                wrong(&format!("one of {}", shapes.join(", ")), "");
            }
            ("chunk", Value::String(text)) => match Range::parse(text) {
                Some(Range { min, max }) if min == max && min <= u64::from(u32::MAX) => {
                    parameters.chunk = Some(min as u32);
                }
                _ => wrong("a length such as `8 KiB`; 0 means one segment", ""),
            },
            ("chunk", _) => wrong("a length such as `8 KiB`, in quotes; `0` means one segment", ""),
            ("use", Value::String(name)) => match Algorithm::from_name(kind, name) {
                Some(algorithm) => (read.algorithm, named) = (algorithm, true),
                None => wrong(&expected_names(kind), &did_you_mean(name, names(kind))),
            },
            ("use", _) => wrong(&expected_names(kind), ""),
            _ => {
                let keys = [
                    "size",
                    "nodes",
                    "bytes",
                    "block_bytes",
                    "total_bytes",
                    "power_of_two",
                    "several_a_node",
                    "commutative",
                    "builtin",
                    "too_few_elements",
                    "use",
                    "k",
                    "throttle",
                    "tree",
                    "chunk",
                ];
                wrong(&format!("one of {}", keys.join(", ")), &did_you_mean(key, keys));
            }
        }
    }
    if !named && errors.len() == before {
        errors.push(format!("{at}.use: expected {}", expected_names(kind)));
    }
    match parameters.applied_to(read.algorithm) {
        Ok(algorithm) => read.algorithm = algorithm,
        Err(words) => errors.push(format!("{at}: {words}")),
    }
    (errors.len() == before).then_some(read)
}

/// Parameters of an algorithm.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Parameters {
    pub k: Option<u32>,
    pub shape: Option<TreeShape>,
    pub chunk: Option<u32>,
    pub throttle: Option<u16>,
}

impl Parameters {
    /// The algorithm with these parameters in place of its own; `Err` if it does not have them.
    pub fn applied_to(self, algorithm: Algorithm) -> Result<Algorithm, String> {
        use Algorithm as A;
        let Parameters { k, shape, chunk, throttle } = self;
        let radix = |own: u8| match k {
            None => Ok(own),
            Some(k @ 2..=16) => Ok(k as u8),
            Some(k) => Err(format!("found `k` {k}, expected a radix from 2 to 16")),
        };
        let given = match algorithm {
            A::RecursiveExchange { k } => A::RecursiveExchange { k: radix(k)? },
            A::Dissemination { k } => A::Dissemination { k: radix(k)? },
            A::KBruck { k } => A::KBruck { k: radix(k)? },
            A::ExchangeDoubling { k } => A::ExchangeDoubling { k: radix(k)? },
            A::ExchangeHalving { k } => A::ExchangeHalving { k: radix(k)? },
            A::Tree { shape: s, k: own, chunk: c } => A::Tree {
                shape: shape.unwrap_or(s),
                k: k.unwrap_or(own),
                chunk: chunk.unwrap_or(c),
            },
            A::SplitBinary { chunk: c } => A::SplitBinary { chunk: chunk.unwrap_or(c) },
            A::Scattered { throttle: t } => A::Scattered { throttle: throttle.unwrap_or(t) },
            A::Chunked { chunk: c, throttle: t } => {
                A::Chunked { chunk: chunk.unwrap_or(c), throttle: throttle.unwrap_or(t) }
            }
            other => other,
        };
        let is_tree = matches!(algorithm, A::Tree { .. });
        let has_radix = is_tree
            || matches!(
                algorithm,
                A::RecursiveExchange { .. }
                    | A::Dissemination { .. }
                    | A::KBruck { .. }
                    | A::ExchangeDoubling { .. }
                    | A::ExchangeHalving { .. }
            );
        let misplaced = k.is_some() && !has_radix
            || shape.is_some() && !is_tree
            || chunk.is_some()
                && !is_tree
                && !matches!(algorithm, A::SplitBinary { .. } | A::Chunked { .. })
            || throttle.is_some() && !matches!(algorithm, A::Scattered { .. } | A::Chunked { .. });
        match misplaced {
            false => Ok(given),
            true => Err("`k` belongs to exchanges, k_brucks, k_dissemination and trees, `tree` \
                         to trees, `chunk` to trees and chunked, `throttle` to scattered and \
                         chunked"
                .into()),
        }
    }
}

pub(crate) fn names(kind: Kind) -> impl Iterator<Item = &'static str> {
    kind.algorithms().iter().map(|a| a.name())
}

pub(crate) fn expected_names(kind: Kind) -> String {
    format!("one of {}", names(kind).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_as_rust_reads_them() {
        for (text, want) in [
            ("8", Some((8, 8))),
            ("..8", Some((0, 7))),
            ("..=12 KiB", Some((0, 12_288))),
            ("1 MiB..", Some((1 << 20, u64::MAX))),
            ("2..64", Some((2, 63))),
            ("2 ..= 64 B", Some((2, 64))),
            ("..0", None),
            ("9..8", None),
            ("..=8 kb", None),
            ("", None),
            ("..", Some((0, u64::MAX))),
        ] {
            assert_eq!(Range::parse(text).map(|r| (r.min, r.max)), want, "{text}");
        }
    }

    #[test]
    fn names_and_numbers_round_trip() {
        for kind in Kind::ALL {
            assert_eq!(Kind::from_name(kind.name()), Some(kind));
            assert_eq!(Kind::from_number(kind as u32), Some(kind));
            for &algorithm in kind.algorithms() {
                assert_eq!(Algorithm::from_name(kind, algorithm.name()), Some(algorithm));
                assert!(!kind.unimplemented().contains(&algorithm.name()));
            }
        }
    }
}
