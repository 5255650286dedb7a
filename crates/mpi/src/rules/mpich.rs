//! MPICH's generic selection file, named by `MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE`: its names,
//! and its writer. `csel` reads it.
//!
//! It consists of nested objects whose keys are conditions, such as `comm_size<8` and
//! `total_msg_size=any`, down to `algorithm=MPIR_Allgather_intra_ring`. The first condition of a
//! level that holds is entered, without backtracking. Source: MPICH `src/mpi/coll/src/csel.c`,
//! `csel_container.c`. The effect of wrong files was measured with 5.0.2 from PyPI.
//!
//! MPICH ends a program that calls a collective which the file leaves out, so a file has all of
//! them. Collectives that were not tuned are taken from `libraries/mpich.json`, MPICH's own rules.

use std::collections::BTreeSet;
use std::fmt;

use collectives::{Algorithm, Kind, Range, Rule, Selection, TreeShape};
use serde::de::{self, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Choice, by_ranks, changes, own_rules_within};
use crate::library::{self, Library};

/// MPICH's own rules. [MPICH] 5.0.2: its generic selection, for host buffers.
const GENERIC: &str = include_str!("../../libraries/mpich.json");

/// MPICH parses numbers by `atoi`.
const MAX_NUMBER: u64 = i32::MAX as u64;

/// A JSON object with ordered keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ConditionTree(pub Vec<(String, ConditionTree)>);

impl<'de> Deserialize<'de> for ConditionTree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ConditionTree, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = ConditionTree;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object such as `{\"comm_size<8\": {...}}`")
            }
            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<ConditionTree, M::Error> {
                let (mut entries, mut seen) = (Vec::new(), BTreeSet::new());
                while let Some((key, value)) = map.next_entry::<String, ConditionTree>()? {
                    let key: String = key.split_whitespace().collect();
                    if !seen.insert(key.clone()) {
                        return Err(de::Error::custom(format!("`{key}` appears twice")));
                    }
                    entries.push((key, value));
                }
                Ok(ConditionTree(entries))
            }
        }
        deserializer.deserialize_map(Entries)
    }
}

impl Serialize for ConditionTree {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, tree) in &self.0 {
            map.serialize_entry(key, tree)?;
        }
        map.end()
    }
}

impl ConditionTree {
    fn one(key: impl Into<String>, tree: ConditionTree) -> ConditionTree {
        ConditionTree(vec![(key.into(), tree)])
    }
    pub fn find(&self, key: &str) -> Option<&ConditionTree> {
        self.0.iter().find(|(k, _)| k == key).map(|(_, tree)| tree)
    }
}

pub(super) fn generic() -> ConditionTree {
    serde_json::from_str(GENERIC).expect("the included file is valid")
}

/// Such as `MPIR_Allgather_intra_`.
pub(super) fn prefix(kind: Kind) -> String {
    let mut name = kind.name().to_string();
    name[..1].make_ascii_uppercase();
    let whose = if matches!(kind, Kind::Gatherv | Kind::Scatterv) { "allcomm" } else { "intra" };
    format!("MPIR_{name}_{whose}_")
}

/// MPICH's name for an algorithm; `None` if it does not have it. [MPICH] `coll_algorithms.txt`.
pub(super) fn name(kind: Kind, algorithm: Algorithm) -> Option<String> {
    use Algorithm as A;
    let lacks = match (kind, algorithm) {
        (_, A::Neighbor | A::ReduceBcast | A::SplitBinary { .. } | A::Chunked { .. }) => true,
        (_, A::Offload) => true,
        // Compositions belong to another file.
        (_, a) if a.is_composed() => true,
        // Open MPI's shapes. In an allreduce's tree, segments are a parameter.
        (_, A::Tree { shape: TreeShape::Chain | TreeShape::Levels, .. }) => true,
        (Kind::Reduce, A::Tree { .. }) => true,
        (Kind::Allreduce, A::Tree { .. }) => {
            return Some(format!("{}tree", prefix(kind)));
        }
        // The throttle is set by a variable, not by the file.
        (_, A::Scattered { throttle: u16::MAX }) => true,
        (Kind::Alltoallv, A::Pairwise) | (Kind::Gather | Kind::Scatter, A::Linear) => true,
        (Kind::ReduceScatter | Kind::ReduceScatterBlock, A::Ring) => true,
        _ => !algorithm.implements(kind),
    };
    (!lacks).then(|| format!("{}{}", prefix(kind), algorithm.name()))
}

