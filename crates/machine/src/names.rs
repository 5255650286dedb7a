//! Node names: host lists in the form of Slurm, and the names of a machine's nodes, which its file
//! gives as such a list.

use std::fmt;

use crate::{Machine, NodeId};

/// Maximum number of names in one list: more than any machine has nodes.
const MAX_NAMES: u64 = 1 << 20;
/// Longest name of a simulated node (gethostname(2): HOST_NAME_MAX), without the terminating zero
/// of the buffer that carries it to the rank.
const MAX_NODE_NAME: usize = 63;
/// Longest name of a host with its domain, and longest part of it between dots (RFC 1035, 2.3.4).
pub(crate) const MAX_HOST_NAME: usize = 253;
pub(crate) const MAX_LABEL: usize = 63;

/// A host list: `nid[001000-003047]`, `x[4000-4020,4100]c[0-7]s[0-7]b0n0`. Several brackets denote
/// their product; the last one varies fastest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HostList {
    parts: Vec<NamePart>,
    count: u64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum NamePart {
    Text(String),
    Numbers(Vec<NumberRange>),
}

/// First and last number, and the minimum number of digits they are written with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct NumberRange {
    first: u64,
    last: u64,
    width: usize,
}

impl NamePart {
    fn count(&self) -> u64 {
        match self {
            NamePart::Text(_) => 1,
            NamePart::Numbers(all) => all.iter().map(|s| s.last - s.first + 1).sum(),
        }
    }
    /// Its bytes in the longest name.
    fn longest(&self) -> usize {
        let width = |s: &NumberRange| s.width.max(s.last.to_string().len());
        match self {
            NamePart::Text(text) => text.len(),
            NamePart::Numbers(all) => all.iter().map(width).max().unwrap_or(0),
        }
    }
}

/// Bytes of the longest part between dots of the longest name.
fn longest_label(parts: &[NamePart]) -> usize {
    let (mut longest, mut label) = (0, 0);
    for part in parts {
        match part {
            NamePart::Numbers(_) => label += part.longest(),
            NamePart::Text(text) => {
                for (nth, piece) in text.split('.').enumerate() {
                    label = if nth == 0 { label + piece.len() } else { piece.len() };
                    longest = longest.max(label);
                }
            }
        }
        longest = longest.max(label);
    }
    longest
}

/// The content of one bracket: `001000-003047,5`.
fn numbers(text: &str) -> Option<Vec<NumberRange>> {
    let number = |text: &str| -> Option<u64> {
        let is_plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        text.parse().ok().filter(|&n| is_plain && n < 1_000_000_000)
    };
    let number_range = |text: &str| {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let width = if first.starts_with('0') { first.len() } else { 1 };
        let (first, last) = (number(first)?, number(last)?);
        (first <= last).then_some(NumberRange { first, last, width })
    };
    text.split(',').map(|one| number_range(one.trim())).collect()
}

impl HostList {
    /// A list of simulated nodes without a comma outside brackets; `None` if it is malformed or
    /// contains a name that is too long for a rank.
    pub fn parse(text: &str) -> Option<HostList> {
        HostList::parse_full(text).filter(|list| list.longest() <= MAX_NODE_NAME)
    }

    /// Bytes of the longest name.
    fn longest(&self) -> usize {
        self.parts.iter().map(NamePart::longest).sum()
    }

    /// The same for hosts with their domains.
    fn parse_full(text: &str) -> Option<HostList> {
        let (mut parts, mut rest, mut count) = (Vec::new(), text, 1u64);
        while let Some(open) = rest.find('[') {
            let close = open + rest[open..].find(']')?;
            if open > 0 {
                parts.push(NamePart::Text(rest[..open].into()));
            }
            let part = NamePart::Numbers(numbers(&rest[open + 1..close])?);
            count = count.checked_mul(part.count()).filter(|&n| n <= MAX_NAMES)?;
            parts.push(part);
            rest = &rest[close + 1..];
        }
        if !rest.is_empty() {
            parts.push(NamePart::Text(rest.into()));
        }
        let legal = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let is_legal = parts.iter().all(|part| match part {
            NamePart::Text(text) => text.chars().all(legal),
            NamePart::Numbers(all) => !all.is_empty(),
        });
        let fits = longest_label(&parts) <= MAX_LABEL;
        let list = (is_legal && !parts.is_empty() && fits).then_some(HostList { parts, count });
        list.filter(|list| list.longest() <= MAX_HOST_NAME)
    }

