//! Every algorithm, on real bytes, against MPI's definition of the result.

use crate::common::{Operator, check_collected, deposited, run_in_step, run_lazily};
use collectives::{Algorithm, Collective, Composition, Kind, Member, NodeMap, Ragged, TreeShape};

/// The algorithms of a kind, with representative parameters.
fn algorithms(kind: Kind) -> Vec<Algorithm> {
    let variants = |a: Algorithm| match a {
        Algorithm::RecursiveExchange { .. } => {
            [2, 3, 4, 12].map(|k| Algorithm::RecursiveExchange { k }).to_vec()
        }
        Algorithm::Scattered { .. } => {
            [1, 5, 32].map(|throttle| Algorithm::Scattered { throttle }).to_vec()
        }
        Algorithm::Chunked { .. } => [(1, 1), (5, 3), (24, 32), (1 << 20, 5)]
            .map(|(chunk, throttle)| Algorithm::Chunked { chunk, throttle })
            .to_vec(),
        Algorithm::Dissemination { .. } => {
            [2, 3, 5].map(|k| Algorithm::Dissemination { k }).to_vec()
        }
        Algorithm::KBruck { .. } => [2, 3, 4, 16].map(|k| Algorithm::KBruck { k }).to_vec(),
        Algorithm::ExchangeDoubling { .. } => {
            [2, 3, 4, 16].map(|k| Algorithm::ExchangeDoubling { k }).to_vec()
        }
        Algorithm::ExchangeHalving { .. } => {
            [2, 3, 4, 16].map(|k| Algorithm::ExchangeHalving { k }).to_vec()
        }
        Algorithm::SplitBinary { .. } => {
            [0, 24].map(|chunk| Algorithm::SplitBinary { chunk }).to_vec()
        }
        // One segment, or several that are shorter than a cell.
        Algorithm::Tree { chunk, .. } => {
            let chunk = if chunk > 0 { 48 } else { 0 };
            let of = |shape| [1, 2, 3, 64].map(|k| Algorithm::Tree { shape, k, chunk });
            TreeShape::ALL.into_iter().flat_map(of).collect()
        }
        Algorithm::NodeAware { .. } => Vec::new(),
        other => vec![other],
    };
    kind.algorithms().iter().flat_map(|&a| variants(a)).collect()
}

/// The node-aware algorithms, with all inter-node stages.
fn node_aware(kind: Kind) -> Vec<Algorithm> {
    let flat = kind.algorithms().iter().filter_map(|&a| a.for_node_roots());
    let form = |a: &Algorithm| match a {
        Algorithm::NodeAware { form, .. } => Some(*form),
        _ => None,
    };
    let forms: Vec<Composition> = kind.algorithms().iter().filter_map(form).collect();
    flat.flat_map(|inter_node| {
        forms.iter().map(move |&form| Algorithm::NodeAware { form, inter_node })
    })
    .collect()
}

/// Placements of ranks: one per node; several per node, with a last node that is not full; all on
/// one; cyclic over three nodes; and one node in the middle that has most.
fn layouts(size: u32) -> Vec<NodeMap> {
    let mut all = vec![
        NodeMap::new(0..size),
        NodeMap::new((0..size).map(|r| r / 3)),
        NodeMap::new((0..size).map(|r| r / 8)),
        NodeMap::new((0..size).map(|_| 7)),
        NodeMap::new((0..size).map(|r| 9 - r % 3)),
        NodeMap::new((0..size).map(|r| if r % 5 == 1 || r > 9 { 1 } else { r })),
    ];
    all.dedup();
    all
}

/// Block lengths in elements, some of them zero.
fn uneven(n: u32, salt: u32, longest: u64) -> Vec<u64> {
    (0..n).map(|i| u64::from(i * 7 + salt * 3 + i * i % 3) % (longest + 1)).collect()
}

/// The call of every rank, for `elements` elements per vector or block; `ragged` where the kind
/// allows it.
fn calls(
    kind: Kind,
    algorithm: Algorithm,
    size: u32,
    root: u32,
    elements: u64,
    grain: u64,
    ragged: bool,
) -> Vec<Collective> {
    let bytes = |lengths: Vec<u64>| Ragged::new(lengths.into_iter().map(|n| n * grain));
    let all = uneven(size, root, elements);
    (0..size)
        .map(|rank| {
            let mut call = Collective {
                kind,
                algorithm,
                member: Member { rank, size },
                root,
                bytes: elements * grain,
                grain,
                ragged: None,
                nodes: None,
            };
            match kind {
                _ if !ragged => {}
                Kind::Allgatherv | Kind::ReduceScatter => call.ragged = Some(bytes(all.clone())),
                Kind::Gatherv | Kind::Scatterv => {
                    call.bytes = all[rank as usize] * grain;
                    if rank == root {
                        call.ragged = Some(bytes(all.clone()));
                    }
                }
                Kind::Alltoallv => {
                    let to = |from: u32, to: u32| uneven(size, from, elements)[to as usize];
                    let sent = (0..size).map(|other| to(rank, other));
                    let received = (0..size).map(|other| to(other, rank));
                    call.bytes = 0;
                    call.ragged = Some(bytes(sent.chain(received).collect()));
                }
                _ => {}
            }
            call
        })
        .collect()
}

