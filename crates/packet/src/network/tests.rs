//! Tests of NICs: fast paths and results computed in advance equal the normal path.

use super::*;
use base::{Span, below, draw};
use des::{EventCode, Phase, Queue};
use machine::{Machine, MachineSpec};
use net::{Counters, Event, NetworkModel, Origin};

/// Result of random messages of one NIC and its senders: completion times, packets of each NIC's
/// link, and number of events.
type Trace = (Vec<(MsgId, Time)>, Vec<u64>, u64);

/// Sends messages of up to three packets. Ready messages either `leave`, or join the send list of
/// their NIC, which bypasses the fast path.
fn traced(machine: &Machine, seed: u64, leave: bool) -> Trace {
    let mut net = PacketNetwork::build(machine);
    let (mut queue, mut counters) = (Queue::new(), Counters::new(machine.links.gap.len()));
    let (mut delivered, mut events) = (Vec::new(), 0);
    let mut open_message = Time::ZERO;
    for nth in 0..600 {
        let random = |stream, n| below(draw(seed, stream, 0, nth), n);
        open_message += Span(u64::from(random(1, 400_000)));
        let end = if nth == 599 { Time(u64::MAX) } else { open_message };
        let (src, dst) = match random(2, 3) {
            0 => (random(3, 8), 40),
            _ => (3, 8 + random(4, 60)),
        };
        let bytes = u64::from(random(5, 2_048 * 3) >> random(6, 12));
        let msg = Message::new(NicId(src), NicId(dst), bytes, draw(seed, 7, 0, nth));
        let msg = Message { origin: Origin::Nic, ..msg };
        let mut cx = Cx {
            now: open_message,
            machine,
            queue: &mut queue,
            delivered: &mut delivered,
            counters: &mut counters,
        };
        if leave {
            PrecomputedReady::leave(&mut net, MsgId(nth as u32), msg, &mut cx);
        } else {
            let PacketNetwork { endpoints, fabric, .. } = &mut net;
            let id = MsgId(nth as u32);
            let transit = endpoints.open_message(id, msg, &mut fabric.mail, &mut cx);
            let transit = endpoints.nics.transits.insert(transit);
            endpoints.enqueue_message(transit, fabric, &mut cx);
        }
        while let Some((now, code)) = cx.queue.pop_before(end) {
            (cx.now, events) = (now, events + 1);
            if let Event::Net(event) = Event::of(code) {
                net.handle(event, &mut cx);
            }
        }
    }
    net.assert_idle(machine);
    assert_eq!(delivered.len(), 600);
    (delivered, (0..80).map(|link| net.fabric.links.port(LinkId(link)).packets).collect(), events)
}

/// Messages between NICs, some of them to one NIC.
#[derive(Clone, Copy, Debug)]
struct MessageTraffic {
    bytes: u32,
    in_order: bool,
    /// Percentage of messages to the first NIC.
    to_first: u32,
}

/// Messages of several NICs, each known as soon as the one before it has left: completion times and
/// number of events. `precomputed` passes their ready times to the network.
fn trace_messages(
    machine: &Machine,
    traffic: MessageTraffic,
    seed: u64,
    precomputed: bool,
) -> (Vec<(MsgId, Time)>, u64) {
    const NICS: u64 = 24;
    let MessageTraffic { bytes, in_order, to_first } = traffic;
    let mut net = PacketNetwork::build(machine);
    let (mut queue, mut counters) = (Queue::new(), Counters::new(machine.links.gap.len()));
    let (mut delivered, mut events) = (Vec::new(), 0);
    let random = |stream, nth, n| below(draw(seed, stream, 0, nth), n);
    let mut births = [Time::ZERO; NICS as usize];
    let mut schedule = |net: &mut PacketNetwork, queue: &mut Queue, nth: u64| {
        let (src, birth) = (NicId((nth % NICS) as u32), &mut births[(nth % NICS) as usize]);
        *birth += Span(u64::from(random(1, nth, 80_000 + 500 * bytes)));
        let ready = PrecomputedReady::ready(net, src, bytes.into(), *birth);
        if !precomputed {
            net.endpoints.nics.clear_ready(src);
        }
        queue.push(ready, EventCode::new(Phase::Arrive, net::READY, src.0, nth as u32));
    };
    (0..NICS).for_each(|nth| schedule(&mut net, &mut queue, nth));
    while let Some((now, code)) = queue.pop() {
        let mut cx = Cx {
            now,
            machine,
            queue: &mut queue,
            delivered: &mut delivered,
            counters: &mut counters,
        };
        events += 1;
        if code.kind() != net::READY {
            NetworkModel::dispatch(&mut net, code, &mut cx);
            continue;
        }
        let (src, nth) = (code.source(), u64::from(code.arg()));
        let dst = match random(3, nth, 100) < to_first && src > 0 {
            true => 0,
            false => (src + 1 + random(2, nth, NICS as u32 - 1)) % NICS as u32,
        };
        let msg = Message::new(NicId(src), NicId(dst), bytes.into(), draw(seed, 7, 0, nth));
        let msg = Message { origin: Origin::Nic, in_order, ..msg };
        PrecomputedReady::leave(&mut net, MsgId(nth as u32), msg, &mut cx);
        if nth < 4_000 {
            schedule(&mut net, &mut queue, nth + NICS);
        }
    }
    net.assert_idle(machine);
    delivered.sort_unstable_by_key(|message| message.0.0);
    (delivered, events)
}

