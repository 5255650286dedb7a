//! The rule against import cycles: modules of a crate depend on each other in one direction.
//!
//! A cycle is a strongly connected component of the dependencies between the files of a crate.
//! `module_tree` finds the dependencies and states what counts as one. `RECORDED` lists the cycles
//! that are left; they may only shrink.

mod module_tree;

use crate::workspace;
use module_tree::ModuleTree;
use std::collections::BTreeSet;
use std::fs;

/// Sizes of the cycles that crates still have, largest first.
const RECORDED: [(&str, &[usize]); 1] = [("mpiabi", &[10])];

/// Dependencies of each cycle that a violation lists.
const LISTED: usize = 12;

/// Files that depend on each other, and the dependencies between them.
struct Cycle {
    files: Vec<String>,
    dependencies: Vec<String>,
}

/// Every violation in the workspace, one line each; empty if there is none.
pub fn violations() -> Vec<String> {
    let crates = crates();
    let mut found: Vec<String> = crates
        .iter()
        .flat_map(|(name, cycles)| {
            let recorded = RECORDED.iter().find(|(of, _)| of == name).map_or(&[][..], |r| r.1);
            compared(name, cycles, recorded)
        })
        .collect();
    let unknown = RECORDED.iter().filter(|(of, _)| !crates.iter().any(|(name, _)| name == of));
    found.extend(unknown.map(|(of, _)| format!("{of}: no such crate; delete it from RECORDED")));
    found
}

/// Prints every cycle of the workspace with its dependencies.
pub fn print() {
    for (name, cycles) in crates() {
        for cycle in cycles {
            println!("{name}: {} modules: {}", cycle.files.len(), cycle.files.join(", "));
            cycle.dependencies.iter().for_each(|line| println!("  {line}"));
        }
    }
}

/// The cycles of each crate of the workspace, largest first.
fn crates() -> Vec<(String, Vec<Cycle>)> {
    let files = workspace::files();
    let read = |path: &str| fs::read_to_string(workspace::root().join(path)).ok();
    let mut crates: Vec<(String, Vec<Cycle>)> = Vec::new();
    for manifest in files.iter().filter_map(|f| f.strip_suffix("/Cargo.toml")) {
        let is_root = |file: &&String| {
            file.strip_prefix(manifest).is_some_and(|f| {
                ["/src/lib.rs", "/src/main.rs", "/build.rs"].contains(&f)
                    || f.starts_with("/src/bin/") && f.ends_with(".rs")
            })
        };
        let roots = files.iter().filter(is_root);
        let mut found: Vec<Cycle> =
            roots.flat_map(|root| cycles(&ModuleTree::new(root, &read))).collect();
        found.sort_by_key(|cycle| std::cmp::Reverse(cycle.files.len()));
        let name = manifest.rsplit('/').next().unwrap_or(manifest);
        crates.push((name.to_string(), found));
    }
    crates
}

/// The strongly connected components of more than one file.
fn cycles(tree: &ModuleTree) -> Vec<Cycle> {
    let dependencies = tree.dependencies();
    let n = tree.files.len();
    let mut reaches = vec![vec![false; n]; n];
    for &(from, to) in dependencies.keys() {
        reaches[from][to] = true;
    }
    for via in 0..n {
        let onward = reaches[via].clone();
        for row in reaches.iter_mut().filter(|row| row[via]) {
            row.iter_mut().zip(&onward).for_each(|(here, there)| *here |= there);
        }
    }
    let together = |one: usize, other: usize| reaches[one][other] && reaches[other][one];
    let components = (0..n).map(|one| (0..n).filter(|&other| together(one, other)).collect());
    let components: BTreeSet<Vec<usize>> = components.filter(|c: &Vec<_>| !c.is_empty()).collect();
    let path = |at: usize| tree.files[at].path.clone();
    let cycle = |members: Vec<usize>| {
        let inside =
            dependencies.iter().filter(|((a, b), _)| together(*a, *b) && members.contains(a));
        let line = |((a, b), names): (&(usize, usize), &BTreeSet<String>)| {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            format!("{} -> {}: {}", path(*a), path(*b), names.join(", "))
        };
        Cycle {
            dependencies: inside.map(line).collect(),
            files: members.into_iter().map(path).collect(),
        }
    };
    components.into_iter().map(cycle).collect()
}

/// What is to be done about the cycles of a crate, if they are not as recorded.
fn compared(name: &str, cycles: &[Cycle], recorded: &[usize]) -> Vec<String> {
    let sizes: Vec<usize> = cycles.iter().map(|cycle| cycle.files.len()).collect();
    if sizes == recorded {
        return Vec::new();
    }
    // A cycle that falls apart leaves more cycles, but none larger and no more modules in them.
    let shrunk =
        sizes.iter().sum::<usize>() <= recorded.iter().sum() && sizes.first() <= recorded.first();
    if shrunk {
        return vec![format!(
            "{name}: fewer modules are in import cycles than recorded; record {sizes:?} in \
             xtask/src/cycles.rs"
        )];
    }
    let mut found = vec![format!(
        "{name}: import cycles of {sizes:?} modules, recorded {recorded:?}; move an item to break \
         them (`cargo x cycles` prints all dependencies)"
    )];
    for cycle in cycles {
        found.push(format!("{name}: cycle of {}", cycle.files.join(", ")));
        found.extend(cycle.dependencies.iter().take(LISTED).map(|line| format!("{name}: {line}")));
    }
    found
}

#[cfg(test)]
mod tests;
