//! What becomes of packets on a machine of which parts are broken: links that send a packet again
//! because a bit was wrong, links with fewer lanes, links that are down; packets that are lost, and
//! the NIC that sends them again until it gives up. docs/models/faults.md has the rules.
//!
//! Knows that a packet is lost. Refuses to know where a way leads round it (`machine`'s).
//!
//! The one idea: the plan is fixed before the run, so whether a packet gets across a link whole is
//! known when it enters. A packet that will not is lost there and then, and nobody downstream ever
//! hears of it: so none can arrive twice.

use std::collections::{BTreeMap, BTreeSet};

use base::{IndexVec, Slab, Span, Time, draw, uniform};
use des::Phase;
use machine::faults::{Faults, LANES, LinkChange, packet_error_probability};
use machine::{Hop, LinkId, Machine, NicId};
use net::{Cx, FAILED, Failure, LostAt, MsgId};

use crate::credit::Class;
use crate::loads::Loads;
use crate::{
    Arrival, ArrivalId, LostId, NONE, Packet, PacketEvent, PacketId, PacketNetwork, Transit, mark,
};

/// Streams of draws: bit errors, and the luck of a packet that is sent again.
const STREAM_BITS: u32 = 0x6269_7473;
const STREAM_AGAIN: u32 = 0x6167_6169;

/// Crossings after which a link is taken to have got a packet across: at the highest rate of
/// errors that plans may have fewer than one packet in 10^5 of 2 KiB needs as many.
const MOST_REPLAYS: u32 = 64;

/// A packet that is gone, until the timer of the NIC that sent it, or that waits for its answer,
/// says so.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lost {
    /// The message of a request; what an answer belongs to, if anything.
    arrival: ArrivalId,
    is_answer: bool,
    /// The other NIC.
    peer: NicId,
    /// The virtual network that a request goes by, also one that asks for an answer once more.
    vnet: u8,
    draw: u64,
    payload: u64,
    at: LostAt,
    /// It was sent on credit, to a receiver that is congested.
    on_credit: bool,
    /// The flow it was of.
    flow: Option<u32>,
    times: u32,
}

/// A packet that was sent again, or an answer under way: how often it has been sent again, and by
/// which NIC it is answered.
#[derive(Clone, Copy, Debug)]
struct Again {
    times: u32,
    by: NicId,
}

/// What a network with a plan knows beside the others.
pub(crate) struct Faulty {
    /// Bit-error rates as they are now, and the classes of links in full health.
    ber: IndexVec<LinkId, f64>,
    whole: IndexVec<LinkId, u8>,
    lost: Slab<LostId, Lost>,
    /// By messages and draws of packets.
    again: BTreeMap<(u32, u64), Again>,
    /// Requests asked once more for no message's sake: all there is to tell has been told.
    silent: BTreeSet<u32>,
    /// Messages that were told to have failed and of which packets are still about.
    failed: BTreeSet<u32>,
    /// Told, and not asked about yet.
    failures: BTreeMap<u32, Failure>,
    max_hops: u32,
}

impl Faulty {
    pub fn new(machine: &Machine, whole: impl Iterator<Item = u8>) -> Option<Box<Faulty>> {
        let faults = machine.faults.as_deref()?;
        Some(Box::new(Faulty {
            ber: IndexVec::filled(faults.ber, machine.links.gap.len()),
            whole: whole.collect(),
            lost: Slab::with_capacity(64),
            again: BTreeMap::new(),
            silent: BTreeSet::new(),
            failed: BTreeSet::new(),
            failures: BTreeMap::new(),
            max_hops: machine.max_hops(),
        }))
    }

    pub fn assert_quiet(&self) {
        assert_eq!(self.lost.live(), 0, "lost packets that no timer has told of");
        assert!(self.again.is_empty(), "packets that are still to be sent again");
        assert!(self.silent.is_empty(), "requests for no message's sake");
        assert!(self.failed.is_empty(), "packets left of messages that failed");
    }

    pub fn bytes(&self) -> usize {
        self.ber.len() * size_of::<f64>() + self.whole.len() + self.lost.bytes()
    }
}

/// The plan; there is one wherever this is asked.
fn plan(machine: &Machine) -> &Faults {
    machine.faults.as_deref().expect("a network with faults has a plan")
}

impl PacketNetwork {
    fn faulty(&mut self) -> &mut Faulty {
        self.faults.as_mut().expect("asked only where there is a plan")
    }

    /// How the run begins.
    pub(crate) fn begin_faulty(&mut self, machine: &Machine) {
        let Some(faults) = machine.faults.as_deref() else { return };
        for &change in faults.changes.iter().take_while(|change| change.at == Time::ZERO) {
            self.set_condition(change, machine);
        }
    }

