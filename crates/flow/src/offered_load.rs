//! How full links look to who chooses a way: the load that `Machine::next_hop` asks for, told of
//! flows instead of queues.
//!
//! The one idea: what messages would send by a link, if their NICs were all that limits them,
//! against what it carries. Below that a queue is what chance makes of packets that meet, above it
//! buffers are full, at each of the inputs that feed it.

use base::IndexVec;
use machine::{LinkId, LoadView, Machine};

/// Rates are counted in units of so many bits less than capacities are, so that all that a link is
/// offered fits a word.
const RATE_SHIFT: u32 = 17;

/// What is asked of every link.
pub(crate) struct OfferedLoad {
    /// Of the link, and what all ask of it.
    of: IndexVec<LinkId, LinkLoad>,
    /// What the message asks whose ways are being drawn; zero between.
    own: IndexVec<LinkId, u64>,
    owned: Vec<LinkId>,
    /// Where some links stand for others: which for each. All that is asked is asked of those.
    representatives: IndexVec<LinkId, LinkId>,
    /// How much more than it carries the way is asked that a message looks away from; 2^20 is once.
    pub pace: u64,
    /// Bytes of a full packet on the wire.
    packet: u64,
}

/// What somebody asks of a link: a rate, for so many bytes.
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

#[derive(Clone, Copy)]
struct LinkLoad {
    capacity: u64,
    rate: u64,
    /// Of all who ask: more cannot wait.
    bytes: u64,
    /// Input buffer, bytes a virtual channel.
    buffer: u32,
    /// What those ask who are held up beyond it.
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
            of: capacity.ids().map(of).collect(),
            own: IndexVec::filled(0, capacity.len()),
            owned: Vec::with_capacity(256),
            representatives: IndexVec::new(),
            pace: 1 << 20,
            packet: machine.nic.packet_payload + machine.nic.packet_overhead,
        }
    }

    /// From now on these links stand for all.
    pub fn fold(&mut self, representatives: IndexVec<LinkId, LinkId>) {
        self.representatives = representatives;
    }

    /// The link that stands for `link`: itself, unless networks are folded.
    #[inline]
    pub fn stand(&self, link: LinkId) -> LinkId {
        self.representatives.raw.get(link.0 as usize).copied().unwrap_or(link)
    }

    /// The unit of rates for what takes so much of a capacity.
    pub fn rate(packets: u64, wire: u32) -> u64 {
        ((u128::from(packets) * u128::from(wire)) >> RATE_SHIFT) as u64
    }

    #[inline]
    pub fn add(&mut self, link: LinkId, demand: Demand) {
        self.of[link].rate += demand.rate;
        self.of[link].bytes += demand.bytes;
    }

    #[inline]
    pub fn remove(&mut self, link: LinkId, demand: Demand) {
        self.of[link].rate -= demand.rate;
        self.of[link].bytes -= demand.bytes;
    }

    /// Somebody who asks so much is held up beyond `link`: his share of its buffer fills.
    pub fn fill(&mut self, link: LinkId, rate: u64) {
        self.of[link].blocked_rate += rate;
    }

    pub fn drain(&mut self, link: LinkId, rate: u64) {
        self.of[link].blocked_rate -= rate;
    }

    /// Adds what the message asks whose ways are being drawn.
    pub fn add_own_demand(&mut self, link: LinkId, demand: Demand) {
        self.add(link, demand);
        self.own(link, demand);
    }

    /// Of what is asked of `link` so much is of the message whose ways are being drawn.
    pub fn own(&mut self, link: LinkId, demand: Demand) {
        if self.own[link] == 0 {
            self.owned.push(link);
        }
        self.own[link] += demand.rate;
    }

    /// Its ways are drawn.
    pub fn clear_own(&mut self) {
        while let Some(link) = self.owned.pop() {
            self.own[link] = 0;
        }
    }

    /// What all ask of `link`.
    pub fn rate_of(&self, link: LinkId) -> u64 {
        self.of[link].rate
    }

    /// What `link` is asked for, and so much more, in parts of what it carries: 2^20 is all of it.
    pub fn asked(&self, link: LinkId, more: u64) -> u64 {
        let LinkLoad { capacity, rate, .. } = self.of[link];
        u64::try_from((u128::from(rate + more) << 20) / u128::from(capacity)).unwrap_or(u64::MAX)
    }

    /// Bytes that would wait for `link`.
    ///
    /// A share u of what it carries, in packets from many at any time: as in a queue of Poisson
    /// arrivals and equal services (M/D/1), u^2 / 2 (1 - u) packets, and no more than a buffer
    /// holds. A message's own packets come one after the other and wait for nobody. Asked for more
    /// than it carries, it has as many inputs full as would fill it alone; but no more waits
    /// than there is of all messages.
    fn queued_bytes(&self, link: LinkId) -> u32 {
        const ONE: u64 = 1 << 12;
        let LinkLoad { capacity, rate, bytes, buffer, .. } = self.of[link];
        let paced = (u128::from(capacity) * u128::from(self.pace)) >> 20;
        let paced = u64::try_from(paced).unwrap_or(u64::MAX);
        if rate > capacity && rate >= paced {
            let times = (rate / (capacity / ONE).max(1)).min(1 << 20);
            return (u64::from(buffer) * times / ONE).min(1 << 24).min(bytes) as u32;
        }
        let others = (rate - self.own[link]) / (paced / ONE).max(1);
        if others == 0 {
            return 0;
        }
        let queue = self.packet * others * others / (2 * ONE * (ONE - others.min(ONE - 1)));
        queue.min(u64::from(buffer)).min(bytes) as u32
    }

    pub fn bytes(&self) -> usize {
        self.of.len() * size_of::<LinkLoad>()
            + self.own.len() * size_of::<u64>()
            + self.representatives.len() * size_of::<LinkId>()
    }

    /// No message is under way: nobody asks for anything.
    pub fn assert_quiet(&self) {
        assert!(
            self.of
                .raw
                .iter()
                .all(|asked| (asked.rate, asked.bytes, asked.blocked_rate) == (0, 0, 0)),
            "a message asks that is gone"
        );
        assert!(self.own.raw.iter().all(|&own| own == 0));
    }
}

