//! Layer 4: the flow model. Messages are flows that share links and NICs max-min fairly.
//! docs/models/flow.md has the equations and limits.
//!
//! Knows the paths and rates of messages. Does not model single packets or their order.
//!
//! Key idea: an undisturbed message takes the time of the closed form. A message that shares
//! resources takes longer in proportion to its smaller share. Its packets spread over the paths
//! that the machine's own routing chooses at the present load.

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
    /// A message in flight.
    InFlightId,
}

/// Events of the flow model.
#[derive(Clone, Copy, Debug)]
pub enum FlowEvent {
    /// The head of `message` from `src` arrives at the receiving NIC.
    HeadArrives { src: NicId, message: InFlightId },
    /// Flows start, end or reroute: shares are computed again.
    Settle,
    /// The NIC `src` gives up a message after its retries.
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

/// A message from its command to its last byte. The first fields are those read at every solve.
#[repr(C)]
struct InFlight {
    /// Remaining work: rate x time.
    left: u128,
    /// Current rate, and the time from which it holds.
    rate: u64,
    since: Time,
    /// Undisturbed rate, packets per 2^52 ps.
    unloaded_rate: u64,
    /// The rate that its share of links and NICs allows.
    fair_rate: u64,
    /// Work of one packet.
    packet_work: u64,
    weight: PacketWeight,
    /// Sampled packets, each with a path of its own.
    samples: u32,
    n_subflows: u32,
    /// Paths drawn so far.
    drawn: u32,
    msg: Message,
    subflows: [Subflow; MAX_SUBFLOWS as usize],
    /// Total work: rate x time.
    whole: u128,
    id: MsgId,
    extra: HeaderBytes,
    packetization: Packetization,
    /// When its head leaves, including waiting at the receiving NIC.
    start: Time,
    /// When its head arrived, and how long an undisturbed message takes from then on.
    head_arrived: Time,
    stream_time: Span,
    /// Interval from the last but one to the last packet of an undisturbed message.
    last: Span,
    /// Demand of each sampled packet: forward, and on the response path.
    demand: (Demand, Demand),
    /// Work carried by earlier subflows, and how many packets of it have been counted.
    carried: u128,
    counted: u64,
    /// Work of the backlog, which goes last by the shortest path; and whether only that is left.
    backlog: u128,
    is_draining: bool,
    /// It has waited for the receiving NIC.
    is_admitted: bool,
    /// How often it may reroute while it is in flight.
    reroutes_left: u64,
    /// Number of messages commanded before it.
    sequence: u64,
    /// First link of its shortest path, and the hops between switches, if it can have a
    /// head-of-line backlog.
    shortest_first: LinkId,
    shortest_hops: u32,
    /// The head-of-line backlog leaves no buffer space, so no sampled packet is faster than
    /// `lockstep_level`.
    is_buffer_full: bool,
    lockstep_level: u64,
}

/// State of a NIC.
#[derive(Clone, Copy, Default)]
struct Nic {
    /// When the next command can enter.
    enters: Time,
    /// When it can handle the next arriving message.
    handles: Time,
    /// Messages that it sends and receives.
    sends: u32,
    takes: u32,
}

/// Traffic classes that share links; empty if there are none.
#[derive(Default)]
struct Classes {
    /// Ceiling of each class, percent of a link.
    ceilings: Vec<u8>,
    /// Packets of each class by each link of a NIC.
    packets: Vec<IndexVec<LinkId, u64>>,
}

impl Classes {
    /// Index of the class share of a message. Classes in use are in the order of their virtual
    /// networks.
    fn class_of(&self, msg: Message) -> u32 {
        if self.ceilings.is_empty() { 0 } else { msg.vnet.into() }
    }

