//! The wire: the shared memory segment between the ranks' processes and the simulator. The MPI
//! library never links the simulator, and the simulator never links MPI's handles.
//!
//! Ranks and simulator alternate. A running rank owns its region. A sleeping rank lends it to the
//! simulator, which processes events only while every released rank sleeps again. So only
//! `Header::running`, `Control::turn` and the stack of returned blocks are accessed concurrently;
//! everything else is plain memory handed over by those.
//!
//! **Layout.** `Header`; then one region per rank; last, the simulator's scratch memory. A region
//! is `Control`, the tally of calls, the submission ring, the wait list, and the block of file
//! calls. Then come the completion table (indexed by token), and the arena with message payloads
//! and working buffers of collectives. The segment is sparse: untouched pages cost nothing. Offsets
//! are relative to the segment's first byte; 0 is "none".
//!
//! **Turn.** Every rank starts with the turn: `turn` is 1, and the rank is counted in `running`.
//!
//! - To hand over, a rank writes `submitted`, the wait list and the rest of the hand-over, sets
//!   `turn` to 0 and `presence` to `HANDED_OVER`. It decrements `running` (release) unless
//!   `presence` was `DETACHED`. The last decrement wakes that futex.
//! - To release ranks, the simulator writes their `now_ps` and `command` and adds them all to
//!   `running`. Then it sets, for each, `presence` to `COUNTED` and `turn` to 1 (release), and
//!   wakes it.
//! - A rank whose `state` is `FINALIZED` at hand-over is released again, uncounted. It must
//!   never hand over again.
//! - A rank woken to combine hands over again with nothing submitted, and continues its wait.
//!
//! **Other processes of a rank.** A rank may consist of several processes: a shell and its
//! commands, children of the process that called `MPI_Init`. Any of them makes file calls for the
//! rank. If there are mounts, a process has `Control::holder` while it accesses the region: a file
//! call of another process holds it from its submission to its release.
//!
//! A rank without the turn sleeps at once. Spinning for some microseconds would take the core from
//! the simulator or from the rank with the turn. Measured on two cores, two ranks: 8 us of CPU time
//! per hand-over asleep, 15 us after 100 polls.

mod arena;

pub use arena::{Arena, return_block};

use std::sync::atomic::{AtomicU32, AtomicU64};

use crate::NonContiguous;

/// Environment variables by which a process finds its region.
pub const ENV_FD: &str = "ODONATA_FD";
pub const ENV_RANK: &str = "ODONATA_RANK";
/// A path to the same memory, for processes that have closed the descriptor.
pub const ENV_SEGMENT: &str = "ODONATA_SEGMENT";

pub const MAGIC: u64 = 0x6f64_6f6e_6174_6109;
/// Submissions a rank may make before it must hand over.
pub const RING: usize = 256;
/// Longest list of tokens of one wait.
pub const WAITS: usize = 16_384;
/// Largest number of tokens per rank; the layout has the actual number.
pub const TOKENS: usize = 1 << 20;
/// Size of the call tally (see `Segment::tally`): larger than the number of functions.
pub const FUNCTIONS: usize = 1024;

pub const HEADER_BYTES: u64 = 4096;
pub const CONTROL_BYTES: u64 = 4096;
const TALLY_AT: u64 = CONTROL_BYTES;
const RING_AT: u64 = TALLY_AT + (FUNCTIONS * 8) as u64;
const WAITS_AT: u64 = RING_AT + (RING * size_of::<Submission>()) as u64;
const FILE_AT: u64 = (WAITS_AT + (WAITS * 4) as u64).next_multiple_of(4096);
/// Bytes for the block of a file call of a process that has not called `MPI_Init`. It may have two
/// paths of 4 KiB, and an extended attribute of 64 KiB to set or to return (limits of Linux).
pub const FILE_BYTES: u64 = 256 << 10;
const TABLE_AT: u64 = FILE_AT + FILE_BYTES;

