//! The built-in benchmarks: the OSU micro-benchmarks' measurement loops as recorded programs.
//!
//! A simulated machine repeats itself exactly where nothing contends, so a few iterations do what
//! a thousand do on a real one; the first is a warm-up and is not counted.

use base::{below, draw};
use collectives::{Algorithm, Collective, Kind, Member, Ragged};
use workload::{Op, SendMode, Step, Streams, WORLD};

use crate::validation::{self, Test};

/// What a benchmark measures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// Half a round trip of the first pair (all pairs together for `multi_lat`).
    OneWay,
    /// One operation from its call to its completion.
    Access,
    /// Bytes a second, all pairs, both directions where both send.
    Bandwidth,
    /// Payload a second that each rank sends, all of them at once.
    PerRank,
    /// Mean over ranks of one call's duration.
    Call,
    /// Mean over ranks, and what 99 of 100 iterations keep.
    Spread,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bench {
    Latency,
    /// Ping-pong of puts the target sees without a call of its own: no MPI software in the way.
    PutLatency,
    GetLatency,
    MultiLat,
    Bw,
    Bibw,
    MbwMr,
    /// Windows of puts or gets, the first half of the ranks each at one of the second half.
    PutBw,
    PutBibw,
    GetBw,
    /// Every rank puts to the rank so many further on, all at once and with one shift after the
    /// other, in random order.
    PutAlltoall,
    Collective(Kind),
    /// Of GPCNeT, or of dgnettest.
    Validation(Test),
}

/// Messages in flight a pair in the bandwidth tests, as in OSU, unless said.
pub const WINDOW: u32 = 64;

/// Most that may be asked for.
pub const MOST_WINDOW: u32 = 65_536;

/// Puts in flight a rank in `put_alltoall` [estimate].
pub const PUTS: u32 = 8;

/// Shifts that `put_alltoall` plays unless said: a batch of puts for each of its parts.
pub const SHIFTS: u32 = PUTS * PARTS;

/// Parts that the batches of `put_alltoall` are divided into, to see how much they differ.
pub const PARTS: u32 = 8;

/// Ranks of whose one call the mean says what that of three does, within a percent [estimate], in
/// half the time.
pub const MANY: u32 = 8192;

impl Bench {
    pub const NAMES: [(&str, Bench); 36] = [
        ("latency", Bench::Latency),
        ("put_latency", Bench::PutLatency),
        ("get_latency", Bench::GetLatency),
        ("multi_lat", Bench::MultiLat),
        ("bw", Bench::Bw),
        ("bibw", Bench::Bibw),
        ("mbw_mr", Bench::MbwMr),
        ("put_bw", Bench::PutBw),
        ("put_bibw", Bench::PutBibw),
        ("get_bw", Bench::GetBw),
        ("put_alltoall", Bench::PutAlltoall),
        ("allreduce", Bench::Collective(Kind::Allreduce)),
        ("allgather", Bench::Collective(Kind::Allgather)),
        ("allgatherv", Bench::Collective(Kind::Allgatherv)),
        ("alltoall", Bench::Collective(Kind::Alltoall)),
        ("alltoallv", Bench::Collective(Kind::Alltoallv)),
        ("barrier", Bench::Collective(Kind::Barrier)),
        ("bcast", Bench::Collective(Kind::Bcast)),
        ("gather", Bench::Collective(Kind::Gather)),
        ("reduce", Bench::Collective(Kind::Reduce)),
        ("reduce_scatter", Bench::Collective(Kind::ReduceScatter)),
        ("scan", Bench::Collective(Kind::Scan)),
        ("scatter", Bench::Collective(Kind::Scatter)),
        ("exscan", Bench::Collective(Kind::Exscan)),
        ("gatherv", Bench::Collective(Kind::Gatherv)),
        ("scatterv", Bench::Collective(Kind::Scatterv)),
        ("reduce_scatter_block", Bench::Collective(Kind::ReduceScatterBlock)),
        ("rr_lat", Bench::Validation(Test::RrLat)),
        ("rr_get_lat", Bench::Validation(Test::RrGetLat)),
        ("rr_bw", Bench::Validation(Test::RrBw)),
        ("rr_put_bw", Bench::Validation(Test::RrPutBw)),
        ("rr_bw_sync", Bench::Validation(Test::RrBwSync)),
        ("nat_bw", Bench::Validation(Test::NatBw)),
        ("multiple_allreduce", Bench::Validation(Test::Multiple(Kind::Allreduce))),
        ("multiple_alltoall", Bench::Validation(Test::Multiple(Kind::Alltoall))),
        ("bisect", Bench::Validation(Test::Bisect)),
    ];

    pub fn named(name: &str) -> Option<Bench> {
        Bench::NAMES.iter().find(|(n, _)| *n == name).map(|&(_, b)| b)
    }

