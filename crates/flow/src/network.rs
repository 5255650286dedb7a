//! The network model: starts and ends messages, and determines when shares are computed.

use base::{Span, Time};
use des::Phase;
use machine::{Folding, LinkId, Machine, NicId, NicParams};
use net::{
    Completion, Counters, Cx, Failure, LostAt, LostId, Message, MsgId, NetEvent, NetworkModel,
    Origin, Packetization, PrecomputedReady, Prefetch, Sharded, Undeliverable, Windowed,
};

use crate::backlog::Backlog;
use crate::fabric::{HeaderBytes, PacketWeight};
use crate::in_flight::{Command, InFlight, InFlightId};
use crate::messages::NEVER;
use crate::path_choice::PathChoice;
use crate::rates::Rates;
use crate::rerouting::Rerouting;
use crate::subflow::MAX_SUBFLOWS;
use crate::traffic::{IDLE_FRACTION, Traffic};
use crate::unloaded::{UnloadedTimes, unloaded_response_time, unloaded_times};

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

/// State of the flow model.
pub struct FlowNetwork {
    params: NicParams,
    traffic: Traffic,
    rates: Rates,
    paths: PathChoice,
    rerouting: Rerouting,
    backlog: Backlog,
    arrivals: Arrivals,
    undeliverable: Undeliverable,
    /// Messages commanded so far.
    n_launched: u64,
    /// Latest time of the solve that distributes the capacity of ended messages.
    solve_by: Time,
    /// When the next `Settle` is due; `NEVER` if none is.
    next_settle: Time,
    /// Links of a response path.
    path: Vec<LinkId>,
}

/// Messages whose heads arrived since the last solve.
#[derive(Default)]
struct Arrivals {
    messages: Vec<InFlightId>,
    /// How many of them have chosen their paths.
    n_admitted: usize,
    /// Those that choose now.
    batch: Vec<InFlightId>,
}

