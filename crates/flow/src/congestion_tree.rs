//! Congestion trees, on machines whose switches do not manage congestion.
//!
//! Key idea: packets for an overloaded NIC queue in the buffers along their paths, back to their
//! sources. A link into a full buffer runs at the rate at which that buffer drains, and packets
//! take turns for it. So no flow over this link is faster than the flows that fill the buffer.
//! docs/models/flow-backlog.md.

use base::{IndexVec, Time};
use fluid::{FlowId, Resource};
use machine::{Machine, NicId};

use crate::subflows::{MAX_SUBFLOWS, Subflow};
use crate::{FlowNetwork, InFlightId, whole_packets};

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
    of: IndexVec<Buffer, BufferOccupancy>,
    n_links: u32,
    n_nics: u32,
    /// Buffers with an occupancy.
    full: Vec<Buffer>,
    /// Whether some buffer is full.
    is_full: bool,
    receiver_demand: IndexVec<Receiver, ReceiverDemand>,
    messages: Vec<Remaining>,
    /// Flows with their bottleneck at a receiving NIC, and the position of each in that list or
    /// `ABSENT`. Only their packets occupy buffers.
    receiver_limited: Vec<FlowId>,
    place: IndexVec<FlowId, u32>,
}

const ABSENT: u32 = u32::MAX;

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
        let of = |&buffer: &u32| BufferOccupancy { level: u64::MAX, bytes: 0, buffer };
        let classes = machine.classes.sharing().count().max(1);
        let (n_links, n_nics) = (machine.links.buffer.len() as u32, machine.n_nics());
        let each = || machine.links.buffer.raw.iter().map(of);
        let of = (0..classes).flat_map(|_| each()).collect();
        let receiver_demand =
            IndexVec::filled(ReceiverDemand::default(), classes * n_nics as usize);
        let (full, messages, receiver_limited, place) =
            (Vec::new(), Vec::new(), Vec::new(), IndexVec::new());
        let is_full = false;
        let congestion_tree = CongestionTree {
            of,
            n_links,
            n_nics,
            full,
            is_full,
            receiver_demand,
            messages,
            receiver_limited,
            place,
        };
        machine.congestion.is_none().then_some(congestion_tree)
    }

    /// Records whether the bottleneck of `flow` is at a receiving NIC.
    fn set_receiver_limited(&mut self, flow: FlowId, is_limited: bool) {
        if self.place.len() <= flow.0 as usize {
            self.place.raw.resize(flow.0 as usize + 1, ABSENT);
        }
        let place = self.place[flow];
        if is_limited && place == ABSENT {
            self.place[flow] = self.receiver_limited.len() as u32;
            self.receiver_limited.push(flow);
        } else if !is_limited && place != ABSENT {
            self.place[flow] = ABSENT;
            self.receiver_limited.swap_remove(place as usize);
            if let Some(&moved) = self.receiver_limited.get(place as usize) {
                self.place[moved] = place;
            }
        }
    }

    /// Removes `flow`.
    pub fn forget(&mut self, flow: FlowId) {
        self.set_receiver_limited(flow, false);
    }

    fn clear(&mut self) {
        self.is_full = false;
        while let Some(at) = self.full.pop() {
            (self.of[at].level, self.of[at].bytes) = (u64::MAX, 0);
        }
    }

    fn buffer(&self, class: u32, link: Resource) -> Buffer {
        Buffer(class * self.n_links + link.0)
    }

    fn receiver(&self, class: u32, nic: NicId) -> Receiver {
        Receiver(class * self.n_nics + nic.0)
    }

    fn occupy(&mut self, at: Buffer, level: u64, bytes: u64) {
        let occupancy = &mut self.of[at];
        if occupancy.level == u64::MAX {
            self.full.push(at);
        }
        occupancy.level = occupancy.level.min(level);
        occupancy.bytes = occupancy.bytes.saturating_add(bytes);
        self.is_full |= occupancy.bytes >= u64::from(occupancy.buffer);
    }

    /// The highest level of a flow through this buffer.
    fn max_rate(&self, at: Buffer) -> u64 {
        let BufferOccupancy { level, bytes, buffer } = self.of[at];
        if bytes < u64::from(buffer) { u64::MAX } else { level }
    }

    pub fn bytes(&self) -> usize {
        self.of.len() * size_of::<BufferOccupancy>()
            + self.receiver_demand.len() * size_of::<ReceiverDemand>()
            + self.receiver_limited.capacity() * size_of::<FlowId>()
            + self.place.raw.capacity() * size_of::<u32>()
    }
}

