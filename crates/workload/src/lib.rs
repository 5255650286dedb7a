//! The workload interface: what ranks do. Layer 2.
//!
//! A workload submits operations and receives completions for all of its ranks, in batches. It
//! never accesses the event queue. Recorded programs, schedules and live processes all implement
//! this interface, and every network model serves it.

pub mod block_index;
mod file;
pub mod file_request;
pub mod functions;
pub mod mount_file;
mod multi_job;
pub mod resident;
pub mod schedule;
mod streams;
pub mod wire;

pub use file::{
    FileCall, FileCallKind, FileId, FileSystemId, LayoutComponent, LayoutRequest, file_flag,
};
pub use multi_job::MultiJob;
pub use streams::{Step, Streams};

use base::{Span, Time};
use collectives::Collective;

/// The workload's name for an operation of one rank; the simulator returns it unchanged.
pub type Token = u32;

/// Wildcards of a receive or probe.
pub const ANY_SOURCE: u32 = u32::MAX;
pub const ANY_TAG: i32 = -1;

/// The context of a communicator; `WORLD` is 0.
pub type Context = u32;
pub const WORLD: Context = 0;

/// Operations. Their ranks are world ranks; a workload translates ranks of other communicators.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// Completes when the rank's CPU reaches it: marks a point in the rank's own time.
    Pause,
    /// Completes `span` after the rank's CPU reaches it. It does not occupy the CPU: later calls do
    /// not wait for it.
    Alarm {
        span: Span,
    },
    Send {
        to: u32,
        context: Context,
        tag: i32,
        bytes: u64,
        mode: SendMode,
    },
    /// `bytes` is the capacity of the buffer; a longer message completes with its true length.
    Recv {
        from: u32,
        context: Context,
        tag: i32,
        bytes: u64,
    },
    /// Matches a message without receiving it. With `take`, the message is set aside for
    /// `MatchedRecv`.
    Probe {
        from: u32,
        context: Context,
        tag: i32,
        wait: bool,
        take: bool,
    },
    /// Receives the message set aside by the probe with this token.
    MatchedRecv {
        probe: Token,
        bytes: u64,
    },
    /// Cancels a receive that has not matched. Both operations complete; on success the receive's
    /// status is `CompletionStatus::Cancelled`.
    Cancel {
        token: Token,
    },
    /// The call of one member of the communicator `context`. All members call with equal kind,
    /// algorithm and root.
    Collective {
        context: Context,
        call: Collective,
    },
    /// Accesses the memory of rank `to` without a call of that rank. With `atomic` the data is
    /// combined with the target's data. Completes when the access has taken effect at the target
    /// and the response has arrived. Accesses of one rank to one target take effect in call order.
    OneSided {
        to: u32,
        /// The communicator of the window; it has no effect on the access.
        context: Context,
        /// Data sent to the target, and data that returns.
        request_bytes: u64,
        response_bytes: u64,
        atomic: bool,
    },
    /// Completes when this rank holds the lock of rank `to`'s part of the window `context`: alone
    /// if `exclusive`, else shared. Locks are granted in request order.
    Lock {
        context: Context,
        to: u32,
        exclusive: bool,
    },
    /// Releases that lock. Completes as soon as its message is in flight.
    Unlock {
        context: Context,
        to: u32,
    },
    /// Moves `bytes` between this rank's node and the machine's storage. Completes when they have
    /// arrived; the rank's CPU is not occupied.
    Storage {
        bytes: u64,
        write: bool,
    },
    /// Completes `span` after the rank's CPU reaches it, without occupying the CPU. Unlike an
    /// alarm, the program waits for it: a sleep.
    Delay {
        span: Span,
    },
    /// A memory region of this rank is registered with its NIC, or no longer. A notification: it
    /// takes no time and never completes.
    Region {
        held: bool,
        optimized: bool,
    },
    /// This rank is a member of a new communicator; all members send this. A notification.
    Join {
        context: Context,
    },
    /// This rank has freed the communicator; sent before it requests another one. A notification.
    Leave {
        context: Context,
    },
    /// The layout of the non-contiguous data that this rank's next call sends. It precedes that
    /// call in the same batch and never completes; the call includes the cost of packing.
    SendLayout(NonContiguous),
    /// The same for the data that the next call receives.
    RecvLayout(NonContiguous),
    /// The NICs used by this rank's next send, relative to the NIC of the rank and to that of the
    /// receiver, modulo the NICs of their nodes. Precedes that call in the same batch and never
    /// completes.
    Nics {
        own: u8,
        peer: u8,
    },
    /// A call on a file of a simulated file system. Completes with `CompletionStatus::FileError` if
    /// the simulated file system refuses it.
    File(FileCall),
    /// A component of the path of this rank's next `File`: `file` is looked up in `parent`. It
    /// precedes that call in the same batch and never completes.
    Lookup {
        file_system: FileSystemId,
        parent: FileId,
        file: FileId,
    },
    /// The layout that this rank's next `File` sets, if it is a `SetLayout`. Before another call:
    /// the layout that its file has from before the run, or that a new file gets from such a
    /// directory. Like `Lookup`, it precedes that call and never completes.
    Layout {
        file_system: FileSystemId,
        request: Box<LayoutRequest>,
    },
    /// A new maximum of requests that the rank's library holds at once. A notification.
    Requests(u32),
    /// The rank submits nothing more.
    Exit,
}

/// The layout of non-contiguous data, which must be packed. All zero: the data is contiguous.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NonContiguous {
    /// Bytes of data, packed.
    pub bytes: u64,
    /// Bytes of the cache lines that it touches.
    pub touched: u64,
    /// Number of basic values.
    pub values: u64,
    /// Number of runs of like values; 0 if all values are alike.
    pub members: u64,
}

