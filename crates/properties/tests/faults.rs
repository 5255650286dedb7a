//! Properties of networks with faults of any kind at any time: every message arrives once or is
//! reported as failed, no state is left, no packet exceeds its hops, and nothing waits forever.

use std::collections::BTreeMap;

use base::{Span, Time, below, draw};
use flow::FlowNetwork;
use loggp::LogGpNetwork;
use machine::faults::{Fault, FaultKind, FaultSchedule, FaultTarget, NEVER};
use machine::{GroupId, Idle, LinkId, LinkKind, LoadView, Machine, NicId, Routing, SwitchId};
use net::{Completion, FAILED, LinkTraffic, LostAt, Message};
use properties::{buffers, env_number, message, preset, run, run_on};

fn all_at_once(machine: &Machine, bytes: u64, seed: u64) -> Vec<(Time, Message)> {
    let n = machine.n_nics();
    let pairs = (0..n).flat_map(|a| (0..n).filter(move |&b| b != a).map(move |b| (a, b)));
    pairs.map(|(a, b)| (Time(0), message(a, b, bytes, draw(seed, 1, a, u64::from(b))))).collect()
}

const FAST: [(&str, &str); 2] = [("retry.timeout", "30 us"), ("retry.sweep", "5 us")];

/// A random machine.
fn small(seed: u64) -> Machine {
    let random = |about: u64| draw(seed, 11, 0, about);
    let of = |about: u64, n: u32| below(random(about), n) as usize;
    let routings: Vec<&str> = Routing::NAMES.iter().copied().filter(|w| *w != "adaptive").collect();
    let routing = routings[of(0, routings.len() as u32)];
    let arbitration = ["round-robin", "age"][of(1, 2)];
    let sweep = ["0 ns", "2 us", "20 us", "1 s"][of(2, 4)];
    let timeout = ["12 us", "40 us"][of(3, 2)];
    let limit = ["0", "1", "4"][of(4, 3)];
    // One or two packets per channel, or more.
    let buffer = ["24 KiB", "40 KiB", "96 KiB"][of(5, 3)];
    let shapes: [&[(&str, &str)]; 6] = [
        &[("groups.compute.count", "5"), ("global.links.compute.compute", "1")],
        &[("groups.compute.count", "4"), ("global.links.compute.compute", "2")],
        &[("groups.compute.count", "2"), ("global.links.compute.compute", "3")],
        &[("groups.compute.count", "1"), ("groups.compute.local_links", "2")],
        &[
            ("groups.compute.count", "4"),
            ("groups.compute.switches", "6"),
            ("groups.compute.chassis", "2"),
            ("groups.compute.chassis_links", "2"),
            ("global.links.compute.compute", "1"),
        ],
        &[
            ("groups.compute.count", "3"),
            ("groups.compute.switches", "6"),
            ("groups.compute.chassis", "3"),
            ("global.links.compute.compute", "4"),
            ("global.links_per_cable", "2"),
        ],
    ];
    let mut set = vec![
        ("groups.compute.switches", "4"),
        ("groups.compute.nodes", "6"),
        ("groups.compute.nics", ["1", "2"][of(6, 2)]),
        ("groups.compute.global_ports", "9"),
        ("switch.ports", "64"),
        ("routing", routing),
        ("switch.arbitration", arbitration),
        ("retry.sweep", sweep),
        ("retry.timeout", timeout),
        ("retry.limit", limit),
    ];
    set.extend(buffers(buffer));
    set.extend(shapes[of(7, 6)]);
    if of(8, 3) == 0 {
        set.push(("nic.window", "3"));
    }
    if of(11, 3) == 0 {
        set.extend([("nic.packet_overhead", "36 B"), ("nic.response", "12 B")]);
    } else {
        set.push(("switch.flows", ["kept", "none"][of(12, 2)]));
    }
    if of(9, 4) == 0 {
        set.push(("nic.host_rate", "30 GB/s"));
    }
    if of(10, 2) == 0 {
        set.extend([("congestion.management", "on"), ("congestion.threshold", "6 KiB")]);
    }
    preset("dragonfly-1056", &set)
}

