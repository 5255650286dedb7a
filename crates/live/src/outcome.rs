//! Results of a live job: plain data.

use crate::children::Exit;
use crate::files::FileCounts;
use base::{Span, Time};
use std::fmt;
use workload::wire;

/// One MPI function of one rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FunctionRow {
    /// Index in the interface table; 0 is the time between calls.
    pub function: u32,
    /// Not counted for function 0.
    pub calls: u64,
    /// Simulated time from the end of the call's CPU time to its return.
    pub blocked: Span,
    /// Bytes contributed to sends and collectives.
    pub bytes: u64,
}

/// Composition of one rank's simulated time: the three spans add up to `end`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct RankOutcome {
    /// Computation, charged between MPI calls.
    pub compute: Span,
    /// Blocked before the other side was ready.
    pub waiting: Span,
    /// Blocked after that, and the CPU time of MPI itself.
    pub transfer: Span,
    /// Time of its last release or of its end.
    pub end: Time,
    /// Its private memory in bytes at `MPI_Init` and at the peak; none if unknown.
    pub memory: Option<(u64, u64)>,
    /// Sorted by function.
    pub functions: Vec<FunctionRow>,
}

/// How the ranks' processes were started.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Start {
    /// They were forked from one process.
    pub forked: bool,
    /// Why they were not forked, though the launch requested it.
    pub fork_refusal: Option<String>,
    /// Wall-clock seconds until every rank had called MPI or ended.
    pub wall_s: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LiveOutcome {
    /// Exit code of the job: the code of an abort, else 128 plus the signal that ended a rank, else
    /// the first nonzero status in rank order.
    pub exit_code: i32,
    pub interrupted: bool,
    pub start: Start,
    /// By rank.
    pub exits: Vec<Exit>,
    pub ranks: Vec<RankOutcome>,
    pub mpi_calls: u64,
    /// Calls that handed over. A call with several hand-overs counts as often, up to the number of
    /// calls of its function.
    pub blocking_calls: u64,
    /// Hand-overs, in calls and between them.
    pub hand_overs: u64,
    /// Point-to-point messages of the program, and their bytes.
    pub messages: u64,
    pub bytes: u64,
    /// Ranks that exited with status 0 without `MPI_Finalize`.
    pub unfinalized: Vec<u32>,
    /// Ranks that were blocked outside MPI, and the system call in which each was first found.
    pub outside_mpi: Vec<(u32, String)>,
    /// Erroneous usage that the simulated library accepts, by kind (`wire::accepted`): the first
    /// rank, and the function.
    pub accepted: [Option<(u32, u32)>; wire::accepted::KINDS],
    /// The failure of a rank that ended the job.
    pub failure: Option<Failure>,
    pub files: FileCounts,
    /// By simulated file system.
    pub file_traffic: Vec<FileTraffic>,
}

impl LiveOutcome {
    /// End of the last rank.
    pub fn end(&self) -> Time {
        self.ranks.iter().map(|r| r.end).max().unwrap_or(Time::ZERO)
    }
}

/// Calls and bytes of one file system.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FileTraffic {
    pub file_system: u8,
    pub calls: u64,
    pub bytes_read: u64,
    pub bytes_written: u64,
    /// Sum over the calls.
    pub time: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    pub rank: u32,
    pub node: String,
    /// The MPI call that failed, or the last one.
    pub call: Option<String>,
    /// Where the process was when it ended: "in MPI_Send".
    pub place: Option<String>,
    pub why: FailureCause,
}

#[derive(Clone, Debug, PartialEq)]
pub enum FailureCause {
    Signal(i32),
    /// The process exited between `MPI_Init` and `MPI_Finalize`.
    ExitedEarly {
        status: i32,
    },
    /// The process ended inside MPI, under a wrapper that goes on and hides the cause.
    EndedUnderWrapper,
    /// The process exited without `MPI_Init`, which `other` has called.
    NeverInitialized {
        status: i32,
        other: u32,
    },
    Abort {
        code: i32,
    },
    /// Its MPI library ended it for a tag above its bound.
    Tag {
        tag: i32,
        bound: i32,
        code: i32,
    },
    /// It accesses the memory of a rank that has left MPI.
    TargetFinalized {
        target: u32,
    },
    /// It accesses the memory of a rank that is blocked outside MPI.
    TargetBlocked {
        target: u32,
    },
    /// It and `others` more ranks are blocked in the kernel outside MPI, and no rank can continue.
    BlockedOutsideMpi {
        call: String,
        others: usize,
    },
    /// All ranks have only polled without success since `since`.
    Livelock {
        since: Time,
        now: Time,
    },
    /// The real disk below the store refuses a call, with this errno.
    StoreFull {
        error: i32,
    },
    /// Mismatch of a collective or a communicator between ranks.
    Mismatch(String),
    /// The rank's process violated the protocol of `wire`, or the simulator is inconsistent.
    Protocol(String),
}

