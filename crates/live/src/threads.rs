//! Ranks with threads: one that waits in MPI has given the rank's turn away, and another one may
//! want in. It knocks, and the rank is released whatever it waits for.
//!
//! When simulated time has nothing more to bring, such a thread may still come: one that computes
//! does so for sure as far as we can tell, one that sleeps in the kernel may. So a deadlock is told
//! only when every thread of every rank waits for another one, or has been asleep for long.

use crate::Live;
use crate::live::LOOK;
use crate::process::Stat;
use crate::rank::Stage;
use base::Time;
use std::fs;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use workload::{Call, Workload};

/// How long threads that are neither in MPI nor waiting for another thread may sleep (for input, a
/// file, a real clock) before a standstill is a deadlock, in time of the wall clock [estimate].
const PATIENCE: Duration = Duration::from_secs(10);
/// Looks on end that must find all threads waiting: one may be going from one wait to the next.
const LOOKS: u32 = 3;

/// What the threads of a process are at that are not in MPI.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Outside {
    /// They wait for each other or for those in MPI, without limit; or there are none.
    Stuck,
    Asleep,
    Running,
}

impl Live {
    /// Ranks that have knocked and whose CPU is through go on now, the others as soon as it is.
    pub(crate) fn answer_knocks(&mut self) {
        if self.turns.knocks().swap(0, Ordering::AcqRel) == 0 {
            return;
        }
        for at in 0..self.ranks.len() as u32 {
            // SAFETY: the field is atomic.
            let knocks = unsafe { (*self.control(at)).knock.load(Ordering::Acquire) } != 0;
            let rank = &mut self.ranks[at as usize];
            if knocks && rank.asleep && rank.stage == Stage::Inside {
                rank.knocked = true;
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
    pub(crate) fn await_others(&mut self, now: Time, calls: &mut Vec<Call>) {
        let threaded: Vec<u32> =
            (0..self.ranks.len() as u32).filter(|&at| self.has_threads(at)).collect();
        let begun = Instant::now();
        let mut stuck = 0;
        while !self.is_stopped() {
            self.answer_knocks();
            if self.rejoin(now, calls) || !self.batch.is_empty() {
                return;
            }
            if self.expects_others() {
                self.turns.await_knock(LOOK);
                self.look();
                continue;
            }
            match threaded.iter().map(|&at| self.outside(at)).max() {
                Some(Outside::Running) => stuck = 0,
                Some(Outside::Asleep) if begun.elapsed() < PATIENCE => stuck = 0,
                _ => stuck += 1,
            }
            if stuck == LOOKS || threaded.is_empty() {
                return;
            }
            self.turns.await_knock(if stuck > 0 { LOOK / 10 } else { LOOK });
            self.look();
        }
    }

    fn has_threads(&self, at: u32) -> bool {
        let rank = &self.ranks[at as usize];
        // SAFETY: the rank sleeps, so its region is ours.
        rank.stage == Stage::Inside && rank.asleep && unsafe { (*self.control(at)).threads } != 0
    }

    fn outside(&self, at: u32) -> Outside {
        // SAFETY: as above.
        let (pid, leader) = unsafe { ((*self.control(at)).pid, (*self.control(at)).thread) };
        let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else { return Outside::Stuck };
        let ids = tasks.flatten().filter_map(|t| t.file_name().into_string().ok());
        let others = ids.filter(|id| id.parse() != Ok(leader));
        others.map(|id| of_thread(pid, &id)).max().unwrap_or(Outside::Stuck)
    }
}

fn of_thread(pid: u32, id: &str) -> Outside {
    match Stat::of(&format!("{pid}/task/{id}")).map(|stat| stat.state) {
        Ok(b'S') => {}
        Ok(b'Z' | b'X' | b'T' | b't') | Err(_) => return Outside::Stuck,
        Ok(_) => return Outside::Running,
    }
    // "202 0x7f.. 0x189 0x0 0x0 ..": the system call, then what it was given.
    let Ok(call) = fs::read_to_string(format!("/proc/{pid}/task/{id}/syscall")) else {
        return Outside::Asleep;
    };
    let words: Vec<&str> = call.split_whitespace().collect();
    let is_futex = words.first() == Some(&libc::SYS_futex.to_string().as_str());
    match words.get(4) {
        Some(&"0x0") if is_futex => Outside::Stuck,
        _ => Outside::Asleep,
    }
}
