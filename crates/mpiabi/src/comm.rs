//! Communicators: a context, the members' world ranks, and how groups of ranks agree on new
//! contexts.
//!
//! The simulator allocates contexts. Any collective with `flag::NEW_CONTEXTS` returns to all its
//! members the first of as many new contexts as it has members. A new communicator takes the
//! context at the parent rank of its first member. These are distinct for disjoint groups, without
//! further communication.
//!
//! An intercommunicator (`inter`) has two groups, and a hidden intracommunicator of both,
//! `union_comm`. Both share one context: the user's messages only go from one group to the other,
//! and `union_comm` is used for collectives.

mod calls;
mod inter;
mod make;
mod words;

use std::collections::BTreeMap;
use std::ffi::c_int;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use workload::wire;

use crate::abi::{Comm, Kind, Registry, c};
use crate::error::{Error, Result, fail};
use crate::foreign;
use crate::group::Members;
use crate::topo::Topology;

pub(crate) use calls::{Comm_free, duplicate, split};
pub(crate) use inter::create_intercomm_from_groups;
pub(crate) use make::{create_from_group, init};

/// Contexts of the library's own point-to-point messages, which no wildcard of the user matches. In
/// this order: messages by which a group creates a communicator, messages that implement
/// collectives, and messages between the leaders of two groups.
const GROUP: u32 = 2 << 30;
const MESSAGES: u32 = 1 << 30;
const LEADERS: u32 = 3 << 30;
const _: () = assert!(GROUP | MESSAGES | LEADERS == wire::PRIVATE_CONTEXT);

/// The cost of agreement on a context in MPICH: an allreduce over a mask of 2,048 contexts
/// (`MPIR_Get_contextid_sparse_group`, 64 words).
const MASK_BYTES: u64 = 256;

type Hints = Vec<(Vec<u8>, Vec<u8>)>;

/// The ranks of a group, by world rank.
struct Ranks(Option<BTreeMap<u32, u32>>);

impl Ranks {
    fn new(members: &[u32]) -> Ranks {
        let is_world = members.iter().enumerate().all(|(i, &m)| i as u32 == m);
        let by_world = || members.iter().enumerate().map(|(i, &m)| (m, i as u32)).collect();
        Ranks((!is_world).then(by_world))
    }
    fn of(&self, world: u32) -> Option<u32> {
        match &self.0 {
            None => Some(world),
            Some(ranks) => ranks.get(&world).copied(),
        }
    }
}

pub(crate) struct Communicator {
    pub context: u32,
    /// World ranks of the local group, in rank order.
    pub members: Members,
    pub rank: u32,
    /// Ranks of the peers: of the remote group, if there is one.
    ranks: Ranks,
    /// The remote group of an intercommunicator.
    pub remote: Option<Remote>,
    name: Mutex<String>,
    /// Hints, as the user passed them.
    info: Mutex<Hints>,
    pub topology: Option<Topology>,
    /// Number of persistent collectives prepared so far.
    channels: AtomicU32,
    /// Keeps the context registered with the simulator.
    _registration: Option<ContextRegistration>,
}

pub(crate) struct Remote {
    /// World ranks, in rank order.
    pub members: Members,
    /// The hidden communicator of both groups.
    pub union_comm: Arc<Communicator>,
    /// Whether the local group comes first in it.
    pub is_first: bool,
}

/// The registration of a context with the simulator. Dropped with the last reference to the
/// communicator, which may be a request in flight. The simulator is notified at the next
/// registration.
struct ContextRegistration(u32);

static FREED_CONTEXTS: Mutex<Vec<u32>> = Mutex::new(Vec::new());

impl Drop for ContextRegistration {
    fn drop(&mut self) {
        lock(&FREED_CONTEXTS).push(self.0);
    }
}

