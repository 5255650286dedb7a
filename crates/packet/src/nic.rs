//! State of NICs: host interfaces, windows, messages to send, and responses to send.
//!
//! `Nics` decides when a NIC may send or take a packet as far as its own state is concerned. Links
//! and credits are those of the fabric.

use base::{Gap, IndexVec, Slab, Span, Time, prefetch_all_at};
use des::Phase;
use machine::{LinkId, Machine, NicId, NicParams};
use net::{Counters, Cx, Origin};

use crate::event::PacketEvent;
use crate::link::Links;
use crate::message::Transit;
use crate::packet::{AckLineId, NEVER, NONE, Packet, PacketId, Packets, TransitId, is_response};
use crate::pending_acks::{AckLine, PendingAcks};

/// The responses that are ready to leave a NIC, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ResponseQueue {
    pub first: u32,
    pub last: u32,
}

impl ResponseQueue {
    pub const EMPTY: ResponseQueue = ResponseQueue { first: NONE, last: NONE };
}

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
    /// The send list: messages with packets to send, one packet each in round-robin order.
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
    /// With throttled destinations: a message of the send list. All messages before it send on
    /// endpoint credits. None if unknown.
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
    /// `shared_time`, if it is free. The other direction is then served next.
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

/// The next packet of a message: payload, wire bytes, and the times it occupies the shared part of
/// the host interface and one direction of it.
pub(crate) struct NextPacket {
    pub payload: u64,
    pub bytes: u16,
    pub shared_time: Span,
    pub host: Span,
}

/// What the free host interface does next.
pub(crate) enum HostAction {
    Take(PacketId),
    Send,
    Nothing,
}

/// All NICs, the messages that they send, and the acknowledgements that they expect.
pub(crate) struct Nics {
    pub params: NicParams,
    /// The host interfaces have no limit.
    pub host_is_unlimited: bool,
    all: IndexVec<NicId, Nic>,
    /// By class beyond the first, and NIC: the sending sides, which are separate for each class.
    other_senders: Vec<Nic>,
    pub ack_lines: Slab<AckLineId, AckLine>,
    pub transits: Slab<TransitId, Transit>,
}

impl Nics {
    /// NICs of which `n_classes` share links, 0 for a single class.
    pub fn new(machine: &Machine, n_classes: u8) -> Nics {
        let (n, params) = (machine.n_nics() as usize, machine.nic.clone());
        Nics {
            host_is_unlimited: params.host_gap == Gap::ZERO && params.host_gap_one_way == Gap::ZERO,
            params,
            all: IndexVec::filled(Nic::IDLE, n),
            other_senders: vec![Nic::IDLE; usize::from(n_classes.saturating_sub(1)) * n],
            ack_lines: Slab::with_capacity(n),
            transits: Slab::with_capacity(n),
        }
    }

    /// Number of NICs.
    #[inline]
    pub fn len(&self) -> usize {
        self.all.len()
    }

    #[inline(always)]
    pub fn nic(&self, nic: NicId) -> &Nic {
        &self.all[nic]
    }

    /// The sending side of a NIC for a virtual network: its send list and its window.
    #[inline(always)]
    pub fn sender(&mut self, nic: NicId, vnet: u8) -> &mut Nic {
        sender(&mut self.all, &mut self.other_senders, nic, vnet)
    }

    /// Whether the window of a sending side admits one more packet.
    #[inline(always)]
    pub fn has_window(&mut self, src: NicId, vnet: u8, now: Time) -> bool {
        let window = self.params.window;
        let nic = sender(&mut self.all, &mut self.other_senders, src, vnet);
        nic.has_window(window, now, &mut self.ack_lines)
    }

    /// Whether a NIC has messages of a class beyond the first.
    #[inline]
    pub fn has_other_message(&self, nic: NicId) -> bool {
        if self.other_senders.is_empty() {
            return false;
        }
        let mut by_class = self.other_senders.chunks_exact(self.all.len());
        by_class.any(|senders| senders[nic.0 as usize].first != NONE)
    }

    /// Whether a NIC has anything to send.
    #[inline]
    pub fn has_packet(&self, nic: NicId) -> bool {
        let Nic { first, has_responses, .. } = self.all[nic];
        first != NONE || has_responses || self.has_other_message(nic)
    }

    /// The NIC at the end of ejection link `link`.
    #[inline(always)]
    pub fn at_end_of(&self, link: LinkId) -> NicId {
        // Ejection links follow the injection links, in the order of their NICs.
        NicId(link.0 - self.all.len() as u32)
    }

