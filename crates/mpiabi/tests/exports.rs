//! Both shared libraries, linked as they ship: every name of the interface is there, twice.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

#[path = "../interface/generate.rs"]
mod generate;
#[path = "../../../xtask/src/libs.rs"]
mod libs;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("mpi/_lib")
}

/// Defined dynamic symbols with their types.
fn symbols(library: &Path) -> BTreeSet<(char, String)> {
    let output = Command::new("nm").args(["-D", "--defined-only"]).arg(library).output();
    let output = output.expect("nm, which comes with the linker");
    let text = String::from_utf8(output.stdout).expect("symbol names");
    let parse = |line: &str| {
        let mut words = line.split_whitespace().skip(1);
        (words.next().unwrap().chars().next().unwrap(), words.next().unwrap().to_string())
    };
    text.lines().map(parse).collect()
}

#[test]
fn both_libraries_export_the_whole_interface_and_nothing_else() {
    libs::build("dev", &folder()).expect("the libraries");
    let table = include_str!("../interface/functions.tsv");
    for (library, mpich) in [("libmpi_abi.so.1", false), ("libmpi.so.12", true)] {
        let mut found = symbols(&folder().join(library));
        let mut missing = Vec::new();
        for f in generate::functions(table) {
            if f.place == "mpich" && !mpich {
                continue;
            }
            for symbol in [('W', format!("MPI_{}", f.name)), ('T', format!("PMPI_{}", f.name))] {
                if !found.remove(&symbol) {
                    missing.push(symbol);
                }
            }
        }
        assert!(missing.is_empty(), "{library} does not export {missing:?}");
        let data = |name: &str| {
            name.starts_with("MPI_F")
                || matches!(
                    name,
                    "MPI_UNWEIGHTED"
                        | "MPI_WEIGHTS_EMPTY"
                        | "MPI_T_PVAR_ALL_HANDLES"
                        | "MPIR_Dup_fn"
                )
        };
        found.retain(|s| !(mpich && data(&s.1)));
        assert!(found.is_empty(), "{library} also exports {found:?}");
    }
}
