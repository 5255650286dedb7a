//! Properties of all network models: a message alone takes the same time at every fidelity, and
//! nothing is lost. Receivers and links reach but do not exceed their rates. A run depends only on
//! its inputs.

use api::Fidelity;
use api::sweep;
use base::{Span, Time, draw};
use flow::FlowNetwork;
use loggp::LogGpNetwork;
use machine::{Arbitration, Idle, LinkKind, Machine, NicId, Routing};
use net::{Completion, Message, NetworkModel, Origin};
use packet::PacketNetwork;
use properties::{buffers, message, offered, preset, random_messages, request, run, run_on, small};
use sim::traffic::{Finish, TrafficRequest, TrafficSetting, one_load};

fn alone<N: NetworkModel>(machine: &Machine, msg: Message) -> Span {
    run_on::<N>(machine, &[(Time(0), msg)]).end().since(Time(0))
}

/// The formula of docs/models/loggp.md for a path shared by all packets, evaluated independently of
/// the model. It adds the send latency (with DMA and the first packet from memory), the link
/// latencies, (N - 1) max S(full), the time until the last two packets are in memory, and the
/// receive latency.
fn formula(machine: &Machine, msg: Message) -> Span {
    let nic = &machine.nic;
    let packets = msg.bytes.div_ceil(nic.packet_payload).max(1);
    let rest = msg.bytes - (packets - 1) * nic.packet_payload;
    let mut path = Vec::new();
    machine.walk(msg.src, msg.dst, msg.draw, &Idle, &mut path);
    let slowest = |payload: u64| {
        let links = path.iter().map(|&l| machine.links.gap[l].span(payload + nic.packet_overhead));
        let host = [nic.host_gap.span(payload), nic.host_gap_one_way.span(payload)];
        links.chain(host).max().expect("a path has links")
    };
    let is_in_command = msg.bytes <= nic.immediate_max && msg.origin == Origin::Host;
    let first = if is_in_command { 0 } else { msg.bytes.min(nic.packet_payload) };
    let dma = !is_in_command && msg.origin == Origin::Host;
    let full = if packets > 1 { nic.packet_payload } else { 0 };
    let full_in_memory = nic.staging_gap.span(full);
    nic.send_latency
        + if dma { nic.dma_latency } else { Span::ZERO }
        + nic.staging_gap.span(first)
        + path.iter().map(|&l| machine.links.latency[l]).sum()
        + slowest(nic.packet_payload) * (packets - 1)
        + (slowest(rest) + nic.staging_gap.span(rest)).max(full_in_memory)
        + nic.recv_latency
}

const SIZES: [u64; 9] = [0, 8, 64, 65, 2048, 2049, 64 << 10, 1 << 20, 4 << 20];

/// Receivers for NIC 0 at every distance: its own switch, its group, next and far groups.
fn distances(machine: &Machine) -> Vec<NicId> {
    let (own_switch, group) = (machine.nic_switch[NicId(0)], machine.group_of(NicId(0)));
    let n = machine.node_nics.raw[machine.compute_nodes as usize];
    let nics = || (1..n).map(NicId);
    let same_switch = nics().find(|&nic| machine.nic_switch[nic] == own_switch);
    let same_group: Vec<NicId> = nics()
        .filter(|&nic| machine.group_of(nic) == group && machine.nic_switch[nic] != own_switch)
        .collect();
    let mut found: Vec<NicId> = same_switch.into_iter().collect();
    found.extend([same_group.first(), same_group.last()].into_iter().flatten());
    let elsewhere: Vec<NicId> = nics().filter(|&nic| machine.group_of(nic) != group).collect();
    found.extend((0..8).map(|i| elsewhere[i * (elsewhere.len() - 1) / 7]));
    found
}

/// A message alone has no contention, so packets, flows and closed form add up the same latencies
/// and bytes in three ways: they must agree exactly.
#[test]
fn an_uncontended_message_takes_the_same_time_at_every_fidelity() {
    for name in ["dragonfly-1056", "aurora"] {
        let machine = preset(name, &[]);
        for dst in distances(&machine) {
            for bytes in SIZES {
                let random = draw(7, 0, dst.0, bytes);
                let msg = message(0, dst.0, bytes, random);
                let want = formula(&machine, msg);
                let case = format!("{name}: {bytes} B to {dst:?}, draw {random:#x}");
                assert_eq!(alone::<LogGpNetwork>(&machine, msg), want, "loggp, {case}");
                assert_eq!(alone::<FlowNetwork>(&machine, msg), want, "flow, {case}");
                assert_eq!(alone::<PacketNetwork>(&machine, msg), want, "packet, {case}");
            }
        }
    }
}

