//! MPICH's selection file, which `MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE` names.
//!
//! Nested objects whose keys are conditions, `comm_size<8`, `total_msg_size=any`, down to
//! `algorithm=MPIR_Allgather_intra_ring`. The first condition of a level that holds is entered, and
//! there is no way back. Source: MPICH `src/mpi/coll/src/csel.c`, `csel_container.c`; what happens
//! to a wrong file was tried on the 5.0.2 of PyPI.
//!
//! MPICH ends a program whose file leaves out a collective it calls, so a file has all of them:
//! what nobody tuned is `libraries/mpich.json`, the rules MPICH itself comes with.

use std::collections::BTreeSet;
use std::fmt;

use collectives::{Algorithm, Kind, Parameters, Range, Rule, Selection, Shape};
use serde::de::{self, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Choice, Reading, by_ranks, changes, own_within};
use crate::library::{self, Library, did_you_mean};

/// The rules MPICH comes with. [MPICH] 5.0.2: its generic selection, for host buffers.
const GENERIC: &str = include_str!("../../libraries/mpich.json");

/// MPICH reads numbers by `atoi`.
const MOST: u64 = i32::MAX as u64;

/// An object whose keys stand in order.
#[derive(Clone, Debug, Default, PartialEq)]
struct Tree(Vec<(String, Tree)>);

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Tree, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Tree;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object such as `{\"comm_size<8\": {...}}`")
            }
            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Tree, M::Error> {
                let (mut entries, mut seen) = (Vec::new(), BTreeSet::new());
                while let Some((key, value)) = map.next_entry::<String, Tree>()? {
                    let key: String = key.split_whitespace().collect();
                    if !seen.insert(key.clone()) {
                        return Err(de::Error::custom(format!("`{key}` stands twice")));
                    }
                    entries.push((key, value));
                }
                Ok(Tree(entries))
            }
        }
        deserializer.deserialize_map(Entries)
    }
}

impl Serialize for Tree {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, tree) in &self.0 {
            map.serialize_entry(key, tree)?;
        }
        map.end()
    }
}

impl Tree {
    fn one(key: impl Into<String>, tree: Tree) -> Tree {
        Tree(vec![(key.into(), tree)])
    }
    fn find(&self, key: &str) -> Option<&Tree> {
        self.0.iter().find(|(k, _)| k == key).map(|(_, tree)| tree)
    }
}

fn generic() -> Tree {
    serde_json::from_str(GENERIC).expect("the file that comes with us is legal")
}

/// `MPIR_Allgather_intra_`.
fn prefix(kind: Kind) -> String {
    let mut name = kind.name().to_string();
    name[..1].make_ascii_uppercase();
    let whose = if matches!(kind, Kind::Gatherv | Kind::Scatterv) { "allcomm" } else { "intra" };
    format!("MPIR_{name}_{whose}_")
}

/// MPICH's name for an algorithm it has. [MPICH] `coll_algorithms.txt`.
pub(super) fn name(kind: Kind, algorithm: Algorithm) -> Option<String> {
    use Algorithm as A;
    let lacks = match (kind, algorithm) {
        (_, A::Neighbor | A::ReduceBcast | A::SplitBinary { .. } | A::Chunked { .. }) => true,
        (_, A::Offload) => true,
        // What its device composes stands in a file of the device's.
        (_, a) if a.is_composed() => true,
        // Open MPI's shapes. Segments of an allreduce's tree are a parameter of that.
        (_, A::Tree { shape: Shape::Chain | Shape::Levels, .. }) => true,
        (Kind::Reduce, A::Tree { .. }) => true,
        (Kind::Allreduce, A::Tree { .. }) => {
            return Some(format!("{}tree", prefix(kind)));
        }
        // How many are out at once is a variable's to say, not the file's.
        (_, A::Scattered { throttle: u16::MAX }) => true,
        (Kind::Alltoallv, A::Pairwise) | (Kind::Gather | Kind::Scatter, A::Linear) => true,
        (Kind::ReduceScatter | Kind::ReduceScatterBlock, A::Ring) => true,
        _ => !algorithm.serves(kind),
    };
    (!lacks).then(|| format!("{}{}", prefix(kind), algorithm.name()))
}

