//! Benchmark of a turn: hand-overs per second, without an MPI library and without a network model.
//!
//! `cargo run --release -p live --example turns`; under `taskset -c 0` for one core. Prints one
//! line per pattern: ranks, hand-overs, hand-overs per wall-clock second, wall-clock time and CPU
//! time of all processes per hand-over, time to start all ranks (wall and CPU), and memory per
//! rank. CPU time is the reliable figure on a loaded machine. The minimal simulator of the tests
//! costs little.

#[allow(dead_code)]
#[path = "../tests/common/rank.rs"]
mod rank;
#[allow(dead_code)]
#[path = "../tests/common/world.rs"]
mod world;

use base::Span;
use live::{LaunchSpec, Launcher, Live, RankLocation};
use rank::Rank;
use std::time::Instant;

const PROGRAM: &str = "TURNS_PROGRAM";
const ROUNDS: &str = "TURNS_ROUNDS";

fn main() {
    if let Ok(program) = std::env::var(PROGRAM) {
        return as_rank(&program);
    }
    // Ranks, rounds: about 100,000 hand-overs each.
    for (program, ranks, rounds) in [
        ("ping_pong", 2, 25_000),
        ("barrier", 2, 50_000),
        ("barrier", 64, 1_600),
        ("barrier", 1_024, 100),
        ("ring", 1_024, 50),
    ] {
        let idle = measure(program, ranks, 0);
        let busy = measure(program, ranks, rounds);
        let n = (busy.hand_overs - idle.hand_overs) as f64;
        println!(
            "{program:10} {ranks:5} ranks  {n:7} hand-overs  {:8.0} /s  {:6.2} us wall  \
             {:6.2} us CPU;  start {:6.3} s wall  {:6.3} s CPU,  {:4} kB per rank",
            n / busy.wall_s,
            busy.wall_s / n * 1e6,
            (busy.cpu_s - idle.cpu_s) / n * 1e6,
            idle.start_s,
            idle.cpu_s,
            idle.rank_kb,
        );
    }
}

struct Cost {
    hand_overs: u64,
    start_s: f64,
    wall_s: f64,
    cpu_s: f64,
    rank_kb: u64,
}

/// CPU time of this process and its ended children, in seconds.
fn cpu_s() -> f64 {
    let of = |who| {
        let mut usage = unsafe { std::mem::zeroed::<libc::rusage>() };
        unsafe { libc::getrusage(who, &mut usage) };
        let seconds = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 * 1e-6;
        seconds(usage.ru_utime) + seconds(usage.ru_stime)
    };
    of(libc::RUSAGE_SELF) + of(libc::RUSAGE_CHILDREN)
}

fn as_rank(program: &str) {
    let mut rank = Rank::attach();
    let rounds: u32 = std::env::var(ROUNDS).unwrap().parse().unwrap();
    let (me, p) = (rank.rank, rank.size);
    rank.barrier();
    for _ in 0..rounds {
        match program {
            "barrier" => rank.barrier(),
            "ping_pong" if me == 0 => {
                rank.send(1, 0, b"8 bytes.");
                rank.recv(1, 0, 8);
            }
            "ping_pong" => {
                rank.recv(0, 0, 8);
                rank.send(0, 0, b"8 bytes.");
            }
            // One token circulates: one rank runs at a time.
            "ring" => {
                if me > 0 {
                    rank.recv(me - 1, 0, 8);
                }
                rank.send((me + 1) % p, 0, b"8 bytes.");
                if me == 0 {
                    rank.recv(p - 1, 0, 8);
                }
            }
            other => panic!("no program {other}"),
        }
    }
    rank.barrier();
    rank.finalize();
}

fn measure(program: &str, ranks: u32, rounds: u32) -> Cost {
    let cpu_before = cpu_s();
    let location = |rank| RankLocation {
        node: rank,
        node_name: format!("x{rank}"),
        local_rank: 0,
        local_size: 1,
    };
    let exe = std::env::current_exe().unwrap();
    let spec = LaunchSpec {
        program: vec![exe.into()],
        warm: None,
        env: vec![(PROGRAM.into(), program.into()), (ROUNDS.into(), rounds.to_string().into())],
        env_remove: vec![],
        wdir: None,
        ranks,
        launcher: Launcher::Slurm,
        job: 0,
        cores: 64,
        locations: (0..ranks).map(location).collect(),
        nodes: ranks,
        compute_factor: None,
        label: false,
        machine: "none".into(),
        library_version: "none".into(),
        checks: workload::wire::checks::MPICH,
        tag_ub: i32::MAX,
        tag_max: i32::MAX,
        eager_max: 0,
        inject_max: 0,
        clock_tick: Span::ns(10),
        poll_interval: Span::ns(100),
        livelock_polls: u64::MAX,
        idle_timeout: std::time::Duration::from_secs(10),
        synchronized: 0,
        file_systems: live::FileSystems::default(),
        progress: None,
    };
    let select_algorithm = Box::new(|case: &live::CollectiveCase| case.kind.algorithms()[0]);
    let wall_start = Instant::now();
    let mut live = Live::launch(spec, select_algorithm, Box::new(|| false)).unwrap();
    // Timed from here on: all ranks have reached their first hand-over.
    let mut first = Vec::new();
    workload::Workload::start(&mut live, &mut first);
    let started = wall_start.elapsed();
    let pss_kb = memory_kb();
    let mut world = world::World::new(live);
    let timed = Instant::now();
    world.go_on(first);
    let wall = timed.elapsed().as_secs_f64();
    let outcome = world.workload.outcome();
    assert_eq!(outcome.exit_code, 0);
    Cost {
        hand_overs: outcome.hand_overs,
        start_s: started.as_secs_f64(),
        wall_s: wall,
        cpu_s: cpu_s() - cpu_before,
        rank_kb: pss_kb / u64::from(ranks),
    }
}

/// Memory of the children in kB, shared pages counted once.
fn memory_kb() -> u64 {
    let mut sum = 0;
    let us = std::process::id();
    for thread in std::fs::read_dir(format!("/proc/{us}/task")).unwrap() {
        let list = std::fs::read_to_string(thread.unwrap().path().join("children")).unwrap();
        for pid in list.split_whitespace() {
            let text = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup"));
            let text = text.unwrap_or_default();
            let pss = text.lines().find_map(|l| l.strip_prefix("Pss:"));
            let kb = pss.and_then(|l| l.trim().trim_end_matches(" kB").parse::<u64>().ok());
            sum += kb.unwrap_or(0);
        }
    }
    sum
}
