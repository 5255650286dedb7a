//! Properties of traffic classes: assured minimums hold, ceilings are not exceeded, unused
//! bandwidth is lent, and an unused class changes nothing.

use base::{Span, Time, draw};
use machine::{Machine, NicId};
use net::{Message, Origin};
use properties::{
    assert_same, buffers, fair_shares, message, offered_at, random_messages, request, run,
    with_classes,
};
use sim::Background;
use sim::traffic::{Destinations, Finish, TrafficRequest, TrafficSetting};

/// Packets from a NIC at a fraction of its link rate.
#[derive(Clone, Copy)]
struct Sender {
    src: u32,
    dst: u32,
    vnet: u8,
    load: f64,
}

const PACKET: u64 = 2048;

/// Completion times of each sender's packets that are issued within `span`.
fn completion_times(machine: &Machine, all: &[Sender], span: Span) -> Vec<Vec<Time>> {
    let full = machine.links.gap[machine.injection(NicId(0))].span(PACKET);
    let mut messages = Vec::new();
    for (i, &Sender { src, dst, vnet, load }) in all.iter().enumerate() {
        let gap = full.0 as f64 / load;
        let count = (span.0 as f64 / gap) as u64;
        messages.extend((0..count).map(|nth| {
            let message = message(src, dst, PACKET, draw(5, 0, i as u32, nth));
            (Time((nth as f64 * gap) as u64), i, Message { origin: Origin::Nic, vnet, ..message })
        }));
    }
    messages.sort_by_key(|&(at, i, _)| (at, i));
    let plain: Vec<_> = messages.iter().map(|&(at, _, message)| (at, message)).collect();
    let seen = run(machine, &plain).seen;
    let mut of = vec![Vec::new(); all.len()];
    messages.iter().zip(seen).for_each(|(&(_, i, _), seen)| of[i].push(seen));
    of.iter_mut().for_each(|times| times.sort_unstable());
    of
}

/// Share of a link for each sender while all of them send.
fn shares(machine: &Machine, all: &[Sender], span: Span) -> Vec<f64> {
    let full = machine.links.gap[machine.injection(NicId(0))].span(PACKET);
    let (from, to) = (Time(span.0 / 4), Time(span.0));
    let of = completion_times(machine, all, span);
    let count = |times: &Vec<Time>| times.iter().filter(|&&t| from <= t && t < to).count();
    of.iter().map(|times| (full * count(times) as u64).0 as f64 / (to - from).0 as f64).collect()
}

const SPAN: Span = Span::us(400);

/// Classes that demand more than a link has get exactly their entitlement: assured minimums hold
/// under load, ceilings hold, unused bandwidth is lent.
#[test]
fn a_link_is_shared_as_the_classes_say() {
    for (profile, classes, demands) in [
        ("hpc", &["dedicated-access", "bulk-data", "best-effort"][..], &[1.0, 1.0, 1.0][..]),
        ("hpc", &["low-latency", "best-effort"], &[1.0, 1.0]),
        ("hpc", &["dedicated-access", "bulk-data", "best-effort"], &[0.05, 1.0, 1.0]),
        ("hpc", &["dedicated-access", "best-effort"], &[0.4, 1.0]),
        ("hpc", &["dedicated-access", "low-latency", "ethernet"], &[0.9, 0.2, 0.9]),
        ("ll-be-bd-et", &["low-latency", "bulk-data", "best-effort"], &[1.0, 1.0, 1.0]),
        ("ll-be-bd-et", &["bulk-data", "best-effort", "ethernet"], &[0.1, 1.0, 1.0]),
    ] {
        // Congestion management does not change shares: it throttles per class.
        for (arbitration, management) in [("round-robin", "off"), ("age", "off"), ("age", "on")] {
            let set = [
                ("classes.profile", profile),
                ("congestion.management", management),
                ("switch.arbitration", arbitration),
                ("routing", "minimal"),
            ];
            let (machine, vnets) = with_classes(&set, classes);
            // Senders on different switches with one receiver: they contend at its link only.
            let senders: Vec<_> = vnets.iter().zip(demands).zip(1..).collect();
            let all = senders.iter().map(|&((&vnet, &load), i)| Sender {
                src: 4 * i,
                dst: 0,
                vnet,
                load,
            });
            let got = shares(&machine, &all.collect::<Vec<_>>(), SPAN);
            let want = fair_shares(&machine, demands, false);
            println!(
                "{profile} {arbitration} {classes:?} demands {demands:?}: {got:.3?} {want:.3?}"
            );
            for (got, want) in got.iter().zip(&want) {
                assert!((got - want).abs() < 0.012, "{classes:?}: got {got:.4}, due {want:.4}");
            }
        }
    }
}

