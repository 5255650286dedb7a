//! One switch at a time in windows, and event by event in the order of time: both engines give the
//! same result to the last bit, on any number of threads.

use api::Fidelity;
use base::{Span, Time, below, draw};
use machine::faults::{Fault, FaultKind, FaultSchedule, FaultTarget};
use machine::{GroupId, Machine, NicId, RoutingBias, SwitchId};
use net::Partition;
use properties::{assert_same, env_number, offered_at, preset, request, small};
use sim::Background;
use sim::traffic::{
    Destinations, EngineChoice, Finish, LoadOutcome, TrafficRequest, TrafficSetting, check,
    one_load_at,
};

fn by(
    engine: EngineChoice,
    threads: usize,
    machine: &Machine,
    request: &TrafficRequest,
    finish: Finish,
) -> LoadOutcome {
    let request = TrafficRequest { threads, ..request.clone() };
    between(engine, machine, &request, &TrafficSetting::default(), finish)
}

/// The same between selected NICs.
fn between(
    engine: EngineChoice,
    machine: &Machine,
    request: &TrafficRequest,
    place: &TrafficSetting,
    finish: Finish,
) -> LoadOutcome {
    let done = offered_at(machine, &TrafficRequest { engine, ..request.clone() }, place, finish);
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
        for threads in [1, 2, 3, 4] {
            let windows = by(EngineChoice::Window, threads, &machine, &request, finish);
            let what = format!("{} {nic:?} {request:?} on {threads} threads", POLICIES[nth]);
            assert_eq!(windows.engine.expect("a packet network").general, None, "{what}");
            assert_same(&events, &windows, &what);
        }
    }
}

/// Faults of every kind in long windows, several at the same instant, with retransmissions. Whole
/// switches and groups lose their links; lanes of ejection links change what other switches read.
#[test]
fn faults_have_the_same_effect_by_both_engines() {
    let slow = [("switch.latency", "400 ns"), ("switch.credit_epoch", "400 ns")];
    let retry = [("retry.timeout", "3 us"), ("retry.limit", "1"), ("retry.sweep", "300 ns")];
    let (from, until) = (Time::ZERO + Span::ps(2_345_678), Time::ZERO + Span::ps(3_333_333));
    let fault = |target, kind| Fault { target, kind, from, until };
    let lanes = (0..8).map(|nic| fault(FaultTarget::NicLink(NicId(nic)), FaultKind::Lanes(2)));
    let mut faults: Vec<Fault> = lanes.collect();
    faults.push(fault(FaultTarget::Switch(SwitchId(3)), FaultKind::Down));
    faults.push(fault(FaultTarget::Groups(GroupId(1), GroupId(2), None), FaultKind::Down));
    faults.push(fault(FaultTarget::Nic(NicId(9)), FaultKind::Down));
    let errors = FaultTarget::Groups(GroupId(0), GroupId(3), None);
    faults.push(fault(errors, FaultKind::Errors(1e-5)));
    for nth in 0..POLICIES.len() {
        let more: &[&[(&str, &str)]] = &[
            &[],
            &[("nic.response", "12 B"), ("nic.packet_overhead", "36 B")],
            &[("switch.flows", "kept")],
        ];
        let keys = [&slow[..], &retry, more[nth % 3]].concat();
        let (load, finish) = RUNS[nth / 3 % 2];
        let (machine, request) = world(nth, &keys, load);
        let request = TrafficRequest { pattern: "uniform".into(), ..request };
        let schedule = FaultSchedule { ber: 1e-6, faults: faults.clone() };
        let machine = machine.with_faults(&schedule).expect("sound");
        let place = TrafficSetting { in_order: machine.keeps_flows, ..TrafficSetting::default() };
        let what = format!("{} {request:?} {keys:?}", POLICIES[nth]);
        let [events, windows] = [EngineChoice::Event, EngineChoice::Window]
            .map(|engine| between(engine, &machine, &request, &place, finish));
        let counters = &events.counters;
        assert!(counters.lost_packets > 0 && counters.link_retries > 0, "{what}: no faults");
        assert!(counters.resent_packets > 0, "{what}: nothing is retransmitted");
        assert_same(&events, &windows, &what);
    }
}

