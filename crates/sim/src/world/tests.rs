//! Whole runs, and the state that they leave.

use super::*;
use crate::engine::EngineChoice;
use crate::job::{LimitPolicy, RankPlacement, Sample};
use collectives::{Algorithm, Collective, Kind, Member};
use loggp::LogGpNetwork;
use machine::{Machine, MachineSpec, NicId, NodeId};
use packet::PacketNetwork;
use workload::{SendMode, Step, Streams, WORLD};

/// 3,000 messages are unexpected at a rank that computes, until it receives them.
#[test]
fn a_run_out_of_message_ids_ends_with_a_reason() {
    let text = machine::preset("dragonfly-1056").expect("a preset");
    let spec = MachineSpec::parse("dragonfly-1056", text, &[]).expect("presets are legal");
    let machine = spec.resolve().expect("presets are legal");
    let text = mpi::library::preset("mpich").expect("a preset");
    let library = mpi::Library::parse("mpich", text, &machine.fabric).expect("legal");
    let placement =
        |n| RankPlacement { node: NodeId(n), nic: NicId(n), binding: Default::default() };
    let mut job = Job::new(machine, library, vec![placement(0), placement(1)], 1);
    job.limits = LimitPolicy::Off;
    let each = |op: Op| (0..3000).map(move |_| Step::Do(op.clone()));
    let mode = SendMode::Standard;
    let sends = each(Op::Send { to: 1, context: WORLD, tag: 0, bytes: 8, mode });
    let recvs = each(Op::Recv { from: 0, context: WORLD, tag: 0, bytes: 8 });
    let wait = || [Step::Wait].into_iter();
    let programs: [Vec<Step>; 2] = [
        sends.chain(wait()).collect(),
        [Step::Compute(Span::ms(100)), Step::Wait].into_iter().chain(recvs).collect(),
    ];
    for (most, fits) in [(MAX_IDS, true), (3_000, true), (2_500, false)] {
        let streams = Streams::new(programs.clone().into_iter());
        let mut world = World::<LogGpNetwork, _>::new(&job, streams);
        world.max_ids = most;
        match world.run(&mut |_| true).end {
            End::Finished => assert!(fits, "{most}"),
            End::Exhausted(blocked) => {
                assert!(!fits && blocked.what.contains("2500 messages"), "{}", blocked.what);
            }
            end => panic!("{end:?}"),
        }
    }
}

/// Four ranks call on 100 communicators in turn, with messages and in the network. A mismatch
/// is still reported.
#[test]
fn matched_collective_calls_leave_no_state() {
    const RANKS: u32 = 4;
    let text = machine::preset("aurora").expect("a preset");
    let spec = MachineSpec::parse("aurora", text, &[]).expect("presets are legal");
    let machine = spec.resolve().expect("presets are legal");
    let text = mpi::library::preset("mpich").expect("a preset");
    let library = mpi::Library::parse("mpich", text, &machine.fabric).expect("legal");
    let placement = |n| {
        let node = NodeId(n);
        RankPlacement { node, nic: NicId(machine.node_nics[node]), binding: Default::default() }
    };
    let placements = (0..RANKS).map(placement).collect();
    let job = Job::new(machine, library, placements, 1);
    let call = |rank, algorithm, bytes| Collective {
        kind: Kind::Allreduce,
        algorithm,
        member: Member { rank, size: RANKS },
        root: 0,
        bytes,
        grain: 8,
        ragged: None,
        nodes: None,
    };
    let algorithms = [Algorithm::RecursiveDoubling, Algorithm::Offload];
    let simulate = |odd: u32| {
        let step = move |rank, nth: usize| match (1 + nth as u32 / 4, nth % 4) {
            (101.., _) => None,
            (_, 3) => Some(Step::Wait),
            (context, nth) => {
                let bytes = if (rank, context, nth) == (2, odd, 2) { 16 } else { 8 };
                let call = call(rank, algorithms[nth % 2], bytes);
                Some(Step::Do(Op::Collective { context, call }))
            }
        };
        let communicators = vec![(0..RANKS).collect(); 100];
        let streams = Streams::generated(RANKS, step).with_communicators(communicators);
        let mut world = World::<LogGpNetwork, _>::new(&job, streams);
        let end = world.run(&mut |_| true).end;
        (end, world.collectives.agreements.kept(), world.collectives.offload.kept())
    };
    assert_eq!(simulate(0), (End::Finished, 0, 0));
    let (End::Erroneous(blocked), ..) = simulate(100) else { panic!("they disagree") };
    assert!(blocked.what.starts_with("call 3 of communicator 100,"), "{}", blocked.what);
}

