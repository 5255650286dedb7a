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

mod inter;
mod words;

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use workload::wire::{self, Submission, accepted, kind};

use crate::abi::{Comm, Group, Info, Kind, Registry, Request, c};
use crate::coll::{self, Job};
use crate::error::{self, Error, Result, Site, copy_string, fail};
use crate::export::mpi_fn;
use crate::group::{self, Members};
use crate::request::{self, Cancellable, InFlight, Outcome};
use crate::runtime::{self, Held};
use crate::topo::Topology;
use crate::{attach, attr, checks, foreign, info};

pub(crate) use inter::create_intercomm_from_groups;

/// Contexts of the library's own point-to-point messages, which no wildcard of the user matches. In
/// this order: messages by which a group creates a communicator, messages that implement
/// collectives, and messages between the leaders of two groups.
const GROUP: u32 = 2 << 30;
const MESSAGES: u32 = 1 << 30;
const LEADERS: u32 = 3 << 30;
const _: () = assert!(GROUP | MESSAGES | LEADERS == wire::PRIVATE_CONTEXT);

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

/// Creates the two predefined communicators.
pub(crate) fn init(held: &Held) {
    let (me, size) = (runtime::rank(held), runtime::size(held));
    let world = Communicator::new(workload::WORLD, Arc::new((0..size).collect()), me, None);
    *lock(&world.name) = "MPI_COMM_WORLD".into();
    let own = Communicator::new(1 + me, Arc::new(vec![me]), me, None);
    *lock(&own.name) = "MPI_COMM_SELF".into();
    register(held, &own);
    group::set_me(me);
    attr::set_predefined(runtime::tag_ub(held), size as c_int);
    let _ = WORLD.set(Arc::new(world));
    let _ = OWN.set(Arc::new(own));
}

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

/// Registers the members with the simulator, so that collectives can run on the context. Also
/// reports contexts that have been freed.
fn register(held: &Held, comm: &Communicator) {
    let kind = kind::COMM;
    // The lock is not held while this waits for space, because another thread may need it to
    // proceed.
    let freed = std::mem::take(&mut *lock(&FREED_CONTEXTS));
    for context in freed {
        runtime::submit(held, Submission { kind, context, ..Submission::default() });
    }
    let bytes = 4 * u64::from(comm.size());
    let block = runtime::alloc(held, bytes);
    // SAFETY: a new block of that many bytes.
    unsafe {
        let at = runtime::address(held, block).cast::<u32>();
        at.copy_from_nonoverlapping(comm.members.as_ptr(), comm.members.len());
    }
    let context = comm.context;
    runtime::submit(held, Submission { kind, context, block, bytes, ..Submission::default() });
}

/// Creates the communicator of `members`, of which this rank is one.
fn make(
    held: &Held,
    context: u32,
    members: Members,
    topology: Option<Topology>,
) -> Arc<Communicator> {
    let mut comm = Communicator::new(context, members, runtime::rank(held), topology);
    register(held, &comm);
    comm._registration = Some(ContextRegistration(context));
    Arc::new(comm)
}

/// The same, with a handle.
fn make_handle(held: &Held, context: u32, members: Members, topology: Option<Topology>) -> Comm {
    Comm::created(COMMS.insert(make(held, context, members, topology)))
}

/// A communicator of the same groups as `parent`.
fn make_like(held: &Held, parent: &Communicator, context: u32, topology: Option<Topology>) -> Comm {
    let own = parent.members.clone();
    match &parent.remote {
        None => make_handle(held, context, own, topology),
        Some(remote) => {
            inter::make_handle(held, context, own, remote.members.clone(), remote.is_first)
        }
    }
}

/// The cost of agreement on a context in MPICH: an allreduce over a mask of 2,048 contexts
/// (`MPIR_Get_contextid_sparse_group`, 64 words).
const MASK_BYTES: u64 = 256;

/// Starts an agreement whose completion carries the first of `size` new contexts in `value`.
/// Returns the token and the working buffer.
fn agreement(held: &Held, comm: &Arc<Communicator>) -> (u32, u64) {
    Job::agreement(comm.union_comm(), MASK_BYTES).submit(held)
}

