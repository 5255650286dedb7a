//! Open MPI's rules in JSON, version 3 of its file format.
//!
//! `collectives` has a list of rules per collective. The first rule whose `comm_size_min`,
//! `comm_size_max` and `comm_rank_distribution` hold for a communicator is used. Of its `rules`,
//! the first whose `msg_size_min` and `msg_size_max` hold for a call is used. Without such a rule,
//! Open MPI's own rules decide. A rule with an algorithm unknown to Open MPI is ignored.
//!
//! Source: [OMPI] `docs/tuning-apps/collectives/tuned.rst`, its schema, and
//! `coll_tuned_dynamic_file.c` (6.0).

use collectives::{Kind, Range, Rule, Selection};
use serde_json::{Map, Value};

use super::openmpi::{self, MessageRule};
use super::{ParsedFile, own_rules_within};
use crate::library::did_you_mean;

/// Keys of the file, of a communicator rule, and of a message rule.
const FILE: [&str; 5] =
    ["$schema", "rule_file_version", "module", "comm_rank_distribution", "collectives"];
const COMMUNICATOR: [&str; 4] =
    ["comm_size_min", "comm_size_max", "comm_rank_distribution", "rules"];
const MESSAGE: [&str; 7] =
    ["msg_size_min", "msg_size_max", "alg", "faninout", "seg_size", "reqs", "bine_imp"];
const DISTRIBUTIONS: [&str; 3] = ["any", "one-per-node", "single-node"];

/// Whether a JSON text, valid or not, is meant to be in this format.
pub(super) fn is_likely(text: &str) -> bool {
    ["\"collectives\"", "\"rule_file_version\""].iter().any(|key| text.contains(key))
}

pub(super) fn read(text: &str, own: &Selection) -> Result<ParsedFile, Vec<String>> {
    let text = without_trailing_commas(text);
    let file: Value = serde_json::from_str(&text)
        .map_err(|e| vec![format!("JSON as in Open MPI's rules of version 3 ({e})")])?;
    let mut reader = Reader { own, reading: ParsedFile::default(), errors: Vec::new() };
    reader.file(&file);
    if reader.errors.is_empty() { Ok(reader.reading) } else { Err(reader.errors) }
}

/// Open MPI's parser accepts a comma before a closing bracket, and its documentation has one.
fn without_trailing_commas(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut is_string, mut is_escaped) = (false, false);
    for (at, c) in text.char_indices() {
        let closes = || text[at + 1..].trim_start().starts_with(['}', ']']);
        if !is_string && c == ',' && closes() {
            // A blank keeps columns unchanged.
            out.push(' ');
            continue;
        }
        is_string ^= c == '"' && !is_escaped;
        is_escaped = is_string && c == '\\' && !is_escaped;
        out.push(c);
    }
    out
}

struct Reader<'a> {
    own: &'a Selection,
    reading: ParsedFile,
    errors: Vec<String>,
}

