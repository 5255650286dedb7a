//! Unsuccessful polls of all ranks: their durations, and when they are a livelock.

use crate::poll_streak::{LOCAL_POLLS_FROM, MIN_POLLS_PER_RANK};
use crate::rank::{Rank, Stage};
use crate::ranks::Ranks;
use crate::tokens::{ALARM_NUMBERS, ALARMS};
use base::{Span, Time};
use workload::schedule::record::Recorder;
use workload::wire::wait;
use workload::{Call, Op, Token};

pub(crate) struct Polls {
    /// Duration of the first unsuccessful poll of a rank.
    first_poll: Span,
    /// See `LaunchSpec::livelock_polls`.
    livelock_polls: u64,
    /// Time of the last event other than an unsuccessful poll.
    last_progress: Time,
    /// Whether only alarms have been pending since then; unsuccessful polls meanwhile.
    alarms_only: bool,
    n_unsuccessful: u64,
    /// Further ones, answered by the ranks themselves.
    n_local: u64,
    /// Number of the last alarm.
    alarm: Token,
    /// Ranks that may have a poll longer than the shortest one, in any order.
    long_polls: Vec<u32>,
}

impl Polls {
    pub fn new(poll_interval: Span, livelock_polls: u64) -> Polls {
        Polls {
            first_poll: poll_interval.max(Span(1)),
            livelock_polls,
            last_progress: Time::ZERO,
            alarms_only: false,
            n_unsuccessful: 0,
            n_local: 0,
            alarm: 0,
            long_polls: Vec::new(),
        }
    }

    /// Delays an unsuccessful poll until its alarm; whether that has fired.
    pub fn delay(
        &mut self,
        now: Time,
        at: u32,
        ranks: &mut Ranks,
        recorder: &mut Option<Recorder>,
        calls: &mut Vec<Call>,
    ) -> bool {
        let rank = &mut ranks[at];
        let polling = &mut rank.polling;
        if polling.fired {
            (polling.fired, polling.alarm) = (false, None);
            polling.unsuccessful += 1;
            polling.total += now.since(rank.cpu_done_at);
            return true;
        }
        if polling.alarm.is_none() {
            let span = polling.next(self.first_poll, self.alarms_only);
            let is_long = span > self.first_poll;
            if is_long && !std::mem::replace(&mut rank.is_long, true) {
                self.long_polls.push(at);
            }
            self.set_alarm((now, span), at, rank, recorder, calls);
        }
        false
    }

    /// Ends the poll of `rank`, which has number `at`, after `span` from `now`.
    fn set_alarm(
        &mut self,
        (now, span): (Time, Span),
        at: u32,
        rank: &mut Rank,
        recorder: &mut Option<Recorder>,
        calls: &mut Vec<Call>,
    ) {
        self.alarm = (self.alarm + 1) % ALARM_NUMBERS;
        let token = ALARMS + self.alarm;
        (rank.polling.alarm, rank.polling.until) = (Some(token), now + span);
        if let Some(recorder) = recorder {
            recorder.alarm_set(at, token);
        }
        calls.push(Call { rank: at, token, after: Span::ZERO, op: Op::Alarm { span } });
    }

    /// Only alarms are pending: longer polls end after the shortest duration.
    pub fn shorten(
        &mut self,
        now: Time,
        ranks: &mut Ranks,
        recorder: &mut Option<Recorder>,
        calls: &mut Vec<Call>,
    ) {
        self.alarms_only = true;
        let first = self.first_poll;
        // Visits ranks with long polls only, because thousands of ranks may poll.
        let mut long = std::mem::take(&mut self.long_polls);
        long.sort_unstable();
        for at in long.drain(..) {
            let rank = &mut ranks[at];
            rank.is_long = false;
            let polling = &rank.polling;
            if polling.alarm.is_some() && polling.until > now + first {
                self.set_alarm((now, first), at, rank, recorder, calls);
            }
        }
        self.long_polls = long;
    }

    /// Notes an event other than an unsuccessful poll.
    pub fn note_progress(&mut self, now: Time) {
        (self.last_progress, self.alarms_only, self.n_unsuccessful, self.n_local) =
            (now, false, 0, 0);
    }

    /// Sets the number of polls that a rank may answer itself after its release.
    pub fn allow_local(&self, at: u32, ranks: &mut Ranks) {
        let polling = &mut ranks[at].polling;
        polling.local_polls = if self.alarms_only { polling.allowed_local_polls() } else { 0 };
        let (local_polls, control) = (polling.local_polls, ranks.control(at));
        // SAFETY: the rank sleeps, so only the simulator accesses its region.
        unsafe {
            ((*control).unsuccessful_polls, (*control).poll_ps) = (local_polls, self.first_poll.0);
        }
    }

    /// Counts the polls that a rank has answered itself; returns their duration.
    pub fn note_local(&mut self, at: u32, ranks: &mut Ranks) -> Span {
        // SAFETY: as above.
        let spent = unsafe { (*ranks.control(at)).local_polls_used };
        let polling = &mut ranks[at].polling;
        let spent = u64::from(spent.min(std::mem::take(&mut polling.local_polls)));
        polling.unsuccessful += spent;
        self.n_local += if self.alarms_only { spent } else { 0 };
        self.first_poll * spent
    }

    /// Whether so many polls were unsuccessful, with nothing else pending, that ranks outside MPI
    /// may be the reason.
    pub fn is_long_streak(&self) -> bool {
        self.alarms_only && self.n_unsuccessful > LOCAL_POLLS_FROM
    }

    /// Counts an unsuccessful poll. If the ranks only poll without success, returns the time since
    /// which they do.
    pub fn count_unsuccessful(&mut self, ranks: &Ranks) -> Option<Time> {
        self.n_unsuccessful += u64::from(self.alarms_only);
        if self.n_unsuccessful < self.livelock_polls {
            return None;
        }
        let polls = |r: &&Rank| r.stage == Stage::InMpi && r.mode != wait::NEVER;
        let n_polling = ranks.iter().filter(polls).count() as u64;
        let all = self.n_unsuccessful + self.n_local;
        let is_livelock = all >= n_polling * MIN_POLLS_PER_RANK.min(self.livelock_polls);
        is_livelock.then_some(self.last_progress)
    }
}
