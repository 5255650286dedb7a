//! File domains of two-phase I/O: which aggregator accesses which bytes of the file, and in which
//! round.
//!
//! As in ROMIO ([R] = pmodels/mpich, `src/mpi/romio/adio`). `Blocks`: equal contiguous parts, with
//! bounds at multiples of the striping unit ([R] `common/ad_aggregate.c`). `Stripes`: stripe `s` of
//! a Lustre file belongs to aggregator `s mod n`, so an aggregator accesses few objects, and no
//! other aggregator accesses them ([R] `ad_lustre/ad_lustre_aggregate.c`).
//!
//! Every rank computes the same division from the extents of all accesses. In a round, an
//! aggregator accesses at most `buffer` bytes, in one or more windows.

use std::ops::Range;

/// Where a byte of the file is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    /// Index in the list of aggregators.
    pub aggregator: usize,
    pub round: u64,
    /// The bytes before this offset are at the same place.
    pub end: i64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Division {
    Blocks {
        /// Ascending: aggregator `i` has `bounds[i]..bounds[i + 1]`.
        bounds: Vec<i64>,
        buffer: i64,
    },
    Stripes {
        all: Range<i64>,
        unit: i64,
        aggregators: i64,
        /// Stripes of an aggregator in a round.
        per_round: i64,
    },
}

impl Division {
    /// Divides the bytes `all` among `n` aggregators. A part has at least `least` bytes. A `unit`
    /// above 0 moves each bound to the nearest multiple.
    pub fn blocks(all: Range<i64>, n: usize, buffer: u64, least: u64, unit: u64) -> Division {
        let clamp = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
        let (n, least, unit) = (n.max(1) as i64, clamp(least).max(1), clamp(unit));
        let length = all.end.saturating_sub(all.start).max(0);
        let size = (length / n + i64::from(length % n != 0)).max(least);
        let bound = |i: i64| {
            let at = all.start.saturating_add(size.saturating_mul(i));
            let below = if unit > 0 { at % unit } else { 0 };
            let nearest = match below {
                0 => at,
                _ if below < unit - below => at - below,
                _ => at.saturating_add(unit - below),
            };
            nearest.clamp(all.start, all.end)
        };
        let inner = (1..n).map(bound);
        let bounds = std::iter::once(all.start).chain(inner).chain([all.end]).collect();
        Division::Blocks { bounds, buffer: clamp(buffer).max(1) }
    }

    /// Divides the stripes of `unit` bytes that have bytes of `all`.
    pub fn stripes(all: Range<i64>, n: usize, buffer: u64, unit: u64) -> Division {
        let unit = i64::try_from(unit).unwrap_or(i64::MAX).max(1);
        let per_round = (i64::try_from(buffer).unwrap_or(i64::MAX) / unit).max(1);
        Division::Stripes { all, unit, aggregators: n.max(1) as i64, per_round }
    }

    /// Number of rounds: in each, every rank takes part in the exchange.
    pub fn rounds(&self) -> u64 {
        match self {
            Division::Blocks { bounds, buffer } => {
                let longest = bounds.windows(2).map(|b| b[1] - b[0]).max().unwrap_or(0);
                (longest as u64).div_ceil(*buffer as u64)
            }
            Division::Stripes { all, unit, .. } => match all.is_empty() {
                true => 0,
                false => self.locate(all.end - 1, all.start / unit).round + 1,
            },
        }
    }

    fn locate(&self, offset: i64, first_stripe: i64) -> Place {
        match self {
            Division::Blocks { bounds, buffer } => {
                let aggregator = bounds.partition_point(|&b| b <= offset) - 1;
                let round = (offset - bounds[aggregator]) / buffer;
                let end = bounds[aggregator].saturating_add((round + 1).saturating_mul(*buffer));
                let end = end.min(bounds[aggregator + 1]);
                Place { aggregator, round: round as u64, end }
            }
            Division::Stripes { unit, aggregators, per_round, .. } => {
                let stripe = offset / unit;
                let round = (stripe - first_stripe) / aggregators.saturating_mul(*per_round);
                let end = (stripe + 1).saturating_mul(*unit);
                let aggregator = (stripe % aggregators) as usize;
                Place { aggregator, round: round as u64, end }
            }
        }
    }

    /// Place of a byte that the division contains.
    pub fn place(&self, offset: i64) -> Place {
        match self {
            Division::Blocks { .. } => self.locate(offset, 0),
            Division::Stripes { all, unit, .. } => self.locate(offset, all.start / unit),
        }
    }

