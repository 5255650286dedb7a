//! Arguments to plans: which blocks a rank gives and takes, and what `MPI_IN_PLACE` means for each
//! collective.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use collectives::Kind;

use super::{Job, Plan, Reduction, Side, inter};
use crate::abi::{Comm, Datatype, Op, c};
use crate::buffer::Buffer;
use crate::comm::{self, Communicator};
use crate::error::{Error, Result, fail};
use crate::export::Integer;

pub(super) type Address = *const c_void;
/// Address, count and type, as the C functions take them.
pub(super) type Items<Int> = (Address, Int, Datatype);
/// Address, counts, displacements and type.
pub(super) type Ragged<Int> = (Address, *const Int, *const Int, Datatype);
/// Address, counts, displacements in bytes (of a width of their own), and types.
pub(super) type Mixed<Int, Displacement> =
    (Address, *const Int, *const Displacement, *const Datatype);

pub(super) fn in_place(address: Address) -> bool {
    address as usize == c::IN_PLACE
}

/// Between groups, what a rank gives is never what it takes.
fn allowed_in_place(address: Address, comm: &Communicator) -> Result<bool> {
    if in_place(address) && inter::remote(comm).is_some() {
        return fail!(c::ERR_BUFFER, "MPI_IN_PLACE is not legal on an intercommunicator");
    }
    Ok(in_place(address))
}

pub(super) fn items<Int: Integer>((at, count, datatype): Items<Int>) -> Result<Buffer> {
    if in_place(at) {
        return fail!(c::ERR_BUFFER, "MPI_IN_PLACE is not legal here");
    }
    Buffer::new(at, count.wide(), datatype)
}

fn checked_root(comm: &Communicator, root: c_int) -> Result<u32> {
    comm.checked(root, "the root").map_err(|e| Error { code: c::ERR_ROOT, ..e })
}

/// What a rank gives to itself must be what it takes from itself.
fn same(given: u64, taken: u64) -> Result {
    if given == taken {
        return Ok(());
    }
    fail!(c::ERR_COUNT, "it sends {given} bytes to a rank and expects {taken} from each")
}

/// `count` items a rank, for every rank.
fn everybody<Int: Integer>(block: &Buffer, count: Int, comm: &Communicator) -> Buffer {
    block.items(0, count.wide() as u64 * u64::from(comm.size()))
}

/// `n` blocks of `count` items, one after the other.
pub(super) fn row<Int: Integer>(data: Items<Int>, n: usize) -> Result<Vec<Buffer>> {
    let (count, block) = (data.1.wide(), items(data)?);
    Ok((0..n as i64).map(|i| block.items(i * count, count as u64)).collect())
}

/// One block a rank, at its displacement in items.
pub(super) unsafe fn blocks<Int: Integer>(
    (at, counts, displacements, datatype): Ragged<Int>,
    n: u32,
) -> Result<Vec<Buffer>> {
    if in_place(at) {
        return fail!(c::ERR_BUFFER, "MPI_IN_PLACE is not legal here");
    }
    let base = Buffer::new(at, 0, datatype)?;
    let block = |i: usize| {
        let (count, displacement) = unsafe { (*counts.add(i), *displacements.add(i)) };
        let count = crate::datatype::count(count.wide())?;
        if at.is_null() && count > 0 {
            Buffer::new(at, count as i64, datatype)?;
        }
        Ok(base.items(displacement.wide(), count))
    };
    (0..n as usize).map(block).collect()
}

/// One block a rank, each with a type of its own.
pub(super) unsafe fn mixed<Int: Integer, Displacement: Integer>(
    (at, counts, displacements, datatypes): Mixed<Int, Displacement>,
    n: u32,
) -> Result<Vec<Buffer>> {
    let block = |i: usize| unsafe {
        let there = at.wrapping_byte_offset((*displacements.add(i)).wide() as isize);
        let (count, datatype) = ((*counts.add(i)).wide(), *datatypes.add(i));
        // Nothing of no type is nothing: programs leave such types null.
        let nothing = count == 0 && datatype == c::DATATYPE_NULL;
        Buffer::new(there, count, if nothing { c::BYTE } else { datatype })
    };
    (0..n as usize).map(block).collect()
}

