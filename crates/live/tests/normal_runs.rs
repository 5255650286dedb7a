//! Successful jobs: the simulator receives what ranks submit, and ranks receive what was sent.

mod common;

use base::{Span, Time};
use common::rank::{EMPTY, Rank, id};
use common::world::LATENCY;
use common::{PROGRAM, job, launch, run, success};
use workload::wire::{self, Submission, combine, flag, kind, wait};
use workload::{ANY_SOURCE, ANY_TAG, Op, Workload};

/// The main program of the ranks, when `live` has started this program; not a test.
#[test]
fn rank_side() {
    let Ok(program) = std::env::var(PROGRAM) else { return };
    let mut rank = Rank::attach();
    match program.as_str() {
        "ping_pong" => ping_pong(&mut rank),
        "jostle" => exchange_at_random_pace(&mut rank),
        "flood" => flood(&mut rank),
        "matrices" => matrices(&mut rank),
        "every_kind" => every_kind(&mut rank),
        "test_loop" => test_loop(&mut rank),
        "iprobe_loop" => iprobe_loop(&mut rank),
        "busy_tests" => busy_tests(&mut rank),
        "splits" => splits(&mut rank),
        "takes" => takes(&mut rank),
        "compute" => compute(&mut rank),
        "ring" => ring(&mut rank),
        other => panic!("no program {other}"),
    }
    rank.finalize();
    std::process::exit(0);
}

/// Round trips of growing messages.
fn ping_pong(rank: &mut Rank) {
    assert_eq!(rank.node_name(), "x0");
    let peer = 1 - rank.rank;
    for n in 0..20u64 {
        let bytes: Vec<u8> = (0..n * 1000).map(|i| (i * (n + 3)) as u8).collect();
        if rank.rank == 0 {
            rank.send(peer, n as i32, &bytes);
            assert_eq!(rank.recv(peer, ANY_TAG, n * 1000), bytes);
            // Two messages in sequence, plus 1 ps per operation.
            let least = 2 * (n + 1) * LATENCY.0;
            assert!((least..least + 10_000).contains(&rank.now_ps()), "{}", rank.now_ps());
        } else {
            let received = rank.recv(ANY_SOURCE, n as i32, n * 1000);
            assert_eq!(received, bytes);
            rank.send(peer, 99, &received);
        }
    }
}

#[test]
fn ping_pong_has_the_expected_bytes_and_time() {
    let outcome = success(job("ping_pong", 2));
    assert_eq!(outcome.messages, 40);
    let bytes: u64 = 2 * (0..20).map(|n| n * 1000).sum::<u64>();
    assert_eq!(outcome.bytes, bytes);
    // 20 sends, 20 receives and MPI_Finalize per rank, with one hand-over each.
    assert_eq!((outcome.mpi_calls, outcome.blocking_calls), (2 * 41, 2 * 41));
    for rank in &outcome.ranks {
        let row = |name| *rank.functions.iter().find(|r| r.function == id(name)).unwrap();
        assert_eq!((row("MPI_Send").calls, row("MPI_Send").bytes), (20, bytes / 2));
        assert_eq!((row("MPI_Recv").calls, row("MPI_Recv").bytes), (20, 0));
        let parts = rank.compute + rank.waiting + rank.transfer;
        assert_eq!(Time::ZERO + parts, rank.end);
        let blocked: Span = rank.functions.iter().map(|f| f.blocked).sum();
        assert_eq!(rank.compute + blocked, parts);
    }
    // Rank 0 waits while its message travels to rank 1, and the answer is a transfer: half each,
    // except for the picoseconds of completion.
    let (waiting, transfer) = (outcome.ranks[0].waiting.0, outcome.ranks[0].transfer.0);
    assert!(waiting.abs_diff(20 * LATENCY.0) < 1000, "{waiting}");
    assert!(transfer.abs_diff(20 * LATENCY.0) < 1000, "{transfer}");
}

