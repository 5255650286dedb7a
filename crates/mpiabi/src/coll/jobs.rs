//! Converts arguments to plans: which blocks a rank sends and receives, and the meaning of
//! `MPI_IN_PLACE` for each collective.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use collectives::Kind;
use workload::wire::accepted;

use super::{Job, Plan, Reduction, Side, inter};
use crate::abi::{Comm, Datatype, Op, c};
use crate::buffer::Buffer;
use crate::checks;
use crate::comm::{self, Communicator};
use crate::error::{Error, Result, fail};
use crate::export::Integer;

pub(super) type Address = *const c_void;
/// Address, count and type, as the C functions take them.
pub(super) type Items<Int> = (Address, Int, Datatype);
/// Address, counts, displacements and type.
pub(super) type Ragged<Int> = (Address, *const Int, *const Int, Datatype);
/// Address, counts, displacements in bytes (in an integer type of their own), and types.
pub(super) type Mixed<Int, Displacement> =
    (Address, *const Int, *const Displacement, *const Datatype);

pub(super) fn in_place(address: Address) -> bool {
    address as usize == c::IN_PLACE
}

/// On intercommunicators the send buffer is never the receive buffer.
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

/// Length of the block that a rank sends to itself. It should equal the length it receives. A
/// longer block is truncated, as a message is; a shorter one leaves the rest of the receive buffer
/// unchanged.
fn own_block(outgoing: u64, incoming: u64) -> Result<u64> {
    if outgoing > incoming {
        return fail!(
            c::ERR_TRUNCATE,
            "it sends {outgoing} bytes to each rank and expects {incoming}"
        );
    }
    if outgoing < incoming {
        checks::accept(accepted::BLOCK_LENGTHS);
    }
    Ok(outgoing)
}

/// Checks the block that a rank sends to itself where every rank must know its length.
fn same(outgoing: u64, incoming: u64) -> Result {
    if outgoing == incoming {
        return Ok(());
    }
    fail!(c::ERR_COUNT, "it sends {outgoing} bytes to a rank and expects {incoming} from each")
}

/// The same in an allgather. MPICH sends no more than the others expect, because its algorithms
/// first copy the own block to its place in the receive buffer. Open MPI reports a longer block.
fn check_own_block(outgoing: u64, incoming: u64) -> Result {
    if outgoing <= incoming || checks::is_open_mpi() {
        return own_block(outgoing, incoming).map(drop);
    }
    checks::accept(accepted::BLOCK_LENGTHS);
    Ok(())
}

/// Rejects aliased buffers of a reduction.
fn check_alias<Int: Integer>((from, into): (Address, *mut c_void), count: Int) -> Result {
    if in_place(from) || count.wide() <= 0 {
        return Ok(());
    }
    checks::alias(from, into)
}

/// The same where one side has a block per rank; the own block starts after `items` items. MPICH
/// compares blocks of one type only, and counts their bytes without gaps.
fn check_own_alias(
    (block, blocks): (Address, Address),
    (type_of_block, type_of_blocks): (Datatype, Datatype),
    items: i64,
) -> Result {
    if in_place(block) || in_place(blocks) || type_of_block != type_of_blocks {
        return Ok(());
    }
    let bytes = items.wrapping_mul(crate::datatype::get(type_of_blocks)?.size as i64);
    checks::alias(block, blocks.wrapping_byte_offset(bytes as isize))
}

/// The same where the blocks have displacements.
unsafe fn check_ragged_alias<Int: Integer>(
    block: Items<Int>,
    (at, counts, displacements, datatype): Ragged<Int>,
    own: u32,
) -> Result {
    let (count, first) = unsafe { (*counts.add(own as usize), *displacements.add(own as usize)) };
    if in_place(block.0) || block.1.wide() == 0 || count.wide() == 0 {
        return Ok(());
    }
    check_own_alias((block.0, at), (block.2, datatype), first.wide())
}

