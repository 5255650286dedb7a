//! What switches did about NICs that were sent more than they take.

use super::Fidelity;
use machine::Machine;
use net::CongestionCounters;
use serde::Serialize;

/// Of a run on a machine whose switches manage congestion.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CongestionRow {
    /// Times a NIC's link became congested (in each traffic class for itself), and times a sender
    /// was told to hold back for it.
    pub onsets: u64,
    pub holds: u64,
}

impl CongestionRow {
    /// Nothing on other machines, and in the closed form, where nothing is ever congested.
    pub(crate) fn of(
        machine: &Machine,
        fidelity: Fidelity,
        counted: CongestionCounters,
    ) -> Option<CongestionRow> {
        machine.congestion.filter(|_| fidelity == Fidelity::Packet)?;
        let CongestionCounters { onsets, holds, .. } = counted;
        Some(CongestionRow { onsets, holds })
    }
}
