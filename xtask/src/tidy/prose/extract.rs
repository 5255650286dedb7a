//! Blocks of prose in Markdown pages, in comments of Rust, Python and manifests, in docstrings and
//! in help texts.
//!
//! A block is a paragraph, a heading, an item of a list or a cell of a table. It is a list of words
//! with their lines. Comments and docstrings are read as Markdown.

mod source;

/// A word of prose. Code in backquotes is one word, whatever it contains.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Word {
    pub line: usize,
    pub text: String,
    pub code: bool,
}

impl Word {
    /// Whether it counts towards the length of a sentence.
    pub fn counts(&self) -> bool {
        self.code || self.text.contains(char::is_alphanumeric)
    }

    /// In lower case and without punctuation around it; empty for code.
    pub fn plain(&self) -> String {
        if self.code {
            return String::new();
        }
        let text = self.text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        text.strip_suffix("'s").unwrap_or(&text).to_string()
    }
}

pub type Block = Vec<Word>;

/// Files whose string literals are help texts and reference pages.
const HELP_TABLES: [&str; 3] =
    ["crates/machine/src/schema.rs", "crates/api/src/vocabulary/", "python/odonata/_vocabulary.py"];

/// Files whose comments begin with `#`, as in Python.
const MANIFESTS: [&str; 5] =
    ["Cargo.toml", "Makefile", "clippy.toml", "mkdocs.yml", "pyproject.toml"];

pub fn has_prose(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    [".md", ".rs", ".py", ".pyi"].iter().any(|end| path.ends_with(end)) || MANIFESTS.contains(&name)
}

/// The blocks of a file, in order.
pub fn blocks(path: &str, text: &str) -> Vec<Block> {
    if path.ends_with(".md") {
        let lines: Vec<_> = text.lines().enumerate().map(|(i, l)| (i + 1, l.to_string())).collect();
        return markdown(&lines);
    }
    let literals = HELP_TABLES.iter().any(|table| path.starts_with(table));
    let read = if path.ends_with(".rs") { source::rust } else { source::python };
    read(text, literals).iter().flat_map(|lines| markdown(lines)).collect()
}

/// What a line of Markdown is part of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    Text,
    /// Fenced code or a formula, including the fences.
    Fenced,
    /// An HTML comment.
    Comment,
}

/// The part of each line. A fence in a comment opens no code, and `<!--` in code no comment.
pub fn parts<'a>(lines: impl Iterator<Item = &'a str>) -> impl Iterator<Item = Part> {
    let mut part = Part::Text;
    lines.map(move |line| {
        let here = match part {
            Part::Text if is_fence(line) => Part::Fenced,
            Part::Text if line.trim_start_matches([' ', '>']).starts_with("<!--") => Part::Comment,
            _ => part,
        };
        let ends = match here {
            Part::Text => false,
            Part::Fenced => part == Part::Fenced && is_fence(line),
            Part::Comment => line.contains("-->"),
        };
        part = if ends { Part::Text } else { here };
        here
    })
}

/// Lines of a page that are wider than `columns`, each with its width. Tables, code and the targets
/// of links do not count.
pub fn wide_lines(text: &str, columns: usize) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for ((i, line), part) in text.lines().enumerate().zip(parts(text.lines())) {
        let is_table = line.trim_start().starts_with('|');
        if part == Part::Fenced || is_table || line.starts_with("    ") {
            continue;
        }
        let width = words(&[(i, line.to_string())])
            .iter()
            .map(|w| if w.text.contains("://") { 0 } else { w.text.chars().count() + 1 })
            .sum::<usize>()
            .saturating_sub(1);
        if line.chars().count() > columns && width > columns {
            found.push((i + 1, width));
        }
    }
    found
}

fn is_fence(line: &str) -> bool {
    ["```", "~~~", "$$"].iter().any(|f| line.trim_start().starts_with(f))
        && !(line.trim().len() > 4 && line.trim().ends_with("$$"))
}