    /// Whatever the plan changes later is an event.
    pub(crate) fn schedule_changes(&mut self, cx: &mut Cx<'_>) {
        let changes = &plan(cx.machine).changes;
        for (nth, change) in changes.iter().enumerate().filter(|(_, c)| c.at > Time::ZERO) {
            let event = PacketEvent::Change { link: change.link, nth: nth as u32 };
            cx.at(change.at, Phase::Arrive, event);
        }
    }

    fn set_condition(&mut self, change: LinkChange, machine: &Machine) {
        let LinkChange { link, to, .. } = change;
        let faulty = self.faulty();
        faulty.ber[link] = to.ber;
        let mut class = faulty.whole[link];
        if to.lanes < LANES {
            let packet = machine.nic.packet_payload + machine.nic.packet_overhead;
            let narrow = self.classes[class].with_lanes(to.lanes, packet);
            class = self.class_number(narrow);
        }
        self.wires[link].class = class;
    }

    /// The number of a class, which it has from now on if it is new.
    fn class_number(&mut self, class: Class) -> u8 {
        let known = self.classes.all().len();
        let number = self.classes.number(class);
        if self.classes.all().len() > known {
            self.shares.add_kind(class.gap);
        }
        number
    }

    /// The plan's `nth` change happens. Who waits for a link that goes down is decided about anew:
    /// nothing of it has left the switch.
    pub(crate) fn change(&mut self, nth: u32, cx: &mut Cx<'_>) {
        let change = plan(cx.machine).changes[nth as usize];
        self.set_condition(change, cx.machine);
        if change.to.is_up {
            return;
        }
        let link = change.link;
        for packet in self.all_who_wait(link, cx) {
            let mut route = self.packets[packet].route;
            cx.machine.undo_hop(&mut route, link);
            self.packets[packet].route = route;
            self.decide_around(packet, cx);
        }
        if self.wires[link].endpoint != NONE {
            self.deal_to_all(link, cx);
        }
    }

    /// Takes out all that waits for `link`, in the order of turns at each channel.
    fn all_who_wait(&mut self, link: LinkId, cx: &Cx<'_>) -> Vec<PacketId> {
        let mut all = Vec::new();
        while self.wires[link].waited_for != 0 {
            let vc = self.wires[link].waited_for.trailing_zeros() as u8;
            all.push(self.leave(link, vc));
        }
        if self.wires[link].stalled {
            self.unstall(link, cx.now);
        }
        let wire = &mut self.wires[link];
        self.reports.note(link, cx.now, wire.queue(cx.now));
        wire.waiting = 0;
        for &packet in &all {
            let Packet { bytes, vnet, .. } = self.packets[packet];
            if let Some(waiting) = self.congestion.waiting(link, vnet) {
                *waiting -= u64::from(bytes);
            }
        }
        all
    }

    /// Where a packet goes from the switch it stands at; it is lost if there is no way.
    #[cold]
    #[inline(never)]
    pub(crate) fn decide_around(&mut self, packet: PacketId, cx: &mut Cx<'_>) {
        let Packet { mut route, dst, at, vnet, input, input_vc, .. } = self.packets[packet];
        let (routing_draw, before) =
            (self.packets[packet].routing_draw(), self.step_before(packet));
        let loads = Loads { net: self, now: cx.now, vc: vnet * self.n_vcs + route.class };
        let class = if self.is_edge(input) { 0 } else { input_vc - vnet * self.n_vcs };
        let came = (input, class);
        let to = (dst, &mut route, routing_draw);
        let hop = cx.machine.next_hop_with_faults(at, to, before, &loads, came, cx.now);
        match hop {
            Some(hop) => {
                let most = self.faulty().max_hops;
                assert!(u32::from(route.hops) <= most, "a packet beyond its {most} hops");
                assert!(route.class < self.n_vcs, "a packet beyond its channels");
                let kind = |link| cx.machine.links.kind[link];
                let climbs = self.is_edge(hop.link)
                    || (hop.vc, kind(hop.link)) > (class, kind(input))
                    || self.is_edge(input);
                assert!(climbs, "a step that does not climb could close a circle");
                if before.is_none_or(|(_, went)| went != hop) {
                    self.keep_step(packet, route, hop);
                }
                self.request(packet, route, self.on(vnet, hop), cx);
            }
            None => self.lose_at_switch(packet, cx),
        }
    }

