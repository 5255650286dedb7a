//! Allgather and allgatherv: every rank's block to every rank.

use crate::blocks::digits;
use crate::reductions::Exchange;
use crate::{ApplyMode, ByteRange, Collective, RoundSink};

/// Round `k`: forward the block that arrived in the previous round.
pub(crate) fn ring(c: &Collective, k: u32, out: &mut impl RoundSink) {
    out.send(c.ahead(1), c.block(c.behind(k)));
    out.recv(c.behind(1), c.block(c.behind(k + 1)), ApplyMode::Write);
}

/// Groups double by exchanging all their blocks. Ranks beyond the largest power of two give their
/// block to a rank of the core first, and receive the other blocks last.
pub(crate) fn recursive_doubling(c: &Collective, k: u32, out: &mut impl RoundSink) {
    let (p, r) = (c.member.size, c.member.rank);
    let steps = p.ilog2();
    let core = 1 << steps;
    let extra = p - core;
    let k = if extra == 0 { k + 1 } else { k };
    if k == 0 {
        if r >= core {
            out.send(r - core, c.block(r));
        } else if r < extra {
            out.recv(r + core, c.block(r + core), ApplyMode::Write);
        }
    } else if k <= steps {
        if r < core {
            let bit = 1 << (k - 1);
            let peer = r ^ bit;
            for part in group(c, r & !(bit - 1), bit) {
                out.send(peer, part);
            }
            for part in group(c, peer & !(bit - 1), bit) {
                out.recv(peer, part, ApplyMode::Write);
            }
        }
    } else if r < extra {
        for part in all_but(c, r + core) {
            out.send(r + core, part);
        }
    } else if r >= core {
        for part in all_but(c, r) {
            out.recv(r - core, part, ApplyMode::Write);
        }
    }
}

/// Blocks of the `count` core ranks from `lo` on, and of the ranks beyond the core that they
/// represent.
fn group(c: &Collective, lo: u32, count: u32) -> [ByteRange; 2] {
    let p = c.member.size;
    let core = 1 << p.ilog2();
    [c.span(lo, lo + count), c.span((core + lo).min(p), (core + lo + count).min(p))]
}

fn all_but(c: &Collective, r: u32) -> [ByteRange; 2] {
    [c.span(0, r), c.span(r + 1, c.member.size)]
}

/// Rank `r` collects blocks `r, r + 1, ...` in scratch, `radix` times as many every round. It
/// rotates them into place at the end, as real implementations do; the rotation takes time.
pub(crate) fn bruck(c: &Collective, radix: u32, k: u32, out: &mut impl RoundSink) {
    let (p, r) = (c.member.size, c.member.rank);
    let dist = radix.pow(k);
    let scratch = c.at(p);
    // Offset in scratch of the block of the rank `j` ahead.
    let rel = |j: u32| match j < p - r {
        true => c.at(r + j) - c.at(r),
        false => scratch - c.at(r) + c.at(j - (p - r)),
    };
    let rotated = |lo: u32, hi: u32| ByteRange {
        at: scratch + rel(lo),
        len: rel(hi).saturating_sub(rel(lo)),
    };
    let own = c.block(r);
    let steps = || (1..radix).map_while(|j| j.checked_mul(dist)).take_while(|&step| step < p);
    for step in steps() {
        let count = dist.min(p - step);
        out.send(c.behind(step), if k == 0 { own } else { rotated(0, count) });
    }
    for step in steps() {
        out.recv(c.ahead(step), rotated(step, step + dist.min(p - step)), ApplyMode::Write);
    }
    if k == 0 {
        out.local(own, rotated(0, 1), ApplyMode::Write);
    }
    if k + 1 == digits(p, radix) {
        out.local(rotated(0, p - r), c.span(r, p), ApplyMode::Write);
        out.local(rotated(p - r, p), c.span(0, r), ApplyMode::Write);
    }
}

/// Recursive exchange of radix `k`: ranks that differ in one digit exchange all they have. Ranks
/// beyond the largest power give their block to one of the others first and receive all blocks
/// last.
///
/// `halving` begins with the farthest partners. To keep a rank's blocks adjacent then, it first
/// exchanges blocks with the rank of the reversed digits.
pub(crate) fn exchange(
    c: &Collective,
    radix: u32,
    halving: bool,
    k: u32,
    out: &mut impl RoundSink,
) {
    let ex = Exchange::of(c.member.size, radix);
    let (me, first, leader) = ex.group(c.member.rank);
    let r = c.member.rank;
    let (fold, steps) = (u32::from(ex.has_extra()), ex.steps());
    let reversed = |group| if halving { ex.reversed(group) } else { group };
    if k < fold {
        if r != leader {
            out.send(leader, c.block(r));
        } else {
            for from in first..leader {
                out.recv(from, c.block(from), ApplyMode::Write);
            }
        }
        return;
    }
    let step = k - fold;
    if step >= steps + u32::from(halving) {
        if r != leader {
            for part in all_but(c, r) {
                out.recv(leader, part, ApplyMode::Write);
            }
        } else {
            for to in first..leader {
                for part in all_but(c, to) {
                    out.send(to, part);
                }
            }
        }
        return;
    }
    if r != leader {
        return;
    }
    // Blocks of `count` groups, around the one whose blocks a rank had first.
    let held = |group: u32, count: u32| {
        let lo = reversed(group) / count * count;
        c.span(ex.first(lo), ex.leader(lo + count - 1) + 1)
    };
    if halving && step == 0 {
        let partner = reversed(me);
        if partner != me {
            out.send(ex.leader(partner), c.span(first, leader + 1));
            out.recv(ex.leader(partner), held(me, 1), ApplyMode::Write);
        }
        return;
    }
    let step = step - u32::from(halving);
    let unit = radix.pow(if halving { steps - 1 - step } else { step });
    let digit = me / unit % radix;
    let count = radix.pow(step);
    let peers = || (0..radix).filter(|&d| d != digit).map(|d| me - digit * unit + d * unit);
    for peer in peers() {
        out.send(ex.leader(peer), held(me, count));
    }
    for peer in peers() {
        out.recv(ex.leader(peer), held(peer, count), ApplyMode::Write);
    }
}

/// Ranks `2i` and `2i + 1` exchange blocks. Then every rank passes the pair of blocks it received
/// last to its other neighbor and receives one from there, right and left alternately. For even
/// sizes.
pub(crate) fn neighbor(c: &Collective, k: u32, out: &mut impl RoundSink) {
    let (p, r) = (c.member.size, c.member.rank);
    let even = r.is_multiple_of(2);
    // The first partner of even ranks is on the right, and so in every second round.
    let to_right = even == k.is_multiple_of(2);
    let peer = if to_right { c.ahead(1) } else { c.behind(1) };
    if k == 0 {
        out.send(peer, c.block(r));
        out.recv(peer, c.block(peer), ApplyMode::Write);
        return;
    }
    // First block of the pair received in round `k`. Pairs from the right are to the right, two
    // further every second round.
    let base = r & !1;
    let pair = |k: u32| match even == k.is_multiple_of(2) {
        true => (base + k.next_multiple_of(2)) % p,
        false => (base + p - k.next_multiple_of(2)) % p,
    };
    let (sent, received_block) = (if k == 1 { base } else { pair(k - 1) }, pair(k));
    out.send(peer, c.span(sent, sent + 2));
    out.recv(peer, c.span(received_block, received_block + 2), ApplyMode::Write);
}
