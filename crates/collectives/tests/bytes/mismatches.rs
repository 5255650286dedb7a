//! Erroneous programs: the execution reports which ranks disagree, and never panics.

use crate::common::{Operator, check_collected, deposited, run_in_step};
use base::{below, draw};
use collectives::{Algorithm, Blocked, Collective, Execution, Kind, Member, Ragged};

fn call(kind: Kind, rank: u32, size: u32, bytes: u64) -> Collective {
    let algorithm = kind.algorithms()[0];
    let member = Member { rank, size };
    Collective { kind, algorithm, member, root: 0, bytes, grain: 8, ragged: None, nodes: None }
}

#[test]
fn a_missing_rank_is_named() {
    let calls: Vec<_> = (0..4).map(|r| call(Kind::Bcast, r, 4, 8)).collect();
    let mut buffers = deposited(&calls, Operator::Sum);
    let mut execution = Execution::new(4);
    execution.join(3, calls[3].clone()).unwrap();
    assert_eq!(execution.advance(2, &mut buffers), Err(Blocked::NotJoined(2)));
    // Rank 3 receives from rank 2, which receives from the root.
    assert_eq!(execution.advance(3, &mut buffers), Err(Blocked::NotJoined(2)));
    execution.join(2, calls[2].clone()).unwrap();
    assert_eq!(execution.advance(3, &mut buffers), Err(Blocked::NotJoined(0)));
    execution.join(0, calls[0].clone()).unwrap();
    assert_eq!(execution.advance(3, &mut buffers), Ok(()));
    assert_eq!(execution.advance(3, &mut buffers), Ok(()), "twice does no harm");
}

#[test]
fn another_kind_or_root_is_refused_on_join() {
    let mut execution = Execution::new(3);
    execution.join(1, call(Kind::Bcast, 1, 3, 8)).unwrap();
    let wrong = Err(Blocked::Mismatch { rank: 2, peer: 1 });
    assert_eq!(execution.join(2, call(Kind::Scan, 2, 3, 8)), wrong);
    let root = Collective { root: 1, ..call(Kind::Bcast, 2, 3, 8) };
    assert_eq!(execution.join(2, root), wrong);
    execution.join(2, call(Kind::Bcast, 2, 3, 8)).unwrap();
}

/// Every kind, with lengths that differ between ranks. The result is an error or, where the ranks
/// concerned never exchange data, a completion.
#[test]
fn length_mismatches_are_reported() {
    for kind in Kind::ALL {
        let mut reported = 0;
        for seed in 0..200 {
            let size = 2 + below(draw(seed, 1, 0, 0), 8);
            let algorithms = kind.algorithms();
            let algorithm =
                algorithms[below(draw(seed, 2, 0, 0), algorithms.len() as u32) as usize];
            let length = |rank, i| 8 * u64::from(below(draw(seed, 3, rank, i), 3));
            let calls: Vec<_> = (0..size)
                .map(|rank| {
                    let mut c = call(kind, rank, size, length(rank, 0));
                    c.algorithm = algorithm;
                    let blocks = match kind {
                        Kind::Allgatherv | Kind::ReduceScatter => size,
                        Kind::Gatherv | Kind::Scatterv if rank == 0 => size,
                        Kind::Alltoallv => 2 * size,
                        _ => 0,
                    };
                    if blocks > 0 {
                        let all = (0..u64::from(blocks)).map(|i| length(rank, i));
                        c.ragged = Some(Ragged::new(all));
                    }
                    c
                })
                .collect();
            let mut buffers = deposited(&calls, Operator::Sum);
            let mut execution = Execution::new(size);
            let joined = calls.iter().zip(0..).all(|(c, r)| execution.join(r, c.clone()).is_ok());
            assert!(joined, "seed {seed}: lengths are not compared at the door");
            for rank in 0..size {
                match execution.advance(rank, &mut buffers) {
                    Ok(()) => {}
                    Err(Blocked::Mismatch { .. }) => reported += 1,
                    Err(stuck) => panic!("seed {seed}: {stuck:?} with all there: {calls:?}"),
                }
            }
        }
        match kind {
            Kind::Barrier => assert_eq!(reported, 0),
            _ => assert!(reported > 100, "{kind:?}: told {reported} times"),
        }
    }
}

/// In both directions: the message is longer, or shorter, than its receiver expects.
#[test]
fn a_vector_of_another_length_is_reported() {
    for (root, other) in [(16, 8), (8, 16)] {
        let calls = [call(Kind::Bcast, 0, 2, root), call(Kind::Bcast, 1, 2, other)];
        let mut buffers = deposited(&calls, Operator::Sum);
        let mut execution = Execution::new(2);
        execution.join(0, calls[0].clone()).unwrap();
        execution.join(1, calls[1].clone()).unwrap();
        let wrong = Err(Blocked::Mismatch { rank: 1, peer: 0 });
        assert_eq!(execution.advance(1, &mut buffers), wrong, "{root} {other}");
    }
}

/// The ranks of a broadcast may describe the same bytes by different elements; those of a reduction
/// may not.
#[test]
fn elements_matter_where_they_are_combined() {
    for (kind, ok) in [(Kind::Bcast, true), (Kind::Reduce, false)] {
        let mut execution = Execution::new(2);
        execution.join(0, call(kind, 0, 2, 64)).unwrap();
        let other = Collective { grain: 64, ..call(kind, 1, 2, 64) };
        assert_eq!(execution.join(1, other).is_ok(), ok, "{kind:?}");
    }
    let algorithm = Algorithm::ScatterRing;
    let calls: Vec<_> = (0..5)
        .map(|r| Collective { algorithm, grain: 8 << (r % 3), ..call(Kind::Bcast, r, 5, 96) })
        .collect();
    let mut buffers = deposited(&calls, Operator::Sum);
    run_in_step(&calls, &mut buffers);
    check_collected(&calls, &buffers, "in step");
}

#[test]
fn lists_too_short_are_blocks_without_bytes() {
    let mut c = call(Kind::Allgatherv, 2, 4, 8);
    c.ragged = Some(Ragged::new([8, 16]));
    c.algorithm = Algorithm::Ring;
    assert_eq!(c.buffer_bytes(), 48);
    assert_eq!(c.deposits().map(|(_, part)| part.len).sum::<u64>(), 0);
    assert_eq!(c.collects().map(|(_, part)| part.len).sum::<u64>(), 24);
}