    /// Undisturbed rate of a message, limited by the ceiling of its class. Routers do not know the
    /// ceiling: everything that NICs have sent waits for a link of such a class.
    fn max_rate(&self, f: &InFlight) -> u64 {
        match self.ceilings.get(usize::from(f.msg.vnet)) {
            None | Some(100) => f.unloaded_rate,
            Some(&ceiling) => (u128::from(f.unloaded_rate) * u128::from(ceiling) / 100) as u64,
        }
    }
}

/// State of the flow model.
pub struct FlowNetwork {
    params: NicParams,
    fabric: Fabric,
    sharing: MaxMin,
    offered_load: OfferedLoad,
    congestion_tree: Option<CongestionTree>,
    head_of_line: Option<HeadOfLine>,
    nics: IndexVec<NicId, Nic>,
    classes: Classes,
    /// The representative of each NIC in a folded run; otherwise empty.
    representative: IndexVec<NicId, NicId>,
    messages: Slab<InFlightId, InFlight>,
    /// Messages commanded so far.
    n_launched: u64,
    undeliverable: Undeliverable,
    /// The message of each flow.
    message_of: IndexVec<FlowId, InFlightId>,
    /// When messages end at their current rates.
    ends: IndexedHeap<InFlightId, Time>,
    /// Messages whose heads arrived since the last solve.
    arrived: Vec<InFlightId>,
    /// Messages of which only the backlog is left, since the last solve.
    draining: Vec<InFlightId>,
    /// Age of a load report when routers act on it.
    feedback_delay: Span,
    /// How many of `arrived` have chosen their paths.
    n_admitted: usize,
    /// Latest time of the solve that distributes the capacity of ended messages.
    solve_by: Time,
    /// When all blocked messages search for other paths.
    reroute_by: Time,
    /// When blocked in-flight messages reroute, after other messages have arrived.
    reroute_queue: IndexedHeap<InFlightId, Time>,
    /// When the next `Settle` is due; `u64::MAX` if none is.
    next_settle: Time,
    /// Drawn paths, their links, and the links of one path.
    paths: Vec<DrawnPath>,
    links: Vec<LinkId>,
    path: Vec<LinkId>,
    back: Vec<LinkId>,
    uses: Vec<Use>,
    path_rows: PathRows,
    /// Messages whose rate has changed. After `choose_at_rate` instead: those commanded with
    /// arriving ones, and those due. And messages that search for other paths.
    changed: Vec<InFlightId>,
    rerouting: Vec<InFlightId>,
    /// Messages whose level arriving ones changed: those commanded with them, and those in flight.
    same_batch: Vec<InFlightId>,
    slowed: Vec<InFlightId>,
    /// In-flight messages that reroute now.
    due: Vec<InFlightId>,
}

const NEVER: Time = Time(u64::MAX);

/// Whole packets in `all`, rounded down. Most dividends fit into a word, which divides faster.
fn whole_packets(all: u128, packet_work: u64) -> u64 {
    match u64::try_from(all) {
        Ok(all) => all / packet_work,
        Err(_) => u64::try_from(all / u128::from(packet_work)).unwrap_or(u64::MAX),
    }
}

/// Shares are fair to one part in 2 to this power; smaller changes do not propagate.
pub const PRECISION_BITS: u32 = 6;

/// The capacity of an ended message is distributed when the next message starts, and at the latest
/// after this fraction of its duration. So messages that end together share a solve.
const IDLE_FRACTION: u64 = 16;

impl FlowNetwork {
    /// The NIC that represents `nic`: itself, unless the run is folded.
    fn representative(&self, nic: NicId) -> NicId {
        self.representative.raw.get(nic.0 as usize).copied().unwrap_or(nic)
    }

