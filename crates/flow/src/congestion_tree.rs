//! Congestion trees, on machines whose switches do not manage congestion.
//!
//! Key idea: packets for an overloaded NIC queue in the buffers along their paths, back to their
//! sources. A link into a full buffer runs at the rate at which that buffer drains, and packets
//! take turns for it. So no flow over this link is faster than the flows that fill the buffer.
//! docs/models/flow-backlog.md.

use base::{IndexVec, Time};
use fluid::Resource;
use machine::{Machine, NicId};

use crate::in_flight::InFlightId;
use crate::subflow::{MAX_SUBFLOWS, Subflow};
use crate::traffic::Traffic;

base::ids! {
    /// The buffer of a traffic class at the far end of a link.
    Buffer,
    /// A NIC as receiver of a traffic class.
    Receiver,
}

/// Occupancy of a buffer by packets that a receiver delays.
#[derive(Clone, Copy)]
struct BufferOccupancy {
    /// Level of the slowest flow with packets here; `u64::MAX` if there is none.
    level: u64,
    /// Bytes that can queue here, and capacity of the buffer.
    bytes: u64,
    buffer: u32,
}

/// Bytes that in-flight messages still have to deliver to a NIC: total, and the longest message.
#[derive(Clone, Copy, Default)]
struct ReceiverDemand {
    all: u64,
    longest: u64,
}

impl ReceiverDemand {
    /// Bytes that can arrive too early: while others send too, each message sends at its
    /// undisturbed rate.
    fn queued_bytes(self) -> u64 {
        self.all - self.longest
    }
}

pub(crate) struct CongestionTree {
    /// Per class, because classes have separate buffers.
    buffers: IndexVec<Buffer, BufferOccupancy>,
    n_links: u32,
    n_nics: u32,
    /// Buffers with an occupancy.
    occupied: Vec<Buffer>,
    /// Whether some buffer is full.
    is_full: bool,
    receiver_demand: IndexVec<Receiver, ReceiverDemand>,
    messages: Vec<Remaining>,
}

/// An in-flight message: class, receiver, remaining bytes on the wire, and whether it is slower
/// than undisturbed.
#[derive(Clone, Copy)]
struct Remaining {
    message: InFlightId,
    class: u32,
    receiver: NicId,
    left: u64,
    is_slow: bool,
}

/// Prefetch distance in messages: they are scattered over memory that exceeds every cache
/// [estimate].
const PREFETCH_DISTANCE: usize = 8;

impl CongestionTree {
    /// None on machines with congestion management.
    pub fn new(machine: &Machine) -> Option<CongestionTree> {
        if machine.congestion.is_some() {
            return None;
        }
        let empty = |&buffer: &u32| BufferOccupancy { level: u64::MAX, bytes: 0, buffer };
        let classes = machine.classes.sharing().count().max(1);
        let (n_links, n_nics) = (machine.links.buffer.len() as u32, machine.n_nics());
        let of_class = || machine.links.buffer.raw.iter().map(empty);
        let n_receivers = classes * n_nics as usize;
        Some(CongestionTree {
            buffers: (0..classes).flat_map(|_| of_class()).collect(),
            n_links,
            n_nics,
            occupied: Vec::new(),
            is_full: false,
            receiver_demand: IndexVec::filled(ReceiverDemand::default(), n_receivers),
            messages: Vec::new(),
        })
    }

    /// After a solve: limits flows through full buffers to the level of the flows that fill them.
    pub fn limit_rates(&mut self, traffic: &mut Traffic, now: Time) {
        traffic.shares.update_receiver_limited();
        let was_full = self.is_full;
        self.clear();
        if !was_full {
            self.occupy_upper_bound(traffic, now);
        }
        if was_full || self.is_full {
            self.clear();
            self.update_all(traffic, was_full, now);
        }
    }

    fn clear(&mut self) {
        self.is_full = false;
        while let Some(at) = self.occupied.pop() {
            (self.buffers[at].level, self.buffers[at].bytes) = (u64::MAX, 0);
        }
    }

    /// Upper bound of occupancies: all remaining bytes of receiver-limited flows queue. If that
    /// fills no buffer, the remaining bytes of other messages need not be counted.
    fn occupy_upper_bound(&mut self, traffic: &Traffic, now: Time) {
        let flows = traffic.shares.receiver_limited();
        for (nth, &flow) in flows.iter().enumerate() {
            if let Some(&next) = flows.get(nth + PREFETCH_DISTANCE) {
                let next = &traffic.messages[traffic.shares.message_of(next)];
                base::prefetch(&next.left);
                base::prefetch(&next.msg);
            }
            let one = remaining_of(traffic.shares.message_of(flow), traffic, now);
            let all = traffic.messages[one.message].subflows().iter();
            for subflow in all.filter(|subflow| one.is_slow && subflow.flow == flow) {
                self.occupy_path(subflow, &one, one.left, traffic);
            }
        }
    }