    /// End of the contiguous part of an aggregator that contains `offset`.
    fn part_end(&self, offset: i64) -> i64 {
        match self {
            Division::Blocks { bounds, .. } => bounds[bounds.partition_point(|&b| b <= offset)],
            Division::Stripes { .. } => self.place(offset).end,
        }
    }

    /// The parts of a range of the file, by aggregator: offset, length, aggregator.
    pub fn parts(&self, at: i64, len: u64) -> impl Iterator<Item = (i64, u64, usize)> + '_ {
        self.cut(at, len, |offset| (self.part_end(offset), self.place(offset).aggregator))
    }
    /// The parts of a range of the file, by round: offset, length, round.
    pub fn by_round(&self, at: i64, len: u64) -> impl Iterator<Item = (i64, u64, u64)> + '_ {
        self.cut(at, len, |offset| (self.place(offset).end, self.place(offset).round))
    }
    fn cut<'a, T: 'a>(
        &'a self,
        at: i64,
        len: u64,
        of: impl Fn(i64) -> (i64, T) + 'a,
    ) -> impl Iterator<Item = (i64, u64, T)> + 'a {
        let (mut at, end) = (at, at + len as i64);
        std::iter::from_fn(move || {
            (at < end).then(|| {
                let (stop, value) = of(at);
                let (from, len) = (at, stop.min(end) - at);
                at += len;
                (from, len as u64, value)
            })
        })
    }

    /// The window that contains `offset`: an aggregator accesses it in one call.
    pub fn window_end(&self, offset: i64) -> i64 {
        match self {
            // One aggregator has adjacent stripes.
            Division::Stripes { all, unit, aggregators: 1, per_round } => {
                let round = self.place(offset).round as i64;
                let stripes = (round + 1).saturating_mul(*per_round);
                (all.start / unit).saturating_add(stripes).saturating_mul(*unit)
            }
            _ => self.place(offset).end,
        }
    }
}

/// Number of aggregators for a Lustre file, of at most `most`: a multiple of the stripe count, with
/// at most `per_object` aggregators per object, or a divisor of it. So each object is accessed by
/// the same aggregators in all rounds ([R] `ADIOI_LUSTRE_Get_striping_info`).
pub(super) fn aggregators_for_stripes(most: usize, stripe_count: u32, per_object: u32) -> usize {
    let (most, stripes) = (most.max(1), stripe_count.max(1) as usize);
    if most >= stripes {
        return stripes * (most / stripes).min(per_object.max(1) as usize);
    }
    (1..=most).rev().find(|n| stripes.is_multiple_of(*n)).expect("1 divides every number")
}

