//! Layer 1: the event queue and its total order. Knows no network.
//!
//! The order uses local facts only: time, phase, event kind and source. Equal events keep the order
//! in which they were pushed. Only one component schedules events of one source, so neither the
//! container nor the pushing thread can change a result.

mod chunks;
mod queue;
mod windows;

pub use chunks::{Item, PREFETCH_BLOCK, PREFETCH_STAGES};
pub use queue::Queue;
pub use windows::Units;

/// Order of the events of one instant: arrivals before decisions before resumption of ranks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Phase {
    Arrive = 0,
    Decide = 1,
    Resume = 2,
}

/// An event in eight bytes: phase, kind, source and a 32-bit argument. Events of one instant are
/// ordered by the first three; events equal in all three keep the order of pushes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EventCode(pub(crate) u64);

impl EventCode {
    /// A code that no scheduled event has.
    pub const NONE: EventCode = EventCode(0);
    /// Kinds are below this.
    pub const KINDS: u8 = 16;
    /// Sources are below this.
    pub const SOURCES: u32 = 1 << 26;

    #[inline]
    pub fn new(phase: Phase, kind: u8, source: u32, arg: u32) -> EventCode {
        debug_assert!(kind < Self::KINDS && source < Self::SOURCES);
        let order = (phase as u32) << 30 | u32::from(kind) << 26 | source;
        EventCode(u64::from(order) << 32 | u64::from(arg))
    }
    #[inline]
    pub fn kind(self) -> u8 {
        (self.0 >> 58) as u8 & (Self::KINDS - 1)
    }
    #[inline]
    pub fn source(self) -> u32 {
        (self.0 >> 32) as u32 & (Self::SOURCES - 1)
    }
    #[inline]
    pub fn arg(self) -> u32 {
        self.0 as u32
    }
    /// Sort key among the events of one instant.
    #[inline]
    pub fn order(self) -> u32 {
        (self.0 >> 32) as u32
    }
}