/// Division of the segment's address space. Untouched pages cost no memory, but address space is
/// limited on some systems (`ulimit -v`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct SegmentLayout {
    /// Bytes of one rank's region.
    pub stride: u64,
    /// Bytes of the simulator's scratch memory behind the last region: the longest operand of
    /// `Combine`.
    pub scratch: u64,
    /// Tokens per rank.
    pub tokens: u64,
}

impl SegmentLayout {
    /// Smallest region and scratch memory: fewer tokens and a few messages.
    const MIN_BYTES: u64 = 16 << 20;
    const MIN_TOKENS: u64 = 1 << 14;

    /// The layout for unlimited address space: all regions together stay below 2^44 bytes.
    pub fn full(ranks: u32) -> SegmentLayout {
        let stride = (1u64 << 44 >> u64::from(ranks.next_power_of_two().ilog2())).min(1 << 36);
        SegmentLayout { stride, scratch: 1 << 34, tokens: TOKENS as u64 }
    }
    /// The layout for a limit in bytes; `None` if that is too small.
    pub fn within(ranks: u32, bytes: u64) -> Option<SegmentLayout> {
        let full = SegmentLayout::full(ranks);
        if bytes >= full.bytes(ranks) {
            return Some(full);
        }
        let share = bytes.checked_sub(HEADER_BYTES)? / (u64::from(ranks) + 1) / 4096 * 4096;
        if share < SegmentLayout::MIN_BYTES {
            return None;
        }
        let stride = share.min(full.stride);
        // An eighth of the region for the completion table.
        let tokens = stride / 8 / size_of::<Completion>() as u64;
        let tokens = (1u64 << tokens.ilog2()).clamp(SegmentLayout::MIN_TOKENS, full.tokens);
        Some(SegmentLayout { stride, scratch: share, tokens })
    }
    /// The smallest segment for a number of ranks, in bytes.
    pub fn min_bytes(ranks: u32) -> u64 {
        HEADER_BYTES + (u64::from(ranks) + 1) * SegmentLayout::MIN_BYTES
    }
    /// Address space of the whole segment.
    pub fn bytes(&self, ranks: u32) -> u64 {
        HEADER_BYTES + u64::from(ranks) * self.stride + self.scratch
    }
    /// Offset of the arena in a rank's region.
    pub(crate) fn arena_at(&self) -> u64 {
        (TABLE_AT + self.tokens * size_of::<Completion>() as u64).next_multiple_of(4096)
    }
}

/// Written once by the simulator before any rank starts, except `running`.
#[repr(C)]
pub struct Header {
    pub magic: u64,
    pub ranks: u32,
    /// Released ranks that have not handed over again. A futex: the last one wakes the simulator.
    pub running: AtomicU32,
    /// 0: compute between calls is not charged; else thread CPU time times this, as f64 bits.
    pub compute_factor: u64,
    /// Duration of a call of `MPI_Wtime`, so that a loop around it ends.
    pub clock_tick_ps: u64,
    /// Standard sends up to this many bytes are always eager. They complete without their receiver,
    /// so the sending rank need not hand over.
    pub eager_max: u64,
    /// Nonblocking standard sends up to this many bytes are complete when they return, and use no
    /// request of the simulated library.
    pub inject_max: u64,
    /// Tag upper bound of the simulated library, and the largest accepted tag. They are equal
    /// unless limits are only reported.
    pub tag_ub: i32,
    pub tag_max: i32,
    /// Wake-up requests of ranks (`Control::wake_request`) since the simulator's last check. A
    /// futex.
    pub wake_requests: AtomicU32,
    /// The simulator's process. A waiting rank checks at intervals that it is alive, as the rank
    /// may have been started indirectly (by a shell or launcher).
    pub pid: u32,
    /// Private memory that every rank inherited by fork, bytes. Written before any rank runs.
    pub inherited: u64,
    /// Number of mounts of simulated file systems.
    pub mounts: u64,
    pub layout: SegmentLayout,
    /// The family whose argument checks the library follows: a constant of `checks`.
    pub checks: u32,
    /// Blocking collectives that begin with a barrier: bit `kind as u32`; the highest bit is for
    /// `MPI_Alltoallw`, which is an alltoallv here.
    pub synchronized: u32,
    /// Zero-terminated: the machine, and the simulated library's name and version.
    pub machine: [u8; 128],
    pub library: [u8; 256],
}

