//! Writes the entry points that only pass arguments on: `mpi_send_` calls `MPI_Send`, so a tool
//! that stands in for `MPI_Send` sees Fortran's calls, too, and `pmpi_send_` calls `PMPI_Send`.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::arguments::{
    Argument, How, What, arguments, has_short_addresses, keeps_a_buffer, name_f08, only_in_c,
    takes_a_buffer,
};
use super::generate::Function;

/// What `src/by_hand.rs` has, because more than the way of passing differs from C.
pub const BY_HAND: [&str; 40] = [
    "Address",
    "Attr_get",
    "Attr_put",
    "Buffer_detach",
    "Buffer_detach_c",
    "Comm_create_keyval",
    "Comm_detach_buffer",
    "Comm_detach_buffer_c",
    "Comm_get_attr",
    "Comm_set_attr",
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
    "Type_set_attr",
    "Type_struct",
    "Type_ub",
    "Waitany",
    "Waitsome",
    "Win_create_keyval",
    "Win_get_attr",
    "Win_set_attr",
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
    let in_f08 = |f: &&Function| !only_in_c(f) && !has_short_addresses(f);
    functions.iter().filter(in_f08).for_each(|f| entries_f08(&mut out, f));
    out
}

/// The names that a function has in MPICH's `mpi_f08`, for programs and for tools that stand in for
/// it: `MPI_Send_f08ts`, `PMPI_Send_f08ts` as the standard calls it, and what MPICH calls that one.
fn entries_f08(out: &mut String, f: &Function) {
    let all = arguments(f);
    let parameter = |a: &Argument| match a.what {
        What::Choice if takes_a_buffer(f) && a.name != "buffer_addr" => {
            format!("{}: *const Descriptor", a.name)
        }
        _ => format!("{}: *mut c_void", a.name),
    };
    let mut taken: Vec<String> = all.iter().map(parameter).collect();
    let mut passed: Vec<String> = all.iter().map(|a| a.name.to_string()).collect();
    if f.returns == "int" {
        taken.push("ierror: *mut c_void".into());
        passed.push("ierror".into());
    }
    for a in all.iter().filter(|a| a.what == What::Text) {
        taken.push(format!("{}_len: usize", a.name));
        passed.push(format!("{}_len", a.name));
    }
    let returns = match f.returns {
        "int" => "",
        "double" => " -> f64",
        _ => " -> i64",
    };
    // What each calls takes addresses alone.
    let addresses = taken.join(", ").replace("*const Descriptor", "*mut c_void");
    let (before, after) = sections(f, &mut passed);
    for (own, prefix) in [("MPI_", "MPI_"), ("PMPI_", "PMPI_"), ("PMPIR_", "PMPI_")] {
        // A detached buffer's address: by hand, under that name for counts of 32 bits.
        let by_hand = all.iter().any(|a| a.name == "buffer_addr") && !takes_a_buffer(f);
        let (name, plain) = (symbol(own, &name_f08(f)), f.name.trim_end_matches("_c"));
        let target = match (by_hand, f.name.ends_with("_c")) {
            (false, _) => symbol(prefix, f.name),
            (true, false) => symbol(prefix, &format!("{plain}_f08")),
            (true, true) => symbol(prefix, &format!("{plain}_f08_c")),
        };
        if name == target {
            continue;
        }
        writeln!(
            out,
            "const _: () = {{\nunsafe extern \"C\" {{ fn {target}({addresses}){returns}; }}\n\
             #[unsafe(no_mangle)]\nunsafe extern \"C\" fn {name}({}){returns} {{ unsafe {{\n\
             {before}    let result = {target}({});\n{after}    result\n}} }}\n}};",
            taken.join(", "),
            passed.join(", ")
        )
        .unwrap();
    }
}

/// What is done with the sections of arrays before and after the call, which takes their addresses.
fn sections(f: &Function, passed: &mut [String]) -> (String, String) {
    let (mut before, mut after) = (String::new(), String::new());
    if !takes_a_buffer(f) {
        return (before, after);
    }
    for (a, passed) in arguments(f).iter().zip(passed).filter(|(a, _)| a.what == What::Choice) {
        let name = a.name;
        // Where a buffer is counts there, not what is in it.
        let place = matches!(name, "location" | "base") && f.name != "Win_create";
        let how = match (place, keeps_a_buffer(f)) {
            (true, _) => "Use::Place".to_string(),
            (_, true) => format!("Use::Kept(\"MPI_{}\")", f.name.trim_end_matches("_c")),
            _ => "Use::Now".to_string(),
        };
        writeln!(before, "    let mut {name} = Section::new({name}, {how});").unwrap();
        *passed = format!("{name}.address()");
        if a.how != How::Read && !place {
            writeln!(after, "    {name}.store();").unwrap();
        }
    }
    (before, after)
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
