//! Which of a rank's data are charged for packing, by the layout of the collective.

use std::ffi::c_void;

use super::*;

/// Blocks with the given numbers of doubles, each double in a cache line of its own.
fn blocks(doubles: &[i64]) -> Vec<Buffer> {
    let made = datatype::tests::column();
    let at: *const c_void = std::ptr::dangling();
    doubles.iter().map(|&n| Buffer::new(at, n, made).unwrap()).collect()
}

fn layout(kind: Kind, lengths: Option<&[u64]>) -> Collective {
    Collective {
        kind,
        algorithm: kind.algorithms()[0],
        member: Member { rank: 1, size: 3 },
        root: 1,
        bytes: 40,
        grain: 1,
        ragged: lengths.map(|l| Ragged::new(l.iter().copied())),
        nodes: None,
    }
}

/// The root of a gather knows the lengths of all blocks and sends one; in place, none.
#[test]
fn packed_bytes_match_moved_bytes() {
    let layout_of = |n: u64| NonContiguous { bytes: 8 * n, touched: 64 * n, values: n, members: 0 };
    let lengths = Some(&[24, 40, 56][..]);
    let all = || Side::Blocks(blocks(&[3, 5, 7]));
    let whole = |n| Side::Whole(blocks(&[n]).remove(0));
    for (kind, lengths, outgoing, incoming, want, in_place) in [
        (Kind::Gatherv, lengths, all(), all(), (5, 15), (0, 10)),
        (Kind::Scatterv, lengths, all(), Side::Nothing, (15, 0), (10, 0)),
        (Kind::Allgatherv, lengths, whole(5), all(), (5, 15), (0, 10)),
        (Kind::Gather, None, whole(5), whole(15), (5, 15), (0, 10)),
        (Kind::Scatter, None, whole(15), Side::Nothing, (15, 0), (10, 0)),
    ] {
        let layout = layout(kind, lengths);
        for (still, (gives, takes)) in [(None, want), (Some(1), in_place)] {
            let packed = outgoing.noncontiguous(layout.deposits(), still);
            let unpacked = incoming.noncontiguous(layout.collects(), still);
            assert_eq!(
                (packed, unpacked),
                (layout_of(gives), layout_of(takes)),
                "{kind:?}, still {still:?}"
            );
        }
    }
}