impl NonContiguous {
    /// Bytes of a cache line of x86-64 and server Arm processors.
    pub const LINE: u64 = 64;
    /// More bytes than a rank can have received; buffers may be longer.
    pub const MOST: u64 = 1 << 36;

    pub fn is_some(&self) -> bool {
        self.bytes > 0
    }
    /// Whether the layout is possible: a value has at least one byte, and a byte touches at most
    /// one line.
    pub fn is_valid(&self) -> bool {
        self.bytes <= NonContiguous::MOST
            && self.touched <= self.bytes * NonContiguous::LINE
            && self.values.max(self.members) <= self.bytes
    }
    /// The first `bytes` of it, assumed to be laid out like the rest.
    pub fn first(self, bytes: u64) -> NonContiguous {
        if bytes >= self.bytes {
            return self;
        }
        let part = |of: u64| (u128::from(of) * u128::from(bytes) / u128::from(self.bytes)) as u64;
        let (values, members) = (part(self.values), part(self.members));
        NonContiguous { bytes, touched: part(self.touched), values, members }
    }
}

impl std::ops::Add for NonContiguous {
    type Output = NonContiguous;
    fn add(self, other: NonContiguous) -> NonContiguous {
        NonContiguous {
            bytes: self.bytes + other.bytes,
            touched: self.touched + other.touched,
            values: self.values + other.values,
            members: self.members + other.members,
        }
    }
}

impl Op {
    /// Whether an `OpCompletion` results from it.
    pub fn completes(&self) -> bool {
        !matches!(
            self,
            Op::Region { .. }
                | Op::Join { .. }
                | Op::Leave { .. }
                | Op::SendLayout(_)
                | Op::RecvLayout(_)
                | Op::Nics { .. }
                | Op::Lookup { .. }
                | Op::Layout { .. }
                | Op::Requests(_)
        )
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SendMode {
    /// Eager or rendezvous by size.
    Standard,
    /// Completes only after the receive has matched.
    Synchronous,
    /// Completes at once for any size: the data is copied.
    Buffered,
}

/// An operation submitted by a rank. Its CPU executes the rank's calls in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub rank: u32,
    pub token: Token,
    /// Computation before this call. It begins when the rank's CPU has finished the previous calls,
    /// or at submission, whichever is later.
    pub after: Span,
    pub op: Op,
}

/// How an operation has completed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CompletionStatus {
    #[default]
    Success,
    /// A nonblocking probe matched no message.
    NoMessage,
    Cancelled,
    /// A call on a file failed, with this errno. The workload has not executed it.
    FileError(i32),
}

impl CompletionStatus {
    /// Number on the wire: 0 success, 1 no message, 2 canceled, 3 an errno.
    pub fn code(self) -> u32 {
        match self {
            CompletionStatus::Success => 0,
            CompletionStatus::NoMessage => 1,
            CompletionStatus::Cancelled => 2,
            CompletionStatus::FileError(_) => 3,
        }
    }
}

/// An operation that completes at this instant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OpCompletion {
    pub rank: u32,
    pub token: Token,
    /// Receives and probes: sender, tag and true length of the message.
    pub peer: u32,
    pub tag: i32,
    pub bytes: u64,
    /// Receives: the sender's token of the matching send.
    pub peer_token: Token,
    pub status: CompletionStatus,
    /// When the other side was ready: the call of the matching send or receive, or the entry of the
    /// last rank that this rank's part of a collective depends on. Blocking time before it counts
    /// as waiting, and after it as transfer.
    pub ready: Time,
}

/// Time of a rank in an MPI function, for timelines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CallSlice {
    pub rank: u32,
    /// See `functions`.
    pub function: u32,
    pub begin: Time,
    pub end: Time,
    /// Part of it until the other side was ready.
    pub waiting: Span,
    pub bytes: u64,
}

/// All ranks at once: one batch in, one batch out. A live workload runs its ranks in parallel
/// between the two, and the simulator still sees their calls in one fixed order. With several jobs
/// (`MultiJob`) their ranks are consecutive. Most workloads are one job, number 0.
pub trait Workload {
    fn ranks(&self) -> u32;
    /// Members of a communicator of this job, in its rank order, as ranks of the job. `WORLD`
    /// contains all ranks.
    fn members(&self, job: u32, context: Context) -> &[u32];
    fn start(&mut self, calls: &mut Vec<Call>);
    /// `done` is sorted by rank, then in order of completion. Calls of one rank are appended in the
    /// order in which it made them, and by rank.
    fn resume(&mut self, now: Time, done: &[OpCompletion], calls: &mut Vec<Call>);
    /// What the call on a file with this token returns, before its completion: see
    /// `storage::FileSystem::describe`.
    fn describe(&mut self, _rank: u32, _token: Token, _text: String) {}
    /// No event is left. A workload that may still have calls (a rank with threads outside MPI)
    /// waits for them here. If it appends none, it has no more.
    fn stalled(&mut self, _now: Time, _calls: &mut Vec<Call>) {}
    /// Only alarms of this job are pending, so nothing else can complete before the next alarm. An
    /// alarm set here may wake a waiting rank earlier.
    fn alarms_only(&mut self, _job: u32, _now: Time, _calls: &mut Vec<Call>) {}
    /// Appends the calls of MPI functions that have returned since the last time, if the workload
    /// is set up to collect them.
    fn take_call_slices(&mut self, _slices: &mut Vec<CallSlice>) {}
    fn is_finished(&self) -> bool;
    /// Whether this job has ended, in any way.
    fn has_ended(&self, _job: u32) -> bool {
        self.is_finished() || self.is_stopped()
    }
    /// Whether the job was ended from within (an abort, a rank that died): the run stops.
    fn is_stopped(&self) -> bool {
        false
    }
}