/// Whether both sides use the same array of counts, and any of the `n` counts is not zero.
unsafe fn has_common_counts<Int: Integer>(sent: *const Int, received: *const Int, n: u32) -> bool {
    let counts = (0..n as usize).map(|i| unsafe { *sent.add(i) }.wide());
    sent == received && counts.into_iter().any(|count| count != 0)
}

/// `count` items per rank, for every rank.
fn all_blocks<Int: Integer>(block: &Buffer, count: Int, comm: &Communicator) -> Buffer {
    block.items(0, count.wide() as u64 * u64::from(comm.size()))
}

/// The same as a side in which each block receives `bytes`: all of the block, or its beginning.
fn blocks_if_shorter<Int: Integer>(
    block: &Buffer,
    count: Int,
    comm: &Communicator,
    bytes: u64,
) -> Side {
    if block.bytes() == bytes {
        return Side::Whole(all_blocks(block, count, comm));
    }
    let nth = |i: i64| block.items(i * count.wide(), count.wide() as u64);
    Side::Blocks((0..i64::from(comm.size())).map(nth).collect())
}

/// A buffer whose datatype MPICH checks even if the count is 0.
fn typed<Int: Integer>(data: Items<Int>) -> Result<Buffer> {
    check_type(data.2)?;
    items(data)
}

fn check_type(datatype: Datatype) -> Result {
    if datatype == c::DATATYPE_NULL {
        return fail!(c::ERR_TYPE, "the datatype is null");
    }
    Ok(())
}

/// `n` consecutive blocks of `count` items, whose datatype is checked even if they are empty.
fn typed_row<Int: Integer>(data: Items<Int>, n: usize) -> Result<Vec<Buffer>> {
    check_type(data.2)?;
    row(data, n)
}

/// Checks arrays that have an entry per rank.
fn check_arrays(n: u32, arrays: &[(&str, bool)]) -> Result {
    match arrays.iter().find(|(_, is_null)| *is_null) {
        Some((name, _)) if n > 0 => fail!(c::ERR_ARG, "the array of {name} is NULL"),
        _ => Ok(()),
    }
}

/// `n` consecutive blocks of `count` items.
pub(super) fn row<Int: Integer>(data: Items<Int>, n: usize) -> Result<Vec<Buffer>> {
    let (count, block) = (data.1.wide(), items(data)?);
    Ok((0..n as i64).map(|i| block.items(i * count, count as u64)).collect())
}

