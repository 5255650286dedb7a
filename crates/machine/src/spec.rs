//! A machine as its file describes it: the checked values of a machine file.

use std::collections::{BTreeMap, BTreeSet};

use base::{Digest, Gap, Span};
use toml::{Table, Value as Toml};

use crate::inheritance::{self, Merged};
use crate::input_error::{InputError, nearest, shown};
use crate::key::{IfAbsent, Key, ValueForm};
use crate::names::HostList;
use crate::quantity;
use crate::schema::{self, LegalKey};
use crate::values::Value;

/// Kinds of groups, traffic classes and file systems that a machine file may have, of each. Real
/// machines have some 5 kinds of groups and file systems at most, and a NIC 8 traffic classes.
const MAX_NAMES: usize = 32;
/// Unknown keys for which the nearest legal key is searched.
const MAX_HINTS: usize = 1000;

/// A machine file with legal keys and units. `resolve` makes it a `Machine`.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineSpec {
    pub name: String,
    /// Kinds of groups: compute kinds, then service kinds, each sorted by name.
    pub kinds: Vec<String>,
    /// Traffic classes that the file configures, as it spells them.
    pub(crate) classes: Vec<String>,
    /// Names of file systems, sorted.
    pub(crate) file_systems: Vec<String>,
    pub(crate) values: BTreeMap<String, Value>,
    /// Keys of library profiles by profile, which the MPI layer checks.
    pub(crate) libraries: Table,
    /// The file that each inherited key comes from.
    pub(crate) from: BTreeMap<String, String>,
}

impl MachineSpec {
    /// Reads a machine file and applies `overrides` (dotted key, value as on a command line).
    pub fn parse(
        name: &str,
        text: &str,
        overrides: &[(String, String)],
    ) -> Result<MachineSpec, Vec<InputError>> {
        MachineSpec::parse_with_parents(name, text, &[], overrides)
    }

    /// The same for a file that inherits from other files of the user, each from the next: their
    /// paths, as error messages name them, and their texts.
    pub fn parse_with_parents(
        name: &str,
        text: &str,
        files: &[(String, String)],
        overrides: &[(String, String)],
    ) -> Result<MachineSpec, Vec<InputError>> {
        let node_kind = overrides.iter().rfind(|(key, _)| key == "node_kind");
        let node_kind = node_kind.map(|(_, value)| value.trim_matches('"'));
        let merged = inheritance::read(name, text, files, node_kind);
        let Merged { mut table, mut from, mut input_errors, is_whole, node_kinds } = merged;
        for (key, value) in overrides {
            if let Err(input_error) = apply_override(&mut table, key, value) {
                input_errors.push(input_error);
            }
            from.retain(|path, _| path != key && !path.starts_with(&format!("{key}.")));
        }
        if is_whole {
            input_errors.extend(inheritance::wrong_node_kind(&table, &node_kinds));
        }
        input_errors.extend(inheritance::remove_absent(&mut table, is_whole));
        let libraries = match table.remove("libraries") {
            Some(Toml::Table(libraries)) => libraries,
            Some(other) => {
                let expected = "tables `[libraries.NAME]` of keys of library profiles";
                input_errors.push(InputError::new("libraries", shown(&other), expected));
                Table::new()
            }
            None => Table::new(),
        };
        let kinds: Vec<String> = match table.get("groups") {
            Some(Toml::Table(groups)) => groups.keys().cloned().collect(),
            _ => Vec::new(),
        };
        let classes: Vec<String> = match table.get("classes") {
            Some(Toml::Table(all)) => {
                all.iter().filter(|(_, v)| v.is_table()).map(|(name, _)| name.clone()).collect()
            }
            _ => Vec::new(),
        };
        let file_systems: Vec<(String, String)> = inheritance::file_systems(&table);
        // Legal keys grow with the square of the kinds, and each key is looked up among them.
        let many = [
            ("groups", kinds.len(), "kinds of groups"),
            ("classes", classes.len(), "classes"),
            ("storage", file_systems.len(), "file systems"),
        ];
        if let Some((at, found, what)) = many.into_iter().find(|(_, found, _)| *found > MAX_NAMES) {
            let expected = format!("at most {MAX_NAMES} {what}");
            return Err(vec![InputError::new(at, found.to_string(), expected)]);
        }
        let mut spec = MachineSpec {
            name: name.into(),
            kinds: kinds.clone(),
            classes,
            file_systems: file_systems.iter().map(|(name, _)| name.clone()).collect(),
            values: BTreeMap::new(),
            libraries,
            from,
        };
        if spec.kinds.is_empty() && is_whole {
            let expected = "at least one kind of group, such as `[groups.compute]`";
            input_errors.push(InputError::new("groups", "", expected));
        }
        let of = |at, names: &[String]| names.iter().map(|name| (at, name.clone())).collect();
        let mut names: Vec<(&str, String)> = of("groups", &spec.kinds);
        names.extend::<Vec<_>>(of("classes", &spec.classes));
        names.extend::<Vec<_>>(of("storage", &spec.file_systems));
        for (at, name) in names {
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
            if name.is_empty() || !name.chars().all(plain) {
                let expected = "a name of letters, digits, `-` and `_`";
                return Err(vec![InputError::new(at, name, expected)]);
            }
        }
        let legal = schema::legal_keys(&spec.kinds, &spec.classes, &file_systems);
        spec.check_table(&table, "", &legal, &mut input_errors);
        if is_whole {
            spec.complete(&legal, &mut input_errors);
        } else {
            // With a file missing, the kinds of groups are not known either.
            input_errors.retain(|c| !c.at.starts_with("global.links."));
        }
        let (mut first, then): (Vec<_>, Vec<_>) =
            kinds.into_iter().partition(|k| spec.is_compute(k));
        first.extend(then);
        spec.kinds = first;
        if input_errors.is_empty() { Ok(spec) } else { Err(spec.with_file_names(input_errors)) }
    }

