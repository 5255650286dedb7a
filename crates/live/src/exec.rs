//! Starts a process at a cost that is independent of the memory of this one. The child shares that
//! memory until it executes the program, as in `posix_spawn`, which lacks settings that ranks need.

use crate::launch::LaunchSpec;
use crate::variables;
use std::ffi::{CString, OsStr, OsString, c_char, c_int, c_void};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Stack of a child until it executes the program, in bytes: it makes a few system calls.
const STACK: usize = 64 << 10;

/// Program, arguments and settings of all processes of a job.
pub(crate) struct Exec {
    program: CString,
    argv: Vec<CString>,
    env: Vec<CString>,
    wdir: Option<CString>,
    /// Limit of open files to restore in the child, if this process has raised its own.
    pub limit: Option<libc::rlimit>,
}

impl Exec {
    /// Precedence of variables, highest first: `extra`, the user's `spec.env`, those of the batch
    /// system in `job`, the environment of this process.
    pub fn new<'a>(
        spec: &'a LaunchSpec,
        program: &Path,
        words: &[OsString],
        job: &'a [(&'a str, OsString)],
        extra: &'a [(&'a str, OsString)],
    ) -> io::Result<Exec> {
        let given = spec.env.iter().map(|(k, v)| (k.as_os_str(), v.as_os_str()));
        let pairs = |all: &'a [(&'a str, OsString)]| {
            all.iter().map(|(k, v)| (OsStr::new(*k), v.as_os_str()))
        };
        let mut env: Vec<(OsString, OsString)> = std::env::vars_os().collect();
        env.retain(|(k, _)| !spec.env_remove.contains(k) && !variables::is_launchers(k));
        for (key, value) in pairs(job).chain(given).chain(pairs(extra)) {
            env.retain(|(k, _)| k != key);
            env.push((key.into(), value.into()));
        }
        let text = |bytes: &[u8]| CString::new(bytes).map_err(io::Error::from);
        Ok(Exec {
            program: text(program.as_os_str().as_bytes())?,
            argv: words.iter().map(|w| text(w.as_bytes())).collect::<io::Result<_>>()?,
            env: env
                .iter()
                .map(|(k, v)| text(&[k.as_bytes(), b"=", v.as_bytes()].concat()))
                .collect::<io::Result<_>>()?,
            wdir: match &spec.wdir {
                Some(dir) => Some(text(dir.as_os_str().as_bytes())?),
                None => None,
            },
            limit: None,
        })
    }

    /// Adds a variable, which must not exist yet.
    pub fn add(&mut self, key: &str, value: String) -> io::Result<()> {
        self.env.push(CString::new(format!("{key}={value}"))?);
        Ok(())
    }

    /// Starts a process in the process group `group` (0: its own) that inherits `fds` and the given
    /// standard streams (none: those of this process). It dies with the calling thread.
    pub fn start(
        &self,
        more: &[(&str, OsString)],
        group: libc::pid_t,
        fds: &[c_int],
        stdio: [Option<&OwnedFd>; 3],
    ) -> io::Result<libc::pid_t> {
        let more: Vec<CString> = more
            .iter()
            .map(|(k, v)| CString::new([k.as_bytes(), b"=", v.as_bytes()].concat()))
            .collect::<Result<_, _>>()?;
        let pointers = |texts: &mut dyn Iterator<Item = &CString>| -> Vec<*const c_char> {
            texts.map(|t| t.as_ptr()).chain([std::ptr::null()]).collect()
        };
        let argv = pointers(&mut self.argv.iter());
        let envp = pointers(&mut self.env.iter().chain(&more));
        let mut child = ChildStart {
            program: self.program.as_ptr(),
            argv: argv.as_ptr(),
            envp: envp.as_ptr(),
            wdir: self.wdir.as_ref().map_or(std::ptr::null(), |d| d.as_ptr()),
            limit: self.limit,
            parent: std::process::id() as libc::pid_t,
            group,
            fds,
            stdio: stdio.map(|fd| fd.map_or(-1, AsRawFd::as_raw_fd)),
            error: 0,
        };
        let mut stack = vec![0u128; STACK / size_of::<u128>()];
        let top = stack.as_mut_ptr_range().end;
        // SAFETY: the child runs `child_main` on a stack of its own and leaves it only by execve or
        // _exit. Until then this thread is suspended (CLONE_VFORK) and the targets of `child` live.
        // All signals are blocked meanwhile, so no handler of this process runs in the child.
        let pid = unsafe {
            let (mut all, mut before) = (std::mem::zeroed(), std::mem::zeroed());
            libc::sigfillset(&mut all);
            libc::pthread_sigmask(libc::SIG_BLOCK, &all, &mut before);
            let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
            let pid = libc::clone(child_main, top.cast(), flags, (&raw mut child).cast());
            let error = io::Error::last_os_error();
            libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut());
            if pid < 0 {
                return Err(error);
            }
            pid
        };
        // SAFETY: written by the child before this thread resumed.
        let error = unsafe { (&raw const child.error).read_volatile() };
        if error != 0 {
            // SAFETY: a child of this process that has exited.
            unsafe { libc::waitpid(pid, std::ptr::null_mut(), 0) };
            return Err(io::Error::from_raw_os_error(error));
        }
        Ok(pid)
    }
}

struct ChildStart<'a> {
    program: *const c_char,
    argv: *const *const c_char,
    envp: *const *const c_char,
    wdir: *const c_char,
    limit: Option<libc::rlimit>,
    parent: libc::pid_t,
    group: libc::pid_t,
    fds: &'a [c_int],
    stdio: [c_int; 3],
    error: c_int,
}

/// Runs in the child until execve: system calls only, because the memory is its parent's.
extern "C" fn child_main(child: *mut c_void) -> c_int {
    // SAFETY: the parent's value; the parent is suspended.
    let child = unsafe { &mut *child.cast::<ChildStart>() };
    // SAFETY: plain system calls on what the parent prepared.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        if libc::getppid() != child.parent {
            libc::_exit(128 + libc::SIGKILL);
        }
        libc::setpgid(0, child.group);
        if exec_program(child).is_none() {
            child.error = *libc::__errno_location();
        }
        libc::_exit(127)
    }
}

/// Returns only on failure.
unsafe fn exec_program(child: &ChildStart) -> Option<()> {
    let ok = |answer: c_int| (answer >= 0).then_some(());
    // SAFETY: as above.
    unsafe {
        // Python ignores these signals; programs expect the default.
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        libc::signal(libc::SIGXFSZ, libc::SIG_DFL);
        for (number, &fd) in (0..).zip(&child.stdio) {
            if fd == number {
                ok(libc::fcntl(fd, libc::F_SETFD, 0))?;
            } else if fd >= 0 {
                ok(libc::dup2(fd, number))?;
            }
        }
        // These descriptors are inherited by ranks only, not by other processes that this one
        // may start.
        for &fd in child.fds {
            ok(libc::fcntl(fd, libc::F_SETFD, 0))?;
        }
        if !child.wdir.is_null() {
            ok(libc::chdir(child.wdir))?;
        }
        if let Some(limit) = &child.limit {
            libc::setrlimit(libc::RLIMIT_NOFILE, limit);
        }
        let mut none = std::mem::zeroed();
        libc::sigemptyset(&mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &none, std::ptr::null_mut());
        libc::execve(child.program, child.argv, child.envp);
    }
    None
}
