//! Links with everything that decides about a packet's entry: credits, class shaping, faults. The
//! fabric owns the packets, and the mail for the other ends of links between shards.

use base::{Slab, Time};
use des::Phase;
use machine::{Hop, LinkId, Machine, NicId, Route};
use net::{Cx, Partition};

use crate::classes::Shares;
use crate::credit::{Buffer, LinkType};
use crate::event::PacketEvent;
use crate::faults::{self, LinkConditions};
use crate::link::{Entered, Links, Request};
use crate::packet::{NONE, Packet, PacketId, Packets};
use crate::shard::Mailboxes;

pub(crate) struct Fabric {
    pub packets: Packets,
    pub links: Links,
    /// Class shaping.
    pub shares: Shares,
    /// On a machine with a fault schedule.
    pub conditions: Option<Box<LinkConditions>>,
    pub mail: Mailboxes,
}

impl Fabric {
    pub fn new(machine: &Machine, part: Option<(&Partition, u8)>) -> Fabric {
        let mut links = Links::new(machine, part);
        let mut shares = Shares::new(machine, links.types.all());
        let conditions = LinkConditions::new(machine, &mut links, &mut shares);
        links.is_plain = shares.is_off() && conditions.is_none();
        Fabric {
            packets: Slab::with_capacity(8 * machine.n_nics() as usize),
            links,
            shares,
            conditions,
            mail: Mailboxes::new(part),
        }
    }

    /// `packet` requests `hop`, the next of its `route`: it enters at once if nothing is in its
    /// way.
    #[inline(always)]
    pub fn request(&mut self, packet: PacketId, route: Route, hop: Hop, now: Time) -> Request {
        let p = &mut self.packets[packet];
        p.route = route;
        self.links.request(p, hop, now)
    }

    /// Whether the traffic class of `packet` allows it to enter `link` now.
    #[inline]
    pub fn is_allowed(&mut self, packet: PacketId, link: LinkId, now: Time) -> bool {
        let (link_type, vnet) = (self.links.port(link).link_type, self.packets[packet].vnet);
        self.shares.is_off() || self.shares.is_allowed(link, link_type, vnet, now)
    }

    /// The head of `packet` enters `hop` at `start`, when the link is free, with credit for all its
    /// cells; its tail leaves at `gone`. None if the packet is lost on the link.
    #[inline(always)]
    pub fn enter(
        &mut self,
        packet: PacketId,
        hop: Hop,
        start: Time,
        gone: Time,
        cx: &mut Cx<'_>,
    ) -> Option<Entered> {
        if !self.links.is_plain {
            if !self.shares.is_off() {
                let (port, p) = (self.links.port(hop.link), &self.packets[packet]);
                self.shares.spend(hop.link, port.link_type, p.vnet, p.bytes, start);
            }
            if self.conditions.is_some() {
                return self.enter_with_faults(packet, hop, start, gone, cx);
            }
        }
        Some(self.links.enter(&mut self.packets[packet], hop, start, gone))
    }

    /// The head of `packet` enters `hop` at `then` and would leave it at `gone`.
    ///
    /// A packet with a bit error is sent again after the link's round trip, until it is intact. A
    /// packet that is on the link when it fails never reaches the other end.
    #[cold]
    #[inline(never)]
    fn enter_with_faults(
        &mut self,
        packet: PacketId,
        hop: Hop,
        then: Time,
        gone: Time,
        cx: &mut Cx<'_>,
    ) -> Option<Entered> {
        let p = &mut self.packets[packet];
        let LinkType { cable, .. } = *self.links.link_type(hop.link);
        let conditions = self.conditions.as_ref().expect("called only with a fault schedule");
        let replays = u64::from(conditions.replays(p, hop.link));
        let late = ((gone - then) + cable * 2) * replays;
        cx.counters.link_retries += replays;
        if replays > 0 && self.links.channels.is_edge(hop.link) {
            let n = cx.machine.n_nics();
            let nic = cx.counters.nic(NicId(hop.link.0 % n));
            let replays_of_nic =
                if hop.link.0 < n { &mut nic.replays_out } else { &mut nic.replays_in };
            *replays_of_nic += replays;
        }
        let gone = gone + late;
        if !faults::schedule(cx.machine).is_down_between(hop.link, then, gone + cable) {
            return Some(self.links.enter(p, hop, then + late, gone));
        }
        self.links.occupy(hop.link, p.bytes, gone);
        None
    }

    /// Applies the `nth` change of the fault schedule. Returns the link if it has failed.
    pub fn change(&mut self, nth: u32, machine: &Machine) -> Option<LinkId> {
        let change = faults::schedule(machine).changes[nth as usize];
        let conditions = self.conditions.as_mut().expect("called only with a fault schedule");
        conditions.set(change, &mut self.links, &mut self.shares, machine);
        (!change.to.is_up).then_some(change.link)
    }

    /// `buffer` is free from `gone` on: sends the credit for it to the near end of its link. Called
    /// when `gone` is known, usually before that time.
    #[inline(always)]
    pub fn free_buffer(&mut self, buffer: Buffer, gone: Time, cx: &mut Cx<'_>) {
        let link_type = &self.links.types[buffer.link_type];
        let returns_at = gone + link_type.cable;
        match link_type.remote_shard {
            0 => self.links.schedule_credit(buffer, returns_at, cx),
            shard => self.mail.send_credit(usize::from(shard) - 1, buffer, returns_at),
        }
    }

    /// `packet` waits outside the input buffers: its buffer is free once its tail is in.
    pub fn free_input_buffer(&mut self, packet: PacketId, cx: &mut Cx<'_>) {
        let p = &mut self.packets[packet];
        let (vacated, gone) = (p.buffer(), p.tail.max(cx.now));
        p.cells = 0;
        self.free_buffer(vacated, gone, cx);
    }

    /// The head of `packet` arrives at the far end of `link` at `then`, in shard `to`.
    pub fn mail_head(&mut self, packet: PacketId, link: LinkId, then: Time, to: usize) {
        let moved = self.packets[packet];
        self.packets.free(packet);
        self.mail.send_head(to, moved, link, then);
    }

    /// The head of `packet` comes from another shard, and arrives at the far end of `link` at
    /// `then`.
    pub fn receive_head(&mut self, mut packet: Packet, link: LinkId, then: Time, cx: &mut Cx<'_>) {
        // Each shard numbers link types for itself.
        packet.input_type = self.links.port(link).link_type;
        debug_assert!(packet.at.0 != NONE, "links of NICs are within one shard");
        let packet = self.packets.insert(packet);
        cx.at(then, Phase::Arrive, PacketEvent::Head { packet, link });
    }

    /// Asserts that all credits are returned, and no packet is left.
    pub fn assert_idle(&self) {
        assert_eq!(self.packets.live(), 0, "packets left in the network");
        self.links.assert_idle();
        self.shares.assert_idle();
    }

    /// Bytes of memory held.
    pub fn held(&self) -> usize {
        self.packets.bytes()
            + self.links.held()
            + self.shares.held()
            + self.conditions.as_ref().map_or(0, |conditions| conditions.held())
            + self.mail.held()
    }
}