/// A NIC is down for longer than its messages are repeated. It has background traffic, whose
/// messages have nine packets; the other traffic does not use it.
#[test]
fn messages_of_several_packets_fail_alike_by_both_engines() {
    let keys = [
        ("switch.latency", "400 ns"),
        ("switch.credit_epoch", "400 ns"),
        ("retry.timeout", "3 us"),
        ("retry.limit", "1"),
        ("retry.sweep", "300 ns"),
    ];
    for nth in [0, 2] {
        let (machine, request) = world(nth, &keys, 0.3);
        let (pattern, window) = ("uniform".into(), Span::us(30));
        let request = TrafficRequest { pattern, window, ..request };
        let [from, until] = [2_345_678, 60_000_000].map(|at| Time::ZERO + Span::ps(at));
        let (target, kind) = (FaultTarget::Nic(NicId(9)), FaultKind::Down);
        let schedule =
            FaultSchedule { ber: 0.0, faults: vec![Fault { target, kind, from, until }] };
        let machine = machine.with_faults(&schedule).expect("sound");
        let nics = |odd| (0..machine.n_nics()).filter(|nic| nic % 2 == odd).map(NicId).collect();
        let background = Background {
            to: Destinations::between("uniform", &machine, nics(1), 5).expect("a pattern"),
            pattern: "uniform".into(),
            load: 0.3,
            bytes: 9 * machine.nic.packet_payload,
            vnet: 0,
        };
        let background = vec![background];
        let place = TrafficSetting { nics: nics(0), background, ..TrafficSetting::default() };
        let [events, windows] = [EngineChoice::Event, EngineChoice::Window]
            .map(|engine| between(engine, &machine, &request, &place, Finish::Empty));
        let (failed, lost) = (events.counters.failed_messages, events.counters.lost_packets);
        assert!(failed > 1 && lost > 2 * failed, "{failed} messages, {lost} packets");
        assert_same(&events, &windows, &format!("{} {request:?}", POLICIES[nth]));
    }
}

/// A bias that changes within a window has the same effect by both engines, on any number of
/// threads.
#[test]
fn changes_of_bias_have_the_same_effect_by_both_engines() {
    let keys =
        [("switch.latency", "400 ns"), ("switch.credit_epoch", "400 ns"), ("ugal_bias", "0 B")];
    let request = request("adversarial:1", 0.5, 1_000, Span::us(2), Span::us(4));
    let unchanged = small(&[&keys[..], &[("routing", "ugal-l")]].concat());
    let at = Time::ZERO + Span::ps(3_141_593);
    let machine = unchanged.clone().with_bias_change(at, RoutingBias::Ugal(1 << 20));
    let machine = machine.expect("UGAL has a bias");
    let run = |engine, threads, machine| by(engine, threads, machine, &request, Finish::Empty);
    let events = run(EngineChoice::Event, 1, &machine);
    let before = run(EngineChoice::Event, 1, &unchanged);
    assert_ne!(events.row.digest, before.row.digest, "the bias has no effect");
    for threads in [1, 2, 4] {
        let windows = run(EngineChoice::Window, threads, &machine);
        assert_same(&events, &windows, &format!("on {threads} threads"));
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
        let uniform = request("uniform", 0.2, bytes, Span::us(1), Span::us(1));
        let one = by(EngineChoice::Event, 1, &machine, &uniform, Finish::Measured);
        let two = by(EngineChoice::Window, 1, &machine, &uniform, Finish::Measured);
        let general = two.engine.expect("a packet network").general;
        let responds = machine.nic.response > 0;
        assert_eq!(general.is_some(), responds, "{name}: {general:?}");
        assert_same(&one, &two, name);
        let request = request("hotspot:4", 0.5, bytes, Span::us(1), Span::us(2));
        let one = by(EngineChoice::Event, 1, &machine, &request, Finish::Empty);
        assert!(one.row.packets > 1_000, "{name}: an empty test");
        for threads in [1, 2] {
            let two = by(EngineChoice::Window, threads, &machine, &request, Finish::Empty);
            assert_same(&one, &two, name);
        }
    }
}

