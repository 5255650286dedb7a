//! The built-in benchmarks: measurement loops of the OSU micro-benchmarks as lists of steps per
//! rank (docs/benchmarks.md). `fabric_tests` has those of GPCNeT and dgnettest. `crates/bench`
//! measures the simulator itself.
//!
//! A new benchmark needs a variant and an entry of `Bench::TABLE` here, and a rule in
//! `bench.rs` that computes its row from the marks. `python/generate_vocabulary.py` and
//! `docs/reference/generate.py` then write its name in Python and its reference.
//!
//! Without contention a simulated machine repeats itself exactly. A few iterations therefore
//! replace a thousand on a real machine; the first is a warm-up and is not counted.

use base::{below, draw};
use collectives::{Algorithm, Kind, Member};
use workload::{Op, SendMode, Step, Streams, WORLD};

use crate::bench_calls::{as_rank, collective};
use crate::fabric_tests::{self, FabricPlan, FabricTest};

/// The quantity that a benchmark reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// Half of the round-trip time of the first pair (of all pairs for `multi_lat`).
    OneWay,
    /// Time of one operation from its call to its completion.
    OperationTime,
    /// Bytes per second over all pairs, and in both directions if both ranks send.
    Bandwidth,
    /// Payload per second that each rank sends, with all ranks sending at once.
    PerRank,
    /// Duration of one call, mean over ranks.
    CallDuration,
    /// Time or bandwidth of an iteration: mean over ranks, and the 99th percentile.
    MeanAndTail,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bench {
    Latency,
    /// Ping-pong of puts that the target observes without an MPI call: no MPI software on the path.
    PutLatency,
    GetLatency,
    MultiLat,
    Bw,
    Bibw,
    MbwMr,
    /// Windows of puts or gets, each rank of the first half with one of the second half.
    PutBw,
    PutBibw,
    GetBw,
    /// Every rank puts to the rank at a given distance, all at once, one shift after the other in
    /// random order.
    PutAlltoall,
    Collective(Kind),
    /// A test of GPCNeT or dgnettest.
    FabricTest(FabricTest),
}

/// Default number of messages in flight per pair in bandwidth tests, as in OSU.
pub const WINDOW: u32 = 64;

/// Maximum of that number.
pub const MAX_WINDOW: u32 = 65_536;

/// Puts in flight per rank in `put_alltoall` [estimate].
pub const PUTS: u32 = 8;

/// Default number of shifts of `put_alltoall` that are simulated: one batch of puts per part.
pub const SHIFTS: u32 = PUTS * PARTS;

/// Number of parts into which the batches of `put_alltoall` are divided. The variance between parts
/// gives the error of the extrapolation.
pub const PARTS: u32 = 8;

/// With this many ranks or more, one call of a collective is measured instead of three. Its mean
/// over ranks differs by less than a percent [estimate], and the run takes half the time.
pub const MANY_RANKS: u32 = 8192;

/// A benchmark in the user interface.
#[derive(Clone, Copy, Debug)]
pub struct BenchEntry {
    pub name: &'static str,
    pub bench: Bench,
    /// Title of its output, as printed by the original.
    pub title: &'static str,
    /// Default message sizes, bytes: one size, or `FIRST:LAST` doubling.
    pub sizes: &'static str,
}

const fn entry(
    name: &'static str,
    bench: Bench,
    title: &'static str,
    sizes: &'static str,
) -> BenchEntry {
    BenchEntry { name, bench, title, sizes }
}

