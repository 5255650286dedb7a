//! Loads of links from the jobs on the fabric, spread over the links that routing uses.
//!
//! A job sends at a rate per NIC, uniformly among its NICs. The traffic between two groups is
//! spread evenly over the routed links between them. It is an estimate for operators, without
//! queues or nonminimal paths: `odonata bench --fabric` simulates the same state of the fabric.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use machine::{LinkKind, NicId, NodeId, SwitchId};

use crate::fabric::Fabric;
use crate::wiring::{CableId, FarEnd, PortId, Wiring};

/// A job: its nodes, and what each of its NICs sends, in bytes per second.
#[derive(Clone, Debug, PartialEq)]
pub struct TrafficJob {
    pub nodes: Vec<NodeId>,
    pub rate_per_nic: f64,
}

/// Loads of all links, bytes per second, and traffic without a path.
#[derive(Clone, Debug, Default)]
pub struct Loads {
    /// Per cable: from its first port, and toward it.
    of: Vec<[f32; 2]>,
    /// Bytes per second between groups or switches without a routed link, and of NICs without one.
    pub unrouted: f64,
}

/// Jobs by name, and the loads that they cause.
pub struct Traffic {
    pub jobs: BTreeMap<String, TrafficJob>,
    /// Computed when they are read, since a change of routes is far more frequent. Nothing that
    /// enters the digest reads them.
    loads: OnceCell<Loads>,
    /// Links between two groups, the lower one first.
    globals: BTreeMap<(u32, u32), Vec<CableId>>,
    /// Per switch: neighbors in its group, and the links to them.
    locals: Vec<Vec<(SwitchId, CableId)>>,
}

/// The NICs of a job on each of its switches, by group.
type Sources = BTreeMap<u32, Vec<(SwitchId, f64)>>;

impl Loads {
    fn zero(wiring: &Wiring) -> Loads {
        Loads { of: vec![[0.0; 2]; wiring.cables.len()], unrouted: 0.0 }
    }

    /// Bytes per second of the busier direction of a link.
    pub fn of(&self, cable: CableId) -> f64 {
        let [there, back] = self.of.get(cable.0 as usize).copied().unwrap_or_default();
        f64::from(there.max(back))
    }

    /// Bytes per second that enter a switch through a port.
    pub fn received(&self, wiring: &Wiring, port: PortId) -> f64 {
        let cable = wiring.ports[port].cable;
        let [there, back] = self.of.get(cable.0 as usize).copied().unwrap_or_default();
        f64::from(if wiring.cables[cable].a == port { back } else { there })
    }

    pub fn loaded(&self) -> impl Iterator<Item = (CableId, f64)> {
        let all = self.of.iter().enumerate().filter(|(_, of)| of[0] + of[1] > 0.0);
        all.map(|(at, &[there, back])| (CableId(at as u32), f64::from(there.max(back))))
    }

    fn add(&mut self, wiring: &Wiring, cable: CableId, from: SwitchId, rate: f64) {
        let is_there = wiring.ports[wiring.cables[cable].a].switch == from;
        self.of[cable.0 as usize][usize::from(!is_there)] += rate as f32;
    }
}

impl Traffic {
    pub fn new(fabric: &Fabric) -> Traffic {
        let wiring = &fabric.wiring;
        let mut globals: BTreeMap<(u32, u32), Vec<CableId>> = BTreeMap::new();
        let mut locals = vec![Vec::new(); wiring.n_switches()];
        for (cable, ends) in wiring.cables.iter() {
            let FarEnd::Port(b) = ends.b else { continue };
            let (a, b) = (wiring.ports[ends.a].switch, wiring.ports[b].switch);
            if ends.kind == LinkKind::Global {
                let groups = [a, b].map(|switch| fabric.machine.switch_group[switch].0);
                let pair = (groups[0].min(groups[1]), groups[0].max(groups[1]));
                globals.entry(pair).or_default().push(cable);
            } else {
                locals[a.0 as usize].push((b, cable));
                locals[b.0 as usize].push((a, cable));
            }
        }
        locals.iter_mut().for_each(|own| own.sort_unstable());
        Traffic { jobs: BTreeMap::new(), loads: OnceCell::new(), globals, locals }
    }

    /// To be called after a change of jobs or routes.
    pub fn invalidate(&mut self) {
        self.loads.take();
    }

    /// The loads from the jobs and the routes of the fabric.
    pub fn loads(&self, fabric: &Fabric) -> &Loads {
        self.loads.get_or_init(|| match self.jobs.is_empty() {
            true => Loads::default(),
            false => self.computed(fabric, &|_| false),
        })
    }

    /// The loads if routing did not use some links.
    pub fn computed(&self, fabric: &Fabric, is_removed: &dyn Fn(CableId) -> bool) -> Loads {
        let mut loads = Loads::zero(&fabric.wiring);
        let is_used = |cable: CableId| fabric.is_routed(cable) && !is_removed(cable);
        for job in self.jobs.values() {
            self.add_job(job, fabric, &is_used, &mut loads);
        }
        loads
    }