    /// Number of names.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The name at a position.
    pub fn name(&self, mut at: u64) -> Option<String> {
        if at >= self.count {
            return None;
        }
        let mut pieces: Vec<String> = Vec::new();
        for part in self.parts.iter().rev() {
            pieces.push(match part {
                NamePart::Text(text) => text.clone(),
                NamePart::Numbers(all) => {
                    let (of, mut nth) = (part.count(), at % part.count());
                    at /= of;
                    let has = |s: &&NumberRange| {
                        let n = s.last - s.first + 1;
                        let is_here = nth < n;
                        nth -= if is_here { 0 } else { n };
                        is_here
                    };
                    let NumberRange { first, width, .. } = *all.iter().find(has)?;
                    format!("{:0width$}", first + nth)
                }
            });
        }
        Some(pieces.into_iter().rev().collect())
    }

    /// Whether a name has the texts of this list, with any numbers between them.
    fn matches_pattern(&self, name: &str) -> bool {
        let mut rest = Some(name);
        for part in &self.parts {
            rest = rest.and_then(|rest| match part {
                NamePart::Text(text) => rest.strip_prefix(text.as_str()),
                NamePart::Numbers(_) => {
                    let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
                    (after.len() < rest.len()).then_some(after)
                }
            });
        }
        rest == Some("")
    }

    /// The position of a name.
    pub fn position(&self, name: &str) -> Option<u64> {
        let (mut rest, mut at) = (name, 0);
        for part in &self.parts {
            match part {
                NamePart::Text(text) => rest = rest.strip_prefix(text.as_str())?,
                NamePart::Numbers(all) => {
                    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                    let (digits, after) = rest.split_at(end);
                    let number: u64 = digits.parse().ok()?;
                    let (mut nth, mut found) = (0, None);
                    for s in all {
                        let width = s.width;
                        if (s.first..=s.last).contains(&number)
                            && format!("{number:0width$}") == digits
                        {
                            found = Some(nth + number - s.first);
                            break;
                        }
                        nth += s.last - s.first + 1;
                    }
                    at = at * part.count() + found?;
                    rest = after;
                }
            }
        }
        rest.is_empty().then_some(at)
    }
}

/// In the form that `parse` reads.
impl fmt::Display for HostList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in &self.parts {
            let all = match part {
                NamePart::Text(text) => {
                    f.write_str(text)?;
                    continue;
                }
                NamePart::Numbers(all) => all,
            };
            for (nth, &NumberRange { first, last, width }) in all.iter().enumerate() {
                f.write_str(if nth == 0 { "[" } else { "," })?;
                write!(f, "{first:0width$}")?;
                if last > first {
                    write!(f, "-{last:0width$}")?;
                }
            }
            f.write_str("]")?;
        }
        Ok(())
    }
}

/// All names of lists separated by commas: `nid[000001-000004,000007],nid000012`. `None` if a list
/// is malformed or there are too many names. Names may have a domain.
pub fn expand(text: &str) -> Option<Vec<String>> {
    let (mut depth, mut starts, mut pieces) = (0i32, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            ',' if depth == 0 => {
                pieces.push(&text[starts..at]);
                starts = at + 1;
            }
            _ => {}
        }
    }
    pieces.push(&text[starts..]);
    let mut names = Vec::new();
    for piece in pieces {
        let list = HostList::parse_full(piece.trim())?;
        if names.len() as u64 + list.count > MAX_NAMES {
            return None;
        }
        names.extend((0..list.count).filter_map(|at| list.name(at)));
    }
    Some(names)
}

