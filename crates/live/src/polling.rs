//! Polls that find nothing: `MPI_Test` and `MPI_Iprobe` in a loop.
//!
//! A vain poll holds its rank for a moment. Each costs a hand-over of real time, so in a long
//! streak the moments grow: slowly, because the program may be doing work of its own between them,
//! and not at all while nothing else is due anywhere: then no completion can come until a rank
//! stops polling, and only the programs themselves know when that is.

use crate::Live;
use crate::outcome::FailureCause;
use crate::rank::Stage;
use base::{Span, Time};
use workload::wire::wait;
use workload::{Call, Op, Token};

/// Vain polls after which a poll is twice as long as the first one [estimate].
const DOUBLING_POLLS: u64 = 128;
/// Vain polls in a row of a rank that is taken to do nothing else [estimate]: from here on a poll
/// lasts 1/16 of the streak, so that a wait of any length ends.
const PROPORTIONAL_FROM: u64 = 4096;
/// Computation between two polls that is more than the loop around them [estimate].
const WORK: Span = Span::us(10);
/// Every rank has at least so many polls for work of its own before a livelock is declared.
const MIN_POLLS_PER_RANK: u64 = 20_000;
/// From so many vain polls in a row on [estimate], with nothing else due anywhere, a rank answers
/// more and more of them itself: up to 1/16 of the streak at once, and no more than
/// `MAX_LOCAL_POLLS`. So a livelock of thousands of ranks is told after about 1,100 hand-overs of
/// each.
const LOCAL_POLLS_FROM: u64 = 1024;
const MAX_LOCAL_POLLS: u64 = 256;

/// How long vain polls hold a rank.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Polling {
    /// Vain polls in a row, and how long they have held the rank.
    pub unsuccessful: u64,
    pub held: Span,
    /// Charged since the last poll of this streak.
    pub worked: Span,
    /// Polls it may answer itself.
    pub local_polls: u32,
    /// The alarm that is to end the present poll, and when.
    pub alarm: Option<Token>,
    pub until: Time,
    pub fired: bool,
}

impl Polling {
    /// How many polls the rank may answer itself before it hands over again.
    fn local_polls(&self) -> u32 {
        match self.unsuccessful {
            LOCAL_POLLS_FROM..MIN_POLLS_PER_RANK => {
                (self.unsuccessful / 16).min(MAX_LOCAL_POLLS) as u32
            }
            _ => 0,
        }
    }

    /// Length of the next poll. Who works between polls is held for little of that time.
    fn next(&mut self, first: Span, quiet: bool) -> Span {
        let first = first.max(Span(1));
        let mut span = match self.unsuccessful {
            _ if quiet => first,
            unsuccessful if unsuccessful < PROPORTIONAL_FROM => {
                Span(first.0 + first.0 * unsuccessful / DOUBLING_POLLS)
            }
            _ => first.max(Span(self.held.0 / 16)),
        };
        if self.worked >= WORK {
            span = span.min(first.max(Span(self.worked.0 / 8)));
        }
        self.worked = Span::ZERO;
        span
    }
}

impl Live {
    /// Holds a rank that polls in vain until its alarm; whether that has rung.
    pub(crate) fn delay_poll(&mut self, now: Time, at: u32, calls: &mut Vec<Call>) -> bool {
        let polling = &mut self.ranks[at as usize].polling;
        if polling.fired {
            (polling.fired, polling.alarm) = (false, None);
            polling.unsuccessful += 1;
            let since = self.ranks[at as usize].through_at;
            self.ranks[at as usize].polling.held += now.since(since);
            self.detect_livelock(now, at);
            return true;
        }
        if polling.alarm.is_none() {
            let span = polling.next(self.poll_interval, self.quiet);
            let is_long = span > self.first_poll();
            if is_long && !std::mem::replace(&mut self.ranks[at as usize].is_long, true) {
                self.long_polls.push(at);
            }
            self.set_alarm(now, at, span, calls);
        }
        false
    }

    fn set_alarm(&mut self, now: Time, at: u32, span: Span, calls: &mut Vec<Call>) {
        let token = self.next_alarm();
        let polling = &mut self.ranks[at as usize].polling;
        (polling.alarm, polling.until) = (Some(token), now + span);
        if let Some(recorder) = &mut self.recorder {
            recorder.alarm_set(at, token);
        }
        calls.push(Call { rank: at, token, after: Span::ZERO, op: Op::Alarm { span } });
    }

