//! Congestion management of overloaded NICs.

use super::Fidelity;
use machine::{Machine, NicId};
use net::{CongestionCounters, Counters};
use serde::Serialize;
use std::collections::BTreeSet;

/// On a machine whose switches manage congestion.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CongestionRow {
    /// NICs whose links became congested, the number of times that happened (per traffic class),
    /// and the number of times a sender was throttled.
    pub nics: u64,
    pub onsets: u64,
    pub holds: u64,
}

/// Congestion of one run or of several together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Congested {
    counts: CongestionCounters,
    nics: BTreeSet<NicId>,
}

impl Congested {
    pub fn of(counters: &Counters) -> Congested {
        let mut found = Congested::default();
        found.add(counters);
        found
    }
    pub fn add(&mut self, counters: &Counters) {
        self.counts.merge(counters.congestion);
        let all = counters.nics.raw.iter().zip(0..);
        self.nics.extend(all.filter(|(nic, _)| nic.onsets > 0).map(|(_, id)| NicId(id)));
    }
}

impl CongestionRow {
    /// `None` on other machines, and in closed form, where nothing is ever congested.
    pub(crate) fn of(
        machine: &Machine,
        fidelity: Fidelity,
        found: &Congested,
    ) -> Option<CongestionRow> {
        machine.congestion.filter(|_| fidelity == Fidelity::Packet)?;
        let CongestionCounters { onsets, holds, .. } = found.counts;
        Some(CongestionRow { nics: found.nics.len() as u64, onsets, holds })
    }
}
