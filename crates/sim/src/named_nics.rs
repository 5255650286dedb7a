//! The NICs of a message: those of its ranks, unless the workload names others.

use crate::protocol::{ends, is_back};
use crate::world::{InFlight, Purpose, SendId, World};
use machine::NicId;
use net::NetworkModel;
use workload::Workload;

/// NICs that the workload named for sends: offsets of the sender's and the receiver's NIC from
/// those of their ranks. Empty if none are named.
#[derive(Default)]
pub(crate) struct NamedNics(Vec<Option<[u8; 2]>>);

impl NamedNics {
    /// Stores the NICs named for this send; ids of sends are reused.
    #[inline]
    pub fn set(&mut self, send: SendId, named: Option<[u8; 2]>) {
        if named.is_none() && self.0.is_empty() {
            return;
        }
        let at = send.0 as usize;
        self.0.resize(self.0.len().max(at + 1), None);
        self.0[at] = named;
    }

    #[inline]
    fn of(&self, send: SendId) -> Option<[u8; 2]> {
        self.0.get(send.0 as usize).copied().flatten()
    }
}

impl<N: NetworkModel, W: Workload> World<'_, N, W> {
    /// Whether the workload named the NICs of this send. Such a message is not striped.
    #[inline]
    pub(crate) fn names_nics(&self, send: SendId) -> bool {
        self.named_for(send).is_some()
    }

    #[inline]
    fn named_for(&self, send: SendId) -> Option<[u8; 2]> {
        // A message of a collective may reuse the id of a send with named NICs.
        let named = self.named.of(send)?;
        matches!(self.sends[send].purpose, Purpose::User { .. }).then_some(named)
    }

    /// Source and destination NIC of a protocol phase.
    #[inline]
    pub(crate) fn nics_of(&self, in_flight: InFlight) -> (NicId, NicId) {
        let (src, dst) = ends(&self.sends[in_flight.send], in_flight.phase);
        let (a, b) = (self.job.placements[src as usize].nic, self.job.placements[dst as usize].nic);
        let Some([own, peer]) = self.named_for(in_flight.send) else { return (a, b) };
        let (a_nth, b_nth) = if is_back(in_flight.phase) { (peer, own) } else { (own, peer) };
        (self.nth_nic_of_node(a, a_nth.into()), self.nth_nic_of_node(b, b_nth.into()))
    }

    /// The `nth` NIC after this one on its node, cyclically.
    pub(crate) fn nth_nic_of_node(&self, nic: NicId, nth: u32) -> NicId {
        if nth == 0 {
            return nic;
        }
        let all = self.job.machine.nics_of_same_node(nic);
        NicId(all.start + (nic.0 - all.start + nth) % all.len() as u32)
    }
}
