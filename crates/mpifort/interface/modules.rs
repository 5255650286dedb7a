//! Generates the interface files of Fortran compilers: `mpif.h`, the modules `mpi` and `mpi_f08`.

use std::fmt::Write;

use super::arguments::{
    Argument, ArgumentKind, Passing, arguments, is_c_only, keeps_a_buffer, name_f08,
    uses_default_integers,
};
use super::entries::PROCEDURES;
use super::generate::{Constant, Function, is_handle};

/// Handles with a type in `mpi_f08`.
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

/// Indices of the fields of a status in `mpif.h`.
const STATUS_FIELDS: [(&str, i64); 3] = [("SOURCE", 3), ("TAG", 4), ("ERROR", 5)];

/// Constants of Fortran: name without `MPI_`, C type and value.
fn constants_of<'a>(constants: &'a [Constant<'a>]) -> Vec<(&'a str, &'a str, i64)> {
    let mut out: Vec<(&str, &str, i64)> = vec![
        ("STATUS_SIZE", "int", 5),
        ("ADDRESS_KIND", "int", 8),
        ("OFFSET_KIND", "int", 8),
        ("COUNT_KIND", "int", 8),
        ("INTEGER_KIND", "int", 4),
    ];
    for alias in constants {
        // An alias of a datatype has the value of the datatype.
        let of = constants.iter().find(|c| alias.kind == "alias" && c.name == alias.mpich);
        let c = Constant { name: alias.name, ..*of.unwrap_or(alias) };
        let of_c = c.name.starts_with("T_") || c.name.starts_with("F_") || c.name.starts_with("X_");
        let handle = is_handle(c.kind);
        if of_c || c.mpich == "-" || !(handle || matches!(c.kind, "int" | "MPI_Offset")) {
            continue;
        }
        let mut value = match c.mpich.strip_prefix("0x") {
            Some(hex) => i64::from_str_radix(hex, 16).expect("hexadecimal digits"),
            None => c.mpich.parse().expect("a number"),
        };
        // Lengths include the NUL in C, but not in Fortran.
        const TEXTS: [&str; 8] = [
            "PROCESSOR_NAME",
            "ERROR_STRING",
            "PORT_NAME",
            "OBJECT_NAME",
            "INFO_KEY",
            "INFO_VAL",
            "DATAREP_STRING",
            "LIBRARY_VERSION_STRING",
        ];
        let text = c.name.strip_prefix("MAX_").unwrap_or_default();
        if TEXTS.contains(&text) || matches!(text, "STRINGTAG_LEN" | "PSET_NAME_LEN") {
            value -= 1;
        }
        // Keys of predefined attributes are larger by one in Fortran, where a value is a word and
        // not an address: `handwritten.rs`.
        if matches!(value, 0x6440_0000..=0x6440_ffff | 0x6600_0000..=0x6600_ffff) {
            value += 1;
        }
        // A default integer with the same bits.
        let value = if handle { i64::from(value as i32) } else { value };
        out.push((c.name, c.kind, value));
    }
    out
}

const MPIF_HEADING: &str = "\
!     mpif.h of odonata: MPI 5.0 in the ABI of MPICH (libmpi.so.12 and
!     libmpifort.so.12), for fixed and free form. Written by the test
!     `fresh` of crates/mpifort; do not edit.
";