/// Whether accesses of ranks interleave: one begins before that of the previous rank ends.
/// `extents` has first byte and end of each access; they are equal for an empty one. As [R]
/// `ADIOI_GEN_WriteStridedColl`, it ignores an overlap of one byte.
pub(super) fn interleave(extents: &[[i64; 2]]) -> bool {
    extents.windows(2).any(|pair| {
        let (before, access) = (pair[0], pair[1]);
        access[0] < before[1] - 1 && access[0] < access[1]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn blocks_are_equal_parts_rounded_up() {
        // 97 bytes for 16 aggregators: 13 parts of 7 bytes, one of 6, two empty.
        let Division::Blocks { bounds, .. } = Division::blocks(10..107, 16, MIB, 0, 0) else {
            unreachable!()
        };
        let sizes: Vec<i64> = bounds.windows(2).map(|b| b[1] - b[0]).collect();
        let expected: Vec<i64> = (0..16).map(|i| (97 - 7 * i).clamp(0, 7)).collect();
        assert_eq!(sizes, expected);
        assert_eq!((bounds[0], bounds[16]), (10, 107));
        // A least size leaves the last aggregators without bytes.
        let division = Division::blocks(0..97, 16, MIB, 50, 0);
        assert_eq!(division.place(49).aggregator, 0);
        assert_eq!(division.place(96).aggregator, 1);
    }

    #[test]
    fn bounds_move_to_the_nearest_multiple_of_the_unit() {
        let Division::Blocks { bounds, .. } = Division::blocks(3..1000, 4, MIB, 0, 100) else {
            unreachable!()
        };
        // ceil(997 / 4) = 250: bounds 253, 503, 753.
        assert_eq!(bounds, [3, 300, 500, 800, 1000]);
    }

    #[test]
    fn rounds_are_the_longest_part_over_the_buffer() {
        let rounds = |bytes: u64, n| Division::blocks(0..bytes as i64, n, 16 * MIB, 0, 0).rounds();
        assert_eq!(rounds(64 * MIB, 4), 1);
        assert_eq!(rounds(64 * MIB + 1, 4), 2);
        assert_eq!(rounds(1 << 30, 1), 64);
        assert_eq!(rounds(0, 4), 0);
        // 8 aggregators x 4 stripes of 4 MiB in 16 MiB: 128 MiB per round.
        let rounds = |all: Range<i64>| Division::stripes(all, 8, 16 * MIB, 4 * MIB).rounds();
        assert_eq!(rounds(0..128 << 20), 1);
        assert_eq!(rounds(0..(128 << 20) + 1), 2);
        // The first stripe counts whole.
        assert_eq!(rounds((4 << 20) - 1..128 << 20), 1);
        assert_eq!(rounds((4 << 20) - 1..(128 << 20) + 1), 2);
        assert_eq!(rounds(7..7), 0);
    }

    #[test]
    fn rounds_of_a_sparse_file_exceed_32_bits() {
        let last = (1 << 62) - 1;
        for division in
            [Division::blocks(0..1 << 62, 1, MIB, 0, 0), Division::stripes(0..1 << 62, 1, MIB, MIB)]
        {
            assert_eq!(division.rounds(), 1 << 42);
            assert_eq!(division.place(last).round, (1 << 42) - 1);
            assert_eq!(division.place(last).end, 1 << 62);
        }
    }

    #[test]
    fn stripes_belong_to_aggregators_in_turn() {
        let unit = 1 << 20;
        let division = Division::stripes(unit + 5..20 * unit, 4, 2 * MIB, MIB);
        for stripe in 1..20 {
            let place = division.place(stripe * unit + 7);
            assert_eq!(place.aggregator as i64, stripe % 4);
            // 4 aggregators x 2 stripes per round, from stripe 1 on.
            assert_eq!(place.round as i64, (stripe - 1) / 8);
            assert_eq!(place.end, (stripe + 1) * unit);
        }
    }

    #[test]
    fn one_aggregator_joins_adjacent_stripes() {
        let division = Division::stripes(100..10 << 20, 1, 4 * MIB, MIB);
        assert_eq!(division.window_end(100), 4 << 20);
        assert_eq!(division.window_end(4 << 20), 8 << 20);
        let division = Division::stripes(100..10 << 20, 2, 4 * MIB, MIB);
        assert_eq!(division.window_end(100), 1 << 20);
    }

    #[test]
    fn parts_cover_a_range_once() {
        let divisions = [
            Division::blocks(5..905, 7, 33, 0, 0),
            Division::blocks(5..905, 7, 33, 0, 64),
            Division::blocks(5..905, 40, 1000, 50, 0),
            Division::stripes(5..905, 3, 100, 40),
            Division::stripes(5..905, 1, 100, 40),
        ];
        for division in divisions {
            for (from, len) in [(5, 900), (17, 1), (300, 211), (904, 1)] {
                let mut at = from;
                for (offset, len, aggregator) in division.parts(from, len) {
                    assert_eq!(offset, at);
                    at += len as i64;
                    let mut inner = offset;
                    for (o, n, round) in division.by_round(offset, len) {
                        assert_eq!(o, inner);
                        inner += n as i64;
                        for byte in [o, inner - 1] {
                            let place = division.place(byte);
                            assert_eq!((place.aggregator, place.round), (aggregator, round));
                            assert!(round < division.rounds());
                            assert!(division.window_end(o) >= inner);
                        }
                    }
                    assert_eq!(inner, at);
                }
                assert_eq!(at, from + len as i64);
            }
        }
    }

    #[test]
    fn aggregators_are_multiples_or_divisors_of_the_stripe_count() {
        let number = aggregators_for_stripes;
        // The examples in ROMIO's source.
        assert_eq!(number(42, 20, 3), 40);
        assert_eq!(number(8, 60, 1), 6);
        assert_eq!((number(8, 8, 1), number(64, 8, 1), number(64, 8, 4)), (8, 8, 32));
        assert_eq!((number(4, 7, 1), number(1, 1, 1), number(512, 1, 1)), (1, 1, 1));
    }

    #[test]
    fn accesses_interleave_if_one_begins_before_the_previous_one_ends() {
        assert!(!interleave(&[[0, 100], [100, 200], [200, 300]]));
        assert!(!interleave(&[[0, 100], [99, 200]]), "one byte is ignored");
        assert!(interleave(&[[0, 100], [50, 150]]));
        assert!(interleave(&[[100, 200], [0, 100]]), "descending order counts too");
        assert!(!interleave(&[[0, 100], [10, 10], [100, 200]]), "an empty access");
        assert!(!interleave(&[[0, 100]]));
    }
}
