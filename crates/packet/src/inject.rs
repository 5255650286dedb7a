//! From a command to packets on the injection link.

use base::{Span, Time};
use des::Phase;
use machine::{Hop, LinkId, NicId, Route, SwitchId};
use net::{Completion, Cx, Message, MsgId};

use crate::endpoints::Endpoints;
use crate::event::PacketEvent;
use crate::fabric::Fabric;
use crate::message::{Arrival, Transit};
use crate::nic::NextPacket;
use crate::packet::{ArrivalId, NONE, Packet, PacketId, RESPONSE_VNET, TransitId};
use crate::shard::Mailboxes;
use crate::throttle::Sent;

impl Packet {
    /// A packet of a message, with wire bytes, draw and marks, that leaves its NIC at `born`.
    #[inline(always)]
    fn new(t: &Transit, bytes: u16, (draw, marks): (u64, u8), born: Time) -> Packet {
        Packet {
            tail: Time::ZERO,
            born,
            draw,
            route: Route::default(),
            arrival: t.arrival,
            dst: t.dst,
            bytes,
            traveled: 0,
            input: LinkId(t.src.0), // An injection link has the number of its NIC.
            next: NONE,
            at: SwitchId(NONE),
            input_type: 0,
            cells: 0,
            input_vc: 0,
            vnet: t.vnet,
            marks,
        }
    }
}

impl Endpoints {
    /// A command reaches the NIC. The message is ready to send after the NIC's latencies.
    pub fn command(&mut self, id: MsgId, msg: Message, fabric: &mut Fabric, cx: &mut Cx<'_>) {
        let Message { src, bytes, origin, completion, .. } = msg;
        let moved = bytes.max(completion.response_bytes());
        let ready = self.nics.ready_at(src, origin, bytes, moved, cx.now);
        let transit = self.open_message(id, msg, &mut fabric.mail, cx);
        if ready > cx.now {
            let transit = self.nics.transits.insert(transit);
            cx.at(ready, Phase::Arrive, PacketEvent::Ready { nic: src, transit });
        } else {
            self.start(transit, fabric, cx);
        }
    }

    /// Creates the state of a message at both ends.
    #[inline(always)]
    pub fn open_message(
        &mut self,
        id: MsgId,
        msg: Message,
        mail: &mut Mailboxes,
        cx: &mut Cx<'_>,
    ) -> Transit {
        let Message { src, dst, bytes, vnet, completion, draw, in_order, handling, .. } = msg;
        debug_assert!(src != dst, "a message to oneself does not use the network");
        let params = &self.nics.params;
        let response_bytes = completion.response_bytes();
        let packets = match bytes.max(response_bytes) {
            few if few <= params.packet_payload => 1,
            many => many.div_ceil(params.packet_payload),
        };
        let missing = u32::try_from(packets).expect("a message of less than 2^32 packets");
        let completion_delay = msg.completion_delay(params);
        // A put's completion is reported by the NIC alone, without handling.
        let handling = if completion == Completion::Initiator(0) { Span::ZERO } else { handling };
        let handling = u32::try_from(handling.0).expect("a NIC's times are at most 100 us");
        let staging_lead = msg.staging_lead(params);
        // Built in place: copying a value right after it was written in parts is a failed store
        // forwarding.
        let arrival = |initiator| Arrival {
            done: Time::ZERO,
            completion_delay,
            id,
            src,
            handling,
            staging_lead,
            missing,
            dropped: 0,
            response_bytes,
            initiator,
        };
        let none = ArrivalId(NONE);
        let initiator = if completion == Completion::Target {
            none
        } else {
            assert!(params.response > 0, "NICs of this machine send responses");
            self.arrivals.insert(arrival(none))
        };
        let arrival = self.arrivals.open(|| arrival(initiator), dst, mail, cx.machine);
        let flow = match in_order && self.flows.is_enabled {
            true => self.flows.open((src, dst), vnet, cx.now, self.nics.len()).0,
            false => NONE,
        };
        let (made, packets, next) = (0, missing, NONE);
        Transit {
            draw,
            unsent: bytes,
            arrival,
            src,
            dst,
            made,
            packets,
            next,
            vnet,
            throttle: NONE,
            flow,
        }
    }

    /// A message is ready: it is sent at once if possible, and queued otherwise.
    #[inline(always)]
    pub fn start(&mut self, transit: Transit, fabric: &mut Fabric, cx: &mut Cx<'_>) {
        if !self.send_single_packet(&transit, fabric, cx) {
            let transit = self.nics.transits.insert(transit);
            self.enqueue_message(transit, fabric, cx);
        }
    }

