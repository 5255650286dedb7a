//! Collective algorithms as pure functions of (rank, size, round). Layer 1.
//!
//! An algorithm holds no state. For round `k` of rank `r` it lists the sends, receives and local
//! moves of that round, by calls of a `RoundSink`. The simulator times the rounds, the live library
//! moves bytes by them, and tests check them; each is a sink of the same calls.
//!
//! A round is a superstep. Its sends read the working buffer as it is when the round begins. Then
//! received data is applied, and local moves run last, both in the order listed.
//!
//! All byte ranges that a rank sends to one peer within a round form one message, in the order
//! listed; the same holds for receives. No rank sends to itself. docs/models/collectives.md
//! describes the algorithms.

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

/// A range of bytes of a rank's working buffer: offset `at` and length, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ByteRange {
    pub at: u64,
    pub len: u64,
}

/// How bytes are applied to their destination.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ApplyMode {
    Write,
    /// `here = arrived op here`: the arrived operand comes from lower ranks.
    CombineLeft,
    /// `here = here op arrived`.
    CombineRight,
}

/// Receives the sends, receives and local moves of a round. Strided algorithms report many equal
/// ranges in one call of a `_run` method. A sink that needs only lengths overrides those.
pub trait RoundSink {
    fn send(&mut self, to: u32, part: ByteRange);
    fn recv(&mut self, from: u32, part: ByteRange, mode: ApplyMode);
    /// A move within the rank's own working buffer, after all receives of this round. The ranges
    /// have equal lengths; for `Write` they do not overlap.
    fn local(&mut self, from: ByteRange, to: ByteRange, mode: ApplyMode);

    /// A send to a rank of the same node through shared memory that all receivers read. A sender
    /// with several receivers of the same data writes it once, for the first (`_is_first`).
    fn send_shared(&mut self, to: u32, part: ByteRange, _is_first: bool) {
        self.send(to, part);
    }
    /// A rank's part in a reduction by switches or NICs. Returns whether this sink models it as
    /// such; otherwise the sink gets equivalent sends and receives.
    fn in_network(&mut self, _part: InNetwork) -> bool {
        false
    }
    /// `count` ranges like `first`, each `stride` bytes after the previous one, of one packed
    /// message.
    fn send_run(&mut self, to: u32, first: ByteRange, stride: u64, count: u32) {
        for i in 0..u64::from(count) {
            self.send(to, ByteRange { at: first.at + i * stride, len: first.len });
        }
    }
    /// Like `send_run`, for ranges that are written on arrival.
    fn recv_run(&mut self, from: u32, first: ByteRange, stride: u64, count: u32) {
        for i in 0..u64::from(count) {
            let part = ByteRange { at: first.at + i * stride, len: first.len };
            self.recv(from, part, ApplyMode::Write);
        }
    }
    /// `count` moves that write. Source and destination advance by `from_step` and `to_step` bytes
    /// per move.
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

/// A rank's part in a reduction by the network, and in the distribution of its result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InNetwork {
    /// The rank at the root of the tree, and the number of participating ranks.
    pub root: u32,
    pub size: u32,
    pub bytes: u64,
    /// In the first of its two rounds: towards the root.
    pub goes_up: bool,
}

/// A member of a communicator: its rank and the communicator's size.
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

/// The part of one rank in a collective.
///
/// The working buffer begins with areas that depend on the kind only (`n` = `bytes`, `p` = size),
/// and scratch follows. So a caller deposits its contribution and collects the result without
/// knowing the algorithm.
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
    /// Bytes of the vector (bcast, reductions, scans) or of one rank's block (others). For gatherv
    /// and scatterv away from the root: the rank's own block.
    pub bytes: u64,
    /// Bytes of one element. In a reduction all ranks have the same value, and no element is split.
    /// In an alltoall it determines the cost of packing blocks. Elsewhere it matters only for rules
    /// that depend on the element count.
    pub grain: u64,
    /// Block lengths in bytes: one per rank (allgatherv, reduce_scatter; gatherv and scatterv at
    /// the root), or `p` to send then `p` to receive (alltoallv).
    pub ragged: Option<Ragged>,
    /// Which ranks share a node, for node-aware algorithms and rules. `None`: one rank per node.
    pub nodes: Option<NodeMap>,
}