/// Collective over `parent`, blocking.
fn new_context(held: &Held, parent: &Arc<Communicator>) -> u32 {
    let (token, block) = agreement(held, parent);
    runtime::wait_all(held, &[token]);
    let value = runtime::completion(held, token).expect("waited for").value as u32;
    runtime::release_token(held, token);
    runtime::free(held, block);
    value
}

/// A communicator of the same members, with its own topology.
pub(crate) fn duplicate(
    held: &Held,
    parent: &Arc<Communicator>,
    topology: Option<Topology>,
) -> Comm {
    let context = new_context(held, parent);
    make_like(held, parent, context, topology)
}

/// Copies error handler and attributes to a duplicate, and sets its hints.
fn copy_properties(from: Comm, to: Comm, hints: Hints) -> Result {
    error::inherit(Site::comm(from), Site::comm(to));
    *lock(&find(to)?.info) = hints;
    attr::copy_all(Kind::Comm, from.to_int(), to.to_int())
}

/// The hints of MPI 5.0, 7.4.4; others are ignored.
const KNOWN: [&[u8]; 5] = [
    b"mpi_assert_allow_overtaking",
    b"mpi_assert_exact_length",
    b"mpi_assert_no_any_source",
    b"mpi_assert_no_any_tag",
    b"mpi_assert_strict_persistent_collective_ordering",
];

fn hints_of(info: Info) -> Result<Hints> {
    let mut hints = info::pairs(info)?;
    hints.retain(|(key, _)| KNOWN.contains(&&key[..]));
    Ok(hints)
}

/// The hints of a duplicate: only those passed for it. The parent's are not copied (MPI 5.0,
/// 7.4.2).
fn hints_for(own: Option<Info>) -> Result<Hints> {
    own.map_or(Ok(Hints::new()), hints_of)
}

fn dup(held: &Held, comm: Comm, hints: Option<Info>, out: *mut Comm) -> Result {
    let parent = find(comm)?;
    let hints = hints_for(hints)?;
    let new = duplicate(held, &parent, parent.topology.clone());
    unsafe { *out = c::COMM_NULL };
    copy_properties(comm, new, hints)?;
    unsafe { *out = new };
    Ok(())
}

fn idup(held: &Held, comm: Comm, hints: Option<Info>, out: *mut Comm) -> Result<Request> {
    let parent = find(comm)?;
    let hints = hints_for(hints)?;
    let (token, block) = agreement(held, &parent);
    let on_complete = move |held: &Held, done: &[wire::Completion]| {
        runtime::free(held, block);
        let context = done[0].value as u32;
        let new = make_like(held, &parent, context, parent.topology.clone());
        // SAFETY: the user keeps the location of the handle valid until the request completes.
        unsafe { *out = new };
        Outcome { error: copy_properties(comm, new, hints).err(), ..Outcome::empty() }
    };
    let in_flight = InFlight { tokens: vec![token], on_complete: Box::new(on_complete) };
    Ok(request::in_flight_request(held, comm, Cancellable::No, in_flight))
}

/// The arguments of `MPI_Comm_split` of one rank.
#[repr(C)]
#[derive(Clone, Copy)]
struct SplitArguments {
    color: c_int,
    key: c_int,
}

/// Collective over `comm`. Ranks of one color (not `MPI_UNDEFINED`) form a communicator, ordered by
/// key, then by rank in `comm`. `topology` maps a rank's new rank to the new topology.
pub(crate) fn split(
    held: &Held,
    comm: Comm,
    color: c_int,
    key: c_int,
    topology: impl FnOnce(u32) -> Option<Topology>,
) -> Result<Comm> {
    let parent = find(comm)?;
    let (arguments, first) =
        coll::allgather(held, parent.union_comm(), SplitArguments { color, key });
    if color == c::UNDEFINED {
        return Ok(c::COMM_NULL);
    }
    let pick = |ranks: std::ops::Range<u32>| {
        let mut same: Vec<u32> = ranks.filter(|&r| arguments[r as usize].color == color).collect();
        same.sort_by_key(|&r| (arguments[r as usize].key, r));
        same
    };
    if parent.remote.is_some() {
        return Ok(inter::subset(held, comm, &parent, first, pick));
    }
    let same = pick(0..parent.size());
    let context = first + same.iter().min().expect("this rank is one of them");
    let members: Vec<u32> = same.iter().map(|&r| parent.world(r)).collect();
    let mine = same.iter().position(|&r| r == parent.rank).expect("my color") as u32;
    let new = make_handle(held, context, Arc::new(members), topology(mine));
    error::inherit(Site::comm(comm), Site::comm(new));
    Ok(new)
}

