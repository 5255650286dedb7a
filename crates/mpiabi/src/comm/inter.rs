//! Intercommunicators: two groups, each of which communicates with the other.
//!
//! Two leaders create them. Over a communicator of both, they exchange the members of their groups
//! and a context that each has obtained. The context of the leader with the lower world rank is
//! used. Then each leader broadcasts the result in its group. Later agreement uses the hidden
//! communicator of both groups.

use std::ffi::c_int;
use std::ops::Range;
use std::sync::Arc;

use super::make::{make, make_from_group, make_handle as make_intra, new_context, ranks_in};
use super::{COMMS, Communicator, Members, Ranks, Remote, find, words};
use crate::abi::{Comm, c};
use crate::coll;
use crate::error::{self, Error, Result, Site, fail};
use crate::group;
use crate::runtime::{self, Held};

/// Creates the intercommunicator of two disjoint groups; this rank is a member of `own`.
/// `is_first`: the ranks of `own` come first in the union.
pub(super) fn make_handle(
    held: &Held,
    context: u32,
    own: Members,
    others: Members,
    is_first: bool,
) -> Comm {
    let (one, two) = if is_first { (&own, &others) } else { (&others, &own) };
    let union_comm = make(held, context, Arc::new([&one[..], &two[..]].concat()), None);
    let mut comm = Communicator::new(context, own, runtime::rank(held), None);
    comm.ranks = Ranks::new(&others);
    comm.remote = Some(Remote { members: others, union_comm, is_first });
    Comm::created(COMMS.insert(Arc::new(comm)))
}

/// What a leader learns from the other, and broadcasts in its group.
struct RemoteGroup {
    context: u32,
    is_first: bool,
    others: Vec<u32>,
}

impl RemoteGroup {
    fn to_words(result: &Result<RemoteGroup>) -> Vec<u32> {
        match result {
            Ok(i) => {
                [&[c::SUCCESS as u32, i.context, u32::from(i.is_first)], &i.others[..]].concat()
            }
            Err(e) => vec![e.code as u32],
        }
    }
    fn from_words(words: &[u32]) -> Result<RemoteGroup> {
        match words {
            [0, context, is_first, others @ ..] => {
                let others = others.to_vec();
                Ok(RemoteGroup { context: *context, is_first: *is_first != 0, others })
            }
            _ => fail!(words[0] as c_int, "the leaders of the two groups did not agree"),
        }
    }
}

/// The leader's part. `peer` contains both leaders.
fn exchange_leaders(
    held: &Held,
    local: &Communicator,
    (peer, leader): (Arc<Communicator>, c_int),
    tag: c_int,
) -> Result<RemoteGroup> {
    let other = peer.world(peer.checked(leader, "the remote leader")?);
    let me = runtime::rank(held);
    if local.members.contains(&other) {
        let what = "the remote leader is in the local group: the two must have no common member";
        return fail!(c::ERR_COMM, "{what}");
    }
    let own = new_context(held, &find(c::COMM_SELF)?);
    let outgoing = [&[own], &local.members[..]].concat();
    let incoming = words::sendrecv(held, other, peer.leaders_context(), tag, &outgoing);
    let (&theirs, others) = incoming.split_first().expect("a leader's message is not empty");
    if let Some(common) = others.iter().find(|m| local.members.contains(m)) {
        return fail!(c::ERR_COMM, "world rank {common} is in both groups");
    }
    let is_first = me < other;
    let context = if is_first { own } else { theirs };
    Ok(RemoteGroup { context, is_first, others: others.to_vec() })
}

/// Collective over the group `local`, while the other group calls elsewhere. Only the leader
/// evaluates the peer communicator and the other leader's rank in it.
pub(super) fn create_intercomm(
    held: &Held,
    local: &Arc<Communicator>,
    leader: u32,
    peer: impl FnOnce() -> Result<(Arc<Communicator>, c_int)>,
    tag: c_int,
) -> Result<Comm> {
    let result = if local.rank == leader {
        let result = peer().and_then(|peer| exchange_leaders(held, local, peer, tag));
        coll::broadcast_words(held, local, leader, &RemoteGroup::to_words(&result));
        result?
    } else {
        RemoteGroup::from_words(&coll::broadcast_words(held, local, leader, &[]))?
    };
    let RemoteGroup { context, is_first, others } = result;
    Ok(make_handle(held, context, local.members.clone(), Arc::new(others), is_first))
}

