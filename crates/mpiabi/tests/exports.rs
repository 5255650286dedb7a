//! Both shared libraries, as they are shipped, export every function of the interface under both
//! names.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

#[path = "../interface/generate.rs"]
mod generate;
#[path = "../../../xtask/src/libs.rs"]
mod libs;

/// The folder of the libraries, which are built once for all tests.
fn folder() -> PathBuf {
    static BUILT: OnceLock<()> = OnceLock::new();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mpi/_lib");
    BUILT.get_or_init(|| libs::build(&folder).expect("the libraries"));
    folder
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
                        | "odonata_attribute_language"
                )
        };
        found.retain(|s| !(mpich && data(&s.1)));
        for name in ["odonata_file_attach", "odonata_file_call"] {
            assert!(found.remove(&('T', name.to_string())), "{library} does not export {name}");
        }
        assert!(found.is_empty(), "{library} also exports {found:?}");
    }
}

/// The header alone compiles with all warnings enabled.
#[test]
fn the_header_compiles_as_c_and_as_cpp() {
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../include");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("header.c");
    // A constant expression, a handle and a callback: the parts of a header that break first.
    let text = "#include <mpi.h>\n\
                static int f(int n) { switch (n) { case MPI_ANY_TAG: return 1; } return 0; }\n\
                static void op(void *a, void *b, int *n, MPI_Datatype *t)\n\
                { (void)a; (void)b; (void)n; (void)t; }\n\
                #if MPI_VERSION < 5\n#error version\n#endif\n\
                int main(void) { MPI_Op o;\n\
                MPI_Comm c = MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD));\n\
                MPI_Fint s[MPI_F_STATUS_SIZE]; MPI_Status t; MPI_Status_f2c(s, &t); (void)c;\n\
                return f(0) + MPI_Op_create(op, 1, &o); }\n";
    std::fs::write(&program, text).expect("the test's folder");
    let languages = [("cc", "c", "-std=c99"), ("c++", "c++", "-std=c++11")];
    for (compiler, language, standard) in languages {
        let mut command = Command::new(compiler);
        command.args(["-x", language, standard, "-fsyntax-only"]);
        command.args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I"]).arg(&include);
        match command.arg(&program).output() {
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "{compiler}: {said}");
            }
            // Rust needs a C linker, so `cc` exists; a C++ compiler need not exist.
            Err(error) => assert_eq!(compiler, "c++", "{error}"),
        }
    }
}

/// Names that only Fortran has: see `crates/mpifort/src/by_hand.rs`.
fn only_in_fortran(name: &str) -> bool {
    let own = ["odonata_", "mpipriv", "mpifcmb", "mpi_f_sync_reg_", "pmpi_f_sync_reg_"];
    let ends = ["_fn_", "_fn_null_", "_fn_null_c_", "_f08_c_", "2f08_", "082f_"];
    let in_f08 = ["_f08_", "_f08_large_", "_f08ts_", "_f08ts_large_"];
    let mut ends = ends.iter().chain(&in_f08);
    own.iter().any(|start| name.starts_with(start)) || ends.any(|end| name.ends_with(end))
}

#[test]
fn fortran_has_an_entry_point_for_every_function_but_those_of_c_alone() {
    let names = symbols(&folder().join("libmpifort.so.12"));
    let mut found: BTreeSet<String> = names.into_iter().map(|(_, name)| name).collect();
    let mut missing = Vec::new();
    for f in generate::functions(include_str!("../interface/functions.tsv")) {
        let of_c = f.name.starts_with("T_")
            || f.place == "mpich"
            || f.name.ends_with("_toint")
            || f.name.ends_with("_fromint")
            || f.name.contains("fortran");
        for prefix in ["mpi", "pmpi"] {
            let symbol = format!("{prefix}_{}_", f.name.to_lowercase());
            // The large-count forms of these are in `mpi_f08` only, under other names.
            let large = f.name.ends_with("detach_c") || f.name.ends_with("detach_buffer_c");
            if !found.remove(&symbol) && !of_c && !large {
                missing.push(symbol);
            }
        }
    }
    assert!(missing.is_empty(), "there is no {missing:?}");
    found.retain(|name| !only_in_fortran(name));
    assert!(found.is_empty(), "what are {found:?}?");
}
