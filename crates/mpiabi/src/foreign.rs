//! Handles of the other ABI, passed by C code that was compiled with the other `mpi.h`. The message
//! names the function and the file, so that the user knows what to recompile.

use std::ffi::{CStr, c_int, c_void};
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::abi::{FOREIGN, Kind, OTHER_ABI, foreign_created};

#[cfg(feature = "mpich")]
const WORDS: [&str; 3] = [
    "the MPI-5 standard ABI",
    "libmpi.so.12, MPICH's ABI",
    "compile its source again with `odonata-mpicc -abi=mpich`",
];
#[cfg(not(feature = "mpich"))]
const WORDS: [&str; 3] = [
    "MPICH's ABI",
    "libmpi_abi.so.1, the MPI-5 standard ABI",
    "compile its source again with `odonata-mpicc`, without `-abi=mpich`; or, if the program is \
     partly Fortran, link all of it with `odonata-mpifort` and its C with `-abi=mpich`",
];

/// The ABI name that the header of the other ABI writes into object files.
const OTHER_HEADER: &str = if cfg!(feature = "mpich") { "standard" } else { "MPICH" };

/// An addition to the message about an invalid handle. Empty, unless it is a handle of the other
/// ABI, or the program has also loaded that ABI's library.
pub(crate) fn clause(kind: Kind, handle: c_int) -> String {
    let [theirs, ours, remedy] = WORDS;
    let (what, is_other_loaded) = (described(kind, handle), is_other_loaded());
    if what.is_none() && !is_other_loaded {
        return String::new();
    }
    let mut out = what.map_or_else(String::new, |what| format!(". It is {what} in {theirs}"));
    let caller = Caller::find();
    if is_other_loaded {
        // The other library may have been initialized, and each knows its own handles only.
        out += ". The program has loaded two MPI libraries, libmpi_abi.so.1 and libmpi.so.12, \
                because its parts were compiled with different mpi.h";
        if let Some(caller) = &caller {
            write!(out, "; this call came from {caller}").expect("memory");
        }
        let sources = listed(caller.as_ref(), "standard");
        write!(out, ": compile C beside Fortran{sources} with `odonata-mpicc -abi=mpich`")
            .expect("memory");
    } else {
        write!(out, ", and this is {ours}").expect("memory");
        if let Some(caller) = &caller {
            let sources = listed(Some(caller), OTHER_HEADER);
            write!(out, ": {caller} was compiled with another mpi.h{sources}").expect("memory");
        }
        write!(out, "; {remedy}").expect("memory");
    }
    out
}

/// The sources of the caller's file that were compiled with one ABI's header, in parentheses.
fn listed(caller: Option<&Caller>, abi: &str) -> String {
    let sources = caller.map_or_else(Vec::new, |c| sources(&c.contents, abi));
    match sources.len() {
        0 => String::new(),
        _ => format!(" ({})", sources.join(", ")),
    }
}

/// Names of sources, as `mpi.h` writes them into objects: at most `MOST`, without duplicates.
fn sources(file: &[u8], abi: &str) -> Vec<String> {
    const MOST: usize = 20;
    let mark = format!("odonata mpi.h: {abi} ABI: ");
    let mut found = Vec::new();
    let mut rest = file;
    while let Some(at) = rest.windows(mark.len()).position(|w| w == mark.as_bytes()) {
        rest = &rest[at + mark.len()..];
        let end = rest.iter().position(|&b| b == 0).unwrap_or(rest.len());
        let name = String::from_utf8_lossy(&rest[..end]).into_owned();
        if !found.contains(&name) && found.len() < MOST {
            found.push(name);
        }
    }
    found
}

/// Description of the handle in the other ABI.
fn described(kind: Kind, handle: c_int) -> Option<String> {
    let raw = handle as u32;
    if let Some(known) = FOREIGN.iter().find(|f| f.0 == kind && f.1 == raw) {
        return Some(known.2.to_string());
    }
    foreign_created(kind, raw).then(|| format!("a {kind:?} that the program has created"))
}

fn is_other_loaded() -> bool {
    // SAFETY: a NUL-terminated name; the flags load nothing new.
    let other = unsafe { libc::dlopen(OTHER_ABI.as_ptr(), libc::RTLD_NOLOAD | libc::RTLD_LAZY) };
    !other.is_null()
}

/// The function of the program that called MPI.
struct Caller {
    function: Option<String>,
    file: String,
    /// Contents of the file; empty if it cannot be read.
    contents: Vec<u8>,
}

impl std::fmt::Display for Caller {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match &self.function {
            Some(function) => write!(f, "`{function}` in {}", self.file),
            None => write!(f, "a function in {}", self.file),
        }
    }
}

unsafe extern "C" {
    /// glibc's function: the return addresses on this thread's stack.
    fn backtrace(buffer: *mut *mut c_void, size: c_int) -> c_int;
}

impl Caller {
    /// The innermost frame that is outside the MPI libraries.
    fn find() -> Option<Caller> {
        let mut frames = [std::ptr::null_mut(); 64];
        // SAFETY: the length of the array is passed.
        let n = unsafe { backtrace(frames.as_mut_ptr(), frames.len() as c_int) };
        let mut frames = frames.into_iter().take(usize::try_from(n).unwrap_or(0));
        // A return address may be the first byte after a function; the call is before it.
        frames.find_map(|at| Caller::at((at as usize).checked_sub(1)?))
    }

