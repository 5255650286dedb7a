//! Floor 2: what ranks do. The narrow waist of the house.
//!
//! A workload submits operations and hears of completions, for all its ranks, in batches; it never
//! sees the event queue. Recorded streams, schedules and live processes all come in by this door,
//! and every network model answers it.

pub mod functions;
mod multi_job;
pub mod resident;
pub mod schedule;
mod streams;
pub mod wire;

pub use multi_job::MultiJob;
pub use streams::{Step, Streams};

use base::{Span, Time};
use collectives::Collective;

/// The workload's own name for an operation of one rank; the simulator only hands it back.
pub type Token = u32;

/// Wildcards of a receive or probe.
pub const ANY_SOURCE: u32 = u32::MAX;
pub const ANY_TAG: i32 = -1;

/// A communicator's context. `World` is 0.
pub type Context = u32;
pub const WORLD: Context = 0;

/// Ranks in operations are world ranks; who shows a user a communicator's ranks translates.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// Completes when the rank's CPU gets there: marks a point in the rank's own time.
    Pause,
    /// Completes `span` after the rank's CPU gets there, beside that CPU: later calls do not wait
    /// for it. It takes no time of its own.
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
    /// Looks for a message without receiving it. With `take`, it is set aside for `RecvTaken`.
    Probe {
        from: u32,
        context: Context,
        tag: i32,
        wait: bool,
        take: bool,
    },
    /// Receives the message a probe with `take` set aside; named by that probe's token.
    RecvTaken {
        probe: Token,
        bytes: u64,
    },
    /// Takes back a receive that has not matched. Both it and the receive complete; the receive's
    /// `Done` has `found: Cancelled` if that worked.
    Cancel {
        token: Token,
    },
    /// `seat` in the communicator `context`; all members call with equal kind, algorithm and root.
    Collective {
        context: Context,
        call: Collective,
    },
    /// Works on the memory of rank `to` without that rank's calls: `out` bytes go there, `back`
    /// bytes return. `atomic`: they are combined with what is there, not only moved. Completes when
    /// it is done at the target and what returns is here. Those of one rank on one other take
    /// effect in the order of their calls.
    OneSided {
        to: u32,
        out: u64,
        back: u64,
        atomic: bool,
    },
    /// Completes when this rank holds the lock of rank `to`'s part of the window `context`: with
    /// nobody else if `exclusive`, else with others who share it. First come, first served.
    Lock {
        context: Context,
        to: u32,
        exclusive: bool,
    },
    /// Gives that lock back. Completes as soon as its message is on the way.
    Unlock {
        context: Context,
        to: u32,
    },
    /// Moves `bytes` between this rank's node and the storage of the machine. Completes when they
    /// are there; the rank's CPU has no part in it.
    Storage {
        bytes: u64,
        write: bool,
    },
    /// Completes `span` after the rank's CPU gets there, beside that CPU. Unlike an alarm it is
    /// something the program waits for: a sleep.
    Delay {
        span: Span,
    },
    /// This rank's NIC lets others at a piece of its memory from now on, or no longer. Told, not
    /// asked: it takes no time, and nothing completes.
    Region {
        held: bool,
        optimized: bool,
    },
    /// This rank is in a new communicator, all of whose members say so. Told, not asked.
    Join {
        context: Context,
    },
    /// It has freed the communicator. Told before it asks for another one.
    Leave {
        context: Context,
    },
    /// The data that this rank's next call gives lies apart in its memory, and is packed. Told
    /// before that call, in the same batch; nothing completes, and what it costs is the call's.
    Packs(NonContiguous),
    /// The same of the data that it takes.
    Unpacks(NonContiguous),
    /// The NICs between which this rank's next send travels, counted from that of the rank and from
    /// that of the receiver, around the NICs of their nodes. Given before that call, in the same
    /// batch; nothing completes.
    Nics {
        own: u8,
        peer: u8,
    },
    /// So many requests of the rank's library have been in use at once, more than ever before.
    /// Told; it takes no time, and nothing completes.
    Requests(u32),
    /// The rank submits nothing any more.
    Exit,
}

