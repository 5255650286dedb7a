//! Properties of traffic classes in the flow model: links are shared as in docs/models/classes.md
//! and by packets, and no class waits in the buffers of another.

#![allow(clippy::disallowed_macros)] // prints what it checks

use base::{Span, Time, draw};
use flow::FlowNetwork;
use machine::{Machine, NicId};
use net::Message;
use properties::{fair_shares, message, random_messages, run, run_on, with_classes};

fn flows(machine: &Machine, messages: &[(Time, Message)]) -> Vec<Time> {
    run_on::<FlowNetwork>(machine, messages).seen
}

const PACKET: u64 = 2048;
const BYTES: u64 = 8192 * PACKET;

/// This fraction of `BYTES`, in whole packets: what a class transfers in the total time.
fn part(share: f64) -> u64 {
    (share * (BYTES / PACKET) as f64).round() as u64 * PACKET
}

/// At a receiver's link and between switches, for both profiles: assured minimums hold under load,
/// ceilings hold, unused bandwidth is lent. Flows and packets follow the equation.
#[test]
fn a_link_is_shared_as_the_classes_say() {
    let hpc = &["dedicated-access", "bulk-data", "best-effort"][..];
    for (profile, classes, others) in [
        ("hpc", hpc, &[1, 1, 1][..]),
        ("hpc", hpc, &[4, 1, 1]),
        ("hpc", hpc, &[20, 1, 1]),
        ("hpc", &["low-latency", "best-effort"], &[1, 1]),
        ("hpc", &["dedicated-access", "low-latency", "ethernet"], &[1, 2, 1]),
        ("ll-be-bd-et", &["low-latency", "bulk-data", "best-effort"], &[1, 1, 1]),
        ("ll-be-bd-et", &["bulk-data", "best-effort", "ethernet"], &[10, 1, 1]),
    ] {
        let set = [("classes.profile", profile), ("routing", "minimal")];
        let (machine, vnets) = with_classes(&set, classes);
        // A NIC that sends to n receivers demands an n-th of each one's link, up to the ceiling of
        // its class. The first receiver is common to all, behind the only link from the next group,
        // or next to the senders. Each class sends its entitlement for the time of `BYTES`, so all
        // end at that time.
        let ceilings = machine.classes.sharing().map(|class| f64::from(class.ceiling) / 100.0);
        let demands: Vec<f64> = ceilings.zip(others).map(|(c, &n)| c / f64::from(n)).collect();
        let due = fair_shares(&machine, &demands, false);
        for (first, step) in [(32, 1), (4, 4)] {
            let mut messages = Vec::new();
            for (i, (&vnet, &n)) in vnets.iter().zip(others).enumerate() {
                let src = first + step * i as u32;
                for nth in 0..n {
                    let dst = if nth == 0 { 0 } else { 500 + 20 * i as u32 + nth };
                    let draw = draw(1, 0, src, nth.into());
                    let message = message(src, dst, part(due[i]), draw);
                    messages.push((Time::ZERO, Message { vnet, ..message }));
                }
            }
            let full = machine.links.gap[machine.injection(NicId(0))].span(BYTES);
            let both = [flows(&machine, &messages), run(&machine, &messages).seen];
            for (seen, fidelity) in both.iter().zip(["flow", "packet"]) {
                let to_first = messages.iter().zip(seen).filter(|((_, m), _)| m.dst == NicId(0));
                let took = to_first.map(|(_, seen)| seen.since(Time(0)).0 as f64 / full.0 as f64);
                let took: Vec<f64> = took.collect();
                println!("{profile} {classes:?} {others:?} {due:.3?} {fidelity}: {took:.3?}");
                let off = took.iter().map(|took| (took - 1.0).abs()).fold(0.0, f64::max);
                assert!(off < 0.03, "{fidelity}: {took:?}");
            }
        }
    }
}