/// The ranks of `members` in `parent`: every member must be in it.
fn ranks_in(parent: &Communicator, members: &[u32]) -> Result<Vec<u32>> {
    group::distinct(members)?;
    let rank_of = |&m: &u32| {
        parent.rank_of(m).ok_or_else(|| {
            Error::new(c::ERR_GROUP, format!("world rank {m} is not in the communicator"))
        })
    };
    members.iter().map(rank_of).collect()
}

/// Info key of the hardware level that a split requests or returns, and the only level supported.
const HW_RESOURCE: &[u8] = b"mpi_hw_resource_type";
const SHARED_MEMORY: &[u8] = b"mpi_shared_memory";

/// Ranks share memory if they are on one simulated node, which is also the next hardware level.
/// Levels below the node are not distinguished; MPI allows to return no communicator for them.
fn color_of_type(held: &Held, split_type: c_int, hints: Info) -> Result<c_int> {
    let requested = || -> Result<Option<Vec<u8>>> {
        let of = |(key, _): &(Vec<u8>, _)| key == HW_RESOURCE;
        Ok(info::pairs(hints)?.into_iter().find(of).map(|(_, resource)| resource))
    };
    let is_shared = match split_type {
        c::COMM_TYPE_SHARED | c::COMM_TYPE_HW_UNGUIDED => true,
        c::COMM_TYPE_HW_GUIDED | c::COMM_TYPE_RESOURCE_GUIDED => {
            requested()?.as_deref() == Some(SHARED_MEMORY)
        }
        c::UNDEFINED => false,
        _ => return fail!(c::ERR_ARG, "{split_type} is not a known split type"),
    };
    Ok(if is_shared { runtime::node(held).0 as c_int } else { c::UNDEFINED })
}

fn create(held: &Held, comm: Comm, group: Group) -> Result<Comm> {
    let parent = find(comm)?;
    let members = group::get(group)?;
    if parent.remote.is_some() {
        return inter::create(held, comm, &parent, &members);
    }
    let ranks = ranks_in(&parent, &members)?;
    let first = new_context(held, &parent);
    if !ranks.contains(&parent.rank) {
        return Ok(c::COMM_NULL);
    }
    let lowest = ranks.iter().min().expect("this rank is one of them");
    let new = make_handle(held, first + lowest, members, None);
    error::inherit(Site::comm(comm), Site::comm(new));
    Ok(new)
}

/// Collective over the group only. Its first member obtains a context by itself. All members learn
/// it while they agree on a mask, in messages that no receive of the user can match. Returns `None`
/// if this rank is not a member.
fn make_from_group(
    held: &Held,
    parent: &Arc<Communicator>,
    members: Members,
    tag: c_int,
) -> Result<Option<Arc<Communicator>>> {
    ranks_in(parent, &members)?;
    let me = runtime::rank(held);
    let Some(mine) = members.iter().position(|&m| m == me) else { return Ok(None) };
    let own = if mine == 0 { new_context(held, &find(c::COMM_SELF)?) } else { 0 };
    let context = words::allreduce_max(held, &members, mine, parent.group_context(), tag, own);
    Ok(Some(make(held, context, members, None)))
}

/// The same, with a handle.
pub(crate) fn create_from_group(
    held: &Held,
    parent: &Arc<Communicator>,
    members: Members,
    tag: c_int,
) -> Result<Comm> {
    let made = make_from_group(held, parent, members, tag)?;
    Ok(made.map_or(c::COMM_NULL, |comm| Comm::created(COMMS.insert(comm))))
}

