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

use crate::strands::{Drawn, THERE_IS_ONE, WAYS};
use crate::{Flight, FlightId, FlowNetwork, NEVER};

/// How often each packet in parallel chooses anew: beside all that NICs would send, and then, with
/// shares dealt each time, beside what they do send [estimate]. After one choice at their pace
/// those who had little by chance have found too much: the worst permutation of `dragonfly-1056`
/// ends a fifth late and more, after two 1 to 4 %.
const OFFERED: u32 = 2;
const GOT: u32 = 2;

/// Packets choose as long as there are any. So who is under way and held up, and whose level others
/// who come change, chooses again in turns: at instants that lie at most as far apart as his
/// message takes alone, and at one of them for so many of its packets at most [estimate]. Messages
/// of like size share instants, as multiples of a power of two: many choose with one deal, beside
/// each other, and how many there are does not make turns come more often (when all chose with the
/// first who was due, the quotient of a job was 14 % off). What is commanded some time later is
/// answered otherwise for that: means of 1,024 messages and more by up to 2 %.
pub(crate) const PACKETS_A_TURN: u64 = 2;

/// What messages ask links for while their ways are chosen.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    /// As much as their NICs would let them send.
    Offered,
    /// What they have been dealt.
    Got,
}

/// Ways of messages that choose: of each as many in a row as it can have, a packet's each.
#[derive(Default)]
pub(crate) struct Turns {
    ways: Vec<Drawn>,
    /// Their links: of those that are chosen in this turn, and of those from before it.
    links: Vec<LinkId>,
    before: Vec<LinkId>,
}

impl Turns {
    /// The links of the `nth` way of a row of `samples` while the `turn`th is chosen: who has been
    /// before him has chosen.
    fn of(&self, row: usize, nth: u32, turn: u32) -> (&[LinkId], &[LinkId]) {
        let links = if nth < turn { &self.links } else { &self.before };
        let way = &self.ways[row + nth as usize];
        (way.forward(links), way.back(links))
    }

    pub fn bytes(&self) -> usize {
        self.ways.capacity() * size_of::<Drawn>()
            + (self.links.capacity() + self.before.capacity()) * size_of::<LinkId>()
    }
}

impl FlowNetwork {
    /// Now that all are known who have come at one time, they choose again, as they were commanded.
    pub(crate) fn choose_together(&mut self, those: &[FlightId], cx: &mut Cx<'_>) {
        let times = if cx.machine.routing.is_adaptive() { OFFERED } else { 1 };
        self.choose(those, (Pace::Offered, times), cx);
    }

    /// Somebody has come, or it is the turn of those under way; shares have been dealt. Who is held
    /// up chooses again, at the pace that he has: of those commanded with who has come all whose
    /// level that has changed, and whose turn it is once. Shares are dealt anew each time. The
    /// changed ones are then those commanded together and those due.
    pub(crate) fn choose_at_pace(&mut self, cx: &mut Cx<'_>) {
        if !cx.machine.routing.is_adaptive() {
            return;
        }
        self.take_turns(cx.now);
        if self.coming.is_empty() && self.due.is_empty() {
            return;
        }
        let commanded = self.coming.iter().map(|&flight| self.flights[flight].start).min();
        self.together.clear();
        self.pushed.clear();
        self.part_changed(commanded);
        let mut those = std::mem::take(&mut self.looking);
        for time in 0..GOT {
            let once = if time == 0 { &self.due[..] } else { &[] };
            let held_up = |&&flight: &&FlightId| self.held_up(flight).is_some();
            those.clear();
            those.extend(self.together.iter().chain(once).filter(held_up));
            if those.is_empty() {
                break;
            }
            let flights = &self.flights;
            those.sort_unstable_by_key(|&flight| flights[flight].nth);
            those.dedup();
            for &flight in &those {
                self.advance(flight, cx.now);
            }
            self.choose(&those, (Pace::Got, 1), cx);
            those.iter().for_each(|&flight| self.start_strands(flight));
            // What of them will go last is another matter now.
            self.coming.extend_from_slice(&those);
            self.deal(cx.now, cx.machine);
            self.part_changed(commanded);
        }
        self.looking = those;
        self.together.extend_from_slice(&self.due);
        for all in [&mut self.coming, &mut self.together, &mut self.pushed] {
            all.sort_unstable();
            all.dedup();
        }
        for nth in 0..self.together.len() {
            self.ask(self.together[nth], Pace::Offered);
        }
        for nth in 0..self.pushed.len() {
            self.ask(self.pushed[nth], Pace::Offered);
            self.await_turn(self.pushed[nth], cx.now);
        }
        for nth in 0..self.due.len() {
            self.await_turn(self.due[nth], cx.now);
        }
        std::mem::swap(&mut self.changed, &mut self.together);
    }

