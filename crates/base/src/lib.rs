//! Layer 0: time units, quantities in text, typed ids, arenas, keyed random draws and the run
//! digest.
//!
//! Contains no term of the domain: no node, no packet, no rank.

mod arena;
mod draw;
mod ids;
mod indexed_heap;
mod prefetch_lines;
pub mod quantity;
mod time;

pub use arena::{Zero, grow, packed, resident_bytes, with_capacity};
pub use draw::{Digest, below, draw, uniform};
pub use ids::{Idx, IndexVec, Slab};
pub use indexed_heap::IndexedHeap;
pub use prefetch_lines::{prefetch, prefetch_all_at, prefetch_at};
pub use time::{Gap, Span, Time};

/// The greatest common divisor.
pub fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
