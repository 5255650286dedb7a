//! NICs: from a command to packets on the injection link, and from packets to a completion.

use base::{Slab, Span, Time};
use des::Phase;
use machine::{Hop, LinkId, NicId, Route, SwitchId};
use net::{Completion, Cx, Message, MsgId, Origin};

use crate::pending_acks::{AckLine, PendingAcks};
use crate::responses::ResponseQueue;
use crate::{
    AckLineId, Arrival, ArrivalId, NEVER, NONE, Packet, PacketEvent, PacketId, PacketNetwork,
    Transit, TransitId, mark,
};

/// Which direction uses the host interface next if both wait for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Direction {
    Send,
    Receive,
}

/// Two cache lines. The second is touched only if the window is nearly full, the host interface is
/// behind, or responses are queued.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Nic {
    /// Earliest time at which the NIC can process the next command.
    pub next_command_at: Time,
    /// When the host interface can receive the next packet, and when its shared part is free.
    pub receive_free_at: Time,
    pub shared_free_at: Time,
    /// Ready time of its next message, if known in advance; otherwise in the past.
    pub ready: Time,
    /// The round-robin list ("round") of messages with packets to send, one packet per turn.
    pub first: u32,
    pub last: u32,
    /// First packet at the end of the ejection link that the host interface has not taken.
    pub held: u32,
    /// Packets sent and not acknowledged, as of the last check.
    pub in_flight: u32,
    pub next_direction: Direction,
    /// The sending side waits for the host interface.
    pub send_waits: bool,
    /// It could send, but the window is full.
    pub waits_for_window: bool,
    /// Responses are ready to leave.
    pub has_responses: bool,
    /// Some destinations are throttled: see `n_throttles`.
    pub is_throttled: bool,
    /// A response goes next if both it and a request can.
    pub response_next: bool,
    /// Arrivals of heads from the switch that are scheduled as events. The counter saturates; then
    /// no receipt is computed in advance any more.
    pub heads_in_flight: u16,
    /// Acknowledgements in transit.
    pub acks: PendingAcks,
    /// Time of the valid `Host` event; `NEVER` if none is pending.
    pub host_event_at: Time,
    /// Last of the held packets.
    pub held_last: u32,
    /// Time of the valid `Ack` event; `NEVER` if none is pending.
    pub ack_event_at: Time,
    pub response_queue: ResponseQueue,
    /// Packets sent that were responses; the link counts all packets.
    pub responses: u64,
    /// Number of throttled destinations.
    pub n_throttles: u32,
    /// With throttled destinations: a message of the round. All messages before it send on endpoint
    /// credits. None if unknown.
    pub credited_until: u32,
}

const _: () = assert!(std::mem::offset_of!(Nic, host_event_at) == 64 && size_of::<Nic>() == 128);

impl Nic {
    pub const IDLE: Nic = Nic {
        next_command_at: Time::ZERO,
        receive_free_at: Time::ZERO,
        shared_free_at: Time::ZERO,
        first: NONE,
        last: NONE,
        held: NONE,
        held_last: NONE,
        in_flight: 0,
        acks: PendingAcks::EMPTY,
        ack_event_at: NEVER,
        waits_for_window: false,
        has_responses: false,
        response_queue: ResponseQueue::EMPTY,
        responses: 0,
        response_next: false,
        is_throttled: false,
        n_throttles: 0,
        credited_until: NONE,
        next_direction: Direction::Send,
        send_waits: false,
        host_event_at: NEVER,
        ready: Time::ZERO,
        heads_in_flight: 0,
    };
}

/// Below this number of unacknowledged packets the acknowledgements are not counted.
const ACK_CHECK_MIN: u32 = 16;

impl Nic {
    /// Whether the window admits one more packet.
    #[inline(always)]
    fn has_window(
        &mut self,
        window: u32,
        now: Time,
        ack_lines: &mut Slab<AckLineId, AckLine>,
    ) -> bool {
        if self.in_flight >= window.min(ACK_CHECK_MIN) {
            self.in_flight -= self.acks.drain(now, ack_lines);
        }
        self.in_flight < window
    }

    /// Whether it counts acknowledgements before it sends.
    #[inline]
    pub fn checks_acks(&self) -> bool {
        self.in_flight >= ACK_CHECK_MIN
    }

    /// Whether a packet or a message waits for its host interface.
    #[inline(always)]
    fn is_waited_for(&self) -> bool {
        self.held != NONE || self.send_waits
    }