    /// Of those whose level has changed, who was commanded with those who come, the first of whom
    /// was `commanded` then, and who was under way: if nobody comes, nobody pushes him.
    fn part_changed(&mut self, commanded: Option<Time>) {
        let Some(first) = commanded else { return };
        for &flight in &self.changed {
            if self.is_commanded_with(first, flight) {
                self.together.push(flight);
            } else {
                self.pushed.push(flight);
            }
        }
    }

    /// When the first turn comes.
    pub(crate) fn next_turn(&self) -> Time {
        self.in_turn.first().map_or(NEVER, |(at, _)| at)
    }

    /// Whose turn it is are the `due` ones.
    fn take_turns(&mut self, now: Time) {
        self.due.clear();
        while let Some((_, flight)) = self.in_turn.first().filter(|&(at, _)| at <= now) {
            self.in_turn.remove(flight);
            self.flights[flight].turns_left -= 1;
            self.due.push(flight);
        }
    }

    /// `flight` chooses again after `now` if it is held up: at a multiple of the largest power of
    /// two that is no longer than it takes alone.
    fn await_turn(&mut self, flight: FlightId, now: Time) {
        let Flight { stream, turns_left, .. } = self.flights[flight];
        let apart = 1 << stream.0.max(1).ilog2();
        match (now.0 + 1).checked_next_multiple_of(apart) {
            Some(at) if turns_left > 0 && self.held_up(flight).is_some() => {
                self.in_turn.set(flight, Time(at));
            }
            _ => self.in_turn.remove(flight),
        }
    }

    /// Whether `flight` was commanded at one time with those who come, of whom the first was so at
    /// `first`: later, or no earlier than it would wait for company now.
    fn is_commanded_with(&self, first: Time, flight: FlightId) -> bool {
        self.flights[flight].start + self.patience(flight) >= first
    }

    /// Each of `those` chooses a way for each of its packets in parallel, so many `times`, one
    /// packet each in turn. Their strands have yet to start.
    fn choose(&mut self, those: &[FlightId], (pace, times): (Pace, u32), cx: &mut Cx<'_>) {
        let mut turns = std::mem::take(&mut self.turns);
        turns.ways.clear();
        turns.before.clear();
        for &flight in those {
            let row = turns.ways.len();
            let f = &self.flights[flight];
            for strand in &f.strands[..f.n_strands as usize] {
                let way = strand.drawn(turns.before.len());
                turns.ways.extend((0..strand.count).map(|_| way));
                turns.before.extend(strand.path(&self.sharing));
            }
            turns.ways.resize(row + WAYS as usize, Drawn::NONE);
            self.drop_strands(flight, false, cx);
            let pull = self.pull_of(flight, pace);
            let f = &mut self.flights[flight];
            f.pull = pull;
            for nth in 0..f.samples {
                let (path, back) = turns.of(row, nth, 0);
                path.iter().for_each(|&link| self.pressure.add(link, pull.0));
                back.iter().for_each(|&link| self.pressure.add(link, pull.1));
            }
        }
        for _ in 0..times {
            turns.links.clear();
            for turn in 0..WAYS {
                for (nth, &flight) in those.iter().enumerate() {
                    if turn < self.flights[flight].samples {
                        self.choose_one(
                            flight,
                            (nth * WAYS as usize, turn),
                            &mut turns,
                            cx.machine,
                        );
                    }
                }
            }
            std::mem::swap(&mut turns.links, &mut turns.before);
        }
        for (nth, &flight) in those.iter().enumerate() {
            self.ways.clear();
            self.links.clear();
            for turn in 0..self.flights[flight].samples {
                let row = nth * WAYS as usize;
                let is_minimal = turns.ways[row + turn as usize].is_minimal;
                self.note_way(turns.of(row, turn, 0), is_minimal);
            }
            self.put_ways(flight);
        }
        self.turns = turns;
    }

    /// One packet of `flight` chooses, beside those of all others and its own.
    fn choose_one(
        &mut self,
        flight: FlightId,
        (row, turn): (usize, u32),
        turns: &mut Turns,
        machine: &Machine,
    ) {
        let (samples, pull) = (self.flights[flight].samples, self.flights[flight].pull);
        for nth in 0..samples {
            let (path, back) = turns.of(row, nth, turn);
            if nth == turn {
                path.iter().for_each(|&link| self.pressure.remove(link, pull.0));
                back.iter().for_each(|&link| self.pressure.remove(link, pull.1));
            } else {
                path.iter().for_each(|&link| self.pressure.own(link, pull.0));
                back.iter().for_each(|&link| self.pressure.own(link, pull.1));
            }
        }
        let draw = self.next_draw(flight, machine);
        let is_minimal = self.walk(flight, draw, machine).expect(THERE_IS_ONE);
        self.walk_back(flight, draw, machine).expect(THERE_IS_ONE);
        self.pressure.disown();
        self.pull(pull, 1);
        let (path, back) = (&self.path, &self.back);
        turns.ways[row + turn as usize] = Drawn::new(turns.links.len(), path, back, is_minimal);
        turns.links.extend_from_slice(path);
        turns.links.extend_from_slice(back);
    }
}
