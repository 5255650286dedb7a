//! The Fortran types of the arguments of a C function, from their C types. Where C has one type for
//! several purposes, the name of the argument decides: an `int` may be a logical, a `void *` a
//! buffer, an address or a word of the program.

#![allow(dead_code)] // each user needs a part

use super::generate::{Function, is_handle};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArgumentKind<'a> {
    Int,
    /// An `int` in C; zero is false.
    Logical,
    /// `MPI_Aint`, `MPI_Offset` or `MPI_Count`: the kind's name without `MPI_` and `_KIND`.
    Wide(&'static str),
    /// Its type without `MPI_`, such as `Comm`.
    Handle(&'a str),
    Status,
    /// A choice buffer, of any type; may be `MPI_BOTTOM` or `MPI_IN_PLACE`.
    Choice,
    /// Receives an address from the library.
    Pointer,
    /// An address-sized word of the program, which C passes as `void *` by value.
    Word,
    /// Integers, `MPI_UNWEIGHTED` or `MPI_WEIGHTS_EMPTY`.
    Weights,
    /// Characters: blank-padded in Fortran, ended by NUL in C.
    Text,
    /// A procedure: the C type's name without `MPI_`.
    Procedure(&'a str),
}

/// How C passes an argument. Fortran always passes an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Passing {
    Value,
    /// Address of one value that is written, or read and written.
    Place,
    /// Address of values that are only read.
    Read,
    Array,
}

#[derive(Clone, Copy, Debug)]
pub struct Argument<'a> {
    pub name: &'a str,
    pub kind: ArgumentKind<'a>,
    pub passing: Passing,
}

/// Names of logical arguments in the standard.
const LOGICALS: [&str; 7] =
    ["flag", "reorder", "commute", "periods", "remain_dims", "high", "weighted"];

/// Functions without a Fortran form: the tool interface, conversions of handles, and those with
/// which a Fortran library describes itself to the ABI.
pub fn is_c_only(f: &Function) -> bool {
    f.name.starts_with("T_")
        || f.place == "mpich"
        || f.name.ends_with("_toint")
        || f.name.ends_with("_fromint")
        || f.name.contains("fortran")
}

/// Functions of MPI-1 that MPI-2 replaced, because their addresses are default integers.
pub fn uses_default_integers(f: &Function) -> bool {
    f.place == "removed" || f.name.starts_with("Attr_") || f.name.starts_with("Keyval_")
}

/// Whether the library accesses a buffer after the call: the standard declares it `asynchronous`.
pub fn keeps_a_buffer(f: &Function) -> bool {
    let all = arguments(f);
    let later = |a: &Argument| match a.kind {
        ArgumentKind::Handle("Request") => a.passing == Passing::Place,
        ArgumentKind::Handle("Win") => true,
        _ => false,
    };
    let named = f.name.ends_with("_begin") || f.name.to_lowercase().contains("attach");
    all.iter().any(|a| a.kind == ArgumentKind::Choice && a.name != "buffer_addr")
        && (named || all.iter().any(later))
        && f.name != "Win_detach"
}

/// Whether a function has a choice buffer in `mpi_f08`, so that its specific name ends in `_f08ts`
/// (MPI 5.0, 19.1.5). Functions that return a buffer's address have a `type(c_ptr)` instead.
pub fn takes_a_buffer(f: &Function) -> bool {
    arguments(f).iter().any(|a| a.kind == ArgumentKind::Choice && a.name != "buffer_addr")
}

/// The specific name in MPICH's `mpi_f08`, without `MPI_`.
pub fn name_f08(f: &Function) -> String {
    let (plain, large) = match f.name.strip_suffix("_c") {
        Some(plain) => (plain, "_large"),
        None => (f.name, ""),
    };
    format!("{plain}_f08{}{large}", if takes_a_buffer(f) { "ts" } else { "" })
}

/// Arguments of a function in Fortran, without `ierror`.
pub fn arguments<'a>(f: &Function<'a>) -> Vec<Argument<'a>> {
    let all = f.arguments.split(", ").filter(|a| !matches!(*a, "void" | "..."));
    let mut all: Vec<Argument<'a>> = all.map(|a| argument(f, a)).collect();
    // Fortran does not pass the command line.
    let takes_command = f.name.starts_with("Init") || f.name == "Info_create_env";
    all.retain(|a| !(takes_command && matches!(a.name, "argc" | "argv")));
    all
}

fn argument<'a>(f: &Function<'a>, text: &'a str) -> Argument<'a> {
    let bare = text.split('[').next().unwrap_or_default();
    let array = bare.len() < text.len();
    let start = bare.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |i| i + 1);
    let (left, name) = bare.split_at(start);
    // The standard's names in Fortran: programs may use keyword arguments.
    let name = match (f.name.trim_end_matches("_c"), name) {
        (_, "indx") => "index",
        ("Precv_init", "dest") => "source",
        ("Status_get_error" | "Status_set_error", "error") => "err",
        _ => name,
    };
    let (constant, left) = match left.strip_prefix("const ") {
        Some(rest) => (true, rest),
        None => (false, left),
    };
    let stars = left.matches('*').count();
    let base = left.trim_end_matches([' ', '*']);
    let mut passing = match (array, stars, constant) {
        (true, ..) => Passing::Array,
        (_, 0, _) => Passing::Value,
        (_, _, true) => Passing::Read,
        _ => Passing::Place,
    };
    let short = uses_default_integers(f);
    let kind = match base {
        "int" if name.ends_with("weights") => ArgumentKind::Weights,
        "int" if LOGICALS.contains(&name) => ArgumentKind::Logical,
        "int" => ArgumentKind::Int,
        "MPI_Aint" if short => ArgumentKind::Int,
        "MPI_Aint" => ArgumentKind::Wide("ADDRESS"),
        "MPI_Offset" => ArgumentKind::Wide("OFFSET"),
        "MPI_Count" => ArgumentKind::Wide("COUNT"),
        "MPI_Status" => {
            if name.starts_with("array_of") {
                passing = Passing::Array;
            }
            ArgumentKind::Status
        }
        "char" => {
            // `const char datarep[]` is one string, `char *argv[]` are many.
            passing = if constant { Passing::Read } else { Passing::Place };
            if array && stars > 0 {
                passing = Passing::Array;
            }
            ArgumentKind::Text
        }
        "void" => match name {
            "baseptr" => ArgumentKind::Pointer,
            "buffer_addr" => ArgumentKind::Choice,
            "extra_state" | "attribute_val" if short => ArgumentKind::Int,
            "extra_state" | "attribute_val" => ArgumentKind::Word,
            _ => ArgumentKind::Choice,
        },
        _ => match base.strip_prefix("MPI_") {
            Some(kind) if is_handle(kind) => ArgumentKind::Handle(kind),
            Some(function) => ArgumentKind::Procedure(function),
            None => panic!("MPI_{}: what is `{text}` in Fortran?", f.name),
        },
    };
    Argument { name, kind, passing }
}
