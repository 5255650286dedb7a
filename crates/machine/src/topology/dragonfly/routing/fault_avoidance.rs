//! Routing around faults. The policy decides with failed links costlier than any load. If its step
//! leads nowhere, this file searches for the path with the fewest class increases.
//!
//! Public facts: a switch routes away from its own failed ports at once, and a routing sweep of the
//! fabric manager updates the others. How paths are then chosen is not public. The order here is
//! ours [estimate]: a parallel link, another link to the same group, another switch of the group, a
//! third group.
//!
//! A *class increase* begins a new class at the current switch, so that rows and columns may be
//! used again. Along every path (class, row < column < global) increases, as
//! docs/models/deadlock.md requires. No path has more classes than there are virtual channels.

use base::below;

use super::super::{Dragonfly, GlobalLink, Group, RowCol, Stream, SwitchCoords, derive_draw};
use crate::fabric::{FabricView, KnownDown};
use crate::faults::Faults;
use crate::{GroupId, Hop, LinkEnd, LinkId, LinkKind, LoadView, Machine, NicId, Route, SwitchId};

/// The progress of a packet within its class, which limits what it may do without a class increase.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ClassStage {
    /// Neither a row link nor a column link in this class yet.
    Fresh,
    Row,
    Column,
}

/// Above any load, and small enough to be summed.
const FAILED_LINK_LOAD: u32 = 1 << 26;

/// Maximum number of evaluations of the policy, each with another draw [estimate]. A real fabric
/// manager removes failed links from the switches' tables, so that they choose among the rest. If a
/// quarter of the links is up, all draws miss it for one packet in ten; if half, for one in 256.
const TRIES: u64 = 8;

/// Random stream of those draws.
const STREAM_RETRY: u32 = 0x6f74_6872;

/// Increments of "no path": more than any path has.
const NO_PATH: u8 = u8::MAX;

/// The faults of which one switch has reports.
#[derive(Clone, Copy)]
struct FaultView<'a> {
    fabric: &'a FabricView,
    faults: &'a Faults,
    machine: &'a Machine,
    at: SwitchId,
}

impl FaultView<'_> {
    /// Own links: the current state. Others: the state as reported.
    #[inline]
    fn is_up(&self, link: LinkId) -> bool {
        let known_down = self.fabric.known_down(link);
        if known_down == KnownDown::default() {
            return true;
        }
        let links = &self.machine.links;
        let here = LinkEnd::Switch(self.at);
        if links.from[link] == here || links.to[link] == here {
            !known_down.at_ends
        } else {
            !known_down.elsewhere
        }
    }

    /// Whether every link into `switch` is down according to this view. A search for paths would
    /// try all of them for every packet.
    fn is_cut_off(&self, switch: SwitchId) -> bool {
        let links_in = self.faults.links_in(switch);
        !links_in.is_empty() && links_in.iter().all(|&link| !self.is_up(link))
    }
}

/// Loads in which failed links are costlier than any load.
struct AvoidFaults<'a, L> {
    load: &'a L,
    view: FaultView<'a>,
}

impl<L: LoadView> LoadView for AvoidFaults<'_, L> {
    fn near(&self, link: LinkId) -> u32 {
        if self.view.is_up(link) { self.load.near(link) } else { FAILED_LINK_LOAD }
    }
    fn far(&self, link: LinkId) -> u32 {
        self.load.far(link)
    }
    fn downstream(&self, link: LinkId) -> u32 {
        if self.view.is_up(link) { self.load.downstream(link) } else { FAILED_LINK_LOAD }
    }
    fn remote_backlog(&self, link: LinkId) -> u32 {
        if self.view.is_up(link) { self.load.remote_backlog(link) } else { FAILED_LINK_LOAD }
    }
}

/// A path from here: its first hop, and by how much it increases the class. Global links increase
/// it too.
#[derive(Clone, Copy, Debug)]
struct CandidatePath {
    increments: u8,
    link: LinkId,
    /// It begins with a class increase at this switch.
    increases_class_first: bool,
    crosses: bool,
}

impl CandidatePath {
    /// No path.
    const NONE: CandidatePath = CandidatePath {
        increments: NO_PATH,
        link: LinkId(u32::MAX),
        increases_class_first: false,
        crosses: false,
    };
    /// Already at the target.
    const HERE: CandidatePath = CandidatePath { increments: 0, ..CandidatePath::NONE };

