//! New communicators: agreement on their contexts, and their registration with the simulator.

use std::ffi::c_int;
use std::sync::Arc;

use workload::wire::{Submission, kind};

use super::{COMMS, Communicator, ContextRegistration, FREED_CONTEXTS, MASK_BYTES, OWN, WORLD};
use super::{find, lock, words};
use crate::abi::{Comm, c};
use crate::attr;
use crate::coll::Job;
use crate::error::{Error, Result};
use crate::group::{self, Members};
use crate::runtime::{self, Held};
use crate::topo::Topology;

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
pub(super) fn make(
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
pub(super) fn make_handle(
    held: &Held,
    context: u32,
    members: Members,
    topology: Option<Topology>,
) -> Comm {
    Comm::created(COMMS.insert(make(held, context, members, topology)))
}

/// Starts an agreement whose completion carries the first of `size` new contexts in `value`.
/// Returns the token and the working buffer.
pub(super) fn agreement(held: &Held, comm: &Arc<Communicator>) -> (u32, u64) {
    Job::agreement(comm.union_comm(), MASK_BYTES).submit(held)
}

/// Collective over `parent`, blocking.
pub(super) fn new_context(held: &Held, parent: &Arc<Communicator>) -> u32 {
    let (token, block) = agreement(held, parent);
    runtime::wait_all(held, &[token]);
    let value = runtime::completion(held, token).expect("waited for").value as u32;
    runtime::release_token(held, token);
    runtime::free(held, block);
    value
}

/// The ranks of `members` in `parent`: every member must be in it.
pub(super) fn ranks_in(parent: &Communicator, members: &[u32]) -> Result<Vec<u32>> {
    group::distinct(members)?;
    let rank_of = |&m: &u32| {
        parent.rank_of(m).ok_or_else(|| {
            Error::new(c::ERR_GROUP, format!("world rank {m} is not in the communicator"))
        })
    };
    members.iter().map(rank_of).collect()
}

/// Collective over the group only. Its first member obtains a context by itself. All members learn
/// it while they agree on a mask, in messages that no receive of the user can match. Returns `None`
/// if this rank is not a member.
pub(super) fn make_from_group(
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
