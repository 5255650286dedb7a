//! Rerouting: blocked messages search for other paths.
//!
//! Key idea: messages that arrive together choose again at the rates that they reached. In-flight
//! messages reroute later, together with others of similar size. docs/models/flow-routing.md.

use base::{IndexedHeap, Time};
use machine::LinkId;
use net::Cx;

use crate::in_flight::InFlightId;
use crate::messages::NEVER;
use crate::offered_load::OfferedLoad;
use crate::packet_path::{PATH_EXISTS, PacketPath};
use crate::path_choice::PathChoice;
use crate::rates::Rates;
use crate::subflow::MAX_SUBFLOWS;
use crate::traffic::{DemandBasis, Traffic};

/// Rounds of choice for each sampled packet at achieved rates, with a solve after each [estimate].
/// After one round, messages with randomly low rates have found too much: the worst permutation of
/// `dragonfly-1056` ends a fifth late and more, 1 to 4 % after two rounds.
const ACHIEVED_ROUNDS: u32 = 2;

/// Search rounds of messages that were commanded with arriving ones or are due; and further rounds,
/// only for paths with room [estimate].
const REROUTE_ROUNDS: u32 = 4;
const ROOM_ONLY_ROUNDS: u32 = 12;

/// A path has room if no link of it is offered more than this; 2^20 is the capacity. The resolution
/// is one sampled packet of a message.
const ROOM_LIMIT: u64 = (1 << 20) + (1 << 20) / MAX_SUBFLOWS as u64;

pub(crate) struct Rerouting {
    /// When blocked in-flight messages reroute, after other messages have arrived.
    queue: IndexedHeap<InFlightId, Time>,
    /// When all blocked messages search for other paths.
    all_by: Time,
    /// Messages whose level arriving ones changed: those commanded with them, and those in flight.
    same_batch: Vec<InFlightId>,
    slowed: Vec<InFlightId>,
    /// In-flight messages that reroute now.
    due: Vec<InFlightId>,
    /// Messages that search for other paths.
    searching: Vec<InFlightId>,
    path: PacketPath,
}

impl Rerouting {
    pub fn new() -> Rerouting {
        Rerouting {
            queue: IndexedHeap::new(),
            all_by: NEVER,
            same_batch: Vec::new(),
            slowed: Vec::new(),
            due: Vec::new(),
            searching: Vec::new(),
            path: PacketPath::new(),
        }
    }

    /// Time of the first reroute of single messages.
    pub fn next(&self) -> Time {
        self.queue.first().map_or(NEVER, |(at, _)| at)
    }

    /// All blocked messages search at the first solve from `at` on.
    pub fn search_all_by(&mut self, at: Time) {
        self.all_by = self.all_by.min(at);
    }

    /// Removes `message`.
    pub fn remove(&mut self, message: InFlightId) {
        self.queue.remove(message);
    }

