//! Every collective with every algorithm finishes at both fidelities, and is reproducible.

use base::Time;
use collectives::{Algorithm, Collective, Kind, Member, Ragged};
use loggp::LogGpNetwork;
use machine::{MachineSpec, NicId, NodeId};
use mpi::Library;
use net::NetworkModel;
use packet::PacketNetwork;
use sim::{End, Job, Outcome, World};
use workload::{Op, Step, Streams, WORLD};

/// Two ranks per node on every fifth node: messages of all distances.
fn job(ranks: u32) -> Job {
    let text = machine::preset("dragonfly-1056").expect("a preset");
    let machine = MachineSpec::parse("dragonfly-1056", text, &[])
        .and_then(|s| s.resolve())
        .expect("presets are legal");
    let library = mpi::library::preset("mpich").expect("a preset");
    let library = Library::parse("mpich", library, "").expect("presets are legal");
    let member = |rank: u32| {
        let node = NodeId(rank / 2 * 5);
        sim::RankPlacement {
            node,
            nic: NicId(machine.node_nics[node]),
            binding: Default::default(),
        }
    };
    let placements = (0..ranks).map(member).collect();
    Job::new(machine, library, placements, 1)
}

fn call(kind: Kind, algorithm: Algorithm, rank: u32, size: u32, bytes: u64) -> Op {
    let blocks = |n: u32| Some(Ragged::new((0..n).map(|_| bytes)));
    let ragged = match kind {
        Kind::Alltoallv => blocks(2 * size),
        Kind::Allgatherv | Kind::ReduceScatter => blocks(size),
        Kind::Gatherv | Kind::Scatterv if rank == 0 => blocks(size),
        _ => None,
    };
    let member = Member { rank, size };
    let call =
        Collective { kind, algorithm, member, root: 0, bytes, grain: 8, ragged, nodes: None };
    Op::Collective { context: WORLD, call }
}

fn run<N: NetworkModel>(
    job: &Job,
    kind: Kind,
    algorithm: Algorithm,
    bytes: u64,
) -> (Outcome, Vec<Time>) {
    let n = job.placements.len() as u32;
    let program = |rank| {
        // Twice in a row: messages of the second call may arrive while the first still runs
        // elsewhere.
        let op = call(kind, algorithm, rank, n, bytes);
        vec![Step::Do(op.clone()), Step::Wait, Step::Do(op), Step::Wait, Step::Mark]
    };
    let mut world = World::<N, _>::new(job, Streams::new((0..n).map(program)));
    let outcome = world.run(&mut |_| true);
    let left = world.workload.marks.iter().map(|m| *m.first().expect("it left")).collect();
    (outcome, left)
}

#[test]
fn every_algorithm_ends_for_every_size_and_both_sides_of_rendezvous() {
    for ranks in [1, 2, 3, 7, 8, 16, 33] {
        let job = job(ranks);
        for kind in Kind::ALL {
            for &algorithm in kind.algorithms() {
                for bytes in [0, 8, 80_000] {
                    let at = format!("{kind:?} {algorithm:?}, {ranks} ranks, {bytes} B");
                    let (packet, _) = run::<PacketNetwork>(&job, kind, algorithm, bytes);
                    assert_eq!(packet.end, End::Finished, "{at}");
                    let (loggp, _) = run::<LogGpNetwork>(&job, kind, algorithm, bytes);
                    assert_eq!(loggp.end, End::Finished, "{at}");
                    // The same messages, whatever the network.
                    assert_eq!(packet.by_distance, loggp.by_distance, "{at}");
                }
            }
        }
    }
}

#[test]
fn the_same_run_has_the_same_digest_and_another_run_another() {
    let ring = |seed| {
        let job = Job { seed, ..job(16) };
        run::<PacketNetwork>(&job, Kind::Alltoall, Algorithm::Pairwise, 4096).0
    };
    assert_eq!(ring(1), ring(1));
    let longer = |bytes| run::<PacketNetwork>(&job(16), Kind::Allgather, Algorithm::Ring, bytes).0;
    assert_ne!(longer(4096).digest, longer(4104).digest);
}

