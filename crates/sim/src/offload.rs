//! Collectives offloaded to the network: a tree of switches, or of NICs, reduces the contributions
//! of its endpoints toward the root, and broadcasts the result. Equations and limits:
//! docs/models/collective-offload.md.
//!
//! A reduction is evaluated when the last of its ranks has entered, because no earlier effect is
//! visible. Its packets queue on links only behind packets of other reductions.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;

use crate::world::{HostEvent, RunId, World};
use base::{Span, Time};
use collectives::{InNetwork, Kind, OFFLOAD_MAX};
use machine::{LinkId, Machine, NIC_CHILDREN, NicId, Reducer, SwitchId};
use net::{Counters, LinkTraffic, NetworkModel};
use workload::{Context, Workload};

/// Concurrent reductions of one group in switches. [libfabric] CXIP_COLL_MAX_CONCUR
///
/// The number for NICs is not public; the same is assumed. [estimate]
const MOST_AT_ONCE: u32 = 8;

/// Bytes of a reduction's packet: payload, header and padding, independent of the data. [libfabric]
/// prov/cxi/src/cxip_coll.c
const PACKET: u64 = 49;
const _: () = assert!(OFFLOAD_MAX < PACKET);

/// Aries' engines reduce one word per packet. [Cray XC Series Network]
const WORD: u64 = 8;

/// Job, communicator, number of the call.
type Key = (u32, Context, u32);

#[derive(Default)]
pub(crate) struct Offload {
    /// Type of the network's reduction, if it has any.
    pub reducer: Option<Reducer>,
    in_progress: BTreeMap<Key, Group>,
    /// By rank and communicator: the number of reductions in progress, and those that wait. Without
    /// any, there is no entry.
    open: BTreeMap<(u32, Context), Open>,
    /// Start and end of the last contiguous interval in which a link carries packets of reductions.
    busy: BTreeMap<LinkId, (Time, Time)>,
    /// Reductions that timed out before their last contribution.
    pub timeouts: u64,
}

impl Offload {
    pub fn new(machine: &Machine) -> Offload {
        Offload { reducer: machine.reducer(), ..Offload::default() }
    }
    /// Number of communicators and reductions with stored state.
    #[cfg(test)]
    pub fn kept(&self) -> usize {
        self.in_progress.len() + self.open.len()
    }
    /// The links, for contributions of `packets` packets of `bytes` frame bytes each.
    fn wires<'a>(
        &'a mut self,
        machine: &'a Machine,
        counters: &'a mut Counters,
        packets: u64,
        bytes: u64,
    ) -> Wires<'a> {
        let wire = packets * (bytes + machine.nic.packet_overhead);
        Wires { machine, packets, wire, busy: &mut self.busy, counters }
    }
}

/// Reductions in progress, and those that wait.
type Open = (u32, VecDeque<(RunId, InNetwork)>);

/// Members that have entered, each with the time at which its contribution leaves.
struct Group {
    /// Of the tree.
    root: u32,
    /// Arguments of the first member, with which all others must agree.
    reduction_args: ReductionArgs,
    entered: Vec<(u32, RunId, Time)>,
}

/// Arguments on which the members of a reduction must agree.
#[derive(Clone, Copy, PartialEq, Eq)]
struct ReductionArgs {
    kind: Kind,
    /// The call's root, if its kind has one.
    root: Option<u32>,
    part: InNetwork,
}

impl fmt::Display for ReductionArgs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let InNetwork { bytes, size, .. } = self.part;
        write!(f, "{:?} of {bytes} B", self.kind)?;
        if let Some(root) = self.root {
            write!(f, ", root {root}")?;
        }
        write!(f, ", offloaded among {size}")
    }
}

