//! The messages in flight, and when each of them ends at its present rate.

use base::{IndexedHeap, Slab, Time};
use std::ops::{Index, IndexMut};

use crate::in_flight::{InFlight, InFlightId};

/// Later than all events.
pub(crate) const NEVER: Time = Time(u64::MAX);

pub(crate) struct Messages {
    all: Slab<InFlightId, InFlight>,
    /// When messages end, or start to drain, at their present rates.
    ends: IndexedHeap<InFlightId, Time>,
}

impl Messages {
    pub fn new() -> Messages {
        Messages { all: Slab::with_capacity(64), ends: IndexedHeap::new() }
    }

    pub fn insert(&mut self, message: InFlight) -> InFlightId {
        self.all.insert(message)
    }

    pub fn free(&mut self, message: InFlightId) {
        self.all.free(message);
    }

    /// The time of the next end; `NEVER` if there is none.
    pub fn next_end(&self) -> Time {
        self.ends.first().map_or(NEVER, |(at, _)| at)
    }

    /// Removes the next end until `now`. Returns its time and message.
    pub fn take_end(&mut self, now: Time) -> Option<(Time, InFlightId)> {
        let (at, message) = self.ends.first().filter(|&(at, _)| at <= now)?;
        self.ends.remove(message);
        Some((at, message))
    }

    /// Messages with a rate, in unspecified order.
    pub fn with_rate(&self) -> impl Iterator<Item = InFlightId> {
        self.ends.ids()
    }

    /// Computes the rate of `message` from the levels of its subflows, and when it ends.
    pub fn update_rate(&mut self, message: InFlightId) {
        let end = self.all[message].update_rate();
        self.ends.set(message, end.min(Time(NEVER.0 - 1)));
    }

    /// Accounts the work of `message` until `now`.
    pub fn advance(&mut self, message: InFlightId, now: Time) {
        self.all[message].advance(now);
    }

    pub fn bytes(&self) -> usize {
        self.all.bytes() + self.ends.bytes()
    }

    /// Asserts that no message is in flight.
    pub fn assert_idle(&self) {
        assert_eq!(self.all.live(), 0, "messages left in the network");
        assert!(self.ends.first().is_none());
    }
}

impl Index<InFlightId> for Messages {
    type Output = InFlight;
    #[inline]
    fn index(&self, message: InFlightId) -> &InFlight {
        &self.all[message]
    }
}

impl IndexMut<InFlightId> for Messages {
    #[inline]
    fn index_mut(&mut self, message: InFlightId) -> &mut InFlight {
        &mut self.all[message]
    }
}