    /// Fast path for a message of one packet on an idle NIC. Fails if the link, the window, the
    /// credit or the host interface does not permit it. Most messages take this path; the result
    /// equals that of `pump`.
    #[inline(always)]
    fn send_single_packet(&mut self, t: &Transit, fabric: &mut Fabric, cx: &mut Cx<'_>) -> bool {
        let (now, link, vc) = (cx.now, cx.machine.injection(t.src), t.vnet);
        let Fabric { links, packets, .. } = fabric;
        let nic = self.nics.nic(t.src);
        let is_idle =
            nic.first == NONE && !nic.has_responses && !nic.is_throttled && links.is_plain;
        if !is_idle || t.packets > 1 || t.flow != NONE {
            return false;
        }
        let (hop, next_packet) = (Hop { link, vc }, self.nics.next_packet(t));
        let NextPacket { bytes, shared_time, host, .. } = next_packet;
        let Some(admission) = links.admission(hop, bytes, now) else { return false };
        if !self.nics.try_send(t.src, shared_time, now) {
            return false;
        }
        cx.counters.injected_packets += 1;
        let packet = packets.insert_with(|| Packet::new(t, bytes, (t.draw, 0), now));
        let gone = now + admission.link_type.gap.span(bytes.into()).max(host);
        let entered = admission.enter(&mut packets[packet], now, gone);
        self.schedule_arrival(packet, hop, &entered, fabric, cx);
        true
    }

    /// Appends the message to its NIC's send list, unless another message of its flow is there.
    pub fn enqueue_message(&mut self, transit: TransitId, fabric: &mut Fabric, cx: &mut Cx<'_>) {
        let Transit { src, flow, .. } = self.nics.transits[transit];
        if flow == NONE || self.flows.joins_send_list(transit, &mut self.nics.transits) {
            self.nics.append(src, transit);
            self.pump(src, fabric, cx);
        }
    }

    /// The first message in the send list of a class, if the window and the credit permit it.
    #[inline(always)]
    fn first_sendable(
        &mut self,
        src: NicId,
        class: u8,
        fabric: &mut Fabric,
        cx: &mut Cx<'_>,
    ) -> Option<TransitId> {
        if self.nics.sender(src, class).first == NONE {
            return None;
        }
        if !self.nics.has_window(src, class, cx.now) {
            self.nics.await_ack(src, class, cx);
            return None;
        }
        if self.nics.sender(src, class).is_throttled
            && !self.throttles.skip_throttled(src, class, &mut self.nics)
        {
            return None;
        }
        let first = TransitId(self.nics.sender(src, class).first);
        let Transit { unsent, vnet, .. } = self.nics.transits[first];
        let params = &self.nics.params;
        let bytes = (unsent.min(params.packet_payload) + params.packet_overhead) as u16;
        let link = cx.machine.injection(src);
        if !fabric.links.has_credit(Hop { link, vc: vnet }, bytes, cx.now) {
            fabric.links.wake_on_credit(link, vnet, cx);
            fabric.links.stall(link, cx.now);
            return None;
        }
        Some(first)
    }

    /// The first message of the class to serve at a NIC with a free link. If no class can send,
    /// each is called again when what it lacks is available.
    #[inline(never)]
    fn first_by_class(
        &mut self,
        nic: NicId,
        fabric: &mut Fabric,
        cx: &mut Cx<'_>,
    ) -> Option<TransitId> {
        let link = cx.machine.injection(nic);
        let link_type = fabric.links.port(link).link_type;
        fabric.shares.begin_decision();
        let mut best: Option<(u16, TransitId)> = None;
        for class in 0..fabric.shares.n_classes() {
            let Some(first) = self.first_sendable(nic, class, fabric, cx) else { continue };
            let precedence = fabric.shares.precedence(link, link_type, class, cx.now);
            best = best.max(precedence.map(|precedence| (precedence, first)));
        }
        if best.is_none() {
            fabric.shares.wake_at_ceiling(link, cx);
        }
        best.map(|(_, first)| first)
    }

    /// Sends the next packet if the link, the window, the credit and the host interface permit it.
    /// Each of them calls this again when it changes.
    pub fn pump(&mut self, src: NicId, fabric: &mut Fabric, cx: &mut Cx<'_>) {
        let link = cx.machine.injection(src);
        if !self.nics.has_packet(src) {
            return;
        }
        if fabric.links.port(link).free_at > cx.now {
            return fabric.links.arm(link, cx);
        }
        let sent = if self.nics.nic(src).has_responses {
            self.send_alternating(src, fabric, cx)
        } else {
            self.send_next(src, fabric, cx)
        };
        if sent && self.nics.has_packet(src) {
            fabric.links.arm(link, cx);
        }
    }

    /// Requests and responses alternate at a NIC's link; neither blocks the other.
    #[inline(never)]
    fn send_alternating(&mut self, src: NicId, fabric: &mut Fabric, cx: &mut Cx<'_>) -> bool {
        let first = self.nics.nic(src).response_next;
        first && self.send_response(src, fabric, cx)
            || self.send_next(src, fabric, cx)
            || !first && self.send_response(src, fabric, cx)
    }

