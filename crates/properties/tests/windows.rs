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

/// Policies, each with a pattern, and the loads and ends of its runs.
const POLICIES: [&str; 6] = ["minimal", "valiant", "ugal", "par", "slingshot", "adaptive-0"];
const PATTERNS: [&str; 3] = ["uniform", "adversarial:1", "hotspot:4"];
const RUNS: [(f64, Finish); 2] = [(0.3, Finish::Measured), (1.2, Finish::Empty)];

/// Nine small groups with small buffers, and traffic of this policy.
fn world(nth: usize, more: &[(&str, &str)], load: f64) -> (Machine, TrafficRequest) {
    let mut set = vec![
        ("routing", POLICIES[nth]),
        ("links.local.buffer", "12 KiB"),
        ("links.global.buffer", "12 KiB"),
        ("nic.window", "16"),
    ];
    set.extend(more);
    let request = request(PATTERNS[nth % 3], load, 1_000, Span::us(2), Span::us(4));
    (small(&set), TrafficRequest { seed: draw(7, 0, 0, nth as u64), ..request })
}

/// Every policy, below and above saturation, by the general implementation.
#[test]
fn both_engines_give_the_same_result() {
    for nth in 0..POLICIES.len() {
        for (load, finish) in RUNS {
            let epoch = [("switch.credit_epoch", ["4 ns", "10 ns"][nth % 2])];
            let (machine, request) = world(nth, &epoch, load);
            let events = by(EngineChoice::Event, 1, &machine, &request, finish);
            assert!(events.row.packets > 100, "{request:?}: an empty test");
            for threads in [1, 2, 4] {
                let windows = by(EngineChoice::Window, threads, &machine, &request, finish);
                let what = format!("{} {request:?} on {threads} threads", POLICIES[nth]);
                assert_same(&events, &windows, &what);
            }
        }
    }
}

/// The same by turns of switches, with longer windows: without a host interface, with one that is
/// slower than links, and with global links that are slower than the others.
#[test]
fn turns_of_switches_give_the_same_result() {
    let windows = [
        ("switch.latency", "400 ns"),
        ("switch.credit_epoch", "400 ns"),
        ("congestion.management", "off"),
    ];
    let nics: [&[(&str, &str)]; 3] = [
        &[],
        &[("nic.host_rate", "30 GB/s"), ("nic.host_rate_one_way", "20 GB/s")],
        &[("links.global.rate", "10 GB/s"), ("nic.message_gap", "20 ns")],
    ];
    for (nth, nic) in (0..POLICIES.len()).flat_map(|nth| nics.map(|nic| (nth, nic))) {
        let (load, finish) = RUNS[(nth + nic.len() / 2) % 2];
        let (machine, request) = world(nth, &[&windows[..], nic].concat(), load);
        let events = by(EngineChoice::Event, 1, &machine, &request, finish);
        assert!(events.row.packets > 100, "{request:?}: an empty test");
        let windows = by(EngineChoice::Window, 1, &machine, &request, finish);
        let what = format!("{} {nic:?} {request:?}", POLICIES[nth]);
        assert_eq!(windows.engine.expect("a packet network").general, None, "{what}");
        assert_same(&events, &windows, &what);
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
