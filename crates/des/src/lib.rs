//! Floor 1: the event queue and its total order. Knows no network.
//!
//! The order is built from local facts (when, in which phase, what, whose doing), and among equals
//! from the order of pushes. Only one component ever schedules events of one source, so neither
//! the container nor the thread that pushed can change a result.

mod chunks;
mod queue;

pub use chunks::Item;
pub use queue::{PREFETCH_BLOCK, PREFETCH_STAGES, Queue};

/// Who runs first among the events of one instant: what moves, before what decides, before ranks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Phase {
    Arrive = 0,
    Decide = 1,
    Resume = 2,
}

/// What happens, in eight bytes: a phase, a kind, whose doing it is, and one word more. Events of
/// one instant come in the order of the first three; those equal in all of them as pushed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EventCode(pub(crate) u64);

impl EventCode {
    /// No event that anybody has scheduled.
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
    /// Its place among the events of an instant.
    #[inline]
    pub fn order(self) -> u32 {
        (self.0 >> 32) as u32
    }
}