fn free(comm: *mut Comm) -> Result {
    let handle = unsafe { *comm };
    find(handle)?;
    let Some(slot) = handle.slot() else {
        return fail!(c::ERR_COMM, "a predefined communicator cannot be freed");
    };
    attr::delete_all(Kind::Comm, handle.to_int())?;
    error::forget(Site::comm(handle));
    attach::forget(Kind::Comm, handle.to_int());
    COMMS.remove(slot);
    unsafe { *comm = c::COMM_NULL };
    Ok(())
}

/// Compares both groups, and returns the worse result of the two.
fn compare(one: &Communicator, other: &Communicator) -> c_int {
    if one.context == other.context {
        return c::IDENT;
    }
    let groups = match (&one.remote, &other.remote) {
        (None, None) => vec![group::compare(&one.members, &other.members)],
        (Some(a), Some(b)) => {
            let own = group::compare(&one.members, &other.members);
            vec![own, group::compare(&a.members, &b.members)]
        }
        _ => return c::UNEQUAL,
    };
    match groups {
        g if g.contains(&c::UNEQUAL) => c::UNEQUAL,
        g if g.contains(&c::SIMILAR) => c::SIMILAR,
        _ => c::CONGRUENT,
    }
}

fn remote_members(comm: Comm) -> Result<Members> {
    match &find(comm)?.remote {
        Some(remote) => Ok(remote.members.clone()),
        None => fail!(c::ERR_COMM, "not an intercommunicator"),
    }
}

/// Checks a tag of the user, which must not be a wildcard.
fn checked_tag(held: &Held, tag: c_int) -> Result {
    let last = runtime::tag_max(held, tag);
    if (0..=last).contains(&tag) {
        return Ok(());
    }
    fail!(c::ERR_TAG, "tag is {tag}, wanted 0 to {last}")
}

