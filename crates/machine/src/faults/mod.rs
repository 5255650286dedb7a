//! Faults of a machine over time: the rows of a schedule resolved to links, nodes and times.
//!
//! Has the state of every part of the machine at every time. Effects on packets belong to the
//! network models, what switches know of it to `fabric`, and rerouting to `topology`. A schedule is
//! fixed before a run, so any model may look up the state at any time and nothing has to be
//! communicated.

mod file;
mod random;
mod routing_delay;

pub use routing_delay::RoutingDelay;

use std::collections::{BTreeMap, BTreeSet};

use base::{IndexVec, Time};

use crate::input_error::InputError;
use crate::{LinkEnd, LinkId, Machine, NicId, NodeId, SwitchId};

/// The end of a permanent fault.
pub const NEVER: Time = Time(u64::MAX);

/// Lanes of a healthy link (Slingshot: 4 x 50 Gbit/s; the enhanced link also operates with 3 or 2).
pub const LANES: u8 = 4;

/// Virtual channels that routes around faults need: those of a Valiant route.
const FAULT_VCS: u8 = 4;

/// The part of the machine that a fault affects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultTarget {
    /// Both directions of one of the cables between two switches, or of all of them.
    Switches(SwitchId, SwitchId, Option<u32>),
    /// The same between two groups.
    Groups(crate::GroupId, crate::GroupId, Option<u32>),
    /// A NIC's cable; the NIC itself; a switch and all its links; a node and all its NICs.
    NicLink(NicId),
    Nic(NicId),
    Switch(SwitchId),
    Node(NodeId),
}

/// The kind of a fault.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum FaultKind {
    Down,
    /// Down, which only the switches at the ends of the link learn: the state between a failure and
    /// the next routing sweep.
    Unreported,
    /// This many of four lanes remain.
    Lanes(u8),
    /// Bit-error rate.
    Errors(f64),
}

/// One row of a schedule.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fault {
    pub target: FaultTarget,
    pub kind: FaultKind,
    pub from: Time,
    /// `NEVER` if it is permanent.
    pub until: Time,
}

/// A fault schedule as written, with names resolved.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FaultSchedule {
    /// Bit-error rate of every link for which no row gives another.
    pub ber: f64,
    pub faults: Vec<Fault>,
}

/// The state of a link.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LinkState {
    pub is_up: bool,
    pub lanes: u8,
    pub ber: f64,
}

/// A link has the state `to` from time `at` on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LinkChange {
    pub at: Time,
    pub link: LinkId,
    pub to: LinkState,
}

/// An interval in which a link is down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outage {
    pub from: Time,
    pub until: Time,
}

/// The place where a packet was lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LostAt {
    /// On a link that was or went down.
    Link(LinkId),
    /// At a switch without a path to the target.
    Switch(SwitchId),
}

/// A fault schedule resolved for a machine.
#[derive(Clone, Debug)]
pub struct Faults {
    /// Bit-error rate of every link without an entry in `changes`.
    pub ber: f64,
    /// Sorted by time, then link; those at time zero are the state at the start.
    pub changes: Vec<LinkChange>,
    /// The times at which nodes fail, sorted.
    pub node_failures: Vec<(Time, NodeId)>,
    /// `outages[first[l]..first[l + 1]]` belong to link `l`, sorted by time and disjoint.
    first: Vec<u32>,
    outages: Vec<Outage>,
    /// Links whose outages are known at their ends only.
    unreported: BTreeSet<LinkId>,
    /// For each switch whose incoming switch links are all down at some time: those links.
    links_in: BTreeMap<SwitchId, Vec<LinkId>>,
}

impl Faults {
    /// Whether `link` is down at `t`.
    #[inline]
    pub fn is_down(&self, link: LinkId, t: Time) -> bool {
        self.not_over(link, t).is_some_and(|o| o.from <= t)
    }

    /// Whether `link` is down at any time from `from` to before `to`, so that a packet on it is
    /// lost.
    #[inline]
    pub fn is_down_between(&self, link: LinkId, from: Time, to: Time) -> bool {
        self.not_over(link, from).is_some_and(|o| o.from < to)
    }

    /// The first of a link's outages that has not ended at `t`.
    #[inline]
    fn not_over(&self, link: LinkId, t: Time) -> Option<&Outage> {
        let all = self.outages(link);
        all.get(all.partition_point(|o| o.until <= t))
    }

