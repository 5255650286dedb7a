//! All processes of a job, including those that have left its process group. Each inherits a mark
//! in its environment, and becomes a child of this process when its parent ends (subreaper).

use crate::process::Stat;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Environment variable that marks the job's processes.
pub(crate) const ENV_JOB: &str = "ODONATA_JOB";

pub(crate) struct JobProcesses {
    pub mark: OsString,
}

impl JobProcesses {
    pub fn new() -> JobProcesses {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let (us, n) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        // Includes the time, because process ids are reused.
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let now = now.map_or(0, |d| d.as_nanos());
        JobProcesses { mark: format!("{us}.{n}.{now}").into() }
    }

    /// Whether a process has the mark.
    pub fn owns(&self, pid: libc::pid_t) -> bool {
        has_variable(pid, &self.entry())
    }

    fn entry(&self) -> Vec<u8> {
        [ENV_JOB.as_bytes(), b"=", self.mark.as_bytes()].concat()
    }

    /// Kills and reaps the children of this process that have the mark, until there are none: the
    /// children of a killed process become children of this one. The ranks have ended before.
    pub fn end(&self, timeout: Duration) {
        let wall_start = Instant::now();
        let entry = self.entry();
        loop {
            let left: Vec<libc::pid_t> =
                children().into_iter().filter(|&pid| has_variable(pid, &entry)).collect();
            if left.is_empty() || wall_start.elapsed() > timeout {
                return;
            }
            for pid in left {
                // SAFETY: a child that nothing else waits for, so its id is not reused.
                unsafe {
                    libc::kill(pid, libc::SIGKILL);
                    libc::waitpid(pid, std::ptr::null_mut(), 0);
                }
            }
        }
    }
}

/// Children of this process that have not exited.
fn children() -> Vec<libc::pid_t> {
    let us = std::process::id();
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.filter_map(|e| e.ok()?.file_name().to_str()?.parse().ok());
    pids.filter(|pid| parent(*pid) == Some(us)).collect()
}

/// The parent of a process that has not exited.
fn parent(pid: libc::pid_t) -> Option<u32> {
    Stat::of(&pid.to_string()).ok().filter(|stat| !stat.has_ended()).map(|stat| stat.parent)
}

fn has_variable(pid: libc::pid_t, entry: &[u8]) -> bool {
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment.split(|&b| b == 0).any(|e| e == entry)
}

/// While any of these lives, orphaned descendants become children of this process.
pub(crate) struct Subreaper(());

/// Number of live values, and the setting before the first of them.
static SUBREAPERS: Mutex<(u32, libc::c_int)> = Mutex::new((0, 0));

impl Subreaper {
    pub fn new() -> Subreaper {
        let mut all = SUBREAPERS.lock().unwrap_or_else(PoisonError::into_inner);
        if all.0 == 0 {
            // SAFETY: plain system calls; the first writes what was set.
            unsafe {
                libc::prctl(libc::PR_GET_CHILD_SUBREAPER, &mut all.1);
                libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1);
            }
        }
        all.0 += 1;
        Subreaper(())
    }
}

impl Drop for Subreaper {
    fn drop(&mut self) {
        let mut all = SUBREAPERS.lock().unwrap_or_else(PoisonError::into_inner);
        all.0 -= 1;
        if all.0 == 0 {
            // SAFETY: a plain system call.
            unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, all.1) };
        }
    }
}
