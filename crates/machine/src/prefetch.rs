//! Prefetches of the tables that a routing decision will read. Each call depends on the tables
//! fetched by the calls before it, in this order. Results do not depend on prefetching.

use crate::{Machine, NicId, SwitchId};

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
}
