//! Offered load of links, as routers see it: the load view of `Machine::next_hop`, derived from
//! flows instead of queues.
//!
//! Key idea: compare the rate that messages would send over a link, limited only by their NICs,
//! with its capacity. Below capacity the queue is that of random arrivals. Above it the buffers at
//! the inputs of the link are full.

use base::IndexVec;
use machine::{LinkId, LoadView, Machine};

/// Rates have this many bits less than capacities, so that the total demand of a link fits a word.
const RATE_SHIFT: u32 = 17;

/// Offered load of every link.
pub(crate) struct OfferedLoad {
    links: IndexVec<LinkId, LinkLoad>,
    /// Rate of the message whose paths are being drawn; zero otherwise. And the links with one.
    own_rates: IndexVec<LinkId, u64>,
    own_links: Vec<LinkId>,
    /// The representative of each link in a folded run. All demand is charged there.
    representatives: IndexVec<LinkId, LinkId>,
    /// Reference load of a searching message: that of the path it leaves. 2^20 is the capacity.
    pub reference_load: u64,
    /// Bytes of a full packet on the wire.
    packet_bytes: u64,
}

/// Demand on a link: a rate, for a number of bytes.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Demand {
    pub rate: u64,
    pub bytes: u64,
}

impl Demand {
    pub fn times(self, n: u32) -> Demand {
        Demand { rate: self.rate * u64::from(n), bytes: self.bytes * u64::from(n) }
    }
}

/// Demand of one packet of a message: on the links of its path, and on those of its response.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct PacketDemand {
    pub forward: Demand,
    pub response: Demand,
}

/// Capacity of a link, and the total demand on it.
#[derive(Clone, Copy)]
struct LinkLoad {
    capacity: u64,
    rate: u64,
    /// Bytes of all messages: no more can queue.
    bytes: u64,
    /// Input buffer, bytes per virtual channel.
    buffer: u32,
    /// Demand of messages blocked beyond the link.
    blocked_rate: u64,
}

impl OfferedLoad {
    pub fn new(machine: &Machine, capacity: &IndexVec<LinkId, u64>) -> OfferedLoad {
        let links = &machine.links;
        let of = |link| LinkLoad {
            capacity: (capacity[link] >> RATE_SHIFT).max(1),
            rate: 0,
            bytes: 0,
            buffer: links.buffer[link],
            blocked_rate: 0,
        };
        OfferedLoad {
            links: capacity.ids().map(of).collect(),
            own_rates: IndexVec::filled(0, capacity.len()),
            own_links: Vec::with_capacity(256),
            representatives: IndexVec::new(),
            reference_load: 1 << 20,
            packet_bytes: machine.nic.packet_payload + machine.nic.packet_overhead,
        }
    }

    pub fn set_representatives(&mut self, representatives: IndexVec<LinkId, LinkId>) {
        self.representatives = representatives;
    }

    /// The link that represents `link`: itself, unless the run is folded.
    #[inline]
    pub fn representative_of(&self, link: LinkId) -> LinkId {
        self.representatives.raw.get(link.0 as usize).copied().unwrap_or(link)
    }

    /// Replaces the links of a path by their representatives.
    pub fn to_representatives(&self, path: &mut [LinkId]) {
        path.iter_mut().for_each(|link| *link = self.representative_of(*link));
    }

    /// Rate in units of demand for `packets` packets of `wire` bytes.
    pub fn rate(packets: u64, wire: u32) -> u64 {
        ((u128::from(packets) * u128::from(wire)) >> RATE_SHIFT) as u64
    }

    #[inline]
    pub fn add(&mut self, link: LinkId, demand: Demand) {
        self.links[link].rate += demand.rate;
        self.links[link].bytes += demand.bytes;
    }

    #[inline]
    pub fn remove(&mut self, link: LinkId, demand: Demand) {
        self.links[link].rate -= demand.rate;
        self.links[link].bytes -= demand.bytes;
    }

    /// A message with this demand is blocked beyond `link`: its share of the buffer fills.
    pub fn fill(&mut self, link: LinkId, rate: u64) {
        self.links[link].blocked_rate += rate;
    }

    pub fn drain(&mut self, link: LinkId, rate: u64) {
        self.links[link].blocked_rate -= rate;
    }

    /// Adds the demand of the message whose paths are being drawn.
    pub fn add_own_demand(&mut self, link: LinkId, demand: Demand) {
        self.add(link, demand);
        self.mark_own(link, demand);
    }

    /// Marks demand on `link`, already added, as that of the message whose paths are being drawn.
    pub fn mark_own(&mut self, link: LinkId, demand: Demand) {
        if self.own_rates[link] == 0 {
            self.own_links.push(link);
        }
        self.own_rates[link] += demand.rate;
    }

    /// The paths of the message are drawn.
    pub fn clear_own(&mut self) {
        while let Some(link) = self.own_links.pop() {
            self.own_rates[link] = 0;
        }
    }

    /// Total demand on `link`.
    pub fn rate_of(&self, link: LinkId) -> u64 {
        self.links[link].rate
    }

