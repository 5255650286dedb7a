//! Floor 4: messages as flows that share links and NICs max-min fairly. Derivation and limits in
//! docs/models/flow.md.
//!
//! Knows who crosses what, and how fast. Refuses to know packets one by one, and their order.
//!
//! The one idea: a message alone takes the closed form's time; beside others it lasts as much
//! longer as its share of what it crosses is less than all of it. Its packets spread over ways as
//! the machine's own routing would send them at the present load.

mod committed;
mod fabric;
mod pressure;
mod stock;
mod strands;
mod tree;
mod turns;

use base::{Gap, IndexVec, Least, Slab, Span, Time};
use des::Phase;
use fluid::{FlowId, MaxMin, Use};
use machine::{Folding, LinkId, Machine, NicId, NicParams};
use net::{
    Counters, Cut, Cx, Failure, GivenUp, LostAt, LostId, Message, MsgId, NetEvent, NetworkModel,
    Origin, Told,
};

use committed::{Committed, NOWHERE};
pub use fabric::capacity;
use fabric::{Extra, Fabric, Weight};
use pressure::{Ask, Pressure};
use strands::{Drawn, Strand, WAYS};
use tree::Tree;
use turns::{PACKETS_A_TURN, Turns};

base::ids! {
    /// A message under way.
    FlightId,
}

/// What happens among flows.
#[derive(Clone, Copy, Debug)]
pub enum FlowEvent {
    /// The head of `flight`, sent by `src`, has reached the receiver's NIC.
    HeadArrives { src: NicId, flight: FlightId },
    /// Flows have begun or end, or it is somebody's turn: shares are dealt anew.
    Settle,
    /// The NIC `src` gives up what it has sent in vain.
    GiveUp { src: NicId, lost: LostId },
}

impl NetEvent for FlowEvent {
    #[inline]
    fn pack(self) -> (u8, u32, u32) {
        match self {
            FlowEvent::HeadArrives { src, flight } => (0, src.0, flight.0),
            FlowEvent::Settle => (1, 0, 0),
            FlowEvent::GiveUp { src, lost } => (2, src.0, lost.0),
        }
    }
    #[inline]
    fn unpack(kind: u8, source: u32, arg: u32) -> Self {
        match kind {
            0 => FlowEvent::HeadArrives { src: NicId(source), flight: FlightId(arg) },
            1 => FlowEvent::Settle,
            _ => FlowEvent::GiveUp { src: NicId(source), lost: LostId(arg) },
        }
    }
}

/// A message from its command to its last byte. First comes what is looked at for everybody
/// whenever shares are dealt.
#[repr(C)]
struct Flight {
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
    piece: u64,
    weight: Weight,
    /// Its packets in parallel, each by a way of its own.
    samples: u32,
    n_strands: u32,
    /// Packets by which ways have been drawn.
    drawn: u32,
    msg: Message,
    strands: [Strand; WAYS as usize],
    /// All of it, rate x time.
    whole: u128,
    id: MsgId,
    extra: Extra,
    cut: Cut,
    /// When its head leaves, and as much later as it waits at its receiver's NIC.
    start: Time,
    /// When its head came, and how long it takes from then on if nobody else is there.
    begun: Time,
    stream: Span,
    /// How long after the last but one its last packet comes then.
    last: Span,
    /// What each of its packets in parallel adds to the load of links: forward, and back.
    pull: (Ask, Ask),
    /// What earlier strands have carried, and how much of it has been counted: packets.
    carried: u128,
    counted: u64,
    /// What of it will go last, by its shortest way; and whether that is all there is left.
    stock: u128,
    is_last: bool,
    /// It has waited for its turn at the receiver's NIC.
    is_admitted: bool,
    /// How often it may still choose again while it is under way.
    turns_left: u64,
    /// So many have been commanded before it.
    nth: u64,
    /// The first link of its shortest way, and how many between switches that has, if something of
    /// it can stand before that.
    shortest_first: LinkId,
    shortest_hops: u32,
    /// What stands before its shortest way leaves no room, so none of its packets in parallel has
    /// more than `in_step`.
    is_stuck: bool,
    in_step: u64,
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
    fn party(&self, msg: Message) -> u32 {
        if self.ceilings.is_empty() { 0 } else { msg.vnet.into() }
    }

