//! Writes the entry points that only pass arguments on: `mpi_send_` calls `MPI_Send`, so a tool
//! that stands in for `MPI_Send` sees Fortran's calls, too, and `pmpi_send_` calls `PMPI_Send`.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::arguments::{Argument, How, What, arguments, only_in_c};
use super::generate::Function;

/// What `src/by_hand.rs` has, because more than the way of passing differs from C.
pub const BY_HAND: [&str; 37] = [
    "Address",
    "Attr_get",
    "Attr_put",
    "Buffer_detach",
    "Buffer_detach_c",
    "Comm_create_keyval",
    "Comm_detach_buffer",
    "Comm_detach_buffer_c",
    "Comm_get_attr",
    "Grequest_start",
    "Info_create_env",
    "Info_get_string",
    "Init",
    "Init_thread",
    "Keyval_create",
    "Pcontrol",
    "Register_datarep",
    "Register_datarep_c",
    "Request_get_status_any",
    "Request_get_status_some",
    "Session_detach_buffer",
    "Session_detach_buffer_c",
    "Session_get_nth_pset",
    "Testany",
    "Testsome",
    "Type_create_keyval",
    "Type_extent",
    "Type_get_attr",
    "Type_hindexed",
    "Type_hvector",
    "Type_lb",
    "Type_struct",
    "Type_ub",
    "Waitany",
    "Waitsome",
    "Win_create_keyval",
    "Win_get_attr",
];

/// Procedures that a program passes on, and so has to name.
#[allow(dead_code)] // the modules name them
pub const PROCEDURES: [&str; 13] = [
    "MPI_NULL_COPY_FN",
    "MPI_DUP_FN",
    "MPI_NULL_DELETE_FN",
    "MPI_COMM_NULL_COPY_FN",
    "MPI_COMM_DUP_FN",
    "MPI_COMM_NULL_DELETE_FN",
    "MPI_TYPE_NULL_COPY_FN",
    "MPI_TYPE_DUP_FN",
    "MPI_TYPE_NULL_DELETE_FN",
    "MPI_WIN_NULL_COPY_FN",
    "MPI_WIN_DUP_FN",
    "MPI_WIN_NULL_DELETE_FN",
    "MPI_CONVERSION_FN_NULL",
];

pub fn entries(functions: &[Function], done: &BTreeSet<String>) -> String {
    let mut out = String::new();
    for f in functions {
        if only_in_c(f) || BY_HAND.contains(&f.name) {
            continue;
        }
        for prefix in ["MPI_", "PMPI_"] {
            if done.contains(f.name) {
                entry(&mut out, prefix, f);
            } else {
                ends_the_job(&mut out, prefix, f);
            }
        }
    }
    out
}

/// The symbol that a Fortran compiler on Linux makes of a name.
fn symbol(prefix: &str, name: &str) -> String {
    format!("{prefix}{name}_").to_lowercase()
}

/// For functions that end the job whatever their arguments.
fn ends_the_job(out: &mut String, prefix: &str, f: &Function) {
    let (c, fortran) = (format!("{prefix}{}", f.name), symbol(prefix, f.name));
    writeln!(
        out,
        "unsafe extern \"C\" {{ fn {c}(); }}\n\
         #[unsafe(no_mangle)]\n\
         unsafe extern \"C\" fn {fortran}() {{ unsafe {{ {c}() }} }}"
    )
    .unwrap();
}

fn number(what: What) -> &'static str {
    match what {
        What::Wide(_) => "i64",
        _ => "c_int",
    }
}

/// Types in C, types in Fortran, and what is passed on.
fn one(a: &Argument) -> (String, String, String) {
    let name = a.name;
    let of = |c: &str, fortran: &str, passed: String| (c.into(), fortran.into(), passed);
    match (a.what, a.how) {
        (What::Handle("File"), How::Value) => {
            of("usize", "*const c_int", format!("MPI_File_f2c(*{name})"))
        }
        (What::Handle("File"), _) => of("*mut usize", "*mut c_int", format!("&mut {name}_c")),
        (What::Choice, _) => of("*mut c_void", "*mut c_void", format!("places::buffer({name})")),
        (What::Word, _) => of("i64", "*const i64", format!("*{name}")),
        (What::Pointer | What::Procedure(_), _) => of("*mut c_void", "*mut c_void", name.into()),
        (What::Status, How::Array) => {
            of("*mut c_int", "*mut c_int", format!("places::statuses({name})"))
        }
        (What::Status, _) => of("*mut c_int", "*mut c_int", format!("places::status({name})")),
        (What::Weights, _) => of("*mut c_int", "*mut c_int", format!("places::weights({name})")),
        (What::Text, How::Read) => of("*const c_char", "*const u8", format!("{name}_c.as_ptr()")),
        (What::Text, _) => of("*mut c_char", "*mut u8", format!("{name}_c.as_mut_ptr()")),
        (what, How::Value) => {
            of(number(what), &format!("*const {}", number(what)), format!("*{name}"))
        }
        (what, _) => {
            let pointer = format!("*mut {}", number(what));
            of(&pointer, &pointer, name.into())
        }
    }
}

fn entry(out: &mut String, prefix: &str, f: &Function) {
    let (c, fortran) = (format!("{prefix}{}", f.name), symbol(prefix, f.name));
    let all = arguments(f);
    let (mut declared, mut taken, mut passed) = (Vec::new(), Vec::new(), Vec::new());
    let (mut before, mut after, mut lengths) = (String::new(), String::new(), String::new());
    for a in &all {
        let (c, fortran, value) = one(a);
        declared.push(format!("{}: {c}", a.name));
        taken.push(format!("{}: {fortran}", a.name));
        passed.push(value);
        let name = a.name;
        match (a.what, a.how) {
            (What::Handle("File"), How::Place) => {
                writeln!(before, "    let mut {name}_c = MPI_File_f2c(*{name});").unwrap();
                writeln!(after, "    *{name} = MPI_File_c2f({name}_c);").unwrap();
            }
            (What::Text, How::Read) => {
                let both = matches!(name, "key" | "value");
                let trim = if both { "trimmed" } else { "text" };
                writeln!(before, "    let {name}_c = text::{trim}({name}, {name}_len);").unwrap();
                write!(lengths, ", {name}_len: usize").unwrap();
            }
            (What::Text, _) => {
                writeln!(before, "    let mut {name}_c = Room::new({name}_len);").unwrap();
                writeln!(after, "    {name}_c.copy_to({name}, {name}_len);").unwrap();
                write!(lengths, ", {name}_len: usize").unwrap();
            }
            _ => {}
        }
    }
    let (declared, passed) = (declared.join(", "), passed.join(", "));
    if f.returns != "int" {
        let returns = if f.returns == "double" { "f64" } else { "i64" };
        writeln!(
            out,
            "unsafe extern \"C\" {{ fn {c}({declared}) -> {returns}; }}\n\
             #[unsafe(no_mangle)]\n\
             unsafe extern \"C\" fn {fortran}({}) -> {returns} {{ unsafe {{ {c}({passed}) }} }}",
            taken.join(", ")
        )
        .unwrap();
        return;
    }
    taken.push("ierror: *mut c_int".into());
    writeln!(
        out,
        "unsafe extern \"C\" {{ fn {c}({declared}) -> c_int; }}\n\
         #[unsafe(no_mangle)]\n\
         unsafe extern \"C\" fn {fortran}({}{lengths}) {{ unsafe {{\n{before}    \
         let code = {c}({passed});\n{after}    report(ierror, code);\n}} }}",
        taken.join(", ")
    )
    .unwrap();
}
