//! Links: what each of them holds, who waits for it, and who goes next.
//!
//! A credit on its way home is no event either. It lies in a list with the time it is due, and is
//! counted when somebody looks; only where a packet waits for nothing else is its coming an event.

use base::{Gap, IndexVec, Span, Time};
use des::Phase;
use machine::{Arbitration, End, Hop, LinkId, Machine, NicId, SwitchId};
use net::Cx;

use crate::due::DueList;
use crate::{LaneId, NEVER, NONE, PacketEvent, PacketId, PacketNetwork};

/// A link as its near end sees it. One cache line, because a grant needs all of it.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Wire {
    /// When the last tail has left.
    pub free_at: Time,
    pub gap: Gap,
    pub latency: Span,
    pub cable: Span,
    /// Bytes waiting for it at this end.
    pub waiting: u32,
    /// Bytes sent and not yet counted as credited.
    pub out: u32,
    /// Bytes that are out when a stream at full rate meets no other: `columns` derives it.
    pub pipe: u32,
    /// Place in the round given to the next lane that joins it.
    pub ticket: u32,
    /// Lanes that wait.
    pub lanes: u32,
    /// The switch it leads to; nothing where it leads to a NIC.
    pub to: SwitchId,
    /// A `Free` event is pending.
    pub armed: bool,
}
const _: () = assert!(size_of::<Wire>() == 64);

