//! Requests and responses of Aries: header overhead of both, throughput of a window, and no loss,
//! duplicate response or deadlock for any buffer size. Equations: docs/models/aries.md.

use base::{Span, Time, draw};
use machine::{Idle, Machine, NicId};
use net::{Completion, Message};
use properties::{Run, message, preset};

/// Four groups of two chassis of six slots, four nodes per Aries.
const SMALL: [(&str, &str); 5] = [
    ("groups.compute.count", "4"),
    ("groups.compute.switches", "12"),
    ("groups.compute.chassis", "2"),
    ("groups.compute.nodes", "48"),
    ("groups.compute.global_ports", "4"),
];

fn put(src: u32, dst: u32, bytes: u64, draw: u64) -> Message {
    Message { completion: Completion::Initiator(0), ..message(src, dst, bytes, draw) }
}
fn get(src: u32, dst: u32, bytes: u64, draw: u64) -> Message {
    Message { completion: Completion::Initiator(bytes), ..message(src, dst, 0, draw) }
}

/// Also checks that every packet has one response, and that links carried the bytes of requests and
/// responses.
fn run(machine: &Machine, messages: &[(Time, Message)]) -> Run {
    let run = properties::run(machine, messages);
    let c = &run.counters;
    assert_eq!((c.delivered_packets, c.responses), (c.injected_packets, c.injected_packets));
    let injected: u64 =
        (0..machine.n_nics()).map(|nic| c.links[machine.injection(NicId(nic))].bytes).sum();
    let headers = machine.nic.packet_overhead + machine.nic.response;
    assert_eq!(injected, c.delivered_payload + c.injected_packets * headers);
    run
}

/// Time until all messages that start at zero are complete.
fn took(machine: &Machine, messages: &[(Time, Message)]) -> Span {
    run(machine, messages).end().since(Time::ZERO)
}

/// Four nodes of one Aries and four of the next in its chassis, minimal routing: one green link in
/// each direction. The expectation follows from header sizes only: 64 of 88 B are payload in one
/// direction, and 64 of 100 in both, the published 64 % (VIII).
#[test]
fn headers_of_both_networks_give_the_published_efficiency() {
    let machine = preset("cascade-3k", &[("routing", "minimal")]);
    let bytes = 256 << 10;
    let there = |dst: fn(u32) -> u32| (0..4).map(move |i| (Time(0), put(i, dst(i), bytes, 7)));
    let back = (0..4).map(|i| (Time(0), put(i + 4, i, bytes, 8)));
    let both: Vec<_> = there(|i| i + 4).chain(back).collect();
    let one: Vec<_> = there(|i| i + 4).collect();
    let link = 5.25e9;
    for (messages, share) in [(one, 64.0 / 88.0), (both, 64.0 / 100.0)] {
        let rate = (4 * bytes) as f64 / took(&machine, &messages).seconds();
        let got = rate / link;
        println!("{} messages: {:.1} % of a link", messages.len(), got * 100.0);
        // The latency of the first and the last packet is below 1 % of the run.
        assert!(got <= share && got > share * 0.98, "{got}, not {share}");
    }
}

/// The same for gets: requests are all headers, responses carry the data.
#[test]
fn gets_load_links_as_puts_do() {
    let machine = preset("cascade-3k", &[("routing", "minimal")]);
    let bytes = 256 << 10;
    let gets = (0..4).flat_map(|i| [get(i, i + 4, bytes, 7), get(i + 4, i, bytes, 8)]);
    let messages: Vec<_> = gets.map(|m| (Time(0), m)).collect();
    let got = (4 * bytes) as f64 / took(&machine, &messages).seconds() / 5.25e9;
    assert!(got <= 0.64 && got > 0.64 * 0.98, "{got}");
}

