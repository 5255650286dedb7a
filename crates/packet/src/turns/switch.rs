//! The turn of a switch: heads in the order of time and link, and ports that follow them.
//!
//! An arbitration that is due before a head comes before it, at the same instant behind it, as in
//! the order of the event queue. Ports of a switch affect each other only through heads, so each is
//! advanced alone.

use base::{Time, prefetch_at};
use des::{EventCode, Phase};
use machine::{LinkId, LoadView, SwitchId};

use super::credits::Credit;
use super::nic::Entry;
use super::{Input, Kind, Packet, Traffic, Turns, Unit};
use crate::event::kind;
use crate::link::ones;
use crate::packet::{AckLineId, NEVER, NONE, PacketId};
use crate::voq::{Voq, VoqList};

/// Bits of a sort key: time in the window, link, position before the sort.
pub(super) const OFFSET_BITS: u32 = 20;
const LINK_BITS: u32 = 26;
pub(super) const POSITION_BITS: u32 = 64 - OFFSET_BITS - LINK_BITS;

/// In `Packet::next` of a packet in transit, beside its next link: it is a global link.
const CROSSES: u32 = 1 << 31;

/// Buffers of a turn, kept for their capacity.
#[derive(Default)]
pub(super) struct Scratch {
    packets: Vec<Packet>,
    keys: Vec<u64>,
    pub credits: Vec<Credit>,
    /// The earliest arbitration that is due, and whether those that wait for credits are.
    due: u64,
    credits_due: bool,
}

/// Loads as the switch sees them whose ports are advanced to `now`.
struct Loads<'t, 'a> {
    turns: &'t Turns<'a>,
    now: Time,
    vc: u8,
}

impl LoadView for Loads<'_, '_> {
    #[inline]
    fn near(&self, link: LinkId) -> u32 {
        let place = self.turns.place(link);
        self.turns.ports[place].queue(self.now)
    }

    #[inline]
    fn far(&self, link: LinkId) -> u32 {
        let place = self.turns.place(link);
        self.far_at(place)
    }

    #[inline]
    fn downstream(&self, link: LinkId) -> u32 {
        let place = self.turns.place(link);
        let port = &self.turns.ports[place];
        let unrecorded = port.reservation_begun(self.now);
        self.turns.reports.read(link, self.now, port.queue(self.now), unrecorded)
    }

    #[inline]
    fn remote_backlog(&self, link: LinkId) -> u32 {
        self.near(link) + self.far(link)
    }

    #[inline]
    fn backlog(&self, link: LinkId) -> u32 {
        let place = self.turns.place(link);
        self.turns.ports[place].queue(self.now) + self.far_at(place)
    }
}

impl Loads<'_, '_> {
    #[inline]
    fn far_at(&self, place: usize) -> u32 {
        let port = &self.turns.ports[place];
        let kind = &self.turns.kinds[usize::from(port.link_type) % Input::TYPES];
        let reserved = if port.is_reserved_on(self.vc, self.now) { kind.packet_cells } else { 0 };
        let credit = port.credit[usize::from(self.vc) % port.credit.len()];
        let outstanding = kind.cells - credit - reserved;
        kind.cell.bytes(outstanding.saturating_sub(kind.bdp))
    }
}

