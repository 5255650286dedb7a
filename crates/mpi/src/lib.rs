//! Floor 3: MPI's semantics without clocks: what matches what, who holds which lock, what of
//! a NIC's and a library's means is in use, and how a library is parameterized.
//!
//! Given an arrival, who may go on? When, only `sim` knows.

pub mod contexts;
mod family;
pub mod library;
pub mod limits;
mod locks;
mod matching;
mod packing;
mod provider;
pub mod rules;

pub use contexts::Contexts;
pub use family::{Family, unsupported_prefixes};
pub use library::Library;
pub use limits::Limits;
pub use locks::Locks;
pub use matching::{Envelope, Matching, Pattern};
pub use packing::Packing;
pub use provider::Provider;
