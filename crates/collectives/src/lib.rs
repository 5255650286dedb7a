//! Floor 1: collective algorithms as pure functions of (rank, size, round).
//!
//! An algorithm holds no state: asked for round `k` of rank `r`, it names the sends, receives and
//! local moves of that round. The simulator times them, the live library moves bytes by them, the
//! verifier proves them; all are sinks of the same calls.
//!
//! A round is a superstep. Its sends read the working buffer as it stood when the round began; then
//! what it receives lands, in the order named; then its local moves run, in the order named. All
//! parts a rank sends to one peer within one round are one message, its parts in the order named,
//! and so are all it receives from one peer. No rank sends to itself.

mod blocks;
mod exchange;
mod execution;
mod gathering;
mod names;
mod nodes;
mod offload;
mod overrides;
mod reduce_scatter;
mod reductions;
mod scans;
mod selection;
mod shapes;
mod trees;

pub use blocks::Ragged;
pub use execution::{Blocked, Execution, Memory};
pub use nodes::{Composition, InterNode, NodeMap};
pub use offload::OFFLOAD_MAX;
pub use overrides::{Overrides, Setting};
pub use selection::{Case, Parameters, Range, Rule, Selection};
pub use shapes::TreeShape;

/// A stretch of a rank's working buffer, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ByteRange {
    pub at: u64,
    pub len: u64,
}

/// What bytes do to those they land on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ApplyMode {
    Write,
    /// `here = arrived op here`: the arrived operand comes from lower ranks.
    CombineLeft,
    /// `here = here op arrived`.
    CombineRight,
}

/// Whom a round's sends, receives and local moves are named to. A sink that only adds up lengths
/// overrides the `_run` forms, by which strided algorithms name many equal parts in one call.
pub trait RoundSink {
    fn send(&mut self, to: u32, part: ByteRange);
    fn recv(&mut self, from: u32, part: ByteRange, land: ApplyMode);
    /// A move within the own working buffer after everything of this round has landed. For
    /// `Write` the parts do not overlap; lengths are equal.
    fn local(&mut self, from: ByteRange, to: ByteRange, land: ApplyMode);

    /// To a rank of the same node through memory that all of its receivers read: who sends the same
    /// to several lays it there once, for the first.
    fn send_shared(&mut self, to: u32, part: ByteRange, _is_first: bool) {
        self.send(to, part);
    }
    /// A part in what switches do; whether this sink leaves it to them. One that does not is told
    /// the sends and receives that come to the same.
    fn in_network(&mut self, _part: InNetwork) -> bool {
        false
    }
    /// `count` parts like `first`, each `stride` bytes after the one before, of a message that is
    /// packed.
    fn send_run(&mut self, to: u32, first: ByteRange, stride: u64, count: u32) {
        for i in 0..u64::from(count) {
            self.send(to, ByteRange { at: first.at + i * stride, len: first.len });
        }
    }
    /// The same for parts that are written on arrival.
    fn recv_run(&mut self, from: u32, first: ByteRange, stride: u64, count: u32) {
        for i in 0..u64::from(count) {
            let part = ByteRange { at: first.at + i * stride, len: first.len };
            self.recv(from, part, ApplyMode::Write);
        }
    }
    /// `count` moves that write, the places of each `from_step` and `to_step` bytes after those of
    /// the move before.
    fn local_run(
        &mut self,
        from: ByteRange,
        from_step: i64,
        to: ByteRange,
        to_step: i64,
        count: u32,
    ) {
        let nth = |part: ByteRange, step: i64, i: u32| ByteRange {
            at: part.at.wrapping_add_signed(step.wrapping_mul(i64::from(i))),
            len: part.len,
        };
        for i in 0..count {
            self.local(nth(from, from_step, i), nth(to, to_step, i), ApplyMode::Write);
        }
    }
}

/// A rank's part in a reduction by the network and the copies of its result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InNetwork {
    /// The rank at the root of the tree, and how many ranks have a part.
    pub root: u32,
    pub size: u32,
    pub bytes: u64,
    /// The first of its two rounds.
    pub goes_up: bool,
}

