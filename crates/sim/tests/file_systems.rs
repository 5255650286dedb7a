//! Lustre and DAOS in runs: each call completes at each fidelity, runs repeat, and file systems and
//! MPI share NICs and links.

use base::{Span, Time, below, draw};
use collectives::{Algorithm, Collective, Kind, Member};
use flow::FlowNetwork;
use loggp::LogGpNetwork;
use net::NetworkModel;
use packet::PacketNetwork;
use sim::{End, Job, Outcome, World};
use workload::{FileCall, FileCallKind, Op, Step, Streams, WORLD, file_flag};

use crate::common::{job_on, machine, run_by_both_engines};

/// Directory and files of a script; the root is file 0.
const DIRECTORY: u32 = 1;
const FIRST: u32 = 2;

fn call(kind: FileCallKind, file_system: u8, file: u32) -> FileCall {
    FileCall {
        kind,
        file_system,
        flags: 0,
        file,
        parent: if file == DIRECTORY { 0 } else { DIRECTORY },
        other: DIRECTORY,
        name: file.into(),
        offset: 0,
        bytes: 0,
        size: 0,
    }
}

fn file_system(job: &Job, name: &str) -> u8 {
    let all = &job.machine.file_systems;
    all.iter().position(|system| system.name == name).expect("a file system") as u8
}

fn run<N: NetworkModel>(job: &Job, program: &[Vec<Step>]) -> (Outcome, Vec<Vec<Time>>) {
    let streams = Streams::new(program.iter().cloned());
    let mut world = World::<N, _>::new(job, streams);
    let outcome = world.run(&mut |_| true);
    (outcome, std::mem::take(&mut world.workload.marks))
}

/// Opens its own file, writes it in transfers of 1 MiB, synchronizes and closes it.
fn checkpoint(system: u8, rank: u32, transfers: u64) -> Vec<Step> {
    const MIB: u64 = 1 << 20;
    let file = FIRST + rank;
    let open = FileCall {
        flags: file_flag::CREATE | file_flag::WRITE,
        ..call(FileCallKind::Open, system, file)
    };
    let on_open = |kind| FileCall { flags: file_flag::OPEN, ..call(kind, system, file) };
    let write = |nth| FileCall {
        offset: nth * MIB,
        bytes: MIB,
        size: nth * MIB,
        ..on_open(FileCallKind::Write)
    };
    let calls = [open].into_iter().chain((0..transfers).map(write));
    let calls = calls.chain([FileCallKind::Sync, FileCallKind::Close].map(on_open));
    calls.flat_map(|call| [Step::Do(Op::File(call)), Step::Wait]).collect()
}

/// Random calls of 12 ranks on every file system of the machine. A file is opened by the rank that
/// uses it, and each rank has files of its own and one that all share.
fn random_program(seed: u64, world: u32, systems: u32) -> Vec<Vec<Step>> {
    let rank = |rank: u32| {
        let random = |nth: u64, of: u32| below(draw(seed, world, rank, nth), of);
        let mut steps = Vec::new();
        for nth in 0..16 {
            let system = random(8 * nth, systems) as u8;
            let file = FIRST + if random(8 * nth + 1, 4) == 0 { 0 } else { 1 + rank };
            let bytes = u64::from(random(8 * nth + 2, 1 << 19));
            let offset = u64::from(random(8 * nth + 3, 1 << 21));
            let open = FileCall {
                flags: file_flag::CREATE | file_flag::WRITE,
                ..call(FileCallKind::Open, system, file)
            };
            let on_open = |kind| FileCall { flags: file_flag::OPEN, ..call(kind, system, file) };
            let size = offset + bytes;
            let data = FileCall { offset, bytes, size, ..on_open(FileCallKind::Write) };
            let second = match random(8 * nth + 4, 5) {
                0 => FileCall { kind: FileCallKind::Read, ..data },
                1 => FileCall { size, ..on_open(FileCallKind::Sync) },
                2 => FileCall {
                    flags: file_flag::EXISTS,
                    size,
                    ..call(FileCallKind::Stat, system, file)
                },
                3 => FileCall { kind: FileCallKind::Truncate, bytes: offset, ..data },
                _ => FileCall { flags: file_flag::OPEN | file_flag::DIRECT, ..data },
            };
            let close = FileCall { size, ..on_open(FileCallKind::Close) };
            for call in [open, data, second, close] {
                steps.extend([Step::Do(Op::File(call)), Step::Wait]);
            }
        }
        steps
    };
    (0..12).map(rank).collect()
}

#[test]
fn random_calls_complete_at_each_fidelity() {
    const SEED: u64 = 20_261_128;
    fn check<N: NetworkModel>(job: &Job, program: &[Vec<Step>], what: &str) {
        let (outcome, _) = run::<N>(job, program);
        assert_eq!(outcome.end, End::Finished, "{what}");
        let (again, _) = run::<N>(job, program);
        assert_eq!((outcome.digest, outcome.time), (again.digest, again.time), "{what}");
        let phases = outcome.file_systems.iter().flat_map(|system| &system.phases);
        let calls: u64 = phases.map(|phase| phase.totals.operations).sum();
        assert_eq!(calls, 12 * 16 * 4, "{what}");
        assert!(outcome.file_systems.iter().all(|system| !system.limit.is_empty()));
    }
    let nodes: Vec<u32> = (0..12).map(|rank| rank / 2).collect();
    // A pool of fewer servers: a stat of a file over all targets is a query of each.
    let small = [("storage.daos.servers", "16")];
    let machines = [("aurora", &small[..]), ("lumi-g", &[]), ("cascade-3k", &[])];
    for (world, (name, set)) in (0..).zip(machines) {
        let job = job_on(machine(name, set), "mpich", &nodes);
        let systems = job.machine.file_systems.len() as u32;
        let program = random_program(SEED, world, systems);
        let what = format!("{name}, seed {SEED}");
        check::<LogGpNetwork>(&job, &program, &what);
        check::<FlowNetwork>(&job, &program, &what);
        check::<PacketNetwork>(&job, &program, &what);
    }
}

