//! Properties of congestion management (docs/models/congestion.md): no loss, no effect on victims,
//! a busy congested link, and no change without congestion.

use base::{Span, Time, below, draw};
use machine::faults::{Fault, FaultKind, FaultSchedule, FaultTarget};
use machine::{Machine, NicId};
use net::{Completion, CongestionCounters, Message};
use properties::{
    assert_same, buffers, fair_shares, message, offered, offered_at, random_messages, request, run,
    use_classes, with_classes,
};
use sim::Background;
use sim::traffic::{Destinations, Finish, LoadOutcome, TrafficRequest, TrafficSetting};

/// A preset with management on or off, and modified keys. The link is made the bottleneck, not the
/// host interface.
fn preset(name: &str, management: &str, set: &[(&str, &str)]) -> Machine {
    let own = [("congestion.management", management), ("nic.host_rate_one_way", "25 GB/s")];
    properties::preset(name, &[&own, set].concat())
}

/// The small dragonfly with unlimited host interfaces.
fn small(management: &str, more: &[(&str, &str)]) -> Machine {
    let set = [
        ("congestion.management", management),
        ("congestion.threshold", "8 KiB"),
        ("routing", "slingshot"),
    ];
    properties::small(&[&set, more].concat())
}

/// `run` asserts that all messages complete once, that every buffer credit and every packet credit
/// is returned, and that no sender is throttled at the end.
#[test]
fn nothing_is_lost_or_throttled_forever() {
    for seed in 0..12 {
        for (hot, buffer) in [(1, "64 KiB"), (3, "8 KiB"), (9, "16 KiB")] {
            let mut set = buffers(buffer).to_vec();
            set.push(("nic.window", ["3", "64", "1024"][seed as usize % 3]));
            if seed % 2 == 0 {
                set.push(("nic.host_rate", "9 GB/s"));
            }
            let machine = small("on", &set);
            let messages = random_messages(&machine, seed, 1_500, Span::us(200), 1 << 17, hot);
            let got = run(&machine, &messages);
            let CongestionCounters { onsets, holds, credits, returned } = got.counters.congestion;
            assert!(onsets > 0 && holds > onsets, "seed {seed}: {hot} receivers are not congested");
            assert!(credits > returned, "seed {seed}: {credits} credits, {returned} unused");
            let again = run(&machine, &messages);
            assert_eq!((got.digest, got.end()), (again.digest, again.end()), "seed {seed}");
        }
    }
}

/// Traffic that congests no NIC is identical to the picosecond, event by event.
#[test]
fn without_endpoint_congestion_nothing_changes() {
    for (pattern, load) in
        [("uniform", 0.3), ("adversarial:1", 0.2), ("worst-permutation", 0.9), ("shift:5", 1.0)]
    {
        let of = |management: &str| -> LoadOutcome {
            let set = [("congestion.threshold", "32 KiB")];
            let machine = small(management, &set);
            let request = request(pattern, load, 512, Span::us(10), Span::us(20));
            offered(&machine, &request, Finish::Empty)
        };
        let (on, off) = (of("on"), of("off"));
        assert_eq!(on.row.onsets, 0, "{pattern} congests a NIC");
        assert_eq!(on.row.digest, off.row.digest, "{pattern}");
        assert_eq!(on.events, off.events, "{pattern}");
    }
}

