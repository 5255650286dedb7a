//! Our `mpi.h`, from the two tables: one for the standard ABI, and one for MPICH's ABI, for C code
//! of programs that are partly Fortran. Types and callbacks, which the tables do not hold, are
//! here.

use std::fmt::Write;

use super::generate::{Constant, Function, is_handle};

const STANDARD: &str = "\
/* mpi.h of odonata: MPI 5.0 in the standard ABI. A program compiled with it runs on every MPI
   library with that ABI (libmpi_abi.so.1). Written by the test `fresh` of crates/mpiabi from its
   interface tables; do not edit. */
";
const MPICH: &str = "\
/* mpi.h of odonata in the ABI of MPICH (libmpi.so.12), which Fortran uses too: for the C code of
   programs that are partly Fortran, with `odonata-mpicc -abi=mpich`. Written by the test `fresh` of
   crates/mpiabi from its interface tables; do not edit. */
";

const HEAD: &str = "\
#ifndef ODONATA_MPI_H
#define ODONATA_MPI_H

#include <stddef.h>
#include <stdint.h>

/* Records in the object which source uses which ABI: the compiler wrappers warn of a mixture, and
   the library names the sources to recompile. */
#if defined(__GNUC__) && defined(__ELF__)
__asm__(\".pushsection .odonata_abi,\\\"\\\",%progbits\\n\"
        \".string \\\"odonata mpi.h: {abi} ABI: \" __BASE_FILE__ \"\\\"\\n\"
        \".popsection\\n\");
#endif

#ifdef __cplusplus
extern \"C\" {
#endif

/* Addresses, file offsets and large counts. */
typedef intptr_t MPI_Aint;
typedef int64_t MPI_Offset;
typedef int64_t MPI_Count;

";

const STATUS: &str = "
/* The result of a receive or a probe. */
typedef struct {
    int MPI_SOURCE;
    int MPI_TAG;
    int MPI_ERROR;
    int MPI_internal[5];
} MPI_Status;
";
const MPICH_STATUS: &str = "
/* The result of a receive or a probe; the same in Fortran. */
typedef struct {
    int MPI_internal[2];
    int MPI_SOURCE;
    int MPI_TAG;
    int MPI_ERROR;
} MPI_Status;
typedef MPI_Status MPI_F08_status;
typedef int MPI_Fint;

/* Names by which programs detect MPICH's header and its types. */
#define MPI_INCLUDED
#define MPI_FILE_DEFINED
#define MPI_AINT_FMT_DEC_SPEC \"%ld\"
#define MPI_AINT_FMT_HEX_SPEC \"%lx\"

/* Addresses with a special meaning, and the function that copies an attribute. */
extern int *const MPI_UNWEIGHTED;
extern int *const MPI_WEIGHTS_EMPTY;
extern MPI_Fint *const MPI_F_STATUS_IGNORE;
extern MPI_Fint *const MPI_F_STATUSES_IGNORE;
extern MPI_F08_status *const MPI_F08_STATUS_IGNORE;
extern MPI_F08_status *const MPI_F08_STATUSES_IGNORE;
int MPIR_Dup_fn(int object, int keyval, void *extra_state, void *value_in, void *value_out,
                int *flag);
#define MPI_DUP_FN MPIR_Dup_fn
#define MPI_COMM_DUP_FN MPIR_Dup_fn
#define MPI_TYPE_DUP_FN MPIR_Dup_fn
#define MPI_WIN_DUP_FN MPIR_Dup_fn
";

const TYPES: &str = "
/* Callback functions. */
typedef void(MPI_User_function)(void *in, void *inout, int *len, MPI_Datatype *datatype);
typedef void(MPI_User_function_c)(void *in, void *inout, MPI_Count *len, MPI_Datatype *datatype);

typedef void(MPI_Comm_errhandler_function)(MPI_Comm *comm, int *code, ...);
typedef void(MPI_Win_errhandler_function)(MPI_Win *win, int *code, ...);
typedef void(MPI_File_errhandler_function)(MPI_File *file, int *code, ...);
typedef void(MPI_Session_errhandler_function)(MPI_Session *session, int *code, ...);
typedef MPI_Comm_errhandler_function MPI_Comm_errhandler_fn;
typedef MPI_Win_errhandler_function MPI_Win_errhandler_fn;
typedef MPI_File_errhandler_function MPI_File_errhandler_fn;
typedef MPI_Session_errhandler_function MPI_Session_errhandler_fn;

typedef int(MPI_Comm_copy_attr_function)(MPI_Comm comm, int keyval, void *extra_state,
                                         void *value_in, void *value_out, int *flag);
typedef int(MPI_Comm_delete_attr_function)(MPI_Comm comm, int keyval, void *value,
                                           void *extra_state);
typedef int(MPI_Type_copy_attr_function)(MPI_Datatype datatype, int keyval, void *extra_state,
                                         void *value_in, void *value_out, int *flag);
typedef int(MPI_Type_delete_attr_function)(MPI_Datatype datatype, int keyval, void *value,
                                           void *extra_state);
typedef int(MPI_Win_copy_attr_function)(MPI_Win win, int keyval, void *extra_state,
                                        void *value_in, void *value_out, int *flag);
typedef int(MPI_Win_delete_attr_function)(MPI_Win win, int keyval, void *value,
                                          void *extra_state);
typedef MPI_Comm_copy_attr_function MPI_Copy_function;
typedef MPI_Comm_delete_attr_function MPI_Delete_function;

typedef int(MPI_Grequest_query_function)(void *extra_state, MPI_Status *status);
typedef int(MPI_Grequest_free_function)(void *extra_state);
typedef int(MPI_Grequest_cancel_function)(void *extra_state, int complete);

typedef int(MPI_Datarep_extent_function)(MPI_Datatype datatype, MPI_Aint *extent,
                                         void *extra_state);
typedef int(MPI_Datarep_conversion_function)(void *user, MPI_Datatype datatype, int count,
                                             void *file, MPI_Offset position, void *extra_state);
typedef int(MPI_Datarep_conversion_function_c)(void *user, MPI_Datatype datatype, MPI_Count count,
                                               void *file, MPI_Offset position,
                                               void *extra_state);

/* The tool interface. */
typedef struct MPI_T_enum_t *MPI_T_enum;
typedef struct MPI_T_cvar_handle_t *MPI_T_cvar_handle;
typedef struct MPI_T_pvar_handle_t *MPI_T_pvar_handle;
typedef struct MPI_T_pvar_session_t *MPI_T_pvar_session;
typedef struct MPI_T_event_registration_t *MPI_T_event_registration;
typedef struct MPI_T_event_instance_t *MPI_T_event_instance;
";

const TOOL_CALLBACKS: &str = "\
typedef void(MPI_T_event_cb_function)(MPI_T_event_instance event,
                                      MPI_T_event_registration registration,
                                      MPI_T_cb_safety safety, void *user_data);
