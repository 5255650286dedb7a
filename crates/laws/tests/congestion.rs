//! What congestion management promises (docs/models/congestion.md): nothing is lost by it, those
//! who send to others pass, the congested link stays busy, and where nothing is congested nothing
//! changes.

use base::{Digest, Span, Time, below, draw};
use des::{Phase, Queue};
use machine::{Machine, MachineSpec, NicId};
use net::{CongestionCounters, Counters, Cx, Event, Message, MsgId, NetworkModel, Origin, Told};
use packet::PacketNetwork;
use sim::Background;
use sim::api::Fidelity;
use sim::traffic::{
    Destinations, Finish, LoadOutcome, Place, TrafficRequest, one_load, one_load_at,
};

/// A preset with some keys set otherwise.
fn preset(name: &str, management: &str, set: &[(&str, &str)]) -> Machine {
    let text = machine::preset(name).unwrap_or_else(|| panic!("no preset {name}"));
    let mut set: Vec<_> = set.iter().map(|&(k, v)| (k.to_string(), v.to_string())).collect();
    set.push(("congestion.management".into(), management.into()));
    MachineSpec::parse(name, text, &set)
        .and_then(|spec| spec.resolve())
        .unwrap_or_else(|complaints| panic!("{name}: {complaints:?}"))
}

/// The research dragonfly with 9 groups of 4 switches of 2 nodes, and links as fast as they come.
fn small(management: &str, more: &[(&str, &str)]) -> Machine {
    let mut set = vec![
        ("groups.compute.count", "9"),
        ("groups.compute.switches", "4"),
        ("groups.compute.global_ports", "2"),
        ("groups.compute.nodes", "8"),
        ("routing", "slingshot"),
        ("congestion.threshold", "8 KiB"),
    ];
    set.extend(more);
    preset("dragonfly-1056", management, &set)
}

struct Run {
    digest: Digest,
    counters: Counters,
    end: Time,
}

/// Commands `messages` at their times, which do not fall, and runs until nothing is pending.
fn run(machine: &Machine, messages: &[(Time, Message)]) -> Run {
    let mut net = PacketNetwork::build(machine);
    let (mut queue, mut delivered) = (Queue::new(), Vec::new());
    let mut counters = Counters::new(machine.links.gap.len());
    let mut seen = vec![Time::ZERO; messages.len()];
    let mut digest = Digest::default();
    for (i, &(at, _)) in messages.iter().enumerate() {
        let event =
            Event::<<PacketNetwork as NetworkModel>::Event>::host(Phase::Resume, i as u32, 0);
        queue.push(at, event);
    }
    while let Some((now, what)) = queue.pop() {
        let (queue, delivered, counters) = (&mut queue, &mut delivered, &mut counters);
        let mut cx = Cx { now, machine, queue, delivered, counters };
        match Event::of(what) {
            Event::Net(event) => net.handle(event, &mut cx),
            Event::Host { rank, .. } => net.inject(MsgId(rank), messages[rank as usize].1, &mut cx),
        }
        for (id, time) in delivered.drain(..) {
            let slot = &mut seen[id.0 as usize];
            assert_eq!(*slot, Time::ZERO, "{id:?} was delivered twice");
            *slot = time;
            digest.mix(u64::from(id.0));
            digest.mix(time.0);
        }
    }
    net.assert_quiet(machine);
    net.report(&mut counters);
    assert!(seen.iter().all(|&t| t > Time::ZERO), "a message was lost");
    let payload: u64 = messages.iter().map(|(_, m)| m.bytes).sum();
    assert_eq!(counters.delivered_payload, payload);
    assert_eq!(counters.injected_packets, counters.delivered_packets);
    Run { digest, counters, end: *seen.iter().max().expect("messages") }
}

fn message(src: u32, dst: u32, bytes: u64, draw: u64) -> Message {
    let (src, dst, origin, told) = (NicId(src), NicId(dst), Origin::Host, Told::There);
    Message { src, dst, bytes, origin, vnet: 0, told, draw }
}

