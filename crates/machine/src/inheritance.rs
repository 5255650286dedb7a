//! Inheritance between machine files (`like`): a file takes every key that it does not set from
//! another.
//!
//! Tables are merged key by key, at every depth; those of `[[storage]]` by their `name`. The
//! description (`about`) and the `source` are not inherited. `count = 0` removes a kind of group,
//! and `kind = "none"` a file system.
//!
//! A file may describe several kinds of nodes: `[node_kinds.NAME]` has the keys of the file that
//! differ if a run uses nodes of that kind. `node_kind` selects one.

use std::collections::{BTreeMap, BTreeSet};

use toml::{Table, Value as Toml};

use crate::input_error::{InputError, nearest, shown, syntax};
use crate::key::IfAbsent;
use crate::presets::{PRESETS, preset};
use crate::schema::KEYS;

/// A machine file merged with those it inherits from.
#[derive(Default)]
pub(crate) struct Merged {
    pub table: Table,
    /// The file of each inherited key.
    pub from: BTreeMap<String, String>,
    pub input_errors: Vec<InputError>,
    /// No file is missing or unreadable. What such a file would define is unknown.
    pub is_whole: bool,
    /// Kinds of nodes of all these files.
    pub node_kinds: BTreeSet<String>,
}

/// Reads the machine file `text` and all files it inherits from. `files` are paths and texts of
/// those that are not presets, each inherited from by the one before; nothing else is read, so this
/// ends. `selected` is the kind of nodes, if a later file or the command line selects one.
pub(crate) fn read(
    name: &str,
    text: &str,
    files: &[(String, String)],
    selected: Option<&str>,
) -> Merged {
    let mut table = match text.parse::<Table>() {
        Ok(table) => table,
        Err(error) => {
            return Merged { input_errors: vec![syntax(name, text, &error)], ..Merged::default() };
        }
    };
    let mut input_errors = name_file_systems(&mut table);
    let own = table.get("node_kind").and_then(Toml::as_str).map(str::to_string);
    let selected = selected.or(own.as_deref());
    let mut node_kinds = select_node_kind(&mut table, selected, &mut input_errors);
    let Some(like) = table.remove("like") else {
        let from = BTreeMap::new();
        return Merged { table, from, input_errors, is_whole: true, node_kinds };
    };
    let is_file = |word: &str| word.ends_with(".toml") || word.contains('/');
    let found = match (like.as_str(), files) {
        (Some(word), [(path, text), rest @ ..]) if is_file(word) => {
            Some((&path[..], &text[..], rest))
        }
        (Some(word), _) => preset(word).map(|text| (word, text, &[][..])),
        (None, _) => None,
    };
    let Some((path, text, rest)) = found else {
        let near = like.as_str().and_then(|word| nearest(word, PRESETS.iter().copied()));
        let expected = format!("one of {}, or a machine file (NAME.toml)", PRESETS.join(", "));
        input_errors.insert(0, InputError::new("like", shown(&like), expected).with_hint(near));
        return Merged { table, input_errors, ..Merged::default() };
    };
    let mut base = read(path, text, rest, selected);
    for input_error in base.input_errors.iter_mut().filter(|c| c.file.is_none()) {
        let at = input_error.at.strip_prefix(&format!("{path}, ")).unwrap_or(&input_error.at);
        (input_error.at, input_error.file) = (at.to_string(), Some(path.into()));
    }
    base.table.remove("about");
    base.table.remove("source");
    drop_transposed_links(&mut base.table, &table);
    let mut from = BTreeMap::new();
    for key in leaves(&base.table) {
        let file = base.from.remove(&key).unwrap_or_else(|| path.into());
        from.insert(key, file);
    }
    for key in leaves(&table) {
        from.remove(&key);
    }
    merge(&mut base.table, table);
    base.input_errors.extend(input_errors);
    node_kinds.append(&mut base.node_kinds);
    Merged { from, node_kinds, ..base }
}

/// Merges the keys of the selected kind of nodes into those of its file. Returns the file's kinds.
fn select_node_kind(
    table: &mut Table,
    selected: Option<&str>,
    errors: &mut Vec<InputError>,
) -> BTreeSet<String> {
    let mut kinds = BTreeSet::new();
    let all = match table.remove("node_kinds") {
        Some(Toml::Table(all)) => all,
        Some(other) => {
            let expected = "tables `[node_kinds.NAME]`, one for each kind of nodes";
            errors.push(InputError::new("node_kinds", shown(&other), expected));
            return kinds;
        }
        None => return kinds,
    };
    for (name, keys) in all {
        match keys {
            Toml::Table(keys) if selected == Some(&name) => merge(table, keys),
            Toml::Table(_) => {}
            other => {
                let expected = "a table of the keys that differ for nodes of this kind";
                errors.push(InputError::new(format!("node_kinds.{name}"), shown(&other), expected));
            }
        }
        kinds.insert(name);
    }
    kinds
}

