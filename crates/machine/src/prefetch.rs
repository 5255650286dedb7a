//! Prefetches of the tables that a routing decision will read. Each call depends on the tables
//! fetched by the calls before it, in this order. Results do not depend on prefetching.

use base::prefetch;

use crate::topology::dragonfly::{Dragonfly, Stream, derive_draw, draw_two};
use crate::{GroupId, LinkId, Machine, NicId, Route, SwitchId, Topology};

impl Machine {
    /// The entry for the links between the two groups. Switch coordinates are few and stay cached.
    #[inline]
    pub fn prefetch_pair(&self, at: SwitchId, dst: NicId) {
        let Topology::Dragonfly(net) = &self.topology;
        let (from, to) = net.groups_of(at, self.nic_switch[dst]);
        prefetch(&net.pair_first[net.pair_index(from, to)]);
    }
    /// The global links that the draw would select.
    #[inline]
    pub fn prefetch_global_link(&self, at: SwitchId, dst: NicId, draw: u64) {
        let Topology::Dragonfly(net) = &self.topology;
        let (from, to) = net.groups_of(at, self.nic_switch[dst]);
        let pair = net.pair(from, to);
        let n = pair.len() as u32;
        for nth in draw_two(derive_draw(draw, Stream::FirstLeg), n) {
            if let Some(global_link) = pair.get(nth as usize) {
                prefetch(global_link);
            }
        }
    }
    /// The two links that a packet is most likely to take next if loads are even.
    #[inline]
    pub fn likely_links(&self, at: SwitchId, dst: NicId, route: Route, draw: u64) -> [LinkId; 2] {
        let Topology::Dragonfly(net) = &self.topology;
        let dst_switch = self.nic_switch[dst];
        let goes_round = route.decided && !route.passed && route.via != at.0 + 1;
        let target = if goes_round { SwitchId(route.via.wrapping_sub(1)) } else { dst_switch };
        if at == target {
            return [self.ejection(dst); 2];
        }
        let (here, there) = (net.coords[at], net.coords[target]);
        if here.group == there.group {
            return [LinkId(here.toward(there.row_col()).0); 2];
        }
        let pair = net.pair(here.group(), there.group());
        let is_second = !goes_round && route.via != 0;
        let leg = if is_second { Stream::SecondLeg } else { Stream::FirstLeg };
        let n = pair.len() as u32;
        let leg_draw = derive_draw(draw, leg);
        draw_two(leg_draw, n).map(|nth| {
            let global_link = pair.get(nth as usize).copied().unwrap_or_default();
            let is_here = global_link.from == here.row_col();
            if is_here { global_link.link } else { LinkId(here.toward(global_link.from).0) }
        })
    }
    /// Whether `likely_links` predicts well: no parallel local links and no use of reported loads.
    pub fn are_links_likely(&self) -> bool {
        let Topology::Dragonfly(net) = &self.topology;
        net.has_single_local_links && !self.routing.uses_reported_loads()
    }
}

impl Dragonfly {
    #[inline]
    fn groups_of(&self, at: SwitchId, dst_switch: SwitchId) -> (GroupId, GroupId) {
        (self.coords[at].group(), self.coords[dst_switch].group())
    }
}