impl Bench {
    /// All built-in benchmarks, in the order of the help text.
    #[rustfmt::skip] // A table is read down its columns.
    pub const TABLE: [BenchEntry; 36] = [
        entry("latency", Bench::Latency, "MPI Latency Test", "1:4Mi"),
        entry("bw", Bench::Bw, "MPI Bandwidth Test", "1:4Mi"),
        entry("bibw", Bench::Bibw, "MPI Bi-Directional Bandwidth Test", "1:4Mi"),
        entry("mbw_mr", Bench::MbwMr, "MPI Multiple Bandwidth / Message Rate Test", "1:4Mi"),
        entry("multi_lat", Bench::MultiLat, "MPI Multi Latency Test", "1:4Mi"),
        entry("put_latency", Bench::PutLatency, "MPI_Put Latency Test", "1:4Mi"),
        entry("get_latency", Bench::GetLatency, "MPI_Get Latency Test", "1:4Mi"),
        entry("put_bw", Bench::PutBw, "MPI_Put Bandwidth Test", "1:4Mi"),
        entry("put_bibw", Bench::PutBibw, "MPI_Put Bi-Directional Bandwidth Test", "1:4Mi"),
        entry("get_bw", Bench::GetBw, "MPI_Get Bandwidth Test", "1:4Mi"),
        entry("put_alltoall", Bench::PutAlltoall,
            "MPI_Put Random-Shift All-to-All Test", "64:16Ki"),
        entry("allreduce", Bench::Collective(Kind::Allreduce),
            "MPI Allreduce Latency Test", "4:1Mi"),
        entry("allgather", Bench::Collective(Kind::Allgather),
            "MPI Allgather Latency Test", "1:1Mi"),
        entry("allgatherv", Bench::Collective(Kind::Allgatherv),
            "MPI Allgatherv Latency Test", "1:1Mi"),
        entry("alltoall", Bench::Collective(Kind::Alltoall), "MPI Alltoall Latency Test", "1:1Mi"),
        entry("alltoallv", Bench::Collective(Kind::Alltoallv),
            "MPI Alltoallv Latency Test", "1:1Mi"),
        entry("bcast", Bench::Collective(Kind::Bcast), "MPI Broadcast Latency Test", "1:1Mi"),
        entry("reduce", Bench::Collective(Kind::Reduce), "MPI Reduce Latency Test", "4:1Mi"),
        entry("reduce_scatter", Bench::Collective(Kind::ReduceScatter),
            "MPI Reduce_scatter Latency Test", "4:1Mi"),
        entry("reduce_scatter_block", Bench::Collective(Kind::ReduceScatterBlock),
            "MPI Reduce_scatter_block Latency Test", "4:1Mi"),
        entry("barrier", Bench::Collective(Kind::Barrier), "MPI Barrier Latency Test", "0"),
        entry("gather", Bench::Collective(Kind::Gather), "MPI Gather Latency Test", "1:1Mi"),
        entry("gatherv", Bench::Collective(Kind::Gatherv), "MPI Gatherv Latency Test", "1:1Mi"),
        entry("scatter", Bench::Collective(Kind::Scatter), "MPI Scatter Latency Test", "1:1Mi"),
        entry("scatterv", Bench::Collective(Kind::Scatterv), "MPI Scatterv Latency Test", "1:1Mi"),
        entry("scan", Bench::Collective(Kind::Scan), "MPI Scan Latency Test", "4:1Mi"),
        entry("exscan", Bench::Collective(Kind::Exscan), "MPI Exscan Latency Test", "4:1Mi"),
        entry("rr_lat", Bench::FabricTest(FabricTest::RrLat), "GPCNeT RR Two-sided Lat", "8"),
        entry("rr_get_lat", Bench::FabricTest(FabricTest::RrGetLat), "GPCNeT RR Get Lat", "8"),
        entry("rr_bw", Bench::FabricTest(FabricTest::RrBw), "GPCNeT RR Two-sided BW", "128Ki"),
        entry("rr_put_bw", Bench::FabricTest(FabricTest::RrPutBw), "GPCNeT RR Put BW", "128Ki"),
        entry("rr_bw_sync", Bench::FabricTest(FabricTest::RrBwSync),
            "GPCNeT RR Two-sided BW+Sync", "128Ki"),
        entry("nat_bw", Bench::FabricTest(FabricTest::NatBw), "GPCNeT Nat Two-sided BW", "128Ki"),
        entry("multiple_allreduce", Bench::FabricTest(FabricTest::Multiple(Kind::Allreduce)),
            "GPCNeT Multiple Allreduce", "8"),
        entry("multiple_alltoall", Bench::FabricTest(FabricTest::Multiple(Kind::Alltoall)),
            "GPCNeT Multiple Alltoall", "4Ki"),
        entry("bisect", Bench::FabricTest(FabricTest::Bisect), "Bisection Bandwidth Test", "128Ki"),
    ];

