//! Shared by the tests of runs: scripts of calls, and the completions reported to their ranks.

#![allow(dead_code)] // each test program uses its part

use base::{Span, Time};
use machine::{Machine, MachineSpec, NicId, NodeId};
use mpi::Library;
use net::NetworkModel;
use packet::PacketNetwork;
use sim::{Engine, EngineChoice, Job, Outcome, RankPlacement, World};
use workload::{Call, Context, Op, OpCompletion, Workload};

pub fn machine(name: &str, set: &[(&str, &str)]) -> Machine {
    let text = machine::preset(name).expect("a preset");
    let set: Vec<_> = set.iter().map(|&(k, v)| (k.to_string(), v.to_string())).collect();
    MachineSpec::parse(name, text, &set).and_then(|s| s.resolve()).expect("presets are legal")
}

/// One rank per listed node, each on the node's first NIC.
pub fn job_on(machine: Machine, mpi: &str, nodes: &[u32]) -> Job {
    let text = mpi::library::preset(mpi).expect("a preset");
    let library = Library::parse(mpi, text, &machine.fabric).expect("presets are legal");
    let placement = |&n: &u32| {
        let node = NodeId(n);
        RankPlacement { node, nic: NicId(machine.node_nics[node]), binding: Default::default() }
    };
    let placements = nodes.iter().map(placement).collect();
    Job::new(machine, library, placements, 1)
}

pub fn job(nodes: &[u32]) -> Job {
    job_on(machine("aurora", &[]), "mpich", nodes)
}

/// A script of calls per rank, all submitted at the start, and all completions reported to it.
pub struct Script {
    world: Vec<u32>,
    calls: Vec<Call>,
    out: usize,
    completed: Vec<(Time, OpCompletion)>,
}

impl Script {
    /// Calls are (rank, token, nanoseconds of computation before it, operation).
    pub fn new(ranks: u32, calls: impl IntoIterator<Item = (u32, u32, u64, Op)>) -> Script {
        let calls: Vec<Call> = calls
            .into_iter()
            .map(|(rank, token, after_ns, op)| Call { rank, token, after: Span::ns(after_ns), op })
            .collect();
        let out = calls.iter().filter(|call| call.op.completes()).count();
        Script { world: (0..ranks).collect(), out, calls, completed: Vec::new() }
    }
    pub fn completed(&self) -> &[(Time, OpCompletion)] {
        &self.completed
    }
    pub fn run<N: NetworkModel>(self, job: &Job) -> (Outcome, Vec<(Time, OpCompletion)>) {
        let mut world = World::<N, _>::new(job, self);
        let outcome = world.run(&mut |_| true);
        (outcome, world.workload.completed)
    }
}

impl Workload for Script {
    fn ranks(&self) -> u32 {
        self.world.len() as u32
    }
    fn members(&self, _: u32, _: Context) -> &[u32] {
        &self.world
    }
    fn start(&mut self, calls: &mut Vec<Call>) {
        calls.append(&mut self.calls);
    }
    fn resume(&mut self, now: Time, done: &[OpCompletion], _: &mut Vec<Call>) {
        self.out -= done.len();
        self.completed.extend(done.iter().map(|&d| (now, d)));
    }
    fn is_finished(&self) -> bool {
        self.out == 0
    }
}

pub fn completed(
    completed: &[(Time, OpCompletion)],
    rank: u32,
    token: u32,
) -> (Time, OpCompletion) {
    let mut all = completed.iter().filter(|(_, d)| (d.rank, d.token) == (rank, token));
    let first = *all.next().expect("it completed");
    assert!(all.next().is_none(), "rank {rank}, token {token} completed twice");
    first
}

/// Runs a workload with each engine, in windows also on three threads, and compares everything but
/// the cost of the engine. Returns the outcome, which names the window engine, and the workload.
pub fn run_by_both_engines<W: Workload>(job: &Job, workload: impl Fn() -> W) -> (Outcome, W) {
    let run = |engine, threads| {
        // With `auto`, windows are entered at the first choice, after 4,096 events. All windows are
        // simulated in parallel.
        let job = Job { engine, threads, many_events: 0, shared_events: 0, ..job.clone() };
        let mut world = World::<PacketNetwork, _>::new(&job, workload());
        let outcome = world.run(&mut |_| true);
        (outcome, world.workload)
    };
    let comparable = |outcome: &Outcome| {
        let engine = Engine { events: 0, bytes: 0, used: None, threads: None, ..outcome.engine };
        Outcome { engine, ..outcome.clone() }
    };
    let (windows, ended) = run(EngineChoice::Window, 1);
    let (divided, _) = run(EngineChoice::Window, 3);
    assert_eq!(divided.counters, windows.counters, "three threads");
    assert_eq!(comparable(&divided), comparable(&windows), "three threads");
    for other in [EngineChoice::Event, EngineChoice::Auto] {
        let (outcome, _) = run(other, 1);
        let used = outcome.engine.used.expect("packets have engines");
        let may_change = other == EngineChoice::Auto && outcome.engine.events >= 1 << 12;
        assert_eq!(used.changes > 0, may_change, "{other:?}: {}", used.reason);
        assert_eq!(outcome.counters, windows.counters, "{other:?}");
        assert_eq!(comparable(&outcome), comparable(&windows), "{other:?}");
    }
    (windows, ended)
}
