//! Reductions by switches and by NICs: closed forms, the effect of late and early ranks, and
//! refused requests.

use crate::common::{Script, completed, job_on, machine};
use base::{Span, Time};
use collectives::{Algorithm as A, Collective, Kind, Member};
use loggp::LogGpNetwork;
use machine::{LinkId, Machine, NicId};
use packet::PacketNetwork;
use sim::{End, Job, Outcome};
use workload::{Op, OpCompletion, WORLD};

fn job(nodes: &[u32]) -> Job {
    job_of(nodes, "0 ns")
}

/// Hosts need `host` to command a NIC, and to observe a completion.
fn job_of(nodes: &[u32], host: &str) -> Job {
    job_on(machine("aurora", &[("node.nic_latency", host)]), "mpich", nodes)
}

fn call(kind: Kind, bytes: u64, rank: u32, size: u32) -> Op {
    let (algorithm, member, root, grain) = (A::Offload, Member { rank, size }, 0, 8);
    let (ragged, nodes) = (None, None);
    Op::Collective {
        context: WORLD,
        call: Collective { kind, algorithm, member, root, bytes, grain, ragged, nodes },
    }
}

/// Every rank makes `calls` calls in a row without waiting, delayed by its number of nanoseconds.
fn simulate(
    job: &Job,
    (kind, bytes): (Kind, u64),
    times: u32,
    late: impl Fn(u32) -> u64,
) -> (Outcome, Vec<(Time, OpCompletion)>) {
    let n = job.placements.len() as u32;
    let calls = (0..n).flat_map(|rank| (0..times).map(move |nth| (rank, nth)));
    let calls = calls.map(|(rank, nth)| {
        (rank, nth, if nth == 0 { late(rank) } else { 0 }, call(kind, bytes, rank, n))
    });
    let (outcome, completed) = Script::new(n, calls).run::<PacketNetwork>(job);
    assert_eq!(outcome.end, End::Finished);
    (outcome, completed)
}

/// Bytes of a reduction's packet on the wire: 32 of payload, 12 of header and 5 of padding, in a
/// frame (libfabric's cxip_coll.c).
fn wire(machine: &Machine) -> u64 {
    32 + 12 + 5 + machine.nic.packet_overhead
}

/// Time from the call: whole packets up at every switch, then down, and CPU times. `up` are the
/// links from the farthest endpoint to the root's, `down` those back.
fn form(job: &Job, bytes: u64, up: &[LinkId], down: &[LinkId]) -> Span {
    let (m, l) = (&job.machine, &job.library);
    let gap = |link: LinkId| m.links.gap[link].span(wire(m));
    let latency = |link: LinkId| m.links.latency[link];
    let up: Span = up.iter().map(|&link| latency(link) + gap(link)).sum();
    let last = gap(*down.last().expect("it ends at a NIC"));
    let down: Span = down.iter().map(|&link| latency(link)).sum::<Span>() + last;
    let nics = (m.command_latency() + m.receive_latency()) * 2;
    let root = l.recv_overhead + l.reduce_gap.span(bytes) + l.send_overhead;
    // Two rounds each end a picosecond late, and so does the call.
    let ends = Span(2);
    l.call_overhead + l.send_overhead + up + root + down + nics + l.recv_overhead + ends
}

/// Ranks on the first NICs of these nodes, the root first and the farthest last.
fn check(nodes: &[u32], bytes: u64) {
    ["0 ns", "300 ns"].iter().for_each(|host| check_with(nodes, bytes, host));
}

fn check_with(nodes: &[u32], bytes: u64, host: &str) {
    let job = job_of(nodes, host);
    let m = &job.machine;
    let nic = |nth: usize| -> NicId { job.placements[nth].nic };
    let (root, far) = (nic(0), nic(nodes.len() - 1));
    let path = m.tree_path(m.nic_switch[far], root);
    let mut direct = Vec::new();
    let minimal = (0..64).map(|draw| {
        m.walk(far, root, draw, &machine::Idle, &mut direct);
        direct.len() - 2
    });
    assert_eq!(Some(path.len()), minimal.min(), "no longer than any way");
    let back = path.iter().rev().map(|&link| m.reverse_link(link));
    let up: Vec<LinkId> = [m.injection(far)]
        .into_iter()
        .chain(path.iter().copied())
        .chain([m.ejection(root)])
        .collect();
    let down: Vec<LinkId> =
        [m.injection(root)].into_iter().chain(back).chain([m.ejection(far)]).collect();
    let (_, all) = simulate(&job, (Kind::Allreduce, bytes), 1, |_| 0);
    let last = all.iter().map(|&(at, _)| at).max().expect("all are told");
    assert_eq!(last - Time::ZERO, form(&job, bytes, &up, &down), "{nodes:?} {bytes} B");
}

#[test]
fn a_reduction_takes_the_time_of_its_longest_path() {
    for bytes in [8, 32] {
        // Nodes 0, 1, 2 share a switch; 40 is on another of the group, 700 in another group.
        check(&[0, 1], bytes);
        check(&[0, 1, 2, 3, 4, 5, 6, 7], bytes);
        check(&[0, 40], bytes);
        check(&[0, 1, 40, 700], bytes);
        check(&(0..64).map(|n| n * 64).collect::<Vec<_>>(), bytes);
    }
}

