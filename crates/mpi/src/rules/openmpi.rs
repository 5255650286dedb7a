//! Open MPI's file of dynamic rules, named by `coll_tuned_dynamic_rules_filename` together with
//! `coll_tuned_use_dynamic_rules`.
//!
//! The file is a sequence of numbers, with comments after `#`:
//!
//! 1. The number of collectives; for each, its id and its number of communicator sizes.
//! 2. For each communicator size, the size and its number of message sizes.
//! 3. For each message size: the size, the algorithm's number, a fan-out, a segment size.
//!
//! A rule holds from its size up to the next one; the first communicator's rule also below.
//! Algorithm 0 is Open MPI's own choice.
//!
//! Source: Open MPI's documentation, "Tuning Collectives" (5.0), and
//! `ompi/mca/coll/tuned/coll_tuned_dynamic_file.c` of the 4 and 5 series. Format version 2 (5.0.7)
//! adds a number per rule. `openmpi_json` reads version 3, which is not written. `forced` reads the
//! variables that force an algorithm.

use std::fmt::Write;

use collectives::{Algorithm, Case, Kind, Range, Rule, Selection, TreeShape};

use super::{Choice, ParsedFile, by_ranks, changes, own_rules_within};
use crate::library::did_you_mean;

/// All partners in one round: Open MPI's `linear` and, by default, `linear_sync`.
const ALL_AT_ONCE: Algorithm = Algorithm::Scattered { throttle: u16::MAX };

/// Open MPI's `linear` trees: from or to all ranks in one round.
const LINEAR: Algorithm = Algorithm::Tree { shape: TreeShape::Kary, k: 1_000_000, chunk: 0 };
/// [OMPI] coll_tuned_bcast_knomial_radix.
const KNOMIAL_RADIX: u32 = 4;

/// Ids of collectives. [Open MPI, "Tuning Collectives"]
const COLLECTIVES: [(u32, Kind); 15] = [
    (0, Kind::Allgather),
    (1, Kind::Allgatherv),
    (2, Kind::Allreduce),
    (3, Kind::Alltoall),
    (4, Kind::Alltoallv),
    (6, Kind::Barrier),
    (7, Kind::Bcast),
    (8, Kind::Exscan),
    (9, Kind::Gather),
    (10, Kind::Gatherv),
    (11, Kind::Reduce),
    (12, Kind::ReduceScatter),
    (13, Kind::ReduceScatterBlock),
    (14, Kind::Scan),
    (15, Kind::Scatter),
];
/// The number of collectives that Open MPI numbers.
const MOST_COLLECTIVES: u64 = 22;

/// Collectives that Open MPI numbers and this model makes of point-to-point messages.
const OTHERS: [&str; 7] = [
    "alltoallw",
    "scatterv",
    "neighbor_allgather",
    "neighbor_allgatherv",
    "neighbor_alltoall",
    "neighbor_alltoallv",
    "neighbor_alltoallw",
];

/// The names of all collectives, including the second names in its schema.
pub(super) fn collectives() -> impl Iterator<Item = &'static str> {
    let ours = COLLECTIVES.iter().map(|(_, kind)| kind.name());
    ours.chain(OTHERS).chain(["reducescatter", "reducescatterblock"])
}

/// The collective of that name: `None` if the name is unknown, `Some(None)` if the collective has
/// no rules.
pub(super) fn collective(name: &str) -> Option<Option<Kind>> {
    let name = match name {
        "reducescatter" => "reduce_scatter",
        "reducescatterblock" => "reduce_scatter_block",
        _ => name,
    };
    let known = COLLECTIVES.iter().find(|(_, kind)| kind.name() == name);
    match known {
        Some(&(_, kind)) => Some(Some(kind)),
        None => OTHERS.contains(&name).then_some(None),
    }
}

