//! Counters that every network maintains, one column each.

use std::ops::AddAssign;

use base::{IndexVec, Span, Zero};
use machine::{LinkId, NicId};

/// Actions of endpoint congestion management.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CongestionCounters {
    /// Times an ejection link became congested, counted per traffic class.
    pub onsets: u64,
    /// Throttle notices sent to contributors.
    pub holds: u64,
    /// Packet credits given to throttled senders, and those returned unused.
    pub credits: u64,
    pub returned: u64,
}

impl CongestionCounters {
    pub fn merge(&mut self, other: CongestionCounters) {
        self.onsets += other.onsets;
        self.holds += other.holds;
        self.credits += other.credits;
        self.returned += other.returned;
    }
}

/// Per-NIC counters that cannot be derived from the columns of its links.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NicCounters {
    /// Packets it sent that are not responses.
    pub requests: u64,
    /// Retransmission timeouts of packets, and packets retransmitted after them.
    pub timeouts: u64,
    pub resent: u64,
    /// Link-level replays on its links because of bit errors, sent and received.
    pub replays_out: u64,
    pub replays_in: u64,
    /// Times its ejection link became congested.
    pub onsets: u64,
}

impl NicCounters {
    fn merge(&mut self, other: &NicCounters) {
        self.requests += other.requests;
        self.timeouts += other.timeouts;
        self.resent += other.resent;
        self.replays_out += other.replays_out;
        self.replays_in += other.replays_in;
        self.onsets += other.onsets;
    }
}

/// Traffic of a link. The two counts share a cache line because they are always updated together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(align(16))]
pub struct LinkTraffic {
    /// On the wire, headers included.
    pub bytes: u64,
    pub packets: u64,
}
// SAFETY: integers.
unsafe impl Zero for LinkTraffic {}

impl AddAssign for LinkTraffic {
    #[inline]
    fn add_assign(&mut self, more: LinkTraffic) {
        self.bytes += more.bytes;
        self.packets += more.packets;
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counters {
    pub links: IndexVec<LinkId, LinkTraffic>,
    /// Maximum backlog of this link, bytes.
    pub queue_max: IndexVec<LinkId, u32>,
    /// Time during which the link was free and packets waited that could not be sent: no room in
    /// the next buffer, or a class at its ceiling. Added at the end of each such period.
    pub stalled: IndexVec<LinkId, Span>,
    /// By NIC; NICs beyond the end of the column have counted nothing.
    pub nics: IndexVec<NicId, NicCounters>,
    /// Where traffic classes share links: by class, packets of each injection or ejection link.
    pub by_class: Vec<IndexVec<LinkId, u64>>,
    pub injected_packets: u64,
    pub delivered_packets: u64,
    pub delivered_payload: u64,
    /// Response packets that have returned.
    pub responses: u64,
    /// Switch visits of all packets.
    pub hops: u64,
    /// Packets sent on a nonminimal route.
    pub nonminimal: u64,
    /// Link-level replays because of bit errors.
    pub link_retries: u64,
    /// Packets lost on a failed link or without a route; retransmission timeouts; packets
    /// retransmitted; messages given up.
    pub lost_packets: u64,
    pub timeouts: u64,
    pub resent_packets: u64,
    pub failed_messages: u64,
    pub congestion: CongestionCounters,
}

impl Counters {
    pub fn new(n_links: usize) -> Self {
        Counters {
            links: IndexVec::zeros(n_links),
            queue_max: IndexVec::sparse_zeros(n_links),
            stalled: IndexVec::sparse_zeros(n_links),
            ..Counters::default()
        }
    }
    /// The counters of `nic`.
    pub fn nic(&mut self, nic: NicId) -> &mut NicCounters {
        let n = nic.0 as usize + 1;
        if self.nics.len() < n {
            self.nics.raw.resize(n, NicCounters::default());
        }
        &mut self.nics[nic]
    }
    /// Adds the counts of another part of the network, or of another run.
    pub fn merge(&mut self, other: &Counters) {
        let add = |a: &mut u64, b: &u64| *a += b;
        sum(&mut self.links, &other.links, |a, b| *a += *b);
        sum(&mut self.queue_max, &other.queue_max, |a, b| *a = (*a).max(*b));
        sum(&mut self.stalled, &other.stalled, |a, b| *a += *b);
        sum(&mut self.nics, &other.nics, NicCounters::merge);
        self.by_class.resize(self.by_class.len().max(other.by_class.len()), IndexVec::new());
        self.by_class.iter_mut().zip(&other.by_class).for_each(|(a, b)| sum(a, b, add));
        self.injected_packets += other.injected_packets;
        self.delivered_packets += other.delivered_packets;
        self.delivered_payload += other.delivered_payload;
        self.responses += other.responses;
        self.hops += other.hops;
        self.nonminimal += other.nonminimal;
        self.link_retries += other.link_retries;
        self.lost_packets += other.lost_packets;
        self.timeouts += other.timeouts;
        self.resent_packets += other.resent_packets;
        self.failed_messages += other.failed_messages;
        self.congestion.merge(other.congestion);
    }
}

/// Adds a column to another; the result is as long as the longer one.
fn sum<I: base::Idx, T: Clone + Default>(
    to: &mut IndexVec<I, T>,
    from: &IndexVec<I, T>,
    add: impl Fn(&mut T, &T),
) {
    let n = to.len().max(from.len());
    to.raw.resize(n, T::default());
    to.raw.iter_mut().zip(&from.raw).for_each(|(a, b)| add(a, b));
}
