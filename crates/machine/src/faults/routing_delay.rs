//! When faults of links are reported to switches that are not at their ends: a policy of the
//! fabric manager.

use base::{Span, Time};

use super::{NEVER, Outage};

/// When a failure or repair of a link is reported to the switches that are not at one of its ends.
/// The state at the start of a run is known to all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RoutingDelay {
    /// This long after each change. An outage that is not longer is never reported.
    Fixed(Span),
    /// With the next of the fabric manager's sweeps, which are at the multiples of this period. An
    /// outage without a sweep in it is never reported. A period of zero is a delay of zero.
    Sweeps(Span),
}

impl RoutingDelay {
    /// The time in which other switches have `outage` as reported; `None` if they never do.
    pub(crate) fn reported(self, outage: Outage) -> Option<Outage> {
        let Outage { from, until } = outage;
        let at = |change: Time| match self {
            _ if change == NEVER => NEVER,
            RoutingDelay::Fixed(delay) => Time(change.0.saturating_add(delay.0)),
            RoutingDelay::Sweeps(Span(0)) => change,
            RoutingDelay::Sweeps(period) => {
                Time(change.0.div_ceil(period.0).saturating_mul(period.0))
            }
        };
        let is_missed = match self {
            RoutingDelay::Fixed(delay) => until.since(from) <= delay,
            RoutingDelay::Sweeps(_) => at(from) == at(until),
        };
        if from == Time::ZERO {
            return Some(Outage { from, until: at(until) });
        }
        (!is_missed).then(|| Outage { from: at(from), until: at(until) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At multiples of the period, rounded up, without the outages between two sweeps.
    #[test]
    fn sweeps_report_at_multiples_of_their_period() {
        let outage = |from, until| Outage { from: Time(from), until: Time(until) };
        for (period, of, want) in [
            (10, outage(101, 125), Some(outage(110, 130))),
            (10, outage(100, 120), Some(outage(100, 120))),
            (10, outage(101, 110), None),
            (10, outage(102, 109), None),
            (10, outage(109, 111), Some(outage(110, 120))),
            (10, outage(0, 3), Some(outage(0, 10))),
            (0, outage(7, 8), Some(outage(7, 8))),
            (10, outage(101, NEVER.0), Some(outage(110, NEVER.0))),
        ] {
            let reported = RoutingDelay::Sweeps(Span(period)).reported(of);
            assert_eq!(reported, want, "period {period}, {of:?}");
        }
    }
}