impl Machine {
    /// The name of a node as the machine spells it, `x4000c0s0b0n0`; without names in its file, the
    /// machine's name and the node's number: `dragonfly-1056-00042`.
    pub fn node_name(&self, node: NodeId) -> String {
        let own = self.node_names.as_ref().filter(|_| node.0 < self.compute_nodes);
        own.and_then(|names| names.name(u64::from(node.0)))
            .unwrap_or_else(|| format!("{}-{:05}", self.host_stem(), node.0))
    }

    /// The machine's name with characters that are illegal in host names replaced.
    fn host_stem(&self) -> String {
        let legal = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
        self.name.chars().map(legal).take(MAX_NODE_NAME - 8).collect()
    }

    /// The inverse of `node_name`. Every node can also be named by the machine's name with its
    /// number, or by its number. A domain after the name is ignored.
    pub fn node_by_name(&self, name: &str) -> Option<NodeId> {
        let own = |name: &str| {
            let at = self.node_names.as_ref()?.position(name)?;
            (at < u64::from(self.compute_nodes)).then_some(NodeId(at as u32))
        };
        let of_domain = || {
            let (host, _) = name.split_once('.')?;
            let is_name = host.contains(|c: char| c.is_ascii_alphabetic());
            if is_name { own(host).or_else(|| self.node_by_number(host)) } else { None }
        };
        own(name).or_else(|| self.node_by_number(name)).or_else(of_domain)
    }

    /// The legal names of compute nodes, for an error about `name`, which is none of them.
    pub(crate) fn expected_node(&self, name: &str) -> String {
        let ends = [NodeId(0), NodeId(self.compute_nodes - 1)].map(|node| self.node_name(node));
        let range = format!("a compute node, `{}` to `{}`", ends[0], ends[1]);
        let host = name.split('.').next().unwrap_or(name);
        match self
            .node_names
            .as_ref()
            .filter(|list| list.matches_pattern(name) || list.matches_pattern(host))
        {
            Some(list) => format!(
                "{range}: one of `{list}` (`node_names`; the numbering of a preset is an estimate)"
            ),
            None => range,
        }
    }

    /// A node by `NAME-00042` or `42`.
    fn node_by_number(&self, name: &str) -> Option<NodeId> {
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let behind = |stem: &str| name.strip_prefix(stem).and_then(|rest| rest.strip_prefix('-'));
        let number = match behind(&self.name).or_else(|| behind(&self.host_stem())) {
            Some(rest) if !digits(name) => rest,
            _ => name,
        };
        let node = number.parse().ok().filter(|_| digits(number))?;
        (node < self.node_nics.len() as u32 - 1).then_some(NodeId(node))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MachineSpec, PRESETS, preset};

    fn machine(name: &str, changes: &[(&str, &str)]) -> Machine {
        let text = preset(name).expect("a preset");
        let changes: Vec<_> = changes.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
        MachineSpec::parse(name, text, &changes).expect("legal").resolve().expect("sound")
    }