fn with_epoch() -> Machine {
    let text = machine::preset("dragonfly-1056").expect("a preset");
    let set = [("switch.credit_epoch".to_string(), "10 ns".to_string())];
    let spec = MachineSpec::parse("dragonfly-1056", text, &set).expect("presets are legal");
    spec.resolve().expect("presets are legal")
}

/// A job of two nodes that is simulated in windows: rank 0 sends these messages to rank 1.
/// `examine` gets the times of progress reports, and whether the queues of hosts and network
/// prefetch at the end.
fn run_in_windows(messages: usize, bytes: u64, examine: impl FnOnce(&[Time], bool, bool)) {
    let machine = with_epoch();
    let text = mpi::library::preset("mpich").expect("a preset");
    let library = mpi::Library::parse("mpich", text, &machine.fabric).expect("legal");
    let placement = |node| {
        let node = NodeId(node);
        RankPlacement { node, nic: NicId(machine.node_nics[node]), binding: Default::default() }
    };
    let placements = vec![placement(0), placement(700)];
    let mut job = Job::new(machine.clone(), library, placements, 1);
    (job.limits, job.engine) = (LimitPolicy::Off, EngineChoice::Window);
    let each = |op: Op| (0..messages).map(move |_| Step::Do(op.clone())).chain([Step::Wait]);
    let (context, tag, mode) = (WORLD, 0, SendMode::Standard);
    let programs: [Vec<Step>; 2] = [
        each(Op::Send { to: 1, context, tag, bytes, mode }).collect(),
        // Short ones are unexpected.
        [Step::Compute(Span::ms(10)), Step::Wait]
            .into_iter()
            .chain(each(Op::Recv { from: 0, context, tag, bytes }))
            .collect(),
    ];
    let mut world = World::<PacketNetwork, _>::new(&job, Streams::new(programs.into_iter()));
    let mut clocks = Vec::new();
    let outcome = world.run(&mut |progress| {
        clocks.push(progress.now);
        true
    });
    assert_eq!(outcome.end, End::Finished);
    let Kernel { queue, windows, network, .. } = &world.transport.kernel;
    assert!(windows.is_some(), "windows until the end");
    let Network::Whole { events: Some(events), .. } = network else { panic!("one thread") };
    examine(&clocks, queue.has_prefetch(), events.queue.has_prefetch());
}

/// While a long message is in the network, no event of a rank occurs.
#[test]
fn progress_in_windows_has_the_clock_of_the_network() {
    run_in_windows(1, 8 << 20, |clocks, _, _| {
        assert!(clocks.len() > 3 && clocks.is_sorted_by(|a, b| a < b), "{clocks:?}");
    });
}

/// Whether there are many sends is known only in windows.
#[test]
fn both_queues_of_windows_begin_to_prefetch() {
    run_in_windows(10, 8, |_, hosts, network| assert!(!hosts && !network));
    run_in_windows(5_000, 8, |_, hosts, network| assert!(hosts && network));
}

/// 64 ranks in two groups, of which the first is simulated for both. The partner one group
/// further is represented by the rank itself, but is on another node.
#[test]
fn a_message_from_a_representative_completes_a_receive() {
    let text = machine::preset("dragonfly-1056").expect("a preset");
    let spec = MachineSpec::parse("dragonfly-1056", text, &[]).expect("legal");
    let machine = spec.resolve().expect("presets are legal");
    let text = mpi::library::preset("mpich").expect("a preset");
    let library = mpi::Library::parse("mpich", text, &machine.fabric).expect("legal");
    let placement =
        |n| RankPlacement { node: NodeId(n), nic: NicId(n), binding: Default::default() };
    let sample = Sample { ranks: Some(32), ..Sample::ALL };
    let placements = (0..64).map(placement).collect();
    let job = Job { sample, ..Job::new(machine, library, placements, 1) };
    let call = |rank| Collective {
        kind: Kind::Alltoall,
        algorithm: Algorithm::Pairwise,
        member: Member { rank, size: 64 },
        root: 0,
        bytes: 8,
        grain: 1,
        ragged: None,
        nodes: None,
    };
    let step = move |rank, nth| match nth {
        0 => Some(Step::Do(Op::Collective { context: WORLD, call: call(rank) })),
        1 => Some(Step::Wait),
        _ => None,
    };
    let streams = Streams::generated(32, step).of(64);
    let mut world = World::<LogGpNetwork, _>::new(&job, streams);
    assert_eq!(world.run(&mut |_| true).end, End::Finished);
    for rank in 0..32 {
        assert_eq!(world.transport.limit_checker.limits.lists(rank), (0, 0), "rank {rank}");
    }
}