impl Failure {
    /// The exit code of the job.
    pub fn exit_code(&self) -> i32 {
        match self.why {
            FailureCause::Signal(signal) => 128 + signal,
            // An exit code has eight bits; an abort is never a success.
            FailureCause::Abort { code } | FailureCause::Tag { code, .. } if code & 0xff == 0 => 1,
            FailureCause::Abort { code } | FailureCause::Tag { code, .. } => code & 0xff,
            FailureCause::ExitedEarly { status }
            | FailureCause::NeverInitialized { status, .. }
                if status != 0 =>
            {
                status
            }
            _ => 1,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {} on {} ", self.rank, self.node)?;
        match &self.why {
            FailureCause::Signal(signal) => write!(f, "was killed by {}", signal_name(*signal))?,
            FailureCause::ExitedEarly { status } => {
                write!(f, "exited with status {status} without MPI_Finalize")?;
            }
            FailureCause::EndedUnderWrapper => {
                write!(f, "ended inside MPI; its wrapper program is still running")?;
            }
            FailureCause::NeverInitialized { status, other } => write!(
                f,
                "exited with status {status} before MPI_Init, which rank {other} has called"
            )?,
            FailureCause::Abort { code } => write!(f, "called MPI_Abort with code {code}")?,
            // Returns here: the call with the tag did not reach the simulator.
            FailureCause::Tag { tag, bound, .. } => {
                return write!(f, "used tag {tag}: MPI_TAG_UB is {bound}");
            }
            FailureCause::TargetFinalized { target } => {
                write!(f, "accesses the memory of rank {target}, which has left MPI_Finalize")?
            }
            FailureCause::TargetBlocked { target } => write!(
                f,
                "accesses the memory of rank {target}, which is blocked in the kernel outside MPI"
            )?,
            FailureCause::BlockedOutsideMpi { call, others } => {
                write!(f, "is blocked outside MPI in {call}, and no rank can continue")?;
                match others {
                    0 => {}
                    1 => write!(f, "; 1 more rank is blocked outside MPI")?,
                    n => write!(f, "; {n} more ranks are blocked outside MPI")?,
                }
            }
            FailureCause::Livelock { since, now } => write!(
                f,
                "and others poll without success: no other event since {since}, now {now}"
            )?,
            FailureCause::StoreFull { error } => write!(
                f,
                "needs more space than the real disk has for simulated files ({}): choose another \
                 disk with --keep DIR or TMPDIR",
                std::io::Error::from_raw_os_error(*error)
            )?,
            FailureCause::Mismatch(what) | FailureCause::Protocol(what) => write!(f, "{what}")?,
        }
        match (&self.place, &self.call) {
            (Some(place), _) => write!(f, " {place}"),
            (None, Some(call)) => write!(f, "; its last MPI call: {call}"),
            (None, None) => Ok(()),
        }
    }
}

fn signal_name(signal: i32) -> String {
    let name = match signal {
        libc::SIGHUP => "SIGHUP",
        libc::SIGINT => "SIGINT",
        libc::SIGQUIT => "SIGQUIT",
        libc::SIGILL => "SIGILL",
        libc::SIGTRAP => "SIGTRAP",
        libc::SIGABRT => "SIGABRT",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGKILL => "SIGKILL",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGPIPE => "SIGPIPE",
        libc::SIGALRM => "SIGALRM",
        libc::SIGTERM => "SIGTERM",
        libc::SIGXCPU => "SIGXCPU",
        libc::SIGSYS => "SIGSYS",
        _ => return format!("signal {signal}"),
    };
    format!("signal {signal} ({name})")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An exit code has eight bits, and an abort is never a success.
    #[test]
    fn an_abort_is_seen_as_a_failure_whatever_its_code() {
        for (code, seen) in [(3, 3), (0, 1), (256, 1), (512 + 7, 7), (-1, 255)] {
            let why = FailureCause::Abort { code };
            let failure = Failure { rank: 0, node: String::new(), call: None, place: None, why };
            assert_eq!(failure.exit_code(), seen, "{code}");
        }
    }
}
