//! Floor 3: MPI's semantics without clocks: what matches what, and how a library is parameterized.
//!
//! Given an arrival, who may go on? When, only `sim` knows.

pub mod library;
mod matching;

pub use library::Library;
pub use matching::{Envelope, Matching, Pattern};
