//! Bytes over time: of calls, and of bulk transfers of servers.
//!
//! Time is divided into at most `BINS` bins of one width, which doubles when a run becomes longer.

use base::{Span, Time};

/// Maximum number of bins, a power of two.
const BINS: usize = 256;
/// Width of a bin at the start.
const WIDTH: Span = Span::us(1);

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub enum Counted {
    /// Bytes of calls, spread evenly over the time of each call.
    Read,
    Written,
    /// Bulk data of RPCs, when a message of them has arrived.
    ReadFromServers,
    WrittenToServers,
}

/// Bytes of each bin, by `Counted`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rates {
    pub width: Span,
    pub bins: Vec<[u64; 4]>,
}

impl Default for Rates {
    fn default() -> Rates {
        Rates { width: WIDTH, bins: Vec::new() }
    }
}

impl Rates {
    /// Bytes that have moved at one instant.
    pub fn add(&mut self, at: Time, counted: Counted, bytes: u64) {
        let bin = self.bin(at);
        self.bins[bin][counted as usize] += bytes;
    }

    /// Bytes that move evenly from `start` to `end`.
    pub fn spread(&mut self, (start, end): (Time, Time), counted: Counted, bytes: u64) {
        let last = self.bin(Time(end.0.saturating_sub(1).max(start.0)));
        let first = self.bin(start);
        let span = u128::from(end.since(start).0.max(1));
        let until = |at: u64| u128::from(bytes) * u128::from(at.saturating_sub(start.0)) / span;
        let mut before = 0;
        for bin in first..=last {
            let moved = match bin == last {
                true => u128::from(bytes),
                false => until((bin as u64 + 1) * self.width.0),
            };
            self.bins[bin][counted as usize] += (moved - before) as u64;
            before = moved;
        }
    }

    /// The bin of an instant, which exists then.
    fn bin(&mut self, at: Time) -> usize {
        while at.0 / self.width.0 >= BINS as u64 {
            self.width = self.width * 2;
            let sum = |pair: &[[u64; 4]]| {
                let second = pair.get(1).copied().unwrap_or_default();
                std::array::from_fn(|of| pair[0][of] + second[of])
            };
            self.bins = self.bins.chunks(2).map(sum).collect();
        }
        let bin = (at.0 / self.width.0) as usize;
        if bin >= self.bins.len() {
            self.bins.resize(bin + 1, [0; 4]);
        }
        bin
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: u64 = 1_000_000;

    #[test]
    fn bytes_are_spread_over_the_time_of_a_call() {
        let mut rates = Rates::default();
        rates.spread((Time(US / 2), Time(5 * US / 2)), Counted::Written, 400);
        rates.spread((Time(2 * US), Time(2 * US)), Counted::Read, 7);
        rates.add(Time(US), Counted::WrittenToServers, 5);
        assert_eq!(rates.bins, [[0, 100, 0, 0], [0, 200, 0, 5], [7, 100, 0, 0]]);
    }

    /// A bin covers twice the time when the run is longer than all bins, and no byte is lost.
    #[test]
    fn bins_widen() {
        let mut rates = Rates::default();
        for at in 0..256 {
            rates.add(Time(at * US), Counted::Read, at);
        }
        assert_eq!((rates.width, rates.bins.len()), (WIDTH, 256));
        rates.spread((Time(0), Time(1000 * US)), Counted::Written, 1000);
        assert_eq!((rates.width, rates.bins.len()), (WIDTH * 4, 250));
        assert_eq!(rates.bins[1], [4 + 5 + 6 + 7, 4, 0, 0]);
        let sum = |of: usize| rates.bins.iter().map(|bin| bin[of]).sum::<u64>();
        assert_eq!((sum(0), sum(1)), (255 * 256 / 2, 1000));
    }
}