    /// Ready time of a message of `bytes` issued at `at`; `moved` is the larger of the bytes sent
    /// and returned.
    #[inline]
    pub fn ready_at(
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
        let nic = &mut self.all[src];
        let enter = nic.next_command_at.max(at);
        nic.next_command_at = enter + self.params.message_gap;
        let before = self.params.send_latency + self.params.block_start(moved);
        enter + before + origin.fetch(bytes, &self.params)
    }

    /// Ready time of a message of `bytes` that `src` itself issues at `at`. The NIC then knows when
    /// it sends next.
    pub fn precompute_ready(&mut self, src: NicId, bytes: u64, at: Time) -> Time {
        let ready = self.ready_at(src, Origin::Nic, bytes, bytes, at);
        self.all[src].ready = ready;
        ready
    }

    /// The NIC does not know when it sends next.
    #[cfg(test)]
    pub fn clear_ready(&mut self, src: NicId) {
        self.all[src].ready = Time::ZERO;
    }

    /// Appends `transit` to its NIC's send list.
    pub fn append(&mut self, src: NicId, transit: TransitId) {
        self.transits[transit].next = NONE;
        let nic = self.sender(src, self.transits[transit].vnet);
        let last = std::mem::replace(&mut nic.last, transit.0);
        match last {
            NONE => nic.first = transit.0,
            last => self.transits[TransitId(last)].next = transit.0,
        }
    }

    /// Removes the first message of a send list; `next` is the one behind it.
    #[inline]
    pub fn remove_first(&mut self, src: NicId, vnet: u8, next: u32) {
        let nic = self.sender(src, vnet);
        nic.first = next;
        if next == NONE {
            nic.last = NONE;
        }
    }

