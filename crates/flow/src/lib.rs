//! Floor 4: messages as flows that share links and NICs max-min fairly. Derivation and limits in
//! docs/models/flow.md.
//!
//! Knows who crosses what, and how fast. Refuses to know packets one by one, and their order.
//!
//! The one idea: a message alone takes the closed form's time; beside others it lasts as much
//! longer as its share of what it crosses is less than all of it. Its packets spread over ways as
//! the machine's own routing would send them at the present load.

mod backlog;
mod congestion_tree;
mod fabric;
mod head_of_line;
mod offered_load;
mod path_choice;
mod subflows;

use base::{Gap, IndexVec, IndexedHeap, Slab, Span, Time};
use des::Phase;
use fluid::{FlowId, MaxMin, Use};
use machine::{Folding, LinkId, Machine, NicId, NicParams};
use net::{
    Completion, Counters, Cx, Failure, LostAt, LostId, Message, MsgId, NetEvent, NetworkModel,
    Origin, Packetization, Undeliverable,
};

use congestion_tree::CongestionTree;
pub use fabric::capacity;
use fabric::{Fabric, HeaderBytes, PacketWeight};
use head_of_line::{HeadOfLine, NO_LINK};
use offered_load::{Demand, OfferedLoad};
use path_choice::{PACKETS_PER_REROUTE, PathRows};
use subflows::{DrawnPath, MAX_SUBFLOWS, Subflow};

base::ids! {
    /// A message under way.
    InFlightId,
}

/// What happens among flows.
#[derive(Clone, Copy, Debug)]
pub enum FlowEvent {
    /// The head of `message`, sent by `src`, has reached the receiver's NIC.
    HeadArrives { src: NicId, message: InFlightId },
    /// Flows have begun or end, or it is somebody's turn: shares are dealt anew.
    Settle,
    /// The NIC `src` gives up what it has sent in vain.
    GiveUp { src: NicId, lost: LostId },
}

impl NetEvent for FlowEvent {
    #[inline]
    fn pack(self) -> (u8, u32, u32) {
        match self {
            FlowEvent::HeadArrives { src, message } => (0, src.0, message.0),
            FlowEvent::Settle => (1, 0, 0),
            FlowEvent::GiveUp { src, lost } => (2, src.0, lost.0),
        }
    }
    #[inline]
    fn unpack(kind: u8, source: u32, arg: u32) -> Self {
        match kind {
            0 => FlowEvent::HeadArrives { src: NicId(source), message: InFlightId(arg) },
            1 => FlowEvent::Settle,
            _ => FlowEvent::GiveUp { src: NicId(source), lost: LostId(arg) },
        }
    }
}

/// A message from its command to its last byte. First comes what is looked at for everybody
/// whenever shares are dealt.
#[repr(C)]
struct InFlight {
    /// What is left of it, rate x time.
    left: u128,
    /// Its rate now, and since when.
    rate: u64,
    since: Time,
    /// Its rate alone, packets per 2^52 ps.
    alone: u64,
    /// What the links and NICs it crosses would let it have.
    free: u64,
    /// A packet's part of what it is.
    packet_work: u64,
    weight: PacketWeight,
    /// Its packets in parallel, each by a way of its own.
    samples: u32,
    n_subflows: u32,
    /// Packets by which ways have been drawn.
    drawn: u32,
    msg: Message,
    subflows: [Subflow; MAX_SUBFLOWS as usize],
    /// All of it, rate x time.
    whole: u128,
    id: MsgId,
    extra: HeaderBytes,
    cut: Packetization,
    /// When its head leaves, and as much later as it waits at its receiver's NIC.
    start: Time,
    /// When its head came, and how long it takes from then on if nobody else is there.
    head_arrived: Time,
    stream_time: Span,
    /// How long after the last but one its last packet comes then.
    last: Span,
    /// What each of its packets in parallel adds to the load of links: forward, and back.
    demand: (Demand, Demand),
    /// What earlier strands have carried, and how much of it has been counted: packets.
    carried: u128,
    counted: u64,
    /// What of it will go last, by its shortest way; and whether that is all there is left.
    backlog: u128,
    is_last: bool,
    /// It has waited for its turn at the receiver's NIC.
    is_admitted: bool,
    /// How often it may still choose again while it is under way.
    reroutes_left: u64,
    /// So many have been commanded before it.
    nth: u64,
    /// The first link of its shortest way, and how many between switches that has, if something of
    /// it can stand before that.
    shortest_first: LinkId,
    shortest_hops: u32,
    /// What stands before its shortest way leaves no room, so none of its packets in parallel has
    /// more than `lockstep_level`.
    is_buffer_full: bool,
    lockstep_level: u64,
}

