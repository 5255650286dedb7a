//! Valiant's randomized routing: every packet minimally to a random switch and minimally from
//! there.
//!
//! Source: Valiant, "A Scheme for Fast Parallel Communication" (1982). For dragonflies Kim et al.
//! (ISCA 2008) pass through a random group, by whichever switch a link leads to (`valiant-group`).
//! A random switch of a random group (`valiant`) also spreads the load over that group's local
//! links, where it piles up otherwise (Garcia et al., ICPP 2012, "On-the-fly adaptive routing in
//! high-radix hierarchical networks"). Traffic within a group passes through a switch of it.

use super::super::{LoadMetric, Step, Stream, derive_draw};
use super::DecisionPoint;
use crate::{LoadView, Route};

#[inline]
pub(super) fn depart<L: LoadView>(
    point: &DecisionPoint<'_, L>,
    route: &mut Route,
    metric: &impl LoadMetric,
) -> Step {
    match point.net.intermediate_switch(
        point.at,
        point.dst_switch,
        derive_draw(point.draw, Stream::Via),
    ) {
        None => point.start_leg(point.dst_switch, metric),
        Some(via) => {
            route.set_via(via);
            point.start_leg(via, metric)
        }
    }
}
