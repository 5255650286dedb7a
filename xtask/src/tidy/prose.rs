//! The prose rules of STYLE.md: length of a sentence, words that are never right, width of pages.
//!
//! A file's prose is cut into blocks (`extract.rs`), a block into sentences. Code, targets of links
//! and fenced text are not prose. A finding names the line, the rule and the first words.

mod extract;

use super::Findings;
use crate::workspace;
use extract::Word;
pub use extract::{Part, parts};
use std::collections::BTreeMap;
use std::fs;

/// Words of one sentence.
const WORDS: usize = 35;
/// Columns of a line of Markdown, without the targets of its links.
const COLUMNS: usize = 100;
/// First words of a sentence that a finding shows.
const SHOWN: usize = 8;

/// Words that are never right in prose, each with what to write instead.
const BANNED: &str = include_str!("words.txt");

/// Abbreviations that are followed by what they refer to, so they never end a sentence.
const LEADING: [&str; 15] = [
    "e.g.", "i.e.", "cf.", "vs.", "fig.", "figs.", "eq.", "eqs.", "sec.", "ch.", "p.", "pp.",
    "approx.", "ca.", "resp.",
];
/// Abbreviations that end a sentence if a capital letter follows.
const TRAILING: [&str; 3] = ["etc.", "al.", "no."];

/// All findings.
pub fn violations() -> Vec<String> {
    by_file(&workspace::files()).into_values().flatten().collect()
}

/// Prints the findings of `paths`, or, without paths, the number of findings of each file. Fails if
/// there are findings, or if a path has no file with prose.
pub fn print(paths: &[String]) -> bool {
    let chosen = match chosen(workspace::files(), paths) {
        Ok(chosen) => chosen,
        Err(wrong) => {
            for path in wrong {
                eprintln!("{path}: no file with prose, and no directory of such files");
            }
            return false;
        }
    };
    let all = by_file(&chosen);
    for (path, findings) in &all {
        if paths.is_empty() {
            println!("{:5} {path}", findings.len());
        } else {
            println!("{}", findings.join("\n"));
        }
    }
    all.is_empty()
}

/// The files with prose at or below `paths`, all of them without paths. `Err` has the paths that
/// select none.
fn chosen(mut files: Vec<String>, paths: &[String]) -> Result<Vec<String>, Vec<String>> {
    let selects = |path: &String, file: &String| {
        let path = path.strip_prefix("./").unwrap_or(path).trim_end_matches('/');
        let below =
            file.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        below || path == "."
    };
    files.retain(|file| extract::has_prose(file));
    let is_wrong = |path: &&String| !files.iter().any(|file| selects(path, file));
    let wrong: Vec<String> = paths.iter().filter(is_wrong).cloned().collect();
    if !wrong.is_empty() {
        return Err(wrong);
    }
    files.retain(|file| paths.is_empty() || paths.iter().any(|path| selects(path, file)));
    Ok(files)
}

/// Findings of each file that has any.
fn by_file(paths: &[String]) -> BTreeMap<String, Vec<String>> {
    let banned = banned(BANNED);
    let mut all = BTreeMap::new();
    for path in paths.iter().filter(|p| extract::has_prose(p)) {
        let Ok(text) = fs::read_to_string(workspace::root().join(path)) else { continue };
        let found = check(path, &text, &banned);
        if !found.is_empty() {
            let line = |(n, what)| format!("{path}:{n}: {what}");
            all.insert(path.clone(), found.into_iter().map(line).collect());
        }
    }
    all
}

/// A list file's lines without comments and blank lines.
fn entries(list: &str) -> impl Iterator<Item = &str> {
    list.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'))
}

/// Banned words or phrases in lower case, each with its replacement.
fn banned(list: &str) -> Vec<(Vec<String>, String)> {
    let split = |line: &str| {
        let (words, instead) = line.split_once(':').unwrap_or((line, ""));
        let words = words.split_whitespace().map(str::to_lowercase).collect();
        (words, instead.trim().to_string())
    };
    entries(list).map(split).collect()
}

fn check(path: &str, text: &str, banned: &[(Vec<String>, String)]) -> Findings {
    let mut found = Findings::new();
    for block in extract::blocks(path, text) {
        for sentence in sentences(&block) {
            let length = sentence.iter().filter(|w| w.counts()).count();
            // A list of identifiers is no sentence.
            let names = sentence.iter().filter(|w| w.code || w.text.contains('_')).count();
            let start = shown(sentence);
            if length > WORDS && 2 * names < length {
                let what = format!("a sentence of {length} words; at most {WORDS}: \"{start}\"");
                found.push((sentence[0].line, what));
            }
            for (line, word, instead) in banned_in(sentence, banned) {
                found.push((line, format!("`{word}`: write {instead}: \"{start}\"")));
            }
        }
    }
    if path.ends_with(".md") {
        found.extend(extract::wide_lines(text, COLUMNS).into_iter().map(|(line, columns)| {
            (line, format!("{columns} columns of Markdown; at most {COLUMNS}"))
        }));
    }
    found.sort();
    found
}

fn shown(sentence: &[Word]) -> String {
    let words: Vec<&str> = sentence.iter().take(SHOWN).map(|w| w.text.as_str()).collect();
    words.join(" ") + if sentence.len() > SHOWN { " ..." } else { "" }
}

/// The sentences of a block. A full stop, question or exclamation mark ends one, and so does the
/// end of the block.
fn sentences(block: &[Word]) -> Vec<&[Word]> {
    let mut found = Vec::new();
    let mut start = 0;
    for at in 0..block.len() {
        if at + 1 == block.len() || ends_sentence(block, at) {
            found.push(&block[start..=at]);
            start = at + 1;
        }
    }
    found
}

/// Whether the word at `at`, which is not the last one, ends a sentence.
fn ends_sentence(block: &[Word], at: usize) -> bool {
    let text = block[at].text.trim_end_matches(|c| ")]\"'*_".contains(c));
    if text.ends_with(['?', '!']) {
        return true;
    }
    let bare = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    // `J.` is an initial, but `8 B.` ends with a unit.
    let is_initial = bare.len() == 2 && bare.starts_with(char::is_uppercase);
    let follows_number = at > 0 && block[at - 1].text.ends_with(|c: char| c.is_ascii_digit());
    let bare = bare.to_lowercase();
    let capital_follows = || {
        let first = block[at + 1].text.chars().find(|c| c.is_alphanumeric());
        first.is_some_and(char::is_uppercase)
    };
    text.ends_with('.')
        && !LEADING.contains(&bare.as_str())
        && (!is_initial || follows_number)
        && (!TRAILING.contains(&bare.as_str()) || capital_follows())
}

/// Banned phrases of a sentence: line, phrase and replacement.
fn banned_in<'a>(
    sentence: &[Word],
    banned: &'a [(Vec<String>, String)],
) -> Vec<(usize, String, &'a str)> {
    let plain: Vec<String> = sentence.iter().map(Word::plain).collect();
    let mut found = Vec::new();
    for at in 0..plain.len() {
        for (phrase, instead) in banned {
            if plain[at..].starts_with(phrase) {
                found.push((sentence[at].line, phrase.join(" "), instead.as_str()));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests;
