//! Graph topologies: those of `MPI_Graph_create`, which every rank knows in full, and distributed
//! graphs, of which each rank knows its own neighbors.

use std::ffi::c_int;
use std::sync::Arc;

use super::{Adjacency, Graph, Topology, check_list, read, write};
use crate::abi::{Comm, Info, c, is_unweighted, is_without_weights};
use crate::coll;
use crate::comm::{self, Communicator};
use crate::error::{Result, fail};
use crate::export::mpi_fn;
use crate::runtime;

fn graph_of(comm: Comm) -> Result<(Arc<Communicator>, Graph)> {
    let found = comm::find(comm)?;
    match &found.topology {
        Some(Topology::Graph(graph)) => Ok((found.clone(), graph.clone())),
        _ => fail!(c::ERR_TOPOLOGY, "the communicator has no graph topology"),
    }
}
fn adjacency_of(comm: Comm) -> Result<Adjacency> {
    match &comm::find(comm)?.topology {
        Some(Topology::Adjacent(adjacency)) => Ok(adjacency.clone()),
        _ => fail!(c::ERR_TOPOLOGY, "the communicator has no distributed graph topology"),
    }
}

unsafe fn described(
    nodes: c_int,
    index: *const c_int,
    edges: *const c_int,
    comm: &Communicator,
) -> Result<Graph> {
    if !(0..=comm.size() as c_int).contains(&nodes) {
        return fail!(c::ERR_ARG, "a graph of {nodes} nodes on {} ranks", comm.size());
    }
    let index = unsafe { read(index, nodes as usize) };
    if !index.is_sorted() || index.first().is_some_and(|&n| n < 0) {
        return fail!(c::ERR_ARG, "the running sums of the degrees {index:?} decrease");
    }
    check_list("edges", edges, index.last().map_or(0, |&n| n as usize))?;
    let edges = unsafe { read(edges, index.last().map_or(0, |&n| n as usize)) };
    match edges.iter().find(|e| !(0..nodes).contains(*e)) {
        Some(edge) => fail!(c::ERR_RANK, "an edge to {edge} in a graph of {nodes} nodes"),
        None => Ok(Graph { index, edges }),
    }
}

unsafe fn weights(at: *const c_int, n: usize) -> Option<Vec<c_int>> {
    if is_unweighted(at) {
        return None;
    }
    Some(if is_without_weights(at) { Vec::new() } else { unsafe { read(at, n) } })
}

/// Checks the ranks of an adjacency list.
fn checked(comm: &Communicator, ranks: &[c_int]) -> Result {
    for &rank in ranks {
        if rank != c::PROC_NULL {
            comm.checked(rank, "a neighbor")?;
        }
    }
    Ok(())
}

fn count(n: c_int) -> Result<usize> {
    match usize::try_from(n) {
        Ok(n) => Ok(n),
        Err(_) => fail!(c::ERR_ARG, "a list of {n} neighbors"),
    }
}

/// An edge that some rank has passed.
#[derive(Clone, Copy)]
struct Edge {
    from: c_int,
    to: c_int,
    weight: c_int,
}