    fn exists(self) -> bool {
        self.increments != NO_PATH
    }
    /// The same path with this many more increments; no path stays no path.
    fn then(self, more: u8) -> CandidatePath {
        CandidatePath { increments: self.increments.saturating_add(more), ..self }
    }
    fn or(self, other: impl FnOnce() -> CandidatePath) -> CandidatePath {
        if self.exists() { self } else { other() }
    }
    fn with_class_increase(self) -> CandidatePath {
        CandidatePath { increases_class_first: true, ..self.then(1) }
    }
}

impl Dragonfly {
    /// See `Machine::next_hop_with_faults`.
    #[allow(clippy::too_many_arguments)] // The inputs of every routing decision.
    pub(crate) fn next_hop_with_faults(
        &self,
        machine: &Machine,
        fabric: &FabricView,
        at: SwitchId,
        (dst, route, draw): (NicId, &mut Route, u64),
        flow_hop: Option<(Route, Hop)>,
        load: &impl LoadView,
        (input, input_class): (LinkId, u8),
    ) -> Option<Hop> {
        let faults = machine.faults.as_deref().expect("requires a fault schedule");
        let view = FaultView { fabric, faults, machine, at };
        let search = Search { net: self, view, draw };
        let dst_switch = machine.nic_switch[dst];
        let mut stage = match machine.links.kind[input] {
            LinkKind::Local => ClassStage::Row,
            LinkKind::LocalBlack => ClassStage::Column,
            _ => ClassStage::Fresh,
        };
        let continues = |after: Route, hop: Hop| {
            let stage = if hop.vc > input_class { ClassStage::Fresh } else { stage };
            view.is_up(hop.link) && search.continues_after(hop, stage, after, dst_switch, machine)
        };
        if let Some((after, hop)) = flow_hop.filter(|&(after, hop)| continues(after, hop)) {
            *route = after;
            return Some(hop);
        }
        for nth in 0..TRIES {
            let draw = if nth == 0 { draw } else { base::draw(draw, STREAM_RETRY, 0, nth) };
            let mut trial = *route;
            let load = &AvoidFaults { load, view };
            let hop = machine.next_hop(fabric, at, dst, &mut trial, draw, load);
            if continues(trial, hop) {
                *route = trial;
                return Some(hop);
            }
        }
        route.decided = true;
        if at == dst_switch {
            let link = machine.ejection(dst);
            return view.is_up(link).then_some(Hop { link, vc: route.class });
        }
        if route.class > input_class {
            stage = ClassStage::Fresh;
        }
        let spare_classes = (machine.n_vcs - 1).checked_sub(route.class)?;
        let path = search.fewest_increments(at, stage, dst_switch);
        if path.increments > spare_classes {
            return None;
        }
        let is_detour = !route.is_minimal() || search.enters_third_group(path, dst_switch);
        route.passed = true;
        // Only the second leg of a nonminimal path is left: the route counts as nonminimal.
        route.via = if is_detour { dst_switch.0 + 1 } else { 0 };
        route.class += u8::from(path.increases_class_first);
        let vc = route.class;
        route.class += u8::from(path.crosses);
        route.hops += 1;
        Some(Hop { link: path.link, vc })
    }

    /// Maximum hops between switches of any path of `machine`. With a fault schedule that is a row
    /// and a column per class, and a global link between classes (docs/models/deadlock.md).
    pub(crate) fn max_hops(&self, machine: &Machine) -> u32 {
        if machine.faults.is_none() {
            return machine.routing.max_hops(self.diameter);
        }
        let within = self.diameter / 2;
        let classes = u32::from(machine.n_vcs);
        classes * within + classes - 1
    }
}

/// A search for paths among the links that are up according to one switch.
struct Search<'a> {
    net: &'a Dragonfly,
    view: FaultView<'a>,
    draw: u64,
}