/// What a NIC has to do.
#[derive(Clone, Copy, Default)]
struct Nic {
    /// When the next command can enter.
    enters: Time,
    /// When it can handle the next message that comes.
    handles: Time,
    /// Messages it sends and receives.
    sends: u32,
    takes: u32,
}

/// Traffic classes that share links; none where nobody asks.
#[derive(Default)]
struct Classes {
    /// Of each what it has at most, percent of a link.
    ceilings: Vec<u8>,
    /// Packets of each by each link of a NIC.
    packets: Vec<IndexVec<LinkId, u64>>,
}

impl Classes {
    /// Whose part of links a message has: classes in use share links in the order of their virtual
    /// networks.
    fn class_of(&self, msg: Message) -> u32 {
        if self.ceilings.is_empty() { 0 } else { msg.vnet.into() }
    }

    /// The rate that a message has if nobody else is there: its class may have a ceiling. Routers
    /// do not know that: what waits for a link of such a class is all that NICs have sent.
    fn max_rate(&self, f: &InFlight) -> u64 {
        match self.ceilings.get(usize::from(f.msg.vnet)) {
            None | Some(100) => f.alone,
            Some(&ceiling) => (u128::from(f.alone) * u128::from(ceiling) / 100) as u64,
        }
    }
}

/// The state of a network of flows.
pub struct FlowNetwork {
    params: NicParams,
    fabric: Fabric,
    sharing: MaxMin,
    offered_load: OfferedLoad,
    congestion_tree: Option<CongestionTree>,
    head_of_line: Option<HeadOfLine>,
    nics: IndexVec<NicId, Nic>,
    classes: Classes,
    /// Where some NICs stand for others: which for each.
    twin: IndexVec<NicId, NicId>,
    messages: Slab<InFlightId, InFlight>,
    /// So many have been commanded.
    n_launched: u64,
    undeliverable: Undeliverable,
    /// Whose strand a flow is.
    message_of: IndexVec<FlowId, InFlightId>,
    /// When flights end, at their present rates.
    ends: IndexedHeap<InFlightId, Time>,
    /// Heads that have come since shares were dealt.
    arrived: Vec<InFlightId>,
    /// Those of whom only what goes last is left, since shares were dealt.
    draining: Vec<InFlightId>,
    /// How old what routers see is when it is acted on.
    feedback_delay: Span,
    /// So many of those who come have been welcomed.
    n_admitted: usize,
    /// When what those have left who have ended is dealt out at the latest.
    solve_by: Time,
    /// From when on all who are held up look for other ways.
    reroute_by: Time,
    /// When those choose again who were under way when others came, and are held up.
    reroute_queue: IndexedHeap<InFlightId, Time>,
    /// When the next `Settle` is to be; `u64::MAX` if nobody waits for one.
    next_settle: Time,
    /// Ways as they are drawn, all their links, and one way's.
    paths: Vec<DrawnPath>,
    links: Vec<LinkId>,
    path: Vec<LinkId>,
    back: Vec<LinkId>,
    uses: Vec<Use>,
    path_choice: PathRows,
    /// Flights whose rate has changed, or, if some have chosen at their pace, those commanded with
    /// who came and those due; and those who look for other ways.
    changed: Vec<InFlightId>,
    rerouting: Vec<InFlightId>,
    /// Whose level others who come have changed: those commanded with them, and those under way.
    same_batch: Vec<InFlightId>,
    slowed: Vec<InFlightId>,
    /// Those under way whose turn it is.
    due: Vec<InFlightId>,
}

const NEVER: Time = Time(u64::MAX);

