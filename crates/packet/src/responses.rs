//! Responses: where the machine has them, every request a NIC takes is answered by a packet, on a
//! virtual network of its own.
//!
//! Knows how a packet turns round at a NIC and what its coming back means. Refuses to know what was
//! asked, and why.
//!
//! The one idea: a NIC is a switch to the packets it answers. A request keeps its buffer at the end
//! of the ejection link until its response, the same packet turned round, has the injection link.
//! Responses in their turn are taken without condition, so no response ever waits for a request,
//! and no circle can close (docs/models/deadlock.md).

use base::{Time, draw};
use des::Phase;
use machine::{Hop, NicId, Route};
use net::Cx;

use crate::{Arrival, ArrivalId, NONE, Packet, PacketEvent, PacketId, PacketNetwork};

/// The virtual network of responses, where there are any.
pub(crate) const VNET: u8 = 1;

/// What a response's way is drawn from, beside its request's draw: the two choose apart.
const STREAM: u32 = 0x7265_7370;

/// The responses that are ready to leave a NIC, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Owed {
    pub first: u32,
    pub last: u32,
}

impl Owed {
    pub const NOTHING: Owed = Owed { first: NONE, last: NONE };
}

impl PacketNetwork {
    #[inline]
    pub(crate) fn is_response(&self, vnet: u8) -> bool {
        vnet >= self.responses_from
    }

    /// The sender will be told when all its requests have been answered: what responses are to call
    /// the message.
    #[inline(never)]
    pub(crate) fn ask(&mut self, arrival: Arrival) -> ArrivalId {
        assert!(self.params.response > 0, "nobody answers on this machine");
        self.arrivals.insert(arrival)
    }

    /// The NIC at `at` has taken the request `packet` whole at `done`: it turns round, with what
    /// its message asks for.
    #[inline(never)]
    pub(crate) fn turn(&mut self, packet: PacketId, at: NicId, done: Time, cx: &mut Cx<'_>) {
        let id = self.packets[packet].arrival;
        let most = self.params.packet_payload;
        let arrival = self.arrival(id);
        let (src, asker) = (arrival.src, arrival.asker);
        let (mut ready, mut payload) = (done, 0);
        if asker.0 == NONE {
            let Packet { bytes, vnet, .. } = self.packets[packet];
            self.arrived(id, at, (self.payload(bytes, vnet), done), cx);
        } else {
            // All answers of a message but one are full, whichever of its requests is first.
            payload = arrival.back.min(most);
            arrival.back -= payload;
            arrival.missing -= 1;
            if arrival.missing == 0 {
                self.dismiss(id);
            }
            if payload > 0 {
                ready += self.params.fetch(payload);
            }
        }
        let own = self.packets[packet].draw;
        let answer = draw(own, STREAM, 0, 0);
        if self.faults.is_some() {
            self.answers((id, own), at, (asker, answer));
        }
        let p = &mut self.packets[packet];
        p.arrival = asker;
        p.dst = src;
        p.vnet = VNET;
        p.bytes = (payload + self.params.response) as u16;
        p.route = Route::default();
        p.traveled = 0;
        p.draw = answer;
        p.next = NONE;
        cx.at(ready, Phase::Arrive, PacketEvent::Respond { nic: at, packet });
    }

    /// The response `packet` is ready to leave.
    #[inline(never)]
    pub(crate) fn owe(&mut self, packet: PacketId, at: NicId, cx: &mut Cx<'_>) {
        let nic = &mut self.nics[at];
        match nic.owed.last {
            NONE => nic.owed.first = packet.0,
            last => self.packets[PacketId(last)].next = packet.0,
        }
        nic.owed.last = packet.0;
        nic.owes = true;
        self.pump(at, cx);
    }

    /// Requests and responses of a NIC take turns at its link; who cannot go holds up nobody.
    #[inline(never)]
    pub(crate) fn send_in_turns(&mut self, src: NicId, cx: &mut Cx<'_>) -> bool {
        let first = self.nics[src].response_next;
        first && self.respond(src, cx) || self.send_next(src, cx) || !first && self.respond(src, cx)
    }

    /// Sends the next response, if the credit and, for what it carries, the host interface let it.
    #[inline(never)]
    fn respond(&mut self, src: NicId, cx: &mut Cx<'_>) -> bool {
        let link = cx.machine.injection(src);
        let packet = PacketId(self.nics[src].owed.first);
        let p = &self.packets[packet];
        let (bytes, next, left) = (p.bytes, p.next, p.buffer());
        let hop = Hop { link, vc: VNET };
        if !self.has_room(hop, bytes, cx.now) {
            self.starve(link, VNET, cx);
            return false;
        }
        let payload = u64::from(bytes) - self.params.response;
        let (both, host) = self.host_takes(payload);
        if !self.host_sends(src, both, cx) {
            return false;
        }
        let nic = &mut self.nics[src];
        nic.response_next = false;
        nic.responses += 1;
        nic.owed.first = next;
        if next == NONE {
            nic.owed.last = NONE;
            nic.owes = false;
        }
        let held = self.class(link).gap.span(u64::from(bytes)).max(host);
        let p = &mut self.packets[packet];
        (p.born, p.tail) = (cx.now, cx.now);
        self.send(packet, hop, cx.now, cx.now + held, cx);
        // What the request brought has been taken: its buffer is free as soon as the NIC is rid of
        // what it owes for it.
        self.vacate(left, cx.now, cx);
        true
    }

    /// A response is back, whole at `done`, which may be known before it comes. It frees its
    /// request's place in the window.
    #[inline(never)]
    pub(crate) fn answered(&mut self, packet: PacketId, at: NicId, done: Time, cx: &mut Cx<'_>) {
        let p = self.packets[packet];
        self.packets.free(packet);
        self.vacate(p.buffer(), done, cx);
        cx.counters.responses += 1;
        let payload = u64::from(p.bytes) - self.params.response;
        cx.counters.delivered_payload += payload;
        if self.faults.is_some() {
            self.has_answer(p.arrival, p.draw);
        }
        if p.arrival.0 != NONE {
            self.arrived(p.arrival, at, (payload, done), cx);
        }
        self.expect_ack(at, VNET, done, cx);
    }
}
