//! Cost of each collective algorithm without contention, compared with its closed form to the
//! picosecond.
//!
//! All ranks are on nodes of one switch, one per node, so every message of one size takes the same
//! time. The forms are those of docs/models/collective-times.md, after Thakur, Rabenseifner and
//! Gropp (IJHPCA 2005), with LogP's overheads. The time of a message is computed from the machine's
//! parameters as in docs/models/loggp.md. Nothing here calls the algorithms to compute
//! expectations.

use base::{Span, Time};
use collectives::{
    Algorithm as A, Collective, Composition, InterNode, Kind, Member, Ragged, TreeShape,
};
use loggp::LogGpNetwork;
use machine::{MachineSpec, NicId, NodeId};
use mpi::Library;
use sim::{End, Job, World};
use workload::{Op, Step, Streams, WORLD};

/// One switch with room for all ranks. Rates are whole picoseconds per byte, so that sums are not
/// rounded.
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
[local_storage]
rate = "1 TB/s"
node_rate = "10 GB/s"
latency = "100 us"
"#;

const LIBRARY: &str = r#"
like = "mpich"
send_overhead = "300 ns"
recv_overhead = "400 ns"
shm_send_overhead = "30 ns"
shm_recv_overhead = "40 ns"
shm_eager_max = "8 KiB"
eager_max = "16 KiB"
rendezvous_eager_part = "2 KiB"
eager_copy_rate = "25 GB/s"
reduce_rate = "10 GB/s"
local_copy_rate = "12.5 GB/s"
pack_round = "700 ns"
pack_block = "10 ns"
pack_stretch = "20 ns"
pack_element = "1 ns"
move_block = "30 ns"
post_overhead = "50 ns"
call_overhead = "50 ns"
"#;

/// Picoseconds.
type Ps = u64;
const SEND: Ps = 300_000;
const RECV: Ps = 400_000;
/// The call itself; and a completion is never reported at the instant at which it occurs.
const CALL: Ps = 50_000 + 1;
const EAGER_MAX: u64 = 16 << 10;
const EAGER_PART: u64 = 2 << 10;

/// From the command to the NIC until the receiver observes it: two links and a switch. A message of
/// several packets is a pipeline at the links' rate.
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

/// All blocks in the reverse order.
fn turned(blocks: u64, bytes: u64) -> Ps {
    blocks * 30_000 + moved(blocks * bytes)
}
/// Bruck's message of a round: the blocks `j` of `p` whose digit `k` in radix `radix` is `digit`.
/// CPU time before it leaves, and after one like it has arrived. Elements have 8 bytes.
fn packed(p: u64, bytes: u64, (radix, k, digit): (u64, u64, u64)) -> (Ps, Ps) {
    let is_in = |j: &u64| j / radix.pow(k as u32) % radix == digit;
    let blocks = (0..p).filter(is_in).count() as u64;
    let runs = (0..p).filter(|j| is_in(j) && !(*j > 0 && is_in(&(j - 1)))).count() as u64;
    let sum = blocks * bytes;
    let elements = if runs > 1 { sum / 8 * 1_000 } else { 0 };
    let copied = elements.max(moved(sum));
    (700_000 + 10_000 * blocks + 20_000 * runs + copied, copied)
}

