//! What a network counts, always: a column each.

use std::ops::AddAssign;

use base::{IndexVec, Span, Zero};
use machine::{LinkId, NicId};

/// What switches did about NICs that were sent more than they take.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CongestionCounters {
    /// Times an ejection link became congested, in each traffic class for itself.
    pub onsets: u64,
    /// Times a sender was told to hold back.
    pub holds: u64,
    /// Packets that those held back were given leave to send, and leaves they had no use for.
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

/// What a NIC counts that the columns of its links do not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NicCounters {
    /// Packets it sent of its own accord; the others answered.
    pub requests: u64,
    /// Timers that ran out for packets, and packets sent again after that.
    pub timeouts: u64,
    pub resent: u64,
    /// Times its link sent a packet again, or was sent one, because a bit was wrong.
    pub replays_out: u64,
    pub replays_in: u64,
    /// Times the link to it became congested.
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

/// What a link has carried: together, for who counts one of them counts the other, and links are
/// counted here and there. Never across two cache lines.
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
    /// Most bytes ever waiting for this link at once.
    pub queue_max: IndexVec<LinkId, u32>,
    /// For how long the link was free and packets waited that could not go: there was no room in
    /// the buffer ahead, or their class was at its ceiling. Counted when it ends.
    pub stalled: IndexVec<LinkId, Span>,
    /// By NIC; those beyond its end have counted nothing.
    pub nics: IndexVec<NicId, NicCounters>,
    /// Where classes share links: by class, packets of each link out of or into a NIC.
    pub by_class: Vec<IndexVec<LinkId, u64>>,
    pub injected_packets: u64,
    pub delivered_packets: u64,
    pub delivered_payload: u64,
    /// Packets that answered others, and have come back.
    pub responses: u64,
    /// Switch visits, all packets together.
    pub hops: u64,
    /// Packets sent on a non-minimal route.
    pub nonminimal: u64,
    /// Times a link sent a packet again because a bit was wrong.
    pub link_retries: u64,
    /// Packets that went down with a link or found no way; timers of NICs that ran out for them;
    /// those sent again; messages given up.
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
    /// What `nic` counts.
    pub fn nic(&mut self, nic: NicId) -> &mut NicCounters {
        let n = nic.0 as usize + 1;
        if self.nics.len() < n {
            self.nics.raw.resize(n, NicCounters::default());
        }
        &mut self.nics[nic]
    }
    /// Adds what another part of the network has counted, or another run.
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

/// Adds a column to another, as long as the longer of them.
fn sum<I: base::Idx, T: Clone + Default>(
    to: &mut IndexVec<I, T>,
    from: &IndexVec<I, T>,
    add: impl Fn(&mut T, &T),
) {
    let n = to.len().max(from.len());
    to.raw.resize(n, T::default());
    to.raw.iter_mut().zip(&from.raw).for_each(|(a, b)| add(a, b));
}
