//! Messages whose packets set out side by side: each chooses its ways beside the others'.
//!
//! The one idea: a NIC sends one packet after the other, and all NICs do so at the same time. So
//! messages choose a way for one packet each in turn, at the load of all the others; and when it is
//! known how fast they get on, they choose again at that, for a NIC whose packets stand in the
//! buffer before it sends no more.

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

/// Packets choose as long as there are any. So who is under way when others come, and held up, does
/// so again in turns: at instants that lie at most as far apart as his message takes alone, and of
/// these one for so many of its packets at most [estimate]. Messages of like size share instants:
/// many choose with one deal, beside each other, and how many there are does not make turns come
/// more often (when all chose with the first who was due, the quotient of a job was 14 % off).
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
    /// level that has changed, and whose turn it is once. Shares are dealt anew each time. All of
    /// them are then the changed ones.
    pub(crate) fn choose_at_pace(&mut self, cx: &mut Cx<'_>) {
        if !cx.machine.routing.is_adaptive() {
            return;
        }
        self.take_turns(cx.now);
        if self.coming.is_empty() && self.due.is_empty() {
            return;
        }
        let commanded = self.coming.iter().map(|&flight| self.flights[flight].start).min();
        let first = commanded.unwrap_or(NEVER);
        let spare = std::mem::take(&mut self.together);
        let mut together = std::mem::replace(&mut self.changed, spare);
        let mut pushed = std::mem::take(&mut self.pushed);
        pushed.clear();
        pushed.extend(together.iter().filter(|&&flight| !self.is_commanded_with(first, flight)));
        together.retain(|&flight| self.is_commanded_with(first, flight));
        let due = std::mem::take(&mut self.due);
        let mut those = std::mem::take(&mut self.looking);
        for time in 0..GOT {
            let once = if time == 0 { &due[..] } else { &[] };
            let held_up = |&&flight: &&FlightId| self.held_up(flight).is_some();
            those.clear();
            those.extend(together.iter().chain(once).filter(held_up));
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
            self.deal(cx.now);
            let of_now = |&&flight: &&FlightId| self.is_commanded_with(first, flight);
            together.extend(self.changed.iter().filter(of_now));
            together.sort_unstable();
            together.dedup();
        }
        self.coming.sort_unstable();
        self.coming.dedup();
        together.extend_from_slice(&due);
        together.sort_unstable();
        together.dedup();
        for &flight in together.iter().chain(&pushed) {
            self.ask(flight, Pace::Offered);
        }
        for &flight in pushed.iter().chain(&due) {
            self.await_turn(flight, cx.now);
        }
        self.together = std::mem::replace(&mut self.changed, together);
        (self.pushed, self.due, self.looking) = (pushed, due, those);
    }

    /// Whose turn it is are the `due` ones. The others' turns come later.
    fn take_turns(&mut self, now: Time) {
        self.due.clear();
        if self.turn > now {
            return;
        }
        self.turn = NEVER;
        for flight in self.ends.ids() {
            let Flight { turn, turns, .. } = &mut self.flights[flight];
            if *turn <= now {
                (*turn, *turns) = (NEVER, *turns - 1);
                self.due.push(flight);
            }
            self.turn = self.turn.min(*turn);
        }
    }

    /// `flight` chooses again after `now`, if it is held up: at a multiple of a power of two.
    fn await_turn(&mut self, flight: FlightId, now: Time) {
        let is_held_up = self.held_up(flight).is_some();
        let Flight { stream, turn, turns, .. } = &mut self.flights[flight];
        *turn = NEVER;
        if is_held_up && *turns > 0 {
            *turn = Time((now.0 + 1).next_multiple_of(1 << stream.0.max(1).ilog2()));
            self.turn = self.turn.min(*turn);
        }
    }

    /// Whether `flight` was commanded at one time with those who come, the `first` of them then: so
    /// little before that they would have been dealt their shares together, or later.
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
