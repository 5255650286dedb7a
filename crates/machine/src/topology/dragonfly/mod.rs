//! Dragonfly topology: groups of switches, each pair of groups linked, and the paths through them.
//!
//! A switch is in a row (chassis) and a column (slot) of its group. The switches of a row are all
//! linked to each other ("green" on Aries), and so are those of a column ("black"). A one-level
//! group is one row. Local links are computed; global links are in one table of all pairs of
//! groups. Nothing here grows with the square of nodes or switches.
//!
//! This file computes paths and their lengths; `routing` chooses among them. Every choice along a
//! route is a function of the packet's draw and of load. A route therefore does not record which of
//! several global links it is heading for: the next switch draws the same two candidates and takes
//! the nearer one. Rules in docs/models/routing.md; deadlock freedom in docs/models/deadlock.md.

mod build;
mod folding;
mod prefetch;
pub(crate) mod routing;

pub(crate) use build::BuiltNetwork;

use base::{IndexVec, below};

use crate::{GroupId, LinkEnd, LinkId, LinkKind, Links, LoadView, SwitchId};

/// Position of a switch and its first local links: all that a hop within a group needs.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(16))]
pub(crate) struct SwitchCoords {
    pub group: u16,
    pub row: u16,
    pub col: u16,
    /// Parallel links to each other switch of the row, and of the column.
    pub row_links: u8,
    pub col_links: u8,
    /// First link to the row (to its other columns in order), and to the column.
    pub row_first: u32,
    pub col_first: u32,
}
const _: () = assert!(size_of::<SwitchCoords>() == 16);

impl SwitchCoords {
    pub fn group(self) -> GroupId {
        GroupId(self.group.into())
    }
    #[inline]
    pub fn row_col(self) -> RowCol {
        RowCol { row: self.row, col: self.col }
    }
}

/// Position of a switch within its group.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct RowCol {
    pub row: u16,
    pub col: u16,
}

/// A link between groups and the positions of the switches at its ends, so that a decision about it
/// needs no other table.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GlobalLink {
    pub link: LinkId,
    pub from: RowCol,
    pub to: RowCol,
}

/// A global link out of a switch to a group that nonminimal routes may pass through.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gateway {
    pub link: LinkId,
    pub to: GroupId,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Group {
    pub first: u32,
    pub switches: u32,
    /// Its index among the transit groups, or `NO_TRANSIT`.
    pub transit: u32,
    /// Whether its switches compare the loads of intermediate groups.
    pub compares_load: bool,
}

pub(crate) const NO_TRANSIT: u32 = u32::MAX;

/// No link: the path does not leave this group, or leaves it by its first link.
pub(crate) const NO_LINK: LinkId = LinkId(u32::MAX);

/// The gateways of all switches, and where those of each switch begin.
pub(crate) fn gateways(
    links: &Links,
    coords: &IndexVec<SwitchId, SwitchCoords>,
    groups: &IndexVec<GroupId, Group>,
) -> (Vec<u32>, Vec<Gateway>) {
    let mut of: Vec<Vec<Gateway>> = vec![Vec::new(); coords.len()];
    for (link, &kind) in links.kind.iter() {
        let (LinkEnd::Switch(from), LinkEnd::Switch(to)) = (links.from[link], links.to[link])
        else {
            continue;
        };
        let to = coords[to].group();
        if kind == LinkKind::Global && groups[to].transit != NO_TRANSIT {
            of[from.0 as usize].push(Gateway { link, to });
        }
    }
    let mut first = vec![0];
    first.extend(of.iter().scan(0, |sum, own| {
        *sum += own.len() as u32;
        Some(*sum)
    }));
    (first, of.concat())
}

#[derive(Clone, Debug)]
pub struct Dragonfly {
    pub(crate) coords: IndexVec<SwitchId, SwitchCoords>,
    pub(crate) groups: IndexVec<GroupId, Group>,
    /// `global_links[pair_first[a * groups + b]..pair_first[a * groups + b + 1]]` lead from a to b.
    pub(crate) pair_first: Vec<u32>,
    pub(crate) global_links: Vec<GlobalLink>,
    /// There is exactly one minimal path between any two switches (`routing::has_single_paths`).
    pub(crate) has_single_paths: bool,
    /// Switches of a group have no parallel links.
    pub(crate) has_single_local_links: bool,
    /// `gateways[gateway_first[s]..gateway_first[s + 1]]` belong to switch `s`.
    pub(crate) gateway_first: Vec<u32>,
    pub(crate) gateways: Vec<Gateway>,
    /// Transit groups: those that nonminimal routes may pass through.
    pub(crate) transit: Vec<GroupId>,
    /// Hops between switches of the longest minimal route: 3, or 5 with chassis.
    pub(crate) diameter: u32,
}

