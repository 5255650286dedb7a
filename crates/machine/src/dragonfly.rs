//! Dragonflies: groups of switches, every pair of groups linked, and the ways through them.
//!
//! A switch sits in a row (chassis) and a column (slot) of its group. Within a row all are linked
//! to all ("green" on Aries), within a column too ("black"); a one-level group is one row. Local
//! links are found by arithmetic, links between groups in one table of all pairs of groups.
//! Nothing here grows with the square of nodes or switches.
//!
//! Every choice along a route is a function of the packet's draw and of load, so a route carries
//! no memory of which of several links it is headed for: a switch on the way draws the same two
//! candidates as the switch before it, and takes the one it now stands nearer to.
//! docs/models/routing.md has the rules and the argument that nothing deadlocks.

use base::{IndexVec, below};

use crate::{GroupId, LinkId, LoadView, Route, Routing, SwitchId};

/// Where a switch sits and where its local links begin: all a hop within a group needs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seat {
    pub group: u16,
    pub row: u16,
    pub col: u16,
    /// Parallel links to each other switch of the row; of the column.
    pub row_links: u8,
    pub col_links: u8,
    /// First link to the row (to its columns in order, its own left out); to the column.
    pub row_first: u32,
    pub col_first: u32,
}

/// A link between groups and the switches at its ends.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Crossing {
    pub link: LinkId,
    pub from: SwitchId,
    pub to: SwitchId,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Group {
    pub first: u32,
    pub switches: u32,
    /// Its place among the groups that non-minimal routes pass through, or `NO_TRANSIT`.
    pub transit: u32,
}

pub(crate) const NO_TRANSIT: u32 = u32::MAX;

#[derive(Clone, Debug)]
pub struct Dragonfly {
    pub(crate) seats: IndexVec<SwitchId, Seat>,
    pub(crate) groups: IndexVec<GroupId, Group>,
    /// `crossings[pair_first[a * groups + b]..pair_first[a * groups + b + 1]]` lead from a to b.
    pub(crate) pair_first: Vec<u32>,
    pub(crate) crossings: Vec<Crossing>,
    /// Groups that non-minimal routes pass through.
    pub(crate) transit: Vec<GroupId>,
    /// Hops between switches of the longest minimal route: 3, or 5 with chassis.
    pub(crate) diameter: u32,
}

/// A hop within reach, and what speaks for or against it.
#[derive(Clone, Copy, Debug)]
struct Step {
    link: LinkId,
    /// It leads to another group.
    crosses: bool,
    /// Hops between switches from here to the target, this one included.
    hops: u32,
    backlog: u32,
}

impl Step {
    fn cost(self) -> u64 {
        u64::from(self.backlog) * u64::from(self.hops)
    }
}

/// Which choice a packet's draw is spent on.
#[derive(Clone, Copy)]
#[repr(u64)]
enum Stream {
    FirstLeg = 0x243F_6A88_85A3_08D3,
    SecondLeg = 0x1319_8A2E_0370_7344,
    Via = 0xA409_3822_299F_31D0,
    OtherVia = 0x082E_FA98_EC4E_6C89,
    Parallel = 0x4528_21E6_38D0_1377,
}

