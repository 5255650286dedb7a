//! Neighborhood collectives: a message to and from every neighbor of the topology, in a context of
//! their own.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use workload::wire::Completion;

use super::jobs::{self, Items, Mixed, Ragged};
use crate::abi::{Aint, Comm, Datatype, Info, Request, c};
use crate::buffer::Buffer;
use crate::comm::{self, Communicator};
use crate::error::Result;
use crate::export::{Integer, mpi_fn};
use crate::p2p::{From, Receiving, Sending};
use crate::request::{self, Cancellable, Flight, Land, Outcome};
use crate::runtime::{self, Held};
use crate::topo::Neighbors;

/// All messages of one call.
struct Exchange {
    receives: Vec<Receiving>,
    sends: Vec<Sending>,
}

impl Exchange {
    /// `give[i]` to the `i`-th neighbor, `take[i]` from it.
    fn new(
        comm: &Arc<Communicator>,
        neighbors: &Neighbors,
        give: Vec<Buffer>,
        take: Vec<Buffer>,
    ) -> Exchange {
        let context = comm.neighborhood_context();
        let world = |rank: c_int| (rank != c::PROC_NULL).then(|| comm.world(rank as u32));
        let tag = |i: usize| if neighbors.mirrored { i as c_int } else { 0 };
        let sends = neighbors.to.iter().zip(give).enumerate();
        let sends = sends.map(|(i, (&to, give))| Sending::own(give, world(to), context, tag(i)));
        let receives = neighbors.from.iter().zip(take).enumerate().map(|(i, (&from, take))| {
            let from = world(from).map_or(From::Nobody, From::Rank);
            // What arrives from above was sent down: the other one of the dimension's two.
            let tag = if neighbors.mirrored { tag(i ^ 1) } else { 0 };
            Receiving::own(take, from, context, tag, comm.clone())
        });
        Exchange { receives: receives.collect(), sends: sends.collect() }
    }

    fn start(&self, held: &Held) -> Flight {
        let mut tokens = Vec::new();
        let mut lands: Vec<(usize, Land)> = Vec::new();
        let receives = self.receives.iter().map(|r| r.start(held)).collect::<Vec<Flight>>();
        for flight in receives.into_iter().chain(self.sends.iter().map(|s| s.start(held))) {
            lands.push((flight.tokens.len(), flight.land));
            tokens.extend(flight.tokens);
        }
        let land = move |held: &Held, done: &[Completion]| {
            let (mut rest, mut error) = (done, None);
            for (n, land) in lands {
                let (mine, others) = rest.split_at(n);
                error = error.or(land(held, mine).error);
                rest = others;
            }
            Outcome { error, ..Outcome::empty() }
        };
        Flight { tokens, land: Box::new(land) }
    }
}

fn place(comm: Comm) -> Result<(Arc<Communicator>, Neighbors)> {
    let comm = comm::find(comm)?;
    let neighbors = Neighbors::of(&comm)?;
    Ok((comm, neighbors))
}

/// `n` blocks of `count` items, one after the other.
fn row<Int: Integer>(items: Items<Int>, n: usize) -> Result<Vec<Buffer>> {
    let (count, block) = (items.1.wide(), jobs::items(items)?);
    Ok((0..n as i64).map(|i| block.items(i * count, count as u64)).collect())
}

unsafe fn allgather<Int: Integer>(
    give: Items<Int>,
    take: Items<Int>,
    comm: Comm,
) -> Result<Exchange> {
    let (comm, near) = place(comm)?;
    let give = vec![jobs::items(give)?; near.to.len()];
    let take = row(take, near.from.len())?;
    Ok(Exchange::new(&comm, &near, give, take))
}

unsafe fn allgatherv<Int: Integer>(
    give: Items<Int>,
    take: Ragged<Int>,
    comm: Comm,
) -> Result<Exchange> {
    let (comm, near) = place(comm)?;
    let give = vec![jobs::items(give)?; near.to.len()];
    let take = unsafe { jobs::blocks(take, near.from.len() as u32)? };
    Ok(Exchange::new(&comm, &near, give, take))
}

unsafe fn alltoall<Int: Integer>(
    give: Items<Int>,
    take: Items<Int>,
    comm: Comm,
) -> Result<Exchange> {
    let (comm, near) = place(comm)?;
    let (give, take) = (row(give, near.to.len())?, row(take, near.from.len())?);
    Ok(Exchange::new(&comm, &near, give, take))
}

unsafe fn alltoallv<Int: Integer>(
    give: Ragged<Int>,
    take: Ragged<Int>,
    comm: Comm,
) -> Result<Exchange> {
    let (comm, near) = place(comm)?;
    let give = unsafe { jobs::blocks(give, near.to.len() as u32)? };
    let take = unsafe { jobs::blocks(take, near.from.len() as u32)? };
    Ok(Exchange::new(&comm, &near, give, take))
}

unsafe fn alltoallw<Int: Integer>(
    give: Mixed<Int, Aint>,
    take: Mixed<Int, Aint>,
    comm: Comm,
) -> Result<Exchange> {
    let (comm, near) = place(comm)?;
    let give = unsafe { jobs::mixed(give, near.to.len() as u32)? };
    let take = unsafe { jobs::mixed(take, near.from.len() as u32)? };
    Ok(Exchange::new(&comm, &near, give, take))
}

fn run(exchange: Exchange) -> Result {
    let held = &runtime::enter()?;
    exchange.start(held).wait(held).result()
}

fn begin(exchange: Exchange, comm: Comm, request: *mut Request) -> Result {
    let held = &runtime::enter()?;
    let flight = exchange.start(held);
    unsafe { *request = request::flying(held, comm, Cancellable::No, flight) };
    Ok(())
}

fn prepare(exchange: Exchange, comm: Comm, request: *mut Request) -> Result {
    let held = &runtime::enter()?;
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
