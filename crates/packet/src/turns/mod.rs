//! The window engine for open-loop traffic of one packet size (docs/models/window-engine.md).
//!
//! One switch with its NICs is advanced by a window at a time. Output ports have no events: they
//! are advanced when an arrival needs them. Only heads are sorted. Packets move by value to the
//! inbox of the next switch, and the ports and NICs of a switch are contiguous. Rules and order
//! are those of `PacketNetwork`, so results are equal to the last bit; `Layout::new` names what is
//! missing.

use base::{Slab, Span, Time};
use machine::{LinkEnd, LinkId, Machine, NicId};
use net::{Completion, Counters, LinkTraffic, Message, Origin, Partition};

use crate::credit::{Cell, LinkType};
use crate::packet::{AckLineId, NEVER, NONE, PacketId};
use crate::pending_acks::AckLine;
use crate::reports::Reports;
use crate::voq::{Arbiter, VoqList, VoqStore};
use credits::{Credit, Credits, Input};
use due::{AHEAD, Due};
use inbox::Inboxes;
pub use layout::Layout;
use nic::{Nic, Sender};
use port::Port;
use shard::Shard;
pub use shard::TurnMail;

mod credits;
mod due;
mod inbox;
mod layout;
mod nic;
mod port;
mod shard;
mod switch;

/// Windows for which heads and credits may be in transit.
const SLOTS: u64 = 8;
/// Sources of the traffic, and its receivers.
pub trait Traffic {
    /// The next packet of a source: its generation time and number. None if it has no more.
    fn generate(&mut self, source: u32) -> Option<(Time, u32)>;
    /// Receiver and random draw of packet `nth` of a source.
    fn route(&self, source: u32, nth: u32) -> (NicId, u64);
    /// Packet `nth` of a source, generated at `at`, is complete at `seen`.
    fn deliver(&mut self, source: u32, nth: u32, at: Time, seen: Time);
}

/// A packet in a switch or in transit to one, or a message in its NIC. One cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Packet {
    /// When the head is ready for a routing decision.
    head: Time,
    generated_at: Time,
    draw: u64,
    route: machine::Route,
    /// From `head` until the tail has arrived, ps.
    tail_after: u32,
    /// Its source's NIC, by place in the whole network, and its number there.
    src: u32,
    nth: u32,
    dst: NicId,
    /// Sum of the latencies of all links so far, ps.
    traveled: u32,
    /// The link it arrived by, and its channel there.
    link: LinkId,
    input: Input,
    /// Next packet of a list.
    next: u32,
}
const _: () = assert!(size_of::<Packet>() == 64);

impl Packet {
    fn tail(&self) -> Time {
        self.head + Span(self.tail_after.into())
    }
}

/// Parameters of a type of links for packets of the one size.
#[derive(Clone, Copy)]
struct Kind {
    latency: Span,
    cable: Span,
    /// Time of a packet.
    serial: Span,
    /// Cells of a packet, of a channel, and of the bandwidth-delay product.
    packet_cells: u16,
    cells: u16,
    bdp: u16,
    cell: Cell,
    is_slower_than_nic: bool,
}

impl Kind {
    fn new(link_type: &LinkType, bytes: u16) -> Kind {
        let &LinkType { gap, latency, cable, cell, cells, bdp, is_slower_than_nic, .. } = link_type;
        let (serial, packet_cells) = (gap.span(bytes.into()), cell.count_packet(bytes));
        Kind { latency, cable, serial, packet_cells, cells, bdp, cell, is_slower_than_nic }
    }
}

/// Times and sizes of a packet at its NICs.
struct Sizes {
    payload: u64,
    wire: u16,
    /// Times of the shared part of the host interface and of one direction.
    shared_time: Span,
    host: Span,
    is_unlimited: bool,
    /// From the command until the packet is ready.
    before: Span,
    message_gap: Span,
    window: u32,
    /// From the end of the receipt until the receiver sees it.
    completion_delay: Span,
}