    /// After arrivals or at a reroute time, and after a solve: blocked messages choose again at
    /// their rates. Messages commanded with the arriving ones whose level changed choose in every
    /// round, due ones once. A solve follows each round. All that chose are added to `arrived`.
    /// Then `same_batch` holds those commanded together and those due.
    pub fn choose_at_rate(
        &mut self,
        arrived: &mut Vec<InFlightId>,
        paths: &mut PathChoice,
        rates: &mut Rates,
        traffic: &mut Traffic,
        cx: &mut Cx<'_>,
    ) {
        if !cx.machine.routing.is_adaptive() {
            return;
        }
        self.take_due(traffic, cx.now);
        if arrived.is_empty() && self.due.is_empty() {
            return;
        }
        let commanded = arrived.iter().map(|&message| traffic.messages[message].start).min();
        self.same_batch.clear();
        self.slowed.clear();
        self.split_changed(commanded, rates, traffic);
        let mut batch = std::mem::take(&mut self.searching);
        for round in 0..ACHIEVED_ROUNDS {
            let once = if round == 0 { &self.due[..] } else { &[] };
            let is_blocked =
                |&&message: &&InFlightId| traffic.messages[message].slowest_blocked().is_some();
            batch.clear();
            batch.extend(self.same_batch.iter().chain(once).filter(is_blocked));
            if batch.is_empty() {
                break;
            }
            batch.sort_unstable_by_key(|&message| traffic.messages[message].sequence);
            batch.dedup();
            for &message in &batch {
                traffic.messages.advance(message, cx.now);
            }
            paths.choose(&batch, (DemandBasis::Achieved, 1), traffic, cx);
            batch.iter().for_each(|&message| traffic.start_subflows(message));
            // Their backlogs change too.
            arrived.extend_from_slice(&batch);
            rates.solve(traffic, cx.now, cx.machine);
            self.split_changed(commanded, rates, traffic);
        }
        self.searching = batch;
        self.same_batch.extend_from_slice(&self.due);
        for all in [arrived, &mut self.same_batch, &mut self.slowed] {
            all.sort_unstable();
            all.dedup();
        }
        for &message in &self.same_batch {
            traffic.set_demand(message, DemandBasis::Offered);
        }
        for nth in 0..self.slowed.len() {
            traffic.set_demand(self.slowed[nth], DemandBasis::Offered);
            self.schedule(self.slowed[nth], traffic, cx.now);
        }
        for nth in 0..self.due.len() {
            self.schedule(self.due[nth], traffic, cx.now);
        }
    }

    /// Splits messages whose level changed: commanded with the arriving ones, the first of which
    /// was commanded at `commanded`, or in flight before. Without arrivals the latter are not
    /// slowed.
    fn split_changed(&mut self, commanded: Option<Time>, rates: &Rates, traffic: &Traffic) {
        let Some(first) = commanded else { return };
        for &message in &rates.changed {
            // Commanded later than the first, or earlier by at most its present batching window.
            if traffic.messages[message].start + traffic.batching_window(message) >= first {
                self.same_batch.push(message);
            } else {
                self.slowed.push(message);
            }
        }
    }

    /// Moves the messages that reroute now to `due`.
    fn take_due(&mut self, traffic: &mut Traffic, now: Time) {
        self.due.clear();
        while let Some((_, message)) = self.queue.first().filter(|&(at, _)| at <= now) {
            self.queue.remove(message);
            traffic.messages[message].reroutes_left -= 1;
            self.due.push(message);
        }
    }

    /// Schedules the next reroute of `message`, if it is blocked: after `now`, at a multiple of the
    /// largest power of two up to its undisturbed duration.
    fn schedule(&mut self, message: InFlightId, traffic: &Traffic, now: Time) {
        let f = &traffic.messages[message];
        let interval = 1 << f.stream_time.0.max(1).ilog2();
        match (now.0 + 1).checked_next_multiple_of(interval) {
            Some(at) if f.reroutes_left > 0 && f.slowest_blocked().is_some() => {
                self.queue.set(message, Time(at));
            }
            _ => self.queue.remove(message),
        }
    }

    /// Blocked messages search for other paths. After arrivals, messages commanded with the
    /// arriving ones whose rate changed take part, and messages that are due. Each round moves one
    /// sampled packet of each. All blocked messages search once if that is due.
    ///
    /// Packets choose paths all the time, so blocked ones find existing room. Without room, routers
    /// cannot distinguish full from fuller, and packets stay.
    pub fn search(
        &mut self,
        arrived: &[InFlightId],
        rates: &mut Rates,
        traffic: &mut Traffic,
        cx: &mut Cx<'_>,
    ) {
        if !cx.machine.routing.is_adaptive() {
            return;
        }
        self.searching.clear();
        if !arrived.is_empty() {
            self.searching.extend_from_slice(&self.same_batch);
        }
        for round in 0..REROUTE_ROUNDS + ROOM_ONLY_ROUNDS {
            if self.searching.is_empty() {
                break;
            }
            self.search_round(round >= REROUTE_ROUNDS, rates, traffic, cx);
        }
        if self.all_by <= cx.now {
            self.all_by = NEVER;
            self.searching.clear();
            self.searching.extend(traffic.messages.with_rate());
            self.searching.sort_unstable();
            self.search_round(false, rates, traffic, cx);
        }
    }