/// Messages of many sizes at many times, to all NICs or to few.
fn traffic(machine: &Machine, seed: u64) -> Vec<(Time, Message)> {
    let n = machine.n_nics();
    let crowd = below(draw(seed, 12, 0, 0), 3) == 0;
    let mut messages: Vec<(Time, Message)> = (0..150)
        .map(|nth| {
            let random = |about: u32| draw(seed, 13 + about, 0, nth);
            let src = below(random(0), n);
            let others = if crowd { 2 } else { n };
            let dst = below(random(1), others);
            let dst = if dst == src { (src + 1) % n } else { dst };
            let bytes = [0, 64, 2048, 5_000, 60_000, 300_000][below(random(2), 6) as usize];
            let at = Time(random(3) % 60_000_000);
            let mut message = message(src, dst, bytes, random(4));
            message.in_order = random(6).is_multiple_of(2);
            if machine.nic.response > 0 && random(5).is_multiple_of(2) {
                // A put or a get.
                let is_get = random(5).is_multiple_of(4);
                message.completion = Completion::Initiator(if is_get { bytes } else { 0 });
                message.bytes = if is_get { 0 } else { bytes };
            }
            (at, message)
        })
        .collect();
    messages.sort_by_key(|(at, _)| *at);
    messages
}

/// Random fault schedules on random machines. 60 by default; `ODONATA_STORM=1000` for more.
#[test]
fn every_message_arrives_once_or_is_reported_failed() {
    let n = env_number("ODONATA_STORM").unwrap_or(60);
    let mut sums = BTreeMap::new();
    // The last schedule makes a single packet arrive whose response is lost.
    for seed in (0..n).chain([9504]) {
        let machine = small(seed);
        let schedule = FaultSchedule::random(&machine, seed, 1 + (seed % 7) as u32, Span::us(60));
        let text = schedule.to_toml(&machine);
        let read =
            FaultSchedule::parse("plan", &text, &machine).expect("a written schedule is valid");
        assert_eq!(read, schedule, "seed {seed}:\n{text}");
        let machine = machine.with_faults(&schedule).expect("buffers hold packets");
        let messages = traffic(&machine, seed);
        let case = format!("seed {seed}, {:?}\n{text}", machine.routing);
        println!("{case}");
        let one = run(&machine, &messages);
        if seed % 10 == 0 {
            let again = run(&machine, &messages);
            assert_eq!((one.digest, one.seen), (again.digest, again.seen), "{case}");
        }
        let c = &one.counters;
        for (name, n) in [
            ("messages", messages.len() as u64),
            ("packets", c.injected_packets),
            ("lost", c.lost_packets),
            ("resent", c.resent_packets),
            ("failed", c.failed_messages),
            ("link retries", c.link_retries),
            ("throttled", c.congestion.holds),
        ] {
            *sums.entry(name).or_insert(0) += n;
        }
    }
    println!("{n} schedules: {sums:?}");
    for name in ["lost", "resent", "failed", "link retries", "throttled"] {
        assert!(sums[name] > 0, "no schedule caused any {name}");
    }
}

/// An empty schedule changes nothing, once ports are divided equally.
#[test]
fn an_empty_fault_schedule_changes_nothing() {
    for routing in ["valiant", "ugal", "slingshot", "adaptive-1"] {
        let machine =
            preset("dragonfly-1056", &[("groups.compute.count", "5"), ("routing", routing)]);
        let messages: Vec<_> = traffic(&machine, 3);
        let bare = run(&machine, &messages);
        let machine = machine.with_faults(&FaultSchedule::default()).expect("buffers hold packets");
        let scheduled = run(&machine, &messages);
        assert_eq!(bare.seen, scheduled.seen, "{routing}");
        assert_eq!(bare.counters, scheduled.counters, "{routing}");
    }
}

