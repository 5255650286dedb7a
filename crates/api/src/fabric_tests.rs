//! Fabric tests: GPCNeT's network tests and the bisection of dgnettest. Sites run them to validate
//! a fabric. `odonata validate`, which compares predictions with measurements, is not here.
//!
//! GPCNeT (github.com/netbench/GPCNET: `random_ring.c`, `collectives.c`, `subcomms.c`, `utils.c`)
//! makes a communicator of the first ranks of all nodes, one of the second ranks, and so on. No two
//! ranks of a node are in one communicator. All communicators run the same test at once. In a ring,
//! ranks are in the order of their nodes or in random order. In each iteration every rank exchanges
//! with both neighbors. Results are the mean over ranks and rings, and the 99th percentile over the
//! iterations of all ranks.

use base::{Time, below, draw};
use collectives::{Algorithm, Kind, Member};
use workload::{Context, Op, SendMode, Step, Streams, WORLD};

use crate::bench_calls::{as_rank, collective};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FabricTest {
    /// A message to each neighbor and one from each; the time is halved.
    RrLat,
    /// A get of one word from each neighbor; the time is halved.
    RrGetLat,
    /// Eight messages to each neighbor, eight from each.
    RrBw,
    /// The same, followed by a barrier.
    RrBwSync,
    /// The same as `RrBw`, with ranks in the order of the nodes.
    NatBw,
    /// Eight puts to each neighbor.
    RrPutBw,
    /// The same collective in each communicator.
    Multiple(Kind),
    /// dgnettest's bisection: a rank of the first half of the nodes exchanges a message with one of
    /// the second half, then with the next, until it has had all. The source is not public; this is
    /// derived from its output [estimate: docs/validation/fabric.md].
    Bisect,
}

/// What the ranks run: one test at one message size.
#[derive(Clone, Copy, Debug)]
pub struct FabricPlan {
    pub ranks: u32,
    /// Ranks per node.
    pub ppn: u32,
    pub bytes: u64,
    /// Algorithm of a collective.
    pub algorithm: Algorithm,
    /// Number of counted iterations.
    pub iterations: usize,
    pub seed: u64,
}

/// Messages in flight per neighbor: GPCNeT's `BW_OUTSTANDING`.
const OUTSTANDING: u64 = 8;

/// Structure of one iteration.
struct Shape {
    rings: u32,
    warmup: u32,
    /// Operations, and whether a barrier follows.
    ops: usize,
    sync: bool,
    one_sided: bool,
}

impl FabricTest {
    /// Counted iterations of a ring. GPCNeT has 200 of latency and eight of bandwidth in each of 30
    /// rings or more; successive ones are alike here.
    pub fn iterations(self) -> usize {
        match self {
            FabricTest::RrLat | FabricTest::RrGetLat => 20,
            FabricTest::Multiple(kind) if kind.reduces() => 20,
            FabricTest::Bisect => 16,
            _ => 2,
        }
    }

    pub fn is_rate(self) -> bool {
        match self {
            FabricTest::RrLat | FabricTest::RrGetLat => false,
            FabricTest::Multiple(kind) => !kind.reduces(),
            _ => true,
        }
    }

    /// The collective that all communicators call.
    pub fn kind(self) -> Option<Kind> {
        match self {
            FabricTest::Multiple(kind) => Some(kind),
            _ => None,
        }
    }

    /// Messages, puts or gets that a rank sends in an iteration, excluding its collective call; for
    /// a bisection the mean.
    pub fn messages(self) -> u64 {
        match self {
            FabricTest::RrLat | FabricTest::RrGetLat => 2,
            FabricTest::Multiple(_) => 0,
            FabricTest::Bisect => 1,
            _ => 2 * OUTSTANDING,
        }
    }

    /// Iterations of a run over all rings, warm-up included, in communicators of `size` ranks.
    pub fn repetitions(self, size: u32) -> u64 {
        let Shape { rings, warmup, .. } = self.shape(size);
        u64::from(rings) * (u64::from(warmup) + self.iterations() as u64)
    }

