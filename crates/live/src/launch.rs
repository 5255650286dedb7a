//! The parameters of a launch, and its errors.

use crate::file_store::FileSystems;
use base::Span;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// Location of one rank on the simulated machine.
#[derive(Clone, Debug, PartialEq)]
pub struct RankLocation {
    /// Index of the node within the job.
    pub node: u32,
    /// Result of `MPI_Get_processor_name`.
    pub node_name: String,
    pub local_rank: u32,
    /// Number of the job's ranks on the node.
    pub local_size: u32,
}

/// Progress of the start: existing processes, and ranks that have called `MPI_Init`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    pub started: u32,
    pub attached: u32,
    pub ranks: u32,
}

/// The launcher whose variables the ranks get, besides those of PMI.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Launcher {
    /// HPE's `mpiexec` under PBS, as on Aurora.
    Pals,
    /// `srun`, as on Frontier and LUMI.
    Slurm,
}

pub struct LaunchSpec {
    /// The program and its arguments. It is found like by a shell, with `wdir` as the current
    /// directory.
    pub program: Vec<OsString>,
    /// Command of the process from which all ranks are forked (see `warm`), if the program allows
    /// that: a Python interpreter and its script.
    pub warm: Option<Vec<OsString>>,
    /// Added to the environment of this process; later ones take precedence.
    pub env: Vec<(OsString, OsString)>,
    pub env_remove: Vec<OsString>,
    pub wdir: Option<PathBuf>,
    pub ranks: u32,
    /// The launcher whose variables the ranks get. Those of a launcher that started odonata itself
    /// are not passed on.
    pub launcher: Launcher,
    /// Index among the jobs that run together.
    pub job: u32,
    /// Cores of a simulated node, for the variables of the batch system.
    pub cores: u32,
    /// One per rank.
    pub locations: Vec<RankLocation>,
    /// Simulated nodes the job uses.
    pub nodes: u32,
    /// Simulated seconds charged per second of a thread's CPU time between MPI calls; `None`: not
    /// charged.
    pub compute_factor: Option<f64>,
    /// Whether each line of output starts with `[rank] `, as by `mpiexec -l`.
    pub label: bool,
    pub machine: String,
    pub library_version: String,
    /// The library whose argument checks apply: `wire::checks`.
    pub checks: u32,
    pub tag_ub: i32,
    /// Largest tag that is accepted.
    pub tag_max: i32,
    /// Standard sends of up to this many bytes are eager on every path.
    pub eager_max: u64,
    /// Sends of up to this many bytes need no request of the library.
    pub inject_max: u64,
    /// Cost of a call of `MPI_Wtime`, so that a loop around it ends.
    pub clock_tick: Span,
    /// Duration of the first unsuccessful poll (`MPI_Test`, `MPI_Iprobe`).
    pub poll_interval: Span,
    /// Collectives that start with a barrier, one bit per kind: see `Overrides::synchronized`.
    pub synchronized: u32,
    /// Number of hand-overs of unsuccessful polls, with nothing else pending, that are a livelock.
    /// Counted over all ranks, with at least min(20,000, this number) of polls per rank.
    pub livelock_polls: u64,
    /// Longest idle wall-clock time of ranks that are blocked outside MPI, when no other rank can
    /// continue.
    pub idle_timeout: Duration,
    pub file_systems: FileSystems,
    /// Called with the progress of the start.
    pub progress: Option<Box<dyn FnMut(Progress)>>,
}

/// Why a launch failed. All started processes have been ended.
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
    /// The number of locations is not that of the ranks, or there are no ranks, or too many.
    Locations {
        ranks: u32,
        locations: usize,
    },
    SharedMemory(std::io::Error),
    /// The directory with the contents of the simulated file systems.
    Store(std::io::Error),
    /// A limit of this process is too small for the job's shared memory; in bytes.
    Space {
        what: &'static str,
        /// Option of the shell's `ulimit`.
        option: &'static str,
        need: u64,
        limit: u64,
    },
    /// More processes than process ids, or than idle processes that fit into memory.
    Capacity {
        what: &'static str,
        need: u64,
        free: u64,
    },
    /// More open files than this process may have.
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
            LaunchError::Store(error) => {
                write!(f, "no directory for the files of the simulated file systems: {error}")
            }
            LaunchError::Space { what, option, need, limit } => write!(
                f,
                "these ranks need {} KiB of {what} in each process, but the limit is {} KiB: set \
                 it to {} or more (`ulimit {option}`), or use fewer ranks",
                need.div_ceil(1024),
                limit / 1024,
                need.div_ceil(1024),
            ),
            LaunchError::Capacity { what, need, free } => {
                write!(f, "these ranks need {need} {what}, but only {free} are free")
            }
            LaunchError::Descriptors { need, may } => write!(
                f,
                "labeled output of these ranks needs {need} open files, but the limit is {may} \
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

/// Most ranks of a job. kernel.pid_max is 32,768 on most systems; contexts and regions allow more.
pub(crate) const MAX_RANKS: u32 = 1 << 16;
