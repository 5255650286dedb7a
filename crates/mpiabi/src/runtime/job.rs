//! Facts about the rank's seat in the job: who and where it is, and what its library allows.

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
/// Index of the simulated node this rank is on, and how many nodes the job has.
pub fn node(held: &Held) -> (u32, u32) {
    with(held, |rt| (rt.control().node, rt.control().nodes))
}
pub fn node_name(held: &Held) -> String {
    with(held, |rt| zero_terminated(&rt.control().node_name))
}
pub fn tag_ub(held: &Held) -> i32 {
    with(held, |rt| rt.tag_ub)
}
/// The largest tag that is no error. A larger `tag` is told to the simulator, until the program
/// shows by another that it went on.
pub fn tag_max(held: &Held, tag: i32) -> i32 {
    with(held, |rt| {
        rt.control().refused_tag = if tag > rt.tag_max { tag } else { 0 };
        rt.tag_max
    })
}
/// Whether a blocking collective of that bit begins with a barrier: see `Header::synchronized`.
pub fn begins_with_barrier(held: &Held, bit: u32) -> bool {
    // SAFETY: written before any rank started.
    with(held, |rt| unsafe { (*rt.segment.header()).synchronized } & bit != 0)
}
/// Tells the simulator, with the next hand-over, how many requests there have been at once.
pub fn most_requests(held: &Held, n: u32) {
    with(held, |rt| rt.control().requests = n);
}
/// Whose argument checks the library follows, a constant of `wire::checks`, and where it records
/// calls that it accepts though the standard forbids them.
pub fn checks(held: &Held) -> (u32, *const [AtomicU32; accepted::KINDS]) {
    // SAFETY: written before any rank started.
    with(held, |rt| (unsafe { (*rt.segment.header()).checks }, &raw const rt.control().accepted))
}
/// The simulated MPI library, as the simulator names it; empty if none is.
pub fn library(held: &Held) -> String {
    // SAFETY: written before any rank started.
    with(held, |rt| zero_terminated(unsafe { &(*rt.segment.header()).library }))
}

fn zero_terminated(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// The job's memory, by its descriptor.
pub(super) fn map_segment(fd: i32) -> std::result::Result<Segment, String> {
    let map = |bytes: u64| {
        // SAFETY: a new mapping at an address the kernel chooses.
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
                     it before odonata run starts, which then does with less",
                    bytes.div_ceil(1024)
                ),
                _ => "was the descriptor closed, or am I not under odonata run any more?".into(),
            };
            let name = wire::ENV_FD;
            Err(format!(
                "cannot map the job's shared memory ({name} descriptor {fd}): {why}; {hint}"
            ))
        } else {
            // A core dump would write out every hole of the sparse segment.
            // SAFETY: advice about the mapping just made.
            unsafe { libc::madvise(at, bytes as usize, libc::MADV_DONTDUMP) };
            Ok(at.cast::<u8>())
        }
    };
    let page = map(wire::HEADER_BYTES)?;
    // SAFETY: one page is mapped; a file too short for it would be ours to have made.
    let (magic, bytes) = unsafe {
        let header = page.cast::<wire::Header>();
        ((*header).magic, (*header).layout.bytes((*header).ranks))
    };
    // SAFETY: unmaps what was mapped above.
    unsafe { libc::munmap(page.cast(), wire::HEADER_BYTES as usize) };
    if magic != wire::MAGIC {
        return Err(
            "the job's shared memory is of another odonata; library and simulator must be \
                    of one version"
                .into(),
        );
    }
    // SAFETY: the mapping is never removed.
    Ok(unsafe { Segment::at(map(bytes)?) })
}