/// Where NIC links are the slowest, one more byte never completes earlier: a short last packet may
/// be in memory before the full one ahead of it, and the message is complete when both are. Where
/// links between switches are slower, packets keep this property. Closed form and flows delay the
/// last packet there, but not those ahead on other paths, so a short packet helps.
#[test]
fn one_more_byte_never_completes_earlier() {
    let long = ("nic.multipacket_message", "300 ns");
    for (name, set, dsts, is_put) in [
        ("aurora", None, [1, 40_000], false),
        ("aurora", Some(long), [1, 40_000], false),
        ("frontier", None, [1, 20_000], false),
        ("lumi-g", None, [1, 8_000], false),
        // Aries NICs answer puts; between NICs of one switch there is no other link.
        ("cascade-3k", Some(("nic.staging_rate", "1 GB/s")), [1, 2], true),
    ] {
        let machine = preset(name, set.as_slice());
        let payload = machine.nic.packet_payload;
        for (dst, packets) in dsts.iter().flat_map(|&dst| [1, 2, 8].map(|n| (dst, n))) {
            let is_near = machine.nic_switch[NicId(0)] == machine.nic_switch[NicId(dst)];
            // One packet more, with a last one that is short, or as long as it takes to catch up.
            let more = [0, 1, 2, 30, 1_000, payload - 1, payload];
            let more = more.into_iter().filter(|&more| more <= payload);
            let mut all: Vec<[Span; 3]> = Vec::new();
            for bytes in more.map(|more| packets * payload + more) {
                let completion = if is_put { Completion::Initiator(0) } else { Completion::Target };
                let msg = Message { completion, ..message(0, dst, bytes, 7) };
                let packet = alone::<PacketNetwork>(&machine, msg);
                let flow = alone::<FlowNetwork>(&machine, msg);
                let loggp = alone::<LogGpNetwork>(&machine, msg);
                // On other paths they differ within the bound of the next test.
                if is_near || name == "aurora" {
                    assert_eq!((loggp, flow), (packet, packet), "{name}, {set:?}: {msg:?}");
                }
                all.push([packet, flow, loggp]);
            }
            for model in 0..3 {
                let case = format!("{name}, {set:?} to {dst}: {packets} packets and more");
                assert!(all.is_sorted_by_key(|times| times[model]), "{case}: {all:?}");
            }
        }
    }
}

/// Where two groups share many links, the packets of a message take paths of different lengths, and
/// an Aries NIC is faster than a link between switches. Packets and closed form then agree exactly
/// only for one packet. Otherwise docs/models/loggp.md derives a bound that does not grow with the
/// message. Paths differ by at most a row hop and a column hop at either end. Packets leave queues
/// of more than a few packets.
#[test]
fn an_uncontended_multipath_message_is_within_the_stated_bound() {
    for name in ["frontier", "lumi-g", "cascade-3k"] {
        let machine = preset(name, &[]);
        let hop = |kind| {
            let of_kind = machine.links.kind.iter().find(|&(_, &k)| k == kind);
            of_kind.map_or(Span::ZERO, |(link, _)| machine.links.latency[link])
        };
        let wire = machine.nic.packet_payload + machine.nic.packet_overhead;
        let slow = machine.links.gap.iter().map(|(_, gap)| gap.span(wire)).max().expect("links");
        let path_spread = (hop(LinkKind::Local) + hop(LinkKind::LocalBlack)) * 2;
        for dst in distances(&machine) {
            for bytes in SIZES {
                let msg = message(0, dst.0, bytes, draw(7, 0, dst.0, bytes));
                let closed = alone::<LogGpNetwork>(&machine, msg);
                let open = alone::<PacketNetwork>(&machine, msg);
                let flow = alone::<FlowNetwork>(&machine, msg);
                let all = format!("packet {open}, flow {flow}, loggp {closed}");
                let case = format!("{name}: {bytes} B to {dst:?}: {all}");
                if bytes <= machine.nic.packet_payload {
                    let want = formula(&machine, msg);
                    assert_eq!((open, flow, closed), (want, want, want), "{case}");
                }
                assert!(open.0.abs_diff(closed.0) <= path_spread.0 + 4 * slow.0, "{case}");
                assert!(open.0.abs_diff(flow.0) <= path_spread.0 + 4 * slow.0, "{case}");
            }
        }
    }
}