    pub fn measure(self) -> Measure {
        match self {
            Bench::Latency | Bench::PutLatency | Bench::MultiLat => Measure::OneWay,
            Bench::GetLatency => Measure::Access,
            Bench::Bw | Bench::Bibw | Bench::MbwMr => Measure::Bandwidth,
            Bench::PutBw | Bench::PutBibw | Bench::GetBw => Measure::Bandwidth,
            Bench::PutAlltoall => Measure::PerRank,
            Bench::Collective(_) => Measure::Call,
            Bench::Validation(_) => Measure::Spread,
        }
    }

    /// Iterations counted, after one warm-up; `one_does` if one call says what more of them do.
    pub fn iterations(self, bytes: u64, one_does: bool) -> usize {
        if let Bench::Validation(test) = self {
            return test.iterations();
        }
        match self.measure() {
            Measure::OneWay | Measure::Access if bytes <= 1 << 16 => 8,
            Measure::Bandwidth if bytes <= 1 << 13 => 8,
            Measure::Call if bytes <= 1 << 10 && !one_does => 3,
            Measure::Call => 1,
            _ => 2,
        }
    }

    /// The peer of `rank` among `n`, for tests between pairs: the first half sends to the second.
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

    /// Whether all ranks take part, the first half with the second.
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

    /// Whether its buffers may lie in GPUs: who combines them there is not modeled, nor what NICs
    /// do there by themselves.
    pub fn takes_gpu_buffers(self) -> bool {
        match self {
            Bench::Collective(kind) => !kind.reduces(),
            Bench::Validation(Test::RrGetLat | Test::RrPutBw) => false,
            Bench::Validation(test) => test.kind().is_none_or(|kind| !kind.reduces()),
            _ => !is_puts(self),
        }
    }

    /// Ways in which bytes go at once.
    pub fn directions(self) -> u32 {
        if matches!(self, Bench::Bibw | Bench::PutBibw) { 2 } else { 1 }
    }
}

/// Whether a benchmark is the NICs' affair: no MPI software on its way.
pub fn is_puts(bench: Bench) -> bool {
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

/// A benchmark at one size, as all its ranks know it.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub bench: Bench,
    pub ranks: u32,
    /// Ranks of a node, where it matters who shares one.
    pub ppn: u32,
    pub bytes: u64,
    /// Of a collective.
    pub algorithm: Algorithm,
    /// Counted ones.
    pub iterations: usize,
    /// Messages in flight a pair, in the tests of bandwidth.
    pub window: u32,
    /// Of `put_alltoall`, how many are played.
    pub shifts: u32,
    pub seed: u64,
}

impl Plan {
    /// Messages that the timed part of a test of bandwidth moves one iteration, over all pairs and
    /// directions.
    pub fn messages_moved(&self) -> u64 {
        let Plan { bench, ranks, window, .. } = *self;
        u64::from(window) * u64::from(bench.pairs(ranks)) * u64::from(bench.directions())
    }

    /// All ranks' programs. They mark the beginning and the end of the counted iterations.
    pub fn streams(self) -> Streams {
        match self.bench {
            Bench::Collective(kind) => self.calls(kind),
            Bench::PutAlltoall => self.puts(),
            Bench::Validation(test) => validation::streams(test, self),
            _ => Streams::new((0..self.ranks).map(|rank| self.program(rank))),
        }
    }

    fn program(&self, rank: u32) -> Vec<Step> {
        let mut steps = match self.bench {
            Bench::PutBw | Bench::PutBibw | Bench::GetBw | Bench::GetLatency => self.accesses(rank),
            _ => self.exchange(rank),
        };
        if is_puts(self.bench) {
            // The window that is put to.
            steps.insert(0, Step::Do(Op::Region { held: true, optimized: false }));
        }
        steps
    }

