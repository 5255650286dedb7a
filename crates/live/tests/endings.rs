//! Jobs that fail: the message names the rank and the cause, and no process is left.

mod common;

use base::Span;
use common::rank::{EMPTY, Rank};
use common::{PROGRAM, command, job, launch, outcome, run};
use live::{Exit, FailureCause, LaunchError, LaunchSpec, Live, LiveOutcome};
use std::ffi::OsString;
use std::io::Read;
use std::process::{Command, Stdio};
use workload::wire::{Submission, combine, kind, wait};
use workload::{NonContiguous, Workload, wire};

/// Unsuccessful polls of a program that works between them.
const OWN_POLLS: u32 = 15_000;

const EIGHT: NonContiguous = NonContiguous { bytes: 8, touched: 512, values: 8, members: 0 };

/// The main program of the ranks, when `live` has started this program; not a test.
#[test]
fn rank_side() {
    let Ok(program) = std::env::var(PROGRAM) else { return };
    if program == "some_stay_out" && std::env::var(wire::ENV_RANK).unwrap() != "0" {
        std::process::exit(4);
    }
    let mut rank = Rank::attach();
    let me = rank.rank;
    match program.as_str() {
        "some_stay_out" => {}
        "killed" => {
            rank.barrier();
            if me == 2 {
                unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
            }
            rank.barrier();
        }
        "killed_asleep" => {
            // Rank 1 is killed by rank 0 while it sleeps in a receive.
            if me == 0 {
                let pid = rank.recv(1, 3, 4);
                let pid = i32::from_ne_bytes(pid.try_into().unwrap());
                unsafe { libc::kill(pid, libc::SIGKILL) };
            } else {
                rank.send(0, 3, &std::process::id().to_ne_bytes());
            }
            rank.recv(1 - me, 7, 4);
        }
        "leaves_early" => {
            rank.barrier();
            if me == 1 {
                std::process::exit(0);
            }
            rank.barrier();
        }
        "blocked" => {
            rank.barrier();
            let mut ends = [0; 2];
            assert_eq!(unsafe { libc::pipe(ends.as_mut_ptr()) }, 0);
            if me == 0 {
                unsafe { libc::read(ends[0], [0u8; 1].as_mut_ptr().cast(), 1) };
            }
            rank.barrier();
        }
        "leave_quietly" => {
            rank.barrier();
            std::process::exit(0);
        }
        "aborts" => {
            rank.barrier();
            if me >= 1 {
                rank.abort(3 + me as i32 - 1);
            }
            rank.barrier();
        }
        "bad_status" => {
            rank.finalize();
            std::process::exit(me as i32 * 5);
        }
        "deadlock" => {
            rank.recv(1 - me, 7, 4);
        }
        "livelock" => {
            rank.calls("MPI_Test");
            let token = rank.irecv(1 - me, 7, 4);
            while rank.done(token).is_none() {
                rank.hand_over(wait::POLL, &[token]);
            }
        }
        "spends" => {
            let token = rank.irecv(me ^ 1, 7, 4);
            for _ in 0..OWN_POLLS {
                rank.poll(token);
            }
            assert!(rank.done(token).is_none() && rank.spared > OWN_POLLS / 2, "{}", rank.spared);
            rank.send(me ^ 1, 7, b"late");
            while rank.done(token).is_none() {
                rank.poll(token);
            }
            assert_eq!(rank.received(token), b"late");
            let token = rank.irecv(me ^ 1, 7, 4);
            while rank.done(token).is_none() {
                rank.poll(token);
            }
        }
        "probes_for_ever" => while rank.probe(1 - me, 7, 0).is_none() {},
        "long_work" => {
            // Rank 0 computes for longer than a livelock would take; the others poll meanwhile.
            rank.calls("MPI_Test");
            if me == 0 {
                rank.after_ps = Span::ms(5_000_000).0;
                rank.send(1, 7, b"done");
            } else {
                let token = rank.irecv(0, 7, 4);
                while rank.done(token).is_none() {
                    rank.hand_over(wait::POLL, &[token]);
                }
            }
        }
        "kinds" => {
            if me == 0 {
                rank.barrier();
            } else {
                rank.calls("MPI_Bcast");
                let collective = collectives::Kind::Bcast as u32;
                rank.collective(Submission { collective, bytes: 8, ..EMPTY }, &mut [0; 64]);
            }
        }
        "roots" | "lengths" => {
            rank.calls("MPI_Bcast");
            let collective = collectives::Kind::Bcast as u32;
            let (root, bytes) =
                if program == "roots" { (me, 8) } else { (0, 8 + 8 * u64::from(me)) };
            rank.collective(Submission { collective, root, bytes, ..EMPTY }, &mut [0; 64]);
        }
        "blocks" => {
            // Rank 1 has 12 B for the root, which expects 8.
            rank.calls("MPI_Gatherv");
            let lengths: Vec<u8> = [8u64, 8].iter().flat_map(|n| n.to_ne_bytes()).collect();
            let (ragged, ragged_len) = if me == 0 { (rank.block(&lengths), 2) } else { (0, 0) };
            let (collective, bytes) = (collectives::Kind::Gatherv as u32, 8 + u64::from(me) * 4);
            let s = Submission { collective, bytes, ragged, ragged_len, ..EMPTY };
            rank.collective(s, &mut [0; 64]);
        }
        "members" => {
            // The ranks agree on a context, but not on its members.
            let mut buffer = [0; 64];
            let new = Submission { flags: wire::flag::NEW_CONTEXTS, ..EMPTY };
            let context = rank.collective(new, &mut buffer).value as u32;
            let list = [0, 1, me + 1].map(|m: u32| m.to_ne_bytes()).concat();
            let block = rank.block(&list);
            rank.submit(Submission { kind: kind::COMM, context, block, bytes: 12, ..EMPTY });
            rank.barrier();
        }
        "garbage" => {
            let mut s = Submission { kind: kind::SEND, peer: 0, ..EMPTY };
            let garbage = std::env::var("GARBAGE").unwrap();
            match garbage.as_str() {
                "kind" => s.kind = 99,
                "peer" => s.peer = 12,
                "token" => s.token = u32::MAX,
                "context" => s.context = 44,
                "taken" => s.kind = kind::MATCHED_RECV,
                "collective" => (s.kind, s.collective, s.grain) = (kind::COLLECTIVE, 99, 1),
                "member" => (s.kind, s.peer, s.grain) = (kind::COLLECTIVE, 1, 1),
                "block" => {
                    (s.kind, s.collective, s.grain) =
                        (kind::COLLECTIVE, collectives::Kind::Bcast as u32, 1);
                    (s.bytes, s.block) = (8, u64::MAX - 4);
                }
                "operator" => {
                    (s.kind, s.collective, s.grain) =
                        (kind::COLLECTIVE, collectives::Kind::Allreduce as u32, 8);
                    let block = rank.block(&[0; 4096]);
                    s.combine = combine::builtin(combine::op::BAND, combine::element::F64);
                    (s.bytes, s.block) = (8, block);
                }
                "twice" => {
                    rank.submit(Submission { kind: kind::RECV, ..s });
                    s.kind = kind::RECV;
                }
                "members" => (s.kind, s.block, s.bytes) = (kind::COMM, u64::MAX - 2, 8),
                "long" => s.bytes = u64::MAX,
                "apart" => (s.bytes, s.send_layout) = (8, NonContiguous { touched: 513, ..EIGHT }),
                "far apart" => {
                    (s.kind, s.recv_layout) =
                        (kind::RECV, NonContiguous { bytes: 1 << 37, ..EIGHT });
                }
                "many values" => {
                    (s.bytes, s.send_layout) = (8, NonContiguous { values: 9, ..EIGHT })
                }
                "apart of less" => (s.bytes, s.send_layout) = (7, EIGHT),
                "send that takes" => (s.bytes, s.recv_layout) = (8, EIGHT),
                "receive that gives" => (s.kind, s.bytes, s.send_layout) = (kind::RECV, 8, EIGHT),
                "get that gives" => {
                    let block = rank.block(&[0; 64]);
                    (s.kind, s.block, s.grain, s.send_layout) = (kind::ONE_SIDED, block, 8, EIGHT);
                }
                "pause that gives" => (s.kind, s.send_layout) = (kind::DELAY, EIGHT),
                "sleep" => (s.kind, s.bytes) = (kind::DELAY, u64::MAX),
                "target" => (s.kind, s.peer) = (kind::ONE_SIDED, 12),
                "window" => (s.kind, s.context) = (kind::ONE_SIDED, 44),
                "no block" => s.kind = kind::ONE_SIDED,
                "far block" => (s.kind, s.block) = (kind::ONE_SIDED, u64::MAX - 15),
                "far memory" | "memory in its block" => {
                    let (token, block) = rank.reach(0, 0, 1, true, wire::flag::FETCH);
                    let at = if garbage == "far memory" { u64::MAX - 4 } else { block + 68 };
                    rank.make_direct(block, at);
                    rank.wait_all(&[token]);
                }
                "odd block" => (s.kind, s.block) = (kind::ONE_SIDED, rank.block(&[0; 64]) + 4),
                "much out" | "much back" => {
                    (s.kind, s.block) = (kind::ONE_SIDED, rank.block(&[0; 64]));
                    let much = if garbage == "much out" { &mut s.bytes } else { &mut s.grain };
                    *much = u64::MAX;
                }
                "lock" => (s.kind, s.peer) = (kind::LOCK, 12),
                "locked window" => (s.kind, s.context) = (kind::LOCK, 44),
                "unlock" => (s.kind, s.peer) = (kind::UNLOCK, u32::MAX),
                "file" => (s.kind, s.bytes) = (kind::STORAGE, u64::MAX),
                "counter" => {
                    (s.kind, s.flags, s.context) = (kind::STORAGE, wire::flag::FETCH, 44);
                }
                "counters" => {
                    (s.kind, s.flags) = (kind::STORAGE, wire::flag::FETCH | wire::flag::SET);
                }
                "far file call" => (s.kind, s.bytes, s.block) = (kind::FILE, 200, 1 << 60),
                "endless file call" => {
                    (s.kind, s.bytes, s.block) = (kind::FILE, u64::MAX, rank.block(&[0; 512]));
                }
                "short file call" => {
                    (s.kind, s.bytes, s.block) = (kind::FILE, 8, rank.block(&[0; 512]));
                }
                "file call without mounts" => {
                    (s.kind, s.bytes, s.block) = (kind::FILE, 200, rank.block(&[0; 512]));
                }
                "wait" => {
                    rank.hand_over(wait::ALL, &[5]);
                }
                other => panic!("no garbage {other}"),
            }
            rank.submit(s);
            rank.hand_over(wait::NONE, &[]);
        }
        other => panic!("no program {other}"),
    }
    rank.finalize();
    std::process::exit(0);
}