impl<N: NetworkModel, W: Workload> World<'_, N, W> {
    /// A rank's run enters a reduction, which stays outstanding until the result arrives.
    pub(crate) fn enter_offload(&mut self, id: RunId, part: InNetwork) {
        let (rank, context) = self.part_of(id);
        let (open, waiting) = self.offload.open.entry((rank, context)).or_default();
        if *open == MOST_AT_ONCE {
            return waiting.push_back((id, part));
        }
        *open += 1;
        let key = self.key_of(id);
        let root =
            self.first_rank(key.0) + self.workload.members(key.0, context)[part.root as usize];
        // With switches, the root combines its own contribution only at the end.
        let keeps = rank == root && self.reducer() == Reducer::Switches;
        let cost = if keeps { Span::ZERO } else { self.job.library.send_overhead };
        let left = self.occupy_cpu(rank, cost);
        let reduction_args = self.reduction_args(id, part);
        let group = self.offload.in_progress.entry(key);
        let group = group.or_insert_with(|| Group { root, reduction_args, entered: Vec::new() });
        if group.reduction_args != reduction_args {
            let (first, theirs) = (group.entered[0].0, group.reduction_args);
            let (first, own) = (self.own_number(first), self.own_number(rank));
            let what = format!("rank {first} called {theirs}, rank {own} {reduction_args}");
            return self.report_disagreement(rank, (key.1, key.2), &what);
        }
        group.entered.push((rank, id, left));
        if group.entered.len() == part.size as usize {
            match self.reducer() {
                Reducer::Switches => self.send_up(key, part),
                Reducer::Nics => self.combine(key),
            }
        }
    }

    fn reduction_args(&self, id: RunId, part: InNetwork) -> ReductionArgs {
        let call = self.call_entries[self.runs[id].call].collective();
        ReductionArgs { kind: call.kind, root: call.kind.has_root().then_some(call.root), part }
    }

    fn reducer(&self) -> Reducer {
        self.offload.reducer.expect("requests without one were refused")
    }

    /// All members have entered a reduction by NICs, which execute all of it.
    fn combine(&mut self, key: Key) {
        let Group { root, reduction_args, mut entered } =
            self.offload.in_progress.remove(&key).expect("all members have entered");
        let (members, first) = (self.workload.members(key.0, key.1), self.first_rank(key.0));
        let places = members.iter().zip(0..).map(|(&member, place)| (first + member, place));
        let places: BTreeMap<u32, u32> = places.collect();
        entered.sort_unstable_by_key(|&(rank, ..)| (rank != root, places[&rank]));
        let machine = &self.job.machine;
        let nics: Vec<(NicId, Time)> = entered
            .iter()
            .map(|&(rank, _, left)| {
                (self.job.placements[rank as usize].nic, left + machine.command_latency())
            })
            .collect();
        let words = reduction_args.part.bytes.div_ceil(WORD).max(1);
        let mut wires = self.offload.wires(machine, &mut self.counters, words, WORD);
        let finish_times = by_nics(&mut wires, &nics);
        let seen = machine.receive_latency();
        for ((rank, run, _), at) in entered.into_iter().zip(finish_times) {
            self.schedule(rank, at + seen, HostEvent::FinishReduction(run));
        }
    }

    /// All members have entered: computes when the root has their contributions.
    fn send_up(&mut self, key: Key, part: InNetwork) {
        let Group { root, entered, .. } = &self.offload.in_progress[&key];
        let (root, machine) = (*root, &self.job.machine);
        let parts = entered.iter().filter(|&&(rank, ..)| rank != root);
        let parts: Vec<(NicId, Time)> =
            parts.map(|&(rank, _, left)| (self.job.placements[rank as usize].nic, left)).collect();
        let own = entered.iter().find(|&&(rank, ..)| rank == root).expect("the root has entered");
        let (run, mut ready) = (own.1, own.2);
        let to = self.job.placements[root as usize].nic;
        let timeout = self.job.library.provider.reduction_timeout;
        let mut wires = self.offload.wires(machine, &mut self.counters, 1, PACKET);
        let (arrivals, timed_out) = up(&mut wires, to, &parts, timeout);
        self.offload.timeouts += u64::from(timed_out);
        // The root's CPU handles packets one after the other; the cost of the last is charged on
        // arrival.
        let cost = self.root_cost(part.bytes);
        let mut begins = ready;
        for arrival in arrivals {
            begins = ready.max(arrival + machine.receive_latency());
            ready = begins + cost;
        }
        self.schedule(root, begins, HostEvent::FinishReduction(run));
    }

    /// CPU time of the root to receive one packet and reduce it with its own data.
    fn root_cost(&self, bytes: u64) -> Span {
        self.job.library.recv_overhead + self.job.library.reduce_gap.span(bytes)
    }

    /// The root starts with the last packet, or the result has arrived at another rank.
    pub(crate) fn reduced(&mut self, id: RunId) {
        let (key, (rank, context)) = (self.key_of(id), self.part_of(id));
        let when = match self.offload.in_progress.remove(&key) {
            Some(group) => {
                self.occupy_cpu(rank, self.root_cost(group.reduction_args.part.bytes));
                let sent = self.occupy_cpu(rank, self.job.library.send_overhead);
                self.send_down(group, sent);
                sent
            }
            None => self.occupy_cpu(rank, self.job.library.recv_overhead),
        };
        self.outstanding_done(id, when);
        let (open, waiting) = self.offload.open.get_mut(&(rank, context)).expect("it had a part");
        *open -= 1;
        match waiting.pop_front() {
            Some((next, part)) => self.enter_offload(next, part),
            None if *open == 0 => _ = self.offload.open.remove(&(rank, context)),
            None => {}
        }
    }

    /// The root's NIC gets the result.
    fn send_down(&mut self, group: Group, given: Time) {
        let from = self.job.placements[group.root as usize].nic;
        let others = group.entered.iter().filter(|&&(rank, ..)| rank != group.root);
        let others: Vec<(u32, RunId)> = others.map(|&(rank, run, _)| (rank, run)).collect();
        let nics: Vec<NicId> =
            others.iter().map(|&(rank, _)| self.job.placements[rank as usize].nic).collect();
        let machine = &self.job.machine;
        let mut wires = self.offload.wires(machine, &mut self.counters, 1, PACKET);
        let arrivals = down(&mut wires, from, &nics, given);
        let seen = machine.receive_latency();
        for ((rank, run), arrival) in others.into_iter().zip(arrivals) {
            self.schedule(rank, arrival + seen, HostEvent::FinishReduction(run));
        }
    }

    fn part_of(&self, id: RunId) -> (u32, Context) {
        let run = &self.runs[id];
        (run.rank, run.context)
    }
    fn key_of(&self, id: RunId) -> Key {
        let run = &self.runs[id];
        (self.job_of(run.rank), run.context, run.seq)
    }
}