/// Rules for `choices`, with MPICH's own rules elsewhere.
pub(super) fn rules(kind: Kind, choices: &[Choice], own: &Selection) -> Vec<Rule> {
    let generic;
    let flat = || own.rules(kind).iter().filter(|rule| !rule.algorithm.is_composed());
    let own = match flat().all(|rule| is_expressible(kind, rule)) {
        true => own,
        // Another library's rules.
        false => {
            let text = library::preset("mpich").expect("a preset");
            generic = Library::parse("mpich", text, "").expect("presets are valid").selection;
            &generic
        }
    };
    let mut rules = Vec::new();
    let groups: Vec<&[Choice]> = by_ranks(choices).collect();
    let any = Rule::always(kind.algorithms()[0]);
    if let Some(first) = groups.first().filter(|group| group[0].ranks > 0) {
        let size = Range { min: 0, max: u64::from(first[0].ranks) - 1 };
        rules.extend(own_rules_within(own, kind, &Rule { size, ..any }));
    }
    for (i, group) in groups.iter().enumerate() {
        let end = |next: &&[Choice]| u64::from(next[0].ranks) - 1;
        let max = groups.get(i + 1).map_or(u64::MAX, end);
        let size = Range { min: u64::from(group[0].ranks), max };
        // Sizes beyond the numbers MPICH parses cannot be distinguished from those below.
        let mut steps = changes(group);
        steps.retain(|c| c.bytes <= MAX_NUMBER);
        for (j, step) in steps.iter().enumerate() {
            let min = if j == 0 { 0 } else { step.bytes };
            let max = steps.get(j + 1).map_or(u64::MAX, |next| next.bytes - 1);
            let place = Rule { size, bytes: Range { min, max }, ..any };
            rules
                .extend(restricted_to_supported(kind, Rule { algorithm: step.algorithm, ..place }));
            rules.extend(own_rules_within(own, kind, &place));
        }
    }
    rules
}

/// Whether MPICH's file can express the rule.
fn is_expressible(kind: Kind, rule: &Rule) -> bool {
    name(kind, rule.algorithm).is_some()
        && rule.block_bytes == Range::ALL
        && (rule.nodes == Range::ALL || requires_one_node(rule))
}

/// Whether the rule's only condition on nodes is whether there are several, as in MPICH's
/// `comm_size=node_comm_size`.
fn requires_one_node(rule: &Rule) -> bool {
    let Range { min, max } = rule.nodes;
    rule.several_a_node == Some(true) && matches!((min, max), (0, 1) | (2, u64::MAX))
}

/// The rule, restricted to calls for which MPICH runs its algorithm.
fn restricted_to_supported(kind: Kind, rule: Rule) -> Option<Rule> {
    let a = rule.algorithm;
    let any = Rule::always(a);
    rule.and(&Rule {
        commutative: (!a.preserves_order(kind)).then_some(true),
        builtin: a.needs_spread().then_some(true),
        too_few_elements: a.needs_spread().then_some(false),
        power_of_two: a.needs_power_of_two(kind).then_some(true),
        several_a_node: a.is_node_aware().then_some(true),
        ..any
    })
}

/// A complete file with these rules for `kind`, and MPICH's for all others.
pub(super) fn write(kind: Kind, rules: &[Rule]) -> String {
    let mut file = generic();
    let key = format!("collective={}", kind.name());
    let at = file.0.iter().position(|(k, _)| *k == key).expect("MPICH has rules for all kinds");
    let intra = |tree: &ConditionTree| tree.find("comm_type=intra").cloned().unwrap_or_default();
    let whole = Rule::always(kind.algorithms()[0]);
    let tree = |place| branch(kind, rules, place);
    let ours = match kind {
        Kind::Alltoall | Kind::Alltoallv => {
            let own = intra(&file.0[at].1);
            let key = "is_sendbuf_inplace=yes";
            let in_place = own.find(key).expect("MPICH's rules tell the two apart").clone();
            let not = ("is_sendbuf_inplace=no".to_string(), tree(whole));
            ConditionTree(vec![(key.to_string(), in_place), not])
        }
        // For operators that do not commute, the algorithm here is not MPICH's.
        Kind::ReduceScatter | Kind::ReduceScatterBlock => {
            let own = intra(&file.0[at].1);
            let key = "is_commutative=no";
            let ordered = own.find(key).expect("MPICH's rules tell the two apart").clone();
            let commutes = tree(Rule { commutative: Some(true), ..whole });
            ConditionTree(vec![
                ("is_commutative=yes".to_string(), commutes),
                (key.to_string(), ordered),
            ])
        }
        _ => tree(whole),
    };
    let slot = &mut file.0[at].1;
    match slot.0.iter_mut().find(|(k, _)| k == "comm_type=intra") {
        Some((_, own)) => *own = ours,
        None => *slot = ours,
    }
    let rows: Vec<String> = file
        .0
        .iter()
        .map(|(k, tree)| {
            let text = match *k == key {
                true => serde_json::to_string_pretty(tree),
                false => serde_json::to_string(tree),
            };
            format!("{}: {}", serde_json::to_string(k).expect("a string"), text.expect("a tree"))
        })
        .collect();
    let mut text = format!("{{\n{}\n}}\n", rows.join(",\n"));
    // MPICH maps the file into memory and relies on zeros behind it. There are none if the file
    // fills its last page.
    if text.len().is_multiple_of(4096) {
        text.push('\n');
    }
    text
}

