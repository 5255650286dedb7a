//! The vocabulary of requests and results, declared once: names, options, defaults and fields.
//!
//! Requests read their defaults here; a test compares the ranges with the constants of the
//! simulation. `schema` exports all of it as a JSON Schema, from
//! which Python's names, help texts, defaults and types are generated
//! (python/odonata/_vocabulary.py).

mod fields;
mod options;
mod schema;

pub use fields::{FIELDS, Field};
pub use options::{Form, IfAbsent, OPTIONS, Opt, Topic};
pub use schema::schema;

use crate::benchmarks::Bench;
use collectives::Kind;
use machine::{NicPolicy, Routing, placement};
use sim::Fidelity;
use sim::LimitPolicy;
use sim::traffic::PATTERNS;

/// Memory of message buffers.
pub const BUFFERS: [&str; 2] = ["host", "gpu"];

/// A list of legal names.
pub struct Words {
    /// Name of the list in the schema.
    pub name: &'static str,
    pub doc: &'static str,
    pub words: Vec<&'static str>,
}

/// All lists of names.
pub fn words() -> Vec<Words> {
    let list = |name, doc, words: &[&'static str]| Words { name, doc, words: words.to_vec() };
    vec![
        list("benchmark", "Built-in benchmarks.", &Bench::TABLE.map(|entry| entry.name)),
        list("collective", "Collectives with more than one algorithm.", &collectives()),
        list("pattern", "Patterns of synthetic traffic; K is a positive number.", &PATTERNS),
        list("placement", "Placements of ranks on nodes.", placement::POLICIES),
        list("routing", "Routing policies.", Routing::NAMES),
        list("fidelity", "Network models.", &Fidelity::ALL.map(Fidelity::name)),
        list("nic_policy", "Mappings of ranks to the NICs of their node.", &NicPolicy::NAMES),
        list("limits", "Effects of exceeding a limit.", &LimitPolicy::NAMES),
        list("buffers", "Memory of message buffers.", &BUFFERS),
        list("congestion", "Settings of congestion management.", &["on", "off"]),
        list("clock", "Clocks of a program.", &["virtual", "real"]),
        list("mpi", "MPI libraries.", mpi::library::PRESETS),
    ]
}

/// Collectives that `odonata tune` compares algorithms of.
pub fn collectives() -> Vec<&'static str> {
    let choosy = Kind::ALL.into_iter().filter(|kind| kind.algorithms().len() > 1);
    choosy.map(Kind::name).collect()
}

/// The default of an option, as the command line writes it. The first declaration counts.
fn default_text(name: &str) -> &'static str {
    let found = OPTIONS.iter().filter(|option| option.name == name);
    let mut defaults = found.filter_map(|option| match option.absent {
        IfAbsent::Default(text) => Some(text),
        _ => None,
    });
    defaults.next().expect("an option with a default")
}

/// Defaults of requests.
pub(super) mod defaults {
    use super::super::quantities::read_time;
    use super::default_text;

    fn number<T: std::str::FromStr>(name: &str) -> T {
        default_text(name).parse().ok().expect("the default is a number")
    }
    pub fn fidelity() -> String {
        default_text("fidelity").into()
    }
    pub fn limits() -> String {
        default_text("limits").into()
    }
    pub fn mpi() -> String {
        default_text("mpi").into()
    }
    pub fn warmup() -> f64 {
        read_time(default_text("warmup")).expect("the default is a time")
    }
    pub fn seed() -> u64 {
        number("seed")
    }
    pub fn threads() -> usize {
        number("threads")
    }
    pub fn messages() -> u64 {
        number("messages")
    }
    pub fn twin_packets() -> u64 {
        number("twin_packets")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmarks::{MAX_WINDOW, SHIFTS, WINDOW};
    use crate::quantities::{read_size, read_time};

    #[test]
    fn defaults_are_those_of_the_simulation() {
        assert_eq!(default_text("window"), WINDOW.to_string());
        assert_eq!(default_text("shifts"), SHIFTS.to_string());
        let window = OPTIONS.iter().find(|option| option.name == "window").expect("an option");
        assert_eq!(window.form, Form::Count(1, u64::from(MAX_WINDOW)));
        assert_eq!(defaults::warmup(), 20e-6);
    }

    #[test]
    fn every_default_has_the_form_of_its_option() {
        for option in OPTIONS {
            let IfAbsent::Default(text) = option.absent else { continue };
            let is_legal = match option.form {
                Form::Count(least, most) => {
                    text.parse().is_ok_and(|n: u64| (least..=most).contains(&n))
                }
                Form::Name(list) => {
                    let words = words();
                    let found = words.iter().find(|words| words.name == list).expect(list);
                    found.words.contains(&text)
                }
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
