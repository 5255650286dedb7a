//! Message counters of NICs: each message between nodes counts once.

use crate::common::{Script, job};
use collectives::{Algorithm, Collective, Kind, Member};
use loggp::LogGpNetwork;
use machine::{NicId, faults};
use mpi::limits::{MatchMode, Matches};
use packet::PacketNetwork;
use sim::{End, Job, Outcome};
use workload::{Op, SendMode, WORLD};

/// Beyond the eager limit of every library.
const LONG: u64 = 100_000;
/// Nanoseconds after which everything sent before has arrived.
const LATER: u64 = 1_000_000;

fn send(to: u32, tag: i32, bytes: u64) -> Op {
    Op::Send { to, context: WORLD, tag, bytes, mode: SendMode::Standard }
}
fn recv(from: u32, tag: i32) -> Op {
    Op::Recv { from, context: WORLD, tag, bytes: u64::MAX }
}

/// Rank 0 sends four expected messages, one of them long, and three unexpected ones, two of them
/// long. Rank 2, on its receiver's node, sends one more.
fn seven(job: &Job) -> Outcome {
    let (awaited, not) = ([8, 8, 8, LONG], [8, LONG, LONG]);
    let mut calls = Vec::new();
    for (tag, bytes) in (0..).zip(awaited) {
        calls.push((1, tag as u32, 0, recv(0, tag)));
        calls.push((0, tag as u32, if tag == 0 { LATER } else { 0 }, send(1, tag, bytes)));
    }
    for (tag, bytes) in (10..).zip(not) {
        calls.push((0, tag as u32, 0, send(1, tag, bytes)));
        calls.push((1, tag as u32, if tag == 10 { 3 * LATER } else { 0 }, recv(0, tag)));
    }
    calls.extend([(2, 0, 0, send(1, 20, 8)), (1, 20, 0, recv(2, 20))]);
    let outcome = Script::new(3, calls).run::<PacketNetwork>(job).0;
    assert_eq!(outcome.end, End::Finished);
    outcome
}

#[test]
fn match_engines_count_expected_and_unexpected_messages() {
    let mut job = job(&[0, 40, 40]);
    let nic = NicId(job.machine.node_nics[machine::NodeId(40)]);
    let of = |outcome: Outcome| outcome.matches.into_iter().collect::<Vec<_>>();
    let hardware =
        Matches { expected: 4, unexpected: 3, in_software: 0, rendezvous: 3, offloaded: 3 };
    assert_eq!(of(seven(&job)), [((nic, 0), hardware)]);
    job.library.provider.match_mode = MatchMode::Software;
    let software = Matches { in_software: 7, rendezvous: 3, ..Matches::default() };
    assert_eq!(of(seven(&job)), [((nic, 0), software)]);
}

/// With any algorithm, early or late.
#[test]
fn messages_of_collectives_are_matched_as_any() {
    for (kind, algorithm, bytes) in [
        (Kind::Allreduce, Algorithm::RecursiveDoubling, 8),
        (Kind::Allreduce, Algorithm::Ring, LONG),
        (Kind::Alltoall, Algorithm::Pairwise, LONG),
    ] {
        let job = job(&[0, 0, 40, 40, 700, 701, 702]);
        let script = || {
            Script::new(
                7,
                (0..7).map(|rank| {
                    let member = Member { rank, size: 7 };
                    let (root, grain, ragged, nodes) = (0, 8, None, None);
                    let call =
                        Collective { kind, algorithm, member, root, bytes, grain, ragged, nodes };
                    (rank, 0, u64::from(rank) * 900, Op::Collective { context: WORLD, call })
                }),
            )
        };
        let outcomes =
            [script().run::<PacketNetwork>(&job).0, script().run::<LogGpNetwork>(&job).0];
        for outcome in outcomes {
            assert_eq!(outcome.end, End::Finished);
            let remote: u64 = outcome.by_distance[1..].iter().map(|d| d.0).sum();
            let came: u64 = outcome.matches.values().map(|m| m.expected + m.unexpected).sum();
            assert_eq!(came, remote, "{kind:?} {bytes}");
        }
    }
}

/// A scatter's root sends one message after the other, each when its CPU has finished it: the `n`th
/// at (1 call + n sends). A node failure ends the run in between. Exactly the messages that had
/// left by then are counted.
#[test]
fn a_run_that_ends_early_has_counted_what_had_left() {
    let nodes = [0, 40, 80, 700, 701, 702];
    let whole = job(&nodes);
    let gap = whole.library.send_overhead;
    let first = base::Time::ZERO + whole.library.call_overhead;
    for (left, at) in [
        (0, first + gap),
        (1, first + gap + base::Span(1)),
        (2, first + gap * 3),
        (3, first + gap * 3 + base::Span(1)),
    ] {
        let node = machine::NodeId(702);
        let (part, fault) = (faults::FaultTarget::Node(node), faults::FaultKind::Down);
        let row = faults::Fault { target: part, kind: fault, from: at, until: faults::NEVER };
        let plan = faults::FaultSchedule { ber: 0.0, faults: vec![row] };
        let machine = whole.machine.clone().with_faults(&plan).expect("ports have room");
        let job = Job { machine, ..whole.clone() };
        let script = Script::new(
            6,
            (0..6).map(|rank| {
                let (kind, algorithm) = (Kind::Scatter, Algorithm::Linear);
                let (member, root) = (Member { rank, size: 6 }, 0);
                let (bytes, grain, ragged, nodes) = (8, 1, None, None);
                let call =
                    Collective { kind, algorithm, member, root, bytes, grain, ragged, nodes };
                (rank, 0, 0, Op::Collective { context: WORLD, call })
            }),
        );
        let outcome = script.run::<LogGpNetwork>(&job).0;
        assert!(matches!(outcome.end, End::Failed(_)), "{:?}", outcome.end);
        let messages: u64 = outcome.by_distance.iter().map(|d| d.0).sum();
        let of_pairs: u32 = outcome.pairs.iter().map(|pair| pair.messages).sum();
        let packets = outcome.counters.injected_packets;
        assert_eq!((messages, of_pairs.into(), packets), (left, left, left), "ended at {at}");
    }
}