/// The rules that say what `choices` do, and MPICH's own elsewhere.
pub(super) fn rules(kind: Kind, choices: &[Choice], own: &Selection) -> Vec<Rule> {
    let generic;
    let flat = || own.rules(kind).iter().filter(|rule| !rule.algorithm.is_composed());
    let own = match flat().all(|rule| can_say(kind, rule)) {
        true => own,
        // Another library's.
        false => {
            let text = library::preset("mpich").expect("a preset");
            generic = Library::parse("mpich", text, "").expect("presets are legal").selection;
            &generic
        }
    };
    let mut rules = Vec::new();
    let groups: Vec<&[Choice]> = by_ranks(choices).collect();
    let any = Rule::always(kind.algorithms()[0]);
    if let Some(first) = groups.first().filter(|group| group[0].ranks > 0) {
        let size = Range { min: 0, max: u64::from(first[0].ranks) - 1 };
        rules.extend(own_within(own, kind, &Rule { size, ..any }));
    }
    for (i, group) in groups.iter().enumerate() {
        let end = |next: &&[Choice]| u64::from(next[0].ranks) - 1;
        let max = groups.get(i + 1).map_or(u64::MAX, end);
        let size = Range { min: u64::from(group[0].ranks), max };
        // What begins beyond the numbers MPICH reads cannot be told from what is below.
        let mut steps = changes(group);
        steps.retain(|c| c.bytes <= MOST);
        for (j, step) in steps.iter().enumerate() {
            let min = if j == 0 { 0 } else { step.bytes };
            let max = steps.get(j + 1).map_or(u64::MAX, |next| next.bytes - 1);
            let place = Rule { size, bytes: Range { min, max }, ..any };
            rules.extend(guarded(kind, Rule { algorithm: step.algorithm, ..place }));
            rules.extend(own_within(own, kind, &place));
        }
    }
    rules
}

/// Whether MPICH's file has words for the rule.
fn can_say(kind: Kind, rule: &Rule) -> bool {
    name(kind, rule.algorithm).is_some()
        && rule.block_bytes == Range::ALL
        && rule.nodes == Range::ALL
}

/// The rule, for the calls MPICH runs its algorithm for.
fn guarded(kind: Kind, rule: Rule) -> Option<Rule> {
    let a = rule.algorithm;
    let any = Rule::always(a);
    rule.and(&Rule {
        commutative: (!a.keeps_order(kind)).then_some(true),
        builtin: a.wants_spread().then_some(true),
        too_few_elements: a.wants_spread().then_some(false),
        power_of_two: a.wants_power_of_two(kind).then_some(true),
        several_a_node: a.is_node_aware().then_some(true),
        ..any
    })
}