/// So many whole pieces are in `all`, rounded down. Most of what is divided fits a word, which is
/// quicker.
fn whole_packets(all: u128, packet_work: u64) -> u64 {
    match u64::try_from(all) {
        Ok(all) => all / packet_work,
        Err(_) => u64::try_from(all / u128::from(packet_work)).unwrap_or(u64::MAX),
    }
}

/// Shares are fair to within one part in 2 to this power: what changes by less concerns nobody
/// else.
pub const PRECISION_BITS: u32 = 6;

/// What a message leaves is dealt out when somebody comes, and at the latest after so small a part
/// of the time that it took: so shares are dealt for many at once where many end.
const IDLE_FRACTION: u64 = 16;

impl FlowNetwork {
    /// The NIC that stands for `nic`: itself, unless networks are folded.
    fn twin(&self, nic: NicId) -> NicId {
        self.twin.raw.get(nic.0 as usize).copied().unwrap_or(nic)
    }

    /// The head of `msg` leaves at `start` if nothing is in its way.
    fn launch(
        &mut self,
        id: MsgId,
        msg: Message,
        start: Time,
        extra: HeaderBytes,
        cx: &mut Cx<'_>,
    ) {
        let machine = cx.machine;
        let cut = Packetization::new(msg.bytes, self.params.packet_payload);
        let weight =
            PacketWeight::new(msg.bytes, cut.packets, extra, self.fabric.multipacket_message);
        let in_order = msg.in_order && machine.keeps_flows;
        let samples = if in_order { 1 } else { cut.packets.min(u64::from(MAX_SUBFLOWS)) as u32 };
        let (src, dst) = (self.twin(msg.src), self.twin(msg.dst));
        self.nics[src].sends += 1;
        self.nics[dst].takes += 1;
        let message = self.messages.insert(InFlight {
            id,
            msg,
            extra,
            cut,
            weight,
            samples,
            drawn: 0,
            alone: self.fabric.alone(machine, (msg.src, msg.dst), weight, samples),
            free: 0,
            rate: 0,
            start,
            since: start,
            left: 0,
            whole: 0,
            packet_work: 1,
            head_arrived: start,
            stream_time: Span::ZERO,
            last: Span::ZERO,
            demand: (Demand::default(), Demand::default()),
            subflows: [Subflow::NONE; MAX_SUBFLOWS as usize],
            n_subflows: 0,
            carried: 0,
            counted: 0,
            backlog: 0,
            is_last: false,
            is_admitted: false,
            reroutes_left: cut.packets / PACKETS_PER_REROUTE,
            nth: self.n_launched,
            shortest_first: NO_LINK,
            shortest_hops: 0,
            is_buffer_full: false,
            lockstep_level: u64::MAX,
        });
        self.n_launched += 1;
        if let Err(at) = self.draw_paths(message, machine) {
            self.forget(message);
            return self.lose((id, msg), at, start, cx);
        }
        self.register_shortest_path(message, machine);
        let (latency, all, last) = self.alone(message, machine);
        let f = &mut self.messages[message];
        if samples == 1 {
            // What the one way lets through, which is in `uses`.
            let level = |one: &Use| self.sharing.capacity(one.resource) / u64::from(one.weight);
            f.alone = self.uses.iter().map(level).min().unwrap_or(u64::MAX).max(1);
        }
        (f.stream_time, f.last) = (all, last);
        f.whole = u128::from(all.0) * u128::from(f.alone);
        f.left = f.whole;
        f.packet_work = u64::try_from(f.whole / u128::from(cut.packets)).unwrap_or(u64::MAX).max(1);
        cx.at(start + latency, Phase::Arrive, FlowEvent::HeadArrives { src: msg.src, message });
    }

