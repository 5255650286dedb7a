//! Subflows: the paths of a message, and the traffic that each has carried.
//!
//! Key idea: a few sampled packets represent all. The machine's routing chooses a path for each, at
//! the load that it sees, including samples drawn before. Equal paths form one subflow.

use base::IndexVec;
use fluid::{FlowId, MaxMin, Resource, Use};
use machine::{LinkId, Machine};
use net::{Cx, LinkTraffic, LostAt, Message};

use crate::congestion_tree::CongestionTree;
use crate::offered_load::{Demand, OfferedLoad};
use crate::path_choice::DemandBasis;
use crate::{FlowNetwork, InFlight, InFlightId, NEVER, whole_packets};

/// Sampled packets per message, and so the maximum number of its subflows.
pub(crate) const MAX_SUBFLOWS: u32 = 8;

/// Search rounds of messages that were commanded with arriving ones or are due; and further rounds,
/// only for paths with room [estimate].
const REROUTE_ROUNDS: u32 = 4;
const ROOM_ONLY_ROUNDS: u32 = 12;

/// A path has room if no link of it is offered more than this; 2^20 is the capacity. The resolution
/// is one sampled packet of a message.
const ROOM_LIMIT: u64 = (1 << 20) + (1 << 20) / MAX_SUBFLOWS as u64;

/// Random draws do not change whether a path exists: a message that has started has one.
pub(crate) const PATH_EXISTS: &str = "the message had a path at its start";

/// One path of a message and the sampled packets on it.
#[derive(Clone, Copy)]
pub(crate) struct Subflow {
    pub flow: FlowId,
    pub count: u32,
    /// Links forward, and on the response path.
    forward: u16,
    back: u16,
    pub is_minimal: bool,
    /// Index of the link that limits it; 0 if no link between switches does.
    blocked_at: u16,
    /// Level of each of its packets.
    pub level: u64,
    /// Level x count x time.
    pub carried: u128,
}

impl Subflow {
    pub const NONE: Subflow = Subflow {
        flow: FlowId(u32::MAX),
        count: 0,
        forward: 0,
        back: 0,
        is_minimal: true,
        blocked_at: 0,
        level: 0,
        carried: 0,
    };
}

/// A drawn path: where its links begin in the list of links, forward ones first.
#[derive(Clone, Copy)]
pub(crate) struct DrawnPath {
    begin: u32,
    forward: u16,
    back: u16,
    count: u32,
    pub is_minimal: bool,
}

impl DrawnPath {
    pub const NONE: DrawnPath =
        DrawnPath { begin: 0, forward: 0, back: 0, count: 0, is_minimal: true };

    /// The path of one packet whose links begin at `begin`.
    pub fn new(begin: usize, path: &[LinkId], back: &[LinkId], is_minimal: bool) -> DrawnPath {
        let begin = u32::try_from(begin).expect("fewer than 2^32 links");
        let (forward, back) = (path.len() as u16, back.len() as u16);
        DrawnPath { begin, forward, back, count: 1, is_minimal }
    }
    pub fn forward<'a>(&self, links: &'a [LinkId]) -> &'a [LinkId] {
        &links[self.begin as usize..][..self.forward.into()]
    }
    pub fn back<'a>(&self, links: &'a [LinkId]) -> &'a [LinkId] {
        &links[self.begin as usize..][self.forward.into()..][..self.back.into()]
    }
}

impl Subflow {
    /// Links from NIC to NIC.
    pub fn hops(&self) -> usize {
        self.forward.into()
    }

    /// Links of its path, forward and response: the first of its uses.
    fn links(&self) -> usize {
        usize::from(self.forward) + usize::from(self.back)
    }

    /// These links.
    pub fn path(&self, sharing: &MaxMin) -> impl Iterator<Item = LinkId> {
        sharing.uses(self.flow).take(self.links()).map(|one| LinkId(one.resource.0))
    }

    /// The path of one of its packets, whose links begin at `begin`.
    pub fn drawn(&self, begin: usize) -> DrawnPath {
        let begin = u32::try_from(begin).expect("fewer than 2^32 links");
        let Subflow { forward, back, is_minimal, .. } = *self;
        DrawnPath { begin, forward, back, count: 1, is_minimal }
    }

