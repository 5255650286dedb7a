//! Aries' adaptive modes, GNI_DLVMODE_ADAPTIVE_0 to 3: two minimal and two non-minimal candidates
//! drawn at random, the lightest wins; the modes differ in their bias toward minimal ways.
//!
//! Source: "Cray Cascade" (SC12), section III: packet by packet, two and two candidates, load =
//! downstream + estimated far end + near end; public notes on the whitepaper: scores and biases as
//! in `score`; DeSensi's awr: ADAPTIVE_0 has no bias, ADAPTIVE_1 one that increases with the hops
//! taken, ADAPTIVE_2 a small and ADAPTIVE_3 a large constant one. How large is not public.

use super::score::{self, Choice, Scored, Turn};
use super::{Fork, Scoring};
use crate::dragonfly::{Step, Stream, stir};
use crate::{LoadView, Route};

/// What a mode adds to the scores of ways that are not minimal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mode {
    /// For every router visited, this one included: ADAPTIVE_1.
    pub growth: u8,
}

impl Mode {
    #[inline]
    fn extra(self, route: &Route) -> u32 {
        u32::from(self.growth) * (u32::from(route.hops) + 1)
    }
}

#[inline]
pub(super) fn depart<L: LoadView>(
    fork: &Fork<'_, L>,
    mode: Mode,
    scoring: Scoring,
    route: &mut Route,
) -> Step {
    let scale = Scored::new(fork.load, scoring);
    let extra = mode.extra(route);
    let step = fork.begin(fork.home, &scale);
    let mut best = Choice { cost: scoring.minimal.of(step.weight(&scale)), step, turn: Turn::Stay };
    if best.cost <= scoring.nonminimal.of(0) + extra {
        return step;
    }
    for stream in [Stream::Via, Stream::OtherVia] {
        let Some(via) = fork.net.via(fork.at, fork.home, stir(fork.draw, stream)) else { continue };
        let step = fork.net.lone_step(fork.at, via, Stream::FirstLeg, fork.draw, &scale);
        best.offer(scoring.nonminimal.of(step.weight(&scale)) + extra, step, Turn::By(via));
    }
    best.take(route)
}

#[inline]
pub(super) fn onward<L: LoadView>(
    fork: &Fork<'_, L>,
    mode: Mode,
    scoring: Scoring,
    route: &mut Route,
) -> Step {
    let extra = mode.extra(route);
    score::onward(fork, scoring, extra, route)
}