fn check(kind: Kind, size: u32) {
    let vectors =
        matches!(kind, Kind::Bcast | Kind::Reduce | Kind::Allreduce | Kind::Scan | Kind::Exscan);
    let p = u64::from(size);
    // No element, one, fewer than ranks, no multiple of the ranks, several per rank.
    let elements: &[u64] = match (kind, vectors) {
        (Kind::Barrier, _) => &[0],
        (_, true) => &[0, 1, p / 2 + 1, 2 * p + 3, 131],
        _ => &[0, 1, 5],
    };
    let roots = if kind.has_root() { vec![0, size / 2, size - 1] } else { vec![0] };
    let mut roots = roots;
    roots.dedup();
    let has_ragged = matches!(
        kind,
        Kind::Allgatherv | Kind::Gatherv | Kind::Scatterv | Kind::Alltoallv | Kind::ReduceScatter
    );
    for algorithm in algorithms(kind) {
        assert!(algorithm.implements(kind));
        let mut operators = vec![Operator::Sum];
        if kind.reduces() && algorithm.preserves_order(kind) {
            operators.push(Operator::Compose);
        }
        for &operator in &operators {
            for (&root, &n) in roots.iter().flat_map(|r| elements.iter().map(move |n| (r, n))) {
                for ragged in [false, true].into_iter().take(1 + usize::from(has_ragged)) {
                    let calls = calls(kind, algorithm, size, root, n, operator.grain(), ragged);
                    let mut buffers = deposited(&calls, operator);
                    run_in_step(&calls, &mut buffers);
                    check_collected(&calls, &buffers, "in step");
                    let mut buffers = deposited(&calls, operator);
                    run_lazily(&calls, &mut buffers, n + u64::from(root));
                    check_collected(&calls, &buffers, "lazily");
                }
            }
        }
    }
}

fn check_all(kinds: &[Kind]) {
    for &kind in kinds {
        for size in (1..=40).chain([97]) {
            check(kind, size);
        }
    }
}

/// Several ranks per node, nodes that are not full, and ranks that are not consecutive: the result
/// does not depend on which ranks share a node.
#[test]
fn node_aware_algorithms() {
    for kind in [Kind::Barrier, Kind::Bcast, Kind::Reduce, Kind::Allreduce] {
        let algorithms = node_aware(kind);
        assert!(algorithms.len() >= 4, "{kind:?} {algorithms:?}");
        for size in (1..=40).chain([97]) {
            let roots = if kind.has_root() { vec![0, size / 2, size - 1] } else { vec![0] };
            // Up to two cells of shared memory.
            let elements = match kind {
                Kind::Barrier => vec![0],
                _ if size % 8 == 5 => vec![131, 1_100],
                _ => vec![1, 131],
            };
            for (i, nodes) in layouts(size).into_iter().enumerate() {
                for (j, &algorithm) in algorithms.iter().enumerate() {
                    assert!(algorithm.implements(kind));
                    // Each root and length with some of the placements and algorithms.
                    let root = roots[(i + j) % roots.len()];
                    let n = elements[(i + j / 2 + size as usize) % elements.len()];
                    let mut calls = calls(kind, algorithm, size, root, n, 8, false);
                    calls.iter_mut().for_each(|call| call.nodes = Some(nodes.clone()));
                    let mut buffers = deposited(&calls, Operator::Sum);
                    run_in_step(&calls, &mut buffers);
                    check_collected(&calls, &buffers, "in step");
                    let mut buffers = deposited(&calls, Operator::Sum);
                    run_lazily(&calls, &mut buffers, n + u64::from(root));
                    check_collected(&calls, &buffers, "lazily");
                }
            }
        }
    }
}

#[test]
fn rooted_collectives() {
    use Kind::*;
    check_all(&[Barrier, Bcast, Gather, Gatherv, Scatter, Scatterv]);
}

#[test]
fn allgathers_and_alltoalls() {
    check_all(&[Kind::Allgather, Kind::Allgatherv, Kind::Alltoall, Kind::Alltoallv]);
}

#[test]
fn reductions() {
    check_all(&[Kind::Reduce, Kind::Allreduce]);
}

#[test]
fn reduce_scatters_and_scans() {
    use Kind::*;
    check_all(&[ReduceScatter, ReduceScatterBlock, Scan, Exscan]);
}

#[test]
fn every_reduction_has_an_algorithm_that_preserves_order() {
    for kind in Kind::ALL {
        assert!(kind.algorithms()[0].preserves_order(kind), "{kind:?}");
    }
}