/// All to all, with computation that depends on the process id.
fn exchange_at_random_pace(rank: &mut Rank) {
    let mut seed = u64::from(std::process::id());
    for round in 0..10 {
        for _ in 0..base::draw(1, 2, seed as u32, round) % 20_000 {
            seed = std::hint::black_box(seed.wrapping_add(1));
        }
        let others: Vec<u32> = (0..rank.size).filter(|&r| r != rank.rank).collect();
        rank.calls("MPI_Waitall");
        let mut tokens: Vec<u32> =
            others.iter().map(|&r| rank.irecv(ANY_SOURCE, r as i32 & 1, 4)).collect();
        let me = rank.rank.to_ne_bytes();
        let tag = rank.rank as i32 & 1;
        let sends: Vec<u32> = others.iter().map(|&r| rank.isend(r, tag, &me)).collect();
        rank.wait_all(&sends);
        sends.iter().for_each(|&t| rank.release(t));
        // The receives match by parity of the sender's rank.
        rank.wait_all(&tokens);
        let mut from: Vec<u32> = Vec::new();
        for token in tokens.drain(..) {
            let sender = rank.done(token).unwrap().peer;
            let bytes = rank.received(token);
            assert_eq!(u32::from_ne_bytes(bytes.try_into().unwrap()), sender);
            from.push(sender);
        }
        from.sort_unstable();
        assert_eq!(from, others);
    }
}

#[test]
fn call_order_is_independent_of_process_scheduling() {
    let logs: Vec<_> = (0..3)
        .map(|_| {
            let (world, now) = run(job("jostle", 9));
            let log = world.log.clone();
            assert_eq!(world.workload.outcome().exit_code, 0);
            (now, log)
        })
        .collect();
    assert_eq!(logs[0], logs[1]);
    assert_eq!(logs[0], logs[2]);
}

#[test]
fn calls_of_one_instant_are_ordered_by_rank() {
    let mut live = launch(job("jostle", 6));
    let mut calls = Vec::new();
    live.start(&mut calls);
    assert!(calls.is_sorted_by_key(|c| c.rank));
    assert_eq!(calls.iter().filter(|c| c.rank == 5).count(), 2 * 5 + 1);
}

/// More messages than the submission ring holds; tokens are reused before the messages are
/// received.
fn flood(rank: &mut Rank) {
    let n = 3 * wire::RING as u32;
    if rank.rank == 0 {
        rank.calls("MPI_Isend");
        let tokens: Vec<u32> = (0..n).map(|i| rank.isend(1, 0, &i.to_ne_bytes())).collect();
        rank.wait_all(&tokens);
        tokens.iter().for_each(|&t| rank.release(t));
        for i in n..2 * n {
            rank.send(1, 0, &i.to_ne_bytes());
        }
        rank.barrier();
    } else {
        rank.barrier();
        for i in 0..2 * n {
            assert_eq!(rank.recv(0, 0, 4), i.to_ne_bytes());
        }
    }
}

#[test]
fn full_submission_ring_preserves_messages_and_order() {
    success(job("flood", 2));
}

/// 2x2 matrices modulo 251: their product does not commute, so it depends on the order.
fn times(into: &mut [u8], from: &[u8], left: bool) {
    for (into, from) in into.chunks_exact_mut(4).zip(from.chunks_exact(4)) {
        let here: Vec<u32> = into.iter().map(|&b| b.into()).collect();
        let there: Vec<u32> = from.iter().map(|&b| b.into()).collect();
        let (a, b) = if left { (there, here) } else { (here, there) };
        for (i, out) in into.iter_mut().enumerate() {
            let (row, column) = (i / 2 * 2, i % 2);
            *out = ((a[row] * b[column] + a[row + 1] * b[column + 2]) % 251) as u8;
        }
    }
}
fn matrix(rank: u32, nth: u32) -> [u8; 4] {
    [rank as u8 + 1, nth as u8 + 2, 1, (rank * 7 + 3) as u8 % 251]
}