fn down(part: FaultTarget) -> FaultSchedule {
    let fault = Fault { target: part, kind: FaultKind::Down, from: Time::ZERO, until: NEVER };
    FaultSchedule { ber: 0.0, faults: vec![fault] }
}

/// With any policy every packet avoids any single failed cable between switches, also where two
/// groups have one global link. Nothing is lost, since all parts know the fault from the start.
#[test]
fn one_cable_down_loses_nothing() {
    for routing in Routing::NAMES {
        for count in ["1", "3", "5"] {
            let machine = preset(
                "dragonfly-1056",
                &[
                    ("groups.compute.count", count),
                    ("groups.compute.switches", "4"),
                    ("groups.compute.nodes", "4"),
                    ("groups.compute.global_ports", "9"),
                    ("switch.ports", "64"),
                    ("routing", routing),
                ],
            );
            let local = FaultTarget::Switches(SwitchId(0), SwitchId(1), Some(0));
            let global = FaultTarget::Groups(GroupId(0), GroupId(1), None);
            for part in [local, global] {
                if part == global && count == "1" {
                    continue;
                }
                let machine = machine.clone().with_faults(&down(part)).expect("room");
                let ran = run(&machine, &all_at_once(&machine, 4096, 5));
                assert_eq!(ran.counters.lost_packets, 0, "{routing}, {count} groups, {part:?}");
                for (link, &LinkTraffic { packets, .. }) in ran.counters.links.iter() {
                    let is_down =
                        machine.faults.as_ref().expect("a schedule").is_down(link, Time(0));
                    assert!(!is_down || packets == 0, "{link:?} is down and carried something");
                }
            }
        }
    }
}

/// Routing avoids known failed links: with another link between two groups no path is longer than a
/// minimal one.
#[test]
fn a_parallel_link_keeps_paths_minimal() {
    for routing in ["minimal", "min-hash", "in-order", "ugal", "slingshot"] {
        let machine = preset(
            "dragonfly-1056",
            &[
                ("groups.compute.count", "4"),
                ("global.links.compute.compute", "2"),
                ("routing", routing),
            ],
        );
        let schedule = down(FaultTarget::Groups(GroupId(0), GroupId(1), Some(0)));
        let machine = machine.with_faults(&schedule).expect("room");
        let group = |nic: u32| machine.group_of(NicId(nic)).0;
        let of = |g: u32| (0..machine.n_nics()).filter(move |&nic| group(nic) == g);
        for (a, b) in of(0).zip(of(1)).chain(of(1).zip(of(0))) {
            let ran = run(&machine, &[(Time(0), message(a, b, 64, draw(6, 0, a, 0)))]);
            let counts = (ran.counters.hops <= 4, ran.counters.nonminimal);
            assert_eq!(counts, (true, 0), "{routing}: from {a} to {b}");
        }
    }
}

/// A message to an unreachable NIC is given up after the last retransmission timeout, and not
/// before.
#[test]
fn a_message_to_a_failed_nic_fails_when_its_last_timer_expires() {
    for limit in [0u64, 1, 4] {
        let machine = preset(
            "dragonfly-1056",
            &[("groups.compute.count", "3"), ("retry.limit", &limit.to_string()), FAST[0], FAST[1]],
        );
        let machine = machine.with_faults(&down(FaultTarget::Nic(NicId(9)))).expect("room");
        let ran = run(&machine, &[(Time(0), message(0, 9, 64, 1))]);
        assert_eq!(ran.seen, [FAILED]);
        let counts = (ran.counters.lost_packets, ran.counters.resent_packets);
        assert_eq!(counts, (limit + 1, limit));
    }
}

