//! Valiant's randomized routing: every packet minimally to a random place and minimally from there.
//!
//! Source: Valiant, "A Scheme for Fast Parallel Communication" (1982). For dragonflies Kim et al.
//! (ISCA 2008) pass a random group, by whichever switch a link leads to (`valiant-group`); a
//! random switch of a random group (`valiant`) also spreads the load over that group's own links,
//! which Garcia et al. (ICPP 2012, "On-the-fly adaptive routing in high-radix hierarchical
//! networks") found to pile up otherwise. Traffic within a group passes a switch of it.

use super::Fork;
use crate::dragonfly::{Scale, Step, Stream, stir};
use crate::{LoadView, Route};

#[inline]
pub(super) fn depart<L: LoadView>(
    fork: &Fork<'_, L>,
    route: &mut Route,
    scale: &impl Scale,
) -> Step {
    match fork.net.via(fork.at, fork.home, stir(fork.draw, Stream::Via)) {
        None => fork.begin(fork.home, scale),
        Some(via) => {
            route.go_by(via);
            fork.begin(via, scale)
        }
    }
}
