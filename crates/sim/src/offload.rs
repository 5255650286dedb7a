//! Collectives that the network does: a tree of switches, or of NICs, reduces what its endpoints
//! send to the root's, and copies what that sends back. Equations and limits in
//! docs/models/collectives.md.
//!
//! What a tree does is settled when the last of its ranks has entered: nothing before that can be
//! seen by anybody. Its packets wait for each other on links, and for nobody else.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;

use crate::world::{HostEvent, RunId, World};
use base::{Span, Time};
use collectives::{InNetwork, Kind, OFFLOAD_MAX};
use machine::{LinkId, Machine, NIC_CHILDREN, NicId, Reducer, SwitchId};
use net::{Counters, LinkTraffic, NetworkModel};
use workload::{Context, Workload};

/// Reductions of one group that switches keep apart. [libfabric] CXIP_COLL_MAX_CONCUR
/// How many NICs do is not public: as many. [estimate]
const MOST_AT_ONCE: u32 = 8;

/// Payload, header and padding of a reduction's packet, whatever it carries. [libfabric]
/// prov/cxi/src/cxip_coll.c
const PACKET: u64 = 49;
const _: () = assert!(OFFLOAD_MAX < PACKET);

/// What Aries' engines reduce is a word; of several each is a packet. [Cray XC Series Network]
const WORD: u64 = 8;

/// A collective of a communicator of a job.
type Key = (u32, Context, u32);

#[derive(Default)]
pub(crate) struct Offload {
    /// Who reduces, if anybody does.
    pub reducer: Option<Reducer>,
    in_progress: BTreeMap<Key, Group>,
    /// By rank and communicator: reductions it has a part in, and those that wait for one to end.
    /// None of those without such.
    open: BTreeMap<(u32, Context), Open>,
    /// From when to when a link carries the packets of reductions that it carries last, one right
    /// after the other.
    busy: BTreeMap<LinkId, (Time, Time)>,
    /// Reductions whose switches did not wait for their last part.
    pub timeouts: u64,
}

impl Offload {
    pub fn new(machine: &Machine) -> Offload {
        Offload { reducer: machine.reducer(), ..Offload::default() }
    }
    /// Communicators and reductions that something is kept of.
    #[cfg(test)]
    pub fn kept(&self) -> usize {
        self.in_progress.len() + self.open.len()
    }
    /// The links for parts of so many packets, each of so many bytes in its frame.
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

/// How many, and what waits.
type Open = (u32, VecDeque<(RunId, InNetwork)>);

/// Those who have entered, with when their part leaves them.
struct Group {
    /// Of the tree.
    root: u32,
    /// What the first of them asks for; so must all others.
    asked: ReductionArgs,
    entered: Vec<(u32, RunId, Time)>,
}

/// What members of a reduction agree about.
#[derive(Clone, Copy, PartialEq, Eq)]
struct ReductionArgs {
    kind: Kind,
    /// The call's, if its kind has one.
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
        write!(f, ", for the network to do among {size}")
    }
}

impl<N: NetworkModel, W: Workload> World<'_, N, W> {
    /// A rank's run enters a reduction; one thing is owed to it until the result is there.
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
        // Where switches reduce, the root gives what it has to its own NIC only at the end.
        let keeps = rank == root && self.reducer() == Reducer::Switches;
        let cost = if keeps { Span::ZERO } else { self.job.library.send_overhead };
        let left = self.work(rank, cost);
        let asked = self.asked(id, part);
        let group = self.offload.in_progress.entry(key);
        let group = group.or_insert_with(|| Group { root, asked, entered: Vec::new() });
        if group.asked != asked {
            let (first, theirs) = (group.entered[0].0, group.asked);
            let (first, own) = (self.own_number(first), self.own_number(rank));
            let what = format!("rank {first} called {theirs}, rank {own} {asked}");
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

    fn asked(&self, id: RunId, part: InNetwork) -> ReductionArgs {
        let call = self.called[self.runs[id].call].collective();
        ReductionArgs { kind: call.kind, root: call.kind.has_root().then_some(call.root), part }
    }

    fn reducer(&self) -> Reducer {
        self.offload.reducer.expect("who asks for it has been refused otherwise")
    }

    /// All have entered a reduction by NICs, which do all of it.
    fn combine(&mut self, key: Key) {
        let Group { root, asked, mut entered } =
            self.offload.in_progress.remove(&key).expect("all of it have entered");
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
        let words = asked.part.bytes.div_ceil(WORD).max(1);
        let mut wires = self.offload.wires(machine, &mut self.counters, words, WORD);
        let finish_times = by_nics(&mut wires, &nics);
        let seen = machine.receive_latency();
        for ((rank, run, _), at) in entered.into_iter().zip(finish_times) {
            self.schedule(rank, at + seen, HostEvent::Reduced(run));
        }
    }

    /// All have entered: when the root has what they sent.
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
        // Of several packets each costs its turn; the last turn is taken when it comes.
        let cost = self.root_cost(part.bytes);
        let mut begins = ready;
        for arrival in arrivals {
            begins = ready.max(arrival + machine.receive_latency());
            ready = begins + cost;
        }
        self.schedule(root, begins, HostEvent::Reduced(run));
    }

    /// The root's CPU takes one packet, and reduces it with what it has.
    fn root_cost(&self, bytes: u64) -> Span {
        self.job.library.recv_overhead + self.job.library.reduce_gap.span(bytes)
    }

    /// The root begins to look at the last packet, or the result has come to another rank.
    pub(crate) fn reduced(&mut self, id: RunId) {
        let (key, (rank, context)) = (self.key_of(id), self.part_of(id));
        let when = match self.offload.in_progress.remove(&key) {
            Some(group) => {
                self.work(rank, self.root_cost(group.asked.part.bytes));
                let sent = self.work(rank, self.job.library.send_overhead);
                self.send_down(group, sent);
                sent
            }
            None => self.work(rank, self.job.library.recv_overhead),
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

    /// The root's NIC is given the result.
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
            self.schedule(rank, arrival + seen, HostEvent::Reduced(run));
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

/// The links that packets of reductions go by.
struct Wires<'a> {
    machine: &'a Machine,
    /// Packets that go one right after the other, and their bytes on a wire.
    packets: u64,
    wire: u64,
    busy: &'a mut BTreeMap<LinkId, (Time, Time)>,
    counters: &'a mut Counters,
}

impl Wires<'_> {
    /// How long a link needs for a packet.
    fn gap(&self, link: LinkId) -> Span {
        self.machine.links.gap[link].span(self.wire)
    }
    /// A packet is to enter `link` at `ready`: when its head is at the far end.
    fn head(&mut self, link: LinkId, ready: Time) -> Time {
        let (gap, bytes) = (self.gap(link), self.wire);
        // Whoever was reckoned last may come later than this one: a reduction is, when its last
        // rank has entered.
        let (from, until) = self.busy.entry(link).or_insert((Time::ZERO, Time::ZERO));
        let enters = if ready + gap <= *from { ready } else { ready.max(*until) };
        if enters >= *until {
            // Who follows at once makes the stretch longer: there is no room within it.
            *from = if enters == *until { *from } else { enters };
            *until = enters + gap;
        }
        self.counters.links[link] += LinkTraffic { bytes, packets: self.packets };
        enters + self.machine.links.latency[link]
    }
    /// The same for a packet that is used whole: its tail.
    fn whole(&mut self, link: LinkId, ready: Time) -> Time {
        self.head(link, ready) + self.gap(link)
    }
}