/// A link flap shorter than the retries costs whole timeouts only: the message is late by a
/// multiple of the timeout.
#[test]
fn a_link_flap_costs_whole_timeouts() {
    let machine = preset("dragonfly-1056", &[("groups.compute.count", "3"), FAST[0], FAST[1]]);
    let one = [(Time(0), message(0, 9, 64, 1))];
    let fault_free =
        run(&machine.clone().with_faults(&FaultSchedule::default()).expect("room"), &one);
    let until = Time(70_000_000);
    let part = FaultTarget::NicLink(NicId(9));
    let flap = Fault { target: part, kind: FaultKind::Down, from: Time::ZERO, until };
    let schedule = FaultSchedule { ber: 0.0, faults: vec![flap] };
    let ran = run(&machine.with_faults(&schedule).expect("room"), &one);
    // Lost at 0, 30 and 60 us; the fourth transmission finds the link up.
    assert_eq!(ran.counters.lost_packets, 3);
    assert_eq!(ran.seen[0].since(fault_free.seen[0]), Span::us(90));
}

/// No time underflow: an ejection link with two lanes needs longer for the first packet than the
/// run has lasted.
#[test]
fn a_slow_ejection_link_does_not_underflow_time() {
    let machine = preset(
        "dragonfly-1056",
        &[
            ("links.edge.rate", "16 GB/s"),
            ("links.edge.cable", "1 ns"),
            ("links.local.cable", "1 ns"),
            ("switch.latency", "1 ns"),
            ("nic.send_latency", "0 ns"),
            ("nic.packet_payload", "40 KiB"),
            ("links.edge.buffer", "256 KiB"),
            ("links.local.buffer", "256 KiB"),
            ("links.global.buffer", "256 KiB"),
            ("routing", "minimal"),
        ],
    );
    let took = |lanes: Option<u8>| {
        let fault = |lanes| Fault {
            target: FaultTarget::NicLink(NicId(4)),
            kind: FaultKind::Lanes(lanes),
            from: Time::ZERO,
            until: NEVER,
        };
        let schedule = FaultSchedule { ber: 0.0, faults: lanes.into_iter().map(fault).collect() };
        let machine = machine.clone().with_faults(&schedule).expect("room");
        run(&machine, &[(Time(0), message(0, 4, 40 << 10, 1))]).seen[0]
    };
    let (whole, one) = (took(None), took(Some(1)));
    assert!(one > whole && one.since(whole) < Span::us(20), "{whole} {one}");
}

/// A message over a link with n of 4 lanes takes 4 / n times as long.
#[test]
fn lanes_slow_a_link_in_proportion() {
    let machine =
        preset("dragonfly-1056", &[("groups.compute.count", "2"), ("routing", "minimal")]);
    let bytes = 2_048_000;
    let messages = [(Time(0), message(0, 1, bytes, 1))];
    let took = |lanes: u8| {
        let part = FaultTarget::NicLink(NicId(0));
        let kind = FaultKind::Lanes(lanes);
        let fault = Fault { target: part, kind, from: Time::ZERO, until: NEVER };
        let faults = if lanes == 4 { vec![] } else { vec![fault] };
        let schedule = FaultSchedule { ber: 0.0, faults };
        run(&machine.clone().with_faults(&schedule).expect("room"), &messages).seen[0].0 as f64
    };
    let whole = took(4);
    for lanes in [2, 3] {
        let ratio = took(lanes) / whole;
        let want = 4.0 / f64::from(lanes);
        assert!((ratio - want).abs() < 0.01 * want, "{lanes} lanes: {ratio}, not {want}");
    }
}

/// With bit errors a packet is replayed p / (1 - p) times on average with p = 1 - (1 - rate)^bits,
/// at every link.
#[test]
fn link_retries_match_the_bit_error_rate() {
    let machine =
        preset("dragonfly-1056", &[("groups.compute.count", "3"), ("routing", "minimal")]);
    let rate: f64 = 1e-6;
    let schedule = FaultSchedule { ber: rate, faults: Vec::new() };
    let machine = machine.with_faults(&schedule).expect("room");
    let messages = all_at_once(&machine, 16_384, 3);
    let ran = run(&machine, &messages);
    assert_eq!(ran.counters.lost_packets, 0);
    let crossings: u64 = ran.counters.links.iter().map(|(_, n)| n.packets).sum();
    let bits = 8.0 * 2048.0;
    let p = 1.0 - (1.0 - rate).powf(bits);
    let want = crossings as f64 * p / (1.0 - p);
    let got = ran.counters.link_retries as f64;
    // Six standard deviations of a count of rare events.
    assert!((got - want).abs() < 6.0 * want.sqrt(), "{got} of {want}");
}