/// The links and NICs of a switch: ranges of places.
#[derive(Clone, Copy)]
struct Unit {
    ports: (u32, u32),
    nics: (u32, u32),
    /// Ports with waiting packets, and NICs without credit that wait for it, one bit each.
    waiting: u64,
    lacking: u64,
}

/// A shard of the network, and the state of its simulation.
pub struct Turns<'a> {
    machine: &'a Machine,
    /// `Layout::places`.
    places: &'a [u32],
    /// Length of a window, ps.
    length: u64,
    /// Start and number of the current window; until when it has been simulated.
    start: Time,
    window: u64,
    now: Time,
    kinds: [Kind; Input::TYPES],
    sizes: Sizes,
    reserves: bool,
    threshold: u64,
    n_vcs: usize,
    units: Vec<Unit>,
    due: Due,
    /// The switches of this pass.
    visits: Vec<u32>,
    /// Ports by place: those of a switch are contiguous, ejection links included.
    ports: Vec<Port>,
    /// By port: start of the current stall, if any, and the sum of all previous ones.
    stalls: Vec<(Time, Span)>,
    lists: Vec<VoqList>,
    voqs: VoqStore,
    arbiter: Arbiter,
    reports: Reports,
    waiting: Slab<PacketId, Packet>,
    credits: Credits,
    shard: Shard,
    /// Scratch.
    late_credits: Vec<(u32, Credit)>,
    inboxes: Inboxes,
    nics: Vec<Nic>,
    /// By NIC: its sending window; its stalls, as `stalls`; the time of its earliest event.
    senders: Vec<Sender>,
    nic_stalls: Vec<(Time, Span)>,
    wakes: Vec<Time>,
    ack_lines: Slab<AckLineId, AckLine>,
    grants: nic::Grants,
    scratch: switch::Scratch,
    counters: Totals,
    /// Packets generated here, less those delivered here, modulo 2^64.
    live: u64,
    is_congested: bool,
    turns: u64,
}

#[derive(Default)]
struct Totals {
    injected: u64,
    delivered: u64,
    hops: u64,
    nonminimal: u64,
    events: u64,
}

impl<'a> Turns<'a> {
    /// Shard `own` of the network.
    pub fn new(
        machine: &'a Machine,
        layout: &'a Layout,
        payload: u64,
        partition: &Partition,
        own: usize,
    ) -> Self {
        let sizes = Sizes::new(machine, payload);
        let types = &layout.types;
        let kind = |at: usize| Kind::new(&types[at as u8], sizes.wire);
        let (shard, switches) = Shard::new(partition, own, &layout.units);
        let (units, order, nic_ids) = layout.of(switches);
        let n_vcs = usize::from(machine.n_vcs);
        let ports: Vec<Port> = base::packed(order.iter().map(|&link| {
            let to = match machine.links.to[link] {
                LinkEnd::Switch(switch) => switch.0,
                LinkEnd::Nic(_) => NONE,
            };
            let nic = match machine.links.to[link] {
                LinkEnd::Switch(_) => NONE,
                LinkEnd::Nic(nic) => layout.places[nic.0 as usize] - shard.first_nic,
            };
            let link_type = layout.link_types[link];
            Port::new(link, (to, nic), link_type, types[link_type].cells)
        }));
        let nics: Vec<Nic> = base::packed(nic_ids.iter().map(|&nic| {
            let link_type = layout.link_types[machine.injection(nic)];
            let credit = types[link_type].cells;
            Nic::new(nic, machine.nic_switch[nic], link_type, credit)
        }));
        let reserves = crate::link::may_reserve(machine);
        Turns {
            machine,
            places: &layout.places,
            length: machine.credit_epoch.expect("`Layout::new` permits the machine").0,
            start: Time::ZERO,
            window: 0,
            now: Time::ZERO,
            kinds: std::array::from_fn(kind),
            reserves,
            threshold: machine.congestion.map_or(u64::MAX, |params| params.threshold.into()),
            n_vcs,
            stalls: vec![(Time::ZERO, Span::ZERO); ports.len()],
            lists: vec![VoqList::EMPTY; ports.len() * n_vcs],
            ports,
            voqs: VoqStore::with_capacity(nics.len()),
            arbiter: Arbiter::new(machine.arbitration),
            reports: Reports::new(machine),
            waiting: Slab::with_capacity(nics.len()),
            credits: Credits::new(shard.first_switch, units.len()),
            shard,
            late_credits: Vec::new(),
            inboxes: Inboxes::new(units.len()),
            ack_lines: Slab::with_capacity(nics.len()),
            grants: nic::Grants::default(),
            scratch: switch::Scratch::default(),
            counters: Totals::default(),
            live: 0,
            is_congested: false,
            turns: 0,
            due: Due::new(units.len()),
            visits: Vec::with_capacity(units.len()),
            units,
            senders: vec![Sender::IDLE; nics.len()],
            nic_stalls: vec![(Time::ZERO, Span::ZERO); nics.len()],
            wakes: vec![NEVER; nics.len()],
            nics,
            sizes,
        }
    }