    /// The latency of the longest of its ways, and how long all packets take from the first one's
    /// head to the last one's tail if nobody else is there; and from the last but one's on.
    ///
    /// Full packets set the pace at NICs and hosts: what a link between switches cannot take, other
    /// links can, unless there is one way only. The last takes its time at the slowest of all.
    fn alone(&self, message: InFlightId, machine: &Machine) -> (Span, Span, Span) {
        let InFlight { msg, cut, extra, samples, .. } = self.messages[message];
        let links = &machine.links;
        let slowest = |path: &[LinkId]| path.iter().map(|&link| links.gap[link]).max();
        let ends = slowest(&[machine.injection(msg.src), machine.ejection(msg.dst)]);
        let paths = self.paths.iter().map(|way| way.forward(&self.links));
        let any = paths.clone().filter_map(slowest).max();
        let latency = paths.map(|path| path.iter().map(|&link| links.latency[link]).sum()).max();
        let p = &self.params;
        let host = p.host_gap.max(p.host_gap_one_way);
        let stage = |gap: Option<Gap>, payload: u64| {
            let wire = gap.map_or(Span::ZERO, |gap| gap.span(payload + extra.headers));
            wire.max(host.span(payload))
        };
        let pace = stage(if samples == 1 { any } else { ends }, p.packet_payload);
        let wait = p.multipacket_wait(cut.packets, pace);
        let last = stage(any, cut.rest);
        let all = pace * (cut.packets - 1) + wait + last;
        // The first of several packets does not wait.
        let last = if cut.packets == 2 { wait + last } else { last };
        (latency.unwrap_or_default(), all, last)
    }

    /// The head is there. Its receiver's NIC handles one message after another; what that takes
    /// comes on top of its bytes, which counts where they are few.
    fn admit(&mut self, message: InFlightId, ev: FlowEvent, cx: &mut Cx<'_>) {
        let InFlight { msg, cut, is_admitted, .. } = self.messages[message];
        if !is_admitted && msg.target_handling() > Span::ZERO {
            let host = self.params.host_gap.max(self.params.host_gap_one_way);
            let few = if cut.packets <= u64::from(MAX_SUBFLOWS) { msg.bytes } else { 0 };
            let dst = self.twin(msg.dst);
            let nic = &mut self.nics[dst];
            let turn = nic.handles.max(cx.now);
            nic.handles = turn + msg.handling + host.span(few);
            if turn > cx.now {
                self.messages[message].is_admitted = true;
                self.messages[message].start += turn.since(cx.now);
                return cx.at(turn, Phase::Arrive, ev);
            }
        }
        self.begin(message, cx);
    }

    /// The head is there: from now on the message takes its share.
    fn begin(&mut self, message: InFlightId, cx: &mut Cx<'_>) {
        let InFlight { left, since, head_arrived, .. } = &mut self.messages[message];
        (*since, *head_arrived) = (cx.now, cx.now);
        if *left == 0 {
            return self.end(message, cx.now, cx);
        }
        self.arrived.push(message);
        let soon = Time(cx.now.0 + 1);
        if self.next_settle > soon {
            self.next_settle = soon;
            cx.at(soon, Phase::Decide, FlowEvent::Settle);
        }
    }

    /// How long a message that begins waits for others that do, to be given its share together with
    /// them: a part of the time that it takes if its NICs are shared by all who use them now, and
    /// no longer than it takes alone.
    fn batching_window(&self, message: InFlightId) -> Span {
        let InFlight { msg, stream_time, .. } = &self.messages[message];
        let (src, dst) = (self.twin(msg.src), self.twin(msg.dst));
        let contenders = self.nics[src].sends.max(self.nics[dst].takes);
        let part = (stream_time.0 >> PRECISION_BITS).saturating_mul(contenders.into());
        Span(part.min(stream_time.0).max(1))
    }

    /// Now that all are known who have come at one time, they draw their ways again: as they were
    /// commanded, for who drew first saw nobody. In the other order those who knew most would find
    /// only full ways round, and those after them empty ones.
    fn admit_batch(&mut self, cx: &mut Cx<'_>) {
        let messages = &self.messages;
        self.arrived[self.n_admitted..].sort_unstable_by_key(|&message| messages[message].nth);
        let mut those = std::mem::take(&mut self.rerouting);
        those.clear();
        let several = |&&message: &&InFlightId| messages[message].cut.packets > 1;
        those.extend(self.arrived[self.n_admitted..].iter().filter(several));
        self.choose_batch(&those, cx);
        self.rerouting = those;
        for nth in self.n_admitted..self.arrived.len() {
            let message = self.arrived[nth];
            self.start_subflows(message);
            self.solve_by = self
                .solve_by
                .min(self.messages[message].head_arrived + self.batching_window(message));
        }
        self.n_admitted = self.arrived.len();
    }

