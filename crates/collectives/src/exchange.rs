//! Alltoall and alltoallv: a block from every rank to every rank.
//!
//! Area 1 holds the blocks to send, area 2 those received, area 3 (alltoall only) is Bruck's.

use crate::blocks::doublings;
use crate::{Collective, Land, Part, RoundSink};

impl Collective {
    /// The block received from rank `i`, in area 2.
    #[inline]
    pub(crate) fn received(&self, i: u32) -> Part {
        let p = self.seat.size;
        match &self.ragged {
            Some(ragged) => ragged.part(p as usize + i as usize),
            None => Part { at: (u64::from(p) + u64::from(i)) * self.bytes, len: self.bytes },
        }
    }
}

fn keep_own(c: &Collective, out: &mut impl RoundSink) {
    let r = c.seat.rank;
    // A user whose own two lengths differ is told so elsewhere; here nothing runs over.
    let (from, to) = (c.block(r), c.received(r));
    let len = from.len.min(to.len);
    out.local(Part { len, ..from }, Part { len, ..to }, Land::Write);
}

/// Round `k`: one partner; `r ^ k` if the size is a power of two, else away from one, from another.
pub(crate) fn pairwise(c: &Collective, k: u32, out: &mut impl RoundSink) {
    let (p, step) = (c.seat.size, k + 1);
    if step < p {
        let (to, from) = match p.is_power_of_two() {
            true => (c.seat.rank ^ step, c.seat.rank ^ step),
            false => (c.ahead(step), c.behind(step)),
        };
        out.send(to, c.block(to));
        out.recv(from, c.received(from), Land::Write);
    }
    if k == 0 {
        keep_own(c, out);
    }
}

/// Round `k`: the next `throttle` partners at once.
pub(crate) fn scattered(c: &Collective, throttle: u32, k: u32, out: &mut impl RoundSink) {
    let p = c.seat.size;
    let first = 1 + k * throttle;
    let steps = first..(first + throttle).min(p);
    for step in steps.clone() {
        let to = c.behind(step);
        out.send(to, c.block(to));
    }
    for step in steps {
        let from = c.ahead(step);
        out.recv(from, c.received(from), Land::Write);
    }
    if k == 0 {
        keep_own(c, out);
    }
}

/// Block `j` of area 3 is on its way to the rank `j` ahead; round `k` moves those whose bit `k` is
/// set 2^k on. Rotations before and after.
pub(crate) fn bruck(c: &Collective, k: u32, out: &mut impl RoundSink) {
    let (p, r, m) = (c.seat.size, c.seat.rank, c.bytes);
    let held = 2 * u64::from(p) * m;
    let block = |j: u32| Part { at: held + u64::from(j) * m, len: m };
    if k == 0 && p > 1 {
        // Odd blocks leave straight from area 1, which is area 3 not yet rotated.
        rotated_runs(c, 1, |from, _, count| out.send_run(c.ahead(1), from, 2 * m, count));
        out.recv_run(c.behind(1), block(1), 2 * m, p / 2);
    } else if p > 1 {
        let (bit, to, from) = (1 << k, c.ahead(1 << k), c.behind(1 << k));
        // Blocks with bit `k` set come in runs of 2^k; the last may be cut short by `p`.
        let run = Part { at: block(bit).at, len: u64::from(bit) * m };
        let (full, rest) = (p / (2 * bit), (p % (2 * bit)).saturating_sub(bit));
        let last = Part { at: block(full * 2 * bit + bit).at, len: u64::from(rest) * m };
        out.send_run(to, run, 2 * run.len, full);
        out.send(to, last);
        out.recv_run(from, run, 2 * run.len, full);
        out.recv(from, last, Land::Write);
    }
    if k == 0 {
        let step = 2 * m as i64;
        rotated_runs(c, 0, |from, j, count| {
            out.local_run(from, step, block(j), step, count);
        });
    }
    if k + 1 >= doublings(p) {
        // Block `j` came from the rank `j` behind.
        let (down, up) = (-(m as i64), m as i64);
        out.local_run(block(0), up, c.received(r), down, r + 1);
        out.local_run(block((r + 1) % p), up, c.received(p - 1), down, p - 1 - r);
    }
}

/// Calls `f(block of area 1, j, count)` for the blocks `j, j + 2, ...` ahead of this rank, `j` from
/// `first` on: one run up to the last rank and one from rank 0 on.
fn rotated_runs(c: &Collective, first: u32, mut f: impl FnMut(Part, u32, u32)) {
    let (p, r) = (c.seat.size, c.seat.rank);
    let until_end = p - r;
    let in_first = until_end.saturating_sub(first).div_ceil(2);
    if in_first > 0 {
        f(c.block(r + first), first, in_first);
    }
    let next = first + 2 * in_first;
    let in_second = p.saturating_sub(next).div_ceil(2);
    if in_second > 0 {
        f(c.block(next - until_end), next, in_second);
    }
}
