//! Selects the rounds to simulate among many that differ only in the partners, and extrapolates
//! their times to all.
//!
//! With consecutive partners, rounds differ in three ways:
//! - Partners are near in the first rounds and, after wrapping around, in the last.
//! - The part of a group's messages that goes one group further grows from round to round, and
//!   restarts after as many rounds as a group has ranks. These cycles are called waves.
//! - Skew: a late rank delays others in the next round. After a jump to another round, a rank waits
//!   for other ranks than in the whole call, so the first rounds after a jump are not
//!   representative.

use std::ops::Range;

/// The sampled rounds, and which of them represent others.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rounds {
    /// Blocks in the order in which they are simulated.
    pub blocks: Vec<Range<u32>>,
    /// Intervals of the simulated rounds, numbered consecutively, that count with their own time,
    /// and the multiplicity of each: the first may also represent the last. Other simulated rounds
    /// count only as representatives.
    own: Vec<(Range<u32>, u32)>,
    /// Intervals of the simulated rounds, numbered consecutively, whose mean time per round
    /// represents the rounds that are not simulated.
    pieces: Vec<Range<u32>>,
    /// Factor on the standard error of the mean due to correlation between the pieces.
    dependence: f64,
}

/// The first and last rounds when partners are consecutive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ends {
    /// Number of first rounds with near partners.
    pub near: u32,
    pub last: LastRounds,
}

/// Treatment of the same number of last rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum LastRounds {
    /// Their partners are as far away as those of other rounds.
    Others,
    /// They take as long as the first rounds.
    AsFirst,
    Simulated,
}

impl LastRounds {
    /// Multiplicity of the first near rounds.
    fn times(self) -> u32 {
        if self == LastRounds::AsFirst { 2 } else { 1 }
    }
}

impl Ends {
    /// Rounds simulated before the near rounds at the end, and not counted.
    const LEAD: u32 = 3;

    pub(super) fn simulated(self) -> u32 {
        let is_simulated = self.last == LastRounds::Simulated && self.near > 0;
        self.near + if is_simulated { Self::LEAD + self.near } else { 0 }
    }

    /// `near` rounds at either end; fewer if less than `least` of the `played` rounds remained
    /// between them.
    pub(super) fn of(near: u32, last: LastRounds, simulated: u32, least: u32) -> Ends {
        let spare = match last {
            LastRounds::Simulated => simulated.saturating_sub(least + Self::LEAD) / 3,
            // Ranks that wait for the first ranks of a node are delayed too.
            _ => simulated.saturating_sub(Rounds::PARTS).min(simulated / 4),
        };
        Ends { near: near.min(spare), last }
    }
}

/// Student's t at 95 %, from one degree of freedom on.
const STUDENT: [f64; 12] =
    [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179];

/// Factor on the standard error for consecutive waves. Adjacent waves correlate with 0.3, others
/// not (75 waves of an alltoall of 1 KiB on 9,658 nodes of Aurora). That increases the variance of
/// the mean of five by half.
const IN_A_ROW: f64 = 1.25;

impl Rounds {
    /// All of `rounds`. If more rounds are to be represented, the last three quarters represent
    /// them.
    pub(super) fn all(rounds: Range<u32>) -> Rounds {
        let own = rounds.len() as u32;
        let pieces = if own < Self::PARTS { Vec::new() } else { Self::eighths(own) };
        Rounds { blocks: vec![rounds], own: vec![(0..own, 1)], pieces, dependence: IN_A_ROW }
    }

    /// Lengths of the blocks that represent rounds that are not simulated.
    pub(super) fn represented_lengths(&self) -> impl Iterator<Item = u32> {
        let mut start = 0;
        self.blocks.iter().filter_map(move |block| {
            let own = start..start + block.len() as u32;
            start = own.end;
            let represents = |piece: &Range<u32>| piece.start < own.end && own.start < piece.end;
            self.pieces.iter().any(represents).then_some(block.len() as u32)
        })
    }

