//! Links: what each of them holds, who waits for it, and who goes next.

use base::{Gap, IndexVec, Span, Time};
use des::Phase;
use machine::{Arbitration, End, Hop, LinkId, Machine};
use net::Cx;

use crate::{LaneId, NONE, PacketEvent, PacketId, PacketNetwork};

/// A link as its near end sees it. One cache line, because a grant needs all of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wire {
    /// When the last tail has left.
    pub free_at: Time,
    pub gap: Gap,
    pub latency: Span,
    pub cable: Span,
    /// Bytes waiting for it at this end.
    pub waiting: u32,
    /// Bytes sent and not yet credited.
    pub out: u32,
    /// Bytes that are out when a stream at full rate meets no other: `columns` derives it.
    pub pipe: u32,
    /// Place in the round given to the next lane that joins it.
    pub ticket: u32,
    /// Lanes that wait.
    pub lanes: u32,
    /// A `Free` event is pending.
    pub armed: bool,
}
const _: () = assert!(size_of::<Wire>() <= 64);

/// One virtual channel of a link: the room at its far end, and the lanes that wait for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Channel {
    /// Bytes that may still be sent.
    pub room: u32,
    /// The lane whose turn it is, and the one that joined last.
    pub first: u32,
    pub last: u32,
}

/// Packets that came in by one link and wait for one virtual channel of another, first in, first
/// out. It exists only while somebody waits: one for every pair of ports would be 41 million on
/// Aurora, and few are ever in use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lane {
    pub input: LinkId,
    pub head: PacketId,
    pub tail: PacketId,
    /// The lane after it in the round of its virtual channel.
    pub next: u32,
    /// Its place in the round of the whole link.
    pub ticket: u32,
}

/// The columns of a machine at rest.
pub(crate) fn columns(machine: &Machine) -> (IndexVec<LinkId, Wire>, Vec<Channel>) {
    let links = &machine.links;
    let packet = machine.nic.packet_payload + machine.nic.packet_overhead;
    let wires = links
        .gap
        .ids()
        .map(|link| {
            let (gap, latency, cable) = (links.gap[link], links.latency[link], links.cable[link]);
            assert!(
                u64::from(links.buffer[link]) >= packet,
                "{link:?}: a buffer of {} B cannot take a packet of {packet} B",
                links.buffer[link]
            );
            assert!(latency > Span::ZERO && gap > Gap::ZERO, "{link:?} takes no time");
            // From a grant until its credit is back: there, across, out again, and home.
            let round = latency + gap.span(packet) + cable;
            let pipe = (round.seconds() * gap.bytes_per_s()) as u64 + packet;
            Wire {
                free_at: Time::ZERO,
                gap,
                latency,
                cable,
                waiting: 0,
                out: 0,
                pipe: u32::try_from(pipe).unwrap_or(u32::MAX),
                ticket: 0,
                lanes: 0,
                armed: false,
            }
        })
        .collect();
    let channels = links
        .buffer
        .raw
        .iter()
        .flat_map(|&room| {
            let empty = Channel { room, first: NONE, last: NONE };
            std::iter::repeat_n(empty, usize::from(machine.n_vcs))
        })
        .collect();
    (wires, channels)
}

impl PacketNetwork {
    #[inline]
    pub(crate) fn channel(&self, link: LinkId, vc: u8) -> usize {
        link.0 as usize * self.n_vcs as usize + usize::from(vc)
    }

    /// `packet` wants to leave by `hop`: now if nothing stands in its way, otherwise in turn.
    #[inline]
    pub(crate) fn request(&mut self, packet: PacketId, hop: Hop, cx: &mut Cx<'_, PacketEvent>) {
        let bytes = self.packets[packet].bytes;
        let wire = &self.wires[hop.link];
        let is_free = wire.free_at <= cx.now;
        let room = self.channels[self.channel(hop.link, hop.vc)].room;
        if is_free && wire.lanes == 0 && room >= bytes {
            return self.grant(packet, hop, cx);
        }
        self.join(packet, hop);
        let wire = &mut self.wires[hop.link];
        wire.waiting += bytes;
        let most = &mut cx.counters.queue_max[hop.link];
        *most = wire.waiting.max(*most);
        if !is_free {
            self.arm(hop.link, cx);
        } else if !wire.armed {
            // Those who wait already lack credit on their channels; this one may not.
            self.arbitrate(hop.link, cx);
        }
    }