/// The same for an injection link, where messages of a class wait only for those of the class.
#[test]
fn a_nic_is_shared_as_the_classes_say() {
    for (profile, classes, demands) in [
        ("hpc", &["dedicated-access", "bulk-data", "best-effort"][..], &[1.0, 1.0, 1.0][..]),
        ("hpc", &["low-latency", "best-effort"], &[0.2, 1.0]),
        ("ll-be-bd-et", &["low-latency", "bulk-data", "best-effort"], &[1.0, 1.0, 1.0]),
    ] {
        let (machine, vnets) = with_classes(&[("classes.profile", profile)], classes);
        let all = vnets.iter().zip(demands).zip(1..).map(|((&vnet, &load), dst)| Sender {
            src: 0,
            dst,
            vnet,
            load,
        });
        let got = shares(&machine, &all.collect::<Vec<_>>(), SPAN);
        let want = fair_shares(&machine, demands, true);
        println!("{profile} {classes:?} demands {demands:?}: {got:.3?} {want:.3?}");
        for (got, want) in got.iter().zip(&want) {
            assert!((got - want).abs() < 0.012, "{classes:?}: got {got:.4}, due {want:.4}");
        }
    }
}

/// In no time window, of any length, does a class get more than its ceiling and its bucket, without
/// competitors. In a long window it gets no less.
#[test]
fn a_ceiling_holds_in_every_time_window() {
    for (percent, bucket) in [("30", "4"), ("5", "2"), ("99", "1")] {
        let set = [
            ("classes.profile", "hpc"),
            ("classes.low-latency.nic_assured", "1"),
            ("classes.low-latency.assured", "1"),
            ("classes.low-latency.ceiling", percent),
            ("classes.low-latency.bucket", bucket),
        ];
        let (machine, vnets) = with_classes(&set, &["low-latency"]);
        let all = [Sender { src: 0, dst: 900, vnet: vnets[0], load: 1.0 }];
        let times = completion_times(&machine, &all, Span::us(150)).remove(0);
        let ceiling: f64 = percent.parse::<f64>().expect("a number") / 100.0;
        let packet = machine.links.gap[machine.injection(NicId(0))].span(PACKET).0 as f64;
        let limit: f64 = bucket.parse().expect("a number");
        let mut most: f64 = 0.0;
        for (i, &from) in times.iter().enumerate() {
            for (packets, &to) in (1..).zip(&times[i + 1..]) {
                let above = f64::from(packets) - ceiling * (to - from).0 as f64 / packet;
                most = most.max(above);
            }
        }
        // The first packet of a window is not counted: another may have overfilled the bucket.
        println!("{percent} %: at most {most:.3} packets above it");
        assert!(most <= limit + 1e-3, "{percent} %: {most} packets above");
        let whole = (times[times.len() - 1] - times[0]).0 as f64;
        let rate = (times.len() - 1) as f64 * packet / whole;
        assert!(rate <= ceiling * 1.005 + limit * packet / whole, "{percent} %: {rate}");
        assert!(rate >= ceiling * 0.995, "{percent} %: {rate}");
    }
}

/// Six senders fill the receiver's link, three of them at the same switch. A class of higher
/// priority waits at each of two links for the one packet in transmission. In a single class it
/// waits for a full buffer.
#[test]
fn low_latency_class_stays_low_under_load() {
    let classes = ["low-latency", "best-effort"];
    let worst = |classes: &[&str], management| {
        let set = [
            ("classes.profile", "hpc"),
            ("congestion.management", management),
            ("routing", "minimal"),
        ];
        let (machine, vnets) = with_classes(&set, classes);
        // 0.0937: not synchronized with the other senders.
        let victim = Sender { src: 4, dst: 0, vnet: vnets[0], load: 0.0937 };
        let vnet = vnets[vnets.len() - 1];
        let attack = [1, 2, 3, 5, 6, 7].map(|src| Sender { src, dst: 0, vnet, load: 0.9 });
        let mut all = vec![victim];
        all.extend(attack);
        let alone = &completion_times(&machine, &all[..1], Span::us(100))[0];
        let loaded = &completion_times(&machine, &all, Span::us(100))[0];
        assert_eq!(alone.len(), loaded.len());
        let waits = alone.iter().zip(loaded).map(|(&alone, &loaded)| loaded.since(alone));
        let packet = machine.links.gap[machine.injection(NicId(0))].span(PACKET);
        waits.max().expect("it sent").0 as f64 / packet.0 as f64
    };
    let managed = worst(&classes, "on");
    assert!((0.5..=2.0).contains(&managed), "with management it waits for {managed} packets");
    let (own, same) = (worst(&classes, "off"), worst(&classes[1..], "off"));
    println!("waits for at most {own:.2} packets in its own class, {same:.1} in a shared one");
    assert!(own > 0.5, "no competing load: {own}");
    assert!(own <= 2.0, "it waits for {own} packets");
    assert!(same > 20.0, "a single class suffices: {same}");
}

/// Random messages of these classes.
fn mixed(machine: &Machine, seed: u64, vnets: &[u8]) -> Vec<(Time, Message)> {
    let vnet = |i| vnets[base::below(draw(seed, 8, 0, i), vnets.len() as u32) as usize];
    let messages =
        random_messages(machine, seed, 1_500, Span::us(2), 1 << 17, 5).into_iter().zip(0..);
    messages.map(|((at, m), i)| (at, Message { vnet: vnet(i), ..m })).collect()
}

