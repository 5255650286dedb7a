//! The vocabulary of requests and results, declared once: names, options, defaults and fields.
//!
//! Requests read their defaults here; a test compares the ranges with the constants of the
//! simulation. `schema` exports all of it as a JSON Schema, from which Python's names, help texts,
//! defaults and types are generated (python/odonata/_vocabulary.py).

mod fields;
mod options;
mod schema;

pub use fields::{FIELDS, Field};
pub use options::{AbsentOption, Form, OPTIONS, Opt, Topic};
pub use schema::schema;

use crate::benchmarks::Bench;
use collectives::Kind;
use machine::{NicPolicy, Routing, placement};
use sim::Fidelity;
use sim::LimitPolicy;
use sim::traffic::{EngineChoice, PATTERNS};

/// Memory of message buffers.
pub const BUFFERS: [&str; 2] = ["host", "gpu"];
/// The cheapest network model within a tolerance.
pub const AUTO: &str = "auto";

/// A list of legal names. In a name that ends in `:K`, K stands for a positive number.
pub struct Words {
    /// Name of the list in the schema.
    pub name: &'static str,
    pub doc: &'static str,
    pub words: Vec<&'static str>,
    /// Beginning of further legal texts, if there are any.
    pub prefix: Option<&'static str>,
}

/// Sizes of problems with several numbers of nodes.
pub const SCALINGS: [&str; 2] = ["weak", "strong"];

/// All lists of names.
pub fn words() -> Vec<Words> {
    let list = |name, doc, words: &[&'static str]| {
        let words = words.to_vec();
        Words { name, doc, words, prefix: None }
    };
    let fidelities = Fidelity::ALL.map(Fidelity::name);
    vec![
        list("benchmark", "Built-in benchmarks.", &Bench::TABLE.map(|entry| entry.name)),
        list("collective", "Collectives with more than one algorithm.", &collectives()),
        list("pattern", "Patterns of synthetic traffic; K is a positive number.", &PATTERNS),
        list("placement", "Placements of ranks on nodes.", placement::POLICIES),
        list("routing", "Routing policies.", Routing::NAMES),
        list("fidelity", "Network models.", &fidelities),
        list(
            "fidelity_or_auto",
            "Network models, or the cheapest one within a tolerance.",
            &[&fidelities[..], &[AUTO]].concat(),
        ),
        Words {
            prefix: Some("user:"),
            ..list("nic_policy", "Mappings of ranks to the NICs of their node.", &NicPolicy::NAMES)
        },
        list("limits", "Effects of exceeding a limit.", &LimitPolicy::NAMES),
        list("buffers", "Memory of message buffers.", &BUFFERS),
        list("congestion", "Settings of congestion management.", &["on", "off"]),
        list("scaling", "Sizes of problems with several numbers of nodes.", &SCALINGS),
        list("progress", "Forms of progress.", &["line", "json", "none"]),
        list("clock", "Clocks of a program.", &["virtual", "real"]),
        list("engine", "Engines of packet networks.", &EngineChoice::ALL.map(EngineChoice::name)),
        list("mpi", "MPI libraries.", mpi::library::PRESETS),
    ]
}

/// Collectives that `odonata tune` compares algorithms of.
pub fn collectives() -> Vec<&'static str> {
    let choosy = Kind::ALL.into_iter().filter(|kind| kind.algorithms().len() > 1);
    choosy.map(Kind::name).collect()
}

/// The default of an option of `command`, as the command line writes it.
fn default_text(command: &str, name: &str) -> &'static str {
    let mut options = OPTIONS.iter();
    let found = options.find(|option| option.name == name && option.commands.contains(&command));
    match found.map(|option| option.absent) {
        Some(AbsentOption::Default(text)) => text,
        _ => panic!("{command} has an option {name} with a default"),
    }
}

/// Defaults of requests. A test checks those that requests of several commands share.
pub(super) mod defaults {
    use super::super::quantities::read_time;
    use super::default_text;

