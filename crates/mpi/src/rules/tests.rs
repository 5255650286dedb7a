//! Round trips: written files, read back, are equivalent.

use base::{below, draw};
use collectives::{Algorithm, Case, Kind, Overrides, Selection};

use super::*;
use crate::library::{Library, preset};

fn own(name: &str) -> Selection {
    let text = preset(name).expect("a preset");
    Library::parse(name, text, "slingshot").expect("presets are valid").selection
}

/// A call with a random size, and an operator that may not commute.
fn any_case(kind: Kind, size: u32, seed: u64) -> Case {
    let log = below(draw(seed, 2, 0, 0), 31);
    let bytes = draw(seed, 3, 0, 0) & ((1 << log) - 1) & !7;
    let commutative = !kind.reduces() || below(draw(seed, 4, 0, 0), 4) > 0;
    let builtin = commutative && below(draw(seed, 5, 0, 0), 4) > 0;
    // One rank per node, three, or all on one.
    let a_node = [1, 3, size][below(draw(seed, 6, 0, 0), 3) as usize];
    let nodes = size.div_ceil(a_node);
    let consecutive = below(draw(seed, 7, 0, 0), 2) > 0;
    Case { kind, size, nodes, consecutive, bytes, elements: bytes / 8, commutative, builtin }
}

/// Random choices for three communicator sizes.
fn any_choices(family: Family, kind: Kind, seed: u64) -> Vec<Choice> {
    let mut choices = Vec::new();
    for (i, ranks) in [48, 512, 1000].into_iter().enumerate() {
        for log in 3..16 {
            let bytes = 1 << log;
            // Enough elements for every algorithm.
            let case = Case {
                kind,
                size: ranks,
                nodes: ranks / 4,
                consecutive: true,
                bytes,
                elements: 1 << 20,
                commutative: true,
                builtin: true,
            };
            let offered: Vec<Algorithm> = kind
                .algorithms()
                .iter()
                .copied()
                .chain([Algorithm::Scattered { throttle: u16::MAX }])
                .filter(|a| a.implements(kind) && family.offers(*a, &case))
                .collect();
            let nth = below(draw(seed, 1, i as u32, log), offered.len() as u32);
            choices.push(Choice { ranks, bytes, algorithm: offered[nth as usize] });
        }
    }
    choices
}

const TUNED: [Kind; 9] = [
    Kind::Bcast,
    Kind::Reduce,
    Kind::Allreduce,
    Kind::Allgather,
    Kind::Allgatherv,
    Kind::Alltoall,
    Kind::Gather,
    Kind::Scatter,
    Kind::ReduceScatter,
];

/// MPICH without compositions, so that its file decides.
fn without_compositions() -> Overrides {
    let mut overrides = Overrides::default();
    for (kind, flat) in [("BARRIER", "2"), ("BCAST", "3"), ("REDUCE", "3"), ("ALLREDUCE", "2")] {
        let set = overrides.set(&format!("MPIR_CVAR_{kind}_COMPOSITION"), flat);
        assert_eq!(set, Ok(collectives::Setting::Applied), "{kind}");
    }
    overrides
}

/// The algorithm as a file can express it: without compositions.
fn written(algorithm: Algorithm) -> String {
    if algorithm.is_node_aware() { algorithm.name().to_string() } else { algorithm.label() }
}

/// The file's choice is that of the largest size not above the call's, straight from the list.
#[test]
fn a_written_file_reads_back_as_the_choices() {
    let none = without_compositions();
    for family in Family::ALL {
        let own = own("mpich");
        for (kind, seed) in TUNED.iter().flat_map(|&kind| (0..20).map(move |seed| (kind, seed))) {
            let choices = any_choices(family, kind, seed);
            let text = family.write(kind, &choices, &own);
            let read = read(&text, None, &own).unwrap_or_else(|e| panic!("{e:#?}\n{text}"));
            // Choices for operators that do not commute remain MPICH's, which are not modeled.
            let ours = read.notes.iter().filter(|(k, _)| *k == kind && kind != Kind::ReduceScatter);
            assert_eq!(ours.count(), 0, "{:?}", read.notes);
            let selection = read.over(&own);
            for nth in 0..300 {
                let ranks = [48, 512, 1000][nth as usize % 3];
                let case = any_case(kind, ranks, seed << 32 | nth);
                let here = choices.iter().filter(|c| c.ranks == ranks);
                let mut below = here.clone().filter(|c| c.bytes <= case.bytes);
                let choice = below.next_back().or(here.clone().next()).expect("it has choices");
                let got = selection.decide(&case, &none);
                if family.offers(choice.algorithm, &case) {
                    let (got, want) = (written(got), written(choice.algorithm));
                    assert_eq!(got, want, "{family:?} {case:?}\n{text}");
                } else if family == Family::Mpich {
                    assert_eq!(got, own.decide(&case, &none), "{case:?}\n{text}");
                }
                // Below the smallest size, the library's own rules hold.
                let few = Case { size: 47, ..case };
                assert_eq!(selection.decide(&few, &none), own.decide(&few, &none), "{few:?}");
            }
        }
    }
}