    /// Nothing is due but alarms: polls that were to last longer end after the shortest time.
    pub(crate) fn shorten_polls(&mut self, now: Time, calls: &mut Vec<Call>) {
        self.quiet = true;
        let first = self.first_poll();
        // Not everybody is looked at: with thousands of ranks that poll, this is asked every time.
        let mut long = std::mem::take(&mut self.long_polls);
        long.sort_unstable();
        for at in long.drain(..) {
            let rank = &mut self.ranks[at as usize];
            rank.is_long = false;
            let polling = &rank.polling;
            if polling.alarm.is_some() && polling.until > now + first {
                self.set_alarm(now, at, first, calls);
            }
        }
        self.long_polls = long;
    }

    fn first_poll(&self) -> Span {
        self.poll_interval.max(Span(1))
    }

    /// Something has come of something.
    pub(crate) fn note_progress(&mut self, now: Time) {
        (self.last_progress, self.quiet, self.unsuccessful_polls, self.spent_polls) =
            (now, false, 0, 0);
    }

    /// Polls a rank that is about to be released may answer itself.
    pub(crate) fn allow_local_polls(&mut self, at: u32) {
        let polling = &mut self.ranks[at as usize].polling;
        polling.local_polls = if self.quiet { polling.local_polls() } else { 0 };
        let local_polls = polling.local_polls;
        let (control, span) = (self.control(at), self.first_poll());
        // SAFETY: the rank sleeps, so its region is ours.
        unsafe { ((*control).unsuccessful_polls, (*control).poll_ps) = (local_polls, span.0) };
    }

    /// Polls a rank has answered itself, and the time they took.
    pub(crate) fn note_local_polls(&mut self, at: u32) -> Span {
        // SAFETY: as above.
        let spent = unsafe { (*self.control(at)).spent_polls };
        let polling = &mut self.ranks[at as usize].polling;
        let spent = u64::from(spent.min(std::mem::take(&mut polling.local_polls)));
        polling.unsuccessful += spent;
        self.spent_polls += if self.quiet { spent } else { 0 };
        self.first_poll() * spent
    }

    /// Nothing happens any more if all that ranks do is poll, again and again.
    fn detect_livelock(&mut self, now: Time, at: u32) {
        if self.quiet && self.unsuccessful_polls > LOCAL_POLLS_FROM && self.wait_for_detached() {
            return;
        }
        self.unsuccessful_polls += u64::from(self.quiet);
        if self.unsuccessful_polls < self.livelock_polls {
            return;
        }
        let poll = |r: &&crate::rank::Rank| r.stage == Stage::InMpi && r.mode != wait::NEVER;
        let inside = self.ranks.iter().filter(poll).count() as u64;
        let polls = self.unsuccessful_polls + self.spent_polls;
        if polls >= inside * MIN_POLLS_PER_RANK.min(self.livelock_polls) {
            self.fail(at, FailureCause::Livelock { since: self.last_progress, now });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(unsuccessful: u64, held: Span) -> Polling {
        Polling { unsuccessful, held, ..Polling::default() }
    }

    #[test]
    fn polls_lengthen_only_while_other_events_are_pending() {
        let first = Span::ns(500);
        assert_eq!(after(0, Span::ZERO).next(first, false), first);
        assert_eq!(after(DOUBLING_POLLS, Span::us(100)).next(first, false), first * 2);
        // 1,024 vain tests, as a program makes them that packs messages between: 5 times as long
        // as without growth at most, for 1 + k / 128 is 5 on average over them.
        let streak: u64 = (0..1024).map(|k| after(k, Span::ZERO).next(first, false).0).sum();
        assert!(streak <= 5 * 1024 * first.0, "{streak}");
        assert_eq!(after(1 << 40, Span::ms(1)).next(first, true), first);
    }

    #[test]
    fn a_wait_of_an_hour_takes_a_few_thousand_polls() {
        let mut polling = Polling::default();
        let mut polls = 0;
        while polling.held < Span::ms(3_600_000) {
            let span = polling.next(Span::ns(500), false);
            polling.held += span;
            polling.unsuccessful += 1;
            polls += 1;
        }
        assert!(polls < 5_000, "{polls}");
    }

    #[test]
    fn polls_between_computations_last_an_eighth_of_them() {
        let mut polling = after(1 << 20, Span::ms(100));
        polling.worked = Span::us(80);
        assert_eq!(polling.next(Span::ns(500), false), Span::us(10));
    }
}
