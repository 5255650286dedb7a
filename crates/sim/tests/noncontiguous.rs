//! Packing and unpacking of non-contiguous data, by the equations of
//! docs/models/library-packing.md: the additional time of a run compared with contiguous data.

use crate::common::{Script, completed, job};
use base::{Span, Time};
use collectives::{Algorithm, Collective, Kind, Member};
use loggp::LogGpNetwork;
use packet::PacketNetwork;
use sim::{Job, World};
use workload::{NonContiguous, Op, OpCompletion, SendMode, Token, WORLD};

type Completions = Vec<(u32, u32, u64, Op)>;

/// A column of doubles in rows longer than a cache line.
fn column(bytes: u64) -> NonContiguous {
    NonContiguous { bytes, touched: bytes / 8 * NonContiguous::LINE, values: bytes / 8, members: 0 }
}
/// 64 bytes of memory, at the rate of copies, per double: MPICH takes 0.55 ns to pack one.
fn cost(job: &Job, bytes: u64) -> Span {
    job.library.local_copy_gap.span(bytes / 8 * NonContiguous::LINE)
}
fn send(to: u32, bytes: u64, mode: SendMode) -> Op {
    Op::Send { to, context: WORLD, tag: 7, bytes, mode }
}
fn recv(from: u32) -> Op {
    Op::Recv { from, context: WORLD, tag: 7, bytes: 1 << 20 }
}
fn give(bytes: u64) -> Op {
    Op::SendLayout(column(bytes))
}
fn take(bytes: u64) -> Op {
    Op::RecvLayout(column(bytes))
}

/// Completion time of a call.
fn at(job: &Job, ranks: u32, calls: &Completions, (rank, token): (u32, Token)) -> [Time; 2] {
    let script = || Script::new(ranks, calls.iter().cloned());
    let packet: Vec<(Time, OpCompletion)> = script().run::<PacketNetwork>(job).1;
    let loggp = script().run::<LogGpNetwork>(job).1;
    [completed(&packet, rank, token).0, completed(&loggp, rank, token).0]
}
/// Checks that the call takes `want` longer than with contiguous data, except for the picoseconds
/// that keep instants from looping.
#[track_caller]
fn check_more(job: &Job, ranks: u32, calls: &Completions, of: (u32, Token), want: Span) {
    let plain = calls.iter().filter(|call| call.3.completes()).cloned().collect();
    let (apart, plain) = (at(job, ranks, calls, of), at(job, ranks, &plain, of));
    for (apart, plain) in apart.into_iter().zip(plain) {
        let more = apart - plain;
        assert!(more.0.abs_diff(want.0) <= 3, "{more} for {want}, of {of:?} in {calls:?}");
    }
}

#[test]
fn a_message_is_packed_by_its_sender_and_unpacked_by_its_receiver() {
    let job = job(&[0, 40]);
    let eager_max = job.library.eager_max / 8 * 8;
    for mode in [SendMode::Standard, SendMode::Synchronous, SendMode::Buffered] {
        for bytes in [8, 4096, eager_max, eager_max + 8, 1 << 20] {
            let sends = vec![(0, 0, 0, give(bytes)), (0, 0, 0, send(1, bytes, mode))];
            let takes = vec![(1, 0, 0, take(bytes)), (1, 0, 0, recv(0))];
            let (plain_send, plain_recv) = (sends[1..].to_vec(), takes[1..].to_vec());
            let c = cost(&job, bytes);
            for (calls, want) in [
                ([sends.clone(), takes.clone()].concat(), c * 2),
                ([sends, plain_recv].concat(), c),
                ([plain_send, takes].concat(), c),
            ] {
                check_more(&job, 2, &calls, (1, 0), want);
            }
        }
    }
}

/// Within a node, packing and unpacking replace a copy. If one core copies for both, the other has
/// no copy to save.
#[test]
fn within_a_node_packing_takes_the_place_of_a_copy() {
    let job = job(&[0, 0]);
    let once = job.library.cma_min;
    for (bytes, spared) in [(64, 2), (4096, 2), (once, 1), (1 << 20, 1)] {
        let calls = vec![
            (0, 0, 0, give(bytes)),
            // The receiver waits.
            (0, 0, 1_000, send(1, bytes, SendMode::Standard)),
            (1, 0, 0, take(bytes)),
            (1, 0, 0, recv(0)),
        ];
        let copy = job.machine.node.shm_gap.span(bytes);
        let want = Span((cost(&job, bytes) * 2).0 - (copy * spared).0);
        check_more(&job, 2, &calls, (1, 0), want);
        // Packing faster than copying costs a copy.
        let mut quick = job.clone();
        quick.library.packing.element = Span(1);
        quick.library.local_copy_gap = base::Gap::ZERO;
        let none = if spared == 2 { Span::ZERO } else { Span(bytes / 8) };
        check_more(&quick, 2, &calls, (1, 0), none);
    }
}

/// The receiver of an eager message copies at most one cell, or nothing if the data is written
/// once; it saves no more.
#[test]
fn within_a_node_no_copy_is_spared_that_is_not_made() {
    let mut job = job(&[0, 0]);
    for cell in [0, 1024] {
        job.library.shm_cell = cell;
        let calls = vec![
            (0, 0, 0, give(4096)),
            (0, 0, 1_000, send(1, 4096, SendMode::Standard)),
            (1, 0, 0, take(4096)),
            (1, 0, 0, recv(0)),
        ];
        let gap = job.machine.node.shm_gap;
        let spared = gap.span(4096) + gap.span(cell);
        check_more(&job, 2, &calls, (1, 0), Span((cost(&job, 4096) * 2).0 - spared.0));
    }
}