/// One virtual channel of a link: the room at its far end, and the lanes that wait for it.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(crate) struct Channel {
    /// When the next `Credit` event that counts is due; `NEVER` if none is.
    pub wakes: Time,
    /// Bytes that may still be sent, as of the last look.
    pub room: u32,
    /// The lane whose turn it is, and the one that joined last.
    pub first: u32,
    pub last: u32,
    /// Credits on their way home.
    pub credits: DueList,
    /// Somebody waits for nothing but credit.
    pub starved: bool,
}
const _: () = assert!(size_of::<Channel>() == 32);

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
                to: match links.to[link] {
                    End::Switch(switch) => switch,
                    End::Nic(_) => SwitchId(NONE),
                },
                armed: false,
            }
        })
        .collect();
    let channels = links
        .buffer
        .raw
        .iter()
        .flat_map(|&room| {
            let empty = Channel {
                wakes: NEVER,
                room,
                first: NONE,
                last: NONE,
                credits: DueList::EMPTY,
                starved: false,
            };
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
        if is_free && wire.lanes == 0 && self.has_room(hop, bytes, cx.now) {
            return self.grant(packet, hop, cx);
        }
        self.join(packet, hop);
        let wire = &mut self.wires[hop.link];
        self.reports.note(hop.link, cx.now, wire.waiting);
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
            Arbitration::RoundRobin => self.next_in_round(link, cx.now),
            Arbitration::Age => self.oldest(link, cx.now),
        };
        let Some((vc, before, lane)) = chosen else {
            for vc in 0..self.n_vcs as u8 {
                if self.channels[self.channel(link, vc)].first != NONE {
                    self.starve(link, vc, cx);
                }
            }
            return;
        };
        let packet = self.leave(link, vc, before, lane);
        let wire = &mut self.wires[link];
        self.reports.note(link, cx.now, wire.waiting);
        wire.waiting -= self.packets[packet].bytes;
        self.grant(packet, Hop { link, vc }, cx);
        if self.wires[link].lanes > 0 {
            self.arm(link, cx);
        }
    }

    /// The lane that has waited longest for its turn. A virtual channel whose first lane lacks
    /// room is passed over whole, so a large packet is never starved by small ones.
    fn next_in_round(&mut self, link: LinkId, now: Time) -> Option<(u8, u32, LaneId)> {
        let round = self.wires[link].ticket;
        let mut best: Option<(u32, u8, LaneId)> = None;
        for vc in 0..self.n_vcs as u8 {
            let first = self.channels[self.channel(link, vc)].first;
            if first == NONE {
                continue;
            }
            let Lane { head, ticket, .. } = self.lanes[LaneId(first)];
            let waited = round.wrapping_sub(ticket);
            let bytes = self.packets[head].bytes;
            if best.is_none_or(|(w, ..)| waited > w) && self.has_room(Hop { link, vc }, bytes, now)
            {
                best = Some((waited, vc, LaneId(first)));
            }
        }
        best.map(|(_, vc, lane)| (vc, NONE, lane))
    }

    /// The lane whose first packet left its NIC first, with the lane before it in its round. Here
    /// too a virtual channel whose choice lacks room is passed over whole.
    fn oldest(&mut self, link: LinkId, now: Time) -> Option<(u8, u32, LaneId)> {
        let mut best: Option<(Time, u8, u32, LaneId)> = None;
        for vc in 0..self.n_vcs as u8 {
            let mut of_vc: Option<(Time, u32, PacketId, LaneId)> = None;
            let (mut before, mut lane) = (NONE, self.channels[self.channel(link, vc)].first);
            while lane != NONE {
                let Lane { head, next, .. } = self.lanes[LaneId(lane)];
                let born = self.packets[head].born;
                if of_vc.is_none_or(|(oldest, ..)| born < oldest) {
                    of_vc = Some((born, before, head, LaneId(lane)));
                }
                (before, lane) = (lane, next);
            }
            let Some((born, before, head, lane)) = of_vc else { continue };
            let bytes = self.packets[head].bytes;
            if best.is_none_or(|(b, ..)| born < b) && self.has_room(Hop { link, vc }, bytes, now) {
                best = Some((born, vc, before, lane));
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
        self.give_back(Hop { link: input, vc: input_vc }, bytes, home, cx);
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
        p.traveled += wire.latency.0 as u32;
        let (head, bytes) = (cx.now + wire.latency, p.bytes);
        let at = self.channel(link, vc);
        self.channels[at].room -= bytes;
        cx.counters.bytes[link] += u64::from(bytes);
        cx.counters.packets[link] += 1;
        cx.at(head, Phase::Arrive, link, PacketEvent::Head { packet, link });
    }

    /// Whether `bytes` may be sent by `hop` now. Asked before every packet, so no more credits lie
    /// uncounted than were on their way when the channel was last used.
    #[inline]
    pub(crate) fn has_room(&mut self, hop: Hop, bytes: u32, now: Time) -> bool {
        self.collect(hop, now);
        self.channels[self.channel(hop.link, hop.vc)].room >= bytes
    }

    /// Counts the credits that have come home.
    #[inline]
    fn collect(&mut self, hop: Hop, now: Time) {
        let at = self.channel(hop.link, hop.vc);
        let channel = &mut self.channels[at];
        let bytes = channel.credits.drain(now, &mut self.dues);
        if bytes > 0 {
            channel.room += bytes;
            self.wires[hop.link].out -= bytes;
        }
    }

    /// Bytes of `link`'s credits that have come home and are not counted yet.
    pub(crate) fn come_home(&self, link: LinkId, now: Time) -> u32 {
        (0..self.n_vcs as u8)
            .map(|vc| self.channels[self.channel(link, vc)].credits.sum(now, &self.dues))
            .sum()
    }

    /// `bytes` of the buffer at the end of `hop` are free again; the credit is `home` then.
    pub(crate) fn give_back(
        &mut self,
        hop: Hop,
        bytes: u32,
        home: Time,
        cx: &mut Cx<'_, PacketEvent>,
    ) {
        let at = self.channel(hop.link, hop.vc);
        let channel = &mut self.channels[at];
        channel.credits.add(home, bytes, &mut self.dues);
        if channel.starved {
            self.starve(hop.link, hop.vc, cx);
        }
    }

    /// Somebody waits for nothing but credit: its next coming is an event.
    pub(crate) fn starve(&mut self, link: LinkId, vc: u8, cx: &mut Cx<'_, PacketEvent>) {
        let at = self.channel(link, vc);
        let channel = &mut self.channels[at];
        channel.starved = true;
        // If none is due, `give_back` will come here again.
        let Some(due) = channel.credits.first(&self.dues) else { return };
        let due = due.max(Time(cx.now.0 + 1));
        if due < channel.wakes {
            channel.wakes = due;
            cx.at(due, Phase::Arrive, link, PacketEvent::Credit { link, vc });
        }
    }

    /// A credit that somebody waited for is home.
    pub(crate) fn credit(&mut self, link: LinkId, vc: u8, cx: &mut Cx<'_, PacketEvent>) {
        let at = self.channel(link, vc);
        let channel = &mut self.channels[at];
        if channel.wakes != cx.now {
            return; // One that came home earlier was asked for in the meantime.
        }
        channel.wakes = NEVER;
        channel.starved = false;
        self.collect(Hop { link, vc }, cx.now);
        let wire = &self.wires[link];
        if !wire.armed && wire.free_at <= cx.now {
            self.serve(link, cx);
        }
    }

    /// Lets somebody have the free `link`, if anybody wants it.
    #[inline]
    pub(crate) fn serve(&mut self, link: LinkId, cx: &mut Cx<'_, PacketEvent>) {
        if self.wires[link].lanes > 0 {
            self.arbitrate(link, cx);
        } else if (link.0 as usize) < self.nics.len() {
            self.pump(NicId(link.0), cx); // An injection link is numbered as its NIC.
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
