//! The step of a packet that has no choice: where every pair of groups has one link, and switches
//! within a group have no parallel ones, its minimal way is told by where it stands and where it
//! goes, and whoever has nothing but that left to go asks neither its draw nor any load.
//!
//! Nothing here is a branch, since no processor can guess how far a packet has come. `step` says
//! the same with more words; a test holds them together.

use std::hint::select_unpredictable;

use base::IndexVec;

use super::Routing;
use crate::dragonfly::{Dragonfly, Place, Seat};
use crate::{LinkId, Route, SwitchId};

impl Routing {
    /// Whether nothing is left of a route but a minimal way, with nothing to decide on it.
    #[inline]
    pub(crate) fn goes_straight(self, route: Route) -> bool {
        match self {
            Routing::Minimal | Routing::MinHash | Routing::InOrder => true,
            Routing::Par { .. } | Routing::Slingshot(_) | Routing::Aries(..) => false,
            _ => route.decided && route.passed,
        }
    }
}

/// Whether there is one minimal way between any two switches. `pair_first` is as in `Dragonfly`.
pub(crate) fn has_one_way(seats: &IndexVec<SwitchId, Seat>, pair_first: &[u32]) -> bool {
    let n_groups = (pair_first.len() - 1).isqrt();
    let mut pairs = pair_first.windows(2).enumerate();
    // Of a group to itself there are none.
    let is_one =
        pairs.all(|(pair, at)| at[1] - at[0] == u32::from(!pair.is_multiple_of(n_groups + 1)));
    is_one && has_lone_locals(seats)
}

/// Whether switches of a group have no parallel links.
pub(crate) fn has_lone_locals(seats: &IndexVec<SwitchId, Seat>) -> bool {
    seats.raw.iter().all(|seat| seat.row_links <= 1 && seat.col_links <= 1)
}

impl Dragonfly {
    /// The link out of `at` on the one minimal way to `home`, and whether it crosses to another
    /// group; any link if it is there already. Only where `has_one_way`.
    #[inline(always)]
    pub(crate) fn only_step(&self, at: SwitchId, home: SwitchId) -> (LinkId, bool) {
        let (here, there) = (self.seats[at], self.seats[home]);
        let is_near = here.group == there.group;
        let (from, to) = (usize::from(here.group), usize::from(there.group));
        let pair = from * (self.groups.len() - 1) + to - usize::from(to > from);
        // Of a group to itself this is another pair's, or none.
        let crossing = self.crossings.get(pair).copied().unwrap_or_default();
        let crosses = !is_near & (crossing.from == here.place());
        let local = here.lone_link(select_unpredictable(is_near, there.place(), crossing.from));
        (select_unpredictable(crosses, crossing.link, local), crosses)
    }

    /// The link out of `at` on the way to `home`, if that is in its group; any link if it is `at`.
    /// Only where `has_lone_locals`, or there.
    #[inline(always)]
    pub(crate) fn only_local(&self, at: SwitchId, home: SwitchId) -> Option<LinkId> {
        let (here, there) = (self.seats[at], self.seats[home]);
        (here.group == there.group).then(|| here.lone_link(there.place()))
    }
}

impl Seat {
    /// The link of the next hop to a place of this group, as `toward`, where none are parallel; any
    /// if that is this place.
    #[inline(always)]
    fn lone_link(self, there: Place) -> LinkId {
        let is_along = self.col != there.col;
        let first = select_unpredictable(is_along, self.row_first, self.col_first);
        let to = select_unpredictable(is_along, there.col, there.row);
        let own = select_unpredictable(is_along, self.col, self.row);
        LinkId(first + u32::from(to) - u32::from(to > own))
    }
}

#[cfg(test)]
mod tests {
    use crate::dragonfly::{Blind, Stream};
    use crate::{LinkId, LoadView, MachineSpec, NicId, Route, SwitchId, Topology, preset};

    #[test]
    fn the_only_step_is_the_step() {
        let chassis = [("groups.compute.chassis", "2"), ("groups.compute.chassis_links", "1")];
        let parallel = [("groups.compute.local_links", "3"), ("switch.ports", "29")];
        for (name, changes, has_one_way) in [
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
            assert_eq!(net.has_one_way, has_one_way, "{name} {changes:?}");
            if !has_one_way {
                continue;
            }
            let switches = || (0..machine.n_switches()).map(SwitchId);
            for (at, home) in switches().flat_map(|at| switches().map(move |home| (at, home))) {
                let only = net.only_step(at, home);
                if at != home {
                    let step = net.step(at, home, true, Stream::FirstLeg, 7, &Blind);
                    assert_eq!(only, (step.link, step.crosses), "{at:?} to {home:?}");
                }
            }
        }
    }

    /// Whatever the policy, and however the packet came there: what remains within the last group.
    #[test]
    fn within_the_last_group_the_only_step_is_the_step() {
        let chassis = [("groups.compute.chassis", "4"), ("groups.compute.chassis_links", "1")];
        let parallel = [("groups.compute.local_links", "3"), ("switch.ports", "29")];
        for (name, changes, has_lone_locals) in [
            ("aurora", &[("groups.compute.count", "3")][..], true),
            ("dragonfly-1056", &chassis, true),
            ("dragonfly-1056", &parallel, false),
        ] {
            for &routing in crate::Routing::WORDS.iter().filter(|&&name| name != "adaptive") {
                let text = preset(name).expect("a preset");
                let mut set = changes.to_vec();
                set.push(("routing", routing));
                let set: Vec<_> =
                    set.iter().map(|&(key, value)| (key.to_string(), value.to_string())).collect();
                let spec = MachineSpec::parse(name, text, &set).expect("legal");
                let machine = spec.resolve().expect("there are ports");
                let Topology::Dragonfly(net) = &machine.topology;
                assert_eq!(net.has_lone_locals, has_lone_locals, "{name} {set:?}");
                let ends = [0, 17, machine.n_nics() / 2, machine.n_nics() - 1].map(NicId);
                for (at, dst) in (0..machine.n_switches().min(200))
                    .flat_map(|at| ends.map(|dst| (SwitchId(at), dst)))
                {
                    let home = machine.nic_switch[dst];
                    for (via, class) in [(0, 0), (0, 1), (5, 2)] {
                        let before = Route { via, class, decided: true, passed: true, hops: 2 };
                        let Some((after, hop)) = machine.only_hop(at, dst, before) else {
                            continue;
                        };
                        if net.has_one_way && machine.routing.goes_straight(before) {
                            continue; // The other test's.
                        }
                        assert!(has_lone_locals || at == home);
                        assert_eq!(net.seats[at].group, net.seats[home].group);
                        let mut route = before;
                        let load = &Busy;
                        let next = net.next(at, home, dst, machine.routing, &mut route, 7, load);
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
        fn anywhere(&self, _: LinkId) -> u32 {
            100_000
        }
    }
}