    /// Starts `msg`; its head leaves at `start` if undisturbed.
    fn launch(
        &mut self,
        id: MsgId,
        msg: Message,
        start: Time,
        extra: HeaderBytes,
        cx: &mut Cx<'_>,
    ) {
        let machine = cx.machine;
        let packetization = Packetization::new(msg.bytes, self.params.packet_payload);
        let weight = PacketWeight::new(
            msg.bytes,
            packetization.packets,
            extra,
            self.fabric.multipacket_message,
        );
        let in_order = msg.in_order && machine.keeps_flows;
        let samples =
            if in_order { 1 } else { packetization.packets.min(u64::from(MAX_SUBFLOWS)) as u32 };
        let (src, dst) = (self.representative(msg.src), self.representative(msg.dst));
        self.nics[src].sends += 1;
        self.nics[dst].takes += 1;
        let message = self.messages.insert(InFlight {
            id,
            msg,
            extra,
            packetization,
            weight,
            samples,
            drawn: 0,
            unloaded_rate: self.fabric.unloaded_rate(machine, (msg.src, msg.dst), weight, samples),
            fair_rate: 0,
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
            is_draining: false,
            is_admitted: false,
            reroutes_left: packetization.packets / PACKETS_PER_REROUTE,
            sequence: self.n_launched,
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
        let (latency, all, last) = self.unloaded_times(message, machine);
        let f = &mut self.messages[message];
        if samples == 1 {
            // The limit of its only path, whose uses are in `uses`.
            let level = |one: &Use| self.sharing.capacity(one.resource) / u64::from(one.weight);
            f.unloaded_rate = self.uses.iter().map(level).min().unwrap_or(u64::MAX).max(1);
        }
        (f.stream_time, f.last) = (all, last);
        f.whole = u128::from(all.0) * u128::from(f.unloaded_rate);
        f.left = f.whole;
        f.packet_work =
            u64::try_from(f.whole / u128::from(packetization.packets)).unwrap_or(u64::MAX).max(1);
        cx.at(start + latency, Phase::Arrive, FlowEvent::HeadArrives { src: msg.src, message });
    }

    /// Undisturbed times: the latency of the longest path; the duration from the first packet's
    /// head to the last one's tail; and the interval from the last but one packet to the last.
    ///
    /// Full packets are limited by NICs and hosts: excess traffic of a link between switches uses
    /// other links, unless there is only one path. The last packet takes its time at the slowest of
    /// all.
    fn unloaded_times(&self, message: InFlightId, machine: &Machine) -> (Span, Span, Span) {
        let InFlight { msg, packetization, extra, samples, .. } = self.messages[message];
        let links = &machine.links;
        let slowest = |path: &[LinkId]| path.iter().map(|&link| links.gap[link]).max();
        let ends = slowest(&[machine.injection(msg.src), machine.ejection(msg.dst)]);
        let paths = self.paths.iter().map(|drawn_path| drawn_path.forward(&self.links));
        let any = paths.clone().filter_map(slowest).max();
        let latency = paths.map(|path| path.iter().map(|&link| links.latency[link]).sum()).max();
        let p = &self.params;
        let host = p.host_gap.max(p.host_gap_one_way);
        let stage = |gap: Option<Gap>, payload: u64| {
            let wire = gap.map_or(Span::ZERO, |gap| gap.span(payload + extra.headers));
            wire.max(host.span(payload))
        };
        let interval = stage(if samples == 1 { any } else { ends }, p.packet_payload);
        let wait = p.multipacket_wait(packetization.packets, interval);
        let last = stage(any, packetization.rest);
        let all = interval * (packetization.packets - 1) + wait + last;
        // The first of several packets does not wait.
        let last = if packetization.packets == 2 { wait + last } else { last };
        (latency.unwrap_or_default(), all, last)
    }

    /// The head has arrived. The receiving NIC handles messages one after the other. That time adds
    /// to the time of the bytes, which matters for short messages.
    fn admit(&mut self, message: InFlightId, ev: FlowEvent, cx: &mut Cx<'_>) {
        let InFlight { msg, packetization, is_admitted, .. } = self.messages[message];
        if !is_admitted && msg.target_handling() > Span::ZERO {
            let host = self.params.host_gap.max(self.params.host_gap_one_way);
            let few = if packetization.packets <= u64::from(MAX_SUBFLOWS) { msg.bytes } else { 0 };
            let dst = self.representative(msg.dst);
            let nic = &mut self.nics[dst];
            let handled_from = nic.handles.max(cx.now);
            nic.handles = handled_from + msg.handling + host.span(few);
            if handled_from > cx.now {
                self.messages[message].is_admitted = true;
                self.messages[message].start += handled_from.since(cx.now);
                return cx.at(handled_from, Phase::Arrive, ev);
            }
        }
        self.begin(message, cx);
    }

    /// The message takes its share from now on.
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

    /// Batching window: how long an arriving message waits for others, to get its share together
    /// with them. It is a fraction of its duration if all contenders share its NICs, and at most
    /// its undisturbed duration.
    fn batching_window(&self, message: InFlightId) -> Span {
        let InFlight { msg, stream_time, .. } = &self.messages[message];
        let (src, dst) = (self.representative(msg.src), self.representative(msg.dst));
        let contenders = self.nics[src].sends.max(self.nics[dst].takes);
        let part = (stream_time.0 >> PRECISION_BITS).saturating_mul(contenders.into());
        Span(part.min(stream_time.0).max(1))
    }

    /// All messages that arrived at this time are known, so they draw their paths again, in the
    /// order of their commands, because the first saw an idle network. In the reverse order, the
    /// best informed messages would find only full nonminimal paths, and those after them empty
    /// ones.
    fn admit_batch(&mut self, cx: &mut Cx<'_>) {
        let messages = &self.messages;
        self.arrived[self.n_admitted..].sort_unstable_by_key(|&message| messages[message].sequence);
        let mut batch = std::mem::take(&mut self.rerouting);
        batch.clear();
        let several = |&&message: &&InFlightId| messages[message].packetization.packets > 1;
        batch.extend(self.arrived[self.n_admitted..].iter().filter(several));
        self.choose_batch(&batch, cx);
        self.rerouting = batch;
        for nth in self.n_admitted..self.arrived.len() {
            let message = self.arrived[nth];
            self.start_subflows(message);
            self.solve_by = self
                .solve_by
                .min(self.messages[message].head_arrived + self.batching_window(message));
        }
        self.n_admitted = self.arrived.len();
    }

    /// Ends due messages, computes shares, and lets blocked messages search for other paths.
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
            // Never at the present instant.
            self.next_settle = self.next_settle.max(Time(cx.now.0 + 1));
            cx.at(self.next_settle, Phase::Decide, FlowEvent::Settle);
        }
    }