/// A round in which every rank sends `bytes` to one rank and receives as many from one, alpha + n
/// beta. It combines them in `combine`, and copies others in `local`.
fn round_with(bytes: u64, combine: Ps, local: Ps) -> Ps {
    if bytes <= EAGER_MAX {
        return SEND + network(bytes, true) + RECV + copied(bytes) + combine + local;
    }
    // Request, get, data; then the receiver's CPU, and the notification of the sender.
    let data =
        SEND + network(EAGER_PART, true) + network(0, false) + network(bytes - EAGER_PART, false);
    let (cpu, word) = (RECV + combine, network(0, false));
    // Work that an arrival completes ends at the next instant.
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

/// A round in which every rank exchanges `bytes` with each of `k` others. Sends leave one after the
/// other; then the CPU handles the arrivals one after the other.
fn rounds_of_many(k: u64, bytes: u64) -> Ps {
    rounds_of_many_after(0, k, bytes)
}
/// The same with `before` of CPU time before each send.
fn rounds_of_many_after(before: Ps, k: u64, bytes: u64) -> Ps {
    let send = before + SEND;
    let mut cpu = k * send;
    for i in 1..=k {
        cpu = cpu.max(i * send + network(bytes, true)) + RECV + copied(bytes);
    }
    cpu
}

fn log2(p: u64) -> u64 {
    u64::from(p.next_power_of_two().ilog2())
}
fn sum(count: u64, of: impl Fn(u64) -> Ps) -> Ps {
    (0..count).map(of).sum()
}

/// The time of every rank from the call to its return, with `ppn` ranks per node.
fn simulated(kind: Kind, algorithm: A, size: u32, bytes: u64) -> Vec<Ps> {
    simulated_on(kind, algorithm, (size, 1, 0), bytes, &[])
}
fn simulated_on(
    kind: Kind,
    algorithm: A,
    (size, ppn, root): (u32, u32, u32),
    bytes: u64,
    set: &[(String, String)],
) -> Vec<Ps> {
    let machine =
        MachineSpec::parse("switch", MACHINE, set).and_then(|s| s.resolve()).expect("legal");
    let library = Library::parse("test", LIBRARY, "generic").expect("legal");
    let member = |rank: u32| {
        let (node, nic) = (NodeId(rank / ppn), NicId(rank / ppn));
        let binding = Default::default();
        sim::RankPlacement { node, nic, binding }
    };
    let placements = (0..size).map(member).collect();
    let job = Job::new(machine, library, placements, 1);
    let even = |blocks: u32| Some(Ragged::new((0..blocks).map(|_| bytes)));
    let program = |rank| {
        let ragged = match kind {
            Kind::Alltoallv => even(2 * size),
            Kind::Allgatherv | Kind::ReduceScatter => even(size),
            Kind::Gatherv | Kind::Scatterv if rank == 0 => even(size),
            _ => None,
        };
        let member = Member { rank, size };
        let (grain, nodes) = (8, None);
        let call = Collective { kind, algorithm, member, root, bytes, grain, ragged, nodes };
        let call = Op::Collective { context: WORLD, call };
        vec![Step::Mark, Step::Do(call), Step::Wait, Step::Mark]
    };
    let mut world = World::<LogGpNetwork, _>::new(&job, Streams::new((0..size).map(program)));
    assert_eq!(world.run(&mut |_| true).end, End::Finished);
    let marks = &world.workload.marks;
    assert!(marks.iter().all(|m| m[0] == Time::ZERO));
    marks.iter().map(|m| (m[1] - m[0]).0).collect()
}

/// The last rank's return, excluding the call itself.
fn last(kind: Kind, algorithm: A, size: u64, bytes: u64) -> Ps {
    let times = simulated(kind, algorithm, size as u32, bytes);
    times.into_iter().max().expect("there are ranks") - CALL
}

fn check(kind: Kind, algorithm: A, p: u64, bytes: u64, want: Ps) {
    let got = last(kind, algorithm, p, bytes);
    assert_eq!(got, want, "{kind:?} {algorithm:?}, {p} ranks, {bytes} B: {}", Span(got));
}

/// Block sizes: one word, one packet, several packets, rendezvous.
const BLOCKS: [u64; 4] = [8, 2_048, 6_000, 40_000];

/// All ranks do the same in every round, for any number of ranks.
#[test]
fn in_step_for_any_number_of_ranks() {
    for p in [2, 3, 4, 5, 7, 8, 13, 16, 24, 31, 32, 97] {
        let l = log2(p);
        check(Kind::Barrier, A::Dissemination { k: 2 }, p, 0, l * round(0));
        for m in BLOCKS {
            // Round k forwards min(2^k, p - 2^k) blocks. The own block is copied to scratch, and
            // all blocks are rotated back.
            let ends = |k: u64, first: Ps, last: Ps| {
                u64::from(k == 0) * first + u64::from(k + 1 == l) * last
            };
            let bruck = sum(l, |k| {
                let blocks = (1 << k).min(p - (1 << k));
                round_with(m * blocks, 0, ends(k, moved(m), moved(p * m)))
            });
            // Round k moves the blocks with bit k set. Every other one is copied first; all are
            // rotated at the end.
            let to_all = sum(l, |k| {
                let bits = (1..p).filter(|j| j >> k & 1 == 1).count() as u64;
                let (before, after) = packed(p, m, (2, k, 1));
                let local = ends(k, moved(m * p.div_ceil(2)), turned(p, m));
                before + round_with(m * bits, 0, after + local)
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
            // Equal pieces to equal numbers of partners.
            for throttle in [1, 3] {
                if m < 2_048 && (p - 1) % throttle == 0 {
                    let want = 4 * (p - 1) / throttle * rounds_of_many(throttle, m / 4);
                    let (chunk, throttle) = ((m / 4) as u32, throttle as u16);
                    check(Kind::Alltoall, A::Chunked { chunk, throttle }, p, m, want + moved(m));
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
            // A rank that forwards half continues when it is notified; the last one starts the next
            // phase.
            let scatter = sum(l, |i| round(n >> (i + 1)));
            check(Kind::Scatter, A::Binomial, p, m, scatter);
            check(Kind::Gather, A::Binomial, p, m, sum_up(l, doubled));
            check(Kind::Bcast, A::ScatterRing, p, n, scatter + (p - 1) * round(m));
            check(Kind::Bcast, A::ScatterRecursiveDoubling, p, n, scatter + gathering);
        }
    }
}

/// Messages along a path, each of which leaves when the one before has been received. Only the last
/// sender waits for its notification.
fn sum_up(count: u64, bytes: impl Fn(u64) -> u64) -> Ps {
    let taken = |n| {
        let early = network(0, false).saturating_sub(RECV) + 1;
        if n <= EAGER_MAX { round(n) } else { round(n) - early }
    };
    sum(count - 1, |i| taken(bytes(i))) + round(bytes(count - 1))
}

/// A radix-k exchange over k^s ranks: s rounds with k - 1 partners each. Partners are served in
/// rank order, so the last of a group receives from all when each has sent to all others. This
/// rank, and those like it, are last in every round.
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

/// All to one or one to all at once: for short messages that rank's CPU is the bottleneck.
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

/// Scans by recursive doubling: data from lower ranks is combined twice, into the result and the
/// total; data from higher ranks once. The first total is a copy of the own operand.
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
                // The first data from a lower rank replaces the own operand.
                let want = if rank > 0 { want - combined(n) + moved(n) } else { want };
                assert_eq!(exclusive[rank as usize], want, "exscan, rank {rank} of {p}, {n} B");
            }
        }
    }
}

/// Pairwise reduce-scatter combines p - 1 times on every rank. In one round a rank only stores what
/// arrives, and combines it at the end, so ranks differ by one combination.
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

/// Bruck's and dissemination with k - 1 partners per round, over k^s ranks: all ranks receive in
/// the order in which all send.
#[test]
fn bruck_and_dissemination_of_any_radix() {
    for (k, steps) in [(2, 3), (3, 1), (3, 3), (4, 2), (4, 3), (8, 2), (16, 1)] {
        let p = u64::pow(k, steps);
        let signals = u64::from(steps) * rounds_of_many(k - 1, 0);
        check(Kind::Barrier, A::Dissemination { k: k as u8 }, p, 0, signals);
        // In rank order, as above.
        let meeting = (k - 1) * SEND + network(0, true) + (k - 1) * RECV;
        let meet = u64::from(steps) * meeting;
        check(Kind::Barrier, A::RecursiveExchange { k: k as u8 }, p, 0, meet);
        // The longest message is carried in its command.
        for m in [1, 64 / u64::pow(k, steps - 1)] {
            let gathering = sum(steps.into(), |i| rounds_of_many(k - 1, m * k.pow(i as u32)));
            let want = gathering + moved(m) + moved(p * m);
            check(Kind::Allgather, A::KBruck { k: k as u8 }, p, m, want);
            // A k-th of all blocks to each partner. The blocks that stay are copied first; all are
            // rotated last.
            let share = p / k * m;
            let exchanges = sum(steps.into(), |i| {
                let (before, after) = packed(p, m, (k, i, 1));
                rounds_of_many_after(before, k - 1, share) + (k - 1) * after
            });
            let want = exchanges + moved(share) + turned(p, m);
            check(Kind::Alltoall, A::KBruck { k: k as u8 }, p, m, want);
            let doubling = sum(steps.into(), |i| {
                let n = m * k.pow(i as u32);
                let taken = (k - 1) * (RECV + copied(n));
                (k - 1) * SEND + network(n, true) + taken
            });
            check(Kind::Allgather, A::ExchangeDoubling { k: k as u8 }, p, m, doubling);
        }
    }
    // With radix 2, halving is doubling after one swap of blocks.
    for log in 2..=6 {
        let (p, m) = (1 << log, 200);
        let want = round(m) + sum(log, |i| round(m << i));
        check(Kind::Allgather, A::ExchangeHalving { k: 2 }, p, m, want);
    }
}

/// Full trees of any radix, with the vector whole and in segments. At each level the last child
/// served continues. An inner rank's CPU is busy for one segment's sends and receives.
#[test]
fn trees_whole_and_in_segments() {
    for (shape, k, height) in [
        (TreeShape::Kary, 1, 6),
        (TreeShape::Chain, 1, 6),
        (TreeShape::Kary, 2, 2),
        (TreeShape::Levels, 2, 2),
        (TreeShape::Kary, 2, 3),
        (TreeShape::Levels, 2, 3),
        (TreeShape::Kary, 3, 3),
        (TreeShape::Levels, 4, 2),
    ] {
        let p: u64 = (0..=height).map(|level| u64::pow(k, level)).sum();
        let height = u64::from(height);
        let chunk = 1_000;
        // In deeper trees of several children, a NIC that must fetch a message delays messages that
        // arrive meanwhile.
        let most = if k == 1 || height == 2 { 5 } else { 1 };
        for segments in [1, 2, 5].into_iter().filter(|&n| n <= most) {
            let n = chunk * segments;
            let down = k * SEND + network(chunk, true) + RECV + copied(chunk);
            let pace = k * SEND + RECV + copied(chunk);
            let one = RECV + copied(chunk) + combined(chunk);
            let (up, up_pace) = (SEND + network(chunk, true) + k * one, SEND + k * one);
            let down = height * down + (segments - 1) * pace;
            let up = height * up + (segments - 1) * up_pace;
            let cut = if segments > 1 { chunk as u32 } else { 0 };
            let tree = A::Tree { shape, k: k as u32, chunk: cut };
            check(Kind::Bcast, tree, p, n, down);
            check(Kind::Reduce, tree, p, n, up);
        }
        let n = chunk;
        let both = |with| SEND + network(n, true) + with;
        let up = height * both(k * (RECV + copied(n) + combined(n)));
        let down = height * ((k - 1) * SEND + both(RECV + copied(n)));
        let tree = A::Tree { shape, k: k as u32, chunk: 0 };
        check(Kind::Allreduce, tree, p, n, up + down);
    }
    // The child with the most ranks below it comes first: binomial.
    for log in 1..=6 {
        let tree = A::Tree { shape: TreeShape::Knomial2, k: 2, chunk: 0 };
        check(Kind::Bcast, tree, 1 << log, 1_000, log * round(1_000));
        let tree = A::Tree { shape: TreeShape::Knomial1, k: 2, chunk: 0 };
        check(Kind::Bcast, tree, 1 << log, 1_000, log * round(1_000));
    }
    // Half of the data down each side, then halves are swapped.
    for height in 1..=4 {
        let (p, half) = ((1 << (height + 1)) - 1, 1_000);
        let level = 2 * SEND + network(half, true) + RECV + copied(half);
        let want = height * level + round(half);
        check(Kind::Bcast, A::SplitBinary { chunk: 0 }, p, 2 * half, want);
    }
}

/// A message between two ranks of a node. The sender copies it into a cell. The receiver learns of
/// it an instant later, fetches it from the sender's cache and copies it out.
fn near(bytes: u64) -> Ps {
    in_shared_cell(bytes) + taken(bytes)
}
fn in_shared_cell(bytes: u64) -> Ps {
    30_000 + 125 * bytes + 1
}
fn taken(bytes: u64) -> Ps {
    200_000 + 40_000 + 125 * bytes
}

/// Nodes of `q` ranks, a power of two of them: the costs within a node and between the nodes' first
/// ranks add up. Through shared memory a rank that sends to all copies once. A rank that receives
/// from all waits for one and does the work for all.
#[test]
fn nodes_first() {
    for (q, nodes) in [(2, 8), (4, 4), (5, 16), (3, 1)] {
        let (p, l) = (q * nodes, log2(nodes));
        let last = |kind, form, inter_node, root, n| {
            let algorithm = A::NodeAware { form, inter_node };
            let times = simulated_on(kind, algorithm, (p as u32, q as u32, root), n, &[]);
            times.into_iter().max().expect("there are ranks") - CALL
        };
        let dissemination = InterNode::Dissemination { k: 2 };
        let meet = log2(q) * near(0) + l * round(0);
        let barrier = |form| last(Kind::Barrier, form, dissemination, 0, 0);
        assert_eq!(barrier(Composition::Alpha), meet + near(0), "{q} x {nodes}");
        if q.is_power_of_two() {
            assert_eq!(barrier(Composition::Smp), meet + log2(q) * near(0), "{q} x {nodes}");
        }
        for n in [8, 1_000, 8_192] {
            let at = format!("{q} x {nodes}, {n} B");
            // All read at once.
            let release = near(n);
            let gather = in_shared_cell(n) + (q - 1) * (taken(n) + combined(n));
            let by_messages = log2(q) * near(n);
            let gathered = log2(q) * (near(n) + combined(n));
            let (down, up) = (l * round(n), l * combining(n));
            let bcast = |form, root| last(Kind::Bcast, form, InterNode::Binomial, root, n);
            let reduce = |form, root| last(Kind::Reduce, form, InterNode::Binomial, root, n);
            assert_eq!(bcast(Composition::Alpha, 0), down + release, "{at}");
            assert_eq!(bcast(Composition::Beta, 0), down + release, "{at}");
            // The last rank of the first node: first to the first of its node.
            let root = q as u32 - 1;
            assert_eq!(bcast(Composition::Alpha, root), near(n) + down + release, "{at}");
            let others = if nodes > 1 { down + release } else { 0 };
            assert_eq!(bcast(Composition::Beta, root), release + others, "{at}");
            assert_eq!(reduce(Composition::Alpha, 0), gather + up, "{at}");
            assert_eq!(reduce(Composition::Alpha, root), gather + up + near(n), "{at}");
            // Ranks of the root's node have contributed long before data from other nodes arrives.
            let taken = taken(n) + combined(n);
            let (beta, beta_last) = match nodes {
                1 => (gather, gather),
                _ => (gather + up + (q - 1) * taken, gather + up + near(n) + combined(n)),
            };
            assert_eq!(reduce(Composition::Beta, 0), beta, "{at}");
            assert_eq!(reduce(Composition::Beta, root), beta_last, "{at}");
            if q.is_power_of_two() {
                assert_eq!(bcast(Composition::Smp, 0), down + by_messages, "{at}");
                let smp = match nodes {
                    1 => gathered,
                    _ => gathered + up + log2(q) * taken,
                };
                assert_eq!(reduce(Composition::Smp, 0), smp, "{at}");
            }
            let all = |form| last(Kind::Allreduce, form, InterNode::RecursiveDoubling, 0, n);
            assert_eq!(all(Composition::Alpha), gather + up + release, "{at}");
            if q.is_power_of_two() {
                assert_eq!(all(Composition::Smp), gathered + up + by_messages, "{at}");
            }
        }
    }
}

/// Data from a node's first rank to all ranks of the node is written once and read whole by each,
/// however long cells are: for a long vector, a sixteenth.
#[test]
fn a_cell_is_written_once_and_read_whole_by_all() {
    let last = |q: u32, bytes, set: &[(String, String)]| {
        let algorithm = A::NodeAware { form: Composition::Alpha, inter_node: InterNode::Binomial };
        let times = simulated_on(Kind::Bcast, algorithm, (q, q, 0), bytes, set);
        (times.into_iter().max().expect("there are ranks") - CALL) as f64
    };
    let (n, cells) = (1 << 20, 16);
    let (got, want) = (last(5, n, &[]), in_shared_cell(n / cells) + cells * taken(n / cells));
    assert!((got / want as f64 - 1.0).abs() < 0.01, "{got} {want}");
    // A memory slower than the cores moves each byte once for the writer and once for each of eight
    // readers.
    let slow = [("node.memory_rate".to_string(), "1 GB/s".to_string())];
    let (n, readers) = (8_192, 8);
    let (got, want) = (last(1 + readers, n, &slow), (1 + readers as u64) * 1_000 * n);
    assert!((got / want as f64 - 1.0).abs() < 0.02, "{got} {want}");
}

/// Every algorithm has a form. That of `A::Offload` is in `offload.rs`, because it needs switches.
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
