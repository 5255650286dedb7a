//! Query options and filters of OData: the parts that documents and metrics use.
//!
//! Comparisons (`eq ne gt ge lt le`), `and`, `or`, `not`, parentheses, and the functions
//! `contains`, `startswith` and `endswith`. Knows no documents: it evaluates names through a
//! function.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde_json::Value;

/// Nesting beyond this is an error, so that no query exhausts the stack.
const MAX_DEPTH: usize = 32;
/// More terms are an error: each one is evaluated per document, up to 10^5 of them.
const MAX_TERMS: usize = 1_000;

/// A value of a field or in a filter.
#[derive(Clone, PartialEq, Debug)]
pub enum Scalar {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
}

impl Scalar {
    pub fn of(value: &Value) -> Scalar {
        match value {
            Value::Bool(flag) => Scalar::Bool(*flag),
            Value::Number(number) => Scalar::Number(number.as_f64().unwrap_or(f64::NAN)),
            Value::String(text) => Scalar::Text(text.clone()),
            _ => Scalar::Null,
        }
    }

    /// Numbers compare with text that spells a number, since sensors have their values as text.
    pub fn compare(&self, other: &Scalar) -> Option<Ordering> {
        match (self, other) {
            (Scalar::Number(a), Scalar::Number(b)) => a.partial_cmp(b),
            (Scalar::Text(a), Scalar::Text(b)) => Some(a.cmp(b)),
            (Scalar::Bool(a), Scalar::Bool(b)) => Some(a.cmp(b)),
            (Scalar::Null, Scalar::Null) => Some(Ordering::Equal),
            (Scalar::Text(a), Scalar::Number(b)) => a.parse::<f64>().ok()?.partial_cmp(b),
            (Scalar::Number(a), Scalar::Text(b)) => a.partial_cmp(&b.parse::<f64>().ok()?),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Comparison {
    Eq,
    Ne,
    Gt,
    Ge,
    Lt,
    Le,
}

#[derive(Clone, PartialEq, Debug)]
enum Node {
    Compare(String, Comparison, Scalar),
    Match(Function, String, String),
    /// Lists, so that the depth of a filter does not grow with the number of its terms.
    And(Vec<Node>),
    Or(Vec<Node>),
    Not(Box<Node>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Function {
    Contains,
    StartsWith,
    EndsWith,
}

/// A parsed filter.
#[derive(Clone, PartialEq, Debug)]
pub struct Filter(Node);

#[derive(Clone, PartialEq, Debug)]
enum Token {
    Name(String),
    Literal(Scalar),
    Open,
    Close,
    Comma,
}

impl Filter {
    /// Parses a filter, or explains what is wrong with it.
    pub fn parse(text: &str) -> Result<Filter, String> {
        let mut parser = Parser { tokens: tokens(text)?, at: 0, terms: 0 };
        let node = parser.alternatives(0)?;
        match parser.tokens.get(parser.at) {
            None => Ok(Filter(node)),
            Some(token) => Err(format!("unexpected {token:?} in $filter")),
        }
    }

    pub fn accepts(&self, field: &dyn Fn(&str) -> Option<Scalar>) -> bool {
        accepts(&self.0, &mut Fields { field, known: BTreeMap::new() })
    }

    /// The text that a field must equal for the filter to accept, if there is only one.
    pub fn required(&self, name: &str) -> Option<&str> {
        required(&self.0, name)
    }
}

fn required<'a>(node: &'a Node, name: &str) -> Option<&'a str> {
    match node {
        Node::Compare(field, Comparison::Eq, Scalar::Text(text)) if field == name => Some(text),
        Node::And(all) => all.iter().find_map(|node| required(node, name)),
        _ => None,
    }
}

/// The fields of a document that terms have read: those of ports and links are computed, and many
/// terms may name the same one.
struct Fields<'a, 'f> {
    field: &'f dyn Fn(&str) -> Option<Scalar>,
    known: BTreeMap<&'a str, Scalar>,
}

impl<'a> Fields<'a, '_> {
    fn get(&mut self, name: &'a str) -> &Scalar {
        let field = self.field;
        self.known.entry(name).or_insert_with(|| field(name).unwrap_or(Scalar::Null))
    }
}

fn accepts<'a>(node: &'a Node, fields: &mut Fields<'a, '_>) -> bool {
    match node {
        Node::And(all) => all.iter().all(|node| accepts(node, fields)),
        Node::Or(any) => any.iter().any(|node| accepts(node, fields)),
        Node::Not(a) => !accepts(a, fields),
        Node::Match(function, name, text) => {
            let Scalar::Text(value) = fields.get(name) else { return false };
            match function {
                Function::Contains => value.contains(text.as_str()),
                Function::StartsWith => value.starts_with(text.as_str()),
                Function::EndsWith => value.ends_with(text.as_str()),
            }
        }
        Node::Compare(name, comparison, literal) => {
            let order = fields.get(name).compare(literal);
            match comparison {
                Comparison::Eq => order == Some(Ordering::Equal),
                Comparison::Ne => order != Some(Ordering::Equal),
                Comparison::Gt => order == Some(Ordering::Greater),
                Comparison::Lt => order == Some(Ordering::Less),
                Comparison::Ge => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
                Comparison::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            }
        }
    }
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(c) = rest.chars().next() {
        let used = match c {
            '(' | ')' | ',' => {
                tokens.push(match c {
                    '(' => Token::Open,
                    ')' => Token::Close,
                    _ => Token::Comma,
                });
                1
            }
            '\'' => {
                let (text, used) = quoted(rest)?;
                tokens.push(Token::Literal(Scalar::Text(text)));
                used
            }
            c if c.is_ascii_alphanumeric() || "_@-.".contains(c) => {
                let legal = |c: char| c.is_ascii_alphanumeric() || "_@-./".contains(c);
                let end = rest.find(|c: char| !legal(c)).unwrap_or(rest.len());
                tokens.push(word(&rest[..end]));
                end
            }
            c => return Err(format!("unexpected character {c:?} in $filter")),
        };
        rest = rest[used..].trim_start();
    }
    Ok(tokens)
}

fn word(text: &str) -> Token {
    match text {
        "true" => Token::Literal(Scalar::Bool(true)),
        "false" => Token::Literal(Scalar::Bool(false)),
        "null" => Token::Literal(Scalar::Null),
        _ => match text.parse::<f64>() {
            Ok(number) if !text.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                Token::Literal(Scalar::Number(number))
            }
            _ => Token::Name(text.to_string()),
        },
    }
}

