//! UGAL, universal globally-adaptive load-balanced routing: minimal, unless its queue times its
//! hops outweighs a Valiant way's.
//!
//! Source: Singh, "Load-Balanced Routing in Interconnection Networks" (thesis, 2005); for
//! dragonflies Kim et al. (ISCA 2008), section 4.1: UGAL-L compares the queues of the switch where
//! the packet stands, UGAL-G those of the links that leave its group, as if every switch knew
//! them. Two candidates of each sort, as Slingshot and Aries have, where the papers have one.

use super::Fork;
use crate::dragonfly::{NO_LINK, Scale, Step, Stream, stir};
use crate::{LinkId, LoadView, Route};

/// What nobody can see: the queue of the link by which a way leaves the group, now. Within a
/// group, and at that link itself, it is the queue of the first link.
pub(super) struct Everywhere<'a, L>(pub &'a L);
impl<L: LoadView> Scale for Everywhere<'_, L> {
    #[inline]
    fn weigh(&self, link: LinkId, exit: LinkId) -> u32 {
        let first = self.0.anywhere(link);
        if exit == NO_LINK { first } else { first + self.0.anywhere(exit) }
    }
}

#[inline]
pub(super) fn depart<L: LoadView>(
    fork: &Fork<'_, L>,
    scale: &impl Scale,
    bias: u32,
    route: &mut Route,
) -> Step {
    let minimal = fork.begin(fork.home, scale);
    detour(fork, scale, minimal, bias, [Stream::Via, Stream::OtherVia], route).unwrap_or(minimal)
}

/// The first hop of a non-minimal way that is better than `minimal`; `route` then goes by it.
#[inline]
pub(super) fn detour<L: LoadView>(
    fork: &Fork<'_, L>,
    scale: &impl Scale,
    minimal: Step,
    bias: u32,
    streams: [Stream; 2],
    route: &mut Route,
) -> Option<Step> {
    // An empty queue cannot be beaten.
    let weight = minimal.weight(scale);
    if weight == 0 {
        return None;
    }
    let mut least = scale.cost(weight, minimal.hops.into()).saturating_sub(bias.into());
    let mut best = None;
    for stream in streams {
        let Some(via) = fork.net.via(fork.at, fork.home, stir(fork.draw, stream)) else { break };
        let step = fork.begin(via, scale);
        let hops = u32::from(step.hops) + fork.net.reach(via, fork.home);
        let cost = scale.cost(step.weight(scale), hops);
        if cost < least {
            least = cost;
            best = Some((step, via));
        }
    }
    let (step, via) = best?;
    route.go_by(via);
    Some(step)
}