    /// Ends what is due, deals shares anew, and lets those look for other ways who have less than
    /// their own.
    fn settle(&mut self, cx: &mut Cx<'_>) {
        while let Some((at, message)) = self.ends.first().filter(|&(at, _)| at <= cx.now) {
            self.ends.remove(message);
            self.advance(message, at);
            if self.messages[message].backlog > 0 {
                self.start_drain(message, at);
                continue;
            }
            let took = at.since(self.messages[message].head_arrived);
            let soon = at + Span(took.0 / IDLE_FRACTION);
            (self.solve_by, self.reroute_by) = (self.solve_by.min(soon), self.reroute_by.min(soon));
            self.end(message, at, cx);
        }
        self.admit_batch(cx);
        if self.next_solve() <= cx.now {
            (self.solve_by, self.n_admitted) = (NEVER, 0);
            self.send_backlog(cx);
            self.solve_shares(cx.now, cx.machine);
            self.choose_at_rate(cx);
            self.reroute_blocked(cx);
            self.update_backlogs(cx);
        }
        let ends = self.ends.first().map_or(NEVER, |(at, _)| at);
        self.next_settle = ends.min(self.next_solve());
        if self.next_settle < NEVER {
            // Never in the present instant.
            self.next_settle = self.next_settle.max(Time(cx.now.0 + 1));
            cx.at(self.next_settle, Phase::Decide, FlowEvent::Settle);
        }
    }

    /// When shares are dealt again, if nobody comes or ends before. A turn waits for those who wait
    /// for company.
    fn next_solve(&self) -> Time {
        if self.n_admitted > 0 { self.solve_by } else { self.solve_by.min(self.next_reroute()) }
    }

    /// Solves the shares; whose rate has changed ends at another time.
    fn solve_shares(&mut self, now: Time, machine: &Machine) {
        self.sharing.solve();
        self.changed.clear();
        for &flow in self.sharing.changed() {
            self.changed.push(self.message_of[flow]);
        }
        self.changed.sort_unstable();
        self.changed.dedup();
        for nth in 0..self.changed.len() {
            let message = self.changed[nth];
            if self.messages[message].rate > 0 {
                self.advance(message, now);
            }
            let f = &mut self.messages[message];
            for subflow in &mut f.subflows[..f.n_subflows as usize] {
                subflow.level = self.sharing.level_of(subflow.flow);
                let at = self.sharing.bottleneck(subflow.flow);
                subflow.block_at(at, f.demand, &self.sharing, &mut self.offered_load);
            }
            if self.messages[message].is_buffer_full {
                self.update_buffer_full(message, machine);
            }
            self.pace(message);
            self.messages[message].free = self.messages[message].rate;
        }
        self.apply_head_of_line_blocking(now);
    }

    /// Its strands have their levels: its rate, and when it ends at that, or its rush does.
    fn pace(&mut self, message: InFlightId) {
        let f = &mut self.messages[message];
        let subflows = &f.subflows[..f.n_subflows as usize];
        let rate = |max_rate: u64| -> u64 {
            subflows
                .iter()
                .map(|subflow| subflow.level.min(max_rate) * u64::from(subflow.count))
                .sum()
        };
        (f.lockstep_level, f.rate) = (u64::MAX, rate(u64::MAX));
        if f.is_buffer_full && f.rate < self.classes.max_rate(f) {
            let shortest = subflows.iter().filter(|subflow| subflow.is_minimal);
            f.lockstep_level = shortest.map(|subflow| subflow.level).min().unwrap_or(u64::MAX);
            f.rate = rate(f.lockstep_level);
        }
        // Hosts and NICs alone are why it takes as long as it does alone.
        let speed = f.rate.min(f.alone);
        // What is short fits a word, which is quicker to divide.
        let rush = f.left.saturating_sub(f.backlog);
        let needs = match u64::try_from(rush) {
            Ok(left) => left.div_ceil(speed),
            Err(_) => u64::try_from(rush.div_ceil(u128::from(speed))).unwrap_or(u64::MAX),
        };
        self.ends.set(message, Time(f.since.0.saturating_add(needs).min(NEVER.0 - 1)));
    }