/// One block per rank, at its displacement in items.
pub(super) unsafe fn blocks<Int: Integer>(
    (at, counts, displacements, datatype): Ragged<Int>,
    n: u32,
) -> Result<Vec<Buffer>> {
    if in_place(at) {
        return fail!(c::ERR_BUFFER, "MPI_IN_PLACE is not legal here");
    }
    check_arrays(n, &[("counts", counts.is_null()), ("displacements", displacements.is_null())])?;
    check_type(datatype)?;
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

/// One block per rank, each with its own type.
pub(super) unsafe fn mixed<Int: Integer, Displacement: Integer>(
    (at, counts, displacements, datatypes): Mixed<Int, Displacement>,
    n: u32,
) -> Result<Vec<Buffer>> {
    check_arrays(
        n,
        &[
            ("counts", counts.is_null()),
            ("displacements", displacements.is_null()),
            ("datatypes", datatypes.is_null()),
        ],
    )?;
    let block = |i: usize| unsafe {
        let there = at.wrapping_byte_offset((*displacements.add(i)).wide() as isize);
        let (count, datatype) = ((*counts.add(i)).wide(), *datatypes.add(i));
        // Programs pass the null datatype for empty blocks.
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
        let outgoing = || Ok(vec![items(data)?; comm.peers().len()]);
        return inter::root_to_group(&comm, Kind::Bcast, root, outgoing, || items(data));
    }
    let root = checked_root(&comm, root)?;
    let buffer = items(data)?;
    let job = Job::new(&comm, Kind::Bcast, buffer.bytes()).root(root);
    let job = job.elements(buffer.datatype.size);
    let side = Side::Whole(buffer);
    Ok(if comm.rank == root { job.outgoing(side) } else { job.incoming(side) }.into())
}

/// Vector reductions: contribution and result are vectors of one length.
unsafe fn vector<Int: Integer>(
    kind: Kind,
    (from, into): (Address, *mut c_void),
    (count, datatype): (Int, Datatype),
    op: Op,
    comm: Arc<Communicator>,
    receives: bool,
) -> Result<Job> {
    let reduction = Reduction::new(op, datatype)?;
    // MPICH also compares Exscan's buffers on rank 0, which receives nothing.
    if receives || kind == Kind::Exscan {
        check_alias((from, into), count)?;
    }
    let may_be_in_place = receives || kind == Kind::Exscan;
    let source = if may_be_in_place && in_place(from) { into.cast_const() } else { from };
    let outgoing = items((source, count, datatype))?;
    let job = Job::new(&comm, kind, outgoing.bytes()).reducing(reduction, outgoing.datatype.size);
    let job = job.outgoing(Side::Whole(outgoing));
    if !receives {
        return Ok(job);
    }
    Ok(job.incoming(Side::Whole(items((into.cast_const(), count, datatype))?)))
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
        if root == c::ROOT {
            check_alias(buffers, data.0)?;
        }
        let reduction = || Reduction::new(op, data.1);
        let outgoing = || items((buffers.0, data.0, data.1));
        let into = || items((buffers.1.cast_const(), data.0, data.1));
        return inter::reduce(&comm, root, reduction, outgoing, into);
    }
    let root = checked_root(&comm, root)?;
    let receives = comm.rank == root;
    Ok(unsafe { vector(Kind::Reduce, buffers, data, op, comm, receives)? }.root(root).into())
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
        let outgoing = items((buffers.0, data.0, data.1))?;
        let into = items((buffers.1.cast_const(), data.0, data.1))?;
        return inter::allreduce(&comm, reduction, outgoing, into);
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
    // Rank 0 receives nothing, so its receive buffer may be invalid.
    let receives = comm.rank != 0;
    unsafe { vector(Kind::Exscan, buffers, data, op, comm, receives) }.map(Plan::from)
}

pub(super) fn allgather<Int: Integer>(
    from: Items<Int>,
    into: Items<Int>,
    comm: Comm,
) -> Result<Plan> {
    let comm = comm::find(comm)?;
    if inter::remote(&comm).is_some() {
        let n = comm.peers().len();
        let (outgoing, incoming) = (vec![typed(from)?; n], typed_row(into, n)?);
        return Ok(inter::all_to_all(&comm, Kind::Allgather, outgoing, incoming));
    }
    let block = typed(into)?;
    let (n, count) = (block.bytes(), into.1);
    let first = i64::from(comm.rank) * count.wide();
    let own = block.items(first, count.wide() as u64);
    let outgoing = if in_place(from.0) { own } else { typed(from)? };
    if from.1.wide() == count.wide() && count.wide() != 0 {
        check_own_alias((from.0, into.0), (from.2, into.2), first)?;
    }
    check_own_block(outgoing.bytes(), n)?;
    let n = outgoing.bytes().min(n);
    let incoming = blocks_if_shorter(&block, count, &comm, n);
    let job = Job::new(&comm, Kind::Allgather, n).in_place(in_place(from.0));
    let job = job.elements(block.datatype.size);
    Ok(job.outgoing(Side::Whole(outgoing)).incoming(incoming).into())
}

