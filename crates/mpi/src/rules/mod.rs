//! Tuning files of MPICH and Open MPI, read and written in their own formats. A choice found by
//! simulation can be used on the machine, and a choice made there can be simulated.
//!
//! A file is read into rules of `collectives::Selection`. Where it names algorithms that are not
//! modeled, the library's own rules are used and noted. docs/tuning-files.md describes the formats.

mod conditions;
mod csel;
mod forced;
mod mpich;
mod openmpi;
mod openmpi_json;

pub use forced::{Forced, forced};

use crate::Family;
use collectives::{Algorithm, Case, Kind, Rule, Selection};

/// From `ranks` ranks and `bytes` (as in `Case`) on: `algorithm`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    pub ranks: u32,
    pub bytes: u64,
    pub algorithm: Algorithm,
}

/// The content of a tuning file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ParsedFile {
    /// The rules of the collectives in the file.
    pub rules: Vec<(Kind, Vec<Rule>)>,
    /// MPICH's compositions come before the file.
    pub after_compositions: bool,
    /// Settings of the file that have no effect here.
    pub notes: Vec<(Kind, String)>,
}

impl Family {
    /// The name of its file.
    pub fn file_name(self) -> &'static str {
        match self {
            Family::Mpich => "mpich.json",
            Family::OpenMpi => "openmpi.conf",
        }
    }
    /// Whether the library has the algorithm and runs it for such a call.
    pub fn has(self, algorithm: Algorithm, case: &Case) -> bool {
        let composed =
            self == Family::Mpich && algorithm.is_composed() && algorithm.is_applicable(case);
        composed && !algorithm.is_offloaded() || self.offers(algorithm, case)
    }
    /// Whether its file can express that as well.
    pub fn offers(self, algorithm: Algorithm, case: &Case) -> bool {
        let has = match self {
            Family::Mpich => mpich::name(case.kind, algorithm).is_some(),
            Family::OpenMpi => openmpi::offers(algorithm, case),
        };
        has && !algorithm.is_offloaded() && algorithm.is_applicable(case)
    }

    /// The text of a file with these `choices` for `kind`, sorted by ranks and bytes. A choice
    /// holds up to the next one, in ranks and in bytes. Below the smallest communicator the
    /// library's `own` rules hold.
    pub fn write(self, kind: Kind, choices: &[Choice], own: &Selection) -> String {
        debug_assert!(choices.is_sorted_by_key(|c| (c.ranks, c.bytes)));
        match self {
            Family::Mpich => mpich::write(kind, &mpich::rules(kind, choices, own)),
            Family::OpenMpi => openmpi::write(kind, choices),
        }
    }
}

/// The format of a tuning file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Format {
    /// MPICH's generic selection: `MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE`.
    Generic,
    /// Compositions of the device layer: `MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE`.
    Compositions,
    /// Within a node: `MPIR_CVAR_CH4_POSIX_COLL_SELECTION_TUNING_JSON_FILE`.
    Posix,
    /// Open MPI's rules, numbers or JSON: `OMPI_MCA_coll_tuned_dynamic_rules_filename`.
    OpenMpi,
}

impl Format {
    /// The format named in a request.
    pub fn from_name(word: &str) -> Option<Format> {
        Some(match word {
            "generic" => Format::Generic,
            "compositions" => Format::Compositions,
            "posix" => Format::Posix,
            "openmpi" => Format::OpenMpi,
            _ => return None,
        })
    }
}

/// Reads a file. Without a `format` it is recognized by its content: JSON begins with a brace, and
/// Open MPI's has a list `collectives`. `own` are the library's rules, which hold where the file
/// has none. `Err` has all errors, each with its place.
pub fn read(
    text: &str,
    format: Option<Format>,
    own: &Selection,
) -> Result<ParsedFile, Vec<String>> {
    let is_json = text.trim_start().starts_with('{');
    match format {
        Some(Format::OpenMpi) if is_json => openmpi_json::read(text, own),
        Some(Format::OpenMpi) => openmpi::read(text, own),
        None if is_json && openmpi_json::is_likely(text) => openmpi_json::read(text, own),
        None if !is_json => openmpi::read(text, own),
        _ => csel::read(text, format, own),
    }
}

impl ParsedFile {
    /// The library's rules, with those of the file in place of its collectives.
    pub fn over(self, own: &Selection) -> Selection {
        let mut selection = own.clone();
        for (kind, rules) in self.rules {
            let kept = |rule: &&Rule| self.after_compositions && rule.algorithm.is_composed();
            let composed = own.rules(kind).iter().filter(kept).copied();
            selection.replace(kind, composed.chain(rules).collect());
        }
        selection
    }
    fn note(&mut self, kind: Kind, words: String) {
        let note = (kind, words);
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

/// The library's own rules for `kind`, restricted to `place`, without MPICH's compositions, which a
/// file does not know.
fn own_rules_within(own: &Selection, kind: Kind, place: &Rule) -> Vec<Rule> {
    let rules = own.rules(kind).iter().filter(|rule| !rule.algorithm.is_composed());
    rules.filter_map(|rule| rule.and(place)).collect()
}

/// Groups of consecutive choices with equal ranks.
fn by_ranks(choices: &[Choice]) -> impl Iterator<Item = &[Choice]> {
    choices.chunk_by(|a, b| a.ranks == b.ranks)
}

/// Choices without those that repeat the previous one.
fn changes(choices: &[Choice]) -> Vec<Choice> {
    let mut kept: Vec<Choice> = Vec::new();
    for &choice in choices {
        if kept.last().is_none_or(|last| last.algorithm != choice.algorithm) {
            kept.push(choice);
        }
    }
    kept
}

#[cfg(test)]
mod documented;
#[cfg(test)]
mod tests;