/// A packet on a link that fails is lost. Packets that wait for the link are routed again and not
/// lost.
#[test]
fn only_packets_on_a_failed_link_are_lost() {
    let machine = preset(
        "dragonfly-1056",
        &[
            ("groups.compute.count", "5"),
            ("groups.compute.global_ports", "9"),
            ("switch.ports", "64"),
            ("routing", "minimal"),
            FAST[0],
            ("retry.sweep", "0 ns"),
        ],
    );
    let part = FaultTarget::Groups(GroupId(0), GroupId(1), None);
    let fault = Fault { target: part, kind: FaultKind::Down, from: Time(3_000_000), until: NEVER };
    let schedule = FaultSchedule { ber: 0.0, faults: vec![fault] };
    let machine = machine.with_faults(&schedule).expect("room");
    // All of group 0 send to their counterparts in group 1: the one link is full, and many packets
    // wait for it.
    let of = |g: u32| {
        let machine = &machine;
        (0..machine.n_nics()).filter(move |&nic| machine.group_of(NicId(nic)) == GroupId(g))
    };
    let pairs = of(0).zip(of(1));
    let messages: Vec<_> =
        pairs.map(|(a, b)| (Time(0), message(a, b, 40_960, draw(4, 0, a, 0)))).collect();
    let ran = run(&machine, &messages);
    let cables = machine.global_links_between(GroupId(0), GroupId(1)).len() as u64;
    let lost = ran.counters.lost_packets;
    assert!(lost >= 1 && lost <= 2 * cables, "{lost} packets on {cables} links");
    assert_eq!((ran.counters.failed_messages, ran.counters.resent_packets), (0, lost));
}

/// A reported failure names its location.
#[test]
fn a_failure_names_its_location() {
    let machine = preset("dragonfly-1056", &[("groups.compute.count", "3"), FAST[0], FAST[1]]);
    let machine = machine.with_faults(&down(FaultTarget::NicLink(NicId(0)))).expect("room");
    let one = [(Time(0), message(0, 9, 64, 1))];
    let [failure] = run(&machine, &one).failures[..] else { panic!("one failed") };
    assert_eq!((failure.src, failure.dst, failure.sent), (NicId(0), NicId(9), 5));
    assert_eq!(failure.at, LostAt::Link(LinkId(0)));
    assert_eq!(machine.links.kind[LinkId(0)], LinkKind::Injection);
}

/// The schedule with all faults permanent from the start.
fn permanent(mut schedule: FaultSchedule) -> FaultSchedule {
    for fault in &mut schedule.faults {
        (fault.from, fault.until) = (Time::ZERO, NEVER);
    }
    schedule
}

/// The machine as flows and the closed form see it under a fault schedule.
fn degraded(machine: &Machine) -> Machine {
    let mut degraded = machine.clone();
    degraded.apply_lane_loss();
    degraded
}

