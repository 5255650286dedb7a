//! One switch at a time in windows, and event by event in the order of time: both engines give the
//! same result to the last bit, on any number of threads.

use base::{Span, draw};
use machine::Machine;
use properties::{assert_same, offered, preset, request, small};
use sim::traffic::{EngineChoice, Finish, LoadOutcome, TrafficRequest};

fn by(
    engine: EngineChoice,
    threads: usize,
    machine: &Machine,
    request: &TrafficRequest,
    finish: Finish,
) -> LoadOutcome {
    let done = offered(machine, &TrafficRequest { threads, engine, ..request.clone() }, finish);
    let used = done.engine.expect("a packet network has an engine");
    assert_eq!(used.uses_windows, engine == EngineChoice::Window, "{}", used.reason);
    done
}

/// Nine small groups, small buffers, every policy, below and above saturation.
#[test]
fn both_engines_give_the_same_result() {
    let policies = ["minimal", "valiant", "ugal", "par", "slingshot", "adaptive-0"];
    for (nth, routing) in policies.into_iter().enumerate() {
        let machine = small(&[
            ("routing", routing),
            ("links.local.buffer", "12 KiB"),
            ("links.global.buffer", "12 KiB"),
            ("nic.window", "16"),
            ("switch.credit_epoch", ["4 ns", "10 ns"][nth % 2]),
        ]);
        let pattern = ["uniform", "adversarial:1", "hotspot:4"][nth % 3];
        for (load, finish) in [(0.3, Finish::Measured), (1.2, Finish::Empty)] {
            let seed = draw(7, 0, 0, nth as u64);
            let request = request(pattern, load, 1_000, Span::us(2), Span::us(4));
            let request = TrafficRequest { seed, ..request };
            let events = by(EngineChoice::Event, 1, &machine, &request, finish);
            assert!(events.row.packets > 100, "{routing} {pattern} {load}: an empty test");
            for threads in [1, 2, 4] {
                let windows = by(EngineChoice::Window, threads, &machine, &request, finish);
                let what = format!("{routing} {pattern} {load} on {threads} threads");
                assert_same(&events, &windows, &what);
            }
        }
    }
}

/// Presets: host interfaces slower than links, several kinds of groups, congestion management,
/// responses as packets.
#[test]
fn presets_give_the_same_result_by_both_engines() {
    for (name, groups, epoch, bytes) in [
        ("aurora", "4", "350 ns", 2_048),
        ("frontier", "4", "300 ns", 64),
        ("cascade-3k", "2", "50 ns", 64),
    ] {
        let set = [("groups.compute.count", groups), ("switch.credit_epoch", epoch)];
        let machine = preset(name, &set);
        let request = request("hotspot:4", 0.5, bytes, Span::us(1), Span::us(2));
        let one = by(EngineChoice::Event, 1, &machine, &request, Finish::Empty);
        assert!(one.row.packets > 1_000, "{name}: an empty test");
        for threads in [1, 2] {
            let two = by(EngineChoice::Window, threads, &machine, &request, Finish::Empty);
            assert_same(&one, &two, name);
        }
    }
}