    /// Adds `packet` to its lane, and the lane to the round if it is new there.
    fn join(&mut self, packet: PacketId, hop: Hop) {
        let input = self.packets[packet].input;
        self.packets[packet].next = NONE;
        let at = self.channel(hop.link, hop.vc);
        let channel = &mut self.channels[at];
        let mut lane = channel.first;
        while lane != NONE {
            let found = &mut self.lanes[LaneId(lane)];
            if found.input == input {
                let tail = std::mem::replace(&mut found.tail, packet);
                self.packets[tail].next = packet.0;
                return;
            }
            lane = found.next;
        }
        let wire = &mut self.wires[hop.link];
        wire.lanes += 1;
        let ticket = wire.ticket;
        wire.ticket = ticket.wrapping_add(1);
        let new = Lane { input, head: packet, tail: packet, next: NONE, ticket };
        let new = self.lanes.insert(new);
        append(channel, &mut self.lanes, new);
    }

    /// Grants the free `link` to one of those who wait for it, if any of them has credit.
    pub(crate) fn arbitrate(&mut self, link: LinkId, cx: &mut Cx<'_, PacketEvent>) {
        debug_assert!(self.wires[link].free_at <= cx.now && !self.wires[link].armed);
        let chosen = match cx.machine.arbitration {
            Arbitration::RoundRobin => self.next_in_round(link),
            Arbitration::Age => self.oldest(link),
        };
        let Some((vc, before, lane)) = chosen else { return };
        let packet = self.leave(link, vc, before, lane);
        self.wires[link].waiting -= self.packets[packet].bytes;
        self.grant(packet, Hop { link, vc }, cx);
        if self.wires[link].lanes > 0 {
            self.arm(link, cx);
        }
    }

    /// The lane that has waited longest for its turn. A virtual channel whose first lane lacks
    /// room is passed over whole, so a large packet is never starved by small ones.
    fn next_in_round(&self, link: LinkId) -> Option<(u8, u32, LaneId)> {
        let now = self.wires[link].ticket;
        let mut best: Option<(u32, u8, LaneId)> = None;
        for vc in 0..self.n_vcs as u8 {
            let channel = &self.channels[self.channel(link, vc)];
            if channel.first == NONE {
                continue;
            }
            let lane = LaneId(channel.first);
            let Lane { head, ticket, .. } = self.lanes[lane];
            let waited = now.wrapping_sub(ticket);
            if channel.room >= self.packets[head].bytes && best.is_none_or(|(w, ..)| waited > w) {
                best = Some((waited, vc, lane));
            }
        }
        best.map(|(_, vc, lane)| (vc, NONE, lane))
    }

    /// The lane whose first packet left its NIC first, with the lane before it in its round.
    fn oldest(&self, link: LinkId) -> Option<(u8, u32, LaneId)> {
        let mut best: Option<(Time, u8, u32, LaneId)> = None;
        for vc in 0..self.n_vcs as u8 {
            let channel = &self.channels[self.channel(link, vc)];
            let (mut before, mut lane) = (NONE, channel.first);
            while lane != NONE {
                let Lane { head, next, .. } = self.lanes[LaneId(lane)];
                let p = &self.packets[head];
                if channel.room >= p.bytes && best.is_none_or(|(born, ..)| p.born < born) {
                    best = Some((p.born, vc, before, LaneId(lane)));
                }
                (before, lane) = (lane, next);
            }
        }
        best.map(|(_, vc, before, lane)| (vc, before, lane))
    }