impl FlowNetwork {
    /// After a solve: limits flows through full buffers to the level of the flows that fill them.
    pub(crate) fn apply_head_of_line_blocking(&mut self, now: Time) {
        let Some(mut congestion_tree) = self.congestion_tree.take() else { return };
        for &flow in self.sharing.opened() {
            let at = self.sharing.bottleneck(flow);
            congestion_tree.set_receiver_limited(
                flow,
                at.is_some_and(|at| self.fabric.is_any_receiver_limit(at)),
            );
        }
        let was_full = congestion_tree.is_full;
        congestion_tree.clear();
        if !was_full {
            self.upper_bound_occupancy(&mut congestion_tree, now);
        }
        if was_full || congestion_tree.is_full {
            congestion_tree.clear();
            self.update_all(&mut congestion_tree, was_full, now);
        }
        self.congestion_tree = Some(congestion_tree);
    }

    /// Upper bound of occupancies: all remaining bytes of receiver-limited flows queue. If that
    /// fills no buffer, the remaining bytes of other messages need not be counted.
    fn upper_bound_occupancy(&self, congestion_tree: &mut CongestionTree, now: Time) {
        for nth in 0..congestion_tree.receiver_limited.len() {
            if let Some(&next) = congestion_tree.receiver_limited.get(nth + PREFETCH_DISTANCE) {
                base::prefetch(&self.messages[self.message_of[next]].left);
                base::prefetch(&self.messages[self.message_of[next]].msg);
            }
            let flow = congestion_tree.receiver_limited[nth];
            let one = self.remaining_of(self.message_of[flow], now);
            let f = &self.messages[one.message];
            let all = f.subflows[..f.n_subflows as usize].iter();
            for subflow in all.filter(|subflow| one.is_slow && subflow.flow == flow) {
                self.occupy_path(subflow, &one, one.left, congestion_tree);
            }
        }
    }

    /// Counts the bytes for each NIC, fills the buffers, and slows the affected flows.
    fn update_all(&mut self, congestion_tree: &mut CongestionTree, was_full: bool, now: Time) {
        let of =
            |message| Remaining { message, class: 0, receiver: NicId(0), left: 0, is_slow: false };
        congestion_tree.messages.extend(self.ends.ids().map(of));
        for nth in 0..congestion_tree.messages.len() {
            self.fetch(&congestion_tree.messages, nth + PREFETCH_DISTANCE);
            let one = &mut congestion_tree.messages[nth];
            *one = self.remaining_of(one.message, now);
            let (class, receiver, left) = (one.class, one.receiver, one.left);
            let at = congestion_tree.receiver(class, receiver);
            let receiver_demand = &mut congestion_tree.receiver_demand[at];
            (receiver_demand.all, receiver_demand.longest) =
                (receiver_demand.all.saturating_add(left), receiver_demand.longest.max(left));
        }
        for nth in 0..congestion_tree.messages.len() {
            self.fetch(&congestion_tree.messages, nth + PREFETCH_DISTANCE);
            self.occupy(congestion_tree.messages[nth], congestion_tree);
        }
        for nth in 0..congestion_tree.messages.len() {
            let at = congestion_tree.receiver(
                congestion_tree.messages[nth].class,
                congestion_tree.messages[nth].receiver,
            );
            congestion_tree.receiver_demand[at] = ReceiverDemand::default();
        }
        if was_full || congestion_tree.is_full {
            for (nth, one) in congestion_tree.messages.iter().enumerate() {
                self.fetch(&congestion_tree.messages, nth + PREFETCH_DISTANCE);
                self.slow_down(*one, congestion_tree, now);
            }
        }
        congestion_tree.messages.clear();
    }