/// With any number of senders the receiver's link is busy for 95 % of the time from the first head
/// to the last tail. Senders with equal work complete within the last tenth.
#[test]
fn the_receiver_of_an_incast_stays_busy() {
    for (name, senders, bytes) in [
        ("lumi-g", 2u32, 1u64 << 20),
        ("lumi-g", 12, 256 << 10),
        ("lumi-g", 200, 64 << 10),
        ("lumi-g", 1_000, 32 << 10),
        ("lumi-g", 1_000, 64),
    ] {
        let machine = preset(name, "on", &[("groups.gpu.count", "5")]);
        let n = machine.node_nics.raw[machine.compute_nodes as usize];
        let each = 8;
        let messages: Vec<_> = (0..each * senders)
            .map(|i| {
                let src = 1 + i % senders * ((n - 1) / senders);
                (Time(0), message(src, 0, bytes, draw(3, 0, i, 0)))
            })
            .collect();
        let packets = bytes.div_ceil(machine.nic.packet_payload);
        let wire = bytes + packets * machine.nic.packet_overhead;
        let link = machine.ejection(NicId(0));
        let busy = machine.links.gap[link].span(wire * u64::from(each * senders));
        let got = run(&machine, &messages);
        let took = got.end().since(Time(0));
        let held = got.counters.congestion;
        assert!(held.onsets > 0, "{senders} x {bytes} B cause no congestion");
        // Plus the time until the first head arrives.
        let share = busy.0 as f64 / (took.0 - Span::us(4).0) as f64;
        assert!(share >= 0.95, "{senders} x {bytes} B: busy {share:.3} of the time, {held:?}");
    }
}

/// `count` messages of 64 KiB from `from` to `to`, all at once.
fn messages_to(from: u32, to: u32, count: u32) -> impl Iterator<Item = (Time, Message)> {
    let one = move |i| (Time(0), message(from, to, 64 << 10, draw(5, from, to, i)));
    (0..u64::from(count)).map(one)
}

/// Time of `transfers`, as a multiple of what the busiest of their NICs' links needs.
fn relative_to_busiest(transfers: &[(u32, u32, u32)]) -> f64 {
    let machine = preset("lumi-c", "on", &[("groups.cpu.count", "2")]);
    let messages: Vec<_> = transfers.iter().flat_map(|&(a, b, n)| messages_to(a, b, n)).collect();
    let got = run(&machine, &messages);
    assert!(got.counters.congestion.holds > 0, "no sender is throttled");
    let sum = |is_of: &dyn Fn(&(u32, u32, u32)) -> bool| -> u32 {
        transfers.iter().filter(|s| is_of(s)).map(|s| s.2).sum()
    };
    let ends = transfers.iter().flat_map(|&(a, b, _)| [sum(&|s| s.0 == a), sum(&|s| s.1 == b)]);
    let packets = (64 << 10) / machine.nic.packet_payload;
    let wire = (64 << 10) + packets * machine.nic.packet_overhead;
    let link = machine.injection(NicId(0));
    let busy = machine.links.gap[link].span(wire * u64::from(ends.max().unwrap()));
    got.end().since(Time(0)).0 as f64 / busy.0 as f64
}

/// A NIC sends to a congested receiver and to another. The congested one gets the share of its link
/// that it gives credit for, for any number of messages to the other, so the links of all three are
/// busy to the end.
#[test]
fn a_contributor_uses_its_credits_while_sending_elsewhere() {
    for n in [32, 64, 256] {
        let over = relative_to_busiest(&[(0, 1, n), (0, 2, n), (1, 2, n)]);
        assert!(over < 1.05, "{n} messages each: {over:.3} of what links need");
    }
}

/// A NIC sends to three congested receivers and cannot use half of each link: the other
/// contributors take the rest.
#[test]
fn an_unused_share_goes_to_other_contributors() {
    let transfers = [(0, 1, 64), (0, 2, 64), (0, 3, 64), (4, 1, 128), (5, 2, 128), (6, 3, 128)];
    let over = relative_to_busiest(&transfers);
    assert!(over < 1.05, "{over:.3} of what links need");
}

/// Hubs send to many receivers each, and each receiver has one more contributor. A contributor that
/// does not use its credits for long gets fewer, so the other takes what the hubs cannot use, and
/// all links are busy to the end.
#[test]
fn slow_contributors_leave_bandwidth_to_a_fast_one() {
    for (hubs, receivers, each) in [(2, 8, 32), (4, 8, 32), (4, 16, 16), (8, 16, 16)] {
        let to = |k| 20 + k;
        let slow = (0..hubs).flat_map(|hub| (0..receivers).map(move |k| (hub, to(k), each)));
        let fast = (0..receivers).map(|k| (60 + k, to(k), (receivers - hubs) * each));
        let over = relative_to_busiest(&slow.chain(fast).collect::<Vec<_>>());
        println!("{hubs} hubs, {receivers} receivers: {over:.3} of what links need");
        assert!(over < 1.1, "{hubs} hubs, {receivers} receivers: {over:.3} of what links need");
    }
}