/// Small buffers, small buckets, low ceilings, every policy: all messages complete.
#[test]
fn every_message_completes() {
    let classes = ["low-latency", "bulk-data", "best-effort", "ethernet"];
    for (seed, (routing, tight)) in [
        ("minimal", "4 KiB"),
        ("valiant", "8 KiB"),
        ("ugal-l", "8 KiB"),
        ("slingshot", "8 KiB"),
        ("par", "10 KiB"),
    ]
    .into_iter()
    .enumerate()
    {
        for arbitration in ["round-robin", "age"] {
            let set = [
                ("routing", routing),
                ("switch.arbitration", arbitration),
                ("classes.bulk-data.ceiling", "21"),
                ("classes.bulk-data.bucket", "1"),
                ("classes.low-latency.bucket", "1"),
                ("nic.window", "7"),
            ];
            let (machine, vnets) = with_classes(&[&set, &buffers(tight)[..]].concat(), &classes);
            run(&machine, &mixed(&machine, seed as u64, &vnets));
        }
    }
}

/// A class in use without traffic does not affect the others: same times, same digest. A single
/// class equals a network without classes.
#[test]
fn an_idle_class_changes_nothing() {
    for (arbitration, management) in [("round-robin", "off"), ("age", "off"), ("age", "on")] {
        let set = [
            ("switch.arbitration", arbitration),
            ("congestion.management", management),
            ("routing", "slingshot"),
        ];
        let (plain, _) = with_classes(&set, &[]);
        let messages = mixed(&plain, 3, &[0]);
        let alone = run(&plain, &messages);
        assert_eq!(alone.counters.congestion.onsets > 0, management == "on", "an empty test");
        let want = alone.digest;
        for classes in
            [&["bulk-data"][..], &["best-effort"], &["best-effort", "low-latency", "bulk-data"]]
        {
            let (machine, vnets) = with_classes(&set, classes);
            let own = messages.iter().map(|&(at, m)| (at, Message { vnet: vnets[0], ..m }));
            let got = run(&machine, &own.collect::<Vec<_>>()).digest;
            assert_eq!(got, want, "{arbitration}, management {management}, {classes:?}");
        }
    }
}

/// Several classes on several threads: identical to the last bit.
#[test]
fn thread_count_does_not_change_results() {
    let set = [
        ("groups.compute.count", "9"),
        ("groups.compute.switches", "4"),
        ("groups.compute.global_ports", "2"),
        ("groups.compute.nodes", "8"),
        ("classes.bulk-data.ceiling", "33"),
        ("nic.window", "16"),
    ];
    let (machine, vnets) = with_classes(&set, &["low-latency", "best-effort", "bulk-data"]);
    let nics = |odd: u32| (0..machine.n_nics()).filter(|nic| nic % 2 == odd).map(NicId).collect();
    let background = |pattern: &str, load, vnet| Background {
        pattern: pattern.into(),
        to: Destinations::between(pattern, &machine, nics(1), 5).expect("a pattern"),
        load,
        bytes: 3_000,
        vnet,
    };
    let place = TrafficSetting {
        nics: nics(0),
        slices: 0,
        background: vec![
            background("adversarial:1", 0.4, vnets[2]),
            background("uniform", 0.5, vnets[1]),
        ],
        vnet: vnets[0],
        in_order: false,
    };
    let on = |threads| {
        let own = request("adversarial:1", 0.1, 1_000, Span::us(2), Span::us(4));
        let request = TrafficRequest { threads, ..own };
        offered_at(&machine, &request, &place, Finish::Empty)
    };
    let one = on(1);
    assert!(one.row.packets > 100, "an empty test");
    for threads in [2, 3, 9] {
        assert_same(&one, &on(threads), &format!("{threads} threads"));
    }
}

/// With a ceiling of 1 % a message takes a hundred times as long, and then completes.
#[test]
fn a_single_message_under_a_ceiling_takes_its_time() {
    let set = [
        ("classes.low-latency.assured", "1"),
        ("classes.low-latency.ceiling", "1"),
        ("classes.low-latency.bucket", "1"),
    ];
    let (machine, vnets) = with_classes(&set, &["low-latency"]);
    let bytes = 40 * PACKET;
    let message = Message { origin: Origin::Nic, vnet: vnets[0], ..message(0, 700, bytes, 9) };
    let took = run(&machine, &[(Time(0), message)]).end().since(Time(0));
    let packet = machine.links.gap[machine.injection(NicId(0))].span(PACKET);
    // Two packets go at once: one fills the bucket short of its limit, the next fills it.
    let (least, most) = (packet * 100 * 38, packet * 100 * 38 + Span::us(2));
    assert!(least <= took && took <= most, "{took}, expected {least} to {most}");
}