/// The constants that are recognized by their addresses: see `src/address_constants.rs`.
const ADDRESS_CONSTANTS: &str = "      INTEGER MPI_BOTTOM, MPI_IN_PLACE
      INTEGER MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY
      INTEGER MPI_STATUS_IGNORE(MPI_STATUS_SIZE)
      INTEGER MPI_STATUSES_IGNORE(MPI_STATUS_SIZE,1)
      INTEGER MPI_ERRCODES_IGNORE(1)
      CHARACTER MPI_ARGVS_NULL(1,1)
      CHARACTER MPI_ARGV_NULL(1)
      COMMON /MPIPRIV1/ MPI_BOTTOM, MPI_IN_PLACE, MPI_STATUS_IGNORE
      COMMON /MPIPRIV2/ MPI_STATUSES_IGNORE, MPI_ERRCODES_IGNORE
      COMMON /MPIPRIVC/ MPI_ARGVS_NULL, MPI_ARGV_NULL
      COMMON /MPIFCMB5/ MPI_UNWEIGHTED
      COMMON /MPIFCMB9/ MPI_WEIGHTS_EMPTY
      SAVE /MPIPRIV1/, /MPIPRIV2/, /MPIPRIVC/, /MPIFCMB5/, /MPIFCMB9/
";

/// Declarations of functions, and of procedures that programs pass as arguments.
const EXTERNALS: &str = "      REAL(KIND=8) MPI_WTIME, MPI_WTICK, PMPI_WTIME, PMPI_WTICK
      EXTERNAL MPI_WTIME, MPI_WTICK, PMPI_WTIME, PMPI_WTICK
      INTEGER(KIND=MPI_ADDRESS_KIND) MPI_AINT_ADD, MPI_AINT_DIFF
      INTEGER(KIND=MPI_ADDRESS_KIND) PMPI_AINT_ADD, PMPI_AINT_DIFF
      EXTERNAL MPI_AINT_ADD, MPI_AINT_DIFF
      EXTERNAL PMPI_AINT_ADD, PMPI_AINT_DIFF
";

fn constants_text(text: &str, constants: &[Constant]) -> String {
    let mut out = String::from(text);
    for (name, kind, value) in constants_of(constants) {
        let kind = if kind == "MPI_Offset" { "INTEGER(KIND=8)" } else { "INTEGER" };
        writeln!(out, "      {kind} MPI_{name}").unwrap();
        writeln!(out, "      PARAMETER (MPI_{name}={value})").unwrap();
    }
    for (name, at) in STATUS_FIELDS {
        writeln!(out, "      INTEGER MPI_{name}\n      PARAMETER (MPI_{name}={at})").unwrap();
    }
    for (name, value) in [("SUBARRAYS_SUPPORTED", "FALSE"), ("ASYNC_PROTECTS_NONBLOCKING", "FALSE")]
    {
        writeln!(out, "      LOGICAL MPI_{name}\n      PARAMETER (MPI_{name}=.{value}.)").unwrap();
    }
    out.push_str(ADDRESS_CONSTANTS);
    out
}

/// `mpif.h`.
pub fn mpif_h(constants: &[Constant]) -> String {
    let mut out = constants_text(MPIF_HEADING, constants);
    out.push_str(EXTERNALS);
    for name in PROCEDURES {
        writeln!(out, "      EXTERNAL {name}").unwrap();
    }
    out
}

const MPI: &str = "\
! Module `mpi` of odonata: MPI 5.0 in the ABI of MPICH. Written by the test `fresh` of
! crates/mpifort; do not edit.
module mpi
  implicit none

  type, bind(C) :: MPI_Status
    integer, private :: low, high
    integer :: MPI_SOURCE, MPI_TAG, MPI_ERROR
  end type
";