/// No rank leaves a barrier before the last has entered it, and the root of a broadcast need not
/// wait.
#[test]
fn collectives_wait_for_the_ranks_they_depend_on() {
    let job = job(9);
    let late = base::Span::us(700);
    for (kind, algorithm, root_waits) in [
        (Kind::Barrier, Algorithm::Dissemination { k: 2 }, true),
        (Kind::Allreduce, Algorithm::RecursiveDoubling, true),
        (Kind::Bcast, Algorithm::Binomial, false),
    ] {
        let program = |rank| {
            let op = call(kind, algorithm, rank, 9, 8);
            let idle = if rank == 8 { late } else { base::Span::ZERO };
            vec![Step::Compute(idle), Step::Do(op), Step::Wait, Step::Mark]
        };
        let mut world = World::<PacketNetwork, _>::new(&job, Streams::new((0..9).map(program)));
        assert_eq!(world.run(&mut |_| true).end, End::Finished);
        let left: Vec<Time> = world.workload.marks.iter().map(|m| m[0]).collect();
        let waited = |rank: usize| left[rank] >= Time::ZERO + late;
        assert_eq!(waited(0), root_waits, "{kind:?}: {left:?}");
        assert_eq!((1..9).all(waited), root_waits, "{kind:?}: {left:?}");
        assert!(waited(8));
    }
}

/// The two reported ranks and the messages, for calls that are each delayed by a number of us and
/// followed by a barrier.
fn disagreement(calls: &[(Kind, Algorithm, u32, u64, u64)]) -> [(u32, String); 2] {
    fn reported<N: NetworkModel>(job: &Job, programs: Vec<Vec<Step>>) -> (u32, String) {
        let streams = Streams::new(programs.into_iter());
        match World::<N, _>::new(job, streams).run(&mut |_| true).end {
            End::Erroneous(blocked) => (blocked.rank, blocked.what),
            end => panic!("{end:?}"),
        }
    }
    let size = calls.len() as u32;
    let job = job(size);
    let program = |(rank, &(kind, algorithm, root, bytes, late)): (u32, _)| {
        let Op::Collective { context, call: c } = call(kind, algorithm, rank, size, bytes) else {
            unreachable!("it is one")
        };
        let op = Op::Collective { context, call: Collective { root, ..c } };
        let barrier = call(Kind::Barrier, Algorithm::Dissemination { k: 2 }, rank, size, 0);
        let late = Step::Compute(base::Span::us(late));
        vec![late, Step::Do(op), Step::Wait, Step::Do(barrier), Step::Wait]
    };
    let programs: Vec<Vec<Step>> = (0..).zip(calls).map(program).collect();
    [reported::<PacketNetwork>(&job, programs.clone()), reported::<LogGpNetwork>(&job, programs)]
}

/// The report of mismatched calls names these calls, whatever the ranks have reached since. It does
/// not blame the next call, and no call consumes a message of another.
#[test]
fn an_unexpected_round_message_names_its_call() {
    use Algorithm::{Binomial, Linear};
    let (few, many) = (8, 80_000);
    for (calls, rank, from, kind) in [
        // Its receiver waits for an identical message of another kind.
        (
            vec![(Kind::Scatter, Linear, 0, few, 0), (Kind::Bcast, Binomial, 0, few, 0)],
            1,
            0,
            "Scatter",
        ),
        // Its receiver has proceeded to the barrier.
        (
            vec![
                (Kind::Gather, Linear, 2, few, 0),
                (Kind::Gather, Linear, 0, few, 5),
                (Kind::Gather, Linear, 2, few, 0),
            ],
            0,
            1,
            "Gather and sent to rank 0, which has left that call",
        ),
        // Its data arrives when another message has been taken for it and the round is over.
        (
            vec![
                (Kind::Gather, Linear, 2, many, 0),
                (Kind::Gather, Linear, 2, many, 2),
                (Kind::Gather, Binomial, 2, many, 0),
            ],
            2,
            1,
            "Gather and sent to rank 2, which called Gather and does not expect it",
        ),
        // It belongs to a round that its receiver, which calls late, never reaches.
        (
            vec![
                (Kind::Bcast, Binomial, 0, few, 0),
                (Kind::Bcast, Binomial, 0, few, 0),
                (Kind::Bcast, Binomial, 0, few, 0),
                (Kind::Gather, Linear, 2, few, 90),
            ],
            3,
            2,
            "Bcast",
        ),
        // Two ranks believe to be the root: neither expects a message, and both still have to send.
        (
            vec![
                (Kind::Scatter, Linear, 0, few, 0),
                (Kind::Scatter, Linear, 1, few, 5),
                (Kind::Scatter, Linear, 0, few, 0),
            ],
            1,
            0,
            "Scatter and sent to rank 1, which also called it and expects no message",
        ),
        // Two messages have arrived for the one that a round expects.
        (
            vec![
                (Kind::Gather, Binomial, 0, few, 5),
                (Kind::Gather, Binomial, 0, few, 0),
                (Kind::Gather, Linear, 0, few, 1),
            ],
            0,
            2,
            "Gather and sent to rank 0, which also called it and expects one in this round, from \
             rank 1, and has received one",
        ),
    ] {
        for (reported, what) in disagreement(&calls) {
            let caller = format!("rank {from} called {kind}");
            assert!(what.starts_with("call 1 of") && what.contains(&caller), "{calls:?}: {what}");
            assert_eq!(reported, rank, "{calls:?}: {what}");
        }
    }
}