/// Shards with 512 NICs and with 62, and one without any switch.
#[test]
fn uneven_and_empty_shards_give_the_same_result() {
    let set = [
        ("groups.compute.count", "1"),
        ("groups.daos.count", "2"),
        ("groups.daos.nodes", "1"),
        ("groups.service.nodes", "60"),
        ("groups.service.nics", "1"),
        ("groups.daos.nics", "1"),
        ("switch.credit_epoch", "350 ns"),
    ];
    let machine = preset("aurora", &set);
    let sizes = |threads| {
        let partition = Partition::new(&machine, threads);
        let mut nics = vec![0; partition.shards];
        for &switch in &machine.nic_switch.raw {
            nics[usize::from(partition.of[switch])] += 1;
        }
        nics
    };
    assert_eq!((sizes(2), sizes(3)), (vec![512, 62], vec![0, 512, 62]));
    let all = (0..machine.n_nics()).map(NicId).collect();
    let place = TrafficSetting { nics: all, ..TrafficSetting::default() };
    let request = request("uniform", 0.2, 2_048, Span::us(1), Span::us(1));
    let run = |engine, threads| {
        let request = TrafficRequest { threads, ..request.clone() };
        between(engine, &machine, &request, &place, Finish::Empty)
    };
    let events = run(EngineChoice::Event, 1);
    assert!(events.row.packets > 1_000, "an empty test");
    for threads in [1, 2, 3, 4] {
        let windows = run(EngineChoice::Window, threads);
        assert_eq!(windows.engine.expect("a packet network").general, None);
        assert_same(&events, &windows, &format!("{threads} threads"));
        let events_again = run(EngineChoice::Event, threads);
        assert_same(&events, &events_again, &format!("{threads} threads, events"));
    }
}

/// Settings from which every key of a random machine is drawn. Windows are long enough for turns.
#[rustfmt::skip] // A key per line.
const KEYS: [(&str, &[&str]); 25] = [
    ("groups.compute.count", &["1", "2", "3", "5"]),
    ("groups.compute.switches", &["1", "2", "4", "6"]),
    ("groups.compute.nodes", &["12", "24"]),
    ("groups.compute.nics", &["1", "2"]),
    ("groups.compute.local_links", &["1", "2"]),
    ("groups.compute.global_ports", &["40"]),
    ("global.links.compute.compute", &["1", "2", "3"]),
    ("switch.ports", &["200"]),
    ("routing", &["minimal", "valiant", "valiant-group", "ugal", "ugal-l", "par", "slingshot",
        "adaptive-0", "adaptive-1", "adaptive-2", "adaptive-3", "min-hash", "nmin-hash",
        "in-order"]),
    ("links.edge.rate", &["25 GB/s", "10 GB/s", "80 Gbit/s"]),
    ("links.local.rate", &["25 GB/s", "10 GB/s", "80 Gbit/s"]),
    ("links.global.rate", &["25 GB/s", "10 GB/s", "80 Gbit/s"]),
    ("links.edge.buffer", &["24 KiB", "48 KiB"]),
    ("links.local.buffer", &["24 KiB", "64 KiB", "1 MiB"]),
    ("links.global.buffer", &["24 KiB", "64 KiB", "1 MiB"]),
    ("links.edge.cable", &["1 ns", "10 ns", "200 ns"]),
    ("links.local.cable", &["1 ns", "10 ns"]),
    ("links.global.cable", &["5 ns", "100 ns", "150 ns"]),
    ("nic.window", &["1", "4", "17", "64", "1024"]),
    ("nic.packet_payload", &["64 B", "512 B", "2048 B"]),
    ("nic.packet_overhead", &["0 B", "36 B", "84 B"]),
    ("nic.send_latency", &["10 ns", "0 ns", "300 ns"]),
    ("nic.message_gap", &["0 ns", "7 ns", "300 ns"]),
    ("congestion.management", &["off", "off", "off", "on"]),
    ("congestion.threshold", &["8 KiB", "32 KiB"]),
];

