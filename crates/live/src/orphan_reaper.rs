//! A process that survives if odonata is killed, and then kills the rest of the job and removes its
//! temporary files. The kernel kills the ranks, but not the processes that they have started.
//!
//! It is a fork of this process and makes system calls only, because a fork of a process with
//! threads must not allocate or lock.

use crate::job::ENV_JOB;
use std::ffi::{CStr, CString, OsStr, c_int};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Scans of all processes after the death of the parent, until `QUIET_SCANS` in a row find none.
const MAX_SCANS: u32 = 200;
const QUIET_SCANS: u32 = 5;
const SCAN_INTERVAL_NS: i64 = 20_000_000;

pub(crate) struct OrphanReaper {
    pid: libc::pid_t,
    line: OwnedFd,
}

impl OrphanReaper {
    /// For the processes whose environment has `mark`. `store` is a directory to remove.
    pub fn new(mark: &OsStr, store: Option<&Path>) -> io::Result<OrphanReaper> {
        let entry = [ENV_JOB.as_bytes(), b"=", mark.as_bytes()].concat();
        let store = store.and_then(|dir| CString::new(dir.as_os_str().as_bytes()).ok());
        let mut fds = [0; 2];
        // SAFETY: room for two descriptors; the fork runs `watch_parent` and does not return.
        unsafe {
            if libc::pipe2(fds.as_mut_ptr(), libc::O_CLOEXEC) != 0 {
                return Err(io::Error::last_os_error());
            }
            let (far, line) = (OwnedFd::from_raw_fd(fds[0]), OwnedFd::from_raw_fd(fds[1]));
            match libc::fork() {
                0 => watch_parent(far.as_raw_fd(), &entry, store.as_deref()),
                -1 => Err(io::Error::last_os_error()),
                pid => Ok(OrphanReaper { pid, line }),
            }
        }
    }
}

impl Drop for OrphanReaper {
    /// The job has ended regularly: the reaper exits without a scan.
    fn drop(&mut self) {
        // SAFETY: plain system calls on a descriptor and child owned here.
        unsafe {
            libc::write(self.line.as_raw_fd(), b"q".as_ptr().cast(), 1);
            libc::waitpid(self.pid, std::ptr::null_mut(), 0);
        }
    }
}

/// Waits for a byte, which means the end of the job, or for the end of the parent.
unsafe fn watch_parent(line: c_int, entry: &[u8], store: Option<&CStr>) -> ! {
    // SAFETY: system calls only.
    unsafe {
        // Survives signals to the parent's process group and terminal.
        libc::setsid();
        let mut all = std::mem::zeroed();
        libc::sigfillset(&mut all);
        libc::sigprocmask(libc::SIG_BLOCK, &all, std::ptr::null_mut());
        libc::prctl(libc::PR_SET_NAME, c"odonata-keeper".as_ptr());
        // Closes inherited pipes, so that their readers see the end.
        libc::dup2(line, 0);
        if libc::syscall(libc::SYS_close_range, 1, u32::MAX, 0) != 0 {
            (1..libc::sysconf(libc::_SC_OPEN_MAX) as c_int).for_each(|fd| _ = libc::close(fd));
        }
        let mut word = 0u8;
        if libc::read(0, (&raw mut word).cast(), 1) == 1 {
            libc::_exit(0);
        }
        let mut quiet = 0;
        for _ in 0..MAX_SCANS {
            quiet = if kill_all(entry) == 0 { quiet + 1 } else { 0 };
            if quiet == QUIET_SCANS {
                break;
            }
            let pause = libc::timespec { tv_sec: 0, tv_nsec: SCAN_INTERVAL_NS };
            libc::nanosleep(&pause, std::ptr::null_mut());
        }
        if let Some(store) = store {
            let (rm, option, end) = (c"rm".as_ptr(), c"-rf".as_ptr(), c"--".as_ptr());
            let argv = [rm, option, end, store.as_ptr(), std::ptr::null()];
            let none = [std::ptr::null()];
            for rm in [c"/bin/rm", c"/usr/bin/rm"] {
                libc::execve(rm.as_ptr(), argv.as_ptr(), none.as_ptr());
            }
        }
        libc::_exit(0)
    }
}

/// Kills every process whose environment has `entry`; returns their number.
unsafe fn kill_all(entry: &[u8]) -> u32 {
    let mut killed = 0;
    let mut buffer = [0u64; 1024];
    // SAFETY: system calls only. `getdents64` fills the buffer with whole records, whose length is
    // at byte 16 and whose zero-terminated name is at byte 19 (getdents(2)).
    unsafe {
        let folder = libc::open(c"/proc".as_ptr(), libc::O_RDONLY | libc::O_DIRECTORY);
        if folder < 0 {
            return 0;
        }
        loop {
            let (at, room) = (buffer.as_mut_ptr().cast::<u8>(), size_of_val(&buffer));
            let n = libc::syscall(libc::SYS_getdents64, folder, at, room);
            if n <= 0 {
                break;
            }
            let mut i = 0;
            while i < n as usize {
                let record = at.add(i);
                i += record.add(16).cast::<u16>().read_unaligned() as usize;
                let name = CStr::from_ptr(record.add(19).cast());
                if let Some(pid) = number(name.to_bytes())
                    && has_variable(name.to_bytes(), entry)
                {
                    killed += u32::from(libc::kill(pid, libc::SIGKILL) == 0);
                }
            }
        }
        libc::close(folder);
    }
    killed
}

fn number(name: &[u8]) -> Option<libc::pid_t> {
    let mut value: libc::pid_t = 0;
    for &digit in name {
        if !digit.is_ascii_digit() {
            return None;
        }
        value = value.checked_mul(10)?.checked_add(libc::pid_t::from(digit - b'0'))?;
    }
    Some(value)
}

/// Whether the environment of the process `name` has `entry`. A zombie has none.
unsafe fn has_variable(name: &[u8], entry: &[u8]) -> bool {
    let mut path = [0u8; 40];
    let mut length = 0;
    for part in [b"/proc/", name, b"/environ"] {
        path[length..length + part.len()].copy_from_slice(part);
        length += part.len();
    }
    // SAFETY: the path is zero-terminated, because the longest process id leaves room.
    unsafe {
        let file = libc::open(path.as_ptr().cast(), libc::O_RDONLY);
        if file < 0 {
            return false;
        }
        let mut buffer = [0u8; 8192];
        // Matched bytes of the entry, and whether a variable starts here.
        let (mut matched, mut begins, mut found) = (0, true, false);
        loop {
            let n = libc::read(file, buffer.as_mut_ptr().cast(), buffer.len());
            if n <= 0 || found {
                break;
            }
            for &byte in &buffer[..n as usize] {
                if byte == 0 {
                    found |= !begins && matched == entry.len();
                    (matched, begins) = (0, true);
                    continue;
                }
                let on_the_way = begins || matched > 0;
                let same = on_the_way && entry.get(matched) == Some(&byte);
                matched = if same { matched + 1 } else { 0 };
                begins = false;
            }
        }
        libc::close(file);
        found
    }
}