/// With a window of one packet, each packet waits for the previous acknowledgement, which takes the
/// path latency back. Both bounds are the same number.
#[test]
fn a_window_of_one_sends_one_packet_per_round_trip() {
    let machine = preset("dragonfly-1056", &[("routing", "minimal"), ("nic.window", "1")]);
    for dst in distances(&machine) {
        let mut path = Vec::new();
        machine.walk(NicId(0), dst, 1, &Idle, &mut path);
        let latency: Span = path.iter().map(|&l| machine.links.latency[l]).sum();
        let wire = machine.links.gap[path[0]].span(2048);
        let got = alone::<PacketNetwork>(&machine, message(0, dst.0, 10 * 2048, 1));
        let nic = &machine.nic;
        let round = latency * 2 + wire;
        assert_eq!(got, nic.send_latency + round * 9 + latency + wire + nic.recv_latency);
    }
}

/// Many senders, one receiver: its ejection link is busy from the first head to the last tail, and
/// no faster than its rate.
#[test]
fn an_incast_drains_at_the_receiver_rate() {
    for (name, arbitration) in
        [("dragonfly-1056", "round-robin"), ("dragonfly-1056", "age"), ("aurora", "round-robin")]
    {
        let machine = preset(name, &[("switch.arbitration", arbitration)]);
        let (senders, bytes) = (40u32, 32 * 2048);
        let n = machine.node_nics.raw[machine.compute_nodes as usize];
        let messages: Vec<_> = (1..=senders)
            .map(|i| (Time(0), message(i * (n / (senders + 1)), 0, bytes, draw(3, 0, i, 0))))
            .collect();
        let wire = machine.nic.packet_payload + machine.nic.packet_overhead;
        let link = machine.links.gap[machine.ejection(NicId(0))].span(wire);
        let host = machine.nic.host_gap_one_way.span(machine.nic.packet_payload);
        let busy = link.max(host) * u64::from(senders * 32);
        let least = messages.iter().map(|(_, m)| formula(&machine, *m)).min().expect("senders");
        let most = messages.iter().map(|(_, m)| formula(&machine, *m)).max().expect("senders");
        let own = link.max(host) * 32;
        let got = run(&machine, &messages);
        let end = got.end().since(Time(0));
        // From the arrival of the first head at the earliest, of the last one's at the latest.
        assert!(end >= busy + least - own, "{name}: {end} is faster than the link");
        assert!(end <= busy + most - own, "{name}: {end}, but {} is enough", busy + most - own);
        // Age arbitration is fair to all. Round robin is fair to the inputs of a switch, and less
        // so to senders that share an input (docs/models/packet.md).
        let first = got.seen.iter().min().expect("senders").since(Time(0));
        if arbitration == "age" {
            assert!(first.0 * 8 > end.0 * 7, "{name}: from {first} to {end}");
        }
    }
}

/// Links between Aries routers deliver packets more slowly than NICs take them. No packet occupies
/// the ejection link until its tail has arrived. With enough senders some tail is always there, so
/// the NIC is as busy as possible, except for the latency of a nonminimal path at either end.
#[test]
fn an_ejection_link_is_not_held_for_packets_in_flight() {
    let machine = preset("cascade-3k", &[]);
    assert_eq!(machine.arbitration, Arbitration::Age);
    let (senders, packets) = (16u32, 1024);
    let bytes = packets * machine.nic.packet_payload;
    let messages: Vec<_> = (1..=senders)
        .map(|i| (Time(0), message(i * (machine.n_nics() / 17), 0, bytes, draw(3, 0, i, 0))))
        .collect();
    let host = machine.nic.host_gap_one_way.span(machine.nic.packet_payload);
    let busy = host * packets * u64::from(senders);
    let end = run(&machine, &messages).end().since(Time(0));
    assert!(end > busy && end < busy + Span::us(3), "{end}, busy {busy}");
}

/// Inputs that contend for an output alternate: senders at the receiver's switch finish together.
#[test]
fn inputs_of_a_switch_get_equal_turns() {
    for arbitration in ["round-robin", "age"] {
        let machine = preset("dragonfly-1056", &[("switch.arbitration", arbitration)]);
        let messages: Vec<_> = (1..4).map(|i| (Time(0), message(i, 0, 64 * 2048, 1))).collect();
        let got = run(&machine, &messages).seen;
        let packet = machine.links.gap[machine.ejection(NicId(0))].span(2048);
        let (first, last) = (got.iter().min().expect("three"), got.iter().max().expect("three"));
        assert!(last.since(*first) <= packet * 2, "{arbitration}: {first} to {last}");
    }
}

