//! Ranks that communicate outside MPI: by sockets, pipes, file locks.
//!
//! Such a rank may be blocked in the kernel until another rank has gone on, which waits for the
//! simulator. So when every rank that has the turn is blocked, the simulator goes on without them:
//! they are away. When one of them hands over after all, it rejoins at the simulated time reached
//! by then. That traffic takes no simulated time, and the summary says so.

use crate::Live;
use crate::blocked::{Activity, activity, cpu_ticks};
use crate::live::CHECK_INTERVAL;
use crate::outcome::FailureCause;
use crate::rank::Stage;
use base::{Span, Time};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use workload::wire::{presence, state};
use workload::{Call, Done, Workload};

/// Looks on end, `CHECK_INTERVAL` apart, that must find every rank blocked: 0.2 s, and 1 s where a
/// rank wakes up by itself, such as an event loop [estimate].
const MIN_BLOCKED_CHECKS: u32 = 10;
const MIN_BLOCKED_CHECKS_TIMED: u32 = 50;
/// How many times longer ranks that wake up by themselves are waited for at a standstill.
const TIMED_FACTOR: u32 = 6;
/// Part of a core below which ranks that are away do nothing [estimate].
const IDLE: f64 = 0.05;
/// Clock ticks per second of every Linux (sysconf(_SC_CLK_TCK)).
const TICKS_PER_S: f64 = 100.0;
/// How long a poll waits for a rank that is away, in time of the wall clock.
const POLL_WAIT: Duration = Duration::from_millis(1);

/// The ranks that are away, and how long they have been found blocked.
#[derive(Default, Debug)]
pub(crate) struct BlockedRanks {
    /// In increasing order.
    detached: Vec<u32>,
    /// Completions for ranks that are away: their memory is theirs until they hand over.
    deferred: Vec<Done>,
    /// Looks on end that found all ranks blocked, and the rank that was not at the last look.
    checks: u32,
    busy: u32,
    /// Every rank that has ever been away, and the call it was first found in.
    pub calls: Vec<(u32, String)>,
    /// Ranks that were away and have exited: that is still to be taken.
    pub exited: Vec<u32>,
    /// When ranks away were last seen to do something, and their CPU time then.
    idle_since: Option<(Instant, u64)>,
}

impl BlockedRanks {
    pub fn is_detached(&self, rank: u32) -> bool {
        self.detached.binary_search(&rank).is_ok()
    }
    pub fn is_empty(&self) -> bool {
        self.detached.is_empty()
    }
}

impl Live {
    /// Waits for the batch. If all of it that is out is blocked for a while, goes on without.
    pub(crate) fn wait_for_batch(&mut self) {
        (self.outside_mpi.checks, self.outside_mpi.idle_since) = (0, None);
        while !self.turns.all_back(CHECK_INTERVAL) {
            self.check_processes();
            self.detect_calls_after_finalize();
            if self.is_stopped() {
                return;
            }
            self.recover_lost_turns();
            self.detach_blocked();
        }
    }

    pub(crate) fn detach_blocked(&mut self) {
        let out = |&at: &u32| {
            let has_turn = self.turns.turn(at).load(Ordering::Acquire) == 1;
            has_turn
                && self.children.is_alive(at)
                && self.ranks[at as usize].stage != Stage::Finished
        };
        let mut out: Vec<u32> = self.batch.iter().copied().filter(out).collect();
        // A rank that was busy at the last look is likely to be so still.
        if let Some(i) = out.iter().position(|&at| at == self.outside_mpi.busy) {
            out.swap(0, i);
        }
        let mut calls = Vec::new();
        let mut is_timed = false;
        for &at in &out {
            match self.activity_of(at) {
                Activity::Blocked { call, timed } => {
                    is_timed |= timed;
                    calls.push((at, call));
                }
                Activity::Runs => {
                    (self.outside_mpi.busy, self.outside_mpi.checks) = (at, 0);
                    return;
                }
            }
        }
        self.outside_mpi.checks += 1;
        if self.outside_mpi.checks
            >= if is_timed { MIN_BLOCKED_CHECKS_TIMED } else { MIN_BLOCKED_CHECKS }
        {
            calls.into_iter().for_each(|(at, call)| self.detach(at, call));
        }
    }

    fn activity_of(&self, at: u32) -> Activity {
        // SAFETY: the state is atomic, and the process id was written before it.
        let (state, pid) = unsafe {
            let control = self.control(at);
            ((*control).state.load(Ordering::Acquire), (*control).pid)
        };
        match state {
            state::ACTIVE if self.children.is_of_rank(at, pid) => activity(pid),
            _ => Activity::Runs,
        }
    }