    /// `at` now sets its level. If that is a link between switches, the buffers before it fill,
    /// back to the source switch. The same holds for responses.
    pub fn block_at(
        &mut self,
        at: Option<Resource>,
        demand: (Demand, Demand),
        sharing: &MaxMin,
        offered_load: &mut OfferedLoad,
    ) {
        let (forward, all) = (usize::from(self.forward), self.links());
        let on_way = |at| sharing.uses(self.flow).take(all).position(|one| one.resource == at);
        // The first and last link of either direction belong to NICs.
        let is_ends = |place: usize| [0, forward - 1, forward, all - 1].contains(&place);
        let place = at.and_then(on_way).filter(|&place| !is_ends(place));
        let blocked_at = place.unwrap_or(0) as u16;
        if blocked_at != self.blocked_at {
            self.unblock(demand, sharing, offered_load);
            self.blocked_at = blocked_at;
            self.links_before_block(demand, sharing, |link, rate| offered_load.fill(link, rate));
        }
    }

    /// Nothing limits it between switches.
    fn unblock(
        &mut self,
        demand: (Demand, Demand),
        sharing: &MaxMin,
        offered_load: &mut OfferedLoad,
    ) {
        self.links_before_block(demand, sharing, |link, rate| offered_load.drain(link, rate));
        self.blocked_at = 0;
    }

    /// The links from the source switch to the limiting link, and its demand on them.
    fn links_before_block(
        &self,
        demand: (Demand, Demand),
        sharing: &MaxMin,
        mut of: impl FnMut(LinkId, u64),
    ) {
        let (demand, begin) =
            if self.blocked_at < self.forward { (demand.0, 0) } else { (demand.1, self.forward) };
        let links =
            sharing.uses(self.flow).take(self.blocked_at.into()).skip(usize::from(begin) + 1);
        links.for_each(|one| of(LinkId(one.resource.0), demand.rate * u64::from(self.count)));
    }
}

impl FlowNetwork {
    /// Draws the paths of `message`, which has none, and leaves them in `paths` and `links`.
    /// Returns an error if there is no path.
    pub(crate) fn draw_paths(
        &mut self,
        message: InFlightId,
        machine: &Machine,
    ) -> Result<(), LostAt> {
        let demand = self.demand_of(message, DemandBasis::Offered);
        self.messages[message].demand = demand;
        self.paths.clear();
        self.links.clear();
        for _ in 0..self.messages[message].samples {
            let draw = self.next_draw(message, machine);
            let is_minimal = self.draw_path(message, draw, machine)?;
            self.draw_response_path(message, draw, machine)?;
            self.path.iter().for_each(|&link| self.offered_load.add_own_demand(link, demand.0));
            self.back.iter().for_each(|&link| self.offered_load.add_own_demand(link, demand.1));
            let (path, back) = (std::mem::take(&mut self.path), std::mem::take(&mut self.back));
            self.note_path((&path, &back), is_minimal);
            (self.path, self.back) = (path, back);
        }
        self.offered_load.clear_own();
        self.set_paths(message);
        Ok(())
    }

    /// Demand of each sampled packet of `message`, forward and response.
    pub(crate) fn demand_of(&self, message: InFlightId, basis: DemandBasis) -> (Demand, Demand) {
        let f = &self.messages[message];
        let (src, dst) = (self.representative(f.msg.src), self.representative(f.msg.dst));
        // The fair share of its NICs, if nothing else limits it.
        let contenders = self.nics[src].sends.max(self.nics[dst].takes).max(1);
        let offered = f.unloaded_rate / (u64::from(contenders) * u64::from(f.samples));
        let each = match basis {
            DemandBasis::Offered => offered,
            // Of a class with a ceiling, everything that NICs have sent waits, and this part of it
            // moves.
            DemandBasis::Achieved => {
                let part = u128::from(f.rate) * u128::from(f.unloaded_rate);
                let got = part / u128::from(self.classes.max_rate(f).max(1) * u64::from(f.samples));
                offered.min(u64::try_from(got).unwrap_or(u64::MAX))
            }
        };
        let of = |weight: u32| Demand {
            rate: OfferedLoad::rate(each, weight),
            bytes: f.packetization.packets.div_ceil(f.samples.into()) * u64::from(weight),
        };
        (of(f.weight.wire), of(f.weight.back))
    }

