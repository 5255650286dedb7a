//! Collectives on intercommunicators: each group sends its data to the other, in one message per
//! pair of ranks with data to exchange. No rank needs a length that its MPI arguments do not give.
//! Reductions send the operands and combine them at the receiver, in rank order.

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

/// The remote group, if the communicator is an intercommunicator.
pub(super) fn remote(comm: &Communicator) -> Option<&Remote> {
    comm.remote.as_ref()
}

/// Rejects operations that are not defined for intercommunicators.
pub(super) fn refuse(comm: &Communicator) -> Result {
    match remote(comm) {
        Some(_) => fail!(c::ERR_COMM, "an intercommunicator is not allowed"),
        None => Ok(()),
    }
}

/// A barrier over both groups.
pub(super) fn barrier(remote: &Remote) -> Plan {
    Job::new(&remote.union_comm, Kind::Barrier, 0).into()
}

/// The role of a rank relative to the root.
enum RootRole {
    Root,
    /// A rank of the root's group.
    Idle,
    /// A rank of the other group; holds the root's rank.
    Leaf(u32),
}

fn root_role(comm: &Communicator, root: c_int) -> Result<RootRole> {
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

/// The root sends a block to every rank of the other group.
pub(super) fn root_to_group(
    comm: &Arc<Communicator>,
    kind: Kind,
    root: c_int,
    outgoing: impl FnOnce() -> Result<Vec<Buffer>>,
    incoming: impl FnOnce() -> Result<Buffer>,
) -> Result<Plan> {
    Ok(Plan::Exchange(match root_role(comm, root)? {
        RootRole::Root => Exchange::new(comm, all(kind, outgoing()?), []),
        RootRole::Idle => Exchange::new(comm, [], []),
        RootRole::Leaf(root) => Exchange::new(comm, [], one(kind, root, incoming()?)),
    }))
}

/// The root receives a block from every rank of the other group.
pub(super) fn group_to_root(
    comm: &Arc<Communicator>,
    kind: Kind,
    root: c_int,
    outgoing: impl FnOnce() -> Result<Buffer>,
    incoming: impl FnOnce() -> Result<Vec<Buffer>>,
) -> Result<Plan> {
    Ok(Plan::Exchange(match root_role(comm, root)? {
        RootRole::Root => Exchange::new(comm, [], all(kind, incoming()?)),
        RootRole::Idle => Exchange::new(comm, [], []),
        RootRole::Leaf(root) => Exchange::new(comm, one(kind, root, outgoing()?), []),
    }))
}

/// Every rank sends a block to, and receives one from, every rank of the other group.
pub(super) fn all_to_all(
    comm: &Arc<Communicator>,
    kind: Kind,
    outgoing: Vec<Buffer>,
    incoming: Vec<Buffer>,
) -> Plan {
    Plan::Exchange(Exchange::new(comm, all(kind, outgoing), all(kind, incoming)))
}

/// Combines the operands of the other group's ranks: `part` of `length` bytes from each.
fn folding(
    comm: &Arc<Communicator>,
    kind: Kind,
    reduction: Reduction,
    (length, part): (u64, Range<u64>),
    outgoing: Vec<Buffer>,
    into: Buffer,
) -> Result<Plan> {
    let combiner = reduction.own.expect("an operation of the user's");
    let fold = Fold::new(comm, combiner, length, part, into);
    let incoming = fold.operand_buffers(comm)?;
    Ok(Plan::Exchange(Exchange::new(comm, all(kind, outgoing), all(kind, incoming)).folding(fold)))
}

pub(super) fn reduce(
    comm: &Arc<Communicator>,
    root: c_int,
    reduction: impl FnOnce() -> Result<Reduction>,
    outgoing: impl FnOnce() -> Result<Buffer>,
    into: impl FnOnce() -> Result<Buffer>,
) -> Result<Plan> {
    match root_role(comm, root)? {
        RootRole::Root => {
            let (reduction, into) = (reduction()?, into()?);
            let length = into.bytes();
            let what = (length, 0..length);
            folding(comm, Kind::Reduce, reduction, what, Vec::new(), into)
        }
        RootRole::Idle => Ok(Plan::Exchange(Exchange::new(comm, [], []))),
        RootRole::Leaf(root) => {
            reduction()?;
            Ok(Plan::Exchange(Exchange::new(comm, one(Kind::Reduce, root, outgoing()?), [])))
        }
    }
}

pub(super) fn allreduce(
    comm: &Arc<Communicator>,
    reduction: Reduction,
    outgoing: Buffer,
    into: Buffer,
) -> Result<Plan> {
    let length = into.bytes();
    let outgoing = vec![outgoing; comm.peers().len()];
    folding(comm, Kind::Allreduce, reduction, (length, 0..length), outgoing, into)
}

/// The other group's vectors are reduced and scattered over this group, in blocks of `lengths`
/// bytes. Every rank sends its whole vector, because only the receivers know how they divide it.
pub(super) fn reduce_scatter(
    comm: &Arc<Communicator>,
    kind: Kind,
    reduction: Reduction,
    lengths: &[u64],
    outgoing: Buffer,
    into: Buffer,
) -> Result<Plan> {
    let mine = comm.rank as usize;
    let start: u64 = lengths[..mine].iter().sum();
    let what = (lengths.iter().sum(), start..start + lengths[mine]);
    let outgoing = vec![outgoing; comm.peers().len()];
    folding(comm, kind, reduction, what, outgoing, into)
}
