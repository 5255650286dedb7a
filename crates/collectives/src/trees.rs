//! Barrier, broadcast, gather and scatter along trees.
//!
//! Trees are binomial over ranks numbered from the root. Subtrees are then consecutive ranks
//! (modulo the size), so blocks stay at their rank's position and are never rotated.

use crate::blocks::{EMPTY, doublings};
use crate::{ApplyMode, ByteRange, Collective, RoundSink};

impl Collective {
    /// This rank's number from the root.
    #[inline]
    pub(crate) fn relative(&self) -> u32 {
        self.behind(self.root)
    }
    /// The rank whose number from the root is `v`.
    #[inline]
    pub(crate) fn real(&self, v: u32) -> u32 {
        let to_end = self.member.size - self.root;
        if v < to_end { v + self.root } else { v - to_end }
    }
    #[inline]
    fn whole(&self) -> ByteRange {
        ByteRange { at: 0, len: self.bytes }
    }
}

/// Round `k`: signal the ranks `d radix^k` ahead, and receive from those as far behind.
pub(crate) fn dissemination(c: &Collective, radix: u32, k: u32, out: &mut impl RoundSink) {
    let (p, unit) = (c.member.size, radix.pow(k));
    let steps = || (1..radix).map_while(|d| d.checked_mul(unit)).take_while(|&step| step < p);
    for step in steps() {
        out.send(c.ahead(step), EMPTY);
    }
    for step in steps() {
        out.recv(c.behind(step), EMPTY, ApplyMode::Write);
    }
}

/// Largest subtree first, as in MPICH: after round `k`, one rank in `2^(levels - 1 - k)` has the
/// vector.
pub(crate) fn bcast_binomial(c: &Collective, k: u32, out: &mut impl RoundSink) {
    let (p, v) = (c.member.size, c.relative());
    let mask = 1 << (doublings(p) - 1 - k);
    match v % (2 * mask) {
        0 if v + mask < p => out.send(c.real(v + mask), c.whole()),
        m if m == mask => out.recv(c.real(v - mask), c.whole(), ApplyMode::Write),
        _ => {}
    }
}

/// Chunks `lo..hi` of a broadcast vector divided among `pieces` ranks: equal, except that the last
/// ones may be short or empty. This is MPICH's division, in bytes, as ranks may describe one vector
/// by different types. `hi` may lie beyond the last.
fn chunks(c: &Collective, pieces: u32, lo: u32, hi: u32) -> ByteRange {
    let even = c.bytes.div_ceil(u64::from(pieces));
    let at = (u64::from(lo) * even).min(c.bytes);
    ByteRange { at, len: (u64::from(hi) * even).min(c.bytes).saturating_sub(at) }
}

/// Binomial scatter of the vector over the first `q` ranks from the root.
fn scatter_chunks(c: &Collective, q: u32, k: u32, out: &mut impl RoundSink) {
    let v = c.relative();
    let mask = 1 << (doublings(q) - 1 - k);
    if v >= q {
        return;
    }
    match v % (2 * mask) {
        0 if v + mask < q => {
            out.send(c.real(v + mask), chunks(c, q, v + mask, v + 2 * mask));
        }
        m if m == mask => {
            out.recv(c.real(v - mask), chunks(c, q, v, v + mask), ApplyMode::Write);
        }
        _ => {}
    }
}

/// Scatter over the largest power of two of ranks, allgather among them by recursive doubling, then
/// whole copies to the ranks beyond. That is one round more than in MPICH, which repairs subtrees.
pub(crate) fn bcast_scatter_doubling(c: &Collective, k: u32, out: &mut impl RoundSink) {
    let (p, v) = (c.member.size, c.relative());
    let steps = p.ilog2();
    let core = 1 << steps;
    if k < steps {
        scatter_chunks(c, core, k, out);
    } else if k < 2 * steps {
        if v < core {
            let bit = 1 << (k - steps);
            let (mine, peer) = (v & !(bit - 1), v ^ bit);
            let theirs = peer & !(bit - 1);
            out.send(c.real(peer), chunks(c, core, mine, mine + bit));
            out.recv(c.real(peer), chunks(c, core, theirs, theirs + bit), ApplyMode::Write);
        }
    } else if v >= core {
        out.recv(c.real(v - core), c.whole(), ApplyMode::Write);
    } else if v < p - core {
        out.send(c.real(v + core), c.whole());
    }
}

/// Scatter over all ranks, then a ring allgather of chunks.
pub(crate) fn bcast_scatter_ring(c: &Collective, k: u32, out: &mut impl RoundSink) {
    let (p, v) = (c.member.size, c.relative());
    let levels = doublings(p);
    if k < levels {
        return scatter_chunks(c, p, k, out);
    }
    let k = k - levels;
    let back = |steps: u32| (v + p - steps % p) % p;
    let (sent, received_block) = (back(k), back(k + 1));
    out.send(c.ahead(1), chunks(c, p, sent, sent + 1));
    out.recv(c.behind(1), chunks(c, p, received_block, received_block + 1), ApplyMode::Write);
}

/// Round `k`: every second holder of a range passes it to the holder 2^k nearer to the root.
pub(crate) fn gather_binomial(c: &Collective, k: u32, out: &mut impl RoundSink) {
    let (p, v, mask) = (c.member.size, c.relative(), 1 << k);
    match v % (2 * mask) {
        0 if v + mask < p => {
            let from = c.real(v + mask);
            for part in c.cyclic_range(from, mask.min(p - v - mask)) {
                out.recv(from, part, ApplyMode::Write);
            }
        }
        m if m == mask => {
            for part in c.cyclic_range(c.member.rank, mask.min(p - v)) {
                out.send(c.real(v - mask), part);
            }
        }
        _ => {}
    }
}

/// The gather in reverse.
pub(crate) fn scatter_binomial(c: &Collective, k: u32, out: &mut impl RoundSink) {
    let (p, v) = (c.member.size, c.relative());
    let mask = 1 << (doublings(p) - 1 - k);
    match v % (2 * mask) {
        0 if v + mask < p => {
            let to = c.real(v + mask);
            for part in c.cyclic_range(to, mask.min(p - v - mask)) {
                out.send(to, part);
            }
        }
        m if m == mask => {
            for part in c.cyclic_range(c.member.rank, mask.min(p - v)) {
                out.recv(c.real(v - mask), part, ApplyMode::Write);
            }
        }
        _ => {}
    }
}

/// All ranks send to the root in one round.
pub(crate) fn gather_linear(c: &Collective, out: &mut impl RoundSink) {
    if c.member.rank != c.root {
        out.send(c.root, c.own());
        return;
    }
    for from in (0..c.member.size).filter(|&r| r != c.root) {
        out.recv(from, c.block(from), ApplyMode::Write);
    }
}

/// The root sends to all ranks in one round.
pub(crate) fn scatter_linear(c: &Collective, out: &mut impl RoundSink) {
    if c.member.rank != c.root {
        out.recv(c.root, c.own(), ApplyMode::Write);
        return;
    }
    for to in (0..c.member.size).filter(|&r| r != c.root) {
        out.send(to, c.block(to));
    }
}
