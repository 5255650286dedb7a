//! Routes: the next hop of a packet, and whole paths. The topology has the rules.

use base::Time;

use crate::fabric::FabricView;
use crate::faults::LostAt;
use crate::{
    GroupId, Hop, LinkEnd, LinkId, LinkKind, LoadView, Machine, NicId, Route, Routing, SwitchId,
};

impl Machine {
    /// The bias in bytes x hops if routing is UGAL-L on a machine with one shortest path between
    /// any two switches, so that the source switch alone decides; else `None`.
    pub fn single_decision_bias(&self) -> Option<u32> {
        match self.initial_fabric().routing() {
            Routing::UgalL { bias } if self.topology.has_single_paths() => Some(bias),
            _ => None,
        }
    }

    /// The next hop of a packet for `dst` at `at`: link and virtual channel. This is the only
    /// routing function; packets call it hop by hop, flows and LogGP trace whole paths with it.
    /// `fabric` has what may change during a run.
    ///
    /// `route` starts as `Route::default()` at the source switch and is updated at every hop.
    /// `draw` is the packet's own random number; nothing else is random.
    #[inline]
    pub fn next_hop(
        &self,
        fabric: &FabricView,
        at: SwitchId,
        dst: NicId,
        route: &mut Route,
        draw: u64,
        load: &impl LoadView,
    ) -> Hop {
        if let Some((after, hop)) = self.single_path_hop(at, dst, *route) {
            *route = after;
            return hop;
        }
        let dst_switch = self.nic_switch[dst];
        match self.topology.next(at, dst_switch, dst, fabric.routing(), route, draw, load) {
            Some((link, crosses)) => {
                let vc = route.class;
                route.class += u8::from(crosses);
                route.hops += 1;
                Hop { link, vc }
            }
            None => Hop { link: self.ejection(dst), vc: route.class },
        }
    }

    /// The next hop and route of a packet that has no choice left; `None` if it may have one.
    #[inline(always)]
    pub fn single_path_hop(&self, at: SwitchId, dst: NicId, route: Route) -> Option<(Route, Hop)> {
        self.topology.single_path_hop(self, at, dst, route)
    }

    /// Writes all links from `src` to `dst` into `path`, injection first and ejection last, and
    /// returns the final route. Faults are ignored.
    pub fn walk(
        &self,
        src: NicId,
        dst: NicId,
        draw: u64,
        load: &impl LoadView,
        path: &mut Vec<LinkId>,
    ) -> Route {
        path.clear();
        path.push(self.injection(src));
        let (mut route, mut at, last) =
            (Route::default(), self.nic_switch[src], self.ejection(dst));
        loop {
            let fabric = &self.initial_fabric;
            let Hop { link, .. } = self.next_hop(fabric, at, dst, &mut route, draw, load);
            path.push(link);
            if link == last {
                return route;
            }
            let computed = self.topology.computed_neighbor(at, link);
            at = computed.unwrap_or_else(|| self.switch_after(link));
        }
    }

    /// The hop of a packet for `dst` that arrived at `at` on `input`, on a virtual channel of class
    /// `input_class`, on a machine with faults. It is `flow_hop`, the last hop of its flow, if the
    /// path continues after it. `None` if there is no path.
    pub fn next_hop_with_faults(
        &self,
        fabric: &FabricView,
        at: SwitchId,
        (dst, route, draw): (NicId, &mut Route, u64),
        flow_hop: Option<(Route, Hop)>,
        load: &impl LoadView,
        (input, input_class): (LinkId, u8),
    ) -> Option<Hop> {
        let (to, input_hop) = ((dst, route, draw), (input, input_class));
        self.topology.next_hop_with_faults(self, fabric, at, to, flow_hop, load, input_hop)
    }

    /// As `walk`, for a packet sent at the start of a run on a machine that may have faults;
    /// without a path, the place where the packet is lost. Whether a path exists depends on neither
    /// the draw nor the load.
    pub fn find_path(
        &self,
        src: NicId,
        dst: NicId,
        draw: u64,
        load: &impl LoadView,
        path: &mut Vec<LinkId>,
    ) -> Result<Route, LostAt> {
        if self.faults.is_none() {
            return Ok(self.walk(src, dst, draw, load, path));
        }
        self.find_path_with_faults((src, dst), draw, load, path)
    }

    #[cold]
    #[inline(never)]
    fn find_path_with_faults(
        &self,
        (src, dst): (NicId, NicId),
        draw: u64,
        load: &impl LoadView,
        path: &mut Vec<LinkId>,
    ) -> Result<Route, LostAt> {
        let faults = self.faults.as_deref().expect("requires a fault schedule");
        let first = self.injection(src);
        if faults.is_down(first, Time::ZERO) {
            return Err(LostAt::Link(first));
        }
        path.clear();
        path.push(first);
        let (mut route, mut arrival) = (Route::default(), (first, 0));
        while let LinkEnd::Switch(at) = self.links.to[arrival.0] {
            let to = (dst, &mut route, draw);
            let fabric = &self.initial_fabric;
            let hop = self.next_hop_with_faults(fabric, at, to, None, load, arrival);
            let hop = hop.ok_or(LostAt::Switch(at))?;
            debug_assert!(u32::from(route.hops) <= self.max_hops(), "an endless path");
            path.push(hop.link);
            arrival = (hop.link, hop.vc);
        }
        Ok(route)
    }

    /// Reverts the effect on `route` of a hop that was decided and not taken.
    pub fn undo_hop(&self, route: &mut Route, link: LinkId) {
        match self.links.kind[link] {
            LinkKind::Global => {
                route.class -= 1;
                route.hops -= 1;
            }
            LinkKind::Local | LinkKind::LocalBlack => route.hops -= 1,
            LinkKind::Injection | LinkKind::Ejection => {}
        }
    }

    /// Maximum hops between switches of any path.
    pub fn max_hops(&self) -> u32 {
        self.topology.max_hops(self)
    }

    /// The links from one group to another, in order.
    pub fn global_links_between(&self, from: GroupId, to: GroupId) -> Vec<LinkId> {
        self.topology.links_between_groups(from, to).collect()
    }

    /// The parallel links from one switch to another, in the order of cables of fault schedules.
    pub fn links_between(&self, from: SwitchId, to: SwitchId) -> Vec<LinkId> {
        self.topology.links_between(from, to)
    }

    /// The switch at which a link between switches begins; `switch_after` is the one at which it
    /// ends.
    pub fn switch_before(&self, link: LinkId) -> SwitchId {
        match self.links.from[link] {
            LinkEnd::Switch(switch) => switch,
            LinkEnd::Nic(_) => panic!("{link:?} leaves a NIC"),
        }
    }
    pub fn switch_after(&self, link: LinkId) -> SwitchId {
        match self.links.to[link] {
            LinkEnd::Switch(switch) => switch,
            LinkEnd::Nic(_) => panic!("{link:?} leads to a NIC"),
        }
    }
}