/// The subtree for `rules`, restricted to `place`.
fn branch(kind: Kind, rules: &[Rule], place: Rule) -> ConditionTree {
    let mut met = rules.iter().filter_map(|rule| {
        // A rule whose algorithm does not preserve order is for operators that commute.
        guard_order(kind, *rule).and(&place)
    });
    let Some(first) = met.next() else { return leaf(kind, kind.algorithms()[0]) };
    let Some(split) = Split::of(kind, &first, &place) else { return leaf(kind, first.algorithm) };
    let yes = branch(kind, rules, split.yes);
    let no = branch(kind, rules, split.no);
    if yes == no {
        return yes;
    }
    let mut tree = ConditionTree::one(split.key, yes);
    // Cases of one family of conditions are siblings.
    let asks_the_same = no.0.iter().all(|(key, _)| key.starts_with(split.family));
    match asks_the_same && split.otherwise == format!("{}=any", split.family) {
        true => tree.0.extend(no.0),
        false => tree.0.push((split.otherwise, no)),
    }
    tree
}

fn guard_order(kind: Kind, mut rule: Rule) -> Rule {
    if !rule.algorithm.preserves_order(kind) {
        rule.commutative = Some(true);
    }
    rule
}

fn leaf(kind: Kind, algorithm: Algorithm) -> ConditionTree {
    let name = name(kind, algorithm).expect("only MPICH's own algorithms are written");
    // The receives of both phases are posted at once, as is MPICH's default, and sends of trees do
    // not wait for each other.
    let words = match algorithm {
        Algorithm::RecursiveExchange { k }
        | Algorithm::ExchangeDoubling { k }
        | Algorithm::ExchangeHalving { k } => {
            vec![format!("k={k}"), "single_phase_recv=0".into()]
        }
        Algorithm::Dissemination { k } | Algorithm::KBruck { k } => vec![format!("k={k}")],
        Algorithm::Tree { shape, k, chunk } => {
            let mut words = vec![format!("tree_type={}", shape.name()), format!("k={k}")];
            match (kind, chunk) {
                (Kind::Allreduce, _) => {
                    words.extend([format!("chunk_size={chunk}"), "buffer_per_child=0".into()]);
                }
                (_, 0) => words.push("is_non_blocking=1".into()),
                _ => words.extend([
                    "is_non_blocking=1".into(),
                    format!("chunk_size={chunk}"),
                    "recv_pre_posted=0".into(),
                ]),
            }
            words
        }
        _ => Vec::new(),
    };
    let parameters =
        ConditionTree(words.into_iter().map(|word| (word, ConditionTree::default())).collect());
    ConditionTree::one(format!("algorithm={name}"), parameters)
}

/// A condition that separates a rule's range from the rest of a larger one.
struct Split {
    /// `comm_size` of `comm_size<8`.
    family: &'static str,
    key: String,
    otherwise: String,
    yes: Rule,
    no: Rule,
}

