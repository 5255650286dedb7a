//! The ranks' processes: one process group per job, which is always ended and reaped.
//!
//! A child is reaped as soon as it has exited. Before the last one, the group is killed, while its
//! id cannot have been reused.

use crate::exec::Exec;
use crate::job::{JobProcesses, Subreaper};
use crate::launch::{LaunchError, LaunchSpec};
use crate::orphan_reaper::OrphanReaper;
use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Time for released ranks to exit by themselves before they are killed.
const GRACE: Duration = Duration::from_millis(100);
/// Longest wait for killed processes to end.
const KILL_TIMEOUT: Duration = Duration::from_millis(800);

/// How a process ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    Status(i32),
    Signal(i32),
    /// Killed by odonata at the end of the job.
    Ended,
}

pub(crate) struct Children {
    /// By rank; 0 once reaped.
    pids: Vec<libc::pid_t>,
    /// By rank, reaped or not.
    started: Vec<libc::pid_t>,
    group: libc::pid_t,
    /// The process that forks the ranks; 0 if there is none.
    forker: libc::pid_t,
    alive: u32,
    checks: u32,
    job: JobProcesses,
    _reaper: Subreaper,
    orphan_reaper: Option<OrphanReaper>,
}

impl Children {
    /// `store`: a directory that is removed if this process is killed.
    pub fn new(store: Option<&Path>) -> Children {
        let job = JobProcesses::new();
        // Optional: without it the job runs, but orphans may survive odonata.
        let orphan_reaper = OrphanReaper::new(&job.mark, store).ok();
        Children {
            pids: Vec::new(),
            started: Vec::new(),
            group: 0,
            forker: 0,
            alive: 0,
            checks: 0,
            job,
            _reaper: Subreaper::new(),
            orphan_reaper,
        }
    }

    /// Starts the next rank.
    pub fn spawn(
        &mut self,
        exec: &Exec,
        variables: &[(&str, OsString)],
        fd: i32,
        stdio: [Option<&OwnedFd>; 3],
    ) -> std::io::Result<()> {
        let pid = exec.start(variables, self.group, &[fd], stdio)?;
        self.adopt(pid);
        Ok(())
    }

    /// Starts the process that forks the ranks; they share its process group.
    pub fn spawn_forker(
        &mut self,
        exec: &Exec,
        fds: &[i32],
        stdio: [Option<&OwnedFd>; 3],
    ) -> std::io::Result<()> {
        self.forker = exec.start(&[], 0, fds, stdio)?;
        self.group = self.forker;
        Ok(())
    }

    /// The mark in the environment of the job's processes.
    pub fn mark(&self) -> &OsStr {
        &self.job.mark
    }

    /// Registers `pid` as the next rank.
    pub fn adopt(&mut self, pid: libc::pid_t) {
        if self.group == 0 {
            self.group = pid;
        }
        self.pids.push(pid);
        self.started.push(pid);
        self.alive += 1;
    }

    /// Waits for the end of the forker; its children then become those of this process.
    pub fn wait_for_forker(&mut self) -> Exit {
        let mut status = 0;
        // SAFETY: an unreaped child of this process.
        unsafe { libc::waitpid(self.forker, &mut status, 0) };
        self.forker = 0;
        exit_of(status)
    }

    pub fn alive(&self) -> u32 {
        self.alive
    }
    /// Whether `pid` is the process that odonata started for the rank, rather than a descendant.
    pub fn is_child(&self, rank: u32, pid: u32) -> bool {
        self.started[rank as usize] == pid as libc::pid_t
    }
    /// The process that was started for the rank.
    pub fn started(&self, rank: u32) -> u32 {
        self.started[rank as usize] as u32
    }
    /// Whether `pid` is a process of the job. In a container with its own PID namespace, the number
    /// may belong to another process.
    pub fn is_of_rank(&self, rank: u32, pid: u32) -> bool {
        self.is_child(rank, pid) || self.job.owns(pid as libc::pid_t)
    }
    pub fn is_alive(&self, rank: u32) -> bool {
        self.pids[rank as usize] != 0
    }

    /// Reaps the ranks that have exited since the last call; sorted by rank.
    pub fn exited(&mut self) -> Vec<(u32, Exit)> {
        let mut exits = Vec::new();
        while self.alive > 0 {
            // SAFETY: zeroed is a valid siginfo; the group is that of the children.
            let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
            let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
            let waited =
                unsafe { libc::waitid(libc::P_PGID, self.group as libc::id_t, &mut info, options) };
            // SAFETY: filled in by waitid, zero if no child has exited.
            let pid = unsafe { info.si_pid() };
            if waited != 0 || pid == 0 {
                // A child may have left the group for a session of its own: query each child every
                // 16th time, and when the group is empty.
                self.checks += 1;
                if waited != 0 || self.checks.is_multiple_of(16) {
                    self.exited_singly(&mut exits);
                }
                break;
            }
            self.reap(pid, &mut exits);
        }
        exits.sort_by_key(|e| e.0);
        exits
    }

    fn exited_singly(&mut self, exits: &mut Vec<(u32, Exit)>) {
        let pids: Vec<libc::pid_t> = self.pids.iter().copied().filter(|&p| p != 0).collect();
        for pid in pids {
            // SAFETY: as above.
            let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
            let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
            let waited =
                unsafe { libc::waitid(libc::P_PID, pid as libc::id_t, &mut info, options) };
            // SAFETY: as above.
            if waited == 0 && unsafe { info.si_pid() } == pid {
                self.reap(pid, exits);
            }
        }
    }