const SIZEOF: &str = "
  interface
    subroutine MPI_Sizeof(x, size, ierror) bind(C, name=\"odonata_sizeof\")
      type(*), dimension(..) :: x
      integer :: size
      integer{optional} :: ierror
    end subroutine
    subroutine MPI_F_sync_reg(buf)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
    end subroutine
    subroutine PMPI_F_sync_reg(buf)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
    end subroutine
  end interface
";

/// Module `mpi`.
pub fn module(functions: &[Function], constants: &[Constant]) -> String {
    let mut out = String::from(MPI);
    for kind in HANDLES {
        write!(out, "  type, bind(C) :: MPI_{kind}\n    integer :: MPI_VAL\n  end type\n").unwrap();
    }
    out.push('\n');
    out = constants_text(&out, constants);
    for name in PROCEDURES {
        writeln!(out, "      EXTERNAL {name}").unwrap();
    }
    out.push_str(&SIZEOF.replace("{optional}", ""));
    out.push_str("\n  interface\n");
    for f in functions {
        // A buffer may have any type. Like `mpif.h` and MPICH's module, this one declares no such
        // procedure: programs rely on that where they pass a scalar for an array of one element.
        let buffers = arguments(f)
            .iter()
            .any(|a| matches!(a.kind, ArgumentKind::Choice | ArgumentKind::Weights));
        if !is_declared(f) || buffers {
            continue;
        }
        interface(&mut out, f, &format!("MPI_{}", f.name), Module::Mpi);
        interface(&mut out, f, &format!("PMPI_{}", f.name), Module::Mpi);
    }
    out.push_str("  end interface\nend module mpi\n");
    out
}

/// Whether the modules declare a function. Large-count forms are declared with the other form.
/// Unsupported functions are declared too: a call ends the job and names the function.
fn is_declared(f: &Function) -> bool {
    !(is_c_only(f) || f.place == "removed" || f.name.ends_with("_c"))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Module {
    Mpi,
    F08,
    /// Procedures called by those of `mpi_f08`: buffers are addresses.
    AtAddresses,
    /// `mpi_f08` for a compiler whose array descriptors `libmpifort.so.12` reads.
    Descriptors,
}

const F08: &str = "\
! Module `mpi_f08` of odonata: MPI 5.0 in the ABI of MPICH. Written by the test `fresh` of
! crates/mpifort; do not edit.
!
! Handles are types of one integer and `ierror` is optional, so the procedures are those of the
! module `mpi` with other declarations. The compiler copies a noncontiguous array section for the
! duration of a call (MPI_SUBARRAYS_SUPPORTED is false). If MPI keeps the buffer for longer, the
! call ends the job.
module mpi_f08
  use, intrinsic :: iso_c_binding, only: c_loc, c_ptr
  use mpi, only: MPI_Status, MPI_Comm, MPI_Datatype, MPI_Errhandler, MPI_File, MPI_Group, &
    MPI_Info, MPI_Message, MPI_Op, MPI_Request, MPI_Session, MPI_Win
  implicit none
  private :: c_loc, c_ptr, odonata_check

";

/// For gfortran.
const F08TS: &str = "\
! Module `mpi_f08` of odonata for gfortran: MPI 5.0 in the ABI of MPICH. Written by the test
! `fresh` of crates/mpifort; do not edit.
!
! Handles are types of one integer and `ierror` is optional. A buffer is passed with its descriptor,
! so the procedures have the names and symbols of MPICH's (`MPI_Send_f08ts`). A noncontiguous array
! section is copied for the duration of a call (MPI_SUBARRAYS_SUPPORTED is false). If MPI keeps the
! buffer for longer, the call ends the job.
module mpi_f08
  use, intrinsic :: iso_c_binding, only: c_ptr
  use mpi, only: MPI_Status, MPI_Comm, MPI_Datatype, MPI_Errhandler, MPI_File, MPI_Group, &
    MPI_Info, MPI_Message, MPI_Op, MPI_Request, MPI_Session, MPI_Win
  implicit none
  private :: c_ptr

";

/// The same common blocks as in `mpif.h`, where a status is five integers.
const F08_ADDRESS_CONSTANTS: &str = "
  integer :: MPI_BOTTOM, MPI_IN_PLACE, MPI_UNWEIGHTED(1), MPI_WEIGHTS_EMPTY(1)
  type(MPI_Status) :: MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE(1)
  integer :: MPI_ERRCODES_IGNORE(1)
  character :: MPI_ARGVS_NULL(1, 1), MPI_ARGV_NULL(1)
  common /MPIPRIV1/ MPI_BOTTOM, MPI_IN_PLACE, MPI_STATUS_IGNORE
  common /MPIPRIV2/ MPI_STATUSES_IGNORE, MPI_ERRCODES_IGNORE
  common /MPIPRIVC/ MPI_ARGVS_NULL, MPI_ARGV_NULL
  common /MPIFCMB5/ MPI_UNWEIGHTED
  common /MPIFCMB9/ MPI_WEIGHTS_EMPTY
  save /MPIPRIV1/, /MPIPRIV2/, /MPIPRIVC/, /MPIFCMB5/, /MPIFCMB9/
";

/// Interfaces of procedures that C calls, with MPI's names for these interfaces.
const REDUCTION: &str = "    subroutine MPI_User_function_NAME(invec, inoutvec, len, datatype)
      import
      type(c_ptr), value :: invec, inoutvec
      integer(KIND) :: len
      type(MPI_Datatype) :: datatype
    end subroutine
";
const COPY: &str = "    subroutine MPI_NAME(object, keyval, extra_state, &
        value_in, value_out, flag, ierror)
      import
      type(MPI_HANDLE) :: object
      integer :: keyval, ierror
      integer(MPI_ADDRESS_KIND) :: extra_state, value_in, value_out
      logical :: flag
    end subroutine
";
const DELETE: &str = "    subroutine MPI_NAME(object, keyval, value, extra_state, ierror)
      import
      type(MPI_HANDLE) :: object
      integer :: keyval, ierror
      integer(MPI_ADDRESS_KIND) :: value, extra_state
    end subroutine
";
const HANDLER: &str = "    subroutine MPI_HANDLE_errhandler_function(object, error_code)
      import
      type(MPI_HANDLE) :: object
      integer :: error_code
    end subroutine
";
const DATAREP: &str =
    "    subroutine MPI_Datarep_conversion_function_NAME(userbuf, datatype, count, &
        filebuf, position, extra_state, ierror)
      import
      type(c_ptr), value :: userbuf, filebuf
      type(MPI_Datatype) :: datatype
      integer(KIND) :: count
      integer(MPI_OFFSET_KIND) :: position
      integer(MPI_ADDRESS_KIND) :: extra_state
      integer :: ierror
    end subroutine
