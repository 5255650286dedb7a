//! Generates every file that repeats the two tables beside this file: our `mpi.h` (`header.rs`),
//! the list of function names, the constants of both ABIs, and the list of unsupported functions.
//!
//! Compiled into the build script, which needs the Rust parts, and into a test, which compares the
//! checked-in files with the generated text.

#![allow(dead_code)] // each of the two users needs a part

use std::fmt::Write;

#[path = "reasons.rs"]
mod reasons;
#[path = "required.rs"]
pub mod required;

pub struct Function<'a> {
    pub name: &'a str,
    pub returns: &'a str,
    pub arguments: &'a str,
    pub place: &'a str,
}

pub struct Constant<'a> {
    pub name: &'a str,
    pub kind: &'a str,
    pub standard: &'a str,
    pub mpich: &'a str,
}

fn rows<const N: usize>(table: &str) -> impl Iterator<Item = [&str; N]> {
    let rows = table.lines().filter(|l| !l.starts_with('#') && !l.is_empty()).skip(1);
    rows.map(|l| {
        let columns: Vec<&str> = l.split('\t').collect();
        columns.try_into().unwrap_or_else(|c| panic!("a row of {N} columns, not {c:?}"))
    })
}

pub fn functions(table: &str) -> Vec<Function<'_>> {
    let row =
        |[name, returns, arguments, place]: [_; 4]| Function { name, returns, arguments, place };
    rows(table).map(row).collect()
}

pub fn constants(table: &str) -> Vec<Constant<'_>> {
    let row = |[name, kind, standard, mpich]: [_; 4]| Constant { name, kind, standard, mpich };
    rows(table).map(row).collect()
}

/// The list of function names, shared by the library and the simulator. Index 0 is "no call".
pub fn name_list(functions: &[Function]) -> String {
    let mut out = String::from(
        "//! Names of the MPI functions, in the order of `crates/mpiabi/interface/functions.tsv`.\n\
         //! Written by that crate's test `fresh`; do not edit.\n\n\
         /// The functions a rank can be in, by their numbers in submissions. 0: between calls.\n",
    );
    writeln!(out, "pub const FUNCTIONS: [&str; {}] = [", functions.len() + 1).unwrap();
    out.push_str("    \"(between calls)\",\n");
    for f in functions {
        writeln!(out, "    \"MPI_{}\",", f.name).unwrap();
    }
    out.push_str(
        "];\n\n/// Name of a function by its number; unknown numbers have none.\n\
         pub fn function_name(id: u32) -> &'static str {\n    \
         FUNCTIONS.get(id as usize).copied().unwrap_or(\"an MPI function\")\n}\n",
    );
    out
}

/// Numbers of the functions as constants, and those of their large-count variants under the plain
/// name.
pub fn ids(functions: &[Function]) -> String {
    let number = |name: &str| functions.iter().position(|f| f.name == name).map(|i| i + 1);
    let mut plain = String::new();
    let mut large = String::new();
    for (i, f) in functions.iter().enumerate() {
        writeln!(plain, "pub const {}: u32 = {};", f.name, i + 1).unwrap();
        if let Some(large_number) = number(&format!("{}_c", f.name)) {
            writeln!(large, "pub const {}: u32 = {large_number};", f.name).unwrap();
        }
    }
    format!("pub mod id {{\n{plain}}}\npub mod id_c {{\n{large}}}\n")
}

fn rust_name(name: &str) -> String {
    match name.as_bytes()[0] {
        b'0'..=b'9' => format!("_{name}"),
        _ => name.to_string(),
    }
}

/// The text between `MPI` and a constant's name.
fn underscore(name: &str) -> &str {
    if name.starts_with("X_") { "" } else { "_" }
}

pub fn is_handle(kind: &str) -> bool {
    const HANDLES: [&str; 11] = [
        "Comm",
        "Datatype",
        "Errhandler",
        "File",
        "Group",
        "Info",
        "Message",
        "Op",
        "Request",
        "Session",
        "Win",
    ];
    HANDLES.contains(&kind)
}

/// The constants of one ABI, and all its predefined datatypes by name.
pub fn rust_constants(constants: &[Constant], mpich: bool) -> String {
    let mut out = String::new();
    let mut types = String::new();
    for c in constants {
        let value = if mpich { c.mpich } else { c.standard };
        if value == "-" {
            continue;
        }
        let name = rust_name(c.name);
        match c.kind {
            "alias" => writeln!(out, "pub use self::{value} as {name};").unwrap(),
            kind if is_handle(kind) => {
                writeln!(out, "pub const {name}: {kind} = {kind}({value}u32 as _);").unwrap();
                if kind == "Datatype" && c.name != "DATATYPE_NULL" {
                    writeln!(types, "    (\"MPI{}{}\", {name}),", underscore(c.name), c.name)
                        .unwrap();
                }
            }
            "int" if value.starts_with("0x") => {
                writeln!(out, "pub const {name}: c_int = {value}u32 as c_int;").unwrap();
            }
            "int" => writeln!(out, "pub const {name}: c_int = {value};").unwrap(),
            "MPI_Offset" => writeln!(out, "pub const {name}: i64 = {value};").unwrap(),
            // Pointers and functions: compared as addresses.
            _ => writeln!(out, "pub const {name}: usize = {value}isize as usize;").unwrap(),
        }
    }
    let n = types.lines().count();
    write!(out, "pub const DATATYPES: [(&str, Datatype); {n}] = [\n{types}];\n").unwrap();
    out.push_str(&foreign_handles(constants, mpich));
    out
}

