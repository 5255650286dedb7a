//! Blocking collectives.

use std::ffi::{c_int, c_void};

use collectives::Kind;

use super::{Job, Plan, jobs};
use crate::abi::{Comm, Datatype, Op};
use crate::error::Result;
use crate::export::mpi_fn;
use crate::runtime;

/// The bit of `MPI_Alltoallw`, which otherwise is an alltoallv: see `wire::Header::synchronized`.
const ALLTOALLW: u32 = 1 << 31;

fn run(plan: Plan) -> Result {
    let bit = match &plan {
        Plan::Job(job) => 1 << job.layout.kind as u32,
        Plan::Exchange(_) => 0,
    };
    run_synchronized(plan, bit)
}

/// The same, after a barrier if the simulated library has one before such a call.
fn run_synchronized(plan: Plan, bit: u32) -> Result {
    let held = &runtime::enter()?;
    if let Plan::Job(job) = &plan
        && runtime::job::begins_with_barrier(held, bit)
    {
        Job::new(&job.comm, Kind::Barrier, 0).start(held).wait(held).result()?;
    }
    plan.start(held).wait(held).result()
}

mpi_fn! {
    pub fn Barrier(comm: Comm) {
        run(jobs::barrier(comm)?)
    }
    pub fn Bcast<Int>(buf: *mut c_void, count: Int, datatype: Datatype, root: c_int, comm: Comm) {
        run(jobs::bcast((buf.cast_const(), count, datatype), root, comm)?)
    }
    pub fn Reduce<Int>(
        from: *const c_void, into: *mut c_void, count: Int, datatype: Datatype, op: Op,
        root: c_int, comm: Comm,
    ) {
        run(unsafe { jobs::reduce((from, into), (count, datatype), op, root, comm)? })
    }
    pub fn Allreduce<Int>(
        from: *const c_void, into: *mut c_void, count: Int, datatype: Datatype, op: Op,
        comm: Comm,
    ) {
        run(unsafe { jobs::allreduce((from, into), (count, datatype), op, comm)? })
    }
    pub fn Scan<Int>(
        from: *const c_void, into: *mut c_void, count: Int, datatype: Datatype, op: Op,
        comm: Comm,
    ) {
        run(unsafe { jobs::scan((from, into), (count, datatype), op, comm)? })
    }
    pub fn Exscan<Int>(
        from: *const c_void, into: *mut c_void, count: Int, datatype: Datatype, op: Op,
        comm: Comm,
    ) {
        run(unsafe { jobs::exscan((from, into), (count, datatype), op, comm)? })
    }
    pub fn Allgather<Int>(
        from: *const c_void, sent: Int, sendtype: Datatype, into: *mut c_void, received: Int,
        recvtype: Datatype, comm: Comm,
    ) {
        run(jobs::allgather((from, sent, sendtype), (into.cast_const(), received, recvtype), comm)?)
    }
    pub fn Allgatherv<Int>(
        from: *const c_void, sent: Int, sendtype: Datatype, into: *mut c_void,
        received: *const Int, recvdispls: *const Int, recvtype: Datatype, comm: Comm,
    ) {
        let outgoing = (from, sent, sendtype);
        let incoming = (into.cast_const(), received, recvdispls, recvtype);
        run(unsafe { jobs::allgatherv(outgoing, incoming, comm)? })
    }
    pub fn Gather<Int>(
        from: *const c_void, sent: Int, sendtype: Datatype, into: *mut c_void, received: Int,
        recvtype: Datatype, root: c_int, comm: Comm,
    ) {
        let outgoing = (from, sent, sendtype);
        let incoming = (into.cast_const(), received, recvtype);
        run(jobs::gather(outgoing, incoming, root, comm)?)
    }
    pub fn Gatherv<Int>(
        from: *const c_void, sent: Int, sendtype: Datatype, into: *mut c_void,
        received: *const Int, recvdispls: *const Int, recvtype: Datatype, root: c_int, comm: Comm,
    ) {
        let outgoing = (from, sent, sendtype);
        let incoming = (into.cast_const(), received, recvdispls, recvtype);
        run(unsafe { jobs::gatherv(outgoing, incoming, root, comm)? })
    }
    pub fn Scatter<Int>(
        from: *const c_void, sent: Int, sendtype: Datatype, into: *mut c_void, received: Int,
        recvtype: Datatype, root: c_int, comm: Comm,
    ) {
        let outgoing = (from, sent, sendtype);
        let incoming = (into.cast_const(), received, recvtype);
        run(jobs::scatter(outgoing, incoming, root, comm)?)
    }
    pub fn Scatterv<Int>(
        from: *const c_void, sent: *const Int, senddispls: *const Int, sendtype: Datatype,
        into: *mut c_void, received: Int, recvtype: Datatype, root: c_int, comm: Comm,
    ) {
        let outgoing = (from, sent, senddispls, sendtype);
        let incoming = (into.cast_const(), received, recvtype);
        run(unsafe { jobs::scatterv(outgoing, incoming, root, comm)? })
    }
    pub fn Alltoall<Int>(
        from: *const c_void, sent: Int, sendtype: Datatype, into: *mut c_void, received: Int,
        recvtype: Datatype, comm: Comm,
    ) {
        run(jobs::alltoall((from, sent, sendtype), (into.cast_const(), received, recvtype), comm)?)
    }
    pub fn Alltoallv<Int>(
        from: *const c_void, sent: *const Int, senddispls: *const Int, sendtype: Datatype,
        into: *mut c_void, received: *const Int, recvdispls: *const Int, recvtype: Datatype,
        comm: Comm,
    ) {
        let outgoing = (from, sent, senddispls, sendtype);
        let incoming = (into.cast_const(), received, recvdispls, recvtype);
        run(unsafe { jobs::alltoallv(outgoing, incoming, comm)? })
    }
    pub fn Alltoallw<Int>(
        from: *const c_void, sent: *const Int, senddispls: *const Int, sendtypes: *const Datatype,
        into: *mut c_void, received: *const Int, recvdispls: *const Int,
        recvtypes: *const Datatype, comm: Comm,
    ) {
        let outgoing = (from, sent, senddispls, sendtypes);
        let incoming = (into.cast_const(), received, recvdispls, recvtypes);
        run_synchronized(unsafe { jobs::alltoallw(outgoing, incoming, comm)? }, ALLTOALLW)
    }
    pub fn Reduce_scatter<Int>(
        from: *const c_void, into: *mut c_void, counts: *const Int, datatype: Datatype, op: Op,
        comm: Comm,
    ) {
        run(unsafe { jobs::reduce_scatter((from, into), counts, datatype, op, comm)? })
    }
    pub fn Reduce_scatter_block<Int>(
        from: *const c_void, into: *mut c_void, count: Int, datatype: Datatype, op: Op,
        comm: Comm,
    ) {
        run(unsafe { jobs::reduce_scatter_block((from, into), (count, datatype), op, comm)? })
    }
}