    /// The rate that a message has if nobody else is there: its class may have a ceiling. Routers
    /// do not know that: what waits for a link of such a class is all that NICs have sent.
    fn most(&self, f: &Flight) -> u64 {
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
    pressure: Pressure,
    tree: Option<Tree>,
    committed: Option<Committed>,
    nics: IndexVec<NicId, Nic>,
    classes: Classes,
    /// Where some NICs stand for others: which for each.
    twin: IndexVec<NicId, NicId>,
    flights: Slab<FlightId, Flight>,
    /// So many have been commanded.
    launched: u64,
    given_up: GivenUp,
    /// Whose strand a flow is.
    owner: IndexVec<FlowId, FlightId>,
    /// When flights end, at their present rates.
    ends: Least<FlightId, Time>,
    /// Heads that have come since shares were dealt.
    coming: Vec<FlightId>,
    /// Those of whom only what goes last is left, since shares were dealt.
    lasts: Vec<FlightId>,
    /// How old what routers see is when it is acted on.
    news: Span,
    /// So many of those who come have been welcomed.
    waiting: usize,
    /// When what those have left who have ended is dealt out at the latest.
    deals: Time,
    /// From when on all who are held up look for other ways.
    looks: Time,
    /// When those choose again who were under way when others came, and are held up.
    in_turn: Least<FlightId, Time>,
    /// When the next `Settle` is to be; `u64::MAX` if nobody waits for one.
    settles: Time,
    /// Ways as they are drawn, all their links, and one way's.
    ways: Vec<Drawn>,
    links: Vec<LinkId>,
    path: Vec<LinkId>,
    back: Vec<LinkId>,
    uses: Vec<Use>,
    turns: Turns,
    /// Flights whose rate has changed, or, if some have chosen at their pace, those commanded with
    /// who came and those due; and those who look for other ways.
    changed: Vec<FlightId>,
    looking: Vec<FlightId>,
    /// Whose level others who come have changed: those commanded with them, and those under way.
    together: Vec<FlightId>,
    pushed: Vec<FlightId>,
    /// Those under way whose turn it is.
    due: Vec<FlightId>,
}

const NEVER: Time = Time(u64::MAX);

/// So many whole pieces are in `all`, rounded down. Most of what is divided fits a word, which is
/// quicker.
fn pieces(all: u128, piece: u64) -> u64 {
    match u64::try_from(all) {
        Ok(all) => all / piece,
        Err(_) => u64::try_from(all / u128::from(piece)).unwrap_or(u64::MAX),
    }
}

/// Shares are fair to within one part in 2 to this power: what changes by less concerns nobody
/// else.
pub const EXACT_TO: u32 = 6;

/// What a message leaves is dealt out when somebody comes, and at the latest after so small a part
/// of the time that it took: so shares are dealt for many at once where many end.
const IDLE: u64 = 16;

impl FlowNetwork {
    /// The NIC that stands for `nic`: itself, unless networks are folded.
    fn twin(&self, nic: NicId) -> NicId {
        self.twin.raw.get(nic.0 as usize).copied().unwrap_or(nic)
    }