/// Missing lanes slow a single message equally at every fidelity: to the picosecond for NIC links,
/// and to the time of a packet on the narrow link between switches.
#[test]
fn one_message_is_equally_slow_at_every_fidelity() {
    let parts = [
        FaultTarget::NicLink(NicId(9)),
        FaultTarget::NicLink(NicId(0)),
        FaultTarget::Switches(SwitchId(0), SwitchId(1), None),
        FaultTarget::Groups(GroupId(0), GroupId(1), None),
    ];
    let machine =
        preset("dragonfly-1056", &[("groups.compute.count", "3"), ("routing", "minimal")]);
    let there = [9, 40].map(|nic| (nic, [64, 2048, 100_000]));
    let mut slower = 0;
    for (part, lanes) in parts.into_iter().flat_map(|part| [(part, 2), (part, 3)]) {
        let kind = FaultKind::Lanes(lanes);
        let fault = Fault { target: part, kind, from: Time::ZERO, until: NEVER };
        let schedule = FaultSchedule { ber: 0.0, faults: vec![fault] };
        let narrow = machine.clone().with_faults(&schedule).expect("room");
        let degraded = degraded(&narrow);
        for (to, bytes) in there.into_iter().flat_map(|(to, all)| all.map(|bytes| (to, bytes))) {
            let one = [(Time(0), message(0, to, bytes, 3))];
            let case = format!("{part:?}, {lanes} lanes, {bytes} B to {to}");
            let packets = run(&narrow, &one).seen[0];
            let is_nics = matches!(part, FaultTarget::NicLink(_));
            let slowest = degraded.links.gap.raw.iter().max().expect("there are links");
            let packet = if is_nics { Span::ZERO } else { slowest.span(bytes.min(2048)) };
            let seen =
                [run_on::<FlowNetwork>(&degraded, &one), run_on::<LogGpNetwork>(&degraded, &one)];
            for seen in seen.map(|ran| ran.seen[0]) {
                let near = packets.0.abs_diff(seen.0) <= packet.0;
                assert!(near, "{case}: {seen}, {packets} with packets");
            }
            slower += u32::from(packets > run(&machine, &one).seen[0]);
        }
    }
    assert!(slower > 12, "{slower} of 48 were slower than on an intact machine");
}

/// A network with arbitrary loads.
struct Busy(u64);

impl LoadView for Busy {
    fn near(&self, link: LinkId) -> u32 {
        below(draw(self.0, 40, link.0, 0), 100_000)
    }
    fn far(&self, link: LinkId) -> u32 {
        self.near(link)
    }
    fn downstream(&self, link: LinkId) -> u32 {
        self.near(link)
    }
    fn remote_backlog(&self, link: LinkId) -> u32 {
        self.near(link)
    }
}

/// Whether a path exists, and where a packet is lost otherwise, does not depend on draws or load;
/// and no path contains a link twice.
#[test]
fn reachability_does_not_depend_on_draws_or_load() {
    let (mut none, mut path) = (0, Vec::new());
    for seed in 0..200 {
        let machine = small(seed);
        let n = 1 + below(draw(seed, 31, 0, 0), 25);
        let schedule = permanent(FaultSchedule::random(&machine, seed, n, Span::us(100)));
        let machine = machine.with_faults(&schedule).expect("room");
        let nics = machine.n_nics();
        for pair in 0..40 {
            let random = |about: u32| draw(seed, 32, about, pair);
            let (src, dst) = (below(random(0), nics), below(random(1), nics));
            if src == dst {
                continue;
            }
            let (src, dst) = (NicId(src), NicId(dst));
            let first = machine.find_path(src, dst, random(2), &Idle, &mut path).map(|_| ());
            for nth in 3..12 {
                let load = Busy(random(nth));
                let again = machine.find_path(src, dst, random(nth), &load, &mut path).map(|_| ());
                assert_eq!(again, first, "seed {seed}: {src:?} to {dst:?}");
                let mut links = path.clone();
                links.sort_unstable();
                links.dedup();
                assert!(again.is_err() || links.len() == path.len(), "seed {seed}: {path:?}");
            }
            none += u32::from(first.is_err());
        }
    }
    assert!((500..7_500).contains(&none), "{none} of 8,000 pairs had no path");
}