    fn at(address: usize) -> Option<Caller> {
        // SAFETY: all zeros is an empty description.
        let mut found: libc::Dl_info = unsafe { std::mem::zeroed() };
        // SAFETY: `dladdr` accepts any address.
        if unsafe { libc::dladdr(address as *const c_void, &mut found) } == 0 {
            return None;
        }
        let name = |at: *const std::ffi::c_char| {
            // SAFETY: strings of the loader, terminated by NUL.
            (!at.is_null()).then(|| unsafe { CStr::from_ptr(at) })
        };
        let file = name(found.dli_fname)?;
        let path = Path::new(std::ffi::OsStr::from_bytes(file.to_bytes()));
        let base = path.file_name()?.to_string_lossy().into_owned();
        if base.starts_with("libmpi") || base.starts_with("libodonata") {
            return None;
        }
        let inside = address - found.dli_fbase as usize;
        // The loader does not know the functions of an executable.
        let contents = std::fs::read(path).unwrap_or_default();
        let function = function_at(&contents, [inside as u64, address as u64])
            .or_else(|| name(found.dli_sname).map(|n| n.to_string_lossy().into_owned()));
        Some(Caller { function, file: base, contents })
    }
}

fn number<const N: usize>(file: &[u8], at: usize) -> Option<u64> {
    let bytes = file.get(at..at.checked_add(N)?)?;
    let mut word = [0; 8];
    word[..N].copy_from_slice(bytes);
    Some(u64::from_le_bytes(word))
}

/// The function at an address, from the symbol table of a 64-bit ELF file. The symbols are offsets
/// in the file's image (`inside`), or addresses for an executable with a fixed address
/// (`absolute`).
fn function_at(file: &[u8], [inside, absolute]: [u64; 2]) -> Option<String> {
    const SYMBOLS: u64 = 2;
    const FUNCTION: u64 = 2;
    const FIXED: u64 = 2; // ET_EXEC
    if file.get(..5)? != b"\x7fELF\x02" {
        return None;
    }
    let address = if number::<2>(file, 16)? == FIXED { absolute } else { inside };
    let (sections, size) = (number::<8>(file, 40)? as usize, number::<2>(file, 58)? as usize);
    let count = number::<2>(file, 60)? as usize;
    let section = |i: usize| sections.checked_add(i.checked_mul(size)?);
    let of_kind = |i: &usize| section(*i).and_then(|at| number::<4>(file, at + 4)) == Some(SYMBOLS);
    let table = section((0..count).find(of_kind)?)?;
    let (first, bytes) = (number::<8>(file, table + 24)?, number::<8>(file, table + 32)?);
    let names = section(number::<4>(file, table + 40)? as usize)?;
    let names = number::<8>(file, names + 24)? as usize;
    for at in (0..bytes / 24).map(|i| (first + i * 24) as usize) {
        let (start, len) = (number::<8>(file, at + 8)?, number::<8>(file, at + 16)?);
        let is_function = number::<1>(file, at + 4)? & 15 == FUNCTION;
        if is_function && start <= address && address - start < len.max(1) {
            let name = file.get(names.checked_add(number::<4>(file, at)? as usize)?..)?;
            return Some(CStr::from_bytes_until_nul(name).ok()?.to_string_lossy().into_owned());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_of_the_other_abi_are_known() {
        // From the two tables: MPI_COMM_WORLD, MPI_DOUBLE and MPI_SUM of the other ABI, and a file
        // handle, which is not a communicator.
        let (comm, datatype, op) = match cfg!(feature = "mpich") {
            true => (0x101, 0x214, 0x21),
            false => (0x4400_0000, 0x4c00_080b, 0x5800_0003),
        };
        let of = |kind, raw| described(kind, raw);
        assert_eq!(of(Kind::Comm, comm).as_deref(), Some("MPI_COMM_WORLD"));
        assert_eq!(of(Kind::Datatype, datatype).as_deref(), Some("MPI_DOUBLE"));
        assert_eq!(of(Kind::Op, op).as_deref(), Some("MPI_SUM"));
        assert_eq!(of(Kind::Group, comm), None);
        assert_eq!(of(Kind::Comm, 0), None);
    }

    #[test]
    fn sources_are_listed_by_the_header_they_were_compiled_with() {
        let file = b"..odonata mpi.h: standard ABI: a.c\0odonata mpi.h: MPICH ABI: b.c\0\
                     odonata mpi.h: standard ABI: a.c\0odonata mpi.h: standard ABI: d/c.c";
        assert_eq!(sources(file, "standard"), ["a.c", "d/c.c"]);
        assert_eq!(sources(file, "MPICH"), ["b.c"]);
        assert!(sources(b"", "MPICH").is_empty());
    }

    #[test]
    fn a_function_of_an_executable_is_found_by_its_address() {
        #[inline(never)]
        #[unsafe(no_mangle)]
        extern "C" fn odonata_known_function(x: u64) -> u64 {
            std::hint::black_box(x) + 1
        }
        let address = odonata_known_function as *const () as usize;
        let found = Caller::at(address).expect("this test's own program");
        assert_eq!(found.function.as_deref(), Some("odonata_known_function"));
        // A file that is not ELF, and a truncated one.
        assert_eq!(function_at(b"#!/bin/sh", [0, 0]), None);
        let file = std::fs::read("/proc/self/exe").expect("this program");
        for end in [0, 16, 63, 64, file.len() / 2, file.len() - 1] {
            function_at(&file[..end], [1, 1]);
        }
    }
}