";
const DATAREP_EXTENT: &str = "    subroutine MPI_Datarep_extent_function(datatype, extent, &
        extra_state, ierror)
      import
      type(MPI_Datatype) :: datatype
      integer(MPI_ADDRESS_KIND) :: extent, extra_state
      integer :: ierror
    end subroutine
";
const GREQUEST: &str = "    subroutine MPI_Grequest_query_function(extra_state, status, ierror)
      import
      integer(MPI_ADDRESS_KIND) :: extra_state
      type(MPI_Status) :: status
      integer :: ierror
    end subroutine
    subroutine MPI_Grequest_free_function(extra_state, ierror)
      import
      integer(MPI_ADDRESS_KIND) :: extra_state
      integer :: ierror
    end subroutine
    subroutine MPI_Grequest_cancel_function(extra_state, complete, ierror)
      import
      integer(MPI_ADDRESS_KIND) :: extra_state
      logical :: complete
      integer :: ierror
    end subroutine
";
/// Objects with attributes, and the types of their handles.
const ATTRIBUTED: [(&str, &str); 3] = [("Comm", "Comm"), ("Type", "Datatype"), ("Win", "Win")];

fn instantiate(shape: &str, name: &str, handle: &str) -> String {
    shape.replace("NAME", name).replace("HANDLE", handle)
}

