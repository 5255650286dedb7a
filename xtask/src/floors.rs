//! The floor law: a crate names only crates on strictly lower floors.
//!
//! Knows `cargo metadata` and nothing of what the crates contain. The judgment itself is a pure
//! function of the graph, so that it can be shown to catch what it is for.

use crate::house;
use serde_json::Value;
use std::fmt;
use std::process::Command;

/// Highest floor of the house; the doors stand there.
const TOP: u64 = 6;

/// Where a crate stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Floor {
    At(u8),
    /// Beside the house: it may name every crate, and no crate on a floor may name it.
    Dev,
}

impl fmt::Display for Floor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Floor::At(n) => write!(f, "floor {n}"),
            Floor::Dev => write!(f, "dev"),
        }
    }
}

/// A crate of the workspace, as its manifest describes it.
#[derive(Clone, Debug)]
pub struct Room {
    pub name: String,
    /// `None` if the manifest states none, or one that is no floor of this house.
    pub floor: Option<Floor>,
    /// Crates of the workspace it depends on: for code, tests and build scripts alike.
    pub names: Vec<String>,
}

/// Every way in which these rooms break the law, one sentence each; empty if they keep it.
pub fn offenses(rooms: &[Room]) -> Vec<String> {
    let mut found = Vec::new();
    for room in rooms {
        let Some(floor) = room.floor else {
            found.push(format!(
                "{}: no floor; its Cargo.toml needs `[package.metadata.house]` with \
                 `floor = 0` to `{TOP}`, or `\"dev\"`",
                room.name
            ));
            continue;
        };
        for name in &room.names {
            let Some(below) = rooms.iter().find(|r| &r.name == name).and_then(|r| r.floor) else {
                continue; // It has no floor of its own, which is reported where it stands.
            };
            let why = match (floor, below) {
                (Floor::Dev, _) => continue,
                (Floor::At(_), Floor::Dev) => "nothing in the house names a dev crate",
                (Floor::At(a), Floor::At(b)) if b < a => continue,
                (Floor::At(a), Floor::At(b)) if b == a => "siblings do not know each other",
                (Floor::At(_), Floor::At(_)) => "a room does not know what is built on it",
            };
            found.push(format!("{} ({floor}) -> {name} ({below}): {why}", room.name));
        }
    }
    found
}

/// The workspace's own rooms, from `cargo metadata`.
pub fn rooms() -> Vec<Room> {
    let out = Command::new(house::cargo())
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(house::root())
        .output()
        .expect("cargo can be run");
    assert!(out.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&out.stderr));
    let metadata: Value = serde_json::from_slice(&out.stdout).expect("cargo metadata is JSON");
    metadata["packages"].as_array().expect("packages").iter().map(room).collect()
}

fn room(package: &Value) -> Room {
    let text = |v: &Value| v.as_str().unwrap_or_default().to_string();
    let floor = &package["metadata"]["house"]["floor"];
    Room {
        name: text(&package["name"]),
        floor: match (floor.as_u64(), floor.as_str()) {
            (Some(n @ 0..=TOP), _) => Some(Floor::At(n as u8)),
            (_, Some("dev")) => Some(Floor::Dev),
            _ => None,
        },
        // A dependency inside the workspace is one that has a path.
        names: (package["dependencies"].as_array().expect("dependencies").iter())
            .filter(|d| d["path"].is_string())
            .map(|d| text(&d["name"]))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made_up(rooms: &[(&str, Option<Floor>, &[&str])]) -> Vec<String> {
        let rooms: Vec<Room> = rooms
            .iter()
            .map(|&(name, floor, names)| Room {
                name: name.into(),
                floor,
                names: names.iter().map(|n| n.to_string()).collect(),
            })
            .collect();
        offenses(&rooms)
    }
    fn at(n: u8) -> Option<Floor> {
        Some(Floor::At(n))
    }

    #[test]
    fn the_house_keeps_the_floor_law() {
        let rooms = rooms();
        assert!(rooms.len() > 10, "cargo metadata lists the whole workspace");
        let found = offenses(&rooms);
        assert!(found.is_empty(), "edges that break the floor law:\n{}", found.join("\n"));
    }

    #[test]
    fn a_lawful_house_has_no_offense() {
        let dev = Some(Floor::Dev);
        let found = made_up(&[
            ("cellar", at(0), &[]),
            ("hall", at(2), &["cellar"]),
            ("attic", at(6), &["hall", "cellar"]),
            ("scaffold", dev, &["attic", "ladder"]),
            ("ladder", dev, &[]),
        ]);
        assert_eq!(found, Vec::<String>::new());
    }

    #[test]
    fn every_kind_of_offense_is_found_and_named() {
        for (rooms, named) in [
            (&[("low", at(1), &["high"][..]), ("high", at(2), &[])], "low (floor 1) -> high"),
            (&[("left", at(4), &["right"]), ("right", at(4), &[])], "left (floor 4) -> right"),
            (
                &[("top", at(6), &["laws"]), ("laws", Some(Floor::Dev), &[])],
                "top (floor 6) -> laws",
            ),
            (&[("lost", None, &[]), ("found", at(0), &[])], "lost: no floor"),
        ] {
            let found = made_up(rooms);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].starts_with(named), "{found:?} should begin with {named}");
        }
    }

    #[test]
    fn a_floor_that_does_not_exist_is_no_floor() {
        for text in [r#"{"floor": 7}"#, r#"{"floor": "roof"}"#, r#"{"floor": -1}"#, "null"] {
            let house: Value = serde_json::from_str(text).unwrap();
            let package = serde_json::json!(
                { "name": "odd", "metadata": { "house": house }, "dependencies": [] });
            assert_eq!(room(&package).floor, None, "{text}");
        }
    }
}