    /// The head of `msg` leaves at `start` if nothing is in its way.
    fn launch(&mut self, id: MsgId, msg: Message, start: Time, extra: Extra, cx: &mut Cx<'_>) {
        let machine = cx.machine;
        let cut = Cut::new(msg.bytes, self.params.packet_payload);
        let weight = Weight::new(msg.bytes, cut.packets, extra, self.fabric.multipacket_message);
        let in_order = msg.in_order && machine.keeps_flows;
        let samples = if in_order { 1 } else { cut.packets.min(u64::from(WAYS)) as u32 };
        let (src, dst) = (self.twin(msg.src), self.twin(msg.dst));
        self.nics[src].sends += 1;
        self.nics[dst].takes += 1;
        let flight = self.flights.insert(Flight {
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
            piece: 1,
            begun: start,
            stream: Span::ZERO,
            last: Span::ZERO,
            pull: (Ask::default(), Ask::default()),
            strands: [Strand::NONE; WAYS as usize],
            n_strands: 0,
            carried: 0,
            counted: 0,
            stock: 0,
            is_last: false,
            is_admitted: false,
            turns_left: cut.packets / PACKETS_A_TURN,
            nth: self.launched,
            shortest_first: NOWHERE,
            shortest_hops: 0,
            is_stuck: false,
            in_step: u64::MAX,
        });
        self.launched += 1;
        if let Err(at) = self.draw_ways(flight, machine) {
            self.forget(flight);
            return self.lose((id, msg), at, start, cx);
        }
        self.commit(flight, machine);
        let (latency, all, last) = self.alone(flight, machine);
        let f = &mut self.flights[flight];
        if samples == 1 {
            // What the one way lets through, which is in `uses`.
            let level = |one: &Use| self.sharing.capacity(one.resource) / u64::from(one.weight);
            f.alone = self.uses.iter().map(level).min().unwrap_or(u64::MAX).max(1);
        }
        (f.stream, f.last) = (all, last);
        f.whole = u128::from(all.0) * u128::from(f.alone);
        f.left = f.whole;
        f.piece = u64::try_from(f.whole / u128::from(cut.packets)).unwrap_or(u64::MAX).max(1);
        cx.at(start + latency, Phase::Arrive, FlowEvent::HeadArrives { src: msg.src, flight });
    }