    /// When a packet whose head arrives at `head` is taken, if that is certain: no other packet
    /// arrives or waits to be received, and nothing is sent before.
    #[inline(always)]
    fn host_start(&self, head: Time) -> Option<Time> {
        let at = head.max(self.receive_free_at).max(self.shared_free_at);
        // At the instant of its arrival it precedes a message that becomes ready; later it does
        // not.
        let is_before = at < self.ready || at == head && at == self.ready;
        let takes_next = self.heads_in_flight == 0 && self.held == NONE;
        // Messages to a throttled destination may be released at any time. Responses need no time
        // of the host interface here, since messages known in advance return no data.
        let sends_none = self.first == NONE && !self.send_waits && !self.is_throttled;
        (is_before && takes_next && sends_none).then_some(at)
    }

    /// Reserves the shared part of the host interface for a packet that occupies it for
    /// `shared_time`, if it is free. The other direction then has the next turn.
    #[inline(always)]
    fn try_reserve_host(&mut self, shared_time: Span, now: Time) -> bool {
        if shared_time == Span::ZERO {
            return true;
        }
        if self.shared_free_at > now
            || (self.held != NONE && self.next_direction == Direction::Receive)
        {
            return false;
        }
        self.shared_free_at = now + shared_time;
        self.next_direction = Direction::Receive;
        true
    }
}

