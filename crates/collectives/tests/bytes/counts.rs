//! Checks rounds and bytes against the table in docs/models/collectives.md, and memory against
//! size. The formulas are from the literature, not from this code.

use crate::common::{Operator, Round, check_collected, deposited, run_in_step, run_lazily};
use collectives::{Algorithm, Collective, Execution, Kind, Member, Ragged, RoundSink};
use collectives::{ApplyMode, ByteRange, Memory};

fn call(kind: Kind, algorithm: Algorithm, rank: u32, size: u32, bytes: u64) -> Collective {
    let member = Member { rank, size };
    Collective { kind, algorithm, member, root: 0, bytes, grain: 8, ragged: None, nodes: None }
}

#[derive(Default)]
struct Sum {
    messages: u64,
    sent: u64,
    combined: u64,
}
impl RoundSink for Sum {
    fn send(&mut self, _: u32, part: ByteRange) {
        self.messages += 1;
        self.sent += part.len;
    }
    fn recv(&mut self, _: u32, part: ByteRange, mode: ApplyMode) {
        if mode != ApplyMode::Write {
            self.combined += part.len;
        }
    }
    fn local(&mut self, _: ByteRange, to: ByteRange, mode: ApplyMode) {
        if mode != ApplyMode::Write {
            self.combined += to.len;
        }
    }
}

/// The sums over all rounds of one rank.
fn sum(c: &Collective) -> Sum {
    let mut sum = Sum::default();
    for k in 0..c.rounds() {
        c.round(k, &mut sum);
    }
    sum
}

/// With p a power of two that divides n bytes, every rank sends the same, except in trees.
#[test]
fn rounds_and_bytes_are_those_of_the_closed_forms() {
    use Algorithm as A;
    for log in 1..=7u32 {
        let p = 1 << log;
        let (pp, lg) = (u64::from(p), u64::from(log));
        // `block` bytes per block, `n` bytes per vector.
        let (block, n) = (24, 24 * pp);
        let lead = n - block; // (p-1)/p n
        let scattered = Algorithm::Scattered { throttle: 3 };
        for (kind, algorithm, bytes, rounds, sent, combined) in [
            (Kind::Barrier, A::Dissemination { k: 2 }, 0, lg, 0, 0),
            (Kind::Allreduce, A::RecursiveDoubling, n, lg, lg * n, lg * n),
            (Kind::Allreduce, A::RecursiveExchange { k: 2 }, n, lg, lg * n, lg * n),
            (Kind::Allreduce, A::Rabenseifner, n, 2 * lg, 2 * lead, lead),
            (Kind::Allreduce, A::Ring, n, 2 * (pp - 1), 2 * lead, lead),
            (Kind::Allgather, A::Ring, block, pp - 1, lead, 0),
            (Kind::Allgather, A::Bruck, block, lg, lead, 0),
            (Kind::Allgather, A::RecursiveDoubling, block, lg, lead, 0),
            (Kind::Allgather, A::Neighbor, block, pp / 2, lead, 0),
            (Kind::Alltoall, A::Pairwise, block, pp - 1, lead, 0),
            (Kind::Alltoall, scattered, block, (pp - 1).div_ceil(3), lead, 0),
            (Kind::Alltoall, A::Bruck, block, lg, lg * n / 2, 0),
            (Kind::ReduceScatterBlock, A::RecursiveHalving, block, lg, lead, lead),
            (Kind::ReduceScatterBlock, A::Ring, block, pp - 1, lead, lead),
        ] {
            for rank in 0..p {
                let c = call(kind, algorithm, rank, p, bytes);
                let got = sum(&c);
                let want = (rounds, sent, combined);
                assert_eq!((u64::from(c.rounds()), got.sent, got.combined), want, "{c:?}");
            }
        }
    }
}