fn failed(program: &str, ranks: u32) -> (LiveOutcome, String) {
    let (mut world, _) = run(job(program, ranks));
    world.workload.settle();
    let outcome = world.workload.outcome();
    let text = outcome.failure.as_ref().map(|f| f.to_string()).unwrap_or_default();
    (outcome, text)
}

#[test]
fn a_rank_that_is_killed_ends_the_job_and_is_named() {
    let (outcome, text) = failed("killed", 4);
    assert_eq!(
        text,
        "rank 2 on x1 was killed by signal 9 (SIGKILL) outside MPI, after MPI_Barrier had returned"
    );
    assert_eq!(outcome.exit_code, 128 + 9);
    assert_eq!(outcome.exits[2], Exit::Signal(9));
}

/// A wrapper that outlives its rank hides the cause of its end. The job does not wait for the
/// wrapper.
#[test]
fn rank_that_dies_under_a_running_wrapper_is_noticed() {
    let mut spec = job("killed", 4);
    // `job` runs the rank by `exec`; this shell stays.
    spec.program[2] = "\"$0\" \"$@\" > /dev/null; while :; do sleep 1; done".into();
    let outcome = outcome(spec);
    let failure = outcome.failure.expect("a rank died");
    assert_eq!((failure.rank, failure.why), (2, FailureCause::EndedUnderWrapper));
    assert_eq!(outcome.exit_code, 1);
}

