//! Facts about the rank's seat in the job: who and where it is, and what its library allows.

use std::sync::atomic::AtomicU32;

use workload::wire::accepted;

use super::{Held, with};

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
