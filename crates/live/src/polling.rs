//! Unsuccessful polls: `MPI_Test` and `MPI_Iprobe` in a loop.
//!
//! An unsuccessful poll takes simulated time. Each costs a hand-over in real time, so polls become
//! longer in a long streak. The growth is slow, because the program may work between its polls.
//! There is none while nothing else is pending: then no completion can occur until a rank stops
//! polling, which the simulator cannot predict.

use crate::Live;
use crate::outcome::FailureCause;
use crate::rank::Stage;
use base::{Span, Time};
use workload::wire::wait;
use workload::{Call, Op, Token};

/// Unsuccessful polls after which a poll is twice as long as the first one [estimate].
const DOUBLING_POLLS: u64 = 128;
/// Streak of unsuccessful polls of a rank that does nothing else [estimate]: from here on a poll
/// lasts 1/16 of the streak, so that a wait of any length takes few polls.
const PROPORTIONAL_FROM: u64 = 4096;
/// Computation between two polls that is more than the polling loop itself [estimate].
const WORK: Span = Span::us(10);
/// Unsuccessful polls per rank before a livelock is reported.
const MIN_POLLS_PER_RANK: u64 = 20_000;
/// Streak [estimate] from which a rank answers polls itself while nothing else is pending: up to
/// 1/16 of the streak at once, at most `MAX_LOCAL_POLLS`. A livelock of thousands of ranks is
/// therefore reported after about 1,100 hand-overs of each.
const LOCAL_POLLS_FROM: u64 = 1024;
const MAX_LOCAL_POLLS: u64 = 256;

/// The streak of unsuccessful polls of a rank.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Polling {
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

impl Polling {
    /// Number of polls that the rank may answer itself before its next hand-over.
    fn local_polls(&self) -> u32 {
        match self.unsuccessful {
            LOCAL_POLLS_FROM..MIN_POLLS_PER_RANK => {
                (self.unsuccessful / 16).min(MAX_LOCAL_POLLS) as u32
            }
            _ => 0,
        }
    }

    /// Duration of the next poll: at most 1/8 of a computation between the polls.
    fn next(&mut self, first: Span, alarms_only: bool) -> Span {
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

impl Live {
    /// Delays an unsuccessful poll until its alarm; whether that has fired.
    pub(crate) fn delay_poll(&mut self, now: Time, at: u32, calls: &mut Vec<Call>) -> bool {
        let polling = &mut self.ranks[at as usize].polling;
        if polling.fired {
            (polling.fired, polling.alarm) = (false, None);
            polling.unsuccessful += 1;
            let since = self.ranks[at as usize].cpu_done_at;
            self.ranks[at as usize].polling.total += now.since(since);
            self.detect_livelock(now, at);
            return true;
        }
        if polling.alarm.is_none() {
            let span = polling.next(self.poll_interval, self.alarms_only);
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

    /// Only alarms are pending: longer polls end after the shortest duration.
    pub(crate) fn shorten_polls(&mut self, now: Time, calls: &mut Vec<Call>) {
        self.alarms_only = true;
        let first = self.first_poll();
        // Visits ranks with long polls only, because thousands of ranks may poll.
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

    /// Notes an event other than an unsuccessful poll.
    pub(crate) fn note_progress(&mut self, now: Time) {
        (self.last_progress, self.alarms_only, self.unsuccessful_polls, self.local_polls_used) =
            (now, false, 0, 0);
    }

    /// Sets the number of polls that a rank may answer itself after its release.
    pub(crate) fn allow_local_polls(&mut self, at: u32) {
        let polling = &mut self.ranks[at as usize].polling;
        polling.local_polls = if self.alarms_only { polling.local_polls() } else { 0 };
        let local_polls = polling.local_polls;
        let (control, span) = (self.control(at), self.first_poll());
        // SAFETY: the rank sleeps, so only the simulator accesses its region.
        unsafe { ((*control).unsuccessful_polls, (*control).poll_ps) = (local_polls, span.0) };
    }

    /// Counts the polls that a rank has answered itself; returns their duration.
    pub(crate) fn note_local_polls(&mut self, at: u32) -> Span {
        // SAFETY: as above.
        let spent = unsafe { (*self.control(at)).local_polls_used };
        let polling = &mut self.ranks[at as usize].polling;
        let spent = u64::from(spent.min(std::mem::take(&mut polling.local_polls)));
        polling.unsuccessful += spent;
        self.local_polls_used += if self.alarms_only { spent } else { 0 };
        self.first_poll() * spent
    }

    /// Ends the job if the ranks only poll without success.
    fn detect_livelock(&mut self, now: Time, at: u32) {
        if self.alarms_only
            && self.unsuccessful_polls > LOCAL_POLLS_FROM
            && self.wait_for_detached()
        {
            return;
        }
        self.unsuccessful_polls += u64::from(self.alarms_only);
        if self.unsuccessful_polls < self.livelock_polls {
            return;
        }
        let poll = |r: &&crate::rank::Rank| r.stage == Stage::InMpi && r.mode != wait::NEVER;
        let inside = self.ranks.iter().filter(poll).count() as u64;
        let polls = self.unsuccessful_polls + self.local_polls_used;
        if polls >= inside * MIN_POLLS_PER_RANK.min(self.livelock_polls) {
            self.fail(at, FailureCause::Livelock { since: self.last_progress, now });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(unsuccessful: u64, total: Span) -> Polling {
        Polling { unsuccessful, total, ..Polling::default() }
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
        let mut polling = Polling::default();
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
