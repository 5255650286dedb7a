//! Properties of the flow model, in addition to those in `network.rs`: links are shared fairly and
//! fully, command order does not matter, and results are close to packets.

#![allow(clippy::disallowed_macros)] // prints what it checks

use base::{Span, Time, draw};
use flow::FlowNetwork;
use machine::{Machine, NicId};
use net::Message;
use properties::{Run, message, preset, random_messages, run, run_on, small};
use sim::traffic::Destinations;

fn flows(machine: &Machine, messages: &[(Time, Message)]) -> Run {
    run_on::<FlowNetwork>(machine, messages)
}

/// Messages that share a link interleave until the link has served all of them: the path latency of
/// the first packet, and then every packet of all messages in sequence.
#[test]
fn messages_on_one_link_get_equal_shares() {
    let machine = preset("dragonfly-1056", &[("routing", "minimal")]);
    // From the NICs of one switch to those of one switch of the next group: one link for all.
    for n in 1..=4u64 {
        let bytes = 64 * 2048;
        let messages: Vec<_> = (0..n as u32)
            .map(|nic| (Time(0), message(nic, 32 + nic, bytes, draw(1, 0, nic, 0))))
            .collect();
        let alone = machine.zero_load(NicId(0), NicId(32), bytes);
        let packet = machine.links.gap[machine.injection(NicId(0))].span(2048);
        let want = alone + packet * (64 * (n - 1));
        for seen in flows(&machine, &messages).seen {
            let got = seen.since(Time(0));
            // A rate is an integer, so the last picosecond may be rounded.
            assert!(got.0.abs_diff(want.0) <= n, "{n}: {got}, not {want}");
        }
    }
}

/// Three flows and two links: the flow that crosses both gets half of the first, and the third flow
/// gets the rest of the second. When one ends, the others take its bandwidth.
#[test]
fn unused_capacity_goes_to_other_flows() {
    let machine = preset("dragonfly-1056", &[("routing", "minimal")]);
    let (bytes, packet) = (256 * 2048u64, Span::ns(256));
    // To one NIC from two others of its switch: half of its link each. The second also sends to a
    // third NIC, with the other half of its own link, until the first two end at the same time.
    let to = |src, dst| (Time(0), message(src, dst, bytes, 1));
    let got = flows(&machine, &[to(1, 0), to(2, 0), to(2, 3)]).seen;
    let alone = machine.zero_load(NicId(1), NicId(0), bytes);
    let want = alone + packet * 256;
    for seen in got {
        let took = seen.since(Time(0));
        assert!(took.0.abs_diff(want.0) <= 4, "{took}, not {want}");
    }
    // A shorter one ends early, and the other then has the whole link. Each has sent 64 packets by
    // the time of 128, and 192 are left of the other.
    let short = (Time(0), message(1, 0, 64 * 2048, 1));
    let got = flows(&machine, &[short, to(2, 0)]).seen;
    let latency = alone - packet * 256;
    let [short, long] = [got[0], got[1]].map(|seen| seen.since(Time(0)) - latency);
    assert!(short.0.abs_diff(packet.0 * 128) <= 4, "{short}");
    // Its bandwidth may stay unused for a sixteenth of its time.
    assert!(long >= packet * 320 && long <= packet * (320 + 128 / 16), "{long}");
}

/// A NIC sends to a receiver of four senders, and to another. Its packets alternate. Without
/// congestion management, those for the first fill the buffers before them, and both messages get a
/// quarter of its link. With management the second gets the other three quarters.
#[test]
fn a_congested_receiver_slows_its_senders_other_messages() {
    let bytes = 4096 * 2048u64;
    let to = |src, dst| (Time(0), message(src, dst, bytes, draw(2, 0, src, dst.into())));
    // In one group, on different switches.
    let messages = [to(4, 0), to(8, 0), to(12, 0), to(16, 0), to(16, 20)];
    for (management, times) in [("off", 4.0), ("on", 4.0 / 3.0)] {
        let set = [("routing", "minimal"), ("congestion.management", management)];
        let machine =
            preset("dragonfly-1056", &[&set[..], &[("congestion.threshold", "8 KiB")]].concat());
        let alone = machine.zero_load(NicId(16), NicId(20), bytes).0 as f64;
        for got in [flows(&machine, &messages), run(&machine, &messages)] {
            let took = got.seen[4].since(Time(0)).0 as f64 / alone;
            assert!((took / times - 1.0).abs() < 0.1, "{management}: {took}, not {times}");
        }
    }
}

