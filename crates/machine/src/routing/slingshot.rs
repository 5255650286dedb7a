//! Slingshot's adaptive routing: two minimal and two non-minimal candidates, scores of four bits,
//! a bias for each class, decided anew at every switch until a link to another group is taken.
//!
//! Source: public notes on US 9,137,143 and De Sensi et al., SC'20, section II-C (candidates,
//! scores, biases, progressive decisions); "Scaling MPI Applications on Aurora", section 3.1
//! (minimal without contention) and 4.2 (ways pass through groups that are lightly loaded). How
//! groups are compared is not public: here the link to the group, which fills up when the group
//! does, speaks for it, as its switch last reported, and the better of two drawn groups becomes a
//! candidate.

use super::score::{Choice, Scored, Turn};
use super::{Fork, Scoring};
use crate::dragonfly::{Step, Stream, stir};
use crate::{GroupId, LinkId, LoadView, Route, SwitchId};

#[inline]
pub(super) fn depart<L: LoadView>(fork: &Fork<'_, L>, scoring: Scoring, route: &mut Route) -> Step {
    let scale = Scored::new(fork.load, scoring);
    let Scoring { minimal, nonminimal, .. } = scoring;
    let step = fork.begin(fork.home, &scale);
    let mut best = Choice { cost: minimal.of(step.weight(&scale)), step, turn: Turn::Stay };
    if best.cost <= nonminimal.of(0) {
        return step;
    }
    for stream in [Stream::Via, Stream::OtherVia] {
        let draw = stir(fork.draw, stream);
        if let Some((step, via)) = candidate(fork, draw, &scale) {
            best.offer(nonminimal.of(step.weight(&scale)), step, Turn::By(via));
        }
    }
    best.take(route)
}

/// A non-minimal candidate and its intermediate switch.
#[inline]
fn candidate<L: LoadView>(
    fork: &Fork<'_, L>,
    draw: u64,
    scale: &Scored<'_, L>,
) -> Option<(Step, SwitchId)> {
    let net = fork.net;
    let (here, there) = (net.seats[fork.at], net.seats[fork.home]);
    if here.group == there.group {
        let via = net.via(fork.at, fork.home, draw)?;
        let seat = net.seats[via];
        // What waits there for the second hop, as its switch reported.
        let exit = LinkId(seat.toward(there.place()).0);
        return Some((net.local(here, seat.place(), exit, fork.draw, scale), via));
    }
    let group = quieter(fork, here.group(), there.group(), draw)?;
    let via = net.some_switch(group, draw);
    let crossing = net.drawn_crossing(here.group(), group, Stream::FirstLeg, fork.draw);
    Some((net.approach(here, crossing, net.seats[via], fork.draw, scale).1, via))
}

/// Of two groups drawn, the one whose link out of here has the shorter queue.
#[inline]
fn quieter<L: LoadView>(
    fork: &Fork<'_, L>,
    from: GroupId,
    to: GroupId,
    draw: u64,
) -> Option<GroupId> {
    let one = fork.net.third(from, to, draw);
    let other = fork.net.third(from, to, stir(draw, Stream::Parallel));
    let (Some(a), Some(b)) = (one, other) else { return one.or(other) };
    let place = fork.net.seats[fork.at].place();
    let waiting = |group| {
        let crossing = fork.net.drawn_crossing(from, group, Stream::FirstLeg, fork.draw);
        if crossing.from == place {
            fork.load.near(crossing.link)
        } else {
            fork.load.downstream(crossing.link)
        }
    };
    Some(if waiting(b) < waiting(a) { b } else { a })
}
