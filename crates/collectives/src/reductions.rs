//! Reduce and allreduce.
//!
//! All but the ring combine adjacent operands only, the lower ranks' on the left, so they are valid
//! for operators that do not commute. In an allreduce every rank associates operands in the same
//! way, so all ranks get the same bits.

use crate::blocks::cuts;
use crate::{ApplyMode, ByteRange, Collective, RoundSink};

/// Longest vector of the k-ary exchange with `k > 2`, bytes: its scratch is `k - 1` vectors.
pub(crate) const WIDE_EXCHANGE_MAX: u64 = 256 << 10;
/// Largest radix of the k-ary exchange.
pub(crate) const RADIX_MAX: u32 = 16;

fn whole(c: &Collective) -> ByteRange {
    ByteRange { at: 0, len: c.bytes }
}

/// The mode that combines an operand from `from` on its side of that of `here`.
#[inline]
fn side(from: u32, here: u32) -> ApplyMode {
    if from < here { ApplyMode::CombineLeft } else { ApplyMode::CombineRight }
}

/// Round `k` joins adjacent groups of 2^k ranks. A group's result is at the root if the group
/// contains it, else at its lowest rank. So rank order is preserved for every root.
pub(crate) fn reduce_binomial(c: &Collective, k: u32, out: &mut impl RoundSink) {
    let (p, r, width) = (c.member.size, c.member.rank, 1u32 << k);
    let lo = r & !(2 * width - 1);
    let mid = lo + width;
    if mid >= p {
        return;
    }
    let hi = mid.saturating_add(width).min(p);
    let holder = |lo: u32, hi: u32| if (lo..hi).contains(&c.root) { c.root } else { lo };
    let (left, right, joint) = (holder(lo, mid), holder(mid, hi), holder(lo, hi));
    let other = if joint == left { right } else { left };
    if r == other {
        out.send(joint, whole(c));
    } else if r == joint {
        out.recv(other, whole(c), side(other, r));
    }
}

/// The largest power of two of ranks, the core. The others' operands are folded into it: the first
/// `2 * extra` ranks fold in pairs.
struct Fold {
    extra: u32,
    steps: u32,
    /// A rank that stays in the core although it would fold.
    favored: Option<u32>,
}

impl Fold {
    fn of(size: u32, favored: Option<u32>) -> Fold {
        let steps = size.ilog2();
        Fold { extra: size - (1 << steps), steps, favored }
    }
    fn core(&self) -> u32 {
        1 << self.steps
    }
    /// A rank's place in the core; `None` if it folds into the other rank of its pair.
    fn place(&self, rank: u32) -> Option<u32> {
        match rank < 2 * self.extra {
            true => (self.rank(rank / 2) == rank).then_some(rank / 2),
            false => Some(rank - self.extra),
        }
    }
    /// The rank at a place of the core.
    fn rank(&self, place: u32) -> u32 {
        match place < self.extra {
            true if self.favored == Some(2 * place) => 2 * place,
            true => 2 * place + 1,
            false => place + self.extra,
        }
    }
    /// The round in which pairs fold.
    fn fold(&self, c: &Collective, out: &mut impl RoundSink) {
        let r = c.member.rank;
        if r < 2 * self.extra {
            match self.place(r) {
                None => out.send(r ^ 1, whole(c)),
                Some(_) => out.recv(r ^ 1, whole(c), side(r ^ 1, r)),
            }
        }
    }
    /// The round in which core ranks send the result to the others.
    fn unfold(&self, c: &Collective, out: &mut impl RoundSink) {
        let r = c.member.rank;
        if r < 2 * self.extra {
            match self.place(r) {
                Some(_) => out.send(r ^ 1, whole(c)),
                None => out.recv(r ^ 1, whole(c), ApplyMode::Write),
            }
        }
    }
    /// First piece of a place after `step` halvings of the vector, nearest partner first: its
    /// `step` low bits, reversed, are the leading bits.
    fn start(&self, place: u32, step: u32) -> u32 {
        match self.steps {
            0 => 0,
            steps => {
                (place.reverse_bits() >> (32 - steps)) & !((self.core() >> step).wrapping_sub(1))
            }
        }
    }
    /// The pieces of a place after `step` halvings.
    fn piece(&self, c: &Collective, place: u32, step: u32) -> ByteRange {
        let start = self.start(place, step);
        cuts(c.bytes, c.grain, self.core(), start, start + (self.core() >> step))
    }
    /// Halving number `step`: each partner keeps one half and combines it.
    fn halve(&self, c: &Collective, step: u32, out: &mut impl RoundSink) {
        let Some(me) = self.place(c.member.rank) else { return };
        let peer = me ^ (1 << step);
        out.send(self.rank(peer), self.piece(c, peer, step + 1));
        out.recv(self.rank(peer), self.piece(c, me, step + 1), side(peer, me));
    }
}