impl LoadView for OfferedLoad {
    fn near(&self, link: LinkId) -> u32 {
        self.queued_bytes(self.stand(link))
    }
    fn far(&self, link: LinkId) -> u32 {
        let LinkLoad { capacity, buffer, blocked_rate, .. } = self.of[self.stand(link)];
        (u128::from(buffer) * u128::from(blocked_rate.min(capacity)) / u128::from(capacity)) as u32
    }
    fn downstream(&self, link: LinkId) -> u32 {
        self.queued_bytes(self.stand(link))
    }
    fn anywhere(&self, link: LinkId) -> u32 {
        self.near(link) + self.far(link)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::Fabric;
    use machine::{MachineSpec, preset};

    /// Packets of 2 KiB and buffers of 16 KiB a virtual channel, of a port's 64 KiB for four.
    #[test]
    fn queue_length_follows_offered_load() {
        let text = preset("dragonfly-1056").expect("a preset");
        let spec = MachineSpec::parse("dragonfly-1056", text, &[]).expect("legal");
        let machine = spec.resolve().expect("legal");
        let mut offered_load = OfferedLoad::new(&machine, &Fabric::new(&machine).capacity);
        let link = LinkId(3_000);
        let all = offered_load.of[link].capacity;
        assert_eq!((offered_load.near(link), offered_load.far(link)), (0, 0));
        let demand = |rate| Demand { rate, bytes: 1 << 20 };
        // Half of what it carries: a queue of 1/4 / (2 x 1/2) packets on average.
        offered_load.add(link, demand(all / 2));
        assert!(offered_load.near(link).abs_diff(512) <= 2, "{}", offered_load.near(link));
        // A message's own packets do not wait for each other, as long as all find room.
        offered_load.add_own_demand(link, demand(all / 2));
        assert!(offered_load.near(link).abs_diff(512) <= 2, "{}", offered_load.near(link));
        // Beyond that they do: as much as two full inputs.
        offered_load.add_own_demand(link, demand(all));
        assert!(offered_load.near(link).abs_diff(2 << 14) <= 32, "{}", offered_load.near(link));
        offered_load.clear_own();
        // At half the pace that this makes, what was asked is once what it carries.
        offered_load.pace = offered_load.asked(link, 0);
        assert_eq!(offered_load.pace >> 10, 2 << 10);
        offered_load.remove(link, demand(all));
        assert!(offered_load.near(link).abs_diff(512) <= 2, "{}", offered_load.near(link));
        offered_load.fill(link, all / 4);
        assert!(offered_load.far(link).abs_diff(1 << 12) <= 1);
        offered_load.drain(link, all / 4);
        offered_load.pace = 1 << 20;
        offered_load.remove(link, demand(all / 2));
        offered_load.remove(link, demand(all / 2));
        // No more waits than there is, however fast it comes.
        offered_load.add(link, Demand { rate: all * 9, bytes: 64 });
        assert_eq!(offered_load.near(link), 64);
        offered_load.remove(link, Demand { rate: all * 9, bytes: 64 });
        offered_load.assert_quiet();
    }
}