    /// The links from other switches into `switch` if each of them is down at some time, so that
    /// the switch may be cut off; else empty.
    pub(crate) fn links_in(&self, switch: SwitchId) -> &[LinkId] {
        self.links_in.get(&switch).map_or(&[], |links| links)
    }

    /// Whether other switches receive reports of a link's outages.
    pub(crate) fn reports(&self, link: LinkId) -> bool {
        !self.unreported.contains(&link)
    }

    /// Whether nothing changes after the start and no link has bit errors.
    pub fn is_static(&self) -> bool {
        let ber = self.changes.iter().map(|change| change.to.ber).fold(self.ber, f64::max);
        let changes = self.changes.iter().map(|change| change.at);
        let mut times = changes.chain(self.node_failures.iter().map(|death| death.0));
        ber == 0.0 && times.all(|at| at == Time::ZERO)
    }

    #[inline]
    pub fn outages(&self, link: LinkId) -> &[Outage] {
        let at = link.0 as usize;
        &self.outages[self.first[at] as usize..self.first[at + 1] as usize]
    }
}

/// See `Faults::links_in`.
fn switches_at_risk(machine: &Machine, first: &[u32]) -> BTreeMap<SwitchId, Vec<LinkId>> {
    let mut links_in: BTreeMap<SwitchId, Vec<LinkId>> = BTreeMap::new();
    let mut may_be = IndexVec::filled(true, machine.n_switches() as usize);
    for (link, &to) in machine.links.to.iter() {
        if let (LinkEnd::Switch(_), LinkEnd::Switch(to)) = (machine.links.from[link], to) {
            let at = link.0 as usize;
            if first[at] == first[at + 1] {
                may_be[to] = false;
            } else {
                links_in.entry(to).or_default().push(link);
            }
        }
    }
    links_in.retain(|&switch, _| may_be[switch]);
    links_in
}

impl FaultSchedule {
    /// The state of each link of `machine` over time.
    pub fn resolve(&self, machine: &Machine) -> Faults {
        let mut rows: Vec<(LinkId, usize)> = Vec::new();
        for (row, fault) in self.faults.iter().enumerate() {
            rows.extend(links_of(machine, fault.target).into_iter().map(|link| (link, row)));
        }
        rows.sort_unstable();
        rows.dedup();
        let n_links = machine.links.gap.len();
        let (mut first, mut outages, mut changes) = (vec![0], Vec::new(), Vec::new());
        let mut unreported = BTreeSet::new();
        first.reserve(n_links);
        let mut rows = rows.chunk_by(|a, b| a.0 == b.0).peekable();
        for link in machine.links.gap.ids() {
            if let Some(of_link) = rows.next_if(|chunk| chunk[0].0 == link) {
                let faults: Vec<Fault> = of_link.iter().map(|&(_, row)| self.faults[row]).collect();
                self.timeline(link, &faults, &mut outages, &mut changes);
                let has = |kind| faults.iter().any(|fault| fault.kind == kind);
                if has(FaultKind::Unreported) && !has(FaultKind::Down) {
                    unreported.insert(link);
                }
            }
            first.push(outages.len() as u32);
        }
        changes.sort_by_key(|change: &LinkChange| (change.at, change.link));
        let dead = self.faults.iter().filter_map(|fault| match (fault.target, fault.kind) {
            (FaultTarget::Node(node), FaultKind::Down) => Some((fault.from, node)),
            _ => None,
        });
        let mut node_failures: Vec<(Time, NodeId)> = dead.collect();
        node_failures.sort_unstable();
        let links_in = switches_at_risk(machine, &first);
        Faults { ber: self.ber, changes, node_failures, first, outages, unreported, links_in }
    }

    /// The state of one link over time: the worst of its rows.
    fn timeline(
        &self,
        link: LinkId,
        faults: &[Fault],
        outages: &mut Vec<Outage>,
        changes: &mut Vec<LinkChange>,
    ) {
        let mut times: Vec<Time> = faults.iter().flat_map(|f| [f.from, f.until]).collect();
        times.push(Time::ZERO);
        times.sort_unstable();
        times.dedup();
        let healthy = LinkState { is_up: true, lanes: LANES, ber: self.ber };
        let (mut last, mut down_since) = (healthy, None);
        for at in times.into_iter().filter(|&at| at != NEVER) {
            let mut now = healthy;
            for fault in faults.iter().filter(|f| f.from <= at && at < f.until) {
                match fault.kind {
                    FaultKind::Down | FaultKind::Unreported => now.is_up = false,
                    FaultKind::Lanes(lanes) => now.lanes = now.lanes.min(lanes),
                    FaultKind::Errors(ber) => now.ber = now.ber.max(ber),
                }
            }
            if now != last {
                changes.push(LinkChange { at, link, to: now });
            }
            match (now.is_up, down_since) {
                (false, None) => down_since = Some(at),
                (true, Some(from)) => {
                    outages.push(Outage { from, until: at });
                    down_since = None;
                }
                _ => {}
            }
            last = now;
        }
        outages.extend(down_since.map(|from| Outage { from, until: NEVER }));
    }
}