/// Where the data of a call lies in memory, if it is more than one stretch and has to be packed;
/// nothing, if it is one.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NonContiguous {
    /// Bytes of data, packed.
    pub bytes: u64,
    /// Bytes of the cache lines that it lies in.
    pub touched: u64,
    /// Basic values in it.
    pub values: u64,
    /// Stretches of like values; 0: all of them are alike.
    pub members: u64,
}

impl NonContiguous {
    /// Bytes of a cache line: of x86-64's processors, and Arm's for servers.
    pub const LINE: u64 = 64;
    /// More bytes than a rank has: buffers may be longer, but what comes is not.
    pub const MOST: u64 = 1 << 36;

    pub fn is_some(&self) -> bool {
        self.bytes > 0
    }
    /// Whether data may lie so: no value has less than a byte, and no byte more than a line.
    pub fn is_valid(&self) -> bool {
        self.bytes <= NonContiguous::MOST
            && self.touched <= self.bytes * NonContiguous::LINE
            && self.values.max(self.members) <= self.bytes
    }
    /// The first `bytes` of it, taken to lie like the rest.
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
    /// Whether a `Done` comes of it.
    pub fn completes(&self) -> bool {
        !matches!(
            self,
            Op::Region { .. }
                | Op::Join { .. }
                | Op::Leave { .. }
                | Op::Packs(_)
                | Op::Unpacks(_)
                | Op::Nics { .. }
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
    /// Completes at once whatever the size: the bytes are copied away.
    Buffered,
}

/// An operation a rank submits. Calls of one rank are taken in order on its one CPU.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub rank: u32,
    pub token: Token,
    /// Computation before this call: it starts this long after the rank's CPU is done with the
    /// calls before it, or after the instant of submission, whichever is later.
    pub after: Span,
    pub op: Op,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Found {
    #[default]
    Yes,
    /// A probe that does not wait found nothing.
    No,
    Cancelled,
}

/// An operation that has completed at this instant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Done {
    pub rank: u32,
    pub token: Token,
    /// Receives and probes: sender, tag and true length of the message.
    pub peer: u32,
    pub tag: i32,
    pub bytes: u64,
    /// Receives: the sender's token of the matching send.
    pub peer_token: Token,
    pub found: Found,
    /// When the other side was ready: the matching send or receive was called, or the last rank
    /// this collective at this rank had to wait for entered it. Time blocked before is waiting,
    /// after it transfer.
    pub ready: Time,
}

/// All ranks at once: a batch in, a batch out. A live workload runs its ranks in parallel between
/// the two, and the simulator still sees their calls in one fixed order. Where there are several
/// jobs (`MultiJob`), their ranks follow one another; most workloads are one job, of number 0.
pub trait Workload {
    fn ranks(&self) -> u32;
    /// Members of a communicator of this job, in its rank order, as ranks of the job: of `WORLD`
    /// all of them, each at its own number.
    fn members(&self, job: u32, context: Context) -> &[u32];
    fn start(&mut self, calls: &mut Vec<Call>);
    /// `done` is sorted by rank, then in order of completion. Calls of one rank are appended in
    /// the order it made them; the order between ranks is by rank.
    fn resume(&mut self, now: Time, done: &[Done], calls: &mut Vec<Call>);
    /// Nothing will happen any more by itself. A workload that may yet have calls to make (a rank
    /// with threads outside MPI) waits for them here; one that appends none has no more.
    fn stalled(&mut self, _now: Time, _calls: &mut Vec<Call>) {}
    /// Nothing is due for this job but alarms, so nothing can complete before one of them rings:
    /// whoever waits for one may be woken earlier by another that is set here.
    fn quiet(&mut self, _job: u32, _now: Time, _calls: &mut Vec<Call>) {}
    fn is_finished(&self) -> bool;
    /// Whether this job is over, however it ended.
    fn is_over(&self, _job: u32) -> bool {
        self.is_finished() || self.is_stopped()
    }
    /// Whether the job was ended from inside (an abort, a rank that died): the run stops here.
    fn is_stopped(&self) -> bool {
        false
    }
}