/// The links that carry packets of reductions.
struct Wires<'a> {
    machine: &'a Machine,
    /// Number of consecutive packets, and their total wire bytes.
    packets: u64,
    wire: u64,
    busy: &'a mut BTreeMap<LinkId, (Time, Time)>,
    counters: &'a mut Counters,
}

impl Wires<'_> {
    /// Transmission time of the packets on a link.
    fn gap(&self, link: LinkId) -> Span {
        self.machine.links.gap[link].span(self.wire)
    }
    /// Arrival of the head at the far end, for packets that are ready to enter `link` at `ready`.
    fn head(&mut self, link: LinkId, ready: Time) -> Time {
        let (gap, bytes) = (self.gap(link), self.wire);
        // Reductions are evaluated in the order in which their last ranks enter, so an earlier
        // evaluation may use the link later than this one.
        let (from, until) = self.busy.entry(link).or_insert((Time::ZERO, Time::ZERO));
        let enters = if ready + gap <= *from { ready } else { ready.max(*until) };
        if enters >= *until {
            // An adjacent transmission extends the interval; there is no gap within it.
            *from = if enters == *until { *from } else { enters };
            *until = enters + gap;
        }
        self.counters.links[link] += LinkTraffic { bytes, packets: self.packets };
        enters + self.machine.links.latency[link]
    }
    /// The same for a packet that is needed whole: arrival of its tail.
    fn tail(&mut self, link: LinkId, ready: Time) -> Time {
        self.head(link, ready) + self.gap(link)
    }
}

/// The reduction phase toward the root: arrival times of whole packets at the root's NIC, in
/// ascending order, and whether a switch timed out.
///
/// A switch holds contributions until all that it expects have arrived, and forwards the combined
/// packet. After `timeout` since the first, it forwards what it has; later contributions are
/// forwarded one by one.
fn up(
    wires: &mut Wires<'_>,
    root: NicId,
    parts: &[(NicId, Time)],
    timeout: Span,
) -> (Vec<Time>, bool) {
    let machine = wires.machine;
    let mut at: BTreeMap<SwitchId, Vec<Time>> = BTreeMap::new();
    for &(nic, left) in parts {
        let arrives = wires.tail(machine.injection(nic), left + machine.command_latency());
        at.entry(machine.nic_switch[nic]).or_default().push(arrives);
    }
    let paths: BTreeMap<SwitchId, Vec<LinkId>> =
        at.keys().map(|&switch| (switch, machine.tree_path(switch, root))).collect();
    // By switch: its distance from the root, and its link toward the root.
    let mut tree: BTreeMap<SwitchId, (usize, LinkId)> = BTreeMap::new();
    for path in paths.values() {
        for (nth, &link) in path.iter().enumerate() {
            tree.insert(machine.switch_before(link), (path.len() - nth, link));
        }
    }
    let mut order: Vec<(usize, SwitchId, LinkId)> =
        tree.into_iter().map(|(switch, (far, link))| (far, switch, link)).collect();
    order.sort_unstable_by_key(|&(far, switch, _)| (std::cmp::Reverse(far), switch));
    let mut timed_out = false;
    for (_, switch, link) in order {
        let mut here = at.remove(&switch).unwrap_or_default();
        let gave_up = merge(&mut here, timeout);
        timed_out |= gave_up;
        let next = machine.switch_after(link);
        for leaves in here {
            let arrives = wires.tail(link, leaves);
            at.entry(next).or_default().push(arrives);
        }
    }
    let mut here = at.remove(&machine.nic_switch[root]).unwrap_or_default();
    timed_out |= merge(&mut here, timeout);
    let link = machine.ejection(root);
    let mut arrivals: Vec<Time> = here.into_iter().map(|t| wires.tail(link, t)).collect();
    arrivals.sort_unstable();
    (arrivals, timed_out)
}