/// A text in single quotes, in which two of them stand for one, and its length in the source.
fn quoted(text: &str) -> Result<(String, usize), String> {
    let mut out = String::new();
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        if c != '\'' {
            out.push(c);
        } else if chars.peek().is_some_and(|&(_, next)| next == '\'') {
            chars.next();
            out.push('\'');
        } else {
            return Ok((out, at + 1));
        }
    }
    Err("a quote without its end in $filter".to_string())
}

/// The only node, or all of them joined.
fn single(mut nodes: Vec<Node>, joined: fn(Vec<Node>) -> Node) -> Node {
    match nodes.pop() {
        Some(only) if nodes.is_empty() => only,
        last => {
            nodes.extend(last);
            joined(nodes)
        }
    }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    /// Comparisons and functions so far.
    terms: usize,
}

impl Parser {
    fn take(&mut self) -> Option<Token> {
        let token = self.tokens.get(self.at).cloned();
        self.at += 1;
        token
    }

    fn take_word(&mut self, word: &str) -> bool {
        let is_next = matches!(self.tokens.get(self.at), Some(Token::Name(name)) if name == word);
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, token: Token) -> Result<(), String> {
        match self.take() {
            Some(found) if found == token => Ok(()),
            found => Err(format!("expected {token:?}, found {found:?} in $filter")),
        }
    }

    fn alternatives(&mut self, depth: usize) -> Result<Node, String> {
        let first = self.conjunction(depth)?;
        let mut any = vec![first];
        while self.take_word("or") {
            any.push(self.conjunction(depth)?);
        }
        Ok(single(any, Node::Or))
    }

