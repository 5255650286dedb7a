//! Neighborhood collectives: a message to and from every neighbor of the topology.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use super::exchange::Exchange;
use super::jobs::{self, Items, Mixed, Ragged};
use crate::abi::{Aint, Comm, Datatype, Info, Request, c};
use crate::buffer::Buffer;
use crate::comm::{self, Communicator};
use crate::error::{Result, fail};
use crate::export::{Integer, mpi_fn};
use crate::request::{self, Cancellable};
use crate::runtime::{self, Held};
use crate::topo::{Adjacency, Topology};

/// A rank's neighbors, in the order of neighborhood collectives. Entries may be `MPI_PROC_NULL`.
struct Neighbors {
    from: Vec<c_int>,
    to: Vec<c_int>,
    /// In a grid, a message sent in the lower direction arrives from the upper neighbor, also if
    /// both are the same rank, as in a ring of two (MPI 5.0, 8.6). Otherwise the order
    /// distinguishes messages of a repeated neighbor.
    mirrored: bool,
}

impl Neighbors {
    fn of(comm: &Communicator) -> Result<Neighbors> {
        let both = |all: Vec<c_int>, mirrored| Neighbors { from: all.clone(), to: all, mirrored };
        match &comm.topology {
            Some(Topology::Cartesian(grid)) => Ok(both(grid.neighbors(comm.rank), true)),
            Some(Topology::Graph(graph)) => Ok(both(graph.neighbors(comm.rank).to_vec(), false)),
            Some(Topology::Adjacent(Adjacency { from, to, .. })) => {
                Ok(Neighbors { from: from.clone(), to: to.clone(), mirrored: false })
            }
            None => fail!(c::ERR_TOPOLOGY, "the communicator has no topology"),
        }
    }
}

/// Sends `outgoing[i]` to the `i`-th neighbor, and receives `incoming[i]` from it.
fn neighbor_exchange(
    comm: &Arc<Communicator>,
    neighbors: &Neighbors,
    outgoing: Vec<Buffer>,
    incoming: Vec<Buffer>,
) -> Exchange {
    let rank = |rank: c_int| (rank != c::PROC_NULL).then_some(rank as u32);
    let tag = |i: usize| if neighbors.mirrored { i as c_int } else { 0 };
    let to = neighbors.to.iter().zip(outgoing).enumerate();
    let outgoing = to.map(|(i, (&to, outgoing))| (rank(to), tag(i), outgoing));
    // A message received from the upper neighbor was sent in the lower direction, and vice versa.
    let from = neighbors.from.iter().zip(incoming).enumerate();
    let incoming = from.map(|(i, (&from, incoming))| (rank(from), tag(i ^ 1), incoming));
    Exchange::new(comm, outgoing, incoming)
}

fn neighborhood(comm: Comm) -> Result<(Arc<Communicator>, Neighbors)> {
    let comm = comm::find(comm)?;
    let neighbors = Neighbors::of(&comm)?;
    Ok((comm, neighbors))
}

unsafe fn allgather<Int: Integer>(
    outgoing: Items<Int>,
    incoming: Items<Int>,
    comm: Comm,
) -> Result<Exchange> {
    let (comm, neighbors) = neighborhood(comm)?;
    let outgoing = vec![jobs::items(outgoing)?; neighbors.to.len()];
    let incoming = jobs::row(incoming, neighbors.from.len())?;
    Ok(neighbor_exchange(&comm, &neighbors, outgoing, incoming))
}

unsafe fn allgatherv<Int: Integer>(
    outgoing: Items<Int>,
    incoming: Ragged<Int>,
    comm: Comm,
) -> Result<Exchange> {
    let (comm, neighbors) = neighborhood(comm)?;
    let outgoing = vec![jobs::items(outgoing)?; neighbors.to.len()];
    let incoming = unsafe { jobs::blocks(incoming, neighbors.from.len() as u32)? };
    Ok(neighbor_exchange(&comm, &neighbors, outgoing, incoming))
}

unsafe fn alltoall<Int: Integer>(
    outgoing: Items<Int>,
    incoming: Items<Int>,
    comm: Comm,
) -> Result<Exchange> {
    let (comm, neighbors) = neighborhood(comm)?;
    let (outgoing, incoming) =
        (jobs::row(outgoing, neighbors.to.len())?, jobs::row(incoming, neighbors.from.len())?);
    Ok(neighbor_exchange(&comm, &neighbors, outgoing, incoming))
}

