//! The window of a load in equal parts, which show changes over time.

use base::{Span, Time};

use super::request::SliceRow;

/// A part of the window: packets that arrived in it, and their latencies.
#[derive(Clone, Copy, Default)]
pub(super) struct Slice {
    packets: u64,
    sum: u128,
    longest: Span,
}

impl Slice {
    /// Counts a packet that arrived at `seen`, between `start` and `end`.
    pub fn note(slices: &mut [Slice], start: Time, end: Time, seen: Time, latency: Span) {
        let window = u128::from((end - start).0);
        let at = u128::from(seen.since(start).0) * slices.len() as u128 / window;
        let slice = &mut slices[at as usize];
        slice.packets += 1;
        slice.sum += u128::from(latency.0);
        slice.longest = slice.longest.max(latency);
    }

    pub fn merge(&mut self, other: &Slice) {
        self.packets += other.packets;
        self.sum += other.sum;
        self.longest = self.longest.max(other.longest);
    }

    /// Result rows. `full` is the number of packets that all injection links can carry in the
    /// window.
    pub fn rows(slices: &[Slice], begin: Span, window: Span, full: f64) -> Vec<SliceRow> {
        let (n, begin, window) = (slices.len() as f64, begin.seconds(), window.seconds());
        let row = |(at, slice): (usize, &Slice)| SliceRow {
            begin_s: begin + window * at as f64 / n,
            end_s: begin + window * (at + 1) as f64 / n,
            accepted: slice.packets as f64 * n / full,
            packets: slice.packets,
            latency_mean_s: slice.sum as f64 / slice.packets.max(1) as f64 * 1e-12,
            latency_max_s: slice.longest.seconds(),
        };
        slices.iter().enumerate().map(row).collect()
    }
}