    /// What `message` has sent until `now` at its rates is sent.
    fn advance(&mut self, message: InFlightId, now: Time) {
        let f = &mut self.messages[message];
        let time = u128::from(now.since(f.since).0);
        f.since = now;
        f.left = f.left.saturating_sub(u128::from(f.rate.min(f.alone)) * time);
        for subflow in &mut f.subflows[..f.n_subflows as usize] {
            let level = subflow.level.min(f.lockstep_level);
            subflow.carried += u128::from(level) * u128::from(subflow.count) * time;
        }
    }

    /// There is no way for a message, which sets out at `start`: it is lost at `at`.
    fn lose(&mut self, what: (MsgId, Message), at: LostAt, start: Time, cx: &mut Cx<'_>) {
        let src = what.1.src;
        let (when, lost) = self.undeliverable.lose(what, at, start, &cx.machine.retry);
        cx.at(when, Phase::Arrive, FlowEvent::GiveUp { src, lost });
    }

    /// `message` is about no more.
    fn forget(&mut self, message: InFlightId) {
        let Message { src, dst, .. } = self.messages[message].msg;
        self.release(message);
        self.messages.free(message);
        self.reroute_queue.remove(message);
        let (src, dst) = (self.twin(src), self.twin(dst));
        self.nics[src].sends -= 1;
        self.nics[dst].takes -= 1;
    }

    /// The last byte of `message` is there.
    fn end(&mut self, message: InFlightId, now: Time, cx: &mut Cx<'_>) {
        self.drop_subflows(message, true, cx);
        let InFlight { id, msg, cut, last, .. } = self.messages[message];
        self.forget(message);
        cx.counters.injected_packets += cut.packets;
        cx.counters.delivered_packets += cut.packets;
        cx.counters.delivered_payload += msg.bytes;
        let completion_delay = msg.completion_delay(&self.params);
        let Completion::Initiator(bytes) = msg.completion else {
            let ahead = Span(msg.ahead(&self.params).0.saturating_sub(last.0));
            // Shares are dealt a picosecond after heads come: nothing is told of the past.
            cx.delivered.push((id, (now + ahead + completion_delay).max(cx.now)));
            return;
        };
        let (src, dst, headers) = (msg.dst, msg.src, self.params.response);
        let back = Message { src, dst, bytes, completion: Completion::Target, ..msg };
        if bytes > 0 {
            // Each of its packets was asked for by one.
            let extra = HeaderBytes { headers, back: self.params.packet_overhead };
            return self.launch(id, back, now + self.params.fetch(bytes), extra, cx);
        }
        // A response that brings nothing is part of its request's flow.
        match self.alone_back(back, headers, cx.machine) {
            Ok(latency) => {
                cx.delivered.push((id, (now + latency + completion_delay).max(cx.now)));
            }
            Err(at) => self.lose((id, back), at, now, cx),
        }
    }

    /// How long a packet of headers takes back where nobody is in its way.
    fn alone_back(
        &mut self,
        back: Message,
        headers: u64,
        machine: &Machine,
    ) -> Result<Span, LostAt> {
        let links = &machine.links;
        machine.find_path(back.src, back.dst, back.draw, &machine::Idle, &mut self.path)?;
        let latency: Span = self.path.iter().map(|&link| links.latency[link]).sum();
        let slowest = self.path.iter().map(|&link| links.gap[link].span(headers)).max();
        Ok(latency + slowest.expect("a path has links"))
    }
}

impl NetworkModel for FlowNetwork {
    type Event = FlowEvent;
    type Mail = ();

