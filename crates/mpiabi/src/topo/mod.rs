//! Process topologies. Ranks are never reordered: placement decides where a rank runs, and MPI
//! allows a library not to reorder.

mod cart;
mod graph;

use std::ffi::c_int;

use crate::abi::{Comm, c};
use crate::comm::{self, Communicator};
use crate::error::{Result, fail};
use crate::export::mpi_fn;

pub(crate) use cart::Grid;
pub(crate) use graph::{Adjacency, Graph};

/// The topology of a communicator.
#[derive(Clone, Debug)]
pub(crate) enum Topology {
    Cartesian(Grid),
    Graph(Graph),
    Adjacent(Adjacency),
}

/// A rank's neighbors, in the order of neighborhood collectives. Entries may be `MPI_PROC_NULL`.
pub(crate) struct Neighbors {
    pub from: Vec<c_int>,
    pub to: Vec<c_int>,
    /// In a grid, a message sent in the lower direction arrives from the upper neighbor, also if
    /// both are the same rank, as in a ring of two (MPI 5.0, 8.6). Otherwise the order
    /// distinguishes messages of a repeated neighbor.
    pub mirrored: bool,
}

impl Neighbors {
    pub fn of(comm: &Communicator) -> Result<Neighbors> {
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

/// Checks that a list of `n` entries is not null.
fn check_list(name: &str, list: *const c_int, n: usize) -> Result {
    if list.is_null() && n > 0 {
        return fail!(c::ERR_ARG, "{name} is NULL");
    }
    Ok(())
}

unsafe fn read<T: Copy>(from: *const T, n: usize) -> Vec<T> {
    (0..n).map(|i| unsafe { *from.add(i) }).collect()
}
unsafe fn write<T: Copy>(to: *mut T, values: impl IntoIterator<Item = T>) {
    values.into_iter().enumerate().for_each(|(i, v)| unsafe { *to.add(i) = v });
}

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
