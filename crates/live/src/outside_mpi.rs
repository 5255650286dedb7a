//! Ranks that communicate outside MPI: by sockets, pipes, file locks.
//!
//! Such a rank may be blocked in the kernel until another rank continues, which waits for the
//! simulator. When every running rank is blocked, the simulator therefore continues without them:
//! they are detached (`presence::DETACHED`). A detached rank that hands over rejoins at the present
//! simulated time. The traffic takes no simulated time, and the summary reports it.

use crate::Live;
use crate::blocked::{Activity, activity, cpu_ticks};
use crate::live::CHECK_INTERVAL;
use crate::outcome::FailureCause;
use crate::rank::Stage;
use base::{Span, Time};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use workload::wire::{presence, state};
use workload::{Call, OpCompletion, Workload};

/// Consecutive checks, `CHECK_INTERVAL` apart, that must find every rank blocked: 0.2 s, and 1 s if
/// a rank wakes up by itself, such as an event loop [estimate].
const MIN_BLOCKED_CHECKS: u32 = 10;
const MIN_BLOCKED_CHECKS_TIMED: u32 = 50;
/// Factor of the idle timeout for ranks that wake up by themselves.
const TIMED_FACTOR: u32 = 6;
/// Share of a core below which detached ranks are idle [estimate].
const IDLE: f64 = 0.05;
/// Clock ticks per second on Linux (sysconf(_SC_CLK_TCK)).
const TICKS_PER_S: f64 = 100.0;
/// Wall-clock time that a poll waits for a detached rank.
const POLL_WAIT: Duration = Duration::from_millis(1);

/// The detached ranks, and how long running ranks have been blocked.
#[derive(Default, Debug)]
pub(crate) struct BlockedRanks {
    /// In increasing order.
    detached: Vec<u32>,
    /// Completions for detached ranks, which own their memory until they hand over.
    deferred: Vec<OpCompletion>,
    /// Consecutive checks that found all ranks blocked; the last rank found running.
    checks: u32,
    busy: u32,
    /// Every rank that has been detached, and the call in which it was first found.
    pub calls: Vec<(u32, String)>,
    /// Detached ranks whose exit has not been taken yet.
    pub exited: Vec<u32>,
    /// When detached ranks were last active, and their CPU time in ticks then.
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
    /// Waits for the batch. Detaches its running ranks if all of them stay blocked.
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
        // The rank that was running at the last check is likely to run still.
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
        let (from, to) = (presence::COUNTED, presence::DETACHED);
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

    /// Keeps completions for a detached rank until it rejoins. Whether it is detached.
    pub(crate) fn defer(&mut self, done: &[OpCompletion]) -> bool {
        let is_detached =
            !self.outside_mpi.is_empty() && self.outside_mpi.is_detached(done[0].rank);
        if is_detached {
            self.outside_mpi.deferred.extend_from_slice(done);
        }
        is_detached
    }

    /// Takes the hand-overs of detached ranks. Whether there are any.
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
            (*self.control(at)).presence.load(Ordering::Acquire) == presence::HANDED_OVER
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
        let mine: Vec<OpCompletion> = mine;
        for done in &mine {
            if let Err(why) = self.finish(now, done) {
                self.fail(at, why);
            }
        }
        let rank = &mut self.ranks[at as usize];
        // Its computation since the release overlaps with the simulated time that has passed.
        rank.credit = now.since(rank.released_at);
        if let Err(why) = self.take(at, calls) {
            self.fail(at, why);
        }
        self.ranks[at as usize].credit = Span::ZERO;
    }

    /// Removes a rank that has exited with status 0. Whether it was detached.
    pub(crate) fn forget_detached(&mut self, at: u32) -> bool {
        let is_detached = self.outside_mpi.is_detached(at);
        self.outside_mpi.detached.retain(|&other| other != at);
        self.outside_mpi.deferred.retain(|done| done.rank != at);
        is_detached
    }

    /// Whether a detached rank may still rejoin: not after `idle_timeout` without activity.
    pub(crate) fn expects_detached(&mut self) -> bool {
        if self.outside_mpi.is_empty() {
            return false;
        }
        // SAFETY: written when the rank attached.
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

    /// Waits for a detached rank while the others poll. Whether one may rejoin.
    pub(crate) fn wait_for_detached(&mut self) -> bool {
        let expected = self.expects_detached();
        if expected {
            self.turns.await_wake_request(POLL_WAIT);
        }
        expected
    }

    /// Ends the job if no rank can continue and some are blocked outside MPI.
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