/// A window of W packets gives 64 W bytes per round trip: link latencies in both directions, a
/// packet through the host interface, and a response on the wire. Below 6.55 us the host interface
/// is the limit.
#[test]
fn throughput_is_one_window_per_round_trip() {
    for cable in ["100 ns", "1 us", "2 us", "4 us", "16 us"] {
        let machine =
            preset("cascade-3k", &[("links.edge.cable", cable), ("links.edge.buffer", "16 MiB")]);
        let mut path = Vec::new();
        machine.walk(NicId(0), NicId(1), 0, &Idle, &mut path);
        let latency: Span = path.iter().map(|&l| machine.links.latency[l]).sum();
        let nic = &machine.nic;
        let wire = machine.links.gap[path[0]].span(nic.response);
        let packet = nic.host_gap_one_way.span(nic.packet_payload);
        let round = latency * 2 + packet + wire;
        let period = round.max(packet * u64::from(nic.window));
        let bytes = u64::from(nic.window) * nic.packet_payload;
        let windows = |n: u64| took(&machine, &[(Time(0), put(0, 1, bytes * n, 3))]);
        let (two, four) = (windows(2), windows(4));
        let got = (four - two).seconds() / 2.0;
        println!("{cable}: {round} per round trip, {:.2} GB/s", bytes as f64 / got * 1e-9);
        assert!((got / period.seconds() - 1.0).abs() < 0.005, "{cable}: {got} s for {period}");
    }
}

/// Every node puts to and gets from others at once, with buffers of one packet per virtual channel.
/// Requests then fill all buffers towards NICs that cannot respond before others take what they
/// have sent. With one virtual network for both this would deadlock; `run` checks that it does not.
#[test]
fn responses_never_wait_for_requests_in_any_buffer_size() {
    for routing in ["minimal", "valiant", "adaptive-0", "adaptive-3", "min-hash", "par"] {
        for seed in [1, 2] {
            // One packet of 88 B for each channel of the routing.
            let tight = match routing {
                "minimal" | "min-hash" => "176 B",
                "par" => "440 B",
                _ => "352 B",
            };
            let mut set = SMALL.to_vec();
            set.extend([("routing", routing), ("nic.window", "64")]);
            set.extend(["edge", "local", "chassis", "global"].map(|link| {
                let key: &str = match link {
                    "edge" => "links.edge.buffer",
                    "local" => "links.local.buffer",
                    "chassis" => "links.chassis.buffer",
                    _ => "links.global.buffer",
                };
                (key, tight)
            }));
            let machine = preset("cascade-3k", &set);
            let n = machine.n_nics();
            let messages: Vec<_> = (0..4 * n)
                .map(|i| {
                    let pick = |stream, n| base::below(draw(seed, stream, 0, u64::from(i)), n);
                    let (src, bytes) = (i % n, u64::from(pick(1, 2048)));
                    let dst = (src + 1 + pick(2, n - 1)) % n;
                    let random = draw(seed, 3, 0, u64::from(i));
                    let both = Completion::Initiator(bytes);
                    let message = match pick(4, 3) {
                        0 => put(src, dst, bytes, random),
                        1 => get(src, dst, bytes, random),
                        _ => Message { completion: both, ..put(src, dst, bytes / 2, random) },
                    };
                    (Time(0), message)
                })
                .collect();
            let responses = run(&machine, &messages).counters.responses;
            assert!(responses > 10_000, "{routing}, seed {seed}: {responses}");
        }
    }
}

/// Several packets may be simulated as one, with headers and window in proportion: the link
/// throughput is the same.
#[test]
fn packet_trains_carry_as_much_as_single_packets() {
    let rate = |set: &[(&str, &str)]| {
        let mut all = vec![("routing", "minimal")];
        all.extend(set);
        let machine = preset("cascade-3k", &all);
        let pairs = (0..4).flat_map(|i| [(i, i + 4), (i + 4, i)]);
        let messages: Vec<_> =
            pairs.map(|(a, b)| (Time(0), put(a, b, 64 << 10, u64::from(a)))).collect();
        (4 << 16) as f64 / took(&machine, &messages).seconds()
    };
    let single = rate(&[]);
    let trains = rate(&[
        ("nic.packet_payload", "512 B"),
        ("nic.packet_overhead", "192 B"),
        ("nic.response", "96 B"),
        ("nic.window", "128"),
    ]);
    assert!((trains / single - 1.0).abs() < 0.02, "{trains} for {single} B/s");
}