fn lengths(blocks: &[Buffer]) -> Vec<u64> {
    blocks.iter().map(Buffer::bytes).collect()
}

pub(super) fn barrier(comm: Comm) -> Result<Plan> {
    let comm = comm::find(comm)?;
    Ok(match inter::remote(&comm) {
        Some(remote) => inter::barrier(remote),
        None => Job::new(&comm, Kind::Barrier, 0).into(),
    })
}

pub(super) fn bcast<Int: Integer>(data: Items<Int>, root: c_int, comm: Comm) -> Result<Plan> {
    let comm = comm::find(comm)?;
    if inter::remote(&comm).is_some() {
        let give = || Ok(vec![items(data)?; comm.peers().len()]);
        return inter::down(&comm, Kind::Bcast, root, give, || items(data));
    }
    let root = checked_root(&comm, root)?;
    let buffer = items(data)?;
    let job = Job::new(&comm, Kind::Bcast, buffer.bytes()).root(root);
    let side = Side::Whole(buffer);
    Ok(if comm.rank == root { job.give(side) } else { job.take(side) }.into())
}

/// Vector reductions: contribution and result are vectors of one length.
unsafe fn vector<Int: Integer>(
    kind: Kind,
    (from, into): (Address, *mut c_void),
    (count, datatype): (Int, Datatype),
    op: Op,
    comm: Arc<Communicator>,
    takes: bool,
) -> Result<Job> {
    let reduction = Reduction::new(op, datatype)?;
    let may_be_in_place = takes || kind == Kind::Exscan;
    let source = if may_be_in_place && in_place(from) { into.cast_const() } else { from };
    let given = items((source, count, datatype))?;
    let job = Job::new(&comm, kind, given.bytes()).reducing(reduction, given.datatype.size);
    let job = job.give(Side::Whole(given));
    if !takes {
        return Ok(job);
    }
    Ok(job.take(Side::Whole(items((into.cast_const(), count, datatype))?)))
}

pub(super) unsafe fn reduce<Int: Integer>(
    buffers: (Address, *mut c_void),
    data: (Int, Datatype),
    op: Op,
    root: c_int,
    comm: Comm,
) -> Result<Plan> {
    let comm = comm::find(comm)?;
    if inter::remote(&comm).is_some() {
        let reduction = || Reduction::new(op, data.1);
        let give = || items((buffers.0, data.0, data.1));
        let into = || items((buffers.1.cast_const(), data.0, data.1));
        return inter::reduce(&comm, root, reduction, give, into);
    }
    let root = checked_root(&comm, root)?;
    let takes = comm.rank == root;
    Ok(unsafe { vector(Kind::Reduce, buffers, data, op, comm, takes)? }.root(root).into())
}

pub(super) unsafe fn allreduce<Int: Integer>(
    buffers: (Address, *mut c_void),
    data: (Int, Datatype),
    op: Op,
    comm: Comm,
) -> Result<Plan> {
    let comm = comm::find(comm)?;
    if inter::remote(&comm).is_some() {
        let reduction = Reduction::new(op, data.1)?;
        let give = items((buffers.0, data.0, data.1))?;
        let into = items((buffers.1.cast_const(), data.0, data.1))?;
        return inter::allreduce(&comm, reduction, give, into);
    }
    unsafe { vector(Kind::Allreduce, buffers, data, op, comm, true) }.map(Plan::from)
}

pub(super) unsafe fn scan<Int: Integer>(
    buffers: (Address, *mut c_void),
    data: (Int, Datatype),
    op: Op,
    comm: Comm,
) -> Result<Plan> {
    let comm = comm::find(comm)?;
    inter::refuse(&comm)?;
    unsafe { vector(Kind::Scan, buffers, data, op, comm, true) }.map(Plan::from)
}