    /// Adds the file name to errors in inherited keys.
    pub(crate) fn with_file_names(&self, mut input_errors: Vec<InputError>) -> Vec<InputError> {
        for input_error in input_errors.iter_mut().filter(|c| c.file.is_none()) {
            input_error.file = self.from.get(&input_error.at).cloned();
        }
        input_errors
    }

    /// Checks every value of `table`, which is at path `at`.
    fn check_table(
        &mut self,
        table: &Table,
        at: &str,
        legal: &[LegalKey],
        out: &mut Vec<InputError>,
    ) {
        for (name, value) in table {
            let path = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
            let prefix = format!("{path}.");
            match (legal.iter().find(|legal| legal.path == path), value) {
                (Some(LegalKey { key, .. }), _) => match check(key, &path, value) {
                    Ok(value) => _ = self.values.insert(path, value),
                    Err(input_error) => out.push(input_error),
                },
                // An unknown table is entered too, because its keys have better suggestions than
                // itself.
                (None, Toml::Table(inner))
                    if !inner.is_empty() || legal.iter().any(|l| l.path.starts_with(&prefix)) =>
                {
                    self.check_table(inner, &path, legal, out);
                }
                (None, _) => {
                    // A suggestion costs a comparison with every legal key.
                    let paths = || legal.iter().map(|legal| legal.path.as_str());
                    let near = (out.len() < MAX_HINTS).then(|| nearest(&path, paths())).flatten();
                    let near = schema::renamed(&path).or(near);
                    let expected = "a key of machine files";
                    out.push(InputError::new(path, shown(value), expected).with_hint(near));
                }
            }
        }
    }

    /// Fills in the defaults of absent keys and reports absent keys that are required.
    fn complete(&mut self, legal: &[LegalKey], out: &mut Vec<InputError>) {
        let wrong: BTreeSet<String> = out.iter().map(|c| c.at.clone()).collect();
        for LegalKey { path, key, needs } in legal {
            let is_moot = needs.as_ref().is_some_and(|key| !self.values.contains_key(key));
            if self.values.contains_key(path) || wrong.contains(path) || is_moot {
                continue;
            }
            match key.absent {
                IfAbsent::Required => out.push(InputError::new(
                    path,
                    "",
                    format!("{} ({})", key.form.expected(), key.doc),
                )),
                IfAbsent::Default(text) => {
                    let value = check(key, path, &read_override(text)).expect("defaults are legal");
                    self.values.insert(path.clone(), value);
                }
                IfAbsent::Described(_) => {}
            }
        }
    }