impl Split {
    /// The first condition by which `rule` is narrower than `place`.
    fn of(kind: Kind, rule: &Rule, place: &Rule) -> Option<Split> {
        let (counted, total) = match kind.counts_all_blocks() {
            true => ("total_msg_size", "total_msg_size"),
            false => ("avg_msg_size", "total_msg_size"),
        };
        Split::by_range("comm_size", rule.size, place, |r| &mut r.size)
            .or_else(|| {
                let key = ("comm_size=pow2", "comm_size=any");
                Split::by_truth("comm_size", key, rule.power_of_two, place, |r| &mut r.power_of_two)
            })
            .or_else(|| {
                let key = ("comm_hierarchy=parent", "comm_hierarchy=any");
                let asks = rule.several_a_node;
                Split::by_truth("comm_hierarchy", key, asks, place, |r| &mut r.several_a_node)
            })
            .or_else(|| Split::by_nodes(rule.nodes, place))
            .or_else(|| Split::by_mean(rule.ppn_halves, place))
            .or_else(|| {
                let key = ("is_node_consecutive=yes", "is_node_consecutive=no");
                let asks = rule.consecutive;
                Split::by_truth("is_node_consecutive", key, asks, place, |r| &mut r.consecutive)
            })
            .or_else(|| {
                let key = ("is_commutative=yes", "is_commutative=no");
                let asks = rule.commutative;
                Split::by_truth("is_commutative", key, asks, place, |r| &mut r.commutative)
            })
            .or_else(|| {
                let key = ("is_op_built_in=yes", "is_op_built_in=no");
                Split::by_truth("is_op_built_in", key, rule.builtin, place, |r| &mut r.builtin)
            })
            .or_else(|| {
                let key = ("count<pow2", "count=any");
                let asks = rule.too_few_elements;
                Split::by_truth("count", key, asks, place, |r| &mut r.too_few_elements)
            })
            .or_else(|| Split::by_count(rule.count, place))
            .or_else(|| Split::by_range(counted, rule.bytes, place, |r| &mut r.bytes))
            .or_else(|| Split::by_range(total, rule.total_bytes, place, |r| &mut r.total_bytes))
    }

    fn by_range(
        family: &'static str,
        target: Range,
        place: &Rule,
        of: impl Fn(&mut Rule) -> &mut Range,
    ) -> Option<Split> {
        let end = Split::end(target, place, &of, MAX_NUMBER)?;
        let is_limit = end.checked_add(1) == Some(target.min);
        let condition = if is_limit { format!("<{}", end + 1) } else { format!("<={end}") };
        Some(Split::at(end, format!("{family}{condition}"), family, place, of))
    }

    /// A split by whether all ranks share a node.
    fn by_nodes(target: Range, place: &Rule) -> Option<Split> {
        fn of(rule: &mut Rule) -> &mut Range {
            &mut rule.nodes
        }
        let end = Split::end(target, place, of, MAX_NUMBER).filter(|&end| end == 1)?;
        Some(Split::at(end, "comm_size=node_comm_size".into(), "comm_size", place, of))
    }

    /// A split by the mean ranks per node in halves: `<=n` ends at an even number and `<n` at an
    /// odd one.
    fn by_mean(target: Range, place: &Rule) -> Option<Split> {
        fn of(rule: &mut Rule) -> &mut Range {
            &mut rule.ppn_halves
        }
        let end = Split::end(target, place, of, 2 * MAX_NUMBER)?;
        let sign = if end.is_multiple_of(2) { "<=" } else { "<" };
        let key = format!("comm_avg_ppn{sign}{}", end.div_ceil(2));
        Some(Split::at(end, key, "comm_avg_ppn", place, of))
    }

    /// A split by count, for which MPICH has `<=` and `count<pow2` only.
    fn by_count(target: Range, place: &Rule) -> Option<Split> {
        fn of(rule: &mut Rule) -> &mut Range {
            &mut rule.count
        }
        let end = Split::end(target, place, of, MAX_NUMBER)?;
        Some(Split::at(end, format!("count<={end}"), "count", place, of))
    }

    /// The end of the first part of the rule's range within `place`, if it is smaller.
    fn end(
        target: Range,
        place: &Rule,
        of: impl Fn(&mut Rule) -> &mut Range,
        most: u64,
    ) -> Option<u64> {
        let here = *of(&mut { *place });
        if target.min > here.min && target.min <= most {
            Some(target.min - 1)
        } else {
            (target.max < here.max && target.max <= most).then_some(target.max)
        }
    }

    fn at(
        end: u64,
        key: String,
        family: &'static str,
        place: &Rule,
        of: impl Fn(&mut Rule) -> &mut Range,
    ) -> Split {
        let (mut yes, mut no) = (*place, *place);
        of(&mut yes).max = end;
        of(&mut no).min = end + 1;
        Split { family, key, otherwise: format!("{family}=any"), yes, no }
    }

    fn by_truth(
        family: &'static str,
        (key, otherwise): (&str, &str),
        target: Option<bool>,
        place: &Rule,
        of: impl Fn(&mut Rule) -> &mut Option<bool>,
    ) -> Option<Split> {
        let (mut yes, mut no) = (*place, *place);
        if target.is_none() || of(&mut yes).is_some() {
            return None;
        }
        (*of(&mut yes), *of(&mut no)) = (Some(true), Some(false));
        Some(Split { family, key: key.to_string(), otherwise: otherwise.to_string(), yes, no })
    }
}