/// Handling of a message at its receiver's NIC adds to the time of its bytes at every fidelity, and
/// does not delay a message alone.
#[test]
fn message_handling_adds_to_transfer_time() {
    // Aurora's host interfaces are slower than links in one direction, LUMI's are not.
    for (name, bytes) in
        ["aurora", "lumi-g"].into_iter().flat_map(|m| [(m, 64), (m, 1024), (m, 4096)])
    {
        let machine = preset(name, &[]);
        let far = distances(&machine)[5].0;
        let each = Span::ns(75);
        let one = |handling| Message { handling, ..message(far, 0, bytes, 3) };
        let (with, without) = (one(each), one(Span::ZERO));
        let [with, without] = [with, without].map(|m| alone::<PacketNetwork>(&machine, m));
        assert_eq!(with, without, "{name}, {bytes} B: handling delays a message alone");
        // Four senders exceed the rate of one receiver.
        let n = 100;
        let messages: Vec<_> = (0..4 * n)
            .map(|i| {
                let random = draw(8, 0, i, 0);
                (Time(0), Message { handling: each, ..message(far + i % 4, 0, bytes, random) })
            })
            .collect();
        let host = machine.nic.host_gap.max(machine.nic.host_gap_one_way).span(bytes);
        let packets = bytes.div_ceil(machine.nic.packet_payload);
        let wire = bytes + packets * machine.nic.packet_overhead;
        let link = machine.links.gap[machine.ejection(NicId(0))].span(wire);
        let want = link.max(host + each) * u64::from(4 * n - 1);
        // A tail must have arrived before it is handled. Where the link is slower than the host
        // interface, both wait for each other, most if all tails arrive after all other packets.
        let part = |of: Span| Span(of.0 / packets);
        let others = part(link).max(part(host)) * (packets - 1);
        let most = (others + part(link).max(part(host) + each)) * u64::from(4 * n - 1);
        for (model, got) in [
            ("packet", run(&machine, &messages)),
            ("flow", run_on::<FlowNetwork>(&machine, &messages)),
            ("loggp", run_on::<LogGpNetwork>(&machine, &messages)),
        ] {
            let first = got.seen.iter().min().expect("messages");
            let took = got.end().since(*first);
            let ratio = |of: Span| took.0 as f64 / of.0 as f64;
            assert!(
                ratio(want) >= 0.98 && ratio(most) <= 1.03,
                "{name}, {model}, {bytes} B: {took} for {want}"
            );
        }
    }
}

/// Both directions of a NIC share the host interface: 42 GB/s on Aurora, 21 each.
#[test]
fn both_directions_share_the_host_rate() {
    let machine = preset("aurora", &[]);
    let far = distances(&machine)[5].0;
    let bytes = 4u64 << 20;
    let messages = [(Time(0), message(0, far, bytes, 1)), (Time(0), message(far, 0, bytes, 2))];
    let cap = machine.nic.host_gap.span(2 * bytes) + machine.nic.multipacket_message * 2;
    let idle = formula(&machine, message(0, far, 0, 1));
    for (model, got) in [
        ("packet", run(&machine, &messages)),
        ("flow", run_on::<FlowNetwork>(&machine, &messages)),
        ("loggp", run_on::<LogGpNetwork>(&machine, &messages)),
    ] {
        for seen in got.seen {
            let took = seen.since(Time(0));
            assert!(took >= cap, "{model}: {took}, but both together need {cap}");
            // Latency, DMA, and one packet in each direction until the steady state.
            let most = cap + idle + machine.nic.dma_latency + Span::ns(400);
            assert!(took <= most, "{model}: {took}, expected at most {most}");
        }
    }
}

/// A receive does not wait for queued sends: both proceed at once and share the host interface.
#[test]
fn a_receive_does_not_wait_for_queued_sends() {
    for name in ["dragonfly-1056", "aurora"] {
        let machine = preset(name, &[]);
        let far = distances(&machine)[5].0;
        let bytes = 64 << 10;
        let comes = message(far, 0, bytes, 1);
        let sends = (1..33).map(|i| message(0, far + i, bytes, draw(4, 0, i, 0)));
        let messages: Vec<_> = [comes].into_iter().chain(sends).map(|m| (Time(0), m)).collect();
        let alone = formula(&machine, comes);
        let both = machine.nic.host_gap.span(2 * bytes);
        let most = alone + both.max(machine.nic.host_gap_one_way.span(bytes));
        for (model, got) in [
            ("packet", run(&machine, &messages)),
            ("loggp", run_on::<LogGpNetwork>(&machine, &messages)),
        ] {
            let took = got.seen[0].since(Time(0));
            assert!(took >= alone, "{name}, {model}: {took}, alone {alone}");
            // Packets alternate with those of the sends, at most one for one.
            assert!(took <= most, "{name}, {model}: {took}, at most {most}");
            assert!(got.end().since(Time(0)) > most, "{name}, {model}: the sends end before it");
        }
    }
}