typedef void(MPI_T_event_free_cb_function)(MPI_T_event_registration registration,
                                           MPI_T_cb_safety safety, void *user_data);
typedef void(MPI_T_event_dropped_cb_function)(MPI_Count count,
                                              MPI_T_event_registration registration, int source,
                                              MPI_T_cb_safety safety, void *user_data);
";

/// Constants of the tool interface that are enumerators of a named type.
const ENUMS: [(&str, &str); 2] =
    [("MPI_T_cb_safety", "T_CB_"), ("MPI_T_source_order", "T_SOURCE_")];

/// Fortran's integers as handles. The standard ABI contains no Fortran, but C programs convert
/// handles for Fortran callers. Macros leave no symbol behind, so the compiled code still runs on
/// every library with that ABI.
const FORTRAN: &str = "
/* Handles as Fortran's default integers, and a status as MPI_F_STATUS_SIZE of them. Macros over
   functions of the standard ABI need no symbol outside of it. */
typedef int MPI_Fint;
static __inline__ int ODONATA_copy_status(const void *from, void *to)
{
    int i;
    for (i = 0; i < MPI_F_STATUS_SIZE; i++)
        ((int *)to)[i] = ((const int *)from)[i];
    return MPI_SUCCESS;
}
";

/// Names of the conversions: `MPI_Comm_f2c` is `MPI_Comm_fromint`, and so on.
const CONVERTED: &str = "Comm Errhandler File Group Info Message Op Request Session Type Win";

fn fortran(out: &mut String) {
    out.push_str(FORTRAN);
    for prefix in ["MPI_", "PMPI_"] {
        for kind in CONVERTED.split(' ') {
            writeln!(out, "#define {prefix}{kind}_f2c(integer) {prefix}{kind}_fromint(integer)")
                .unwrap();
            writeln!(out, "#define {prefix}{kind}_c2f(handle) {prefix}{kind}_toint(handle)")
                .unwrap();
        }
        writeln!(out, "#define {prefix}Status_f2c(from, to) ODONATA_copy_status(from, to)")
            .unwrap();
        writeln!(out, "#define {prefix}Status_c2f(from, to) ODONATA_copy_status(from, to)")
            .unwrap();
    }
}