/// A candidate for the next hop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub link: LinkId,
    /// The second link of the path that the cost may include: the global link by which it leaves
    /// the group, if that is at another switch. `NO_LINK` if there is none.
    pub exit: LinkId,
    /// Its visible load if it has been computed, else `UNKNOWN_LOAD`: a path without an alternative
    /// needs none.
    known_load: u32,
    /// Hops between switches from here to the target, this one included.
    pub hops: u8,
    /// It leads to another group.
    pub crosses: bool,
}
// It fits two registers. In memory, a read of the whole after writes of its parts would stall.
const _: () = assert!(size_of::<Option<Step>>() == 16);

/// Greater than any load: the buffers of switches limit loads.
const UNKNOWN_LOAD: u32 = u32::MAX;

impl Step {
    /// Over a global link of this switch.
    #[inline]
    pub fn over(link: LinkId, hops: u8) -> Step {
        Step { link, exit: NO_LINK, crosses: true, hops, known_load: UNKNOWN_LOAD }
    }

    /// The load of its path that `metric` sees.
    #[inline]
    pub fn visible_load(&self, metric: &impl LoadMetric) -> u32 {
        if self.known_load == UNKNOWN_LOAD {
            metric.visible_load(self.link, self.exit)
        } else {
            self.known_load
        }
    }

    #[inline]
    fn compute_load(&mut self, metric: &impl LoadMetric) -> u32 {
        self.known_load = self.visible_load(metric);
        self.known_load
    }
}

/// How a policy computes the cost of a path from the load that it can see.
pub(crate) trait LoadMetric {
    /// The load that this metric sees of a path. The path begins with `link` and continues with
    /// `exit`, a link out of another switch of this group; `exit` is `NO_LINK` if the path has then
    /// left the group or ended.
    fn visible_load(&self, link: LinkId, exit: LinkId) -> u32;

    /// Cost of a path of this visible load and this many hops; the lower cost wins.
    fn cost(&self, visible_load: u32, hops: u32) -> u64 {
        u64::from(visible_load) * u64::from(hops)
    }
}

/// The first link's load according to the switch's own queues and credits.
pub(crate) struct LocalLoad<'a, L>(pub &'a L);
impl<L: LoadView> LoadMetric for LocalLoad<'_, L> {
    #[inline]
    fn visible_load(&self, link: LinkId, _: LinkId) -> u32 {
        self.0.backlog(link)
    }
}

/// Ignores load: the draw decides, and of two drawn paths the shorter wins.
pub(crate) struct IgnoreLoad;
impl LoadMetric for IgnoreLoad {
    #[inline]
    fn visible_load(&self, _: LinkId, _: LinkId) -> u32 {
        0
    }
}

/// Random streams derived from a packet's draw, one per choice: the global link of either leg, two
/// intermediate switches, parallel links, and two intermediate switches of repeated decisions.
#[derive(Clone, Copy)]
#[repr(u64)]
pub(crate) enum Stream {
    /// Global link toward the intermediate switch or, without one, to the destination.
    FirstLeg = 0x243F_6A88_85A3_08D3,
    /// Global link from the intermediate switch to the destination.
    SecondLeg = 0x1319_8A2E_0370_7344,
    /// The intermediate switch, and that of a second candidate.
    Via = 0xA409_3822_299F_31D0,
    OtherVia = 0x082E_FA98_EC4E_6C89,
    /// One of several parallel links; or, for Slingshot, the second group that is compared.
    LinkOrGroup = 0x4528_21E6_38D0_1377,
    /// As `Via` and `OtherVia`, for a decision after the source switch.
    LaterVia = 0xBE54_66CF_34E9_0C6C,
    OtherLaterVia = 0xC0AC_29B7_C97C_50DD,
}

