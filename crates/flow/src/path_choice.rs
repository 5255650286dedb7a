//! Messages whose packets set out side by side: each chooses its ways beside the others'.
//!
//! The one idea: a NIC sends one packet after the other, and all NICs do so at the same time. So
//! messages choose a way for one packet each in turn, at the load of all the others; and when it is
//! known how fast they get on, they choose again at that, for a NIC whose packets stand in the
//! buffer before it sends no more. Who is under way when others come does so later, beside others
//! of like size.

use base::Time;
use machine::{LinkId, Machine};
use net::Cx;

use crate::subflows::{DrawnPath, MAX_SUBFLOWS, PATH_EXISTS};
use crate::{FlowNetwork, InFlight, InFlightId, NEVER};

/// How often each packet in parallel chooses anew: beside all that NICs would send, and then, with
/// shares dealt each time, beside what they do send [estimate]. After one choice at their pace
/// those who had little by chance have found too much: the worst permutation of `dragonfly-1056`
/// ends a fifth late and more, after two 1 to 4 %.
const OFFERED_ROUNDS: u32 = 2;
const ACHIEVED_ROUNDS: u32 = 2;

/// Packets choose as long as there are any. So who is under way and held up, and whose level others
/// who come change, chooses again in turns: at instants that lie at most as far apart as his
/// message takes alone, and at one of them for so many of its packets at most [estimate]. Messages
/// of like size share instants, as multiples of a power of two: many choose with one deal, beside
/// each other, and how many there are does not make turns come more often (when all chose with the
/// first who was due, the quotient of a job was 14 % off). What is commanded some time later is
/// answered otherwise for that: means of 1,024 messages and more by up to 2 %.
pub(crate) const PACKETS_PER_REROUTE: u64 = 2;

/// What messages ask links for while their ways are chosen.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum DemandBasis {
    /// As much as their NICs would let them send.
    Offered,
    /// What they have been dealt.
    Achieved,
}

/// Ways of messages that choose: of each as many in a row as it can have, a packet's each.
#[derive(Default)]
pub(crate) struct PathRows {
    paths: Vec<DrawnPath>,
    /// Their links: of those that are chosen in this turn, and of those from before it.
    links: Vec<LinkId>,
    before: Vec<LinkId>,
}

impl PathRows {
    /// The links of the `nth` way of a row of `samples` while the `turn`th is chosen: who has been
    /// before him has chosen.
    fn of(&self, row: usize, nth: u32, turn: u32) -> (&[LinkId], &[LinkId]) {
        let links = if nth < turn { &self.links } else { &self.before };
        let way = &self.paths[row + nth as usize];
        (way.forward(links), way.back(links))
    }

    pub fn bytes(&self) -> usize {
        self.paths.capacity() * size_of::<DrawnPath>()
            + (self.links.capacity() + self.before.capacity()) * size_of::<LinkId>()
    }
}

impl FlowNetwork {
    /// Now that all are known who have come at one time, they choose again, as they were commanded.
    pub(crate) fn choose_batch(&mut self, those: &[InFlightId], cx: &mut Cx<'_>) {
        let times = if cx.machine.routing.is_adaptive() { OFFERED_ROUNDS } else { 1 };
        self.choose(those, (DemandBasis::Offered, times), cx);
    }

    /// Somebody has come, or it is the turn of those under way; shares have been dealt. Who is held
    /// up chooses again, at the pace that he has: of those commanded with who has come all whose
    /// level that has changed, and whose turn it is once. Shares are dealt anew each time. The
    /// changed ones are then those commanded together and those due.
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
        let mut those = std::mem::take(&mut self.rerouting);
        for time in 0..ACHIEVED_ROUNDS {
            let once = if time == 0 { &self.due[..] } else { &[] };
            let slowest_blocked = |&&message: &&InFlightId| self.slowest_blocked(message).is_some();
            those.clear();
            those.extend(self.same_batch.iter().chain(once).filter(slowest_blocked));
            if those.is_empty() {
                break;
            }
            let messages = &self.messages;
            those.sort_unstable_by_key(|&message| messages[message].nth);
            those.dedup();
            for &message in &those {
                self.advance(message, cx.now);
            }
            self.choose(&those, (DemandBasis::Achieved, 1), cx);
            those.iter().for_each(|&message| self.start_subflows(message));
            // What of them will go last is another matter now.
            self.arrived.extend_from_slice(&those);
            self.solve_shares(cx.now, cx.machine);
            self.split_changed(commanded);
        }
        self.rerouting = those;
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