fn procedures(out: &mut String) {
    out.push_str("\n  abstract interface\n");
    out.push_str(&REDUCTION.replace("_NAME", "").replace("(KIND)", ""));
    out.push_str(&REDUCTION.replace("_NAME", "_c").replace("KIND", "MPI_COUNT_KIND"));
    for (kind, handle) in ATTRIBUTED {
        out.push_str(&instantiate(COPY, &format!("{kind}_copy_attr_function"), handle));
        out.push_str(&instantiate(DELETE, &format!("{kind}_delete_attr_function"), handle));
    }
    for kind in ["Comm", "File", "Session", "Win"] {
        out.push_str(&instantiate(HANDLER, "", kind));
    }
    out.push_str(GREQUEST);
    out.push_str(&DATAREP.replace("_NAME", "").replace("(KIND)", ""));
    let large = DATAREP.replace("integer(KIND)", "integer(MPI_COUNT_KIND)");
    out.push_str(&large.replace("_NAME", "_c"));
    out.push_str(DATAREP_EXTENT);
    out.push_str("  end interface\n");
}

/// MPI's predefined attribute procedures.
fn predefined(out: &mut String) {
    for (kind, handle) in ATTRIBUTED {
        let kind = kind.to_uppercase();
        out.push_str(&instantiate(COPY, &format!("{kind}_NULL_COPY_FN"), handle));
        out.push_str(&instantiate(COPY, &format!("{kind}_DUP_FN"), handle));
        out.push_str(&instantiate(DELETE, &format!("{kind}_NULL_DELETE_FN"), handle));
    }
    for (suffix, count) in [("", "integer"), ("_C", "integer(MPI_COUNT_KIND)")] {
        let shape = DATAREP.replace("integer(KIND)", count);
        out.push_str(&shape.replace(
            "MPI_Datarep_conversion_function_NAME",
            &format!("MPI_CONVERSION_FN_NULL{suffix}"),
        ));
    }
}

const STATUSES: &str = "
  interface
    subroutine MPI_Status_f2f08(f_status, f08_status, ierror)
      import
      integer :: f_status(MPI_STATUS_SIZE)
      type(MPI_Status) :: f08_status
      integer, optional :: ierror
    end subroutine
    subroutine MPI_Status_f082f(f08_status, f_status, ierror)
      import
      type(MPI_Status) :: f08_status
      integer :: f_status(MPI_STATUS_SIZE)
      integer, optional :: ierror
    end subroutine
  end interface
";

/// Module `mpi_f08` for any compiler.
pub fn module_f08(functions: &[Function], constants: &[Constant]) -> String {
    let mut out = String::from(F08);
    declarations(&mut out, constants);
    let mut bodies = String::new();
    for f in functions.iter().filter(|f| is_declared(f) && !uses_default_integers(f)) {
        let suffix = if returns_an_address(f) { "_f08" } else { "" };
        let large = large_form(functions, f);
        for prefix in ["MPI_", "PMPI_"] {
            let specific = format!("{prefix}{}{suffix}", f.name);
            if keeps_a_buffer(f) {
                writeln!(out, "  interface").unwrap();
                interface(&mut out, f, &specific, Module::AtAddresses);
                large.iter().for_each(|g| {
                    interface(&mut out, g, &format!("{specific}_c"), Module::AtAddresses);
                });
                writeln!(out, "  end interface\n  interface {prefix}{}", f.name).unwrap();
                for g in std::iter::once(f).chain(large) {
                    writeln!(out, "    procedure {prefix}{}", g.name).unwrap();
                    checked_procedure(&mut bodies, g, prefix);
                }
                out.push_str("  end interface\n");
                continue;
            }
            if f.name == "Op_create" {
                // Both forms differ only in the procedure they take: the large one has its own
                // name.
                out.push_str("  interface\n");
                functions.iter().filter(|g| g.name == "Op_create_c").for_each(|g| {
                    interface(&mut out, g, &format!("{prefix}Op_create_c"), Module::F08);
                });
                out.push_str("  end interface\n");
            }
            writeln!(out, "  interface {prefix}{}", f.name).unwrap();
            interface(&mut out, f, &specific, Module::F08);
            if let Some(large) = large {
                interface(&mut out, large, &format!("{specific}_c"), Module::F08);
            }
            out.push_str("  end interface\n");
        }
    }
    out.push_str(STATUSES);
    out.push_str(CHECK_PROCEDURE);
    out.push_str(&bodies);
    out.push_str("end module mpi_f08\n");
    out
}