/// Bidirectional messages, each slightly later than the link alone would need: together they exceed
/// the host rate, although neither direction ever has a long queue.
#[test]
fn paced_bidirectional_messages_share_the_host_rate() {
    for (name, n) in [("cascade-3k", 200), ("aurora", 400)] {
        let machine = preset(name, &[]);
        let far = machine.n_nics() / 2;
        let bytes = 8u64 << 10;
        let one_way =
            machine.nic.host_gap_one_way.max(machine.links.gap[machine.injection(NicId(0))]);
        let period = one_way.span(bytes * 103 / 100);
        let each = |i: u32| {
            let at = Time(period.0 * u64::from(i));
            let one = |src, dst| (at, message(src, dst, bytes, draw(1, src, i, 0)));
            [one(0, far), one(far, 0)]
        };
        let messages: Vec<_> = (0..n).flat_map(each).collect();
        let all = 2 * u64::from(n);
        let cap = machine.nic.host_gap.span(all * bytes) + machine.nic.multipacket_message * all;
        assert!(cap > period * u64::from(n), "{name}: the host rate is the bottleneck");
        let most = cap + formula(&machine, messages[0].1) + period * 2;
        for (model, got) in [
            ("packet", run(&machine, &messages)),
            ("loggp", run_on::<LogGpNetwork>(&machine, &messages)),
        ] {
            let took = got.end().since(Time(0));
            assert!(took >= cap, "{name}, {model}: {took}, but together they need {cap}");
            assert!(took <= most, "{name}, {model}: {took}, at most {most}");
        }
    }
}

/// Messages that join a long one, in either direction, never exceed the link rate: neither in
/// total, nor for single packets that interleave with it before its end.
#[test]
fn short_messages_next_to_a_long_one_take_link_time() {
    for name in ["dragonfly-1056", "aurora", "cascade-3k"] {
        let machine = preset(name, &[]);
        let far = machine.n_nics() / 2;
        let payload = machine.nic.packet_payload;
        let link = machine.links.gap[machine.injection(NicId(0))];
        let rate = |bytes: u64| {
            let wire = bytes + bytes.div_ceil(payload) * machine.nic.packet_overhead;
            link.span(wire).max(machine.nic.host_gap_one_way.span(bytes))
        };
        for (short, n) in [(64 << 10, 16u64), (payload, 1000)] {
            for into in [false, true] {
                let one = |at, other, bytes, d| match into {
                    true => (Time(at), message(other, 0, bytes, d)),
                    false => (Time(at), message(0, other, bytes, d)),
                };
                let others = (0..n).map(|i| {
                    let other = far + (i % 64) as u32 * 2;
                    one(Span::ns(500).0, other, short, draw(6, 0, i as u32, 0))
                });
                let long = one(0, far - 2, 1 << 20, 1);
                let messages: Vec<_> = [long].into_iter().chain(others).collect();
                let shorts = Span(rate(short).0 * n);
                let all = rate(1 << 20) + shorts;
                for (model, got) in [
                    ("packet", run(&machine, &messages)),
                    ("loggp", run_on::<LogGpNetwork>(&machine, &messages)),
                ] {
                    let at = format!("{name}, {model}, {n} of {short} B, into {into}");
                    let last = *got.seen[1..].iter().max().expect("shorts");
                    assert!(last.since(Time(0)) >= shorts, "{at}: {last:?}, shorts {shorts}");
                    let end = got.end().since(Time(0));
                    if model == "packet" || short > payload {
                        assert!(end >= all, "{at}: {end}, all {all}");
                    }
                    assert!(end.0 <= all.0 + all.0 / 4, "{at}: {end}, all {all}");
                }
            }
        }
    }
}

/// Buffers of a single packet per virtual channel: only the order of channels prevents a cycle of
/// waiting packets. `run` checks that all messages complete and every credit is returned.
#[test]
fn nothing_deadlocks_in_the_smallest_buffers() {
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
            let policy =
                [("routing", routing), ("switch.arbitration", arbitration), ("ugal_bias", "0 B")];
            let set = [&policy[..], &buffers(tight)].concat();
            let machine = preset("dragonfly-1056", &set);
            let messages = random_messages(&machine, 11, 2_000, Span::us(1), 1 << 18, 0);
            let got = run(&machine, &messages);
            assert!(got.counters.injected_packets > 10_000, "too little contention");
            let longer = got.counters.nonminimal > 0;
            assert_eq!(longer, routing != "minimal", "{routing}: {}", got.counters.nonminimal);
        }
    }
}

