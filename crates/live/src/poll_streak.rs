//! A streak of unsuccessful polls of one rank: `MPI_Test` and `MPI_Iprobe` in a loop.
//!
//! An unsuccessful poll takes simulated time. Each costs a hand-over in real time, so polls become
//! longer in a long streak. The growth is slow, because the program may work between its polls.
//! There is none while nothing else is pending: then no completion can occur until a rank stops
//! polling, which the simulator cannot predict.

use base::{Span, Time};
use workload::Token;

/// Unsuccessful polls after which a poll is twice as long as the first one [estimate].
const DOUBLING_POLLS: u64 = 128;
/// Streak of unsuccessful polls of a rank that does nothing else [estimate]: from here on a poll
/// lasts 1/16 of the streak, so that a wait of any length takes few polls.
const PROPORTIONAL_FROM: u64 = 4096;
/// Computation between two polls that is more than the polling loop itself [estimate].
const WORK: Span = Span::us(10);
/// Unsuccessful polls per rank before a livelock is reported.
pub(crate) const MIN_POLLS_PER_RANK: u64 = 20_000;
/// Streak [estimate] from which a rank answers polls itself while nothing else is pending: up to
/// 1/16 of the streak at once, at most `MAX_LOCAL_POLLS`. A livelock of thousands of ranks is
/// therefore reported after about 1,100 hand-overs of each.
pub(crate) const LOCAL_POLLS_FROM: u64 = 1024;
const MAX_LOCAL_POLLS: u64 = 256;

/// The streak of unsuccessful polls of a rank.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct PollStreak {
    /// Unsuccessful polls in a row, and their total duration.
    pub unsuccessful: u64,
    pub total: Span,
    /// Computation charged since the last poll of this streak.
    pub computed: Span,
    /// Polls that it may answer itself.
    pub local_polls: u32,
    /// The alarm that ends the present poll, its time, and whether it has fired.
    pub alarm: Option<Token>,
    pub until: Time,
    pub fired: bool,
}

impl PollStreak {
    /// Number of polls that the rank may answer itself before its next hand-over.
    pub fn allowed_local_polls(&self) -> u32 {
        match self.unsuccessful {
            LOCAL_POLLS_FROM..MIN_POLLS_PER_RANK => {
                (self.unsuccessful / 16).min(MAX_LOCAL_POLLS) as u32
            }
            _ => 0,
        }
    }

    /// Duration of the next poll: at most 1/8 of a computation between the polls.
    pub fn next(&mut self, first: Span, alarms_only: bool) -> Span {
        let first = first.max(Span(1));
        let mut span = match self.unsuccessful {
            _ if alarms_only => first,
            unsuccessful if unsuccessful < PROPORTIONAL_FROM => {
                Span(first.0 + first.0 * unsuccessful / DOUBLING_POLLS)
            }
            _ => first.max(Span(self.total.0 / 16)),
        };
        if self.computed >= WORK {
            span = span.min(first.max(Span(self.computed.0 / 8)));
        }
        self.computed = Span::ZERO;
        span
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(unsuccessful: u64, total: Span) -> PollStreak {
        PollStreak { unsuccessful, total, ..PollStreak::default() }
    }

    #[test]
    fn polls_lengthen_only_while_other_events_are_pending() {
        let first = Span::ns(500);
        assert_eq!(after(0, Span::ZERO).next(first, false), first);
        assert_eq!(after(DOUBLING_POLLS, Span::us(100)).next(first, false), first * 2);
        // A program with 1,024 unsuccessful tests between messages: at most 5 times as long as
        // without growth, because the average of 1 + k / 128 is 5.
        let streak: u64 = (0..1024).map(|k| after(k, Span::ZERO).next(first, false).0).sum();
        assert!(streak <= 5 * 1024 * first.0, "{streak}");
        assert_eq!(after(1 << 40, Span::ms(1)).next(first, true), first);
    }

    #[test]
    fn a_wait_of_an_hour_takes_a_few_thousand_polls() {
        let mut polling = PollStreak::default();
        let mut polls = 0;
        while polling.total < Span::ms(3_600_000) {
            let span = polling.next(Span::ns(500), false);
            polling.total += span;
            polling.unsuccessful += 1;
            polls += 1;
        }
        assert!(polls < 5_000, "{polls}");
    }

    #[test]
    fn polls_between_computations_last_an_eighth_of_them() {
        let mut polling = after(1 << 20, Span::ms(100));
        polling.computed = Span::us(80);
        assert_eq!(polling.next(Span::ns(500), false), Span::us(10));
    }
}