/// Latencies of switches with windows, and host interfaces.
const WINDOWS: [(&str, &str); 5] = [
    ("150 ns", "149 ns"),
    ("400 ns", "400 ns"),
    ("400 ns", "333 ns"),
    ("1 us", "1 us"),
    ("1 us", "701 ns"),
];
const HOSTS: [&[(&str, &str)]; 4] = [
    &[],
    &[("nic.host_rate", "15 GB/s"), ("nic.host_rate_one_way", "10 GB/s")],
    &[("nic.host_rate", "30 GB/s")],
    &[("nic.host_rate_one_way", "20 GB/s")],
];

/// Runs one random load by both engines: packets, or none if turns cannot simulate it.
fn compare_random_turns(seed: u64) -> Option<u64> {
    let of = |about, n: usize| below(draw(seed, 0x7475_726e, about, 0), n as u32) as usize;
    let (latency, epoch) = WINDOWS[of(100, WINDOWS.len())];
    let mut set = vec![("switch.latency", latency), ("switch.credit_epoch", epoch)];
    set.extend((0..).zip(KEYS).map(|(nth, (key, words))| (key, words[of(nth, words.len())])));
    set.extend(HOSTS[of(101, HOSTS.len())]);
    let machine = preset("dragonfly-1056", &set);
    let mut patterns = vec!["uniform", "random-permutation", "hotspot:1", "all-to-all", "shift:1"];
    if machine.n_groups > 1 {
        patterns.extend(["adversarial:1", "worst-permutation"]);
    }
    let payload = machine.nic.packet_payload;
    let bytes = [1, payload / 2, payload][of(102, 3)];
    let load = [0.05, 0.3, 0.7, 1.0, 2.0][of(103, 5)];
    let rate = machine.links.gap[machine.injection(NicId(0))].bytes_per_s() * load;
    let packet = (bytes + machine.nic.packet_overhead) as f64;
    let few = Span::from_seconds(20_000.0 / f64::from(machine.n_nics()) * packet / rate);
    let window = Span::ps(2_345_678 + 1_000_000 * of(104, 4) as u64).min(few);
    let (pattern, warmup) = (patterns[of(105, patterns.len())], Span::ps(window.0 / 3));
    let request = TrafficRequest { seed, ..request(pattern, load, bytes, warmup, window) };
    let finish = [Finish::Measured, Finish::Empty][of(106, 2)];
    let is_here = |nic: &u32| of(107, 3) > 0 || !nic.is_multiple_of(3);
    let nics = (0..machine.n_nics()).filter(is_here).map(NicId).collect();
    let place = TrafficSetting { nics, slices: [0, 3][of(108, 2)], ..TrafficSetting::default() };
    let what = format!("ODONATA_SEED={seed}: {request:?} {place:?} {set:?}");
    let in_windows = TrafficRequest { engine: EngineChoice::Window, ..request.clone() };
    check(&machine, &in_windows, &place).ok()?;
    let events = between(EngineChoice::Event, &machine, &request, &place, finish);
    let mut general = [None; 3];
    for (general, threads) in general.iter_mut().zip([1, 2, 4]) {
        let request = TrafficRequest { threads, ..request.clone() };
        let windows = between(EngineChoice::Window, &machine, &request, &place, finish);
        let what = format!("{what}, {threads} threads");
        assert_same(&events, &windows, &what);
        assert_eq!(events.took, windows.took, "{what}");
        *general = windows.engine.expect("a packet network").general;
    }
    assert_eq!(general, [general[0]; 3], "{what}: the implementation depends on threads");
    general[0].is_none().then_some(events.generated)
}