impl FlowNetwork {
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
        let fabric = &self.traffic.shares.fabric;
        let multipacket = fabric.multipacket_message;
        let weight = PacketWeight::new(msg.bytes, packetization.packets, extra, multipacket);
        let in_order = msg.in_order && machine.keeps_flows;
        let samples =
            if in_order { 1 } else { packetization.packets.min(u64::from(MAX_SUBFLOWS)) as u32 };
        let unloaded_rate = fabric.unloaded_rate(machine, (msg.src, msg.dst), weight, samples);
        let (class, ceiling) = self.traffic.classes.class_of(&msg);
        let message = self.traffic.insert(InFlight::new(Command {
            id,
            msg,
            start,
            extra,
            packetization,
            weight,
            samples,
            unloaded_rate,
            class,
            ceiling,
            sequence: self.n_launched,
        }));
        self.n_launched += 1;
        let times = match self.paths.draw_first(message, &mut self.traffic, machine) {
            Ok(drawn) => {
                unloaded_times(&self.traffic.messages[message], drawn, &self.params, machine)
            }
            Err(at) => {
                self.forget(message);
                return self.lose((id, msg), at, start, cx);
            }
        };
        if let Some(head_of_line) = &mut self.rates.head_of_line {
            head_of_line.register(message, &mut self.traffic, machine);
        }
        let f = &mut self.traffic.messages[message];
        if samples == 1 {
            // The limit of its only path.
            f.unloaded_rate = self.traffic.shares.level_alone(&f.subflows()[0]).max(1);
        }
        let UnloadedTimes { latency, duration, last } = times;
        f.set_duration(duration, last);
        cx.at(start + latency, Phase::Arrive, FlowEvent::HeadArrives { src: msg.src, message });
    }

    /// The head has arrived. The receiving NIC handles messages one after the other. That time adds
    /// to the time of the bytes, which matters for short messages.
    fn admit(&mut self, message: InFlightId, ev: FlowEvent, cx: &mut Cx<'_>) {
        let InFlight { msg, packetization, is_admitted, .. } = &self.traffic.messages[message];
        if !is_admitted && msg.target_handling() > Span::ZERO {
            let host = self.params.host_gap.max(self.params.host_gap_one_way);
            let is_short = packetization.packets <= u64::from(MAX_SUBFLOWS);
            let span = msg.handling + host.span(if is_short { msg.bytes } else { 0 });
            let handled_from = self.traffic.nics.handle(msg, cx.now, span);
            if handled_from > cx.now {
                let f = &mut self.traffic.messages[message];
                f.is_admitted = true;
                f.start += handled_from.since(cx.now);
                return cx.at(handled_from, Phase::Arrive, ev);
            }
        }
        self.begin(message, cx);
    }

    /// The message takes its share from now on.
    fn begin(&mut self, message: InFlightId, cx: &mut Cx<'_>) {
        let f = &mut self.traffic.messages[message];
        (f.since, f.head_arrived) = (cx.now, cx.now);
        if f.left == 0 {
            return self.end(message, cx.now, cx);
        }
        self.arrivals.messages.push(message);
        let soon = Time(cx.now.0 + 1);
        if self.next_settle > soon {
            self.next_settle = soon;
            cx.at(soon, Phase::Decide, FlowEvent::Settle);
        }
    }

    /// All messages that arrived at this time are known, so they draw their paths again, in the
    /// order of their commands, because the first saw an idle network. In the reverse order, the
    /// best informed messages would find only full nonminimal paths, and those after them empty
    /// ones.
    fn admit_batch(&mut self, cx: &mut Cx<'_>) {
        let traffic = &mut self.traffic;
        let Arrivals { messages, n_admitted, batch } = &mut self.arrivals;
        let new = &mut messages[*n_admitted..];
        new.sort_unstable_by_key(|&message| traffic.messages[message].sequence);
        batch.clear();
        let has_several =
            |&&message: &&InFlightId| traffic.messages[message].packetization.packets > 1;
        batch.extend(new.iter().filter(has_several));
        self.paths.choose_batch(batch, traffic, cx);
        for &mut message in new {
            traffic.start_subflows(message);
            let head_arrived = traffic.messages[message].head_arrived;
            self.solve_by = self.solve_by.min(head_arrived + traffic.batching_window(message));
        }
        *n_admitted = messages.len();
    }

    /// Ends due messages, computes shares, and lets blocked messages search for other paths.
    fn settle(&mut self, cx: &mut Cx<'_>) {
        while let Some((at, message)) = self.traffic.messages.take_end(cx.now) {
            let f = &mut self.traffic.messages[message];
            f.advance(at);
            if f.backlog > 0 {
                let solve_by = self.backlog.start_drain(message, at, &mut self.traffic);
                self.solve_by = self.solve_by.min(solve_by);
                continue;
            }
            let took = at.since(f.head_arrived);
            let soon = at + Span(took.0 / IDLE_FRACTION);
            self.solve_by = self.solve_by.min(soon);
            self.rerouting.search_all_by(soon);
            self.end(message, at, cx);
        }
        self.admit_batch(cx);
        if self.next_solve() <= cx.now {
            self.solve(cx);
        }
        self.next_settle = self.traffic.messages.next_end().min(self.next_solve());
        if self.next_settle < NEVER {
            // Never at the present instant.
            self.next_settle = self.next_settle.max(Time(cx.now.0 + 1));
            cx.at(self.next_settle, Phase::Decide, FlowEvent::Settle);
        }
    }

    fn solve(&mut self, cx: &mut Cx<'_>) {
        let FlowNetwork { traffic, rates, paths, rerouting, backlog, .. } = self;
        let arrived = &mut self.arrivals.messages;
        (self.solve_by, self.arrivals.n_admitted) = (NEVER, 0);
        backlog.send(traffic, cx);
        rates.solve(traffic, cx.now, cx.machine);
        rerouting.choose_at_rate(arrived, paths, rates, traffic, cx);
        rerouting.search(arrived, rates, traffic, cx);
        backlog.update(arrived, rates, traffic, cx);
        arrived.clear();
    }

    /// Time of the next solve without arrivals or ends. Rerouting waits for open batching windows.
    fn next_solve(&self) -> Time {
        match self.arrivals.n_admitted {
            0 => self.solve_by.min(self.rerouting.next()),
            _ => self.solve_by,
        }
    }

    /// A message that starts at `start` has no path: it is lost at `at`.
    fn lose(&mut self, what: (MsgId, Message), at: LostAt, start: Time, cx: &mut Cx<'_>) {
        let src = what.1.src;
        let (when, lost) = self.undeliverable.lose(what, at, start, &cx.machine.retry);
        cx.at(when, Phase::Arrive, FlowEvent::GiveUp { src, lost });
    }

    /// Removes `message`, which has no subflows.
    fn forget(&mut self, message: InFlightId) {
        if let Some(head_of_line) = &mut self.rates.head_of_line {
            head_of_line.release(message, &self.traffic);
        }
        self.traffic.remove(message);
        self.rerouting.remove(message);
    }

    /// The last byte of `message` has arrived.
    fn end(&mut self, message: InFlightId, now: Time, cx: &mut Cx<'_>) {
        self.traffic.drop_subflows(message, true, cx);
        let InFlight { id, msg, packetization, last, .. } = self.traffic.messages[message];
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
        let response = Message { src, dst, bytes, completion: Completion::Target, ..msg };
        if bytes > 0 {
            // Each of its packets was requested by one packet.
            let extra = HeaderBytes { headers, response: self.params.packet_overhead };
            return self.launch(id, response, now + self.params.fetch(bytes), extra, cx);
        }
        // A response without data is part of the flow of its request.
        match unloaded_response_time(&response, headers, &mut self.path, cx.machine) {
            Ok(latency) => {
                cx.delivered.push((id, (now + latency + completion_delay).max(cx.now)));
            }
            Err(at) => self.lose((id, response), at, now, cx),
        }
    }
}