    /// Digest of the machine, independent of the form of its file. It excludes descriptive texts,
    /// names of nodes, the launcher, the routing (requested with the run) and the memory of a node
    /// (a bound that is reported as such).
    pub(crate) fn digest(&self) -> Digest {
        let mut digest = Digest::default();
        let excluded =
            ["about", "launcher", "node.memory", "node_kind", "node_names", "routing", "source"];
        for path in self.values.keys().filter(|path| !excluded.contains(&path.as_str())) {
            for byte in format!("{path} {:?}\n", self.values[path]).bytes() {
                digest.mix(u64::from(byte));
            }
        }
        for (name, keys) in &self.libraries {
            for byte in format!("libraries.{name} {keys}\n").bytes() {
                digest.mix(u64::from(byte));
            }
        }
        digest
    }

    pub(crate) fn get(&self, path: &str) -> Option<&Value> {
        debug_assert!(schema::is_key(path), "no such key: {path}");
        self.values.get(path)
    }
    pub(crate) fn count(&self, path: &str) -> Option<u64> {
        match self.get(path)? {
            Value::Count(n) => Some(*n),
            other => unreachable!("{path} is {other:?}, not a count"),
        }
    }
    /// A count of a kind of group that is required or has a default.
    pub(crate) fn of_kind(&self, kind: &str, key: &str) -> u64 {
        self.count(&format!("groups.{kind}.{key}")).expect("required, or has a default")
    }
    pub(crate) fn number(&self, path: &str) -> Option<f64> {
        match self.get(path)? {
            Value::Number(x) => Some(*x),
            other => unreachable!("{path} is {other:?}, not a number"),
        }
    }
    pub(crate) fn span(&self, path: &str) -> Span {
        Span::from_seconds(self.number(path).expect("required, or has a default"))
    }
    pub(crate) fn bytes(&self, path: &str) -> u64 {
        self.number(path).expect("required, or has a default").round() as u64
    }
    /// The inverse of a rate; `Gap::ZERO`, which is no cap, if it is absent.
    pub(crate) fn gap(&self, path: &str) -> Gap {
        self.number(path).map_or(Gap::ZERO, Gap::from_bytes_per_s)
    }
    /// A word or text; empty if absent.
    pub fn text(&self, path: &str) -> &str {
        match self.get(path) {
            Some(Value::Text(text)) => text,
            _ => "",
        }
    }
    pub(crate) fn is_compute(&self, kind: &str) -> bool {
        self.text(&format!("groups.{kind}.role")) == "compute"
    }
}

/// A value from a command line: TOML if it parses as TOML, else text.
fn read_override(value: &str) -> Toml {
    match format!("x = {value}").parse::<Table>() {
        Ok(mut table) if table.len() == 1 => table.remove("x").expect("just written"),
        _ => Toml::String(value.into()),
    }
}

fn apply_override(table: &mut Table, key: &str, value: &str) -> Result<(), InputError> {
    let mut parts: Vec<&str> = key.split('.').collect();
    let last = parts.pop().filter(|l| !l.is_empty());
    let Some(last) = last.filter(|_| parts.iter().all(|p| !p.is_empty())) else {
        return Err(InputError::new(key, value, "a dotted key, such as `links.global.rate`"));
    };
    if key == "like" {
        return Err(InputError::new(key, value, "a key other than `like`, which only files have"));
    }
    // A misspelled kind would create a new one, whose missing keys would be reported instead.
    if let (["groups", kind], Some(Toml::Table(groups))) = (&parts[..], table.get("groups"))
        && !groups.contains_key(*kind)
    {
        let expected = "a kind of group of this machine";
        let near = nearest(kind, groups.keys().map(String::as_str));
        let near = near.map(|kind| format!("groups.{kind}.{last}"));
        return Err(InputError::new(key, value, expected).with_hint(near));
    }
    check_file_system(table, key, &parts, last, value)?;
    let mut at = table;
    for part in parts {
        at = match at.entry(part).or_insert_with(|| Toml::Table(Table::new())) {
            Toml::Table(inner) => inner,
            other => {
                let found = shown(other);
                return Err(InputError::new(key, found, format!("`{part}` to be a table")));
            }
        };
    }
    at.insert(last.into(), read_override(value));
    Ok(())
}