/// A radix-k exchange over k^s ranks: s rounds of k - 1 messages of the vector each.
#[test]
fn a_wide_exchange_sends_to_all_peers_of_a_digit() {
    for (k, steps) in [(2u8, 5u32), (3, 3), (4, 3), (12, 2), (16, 1)] {
        let size = u32::from(k).pow(steps);
        for rank in 0..size {
            let c = call(Kind::Allreduce, Algorithm::RecursiveExchange { k }, rank, size, 64);
            let got = sum(&c);
            let messages = u64::from(steps) * (u64::from(k) - 1);
            assert_eq!((c.rounds(), got.messages, got.sent), (steps, messages, 64 * messages));
            assert_eq!(got.combined, 64 * messages, "{c:?}");
        }
    }
}

/// Trees: rounds, and bytes of all ranks together, for any size.
#[test]
fn trees_have_logarithmic_rounds_and_minimal_traffic() {
    use Algorithm as A;
    for size in 1..=70u32 {
        let p = u64::from(size);
        let log = size.next_power_of_two().ilog2();
        let n = 8 * p;
        let total = |kind, algorithm, bytes| -> u64 {
            (0..size).map(|r| sum(&call(kind, algorithm, r, size, bytes)).sent).sum()
        };
        let rounds = |kind, algorithm| call(kind, algorithm, 0, size, 8).rounds();
        for (kind, algorithm) in [
            (Kind::Bcast, A::Binomial),
            (Kind::Reduce, A::Binomial),
            (Kind::Gather, A::Binomial),
            (Kind::Scatter, A::Binomial),
            (Kind::Scan, A::RecursiveDoubling),
        ] {
            assert_eq!(rounds(kind, algorithm), log, "{kind:?} {size}");
        }
        // Every rank but the root receives the vector once, or sends it once.
        assert_eq!(total(Kind::Bcast, A::Binomial, n), (p - 1) * n);
        assert_eq!(total(Kind::Reduce, A::Binomial, n), (p - 1) * n);
        assert_eq!(total(Kind::Gather, A::Linear, 8), (p - 1) * 8);
        // Block v takes as many hops as v has ones.
        let hops: u64 = (0..size).map(|v| u64::from(v.count_ones())).sum();
        assert_eq!(total(Kind::Gather, A::Binomial, 8), hops * 8);
        assert_eq!(total(Kind::Scatter, A::Binomial, 8), hops * 8);
    }
}

/// Above 256 KiB wide exchanges use radix 2, so scratch stays small.
#[test]
fn long_vectors_need_no_wide_scratch() {
    for (bytes, buffer, rounds) in [
        (256 << 10, 16 * (256 << 10), 2),
        ((256 << 10) + 8, (256 << 10) + 8, 4),
        (1 << 30, 1 << 30, 4),
    ] {
        let algorithm = Algorithm::RecursiveExchange { k: 4 };
        let c = call(Kind::Allreduce, algorithm, 3, 16, bytes);
        assert_eq!((c.buffer_bytes(), c.rounds()), (buffer, rounds), "{bytes} B");
    }
    let algorithm = Algorithm::RecursiveExchange { k: 4 };
    let calls: Vec<_> =
        (0..5).map(|rank| call(Kind::Allreduce, algorithm, rank, 5, (256 << 10) + 8)).collect();
    let mut buffers = deposited(&calls, Operator::Sum);
    run_in_step(&calls, &mut buffers);
    check_collected(&calls, &buffers, "in step");
}