/// Module `mpi_f08` for gfortran, with MPICH's names of procedures.
pub fn module_f08ts(functions: &[Function], constants: &[Constant]) -> String {
    let mut out = String::from(F08TS);
    declarations(&mut out, constants);
    for f in functions.iter().filter(|f| is_declared(f) && !uses_default_integers(f)) {
        for prefix in ["MPI_", "PMPI_"] {
            let instantiate = |g: &Function| format!("{prefix}{}", name_f08(g));
            if f.name == "Op_create" {
                writeln!(out, "  interface {prefix}Op_create_c").unwrap();
                functions.iter().filter(|g| g.name == "Op_create_c").for_each(|g| {
                    interface(&mut out, g, &instantiate(g), Module::Descriptors);
                });
                out.push_str("  end interface\n");
            }
            writeln!(out, "  interface {prefix}{}", f.name).unwrap();
            for g in std::iter::once(f).chain(large_form(functions, f)) {
                interface(&mut out, g, &instantiate(g), Module::Descriptors);
            }
            out.push_str("  end interface\n");
        }
    }
    out.push_str(STATUSES);
    out.push_str("end module mpi_f08\n");
    out
}

/// Whether a function returns a buffer's address, as a `type(c_ptr)`.
fn returns_an_address(f: &Function) -> bool {
    arguments(f).iter().any(|a| a.name == "buffer_addr") && f.name.to_lowercase().contains("detach")
}

/// A function's large-count form, if one generic name can have both, distinguished by the counts.
fn large_form<'a, 'b>(functions: &'a [Function<'b>], f: &Function<'b>) -> Option<&'a Function<'b>> {
    let large = functions.iter().find(|g| g.name == format!("{}_c", f.name));
    large.filter(|g| differs(f, g))
}

/// The common part of both forms of the module: constants, handles and interfaces of procedures.
fn declarations(out: &mut String, constants: &[Constant]) {
    for (name, kind, value) in constants_of(constants) {
        let (kind, value) = match kind {
            "int" => ("integer".to_string(), value.to_string()),
            "MPI_Offset" => ("integer(8)".to_string(), value.to_string()),
            _ => (format!("type(MPI_{kind})"), format!("MPI_{kind}({value})")),
        };
        writeln!(out, "  {kind}, parameter :: MPI_{name} = {value}").unwrap();
    }
    for (name, at) in STATUS_FIELDS {
        for prefix in ["MPI_", "MPI_F_"] {
            writeln!(out, "  integer, parameter :: {prefix}{name} = {at}").unwrap();
        }
    }
    out.push_str("  logical, parameter :: MPI_SUBARRAYS_SUPPORTED = .false.\n");
    out.push_str("  logical, parameter :: MPI_ASYNC_PROTECTS_NONBLOCKING = .false.\n");
    out.push_str(F08_ADDRESS_CONSTANTS);
    for (operator, name) in [("==", "eq"), ("/=", "ne")] {
        writeln!(out, "\n  interface operator({operator})").unwrap();
        for kind in HANDLES {
            write!(
                out,
                "    elemental logical function odonata_{0}_{name}(a, b)\n      import :: \
                 MPI_{kind}\n      type(MPI_{kind}), intent(in) :: a, b\n    end function\n",
                kind.to_lowercase()
            )
            .unwrap();
        }
        out.push_str("  end interface\n");
    }
    procedures(out);
    out.push_str("\n  interface\n");
    predefined(out);
    out.push_str("  end interface\n");
    out.push_str(&SIZEOF.replace("{optional}", ", optional"));
}