/// The blocks of Markdown text, given as numbered lines.
fn markdown(lines: &[(usize, String)]) -> Vec<Block> {
    let mut out = Vec::new();
    let mut open: Vec<(usize, String)> = Vec::new();
    let (mut verbatim, mut list) = (false, false);
    for ((n, line), part) in lines.iter().zip(parts(lines.iter().map(|(_, line)| line.as_str()))) {
        let (n, text) = (*n, line.trim());
        let text = text.trim_start_matches("> ").trim();
        match part {
            Part::Text => {}
            Part::Comment => continue,
            Part::Fenced => {
                close(&mut open, &mut out);
                continue;
            }
        }
        // click prints a paragraph after `\b` as it stands.
        if verbatim || text == "\\b" {
            verbatim = !text.is_empty();
            close(&mut open, &mut out);
            continue;
        }
        let indented = line.starts_with("    ");
        if text.is_empty() {
            close(&mut open, &mut out);
        } else if open.is_empty() && indented && !list {
            continue;
        } else if text.starts_with('|') {
            close(&mut open, &mut out);
            out.extend(cells(text).into_iter().map(|cell| words(&[(n, cell)])));
        } else if text.starts_with("# ") || text.starts_with("##") {
            close(&mut open, &mut out);
            out.push(words(&[(n, text.trim_start_matches('#').to_string())]));
            list = false;
        } else if let Some(item) = item(text) {
            close(&mut open, &mut out);
            open.push((n, item.to_string()));
            list = true;
        } else {
            list &= !open.is_empty() || line.starts_with(' ');
            open.push((n, text.to_string()));
        }
    }
    close(&mut open, &mut out);
    out.retain(|block| !block.is_empty());
    out
}

fn close(open: &mut Vec<(usize, String)>, out: &mut Vec<Block>) {
    out.push(words(&std::mem::take(open)));
}

/// The text of a list's item, without its bullet or number.
fn item(text: &str) -> Option<&str> {
    let bullet = ["- ", "* ", "+ "].iter().find_map(|b| text.strip_prefix(b));
    bullet.or_else(|| {
        let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let number = text.len() > rest.len();
        number.then(|| rest.strip_prefix(". ").or(rest.strip_prefix(") ")))?
    })
}

/// The cells of a table's row. A `|` in code or after `\` separates nothing.
fn cells(row: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let (mut code, mut escaped) = (false, false);
    for c in row.chars() {
        code ^= c == '`';
        if c == '|' && !code && !escaped {
            out.push(String::new());
        } else {
            out.last_mut().expect("one cell at least").push(c);
        }
        escaped = c == '\\';
    }
    out.retain(|cell| cell.contains(char::is_alphanumeric));
    out
}

/// The words of a block's lines, without tags, emphasis and the targets of links.
fn words(lines: &[(usize, String)]) -> Block {
    let mut text: Vec<(usize, char)> = Vec::new();
    for (n, line) in lines {
        text.extend(line.chars().chain(['\n']).map(|c| (*n, c)));
    }
    let run = |at: usize| text[at..].iter().take_while(|(_, c)| *c == '`').count();
    let find = |from: usize, c: char| (from..text.len()).find(|&i| text[i].1 == c);
    let mut out = Block::new();
    let mut word = Word::default();
    let mut at = 0;
    while at < text.len() {
        let (line, c) = text[at];
        let next = text.get(at + 1).map_or(' ', |t| t.1);
        if c == '`' {
            let ticks = run(at);
            let mut end = at + ticks;
            while end < text.len() && run(end) != ticks {
                end += run(end).max(1);
            }
            if end < text.len() {
                begin(&mut word, line);
                word.text.extend(
                    text[at..end + ticks].iter().map(|t| if t.1 == '\n' { ' ' } else { t.1 }),
                );
                word.code = true;
                at = end + ticks;
                continue;
            }
        }
        if c == ']' && (next == '(' || next == '[') {
            let close = if next == '(' { ')' } else { ']' };
            at = find(at + 2, close).unwrap_or(at + 1) + 1;
            continue;
        }
        let tag = next.is_alphabetic() || next == '/';
        if c == '<'
            && tag
            && let Some(end) = find(at, '>').filter(|end| end - at < 80)
        {
            at = end + 1;
            continue;
        }
        if c.is_whitespace() {
            finish(&mut word, &mut out);
        } else if !"[]*".contains(c) {
            begin(&mut word, line);
            word.text.push(c);
        }
        at += 1;
    }
    finish(&mut word, &mut out);
    out
}

fn begin(word: &mut Word, line: usize) {
    if word.text.is_empty() {
        word.line = line;
    }
}

fn finish(word: &mut Word, out: &mut Block) {
    if !word.text.is_empty() {
        word.code |= word.text.contains("://");
        out.push(std::mem::take(word));
    }
}
