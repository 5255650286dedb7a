//! Routing policies, one file per policy, each with the source of its rule. `dragonfly` computes
//! the paths. Rules in docs/models/routing.md; virtual channels in docs/models/deadlock.md.
//!
//! A policy decides at the source switch (`depart`). Progressive policies decide again at each
//! further switch of the source group until the packet leaves it (`onward`). Hops between decisions
//! are the same for all policies (`follow`).
//!
//! A new policy needs a variant and a name in `Routing`, a case in each of its methods, in
//! `depart` and in `is_fixed_minimal` (`single_path.rs`). The compiler reports missing cases,
//! except in `is_adaptive`, `uses_reported_loads` and `is_progressive`, which list policies.
//! `parameters.rs` maps the name to the variant. Further lists of names are in
//! `docs/reference/machine-file.md`, and in `theory.rs` and `ordered_flows.rs` of
//! `crates/properties/tests`. `python/generate_vocabulary.py` copies `NAMES` to Python.

mod aries;
mod fault_avoidance;
mod hash;
mod minimal;
mod par;
mod score;
mod single_path;
mod slingshot;
mod ugal;
mod valiant;

pub use aries::AriesMode;
pub use score::{Bias, Scoring};
pub(crate) use single_path::{has_single_local_links, has_single_paths};

use super::{Dragonfly, IgnoreLoad, LoadMetric, LocalLoad, Step, Stream};
use crate::{LinkId, LoadView, NicId, Route, SwitchId};
use score::ScoreMetric;
use ugal::GlobalLoad;

/// Routing policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Routing {
    Minimal,
    /// Every packet through a random intermediate switch.
    Valiant,
    /// Every packet through a random intermediate group, by whichever switch it enters there.
    ValiantGroup,
    /// UGAL by the loads of the source switch's own links. `bias` is in bytes x hops.
    UgalL {
        bias: u32,
    },
    /// UGAL by the same loads plus those of the global links that leave the source group, at any
    /// switch.
    UgalG {
        bias: u32,
    },
    /// Progressive adaptive routing: UGAL-L, decided anew along the path while it is minimal.
    Par {
        bias: u32,
    },
    Slingshot(Scoring),
    Aries(AriesMode, Scoring),
    /// Minimal by the packet's draw, without regard to load.
    MinHash,
    /// Through an intermediate switch, by the packet's draw, without regard to load.
    NminHash,
    /// Minimal, one path per receiver.
    InOrder,
}

/// The biases of adaptive routing between minimal and nonminimal paths, which a fabric manager may
/// change during a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RoutingBias {
    /// Of UGAL and PAR: toward minimal paths, in bytes x hops.
    Ugal(u32),
    /// Of the scores of Slingshot and Aries.
    Scores { minimal: Bias, nonminimal: Bias },
}

impl Routing {
    /// The same policy with other biases; `None` if it has no biases of this kind.
    pub(crate) fn with_bias(self, bias: RoutingBias) -> Option<Routing> {
        Some(match (self, bias) {
            (Routing::UgalL { .. }, RoutingBias::Ugal(bias)) => Routing::UgalL { bias },
            (Routing::UgalG { .. }, RoutingBias::Ugal(bias)) => Routing::UgalG { bias },
            (Routing::Par { .. }, RoutingBias::Ugal(bias)) => Routing::Par { bias },
            (Routing::Slingshot(old), RoutingBias::Scores { minimal, nonminimal }) => {
                Routing::Slingshot(Scoring { minimal, nonminimal, ..old })
            }
            (Routing::Aries(mode, old), RoutingBias::Scores { minimal, nonminimal }) => {
                Routing::Aries(mode, Scoring { minimal, nonminimal, ..old })
            }
            _ => return None,
        })
    }

    /// Policy names that a user may write.
    pub const NAMES: &[&str] = &[
        "minimal",
        "valiant",
        "valiant-group",
        "ugal",
        "ugal-l",
        "ugal-g",
        "par",
        "slingshot",
        "adaptive-0",
        "adaptive-1",
        "adaptive-2",
        "adaptive-3",
        "min-hash",
        "nmin-hash",
        "in-order",
        "adaptive",
    ];