unsafe fn alltoallv<Int: Integer>(
    outgoing: Ragged<Int>,
    incoming: Ragged<Int>,
    comm: Comm,
) -> Result<Exchange> {
    let (comm, neighbors) = neighborhood(comm)?;
    let outgoing = unsafe { jobs::blocks(outgoing, neighbors.to.len() as u32)? };
    let incoming = unsafe { jobs::blocks(incoming, neighbors.from.len() as u32)? };
    Ok(neighbor_exchange(&comm, &neighbors, outgoing, incoming))
}

unsafe fn alltoallw<Int: Integer>(
    outgoing: Mixed<Int, Aint>,
    incoming: Mixed<Int, Aint>,
    comm: Comm,
) -> Result<Exchange> {
    let (comm, neighbors) = neighborhood(comm)?;
    let outgoing = unsafe { jobs::mixed(outgoing, neighbors.to.len() as u32)? };
    let incoming = unsafe { jobs::mixed(incoming, neighbors.from.len() as u32)? };
    Ok(neighbor_exchange(&comm, &neighbors, outgoing, incoming))
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
        let outgoing = (from, sent, sendtype);
        let incoming = (into.cast_const(), received, recvtype);
        run(unsafe { allgather(outgoing, incoming, comm)? })
    }
    pub fn Neighbor_allgatherv<Int>(
        from: *const c_void, sent: Int, sendtype: Datatype, into: *mut c_void,
        received: *const Int, recvdispls: *const Int, recvtype: Datatype, comm: Comm,
    ) {
        let outgoing = (from, sent, sendtype);
        let incoming = (into.cast_const(), received, recvdispls, recvtype);
        run(unsafe { allgatherv(outgoing, incoming, comm)? })
    }
    pub fn Neighbor_alltoall<Int>(
        from: *const c_void, sent: Int, sendtype: Datatype, into: *mut c_void, received: Int,
        recvtype: Datatype, comm: Comm,
    ) {
        let outgoing = (from, sent, sendtype);
        let incoming = (into.cast_const(), received, recvtype);
        run(unsafe { alltoall(outgoing, incoming, comm)? })
    }
    pub fn Neighbor_alltoallv<Int>(
        from: *const c_void, sent: *const Int, senddispls: *const Int, sendtype: Datatype,
        into: *mut c_void, received: *const Int, recvdispls: *const Int, recvtype: Datatype,
        comm: Comm,
    ) {
        let outgoing = (from, sent, senddispls, sendtype);
        let incoming = (into.cast_const(), received, recvdispls, recvtype);
        run(unsafe { alltoallv(outgoing, incoming, comm)? })
    }
    pub fn Neighbor_alltoallw<Int>(
        from: *const c_void, sent: *const Int, senddispls: *const Aint,
        sendtypes: *const Datatype, into: *mut c_void, received: *const Int,
        recvdispls: *const Aint, recvtypes: *const Datatype, comm: Comm,
    ) {
        let outgoing = (from, sent, senddispls, sendtypes);
        let incoming = (into.cast_const(), received, recvdispls, recvtypes);
        run(unsafe { alltoallw(outgoing, incoming, comm)? })
    }
    pub fn Ineighbor_allgather<Int>(
        from: *const c_void, sent: Int, sendtype: Datatype, into: *mut c_void, received: Int,
        recvtype: Datatype, comm: Comm, request: *mut Request,
    ) {
        let outgoing = (from, sent, sendtype);
        let incoming = (into.cast_const(), received, recvtype);
        begin(unsafe { allgather(outgoing, incoming, comm)? }, comm, request)
    }
    pub fn Ineighbor_allgatherv<Int>(
        from: *const c_void, sent: Int, sendtype: Datatype, into: *mut c_void,
        received: *const Int, recvdispls: *const Int, recvtype: Datatype, comm: Comm,
        request: *mut Request,
    ) {
        let outgoing = (from, sent, sendtype);
        let incoming = (into.cast_const(), received, recvdispls, recvtype);
        begin(unsafe { allgatherv(outgoing, incoming, comm)? }, comm, request)
    }
    pub fn Ineighbor_alltoall<Int>(
        from: *const c_void, sent: Int, sendtype: Datatype, into: *mut c_void, received: Int,
        recvtype: Datatype, comm: Comm, request: *mut Request,
    ) {
        let outgoing = (from, sent, sendtype);
        let incoming = (into.cast_const(), received, recvtype);
        begin(unsafe { alltoall(outgoing, incoming, comm)? }, comm, request)
    }
    pub fn Ineighbor_alltoallv<Int>(
        from: *const c_void, sent: *const Int, senddispls: *const Int, sendtype: Datatype,
        into: *mut c_void, received: *const Int, recvdispls: *const Int, recvtype: Datatype,
        comm: Comm, request: *mut Request,
    ) {
        let outgoing = (from, sent, senddispls, sendtype);
        let incoming = (into.cast_const(), received, recvdispls, recvtype);
        begin(unsafe { alltoallv(outgoing, incoming, comm)? }, comm, request)
    }
    pub fn Ineighbor_alltoallw<Int>(
        from: *const c_void, sent: *const Int, senddispls: *const Aint,
        sendtypes: *const Datatype, into: *mut c_void, received: *const Int,
        recvdispls: *const Aint, recvtypes: *const Datatype, comm: Comm, request: *mut Request,
    ) {
        let outgoing = (from, sent, senddispls, sendtypes);
        let incoming = (into.cast_const(), received, recvdispls, recvtypes);
        begin(unsafe { alltoallw(outgoing, incoming, comm)? }, comm, request)
    }
    pub fn Neighbor_allgather_init<Int>(
        from: *const c_void, sent: Int, sendtype: Datatype, into: *mut c_void, received: Int,
        recvtype: Datatype, comm: Comm, _hints: Info, request: *mut Request,
    ) {
        let outgoing = (from, sent, sendtype);
        let incoming = (into.cast_const(), received, recvtype);
        prepare(unsafe { allgather(outgoing, incoming, comm)? }, comm, request)
    }
    pub fn Neighbor_allgatherv_init<Int>(
        from: *const c_void, sent: Int, sendtype: Datatype, into: *mut c_void,
        received: *const Int, recvdispls: *const Int, recvtype: Datatype, comm: Comm,
        _hints: Info, request: *mut Request,
    ) {
        let outgoing = (from, sent, sendtype);
        let incoming = (into.cast_const(), received, recvdispls, recvtype);
        prepare(unsafe { allgatherv(outgoing, incoming, comm)? }, comm, request)
    }
    pub fn Neighbor_alltoall_init<Int>(
        from: *const c_void, sent: Int, sendtype: Datatype, into: *mut c_void, received: Int,
        recvtype: Datatype, comm: Comm, _hints: Info, request: *mut Request,
    ) {
        let outgoing = (from, sent, sendtype);
        let incoming = (into.cast_const(), received, recvtype);
        prepare(unsafe { alltoall(outgoing, incoming, comm)? }, comm, request)
    }
    pub fn Neighbor_alltoallv_init<Int>(
        from: *const c_void, sent: *const Int, senddispls: *const Int, sendtype: Datatype,
        into: *mut c_void, received: *const Int, recvdispls: *const Int, recvtype: Datatype,
        comm: Comm, _hints: Info, request: *mut Request,
    ) {
        let outgoing = (from, sent, senddispls, sendtype);
        let incoming = (into.cast_const(), received, recvdispls, recvtype);
        prepare(unsafe { alltoallv(outgoing, incoming, comm)? }, comm, request)
    }
    pub fn Neighbor_alltoallw_init<Int>(
        from: *const c_void, sent: *const Int, senddispls: *const Aint,
        sendtypes: *const Datatype, into: *mut c_void, received: *const Int,
        recvdispls: *const Aint, recvtypes: *const Datatype, comm: Comm, _hints: Info,
        request: *mut Request,
    ) {
        let outgoing = (from, sent, senddispls, sendtypes);
        let incoming = (into.cast_const(), received, recvdispls, recvtypes);
        prepare(unsafe { alltoallw(outgoing, incoming, comm)? }, comm, request)
    }
}
