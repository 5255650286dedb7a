//! Inheritance between machine files (`like`): a file takes every key that it does not set from
//! another.
//!
//! Tables are merged key by key, at every depth. The description (`about`) and the `source` are not
//! inherited. `count = 0` removes a kind of group.

use std::collections::BTreeMap;

use toml::{Table, Value as Toml};

use crate::input_error::{InputError, nearest, shown, syntax};
use crate::presets::{PRESETS, preset};
use crate::schema::{IfAbsent, KEYS};

/// A machine file merged with those it inherits from.
#[derive(Default)]
pub(crate) struct Merged {
    pub table: Table,
    /// The file of each inherited key.
    pub from: BTreeMap<String, String>,
    /// Errors about missing or unreadable files. What those would define is unknown.
    pub input_errors: Vec<InputError>,
}

/// Reads the machine file `text` and all files it inherits from. `files` are paths and texts of
/// those that are not presets, each inherited from by the one before; nothing else is read, so this
/// ends.
pub(crate) fn read(name: &str, text: &str, files: &[(String, String)]) -> Merged {
    let mut table = match text.parse::<Table>() {
        Ok(table) => table,
        Err(error) => {
            return Merged { input_errors: vec![syntax(name, text, &error)], ..Merged::default() };
        }
    };
    let Some(like) = table.remove("like") else { return Merged { table, ..Merged::default() } };
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
        let input_error = InputError::new("like", shown(&like), expected).with_hint(near);
        return Merged { table, from: BTreeMap::new(), input_errors: vec![input_error] };
    };
    let mut base = read(path, text, rest);
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
    Merged { from, ..base }
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

/// Removes the kinds of groups with `count = 0` and the links to them. If all files are known,
/// reports those that lack a required key of a group, because they are misspelled.
pub(crate) fn remove_empty_kinds(table: &mut Table, is_whole: bool) -> Vec<InputError> {
    let Some(Toml::Table(groups)) = table.get_mut("groups") else { return Vec::new() };
    let is_compute =
        |group: &Toml| group.get("role").is_none_or(|role| role.as_str() == Some("compute"));
    let is_zero = |group: &Toml| group.get("count").and_then(Toml::as_integer) == Some(0);
    // A machine has compute groups; if none is left, their counts are wrong.
    let computes = groups.iter().any(|(_, group)| is_compute(group) && !is_zero(group));
    let none = |group: &Toml| is_zero(group) && (computes || !is_compute(group));
    let (absent, present): (Vec<_>, Vec<_>) =
        std::mem::take(groups).into_iter().partition(|(_, group)| none(group));
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
    let Some(Toml::Table(links)) = table.get_mut("global").and_then(|g| g.get_mut("links")) else {
        return input_errors;
    };
    for (kind, _) in &absent {
        links.remove(kind);
        for (_, ends) in links.iter_mut() {
            if let Toml::Table(ends) = ends {
                ends.remove(kind);
            }
        }
    }
    input_errors
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