/// Large buffers elsewhere do not make accounting coarser for other packets.
#[test]
fn a_large_buffer_elsewhere_changes_nothing() {
    let [plain, large] = ["64 KiB", "2 GiB"]
        .map(|buffer| preset("dragonfly-1056", &[("links.global.buffer", buffer)]));
    let in_a_group: Vec<_> = random_messages(&plain, 13, 1_000, Span::us(1), 1 << 12, 0)
        .into_iter()
        .map(|(at, msg)| {
            let (src, dst) = (msg.src.0 % 32, msg.dst.0 % 31);
            (at, message(src, dst + u32::from(dst >= src), msg.bytes, msg.draw))
        })
        .collect();
    let [plain, large] = [plain, large].map(|m| run(&m, &in_a_group));
    assert_eq!(plain.seen, large.seen);
}

/// Slow links elsewhere do not delay credits either.
#[test]
fn a_slow_link_elsewhere_changes_nothing() {
    let took = |rate| {
        let machine = preset("dragonfly-1056", &[("links.global.rate", rate)]);
        // All credits are returned, however long they take.
        run(&machine, &random_messages(&machine, 3, 500, Span::us(1), 1 << 13, 0));
        let got = run(&machine, &[(Time(0), message(0, 4, 1 << 20, 1))]);
        got.end().since(Time(0))
    };
    let (even, slow) = (took("25 GB/s"), took("100 MB/s"));
    assert!(slow.0 * 100 <= even.0 * 101, "{slow}, not {even}");
}

/// A run is a function of its inputs only.
#[test]
fn the_digest_depends_only_on_messages_and_seed() {
    let machine = preset("dragonfly-1056", &[]);
    let messages = random_messages(&machine, 5, 3_000, Span::us(20), 1 << 16, 0);
    let other = random_messages(&machine, 6, 3_000, Span::us(20), 1 << 16, 0);
    let (a, b, c) = (run(&machine, &messages), run(&machine, &messages), run(&machine, &other));
    assert_eq!((a.digest, a.events, &a.counters), (b.digest, b.events, &b.counters));
    assert_ne!(a.digest, c.digest);
    let (a, b) =
        (run_on::<LogGpNetwork>(&machine, &messages), run_on::<LogGpNetwork>(&machine, &messages));
    assert_eq!((a.digest, &a.counters), (b.digest, &b.counters));
}

/// No link is faster than its rate, and NICs receive all bytes that NICs send.
#[test]
fn no_link_exceeds_its_rate() {
    let machine = preset("aurora", &[]);
    let messages = random_messages(&machine, 9, 5_000, Span::us(5), 1 << 17, 0);
    let got = run(&machine, &messages);
    let end = got.end().since(Time(0));
    let (mut into, mut out) = (0, 0);
    for link in machine.links.gap.ids() {
        let bytes = got.counters.links[link].bytes;
        assert!(machine.links.gap[link].span(bytes) <= end + Span::ps(1), "{link:?}");
        match machine.links.kind[link] {
            LinkKind::Injection => into += bytes,
            LinkKind::Ejection => out += bytes,
            _ => {}
        }
    }
    let payload: u64 = messages.iter().map(|(_, m)| m.bytes).sum();
    let wire = payload + got.counters.injected_packets * machine.nic.packet_overhead;
    assert_eq!((into, out), (wire, wire));
}

/// Contention never speeds up a message.
#[test]
fn contention_never_speeds_up_a_message() {
    let machine = preset("dragonfly-1056", &[("routing", "minimal")]);
    assert_eq!(machine.routing, Routing::Minimal);
    let messages = random_messages(&machine, 21, 5_000, Span::us(30), 1 << 16, 0);
    for got in [run(&machine, &messages), run_on::<LogGpNetwork>(&machine, &messages)] {
        let mut delayed = 0;
        for (&(at, msg), seen) in messages.iter().zip(&got.seen) {
            let took = seen.since(at);
            let least = formula(&machine, msg);
            assert!(took >= least, "{msg:?} took {took}, alone {least}");
            delayed += u32::from(took > least);
        }
        assert!(delayed > 500, "too little contention: {delayed} delayed");
    }
}

// Saturation: the formulas are in docs/models/saturation-bounds.md.