    fn conjunction(&mut self, depth: usize) -> Result<Node, String> {
        let first = self.term(depth)?;
        let mut all = vec![first];
        while self.take_word("and") {
            all.push(self.term(depth)?);
        }
        Ok(single(all, Node::And))
    }

    fn term(&mut self, depth: usize) -> Result<Node, String> {
        if depth > MAX_DEPTH {
            return Err(format!("more than {MAX_DEPTH} nested terms in $filter"));
        }
        if self.take_word("not") {
            return Ok(Node::Not(Box::new(self.term(depth + 1)?)));
        }
        match self.take() {
            Some(Token::Open) => {
                let node = self.alternatives(depth + 1)?;
                self.expect(Token::Close)?;
                Ok(node)
            }
            Some(Token::Name(name)) => self.named(name),
            found => Err(format!("expected a field, found {found:?} in $filter")),
        }
    }

    fn named(&mut self, name: String) -> Result<Node, String> {
        self.terms += 1;
        if self.terms > MAX_TERMS {
            return Err(format!("more than {MAX_TERMS} terms in $filter"));
        }
        if self.tokens.get(self.at) == Some(&Token::Open) {
            let function = match name.as_str() {
                "contains" => Function::Contains,
                "startswith" => Function::StartsWith,
                "endswith" => Function::EndsWith,
                _ => return Err(format!("unknown function {name} in $filter")),
            };
            self.at += 1;
            let Some(Token::Name(field)) = self.take() else {
                return Err(format!("{name}() needs a field in $filter"));
            };
            self.expect(Token::Comma)?;
            let Some(Token::Literal(Scalar::Text(text))) = self.take() else {
                return Err(format!("{name}() needs a text in $filter"));
            };
            self.expect(Token::Close)?;
            return Ok(Node::Match(function, field, text));
        }
        let comparison = match self.take() {
            Some(Token::Name(word)) => match word.as_str() {
                "eq" => Comparison::Eq,
                "ne" => Comparison::Ne,
                "gt" => Comparison::Gt,
                "ge" => Comparison::Ge,
                "lt" => Comparison::Lt,
                "le" => Comparison::Le,
                _ => return Err(format!("unknown operator {word} in $filter")),
            },
            found => return Err(format!("expected an operator, found {found:?} in $filter")),
        };
        match self.take() {
            Some(Token::Literal(literal)) => Ok(Node::Compare(name, comparison, literal)),
            found => Err(format!("expected a value, found {found:?} in $filter")),
        }
    }
}

/// The options of a query.
#[derive(Clone, Debug, Default)]
pub struct Query {
    pub filter: Option<Filter>,
    pub filter_text: String,
    pub top: Option<usize>,
    pub limit: Option<usize>,
    pub skip: usize,
    pub count: bool,
    /// Field, and whether in descending order.
    pub orderby: Option<(String, bool)>,
    pub expand: bool,
}

impl Query {
    /// Parses the part of an address after `?`. Options that it does not know are ignored.
    pub fn parse(text: &str) -> Result<Query, String> {
        let mut query = Query::default();
        let text = text.strip_prefix('?').unwrap_or(text);
        for pair in text.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (name, value) = (decoded(name)?, decoded(value)?);
            let number = || value.parse::<usize>().map_err(|_| format!("{name} needs a number"));
            match name.as_str() {
                "$filter" => {
                    query.filter = Some(Filter::parse(&value)?);
                    query.filter_text = value;
                }
                "$top" => query.top = Some(number()?),
                "$limit" => query.limit = Some(number()?.max(1)),
                "$skip" => query.skip = number()?,
                "$count" => query.count = value == "true",
                "$orderby" => {
                    let (field, order) = value.split_once(' ').unwrap_or((&value, "asc"));
                    if !matches!(order.trim(), "asc" | "desc") {
                        return Err("$orderby needs a field and asc or desc".to_string());
                    }
                    query.orderby = Some((field.to_string(), order.trim() == "desc"));
                }
                "expand" | "$expand" => query.expand = value != "false",
                _ => {}
            }
        }
        Ok(query)
    }
}

