//! Joint path choice of messages that start together, and later rerouting.
//!
//! Key idea: NICs send in parallel, one packet after the other. So messages choose a path for one
//! sampled packet each in turn, at the load of all others. When their rates are known they choose
//! again with these rates as demand, because a NIC sends no more than its blocked packets allow.
//! In-flight messages reroute later, together with others of similar size.
//! docs/models/flow-routing.md.

use base::Time;
use machine::{LinkId, Machine};
use net::Cx;

use crate::subflows::{DrawnPath, MAX_SUBFLOWS, PATH_EXISTS};
use crate::{FlowNetwork, InFlight, InFlightId, NEVER};

/// Rounds of choice for each sampled packet: at full demand, and then at achieved rates with a
/// solve after each [estimate]. After one round at achieved rates, messages with randomly low rates
/// have found too much: the worst permutation of `dragonfly-1056` ends a fifth late and more, 1 to
/// 4 % after two rounds.
const OFFERED_ROUNDS: u32 = 2;
const ACHIEVED_ROUNDS: u32 = 2;

/// Packets per reroute. Blocked in-flight messages whose level other arrivals change reroute at
/// instants at most their undisturbed duration apart, and at most once per this number of packets
/// [estimate].
///
/// Messages of similar size share instants, at multiples of a power of two. So many choose with one
/// solve, and their number does not change how often each one reroutes. (When all rerouted with the
/// first due one, folded runs were 14 % off.) Shifting all commands in time therefore changes the
/// mean of 1,024 messages and more by up to 2 %.
pub(crate) const PACKETS_PER_REROUTE: u64 = 2;

/// Demand of messages while they choose paths.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum DemandBasis {
    /// What their NICs would let them send.
    Offered,
    /// The rate of their shares.
    Achieved,
}

/// Paths of choosing messages: a row per message, with one entry per sampled packet.
#[derive(Default)]
pub(crate) struct PathRows {
    paths: Vec<DrawnPath>,
    /// Links of the paths chosen in this round, and of those from before it.
    links: Vec<LinkId>,
    before: Vec<LinkId>,
}

impl PathRows {
    /// Links of the `nth` path of a row while the `turn`th is being chosen: those before it are
    /// from this round.
    fn of(&self, row: usize, nth: u32, sample: u32) -> (&[LinkId], &[LinkId]) {
        let links = if nth < sample { &self.links } else { &self.before };
        let drawn_path = &self.paths[row + nth as usize];
        (drawn_path.forward(links), drawn_path.back(links))
    }

    pub fn bytes(&self) -> usize {
        self.paths.capacity() * size_of::<DrawnPath>()
            + (self.links.capacity() + self.before.capacity()) * size_of::<LinkId>()
    }
}

impl FlowNetwork {
    /// Messages that arrived at one time choose paths again, in the order of their commands.
    pub(crate) fn choose_batch(&mut self, batch: &[InFlightId], cx: &mut Cx<'_>) {
        let times = if cx.machine.routing.is_adaptive() { OFFERED_ROUNDS } else { 1 };
        self.choose(batch, (DemandBasis::Offered, times), cx);
    }

    /// After arrivals or at a reroute time, and after a solve: blocked messages choose again at
    /// their rates. Messages commanded with the arriving ones whose level changed choose in every
    /// round, due ones once. A solve follows each round. Then `changed` holds those commanded
    /// together and those due.
    pub(crate) fn choose_at_rate(&mut self, cx: &mut Cx<'_>) {
        if !cx.machine.routing.is_adaptive() {
            return;
        }
        self.take_due(cx.now);
        if self.arrived.is_empty() && self.due.is_empty() {
            return;
        }
        let commanded = self.arrived.iter().map(|&message| self.messages[message].start).min();
        self.same_batch.clear();
        self.slowed.clear();
        self.split_changed(commanded);
        let mut batch = std::mem::take(&mut self.rerouting);
        for time in 0..ACHIEVED_ROUNDS {
            let once = if time == 0 { &self.due[..] } else { &[] };
            let is_blocked = |&&message: &&InFlightId| self.slowest_blocked(message).is_some();
            batch.clear();
            batch.extend(self.same_batch.iter().chain(once).filter(is_blocked));
            if batch.is_empty() {
                break;
            }
            let messages = &self.messages;
            batch.sort_unstable_by_key(|&message| messages[message].sequence);
            batch.dedup();
            for &message in &batch {
                self.advance(message, cx.now);
            }
            self.choose(&batch, (DemandBasis::Achieved, 1), cx);
            batch.iter().for_each(|&message| self.start_subflows(message));
            // Their backlogs change too.
            self.arrived.extend_from_slice(&batch);
            self.solve_shares(cx.now, cx.machine);
            self.split_changed(commanded);
        }
        self.rerouting = batch;
        self.same_batch.extend_from_slice(&self.due);
        for all in [&mut self.arrived, &mut self.same_batch, &mut self.slowed] {
            all.sort_unstable();
            all.dedup();
        }
        for nth in 0..self.same_batch.len() {
            self.set_demand(self.same_batch[nth], DemandBasis::Offered);
        }
        for nth in 0..self.slowed.len() {
            self.set_demand(self.slowed[nth], DemandBasis::Offered);
            self.schedule_reroute(self.slowed[nth], cx.now);
        }
        for nth in 0..self.due.len() {
            self.schedule_reroute(self.due[nth], cx.now);
        }
        std::mem::swap(&mut self.changed, &mut self.same_batch);
    }