    /// Changes the demand of `message`, whose levels are known.
    pub(crate) fn set_demand(&mut self, message: InFlightId, basis: DemandBasis) {
        let (old, new) = (self.messages[message].demand, self.demand_of(message, basis));
        if old == new {
            return;
        }
        let n = self.messages[message].n_subflows as usize;
        for nth in 0..n {
            let mut subflow = self.messages[message].subflows[nth];
            subflow.unblock(old, &self.sharing, &mut self.offered_load);
            self.ease(&subflow, subflow.count, old);
            for (nth, link) in subflow.path(&self.sharing).enumerate() {
                let demand = if nth < subflow.forward.into() { new.0 } else { new.1 };
                self.offered_load.add(link, demand.times(subflow.count));
            }
            let at = self.sharing.bottleneck(subflow.flow);
            subflow.block_at(at, new, &self.sharing, &mut self.offered_load);
            self.messages[message].subflows[nth] = subflow;
        }
        self.messages[message].demand = new;
    }

    /// Adds a packet on `path` with responses on `back` to the drawn paths.
    pub(crate) fn note_path(&mut self, (path, back): (&[LinkId], &[LinkId]), is_minimal: bool) {
        let links = &self.links;
        let is_same = |drawn_path: &&mut DrawnPath| {
            drawn_path.forward(links) == path && drawn_path.back(links) == back
        };
        if let Some(drawn_path) = self.paths.iter_mut().find(is_same) {
            drawn_path.count += 1;
            return;
        }
        self.paths.push(DrawnPath::new(self.links.len(), path, back, is_minimal));
        self.links.extend_from_slice(path);
        self.links.extend_from_slice(back);
    }

    /// Makes the drawn paths those of `message`.
    pub(crate) fn set_paths(&mut self, message: InFlightId) {
        let Message { src, dst, .. } = self.messages[message].msg;
        let (src, dst) = (self.representative(src), self.representative(dst));
        let f = &mut self.messages[message];
        f.n_subflows = self.paths.len() as u32;
        for (drawn_path, subflow) in self.paths.iter().zip(&mut f.subflows) {
            let both = (drawn_path.forward(&self.links), drawn_path.back(&self.links));
            self.fabric.uses((src, dst), f.weight, drawn_path.count, both, &mut self.uses);
            let DrawnPath { count, forward, back, is_minimal, .. } = *drawn_path;
            let of = (message, self.classes.class_of(f.msg));
            let flow = add_flow(&mut self.sharing, &mut self.message_of, of, &self.uses);
            *subflow = Subflow { flow, count, forward, back, is_minimal, ..Subflow::NONE };
        }
    }

    /// The random draw of the next packet of `message`.
    pub(crate) fn next_draw(&mut self, message: InFlightId, machine: &Machine) -> u64 {
        let f = &mut self.messages[message];
        let draw = Message::packet_draw(f.msg.draw, f.drawn);
        f.drawn += 1;
        if f.msg.in_order && machine.keeps_flows {
            Message::draw_in_order(f.msg.draw)
        } else {
            draw
        }
    }

    /// Draws the path of a packet of `message` into `path`. Returns whether it is minimal.
    pub(crate) fn draw_path(
        &mut self,
        message: InFlightId,
        draw: u64,
        machine: &Machine,
    ) -> Result<bool, LostAt> {
        let Message { src, dst, .. } = self.messages[message].msg;
        let route = machine.find_path(src, dst, draw, &self.offered_load, &mut self.path)?;
        self.path.iter_mut().for_each(|link| *link = self.offered_load.representative_of(*link));
        Ok(route.is_minimal())
    }

    /// Draws the response path into `back`.
    pub(crate) fn draw_response_path(
        &mut self,
        message: InFlightId,
        draw: u64,
        machine: &Machine,
    ) -> Result<(), LostAt> {
        let InFlight { msg: Message { src, dst, .. }, weight, .. } = self.messages[message];
        self.back.clear();
        if weight.back > 0 {
            machine.find_path(dst, src, !draw, &self.offered_load, &mut self.back)?;
            self.back
                .iter_mut()
                .for_each(|link| *link = self.offered_load.representative_of(*link));
        }
        Ok(())
    }