/// Who asks: rank and size in the communicator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Member {
    pub rank: u32,
    pub size: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Kind {
    Barrier,
    Bcast,
    Reduce,
    Allreduce,
    Allgather,
    Allgatherv,
    Alltoall,
    Alltoallv,
    Gather,
    Gatherv,
    Scatter,
    Scatterv,
    ReduceScatter,
    ReduceScatterBlock,
    Scan,
    Exscan,
}

/// One rank's part in a collective.
///
/// The working buffer begins with areas fixed by the kind alone (`n` = `bytes`, `p` = size), so a
/// caller deposits and collects without knowing the algorithm; scratch follows them.
///
/// | kind | deposit block `i` | collect block `i` |
/// |---|---|---|
/// | bcast | root: 0 at 0 | 0 at 0 |
/// | reduce, allreduce, scan, exscan | 0 at 0 | 0 at 0 (reduce: root only) |
/// | allgather(v) | own, at its place | `i` at its place |
/// | gather(v) | own, at its place | root: `i` at its place |
/// | scatter(v) | root: `i` at its place | own, at its place |
/// | alltoall(v) | `i` for rank `i` in area 1 | `i` from rank `i` in area 2, after area 1 |
/// | reduce_scatter(_block) | `i` at its place | own, at its place |
#[derive(Clone, Debug, PartialEq)]
pub struct Collective {
    pub kind: Kind,
    pub algorithm: Algorithm,
    pub member: Member,
    pub root: u32,
    /// The vector (bcast, reductions, scans) or one rank's block (the rest). For gatherv and
    /// scatterv away from the root: the own block.
    pub bytes: u64,
    /// Bytes of one element. Of a reduction they are equal on all ranks, and elements are never cut
    /// in two; of an alltoall they say what packing its blocks costs. For other kinds it matters to
    /// the choice of an algorithm only, where a user's rules ask for the count.
    pub grain: u64,
    /// Block lengths: one a rank (allgatherv, reduce_scatter; gatherv and scatterv at the
    /// root), or `p` to send then `p` to receive (alltoallv).
    pub ragged: Option<Ragged>,
    /// Which ranks share a node, for node-aware algorithms and for rules that ask. Without it every
    /// rank is taken to have a node of its own.
    pub nodes: Option<NodeMap>,
}

/// Field's names; which kinds each serves is `Algorithm::implements`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Algorithm {
    /// Signals to `k - 1` ranks a round.
    Dissemination {
        k: u8,
    },
    Binomial,
    /// Binomial scatter, then recursive-doubling allgather.
    ScatterRecursiveDoubling,
    /// Binomial scatter, then ring allgather.
    ScatterRing,
    RecursiveDoubling,
    /// Recursive exchange in `k`-ary rounds.
    RecursiveExchange {
        k: u8,
    },
    /// Reduce-scatter by recursive halving, then allgather by recursive doubling (Rabenseifner).
    Rabenseifner,
    /// Reduce-scatter, then gather to the root.
    ReduceScatterGather,
    Ring,
    Bruck,
    /// Bruck's with `k - 1` partners a round.
    KBruck {
        k: u8,
    },
    /// All that is there, in `k`-ary rounds: nearest partners first.
    ExchangeDoubling {
        k: u8,
    },
    /// The same with the farthest first.
    ExchangeHalving {
        k: u8,
    },
    RecursiveHalving,
    Pairwise,
    /// All at once, at most `throttle` out at a time.
    Scattered {
        throttle: u16,
    },
    /// The same with blocks in equal pieces of at most `chunk` bytes: one for everybody, then the
    /// next (Cray MPICH).
    Chunked {
        chunk: u32,
        throttle: u16,
    },
    Linear,
    /// Pairs of blocks swapped with the left and the right neighbor in turn (Open MPI); a ring if
    /// the size is odd.
    Neighbor,
    /// Binomial reduce, then binomial broadcast (Open MPI's nonoverlapping).
    ReduceBcast,
    /// Along a tree in segments of at most `chunk` bytes; 0 is in one.
    Tree {
        shape: TreeShape,
        k: u32,
        chunk: u32,
    },
    /// Half of the vector down each side of a binary tree, then halves are swapped (Open MPI).
    SplitBinary {
        chunk: u32,
    },
    /// By the switches of the network, up to `OFFLOAD_MAX` bytes, one rank a node.
    Offload,
    /// Stages within nodes, and `inter_node` among the first rank of each.
    NodeAware {
        form: Composition,
        inter_node: InterNode,
    },
}

