//! Prefetches of the tables of a dragonfly that a routing decision will read.

use base::prefetch;

use super::{Dragonfly, Stream, derive_draw, draw_two};
use crate::{GroupId, LinkId, Route, SwitchId};

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

    /// The two links that a packet is most likely to take next if loads are even; `None` if it
    /// leaves the network here.
    #[inline]
    pub(crate) fn likely_links(
        &self,
        at: SwitchId,
        dst_switch: SwitchId,
        route: Route,
        draw: u64,
    ) -> Option<[LinkId; 2]> {
        let goes_round = route.decided && !route.passed && route.via != at.0 + 1;
        let target = if goes_round { SwitchId(route.via.wrapping_sub(1)) } else { dst_switch };
        if at == target {
            return None;
        }
        let (here, there) = (self.coords[at], self.coords[target]);
        if here.group == there.group {
            return Some([LinkId(here.toward(there.row_col()).0); 2]);
        }
        let pair = self.pair(here.group(), there.group());
        let is_second = !goes_round && route.via != 0;
        let leg = if is_second { Stream::SecondLeg } else { Stream::FirstLeg };
        let n = pair.len() as u32;
        let leg_draw = derive_draw(draw, leg);
        Some(draw_two(leg_draw, n).map(|nth| {
            let global_link = pair.get(nth as usize).copied().unwrap_or_default();
            let is_here = global_link.from == here.row_col();
            if is_here { global_link.link } else { LinkId(here.toward(global_link.from).0) }
        }))
    }

    #[inline]
    fn groups_of(&self, at: SwitchId, dst_switch: SwitchId) -> (GroupId, GroupId) {
        (self.coords[at].group(), self.coords[dst_switch].group())
    }
}