pub(super) unsafe fn allgatherv<Int: Integer>(
    from: Items<Int>,
    into: Ragged<Int>,
    comm: Comm,
) -> Result<Plan> {
    let comm = comm::find(comm)?;
    let incoming = unsafe { blocks(into, comm.peers().len() as u32)? };
    if inter::remote(&comm).is_some() {
        let outgoing = vec![typed(from)?; incoming.len()];
        return Ok(inter::all_to_all(&comm, Kind::Allgatherv, outgoing, incoming));
    }
    let own = incoming[comm.rank as usize].clone();
    let outgoing = if in_place(from.0) { own.clone() } else { typed(from)? };
    unsafe { check_ragged_alias(from, into, comm.rank)? };
    if outgoing.bytes() > own.bytes() {
        check_own_block(outgoing.bytes(), own.bytes())?;
    } else {
        same(outgoing.bytes(), own.bytes())?;
    }
    let job = Job::new(&comm, Kind::Allgatherv, own.bytes()).ragged(lengths(&incoming));
    let job = job.elements(own.datatype.size);
    let job = job.in_place(in_place(from.0));
    Ok(job.outgoing(Side::Whole(outgoing)).incoming(Side::Blocks(incoming)).into())
}

pub(super) fn gather<Int: Integer>(
    from: Items<Int>,
    into: Items<Int>,
    root: c_int,
    comm: Comm,
) -> Result<Plan> {
    let comm = comm::find(comm)?;
    if inter::remote(&comm).is_some() {
        let incoming = || typed_row(into, comm.peers().len());
        return inter::group_to_root(&comm, Kind::Gather, root, || typed(from), incoming);
    }
    let root = checked_root(&comm, root)?;
    if comm.rank != root {
        let outgoing = typed(from)?;
        let job = Job::new(&comm, Kind::Gather, outgoing.bytes()).root(root);
        return Ok(job.outgoing(Side::Whole(outgoing)).into());
    }
    let block = typed(into)?;
    let count = into.1;
    let first = i64::from(root) * count.wide();
    let own = block.items(first, count.wide() as u64);
    let outgoing = if in_place(from.0) { own } else { typed(from)? };
    if from.1.wide() == count.wide() && count.wide() != 0 {
        check_own_alias((from.0, into.0), (from.2, into.2), first)?;
    }
    let n = own_block(outgoing.bytes(), block.bytes())?;
    let job = Job::new(&comm, Kind::Gather, n).root(root).in_place(in_place(from.0));
    let incoming = blocks_if_shorter(&block, count, &comm, n);
    Ok(job.outgoing(Side::Whole(outgoing)).incoming(incoming).into())
}

pub(super) unsafe fn gatherv<Int: Integer>(
    from: Items<Int>,
    into: Ragged<Int>,
    root: c_int,
    comm: Comm,
) -> Result<Plan> {
    let comm = comm::find(comm)?;
    if inter::remote(&comm).is_some() {
        let incoming = || unsafe { blocks(into, comm.peers().len() as u32) };
        return inter::group_to_root(&comm, Kind::Gatherv, root, || typed(from), incoming);
    }
    let root = checked_root(&comm, root)?;
    if comm.rank != root {
        let outgoing = typed(from)?;
        let job = Job::new(&comm, Kind::Gatherv, outgoing.bytes()).root(root);
        return Ok(job.outgoing(Side::Whole(outgoing)).into());
    }
    let incoming = unsafe { blocks(into, comm.size())? };
    let own = incoming[root as usize].clone();
    let outgoing = if in_place(from.0) { own.clone() } else { typed(from)? };
    unsafe { check_ragged_alias(from, into, root)? };
    let mut all = lengths(&incoming);
    all[root as usize] = own_block(outgoing.bytes(), own.bytes())?;
    let job = Job::new(&comm, Kind::Gatherv, outgoing.bytes()).root(root).ragged(all);
    let job = job.in_place(in_place(from.0));
    // The root sends its own block only; the list provides its index.
    let mut outgoing_blocks = incoming.clone();
    outgoing_blocks[root as usize] = outgoing;
    Ok(job.outgoing(Side::Blocks(outgoing_blocks)).incoming(Side::Blocks(incoming)).into())
}