/// MPICH's own table, read from its file, equals the profile.
#[test]
fn the_profile_equals_mpichs_own_file() {
    let (none, own) = (without_compositions(), own("mpich"));
    let text = include_str!("../../libraries/mpich.json");
    let read = read(text, None, &Selection::default()).expect("MPICH's own file is valid");
    let of_file = read.clone().over(&Selection::default());
    for kind in Kind::ALL {
        for nth in 0..2_000 {
            let size = 1 + below(draw(nth, 0, 0, 0), 2_000) * below(draw(nth, 9, 0, 0), 40) / 20;
            let case = any_case(kind, size.max(1), nth);
            // Two of MPICH's algorithms are replaced where the order matters.
            if matches!(kind, Kind::ReduceScatter | Kind::ReduceScatterBlock) && !case.commutative {
                continue;
            }
            // Nothing is sent then, by any algorithm.
            if case.bytes == 0 && kind.is_ever_node_aware() && kind != Kind::Barrier {
                continue;
            }
            let (a, b) = (of_file.decide(&case, &none), own.decide(&case, &none));
            assert_eq!(a, b, "{case:?}");
        }
    }
}

#[test]
fn errors_in_files_name_their_place() {
    let own = own("mpich");
    for (text, expected) in [
        ("{", "EOF"),
        ("{\"collective=allgather\": 3}", "an object"),
        ("{\"collective=allgathr\": {}}", "did you mean `collective=allgather`?"),
        (
            "{\"collective=allgather\": {\"avg_msg_size<=8\": {}, \"any\": {}}}",
            "collective=allgather/avg_msg_size<=8: expected `total_msg_size`: for allgather MPICH",
        ),
        (
            "{\"collective=bcast\": {\"comm_size<x\": {}, \"any\": {}}}",
            "collective=bcast/comm_size<x: expected a number after `<` or `<=`",
        ),
        (
            "{\"collective=bcast\": {\"comm_size<8\": \
             {\"algorithm=MPIR_Bcast_intra_binomial\": {}}}}",
            "collective=bcast: expected a last case",
        ),
        (
            "{\"collective=bcast\": {\"algorithm=MPIR_Bcast_intra_binomail\": {}}}",
            "did you mean `MPIR_Bcast_intra_binomial`?",
        ),
        ("{\"collective=bcast\": {\"wierd<8\": {}, \"any\": {}}}", "a condition of MPICH's"),
        ("{\"collective=bcast\": {}, \"collective=bcast\": {}}", "appears twice"),
        ("", "line 1: expected how many collectives have rules, found the end"),
        ("1 0 1\n64 1\n8 2 0 0", "line 3: found 8 B, expected a rule for 0 B first"),
        ("1 0 2 64 1 0 2 0 0 32 1 0 2 0 0", "found 32 ranks, expected more than before"),
        ("1 0 1 64 1 0 2 0", "expected a segment size, found the end"),
        ("1 0 1 64 1 0 2 0 0 7", "found `7`, expected the end"),
        ("1 99 0", "found collective 99"),
        ("one", "line 1: found `one`, expected a number"),
        (
            "{\"collectives\": {\"reducescatter\": [], \"reduce_scatter\": []}}",
            "collectives.reducescatter: expected one list per collective: `reduce_scatter` is",
        ),
    ] {
        let errors = read(text, None, &own).expect_err(text);
        assert!(errors.iter().any(|e| e.contains(expected)), "{text}: {expected}\n{errors:#?}");
    }
    // No longer than a line, for letters of any length.
    let long = read(&"\u{fc}".repeat(100_000), None, &own).expect_err("a word");
    let shown = "\u{fc}".repeat(40);
    assert_eq!(long, [format!("line 1: found `{shown}...`, expected a number")]);
    // Deeper than any stack.
    let deep = "{\"collective=bcast\":".to_string() + &"{\"any\":".repeat(100_000);
    assert!(read(&deep, None, &own).is_err());
}

/// The example of Open MPI's documentation, with its comments and in its second version.
#[test]
fn open_mpis_own_example_is_read() {
    let text = "rule-file-version-2\n1 # num of collectives\n3 # collective ID\n1 # comm sizes\n\
                #====\n64 # comm size\n3 # number of rules\n0 0 0 0 0\n512000 4 0 0 64\n\
                1536000 2 0 0\n";
    let own = own("openmpi");
    let read = read(text, None, &own).expect("valid");
    assert!(read.notes.is_empty(), "{:?}", read.notes);
    let selection = read.over(&own);
    let none = Overrides::default();
    for (bytes, want) in [
        (7_999, None),
        (8_000, Some(Algorithm::Scattered { throttle: 64 })),
        (23_999, Some(Algorithm::Scattered { throttle: 64 })),
        (24_000, Some(Algorithm::Pairwise)),
    ] {
        // Its message sizes are sums over all blocks: 512,000 B are 8,000 B per rank.
        let kind = Kind::Alltoall;
        let (commutative, builtin) = (true, true);
        let case = Case {
            kind,
            size: 64,
            nodes: 8,
            consecutive: true,
            bytes,
            elements: 0,
            commutative,
            builtin,
        };
        let want = want.unwrap_or_else(|| own.decide(&case, &none));
        assert_eq!(selection.decide(&case, &none), want, "{bytes} B");
    }
}

/// MPICH has an assertion on recursive doubling of other sizes, and reads beyond a file that fills
/// its page.
#[test]
fn rules_that_would_abort_are_not_written() {
    let own = own("mpich");
    let kind = Kind::Allgather;
    let choices = [Choice { ranks: 64, bytes: 8, algorithm: Algorithm::RecursiveDoubling }];
    let text = Family::Mpich.write(kind, &choices, &own);
    let selection = read(&text, None, &own).expect("valid").over(&own);
    for size in [64, 65, 96, 128] {
        let (nodes, commutative, builtin) = (size, true, true);
        let case = Case {
            kind,
            size,
            nodes,
            consecutive: true,
            bytes: 64,
            elements: 8,
            commutative,
            builtin,
        };
        let got = selection.decide(&case, &Overrides::default());
        assert!(got.is_applicable(&case), "{size}: {got:?}");
    }
    assert!(!text.len().is_multiple_of(4096));
}
