//! Scan and exscan by recursive doubling.
//!
//! Beside the result, a rank keeps the total of its aligned group, and sends that.

use crate::{ApplyMode, ByteRange, Collective, Kind, RoundSink};

/// Round `k` exchanges totals with the sibling group. A rank without a partner skips the round; no
/// rank below it needs its total.
pub(crate) fn recursive_doubling(c: &Collective, k: u32, out: &mut impl RoundSink) {
    let (p, r, n) = (c.member.size, c.member.rank, c.bytes);
    let part = |i: u64| ByteRange { at: i * n, len: n };
    let (result, total, arrived) = (part(0), part(1), part(2));
    let peer = r ^ (1 << k);
    if peer < p {
        out.send(peer, if k == 0 { result } else { total });
        out.recv(peer, arrived, ApplyMode::Write);
    }
    if k == 0 {
        out.local(result, total, ApplyMode::Write);
    }
    if peer >= p {
        return;
    }
    if peer > r {
        return out.local(arrived, total, ApplyMode::CombineRight);
    }
    out.local(arrived, total, ApplyMode::CombineLeft);
    // Exclusive: the first operands from lower ranks replace the own one.
    let first = c.kind == Kind::Exscan && k == r.trailing_zeros();
    out.local(arrived, result, if first { ApplyMode::Write } else { ApplyMode::CombineLeft });
}