/// On Aries the last rank finds all others waiting: its contribution passes from NIC to NIC up the
/// tree, and the result returns on the same path. A NIC has 32 children, so the 34th rank's parent
/// is the second.
#[test]
fn a_reduction_by_nics_takes_the_time_of_its_longest_path() {
    let nodes: Vec<u32> = (0..40).map(|n| n * 70).collect();
    for (ranks, ancestors) in [(2, vec![0]), (33, vec![0]), (34, vec![1, 0])] {
        for (bytes, words) in [(8, 1), (32, 4)] {
            let set = [("node.nic_latency", "300 ns")];
            let job = job_on(machine("cascade-3k", &set), "mpich", &nodes[..ranks]);
            let (m, l) = (&job.machine, &job.library);
            let wire = words * (8 + m.nic.packet_overhead);
            let across = |from: NicId, to: NicId| -> Span {
                let mut links = m.tree_path(m.nic_switch[from], to);
                links.extend([m.injection(from), m.ejection(to)]);
                let slowest = links.iter().map(|&link| m.links.gap[link].span(wire)).max();
                let latency: Span = links.iter().map(|&link| m.links.latency[link]).sum();
                latency + slowest.expect("links")
            };
            let (mut at, mut path) = (ranks - 1, Span::ZERO);
            for &next in &ancestors {
                let (child, parent) = (job.placements[at].nic, job.placements[next].nic);
                path += across(child, parent) + across(parent, child);
                at = next;
            }
            let last = ranks as u32 - 1;
            let late = Span::us(20);
            let (_, all) = simulate(&job, (Kind::Allreduce, bytes), 1, |rank| {
                if rank == last { late.0 / 1000 } else { 0 }
            });
            let cpu = l.call_overhead + l.send_overhead + l.recv_overhead;
            let form = late + cpu + m.command_latency() + path + m.receive_latency() + Span(2);
            // The root sends to its children in turn, the last of them last.
            let turns = if ancestors.len() == 1 { ranks as u64 - 2 } else { 0 };
            let turn = m.links.gap[m.injection(job.placements[0].nic)].span(wire);
            let took = completed(&all, last, 0).0 - Time::ZERO;
            assert_eq!(took, form + turn * turns, "{ranks} ranks {bytes} B");
        }
    }
}

/// Fifteen contributions reach the root over one link, each from a router next to its own, each
/// word a packet. A late rank, whichever it is, makes no other faster, and every packet is counted.
#[test]
fn parts_for_one_nic_take_turns_for_its_link() {
    let nodes: Vec<u32> = (0..16).map(|n| n * 4).collect();
    let job = job_on(machine("cascade-3k", &[]), "mpich", &nodes);
    let end = |late: Option<u32>| {
        let late = |rank| if Some(rank) == late { 10 } else { 0 };
        let (_, all) = simulate(&job, (Kind::Allreduce, 8), 1, late);
        all.iter().map(|&(at, _)| at).max().expect("all are told")
    };
    let on_time = end(None);
    for rank in [1, 7, 15] {
        assert!(end(Some(rank)) >= on_time, "{rank}: {} {on_time}", end(Some(rank)));
    }
    for (bytes, words) in [(8, 1), (32, 4)] {
        let (outcome, _) = simulate(&job, (Kind::Allreduce, bytes), 1, |_| 0);
        let to_root = outcome.counters.links[job.machine.ejection(job.placements[0].nic)].packets;
        assert_eq!(to_root, 15 * words);
    }
}

/// All are allreduces for the fabric: no rank finishes before all have entered.
#[test]
fn no_rank_finishes_before_the_last_has_entered() {
    for (kind, name) in [Kind::Barrier, Kind::Bcast, Kind::Reduce, Kind::Allreduce]
        .into_iter()
        .flat_map(|kind| [(kind, "aurora"), (kind, "cascade-3k")])
    {
        let job = job_on(machine(name, &[]), "mpich", &[0, 40, 700]);
        let at = |late: u64| {
            let (outcome, all) =
                simulate(&job, (kind, 8), 1, |rank| if rank == 2 { late } else { 0 });
            assert_eq!(outcome.limit_report.reduction_timeouts, 0);
            (0..3).map(|rank| completed(&all, rank, 0).0).collect::<Vec<_>>()
        };
        // Long enough that the root waits too.
        let (early, late) = (at(10_000), at(30_000));
        for (early, late) in early.into_iter().zip(late) {
            assert_eq!(late - early, Span::us(20), "{name} {kind:?}");
        }
    }
}