    pub fn from_name(name: &str) -> Option<Bench> {
        Bench::TABLE.iter().find(|entry| entry.name == name).map(|entry| entry.bench)
    }

    pub fn measure(self) -> Measure {
        match self {
            Bench::Latency | Bench::PutLatency | Bench::MultiLat => Measure::OneWay,
            Bench::GetLatency => Measure::OperationTime,
            Bench::Bw | Bench::Bibw | Bench::MbwMr => Measure::Bandwidth,
            Bench::PutBw | Bench::PutBibw | Bench::GetBw => Measure::Bandwidth,
            Bench::PutAlltoall => Measure::PerRank,
            Bench::Collective(_) => Measure::CallDuration,
            Bench::FabricTest(_) => Measure::MeanAndTail,
        }
    }

    /// The field of a result row that has the measured quantity.
    pub fn result_field(self) -> &'static str {
        match (self, self.measure()) {
            (Bench::FabricTest(test), _) if test.is_rate() => "bandwidth_B_per_s",
            (_, Measure::Bandwidth | Measure::PerRank) => "bandwidth_B_per_s",
            _ => "latency_s",
        }
    }

    /// Iterations counted, after one warm-up. With `one_call`, a collective is called once.
    pub fn iterations(self, bytes: u64, one_call: bool) -> usize {
        if let Bench::FabricTest(test) = self {
            return test.iterations();
        }
        match self.measure() {
            Measure::OneWay | Measure::OperationTime if bytes <= 1 << 16 => 8,
            Measure::Bandwidth if bytes <= 1 << 13 => 8,
            Measure::CallDuration if bytes <= 1 << 10 && !one_call => 3,
            Measure::CallDuration => 1,
            _ => 2,
        }
    }

    /// The peer of `rank` among `n`, in tests of pairs: the first half sends to the second.
    fn peer(self, rank: u32, n: u32) -> Option<u32> {
        match self {
            _ if self.is_paired() => {
                let half = n / 2;
                (rank < 2 * half).then(|| (rank + half) % (2 * half))
            }
            // The first and the last rank.
            _ if rank == 0 => Some(n - 1),
            _ if rank == n - 1 => Some(0),
            _ => None,
        }
    }

    /// Whether all ranks take part, in pairs of the first and second half.
    fn is_paired(self) -> bool {
        matches!(
            self,
            Bench::MultiLat | Bench::MbwMr | Bench::PutBw | Bench::PutBibw | Bench::GetBw
        )
    }

    /// Pairs of ranks that exchange messages.
    pub fn pairs(self, n: u32) -> u32 {
        if self.is_paired() { n / 2 } else { 1 }
    }

    /// Whether its buffers may be in GPU memory. A ping-pong that no MPI call takes part in has its
    /// words in host memory, which the CPUs poll.
    pub fn supports_gpu_buffers(self) -> bool {
        self != Bench::PutLatency
    }

    /// Number of directions in which bytes travel at once.
    pub fn directions(self) -> u32 {
        if matches!(self, Bench::Bibw | Bench::PutBibw) { 2 } else { 1 }
    }
}

/// Whether it consists of puts or gets, in which only NICs take part: no MPI software on the path.
/// With buffers in GPU memory the library determines how they are accessed, and takes part.
pub fn bypasses_mpi(bench: Bench) -> bool {
    matches!(
        bench,
        Bench::PutLatency
            | Bench::GetLatency
            | Bench::PutBw
            | Bench::PutBibw
            | Bench::GetBw
            | Bench::PutAlltoall
    )
}

