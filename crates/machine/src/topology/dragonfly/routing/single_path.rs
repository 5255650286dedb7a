//! The hop of a packet that has no choice. Where any two groups have one link and switches of a
//! group no parallel ones, the minimal path follows from the positions of source and target alone.
//! A packet with only that left needs neither its draw nor loads.
//!
//! The code has no branches, because the progress of a packet is unpredictable for a processor.
//! `Dragonfly::step` computes the same in general; a test compares them.

use std::hint::select_unpredictable;

use base::IndexVec;

use super::super::{Dragonfly, RowCol, SwitchCoords};
use super::Routing;
use crate::{Hop, LinkId, Machine, NicId, Route, SwitchId};

impl Routing {
    /// Whether the rest of a route is minimal and no later switch may change that.
    #[inline]
    pub(crate) fn is_fixed_minimal(self, route: Route) -> bool {
        match self {
            Routing::Minimal | Routing::MinHash | Routing::InOrder => true,
            Routing::Par { .. } | Routing::Slingshot(_) | Routing::Aries(..) => false,
            Routing::Valiant
            | Routing::ValiantGroup
            | Routing::UgalL { .. }
            | Routing::UgalG { .. }
            | Routing::NminHash => route.decided && route.passed,
        }
    }
}

/// Whether there is exactly one minimal path between any two switches. `pair_first` is as in
/// `Dragonfly`.
pub(crate) fn has_single_paths(
    coords: &IndexVec<SwitchId, SwitchCoords>,
    pair_first: &[u32],
) -> bool {
    let n_groups = (pair_first.len() - 1).isqrt();
    let mut pairs = pair_first.windows(2).enumerate();
    // A group has no links to itself.
    let is_one =
        pairs.all(|(pair, at)| at[1] - at[0] == u32::from(!pair.is_multiple_of(n_groups + 1)));
    is_one && has_single_local_links(coords)
}

/// Whether switches of a group have no parallel links.
pub(crate) fn has_single_local_links(coords: &IndexVec<SwitchId, SwitchCoords>) -> bool {
    coords
        .raw
        .iter()
        .all(|switch_coords| switch_coords.row_links <= 1 && switch_coords.col_links <= 1)
}

impl Dragonfly {
    /// See `Machine::single_path_hop`.
    #[inline(always)]
    pub(crate) fn single_path_hop(
        &self,
        machine: &Machine,
        at: SwitchId,
        dst: NicId,
        route: Route,
    ) -> Option<(Route, Hop)> {
        let is_fixed_to_end = self.has_single_paths && machine.routing.is_fixed_minimal(route);
        // Before its decision a packet's `passed` has no meaning.
        let is_last_leg = route.decided && route.passed;
        if !(is_fixed_to_end || is_last_leg) {
            return None;
        }
        let dst_switch = machine.nic_switch[dst];
        let is_before_dst = at != dst_switch;
        let (link, crosses) = if is_fixed_to_end {
            self.single_path_step(at, dst_switch)
        } else if self.has_single_local_links || !is_before_dst {
            (self.single_local_link(at, dst_switch)?, false)
        } else {
            return None;
        };
        let link = select_unpredictable(is_before_dst, link, machine.ejection(dst));
        let after = Route {
            via: route.via,
            class: route.class + u8::from(is_before_dst & crosses),
            decided: true,
            passed: true,
            hops: route.hops + u8::from(is_before_dst),
        };
        Some((after, Hop { link, vc: route.class }))
    }

    /// The link out of `at` on the only minimal path to `dst_switch`, and whether it crosses to
    /// another group; any link if `at` is `dst_switch`. Requires `has_single_paths`.
    #[inline(always)]
    pub(crate) fn single_path_step(&self, at: SwitchId, dst_switch: SwitchId) -> (LinkId, bool) {
        let (here, there) = (self.coords[at], self.coords[dst_switch]);
        let is_near = here.group == there.group;
        let (from, to) = (usize::from(here.group), usize::from(there.group));
        let pair = from * (self.groups.len() - 1) + to - usize::from(to > from);
        // For a group and itself this is another pair's link, or none.
        let global_link = self.global_links.get(pair).copied().unwrap_or_default();
        let crosses = !is_near & (global_link.from == here.row_col());
        let local =
            here.only_link_toward(select_unpredictable(is_near, there.row_col(), global_link.from));
        (select_unpredictable(crosses, global_link.link, local), crosses)
    }

    /// The link out of `at` toward `dst_switch` if both are in one group; any link if `at` is
    /// `dst_switch`. Requires `has_single_local_links`, or that `at` is `dst_switch`.
    #[inline(always)]
    pub(crate) fn single_local_link(&self, at: SwitchId, dst_switch: SwitchId) -> Option<LinkId> {
        let (here, there) = (self.coords[at], self.coords[dst_switch]);
        (here.group == there.group).then(|| here.only_link_toward(there.row_col()))
    }
}