    /// Virtual channels needed against deadlock: one more than the highest class of the policy's
    /// routes (docs/models/deadlock.md).
    pub fn n_vcs(self) -> u8 {
        match self {
            Routing::Minimal | Routing::MinHash | Routing::InOrder => 2,
            Routing::ValiantGroup => 3,
            Routing::Par { .. } => 5,
            Routing::Valiant
            | Routing::UgalL { .. }
            | Routing::UgalG { .. }
            | Routing::Slingshot(_)
            | Routing::Aries(..)
            | Routing::NminHash => 4,
        }
    }

    /// Maximum hops between switches, where no minimal route has more than `diameter`.
    pub fn max_hops(self, diameter: u32) -> u32 {
        match self {
            Routing::Minimal | Routing::MinHash | Routing::InOrder => diameter,
            Routing::Par { .. } => 2 * diameter + diameter / 2,
            Routing::Valiant
            | Routing::ValiantGroup
            | Routing::UgalL { .. }
            | Routing::UgalG { .. }
            | Routing::Slingshot(_)
            | Routing::Aries(..)
            | Routing::NminHash => 2 * diameter,
        }
    }

    /// Whether packets may leave the minimal paths as those fill up.
    pub fn is_adaptive(self) -> bool {
        self.is_progressive() || matches!(self, Routing::UgalL { .. } | Routing::UgalG { .. })
    }

    /// Whether it uses the loads that other switches of the group report (`LoadView::downstream`).
    pub fn uses_reported_loads(self) -> bool {
        matches!(self, Routing::Slingshot(_) | Routing::Aries(..))
    }

    /// With at least this number of bytes queued on nonminimal paths, scores saturate, and a
    /// minimal path is taken however long its queue. `None` for policies without scores.
    pub fn score_saturates_at(self) -> Option<u64> {
        match self {
            Routing::Slingshot(scoring) | Routing::Aries(_, scoring) => {
                scoring.score_saturates_at()
            }
            _ => None,
        }
    }

    /// Whether decisions are repeated until the source group is left.
    fn is_progressive(self) -> bool {
        matches!(self, Routing::Par { .. } | Routing::Slingshot(_) | Routing::Aries(..))
    }
}

/// The inputs of a routing decision.
struct DecisionPoint<'a, L> {
    net: &'a Dragonfly,
    /// The switch that decides.
    at: SwitchId,
    /// The switch of the destination NIC.
    dst_switch: SwitchId,
    /// The packet's own random number.
    draw: u64,
    load: &'a L,
}

impl<L: LoadView> DecisionPoint<'_, L> {
    /// The first hop to `target`, the intermediate switch or `dst_switch`.
    #[inline]
    fn start_leg(&self, target: SwitchId, metric: &impl LoadMetric) -> Step {
        self.net.step(self.at, target, true, Stream::FirstLeg, self.draw, metric)
    }

    /// A further hop of the leg to `target`.
    #[inline]
    fn continue_leg(&self, target: SwitchId, metric: &impl LoadMetric) -> Step {
        self.net.step(self.at, target, false, Stream::FirstLeg, self.draw, metric)
    }
}

impl Route {
    /// The rest of the route goes through `via`.
    #[inline]
    fn set_via(&mut self, via: SwitchId) {
        self.via = via.0 + 1;
        self.passed = false;
    }

    /// The rest of the route is minimal.
    #[inline]
    fn set_minimal(&mut self) {
        self.via = 0;
        self.passed = true;
    }
}

impl Dragonfly {
    /// The next hop between switches toward `dst`, whose switch is `dst_switch`, and whether it
    /// crosses to another group; `None` at `dst_switch`.
    #[inline]
    #[allow(clippy::too_many_arguments)] // The inputs of every routing decision.
    pub(crate) fn next(
        &self,
        at: SwitchId,
        dst_switch: SwitchId,
        dst: NicId,
        routing: Routing,
        route: &mut Route,
        draw: u64,
        load: &impl LoadView,
    ) -> Option<(LinkId, bool)> {
        let draw = if routing == Routing::InOrder { hash::of_receiver(dst) } else { draw };
        let point = &DecisionPoint { net: self, at, dst_switch, draw, load };
        let step = if !route.decided {
            route.decided = true;
            route.passed = true;
            if at == dst_switch {
                return None;
            }
            depart(point, routing, route)
        } else if routing.is_progressive() && route.class == 0 && !self.share_group(at, dst_switch)
        {
            // In class 0 it has taken no global link, so it is still in its source group.
            onward(point, routing, route)
        } else {
            follow(point, routing, route)?
        };
        Some((step.link, step.crosses))
    }

