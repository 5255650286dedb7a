//! Persistent collectives: prepared once, started repeatedly.

use std::ffi::{c_int, c_void};

use super::{Plan, jobs};
use crate::abi::{Comm, Datatype, Info, Op, Request};
use crate::error::Result;
use crate::export::mpi_fn;
use crate::request::{self, Cancellable};
use crate::{comm, runtime};

fn prepare(plan: Plan, comm: Comm, request: *mut Request) -> Result {
    let held = &runtime::enter()?;
    let plan = plan.persistent(&*comm::find(comm)?);
    let start = move |held: &runtime::Held| plan.start(held);
    unsafe { *request = request::persistent(held, comm, Cancellable::No, start) };
    Ok(())
}

mpi_fn! {
    pub fn Barrier_init(comm: Comm, _hints: Info, request: *mut Request) {
        prepare(jobs::barrier(comm)?, comm, request)
    }
    pub fn Bcast_init<Int>(
        buf: *mut c_void, count: Int, datatype: Datatype, root: c_int, comm: Comm, _hints: Info,
        request: *mut Request,
    ) {
        prepare(jobs::bcast((buf.cast_const(), count, datatype), root, comm)?, comm, request)
    }
    pub fn Reduce_init<Int>(
        from: *const c_void, into: *mut c_void, count: Int, datatype: Datatype, op: Op,
        root: c_int, comm: Comm, _hints: Info, request: *mut Request,
    ) {
        let (buffers, data) = ((from, into), (count, datatype));
        prepare(unsafe { jobs::reduce(buffers, data, op, root, comm)? }, comm, request)
    }
    pub fn Allreduce_init<Int>(
        from: *const c_void, into: *mut c_void, count: Int, datatype: Datatype, op: Op,
        comm: Comm, _hints: Info, request: *mut Request,
    ) {
        let (buffers, data) = ((from, into), (count, datatype));
        prepare(unsafe { jobs::allreduce(buffers, data, op, comm)? }, comm, request)
    }
    pub fn Scan_init<Int>(
        from: *const c_void, into: *mut c_void, count: Int, datatype: Datatype, op: Op,
        comm: Comm, _hints: Info, request: *mut Request,
    ) {
        prepare(unsafe { jobs::scan((from, into), (count, datatype), op, comm)? }, comm, request)
    }
    pub fn Exscan_init<Int>(
        from: *const c_void, into: *mut c_void, count: Int, datatype: Datatype, op: Op,
        comm: Comm, _hints: Info, request: *mut Request,
    ) {
        prepare(unsafe { jobs::exscan((from, into), (count, datatype), op, comm)? }, comm, request)
    }
    pub fn Allgather_init<Int>(
        from: *const c_void, sent: Int, sendtype: Datatype, into: *mut c_void, received: Int,
        recvtype: Datatype, comm: Comm, _hints: Info, request: *mut Request,
    ) {
        let outgoing = (from, sent, sendtype);
        let incoming = (into.cast_const(), received, recvtype);
        prepare(jobs::allgather(outgoing, incoming, comm)?, comm, request)
    }
    pub fn Allgatherv_init<Int>(
        from: *const c_void, sent: Int, sendtype: Datatype, into: *mut c_void,
        received: *const Int, recvdispls: *const Int, recvtype: Datatype, comm: Comm,
        _hints: Info, request: *mut Request,
    ) {
        let outgoing = (from, sent, sendtype);
        let incoming = (into.cast_const(), received, recvdispls, recvtype);
        prepare(unsafe { jobs::allgatherv(outgoing, incoming, comm)? }, comm, request)
    }
    pub fn Gather_init<Int>(
        from: *const c_void, sent: Int, sendtype: Datatype, into: *mut c_void, received: Int,
        recvtype: Datatype, root: c_int, comm: Comm, _hints: Info, request: *mut Request,
    ) {
        let outgoing = (from, sent, sendtype);
        let incoming = (into.cast_const(), received, recvtype);
        prepare(jobs::gather(outgoing, incoming, root, comm)?, comm, request)
    }
    pub fn Gatherv_init<Int>(
        from: *const c_void, sent: Int, sendtype: Datatype, into: *mut c_void,
        received: *const Int, recvdispls: *const Int, recvtype: Datatype, root: c_int, comm: Comm,
        _hints: Info, request: *mut Request,
    ) {
        let outgoing = (from, sent, sendtype);
        let incoming = (into.cast_const(), received, recvdispls, recvtype);
        prepare(unsafe { jobs::gatherv(outgoing, incoming, root, comm)? }, comm, request)
    }
    pub fn Scatter_init<Int>(
        from: *const c_void, sent: Int, sendtype: Datatype, into: *mut c_void, received: Int,
        recvtype: Datatype, root: c_int, comm: Comm, _hints: Info, request: *mut Request,
    ) {
        let outgoing = (from, sent, sendtype);
        let incoming = (into.cast_const(), received, recvtype);
        prepare(jobs::scatter(outgoing, incoming, root, comm)?, comm, request)
    }
    pub fn Scatterv_init<Int>(
        from: *const c_void, sent: *const Int, senddispls: *const Int, sendtype: Datatype,
        into: *mut c_void, received: Int, recvtype: Datatype, root: c_int, comm: Comm,
        _hints: Info, request: *mut Request,
    ) {
        let outgoing = (from, sent, senddispls, sendtype);
        let incoming = (into.cast_const(), received, recvtype);
        prepare(unsafe { jobs::scatterv(outgoing, incoming, root, comm)? }, comm, request)
    }
    pub fn Alltoall_init<Int>(
        from: *const c_void, sent: Int, sendtype: Datatype, into: *mut c_void, received: Int,
        recvtype: Datatype, comm: Comm, _hints: Info, request: *mut Request,
    ) {
        let outgoing = (from, sent, sendtype);
        let incoming = (into.cast_const(), received, recvtype);
        prepare(jobs::alltoall(outgoing, incoming, comm)?, comm, request)
    }
    pub fn Alltoallv_init<Int>(
        from: *const c_void, sent: *const Int, senddispls: *const Int, sendtype: Datatype,
        into: *mut c_void, received: *const Int, recvdispls: *const Int, recvtype: Datatype,
        comm: Comm, _hints: Info, request: *mut Request,
    ) {
        let outgoing = (from, sent, senddispls, sendtype);
        let incoming = (into.cast_const(), received, recvdispls, recvtype);
        prepare(unsafe { jobs::alltoallv(outgoing, incoming, comm)? }, comm, request)
    }
    pub fn Alltoallw_init<Int>(
        from: *const c_void, sent: *const Int, senddispls: *const Int, sendtypes: *const Datatype,
        into: *mut c_void, received: *const Int, recvdispls: *const Int,
        recvtypes: *const Datatype, comm: Comm, _hints: Info, request: *mut Request,
    ) {
        let outgoing = (from, sent, senddispls, sendtypes);
        let incoming = (into.cast_const(), received, recvdispls, recvtypes);
        prepare(unsafe { jobs::alltoallw(outgoing, incoming, comm)? }, comm, request)
    }
    pub fn Reduce_scatter_init<Int>(
        from: *const c_void, into: *mut c_void, counts: *const Int, datatype: Datatype, op: Op,
        comm: Comm, _hints: Info, request: *mut Request,
    ) {
        let plan = unsafe { jobs::reduce_scatter((from, into), counts, datatype, op, comm)? };
        prepare(plan, comm, request)
    }
    pub fn Reduce_scatter_block_init<Int>(
        from: *const c_void, into: *mut c_void, count: Int, datatype: Datatype, op: Op,
        comm: Comm, _hints: Info, request: *mut Request,
    ) {
        let (buffers, data) = ((from, into), (count, datatype));
        prepare(unsafe { jobs::reduce_scatter_block(buffers, data, op, comm)? }, comm, request)
    }
}