    /// The NIC `nic` sends the packets of `source`.
    pub fn add_source(&mut self, nic: NicId, source: u32, traffic: &mut impl Traffic) {
        let place = self.places[nic.0 as usize];
        if let Some(known) = self.shard.sources.get_mut(place as usize) {
            *known = source;
        }
        let own = place.wrapping_sub(self.shard.first_nic) as usize;
        if let Some(sender) = self.senders.get_mut(own) {
            sender.source = source;
            self.schedule(own, traffic);
            self.mark_due(self.unit_of(own), self.wakes[own]);
        }
    }

    /// Simulates this shard until the end of the window, and at most until `end`. Its mail must
    /// reach the other shards before the next pass.
    pub fn pass<T: Traffic>(&mut self, end: Time, traffic: &mut T) {
        let window_end = self.start + Span(self.length);
        let pass_end = end.min(window_end);
        let is_first = self.now == self.start;
        if is_first {
            self.return_late_credits();
        }
        self.due.list(self.window, &mut self.visits);
        for nth in 0..self.visits.len() {
            self.turn(nth, is_first, pass_end, traffic);
        }
        self.inboxes.deliver();
        self.now = pass_end;
        if pass_end == window_end {
            self.due.clear(self.window);
            self.start = window_end;
            self.window += 1;
        }
        self.turns += 1 + self.visits.len() as u64;
    }

    /// Until when everything has been simulated.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Packets generated in this shard, less those delivered in it.
    pub fn live(&self) -> i64 {
        self.live as i64
    }

    /// Whether an ejection link has become congested, and congestion management is on, which is
    /// not modeled here.
    pub fn is_congested(&self) -> bool {
        self.is_congested
    }

    /// Turns and events so far.
    pub fn work(&self) -> u64 {
        self.turns + self.counters.events
    }

    /// The place of a port, which is one of this shard; that of another is out of range.
    #[inline(always)]
    fn place(&self, link: LinkId) -> usize {
        self.places[link.0 as usize].wrapping_sub(self.shard.first_port) as usize
    }

    /// The number of the window of `at`, which is not before the current one.
    #[inline]
    fn window_of(&self, at: Time) -> u64 {
        let ahead = (at.0 - self.start.0) as u32 / self.length as u32;
        self.window + u64::from(ahead)
    }

    /// A NIC of a switch has an event at `at`, which is not before the current window.
    #[inline]
    fn mark_due(&mut self, unit: usize, at: Time) {
        if at != NEVER {
            let most = self.length * AHEAD - 1;
            let at = self.start + Span((at.0 - self.start.0).min(most));
            self.due.mark(unit, self.window_of(at));
        }
    }

