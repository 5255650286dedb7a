//! Reads MPICH's three tuning files: the generic selection, the compositions of its device layer,
//! and the device layer's intra-node algorithms.
//!
//! All are trees of conditions (`conditions`). In the generic file a call without an answer ends
//! the program, so its trees must be complete. In the device layer's files such a call goes to the
//! generic selection. Source: [MPICH] `csel.c`, `csel_container.c`, `ch4_csel_container.c`,
//! `ch4_coll.h`, `posix_csel_container.c`.

use collectives::{Algorithm, Composition, Kind, Parameters, Range, Rule, Selection, TreeShape};

use super::conditions::{Condition, condition, is_of_communicators};
use super::mpich::{ConditionTree, generic, name, prefix};
use super::{Format, ParsedFile, own_rules_within};
use crate::library::did_you_mean;

/// Collectives for which the device layer has compositions of stages.
const COMPOSED: [Kind; 4] = [Kind::Barrier, Kind::Bcast, Kind::Reduce, Kind::Allreduce];

/// Prefix of intra-node algorithms.
const POSIX: &str = "MPIDI_POSIX_mpi_";

pub(super) fn read(
    text: &str,
    format: Option<Format>,
    own: &Selection,
) -> Result<ParsedFile, Vec<String>> {
    let file: ConditionTree = serde_json::from_str(text).map_err(|e| vec![e.to_string()])?;
    let format = format.unwrap_or_else(|| recognized(&file));
    let after_compositions = format == Format::Generic;
    let reading = ParsedFile { after_compositions, ..ParsedFile::default() };
    let others = generic();
    let mut reader = Reader { format, own, others: &others, reading, errors: Vec::new() };
    reader.collectives(&file, Rule::always(Algorithm::Linear), "");
    if format == Format::Compositions {
        reader.flatten_others();
    }
    if reader.errors.is_empty() { Ok(reader.reading) } else { Err(reader.errors) }
}

/// Which of the three files this is, by the names in its leaves.
fn recognized(file: &ConditionTree) -> Format {
    fn leaves<'a>(tree: &'a ConditionTree, found: &mut Vec<&'a str>) {
        for (key, below) in &tree.0 {
            match key.starts_with("algorithm=") || key.starts_with("composition=") {
                true => found.push(key),
                false => leaves(below, found),
            }
        }
    }
    let mut found = Vec::new();
    leaves(file, &mut found);
    let is_posix =
        |key: &&str| key.strip_prefix("algorithm=").is_some_and(|a| a.starts_with(POSIX));
    if found.iter().any(is_posix) {
        Format::Posix
    } else if !found.is_empty() && found.iter().all(|key| key.starts_with("composition=")) {
        Format::Compositions
    } else {
        Format::Generic
    }
}

struct Reader<'a> {
    format: Format,
    own: &'a Selection,
    /// MPICH's own file, for the names of all collectives.
    others: &'a ConditionTree,
    reading: ParsedFile,
    errors: Vec<String>,
}

