//! A message in flight: its remaining work, its rate, and the subflows that carry it.

use base::{Span, Time};
use fluid::MaxMin;
use machine::{LinkId, Machine};
use net::{Message, MsgId, Packetization};

use crate::fabric::{HeaderBytes, PacketWeight};
use crate::offered_load::{OfferedLoad, PacketDemand};
use crate::packet_path::PacketEnds;
use crate::subflow::{MAX_SUBFLOWS, Subflow};

base::ids! {
    /// A message in flight.
    InFlightId,
}

/// The first link of a message without a head-of-line backlog.
pub(crate) const NO_LINK: LinkId = LinkId(u32::MAX);

/// Packets per reroute. Blocked in-flight messages whose level other arrivals change reroute at
/// instants at most their undisturbed duration apart, and at most once per this number of packets
/// [estimate].
///
/// Messages of similar size share instants, at multiples of a power of two. So many choose with one
/// solve, and their number does not change how often each one reroutes. (When all rerouted with the
/// first due one, folded runs were 14 % off.) Shifting all commands in time therefore changes the
/// mean of 1,024 messages and more by up to 2 %.
const PACKETS_PER_REROUTE: u64 = 2;

/// A message from its command to its last byte. The first fields are those read at every solve.
#[repr(C)]
pub(crate) struct InFlight {
    /// Remaining work: rate x time.
    pub left: u128,
    /// Current rate, and the time from which it holds.
    pub rate: u64,
    pub since: Time,
    /// Undisturbed rate, packets per 2^52 ps.
    pub unloaded_rate: u64,
    /// The rate that its share of links and NICs allows.
    pub fair_rate: u64,
    /// Work of one packet.
    pub packet_work: u64,
    pub weight: PacketWeight,
    /// Sampled packets, each with a path of its own.
    pub samples: u32,
    n_subflows: u32,
    /// Paths drawn so far.
    n_drawn: u32,
    /// Index of its class share, and the ceiling of its traffic class, percent.
    pub class: u8,
    ceiling: u8,
    pub msg: Message,
    subflows: [Subflow; MAX_SUBFLOWS as usize],
    pub total_work: u128,
    pub id: MsgId,
    pub extra: HeaderBytes,
    pub packetization: Packetization,
    /// When its head leaves, including waiting at the receiving NIC.
    pub start: Time,
    /// When its head arrived, and how long an undisturbed message takes from then on.
    pub head_arrived: Time,
    pub stream_time: Span,
    /// Interval from the last but one to the last packet of an undisturbed message.
    pub last: Span,
    /// Demand of each sampled packet.
    pub demand: PacketDemand,
    /// Work carried by earlier subflows, and how many packets of it have been counted.
    pub carried: u128,
    pub counted: u64,
    /// Work of the backlog, which goes last by the shortest path; and whether only that is left.
    pub backlog: u128,
    pub is_draining: bool,
    /// It has waited for the receiving NIC.
    pub is_admitted: bool,
    /// How often it may reroute while it is in flight.
    pub reroutes_left: u64,
    /// Number of messages commanded before it.
    pub sequence: u64,
    /// First link of its shortest path, and the hops between switches, if it can have a
    /// head-of-line backlog.
    pub shortest_first: LinkId,
    pub shortest_hops: u32,
    /// The head-of-line backlog leaves no buffer space, so no sampled packet is faster than
    /// `lockstep_level`.
    pub is_buffer_full: bool,
    lockstep_level: u64,
}

/// What a message is when it is commanded.
pub(crate) struct Command {
    pub id: MsgId,
    pub msg: Message,
    /// When its head leaves if undisturbed.
    pub start: Time,
    pub extra: HeaderBytes,
    pub packetization: Packetization,
    pub weight: PacketWeight,
    /// See the fields of `InFlight`.
    pub samples: u32,
    pub unloaded_rate: u64,
    pub class: u8,
    pub ceiling: u8,
    pub sequence: u64,
}

impl InFlight {
    /// A message without paths.
    pub fn new(command: Command) -> InFlight {
        let Command { id, msg, start, extra, packetization, weight, samples, .. } = command;
        InFlight {
            id,
            msg,
            extra,
            packetization,
            weight,
            samples,
            class: command.class,
            ceiling: command.ceiling,
            n_drawn: 0,
            unloaded_rate: command.unloaded_rate,
            fair_rate: 0,
            rate: 0,
            start,
            since: start,
            left: 0,
            total_work: 0,
            packet_work: 1,
            head_arrived: start,
            stream_time: Span::ZERO,
            last: Span::ZERO,
            demand: PacketDemand::default(),
            subflows: [Subflow::NONE; MAX_SUBFLOWS as usize],
            n_subflows: 0,
            carried: 0,
            counted: 0,
            backlog: 0,
            is_draining: false,
            is_admitted: false,
            reroutes_left: packetization.packets / PACKETS_PER_REROUTE,
            sequence: command.sequence,
            shortest_first: NO_LINK,
            shortest_hops: 0,
            is_buffer_full: false,
            lockstep_level: u64::MAX,
        }
    }

    /// Sets its undisturbed duration after the arrival of the head: the total, and that of the last
    /// packet.
    pub fn set_duration(&mut self, all: Span, last: Span) {
        (self.stream_time, self.last) = (all, last);
        self.total_work = u128::from(all.0) * u128::from(self.unloaded_rate);
        self.left = self.total_work;
        let each = self.total_work / u128::from(self.packetization.packets);
        self.packet_work = u64::try_from(each).unwrap_or(u64::MAX).max(1);
    }

