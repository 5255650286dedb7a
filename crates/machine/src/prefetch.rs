//! Prefetches of the tables that a routing decision will read. Each call depends on the tables
//! fetched by the calls before it, in this order. Results do not depend on prefetching.

use crate::{LinkId, Machine, NicId, Route, SwitchId};

impl Machine {
    /// The entry for the links between the two groups. Switch coordinates are few and stay cached.
    #[inline]
    pub fn prefetch_pair(&self, at: SwitchId, dst: NicId) {
        self.topology.prefetch_pair(at, self.nic_switch[dst]);
    }
    /// The global links that the draw would select.
    #[inline]
    pub fn prefetch_global_link(&self, at: SwitchId, dst: NicId, draw: u64) {
        self.topology.prefetch_global_link(at, self.nic_switch[dst], draw);
    }
    /// The two links that a packet is most likely to take next if loads are even.
    #[inline]
    pub fn likely_links(&self, at: SwitchId, dst: NicId, route: Route, draw: u64) -> [LinkId; 2] {
        let links = self.topology.likely_links(at, self.nic_switch[dst], route, draw);
        links.unwrap_or([self.ejection(dst); 2])
    }
    /// Whether `likely_links` predicts well: no parallel local links and no use of reported loads.
    pub fn are_links_likely(&self) -> bool {
        self.topology.are_links_likely(self.routing)
    }
}