/// Throughput of `dragonfly-1056` far beyond saturation, as a fraction of the injection rate.
fn saturated(routing: &str, pattern: &str, offered: f64, window: Span) -> f64 {
    let machine = preset("dragonfly-1056", &[("routing", routing)]);
    let request = request(pattern, offered, 2048, window, window);
    // Only the window matters: the run stops at its end.
    let end = Time::ZERO + window * 2;
    let mut tick = |now: Time, _: u64| now <= end;
    let done = one_load(&machine, Fidelity::Packet, &request, offered, Finish::Measured, &mut tick);
    done.unwrap_or_else(|input_errors| panic!("{input_errors:?}")).row.accepted
}

/// Accepted load beyond saturation is between a fraction of the bound and the bound, both derived
/// in docs/models/saturation-bounds.md; the ends of the window can add 2 %.
#[test]
fn saturation_throughput_meets_the_theory_from_both_sides() {
    let (p, a, g) = (4.0, 8.0, 33.0);
    // One global link to the next group, for a p NICs.
    let adversarial_minimal = 1.0 / (a * p);
    // Each packet crosses two of a group's links to the g - 2 groups that are neither source nor
    // destination.
    let adversarial_valiant = (g - 2.0) / (2.0 * a * p);
    // Local links are the limit: this many local hops per packet, on a - 1 links for the p NICs of
    // a switch.
    let others = a * p * g - 1.0;
    let (far, near) = ((others + 1.0 - a * p) / others, (a - 1.0) * p / others);
    let local_hops = far * 4.0 * (a - 1.0) / a + near * 2.0;
    let uniform_valiant = (a - 1.0) / (p * local_hops);
    let wide = Span::us(60);
    for (routing, pattern, offered, window, bound, least) in [
        ("minimal", "uniform", 1.0, wide, 1.0, 0.85),
        ("valiant", "uniform", 0.7, wide, uniform_valiant, 0.92),
        ("ugal", "uniform", 1.0, wide, 1.0, 0.82),
        ("minimal", "adversarial:1", 0.1, Span::us(200), adversarial_minimal, 0.98),
        ("valiant", "adversarial:1", 0.6, wide, adversarial_valiant, 0.92),
    ] {
        let got = saturated(routing, pattern, offered, window);
        println!("{routing} {pattern}: {got:.4} of at most {bound:.4}");
        assert!(got <= bound * 1.02, "{routing} {pattern}: {got} is above {bound}");
        assert!(got >= bound * least, "{routing} {pattern}: {got} is below {least} of {bound}");
    }
    // UGAL follows the better of the two; at best it adds the rate of the direct link.
    let ugal = saturated("ugal", "adversarial:1", 0.6, wide);
    println!("ugal adversarial:1: {ugal:.4}");
    assert!(ugal >= adversarial_valiant * 0.92, "{ugal} is below {adversarial_valiant}");
    assert!(ugal <= (adversarial_valiant + adversarial_minimal) * 1.02, "{ugal}");
}

/// A simulated millisecond beyond saturation, then no traffic until the network is empty: every
/// packet is accounted for and every credit returned. On the balanced dragonfly one size smaller (p
/// = 2, a = 4, h = 2, g = 9), where buffers fill as well.
#[test]
fn a_millisecond_of_saturation_ends_without_deadlock() {
    for (routing, pattern, bytes, window) in [
        ("minimal", "uniform", 2048, Span::ms(1)),
        ("minimal", "adversarial:1", 2048, Span::ms(1)),
        ("valiant", "uniform", 2048, Span::ms(1)),
        ("valiant", "adversarial:1", 2048, Span::ms(1)),
        ("ugal", "adversarial:1", 2048, Span::ms(1)),
        ("ugal", "hotspot:4", 2048, Span::us(200)),
        ("ugal", "adversarial:1", 64, Span::us(50)),
        ("ugal", "random-permutation", 777, Span::us(200)),
    ] {
        let machine = small(&[("routing", routing)]);
        let request = request(pattern, 0.9, bytes, Span::ZERO, window);
        let done = offered(&machine, &request, Finish::Empty);
        let case = format!("{routing} {pattern} {bytes} B");
        assert_eq!(done.generated, done.counters.delivered_packets, "{case}");
        assert_eq!(done.counters.delivered_payload, done.generated * bytes, "{case}");
        assert_eq!(done.row.unfinished, 0, "{case}");
        assert!(done.generated > 15_000, "{case}: {} packets", done.generated);
    }
}