impl Packet {
    /// A packet of a message, with wire bytes, draw and marks, that leaves its NIC at `born`.
    #[inline(always)]
    fn of(t: &Transit, bytes: u16, (draw, marks): (u64, u8), born: Time) -> Packet {
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

/// The next packet of a message: payload, wire bytes, and the times it occupies the shared part of
/// the host interface and one direction of it.
struct NextPacket {
    payload: u64,
    bytes: u16,
    shared_time: Span,
    host: Span,
}

impl PacketNetwork {
    /// A command reaches the NIC. The message is ready to send after the NIC's latencies.
    pub(crate) fn command(&mut self, id: MsgId, msg: Message, cx: &mut Cx<'_>) {
        let Message { src, bytes, origin, completion, .. } = msg;
        let moved = bytes.max(completion.response_bytes());
        let ready = self.ready_at(src, origin, bytes, moved, cx.now);
        let transit = self.open_message(id, msg, cx);
        if ready > cx.now {
            let transit = self.transits.insert(transit);
            cx.at(ready, Phase::Arrive, PacketEvent::Ready { nic: src, transit });
        } else {
            self.start(transit, cx);
        }
    }

    /// Ready time of a message of `bytes` issued at `at`; `moved` is the larger of the bytes sent
    /// and returned.
    #[inline]
    pub(crate) fn ready_at(
        &mut self,
        src: NicId,
        origin: Origin,
        bytes: u64,
        moved: u64,
        at: Time,
    ) -> Time {
        if origin == Origin::Response {
            return at;
        }
        let nic = &mut self.nics[src];
        let enter = nic.next_command_at.max(at);
        nic.next_command_at = enter + self.params.message_gap;
        let before = self.params.send_latency + self.params.block_start(moved);
        enter + before + origin.fetch(bytes, &self.params)
    }

    /// Creates the state of a message at both ends.
    #[inline(always)]
    pub(crate) fn open_message(&mut self, id: MsgId, msg: Message, cx: &mut Cx<'_>) -> Transit {
        let Message { src, dst, bytes, vnet, completion, draw, in_order, handling, .. } = msg;
        debug_assert!(src != dst, "a message to oneself does not use the network");
        let response_bytes = completion.response_bytes();
        let packets = match bytes.max(response_bytes) {
            few if few <= self.params.packet_payload => 1,
            many => many.div_ceil(self.params.packet_payload),
        };
        let missing = u32::try_from(packets).expect("a message of less than 2^32 packets");
        let completion_delay = msg.completion_delay(&self.params);
        // A put's completion is reported by the NIC alone, without handling.
        let handling = if completion == Completion::Initiator(0) { Span::ZERO } else { handling };
        let handling = u32::try_from(handling.0).expect("a NIC's times are at most 100 us");
        let staging_lead = msg.staging_lead(&self.params);
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
            response_bytes,
            initiator,
        };
        let none = ArrivalId(NONE);
        let initiator = if completion == Completion::Target {
            none
        } else {
            self.expect_responses(arrival(none))
        };
        let arrival = self.open(|| arrival(initiator), dst, cx.machine);
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
    pub(crate) fn start(&mut self, transit: Transit, cx: &mut Cx<'_>) {
        if !self.send_single_packet(&transit, cx) {
            let transit = self.transits.insert(transit);
            self.enqueue_message(transit, cx);
        }
    }

    /// Fast path for a message of one packet on an idle NIC. Fails if the link, the window, the
    /// credit or the host interface does not permit it. Most messages take this path; the result
    /// equals that of `pump`.
    #[inline(always)]
    fn send_single_packet(&mut self, t: &Transit, cx: &mut Cx<'_>) -> bool {
        let (now, link, vc) = (cx.now, cx.machine.injection(t.src), t.vnet);
        let next_packet = self.next_packet_of(t);
        let (nic, port) = (&mut self.nics[t.src], &mut self.ports[link]);
        let is_idle = nic.first == NONE && !nic.has_responses && !nic.is_throttled && self.is_plain;
        if !is_idle || t.packets > 1 || t.flow != NONE {
            return false;
        }
        let link_type = &self.link_types[port.link_type];
        if port.free_at > now || !nic.has_window(self.params.window, now, &mut self.ack_lines) {
            return false;
        }
        let at = self.layout.first(link) + usize::from(vc);
        let (credit, cells) = (&mut self.credits[at], link_type.cell.of_packet(next_packet.bytes));
        let goes = link_type.admits(cells, credit, || &mut self.channels[at], now)
            && nic.try_reserve_host(next_packet.shared_time, now);
        if !goes {
            return false;
        }
        *credit -= cells;
        nic.response_next = true;
        nic.in_flight += 1;
        cx.counters.injected_packets += 1;
        debug_assert!(!port.stalled, "no packet waits");
        let packet =
            self.packets.insert_with(|| Packet::of(t, next_packet.bytes, (t.draw, 0), now));
        let p = &mut self.packets[packet];
        let hop = Hop { link, vc };
        let gone = now + link_type.gap.span(next_packet.bytes.into()).max(next_packet.host);
        let entered = port.carry(p, hop, link_type, cells, now, gone);
        self.schedule_arrival(packet, hop, &entered, cx);
        true
    }

    /// Appends the message to its NIC's round, unless another message of its flow is there.
    pub(crate) fn enqueue_message(&mut self, transit: TransitId, cx: &mut Cx<'_>) {
        let Transit { src, flow, .. } = self.transits[transit];
        if flow == NONE || self.enters_round(transit) {
            self.append_to_round(src, transit);
            self.pump(src, cx);
        }
    }

    /// Appends `transit` to its NIC's round.
    pub(crate) fn append_to_round(&mut self, src: NicId, transit: TransitId) {
        let t = &mut self.transits[transit];
        t.next = NONE;
        let nic = self.shares.sender(&mut self.nics, src, t.vnet);
        match nic.last {
            NONE => nic.first = transit.0,
            last => self.transits[TransitId(last)].next = transit.0,
        }
        nic.last = transit.0;
    }

    /// The first message in the round of a class, if the window and the credit permit it.
    #[inline(always)]
    pub(crate) fn first_sendable(
        &mut self,
        src: NicId,
        class: u8,
        cx: &mut Cx<'_>,
    ) -> Option<TransitId> {
        let nic = self.shares.sender(&mut self.nics, src, class);
        if nic.first == NONE {
            return None;
        }
        if !nic.has_window(self.params.window, cx.now, &mut self.ack_lines) {
            self.await_ack(src, class, cx);
            return None;
        }
        if nic.is_throttled && !self.skip_throttled(src, class) {
            return None;
        }
        let first = TransitId(self.shares.sender(&mut self.nics, src, class).first);
        let Transit { unsent, vnet, .. } = self.transits[first];
        let bytes = (unsent.min(self.params.packet_payload) + self.params.packet_overhead) as u16;
        let link = cx.machine.injection(src);
        if !self.has_credit(Hop { link, vc: vnet }, bytes, cx.now) {
            self.wake_on_credit(link, vnet, cx);
            self.stall(link, cx.now);
            return None;
        }
        Some(first)
    }

    /// Sends the next packet if the link, the window, the credit and the host interface permit it.
    /// Each of them calls this again when it changes.
    pub(crate) fn pump(&mut self, src: NicId, cx: &mut Cx<'_>) {
        let link = cx.machine.injection(src);
        let nic = &self.nics[src];
        let has_responses = nic.has_responses;
        if nic.first == NONE && !has_responses && !self.has_other_message(src) {
            return;
        }
        if self.ports[link].free_at > cx.now {
            return self.arm(link, cx);
        }
        let sent =
            if has_responses { self.send_in_turns(src, cx) } else { self.send_next(src, cx) };
        let nic = &self.nics[src];
        if sent && (nic.first != NONE || nic.has_responses || self.has_other_message(src)) {
            self.arm(link, cx);
        }
    }

    /// Sends the next packet of the round over the free link, if possible.
    #[inline(always)]
    pub(crate) fn send_next(&mut self, src: NicId, cx: &mut Cx<'_>) -> bool {
        let chosen = if self.shares.is_off() {
            self.first_sendable(src, 0, cx)
        } else {
            self.first_by_class(src, cx)
        };
        let Some(transit) = chosen else { return false };
        let t = self.transits[transit];
        let Transit { throttle, flow, .. } = t;
        let next_packet = self.next_packet_of(&t);
        if !self.host_sends(src, next_packet.shared_time, cx) {
            return false;
        }
        let nic = self.shares.sender(&mut self.nics, src, t.vnet);
        nic.first = t.next;
        if nic.first == NONE {
            nic.last = NONE;
        }
        let packet = self.make_packet(&t, &next_packet, cx.now);
        let rest = &mut self.transits[transit];
        rest.made += 1;
        rest.unsent -= next_packet.payload;
        let mut after = (rest.made < rest.packets).then_some(transit);
        if after.is_none() {
            self.transits.free(transit);
            if flow != NONE {
                after = self.next_of_flow(flow);
            }
        }
        if self.shares.sender(&mut self.nics, src, t.vnet).is_throttled {
            self.sent_while_throttled((transit, throttle), packet, after, src, cx);
        } else if let Some(after) = after {
            self.append_to_round(src, after);
        }
        self.inject_packet(packet, &t, &next_packet, cx);
        true
    }

    /// Size and times of the next packet of a message.
    #[inline(always)]
    fn next_packet_of(&self, t: &Transit) -> NextPacket {
        let payload = t.unsent.min(self.params.packet_payload);
        let (mut shared_time, host) = self.host_takes(payload);
        if t.made == 0 && t.packets > 1 {
            shared_time += self.params.multipacket_message;
        }
        NextPacket {
            payload,
            bytes: (payload + self.params.packet_overhead) as u16,
            shared_time,
            host,
        }
    }

    /// Creates the next packet of a message and counts it as sent.
    #[inline(always)]
    fn make_packet(&mut self, t: &Transit, next_packet: &NextPacket, now: Time) -> PacketId {
        self.nics[t.src].response_next = true;
        self.shares.sender(&mut self.nics, t.src, t.vnet).in_flight += 1;
        let own = Message::packet_draw(t.draw, t.made);
        let draw_and_marks = match t.flow {
            NONE => (own, 0),
            flow => self.join_flow(flow, own, now),
        };
        self.packets.insert_with(|| Packet::of(t, next_packet.bytes, draw_and_marks, now))
    }

    /// `packet` leaves its NIC by the free link.
    #[inline(always)]
    fn inject_packet(
        &mut self,
        packet: PacketId,
        t: &Transit,
        next_packet: &NextPacket,
        cx: &mut Cx<'_>,
    ) {
        let link = cx.machine.injection(t.src);
        let occupied =
            self.link_type(link).gap.span(u64::from(next_packet.bytes)).max(next_packet.host);
        cx.counters.injected_packets += 1;
        if self.ports[link].stalled {
            self.unstall(link, cx.now);
        }
        self.send(packet, Hop { link, vc: t.vnet }, cx.now, cx.now + occupied, cx);
    }

    /// Times for which `payload` bytes occupy the shared part of the host interface, and one
    /// direction of it.
    #[inline(always)]
    pub(crate) fn host_takes(&self, payload: u64) -> (Span, Span) {
        if self.host_is_unlimited {
            return (Span::ZERO, Span::ZERO);
        }
        let shared_time = self.params.host_gap.span(payload);
        (shared_time, shared_time.max(self.params.host_gap_one_way.span(payload)))
    }

    /// Reserves the host interface of `at` for a packet to be sent, as `try_reserve_host`. If it is
    /// busy, the NIC is called again when it is free.
    #[inline]
    pub(crate) fn host_sends(&mut self, at: NicId, shared_time: Span, cx: &mut Cx<'_>) -> bool {
        let nic = &mut self.nics[at];
        let sends = nic.try_reserve_host(shared_time, cx.now);
        if !sends {
            let is_armed = nic.is_waited_for();
            nic.send_waits = true;
            self.arm_host(at, is_armed, cx);
        }
        sends
    }

    /// The head of `packet` is at the end of its ejection link.
    pub(crate) fn receive(&mut self, packet: PacketId, at: NicId, cx: &mut Cx<'_>) {
        let p = &mut self.packets[packet];
        debug_assert_eq!(p.dst, at, "a packet ended at the wrong NIC");
        let nic = &mut self.nics[at];
        nic.heads_in_flight -= u16::from(nic.heads_in_flight < u16::MAX);
        if nic.held == NONE
            && nic.receive_free_at <= cx.now
            && nic.shared_free_at <= cx.now
            && !nic.send_waits
        {
            return self.pass_to_host(packet, at, cx.now, cx);
        }
        p.next = NONE;
        let is_armed = nic.is_waited_for();
        match nic.held {
            NONE => nic.held = packet.0,
            _ => self.packets[PacketId(nic.held_last)].next = packet.0,
        }
        nic.held_last = packet.0;
        self.arm_host(at, is_armed, cx);
    }

    /// Schedules the next decision about a busy host interface. `is_armed` is false if no event can
    /// be pending, which avoids a read of the other cache line of the NIC.
    fn arm_host(&mut self, at: NicId, is_armed: bool, cx: &mut Cx<'_>) {
        let nic = &mut self.nics[at];
        debug_assert!(
            is_armed || nic.host_event_at == NEVER,
            "nothing waited for the host interface"
        );
        // A waiting sender needs the shared part only; a held packet also needs its own direction.
        let ready = if nic.send_waits {
            nic.shared_free_at
        } else {
            nic.shared_free_at.max(nic.receive_free_at)
        };
        let when = ready.max(Time(cx.now.0 + 1));
        if !is_armed || when < nic.host_event_at {
            nic.host_event_at = when;
            cx.at(when, Phase::Decide, PacketEvent::Host { nic: at });
        }
    }

    /// The host interface is free: the two directions take turns.
    pub(crate) fn serve_host(&mut self, at: NicId, cx: &mut Cx<'_>) {
        let nic = &mut self.nics[at];
        if nic.host_event_at != cx.now {
            return; // Superseded by an earlier decision.
        }
        nic.host_event_at = NEVER;
        let can_take =
            nic.held != NONE && nic.receive_free_at <= cx.now && nic.shared_free_at <= cx.now;
        if can_take && !(nic.send_waits && nic.next_direction == Direction::Send) {
            let packet = PacketId(nic.held);
            nic.held = self.packets[packet].next;
            if nic.held == NONE {
                nic.held_last = NONE;
            }
            self.pass_to_host(packet, at, cx.now, cx);
        } else if nic.send_waits && nic.shared_free_at <= cx.now {
            nic.send_waits = false;
            nic.next_direction = Direction::Send;
            self.pump(at, cx);
        }
        let nic = &self.nics[at];
        if nic.is_waited_for() {
            self.arm_host(at, nic.host_event_at != NEVER, cx);
        }
    }

    /// When `at` takes a packet whose head arrives at `head`, if known (`Nic::host_start`).
    /// Otherwise its arrival becomes an event.
    #[inline(always)]
    pub(crate) fn known_host_start(&mut self, at: NicId, head: Time) -> Option<Time> {
        let nic = &mut self.nics[at];
        let start = nic.host_start(head).filter(|_| self.is_plain);
        if start.is_none() {
            nic.heads_in_flight = nic.heads_in_flight.saturating_add(1);
        }
        start
    }

    /// Payload of a packet with `bytes` on the wire.
    #[inline]
    pub(crate) fn payload(&self, bytes: u16, vnet: u8) -> u64 {
        let is_response = self.is_response(vnet);
        let headers = if is_response { self.params.response } else { self.params.packet_overhead };
        u64::from(bytes) - headers
    }

    /// The host interface takes `packet` at `now`, which may be computed before the packet arrives.
    /// The buffer is free when the tail has passed the host interface.
    #[inline]
    pub(crate) fn pass_to_host(&mut self, packet: PacketId, at: NicId, now: Time, cx: &mut Cx<'_>) {
        let p = self.packets[packet];
        let Packet { arrival, route, vnet, .. } = p;
        let is_response = self.is_response(vnet);
        let payload = self.payload(p.bytes, vnet);
        let (shared_time, host) = self.host_takes(payload);
        let done = (now + host).max(p.tail);
        if host > Span::ZERO {
            let nic = &mut self.nics[at];
            nic.receive_free_at = done;
            nic.shared_free_at = nic.shared_free_at.max(now + shared_time);
            nic.next_direction = Direction::Send;
        }
        if is_response {
            return self.receive_response(packet, at, done, cx);
        }
        cx.counters.delivered_packets += 1;
        cx.counters.delivered_payload += payload;
        cx.counters.hops += u64::from(route.hops) + 1;
        cx.counters.nonminimal += u64::from(!route.is_minimal());
        if self.params.response > 0 {
            return self.respond_to(packet, at, done, cx);
        }
        self.packets.free(packet);
        self.free_buffer(p.buffer(), done, cx);
        let src = self.packet_arrived(arrival, at, (payload, done), cx);
        // The acknowledgement is not a packet: it takes the latencies of the packet's links.
        let ack_at = done + Span(u64::from(p.traveled));
        match arrival.origin() {
            None => self.expect_ack(src, vnet, ack_at, cx),
            Some((shard, _)) => self.mail_ack(shard, src, vnet, ack_at),
        }
        if p.marks & mark::ORDERED != 0 {
            self.acknowledge_flow(p.draw as u32, ack_at);
        }
    }

    /// An acknowledgement arrives at `ack_at`.
    #[inline]
    pub(crate) fn expect_ack(&mut self, src: NicId, vnet: u8, ack_at: Time, cx: &mut Cx<'_>) {
        let sender = self.shares.sender(&mut self.nics, src, vnet);
        sender.acks.add(ack_at, &mut self.ack_lines);
        if sender.waits_for_window {
            self.await_ack(src, vnet, cx);
        }
    }

    /// A packet of the message has arrived at `at`, the end that reports completion. Returns the
    /// sender of the message.
    #[inline(always)]
    pub(crate) fn packet_arrived(
        &mut self,
        id: ArrivalId,
        at: NicId,
        (payload, done): (u64, Time),
        cx: &mut Cx<'_>,
    ) -> NicId {
        let is_full = payload == self.params.packet_payload;
        let a = self.arrival(id);
        let (src, is_first) = (a.src, a.done == Time::ZERO);
        a.done = a.done.max(if is_full { done + a.staging_lead } else { done });
        a.missing -= 1;
        if a.missing == 0 {
            let (msg, seen, handling) = (a.id, a.done + a.completion_delay, a.handling);
            if handling > 0 {
                let nic = &mut self.nics[at];
                nic.receive_free_at = nic.receive_free_at.max(done) + Span(u64::from(handling));
            }
            match self.faults {
                None => self.close(id, msg, seen, cx),
                Some(_) => self.finish_with_faults(id, cx),
            }
        } else if is_first {
            self.nics[at].shared_free_at += self.params.multipacket_message;
        }
        src
    }

    /// `src` cannot send because its window is full: the next acknowledgement becomes an event.
    pub(crate) fn await_ack(&mut self, src: NicId, vnet: u8, cx: &mut Cx<'_>) {
        let nic = self.shares.sender(&mut self.nics, src, vnet);
        nic.waits_for_window = true;
        // If none is in transit, `expect_ack` calls this again.
        let Some(due) = nic.acks.first(&self.ack_lines) else { return };
        let due = due.max(Time(cx.now.0 + 1));
        if due < nic.ack_event_at {
            nic.ack_event_at = due;
            cx.at(due, Phase::Arrive, PacketEvent::Ack { nic: src, vnet });
        }
    }

    /// An acknowledgement that the window waits for has arrived.
    pub(crate) fn acknowledge(&mut self, src: NicId, vnet: u8, cx: &mut Cx<'_>) {
        let nic = self.shares.sender(&mut self.nics, src, vnet);
        if nic.ack_event_at == cx.now {
            nic.ack_event_at = NEVER;
            nic.waits_for_window = false;
            self.pump(src, cx);
        }
    }
}

#[cfg(test)]
mod tests;