const CHECK_PROCEDURE: &str = "
contains

    ! An empty or null buffer counts as contiguous: ranks without data pass one.
    subroutine odonata_check(buf, name)
      use, intrinsic :: iso_c_binding, only: c_associated
      use, intrinsic :: iso_fortran_env, only: error_unit
      type(*), dimension(..), target :: buf
      character(len=*), intent(in) :: name
      if (is_contiguous(buf)) return
      if (.not. c_associated(c_loc(buf)) .or. size(buf) == 0) return
      write (error_unit, '(3a)') name, ' uses its buffer after it has returned, and was given ', &
        'a noncontiguous array section, of which only a temporary copy exists ', &
        '(MPI_SUBARRAYS_SUPPORTED is false): pass a datatype, for example of MPI_Type_vector'
      flush (error_unit)
      call MPI_Abort(MPI_COMM_WORLD, 1)
    end subroutine
";

/// A procedure that checks its buffers and passes their addresses on.
fn checked_procedure(out: &mut String, f: &Function, prefix: &str) {
    let name = format!("{prefix}{}", f.name);
    let all = arguments(f);
    out.push('\n');
    let mut names: Vec<String> = all.iter().map(|a| a.name.to_string()).collect();
    names.push("ierror".to_string());
    write_wrapped(out, &format!("    subroutine {name}("), &names, "");
    for a in &all {
        if a.kind == ArgumentKind::Choice {
            writeln!(out, "      type(*), dimension(..), target :: {}", a.name).unwrap();
        } else {
            declaration(out, a, Module::F08);
        }
    }
    writeln!(out, "      integer, optional :: ierror").unwrap();
    for a in all.iter().filter(|a| a.kind == ArgumentKind::Choice) {
        writeln!(out, "      call odonata_check({}, '{name}')", a.name).unwrap();
    }
    let passed = |a: &Argument| match a.kind {
        ArgumentKind::Choice => format!("c_loc({})", a.name),
        _ => a.name.to_string(),
    };
    let passed: Vec<String> =
        all.iter().map(passed).chain(std::iter::once("ierror".to_string())).collect();
    write_wrapped(out, &format!("      call {}(", address_form(&name)), &passed, "");
    writeln!(out, "    end subroutine").unwrap();
}

/// The name of the form of a procedure that takes addresses of buffers.
fn address_form(name: &str) -> String {
    format!("at_{}", name.to_lowercase())
}

/// Whether a generic name can have both forms, so that a compiler distinguishes them. The three
/// wide kinds are equal to a compiler, and procedure arguments are not compared.
fn differs(f: &Function, large: &Function) -> bool {
    let (f, large) = (arguments(f), arguments(large));
    let same = |(a, b): (&Argument, &Argument)| match (a.kind, b.kind) {
        (ArgumentKind::Wide(_), ArgumentKind::Wide(_))
        | (ArgumentKind::Procedure(_), ArgumentKind::Procedure(_)) => true,
        (a, b) => a == b,
    };
    f.len() != large.len() || !f.iter().zip(&large).all(same)
}

/// A procedure's declaration.
fn interface(out: &mut String, f: &Function, name: &str, module: Module) {
    let all = arguments(f);
    let function = f.returns != "int";
    let word = if function { "function" } else { "subroutine" };
    let mut names: Vec<String> = all.iter().map(|a| a.name.to_string()).collect();
    if !function {
        names.push("ierror".to_string());
    }
    let binding = match module {
        Module::AtAddresses => format!(" bind(C, name=\"{}_\")", name.to_lowercase()),
        _ => String::new(),
    };
    let own = if binding.is_empty() { name.to_string() } else { address_form(name) };
    write_wrapped(out, &format!("    {word} {own}("), &names, &binding);
    out.push_str("      import\n");
    for a in &all {
        declaration(out, a, module);
    }
    match (f.returns, module) {
        ("int", Module::Mpi) => out.push_str("      integer :: ierror\n"),
        ("int", _) => out.push_str("      integer, optional :: ierror\n"),
        ("double", _) => writeln!(out, "      real(8) :: {name}").unwrap(),
        _ => writeln!(out, "      integer(MPI_ADDRESS_KIND) :: {name}").unwrap(),
    }
    writeln!(out, "    end {word}").unwrap();
}