    /// Sends the next packet of the send list over the free link, if possible.
    #[inline(always)]
    fn send_next(&mut self, src: NicId, fabric: &mut Fabric, cx: &mut Cx<'_>) -> bool {
        let chosen = if fabric.shares.is_off() {
            self.first_sendable(src, 0, fabric, cx)
        } else {
            self.first_by_class(src, fabric, cx)
        };
        let Some(transit) = chosen else { return false };
        let t = self.nics.transits[transit];
        let Transit { throttle, flow, .. } = t;
        let next_packet = self.nics.next_packet(&t);
        if !self.nics.host_sends(src, next_packet.shared_time, cx) {
            return false;
        }
        self.nics.remove_first(src, t.vnet, t.next);
        let packet = self.make_packet(&t, &next_packet, fabric, cx.now);
        let rest = &mut self.nics.transits[transit];
        rest.made += 1;
        rest.unsent -= next_packet.payload;
        let mut after = (rest.made < rest.packets).then_some(transit);
        if after.is_none() {
            self.nics.transits.free(transit);
            if flow != NONE {
                after = self.flows.next_message(flow, &self.nics.transits);
            }
        }
        if self.nics.sender(src, t.vnet).is_throttled {
            let sent = Sent { transit, throttle, after };
            let p = &mut fabric.packets[packet];
            self.throttles.sent(src, sent, p, &mut self.nics, &mut fabric.mail, cx);
        } else if let Some(after) = after {
            self.nics.append(src, after);
        }
        self.inject_packet(packet, &t, &next_packet, fabric, cx);
        true
    }

    /// Creates the next packet of a message and counts it as sent.
    #[inline(always)]
    fn make_packet(
        &mut self,
        t: &Transit,
        next_packet: &NextPacket,
        fabric: &mut Fabric,
        now: Time,
    ) -> PacketId {
        self.nics.count_sent(t.src, t.vnet);
        let own = Message::packet_draw(t.draw, t.made);
        let draw_and_marks = match t.flow {
            NONE => (own, 0),
            flow => self.flows.next_packet(flow, own, now),
        };
        fabric.packets.insert_with(|| Packet::new(t, next_packet.bytes, draw_and_marks, now))
    }

    /// `packet` leaves its NIC by the free link.
    #[inline(always)]
    fn inject_packet(
        &mut self,
        packet: PacketId,
        t: &Transit,
        next_packet: &NextPacket,
        fabric: &mut Fabric,
        cx: &mut Cx<'_>,
    ) {
        let link = cx.machine.injection(t.src);
        let gap = fabric.links.link_type(link).gap;
        let occupied = gap.span(u64::from(next_packet.bytes)).max(next_packet.host);
        cx.counters.injected_packets += 1;
        fabric.links.end_stall(link, cx.now);
        self.send(packet, Hop { link, vc: t.vnet }, cx.now, cx.now + occupied, fabric, cx);
    }

    /// The response `packet` is ready to leave.
    #[inline(never)]
    pub fn enqueue_response(
        &mut self,
        packet: PacketId,
        at: NicId,
        fabric: &mut Fabric,
        cx: &mut Cx<'_>,
    ) {
        self.nics.enqueue_response(packet, at, &mut fabric.packets);
        self.pump(at, fabric, cx);
    }

    /// Sends the next response, if the credit and, for its data, the host interface permit it.
    #[inline(never)]
    fn send_response(&mut self, src: NicId, fabric: &mut Fabric, cx: &mut Cx<'_>) -> bool {
        let link = cx.machine.injection(src);
        let packet = PacketId(self.nics.nic(src).response_queue.first);
        let p = &fabric.packets[packet];
        let (bytes, next, vacated) = (p.bytes, p.next, p.buffer());
        let hop = Hop { link, vc: RESPONSE_VNET };
        if !fabric.links.has_credit(hop, bytes, cx.now) {
            fabric.links.wake_on_credit(link, RESPONSE_VNET, cx);
            return false;
        }
        let payload = u64::from(bytes) - self.nics.params.response;
        let (shared_time, host) = self.nics.host_takes(payload);
        if !self.nics.host_sends(src, shared_time, cx) {
            return false;
        }
        self.nics.remove_response(src, next);
        let occupied = fabric.links.link_type(link).gap.span(u64::from(bytes)).max(host);
        let p = &mut fabric.packets[packet];
        (p.born, p.tail) = (cx.now, cx.now);
        self.send(packet, hop, cx.now, cx.now + occupied, fabric, cx);
        // The data of the request have been taken: its buffer is free once the response has the
        // injection link.
        fabric.free_buffer(vacated, cx.now, cx);
        true
    }
}
