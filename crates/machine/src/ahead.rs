//! Fetching the tables that a decision at a switch will read, those a call and in this order: each
//! is found by way of the ones before it. Nothing that anybody could see depends on it.

use base::{below, prefetch};

use crate::dragonfly::{Dragonfly, Stream, stir};
use crate::{GroupId, Machine, NicId, SwitchId, Topology};

impl Machine {
    /// Where a decision is made, and the switch of the NIC it is made for.
    #[inline]
    pub fn prefetch_ends(&self, at: SwitchId, dst: NicId) {
        let Topology::Dragonfly(net) = &self.topology;
        prefetch(&net.seats[at]);
        prefetch(&self.nic_switch[dst]);
    }
    /// Whether and how their groups are linked. Seats are few enough to be read on the way.
    #[inline]
    pub fn prefetch_pair(&self, at: SwitchId, dst: NicId) {
        let Topology::Dragonfly(net) = &self.topology;
        let (from, to) = net.groups_of(at, self.nic_switch[dst]);
        prefetch(&net.pair_first[net.pair_index(from, to)]);
    }
    /// The link between groups that the draw would take.
    #[inline]
    pub fn prefetch_crossing(&self, at: SwitchId, dst: NicId, draw: u64) {
        let Topology::Dragonfly(net) = &self.topology;
        let (from, to) = net.groups_of(at, self.nic_switch[dst]);
        let pair = net.pair(from, to);
        let drawn = below(stir(draw, Stream::FirstLeg), pair.len() as u32);
        if let Some(crossing) = pair.get(drawn as usize) {
            prefetch(crossing);
        }
    }
}

impl Dragonfly {
    #[inline]
    fn groups_of(&self, at: SwitchId, home: SwitchId) -> (GroupId, GroupId) {
        (self.seats[at].group(), self.seats[home].group())
    }
}