/// Equal messages of many senders to one: all end when the receiver's link has transferred all of
/// them.
#[test]
fn an_incast_drains_at_the_receiver_rate() {
    for name in ["dragonfly-1056", "aurora", "cascade-3k"] {
        let machine = preset(name, &[]);
        let (senders, bytes) = (40u32, 64u64 << 10);
        let n = machine.node_nics.raw[machine.compute_nodes as usize];
        let messages: Vec<_> = (1..=senders)
            .map(|i| (Time(0), message(i * (n / (senders + 1)), 0, bytes, draw(3, 0, i, 0))))
            .collect();
        let got = flows(&machine, &messages).end().since(Time(0));
        // Time of a message's bytes at the receiver: between two NICs of a switch nothing else is
        // slower.
        let zero_load = |bytes| machine.zero_load(NicId(1), NicId(0), bytes);
        let least = Span((zero_load(bytes * 2) - zero_load(bytes)).0 * u64::from(senders));
        assert!(got >= least, "{name}: {got}, but the link needs {least}");
        // Latencies, the first packet, and paths longer than minimal ones.
        let empty = messages.iter().map(|m| machine.zero_load(m.1.src, m.1.dst, 0)).max();
        let first = zero_load(machine.nic.packet_payload) - zero_load(0);
        let most = least + empty.expect("senders") * 2 + first + machine.nic.block_latency;
        assert!(got <= most, "{name}: {got}, {most} is enough");
    }
}

/// With one path per pair, the order of commands at one instant does not matter.
#[test]
fn command_order_does_not_change_results() {
    let machine = preset("dragonfly-1056", &[("routing", "minimal")]);
    let mut messages = random_messages(&machine, 8, 600, Span::ZERO, 1 << 18, 12);
    let forward = flows(&machine, &messages).seen;
    messages.reverse();
    let mut backward = flows(&machine, &messages).seen;
    backward.reverse();
    assert_eq!(forward, backward);
}

/// A run is a function of its inputs.
#[test]
fn the_digest_depends_only_on_messages_and_seed() {
    for name in ["dragonfly-1056", "cascade-3k"] {
        let machine = preset(name, &[]);
        let messages = random_messages(&machine, 5, 500, Span::us(20), 1 << 17, 4);
        let other = random_messages(&machine, 6, 500, Span::us(20), 1 << 17, 4);
        let (a, b) = (flows(&machine, &messages), flows(&machine, &messages));
        assert_eq!((a.digest, a.events, &a.counters), (b.digest, b.events, &b.counters));
        assert_ne!(a.digest, flows(&machine, &other).digest);
    }
}

/// Forty flows that start a nanosecond apart share one receiver for half a millisecond: their
/// shares are solved together, and each has its share from its start on.
#[test]
fn nearly_simultaneous_flows_are_solved_together() {
    let machine = preset("dragonfly-1056", &[("routing", "minimal")]);
    let (senders, bytes) = (40u32, 64u64 << 10);
    let after = |span: Span| -> Vec<_> {
        let one = |i: u32| message(8 + 8 * i, 0, bytes, draw(3, 0, i, 0));
        (0..senders).map(|i| (Time(0) + Span(span.0 * u64::from(i)), one(i))).collect()
    };
    let (at_once, nearly) =
        (flows(&machine, &after(Span::ZERO)), flows(&machine, &after(Span::ns(1))));
    let (a, b) = (at_once.end().since(Time(0)), nearly.end().since(Time(0)));
    assert!(b >= a && b.0 - a.0 <= Span::ns(100).0, "{a} and {b}");
}