/// The names of a collective's algorithms by number; 0 is Open MPI's own choice. [Open MPI, "The
/// tuned Component"]
fn names(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Allgather => &[
            "ignore",
            "linear",
            "bruck-k-fanout",
            "recursive_doubling",
            "ring",
            "neighbor",
            "two_proc",
            "sparbit",
            "direct-messaging",
        ],
        Kind::Allgatherv => {
            &["ignore", "default", "bruck", "ring", "neighbor", "two_proc", "sparbit"]
        }
        Kind::Allreduce => &[
            "ignore",
            "basic_linear",
            "nonoverlapping",
            "recursive_doubling",
            "ring",
            "segmented_ring",
            "rabenseifner",
            "allgather_reduce",
        ],
        Kind::Alltoall => {
            &["ignore", "linear", "pairwise", "modified_bruck", "linear_sync", "two_proc"]
        }
        Kind::Alltoallv => &["ignore", "basic_linear", "pairwise"],
        Kind::Barrier => {
            &["ignore", "linear", "double_ring", "recursive_doubling", "bruck", "two_proc", "tree"]
        }
        Kind::Bcast => &[
            "ignore",
            "basic_linear",
            "chain",
            "pipeline",
            "split_binary_tree",
            "binary_tree",
            "binomial",
            "knomial",
            "scatter_allgather",
            "scatter_allgather_ring",
        ],
        Kind::Gather => &["ignore", "basic_linear", "binomial", "linear_sync"],
        Kind::Reduce => &[
            "ignore",
            "linear",
            "chain",
            "pipeline",
            "binary",
            "binomial",
            "in-order_binary",
            "rabenseifner",
            "knomial",
        ],
        Kind::ReduceScatter => {
            &["ignore", "non-overlapping", "recursive_halving", "ring", "butterfly"]
        }
        Kind::ReduceScatterBlock => {
            &["ignore", "basic_linear", "recursive_doubling", "recursive_halving", "butterfly"]
        }
        Kind::Scan | Kind::Exscan => &["ignore", "linear", "recursive_doubling"],
        Kind::Scatter => &["ignore", "basic_linear", "binomial", "linear_nb"],
        Kind::Gatherv | Kind::Scatterv => &["ignore", "default"],
    }
}

/// The number of an algorithm, from its number or name; `Err` states what was expected.
pub(super) fn algorithm(kind: Kind, word: &str) -> Result<u32, String> {
    let names = names(kind);
    // The 5 series' name for Bruck's.
    let word = if kind == Kind::Allgather && word == "bruck" { names[2] } else { word };
    let by_name = names.iter().position(|&name| name == word).map(|at| at as u32);
    let by_number = word.parse::<u32>().ok().filter(|&n| (n as usize) < names.len());
    by_name.or(by_number).ok_or_else(|| {
        let hint = did_you_mean(word, names.iter().copied());
        format!("a number from 0 to {} or one of {}{hint}", names.len() - 1, names.join(", "))
    })
}

/// The condition for calls of such message sizes.
pub(super) fn size_condition(kind: Kind, bytes: Range) -> Rule {
    let any = Rule::always(kind.algorithms()[0]);
    match counts_total(kind) {
        true => Rule { total_bytes: bytes, ..any },
        false => Rule { bytes, ..any },
    }
}

/// Adds the rules of a message rule, restricted to `place`, and the library's own rules for all
/// other calls there.
pub(super) fn add_rules(
    kind: Kind,
    step: &MessageRule,
    place: &Rule,
    own: &Selection,
    rules: &mut Vec<Rule>,
    reading: &mut ParsedFile,
) {
    let modeled = model_rules(kind, step);
    rules.extend(modeled.iter().filter_map(|rule| rule.and(place)));
    for words in unmodeled(kind, step, &modeled) {
        reading.note(kind, words);
    }
    rules.extend(own_rules_within(own, kind, place));
}

/// Notes on what a message rule contains and is not modeled.
pub(super) fn unmodeled(kind: Kind, step: &MessageRule, modeled: &[Rule]) -> Vec<String> {
    let number = step.algorithm;
    let name = names(kind).get(number as usize).map_or(String::new(), |n| format!(" ({n})"));
    if number > 0 && modeled.is_empty() {
        let words = "the library's own rules are used";
        return vec![format!("algorithm {number} is not modeled{name}: {words}")];
    }
    let has_segments = modeled.iter().any(|rule| details(rule.algorithm).1 > 0);
    let drops = step.segment > 0 && !modeled.is_empty() && !has_segments;
    let words = || format!("segments of algorithm {number} are not modeled{name}");
    drops.then(words).into_iter().collect()
}

