//! How one MPI library behaves, as data. (The collectives helper replaces this file.)

use base::{Gap, Span};

#[derive(Clone, Debug)]
pub struct Library {
    pub name: String,
    pub version: String,
    pub send_overhead: Span,
    pub recv_overhead: Span,
    pub shm_send_overhead: Span,
    pub shm_recv_overhead: Span,
    pub eager_max: u64,
    pub shm_eager_max: u64,
    pub rendezvous_eager_part: u64,
    pub control_bytes: u64,
    pub eager_copy_gap: Gap,
    pub reduce_gap: Gap,
    pub local_copy_gap: Gap,
    pub call_overhead: Span,
    pub poll_interval: Span,
    pub tag_ub: i32,
}
