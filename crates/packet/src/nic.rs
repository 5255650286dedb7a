//! NICs: from a command to packets on the injection link, and from packets to a completion.

use base::{Slab, Span, Time};
use des::Phase;
use machine::{Hop, LinkId, NicId, Route, SwitchId};
use net::{Completion, Cx, Message, MsgId, Origin};

use crate::due::{Due, DueList};
use crate::responses::Owed;
use crate::{
    Arrival, ArrivalId, DueId, NEVER, NONE, Packet, PacketEvent, PacketId, PacketNetwork, Transit,
    TransitId, mark,
};

/// Whose turn it is when both directions want the host interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Turn {
    Send,
    Receive,
}

/// Two cache lines; the second is touched only by a NIC whose window is nearly full, whose host
/// interface is behind, or that owes responses.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Nic {
    /// When the next command may enter.
    pub enters: Time,
    /// When the host interface can take the next packet in, and when it can move one either way.
    pub takes: Time,
    pub moves: Time,
    /// When the next of its messages is ready, if that is foretold; else an instant that is over.
    pub ready: Time,
    /// The round of messages that have packets to send.
    pub first: u32,
    pub last: u32,
    /// Packets at the end of the ejection link that the host interface has not taken: the first.
    pub held: u32,
    /// Packets sent and not acknowledged, as of the last look.
    pub in_flight: u32,
    pub turn: Turn,
    /// The sending side waits for the host interface.
    pub send_waits: bool,
    /// A full window is all that keeps it from sending.
    pub starved: bool,
    /// Responses are ready to leave.
    pub owes: bool,
    /// It sends to some only on credit: see `holds`.
    pub is_held: bool,
    /// A response goes next, if both it and a request can.
    pub response_next: bool,
    /// Heads on the way here from its switch that are events. At the most that it can count it
    /// stays, and nothing is known before it comes any more.
    pub coming: u16,
    /// Acknowledgements on their way back.
    pub acks: DueList,
    /// When the next `Host` event that counts is due; `NEVER` if none is.
    pub wakes: Time,
    /// The last of those that are held.
    pub held_last: u32,
    /// When the next `Ack` event that counts is due; `NEVER` if none is.
    pub acked: Time,
    pub owed: Owed,
    /// Packets it has sent that were responses; its link counts all.
    pub responses: u64,
    /// To how many it sends only on credit.
    pub holds: u32,
    /// If it does: one of the round, before whom all send on credit. Nothing if none is known.
    pub reached: u32,
}

const _: () = assert!(std::mem::offset_of!(Nic, wakes) == 64 && size_of::<Nic>() == 128);

impl Nic {
    pub const IDLE: Nic = Nic {
        enters: Time::ZERO,
        takes: Time::ZERO,
        moves: Time::ZERO,
        first: NONE,
        last: NONE,
        held: NONE,
        held_last: NONE,
        in_flight: 0,
        acks: DueList::EMPTY,
        acked: NEVER,
        starved: false,
        owes: false,
        owed: Owed::NOTHING,
        responses: 0,
        response_next: false,
        is_held: false,
        holds: 0,
        reached: NONE,
        turn: Turn::Send,
        send_waits: false,
        wakes: NEVER,
        ready: Time::ZERO,
        coming: 0,
    };
}

/// With fewer packets unacknowledged, as of the last look, nobody looks how many are back.
const FEW: u32 = 16;

impl Nic {
    /// Whether one packet more may be unacknowledged.
    #[inline(always)]
    fn has_window(&mut self, window: u32, now: Time, dues: &mut Slab<DueId, Due>) -> bool {
        if self.in_flight >= window.min(FEW) {
            self.in_flight -= self.acks.drain(now, dues);
        }
        self.in_flight < window
    }

    /// Whether it looks how many acknowledgements are back before it sends.
    #[inline]
    pub fn looks_back(&self) -> bool {
        self.in_flight >= FEW
    }

    /// Whether a packet or a message waits for its host interface.
    #[inline(always)]
    fn is_waited_for(&self) -> bool {
        self.held != NONE || self.send_waits
    }

