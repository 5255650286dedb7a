//! What each collective algorithm costs where nothing contends, against its closed form: to the
//! picosecond.
//!
//! All ranks stand on nodes of one switch, one on each, so every message of so many bytes takes the
//! same time. The forms are those of docs/models/collectives.md, after Thakur, Rabenseifner and
//! Gropp (IJHPCA 2005), with LogP's overheads; the time of a message is written out from the
//! machine's numbers as docs/models/loggp.md has it. Nothing here asks the algorithms what they do.

use base::{Span, Time};
use collectives::{Algorithm as A, Collective, Kind, Ragged, Seat};
use loggp::LogGpNetwork;
use machine::{MachineSpec, NicId, NodeId};
use mpi::Library;
use sim::{End, Job, World};
use workload::{Op, Step, Streams, WORLD};

/// One switch with room for all. Rates are whole picoseconds a byte, so that sums do not round.
const MACHINE: &str = r#"
about = "one switch"
source = "arithmetic"
fabric = "generic"
routing = "minimal"
[groups.compute]
count = 1
switches = 1
global_ports = 0
nodes = 128
nics = 1
cpus = 1
[links.edge]
rate = "10 GB/s"
cable = "5 ns"
buffer = "64 KiB"
[links.local]
rate = "10 GB/s"
cable = "5 ns"
buffer = "64 KiB"
[links.global]
rate = "10 GB/s"
cable = "95 ns"
buffer = "64 KiB"
[switch]
ports = 130
latency = "350 ns"
[congestion]
management = "off"
[nic]
send_latency = "210 ns"
recv_latency = "190 ns"
immediate_max = "64 B"
dma_latency = "120 ns"
message_gap = "10 ns"
packet_payload = "2 KiB"
packet_overhead = "40 B"
window = 1024
[node]
cores = 16
shm_latency = "200 ns"
shm_rate = "8 GB/s"
memory_rate = "100 GB/s"
[storage]
rate = "1 TB/s"
node_rate = "10 GB/s"
latency = "100 us"
"#;

const LIBRARY: &str = r#"
like = "mpich"
send_overhead = "300 ns"
recv_overhead = "400 ns"
eager_max = "16 KiB"
rendezvous_eager_part = "2 KiB"
eager_copy_rate = "25 GB/s"
reduce_rate = "10 GB/s"
local_copy_rate = "12.5 GB/s"
call_overhead = "50 ns"
"#;

/// Picoseconds.
type Ps = u64;
const SEND: Ps = 300_000;
const RECV: Ps = 400_000;
/// The call itself; and no completion is heard of in the instant it happens.
const CALL: Ps = 50_000 + 1;
const EAGER_MAX: u64 = 16 << 10;
const EAGER_PART: u64 = 2 << 10;

/// From the NIC's being told to the receiver's seeing it. Two links and a switch; a message of
/// several packets is a pipeline that moves at the links' rate.
fn network(bytes: u64, from_host: bool) -> Ps {
    let dma = if from_host && bytes > 64 { 120_000 } else { 0 };
    let latency = 210_000 + dma + 2 * 5_000 + 350_000 + 190_000;
    let packets = bytes.div_ceil(2048).max(1);
    latency + 100 * (bytes + 40 * packets)
}
fn copied(bytes: u64) -> Ps {
    40 * bytes
}
fn combined(bytes: u64) -> Ps {
    100 * bytes
}
fn moved(bytes: u64) -> Ps {
    80 * bytes
}

/// A round in which everybody sends `bytes` to one and gets as many from one, alpha + n beta;
/// combines them, which takes `combine`; and moves others, which takes `local`.
fn round_with(bytes: u64, combine: Ps, local: Ps) -> Ps {
    if bytes <= EAGER_MAX {
        return SEND + network(bytes, true) + RECV + copied(bytes) + combine + local;
    }
    // Request, get, data; then the receiver's CPU, and the word to the sender that it is there.
    let data =
        SEND + network(EAGER_PART, true) + network(0, false) + network(bytes - EAGER_PART, false);
    let (cpu, word) = (RECV + combine, network(0, false));
    // What an arrival ends is over in the next instant.
    let instant = u64::from(word >= cpu && local == 0);
    data + cpu.max(word) + local + instant
}
fn round(bytes: u64) -> Ps {
    round_with(bytes, 0, 0)
}
/// alpha + n beta + n gamma.
fn combining(bytes: u64) -> Ps {
    round_with(bytes, combined(bytes), 0)
}

