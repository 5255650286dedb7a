//! Loads in four bits, as Slingshot and Aries have them, and the comparison of biased scores.
//!
//! Source: public notes on the patents (US 9,137,143) and on De Sensi et al., SC'20, section II-C:
//! near-end, far-end and downstream load are remapped and added to a 4-bit score that saturates;
//! a class's bias shifts it by 2 bits and adds 6 bits; the lightest candidate wins. The remapping
//! is not public: here each load is counted in units of `adaptive.quantum`, a power of two bytes.

use super::Fork;
use crate::dragonfly::{NO_LINK, Scale, Step, Stream, stir};
use crate::{LinkId, LoadView, Route, SwitchId};

/// The highest score: four bits.
const MOST: u32 = 15;

/// What a class of ways has to say to its scores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bias {
    /// Left, 0 to 3.
    pub shift: u8,
    /// 0 to 63.
    pub add: u8,
}

impl Bias {
    #[inline]
    pub(super) fn of(self, score: u32) -> u32 {
        (score << self.shift) + u32::from(self.add)
    }
}

/// How loads become scores, and scores costs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scoring {
    /// Base-2 logarithm of the bytes that are one step of a score.
    pub quantum: u8,
    pub minimal: Bias,
    pub nonminimal: Bias,
}

impl Scoring {
    /// Bytes that wait on a way that is not minimal from which on a minimal one is taken however
    /// much waits there: its score is the highest there is.
    pub(super) fn blind_from(self) -> Option<u64> {
        let most = self.minimal.of(MOST);
        let steps = (0..=MOST).find(|&steps| self.nonminimal.of(steps) >= most)?;
        Some(u64::from(steps) << self.quantum)
    }
}

/// Scores of first links.
pub(super) struct Scored<'a, L> {
    load: &'a L,
    quantum: u8,
}

impl<'a, L> Scored<'a, L> {
    #[inline]
    pub fn new(load: &'a L, scoring: Scoring) -> Self {
        Scored { load, quantum: scoring.quantum }
    }
}

impl<L: LoadView> Scale for Scored<'_, L> {
    #[inline]
    fn weigh(&self, link: LinkId, exit: LinkId) -> u32 {
        let steps = |bytes: u32| bytes >> self.quantum;
        let mut score = steps(self.load.near(link)) + steps(self.load.far(link));
        if exit != NO_LINK {
            score += steps(self.load.downstream(exit));
        }
        score.min(MOST)
    }
    #[inline]
    fn cost(&self, weight: u32, _: u32) -> u64 {
        weight.into()
    }
}

/// The best so far of several candidates: among equals the first.
pub(super) struct Choice {
    pub cost: u32,
    pub step: Step,
    /// The intermediate switch of it, if that is to change; `SwitchId(u32::MAX)` is none.
    pub turn: Turn,
}

/// What taking a candidate means for the route.
#[derive(Clone, Copy)]
pub(super) enum Turn {
    Stay,
    By(SwitchId),
    Straight,
}

impl Choice {
    #[inline]
    pub fn offer(&mut self, cost: u32, step: Step, turn: Turn) {
        if cost < self.cost {
            *self = Choice { cost, step, turn };
        }
    }

    #[inline]
    pub fn take(self, route: &mut Route) -> Step {
        match self.turn {
            Turn::Stay => {}
            Turn::By(via) => route.go_by(via),
            Turn::Straight => route.go_straight(),
        }
        self.step
    }
}

/// The decision at a further switch of the source's group, `extra` added to ways that are not
/// minimal.
///
/// The packet may stay on its way, or turn to a link that this switch itself has to another group.
/// Such a turn takes no further hop in this group, so ways are no longer than at most twice the
/// minimal ones, and classes need no more virtual channels (docs/models/deadlock.md).
#[inline]
pub(super) fn onward<L: LoadView>(
    fork: &Fork<'_, L>,
    scoring: Scoring,
    extra: u32,
    route: &mut Route,
) -> Step {
    let scale = Scored::new(fork.load, scoring);
    let Scoring { minimal, nonminimal, .. } = scoring;
    let nonminimal = |score| nonminimal.of(score) + extra;
    let (target, is_minimal) = match route.via {
        0 => (fork.home, true),
        via => (SwitchId(via - 1), false),
    };
    let step = fork.go_on(target, &scale);
    let weight = step.weight(&scale);
    // An empty queue is not left, whatever the bias: nobody would ever arrive.
    if weight == 0 {
        return step;
    }
    let cost = if is_minimal { minimal.of(weight) } else { nonminimal(weight) };
    let mut best = Choice { cost, step, turn: Turn::Stay };
    if !is_minimal {
        let straight = fork.begin(fork.home, &scale);
        if straight.crosses {
            best.offer(minimal.of(straight.weight(&scale)), straight, Turn::Straight);
        }
    }
    let to = fork.net.seats[fork.home].group();
    for stream in [Stream::Again, Stream::OtherAgain] {
        let draw = stir(fork.draw, stream);
        let Some(gate) = fork.net.own_gate(fork.at, to, draw) else { continue };
        let step = Step::over(gate.link, 0);
        let via = fork.net.some_switch(gate.to, draw);
        best.offer(nonminimal(step.weight(&scale)), step, Turn::By(via));
    }
    best.take(route)
}
