//! Calls in progress, their stages, and the RPCs in flight. No behavior.

use base::{Span, Time};
use workload::FileId;

use crate::{CallId, ClientId, RpcId, ServerId};

base::ids! {
    /// A call in progress, or background work of an engine.
    TaskId,
    /// An RPC of the protocol, from its creation to its reply.
    NodeId,
}

pub const NO_TASK: TaskId = TaskId(u32::MAX);
pub const NO_NODE: NodeId = NodeId(u32::MAX);

/// A call in progress.
#[derive(Clone, Debug)]
pub struct Task {
    /// `None`: no rank waits for it.
    pub call: Option<CallId>,
    /// The process that sends the RPCs.
    pub client: ClientId,
    /// What remains to be done; the last is next.
    pub stages: Vec<Stage>,
    /// The stage in progress.
    pub current: Stage,
    /// What the stage in progress waits for: RPCs, timers, parts.
    pub pending: u32,
    /// The task of which this is a part.
    pub parent: TaskId,
    /// Its CPU time is that of the daemon, not of a rank.
    pub in_daemon: bool,
}

/// A step of a call. The next one begins when all RPCs of a step have been replied to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Stage {
    /// CPU time of the rank.
    Occupy(Span),
    /// A service of the node's daemon.
    Daemon(Span),
    Delay(Span),
    PoolConnect,
    ContainerOpen,
    PoolQuery,
    /// Reads an entry of a directory.
    FetchEntry {
        directory: FileId,
        key: u64,
    },
    /// Writes an entry. Without `effect` its condition fails.
    UpdateEntry {
        directory: FileId,
        key: u64,
        effect: bool,
    },
    PunchEntry {
        directory: FileId,
        key: u64,
    },
    /// Size of a file: the last key of each group.
    QuerySize {
        file: FileId,
    },
    PunchObject {
        object: FileId,
    },
    /// Lists entries `from..to` of `entries`, which are spread evenly over the groups. `group` and
    /// `part` are the next RPC.
    List {
        object: FileId,
        entries: u64,
        from: u64,
        to: u64,
        group: u32,
        part: u64,
    },
    /// Punches the keys of chunks.
    PunchChunks {
        file: FileId,
        first: u64,
        end: u64,
    },
    /// Writes the last byte of a longer file.
    Extend {
        file: FileId,
        chunk: u64,
    },
    Write {
        file: FileId,
        start: u64,
        end: u64,
    },
    Read {
        file: FileId,
        start: u64,
        end: u64,
    },
    /// A query, if the file does not have all bytes of the range.
    SizeIfShort {
        file: FileId,
        start: u64,
        end: u64,
    },
    /// The file has this size from here on.
    SetSize {
        file: FileId,
        size: u64,
    },
    /// The kernel sends a range to the daemon, in requests of limited size.
    Requests {
        file: FileId,
        start: u64,
        end: u64,
        write: bool,
    },
    /// The kernel writes back what a file has modified, or fills its cache.
    Flush {
        file: FileId,
    },
    /// The kernel writes back all files of the node.
    FlushAll {
        next: FileId,
    },
    /// This number of bytes of modified data has been written.
    WrittenBack(u64),
    /// Data modified from here on needs another flush.
    FlushDue,
    Fill {
        file: FileId,
        start: u64,
        end: u64,
    },
    /// Waits until the node has less modified data than its limit.
    Throttle,
    /// Reads of an aggregation, and its writes.
    AggregateFetch {
        leader: ServerId,
        stripe: Stripe,
        cells: u32,
    },
    AggregateWrite {
        leader: ServerId,
        stripe: Stripe,
    },
    /// Nothing.
    Done,
}

/// A stripe of an erasure-coded file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Stripe {
    pub file: FileId,
    pub chunk: u64,
    pub index: u32,
}

/// What an RPC does at its receiver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Work {
    /// Nothing is forwarded.
    Single,
    /// An update or punch of `key`. The leader forwards it to the other members of its group.
    Leader,
    /// A punch of all shards. The leader forwards it to all others.
    ObjectLeader,
    /// A member of a tree of engines.
    Tree,
}

/// What an update adds to the trees of a target's object store (VOS).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Insertion {
    None,
    Key,
    /// An object, with a key.
    Object,
}

/// An RPC in flight, or waiting for a credit.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    pub task: TaskId,
    /// The RPC that made this one.
    pub parent: NodeId,
    pub rpc: RpcId,
    pub work: Work,
    pub operation: u8,
    /// Own execution has ended; replies of this number of forwarded RPCs are missing.
    pub served: bool,
    pub pending: u32,
    pub object: FileId,
    pub key: u64,
    /// Bytes in the chunk; 0 and the size for an entry. `position` in a tree.
    pub start: u64,
    pub end: u64,
    pub position: u32,
    /// Index of the tree's list of engines.
    pub tree: u32,
    /// The condition of an update holds, so it changes something.
    pub effect: bool,
    pub insertion: Insertion,
    pub started: Time,
}

impl Node {
    pub fn new(task: TaskId, object: FileId, key: u64, work: Work) -> Node {
        Node {
            task,
            parent: NO_NODE,
            rpc: RpcId(u32::MAX),
            work,
            operation: 0,
            served: false,
            pending: 0,
            object,
            key,
            start: 0,
            end: 0,
            position: 0,
            tree: 0,
            effect: true,
            insertion: Insertion::None,
            started: Time::ZERO,
        }
    }
}