/// Families of MPI libraries, which check arguments differently.
pub mod checks {
    pub const MPICH: u32 = 0;
    pub const OPEN_MPI: u32 = 1;
}

/// Calls that the MPI standard forbids and the simulated library accepts: indices into
/// `Control::accepted`.
pub mod accepted {
    /// The same buffer as send and receive buffer of a collective.
    pub const ALIASED_BUFFERS: usize = 0;
    /// `MPI_Comm_split` with a negative color other than `MPI_UNDEFINED`.
    pub const NEGATIVE_COLOR: usize = 1;
    /// A group with a repeated rank.
    pub const REPEATED_RANK: usize = 2;
    /// A rank's block to itself in a collective has different send and receive lengths.
    pub const BLOCK_LENGTHS: usize = 3;
    /// A message that ends within an element of the receive's datatype.
    pub const CUT_ELEMENT: usize = 4;
    pub const KINDS: usize = 5;
}

pub mod state {
    /// Not yet in `MPI_Init`.
    pub const STARTING: u32 = 0;
    pub const ACTIVE: u32 = 1;
    /// Has left `MPI_Finalize`; later actions are not simulated.
    pub const FINALIZED: u32 = 2;
    /// Called `MPI_Abort`; the code is in `Control::abort_code`.
    pub const ABORTED: u32 = 3;
    /// Exited with status 0 after `MPI_Init` and without `MPI_Finalize`; otherwise as `FINALIZED`.
    pub const LEFT: u32 = 4;
    /// Has made file calls, and has not called `MPI_Init`.
    pub const FILES: u32 = 5;
    /// The process in MPI has left it, and was started by another process of the rank, which may
    /// still make file calls.
    pub const WRAPPED: u32 = 6;
}

/// Values of `Control::presence`.
pub mod presence {
    /// The rank has the turn and is counted in `Header::running`.
    pub const COUNTED: u32 = 0;
    /// The rank has the turn and is not counted: the simulator continues without it, because it is
    /// blocked in the kernel. When it hands over, it increments `Header::wake_requests` and wakes
    /// that futex.
    pub const DETACHED: u32 = 1;
    /// It has handed over.
    pub const HANDED_OVER: u32 = 2;
}

/// Bits that mark a context of the library's private messages, over the communicator given by the
/// other bits. They match normally, and no receive of the program can match them.
pub const PRIVATE_CONTEXT: u32 = 3 << 30;

/// What a rank waits for after a hand-over.
pub mod wait {
    /// Release as soon as the rank's CPU has executed all submissions.
    pub const NONE: u32 = 0;
    /// Every token of the wait list has completed.
    pub const ALL: u32 = 1;
    /// At least one token has completed, or the list is empty.
    pub const ANY: u32 = 2;
    /// Like `ANY`, but with a time limit chosen by the simulator. It grows with every unsuccessful
    /// poll of this rank, and is cut short when a listed token completes. With an empty list the
    /// whole interval is waited. A hand-over that submits only nonblocking probes, all
    /// unsuccessful, is held in the same way in any mode.
    pub const POLL: u32 = 3;
    /// Never: this rank has finished with MPI or has aborted.
    pub const NEVER: u32 = 4;
    /// The file call with the token `FILE_TOKEN` has completed.
    pub const FILE: u32 = 5;
}

/// What the simulator wakes a rank for.
pub mod command {
    /// Continue: the wait has ended.
    pub const RUN: u32 = 0;
    /// Apply a reduction operator that only this rank's process knows, then hand over again.
    pub const COMBINE: u32 = 1;
    /// The job has ended: exit at once.
    pub const DIE: u32 = 2;
    /// Apply the list `Control::incoming`, then hand over again with nothing submitted.
    pub const APPLY: u32 = 3;
}