fn matrices(rank: &mut Rank) {
    rank.user = Some(times);
    let n = 5;
    let mine: Vec<u8> = (0..n).flat_map(|i| matrix(rank.rank, i)).collect();
    let product = |ranks: u32| {
        let mut product: Vec<u8> = (0..n).flat_map(|i| matrix(0, i)).collect();
        for r in 1..ranks {
            times(&mut product, &(0..n).flat_map(|i| matrix(r, i)).collect::<Vec<u8>>(), false);
        }
        product
    };
    for kind in [collectives::Kind::Allreduce, collectives::Kind::Scan] {
        // Large enough for the scratch memory of any algorithm.
        let mut buffer = vec![0; 4096];
        buffer[..mine.len()].copy_from_slice(&mine);
        rank.calls("MPI_Allreduce");
        let s = Submission {
            collective: kind as u32,
            bytes: 20,
            grain: 4,
            combine: combine::USER,
            ..EMPTY
        };
        rank.collective(s, &mut buffer);
        let ranks = if kind == collectives::Kind::Scan { rank.rank + 1 } else { rank.size };
        assert_eq!(buffer[..20], product(ranks), "{kind:?} of {ranks}");
    }
}

#[test]
fn user_operators_are_applied_in_rank_order() {
    for ranks in [1, 2, 5, 8] {
        success(job("matrices", ranks));
    }
}

/// One collective of each shape with a known result.
fn every_kind(rank: &mut Rank) {
    use collectives::Kind;
    let (me, p) = (rank.rank as usize, rank.size as usize);
    let block = |i: usize| vec![i as u8 + 1; 8];
    let s = |kind: Kind| Submission { collective: kind as u32, bytes: 8, root: 1, ..EMPTY };
    let mut buffer = vec![0; 1 << 16];

    if me == 1 {
        buffer[..8].copy_from_slice(&block(77));
    }
    rank.collective(s(Kind::Bcast), &mut buffer);
    assert_eq!(buffer[..8], block(77));

    buffer[8 * me..8 * (me + 1)].copy_from_slice(&block(me));
    rank.collective(s(Kind::Allgather), &mut buffer);
    let all: Vec<u8> = (0..p).flat_map(block).collect();
    assert_eq!(buffer[..8 * p], all);

    rank.collective(s(Kind::Alltoall), &mut buffer);
    assert_eq!(buffer[8 * p..16 * p], block(me).repeat(p));

    let sum = combine::builtin(combine::op::SUM, combine::element::U64);
    buffer[..8].copy_from_slice(&(me as u64 + 1).to_ne_bytes());
    let flags = flag::COMMUTATIVE;
    rank.collective(
        Submission { flags, combine: sum, grain: 8, ..s(Kind::Allreduce) },
        &mut buffer,
    );
    assert_eq!(buffer[..8], (p as u64 * (p as u64 + 1) / 2).to_ne_bytes());

    // Unequal blocks: rank i contributes i * 4 bytes.
    let lengths: Vec<u8> = (0..p as u64).flat_map(|i| (4 * i).to_ne_bytes()).collect();
    let ragged = rank.block(&lengths);
    let at: usize = (0..me).map(|i| 4 * i).sum();
    buffer[at..at + 4 * me].fill(me as u8);
    let v = Submission { ragged, ragged_len: p as u32, ..s(Kind::Allgatherv) };
    rank.collective(Submission { bytes: 4 * me as u64, ..v }, &mut buffer);
    let all: Vec<u8> = (0..p).flat_map(|i| vec![i as u8; 4 * i]).collect();
    assert_eq!(buffer[..all.len()], all);
    rank.free(ragged);
    rank.barrier();
}

#[test]
fn collectives_transfer_the_expected_bytes() {
    for ranks in [2, 3, 7] {
        let outcome = success(job("every_kind", ranks));
        // 8 B: the root's broadcast, each rank's allgather and allreduce; alltoall: 8 B per pair.
        let p = u64::from(ranks);
        let total: u64 = outcome.ranks.iter().flat_map(|r| &r.functions).map(|f| f.bytes).sum();
        let ragged: u64 = (0..p).map(|i| 4 * i).sum();
        assert_eq!(total, 8 + 8 * p + 8 * p + 8 * p * p + ragged);
    }
}

