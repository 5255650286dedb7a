//! Comments of Rust; comments, docstrings and help texts of Python.
//!
//! Each text is a list of numbered lines without comment marks. Comments on consecutive lines are
//! one text, except that a comment beside code is continued only in its own column. The readers
//! know literals well enough to find no comment inside of them. With `literals`, each string
//! literal that contains a blank is a text as well, except raw ones, which hold data.

/// One comment, docstring or help text: numbered lines.
pub type Text = Vec<(usize, String)>;

/// A file's characters, read from the front.
struct Reader {
    text: Vec<char>,
    at: usize,
    line: usize,
    /// Characters of the line before this place.
    column: usize,
    /// Whether only blanks stand before this place in its line.
    fresh: bool,
}

impl Reader {
    fn new(text: &str) -> Reader {
        Reader { text: text.chars().collect(), at: 0, line: 1, column: 0, fresh: true }
    }

    fn peek(&self, ahead: usize) -> char {
        self.text.get(self.at + ahead).copied().unwrap_or('\0')
    }

    fn done(&self) -> bool {
        self.at >= self.text.len()
    }

    fn next(&mut self) -> char {
        let c = self.peek(0);
        self.at += 1;
        self.line += usize::from(c == '\n');
        self.column = if c == '\n' { 0 } else { self.column + 1 };
        self.fresh = c == '\n' || self.fresh && c.is_whitespace();
        c
    }

    fn starts(&self, what: &str) -> bool {
        what.chars().enumerate().all(|(i, c)| self.peek(i) == c)
    }

    fn rest_of_line(&mut self) -> String {
        let mut out = String::new();
        while !self.done() && self.peek(0) != '\n' {
            out.push(self.next());
        }
        out
    }

    /// The text up to `end`, which is skipped too. A backslash takes its successor along.
    fn until(&mut self, end: &str, escapes: bool) -> String {
        let mut out = String::new();
        while !self.done() && !self.starts(end) {
            let c = self.next();
            out.push(c);
            if c == '\\' && escapes {
                out.push(self.next());
            }
        }
        for _ in end.chars() {
            self.next();
        }
        out
    }

    fn word(&mut self) -> String {
        let mut out = String::new();
        while self.peek(0).is_alphanumeric() || self.peek(0) == '_' {
            out.push(self.next());
        }
        out
    }
}

/// The place of a comment.
#[derive(Clone, Copy)]
struct Place {
    line: usize,
    column: usize,
    /// Whether no code stands before it in its line.
    alone: bool,
}

/// Collects comments, and joins those on consecutive lines with equal marks.
#[derive(Default)]
struct Comments {
    texts: Vec<Text>,
    last: Option<(Place, String)>,
}

impl Comments {
    fn add(&mut self, place: Place, mark: &str, text: &str) {
        let text = text.strip_prefix(' ').unwrap_or(text).to_string();
        let joins = self.last.as_ref().is_some_and(|(last, its_mark)| {
            let continues = place.alone && (last.alone || last.column == place.column);
            last.line + 1 == place.line && its_mark == mark && continues
        });
        match self.texts.last_mut().filter(|_| joins) {
            Some(open) => open.push((place.line, text)),
            None => self.texts.push(vec![(place.line, text)]),
        }
        // A continuation belongs to the comment that it continues.
        let alone =
            place.alone && !self.last.as_ref().is_some_and(|(last, _)| joins && !last.alone);
        self.last = Some((Place { alone, ..place }, mark.to_string()));
    }
}

pub fn rust(text: &str, literals: bool) -> Vec<Text> {
    let mut comments = Comments::default();
    let mut strings: Vec<Text> = Vec::new();
    let mut r = Reader::new(text);
    while !r.done() {
        let (line, place) = (r.line, Place { line: r.line, column: r.column, alone: r.fresh });
        if r.starts("//") {
            let whole = r.rest_of_line();
            let mark = ["///", "//!", "//"].into_iter().find(|m| whole.starts_with(m));
            let mark = mark.unwrap_or("//");
            comments.add(place, mark, &whole[mark.len()..]);
        } else if r.starts("/*") {
            let body = r.until("*/", false);
            let lines = body.trim_start_matches(['/', '*', '!']).lines().enumerate();
            comments.texts.push(lines.map(|(i, l)| (line + i, l.trim().to_string())).collect());
        } else if r.peek(0) == '"' {
            r.next();
            let body = r.until("\"", true);
            if literals && body.contains(' ') {
                strings.push(unwrapped(&body, line));
            }
        } else if r.peek(0) == '\'' {
            r.next();
            if r.peek(0) == '\\' {
                r.next();
                r.next();
                r.until("'", false);
            } else if r.peek(1) == '\'' {
                r.next();
                r.next();
            }
        } else if r.peek(0).is_alphabetic() {
            let word = r.word();
            if ["r", "br", "cr"].contains(&word.as_str()) && "#\"".contains(r.peek(0)) {
                let mut hashes = String::new();
                while r.peek(0) == '#' {
                    hashes.push(r.next());
                }
                if r.peek(0) == '"' {
                    r.next();
                    r.until(&format!("\"{hashes}"), false);
                }
            }
        } else {
            r.next();
        }
    }
    comments.texts.extend(strings);
    comments.texts
}