#[repr(C)]
pub struct Control {
    /// 1: the rank may run. A futex.
    pub turn: AtomicU32,
    pub state: AtomicU32,
    /// Simulated time of the last release, picoseconds.
    pub now_ps: u64,
    pub node: u32,
    /// Number of simulated nodes of this job, this rank's index on its node, and the number of
    /// ranks there.
    pub nodes: u32,
    pub local_rank: u32,
    pub local_size: u32,
    pub pid: u32,
    pub abort_code: i32,
    /// The tag of the last call if it exceeded `Header::tag_max`; else 0.
    pub refused_tag: i32,

    /// Hand-over: the number of submissions in the ring, then the wait.
    pub submitted: u32,
    pub wait_mode: u32,
    pub wait_count: u32,
    /// The MPI function that hands over: an index into the interface table (for messages and
    /// tables).
    pub function: u32,
    /// Computation between the last submission (or release) and this hand-over.
    pub after_ps: u64,

    /// Release.
    pub command: u32,
    /// 1: a thread of this rank requests entry to MPI while another thread has given the turn away.
    /// It stays 1 until the simulator releases the rank, which it does as soon as possible,
    /// whatever the rank waits for. The thread that sets it increments `Header::wake_requests`.
    pub wake_request: AtomicU32,
    /// 1: threads of this rank may set `wake_request`. And the thread that handed over, if so.
    pub threads: u32,
    pub thread: u32,
    pub combine: Combine,
    /// One-sided operations that have arrived at this rank's memory: a list of `Arrival`s in the
    /// order in which they take effect; 0 is none. The rank takes and applies the list before
    /// anything else at each release, for any command.
    pub incoming: u64,

    /// Release: the rank may answer this many repetitions of its last unsuccessful poll itself,
    /// without success, each taking `poll_ps`, as no event is pending. Next hand-over: how many it
    /// answered.
    pub unsuccessful_polls: u32,
    pub local_polls_used: u32,
    pub poll_ps: u64,

    /// Private bytes of the process (anonymous, or of windows that MPI allocated) when it attached,
    /// and their peak in samples; less what it inherited. The process takes samples at intervals
    /// and keeps these values until it ends (docs/limits/memory.md). 0 and 0: no sample.
    pub memory_at_init: u64,
    pub memory_peak: u64,

    /// Blocks of this rank's arena that others have returned: a stack linked through the blocks.
    pub returned: AtomicU64,
    /// Zero-terminated name of the simulated node (`MPI_Get_processor_name`).
    pub node_name: [u8; 64],
    /// The largest number of requests of the rank at once.
    pub requests: u32,
    /// Whether the rank is counted in `Header::running` (`presence`). The simulator writes
    /// `COUNTED` before it gives the turn, and exchanges that for `DETACHED`. The rank writes
    /// `HANDED_OVER` after `turn`.
    pub presence: AtomicU32,
    /// The MPI function the process is in, 0 outside, and the last one it entered. They are written
    /// without a hand-over, so they are known when the process is killed.
    pub inside: AtomicU32,
    pub entered: AtomicU32,
    /// By kind (`accepted`): the function of the rank's first such call; 0: none.
    pub accepted: [AtomicU32; accepted::KINDS],

    /// Private to the rank's processes, of which one holds the region at a time: its id, and 0 if
    /// none does. A futex; and the number of threads that sleep on it.
    pub holder: AtomicU32,
    pub holder_waiters: AtomicU32,
    /// Number of submissions in the ring, and the part of the rank's time that was reported to the
    /// simulator, in picoseconds.
    pub in_ring: u32,
    pub reported_ps: u64,
}