    pub(super) fn simulated(&self) -> u32 {
        self.blocks.iter().map(|block| block.len() as u32).sum()
    }

    /// Position, in eighths of the rounds, of the `nth` simulated block, for partners that stay the
    /// same. Both the first two blocks, in which the skew builds up, and the rest have a mean
    /// position near the middle.
    const SPREAD: [u32; 8] = [5, 2, 7, 4, 1, 6, 3, 0];
    pub(super) const PARTS: u32 = Self::SPREAD.len() as u32;
    /// Number of first blocks in which the skew builds up.
    const WARM_UP: u32 = 2;

    /// Start of the `nth` eighth.
    fn eighth(of: u32, nth: u32) -> u32 {
        (u64::from(of) * u64::from(nth) / u64::from(Self::PARTS)) as u32
    }

    fn eighths(simulated: u32) -> Vec<Range<u32>> {
        let eighth = |nth| Self::eighth(simulated, nth)..Self::eighth(simulated, nth + 1);
        (Self::WARM_UP..Self::PARTS).map(eighth).collect()
    }

    /// `played` of `rounds` in eight blocks; fewer than all and at least eight.
    pub(super) fn spread(rounds: Range<u32>, simulated: u32) -> Rounds {
        let all = rounds.len() as u32;
        let block = |(part, nth): (u32, u32)| {
            let (first, end) = (Self::eighth(all, part), Self::eighth(all, part + 1));
            let length = Self::eighth(simulated, nth + 1) - Self::eighth(simulated, nth);
            let start = first + (end - first).saturating_sub(length) / 2;
            let start = rounds.start + start.min(all - length);
            start..start + length
        };
        let blocks = Self::SPREAD.into_iter().zip(0..).map(block).collect();
        let own = vec![(0..simulated, 1)];
        Rounds { blocks, own, pieces: Self::eighths(simulated), dependence: 1.0 }
    }

    /// The same, with the near rounds counted separately: no eighth has them in its middle.
    pub(super) fn spread_between(rounds: Range<u32>, simulated: u32, ends: Ends) -> Rounds {
        Self::between(rounds, ends, |rounds| Self::spread(rounds, simulated - ends.simulated()))
    }

    /// Minimum number of rounds between the ends for `in_order`.
    pub(super) const LEAST_IN_ORDER: u32 = 16;

    /// `played` rounds in ascending order: the near rounds at the ends, counted separately, and
    /// between them the middles of four quarters.
    ///
    /// With long messages, a late rank delays others for dozens of rounds. Eight blocks in another
    /// order, or backward jumps, would never reach the skew of a whole call. The pairing of the
    /// NICs of two nodes repeats with a period of at most the ranks of a node. Each block counts a
    /// whole number of such `periods`, the longest that fits.
    pub(super) fn in_order(
        rounds: Range<u32>,
        simulated: u32,
        ends: Ends,
        periods: [u32; 2],
    ) -> Rounds {
        const BLOCKS: u32 = 4;
        // Rounds until the waiting times of new partners match those of old ones.
        const WARM_UP: u32 = 4;
        Self::between(rounds, ends, |rounds| {
            let (all, simulated) = (rounds.len() as u32, simulated - ends.simulated());
            let part =
                |of: u32, nth: u32| (u64::from(of) * u64::from(nth) / u64::from(BLOCKS)) as u32;
            let parts = |of: u32| (0..BLOCKS).map(move |nth| part(of, nth)..part(of, nth + 1));
            let blocks = parts(all).zip(parts(simulated)).map(|(part, own)| {
                let start = rounds.start + part.start + (part.len() - own.len()) as u32 / 2;
                start..start + own.len() as u32
            });
            let piece = |own: Range<u32>| {
                let length = own.len() as u32;
                let most = length - WARM_UP.min(length / 2);
                let whole = periods.into_iter().find(|&period| period <= most).unwrap_or(1);
                own.end - most / whole * whole..own.end
            };
            let pieces = parts(simulated).map(piece).collect();
            Rounds { blocks: blocks.collect(), own: Vec::new(), pieces, dependence: 1.0 }
        })
    }

