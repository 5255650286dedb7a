//! Layer 3: what a call on a file means: layouts, locks, caches, and lists of RPCs. No clock, no
//! network and no data.
//!
//! A protocol (`FileSystem`) turns calls of clients into RPCs and waits for their results. The
//! engine (`sim`) transports RPCs over the network, queues them at servers, and reports what has
//! happened. So the messages of a call can be tested without time.
//!
//! An RPC has these steps, in this order:
//!
//! 1. the request travels from `from` to `to`;
//! 2. it waits for a service thread of `to`, and occupies it for `service`;
//! 3. with `Bulk::Pull`, `to` fetches the data from `bulk_peer`; the thread is free meanwhile;
//! 4. it waits for the medium of `access`, and occupies it for `access.span`;
//! 5. with `Bulk::Push`, `to` sends the data to `bulk_peer`;
//! 6. `FileSystem::served` is called;
//! 7. after `Sink::reply`, which the protocol calls then or later, the reply travels to `from`;
//! 8. `FileSystem::replied` is called.
//!
//! `FileSystem::started` is called when step 2 occupies a thread: a server forwards a request
//! before it has executed it. Between two servers at the same host and port, steps 1, 3, 5 and 7
//! take no time and make no messages. So an RPC from a server to itself is its background work.

pub mod daos;
pub mod lustre;

use base::{Span, Time};
use workload::{FileCall, FileId, LayoutRequest};

base::ids! {
    /// A client: the kernel of a node (Lustre), or a process or node daemon (DAOS).
    ClientId,
    /// A server process with service threads: an OSS, an MDS, a DAOS target.
    ServerId,
    /// A storage medium of a server: an OST, an MDT, an NVMe or SCM. Numbered over servers.
    MediumId,
    /// An RPC in flight; the engine chooses it.
    RpcId,
    /// A call of a rank; the engine chooses it. It is reused after the call completes, so that ids
    /// are small.
    CallId,
}

/// An end of an RPC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Peer {
    Client(ClientId),
    Server(ServerId),
}

/// Data that does not travel in the request or the reply.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Bulk {
    #[default]
    None,
    /// The receiver of the request fetches it (an RDMA Get): writes.
    Pull(u64),
    /// The receiver of the request sends it (an RDMA Put): reads.
    Push(u64),
}

/// An access of a storage medium.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MediumAccess {
    pub medium: MediumId,
    /// The medium serves no other access for this time.
    pub span: Span,
    /// Step 4 ends this much later. Other accesses proceed meanwhile.
    pub latency: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rpc {
    /// Name of the operation, for counters: an index in `FileSystem::OPERATIONS`.
    pub operation: u8,
    pub from: Peer,
    pub to: Peer,
    /// Bytes of the request and the reply, with data that they carry inline.
    pub request_bytes: u32,
    pub reply_bytes: u32,
    pub bulk: Bulk,
    /// The other end of the bulk transfer; usually `from`.
    pub bulk_peer: Peer,
    /// Time of a service thread.
    pub service: Span,
    pub access: Option<MediumAccess>,
    /// Priority of service; 0 is the most urgent.
    pub priority: u8,
    /// For the protocol's own use.
    pub tag: u64,
}

/// What a protocol requests from the engine.
pub trait Sink {
    /// Starts an RPC.
    fn send(&mut self, rpc: Rpc) -> RpcId;
    /// The receiver replies to an RPC that has been served.
    fn reply(&mut self, rpc: RpcId);
    /// Occupies the CPU of the rank whose call this is (copies, checksums, parity), before the next
    /// effect of the call.
    fn occupy(&mut self, call: CallId, span: Span);
    /// The call completes. `error` is 0 or an errno.
    fn complete(&mut self, call: CallId, error: i32);
    /// Calls `FileSystem::timer` after `span` with the token, below 2^31.
    fn timer(&mut self, span: Span, token: u32);
}

/// Where a server is, and how many requests it serves at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Index of its host among the hosts of the file system, and of the host's NIC that it uses.
    pub host: u32,
    pub port: u32,
    /// NICs from `port` on that its messages use in turn.
    pub rails: u32,
    pub threads: u32,
}

/// What a `ClientId` stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClientScope {
    /// All processes of a node are one client.
    Node,
    /// Each rank is a client.
    Process,
}

/// A file system's protocol: the state of all its clients and servers.
pub trait FileSystem {
    const CLIENTS: ClientScope;
    /// Names of the operations, as in the real system's counters.
    const OPERATIONS: &'static [&'static str];
    /// All servers, by `ServerId`.
    fn servers(&self) -> Vec<Place>;
    /// Number of storage media; each serves one access at a time.
    fn media(&self) -> u32;
    /// A client exists, on this node of the machine. Called once, before its first call.
    fn attach(&mut self, client: ClientId, node: u32);
    /// A path component is looked up before the next call of this client: `file` in `parent`.
    fn lookup(&mut self, client: ClientId, parent: FileId, file: FileId);
    /// The layout of the next call of this client: what a `SetLayout` sets, or else that of a file
    /// from before the run, or of a new file in a directory from before the run.
    fn layout(&mut self, client: ClientId, request: &LayoutRequest);
    fn call(
        &mut self,
        now: Time,
        client: ClientId,
        call: CallId,
        what: &FileCall,
        sink: &mut impl Sink,
    );
    /// A service thread begins with an RPC.
    fn started(&mut self, _now: Time, _id: RpcId, _rpc: &Rpc, _sink: &mut impl Sink) {}
    /// Steps 1 to 5 of an RPC have ended.
    fn served(&mut self, now: Time, id: RpcId, rpc: &Rpc, sink: &mut impl Sink);
    /// The reply has arrived.
    fn replied(&mut self, now: Time, id: RpcId, rpc: &Rpc, sink: &mut impl Sink);
    fn timer(&mut self, now: Time, token: u32, sink: &mut impl Sink);
    /// What a `GetLayout` or `StatFs` that has completed returns, as text: the objects of each
    /// component of a file, a line each, or the usage of the targets that hold data. Entries are
    /// `TARGET:NUMBER`, separated by blanks, with the number of the object or the used bytes.
    fn describe(&self, _what: &FileCall) -> Option<String> {
        None
    }
    /// Name of a medium in the real system, such as `flare-OST0012`.
    fn medium_name(&self, medium: MediumId) -> String {
        format!("medium {}", medium.0)
    }
    /// Name of a server in the real system.
    fn place_name(&self, server: ServerId) -> String {
        format!("server {}", server.0)
    }
    /// Counters by the names that they have in the real system, in a fixed order.
    fn counters(&self) -> Vec<(String, u64)>;
}
