//! Open MPI's variables that force an algorithm: `OMPI_MCA_coll_tuned_<collective>_algorithm` and
//! its parameters. They take effect if `OMPI_MCA_coll_tuned_use_dynamic_rules` is set.
//!
//! A forced algorithm comes before a rules file. Source: [OMPI] `coll_tuned_decision_dynamic.c`,
//! `coll_tuned_<collective>_decision.c` (5.0).

use collectives::{Kind, Rule};

use super::openmpi::{MessageRule, algorithm, collective, model_rules, unmodeled};

const PREFIX: &str = "OMPI_MCA_coll_tuned_";

/// The effect of the variables.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Forced {
    /// Rules that come before all others.
    pub rules: Vec<(Kind, Vec<Rule>)>,
    /// Settings that have no effect here.
    pub notes: Vec<String>,
}

/// Whether Open MPI parses a variable's value as true.
fn is_true(value: &str) -> bool {
    matches!(value.trim().to_lowercase().as_str(), "1" | "t" | "true" | "y" | "yes" | "enabled")
}

/// The algorithms that the variables of an environment force. `Err` has the name of each wrong
/// variable, and what was expected.
pub fn forced<'a>(
    environment: impl Iterator<Item = (&'a str, &'a str)>,
) -> Result<Forced, Vec<(String, String)>> {
    let of_tuned = |(name, value): (&'a str, &'a str)| Some((name.strip_prefix(PREFIX)?, value));
    let variables: Vec<(&str, &str)> = environment.filter_map(of_tuned).collect();
    let value = |name: &str| variables.iter().rev().find(|(n, _)| *n == name).map(|&(_, v)| v);
    let is_dynamic = value("use_dynamic_rules").is_some_and(is_true);
    let (mut forced, mut wrong) = (Forced::default(), Vec::new());
    let mut number = |name: String| match value(&name).map(|v| (v, v.trim().parse::<u32>())) {
        None => 0,
        Some((_, Ok(number))) => number,
        Some(_) => {
            wrong.push((format!("{PREFIX}{name}"), "a whole number from 0 on".to_string()));
            0
        }
    };
    let chains = number("init_chain_fanout".into());
    let mut steps = Vec::new();
    for (name, word) in &variables {
        let Some(of) = name.strip_suffix("_algorithm") else { continue };
        let Some(Some(kind)) = collective(of) else { continue };
        let parameter = |what: &str| format!("{name}_{what}");
        let own_chains = number(parameter("chain_fanout"));
        let step = MessageRule {
            fan_out: if own_chains > 0 { own_chains } else { chains },
            segment: number(parameter("segmentsize")),
            requests: number(parameter("max_requests")).into(),
            radix: number(parameter("knomial_radix")),
            ..MessageRule::default()
        };
        steps.push((kind, *name, *word, step));
    }
    for (kind, name, word, step) in steps {
        let algorithm = match algorithm(kind, word.trim()) {
            Ok(algorithm) => algorithm,
            Err(expected) => {
                wrong.push((format!("{PREFIX}{name}"), expected));
                continue;
            }
        };
        let step = MessageRule { algorithm, ..step };
        let modeled = model_rules(kind, &step);
        if algorithm > 0 && !is_dynamic {
            forced.notes.push(format!(
                "{PREFIX}{name} has no effect without {PREFIX}use_dynamic_rules=1, as in Open MPI"
            ));
            continue;
        }
        let notes = unmodeled(kind, &step, &modeled);
        forced.notes.extend(notes.iter().map(|words| format!("{PREFIX}{name}: {words}")));
        if !modeled.is_empty() {
            forced.rules.push((kind, modeled));
        }
    }
    if wrong.is_empty() { Ok(forced) } else { Err(wrong) }
}
