//! Runs of several jobs, with alarms, without success, and longer than windows permit: the window
//! engine has the results of the event engine. `windows.rs` has random programs.

use base::{Span, Time};
use collectives::{Algorithm, Collective, Kind, Member};
use machine::NicId;
use sim::traffic::Destinations;
use sim::{Background, Blocked, End, Job, Outcome};
use workload::{MultiJob, Op, SendMode, Step, Streams, WORLD};

use crate::common::{job_on, machine, run_by_both_engines};

/// One rank on every 30th node, in several groups.
fn job(ranks: u32) -> Job {
    let machine = machine("aurora", &[("switch.credit_epoch", "350 ns")]);
    job_on(machine, "mpich", &(0..ranks).map(|rank| 30 * rank).collect::<Vec<_>>())
}

fn send(to: u32, bytes: u64) -> Step {
    Step::Do(Op::Send { to, context: WORLD, tag: 0, bytes, mode: SendMode::Standard })
}

fn recv(from: u32, bytes: u64) -> Step {
    Step::Do(Op::Recv { from, context: WORLD, tag: 0, bytes })
}

fn all_to_all(rank: u32, size: u32, bytes: u64) -> Step {
    let (kind, algorithm, member) = (Kind::Alltoall, Algorithm::Pairwise, Member { rank, size });
    let (root, grain, ragged, nodes) = (0, 8, None, None);
    let call = Collective { kind, algorithm, member, root, bytes, grain, ragged, nodes };
    Step::Do(Op::Collective { context: WORLD, call })
}

/// Rounds of messages to the next rank: eager, and by rendezvous.
fn ring(rank: u32, ranks: u32, rounds: u32) -> Vec<Step> {
    let (to, from) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
    let round = |nth| {
        let bytes = [8, 100_000][nth as usize % 2];
        [send(to, bytes), recv(from, bytes), Step::Wait, Step::Mark]
    };
    (0..rounds).flat_map(round).collect()
}

fn run(job: &Job, program: &[Vec<Step>]) -> (Outcome, Vec<Vec<Time>>) {
    let (outcome, streams) = run_by_both_engines(job, || Streams::new(program.iter().cloned()));
    (outcome, streams.marks)
}

fn engine(outcome: &Outcome) -> (&'static str, &'static str) {
    let used = outcome.engine.used.expect("packets have engines");
    (used.name(), used.reason)
}

const SELECTED: (&str, &str) = ("window", "it was selected");

/// Two jobs share the network, with background traffic between the other nodes.
#[test]
fn concurrent_jobs() {
    const RANKS: u32 = 12;
    let mut job = job(2 * RANKS);
    (job.firsts, job.vnets) = (vec![0, RANKS], vec![job.vnets[0]; 2]);
    let others: Vec<NicId> = (9_000..9_016).map(NicId).collect();
    job.background = vec![Background {
        to: Destinations::between("uniform", &job.machine, others, 1).expect("a pattern"),
        pattern: "uniform".into(),
        load: 0.2,
        bytes: 2_000,
        vnet: job.vnets[0],
    }];
    let workload = || {
        let exchange = |rank| vec![all_to_all(rank, RANKS, 4_000), Step::Wait, Step::Mark];
        MultiJob::new(vec![
            Streams::new((0..RANKS).map(|rank| ring(rank, RANKS, 4))),
            Streams::new((0..RANKS).map(exchange)),
        ])
    };
    let (outcome, ended) = run_by_both_engines(&job, workload);
    assert_eq!((&outcome.end, engine(&outcome)), (&End::Finished, SELECTED));
    assert!(outcome.jobs.iter().all(|job| job.packets > 0 && job.time > Time::ZERO));
    assert!(ended.jobs.iter().all(|job| job.marks.len() == RANKS as usize));
}

/// Alarms in the middle of messages, and alone at the end.
#[test]
fn alarms() {
    let job = job(8);
    let program = |rank: u32| {
        let alarm = |span| Step::Do(Op::Alarm { span });
        let mut steps = vec![alarm(Span::ns(1_777 * u64::from(rank)))];
        steps.extend(ring(rank, 8, 4));
        steps.extend([alarm(Span::us(300)), alarm(Span::ns(350)), Step::Wait, Step::Mark]);
        steps
    };
    let (outcome, marks) = run(&job, &(0..8).map(program).collect::<Vec<_>>());
    assert_eq!((&outcome.end, engine(&outcome)), (&End::Finished, SELECTED));
    assert!(marks.iter().all(|own| own[4] >= own[3] + Span::us(300)), "{marks:?}");
}

/// Rank 0 waits for a message that is not sent, and rank 1 for a receive that is not posted, after
/// messages of all.
#[test]
fn a_deadlock() {
    let job = job(8);
    let mut program: Vec<_> = (0..8).map(|rank| ring(rank, 8, 3)).collect();
    program[0].extend([recv(5, 8), Step::Wait]);
    program[1].extend([send(3, 1 << 20), Step::Wait]);
    let (outcome, _) = run(&job, &program);
    assert_eq!(engine(&outcome), SELECTED);
    let End::Deadlock(blocked) = outcome.end else { panic!("{:?}", outcome.end) };
    let waits: Vec<(u32, &str)> = blocked.iter().map(|one| (one.rank, &*one.what)).collect();
    assert_eq!(
        waits,
        [
            (0, "receive from rank 5, tag 0"),
            (1, "send to rank 3, tag 0, 1048576 B: no receive was posted")
        ]
    );
}

/// One rank has another length, while messages are in the network.
#[test]
fn an_erroneous_call() {
    let job = job(8);
    let program = |rank: u32| {
        let mut steps = ring(rank, 8, 3);
        steps.extend([send((rank + 3) % 8, 100_000), recv((rank + 5) % 8, 100_000)]);
        steps.extend([all_to_all(rank, 8, if rank == 6 { 16 } else { 8 }), Step::Wait]);
        steps
    };
    let (outcome, _) = run(&job, &(0..8).map(program).collect::<Vec<_>>());
    assert_eq!(engine(&outcome), SELECTED);
    let End::Erroneous(Blocked { what, .. }) = outcome.end else { panic!("{:?}", outcome.end) };
    assert!(what.starts_with("call 1 of "), "{what}");
}

/// Windows of 350 ns are exact for 52 s.
#[test]
fn a_run_beyond_the_time_limit_of_windows() {
    let job = job(8);
    let program = |rank: u32| {
        let mut steps = ring(rank, 8, 8);
        // Messages on both sides of the limit, and an hour later.
        for span in [Span::ms(52_700), Span::ms(4), Span::ms(1), Span::ms(3_600_000)] {
            steps.extend([Step::Compute(span), Step::Wait]);
            steps.extend(ring(rank, 8, 2));
        }
        steps
    };
    let (outcome, marks) = run(&job, &(0..8).map(program).collect::<Vec<_>>());
    assert_eq!(outcome.end, End::Finished);
    assert_eq!(engine(&outcome), ("window, then event", "the run is too long"));
    assert!(marks.iter().all(|own| own.len() == 16));
    let limit = Time(((1u128 << 64) / 350_000) as u64);
    assert!(marks[0][9] < limit && limit < marks[0][13], "{:?}", marks[0]);
}