impl Algorithm {
    /// Whether this is an algorithm for that collective.
    pub fn implements(self, kind: Kind) -> bool {
        use std::mem::discriminant;
        let same = |a: Algorithm, b: Algorithm| match (a, b) {
            (
                Algorithm::NodeAware { form: a, .. },
                Algorithm::NodeAware { form: b, inter_node },
            ) => a == b && Algorithm::from(inter_node).implements(kind),
            _ => discriminant(&a) == discriminant(&b),
        };
        kind.algorithms().iter().any(|&a| same(a, self))
    }
    /// Whether switches have a part in it.
    pub fn is_offloaded(self) -> bool {
        matches!(
            self,
            Algorithm::Offload | Algorithm::NodeAware { inter_node: InterNode::Offload, .. }
        )
    }
    /// A call done by switches: by ranks' nodes first, where several share one.
    pub fn offloaded(case: &Case) -> Option<Algorithm> {
        let roots = Case { size: case.nodes, ..*case };
        let alpha =
            Algorithm::NodeAware { form: Composition::Alpha, inter_node: InterNode::Offload };
        let algorithm = if case.nodes < case.size { alpha } else { Algorithm::Offload };
        let is_had = case.kind.algorithms().contains(&Algorithm::Offload);
        (is_had && Algorithm::Offload.takes(&roots) && algorithm.takes(case)).then_some(algorithm)
    }
    /// Whether it asks which ranks share a node.
    pub fn is_node_aware(self) -> bool {
        matches!(self, Algorithm::NodeAware { .. })
    }

    /// Whether operands are combined strictly in rank order, so that an operator need not commute.
    /// True of collectives that combine nothing.
    pub fn preserves_order(self, kind: Kind) -> bool {
        !matches!(
            (kind, self),
            (Kind::Allreduce, Algorithm::Ring)
                | (
                    Kind::Reduce | Kind::Allreduce,
                    Algorithm::Tree { .. } | Algorithm::NodeAware { .. } | Algorithm::Offload
                )
                | (
                    Kind::ReduceScatter | Kind::ReduceScatterBlock,
                    Algorithm::Ring | Algorithm::RecursiveHalving
                )
        )
    }
}

impl Kind {
    pub const ALL: [Kind; 16] = [
        Kind::Barrier,
        Kind::Bcast,
        Kind::Reduce,
        Kind::Allreduce,
        Kind::Allgather,
        Kind::Allgatherv,
        Kind::Alltoall,
        Kind::Alltoallv,
        Kind::Gather,
        Kind::Gatherv,
        Kind::Scatter,
        Kind::Scatterv,
        Kind::ReduceScatter,
        Kind::ReduceScatterBlock,
        Kind::Scan,
        Kind::Exscan,
    ];