mpi_fn! {
    pub fn Graph_create(
        comm: Comm, nodes: c_int, index: *const c_int, edges: *const c_int, _reorder: c_int,
        out: *mut Comm,
    ) {
        let held = &runtime::enter()?;
        let old = comm::find_intra(comm)?;
        let graph = unsafe { described(nodes, index, edges, &old)? };
        let color = if (old.rank as c_int) < nodes { 0 } else { c::UNDEFINED };
        let topology = Topology::Graph(graph);
        unsafe { *out = comm::split(held, comm, color, 0, |_| Some(topology))? };
        Ok(())
    }
    pub fn Graph_map(
        comm: Comm, nodes: c_int, index: *const c_int, edges: *const c_int, rank: *mut c_int,
    ) {
        let old = comm::find_intra(comm)?;
        unsafe { described(nodes, index, edges, &old)? };
        let mine = old.rank as c_int;
        unsafe { *rank = if mine < nodes { mine } else { c::UNDEFINED } };
        Ok(())
    }
    pub fn Graphdims_get(comm: Comm, nodes: *mut c_int, edges: *mut c_int) {
        let (_, graph) = graph_of(comm)?;
        unsafe { (*nodes, *edges) = (graph.index.len() as c_int, graph.edges.len() as c_int) };
        Ok(())
    }
    pub fn Graph_get(
        comm: Comm, most_index: c_int, most_edges: c_int, index: *mut c_int, edges: *mut c_int,
    ) {
        let (_, graph) = graph_of(comm)?;
        unsafe {
            write(index, graph.index.into_iter().take(most_index.max(0) as usize));
            write(edges, graph.edges.into_iter().take(most_edges.max(0) as usize));
        }
        Ok(())
    }
    pub fn Graph_neighbors_count(comm: Comm, rank: c_int, n: *mut c_int) {
        let (at, graph) = graph_of(comm)?;
        let rank = at.checked(rank, "the rank")?;
        unsafe { *n = graph.neighbors(rank).len() as c_int };
        Ok(())
    }
    pub fn Graph_neighbors(comm: Comm, rank: c_int, most: c_int, neighbors: *mut c_int) {
        let (at, graph) = graph_of(comm)?;
        let rank = at.checked(rank, "the rank")?;
        let all = graph.neighbors(rank).iter().copied();
        unsafe { write(neighbors, all.take(most.max(0) as usize)) };
        Ok(())
    }

    pub fn Dist_graph_create_adjacent(
        comm: Comm, indegree: c_int, sources: *const c_int, sourceweights: *const c_int,
        outdegree: c_int, destinations: *const c_int, destweights: *const c_int, _hints: Info,
        _reorder: c_int, out: *mut Comm,
    ) {
        let held = &runtime::enter()?;
        let old = comm::find_intra(comm)?;
        let (n_in, n_out) = (count(indegree)?, count(outdegree)?);
        let (from, to) = unsafe { (read(sources, n_in), read(destinations, n_out)) };
        checked(&old, &from)?;
        checked(&old, &to)?;
        let weights = unsafe { (weights(sourceweights, n_in), weights(destweights, n_out)) };
        let weights = weights.0.zip(weights.1);
        let topology = Topology::Adjacent(Adjacency { from, to, weights });
        unsafe { *out = comm::duplicate(held, &old, Some(topology)) };
        Ok(())
    }
    /// All ranks exchange the edges that they pass; neighbors are in the order of the ranks that
    /// passed them.
    pub fn Dist_graph_create(
        comm: Comm, n: c_int, sources: *const c_int, degrees: *const c_int,
        destinations: *const c_int, edgeweights: *const c_int, _hints: Info, _reorder: c_int,
        out: *mut Comm,
    ) {
        let held = &runtime::enter()?;
        let old = comm::find_intra(comm)?;
        let n = count(n)?;
        let (sources, degrees) = unsafe { (read(sources, n), read(degrees, n)) };
        let total = degrees.iter().try_fold(0, |all, &d| count(d).map(|d| all + d))?;
        check_list("destinations", destinations, total)?;
        let destinations = unsafe { read(destinations, total) };
        checked(&old, &sources)?;
        checked(&old, &destinations)?;
        let given = unsafe { weights(edgeweights, total) };
        let starts = sources.iter().zip(&degrees);
        let starts = starts.flat_map(|(&from, &d)| std::iter::repeat_n(from, d as usize));
        let edges = starts.zip(&destinations).enumerate().map(|(i, (from, &to))| {
            let weight = given.as_ref().and_then(|w| w.get(i)).copied().unwrap_or(1);
            Edge { from, to, weight }
        });
        let all = coll::allgather_lists(held, &old, &edges.collect::<Vec<Edge>>());
        let me = old.rank as c_int;
        let side = |mine: fn(&Edge) -> c_int, other: fn(&Edge) -> c_int| -> (Vec<_>, Vec<_>) {
            all.iter().filter(|e| mine(e) == me).map(|e| (other(e), e.weight)).unzip()
        };
        let (from, weights_in) = side(|e| e.to, |e| e.from);
        let (to, weights_out) = side(|e| e.from, |e| e.to);
        let weights = given.map(|_| (weights_in, weights_out));
        let topology = Topology::Adjacent(Adjacency { from, to, weights });
        unsafe { *out = comm::duplicate(held, &old, Some(topology)) };
        Ok(())
    }
    pub fn Dist_graph_neighbors_count(
        comm: Comm, indegree: *mut c_int, outdegree: *mut c_int, weighted: *mut c_int,
    ) {
        let all = adjacency_of(comm)?;
        unsafe {
            *indegree = all.from.len() as c_int;
            *outdegree = all.to.len() as c_int;
            *weighted = c_int::from(all.weights.is_some());
        }
        Ok(())
    }
    pub fn Dist_graph_neighbors(
        comm: Comm, most_in: c_int, sources: *mut c_int, sourceweights: *mut c_int,
        most_out: c_int, destinations: *mut c_int, destweights: *mut c_int,
    ) {
        let all = adjacency_of(comm)?;
        let (most_in, most_out) = (most_in.max(0) as usize, most_out.max(0) as usize);
        let put = |at: *mut c_int, weights: Vec<c_int>, most: usize| {
            if !is_unweighted(at) && !is_without_weights(at) {
                unsafe { write(at, weights.into_iter().take(most)) };
            }
        };
        unsafe {
            write(sources, all.from.into_iter().take(most_in));
            write(destinations, all.to.into_iter().take(most_out));
        }
        if let Some((into, out)) = all.weights {
            put(sourceweights, into, most_in);
            put(destweights, out, most_out);
        }
        Ok(())
    }
}
