//! Generates the entry points that only pass arguments on: `mpi_send_` calls `MPI_Send`, so a tool
//! that defines `MPI_Send` also sees Fortran's calls, and `pmpi_send_` calls `PMPI_Send`.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::arguments::{
    Argument, ArgumentKind, Passing, arguments, is_c_only, keeps_a_buffer, name_f08,
    takes_a_buffer, uses_default_integers,
};
use super::generate::Function;

/// Functions in `src/handwritten.rs`, which differ from C in more than how arguments are passed.
pub const HANDWRITTEN: [&str; 40] = [
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

/// Predefined procedures that a program passes as arguments.
#[allow(dead_code)] // used by the modules
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
        if is_c_only(f) || HANDWRITTEN.contains(&f.name) {
            continue;
        }
        for prefix in ["MPI_", "PMPI_"] {
            if done.contains(f.name) {
                entry(&mut out, prefix, f);
            } else {
                unsupported_entry(&mut out, prefix, f);
            }
        }
    }
    let in_f08 = |f: &&Function| !is_c_only(f) && !uses_default_integers(f);
    functions.iter().filter(in_f08).for_each(|f| entries_f08(&mut out, f));
    out
}

/// The names of a function in MPICH's `mpi_f08`, for programs and for tools that intercept it:
/// `MPI_Send_f08ts`, `PMPI_Send_f08ts` as in the standard, and MPICH's name of the latter.
fn entries_f08(out: &mut String, f: &Function) {
    let all = arguments(f);
    let parameter = |a: &Argument| match a.kind {
        ArgumentKind::Choice if takes_a_buffer(f) && a.name != "buffer_addr" => {
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
    for a in all.iter().filter(|a| a.kind == ArgumentKind::Text) {
        taken.push(format!("{}_len: usize", a.name));
        passed.push(format!("{}_len", a.name));
    }
    let returns = match f.returns {
        "int" => "",
        "double" => " -> f64",
        _ => " -> i64",
    };
    // The called procedures take addresses only.
    let addresses = taken.join(", ").replace("*const Descriptor", "*mut c_void");
    let (before, after) = sections(f, &mut passed);
    for (own, prefix) in [("MPI_", "MPI_"), ("PMPI_", "PMPI_"), ("PMPIR_", "PMPI_")] {
        // The address of a detached buffer: handwritten, under that name for counts of 32 bits.
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

/// Statements before and after the call that replace array sections by contiguous buffers.
fn sections(f: &Function, passed: &mut [String]) -> (String, String) {
    let (mut before, mut after) = (String::new(), String::new());
    if !takes_a_buffer(f) {
        return (before, after);
    }
    for (a, passed) in
        arguments(f).iter().zip(passed).filter(|(a, _)| a.kind == ArgumentKind::Choice)
    {
        let name = a.name;
        // Only the address of the buffer matters here.
        let place = matches!(name, "location" | "base") && f.name != "Win_create";
        let buffer_use = match (place, keeps_a_buffer(f)) {
            (true, _) => "BufferUse::AddressOnly".to_string(),
            (_, true) => format!("BufferUse::AfterCall(\"MPI_{}\")", f.name.trim_end_matches("_c")),
            _ => "BufferUse::DuringCall".to_string(),
        };
        writeln!(before, "    let mut {name} = Section::new({name}, {buffer_use});").unwrap();
        *passed = format!("{name}.address()");
        if a.passing != Passing::Read && !place {
            writeln!(after, "    {name}.store();").unwrap();
        }
    }
    (before, after)
}

/// The symbol that a Fortran compiler on Linux makes of a name.
fn symbol(prefix: &str, name: &str) -> String {
    format!("{prefix}{name}_").to_lowercase()
}

/// The entry point of an unsupported function: a call ends the job.
fn unsupported_entry(out: &mut String, prefix: &str, f: &Function) {
    let (c, fortran) = (format!("{prefix}{}", f.name), symbol(prefix, f.name));
    writeln!(
        out,
        "unsafe extern \"C\" {{ fn {c}(); }}\n\
         #[unsafe(no_mangle)]\n\
         unsafe extern \"C\" fn {fortran}() {{ unsafe {{ {c}() }} }}"
    )
    .unwrap();
}

fn number(kind: ArgumentKind) -> &'static str {
    match kind {
        ArgumentKind::Wide(_) => "i64",
        _ => "c_int",
    }
}

/// Type in C, type in Fortran, and the expression that is passed on.
fn argument_types(a: &Argument) -> (String, String, String) {
    let name = a.name;
    let of = |c: &str, fortran: &str, passed: String| (c.into(), fortran.into(), passed);
    match (a.kind, a.passing) {
        (ArgumentKind::Handle("File"), Passing::Value) => {
            of("usize", "*const c_int", format!("MPI_File_f2c(*{name})"))
        }
        (ArgumentKind::Handle("File"), _) => {
            of("*mut usize", "*mut c_int", format!("&mut {name}_c"))
        }
        (ArgumentKind::Choice, _) => {
            of("*mut c_void", "*mut c_void", format!("address_constants::buffer({name})"))
        }
        (ArgumentKind::Word, _) => of("i64", "*const i64", format!("*{name}")),
        (ArgumentKind::Pointer | ArgumentKind::Procedure(_), _) => {
            of("*mut c_void", "*mut c_void", name.into())
        }
        (ArgumentKind::Status, Passing::Array) => {
            of("*mut c_int", "*mut c_int", format!("address_constants::statuses({name})"))
        }
        (ArgumentKind::Status, _) => {
            of("*mut c_int", "*mut c_int", format!("address_constants::status({name})"))
        }
        (ArgumentKind::Weights, _) => {
            of("*mut c_int", "*mut c_int", format!("address_constants::weights({name})"))
        }
        (ArgumentKind::Text, Passing::Read) => {
            of("*const c_char", "*const u8", format!("{name}_c.as_ptr()"))
        }
        (ArgumentKind::Text, _) => of("*mut c_char", "*mut u8", format!("{name}_c.as_mut_ptr()")),
        (kind, Passing::Value) => {
            of(number(kind), &format!("*const {}", number(kind)), format!("*{name}"))
        }
        (kind, _) => {
            let pointer = format!("*mut {}", number(kind));
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
        let (c, fortran, value) = argument_types(a);
        declared.push(format!("{}: {c}", a.name));
        taken.push(format!("{}: {fortran}", a.name));
        passed.push(value);
        let name = a.name;
        match (a.kind, a.passing) {
            (ArgumentKind::Handle("File"), Passing::Place) => {
                writeln!(before, "    let mut {name}_c = MPI_File_f2c(*{name});").unwrap();
                writeln!(after, "    *{name} = MPI_File_c2f({name}_c);").unwrap();
            }
            (ArgumentKind::Text, Passing::Read) => {
                let both = matches!(name, "key" | "value");
                let trim = if both { "trimmed" } else { "text" };
                writeln!(before, "    let {name}_c = text::{trim}({name}, {name}_len);").unwrap();
                write!(lengths, ", {name}_len: usize").unwrap();
            }
            (ArgumentKind::Text, _) => {
                writeln!(before, "    let mut {name}_c = OutputBuffer::new({name}_len);").unwrap();
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