pub(super) unsafe fn exscan<Int: Integer>(
    buffers: (Address, *mut c_void),
    data: (Int, Datatype),
    op: Op,
    comm: Comm,
) -> Result<Plan> {
    let comm = comm::find(comm)?;
    inter::refuse(&comm)?;
    // Rank 0 gets nothing, so its receive buffer need not be one.
    let takes = comm.rank != 0;
    unsafe { vector(Kind::Exscan, buffers, data, op, comm, takes) }.map(Plan::from)
}

pub(super) fn allgather<Int: Integer>(
    from: Items<Int>,
    into: Items<Int>,
    comm: Comm,
) -> Result<Plan> {
    let comm = comm::find(comm)?;
    if inter::remote(&comm).is_some() {
        let n = comm.peers().len();
        return Ok(inter::across(&comm, Kind::Allgather, vec![items(from)?; n], row(into, n)?));
    }
    let block = items(into)?;
    let (n, count) = (block.bytes(), into.1);
    let own = block.items(i64::from(comm.rank) * count.wide(), count.wide() as u64);
    let given = if in_place(from.0) { own } else { items(from)? };
    same(given.bytes(), n)?;
    let taken = everybody(&block, count, &comm);
    let job = Job::new(&comm, Kind::Allgather, n).in_place(in_place(from.0));
    Ok(job.give(Side::Whole(given)).take(Side::Whole(taken)).into())
}

pub(super) unsafe fn allgatherv<Int: Integer>(
    from: Items<Int>,
    into: Ragged<Int>,
    comm: Comm,
) -> Result<Plan> {
    let comm = comm::find(comm)?;
    let taken = unsafe { blocks(into, comm.peers().len() as u32)? };
    if inter::remote(&comm).is_some() {
        let given = vec![items(from)?; taken.len()];
        return Ok(inter::across(&comm, Kind::Allgatherv, given, taken));
    }
    let own = taken[comm.rank as usize].clone();
    let given = if in_place(from.0) { own.clone() } else { items(from)? };
    same(given.bytes(), own.bytes())?;
    let job = Job::new(&comm, Kind::Allgatherv, own.bytes()).ragged(lengths(&taken));
    let job = job.in_place(in_place(from.0));
    Ok(job.give(Side::Whole(given)).take(Side::Blocks(taken)).into())
}

pub(super) fn gather<Int: Integer>(
    from: Items<Int>,
    into: Items<Int>,
    root: c_int,
    comm: Comm,
) -> Result<Plan> {
    let comm = comm::find(comm)?;
    if inter::remote(&comm).is_some() {
        let take = || row(into, comm.peers().len());
        return inter::up(&comm, Kind::Gather, root, || items(from), take);
    }
    let root = checked_root(&comm, root)?;
    if comm.rank != root {
        let given = items(from)?;
        let job = Job::new(&comm, Kind::Gather, given.bytes()).root(root);
        return Ok(job.give(Side::Whole(given)).into());
    }
    let block = items(into)?;
    let (n, count) = (block.bytes(), into.1);
    let own = block.items(i64::from(root) * count.wide(), count.wide() as u64);
    let given = if in_place(from.0) { own } else { items(from)? };
    same(given.bytes(), n)?;
    let job = Job::new(&comm, Kind::Gather, n).root(root).in_place(in_place(from.0));
    Ok(job.give(Side::Whole(given)).take(Side::Whole(everybody(&block, count, &comm))).into())
}