/// At injection links the assured share is `nic_assured`.
#[test]
fn a_nic_is_shared_as_the_classes_say() {
    for (profile, classes) in [
        ("hpc", &["dedicated-access", "bulk-data", "best-effort"][..]),
        ("ll-be-bd-et", &["low-latency", "bulk-data", "best-effort"]),
    ] {
        let (machine, vnets) =
            with_classes(&[("classes.profile", profile), ("routing", "minimal")], classes);
        let due = fair_shares(&machine, &[1.0; 3], true);
        let to =
            |((&vnet, dst), &due)| (Time::ZERO, Message { vnet, ..message(0, dst, part(due), 1) });
        let messages: Vec<_> = vnets.iter().zip(4..).zip(&due).map(to).collect();
        let full = machine.links.gap[machine.injection(NicId(0))].span(BYTES);
        for (seen, fidelity) in
            [(flows(&machine, &messages), "flow"), (run(&machine, &messages).seen, "packet")]
        {
            let took: Vec<f64> =
                seen.iter().map(|seen| seen.since(Time(0)).0 as f64 / full.0 as f64).collect();
            println!("{profile} {classes:?} {due:.3?} {fidelity}: {took:.3?}");
            let off = took.iter().map(|took| (took - 1.0).abs()).fold(0.0, f64::max);
            assert!(off < 0.03, "{fidelity}: {took:?}");
        }
    }
}

/// With a ceiling of 1 % a message takes a hundred times as long, without competitors.
#[test]
fn a_ceiling_holds_without_competitors() {
    let set = [("classes.low-latency.assured", "1"), ("classes.low-latency.ceiling", "1")];
    let (machine, vnets) = with_classes(&set, &["low-latency"]);
    let message = Message { vnet: vnets[0], ..message(0, 700, BYTES, 9) };
    let took = flows(&machine, &[(Time(0), message)])[0].since(Time(0));
    let full = machine.links.gap[machine.injection(NicId(0))].span(BYTES);
    assert!((took.0 as f64 / (full.0 as f64 * 100.0) - 1.0).abs() < 0.01, "{took}");
}

/// An incast fills the buffers of its own class. A message to another NIC over the same links is
/// delayed in that class and hardly in another, as with packets. With buffers shared by all classes
/// it would be delayed in both; without full buffers in neither.
#[test]
fn an_incast_delays_its_own_class_only() {
    let set = [("classes.profile", "hpc"), ("routing", "minimal")];
    let (machine, vnets) = with_classes(&set, &["bulk-data", "best-effort"]);
    // Three NICs of each of eight groups send to a NIC of another group, over one link per three.
    // One more NIC of the first group sends to the NIC next to it.
    let attacker = |n: u32| 64 + 32 * (n / 3) + n % 3;
    let attack = (0..24).map(|n| Message { vnet: vnets[0], ..message(attacker(n), 32, BYTES, 3) });
    let attack: Vec<_> = attack.map(|m| (Time::ZERO, m)).collect();
    let victim = |vnet| {
        let own = Message { vnet, ..message(73, 33, BYTES / 16, 5) };
        let all: Vec<_> = attack.iter().copied().chain([(Time::ZERO, own)]).collect();
        let ratio = |with: Time, alone: Time| with.since(Time(0)).0 as f64 / alone.0 as f64;
        let flow = ratio(flows(&machine, &all)[24], flows(&machine, &all[24..])[0]);
        let packet = ratio(run(&machine, &all).seen[24], run(&machine, &all[24..]).seen[0]);
        println!("{flow:.2} times as long as alone, with packets {packet:.2}");
        [flow, packet]
    };
    let (same, other) = (victim(vnets[0]), victim(vnets[1]));
    assert!(same.iter().all(|&times| times > 5.0), "{same:?}");
    assert!(other.iter().all(|&times| times < 1.5), "{other:?}");
}