/// `into = from op into` (`left`) or `into op from`, packed bytes.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug)]
pub struct Combine {
    pub into: u64,
    pub from: u64,
    pub bytes: u64,
    pub left: u32,
    pub _pad: u32,
    /// The operator, as the rank's process submitted it.
    pub op: u64,
}

/// Kinds of submission.
pub mod kind {
    pub const SEND: u32 = 1;
    pub const RECV: u32 = 2;
    pub const PROBE: u32 = 3;
    pub const MATCHED_RECV: u32 = 4;
    pub const CANCEL: u32 = 5;
    pub const COLLECTIVE: u32 = 6;
    /// Registers a communicator's members: `block` holds `bytes / 4` world ranks as u32. No token.
    /// The simulator returns the block. `MPI_COMM_WORLD` is context 0 and needs no registration.
    /// `MPI_COMM_SELF` of rank `r` is context `1 + r`, registered when the rank attaches. So new
    /// contexts start at `1 + ranks`. Without a block the rank releases the context; when all
    /// members have, it is forgotten.
    pub const COMM: u32 = 7;
    pub const EXIT: u32 = 8;
    /// A one-sided operation on the memory of `peer`, through the window whose context is
    /// `context`. `block` holds the `Arrival`; `bytes` go to the target, `grain` bytes return.
    /// Flags: `ATOMIC`, `FETCH`, `VISIBLE`.
    pub const ONE_SIDED: u32 = 9;
    /// Requests (`EXCLUSIVE` or shared) and releases the lock of `peer`'s part of a window.
    pub const LOCK: u32 = 10;
    pub const UNLOCK: u32 = 11;
    /// `bytes` to (`WRITE`) or from storage. With `FETCH`, the completion's value is the previous
    /// value of the counter `context`, and `op` (as i64) is added to it. With `SET`, the counter is
    /// set to `op`. Counters start at 0. They are shared file pointers.
    pub const STORAGE: u32 = 12;
    /// Completes after `bytes` picoseconds.
    pub const DELAY: u32 = 13;
    /// A memory region of this rank is registered with its NIC (`SET`), or no longer. Flag:
    /// `OPTIMIZED`. No token, and it takes no time.
    pub const REGION: u32 = 14;
    /// A call on a file of a simulated file system. `block` holds a `FileBlock`, `bytes` bytes of
    /// the request, and from the next multiple of 8 `grain` bytes for returned data.
    pub const FILE: u32 = 15;
}
pub mod flag {
    /// Send: complete only after matching.
    pub const SYNCHRONOUS: u32 = 1;
    /// Send: complete at once.
    pub const BUFFERED: u32 = 2;
    /// Probe: wait for a message.
    pub const WAIT: u32 = 4;
    /// Probe: set it aside for `MATCHED_RECV`.
    pub const TAKE: u32 = 8;
    /// Collective: the operator is commutative.
    pub const COMMUTATIVE: u32 = 16;
    /// Collective: every member gets `Completion::value`, the first of as many new contexts as it
    /// has members, equal on all. The blocking part of creating communicators.
    pub const NEW_CONTEXTS: u32 = 32;
    /// One-sided: combines with the target's data.
    pub const ATOMIC: u32 = 64;
    /// One-sided: data returns, so it is applied before its rank continues. Storage: see `STORAGE`.
    pub const FETCH: u32 = 128;
    /// One-sided: other ranks see the target's memory (`MPI_Win_allocate_shared`), so it is applied
    /// before its rank continues.
    pub const VISIBLE: u32 = 256;
    pub const EXCLUSIVE: u32 = 512;
    pub const WRITE: u32 = 1024;
    pub const SET: u32 = 2048;
    /// Region: with a table entry of its own, which messages find without matching.
    pub const OPTIMIZED: u32 = 4096;
}