/// A whole file with these rules for `kind`, and MPICH's for the rest.
pub(super) fn write(kind: Kind, rules: &[Rule]) -> String {
    let mut file = generic();
    let key = format!("collective={}", kind.name());
    let at = file.0.iter().position(|(k, _)| *k == key).expect("MPICH has rules for all kinds");
    let intra = |tree: &Tree| tree.find("comm_type=intra").cloned().unwrap_or_default();
    let whole = Rule::always(kind.algorithms()[0]);
    let tree = |place| branch(kind, rules, place);
    let ours = match kind {
        Kind::Alltoall | Kind::Alltoallv => {
            let own = intra(&file.0[at].1);
            let key = "is_sendbuf_inplace=yes";
            let in_place = own.find(key).expect("MPICH's rules tell the two apart").clone();
            let not = ("is_sendbuf_inplace=no".to_string(), tree(whole));
            Tree(vec![(key.to_string(), in_place), not])
        }
        // Ours for operators that do not commute is not MPICH's.
        Kind::ReduceScatter | Kind::ReduceScatterBlock => {
            let own = intra(&file.0[at].1);
            let key = "is_commutative=no";
            let ordered = own.find(key).expect("MPICH's rules tell the two apart").clone();
            let commutes = tree(Rule { commutative: Some(true), ..whole });
            Tree(vec![("is_commutative=yes".to_string(), commutes), (key.to_string(), ordered)])
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
    // MPICH maps the file into memory and reads up to the zeros behind it, of which there are none
    // if it fills its last page.
    if text.len().is_multiple_of(4096) {
        text.push('\n');
    }
    text
}

/// The subtree for `rules` where `place` holds.
fn branch(kind: Kind, rules: &[Rule], place: Rule) -> Tree {
    let mut met = rules.iter().filter_map(|rule| {
        // A rule whose algorithm breaks the order is for operators that commute.
        guard_order(kind, *rule).and(&place)
    });
    let Some(first) = met.next() else { return leaf(kind, kind.algorithms()[0]) };
    let Some(split) = Split::of(kind, &first, &place) else { return leaf(kind, first.algorithm) };
    let yes = branch(kind, rules, split.yes);
    let no = branch(kind, rules, split.no);
    if yes == no {
        return yes;
    }
    let mut tree = Tree::one(split.key, yes);
    // Cases of the same question stand side by side.
    let asks_the_same = no.0.iter().all(|(key, _)| key.starts_with(split.family));
    match asks_the_same && split.otherwise == format!("{}=any", split.family) {
        true => tree.0.extend(no.0),
        false => tree.0.push((split.otherwise, no)),
    }
    tree
}

fn guard_order(kind: Kind, mut rule: Rule) -> Rule {
    if !rule.algorithm.keeps_order(kind) {
        rule.commutative = Some(true);
    }
    rule
}

fn leaf(kind: Kind, algorithm: Algorithm) -> Tree {
    let name = name(kind, algorithm).expect("only MPICH's own algorithms are written for it");
    // The receives of both phases are posted at once, as is MPICH's default, and sends of trees
    // do not wait for each other.
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
    let parameters = Tree(words.into_iter().map(|word| (word, Tree::default())).collect());
    Tree::one(format!("algorithm={name}"), parameters)
}

/// A condition that tells a rule's place within a larger one from the rest of that.
struct Split {
    /// `comm_size` of `comm_size<8`.
    family: &'static str,
    key: String,
    otherwise: String,
    yes: Rule,
    no: Rule,
}

impl Split {
    /// The first condition by which `rule` differs from `place`.
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
            .or_else(|| Split::by_range(counted, rule.bytes, place, |r| &mut r.bytes))
            .or_else(|| Split::by_range(total, rule.total_bytes, place, |r| &mut r.total_bytes))
    }

    fn by_range(
        family: &'static str,
        wanted: Range,
        place: &Rule,
        of: impl Fn(&mut Rule) -> &mut Range,
    ) -> Option<Split> {
        let (mut yes, mut no) = (*place, *place);
        let here = *of(&mut yes);
        let (key, end) = if wanted.min > here.min && wanted.min <= MOST {
            (format!("{family}<{}", wanted.min), wanted.min - 1)
        } else if wanted.max < here.max && wanted.max <= MOST {
            (format!("{family}<={}", wanted.max), wanted.max)
        } else {
            return None;
        };
        *of(&mut yes) = Range { min: here.min, max: end };
        *of(&mut no) = Range { min: end + 1, max: here.max };
        Some(Split { family, key, otherwise: format!("{family}=any"), yes, no })
    }

    fn by_truth(
        family: &'static str,
        (key, otherwise): (&str, &str),
        wanted: Option<bool>,
        place: &Rule,
        of: impl Fn(&mut Rule) -> &mut Option<bool>,
    ) -> Option<Split> {
        let (mut yes, mut no) = (*place, *place);
        if wanted.is_none() || of(&mut yes).is_some() {
            return None;
        }
        (*of(&mut yes), *of(&mut no)) = (Some(true), Some(false));
        Some(Split { family, key: key.to_string(), otherwise: otherwise.to_string(), yes, no })
    }
}

/// What a key asks.
enum Condition {
    When(Rule),
    /// The same for all calls this model makes.
    Always(bool),
    Any,
}

pub(super) fn read(text: &str, own: &Selection) -> Result<Reading, Vec<String>> {
    let file: Tree = serde_json::from_str(text).map_err(|e| vec![e.to_string()])?;
    let reading = Reading { after_compositions: true, ..Reading::default() };
    let mut reader = Reader { own, reading, complaints: Vec::new() };
    let others: Vec<(String, Tree)> = generic().0;
    for (key, tree) in &file.0 {
        let named = key.strip_prefix("collective=");
        match named.map(Kind::named) {
            Some(Some(kind)) => {
                let mut rules = Vec::new();
                let any = Rule::always(kind.algorithms()[0]);
                reader.walk(kind, tree, any, key, &mut rules);
                reader.reading.rules.push((kind, rules));
            }
            // Those this model makes of plain messages.
            Some(None) if others.iter().any(|(k, _)| k == key) => {}
            _ => {
                let hint = did_you_mean(key, others.iter().map(|(k, _)| k.as_str()));
                reader.complaints.push(format!(
                    "{key}: expected a collective, such as `collective=allgather`{hint}"
                ));
            }
        }
    }
    if reader.complaints.is_empty() { Ok(reader.reading) } else { Err(reader.complaints) }
}

struct Reader<'a> {
    own: &'a Selection,
    reading: Reading,
    complaints: Vec<String>,
}