    /// Size and times of the next packet of a message.
    #[inline(always)]
    pub fn next_packet(&self, t: &Transit) -> NextPacket {
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

    /// Times for which `payload` bytes occupy the shared part of the host interface, and one
    /// direction of it.
    #[inline(always)]
    pub fn host_takes(&self, payload: u64) -> (Span, Span) {
        if self.host_is_unlimited {
            return (Span::ZERO, Span::ZERO);
        }
        let shared_time = self.params.host_gap.span(payload);
        (shared_time, shared_time.max(self.params.host_gap_one_way.span(payload)))
    }

    /// Whether the window and the host interface permit a packet of a message, which then counts as
    /// sent. Only if traffic classes share no links.
    #[inline(always)]
    pub fn try_send(&mut self, src: NicId, shared_time: Span, now: Time) -> bool {
        let nic = &mut self.all[src];
        let goes = nic.has_window(self.params.window, now, &mut self.ack_lines)
            && nic.try_reserve_host(shared_time, now);
        if goes {
            nic.response_next = true;
            nic.in_flight += 1;
        }
        goes
    }

    /// Counts a packet of a message as sent.
    #[inline(always)]
    pub fn count_sent(&mut self, src: NicId, vnet: u8) {
        self.all[src].response_next = true;
        self.sender(src, vnet).in_flight += 1;
    }

    /// A packet will never be acknowledged.
    pub fn count_lost(&mut self, src: NicId, vnet: u8) {
        self.sender(src, vnet).in_flight -= 1;
    }

    /// Reserves the host interface of `at` for a packet to be sent, as `try_reserve_host`. If it is
    /// busy, an event follows when it is free.
    #[inline]
    pub fn host_sends(&mut self, at: NicId, shared_time: Span, cx: &mut Cx<'_>) -> bool {
        let nic = &mut self.all[at];
        let sends = nic.try_reserve_host(shared_time, cx.now);
        if !sends {
            let is_armed = nic.is_waited_for();
            nic.send_waits = true;
            self.arm_host(at, is_armed, cx);
        }
        sends
    }

    /// The head of `packet` is at the end of its ejection link. Returns whether the host interface
    /// takes it now; otherwise the packet is held.
    #[inline]
    pub fn receive(
        &mut self,
        packet: PacketId,
        at: NicId,
        packets: &mut Packets,
        cx: &mut Cx<'_>,
    ) -> bool {
        let p = &mut packets[packet];
        debug_assert_eq!(p.dst, at, "a packet ended at the wrong NIC");
        let nic = &mut self.all[at];
        nic.heads_in_flight -= u16::from(nic.heads_in_flight < u16::MAX);
        if nic.held == NONE
            && nic.receive_free_at <= cx.now
            && nic.shared_free_at <= cx.now
            && !nic.send_waits
        {
            return true;
        }
        p.next = NONE;
        let is_armed = nic.is_waited_for();
        match nic.held {
            NONE => nic.held = packet.0,
            _ => packets[PacketId(nic.held_last)].next = packet.0,
        }
        nic.held_last = packet.0;
        self.arm_host(at, is_armed, cx);
        false
    }

    /// Schedules the next decision about a busy host interface. `is_armed` is false if no event can
    /// be pending, which avoids a read of the other cache line of the NIC.
    fn arm_host(&mut self, at: NicId, is_armed: bool, cx: &mut Cx<'_>) {
        let nic = &mut self.all[at];
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

    /// A `Host` event occurs. None if an earlier decision has superseded it. The two directions
    /// alternate.
    #[inline]
    pub fn host_event(&mut self, at: NicId, packets: &Packets, now: Time) -> Option<HostAction> {
        let nic = &mut self.all[at];
        if nic.host_event_at != now {
            return None;
        }
        nic.host_event_at = NEVER;
        let can_take = nic.held != NONE && nic.receive_free_at <= now && nic.shared_free_at <= now;
        if can_take && !(nic.send_waits && nic.next_direction == Direction::Send) {
            let packet = PacketId(nic.held);
            nic.held = packets[packet].next;
            if nic.held == NONE {
                nic.held_last = NONE;
            }
            return Some(HostAction::Take(packet));
        }
        if nic.send_waits && nic.shared_free_at <= now {
            nic.send_waits = false;
            nic.next_direction = Direction::Send;
            return Some(HostAction::Send);
        }
        Some(HostAction::Nothing)
    }

    /// Schedules the next decision about a host interface, if a packet or a message waits for it.
    #[inline]
    pub fn rearm_host(&mut self, at: NicId, cx: &mut Cx<'_>) {
        let nic = &self.all[at];
        if nic.is_waited_for() {
            self.arm_host(at, nic.host_event_at != NEVER, cx);
        }
    }

    /// When `at` takes a packet whose head arrives at `head`, if known (`Nic::host_start`).
    /// Otherwise its arrival becomes an event. Never known with traffic classes or faults, which
    /// are absent if `is_plain`.
    #[inline(always)]
    pub fn known_host_start(&mut self, at: NicId, head: Time, is_plain: bool) -> Option<Time> {
        let nic = &mut self.all[at];
        let start = nic.host_start(head).filter(|_| is_plain);
        if start.is_none() {
            nic.heads_in_flight = nic.heads_in_flight.saturating_add(1);
        }
        start
    }

    /// A packet that takes `shared_time` and `host` passes the host interface from `now` until
    /// `done`.
    #[inline]
    pub fn occupy_host(
        &mut self,
        at: NicId,
        (shared_time, host): (Span, Span),
        now: Time,
        done: Time,
    ) {
        if host > Span::ZERO {
            let nic = &mut self.all[at];
            nic.receive_free_at = done;
            nic.shared_free_at = nic.shared_free_at.max(now + shared_time);
            nic.next_direction = Direction::Send;
        }
    }

    /// A message that is complete at `done` occupies the receiving side of `at` for `handling`.
    #[inline(always)]
    pub fn handle_message(&mut self, at: NicId, done: Time, handling: Span) {
        let nic = &mut self.all[at];
        nic.receive_free_at = nic.receive_free_at.max(done) + handling;
    }

    /// The first packet of a message of several has arrived at `at`.
    #[inline(always)]
    pub fn begin_message(&mut self, at: NicId) {
        self.all[at].shared_free_at += self.params.multipacket_message;
    }

    /// The earliest time at which `p`, in transit to its last switch, can enter the ejection link
    /// and cross it without a pause. It requests the link no earlier, so others can use it.
    #[inline(never)]
    pub fn contiguous_start(&self, p: &Packet, links: &Links) -> Time {
        let ejection = LinkId(self.all.len() as u32 + p.dst.0);
        let ejection_time = links.link_type(ejection).gap.span(u64::from(p.bytes));
        let (_, host) = self.host_takes(self.payload(p.bytes, p.vnet));
        // An ejection link with fewer lanes may need longer than the elapsed time of the run.
        Time(p.tail.0.saturating_sub(ejection_time.max(host).0))
    }

    #[inline]
    pub fn is_response(&self, vnet: u8) -> bool {
        is_response(vnet, &self.params)
    }

    /// Payload of a packet with `bytes` on the wire.
    #[inline]
    pub fn payload(&self, bytes: u16, vnet: u8) -> u64 {
        let is_response = self.is_response(vnet);
        let headers = if is_response { self.params.response } else { self.params.packet_overhead };
        u64::from(bytes) - headers
    }

    /// An acknowledgement arrives at `ack_at`.
    #[inline]
    pub fn expect_ack(&mut self, src: NicId, vnet: u8, ack_at: Time, cx: &mut Cx<'_>) {
        let sender = sender(&mut self.all, &mut self.other_senders, src, vnet);
        sender.acks.add(ack_at, &mut self.ack_lines);
        if sender.waits_for_window {
            self.await_ack(src, vnet, cx);
        }
    }

    /// `src` cannot send because its window is full: the next acknowledgement becomes an event.
    pub fn await_ack(&mut self, src: NicId, vnet: u8, cx: &mut Cx<'_>) {
        let nic = sender(&mut self.all, &mut self.other_senders, src, vnet);
        nic.waits_for_window = true;
        // If none is in transit, `expect_ack` calls this again.
        let Some(due) = nic.acks.first(&self.ack_lines) else { return };
        let due = due.max(Time(cx.now.0 + 1));
        if due < nic.ack_event_at {
            nic.ack_event_at = due;
            cx.at(due, Phase::Arrive, PacketEvent::Ack { nic: src, vnet });
        }
    }

    /// An `Ack` event occurs. Returns whether the window waits for it.
    #[inline]
    pub fn acknowledge(&mut self, src: NicId, vnet: u8, now: Time) -> bool {
        let nic = self.sender(src, vnet);
        let is_expected = nic.ack_event_at == now;
        if is_expected {
            nic.ack_event_at = NEVER;
            nic.waits_for_window = false;
        }
        is_expected
    }

    /// Appends the response `packet` to those that are ready to leave.
    #[inline(never)]
    pub fn enqueue_response(&mut self, packet: PacketId, at: NicId, packets: &mut Packets) {
        let nic = &mut self.all[at];
        match nic.response_queue.last {
            NONE => nic.response_queue.first = packet.0,
            last => packets[PacketId(last)].next = packet.0,
        }
        nic.response_queue.last = packet.0;
        nic.has_responses = true;
    }

    /// The first response leaves; `next` is the one behind it.
    #[inline]
    pub fn remove_response(&mut self, at: NicId, next: u32) {
        let nic = &mut self.all[at];
        nic.response_next = false;
        nic.responses += 1;
        nic.response_queue.first = next;
        if next == NONE {
            nic.response_queue.last = NONE;
            nic.has_responses = false;
        }
    }

    /// Prefetches the first cache line of a NIC.
    #[inline]
    pub fn prefetch(&self, nic: NicId) {
        self.all.prefetch(nic);
    }

    /// Prefetches both cache lines of a NIC.
    #[inline]
    pub fn prefetch_whole(&self, nic: NicId) {
        prefetch_all_at(&self.all.raw, nic.0 as usize);
    }

    /// Adds the requests of each NIC to `counters`.
    pub fn report(&self, links: &Links, counters: &mut Counters) {
        for (nic, state) in self.all.iter() {
            // An injection link has the number of its NIC.
            let requests = links.port(LinkId(nic.0)).packets - state.responses;
            if requests > 0 {
                counters.nic(nic).requests += requests;
            }
        }
    }

    /// Asserts that no NIC holds messages or packets, or expects an event.
    pub fn assert_idle(&self, links: &Links, machine: &Machine) {
        assert_eq!(self.transits.live(), 0, "messages left with their senders");
        let is_checked = |nic: NicId| {
            let ends = [machine.injection(nic), machine.ejection(nic)];
            ends.iter().any(|&link| links.is_checked(link))
        };
        let nics = self.all.iter().filter(|&(id, _)| is_checked(id)).map(|(id, nic)| (id.0, nic));
        for (id, nic) in nics.chain((0..).zip(&self.other_senders)) {
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
    pub fn held(&self) -> usize {
        size_of_val(&self.all.raw[..])
            + size_of_val(&self.other_senders[..])
            + self.ack_lines.bytes()
            + self.transits.bytes()
    }
}

/// `Nics::sender`, which leaves the other fields accessible.
#[inline(always)]
fn sender<'a>(
    all: &'a mut IndexVec<NicId, Nic>,
    other_senders: &'a mut [Nic],
    nic: NicId,
    vnet: u8,
) -> &'a mut Nic {
    if other_senders.is_empty() || vnet == 0 {
        return &mut all[nic];
    }
    &mut other_senders[(usize::from(vnet) - 1) * all.len() + nic.0 as usize]
}