/// A collective algorithm. `Algorithm::implements` states for which kinds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Algorithm {
    /// Signals to `k - 1` ranks per round.
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
    /// Bruck's algorithm with `k - 1` partners per round.
    KBruck {
        k: u8,
    },
    /// Exchanges of all data held, in `k`-ary rounds: nearest partners first.
    ExchangeDoubling {
        k: u8,
    },
    /// Like `ExchangeDoubling`, farthest partners first.
    ExchangeHalving {
        k: u8,
    },
    RecursiveHalving,
    Pairwise,
    /// Direct exchange with at most `throttle` partners at a time.
    Scattered {
        throttle: u16,
    },
    /// Like `Scattered`, with blocks in equal pieces of at most `chunk` bytes: every rank gets one
    /// piece before the next pieces are sent (Cray MPICH).
    Chunked {
        chunk: u32,
        throttle: u16,
    },
    Linear,
    /// Pairs of blocks are exchanged with the left and the right neighbor alternately (Open MPI). A
    /// ring if the size is odd.
    Neighbor,
    /// Binomial reduce, then binomial broadcast (Open MPI's nonoverlapping).
    ReduceBcast,
    /// Along a tree in segments of at most `chunk` bytes; 0 means one segment.
    Tree {
        shape: TreeShape,
        k: u32,
        chunk: u32,
    },
    /// Half of the vector down each side of a binary tree, then an exchange of halves (Open MPI).
    SplitBinary {
        chunk: u32,
    },
    /// Reduction by the network, up to `OFFLOAD_MAX` bytes, one rank per node.
    Offload,
    /// Intra-node stages, and `inter_node` among the first ranks of the nodes.
    NodeAware {
        form: Composition,
        inter_node: InterNode,
    },
}

impl Algorithm {
    /// Whether this is an algorithm for `kind`.
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
    /// Whether the network reduces.
    pub fn is_offloaded(self) -> bool {
        matches!(
            self,
            Algorithm::Offload | Algorithm::NodeAware { inter_node: InterNode::Offload, .. }
        )
    }
    /// The offloaded algorithm for a call, node-aware where several ranks share a node; `None` if
    /// it is not applicable.
    pub fn offloaded(case: &Case) -> Option<Algorithm> {
        let roots = Case { size: case.nodes, ..*case };
        let alpha =
            Algorithm::NodeAware { form: Composition::Alpha, inter_node: InterNode::Offload };
        let algorithm = if case.nodes < case.size { alpha } else { Algorithm::Offload };
        let is_had = case.kind.algorithms().contains(&Algorithm::Offload);
        (is_had && Algorithm::Offload.is_applicable(&roots) && algorithm.is_applicable(case))
            .then_some(algorithm)
    }
    /// Whether it depends on which ranks share a node.
    pub fn is_node_aware(self) -> bool {
        matches!(self, Algorithm::NodeAware { .. })
    }

    /// Whether operands are combined strictly in rank order, so that the operator need not commute.
    /// True for collectives that combine nothing.
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

    /// The algorithms for this kind, those that preserve rank order first. Parameters are MPICH's
    /// defaults.
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

    /// Whether some algorithm of this kind is node-aware.
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