impl Communicator {
    fn new(context: u32, members: Members, me: u32, topology: Option<Topology>) -> Self {
        let ranks = Ranks::new(&members);
        let rank = members.iter().position(|&m| m == me).expect("the creator is a member") as u32;
        let (name, info) = (Mutex::new(String::new()), Mutex::new(Hints::new()));
        let (remote, channels, _registration) = (None, AtomicU32::new(0), None);
        Communicator {
            context,
            members,
            rank,
            ranks,
            remote,
            name,
            info,
            topology,
            channels,
            _registration,
        }
    }
    pub fn size(&self) -> u32 {
        self.members.len() as u32
    }
    /// World ranks of the peers, in rank order.
    pub fn peers(&self) -> &Members {
        self.remote.as_ref().map_or(&self.members, |r| &r.members)
    }
    /// World rank of a peer.
    pub fn world(&self, rank: u32) -> u32 {
        self.peers()[rank as usize]
    }
    /// Rank of a peer by its world rank.
    pub fn rank_of(&self, world: u32) -> Option<u32> {
        self.ranks.of(world)
    }
    /// Checks the user's rank argument, which names a peer.
    pub fn checked(&self, rank: c_int, what: &str) -> Result<u32> {
        let last = self.peers().len() as c_int - 1;
        if (0..=last).contains(&rank) {
            return Ok(rank as u32);
        }
        let place = if self.remote.is_some() { "in the remote group" } else { "here" };
        fail!(c::ERR_RANK, "{what} is {rank}, but ranks {place} are 0 to {last}")
    }
    /// The communicator of all its processes: itself, or the hidden one of both groups.
    fn union_comm(self: &Arc<Self>) -> &Arc<Self> {
        self.remote.as_ref().map_or(self, |r| &r.union_comm)
    }
    /// The number of a persistent collective, the same on all members. Never 0.
    pub fn next_channel(&self) -> u32 {
        1 + self.channels.fetch_add(1, Ordering::Relaxed) % (i32::MAX as u32)
    }
    /// The context for messages of a group that creates a communicator.
    fn group_context(&self) -> u32 {
        self.context | GROUP
    }
    fn leaders_context(&self) -> u32 {
        self.context | LEADERS
    }
    /// The context for collectives made of messages.
    pub fn messages_context(&self) -> u32 {
        self.context | MESSAGES
    }
    pub fn partitioned_context(&self) -> u32 {
        self.context | wire::PRIVATE_CONTEXT
    }
}

static COMMS: Registry<Communicator> = Registry::new();
static WORLD: OnceLock<Arc<Communicator>> = OnceLock::new();
static OWN: OnceLock<Arc<Communicator>> = OnceLock::new();

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The communicator of a handle.
pub(crate) fn find(comm: Comm) -> Result<Arc<Communicator>> {
    let found = match comm {
        c::COMM_NULL => return fail!(c::ERR_COMM, "the communicator is MPI_COMM_NULL"),
        c::COMM_WORLD => WORLD.get().cloned(),
        c::COMM_SELF => OWN.get().cloned(),
        _ => comm.slot().and_then(|s| COMMS.get(s)),
    };
    found.ok_or_else(|| {
        let (class, what) = match comm {
            c::COMM_WORLD | c::COMM_SELF => (c::ERR_OTHER, "it is called before MPI_Init".into()),
            _ => {
                let raw = comm.to_int();
                (c::ERR_COMM, format!("{raw:#x} is not a communicator, or it has been freed"))
            }
        };
        Error::new(class, what + &foreign::clause(Kind::Comm, comm.to_int()))
    })
}

/// The communicator of a handle, which must be an intracommunicator.
pub(crate) fn find_intra(comm: Comm) -> Result<Arc<Communicator>> {
    let found = find(comm)?;
    if found.remote.is_some() {
        return fail!(c::ERR_COMM, "an intercommunicator is not allowed");
    }
    Ok(found)
}

/// Number of communicators that the program has created and not freed.
pub(crate) fn created() -> usize {
    COMMS.len()
}

/// Description for messages: the communicator's name, or its context if it has none.
pub(crate) fn describe(handle: Comm) -> String {
    match find(handle) {
        Ok(comm) if lock(&comm.name).is_empty() => format!("communicator {}", comm.context),
        Ok(comm) => lock(&comm.name).clone(),
        Err(_) => "a freed communicator".into(),
    }
}