    /// Takes the first packet out of `lane`; the lane goes to the end of the round, or away.
    fn leave(&mut self, link: LinkId, vc: u8, before: u32, lane: LaneId) -> PacketId {
        let at = self.channel(link, vc);
        let channel = &mut self.channels[at];
        let Lane { head, tail, next, .. } = self.lanes[lane];
        match before {
            NONE => channel.first = next,
            before => self.lanes[LaneId(before)].next = next,
        }
        if channel.last == lane.0 {
            channel.last = before;
        }
        let wire = &mut self.wires[link];
        if head == tail {
            self.lanes.free(lane);
            wire.lanes -= 1;
        } else {
            let l = &mut self.lanes[lane];
            l.head = PacketId(self.packets[head].next);
            l.next = NONE;
            l.ticket = wire.ticket;
            wire.ticket = wire.ticket.wrapping_add(1);
            append(channel, &mut self.lanes, lane);
        }
        head
    }

    /// `packet` enters the free link with credit for all of it.
    ///
    /// The link is held until the tail has left, which cannot be before the tail has come: from a
    /// slow link to a fast one a packet goes at the slow one's rate. Then too its input buffer is
    /// empty of it, and the credit starts home.
    #[inline]
    pub(crate) fn grant(&mut self, packet: PacketId, hop: Hop, cx: &mut Cx<'_, PacketEvent>) {
        let p = &mut self.packets[packet];
        let wire = &self.wires[hop.link];
        let gone = (cx.now + wire.gap.span(u64::from(p.bytes))).max(p.tail);
        let (input, input_vc, bytes) = (p.input, p.input_vc, p.bytes);
        p.input_vc = hop.vc;
        self.send(packet, hop, gone, cx);
        let home = gone + self.wires[input].cable;
        cx.at(home, Phase::Arrive, input, PacketEvent::Credit { link: input, bytes, vc: input_vc });
    }

    /// The head of `packet` enters `hop` now; its tail will have left at `gone`.
    #[inline]
    pub(crate) fn send(
        &mut self,
        packet: PacketId,
        hop: Hop,
        gone: Time,
        cx: &mut Cx<'_, PacketEvent>,
    ) {
        let Hop { link, vc } = hop;
        let p = &mut self.packets[packet];
        let wire = &mut self.wires[link];
        wire.free_at = gone;
        wire.out += p.bytes;
        p.tail = gone + wire.latency;
        p.travelled += wire.latency.0 as u32;
        let (head, bytes) = (cx.now + wire.latency, p.bytes);
        let at = self.channel(link, vc);
        self.channels[at].room -= bytes;
        cx.counters.bytes[link] += u64::from(bytes);
        cx.counters.packets[link] += 1;
        cx.at(head, Phase::Arrive, link, PacketEvent::Head { packet, link });
    }

    /// The far end of `link` has room again.
    #[inline]
    pub(crate) fn credit(
        &mut self,
        link: LinkId,
        vc: u8,
        bytes: u32,
        cx: &mut Cx<'_, PacketEvent>,
    ) {
        let at = self.channel(link, vc);
        self.channels[at].room += bytes;
        let wire = &mut self.wires[link];
        wire.out -= bytes;
        if !wire.armed && wire.free_at <= cx.now {
            self.serve(link, cx);
        }
    }

    /// Lets somebody have the free `link`, if anybody wants it.
    #[inline]
    pub(crate) fn serve(&mut self, link: LinkId, cx: &mut Cx<'_, PacketEvent>) {
        if self.wires[link].lanes > 0 {
            self.arbitrate(link, cx);
        } else if let End::Nic(nic) = cx.machine.links.from[link] {
            self.pump(nic, cx);
        }
    }
}

/// Puts `lane` at the end of its channel's round.
fn append(channel: &mut Channel, lanes: &mut base::Slab<LaneId, Lane>, lane: LaneId) {
    match channel.last {
        NONE => channel.first = lane.0,
        last => lanes[LaneId(last)].next = lane.0,
    }
    channel.last = lane.0;
}