/// A fresh draw for `stream` from the packet's own.
#[inline]
fn stir(draw: u64, stream: Stream) -> u64 {
    let x = (draw ^ stream as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (x ^ (x >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93)
}

impl Dragonfly {
    /// The next hop between switches on the way to `home`, and whether it crosses to another
    /// group; `None` at `home` itself.
    #[inline]
    pub(crate) fn next(
        &self,
        at: SwitchId,
        home: SwitchId,
        routing: Routing,
        route: &mut Route,
        draw: u64,
        load: &impl LoadView,
    ) -> Option<(LinkId, bool)> {
        if !route.decided {
            route.decided = true;
            route.passed = true;
            if at == home {
                return None;
            }
            let step = self.decide(at, home, routing, route, draw, load);
            return Some((step.link, step.crosses));
        }
        let mut fresh = false;
        if !route.passed {
            let via = SwitchId(route.via - 1);
            if at != via {
                let step = self.step(at, via, false, Stream::FirstLeg, draw, load);
                return Some((step.link, step.crosses));
            }
            route.passed = true;
            route.class += 1;
            fresh = true;
        }
        if at == home {
            return None;
        }
        let leg = if route.via == 0 { Stream::FirstLeg } else { Stream::SecondLeg };
        let step = self.step(at, home, fresh, leg, draw, load);
        Some((step.link, step.crosses))
    }

    /// The decision at the source's switch: minimal or not, and the first hop.
    fn decide(
        &self,
        at: SwitchId,
        home: SwitchId,
        routing: Routing,
        route: &mut Route,
        draw: u64,
        load: &impl LoadView,
    ) -> Step {
        let first_leg = |target| self.step(at, target, true, Stream::FirstLeg, draw, load);
        let mut go_by = |via: SwitchId| {
            route.via = via.0 + 1;
            route.passed = false;
        };
        match routing {
            Routing::Minimal => first_leg(home),
            Routing::Valiant => match self.via(at, home, stir(draw, Stream::Via)) {
                None => first_leg(home),
                Some(via) => {
                    go_by(via);
                    first_leg(via)
                }
            },
            Routing::Ugal { bias } => {
                let minimal = first_leg(home);
                // An empty queue cannot be beaten.
                if minimal.backlog == 0 {
                    return minimal;
                }
                let mut best = (minimal.cost().saturating_sub(bias), minimal, None);
                for stream in [Stream::Via, Stream::OtherVia] {
                    let Some(via) = self.via(at, home, stir(draw, stream)) else { break };
                    let mut step = first_leg(via);
                    step.hops += self.reach(via, home);
                    if step.cost() < best.0 {
                        best = (step.cost(), step, Some(via));
                    }
                }
                if let Some(via) = best.2 {
                    go_by(via);
                }
                best.1
            }
        }
    }

    /// A random intermediate switch for traffic between two switches: of the same group if they
    /// share one, else of a third group linked to both. `None` if there is none.
    #[inline]
    fn via(&self, at: SwitchId, home: SwitchId, draw: u64) -> Option<SwitchId> {
        let (from, to) = (self.seats[at].group, self.seats[home].group);
        if from == to {
            let group = self.groups[GroupId(from.into())];
            let others = group.switches.checked_sub(2).filter(|&n| n > 0)?;
            return Some(SwitchId(skipping(below(draw, others) + group.first, at.0, home.0)));
        }
        let (from, to) = (GroupId(from.into()), GroupId(to.into()));
        let (skip_a, skip_b) = (self.groups[from].transit, self.groups[to].transit);
        let ends = u32::from(skip_a != NO_TRANSIT) + u32::from(skip_b != NO_TRANSIT);
        let others = (self.transit.len() as u32).checked_sub(ends).filter(|&n| n > 0)?;
        let nth = skipping(below(draw, others), skip_a, skip_b);
        let third = self.transit[nth as usize];
        if self.pair(from, third).is_empty() || self.pair(third, to).is_empty() {
            return None;
        }
        let group = self.groups[third];
        // The low half of the draw has not been used for the group.
        Some(SwitchId(group.first + below(draw << 32, group.switches)))
    }

    /// Hops between switches of the longest minimal route in `n_groups` groups.
    pub(crate) fn longest(&self, n_groups: u32) -> u32 {
        if n_groups > 1 { self.diameter } else { self.diameter / 2 }
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.seats.raw[..])
            + size_of_val(&self.groups.raw[..])
            + size_of_val(&self.pair_first[..])
            + size_of_val(&self.crossings[..])
            + size_of_val(&self.transit[..])
    }

    /// Links from group `a` to group `b`.
    #[inline]
    pub(crate) fn pair(&self, a: GroupId, b: GroupId) -> &[Crossing] {
        let pair = a.0 as usize * self.groups.len() + b.0 as usize;
        &self.crossings[self.pair_first[pair] as usize..self.pair_first[pair + 1] as usize]
    }

    /// Hops between two switches, counted at their longest where groups are crossed.
    fn reach(&self, a: SwitchId, b: SwitchId) -> u32 {
        let (a, b) = (self.seats[a], self.seats[b]);
        if a.group == b.group { distance(a, b) } else { self.diameter }
    }

    /// The next hop of the minimal way to `target`, which is not `at`. `fresh`: no hop of this leg
    /// has been taken, so every candidate is open; later only those already steered for are.
    #[inline]
    fn step(
        &self,
        at: SwitchId,
        target: SwitchId,
        fresh: bool,
        leg: Stream,
        draw: u64,
        load: &impl LoadView,
    ) -> Step {
        let (here, there) = (self.seats[at], self.seats[target]);
        if here.group == there.group {
            return self.local(here, there, draw, load);
        }
        let pair = self.pair(GroupId(here.group.into()), GroupId(there.group.into()));
        let n = pair.len() as u32;
        debug_assert!(n > 0, "no link between the groups of {at:?} and {target:?}");
        let legs = stir(draw, leg);
        let i = below(legs, n);
        let one = self.approach(at, here, pair[i as usize], there, draw, load);
        if n == 1 {
            return one.1;
        }
        // Another of the pair's links; the low half of the draw has not been used.
        let j = i + 1 + below(legs << 32, n - 1);
        let j = if j >= n { j - n } else { j };
        let other = self.approach(at, here, pair[j as usize], there, draw, load);
        let by_load = |s: Step| (s.cost(), s.hops);
        let other_wins = if fresh {
            by_load(other.1) < by_load(one.1)
        } else {
            (other.0, by_load(other.1)) < (one.0, by_load(one.1))
        };
        if other_wins { other.1 } else { one.1 }
    }

    /// The step toward (or over) `crossing`, and how near it is: 0 here, 1 in this column, 2
    /// elsewhere. Rows before columns, so one that is in this column is never left again.
    #[inline]
    fn approach(
        &self,
        at: SwitchId,
        here: Seat,
        crossing: Crossing,
        there: Seat,
        draw: u64,
        load: &impl LoadView,
    ) -> (u32, Step) {
        let beyond = 1 + distance(self.seats[crossing.to], there);
        if crossing.from == at {
            let (link, backlog) = (crossing.link, load.backlog(crossing.link));
            return (0, Step { link, crosses: true, hops: beyond, backlog });
        }
        let gate = self.seats[crossing.from];
        let mut step = self.local(here, gate, draw, load);
        step.hops += beyond;
        (if gate.col == here.col { 1 } else { 2 }, step)
    }

    /// The next hop within a group: first to the right column, then to the right row.
    #[inline]
    fn local(&self, here: Seat, there: Seat, draw: u64, load: &impl LoadView) -> Step {
        let hops = distance(here, there);
        let (first, links) = if here.col != there.col {
            let nth = there.col - u16::from(there.col > here.col);
            (here.row_first + u32::from(nth) * u32::from(here.row_links), here.row_links)
        } else {
            let nth = there.row - u16::from(there.row > here.row);
            (here.col_first + u32::from(nth) * u32::from(here.col_links), here.col_links)
        };
        let (link, backlog) = lightest(first, links.into(), draw, load);
        Step { link, crosses: false, hops, backlog }
    }
}

/// Hops between two seats of one group.
#[inline]
fn distance(a: Seat, b: Seat) -> u32 {
    u32::from(a.row != b.row) + u32::from(a.col != b.col)
}

/// The `n`th number that is neither `a` nor `b`, counting from where `n` stands.
#[inline]
fn skipping(n: u32, a: u32, b: u32) -> u32 {
    let (low, high) = (a.min(b), a.max(b));
    let n = n + u32::from(n >= low);
    n + u32::from(n >= high)
}

/// The least loaded of parallel links; among equals, the draw's.
#[inline]
fn lightest(first: u32, n: u32, draw: u64, load: &impl LoadView) -> (LinkId, u32) {
    if n == 1 {
        return (LinkId(first), load.backlog(LinkId(first)));
    }
    let start = below(stir(draw, Stream::Parallel), n);
    let mut best = (LinkId(first + start), load.backlog(LinkId(first + start)));
    for i in 1..n {
        let nth = start + i;
        let link = LinkId(first + if nth >= n { nth - n } else { nth });
        let backlog = load.backlog(link);
        if backlog < best.1 {
            best = (link, backlog);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skipping_names_every_other_number_once() {
        for (a, b) in [(0, 1), (3, 1), (4, 5), (NO_TRANSIT, 2), (NO_TRANSIT, NO_TRANSIT)] {
            let left: Vec<u32> = (0..6).filter(|&n| n != a && n != b).collect();
            let got: Vec<u32> = (0..left.len() as u32).map(|n| skipping(n, a, b)).collect();
            assert_eq!(got, left, "without {a} and {b}");
        }
    }
}
