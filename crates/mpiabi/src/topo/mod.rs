//! Process topologies. Ranks are never reordered: placement decides where a rank runs, and MPI
//! allows a library not to reorder.

mod calls;
mod cart;
mod graph;

use std::ffi::c_int;

use crate::abi::c;
use crate::error::{Result, fail};

/// The topology of a communicator.
#[derive(Clone, Debug)]
pub(crate) enum Topology {
    Cartesian(Grid),
    Graph(Graph),
    Adjacent(Adjacency),
}

/// A Cartesian grid.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    dims: Vec<c_int>,
    periodic: Vec<bool>,
}

impl Grid {
    /// Number of ranks in the grid.
    fn ranks(&self) -> u64 {
        self.dims.iter().map(|&d| d as u64).product()
    }
    /// Coordinates in row-major order: the last coordinate varies fastest.
    fn coordinates(&self, rank: u32) -> Vec<c_int> {
        let mut rest = rank;
        let mut coordinates = vec![0; self.dims.len()];
        for (at, &dim) in coordinates.iter_mut().zip(&self.dims).rev() {
            *at = (rest % dim as u32) as c_int;
            rest /= dim as u32;
        }
        coordinates
    }
    /// `None` outside of a non-periodic dimension.
    fn rank(&self, coordinates: &[c_int]) -> Option<c_int> {
        let mut rank = 0;
        for ((&at, &dim), &wraps) in coordinates.iter().zip(&self.dims).zip(&self.periodic) {
            if !wraps && !(0..dim).contains(&at) {
                return None;
            }
            rank = rank * dim + at.rem_euclid(dim);
        }
        Some(rank)
    }
    /// The rank `by` steps along a dimension, or `MPI_PROC_NULL`.
    fn neighbor(&self, rank: u32, direction: usize, by: c_int) -> c_int {
        let mut there = self.coordinates(rank);
        there[direction] += by;
        self.rank(&there).unwrap_or(c::PROC_NULL)
    }
    /// In the order of neighborhood collectives: for each dimension, the lower and then the upper
    /// neighbor.
    pub fn neighbors(&self, rank: u32) -> Vec<c_int> {
        let both = |d| [self.neighbor(rank, d, -1), self.neighbor(rank, d, 1)];
        (0..self.dims.len()).flat_map(both).collect()
    }
}

/// The graph of `MPI_Graph_create`: neighbors of rank `i` are `edges[index[i - 1]..index[i]]`.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    index: Vec<c_int>,
    edges: Vec<c_int>,
}

impl Graph {
    pub fn neighbors(&self, rank: u32) -> &[c_int] {
        let rank = rank as usize;
        let begin = if rank == 0 { 0 } else { self.index[rank - 1] };
        &self.edges[begin as usize..self.index[rank] as usize]
    }
}

/// The neighbors of one rank in a distributed graph.
#[derive(Clone, Debug)]
pub(crate) struct Adjacency {
    pub from: Vec<c_int>,
    pub to: Vec<c_int>,
    /// `None`: unweighted.
    weights: Option<(Vec<c_int>, Vec<c_int>)>,
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
