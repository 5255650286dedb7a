//! Shared by the tests: jobs whose ranks are the test program itself.

#![allow(dead_code)] // each test program uses its part

pub mod rank;
pub mod world;

use base::Span;
use live::{LaunchSpec, Launcher, Live, LiveOutcome, RankLocation};
use std::ffi::OsString;

pub const PROGRAM: &str = "LIVE_PROGRAM";

/// A job of ranks that run `test program --exact rank_side`, which reads `PROGRAM`. Two ranks per
/// node; nodes are named x0, x1, ...
pub fn job(program: &str, ranks: u32) -> LaunchSpec {
    let exe = std::env::current_exe().unwrap();
    // Discards the output of the rank's test harness.
    let quiet = ["sh", "-c", "exec \"$0\" \"$@\" > /dev/null"].map(OsString::from);
    let harness = ["--exact", "rank_side", "--nocapture"].map(OsString::from);
    LaunchSpec {
        program: [&quiet[..], &[exe.into()], &harness[..]].concat(),
        env: vec![(PROGRAM.into(), program.into())],
        ..command(&["true"], ranks)
    }
}

pub fn command(program: &[&str], ranks: u32) -> LaunchSpec {
    let location = |rank: u32| RankLocation {
        node: rank / 2,
        node_name: format!("x{}", rank / 2),
        local_rank: rank % 2,
        local_size: (ranks - rank / 2 * 2).min(2),
    };
    LaunchSpec {
        program: program.iter().map(OsString::from).collect(),
        warm: None,
        env: vec![],
        env_remove: vec![],
        wdir: None,
        ranks,
        launcher: Launcher::Slurm,
        job: 0,
        cores: 64,
        locations: (0..ranks).map(location).collect(),
        nodes: ranks.div_ceil(2),
        compute_factor: None,
        label: false,
        machine: "a machine".into(),
        library_version: "a library".into(),
        checks: workload::wire::checks::MPICH,
        tag_ub: i32::MAX,
        tag_max: i32::MAX,
        eager_max: 0,
        inject_max: 0,
        clock_tick: Span::ns(10),
        poll_interval: Span::ns(100),
        livelock_polls: 2000,
        idle_timeout: std::time::Duration::from_millis(100),
        synchronized: 0,
        file_systems: live::FileSystems::default(),
        progress: None,
    }
}

pub fn launch(spec: LaunchSpec) -> Live {
    let select_algorithm = Box::new(|case: &live::CollectiveCase| case.kind.algorithms()[0]);
    Live::launch(spec, select_algorithm, Box::new(|| false)).unwrap()
}

/// Runs a job to its end.
pub fn run(spec: LaunchSpec) -> (world::World<Live>, base::Time) {
    let mut world = world::World::new(launch(spec));
    world.run();
    let now = world.now;
    (world, now)
}

pub fn outcome(spec: LaunchSpec) -> LiveOutcome {
    run(spec).0.workload.outcome()
}

/// The outcome of a job that must succeed.
pub fn success(spec: LaunchSpec) -> LiveOutcome {
    let outcome = outcome(spec);
    assert_eq!(outcome.failure.as_ref().map(|f| f.to_string()), None);
    assert_eq!(outcome.exit_code, 0);
    outcome
}