/// What the ranks run: one benchmark at one message size.
#[derive(Clone, Copy, Debug)]
pub struct BenchPlan {
    pub bench: Bench,
    pub ranks: u32,
    /// Ranks per node; used by fabric tests only.
    pub ppn: u32,
    pub bytes: u64,
    /// Algorithm of a collective.
    pub algorithm: Algorithm,
    /// Number of counted iterations.
    pub iterations: usize,
    /// Messages in flight per pair, in bandwidth tests.
    pub window: u32,
    /// Number of shifts of `put_alltoall` to simulate.
    pub shifts: u32,
    pub seed: u64,
}

impl BenchPlan {
    /// Messages per iteration in the timed part of a bandwidth test, over all pairs and directions.
    pub fn messages_moved(&self) -> u64 {
        let BenchPlan { bench, ranks, window, .. } = *self;
        u64::from(window) * u64::from(bench.pairs(ranks)) * u64::from(bench.directions())
    }

    /// What of it a fabric test uses.
    pub fn of_fabric_test(&self) -> FabricPlan {
        let BenchPlan { ranks, ppn, bytes, algorithm, iterations, seed, .. } = *self;
        FabricPlan { ranks, ppn, bytes, algorithm, iterations, seed }
    }

    /// Programs of all ranks. They mark the start and the end of the counted iterations.
    pub fn streams(self) -> Streams {
        match self.bench {
            Bench::Collective(kind) => self.calls(kind),
            Bench::PutAlltoall => self.puts(),
            Bench::FabricTest(test) => fabric_tests::streams(test, self.of_fabric_test()),
            _ => Streams::new((0..self.ranks).map(|rank| self.program(rank))),
        }
    }

    fn program(&self, rank: u32) -> Vec<Step> {
        let mut steps = match self.bench {
            Bench::PutBw | Bench::PutBibw | Bench::GetBw | Bench::GetLatency => self.accesses(rank),
            _ => self.exchange(rank),
        };
        if bypasses_mpi(self.bench) {
            // The memory that puts and gets access (in MPI: a window).
            steps.insert(0, Step::Do(Op::Region { held: true, optimized: false }));
        }
        steps
    }

    fn calls(self, kind: Kind) -> Streams {
        let prepared = |kind, algorithm, bytes| {
            // Only the root passes all lengths; lists of lengths are shared between ranks.
            let [root, other] = [0, 1]
                .map(|rank| collective(kind, algorithm, Member { rank, size: self.ranks }, bytes));
            move |rank| Step::Do(as_rank(if rank == 0 { &root } else { &other }, rank))
        };
        let call = prepared(kind, self.algorithm, self.bytes);
        let barrier = prepared(Kind::Barrier, Algorithm::Dissemination { k: 2 }, 0);
        // An iteration has six steps: barrier, wait, mark, call, wait, mark.
        let steps = 6 * (self.iterations + 1);
        Streams::generated(self.ranks, move |rank, nth| {
            (nth < steps).then(|| match nth % 6 {
                0 => barrier(rank),
                3 => call(rank),
                1 | 4 => Step::Wait,
                _ => Step::Mark,
            })
        })
    }

    /// The shifts are in random order, the same for all ranks, and repeat. A rank marks the start
    /// of the first part and the end of each part.
    fn puts(self) -> Streams {
        const RANDOM_STREAM: u32 = 0x7368_6966;
        let BenchPlan { ranks: n, bytes, shifts, seed, .. } = self;
        let (mut left, mut order) = ((1..n).collect::<Vec<u32>>(), Vec::new());
        while !left.is_empty() {
            let at = below(draw(seed, RANDOM_STREAM, 0, order.len() as u64), left.len() as u32);
            order.push(left.swap_remove(at as usize));
        }
        let parts = self.parts();
        // The memory that puts access, and the first mark. Then per batch: its puts (the last may
        // have fewer), a wait, and a mark if a part ends there.
        let batch_steps = PUTS as usize + 2;
        Streams::generated(n, move |rank, nth| match nth {
            0 => Some(Step::Do(Op::Region { held: true, optimized: false })),
            1 => Some(Step::Mark),
            _ => {
                let (batch, at) =
                    (((nth - 2) / batch_steps) as u32, ((nth - 2) % batch_steps) as u32);
                let first = u64::from(batch) * u64::from(PUTS);
                if first >= u64::from(shifts) {
                    return None;
                }
                let (started, done) = (first + u64::from(at), first + u64::from(PUTS));
                let ends = || parts.contains(&done.min(shifts.into()));
                Some(match at {
                    ..PUTS if started < u64::from(shifts) => {
                        let shift = order[(started % order.len() as u64) as usize];
                        let to = (u64::from(rank) + u64::from(shift)) % u64::from(n);
                        let to = to as u32;
                        Step::Do(Op::OneSided {
                            to,
                            context: WORLD,
                            request_bytes: bytes,
                            response_bytes: 0,
                            atomic: false,
                        })
                    }
                    _ if at > PUTS && ends() => Step::Mark,
                    _ => Step::Wait,
                })
            }
        })
    }