/// Routers see the backlog of a link. For a class with a ceiling that is all that NICs have sent,
/// so it uses nonminimal paths like others. All NICs of a group send to one other in a class with
/// a ceiling of 5 % or 50 %: packets and flows end together, earlier than with minimal paths alone.
#[test]
fn a_limited_class_uses_nonminimal_paths() {
    for ceiling in ["5", "50"] {
        let set = [("routing", "slingshot"), ("classes.low-latency.ceiling", ceiling)];
        let (machine, vnets) = with_classes(&set, &["low-latency"]);
        let of = |src: u32| Message {
            vnet: vnets[0],
            ..message(src, 32 + src, 64 * PACKET, draw(7, 0, src, 0))
        };
        let messages: Vec<_> = (0..32).map(|src| (Time::ZERO, of(src))).collect();
        let last = |seen: Vec<Time>| seen.into_iter().max().expect("messages").seconds();
        let (flow, packet) =
            (last(flows(&machine, &messages)), last(run(&machine, &messages).seen));
        println!("ceiling {ceiling} %: {:+.1} %", 100.0 * (flow / packet - 1.0));
        assert!((flow / packet - 1.0).abs() < 0.2, "ceiling {ceiling} %: {flow} and {packet}");
    }
}

/// A class in use without traffic does not affect the others, and a single class equals none.
#[test]
fn an_idle_class_changes_nothing() {
    let set = [("routing", "slingshot")];
    let plain = with_classes(&set, &[]).0;
    let messages = random_messages(&plain, 3, 600, Span::us(2), 1 << 17, 5);
    let want = run_on::<FlowNetwork>(&plain, &messages);
    for classes in [&["bulk-data"][..], &["best-effort", "low-latency", "bulk-data"]] {
        let (machine, vnets) = with_classes(&set, classes);
        let own = messages.iter().map(|&(at, m)| (at, Message { vnet: vnets[0], ..m }));
        let got = run_on::<FlowNetwork>(&machine, &own.collect::<Vec<_>>());
        assert_eq!(got.digest, want.digest, "{classes:?}");
    }
}

/// Random messages of four classes under every policy: all complete, conservation holds, and
/// command order does not matter.
#[test]
fn every_message_completes() {
    let classes = ["low-latency", "bulk-data", "best-effort", "ethernet"];
    for (seed, routing) in ["minimal", "valiant", "ugal-l", "slingshot"].into_iter().enumerate() {
        let set = [("routing", routing), ("classes.bulk-data.ceiling", "21")];
        let (machine, vnets) = with_classes(&set, &classes);
        let all = random_messages(&machine, seed as u64, 400, Span::us(2), 1 << 17, 5)
            .into_iter()
            .zip(0..);
        let vnet = |nth| vnets[base::below(draw(seed as u64, 8, 0, nth), 4) as usize];
        let all = all.map(|((at, m), nth)| (at, Message { vnet: vnet(nth), ..m }));
        flows(&machine, &all.collect::<Vec<_>>());
    }
}

/// All NICs of a group send to the next over one link, in three classes. Each class completes when
/// it does with packets, within an eighth. Bandwidth that the first class leaves is redistributed
/// late, by a 16th of its time.
#[test]
fn contending_classes_complete_when_packets_do() {
    let set = [("classes.profile", "hpc"), ("routing", "minimal")];
    let (machine, vnets) = with_classes(&set, &["dedicated-access", "bulk-data", "best-effort"]);
    let of = |src: u32| {
        let own = message(src, 32 + (src * 5 + 3) % 32, 256 << 10, draw(3, 0, src, 0));
        (Time::ZERO, Message { vnet: vnets[src as usize % 3], ..own })
    };
    let messages: Vec<_> = (0..30).map(of).collect();
    let last = |seen: &[Time], class: usize| seen.iter().skip(class).step_by(3).max().copied();
    let (flow, packet) = (flows(&machine, &messages), run(&machine, &messages).seen);
    for class in 0..3 {
        let last = |seen: &[Time]| last(seen, class).expect("ten messages").seconds();
        let (flow, packet) = (last(&flow), last(&packet));
        println!("class {class}: {:.2} us, with packets {:.2}", flow * 1e6, packet * 1e6);
        assert!((flow / packet - 1.0).abs() < 0.125, "class {class}: {flow} and {packet}");
    }
}