    fn add_job(
        &self,
        job: &TrafficJob,
        fabric: &Fabric,
        is_used: &dyn Fn(CableId) -> bool,
        loads: &mut Loads,
    ) {
        let (sources, total) = sources(job, fabric, is_used, loads);
        let wiring = &fabric.wiring;
        let rate = job.rate_per_nic;
        let mut within: BTreeMap<u32, Within> =
            sources.keys().map(|&group| (group, Within::of(wiring, group))).collect();
        for (&from, senders) in &sources {
            let own = within.get_mut(&from).expect("it has sources");
            for &(a, n) in senders {
                for &(b, m) in senders {
                    own.add(a, b, rate * n * m / total);
                }
            }
        }
        let nics = |all: &[(SwitchId, f64)]| all.iter().map(|&(_, n)| n).sum::<f64>();
        for (&from, senders) in &sources {
            for (&to, receivers) in sources.iter().filter(|&(&to, _)| to != from) {
                let (n_senders, n_receivers) = (nics(senders), nics(receivers));
                let between = rate * n_senders * n_receivers / total;
                let pair = (from.min(to), from.max(to));
                let links = self.globals.get(&pair).map_or(&[][..], Vec::as_slice);
                let used: Vec<CableId> = links.iter().copied().filter(|&l| is_used(l)).collect();
                if used.is_empty() {
                    loads.unrouted += between;
                    continue;
                }
                let share = rate / used.len() as f64 / total;
                for &cable in &used {
                    let (exit, entry) = ends(fabric, cable, from);
                    loads.add(wiring, cable, exit, between / used.len() as f64);
                    let own = within.get_mut(&from).expect("it has sources");
                    senders.iter().for_each(|&(a, n)| own.add(a, exit, share * n * n_receivers));
                    let far = within.get_mut(&to).expect("it has sources");
                    receivers.iter().for_each(|&(b, m)| far.add(entry, b, share * m * n_senders));
                }
            }
        }
        for within in within.values() {
            within.each(|a, b, rate| self.add_local(a, b, rate, wiring, is_used, loads));
        }
    }

    /// Adds traffic between two switches of a group: over the links between them, or over the first
    /// switch that joins them.
    fn add_local(
        &self,
        from: SwitchId,
        to: SwitchId,
        rate: f64,
        wiring: &Wiring,
        is_used: &dyn Fn(CableId) -> bool,
        loads: &mut Loads,
    ) {
        let direct = |a: SwitchId, b: SwitchId| {
            let own = &self.locals[a.0 as usize];
            let first = own.partition_point(|&(other, _)| other < b);
            let links = own[first..].iter().take_while(move |&&(other, _)| other == b);
            links.map(|&(_, cable)| cable).filter(|&cable| is_used(cable)).collect::<Vec<_>>()
        };
        let mut spread = |a: SwitchId, links: &[CableId]| {
            for &cable in links {
                loads.add(wiring, cable, a, rate / links.len() as f64);
            }
        };
        let links = direct(from, to);
        if !links.is_empty() {
            spread(from, &links);
            return;
        }
        for &(middle, _) in &self.locals[from.0 as usize] {
            let (first, second) = (direct(from, middle), direct(middle, to));
            if !first.is_empty() && !second.is_empty() {
                spread(from, &first);
                spread(middle, &second);
                return;
            }
        }
        loads.unrouted += rate;
    }
}

/// Traffic between the switches of one group, in bytes per second.
struct Within {
    first: u32,
    switches: u32,
    rates: Vec<f64>,
}

impl Within {
    fn of(wiring: &Wiring, group: u32) -> Within {
        let first = wiring.group_first[group as usize];
        let switches = wiring.group_first[group as usize + 1] - first;
        Within { first, switches, rates: vec![0.0; (switches * switches) as usize] }
    }

    fn add(&mut self, from: SwitchId, to: SwitchId, rate: f64) {
        let at = (from.0 - self.first) * self.switches + (to.0 - self.first);
        self.rates[at as usize] += rate;
    }

    /// Calls `with` for each pair of different switches with traffic.
    fn each(&self, mut with: impl FnMut(SwitchId, SwitchId, f64)) {
        for (at, &rate) in self.rates.iter().enumerate().filter(|&(_, &rate)| rate > 0.0) {
            let (from, to) = (at as u32 / self.switches, at as u32 % self.switches);
            if from != to {
                with(SwitchId(self.first + from), SwitchId(self.first + to), rate);
            }
        }
    }
}

/// The switches of a link between groups: in group `from`, and in the other one.
fn ends(fabric: &Fabric, cable: CableId, from: u32) -> (SwitchId, SwitchId) {
    let wiring = &fabric.wiring;
    let mut ports = wiring.cables[cable].ports().map(|port| wiring.ports[port].switch);
    let (Some(a), Some(b)) = (ports.next(), ports.next()) else {
        unreachable!("a link between groups has two ports")
    };
    if fabric.machine.switch_group[a].0 == from { (a, b) } else { (b, a) }
}

/// The NICs of a job whose links are in use, by group and switch, and their number. Adds the loads
/// of their links.
fn sources(
    job: &TrafficJob,
    fabric: &Fabric,
    is_used: &dyn Fn(CableId) -> bool,
    loads: &mut Loads,
) -> (Sources, f64) {
    let machine = &fabric.machine;
    let mut by_switch: BTreeMap<SwitchId, f64> = BTreeMap::new();
    let mut total: f64 = 0.0;
    for &node in &job.nodes {
        let nics = machine.node_nics[node]..machine.node_nics[NodeId(node.0 + 1)];
        for nic in nics.map(NicId) {
            if !is_used(CableId(nic.0)) {
                loads.unrouted += job.rate_per_nic;
                continue;
            }
            *by_switch.entry(machine.nic_switch[nic]).or_default() += 1.0;
            total += 1.0;
            let rate = job.rate_per_nic as f32;
            let own = &mut loads.of[nic.0 as usize];
            *own = [own[0] + rate, own[1] + rate];
        }
    }
    let mut sources = Sources::new();
    for (switch, n) in by_switch {
        sources.entry(machine.switch_group[switch].0).or_default().push((switch, n));
    }
    (sources, total.max(1.0))
}