pub(super) unsafe fn gatherv<Int: Integer>(
    from: Items<Int>,
    into: Ragged<Int>,
    root: c_int,
    comm: Comm,
) -> Result<Plan> {
    let comm = comm::find(comm)?;
    if inter::remote(&comm).is_some() {
        let take = || unsafe { blocks(into, comm.peers().len() as u32) };
        return inter::up(&comm, Kind::Gatherv, root, || items(from), take);
    }
    let root = checked_root(&comm, root)?;
    if comm.rank != root {
        let given = items(from)?;
        let job = Job::new(&comm, Kind::Gatherv, given.bytes()).root(root);
        return Ok(job.give(Side::Whole(given)).into());
    }
    let taken = unsafe { blocks(into, comm.size())? };
    let own = taken[root as usize].clone();
    let given = if in_place(from.0) { own.clone() } else { items(from)? };
    same(given.bytes(), own.bytes())?;
    let job = Job::new(&comm, Kind::Gatherv, own.bytes()).root(root).ragged(lengths(&taken));
    let job = job.in_place(in_place(from.0));
    // The root gives its own block only; the list is there for its index.
    let mut gives = taken.clone();
    gives[root as usize] = given;
    Ok(job.give(Side::Blocks(gives)).take(Side::Blocks(taken)).into())
}

pub(super) fn scatter<Int: Integer>(
    from: Items<Int>,
    into: Items<Int>,
    root: c_int,
    comm: Comm,
) -> Result<Plan> {
    let comm = comm::find(comm)?;
    if inter::remote(&comm).is_some() {
        let give = || row(from, comm.peers().len());
        return inter::down(&comm, Kind::Scatter, root, give, || items(into));
    }
    let root = checked_root(&comm, root)?;
    if comm.rank != root {
        let taken = items(into)?;
        let job = Job::new(&comm, Kind::Scatter, taken.bytes()).root(root);
        return Ok(job.take(Side::Whole(taken)).into());
    }
    let block = items(from)?;
    let job = Job::new(&comm, Kind::Scatter, block.bytes()).root(root);
    let job = job.give(Side::Whole(everybody(&block, from.1, &comm)));
    if in_place(into.0) {
        return Ok(job.in_place(true).into());
    }
    let taken = items(into)?;
    same(block.bytes(), taken.bytes())?;
    Ok(job.take(Side::Whole(taken)).into())
}

pub(super) unsafe fn scatterv<Int: Integer>(
    from: Ragged<Int>,
    into: Items<Int>,
    root: c_int,
    comm: Comm,
) -> Result<Plan> {
    let comm = comm::find(comm)?;
    if inter::remote(&comm).is_some() {
        let give = || unsafe { blocks(from, comm.peers().len() as u32) };
        return inter::down(&comm, Kind::Scatterv, root, give, || items(into));
    }
    let root = checked_root(&comm, root)?;
    if comm.rank != root {
        let taken = items(into)?;
        let job = Job::new(&comm, Kind::Scatterv, taken.bytes()).root(root);
        return Ok(job.take(Side::Whole(taken)).into());
    }
    let given = unsafe { blocks(from, comm.size())? };
    let own = given[root as usize].bytes();
    let job = Job::new(&comm, Kind::Scatterv, own).root(root).ragged(lengths(&given));
    let job = job.give(Side::Blocks(given));
    if in_place(into.0) {
        return Ok(job.in_place(true).into());
    }
    let taken = items(into)?;
    same(own, taken.bytes())?;
    Ok(job.take(Side::Whole(taken)).into())
}

pub(super) fn alltoall<Int: Integer>(
    from: Items<Int>,
    into: Items<Int>,
    comm: Comm,
) -> Result<Plan> {
    let comm = comm::find(comm)?;
    if inter::remote(&comm).is_some() {
        let n = comm.peers().len();
        return Ok(inter::across(&comm, Kind::Alltoall, row(from, n)?, row(into, n)?));
    }
    let block = items(into)?;
    let taken = everybody(&block, into.1, &comm);
    let given = if in_place(from.0) {
        taken.clone()
    } else {
        let block = items(from)?;
        everybody(&block, from.1, &comm)
    };
    same(given.bytes(), taken.bytes())?;
    let element = block.datatype.element_bytes();
    let job = Job::new(&comm, Kind::Alltoall, block.bytes()).elements(element);
    Ok(job.give(Side::Whole(given)).take(Side::Whole(taken)).into())
}

