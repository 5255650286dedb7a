//! What the arguments of a C function are in Fortran: told by their C types, and by their names
//! where C has one type for several things (an `int` that is a truth value, a `void *` that is a
//! buffer, an address or a word of the program's own).

#![allow(dead_code)] // each of its users needs a part

use super::generate::{Function, is_handle};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What<'a> {
    Int,
    /// An `int` in C; zero is false.
    Logical,
    /// `MPI_Aint`, `MPI_Offset` or `MPI_Count`: the kind's name without `MPI_` and `_KIND`.
    Wide(&'static str),
    /// Its kind, such as `Comm`.
    Handle(&'a str),
    Status,
    /// A buffer of any type; may be `MPI_BOTTOM` or `MPI_IN_PLACE`.
    Choice,
    /// Where a library writes an address of its own.
    Pointer,
    /// An address-sized word of the program's own, which C passes as `void *` by value.
    Word,
    /// Integers, or one of the two places that stand for no weights.
    Weights,
    /// Characters: blank-padded in Fortran, ended by NUL in C.
    Text,
    /// A procedure: the C type's name without `MPI_`.
    Procedure(&'a str),
}

/// How C takes it. Fortran always takes an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    Value,
    /// Of one thing, that is written or both.
    Place,
    /// Of one thing or many that are only read.
    Read,
    Array,
}

#[derive(Clone, Copy, Debug)]
pub struct Argument<'a> {
    pub name: &'a str,
    pub what: What<'a>,
    pub how: How,
}

/// Truth values, by the names that the standard gives them.
const LOGICALS: [&str; 7] =
    ["flag", "reorder", "commute", "periods", "remain_dims", "high", "weighted"];

/// Functions of the C interface that Fortran has not: of the tool interface, those that convert
/// handles, and those with which a Fortran library would tell the ABI about itself.
pub fn only_in_c(f: &Function) -> bool {
    f.name.starts_with("T_")
        || f.place == "mpich"
        || f.name.ends_with("_toint")
        || f.name.ends_with("_fromint")
        || f.name.contains("fortran")
}

/// Functions of MPI-1 that MPI-2 replaced because their addresses are default integers.
pub fn has_short_addresses(f: &Function) -> bool {
    f.place == "removed" || f.name.starts_with("Attr_") || f.name.starts_with("Keyval_")
}

/// Whether the library reads or writes a buffer after the call: what the standard declares
/// `asynchronous`.
pub fn keeps_a_buffer(f: &Function) -> bool {
    let all = arguments(f);
    let later = |a: &Argument| match a.what {
        What::Handle("Request") => a.how == How::Place,
        What::Handle("Win") => true,
        _ => false,
    };
    let named = f.name.ends_with("_begin") || f.name.to_lowercase().contains("attach");
    all.iter().any(|a| a.what == What::Choice && a.name != "buffer_addr")
        && (named || all.iter().any(later))
        && f.name != "Win_detach"
}

/// Whether `mpi_f08` takes a buffer of any type, and so has a procedure whose name ends in `_f08ts`
/// (MPI 5.0, 19.1.5). Those that return a buffer's address have a `type(c_ptr)` there.
pub fn takes_a_buffer(f: &Function) -> bool {
    arguments(f).iter().any(|a| a.what == What::Choice && a.name != "buffer_addr")
}

/// The name of a function's procedure in `mpi_f08` after `MPI_`, as MPICH has it.
pub fn name_f08(f: &Function) -> String {
    let (plain, large) = match f.name.strip_suffix("_c") {
        Some(plain) => (plain, "_large"),
        None => (f.name, ""),
    };
    format!("{plain}_f08{}{large}", if takes_a_buffer(f) { "ts" } else { "" })
}

/// Arguments of a function as Fortran has them, without `ierror`.
pub fn arguments<'a>(f: &Function<'a>) -> Vec<Argument<'a>> {
    let all = f.arguments.split(", ").filter(|a| !matches!(*a, "void" | "..."));
    let mut all: Vec<Argument<'a>> = all.map(|a| argument(f, a)).collect();
    // The command line is none of Fortran's.
    let takes_command = f.name.starts_with("Init") || f.name == "Info_create_env";
    all.retain(|a| !(takes_command && matches!(a.name, "argc" | "argv")));
    all
}

fn argument<'a>(f: &Function<'a>, text: &'a str) -> Argument<'a> {
    let bare = text.split('[').next().unwrap_or_default();
    let array = bare.len() < text.len();
    let start = bare.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |i| i + 1);
    let (left, name) = bare.split_at(start);
    // As the standard calls them in Fortran: programs name arguments.
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
    let mut how = match (array, stars, constant) {
        (true, ..) => How::Array,
        (_, 0, _) => How::Value,
        (_, _, true) => How::Read,
        _ => How::Place,
    };
    let short = has_short_addresses(f);
    let what = match base {
        "int" if name.ends_with("weights") => What::Weights,
        "int" if LOGICALS.contains(&name) => What::Logical,
        "int" => What::Int,
        "MPI_Aint" if short => What::Int,
        "MPI_Aint" => What::Wide("ADDRESS"),
        "MPI_Offset" => What::Wide("OFFSET"),
        "MPI_Count" => What::Wide("COUNT"),
        "MPI_Status" => {
            if name.starts_with("array_of") {
                how = How::Array;
            }
            What::Status
        }
        "char" => {
            // `const char datarep[]` is one string, `char *argv[]` are many.
            how = if constant { How::Read } else { How::Place };
            if array && stars > 0 {
                how = How::Array;
            }
            What::Text
        }
        "void" => match name {
            "baseptr" => What::Pointer,
            "buffer_addr" => What::Choice,
            "extra_state" | "attribute_val" if short => What::Int,
            "extra_state" | "attribute_val" => What::Word,
            _ => What::Choice,
        },
        _ => match base.strip_prefix("MPI_") {
            Some(kind) if is_handle(kind) => What::Handle(kind),
            Some(function) => What::Procedure(function),
            None => panic!("MPI_{}: what is `{text}` in Fortran?", f.name),
        },
    };
    Argument { name, what, how }
}