impl Reader<'_> {
    /// The level of the collectives, below conditions about the communicator.
    fn collectives(&mut self, tree: &ConditionTree, place: Rule, at: &str) {
        for (key, below) in &tree.0 {
            let path = if at.is_empty() { key.clone() } else { format!("{at}/{key}") };
            if let Some(collective) = key.strip_prefix("collective=") {
                self.collective(collective, below, place, &path);
                continue;
            }
            match is_of_communicators(key).then(|| condition(Kind::Barrier, key)) {
                Some(Ok(Condition::When(rules))) => {
                    for place in rules.iter().filter_map(|when| place.and(when)) {
                        self.collectives(below, place, &path);
                    }
                }
                Some(Ok(Condition::Always(true) | Condition::Any)) => {
                    return self.collectives(below, place, &path);
                }
                Some(Ok(_)) => {}
                Some(Err(expected)) => self.errors.push(format!("{path}: expected {expected}")),
                None => {
                    let hint = did_you_mean(key, self.others.0.iter().map(|(k, _)| k.as_str()));
                    self.errors.push(format!(
                        "{path}: expected a collective, such as `collective=allgather`{hint}"
                    ));
                }
            }
        }
    }

    fn collective(&mut self, name: &str, tree: &ConditionTree, place: Rule, at: &str) {
        let Some(kind) = Kind::from_name(name) else {
            let key = format!("collective={name}");
            // Collectives that this model makes of point-to-point messages have no choice.
            if self.others.find(&key).is_none() {
                let hint = did_you_mean(&key, self.others.0.iter().map(|(k, _)| k.as_str()));
                self.errors.push(format!(
                    "{at}: expected a collective, such as `collective=allgather`{hint}"
                ));
            }
            return;
        };
        let mut rules = Vec::new();
        let place = Rule { algorithm: kind.algorithms()[0], ..place };
        self.walk(kind, tree, place, at, &mut rules);
        if self.format == Format::Posix {
            return;
        }
        if self.format == Format::Compositions {
            // A call without a composition.
            rules.extend(own_rules_within(self.own, kind, &place));
        }
        match self.reading.rules.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, known)) => known.extend(rules),
            None => self.reading.rules.push((kind, rules)),
        }
    }

    /// Collectives that a compositions file leaves out have no composition.
    fn flatten_others(&mut self) {
        for kind in COMPOSED {
            if !self.reading.rules.iter().any(|(known, _)| *known == kind) {
                let whole = Rule::always(kind.algorithms()[0]);
                self.reading.rules.push((kind, own_rules_within(self.own, kind, &whole)));
            }
        }
    }

    /// Adds the rules of a subtree, restricted to `place`.
    fn walk(
        &mut self,
        kind: Kind,
        tree: &ConditionTree,
        place: Rule,
        at: &str,
        rules: &mut Vec<Rule>,
    ) {
        let mut is_whole = self.format != Format::Generic;
        let before = self.errors.len();
        for (key, below) in &tree.0 {
            let at = format!("{at}/{key}");
            if key.starts_with("algorithm=") || key.starts_with("composition=") {
                return self.leaf(kind, key, below, place, &at, rules);
            }
            match condition(kind, key) {
                Ok(Condition::When(places)) => {
                    // `yes` and `no` together are complete.
                    let opposite = match key.rsplit_once('=') {
                        Some((asked, "yes")) => Some(format!("{asked}=no")),
                        Some((asked, "no")) => Some(format!("{asked}=yes")),
                        _ => None,
                    };
                    is_whole |= opposite.is_some_and(|key| tree.find(&key).is_some());
                    for place in places.iter().filter_map(|when| place.and(when)) {
                        self.walk(kind, below, place, &at, rules);
                    }
                    if self.format == Format::Compositions {
                        self.end_of_branch(kind, &place, &places, rules);
                    }
                }
                Ok(Condition::Unknown(why)) => {
                    self.reading.note(kind, why);
                    // The subtree is checked nevertheless.
                    self.walk(kind, below, place, &at, &mut Vec::new());
                    return self.fall_back(kind, &place, rules);
                }
                Ok(Condition::Always(false)) => {}
                Ok(Condition::Always(true) | Condition::Any) => {
                    return self.walk(kind, below, place, &at, rules);
                }
                Err(expected) => self.errors.push(format!("{at}: expected {expected}")),
            }
        }
        if !is_whole && self.errors.len() == before {
            self.errors.push(format!(
                "{at}: expected a last case for all others, such as `comm_size=any`: MPICH ends \
                 programs it finds no algorithm for"
            ));
        }
    }

    /// A branch that was entered is not left again, so its unanswered calls do not reach the next
    /// branch.
    fn end_of_branch(&self, kind: Kind, place: &Rule, places: &[Rule], rules: &mut Vec<Rule>) {
        for place in places.iter().filter_map(|when| place.and(when)) {
            rules.extend(own_rules_within(self.own, kind, &place));
        }
    }

    /// Adds the library's own rules, for what is not modeled.
    fn fall_back(&self, kind: Kind, place: &Rule, rules: &mut Vec<Rule>) {
        match self.format {
            Format::Compositions => {
                rules.extend(self.own.rules(kind).iter().filter_map(|rule| rule.and(place)));
            }
            _ => rules.extend(own_rules_within(self.own, kind, place)),
        }
    }

    fn leaf(
        &mut self,
        kind: Kind,
        key: &str,
        parameters: &ConditionTree,
        place: Rule,
        at: &str,
        rules: &mut Vec<Rule>,
    ) {
        match (self.format, key.split_once('=').expect("a leaf's key")) {
            (Format::Compositions, ("composition", name)) => {
                self.composition(kind, name, place, at, rules);
            }
            (Format::Compositions, _) => self.errors.push(format!(
                "{at}: expected a composition: a file of algorithms is for \
                 `MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE`"
            )),
            (_, ("composition", _)) => self.errors.push(format!(
                "{at}: expected an algorithm: a file of compositions is for \
                 `MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE`"
            )),
            (Format::Posix, (_, name)) => self.within_node(kind, name, at),
            (_, (_, name)) => self.algorithm(kind, name, parameters, place, at, rules),
        }
    }

    /// A composition of the device layer if it is modeled; else the generic selection, which the
    /// device layer falls back to.
    fn composition(
        &mut self,
        kind: Kind,
        name: &str,
        place: Rule,
        at: &str,
        rules: &mut Vec<Rule>,
    ) {
        let known = compositions(kind);
        let own_prefix = format!("{}composition_", prefix(kind).replace("MPIR_", "MPIDI_"));
        // `gatherv` and `scatterv` have `allcomm` algorithms.
        let own_prefix = own_prefix.replace("_allcomm_", "_intra_");
        let found = name.strip_prefix(&own_prefix).filter(|word| known.contains(word));
        let Some(word) = found else {
            let known: Vec<String> = known.iter().map(|w| format!("{own_prefix}{w}")).collect();
            let hint = did_you_mean(name, known.iter().map(String::as_str));
            self.errors.push(format!("{at}: expected one of {}{hint}", known.join(", ")));
            return;
        };
        let of_kind = |form: Composition| Algorithm::of_composition(kind, form);
        match (kind, word) {
            (Kind::Barrier | Kind::Bcast | Kind::Reduce | Kind::Allreduce, "alpha") => {
                rules.push(Rule { algorithm: of_kind(Composition::Alpha), ..place });
            }
            (Kind::Bcast | Kind::Reduce, "beta") => {
                rules.push(Rule { algorithm: of_kind(Composition::Beta), ..place });
            }
            // Gamma is the intra-node stage alone.
            (Kind::Allreduce, "gamma") => {
                let one_node = Rule { nodes: Range { min: 1, max: 1 }, ..place };
                let within = one_node.and(&place);
                rules.extend(
                    within.map(|rule| Rule { algorithm: of_kind(Composition::Alpha), ..rule }),
                );
            }
            // No composition: all ranks alike.
            (Kind::Barrier | Kind::Allreduce, "beta") | (Kind::Bcast | Kind::Reduce, "gamma") => {}
            (Kind::Alltoall | Kind::Allgather | Kind::Scan, "beta") => {}
            (Kind::Alltoall | Kind::Allgather | Kind::Scan, _) | (_, "delta") => {
                let words = format!("{name} is not modeled: the library's own rules are used");
                self.reading.note(kind, words);
                return self.fall_back(kind, &place, rules);
            }
            _ => {}
        }
        rules.extend(own_rules_within(self.own, kind, &place));
    }

    /// An intra-node algorithm. The model has release and gather trees only.
    fn within_node(&mut self, kind: Kind, full: &str, at: &str) {
        let short = full.strip_prefix(POSIX);
        let Some(short) = short else {
            // Generic algorithms, by messages within the node.
            let is_known = full.strip_prefix(&prefix(kind)).is_some_and(|short| {
                Algorithm::from_name(kind, short).is_some() || kind.unimplemented().contains(&short)
            });
            match is_known {
                true => self.reading.note(kind, format!("within a node {full} is not modeled")),
                false => self.unknown_within_node(kind, full, at),
            }
            return;
        };
        match short.strip_prefix(kind.name()) {
            Some("_release_gather") if COMPOSED.contains(&kind) => {}
            Some("_ipc_read" | "_release_gather") => {
                self.reading.note(kind, format!("within a node {full} is not modeled"));
            }
            _ => self.unknown_within_node(kind, full, at),
        }
    }

    fn unknown_within_node(&mut self, kind: Kind, full: &str, at: &str) {
        let words = ["release_gather", "ipc_read"].map(|w| format!("{POSIX}{}_{w}", kind.name()));
        let hint = did_you_mean(full, words.iter().map(String::as_str));
        self.errors.push(format!("{at}: expected one of {}{hint}", words.join(", ")));
    }

    fn algorithm(
        &mut self,
        kind: Kind,
        full: &str,
        parameters: &ConditionTree,
        place: Rule,
        at: &str,
        rules: &mut Vec<Rule>,
    ) {
        let prefix = prefix(kind);
        let short = full.strip_prefix(&prefix).or(match full.strip_prefix("MPIR_") {
            // Algorithms made of the nonblocking collective have `allcomm` in their name.
            Some(rest) if rest.ends_with("_allcomm_nb") => Some("nb"),
            _ => None,
        });
        let found = short.and_then(|short| Algorithm::from_name(kind, short));
        let mut found = found.filter(|&a| name(kind, a).is_some());
        let word = |key: &str| parameters.0.iter().find_map(|(k, _)| k.strip_prefix(key));
        let number = |key: &str| word(key).map(|v| v.parse::<u32>().unwrap_or(0));
        let shape = word("tree_type=").map(TreeShape::from_name);
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
            match given.applied_to(algorithm) {
                Ok(algorithm) => rules.push(Rule { algorithm, ..place }),
                Err(words) => self.errors.push(format!("{at}: {words}")),
            }
            return;
        }
        if shape == Some(None) {
            return self.fall_back(kind, &place, rules);
        }
        if short.is_some_and(|short| kind.unimplemented().contains(&short)) {
            let words = format!("{full} is not modeled: the library's own rules are used");
            self.reading.note(kind, words);
            return self.fall_back(kind, &place, rules);
        }
        let known = kind.algorithms().iter().filter_map(|&a| name(kind, a));
        let known: Vec<String> = known.collect();
        let hint = did_you_mean(full, known.iter().map(String::as_str));
        self.errors.push(format!("{at}: expected one of {}{hint}", known.join(", ")));
    }
}

/// The device layer's compositions for a kind. [MPICH] ch4_coll.h
fn compositions(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Bcast | Kind::Allreduce => &["alpha", "beta", "gamma", "delta"],
        Kind::Reduce => &["alpha", "beta", "gamma"],
        Kind::Barrier | Kind::Alltoall | Kind::Allgather | Kind::Scan => &["alpha", "beta"],
        _ => &["alpha"],
    }
}