    /// When a packet is taken whose head comes then, if that is certain already: no other comes or
    /// waits to come in, and nothing goes out before.
    #[inline(always)]
    fn takes_at(&self, head: Time) -> Option<Time> {
        let at = head.max(self.takes).max(self.moves);
        // In the instant of its coming it is there before a message is ready; later it is not.
        let is_before = at < self.ready || at == head && at == self.ready;
        let takes_next = self.coming == 0 && self.held == NONE;
        // Messages that wait for a congested receiver's credit may be let go at any time. What the
        // NIC answers needs no time of its host interface: foretold messages bring nothing back.
        let sends_none = self.first == NONE && !self.send_waits && !self.is_held;
        (is_before && takes_next && sends_none).then_some(at)
    }

    /// Whether its host interface lets a packet out that takes it for `both`; if so it does, and
    /// the other direction has the next turn.
    #[inline(always)]
    fn lets_out(&mut self, both: Span, now: Time) -> bool {
        if both == Span::ZERO {
            return true;
        }
        if self.moves > now || (self.held != NONE && self.turn == Turn::Receive) {
            return false;
        }
        self.moves = now + both;
        self.turn = Turn::Receive;
        true
    }
}

impl Packet {
    /// A packet of a message with so many bytes, a draw and marks, that leaves its NIC at `born`.
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
            input: LinkId(t.src.0), // An injection link is numbered as its NIC.
            next: NONE,
            at: SwitchId(NONE),
            input_class: 0,
            cells: 0,
            input_vc: 0,
            vnet: t.vnet,
            marks,
        }
    }
}

/// What one packet of a message carries: payload, wire bytes, and for how long it takes what both
/// directions of a host interface share, and one of them.
struct Part {
    payload: u64,
    bytes: u16,
    both: Span,
    host: Span,
}

impl PacketNetwork {
    /// A command reaches the NIC: it becomes ready to send after its latencies.
    pub(crate) fn command(&mut self, id: MsgId, msg: Message, cx: &mut Cx<'_>) {
        let Message { src, bytes, origin, completion, .. } = msg;
        let moved = bytes.max(completion.back());
        let ready = self.ready_at(src, origin, bytes, moved, cx.now);
        let transit = self.begin(id, msg, cx);
        if ready > cx.now {
            let transit = self.transits.insert(transit);
            cx.at(ready, Phase::Arrive, PacketEvent::Ready { nic: src, transit });
        } else {
            self.set_out(transit, cx);
        }
    }

    /// When a message will be ready that is commanded at `at`: of so many bytes, and so many that
    /// are moved one way or the other.
    #[inline]
    pub(crate) fn ready_at(
        &mut self,
        src: NicId,
        origin: Origin,
        bytes: u64,
        moved: u64,
        at: Time,
    ) -> Time {
        if origin == Origin::Answer {
            return at;
        }
        let nic = &mut self.nics[src];
        let enter = nic.enters.max(at);
        nic.enters = enter + self.params.message_gap;
        let before = self.params.send_latency + self.params.block_start(moved);
        enter + before + origin.fetch(bytes, &self.params)
    }

    /// A message begins, at both its ends.
    #[inline(always)]
    pub(crate) fn begin(&mut self, id: MsgId, msg: Message, cx: &mut Cx<'_>) -> Transit {
        let Message { src, dst, bytes, vnet, completion, draw, in_order, handling, .. } = msg;
        debug_assert!(src != dst, "a message to oneself does not use the network");
        let back = completion.back();
        let packets = match bytes.max(back) {
            few if few <= self.params.packet_payload => 1,
            many => many.div_ceil(self.params.packet_payload),
        };
        let missing = u32::try_from(packets).expect("a message of less than 2^32 packets");
        let completion_delay = msg.completion_delay(&self.params);
        // An answer that brings nothing is told by the NIC alone.
        let handling = if completion == Completion::Initiator(0) { Span::ZERO } else { handling };
        let handling = u32::try_from(handling.0).expect("a NIC's times are at most 100 us");
        let ahead = msg.ahead(&self.params);
        // Made where it will lie: a processor waits for what it copies as a whole right after it
        // has written it piece by piece.
        let arrival = |asker| Arrival {
            done: Time::ZERO,
            completion_delay,
            id,
            src,
            handling,
            ahead,
            missing,
            back,
            asker,
        };
        let nobody = ArrivalId(NONE);
        let asker =
            if completion == Completion::Target { nobody } else { self.ask(arrival(nobody)) };
        let arrival = self.open(|| arrival(asker), dst, cx.machine);
        let flow = match in_order && self.flows.are_kept {
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
            hold: NONE,
            flow,
        }
    }

