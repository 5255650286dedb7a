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

pub use blocks::Ragged;

/// A stretch of a rank's working buffer, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    pub at: u64,
    pub len: u64,
}

/// What bytes do to those they land on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Land {
    Write,
    /// `here = arrived op here`: the arrived operand comes from lower ranks.
    CombineLeft,
    /// `here = here op arrived`.
    CombineRight,
}

pub trait RoundSink {
    fn send(&mut self, to: u32, part: Part);
    fn recv(&mut self, from: u32, part: Part, land: Land);
    /// A move within the own working buffer after everything of this round has landed. For
    /// `Write` the parts do not overlap; lengths are equal.
    fn local(&mut self, from: Part, to: Part, land: Land);
}

/// Who asks: rank and size in the communicator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seat {
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
    pub seat: Seat,
    pub root: u32,
    /// The vector (bcast, reductions, scans) or one rank's block (the rest). For gatherv and
    /// scatterv away from the root: the own block.
    pub bytes: u64,
    /// Bytes of one element: blocks are never cut between elements.
    pub grain: u64,
    /// Block lengths: one a rank (allgatherv, reduce_scatter; gatherv and scatterv at the
    /// root), or `p` to send then `p` to receive (alltoallv).
    pub ragged: Option<Ragged>,
}

/// Field's names; which kinds each serves is `Algorithm::serves`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Algorithm {
    Dissemination,
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
    RecursiveHalving,
    Pairwise,
    /// All at once, at most `throttle` out at a time.
    Scattered {
        throttle: u16,
    },
    Linear,
}