/// Contention never speeds up a message, and no link exceeds its rate: the traffic of each link
/// took no longer than the run.
#[test]
fn contention_never_speeds_up_a_flow_and_no_link_exceeds_its_rate() {
    let machine = preset("dragonfly-1056", &[("routing", "minimal")]);
    let messages = random_messages(&machine, 21, 2_000, Span::us(30), 1 << 17, 60);
    let got = flows(&machine, &messages);
    let mut delayed = 0;
    for (&(at, msg), seen) in messages.iter().zip(&got.seen) {
        let took = seen.since(at);
        let least = machine.zero_load(msg.src, msg.dst, msg.bytes);
        assert!(took >= least, "{msg:?} took {took}, alone {least}");
        delayed += u32::from(took > least);
    }
    assert!(delayed > 500, "too little contention: {delayed} delayed");
    let end = got.end().since(Time(0));
    let full = machine.links.gap.ids().map(|link| {
        let busy = machine.links.gap[link].span(got.counters.links[link].bytes);
        assert!(busy <= end, "{link:?}: {busy} of {end}");
        busy
    });
    assert!(full.max().expect("links").0 * 2 > end.0, "no link was a bottleneck");
}

/// One message per sender of a pattern, all at once.
fn pattern(machine: &Machine, pattern: &str, bytes: u64) -> Vec<(Time, Message)> {
    pattern_of(3, machine, pattern, bytes)
}

fn pattern_of(seed: u64, machine: &Machine, pattern: &str, bytes: u64) -> Vec<(Time, Message)> {
    let to = Destinations::parse(pattern, machine, seed).expect("a pattern");
    let from = (0..to.participants()).filter(|&at| to.sends(at));
    from.map(|at| {
        let (src, dst) = (to.nic(at).0, to.to(at, 0).0);
        (Time(0), message(src, dst, bytes, draw(11, 0, src, 0)))
    })
    .collect()
}

/// Short messages end before a queue forms: together they are less than what diverts a packet to a
/// nonminimal path.
#[test]
fn short_messages_take_minimal_paths() {
    for routing in ["ugal", "slingshot"] {
        let machine = small(&[("routing", routing)]);
        let counters = flows(&machine, &pattern(&machine, "random-permutation", 8)).counters;
        assert_eq!(counters.nonminimal, 0, "{routing}");
    }
}