/// Victims: packets between NICs that are not part of a pattern, each on its own virtual network.
struct Victims {
    alone: LoadOutcome,
    loaded: LoadOutcome,
}

fn victims(
    machine: &Machine,
    pattern: &str,
    load: f64,
    warmup: Span,
    [own, theirs]: [u8; 2],
) -> Victims {
    let n = machine.node_nics.raw[machine.compute_nodes as usize];
    // The NICs of every sixteenth node are victims.
    let node = |nic: u32| machine.nic_node[NicId(nic)].0;
    let (of, others) = (0..n).map(NicId).partition(|nic| node(nic.0) % 16 == 1);
    let to = Destinations::between(pattern, machine, others, 3).expect("a pattern");
    let background =
        vec![Background { pattern: pattern.into(), to, load, bytes: 32 << 10, vnet: theirs }];
    let request = request("uniform", 0.05, 512, warmup, Span::us(60));
    let mut place = TrafficSetting { nics: of, background, vnet: own, ..TrafficSetting::default() };
    let one = |place: &TrafficSetting| offered_at(machine, &request, place, Finish::Measured);
    let loaded = one(&place);
    place.background.clear();
    Victims { alone: one(&place), loaded }
}

impl Victims {
    fn mean(&self) -> f64 {
        self.loaded.row.least_mean_s / self.alone.row.latency_mean_s
    }
    fn p99(&self) -> f64 {
        self.loaded.row.least_p99_s / self.alone.row.latency_p99_s
    }
}

/// Traffic to other NICs is hardly affected. Without management it is, since the tree of full
/// buffers grows over the machine.
#[test]
fn victims_are_not_slowed() {
    for senders in [16, 64] {
        let of = |management| {
            let machine = preset("lumi-g", management, &[("groups.gpu.count", "3")]);
            victims(&machine, &format!("incast:{senders}"), 1.0, Span::us(100), [0, 0])
        };
        let (on, off) = (of("on"), of("off"));
        println!(
            "incast:{senders}: mean x{:.3}, p99 x{:.3}; without x{:.2}, x{:.2}; {:?}, {} left",
            on.mean(),
            on.p99(),
            off.mean(),
            off.p99(),
            on.loaded.row.background,
            off.loaded.row.unfinished,
        );
        assert!(on.mean() <= 1.1 && on.p99() <= 1.1);
        assert!(off.mean() > 2.0, "no tree saturation without management");
        let receiver = on.loaded.row.background[0].receiver.expect("an incast");
        assert!(receiver >= 0.95, "the receiver's link is busy {receiver:.3} of the time");
    }
}

/// Three classes that send to the same few NICs are throttled separately: `run` asserts that all
/// messages complete once, credits are returned, and no sender is throttled at the end.
#[test]
fn nothing_is_lost_or_throttled_forever_in_any_class() {
    for seed in 0..6 {
        let mut set = buffers(["8 KiB", "16 KiB", "64 KiB"][seed as usize % 3]).to_vec();
        set.push(("nic.window", ["3", "1024"][seed as usize % 2]));
        set.extend([("congestion.management", "on"), ("congestion.threshold", "8 KiB")]);
        let classes = ["low-latency", "bulk-data", "best-effort"];
        let (machine, vnets) = with_classes(&set, &classes);
        let messages = random_messages(&machine, seed, 1_500, Span::us(100), 1 << 17, 3);
        let messages: Vec<_> = messages
            .into_iter()
            .enumerate()
            .map(|(i, (at, m))| (at, Message { vnet: vnets[i % 3], ..m }))
            .collect();
        let got = run(&machine, &messages);
        let CongestionCounters { onsets, holds, credits, returned } = got.counters.congestion;
        assert!(onsets > 3 && holds > onsets, "seed {seed}: {onsets} onsets, {holds} holds");
        assert!(credits > returned, "seed {seed}: {credits} credits, {returned} unused");
    }
}

