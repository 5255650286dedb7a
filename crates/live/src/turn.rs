//! Giving turns and waiting until all of them have come back.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use workload::wire::{Segment, presence};

/// Looks at `running` before sleeping, when few ranks are out: long enough to outlast the 24-30 us
/// that waking a rank on another core takes. Against 400 looks, ping-pong on two cores went from
/// 37,000 to 58,000 receives a second.
const SPINS: u32 = 4000;
/// Waits without looking after looking was in vain again and again: on a busy machine the rank
/// needs the core we would be looking on (measured: 6.7 us a hand-over asleep, 12.8 us looking).
const MAX_SKIPPED_SPINS: u32 = 1023;

/// The two futexes of the wire, seen from the simulator.
pub(crate) struct Turns {
    segment: Segment,
    /// Ranks that can run at once beside us: with more out than that, looking steals their time.
    spare: u32,
    /// Waits yet to pass without looking, and how many there will be after looking in vain.
    skip: u32,
    skips: u32,
}

impl Turns {
    pub fn new(segment: Segment) -> Turns {
        let cpus = std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
        Turns { segment, spare: cpus - 1, skip: 0, skips: 0 }
    }

    pub fn running(&self) -> &AtomicU32 {
        // SAFETY: the header lives as long as the mapping, and `running` is shared as an atomic.
        unsafe { &(*self.segment.header()).running }
    }
    pub fn turn(&self, rank: u32) -> &AtomicU32 {
        // SAFETY: as above.
        unsafe { &(*self.segment.control(rank)).turn }
    }

    /// See `Header::wake_requests`.
    pub fn wake_requests(&self) -> &AtomicU32 {
        // SAFETY: as above.
        unsafe { &(*self.segment.header()).wake_requests }
    }
    /// Sleeps until a rank knocks, at most `wait`.
    pub fn await_wake_request(&self, wait: Duration) {
        sleep(self.wake_requests(), 0, wait);
    }

    /// Lets `rank` go. It has been counted in `running`, if it is to be.
    pub fn give(&self, rank: u32) {
        let turn = self.turn(rank);
        // SAFETY: as above.
        let word = unsafe { &(*self.segment.control(rank)).presence };
        word.store(presence::COUNTED, Ordering::Relaxed);
        turn.store(1, Ordering::Release);
        wake(turn);
    }

    /// Whether all are back within `wait`.
    pub fn all_back(&mut self, wait: Duration) -> bool {
        if self.running().load(Ordering::Acquire) <= self.spare && self.spin_until_back() {
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
    fn spin_until_back(&mut self) -> bool {
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
    // SAFETY: the word outlives the call. Not the private kind: the sleeper is another process.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, 1) };
}

/// Sleeps while the word is `value`; false if `wait` is over or a signal came.
fn sleep(word: &AtomicU32, value: u32, wait: Duration) -> bool {
    let wait = libc::timespec {
        tv_sec: wait.as_secs() as libc::time_t,
        tv_nsec: wait.subsec_nanos() as libc::c_long,
    };
    // SAFETY: as above, and the timeout is a valid timespec.
    let woken =
        unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, value, &wait) };
    // The word has changed (EAGAIN) or changed and we were woken: look again.
    woken == 0 || std::io::Error::last_os_error().raw_os_error() == Some(libc::EAGAIN)
}
