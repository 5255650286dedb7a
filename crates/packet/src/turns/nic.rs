//! The turn of a NIC behind that of its switch: nothing that it does reaches the switch within the
//! window. Rules are those of `nic.rs`, `inject.rs` and `deliver.rs`; its few pending events are in
//! fields, and the first of them is next.

use base::{Span, Time};
use des::{EventCode, Phase};
use machine::{NicId, Route, SwitchId};
use net::{HOST, READY};

use super::{Packet, Traffic, Turns};
use crate::event::kind;
use crate::nic::Direction;
use crate::packet::{NEVER, NONE, PacketId};
use crate::pending_acks::PendingAcks;

/// Packets that have entered ejection links in a turn, and when.
#[derive(Default)]
pub(super) struct Grants {
    pub packets: Vec<Packet>,
    pub entries: Vec<Entry>,
}

/// When a packet has entered the ejection link, in which event, and the next of its NIC.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub at: Time,
    pub order: u32,
    pub next: u32,
}

/// Two cache lines. The fields have the meaning of those of `nic::Nic`.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Nic {
    pub next_command_at: Time,
    pub receive_free_at: Time,
    pub shared_free_at: Time,
    /// When the injection link is free.
    pub free_at: Time,
    /// Its next message: ready time, generation time, number, order of the event.
    pub ready: Time,
    pub generated_at: Time,
    pub nth: u32,
    pub ready_order: u32,
    pub credit: u16,
    pub heads_in_flight: u16,
    pub is_pending: bool,
    pub armed: bool,
    pub waits_for_credit: bool,
    pub send_waits: bool,
    pub host_event_at: Time,
    /// Messages to send; packets in transit from the switch; held packets; packets granted in this
    /// turn: first and last.
    pub messages: (u32, u32),
    pub heads: (u32, u32),
    pub held: (u32, u32),
    pub granted: (u32, u32),
    pub sent: u64,
    pub id: NicId,
    pub switch: SwitchId,
    pub next_direction: Direction,
    pub link_type: u8,
    /// The link is free, and the first message lacks credit; `Turns::nic_stalls` has the time.
    pub stalled: bool,
    /// Credit has returned at the start of the window, and no packet has taken notice.
    pub credit_returned: bool,
}
const _: () = assert!(size_of::<Nic>() == 128);

impl Nic {
    pub fn new(id: NicId, switch: SwitchId, link_type: u8, credit: u16) -> Nic {
        Nic {
            next_command_at: Time::ZERO,
            receive_free_at: Time::ZERO,
            shared_free_at: Time::ZERO,
            free_at: Time::ZERO,
            ready: Time::ZERO,
            generated_at: Time::ZERO,
            nth: 0,
            ready_order: 0,
            credit,
            heads_in_flight: 0,
            is_pending: false,
            armed: false,
            waits_for_credit: false,
            send_waits: false,
            host_event_at: NEVER,
            messages: EMPTY,
            heads: EMPTY,
            held: EMPTY,
            granted: EMPTY,
            sent: 0,
            id,
            switch,
            next_direction: Direction::Send,
            link_type,
            stalled: false,
            credit_returned: false,
        }
    }

    fn is_waited_for(&self) -> bool {
        self.held.0 != NONE || self.send_waits
    }

    /// As `nic::Nic::host_start`.
    fn host_start(&self, head: Time) -> Option<Time> {
        let at = head.max(self.receive_free_at).max(self.shared_free_at);
        let is_before = at < self.ready || at == head && at == self.ready;
        let takes_next = self.heads_in_flight == 0 && self.held.0 == NONE;
        let sends_none = self.messages.0 == NONE && !self.send_waits;
        (is_before && takes_next && sends_none).then_some(at)
    }

    /// As `nic::Nic::try_reserve_host`.
    fn try_reserve_host(&mut self, shared_time: Span, now: Time) -> bool {
        if shared_time == Span::ZERO {
            return true;
        }
        let receive_next = self.held.0 != NONE && self.next_direction == Direction::Receive;
        if self.shared_free_at > now || receive_next {
            return false;
        }
        self.shared_free_at = now + shared_time;
        self.next_direction = Direction::Receive;
        true
    }
}

/// What receivers of its packets need of a NIC: its window.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct Sender {
    pub source: u32,
    pub in_flight: u32,
    pub acks: PendingAcks,
    pub ack_event_at: Time,
    pub waits_for_window: bool,
}
const _: () = assert!(size_of::<Sender>() == 32);

impl Sender {
    pub const IDLE: Sender = Sender {
        source: NONE,
        in_flight: 0,
        acks: PendingAcks::EMPTY,
        ack_event_at: NEVER,
        waits_for_window: false,
    };
}

/// Below this number of unacknowledged packets the acknowledgements are not counted.
const ACK_BATCH: u32 = 16;