/// Open MPI's number of an algorithm for the kind. [Open MPI, "Tuning Collectives"]
pub(super) fn number(kind: Kind, algorithm: Algorithm) -> Option<u32> {
    use Algorithm as A;
    use Kind as K;
    Some(match (kind, algorithm) {
        (K::Allgather | K::Allgatherv, A::Bruck) => 2,
        (K::Allgather, A::RecursiveDoubling) => 3,
        (K::Allgather, A::Ring) => 4,
        (K::Allgather, A::Neighbor) => 5,
        (K::Allgatherv, A::Ring) => 3,
        (K::Allgatherv, A::Neighbor) => 4,
        (K::Allreduce, A::ReduceBcast) => 2,
        (K::Allreduce, A::RecursiveDoubling) => 3,
        (K::Allreduce, A::Ring) => 4,
        (K::Allreduce, A::Rabenseifner) => 6,
        (K::Alltoall | K::Alltoallv, ALL_AT_ONCE) => 1,
        (K::Alltoall | K::Alltoallv, A::Pairwise) => 2,
        (K::Alltoall, A::Bruck) => 3,
        (K::Barrier, A::Dissemination { k: 2 }) => 4,
        (K::Bcast | K::Reduce, LINEAR) => 1,
        (K::Bcast | K::Reduce, A::Tree { shape: TreeShape::Chain, k, .. }) => 2 + u32::from(k == 1),
        (K::Bcast, A::SplitBinary { .. }) => 4,
        (K::Bcast, A::Tree { shape: TreeShape::Levels, k: 2, .. }) => 5,
        (K::Bcast, A::Binomial | A::Tree { shape: TreeShape::Knomial2, k: 2, .. }) => 6,
        (K::Bcast, A::Tree { shape: TreeShape::Knomial2, k: KNOMIAL_RADIX, .. }) => 7,
        (K::Bcast, A::ScatterRecursiveDoubling) => 8,
        (K::Bcast, A::ScatterRing) => 9,
        (K::Gather | K::Scatter, A::Linear) => 1,
        (K::Gather | K::Scatter, A::Binomial) => 2,
        (K::Reduce, A::Tree { shape: TreeShape::Levels, k: 2, .. }) => 4,
        (K::Reduce, A::Binomial) => 5,
        (K::Reduce, A::ReduceScatterGather) => 7,
        (K::ReduceScatter, A::RecursiveHalving) => 2,
        (K::ReduceScatter, A::Ring) => 3,
        (K::ReduceScatterBlock, A::RecursiveHalving) => 3,
        (K::Scan | K::Exscan, A::RecursiveDoubling) => 2,
        _ => return None,
    })
}

/// Whether Open MPI runs this algorithm for such a call, and not another in its place.
pub(super) fn offers(algorithm: Algorithm, case: &Case) -> bool {
    // `coll_base_allreduce.c`: with fewer elements than ranks a ring is recursive doubling.
    let ring = case.kind == Kind::Allreduce && algorithm == Algorithm::Ring;
    number(case.kind, algorithm).is_some() && !(ring && case.elements < u64::from(case.size))
}

/// Fan-out and segment size of algorithms that have them; both 0 if Open MPI chooses.
fn details(algorithm: Algorithm) -> (u32, u32) {
    match algorithm {
        LINEAR => (0, 0),
        Algorithm::Tree { k, chunk, .. } => (k, chunk),
        Algorithm::SplitBinary { chunk } => (0, chunk),
        _ => (0, 0),
    }
}

/// The rules equivalent to an algorithm number, first match first; empty if it is not modeled.
/// `requests` limits the messages of `linear_sync` in flight; 0 is no limit.
pub(super) fn model_rules(kind: Kind, step: &MessageRule) -> Vec<Rule> {
    use Algorithm as A;
    let MessageRule { algorithm: number, fan_out, segment, requests, radix, .. } = *step;
    let radix = if radix == 0 { KNOMIAL_RADIX } else { radix };
    let always = |algorithm| vec![Rule::always(algorithm)];
    let tree = |shape, k| always(A::Tree { shape, k, chunk: segment });
    // The default fan-out of a chain is 4. [OMPI] coll_tuned_component.c
    let chains = if fan_out == 0 { 4 } else { fan_out };
    match (kind, number) {
        (Kind::Bcast | Kind::Reduce, 1) => always(LINEAR),
        (Kind::Bcast | Kind::Reduce, 2) => tree(TreeShape::Chain, chains),
        (Kind::Bcast | Kind::Reduce, 3) => tree(TreeShape::Chain, 1),
        (Kind::Bcast, 4) => always(A::SplitBinary { chunk: segment }),
        (Kind::Bcast, 5) | (Kind::Reduce, 4) => tree(TreeShape::Levels, 2),
        (Kind::Bcast, 6) if segment > 0 => tree(TreeShape::Knomial2, 2),
        (Kind::Bcast, 7) => tree(TreeShape::Knomial2, radix),
        // `coll_base_allgather.c`: for other sizes it is Bruck's.
        (Kind::Allgather, 3) => {
            let doubling = Rule { power_of_two: Some(true), ..Rule::always(A::RecursiveDoubling) };
            vec![doubling, Rule::always(A::Bruck)]
        }
        // Two ranks exchange their blocks, under any name.
        (Kind::Allgather, 6) | (Kind::Allgatherv, 5) => always(A::Ring),
        (Kind::Alltoall, 5) => always(A::Pairwise),
        (Kind::Barrier, 3 | 5) => always(A::Dissemination { k: 2 }),
        // Number 5 has segments as long as the pieces unless a segment size is given.
        (Kind::Allreduce, 4 | 5) => {
            let few = Rule { too_few_elements: Some(true), ..Rule::always(A::RecursiveDoubling) };
            vec![few, Rule::always(A::Ring), Rule::always(A::RecursiveDoubling)]
        }
        (Kind::Alltoall, 4) => match u16::try_from(requests) {
            Ok(throttle @ 1..) => always(A::Scattered { throttle }),
            _ => always(ALL_AT_ONCE),
        },
        (Kind::Scatter, 3) => always(A::Linear),
        _ => {
            let known = kind.algorithms().iter().copied().chain([ALL_AT_ONCE]);
            let mut found =
                known.filter(|&a| a.implements(kind) && self::number(kind, a) == Some(number));
            found.next().map(Rule::always).into_iter().collect()
        }
    }
}

