//! MPI's functions for communicators.

use std::ffi::{CStr, c_char, c_int};
use std::sync::Arc;

use workload::wire::{self, accepted};

use super::make::{agreement, create_from_group, make_handle, new_context, ranks_in};
use super::{COMMS, Communicator, Hints, find, find_intra, inter, lock};
use crate::abi::{Comm, Group, Info, Kind, Request, c};
use crate::error::{self, Result, Site, copy_string, fail};
use crate::export::mpi_fn;
use crate::group::{self, Members};
use crate::request::{self, Cancellable, InFlight, Outcome};
use crate::runtime::{self, Held};
use crate::topo::Topology;
use crate::{attach, attr, checks, coll, info};

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