/// Random messages, most of them to a few receivers.
fn storm(machine: &Machine, seed: u64, count: u64, within: Span, hot: u32) -> Vec<(Time, Message)> {
    let n = machine.n_nics();
    let mut at: Vec<u64> = (0..count).map(|i| draw(seed, 1, 0, i) % (within.0 + 1)).collect();
    at.sort_unstable();
    let pick = |i, stream, n| below(draw(seed, stream, 0, i), n);
    let one = |i: u64| {
        let dst = if pick(i, 2, 4) > 0 { pick(i, 3, hot) * (n / hot) } else { pick(i, 3, n) };
        let src = (dst + 1 + pick(i, 4, n - 1)) % n;
        let bytes = u64::from(pick(i, 5, 1 << 17) >> pick(i, 6, 16));
        (Time(at[i as usize]), message(src, dst, bytes, draw(seed, 7, 0, i)))
    };
    (0..count).map(one).collect()
}

/// `run` asserts that all arrives once, that every credit of a buffer and every leave to send is
/// back, and that nobody is held back for ever.
#[test]
fn nothing_is_lost_or_held_for_ever() {
    for seed in 0..12 {
        for (hot, buffer) in [(1, "64 KiB"), (3, "8 KiB"), (9, "16 KiB")] {
            let keys = ["links.edge.buffer", "links.local.buffer", "links.global.buffer"];
            let mut set: Vec<(&str, &str)> = keys.iter().map(|&key| (key, buffer)).collect();
            let window = ["3", "64", "1024"][seed as usize % 3];
            set.push(("nic.window", window));
            if seed % 2 == 0 {
                set.push(("nic.host_rate", "9 GB/s"));
            }
            let machine = small("on", &set);
            let messages = storm(&machine, seed, 1_500, Span::us(200), hot);
            let got = run(&machine, &messages);
            let CongestionCounters { onsets, holds, credits, returned } = got.counters.congestion;
            assert!(onsets > 0 && holds > onsets, "seed {seed}: {hot} hot receivers are none");
            assert!(credits > returned, "seed {seed}: {credits} credits, {returned} unused");
            let again = run(&machine, &messages);
            assert_eq!((got.digest, got.end), (again.digest, again.end), "seed {seed}");
        }
    }
}

fn request(pattern: &str, bytes: u64, warmup: Span, window: Span) -> TrafficRequest {
    let (pattern, loads, seed) = (pattern.into(), vec![1.0], 3);
    TrafficRequest { pattern, loads, packet_bytes: bytes, warmup, window, seed, threads: 1 }
}

/// Traffic that congests no NIC is the same to the picosecond, event by event.
#[test]
fn where_no_endpoint_is_congested_nothing_changes() {
    for (pattern, load) in
        [("uniform", 0.3), ("adversarial:1", 0.2), ("worst-permutation", 0.9), ("shift:5", 1.0)]
    {
        let of = |management: &str| -> LoadOutcome {
            let set = [("congestion.threshold", "32 KiB")];
            let machine = small(management, &set);
            let request = request(pattern, 512, Span::us(10), Span::us(20));
            one_load(&machine, Fidelity::Packet, &request, load, Finish::Empty, &mut |_, _| true)
                .unwrap_or_else(|complaints| panic!("{pattern}: {complaints:?}"))
        };
        let (on, off) = (of("on"), of("off"));
        assert_eq!(on.row.onsets, 0, "{pattern} congests a NIC");
        assert_eq!(on.row.digest, off.row.digest, "{pattern}");
        assert_eq!(on.events, off.events, "{pattern}");
    }
}

/// However many send to one: its link is busy from the first head to the last tail but for 5 %,
/// and if all have as much to send, all end within the last tenth.
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
        let took = got.end.since(Time(0));
        let held = got.counters.congestion;
        assert!(held.onsets > 0, "{senders} x {bytes} B congest nobody");
        // Besides, the first head has to come.
        let share = busy.0 as f64 / (took.0 - Span::us(4).0) as f64;
        assert!(share >= 0.95, "{senders} x {bytes} B: busy {share:.3} of the time, {held:?}");
    }
}

