//! A fabric that changes during a run.

use base::{Span, Time};
use flow::FlowNetwork;
use machine::RoutingBias;
use net::Message;
use properties::{message, run, run_on, small};

/// Eight NICs of one group send to the next, over one cable.
fn messages() -> Vec<(Time, Message)> {
    (0..160)
        .map(|nth| {
            (
                Time::ZERO + Span::us(nth / 8),
                message(nth as u32 % 8, 8 + nth as u32 % 8, 16_384, nth),
            )
        })
        .collect()
}

/// UGAL diverts much of the traffic, and nothing with a large bias. The bias changes in the middle,
/// at the start, and after the end.
#[test]
fn a_change_of_bias_affects_later_decisions_only() {
    let machine = small(&[("routing", "ugal-l"), ("ugal_bias", "0 B")]);
    let messages = messages();
    let unchanged = run(&machine, &messages);
    let changed_at = |at: Time| {
        let changed = machine.clone().with_bias_change(at, RoutingBias::Ugal(u32::MAX));
        run(&changed.expect("UGAL has a bias"), &messages)
    };
    let middle = Time(unchanged.end().0 / 2);
    let changed = changed_at(middle);
    let n_diverted = [unchanged.counters.nonminimal, changed.counters.nonminimal];
    assert!(0 < n_diverted[1] && n_diverted[1] < n_diverted[0], "{n_diverted:?}");
    let before =
        |seen: &[Time]| seen.iter().map(|&t| (t < middle).then_some(t)).collect::<Vec<_>>();
    assert_eq!(before(&changed.seen), before(&unchanged.seen));
    assert!(before(&unchanged.seen).iter().flatten().count() > 8, "messages end before the change");
    assert_ne!(changed.seen, unchanged.seen);

    assert_eq!(changed_at(Time::ZERO).counters.nonminimal, 0);
    let late = changed_at(unchanged.end() + Span::us(1));
    assert_eq!((late.seen, late.counters.nonminimal), (unchanged.seen, n_diverted[0]));
}

/// A bias that changes at the start is the bias of the run: for routes of flows, and for the
/// backlogs that depend on it.
#[test]
fn flows_use_a_bias_that_changes_at_the_start() {
    let with_bias = |text| small(&[("routing", "ugal-l"), ("ugal_bias", text)]);
    let changed = with_bias("0 B").with_bias_change(Time::ZERO, RoutingBias::Ugal(1 << 16));
    let changed = run_on::<FlowNetwork>(&changed.expect("UGAL has a bias"), &messages());
    let expected = run_on::<FlowNetwork>(&with_bias("65536 B"), &messages());
    assert_eq!((&changed.seen, changed.digest), (&expected.seen, expected.digest));
    let other = run_on::<FlowNetwork>(&with_bias("0 B"), &messages());
    assert_ne!(other.seen, expected.seen, "the bias has no effect here");
}