    /// A message is ready: it leaves at once if it can, and otherwise when its turn comes.
    #[inline(always)]
    pub(crate) fn set_out(&mut self, transit: Transit, cx: &mut Cx<'_>) {
        if !self.leaves_whole(&transit, cx) {
            let transit = self.transits.insert(transit);
            self.send_off(transit, cx);
        }
    }

    /// Sends a message of one packet from a NIC that has nothing else to do, unless the link, the
    /// window, the credit or the host says wait: what most messages come to, and as `pump` would.
    #[inline(always)]
    fn leaves_whole(&mut self, t: &Transit, cx: &mut Cx<'_>) -> bool {
        let (now, link, vc) = (cx.now, cx.machine.injection(t.src), t.vnet);
        let part = self.next_part(t);
        let (nic, wire) = (&mut self.nics[t.src], &mut self.wires[link]);
        let is_idle = nic.first == NONE && !nic.owes && !nic.is_held && self.is_plain;
        if !is_idle || t.packets > 1 || t.flow != NONE {
            return false;
        }
        let class = &self.classes[wire.class];
        if wire.free_at > now || !nic.has_window(self.params.window, now, &mut self.dues) {
            return false;
        }
        let at = self.layout.first(link) + usize::from(vc);
        let (room, cells) = (&mut self.rooms[at], class.cell.of_packet(part.bytes));
        let goes =
            class.lets(cells, room, || &mut self.channels[at], now) && nic.lets_out(part.both, now);
        if !goes {
            return false;
        }
        *room -= cells;
        nic.response_next = true;
        nic.in_flight += 1;
        cx.counters.injected_packets += 1;
        debug_assert!(!wire.stalled, "nobody waits");
        let packet = self.packets.insert_with(|| Packet::of(t, part.bytes, (t.draw, 0), now));
        let p = &mut self.packets[packet];
        let hop = Hop { link, vc };
        let gone = now + class.gap.span(part.bytes.into()).max(part.host);
        let entered = wire.carry(p, hop, class, cells, now, gone);
        self.announce(packet, hop, &entered, cx);
        true
    }

    /// The message joins its NIC's round, if none of its flow stands there.
    pub(crate) fn send_off(&mut self, transit: TransitId, cx: &mut Cx<'_>) {
        let Transit { src, flow, .. } = self.transits[transit];
        if flow == NONE || self.is_next_of_flow(transit) {
            self.queue_up(src, transit);
            self.pump(src, cx);
        }
    }

    /// Puts `transit` at the end of its NIC's round.
    pub(crate) fn queue_up(&mut self, src: NicId, transit: TransitId) {
        let t = &mut self.transits[transit];
        t.next = NONE;
        let nic = self.shares.sender(&mut self.nics, src, t.vnet);
        match nic.last {
            NONE => nic.first = transit.0,
            last => self.transits[TransitId(last)].next = transit.0,
        }
        nic.last = transit.0;
    }

    /// The message that is first in a class's round, unless the window or the credit says wait.
    #[inline(always)]
    pub(crate) fn first_of(&mut self, src: NicId, class: u8, cx: &mut Cx<'_>) -> Option<TransitId> {
        let nic = self.shares.sender(&mut self.nics, src, class);
        if nic.first == NONE {
            return None;
        }
        if !nic.has_window(self.params.window, cx.now, &mut self.dues) {
            self.await_ack(src, class, cx);
            return None;
        }
        if nic.is_held && !self.set_aside(src, class) {
            return None;
        }
        let first = TransitId(self.shares.sender(&mut self.nics, src, class).first);
        let Transit { unsent, vnet, .. } = self.transits[first];
        let bytes = (unsent.min(self.params.packet_payload) + self.params.packet_overhead) as u16;
        let link = cx.machine.injection(src);
        if !self.has_room(Hop { link, vc: vnet }, bytes, cx.now) {
            self.starve(link, vnet, cx);
            self.stall(link, cx.now);
            return None;
        }
        Some(first)
    }

