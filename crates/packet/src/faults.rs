//! Packets on a machine with faults: link-level replays after bit errors, links with fewer lanes,
//! failed links, lost packets, and retransmission by NICs until they give up. Rules:
//! docs/models/faults.md.
//!
//! This file decides whether a packet is lost. Routes around faults are computed in `machine`.
//!
//! Design: the fault schedule is fixed before the run, so whether a packet crosses a link is known
//! when it enters. A packet that does not is removed at that time, and nothing downstream processes
//! it. So no packet can arrive twice.

use std::collections::{BTreeMap, BTreeSet};

use base::{IndexVec, Slab, Span, Time, draw, uniform};
use des::Phase;
use machine::faults::{Faults, LANES, LinkChange, packet_error_probability};
use machine::{Hop, LinkId, Machine, NicId};
use net::{Cx, FAILED, Failure, LostAt, MsgId};

use crate::credit::LinkType;
use crate::loads::Loads;
use crate::{
    Arrival, ArrivalId, LostId, NONE, Packet, PacketEvent, PacketId, PacketNetwork, Transit, mark,
};

/// Random streams: bit errors, and the draw of a retransmitted packet.
const STREAM_BITS: u32 = 0x6269_7473;
const STREAM_AGAIN: u32 = 0x6167_6169;

/// Maximum number of replays on a link, after which the packet counts as transferred. At the
/// highest permitted error rate fewer than one packet of 2 KiB in 10^5 needs as many.
const MOST_REPLAYS: u32 = 64;

/// A lost packet, until the retransmission timer expires at the NIC that sent the request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lost {
    /// For a request, its message; for a response, the message at the initiator, if any.
    arrival: ArrivalId,
    is_answer: bool,
    /// The NIC at the other end.
    peer: NicId,
    /// Virtual network of the request, also for a repeated request after a lost response.
    vnet: u8,
    draw: u64,
    payload: u64,
    at: LostAt,
    /// Sent on a credit of a congested endpoint.
    on_credit: bool,
    /// Its flow.
    flow: Option<u32>,
    times: u32,
}

/// A retransmitted packet or a response in flight: number of retransmissions, and the NIC that
/// responds.
#[derive(Clone, Copy, Debug)]
struct Resent {
    times: u32,
    by: NicId,
}

/// Additional state of a network with a fault schedule.
pub(crate) struct FaultState {
    /// Current bit-error rates, and the types of undamaged links.
    ber: IndexVec<LinkId, f64>,
    whole: IndexVec<LinkId, u8>,
    lost: Slab<LostId, Lost>,
    /// By message and packet draw.
    resent: BTreeMap<(u32, u64), Resent>,
    /// Repeated requests for responses whose message needs no report.
    unreported: BTreeSet<u32>,
    /// Messages reported as failed of which packets are still in flight.
    failed: BTreeSet<u32>,
    /// Reported as failed; the reason has not been queried yet.
    failures: BTreeMap<u32, Failure>,
    max_hops: u32,
}

impl FaultState {
    pub fn new(machine: &Machine, whole: impl Iterator<Item = u8>) -> Option<Box<FaultState>> {
        let faults = machine.faults.as_deref()?;
        Some(Box::new(FaultState {
            ber: IndexVec::filled(faults.ber, machine.links.gap.len()),
            whole: whole.collect(),
            lost: Slab::with_capacity(64),
            resent: BTreeMap::new(),
            unreported: BTreeSet::new(),
            failed: BTreeSet::new(),
            failures: BTreeMap::new(),
            max_hops: machine.max_hops(),
        }))
    }

    pub fn assert_idle(&self) {
        assert_eq!(self.lost.live(), 0, "lost packets without an expired timer");
        assert!(self.resent.is_empty(), "packets that are still to be retransmitted");
        assert!(self.unreported.is_empty(), "repeated requests are left");
        assert!(self.failed.is_empty(), "packets of failed messages are left");
    }

    pub fn bytes(&self) -> usize {
        self.ber.len() * size_of::<f64>() + self.whole.len() + self.lost.bytes()
    }
}

/// The fault schedule; callers know that there is one.
fn schedule(machine: &Machine) -> &Faults {
    machine.faults.as_deref().expect("a network with faults has a schedule")
}

impl PacketNetwork {
    fn fault_state(&mut self) -> &mut FaultState {
        self.faults.as_mut().expect("called only with a fault schedule")
    }

