//! Reduce_scatter and reduce_scatter_block: every rank gets its block of the combined vector.

use crate::{ApplyMode, Collective, RoundSink};

/// Round `k`: the block for the rank `k + 1` ahead is sent, the own block of the rank `k + 1`
/// behind arrives.
///
/// Preserves rank order. Operands from lower ranks are combined on the left, nearest first.
/// Operands from higher ranks arrive from the last rank on, are combined in scratch, and go on the
/// right at the end.
pub(crate) fn pairwise(c: &Collective, k: u32, out: &mut impl RoundSink) {
    let (p, r, step) = (c.member.size, c.member.rank, k + 1);
    let to = c.ahead(step);
    out.send(to, c.block(to));
    let own = c.block(r);
    let above = crate::ByteRange { at: c.at(p), len: own.len };
    let from = c.behind(step);
    if from < r {
        out.recv(from, own, ApplyMode::CombineLeft);
    } else {
        let first = from == p - 1;
        out.recv(from, above, if first { ApplyMode::Write } else { ApplyMode::CombineLeft });
    }
    if step == p - 1 && r < p - 1 {
        out.local(above, own, ApplyMode::CombineRight);
    }
}

/// Round `k`: blocks travel around the ring and are combined on the way; for operators that
/// commute.
pub(crate) fn ring(c: &Collective, k: u32, out: &mut impl RoundSink) {
    out.send(c.ahead(1), c.block(c.behind(k + 1)));
    let received_block = (k + 2) % c.member.size;
    out.recv(c.behind(1), c.block(c.behind(received_block)), ApplyMode::CombineLeft);
}

/// Halves of the vector, exchanged with the farthest partner first (MPICH's order), so that the
/// last piece is the rank's own block. For operators that commute. If the size is no power of two,
/// the first ranks fold in pairs, and the odd rank of a pair represents both.
pub(crate) fn recursive_halving(c: &Collective, k: u32, out: &mut impl RoundSink) {
    let (p, r) = (c.member.size, c.member.rank);
    let steps = p.ilog2();
    let core = 1u32 << steps;
    let extra = p - core;
    let folds = r < 2 * extra && r % 2 == 0;
    let k = if extra == 0 { k + 1 } else { k };
    if k == 0 {
        let whole = c.span(0, p);
        if folds {
            out.send(r + 1, whole);
        } else if r < 2 * extra {
            out.recv(r - 1, whole, ApplyMode::CombineLeft);
        }
    } else if k <= steps {
        if folds {
            return;
        }
        let me = if r < 2 * extra { r / 2 } else { r - extra };
        let width = core >> k;
        let peer = me ^ width;
        // A place represents the blocks of its pair.
        let first = |place: u32| if place < extra { 2 * place } else { place + extra };
        let half = |place: u32| {
            let lo = place & !(width - 1);
            c.span(first(lo), first(lo + width))
        };
        let rank = if peer < extra { 2 * peer + 1 } else { peer + extra };
        out.send(rank, half(peer));
        out.recv(rank, half(me), ApplyMode::CombineLeft);
    } else if folds {
        out.recv(r + 1, c.block(r), ApplyMode::Write);
    } else if r < 2 * extra {
        out.send(r - 1, c.block(r - 1));
    }
}