    /// Number of shifts of `put_alltoall` done at the end of each part: whole batches, except for
    /// the last.
    pub fn parts(&self) -> Vec<u64> {
        let batches = u64::from(self.shifts.div_ceil(PUTS));
        let parts = batches.min(PARTS.into());
        let end = |part: u64| batches * part / parts * u64::from(PUTS);
        (1..=parts).map(|part| end(part).min(self.shifts.into())).collect()
    }

    /// Puts to, or gets from, the peer's memory, `window` in flight at a time.
    fn accesses(&self, rank: u32) -> Vec<Step> {
        let BenchPlan { bench, ranks: n, bytes, iterations, .. } = *self;
        let mut steps = Vec::new();
        let Some(to) = bench.peer(rank, n).filter(|&to| rank < to || bench.directions() == 2)
        else {
            return steps;
        };
        let (out, back) = match bench {
            Bench::GetBw | Bench::GetLatency => (0, bytes),
            _ => (bytes, 0),
        };
        let window = if bench.measure() == Measure::OperationTime { 1 } else { self.window };
        for i in 0..=iterations {
            if i == 1 {
                steps.push(Step::Mark);
            }
            let one = || {
                Step::Do(Op::OneSided {
                    to,
                    context: WORLD,
                    request_bytes: out,
                    response_bytes: back,
                    atomic: false,
                })
            };
            steps.extend((0..window).map(|_| one()));
            steps.push(Step::Wait);
        }
        steps.push(Step::Mark);
        steps
    }

    /// Sends and receives between the two ranks of a pair, for latency or for bandwidth.
    fn exchange(&self, rank: u32) -> Vec<Step> {
        let BenchPlan { bench, ranks: n, bytes, iterations, .. } = *self;
        let mut steps = Vec::new();
        let Some(peer) = bench.peer(rank, n) else { return steps };
        let first = rank < peer;
        let send = |bytes| {
            let mode = SendMode::Standard;
            Step::Do(Op::Send { to: peer, context: WORLD, tag: 1, bytes, mode })
        };
        let recv = |bytes| Step::Do(Op::Recv { from: peer, context: WORLD, tag: 1, bytes });
        for i in 0..=iterations {
            if i == 1 {
                steps.push(Step::Mark);
            }
            match bench.measure() {
                Measure::OneWay if first => {
                    steps.extend([send(bytes), Step::Wait, recv(bytes), Step::Wait]);
                }
                Measure::OneWay => steps.extend([recv(bytes), Step::Wait, send(bytes), Step::Wait]),
                _ => {
                    let both = bench == Bench::Bibw;
                    if both || !first {
                        steps.extend((0..self.window).map(|_| recv(bytes)));
                    }
                    if both || first {
                        steps.extend((0..self.window).map(|_| send(bytes)));
                    }
                    steps.push(Step::Wait);
                    // The iteration ends with the receiver's message that everything has arrived.
                    let answer = if first { recv(4) } else { send(4) };
                    steps.extend([answer, Step::Wait]);
                }
            }
        }
        steps.push(Step::Mark);
        steps
    }
}