/// Mismatched lengths of one collective are reported when the second rank calls it, with any
/// algorithm, with both arguments.
#[test]
fn a_length_disagreement_names_both_calls() {
    use Kind::*;
    let vectors = [Bcast, Reduce, Allreduce, Scan, Exscan];
    let blocks = [Allgather, Alltoall, Gather, Scatter, ReduceScatterBlock];
    for kind in [vectors, blocks].concat() {
        let of = if vectors.contains(&kind) { "of" } else { "of blocks of" };
        let text = format!("rank 0 called {kind:?} {of} 8 B, rank 2 {kind:?} {of} 16 B");
        for &algorithm in kind.algorithms() {
            let calls = [(8, 0), (8, 0), (16, 5), (8, 9)];
            let calls = calls.map(|(bytes, late)| (kind, algorithm, 0, bytes, late));
            for (reported, what) in disagreement(&calls) {
                let at = format!("{algorithm:?}: {what}");
                assert!(
                    reported == 2 && what.starts_with("call 1 of") && what.ends_with(&text),
                    "{at}"
                );
            }
        }
    }
}

/// Lengths per rank may differ between ranks, and calls may differ in length from each other.
#[test]
fn legal_length_differences_are_accepted() {
    let size = 4;
    let job = job(size);
    let lengths = [24, 0, 8, 16];
    let program = |rank: u32| {
        let collective = |kind, algorithm, bytes, ragged: Option<Vec<u64>>| {
            let Op::Collective { context, call: c } = call(kind, algorithm, rank, size, 0) else {
                unreachable!("it is one")
            };
            let ragged = ragged.map(Ragged::new);
            Op::Collective { context, call: Collective { bytes, ragged, ..c } }
        };
        let own = lengths[rank as usize];
        let at_root = (rank == 0).then(|| lengths.to_vec());
        let both = [lengths.map(|_| own), lengths].concat();
        let calls = [
            collective(Kind::Gatherv, Algorithm::Linear, own, at_root.clone()),
            collective(Kind::Scatterv, Algorithm::Linear, own, at_root),
            collective(Kind::Allgatherv, Algorithm::Ring, own, Some(lengths.to_vec())),
            collective(Kind::Alltoallv, Algorithm::Pairwise, own, Some(both)),
            collective(Kind::ReduceScatter, Algorithm::Pairwise, own, Some(lengths.to_vec())),
            collective(Kind::Bcast, Algorithm::Binomial, 8, None),
            collective(Kind::Bcast, Algorithm::Binomial, 16, None),
        ];
        // Calls without a wait until the end: ranks are in several at once.
        let pairs = calls.into_iter().map(Step::Do).chain([Step::Wait]);
        pairs.collect::<Vec<_>>()
    };
    let streams = Streams::new((0..size).map(program));
    assert_eq!(World::<LogGpNetwork, _>::new(&job, streams).run(&mut |_| true).end, End::Finished);
}