    /// From the next solve on its subflows take their shares.
    pub(crate) fn start_subflows(&mut self, message: InFlightId) {
        let InFlight { subflows, n_subflows, .. } = &self.messages[message];
        for subflow in &subflows[..*n_subflows as usize] {
            self.sharing.start(subflow.flow);
        }
    }

    /// Blocked messages search for other paths. After arrivals, messages commanded with the
    /// arriving ones whose rate changed take part, and messages that are due. Each round moves one
    /// sampled packet of each. All blocked messages search once if that is due.
    ///
    /// Packets choose paths all the time, so blocked ones find existing room. Without room, routers
    /// cannot distinguish full from fuller, and packets stay.
    pub(crate) fn reroute_blocked(&mut self, cx: &mut Cx<'_>) {
        if !cx.machine.routing.is_adaptive() {
            return;
        }
        let mut rerouting = std::mem::take(&mut self.rerouting);
        if !self.arrived.is_empty() {
            rerouting.clone_from(&self.changed);
        }
        for round in 0..REROUTE_ROUNDS + ROOM_ONLY_ROUNDS {
            if rerouting.is_empty() {
                break;
            }
            self.reroute_round(&mut rerouting, round >= REROUTE_ROUNDS, cx);
        }
        if self.reroute_by <= cx.now {
            self.reroute_by = NEVER;
            rerouting.clear();
            rerouting.extend(self.ends.ids());
            rerouting.sort_unstable();
            self.reroute_round(&mut rerouting, false, cx);
        }
        rerouting.clear();
        self.rerouting = rerouting;
    }

    /// One search by each message; messages that are not blocked leave the list. Solves again if a
    /// message moved.
    fn reroute_round(&mut self, rerouting: &mut Vec<InFlightId>, for_room: bool, cx: &mut Cx<'_>) {
        let mut moved = false;
        rerouting.retain(|&message| {
            let Some(slow) = self.slowest_blocked(message) else { return false };
            moved |= self.try_reroute(message, slow, for_room, cx);
            true
        });
        if moved {
            self.solve_shares(cx.now, cx.machine);
        }
    }

    /// The slowest subflow that is blocked between switches, if that limits the message.
    pub(crate) fn slowest_blocked(&self, message: InFlightId) -> Option<usize> {
        let f = &self.messages[message];
        if f.samples == 1 || f.is_draining || f.rate >= self.classes.max_rate(f) {
            return None;
        }
        let subflows = f.subflows[..f.n_subflows as usize].iter().enumerate();
        let blocked = subflows.filter(|(_, subflow)| subflow.blocked_at > 0);
        blocked.min_by_key(|(_, subflow)| subflow.level).map(|(nth, _)| nth)
    }

