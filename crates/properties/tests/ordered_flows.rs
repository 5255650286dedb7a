//! Properties of ordered flows: under any policy and load, ordered packets do not overtake each
//! other and use one path while any of them is in flight; other packets do neither.

use std::collections::BTreeMap;

use api::Fidelity;
use base::{Span, Time, below, draw};
use loggp::LogGpNetwork;
use machine::{Idle, LinkId, Machine, MachineSpec};
use net::{LinkTraffic, Message, Origin};
use properties::{assert_same, buffers, offered_at, preset, request, run, run_on};
use sim::traffic::{Finish, LoadOutcome, TrafficRequest, TrafficSetting, one_load_at};

/// Five groups of four switches and eight NICs, with two links between any two.
fn small(set: &[(&str, &str)]) -> Machine {
    let mut all = vec![
        ("groups.compute.count", "5"),
        ("groups.compute.switches", "4"),
        ("groups.compute.nodes", "8"),
        ("groups.compute.global_ports", "2"),
        ("global.links.compute.compute", "2"),
        ("switch.flows", "kept"),
        ("ugal_bias", "0 B"),
    ];
    all.extend_from_slice(set);
    preset("dragonfly-1056", &all)
}

/// Policies that may use two paths for packets of one pair.
const MULTIPATH_POLICIES: [&str; 13] = [
    "minimal",
    "valiant",
    "valiant-group",
    "ugal-l",
    "ugal-g",
    "par",
    "slingshot",
    "adaptive-0",
    "adaptive-1",
    "adaptive-2",
    "adaptive-3",
    "min-hash",
    "nmin-hash",
];

/// A message whose data are already in the NIC, so that it is ready as early as possible.
fn message(src: u32, dst: u32, bytes: u64, draw: u64, in_order: bool) -> Message {
    Message { origin: Origin::Nic, in_order, ..properties::message(src, dst, bytes, draw) }
}

/// Every NIC has four receivers, and sends each a sequence of messages of up to four packets: two
/// ordered sequences, two unordered. Among them are larger messages to random destinations.
fn rows(machine: &Machine, seed: u64, within: Span) -> Vec<(Time, Message)> {
    let n = machine.n_nics();
    let mut all = Vec::new();
    for nth in 0..300 * u64::from(n) {
        let random = |about: u32| draw(seed, about, 0, nth);
        let (src, row) = (nth as u32 % n, below(random(0), 5));
        let at = Time(random(1) % within.0);
        let msg = match row {
            4 => message(src, (src + 1 + below(random(2), n - 1)) % n, LARGE, random(3), false),
            _ => {
                // Sequences have receivers of their own: a quarter of all NICs each.
                let far = 1 + row * (n / 4) + below(draw(seed, 9, src, u64::from(row)), n / 4 - 1);
                let bytes = u64::from(below(random(4), 1 << 13) >> below(random(5), 4));
                message(src, (src + far) % n, bytes, random(3), row < 2)
            }
        };
        all.push((at, msg));
    }
    all.sort_by_key(|&(at, _)| at);
    all
}

const LARGE: u64 = 12_000;

/// Messages of a sequence that completed before an earlier one: ordered and unordered. Of the
/// latter only those of one packet count, since the NIC itself lets short messages pass long ones.
fn overtakings(messages: &[(Time, Message)], seen: &[Time]) -> [usize; 2] {
    let mut found = [0; 2];
    let mut last = BTreeMap::new();
    let counts = |msg: &Message| msg.bytes <= if msg.in_order { LARGE - 1 } else { 2048 };
    for ((_, msg), &seen) in messages.iter().zip(seen).filter(|((_, msg), _)| counts(msg)) {
        let before = last.insert((msg.src, msg.dst), seen);
        found[usize::from(!msg.in_order)] += usize::from(before.is_some_and(|b| b > seen));
    }
    found
}

/// Under random load beyond saturation of some links, no ordered message completes before an
/// earlier one of its sequence, with any policy; many unordered ones do.
#[test]
fn ordered_packets_stay_in_order_and_others_do_not() {
    for (nth, routing) in MULTIPATH_POLICIES.into_iter().enumerate() {
        for managed in ["off", "on"] {
            let machine = small(&[
                ("routing", routing),
                ("switch.arbitration", ["round-robin", "age"][nth % 2]),
                ("nic.window", ["8", "64"][nth / 2 % 2]),
                ("congestion.management", managed),
                ("congestion.threshold", "6 KiB"),
            ]);
            let messages = rows(&machine, nth as u64, Span::us(60));
            let got = run(&machine, &messages);
            let [in_order, others] = overtakings(&messages, &got.seen);
            println!("{routing}, management {managed}: {in_order} and {others} overtakings");
            assert_eq!(in_order, 0, "{routing}, management {managed}");
            assert!(others > 5, "{routing}, management {managed}: a test that cannot fail");
        }
    }
}

