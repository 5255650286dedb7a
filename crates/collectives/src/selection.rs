//! Which algorithm a library uses for which call: an ordered list of rules per kind.
//!
//! The first rule that holds is used. A rule whose algorithm needs a commutative operator is
//! skipped for other operators, so no list of rules can make a result wrong.

mod rules;

use toml::{Table, Value};

use crate::names::did_you_mean;
use crate::overrides::{Overrides, last_of};
use crate::{Algorithm, Composition, Kind};
use rules::read_rule;

pub use rules::{Case, Parameters, Range, Rule};
pub(crate) use rules::{expected_names, names};

/// A library's rules.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Selection {
    /// By `Kind as usize`.
    rules: [Vec<Rule>; Kind::ALL.len()],
}

impl Selection {
    /// Reads a table whose keys are names of collectives and whose values are lists of rules, such
    /// as `bcast = [{ bytes = "..=12 KiB", use = "binomial" }]`. `at` is the path of the table.
    /// `Err` has all errors, each with its path.
    pub fn parse(table: &Table, at: &str) -> Result<Selection, Vec<String>> {
        let mut selection = Selection::default();
        let mut errors = Vec::new();
        for (name, rules) in table {
            let at = format!("{at}.{name}");
            let Some(kind) = Kind::from_name(name) else {
                let hint = did_you_mean(name, Kind::ALL.map(Kind::name));
                errors.push(format!("{at}: expected the name of a collective{hint}"));
                continue;
            };
            let Value::Array(rules) = rules else {
                errors.push(format!("{at}: found `{rules}`, expected a list of rules"));
                continue;
            };
            for (i, rule) in rules.iter().enumerate() {
                match read_rule(kind, rule, &format!("{at}[{i}]"), &mut errors) {
                    Some(rule) => selection.rules[kind as usize].push(rule),
                    None => debug_assert!(!errors.is_empty()),
                }
            }
        }
        if errors.is_empty() { Ok(selection) } else { Err(errors) }
    }

    /// The rules of one kind, in order.
    pub fn rules(&self, kind: Kind) -> &[Rule] {
        &self.rules[kind as usize]
    }
    /// Replaces the rules of a kind.
    pub fn replace(&mut self, kind: Kind, rules: Vec<Rule>) {
        self.rules[kind as usize] = rules;
    }

    /// The algorithm for a call, by the first of these: a composition of MPICH's device layer; an
    /// applicable forced algorithm; the first rule that holds; the kind's first algorithm, which is
    /// always applicable. The inter-node stage of a composition is decided in the same way, for one
    /// rank per node.
    pub fn decide(&self, case: &Case, overrides: &Overrides) -> Algorithm {
        let kind = case.kind;
        let composition = last_of(&overrides.compositions, kind);
        let may = |rule: &&Rule| composition.is_none() || !rule.algorithm.is_composed();
        let first = overrides.rules.iter().filter(|(k, _)| *k == kind).flat_map(|(_, r)| r);
        let own = self.rules(kind).iter().filter(may).map(|rule| overrides.bounded(kind, rule));
        let mut rules = first.copied().chain(own);
        let rule = rules.find(|rule| rule.holds(case)).map(|rule| rule.algorithm);
        let requested = composition.flatten().map(|form| Algorithm::of_composition(kind, form));
        let requested = requested.filter(|a| a.is_applicable(case));
        let forced = || last_of(&overrides.forced, kind).filter(|a| a.is_applicable(case));
        let chosen = match (requested, rule) {
            (Some(composed), _) => composed,
            (None, Some(composed)) if composed.is_composed() => composed,
            _ => match forced() {
                Some(algorithm) => overrides.tuned(kind, algorithm),
                None => rule.unwrap_or(kind.algorithms()[0]),
            },
        };
        match (chosen, overrides.throttle_of(kind)) {
            (Algorithm::Scattered { .. }, Some(throttle)) => Algorithm::Scattered { throttle },
            (Algorithm::Chunked { chunk, .. }, Some(throttle)) => {
                Algorithm::Chunked { chunk, throttle }
            }
            (Algorithm::NodeAware { form, .. }, _) => self.of_composition(form, case, overrides),
            _ => chosen,
        }
    }
    /// A node-aware algorithm with the inter-node stage decided for one rank per node.
    fn of_composition(&self, form: Composition, case: &Case, overrides: &Overrides) -> Algorithm {
        let roots = Case { size: case.nodes, ..*case };
        let inter_node = self.decide(&roots, overrides).for_node_roots();
        let inter_node = inter_node.expect("no algorithm is node-aware with one rank per node");
        Algorithm::NodeAware { form, inter_node }
    }
    /// The node-aware algorithms applicable to a call. MPICH's compositions are left out if the
    /// user has set a composition.
    pub fn node_aware(&self, case: &Case, overrides: &Overrides) -> Vec<Algorithm> {
        let is_open = last_of(&overrides.compositions, case.kind).is_none();
        let may = |a: &&Algorithm| a.is_applicable(case) && (is_open || !a.is_composed());
        let forms = case.kind.algorithms().iter().filter(may);
        let of_composition = |a: &Algorithm| match *a {
            Algorithm::NodeAware { form, .. } => Some(self.of_composition(form, case, overrides)),
            _ => None,
        };
        forms.filter_map(of_composition).collect()
    }

