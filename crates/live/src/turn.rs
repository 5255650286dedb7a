//! Releases ranks and waits until all of them have handed over.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use workload::wire::{Segment, presence};

/// Reads of `running` before sleeping, when few ranks run. They take longer than the 24-30 us that
/// waking a rank on another core takes. Compared with 400 reads, ping-pong on two cores rose from
/// 37,000 to 58,000 receives per second.
const SPINS: u32 = 4000;
/// Most waits without spinning after repeated unsuccessful spins. On a loaded machine the rank
/// needs the core of the simulator (measured: 6.7 us per hand-over asleep, 12.8 us spinning).
const MAX_SKIPPED_SPINS: u32 = 1023;

/// The simulator's side of the two futexes `turn` and `running`.
pub(crate) struct Turns {
    segment: Segment,
    /// Cores left beside the simulator's: with more running ranks, spinning takes time from them.
    spare: u32,
    /// Waits left without spinning, and their number after the next unsuccessful spin.
    skip: u32,
    skips: u32,
    /// Ranks released at this instant.
    pub batch: Vec<u32>,
}

impl Turns {
    /// All of the `n` ranks run until their first hand-over.
    pub fn new(segment: Segment, n: u32) -> Turns {
        let cpus = std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
        Turns { segment, spare: cpus - 1, skip: 0, skips: 0, batch: (0..n).collect() }
    }

    pub fn running(&self) -> &AtomicU32 {
        // SAFETY: the header lives as long as the mapping, and `running` is shared as an atomic.
        unsafe { &(*self.segment.header()).running }
    }
    fn turn(&self, rank: u32) -> &AtomicU32 {
        // SAFETY: as above.
        unsafe { &(*self.segment.control(rank)).turn }
    }
    /// Whether `rank` has the turn: it has not handed over.
    pub fn has_turn(&self, rank: u32) -> bool {
        self.turn(rank).load(Ordering::Acquire) == 1
    }

    /// See `wire::presence`.
    pub fn presence(&self, rank: u32) -> &AtomicU32 {
        // SAFETY: as above.
        unsafe { &(*self.segment.control(rank)).presence }
    }

    /// See `Header::wake_requests`.
    pub fn wake_requests(&self) -> &AtomicU32 {
        // SAFETY: as above.
        unsafe { &(*self.segment.header()).wake_requests }
    }
    /// Sleeps until a rank sends a wake-up request, at most `wait`.
    pub fn await_wake_request(&self, wait: Duration) {
        sleep(self.wake_requests(), 0, wait);
    }

    /// Releases `rank`. The caller has counted it in `running`, if needed.
    pub fn give(&self, rank: u32) {
        let turn = self.turn(rank);
        self.presence(rank).store(presence::COUNTED, Ordering::Relaxed);
        turn.store(1, Ordering::Release);
        wake(turn);
    }

    /// Releases the batch, of which `n_running` ranks will hand over.
    pub fn give_batch(&self, n_running: u32) {
        self.running().fetch_add(n_running, Ordering::Relaxed);
        for &rank in &self.batch {
            self.give(rank);
        }
    }

    /// Whether all ranks have handed over within `wait`.
    pub fn all_handed_over(&mut self, wait: Duration) -> bool {
        if self.running().load(Ordering::Acquire) <= self.spare && self.spin_until_handed_over() {
            return true;
        }
        let running = self.running();
        loop {
            let out = running.load(Ordering::Acquire);
            if out == 0 {
                return true;
            }
            if !sleep(running, out, wait) {
                return running.load(Ordering::Acquire) == 0;
            }
        }
    }
}

impl Turns {
    fn spin_until_handed_over(&mut self) -> bool {
        if self.skip > 0 {
            self.skip -= 1;
            return false;
        }
        for _ in 0..SPINS {
            if self.running().load(Ordering::Acquire) == 0 {
                self.skips = 0;
                return true;
            }
            std::hint::spin_loop();
        }
        self.skips = (2 * self.skips + 1).min(MAX_SKIPPED_SPINS);
        self.skip = self.skips;
        false
    }
}

fn wake(word: &AtomicU32) {
    // SAFETY: the word outlives the call. Not a private futex: the sleeper is another process.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, 1) };
}

/// Sleeps while the word is `value`; false after the timeout or a signal.
fn sleep(word: &AtomicU32, value: u32, wait: Duration) -> bool {
    let wait = libc::timespec {
        tv_sec: wait.as_secs() as libc::time_t,
        tv_nsec: wait.subsec_nanos() as libc::c_long,
    };
    // SAFETY: as above, and the timeout is a valid timespec.
    let woken =
        unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, value, &wait) };
    // The word had changed already (EAGAIN) or this thread was woken: read it again.
    woken == 0 || std::io::Error::last_os_error().raw_os_error() == Some(libc::EAGAIN)
}