/// A reduction's way up: when packets arrive whole at the NIC of the root, in order, and whether
/// some switch gave up waiting.
///
/// A switch keeps what comes and passes it on when all it expects is there, or, `timeout` after the
/// first, as far as it is; what comes later goes on by itself.
fn up(
    wires: &mut Wires<'_>,
    root: NicId,
    parts: &[(NicId, Time)],
    timeout: Span,
) -> (Vec<Time>, bool) {
    let machine = wires.machine;
    let mut at: BTreeMap<SwitchId, Vec<Time>> = BTreeMap::new();
    for &(nic, left) in parts {
        let arrives = wires.whole(machine.injection(nic), left + machine.command_latency());
        at.entry(machine.nic_switch[nic]).or_default().push(arrives);
    }
    let paths: BTreeMap<SwitchId, Vec<LinkId>> =
        at.keys().map(|&switch| (switch, machine.tree_path(switch, root))).collect();
    // By switch: how far it is from the root, and the link out of it.
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
            let arrives = wires.whole(link, leaves);
            at.entry(next).or_default().push(arrives);
        }
    }
    let mut here = at.remove(&machine.nic_switch[root]).unwrap_or_default();
    timed_out |= merge(&mut here, timeout);
    let link = machine.ejection(root);
    let mut arrivals: Vec<Time> = here.into_iter().map(|t| wires.whole(link, t)).collect();
    arrivals.sort_unstable();
    (arrivals, timed_out)
}

/// When packets leave a switch to which these have come: one, unless it gives up waiting.
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

/// A result's way down: when it is whole at each of these NICs. Switches copy a packet as it comes.
fn down(wires: &mut Wires<'_>, root: NicId, nics: &[NicId], given: Time) -> Vec<Time> {
    let machine = wires.machine;
    let head = wires.head(machine.injection(root), given + machine.command_latency());
    let mut at: BTreeMap<SwitchId, Time> = BTreeMap::new();
    at.insert(machine.nic_switch[root], head);
    let mut arrivals = Vec::with_capacity(nics.len());
    for &nic in nics {
        let home = machine.nic_switch[nic];
        // From the switch nearest to the root that it has not come to yet.
        for link in machine.tree_path(home, root).into_iter().rev() {
            let (here, next) = (machine.switch_after(link), machine.switch_before(link));
            if !at.contains_key(&next) {
                let head = wires.head(machine.reverse_link(link), at[&here]);
                at.insert(next, head);
            }
        }
        arrivals.push(wires.whole(machine.ejection(nic), at[&home]));
    }
    arrivals
}

/// A reduction by NICs, the root's first, each of which has its own part at the instant beside it:
/// when each has the result.
///
/// A NIC sends what it has to its parent when all its children's parts have come, whole, and its
/// own is there; on the way back it sends the result on to its children in turn.
fn by_nics(wires: &mut Wires<'_>, nics: &[(NicId, Time)]) -> Vec<Time> {
    let n = nics.len();
    let children =
        |nth: usize| (nth * NIC_CHILDREN + 1).min(n)..((nth + 1) * NIC_CHILDREN + 1).min(n);
    let mut has: Vec<Time> = nics.iter().map(|&(_, own)| own).collect();
    let mut order: Vec<usize> = Vec::with_capacity(NIC_CHILDREN);
    for to in (0..n).rev() {
        // Those who share a link on their way go in the order in which they set out.
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

/// A part or a result goes from one NIC to another: when its tail is there.
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
