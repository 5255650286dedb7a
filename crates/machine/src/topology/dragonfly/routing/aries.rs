//! Aries' adaptive modes, GNI_DLVMODE_ADAPTIVE_0 to 3: two minimal and two nonminimal random
//! candidates, of which the lowest score wins. The modes differ in their bias toward minimal paths.
//!
//! Source: "Cray Cascade" (SC12), section III: packet by packet, two and two candidates, load =
//! downstream + estimated far end + near end. Public notes on the whitepaper: scores and biases as
//! in `score`. De Sensi's awr (see `hash`): ADAPTIVE_0 has no bias, ADAPTIVE_1 one that increases
//! with the hops taken, ADAPTIVE_2 a small and ADAPTIVE_3 a large constant one. Their sizes are not
//! public.

use super::super::{Step, Stream, derive_draw};
use super::score::{self, BestCandidate, RouteChange, ScoreMetric};
use super::{DecisionPoint, Scoring};
use crate::{LoadView, Route};

/// The bias that a mode adds to nonminimal scores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AriesMode {
    /// Per router visited, this one included: ADAPTIVE_1.
    pub growth: u8,
}

impl AriesMode {
    #[inline]
    fn extra(self, route: &Route) -> u32 {
        u32::from(self.growth) * (u32::from(route.hops) + 1)
    }
}

#[inline]
pub(super) fn depart<L: LoadView>(
    point: &DecisionPoint<'_, L>,
    mode: AriesMode,
    scoring: Scoring,
    route: &mut Route,
) -> Step {
    let metric = ScoreMetric::new(point.load, scoring);
    let extra = mode.extra(route);
    let step = point.start_leg(point.dst_switch, &metric);
    let mut best = BestCandidate {
        cost: scoring.minimal.of(step.visible_load(&metric)),
        step,
        change: RouteChange::Keep,
    };
    if best.cost <= scoring.nonminimal.of(0) + extra {
        return step;
    }
    for stream in [Stream::Via, Stream::OtherVia] {
        let Some(via) = point.net.intermediate_switch(
            point.at,
            point.dst_switch,
            derive_draw(point.draw, stream),
        ) else {
            continue;
        };
        let step = point.net.drawn_step(point.at, via, Stream::FirstLeg, point.draw, &metric);
        best.offer(
            scoring.nonminimal.of(step.visible_load(&metric)) + extra,
            step,
            RouteChange::Via(via),
        );
    }
    best.take(route)
}

#[inline]
pub(super) fn onward<L: LoadView>(
    point: &DecisionPoint<'_, L>,
    mode: AriesMode,
    scoring: Scoring,
    route: &mut Route,
) -> Step {
    let extra = mode.extra(route);
    score::onward(point, scoring, extra, route)
}
