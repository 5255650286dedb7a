//! The per-message cost of messages of several packets (`nic.multipacket_message`): visible only
//! where both directions are busy.

use base::{Span, Time, draw};
use flow::FlowNetwork;
use loggp::LogGpNetwork;
use machine::Machine;
use net::Message;
use packet::PacketNetwork;
use properties::{Run, message, preset, run_on};

const KEY: &str = "nic.multipacket_message";

fn everywhere(machine: &Machine, messages: &[(Time, Message)]) -> [(&'static str, Run); 3] {
    [
        ("packet", run_on::<PacketNetwork>(machine, messages)),
        ("flow", run_on::<FlowNetwork>(machine, messages)),
        ("loggp", run_on::<LogGpNetwork>(machine, messages)),
    ]
}

fn message_series(
    machine: &Machine,
    n: u32,
    bytes: u64,
    directions: &[bool],
) -> Vec<(Time, Message)> {
    let far = machine.n_nics() / 2;
    let each = |i| {
        directions.iter().map(move |&back| {
            let (src, dst) = if back { (far, 0) } else { (0, far) };
            (Time(0), message(src, dst, bytes, draw(3, src, i, 0)))
        })
    };
    (0..n).flat_map(each).collect()
}

/// Flows batch changes before shares are solved (docs/models/flow.md), with any value of the key.
fn most(model: &str, want: Span) -> Span {
    if model == "flow" { Span(want.0 * 1043 / 1000) } else { want }
}

/// Messages in both directions, of several packets: each occupies the shared part of both host
/// interfaces for its bytes and for the key; a message of one packet only for its bytes.
#[test]
fn bidirectional_messages_pay_the_per_message_cost() {
    for key in ["0 ns", "17 ns", "40 ns"] {
        let machine = preset("aurora", &[(KEY, key)]);
        let nic = &machine.nic;
        let link = machine.links.gap[machine.injection(machine::NicId(0))];
        for (bytes, n) in [(2048, 800), (4096, 800), (8192, 400), (32 << 10, 100)] {
            let several = bytes > nic.packet_payload;
            let own = if several { nic.multipacket_message } else { Span::ZERO };
            let shared = (nic.host_gap.span(bytes) + own) * 2;
            let wire = bytes + bytes.div_ceil(nic.packet_payload) * nic.packet_overhead;
            let one_way = nic.host_gap_one_way.span(bytes).max(link.span(wire));
            assert!(shared > one_way, "the shared part is the bottleneck");
            let messages = message_series(&machine, n, bytes, &[false, true]);
            let idle = machine.zero_load(messages[0].1.src, messages[0].1.dst, 2048);
            let want = shared * u64::from(n);
            for (model, got) in everywhere(&machine, &messages) {
                let took = got.end().since(Time(0));
                let case = format!("{model}, {key}, {bytes} B: {took}, expected {want}");
                assert!((want..=most(model, want + idle)).contains(&took), "{case} and {idle}");
            }
        }
    }
}

/// In one direction the shared part has time to spare: messages take the same time as without the
/// key, to the picosecond.
#[test]
fn unidirectional_streams_hide_the_per_message_cost() {
    for name in ["aurora", "lumi-g"] {
        for bytes in [4096, 64 << 10] {
            let runs = ["0 ns", "17 ns"].map(|key| {
                let machine = preset(name, &[(KEY, key)]);
                everywhere(&machine, &message_series(&machine, 100, bytes, &[false]))
            });
            let [without, with] = runs;
            for ((model, without), (_, with)) in without.into_iter().zip(with) {
                assert_eq!(without.seen, with.seen, "{name}, {model}, {bytes} B");
            }
        }
    }
}

/// A packet of 2 KiB occupies the shared part for 48.76 ns and its own direction for 90.62 ns. A
/// single message is later by the excess of the key over the difference, to the picosecond.
#[test]
fn a_single_message_pays_the_excess_over_a_packet_time() {
    let machine = preset("aurora", &[(KEY, "0 ns")]);
    let nic = &machine.nic;
    let payload = nic.packet_payload;
    let spare = nic.host_gap_one_way.span(payload) - nic.host_gap.span(payload);
    for (key, late) in [
        (spare, Span::ZERO),
        (spare + Span::ps(1), Span::ps(1)),
        (spare + Span::ns(60), Span::ns(60)),
    ] {
        let slower = preset("aurora", &[(KEY, &format!("{} ps", key.0))]);
        let far = machine.n_nics() / 2;
        for bytes in [8, 2048, 2049, 4096, 64 << 10] {
            let alone = [(Time(0), message(0, far, bytes, 5))];
            // The second packet of 2,049 B arrives later, but is in memory before the first.
            let late = if bytes > payload + 1 { late } else { Span::ZERO };
            let before = everywhere(&machine, &alone);
            let closed = slower.zero_load(alone[0].1.src, alone[0].1.dst, bytes);
            assert_eq!(closed, machine.zero_load(alone[0].1.src, alone[0].1.dst, bytes) + late);
            for ((model, without), (_, with)) in before.into_iter().zip(everywhere(&slower, &alone))
            {
                let case = format!("{model}, {bytes} B, key {key}");
                assert_eq!(with.end(), without.end() + late, "{case}");
            }
        }
    }
}

/// In one direction each message takes longer by this excess.
#[test]
fn a_unidirectional_stream_pays_the_excess_over_a_packet_time() {
    let machine = preset("aurora", &[(KEY, "100 ns")]);
    let nic = &machine.nic;
    let n = 400;
    for bytes in [4096, 16 << 10] {
        let packet = nic.host_gap_one_way.span(nic.packet_payload);
        let first = nic.host_gap.span(nic.packet_payload) + nic.multipacket_message;
        assert!(first > packet);
        let want = (first + packet * (bytes / nic.packet_payload - 1)) * n;
        let messages = message_series(&machine, n as u32, bytes, &[false]);
        let idle = machine.zero_load(messages[0].1.src, messages[0].1.dst, 2048);
        for (model, got) in everywhere(&machine, &messages) {
            let took = got.end().since(Time(0));
            let case = format!("{model}, {bytes} B: {took}, expected {want} and {idle}");
            assert!((want..=most(model, want + idle)).contains(&took), "{case}");
        }
    }
}