#[test]
fn a_rank_killed_while_it_sleeps_is_noticed() {
    let mut world = common::world::World::new(launch(job("killed_asleep", 2)));
    world.run();
    // The simulator sees a deadlock or the death first; `settle` returns the death.
    assert!(world.workload.settle().is_some());
    let outcome = world.workload.outcome();
    assert_eq!(outcome.exit_code, 128 + 9);
    let failure = outcome.failure.unwrap();
    assert_eq!((failure.rank, failure.why), (1, FailureCause::Signal(9)));
    assert_eq!(failure.call.as_deref(), Some("MPI_Recv(source 0, tag 7)"));
}

#[test]
fn rank_that_exits_without_finalize_ends_the_job() {
    let (outcome, text) = failed("leaves_early", 3);
    assert_eq!(
        text,
        "rank 1 on x0 exited with status 0 without MPI_Finalize; its last MPI call: MPI_Barrier"
    );
    assert_eq!(outcome.exit_code, 1);
}

#[test]
fn ranks_that_all_exit_without_finalize_have_finished() {
    let outcome = outcome(job("leave_quietly", 3));
    assert_eq!((outcome.exit_code, outcome.failure), (0, None));
    assert_eq!(outcome.unfinalized, [0, 1, 2]);
}

#[test]
fn rank_blocked_in_the_kernel_is_named() {
    let (outcome, text) = failed("blocked", 3);
    assert_eq!(
        text,
        "rank 0 on x0 is blocked outside MPI in read (pipe), and no rank can continue; \
        its last MPI call: MPI_Barrier"
    );
    assert_eq!(outcome.exit_code, 1);
    assert_eq!(outcome.outside_mpi, [(0, "read (pipe)".to_string())]);
}