/// The predefined handles of the other ABI: kind, bits and name. Value 0 is left out: it identifies
/// no handle.
fn foreign_handles(constants: &[Constant], mpich: bool) -> String {
    let mut rows = String::new();
    for c in constants.iter().filter(|c| is_handle(c.kind)) {
        let value = if mpich { c.standard } else { c.mpich };
        if value != "-" && value != "0" {
            let name = format!("MPI{}{}", underscore(c.name), c.name);
            writeln!(rows, "    (Kind::{}, {value}, \"{name}\"),", c.kind).unwrap();
        }
    }
    let n = rows.lines().count();
    format!("pub const FOREIGN: [(Kind, u32, &str); {n}] = [\n{rows}];\n")
}

/// Functions that the crate's sources implement: `pub fn Name(` with a name of the table, and with
/// `<Int>` also the large-count variant. All other Rust functions have lower-case names.
pub fn implemented(source: &str, found: &mut std::collections::BTreeSet<String>) {
    for line in source.lines() {
        let Some(rest) = line.trim_start().strip_prefix("pub fn ") else { continue };
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let (name, rest) = rest.split_at(end);
        if name.starts_with(char::is_uppercase) {
            found.insert(name.to_string());
            if rest.starts_with("<Int>") {
                found.insert(format!("{name}_c"));
            }
        }
    }
}

/// The same for all sources of a folder.
pub fn scan(folder: &std::path::Path, found: &mut std::collections::BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).expect("the sources") {
        let path = entry.expect("the sources").path();
        if path.is_dir() {
            scan(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            implemented(&std::fs::read_to_string(&path).expect("a source"), found);
        }
    }
}

/// Exports of all other functions. A program that links one loads, and a call of it reports the
/// missing function.
pub fn unsupported(
    functions: &[Function],
    done: &std::collections::BTreeSet<String>,
    mpich: bool,
) -> String {
    let mut out = String::from("unsupported! {\n");
    for f in functions {
        if !done.contains(f.name) && (mpich || f.place != "mpich") {
            writeln!(out, "    {}", f.name).unwrap();
        }
    }
    out.push_str("}\n");
    out
}

const HEAD: &str = "\
# MPI functions

Generated from the interface table and the sources of `crates/mpiabi` by its test `fresh`; do not
edit.

Both libraries (`libmpi_abi.so.1`, the MPI-5 standard ABI, and `libmpi.so.12`, MPICH's) export every
function of MPI 5.0, as `MPI_` and as `PMPI_`, and the removed functions that programs still call.
So every program loads. A call of an unsupported function ends the job with a message that names it.

A name with `(_c)` also has the large-count form. Fortran calls all functions except the tool
interface (`MPI_T_...`) through `libmpifort.so.12`; [exceptions](../fortran.md#limits).
";

/// The reference page of supported and unsupported functions.
pub fn page(functions: &[Function], done: &std::collections::BTreeSet<String>) -> String {
    let mut out = String::from(HEAD);
    let listed = |supported: bool| {
        let wanted = |f: &&Function| f.place != "mpich" && done.contains(f.name) == supported;
        functions.iter().filter(wanted).map(|f| f.name).collect::<Vec<_>>()
    };
    let words: Vec<String> = listed(true).iter().map(|n| format!("MPI_{n}")).collect();
    let n = words.len();
    let is_plain_form = |w: &&String| {
        let is_large = w.strip_suffix("_c").is_some_and(|plain| words.iter().any(|x| x == plain));
        !is_large
    };
    write!(out, "\n## Supported ({n})\n\n").unwrap();
    let mut line = String::new();
    for word in words.iter().filter(is_plain_form) {
        let large = words.contains(&format!("{word}_c"));
        let item = if large { format!("{word} (_c)") } else { word.clone() };
        if line.len() + item.len() + 2 > 100 {
            writeln!(out, "{}", line.trim_end()).unwrap();
            line.clear();
        }
        write!(line, "{item}, ").unwrap();
    }
    writeln!(out, "{}", line.trim_end_matches([',', ' '])).unwrap();
    let missing = listed(false);
    write!(out, "\n## Not supported ({})\n\n", missing.len()).unwrap();
    for name in missing {
        writeln!(out, "- MPI_{name}: {}", reasons::reason(name)).unwrap();
    }
    out
}
