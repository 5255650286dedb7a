//! Invariants of a network without pending events, and its memory use.

use machine::{Machine, NicId};

use crate::credit::Channel;
use crate::link::OutputPort;
use crate::nic::Nic;
use crate::responses::ResponseQueue;
use crate::voq::VoqList;
use crate::{NEVER, NONE, PacketNetwork};

impl PacketNetwork {
    /// Asserts that all credits are returned, no packet waits, and nothing is in flight.
    pub(crate) fn check_idle(&self, machine: &Machine) {
        assert_eq!(self.packets.live(), 0, "packets left in the network");
        assert_eq!(self.transits.live(), 0, "messages left with their senders");
        assert_eq!(self.arrivals.live(), 0, "messages left in the network");
        let lent_ids = self.shards.iter().flat_map(|shards| shards.lent_ids());
        assert_eq!(lent_ids.sum::<usize>(), 0, "messages left in transit to other shards");
        if let Some(faults) = &self.faults {
            faults.assert_idle();
        }
        self.congestion.check_idle();
        self.flows.check_idle();
        for (link, port) in self.ports.iter() {
            assert!(!port.stalled, "{link:?} is stalled without waiting packets");
            assert!(!port.armed, "{link:?} expects an event that is not pending");
            assert_eq!((port.queue(NEVER), port.waited_for), (0, 0), "{link:?} is not empty");
            assert_eq!(port.endpoint, NONE, "{link:?} is still congested");
        }
        // Links without traffic are in their initial state. Only builds with assertions check them.
        let is_checked = |port: &OutputPort| cfg!(debug_assertions) || port.is_used();
        for (link, _) in self.ports.iter().filter(|(_, port)| is_checked(port)) {
            let link_type = self.link_type(link);
            let vcs = if self.is_edge(link) { 1 } else { machine.n_vcs };
            for vc in 0..vcs * machine.n_vnets {
                let at = self.channel(link, vc);
                let channel = &self.channels[at];
                let credit = self.credits[at] + channel.in_transit();
                assert_eq!(credit, link_type.cells, "{link:?} {vc}: lost credit");
                assert!(!channel.is_armed(), "{link:?} {vc}: expects an event that is not pending");
                assert_eq!(channel.waiting, VoqList::EMPTY, "{link:?} {vc}: packets wait");
            }
        }
        self.shares.check_idle();
        let other_senders = self.shares.other_senders.iter();
        let is_checked_nic = |nic: NicId| {
            let links = [machine.injection(nic), machine.ejection(nic)];
            links.iter().any(|&link| is_checked(&self.ports[link]))
        };
        let nics =
            self.nics.iter().filter(|&(id, _)| is_checked_nic(id)).map(|(id, nic)| (id.0, nic));
        for (id, nic) in nics.chain((0..).zip(other_senders)) {
            let ends = (nic.first, nic.last, nic.held, nic.held_last);
            assert_eq!(ends, (NONE, NONE, NONE, NONE), "NIC {id} holds messages or packets");
            assert_eq!(
                (nic.response_queue, nic.has_responses),
                (ResponseQueue::EMPTY, false),
                "NIC {id} has responses to send"
            );
            let acked = nic.acks.len(&self.ack_lines);
            assert_eq!(nic.in_flight, acked, "NIC {id} lacks acknowledgements");
            assert_eq!(nic.ack_event_at, NEVER, "NIC {id} expects an event that is not pending");
            assert!(
                matches!(nic.heads_in_flight, 0 | u16::MAX),
                "NIC {id} waits for heads that have arrived"
            );
            assert!(
                nic.host_event_at == NEVER && !nic.send_waits,
                "NIC {id} expects an event that is not pending"
            );
        }
    }

    /// Bytes of memory held.
    pub(crate) fn held(&self) -> usize {
        self.ports.len() * size_of::<OutputPort>()
            + size_of_val(&self.stalls.raw[..])
            + self.reports.held()
            + self.channels.len() * (size_of::<Channel>() + size_of::<u16>())
            + self.nics.len() * size_of::<Nic>()
            + self.shares.held()
            + self.voqs.bytes()
            + self.ack_lines.bytes()
            + self.packets.bytes()
            + self.transits.bytes()
            + self.arrivals.bytes()
            + self.shards.as_ref().map_or(0, |shards| shards.bytes())
            + self.faults.as_ref().map_or(0, |faults| faults.bytes())
            + self.congestion.held()
            + self.flows.held()
    }
}