/// `ODONATA_SEED` selects one case, `ODONATA_STORM` their number.
#[test]
fn random_turns_of_switches_give_the_same_result() {
    if let Some(seed) = env_number("ODONATA_SEED") {
        compare_random_turns(seed);
        return;
    }
    let cases = env_number("ODONATA_STORM").unwrap_or(50);
    let by_turns: Vec<u64> = (0..cases).filter_map(compare_random_turns).collect();
    let packets: u64 = by_turns.iter().sum();
    println!("{} of {cases} cases by turns, {packets} packets", by_turns.len());
    assert!(by_turns.len() as u64 * 2 > cases && packets > 1_000 * cases, "too few");
}

/// Turns refuse what exceeds their counters: heads of a window, and waiting bytes.
#[test]
fn turns_of_switches_refuse_what_they_cannot_count() {
    let one_switch = [
        ("groups.compute.count", "1"),
        ("groups.compute.switches", "1"),
        ("groups.compute.nodes", "6"),
        ("switch.latency", "1 us"),
        ("switch.credit_epoch", "1 us"),
    ];
    let fast = [("links.edge.rate", "1 TB/s"), ("links.edge.buffer", "8 MiB")];
    for (keys, is_general) in
        [(&[][..], false), (&fast, true), (&[("links.edge.buffer", "4 GB")], true)]
    {
        let machine = preset("dragonfly-1056", &[&one_switch, keys].concat());
        let request = request("uniform", 0.01, 1, Span::ZERO, Span::us(1));
        let windows = by(EngineChoice::Window, 1, &machine, &request, Finish::Empty);
        let general = windows.engine.expect("a packet network").general;
        assert_eq!(general.is_some(), is_general, "{keys:?}: {general:?}");
    }
}

/// All shards stop, though one of them alone reports progress.
#[test]
fn turns_of_switches_can_be_interrupted_on_any_number_of_threads() {
    let machine = small(&[("switch.latency", "400 ns"), ("switch.credit_epoch", "400 ns")]);
    for threads in [1, 2, 3] {
        let request = request("uniform", 0.2, 1_000, Span::ZERO, Span::ms(500));
        let request = TrafficRequest { engine: EngineChoice::Window, threads, ..request };
        let mut reports = 0;
        let mut tick = |_, _| {
            reports += 1;
            reports < 3
        };
        let (place, finish) = (TrafficSetting::default(), Finish::Measured);
        let done =
            one_load_at(&machine, Fidelity::Packet, &request, &place, 0.2, finish, &mut tick);
        let done = done.expect("valid input");
        assert_eq!(done.engine.expect("a packet network").general, None);
        assert_eq!((done.interrupted, reports), (true, 3), "{threads} threads");
        assert!(done.took < Span::ms(500) && done.generated > 0, "{:?}", done.took);
    }
}

/// Reports of progress are not as frequent as windows, in which little may happen.
#[test]
fn turns_of_switches_report_progress_rarely() {
    let machine = small(&[("switch.latency", "400 ns"), ("switch.credit_epoch", "400 ns")]);
    let request = request("uniform", 0.001, 1_000, Span::ZERO, Span::us(2_000));
    let request = TrafficRequest { engine: EngineChoice::Window, ..request };
    let mut reports = 0u64;
    let mut tick = |_, _| {
        reports += 1;
        true
    };
    let (place, finish) = (TrafficSetting::default(), Finish::Measured);
    let done = one_load_at(&machine, Fidelity::Packet, &request, &place, 0.001, finish, &mut tick);
    let done = done.expect("valid input");
    assert_eq!(done.engine.expect("a packet network").general, None);
    let windows = done.took.0 / Span::ns(400).0;
    assert!((1..windows / 100).contains(&reports), "{reports} reports in {windows} windows");
}
