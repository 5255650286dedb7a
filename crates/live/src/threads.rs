//! Ranks with several threads. While one thread waits in MPI and the rank sleeps, another thread
//! may call MPI. It sends a wake-up request, and the rank is released whatever it waits for.
//!
//! When no simulated event is pending, such a call may still come, from a thread that computes or
//! sleeps in the kernel. A deadlock is therefore reported only when every thread of every rank
//! waits for another one, or has slept for `SLEEP_TIMEOUT`.

use crate::Live;
use crate::live::CHECK_INTERVAL;
use crate::process::Stat;
use crate::rank::Stage;
use base::Time;
use std::fs;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use workload::{Call, Workload};

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

impl Live {
    /// Releases ranks with wake-up requests, now or as soon as their CPU has finished.
    pub(crate) fn serve_wake_requests(&mut self) {
        if self.turns.wake_requests().swap(0, Ordering::AcqRel) == 0 {
            return;
        }
        for at in 0..self.ranks.len() as u32 {
            // SAFETY: the field is atomic.
            let wake_requests =
                unsafe { (*self.control(at)).wake_request.load(Ordering::Acquire) } != 0;
            let rank = &mut self.ranks[at as usize];
            if wake_requests && rank.asleep && rank.stage == Stage::InMpi {
                rank.wake_requested = true;
                if rank.paused && !self.batch.contains(&at) {
                    rank.polling = Default::default();
                    self.batch.push(at);
                    self.refuse_threads(at);
                }
            }
        }
        self.batch.sort_unstable();
    }

    /// Refuses to record: the order of a rank's threads is not determined by the simulation.
    pub(crate) fn refuse_threads(&mut self, at: u32) {
        if let Some(recorder) = &mut self.recorder {
            recorder.refuse(|| {
                format!("rank {at} called MPI from one thread while another waited inside it")
            });
        }
    }

    /// No event is pending. Returns when a thread has sent a wake-up request or a detached rank has
    /// rejoined, or when neither is expected.
    pub(crate) fn await_activity(&mut self, now: Time, calls: &mut Vec<Call>) {
        let threaded: Vec<u32> =
            (0..self.ranks.len() as u32).filter(|&at| self.has_threads(at)).collect();
        let wall_start = Instant::now();
        let mut blocked_checks = 0;
        while !self.is_stopped() {
            self.serve_wake_requests();
            if self.rejoin(now, calls) || !self.batch.is_empty() {
                return;
            }
            if self.expects_detached() {
                self.turns.await_wake_request(CHECK_INTERVAL);
                self.check_processes();
                continue;
            }
            match threaded.iter().map(|&at| self.thread_activity(at)).max() {
                Some(ThreadActivity::Running) => blocked_checks = 0,
                Some(ThreadActivity::Asleep) if wall_start.elapsed() < SLEEP_TIMEOUT => {
                    blocked_checks = 0
                }
                _ => blocked_checks += 1,
            }
            if blocked_checks == MIN_BLOCKED_CHECKS || threaded.is_empty() {
                return;
            }
            self.turns.await_wake_request(if blocked_checks > 0 {
                CHECK_INTERVAL / 10
            } else {
                CHECK_INTERVAL
            });
            self.check_processes();
        }
    }

    fn has_threads(&self, at: u32) -> bool {
        let rank = &self.ranks[at as usize];
        // SAFETY: the rank sleeps, so only the simulator accesses its region.
        rank.stage == Stage::InMpi && rank.asleep && unsafe { (*self.control(at)).threads } != 0
    }

    fn thread_activity(&self, at: u32) -> ThreadActivity {
        // SAFETY: as above.
        let (pid, leader) = unsafe { ((*self.control(at)).pid, (*self.control(at)).thread) };
        let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else {
            return ThreadActivity::Blocked;
        };
        let ids = tasks.flatten().filter_map(|t| t.file_name().into_string().ok());
        let others = ids.filter(|id| id.parse() != Ok(leader));
        others.map(|id| of_thread(pid, &id)).max().unwrap_or(ThreadActivity::Blocked)
    }
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
