//! What a file system did in a run, as plain data.

use super::rates::Rates;
use base::{Span, Time};
use workload::{FileCallKind, FileId};

/// Classes of calls.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum CallClass {
    Open,
    Read,
    Write,
    Sync,
    Close,
    Stat,
    /// `readdir`.
    List,
    /// Makes an entry: `mkdir`, links.
    Create,
    /// Removes an entry: `unlink`, `rmdir`.
    Remove,
    /// `flock` and record locks.
    Lock,
    /// All others.
    Other,
}

impl CallClass {
    pub const ALL: [CallClass; 11] = [
        CallClass::Open,
        CallClass::Read,
        CallClass::Write,
        CallClass::Sync,
        CallClass::Close,
        CallClass::Stat,
        CallClass::List,
        CallClass::Create,
        CallClass::Remove,
        CallClass::Lock,
        CallClass::Other,
    ];

    pub fn of(kind: FileCallKind) -> CallClass {
        match kind {
            FileCallKind::Open => CallClass::Open,
            FileCallKind::Close => CallClass::Close,
            FileCallKind::Read => CallClass::Read,
            FileCallKind::Write => CallClass::Write,
            FileCallKind::Sync | FileCallKind::SyncAll => CallClass::Sync,
            FileCallKind::Stat | FileCallKind::StatFs => CallClass::Stat,
            FileCallKind::ReadDirectory => CallClass::List,
            FileCallKind::Mkdir | FileCallKind::Link | FileCallKind::Symlink => CallClass::Create,
            FileCallKind::Unlink | FileCallKind::Rmdir => CallClass::Remove,
            FileCallKind::Lock => CallClass::Lock,
            FileCallKind::Rename
            | FileCallKind::ReadLink
            | FileCallKind::SetAttributes
            | FileCallKind::Truncate
            | FileCallKind::Allocate
            | FileCallKind::GetXattr
            | FileCallKind::SetXattr
            | FileCallKind::SetLayout
            | FileCallKind::GetLayout => CallClass::Other,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            CallClass::Open => "open",
            CallClass::Read => "read",
            CallClass::Write => "write",
            CallClass::Sync => "sync",
            CallClass::Close => "close",
            CallClass::Stat => "stat",
            CallClass::List => "readdir",
            CallClass::Create => "mkdir",
            CallClass::Remove => "unlink",
            CallClass::Lock => "lock",
            CallClass::Other => "other",
        }
    }

    /// Whether calls of the class move data or wait for them.
    pub fn is_data(self) -> bool {
        matches!(self, CallClass::Read | CallClass::Write | CallClass::Sync)
    }
}

/// Totals of calls.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct ClassTotals {
    pub operations: u64,
    pub bytes: u64,
    /// From the call to its completion, summed over calls.
    pub time: Span,
    pub errors: u64,
}

/// A period of calls of one class.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct IoPhase {
    pub class: CallClass,
    /// Since the start of the jobs.
    pub start: Time,
    pub end: Time,
    pub totals: ClassTotals,
}

impl IoPhase {
    /// Bytes per second, from the first call to the last completion; 0 for a phase without time.
    pub fn rate(&self) -> f64 {
        let seconds = self.end.since(self.start).seconds();
        if seconds > 0.0 { self.totals.bytes as f64 / seconds } else { 0.0 }
    }
}

/// Totals of a file whose data were read or written.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FileTotals {
    pub file: FileId,
    pub read: ClassTotals,
    pub written: ClassTotals,
    /// `flock` and record locks, and all other calls.
    pub locks: ClassTotals,
    pub metadata: ClassTotals,
    /// Of the first read or write, and the last.
    pub start: Time,
    pub end: Time,
}

impl FileTotals {
    pub fn new(file: FileId) -> FileTotals {
        FileTotals {
            file,
            read: ClassTotals::default(),
            written: ClassTotals::default(),
            locks: ClassTotals::default(),
            metadata: ClassTotals::default(),
            start: Time(u64::MAX),
            end: Time::ZERO,
        }
    }
}

/// Load of a port by which a host of servers is on its network.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct HostLoad {
    /// Name of the first server of the port.
    pub name: String,
    pub host: u32,
    pub port: u32,
    /// Bytes of requests, replies and data.
    pub bytes_in: u64,
    pub bytes_out: u64,
    /// Requests served by all servers of the port, the time that their threads were occupied, and
    /// the time that requests waited for a thread.
    pub served: u64,
    pub threads: u32,
    pub service: Span,
    pub waiting: Span,
    /// Maximum number of requests that waited at one server.
    pub longest: u64,
}

/// Load of a storage medium.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct MediumLoad {
    pub accesses: u64,
    /// Of bulk transfers.
    pub bytes_read: u64,
    pub bytes_written: u64,
    /// Time that it was occupied, and the time that accesses waited for it.
    pub busy: Span,
    pub waiting: Span,
}

/// What one file system did.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct FileSystemOutcome {
    pub name: String,
    pub files: Vec<FileTotals>,
    pub phases: Vec<IoPhase>,
    pub hosts: Vec<HostLoad>,
    pub media: Vec<MediumLoad>,
    /// Names of those that have been accessed, by number.
    pub media_names: Vec<(u32, String)>,
    pub rates: Rates,
    /// RPCs of each operation.
    pub operations: Vec<(String, u64)>,
    /// Of the protocol, by the names of the real system.
    pub counters: Vec<(String, u64)>,
    /// Messages through each gateway port, and their bytes: toward the servers and back.
    pub gateways: Vec<(u64, u64, u64)>,
    /// Time that messages waited for LNet credits and for buffers of gateways, summed over them.
    pub credit_waiting: Span,
    pub buffer_waiting: Span,
    /// What limited the time of calls, as a sentence. Empty without calls.
    pub limit: String,
}
