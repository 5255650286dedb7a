//! What came of a live job: plain data.

use crate::{Exit, FilesSeen};
use base::{Span, Time};
use std::fmt;
use workload::wire;

/// One MPI function of one rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FunctionRow {
    /// Index in the interface table; 0 is the time between calls.
    pub function: u32,
    /// None of 0.
    pub calls: u64,
    /// Simulated time between the rank's CPU being through with the call and its return.
    pub blocked: Span,
    /// Contributed to sends and collectives.
    pub bytes: u64,
}

/// Where one rank's simulated time went: the three add up to `end`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct RankOutcome {
    /// Charged between MPI calls.
    pub compute: Span,
    /// Blocked before the other side was ready.
    pub waiting: Span,
    /// Blocked after that, and the CPU time of MPI itself.
    pub transfer: Span,
    /// When it was last released or left MPI.
    pub end: Time,
    /// Bytes of memory of its own that it had when it came to MPI, and at its most; none if it
    /// could not tell.
    pub memory: Option<(u64, u64)>,
    /// By function.
    pub functions: Vec<FunctionRow>,
}

/// How the ranks' processes came to be.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Start {
    /// They are copies of one process.
    pub forked: bool,
    /// Why they are not, though that was asked for.
    pub fork_refusal: Option<String>,
    /// Seconds of the wall clock until every rank had called MPI or ended.
    pub wall_s: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LiveOutcome {
    /// What a shell should see: the code of an abort, else 128 plus a signal that ended a rank,
    /// else the first rank's status that is not zero.
    pub exit_code: i32,
    pub interrupted: bool,
    pub start: Start,
    /// By rank.
    pub exits: Vec<Exit>,
    pub ranks: Vec<RankOutcome>,
    pub mpi_calls: u64,
    /// Of these, the ones in which a rank gave its turn away; a call that did so several times
    /// counts as often, up to how many there were of its function.
    pub blocking_calls: u64,
    /// How often ranks gave their turns away, in calls and between them.
    pub hand_overs: u64,
    /// Point-to-point messages the program sent, and their bytes.
    pub messages: u64,
    pub bytes: u64,
    /// Ranks that exited with status 0 without `MPI_Finalize`.
    pub unfinalized: Vec<u32>,
    /// Ranks that waited for each other outside MPI, and the system call they were first found in.
    pub outside_mpi: Vec<(u32, String)>,
    /// What the MPI standard forbids and the simulated library accepts, by kind
    /// (`wire::accepted`): the first rank that did it, and in which function.
    pub accepted: [Option<(u32, u32)>; wire::accepted::KINDS],
    /// Why the job was ended from inside.
    pub failure: Option<Failure>,
    pub files: FilesSeen,
}

impl LiveOutcome {
    /// When the last rank left.
    pub fn end(&self) -> Time {
        self.ranks.iter().map(|r| r.end).max().unwrap_or(Time::ZERO)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    pub rank: u32,
    pub node: String,
    /// The MPI call it is about.
    pub call: Option<String>,
    /// What the process did when it ended, if it did: "in MPI_Send".
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
    /// The process ended inside MPI, under a program that hides how and goes on.
    EndedUnderWrapper,
    /// The process exited without `MPI_Init`, while `other` had called it.
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
    /// It works on the memory of a rank that is through with MPI.
    TargetFinalized {
        target: u32,
    },
    /// It works on the memory of a rank that is blocked outside MPI.
    TargetBlocked {
        target: u32,
    },
    /// It is blocked in the kernel outside MPI, so are `others`, and no other rank can go on.
    BlockedOutsideMpi {
        call: String,
        others: usize,
    },
    /// Nothing but unsuccessful polls, everywhere, for this long.
    Livelock {
        since: Time,
        now: Time,
    },
    /// Ranks disagree about a collective or a communicator.
    Mismatch(String),
    /// The rank's process wrote what the wire does not allow, or the simulator's own books are off.
    Protocol(String),
}

impl Failure {
    /// What a shell should see of it.
    pub fn exit_code(&self) -> i32 {
        match self.why {
            FailureCause::Signal(signal) => 128 + signal,
            // A shell sees eight bits of it; an abort is never a success.
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
                write!(f, "ended inside MPI; the program that started it goes on")?;
            }
            FailureCause::NeverInitialized { status, other } => write!(
                f,
                "exited with status {status} before MPI_Init, which rank {other} has called"
            )?,
            FailureCause::Abort { code } => write!(f, "called MPI_Abort with code {code}")?,
            // The call is that of the tag: it never reached the simulator.
            FailureCause::Tag { tag, bound, .. } => {
                return write!(f, "used tag {tag}: MPI_TAG_UB is {bound}");
            }
            FailureCause::TargetFinalized { target } => {
                write!(f, "works on the memory of rank {target}, which has left MPI_Finalize")?
            }
            FailureCause::TargetBlocked { target } => write!(
                f,
                "works on the memory of rank {target}, which is blocked in the kernel outside MPI"
            )?,
            FailureCause::BlockedOutsideMpi { call, others } => {
                write!(f, "is blocked outside MPI in {call}, and no rank can go on")?;
                match others {
                    0 => {}
                    1 => write!(f, "; 1 more rank is blocked outside MPI")?,
                    n => write!(f, "; {n} more ranks are blocked outside MPI")?,
                }
            }
            FailureCause::Livelock { since, now } => write!(
                f,
                "and others poll in vain: since {since} nothing has happened, now it is {now}"
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

    /// A shell sees eight bits, and an abort is never a success.
    #[test]
    fn an_abort_is_seen_as_a_failure_whatever_its_code() {
        for (code, seen) in [(3, 3), (0, 1), (256, 1), (512 + 7, 7), (-1, 255)] {
            let why = FailureCause::Abort { code };
            let failure = Failure { rank: 0, node: String::new(), call: None, place: None, why };
            assert_eq!(failure.exit_code(), seen, "{code}");
        }
    }
}
