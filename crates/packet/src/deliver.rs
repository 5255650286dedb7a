//! From the entry of a packet into a link to its receipt by a NIC, its response or acknowledgement,
//! and the completion of its message.
//!
//! If the arrival at a NIC is certain when the packet enters the ejection link, it is processed at
//! that time and needs no event.
//!
//! Design of responses: for deadlock analysis a NIC acts as a switch between requests and
//! responses. A request keeps its buffer at the end of the ejection link until its response, the
//! same packet reversed, has the injection link. Responses are always accepted, so no response
//! waits for a request and no cycle can close (docs/models/deadlock.md).

use base::{Span, Time, draw};
use des::Phase;
use machine::{Hop, NicId, Route};
use net::{Cx, LostAt};

use crate::endpoints::Endpoints;
use crate::event::PacketEvent;
use crate::fabric::Fabric;
use crate::link::Entered;
use crate::nic::HostAction;
use crate::packet::{ArrivalId, NONE, Packet, PacketId, RESPONSE_VNET, mark};
use crate::shard::Mailboxes;

/// Random stream for the route of a response, independent of that of its request.
const STREAM: u32 = 0x7265_7370;

impl Endpoints {
    /// The head of `packet` enters `hop` at `start`, when the link is free, with credit for all its
    /// cells; its tail leaves at `gone`.
    #[inline(always)]
    pub fn send(
        &mut self,
        packet: PacketId,
        hop: Hop,
        start: Time,
        gone: Time,
        fabric: &mut Fabric,
        cx: &mut Cx<'_>,
    ) {
        match fabric.enter(packet, hop, start, gone, cx) {
            Some(entered) => self.schedule_arrival(packet, hop, &entered, fabric, cx),
            None => self.lose(packet, LostAt::Link(hop.link), fabric, cx),
        }
    }

    /// `packet` has entered `hop`: schedules its arrival at the far end, if that must be an event.
    #[inline(always)]
    pub fn schedule_arrival(
        &mut self,
        packet: PacketId,
        hop: Hop,
        entered: &Entered,
        fabric: &mut Fabric,
        cx: &mut Cx<'_>,
    ) {
        let (Hop { link, vc }, &Entered { mut head, to, remote_shard, is_slower_than_nic, .. }) =
            (hop, entered);
        let p = &mut fabric.packets[packet];
        if is_slower_than_nic && to == cx.machine.nic_switch[p.dst] {
            head = head.max(self.nics.contiguous_start(p, &fabric.links));
        }
        if to.0 != NONE {
            p.precompute_next_hop(to, cx.machine);
        }
        if remote_shard != 0 {
            return fabric.mail_head(packet, link, head, usize::from(remote_shard) - 1);
        }
        if to.0 == NONE {
            // The arrival at a NIC needs no event if the host interface is unlimited, if the packet
            // is a response without data, or if its time is certain.
            let nic = self.nics.at_end_of(link);
            if self.nics.host_is_unlimited {
                return self.pass_to_host(packet, nic, head, fabric, cx);
            }
            let &mut Packet { bytes, tail: whole, .. } = p;
            if self.nics.is_response(vc) && u64::from(bytes) == self.nics.params.response {
                return self.receive_response(packet, nic, whole, fabric, cx);
            }
            if let Some(at) = self.nics.known_host_start(nic, head, fabric.links.is_plain) {
                return self.pass_to_host(packet, nic, at, fabric, cx);
            }
        }
        cx.at(head, Phase::Arrive, PacketEvent::Head { packet, link });
    }

    /// The head of `packet` is at the end of its ejection link.
    pub fn receive(&mut self, packet: PacketId, at: NicId, fabric: &mut Fabric, cx: &mut Cx<'_>) {
        if self.nics.receive(packet, at, &mut fabric.packets, cx) {
            self.pass_to_host(packet, at, cx.now, fabric, cx);
        }
    }

    /// A `Host` event occurs: the host interface serves one of its directions if it is free.
    pub fn serve_host(&mut self, at: NicId, fabric: &mut Fabric, cx: &mut Cx<'_>) {
        match self.nics.host_event(at, &fabric.packets, cx.now) {
            None => return,
            Some(HostAction::Take(packet)) => self.pass_to_host(packet, at, cx.now, fabric, cx),
            Some(HostAction::Send) => self.pump(at, fabric, cx),
            Some(HostAction::Nothing) => {}
        }
        self.nics.rearm_host(at, cx);
    }