fn exchange(comm: &Arc<Communicator>, given: Vec<Buffer>, taken: Vec<Buffer>) -> Result<Plan> {
    if inter::remote(comm).is_some() {
        return Ok(inter::across(comm, Kind::Alltoallv, given, taken));
    }
    let mine = comm.rank as usize;
    same(given[mine].bytes(), taken[mine].bytes())?;
    let all = [lengths(&given), lengths(&taken)].concat();
    let job = Job::new(comm, Kind::Alltoallv, 0).ragged(all);
    Ok(job.give(Side::Blocks(given)).take(Side::Blocks(taken)).into())
}

pub(super) unsafe fn alltoallv<Int: Integer>(
    from: Ragged<Int>,
    into: Ragged<Int>,
    comm: Comm,
) -> Result<Plan> {
    let comm = comm::find(comm)?;
    let n = comm.peers().len() as u32;
    let taken = unsafe { blocks(into, n)? };
    let given = match allowed_in_place(from.0, &comm)? {
        true => taken.clone(),
        false => unsafe { blocks(from, n)? },
    };
    exchange(&comm, given, taken)
}

pub(super) unsafe fn alltoallw<Int: Integer>(
    from: Mixed<Int, Int>,
    into: Mixed<Int, Int>,
    comm: Comm,
) -> Result<Plan> {
    let comm = comm::find(comm)?;
    let n = comm.peers().len() as u32;
    let taken = unsafe { mixed(into, n)? };
    let given = match allowed_in_place(from.0, &comm)? {
        true => taken.clone(),
        false => unsafe { mixed(from, n)? },
    };
    exchange(&comm, given, taken)
}

pub(super) unsafe fn reduce_scatter<Int: Integer>(
    (from, into): (Address, *mut c_void),
    counts: *const Int,
    datatype: Datatype,
    op: Op,
    comm: Comm,
) -> Result<Plan> {
    let comm = comm::find(comm)?;
    let reduction = Reduction::new(op, datatype)?;
    let count = |i: u32| crate::datatype::count(unsafe { *counts.add(i as usize) }.wide());
    let counts = (0..comm.size()).map(count).collect::<Result<Vec<u64>>>()?;
    let source = if allowed_in_place(from, &comm)? { into.cast_const() } else { from };
    let total: u64 = counts.iter().sum();
    let given = items((source, total as i64, datatype))?;
    let mine = counts[comm.rank as usize];
    let taken = items((into.cast_const(), mine as i64, datatype))?;
    let size = given.datatype.size;
    if inter::remote(&comm).is_some() {
        let lengths: Vec<u64> = counts.iter().map(|n| n * size).collect();
        return inter::reduce_scatter(
            &comm,
            Kind::ReduceScatter,
            reduction,
            &lengths,
            given,
            taken,
        );
    }
    let job = Job::new(&comm, Kind::ReduceScatter, mine * size)
        .ragged(counts.iter().map(|n| n * size))
        .reducing(reduction, size);
    Ok(job.give(Side::Whole(given)).take(Side::Whole(taken)).into())
}

pub(super) unsafe fn reduce_scatter_block<Int: Integer>(
    (from, into): (Address, *mut c_void),
    (count, datatype): (Int, Datatype),
    op: Op,
    comm: Comm,
) -> Result<Plan> {
    let comm = comm::find(comm)?;
    let reduction = Reduction::new(op, datatype)?;
    let source = if allowed_in_place(from, &comm)? { into.cast_const() } else { from };
    let block = items((source, count, datatype))?;
    let taken = items((into.cast_const(), count, datatype))?;
    let given = everybody(&block, count, &comm);
    if inter::remote(&comm).is_some() {
        let (kind, lengths) = (Kind::ReduceScatterBlock, vec![block.bytes(); comm.size() as usize]);
        return inter::reduce_scatter(&comm, kind, reduction, &lengths, given, taken);
    }
    let job = Job::new(&comm, Kind::ReduceScatterBlock, block.bytes())
        .reducing(reduction, block.datatype.size);
    Ok(job.give(Side::Whole(given)).take(Side::Whole(taken)).into())
}
