//! Neighborhood collectives: a message to and from every neighbor of the topology.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use super::exchange::Exchange;
use super::jobs::{self, Items, Mixed, Ragged};
use crate::abi::{Aint, Comm, Datatype, Info, Request, c};
use crate::buffer::Buffer;
use crate::comm::{self, Communicator};
use crate::error::Result;
use crate::export::{Integer, mpi_fn};
use crate::request::{self, Cancellable};
use crate::runtime::{self, Held};
use crate::topo::Neighbors;

/// Sends `give[i]` to the `i`-th neighbor, and receives `take[i]` from it.
fn neighbor_exchange(
    comm: &Arc<Communicator>,
    neighbors: &Neighbors,
    give: Vec<Buffer>,
    take: Vec<Buffer>,
) -> Exchange {
    let rank = |rank: c_int| (rank != c::PROC_NULL).then_some(rank as u32);
    let tag = |i: usize| if neighbors.mirrored { i as c_int } else { 0 };
    let to = neighbors.to.iter().zip(give).enumerate();
    let give = to.map(|(i, (&to, give))| (rank(to), tag(i), give));
    // A message received from the upper neighbor was sent in the lower direction, and vice versa.
    let from = neighbors.from.iter().zip(take).enumerate();
    let take = from.map(|(i, (&from, take))| (rank(from), tag(i ^ 1), take));
    Exchange::new(comm, give, take)
}

fn neighborhood(comm: Comm) -> Result<(Arc<Communicator>, Neighbors)> {
    let comm = comm::find(comm)?;
    let neighbors = Neighbors::of(&comm)?;
    Ok((comm, neighbors))
}

unsafe fn allgather<Int: Integer>(
    give: Items<Int>,
    take: Items<Int>,
    comm: Comm,
) -> Result<Exchange> {
    let (comm, neighbors) = neighborhood(comm)?;
    let give = vec![jobs::items(give)?; neighbors.to.len()];
    let take = jobs::row(take, neighbors.from.len())?;
    Ok(neighbor_exchange(&comm, &neighbors, give, take))
}

unsafe fn allgatherv<Int: Integer>(
    give: Items<Int>,
    take: Ragged<Int>,
    comm: Comm,
) -> Result<Exchange> {
    let (comm, neighbors) = neighborhood(comm)?;
    let give = vec![jobs::items(give)?; neighbors.to.len()];
    let take = unsafe { jobs::blocks(take, neighbors.from.len() as u32)? };
    Ok(neighbor_exchange(&comm, &neighbors, give, take))
}

unsafe fn alltoall<Int: Integer>(
    give: Items<Int>,
    take: Items<Int>,
    comm: Comm,
) -> Result<Exchange> {
    let (comm, neighbors) = neighborhood(comm)?;
    let (give, take) =
        (jobs::row(give, neighbors.to.len())?, jobs::row(take, neighbors.from.len())?);
    Ok(neighbor_exchange(&comm, &neighbors, give, take))
}

unsafe fn alltoallv<Int: Integer>(
    give: Ragged<Int>,
    take: Ragged<Int>,
    comm: Comm,
) -> Result<Exchange> {
    let (comm, neighbors) = neighborhood(comm)?;
    let give = unsafe { jobs::blocks(give, neighbors.to.len() as u32)? };
    let take = unsafe { jobs::blocks(take, neighbors.from.len() as u32)? };
    Ok(neighbor_exchange(&comm, &neighbors, give, take))
}

unsafe fn alltoallw<Int: Integer>(
    give: Mixed<Int, Aint>,
    take: Mixed<Int, Aint>,
    comm: Comm,
) -> Result<Exchange> {
    let (comm, neighbors) = neighborhood(comm)?;
    let give = unsafe { jobs::mixed(give, neighbors.to.len() as u32)? };
    let take = unsafe { jobs::mixed(take, neighbors.from.len() as u32)? };
    Ok(neighbor_exchange(&comm, &neighbors, give, take))
}