/// A round in which everybody sends `bytes` to each of `k` others and gets as many from each.
/// Sends go out one after the other; then the CPU takes what has come, one after the other.
fn rounds_of_many(k: u64, bytes: u64) -> Ps {
    let mut cpu = k * SEND;
    for i in 1..=k {
        cpu = cpu.max(i * SEND + network(bytes, true)) + RECV + copied(bytes);
    }
    cpu
}

fn log2(p: u64) -> u64 {
    u64::from(p.next_power_of_two().ilog2())
}
fn sum(count: u64, of: impl Fn(u64) -> Ps) -> Ps {
    (0..count).map(of).sum()
}

/// The time of every rank from the call to its return.
fn simulated(kind: Kind, algorithm: A, size: u32, bytes: u64) -> Vec<Ps> {
    let machine =
        MachineSpec::parse("switch", MACHINE, &[]).and_then(|s| s.resolve()).expect("legal");
    let library = Library::parse("test", LIBRARY, "generic").expect("legal");
    let seat = |rank: u32| {
        let (node, nic, binding) = (NodeId(rank), NicId(rank), Default::default());
        sim::Seat { node, nic, binding }
    };
    let seats = (0..size).map(seat).collect();
    let job = Job::new(machine, library, seats, 1);
    let even = |blocks: u32| Some(Ragged::new((0..blocks).map(|_| bytes)));
    let program = |rank| {
        let ragged = match kind {
            Kind::Alltoallv => even(2 * size),
            Kind::Allgatherv | Kind::ReduceScatter => even(size),
            Kind::Gatherv | Kind::Scatterv if rank == 0 => even(size),
            _ => None,
        };
        let seat = Seat { rank, size };
        let call = Collective { kind, algorithm, seat, root: 0, bytes, grain: 8, ragged };
        let call = Op::Collective { context: WORLD, call };
        vec![Step::Mark, Step::Do(call), Step::Wait, Step::Mark]
    };
    let mut world = World::<LogGpNetwork, _>::new(&job, Streams::new((0..size).map(program)));
    assert_eq!(world.run(&mut |_| true).end, End::Finished);
    let marks = &world.workload.marks;
    assert!(marks.iter().all(|m| m[0] == Time::ZERO));
    marks.iter().map(|m| (m[1] - m[0]).0).collect()
}

/// The last rank's return, less the call itself.
fn last(kind: Kind, algorithm: A, size: u64, bytes: u64) -> Ps {
    let times = simulated(kind, algorithm, size as u32, bytes);
    times.into_iter().max().expect("there are ranks") - CALL
}

fn check(kind: Kind, algorithm: A, p: u64, bytes: u64, want: Ps) {
    let got = last(kind, algorithm, p, bytes);
    assert_eq!(got, want, "{kind:?} {algorithm:?}, {p} ranks, {bytes} B: {}", Span(got));
}

/// Block sizes: a word; one packet; several packets; rendezvous.
const BLOCKS: [u64; 4] = [8, 2_048, 6_000, 40_000];