/// The lines of a string literal of Rust. A backslash at the end of a line removes the line break
/// and the indentation after it; the reader of Markdown does the same.
fn unwrapped(body: &str, line: usize) -> Text {
    let plain = body.replace("\\\"", "\"").replace("\\n", " ");
    let lines = plain.lines().enumerate();
    lines.map(|(i, text)| (line + i, text.trim_end_matches('\\').trim().to_string())).collect()
}

/// What the reader of Python has seen last, as far as help texts need it.
#[derive(PartialEq)]
enum Seen {
    Other,
    Name,
    /// After `help=`, perhaps with an opening bracket.
    Help,
    /// After a literal of a help text, which an adjacent one continues.
    Literal,
}

/// Arguments of click and argparse whose strings users read.
const HELP: [&str; 5] = ["help", "short_help", "epilog", "description", "metavar_help"];

pub fn python(text: &str, literals: bool) -> Vec<Text> {
    let mut comments = Comments::default();
    let mut strings: Vec<Text> = Vec::new();
    let mut r = Reader::new(text);
    let (mut depth, mut seen) = (0usize, Seen::Other);
    while !r.done() {
        let (line, fresh, c) = (r.line, r.fresh, r.peek(0));
        if c == '#' {
            let place = Place { line, column: r.column, alone: fresh };
            let whole = r.rest_of_line();
            comments.add(place, "#", whole.trim_start_matches('#'));
        } else if c.is_alphabetic() || c == '_' {
            let word = r.word();
            let prefix = word.chars().count() <= 2 && word.chars().all(|c| "rRbBfFuU".contains(c));
            if prefix && "\"'".contains(r.peek(0)) {
                literal(&mut r, fresh && depth == 0, literals, &mut seen, &mut strings);
            } else if HELP.contains(&word.as_str()) {
                seen = Seen::Name;
            } else {
                seen = Seen::Other;
            }
        } else if c == '"' || c == '\'' {
            literal(&mut r, fresh && depth == 0, literals, &mut seen, &mut strings);
        } else {
            r.next();
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            seen = match c {
                '=' if seen == Seen::Name && r.peek(0) != '=' => Seen::Help,
                '(' if seen == Seen::Help => Seen::Help,
                _ if c.is_whitespace() => seen,
                _ => Seen::Other,
            };
        }
    }
    comments.texts.extend(strings);
    comments.texts
}

/// Reads a literal, and keeps it if it is a docstring or belongs to a help text. With `literals`,
/// one that contains a blank begins a help text.
fn literal(
    r: &mut Reader,
    docstring: bool,
    literals: bool,
    seen: &mut Seen,
    strings: &mut Vec<Text>,
) {
    let line = r.line;
    let quote = r.next().to_string();
    let triple = quote.repeat(2);
    let body = if r.starts(&triple) {
        r.next();
        r.next();
        r.until(&quote.repeat(3), true)
    } else {
        r.until(&quote, true)
    };
    let escaped = body.replace("\\\n", "\u{0}\n").replace("\\\"", "\"").replace("\\'", "'");
    if docstring {
        strings.push(dedented(&escaped, line));
    } else if *seen == Seen::Help || *seen != Seen::Literal && literals && body.contains(' ') {
        strings.push(vec![(line, escaped.replace("\\n", " "))]);
        *seen = Seen::Literal;
    } else if *seen == Seen::Literal {
        // A word may continue in the next literal.
        let part = escaped.replace("\\n", " ");
        let open = strings.last_mut().expect("a help text has begun");
        match part.strip_prefix(' ') {
            None if !open.last().is_some_and(|(_, text)| text.ends_with(' ')) => {
                open.last_mut().expect("it has a line").1 += &part;
            }
            _ => open.push((line, part)),
        }
    }
}

/// A docstring's lines without their common indentation.
fn dedented(body: &str, line: usize) -> Text {
    let margin = |l: &str| l.len() - l.trim_start().len();
    let common = body.lines().skip(1).filter(|l| !l.trim().is_empty()).map(margin).min();
    let cut = |(i, l): (usize, &str)| {
        let l = if i == 0 { l } else { l.get(common.unwrap_or(0)..).unwrap_or("") };
        (line + i, l.to_string())
    };
    body.lines().enumerate().map(cut).collect()
}
