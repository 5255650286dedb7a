//! MPI semantics without a clock: matching, locks, context ids, resource counters, and library
//! profiles. Layer 3.
//!
//! It decides which operation can proceed after an arrival. When it proceeds is computed by `sim`.

pub mod contexts;
mod family;
pub mod library;
pub mod limits;
mod locks;
mod matching;
mod packing;
mod presets;
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