/// Everybody does the same in every round: any number of ranks.
#[test]
fn in_step_for_any_number_of_ranks() {
    for p in [2, 3, 4, 5, 7, 8, 13, 16, 24, 31, 32, 97] {
        let l = log2(p);
        check(Kind::Barrier, A::Dissemination, p, 0, l * round(0));
        for m in BLOCKS {
            // Round k passes on min(2^k, p - 2^k) blocks; the own block goes to scratch, and all
            // of them are rotated back.
            let ends = |k: u64, first: Ps, last: Ps| {
                u64::from(k == 0) * first + u64::from(k + 1 == l) * last
            };
            let bruck = sum(l, |k| {
                let blocks = (1 << k).min(p - (1 << k));
                round_with(m * blocks, 0, ends(k, moved(m), moved(p * m)))
            });
            // Round k moves on the blocks with bit k set; every other one is copied first, all of
            // them are rotated at the end.
            let to_all = sum(l, |k| {
                let bits = (1..p).filter(|j| j >> k & 1 == 1).count() as u64;
                round_with(m * bits, 0, ends(k, moved(m * p.div_ceil(2)), moved(m * p)))
            });
            let pairwise = round_with(m, 0, moved(m)) + (p - 2) * round(m);
            for kind in [Kind::Allgather, Kind::Allgatherv] {
                check(kind, A::Ring, p, m, (p - 1) * round(m));
                check(kind, A::Bruck, p, m, bruck);
                if p % 2 == 0 {
                    let neighbor = round(m) + (p / 2 - 1) * round(2 * m);
                    check(kind, A::Neighbor, p, m, neighbor);
                } else {
                    check(kind, A::Neighbor, p, m, (p - 1) * round(m));
                }
            }
            for kind in [Kind::Alltoall, Kind::Alltoallv] {
                check(kind, A::Pairwise, p, m, pairwise);
                if m < 2_048 {
                    for throttle in [1, 3, 32] {
                        let (full, rest) = ((p - 1) / throttle, (p - 1) % throttle);
                        let rest = if rest > 0 { rounds_of_many(rest, m) } else { 0 };
                        let want = full * rounds_of_many(throttle, m) + rest + moved(m);
                        let throttle = throttle as u16;
                        check(kind, A::Scattered { throttle }, p, m, want);
                    }
                }
            }
            check(Kind::Alltoall, A::Bruck, p, m, to_all);
            if m <= EAGER_MAX {
                let ring = (p - 1) * combining(m);
                check(Kind::ReduceScatterBlock, A::Ring, p, m, ring);
                check(Kind::ReduceScatter, A::Ring, p, m, ring);
                // A vector of p blocks.
                let twice = ring + (p - 1) * round(m);
                check(Kind::Allreduce, A::Ring, p, p * m, twice);
            }
        }
    }
}

/// Halving and doubling: powers of two.
#[test]
fn halving_and_doubling_for_powers_of_two() {
    for p in [2, 4, 8, 16, 32, 64] {
        let l = log2(p);
        for m in [8, 200, 2_048] {
            let n = p * m;
            let halved = |i: u64| n >> (i + 1);
            let doubled = |k: u64| m << k;
            let halving = sum(l, |i| combining(halved(i)));
            let gathering = sum(l, |k| round(doubled(k)));
            for kind in [Kind::Allgather, Kind::Allgatherv] {
                check(kind, A::RecursiveDoubling, p, m, gathering);
            }
            check(Kind::Allreduce, A::Rabenseifner, p, n, halving + gathering);
            for kind in [Kind::ReduceScatter, Kind::ReduceScatterBlock] {
                check(kind, A::RecursiveHalving, p, m, halving);
            }
            check(Kind::Reduce, A::ReduceScatterGather, p, n, halving + sum_up(l, doubled));
            let exchange = l * combining(m);
            check(Kind::Allreduce, A::RecursiveDoubling, p, m, exchange);
            check(Kind::Allreduce, A::RecursiveExchange { k: 2 }, p, m, exchange);
            // One vector up the tree, one down.
            let up = l * combining(m);
            check(Kind::Allreduce, A::ReduceBcast, p, m, up + l * round(m));
            check(Kind::Reduce, A::Binomial, p, m, up);
            check(Kind::Bcast, A::Binomial, p, m, l * round(m));
            // Who passes on half goes on when it has the word; the last one begins what follows.
            let scatter = sum(l, |i| round(n >> (i + 1)));
            check(Kind::Scatter, A::Binomial, p, m, scatter);
            check(Kind::Gather, A::Binomial, p, m, sum_up(l, doubled));
            check(Kind::Bcast, A::ScatterRing, p, n, scatter + (p - 1) * round(m));
            check(Kind::Bcast, A::ScatterRecursiveDoubling, p, n, scatter + gathering);
        }
    }
}