    fn shape(self, size: u32) -> Shape {
        let both = 2 * OUTSTANDING as usize;
        // GPCNeT warms up a ring with 200 iterations of latency. Per iteration a delay reaches one
        // more rank in each direction. So it has reached all after half of the ring.
        let around = (size / 2).clamp(8, 200);
        let (rings, warmup, ops) = match self {
            FabricTest::RrLat => (2, around, 4),
            FabricTest::RrGetLat => (2, 8, 2),
            FabricTest::RrBw | FabricTest::RrBwSync | FabricTest::NatBw => (1, 1, 2 * both),
            FabricTest::RrPutBw => (1, 1, both),
            FabricTest::Multiple(kind) => (1, if kind.reduces() { 8 } else { 1 }, 1),
            FabricTest::Bisect => (1, 2, 2),
        };
        let one_sided = matches!(self, FabricTest::RrGetLat | FabricTest::RrPutBw);
        Shape { rings, warmup, ops, sync: self == FabricTest::RrBwSync, one_sided }
    }

    /// For a bandwidth: bytes that an iteration moves per rank. For a latency: the number by which
    /// the time of an iteration is divided.
    fn bytes_or_divisor(self, plan: &FabricPlan) -> f64 {
        let others = f64::from(plan.ranks / plan.ppn) - 1.0;
        let messages = match self {
            FabricTest::RrLat | FabricTest::RrGetLat => return 2.0,
            FabricTest::Multiple(kind) if kind.reduces() => return 1.0,
            FabricTest::Multiple(_) => others,
            // dgnettest counts a message for each rank of the set, with or without a partner.
            FabricTest::Bisect => f64::from(plan.ranks) / f64::from(halves(plan).1),
            _ => self.messages() as f64,
        };
        plan.bytes as f64 * messages
    }
}

/// The left and right neighbor of each rank, for each ring.
fn neighbors(test: FabricTest, plan: &FabricPlan, rings: u32) -> Vec<Vec<[u32; 2]>> {
    const STREAM: u32 = 0x7269_6e67;
    let (ppn, size) = (plan.ppn, plan.ranks / plan.ppn);
    let ring = |nth: u32| {
        let mut ring_neighbors = vec![[0; 2]; plan.ranks as usize];
        for slice in 0..ppn {
            let mut order: Vec<u32> = (0..size).map(|node| node * ppn + slice).collect();
            if test != FabricTest::NatBw {
                for last in (1..size).rev() {
                    let count = u64::from(nth) << 32 | u64::from(last);
                    order.swap(
                        last as usize,
                        below(draw(plan.seed, STREAM, slice, count), last + 1) as usize,
                    );
                }
            }
            for at in 0..size as usize {
                let (left, right) = (order[at], order[(at + 1) % size as usize]);
                ring_neighbors[left as usize][1] = right;
                ring_neighbors[right as usize][0] = left;
            }
        }
        ring_neighbors
    };
    (0..rings).map(ring).collect()
}