    /// Whether the kind has a root.
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
    /// Number of rounds, equal on all ranks; a rank may be idle in a round. A collective without
    /// bytes has none, except the barrier and kinds of which a rank does not know all lengths:
    /// gatherv, scatterv, alltoallv.
    pub fn rounds(&self) -> u32 {
        use Algorithm as A;
        let p = self.member.size;
        let is_trivial_alone = !matches!(self.kind, Kind::Alltoall | Kind::Alltoallv);
        if self.is_empty() || (p == 1 && is_trivial_alone) {
            return 0;
        }
        if let A::NodeAware { form, inter_node } = self.algorithm {
            return self.node_aware_rounds(form, inter_node);
        }
        let (ceil, floor) = (blocks::doublings(p), p.ilog2());
        // Two more rounds: ranks beyond the largest power of two fold in and are served last.
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

    /// Reports what this rank does in round `k`. Empty ranges are left out, so a message without
    /// bytes is not sent, except by the barrier.
    pub fn round(&self, k: u32, out: &mut impl RoundSink) {
        debug_assert!(k < self.rounds(), "round {k} of {self:?}");
        debug_assert!(self.algorithm.implements(self.kind), "{self:?}");
        match self.algorithm {
            Algorithm::NodeAware { form, inter_node } => {
                self.node_aware_round((form, inter_node), k, out)
            }
            _ => self.flat_round(k, out),
        }
    }

    /// A round of an algorithm that is not node-aware.
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

    /// Bytes of the working buffer including scratch, for any algorithm: a caller allocates it
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

    /// The blocks this rank writes to the working buffer before the first round.
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
    /// The contiguous range of all deposits.
    pub fn deposit_area(&self) -> ByteRange {
        let (lo, hi) = self.deposited();
        self.stretch(lo, hi, |i| self.place(i))
    }
    /// The contiguous range of everything collected.
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
    /// Range of block `i` of the deposit and, except for alltoall, of the result.
    fn place(&self, i: u32) -> ByteRange {
        match self.kind {
            Kind::Bcast | Kind::Reduce | Kind::Allreduce | Kind::Scan | Kind::Exscan => {
                ByteRange { at: 0, len: self.bytes }
            }
            Kind::Gatherv | Kind::Scatterv if i == self.member.rank => self.own(),
            _ => self.block(i),
        }
    }
    /// This rank's own block. Away from the root, gatherv and scatterv know no other block, so it
    /// is at the beginning.
    pub(crate) fn own(&self) -> ByteRange {
        match self.kind {
            Kind::Gatherv | Kind::Scatterv if self.member.rank != self.root => {
                ByteRange { at: 0, len: self.bytes }
            }
            _ => self.block(self.member.rank),
        }
    }
    /// Whether no data is moved, and every rank knows it.
    pub fn is_empty(&self) -> bool {
        match self.kind {
            Kind::Barrier | Kind::Gatherv | Kind::Scatterv | Kind::Alltoallv => false,
            Kind::Allgatherv | Kind::ReduceScatter => self.at(self.member.size) == 0,
            _ => self.bytes == 0,
        }
    }
    /// The radix of rounds; recursive exchange of long operands uses 2.
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
    /// The pipeline of this call's vector along its tree.
    fn pipeline(&self) -> shapes::Pipeline {
        let Algorithm::Tree { shape, k, chunk } = self.algorithm else {
            unreachable!("{self:?} has no tree");
        };
        let tree = shapes::Tree::new(shape, k, self.member.size);
        shapes::Pipeline::new(self, tree, chunk.into(), false)
    }
    /// Largest number of partners per round.
    pub fn throttle(&self) -> u32 {
        match self.algorithm {
            Algorithm::Scattered { throttle } | Algorithm::Chunked { throttle, .. } => {
                u32::from(throttle).max(1)
            }
            _ => 1,
        }
    }
    /// Number of pieces of a block.
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

/// Forwards peers and drops all bytes, for barriers.
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

/// Forwards non-empty ranges.
struct NonEmpty<'a, S>(&'a mut S);

impl<S: RoundSink> RoundSink for NonEmpty<'_, S> {
    #[inline]
    fn send(&mut self, to: u32, part: ByteRange) {
        if part.len > 0 {
            self.0.send(to, part);
        }
    }
    #[inline]
    fn recv(&mut self, from: u32, part: ByteRange, mode: ApplyMode) {
        if part.len > 0 {
            self.0.recv(from, part, mode);
        }
    }
    #[inline]
    fn local(&mut self, from: ByteRange, to: ByteRange, mode: ApplyMode) {
        if from.len > 0 {
            self.0.local(from, to, mode);
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