/// Random calls on Lustre and DAOS, and messages between the same NICs.
#[test]
fn random_calls_have_equal_results_by_both_engines() {
    const SEED: u64 = 20_261_129;
    let set = [("switch.credit_epoch", "350 ns"), ("storage.daos.servers", "16")];
    let nodes: Vec<u32> = (0..12).map(|rank| rank / 2 * 40).collect();
    let job = job_on(machine("aurora", &set), "mpich", &nodes);
    let systems = job.machine.file_systems.len() as u32;
    let mut program = random_program(SEED, 0, systems);
    let call = |rank| Collective {
        kind: Kind::Alltoall,
        algorithm: Algorithm::Pairwise,
        member: Member { rank, size: 12 },
        root: 0,
        bytes: 10_000,
        grain: 1,
        ragged: None,
        nodes: None,
    };
    for (rank, steps) in (0..).zip(&mut program) {
        let exchange = Step::Do(Op::Collective { context: WORLD, call: call(rank) });
        *steps = steps.iter().flat_map(|step| [exchange.clone(), step.clone()]).collect();
    }
    let (outcome, _) = run_by_both_engines(&job, || Streams::new(program.iter().cloned()));
    assert_eq!(outcome.end, End::Finished, "seed {SEED}");
    assert_eq!(outcome.engine.used.map(|used| used.name()), Some("window"));
    let calls = outcome.file_systems.iter().flat_map(|system| &system.phases);
    assert_eq!(calls.map(|phase| phase.totals.operations).sum::<u64>(), 12 * 16 * 4);
}

/// All data of a checkpoint reach the servers once, with DAOS as with Lustre behind gateways.
#[test]
fn a_checkpoint_reaches_the_servers_once() {
    let nodes = [0, 1, 2, 3];
    let job = job_on(machine("aurora", &[]), "mpich", &nodes);
    for name in ["flare", "daos"] {
        let system = file_system(&job, name);
        let program: Vec<_> = (0..4).map(|rank| checkpoint(system, rank, 8)).collect();
        let (outcome, _) = run::<PacketNetwork>(&job, &program);
        assert_eq!(outcome.end, End::Finished, "{name}");
        let [io] = &outcome.file_systems[..] else { panic!("one file system was called") };
        assert_eq!(io.name, name);
        let data = 4 * (8 << 20);
        let into: u64 = io.hosts.iter().map(|host| host.bytes_in).sum();
        assert!(into > data && into < data + data / 100, "{name}: {into} B");
        let written: u64 = io.files.iter().map(|file| file.written.bytes).sum();
        assert_eq!((io.files.len(), written), (4, data));
        let through: u64 = io.gateways.iter().map(|gateway| gateway.1).sum();
        assert_eq!(through > data, name == "flare");
    }
}

/// An all-to-all and a checkpoint that use the same NICs delay each other. Each uses them in part.
/// So together they take less time than one after the other.
#[test]
fn a_checkpoint_and_an_all_to_all_share_nics() {
    const RANKS: u32 = 4;
    let nodes: Vec<u32> = (0..RANKS).collect();
    let job = job_on(machine("aurora", &[]), "mpich", &nodes);
    let system = file_system(&job, "daos");
    let member = |rank| Member { rank, size: RANKS };
    let all_to_all = |rank| Collective {
        kind: Kind::Alltoall,
        algorithm: Algorithm::Pairwise,
        member: member(rank),
        root: 0,
        bytes: 16 << 20,
        grain: 1,
        ragged: None,
        nodes: None,
    };
    let exchange = |rank| Step::Do(Op::Collective { context: WORLD, call: all_to_all(rank) });
    // The file is open before the all-to-all starts, so that no rank waits for the pool.
    let parts = |rank: u32, with: [bool; 2]| {
        let steps = checkpoint(system, rank, 8);
        let (open, rest) = steps.split_at(2);
        let writes: Vec<Step> =
            rest[..16].iter().filter(|step| **step != Step::Wait).cloned().collect();
        let mut steps = [open, &[Step::Mark]].concat();
        steps.extend(with[0].then(|| exchange(rank)));
        steps.extend(if with[1] { writes } else { Vec::new() });
        steps.extend([Step::Wait, Step::Mark]);
        steps
    };
    let time = |with: [bool; 2]| {
        let program: Vec<_> = (0..RANKS).map(|rank| parts(rank, with)).collect();
        let (outcome, marks) = run::<PacketNetwork>(&job, &program);
        assert_eq!(outcome.end, End::Finished);
        let start = marks.iter().map(|marks| marks[0]).max().expect("ranks");
        let end = marks.iter().map(|marks| marks[1]).max().expect("ranks");
        end - start
    };
    let [exchange, write, both] = [[true, false], [false, true], [true, true]].map(time);
    let longer = exchange.max(write);
    assert!(both > longer + Span(longer.0 / 50), "{exchange:?}, {write:?}, {both:?}");
    assert!(both < exchange + write, "{exchange:?}, {write:?}, {both:?}");
}
