//! What a machine file has from another that it is `like`: all that it does not say itself.
//!
//! Tables are laid over each other key by key. But a file that names kinds of groups has no others,
//! one that says which links there are between groups has no others, and what a machine is and
//! where its numbers come from is never another's to say.

use std::collections::BTreeMap;

use toml::{Table, Value as Toml};

use crate::complaint::{Complaint, nearest};
use crate::presets::{PRESETS, preset};
use crate::spec::{shown, syntax};

/// A machine file and those it is like, as one table.
#[derive(Default)]
pub(crate) struct Laid {
    pub table: Table,
    /// Which file a key is from, if that is another than the one that was asked for.
    pub from: BTreeMap<String, String>,
    /// Of files that are not there or cannot be read: what they say is missing, and not known.
    pub complaints: Vec<Complaint>,
}

/// Reads the machine file `text` and all that it is like. `files`, paths and texts, are those that
/// are no presets, each like the next; nothing else is read, so this ends.
pub(crate) fn read(name: &str, text: &str, files: &[(String, String)]) -> Laid {
    let mut table = match text.parse::<Table>() {
        Ok(table) => table,
        Err(error) => {
            return Laid { complaints: vec![syntax(name, text, &error)], ..Laid::default() };
        }
    };
    let Some(like) = table.remove("like") else { return Laid { table, ..Laid::default() } };
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
        let wanted = format!("one of {}, or a machine file (NAME.toml)", PRESETS.join(", "));
        let complaint = Complaint::new("like", shown(&like), wanted).with_hint(near);
        return Laid { table, from: BTreeMap::new(), complaints: vec![complaint] };
    };
    let mut base = read(path, text, rest);
    for complaint in base.complaints.iter_mut().filter(|c| c.file.is_none()) {
        let at = complaint.at.strip_prefix(&format!("{path}, ")).unwrap_or(&complaint.at);
        (complaint.at, complaint.file) = (at.to_string(), Some(path.into()));
    }
    base.table.remove("about");
    base.table.remove("source");
    keep_named(&mut base.table, &table);
    let mut from = BTreeMap::new();
    for key in leaves(&base.table) {
        let file = base.from.remove(&key).unwrap_or_else(|| path.into());
        from.insert(key, file);
    }
    for key in leaves(&table) {
        from.remove(&key);
    }
    lay(&mut base.table, table);
    Laid { from, ..base }
}

/// Drops the groups of `base`, and the links between them, that `over` does not have.
fn keep_named(base: &mut Table, over: &Table) {
    let inner = |table: &Table, key: &str| table.get(key).and_then(Toml::as_table).cloned();
    let says_links = inner(over, "global").is_some_and(|global| global.contains_key("links"));
    let named = inner(over, "groups");
    let keep = |kind: &str| named.as_ref().is_none_or(|named| named.contains_key(kind));
    if let Some(Toml::Table(groups)) = base.get_mut("groups") {
        groups.retain(|kind, _| keep(kind));
    }
    let Some(Toml::Table(global)) = base.get_mut("global") else { return };
    if says_links {
        global.remove("links");
    } else if let Some(Toml::Table(links)) = global.get_mut("links") {
        links.retain(|kind, _| keep(kind));
        for (_, ends) in links.iter_mut() {
            if let Toml::Table(ends) = ends {
                ends.retain(|kind, _| keep(kind));
            }
        }
    }
}

/// Lays `over` upon `base`.
fn lay(base: &mut Table, over: Table) {
    for (key, value) in over {
        match (base.get_mut(&key), value) {
            (Some(Toml::Table(base)), Toml::Table(over)) => lay(base, over),
            (_, value) => _ = base.insert(key, value),
        }
    }
}

/// Paths of all values that are no tables, or tables of nothing.
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
