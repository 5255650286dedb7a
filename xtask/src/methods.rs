//! The limit on methods per type. A type with more has several duties, so it is split into
//! components that own their state.
//!
//! Counts the functions of all inherent `impl` blocks of a type in one crate. Implementations of
//! traits and code of tests do not count. Types of one crate that have the same name count as one.
//! Reads Rust as tokens, so it does not find methods that macros write.

use crate::tokens::{Token, is_of_word, tokens};
use crate::workspace;
use std::collections::BTreeMap;
use std::fs;

/// Most methods of a type.
const MOST: usize = 60;

/// Methods by directory of the crate and name of the type.
type Counts = BTreeMap<(String, String), usize>;

/// Every type with too many methods.
pub fn violations() -> Vec<String> {
    exceeding(&counts())
}

fn exceeding(counts: &Counts) -> Vec<String> {
    let above = counts.iter().filter(|&(_, &n)| n > MOST);
    above
        .map(|((dir, name), n)| format!("{dir}: `{name}` has {n} methods; at most {MOST}"))
        .collect()
}

/// The methods of the types of all crates.
fn counts() -> Counts {
    let mut counts = Counts::new();
    for path in workspace::files() {
        let Some((dir, file)) = path.split_once("/src/") else { continue };
        let is_test = file.split('/').any(|part| part == "tests" || part == "tests.rs");
        if path.ends_with(".rs") && !is_test {
            let text = fs::read_to_string(workspace::root().join(&path)).unwrap_or_default();
            add(dir, &text, &mut counts);
        }
    }
    counts
}

/// Adds the methods in `text`, a source file of the crate in `dir`.
fn add(dir: &str, text: &str, counts: &mut Counts) {
    let words = words(text);
    let tokens: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut at = 0;
    while at < tokens.len() {
        if is_test_only(&tokens[at..]) {
            at = end_of_item(&tokens, at);
        } else if tokens[at] == "impl" && begins_item(&tokens[..at]) {
            let body = at + header(&tokens[at..]);
            let end = end_of_item(&tokens, body);
            if let Some(name) = inherent_type(&tokens[at + 1..body]) {
                let methods = functions(&tokens[body..end]);
                *counts.entry((dir.into(), name.into())).or_default() += methods;
            }
            at = end;
        } else {
            at += 1;
        }
    }
}

/// Whether the token after `before` begins an item, so that `impl` there is a block and no type.
fn begins_item(before: &[&str]) -> bool {
    before.last().is_none_or(|last| ["{", "}", ";", "]", "unsafe"].contains(last))
}

/// Number of tokens before the body of a block. Braces between `<` and `>` are constants.
fn header(block: &[&str]) -> usize {
    let mut depth = 0;
    let is_body = |&token: &&str| {
        depth += i32::from(token == "<") - i32::from(token == ">");
        token == "{" && depth == 0
    };
    block.iter().position(is_body).unwrap_or(block.len())
}

/// The name of the type of an inherent block, from the tokens between `impl` and `{`.
fn inherent_type<'a>(header: &[&'a str]) -> Option<&'a str> {
    let (mut depth, mut name) = (0, None);
    for &token in header {
        match token {
            "<" => depth += 1,
            ">" => depth -= 1,
            "where" if depth == 0 => break,
            "for" if depth == 0 => return None,
            word if depth == 0 && word.starts_with(is_of_word) => name = Some(word),
            _ => {}
        }
    }
    name
}

/// Functions declared directly in a block, which begins with its brace.
fn functions(block: &[&str]) -> usize {
    let (mut at, mut depth, mut n) = (0, 0, 0);
    while at < block.len() {
        if depth == 1 && is_test_only(&block[at..]) {
            at = end_of_item(block, at);
            continue;
        }
        match block[at] {
            "{" => depth += 1,
            "}" => depth -= 1,
            // Without a name it is the type of a pointer.
            "fn" if depth == 1 && block[at + 1].starts_with(is_of_word) => n += 1,
            _ => {}
        }
        at += 1;
    }
    n
}

/// Whether these tokens begin with `#[cfg(test)]`.
fn is_test_only(tokens: &[&str]) -> bool {
    tokens.starts_with(&["#", "[", "cfg", "(", "test", ")", "]"])
}

/// The index after the item at `at`: after its block, or after its semicolon.
fn end_of_item(tokens: &[&str], at: usize) -> usize {
    let mut depth = 0;
    for (i, &token) in tokens.iter().enumerate().skip(at) {
        match token {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth -= 1,
            _ => {}
        }
        if depth == 0 && (token == "}" || token == ";") {
            return i + 1;
        }
    }
    tokens.len()
}

/// The words and marks of a source file. Literals are left out.
fn words(text: &str) -> Vec<String> {
    let spelled = |token| match token {
        Token::Word(word) => Some(word),
        Token::Mark(mark) => Some(mark.to_string()),
        Token::Colons => Some("::".into()),
        Token::Arrow => Some("->".into()),
        Token::Text(_) => None,
    };
    tokens(text).into_iter().filter_map(spelled).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts_of(text: &str) -> Vec<(String, usize)> {
        let mut counts = Counts::new();
        add("crates/a", text, &mut counts);
        counts.into_iter().map(|((_, name), n)| (name, n)).collect()
    }

    #[test]
    fn no_type_has_too_many_methods() {
        let counts = counts();
        assert!(counts.len() > 200, "types of the whole workspace");
        let found = violations();
        assert!(found.is_empty(), "{}", found.join("\n"));
    }

    #[test]
    fn methods_of_all_inherent_blocks_count() {
        let text = "
            struct Queue;
            impl Queue { fn a(&self) { fn local() {} } pub(crate) const fn b() {} }
            #[allow(dead_code)]
            impl<T: Fn() -> u8, const N: usize> inner::Queue<T, { N }> where T: for<'a> Of<'a> {
                const F: fn(u8) = g;
                pub unsafe extern \"C\" fn c<'a>(x: impl Fn(&'a u8)) -> impl Sized {}
            }";
        assert_eq!(counts_of(text), [("Queue".to_string(), 3)]);
    }

    #[test]
    fn traits_tests_and_text_do_not_count() {
        let text = r##"
            impl<T> fmt::Display for Queue<T> { fn fmt(&self) {} }
            impl<F: for<'a> Fn(&'a u8)> Push for Queue<F> { fn push(&self) {} }
            fn open() -> impl Iterator { let c = ['{', '\'', b'"']; "impl Queue { fn a() {} " }
            // impl Queue { fn b() {} }
            /* /* nested */ impl Queue { fn c() {} } */
            const RAW: &str = r#"impl "Queue" { fn d() {} }"#;
            #[cfg(test)]
            impl Queue { fn e() {} }
            impl Queue { #[cfg(test)] fn f(&self) {} fn one(&self) {} }
            #[cfg(test)]
            mod tests { impl Queue { fn g() {} } }
        "##;
        assert_eq!(counts_of(text), [("Queue".to_string(), 1)]);
    }

    #[test]
    fn types_above_the_limit_are_found() {
        let counts = |n| Counts::from([(("crates/a".into(), "Queue".into()), n)]);
        assert_eq!(exceeding(&counts(MOST)), Vec::<String>::new());
        let found = exceeding(&counts(MOST + 1));
        assert_eq!(found, ["crates/a: `Queue` has 61 methods; at most 60"]);
    }
}
