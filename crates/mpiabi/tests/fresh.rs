//! The checked-in files that repeat the interface tables agree with the tables. `ODONATA_WRITE=1
//! cargo test -p mpiabi --test fresh` regenerates them.

use std::path::Path;
use std::{env, fs};

#[path = "../interface/generate.rs"]
mod generate;
#[path = "../interface/header.rs"]
mod header;

fn check(path: &str, fresh: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if env::var_os("ODONATA_WRITE").is_some() {
        fs::create_dir_all(path.parent().expect("a folder")).expect("the folder");
        fs::write(&path, fresh).expect("write");
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == fresh, "{} is stale: see the head of this test", path.display());
}

fn table(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("interface").join(name);
    fs::read_to_string(path).expect("a table")
}

#[test]
fn the_name_list_is_fresh() {
    let functions = table("functions.tsv");
    let functions = generate::functions(&functions);
    check("../workload/src/functions.rs", &generate::name_list(&functions));
}

#[test]
fn the_headers_are_fresh() {
    let (functions, constants) = (table("functions.tsv"), table("constants.tsv"));
    let functions = generate::functions(&functions);
    let constants = generate::constants(&constants);
    check("../../include/mpi.h", &header::header(&functions, &constants, false));
    check("../../include/mpich/mpi.h", &header::header(&functions, &constants, true));
}

#[test]
fn the_reference_page_is_fresh() {
    let functions = table("functions.tsv");
    let mut done = std::collections::BTreeSet::new();
    generate::scan(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut done);
    check("../../docs/reference/mpi.md", &generate::page(&generate::functions(&functions), &done));
}