    /// Counts the bytes for each NIC, fills the buffers, and slows the affected flows.
    fn update_all(&mut self, traffic: &mut Traffic, was_full: bool, now: Time) {
        let mut messages = std::mem::take(&mut self.messages);
        let of =
            |message| Remaining { message, class: 0, receiver: NicId(0), left: 0, is_slow: false };
        messages.extend(traffic.messages.with_rate().map(of));
        for nth in 0..messages.len() {
            prefetch(&messages, nth + PREFETCH_DISTANCE, traffic);
            let one = remaining_of(messages[nth].message, traffic, now);
            messages[nth] = one;
            let at = self.receiver(one.class, one.receiver);
            let ReceiverDemand { all, longest } = &mut self.receiver_demand[at];
            (*all, *longest) = (all.saturating_add(one.left), (*longest).max(one.left));
        }
        for (nth, one) in messages.iter().enumerate() {
            prefetch(&messages, nth + PREFETCH_DISTANCE, traffic);
            self.occupy_paths(one, traffic);
        }
        for one in &messages {
            let at = self.receiver(one.class, one.receiver);
            self.receiver_demand[at] = ReceiverDemand::default();
        }
        if was_full || self.is_full {
            for (nth, one) in messages.iter().enumerate() {
                prefetch(&messages, nth + PREFETCH_DISTANCE, traffic);
                self.slow_down(one, traffic, now);
            }
        }
        messages.clear();
        self.messages = messages;
    }

    /// Fills the buffers along the paths of a message with the bytes that its receiver delays.
    fn occupy_paths(&mut self, one: &Remaining, traffic: &Traffic) {
        if !one.is_slow {
            return;
        }
        let receiver = self.receiver(one.class, one.receiver);
        let queued_bytes = self.receiver_demand[receiver].queued_bytes().min(one.left);
        for subflow in traffic.messages[one.message].subflows() {
            self.occupy_path(subflow, one, queued_bytes, traffic);
        }
    }

    /// Fills the buffers of one subflow with its part of the queued bytes of its message.
    fn occupy_path(
        &mut self,
        subflow: &Subflow,
        one: &Remaining,
        queued_bytes: u64,
        traffic: &Traffic,
    ) {
        let sharing = &traffic.shares.sharing;
        let at = sharing.bottleneck(subflow.flow);
        if !at.is_some_and(|at| traffic.shares.fabric.is_receiver_limit(at, one.receiver)) {
            return;
        }
        let each = queued_bytes / u64::from(traffic.messages[one.message].samples);
        let level = sharing.level_of(subflow.flow);
        // The last link is the receiver's own.
        for link in sharing.uses(subflow.flow).take(subflow.hops() - 1) {
            let at = self.buffer(one.class, link.resource);
            self.occupy(at, level, each * u64::from(subflow.count));
        }
    }

    fn occupy(&mut self, at: Buffer, level: u64, bytes: u64) {
        let occupancy = &mut self.buffers[at];
        if occupancy.level == u64::MAX {
            self.occupied.push(at);
        }
        occupancy.level = occupancy.level.min(level);
        occupancy.bytes = occupancy.bytes.saturating_add(bytes);
        self.is_full |= occupancy.bytes >= u64::from(occupancy.buffer);
    }

    fn slow_down(&self, one: &Remaining, traffic: &mut Traffic, now: Time) {
        let sharing = &traffic.shares.sharing;
        let f = &mut traffic.messages[one.message];
        let mut levels = [0; MAX_SUBFLOWS as usize];
        let mut differs = false;
        for (subflow, level) in f.subflows().iter().zip(&mut levels) {
            let links = sharing.uses(subflow.flow).take(subflow.hops() - 1);
            let max_level =
                links.map(|link| self.max_level(self.buffer(one.class, link.resource))).min();
            *level = sharing.level_of(subflow.flow).min(max_level.unwrap_or(u64::MAX));
            differs |= *level != subflow.level;
        }
        if differs {
            f.advance(now);
            for (subflow, level) in f.subflows_mut().iter_mut().zip(levels) {
                subflow.level = level;
            }
            traffic.messages.update_rate(one.message);
        }
    }

    /// The highest level of a flow through this buffer.
    fn max_level(&self, at: Buffer) -> u64 {
        let BufferOccupancy { level, bytes, buffer } = self.buffers[at];
        if bytes < u64::from(buffer) { u64::MAX } else { level }
    }

    fn buffer(&self, class: u32, link: Resource) -> Buffer {
        Buffer(class * self.n_links + link.0)
    }

    fn receiver(&self, class: u32, nic: NicId) -> Receiver {
        Receiver(class * self.n_nics + nic.0)
    }

    pub fn bytes(&self) -> usize {
        self.buffers.len() * size_of::<BufferOccupancy>()
            + self.receiver_demand.len() * size_of::<ReceiverDemand>()
    }
}

/// Prefetches a message that will be visited.
fn prefetch(messages: &[Remaining], nth: usize, traffic: &Traffic) {
    if let Some(one) = messages.get(nth) {
        let f = &traffic.messages[one.message];
        base::prefetch(&f.left);
        base::prefetch(&f.msg);
        base::prefetch(f.first_subflow());
    }
}

/// The state of a message: its class, receiver, and remaining bytes on the wire.
fn remaining_of(message: InFlightId, traffic: &Traffic, now: Time) -> Remaining {
    let f = &traffic.messages[message];
    Remaining {
        message,
        class: f.class.into(),
        receiver: traffic.nics.representative(f.msg.dst),
        left: f.packets_left(now).saturating_mul(f.weight.wire.into()),
        is_slow: f.fair_rate < f.max_rate(),
    }
}