    /// Sends the next packet, unless the link, the window, the credit or the host says wait; each
    /// of these calls again when it changes.
    pub(crate) fn pump(&mut self, src: NicId, cx: &mut Cx<'_>) {
        let link = cx.machine.injection(src);
        let nic = &self.nics[src];
        let owes = nic.owes;
        if nic.first == NONE && !owes && !self.has_other_message(src) {
            return;
        }
        if self.wires[link].free_at > cx.now {
            return self.arm(link, cx);
        }
        let sent = if owes { self.send_in_turns(src, cx) } else { self.send_next(src, cx) };
        let nic = &self.nics[src];
        if sent && (nic.first != NONE || nic.owes || self.has_other_message(src)) {
            self.arm(link, cx);
        }
    }

    /// Sends the next packet of the round over the free link, if it may go.
    #[inline(always)]
    pub(crate) fn send_next(&mut self, src: NicId, cx: &mut Cx<'_>) -> bool {
        let chosen = if self.shares.is_off() {
            self.first_of(src, 0, cx)
        } else {
            self.first_by_class(src, cx)
        };
        let Some(transit) = chosen else { return false };
        let t = self.transits[transit];
        let Transit { hold, flow, .. } = t;
        let part = self.next_part(&t);
        if !self.host_sends(src, part.both, cx) {
            return false;
        }
        let nic = self.shares.sender(&mut self.nics, src, t.vnet);
        nic.first = t.next;
        if nic.first == NONE {
            nic.last = NONE;
        }
        let packet = self.make_packet(&t, &part, cx.now);
        let rest = &mut self.transits[transit];
        rest.made += 1;
        rest.unsent -= part.payload;
        let mut after = (rest.made < rest.packets).then_some(transit);
        if after.is_none() {
            self.transits.free(transit);
            if flow != NONE {
                after = self.after_in_flow(flow);
            }
        }
        if self.shares.sender(&mut self.nics, src, t.vnet).is_held {
            self.spend((transit, hold), packet, after, src, cx);
        } else if let Some(after) = after {
            self.queue_up(src, after);
        }
        self.let_out(packet, &t, &part, cx);
        true
    }

    /// What the next packet of a message will carry.
    #[inline(always)]
    fn next_part(&self, t: &Transit) -> Part {
        let payload = t.unsent.min(self.params.packet_payload);
        let (mut both, host) = self.host_takes(payload);
        if t.made == 0 && t.packets > 1 {
            both += self.params.multipacket_message;
        }
        Part { payload, bytes: (payload + self.params.packet_overhead) as u16, both, host }
    }

    /// The next packet of a message, which its NIC counts as sent.
    #[inline(always)]
    fn make_packet(&mut self, t: &Transit, part: &Part, now: Time) -> PacketId {
        self.nics[t.src].response_next = true;
        self.shares.sender(&mut self.nics, t.src, t.vnet).in_flight += 1;
        let own = Message::packet_draw(t.draw, t.made);
        let luck = match t.flow {
            NONE => (own, 0),
            flow => self.join_flow(flow, own, now),
        };
        self.packets.insert_with(|| Packet::of(t, part.bytes, luck, now))
    }

    /// `packet` leaves its NIC by the free link.
    #[inline(always)]
    fn let_out(&mut self, packet: PacketId, t: &Transit, part: &Part, cx: &mut Cx<'_>) {
        let link = cx.machine.injection(t.src);
        let held = self.class(link).gap.span(u64::from(part.bytes)).max(part.host);
        cx.counters.injected_packets += 1;
        if self.wires[link].stalled {
            self.unstall(link, cx.now);
        }
        self.send(packet, Hop { link, vc: t.vnet }, cx.now, cx.now + held, cx);
    }