/// Functions that MPI-3 removed and that old programs call. They are macros over current functions,
/// so that no symbol outside of the standard ABI is needed.
const REMOVED: &str = "
/* Names that MPI-3 removed, for programs that still use them. */
typedef MPI_Comm_errhandler_function MPI_Handler_function;
static __inline__ int ODONATA_bound(MPI_Datatype type, int which, MPI_Aint *out)
{
    MPI_Aint lower, extent;
    int code = MPI_Type_get_extent(type, &lower, out ? &extent : out);
    if (code == MPI_SUCCESS)
        *out = which < 0 ? lower : which > 0 ? lower + extent : extent;
    return code;
}
#define MPI_Address(at, out) MPI_Get_address((void *)(at), out)
#define MPI_Errhandler_create(function, out) MPI_Comm_create_errhandler(function, out)
#define MPI_Errhandler_get(comm, out) MPI_Comm_get_errhandler(comm, out)
#define MPI_Errhandler_set(comm, handler) MPI_Comm_set_errhandler(comm, handler)
#define MPI_Type_extent(type, out) ODONATA_bound(type, 0, out)
#define MPI_Type_lb(type, out) ODONATA_bound(type, -1, out)
#define MPI_Type_ub(type, out) ODONATA_bound(type, 1, out)
#define MPI_Type_hvector(n, length, stride, type, out) \\
    MPI_Type_create_hvector(n, length, stride, type, out)
#define MPI_Type_hindexed(n, lengths, at, type, out) \\
    MPI_Type_create_hindexed(n, lengths, at, type, out)
#define MPI_Type_struct(n, lengths, at, types, out) \\
    MPI_Type_create_struct(n, lengths, at, types, out)
";

/// The header of one ABI.
pub fn header(functions: &[Function], constants: &[Constant], mpich: bool) -> String {
    let mut out = String::from(if mpich { MPICH } else { STANDARD });
    out.push_str(&HEAD.replace("{abi}", if mpich { "MPICH" } else { "standard" }));
    let mut handles: Vec<&str> =
        constants.iter().map(|c| c.kind).filter(|k| is_handle(k)).collect();
    handles.sort_unstable();
    handles.dedup();
    let what =
        if mpich { "integers, except for files" } else { "pointers that are never dereferenced" };
    writeln!(out, "/* Handles: {what}. */").unwrap();
    for kind in handles {
        match mpich && kind != "File" {
            true => writeln!(out, "typedef int MPI_{kind};").unwrap(),
            false => writeln!(out, "typedef struct MPI_ABI_{kind} *MPI_{kind};").unwrap(),
        }
    }
    out.push_str(if mpich { MPICH_STATUS } else { STATUS });
    out.push_str(TYPES);
    let value_of = |c: &Constant| if mpich { c.mpich } else { c.standard }.to_string();
    for (name, prefix) in ENUMS {
        let of = constants.iter().filter(|c| c.name.starts_with(prefix));
        let list: Vec<String> =
            of.map(|c| format!("    MPI_{} = {}", c.name, value_of(c))).collect();
        write!(out, "typedef enum {name} {{\n{}\n}} {name};\n", list.join(",\n")).unwrap();
    }
    if mpich {
        out.push_str("extern MPI_T_pvar_handle const MPI_T_PVAR_ALL_HANDLES;\n");
    }
    out.push_str(TOOL_CALLBACKS);
    out.push('\n');
    for c in constants {
        let value = value_of(c);
        if value == "-" || ENUMS.iter().any(|(_, prefix)| c.name.starts_with(prefix)) {
            continue;
        }
        let value = match c.kind {
            "alias" => format!("MPI_{value}"),
            "int" => value,
            kind if is_handle(kind) => format!("((MPI_{kind}){value})"),
            kind => format!("(({}){value})", pointer(kind)),
        };
        let name = c.name.strip_prefix("X_").map_or(format!("MPI_{}", c.name), |x| {
            format!("MPIX_{x}") // an extension of MPICH's
        });
        writeln!(out, "#define {name:<31} {}", negative(&value)).unwrap();
    }
    for prefix in ["MPI_", "PMPI_"] {
        out.push('\n');
        for f in functions.iter().filter(|f| mpich || f.place != "mpich") {
            prototype(&mut out, prefix, f);
        }
    }
    if mpich {
        out.push_str("typedef MPI_Comm_errhandler_function MPI_Handler_function;\n");
    } else {
        fortran(&mut out);
        out.push_str(REMOVED);
    }
    out.push_str("\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    out
}

fn pointer(kind: &str) -> String {
    kind.replacen('*', " *", 1)
}

fn negative(value: &str) -> String {
    if value.starts_with('-') { format!("({value})") } else { value.to_string() }
}

/// Lines of at most 100 columns, arguments aligned behind the parenthesis.
fn prototype(out: &mut String, prefix: &str, f: &Function) {
    let mut line = format!("{} {prefix}{}(", f.returns, f.name);
    let indent = line.len();
    for (i, argument) in f.arguments.split(", ").enumerate() {
        let gap = if i == 0 { "" } else { ", " };
        if line.len() + gap.len() + argument.len() > 98 {
            writeln!(out, "{line}{}", gap.trim_end()).unwrap();
            line = format!("{:indent$}{argument}", "");
        } else {
            write!(line, "{gap}{argument}").unwrap();
        }
    }
    writeln!(out, "{line});").unwrap();
}