/// Programs of all ranks. Each marks the start of an iteration, and the end of the last in a ring.
pub fn streams(test: FabricTest, plan: FabricPlan) -> Streams {
    if test == FabricTest::Bisect {
        return bisection(plan);
    }
    let FabricPlan { ranks, ppn, bytes, algorithm, .. } = plan;
    let size = ranks / ppn;
    let Shape { rings, warmup, ops, sync, one_sided } = test.shape(size);
    let ring_neighbors = neighbors(test, &plan, rings);
    let call = |kind, algorithm, context, size, bytes| {
        let op = on(collective(kind, algorithm, Member { rank: 0, size }, bytes), context);
        move |rank| Step::Do(as_rank(&op, rank))
    };
    let of_all = call(Kind::Barrier, Algorithm::Dissemination { k: 2 }, WORLD, ranks, 0);
    let body = ops + 2 + 2 * usize::from(sync);
    let of_ring = 3 + (warmup as usize + plan.iterations) * body;
    let program = move |rank: u32, nth: usize| {
        let nth = match nth.checked_sub(usize::from(one_sided)) {
            None => return Some(Step::Do(Op::Region { held: true, optimized: false })),
            Some(nth) => nth,
        };
        let (ring, at) = (nth / of_ring, nth % of_ring);
        let ring_neighbors = ring_neighbors.get(ring)?[rank as usize];
        // A rank's number in its communicator, which has one rank per node.
        let (place, context) = (rank / ppn, 1 + rank % ppn);
        Some(match at {
            0 => of_all(rank),
            1 => Step::Wait,
            _ if at == of_ring - 1 => Step::Mark,
            _ => match (at - 2) % body {
                0 => Step::Mark,
                nth if nth <= ops => match test {
                    FabricTest::Multiple(kind) => {
                        let call = collective(kind, algorithm, Member { rank: place, size }, bytes);
                        Step::Do(on(call, context))
                    }
                    _ if one_sided => {
                        let to = ring_neighbors[(nth - 1) % 2];
                        let (out, back) =
                            if test == FabricTest::RrGetLat { (0, bytes) } else { (bytes, 0) };
                        Step::Do(Op::OneSided {
                            to,
                            context: WORLD,
                            request_bytes: out,
                            response_bytes: back,
                            atomic: false,
                        })
                    }
                    _ => exchange(ring_neighbors, nth - 1, nth <= ops / 2, bytes),
                },
                nth if nth == ops + 2 => {
                    let dissemination = Algorithm::Dissemination { k: 2 };
                    let member = Member { rank: place, size };
                    Step::Do(on(collective(Kind::Barrier, dissemination, member, 0), context))
                }
                _ => Step::Wait,
            },
        })
    };
    let slice = |first: u32| (0..size).map(|node| node * ppn + first).collect();
    Streams::generated(ranks, program).with_communicators((0..ppn).map(slice).collect())
}

/// The `nth` message of an exchange with both neighbors in turn. A message to the left arrives from
/// the right; tags distinguish the two if both neighbors are the same rank.
fn exchange(ring_neighbors: [u32; 2], nth: usize, is_recv: bool, bytes: u64) -> Step {
    let side = nth % 2;
    match is_recv {
        true => recv(ring_neighbors[side], 81 + side as i32, bytes),
        false => send(ring_neighbors[side], 82 - side as i32, bytes),
    }
}

/// Number of ranks in the first half of the nodes, and in the second. The second has one more node
/// if their number is odd.
fn halves(plan: &FabricPlan) -> (u32, u32) {
    let first = match plan.ranks / plan.ppn / 2 * plan.ppn {
        0 => plan.ranks / 2,
        first => first,
    };
    (first, plan.ranks - first)
}

/// The distance to the partner grows by one per round; the simulated rounds are spread evenly over
/// all. Some ranks of the larger half have no partner in a round.
fn bisection(plan: FabricPlan) -> Streams {
    let (first, second) = halves(&plan);
    let (warmup, rounds) = (FabricTest::Bisect.shape(0).warmup as usize, plan.iterations as u64);
    let program = move |rank: u32, nth: usize| {
        let (round, at) = (nth / 5, nth % 5);
        let end = warmup + plan.iterations;
        if round >= end {
            return (nth == 5 * end).then_some(Step::Mark);
        }
        let nth = (round as i64 - warmup as i64).rem_euclid(rounds as i64) as u64;
        let shift = (nth * u64::from(second) / rounds) as u32;
        let (leads, partner) = (rank < first, partner(rank, (first, second), shift));
        let op = |sends: bool| match sends {
            true => send(partner, 1, plan.bytes),
            false => recv(partner, 1, plan.bytes),
        };
        Some(match at {
            0 => Step::Mark,
            1 if leads || partner < first => op(leads),
            3 if leads || partner < first => op(!leads),
            _ => Step::Wait,
        })
    };
    Streams::generated(plan.ranks, program)
}

/// The partner at distance `shift` in the other half. For a rank of the larger half it may not
/// exist: the number is then beyond the smaller half.
fn partner(rank: u32, (first, second): (u32, u32), shift: u32) -> u32 {
    match rank.checked_sub(first) {
        None => first + (rank + shift) % second,
        Some(place) => (place + second - shift) % second,
    }
}