/// Writes names in parentheses, in lines of at most 100 columns.
fn write_wrapped(out: &mut String, start: &str, names: &[String], end: &str) {
    let mut line = String::from(start);
    for (i, name) in names.iter().enumerate() {
        let gap = if i == 0 { "" } else { ", " };
        if line.len() + gap.len() + name.len() > 96 {
            writeln!(out, "{line}{} &", gap.trim_end()).unwrap();
            line = format!("        {name}");
        } else {
            write!(line, "{gap}{name}").unwrap();
        }
    }
    if end.is_empty() {
        writeln!(out, "{line})").unwrap();
    } else {
        writeln!(out, "{line}) &\n       {end}").unwrap();
    }
}

fn declaration(out: &mut String, a: &Argument, module: Module) {
    let name = a.name;
    let f08 = module != Module::Mpi;
    if module == Module::Descriptors && a.kind == ArgumentKind::Choice && name != "buffer_addr" {
        writeln!(out, "      type(*), dimension(..) :: {name}").unwrap();
        return;
    }
    if module == Module::AtAddresses && a.kind == ArgumentKind::Choice {
        writeln!(out, "      type(c_ptr), value :: {name}").unwrap();
        return;
    }
    if name == "buffer_addr" {
        writeln!(out, "      type(c_ptr) :: {name}").unwrap();
        return;
    }
    if matches!(a.kind, ArgumentKind::Choice | ArgumentKind::Pointer) {
        // Each compiler has its own directive for arguments of any type and rank.
        writeln!(out, "      !GCC$ ATTRIBUTES NO_ARG_CHECK :: {name}").unwrap();
        writeln!(out, "      !DEC$ ATTRIBUTES NO_ARG_CHECK :: {name}").unwrap();
        writeln!(out, "      !DIR$ IGNORE_TKR {name}").unwrap();
        writeln!(out, "      type(*), dimension(*) :: {name}").unwrap();
        return;
    }
    let intent = if a.passing == Passing::Value { ", intent(in)" } else { "" };
    let mut shape = if a.passing == Passing::Array { "(*)" } else { "" };
    let fortran_type = match a.kind {
        ArgumentKind::Int => "integer".to_string(),
        ArgumentKind::Weights => {
            shape = "(*)";
            "integer".to_string()
        }
        ArgumentKind::Logical => "logical".to_string(),
        ArgumentKind::Wide(kind) => format!("integer(MPI_{kind}_KIND)"),
        ArgumentKind::Word => "integer(MPI_ADDRESS_KIND)".to_string(),
        ArgumentKind::Handle(kind) if f08 => format!("type(MPI_{kind})"),
        ArgumentKind::Handle(_) => "integer".to_string(),
        ArgumentKind::Status if f08 => "type(MPI_Status)".to_string(),
        ArgumentKind::Status => {
            shape = if a.passing == Passing::Array {
                "(MPI_STATUS_SIZE, *)"
            } else {
                "(MPI_STATUS_SIZE)"
            };
            "integer".to_string()
        }
        ArgumentKind::Text => "character(len=*)".to_string(),
        ArgumentKind::Procedure(kind) if f08 => {
            // Several C types have one Fortran interface; only these two have a large-count one.
            let both = matches!(kind, "User_function_c" | "Datarep_conversion_function_c");
            let kind = if both { kind } else { kind.trim_end_matches("_c") };
            format!("procedure(MPI_{kind})")
        }
        ArgumentKind::Procedure(_) => {
            writeln!(out, "      external :: {name}").unwrap();
            return;
        }
        ArgumentKind::Choice | ArgumentKind::Pointer => unreachable!("declared above"),
    };
    match name {
        "ranges" => shape = "(3, *)", // first, last, stride
        "array_of_argv" => shape = "(count, *)",
        _ => {}
    }
    writeln!(out, "      {fortran_type}{intent} :: {name}{shape}").unwrap();
}