    /// Near rounds that count with their own time, and between the ends the selection of `inner`.
    fn between(rounds: Range<u32>, ends: Ends, inner: impl Fn(Range<u32>) -> Rounds) -> Rounds {
        let Ends { near, last } = ends;
        if near == 0 {
            return Rounds { own: Vec::new(), ..inner(rounds) };
        }
        let first = rounds.start + near;
        let end = if last == LastRounds::Others { rounds.end } else { rounds.end - near };
        let Rounds { mut blocks, mut pieces, dependence, .. } = inner(first..end);
        blocks.insert(0, rounds.start..first);
        for piece in &mut pieces {
            *piece = piece.start + near..piece.end + near;
        }
        let mut rounds_simulated =
            Rounds { blocks, own: vec![(0..near, last.times())], pieces, dependence };
        rounds_simulated.append_last(near, last, rounds.end);
        rounds_simulated
    }

    /// Appends the near rounds at the end, with `LEAD` rounds before them.
    fn append_last(&mut self, near: u32, last: LastRounds, end: u32) {
        if last == LastRounds::Simulated {
            let start = self.simulated() + Ends::LEAD;
            self.own.push((start..start + near, 1));
            self.blocks.push(end - near - Ends::LEAD..end);
        }
    }

    /// `waves` whole waves from the start, without a jump; fewer than all rounds. If the last wave
    /// is simulated too, it is additional.
    pub(super) fn waves(rounds: Range<u32>, wave: u32, waves: u32, last: LastRounds) -> Rounds {
        let pieces = (1..waves).map(|nth| nth * wave..(nth + 1) * wave).collect();
        let block = rounds.start..rounds.start + waves * wave;
        let own = vec![(0..wave, last.times())];
        let mut simulated = Rounds { blocks: vec![block], own, pieces, dependence: IN_A_ROW };
        simulated.append_last(wave, last, rounds.end);
        simulated
    }

    /// `played` rounds in blocks, for waves too long to simulate whole. The blocks are spread over
    /// all rounds and, as far as possible, over the phases of a wave. Skew builds up in the first
    /// rounds of each.
    pub(super) fn phases(rounds: Range<u32>, wave: u32, simulated: u32, ends: Ends) -> Rounds {
        Self::between(rounds, ends, |rounds| {
            Self::blocks(rounds, wave, simulated - ends.simulated())
        })
    }

    /// Minimum length of such a block.
    pub(super) const BLOCK: u32 = 6;

    fn blocks(rounds: Range<u32>, wave: u32, simulated: u32) -> Rounds {
        const WARM_UP: u32 = 3;
        let all = rounds.len() as u32;
        let n = (simulated / Self::BLOCK).clamp(4, STUDENT.len() as u32 + 1);
        let length = simulated / n;
        let block = |nth: u32| {
            let start = rounds.start + Self::begin(all - length, nth, n, wave);
            start..start + length
        };
        let piece = |nth| nth * length + WARM_UP..(nth + 1) * length;
        let (blocks, pieces) = (0..n).map(|nth| (block(nth), piece(nth))).unzip();
        Rounds { blocks, own: Vec::new(), pieces, dependence: 1.0 }
    }

    /// Start of the `nth` of `n` blocks; the last one starts at `last` at the latest.
    ///
    /// A block starts near the middle of its part of all rounds, at a phase of the wave at which no
    /// other block starts. If the part is shorter than a wave, it is divided instead of the wave.
    fn begin(last: u32, nth: u32, n: u32, wave: u32) -> u32 {
        let middle =
            |of: u32, nth: u32| (u64::from(2 * nth + 1) * u64::from(of) / u64::from(2 * n)) as u32;
        // Consecutive blocks are far apart in the wave.
        let stride =
            (n / 3 + 1..n).find(|stride| base::gcd((*stride).into(), n.into()) == 1).unwrap_or(1);
        let part = nth * stride % n;
        let own = last / n;
        if own < wave {
            return nth * own + middle(own, part);
        }
        let about = i64::from(middle(last, nth));
        let wave = i64::from(wave);
        let to_phase = (i64::from(middle(wave as u32, part)) - about).rem_euclid(wave);
        (about + if 2 * to_phase > wave { to_phase - wave } else { to_phase }) as u32
    }