    /// Splits messages whose level changed: commanded with the arriving ones, the first of which
    /// was commanded at `commanded`, or in flight before. Without arrivals the latter are not
    /// slowed.
    fn split_changed(&mut self, commanded: Option<Time>) {
        let Some(first) = commanded else { return };
        for &message in &self.changed {
            if self.is_same_batch(first, message) {
                self.same_batch.push(message);
            } else {
                self.slowed.push(message);
            }
        }
    }

    /// Time of the first reroute.
    pub(crate) fn next_reroute(&self) -> Time {
        self.reroute_queue.first().map_or(NEVER, |(at, _)| at)
    }

    /// Moves the messages that reroute now to `due`.
    fn take_due(&mut self, now: Time) {
        self.due.clear();
        while let Some((_, message)) = self.reroute_queue.first().filter(|&(at, _)| at <= now) {
            self.reroute_queue.remove(message);
            self.messages[message].reroutes_left -= 1;
            self.due.push(message);
        }
    }

    /// Schedules the next reroute of `message`, if it is blocked: after `now`, at a multiple of the
    /// largest power of two up to its undisturbed duration.
    fn schedule_reroute(&mut self, message: InFlightId, now: Time) {
        let InFlight { stream_time, reroutes_left, .. } = self.messages[message];
        let interval = 1 << stream_time.0.max(1).ilog2();
        match (now.0 + 1).checked_next_multiple_of(interval) {
            Some(at) if reroutes_left > 0 && self.slowest_blocked(message).is_some() => {
                self.reroute_queue.set(message, Time(at));
            }
            _ => self.reroute_queue.remove(message),
        }
    }

    /// Whether `message` was commanded together with arriving ones, the first at `first`: later, or
    /// earlier by at most its current batching window.
    fn is_same_batch(&self, first: Time, message: InFlightId) -> bool {
        self.messages[message].start + self.batching_window(message) >= first
    }

    /// Each message chooses a path for each sampled packet, `times` times, one packet each in turn.
    /// Their subflows have yet to start.
    fn choose(
        &mut self,
        batch: &[InFlightId],
        (basis, times): (DemandBasis, u32),
        cx: &mut Cx<'_>,
    ) {
        let mut path_rows = std::mem::take(&mut self.path_rows);
        path_rows.paths.clear();
        path_rows.before.clear();
        for &message in batch {
            let row = path_rows.paths.len();
            let f = &self.messages[message];
            for subflow in &f.subflows[..f.n_subflows as usize] {
                let drawn_path = subflow.drawn(path_rows.before.len());
                path_rows.paths.extend((0..subflow.count).map(|_| drawn_path));
                path_rows.before.extend(subflow.path(&self.sharing));
            }
            path_rows.paths.resize(row + MAX_SUBFLOWS as usize, DrawnPath::NONE);
            self.drop_subflows(message, false, cx);
            let demand = self.demand_of(message, basis);
            let f = &mut self.messages[message];
            f.demand = demand;
            for nth in 0..f.samples {
                let (path, back) = path_rows.of(row, nth, 0);
                path.iter().for_each(|&link| self.offered_load.add(link, demand.0));
                back.iter().for_each(|&link| self.offered_load.add(link, demand.1));
            }
        }
        for _ in 0..times {
            path_rows.links.clear();
            for sample in 0..MAX_SUBFLOWS {
                for (nth, &message) in batch.iter().enumerate() {
                    if sample < self.messages[message].samples {
                        self.choose_path(
                            message,
                            (nth * MAX_SUBFLOWS as usize, sample),
                            &mut path_rows,
                            cx.machine,
                        );
                    }
                }
            }
            std::mem::swap(&mut path_rows.links, &mut path_rows.before);
        }
        for (nth, &message) in batch.iter().enumerate() {
            self.paths.clear();
            self.links.clear();
            for sample in 0..self.messages[message].samples {
                let row = nth * MAX_SUBFLOWS as usize;
                let is_minimal = path_rows.paths[row + sample as usize].is_minimal;
                self.note_path(path_rows.of(row, sample, 0), is_minimal);
            }
            self.set_paths(message);
        }
        self.path_rows = path_rows;
    }

    /// One sampled packet of `message` chooses at the load of all others and its own.
    fn choose_path(
        &mut self,
        message: InFlightId,
        (row, sample): (usize, u32),
        path_rows: &mut PathRows,
        machine: &Machine,
    ) {
        let (samples, demand) = (self.messages[message].samples, self.messages[message].demand);
        for nth in 0..samples {
            let (path, back) = path_rows.of(row, nth, sample);
            if nth == sample {
                path.iter().for_each(|&link| self.offered_load.remove(link, demand.0));
                back.iter().for_each(|&link| self.offered_load.remove(link, demand.1));
            } else {
                path.iter().for_each(|&link| self.offered_load.own(link, demand.0));
                back.iter().for_each(|&link| self.offered_load.own(link, demand.1));
            }
        }
        let draw = self.next_draw(message, machine);
        let is_minimal = self.draw_path(message, draw, machine).expect(PATH_EXISTS);
        self.draw_response_path(message, draw, machine).expect(PATH_EXISTS);
        self.offered_load.clear_own();
        self.demand(demand, 1);
        let (path, back) = (&self.path, &self.back);
        path_rows.paths[row + sample as usize] =
            DrawnPath::new(path_rows.links.len(), path, back, is_minimal);
        path_rows.links.extend_from_slice(path);
        path_rows.links.extend_from_slice(back);
    }
}