/// An error if the machine has no nodes of the kind that `table` selects, or has several kinds and
/// none is selected.
pub(crate) fn wrong_node_kind(table: &Table, kinds: &BTreeSet<String>) -> Option<InputError> {
    let found = table.get("node_kind");
    let names = || kinds.iter().map(String::as_str);
    if found.map_or(kinds.is_empty(), |kind| names().any(|name| kind.as_str() == Some(name))) {
        return None;
    }
    let expected = if kinds.is_empty() {
        "no selection: nodes of this machine are of one kind".to_string()
    } else {
        format!("one of {}", names().collect::<Vec<_>>().join(", "))
    };
    let near = found.and_then(Toml::as_str).and_then(|word| nearest(word, names()));
    let found = found.map_or(String::new(), shown);
    Some(InputError::new("node_kind", found, expected).with_hint(near))
}

/// Replaces the tables of `[[storage]]` by one table that has them by name.
fn name_file_systems(table: &mut Table) -> Vec<InputError> {
    let mut errors = Vec::new();
    let items = match table.remove("storage") {
        Some(Toml::Array(items)) => items,
        Some(Toml::Table(named)) => {
            table.insert("storage".into(), Toml::Table(named));
            return errors;
        }
        Some(other) => {
            let expected = "tables `[[storage]]`, one for each file system";
            return vec![InputError::new("storage", shown(&other), expected)];
        }
        None => return errors,
    };
    let mut named = Table::new();
    for (nth, item) in items.into_iter().enumerate() {
        let Toml::Table(mut keys) = item else {
            let expected = "tables `[[storage]]`, one for each file system";
            errors.push(InputError::new("storage", shown(&item), expected));
            continue;
        };
        let at = format!("storage[{nth}].name");
        match keys.remove("name") {
            Some(Toml::String(name)) if named.contains_key(&name) => {
                let expected = "a name that no other `[[storage]]` of the file has";
                errors.push(InputError::new(at, name, expected));
            }
            Some(Toml::String(name)) => _ = named.insert(name, Toml::Table(keys)),
            other => {
                let found = other.map_or(String::new(), |other| shown(&other));
                errors.push(InputError::new(at, found, "the name of the file system, in quotes"));
            }
        }
    }
    table.insert("storage".into(), Toml::Table(named));
    errors
}

/// Names of file systems, with the word of their kind; empty if there is none.
pub(crate) fn file_systems(table: &Table) -> Vec<(String, String)> {
    let Some(Toml::Table(all)) = table.get("storage") else { return Vec::new() };
    let kind = |keys: &Toml| keys.get("kind").and_then(Toml::as_str).unwrap_or("").to_string();
    let named = all.iter().filter(|(_, keys)| keys.is_table());
    named.map(|(name, keys)| (name.clone(), kind(keys).to_ascii_lowercase())).collect()
}

/// Removes the file systems with `kind = "none"` and those in groups of the kinds `removed`. If all
/// files are known, reports those that no file describes, because they are misspelled.
fn remove_file_systems(table: &mut Table, removed: &[String], is_whole: bool) -> Vec<InputError> {
    let Some(Toml::Table(all)) = table.get_mut("storage") else { return Vec::new() };
    let word = |keys: &Toml, key: &str| keys.get(key).and_then(Toml::as_str).map(str::to_string);
    let is_none = |keys: &Toml| word(keys, "kind").is_some_and(|kind| kind == "none");
    let is_gone = |keys: &Toml| word(keys, "group").is_some_and(|group| removed.contains(&group));
    let (absent, present): (Vec<_>, Vec<_>) =
        std::mem::take(all).into_iter().partition(|(_, keys)| is_none(keys) || is_gone(keys));
    *all = present.into_iter().collect();
    let unknown = absent.iter().filter(|(_, keys)| is_whole && keys.get("mount").is_none());
    let errors = unknown.map(|(name, _)| {
        let described = absent.iter().filter(|(_, keys)| keys.get("mount").is_some());
        let near = nearest(name, all.keys().chain(described.map(|(name, _)| name)).map(|n| &**n));
        let near = near.map(|name| format!("storage.{name}.kind"));
        let expected = "a file system of the machine that this one is `like`";
        InputError::new(format!("storage.{name}.kind"), "none", expected).with_hint(near)
    });
    let errors = errors.collect();
    if all.is_empty() {
        table.remove("storage");
    }
    errors
}