/// Two incasts of two classes at one NIC. Its link is busy, and each class gets its share: assured
/// minimums hold, although credits control the order within a class.
#[test]
fn an_incast_of_each_class_gets_its_share() {
    let set =
        [("classes.profile", "hpc"), ("congestion.management", "on"), ("routing", "slingshot")];
    let classes = ["dedicated-access", "best-effort"];
    let (machine, vnets) = with_classes(&set, &classes);
    let bytes = 256 << 10;
    // Three times as many messages in the class with the smaller assured share.
    let class = |i: u32| usize::from(!i.is_multiple_of(4));
    let messages: Vec<_> = (0..400)
        .map(|i| {
            let m = message(1 + 2 * (i % 200), 0, bytes, draw(3, 0, i, 0));
            (Time(0), Message { vnet: vnets[class(i)], ..m })
        })
        .collect();
    let got = run(&machine, &messages);
    let onsets = got.counters.congestion.onsets;
    assert!(onsets > 1, "not congested in each class");
    assert_eq!(got.counters.nics[NicId(0)].onsets, onsets, "only at the common receiver");
    let packets = bytes / machine.nic.packet_payload;
    let wire = bytes + packets * machine.nic.packet_overhead;
    let all = machine.links.gap[machine.ejection(NicId(0))].span(400 * wire);
    let share = all.0 as f64 / got.end().0 as f64;
    assert!(share >= 0.95, "the link is busy {share:.3} of the time");
    // 100 messages of the first class complete together after their share of the link; the rest
    // then goes to the other class.
    let due = fair_shares(&machine, &[1.0, 1.0], false);
    let last = |which| {
        let seen = (0..400).zip(&got.seen).filter(|&(i, _)| class(i) == which);
        seen.map(|(_, &seen)| seen).max().expect("messages").0 as f64
    };
    let first = 0.25 * all.0 as f64 / due[0];
    assert!((last(0) / first - 1.0).abs() < 0.03, "{:.3} of its time, {due:?}", last(0) / first);
    assert!(last(1) > 1.5 * last(0), "it ended at {} and {}", last(0), last(1));
}

/// `dragonfly-1056` with these classes and congestion management.
fn managed(classes: &[&str], more: &[(&str, &str)]) -> (Machine, Vec<u8>) {
    let set = [("classes.profile", "hpc"), ("congestion.management", "on"), ("routing", "minimal")];
    with_classes(&[&set, more].concat(), classes)
}

/// Messages of a class to NIC 0, one from each of `count` NICs from `first` on, 40 apart.
fn incast(count: u32, first: u32, bytes: u64, vnet: u8) -> impl Iterator<Item = (Time, Message)> {
    (0..count).map(move |i| {
        let m = message(first + 40 * i, 0, bytes, draw(3, 0, first + i, 0));
        (Time(0), Message { vnet, ..m })
    })
}

/// A sender that is throttled in one class sends in another, delayed by at most the packet it sends
/// on credit and one more in transit.
#[test]
fn a_contributor_is_not_throttled_in_other_classes() {
    let of = |attack: bool| {
        let (machine, vnets) = managed(&["bulk-data", "best-effort"], &[]);
        let mut messages: Vec<_> = incast(24, 1, 256 << 10, vnets[0]).collect();
        messages.truncate(if attack { messages.len() } else { 0 });
        let held = messages.len();
        let later = Time(20_000_000);
        messages.extend((0..24).map(|i| {
            let m = message(1 + 40 * i, 2 + 40 * i, 32 << 10, draw(5, 0, i, 0));
            (later, Message { vnet: vnets[1], ..m })
        }));
        let got = run(&machine, &messages);
        assert_eq!(got.counters.congestion.holds >= 24, attack);
        let gap = machine.links.gap[machine.injection(NicId(1))];
        let packet = gap.span(machine.nic.packet_payload + machine.nic.packet_overhead);
        (got.seen[held..].to_vec(), packet)
    };
    let ((loaded, packet), (alone, _)) = (of(true), of(false));
    let late = loaded.iter().zip(&alone).map(|(loaded, alone)| loaded.since(*alone)).max();
    assert!(late <= Some(packet * 2), "{late:?} late");
}