/// Receipts computed in advance equal those at arrival: with several heads in a cable, with
/// throttled destinations, and where NICs send responses.
#[test]
fn precomputed_ready_times_do_not_change_results() {
    let even = |bytes| MessageTraffic { bytes, in_order: false, to_first: 0 };
    let hot = |bytes| MessageTraffic { bytes, in_order: false, to_first: 30 };
    let known = ("nic.send_latency", "600 ns");
    let df = "dragonfly-1056";
    type World = (&'static str, MessageTraffic, &'static [(&'static str, &'static str)]);
    let worlds: [World; 12] = [
        (df, even(2_048), &[("nic.host_rate", "42 GB/s"), ("nic.host_rate_one_way", "22.6 GB/s")]),
        (df, even(2_048), &[("nic.host_rate", "15 GB/s"), ("nic.host_rate_one_way", "12 GB/s")]),
        (df, even(64), &[("nic.host_rate", "20 GB/s"), ("links.edge.cable", "60 ns")]),
        (df, even(64), &[("nic.host_rate", "9 GB/s"), ("nic.window", "20")]),
        (df, hot(512), &[("nic.host_rate_one_way", "11 GB/s"), ("nic.message_gap", "1 ns")]),
        (df, even(5_000), &[("nic.host_rate", "15 GB/s"), ("nic.host_rate_one_way", "12 GB/s")]),
        ("lumi-c", hot(2_048), &[]),
        ("lumi-c", hot(512), &[("nic.host_rate", "15 GB/s"), ("nic.host_rate_one_way", "7 GB/s")]),
        ("lumi-c", MessageTraffic { in_order: true, ..hot(2_048) }, &[]),
        ("cascade-3k", even(64), &[]),
        (
            "cascade-3k",
            hot(64),
            &[("nic.host_rate", "4 GB/s"), ("nic.host_rate_one_way", "4 GB/s")],
        ),
        ("cascade-3k", even(64), &[("nic.host_rate_one_way", "15 GB/s")]),
    ];
    for (name, traffic, keys) in worlds {
        let mut set = keys.to_vec();
        if name == df {
            set.push(known);
        }
        let set: Vec<_> = set.iter().map(|&(k, v)| (k.to_string(), v.to_string())).collect();
        let text = machine::preset(name).expect("a preset");
        let spec = MachineSpec::parse(name, text, &set).expect("a machine");
        let machine = spec.resolve().expect("a machine");
        for seed in 0..3 {
            let (known, events) = trace_messages(&machine, traffic, seed, true);
            let (plain, more) = trace_messages(&machine, traffic, seed, false);
            assert_eq!(known, plain, "{name}, {traffic:?}, {keys:?}, seed {seed}");
            assert!(known.len() > 4_000 && events < more, "{name}: {events} of {more} events");
        }
    }
}

#[test]
fn the_single_packet_fast_path_equals_the_queued_path() {
    // Windows that fill, buffers that fill, host interfaces slower than links.
    for keys in [
        &[("nic.window", "1024")][..],
        &[("nic.window", "2")],
        &[("links.edge.buffer", "8 KiB"), ("links.local.buffer", "8 KiB")],
        &[("nic.host_rate", "5 GB/s")],
    ] {
        let set: Vec<_> = keys.iter().map(|&(k, v)| (k.to_string(), v.to_string())).collect();
        let text = machine::preset("dragonfly-1056").expect("a preset");
        let spec = MachineSpec::parse("dragonfly-1056", text, &set).expect("a machine");
        let machine = spec.resolve().expect("a machine");
        for seed in 0..4 {
            assert_eq!(traced(&machine, seed, true), traced(&machine, seed, false), "{keys:?}");
        }
    }
}
