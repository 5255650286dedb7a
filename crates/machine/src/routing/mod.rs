//! Who goes which way: one file a policy, each with the source of its rule. The ways themselves
//! are `dragonfly`'s; docs/models/routing.md has the rules, docs/models/deadlock.md the argument
//! about virtual channels.
//!
//! A policy decides at the source's switch (`depart`); the progressive ones decide again at every
//! further switch of the source's group until a link to another group is taken (`onward`). What
//! lies between two decisions is the same for all (`follow`).

mod aries;
mod around;
mod hash;
mod minimal;
mod only;
mod par;
mod score;
mod slingshot;
mod ugal;
mod valiant;

pub use aries::Mode;
pub(crate) use around::AROUND_VCS;
pub(crate) use only::{has_lone_locals, has_one_way};
pub use score::{Bias, Scoring};

use crate::dragonfly::{Blind, Dragonfly, Local, Scale, Step, Stream};
use crate::{LinkId, LoadView, NicId, Route, SwitchId};
use score::Scored;
use ugal::Everywhere;

/// How packets choose their way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Routing {
    Minimal,
    /// Every packet through a random intermediate switch.
    Valiant,
    /// Every packet through a random intermediate group, by whichever switch it enters there.
    ValiantGroup,
    /// UGAL by the queues of the source's switch. `bias` is in bytes x hops.
    UgalL {
        bias: u32,
    },
    /// UGAL by the queues of the links that leave the source's group, wherever they are.
    UgalG {
        bias: u32,
    },
    /// Progressive adaptive: UGAL-L, decided anew along the way while it is minimal.
    Par {
        bias: u32,
    },
    Slingshot(Scoring),
    Aries(Mode, Scoring),
    MinHash,
    NminHash,
    InOrder,
}

impl Routing {
    /// Words a user may type.
    pub const WORDS: &[&str] = &[
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

    /// Virtual channels that keep packets from waiting for each other in a circle: one more than
    /// the highest class of the policy's routes (docs/models/deadlock.md).
    pub fn n_vcs(self) -> u8 {
        match self {
            Routing::Minimal | Routing::MinHash | Routing::InOrder => 2,
            Routing::ValiantGroup => 3,
            Routing::Par { .. } => 5,
            _ => 4,
        }
    }

    /// Most hops between switches, where no minimal route has more than `diameter`.
    pub fn most_hops(self, diameter: u32) -> u32 {
        match self {
            Routing::Minimal | Routing::MinHash | Routing::InOrder => diameter,
            Routing::Par { .. } => 2 * diameter + diameter / 2,
            _ => 2 * diameter,
        }
    }

    /// Whether packets of one message may leave the minimal ways as these fill up.
    pub fn is_adaptive(self) -> bool {
        self.is_progressive() || matches!(self, Routing::UgalL { .. } | Routing::UgalG { .. })
    }

    /// Whether it asks what other switches of the group report (`LoadView::downstream`).
    pub fn hears_reports(self) -> bool {
        matches!(self, Routing::Slingshot(_) | Routing::Aries(..))
    }

    /// Bytes that wait on the ways round from which on routers can tell no minimal way from one
    /// that is worse still; `None` where they always can, or have no old news to go by.
    pub fn blind_from(self) -> Option<u64> {
        match self {
            Routing::Slingshot(scoring) | Routing::Aries(_, scoring) => scoring.blind_from(),
            _ => None,
        }
    }

    /// Whether a decision is made anew until the source's group is left.
    fn is_progressive(self) -> bool {
        matches!(self, Routing::Par { .. } | Routing::Slingshot(_) | Routing::Aries(..))
    }
}

/// Where a decision is made, and what it may depend on.
struct Fork<'a, L> {
    net: &'a Dragonfly,
    at: SwitchId,
    home: SwitchId,
    draw: u64,
    load: &'a L,
}

impl<L: LoadView> Fork<'_, L> {
    /// The first hop of a leg to `target`.
    #[inline]
    fn begin(&self, target: SwitchId, scale: &impl Scale) -> Step {
        self.net.step(self.at, target, true, Stream::FirstLeg, self.draw, scale)
    }

    /// The hop after others of the first leg, by a link that was steered for.
    #[inline]
    fn go_on(&self, target: SwitchId, scale: &impl Scale) -> Step {
        self.net.step(self.at, target, false, Stream::FirstLeg, self.draw, scale)
    }
}

impl Route {
    /// From here through `via`.
    #[inline]
    fn go_by(&mut self, via: SwitchId) {
        self.via = via.0 + 1;
        self.passed = false;
    }