    /// One search by each message; messages that are not blocked leave the list. Solves again if a
    /// message moved.
    fn search_round(
        &mut self,
        for_room: bool,
        rates: &mut Rates,
        traffic: &mut Traffic,
        cx: &mut Cx<'_>,
    ) {
        let mut moved = false;
        let mut searching = std::mem::take(&mut self.searching);
        searching.retain(|&message| {
            let Some(slow) = traffic.messages[message].slowest_blocked() else { return false };
            moved |= self.try_reroute(message, (slow, for_room), rates, traffic, cx);
            true
        });
        self.searching = searching;
        if moved {
            rates.solve(traffic, cx.now, cx.machine);
        }
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
        (slow, for_room): (usize, bool),
        rates: &Rates,
        traffic: &mut Traffic,
        cx: &mut Cx<'_>,
    ) -> bool {
        let f = &mut traffic.messages[message];
        let (ends, demand, subflow) = (f.endpoints(), f.demand, f.subflows()[slow]);
        let sharing = &traffic.shares.sharing;
        self.path.set(subflow.hops(), subflow.path(sharing));
        // Blocked responses change their path, instead of the message itself.
        let is_response = subflow.is_blocked_by_response();
        let rate = if is_response { demand.response.rate } else { demand.forward.rate };
        // UGAL-L sees only the first link out of the source switch. That also holds with several
        // shortest paths, but the head-of-line model does not apply there, and the two were
        // validated together only.
        let all = (0, usize::MAX);
        let seen = if rates.head_of_line.is_some() { (1, 2) } else { all };
        let load = &mut traffic.offered_load;
        let now = max_load_ratio(self.path.side(is_response), seen, 0, load);
        load.reference_load = now.unwrap_or(0).max(1 << 20);
        let draw = f.next_draw(cx.machine);
        let mut is_minimal = subflow.is_minimal;
        if is_response {
            self.path.draw_response(ends, draw, load, cx.machine).expect(PATH_EXISTS);
        } else {
            is_minimal = self.path.draw_forward(ends, draw, load, cx.machine).expect(PATH_EXISTS);
        }
        load.reference_load = 1 << 20;
        let same = f.subflows().iter().position(|other| other.path(sharing).eq(self.path.links()));
        let is_buffer_full = rates.update_buffer_full(message, traffic, cx.machine);
        let saturates = cx.machine.initial_fabric().routing().score_saturates_at();
        let stays_minimal = saturates.is_some() || is_buffer_full;
        let for_room = for_room || stays_minimal && subflow.is_minimal && !is_minimal;
        let (path, load) = (self.path.side(is_response), &traffic.offered_load);
        if same == Some(slow)
            || max_load_ratio(path, seen, rate, load) >= now
            || for_room && max_load_ratio(path, all, rate, load) > Some(ROOM_LIMIT)
        {
            return false;
        }
        traffic.messages.advance(message, cx.now);
        traffic.move_packet(message, (slow, same), (&self.path, is_minimal), cx);
        true
    }

    pub fn bytes(&self) -> usize {
        self.queue.bytes()
    }

    /// Whether no message is to reroute.
    pub fn is_idle(&self) -> bool {
        self.queue.first().is_none()
    }
}

/// The highest offered load, with `more` demand, of the links `from` to `to` of a path.
fn max_load_ratio(
    path: &[LinkId],
    (from, to): (usize, usize),
    more: u64,
    offered_load: &OfferedLoad,
) -> Option<u64> {
    let links = path.iter().take(to).skip(from);
    links.map(|&link| offered_load.load_ratio(link, more)).max()
}