/// A fresh draw for `stream` from the packet's own draw.
#[inline]
pub(crate) fn derive_draw(draw: u64, stream: Stream) -> u64 {
    let x = (draw ^ stream as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (x ^ (x >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93)
}

/// Two of `n` links, different if there are two. The upper half of `leg_draw` selects the first,
/// the lower half the second.
#[inline]
pub(crate) fn draw_two(leg_draw: u64, n: u32) -> [u32; 2] {
    let one = below(leg_draw, n);
    let other = one + 1 + below(leg_draw << 32, n.saturating_sub(1));
    [one, if other >= n { other - n } else { other }]
}

impl Dragonfly {
    /// A random transit group for traffic between two groups, linked to both; `None` if the drawn
    /// one is not, or there is none. Uses the upper half of the draw.
    #[inline]
    pub(crate) fn transit_group(&self, from: GroupId, to: GroupId, draw: u64) -> Option<GroupId> {
        let (skip_a, skip_b) = (self.groups[from].transit, self.groups[to].transit);
        let ends = u32::from(skip_a != NO_TRANSIT) + u32::from(skip_b != NO_TRANSIT);
        let others = (self.transit.len() as u32).checked_sub(ends).filter(|&n| n > 0)?;
        let third = self.transit[skipping(below(draw, others), skip_a, skip_b) as usize];
        (self.are_linked(from, third) && self.are_linked(third, to)).then_some(third)
    }

    /// A random switch of `group`. Uses the lower half of the draw.
    #[inline]
    pub(crate) fn random_switch(&self, group: GroupId, draw: u64) -> SwitchId {
        let Group { first, switches, .. } = self.groups[group];
        SwitchId(first + below(draw << 32, switches))
    }

    /// A random intermediate switch for traffic between two switches: of the same group if they
    /// share one, else of a third group linked to both. `None` if there is none, or if the group
    /// drawn is not linked to both.
    #[inline]
    pub(crate) fn intermediate_switch(
        &self,
        at: SwitchId,
        dst_switch: SwitchId,
        draw: u64,
    ) -> Option<SwitchId> {
        let (from, to) = (self.coords[at].group(), self.coords[dst_switch].group());
        if from == to {
            let group = self.groups[from];
            let others = group.switches.checked_sub(2).filter(|&n| n > 0)?;
            return Some(SwitchId(skipping(below(draw, others) + group.first, at.0, dst_switch.0)));
        }
        self.transit_group(from, to, draw).map(|third| self.random_switch(third, draw))
    }

    /// A random gateway of `at` to a group that is linked to `to`.
    #[inline]
    pub(crate) fn own_gateway(&self, at: SwitchId, to: GroupId, draw: u64) -> Option<Gateway> {
        let at = at.0 as usize;
        let own =
            &self.gateways[self.gateway_first[at] as usize..self.gateway_first[at + 1] as usize];
        if own.is_empty() {
            return None;
        }
        let gateway = own[below(draw, own.len() as u32) as usize];
        (gateway.to != to && self.are_linked(gateway.to, to)).then_some(gateway)
    }

    /// Hops between switches of the longest minimal route.
    pub(crate) fn longest(&self) -> u32 {
        if self.groups.len() > 1 { self.diameter } else { self.diameter / 2 }
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.coords.raw[..])
            + size_of_val(&self.groups.raw[..])
            + size_of_val(&self.pair_first[..])
            + size_of_val(&self.global_links[..])
            + size_of_val(&self.gateway_first[..])
            + size_of_val(&self.gateways[..])
            + size_of_val(&self.transit[..])
    }

    /// The index in `pair_first` of the links from group `a` to group `b`.
    #[inline]
    pub(crate) fn pair_index(&self, a: GroupId, b: GroupId) -> usize {
        a.0 as usize * self.groups.len() + b.0 as usize
    }

    /// Links from group `a` to group `b`.
    #[inline]
    pub(crate) fn pair(&self, a: GroupId, b: GroupId) -> &[GlobalLink] {
        let pair = self.pair_index(a, b);
        &self.global_links[self.pair_first[pair] as usize..self.pair_first[pair + 1] as usize]
    }

    #[inline]
    fn are_linked(&self, a: GroupId, b: GroupId) -> bool {
        let pair = self.pair_index(a, b);
        self.pair_first[pair] < self.pair_first[pair + 1]
    }

    /// The links from one switch to another, in order.
    pub(crate) fn links_between(&self, from: SwitchId, to: SwitchId) -> Vec<LinkId> {
        let (here, there) = (self.coords[from], self.coords[to]);
        if here.group != there.group {
            let ends = (here.row_col(), there.row_col());
            let pair = self.pair(here.group(), there.group()).iter();
            return pair.filter(|c| (c.from, c.to) == ends).map(|c| c.link).collect();
        }
        if (here.row == there.row) == (here.col == there.col) {
            return Vec::new(); // The same switch, or neither a row nor a column in common.
        }
        let (first, n) = here.toward(there.row_col());
        (first..first + n).map(LinkId).collect()
    }

    /// The switch that a link out of `at` leads to, if it is a link of its row.
    #[inline]
    pub(crate) fn row_neighbor(&self, at: SwitchId, link: LinkId) -> Option<SwitchId> {
        let SwitchCoords { col, row_links, row_first, col_first, .. } = self.coords[at];
        if !(row_first..col_first).contains(&link.0) {
            return None;
        }
        let (nth, col) = ((link.0 - row_first) / u32::from(row_links), u32::from(col));
        Some(SwitchId(at.0 - col + nth + u32::from(nth >= col)))
    }

    /// Maximum hops between two switches; exact within a group.
    #[inline]
    pub(crate) fn max_distance(&self, a: SwitchId, b: SwitchId) -> u32 {
        let (a, b) = (self.coords[a], self.coords[b]);
        if a.group == b.group { distance(a.row_col(), b.row_col()).into() } else { self.diameter }
    }

    /// The next hop of the minimal path to `target`, which is not `at`. With `starts_leg`, no hop
    /// of this leg has been taken, and cost selects one of the two drawn global links. Later the
    /// nearer one is taken; cost decides only between equally near ones.
    #[inline]
    pub(crate) fn step(
        &self,
        at: SwitchId,
        target: SwitchId,
        starts_leg: bool,
        leg: Stream,
        draw: u64,
        metric: &impl LoadMetric,
    ) -> Step {
        let (here, there) = (self.coords[at], self.coords[target]);
        if here.group == there.group {
            return self.local(here, there.row_col(), NO_LINK, draw, metric);
        }
        let pair = self.pair(here.group(), there.group());
        let n = pair.len() as u32;
        debug_assert!(n > 0, "no link between the groups of {at:?} and {target:?}");
        if let &[only] = pair {
            return self.approach(here, only, there, draw, metric).1;
        }
        let [i, j] = draw_two(derive_draw(draw, leg), n);
        let mut one = self.approach(here, pair[i as usize], there, draw, metric);
        let mut other = self.approach(here, pair[j as usize], there, draw, metric);
        let by_cost = |s: &mut Step| (metric.cost(s.compute_load(metric), s.hops.into()), s.hops);
        let other_wins = if starts_leg || other.0 == one.0 {
            by_cost(&mut other.1) < by_cost(&mut one.1)
        } else {
            other.0 < one.0
        };
        if other_wins { other.1 } else { one.1 }
    }

    /// The first hop toward `target`, which is not `at`, by the first of the two links that `step`
    /// would draw. At the next switch `step` takes the same link, or the second one if that is
    /// nearer, or as near and cheaper.
    #[inline]
    pub(crate) fn drawn_step(
        &self,
        at: SwitchId,
        target: SwitchId,
        leg: Stream,
        draw: u64,
        metric: &impl LoadMetric,
    ) -> Step {
        let (here, there) = (self.coords[at], self.coords[target]);
        if here.group == there.group {
            return self.local(here, there.row_col(), NO_LINK, draw, metric);
        }
        let global_link = self.drawn_global_link(here.group(), there.group(), leg, draw);
        self.approach(here, global_link, there, draw, metric).1
    }

    /// The first of the two links between two groups that `step` draws.
    #[inline]
    pub(crate) fn drawn_global_link(
        &self,
        a: GroupId,
        b: GroupId,
        leg: Stream,
        draw: u64,
    ) -> GlobalLink {
        let pair = self.pair(a, b);
        pair[below(derive_draw(draw, leg), pair.len() as u32) as usize]
    }

    /// The step toward or over `global_link`, and its distance: 0 at this switch, 1 in this column,
    /// 2 elsewhere. Rows come before columns, so a link in this column stays the nearest.
    #[inline]
    pub(crate) fn approach(
        &self,
        here: SwitchCoords,
        global_link: GlobalLink,
        there: SwitchCoords,
        draw: u64,
        metric: &impl LoadMetric,
    ) -> (u32, Step) {
        let beyond = 1 + distance(global_link.to, there.row_col());
        if global_link.from == here.row_col() {
            return (0, Step::over(global_link.link, beyond));
        }
        let mut step = self.local(here, global_link.from, global_link.link, draw, metric);
        step.hops += beyond;
        (if global_link.from.col == here.col { 1 } else { 2 }, step)
    }

    /// The next hop within a group: first to the target's column, then to its row. `exit` is the
    /// link that the path continues with from there.
    #[inline(always)]
    pub(crate) fn local(
        &self,
        here: SwitchCoords,
        there: RowCol,
        exit: LinkId,
        draw: u64,
        metric: &impl LoadMetric,
    ) -> Step {
        let hops = distance(here.row_col(), there);
        let (first, links) = here.toward(there);
        let (link, known_load) = match links {
            1 => (LinkId(first), UNKNOWN_LOAD),
            _ => least_loaded(first, links, exit, draw, metric),
        };
        Step { link, exit, crosses: false, hops, known_load }
    }
}

impl SwitchCoords {
    /// The links of the next hop to another position of this group: the first one, and the number
    /// of parallel ones.
    #[inline]
    pub(crate) fn toward(self, there: RowCol) -> (u32, u32) {
        if self.col != there.col {
            let nth = there.col - u16::from(there.col > self.col);
            (self.row_first + u32::from(nth) * u32::from(self.row_links), self.row_links.into())
        } else {
            let nth = there.row - u16::from(there.row > self.row);
            (self.col_first + u32::from(nth) * u32::from(self.col_links), self.col_links.into())
        }
    }
}

/// Hops between two positions of one group.
#[inline]
fn distance(a: RowCol, b: RowCol) -> u8 {
    u8::from(a.row != b.row) + u8::from(a.col != b.col)
}

/// The `n`th number that is neither `a` nor `b`.
#[inline]
fn skipping(n: u32, a: u32, b: u32) -> u32 {
    let (low, high) = (a.min(b), a.max(b));
    let n = n + u32::from(n >= low);
    n + u32::from(n >= high)
}

/// The least loaded of parallel links, and its load; of equal ones the first drawn.
#[inline]
fn least_loaded(
    first: u32,
    n: u32,
    exit: LinkId,
    draw: u64,
    metric: &impl LoadMetric,
) -> (LinkId, u32) {
    let start = below(derive_draw(draw, Stream::LinkOrGroup), n);
    let mut best = (LinkId(first + start), metric.visible_load(LinkId(first + start), exit));
    for i in 1..n {
        let nth = start + i;
        let link = LinkId(first + if nth >= n { nth - n } else { nth });
        let visible_load = metric.visible_load(link, exit);
        if visible_load < best.1 {
            best = (link, visible_load);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MachineSpec, Topology, preset};

    /// On groups of one row, of several rows, and with parallel links in a row.
    #[test]
    fn properties_computed_from_a_link_id_match_its_columns() {
        let parallel = [("groups.compute.local_links", "3"), ("switch.ports", "29")];
        let parallel = parallel.map(|(key, value)| (key.to_string(), value.to_string()));
        for (name, changes) in
            [("aurora", &[][..]), ("cascade-3k", &[]), ("dragonfly-1056", &parallel)]
        {
            let text = preset(name).expect("a preset");
            let spec = MachineSpec::parse(name, text, changes).expect("legal");
            let machine = spec.resolve().expect("there are ports");
            let (Topology::Dragonfly(net), links) = (&machine.topology, &machine.links);
            let kinds = links.by_kind();
            for (link, &kind) in links.kind.iter() {
                let its = (links.latency[link], links.gap[link]);
                assert_eq!(kinds.of(kind), its, "{name}: {link:?}");
                let (LinkEnd::Switch(at), LinkEnd::Switch(to)) = (links.from[link], links.to[link])
                else {
                    continue;
                };
                assert_eq!(kinds.between_switches(link, links), its, "{name}: {link:?}");
                let is_row = kind == LinkKind::Local;
                assert_eq!(net.row_neighbor(at, link), is_row.then_some(to), "{name}: {link:?}");
            }
        }
    }

    #[test]
    fn skipping_yields_every_other_number_once() {
        for (a, b) in [(0, 1), (3, 1), (4, 5), (NO_TRANSIT, 2), (NO_TRANSIT, NO_TRANSIT)] {
            let left: Vec<u32> = (0..6).filter(|&n| n != a && n != b).collect();
            let got: Vec<u32> = (0..left.len() as u32).map(|n| skipping(n, a, b)).collect();
            assert_eq!(got, left, "without {a} and {b}");
        }
    }
}