    /// Applies the faults that hold from the start.
    pub(crate) fn apply_initial_faults(&mut self, machine: &Machine) {
        let Some(faults) = machine.faults.as_deref() else { return };
        for &change in faults.changes.iter().take_while(|change| change.at == Time::ZERO) {
            self.set_condition(change, machine);
        }
    }

    /// Schedules all later changes as events.
    pub(crate) fn schedule_changes(&mut self, cx: &mut Cx<'_>) {
        let changes = &schedule(cx.machine).changes;
        for (nth, change) in changes.iter().enumerate().filter(|(_, c)| c.at > Time::ZERO) {
            let event = PacketEvent::Change { link: change.link, nth: nth as u32 };
            cx.at(change.at, Phase::Arrive, event);
        }
    }

    fn set_condition(&mut self, change: LinkChange, machine: &Machine) {
        let LinkChange { link, to, .. } = change;
        let fault_state = self.fault_state();
        fault_state.ber[link] = to.ber;
        let mut link_type = fault_state.whole[link];
        if to.lanes < LANES {
            let packet = machine.nic.packet_payload + machine.nic.packet_overhead;
            let narrow = self.link_types[link_type].with_lanes(to.lanes, packet);
            link_type = self.link_type_number(narrow);
        }
        self.ports[link].link_type = link_type;
    }

    /// The number of a link type, which is added if it is new.
    fn link_type_number(&mut self, link_type: LinkType) -> u8 {
        let known = self.link_types.all().len();
        let number = self.link_types.number(link_type);
        if self.link_types.all().len() > known {
            self.shares.add_kind(link_type.gap);
        }
        number
    }

    /// Applies the `nth` change of the schedule. Packets that wait for a link that fails are routed
    /// again: no part of them has left the switch.
    pub(crate) fn change(&mut self, nth: u32, cx: &mut Cx<'_>) {
        let change = schedule(cx.machine).changes[nth as usize];
        self.set_condition(change, cx.machine);
        if change.to.is_up {
            return;
        }
        let link = change.link;
        for packet in self.all_who_wait(link, cx) {
            let mut route = self.packets[packet].route;
            cx.machine.undo_hop(&mut route, link);
            self.packets[packet].route = route;
            self.route_around_faults(packet, cx);
        }
        if self.ports[link].endpoint != NONE {
            self.grant_all_endpoint_credits(link, cx);
        }
    }

    /// Removes all packets that wait for `link`, in arbitration order of each channel.
    fn all_who_wait(&mut self, link: LinkId, cx: &Cx<'_>) -> Vec<PacketId> {
        let mut all = Vec::new();
        while self.ports[link].waited_for != 0 {
            let vc = self.ports[link].waited_for.trailing_zeros() as u8;
            all.push(self.dequeue(link, vc));
        }
        if self.ports[link].stalled {
            self.unstall(link, cx.now);
        }
        let port = &mut self.ports[link];
        self.reports.note(link, cx.now, port.queue(cx.now));
        port.waiting = 0;
        for &packet in &all {
            let Packet { bytes, vnet, .. } = self.packets[packet];
            if let Some(waiting) = self.congestion.waiting(link, vnet) {
                *waiting -= u64::from(bytes);
            }
        }
        all
    }

    /// Routes a packet from its current switch; it is lost if there is no route.
    #[cold]
    #[inline(never)]
    pub(crate) fn route_around_faults(&mut self, packet: PacketId, cx: &mut Cx<'_>) {
        let Packet { mut route, dst, at, vnet, input, input_vc, .. } = self.packets[packet];
        let (routing_draw, before) =
            (self.packets[packet].routing_draw(), self.stored_step(packet));
        let loads = Loads { net: self, now: cx.now, vc: vnet * self.n_vcs + route.class };
        let class = if self.is_edge(input) { 0 } else { input_vc - vnet * self.n_vcs };
        let input_hop = (input, class);
        let to = (dst, &mut route, routing_draw);
        let hop = cx.machine.next_hop_with_faults(at, to, before, &loads, input_hop, cx.now);
        match hop {
            Some(hop) => {
                let most = self.fault_state().max_hops;
                assert!(u32::from(route.hops) <= most, "a packet beyond its {most} hops");
                assert!(route.class < self.n_vcs, "a packet beyond its channels");
                let kind = |link| cx.machine.links.kind[link];
                let climbs = self.is_edge(hop.link)
                    || (hop.vc, kind(hop.link)) > (class, kind(input))
                    || self.is_edge(input);
                assert!(climbs, "a hop that does not climb could close a cycle");
                if before.is_none_or(|(_, output_hop)| output_hop != hop) {
                    self.store_step(packet, route, hop);
                }
                self.request(packet, route, self.on_vnet(vnet, hop), cx);
            }
            None => self.lose_at_switch(packet, cx),
        }
    }

