//! Non-blocking collectives: a request holds the operation in flight.

use std::ffi::{c_int, c_void};

use super::{Plan, jobs};
use crate::abi::{Comm, Datatype, Op, Request};
use crate::error::Result;
use crate::export::mpi_fn;
use crate::request::{self, Cancellable};
use crate::runtime;

fn begin(plan: Plan, comm: Comm, request: *mut Request) -> Result {
    let held = &runtime::enter()?;
    let in_flight = plan.start(held);
    unsafe { *request = request::in_flight_request(held, comm, Cancellable::No, in_flight) };
    Ok(())
}

mpi_fn! {
    pub fn Ibarrier(comm: Comm, request: *mut Request) {
        begin(jobs::barrier(comm)?, comm, request)
    }
    pub fn Ibcast<Int>(
        buf: *mut c_void, count: Int, datatype: Datatype, root: c_int, comm: Comm,
        request: *mut Request,
    ) {
        begin(jobs::bcast((buf.cast_const(), count, datatype), root, comm)?, comm, request)
    }
    pub fn Ireduce<Int>(
        from: *const c_void, into: *mut c_void, count: Int, datatype: Datatype, op: Op,
        root: c_int, comm: Comm, request: *mut Request,
    ) {
        let (buffers, data) = ((from, into), (count, datatype));
        begin(unsafe { jobs::reduce(buffers, data, op, root, comm)? }, comm, request)
    }
    pub fn Iallreduce<Int>(
        from: *const c_void, into: *mut c_void, count: Int, datatype: Datatype, op: Op,
        comm: Comm, request: *mut Request,
    ) {
        begin(unsafe { jobs::allreduce((from, into), (count, datatype), op, comm)? }, comm, request)
    }
    pub fn Iscan<Int>(
        from: *const c_void, into: *mut c_void, count: Int, datatype: Datatype, op: Op,
        comm: Comm, request: *mut Request,
    ) {
        begin(unsafe { jobs::scan((from, into), (count, datatype), op, comm)? }, comm, request)
    }
    pub fn Iexscan<Int>(
        from: *const c_void, into: *mut c_void, count: Int, datatype: Datatype, op: Op,
        comm: Comm, request: *mut Request,
    ) {
        begin(unsafe { jobs::exscan((from, into), (count, datatype), op, comm)? }, comm, request)
    }
    pub fn Iallgather<Int>(
        from: *const c_void, sent: Int, sendtype: Datatype, into: *mut c_void, received: Int,
        recvtype: Datatype, comm: Comm, request: *mut Request,
    ) {
        let outgoing = (from, sent, sendtype);
        let incoming = (into.cast_const(), received, recvtype);
        begin(jobs::allgather(outgoing, incoming, comm)?, comm, request)
    }
    pub fn Iallgatherv<Int>(
        from: *const c_void, sent: Int, sendtype: Datatype, into: *mut c_void,
        received: *const Int, recvdispls: *const Int, recvtype: Datatype, comm: Comm,
        request: *mut Request,
    ) {
        let outgoing = (from, sent, sendtype);
        let incoming = (into.cast_const(), received, recvdispls, recvtype);
        begin(unsafe { jobs::allgatherv(outgoing, incoming, comm)? }, comm, request)
    }
    pub fn Igather<Int>(
        from: *const c_void, sent: Int, sendtype: Datatype, into: *mut c_void, received: Int,
        recvtype: Datatype, root: c_int, comm: Comm, request: *mut Request,
    ) {
        let outgoing = (from, sent, sendtype);
        let incoming = (into.cast_const(), received, recvtype);
        begin(jobs::gather(outgoing, incoming, root, comm)?, comm, request)
    }
    pub fn Igatherv<Int>(
        from: *const c_void, sent: Int, sendtype: Datatype, into: *mut c_void,
        received: *const Int, recvdispls: *const Int, recvtype: Datatype, root: c_int, comm: Comm,
        request: *mut Request,
    ) {
        let outgoing = (from, sent, sendtype);
        let incoming = (into.cast_const(), received, recvdispls, recvtype);
        begin(unsafe { jobs::gatherv(outgoing, incoming, root, comm)? }, comm, request)
    }
    pub fn Iscatter<Int>(
        from: *const c_void, sent: Int, sendtype: Datatype, into: *mut c_void, received: Int,
        recvtype: Datatype, root: c_int, comm: Comm, request: *mut Request,
    ) {
        let outgoing = (from, sent, sendtype);
        let incoming = (into.cast_const(), received, recvtype);
        begin(jobs::scatter(outgoing, incoming, root, comm)?, comm, request)
    }
    pub fn Iscatterv<Int>(
        from: *const c_void, sent: *const Int, senddispls: *const Int, sendtype: Datatype,
        into: *mut c_void, received: Int, recvtype: Datatype, root: c_int, comm: Comm,
        request: *mut Request,
    ) {
        let outgoing = (from, sent, senddispls, sendtype);
        let incoming = (into.cast_const(), received, recvtype);
        begin(unsafe { jobs::scatterv(outgoing, incoming, root, comm)? }, comm, request)
    }
    pub fn Ialltoall<Int>(
        from: *const c_void, sent: Int, sendtype: Datatype, into: *mut c_void, received: Int,
        recvtype: Datatype, comm: Comm, request: *mut Request,
    ) {
        let outgoing = (from, sent, sendtype);
        let incoming = (into.cast_const(), received, recvtype);
        begin(jobs::alltoall(outgoing, incoming, comm)?, comm, request)
    }
    pub fn Ialltoallv<Int>(
        from: *const c_void, sent: *const Int, senddispls: *const Int, sendtype: Datatype,
        into: *mut c_void, received: *const Int, recvdispls: *const Int, recvtype: Datatype,
        comm: Comm, request: *mut Request,
    ) {
        let outgoing = (from, sent, senddispls, sendtype);
        let incoming = (into.cast_const(), received, recvdispls, recvtype);
        begin(unsafe { jobs::alltoallv(outgoing, incoming, comm)? }, comm, request)
    }
    pub fn Ialltoallw<Int>(
        from: *const c_void, sent: *const Int, senddispls: *const Int, sendtypes: *const Datatype,
        into: *mut c_void, received: *const Int, recvdispls: *const Int,
        recvtypes: *const Datatype, comm: Comm, request: *mut Request,
    ) {
        let outgoing = (from, sent, senddispls, sendtypes);
        let incoming = (into.cast_const(), received, recvdispls, recvtypes);
        begin(unsafe { jobs::alltoallw(outgoing, incoming, comm)? }, comm, request)
    }
    pub fn Ireduce_scatter<Int>(
        from: *const c_void, into: *mut c_void, counts: *const Int, datatype: Datatype, op: Op,
        comm: Comm, request: *mut Request,
    ) {
        let plan = unsafe { jobs::reduce_scatter((from, into), counts, datatype, op, comm)? };
        begin(plan, comm, request)
    }
    pub fn Ireduce_scatter_block<Int>(
        from: *const c_void, into: *mut c_void, count: Int, datatype: Datatype, op: Op,
        comm: Comm, request: *mut Request,
    ) {
        let (buffers, data) = ((from, into), (count, datatype));
        begin(unsafe { jobs::reduce_scatter_block(buffers, data, op, comm)? }, comm, request)
    }
}