    /// The buffer of `input` is free from `gone` on. Its credit counts from the next window after
    /// its return.
    #[inline]
    fn free_buffer(&mut self, input: Input, gone: Time) {
        let returns_at = gone + self.kinds[input.link_type()].cable;
        let ahead = (returns_at.0 - self.start.0) / self.length + 1;
        match self.credits.place(input) {
            Some(switch) => self.send_credit(switch, input, ahead),
            None => self.shard.mail_credit(input, self.window + ahead),
        }
    }

    /// A credit for `input` of a switch counts from `ahead` windows after the current one on.
    #[inline]
    fn send_credit(&mut self, switch: usize, input: Input, ahead: u64) {
        if self.credits.is_used_before(switch, self.window + ahead) {
            self.add_earlier_credits(switch, self.window + ahead);
        }
        self.credits.send(switch, input, self.window, ahead);
    }

    /// Adds the credits at the place for `window`, which count already.
    #[cold]
    fn add_earlier_credits(&mut self, unit: usize, window: u64) {
        let mut credits = std::mem::take(&mut self.scratch.credits);
        credits.clear();
        self.credits.take_at(unit, window, self.window, &mut |credit| credits.push(credit));
        credits.iter().for_each(|&credit| self.add_credit(unit, credit));
        self.scratch.credits = credits;
    }

    /// Prefetches what the credit of a packet's buffer needs, if the packet does not wait.
    #[inline]
    fn prefetch_buffer(&self, p: &Packet) {
        let Kind { cable, serial, .. } = self.kinds[p.input.link_type()];
        let returns_at = p.head + serial + cable;
        let ahead = returns_at.0.saturating_sub(self.start.0) / self.length + 1;
        self.credits.prefetch_input(p.input, self.window + ahead);
    }

    /// A credit counts from now on, at the start of a window.
    #[inline]
    fn add_credit(&mut self, unit: usize, credit: Credit) {
        let Unit { ports, nics, .. } = self.units[unit];
        if credit.local() < Input::NICS {
            let port = &mut self.ports[(ports.0 + credit.local()) as usize];
            let cells = self.kinds[usize::from(port.link_type) % Input::TYPES].packet_cells;
            port.credit[credit.vc()] += cells;
            return;
        }
        let nth = (nics.0 + credit.local() - Input::NICS) as usize;
        let nic = &mut self.nics[nth];
        nic.credit += self.kinds[usize::from(nic.link_type) % Input::TYPES].packet_cells;
        nic.credit_returned = true;
        if nic.waits_for_credit {
            self.wakes[nth] = self.start;
        }
    }

    fn return_late_credits(&mut self) {
        let mut late = std::mem::take(&mut self.late_credits);
        self.credits.take_others(self.window, &mut late);
        late.iter().for_each(|&(unit, credit)| self.add_credit(unit as usize, credit));
        self.late_credits = late;
    }

    /// Packets delivered, their hops, and those on nonminimal paths.
    pub fn sums(&self) -> (u64, u64, u64) {
        (self.counters.delivered, self.counters.hops, self.counters.nonminimal)
    }

    pub fn events(&self) -> u64 {
        self.counters.events
    }

    /// Adds all counts to `counters`.
    pub fn report(&self, counters: &mut Counters) {
        let Totals { injected, delivered, hops, nonminimal, .. } = self.counters;
        counters.injected_packets += injected;
        counters.delivered_packets += delivered;
        counters.delivered_payload += delivered * self.sizes.payload;
        counters.hops += hops;
        counters.nonminimal += nonminimal;
        let wire = u64::from(self.sizes.wire);
        let traffic = |packets| LinkTraffic { bytes: packets * wire, packets };
        for (port, &(_, stalled)) in self.ports.iter().zip(&self.stalls) {
            if port.packets > 0 || port.queue_max > 0 {
                counters.links[port.link] += traffic(port.packets);
                counters.stalled[port.link] += stalled;
                counters.queue_max[port.link] = port.queue_max;
            }
        }
        let stalls = self.nic_stalls.iter().map(|&(_, sum)| sum);
        for (nic, stalled) in self.nics.iter().zip(stalls).filter(|(nic, _)| nic.sent > 0) {
            let link = self.machine.injection(nic.id);
            counters.links[link] += traffic(nic.sent);
            counters.stalled[link] += stalled;
            counters.nic(nic.id).requests += nic.sent;
        }
    }

