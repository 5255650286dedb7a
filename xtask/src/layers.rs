//! The layering rule: a crate depends only on crates of strictly lower layers.
//!
//! Knows `cargo metadata` and nothing of what the crates contain. The check itself is a pure
//! function of the dependency graph, so that tests can apply it to made-up graphs.

use crate::workspace;
use serde_json::Value;
use std::fmt;
use std::process::Command;

/// Highest layer of the workspace: the API boundaries.
const TOP: u64 = 7;

/// The layer of a crate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layer {
    At(u8),
    /// A development crate: it may depend on every crate, and no crate of a layer on it.
    Dev,
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Layer::At(n) => write!(f, "layer {n}"),
            Layer::Dev => write!(f, "dev"),
        }
    }
}

/// A crate of the workspace, as its manifest describes it.
#[derive(Clone, Debug)]
pub struct Crate {
    pub name: String,
    /// `None` if the manifest states none, or one that does not exist.
    pub layer: Option<Layer>,
    /// Crates of the workspace it depends on: for code, tests and build scripts alike.
    pub dependencies: Vec<String>,
}

/// Every violation of the layering rule, one sentence each; empty if there is none.
pub fn violations(crates: &[Crate]) -> Vec<String> {
    let mut found = Vec::new();
    for each in crates {
        let Some(layer) = each.layer else {
            found.push(format!(
                "{}: no layer; its Cargo.toml needs `[package.metadata.odonata]` with \
                 `layer = 0` to `{TOP}`, or `\"dev\"`",
                each.name
            ));
            continue;
        };
        for name in &each.dependencies {
            let Some(below) = crates.iter().find(|c| &c.name == name).and_then(|c| c.layer) else {
                continue; // It has no layer of its own, which is reported for that crate.
            };
            let why = match (layer, below) {
                (Layer::Dev, _) => continue,
                (Layer::At(_), Layer::Dev) => "no crate of a layer depends on a dev crate",
                (Layer::At(a), Layer::At(b)) if b < a => continue,
                (Layer::At(a), Layer::At(b)) if b == a => "crates of one layer are independent",
                (Layer::At(_), Layer::At(_)) => "a crate does not depend on a higher layer",
            };
            found.push(format!("{} ({layer}) -> {name} ({below}): {why}", each.name));
        }
    }
    found
}

/// The crates of the workspace, from `cargo metadata`.
pub fn crates() -> Vec<Crate> {
    let out = Command::new(workspace::cargo())
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(workspace::root())
        .output()
        .expect("cargo can be run");
    assert!(out.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&out.stderr));
    let metadata: Value = serde_json::from_slice(&out.stdout).expect("cargo metadata is JSON");
    metadata["packages"].as_array().expect("packages").iter().map(crate_of).collect()
}

fn crate_of(package: &Value) -> Crate {
    let text = |v: &Value| v.as_str().unwrap_or_default().to_string();
    let layer = &package["metadata"]["odonata"]["layer"];
    Crate {
        name: text(&package["name"]),
        layer: match (layer.as_u64(), layer.as_str()) {
            (Some(n @ 0..=TOP), _) => Some(Layer::At(n as u8)),
            (_, Some("dev")) => Some(Layer::Dev),
            _ => None,
        },
        // A dependency inside the workspace is one that has a path.
        dependencies: (package["dependencies"].as_array().expect("dependencies").iter())
            .filter(|d| d["path"].is_string())
            .map(|d| text(&d["name"]))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn violations_of(crates: &[(&str, Option<Layer>, &[&str])]) -> Vec<String> {
        let crates: Vec<Crate> = crates
            .iter()
            .map(|&(name, layer, dependencies)| Crate {
                name: name.into(),
                layer,
                dependencies: dependencies.iter().map(|n| n.to_string()).collect(),
            })
            .collect();
        violations(&crates)
    }
    fn at(n: u8) -> Option<Layer> {
        Some(Layer::At(n))
    }

    #[test]
    fn the_workspace_has_no_violation() {
        let crates = crates();
        assert!(crates.len() > 10, "cargo metadata lists the whole workspace");
        let found = violations(&crates);
        assert!(found.is_empty(), "dependencies against the layers:\n{}", found.join("\n"));
    }

    #[test]
    fn a_layered_graph_has_no_violation() {
        let dev = Some(Layer::Dev);
        let found = violations_of(&[
            ("types", at(0), &[]),
            ("model", at(2), &["types"]),
            ("api", at(6), &["model", "types"]),
            ("bench", dev, &["api", "tools"]),
            ("tools", dev, &[]),
        ]);
        assert_eq!(found, Vec::<String>::new());
    }

    #[test]
    fn every_kind_of_violation_is_found_and_named() {
        for (crates, named) in [
            (&[("low", at(1), &["high"][..]), ("high", at(2), &[])], "low (layer 1) -> high"),
            (&[("left", at(4), &["right"]), ("right", at(4), &[])], "left (layer 4) -> right"),
            (
                &[("top", at(6), &["bench"]), ("bench", Some(Layer::Dev), &[])],
                "top (layer 6) -> bench",
            ),
            (&[("lost", None, &[]), ("found", at(0), &[])], "lost: no layer"),
        ] {
            let found = violations_of(crates);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].starts_with(named), "{found:?} should begin with {named}");
        }
    }

    #[test]
    fn a_layer_that_does_not_exist_is_none() {
        for text in [r#"{"layer": 8}"#, r#"{"layer": "top"}"#, r#"{"layer": -1}"#, "null"] {
            let stated: Value = serde_json::from_str(text).unwrap();
            let package = serde_json::json!(
                { "name": "odd", "metadata": { "odonata": stated }, "dependencies": [] });
            assert_eq!(crate_of(&package).layer, None, "{text}");
        }
    }
}
