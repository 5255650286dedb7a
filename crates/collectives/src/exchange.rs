//! Alltoall and alltoallv: one block from every rank to every rank.
//!
//! Area 1 holds the blocks to send, area 2 the received ones. Area 3 (alltoall only) is scratch of
//! Bruck's algorithm.

use crate::blocks::digits;
use crate::{ApplyMode, ByteRange, Collective, RoundSink};

impl Collective {
    /// The block received from rank `i`, in area 2.
    #[inline]
    pub(crate) fn received(&self, i: u32) -> ByteRange {
        let p = self.member.size;
        match &self.ragged {
            Some(ragged) => ragged.part(p as usize + i as usize),
            None => ByteRange { at: (u64::from(p) + u64::from(i)) * self.bytes, len: self.bytes },
        }
    }
}

fn keep_own(c: &Collective, out: &mut impl RoundSink) {
    let r = c.member.rank;
    // Different lengths of a rank's own block are reported elsewhere; here the shorter one is
    // copied.
    let (from, to) = (c.block(r), c.received(r));
    let len = from.len.min(to.len);
    out.local(ByteRange { len, ..from }, ByteRange { len, ..to }, ApplyMode::Write);
}

/// Round `k`: one partner. It is `r ^ (k + 1)` if the size is a power of two; otherwise the rank
/// sends `k + 1` ahead and receives from `k + 1` behind.
pub(crate) fn pairwise(c: &Collective, k: u32, out: &mut impl RoundSink) {
    let (p, step) = (c.member.size, k + 1);
    if step < p {
        let (to, from) = match p.is_power_of_two() {
            true => (c.member.rank ^ step, c.member.rank ^ step),
            false => (c.ahead(step), c.behind(step)),
        };
        out.send(to, c.block(to));
        out.recv(from, c.received(from), ApplyMode::Write);
    }
    if k == 0 {
        keep_own(c, out);
    }
}

/// Round `k`: the next `throttle` partners.
pub(crate) fn scattered(c: &Collective, throttle: u32, k: u32, out: &mut impl RoundSink) {
    let p = c.member.size;
    let first = 1 + k * throttle;
    let steps = first..(first + throttle).min(p);
    for step in steps.clone() {
        let to = c.behind(step);
        out.send(to, c.block(to));
    }
    for step in steps {
        let from = c.ahead(step);
        out.recv(from, c.received(from), ApplyMode::Write);
    }
    if k == 0 {
        keep_own(c, out);
    }
}

/// Round `k`: one piece for each of the next partners, at most `throttle`. Rounds have equal
/// numbers of partners, up to one. The next piece starts when all partners have this one. Pieces
/// differ by at most one byte.
pub(crate) fn chunked(c: &Collective, throttle: u32, k: u32, out: &mut impl RoundSink) {
    let share = |of: u64, nth: u32, parts: u32| {
        (u128::from(of) * u128::from(nth) / u128::from(parts)) as u64
    };
    let (others, pieces) = (c.member.size - 1, c.pieces());
    let windows = others.div_ceil(throttle).max(1);
    let (nth, window) = (k / windows, k % windows);
    let first = |window| 1 + share(others.into(), window, windows) as u32;
    let steps = first(window)..first(window + 1);
    let piece = |block: ByteRange| {
        let at = share(block.len, nth, pieces);
        ByteRange { at: block.at + at, len: share(block.len, nth + 1, pieces) - at }
    };
    for step in steps.clone() {
        let to = c.behind(step);
        out.send(to, piece(c.block(to)));
    }
    for step in steps {
        let from = c.ahead(step);
        out.recv(from, piece(c.received(from)), ApplyMode::Write);
    }
    if k == 0 {
        keep_own(c, out);
    }
}

/// Block `j` of area 3 is destined for the rank `j` ahead. Round `k` forwards the blocks whose
/// `k`th digit is `d` by `d radix^k` ranks. Rotations before and after.
pub(crate) fn bruck(c: &Collective, radix: u32, k: u32, out: &mut impl RoundSink) {
    let (p, r, m) = (c.member.size, c.member.rank, c.bytes);
    let held = 2 * u64::from(p) * m;
    let block = |j: u32| ByteRange { at: held + u64::from(j) * m, len: m };
    let unit = radix.pow(k);
    let steps = || (1..radix).map_while(|d| d.checked_mul(unit)).take_while(|&step| step < p);
    if k == 0 && p > 1 {
        // Blocks whose digit is not 0 are sent directly from area 1, which is area 3 before
        // rotation.
        let stride = u64::from(radix) * m;
        for d in steps() {
            rotated_runs(c, d, radix, |from, _, count| {
                out.send_run(c.ahead(d), from, stride, count);
            });
        }
        for d in steps() {
            out.recv_run(c.behind(d), block(d), stride, (p - d).div_ceil(radix));
        }
    } else if p > 1 {
        // Blocks with equal digit form runs of `unit`; the last run may be shortened by `p`.
        let runs = |step: u32| {
            let period = u64::from(unit) * u64::from(radix);
            let run = ByteRange { at: block(step).at, len: u64::from(unit) * m };
            let (full, rest) = (u64::from(p) / period, u64::from(p) % period);
            let rest = rest.saturating_sub(u64::from(step)).min(u64::from(unit));
            let last = ByteRange { at: run.at + full * period * m, len: rest * m };
            (run, period * m, full as u32, last)
        };
        for step in steps() {
            let (run, stride, full, last) = runs(step);
            out.send_run(c.ahead(step), run, stride, full);
            out.send_run(c.ahead(step), last, stride, 1);
        }
        for step in steps() {
            let (run, stride, full, last) = runs(step);
            out.recv_run(c.behind(step), run, stride, full);
            out.recv_run(c.behind(step), last, stride, 1);
        }
    }
    if k == 0 {
        let step = i64::from(radix) * m as i64;
        rotated_runs(c, 0, radix, |from, j, count| {
            out.local_run(from, step, block(j), step, count);
        });
    }
    if k + 1 >= digits(p, radix) {
        // Block `j` came from the rank `j` behind.
        let (down, up) = (-(m as i64), m as i64);
        out.local_run(block(0), up, c.received(r), down, r + 1);
        out.local_run(block((r + 1) % p), up, c.received(p - 1), down, p - 1 - r);
    }
}

/// Calls `f(block of area 1, j, count)` for the blocks `j, j + step, ...` ahead of this rank, from
/// `first` on: one run up to the last rank and one from rank 0 on.
fn rotated_runs(c: &Collective, first: u32, step: u32, mut f: impl FnMut(ByteRange, u32, u32)) {
    let (p, r) = (c.member.size, c.member.rank);
    let until_end = p - r;
    let in_first = until_end.saturating_sub(first).div_ceil(step);
    if in_first > 0 {
        f(c.block(r + first), first, in_first);
    }
    let next = first + step * in_first;
    let in_second = p.saturating_sub(next).div_ceil(step);
    if in_second > 0 {
        f(c.block(next - until_end), next, in_second);
    }
}
