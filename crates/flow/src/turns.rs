//! Messages whose packets set out side by side: each chooses its ways beside the others'.
//!
//! The one idea: a NIC sends one packet after the other, and all NICs do so at the same time. So
//! messages choose a way for one packet each in turn, at the load of all the others; and when it is
//! known how fast they get on, they choose again at that, for a NIC whose packets stand in the
//! buffer before it sends no more.

use machine::{LinkId, Machine};
use net::Cx;

use crate::strands::{Drawn, THERE_IS_ONE, WAYS};
use crate::{FlightId, FlowNetwork};

/// How often each packet in parallel chooses anew: beside all that NICs would send, and then, with
/// shares dealt each time, beside what they do send [estimate]. After one choice at their pace
/// those who had little by chance have found too much: the worst permutation of `dragonfly-1056`
/// ends a fifth late and more, after two 1 to 4 %.
const OFFERED: u32 = 2;
const GOT: u32 = 2;

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

    /// Somebody has come, and shares have been dealt: all whose level that has changed choose again
    /// if they are held up, at the pace that they have. Shares are dealt anew each time.
    pub(crate) fn choose_at_pace(&mut self, cx: &mut Cx<'_>) {
        if self.coming.is_empty() || !cx.machine.routing.is_adaptive() {
            return;
        }
        let mut touched = std::mem::take(&mut self.changed);
        let mut those = std::mem::take(&mut self.looking);
        for _ in 0..GOT {
            those.clear();
            those.extend(touched.iter().filter(|&&flight| self.held_up(flight).is_some()));
            if those.is_empty() {
                break;
            }
            let flights = &self.flights;
            those.sort_unstable_by_key(|&flight| flights[flight].nth);
            for &flight in &those {
                self.advance(flight, cx.now);
            }
            self.choose(&those, (Pace::Got, 1), cx);
            those.iter().for_each(|&flight| self.start_strands(flight));
            // What of them will go last is another matter now.
            self.coming.extend_from_slice(&those);
            self.deal(cx.now);
            touched.extend_from_slice(&self.changed);
            touched.sort_unstable();
            touched.dedup();
        }
        self.coming.sort_unstable();
        self.coming.dedup();
        for &flight in &touched {
            self.ask(flight, Pace::Offered);
        }
        (self.changed, self.looking) = (touched, those);
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