    /// For how long so much payload takes what both directions of a host interface share, and one
    /// of them.
    #[inline(always)]
    pub(crate) fn host_takes(&self, payload: u64) -> (Span, Span) {
        if self.takes_at_once {
            return (Span::ZERO, Span::ZERO);
        }
        let both = self.params.host_gap.span(payload);
        (both, both.max(self.params.host_gap_one_way.span(payload)))
    }

    /// Whether the host interface of `at` lets a packet out that takes it for `both`; if so it
    /// does, if not, it is asked again when it is free.
    #[inline]
    pub(crate) fn host_sends(&mut self, at: NicId, both: Span, cx: &mut Cx<'_>) -> bool {
        let nic = &mut self.nics[at];
        let sends = nic.lets_out(both, cx.now);
        if !sends {
            let is_armed = nic.is_waited_for();
            nic.send_waits = true;
            self.arm_host(at, is_armed, cx);
        }
        sends
    }

    /// The head of `packet` stands at the end of its ejection link.
    pub(crate) fn receive(&mut self, packet: PacketId, at: NicId, cx: &mut Cx<'_>) {
        let p = &mut self.packets[packet];
        debug_assert_eq!(p.dst, at, "a packet ended at the wrong NIC");
        let nic = &mut self.nics[at];
        nic.coming -= u16::from(nic.coming < u16::MAX);
        if nic.held == NONE && nic.takes <= cx.now && nic.moves <= cx.now && !nic.send_waits {
            return self.take(packet, at, cx.now, cx);
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

    /// Schedules the next decision about a busy host interface. Where nobody waited for it before,
    /// none is: a processor waits for what it reads of a NIC's second line, not for what it writes.
    fn arm_host(&mut self, at: NicId, is_armed: bool, cx: &mut Cx<'_>) {
        let nic = &mut self.nics[at];
        debug_assert!(is_armed || nic.wakes == NEVER, "nobody waited for the host interface");
        // A waiting sender needs the shared part only, a held packet also its own direction's.
        let ready = if nic.send_waits { nic.moves } else { nic.moves.max(nic.takes) };
        let when = ready.max(Time(cx.now.0 + 1));
        if !is_armed || when < nic.wakes {
            nic.wakes = when;
            cx.at(when, Phase::Decide, PacketEvent::Host { nic: at });
        }
    }

    /// The host interface is free for somebody: the two directions take turns.
    pub(crate) fn serve_host(&mut self, at: NicId, cx: &mut Cx<'_>) {
        let nic = &mut self.nics[at];
        if nic.wakes != cx.now {
            return; // An earlier decision was called for in the meantime.
        }
        nic.wakes = NEVER;
        let can_take = nic.held != NONE && nic.takes <= cx.now && nic.moves <= cx.now;
        if can_take && !(nic.send_waits && nic.turn == Turn::Send) {
            let packet = PacketId(nic.held);
            nic.held = self.packets[packet].next;
            if nic.held == NONE {
                nic.held_last = NONE;
            }
            self.take(packet, at, cx.now, cx);
        } else if nic.send_waits && nic.moves <= cx.now {
            nic.send_waits = false;
            nic.turn = Turn::Send;
            self.pump(at, cx);
        }
        let nic = &self.nics[at];
        if nic.is_waited_for() {
            self.arm_host(at, nic.wakes != NEVER, cx);
        }
    }

    /// When `at` takes a packet whose head comes then, if it is known now: see `Nic::takes_at`. If
    /// not, its coming will be an event.
    #[inline(always)]
    pub(crate) fn is_taken_at(&mut self, at: NicId, head: Time) -> Option<Time> {
        let nic = &mut self.nics[at];
        let taken = nic.takes_at(head).filter(|_| self.is_plain);
        if taken.is_none() {
            nic.coming = nic.coming.saturating_add(1);
        }
        taken
    }

    /// What a packet of so many bytes on the wire has beside its headers.
    #[inline]
    pub(crate) fn payload(&self, bytes: u16, vnet: u8) -> u64 {
        let is_response = self.is_response(vnet);
        let headers = if is_response { self.params.response } else { self.params.packet_overhead };
        u64::from(bytes) - headers
    }

    /// The host interface takes `packet` at `now`, which may be known before it comes. The packet
    /// gives up its buffer when its tail is through.
    #[inline]
    pub(crate) fn take(&mut self, packet: PacketId, at: NicId, now: Time, cx: &mut Cx<'_>) {
        let p = self.packets[packet];
        let Packet { arrival, route, vnet, .. } = p;
        let is_response = self.is_response(vnet);
        let payload = self.payload(p.bytes, vnet);
        let (both, host) = self.host_takes(payload);
        let done = (now + host).max(p.tail);
        if host > Span::ZERO {
            let nic = &mut self.nics[at];
            nic.takes = done;
            nic.moves = nic.moves.max(now + both);
            nic.turn = Turn::Send;
        }
        if is_response {
            return self.answered(packet, at, done, cx);
        }
        cx.counters.delivered_packets += 1;
        cx.counters.delivered_payload += payload;
        cx.counters.hops += u64::from(route.hops) + 1;
        cx.counters.nonminimal += u64::from(!route.is_minimal());
        if self.params.response > 0 {
            return self.turn(packet, at, done, cx);
        }
        self.packets.free(packet);
        self.vacate(p.buffer(), done, cx);
        let src = self.arrived(arrival, at, (payload, done), cx);
        // The acknowledgement is not a packet: it needs the time the packet's links need empty.
        let back = done + Span(u64::from(p.traveled));
        match arrival.origin() {
            None => self.expect_ack(src, vnet, back, cx),
            Some((shard, _)) => self.mail_ack(shard, src, vnet, back),
        }
        if p.marks & mark::ORDERED != 0 {
            self.hear_of_flow(p.draw as u32, back);
        }
    }

    /// An acknowledgement will be `back` then.
    #[inline]
    pub(crate) fn expect_ack(&mut self, src: NicId, vnet: u8, back: Time, cx: &mut Cx<'_>) {
        let sender = self.shares.sender(&mut self.nics, src, vnet);
        sender.acks.add(back, &mut self.dues);
        if sender.starved {
            self.await_ack(src, vnet, cx);
        }
    }

    /// A packet of the message has come to `at`, the end at which it is told of, with so much
    /// payload: whose message it is.
    #[inline(always)]
    pub(crate) fn arrived(
        &mut self,
        id: ArrivalId,
        at: NicId,
        (payload, done): (u64, Time),
        cx: &mut Cx<'_>,
    ) -> NicId {
        let is_full = payload == self.params.packet_payload;
        let a = self.arrival(id);
        let (src, is_first) = (a.src, a.done == Time::ZERO);
        a.done = a.done.max(if is_full { done + a.ahead } else { done });
        a.missing -= 1;
        if a.missing == 0 {
            let (msg, seen, handling) = (a.id, a.done + a.completion_delay, a.handling);
            if handling > 0 {
                let nic = &mut self.nics[at];
                nic.takes = nic.takes.max(done) + Span(u64::from(handling));
            }
            match self.faults {
                None => self.close(id, msg, seen, cx),
                Some(_) => self.is_over(id, cx),
            }
        } else if is_first {
            self.nics[at].moves += self.params.multipacket_message;
        }
        src
    }

    /// A full window is all that keeps `src` from sending: the next acknowledgement is an event.
    pub(crate) fn await_ack(&mut self, src: NicId, vnet: u8, cx: &mut Cx<'_>) {
        let nic = self.shares.sender(&mut self.nics, src, vnet);
        nic.starved = true;
        // If none is due, `take` will come here again.
        let Some(due) = nic.acks.first(&self.dues) else { return };
        let due = due.max(Time(cx.now.0 + 1));
        if due < nic.acked {
            nic.acked = due;
            cx.at(due, Phase::Arrive, PacketEvent::Ack { nic: src, vnet });
        }
    }

    /// An acknowledgement that somebody waited for is back.
    pub(crate) fn acknowledge(&mut self, src: NicId, vnet: u8, cx: &mut Cx<'_>) {
        let nic = self.shares.sender(&mut self.nics, src, vnet);
        if nic.acked == cx.now {
            nic.acked = NEVER;
            nic.starved = false;
            self.pump(src, cx);
        }
    }
}

#[cfg(test)]
mod tests;