/// The first message is unpacked while the rank waits for the second, a millisecond later.
#[test]
fn what_has_come_is_unpacked_before_the_rest_comes() {
    let job = job(&[0, 40, 80]);
    let bytes = 8192;
    let calls = vec![
        (0, 0, 0, send(2, bytes, SendMode::Standard)),
        (1, 0, 1_000_000, send(2, bytes, SendMode::Standard)),
        (2, 0, 0, take(bytes)),
        (2, 0, 0, recv(0)),
        (2, 1, 0, take(bytes)),
        (2, 1, 0, recv(1)),
    ];
    check_more(&job, 3, &calls, (2, 1), cost(&job, bytes));
}

/// A message shorter than the buffer fills only its own length. A cancelled receive fills nothing,
/// and the next call with its token pays nothing for it.
#[test]
fn no_more_is_unpacked_than_has_come() {
    let job = job(&[0, 40]);
    let one = |bytes| vec![(0, 0, 0, send(1, bytes, SendMode::Standard))];
    let into = vec![(1, 0, 0, take(1 << 16)), (1, 0, 0, recv(0))];
    let calls = [one(4096), into.clone()].concat();
    check_more(&job, 2, &calls, (1, 0), cost(&job, 4096));
    let cancel = vec![(1, 1, 0, Op::Cancel { token: 0 }), (1, 0, 1_000, recv(0))];
    let late = vec![(0, 0, 100_000, send(1, 4096, SendMode::Standard))];
    let calls = [late, into, cancel].concat();
    let last = |calls: &Completions| {
        let (_, all) = Script::new(2, calls.iter().cloned()).run::<PacketNetwork>(&job);
        all.iter().filter(|(_, d)| (d.rank, d.token) == (1, 0)).map(|t| t.0).max()
    };
    let plain: Completions = calls.iter().filter(|c| c.3.completes()).cloned().collect();
    assert_eq!(last(&calls), last(&plain));
}

#[test]
fn a_collective_packs_as_it_begins_and_unpacks_as_it_ends() {
    let job = job(&[0, 40, 80]);
    let bytes = 4096;
    let call = |rank| Collective {
        kind: Kind::Bcast,
        algorithm: Algorithm::Binomial,
        member: Member { rank, size: 3 },
        root: 0,
        bytes,
        grain: 8,
        ragged: None,
        nodes: None,
    };
    let enter = |rank| (rank, 0, 0, Op::Collective { context: WORLD, call: call(rank) });
    let calls = |completed: Completions| -> Completions {
        let of = |rank: u32| {
            let mut all: Completions = completed.iter().filter(|t| t.0 == rank).cloned().collect();
            all.push(enter(rank));
            all
        };
        (0..3).flat_map(of).collect()
    };
    let c = cost(&job, bytes);
    // All ranks wait for the root; a leaf that unpacks delays no other rank.
    let root = calls(vec![(0, 0, 0, give(bytes))]);
    (0..3).for_each(|rank| check_more(&job, 3, &root, (rank, 0), c));
    let leaf = calls(vec![(2, 0, 0, take(bytes))]);
    for (rank, want) in [(0, Span::ZERO), (1, Span::ZERO), (2, c)] {
        check_more(&job, 3, &leaf, (rank, 0), want);
    }
}

#[test]
fn a_put_packs_at_its_origin_and_a_get_unpacks_there() {
    let bytes = 4096;
    for nodes in [[0, 40], [0, 0]] {
        let job = job(&nodes);
        let near = nodes[0] == nodes[1];
        let copy = if near { job.machine.node.shm_gap.span(bytes) } else { Span::ZERO };
        let want = Span(cost(&job, bytes).0 - copy.0);
        let put = Op::OneSided {
            to: 1,
            context: WORLD,
            request_bytes: bytes,
            response_bytes: 0,
            atomic: false,
        };
        let get = Op::OneSided {
            to: 1,
            context: WORLD,
            request_bytes: 0,
            response_bytes: bytes,
            atomic: false,
        };
        for (lies, op) in [(give(bytes), put), (take(bytes), get)] {
            let calls = vec![(0, 0, 0, lies), (0, 0, 0, op)];
            check_more(&job, 2, &calls, (0, 0), want);
        }
    }
}

/// An unlock, or any later access, reports that the data of a get is in place.
#[test]
fn accesses_to_one_target_complete_in_their_order() {
    let get = |bytes| Op::OneSided {
        to: 1,
        context: WORLD,
        request_bytes: 0,
        response_bytes: bytes,
        atomic: false,
    };
    let calls: Completions =
        vec![(0, 0, 0, take(1 << 16)), (0, 0, 0, get(1 << 16)), (0, 1, 0, get(8))];
    for job in [job(&[0, 40]), job(&[0, 0])] {
        let [first, second] = [0, 1].map(|token| at(&job, 2, &calls, (0, token)));
        assert!(second[0] >= first[0] && second[1] >= first[1], "{first:?} {second:?}");
    }
}

/// A layout that is set before a rank's last call applies to no later call, nor to another rank.
#[test]
fn layouts_without_a_call_apply_to_none() {
    let job = job(&[0, 40]);
    let calls = vec![(0, 0, 0, give(8)), (1, 0, 0, Op::Pause), (0, 0, 0, Op::Pause)];
    let script = Script::new(2, calls.clone());
    let outcome = World::<LogGpNetwork, _>::new(&job, script).run(&mut |_| true);
    assert_eq!(outcome.end, sim::End::Finished);
    check_more(&job, 2, &calls, (0, 0), Span::ZERO);
}
