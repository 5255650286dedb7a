//! Tokens of a Rust source for the rules on modules and methods: no comments, lifetimes or numbers.

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Token {
    Word(String),
    /// The contents of a string literal, with escapes.
    Text(String),
    /// `::`
    Colons,
    /// `->` or `=>`, whose `>` closes no bracket.
    Arrow,
    Mark(char),
}

impl Token {
    pub fn word(&self) -> Option<&str> {
        match self {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }

    pub fn is(&self, word: &str) -> bool {
        self.word() == Some(word)
    }
}

pub fn tokens(text: &str) -> Vec<Token> {
    let text: Vec<char> = text.chars().collect();
    let mut out = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        at += match rest {
            ['/', '/', ..] => length(rest, |c| c != '\n'),
            ['/', '*', ..] => block_comment(rest),
            [':', ':', ..] => {
                out.push(Token::Colons);
                2
            }
            ['-' | '=', '>', ..] => {
                out.push(Token::Arrow);
                2
            }
            ['"', ..] => {
                let end = closing_quote(rest);
                out.push(Token::Text(rest[1..end].iter().collect()));
                end + 1
            }
            ['\'', '\\', _, ..] => 4 + length(&rest[3..], |c| c != '\''),
            ['\'', _, '\'', ..] => 3,
            // A lifetime.
            ['\'', ..] => 1 + length(&rest[1..], is_of_word),
            [c, ..] if is_of_word(*c) => {
                let end = length(rest, is_of_word);
                let word: String = rest[..end].iter().collect();
                match raw_string(&word, &rest[end..]) {
                    Some((from, to, close)) => {
                        out.push(Token::Text(rest[end + from..end + to].iter().collect()));
                        end + to + close
                    }
                    None if c.is_numeric() => end,
                    None => {
                        out.push(Token::Word(word));
                        end
                    }
                }
            }
            [c, ..] => {
                if !c.is_whitespace() {
                    out.push(Token::Mark(*c));
                }
                1
            }
            [] => break,
        };
    }
    out
}

pub fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The number of leading characters that satisfy a condition.
fn length(text: &[char], of: impl Fn(char) -> bool) -> usize {
    text.iter().take_while(|c| of(**c)).count()
}

/// The length of a block comment, which may contain others.
fn block_comment(text: &[char]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        match &text[at..] {
            ['/', '*', ..] => (depth, at) = (depth + 1, at + 2),
            ['*', '/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// The place of the quote that ends the string at the front of `text`.
fn closing_quote(text: &[char]) -> usize {
    let mut at = 1;
    while at < text.len() && text[at] != '"' {
        at += if text[at] == '\\' { 2 } else { 1 };
    }
    at.min(text.len())
}

/// The first and last place of a raw string's contents behind its prefix, and its closing's length.
fn raw_string(prefix: &str, text: &[char]) -> Option<(usize, usize, usize)> {
    let hashes = length(text, |c| c == '#');
    if !["r", "br", "cr"].contains(&prefix) || text.get(hashes) != Some(&'"') {
        return None;
    }
    let contents = &text[hashes + 1..];
    let closes =
        |at: &usize| contents[*at] == '"' && length(&contents[at + 1..], |c| c == '#') >= hashes;
    let end = (0..contents.len()).find(closes).unwrap_or(contents.len());
    Some((hashes + 1, hashes + 1 + end, hashes + 1))
}
