//! The kind of a topology.

use std::ffi::c_int;

use super::Topology;
use crate::abi::{Comm, c};
use crate::comm;
use crate::export::mpi_fn;

mpi_fn! {
    pub fn Topo_test(comm: Comm, status: *mut c_int) {
        let kind = match comm::find(comm)?.topology {
            Some(Topology::Cartesian(_)) => c::CART,
            Some(Topology::Graph(_)) => c::GRAPH,
            Some(Topology::Adjacent(_)) => c::DIST_GRAPH,
            None => c::UNDEFINED,
        };
        unsafe { *status = kind };
        Ok(())
    }
}