/// Two classes that each have less than the threshold waiting are not congested, although the link
/// would be in a single class.
#[test]
fn the_threshold_applies_per_class() {
    let onsets = |classes: &[&str]| {
        let (machine, vnets) = managed(classes, &[("congestion.threshold", "32 KiB")]);
        let of = |nth: usize| vnets[nth % vnets.len()];
        let all = incast(12, 40, 4 << 10, 0).enumerate();
        let messages: Vec<_> = all.map(|(i, (at, m))| (at, Message { vnet: of(i), ..m })).collect();
        run(&machine, &messages).counters.congestion.onsets
    };
    assert_eq!((onsets(&["bulk-data"]), onsets(&["bulk-data", "best-effort"])), (1, 0));
}

/// Senders of other classes get no notices.
#[test]
fn only_senders_of_the_congested_class_are_throttled() {
    let (machine, vnets) = managed(&["bulk-data", "best-effort"], &[]);
    let mut messages: Vec<_> = incast(12, 40, 64 << 10, vnets[0]).collect();
    messages.extend(incast(8, 60, 2 << 10, vnets[1]));
    let counts = run(&machine, &messages).counters.congestion;
    assert_eq!((counts.onsets, counts.holds), (1, 12));
}

/// The backlog before a link and in transit to it is at most what the ceiling of its class carries
/// in a round trip, plus the threshold. The last message waits no longer than that.
#[test]
fn the_backlog_of_a_limited_class_fits_its_ceiling() {
    let threshold = 4 << 10;
    let set = [
        ("classes.profile", "ll-be-bd-et"),
        ("congestion.threshold", "4 KiB"),
        ("links.global.cable", "2 us"),
        ("switch.arbitration", "age"),
    ];
    let (machine, vnets) = managed(&["low-latency"], &set);
    let mut messages: Vec<_> = incast(24, 40, 256 << 10, vnets[0]).collect();
    let later = Time(3_000_000_000);
    messages.push((later, Message { vnet: vnets[0], ..message(51, 0, 64, draw(4, 0, 1, 0)) }));
    let got = run(&machine, &messages);
    assert!(got.end() > later + Span::us(500), "the incast is over: {}", got.end());
    let wait = got.seen[24].since(later) - machine.zero_load(NicId(51), NicId(0), 64);
    // The ceiling is 5 %.
    let gap = machine.links.gap[machine.ejection(NicId(0))];
    let packet = machine.nic.packet_payload + machine.nic.packet_overhead;
    let round = machine.zero_load(NicId(51), NicId(0), 0) * 2;
    let most = round + gap.span(20 * (threshold + 2 * packet));
    assert!(
        wait <= most,
        "it waits {wait}, for a round trip, the threshold and two packets {most}"
    );
}