    /// The algorithms that serve this kind, those that keep rank order first. Parameters stand at
    /// MPICH's defaults.
    pub fn algorithms(self) -> &'static [Algorithm] {
        use Algorithm::*;
        /// [MPICH] TREE_TYPE kary, TREE_KVAL 2, TREE_PIPELINE_CHUNK_SIZE 8192.
        const TREE: Algorithm = Tree { shape: TreeShape::Kary, k: 2, chunk: 0 };
        const PIPELINED_TREE: Algorithm = Tree { shape: TreeShape::Kary, k: 2, chunk: 8 << 10 };
        match self {
            Kind::Barrier => &[
                Dissemination { k: 2 },
                RecursiveExchange { k: 2 },
                NodeAware {
                    form: Composition::Alpha,
                    inter_node: InterNode::Dissemination { k: 2 },
                },
                NodeAware { form: Composition::Smp, inter_node: InterNode::Dissemination { k: 2 } },
                Offload,
            ],
            Kind::Bcast => &[
                Binomial,
                ScatterRecursiveDoubling,
                ScatterRing,
                TREE,
                PIPELINED_TREE,
                SplitBinary { chunk: 32 << 10 },
                NodeAware { form: Composition::Alpha, inter_node: InterNode::Binomial },
                NodeAware { form: Composition::Beta, inter_node: InterNode::Binomial },
                NodeAware { form: Composition::Smp, inter_node: InterNode::Binomial },
                Offload,
            ],
            Kind::Reduce => &[
                Binomial,
                ReduceScatterGather,
                TREE,
                PIPELINED_TREE,
                NodeAware { form: Composition::Alpha, inter_node: InterNode::Binomial },
                NodeAware { form: Composition::Beta, inter_node: InterNode::Binomial },
                NodeAware { form: Composition::Smp, inter_node: InterNode::Binomial },
                Offload,
            ],
            Kind::Allreduce => &[
                RecursiveDoubling,
                Rabenseifner,
                RecursiveExchange { k: 2 },
                ReduceBcast,
                Ring,
                TREE,
                NodeAware { form: Composition::Alpha, inter_node: InterNode::RecursiveDoubling },
                NodeAware { form: Composition::Smp, inter_node: InterNode::RecursiveDoubling },
                Offload,
            ],
            Kind::Allgather => &[
                RecursiveDoubling,
                Bruck,
                Ring,
                Neighbor,
                KBruck { k: 2 },
                ExchangeDoubling { k: 2 },
                ExchangeHalving { k: 2 },
            ],
            Kind::Allgatherv => &[RecursiveDoubling, Bruck, Ring, Neighbor],
            Kind::Alltoall => &[
                Scattered { throttle: 32 },
                Pairwise,
                Bruck,
                KBruck { k: 2 },
                // [CRAY] MPICH_ALLTOALL_BLK_SIZE; MPICH_ALLTOALL_SYNC_FREQ at its largest.
                Chunked { chunk: 16 << 10, throttle: 24 },
            ],
            Kind::Alltoallv => &[Scattered { throttle: 32 }, Pairwise],
            Kind::Gather | Kind::Scatter => &[Binomial, Linear],
            Kind::Gatherv | Kind::Scatterv => &[Linear],
            Kind::ReduceScatter | Kind::ReduceScatterBlock => &[Pairwise, RecursiveHalving, Ring],
            Kind::Scan | Kind::Exscan => &[RecursiveDoubling],
        }
    }

    /// Whether some algorithm of this kind asks which ranks share a node.
    pub fn is_ever_node_aware(self) -> bool {
        self.algorithms().iter().any(|a| a.is_node_aware())
    }

    /// Whether the kind combines operands.
    pub fn reduces(self) -> bool {
        matches!(
            self,
            Kind::Reduce
                | Kind::Allreduce
                | Kind::ReduceScatter
                | Kind::ReduceScatterBlock
                | Kind::Scan
                | Kind::Exscan
        )
    }

    /// Whether one rank is special.
    pub fn has_root(self) -> bool {
        matches!(
            self,
            Kind::Bcast
                | Kind::Reduce
                | Kind::Gather
                | Kind::Gatherv
                | Kind::Scatter
                | Kind::Scatterv
        )
    }
}