    /// The head of `packet` enters `hop` `then` and would have left it at `gone`.
    ///
    /// A packet with a wrong bit is sent again after the link's round trip, until it is right. One
    /// that is on the link when that goes down never reaches the other end.
    #[cold]
    #[inline(never)]
    pub(crate) fn send_on_faulty(
        &mut self,
        packet: PacketId,
        hop: Hop,
        then: Time,
        gone: Time,
        cx: &mut Cx<'_>,
    ) {
        let Packet { draw: own, bytes, route, .. } = self.packets[packet];
        let Class { cable, .. } = *self.class(hop.link);
        let ber = self.faulty().ber[hop.link];
        let mut replays = 0;
        if ber > 0.0 {
            let chance = packet_error_probability(ber, u64::from(bytes));
            let is_hit = |nth: u32| {
                let nth = u64::from(route.hops) << 32 | u64::from(nth);
                uniform(draw(own, STREAM_BITS, hop.link.0, nth)) < chance
            };
            while replays < MOST_REPLAYS && is_hit(replays) {
                replays += 1;
            }
        }
        let late = ((gone - then) + cable * 2) * u64::from(replays);
        cx.counters.link_retries += u64::from(replays);
        if replays > 0 && self.is_edge(hop.link) {
            let n = self.nics.len() as u32;
            let nic = cx.counters.nic(NicId(hop.link.0 % n));
            let way = if hop.link.0 < n { &mut nic.replays_out } else { &mut nic.replays_in };
            *way += u64::from(replays);
        }
        let gone = gone + late;
        if !plan(cx.machine).is_cut(hop.link, then, gone + cable) {
            return self.enter(packet, hop, then + late, gone, cx);
        }
        let wire = &mut self.wires[hop.link];
        wire.free_at = gone;
        wire.bytes += u64::from(bytes);
        wire.packets += 1;
        self.lose(packet, LostAt::Link(hop.link), cx);
    }

    /// `packet` gets no further than the switch it stands at. Its buffer is free when its tail is
    /// in.
    fn lose_at_switch(&mut self, packet: PacketId, cx: &mut Cx<'_>) {
        let p = self.packets[packet];
        self.lose(packet, LostAt::Switch(p.at), cx);
        self.vacate(p.buffer(), p.tail.max(cx.now), cx);
    }

    /// `packet` is gone. The NIC that sent it, or that waits for the answer it is, knows when its
    /// timer runs out, and never before a word of it could be there.
    fn lose(&mut self, packet: PacketId, at: LostAt, cx: &mut Cx<'_>) {
        let p = self.packets[packet];
        let Packet { arrival, dst, vnet, draw, bytes, born, traveled, marks, .. } = p;
        self.packets.free(packet);
        cx.counters.lost_packets += 1;
        let is_answer = self.is_response(vnet);
        let known = self.faulty().again.remove(&(arrival.0, draw));
        let Again { times, by } = known.unwrap_or(Again { times: 0, by: dst });
        let (nic, peer, headers) = match is_answer {
            true => (dst, by, self.params.response),
            false => (self.arrivals[arrival].src, dst, self.params.packet_overhead),
        };
        let payload = u64::from(bytes) - headers;
        let on_credit = marks & mark::CREDITED != 0;
        let vnet = if is_answer { 0 } else { vnet };
        let flow = p.flow();
        let lost =
            Lost { arrival, is_answer, peer, vnet, draw, payload, at, on_credit, flow, times };
        let lost = self.faulty().lost.insert(lost);
        let when = (born + cx.machine.retry.timeout).max(cx.now + Span(u64::from(traveled)));
        cx.at(when, Phase::Arrive, PacketEvent::Lost { nic, lost });
    }

