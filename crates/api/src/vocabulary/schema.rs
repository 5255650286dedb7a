//! The vocabulary as a JSON Schema (draft 2020-12).
//!
//! `$defs` has the lists of names (`benchmark`), the options of each command (`bench_options`) and
//! the fields of each kind of row (`bench_row`). A list accepts all values that a request may have:
//! its names, with numbers in place of K, and further texts such as `user:0:0-3`. Other
//! capitalizations, which the command line accepts, are not part of it.
//!
//! Annotations that begin with `x-` are for the command line: its spellings, topics, units and
//! order.

use super::{AbsentOption, FIELDS, Form, OPTIONS, Opt, Words, words};
use crate::benchmarks::Bench;
use serde_json::{Map, Value, json};

/// The whole vocabulary.
pub fn schema() -> Value {
    let mut defs = Map::new();
    for list in words() {
        defs.insert(list.name.into(), values(&list));
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
            push(object, "x-order", option.name.into());
            match option.absent {
                AbsentOption::Required => push(object, "required", option.name.into()),
                AbsentOption::RequiredWithout(others) => {
                    let sufficient = [&[option.name], others].concat();
                    let sufficient = sufficient.iter().map(|name| json!({"required": [name]}));
                    push(object, "allOf", json!({"anyOf": sufficient.collect::<Vec<_>>()}));
                }
                _ => {}
            }
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
        push(object, "x-order", field.name.into());
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

/// Appends to an array of an object. JSON does not keep the order of properties; `x-order` has it.
fn push(object: &mut Value, array: &str, value: Value) {
    match object[array].as_array_mut() {
        Some(found) => found.push(value),
        None => object[array] = json!([value]),
    }
}

/// The values of a list of names; `x-words` has the names as help texts show them.
fn values(list: &Words) -> Value {
    let (numbered, plain): (Vec<&str>, Vec<&str>) =
        list.words.iter().copied().partition(|word| word.ends_with(":K"));
    let numbered = numbered.iter().map(|word| word.trim_end_matches('K'));
    let numbered = numbered.map(|start| json!({"pattern": format!("^{start}[1-9][0-9]*$")}));
    let prefixed = list.prefix.iter().map(|prefix| json!({"pattern": format!("^{prefix}")}));
    let further: Vec<Value> = numbered.chain(prefixed).collect();
    let mut found = json!({"description": list.doc, "type": "string", "x-words": list.words});
    match further.is_empty() {
        true => found["enum"] = plain.into(),
        false => found["anyOf"] = [vec![json!({"enum": plain})], further].concat().into(),
    }
    found
}

/// The schema of an option's value.
fn property(option: &Opt) -> Value {
    let reference = |list: &str| json!({"$ref": format!("#/$defs/{list}")});
    let integers = json!({"type": "array", "items": {"type": "integer", "minimum": 0}});
    let mut found = match option.form {
        Form::Flag => json!({"type": "boolean"}),
        Form::Count(least, most) => json!({"type": "integer", "minimum": least, "maximum": most}),
        Form::Counts => json!({"anyOf": [{"type": ["integer", "string"]}, integers]}),
        Form::Name(list) => reference(list),
        Form::NameOrToml(list) => {
            json!({"anyOf": [reference(list), {"type": "string", "pattern": r"\.toml$"}]})
        }
        Form::Placement => {
            json!({"anyOf": [reference("placement"), {"type": "string"}, integers]})
        }
        Form::Size => json!({"type": ["integer", "string"], "x-unit": "B"}),
        Form::Sizes => json!({"type": ["integer", "string", "array"], "x-unit": "B"}),
        Form::Time => json!({"type": ["number", "string"], "x-unit": "s"}),
        Form::Share | Form::Factor(_) => json!({"type": ["number", "string"]}),
        Form::Loads => json!({"type": ["number", "string", "array"]}),
        Form::Text(_) => json!({"type": "string"}),
        Form::Texts(_) => json!({"type": ["string", "array"], "items": {"type": "string"}}),
    };
    found["description"] = option.help.into();
    found["x-flags"] = option.flags.split_whitespace().collect();
    found["x-synonyms"] = option.synonyms.split_whitespace().collect();
    found["x-topic"] = option.topic.name().into();
    found["x-metavar"] = option.metavar().into();
    match option.absent {
        AbsentOption::Default(text) => found["default"] = default_value(option.form, text),
        AbsentOption::Described(words) => found["x-default"] = words.into(),
        AbsentOption::Required | AbsentOption::RequiredWithout(_) | AbsentOption::Nothing => {}
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