    /// Prefetches a message that will be visited.
    fn fetch(&self, messages: &[Remaining], nth: usize) {
        if let Some(one) = messages.get(nth) {
            let f = &self.messages[one.message];
            base::prefetch(&f.left);
            base::prefetch(&f.msg);
            base::prefetch(&f.subflows[0]);
        }
    }

    /// The state of a message: its class, receiver, and remaining bytes on the wire.
    fn remaining_of(&self, message: InFlightId, now: Time) -> Remaining {
        let f = &self.messages[message];
        let sent = u128::from(f.rate.min(f.unloaded_rate)) * u128::from(now.since(f.since).0);
        let left = whole_packets(f.left.saturating_sub(sent), f.packet_work);
        Remaining {
            message,
            class: self.classes.class_of(f.msg),
            receiver: self.representative(f.msg.dst),
            left: left.saturating_mul(f.weight.wire.into()),
            is_slow: f.fair_rate < self.classes.max_rate(f),
        }
    }

    /// Fills the buffers along the paths of a message with the bytes that its receiver delays.
    fn occupy(&self, one: Remaining, congestion_tree: &mut CongestionTree) {
        let Remaining { message, class, receiver, left, is_slow } = one;
        if !is_slow {
            return;
        }
        let f = &self.messages[message];
        let queued_bytes = congestion_tree.receiver_demand
            [congestion_tree.receiver(class, receiver)]
        .queued_bytes()
        .min(left);
        for subflow in &f.subflows[..f.n_subflows as usize] {
            self.occupy_path(subflow, &one, queued_bytes, congestion_tree);
        }
    }

    /// Fills the buffers of one subflow with its part of the `waits` bytes.
    fn occupy_path(
        &self,
        subflow: &Subflow,
        one: &Remaining,
        queued_bytes: u64,
        congestion_tree: &mut CongestionTree,
    ) {
        let at = self.sharing.bottleneck(subflow.flow);
        if !at.is_some_and(|at| self.fabric.is_receiver_limit(at, one.receiver)) {
            return;
        }
        let each = queued_bytes / u64::from(self.messages[one.message].samples);
        let level = self.sharing.level_of(subflow.flow);
        // The last link is the receiver's own.
        for link in self.sharing.uses(subflow.flow).take(subflow.hops() - 1) {
            let at = congestion_tree.buffer(one.class, link.resource);
            congestion_tree.occupy(at, level, each * u64::from(subflow.count));
        }
    }

    fn slow_down(&mut self, one: Remaining, congestion_tree: &CongestionTree, now: Time) {
        let Remaining { message, class, .. } = one;
        let f = &self.messages[message];
        let mut levels = [0; MAX_SUBFLOWS as usize];
        let mut differs = false;
        for (subflow, level) in f.subflows[..f.n_subflows as usize].iter().zip(&mut levels) {
            let links = self.sharing.uses(subflow.flow).take(subflow.hops() - 1);
            let max_rate = links
                .map(|one| congestion_tree.max_rate(congestion_tree.buffer(class, one.resource)))
                .min();
            *level = self.sharing.level_of(subflow.flow).min(max_rate.unwrap_or(u64::MAX));
            differs |= *level != subflow.level;
        }
        if differs {
            self.advance(message, now);
            let f = &mut self.messages[message];
            for (subflow, level) in f.subflows[..f.n_subflows as usize].iter_mut().zip(levels) {
                subflow.level = level;
            }
            self.update_rate(message);
        }
    }
}