    /// The head of `packet` enters `hop` at `then` and would leave it at `gone`.
    ///
    /// A packet with a bit error is sent again after the link's round trip, until it is intact. A
    /// packet that is on the link when it fails never reaches the other end.
    #[cold]
    #[inline(never)]
    pub(crate) fn send_with_faults(
        &mut self,
        packet: PacketId,
        hop: Hop,
        then: Time,
        gone: Time,
        cx: &mut Cx<'_>,
    ) {
        let Packet { draw: own, bytes, route, .. } = self.packets[packet];
        let LinkType { cable, .. } = *self.link_type(hop.link);
        let ber = self.fault_state().ber[hop.link];
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
            let replays_of =
                if hop.link.0 < n { &mut nic.replays_out } else { &mut nic.replays_in };
            *replays_of += u64::from(replays);
        }
        let gone = gone + late;
        if !schedule(cx.machine).is_down_between(hop.link, then, gone + cable) {
            return self.enter(packet, hop, then + late, gone, cx);
        }
        let port = &mut self.ports[hop.link];
        port.free_at = gone;
        port.bytes += u64::from(bytes);
        port.packets += 1;
        self.lose(packet, LostAt::Link(hop.link), cx);
    }

    /// `packet` is lost at its current switch. Its buffer is free when its tail is in.
    fn lose_at_switch(&mut self, packet: PacketId, cx: &mut Cx<'_>) {
        let p = self.packets[packet];
        self.lose(packet, LostAt::Switch(p.at), cx);
        self.free_buffer(p.buffer(), p.tail.max(cx.now), cx);
    }

    /// `packet` is lost. The NIC that sent it, or that waits for it as a response, detects this
    /// when its timer expires, and not before information about the loss could have reached it.
    fn lose(&mut self, packet: PacketId, at: LostAt, cx: &mut Cx<'_>) {
        let p = self.packets[packet];
        let Packet { arrival, dst, vnet, draw, bytes, born, traveled, marks, .. } = p;
        self.packets.free(packet);
        cx.counters.lost_packets += 1;
        let is_answer = self.is_response(vnet);
        let known = self.fault_state().resent.remove(&(arrival.0, draw));
        let Resent { times, by } = known.unwrap_or(Resent { times: 0, by: dst });
        let (nic, peer, headers) = match is_answer {
            true => (dst, by, self.params.response),
            false => (self.arrivals[arrival].src, dst, self.params.packet_overhead),
        };
        let payload = u64::from(bytes) - headers;
        let on_credit = marks & mark::ENDPOINT_CREDIT != 0;
        let vnet = if is_answer { 0 } else { vnet };
        let flow = p.flow();
        let lost =
            Lost { arrival, is_answer, peer, vnet, draw, payload, at, on_credit, flow, times };
        let lost = self.fault_state().lost.insert(lost);
        let when = (born + cx.machine.retry.timeout).max(cx.now + Span(u64::from(traveled)));
        cx.at(when, Phase::Arrive, PacketEvent::Lost { nic, lost });
    }

    /// The timer of a lost packet expires: the NIC retransmits it as a message of its own, or the
    /// message has failed. For a lost response it sends a request without data; the other NIC
    /// recognizes the repetition and only responds.
    pub(crate) fn time_out(&mut self, nic: NicId, lost: LostId, cx: &mut Cx<'_>) {
        let fault_state = self.fault_state();
        let Lost { arrival, is_answer, peer, vnet, payload, at, on_credit, flow, times, .. } =
            fault_state.lost[lost];
        let own = fault_state.lost[lost].draw;
        fault_state.lost.free(lost);
        self.shares.sender(&mut self.nics, nic, vnet).in_flight -= 1;
        cx.counters.timeouts += 1;
        cx.counters.nic(nic).timeouts += 1;
        if let Some(flow) = flow {
            self.flows.acknowledge(flow, cx.now);
        }
        if on_credit {
            self.endpoint_credit_lost(nic, vnet, peer, cx);
        }
        let initiator = if is_answer { arrival } else { self.arrivals[arrival].initiator };
        let reported = match (initiator.0, is_answer) {
            (NONE, true) => None,
            (NONE, false) if self.fault_state().unreported.contains(&arrival.0) => None,
            (NONE, false) => Some(arrival),
            _ => Some(initiator),
        };
        let has_failed =
            reported.is_some_and(|reported| self.fault_state().failed.contains(&reported.0));
        if times == cx.machine.retry.limit || has_failed {
            if let Some(reported) = reported {
                let why = Failure { src: nic, dst: peer, at, sent: times + 1 };
                self.fail(reported, why, cx);
            }
            if !is_answer {
                self.drop_expected_packet(arrival, initiator.0 == NONE, cx);
            }
            if initiator.0 != NONE {
                self.drop_expected_packet(initiator, true, cx);
            }
        } else {
            let (arrival, payload) = match is_answer {
                true => (self.request_again(nic, initiator, payload), 0),
                false => (arrival, payload),
            };
            let draw = draw(own, STREAM_AGAIN, 0, u64::from(times));
            let resent = Resent { times: times + 1, by: peer };
            self.fault_state().resent.insert((arrival.0, draw), resent);
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
                throttle: NONE,
                vnet,
                // All later packets of the flow have arrived: there is no order left to keep.
                flow: NONE,
            });
            self.append_to_round(nic, transit);
        }
        self.pump(nic, cx);
    }

    /// Repeats the request for a lost response of `response_bytes` bytes.
    fn request_again(
        &mut self,
        src: NicId,
        initiator: ArrivalId,
        response_bytes: u64,
    ) -> ArrivalId {
        let (done, completion_delay, id, missing) = (Time::ZERO, Span::ZERO, MsgId(NONE), 1);
        let (handling, staging_lead) = (0, Span::ZERO);
        let arrival = Arrival {
            done,
            completion_delay,
            id,
            src,
            handling,
            staging_lead,
            missing,
            response_bytes,
            initiator,
        };
        let arrival = self.arrivals.insert(arrival);
        if initiator.0 == NONE {
            self.fault_state().unreported.insert(arrival.0);
        }
        arrival
    }

    /// A packet of a message, or a response, will never arrive.
    fn drop_expected_packet(&mut self, id: ArrivalId, is_told_here: bool, cx: &mut Cx<'_>) {
        let arrival = &mut self.arrivals[id];
        arrival.missing -= 1;
        if arrival.missing > 0 {
            return;
        }
        match is_told_here {
            true => self.finish_with_faults(id, cx),
            false => self.close_unreported(id),
        }
    }

    /// `by` responds to a request: the response inherits the number of retransmissions.
    #[cold]
    #[inline(never)]
    pub(crate) fn response_sent(
        &mut self,
        request: (ArrivalId, u64),
        by: NicId,
        answer: (ArrivalId, u64),
    ) {
        let fault_state = self.fault_state();
        let times =
            fault_state.resent.remove(&(request.0.0, request.1)).map_or(0, |resent| resent.times);
        fault_state.resent.insert((answer.0.0, answer.1), Resent { times, by });
    }

    /// A response has arrived.
    #[cold]
    #[inline(never)]
    pub(crate) fn response_received(&mut self, arrival: ArrivalId, draw: u64) {
        self.fault_state().resent.remove(&(arrival.0, draw));
    }

    /// A message can never complete: reports its failure to the sender, once.
    fn fail(&mut self, arrival: ArrivalId, why: Failure, cx: &mut Cx<'_>) {
        let id = self.arrivals[arrival].id;
        let fault_state = self.fault_state();
        if fault_state.failed.insert(arrival.0) {
            fault_state.failures.insert(id.0, why);
            cx.counters.failed_messages += 1;
            cx.delivered.push((id, FAILED));
        }
    }

    /// All packets of a message are accounted for, on a machine with a fault schedule: it has
    /// arrived, or was reported as failed.
    #[cold]
    #[inline(never)]
    pub(crate) fn finish_with_faults(&mut self, arrival: ArrivalId, cx: &mut Cx<'_>) {
        let Arrival { id, done, completion_delay, .. } = self.arrivals[arrival];
        self.arrivals.free(arrival);
        let fault_state = self.fault_state();
        while let Some((&key, _)) =
            fault_state.resent.range((arrival.0, 0)..=(arrival.0, u64::MAX)).next()
        {
            fault_state.resent.remove(&key);
        }
        if !fault_state.failed.remove(&arrival.0) && !fault_state.unreported.remove(&arrival.0) {
            cx.delivered.push((id, done + completion_delay));
        }
    }

    /// Why a message failed; forgets it.
    pub(crate) fn failure_of(&mut self, id: MsgId) -> Option<Failure> {
        self.faults.as_mut()?.failures.remove(&id.0)
    }
}