pub(super) fn scatter<Int: Integer>(
    from: Items<Int>,
    into: Items<Int>,
    root: c_int,
    comm: Comm,
) -> Result<Plan> {
    let comm = comm::find(comm)?;
    if inter::remote(&comm).is_some() {
        let outgoing = || typed_row(from, comm.peers().len());
        return inter::root_to_group(&comm, Kind::Scatter, root, outgoing, || typed(into));
    }
    let root = checked_root(&comm, root)?;
    if comm.rank != root {
        let incoming = typed(into)?;
        let job = Job::new(&comm, Kind::Scatter, incoming.bytes()).root(root);
        return Ok(job.incoming(Side::Whole(incoming)).into());
    }
    let block = typed(from)?;
    let job = Job::new(&comm, Kind::Scatter, block.bytes()).root(root);
    let job = job.outgoing(Side::Whole(all_blocks(&block, from.1, &comm)));
    if in_place(into.0) {
        return Ok(job.in_place(true).into());
    }
    let incoming = typed(into)?;
    if from.1.wide() == into.1.wide() && into.1.wide() != 0 {
        let first = i64::from(root) * from.1.wide();
        check_own_alias((into.0, from.0), (into.2, from.2), first)?;
    }
    own_block(block.bytes(), incoming.bytes())?;
    Ok(job.incoming(Side::Whole(incoming)).into())
}

pub(super) unsafe fn scatterv<Int: Integer>(
    from: Ragged<Int>,
    into: Items<Int>,
    root: c_int,
    comm: Comm,
) -> Result<Plan> {
    let comm = comm::find(comm)?;
    if inter::remote(&comm).is_some() {
        let outgoing = || unsafe { blocks(from, comm.peers().len() as u32) };
        return inter::root_to_group(&comm, Kind::Scatterv, root, outgoing, || typed(into));
    }
    let root = checked_root(&comm, root)?;
    if comm.rank != root {
        let incoming = typed(into)?;
        let job = Job::new(&comm, Kind::Scatterv, incoming.bytes()).root(root);
        return Ok(job.incoming(Side::Whole(incoming)).into());
    }
    let outgoing = unsafe { blocks(from, comm.size())? };
    let own = outgoing[root as usize].bytes();
    let job = Job::new(&comm, Kind::Scatterv, own).root(root).ragged(lengths(&outgoing));
    let job = job.outgoing(Side::Blocks(outgoing));
    if in_place(into.0) {
        return Ok(job.in_place(true).into());
    }
    let incoming = typed(into)?;
    unsafe { check_ragged_alias(into, from, root)? };
    own_block(own, incoming.bytes())?;
    Ok(job.incoming(Side::Whole(incoming)).into())
}

pub(super) fn alltoall<Int: Integer>(
    from: Items<Int>,
    into: Items<Int>,
    comm: Comm,
) -> Result<Plan> {
    let comm = comm::find(comm)?;
    if inter::remote(&comm).is_some() {
        let n = comm.peers().len();
        let (outgoing, incoming) = (typed_row(from, n)?, typed_row(into, n)?);
        return Ok(inter::all_to_all(&comm, Kind::Alltoall, outgoing, incoming));
    }
    let block = typed(into)?;
    let (own, count) =
        if in_place(from.0) { (block.clone(), into.1) } else { (typed(from)?, from.1) };
    if from.1.wide() == into.1.wide() && into.1.wide() != 0 {
        check_own_alias((from.0, into.0), (from.2, into.2), 0)?;
    }
    let n = own_block(own.bytes(), block.bytes())?;
    let incoming = blocks_if_shorter(&block, into.1, &comm, n);
    let element = block.datatype.element_bytes();
    let job = Job::new(&comm, Kind::Alltoall, n).elements(element);
    Ok(job.outgoing(Side::Whole(all_blocks(&own, count, &comm))).incoming(incoming).into())
}

fn exchange(
    comm: &Arc<Communicator>,
    outgoing: Vec<Buffer>,
    incoming: Vec<Buffer>,
) -> Result<Plan> {
    if inter::remote(comm).is_some() {
        return Ok(inter::all_to_all(comm, Kind::Alltoallv, outgoing, incoming));
    }
    let mine = comm.rank as usize;
    let (sent, mut received) = (lengths(&outgoing), lengths(&incoming));
    received[mine] = own_block(sent[mine], received[mine])?;
    let all = [sent, received].concat();
    let job = Job::new(comm, Kind::Alltoallv, 0).ragged(all);
    Ok(job.outgoing(Side::Blocks(outgoing)).incoming(Side::Blocks(incoming)).into())
}