impl Collective {
    /// Rounds this rank takes part in, in all of which it may find nothing to do. The same on every
    /// rank. A collective without bytes has none, but for the barrier (and the kinds of which one
    /// rank cannot know: gatherv, scatterv, alltoallv).
    pub fn rounds(&self) -> u32 {
        use Algorithm as A;
        let p = self.member.size;
        let is_trivial_alone = !matches!(self.kind, Kind::Alltoall | Kind::Alltoallv);
        if self.is_empty() || (p == 1 && is_trivial_alone) {
            return 0;
        }
        if let A::NodeAware { form, inter_node } = self.algorithm {
            return self.staged_rounds(form, inter_node);
        }
        let (ceil, floor) = (blocks::doublings(p), p.ilog2());
        // Two rounds more where ranks beyond the largest power of two come in and go out.
        let beyond = if p.is_power_of_two() { 0 } else { 1 };
        match (self.kind, self.algorithm) {
            (_, A::Offload) => offload::ROUNDS,
            (Kind::Barrier, A::RecursiveExchange { .. }) => {
                reductions::Exchange::of(p, self.radix()).rounds()
            }
            (Kind::Barrier, _) => blocks::digits(p, self.radix()),
            (_, A::Binomial) => ceil,
            (Kind::Allreduce, A::Tree { .. }) => 2 * self.pipeline().rounds(),
            (_, A::Tree { .. }) => self.pipeline().rounds(),
            (_, A::SplitBinary { chunk }) => shapes::SplitTree::new(self, chunk.into()).rounds(),
            (_, A::ExchangeDoubling { .. }) => reductions::Exchange::of(p, self.radix()).rounds(),
            (_, A::ExchangeHalving { .. }) => {
                reductions::Exchange::of(p, self.radix()).rounds() + 1
            }
            (_, A::KBruck { .. }) => blocks::digits(p, self.radix()).max(1),
            (Kind::Bcast, A::ScatterRecursiveDoubling) => 2 * floor + beyond,
            (Kind::Bcast, _) => ceil + p - 1,
            (Kind::Reduce, _) => reductions::halving_rounds(p, false),
            (Kind::Allreduce, A::Rabenseifner) => reductions::halving_rounds(p, true),
            (Kind::Allreduce, A::Ring) => 2 * (p - 1),
            (Kind::Allreduce, A::ReduceBcast) => 2 * ceil,
            (Kind::Allreduce, _) => reductions::Exchange::of(p, self.radix()).rounds(),
            (Kind::Allgather | Kind::Allgatherv, A::RecursiveDoubling) => floor + 2 * beyond,
            (Kind::Allgather | Kind::Allgatherv, A::Bruck) => ceil,
            (Kind::Allgather | Kind::Allgatherv, A::Neighbor) if p.is_multiple_of(2) => p / 2,
            (Kind::Alltoall, A::Bruck) => ceil.max(1),
            (_, A::Scattered { .. } | A::Chunked { .. }) => {
                let windows = (p - 1).div_ceil(self.throttle()).max(1);
                windows.saturating_mul(self.pieces())
            }
            (Kind::Alltoall | Kind::Alltoallv, _) => (p - 1).max(1),
            (_, A::RecursiveHalving) => floor + 2 * beyond,
            (_, A::Linear) => 1,
            (Kind::Scan | Kind::Exscan, _) => ceil,
            _ => p - 1,
        }
    }

    /// Names what this rank does in round `k`. Parts without bytes are not named, so a message
    /// without bytes is not sent, except by the barrier.
    pub fn round(&self, k: u32, out: &mut impl RoundSink) {
        debug_assert!(k < self.rounds(), "round {k} of {self:?}");
        debug_assert!(self.algorithm.implements(self.kind), "{self:?}");
        match self.algorithm {
            Algorithm::NodeAware { form, inter_node } => {
                self.staged_round((form, inter_node), k, out)
            }
            _ => self.flat_round(k, out),
        }
    }

