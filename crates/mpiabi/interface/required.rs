//! Which arguments of a function must not be NULL, from its declaration in `functions.tsv`.

use std::fmt::Write;

use super::Function;

/// An argument that must not be NULL.
#[derive(Debug, PartialEq)]
pub struct Required<'a> {
    pub at: usize,
    pub name: &'a str,
    /// Index of the argument with the length of this array. The array is accessed only if the
    /// length is positive.
    pub length: Option<usize>,
    /// `MPI_STATUS_IGNORE` differs from NULL in MPICH's ABI only.
    pub in_mpich_only: bool,
}

/// Arguments that may be NULL whatever their type: those of `MPI_Init`, and weights of graphs, for
/// which constants mean "none".
const OPTIONAL: [&str; 6] =
    ["argc", "argv", "array_of_argv", "weights", "sourceweights", "destweights"];

/// Addresses that are written through a `void *`; any other such argument is a buffer.
const WRITTEN: [&str; 3] = ["attribute_val", "baseptr", "buffer_addr"];

/// Arguments that give the length of an array, by the array's name.
const LENGTHS: [(&str, &[&str]); 24] = [
    ("array_of_requests", &["count", "incount"]),
    ("array_of_indices", &["incount"]),
    ("array_of_statuses", &["count", "incount"]),
    ("ranks", &["n"]),
    ("ranks1", &["n"]),
    ("ranks2", &["n"]),
    ("ranges", &["n"]),
    ("coords", &["maxdims"]),
    ("dims", &["ndims", "maxdims"]),
    ("periods", &["ndims", "maxdims"]),
    ("indx", &["nnodes", "maxindex"]),
    ("edges", &["maxedges"]),
    ("neighbors", &["maxneighbors"]),
    ("sources", &["n", "indegree", "maxindegree"]),
    ("degrees", &["n"]),
    ("destinations", &["outdegree", "maxoutdegree"]),
    ("array_of_partitions", &["length"]),
    ("array_of_blocklengths", &["count"]),
    ("array_of_displacements", &["count"]),
    ("array_of_types", &["count"]),
    ("array_of_integers", &["max_integers"]),
    ("array_of_addresses", &["max_addresses"]),
    ("array_of_large_counts", &["max_large_counts"]),
    ("array_of_datatypes", &["max_datatypes"]),
];
/// Arrays with an entry per dimension of a datatype.
const OF_DIMENSIONS: &str = "array_of_";

/// One argument: type and name.
struct Argument<'a> {
    of: &'a str,
    name: &'a str,
    is_array: bool,
}

impl<'a> Argument<'a> {
    fn parse(text: &'a str) -> Argument<'a> {
        let text = text.trim();
        let declared = text.find('[').map_or(text, |at| &text[..at]);
        let end = |c: char| !c.is_alphanumeric() && c != '_';
        let at = declared.rfind(end).map_or(0, |at| at + 1);
        let (of, name) = declared.split_at(at);
        Argument { of: of.trim(), name, is_array: declared.len() < text.len() }
    }
    fn is_pointer(&self) -> bool {
        self.of.ends_with('*')
    }
    fn is_const(&self) -> bool {
        self.of.starts_with("const ")
    }
}

pub fn required<'a>(function: &Function<'a>) -> Vec<Required<'a>> {
    // The tool interface returns codes of its own, and most of its results are optional.
    if function.returns != "int" || function.name.starts_with("T_") {
        return Vec::new();
    }
    let all: Vec<Argument> = function.arguments.split(',').map(Argument::parse).collect();
    let place = |wanted: &str| all.iter().position(|a| a.name == wanted);
    let length_of = |name: &str| -> Option<usize> {
        let known = LENGTHS.iter().find(|(array, _)| *array == name);
        let by_name = known.and_then(|(_, lengths)| lengths.iter().find_map(|l| place(l)));
        by_name.or_else(|| name.starts_with(OF_DIMENSIONS).then(|| place("ndims")).flatten())
    };
    let is_about_status = ["Status_", "Get_count", "Get_elements", "Test_cancelled"]
        .iter()
        .any(|prefix| function.name.starts_with(prefix));
    let mut found = Vec::new();
    for (at, argument) in all.iter().enumerate() {
        let Argument { of, name, is_array } = *argument;
        let mut this = Required { at, name, length: length_of(name), in_mpich_only: false };
        let is_needed = if OPTIONAL.contains(&name) || of.contains("_function") {
            false
        } else if of.ends_with("MPI_Status *") && !is_about_status {
            this.in_mpich_only = true;
            true
        } else if is_array {
            this.length.is_some()
        } else if name == "value" && function.name.starts_with("Info_get") {
            // A value of length 0 still has its terminator.
            place("valuelen").is_some()
        } else if function.name == "Session_get_nth_pset" && name == "pset_name" {
            // Not written if the given length leaves no room.
            false
        } else if of.ends_with("void *") {
            let gets = function.name.contains("get_attr") || function.name == "Attr_get";
            WRITTEN.contains(&name) && (name != "attribute_val" || gets)
        } else {
            let is_read = of.contains("char") || name == "status";
            argument.is_pointer() && (is_read || !argument.is_const())
        };
        if is_needed {
            found.push(this);
        }
    }
    found
}

/// The table as Rust source, by function.
pub fn table(functions: &[Function], mpich: bool) -> String {
    let mut out = String::from("pub mod required {\n    use super::Required;\n");
    for function in functions {
        let mut rows = String::new();
        for r in required(function).iter().filter(|r| mpich || !r.in_mpich_only) {
            let length = r.length.map_or("usize::MAX".to_string(), |at| at.to_string());
            let (at, name) = (r.at, r.name);
            write!(rows, "Required {{ at: {at}, name: \"{name}\", length: {length} }}, ").unwrap();
        }
        writeln!(out, "    pub const {}: &[Required] = &[{}];", function.name, rows.trim_end())
            .unwrap();
    }
    out.push_str("}\n");
    out
}