    /// Asserts that no packet waits, that all credits are available or in transit, and that all
    /// acknowledgements have arrived or are in transit.
    pub fn assert_idle(&self) {
        assert_eq!(self.waiting.live(), 0, "packets left in the network");
        let mut due = vec![[0; Input::VCS as usize]; self.ports.len()];
        let mut due_at_nics = vec![0; self.nics.len()];
        self.credits.each(|unit, credit| {
            let Unit { ports, nics, .. } = self.units[unit as usize];
            match credit.local().checked_sub(Input::NICS) {
                None => due[(ports.0 + credit.local()) as usize][credit.vc()] += 1,
                Some(nth) => due_at_nics[(nics.0 + nth) as usize] += 1,
            }
        });
        for (port, due) in self.ports.iter().zip(due) {
            let kind = &self.kinds[usize::from(port.link_type)];
            for (credit, due) in port.credit.iter().zip(due) {
                assert_eq!(credit + due * kind.packet_cells, kind.cells, "lost credit");
            }
            assert_eq!((port.queue(Time(u64::MAX)), port.waited_for), (0, 0), "packets wait");
        }
        for ((nic, sender), due) in self.nics.iter().zip(&self.senders).zip(due_at_nics) {
            let kind = &self.kinds[usize::from(nic.link_type)];
            assert_eq!(nic.credit + due * kind.packet_cells, kind.cells, "lost credit of a NIC");
            let acks = sender.acks.len(&self.ack_lines);
            assert_eq!(sender.in_flight, acks, "NIC {:?} lacks acknowledgements", nic.id);
        }
    }

    /// Bytes of memory held, without those of the layout.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.ports[..])
            + size_of_val(&self.stalls[..])
            + size_of_val(&self.lists[..])
            + self.credits.bytes()
            + self.due.bytes()
            + self.shard.bytes()
            + size_of_val(&self.nics[..])
            + size_of_val(&self.senders[..])
            + size_of_val(&self.nic_stalls[..])
            + size_of_val(&self.wakes[..])
            + self.voqs.bytes()
            + self.reports.held()
            + self.waiting.bytes()
            + self.inboxes.bytes()
            + self.ack_lines.bytes()
    }
}

impl Sizes {
    fn new(machine: &Machine, payload: u64) -> Sizes {
        let params = &machine.nic;
        // Sources have their data in the NIC, as in `traffic`.
        let template = Message::new(NicId(0), NicId(0), payload, 0);
        let template = Message { origin: Origin::Nic, ..template };
        debug_assert_eq!(template.completion, Completion::Target);
        let (shared_time, one_way) =
            (params.host_gap.span(payload), params.host_gap_one_way.span(payload));
        let is_full = payload == params.packet_payload;
        let lead = if is_full { template.staging_lead(params) } else { Span::ZERO };
        let fetch = Origin::Nic.fetch(payload, params);
        Sizes {
            payload,
            wire: (payload + params.packet_overhead) as u16,
            shared_time,
            host: shared_time.max(one_way),
            is_unlimited: params.host_gap == base::Gap::ZERO
                && params.host_gap_one_way == base::Gap::ZERO,
            before: params.send_latency + params.block_start(payload) + fetch,
            message_gap: params.message_gap,
            window: params.window,
            completion_delay: lead + template.completion_delay(params),
        }
    }
}