impl Reader<'_> {
    fn report(&mut self, at: &str, found: &Value, expected: &str) {
        let found = openmpi::beginning(&found.to_string());
        self.errors.push(format!("{at}: found `{found}`, expected {expected}"));
    }

    /// The object at a place; other keys than `keys` are errors.
    fn object<'v>(
        &mut self,
        at: &str,
        value: &'v Value,
        keys: &[&str],
    ) -> Option<&'v Map<String, Value>> {
        let Value::Object(map) = value else {
            self.report(at, value, &format!("an object with {}", keys.join(", ")));
            return None;
        };
        for key in map.keys().filter(|key| !keys.contains(&key.as_str())) {
            // Open MPI ignores unknown keys, so remarks are accepted.
            if key.starts_with(['_', '$', '#', '/']) || key.starts_with("comment") {
                continue;
            }
            let hint = did_you_mean(key, keys.iter().copied());
            let at = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
            self.errors.push(format!("{at}: expected one of {}{hint}", keys.join(", ")));
        }
        Some(map)
    }

    fn file(&mut self, file: &Value) {
        let Some(map) = self.object("", file, &FILE) else { return };
        match map.get("rule_file_version") {
            None | Some(Value::Number(_)) => {}
            Some(other) => self.report("rule_file_version", other, "a number, 3"),
        }
        match map.get("module").map(|module| (module, module.as_str())) {
            None | Some((_, Some("tuned"))) => {}
            Some((module, _)) => self.report("module", module, "`tuned`"),
        }
        let whole = self.distribution("comm_rank_distribution", map);
        let Some(collectives) = map.get("collectives") else {
            self.errors.push("collectives: expected an object of lists of rules".into());
            return;
        };
        let Value::Object(lists) = collectives else {
            let expected = "an object of lists of rules, such as `{\"allreduce\": [...]}`";
            return self.report("collectives", collectives, expected);
        };
        let mut named: Vec<(Kind, &str)> = Vec::new();
        for (name, list) in lists {
            let at = format!("collectives.{name}");
            let Some(kind) = openmpi::collective(name) else {
                let hint = did_you_mean(name, openmpi::collectives());
                self.errors.push(format!("{at}: expected the name of a collective{hint}"));
                continue;
            };
            // Open MPI has a second name for some.
            if let Some(kind) = kind {
                if let Some((_, first)) = named.iter().find(|(known, _)| *known == kind) {
                    self.errors.push(format!(
                        "{at}: expected one list per collective: `{first}` is the same one"
                    ));
                    continue;
                }
                named.push((kind, name));
            }
            let Value::Array(list) = list else {
                self.report(&at, list, "a list of rules for sizes of communicators");
                continue;
            };
            self.collective(kind, list, whole, &at);
        }
    }

    /// The rules of a collective. Others than those modeled (`None`) are made of point-to-point
    /// messages here: their rules are checked and have no effect.
    fn collective(
        &mut self,
        kind: Option<Kind>,
        list: &[Value],
        whole: RankDistribution,
        at: &str,
    ) {
        let of = kind.unwrap_or(Kind::Barrier);
        let any = Rule::always(of.algorithms()[0]);
        let mut rules = Vec::new();
        for (i, item) in list.iter().enumerate() {
            let at = format!("{at}[{i}]");
            let Some(map) = self.object(&at, item, &COMMUNICATOR) else { continue };
            let size = self.range(&at, map, ("comm_size_min", "comm_size_max"));
            let spread = match map.contains_key("comm_rank_distribution") {
                true => self.distribution(&format!("{at}.comm_rank_distribution"), map),
                false => whole,
            };
            let messages = match map.get("rules") {
                Some(Value::Array(messages)) => messages.as_slice(),
                Some(other) => {
                    self.report(&format!("{at}.rules"), other, "a list of rules for messages");
                    &[]
                }
                None => {
                    self.errors.push(format!("{at}.rules: expected a list of rules"));
                    &[]
                }
            };
            let place = size.and_then(|size| spread.place().and(&Rule { size, ..any }));
            let place = place.map(|place| Rule { algorithm: any.algorithm, ..place });
            for (j, message) in messages.iter().enumerate() {
                let at = format!("{at}.rules[{j}]");
                let step = self.message(kind, message, &at);
                let (Some(kind), Some(place), Some((bytes, step))) = (kind, place, step) else {
                    continue;
                };
                let within = openmpi::size_condition(kind, bytes).and(&place);
                if let Some(within) = within {
                    openmpi::add_rules(
                        kind,
                        &step,
                        &within,
                        self.own,
                        &mut rules,
                        &mut self.reading,
                    );
                }
            }
            rules
                .extend(place.into_iter().flat_map(|place| own_rules_within(self.own, of, &place)));
        }
        if let Some(kind) = kind {
            rules.extend(own_rules_within(self.own, kind, &any));
            self.reading.rules.push((kind, rules));
        }
    }

    /// The message sizes of a rule, and the rule; `None` if Open MPI ignores it.
    fn message(
        &mut self,
        kind: Option<Kind>,
        item: &Value,
        at: &str,
    ) -> Option<(Range, MessageRule)> {
        let map = self.object(at, item, &MESSAGE)?;
        let bytes = self.range(at, map, ("msg_size_min", "msg_size_max"));
        let mut number = |key: &str| match map.get(key) {
            None => 0,
            Some(value) => value.as_u64().unwrap_or_else(|| {
                self.report(&format!("{at}.{key}"), value, "a whole number from 0 on");
                0
            }),
        };
        let (fan_out, segment, requests) = (number("faninout"), number("seg_size"), number("reqs"));
        let algorithm = match map.get("alg") {
            Some(Value::String(name)) => kind.map(|kind| openmpi::algorithm(kind, name)),
            Some(Value::Number(n)) if n.is_i64() || n.is_u64() => {
                kind.map(|kind| openmpi::algorithm(kind, &n.to_string()))
            }
            other => {
                let expected = "an algorithm's number or name";
                self.report(&format!("{at}.alg"), other.unwrap_or(&Value::Null), expected);
                None
            }
        };
        let algorithm = match algorithm? {
            Ok(number) => number,
            Err(expected) => {
                // Two versions of Open MPI may share a file.
                let found = openmpi::beginning(&map["alg"].to_string());
                let words = format!("{at}.alg: found {found}, expected {expected}: rule ignored");
                self.reading.note(kind?, words);
                return None;
            }
        };
        let narrow = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let (fan_out, segment) = (narrow(fan_out), narrow(segment));
        Some((
            bytes?,
            MessageRule { algorithm, fan_out, segment, requests, ..MessageRule::default() },
        ))
    }

    /// `min..=max` of two optional keys; `None` if it is empty.
    fn range(&mut self, at: &str, map: &Map<String, Value>, keys: (&str, &str)) -> Option<Range> {
        let mut end = |key: &str, default: u64| match map.get(key) {
            None => default,
            Some(Value::String(word)) if matches!(word.as_str(), "inf" | "Inf" | "INF") => u64::MAX,
            Some(value) => value.as_u64().unwrap_or_else(|| {
                let expected = "a whole number from 0 on, or `\"inf\"`";
                self.report(&format!("{at}.{key}"), value, expected);
                default
            }),
        };
        let (min, max) = (end(keys.0, 0), end(keys.1, u64::MAX));
        (min <= max).then_some(Range { min, max })
    }

    fn distribution(&mut self, at: &str, map: &Map<String, Value>) -> RankDistribution {
        let Some(value) = map.get("comm_rank_distribution") else { return RankDistribution::Any };
        match value.as_str() {
            Some("any") => RankDistribution::Any,
            Some("one-per-node") => RankDistribution::OnePerNode,
            Some("single-node") => RankDistribution::SingleNode,
            word => {
                let hint = did_you_mean(word.unwrap_or(""), DISTRIBUTIONS);
                let expected = format!("one of {}{hint}", DISTRIBUTIONS.join(", "));
                self.report(at, value, &expected);
                RankDistribution::Any
            }
        }
    }
}

/// How the ranks of a communicator are distributed over nodes.
#[derive(Clone, Copy)]
enum RankDistribution {
    Any,
    OnePerNode,
    SingleNode,
}

impl RankDistribution {
    fn place(self) -> Rule {
        let any = Rule::always(Kind::Barrier.algorithms()[0]);
        match self {
            RankDistribution::Any => any,
            RankDistribution::OnePerNode => Rule { several_a_node: Some(false), ..any },
            RankDistribution::SingleNode => Rule { nodes: Range { min: 1, max: 1 }, ..any },
        }
    }
}