/// Reduce-scatter by halving, then allgather by doubling, with the same partners in reverse.
pub(crate) fn rabenseifner(c: &Collective, k: u32, out: &mut impl RoundSink) {
    let fold = Fold::of(c.member.size, None);
    let k = if fold.extra == 0 { k + 1 } else { k };
    let steps = fold.steps;
    if k == 0 {
        fold.fold(c, out);
    } else if k <= steps {
        fold.halve(c, k - 1, out);
    } else if k <= 2 * steps {
        let Some(me) = fold.place(c.member.rank) else { return };
        let step = 2 * steps - k;
        let peer = me ^ (1 << step);
        out.send(fold.rank(peer), fold.piece(c, me, step + 1));
        out.recv(fold.rank(peer), fold.piece(c, peer, step + 1), ApplyMode::Write);
    } else {
        fold.unfold(c, out);
    }
}

/// Reduce-scatter by halving, then a binomial gather to the root, with the same partners in
/// reverse.
pub(crate) fn reduce_scatter_gather(c: &Collective, k: u32, out: &mut impl RoundSink) {
    let fold = Fold::of(c.member.size, Some(c.root));
    let k = if fold.extra == 0 { k + 1 } else { k };
    if k == 0 {
        return fold.fold(c, out);
    }
    if k <= fold.steps {
        return fold.halve(c, k - 1, out);
    }
    let step = 2 * fold.steps - k;
    let (Some(me), Some(root)) = (fold.place(c.member.rank), fold.place(c.root)) else { return };
    let peer = me ^ (1 << step);
    // Ranks that differ from the root in a higher bit have sent everything already.
    if (me ^ root) >> (step + 1) == 0 {
        match (me ^ root) >> step == 0 {
            true => out.recv(fold.rank(peer), fold.piece(c, peer, step + 1), ApplyMode::Write),
            false => out.send(fold.rank(peer), fold.piece(c, me, step + 1)),
        }
    }
}

/// Number of rounds of the two halving algorithms; `twice` if the result returns to folded ranks.
pub(crate) fn halving_rounds(size: u32, twice: bool) -> u32 {
    let fold = Fold::of(size, None);
    2 * fold.steps + if fold.extra == 0 { 0 } else { 1 + u32::from(twice) }
}

/// Ring reduce-scatter, then ring allgather. A piece is combined in ring order, from any rank on:
/// for operators that commute.
pub(crate) fn ring(c: &Collective, k: u32, out: &mut impl RoundSink) {
    let p = c.member.size;
    let piece = |i: u32| cuts(c.bytes, c.grain, p, i, i + 1);
    let (sent, received_block, mode) = match k < p - 1 {
        true => (c.behind(k), c.behind(k + 1), ApplyMode::CombineLeft),
        // Rank `r` holds the complete piece `r + 1`.
        false => (c.behind(k % p), c.behind(k - (p - 1)), ApplyMode::Write),
    };
    out.send(c.ahead(1), piece(sent));
    out.recv(c.behind(1), piece(received_block), mode);
}

/// The `k`-ary exchange among the largest power of `radix` of ranks; the others are folded in.
///
/// The first ranks form `full` groups of `radix` and perhaps one shorter group. The last rank of a
/// group represents it. `radix` 2 is recursive doubling.
pub(crate) struct Exchange {
    radix: u32,
    steps: u32,
    extra: u32,
}