    /// Reaps an exited child: a rank, or an orphan of the job.
    fn reap(&mut self, pid: libc::pid_t, exits: &mut Vec<(u32, Exit)>) {
        let rank = self.pids.iter().position(|&p| p == pid);
        if self.alive == 1 && rank.is_some() {
            self.kill();
        }
        let mut status = 0;
        // SAFETY: `pid` has exited and is not reaped.
        unsafe { libc::waitpid(pid, &mut status, 0) };
        let Some(rank) = rank else { return };
        self.pids[rank] = 0;
        self.alive -= 1;
        exits.push((rank as u32, exit_of(status)));
    }

    fn kill(&self) {
        if self.group == 0 {
            return;
        }
        // SAFETY: plain system calls; the group has a member that is not reaped, so its id and
        // the ids of unreaped children are not reused.
        unsafe {
            libc::kill(-self.group, libc::SIGKILL);
            for &pid in self.pids.iter().filter(|&&p| p != 0) {
                libc::kill(pid, libc::SIGKILL);
            }
        }
    }

    /// Waits until a child may have exited, at most `wait`.
    pub fn wait(&self, wait: Duration) {
        let Some(&pid) = self.pids.iter().find(|&&p| p != 0) else { return };
        // SAFETY: plain system calls; the descriptor is closed here.
        unsafe {
            let fd = libc::syscall(libc::SYS_pidfd_open, pid, 0) as i32;
            let mut poll = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
            libc::poll(&mut poll, 1, wait.as_millis() as i32);
            if fd >= 0 {
                libc::close(fd);
            }
        }
    }

    /// Ends and reaps all children, then their orphans. Sleeping ranks have been released to exit
    /// by themselves, and get `GRACE` for it.
    pub fn end(&mut self) {
        let wall_start = Instant::now();
        while self.alive > 0 && wall_start.elapsed() < GRACE {
            if self.exited().is_empty() {
                self.wait(Duration::from_millis(5));
            }
        }
        if self.alive > 0 || self.forker != 0 {
            self.kill();
        }
        if self.forker != 0 {
            self.wait_for_forker();
        }
        while self.alive > 0 && wall_start.elapsed() < GRACE + KILL_TIMEOUT {
            if self.exited().is_empty() {
                self.wait(Duration::from_millis(5));
            }
        }
        if self.group != 0 {
            // Orphans in the group, which were killed with it.
            // SAFETY: reaps children of this process in the group of the job.
            while unsafe { libc::waitpid(-self.group, std::ptr::null_mut(), libc::WNOHANG) } > 0 {}
            self.group = 0;
            self.job.end(KILL_TIMEOUT);
        }
        self.orphan_reaper = None;
    }
}

impl Drop for Children {
    fn drop(&mut self) {
        if self.alive > 0 || self.forker != 0 {
            self.kill();
        }
        self.end();
    }
}

fn exit_of(status: i32) -> Exit {
    if libc::WIFSIGNALED(status) {
        Exit::Signal(libc::WTERMSIG(status))
    } else {
        Exit::Status(libc::WEXITSTATUS(status))
    }
}

/// The file to execute, found like by a shell.
pub(crate) fn resolve(spec: &LaunchSpec, words: &[OsString]) -> Result<PathBuf, LaunchError> {
    let Some(program) = words.first().filter(|p| !p.is_empty()) else {
        return Err(LaunchError::NoProgram);
    };
    let base = match &spec.wdir {
        Some(dir) if !dir.is_dir() => return Err(LaunchError::NoDirectory(dir.clone())),
        Some(dir) => absolute(dir),
        None => absolute(Path::new(".")),
    };
    if program.as_bytes().contains(&b'/') {
        let path = base.join(program);
        return match () {
            () if !path.exists() => {
                Err(LaunchError::NotFound { program: program.clone(), searched: None })
            }
            () if !is_executable(&path) => Err(LaunchError::NotExecutable(path)),
            () => Ok(path),
        };
    }
    let path = search_path(spec);
    let mut blocked = None;
    for dir in std::env::split_paths(&path) {
        let file = base.join(dir).join(program);
        if is_executable(&file) {
            return Ok(file);
        }
        if file.is_file() {
            blocked.get_or_insert(file);
        }
    }
    Err(match blocked {
        Some(file) => LaunchError::NotExecutable(file),
        None => LaunchError::NotFound { program: program.clone(), searched: Some(path) },
    })
}

fn search_path(spec: &LaunchSpec) -> OsString {
    let name = OsStr::new("PATH");
    let given = spec.env.iter().rev().find(|(k, _)| k == name).map(|(_, v)| v.clone());
    given.or_else(|| std::env::var_os(name)).unwrap_or_else(|| "/usr/bin:/bin".into())
}

fn absolute(dir: &Path) -> PathBuf {
    std::path::absolute(dir).unwrap_or_else(|_| dir.to_path_buf())
}

fn is_executable(path: &Path) -> bool {
    let Ok(name) = std::ffi::CString::new(path.as_os_str().as_bytes()) else { return false };
    // SAFETY: a zero-terminated path.
    path.is_file() && unsafe { libc::access(name.as_ptr(), libc::X_OK) } == 0
}