/// Messages along a path, each of which leaves when the one before has been taken in. Only the last
/// one's sender is waited for until it has the word.
fn sum_up(count: u64, bytes: impl Fn(u64) -> u64) -> Ps {
    let taken = |n| {
        let early = network(0, false).saturating_sub(RECV) + 1;
        if n <= EAGER_MAX { round(n) } else { round(n) - early }
    };
    sum(count - 1, |i| taken(bytes(i))) + round(bytes(count - 1))
}

/// A radix-k exchange over k^s ranks: s rounds with k - 1 partners each. Partners are served in
/// rank order, so the last of a group hears from all of them when each has sent to all others; it
/// and those like it are the last in every round.
#[test]
fn exchanges_of_any_radix() {
    for (k, steps) in [(3, 1), (3, 3), (4, 2), (4, 3), (8, 2), (12, 1), (16, 1)] {
        for n in [8, 1_024] {
            let p = u64::pow(k, steps);
            let others = k - 1;
            let taken = others * (RECV + copied(n)) + combined(others * n);
            let want = u64::from(steps) * (others * SEND + network(n, true) + taken);
            check(Kind::Allreduce, A::RecursiveExchange { k: k as u8 }, p, n, want);
        }
    }
}

/// All to one or one to all at once: the one's CPU is what takes time if messages are short.
#[test]
fn at_once() {
    for p in [2, 3, 8, 31, 97] {
        for m in [8, 64] {
            let taken = RECV + copied(m);
            let to_root = SEND + network(m, true) + (p - 1) * taken;
            let from_root = (p - 1) * SEND + network(m, true) + taken;
            for kind in [Kind::Gather, Kind::Gatherv] {
                check(kind, A::Linear, p, m, to_root);
            }
            for kind in [Kind::Scatter, Kind::Scatterv] {
                check(kind, A::Linear, p, m, from_root);
            }
        }
    }
}

/// Scans by recursive doubling: what comes from below is combined twice, into the result and the
/// total; from above once. The first total is a copy of the own operand.
#[test]
fn scans_rank_by_rank() {
    for p in [2u32, 4, 16, 64] {
        let l = log2(u64::from(p));
        for n in [8, 1_024] {
            let times = simulated(Kind::Scan, A::RecursiveDoubling, p, n);
            let exclusive = simulated(Kind::Exscan, A::RecursiveDoubling, p, n);
            for rank in 0..p {
                let ones = u64::from(rank.count_ones());
                let want = CALL + l * round(n) + (l + ones) * combined(n) + moved(n);
                assert_eq!(times[rank as usize], want, "scan, rank {rank} of {p}, {n} B");
                // The first from below replaces the own operand.
                let want = if rank > 0 { want - combined(n) + moved(n) } else { want };
                assert_eq!(exclusive[rank as usize], want, "exscan, rank {rank} of {p}, {n} B");
            }
        }
    }
}

/// Pairwise reduce-scatter combines on every rank p - 1 times, but in one round a rank only puts
/// away what came, and combines it at the end: ranks are out of step by one combination.
#[test]
fn pairwise_reduce_scatter_within_one_combination() {
    for p in [2, 3, 8, 13, 32] {
        for m in [8, 2_048] {
            for kind in [Kind::ReduceScatter, Kind::ReduceScatterBlock] {
                let got = last(kind, A::Pairwise, p, m);
                let form = (p - 1) * combining(m);
                assert!(got.abs_diff(form) <= combined(m), "{p} ranks, {m} B: {got} {form}");
            }
        }
    }
}

/// No algorithm is without its form.
#[test]
fn every_algorithm_has_a_form_here() {
    let text = include_str!("closed_forms.rs");
    for kind in Kind::ALL {
        assert!(text.contains(&format!("Kind::{kind:?}")), "{kind:?}");
        for algorithm in kind.algorithms() {
            let name = format!("{algorithm:?}");
            let name = name.split([' ', '{']).next().expect("it has a name");
            assert!(text.contains(&format!("A::{name}")), "{kind:?} {name}");
        }
    }
}
