//! Generates Rust from the interface tables: constants, function numbers, and an export for every
//! function that the sources do not implement.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

#[path = "interface/generate.rs"]
mod generate;

fn main() {
    println!("cargo::rerun-if-changed=interface");
    println!("cargo::rerun-if-changed=src");
    let mpich = env::var_os("CARGO_FEATURE_MPICH").is_some();
    let functions = fs::read_to_string("interface/functions.tsv").expect("the function table");
    let functions = generate::functions(&functions);
    let constants = fs::read_to_string("interface/constants.tsv").expect("the constant table");
    let constants = generate::constants(&constants);
    let mut done = BTreeSet::new();
    generate::scan(Path::new("src"), &mut done);

    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let write = |name: &str, text: String| fs::write(out.join(name), text).expect("OUT_DIR");
    write("constants.rs", generate::rust_constants(&constants, mpich));
    write("ids.rs", generate::ids(&functions));
    write("required.rs", generate::required::table(&functions, mpich));
    write("unsupported.rs", generate::unsupported(&functions, &done, mpich));
}