/// The beginning of the block of a one-sided operation; the rest is private to origin and target.
/// When the operation completes, the simulator applies it if `direct` describes it, else appends it
/// to its target's list. Without `FETCH`, the side that applies the operation returns its block.
/// With `FETCH`, the block holds the returned data, and the origin returns it.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug)]
pub struct Arrival {
    /// Next in the target's list; 0 is none.
    pub next: u64,
    /// World rank of the origin.
    pub origin: u32,
    /// As in the submission.
    pub flags: u32,
    pub context: u32,
    /// 0 at submission; the simulator's mark of a block in flight.
    pub is_out: u32,
    pub direct: Direct,
}

/// A one-sided operation on one contiguous range of memory in the segment, which the simulator
/// applies itself: waking the target's process takes longer than copying a few bytes.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug)]
pub struct Direct {
    /// One of `work`; 0 if the target's process has to apply it.
    pub work: u32,
    /// Accumulate: `combine::builtin`.
    pub combine: u32,
    /// The target's memory and the block's area: offsets in the segment.
    pub at: u64,
    pub area: u64,
    /// Of target memory; at most `DIRECT_BYTES`.
    pub bytes: u64,
}

/// Longer operations are applied by their targets, in parallel.
pub const DIRECT_BYTES: u64 = 4096;

/// The effect of a one-sided operation on the target's memory and the area of its block.
pub mod work {
    /// Copies the area to memory.
    pub const PUT: u32 = 1;
    /// Copies memory to the area.
    pub const GET: u32 = 2;
    /// Combines memory with the area; with `flag::FETCH`, the previous data is copied to the area.
    pub const ACCUMULATE: u32 = 3;
    /// The area holds two items. Memory that equals the first becomes the second; its previous data
    /// is copied to the first.
    pub const COMPARE: u32 = 4;
}

/// The beginning of the block of a file call: the reply, which the simulator writes at completion.
/// See `FileReply` for its fields.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug)]
pub struct FileBlock {
    pub errno: i32,
    pub _pad: u32,
    pub value: u64,
    pub size: u64,
    pub offset: u64,
    /// Length of the returned data, also if only a part fits.
    pub data_bytes: u64,
    pub elapsed_ps: u64,
    pub completed_ps: u64,
    pub inode: u64,
    pub accessed_ns: i64,
    pub modified_ns: i64,
    pub changed_ns: i64,
}

impl FileBlock {
    pub const BYTES: u64 = size_of::<FileBlock>() as u64;
    /// Offset of the returned data in a block whose request has `bytes`.
    pub const fn data_at(bytes: u64) -> u64 {
        FileBlock::BYTES + bytes.next_multiple_of(8)
    }
}

/// The token of a file call of a process that has not called `MPI_Init`. At most one per rank is in
/// flight, and it has no entry in the completion table.
pub const FILE_TOKEN: u32 = u32::MAX;

/// One operation. Fields that a kind does not use are zero. See `Op` for their meaning.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug)]
pub struct Submission {
    pub kind: u32,
    pub flags: u32,
    pub token: u32,
    pub function: u32,
    pub after_ps: u64,
    /// Send, receive, probe: world rank (or `ANY_SOURCE`). Collective: rank in the communicator.
    pub peer: u32,
    /// Collective: 0, or the channel of the communicator whose n-th collective this is.
    pub tag: i32,
    pub context: u32,
    /// Collective: root, in the communicator's ranks.
    pub root: u32,
    /// Message length or capacity; a collective's block length (see `Collective::bytes`).
    pub bytes: u64,
    /// Send: the payload. Collective: the working buffer, contribution deposited.
    pub block: u64,
    /// Receive of a taken message, cancel: the token it refers to.
    pub other: u32,
    /// Collective: `collectives::Kind` as u8.
    pub collective: u32,
    /// Collective with unequal blocks: `ragged_len` u64 lengths at `ragged`.
    pub ragged: u64,
    pub ragged_len: u32,
    /// Reductions: `combine::builtin(op, type)` or `combine::USER`.
    pub combine: u32,
    /// Bytes of one element: no collective splits it.
    pub grain: u64,
    /// Reductions by the rank's process: the value for `Combine::op`. One-sided operations: the
    /// operator's handle.
    pub op: u64,
    /// All reductions: operator and element type, by `combine::builtin`. They must be equal on all
    /// members of a collective.
    pub means: u32,
    pub _pad: u32,
    /// Layout of the rank's data in its memory, to send and to receive. (In `block` it is packed.)
    pub send_layout: NonContiguous,
    pub recv_layout: NonContiguous,
}

