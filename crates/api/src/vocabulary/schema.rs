//! The vocabulary as a JSON Schema (draft 2020-12).
//!
//! `$defs` has the lists of names (`benchmark`), the options of each command (`bench_options`) and
//! the fields of each kind of row (`bench_row`). Annotations that begin with `x-` are for the
//! command line: its spellings, topics, units and order.

use super::{FIELDS, Form, IfAbsent, OPTIONS, Opt, words};
use crate::benchmarks::Bench;
use serde_json::{Map, Value, json};

/// The whole vocabulary.
pub fn schema() -> Value {
    let mut defs = Map::new();
    for list in words() {
        let enumeration = json!({"description": list.doc, "type": "string", "enum": list.words});
        defs.insert(list.name.into(), enumeration);
    }
    let entries: Vec<Value> = Bench::TABLE
        .iter()
        .map(|entry| {
            json!({"name": entry.name, "title": entry.title, "sizes": entry.sizes,
                   "field": entry.bench.result_field()})
        })
        .collect();
    defs["benchmark"]["x-entries"] = entries.into();
    for (rank, option) in OPTIONS.iter().enumerate() {
        for command in option.commands {
            let key = format!("{command}_options");
            let object = defs.entry(key).or_insert_with(|| json!({"type": "object"}));
            object["properties"][option.name] = property(option);
            object["properties"][option.name]["x-rank"] = rank.into();
            object["additionalProperties"] = false.into();
            append(object, option.name);
        }
    }
    for field in FIELDS {
        let key = format!("{}_row", field.record);
        let object = defs.entry(key).or_insert_with(|| json!({"type": "object"}));
        object["properties"][field.name] = json!({
            "description": field.doc,
            "type": json_type(field.form),
            "x-unit": field.unit,
        });
        append(object, field.name);
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "odonata",
        "description": "Names, options, defaults and result fields of odonata.",
        "x-version": env!("CARGO_PKG_VERSION"),
        "$defs": defs,
    })
}

/// The schema's type of `number` or `number?`.
fn json_type(form: &str) -> Value {
    match form.strip_suffix('?') {
        Some(form) => json!([form, "null"]),
        None => form.into(),
    }
}

/// Adds a name to the order of an object's properties, which JSON does not keep.
fn append(object: &mut Value, name: &str) {
    match object["x-order"].as_array_mut() {
        Some(order) => order.push(name.into()),
        None => object["x-order"] = json!([name]),
    }
}

/// The schema of an option's value.
fn property(option: &Opt) -> Value {
    let mut found = match option.form {
        Form::Flag => json!({"type": "boolean"}),
        Form::Count(least, most) => json!({"type": "integer", "minimum": least, "maximum": most}),
        Form::Name(list) => json!({"$ref": format!("#/$defs/{list}")}),
        Form::Size => json!({"type": ["integer", "string"], "x-unit": "B"}),
        Form::Sizes => json!({"type": ["string", "array"], "x-unit": "B"}),
        Form::Time => json!({"type": ["number", "string"], "x-unit": "s"}),
        Form::Share => json!({"type": ["number", "string"]}),
        Form::Text(_) => json!({"type": "string"}),
        Form::Texts(_) => json!({"type": "array", "items": {"type": "string"}}),
    };
    found["description"] = option.help.into();
    found["x-flags"] = option.flags.split_whitespace().collect();
    found["x-synonyms"] = option.synonyms.split_whitespace().collect();
    found["x-topic"] = option.topic.name().into();
    found["x-metavar"] = option.metavar().into();
    match option.absent {
        IfAbsent::Default(text) => found["default"] = default_value(option.form, text),
        IfAbsent::Described(words) => found["x-default"] = words.into(),
        IfAbsent::Required => found["x-required"] = true.into(),
        IfAbsent::Nothing => {}
    }
    found
}

/// Counts and flags as such, everything else as the command line writes it.
fn default_value(form: Form, text: &str) -> Value {
    match form {
        Form::Count(..) => text.parse::<u64>().expect("tested: a number").into(),
        Form::Flag => true.into(),
        _ => text.into(),
    }
}