/// Whether message sizes are sums over all blocks where `Case` counts one.
fn counts_total(kind: Kind) -> bool {
    matches!(kind, Kind::Alltoall | Kind::Gather | Kind::Scatter)
}

pub(super) fn write(kind: Kind, choices: &[Choice]) -> String {
    let id = COLLECTIVES.iter().find(|(_, k)| *k == kind).map_or(0, |&(id, _)| id);
    let groups: Vec<&[Choice]> = by_ranks(choices).collect();
    let mut text = String::new();
    let out = &mut text;
    let mut line = |number: String, words: String| {
        writeln!(out, "{number:24}# {words}").expect("memory takes what is written");
    };
    line("1".into(), "collective".into());
    line(id.to_string(), kind.name().into());
    line((1 + groups.len()).to_string(), "sizes of communicators".into());
    line("0".into(), "ranks, and more: Open MPI's own rules".into());
    line("1".into(), "size of messages".into());
    line("0 0 0 0".into(), "from bytes, algorithm, fan-out, segment".into());
    for group in groups {
        let ranks = group[0].ranks;
        let steps = changes(group);
        line(ranks.to_string(), "ranks, and more".into());
        line(steps.len().to_string(), "sizes of messages".into());
        for (i, step) in steps.iter().enumerate() {
            let scale = if counts_total(kind) { u64::from(ranks) } else { 1 };
            let bytes = if i == 0 { 0 } else { step.bytes.saturating_mul(scale) };
            let algorithm = number(kind, step.algorithm).expect("only its own are written for it");
            let (fan_out, segment) = details(step.algorithm);
            line(format!("{bytes} {algorithm} {fan_out} {segment}"), step.algorithm.label());
        }
    }
    text
}

/// A number and its line.
type NumberAt = (u64, usize);

struct Numbers {
    rest: std::vec::IntoIter<NumberAt>,
    line: usize,
}

impl Numbers {
    fn of(text: &str) -> Result<(u64, Numbers), Vec<String>> {
        let mut version = 1;
        let (mut words, mut wrong) = (Vec::new(), Vec::new());
        for (i, line) in text.lines().enumerate() {
            for word in line.split('#').next().unwrap_or("").split_whitespace() {
                let first = words.is_empty() && wrong.is_empty();
                match (word.parse::<u64>(), word.strip_prefix("rule-file-version-")) {
                    (Ok(number), _) => words.push((number, i + 1)),
                    (_, Some(v)) if first && v.parse::<u32>().is_ok_and(|v| v > 0) => {
                        version = v.parse().unwrap_or(1);
                    }
                    _ => {
                        let found = beginning(word);
                        wrong.push(format!("line {}: found `{found}`, expected a number", i + 1));
                    }
                }
            }
        }
        match wrong.is_empty() {
            true => Ok((version, Numbers { rest: words.into_iter(), line: 1 })),
            false => Err(wrong),
        }
    }
    fn next(&mut self, what: &str) -> Result<u64, Vec<String>> {
        match self.rest.next() {
            Some((number, line)) => {
                self.line = line;
                Ok(number)
            }
            None => Err(vec![format!("line {}: expected {what}, found the end", self.line)]),
        }
    }
    /// The next number, if it is on the line of the last one.
    fn next_on_line(&mut self) -> Option<u64> {
        match self.rest.as_slice().first() {
            Some(&(_, line)) if line == self.line => self.rest.next().map(|(number, _)| number),
            _ => None,
        }
    }
    fn wrong<T>(&self, what: impl std::fmt::Display) -> Result<T, Vec<String>> {
        Err(vec![format!("line {}: {what}", self.line)])
    }
}