/// Rank 1 tests a receive until its message arrives, 3 ms after the start.
fn test_loop(rank: &mut Rank) {
    if rank.rank == 0 {
        rank.after_ps = Span::ms(3).0;
        rank.send(1, 5, b"late");
        return;
    }
    rank.calls("MPI_Irecv");
    let token = rank.irecv(0, 5, 4);
    let mut polls = 0;
    while rank.done(token).is_none() {
        rank.calls("MPI_Test");
        rank.hand_over(wait::POLL, &[token]);
        polls += 1;
    }
    assert_eq!(rank.received(token), b"late");
    // k polls of 100 ns * (1 + k/128) take 100 ns * (k + k^2/256): 2,646 polls take 3 ms. The
    // message ends the last one.
    assert!((2640..=2650).contains(&polls), "{polls} polls");
    let late = rank.now_ps() - Span::ms(3).0 - LATENCY.0;
    assert!(late < 10_000, "noticed {late} ps late");
}

#[test]
fn unsuccessful_polls_lengthen_slowly_and_end_on_completion() {
    success(job("test_loop", 2));
}

fn iprobe_loop(rank: &mut Rank) {
    if rank.rank == 0 {
        rank.after_ps = Span::ms(3).0;
        rank.send(1, 5, b"late");
        return;
    }
    let mut polls = 0;
    while rank.probe(0, 5, 0).is_none() {
        polls += 1;
    }
    assert_eq!(rank.recv(0, 5, 4), b"late");
    // A message does not end the last poll, of 100 ns * (1 + 2646/128): the largest delay.
    let late = Span(rank.now_ps() - Span::ms(3).0 - LATENCY.0);
    assert!(late < Span::ns(2200), "noticed {late} late");
    assert!((2640..=2650).contains(&polls), "{polls} polls");
}

#[test]
fn iprobe_loop_is_late_by_at_most_its_last_poll() {
    success(job("iprobe_loop", 2));
}

/// Polls between computations, which must cost little.
fn busy_tests(rank: &mut Rank) {
    if rank.rank == 0 {
        rank.after_ps = Span::ms(10).0;
        rank.send(1, 5, b"late");
        return;
    }
    rank.calls("MPI_Test");
    let token = rank.irecv(0, 5, 4);
    for _ in 0..50 {
        rank.after_ps = Span::us(100).0;
        rank.hand_over(wait::POLL, &[token]);
    }
    let worked = Span::us(100) * 50;
    let taken = Span(rank.now_ps());
    assert!(taken < Span(worked.0 + worked.0 / 4), "{worked} of work took {taken}");
    rank.wait_all(&[token]);
}

#[test]
fn polls_between_computations_cost_little() {
    success(job("busy_tests", 2));
}

/// Creates communicators of the odd and of the even ranks, and uses them.
fn splits(rank: &mut Rank) {
    let (me, p) = (rank.rank, rank.size);
    rank.calls("MPI_Comm_split");
    let mut buffer = vec![0; 4096];
    let s = Submission {
        collective: collectives::Kind::Barrier as u32,
        flags: flag::NEW_CONTEXTS,
        ..EMPTY
    };
    let first = rank.collective(s, &mut buffer).value as u32;
    assert_eq!(first, 1 + p, "after the world's and everybody's own");
    assert_eq!(rank.collective(s, &mut buffer).value as u32, first + p);

    let members: Vec<u32> = (me % 2..p).step_by(2).collect();
    let list: Vec<u8> = members.iter().flat_map(|m| m.to_ne_bytes()).collect();
    let context = first + me % 2;
    let (block, bytes) = (rank.block(&list), list.len() as u64);
    rank.submit(Submission { kind: kind::COMM, context, block, bytes, ..EMPTY });
    let token = rank.token();
    let mut data = vec![0; 4096];
    data[..8].copy_from_slice(&u64::from(me).to_ne_bytes());
    let block = rank.block(&data);
    rank.submit(Submission {
        kind: kind::COLLECTIVE,
        collective: collectives::Kind::Allreduce as u32,
        token,
        context,
        peer: me / 2,
        bytes: 8,
        grain: 8,
        block,
        flags: flag::COMMUTATIVE,
        combine: combine::builtin(combine::op::SUM, combine::element::U64),
        ..EMPTY
    });
    rank.wait_all(&[token]);
    let sum: u64 = members.iter().map(|&m| u64::from(m)).sum();
    assert_eq!(rank.bytes(block, 8), sum.to_ne_bytes());
}

#[test]
fn new_communicators_have_new_contexts() {
    success(job("splits", 5));
}