/// A switch waits 32 ms for the last contribution, measured from the first.
#[test]
fn a_late_rank_reduces_alone_and_the_timeout_is_reported() {
    let mut job = job(&[0, 1, 2]);
    let run = |job: &Job, late| {
        let (outcome, all) =
            simulate(job, (Kind::Allreduce, 8), 1, |r| if r == 2 { late } else { 0 });
        (outcome.limit_report.reduction_timeouts, completed(&all, 0, 0).0)
    };
    let (none, in_time) = run(&job, 31_900_000);
    let (one, too_late) = run(&job, 32_100_000);
    assert_eq!((none, one), (0, 1));
    // The root has received the first contribution long before, so it is not slower for that.
    assert_eq!(too_late - in_time, Span::us(200));
    job.library.set("FI_CXI_COLL_TIMEOUT_USEC", "40000").unwrap();
    assert_eq!(run(&job, 32_100_000).0, 0);
    assert!(job.library.set("FI_CXI_COLL_TIMEOUT_USEC", "20000001").is_err());
}

/// Eight run at once; the ninth starts when one of them has ended.
#[test]
fn eight_reductions_of_a_group_run_at_once() {
    let mut job = job(&[0, 40]);
    // Otherwise a rank's CPU would reach the ninth long after the first has ended.
    (job.library.send_overhead, job.library.recv_overhead) = (Span::ns(370), Span::ns(370));
    let (_, all) = simulate(&job, (Kind::Allreduce, 8), 9, |_| 0);
    let end = |nth| completed(&all, 1, nth).0;
    let alone = end(0) - Time::ZERO;
    assert!(end(7) - end(0) < alone, "{} {}", end(0), end(7));
    let wait = job.library.call_overhead;
    assert!(end(8) - end(0) + wait >= alone, "{} {}", end(0), end(8));
}

/// Reductions of another communicator's group, and reductions that are too long for switches or
/// unsupported, use messages. No fidelity offloads without a request.
#[test]
fn what_switches_do_not_take_goes_as_messages() {
    let here = job(&[0, 40, 700]);
    let messages = |job: &Job, bytes| {
        simulate(job, (Kind::Allreduce, bytes), 1, |_| 0)
            .0
            .by_distance
            .iter()
            .map(|d| d.0)
            .sum::<u64>()
    };
    assert_eq!((messages(&here, 32), messages(&here, 40)), (0, 4));
    let there = job_on(machine("dragonfly-1056", &[]), "mpich", &[0, 40, 700]);
    assert_eq!(messages(&there, 8), 4);
    let n = 3;
    let script = || Script::new(n, (0..n).map(|r| (r, 0, 0, call(Kind::Allreduce, 8, r, n))));
    let ends = |completed: Vec<(Time, OpCompletion)>| completed.iter().map(|t| t.0).max();
    let packets = ends(script().run::<PacketNetwork>(&here).1);
    assert_eq!(ends(script().run::<LogGpNetwork>(&here).1), packets);
}

/// Switches and NICs reduce whatever arrives. Mismatched calls are reported, as they are for
/// messages (MPI 5.0, section 6.1).
#[test]
fn a_reduction_disagreement_names_both_calls() {
    use Kind::{Allreduce, Barrier, Bcast, Reduce};
    for machine_name in ["aurora", "cascade-3k"] {
        let job = job_on(machine(machine_name, &[]), "mpich", &[0, 40, 80]);
        for (ours, theirs, text) in [
            ((Allreduce, 8, 0), (Barrier, 0, 0), ["Allreduce of 8 B", "Barrier of 0 B"]),
            ((Allreduce, 8, 0), (Reduce, 8, 0), ["Allreduce of 8 B", "Reduce of 8 B, root 0"]),
            ((Allreduce, 8, 0), (Allreduce, 16, 0), ["Allreduce of 8 B", "Allreduce of 16 B"]),
            ((Bcast, 8, 0), (Bcast, 8, 2), ["Bcast of 8 B, root 0", "Bcast of 8 B, root 2"]),
            // The root matters only for collectives that have one.
            ((Allreduce, 8, 0), (Allreduce, 8, 2), ["", ""]),
        ] {
            let calls = (0..3).map(|rank| {
                let (kind, bytes, root) = if rank == 1 { theirs } else { ours };
                let Op::Collective { context, call: own } = call(kind, bytes, rank, 3) else {
                    unreachable!("it is one")
                };
                // The last rank to call is the one that differs.
                let late = if rank == 1 { 5_000 } else { 0 };
                (rank, 0, late, Op::Collective { context, call: Collective { root, ..own } })
            });
            let (outcome, _) = Script::new(3, calls).run::<PacketNetwork>(&job);
            let case = format!("{machine_name}, {ours:?} beside {theirs:?}: {:?}", outcome.end);
            match outcome.end {
                End::Finished => assert_eq!(text, ["", ""], "{case}"),
                End::Erroneous(blocked) => {
                    let [first, other] = text;
                    let what = format!("rank 0 called {first}, ");
                    assert!(blocked.what.starts_with("call 1 of communicator 0, "), "{case}");
                    assert!(blocked.what.contains(&what), "{case}");
                    assert!(blocked.what.contains(&format!("rank 1 {other}")), "{case}");
                    assert_eq!(blocked.rank, 1, "{case}");
                }
                _ => panic!("{case}"),
            }
        }
    }
}