    /// Redraws one packet of subflow `slow` and moves it if the new path is offered less, or with
    /// `for_room` if it has room. Returns whether it moved.
    ///
    /// With saturating scores, a full shortest path looks as full as possible, and nonminimal paths
    /// look so earlier. So a packet leaves a shortest path only for room. The same holds for a
    /// message whose head-of-line backlog leaves no buffer space.
    fn try_reroute(
        &mut self,
        message: InFlightId,
        slow: usize,
        for_room: bool,
        cx: &mut Cx<'_>,
    ) -> bool {
        let f = &self.messages[message];
        let (n, demand, subflow) = (f.n_subflows as usize, f.demand, f.subflows[slow]);
        let links = || self.sharing.uses(subflow.flow).map(|one| LinkId(one.resource.0));
        let forward = usize::from(subflow.forward);
        self.path.clear();
        self.path.extend(links().take(forward));
        self.back.clear();
        self.back.extend(links().take(subflow.links()).skip(forward));
        // Blocked responses change their path, instead of the message itself.
        let is_back = subflow.blocked_at >= subflow.forward;
        let worst = |network: &FlowNetwork, more: (u64, u64), (from, to): (usize, usize)| {
            let (links, more) =
                if is_back { (&network.back, more.1) } else { (&network.path, more.0) };
            let links = links.iter().take(to).skip(from);
            links.map(|&link| network.offered_load.load_ratio(link, more)).max()
        };
        // UGAL-L sees only the first link out of the source switch. That also holds with several
        // shortest paths, but the head-of-line model does not apply there, and the two were
        // validated together only.
        let whole = (0, usize::MAX);
        let seen = if self.head_of_line.is_some() { (1, 2) } else { whole };
        let now = worst(self, (0, 0), seen);
        self.offered_load.reference_load = now.unwrap_or(0).max(1 << 20);
        let draw = self.next_draw(message, cx.machine);
        let mut is_minimal = subflow.is_minimal;
        if is_back {
            self.draw_response_path(message, draw, cx.machine).expect(PATH_EXISTS);
        } else {
            is_minimal = self.draw_path(message, draw, cx.machine).expect(PATH_EXISTS);
        }
        self.offered_load.reference_load = 1 << 20;
        let is_same = |subflow: &Subflow| {
            let links = self.sharing.uses(subflow.flow).map(|one| LinkId(one.resource.0));
            links.take(subflow.links()).eq(self.path.iter().chain(&self.back).copied())
        };
        let same = self.messages[message].subflows[..n].iter().position(is_same);
        let more = (demand.0.rate, demand.1.rate);
        let is_buffer_full = self.update_buffer_full(message, cx.machine);
        let stays_minimal = cx.machine.routing.score_saturates_at().is_some() || is_buffer_full;
        let for_room = for_room || stays_minimal && subflow.is_minimal && !is_minimal;
        if same == Some(slow)
            || worst(self, more, seen) >= now
            || for_room && worst(self, more, whole) > Some(ROOM_LIMIT)
        {
            return false;
        }
        self.advance(message, cx.now);
        let InFlight { demand, subflows, .. } = self.messages[message];
        match same {
            Some(same) => {
                self.demand(demand, 1);
                self.resize(message, same, subflows[same].count + 1);
            }
            None => {
                // If the slow subflow ends, the new one takes its slot: there is no other.
                let new = self.add_subflow(message, 1, is_minimal);
                if subflows[slow].count == 1 {
                    self.drop_subflow(message, slow, false, cx);
                    self.messages[message].subflows[slow] = new;
                    return true;
                }
                let f = &mut self.messages[message];
                f.subflows[n] = new;
                f.n_subflows += 1;
            }
        }
        if subflows[slow].count == 1 {
            self.drop_subflow(message, slow, false, cx);
            let f = &mut self.messages[message];
            f.subflows[slow] = f.subflows[n - 1];
            f.n_subflows -= 1;
        } else {
            self.ease(&subflows[slow], 1, demand);
            self.resize(message, slow, subflows[slow].count - 1);
        }
        true
    }

    /// Adds the demand of `count` packets on `path` and `back`.
    pub(crate) fn demand(&mut self, demand: (Demand, Demand), count: u32) {
        self.path.iter().for_each(|&link| self.offered_load.add(link, demand.0.times(count)));
        self.back.iter().for_each(|&link| self.offered_load.add(link, demand.1.times(count)));
    }

    /// Adds a subflow on `path`, with responses on `back`.
    pub(crate) fn add_subflow(
        &mut self,
        message: InFlightId,
        count: u32,
        is_minimal: bool,
    ) -> Subflow {
        let InFlight { msg, weight, demand, .. } = self.messages[message];
        self.demand(demand, count);
        let (src, dst) = (self.representative(msg.src), self.representative(msg.dst));
        let both = (&self.path[..], &self.back[..]);
        self.fabric.uses((src, dst), weight, count, both, &mut self.uses);
        let of = (message, self.classes.class_of(msg));
        let flow = add_flow(&mut self.sharing, &mut self.message_of, of, &self.uses);
        self.sharing.start(flow);
        let (forward, back) = (self.path.len() as u16, self.back.len() as u16);
        Subflow { flow, count, forward, back, is_minimal, ..Subflow::NONE }
    }

    /// Removes the demand of `count` packets of a subflow.
    fn ease(&mut self, subflow: &Subflow, count: u32, demand: (Demand, Demand)) {
        for (nth, one) in self.sharing.uses(subflow.flow).take(subflow.links()).enumerate() {
            let demand = if nth < subflow.forward.into() { demand.0 } else { demand.1 };
            self.offered_load.remove(LinkId(one.resource.0), demand.times(count));
        }
    }

