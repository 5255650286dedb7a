//! Every algorithm, on real bytes, against what MPI says the result is.

use crate::common::{Operator, check_collected, deposited, run_in_step, run_lazily};
use collectives::{Algorithm, Collective, Kind, Ragged, Seat};

/// The algorithms of a kind with the parameters worth trying.
fn algorithms(kind: Kind) -> Vec<Algorithm> {
    let variants = |a: Algorithm| match a {
        Algorithm::RecursiveExchange { .. } => {
            [2, 3, 4, 12].map(|k| Algorithm::RecursiveExchange { k }).to_vec()
        }
        Algorithm::Scattered { .. } => {
            [1, 5, 32].map(|throttle| Algorithm::Scattered { throttle }).to_vec()
        }
        other => vec![other],
    };
    kind.algorithms().iter().flat_map(|&a| variants(a)).collect()
}

/// Block lengths in elements, zeros among them.
fn uneven(n: u32, salt: u32, longest: u64) -> Vec<u64> {
    (0..n).map(|i| u64::from(i * 7 + salt * 3 + i * i % 3) % (longest + 1)).collect()
}

/// The call of every rank, for `elements` elements a vector or block; `ragged` where the kind
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
                seat: Seat { rank, size },
                root,
                bytes: elements * grain,
                grain,
                ragged: None,
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

fn prove(kind: Kind, size: u32) {
    let vectors =
        matches!(kind, Kind::Bcast | Kind::Reduce | Kind::Allreduce | Kind::Scan | Kind::Exscan);
    let p = u64::from(size);
    // Nothing, one element, fewer than ranks, no multiple of the ranks, several a rank.
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
        assert!(algorithm.serves(kind));
        let mut operators = vec![Operator::Sum];
        if kind.reduces() && algorithm.keeps_order(kind) {
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

fn prove_all(kinds: &[Kind]) {
    for &kind in kinds {
        for size in (1..=40).chain([97]) {
            prove(kind, size);
        }
    }
}

#[test]
fn one_to_all_and_back() {
    use Kind::*;
    prove_all(&[Barrier, Bcast, Gather, Gatherv, Scatter, Scatterv]);
}

#[test]
fn all_to_all() {
    prove_all(&[Kind::Allgather, Kind::Allgatherv, Kind::Alltoall, Kind::Alltoallv]);
}

#[test]
fn reductions() {
    prove_all(&[Kind::Reduce, Kind::Allreduce]);
}

#[test]
fn scattered_reductions_and_scans() {
    use Kind::*;
    prove_all(&[ReduceScatter, ReduceScatterBlock, Scan, Exscan]);
}

#[test]
fn every_reduction_has_an_algorithm_that_keeps_order() {
    for kind in Kind::ALL {
        assert!(kind.algorithms()[0].keeps_order(kind), "{kind:?}");
    }
}