    /// A round of an algorithm that knows of no nodes.
    fn flat_round(&self, k: u32, out: &mut impl RoundSink) {
        use Algorithm as A;
        match (self.kind, self.algorithm) {
            (_, A::Offload) => return offload::round(self, k, out),
            (Kind::Barrier, A::RecursiveExchange { .. }) => {
                return reductions::exchange(self, self.radix(), k, &mut Signals(out));
            }
            (Kind::Barrier, _) => return trees::dissemination(self, self.radix(), k, out),
            _ => {}
        }
        let out = &mut NonEmpty(out);
        match (self.kind, self.algorithm) {
            (Kind::Barrier, _) | (_, A::NodeAware { .. } | A::Offload) => {}
            (Kind::Bcast, A::Tree { .. }) => self.pipeline().down(self, k, out),
            (Kind::Bcast, A::SplitBinary { chunk }) => {
                shapes::SplitTree::new(self, chunk.into()).down(self, k, out);
            }
            (Kind::Reduce, A::Tree { .. }) => self.pipeline().up(self, k, out),
            (Kind::Allreduce, A::Tree { .. }) => {
                let pipeline = self.pipeline();
                match pipeline.rounds() {
                    up if k < up => pipeline.up(self, k, out),
                    up => pipeline.down(self, k - up, out),
                }
            }
            (Kind::Bcast, A::ScatterRecursiveDoubling) => {
                trees::bcast_scatter_doubling(self, k, out);
            }
            (Kind::Bcast, A::ScatterRing) => trees::bcast_scatter_ring(self, k, out),
            (Kind::Bcast, _) => trees::bcast_binomial(self, k, out),
            (Kind::Reduce, A::ReduceScatterGather) => {
                reductions::reduce_scatter_gather(self, k, out);
            }
            (Kind::Reduce, _) => reductions::reduce_binomial(self, k, out),
            (Kind::Allreduce, A::Rabenseifner) => reductions::rabenseifner(self, k, out),
            (Kind::Allreduce, A::Ring) => reductions::ring(self, k, out),
            (Kind::Allreduce, A::ReduceBcast) => match blocks::doublings(self.member.size) {
                levels if k < levels => reductions::reduce_binomial(self, k, out),
                levels => trees::bcast_binomial(self, k - levels, out),
            },
            (Kind::Allreduce, _) => reductions::exchange(self, self.radix(), k, out),
            (Kind::Allgather | Kind::Allgatherv, A::RecursiveDoubling) => {
                gathering::recursive_doubling(self, k, out);
            }
            (Kind::Allgather | Kind::Allgatherv, A::Bruck | A::KBruck { .. }) => {
                gathering::bruck(self, self.radix(), k, out);
            }
            (Kind::Allgather, A::ExchangeDoubling { .. }) => {
                gathering::exchange(self, self.radix(), false, k, out);
            }
            (Kind::Allgather, A::ExchangeHalving { .. }) => {
                gathering::exchange(self, self.radix(), true, k, out);
            }
            (Kind::Allgather | Kind::Allgatherv, A::Neighbor)
                if self.member.size.is_multiple_of(2) =>
            {
                gathering::neighbor(self, k, out);
            }
            (Kind::Allgather | Kind::Allgatherv, _) => gathering::ring(self, k, out),
            (Kind::Alltoall, A::Bruck | A::KBruck { .. }) => {
                exchange::bruck(self, self.radix(), k, out);
            }
            (_, A::Scattered { .. }) => exchange::scattered(self, self.throttle(), k, out),
            (_, A::Chunked { .. }) => exchange::chunked(self, self.throttle(), k, out),
            (Kind::Alltoall | Kind::Alltoallv, _) => exchange::pairwise(self, k, out),
            (Kind::Gather, A::Binomial) => trees::gather_binomial(self, k, out),
            (Kind::Gather | Kind::Gatherv, _) => trees::gather_linear(self, out),
            (Kind::Scatter, A::Binomial) => trees::scatter_binomial(self, k, out),
            (Kind::Scatter | Kind::Scatterv, _) => trees::scatter_linear(self, out),
            (_, A::RecursiveHalving) => reduce_scatter::recursive_halving(self, k, out),
            (Kind::ReduceScatter | Kind::ReduceScatterBlock, A::Ring) => {
                reduce_scatter::ring(self, k, out);
            }
            (Kind::ReduceScatter | Kind::ReduceScatterBlock, _) => {
                reduce_scatter::pairwise(self, k, out);
            }
            (Kind::Scan | Kind::Exscan, _) => scans::recursive_doubling(self, k, out),
        }
    }

    /// Size of the working buffer, scratch included, whatever the algorithm: a caller allocates
    /// before the algorithm is chosen.
    pub fn buffer_bytes(&self) -> u64 {
        let (p, n) = (self.member.size, self.bytes);
        match self.kind {
            Kind::Barrier => 0,
            Kind::Bcast | Kind::Reduce => n,
            Kind::Allreduce => reductions::allreduce_buffer(n),
            Kind::Scan | Kind::Exscan => 3 * n,
            Kind::Allgather | Kind::Allgatherv => 2 * self.at(p),
            Kind::Alltoall => 3 * self.at(p),
            Kind::Alltoallv => self.received(p - 1).at + self.received(p - 1).len,
            Kind::Gather | Kind::Scatter => self.at(p),
            Kind::Gatherv | Kind::Scatterv => {
                self.own().len.max(self.deposit_area().len).max(self.collect_area().len)
            }
            Kind::ReduceScatter | Kind::ReduceScatterBlock => self.at(p) + self.own().len,
        }
    }