    /// Time of the next solve without arrivals or ends. Rerouting waits for open batching windows.
    fn next_solve(&self) -> Time {
        if self.n_admitted > 0 { self.solve_by } else { self.solve_by.min(self.next_reroute()) }
    }

    /// Computes shares and updates the end times of messages whose rate changed.
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
            self.update_rate(message);
            self.messages[message].fair_rate = self.messages[message].rate;
        }
        self.apply_head_of_line_blocking(now);
    }

    /// Computes the rate from the levels of its subflows, and when it ends or starts to drain.
    fn update_rate(&mut self, message: InFlightId) {
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
        // Limits of hosts and NICs are the reason for its undisturbed duration.
        let speed = f.rate.min(f.unloaded_rate);
        // A short remainder fits into a word, which divides faster.
        let rush = f.left.saturating_sub(f.backlog);
        let needs = match u64::try_from(rush) {
            Ok(left) => left.div_ceil(speed),
            Err(_) => u64::try_from(rush.div_ceil(u128::from(speed))).unwrap_or(u64::MAX),
        };
        self.ends.set(message, Time(f.since.0.saturating_add(needs).min(NEVER.0 - 1)));
    }

    /// Accounts the work of `message` until `now`.
    fn advance(&mut self, message: InFlightId, now: Time) {
        let f = &mut self.messages[message];
        let time = u128::from(now.since(f.since).0);
        f.since = now;
        f.left = f.left.saturating_sub(u128::from(f.rate.min(f.unloaded_rate)) * time);
        for subflow in &mut f.subflows[..f.n_subflows as usize] {
            let level = subflow.level.min(f.lockstep_level);
            subflow.carried += u128::from(level) * u128::from(subflow.count) * time;
        }
    }

    /// A message that starts at `start` has no path: it is lost at `at`.
    fn lose(&mut self, what: (MsgId, Message), at: LostAt, start: Time, cx: &mut Cx<'_>) {
        let src = what.1.src;
        let (when, lost) = self.undeliverable.lose(what, at, start, &cx.machine.retry);
        cx.at(when, Phase::Arrive, FlowEvent::GiveUp { src, lost });
    }

    /// Removes `message`.
    fn forget(&mut self, message: InFlightId) {
        let Message { src, dst, .. } = self.messages[message].msg;
        self.release(message);
        self.messages.free(message);
        self.reroute_queue.remove(message);
        let (src, dst) = (self.representative(src), self.representative(dst));
        self.nics[src].sends -= 1;
        self.nics[dst].takes -= 1;
    }

    /// The last byte of `message` has arrived.
    fn end(&mut self, message: InFlightId, now: Time, cx: &mut Cx<'_>) {
        self.drop_subflows(message, true, cx);
        let InFlight { id, msg, packetization, last, .. } = self.messages[message];
        self.forget(message);
        cx.counters.injected_packets += packetization.packets;
        cx.counters.delivered_packets += packetization.packets;
        cx.counters.delivered_payload += msg.bytes;
        let completion_delay = msg.completion_delay(&self.params);
        let Completion::Initiator(bytes) = msg.completion else {
            let ahead = Span(msg.staging_lead(&self.params).0.saturating_sub(last.0));
            // Solves follow arrivals by a picosecond: completions must not lie in the past.
            cx.delivered.push((id, (now + ahead + completion_delay).max(cx.now)));
            return;
        };
        let (src, dst, headers) = (msg.dst, msg.src, self.params.response);
        let back = Message { src, dst, bytes, completion: Completion::Target, ..msg };
        if bytes > 0 {
            // Each of its packets was requested by one packet.
            let extra = HeaderBytes { headers, back: self.params.packet_overhead };
            return self.launch(id, back, now + self.params.fetch(bytes), extra, cx);
        }
        // A response without data is part of the flow of its request.
        match self.unloaded_response_time(back, headers, cx.machine) {
            Ok(latency) => {
                cx.delivered.push((id, (now + latency + completion_delay).max(cx.now)));
            }
            Err(at) => self.lose((id, back), at, now, cx),
        }
    }

    /// Undisturbed time of a header-only packet on the response path.
    fn unloaded_response_time(
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
            sharing.share_by_class(ceilings.len() as u32, fabric.class_entitlements(machine));
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
            representative: IndexVec::new(),
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
            path_rows: PathRows::default(),
            changed: Vec::new(),
            rerouting: Vec::new(),
            same_batch: Vec::new(),
            slowed: Vec::new(),
            due: Vec::new(),
        }
    }

    /// Each link of the first group represents links of all groups and has the capacity of one.
    fn fold(&mut self, machine: &Machine, folding: Folding) {
        self.offered_load.fold(machine.folded_links(&folding));
        self.representative = folding.representative;
    }

    fn inject(&mut self, id: MsgId, msg: Message, cx: &mut Cx<'_>) {
        debug_assert!(msg.src != msg.dst, "a message to oneself does not use the network");
        let p = &self.params;
        let mut enter = cx.now;
        if msg.origin != Origin::Response {
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
            // Later events were superseded.
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
            + self.representative.len() * size_of::<NicId>()
            + self.messages.bytes()
            + self.message_of.raw.capacity() * size_of::<InFlightId>()
            + self.ends.bytes()
            + self.reroute_queue.bytes()
            + self.path_rows.bytes()
    }

    fn assert_idle(&self, _: &Machine) {
        assert_eq!(self.messages.live(), 0, "messages left in the network");
        assert_eq!(self.undeliverable.live(), 0, "messages whose retry timers are pending");
        assert_eq!(self.sharing.live(), 0, "a subflow of a message that has ended");
        assert!(self.ends.first().is_none() && self.reroute_queue.first().is_none());
        assert!(self.arrived.is_empty());
        assert!(self.head_of_line.as_ref().is_none_or(HeadOfLine::is_quiet));
        self.offered_load.assert_idle();
        assert!(self.nics.raw.iter().all(|nic| (nic.sends, nic.takes) == (0, 0)));
    }
}