/// Reductions that the simulator can do itself, without waking the rank.
pub mod combine {
    /// Not a reduction.
    pub const NONE: u32 = 0;
    /// Only the rank's process knows the operator.
    pub const USER: u32 = u32::MAX;
    pub const fn builtin(op: u32, element: u32) -> u32 {
        op << 8 | element
    }
    pub mod op {
        /// A user-defined function. Its element is 0.
        pub const OWN: u32 = 0;
        pub const SUM: u32 = 1;
        pub const PROD: u32 = 2;
        pub const MAX: u32 = 3;
        pub const MIN: u32 = 4;
        pub const LAND: u32 = 5;
        pub const BAND: u32 = 6;
        pub const LOR: u32 = 7;
        pub const BOR: u32 = 8;
        pub const LXOR: u32 = 9;
        pub const BXOR: u32 = 10;
        /// The arrived operand wins (`MPI_REPLACE`) or is dropped (`MPI_NO_OP`).
        pub const REPLACE: u32 = 11;
        pub const NO_OP: u32 = 12;
        pub const MAXLOC: u32 = 13;
        pub const MINLOC: u32 = 14;
    }
    pub mod element {
        pub const I8: u32 = 1;
        pub const U8: u32 = 2;
        pub const I16: u32 = 3;
        pub const U16: u32 = 4;
        pub const I32: u32 = 5;
        pub const U32: u32 = 6;
        pub const I64: u32 = 7;
        pub const U64: u32 = 8;
        pub const F32: u32 = 9;
        pub const F64: u32 = 10;
        /// Pairs of F32 or F64.
        pub const C32: u32 = 11;
        pub const C64: u32 = 12;
        /// First of the types that only the rank's process can combine, distinguished by number.
        pub const OTHER: u32 = 64;
    }
}

pub const DONE: u32 = 1;
pub const REPORTED: u32 = 2;

/// The result of an operation; written by the simulator while the rank sleeps.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug)]
pub struct Completion {
    /// 0 until complete, then `DONE`. The rank adds `REPORTED` when its program has been informed,
    /// and clears it before it reuses the token.
    pub done: u32,
    /// `CompletionStatus::code`.
    pub status: u32,
    pub peer: u32,
    pub tag: i32,
    pub bytes: u64,
    /// Receive: the sender's payload. The receiver returns the block.
    pub block: u64,
    /// Collective with `NEW_CONTEXTS`: the first new context.
    pub value: u64,
}

/// A mapped segment. Copyable: it owns nothing.
#[derive(Clone, Copy)]
pub struct Segment {
    base: *mut u8,
}
// SAFETY: the turn protocol above makes shared use sound; every accessor that returns memory is
// unsafe for that reason.
unsafe impl Send for Segment {}
unsafe impl Sync for Segment {}