/// The same holds for a file system.
fn check_file_system(
    table: &Table,
    key: &str,
    parts: &[&str],
    last: &str,
    value: &str,
) -> Result<(), InputError> {
    let ["storage", name] = parts else { return Ok(()) };
    let none = Table::new();
    let known = table.get("storage").and_then(Toml::as_table).unwrap_or(&none);
    if known.contains_key(*name) {
        return Ok(());
    }
    let near = nearest(name, known.keys().map(String::as_str));
    let near = near.map(|name| format!("storage.{name}.{last}"));
    let expected = match known.len() {
        0 => "no such key: this machine has no file systems".into(),
        _ => {
            let names: Vec<&str> = known.keys().map(String::as_str).collect();
            format!("a file system of this machine: {}", names.join(", "))
        }
    };
    Err(InputError::new(key, value, expected).with_hint(near))
}

fn plain(word: &str) -> String {
    word.to_ascii_lowercase().replace('_', "-")
}

fn check(key: &Key, path: &str, value: &Toml) -> Result<Value, InputError> {
    let refuse = |hint: Option<String>| {
        InputError::new(path, shown(value), key.form.expected()).with_hint(hint)
    };
    let whole = |lo: u64, hi: u64| match value {
        Toml::Integer(n) => {
            u64::try_from(*n).ok().filter(|n| (lo..=hi).contains(n)).map(Value::Count)
        }
        _ => None,
    };
    match (key.form, value) {
        (ValueForm::Count(lo, hi), _) => whole(lo, hi).ok_or_else(|| refuse(None)),
        (ValueForm::CountOrFull(..), Toml::String(word)) if word == "full" => Ok(Value::Full),
        (ValueForm::CountOrFull(lo, hi), _) => whole(lo, hi).ok_or_else(|| refuse(None)),
        (ValueForm::Ratio, Toml::Float(x)) if (0.001..=1000.0).contains(x) => Ok(Value::Number(*x)),
        (ValueForm::Ratio, Toml::Integer(n)) if (1..=1000).contains(n) => {
            Ok(Value::Number(*n as f64))
        }
        (ValueForm::Quantity(dimension), Toml::String(text)) => {
            quantity::parse(text, dimension).map(Value::Number).map_err(refuse)
        }
        (ValueForm::Quantity(dimension), Toml::Integer(_) | Toml::Float(_)) => {
            Err(refuse(quantity::parse(&value.to_string(), dimension).err().flatten()))
        }
        // Vendors spell some of the words in capitals and with underscores: ADAPTIVE_0.
        (ValueForm::Word(words), Toml::String(word)) if words.contains(&plain(word).as_str()) => {
            Ok(Value::Text(plain(word)))
        }
        (ValueForm::Word(words), Toml::String(word)) => {
            Err(refuse(nearest(word, words.iter().copied()).map(str::to_string)))
        }
        (ValueForm::Text, Toml::String(text)) => Ok(Value::Text(text.clone())),
        (ValueForm::Hosts, Toml::String(text)) if HostList::parse(text).is_some() => {
            Ok(Value::Text(text.clone()))
        }
        (ValueForm::Counts, Toml::Array(items)) => items
            .iter()
            .map(|item| item.as_integer().and_then(|n| u64::try_from(n).ok()))
            .collect::<Option<_>>()
            .map(Value::Counts)
            .ok_or_else(|| refuse(None)),
        (ValueForm::Paths, _) => paths(value).map(Value::Texts).ok_or_else(|| refuse(None)),
        _ => Err(refuse(None)),
    }
}

/// Paths at which a file system may be mounted; `None` if one is none, or there are none.
fn paths(value: &Toml) -> Option<Vec<String>> {
    let is_mount = |path: &&str| {
        let parts = path.strip_prefix('/').map(|rest| rest.split('/').collect::<Vec<_>>());
        parts.is_some_and(|parts| {
            let is_real = ["dev", "proc", "sys"].contains(&parts[0]);
            !is_real && parts.iter().all(|part| !["", ".", ".."].contains(part))
        })
    };
    let items = match value {
        Toml::Array(items) if !items.is_empty() => &items[..],
        Toml::String(_) => std::slice::from_ref(value),
        _ => return None,
    };
    items.iter().map(|item| item.as_str().filter(is_mount).map(String::from)).collect()
}
