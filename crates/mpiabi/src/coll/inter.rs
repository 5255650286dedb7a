//! Collectives of intercommunicators: what one group has goes to the other, in one message for each
//! pair of ranks that has something to give and to take. Nobody needs to know a length that MPI
//! does not make it say. Reductions send the operands and combine them where they arrive, in rank
//! order.

use std::ffi::c_int;
use std::ops::Range;
use std::sync::Arc;

use collectives::Kind;

use super::exchange::{Exchange, Fold};
use super::{Job, Plan, Reduction};
use crate::abi::c;
use crate::buffer::Buffer;
use crate::comm::{Communicator, Remote};
use crate::error::{Error, Result, fail};

/// The other group, if the call is between two.
pub(super) fn remote(comm: &Communicator) -> Option<&Remote> {
    comm.remote.as_ref()
}

/// Operations that have no meaning between groups.
pub(super) fn refuse(comm: &Communicator) -> Result {
    match remote(comm) {
        Some(_) => fail!(c::ERR_COMM, "it takes no intercommunicator"),
        None => Ok(()),
    }
}

/// All of both groups meet.
pub(super) fn barrier(remote: &Remote) -> Plan {
    Job::new(&remote.union_comm, Kind::Barrier, 0).into()
}

/// What a rank has to do with the root.
enum RootRole {
    Root,
    /// Of the root's group.
    Idle,
    /// Of the other one; the root's rank.
    Leaf(u32),
}

fn part(comm: &Communicator, root: c_int) -> Result<RootRole> {
    match root {
        c::ROOT => Ok(RootRole::Root),
        c::PROC_NULL => Ok(RootRole::Idle),
        _ => match comm.checked(root, "the root") {
            Ok(rank) => Ok(RootRole::Leaf(rank)),
            Err(e) => Err(Error { code: c::ERR_ROOT, ..e }),
        },
    }
}

/// A block to or from every peer.
fn all(kind: Kind, blocks: Vec<Buffer>) -> impl Iterator<Item = (Option<u32>, c_int, Buffer)> {
    blocks.into_iter().enumerate().map(move |(i, b)| (Some(i as u32), kind as c_int, b))
}

fn one(kind: Kind, rank: u32, block: Buffer) -> [(Option<u32>, c_int, Buffer); 1] {
    [(Some(rank), kind as c_int, block)]
}

/// The root gives a block to every rank of the other group.
pub(super) fn root_to_group(
    comm: &Arc<Communicator>,
    kind: Kind,
    root: c_int,
    give: impl FnOnce() -> Result<Vec<Buffer>>,
    take: impl FnOnce() -> Result<Buffer>,
) -> Result<Plan> {
    Ok(Plan::Exchange(match part(comm, root)? {
        RootRole::Root => Exchange::new(comm, all(kind, give()?), []),
        RootRole::Idle => Exchange::new(comm, [], []),
        RootRole::Leaf(root) => Exchange::new(comm, [], one(kind, root, take()?)),
    }))
}

/// The root takes a block from every rank of the other group.
pub(super) fn group_to_root(
    comm: &Arc<Communicator>,
    kind: Kind,
    root: c_int,
    give: impl FnOnce() -> Result<Buffer>,
    take: impl FnOnce() -> Result<Vec<Buffer>>,
) -> Result<Plan> {
    Ok(Plan::Exchange(match part(comm, root)? {
        RootRole::Root => Exchange::new(comm, [], all(kind, take()?)),
        RootRole::Idle => Exchange::new(comm, [], []),
        RootRole::Leaf(root) => Exchange::new(comm, one(kind, root, give()?), []),
    }))
}

/// Everybody gives a block to, and takes one from, everybody of the other group.
pub(super) fn all_to_all(
    comm: &Arc<Communicator>,
    kind: Kind,
    give: Vec<Buffer>,
    take: Vec<Buffer>,
) -> Plan {
    Plan::Exchange(Exchange::new(comm, all(kind, give), all(kind, take)))
}

/// Combines what the other group's ranks give: of `length` bytes from each, `part`.
fn folding(
    comm: &Arc<Communicator>,
    kind: Kind,
    reduction: Reduction,
    (length, part): (u64, Range<u64>),
    give: Vec<Buffer>,
    into: Buffer,
) -> Result<Plan> {
    let combiner = reduction.own.expect("an operation of the user's");
    let fold = Fold::new(comm, combiner, length, part, into);
    let take = fold.operand_buffers(comm)?;
    Ok(Plan::Exchange(Exchange::new(comm, all(kind, give), all(kind, take)).folding(fold)))
}

pub(super) fn reduce(
    comm: &Arc<Communicator>,
    root: c_int,
    reduction: impl FnOnce() -> Result<Reduction>,
    give: impl FnOnce() -> Result<Buffer>,
    into: impl FnOnce() -> Result<Buffer>,
) -> Result<Plan> {
    match part(comm, root)? {
        RootRole::Root => {
            let (reduction, into) = (reduction()?, into()?);
            let length = into.bytes();
            let what = (length, 0..length);
            folding(comm, Kind::Reduce, reduction, what, Vec::new(), into)
        }
        RootRole::Idle => Ok(Plan::Exchange(Exchange::new(comm, [], []))),
        RootRole::Leaf(root) => {
            reduction()?;
            Ok(Plan::Exchange(Exchange::new(comm, one(Kind::Reduce, root, give()?), [])))
        }
    }
}

pub(super) fn allreduce(
    comm: &Arc<Communicator>,
    reduction: Reduction,
    give: Buffer,
    into: Buffer,
) -> Result<Plan> {
    let length = into.bytes();
    let give = vec![give; comm.peers().len()];
    folding(comm, Kind::Allreduce, reduction, (length, 0..length), give, into)
}

/// What the other group's vectors add up to is scattered over this one, in blocks of `lengths`
/// bytes. Everybody gives its whole vector, for how the others divide it only they know.
pub(super) fn reduce_scatter(
    comm: &Arc<Communicator>,
    kind: Kind,
    reduction: Reduction,
    lengths: &[u64],
    give: Buffer,
    into: Buffer,
) -> Result<Plan> {
    let mine = comm.rank as usize;
    let start: u64 = lengths[..mine].iter().sum();
    let what = (lengths.iter().sum(), start..start + lengths[mine]);
    let give = vec![give; comm.peers().len()];
    folding(comm, kind, reduction, what, give, into)
}