#[test]
fn an_abort_ends_the_job_with_its_code() {
    let (outcome, text) = failed("aborts", 4);
    // Several abort at the same instant; the lowest rank's code counts.
    assert_eq!(outcome.exit_code, 3);
    assert_eq!(text, "rank 1 on x0 called MPI_Abort with code 3; its last MPI call: MPI_Abort");
}

#[test]
fn rank_without_mpi_init_is_named() {
    let (outcome, text) = failed("some_stay_out", 3);
    assert_eq!(text, "rank 1 on x0 exited with status 4 before MPI_Init, which rank 0 has called");
    assert_eq!(outcome.exit_code, 4);
}

#[test]
fn programs_without_mpi_run() {
    for (program, code) in [(&["true"][..], 0), (&["sh", "-c", "exit 7"], 7)] {
        let outcome = outcome(command(program, 3));
        assert_eq!((outcome.exit_code, outcome.failure), (code, None), "{program:?}");
        assert_eq!(outcome.exits, vec![Exit::Status(code); 3]);
        assert_eq!((outcome.mpi_calls, outcome.blocking_calls), (0, 0));
    }
}

#[test]
fn job_status_is_the_first_nonzero_status() {
    let outcome = outcome(job("bad_status", 3));
    assert_eq!((outcome.exit_code, outcome.failure), (5, None));
    assert_eq!(outcome.exits, [0, 5, 10].map(Exit::Status));
}

#[test]
fn deadlock_describes_every_rank() {
    let (world, _) = run(job("deadlock", 2));
    let live = world.workload;
    assert!(!live.is_finished() && !live.is_stopped());
    assert_eq!(live.describe(0), "MPI_Recv(source 1, tag 7)");
    assert_eq!(live.describe(1), "MPI_Recv(source 0, tag 7)");
    let outcome = live.outcome();
    assert_eq!(outcome.exit_code, 1);
    assert_eq!(outcome.exits, [Exit::Ended; 2]);
}

#[test]
fn endless_polling_is_a_livelock() {
    let (outcome, text) = failed("livelock", 2);
    assert!(matches!(outcome.failure.as_ref().unwrap().why, FailureCause::Livelock { .. }));
    assert!(text.contains("poll without success") && text.contains("MPI_Test(source "), "{text}");
    // The limit of polls of each rank.
    assert!((4000..4100).contains(&outcome.hand_overs), "{}", outcome.hand_overs);
    let (outcome, text) = failed("probes_for_ever", 2);
    assert!(text.contains("poll without success") && text.ends_with("MPI_Iprobe"), "{text}");
    assert!((4000..4100).contains(&outcome.hand_overs), "{}", outcome.hand_overs);
}