    /// From here minimally.
    #[inline]
    fn go_straight(&mut self) {
        self.via = 0;
        self.passed = true;
    }
}

impl Dragonfly {
    /// The next hop between switches on the way to `dst`, whose switch is `home`, and whether it
    /// crosses to another group; `None` at `home` itself.
    #[inline]
    #[allow(clippy::too_many_arguments)] // One function answers every question about routes.
    pub(crate) fn next(
        &self,
        at: SwitchId,
        home: SwitchId,
        dst: NicId,
        routing: Routing,
        route: &mut Route,
        draw: u64,
        load: &impl LoadView,
    ) -> Option<(LinkId, bool)> {
        let draw = if routing == Routing::InOrder { hash::of_receiver(dst) } else { draw };
        let fork = &Fork { net: self, at, home, draw, load };
        let step = if !route.decided {
            route.decided = true;
            route.passed = true;
            if at == home {
                return None;
            }
            depart(fork, routing, route)
        } else if routing.is_progressive() && route.class == 0 && !self.share_group(at, home) {
            onward(fork, routing, route)
        } else {
            follow(fork, routing, route)?
        };
        Some((step.link, step.crosses))
    }

    #[inline]
    fn share_group(&self, a: SwitchId, b: SwitchId) -> bool {
        self.seats[a].group == self.seats[b].group
    }
}

/// The decision at the source's switch.
#[inline]
fn depart<L: LoadView>(fork: &Fork<'_, L>, routing: Routing, route: &mut Route) -> Step {
    match routing {
        Routing::Minimal => minimal::depart(fork),
        Routing::Valiant | Routing::ValiantGroup => valiant::depart(fork, route, &Local(fork.load)),
        Routing::UgalL { bias } | Routing::Par { bias } => {
            ugal::depart(fork, &Local(fork.load), bias, route)
        }
        Routing::UgalG { bias } => ugal::depart(fork, &Everywhere(fork.load), bias, route),
        Routing::Slingshot(scoring) => slingshot::depart(fork, scoring, route),
        Routing::Aries(mode, scoring) => aries::depart(fork, mode, scoring, route),
        Routing::MinHash | Routing::InOrder => hash::depart(fork),
        Routing::NminHash => valiant::depart(fork, route, &Blind),
    }
}

/// The decision at a further switch of the source's group.
#[inline]
fn onward<L: LoadView>(fork: &Fork<'_, L>, routing: Routing, route: &mut Route) -> Step {
    match routing {
        Routing::Par { bias } => par::onward(fork, bias, route),
        Routing::Slingshot(scoring) => score::onward(fork, scoring, 0, route),
        Routing::Aries(mode, scoring) => aries::onward(fork, mode, scoring, route),
        _ => unreachable!("{routing:?} decides once"),
    }
}

/// The next hop of a way that is decided; `None` at its end.
#[inline]
fn follow<L: LoadView>(fork: &Fork<'_, L>, routing: Routing, route: &mut Route) -> Option<Step> {
    match routing {
        Routing::UgalG { .. } => walk_on(fork, routing, route, &Everywhere(fork.load)),
        Routing::Slingshot(scoring) | Routing::Aries(_, scoring) => {
            walk_on(fork, routing, route, &Scored::new(fork.load, scoring))
        }
        Routing::MinHash | Routing::NminHash | Routing::InOrder => {
            walk_on(fork, routing, route, &Blind)
        }
        _ => walk_on(fork, routing, route, &Local(fork.load)),
    }
}

#[inline]
fn walk_on<L: LoadView>(
    fork: &Fork<'_, L>,
    routing: Routing,
    route: &mut Route,
    scale: &impl Scale,
) -> Option<Step> {
    let mut fresh = false;
    if !route.passed {
        let via = SwitchId(route.via - 1);
        let net = fork.net;
        // Passing a group begins no second leg in it: the first ends with the link into it.
        let any = routing == Routing::ValiantGroup && !net.share_group(via, fork.home);
        let is_there = if any { net.share_group(via, fork.at) } else { via == fork.at };
        if !is_there {
            return Some(fork.go_on(via, scale));
        }
        route.class += u8::from(!any);
        route.passed = true;
        fresh = true;
    }
    if fork.at == fork.home {
        return None;
    }
    let leg = if route.via == 0 { Stream::FirstLeg } else { Stream::SecondLeg };
    Some(fork.net.step(fork.at, fork.home, fresh, leg, fork.draw, scale))
}