    /// The host interface takes `packet` at `now`, which may be computed before the packet arrives.
    /// The buffer is free when the tail has passed the host interface.
    #[inline]
    fn pass_to_host(
        &mut self,
        packet: PacketId,
        at: NicId,
        now: Time,
        fabric: &mut Fabric,
        cx: &mut Cx<'_>,
    ) {
        let p = fabric.packets[packet];
        let Packet { arrival, route, vnet, .. } = p;
        let payload = self.nics.payload(p.bytes, vnet);
        let times = self.nics.host_takes(payload);
        let done = (now + times.1).max(p.tail);
        self.nics.occupy_host(at, times, now, done);
        if self.nics.is_response(vnet) {
            return self.receive_response(packet, at, done, fabric, cx);
        }
        cx.counters.delivered_packets += 1;
        cx.counters.delivered_payload += payload;
        cx.counters.hops += u64::from(route.hops) + 1;
        cx.counters.nonminimal += u64::from(!route.is_minimal());
        if self.nics.params.response > 0 {
            return self.respond_to(packet, at, done, fabric, cx);
        }
        fabric.packets.free(packet);
        fabric.free_buffer(p.buffer(), done, cx);
        let src = self.count_arrival(arrival, at, (payload, done), &mut fabric.mail, cx);
        // The acknowledgement is not a packet: it takes the latencies of the packet's links.
        let ack_at = done + Span(u64::from(p.traveled));
        match arrival.origin() {
            None => self.nics.expect_ack(src, vnet, ack_at, cx),
            Some((shard, _)) => fabric.mail.send_ack(shard, src, vnet, ack_at),
        }
        if p.marks & mark::ORDERED != 0 {
            self.flows.acknowledge_sender(p.draw as u32, ack_at, &mut fabric.mail);
        }
    }

    /// A packet of the message has arrived at `at`, the end that reports completion. Returns the
    /// sender of the message.
    #[inline(always)]
    fn count_arrival(
        &mut self,
        id: ArrivalId,
        at: NicId,
        (payload, done): (u64, Time),
        mail: &mut Mailboxes,
        cx: &mut Cx<'_>,
    ) -> NicId {
        let is_full = payload == self.nics.params.packet_payload;
        let a = self.arrivals.get(id);
        let (src, is_first) = (a.src, a.done == Time::ZERO);
        a.done = a.done.max(if is_full { done + a.staging_lead } else { done });
        a.missing -= 1;
        if is_first && a.missing > 0 {
            self.nics.begin_message(at);
        }
        if a.missing == a.dropped {
            let (msg, seen, handling) = (a.id, a.done + a.completion_delay, a.handling);
            if handling > 0 && a.dropped == 0 {
                self.nics.handle_message(at, done, Span(u64::from(handling)));
            }
            match self.retransmissions {
                None => self.arrivals.close(id, (msg, seen), mail, cx),
                Some(_) => self.finish_with_faults(id, cx),
            }
        }
        src
    }

    /// The NIC at `at` has taken the request `packet` at `done`: it becomes a response, with the
    /// data requested by its message.
    #[inline(never)]
    fn respond_to(
        &mut self,
        packet: PacketId,
        at: NicId,
        done: Time,
        fabric: &mut Fabric,
        cx: &mut Cx<'_>,
    ) {
        let p = &fabric.packets[packet];
        let (id, own, routing_draw) = (p.arrival, p.draw, p.routing_draw());
        let most = self.nics.params.packet_payload;
        let arrival = self.arrivals.get(id);
        let (src, initiator) = (arrival.src, arrival.initiator);
        let (mut ready, mut payload) = (done, 0);
        if initiator.0 == NONE {
            let arrived = (self.nics.payload(p.bytes, p.vnet), done);
            self.count_arrival(id, at, arrived, &mut fabric.mail, cx);
        } else {
            // All responses of a message are full but one, whichever request comes first.
            payload = arrival.response_bytes.min(most);
            arrival.response_bytes -= payload;
            arrival.missing -= 1;
            if arrival.missing == arrival.dropped {
                self.arrivals.close_unreported(id, &mut fabric.mail);
            }
            if payload > 0 {
                ready += self.nics.params.fetch(payload);
            }
        }
        let response_draw = draw(routing_draw, STREAM, 0, 0);
        if let Some(retransmissions) = &mut self.retransmissions {
            retransmissions.response_sent((id, own), at, (initiator, response_draw));
        }
        let p = &mut fabric.packets[packet];
        // `traveled` stays that of the request: information about a loss of the response needs at
        // least as long to the initiator.
        p.arrival = initiator;
        p.dst = src;
        p.vnet = RESPONSE_VNET;
        p.bytes = (payload + self.nics.params.response) as u16;
        p.route = Route::default();
        p.draw = response_draw;
        p.next = NONE;
        cx.at(ready, Phase::Arrive, PacketEvent::Respond { nic: at, packet });
    }

    /// A response has returned, complete at `done`, which may be computed in advance. It frees a
    /// place in the window.
    #[inline(never)]
    fn receive_response(
        &mut self,
        packet: PacketId,
        at: NicId,
        done: Time,
        fabric: &mut Fabric,
        cx: &mut Cx<'_>,
    ) {
        let p = fabric.packets[packet];
        fabric.packets.free(packet);
        fabric.free_buffer(p.buffer(), done, cx);
        cx.counters.responses += 1;
        let payload = u64::from(p.bytes) - self.nics.params.response;
        cx.counters.delivered_payload += payload;
        if let Some(retransmissions) = &mut self.retransmissions {
            retransmissions.response_received(p.arrival, p.draw);
        }
        if p.arrival.0 != NONE {
            self.count_arrival(p.arrival, at, (payload, done), &mut fabric.mail, cx);
        }
        self.nics.expect_ack(at, RESPONSE_VNET, done, cx);
    }
}