/// The same for two groups of a communicator that have no communicators of their own yet.
pub(crate) fn create_intercomm_from_groups(
    held: &Held,
    (local, local_leader): (Members, c_int),
    remote: impl FnOnce() -> Result<(Members, c_int)>,
    world: &Arc<Communicator>,
    tag: c_int,
) -> Result<Comm> {
    if !local.contains(&runtime::rank(held)) {
        return fail!(c::ERR_GROUP, "this process is not in the local group");
    }
    let in_group = |leader: c_int, group: &[u32], which: &str| match group.get(leader as usize) {
        Some(&member) => Ok(member),
        None => fail!(c::ERR_RANK, "the {which} leader is {leader} in a group of {}", group.len()),
    };
    in_group(local_leader, &local, "local")?;
    let group = make_from_group(held, world, local, tag)?.expect("a member");
    let peer = || {
        let (members, leader) = remote()?;
        let leader = in_group(leader, &members, "remote")?;
        let rank = ranks_in(world, &[leader])?[0];
        Ok((world.clone(), rank as c_int))
    };
    create_intercomm(held, &group, local_leader as u32, peer, tag)
}

impl Remote {
    /// The ranks of the local and of the remote group in the union.
    fn ranges(&self, own: u32) -> (Range<u32>, Range<u32>) {
        let all = self.union_comm.size();
        if self.is_first { (0..own, own..all) } else { (all - own..all, 0..all - own) }
    }
}

/// The intercommunicator of subsets of both groups, ordered by `pick`. `first` is the first of as
/// many contexts as the union has ranks. Null if either subset is empty, or if this rank is in
/// neither.
pub(super) fn subset(
    held: &Held,
    handle: Comm,
    parent: &Communicator,
    first: u32,
    pick: impl Fn(Range<u32>) -> Vec<u32>,
) -> Comm {
    let remote = parent.remote.as_ref().expect("an intercommunicator");
    let (own, other) = remote.ranges(parent.size());
    let (own, other) = (pick(own), pick(other));
    let lowest = own.iter().chain(&other).min();
    let mine = own.contains(&remote.union_comm.rank);
    let (Some(lowest), false, true) = (lowest, other.is_empty(), mine) else {
        return c::COMM_NULL;
    };
    let worlds =
        |ranks: &[u32]| Arc::new(ranks.iter().map(|&r| remote.union_comm.world(r)).collect());
    let new = make_handle(held, first + lowest, worlds(&own), worlds(&other), remote.is_first);
    error::inherit(Site::comm(handle), Site::comm(new));
    new
}

/// Each side passes a subset of its own group.
pub(super) fn create(
    held: &Held,
    handle: Comm,
    parent: &Arc<Communicator>,
    members: &[u32],
) -> Result<Comm> {
    group::distinct(members)?;
    if let Some(other) = members.iter().find(|m| !parent.members.contains(m)) {
        return fail!(c::ERR_GROUP, "world rank {other} is not in the local group");
    }
    let me = runtime::rank(held);
    let mine = members.iter().position(|&m| m == me).map_or(u32::MAX, |r| r as u32);
    let (places, first) = coll::allgather(held, parent.union_comm(), mine);
    let pick = |ranks: Range<u32>| {
        let mut some: Vec<u32> = ranks.filter(|&r| places[r as usize] != u32::MAX).collect();
        some.sort_by_key(|&r| places[r as usize]);
        some
    };
    Ok(subset(held, handle, parent, first, pick))
}

/// Merges both groups into one communicator. The group that passes `high` = false comes first. If
/// both pass the same value, the group whose leader has the lower world rank comes first.
pub(super) fn merge(held: &Held, parent: &Arc<Communicator>, high: bool) -> Result<Comm> {
    let Some(remote) = &parent.remote else {
        return fail!(c::ERR_COMM, "not an intercommunicator");
    };
    let (all, context) = coll::allgather(held, &remote.union_comm, high);
    let (own, other) = remote.ranges(parent.size());
    let high_of = |ranks: Range<u32>| -> Result<bool> {
        let of = |r: u32| all[r as usize];
        if ranks.clone().any(|r| of(r) != of(ranks.start)) {
            return Err(Error::new(c::ERR_ARG, "ranks of one group pass different values of high"));
        }
        Ok(of(ranks.start))
    };
    let (mine, theirs) = (high_of(own)?, high_of(other)?);
    let own_first = if mine == theirs { remote.is_first } else { !mine };
    let (one, two) = if own_first {
        (&parent.members, &remote.members)
    } else {
        (&remote.members, &parent.members)
    };
    Ok(make_intra(held, context, Arc::new([&one[..], &two[..]].concat()), None))
}