    /// The latency of the longest of its ways, and how long all packets take from the first one's
    /// head to the last one's tail if nobody else is there; and from the last but one's on.
    ///
    /// Full packets set the pace at NICs and hosts: what a link between switches cannot take, other
    /// links can, unless there is one way only. The last takes its time at the slowest of all.
    fn alone(&self, flight: FlightId, machine: &Machine) -> (Span, Span, Span) {
        let Flight { msg, cut, extra, samples, .. } = self.flights[flight];
        let links = &machine.links;
        let slowest = |path: &[LinkId]| path.iter().map(|&link| links.gap[link]).max();
        let ends = slowest(&[machine.injection(msg.src), machine.ejection(msg.dst)]);
        let ways = self.ways.iter().map(|way| way.forward(&self.links));
        let any = ways.clone().filter_map(slowest).max();
        let latency = ways.map(|path| path.iter().map(|&link| links.latency[link]).sum()).max();
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
    fn admit(&mut self, flight: FlightId, ev: FlowEvent, cx: &mut Cx<'_>) {
        let Flight { msg, cut, is_admitted, .. } = self.flights[flight];
        if !is_admitted && msg.handling_there() > Span::ZERO {
            let host = self.params.host_gap.max(self.params.host_gap_one_way);
            let few = if cut.packets <= u64::from(WAYS) { msg.bytes } else { 0 };
            let dst = self.twin(msg.dst);
            let nic = &mut self.nics[dst];
            let turn = nic.handles.max(cx.now);
            nic.handles = turn + msg.handling + host.span(few);
            if turn > cx.now {
                self.flights[flight].is_admitted = true;
                self.flights[flight].start += turn.since(cx.now);
                return cx.at(turn, Phase::Arrive, ev);
            }
        }
        self.begin(flight, cx);
    }

    /// The head is there: from now on the message takes its share.
    fn begin(&mut self, flight: FlightId, cx: &mut Cx<'_>) {
        let Flight { left, since, begun, .. } = &mut self.flights[flight];
        (*since, *begun) = (cx.now, cx.now);
        if *left == 0 {
            return self.end(flight, cx.now, cx);
        }
        self.coming.push(flight);
        let soon = Time(cx.now.0 + 1);
        if self.settles > soon {
            self.settles = soon;
            cx.at(soon, Phase::Decide, FlowEvent::Settle);
        }
    }

    /// How long a message that begins waits for others that do, to be given its share together with
    /// them: a part of the time that it takes if its NICs are shared by all who use them now, and
    /// no longer than it takes alone.
    fn patience(&self, flight: FlightId) -> Span {
        let Flight { msg, stream, .. } = &self.flights[flight];
        let (src, dst) = (self.twin(msg.src), self.twin(msg.dst));
        let company = self.nics[src].sends.max(self.nics[dst].takes);
        let part = (stream.0 >> EXACT_TO).saturating_mul(company.into());
        Span(part.min(stream.0).max(1))
    }

    /// Now that all are known who have come at one time, they draw their ways again: as they were
    /// commanded, for who drew first saw nobody. In the other order those who knew most would find
    /// only full ways round, and those after them empty ones.
    fn welcome(&mut self, cx: &mut Cx<'_>) {
        let flights = &self.flights;
        self.coming[self.waiting..].sort_unstable_by_key(|&flight| flights[flight].nth);
        let mut those = std::mem::take(&mut self.looking);
        those.clear();
        let several = |&&flight: &&FlightId| flights[flight].cut.packets > 1;
        those.extend(self.coming[self.waiting..].iter().filter(several));
        self.choose_together(&those, cx);
        self.looking = those;
        for nth in self.waiting..self.coming.len() {
            let flight = self.coming[nth];
            self.start_strands(flight);
            self.deals = self.deals.min(self.flights[flight].begun + self.patience(flight));
        }
        self.waiting = self.coming.len();
    }

    /// Ends what is due, deals shares anew, and lets those look for other ways who have less than
    /// their own.
    fn settle(&mut self, cx: &mut Cx<'_>) {
        while let Some((at, flight)) = self.ends.first().filter(|&(at, _)| at <= cx.now) {
            self.ends.remove(flight);
            self.advance(flight, at);
            if self.flights[flight].stock > 0 {
                self.end_rush(flight, at);
                continue;
            }
            let took = at.since(self.flights[flight].begun);
            let soon = at + Span(took.0 / IDLE);
            (self.deals, self.looks) = (self.deals.min(soon), self.looks.min(soon));
            self.end(flight, at, cx);
        }
        self.welcome(cx);
        if self.next_deal() <= cx.now {
            (self.deals, self.waiting) = (NEVER, 0);
            self.send_last(cx);
            self.deal(cx.now, cx.machine);
            self.choose_at_pace(cx);
            self.look_around(cx);
            self.gather(cx);
        }
        let ends = self.ends.first().map_or(NEVER, |(at, _)| at);
        self.settles = ends.min(self.next_deal());
        if self.settles < NEVER {
            // Never in the present instant.
            self.settles = self.settles.max(Time(cx.now.0 + 1));
            cx.at(self.settles, Phase::Decide, FlowEvent::Settle);
        }
    }

    /// When shares are dealt again, if nobody comes or ends before. A turn waits for those who wait
    /// for company.
    fn next_deal(&self) -> Time {
        if self.waiting > 0 { self.deals } else { self.deals.min(self.next_turn()) }
    }

    /// Solves the shares; whose rate has changed ends at another time.
    fn deal(&mut self, now: Time, machine: &Machine) {
        self.sharing.solve();
        self.changed.clear();
        for &flow in self.sharing.changed() {
            self.changed.push(self.owner[flow]);
        }
        self.changed.sort_unstable();
        self.changed.dedup();
        for nth in 0..self.changed.len() {
            let flight = self.changed[nth];
            if self.flights[flight].rate > 0 {
                self.advance(flight, now);
            }
            let f = &mut self.flights[flight];
            for strand in &mut f.strands[..f.n_strands as usize] {
                strand.level = self.sharing.level_of(strand.flow);
                let at = self.sharing.bottleneck(strand.flow);
                strand.hold_up(at, f.pull, &self.sharing, &mut self.pressure);
            }
            if self.flights[flight].is_stuck {
                self.ask_if_stuck(flight, machine);
            }
            self.pace(flight);
            self.flights[flight].free = self.flights[flight].rate;
        }
        self.wait_behind(now);
    }

    /// Its strands have their levels: its rate, and when it ends at that, or its rush does.
    fn pace(&mut self, flight: FlightId) {
        let f = &mut self.flights[flight];
        let strands = &f.strands[..f.n_strands as usize];
        let rate = |most: u64| -> u64 {
            strands.iter().map(|strand| strand.level.min(most) * u64::from(strand.count)).sum()
        };
        (f.in_step, f.rate) = (u64::MAX, rate(u64::MAX));
        if f.is_stuck && f.rate < self.classes.most(f) {
            let shortest = strands.iter().filter(|strand| strand.is_minimal);
            f.in_step = shortest.map(|strand| strand.level).min().unwrap_or(u64::MAX);
            f.rate = rate(f.in_step);
        }
        // Hosts and NICs alone are why it takes as long as it does alone.
        let speed = f.rate.min(f.alone);
        // What is short fits a word, which is quicker to divide.
        let rush = f.left.saturating_sub(f.stock);
        let needs = match u64::try_from(rush) {
            Ok(left) => left.div_ceil(speed),
            Err(_) => u64::try_from(rush.div_ceil(u128::from(speed))).unwrap_or(u64::MAX),
        };
        self.ends.set(flight, Time(f.since.0.saturating_add(needs).min(NEVER.0 - 1)));
    }

    /// What `flight` has sent until `now` at its rates is sent.
    fn advance(&mut self, flight: FlightId, now: Time) {
        let f = &mut self.flights[flight];
        let time = u128::from(now.since(f.since).0);
        f.since = now;
        f.left = f.left.saturating_sub(u128::from(f.rate.min(f.alone)) * time);
        for strand in &mut f.strands[..f.n_strands as usize] {
            let level = strand.level.min(f.in_step);
            strand.carried += u128::from(level) * u128::from(strand.count) * time;
        }
    }

    /// There is no way for a message, which sets out at `start`: it is lost at `at`.
    fn lose(&mut self, what: (MsgId, Message), at: LostAt, start: Time, cx: &mut Cx<'_>) {
        let src = what.1.src;
        let (when, lost) = self.given_up.lose(what, at, start, &cx.machine.retry);
        cx.at(when, Phase::Arrive, FlowEvent::GiveUp { src, lost });
    }

    /// `flight` is about no more.
    fn forget(&mut self, flight: FlightId) {
        let Message { src, dst, .. } = self.flights[flight].msg;
        self.release(flight);
        self.flights.free(flight);
        self.in_turn.remove(flight);
        let (src, dst) = (self.twin(src), self.twin(dst));
        self.nics[src].sends -= 1;
        self.nics[dst].takes -= 1;
    }

    /// The last byte of `flight` is there.
    fn end(&mut self, flight: FlightId, now: Time, cx: &mut Cx<'_>) {
        self.drop_strands(flight, true, cx);
        let Flight { id, msg, cut, last, .. } = self.flights[flight];
        self.forget(flight);
        cx.counters.injected_packets += cut.packets;
        cx.counters.delivered_packets += cut.packets;
        cx.counters.delivered_payload += msg.bytes;
        let seen_after = msg.seen_after(&self.params);
        let Told::Back(bytes) = msg.told else {
            let ahead = Span(msg.ahead(&self.params).0.saturating_sub(last.0));
            // Shares are dealt a picosecond after heads come: nothing is told of the past.
            cx.delivered.push((id, (now + ahead + seen_after).max(cx.now)));
            return;
        };
        let (src, dst, headers) = (msg.dst, msg.src, self.params.response);
        let back = Message { src, dst, bytes, told: Told::There, ..msg };
        if bytes > 0 {
            // Each of its packets was asked for by one.
            let extra = Extra { headers, back: self.params.packet_overhead };
            return self.launch(id, back, now + self.params.fetch(bytes), extra, cx);
        }
        // A response that brings nothing is part of its request's flow.
        match self.alone_back(back, headers, cx.machine) {
            Ok(latency) => {
                cx.delivered.push((id, (now + latency + seen_after).max(cx.now)));
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
        let mut sharing = MaxMin::new(fabric.capacities(), EXACT_TO);
        let ceilings: Vec<u8> = machine.classes.sharing().map(|class| class.ceiling).collect();
        if !ceilings.is_empty() {
            sharing.divide(ceilings.len() as u32, fabric.due(machine));
        }
        let packets = vec![IndexVec::filled(0, 2 * n_nics); ceilings.len()];
        FlowNetwork {
            params: machine.nic.clone(),
            sharing,
            pressure: Pressure::new(machine, &fabric.capacity),
            tree: Tree::new(machine),
            committed: Committed::new(machine),
            fabric,
            classes: Classes { ceilings, packets },
            nics: IndexVec::filled(Nic::default(), n_nics),
            twin: IndexVec::new(),
            flights: Slab::with_capacity(64),
            launched: 0,
            given_up: GivenUp::default(),
            owner: IndexVec::new(),
            ends: Least::new(),
            coming: Vec::new(),
            lasts: Vec::new(),
            news: stock::news(machine),
            waiting: 0,
            deals: NEVER,
            looks: NEVER,
            in_turn: Least::new(),
            settles: NEVER,
            ways: Vec::with_capacity(WAYS as usize),
            links: Vec::with_capacity(256),
            path: Vec::with_capacity(32),
            back: Vec::with_capacity(32),
            uses: Vec::with_capacity(64),
            turns: Turns::default(),
            changed: Vec::new(),
            looking: Vec::new(),
            together: Vec::new(),
            pushed: Vec::new(),
            due: Vec::new(),
        }
    }

    /// What a link carries for the first group stands for what others like it carry, and so many
    /// share it.
    fn fold(&mut self, machine: &Machine, folding: Folding) {
        self.pressure.fold(machine.folded_links(&folding));
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
        let start = enter + msg.before_head(p);
        let is_answered = !matches!(msg.told, Told::Back(1..));
        let back = if is_answered { p.response } else { 0 };
        self.launch(id, msg, start, Extra { headers: p.packet_overhead, back }, cx);
    }

    fn handle(&mut self, ev: FlowEvent, cx: &mut Cx<'_>) {
        match ev {
            FlowEvent::HeadArrives { flight, .. } => self.admit(flight, ev, cx),
            // Others have been scheduled and then overtaken.
            FlowEvent::Settle if cx.now == self.settles => self.settle(cx),
            FlowEvent::Settle => {}
            FlowEvent::GiveUp { lost, .. } => self.given_up.tell(lost, cx),
        }
    }

    fn failure(&mut self, id: MsgId) -> Option<Failure> {
        self.given_up.failure(id)
    }

    fn report(&self, counters: &mut Counters) {
        counters.by_class.clone_from(&self.classes.packets);
    }

    fn bytes(&self) -> usize {
        self.sharing.bytes()
            + self.pressure.bytes()
            + self.tree.as_ref().map_or(0, Tree::bytes)
            + self.committed.as_ref().map_or(0, Committed::bytes)
            + self.nics.len() * size_of::<Nic>()
            + self.classes.packets.iter().map(|of| of.len() * size_of::<u64>()).sum::<usize>()
            + self.twin.len() * size_of::<NicId>()
            + self.flights.bytes()
            + self.owner.raw.capacity() * size_of::<FlightId>()
            + self.ends.bytes()
            + self.in_turn.bytes()
            + self.turns.bytes()
    }

    fn assert_quiet(&self, _: &Machine) {
        assert_eq!(self.flights.live(), 0, "messages left in the network");
        assert_eq!(self.given_up.live(), 0, "messages whose timers have not run out");
        assert_eq!(self.sharing.live(), 0, "a strand of a message that is gone");
        assert!(self.ends.first().is_none() && self.in_turn.first().is_none());
        assert!(self.coming.is_empty());
        assert!(self.committed.as_ref().is_none_or(Committed::is_quiet));
        self.pressure.assert_quiet();
        assert!(self.nics.raw.iter().all(|nic| (nic.sends, nic.takes) == (0, 0)));
    }
}