#[test]
fn locally_answered_polls_count_toward_a_livelock() {
    let spec = LaunchSpec { livelock_polls: 20_000, ..job("spends", 8) };
    let outcome = outcome(spec);
    let why = outcome.failure.map(|f| f.why);
    let Some(FailureCause::Livelock { since, now }) = why else { panic!("{why:?}") };
    // Every poll takes its interval of 100 ns, whether the rank answers it or not.
    let polls = now.since(since).0 / Span::ns(100).0;
    assert!((20_000..22_000).contains(&polls), "{polls}");
    // 20,000 hand-overs for the livelock, and about 1,024 of each rank before the message.
    assert!((28_192..30_000).contains(&outcome.hand_overs), "{}", outcome.hand_overs);
}

#[test]
fn polling_while_another_rank_computes_is_no_livelock() {
    assert_eq!(failed("long_work", 2).1, "");
}

#[test]
fn mismatched_collectives_name_both_ranks() {
    for (program, expect) in [
        (
            "kinds",
            "rank 1 on x0 entered MPI_Bcast (bcast, root 0, 8 B) where rank 0 entered MPI_Barrier \
             (barrier), as collective 0 on communicator 0",
        ),
        (
            "roots",
            "rank 1 on x0 entered MPI_Bcast (bcast, root 1, 8 B) where rank 0 entered MPI_Bcast \
             (bcast, root 0, 8 B), as collective 0 on communicator 0",
        ),
        (
            "lengths",
            "rank 1 on x0 entered MPI_Bcast (bcast, root 0, 16 B) where rank 0 entered MPI_Bcast \
             (bcast, root 0, 8 B), as collective 0 on communicator 0",
        ),
        (
            "blocks",
            "rank 1 on x0 entered MPI_Gatherv (gatherv, root 0, 12 B) where rank 0 entered \
             MPI_Gatherv (gatherv, root 0, 8 B), as collective 0 on communicator 0: rank 1 has 12 \
             B for rank 0, which expects 8 B",
        ),
        (
            "members",
            "rank 1 on x0 and rank 0 name different members of communicator 4: [0, 1, 2] and [0, \
             1, 1]",
        ),
    ] {
        let ranks = if program == "members" { 3 } else { 2 };
        let (outcome, text) = failed(program, ranks);
        assert!(text.starts_with(expect), "{program}: {text}");
        assert_eq!(outcome.exit_code, 1);
    }
}

#[test]
fn protocol_violations_end_the_job() {
    for garbage in [
        "kind",
        "peer",
        "token",
        "context",
        "taken",
        "collective",
        "member",
        "block",
        "operator",
        "twice",
        "wait",
        "members",
        "long",
        "apart",
        "far apart",
        "many values",
        "apart of less",
        "send that takes",
        "receive that gives",
        "get that gives",
        "pause that gives",
        "sleep",
        "target",
        "window",
        "no block",
        "far memory",
        "memory in its block",
        "far block",
        "odd block",
        "much out",
        "much back",
        "lock",
        "locked window",
        "unlock",
        "file",
        "counter",
        "counters",
        "far file call",
        "endless file call",
        "short file call",
        "file call without mounts",
    ] {
        let mut spec = job("garbage", 1);
        spec.env.push(("GARBAGE".into(), garbage.into()));
        let outcome = outcome(spec);
        let why = outcome.failure.map(|f| f.why);
        assert!(matches!(why, Some(FailureCause::Protocol(_))), "{garbage}: {why:?}");
    }
}

#[test]
fn interrupt_ends_the_job() {
    let asked = std::cell::Cell::new(0);
    let select_algorithm = Box::new(|case: &live::CollectiveCase| case.kind.algorithms()[0]);
    let interrupted = Box::new(move || {
        asked.set(asked.get() + 1);
        asked.get() > 3
    });
    let live = Live::launch(command(&["sleep", "1000"], 3), select_algorithm, interrupted).unwrap();
    let mut world = common::world::World::new(live);
    world.run();
    let outcome = world.workload.outcome();
    assert!(outcome.interrupted);
    assert_eq!(outcome.exits, [Exit::Ended; 3]);
}