impl Exchange {
    pub(crate) fn of(size: u32, radix: u32) -> Exchange {
        let steps = size.ilog(radix);
        Exchange { radix, steps, extra: size - radix.pow(steps) }
    }
    pub(crate) fn rounds(&self) -> u32 {
        self.steps + if self.extra == 0 { 0 } else { 2 }
    }
    pub(crate) fn steps(&self) -> u32 {
        self.steps
    }
    pub(crate) fn has_extra(&self) -> bool {
        self.extra > 0
    }
    /// The group whose digits are those of this one, reversed.
    pub(crate) fn reversed(&self, group: u32) -> u32 {
        (0..self.steps)
            .fold((group, 0), |(rest, reversed), _| {
                (rest / self.radix, reversed * self.radix + rest % self.radix)
            })
            .1
    }
    fn full(&self) -> u32 {
        self.extra / (self.radix - 1)
    }
    /// Size of the shorter group; 1 if there is none, as it is then a single rank.
    fn short(&self) -> u32 {
        self.extra % (self.radix - 1) + 1
    }
    /// A rank's group and the group's first and last rank.
    pub(crate) fn group(&self, rank: u32) -> (u32, u32, u32) {
        let (k, full) = (self.radix, self.full());
        if rank < full * k {
            (rank / k, rank - rank % k, rank - rank % k + k - 1)
        } else if rank < full * k + self.short() {
            (full, full * k, full * k + self.short() - 1)
        } else {
            (rank - self.extra, rank, rank)
        }
    }
    /// A group's first rank.
    pub(crate) fn first(&self, group: u32) -> u32 {
        if group == 0 { 0 } else { self.leader(group - 1) + 1 }
    }
    /// The rank that represents a group.
    pub(crate) fn leader(&self, group: u32) -> u32 {
        let full = self.full();
        match group < full {
            true => group * self.radix + self.radix - 1,
            false => group + self.extra,
        }
    }
}

pub(crate) fn exchange(c: &Collective, radix: u32, k: u32, out: &mut impl RoundSink) {
    let ex = Exchange::of(c.member.size, radix);
    let (group, first, leader) = ex.group(c.member.rank);
    let k = if ex.extra == 0 { k + 1 } else { k };
    if k == 0 {
        if c.member.rank != leader {
            out.send(leader, whole(c));
        } else {
            for from in (first..leader).rev() {
                out.recv(from, whole(c), ApplyMode::CombineLeft);
            }
        }
    } else if k <= ex.steps {
        if c.member.rank == leader {
            swap_digit(c, &ex, group, radix.pow(k - 1), out);
        }
    } else if c.member.rank != leader {
        out.recv(leader, whole(c), ApplyMode::Write);
    } else {
        for to in first..leader {
            out.send(to, whole(c));
        }
    }
}

/// Exchanges the vector among the groups that differ in one digit only.
fn swap_digit(c: &Collective, ex: &Exchange, me: u32, unit: u32, out: &mut impl RoundSink) {
    let digit = me / unit % ex.radix;
    let peer = |d: u32| ex.leader(me - digit * unit + d * unit);
    let others = || (0..ex.radix).filter(|&d| d != digit);
    for d in others() {
        out.send(peer(d), whole(c));
    }
    if ex.radix == 2 {
        return out.recv(peer(1 - digit), whole(c), side(1 - digit, digit));
    }
    // Operands are collected in scratch and combined from the left when all have arrived. Combining
    // on arrival would associate differently on every rank.
    let slot =
        |d: u32| ByteRange { at: u64::from(1 + d - u32::from(d > digit)) * c.bytes, len: c.bytes };
    for d in others() {
        out.recv(peer(d), slot(d), ApplyMode::Write);
    }
    if digit > 0 {
        for d in 1..digit {
            out.local(slot(d), slot(0), ApplyMode::CombineRight);
        }
        out.local(slot(0), whole(c), ApplyMode::CombineLeft);
    }
    for d in digit + 1..ex.radix {
        out.local(slot(d), whole(c), ApplyMode::CombineRight);
    }
}

/// Working buffer of an allreduce of `bytes`, for any algorithm.
pub(crate) fn allreduce_buffer(bytes: u64) -> u64 {
    if bytes <= WIDE_EXCHANGE_MAX { bytes * u64::from(RADIX_MAX) } else { bytes }
}