const EMPTY: (u32, u32) = (NONE, NONE);

/// What a NIC does next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Action {
    None,
    Granted,
    Head,
    Credit,
    Ready,
    Ack,
    Free,
    Host,
}

fn order(phase: Phase, kind: u8, source: u32) -> u32 {
    EventCode::new(phase, kind, source, 0).order()
}

impl Turns<'_> {
    /// The next packet of the source of a NIC.
    pub(super) fn schedule<T: Traffic>(&mut self, nic: usize, traffic: &mut T) {
        let (state, source) = (&mut self.nics[nic], self.senders[nic].source);
        state.is_pending = false;
        let Some((at, nth)) = traffic.generate(source) else { return };
        let enter = state.next_command_at.max(at);
        state.next_command_at = enter + self.sizes.message_gap;
        state.ready = enter + self.sizes.before;
        state.ready_order = if state.ready > at {
            order(Phase::Arrive, READY, state.id.0)
        } else {
            order(Phase::Resume, HOST, source)
        };
        (state.generated_at, state.nth, state.is_pending) = (at, nth, true);
        self.wakes[nic] = self.wakes[nic].min(state.ready);
        self.live = self.live.wrapping_add(1);
    }

    /// The place of the switch of a NIC.
    pub(super) fn unit_of(&self, n: usize) -> usize {
        (self.nics[n].switch.0 - self.shard.first_switch) as usize
    }

    /// Handles the events of a NIC before `pass_end`.
    #[inline(never)]
    pub(super) fn advance_nic<T: Traffic>(&mut self, n: usize, pass_end: Time, traffic: &mut T) {
        loop {
            let (action, now) = self.next_action(n, pass_end);
            if action == Action::None {
                return;
            }
            self.counters.events += 1;
            match action {
                Action::None => {}
                Action::Granted => self.take_grant(n, traffic),
                Action::Head => self.receive(n, now, traffic),
                Action::Credit => {
                    let unit = self.unit_of(n);
                    let nic = &mut self.nics[n];
                    nic.waits_for_credit = false;
                    self.units[unit].lacking &= !(1 << (n as u32 - self.units[unit].nics.0));
                    if !nic.armed && nic.free_at <= now {
                        self.pump(n, now);
                    }
                }
                Action::Ready => self.leave(n, now, traffic),
                Action::Ack => {
                    let sender = &mut self.senders[n];
                    (sender.ack_event_at, sender.waits_for_window) = (NEVER, false);
                    self.pump(n, now);
                }
                Action::Free => {
                    self.nics[n].armed = false;
                    self.pump(n, now);
                }
                Action::Host => self.serve_host(n, now, traffic),
            }
        }
    }

    /// The first event of a NIC before `pass_end`, and its time. Without one, `wake` is that of the
    /// first later one.
    fn next_action(&mut self, n: usize, pass_end: Time) -> (Action, Time) {
        let nic = &self.nics[n];
        let mut best = (NEVER, 0, Action::None);
        let mut wake = NEVER;
        let mut consider = |at: Time, order: u32, action: Action| {
            wake = wake.min(at);
            if at < pass_end && (at, order) < (best.0, best.1) {
                best = (at, order, action);
            }
        };
        if nic.granted.0 != NONE {
            let granted = &self.grants.entries[nic.granted.0 as usize];
            consider(granted.at, granted.order, Action::Granted);
        }
        if nic.heads.0 != NONE {
            let p = &self.waiting[PacketId(nic.heads.0)];
            consider(p.head, order(Phase::Arrive, kind::HEAD, p.link.0), Action::Head);
        }
        if nic.waits_for_credit && nic.credit_returned {
            let order = order(Phase::Arrive, kind::CREDIT, nic.id.0);
            consider(self.start, order, Action::Credit);
        }
        if nic.is_pending {
            consider(nic.ready, nic.ready_order, Action::Ready);
        }
        let ack_event_at = self.senders[n].ack_event_at;
        if ack_event_at != NEVER {
            consider(ack_event_at, order(Phase::Arrive, kind::ACK, nic.id.0), Action::Ack);
        }
        if nic.armed {
            consider(nic.free_at, order(Phase::Decide, kind::FREE, nic.id.0), Action::Free);
        }
        if nic.host_event_at != NEVER {
            let order = order(Phase::Decide, kind::HOST, nic.id.0);
            consider(nic.host_event_at, order, Action::Host);
        }
        let (at, _, action) = best;
        if action == Action::None {
            self.wakes[n] = wake;
        }
        (action, at)
    }

    /// The pending message is ready: it is sent at once if possible, and queued otherwise.
    fn leave<T: Traffic>(&mut self, n: usize, now: Time, traffic: &mut T) {
        let nic = &self.nics[n];
        let (dst, draw) = traffic.route(self.senders[n].source, nic.nth);
        let p = Packet {
            head: now,
            generated_at: nic.generated_at,
            draw,
            route: Route::default(),
            tail_after: 0,
            src: self.shard.first_nic + n as u32,
            nth: nic.nth,
            dst,
            traveled: 0,
            link: self.machine.injection(nic.id),
            input: super::Input::new(0, 0, 0, 0),
            next: NONE,
        };
        if !self.send_at_once(n, p, now) {
            let message = self.waiting.insert(p).0;
            let (first, last) = self.nics[n].messages;
            match first {
                NONE => self.nics[n].messages.0 = message,
                _ => self.waiting[PacketId(last)].next = message,
            }
            self.nics[n].messages.1 = message;
            self.pump(n, now);
        }
        self.schedule(n, traffic);
    }

    /// Whether the window of a NIC admits one more packet.
    fn has_window(&mut self, n: usize, now: Time) -> bool {
        let (sender, window) = (&mut self.senders[n], self.sizes.window);
        // Acknowledgements that have arrived are counted in batches, and before the window is full.
        if sender.in_flight >= window.min(ACK_BATCH) {
            sender.in_flight -= sender.acks.drain(now, &mut self.ack_lines);
        }
        sender.in_flight < window
    }

    fn has_credit(&self, n: usize) -> bool {
        let nic = &self.nics[n];
        nic.credit >= self.kinds[usize::from(nic.link_type)].packet_cells
    }

    /// Sends a message of an idle NIC, if nothing is in its way.
    fn send_at_once(&mut self, n: usize, p: Packet, now: Time) -> bool {
        let shared_time = self.sizes.shared_time;
        let nic = &self.nics[n];
        if nic.messages.0 != NONE || nic.free_at > now || !self.has_credit(n) {
            return false;
        }
        if !self.has_window(n, now) || !self.nics[n].try_reserve_host(shared_time, now) {
            return false;
        }
        self.senders[n].in_flight += 1;
        self.inject(n, p, now);
        true
    }

    /// Sends the next message if link, window, credit and host interface permit it.
    fn pump(&mut self, n: usize, now: Time) {
        let nic = &mut self.nics[n];
        if nic.messages.0 == NONE {
            return;
        }
        if nic.free_at > now {
            nic.armed = true;
            return;
        }
        if self.send_next(n, now) && self.nics[n].messages.0 != NONE {
            self.nics[n].armed = true;
        }
    }

    fn send_next(&mut self, n: usize, now: Time) -> bool {
        if !self.has_window(n, now) {
            self.await_ack(n, now);
            return false;
        }
        if !self.has_credit(n) {
            let nic = &mut self.nics[n];
            (nic.waits_for_credit, nic.credit_returned) = (true, false);
            if !nic.stalled {
                nic.stalled = true;
                self.nic_stalls[n].0 = now;
            }
            let unit = self.unit_of(n);
            self.units[unit].lacking |= 1 << (n as u32 - self.units[unit].nics.0);
            return false;
        }
        let shared_time = self.sizes.shared_time;
        let nic = &mut self.nics[n];
        if !nic.try_reserve_host(shared_time, now) {
            let is_armed = nic.is_waited_for();
            nic.send_waits = true;
            self.arm_host(n, is_armed, now);
            return false;
        }
        let message = PacketId(nic.messages.0);
        let p = self.waiting[message];
        self.waiting.free(message);
        nic.messages = if p.next == NONE { EMPTY } else { (p.next, nic.messages.1) };
        if nic.stalled {
            nic.stalled = false;
            let (since, sum) = &mut self.nic_stalls[n];
            *sum += now.since(*since);
        }
        self.senders[n].in_flight += 1;
        self.inject(n, Packet { next: NONE, ..p }, now);
        true
    }

    /// A packet has entered the ejection link: it is taken now if the time of its receipt is
    /// certain, and arrives otherwise.
    fn take_grant<T: Traffic>(&mut self, n: usize, traffic: &mut T) {
        let at = self.nics[n].granted.0 as usize;
        let (packet, next) = (self.grants.packets[at], self.grants.entries[at].next);
        let nic = &mut self.nics[n];
        nic.granted = if next == NONE { EMPTY } else { (next, nic.granted.1) };
        let start =
            if self.sizes.is_unlimited { Some(packet.head) } else { nic.host_start(packet.head) };
        if let Some(start) = start {
            return self.pass_to_host(n, &packet, start, traffic);
        }
        nic.heads_in_flight = nic.heads_in_flight.saturating_add(1);
        let id = self.waiting.insert(Packet { next: NONE, ..packet }).0;
        let (first, last) = self.nics[n].heads;
        match first {
            NONE => self.nics[n].heads.0 = id,
            _ => self.waiting[PacketId(last)].next = id,
        }
        self.nics[n].heads.1 = id;
    }

    /// The first of the heads in transit is at the NIC.
    fn receive<T: Traffic>(&mut self, n: usize, now: Time, traffic: &mut T) {
        let nic = &mut self.nics[n];
        let id = PacketId(nic.heads.0);
        let p = self.waiting[id];
        nic.heads = if p.next == NONE { EMPTY } else { (p.next, nic.heads.1) };
        nic.heads_in_flight -= u16::from(nic.heads_in_flight < u16::MAX);
        if nic.held.0 == NONE
            && nic.receive_free_at <= now
            && nic.shared_free_at <= now
            && !nic.send_waits
        {
            self.waiting.free(id);
            return self.pass_to_host(n, &p, now, traffic);
        }
        self.waiting[id].next = NONE;
        let is_armed = nic.is_waited_for();
        match nic.held.0 {
            NONE => nic.held.0 = id.0,
            _ => self.waiting[PacketId(nic.held.1)].next = id.0,
        }
        nic.held.1 = id.0;
        self.arm_host(n, is_armed, now);
    }

    /// As `Nics::arm_host`.
    fn arm_host(&mut self, n: usize, is_armed: bool, now: Time) {
        let nic = &mut self.nics[n];
        let ready = if nic.send_waits {
            nic.shared_free_at
        } else {
            nic.shared_free_at.max(nic.receive_free_at)
        };
        let when = ready.max(Time(now.0 + 1));
        if !is_armed || when < nic.host_event_at {
            nic.host_event_at = when;
        }
    }

    /// As `Endpoints::serve_host`.
    fn serve_host<T: Traffic>(&mut self, n: usize, now: Time, traffic: &mut T) {
        let nic = &mut self.nics[n];
        nic.host_event_at = NEVER;
        let held = nic.held.0;
        let can_take = held != NONE && nic.receive_free_at <= now && nic.shared_free_at <= now;
        if can_take && !(nic.send_waits && nic.next_direction == Direction::Send) {
            let p = self.waiting[PacketId(held)];
            self.waiting.free(PacketId(held));
            nic.held = if p.next == NONE { EMPTY } else { (p.next, nic.held.1) };
            self.pass_to_host(n, &p, now, traffic);
        } else if nic.send_waits && nic.shared_free_at <= now {
            nic.send_waits = false;
            nic.next_direction = Direction::Send;
            self.pump(n, now);
        }
        let nic = &self.nics[n];
        if nic.is_waited_for() {
            let is_armed = nic.host_event_at != NEVER;
            self.arm_host(n, is_armed, now);
        }
    }

    /// The host interface takes `p` at `now`, which may be computed in advance.
    fn pass_to_host<T: Traffic>(&mut self, n: usize, p: &Packet, now: Time, traffic: &mut T) {
        let done = (now + self.sizes.host).max(p.tail());
        let nic = &mut self.nics[n];
        if self.sizes.host > Span::ZERO {
            nic.receive_free_at = done;
            nic.shared_free_at = nic.shared_free_at.max(now + self.sizes.shared_time);
            nic.next_direction = Direction::Send;
        }
        self.counters.delivered += 1;
        self.counters.hops += u64::from(p.route.hops) + 1;
        self.counters.nonminimal += u64::from(!p.route.is_minimal());
        self.live = self.live.wrapping_sub(1);
        self.free_buffer(p.input, done);
        let (seen, ack_at) = (done + self.sizes.completion_delay, done + Span(p.traveled.into()));
        let sender = p.src.wrapping_sub(self.shard.first_nic) as usize;
        if let Some(Sender { source, .. }) = self.senders.get(sender) {
            traffic.deliver(*source, p.nth, p.generated_at, seen);
            return self.expect_ack(sender, ack_at);
        }
        traffic.deliver(self.shard.sources[p.src as usize], p.nth, p.generated_at, seen);
        self.shard.mail_ack(p.src, ack_at);
    }

    /// An acknowledgement arrives at `ack_at`, in a later window.
    pub(super) fn expect_ack(&mut self, n: usize, ack_at: Time) {
        let sender = &mut self.senders[n];
        sender.acks.add(ack_at, &mut self.ack_lines);
        if sender.waits_for_window {
            self.await_ack(n, Time::ZERO);
        }
    }

    /// The window of a NIC is full: the next acknowledgement becomes an event.
    fn await_ack(&mut self, n: usize, now: Time) {
        let sender = &mut self.senders[n];
        sender.waits_for_window = true;
        let Some(due) = sender.acks.first(&self.ack_lines) else { return };
        sender.ack_event_at = sender.ack_event_at.min(due.max(Time(now.0 + 1)));
        let ack_event_at = sender.ack_event_at;
        self.wakes[n] = self.wakes[n].min(ack_event_at);
        self.mark_due(self.unit_of(n), ack_event_at);
    }
}