#[test]
fn invalid_launches_start_nothing() {
    let text = |spec| {
        let select_algorithm = Box::new(|case: &live::CollectiveCase| case.kind.algorithms()[0]);
        match Live::launch(spec, select_algorithm, Box::new(|| false)) {
            Ok(_) => panic!("it started"),
            Err(error) => error,
        }
    };
    let mut spec = command(&["no-such-program-anywhere"], 2);
    spec.env.push(("PATH".into(), "/usr/bin:/bin".into()));
    assert_eq!(
        text(spec).to_string(),
        "program `no-such-program-anywhere` was not found in PATH (/usr/bin:/bin)"
    );
    assert_eq!(text(command(&["./nothing"], 2)).to_string(), "program `./nothing` does not exist");
    assert!(matches!(text(command(&["/etc/passwd"], 2)), LaunchError::NotExecutable(_)));
    assert!(matches!(text(command(&["/"], 2)), LaunchError::NotExecutable(_)));
    assert!(matches!(text(command(&[], 2)), LaunchError::NoProgram));
    assert!(matches!(text(command(&[""], 2)), LaunchError::NoProgram));
    let mut spec = command(&["true"], 2);
    spec.wdir = Some("/no/such/directory".into());
    assert_eq!(text(spec).to_string(), "working directory `/no/such/directory` does not exist");
    let mut spec = command(&["true"], 2);
    spec.locations.pop();
    assert!(matches!(text(spec), LaunchError::Locations { ranks: 2, locations: 1 }));
    assert!(matches!(text(command(&["true"], 0)), LaunchError::Locations { .. }));
}

// -- A simulator in its own process: its end and its output ---------------------------------------

const OUTER: &str = "LIVE_OUTER";

/// The main program of a simulator that a test has started; not a test.
#[test]
fn outer_side() {
    let Ok(what) = std::env::var(OUTER) else { return };
    // Not inherited by ranks.
    unsafe { std::env::remove_var(OUTER) };
    match what.as_str() {
        "hangs" => {
            // Ranks that never call MPI, and grandchildren.
            let mut live = launch(command(&["sh", "-c", "sleep 1000 & sleep 1000"], 3));
            println!("\nready");
            live.start(&mut Vec::new());
        }
        "drops" => {
            let _live = launch(command(&["sh", "-c", "sleep 1000 & sleep 1000"], 3));
            println!("\nready");
        }
        "panics" => {
            let _live = launch(command(&["sh", "-c", "sleep 1000 & sleep 1000"], 3));
            println!("\nready");
            panic!("as planned");
        }
        "labels" => {
            let script = "echo out $ODONATA_RANK; printf 'a\\nno newline' >&2; cat";
            let mut spec = command(&["sh", "-c", script], 2);
            spec.label = true;
            assert_eq!(outcome(spec).exit_code, 0);
        }
        "directory" => {
            let mut spec = command(&["sh", "-c", "pwd; echo $A $B"], 1);
            spec.wdir = Some("/usr".into());
            spec.env = [("A", "a1"), ("A", "a2")].map(|(k, v)| (k.into(), v.into())).into();
            spec.env_remove = vec!["B".into()];
            spec.label = true;
            assert_eq!(outcome(spec).exit_code, 0);
        }
        other => panic!("no simulator {other}"),
    }
    std::process::exit(0);
}

fn outer(what: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "outer_side", "--nocapture"]).env(OUTER, what).env("B", "b");
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).stdin(Stdio::piped());
    command
}

/// Reads to the end: all started processes hold the pipe, which closes with the last of them.
fn all_gone(mut pipe: impl Read) -> String {
    let mut text = String::new();
    pipe.read_to_string(&mut text).unwrap();
    text
}

fn until_ready(pipe: &mut impl Read) {
    let mut seen = Vec::new();
    while !seen.ends_with(b"\nready\n") {
        let mut byte = [0];
        pipe.read_exact(&mut byte).unwrap();
        seen.push(byte[0]);
    }
}

/// The kernel kills the ranks, and the orphan reaper the processes that they started.
#[test]
fn no_process_survives_a_killed_simulator() {
    let mut command = outer("hangs");
    let mut simulator = command.spawn().unwrap();
    let mut pipe = simulator.stdout.take().unwrap();
    until_ready(&mut pipe);
    let ranks_and_reaper = children(simulator.id());
    assert_eq!(ranks_and_reaper.len(), 3 + 1, "{ranks_and_reaper:?}");
    // Opened before they end, so that their ids cannot be reused unnoticed.
    let watched: Vec<i32> = ranks_and_reaper
        .iter()
        .map(|&p| unsafe { libc::syscall(libc::SYS_pidfd_open, p, 0) } as i32)
        .collect();
    simulator.kill().unwrap();
    simulator.wait().unwrap();
    for fd in watched {
        let mut poll = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        assert_eq!(unsafe { libc::poll(&mut poll, 1, -1) }, 1);
    }
    // Grandchildren included.
    all_gone(pipe);
}