    /// Changes the number of packets of a subflow.
    fn resize(&mut self, message: InFlightId, nth: usize, count: u32) {
        let f = &mut self.messages[message];
        let subflow = &mut f.subflows[nth];
        subflow.unblock(f.demand, &self.sharing, &mut self.offered_load);
        // As in `Fabric::uses`: a weight that does not fit is the maximum.
        let scale =
            |one: Use| Use { weight: (one.weight / subflow.count).saturating_mul(count), ..one };
        self.uses.clear();
        self.uses.extend(self.sharing.uses(subflow.flow).map(scale));
        remove_flow(&mut self.sharing, &mut self.congestion_tree, subflow.flow);
        subflow.count = count;
        let of = (message, self.classes.class_of(f.msg));
        subflow.flow = add_flow(&mut self.sharing, &mut self.message_of, of, &self.uses);
        self.sharing.start(subflow.flow);
    }

    /// Removes all subflows. Counts the rest of the traffic if the message `is_whole`.
    pub(crate) fn drop_subflows(&mut self, message: InFlightId, is_whole: bool, cx: &mut Cx<'_>) {
        let n = self.messages[message].n_subflows as usize;
        for nth in 0..n {
            self.drop_subflow(message, nth, is_whole && nth + 1 == n, cx);
        }
        self.messages[message].n_subflows = 0;
    }

    /// Removes a subflow and counts its traffic: the whole packets of all subflows before it and
    /// itself, less those already counted; all that is left if it is the last.
    fn drop_subflow(&mut self, message: InFlightId, nth: usize, is_last: bool, cx: &mut Cx<'_>) {
        let f = &mut self.messages[message];
        let (subflow, demand) = (&mut f.subflows[nth], f.demand);
        subflow.unblock(demand, &self.sharing, &mut self.offered_load);
        let subflow = *subflow;
        f.carried += subflow.carried;
        let until = if is_last {
            f.packetization.packets
        } else {
            // Rounded down and less than all: the last subflow counts at least one packet.
            f.counted.max(whole_packets(f.carried, f.packet_work).min(f.packetization.packets - 1))
        };
        let bytes_until = |packets: u64| match packets {
            all if all == f.packetization.packets => f.msg.bytes,
            some => some * self.params.packet_payload,
        };
        let packets = until - f.counted;
        let bytes = bytes_until(until) - bytes_until(f.counted) + packets * f.extra.headers;
        let back = packets * f.extra.back;
        f.counted = until;
        let counters = &mut *cx.counters;
        counters.hops += packets * u64::from(subflow.forward - 1);
        counters.nonminimal += if subflow.is_minimal { 0 } else { packets };
        for (nth, one) in self.sharing.uses(subflow.flow).take(subflow.links()).enumerate() {
            let link = LinkId(one.resource.0);
            let bytes = if nth < subflow.forward.into() { bytes } else { back };
            counters.links[link] += LinkTraffic { bytes, packets };
            if let Some(of_class) = self.classes.packets.get_mut(usize::from(f.msg.vnet))
                && let Some(of_link) = of_class.raw.get_mut(link.0 as usize)
            {
                *of_link += packets;
            }
        }
        self.ease(&subflow, subflow.count, demand);
        remove_flow(&mut self.sharing, &mut self.congestion_tree, subflow.flow);
    }
}

/// Adds a flow of `message` and its class with these uses.
fn add_flow(
    sharing: &mut MaxMin,
    message_of: &mut IndexVec<FlowId, InFlightId>,
    (message, class_of): (InFlightId, u32),
    uses: &[Use],
) -> FlowId {
    let flow = sharing.add_in_class(class_of, uses);
    if message_of.len() <= flow.0 as usize {
        message_of.raw.resize(flow.0 as usize + 1, message);
    }
    message_of[flow] = message;
    flow
}

/// Removes `flow`.
fn remove_flow(sharing: &mut MaxMin, congestion_tree: &mut Option<CongestionTree>, flow: FlowId) {
    sharing.remove(flow);
    if let Some(congestion_tree) = congestion_tree {
        congestion_tree.forget(flow);
    }
}