/// Links of the path of a packet of `msg` in an idle network.
fn path(machine: &Machine, msg: Message) -> Vec<LinkId> {
    let mut path = Vec::new();
    machine.walk(msg.src, msg.dst, Message::draw_in_order(msg.draw), &Idle, &mut path);
    path
}

/// A packet that leaves while another of its flow is not acknowledged takes that one's path, also
/// if that is itself a follower. A packet that leaves at the very instant of the last
/// acknowledgement takes its own.
#[test]
fn a_flow_keeps_its_path_until_its_last_acknowledgement() {
    for routing in ["valiant", "valiant-group", "nmin-hash", "minimal", "slingshot"] {
        let machine = small(&[("routing", routing)]);
        let mut distinct = 0;
        for nth in 0..150 {
            let random = |about| draw(5, about, 0, nth);
            let (src, dst) = (below(random(0), 8), 8 + below(random(1), 32));
            let [first, second, third] =
                [2, 3, 4].map(|about| message(src, dst, 64, random(about), true));
            if path(&machine, first) == path(&machine, second)
                || path(&machine, first) == path(&machine, third)
            {
                continue;
            }
            distinct += 1;
            // Arrival at the receiver's NIC, and acknowledgement after the latencies of the links.
            let one = path(&machine, first);
            let back: Span = one.iter().map(|&link| machine.links.latency[link]).sum();
            let acked_at = |messages: &[(Time, Message)]| {
                let seen = *run(&machine, messages).seen.last().expect("some");
                Time(seen.0 - machine.nic.recv_latency.0) + back
            };
            let leave_at = |t: Time| Time(t.0 - machine.nic.send_latency.0);
            let start = (Time(0), first);
            let acked = acked_at(&[start]);
            let follower = (leave_at(Time(acked.0 - 1)), second);
            let second_acked = acked_at(&[start, follower]);
            assert!(second_acked > acked);
            for (messages, paths) in [
                (vec![start, follower], vec![&one, &one]),
                (vec![start, (leave_at(acked), second)], vec![&one, &path(&machine, second)]),
                (
                    vec![start, follower, (leave_at(Time(second_acked.0 - 1)), third)],
                    vec![&one, &one, &one],
                ),
                (
                    vec![start, follower, (leave_at(second_acked), third)],
                    vec![&one, &one, &path(&machine, third)],
                ),
            ] {
                let got = run(&machine, &messages).counters.links;
                for (link, &LinkTraffic { packets, .. }) in got.iter() {
                    let want: usize =
                        paths.iter().map(|path| path.iter().filter(|&&l| l == link).count()).sum();
                    assert_eq!(packets, want as u64, "{routing}, {nth}: {link:?}");
                }
            }
        }
        assert!(distinct > 5, "{routing}: all paths are equal");
    }
}

/// With links between switches slower than NICs, a long ordered message takes as long as the
/// slowest link of one path needs, to the picosecond; an unordered one uses several paths.
#[test]
fn an_ordered_message_uses_one_path_and_others_spread() {
    for routing in ["ugal-l", "ugal-g", "par", "slingshot", "adaptive-0"] {
        let machine = small(&[
            ("routing", routing),
            ("links.local.rate", "2 GB/s"),
            ("links.global.rate", "2 GB/s"),
        ]);
        for dst in 8..16 {
            let long = |in_order| message(0, dst, 200 * 2048, draw(3, 0, dst, 0), in_order);
            let [one, many] =
                [true, false].map(|in_order| run(&machine, &[(Time(0), long(in_order))]));
            for (link, &LinkTraffic { packets, .. }) in one.counters.links.iter() {
                assert!(packets == 0 || packets == 200, "{routing}: {packets} on {link:?}");
            }
            let closed = run_on::<LogGpNetwork>(&machine, &[(Time(0), long(true))]);
            assert_eq!(one.seen, closed.seen, "{routing}: to {dst}");
            let (one, many) = (one.seen[0], many.seen[0]);
            assert!(many.0 * 10 < one.0 * 8, "{routing}: {many} on many paths, {one} on one");
        }
    }
}

/// Where two groups share many links, the packets of a message take paths of different lengths, and
/// fidelities agree within a bound (properties/tests/network.rs). Ordered packets take one path,
/// and fidelities agree exactly.
#[test]
fn an_uncontended_ordered_message_takes_the_same_time_at_every_fidelity() {
    for name in ["frontier", "lumi-g", "aurora"] {
        let machine = preset(name, &[("switch.flows", "kept")]);
        let n = machine.node_nics.raw[machine.compute_nodes as usize];
        for far in [1, 9, 40, n / 7, n / 3, n / 2, n - 1] {
            for bytes in [0, 8, 2048, 2049, 16 << 10, 1 << 20] {
                let random = draw(7, 0, far, bytes);
                let alone = [(Time(0), message(0, far, bytes, random, true))];
                let open = run(&machine, &alone).seen;
                let closed = run_on::<LogGpNetwork>(&machine, &alone).seen;
                assert_eq!(open, closed, "{name}: {bytes} B to {far}");
            }
        }
    }
}