impl Reader<'_> {
    /// Adds the rules of a subtree where `place` holds.
    fn walk(&mut self, kind: Kind, tree: &Tree, place: Rule, at: &str, rules: &mut Vec<Rule>) {
        let mut is_whole = false;
        let before = self.complaints.len();
        for (key, below) in &tree.0 {
            let at = format!("{at}/{key}");
            if let Some(name) = key.strip_prefix("algorithm=") {
                return self.leaf(kind, name, below, place, &at, rules);
            }
            match condition(kind, key) {
                Ok(Condition::When(when)) => {
                    // `yes` and `no` between them are all there is.
                    let twin = match key.rsplit_once('=') {
                        Some((asked, "yes")) => Some(format!("{asked}=no")),
                        Some((asked, "no")) => Some(format!("{asked}=yes")),
                        _ => None,
                    };
                    is_whole |= twin.is_some_and(|twin| tree.find(&twin).is_some());
                    if let Some(place) = place.and(&when) {
                        self.walk(kind, below, place, &at, rules);
                    }
                }
                Ok(Condition::Always(true)) => return self.walk(kind, below, place, &at, rules),
                Ok(Condition::Always(false)) => {}
                Ok(Condition::Any) => return self.walk(kind, below, place, &at, rules),
                Err(wanted) => self.complaints.push(format!("{at}: expected {wanted}")),
            }
        }
        if !is_whole && self.complaints.len() == before {
            self.complaints.push(format!(
                "{at}: expected a last case for all others, such as `comm_size=any`: MPICH ends \
                 programs it finds no algorithm for"
            ));
        }
    }

    fn leaf(
        &mut self,
        kind: Kind,
        full: &str,
        parameters: &Tree,
        place: Rule,
        at: &str,
        rules: &mut Vec<Rule>,
    ) {
        let prefix = prefix(kind);
        let short = full.strip_prefix(&prefix).or(match full.strip_prefix("MPIR_") {
            // Algorithms made of the nonblocking collective are called so for all communicators.
            Some(rest) if rest.ends_with("_allcomm_nb") => Some("nb"),
            _ => None,
        });
        let found = short.and_then(|short| Algorithm::named(kind, short));
        let mut found = found.filter(|&a| name(kind, a).is_some());
        let word = |key: &str| parameters.0.iter().find_map(|(k, _)| k.strip_prefix(key));
        let number = |key: &str| word(key).map(|v| v.parse::<u32>().unwrap_or(0));
        let shape = word("tree_type=").map(Shape::named);
        if shape == Some(None) {
            self.reading.note(kind, format!("{full}: this `tree_type` is not modeled"));
            found = None;
        }
        if let Some(algorithm) = found {
            let has_radix = !algorithm.is_node_aware();
            let is_tree = matches!(algorithm, Algorithm::Tree { .. });
            let given = Parameters {
                k: number("k=").filter(|_| has_radix),
                shape: shape.flatten().filter(|_| is_tree),
                chunk: number("chunk_size=").filter(|_| is_tree),
                throttle: None,
            };
            match given.given_to(algorithm) {
                Ok(algorithm) => rules.push(Rule { algorithm, ..place }),
                Err(words) => self.complaints.push(format!("{at}: {words}")),
            }
            return;
        }
        if shape == Some(None) {
            return rules.extend(own_within(self.own, kind, &place));
        }
        if short.is_some_and(|short| kind.known_elsewhere().contains(&short)) {
            let words = format!("{full} is not modeled: the library's own rules stand in");
            self.reading.note(kind, words);
            return rules.extend(own_within(self.own, kind, &place));
        }
        let known = kind.algorithms().iter().filter_map(|&a| name(kind, a));
        let known: Vec<String> = known.collect();
        let hint = did_you_mean(full, known.iter().map(String::as_str));
        self.complaints.push(format!("{at}: expected one of {}{hint}", known.join(", ")));
    }
}

