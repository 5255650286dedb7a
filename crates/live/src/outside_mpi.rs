//! Ranks that communicate outside MPI: by sockets, pipes, file locks.
//!
//! Such a rank may be blocked in the kernel until another rank continues, which waits for the
//! simulator. When every running rank is blocked, the simulator therefore continues without them:
//! they are detached (`presence::DETACHED`). A detached rank that hands over rejoins at the present
//! simulated time. The traffic takes no simulated time, and the summary reports it.

use crate::blocked::{Activity, activity, cpu_ticks};
use crate::execution::Execution;
use crate::outcome::FailureCause;
use crate::watch::CHECK_INTERVAL;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use workload::schedule::record::Recorder;
use workload::wire::{presence, state};

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

/// Finds ranks that are blocked, and detaches them.
pub(crate) struct BlockDetector {
    /// How long detached ranks may be idle when no other rank can continue.
    idle_timeout: Duration,
    /// Consecutive checks that found all ranks blocked; the last rank found running.
    n_blocked_checks: u32,
    busy: u32,
    /// When detached ranks were last active, and their CPU time in ticks then.
    idle_since: Option<(Instant, u64)>,
}

impl BlockDetector {
    pub fn new(idle_timeout: Duration) -> BlockDetector {
        BlockDetector { idle_timeout, n_blocked_checks: 0, busy: 0, idle_since: None }
    }

    /// Waits for the batch. Detaches its running ranks if all of them stay blocked.
    pub fn wait_for_batch(&mut self, execution: &mut Execution, recorder: &mut Option<Recorder>) {
        (self.n_blocked_checks, self.idle_since) = (0, None);
        while !execution.turns.all_handed_over(CHECK_INTERVAL) {
            if !execution.check_running() {
                return;
            }
            self.detach_blocked(execution, recorder);
        }
    }

    pub fn detach_blocked(&mut self, execution: &mut Execution, recorder: &mut Option<Recorder>) {
        let Execution { ranks, turns, watch, .. } = &*execution;
        let is_out = |&at: &u32| watch.is_out(at, ranks, turns);
        let mut out: Vec<u32> = turns.batch.iter().copied().filter(is_out).collect();
        // The rank that was running at the last check is likely to run still.
        if let Some(i) = out.iter().position(|&at| at == self.busy) {
            out.swap(0, i);
        }
        let mut calls = Vec::new();
        let mut is_timed = false;
        for &at in &out {
            match activity_of(at, execution) {
                Activity::Blocked { call, timed } => {
                    is_timed |= timed;
                    calls.push((at, call));
                }
                Activity::Runs => {
                    (self.busy, self.n_blocked_checks) = (at, 0);
                    return;
                }
            }
        }
        self.n_blocked_checks += 1;
        let needed = if is_timed { MIN_BLOCKED_CHECKS_TIMED } else { MIN_BLOCKED_CHECKS };
        if self.n_blocked_checks >= needed {
            calls.into_iter().for_each(|(at, call)| detach(at, call, execution, recorder));
        }
    }

    /// Detached ranks have rejoined.
    pub fn note_activity(&mut self) {
        self.idle_since = None;
    }

    /// Whether a detached rank may still rejoin: not after `idle_timeout` without activity.
    pub fn expects_detached(&mut self, execution: &Execution) -> bool {
        let detached = execution.detached.ranks();
        if detached.is_empty() {
            return false;
        }
        let ticks = |pids: &[u32]| pids.iter().map(|&pid| cpu_ticks(pid)).sum::<u64>();
        let pids: Vec<u32> = detached.iter().map(|&at| execution.ranks.pid(at)).collect();
        let Some((since, before)) = self.idle_since else {
            self.idle_since = Some((Instant::now(), ticks(&pids)));
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
            self.idle_since = Some((Instant::now(), now));
        }
        runs
    }

    /// Waits for a detached rank while the others poll. Whether one may rejoin.
    pub fn wait_for_detached(&mut self, execution: &Execution) -> bool {
        let is_expected = self.expects_detached(execution);
        if is_expected {
            execution.turns.await_wake_request(POLL_WAIT);
        }
        is_expected
    }
}

fn activity_of(at: u32, execution: &Execution) -> Activity {
    let (state, pid) = (execution.ranks.state(at), execution.ranks.pid(at));
    match state {
        state::ACTIVE | state::FILES | state::WRAPPED if execution.watch.is_of_rank(at, pid) => {
            activity(pid)
        }
        _ => Activity::Runs,
    }
}

fn detach(at: u32, call: String, execution: &mut Execution, recorder: &mut Option<Recorder>) {
    let (from, to) = (presence::COUNTED, presence::DETACHED);
    let presence = execution.turns.presence(at);
    if presence.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire).is_err() {
        return;
    }
    execution.turns.running().fetch_sub(1, Ordering::AcqRel);
    execution.turns.batch.retain(|&other| other != at);
    if let Some(recorder) = recorder {
        recorder.refuse(|| format!("rank {at} waited outside MPI, in {call}"));
    }
    execution.detached.add(at, call);
}

/// Detached ranks that have handed over.
pub(crate) fn handed_over(execution: &Execution) -> Vec<u32> {
    let is_back =
        |&at: &u32| execution.turns.presence(at).load(Ordering::Acquire) == presence::HANDED_OVER;
    execution.detached.ranks().iter().copied().filter(is_back).collect()
}

/// Why a standstill, at which no rank can continue, is not a deadlock of MPI calls: the first rank
/// that is blocked outside MPI or has exited without `MPI_Finalize`.
pub(crate) fn standstill(execution: &Execution) -> Option<(u32, FailureCause)> {
    let ranks = &execution.ranks;
    blocked(execution).or_else(|| {
        let left = ranks.iter().position(|rank| rank.unfinalized)?;
        (!ranks.is_finished()).then_some((left as u32, FailureCause::ExitedEarly { status: 0 }))
    })
}

/// The first rank that is blocked outside MPI.
fn blocked(execution: &Execution) -> Option<(u32, FailureCause)> {
    let Execution { ranks, detached, .. } = execution;
    let &first = detached.ranks().first()?;
    let call = match activity(ranks.pid(first)) {
        Activity::Blocked { call, .. } => call,
        Activity::Runs => detached.first_call(first)?.clone(),
    };
    let others = detached.ranks().len() - 1;
    Some((first, FailureCause::BlockedOutsideMpi { call, others }))
}
