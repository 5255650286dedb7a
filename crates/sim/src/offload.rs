//! Collectives offloaded to the network: a tree of switches, or of NICs, reduces the contributions
//! of its endpoints toward the root, and broadcasts the result. Equations and limits:
//! docs/models/collective-offload.md.
//!
//! A reduction is evaluated when the last of its ranks has entered, because no earlier effect is
//! visible. Its packets queue on links only behind packets of other reductions.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;

use crate::event::{HostEvent, RunId};
use crate::kernel::Kernel;
use base::{Span, Time};
use collectives::{Collective, InNetwork, Kind, OFFLOAD_MAX};
use machine::{LinkId, Machine, NIC_CHILDREN, NicId, Reducer, SwitchId};
use net::{Counters, LinkTraffic, NetworkModel};
use workload::Context;

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
pub(crate) type Key = (u32, Context, u32);

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

/// A rank's run that takes part in a reduction.
#[derive(Clone, Copy)]
pub(crate) struct Entrant {
    pub run: RunId,
    pub rank: u32,
    pub key: Key,
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
pub(crate) struct ReductionArgs {
    kind: Kind,
    /// The call's root, if its kind has one.
    root: Option<u32>,
    part: InNetwork,
}

impl ReductionArgs {
    pub fn of(call: &Collective, part: InNetwork) -> ReductionArgs {
        ReductionArgs { kind: call.kind, root: call.kind.has_root().then_some(call.root), part }
    }
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

impl Offload {
    /// A rank enters a reduction among `members`, in job-local numbers. Fails with the arguments of
    /// the first member and its own, if they differ.
    pub fn enter<N: NetworkModel>(
        &mut self,
        kernel: &mut Kernel<'_, N>,
        entrant: Entrant,
        reduction_args: ReductionArgs,
        members: &[u32],
    ) -> Result<(), String> {
        let Entrant { run, rank, key } = entrant;
        let part = reduction_args.part;
        let (open, waiting) = self.open.entry((rank, key.1)).or_default();
        if *open == MOST_AT_ONCE {
            waiting.push_back((run, part));
            return Ok(());
        }
        *open += 1;
        let root = kernel.first_rank(key.0) + members[part.root as usize];
        // With switches, the root combines its own contribution only at the end.
        let keeps = rank == root && self.reducer() == Reducer::Switches;
        let cost = if keeps { Span::ZERO } else { kernel.job.library.send_overhead };
        let left = kernel.occupy_cpu(rank, cost);
        let group = self.in_progress.entry(key);
        let group = group.or_insert_with(|| Group { root, reduction_args, entered: Vec::new() });
        if group.reduction_args != reduction_args {
            let (first, theirs) = (group.entered[0].0, group.reduction_args);
            let (first, own) = (kernel.own_number(first), kernel.own_number(rank));
            return Err(format!("rank {first} called {theirs}, rank {own} {reduction_args}"));
        }
        group.entered.push((rank, run, left));
        if group.entered.len() == part.size as usize {
            match self.reducer() {
                Reducer::Switches => self.send_up(kernel, key, part),
                Reducer::Nics => self.combine(kernel, key, members),
            }
        }
        Ok(())
    }

    fn reducer(&self) -> Reducer {
        self.reducer.expect("requests without one were refused")
    }

    /// All members have entered a reduction by NICs, which execute all of it.
    fn combine<N: NetworkModel>(&mut self, kernel: &mut Kernel<'_, N>, key: Key, members: &[u32]) {
        let Group { root, reduction_args, mut entered } =
            self.in_progress.remove(&key).expect("all members have entered");
        let first = kernel.first_rank(key.0);
        let places = members.iter().zip(0..).map(|(&member, place)| (first + member, place));
        let places: BTreeMap<u32, u32> = places.collect();
        entered.sort_unstable_by_key(|&(rank, ..)| (rank != root, places[&rank]));
        let machine = &kernel.job.machine;
        let nics: Vec<(NicId, Time)> = entered
            .iter()
            .map(|&(rank, _, left)| (kernel.nic_of(rank), left + machine.command_latency()))
            .collect();
        let words = reduction_args.part.bytes.div_ceil(WORD).max(1);
        let mut wires = self.wires(machine, &mut kernel.counters, words, WORD);
        let finish_times = by_nics(&mut wires, &nics);
        let seen = machine.receive_latency();
        for ((rank, run, _), at) in entered.into_iter().zip(finish_times) {
            kernel.schedule(rank, at + seen, HostEvent::FinishReduction(run));
        }
    }