/// With parts failed from the start no fidelity uses them, and the same messages fail at the same
/// place after the same number of transmissions.
#[test]
fn no_fidelity_uses_failed_links() {
    let (mut failed, mut links) = (0, 0);
    for seed in 0..60 {
        let machine = small(seed);
        let n = 1 + below(draw(seed, 30, 0, 0), 25);
        let schedule = permanent(FaultSchedule::random(&machine, seed, n, Span::us(100)));
        let machine = machine.with_faults(&schedule).expect("room");
        let mut messages = traffic(&machine, seed);
        // Only the packet network counts request packets of gets.
        messages.retain(|(_, message)| !matches!(message.completion, Completion::Initiator(1..)));
        let faults = machine.faults.as_deref().expect("it has a schedule");
        let is_down = |link: &LinkId| faults.is_down(*link, Time::ZERO);
        let down: Vec<LinkId> = machine.links.gap.ids().filter(is_down).collect();
        links += down.len();
        let degraded = degraded(&machine);
        let packets = run(&machine, &messages);
        let flows = run_on::<FlowNetwork>(&degraded, &messages);
        let closed = run_on::<LogGpNetwork>(&degraded, &messages);
        for ran in [&packets, &flows, &closed] {
            let way = |link: &&LinkId| machine.links.kind[**link] != LinkKind::Injection;
            let used = down.iter().filter(way).find(|&&link| ran.counters.links[link].bytes > 0);
            assert_eq!(used, None, "seed {seed}");
            for ((_, message), seen) in messages.iter().zip(&ran.seen) {
                let ends = [machine.injection(message.src), machine.ejection(message.dst)];
                let is_cut_off = ends.iter().any(is_down);
                assert!(*seen == FAILED || !is_cut_off, "seed {seed}: {message:?}");
            }
        }
        let why = |ran: &properties::Run| {
            let all = ran.failures.iter().map(|f| (f.src, f.dst, format!("{:?}", f.at), f.sent));
            let mut all: Vec<_> = all.collect();
            all.sort();
            all
        };
        assert_eq!(why(&flows), why(&packets), "seed {seed}");
        assert_eq!(why(&closed), why(&packets), "seed {seed}");
        failed += packets.failures.len();
    }
    assert!(failed > 100 && links > 100, "{failed} failed, {links} links down: an empty test");
}

/// One of four links between two groups is down, and 32 NICs of each send to the other. Minimal
/// routing gets three quarters of the rate. Adaptive policies have seven other groups, 28 links:
/// they lose a thirtieth of the bandwidth out of the group, and somewhat more to contention on the
/// remaining three. Flows and packets agree.
#[test]
fn a_failed_link_costs_flows_what_it_costs_packets() {
    let schedule = down(FaultTarget::Groups(GroupId(0), GroupId(1), Some(0)));
    for routing in ["minimal", "ugal-l", "slingshot"] {
        let set = [
            ("groups.compute.count", "9"),
            ("global.links.compute.compute", "4"),
            ("routing", routing),
        ];
        let machine = preset("dragonfly-1056", &set);
        let faulty = machine.clone().with_faults(&schedule).expect("room");
        let group = |nic: u32| machine.group_of(NicId(nic)).0;
        let of = |g: u32| (0..machine.n_nics()).filter(move |&nic| group(nic) == g);
        let pairs = of(0).zip(of(1)).chain(of(1).zip(of(0)));
        let messages: Vec<(Time, Message)> =
            pairs.map(|(a, b)| (Time(0), message(a, b, 1 << 20, draw(7, 0, a, 0)))).collect();
        let end = |seen: &[Time]| seen.iter().max().expect("there are messages").seconds();
        let packets = [&machine, &faulty].map(|machine| end(&run(machine, &messages).seen));
        let degraded = degraded(&faulty);
        let flows = [&machine, &degraded].map(|m| end(&run_on::<FlowNetwork>(m, &messages).seen));
        for [whole, faulty] in [packets, flows] {
            let longer = faulty / whole;
            match routing {
                "minimal" => assert!((longer - 4.0 / 3.0).abs() < 0.1, "{longer} times as long"),
                _ => assert!((0.95..1.25).contains(&longer), "{routing}: {longer} times as long"),
            }
        }
    }
}
