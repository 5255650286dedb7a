//! Generates a Fortran entry point for every function that is not in `src/handwritten.rs`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

#[path = "interface/arguments.rs"]
mod arguments;
#[path = "interface/entries.rs"]
mod entries;
#[path = "../mpiabi/interface/generate.rs"]
mod generate;

fn main() {
    println!("cargo::rerun-if-changed=interface");
    println!("cargo::rerun-if-changed=../mpiabi/interface");
    println!("cargo::rerun-if-changed=../mpiabi/src");
    let table = fs::read_to_string("../mpiabi/interface/functions.tsv").expect("the table");
    let mut done = BTreeSet::new();
    generate::scan(Path::new("../mpiabi/src"), &mut done);
    let text = entries::entries(&generate::functions(&table), &done);
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::write(out.join("entries.rs"), text).expect("OUT_DIR");
}
