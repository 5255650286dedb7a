//! Schedules on a machine: agreement with the same program in another form, and errors.

use crate::common::{job, job_on, machine};
use base::{Span, Time};
use flow::FlowNetwork;
use loggp::LogGpNetwork;
use packet::PacketNetwork;
use sim::{End, Outcome, World};
use std::collections::BTreeMap;
use workload::schedule::{Dag, goal};
use workload::{Op, SendMode, Step, Streams, WORLD};

fn replay<N: net::NetworkModel>(file: &str, nodes: &[u32]) -> (Outcome, Vec<Time>) {
    let schedule = goal::read(file.as_bytes()).expect("a schedule");
    let job = job(nodes);
    let mut world = World::<N, _>::new(&job, Dag::new(schedule));
    let outcome = world.run(&mut |_| true);
    (outcome, world.workload.end_times)
}

/// A ring: every rank computes, receives from the left and sends to the right, and computes again
/// when both are done.
fn ring_as_goal(ranks: u32, bytes: u64) -> String {
    let mut file = format!("num_ranks {ranks}\n");
    for rank in 0..ranks {
        let (left, right) = ((rank + ranks - 1) % ranks, (rank + 1) % ranks);
        file += &format!(
            "rank {rank} {{\nc: calc {}\nr: recv {bytes}b from {left} tag 1\n\
             s: send {bytes}b to {right} tag 1\ne: calc 500\nr requires c\ns requires c\n\
             e requires r\ne requires s\n}}\n",
            1000 + 100 * rank
        );
    }
    file
}

fn ring_as_streams(ranks: u32, bytes: u64) -> Streams {
    Streams::new((0..ranks).map(move |rank| {
        let (left, right) = ((rank + ranks - 1) % ranks, (rank + 1) % ranks);
        let (context, tag) = (WORLD, 1);
        let mode = SendMode::Standard;
        vec![
            Step::Compute(Span::ns(1000 + 100 * u64::from(rank))),
            Step::Wait,
            Step::Do(Op::Recv { from: left, context, tag, bytes }),
            Step::Do(Op::Send { to: right, context, tag, bytes, mode }),
            Step::Wait,
            Step::Compute(Span::ns(500)),
        ]
    }))
}

fn a_schedule_takes_as_long_as_the_stream<N: net::NetworkModel>() {
    let nodes = [0, 1, 2, 200, 201];
    for bytes in [8, 100_000, 4 << 20] {
        let (outcome, _) = replay::<N>(&ring_as_goal(5, bytes), &nodes);
        let job = job(&nodes);
        let stream = World::<N, _>::new(&job, ring_as_streams(5, bytes)).run(&mut |_| true);
        assert_eq!(outcome.end, End::Finished);
        assert_eq!(outcome.time, stream.time, "{bytes} B");
        assert_eq!(outcome.pairs, stream.pairs);
    }
}

#[test]
fn a_schedule_takes_as_long_as_the_same_program_as_a_stream() {
    a_schedule_takes_as_long_as_the_stream::<PacketNetwork>();
    a_schedule_takes_as_long_as_the_stream::<LogGpNetwork>();
}

/// A message of rank 0 reaches rank 1 while rank 0 computes on another CPU; on the same CPU it
/// waits behind the computation.
#[test]
fn operations_on_different_cpus_overlap() {
    let file = |cpu: u32| {
        format!(
            "num_ranks 2\nrank 0 {{\na: calc 1000000 cpu 0\nb: calc 10 cpu {cpu}\n\
             c: send 8b to 1 cpu {cpu}\nc requires b\n}}\nrank 1 {{\nrecv 8b from 0\n}}\n"
        )
    };
    let (apart, ends) = replay::<LogGpNetwork>(&file(1), &[0, 1]);
    assert!(ends[1] < Time(100_000_000), "{}", ends[1]);
    // The run lasts as long as the computation, plus at most an instant.
    assert!((1_000_000_000..1_001_000_000).contains(&apart.time.0), "{}", apart.time);
    let (together, ends) = replay::<LogGpNetwork>(&file(0), &[0, 1]);
    assert!(ends[1] > Time(1_000_000_000), "{}", ends[1]);
    assert!(together.time > Time(1_000_010_000), "{}", together.time);
}

#[test]
fn blocked_ranks_are_named_in_a_deadlock() {
    let file = "num_ranks 2\nrank 0 {\nrecv 8b from 1 tag 3\n}\nrank 1 {\ncalc 10\n}\n";
    let (outcome, _) = replay::<LogGpNetwork>(file, &[0, 1]);
    let End::Deadlock(blocked) = outcome.end else { panic!("{:?}", outcome.end) };
    let reported: BTreeMap<u32, &str> = blocked.iter().map(|b| (b.rank, b.what.as_str())).collect();
    assert_eq!(reported, BTreeMap::from([(0, "receive from rank 1, tag 3")]));
}

/// Tags of a schedule do not come from a program: no library bounds them, and they count modulo
/// 2^32.
#[test]
fn tags_of_a_schedule_have_no_bound() {
    for tag in ["4294967290", "8589934586", "18446744073709551610"] {
        let file = format!(
            "num_ranks 2\nrank 0 {{\nrecv 8b from 1 tag {tag}\n}}\n\
             rank 1 {{\nsend 8b to 0 tag 4294967290\n}}\n"
        );
        let (outcome, _) = replay::<LogGpNetwork>(&file, &[0, 1]);
        assert_eq!(outcome.end, End::Finished, "{tag}");
    }
}