/// Where switches keep no flows, the ordering flag has no effect.
#[test]
fn without_flows_order_changes_nothing() {
    let machine = small(&[("switch.flows", "none"), ("routing", "slingshot")]);
    let messages = rows(&machine, 3, Span::us(40));
    let plain: Vec<_> =
        messages.iter().map(|&(at, m)| (at, Message { in_order: false, ..m })).collect();
    let (asked, plain) = (run(&machine, &messages), run(&machine, &plain));
    assert_eq!((asked.seen, asked.digest), (plain.seen, plain.digest));
}

/// A follower takes the channel that its leader took from the same channel, so buffers of a single
/// packet suffice, as without flows.
#[test]
fn flows_do_not_deadlock_in_the_smallest_buffers() {
    for (routing, tight) in [
        ("minimal", "4 KiB"),
        ("valiant", "8 KiB"),
        ("valiant-group", "6 KiB"),
        ("ugal-l", "8 KiB"),
        ("ugal-g", "8 KiB"),
        ("par", "10 KiB"),
        ("slingshot", "8 KiB"),
        ("adaptive-1", "8 KiB"),
    ] {
        for arbitration in ["round-robin", "age"] {
            let machine = small(&[
                ("routing", routing),
                ("switch.arbitration", arbitration),
                buffers(tight)[0],
                buffers(tight)[1],
                buffers(tight)[2],
            ]);
            let messages = rows(&machine, 8, Span::us(4));
            let in_order: Vec<_> =
                messages.iter().map(|&(at, m)| (at, Message { in_order: true, ..m })).collect();
            // `run` checks that all messages complete and every credit is returned.
            let got = run(&machine, &in_order);
            assert_eq!(overtakings(&in_order, &got.seen)[0], 0, "{routing}");
        }
    }
}

fn on_threads(
    threads: usize,
    machine: &Machine,
    request: &TrafficRequest,
    in_order: bool,
) -> LoadOutcome {
    let place = TrafficSetting { in_order, ..TrafficSetting::default() };
    offered_at(machine, &TrafficRequest { threads, ..request.clone() }, &place, Finish::Empty)
}

/// A switch stores hops of its own only, so networks with flows can be divided into shards: flows
/// that cross shards and return, and that restart all the time.
#[test]
fn thread_count_does_not_change_ordered_flows() {
    let policies = ["minimal", "valiant", "ugal", "par", "slingshot", "adaptive-0"];
    for (nth, routing) in policies.into_iter().enumerate() {
        for (pattern, load) in
            [("random-permutation", 0.9), ("worst-permutation", 0.3), ("hotspot:4", 0.1)]
        {
            let machine = small(&[
                ("routing", routing),
                ("links.local.buffer", "12 KiB"),
                ("links.global.buffer", "12 KiB"),
                ("nic.window", "16"),
            ]);
            let seed = draw(7, 0, 0, nth as u64);
            let request = request(pattern, load, 1_000, Span::us(2), Span::us(6));
            let request = TrafficRequest { seed, ..request };
            let alone = on_threads(1, &machine, &request, true);
            assert!(alone.row.packets > 100, "{routing} {pattern}: an empty test");
            let free = on_threads(1, &machine, &request, false);
            assert_ne!(alone.row.digest, free.row.digest, "{routing} {pattern}: no flows");
            for threads in [2, 3, 5] {
                let together = on_threads(threads, &machine, &request, true);
                let what = format!("{routing} {pattern} on {threads} threads");
                assert_same(&alone, &together, &what);
            }
        }
    }
}

/// Errors are reported: ordering cannot be requested from a fabric without flows, and a fabric
/// whose NICs send responses keeps none.
#[test]
fn ordering_is_rejected_without_flow_support() {
    let machine = small(&[("switch.flows", "none")]);
    let request = request("uniform", 0.1, 64, Span::ZERO, Span::us(1));
    let place = TrafficSetting { in_order: true, ..TrafficSetting::default() };
    let tick = &mut |_, _| true;
    let end = Finish::Empty;
    let found = one_load_at(&machine, Fidelity::Packet, &request, &place, 0.1, end, tick)
        .expect_err("switches that keep no flows");
    assert_eq!(found[0].at, "ordered");
    let text = machine::preset("cascade-3k").expect("a preset");
    let set = [("switch.flows".to_string(), "kept".to_string())];
    let found = MachineSpec::parse("x", text, &set).and_then(|s| s.resolve()).expect_err("answers");
    assert_eq!(found[0].at, "switch.flows");
}
