//! Floor 0: units of time, typed ids, arenas, keyed random draws and the run digest.
//!
//! Knows no word of the domain: no node, no packet, no rank.

mod arena;
mod draw;
mod fetch;
mod ids;
mod least;
mod time;

pub use arena::{Zero, grow, held, packed, with_room};
pub use draw::{Digest, below, draw, uniform};
pub use fetch::{prefetch, prefetch_all_at, prefetch_at};
pub use ids::{Idx, IndexVec, Slab};
pub use least::Least;
pub use time::{Gap, Span, Time};

/// The greatest common divisor.
pub fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