#[test]
fn a_schedule_that_outlasts_simulated_time_is_stopped() {
    // 49 days per rank, one rank after the other.
    let days = 49u64 * 86_400 * 1_000_000_000;
    let mut file = "num_ranks 4\n".to_string();
    for rank in 0..4 {
        file += &format!("rank {rank} {{\n");
        if rank > 0 {
            file += &format!("r: recv 8b from {}\nc requires r\n", rank - 1);
        }
        file += &format!("c: calc {days}\n");
        if rank < 3 {
            file += &format!("s: send 8b to {}\ns requires c\n", rank + 1);
        }
        file += "}\n";
    }
    let (outcome, _) = replay::<LogGpNetwork>(&file, &[0, 1, 2, 3]);
    assert_eq!(outcome.end, End::Stopped);
}

const BLOCK: u64 = 16 << 20;

/// `sends` and `receives` have the NIC of each message of `BLOCK` bytes from rank 0 to rank 1, on
/// two nodes of Frontier in different groups. Returns the time in seconds, and the rate of a NIC in
/// bytes/s.
fn over_nics<N: net::NetworkModel>(sends: &[u32], receives: &[u32]) -> (f64, f64) {
    let mut file = "num_ranks 2\n".to_string();
    for (rank, (how, nics)) in [("send", sends), ("recv", receives)].into_iter().enumerate() {
        let to = if rank == 0 { "to 1" } else { "from 0" };
        file += &format!("rank {rank} {{\n");
        for (tag, nic) in nics.iter().enumerate() {
            file += &format!("{how} {BLOCK}b {to} tag {tag} cpu {tag} nic {nic}\n");
        }
        file += "}\n";
    }
    let schedule = goal::read(file.as_bytes()).expect("a schedule");
    let frontier = machine("frontier", &[]);
    // The host interface is slower than the wire.
    let rate = frontier.nic.host_gap_one_way.bytes_per_s();
    assert!(rate < frontier.links.gap[frontier.injection(machine::NicId(0))].bytes_per_s());
    let job = job_on(frontier, "cray-mpich", &[0, 1000]);
    let outcome = World::<N, _>::new(&job, Dag::new(schedule)).run(&mut |_| true);
    assert_eq!(outcome.end, End::Finished);
    (outcome.time.seconds(), rate)
}

/// As many NICs as are named on both sides carry the messages, at their full rate. The start of a
/// message, a rendezvous and its last packet add less than 3 %.
fn named_nics_carry_their_messages<N: net::NetworkModel>() {
    for (sends, receives, at_once) in [
        ([0, 0, 0, 0], [0, 0, 0, 0], 1.0),
        ([0, 1, 2, 3], [0, 1, 2, 3], 4.0),
        ([3, 2, 1, 0], [0, 1, 2, 3], 4.0),
        ([0, 1, 0, 1], [2, 3, 2, 3], 2.0),
        // The side with fewer NICs limits the rate.
        ([0, 1, 2, 3], [2, 2, 2, 2], 1.0),
        ([1, 1, 1, 1], [0, 1, 2, 3], 1.0),
    ] {
        let (time, rate) = over_nics::<N>(&sends, &receives);
        let least = 4.0 * BLOCK as f64 / (at_once * rate);
        assert!((least..1.03 * least).contains(&time), "{sends:?} {receives:?}: {time} {least}");
    }
}

#[test]
fn named_nics_carry_their_messages_at_packet_fidelity() {
    named_nics_carry_their_messages::<PacketNetwork>();
}

#[test]
fn named_nics_carry_their_messages_at_flow_and_loggp_fidelity() {
    named_nics_carry_their_messages::<FlowNetwork>();
    named_nics_carry_their_messages::<LogGpNetwork>();
}

/// `nic 0`, or no name, is the NIC of the rank, which its placement selects.
#[test]
fn nics_are_counted_from_that_of_the_rank() {
    let file = |nic: u32| {
        let send = |to: u32| format!("send 1048576b to {to} nic {nic}\n");
        let recv = |from: u32| format!("recv 1048576b from {from} nic {nic}\n");
        format!(
            "num_ranks 4\nrank 0 {{\n{}}}\nrank 1 {{\n{}}}\nrank 2 {{\n{}}}\nrank 3 {{\n{}}}\n",
            send(2),
            send(3),
            recv(0),
            recv(1)
        )
    };
    let frontier = machine("frontier", &[]);
    let first = [0, 1000].map(|node| frontier.node_nics[machine::NodeId(node)]);
    let nics = [first[0], first[0] + 2, first[1], first[1] + 2];
    let mut job = job_on(frontier, "cray-mpich", &[0, 0, 1000, 1000]);
    job.placements.iter_mut().zip(nics).for_each(|(placed, nic)| placed.nic = machine::NicId(nic));
    let bytes = |nic: u32| {
        let schedule = goal::read(file(nic).as_bytes()).expect("a schedule");
        let mut world = World::<LogGpNetwork, _>::new(&job, Dag::new(schedule));
        let outcome = world.run(&mut |_| true);
        let of =
            |nic: u32| outcome.counters.links[job.machine.injection(machine::NicId(nic))].bytes;
        (first[0]..first[0] + 4).map(|nic| of(nic) >= 1 << 20).collect::<Vec<_>>()
    };
    assert_eq!(bytes(0), [true, false, true, false]);
    assert_eq!(bytes(1), [false, true, false, true]);
    assert_eq!(bytes(2), [true, false, true, false]);
    assert_eq!(bytes(3), [false, true, false, true]);
}
