//! Properties of the rank in its job: its number and node, and the limits of its library.

use std::sync::atomic::AtomicU32;

use workload::wire::accepted;

use super::{Held, with};
use workload::wire::{self, Segment};

pub fn rank(held: &Held) -> u32 {
    with(held, |rt| rt.rank)
}
pub fn size(held: &Held) -> u32 {
    with(held, |rt| rt.size)
}
/// Index of this rank's simulated node, and number of nodes of the job.
pub fn node(held: &Held) -> (u32, u32) {
    with(held, |rt| (rt.control().node, rt.control().nodes))
}
pub fn node_name(held: &Held) -> String {
    with(held, |rt| zero_terminated(&rt.control().node_name))
}
pub fn tag_ub(held: &Held) -> i32 {
    with(held, |rt| rt.tag_ub)
}
/// The largest legal tag. A larger `tag` is reported to the simulator, until the program proceeds
/// with another tag.
pub fn tag_max(held: &Held, tag: i32) -> i32 {
    with(held, |rt| {
        rt.control().refused_tag = if tag > rt.tag_max { tag } else { 0 };
        rt.tag_max
    })
}
/// Whether a blocking collective with that bit begins with a barrier: see `Header::synchronized`.
pub fn begins_with_barrier(held: &Held, bit: u32) -> bool {
    // SAFETY: written before any rank started.
    with(held, |rt| unsafe { (*rt.segment.header()).synchronized } & bit != 0)
}
/// Reports the largest number of concurrent requests at the next hand-over.
pub fn most_requests(held: &Held, n: u32) {
    with(held, |rt| rt.control().requests = n);
}
/// Whose argument checks the library follows, as a constant of `wire::checks`, and where it records
/// accepted calls that violate the standard.
pub fn checks(held: &Held) -> (u32, *const [AtomicU32; accepted::KINDS]) {
    // SAFETY: written before any rank started.
    with(held, |rt| (unsafe { (*rt.segment.header()).checks }, &raw const rt.control().accepted))
}
/// Name of the simulated MPI library, as set by the simulator; empty if none is simulated.
pub fn library(held: &Held) -> String {
    // SAFETY: written before any rank started.
    with(held, |rt| zero_terminated(unsafe { &(*rt.segment.header()).library }))
}

fn zero_terminated(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// Maps the job's shared memory by its path, because the process may have closed the descriptor or
/// reused it; without a path, from the descriptor.
pub(super) fn open_segment(fd: i32) -> std::result::Result<Segment, String> {
    use std::os::fd::AsRawFd;
    match std::env::var_os(wire::ENV_SEGMENT) {
        None => map_segment(fd),
        Some(path) => {
            let file = std::fs::OpenOptions::new().read(true).write(true).open(path);
            map_segment(file.map_err(|why| why.to_string())?.as_raw_fd())
        }
    }
}

/// Maps the job's shared memory from its descriptor.
pub(super) fn map_segment(fd: i32) -> std::result::Result<Segment, String> {
    let map = |bytes: u64| {
        // SAFETY: a new mapping at an address that the kernel chooses.
        let at = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                bytes as usize,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_NORESERVE,
                fd,
                0,
            )
        };
        if at == libc::MAP_FAILED {
            let why = std::io::Error::last_os_error();
            let hint = match why.raw_os_error() {
                Some(libc::ENOMEM) => format!(
                    "it takes {} KiB of address space; where that is limited (`ulimit -v`), limit \
                     it before odonata run starts, which then uses less",
                    bytes.div_ceil(1024)
                ),
                _ => "was the descriptor closed, or is the process outside of odonata run?".into(),
            };
            let name = wire::ENV_FD;
            Err(format!(
                "cannot map the job's shared memory ({name} descriptor {fd}): {why}; {hint}"
            ))
        } else {
            // A core dump would write the holes of the sparse segment.
            // SAFETY: advice about the mapping just made.
            unsafe { libc::madvise(at, bytes as usize, libc::MADV_DONTDUMP) };
            Ok(at.cast::<u8>())
        }
    };
    let page = map(wire::HEADER_BYTES)?;
    // SAFETY: one page is mapped; the simulator never creates a shorter file.
    let (magic, bytes) = unsafe {
        let header = page.cast::<wire::Header>();
        ((*header).magic, (*header).layout.bytes((*header).ranks))
    };
    // SAFETY: unmaps what was mapped above.
    unsafe { libc::munmap(page.cast(), wire::HEADER_BYTES as usize) };
    if magic != wire::MAGIC {
        return Err(
            "the job's shared memory is of another odonata version; library and simulator must be \
                    the same version"
                .into(),
        );
    }
    // SAFETY: the mapping is never removed.
    Ok(unsafe { Segment::at(map(bytes)?) })
}