/// Departures from a switch, given the arrivals in `came`: one, unless the switch times out.
/// Returns whether it did.
fn merge(came: &mut Vec<Time>, timeout: Span) -> bool {
    came.sort_unstable();
    let (Some(&first), Some(&last)) = (came.first(), came.last()) else { return false };
    let until = first + timeout;
    if last <= until {
        *came = vec![last];
        return false;
    }
    came.retain(|&t| t > until);
    came.insert(0, until);
    true
}

/// The broadcast phase from the root: arrival of the whole result at each NIC. Switches copy a
/// packet as it arrives.
fn down(wires: &mut Wires<'_>, root: NicId, nics: &[NicId], given: Time) -> Vec<Time> {
    let machine = wires.machine;
    let head = wires.head(machine.injection(root), given + machine.command_latency());
    let mut at: BTreeMap<SwitchId, Time> = BTreeMap::new();
    at.insert(machine.nic_switch[root], head);
    let mut arrivals = Vec::with_capacity(nics.len());
    for &nic in nics {
        let dst_switch = machine.nic_switch[nic];
        // Start at the switch nearest to the root that the packet has not reached yet.
        for link in machine.tree_path(dst_switch, root).into_iter().rev() {
            let (here, next) = (machine.switch_after(link), machine.switch_before(link));
            if !at.contains_key(&next) {
                let head = wires.head(machine.reverse_link(link), at[&here]);
                at.insert(next, head);
            }
        }
        arrivals.push(wires.tail(machine.ejection(nic), at[&dst_switch]));
    }
    arrivals
}

/// A reduction by NICs, the root first, each with the time of its own contribution. Returns when
/// each has the result.
///
/// A NIC sends to its parent when all contributions of its children have arrived whole and its own
/// is ready. It then sends the result to its children in turn.
fn by_nics(wires: &mut Wires<'_>, nics: &[(NicId, Time)]) -> Vec<Time> {
    let n = nics.len();
    let children =
        |nth: usize| (nth * NIC_CHILDREN + 1).min(n)..((nth + 1) * NIC_CHILDREN + 1).min(n);
    let mut has: Vec<Time> = nics.iter().map(|&(_, own)| own).collect();
    let mut order: Vec<usize> = Vec::with_capacity(NIC_CHILDREN);
    for to in (0..n).rev() {
        // Children that share a link use it in the order of their departures.
        order.clear();
        order.extend(children(to));
        order.sort_unstable_by_key(|&child| (has[child], child));
        for &child in &order {
            let comes = across(wires, nics[child].0, nics[to].0, has[child]);
            has[to] = has[to].max(comes);
        }
    }
    for from in 0..n {
        for child in children(from) {
            has[child] = across(wires, nics[from].0, nics[child].0, has[from]);
        }
    }
    has
}

/// Transfer of a contribution or a result between two NICs: arrival of its tail.
fn across(wires: &mut Wires<'_>, from: NicId, to: NicId, given: Time) -> Time {
    let machine = wires.machine;
    let path = machine.tree_path(machine.nic_switch[from], to);
    let links = [machine.injection(from)].into_iter().chain(path).chain([machine.ejection(to)]);
    let (mut head, mut slowest) = (given, Span::ZERO);
    for link in links {
        head = wires.head(link, head);
        slowest = slowest.max(wires.gap(link));
    }
    head + slowest
}