impl Turns<'_> {
    /// Advances a switch and its NICs until `pass_end`: the turn `nth` of those in `visits`.
    /// `is_first` in the first pass of a window.
    pub(super) fn turn<T: Traffic>(
        &mut self,
        nth: usize,
        is_first: bool,
        pass_end: Time,
        traffic: &mut T,
    ) {
        let unit = self.visits[nth] as usize;
        if is_first {
            self.collect_credits(unit);
        }
        self.prefetch(nth, pass_end);
        let mut packets = std::mem::take(&mut self.scratch.packets);
        let mut keys = std::mem::take(&mut self.scratch.keys);
        packets.clear();
        keys.clear();
        self.inboxes.take(unit, self.window, &mut packets);
        for (nth, p) in (0..).zip(&packets) {
            if p.head >= pass_end {
                self.inboxes.put_back(unit, self.window, p);
                continue;
            }
            let offset = p.head.0 - self.start.0;
            keys.push(offset << (64 - OFFSET_BITS) | u64::from(p.link.0) << POSITION_BITS | nth);
        }
        keys.sort_unstable();
        self.scratch.credits_due = is_first;
        self.scratch.due = if self.units[unit].waiting == 0 { u64::MAX } else { 0 };
        for &key in &keys {
            let mut p = packets[key as usize & ((1 << POSITION_BITS) - 1)];
            if p.head.0 > self.scratch.due {
                self.advance(unit, p.head);
            }
            self.arrive(unit, &mut p);
        }
        self.advance(unit, pass_end);
        self.counters.events += keys.len() as u64;
        (self.scratch.packets, self.scratch.keys) = (packets, keys);
        for packet in &self.grants.packets {
            let sender = packet.src.wrapping_sub(self.shard.first_nic) as usize;
            if let Some(sender) = self.senders.get(sender) {
                self.ack_lines.prefetch(AckLineId(sender.acks.last));
            }
        }
        let (first, last) = self.units[unit].nics;
        let mut next = NEVER;
        for nic in first as usize..last as usize {
            if self.wakes[nic] < pass_end {
                self.advance_nic(nic, pass_end, traffic);
            }
            next = next.min(self.wakes[nic]);
        }
        let Unit { waiting, lacking, .. } = self.units[unit];
        if waiting | lacking != 0 {
            self.due.mark(unit, self.window + 1);
        }
        self.mark_due(unit, next);
        self.grants.packets.clear();
        self.grants.entries.clear();
        self.inboxes.advance();
    }

    /// Adds the credits that count from this window on.
    fn collect_credits(&mut self, unit: usize) {
        let mut credits = std::mem::take(&mut self.scratch.credits);
        credits.clear();
        self.credits.take(unit, self.window, |credit| credits.push(credit));
        credits.iter().for_each(|&credit| self.add_credit(unit, credit));
        self.scratch.credits = credits;
    }

    /// Prefetches what later turns need, one step of its chain of reads per turn. Nearly nothing is
    /// scheduled for them within the window any more.
    #[inline]
    fn prefetch(&self, nth: usize, pass_end: Time) {
        let later = |by: usize| {
            let unit = *self.visits.get(nth + by)? as usize;
            Some((unit, self.units[unit]))
        };
        if let Some((unit, Unit { nics, .. })) = later(6) {
            self.inboxes.prefetch_list(unit, self.window);
            self.credits.prefetch(unit, self.window);
            (nics.0..nics.1).step_by(8).for_each(|nic| prefetch_at(&self.wakes, nic as usize));
        }
        if let Some((unit, Unit { nics, .. })) = later(4) {
            self.inboxes.prefetch_chunk(unit, self.window, 0);
            for nic in nics.0 as usize..nics.1 as usize {
                if self.wakes[nic] < pass_end {
                    base::prefetch_all_at(&self.nics, nic);
                    prefetch_at(&self.senders, nic);
                }
            }
        }
        if let Some((unit, Unit { ports, .. })) = later(3) {
            // Packets with a choice may read any port.
            if self.inboxes.prefetch_chunk(unit, self.window, 1) {
                (ports.0..ports.1).for_each(|place| prefetch_at(&self.ports, place as usize));
            }
        }
        if let Some((unit, _)) = later(2) {
            self.inboxes.prefetch_chunk(unit, self.window, 2);
            self.inboxes.each(unit, self.window, |p| {
                let next = (p.next & !CROSSES) as usize;
                if let Some(place) = self.places.get(next) {
                    base::prefetch(place);
                }
                self.machine.nic_switch.prefetch(p.dst);
                self.prefetch_buffer(p);
            });
        }
        if let Some((unit, Unit { nics, waiting, ports, .. })) = later(1) {
            self.inboxes.each(unit, self.window, |p| {
                let next = (p.next & !CROSSES) as usize;
                if next < self.places.len() {
                    prefetch_at(&self.ports, self.place(LinkId(next as u32)));
                }
            });
            for nic in nics.0 as usize..nics.1 as usize {
                if self.wakes[nic] < pass_end {
                    self.ack_lines.prefetch(AckLineId(self.senders[nic].acks.first));
                }
            }
            let mut waiting = waiting;
            while waiting != 0 {
                let at = ports.0 + waiting.trailing_zeros();
                prefetch_at(&self.ports, at as usize);
                waiting &= waiting - 1;
            }
        }
    }

    /// Handles all arbitrations of a switch that are due before `until`.
    #[inline(never)]
    fn advance(&mut self, unit: usize, until: Time) {
        let first = self.units[unit].ports.0 as usize;
        let with_credits = self.scratch.credits_due && until > self.start;
        let mut due = u64::MAX;
        let mut waiting = self.units[unit].waiting;
        while waiting != 0 {
            let place = first + waiting.trailing_zeros() as usize;
            waiting &= waiting - 1;
            let link = self.ports[place].link.0;
            if with_credits && !self.ports[place].armed {
                let order = EventCode::new(Phase::Arrive, kind::CREDIT, link, 0).order();
                self.arbitrate(unit, place, self.start, order);
            }
            while self.ports[place].armed {
                let free_at = self.ports[place].free_at;
                if free_at >= until {
                    due = due.min(free_at.0);
                    break;
                }
                self.ports[place].armed = false;
                let order = EventCode::new(Phase::Decide, kind::FREE, link, 0).order();
                self.arbitrate(unit, place, free_at, order);
            }
        }
        if with_credits {
            self.scratch.credits_due = false;
        } else if self.scratch.credits_due {
            due = 0;
        }
        self.scratch.due = due;
    }

    /// The head of `p` is at this switch.
    #[inline(always)]
    fn arrive(&mut self, unit: usize, p: &mut Packet) {
        let now = p.head;
        let (link, class) = self.next_hop(unit, p);
        let place = self.place(link);
        let port = &mut self.ports[place];
        let vc = if port.to == NONE { 0 } else { class };
        let kind = &self.kinds[usize::from(port.link_type) % Input::TYPES];
        let is_free = port.free_at <= now;
        let has_credit = port.credit[usize::from(vc)] >= kind.packet_cells;
        if is_free && port.waited_for == 0 && has_credit {
            port.settle_reservation(&mut self.reports, now);
            let order = EventCode::new(Phase::Arrive, kind::HEAD, p.link.0, 0).order();
            return self.enter(unit, p, place, vc, now, order);
        }
        self.wait(unit, p, place, vc, (is_free, has_credit));
    }

    /// The next link of a packet and its route class on it; sets its route.
    #[inline(always)]
    fn next_hop(&self, unit: usize, p: &mut Packet) -> (LinkId, u8) {
        let class = p.route.class;
        if p.next != NONE {
            let link = LinkId(p.next & !CROSSES);
            p.route.class += u8::from(p.next & CROSSES != 0);
            (p.route.decided, p.route.passed) = (true, true);
            p.route.hops += u8::from(link.0 >= 2 * self.machine.n_nics());
            return (link, class);
        }
        let loads = Loads { turns: self, now: p.head, vc: class };
        let (view, at) =
            (self.machine.initial_fabric(), SwitchId(self.shard.first_switch + unit as u32));
        let hop = self.machine.next_hop(view, at, p.dst, &mut p.route, p.draw, &loads);
        (hop.link, hop.vc)
    }

    /// Stores the next hop of `p`, in transit to switch `to`, if it has no choice any more.
    #[inline(always)]
    fn precompute_next_hop(&self, p: &mut Packet, to: u32) {
        p.next = match self.machine.single_path_hop(SwitchId(to), p.dst, p.route) {
            Some((after, hop)) if after.class > p.route.class => hop.link.0 | CROSSES,
            Some((_, hop)) => hop.link.0,
            None => NONE,
        };
    }

    /// `p` starts to wait for a channel of a port.
    #[inline(never)]
    fn wait(
        &mut self,
        unit: usize,
        p: &mut Packet,
        place: usize,
        vc: u8,
        (is_free, has_credit): (bool, bool),
    ) {
        let now = p.head;
        let port = &mut self.ports[place];
        port.settle_reservation(&mut self.reports, now);
        let can_reserve = self.reserves
            && port.waited_for == 0
            && port.reserved == 0
            && port.free_at < p.tail()
            && port.to != NONE
            && has_credit;
        if !is_free && can_reserve {
            self.count_waiting(place, now);
            let begins = self.ports[place].free_at;
            self.enter(unit, p, place, vc, begins, 0);
            let port = &mut self.ports[place];
            port.reserved = self.sizes.wire;
            port.reserved_vc = vc;
            port.reserved_ps = (port.free_at - begins).0 as u32;
            return;
        }
        let link = p.link;
        self.enqueue(p, place, vc);
        self.count_waiting(place, now);
        self.units[unit].waiting |= 1 << (place - self.units[unit].ports.0 as usize);
        let port = &mut self.ports[place];
        self.is_congested |= port.to == NONE && u64::from(port.waiting) > self.threshold;
        if !is_free {
            port.armed = true;
            self.scratch.due = self.scratch.due.min(port.free_at.0);
        } else if !port.armed {
            let order = EventCode::new(Phase::Arrive, kind::HEAD, link.0, 0).order();
            self.arbitrate(unit, place, now, order);
            let port = &self.ports[place];
            if port.armed {
                self.scratch.due = self.scratch.due.min(port.free_at.0);
            }
        }
    }

    /// Adds a packet to those that wait for a port.
    fn count_waiting(&mut self, place: usize, now: Time) {
        let port = &mut self.ports[place];
        self.reports.note(port.link, now, port.queue(now));
        port.waiting += u32::from(self.sizes.wire);
        port.queue_max = port.queue_max.max(port.waiting);
    }

    /// Appends `p` to its VOQ.
    fn enqueue(&mut self, p: &Packet, place: usize, vc: u8) {
        let packet = self.waiting.insert(Packet { next: NONE, ..*p });
        let (list, waited_for) =
            (place * self.n_vcs + usize::from(vc), &mut self.ports[place].waited_for);
        let mut entry = VoqList::EMPTY;
        if *waited_for & (1 << vc) != 0 {
            entry = self.lists[list];
            if let Some(voq) = self.voqs.find(entry, p.link) {
                let tail = std::mem::replace(&mut voq.tail, packet);
                self.waiting[tail].next = packet.0;
                return;
            }
        }
        *waited_for |= 1 << vc;
        let arbitration_key = self.arbiter.next_key(Time::ZERO);
        let (input, bytes) = (p.link, self.sizes.wire);
        let voq = Voq { arbitration_key, input, head: packet, tail: packet, bytes };
        self.voqs.add(&mut entry, voq);
        self.lists[list] = entry;
    }

    /// Removes the next packet of a channel.
    fn dequeue(&mut self, place: usize, vc: u8) -> PacketId {
        let list = place * self.n_vcs + usize::from(vc);
        let entry = self.lists[list];
        let voq = *self.voqs.first(entry);
        if voq.head == voq.tail {
            self.voqs.remove(&mut self.lists[list]);
            if entry.len() == 1 {
                self.ports[place].waited_for &= !(1 << vc);
            }
        } else {
            let head = PacketId(self.waiting[voq.head].next);
            let arbitration_key = self.arbiter.next_key(Time::ZERO);
            self.voqs.requeue_first(entry, Voq { arbitration_key, head, ..voq });
        }
        voq.head
    }

    /// Grants a free port to a waiting packet with credit, if there is one. `order` is that of the
    /// event in which this happens.
    fn arbitrate(&mut self, unit: usize, place: usize, now: Time, order: u32) {
        let port = &self.ports[place];
        let needed = self.kinds[usize::from(port.link_type)].packet_cells;
        let mut best: Option<(u64, u8)> = None;
        for vc in ones(port.waited_for.into()) {
            let entry = self.lists[place * self.n_vcs + usize::from(vc)];
            let key = self.voqs.first(entry).arbitration_key;
            if best.is_none_or(|(least, _)| key < least) && port.credit[usize::from(vc)] >= needed {
                best = Some((key, vc));
            }
        }
        let Some((_, vc)) = best else {
            if !port.stalled {
                self.ports[place].stalled = true;
                self.stalls[place].0 = now;
            }
            return;
        };
        let packet = self.dequeue(place, vc);
        let port = &mut self.ports[place];
        port.settle_reservation(&mut self.reports, now);
        self.reports.note(port.link, now, port.queue(now));
        port.waiting -= u32::from(self.sizes.wire);
        if port.stalled {
            port.stalled = false;
            let (since, sum) = &mut self.stalls[place];
            *sum += now.since(*since);
        }
        if port.waited_for != 0 {
            port.armed = true;
        } else {
            self.units[unit].waiting &= !(1 << (place - self.units[unit].ports.0 as usize));
        }
        let mut p = self.waiting[packet];
        self.waiting.free(packet);
        self.enter(unit, &mut p, place, vc, now, order);
    }

    /// The head of `p` enters a port at `start`, when it is free, with credit.
    #[inline(always)]
    fn enter(
        &mut self,
        unit: usize,
        p: &mut Packet,
        place: usize,
        vc: u8,
        start: Time,
        order: u32,
    ) {
        let port = &mut self.ports[place];
        let link_type = port.link_type;
        let Kind { latency, serial, packet_cells, is_slower_than_nic, .. } =
            self.kinds[usize::from(link_type) % Input::TYPES];
        let gone = (start + serial).max(p.tail());
        let vacated = p.input;
        let local = place as u32 - self.units[unit].ports.0;
        port.credit[usize::from(vc)] -= packet_cells;
        port.free_at = gone;
        port.packets += 1;
        let (tail, mut head) = (gone + latency, start + latency);
        p.traveled += latency.0 as u32;
        let switch = self.shard.first_switch + unit as u32;
        (p.link, p.input) = (port.link, Input::new(switch, local, vc, link_type));
        let (to, nic) = (port.to, port.nic);
        if is_slower_than_nic && to == self.machine.nic_switch[p.dst].0 && to != NONE {
            head = head.max(self.contiguous_start(p, tail));
        }
        p.head = head;
        p.tail_after = (tail - head).0 as u32;
        self.free_buffer(vacated, gone);
        if to == NONE {
            return self.grant_to_nic(nic, p, Entry { at: start, order, next: NONE });
        }
        self.precompute_next_hop(p, to);
        let to_unit = to.wrapping_sub(self.shard.first_switch);
        if to_unit as usize >= self.units.len() {
            return self.shard.mail_head(to, p);
        }
        let window = self.window_of(head);
        self.due.mark(to_unit as usize, window);
        self.inboxes.send(to_unit, window, p);
    }

    /// The earliest time at which `p`, in transit to its last switch, can enter the ejection link
    /// and cross it without a pause (`Nics::contiguous_start`).
    #[inline(never)]
    fn contiguous_start(&self, p: &Packet, tail: Time) -> Time {
        // The ejection link may be one of another shard.
        let gap = self.machine.links.gap[self.machine.ejection(p.dst)];
        let serial = gap.span(self.sizes.wire.into());
        Time(tail.0.saturating_sub(serial.max(self.sizes.host).0))
    }

    /// Adds a packet to those that have entered the ejection link of a NIC in this turn.
    fn grant_to_nic(&mut self, nic: u32, p: &Packet, entry: Entry) {
        let at = self.grants.entries.len() as u32;
        let wake = &mut self.wakes[nic as usize];
        *wake = entry.at.min(*wake);
        if let Some(sender) = self.senders.get(p.src.wrapping_sub(self.shard.first_nic) as usize) {
            base::prefetch(sender);
        }
        self.grants.packets.push(*p);
        self.grants.entries.push(entry);
        let (first, last) = &mut self.nics[nic as usize].granted;
        match *last {
            NONE => *first = at,
            last => self.grants.entries[last as usize].next = at,
        }
        *last = at;
    }

    /// A packet leaves its NIC for its switch; its head enters the link at `now`.
    #[inline]
    pub(super) fn inject(&mut self, nic: usize, mut p: Packet, now: Time) {
        let state = &mut self.nics[nic];
        let link_type = state.link_type;
        let Kind { latency, serial, packet_cells, is_slower_than_nic, .. } =
            self.kinds[usize::from(link_type) % Input::TYPES];
        let gone = now + serial.max(self.sizes.host);
        state.credit -= packet_cells;
        state.free_at = gone;
        state.sent += 1;
        let (switch, id) = (state.switch, state.id);
        let unit = switch.0 - self.shard.first_switch;
        let local = Input::NICS + nic as u32 - self.units[unit as usize].nics.0;
        let (tail, mut head) = (gone + latency, now + latency);
        p.traveled = latency.0 as u32;
        p.link = self.machine.injection(id);
        p.input = Input::new(switch.0, local, 0, link_type);
        if is_slower_than_nic && switch == self.machine.nic_switch[p.dst] {
            head = head.max(self.contiguous_start(&p, tail));
        }
        p.head = head;
        p.tail_after = (tail - head).0 as u32;
        self.counters.injected += 1;
        self.precompute_next_hop(&mut p, switch.0);
        let window = self.window_of(head);
        self.due.mark(unit as usize, window);
        self.inboxes.send(unit, window, &p);
    }
}