/// Removes kinds of groups and file systems that the file declares absent.
pub(crate) fn remove_absent(table: &mut Table, is_whole: bool) -> Vec<InputError> {
    let (removed, mut errors) = remove_empty_kinds(table, is_whole);
    errors.extend(remove_file_systems(table, &removed, is_whole));
    errors
}

/// The number of links between two kinds of groups can be given at either of two keys. Drops those
/// of `base` that `over` gives at the other key.
fn drop_transposed_links(base: &mut Table, over: &Table) {
    let links = |table: &Table| table.get("global")?.get("links")?.as_table().cloned();
    let Some(over) = links(over) else { return };
    let base = base.get_mut("global").and_then(|global| global.get_mut("links"));
    let Some(Toml::Table(base)) = base else { return };
    for (kind, ends) in over.iter().filter_map(|(kind, ends)| Some((kind, ends.as_table()?))) {
        for other in ends.keys().filter(|other| *other != kind) {
            if let Some(Toml::Table(turned)) = base.get_mut(other) {
                turned.remove(kind);
            }
        }
    }
}

/// Removes the kinds of groups with `count = 0` and the links to them; returns their names. If all
/// files are known, reports those that lack a required key of a group, because they are misspelled.
fn remove_empty_kinds(table: &mut Table, is_whole: bool) -> (Vec<String>, Vec<InputError>) {
    let none = (Vec::new(), Vec::new());
    let Some(Toml::Table(groups)) = table.get_mut("groups") else { return none };
    let is_compute =
        |group: &Toml| group.get("role").is_none_or(|role| role.as_str() == Some("compute"));
    let is_zero = |group: &Toml| group.get("count").and_then(Toml::as_integer) == Some(0);
    // A machine has compute groups; if none is left, their counts are wrong.
    let computes = groups.iter().any(|(_, group)| is_compute(group) && !is_zero(group));
    let is_absent = |group: &Toml| is_zero(group) && (computes || !is_compute(group));
    let (absent, present): (Vec<_>, Vec<_>) =
        std::mem::take(groups).into_iter().partition(|(_, group)| is_absent(group));
    *groups = present.into_iter().collect();
    let described = |group: &Toml| {
        let required = KEYS.iter().filter(|key| key.absent == IfAbsent::Required);
        let mut names = required.filter_map(|key| key.path.strip_prefix("groups.<kind>."));
        names.all(|name| group.get(name).is_some())
    };
    let mut input_errors = Vec::new();
    for (kind, _) in absent.iter().filter(|(_, group)| is_whole && !described(group)) {
        let others = absent.iter().filter(|(_, group)| described(group)).map(|(kind, _)| kind);
        let near = nearest(kind, groups.keys().chain(others).map(String::as_str));
        let expected = "a kind of group of the machine that this one is `like`";
        let near = near.map(|kind| format!("groups.{kind}.count"));
        let at = format!("groups.{kind}.count");
        input_errors.push(InputError::new(at, "0", expected).with_hint(near));
    }
    let removed: Vec<String> = absent.iter().map(|(kind, _)| kind.clone()).collect();
    let Some(Toml::Table(links)) = table.get_mut("global").and_then(|g| g.get_mut("links")) else {
        return (removed, input_errors);
    };
    for (kind, _) in &absent {
        links.remove(kind);
        for (_, ends) in links.iter_mut() {
            if let Toml::Table(ends) = ends {
                ends.remove(kind);
            }
        }
    }
    (removed, input_errors)
}

/// Merges `over` into `base`; `over` wins.
fn merge(base: &mut Table, over: Table) {
    for (key, value) in over {
        match (base.get_mut(&key), value) {
            (Some(Toml::Table(base)), Toml::Table(over)) => merge(base, over),
            (_, value) => _ = base.insert(key, value),
        }
    }
}

/// Paths of all values that are not tables, or are empty tables.
fn leaves(table: &Table) -> Vec<String> {
    let mut all = Vec::new();
    for (key, value) in table {
        match value {
            Toml::Table(inner) if !inner.is_empty() => {
                all.extend(leaves(inner).iter().map(|path| format!("{key}.{path}")));
            }
            _ => all.push(key.clone()),
        }
    }
    all
}