    #[test]
    fn a_list_denotes_the_product_of_its_brackets() {
        let list = HostList::parse("x[4000-4001,4100]c[0-1]b0").expect("legal");
        let names: Vec<String> = (0..6).map(|at| list.name(at).expect("there")).collect();
        let expected =
            ["x4000c0b0", "x4000c1b0", "x4001c0b0", "x4001c1b0", "x4100c0b0", "x4100c1b0"];
        assert_eq!((list.count(), list.name(6)), (6, None));
        assert_eq!(names, expected);
        for (at, name) in (0..).zip(expected) {
            assert_eq!(list.position(name), Some(at), "{name}");
        }
        for name in ["x4002c0b0", "x4000c2b0", "x4000c0b", "x4000c0b00", "x04000c0b0", "x4000"] {
            assert_eq!(list.position(name), None, "{name}");
        }
        let expanded = expand("nid[0008-0010,0020],login1").expect("legal");
        assert_eq!(expanded, ["nid0008", "nid0009", "nid0010", "nid0020", "login1"]);
        let bad = ["", "nid[", "nid[3-1]", "nid[a]", "nid[]", "nid[1", "n[0-999999][0-9]", "a b"];
        assert!(bad.iter().all(|text| HostList::parse(text).is_none()));
        assert_eq!(HostList::parse(&"n".repeat(64)), None);
        for text in ["x[4000-4001,4100]c[0-1]b0", "nid[0008-0010,0020]", "login1"] {
            assert_eq!(HostList::parse(text).expect("legal").to_string(), text);
        }
        // The longest name need not be the last; more digits than 65,535 cannot be formatted.
        for zeros in [62, 63, 70_000] {
            let list = HostList::parse(&format!("n[{},5]", "0".repeat(zeros)));
            assert_eq!(list.is_some(), zeros == 62, "{zeros}");
        }
    }

    /// RFC 1035, 2.3.4: 253 bytes as text, 63 between dots.
    #[test]
    fn names_with_domains_have_the_length_limits_of_domains() {
        let with = |label: usize, domain: usize| {
            let mut name = format!("n[1-2]{}", "x".repeat(label - 2));
            while name.len() - 4 < domain {
                let left = domain - (name.len() - 4) - 1;
                name += &format!(".{}", "y".repeat(left.min(49)));
            }
            name
        };
        let names = expand(&with(63, 253)).expect("legal");
        assert_eq!((names.len(), names[1].len()), (2, 253));
        assert_eq!(expand(&with(64, 253)), None, "a label");
        assert_eq!(expand(&with(63, 254)), None, "all");
        assert_eq!(expand(&format!("a.{}.b", "y".repeat(64))), None, "a label of the domain");
        assert_eq!(HostList::parse(&with(20, 70)), None, "of a simulated node");
    }

    /// The styles are those that the machines' users see; every name maps back to its node.
    #[test]
    fn node_names_of_presets_have_the_style_of_their_machine() {
        for (name, first, last) in [
            ("aurora", "x4000c0s0b0n0", "x4718c7s7b0n0"),
            ("frontier", "frontier00001", "frontier09472"),
            ("lumi-c", "nid001000", "nid003047"),
            ("lumi-g", "nid005000", "nid007977"),
            ("dragonfly-1056", "dragonfly-1056-00000", "dragonfly-1056-01055"),
        ] {
            let m = machine(name, &[]);
            let ends = [0, m.compute_nodes - 1].map(|n| m.node_name(NodeId(n)));
            assert_eq!(ends, [first, last], "{name}");
        }
        for name in PRESETS {
            let m = machine(name, &[]);
            for node in (0..m.node_nics.len() as u32 - 1).step_by(37).map(NodeId) {
                let own = m.node_name(node);
                let by_number = format!("{}-{:05}", m.name, node.0);
                for name in [&own, &by_number, &node.0.to_string(), &format!("{own}.hsn.cm.site")] {
                    assert_eq!(m.node_by_name(name), Some(node), "{name}");
                }
            }
        }
    }

    #[test]
    fn nodes_beyond_the_list_are_named_by_number() {
        let m = machine("lumi-c", &[("node_names", "nid[1-4]")]);
        assert_eq!([3, 4].map(|n| m.node_name(NodeId(n))), ["nid4", "lumi-c-00004"]);
        let mut m = machine("lumi-c", &[("node_names", "nid[1-4]")]);
        m.name = "my machine (é)".into();
        assert_eq!(m.node_name(NodeId(4)), "my-machine-----00004");
        assert_eq!(m.node_by_name("my-machine-----00004"), Some(NodeId(4)));
        let spec = MachineSpec::parse(
            "lumi-c",
            preset("lumi-c").expect("a preset"),
            &[("node_names".into(), "nid[4-1]".into())],
        );
        assert_eq!(spec.expect_err("malformed")[0].at, "node_names");
    }
}