    pub fn endpoints(&self) -> PacketEnds {
        let Message { src, dst, .. } = self.msg;
        PacketEnds { src, dst, has_response: self.weight.response > 0 }
    }

    pub fn subflows(&self) -> &[Subflow] {
        &self.subflows[..self.n_subflows as usize]
    }

    pub fn subflows_mut(&mut self) -> &mut [Subflow] {
        &mut self.subflows[..self.n_subflows as usize]
    }

    /// For prefetching.
    pub fn first_subflow(&self) -> &Subflow {
        &self.subflows[0]
    }

    pub fn clear_subflows(&mut self) {
        self.n_subflows = 0;
    }

    pub fn push_subflow(&mut self, subflow: Subflow) {
        self.subflows[self.n_subflows as usize] = subflow;
        self.n_subflows += 1;
    }

    /// Takes the `nth` subflow out of the list; the last one takes its place.
    pub fn swap_remove_subflow(&mut self, nth: usize) {
        self.n_subflows -= 1;
        self.subflows[nth] = self.subflows[self.n_subflows as usize];
    }

    /// The random draw of its next packet.
    pub fn next_draw(&mut self, machine: &Machine) -> u64 {
        let draw = Message::packet_draw(self.msg.draw, self.n_drawn);
        self.n_drawn += 1;
        if self.msg.in_order && machine.keeps_flows {
            Message::draw_in_order(self.msg.draw)
        } else {
            draw
        }
    }

    /// Undisturbed rate, limited by the ceiling of its class. Routers do not know the ceiling:
    /// everything that NICs have sent waits for a link of such a class.
    pub fn max_rate(&self) -> u64 {
        match self.ceiling {
            100 => self.unloaded_rate,
            ceiling => (u128::from(self.unloaded_rate) * u128::from(ceiling) / 100) as u64,
        }
    }

    /// The slowest subflow that is blocked between switches, if that limits the message.
    pub fn slowest_blocked(&self) -> Option<usize> {
        if self.samples == 1 || self.is_draining || self.rate >= self.max_rate() {
            return None;
        }
        let subflows = self.subflows().iter().enumerate();
        let blocked = subflows.filter(|(_, subflow)| subflow.is_blocked());
        blocked.min_by_key(|(_, subflow)| subflow.level).map(|(nth, _)| nth)
    }

    /// Takes the levels of its subflows from `sharing`, after a solve.
    pub fn take_levels(&mut self, sharing: &MaxMin, offered_load: &mut OfferedLoad) {
        let demand = self.demand;
        for subflow in self.subflows_mut() {
            subflow.level = sharing.level_of(subflow.flow);
            let at = sharing.bottleneck(subflow.flow);
            subflow.block_at(at, demand, sharing, offered_load);
        }
    }

    /// Computes the rate from the levels of its subflows. Returns when it ends or starts to drain.
    pub fn update_rate(&mut self) -> Time {
        let subflows = &self.subflows[..self.n_subflows as usize];
        let rate = |max_rate: u64| -> u64 {
            subflows
                .iter()
                .map(|subflow| subflow.level.min(max_rate) * u64::from(subflow.count))
                .sum()
        };
        (self.lockstep_level, self.rate) = (u64::MAX, rate(u64::MAX));
        if self.is_buffer_full && self.rate < self.max_rate() {
            let shortest = subflows.iter().filter(|subflow| subflow.is_minimal);
            self.lockstep_level = shortest.map(|subflow| subflow.level).min().unwrap_or(u64::MAX);
            self.rate = rate(self.lockstep_level);
        }
        // Limits of hosts and NICs are the reason for its undisturbed duration.
        let speed = self.rate.min(self.unloaded_rate);
        // A short remainder fits into a word, which divides faster.
        let before_backlog = self.left.saturating_sub(self.backlog);
        let needs = match u64::try_from(before_backlog) {
            Ok(left) => left.div_ceil(speed),
            Err(_) => u64::try_from(before_backlog.div_ceil(u128::from(speed))).unwrap_or(u64::MAX),
        };
        Time(self.since.0.saturating_add(needs))
    }

    /// Accounts the work until `now`.
    pub fn advance(&mut self, now: Time) {
        let time = u128::from(now.since(self.since).0);
        self.since = now;
        self.left = self.left.saturating_sub(u128::from(self.rate.min(self.unloaded_rate)) * time);
        let lockstep_level = self.lockstep_level;
        for subflow in self.subflows_mut() {
            let level = subflow.level.min(lockstep_level);
            subflow.carried += u128::from(level) * u128::from(subflow.count) * time;
        }
    }

    /// Packets that are left at `now`.
    pub fn packets_left(&self, now: Time) -> u64 {
        let sent =
            u128::from(self.rate.min(self.unloaded_rate)) * u128::from(now.since(self.since).0);
        whole_packets(self.left.saturating_sub(sent), self.packet_work)
    }
}

/// Whole packets in `work`, rounded down. Most dividends fit into a word, which divides faster.
pub(crate) fn whole_packets(work: u128, packet_work: u64) -> u64 {
    match u64::try_from(work) {
        Ok(work) => work / packet_work,
        Err(_) => u64::try_from(work / u128::from(packet_work)).unwrap_or(u64::MAX),
    }
}