    fn calls(self, kind: Kind) -> Streams {
        let of = |kind, algorithm, bytes| {
            // Who is not the root knows less of the lengths; lists of them are shared.
            let [root, other] = [0, 1]
                .map(|rank| collective(kind, algorithm, Member { rank, size: self.ranks }, bytes));
            move |rank| Step::Do(seated(if rank == 0 { &root } else { &other }, rank))
        };
        let call = of(kind, self.algorithm, self.bytes);
        let barrier = of(Kind::Barrier, Algorithm::Dissemination { k: 2 }, 0);
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

    /// The shifts are in random order, the same for all ranks, over and over. A rank marks where
    /// the first part begins, and where each ends.
    fn puts(self) -> Streams {
        const STREAM: u32 = 0x7368_6966;
        let Plan { ranks: n, bytes, shifts, seed, .. } = self;
        let (mut left, mut order) = ((1..n).collect::<Vec<u32>>(), Vec::new());
        while !left.is_empty() {
            let at = below(draw(seed, STREAM, 0, order.len() as u64), left.len() as u32);
            order.push(left.swap_remove(at as usize));
        }
        let parts = self.parts();
        // The window that is put to, the first mark; then a batch each: its puts, which fewer may
        // be of the last, a wait, a mark if a part ends there.
        let a_batch = PUTS as usize + 2;
        Streams::generated(n, move |rank, nth| match nth {
            0 => Some(Step::Do(Op::Region { held: true, optimized: false })),
            1 => Some(Step::Mark),
            _ => {
                let (batch, at) = (((nth - 2) / a_batch) as u32, ((nth - 2) % a_batch) as u32);
                let first = u64::from(batch) * u64::from(PUTS);
                if first >= u64::from(shifts) {
                    return None;
                }
                let (begun, done) = (first + u64::from(at), first + u64::from(PUTS));
                let ends = || parts.contains(&done.min(shifts.into()));
                Some(match at {
                    ..PUTS if begun < u64::from(shifts) => {
                        let shift = order[(begun % order.len() as u64) as usize];
                        let to = (u64::from(rank) + u64::from(shift)) % u64::from(n);
                        let to = to as u32;
                        Step::Do(Op::OneSided { to, out: bytes, back: 0, atomic: false })
                    }
                    _ if at > PUTS && ends() => Step::Mark,
                    _ => Step::Wait,
                })
            }
        })
    }

    /// Of `put_alltoall`, how many shifts are done at the end of each part: whole batches, but for
    /// the last.
    pub fn parts(&self) -> Vec<u64> {
        let batches = u64::from(self.shifts.div_ceil(PUTS));
        let parts = batches.min(PARTS.into());
        let end = |part: u64| batches * part / parts * u64::from(PUTS);
        (1..=parts).map(|part| end(part).min(self.shifts.into())).collect()
    }

    /// Puts to, or gets from, the peer's memory, a window of them at a time.
    fn accesses(&self, rank: u32) -> Vec<Step> {
        let Plan { bench, ranks: n, bytes, iterations, .. } = *self;
        let mut steps = Vec::new();
        let Some(to) = bench.peer(rank, n).filter(|&to| rank < to || bench.directions() == 2)
        else {
            return steps;
        };
        let (out, back) = match bench {
            Bench::GetBw | Bench::GetLatency => (0, bytes),
            _ => (bytes, 0),
        };
        let window = if bench.measure() == Measure::Access { 1 } else { self.window };
        for i in 0..=iterations {
            if i == 1 {
                steps.push(Step::Mark);
            }
            let one = || Step::Do(Op::OneSided { to, out, back, atomic: false });
            steps.extend((0..window).map(|_| one()));
            steps.push(Step::Wait);
        }
        steps.push(Step::Mark);
        steps
    }

    fn exchange(&self, rank: u32) -> Vec<Step> {
        let Plan { bench, ranks: n, bytes, iterations, .. } = *self;
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
                    // The receiver's word that all has come ends the iteration.
                    let word = if first { recv(4) } else { send(4) };
                    steps.extend([word, Step::Wait]);
                }
            }
        }
        steps.push(Step::Mark);
        steps
    }
}

/// The same call, made by another rank.
pub(crate) fn seated(op: &Op, rank: u32) -> Op {
    let mut op = op.clone();
    if let Op::Collective { call, .. } = &mut op {
        call.member.rank = rank;
    }
    op
}

/// The call a rank makes: `bytes` is the vector for broadcasts, reductions and scans, one rank's
/// block for the rest (for reduce_scatter the vector, as in OSU).
pub fn collective(kind: Kind, algorithm: Algorithm, member: Member, bytes: u64) -> Op {
    let p = u64::from(member.size);
    // OSU reduces floats.
    let grain = match kind {
        _ if kind.reduces() => 4,
        _ => 1,
    };
    let even = |blocks: usize| Ragged::new(std::iter::repeat_n(bytes, blocks));
    let ragged = match kind {
        Kind::Allgatherv => Some(even(p as usize)),
        Kind::Gatherv | Kind::Scatterv if member.rank == 0 => Some(even(p as usize)),
        Kind::Alltoallv => Some(even(2 * p as usize)),
        Kind::ReduceScatter => {
            let grains = bytes / grain;
            Some((0..p).map(|i| (grains / p + u64::from(i < grains % p)) * grain).collect())
        }
        _ => None,
    };
    let bytes = if kind == Kind::Barrier { 0 } else { bytes };
    let call = Collective { kind, algorithm, member, root: 0, bytes, grain, ragged, nodes: None };
    Op::Collective { context: WORLD, call }
}