    /// Offered load of `link` with `more` demand, in 2^-20 of its capacity.
    pub fn load_ratio(&self, link: LinkId, more: u64) -> u64 {
        let LinkLoad { capacity, rate, .. } = self.links[link];
        u64::try_from((u128::from(rate + more) << 20) / u128::from(capacity)).unwrap_or(u64::MAX)
    }

    /// Bytes that would queue for `link`.
    ///
    /// At offered load u < 1, packets of many senders form an M/D/1 queue (Poisson arrivals, equal
    /// service): u^2 / 2 (1 - u) packets, at most one buffer. Packets of the same message follow
    /// each other and do not queue. Above capacity, as many inputs are full as would fill the link
    /// alone. No more can queue than all messages have.
    fn queued_bytes(&self, link: LinkId) -> u32 {
        const ONE: u64 = 1 << 12;
        let LinkLoad { capacity, rate, bytes, buffer, .. } = self.links[link];
        let referenced = (u128::from(capacity) * u128::from(self.reference_load)) >> 20;
        let referenced = u64::try_from(referenced).unwrap_or(u64::MAX);
        if rate > capacity && rate >= referenced {
            let times = (rate / (capacity / ONE).max(1)).min(1 << 20);
            return (u64::from(buffer) * times / ONE).min(1 << 24).min(bytes) as u32;
        }
        let others = (rate - self.own_rates[link]) / (referenced / ONE).max(1);
        if others == 0 {
            return 0;
        }
        let queue = self.packet_bytes * others * others / (2 * ONE * (ONE - others.min(ONE - 1)));
        queue.min(u64::from(buffer)).min(bytes) as u32
    }

    pub fn bytes(&self) -> usize {
        self.links.len() * size_of::<LinkLoad>()
            + self.own_rates.len() * size_of::<u64>()
            + self.representatives.len() * size_of::<LinkId>()
    }

    /// Asserts that no message is in flight and no demand is left.
    pub fn assert_idle(&self) {
        assert!(
            self.links
                .raw
                .iter()
                .all(|link| (link.rate, link.bytes, link.blocked_rate) == (0, 0, 0)),
            "demand of a message that has ended"
        );
        assert!(self.own_rates.raw.iter().all(|&own| own == 0));
    }
}

impl LoadView for OfferedLoad {
    fn near(&self, link: LinkId) -> u32 {
        self.queued_bytes(self.representative_of(link))
    }
    fn far(&self, link: LinkId) -> u32 {
        let LinkLoad { capacity, buffer, blocked_rate, .. } =
            self.links[self.representative_of(link)];
        (u128::from(buffer) * u128::from(blocked_rate.min(capacity)) / u128::from(capacity)) as u32
    }
    fn downstream(&self, link: LinkId) -> u32 {
        self.queued_bytes(self.representative_of(link))
    }
    fn remote_backlog(&self, link: LinkId) -> u32 {
        self.near(link) + self.far(link)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::Fabric;
    use machine::{MachineSpec, preset};

    /// 2 KiB packets and 16 KiB buffers per virtual channel: a port has 64 KiB for four.
    #[test]
    fn queue_length_follows_offered_load() {
        let text = preset("dragonfly-1056").expect("a preset");
        let spec = MachineSpec::parse("dragonfly-1056", text, &[]).expect("legal");
        let machine = spec.resolve().expect("legal");
        let mut offered_load = OfferedLoad::new(&machine, &Fabric::new(&machine).capacity);
        let link = LinkId(3_000);
        let all = offered_load.links[link].capacity;
        assert_eq!((offered_load.near(link), offered_load.far(link)), (0, 0));
        let demand = |rate| Demand { rate, bytes: 1 << 20 };
        // Offered load 0.5: a mean queue of 1/4 / (2 x 1/2) packets.
        offered_load.add(link, demand(all / 2));
        assert!(offered_load.near(link).abs_diff(512) <= 2, "{}", offered_load.near(link));
        // Packets of the same message do not queue for each other while the link has capacity.
        offered_load.add_own_demand(link, demand(all / 2));
        assert!(offered_load.near(link).abs_diff(512) <= 2, "{}", offered_load.near(link));
        // Above capacity they do: two full inputs.
        offered_load.add_own_demand(link, demand(all));
        assert!(offered_load.near(link).abs_diff(2 << 14) <= 32, "{}", offered_load.near(link));
        offered_load.clear_own();
        // At half the resulting reference load, the earlier demand is once the capacity.
        offered_load.reference_load = offered_load.load_ratio(link, 0);
        assert_eq!(offered_load.reference_load >> 10, 2 << 10);
        offered_load.remove(link, demand(all));
        assert!(offered_load.near(link).abs_diff(512) <= 2, "{}", offered_load.near(link));
        offered_load.fill(link, all / 4);
        assert!(offered_load.far(link).abs_diff(1 << 12) <= 1);
        offered_load.drain(link, all / 4);
        offered_load.reference_load = 1 << 20;
        offered_load.remove(link, demand(all / 2));
        offered_load.remove(link, demand(all / 2));
        // No more queues than there is, at any rate.
        offered_load.add(link, Demand { rate: all * 9, bytes: 64 });
        assert_eq!(offered_load.near(link), 64);
        offered_load.remove(link, Demand { rate: all * 9, bytes: 64 });
        offered_load.assert_idle();
    }
}