    fn detach(&mut self, at: u32, call: String) {
        // SAFETY: the field is atomic.
        let word = unsafe { &(*self.control(at)).presence };
        let (from, to) = (presence::COUNTED, presence::AWAY);
        if word.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire).is_err() {
            return;
        }
        self.turns.running().fetch_sub(1, Ordering::AcqRel);
        self.batch.retain(|&other| other != at);
        if let Err(i) = self.outside_mpi.detached.binary_search(&at) {
            self.outside_mpi.detached.insert(i, at);
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.refuse(|| format!("rank {at} waited outside MPI, in {call}"));
        }
        if self.outside_mpi.calls.iter().all(|known| known.0 != at) {
            self.outside_mpi.calls.push((at, call));
        }
    }

    /// Keeps what completes for a rank that is away until it is back.
    pub(crate) fn defer(&mut self, done: &[Done]) -> bool {
        let is_detached =
            !self.outside_mpi.is_empty() && self.outside_mpi.is_detached(done[0].rank);
        if is_detached {
            self.outside_mpi.deferred.extend_from_slice(done);
        }
        is_detached
    }

    /// Takes the hand-overs of ranks that were away. Whether there are any.
    pub(crate) fn rejoin(&mut self, now: Time, calls: &mut Vec<Call>) -> bool {
        let exited = std::mem::take(&mut self.outside_mpi.exited);
        for &at in &exited {
            if let Err(why) = self.take(at, calls) {
                self.fail(at, why);
            }
        }
        if self.outside_mpi.is_empty() {
            return !exited.is_empty();
        }
        // SAFETY: the fields are atomic.
        let is_back = |at: u32| unsafe {
            (*self.control(at)).presence.load(Ordering::Acquire) == presence::BACK
        };
        let back: Vec<u32> =
            self.outside_mpi.detached.iter().copied().filter(|&at| is_back(at)).collect();
        for &at in &back {
            self.outside_mpi.detached.retain(|&other| other != at);
            self.catch_up(at, now, calls);
        }
        if !back.is_empty() {
            self.outside_mpi.idle_since = None;
        }
        !back.is_empty() || !exited.is_empty()
    }

    fn catch_up(&mut self, at: u32, now: Time, calls: &mut Vec<Call>) {
        let deferred = std::mem::take(&mut self.outside_mpi.deferred);
        let (mine, others) = deferred.into_iter().partition(|done| done.rank == at);
        self.outside_mpi.deferred = others;
        let mine: Vec<Done> = mine;
        for done in &mine {
            if let Err(why) = self.finish(now, done) {
                self.fail(at, why);
            }
        }
        let rank = &mut self.ranks[at as usize];
        // What it has computed since it was released, it has computed meanwhile.
        rank.credit = now.since(rank.released_at);
        if let Err(why) = self.take(at, calls) {
            self.fail(at, why);
        }
        self.ranks[at as usize].credit = Span::ZERO;
    }

    /// A rank that was away has ended its process with status 0.
    pub(crate) fn forget_detached(&mut self, at: u32) -> bool {
        let is_detached = self.outside_mpi.is_detached(at);
        self.outside_mpi.detached.retain(|&other| other != at);
        self.outside_mpi.deferred.retain(|done| done.rank != at);
        is_detached
    }

    /// Whether ranks are away that may still come back: not if they have done nothing for long.
    pub(crate) fn expects_detached(&mut self) -> bool {
        if self.outside_mpi.is_empty() {
            return false;
        }
        // SAFETY: written when the rank took its seat.
        let pids = self.outside_mpi.detached.iter().map(|&at| unsafe { (*self.control(at)).pid });
        let ticks = |pids: &[u32]| pids.iter().map(|&pid| cpu_ticks(pid)).sum::<u64>();
        let pids: Vec<u32> = pids.collect();
        let Some((since, before)) = self.outside_mpi.idle_since else {
            self.outside_mpi.idle_since = Some((Instant::now(), ticks(&pids)));
            return true;
        };
        if since.elapsed() < self.idle_timeout {
            return true;
        }
        let found: Vec<Activity> = pids.iter().map(|&pid| activity(pid)).collect();
        let is_timed = |a: &Activity| matches!(a, Activity::Blocked { timed: true, .. });
        let idle_timeout = if found.iter().any(is_timed) {
            self.idle_timeout * TIMED_FACTOR
        } else {
            self.idle_timeout
        };
        if since.elapsed() < idle_timeout && !found.contains(&Activity::Runs) {
            return true;
        }
        let now = ticks(&pids);
        let busy_s = now.saturating_sub(before) as f64 / TICKS_PER_S;
        let runs = found.contains(&Activity::Runs) || busy_s > IDLE * since.elapsed().as_secs_f64();
        if runs {
            self.outside_mpi.idle_since = Some((Instant::now(), now));
        }
        runs
    }

    /// Lets a rank that is away go on while the others poll.
    pub(crate) fn wait_for_detached(&mut self) -> bool {
        let expected = self.expects_detached();
        if expected {
            self.turns.await_wake_request(POLL_WAIT);
        }
        expected
    }

    /// No rank can go on, and some wait outside MPI.
    pub(crate) fn fail_blocked(&mut self) {
        let Some(&first) = self.outside_mpi.detached.first() else { return };
        // SAFETY: as above.
        let call = match activity(unsafe { (*self.control(first)).pid }) {
            Activity::Blocked { call, .. } => call,
            Activity::Runs => match self.outside_mpi.calls.iter().find(|known| known.0 == first) {
                Some((_, call)) => call.clone(),
                None => return,
            },
        };
        let others = self.outside_mpi.detached.len() - 1;
        self.fail(first, FailureCause::BlockedOutsideMpi { call, others });
    }
}
