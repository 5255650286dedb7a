//! Ranks with several threads. While one thread waits in MPI and the rank sleeps, another thread
//! may call MPI. It sends a wake-up request, and the rank is released whatever it waits for.
//!
//! When no simulated event is pending, such a call may still come, from a thread that computes or
//! sleeps in the kernel. A deadlock is therefore reported only when every thread of every rank
//! waits for another one, or has slept for `SLEEP_TIMEOUT`.

use crate::execution::Execution;
use crate::process::Stat;
use crate::rank::Stage;
use crate::ranks::Ranks;
use crate::watch::CHECK_INTERVAL;
use std::fs;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use workload::schedule::record::Recorder;

/// Longest wall-clock sleep of threads that neither are in MPI nor wait for another thread (for
/// input, a file, a real clock) before a standstill is a deadlock [estimate].
const SLEEP_TIMEOUT: Duration = Duration::from_secs(10);
/// Consecutive checks that must find all threads waiting: one may be between two waits.
const MIN_BLOCKED_CHECKS: u32 = 3;

/// Activity of the threads of a process that are not in MPI.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum ThreadActivity {
    /// They wait for other threads without a timeout, or there are none.
    Blocked,
    Asleep,
    Running,
}

/// Releases ranks with wake-up requests, now or as soon as their CPU has finished.
pub(crate) fn serve_wake_requests(execution: &mut Execution, recorder: &mut Option<Recorder>) {
    let Execution { ranks, turns, .. } = execution;
    if turns.wake_requests().swap(0, Ordering::AcqRel) == 0 {
        return;
    }
    for at in 0..ranks.len() {
        // SAFETY: the field is atomic.
        let is_requested =
            unsafe { (*ranks.control(at)).wake_request.load(Ordering::Acquire) } != 0;
        let rank = &mut ranks[at];
        if is_requested && rank.asleep && rank.stage == Stage::InMpi {
            rank.wake_requested = true;
            if rank.paused && !turns.batch.contains(&at) {
                rank.polling = Default::default();
                turns.batch.push(at);
                refuse_threads(at, recorder);
            }
        }
    }
    turns.batch.sort_unstable();
}

/// Refuses to record: the order of a rank's threads is not determined by the simulation.
pub(crate) fn refuse_threads(at: u32, recorder: &mut Option<Recorder>) {
    if let Some(recorder) = recorder {
        recorder.refuse(|| {
            format!("rank {at} called MPI from one thread while another waited inside it")
        });
    }
}

/// The wait for wake-up requests while no event is pending.
pub(crate) struct ThreadWait {
    /// Ranks with several threads.
    threaded: Vec<u32>,
    wall_start: Instant,
    n_blocked_checks: u32,
}

impl ThreadWait {
    pub fn new(ranks: &Ranks) -> ThreadWait {
        let threaded = (0..ranks.len()).filter(|&at| has_threads(at, ranks)).collect();
        ThreadWait { threaded, wall_start: Instant::now(), n_blocked_checks: 0 }
    }

    /// Waits a short time for a wake-up request. False if none is expected.
    pub fn wait(&mut self, execution: &Execution) -> bool {
        let activity = |&at: &u32| thread_activity(at, &execution.ranks);
        match self.threaded.iter().map(activity).max() {
            Some(ThreadActivity::Running) => self.n_blocked_checks = 0,
            Some(ThreadActivity::Asleep) if self.wall_start.elapsed() < SLEEP_TIMEOUT => {
                self.n_blocked_checks = 0;
            }
            _ => self.n_blocked_checks += 1,
        }
        if self.n_blocked_checks == MIN_BLOCKED_CHECKS || self.threaded.is_empty() {
            return false;
        }
        let is_blocked = self.n_blocked_checks > 0;
        let interval = if is_blocked { CHECK_INTERVAL / 10 } else { CHECK_INTERVAL };
        execution.turns.await_wake_request(interval);
        true
    }
}

fn has_threads(at: u32, ranks: &Ranks) -> bool {
    let rank = &ranks[at];
    // SAFETY: the rank sleeps, so only the simulator accesses its region.
    rank.stage == Stage::InMpi && rank.asleep && unsafe { (*ranks.control(at)).threads } != 0
}

fn thread_activity(at: u32, ranks: &Ranks) -> ThreadActivity {
    // SAFETY: as above.
    let (pid, leader) = unsafe { ((*ranks.control(at)).pid, (*ranks.control(at)).thread) };
    let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else {
        return ThreadActivity::Blocked;
    };
    let ids = tasks.flatten().filter_map(|t| t.file_name().into_string().ok());
    let others = ids.filter(|id| id.parse() != Ok(leader));
    others.map(|id| of_thread(pid, &id)).max().unwrap_or(ThreadActivity::Blocked)
}

fn of_thread(pid: u32, id: &str) -> ThreadActivity {
    match Stat::of(&format!("{pid}/task/{id}")).map(|stat| stat.state) {
        Ok(b'S') => {}
        Ok(b'Z' | b'X' | b'T' | b't') | Err(_) => return ThreadActivity::Blocked,
        Ok(_) => return ThreadActivity::Running,
    }
    // "202 0x7f.. 0x189 0x0 0x0 ..": the number of the system call, then its arguments.
    let Ok(call) = fs::read_to_string(format!("/proc/{pid}/task/{id}/syscall")) else {
        return ThreadActivity::Asleep;
    };
    let words: Vec<&str> = call.split_whitespace().collect();
    let is_futex = words.first() == Some(&libc::SYS_futex.to_string().as_str());
    match words.get(4) {
        Some(&"0x0") if is_futex => ThreadActivity::Blocked,
        _ => ThreadActivity::Asleep,
    }
}
