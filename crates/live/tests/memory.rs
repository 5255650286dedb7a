//! One-sided operations, locks, counters and sleeps: which process applies them, and failures.

mod common;

use base::Span;
use common::rank::{Applying, EMPTY, Rank};
use common::world::LATENCY;
use common::{PROGRAM, job, outcome, run, success};
use live::{FailureCause, LiveOutcome};
use workload::wire::{Submission, flag, kind, wait};

/// The main program of the ranks, when `live` has started this program; not a test.
#[test]
fn rank_side() {
    let Ok(program) = std::env::var(PROGRAM) else { return };
    let mut rank = Rank::attach();
    match program.as_str() {
        "fetches" => fetches(&mut rank),
        "lazy" => lazy(&mut rank),
        "visible" => visible(&mut rank),
        "directly" => directly(&mut rank),
        "spread" => spread(&mut rank),
        "counters" => counters(&mut rank),
        "sleeps" => sleeps(&mut rank),
        "locks" => locks(&mut rank),
        "gone" | "gone_lazily" => gone(&mut rank, program == "gone_lazily"),
        "aborts" => applies(&mut rank, Applying::Aborts),
        "twice" => twice(&mut rank),
        "sleeps_long" => sleeps_long(&mut rank),
        "dies" => applies(&mut rank, Applying::Dies),
        other => panic!("no program {other}"),
    }
    rank.finalize();
    std::process::exit(0);
}

const TIMES: u64 = 20;

/// All ranks, including rank 0, draw tickets from one counter of rank 0, which waits meanwhile.
fn fetches(rank: &mut Rank) {
    let mut last = None;
    for _ in 0..TIMES {
        let ticket = rank.fetch_add(0, 0, 1);
        assert!(Some(ticket) > last, "{ticket} after {last:?}");
        last = Some(ticket);
        assert_eq!(rank.fetch_add(0, 1 + ticket, 1), 0, "ticket {ticket} was drawn twice");
    }
    rank.barrier();
    let n = u64::from(rank.size) * TIMES;
    if rank.rank == 0 {
        assert_eq!(rank.memory[0], n);
        assert!(rank.memory[1..=n as usize].iter().all(|&drawn| drawn == 1));
    }
}

#[test]
fn concurrent_fetch_and_add_is_atomic_and_reproducible() {
    let logs: Vec<_> = (0..3)
        .map(|_| {
            let (world, now) = run(job("fetches", 6));
            let log = world.log.clone();
            let outcome = world.workload.outcome();
            assert_eq!(outcome.failure.map(|f| f.to_string()), None);
            assert_eq!(outcome.exit_code, 0);
            (now, log)
        })
        .collect();
    assert_eq!(logs[0], logs[1]);
    assert_eq!(logs[0], logs[2]);
    // One rank alone is its own target.
    success(job("fetches", 1));
}

/// Puts are applied in order at the next turn of their target.
fn lazy(rank: &mut Rank) {
    if rank.rank == 0 {
        rank.calls("MPI_Put");
        let puts: Vec<u32> = (0..100).map(|i| rank.reach(1, i % 7, 1000 + i, false, 0).0).collect();
        // The target returns the blocks; the origin frees the tokens.
        rank.wait_all(&puts);
        rank.send(1, 0, b"");
    } else {
        rank.recv(0, 0, 0);
        assert_eq!(rank.memory[..8], [1098, 1099, 1093, 1094, 1095, 1096, 1097, 0]);
        assert_eq!(rank.woken, 0, "nobody needed to know earlier");
    }
}

#[test]
fn puts_apply_in_order_at_their_targets_turn() {
    let outcome = success(job("lazy", 2));
    let row = outcome.ranks[0].functions.iter().find(|r| r.bytes == 800).expect("a row of puts");
    assert_eq!(row.calls, 1);
    assert_eq!((outcome.messages, outcome.bytes), (101, 800));
}

/// If other ranks share the memory, its owner is woken to apply accesses, and sleeps again.
fn visible(rank: &mut Rank) {
    if rank.rank == 0 {
        rank.calls("MPI_Put");
        let puts = [0, 1].map(|i| rank.reach(1, i, 5, true, flag::VISIBLE).0);
        rank.wait_all(&puts);
        // One more access without VISIBLE, which is applied together with the next one.
        let quiet = rank.reach(1, 0, 5, true, 0).0;
        rank.wait_all(&[quiet]);
        assert_eq!(rank.fetch_add(1, 0, 0), 10);
        rank.send(1, 0, b"");
    } else {
        rank.recv(0, 0, 0);
        assert_eq!(rank.memory[..2], [10, 5]);
        assert_eq!(rank.woken, 2, "once for both of one instant, once for what returned");
    }
}