/// Probes and matched probes, a canceled receive, a synchronous send.
fn takes(rank: &mut Rank) {
    if rank.rank == 0 {
        for tag in [1, 2, 3] {
            rank.send(1, tag, &[tag as u8; 5]);
        }
        rank.calls("MPI_Ssend");
        let (token, block) = (rank.token(), rank.block(b"sync"));
        let flags = flag::SYNCHRONOUS;
        rank.submit(Submission {
            kind: kind::SEND,
            flags,
            token,
            peer: 1,
            tag: 9,
            bytes: 4,
            block,
            ..EMPTY
        });
        rank.wait_all(&[token]);
        assert!(rank.now_ps() >= Span::ms(1).0, "complete before it was received");
        return;
    }
    let (token, found) = rank.probe(0, 2, flag::WAIT | flag::TAKE).unwrap();
    assert_eq!((found.bytes, found.tag, found.peer), (5, 2, 0));
    let receive = rank.token();
    let taken = kind::MATCHED_RECV;
    rank.submit(Submission { kind: taken, token: receive, other: token, bytes: 5, ..EMPTY });
    rank.wait_all(&[receive]);
    assert_eq!(rank.received(receive), [2; 5]);
    let (token, found) = rank.probe(0, ANY_TAG, flag::WAIT).unwrap();
    assert_eq!((found.tag, rank.done(token).unwrap().block), (1, 0));

    rank.calls("MPI_Cancel");
    let (never, cancel) = (rank.irecv(0, 77, 5), rank.token());
    rank.submit(Submission { kind: kind::CANCEL, token: cancel, other: never, ..EMPTY });
    // A request may be named twice.
    rank.wait_all(&[never, cancel, never]);
    assert_eq!(rank.done(never).unwrap().status, 2);

    assert_eq!(rank.recv(0, 1, 5), [1; 5]);
    assert_eq!(rank.recv(0, 3, 5), [3; 5]);
    rank.after_ps = Span::ms(1).0;
    assert_eq!(rank.recv(0, 9, 4), b"sync");
}

#[test]
fn matched_probes_and_canceled_receives_work() {
    success(job("takes", 2));
}

fn compute(rank: &mut Rank) {
    for _ in 0..3 {
        rank.after_ps = Span::us(10 * (u64::from(rank.rank) + 1)).0;
        rank.barrier();
    }
    rank.after_ps = Span::us(5).0;
}

#[test]
fn time_is_split_into_computing_waiting_and_transfer() {
    let outcome = success(job("compute", 3));
    for (i, rank) in outcome.ranks.iter().enumerate() {
        let i = i as u64;
        assert_eq!(rank.compute, Span::us(3 * 10 * (i + 1) + 5));
        // The others wait for rank 2, which computes 30 us each time.
        let (waiting, transfer) = (Span::us(3 * 10 * (2 - i)), LATENCY * 3);
        assert!(rank.waiting.0.abs_diff(waiting.0) < 100, "rank {i}: {}", rank.waiting);
        assert!(rank.transfer.0.abs_diff(transfer.0) < 100, "rank {i}: {}", rank.transfer);
    }
}

/// A token travels around the ring once.
fn ring(rank: &mut Rank) {
    let (me, p) = (rank.rank, rank.size);
    if me > 0 {
        assert_eq!(rank.recv(me - 1, 0, 4), (me - 1).to_ne_bytes());
    }
    if me + 1 < p {
        rank.send(me + 1, 0, &me.to_ne_bytes());
    }
    rank.barrier();
}

#[test]
fn two_hundred_ranks_run_to_completion() {
    let mut spec = job("ring", 200);
    let seen = std::rc::Rc::new(std::cell::RefCell::new(Vec::new()));
    let log = seen.clone();
    spec.progress = Some(Box::new(move |p| log.borrow_mut().push((p.started, p.attached))));
    let (world, _) = run(spec);
    let sends = world.log.iter().filter(|c| matches!(c.op, Op::Send { .. })).count();
    assert_eq!(sends, 199);
    assert_eq!(world.workload.outcome().exit_code, 0);
    assert!(seen.borrow().is_sorted(), "{seen:?}");
    assert_eq!(seen.borrow().last(), Some(&(200, 200)));
}
