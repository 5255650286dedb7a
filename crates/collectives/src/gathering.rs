//! Allgather and allgatherv: every rank's block to every rank.

use crate::blocks::doublings;
use crate::{Collective, Land, Part, RoundSink};

/// Round `k`: pass on the block that came in the round before.
pub(crate) fn ring(c: &Collective, k: u32, out: &mut impl RoundSink) {
    out.send(c.ahead(1), c.block(c.behind(k)));
    out.recv(c.behind(1), c.block(c.behind(k + 1)), Land::Write);
}

/// Groups double by exchanging all they have. Ranks beyond the largest power of two hand their
/// block to a rank of the core first and get the others' last.
pub(crate) fn recursive_doubling(c: &Collective, k: u32, out: &mut impl RoundSink) {
    let (p, r) = (c.seat.size, c.seat.rank);
    let steps = p.ilog2();
    let core = 1 << steps;
    let extra = p - core;
    let k = if extra == 0 { k + 1 } else { k };
    if k == 0 {
        if r >= core {
            out.send(r - core, c.block(r));
        } else if r < extra {
            out.recv(r + core, c.block(r + core), Land::Write);
        }
    } else if k <= steps {
        if r < core {
            let bit = 1 << (k - 1);
            let peer = r ^ bit;
            for part in group(c, r & !(bit - 1), bit) {
                out.send(peer, part);
            }
            for part in group(c, peer & !(bit - 1), bit) {
                out.recv(peer, part, Land::Write);
            }
        }
    } else if r < extra {
        for part in all_but(c, r + core) {
            out.send(r + core, part);
        }
    } else if r >= core {
        for part in all_but(c, r) {
            out.recv(r - core, part, Land::Write);
        }
    }
}

/// Blocks of the `count` core ranks from `lo` on, and of the ranks beyond the core they look after.
fn group(c: &Collective, lo: u32, count: u32) -> [Part; 2] {
    let p = c.seat.size;
    let core = 1 << p.ilog2();
    [c.span(lo, lo + count), c.span((core + lo).min(p), (core + lo + count).min(p))]
}

fn all_but(c: &Collective, r: u32) -> [Part; 2] {
    [c.span(0, r), c.span(r + 1, c.seat.size)]
}

/// Rank `r` collects blocks `r, r + 1, ...` in scratch, twice as many every round, and rotates
/// them into place at the end, as the field's implementations do: the rotation costs time.
pub(crate) fn bruck(c: &Collective, k: u32, out: &mut impl RoundSink) {
    let (p, r, dist) = (c.seat.size, c.seat.rank, 1 << k);
    let count = dist.min(p - dist);
    let scratch = c.at(p);
    // Where the block `j` ranks ahead lies in scratch.
    let rel = |j: u32| match j < p - r {
        true => c.at(r + j) - c.at(r),
        false => scratch - c.at(r) + c.at(j - (p - r)),
    };
    let rotated =
        |lo: u32, hi: u32| Part { at: scratch + rel(lo), len: rel(hi).saturating_sub(rel(lo)) };
    let own = c.block(r);
    out.send(c.behind(dist), if k == 0 { own } else { rotated(0, count) });
    out.recv(c.ahead(dist), rotated(dist, dist + count), Land::Write);
    if k == 0 {
        out.local(own, rotated(0, 1), Land::Write);
    }
    if k + 1 == doublings(p) {
        out.local(rotated(0, p - r), c.span(r, p), Land::Write);
        out.local(rotated(p - r, p), c.span(0, r), Land::Write);
    }
}

/// Ranks `2i` and `2i + 1` swap blocks; after that every rank passes the pair of blocks it got last
/// to its other neighbor and gets one from there, right and left in turn. For even sizes.
pub(crate) fn neighbor(c: &Collective, k: u32, out: &mut impl RoundSink) {
    let (p, r) = (c.seat.size, c.seat.rank);
    let even = r.is_multiple_of(2);
    // The first partner of the even ranks is on the right, and so in every other round.
    let to_right = even == k.is_multiple_of(2);
    let peer = if to_right { c.ahead(1) } else { c.behind(1) };
    if k == 0 {
        out.send(peer, c.block(r));
        out.recv(peer, c.block(peer), Land::Write);
        return;
    }
    // First block of the pair received in round `k`: what comes from the right lies to the right,
    // two further every second round.
    let base = r & !1;
    let pair = |k: u32| match even == k.is_multiple_of(2) {
        true => (base + k.next_multiple_of(2)) % p,
        false => (base + p - k.next_multiple_of(2)) % p,
    };
    let (sent, landed) = (if k == 1 { base } else { pair(k - 1) }, pair(k));
    out.send(peer, c.span(sent, sent + 2));
    out.recv(peer, c.span(landed, landed + 2), Land::Write);
}