#[test]
fn sleeping_target_is_woken_once_per_instant() {
    let outcome = success(job("visible", 2));
    // Woken twice, released twice: a receive and MPI_Finalize.
    assert_eq!(outcome.ranks[1].functions.iter().map(|f| f.calls).sum::<u64>(), 2);
}

/// The simulator applies short operations to memory in the segment. The target is woken only if
/// earlier accesses wait in its list.
fn directly(rank: &mut Rank) {
    if rank.rank == 1 {
        let word = rank.block(&100u64.to_ne_bytes());
        rank.send(0, 0, &word.to_ne_bytes());
        rank.recv(0, 0, 0);
        assert_eq!(rank.bytes(word, 8), 110u64.to_ne_bytes());
        assert_eq!(rank.woken, 0, "nothing for its process to do");
        rank.send(0, 1, b"");
        rank.recv(0, 0, 0);
        assert_eq!(rank.memory[..2], [7, 1], "in their order, by its process");
        assert_eq!(rank.woken, 1);
        return;
    }
    let word = rank.recv(1, 0, 8);
    let word = u64::from_ne_bytes(word[..].try_into().expect("an offset"));
    rank.calls("MPI_Fetch_and_op");
    for nth in 0..10 {
        let (token, block) = rank.reach(1, 0, 1, true, flag::FETCH);
        rank.make_direct(block, word);
        rank.wait_all(&[token]);
        assert_eq!(rank.value(block), 100 + nth, "what was there before");
    }
    rank.send(1, 0, b"");
    // A send may be complete before its message has arrived.
    rank.recv(1, 1, 0);
    let first = rank.reach(1, 0, 7, false, 0).0;
    let (second, block) = rank.reach(1, 1, 1, true, flag::FETCH);
    rank.make_direct(block, word);
    rank.wait_all(&[first, second]);
    rank.send(1, 0, b"");
}

#[test]
fn short_operations_on_shared_memory_do_not_wake_their_target() {
    success(job("directly", 2));
}

/// Every rank accesses every rank at one instant.
fn spread(rank: &mut Rank) {
    let (me, n) = (rank.rank, rank.size);
    for round in 0..10 {
        rank.calls("MPI_Get_accumulate");
        let flags = flag::FETCH | flag::ATOMIC;
        let sent: Vec<(u32, u64)> =
            (0..n).map(|to| rank.reach(to, round, 1, true, flags)).collect();
        let tokens: Vec<u32> = sent.iter().map(|s| s.0).collect();
        rank.wait_all(&tokens);
        // Completions of one instant are applied in rank order.
        let found: Vec<u64> = sent.iter().map(|s| rank.reached(s.1)).collect();
        assert_eq!(found, vec![u64::from(me); n as usize]);
        sent.iter().for_each(|s| {
            rank.free(s.1);
            rank.release(s.0);
        });
        rank.barrier();
        assert_eq!(rank.memory[round as usize], u64::from(n));
    }
}

#[test]
fn all_targets_of_an_instant_apply_before_any_origin_goes_on() {
    for ranks in [2, 7] {
        success(job("spread", ranks));
    }
}

/// Counters in storage, one per communicator: fetch-and-add and set.
fn counters(rank: &mut Rank) {
    let count = |rank: &mut Rank, flags: u32, op: i64| {
        let s = Submission { kind: kind::STORAGE, flags, op: op as u64, ..EMPTY };
        rank.calls("MPI_File_write_shared");
        rank.simple(s).value as i64
    };
    let (me, n) = (i64::from(rank.rank), i64::from(rank.size));
    // All at one instant: in rank order.
    assert_eq!(count(rank, flag::FETCH | flag::WRITE, 10), 10 * me);
    rank.barrier();
    assert_eq!(count(rank, flag::FETCH, 0), 10 * n);
    rank.barrier();
    if me == 0 {
        count(rank, flag::SET, -3);
    }
    rank.barrier();
    assert_eq!(count(rank, flag::FETCH, 0), -3);
    // A rank's own communicator has a counter of its own; transfers without a flag touch none.
    let own = Submission { kind: kind::STORAGE, context: 1 + rank.rank, ..EMPTY };
    let fetch = Submission { flags: flag::FETCH, op: 1, ..own };
    assert_eq!(rank.simple(fetch).value, 0);
    assert_eq!(rank.simple(Submission { bytes: 1 << 20, op: 5, ..own }).value, 0);
    assert_eq!(rank.simple(fetch).value, 1);
}

#[test]
fn storage_counters_are_atomic() {
    success(job("counters", 4));
}

fn sleeps(rank: &mut Rank) {
    let before = rank.now_ps();
    rank.simple(Submission { kind: kind::DELAY, bytes: Span::ms(7).0, ..EMPTY });
    let slept = rank.now_ps() - before - Span::ms(7).0;
    assert!(slept < 1000, "{slept} ps too long");
}

