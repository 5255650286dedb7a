//! Ranks with threads: one that waits in MPI has given the rank's turn away, and another one may
//! want in. It knocks, and the rank is released whatever it waits for.
//!
//! When simulated time has nothing more to bring, such a thread may still come: one that computes
//! does so for sure as far as we can tell, one that sleeps in the kernel may. So a deadlock is told
//! only when every thread of every rank waits for another one, or has been asleep for long.

use crate::Live;
use crate::live::CHECK_INTERVAL;
use crate::process::Stat;
use crate::rank::Stage;
use base::Time;
use std::fs;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use workload::{Call, Workload};

/// How long threads that are neither in MPI nor waiting for another thread may sleep (for input, a
/// file, a real clock) before a standstill is a deadlock, in time of the wall clock [estimate].
const SLEEP_TIMEOUT: Duration = Duration::from_secs(10);
/// Looks on end that must find all threads waiting: one may be going from one wait to the next.
const MIN_STUCK_CHECKS: u32 = 3;

/// What the threads of a process are at that are not in MPI.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum ThreadActivity {
    /// They wait for each other or for those in MPI, without limit; or there are none.
    Blocked,
    Asleep,
    Running,
}

impl Live {
    /// Ranks that have knocked and whose CPU is through go on now, the others as soon as it is.
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

    /// Which thread of a rank comes when is not the simulated machine's doing, so it cannot be
    /// written down.
    pub(crate) fn refuse_threads(&mut self, at: u32) {
        if let Some(recorder) = &mut self.recorder {
            recorder.refuse(|| {
                format!("rank {at} called MPI from one thread while another waited inside it")
            });
        }
    }

    /// Nothing is due any more. Returns when a thread has knocked or a rank is back that was away,
    /// or when no more is expected to.
    pub(crate) fn await_activity(&mut self, now: Time, calls: &mut Vec<Call>) {
        let threaded: Vec<u32> =
            (0..self.ranks.len() as u32).filter(|&at| self.has_threads(at)).collect();
        let begun = Instant::now();
        let mut stuck = 0;
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
                Some(ThreadActivity::Running) => stuck = 0,
                Some(ThreadActivity::Asleep) if begun.elapsed() < SLEEP_TIMEOUT => stuck = 0,
                _ => stuck += 1,
            }
            if stuck == MIN_STUCK_CHECKS || threaded.is_empty() {
                return;
            }
            self.turns.await_wake_request(if stuck > 0 {
                CHECK_INTERVAL / 10
            } else {
                CHECK_INTERVAL
            });
            self.check_processes();
        }
    }

    fn has_threads(&self, at: u32) -> bool {
        let rank = &self.ranks[at as usize];
        // SAFETY: the rank sleeps, so its region is ours.
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
    // "202 0x7f.. 0x189 0x0 0x0 ..": the system call, then what it was given.
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