    /// Of those whose level has changed, who was commanded with those who come, the first of whom
    /// was `commanded` then, and who was under way: if nobody comes, nobody pushes him.
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

    /// When the first turn comes.
    pub(crate) fn next_reroute(&self) -> Time {
        self.reroute_queue.first().map_or(NEVER, |(at, _)| at)
    }

    /// Whose turn it is are the `due` ones.
    fn take_due(&mut self, now: Time) {
        self.due.clear();
        while let Some((_, message)) = self.reroute_queue.first().filter(|&(at, _)| at <= now) {
            self.reroute_queue.remove(message);
            self.messages[message].reroutes_left -= 1;
            self.due.push(message);
        }
    }

    /// `message` chooses again after `now` if it is held up: at a multiple of the largest power of
    /// two that is no longer than it takes alone.
    fn schedule_reroute(&mut self, message: InFlightId, now: Time) {
        let InFlight { stream_time, reroutes_left, .. } = self.messages[message];
        let apart = 1 << stream_time.0.max(1).ilog2();
        match (now.0 + 1).checked_next_multiple_of(apart) {
            Some(at) if reroutes_left > 0 && self.slowest_blocked(message).is_some() => {
                self.reroute_queue.set(message, Time(at));
            }
            _ => self.reroute_queue.remove(message),
        }
    }

    /// Whether `message` was commanded at one time with those who come, of whom the first was so at
    /// `first`: later, or no earlier than it would wait for company now.
    fn is_same_batch(&self, first: Time, message: InFlightId) -> bool {
        self.messages[message].start + self.batching_window(message) >= first
    }

    /// Each of `those` chooses a way for each of its packets in parallel, so many `times`, one
    /// packet each in turn. Their strands have yet to start.
    fn choose(&mut self, those: &[InFlightId], (pace, times): (DemandBasis, u32), cx: &mut Cx<'_>) {
        let mut path_choice = std::mem::take(&mut self.path_choice);
        path_choice.paths.clear();
        path_choice.before.clear();
        for &message in those {
            let row = path_choice.paths.len();
            let f = &self.messages[message];
            for subflow in &f.subflows[..f.n_subflows as usize] {
                let way = subflow.drawn(path_choice.before.len());
                path_choice.paths.extend((0..subflow.count).map(|_| way));
                path_choice.before.extend(subflow.path(&self.sharing));
            }
            path_choice.paths.resize(row + MAX_SUBFLOWS as usize, DrawnPath::NONE);
            self.drop_subflows(message, false, cx);
            let demand = self.demand_of(message, pace);
            let f = &mut self.messages[message];
            f.demand = demand;
            for nth in 0..f.samples {
                let (path, back) = path_choice.of(row, nth, 0);
                path.iter().for_each(|&link| self.offered_load.add(link, demand.0));
                back.iter().for_each(|&link| self.offered_load.add(link, demand.1));
            }
        }
        for _ in 0..times {
            path_choice.links.clear();
            for turn in 0..MAX_SUBFLOWS {
                for (nth, &message) in those.iter().enumerate() {
                    if turn < self.messages[message].samples {
                        self.choose_path(
                            message,
                            (nth * MAX_SUBFLOWS as usize, turn),
                            &mut path_choice,
                            cx.machine,
                        );
                    }
                }
            }
            std::mem::swap(&mut path_choice.links, &mut path_choice.before);
        }
        for (nth, &message) in those.iter().enumerate() {
            self.paths.clear();
            self.links.clear();
            for turn in 0..self.messages[message].samples {
                let row = nth * MAX_SUBFLOWS as usize;
                let is_minimal = path_choice.paths[row + turn as usize].is_minimal;
                self.note_path(path_choice.of(row, turn, 0), is_minimal);
            }
            self.set_paths(message);
        }
        self.path_choice = path_choice;
    }

    /// One packet of `message` chooses, beside those of all others and its own.
    fn choose_path(
        &mut self,
        message: InFlightId,
        (row, turn): (usize, u32),
        path_choice: &mut PathRows,
        machine: &Machine,
    ) {
        let (samples, demand) = (self.messages[message].samples, self.messages[message].demand);
        for nth in 0..samples {
            let (path, back) = path_choice.of(row, nth, turn);
            if nth == turn {
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
        path_choice.paths[row + turn as usize] =
            DrawnPath::new(path_choice.links.len(), path, back, is_minimal);
        path_choice.links.extend_from_slice(path);
        path_choice.links.extend_from_slice(back);
    }
}
