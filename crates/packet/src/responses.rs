//! Responses: on machines that have them, a NIC answers every request with a packet on a virtual
//! network of its own.
//!
//! This file turns requests into responses and handles returned responses. It does not interpret
//! the request.
//!
//! Design: for deadlock analysis a NIC acts as a switch between requests and responses. A request
//! keeps its buffer at the end of the ejection link until its response, the same packet reversed,
//! has the injection link. Responses are always accepted, so no response waits for a request and no
//! cycle can close (docs/models/deadlock.md).

use base::{Time, draw};
use des::Phase;
use machine::{Hop, NicId, Route};
use net::Cx;

use crate::{Arrival, ArrivalId, NONE, Packet, PacketEvent, PacketId, PacketNetwork};

/// The virtual network of responses, if there is one.
pub(crate) const VNET: u8 = 1;

/// Random stream for the route of a response, independent of that of its request.
const STREAM: u32 = 0x7265_7370;

/// The responses that are ready to leave a NIC, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ResponseQueue {
    pub first: u32,
    pub last: u32,
}

impl ResponseQueue {
    pub const EMPTY: ResponseQueue = ResponseQueue { first: NONE, last: NONE };
}

impl PacketNetwork {
    #[inline]
    pub(crate) fn is_response(&self, vnet: u8) -> bool {
        vnet >= self.responses_from
    }

    /// Creates the record at the initiator that counts the responses of a message.
    #[inline(never)]
    pub(crate) fn expect_responses(&mut self, arrival: Arrival) -> ArrivalId {
        assert!(self.params.response > 0, "NICs of this machine send responses");
        self.arrivals.insert(arrival)
    }

    /// The NIC at `at` has taken the request `packet` at `done`: it becomes a response, with the
    /// data requested by its message.
    #[inline(never)]
    pub(crate) fn respond_to(&mut self, packet: PacketId, at: NicId, done: Time, cx: &mut Cx<'_>) {
        let id = self.packets[packet].arrival;
        let most = self.params.packet_payload;
        let arrival = self.arrival(id);
        let (src, initiator) = (arrival.src, arrival.initiator);
        let (mut ready, mut payload) = (done, 0);
        if initiator.0 == NONE {
            let Packet { bytes, vnet, .. } = self.packets[packet];
            self.packet_arrived(id, at, (self.payload(bytes, vnet), done), cx);
        } else {
            // All responses of a message are full but one, whichever request comes first.
            payload = arrival.response_bytes.min(most);
            arrival.response_bytes -= payload;
            arrival.missing -= 1;
            if arrival.missing == 0 {
                self.close_unreported(id);
            }
            if payload > 0 {
                ready += self.params.fetch(payload);
            }
        }
        let own = self.packets[packet].draw;
        let answer = draw(own, STREAM, 0, 0);
        if self.faults.is_some() {
            self.response_sent((id, own), at, (initiator, answer));
        }
        let p = &mut self.packets[packet];
        p.arrival = initiator;
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
    pub(crate) fn enqueue_response(&mut self, packet: PacketId, at: NicId, cx: &mut Cx<'_>) {
        let nic = &mut self.nics[at];
        match nic.response_queue.last {
            NONE => nic.response_queue.first = packet.0,
            last => self.packets[PacketId(last)].next = packet.0,
        }
        nic.response_queue.last = packet.0;
        nic.has_responses = true;
        self.pump(at, cx);
    }

    /// Requests and responses alternate at a NIC's link; neither blocks the other.
    #[inline(never)]
    pub(crate) fn send_in_turns(&mut self, src: NicId, cx: &mut Cx<'_>) -> bool {
        let first = self.nics[src].response_next;
        first && self.send_response(src, cx)
            || self.send_next(src, cx)
            || !first && self.send_response(src, cx)
    }

    /// Sends the next response, if the credit and, for its data, the host interface permit it.
    #[inline(never)]
    fn send_response(&mut self, src: NicId, cx: &mut Cx<'_>) -> bool {
        let link = cx.machine.injection(src);
        let packet = PacketId(self.nics[src].response_queue.first);
        let p = &self.packets[packet];
        let (bytes, next, vacated) = (p.bytes, p.next, p.buffer());
        let hop = Hop { link, vc: VNET };
        if !self.has_credit(hop, bytes, cx.now) {
            self.wake_on_credit(link, VNET, cx);
            return false;
        }
        let payload = u64::from(bytes) - self.params.response;
        let (shared_time, host) = self.host_takes(payload);
        if !self.host_sends(src, shared_time, cx) {
            return false;
        }
        let nic = &mut self.nics[src];
        nic.response_next = false;
        nic.responses += 1;
        nic.response_queue.first = next;
        if next == NONE {
            nic.response_queue.last = NONE;
            nic.has_responses = false;
        }
        let occupied = self.link_type(link).gap.span(u64::from(bytes)).max(host);
        let p = &mut self.packets[packet];
        (p.born, p.tail) = (cx.now, cx.now);
        self.send(packet, hop, cx.now, cx.now + occupied, cx);
        // The data of the request have been taken: its buffer is free once the response has the
        // injection link.
        self.free_buffer(vacated, cx.now, cx);
        true
    }

    /// A response has returned, complete at `done`, which may be computed in advance. It frees a
    /// place in the window.
    #[inline(never)]
    pub(crate) fn receive_response(
        &mut self,
        packet: PacketId,
        at: NicId,
        done: Time,
        cx: &mut Cx<'_>,
    ) {
        let p = self.packets[packet];
        self.packets.free(packet);
        self.free_buffer(p.buffer(), done, cx);
        cx.counters.responses += 1;
        let payload = u64::from(p.bytes) - self.params.response;
        cx.counters.delivered_payload += payload;
        if self.faults.is_some() {
            self.response_received(p.arrival, p.draw);
        }
        if p.arrival.0 != NONE {
            self.packet_arrived(p.arrival, at, (payload, done), cx);
        }
        self.expect_ack(at, VNET, done, cx);
    }
}