#[test]
fn a_sleep_takes_its_simulated_time() {
    success(job("sleeps", 2));
}

/// Both ranks lock rank 0's window. Rank 1 does not unlock it, and rank 0 locks again.
fn locks(rank: &mut Rank) {
    rank.calls("MPI_Win_lock");
    let lock = Submission { kind: kind::LOCK, flags: flag::EXCLUSIVE, ..EMPTY };
    rank.simple(lock);
    if rank.rank == 0 {
        rank.calls("MPI_Win_unlock");
        rank.simple(Submission { kind: kind::UNLOCK, ..EMPTY });
        rank.calls("MPI_Win_lock");
        rank.simple(lock);
    }
    rank.recv(1 - rank.rank, 7, 4);
}

#[test]
fn waiting_for_a_lock_is_described() {
    let (world, _) = run(job("locks", 2));
    let said = [0, 1].map(|rank| world.workload.describe(rank));
    assert_eq!(said[0], "MPI_Win_lock(exclusive lock of rank 0)");
    assert_eq!(said[1], "MPI_Recv(source 0, tag 7)");
}

/// Rank 1 has left MPI when rank 0 accesses its memory.
fn gone(rank: &mut Rank, lazily: bool) {
    if rank.rank == 0 {
        rank.simple(Submission { kind: kind::DELAY, bytes: LATENCY.0 * 9, ..EMPTY });
        rank.calls("MPI_Put");
        let (token, _) = rank.reach(1, 0, 1, false, if lazily { 0 } else { flag::FETCH });
        rank.wait_all(&[token]);
    }
}

#[test]
fn access_to_a_finalized_rank_names_both() {
    for program in ["gone", "gone_lazily"] {
        let outcome = outcome(job(program, 2));
        let failure = outcome.failure.expect("the job is ended");
        assert_eq!(failure.why, FailureCause::TargetFinalized { target: 1 });
        let text = "rank 0 on x0 accesses the memory of rank 1, which has left MPI_Finalize; \
                    its last MPI call: MPI_Put(target 1, 8 B)";
        assert_eq!(failure.to_string(), text);
        assert_eq!(outcome.exit_code, 1);
    }
}

/// Rank 1 ends while it applies an access, for which rank 0 waits.
fn applies(rank: &mut Rank, applying: Applying) {
    if rank.rank == 0 {
        rank.fetch_add(1, 0, 1);
        rank.hand_over(wait::NEVER, &[]);
    }
    rank.applying = applying;
    rank.recv(0, 0, 0);
}

#[test]
fn rank_ending_while_it_applies_ends_the_job() {
    let end = |program| -> LiveOutcome { outcome(job(program, 3)) };
    let died = end("dies");
    let failure = died.failure.expect("a rank died");
    assert_eq!((failure.rank, failure.why), (1, FailureCause::Signal(9)));
    assert_eq!(died.exit_code, 128 + 9);
    let aborted = end("aborts");
    let failure = aborted.failure.expect("a rank aborted");
    assert_eq!((failure.rank, failure.why), (1, FailureCause::Abort { code: 17 }));
    assert_eq!(aborted.exit_code, 17);
}

/// Submits one block for two accesses at a time.
fn twice(rank: &mut Rank) {
    if rank.rank == 0 {
        let (_, block) = rank.reach(1, 0, 1, false, 0);
        let token = rank.token();
        let s = Submission { kind: kind::ONE_SIDED, token, peer: 1, bytes: 8, block, ..EMPTY };
        rank.simple(s);
    }
    rank.recv(0, 0, 0);
}

/// Otherwise the target's list would be cyclic.
#[test]
fn block_in_flight_twice_is_an_error() {
    let failure = outcome(job("twice", 2)).failure.expect("the job is ended");
    let FailureCause::Protocol(why) = failure.why else { panic!("{failure}") };
    assert_eq!(failure.rank, 0);
    assert!(why.starts_with("submitted a block that is already in flight"), "{why}");
}

/// Sleeps 100 days twice: simulated time is longer, but not the part available for sleeps.
fn sleeps_long(rank: &mut Rank) {
    for _ in 0..2 {
        let bytes = 100 * 86_400 * 1_000_000_000_000;
        rank.simple(Submission { kind: kind::DELAY, bytes, ..EMPTY });
        assert!(rank.now_ps() < 2 * bytes);
    }
}

#[test]
fn sleep_beyond_simulated_time_is_an_error() {
    let (world, now) = run(job("sleeps_long", 1));
    assert!(now.since(base::Time::ZERO) >= Span::ms(100 * 86_400_000), "the first sleep is one");
    let failure = world.workload.outcome().failure.expect("the job is ended");
    let text = "rank 0 on x0 sleeps beyond the end of simulated time";
    assert!(failure.to_string().starts_with(text), "{failure}");
}
