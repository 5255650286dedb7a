//! The prose rules of STYLE.md: length of a sentence, words that are never right, width of pages.
//!
//! A file's prose is cut into blocks (`extract.rs`), a block into sentences. Code, targets of links
//! and fenced text are not prose. A finding names the line, the rule and the first words.

mod extract;

use super::Findings;
use crate::workspace;
use extract::{Block, Word};
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
/// Files that still have findings. One without findings has to leave this list.
const EXEMPT: &str = include_str!("prose_exempt.txt");

/// Final words that end in a full stop and do not end a sentence.
const ABBREVIATIONS: [&str; 17] = [
    "e.g.", "i.e.", "cf.", "vs.", "al.", "fig.", "figs.", "eq.", "eqs.", "sec.", "ch.", "no.",
    "p.", "pp.", "approx.", "ca.", "resp.",
];

/// All findings of files that are not exempt, and files that are exempt without a reason.
pub fn violations() -> Vec<String> {
    let exempt: Vec<&str> = entries(EXEMPT).collect();
    let all = by_file(&workspace::files());
    let mut found = Vec::new();
    for (path, findings) in &all {
        if !exempt.contains(&path.as_str()) {
            found.extend(findings.iter().cloned());
        }
    }
    found.extend(exempt.iter().filter(|path| !all.contains_key(**path)).map(|path| {
        format!("xtask/src/tidy/prose_exempt.txt: {path} has no findings; remove it from the list")
    }));
    found
}

/// Prints the findings of `paths`, or, without paths, the number of findings of each file.
pub fn print(paths: &[String]) -> bool {
    let files = workspace::files();
    let chosen: Vec<String> = match paths {
        [] => files,
        _ => files.into_iter().filter(|f| paths.iter().any(|p| f.starts_with(p))).collect(),
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
fn sentences(block: &Block) -> Vec<&[Word]> {
    block.split_inclusive(ends_sentence).filter(|s| !s.is_empty()).collect()
}

fn ends_sentence(word: &Word) -> bool {
    let text = word.text.trim_end_matches(|c| ")]\"'*_".contains(c));
    let abbreviated = |text: &str| {
        let bare = text.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let initial = bare.chars().count() == 2 && text.chars().any(char::is_uppercase);
        ABBREVIATIONS.contains(&bare.as_str()) || initial && bare.ends_with('.')
    };
    text.ends_with(['?', '!']) || text.ends_with('.') && !abbreviated(text)
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