    fn build(machine: &Machine) -> Self {
        let n_nics = machine.n_nics() as usize;
        let fabric = Fabric::new(machine);
        let mut sharing = MaxMin::new(fabric.capacities(), PRECISION_BITS);
        let ceilings: Vec<u8> = machine.classes.sharing().map(|class| class.ceiling).collect();
        if !ceilings.is_empty() {
            sharing.share_by_class(ceilings.len() as u32, fabric.due(machine));
        }
        let packets = vec![IndexVec::filled(0, 2 * n_nics); ceilings.len()];
        FlowNetwork {
            params: machine.nic.clone(),
            sharing,
            offered_load: OfferedLoad::new(machine, &fabric.capacity),
            congestion_tree: CongestionTree::new(machine),
            head_of_line: HeadOfLine::new(machine),
            fabric,
            classes: Classes { ceilings, packets },
            nics: IndexVec::filled(Nic::default(), n_nics),
            twin: IndexVec::new(),
            messages: Slab::with_capacity(64),
            n_launched: 0,
            undeliverable: Undeliverable::default(),
            message_of: IndexVec::new(),
            ends: IndexedHeap::new(),
            arrived: Vec::new(),
            draining: Vec::new(),
            feedback_delay: backlog::feedback_delay(machine),
            n_admitted: 0,
            solve_by: NEVER,
            reroute_by: NEVER,
            reroute_queue: IndexedHeap::new(),
            next_settle: NEVER,
            paths: Vec::with_capacity(MAX_SUBFLOWS as usize),
            links: Vec::with_capacity(256),
            path: Vec::with_capacity(32),
            back: Vec::with_capacity(32),
            uses: Vec::with_capacity(64),
            path_choice: PathRows::default(),
            changed: Vec::new(),
            rerouting: Vec::new(),
            same_batch: Vec::new(),
            slowed: Vec::new(),
            due: Vec::new(),
        }
    }

    /// What a link carries for the first group stands for what others like it carry, and so many
    /// share it.
    fn fold(&mut self, machine: &Machine, folding: Folding) {
        self.offered_load.fold(machine.folded_links(&folding));
        self.twin = folding.representative;
    }

    fn inject(&mut self, id: MsgId, msg: Message, cx: &mut Cx<'_>) {
        debug_assert!(msg.src != msg.dst, "a message to oneself does not use the network");
        let p = &self.params;
        let mut enter = cx.now;
        if msg.origin != Origin::Answer {
            let nic = &mut self.nics[msg.src];
            enter = enter.max(nic.enters);
            nic.enters = enter + p.message_gap;
        }
        let start = enter + msg.injection_delay(p);
        let is_answered = !matches!(msg.completion, Completion::Initiator(1..));
        let back = if is_answered { p.response } else { 0 };
        self.launch(id, msg, start, HeaderBytes { headers: p.packet_overhead, back }, cx);
    }

    fn handle(&mut self, ev: FlowEvent, cx: &mut Cx<'_>) {
        match ev {
            FlowEvent::HeadArrives { message, .. } => self.admit(message, ev, cx),
            // Others have been scheduled and then overtaken.
            FlowEvent::Settle if cx.now == self.next_settle => self.settle(cx),
            FlowEvent::Settle => {}
            FlowEvent::GiveUp { lost, .. } => self.undeliverable.give_up(lost, cx),
        }
    }

    fn failure(&mut self, id: MsgId) -> Option<Failure> {
        self.undeliverable.failure(id)
    }

    fn report(&self, counters: &mut Counters) {
        counters.by_class.clone_from(&self.classes.packets);
    }

    fn bytes(&self) -> usize {
        self.sharing.bytes()
            + self.offered_load.bytes()
            + self.congestion_tree.as_ref().map_or(0, CongestionTree::bytes)
            + self.head_of_line.as_ref().map_or(0, HeadOfLine::bytes)
            + self.nics.len() * size_of::<Nic>()
            + self.classes.packets.iter().map(|of| of.len() * size_of::<u64>()).sum::<usize>()
            + self.twin.len() * size_of::<NicId>()
            + self.messages.bytes()
            + self.message_of.raw.capacity() * size_of::<InFlightId>()
            + self.ends.bytes()
            + self.reroute_queue.bytes()
            + self.path_choice.bytes()
    }

    fn assert_quiet(&self, _: &Machine) {
        assert_eq!(self.messages.live(), 0, "messages left in the network");
        assert_eq!(self.undeliverable.live(), 0, "messages whose timers have not run out");
        assert_eq!(self.sharing.live(), 0, "a strand of a message that is gone");
        assert!(self.ends.first().is_none() && self.reroute_queue.first().is_none());
        assert!(self.arrived.is_empty());
        assert!(self.head_of_line.as_ref().is_none_or(HeadOfLine::is_quiet));
        self.offered_load.assert_quiet();
        assert!(self.nics.raw.iter().all(|nic| (nic.sends, nic.takes) == (0, 0)));
    }
}
