//! Prefetches of the tables of a dragonfly that a routing decision will read.

use base::prefetch;

use super::{Dragonfly, Stream, derive_draw, draw_two};
use crate::{GroupId, SwitchId};

impl Dragonfly {
    /// The entry for the links between the two groups. Switch coordinates are few and stay cached.
    #[inline]
    pub(crate) fn prefetch_pair(&self, at: SwitchId, dst_switch: SwitchId) {
        let (from, to) = self.groups_of(at, dst_switch);
        prefetch(&self.pair_first[self.pair_index(from, to)]);
    }

    /// The global links that the draw would select.
    #[inline]
    pub(crate) fn prefetch_global_link(&self, at: SwitchId, dst_switch: SwitchId, draw: u64) {
        let (from, to) = self.groups_of(at, dst_switch);
        let pair = self.pair(from, to);
        let n = pair.len() as u32;
        for nth in draw_two(derive_draw(draw, Stream::FirstLeg), n) {
            if let Some(global_link) = pair.get(nth as usize) {
                prefetch(global_link);
            }
        }
    }

    #[inline]
    fn groups_of(&self, at: SwitchId, dst_switch: SwitchId) -> (GroupId, GroupId) {
        (self.coords[at].group(), self.coords[dst_switch].group())
    }
}