    fn number<T: std::str::FromStr>(command: &str, name: &str) -> T {
        default_text(command, name).parse().ok().expect("the default is a number")
    }
    /// Of all commands but `tune`.
    pub fn fidelity() -> String {
        default_text("run", "fidelity").into()
    }
    pub fn fidelity_of_tune() -> String {
        default_text("tune", "fidelity").into()
    }
    pub fn engine() -> String {
        default_text("traffic", "engine").into()
    }
    pub fn limits() -> String {
        default_text("run", "limits").into()
    }
    pub fn mpi() -> String {
        default_text("run", "mpi").into()
    }
    pub fn warmup() -> f64 {
        read_time(default_text("traffic", "warmup")).expect("the default is a time")
    }
    pub fn seed() -> u64 {
        number("run", "seed")
    }
    pub fn threads() -> usize {
        number("run", "threads")
    }
    /// Message budget of a benchmark.
    pub fn messages() -> u64 {
        number("bench", "messages")
    }
    pub fn messages_of_tune() -> u64 {
        number("tune", "messages")
    }
    pub fn replica_packets() -> u64 {
        number("bench", "twin_packets")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TuneRequest;
    use crate::benchmarks::{MAX_WINDOW, SHIFTS, WINDOW};
    use crate::quantities::{read_size, read_time};

    #[test]
    fn defaults_are_those_of_the_simulation() {
        assert_eq!(default_text("bench", "window"), WINDOW.to_string());
        assert_eq!(default_text("bench", "shifts"), SHIFTS.to_string());
        let window = OPTIONS.iter().find(|option| option.name == "window").expect("an option");
        assert_eq!(window.form, Form::Count(1, u64::from(MAX_WINDOW)));
        assert_eq!(defaults::warmup(), 20e-6);
    }

    /// Requests of several commands share one declaration of these, whose defaults are those of
    /// `run`. `tune`, `app` and `validate` have their own fidelity.
    #[test]
    fn shared_defaults_are_those_of_every_command() {
        for name in ["fidelity", "limits", "mpi", "seed", "threads"] {
            for option in OPTIONS.iter().filter(|option| option.name == name) {
                for command in option.commands {
                    if name == "fidelity" && ["tune", "app", "validate"].contains(command) {
                        continue;
                    }
                    let here = default_text(command, name);
                    assert_eq!(here, default_text("run", name), "{command} {name}");
                }
            }
        }
    }

    #[test]
    fn a_tune_request_has_the_defaults_of_tune() {
        let text = r#"{"machine": {"name": "spock"}, "collective": "bcast", "nodes": [2],
                       "ppn": 1, "sizes": [8]"#;
        let request: TuneRequest = serde_json::from_str(&format!("{text}}}")).expect("complete");
        assert_eq!((request.common.fidelity.as_str(), request.messages), ("loggp", 2_000_000));
        let further = r#", "fidelity": "flow", "seed": 7}"#;
        let request: TuneRequest = serde_json::from_str(&(text.to_string() + further)).expect("ok");
        assert_eq!((request.common.fidelity.as_str(), request.common.seed), ("flow", 7));
    }

    fn is_word(list: &str, text: &str) -> bool {
        let words = words();
        let found = words.iter().find(|words| words.name == list).expect(list);
        found.words.contains(&text)
    }

    #[test]
    fn every_default_has_the_form_of_its_option() {
        for option in OPTIONS {
            let AbsentOption::Default(text) = option.absent else { continue };
            let is_legal = match option.form {
                Form::Count(least, most) => {
                    text.parse().is_ok_and(|n: u64| (least..=most).contains(&n))
                }
                Form::Name(list) | Form::NameOrToml(list) => is_word(list, text),
                Form::Placement => is_word("placement", text),
                Form::Size => read_size(text).is_ok(),
                Form::Time => read_time(text).is_ok(),
                Form::Flag => text == "yes",
                _ => true,
            };
            assert!(is_legal, "{}: {text}", option.name);
        }
    }

    #[test]
    fn an_option_is_declared_once_per_command() {
        let mut seen = std::collections::BTreeSet::new();
        for option in OPTIONS {
            for command in option.commands {
                assert!(seen.insert((command, option.name)), "{command} {}", option.name);
            }
            assert!(option.help.ends_with('.'), "{}", option.name);
        }
    }

    #[test]
    fn the_sizes_of_benchmarks_can_be_read() {
        for entry in Bench::TABLE {
            let ends: Vec<_> = entry.sizes.split(':').map(read_size).collect();
            assert!(ends.len() <= 2 && ends.iter().all(Result::is_ok), "{}", entry.name);
        }
    }
}