fn run(exchange: Exchange) -> Result {
    let held = &runtime::enter()?;
    exchange.start(held).wait(held).result()
}

fn begin(exchange: Exchange, comm: Comm, request: *mut Request) -> Result {
    let held = &runtime::enter()?;
    let in_flight = exchange.start(held);
    unsafe { *request = request::in_flight_request(held, comm, Cancellable::No, in_flight) };
    Ok(())
}

fn prepare(exchange: Exchange, comm: Comm, request: *mut Request) -> Result {
    let held = &runtime::enter()?;
    let exchange = exchange.on_channel(comm::find(comm)?.next_channel());
    let start = move |held: &Held| exchange.start(held);
    unsafe { *request = request::persistent(held, comm, Cancellable::No, start) };
    Ok(())
}

mpi_fn! {
    pub fn Neighbor_allgather<Int>(
        from: *const c_void, sent: Int, sendtype: Datatype, into: *mut c_void, received: Int,
        recvtype: Datatype, comm: Comm,
    ) {
        let (give, take) = ((from, sent, sendtype), (into.cast_const(), received, recvtype));
        run(unsafe { allgather(give, take, comm)? })
    }
    pub fn Neighbor_allgatherv<Int>(
        from: *const c_void, sent: Int, sendtype: Datatype, into: *mut c_void,
        received: *const Int, recvdispls: *const Int, recvtype: Datatype, comm: Comm,
    ) {
        let give = (from, sent, sendtype);
        let take = (into.cast_const(), received, recvdispls, recvtype);
        run(unsafe { allgatherv(give, take, comm)? })
    }
    pub fn Neighbor_alltoall<Int>(
        from: *const c_void, sent: Int, sendtype: Datatype, into: *mut c_void, received: Int,
        recvtype: Datatype, comm: Comm,
    ) {
        let (give, take) = ((from, sent, sendtype), (into.cast_const(), received, recvtype));
        run(unsafe { alltoall(give, take, comm)? })
    }
    pub fn Neighbor_alltoallv<Int>(
        from: *const c_void, sent: *const Int, senddispls: *const Int, sendtype: Datatype,
        into: *mut c_void, received: *const Int, recvdispls: *const Int, recvtype: Datatype,
        comm: Comm,
    ) {
        let give = (from, sent, senddispls, sendtype);
        let take = (into.cast_const(), received, recvdispls, recvtype);
        run(unsafe { alltoallv(give, take, comm)? })
    }
    pub fn Neighbor_alltoallw<Int>(
        from: *const c_void, sent: *const Int, senddispls: *const Aint,
        sendtypes: *const Datatype, into: *mut c_void, received: *const Int,
        recvdispls: *const Aint, recvtypes: *const Datatype, comm: Comm,
    ) {
        let give = (from, sent, senddispls, sendtypes);
        let take = (into.cast_const(), received, recvdispls, recvtypes);
        run(unsafe { alltoallw(give, take, comm)? })
    }
    pub fn Ineighbor_allgather<Int>(
        from: *const c_void, sent: Int, sendtype: Datatype, into: *mut c_void, received: Int,
        recvtype: Datatype, comm: Comm, request: *mut Request,
    ) {
        let (give, take) = ((from, sent, sendtype), (into.cast_const(), received, recvtype));
        begin(unsafe { allgather(give, take, comm)? }, comm, request)
    }
    pub fn Ineighbor_allgatherv<Int>(
        from: *const c_void, sent: Int, sendtype: Datatype, into: *mut c_void,
        received: *const Int, recvdispls: *const Int, recvtype: Datatype, comm: Comm,
        request: *mut Request,
    ) {
        let give = (from, sent, sendtype);
        let take = (into.cast_const(), received, recvdispls, recvtype);
        begin(unsafe { allgatherv(give, take, comm)? }, comm, request)
    }
    pub fn Ineighbor_alltoall<Int>(
        from: *const c_void, sent: Int, sendtype: Datatype, into: *mut c_void, received: Int,
        recvtype: Datatype, comm: Comm, request: *mut Request,
    ) {
        let (give, take) = ((from, sent, sendtype), (into.cast_const(), received, recvtype));
        begin(unsafe { alltoall(give, take, comm)? }, comm, request)
    }
    pub fn Ineighbor_alltoallv<Int>(
        from: *const c_void, sent: *const Int, senddispls: *const Int, sendtype: Datatype,
        into: *mut c_void, received: *const Int, recvdispls: *const Int, recvtype: Datatype,
        comm: Comm, request: *mut Request,
    ) {
        let give = (from, sent, senddispls, sendtype);
        let take = (into.cast_const(), received, recvdispls, recvtype);
        begin(unsafe { alltoallv(give, take, comm)? }, comm, request)
    }
    pub fn Ineighbor_alltoallw<Int>(
        from: *const c_void, sent: *const Int, senddispls: *const Aint,
        sendtypes: *const Datatype, into: *mut c_void, received: *const Int,
        recvdispls: *const Aint, recvtypes: *const Datatype, comm: Comm, request: *mut Request,
    ) {
        let give = (from, sent, senddispls, sendtypes);
        let take = (into.cast_const(), received, recvdispls, recvtypes);
        begin(unsafe { alltoallw(give, take, comm)? }, comm, request)
    }
    pub fn Neighbor_allgather_init<Int>(
        from: *const c_void, sent: Int, sendtype: Datatype, into: *mut c_void, received: Int,
        recvtype: Datatype, comm: Comm, _hints: Info, request: *mut Request,
    ) {
        let (give, take) = ((from, sent, sendtype), (into.cast_const(), received, recvtype));
        prepare(unsafe { allgather(give, take, comm)? }, comm, request)
    }
    pub fn Neighbor_allgatherv_init<Int>(
        from: *const c_void, sent: Int, sendtype: Datatype, into: *mut c_void,
        received: *const Int, recvdispls: *const Int, recvtype: Datatype, comm: Comm,
        _hints: Info, request: *mut Request,
    ) {
        let give = (from, sent, sendtype);
        let take = (into.cast_const(), received, recvdispls, recvtype);
        prepare(unsafe { allgatherv(give, take, comm)? }, comm, request)
    }
    pub fn Neighbor_alltoall_init<Int>(
        from: *const c_void, sent: Int, sendtype: Datatype, into: *mut c_void, received: Int,
        recvtype: Datatype, comm: Comm, _hints: Info, request: *mut Request,
    ) {
        let (give, take) = ((from, sent, sendtype), (into.cast_const(), received, recvtype));
        prepare(unsafe { alltoall(give, take, comm)? }, comm, request)
    }
    pub fn Neighbor_alltoallv_init<Int>(
        from: *const c_void, sent: *const Int, senddispls: *const Int, sendtype: Datatype,
        into: *mut c_void, received: *const Int, recvdispls: *const Int, recvtype: Datatype,
        comm: Comm, _hints: Info, request: *mut Request,
    ) {
        let give = (from, sent, senddispls, sendtype);
        let take = (into.cast_const(), received, recvdispls, recvtype);
        prepare(unsafe { alltoallv(give, take, comm)? }, comm, request)
    }
    pub fn Neighbor_alltoallw_init<Int>(
        from: *const c_void, sent: *const Int, senddispls: *const Aint,
        sendtypes: *const Datatype, into: *mut c_void, received: *const Int,
        recvdispls: *const Aint, recvtypes: *const Datatype, comm: Comm, _hints: Info,
        request: *mut Request,
    ) {
        let give = (from, sent, senddispls, sendtypes);
        let take = (into.cast_const(), received, recvdispls, recvtypes);
        prepare(unsafe { alltoallw(give, take, comm)? }, comm, request)
    }
}