impl Segment {
    /// # Safety
    /// `base` is a mapping of all of the layout's bytes that outlives every use.
    pub unsafe fn at(base: *mut u8) -> Segment {
        Segment { base }
    }
    /// The address of an offset.
    pub fn ptr(self, offset: u64) -> *mut u8 {
        self.base.wrapping_add(offset as usize)
    }
    pub fn header(self) -> *mut Header {
        self.base.cast()
    }
    /// # Safety
    /// The header has been written (also for the accessors below).
    pub unsafe fn layout(self) -> SegmentLayout {
        unsafe { (*self.header()).layout }
    }
    /// All of the segment, in bytes.
    ///
    /// # Safety
    /// See `layout`.
    pub unsafe fn bytes(self) -> u64 {
        unsafe { self.layout().bytes((*self.header()).ranks) }
    }
    /// Offset of the simulator's scratch memory, behind the last region: an operand of `Combine`
    /// may lie there.
    ///
    /// # Safety
    /// See `layout`.
    pub unsafe fn scratch(self) -> u64 {
        unsafe { self.region((*self.header()).ranks) }
    }
    /// # Safety
    /// See `layout`.
    pub unsafe fn region(self, rank: u32) -> u64 {
        unsafe {
            debug_assert!(rank <= (*self.header()).ranks);
            HEADER_BYTES + u64::from(rank) * self.layout().stride
        }
    }
    /// # Safety
    /// See `layout`.
    pub unsafe fn control(self, rank: u32) -> *mut Control {
        self.ptr(unsafe { self.region(rank) }).cast()
    }
    /// `FUNCTIONS` counters: calls of each MPI function by the rank's program, by index in the
    /// interface table. The rank counts when it enters a call from outside MPI, whether or not the
    /// call hands over.
    ///
    /// # Safety
    /// See `control`.
    pub unsafe fn tally(self, rank: u32) -> *mut u64 {
        unsafe { self.ptr(self.region(rank) + TALLY_AT).cast() }
    }
    /// # Safety
    /// See `control`; `i < RING`.
    pub unsafe fn submission(self, rank: u32, i: usize) -> *mut Submission {
        debug_assert!(i < RING);
        unsafe { self.ptr(self.region(rank) + RING_AT).cast::<Submission>().add(i) }
    }
    /// # Safety
    /// See `control`. The first of `WAITS` tokens.
    pub unsafe fn waits(self, rank: u32) -> *mut u32 {
        unsafe { self.ptr(self.region(rank) + WAITS_AT).cast() }
    }
    /// Offset of the block for file calls with `FILE_TOKEN`.
    ///
    /// # Safety
    /// See `layout`.
    pub unsafe fn file_block(self, rank: u32) -> u64 {
        unsafe { self.region(rank) + FILE_AT }
    }
    /// # Safety
    /// See `control`; `token` is below the layout's number of them.
    pub unsafe fn completion(self, rank: u32, token: u32) -> *mut Completion {
        debug_assert!((token as usize) < TOKENS);
        unsafe { self.ptr(self.region(rank) + TABLE_AT).cast::<Completion>().add(token as usize) }
    }
}

const _: () = assert!(size_of::<Header>() as u64 <= HEADER_BYTES);
const _: () = assert!(size_of::<Control>() as u64 <= CONTROL_BYTES);
const _: () = assert!(size_of::<Submission>() == 168);
const _: () = assert!(size_of::<Completion>() == 40);
const _: () = assert!(size_of::<FileBlock>() == 88);

#[cfg(test)]
mod tests {
    use super::*;

    /// With limits such as those of batch systems, a job fits if every rank has the minimum.
    #[test]
    fn a_layout_fits_its_limit() {
        for ranks in [1, 4, 96, 1000, 1 << 16] {
            assert_eq!(SegmentLayout::within(ranks, u64::MAX), Some(SegmentLayout::full(ranks)));
            assert!(SegmentLayout::full(ranks).bytes(ranks) <= (1 << 44) + (1 << 35));
            let least = SegmentLayout::min_bytes(ranks);
            assert_eq!(SegmentLayout::within(ranks, least - 4096), None);
            for bytes in [least, least + 5000, 2 * least, 100 * least] {
                let layout = SegmentLayout::within(ranks, bytes).expect("enough");
                assert!(layout.bytes(ranks) <= bytes.max(SegmentLayout::full(ranks).bytes(ranks)));
                assert!(layout.tokens.is_power_of_two() && layout.tokens <= TOKENS as u64);
                // The table leaves most of the region to messages; operands come out of a region.
                assert!(layout.arena_at() < layout.stride / 2);
                assert!(layout.scratch >= layout.stride.min(1 << 34));
                assert!(layout.stride.is_multiple_of(4096));
            }
        }
    }
}
