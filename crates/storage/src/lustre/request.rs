//! What an RPC in flight means, and how far a call has come.

use workload::{FileCall, FileId};

use super::extent_locks::{ExtentLock, LockId, Mode};
use super::extents::Extent;
use super::layout::{ObjectId, RequestedLayout, Template};
use super::messages::Operation;
use crate::{CallId, ClientId, Rpc, RpcId};

base::ids! {
    /// A request of the protocol: an RPC, also before it is sent.
    RequestId,
}

/// A request.
#[derive(Clone, Debug)]
pub struct Request {
    /// Set while the RPC is at its receiver.
    pub rpc: Option<RpcId>,
    /// Events before the reply: revocations, updates of other servers, precreations.
    pub pending: u32,
    pub error: i32,
    pub work: Work,
}

#[derive(Clone, Debug)]
pub enum Work {
    Free,
    Enqueue {
        client: ClientId,
        object: ObjectId,
        lock: ExtentLock,
        granted: Option<ExtentLock>,
    },
    /// A blocking AST. With `discard` the object is destroyed: dirty pages are not written.
    Blocking {
        client: ClientId,
        object: ObjectId,
        lock: LockId,
        discard: bool,
    },
    /// A completion AST: the grant of a request that had to wait.
    Completion {
        client: ClientId,
        object: ObjectId,
        lock: ExtentLock,
    },
    Cancel {
        object: ObjectId,
        mode: Mode,
        start: u64,
        lock: LockId,
    },
    Glimpse {
        client: ClientId,
        object: ObjectId,
        call: Option<CallId>,
        lock: LockId,
        granted: bool,
    },
    GlimpseAst {
        of: RequestId,
    },
    Brw(Brw),
    /// Another operation on an object, for a call.
    Object {
        call: CallId,
        object: ObjectId,
        operation: Operation,
        from: u64,
    },
    Metadata(Metadata),
    /// A blocking AST for an inode lock, and its cancel.
    InodeBlocking {
        client: ClientId,
        mdt: u32,
        of: RequestId,
    },
    InodeCancel {
        of: RequestId,
    },
    Precreate {
        mdt: u32,
        ost: u32,
        objects: u32,
    },
    Destroy {
        mdt: u32,
        object: ObjectId,
    },
    /// A transaction at another MDT.
    Update {
        of: RequestId,
    },
}

/// A bulk read or write.
#[derive(Clone, Debug)]
pub struct Brw {
    pub client: ClientId,
    pub target: u32,
    pub object: ObjectId,
    pub write: bool,
    /// Not through the cache: the call that waits for it.
    pub direct: Option<CallId>,
    /// The server waits for its own lock; the request is not in flight any more.
    pub parked: bool,
    /// The client holds a lock for it; otherwise the server takes one for a direct access.
    pub locked: bool,
    /// Fragments; most requests have one.
    pub first: Extent,
    pub more: Vec<Extent>,
    pub bytes: u64,
    /// Grant that the reply carries.
    pub grant: u64,
}

impl Brw {
    pub fn fragments(&self) -> impl Iterator<Item = Extent> + '_ {
        std::iter::once(self.first).chain(self.more.iter().copied())
    }
    /// From the first to the last byte.
    pub fn span(&self) -> Extent {
        Extent { start: self.first.start, end: self.more.last().unwrap_or(&self.first).end }
    }
}

/// A request to an MDT.
#[derive(Clone, Copy, Debug)]
pub struct Metadata {
    pub call: Option<CallId>,
    pub client: ClientId,
    pub mdt: u32,
    /// Counts as modifying at the client.
    pub modifying: bool,
    pub effect: Effect,
    /// Held until one of the requests in flight of the client is free.
    pub message: Rpc,
}

impl Metadata {
    pub fn is_close(&self) -> bool {
        self.message.operation == Operation::MdsClose as u8
    }
}

/// What a request does at the MDT.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// No effect.
    None,
    /// Grants the client bits of an inode lock.
    Grant { file: FileId, bits: u8 },
    /// The effect of the call itself.
    Call,
    /// Instantiates the components of the layout up to the byte at `upto`.
    Instantiate { file: FileId, upto: u64 },
    /// The next entries of a scan have been fetched ahead.
    Statahead { directory: FileId },
}

/// What a call does next when nothing is outstanding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Looks up the path component with this index.
    Lookup(u32),
    /// Sends the request of a metadata call.
    Request,
    /// Continues after the reply of the metadata call.
    Answered,
    /// Cuts the file that has been opened with `O_TRUNC`.
    Truncate,
    /// Waits until a request ahead has fetched the attributes.
    Statahead,
    /// Requests the sizes of objects.
    Glimpse,
    /// Reads or writes from `position`.
    Data,
    Direct,
    /// Writes dirty pages of the file (with the flag: of all files of the client).
    Flush,
    /// Commits the objects of the file.
    Commit,
    /// Locks the bytes that are cut off.
    PunchLock,
    Punch,
    /// Complete when nothing is outstanding.
    Finish,
    /// The slot is free.
    Idle,
}

/// A call in progress.
#[derive(Clone, Debug)]
pub struct Call {
    pub client: ClientId,
    pub what: FileCall,
    pub step: Step,
    /// Replies and grants that the call waits for.
    pub outstanding: u32,
    pub error: i32,
    /// Next byte of a read or write.
    pub position: u64,
    /// Locks in use.
    pub locks: Vec<(ObjectId, LockId)>,
    pub lookups: Vec<(FileId, FileId)>,
    /// The layout that the call sets, or that its file has from before the run.
    pub layout: Option<RequestedLayout>,
    /// Replies since the call last continued.
    pub replies: u32,
    /// The read-ahead of this call has been started.
    pub read_ahead: bool,
}

impl Call {
    /// The templates of the layout, if it is valid and has some.
    pub fn given_templates(&self) -> Option<Vec<Template>> {
        let templates = self.layout.as_ref()?.templates.as_ref()?;
        (!templates.is_empty()).then(|| templates.clone())
    }
    /// A slot without a call.
    pub fn idle(what: FileCall) -> Self {
        Call {
            client: ClientId(0),
            what,
            step: Step::Idle,
            outstanding: 0,
            error: 0,
            position: 0,
            locks: Vec::new(),
            layout: None,
            lookups: Vec::new(),
            replies: 0,
            read_ahead: false,
        }
    }
}