impl SwitchCoords {
    /// The link of the next hop to a position of this group, as `toward` without parallel links;
    /// any link if that is this position.
    #[inline(always)]
    fn only_link_toward(self, there: RowCol) -> LinkId {
        let is_along = self.col != there.col;
        let first = select_unpredictable(is_along, self.row_first, self.col_first);
        let to = select_unpredictable(is_along, there.col, there.row);
        let own = select_unpredictable(is_along, self.col, self.row);
        LinkId(first + u32::from(to) - u32::from(to > own))
    }
}

#[cfg(test)]
mod tests {
    use crate::topology::dragonfly::{IgnoreLoad, Stream};
    use crate::{LinkId, LoadView, MachineSpec, NicId, Route, SwitchId, Topology, preset};

    #[test]
    fn the_single_path_step_is_the_general_step() {
        let chassis = [("groups.compute.chassis", "2"), ("groups.compute.chassis_links", "1")];
        let parallel = [("groups.compute.local_links", "3"), ("switch.ports", "29")];
        for (name, changes, has_single_paths) in [
            ("dragonfly-1056", &[][..], true),
            ("dragonfly-1056", &chassis, true),
            ("dragonfly-1056", &parallel, false),
            ("aurora", &[], false),
        ] {
            let text = preset(name).expect("a preset");
            let changes: Vec<_> =
                changes.iter().map(|&(key, value)| (key.to_string(), value.to_string())).collect();
            let spec = MachineSpec::parse(name, text, &changes).expect("legal");
            let machine = spec.resolve().expect("there are ports");
            let Topology::Dragonfly(net) = &machine.topology;
            assert_eq!(net.has_single_paths, has_single_paths, "{name} {changes:?}");
            if !has_single_paths {
                continue;
            }
            let switches = || (0..machine.n_switches()).map(SwitchId);
            for (at, dst_switch) in
                switches().flat_map(|at| switches().map(move |dst_switch| (at, dst_switch)))
            {
                let only = net.single_path_step(at, dst_switch);
                if at != dst_switch {
                    let step = net.step(at, dst_switch, true, Stream::FirstLeg, 7, &IgnoreLoad);
                    assert_eq!(only, (step.link, step.crosses), "{at:?} to {dst_switch:?}");
                }
            }
        }
    }

    /// For every policy and every past of the packet: the hops that remain within the last group.
    #[test]
    fn within_the_last_group_the_single_path_step_is_the_general_step() {
        let chassis = [("groups.compute.chassis", "4"), ("groups.compute.chassis_links", "1")];
        let parallel = [("groups.compute.local_links", "3"), ("switch.ports", "29")];
        for (name, changes, has_single_local_links) in [
            ("aurora", &[("groups.compute.count", "3")][..], true),
            ("dragonfly-1056", &chassis, true),
            ("dragonfly-1056", &parallel, false),
        ] {
            for &routing in crate::Routing::NAMES.iter().filter(|&&name| name != "adaptive") {
                let text = preset(name).expect("a preset");
                let mut set = changes.to_vec();
                set.push(("routing", routing));
                let set: Vec<_> =
                    set.iter().map(|&(key, value)| (key.to_string(), value.to_string())).collect();
                let spec = MachineSpec::parse(name, text, &set).expect("legal");
                let machine = spec.resolve().expect("there are ports");
                let Topology::Dragonfly(net) = &machine.topology;
                assert_eq!(net.has_single_local_links, has_single_local_links, "{name} {set:?}");
                let ends = [0, 17, machine.n_nics() / 2, machine.n_nics() - 1].map(NicId);
                for (at, dst) in (0..machine.n_switches().min(200))
                    .flat_map(|at| ends.map(|dst| (SwitchId(at), dst)))
                {
                    let dst_switch = machine.nic_switch[dst];
                    for (via, class) in [(0, 0), (0, 1), (5, 2)] {
                        let before = Route { via, class, decided: true, passed: true, hops: 2 };
                        let Some((after, hop)) = machine.single_path_hop(at, dst, before) else {
                            continue;
                        };
                        if net.has_single_paths && machine.routing.is_fixed_minimal(before) {
                            continue; // Covered by the other test.
                        }
                        assert!(has_single_local_links || at == dst_switch);
                        assert_eq!(net.coords[at].group, net.coords[dst_switch].group);
                        let mut route = before;
                        let load = &Busy;
                        let next =
                            net.next(at, dst_switch, dst, machine.routing, &mut route, 7, load);
                        let link = next.map_or(machine.ejection(dst), |(link, _)| link);
                        assert!(next.is_none_or(|(_, crosses)| !crosses));
                        route.hops += u8::from(next.is_some());
                        assert_eq!((hop.link, hop.vc, after), (link, class, route), "{routing}");
                    }
                }
            }
        }
    }

    /// Every queue is long.
    struct Busy;
    impl LoadView for Busy {
        fn near(&self, _: LinkId) -> u32 {
            100_000
        }
        fn far(&self, _: LinkId) -> u32 {
            100_000
        }
        fn downstream(&self, _: LinkId) -> u32 {
            100_000
        }
        fn remote_backlog(&self, _: LinkId) -> u32 {
            100_000
        }
    }
}