/// The links of a part of the machine, both directions of each cable.
fn links_of(machine: &Machine, target: FaultTarget) -> Vec<LinkId> {
    let both = |nic: NicId| [machine.injection(nic), machine.ejection(nic)];
    match target {
        FaultTarget::NicLink(nic) | FaultTarget::Nic(nic) => both(nic).to_vec(),
        FaultTarget::Node(node) => {
            let nics = machine.node_nics[node]..machine.node_nics[NodeId(node.0 + 1)];
            nics.flat_map(|nic| both(NicId(nic))).collect()
        }
        FaultTarget::Switch(switch) => {
            let end = LinkEnd::Switch(switch);
            let touches = |l: &LinkId| machine.links.from[*l] == end || machine.links.to[*l] == end;
            machine.links.gap.ids().filter(touches).collect()
        }
        FaultTarget::Switches(a, b, cable) => {
            let there = machine.topology.links_between(a, b);
            let back = machine.topology.links_between(b, a);
            let all = there.iter().zip(&back).enumerate();
            let chosen = all.filter(|(nth, _)| cable.is_none_or(|k| k as usize == *nth));
            chosen.flat_map(|(_, (&a, &b))| [a, b]).collect()
        }
        FaultTarget::Groups(a, b, cable) => {
            let per_cable = machine.links_per_cable;
            let is_chosen = |nth: &usize| cable.is_none_or(|k| *nth as u32 / per_cable == k);
            let directions =
                [machine.global_links_between(a, b), machine.global_links_between(b, a)];
            let chosen = directions.iter().flat_map(|links| {
                links.iter().enumerate().filter(|(nth, _)| is_chosen(nth)).map(|(_, &link)| link)
            });
            chosen.collect()
        }
    }
}

impl Machine {
    /// The compute nodes that are down at the start, which cannot be given to a job.
    pub fn nodes_down_at_start(&self) -> Vec<NodeId> {
        let Some(faults) = &self.faults else { return Vec::new() };
        let dead = faults.node_failures.iter().filter(|d| d.0 == Time::ZERO).map(|d| d.1);
        let mut dead: Vec<NodeId> = dead.collect();
        dead.dedup();
        dead
    }

    /// The name of a link by its two ends.
    pub fn link_name(&self, link: LinkId) -> String {
        format!(
            "{} -> {}",
            self.end_name(self.links.from[link]),
            self.end_name(self.links.to[link])
        )
    }

    pub fn end_name(&self, end: LinkEnd) -> String {
        match end {
            LinkEnd::Nic(nic) => {
                let node = self.nic_node[nic];
                format!("{} nic{}", self.node_name(node), nic.0 - self.node_nics[node])
            }
            LinkEnd::Switch(switch) => {
                format!("g{} switch{}", self.switch_group[switch].0, switch.0)
            }
        }
    }

    /// This machine with a fault schedule. Its port buffers are divided among the virtual channels
    /// that routes around a fault need (docs/models/deadlock.md).
    pub fn with_faults(mut self, schedule: &FaultSchedule) -> Result<Machine, InputError> {
        let n_vcs = self.n_vcs.max(FAULT_VCS);
        let packet = self.nic.packet_payload + self.nic.packet_overhead;
        for buffer in &mut self.links.buffer.raw {
            let port = u64::from(*buffer) * u64::from(self.n_vcs);
            let share = port / u64::from(n_vcs);
            if share < packet {
                let expected = format!(
                    "ports of at least {} B with faults: a packet of {packet} B on each of {n_vcs} \
                     virtual channels",
                    packet * u64::from(n_vcs)
                );
                return Err(InputError::new("links.*.buffer", format!("{port} B"), expected));
            }
            *buffer = share as u32;
        }
        self.n_vcs = n_vcs;
        self.faults = Some(Box::new(schedule.resolve(&self)));
        self.plan_fabric();
        Ok(self)
    }