impl Prefetch for FlowNetwork {}

impl Windowed for FlowNetwork {}

impl Sharded for FlowNetwork {
    type Mail = ();
}
impl PrecomputedReady for FlowNetwork {}

impl NetworkModel for FlowNetwork {
    type Event = FlowEvent;

    fn build(machine: &Machine) -> Self {
        let mut changes = machine.initial_fabric().later_bias_changes();
        assert!(changes.next().is_none(), "flows know only the biases of the start");
        let mut traffic = Traffic::new(machine);
        FlowNetwork {
            params: machine.nic.clone(),
            rates: Rates::new(machine, &mut traffic.shares),
            traffic,
            paths: PathChoice::new(),
            rerouting: Rerouting::new(),
            backlog: Backlog::new(machine),
            arrivals: Arrivals::default(),
            undeliverable: Undeliverable::default(),
            n_launched: 0,
            solve_by: NEVER,
            next_settle: NEVER,
            path: Vec::with_capacity(32),
        }
    }

    /// Each link of the first group represents links of all groups and has the capacity of one.
    fn fold(&mut self, machine: &Machine, folding: Folding) {
        self.traffic.offered_load.set_representatives(machine.folded_links(&folding));
        self.traffic.nics.set_representatives(folding.representative);
    }

    fn inject(&mut self, id: MsgId, msg: Message, cx: &mut Cx<'_>) {
        debug_assert!(msg.src != msg.dst, "a message to oneself does not use the network");
        let p = &self.params;
        let mut enter = cx.now;
        if msg.origin != Origin::Response {
            enter = self.traffic.nics.enter(msg.src, cx.now, p.message_gap);
        }
        let start = enter + msg.injection_delay(p);
        let is_answered = !matches!(msg.completion, Completion::Initiator(1..));
        let response = if is_answered { p.response } else { 0 };
        let extra = HeaderBytes { headers: p.packet_overhead, response };
        self.launch(id, msg, start, extra, cx);
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
        counters.by_class.clone_from(self.traffic.classes.packets());
    }

    fn bytes(&self) -> usize {
        self.traffic.bytes() + self.rates.bytes() + self.rerouting.bytes() + self.paths.bytes()
    }

    fn assert_idle(&self, _: &Machine) {
        assert_eq!(self.undeliverable.live(), 0, "messages whose retry timers are pending");
        assert!(self.arrivals.messages.is_empty());
        assert!(self.rerouting.is_idle() && self.rates.is_idle());
        self.traffic.assert_idle();
    }
}