impl Search<'_> {
    /// Whether a path to `dst_switch` continues after a hop that a policy takes at `stage`.
    fn continues_after(
        &self,
        hop: Hop,
        stage: ClassStage,
        after: Route,
        dst_switch: SwitchId,
        m: &Machine,
    ) -> bool {
        let LinkEnd::Switch(there) = m.links.to[hop.link] else { return true };
        let next_stage = match m.links.kind[hop.link] {
            LinkKind::Local if stage == ClassStage::Fresh => ClassStage::Row,
            LinkKind::LocalBlack if stage < ClassStage::Column => ClassStage::Column,
            LinkKind::Global => ClassStage::Fresh,
            _ => return false,
        };
        let Some(spare_classes) = (m.n_vcs - 1).checked_sub(after.class) else { return false };
        let increments = if after.passed {
            self.unobstructed(there, next_stage, dst_switch)
        } else {
            let via = SwitchId(after.via - 1);
            let legs = self.unobstructed(there, next_stage, via).zip(self.unobstructed(
                via,
                ClassStage::Fresh,
                dst_switch,
            ));
            legs.map(|(to, on)| to + 1 + on)
        };
        increments.is_some_and(|increments| increments <= spare_classes)
    }

    /// The class increments of an unobstructed leg: no class increase at a switch, at most one
    /// global link. Because of this condition a policy avoids failed links while there is another
    /// path.
    fn unobstructed(&self, at: SwitchId, stage: ClassStage, to: SwitchId) -> Option<u8> {
        let (here, there) = (self.net.coords[at], self.net.coords[to]);
        let has_local_path = |from: SwitchCoords, stage, place| {
            from.row_col() == place || self.row_then_column(from, stage, place).exists()
        };
        if here.group == there.group {
            return has_local_path(here, stage, there.row_col()).then_some(0);
        }
        let mut pair = self.net.pair(here.group(), there.group()).iter();
        let is_unobstructed = |c: &GlobalLink| {
            let entry = self.net.switch_at(there.group(), c.to);
            self.view.is_up(c.link)
                && has_local_path(here, stage, c.from)
                && has_local_path(self.net.coords[entry], ClassStage::Fresh, there.row_col())
        };
        (!self.view.is_cut_off(to) && pair.any(is_unobstructed)).then_some(1)
    }

    /// The start index in a list of `n` candidates.
    fn start(&self, stream: Stream, n: usize) -> usize {
        below(derive_draw(self.draw, stream), n.max(1) as u32) as usize
    }

    /// The path with the fewest increments, through a third group if necessary.
    fn fewest_increments(
        &self,
        at: SwitchId,
        stage: ClassStage,
        dst_switch: SwitchId,
    ) -> CandidatePath {
        if self.view.is_cut_off(dst_switch) {
            return CandidatePath::NONE;
        }
        self.direct(at, stage, dst_switch).or(|| self.via_third_group(at, stage, dst_switch))
    }

    /// Without a third group.
    fn direct(&self, at: SwitchId, stage: ClassStage, to: SwitchId) -> CandidatePath {
        let (here, there) = (self.net.coords[at], self.net.coords[to]);
        if here.group == there.group {
            return self.within(here, stage, there.row_col());
        }
        self.between_groups(here, stage, there)
    }

    /// Over a link between the two groups.
    fn between_groups(
        &self,
        here: SwitchCoords,
        stage: ClassStage,
        there: SwitchCoords,
    ) -> CandidatePath {
        let pair = self.net.pair(here.group(), there.group());
        let start = self.start(Stream::FirstLeg, pair.len());
        let mut best = (CandidatePath::NONE, u32::MAX);
        for nth in 0..pair.len() {
            let global_link = pair[(start + nth) % pair.len()];
            let path = self.over_global_link(here, stage, global_link);
            if !path.exists() || path.increments > best.0.increments {
                continue;
            }
            let entry = self.net.switch_at(there.group(), global_link.to);
            let remaining =
                self.within(self.net.coords[entry], ClassStage::Fresh, there.row_col()).increments;
            let path = path.then(remaining);
            let hops = u32::from(!path.crosses) + u32::from(global_link.to != there.row_col());
            if path.exists() && (path.increments, hops) < (best.0.increments, best.1) {
                best = (path, hops);
                // Nothing is better than one increment and one hop here.
                if path.increments == 1 && hops == 0 {
                    break;
                }
            }
        }
        best.0
    }

    /// To `global_link` and over it.
    fn over_global_link(
        &self,
        here: SwitchCoords,
        stage: ClassStage,
        global_link: GlobalLink,
    ) -> CandidatePath {
        if !self.view.is_up(global_link.link) {
            return CandidatePath::NONE;
        }
        if global_link.from == here.row_col() {
            return CandidatePath {
                increments: 1,
                link: global_link.link,
                increases_class_first: false,
                crosses: true,
            };
        }
        self.within(here, stage, global_link.from).then(1)
    }

    /// Through a third group, from this one or back into it.
    fn via_third_group(
        &self,
        at: SwitchId,
        stage: ClassStage,
        dst_switch: SwitchId,
    ) -> CandidatePath {
        let (here, there) = (self.net.coords[at], self.net.coords[dst_switch]);
        let transit = &self.net.transit;
        let start = self.start(Stream::Via, transit.len());
        let mut best = CandidatePath::NONE;
        for nth in 0..transit.len() {
            let third = transit[(start + nth) % transit.len()];
            if third == here.group() || third == there.group() {
                continue;
            }
            let pair = self.net.pair(here.group(), third);
            let first = self.start(Stream::OtherVia, pair.len());
            for k in 0..pair.len() {
                let global_link = pair[(first + k) % pair.len()];
                let path = self.over_global_link(here, stage, global_link);
                if !path.exists() || path.increments >= best.increments {
                    continue;
                }
                let entry = self.net.switch_at(third, global_link.to);
                let remaining = self
                    .between_groups(self.net.coords[entry], ClassStage::Fresh, there)
                    .increments;
                let path = path.then(remaining);
                if path.increments < best.increments {
                    best = path;
                }
            }
            // Two global links and no class increase at a switch: nothing is better.
            if best.increments <= 2 {
                break;
            }
        }
        best
    }

    /// Whether a path begins with a link to a group other than that of `dst_switch`.
    fn enters_third_group(&self, path: CandidatePath, dst_switch: SwitchId) -> bool {
        let LinkEnd::Switch(next) = self.view.machine.links.to[path.link] else { return false };
        let group = |switch: SwitchId| self.net.coords[switch].group;
        path.crosses && group(next) != group(dst_switch)
    }

    /// Within the group: directly, or over another switch of it.
    fn within(&self, here: SwitchCoords, stage: ClassStage, there: RowCol) -> CandidatePath {
        if here.row_col() == there {
            return CandidatePath::HERE;
        }
        let row_then_column = self.row_then_column(here, stage, there);
        if row_then_column.exists() {
            return row_then_column;
        }
        if stage == ClassStage::Fresh {
            return self.via_group_switch(here, stage, there);
        }
        let with_class_increase =
            self.row_then_column(here, ClassStage::Fresh, there).with_class_increase();
        with_class_increase
            .or(|| self.via_group_switch(here, stage, there))
            .or(|| self.via_group_switch(here, ClassStage::Fresh, there).with_class_increase())
    }

    /// Over another switch of the group, where the class increases.
    fn via_group_switch(
        &self,
        here: SwitchCoords,
        stage: ClassStage,
        there: RowCol,
    ) -> CandidatePath {
        let group = self.net.groups[here.group()];
        let n = group.switches as usize;
        let start = self.start(Stream::LaterVia, n);
        for nth in 0..n {
            let by = SwitchId(group.first + ((start + nth) % n) as u32);
            let switch_coords = self.net.coords[by];
            if switch_coords.row_col() == here.row_col() || switch_coords.row_col() == there {
                continue;
            }
            let path = self.row_then_column(here, stage, switch_coords.row_col());
            if path.exists()
                && self.row_then_column(switch_coords, ClassStage::Fresh, there).exists()
            {
                return path.then(1);
            }
        }
        CandidatePath::NONE
    }

    /// Along the row, then along the column, as far as `stage` allows.
    fn row_then_column(
        &self,
        here: SwitchCoords,
        stage: ClassStage,
        there: RowCol,
    ) -> CandidatePath {
        let has_corner = here.col != there.col && here.row != there.row;
        let allowed = if here.col != there.col { ClassStage::Fresh } else { ClassStage::Row };
        if stage > allowed {
            return CandidatePath::NONE;
        }
        let Some(link) = self.open(here, there) else { return CandidatePath::NONE };
        if has_corner {
            let corner = self.net.switch_at(here.group(), RowCol { row: here.row, col: there.col });
            if self.open(self.net.coords[corner], there).is_none() {
                return CandidatePath::NONE;
            }
        }
        CandidatePath { increments: 0, link, increases_class_first: false, crosses: false }
    }

    /// A link that is up, of the next hop to a position of this group: one of the parallel ones.
    fn open(&self, here: SwitchCoords, there: RowCol) -> Option<LinkId> {
        let (first, n) = here.toward(there);
        let start = self.start(Stream::LinkOrGroup, n as usize) as u32;
        let links = (0..n).map(|i| LinkId(first + (start + i) % n));
        links.into_iter().find(|&link| self.view.is_up(link))
    }
}

