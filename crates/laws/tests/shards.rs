//! A world may be divided among threads: what comes of it is the same to the last bit.

use base::{Span, draw};
use machine::{Machine, MachineSpec};
use sim::api::Fidelity;
use sim::traffic::{Finish, LoadOutcome, TrafficRequest, one_load};

fn machine(name: &str, set: &[(&str, &str)]) -> Machine {
    let text = machine::preset(name).unwrap_or_else(|| panic!("no preset {name}"));
    let set: Vec<_> = set.iter().map(|&(k, v)| (k.to_string(), v.to_string())).collect();
    MachineSpec::parse(name, text, &set)
        .and_then(|spec| spec.resolve())
        .unwrap_or_else(|complaints| panic!("{name}: {complaints:?}"))
}

fn on_threads(
    threads: usize,
    machine: &Machine,
    request: &TrafficRequest,
    load: f64,
    finish: Finish,
) -> LoadOutcome {
    let request = TrafficRequest { threads, ..request.clone() };
    one_load(machine, Fidelity::Packet, &request, load, finish, &mut |_, _| true)
        .unwrap_or_else(|complaints| panic!("{complaints:?}"))
}

/// All that a user is told, and what every link and switch has counted.
fn assert_same(one: &LoadOutcome, other: &LoadOutcome, what: &str) {
    assert_eq!(one.row, other.row, "{what}");
    assert_eq!(one.counters, other.counters, "{what}");
    assert_eq!((one.generated, one.interrupted), (other.generated, other.interrupted), "{what}");
}

/// Nine small groups, small buffers, every policy, below and above saturation: credits, windows and
/// acknowledgements that cross between shards all matter.
#[test]
fn threads_that_share_a_world_change_nothing() {
    let policies = ["minimal", "valiant", "ugal", "ugal-g", "par", "slingshot", "adaptive-0"];
    for (nth, routing) in policies.into_iter().enumerate() {
        let machine = machine(
            "dragonfly-1056",
            &[
                ("routing", routing),
                ("groups.compute.count", "9"),
                ("groups.compute.switches", "4"),
                ("groups.compute.global_ports", "2"),
                ("groups.compute.nodes", "8"),
                ("links.local.buffer", "12 KiB"),
                ("links.global.buffer", "12 KiB"),
                ("nic.window", "16"),
            ],
        );
        let pattern = ["uniform", "adversarial:1", "hotspot:4"][nth % 3];
        for (load, finish) in [(0.3, Finish::Measured), (1.2, Finish::Empty)] {
            let request = TrafficRequest {
                pattern: pattern.into(),
                loads: vec![load],
                packet_bytes: 1_000,
                warmup: Span::us(2),
                window: Span::us(4),
                seed: draw(7, 0, 0, nth as u64),
                threads: 1,
            };
            let alone = on_threads(1, &machine, &request, load, finish);
            assert!(alone.row.packets > 100, "{routing} {pattern} {load}: an empty test");
            for threads in [2, 3, 20] {
                let together = on_threads(threads, &machine, &request, load, finish);
                let what = format!("{routing} {pattern} {load} on {threads} threads");
                assert_same(&alone, &together, &what);
            }
        }
    }
}

/// The presets as they are: cables of 5 ns and of 100 m, several kinds of groups, NICs whose host
/// interfaces are slower than their links.
#[test]
fn presets_come_out_alike_on_two_threads() {
    for (name, groups) in [("aurora", "4"), ("cascade-3k", "2")] {
        let machine = machine(name, &[("groups.compute.count", groups)]);
        let request = TrafficRequest {
            pattern: "uniform".into(),
            loads: vec![0.5],
            packet_bytes: 64,
            warmup: Span::ns(500),
            window: Span::us(1),
            seed: 3,
            threads: 1,
        };
        let one = on_threads(1, &machine, &request, 0.5, Finish::Empty);
        let two = on_threads(2, &machine, &request, 0.5, Finish::Empty);
        assert!(one.row.packets > 1_000, "{name}: an empty test");
        assert_same(&one, &two, name);
    }
}
