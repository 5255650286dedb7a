//! 4-bit load scores of Slingshot and Aries, and the comparison of biased scores.
//!
//! Source: public notes on the patents (US 9,137,143) and on De Sensi et al., SC'20, section II-C.
//! Near-end, far-end and downstream load are remapped and added to a saturating 4-bit score. The
//! bias of minimal, or of nonminimal, paths consists of a 2-bit shift and a 6-bit addend. The
//! lowest score wins. The remapping is not public: here each load is counted in units of
//! `adaptive.quantum`, a power of two bytes.

use super::super::{LoadMetric, NO_LINK, Step, Stream, derive_draw};
use super::DecisionPoint;
use crate::{LinkId, LoadView, Route, SwitchId};

/// The highest score: four bits.
const MAX_SCORE: u32 = 15;

/// The bias of the scores of all minimal, or of all nonminimal, paths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bias {
    /// Left shift, 0 to 3 bits.
    pub shift: u8,
    /// Addend, 0 to 63.
    pub add: u8,
}

impl Bias {
    #[inline]
    pub(super) fn of(self, score: u32) -> u32 {
        (score << self.shift) + u32::from(self.add)
    }
}

/// Conversion of loads to scores and of scores to costs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scoring {
    /// Base-2 logarithm of the bytes per step of a score.
    pub quantum: u8,
    pub minimal: Bias,
    pub nonminimal: Bias,
}

impl Scoring {
    /// With at least this number of bytes queued on the nonminimal path, a minimal one is taken
    /// however long its queue, because its score is saturated.
    pub(super) fn score_saturates_at(self) -> Option<u64> {
        let most = self.minimal.of(MAX_SCORE);
        let steps = (0..=MAX_SCORE).find(|&steps| self.nonminimal.of(steps) >= most)?;
        Some(u64::from(steps) << self.quantum)
    }
}

/// Measures paths by scores.
pub(super) struct ScoreMetric<'a, L> {
    load: &'a L,
    quantum: u8,
}

impl<'a, L> ScoreMetric<'a, L> {
    #[inline]
    pub fn new(load: &'a L, scoring: Scoring) -> Self {
        ScoreMetric { load, quantum: scoring.quantum }
    }
}

impl<L: LoadView> LoadMetric for ScoreMetric<'_, L> {
    #[inline]
    fn visible_load(&self, link: LinkId, exit: LinkId) -> u32 {
        let steps = |bytes: u32| bytes >> self.quantum;
        let mut score = steps(self.load.near(link)) + steps(self.load.far(link));
        if exit != NO_LINK {
            score += steps(self.load.downstream(exit));
        }
        score.min(MAX_SCORE)
    }
    #[inline]
    fn cost(&self, visible_load: u32, _: u32) -> u64 {
        visible_load.into()
    }
}

/// The best of several candidates so far; among equals the first.
pub(super) struct BestCandidate {
    pub cost: u32,
    pub step: Step,
    /// The change of route that taking it implies.
    pub change: RouteChange,
}

/// The change of route that taking a candidate implies.
#[derive(Clone, Copy)]
pub(super) enum RouteChange {
    Keep,
    Via(SwitchId),
    Minimal,
}

impl BestCandidate {
    #[inline]
    pub fn offer(&mut self, cost: u32, step: Step, change: RouteChange) {
        if cost < self.cost {
            *self = BestCandidate { cost, step, change };
        }
    }

    #[inline]
    pub fn take(self, route: &mut Route) -> Step {
        match self.change {
            RouteChange::Keep => {}
            RouteChange::Via(via) => route.set_via(via),
            RouteChange::Minimal => route.set_minimal(),
        }
        self.step
    }
}

/// The decision at a further switch of the source group. `extra` is added to nonminimal scores.
///
/// The packet may stay on its path or divert to a gateway of this switch. Such a diversion takes no
/// further hop in this group. Paths are therefore at most twice as long as minimal ones and need no
/// further virtual channels (docs/models/deadlock.md).
#[inline]
pub(super) fn onward<L: LoadView>(
    point: &DecisionPoint<'_, L>,
    scoring: Scoring,
    extra: u32,
    route: &mut Route,
) -> Step {
    let metric = ScoreMetric::new(point.load, scoring);
    let Scoring { minimal, nonminimal, .. } = scoring;
    let nonminimal = |score| nonminimal.of(score) + extra;
    let (target, is_minimal) = match route.via {
        0 => (point.dst_switch, true),
        via => (SwitchId(via - 1), false),
    };
    let step = point.continue_leg(target, &metric);
    let visible_load = step.visible_load(&metric);
    // An empty queue is never left, whatever the bias, so that every packet arrives.
    if visible_load == 0 {
        return step;
    }
    let cost = if is_minimal { minimal.of(visible_load) } else { nonminimal(visible_load) };
    let mut best = BestCandidate { cost, step, change: RouteChange::Keep };
    if !is_minimal {
        let minimal_step = point.start_leg(point.dst_switch, &metric);
        if minimal_step.crosses {
            best.offer(
                minimal.of(minimal_step.visible_load(&metric)),
                minimal_step,
                RouteChange::Minimal,
            );
        }
    }
    let to = point.net.coords[point.dst_switch].group();
    for stream in [Stream::LaterVia, Stream::OtherLaterVia] {
        let draw = derive_draw(point.draw, stream);
        let Some(gateway) = point.net.own_gateway(point.at, to, draw) else { continue };
        let step = Step::over(gateway.link, 0);
        let via = point.net.random_switch(gateway.to, draw);
        best.offer(nonminimal(step.visible_load(&metric)), step, RouteChange::Via(via));
    }
    best.take(route)
}