    /// The timer of a lost packet runs out at its NIC: it is sent again, as a message of its own in
    /// the NIC's round, or its message has failed. For a lost answer a request without data is
    /// sent, which the other NIC knows it has had: it only answers it.
    pub(crate) fn time_out(&mut self, nic: NicId, lost: LostId, cx: &mut Cx<'_>) {
        let faulty = self.faulty();
        let Lost { arrival, is_answer, peer, vnet, payload, at, on_credit, flow, times, .. } =
            faulty.lost[lost];
        let own = faulty.lost[lost].draw;
        faulty.lost.free(lost);
        self.shares.sender(&mut self.nics, nic, vnet).in_flight -= 1;
        cx.counters.timeouts += 1;
        cx.counters.nic(nic).timeouts += 1;
        if let Some(flow) = flow {
            self.flows.hear(flow, cx.now);
        }
        if on_credit {
            self.credit_lost(nic, vnet, peer, cx);
        }
        let asker = if is_answer { arrival } else { self.arrivals[arrival].asker };
        let told = match (asker.0, is_answer) {
            (NONE, true) => None,
            (NONE, false) if self.faulty().silent.contains(&arrival.0) => None,
            (NONE, false) => Some(arrival),
            _ => Some(asker),
        };
        let has_failed = told.is_some_and(|told| self.faulty().failed.contains(&told.0));
        if times == cx.machine.retry.limit || has_failed {
            if let Some(told) = told {
                let why = Failure { src: nic, dst: peer, at, sent: times + 1 };
                self.fail(told, why, cx);
            }
            if !is_answer {
                self.lacks_one_less(arrival, asker.0 == NONE, cx);
            }
            if asker.0 != NONE {
                self.lacks_one_less(asker, true, cx);
            }
        } else {
            let (arrival, payload) = match is_answer {
                true => (self.ask_again(nic, asker, payload), 0),
                false => (arrival, payload),
            };
            let draw = draw(own, STREAM_AGAIN, 0, u64::from(times));
            let again = Again { times: times + 1, by: peer };
            self.faulty().again.insert((arrival.0, draw), again);
            cx.counters.resent_packets += 1;
            cx.counters.nic(nic).resent += 1;
            let transit = self.transits.insert(Transit {
                draw,
                unsent: payload,
                arrival,
                src: nic,
                dst: peer,
                made: 0,
                packets: 1,
                next: NONE,
                hold: NONE,
                vnet,
                // What came after it is there: it has no order to keep any more.
                flow: NONE,
            });
            self.queue_up(nic, transit);
        }
        self.pump(nic, cx);
    }

    /// A request for an answer of so many bytes that was lost.
    fn ask_again(&mut self, src: NicId, asker: ArrivalId, back: u64) -> ArrivalId {
        let (done, completion_delay, id, missing) = (Time::ZERO, Span::ZERO, MsgId(NONE), 1);
        let (handling, ahead) = (0, Span::ZERO);
        let arrival =
            Arrival { done, completion_delay, id, src, handling, ahead, missing, back, asker };
        let arrival = self.arrivals.insert(arrival);
        if asker.0 == NONE {
            self.faulty().silent.insert(arrival.0);
        }
        arrival
    }

    /// A packet of a message, or an answer, will never come.
    fn lacks_one_less(&mut self, id: ArrivalId, is_told_here: bool, cx: &mut Cx<'_>) {
        let arrival = &mut self.arrivals[id];
        arrival.missing -= 1;
        if arrival.missing > 0 {
            return;
        }
        match is_told_here {
            true => self.is_over(id, cx),
            false => self.dismiss(id),
        }
    }

    /// A request turns round at `by`: its answer has been sent again as often as it has.
    #[cold]
    #[inline(never)]
    pub(crate) fn answers(
        &mut self,
        request: (ArrivalId, u64),
        by: NicId,
        answer: (ArrivalId, u64),
    ) {
        let faulty = self.faulty();
        let times = faulty.again.remove(&(request.0.0, request.1)).map_or(0, |again| again.times);
        faulty.again.insert((answer.0.0, answer.1), Again { times, by });
    }

    /// An answer has come.
    #[cold]
    #[inline(never)]
    pub(crate) fn has_answer(&mut self, arrival: ArrivalId, draw: u64) {
        self.faulty().again.remove(&(arrival.0, draw));
    }

    /// A message will never be whole: whoever sent it is told, once.
    fn fail(&mut self, arrival: ArrivalId, why: Failure, cx: &mut Cx<'_>) {
        let id = self.arrivals[arrival].id;
        let faulty = self.faulty();
        if faulty.failed.insert(arrival.0) {
            faulty.failures.insert(id.0, why);
            cx.counters.failed_messages += 1;
            cx.delivered.push((id, FAILED));
        }
    }

    /// Nothing of a message is about any more, on a machine with a plan: it has come, or it was
    /// told to have failed.
    #[cold]
    #[inline(never)]
    pub(crate) fn is_over(&mut self, arrival: ArrivalId, cx: &mut Cx<'_>) {
        let Arrival { id, done, completion_delay, .. } = self.arrivals[arrival];
        self.arrivals.free(arrival);
        let faulty = self.faulty();
        while let Some((&key, _)) =
            faulty.again.range((arrival.0, 0)..=(arrival.0, u64::MAX)).next()
        {
            faulty.again.remove(&key);
        }
        if !faulty.failed.remove(&arrival.0) && !faulty.silent.remove(&arrival.0) {
            cx.delivered.push((id, done + completion_delay));
        }
    }

    /// What is known of a message that failed; it is forgotten then.
    pub(crate) fn failure_of(&mut self, id: MsgId) -> Option<Failure> {
        self.faults.as_mut()?.failures.remove(&id.0)
    }
}