/// At sizes too large for real bytes: each send of the sampled ranks is received in the same round
/// by its target, with the same length. The simulator relies on this.
#[test]
fn rounds_match_at_a_hundred_thousand_ranks() {
    let size = 100_003;
    for kind in Kind::ALL {
        for &algorithm in kind.algorithms() {
            if algorithm == Algorithm::Linear {
                continue;
            }
            let rounds = call(kind, algorithm, 0, size, 80).rounds();
            for rank in [0, 1, 65_535, 65_536, 68_933, 68_934, size - 1] {
                for k in [0, 1, rounds / 2, rounds.saturating_sub(1)].map(|k| k.min(rounds - 1)) {
                    let mut mine = Round::default();
                    call(kind, algorithm, rank, size, 80).round(k, &mut mine);
                    for message in mine.sends.chunk_by(|a, b| a.0 == b.0) {
                        let to = message[0].0;
                        let mut theirs = Round::default();
                        call(kind, algorithm, to, size, 80).round(k, &mut theirs);
                        let sent: u64 = message.iter().map(|m| m.1.len).sum();
                        let got = theirs.recvs.iter().filter(|r| r.0 == rank);
                        let received: u64 = got.clone().map(|r| r.1.len).sum();
                        assert!(got.count() > 0, "{kind:?} {algorithm:?} {rank} -> {to}, {k}");
                        assert_eq!(sent, received, "{kind:?} {algorithm:?} {rank} -> {to}, {k}");
                    }
                }
            }
        }
    }
}

/// 1,024 ranks, of which early ones finish before others have done anything: copied data stays
/// within a few working buffers.
#[test]
fn early_finishers_leave_few_unread_bytes() {
    struct Zeros;
    impl Memory for Zeros {
        fn read(&mut self, _: u32, part: ByteRange, out: &mut Vec<u8>) {
            out.resize(out.len() + part.len as usize, 0);
        }
        fn write(&mut self, _: u32, _: u64, _: &[u8]) {}
        fn combine(&mut self, _: u32, _: u64, _: &[u8], _: bool) {}
        fn copy(&mut self, _: u32, _: ByteRange, _: u32, _: u64) {}
    }
    let size = 1024;
    let cases = [
        (Kind::Alltoall, Algorithm::Scattered { throttle: 32 }, 64),
        (Kind::Alltoall, Algorithm::Pairwise, 64),
        (Kind::Allgather, Algorithm::Ring, 64),
        (Kind::Bcast, Algorithm::Binomial, 1 << 16),
        (Kind::Allreduce, Algorithm::Ring, 1 << 13),
    ];
    for (kind, algorithm, bytes) in cases {
        let mut execution = Execution::new(size);
        for rank in 0..size {
            execution.join(rank, call(kind, algorithm, rank, size, bytes)).expect("all agree");
        }
        let buffer = call(kind, algorithm, 0, size, bytes).buffer_bytes();
        let mut most = 0;
        for rank in 0..size {
            execution.advance(rank, &mut Zeros).expect("all are there");
            // Counting inspects every rank's inbox, so it is done once per 64 ranks.
            if rank % 64 == 0 {
                most = most.max(execution.unread_bytes());
            }
        }
        assert!(most <= 16 * buffer, "{kind:?} {algorithm:?}: {most} B waiting, buffer {buffer} B");
        assert!(execution.is_complete());
        assert_eq!(execution.unread_bytes(), 0);
    }
}

/// An alltoallv in which ranks without data to receive finish before others join.
#[test]
fn a_rank_may_finish_before_its_receivers_join() {
    let size = 9u32;
    // Rank r sends r - i words to each lower rank i, so the last rank receives nothing.
    let words = |from: u32, to: u32| u64::from(from.saturating_sub(to)) * 8;
    let calls: Vec<_> = (0..size)
        .map(|rank| {
            let sent = (0..size).map(|other| words(rank, other));
            let received = (0..size).map(|other| words(other, rank));
            let mut c = call(Kind::Alltoallv, Algorithm::Pairwise, rank, size, 0);
            c.ragged = Some(Ragged::new(sent.chain(received)));
            c
        })
        .collect();
    let mut buffers = deposited(&calls, Operator::Sum);
    let mut execution = Execution::new(size);
    for rank in (0..size).rev() {
        execution.join(rank, calls[rank as usize].clone()).expect("all agree");
        execution.advance(rank, &mut buffers).expect("all it hears of are there");
    }
    check_collected(&calls, &buffers, "downwards");
    for seed in 0..50 {
        let mut buffers = deposited(&calls, Operator::Sum);
        run_lazily(&calls, &mut buffers, seed);
        check_collected(&calls, &buffers, "in any order");
    }
}