pub(super) unsafe fn alltoallv<Int: Integer>(
    from: Ragged<Int>,
    into: Ragged<Int>,
    comm: Comm,
) -> Result<Plan> {
    let comm = comm::find(comm)?;
    let n = comm.peers().len() as u32;
    let incoming = unsafe { blocks(into, n)? };
    let outgoing = match allowed_in_place(from.0, &comm)? {
        true => incoming.clone(),
        false => unsafe { blocks(from, n)? },
    };
    let is_intra = inter::remote(&comm).is_none();
    if is_intra && from.3 == into.3 && unsafe { has_common_counts(from.1, into.1, n) } {
        check_own_alias((from.0, into.0), (from.3, into.3), 0)?;
    }
    exchange(&comm, outgoing, incoming)
}

pub(super) unsafe fn alltoallw<Int: Integer>(
    from: Mixed<Int, Int>,
    into: Mixed<Int, Int>,
    comm: Comm,
) -> Result<Plan> {
    let comm = comm::find(comm)?;
    let n = comm.peers().len() as u32;
    let incoming = unsafe { mixed(into, n)? };
    let outgoing = match allowed_in_place(from.0, &comm)? {
        true => incoming.clone(),
        false => unsafe { mixed(from, n)? },
    };
    let is_intra = inter::remote(&comm).is_none() && !in_place(from.0);
    if is_intra && from.3 == into.3 && unsafe { has_common_counts(from.1, into.1, n) } {
        checks::alias(from.0, into.0)?;
    }
    exchange(&comm, outgoing, incoming)
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
    check_arrays(comm.size(), &[("counts", counts.is_null())])?;
    let count = |i: u32| crate::datatype::count(unsafe { *counts.add(i as usize) }.wide());
    let counts = (0..comm.size()).map(count).collect::<Result<Vec<u64>>>()?;
    let source = if allowed_in_place(from, &comm)? { into.cast_const() } else { from };
    let total: u64 = counts.iter().sum();
    if inter::remote(&comm).is_none() {
        check_alias((from, into), total as i64)?;
    }
    let outgoing = items((source, total as i64, datatype))?;
    let mine = counts[comm.rank as usize];
    let incoming = items((into.cast_const(), mine as i64, datatype))?;
    let size = outgoing.datatype.size;
    if inter::remote(&comm).is_some() {
        let lengths: Vec<u64> = counts.iter().map(|n| n * size).collect();
        return inter::reduce_scatter(
            &comm,
            Kind::ReduceScatter,
            reduction,
            &lengths,
            outgoing,
            incoming,
        );
    }
    let job = Job::new(&comm, Kind::ReduceScatter, mine * size)
        .ragged(counts.iter().map(|n| n * size))
        .reducing(reduction, size);
    Ok(job.outgoing(Side::Whole(outgoing)).incoming(Side::Whole(incoming)).into())
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
    if inter::remote(&comm).is_none() {
        check_alias((from, into), count)?;
    }
    let block = items((source, count, datatype))?;
    let incoming = items((into.cast_const(), count, datatype))?;
    let outgoing = all_blocks(&block, count, &comm);
    if inter::remote(&comm).is_some() {
        let (kind, lengths) = (Kind::ReduceScatterBlock, vec![block.bytes(); comm.size() as usize]);
        return inter::reduce_scatter(&comm, kind, reduction, &lengths, outgoing, incoming);
    }
    let job = Job::new(&comm, Kind::ReduceScatterBlock, block.bytes())
        .reducing(reduction, block.datatype.size);
    Ok(job.outgoing(Side::Whole(outgoing)).incoming(Side::Whole(incoming)).into())
}