    /// Reduces the rates of links with missing lanes according to a static schedule, for network
    /// models that use rates only.
    pub fn apply_lane_loss(&mut self) {
        for change in self.faults.iter().flat_map(|faults| &faults.changes) {
            let gap = &mut self.links.gap[change.link];
            gap.0 = gap.0 * u64::from(LANES) / u64::from(change.to.lanes);
        }
    }
}

/// The probability that a packet of `bytes` is hit by at least one bit error. It uses
/// multiplication only, which rounds identically everywhere.
pub fn packet_error_probability(ber: f64, bytes: u64) -> f64 {
    let (mut whole, mut base, mut n) = (1.0, 1.0 - ber, bytes * 8);
    while n > 0 {
        if n & 1 == 1 {
            whole *= base;
        }
        base *= base;
        n >>= 1;
    }
    1.0 - whole
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Span;

    /// Not before t, at t: the ends of a link know its state at once, others one sweep later.
    /// Outages shorter than a sweep stay unknown to others; the state at the start is known to all.
    #[test]
    fn an_outage_becomes_known_at_the_specified_time() {
        let outage = |from, until| Outage { from: Time(from), until };
        let states = |sweep: u64, o: Outage, t: u64| {
            let (first, outages) = (vec![0, 1], vec![o]);
            let (changes, node_failures) = (Vec::new(), Vec::new());
            let links_in = BTreeMap::new();
            let unreported = BTreeSet::new();
            let faults =
                Faults { ber: 0.0, changes, node_failures, first, outages, unreported, links_in };
            let reported = RoutingDelay::Fixed(Span(sweep)).reported(o);
            let is_reported = reported.is_some_and(|o| o.from <= Time(t) && Time(t) < o.until);
            (faults.is_down(LinkId(0), Time(t)), is_reported)
        };
        for (sweep, from, until, t, want) in [
            (10, 100, Time(200), 99, (false, false)),
            (10, 100, Time(200), 100, (true, false)),
            (10, 100, Time(200), 109, (true, false)),
            (10, 100, Time(200), 110, (true, true)),
            (10, 100, Time(200), 200, (false, true)),
            (10, 100, Time(200), 210, (false, false)),
            (100, 100, Time(200), 199, (true, false)),
            (100, 100, Time(200), 200, (false, false)),
            (0, 100, Time(200), 99, (false, false)),
            (0, 100, NEVER, 100, (true, true)),
            (10, 0, NEVER, 0, (true, true)),
            (10, 0, NEVER, 1 << 60, (true, true)),
            (10, 0, Time(5), 4, (true, true)),
            (10, 0, Time(5), 14, (false, true)),
            (10, 0, Time(5), 15, (false, false)),
        ] {
            let case = format!("sweep {sweep}, from {from} until {until:?}, at {t}");
            assert_eq!(states(sweep, outage(from, until), t), want, "{case}");
        }
    }

    #[test]
    fn a_packet_is_cut_if_its_interval_overlaps_an_outage() {
        let outage = |from, until| Outage { from: Time(from), until: Time(until) };
        let (first, outages) = (vec![0, 2], vec![outage(10, 20), outage(30, 40)]);
        let (changes, node_failures) = (Vec::new(), Vec::new());
        let links_in = BTreeMap::new();
        let unreported = BTreeSet::new();
        let faults =
            Faults { ber: 0.0, changes, node_failures, first, outages, unreported, links_in };
        for (from, to, want) in [
            (0, 10, false),
            (0, 11, true),
            (12, 30, true),
            (20, 30, false),
            (20, 31, true),
            (5, 40, true),
            (40, 50, false),
        ] {
            let cut = faults.is_down_between(LinkId(0), Time(from), Time(to));
            assert_eq!(cut, want, "from {from} to {to}");
        }
    }

    /// Compared with the logarithm, and at rate zero.
    #[test]
    fn packet_error_probability_is_that_of_independent_bits() {
        for (ber, bytes) in [(1e-12_f64, 2_112u64), (1e-7, 2_112), (1e-4, 64), (0.0, 2_112)] {
            let want = 1.0 - ((1.0 - ber).ln() * bytes as f64 * 8.0).exp();
            let got = packet_error_probability(ber, bytes);
            assert!((got - want).abs() <= 1e-9 * want.max(1e-6), "{ber} {bytes}: {got}, {want}");
        }
    }
}