/// Open MPI drops a file with any error, so only the first error is reported.
pub(super) fn read(text: &str, own: &Selection) -> Result<ParsedFile, Vec<String>> {
    let (version, mut words) = Numbers::of(text)?;
    let mut reading = ParsedFile::default();
    let collectives = words.next("how many collectives have rules")?;
    for _ in 0..collectives {
        let id = words.next("the number of a collective")?;
        if id >= MOST_COLLECTIVES {
            return words.wrong(format!("found collective {id}, expected a number below 22"));
        }
        let kind = COLLECTIVES.iter().find(|(n, _)| u64::from(*n) == id).map(|&(_, kind)| kind);
        let sizes = communicators(&mut words, version)?;
        // Others are made of point-to-point messages here: there is no choice.
        if let Some(kind) = kind {
            let rules = rules_of(kind, &sizes, own, &mut reading);
            reading.rules.push((kind, rules));
        }
    }
    match words.rest.next() {
        Some((number, line)) => {
            Err(vec![format!("line {line}: found `{number}`, expected the end")])
        }
        None => Ok(reading),
    }
}

/// The beginning of a word, for error messages: a file of another kind may be one long word.
pub(super) fn beginning(word: &str) -> String {
    const SHOWN: usize = 40;
    match word.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &word[..end]),
        None => word.into(),
    }
}

/// From `bytes` on: an algorithm's number, its fan-out, segment size and requests, and the radix of
/// a k-nomial tree. 0 is Open MPI's default.
#[derive(Default)]
pub(super) struct MessageRule {
    pub bytes: u64,
    pub algorithm: u32,
    pub fan_out: u32,
    pub segment: u32,
    pub requests: u64,
    pub radix: u32,
}

fn communicators(
    words: &mut Numbers,
    version: u64,
) -> Result<Vec<(u64, Vec<MessageRule>)>, Vec<String>> {
    let mut sizes: Vec<(u64, Vec<MessageRule>)> = Vec::new();
    for _ in 0..words.next("how many sizes of communicators")? {
        let ranks = words.next("the size of a communicator")?;
        if sizes.last().is_some_and(|(before, _)| *before >= ranks) {
            return words.wrong(format!("found {ranks} ranks, expected more than before"));
        }
        let mut steps: Vec<MessageRule> = Vec::new();
        for _ in 0..words.next("how many sizes of messages")? {
            let bytes = words.next("the size of a message")?;
            match steps.last() {
                None if bytes > 0 => {
                    return words.wrong(format!("found {bytes} B, expected a rule for 0 B first"));
                }
                Some(last) if last.bytes >= bytes => {
                    return words.wrong(format!("found {bytes} B, expected more than before"));
                }
                _ => {}
            }
            let algorithm = words.next("the number of an algorithm")?;
            let narrow = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
            let fan_out = narrow(words.next("a fan-out")?);
            let segment = narrow(words.next("a segment size")?);
            let requests = if version > 1 { words.next_on_line() } else { None }.unwrap_or(0);
            let algorithm = narrow(algorithm);
            steps.push(MessageRule { bytes, algorithm, fan_out, segment, requests, radix: 0 });
        }
        sizes.push((ranks, steps));
    }
    Ok(sizes)
}

fn rules_of(
    kind: Kind,
    sizes: &[(u64, Vec<MessageRule>)],
    own: &Selection,
    reading: &mut ParsedFile,
) -> Vec<Rule> {
    let any = Rule::always(kind.algorithms()[0]);
    let mut rules = Vec::new();
    for (i, (ranks, steps)) in sizes.iter().enumerate() {
        let min = if i == 0 { 0 } else { *ranks };
        let size = Range { min, max: sizes.get(i + 1).map_or(u64::MAX, |(next, _)| next - 1) };
        for (j, step) in steps.iter().enumerate() {
            let max = steps.get(j + 1).map_or(u64::MAX, |next| next.bytes - 1);
            let bytes = Range { min: step.bytes, max };
            let place = Rule { size, ..size_condition(kind, bytes) };
            add_rules(kind, step, &place, own, &mut rules, reading);
        }
        if steps.is_empty() {
            rules.extend(own_rules_within(own, kind, &Rule { size, ..any }));
        }
    }
    if sizes.is_empty() {
        return own.rules(kind).to_vec();
    }
    rules
}
