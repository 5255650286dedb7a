//! Progressive adaptive routing: UGAL-L, and a packet that still goes minimally is asked again at
//! every switch of its group. There it sees the queue of the very link it was headed for.
//!
//! Source: Jiang, Kim and Dally, "Indirect Adaptive Routing on Large Scale Interconnection
//! Networks" (ISCA 2009), section 3.3. A packet that turns away makes a second way through its
//! group, which needs virtual channels of its own: hence a class more.

use super::{Fork, ugal};
use crate::dragonfly::{Local, Step, Stream};
use crate::{LoadView, Route, SwitchId};

#[inline]
pub(super) fn onward<L: LoadView>(fork: &Fork<'_, L>, bias: u32, route: &mut Route) -> Step {
    let scale = Local(fork.load);
    if route.via != 0 {
        return fork.go_on(SwitchId(route.via - 1), &scale);
    }
    let minimal = fork.go_on(fork.home, &scale);
    let streams = [Stream::Again, Stream::OtherAgain];
    match ugal::detour(fork, &scale, minimal, bias, streams, route) {
        Some(step) => {
            route.class += 1;
            step
        }
        None => minimal,
    }
}