mpi_fn! {
    pub fn Comm_size(comm: Comm, size: *mut c_int) {
        unsafe { *size = find(comm)?.size() as c_int };
        Ok(())
    }
    pub fn Comm_rank(comm: Comm, rank: *mut c_int) {
        unsafe { *rank = find(comm)?.rank as c_int };
        Ok(())
    }
    pub fn Comm_group(comm: Comm, group: *mut Group) {
        unsafe { *group = group::insert(find(comm)?.members.clone()) };
        Ok(())
    }
    pub fn Comm_compare(one: Comm, other: Comm, result: *mut c_int) {
        unsafe { *result = compare(&*find(one)?, &*find(other)?) };
        Ok(())
    }
    pub fn Comm_test_inter(comm: Comm, flag: *mut c_int) {
        unsafe { *flag = c_int::from(find(comm)?.remote.is_some()) };
        Ok(())
    }
    pub fn Comm_remote_size(comm: Comm, size: *mut c_int) {
        unsafe { *size = remote_members(comm)?.len() as c_int };
        Ok(())
    }
    pub fn Comm_remote_group(comm: Comm, group: *mut Group) {
        unsafe { *group = group::insert(remote_members(comm)?) };
        Ok(())
    }
    pub fn Comm_get_parent(parent: *mut Comm) {
        unsafe { *parent = c::COMM_NULL };
        Ok(())
    }

    pub fn Comm_dup(comm: Comm, out: *mut Comm) {
        dup(&runtime::enter()?, comm, None, out)
    }
    pub fn Comm_dup_with_info(comm: Comm, hints: Info, out: *mut Comm) {
        dup(&runtime::enter()?, comm, Some(hints), out)
    }
    pub fn Comm_idup(comm: Comm, out: *mut Comm, request: *mut Request) {
        unsafe { *request = idup(&runtime::enter()?, comm, None, out)? };
        Ok(())
    }
    pub fn Comm_idup_with_info(comm: Comm, hints: Info, out: *mut Comm, request: *mut Request) {
        unsafe { *request = idup(&runtime::enter()?, comm, Some(hints), out)? };
        Ok(())
    }
    pub fn Comm_split(comm: Comm, color: c_int, key: c_int, out: *mut Comm) {
        if color < 0 && color != c::UNDEFINED {
            if checks::is_open_mpi() {
                return fail!(c::ERR_ARG, "color is {color}, wanted 0 or more, or MPI_UNDEFINED");
            }
            checks::accept(accepted::NEGATIVE_COLOR);
        }
        unsafe { *out = split(&runtime::enter()?, comm, color, key, |_| None)? };
        Ok(())
    }
    pub fn Comm_split_type(
        comm: Comm, split_type: c_int, key: c_int, hints: Info, out: *mut Comm,
    ) {
        let held = &runtime::enter()?;
        let color = color_of_type(held, split_type, hints)?;
        let mut new = split(held, comm, color, key, |_| None)?;
        if split_type == c::COMM_TYPE_HW_UNGUIDED && new != c::COMM_NULL {
            // The next level must be a smaller one, and the info object returns its name.
            if find(new)?.size() == find(comm)?.size() {
                free(&mut new)?;
            } else {
                info::write_hint(hints, HW_RESOURCE, SHARED_MEMORY)?;
            }
        }
        unsafe { *out = new };
        Ok(())
    }
    pub fn Comm_create(comm: Comm, group: Group, out: *mut Comm) {
        unsafe { *out = create(&runtime::enter()?, comm, group)? };
        Ok(())
    }
    pub fn Comm_create_group(comm: Comm, group: Group, tag: c_int, out: *mut Comm) {
        let held = &runtime::enter()?;
        let parent = find_intra(comm)?;
        checked_tag(held, tag)?;
        let new = create_from_group(held, &parent, group::get(group)?, tag)?;
        if new != c::COMM_NULL {
            error::inherit(Site::comm(comm), Site::comm(new));
        }
        unsafe { *out = new };
        Ok(())
    }
    pub fn Intercomm_create(
        local: Comm, local_leader: c_int, peer: Comm, remote_leader: c_int, tag: c_int,
        out: *mut Comm,
    ) {
        let held = &runtime::enter()?;
        let group = find_intra(local)?;
        let leader = group.checked(local_leader, "the local leader")?;
        checked_tag(held, tag)?;
        let peer = || Ok((find(peer)?, remote_leader));
        let new = inter::create_intercomm(held, &group, leader, peer, tag)?;
        error::inherit(Site::comm(local), Site::comm(new));
        unsafe { *out = new };
        Ok(())
    }
    pub fn Intercomm_merge(comm: Comm, high: c_int, out: *mut Comm) {
        let held = &runtime::enter()?;
        let new = inter::merge(held, &find(comm)?, high != 0)?;
        error::inherit(Site::comm(comm), Site::comm(new));
        unsafe { *out = new };
        Ok(())
    }
    pub fn Comm_free(comm: *mut Comm) {
        free(comm)
    }
    pub fn Comm_disconnect(comm: *mut Comm) {
        free(comm)
    }

    pub fn Comm_set_name(comm: Comm, name: *const c_char) {
        let text = unsafe { CStr::from_ptr(name) }.to_string_lossy();
        let room = c::MAX_OBJECT_NAME as usize - 1;
        let cut = (0..=room.min(text.len())).rev().find(|&i| text.is_char_boundary(i));
        *lock(&find(comm)?.name) = text[..cut.unwrap_or(0)].to_string();
        Ok(())
    }
    pub fn Comm_get_name(comm: Comm, name: *mut c_char, length: *mut c_int) {
        let text = match comm {
            c::COMM_NULL => "MPI_COMM_NULL".to_string(),
            _ => lock(&find(comm)?.name).clone(),
        };
        unsafe { *length = copy_string(text.as_bytes(), name, c::MAX_OBJECT_NAME as usize) };
        Ok(())
    }
    pub fn Comm_set_info(comm: Comm, hints: Info) {
        *lock(&find(comm)?.info) = hints_of(hints)?;
        Ok(())
    }
    pub fn Comm_get_info(comm: Comm, hints: *mut Info) {
        let own = lock(&find(comm)?.info).clone();
        unsafe { *hints = info::insert(own) };
        Ok(())
    }
}