impl Dragonfly {
    /// The switch at a position of a group.
    fn switch_at(&self, group: GroupId, place: RowCol) -> SwitchId {
        let first = self.groups[group].first;
        SwitchId(first + u32::from(place.row) * self.slots(group) + u32::from(place.col))
    }

    /// Switches per row of the group.
    fn slots(&self, group: GroupId) -> u32 {
        let Group { first, switches, .. } = self.groups[group];
        // The last switch is at the end of the last row.
        u32::from(self.coords[SwitchId(first + switches - 1)].col) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::{Fault, FaultKind, FaultSchedule, FaultTarget};
    use crate::{MachineSpec, Topology};
    use base::{Span, Time, draw};

    const SEED: u64 = 26;

    /// A machine with many links and some switches down from the start: switch 0 permanently,
    /// switch 1 until 2 us.
    fn machine_with_outages(name: &str, sets: &[(&str, &str)]) -> Machine {
        let text = crate::preset(name).expect("a preset");
        let sets: Vec<_> = sets.iter().map(|&(k, v)| (k.into(), v.into())).collect();
        let spec = MachineSpec::parse(name, text, &sets).expect("legal");
        let mut machine = spec.resolve().expect("sound");
        let mut schedule =
            FaultSchedule::random(&machine, SEED, 3 * machine.n_switches(), Span::us(1));
        let one = FaultTarget::Switch(SwitchId(1));
        schedule.faults.retain(|fault| fault.from == Time::ZERO && fault.kind == FaultKind::Down);
        schedule.faults.retain(|fault| fault.target != one);
        for (switch, until) in [(0, Time(u64::MAX)), (1, Time::ZERO + Span::us(2))] {
            let part = FaultTarget::Switch(SwitchId(switch));
            schedule.faults.push(Fault {
                target: part,
                kind: FaultKind::Down,
                from: Time::ZERO,
                until,
            });
        }
        machine.faults = Some(schedule.resolve(&machine).into());
        machine.plan_fabric();
        machine
    }

    /// The two shortcuts agree with the full search: that no link leads to a switch, and that a leg
    /// is unobstructed.
    #[test]
    fn shortcuts_agree_with_the_full_search() {
        let few: &[_] = &[("groups.compute.count", "4"), ("retry.sweep", "1 us")];
        // A search of full Cray groups takes 0.1 s in test builds.
        let small: &[_] =
            &[few[0], few[1], ("groups.compute.switches", "24"), ("groups.compute.nodes", "96")];
        for (name, sets) in [("dragonfly-1056", few), ("cascade-3k", small)] {
            let machine = machine_with_outages(name, sets);
            let Topology::Dragonfly(net) = &machine.topology;
            let faults = machine.faults.as_deref().expect("a schedule");
            // At nine times from 0 to 4 us.
            let at_time = |nth| {
                let mut fabric = machine.initial_fabric().clone();
                fabric.advance(Time::ZERO + Span::ns(500) * nth);
                fabric
            };
            let fabrics: Vec<FabricView> = (0..9).map(at_time).collect();
            let (mut cut_off, mut back, mut unobstructed, mut others) = (0, 0, 0, 0);
            for nth in 0..2_000 {
                let bits = draw(SEED, 1, 0, nth);
                let switch = |bits| SwitchId(below(bits, machine.n_switches()));
                let at = switch(bits);
                let to = if nth % 20 < 2 { SwitchId(nth as u32 % 20) } else { switch(bits << 32) };
                if at == to {
                    continue;
                }
                // Switch 1 is known to be back one sweep later, and at once to its neighbors.
                let fabric = &fabrics[below(draw(SEED, 2, 0, nth), 9) as usize];
                let view = FaultView { fabric, faults, machine: &machine, at };
                let search = Search { net, view, draw: bits };
                let stage =
                    [ClassStage::Fresh, ClassStage::Row, ClassStage::Column][(bits % 3) as usize];
                let direct = search.direct(at, stage, to);
                let crosses = u8::from(net.coords[at].group != net.coords[to].group);
                let expected = (direct.increments == crosses).then_some(crosses);
                let here = format!("{name}, seed {SEED}: {at:?}, {stage:?}, to {to:?}");
                assert_eq!(search.unobstructed(at, stage, to), expected, "{here}");
                if view.is_cut_off(to) {
                    let third = search.via_third_group(at, stage, to);
                    assert!(!direct.exists() && !third.exists(), "{here}");
                    assert!(!search.fewest_increments(at, stage, to).exists(), "{here}");
                    cut_off += 1;
                } else if to.0 == 1 {
                    back += 1;
                } else if expected.is_some() {
                    unobstructed += 1;
                } else {
                    others += 1;
                }
            }
            let all = [cut_off, back, unobstructed, others];
            assert!(all.iter().all(|&n| n > 20), "{name}: {all:?}");
        }
    }
}