/// Loads are independent simulations: neither the number of threads nor the other loads matter.
#[test]
fn traffic_does_not_depend_on_threads() {
    let machine = preset("dragonfly-1056", &[]);
    let asked = request("uniform", 0.0, 2048, Span::us(5), Span::us(5));
    let request =
        |loads: &[f64], threads| TrafficRequest { loads: loads.to_vec(), threads, ..asked.clone() };
    let rows = |loads: &[f64], threads| {
        sweep(
            &machine,
            Fidelity::Packet,
            &request(loads, threads),
            &TrafficSetting::default(),
            &mut |_| true,
        )
        .unwrap_or_else(|input_errors| panic!("{input_errors:?}"))
        .rows
    };
    let one = rows(&[0.2, 0.5, 0.8], 1);
    assert_eq!(one, rows(&[0.2, 0.5, 0.8], 3));
    assert_eq!(one[1..2], rows(&[0.5], 2)[..]);
    assert!(one.windows(2).all(|w| w[0].latency_mean_s < w[1].latency_mean_s), "{one:?}");
    // Five microseconds of Poisson arrivals are within a few percent of their mean.
    for row in &one {
        assert!((row.packets as f64 / 20_625.0 / row.offered - 1.0).abs() < 0.05, "{row:?}");
    }
}

/// Errors in a request are all reported at once, and never panic.
#[test]
fn a_wrong_traffic_request_reports_every_error() {
    let machine = preset("dragonfly-1056", &[]);
    let loads = vec![-1.0, f64::NAN];
    let nothing = request("adversarial:33", 0.0, 4096, Span::ZERO, Span::ZERO);
    let request = TrafficRequest { loads, ..nothing };
    let input_errors =
        sweep(&machine, Fidelity::Packet, &request, &TrafficSetting::default(), &mut |_| true)
            .expect_err("nothing is right");
    let places: Vec<&str> = input_errors.iter().map(|c| c.at.as_str()).collect();
    assert_eq!(places, ["pattern", "load", "load", "packet", "time"], "{input_errors:?}");
    for (pattern, hint) in [("unifrom", Some("uniform")), ("adversarial", None), ("shift:x", None)]
    {
        let request = TrafficRequest { pattern: pattern.into(), ..request.clone() };
        let input_errors =
            sweep(&machine, Fidelity::Packet, &request, &TrafficSetting::default(), &mut |_| true)
                .expect_err("still wrong");
        assert_eq!(input_errors[0].hint.as_deref(), hint, "{pattern}");
    }
}

/// The command latency adds to every packet, with or without a gap between commands.
#[test]
fn send_latency_delays_every_packet_equally() {
    for gap in ["0 ns", "40 ns"] {
        let mean = |latency| {
            let set = [("nic.send_latency", latency), ("nic.message_gap", gap)];
            let machine = small(&[("routing", "minimal"), set[0], set[1]]);
            let traffic = request("uniform", 0.05, 64, Span::us(1), Span::us(20));
            let done = offered(&machine, &traffic, Finish::Empty);
            assert_eq!(done.generated, done.counters.delivered_packets, "{latency}, {gap}");
            done.row.latency_mean_s
        };
        let sooner = mean("50 ns") - mean("0 ns");
        assert!((sooner - 50e-9).abs() < 1e-12, "{gap}: {sooner}");
    }
}

/// Two senders fill the link to a NIC that takes half of the link rate. Once the buffer is full,
/// the link sends one packet, waits until the NIC has taken one, and so on. It stalls for the
/// difference of the two times per packet, except for the packets that fit into the buffer.
#[test]
fn a_link_stalls_for_the_extra_time_of_a_slow_receiver() {
    let set = [("nic.host_rate_one_way", "4 GB/s")];
    let machine = preset("dragonfly-1056", &set);
    let (nic, n) = (&machine.nic, 2_000);
    let packet = nic.packet_payload + nic.packet_overhead;
    let link = machine.ejection(NicId(0));
    let (wire, host) =
        (machine.links.gap[link].span(packet), nic.host_gap_one_way.span(nic.packet_payload));
    assert!(host * 2 > wire * 3, "{host} {wire}");
    let bytes = n / 2 * nic.packet_payload;
    let both = [1, 2].map(|src| (Time::ZERO, message(src, 0, bytes, u64::from(src))));
    let ran = run(&machine, &both);
    let stalled = ran.counters.stalled[link];
    // A port has its whole buffer and one channel.
    let held = 64 * 1024 / packet + 2;
    assert!(stalled <= (host - wire) * n, "{stalled}");
    assert!(stalled >= (host - wire) * (n - 2 * held), "{stalled}");
    // Its senders' links stall as well, unused ones never.
    let sum = |nic| ran.counters.stalled[machine.injection(NicId(nic))];
    assert!(sum(1) > Span::ZERO && sum(2) > Span::ZERO && sum(3) == Span::ZERO);
}
