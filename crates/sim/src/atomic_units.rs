//! Units of NICs that execute atomics, one at a time.
//!
//! A unit takes `nic.atomic_gap` per operation on a cached word. Operations have no addresses here:
//! all atomics on one rank's memory count as one word, which the NIC reads from host memory once
//! (`nic.read_latency`) and then keeps. Source: Cray XC network white paper; docs/models/aries.md.

use base::{IndexVec, Span, Time};
use machine::{Machine, NicId, NicParams};

#[derive(Default)]
pub(crate) struct AtomicUnits {
    /// Time at which the unit of each NIC is free. Empty if nothing limits it.
    free: IndexVec<NicId, Time>,
    /// By rank: time at which its word is in the NIC; zero if it was never read.
    words: Vec<Time>,
}

impl AtomicUnits {
    /// Executes an atomic that reaches the unit of `nic` at `now`; returns the end.
    pub fn execute(&mut self, machine: &Machine, nic: NicId, now: Time) -> Time {
        let gap = machine.nic.atomic_gap;
        if gap == Span::ZERO {
            return now;
        }
        if self.free.is_empty() {
            self.free = IndexVec::zeros(machine.n_nics() as usize);
        }
        let free = &mut self.free[nic];
        *free = now.max(*free) + gap;
        *free
    }

    /// Time at which the word of `rank` is in its NIC, for an atomic that arrives at `now`.
    pub fn cached(&mut self, nic: &NicParams, rank: u32, now: Time) -> Time {
        let rank = rank as usize;
        if self.words.len() <= rank {
            self.words.resize(rank + 1, Time::ZERO);
        }
        let word = &mut self.words[rank];
        if *word == Time::ZERO {
            *word = now + nic.read_latency;
        }
        now.max(*word)
    }
}