/// Links of congested NICs fail, lose lanes and have bit errors, while senders of classes with and
/// without ceilings are throttled: `run` asserts that everything is reported, no state is left, and
/// conservation holds.
#[test]
fn faults_at_congested_nics_leave_no_state_behind() {
    let (mut lost, mut holds, mut worlds) = (0, 0, 0);
    let from = properties::env_number("FROM").unwrap_or(0);
    for seed in from..from + properties::env_number("N").unwrap_or(200) {
        let random = |about, n: usize| below(draw(seed, 77, 0, about), n as u32) as usize;
        let pick = |about, among: &[&'static str]| among[random(about, among.len())];
        let mut set = vec![
            ("groups.compute.count", pick(0, &["1", "2", "4"])),
            ("groups.compute.switches", "4"),
            ("groups.compute.nodes", "8"),
            ("groups.compute.global_ports", "9"),
            ("switch.ports", "64"),
            ("routing", pick(1, &["minimal", "slingshot", "ugal-l", "valiant-group"])),
            ("switch.arbitration", pick(2, &["round-robin", "age"])),
            ("switch.flows", pick(3, &["kept", "none"])),
            ("retry.sweep", pick(4, &["0 ns", "2 us", "20 us"])),
            ("retry.timeout", pick(5, &["12 us", "40 us"])),
            ("retry.limit", pick(6, &["0", "1", "4"])),
            ("congestion.management", "on"),
            ("congestion.threshold", pick(7, &["2200 B", "6 KiB", "32 KiB"])),
            ("nic.window", pick(8, &["1", "3", "1024"])),
            ("nic.host_rate_one_way", pick(9, &["8 GB/s", "30 GB/s"])),
            ("classes.low-latency.ceiling", pick(10, &["5", "30", "100"])),
            ("classes.bulk-data.ceiling", pick(11, &["20", "50", "100"])),
            ("classes.bulk-data.bucket", pick(12, &["1", "2", "9"])),
            ("classes.best-effort.priority", pick(13, &["1", "2", "7"])),
        ];
        set.extend(buffers(pick(14, &["32 KiB", "48 KiB", "96 KiB"])));
        let machine = properties::preset("dragonfly-1056", &set);
        let hot = [0, 5];
        let mut schedule =
            FaultSchedule::random(&machine, seed, random(20, 4) as u32, Span::us(60));
        for (about, nic) in [(22, hot[0]), (26, hot[1])] {
            let us = |about, n| Span::us(random(about, n) as u64);
            let from = Time(0) + us(about, 40);
            let all = [FaultKind::Down, FaultKind::Lanes(1), FaultKind::Errors(1e-5)];
            let (kind, until) = (all[random(about + 1, 3)], from + us(about + 2, 30) + Span::us(1));
            schedule.faults.push(Fault {
                target: FaultTarget::NicLink(NicId(nic)),
                kind,
                from,
                until,
            });
        }
        let mut machine = machine.with_faults(&schedule).expect("a valid schedule");
        let names = ["low-latency", "bulk-data", "best-effort", "ethernet"];
        let vnets = use_classes(&mut machine, &names[random(30, 3)..][..1 + random(31, 2)]);
        let n = machine.n_nics();
        let mut messages: Vec<_> = (0..300)
            .map(|i| {
                let of = |about: u32, n: u32| below(draw(seed, 90 + about, 0, i), n);
                let dst = if of(0, 4) > 0 { hot[of(1, 2) as usize] } else { of(1, n) };
                let src = (dst + 1 + of(2, n - 1)) % n;
                let bytes = [0, 64, 2048, 5_000, 60_000, 200_000][of(3, 6) as usize];
                let in_order = machine.keeps_flows && of(4, 2) == 0;
                let vnet = vnets[of(5, vnets.len() as u32) as usize];
                let m = message(src, dst, bytes, draw(seed, 96, 0, i));
                (Time(0) + Span::ns(of(6, 60_000).into()), Message { in_order, vnet, ..m })
            })
            .collect();
        messages.sort_by_key(|m| m.0);
        println!("seed {seed}: {} classes, {set:?}", vnets.len());
        let counters = run(&machine, &messages).counters;
        (lost, holds) = (lost + counters.lost_packets, holds + counters.congestion.holds);
        worlds += u64::from(vnets.len() > 1 && counters.congestion.holds > 0);
    }
    println!("{lost} packets lost, {holds} throttle notices, {worlds} cases with several classes");
    assert!(lost > 0 && worlds > 0, "an empty test");
}

/// An incast in one class delays no traffic to other NICs, in that class or in another.
#[test]
fn victims_are_not_slowed_in_any_class() {
    let of = |management: &str, own: &str| {
        let mut machine = preset("lumi-g", management, &[("groups.gpu.count", "3")]);
        let vnets = use_classes(&mut machine, &["low-latency", "bulk-data", "best-effort"]);
        let vnet = |class: &str| if class == "bulk-data" { vnets[1] } else { vnets[2] };
        victims(&machine, "incast:64", 1.0, Span::us(100), [own, "bulk-data"].map(vnet))
    };
    for own in ["bulk-data", "best-effort"] {
        let on = of("on", own);
        println!("{own}: mean x{:.3}, p99 x{:.3}", on.mean(), on.p99());
        assert!(on.mean() <= 1.1 && on.p99() <= 1.1, "{own}");
        let receiver = on.loaded.row.background[0].receiver.expect("an incast");
        assert!(receiver >= 0.95, "the receiver's link is busy {receiver:.3} of the time");
    }
    let off = of("off", "bulk-data");
    assert!(off.mean() > 2.0, "no tree saturation without management: x{:.3}", off.mean());
}

/// Notices and credits cross shards like packets: threads change nothing.
#[test]
fn thread_count_does_not_change_congestion_management() {
    let mut machine = small("on", &[]);
    let vnets = use_classes(&mut machine, &["bulk-data", "best-effort"]);
    let to = Destinations::parse("incast:40", &machine, 3).expect("a pattern");
    let incast = |&vnet: &u8| Background {
        pattern: "incast:40".into(),
        to: to.clone(),
        load: 1.0,
        bytes: 5_000,
        vnet,
    };
    let background: Vec<_> = vnets.iter().map(incast).collect();
    let place = TrafficSetting {
        nics: (0..72).map(NicId).collect(),
        background,
        ..TrafficSetting::default()
    };
    let of = |threads| {
        let own = request("uniform", 0.3, 512, Span::us(4), Span::us(8));
        offered_at(&machine, &TrafficRequest { threads, ..own }, &place, Finish::Empty)
    };
    let one = of(1);
    assert!(one.row.onsets > 0 && one.row.holds > 40, "nothing is congested");
    for threads in [2, 3] {
        assert_same(&one, &of(threads), &format!("{threads} threads"));
    }
}

/// Responses are exempt from throttling. A NIC that requests more than its link delivers becomes
/// congested once, not once per packet.
#[test]
fn a_nic_that_requests_too_much_is_congested_once() {
    let machine = small("on", &[("nic.packet_overhead", "36 B"), ("nic.response", "12 B")]);
    let get =
        |i: u32| Message { completion: Completion::Initiator(64 << 10), ..message(0, 1 + i, 0, 7) };
    let messages: Vec<_> = (0..40).map(|i| (Time(0), get(i))).collect();
    let counts = run(&machine, &messages).counters.congestion;
    assert_eq!(counts, CongestionCounters { onsets: 1, ..CongestionCounters::default() });
}

/// Distant contributors have sent much before the notice reaches them: the backlog of one NIC may
/// exceed 32 bits, although no other resource is short.
#[test]
fn more_than_4_gib_may_be_queued_for_a_nic() {
    let mut set = buffers("1 GiB").to_vec();
    set.extend(["links.edge.rate", "links.local.rate", "links.global.rate"].map(|k| (k, "1 TB/s")));
    set.extend([("links.edge.cable", "100 us"), ("links.global.cable", "100 us")]);
    set.extend([("nic.packet_payload", "65000 B"), ("congestion.threshold", "1 MiB")]);
    set.extend([("nic.window", "1000000"), ("routing", "minimal")]);
    let machine = small("on", &set);
    let bytes = 160 << 20;
    let messages: Vec<_> = (1..72).map(|src| (Time(0), message(src, 0, bytes, 7))).collect();
    let got = run(&machine, &messages);
    assert_eq!(got.counters.queue_max[machine.ejection(NicId(0))], u32::MAX);
    let busy = machine.links.gap[machine.ejection(NicId(0))].span(71 * bytes);
    let share = busy.0 as f64 / got.end().0 as f64;
    assert!(share > 0.9, "the receiver's link is busy {share:.3} of the time");
}
