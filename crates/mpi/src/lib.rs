//! Floor 3: MPI's semantics without clocks: what matches what, who holds which lock, and how a
//! library is parameterized.
//!
//! Given an arrival, who may go on? When, only `sim` knows.

pub mod library;
mod locks;
mod matching;

pub use library::Library;
pub use locks::Locks;
pub use matching::{Envelope, Matching, Pattern};