/// Resolves `%20` and `+`.
fn decoded(text: &str) -> Result<String, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let mut digit = || rest.next().and_then(|c| char::from(c).to_digit(16));
                let (high, low) = (digit(), digit());
                let (Some(high), Some(low)) = (high, low) else {
                    return Err("a % without two digits in the query".to_string());
                };
                (high * 16 + low) as u8
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).map_err(|_| "a query that is not UTF-8".to_string())
}

/// A text with all characters escaped that a query gives a meaning.
pub fn encoded(text: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_.~".contains(&b);
    text.bytes()
        .map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") })
        .collect()
}

/// A field of a document: `a.b` and `a/b` are nested.
pub fn field_of(document: &Value, name: &str) -> Option<Scalar> {
    if let Some(value) = document.get(name) {
        return Some(Scalar::of(value));
    }
    let mut at = document;
    for part in name.split(['.', '/']) {
        at = at.get(part)?;
    }
    Some(Scalar::of(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn accepts(filter: &str) -> bool {
        let document = json!({"a": 5, "b": {"c": "x'y"}, "v": "12.5", "on": true});
        let filter = Filter::parse(filter).expect(filter);
        filter.accepts(&|name| field_of(&document, name))
    }

    #[test]
    fn filters_compare_and_combine() {
        for (filter, want) in [
            ("a eq 5", true),
            ("a ne 5", false),
            ("b.c eq 'x''y'", true),
            ("b/c eq 'x'", false),
            ("a gt 4 and a le 5", true),
            ("a lt 5 or v ge 12.5", true),
            ("not (a eq 5)", false),
            ("not a eq 5 or on eq true", true),
            ("a eq 1 or a eq 5 and on eq false", false),
            ("contains(b.c, 'y')", true),
            ("startswith(b.c,'y')", false),
            ("endswith(b.c,'y')", true),
            ("missing eq null", true),
            ("missing eq 3", false),
        ] {
            assert_eq!(accepts(filter), want, "{filter}");
        }
    }

    #[test]
    fn wrong_filters_are_errors() {
        let deep = format!("{}a eq 1{}", "(".repeat(500), ")".repeat(500));
        let nots = "not ".repeat(100_000) + "a eq 1";
        for filter in [
            "", "a", "a eq", "a is 5", "a eq 5 b", "(a eq 5", "a eq 'x", "f(a,'b')", "a # 5",
            &deep, &nots,
        ] {
            assert!(Filter::parse(filter).is_err(), "{filter:.20}");
        }
    }

    /// The number of terms is limited also if parentheses separate them.
    #[test]
    fn a_filter_has_at_most_1000_terms() {
        for word in ["or", "and"] {
            let joined = |n| vec!["a eq 6"; n].join(&format!(" {word} "));
            assert!(!accepts(&joined(1_000)));
            assert!(accepts(&format!("not ({})", joined(1_000))));
            let split = format!("({}) or contains(b.c, 'y') or ({})", joined(500), joined(500));
            for long in [joined(1_001), joined(300_000), split] {
                let error = Filter::parse(&long).expect_err("more terms than the limit");
                assert_eq!(error, "more than 1000 terms in $filter");
            }
        }
    }

    #[test]
    fn a_field_is_computed_once_per_document() {
        let filter = Filter::parse("a eq 1 or b eq 2 or startswith(a, 'x') or not (a ne 3)");
        let reads = std::cell::RefCell::new(Vec::new());
        let read = |name: &str| {
            reads.borrow_mut().push(name.to_string());
            None
        };
        assert!(!filter.expect("legal").accepts(&read));
        assert_eq!(reads.into_inner(), ["a", "b"]);
    }

    #[test]
    fn queries_are_decoded() {
        let query = Query::parse("?$filter=Location%20eq+'x'&$top=3&$count=true&$orderby=a desc");
        let query = query.expect("legal");
        assert_eq!(query.filter.as_ref().and_then(|f| f.required("Location")), Some("x"));
        assert_eq!((query.top, query.count), (Some(3), true));
        assert_eq!(query.orderby, Some(("a".to_string(), true)));
        for wrong in ["$top=x", "$limit=-1", "$filter=%2", "$filter=%FF", "$orderby=a up"] {
            assert!(Query::parse(wrong).is_err(), "{wrong}");
        }
    }
}