    /// Time of all `rounds` rounds, s, and half of its 95 % confidence interval. `round_starts` has
    /// the start time of each simulated round and the end of the last, as means over ranks.
    pub(super) fn extrapolate(&self, round_starts: &[f64], rounds: u32) -> (f64, f64) {
        let span =
            |part: &Range<u32>| round_starts[part.end as usize] - round_starts[part.start as usize];
        let times = |(part, times): &(Range<u32>, u32)| (f64::from(*times), part.len() as f64);
        let own: f64 = self.own.iter().map(|part| times(part).0 * span(&part.0)).sum();
        let counted: f64 = self.own.iter().map(|part| times(part).0 * times(part).1).sum();
        let rest = f64::from(rounds) - counted;
        if rest == 0.0 {
            return (own, 0.0);
        }
        if self.pieces.is_empty() {
            let others = rest * own / counted;
            return (own + others, others);
        }
        let paces = || self.pieces.iter().map(|piece| span(piece) / piece.len() as f64);
        let n = self.pieces.len();
        let mean = paces().sum::<f64>() / n as f64;
        let squares: f64 = paces().map(|pace| (pace - mean).powi(2)).sum();
        let student = STUDENT[(n - 2).min(STUDENT.len() - 1)];
        let error = self.dependence * student * (squares / ((n - 1) * n) as f64).sqrt();
        (own + rest * mean, rest * error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RING: Ends = Ends { near: 0, last: LastRounds::Simulated };

    fn simulated(rounds: &Rounds) -> Vec<u32> {
        rounds.blocks.iter().flat_map(Clone::clone).collect()
    }

    /// Start times of rounds with the given durations.
    fn round_starts(rounds: &Rounds, mut takes: impl FnMut(u32) -> f64) -> Vec<f64> {
        let mut round_starts = vec![3.0];
        for round in simulated(rounds) {
            round_starts.push(round_starts[round_starts.len() - 1] + takes(round));
        }
        round_starts
    }

    /// Number of seeds, of 400, for which the extrapolation to `all` rounds is within its stated
    /// error, and the mean error. Durations follow `model` plus noise.
    ///
    /// The noise component `slow` is constant over 16 rounds and correlates with that of the 16
    /// rounds before.
    fn holds(rounds: &Rounds, all: u32, slow: f64, model: impl Fn(u32) -> f64) -> (u32, f64) {
        let truth: f64 = (0..all).map(&model).sum();
        let (mut within, mut errors) = (0, 0.0);
        for seed in 0..400 {
            let draw = |of, nth| base::uniform(base::draw(seed, of, 0, u64::from(nth))) - 0.5;
            // Correlation 0.3: a / (1 + a^2) for a = 1/3.
            let wave = |round| slow * (draw(1, round / 16 + 1) + draw(1, round / 16) / 3.0);
            let round_starts =
                round_starts(rounds, |round| model(round) + draw(0, round) + wave(round));
            let (span, error) = rounds.extrapolate(&round_starts, all);
            within += u32::from((span - truth).abs() < error);
            errors += error / 400.0 / truth;
        }
        (within, errors)
    }

    /// Duration of a round in a wave: the larger of the parts of a group's messages that go to two
    /// neighboring groups. No part of the first and of the last wave goes to the farther group.
    fn wave(round: u32, all: u32, wave: u32) -> f64 {
        let part = f64::from(round % wave) / f64::from(wave);
        let near = round < wave || round >= all - wave;
        let far = 4.0 * part.max(1.0 - part);
        if near { far / 2.0 } else { far }
    }

    #[test]
    fn blocks_are_spread_over_all_rounds() {
        for (from, to, n) in [(0, 24_575, 80), (1, 1_055, 64), (3, 300, 46), (0, 40, 35)] {
            let rounds = Rounds::spread(from..to, n);
            let simulated = simulated(&rounds);
            assert_eq!((rounds.simulated(), simulated.len()), (n, n as usize));
            assert!(simulated.iter().all(|round| (from..to).contains(round)), "{simulated:?}");
            if n < (to - from) / 2 {
                let mut sorted = simulated.clone();
                sorted.sort_unstable();
                sorted.dedup();
                assert_eq!(sorted.len(), n as usize, "a round is simulated twice: {simulated:?}");
                assert_eq!(simulated.windows(2).filter(|w| w[1] != w[0] + 1).count(), 7);
            }
            // As many near the first round as near the last, in the first quarter and in the rest.
            let middle = f64::from(from + to - 1) / 2.0;
            let (warm, rest) = simulated.split_at(rounds.pieces[0].start as usize);
            for part in [warm, rest] {
                let mean = part.iter().map(|&r| f64::from(r)).sum::<f64>() / part.len() as f64;
                assert!((mean - middle).abs() < 0.07 * f64::from(to - from), "{mean} {middle}");
            }
        }
    }

    #[test]
    fn whole_waves_are_simulated_in_order_from_the_first() {
        let rounds = Rounds::waves(1..2_415, 16, 6, LastRounds::AsFirst);
        assert_eq!(simulated(&rounds), (1..97).collect::<Vec<_>>());
        assert_eq!(rounds.pieces, [16..32, 32..48, 48..64, 64..80, 80..96]);
        // The first and the last wave take what the first took: 16 rounds of 1; the others take 3
        // each.
        let round_starts = round_starts(&rounds, |round| if round < 17 { 1.0 } else { 3.0 });
        let (span, error) = rounds.extrapolate(&round_starts, 2_414);
        assert!((span - 32.0 - 3.0 * 2_382.0).abs() < 1e-6 && error < 1e-6, "{span} {error}");
        let rounds = Rounds::waves(1..2_415, 16, 6, LastRounds::Others);
        let (span, _) = rounds.extrapolate(&round_starts, 2_414);
        assert!((span - 16.0 - 3.0 * 2_398.0).abs() < 1e-6, "{span}");
        // A last wave that is simulated counts with its own time.
        let rounds = Rounds::waves(1..2_415, 16, 6, LastRounds::Simulated);
        assert_eq!(simulated(&rounds), (1..97).chain(2_396..2_415).collect::<Vec<_>>());
        let (span, error) =
            rounds.extrapolate(&self::round_starts(&rounds, ends(1, 2_415, 16)), 2_414);
        assert!((span - 16.0 - 32.0 - 3.0 * 2_382.0).abs() < 1e-6 && error < 1e-6, "{span}");
    }

    /// Blocks of a wave of 512 rounds start in all parts of it, wherever they are.
    #[test]
    fn blocks_begin_in_all_parts_of_a_wave() {
        for (all, n) in [(77_262, 6), (77_262, 10), (5_119, 8), (7_000, 13)] {
            let rounds = Rounds::phases(1..1 + all, 512, 6 * n, RING);
            assert_eq!((rounds.blocks.len(), rounds.simulated()), (n as usize, 6 * n));
            let mut parts: Vec<u32> =
                rounds.blocks.iter().map(|b| (b.start - 1) % 512 * n / 512).collect();
            let eighths: Vec<u32> = rounds.blocks.iter().map(|b| b.start).collect();
            assert!(eighths.is_sorted() && rounds.blocks[n as usize - 1].end <= 1 + all);
            parts.sort_unstable();
            assert_eq!(parts, (0..n).collect::<Vec<_>>(), "{rounds:?}");
            // The first three rounds of a block are for the skew to build up.
            assert!(rounds.pieces.iter().all(|piece| piece.len() == 3 && piece.start % 6 == 3));
        }
        // With fewer waves than blocks, blocks are in ascending order too, and no two start at the
        // same phase.
        for all in [300, 2_046] {
            let starts: Vec<u32> =
                Rounds::phases(0..all, 512, 48, RING).blocks.iter().map(|b| b.start).collect();
            let is_own = |(nth, start): (u32, &u32)| start * 8 / (all - 6) == nth;
            assert!((0..).zip(&starts).all(is_own), "{starts:?}");
            let mut places: Vec<u32> = starts.iter().map(|start| start % 512).collect();
            places.sort_unstable();
            assert!(places.windows(2).all(|w| w[1] > w[0]), "{starts:?}");
        }
    }

    /// Duration of a round between `first` and `end`: 1 for the first `near`, 2 for the last
    /// `near`, otherwise 3.
    fn ends(first: u32, end: u32, near: u32) -> impl Fn(u32) -> f64 {
        move |round| match round {
            _ if round < first + near => 1.0,
            _ if round >= end - near => 2.0,
            _ => 3.0,
        }
    }

    /// The last rounds count with their own time, not with that of the first.
    #[test]
    fn near_rounds_are_for_themselves() {
        let near = |last| Ends { near: 12, last };
        for simulated in [48, 70, 286] {
            for rounds in [
                Rounds::in_order(0..287, simulated, near(LastRounds::Simulated), [12, 3]),
                Rounds::phases(0..287, 144, simulated.max(51), near(LastRounds::Simulated)),
            ] {
                let (span, error) =
                    rounds.extrapolate(&round_starts(&rounds, ends(0, 287, 12)), 287);
                let all = 12.0 + 24.0 + 3.0 * 263.0;
                assert!((span - all).abs() < 1e-9 && error < 1e-9, "{span} {error}");
                let (_, inner) = rounds.blocks.split_first().expect("the first");
                let (last, inner) = inner.split_last().expect("the last");
                assert_eq!(*last, 272..287);
                assert!(inner.iter().all(|b| b.start >= 12 && b.end <= 275));
            }
        }
        let extrapolated = |last, model: &dyn Fn(u32) -> f64| {
            let rounds = Rounds::spread_between(0..287, 70, near(last));
            assert_eq!((rounds.blocks[0].clone(), rounds.simulated()), (0..12, 70));
            rounds.extrapolate(&round_starts(&rounds, model), 287)
        };
        let (span, error) = extrapolated(LastRounds::AsFirst, &|r| ends(0, 287, 12)(r).min(3.0));
        assert!((span - 24.0 - 3.0 * 263.0).abs() < 1e-9 && error < 1e-9, "{span} {error}");
        let (span, error) = extrapolated(LastRounds::Others, &|r| if r < 12 { 1.0 } else { 3.0 });
        assert!((span - 12.0 - 3.0 * 275.0).abs() < 1e-9 && error < 1e-9, "{span} {error}");
    }

    /// For any number of simulated rounds: they are no more than that and in ascending order. A
    /// third or more of those between the ends represent the rest, in whole periods.
    #[test]
    fn rounds_in_order_are_in_order() {
        for (all, simulated, near) in
            [(286, 32, 24), (286, 35, 4), (286, 70, 24), (286, 285, 24), (24_574, 2_603, 0)]
        {
            let ends = Ends::of(near, LastRounds::Simulated, simulated, Rounds::LEAST_IN_ORDER);
            let rounds = Rounds::in_order(1..1 + all, simulated, ends, [12, 3]);
            assert!(rounds.simulated() == simulated && ends.near <= near, "{rounds:?}");
            assert_eq!(rounds.blocks.len(), if near > 0 { 6 } else { 4 });
            assert!(rounds.blocks.windows(2).all(|w| w[0].start < w[1].start), "{rounds:?}");
            let counted: usize = rounds.pieces.iter().map(|piece| piece.len()).sum();
            let between = simulated - ends.simulated();
            assert!(between >= 16 && 3 * counted as u32 >= between, "{rounds:?}");
            // Near rounds at the ends never represent others.
            let represented_lengths: Vec<u32> = rounds.represented_lengths().collect();
            assert!(
                represented_lengths.len() == 4
                    && represented_lengths.iter().sum::<u32>() == between,
                "{represented_lengths:?}"
            );
            let period = if between >= 4 * 16 { 12 } else { 3 };
            assert!(rounds.pieces.iter().all(|piece| piece.len() % period == 0), "{rounds:?}");
        }
    }

    #[test]
    fn rounds_that_take_the_same_leave_no_error_and_those_that_do_not_do() {
        let some = Rounds::spread(0..1_000, 40);
        let (span, error) = some.extrapolate(&round_starts(&some, |_| 2.0), 1_000);
        assert!((span - 2_000.0).abs() < 1e-9 && error < 1e-9, "{span} {error}");
        let all = Rounds::all(0..40);
        assert_eq!(all.extrapolate(&round_starts(&all, |_| 2.0), 40), (80.0, 0.0));
        // A slow first quarter counts with its own time only.
        let mut nth = 0;
        let late = round_starts(&some, |_| {
            nth += 1;
            if nth <= 10 { 4.0 } else { 2.0 }
        });
        let (span, error) = some.extrapolate(&late, 1_000);
        assert!((span - 2_020.0).abs() < 1e-9 && error < 1e-9, "{span} {error}");
        // Independent draws: the truth lies within the error 19 times of 20, and the error is that
        // of theory: t s / sqrt(n), s = 1/sqrt(12), n = 48 of 64, in the mean.
        let (within, errors) = holds(&Rounds::spread(0..100_000, 64), 100_000, 0.0, |_| 1.0);
        assert!((370..=390).contains(&within), "{within} of 400");
        let theory = STUDENT[4] / 12f64.sqrt() / 48f64.sqrt();
        // The mean of a standard deviation from six samples is 0.9515 of the true one.
        assert!((errors / theory - 0.9515).abs() < 0.03, "{errors} {theory}");
    }

    /// A wave with a known mean, plus noise. Whole waves are within their error 19 times of 20.
    /// Blocks of one round, which do not resolve the wave, are not.
    #[test]
    fn whole_waves_are_within_their_stated_error_and_single_rounds_are_not() {
        let model = |r| wave(r, 2_414, 16);
        let (within, error) =
            holds(&Rounds::waves(0..2_414, 16, 6, LastRounds::AsFirst), 2_414, 1.0, model);
        assert!((370..=390).contains(&within), "{within} of 400, {error}");
        // Five waves with a total noise of 0.31 have an error of 0.14 at a mean of 3; Student's t
        // is 2.776.
        assert!((0.12..0.17).contains(&error), "{error}");
        // Eighths of 20 waves each have the same phase of a wave in their middle.
        let model = |r| wave(r, 2_560, 16);
        let (within, _) = holds(&Rounds::spread(0..2_560, 8), 2_560, 0.0, model);
        assert!(within < 100, "{within} of 400");
        let (within, error) =
            holds(&Rounds::waves(0..2_560, 16, 6, LastRounds::AsFirst), 2_560, 1.0, model);
        assert!((370..=390).contains(&within), "{within} of 400, {error}");
    }

    /// For a long wave, blocks at all phases overestimate their error, by not much more than the
    /// variation within the wave.
    #[test]
    fn blocks_spread_over_a_wave_are_within_their_stated_error() {
        let model = |r| wave(r, 77_262, 512);
        let (within, error) = holds(&Rounds::phases(0..77_262, 512, 36, RING), 77_262, 0.0, model);
        assert!(within >= 380 && error < 0.3, "{within} of 400, {error}");
    }
}