fn children(of: u32) -> Vec<i32> {
    let path = format!("/proc/{of}/task");
    let mut pids = Vec::new();
    for thread in std::fs::read_dir(path).unwrap() {
        let list = std::fs::read_to_string(thread.unwrap().path().join("children")).unwrap();
        pids.extend(list.split_whitespace().map(|p| p.parse::<i32>().unwrap()));
    }
    pids
}

#[test]
fn no_process_survives_a_drop_or_panic() {
    for what in ["drops", "panics"] {
        let mut simulator = outer(what).spawn().unwrap();
        let mut pipe = simulator.stdout.take().unwrap();
        until_ready(&mut pipe);
        // Grandchildren included.
        all_gone(pipe);
        assert_eq!(simulator.wait().unwrap().success(), what == "drops");
    }
}

#[test]
fn output_is_labeled_and_rank_0_reads_stdin() {
    let mut simulator = outer("labels").spawn().unwrap();
    use std::io::Write;
    simulator.stdin.take().unwrap().write_all(b"typed\n").unwrap();
    let output = simulator.wait_with_output().unwrap();
    let lines = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).unwrap();
        let mut lines: Vec<String> =
            text.lines().filter(|l| l.starts_with('[')).map(String::from).collect();
        lines.sort();
        lines
    };
    assert_eq!(lines(output.stdout), ["[0] out 0", "[0] typed", "[1] out 1"]);
    let err = ["[0] a", "[0] no newline", "[1] a", "[1] no newline"];
    assert_eq!(lines(output.stderr), err);
}

#[test]
fn working_directory_and_environment_are_applied() {
    let output = outer("directory").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("[0] /usr\n") && text.contains("[0] a2\n"), "{text}");
}

/// The segment has no name in the file system.
#[test]
fn shared_memory_has_no_name() {
    let names = || std::fs::read_dir("/dev/shm").unwrap().map(|e| e.unwrap().file_name());
    let before: Vec<OsString> = names().collect(); // of other programs
    let _live = launch(command(&["sleep", "1000"], 1));
    let ours = |name: &OsString| name.to_string_lossy().contains("odonata");
    assert_eq!(names().filter(|n| ours(n) && !before.contains(n)).count(), 0);
}

#[test]
fn job_beyond_the_process_limit_does_not_start() {
    let most: u32 =
        std::fs::read_to_string("/proc/sys/kernel/pid_max").unwrap().trim().parse().unwrap();
    // A job has at most `MAX_RANKS`. If the kernel allows as many processes, the limit cannot be
    // reached.
    if most <= 1 << 16 {
        let select_algorithm = Box::new(|case: &live::CollectiveCase| case.kind.algorithms()[0]);
        let launched = Live::launch(command(&["true"], most), select_algorithm, Box::new(|| false));
        let error = launched.err().expect("more ranks than process ids");
        assert!(matches!(error, LaunchError::Capacity { .. }), "{error}");
    }
}

/// A process in a session of its own, whose parent has ended, still belongs to the job. The end of
/// the job does not wait for it.
#[test]
fn processes_in_other_sessions_end_with_the_job() {
    let script = "setsid sleep 300 > /dev/null 2>&1 & echo $! > \"$NOTE\"; sleep 0.1; exit 0";
    let note = std::env::temp_dir().join(format!("odonata-note-{}", std::process::id()));
    let mut spec = command(&["sh", "-c", script], 1);
    spec.env.push(("NOTE".into(), note.clone().into()));
    outcome(spec);
    // `setsid` does not fork, because it is no group leader.
    let pid: u32 = std::fs::read_to_string(&note).unwrap().trim().parse().unwrap();
    std::fs::remove_file(&note).unwrap();
    assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists(), "{pid} goes on");
}