/// What a key asks of a call of `kind`; `Err` is what was expected.
fn condition(kind: Kind, key: &str) -> Result<Condition, String> {
    use Condition::{Always, Any, When};
    let any = Rule::always(kind.algorithms()[0]);
    let up_to = |text: &str| text.parse::<u64>().map(|max| Range { min: 0, max });
    let range = |rest: &str| {
        let read = match rest.strip_prefix("<=") {
            Some(n) => up_to(n).ok(),
            None => rest.strip_prefix('<').and_then(|n| match n.parse::<u64>() {
                // Nothing is below zero.
                Ok(n) => Some(Range { min: u64::from(n == 0), max: n.saturating_sub(1) }),
                Err(_) => None,
            }),
        };
        read.ok_or_else(|| "a number after `<` or `<=`".to_string())
    };
    let sized = matches!(kind, Kind::Bcast | Kind::Reduce | Kind::Allreduce | Kind::Alltoall);
    Ok(match key {
        "any" => Any,
        _ if key.ends_with("=any") => Any,
        "comm_hierarchy=parent" => When(Rule { several_a_node: Some(true), ..any }),
        // A rank a node, or one of each for the others.
        "comm_hierarchy=node_roots" | "comm_hierarchy=flat" => {
            When(Rule { several_a_node: Some(false), ..any })
        }
        "comm_type=intra" | "is_node_consecutive=yes" => Always(true),
        "is_sendbuf_inplace=no" | "is_block_regular=yes" | "is_multi_threaded=no" => Always(true),
        "comm_type=inter" | "is_node_consecutive=no" | "comm_size=node_comm_size" => Always(false),
        // Within a node nothing is asked: see collectives' `nodes`.
        "comm_hierarchy=node" => Always(false),
        "is_sendbuf_inplace=yes" | "is_block_regular=no" | "is_multi_threaded=yes" => Always(false),
        "comm_size=pow2" => When(Rule { power_of_two: Some(true), ..any }),
        "count<pow2" => When(Rule { too_few_elements: Some(true), ..any }),
        "is_commutative=yes" => When(Rule { commutative: Some(true), ..any }),
        "is_commutative=no" => When(Rule { commutative: Some(false), ..any }),
        "is_op_built_in=yes" => When(Rule { builtin: Some(true), ..any }),
        "is_op_built_in=no" => When(Rule { builtin: Some(false), ..any }),
        _ => {
            if let Some(rest) = key.strip_prefix("comm_size") {
                When(Rule { size: range(rest)?, ..any })
            } else if let Some(rest) = key.strip_prefix("avg_msg_size") {
                if !sized {
                    return Err(format!(
                        "`total_msg_size`: for {} MPICH has no `avg_msg_size` and ends the program",
                        kind.name()
                    ));
                }
                When(Rule { bytes: range(rest)?, ..any })
            } else if let Some(rest) = key.strip_prefix("total_msg_size") {
                match kind {
                    _ if kind.counts_all_blocks() => When(Rule { bytes: range(rest)?, ..any }),
                    _ if sized => When(Rule { total_bytes: range(rest)?, ..any }),
                    _ => return Err(format!("no sizes for {}: not modeled", kind.name())),
                }
            } else if key.starts_with("composition=") {
                return Err("an algorithm: a file of compositions is MPICH's device's".into());
            } else if key.starts_with("comm_avg_ppn") || key.starts_with("count") {
                return Err("another condition: this one is not modeled".into());
            } else {
                return Err("a condition of MPICH's, such as `comm_size<8`".into());
            }
        }
    })
}
