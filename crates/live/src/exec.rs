//! Starting a process at a cost that does not grow with our own memory: the child borrows it until
//! it executes the program, as in `posix_spawn`, which cannot do all that a rank needs.

use crate::{LaunchSpec, variables};
use std::ffi::{CString, OsStr, OsString, c_char, c_int, c_void};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Stack of a child until it executes the program: it makes a few system calls.
const STACK: usize = 64 << 10;

/// What all processes of a job are given.
pub(crate) struct Exec {
    program: CString,
    argv: Vec<CString>,
    env: Vec<CString>,
    wdir: Option<CString>,
    /// Limit of open files to give back, if ours was raised.
    pub limit: Option<libc::rlimit>,
}

impl Exec {
    /// `extra` goes before the launch's own environment, that before what the batch system says,
    /// `job`, and that before ours.
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

    /// Adds a variable that is not there.
    pub fn add(&mut self, key: &str, value: String) -> io::Result<()> {
        self.env.push(CString::new(format!("{key}={value}"))?);
        Ok(())
    }

    /// Starts a process in the process group `group` (0: its own) that keeps `fds` open, and has
    /// the given standard streams in place of ours. It dies with the thread that calls this.
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
        // SAFETY: the child runs `child_main` on a stack of its own and returns from it only by
        // execve or _exit, until when this thread is held (CLONE_VFORK) and what `child` points to
        // lives. All signals are blocked meanwhile: no handler of ours runs in the child.
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
        // SAFETY: written by the child before it let us go.
        let error = unsafe { (&raw const child.error).read_volatile() };
        if error != 0 {
            // SAFETY: our own child, which has exited.
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

/// The child until it is the program: system calls only, for the memory is its parent's.
extern "C" fn child_main(child: *mut c_void) -> c_int {
    // SAFETY: the parent's value, untouched while it is held.
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

/// Comes back only if something fails.
unsafe fn exec_program(child: &ChildStart) -> Option<()> {
    let ok = |answer: c_int| (answer >= 0).then_some(());
    // SAFETY: as above.
    unsafe {
        // What Python ignores, a program does not expect to be ignored.
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        libc::signal(libc::SIGXFSZ, libc::SIG_DFL);
        for (number, &fd) in (0..).zip(&child.stdio) {
            if fd == number {
                ok(libc::fcntl(fd, libc::F_SETFD, 0))?;
            } else if fd >= 0 {
                ok(libc::dup2(fd, number))?;
            }
        }
        // These descriptors are for ranks alone: every other process we may start meanwhile does
        // not get them.
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