/// Victims: 2 KiB packets between other NICs.
struct Victims {
    alone: LoadOutcome,
    beside: LoadOutcome,
}

fn victims(machine: &Machine, pattern: &str, load: f64, warmup: Span) -> Victims {
    let n = machine.node_nics.raw[machine.compute_nodes as usize];
    // The NICs of every sixteenth node are victims, wherever they are.
    let node = |nic: u32| machine.nic_node[NicId(nic)].0;
    let (of, others) = (0..n).map(NicId).partition(|nic| node(nic.0) % 16 == 1);
    let to = Destinations::among(pattern, machine, others, 3).expect("a pattern");
    let background =
        vec![Background { pattern: pattern.into(), to, load, bytes: 32 << 10, vnet: 0 }];
    let request = request("uniform", 512, warmup, Span::us(60));
    let mut place = Place { nics: of, background, slices: 0, vnet: 0 };
    let one = |place: &Place| {
        let finish = Finish::Measured;
        one_load_at(machine, Fidelity::Packet, &request, place, 0.05, finish, &mut |_, _| true)
            .unwrap_or_else(|complaints| panic!("{pattern}: {complaints:?}"))
    };
    let beside = one(&place);
    place.background.clear();
    Victims { alone: one(&place), beside }
}

impl Victims {
    fn mean(&self) -> f64 {
        self.beside.row.least_mean_s / self.alone.row.latency_mean_s
    }
    fn p99(&self) -> f64 {
        self.beside.row.least_p99_s / self.alone.row.latency_p99_s
    }
}

/// Those who send to others than the congested NIC hardly notice; without management they do, for
/// the tree of full buffers grows over the machine.
#[test]
fn victims_pass() {
    for senders in [16, 64] {
        let of = |management| {
            let machine = preset("lumi-g", management, &[("groups.gpu.count", "3")]);
            victims(&machine, &format!("incast:{senders}"), 1.0, Span::us(100))
        };
        let (on, off) = (of("on"), of("off"));
        println!(
            "incast:{senders}: mean x{:.3}, p99 x{:.3}; without x{:.2}, x{:.2}; {:?}, {} left",
            on.mean(),
            on.p99(),
            off.mean(),
            off.p99(),
            on.beside.row.background,
            off.beside.row.unfinished,
        );
        assert!(on.mean() <= 1.1 && on.p99() <= 1.1);
        assert!(off.mean() > 2.0, "no tree without management");
        let receiver = on.beside.row.background[0].receiver.expect("an incast");
        assert!(receiver >= 0.95, "the receiver's link is busy {receiver:.3} of the time");
    }
}

/// Orders and credits cross between shards as packets do: threads change nothing.
#[test]
fn as_many_threads_as_one_likes_do_the_same() {
    let machine = small("on", &[]);
    let to = Destinations::parse("incast:40", &machine, 3).expect("a pattern");
    let background =
        vec![Background { pattern: "incast:40".into(), to, load: 1.0, bytes: 5_000, vnet: 0 }];
    let place = Place { nics: (0..72).map(NicId).collect(), background, slices: 0, vnet: 0 };
    let of = |threads| {
        let request =
            TrafficRequest { threads, ..request("uniform", 512, Span::us(4), Span::us(8)) };
        let finish = Finish::Empty;
        let outcome =
            one_load_at(&machine, Fidelity::Packet, &request, &place, 0.3, finish, &mut |_, _| {
                true
            });
        outcome.unwrap_or_else(|complaints| panic!("{complaints:?}"))
    };
    let one = of(1);
    assert!(one.row.onsets > 0 && one.row.holds > 40, "nothing is congested");
    for threads in [2, 3] {
        let many = of(threads);
        assert_eq!(one.row, many.row, "{threads} threads");
        assert_eq!(one.counters, many.counters, "{threads} threads");
    }
}