    /// All members have entered: computes when the root has their contributions.
    fn send_up<N: NetworkModel>(&mut self, kernel: &mut Kernel<'_, N>, key: Key, part: InNetwork) {
        let Group { root, entered, .. } = &self.in_progress[&key];
        let (root, machine) = (*root, &kernel.job.machine);
        let parts = entered.iter().filter(|&&(rank, ..)| rank != root);
        let parts: Vec<(NicId, Time)> =
            parts.map(|&(rank, _, left)| (kernel.nic_of(rank), left)).collect();
        let own = entered.iter().find(|&&(rank, ..)| rank == root).expect("the root has entered");
        let (run, mut ready) = (own.1, own.2);
        let to = kernel.nic_of(root);
        let timeout = kernel.job.library.provider.reduction_timeout;
        let mut wires = self.wires(machine, &mut kernel.counters, 1, PACKET);
        let (arrivals, timed_out) = up(&mut wires, to, &parts, timeout);
        self.timeouts += u64::from(timed_out);
        // The root's CPU handles packets one after the other; the cost of the last is charged on
        // arrival.
        let cost = root_cost(kernel, part.bytes);
        let mut begins = ready;
        for arrival in arrivals {
            begins = ready.max(arrival + machine.receive_latency());
            ready = begins + cost;
        }
        kernel.schedule(root, begins, HostEvent::FinishReduction(run));
    }

    /// The root starts with the last packet, or the result has arrived at another rank. Returns
    /// when the rank's CPU has finished its part.
    pub fn reduced<N: NetworkModel>(
        &mut self,
        kernel: &mut Kernel<'_, N>,
        Entrant { rank, key, .. }: Entrant,
    ) -> Time {
        let library = &kernel.job.library;
        match self.in_progress.remove(&key) {
            Some(group) => {
                kernel.occupy_cpu(rank, root_cost(kernel, group.reduction_args.part.bytes));
                let sent = kernel.occupy_cpu(rank, library.send_overhead);
                self.send_down(kernel, group, sent);
                sent
            }
            None => kernel.occupy_cpu(rank, library.recv_overhead),
        }
    }

    /// The root's NIC gets the result.
    fn send_down<N: NetworkModel>(
        &mut self,
        kernel: &mut Kernel<'_, N>,
        group: Group,
        given: Time,
    ) {
        let from = kernel.nic_of(group.root);
        let others = group.entered.iter().filter(|&&(rank, ..)| rank != group.root);
        let others: Vec<(u32, RunId)> = others.map(|&(rank, run, _)| (rank, run)).collect();
        let nics: Vec<NicId> = others.iter().map(|&(rank, _)| kernel.nic_of(rank)).collect();
        let machine = &kernel.job.machine;
        let mut wires = self.wires(machine, &mut kernel.counters, 1, PACKET);
        let arrivals = down(&mut wires, from, &nics, given);
        let seen = machine.receive_latency();
        for ((rank, run), arrival) in others.into_iter().zip(arrivals) {
            kernel.schedule(rank, arrival + seen, HostEvent::FinishReduction(run));
        }
    }

    /// A rank has finished its part. Returns the reduction that it may enter now.
    pub fn leave(&mut self, Entrant { rank, key, .. }: Entrant) -> Option<(RunId, InNetwork)> {
        let (open, waiting) = self.open.get_mut(&(rank, key.1)).expect("it had a part");
        *open -= 1;
        let next = waiting.pop_front();
        if next.is_none() && *open == 0 {
            self.open.remove(&(rank, key.1));
        }
        next
    }
}

/// CPU time of the root to receive one packet and reduce it with its own data.
fn root_cost<N: NetworkModel>(kernel: &Kernel<'_, N>, bytes: u64) -> Span {
    let library = &kernel.job.library;
    library.recv_overhead + library.reduce_gap.span(bytes)
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