fn send(to: u32, tag: i32, bytes: u64) -> Step {
    Step::Do(Op::Send { to, context: WORLD, tag, bytes, mode: SendMode::Standard })
}

fn recv(from: u32, tag: i32, bytes: u64) -> Step {
    Step::Do(Op::Recv { from, context: WORLD, tag, bytes })
}

fn on(mut op: Op, of: Context) -> Op {
    if let Op::Collective { context, .. } = &mut op {
        *context = of;
    }
    op
}

/// The mean over ranks and rings, and the 99th percentile of the iterations: seconds, or bytes per
/// second.
pub fn results(test: FabricTest, plan: &FabricPlan, marks: &[Vec<Time>]) -> (f64, f64) {
    let shape = test.shape(plan.ranks / plan.ppn);
    let moved = test.bytes_or_divisor(plan);
    // For a bisection: the ranks that always have a partner.
    let marks = match test {
        FabricTest::Bisect => &marks[..halves(plan).0 as usize],
        _ => marks,
    };
    let value = |seconds: f64| if test.is_rate() { moved / seconds } else { seconds / moved };
    let (mut means, mut each) = (Vec::new(), Vec::new());
    for marks in marks {
        for ring in marks.chunks_exact(marks.len() / shape.rings as usize) {
            let counted = &ring[shape.warmup as usize..];
            let took = |from: Time, to: Time| (to - from).seconds();
            let all = took(counted[0], counted[counted.len() - 1]);
            means.push(value(all / (counted.len() - 1) as f64));
            each.extend(counted.windows(2).map(|w| value(took(w[0], w[1]))));
        }
    }
    each.sort_by(f64::total_cmp);
    if test.is_rate() {
        each.reverse();
    }
    let kept = (each.len() * 99).div_ceil(100) - 1;
    (means.iter().sum::<f64>() / means.len() as f64, each[kept])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn plan(nodes: u32, ppn: u32) -> FabricPlan {
        FabricPlan {
            ranks: nodes * ppn,
            ppn,
            bytes: 8,
            algorithm: Algorithm::Dissemination { k: 2 },
            iterations: 1,
            seed: 7,
        }
    }

    /// GPCNeT's communicators have one rank per node, all in one ring.
    #[test]
    fn a_ring_has_the_same_rank_of_every_node_once() {
        let plan = plan(5, 3);
        for (test, rings) in [(FabricTest::RrLat, 4), (FabricTest::NatBw, 1)] {
            let ring_neighbors = neighbors(test, &plan, rings);
            for ring in &ring_neighbors {
                for slice in 0..3 {
                    let (mut at, mut met) = (slice, BTreeSet::new());
                    while met.insert(at) {
                        let right = ring[at as usize][1];
                        assert_eq!(ring[right as usize][0], at, "the left of the right");
                        assert_eq!(right % 3, slice, "in one slice");
                        at = right;
                    }
                    assert_eq!((at, met.len()), (slice, 5), "one round");
                }
            }
        }
        let natural = &neighbors(FabricTest::NatBw, &plan, 1)[0];
        assert_eq!(natural[4], [1, 7], "the nodes before and after");
        let random = neighbors(FabricTest::RrLat, &plan, 4);
        assert!(random.windows(2).any(|two| two[0] != two[1]), "rings differ");
    }

    /// Two nodes and three: partners are mutual, and all pairs occur in one cycle.
    #[test]
    fn a_bisection_pairs_the_ranks_of_both_halves() {
        let halves = halves(&plan(5, 2));
        assert_eq!(halves, (4, 6));
        let mut met = BTreeSet::new();
        for shift in 0..6 {
            let with = |rank| partner(rank, halves, shift);
            for rank in 0..4 {
                assert_eq!(with(with(rank)), rank);
                met.insert((rank, with(rank)));
            }
            let idle = (4..10).filter(|&rank| with(rank) >= 4).count();
            assert_eq!(idle, 2, "two ranks of the larger half have no partner");
        }
        assert_eq!(met.len(), 4 * 6);
    }
}
