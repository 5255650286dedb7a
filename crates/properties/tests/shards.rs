//! A network divided among threads gives the same result to the last bit.

use api::Fidelity;
use base::{Span, Time, draw};
use machine::{Machine, NicId, RoutingBias};
use properties::{assert_same, offered, preset, request, small};
use sim::traffic::{Finish, LoadOutcome, TrafficRequest, TrafficSetting, one_load_at};

fn on_threads(
    threads: usize,
    machine: &Machine,
    request: &TrafficRequest,
    finish: Finish,
) -> LoadOutcome {
    offered(machine, &TrafficRequest { threads, ..request.clone() }, finish)
}

/// Nine small groups, small buffers, every policy, below and above saturation: credits, windows and
/// acknowledgements that cross shards all matter.
#[test]
fn thread_count_does_not_change_results() {
    let policies = ["minimal", "valiant", "ugal", "ugal-g", "par", "slingshot", "adaptive-0"];
    for (nth, routing) in policies.into_iter().enumerate() {
        let machine = small(&[
            ("routing", routing),
            ("links.local.buffer", "12 KiB"),
            ("links.global.buffer", "12 KiB"),
            ("nic.window", "16"),
        ]);
        let pattern = ["uniform", "adversarial:1", "hotspot:4"][nth % 3];
        for (load, finish) in [(0.3, Finish::Measured), (1.2, Finish::Empty)] {
            let seed = draw(7, 0, 0, nth as u64);
            let request = request(pattern, load, 1_000, Span::us(2), Span::us(4));
            let request = TrafficRequest { seed, ..request };
            let alone = on_threads(1, &machine, &request, finish);
            assert!(alone.row.packets > 100, "{routing} {pattern} {load}: an empty test");
            for threads in [2, 3, 20] {
                let together = on_threads(threads, &machine, &request, finish);
                let what = format!("{routing} {pattern} {load} on {threads} threads");
                assert_same(&alone, &together, &what);
            }
        }
    }
}

/// The presets: cables of 5 ns and of 100 m, several kinds of groups, NICs whose host interfaces
/// are slower than their links.
#[test]
fn presets_give_the_same_result_on_two_threads() {
    for (name, groups) in [("aurora", "4"), ("cascade-3k", "2")] {
        let machine = preset(name, &[("groups.compute.count", groups)]);
        let request = request("uniform", 0.5, 64, Span::ns(500), Span::us(1));
        let one = on_threads(1, &machine, &request, Finish::Empty);
        let two = on_threads(2, &machine, &request, Finish::Empty);
        assert!(one.row.packets > 1_000, "{name}: an empty test");
        assert_same(&one, &two, name);
    }
}

/// Events that cross shards at the end of a time window, and cables of length zero, which give no
/// lookahead.
#[test]
fn zero_latency_switches_and_cables_change_nothing() {
    for (switch, cable) in [("0 ns", "95 ns"), ("5 ns", "0 ns")] {
        let machine = small(&[("switch.latency", switch), ("links.global.cable", cable)]);
        let request = request("uniform", 0.4, 256, Span::us(2), Span::us(4));
        let alone = on_threads(1, &machine, &request, Finish::Empty);
        assert!(alone.row.packets > 100, "an empty test");
        for threads in [2, 9] {
            let together = on_threads(threads, &machine, &request, Finish::Empty);
            assert_same(&alone, &together, &format!("{switch}, {cable}, {threads} threads"));
        }
    }
}

/// A change of biases takes effect in every shard at its time.
#[test]
fn a_change_of_bias_reaches_every_shard() {
    let start = small(&[("routing", "ugal-l"), ("ugal_bias", "0 B")]);
    let bias = RoutingBias::Ugal(u32::MAX);
    let changed = start.clone().with_bias_change(Time::ZERO + Span::us(3), bias);
    let changed = changed.expect("UGAL has a bias");
    let request = request("adversarial:1", 0.3, 1_000, Span::us(2), Span::us(4));
    let alone = on_threads(1, &changed, &request, Finish::Empty);
    let unchanged = on_threads(1, &start, &request, Finish::Empty);
    let diverted = [&alone, &unchanged].map(|outcome| outcome.counters.nonminimal);
    assert!(0 < diverted[0] && diverted[0] < diverted[1], "{diverted:?}");
    for threads in [2, 3, 9] {
        let together = on_threads(threads, &changed, &request, Finish::Empty);
        assert_same(&alone, &together, &format!("{threads} threads"));
    }
}

/// The caller can interrupt a run, even if the first shard has no events.
#[test]
fn an_idle_shard_can_be_interrupted() {
    let machine = preset("dragonfly-1056", &[]);
    let n = machine.n_nics();
    let place =
        TrafficSetting { nics: (n / 2..n).map(NicId).collect(), ..TrafficSetting::default() };
    let request = request("shift:1", 0.01, 64, Span::ZERO, Span::ms(1));
    let request = TrafficRequest { threads: 2, ..request };
    let (fidelity, finish) = (Fidelity::Packet, Finish::Measured);
    let done = one_load_at(&machine, fidelity, &request, &place, 0.01, finish, &mut |_, _| false);
    assert!(done.unwrap_or_else(|input_errors| panic!("{input_errors:?}")).interrupted);
}
