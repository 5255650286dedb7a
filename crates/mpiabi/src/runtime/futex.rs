//! Futexes in the shared segment.

use std::sync::atomic::AtomicU32;

use super::LIFE_CHECK_S;

#[derive(PartialEq)]
pub(super) enum Woken {
    Woken,
    TimedOut,
}

pub(super) fn futex_wait(word: &AtomicU32, expected: u32) -> Woken {
    futex_wait_for(word, expected, libc::timespec { tv_sec: LIFE_CHECK_S, tv_nsec: 0 })
}
pub(super) fn futex_wait_for(word: &AtomicU32, expected: u32, limit: libc::timespec) -> Woken {
    // SAFETY: the word outlives the call. Not FUTEX_PRIVATE: the segment is shared.
    let answer = unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, expected, &limit, 0, 0)
    };
    if answer != 0 && std::io::Error::last_os_error().raw_os_error() == Some(libc::ETIMEDOUT) {
        Woken::TimedOut
    } else {
        Woken::Woken
    }
}

pub(super) fn futex_wake(word: &AtomicU32) {
    // SAFETY: the word outlives the call.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, 1, 0, 0, 0) };
}
