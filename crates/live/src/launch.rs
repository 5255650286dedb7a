//! What a job is launched from, and what can be wrong with it.

use crate::Launcher;
use base::Span;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// Where one rank sits on the simulated machine.
#[derive(Clone, Debug, PartialEq)]
pub struct RankLocation {
    /// Index of the node among those of the job.
    pub node: u32,
    /// What `MPI_Get_processor_name` answers.
    pub node_name: String,
    pub local_rank: u32,
    /// How many ranks of the job share the node.
    pub local_size: u32,
}

/// How far the start has come: processes that exist, and ranks that have called `MPI_Init`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    pub started: u32,
    pub attached: u32,
    pub ranks: u32,
}

pub struct LaunchSpec {
    /// The program and its arguments, found as a shell would (`wdir` counting as the current
    /// directory).
    pub program: Vec<OsString>,
    /// How to start the one process from which all ranks are forked, if the program can be served
    /// that way (see `warm`): a Python interpreter and what it is to run.
    pub warm: Option<Vec<OsString>>,
    /// Added to our own environment, later ones win.
    pub env: Vec<(OsString, OsString)>,
    pub env_remove: Vec<OsString>,
    pub wdir: Option<PathBuf>,
    pub ranks: u32,
    /// Whose variables tell a rank who it is. Those of a launcher we run under ourselves are not
    /// passed on.
    pub launcher: Launcher,
    /// Which of the jobs that run side by side it is.
    pub job: u32,
    /// Cores of a simulated node, as the batch system tells of them.
    pub cores: u32,
    /// One a rank.
    pub locations: Vec<RankLocation>,
    /// Simulated nodes the job uses.
    pub nodes: u32,
    /// Simulated time a second of a thread's CPU time between MPI calls is charged as; `None`: such
    /// time is not charged.
    pub compute_factor: Option<f64>,
    /// `[rank] ` before every line of output, as `mpiexec -l` does.
    pub label: bool,
    pub machine: String,
    pub library_version: String,
    /// Whose argument checks the library follows: `wire::checks`.
    pub checks: u32,
    pub tag_ub: i32,
    /// The largest tag that is no error.
    pub tag_max: i32,
    /// Standard sends up to this many bytes complete without their receiver, wherever they go.
    pub eager_max: u64,
    /// Sends up to this many bytes for which the library needs no request.
    pub inject_max: u64,
    /// What a call of `MPI_Wtime` costs, so that a loop around it ends.
    pub clock_tick: Span,
    /// How long the first unsuccessful poll (`MPI_Test`, `MPI_Iprobe`) holds its rank.
    pub poll_interval: Span,
    /// Collectives that begin with a barrier, one bit per kind: see `Overrides::synchronized`.
    pub synchronized: u32,
    /// Hand-overs of polls in vain with nothing else due that make a livelock: over all ranks, but
    /// no rank has fewer polls for itself than 20,000 or as many as this.
    pub livelock_polls: u64,
    /// How long ranks that are blocked outside MPI may do nothing when no other rank can go on, in
    /// time of the wall clock.
    pub idle_timeout: Duration,
    /// Told how the start goes on.
    pub progress: Option<Box<dyn FnMut(Progress)>>,
}

/// Why nothing runs. All processes that had been started are gone again.
#[derive(Debug)]
pub enum LaunchError {
    NoProgram,
    /// `searched`: the PATH, if the program was named without a directory.
    NotFound {
        program: OsString,
        searched: Option<OsString>,
    },
    NotExecutable(PathBuf),
    NoDirectory(PathBuf),
    /// The list of seats is not one a rank, or there are no ranks, or too many.
    Locations {
        ranks: u32,
        locations: usize,
    },
    SharedMemory(std::io::Error),
    /// A limit of this process leaves no room for the job's shared memory, in bytes.
    Space {
        what: &'static str,
        /// Of the shell's `ulimit`.
        option: &'static str,
        need: u64,
        limit: u64,
    },
    /// More processes than the kernel numbers, or than fit into memory even if they did nothing.
    Capacity {
        what: &'static str,
        need: u64,
        free: u64,
    },
    /// More open files than we may have.
    Descriptors {
        need: u64,
        may: u64,
    },
    Spawn {
        rank: u32,
        ranks: u32,
        error: std::io::Error,
    },
    Interrupted,
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LaunchError::NoProgram => write!(f, "no program to run was named"),
            LaunchError::NotFound { program, searched: Some(path) } => {
                let (program, path) = (program.display(), path.display());
                write!(f, "program `{program}` was not found in PATH ({path})")
            }
            LaunchError::NotFound { program, searched: None } => {
                write!(f, "program `{}` does not exist", program.display())
            }
            LaunchError::NotExecutable(path) => {
                write!(f, "program `{}` is not an executable file", path.display())
            }
            LaunchError::NoDirectory(path) => {
                write!(f, "working directory `{}` does not exist", path.display())
            }
            LaunchError::Locations { ranks, locations } => {
                write!(
                    f,
                    "{locations} rank locations for {ranks} ranks; a job has 1 to {MAX_RANKS} ranks"
                )
            }
            LaunchError::SharedMemory(error) => {
                write!(f, "no shared memory for the job: {error}")
            }
            LaunchError::Space { what, option, need, limit } => write!(
                f,
                "so many ranks need {} KiB of {what} in each process, but the limit is {} KiB: set \
                 it to {} or more (`ulimit {option}`), or use fewer ranks",
                need.div_ceil(1024),
                limit / 1024,
                need.div_ceil(1024),
            ),
            LaunchError::Capacity { what, need, free } => {
                write!(f, "so many ranks need {need} {what}, but only {free} are free")
            }
            LaunchError::Descriptors { need, may } => write!(
                f,
                "labeled output of so many ranks needs {need} open files, but we may have {may} \
                 (see `ulimit -Hn`)"
            ),
            LaunchError::Spawn { rank, ranks, error } => {
                write!(f, "rank {rank} of {ranks} could not be started: {error}")?;
                match error.raw_os_error() {
                    Some(libc::EAGAIN) => write!(f, " (see `ulimit -u` and kernel.pid_max)"),
                    Some(libc::ENOEXEC) => {
                        write!(f, " (a script begins with a line like `#!/bin/sh`)")
                    }
                    Some(libc::EMFILE | libc::ENFILE) => write!(f, " (see `ulimit -n`)"),
                    _ => Ok(()),
                }
            }
            LaunchError::Interrupted => write!(f, "interrupted while the ranks were being started"),
        }
    }
}

impl std::error::Error for LaunchError {}

/// Kernel.pid_max is 32,768 on most systems; contexts and regions reach further.
pub(crate) const MAX_RANKS: u32 = 1 << 16;