    /// The blocks this rank puts into the working buffer before the first round.
    pub fn deposits(&self) -> impl Iterator<Item = (u32, ByteRange)> + '_ {
        let (lo, hi) = self.deposited();
        (lo..hi).map(|i| (i, self.place(i)))
    }
    /// The blocks this rank finds in the working buffer after the last round.
    pub fn collects(&self) -> impl Iterator<Item = (u32, ByteRange)> + '_ {
        let (lo, hi) = self.collected();
        let exchanged = matches!(self.kind, Kind::Alltoall | Kind::Alltoallv);
        (lo..hi).map(move |i| (i, if exchanged { self.received(i) } else { self.place(i) }))
    }
    /// The one stretch all deposits lie in, without gaps.
    pub fn deposit_area(&self) -> ByteRange {
        let (lo, hi) = self.deposited();
        self.stretch(lo, hi, |i| self.place(i))
    }
    /// The one stretch all that is collected lies in, without gaps.
    pub fn collect_area(&self) -> ByteRange {
        let (lo, hi) = self.collected();
        match self.kind {
            Kind::Alltoall | Kind::Alltoallv => self.stretch(lo, hi, |i| self.received(i)),
            _ => self.stretch(lo, hi, |i| self.place(i)),
        }
    }
    fn stretch(&self, lo: u32, hi: u32, place: impl Fn(u32) -> ByteRange) -> ByteRange {
        if lo == hi {
            return blocks::EMPTY;
        }
        let (first, last) = (place(lo), place(hi - 1));
        ByteRange { at: first.at, len: last.at + last.len - first.at }
    }

    /// Block indices deposited: `lo..hi`.
    fn deposited(&self) -> (u32, u32) {
        let (p, r) = (self.member.size, self.member.rank);
        let is_root = r == self.root;
        match self.kind {
            Kind::Barrier => (0, 0),
            Kind::Bcast => (0, u32::from(is_root)),
            Kind::Reduce | Kind::Allreduce | Kind::Scan | Kind::Exscan => (0, 1),
            Kind::Allgather | Kind::Allgatherv | Kind::Gather | Kind::Gatherv => (r, r + 1),
            Kind::Scatter | Kind::Scatterv => (0, if is_root { p } else { 0 }),
            Kind::Alltoall | Kind::Alltoallv | Kind::ReduceScatter | Kind::ReduceScatterBlock => {
                (0, p)
            }
        }
    }
    /// Block indices collected: `lo..hi`.
    fn collected(&self) -> (u32, u32) {
        let (p, r) = (self.member.size, self.member.rank);
        let is_root = r == self.root;
        match self.kind {
            Kind::Barrier => (0, 0),
            Kind::Bcast | Kind::Allreduce | Kind::Scan => (0, 1),
            Kind::Reduce => (0, u32::from(is_root)),
            // MPI leaves rank 0's result undefined.
            Kind::Exscan => (0, u32::from(r > 0)),
            Kind::Allgather | Kind::Allgatherv | Kind::Alltoall | Kind::Alltoallv => (0, p),
            Kind::Gather | Kind::Gatherv => (0, if is_root { p } else { 0 }),
            Kind::Scatter | Kind::Scatterv | Kind::ReduceScatter | Kind::ReduceScatterBlock => {
                (r, r + 1)
            }
        }
    }
    /// Where block `i` of the deposit (and, but for exchanges, of the result) lies.
    fn place(&self, i: u32) -> ByteRange {
        match self.kind {
            Kind::Bcast | Kind::Reduce | Kind::Allreduce | Kind::Scan | Kind::Exscan => {
                ByteRange { at: 0, len: self.bytes }
            }
            Kind::Gatherv | Kind::Scatterv if i == self.member.rank => self.own(),
            _ => self.block(i),
        }
    }
    /// This rank's own block. Away from the root, gatherv and scatterv know no other, so it lies
    /// at the beginning.
    pub(crate) fn own(&self) -> ByteRange {
        match self.kind {
            Kind::Gatherv | Kind::Scatterv if self.member.rank != self.root => {
                ByteRange { at: 0, len: self.bytes }
            }
            _ => self.block(self.member.rank),
        }
    }
    /// Nothing is moved, and every rank knows it.
    pub fn is_empty(&self) -> bool {
        match self.kind {
            Kind::Barrier | Kind::Gatherv | Kind::Scatterv | Kind::Alltoallv => false,
            Kind::Allgatherv | Kind::ReduceScatter => self.at(self.member.size) == 0,
            _ => self.bytes == 0,
        }
    }
    /// The radix of rounds; of operands only short ones are exchanged in wide ones (see
    /// docs/models/collectives.md).
    fn radix(&self) -> u32 {
        let k = match self.algorithm {
            Algorithm::RecursiveExchange { .. } if self.bytes > reductions::WIDE_EXCHANGE_MAX => 2,
            Algorithm::RecursiveExchange { k } => k.min(reductions::RADIX_MAX as u8),
            Algorithm::Dissemination { k }
            | Algorithm::KBruck { k }
            | Algorithm::ExchangeDoubling { k }
            | Algorithm::ExchangeHalving { k } => k,
            _ => 2,
        };
        u32::from(k).max(2)
    }
    /// The vector along this call's tree.
    fn pipeline(&self) -> shapes::Pipeline {
        let Algorithm::Tree { shape, k, chunk } = self.algorithm else {
            unreachable!("{self:?} has no tree");
        };
        let tree = shapes::Tree::new(shape, k, self.member.size);
        shapes::Pipeline::new(self, tree, chunk.into(), false)
    }
    /// Partners of a round, at most.
    pub fn throttle(&self) -> u32 {
        match self.algorithm {
            Algorithm::Scattered { throttle } | Algorithm::Chunked { throttle, .. } => {
                u32::from(throttle).max(1)
            }
            _ => 1,
        }
    }
    /// Pieces of a block that goes in several.
    pub fn pieces(&self) -> u32 {
        match self.algorithm {
            Algorithm::Chunked { chunk, .. } => {
                let pieces = self.bytes.div_ceil(u64::from(chunk.max(1)));
                u32::try_from(pieces).unwrap_or(u32::MAX).max(1)
            }
            _ => 1,
        }
    }
}