    #[inline]
    fn share_group(&self, a: SwitchId, b: SwitchId) -> bool {
        self.coords[a].group == self.coords[b].group
    }
}

/// The decision at the source switch.
#[inline]
fn depart<L: LoadView>(point: &DecisionPoint<'_, L>, routing: Routing, route: &mut Route) -> Step {
    match routing {
        Routing::Minimal => minimal::depart(point),
        Routing::Valiant | Routing::ValiantGroup => {
            valiant::depart(point, route, &LocalLoad(point.load))
        }
        Routing::UgalL { bias } | Routing::Par { bias } => {
            ugal::depart(point, &LocalLoad(point.load), bias, route)
        }
        Routing::UgalG { bias } => ugal::depart(point, &GlobalLoad(point.load), bias, route),
        Routing::Slingshot(scoring) => slingshot::depart(point, scoring, route),
        Routing::Aries(mode, scoring) => aries::depart(point, mode, scoring, route),
        Routing::MinHash | Routing::InOrder => hash::depart(point),
        Routing::NminHash => valiant::depart(point, route, &IgnoreLoad),
    }
}

/// The decision at a further switch of the source group.
#[inline]
fn onward<L: LoadView>(point: &DecisionPoint<'_, L>, routing: Routing, route: &mut Route) -> Step {
    match routing {
        Routing::Par { bias } => par::onward(point, bias, route),
        Routing::Slingshot(scoring) => score::onward(point, scoring, 0, route),
        Routing::Aries(mode, scoring) => aries::onward(point, mode, scoring, route),
        _ => unreachable!("{routing:?} decides once"),
    }
}

/// The next hop of a decided path; `None` at its end.
#[inline]
fn follow<L: LoadView>(
    point: &DecisionPoint<'_, L>,
    routing: Routing,
    route: &mut Route,
) -> Option<Step> {
    match routing {
        Routing::UgalG { .. } => next_step(point, routing, route, &GlobalLoad(point.load)),
        Routing::Slingshot(scoring) | Routing::Aries(_, scoring) => {
            next_step(point, routing, route, &ScoreMetric::new(point.load, scoring))
        }
        Routing::MinHash | Routing::NminHash | Routing::InOrder => {
            next_step(point, routing, route, &IgnoreLoad)
        }
        Routing::Minimal
        | Routing::Valiant
        | Routing::ValiantGroup
        | Routing::UgalL { .. }
        | Routing::Par { .. } => next_step(point, routing, route, &LocalLoad(point.load)),
    }
}

#[inline]
fn next_step<L: LoadView>(
    point: &DecisionPoint<'_, L>,
    routing: Routing,
    route: &mut Route,
    metric: &impl LoadMetric,
) -> Option<Step> {
    let mut starts_leg = false;
    if !route.passed {
        let via = SwitchId(route.via - 1);
        let net = point.net;
        // `valiant-group`: the first leg ends at any switch of the intermediate group. The class
        // stays, because no local link of that group has been used in this class.
        let group_suffices =
            routing == Routing::ValiantGroup && !net.share_group(via, point.dst_switch);
        let is_reached =
            if group_suffices { net.share_group(via, point.at) } else { via == point.at };
        if !is_reached {
            return Some(point.continue_leg(via, metric));
        }
        route.class += u8::from(!group_suffices);
        route.passed = true;
        starts_leg = true;
    }
    if point.at == point.dst_switch {
        return None;
    }
    let leg = if route.via == 0 { Stream::FirstLeg } else { Stream::SecondLeg };
    Some(point.net.step(point.at, point.dst_switch, starts_leg, leg, point.draw, metric))
}