    /// `decide` for 8-byte elements, one rank per node, and a predefined operator if it commutes.
    pub fn choose(
        &self,
        kind: Kind,
        size: u32,
        bytes: u64,
        commutative: bool,
        overrides: &Overrides,
    ) -> Algorithm {
        let elements = bytes.div_ceil(8);
        self.decide(
            &Case {
                kind,
                size,
                nodes: size,
                consecutive: true,
                bytes,
                elements,
                commutative,
                builtin: commutative,
            },
            overrides,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn the_first_rule_that_holds_is_used_and_order_is_preserved() {
        let table = r#"
            reduce_scatter = [
                { bytes = "..100", use = "ring" },
                { size = "..8", use = "recursive_halving" },
            ]
        "#;
        let selection = Selection::parse(&table.parse().unwrap(), "collectives").unwrap();
        let none = Overrides::default();
        let kind = Kind::ReduceScatter;
        for (size, bytes, want) in [
            (4, 99, Algorithm::Ring),
            (4, 100, Algorithm::RecursiveHalving),
            (8, 100, Algorithm::Pairwise),
        ] {
            assert_eq!(selection.decide(&case(kind, size, bytes), &none), want, "{size} {bytes}");
            let ordered = Case { commutative: false, ..case(kind, size, bytes) };
            assert_eq!(selection.decide(&ordered, &none), Algorithm::Pairwise);
        }
    }

    #[test]
    fn all_errors_in_rules_are_reported() {
        let table = r#"
            allredce = []
            bcast = [
                { use = "binomal" },
                { bytes = 8, use = "binomial" },
                { sise = "..8", use = "binomial" },
                { use = "binomial", k = 4 },
                { size = "..8" },
            ]
            scan = "fast"
        "#;
        let errors = Selection::parse(&table.parse().unwrap(), "c").unwrap_err();
        for part in [
            "c.allredce: expected the name of a collective; did you mean `allreduce`?",
            "c.bcast[0].use: found `\"binomal\"`, expected one of binomial",
            "did you mean `binomial`?",
            "c.bcast[1].bytes: found `8`, expected a range",
            "c.bcast[2].sise: found `\"..8\"`",
            "did you mean `size`?",
            "c.bcast[3]: `k` belongs to exchanges, k_brucks",
            "c.bcast[4].use: expected one of",
            "c.scan: found `\"fast\"`",
        ] {
            assert!(errors.iter().any(|e| e.contains(part)), "{part}\n{errors:#?}");
        }
        assert_eq!(errors.len(), 7, "{errors:#?}");
    }
}