/// Flows against packets, 1 MiB from every NIC at once: limits in percent for the mean message and
/// the last one. docs/models/flow.md explains the differences: arbitration by input, which is
/// unfair to distant senders (mean under minimal routing), and full buffers, which delay the last
/// message of a permutation.
#[test]
fn flows_agree_with_packets() {
    let mut wrong = Vec::new();
    for (routing, name, mean, last) in [
        ("minimal", "shift:3", 5, 15),
        ("minimal", "worst-permutation", 15, 5),
        ("minimal", "group-shift:2", 5, 5),
        ("minimal", "random-permutation", 5, 5),
        ("minimal", "incast:9", 25, 5),
        ("slingshot", "shift:3", 5, 20),
        ("slingshot", "worst-permutation", 5, 15),
        ("slingshot", "group-shift:2", 5, 15),
        ("slingshot", "random-permutation", 10, 25),
        ("slingshot", "incast:9", 5, 5),
        ("ugal", "worst-permutation", 10, 10),
        ("ugal", "random-permutation", 5, 15),
        ("valiant", "worst-permutation", 5, 15),
    ] {
        let machine = small(&[("routing", routing)]);
        let messages = pattern(&machine, name, 1 << 20);
        let (flow, packet) = (flows(&machine, &messages), run(&machine, &messages));
        let sum = |run: &Run| run.seen.iter().map(|seen| seen.0).sum::<u64>() as f64;
        let off = [sum(&flow) / sum(&packet), flow.end().0 as f64 / packet.end().0 as f64];
        let off = off.map(|ratio| (ratio - 1.0) * 100.0);
        println!("{routing:10} {name:20} mean {:+6.1} %, last {:+6.1} %", off[0], off[1]);
        if off[0].abs() > f64::from(mean) || off[1].abs() > f64::from(last) {
            wrong.push(format!("{routing} {name}: {off:?}, not within {mean} and {last}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A permutation that keeps nearly all links busy. Packets keep choosing a full minimal path,
/// because nonminimal paths look full before they are (`slingshot`), or because the backlog at the
/// NIC holds back packets that would be diverted (`ugal`). So a flow whose minimal path is shared
/// by many is late.
#[test]
fn a_flow_on_a_shared_minimal_path_is_late() {
    for (routing, seed) in [("slingshot", 4), ("slingshot", 6), ("ugal", 4), ("ugal", 6)] {
        let machine = preset("dragonfly-1056", &[("routing", routing)]);
        let messages = pattern_of(seed, &machine, "random-permutation", 1 << 19);
        let (flow, packet) = (flows(&machine, &messages), run(&machine, &messages));
        let off = flow.end().0 as f64 / packet.end().0 as f64 - 1.0;
        println!("{routing}, seed {seed}: {:+.1} %", 100.0 * off);
        assert!(off.abs() < 0.15, "{routing}, seed {seed}: {off}");
    }
}

/// All 32 NICs of a group send to another group, over one global link. UGAL uses that link until
/// its backlog outweighs the nonminimal paths, and the backlog drains when all else is done; its
/// share is larger for shorter messages.
#[test]
fn backlog_at_the_minimal_path_drains_last() {
    let machine = preset("dragonfly-1056", &[("routing", "ugal")]);
    for (kib, most) in [(32, 0.1), (64, 0.1), (128, 0.2), (256, 0.15)] {
        let messages = pattern(&machine, "worst-permutation", kib << 10);
        let (flow, packet) = (flows(&machine, &messages), run(&machine, &messages));
        let sum = |run: &Run| run.seen.iter().map(|seen| seen.0).sum::<u64>() as f64;
        let last = flow.end().0 as f64 / packet.end().0 as f64 - 1.0;
        let mean = sum(&flow) / sum(&packet) - 1.0;
        println!("{kib} KiB: last {:+.1} %, mean {:+.1} %", 100.0 * last, 100.0 * mean);
        assert!(last.abs() < most && mean.abs() < 0.25, "{kib} KiB: {last}, {mean}");
    }
}

/// All NICs of one group send to another at the same time. What they send before they know of each
/// other's queues fills all nonminimal paths. While these drain, the NICs' buffers fill with
/// packets for the two direct links, 15 of 64 each. These drain last, 512 buffers over two links:
/// half of the total time.
#[test]
fn backlog_at_the_direct_link_drains_last() {
    let set = [("groups.compute.count", "2"), ("routing", "slingshot")];
    let machine = preset("aurora", &set);
    let messages = pattern(&machine, "worst-permutation", 1 << 17);
    let (flow, packet) = (flows(&machine, &messages), run(&machine, &messages));
    let ratio = flow.end().0 as f64 / packet.end().0 as f64;
    assert!((ratio - 1.0).abs() < 0.1, "{} and {}", flow.end(), packet.end());
    // 15 packets of 2,132 B in each buffer, two links of 25 GB/s, without other traffic.
    let last = 512.0 * 15.0 * 2132.0 / 2.0 / 25e9;
    assert!(flow.end().seconds() > last, "{}", flow.end());
}

/// The fifth round of Bruck's allgather of 64 ranks on one chassis of Cascade: the four NICs of
/// each Aries send to those of the fourth Aries further on. All paths of the chassis together have
/// twice the necessary bandwidth, so links are not the limit. Host interfaces, which send and
/// receive at once, determine the time. In ten draws, the last flow may contend with others for one
/// eighth of its message.
#[test]
fn flows_leave_full_links() {
    let machine = preset("cascade-3k", &[("routing", "adaptive-0")]);
    let (ranks, bytes) = (64u32, 16u64 << 15);
    // As to a neighbor, where links are no slower than host interfaces. But its bytes share the
    // host interfaces with the other direction, and the path is longer.
    let nic = &machine.nic;
    let (both, alone) = (nic.host_gap.span(2 * bytes), nic.host_gap_one_way.span(bytes));
    let zero_load = |to, bytes| machine.zero_load(NicId(0), NicId(to), bytes);
    let further = zero_load(ranks - 16, 0) - zero_load(1, 0);
    let expected = zero_load(1, bytes) + further + both - alone;
    let mut off = 0.0;
    for nth_draw in 1..=10 {
        let of = |nic| {
            let to = (nic + ranks - 16) % ranks;
            (Time(0), message(nic, to, bytes, draw(nth_draw, 0, nic, 0)))
        };
        let messages: Vec<_> = (0..ranks).map(of).collect();
        let late = flows(&machine, &messages).end().seconds() / expected.seconds() - 1.0;
        println!("{nth_draw}: {:+.1} %", 100.0 * late);
        off += late / 10.0;
    }
    assert!(off.abs() < 0.03, "{off}");
}

/// With this shift the 16 NICs of a switch send to another switch of their group, over one direct
/// link. Nonminimal paths have two links each; with them each of a switch's 31 links is used to
/// 15/16 of its capacity. So every flow can be as fast as alone, except for two more hops. As a
/// subflow is at least an eighth of a message, one that contends at a link with demand 9/8 is
/// delayed by a ninth.
#[test]
fn spare_capacity_is_found() {
    let set = [("groups.compute.count", "1"), ("routing", "slingshot")];
    let machine = preset("aurora", &set);
    let bytes = 1 << 20;
    let mut off = 0.0;
    for nth_draw in 1..=10 {
        let mut messages = pattern(&machine, "group-shift:2", bytes);
        messages.iter_mut().for_each(|(_, msg)| msg.draw = draw(nth_draw, 0, msg.src.0, 0));
        let of = |(_, msg): &(Time, Message)| machine.zero_load(msg.src, msg.dst, bytes);
        let alone = messages.iter().map(of).max().expect("messages").seconds();
        let late = flows(&machine, &messages).end().seconds() / alone - 1.0;
        println!("{nth_draw}: {:+.1} %", 100.0 * late);
        off += late / 10.0;
    }
    assert!(off > -0.001 && off < 1.0 / 9.0, "{off}");
}

/// 37 NICs of each group send to the next, slightly more than all paths out of the group can carry.
/// The excess uses the two direct links while messages last, until the buffers of the NICs are full
/// of it, 15 packets each. The packet network gives the reference.
#[test]
fn overflow_of_nonminimal_paths_accumulates_at_the_direct_links() {
    let set = [("groups.compute.count", "8"), ("routing", "slingshot")];
    let machine = preset("aurora", &set);
    let mut messages = pattern(&machine, "shift:37", 1 << 20);
    messages.retain(|(_, msg)| msg.src.0 / 512 != msg.dst.0 / 512);
    assert_eq!(messages.len(), 8 * 37);
    let (flow, packet) = (flows(&machine, &messages), run(&machine, &messages));
    let ratio = flow.end().0 as f64 / packet.end().0 as f64;
    assert!((ratio - 1.0).abs() < 0.1, "{} and {}", flow.end(), packet.end());
}

/// All NICs of one group send by a shift for which there is capacity, 1 MiB each. A small message
/// in another group, on other paths, must not keep them from finding it: no flow is later by more
/// than the effect of a different draw.
#[test]
fn a_message_in_another_group_delays_no_flow() {
    let set = [("groups.compute.count", "2"), ("routing", "slingshot")];
    let machine = preset("aurora", &set);
    let mut messages = pattern(&machine, "group-shift:2", 1 << 20);
    messages.retain(|(_, msg)| msg.src.0 < 512);
    let end = |run: &Run| run.seen[..512].iter().max().expect("messages").seconds();
    let alone = end(&flows(&machine, &messages));
    for (bytes, at) in [(8192, 0), (8192, 350_000), (2048, 300_000), (64, 1_100_000)] {
        let mut with = messages.clone();
        with.push((Time(at), message(515, 712, bytes, draw(5, 0, 515, 0))));
        let late = end(&flows(&machine, &with)) / alone - 1.0;
        println!("{bytes} B at {at} ps: {:+.1} %", 100.0 * late);
        assert!(late < 0.05, "{bytes} B at {at} ps: {late}");
    }
}

/// Where paths are chosen by load, the order of commands is as random as the draws. Over eight
/// draws of a shift for which there is capacity, the last flows of ascending, descending and
/// shuffled NICs end at the same mean time.
#[test]
fn command_order_has_no_systematic_effect() {
    let set = [("groups.compute.count", "4"), ("routing", "slingshot")];
    let machine = preset("aurora", &set);
    let mut means = [0.0; 3];
    for nth_draw in 1..=8 {
        let mut messages = pattern(&machine, "group-shift:4", 1 << 20);
        messages.iter_mut().for_each(|(_, msg)| msg.draw = draw(nth_draw, 0, msg.src.0, 0));
        let orders: [fn(&Message) -> u64; 3] =
            [|msg| msg.src.0.into(), |msg| !u64::from(msg.src.0), |msg| draw(77, 0, msg.src.0, 0)];
        for (order, mean) in orders.iter().zip(&mut means) {
            messages.sort_by_key(|(_, msg)| order(msg));
            *mean += flows(&machine, &messages).end().seconds() / 8.0;
        }
    }
    println!("ascending, descending, shuffled: {means:?} s");
    for mean in means {
        assert!((mean / means[0] - 1.0).abs() < 0.05, "{means:?}");
    }
}

/// Switch latency hardly affects the backlog at the direct links of Aurora: packets end at the same
/// time for 80 and 350 ns. With next to no latency the backlog is small, as in the permutation on
/// `dragonfly-1056`.
#[test]
fn backlog_accumulates_with_fast_switches_too() {
    let two = ("groups.compute.count", "2");
    for (name, set, bytes) in [
        ("aurora", &[two, ("switch.latency", "80 ns")][..], 1 << 16),
        ("aurora", &[two, ("switch.latency", "200 ns")], 1 << 16),
        ("dragonfly-1056", &[], 1 << 19),
    ] {
        let machine = preset(name, &[&[("routing", "slingshot")], set].concat());
        let messages = pattern(&machine, "worst-permutation", bytes);
        let (flow, packet) = (flows(&machine, &messages), run(&machine, &messages));
        let off = flow.end().seconds() / packet.end().seconds() - 1.0;
        println!("{name}, {set:?}: {:+.1} %", 100.0 * off);
        assert!(off.abs() < 0.06, "{name}, {set:?}: {} and {}", flow.end(), packet.end());
    }
}

/// A delayed flow re-evaluates its route as long as it sends, whenever others started. Ranks that
/// send by rendezvous start within a microsecond or two of each other, as responses arrive; others
/// at random times. Nonminimal paths that were empty at the start are full soon after. At random
/// times on two groups flows are still 21 % too fast in the mean.
#[test]
fn in_flight_messages_re_evaluate_their_routes() {
    for groups in [2u32, 4] {
        let set = [("groups.compute.count", &*groups.to_string()), ("routing", "slingshot")];
        let machine = preset("aurora", &set);
        let (n, bytes) = (512 * groups, 1u64 << 18);
        let alone = machine.zero_load(NicId(0), NicId(n - 1), bytes);
        let at_any_time = (false, 2, alone * 2, if groups == 2 { 25.0 } else { 10.0 });
        for (to_next_group, each, within, most) in [(true, 1, Span::us(2), 8.0), at_any_time] {
            let of = |nth: u64| {
                let (src, nth_draw) =
                    ((nth % u64::from(n)) as u32, |stream| draw(5, stream, 0, nth));
                let anywhere = 1 + (nth_draw(0) % u64::from(n - 1)) as u32;
                let dst = (src + if to_next_group { 512 } else { anywhere }) % n;
                (Time(nth_draw(1) % within.0), message(src, dst, bytes, nth_draw(2)))
            };
            let mut messages: Vec<_> = (0..each * u64::from(n)).map(of).collect();
            messages.sort_by_key(|&(at, _)| at);
            let took = |run: &Run| {
                let each = run.seen.iter().zip(&messages).map(|(seen, one)| seen.since(one.0));
                each.map(Span::seconds).sum::<f64>() / messages.len() as f64
            };
            let (flow, packet) = (flows(&machine, &messages), run(&machine, &messages));
            let mean = 100.0 * (took(&flow) / took(&packet) - 1.0);
            let last = 100.0 * (flow.end().seconds() / packet.end().seconds() - 1.0);
            println!("{groups} groups, {each} each: mean {mean:+.1} %, last {last:+.1} %");
            assert!(mean.abs() < most && last.abs() < 8.0, "{groups}, {each}: {mean}, {last}");
        }
    }
}