/// Passes on who hears from whom, and nothing of what.
struct Signals<'a, S>(&'a mut S);

impl<S: RoundSink> RoundSink for Signals<'_, S> {
    fn send(&mut self, to: u32, _: ByteRange) {
        self.0.send(to, blocks::EMPTY);
    }
    fn recv(&mut self, from: u32, _: ByteRange, _: ApplyMode) {
        self.0.recv(from, blocks::EMPTY, ApplyMode::Write);
    }
    fn local(&mut self, _: ByteRange, _: ByteRange, _: ApplyMode) {}
}

/// Passes on what has bytes.
struct NonEmpty<'a, S>(&'a mut S);

impl<S: RoundSink> RoundSink for NonEmpty<'_, S> {
    #[inline]
    fn send(&mut self, to: u32, part: ByteRange) {
        if part.len > 0 {
            self.0.send(to, part);
        }
    }
    #[inline]
    fn recv(&mut self, from: u32, part: ByteRange, land: ApplyMode) {
        if part.len > 0 {
            self.0.recv(from, part, land);
        }
    }
    #[inline]
    fn local(&mut self, from: ByteRange, to: ByteRange, land: ApplyMode) {
        if from.len > 0 {
            self.0.local(from, to, land);
        }
    }
    #[inline]
    fn send_run(&mut self, to: u32, first: ByteRange, stride: u64, count: u32) {
        if first.len > 0 && count > 0 {
            self.0.send_run(to, first, stride, count);
        }
    }
    #[inline]
    fn recv_run(&mut self, from: u32, first: ByteRange, stride: u64, count: u32) {
        if first.len > 0 && count > 0 {
            self.0.recv_run(from, first, stride, count);
        }
    }
    #[inline]
    fn local_run(
        &mut self,
        from: ByteRange,
        from_step: i64,
        to: ByteRange,
        to_step: i64,
        count: u32,
    ) {
        if from.len > 0 && count > 0 {
            self.0.local_run(from, from_step, to, to_step, count);
        }
    }
}
