//! Tests with files as in the libraries' sources and documentation: every condition, kind of file
//! and variable. Expectations are what the source states about the call.

use base::{below, draw};
use collectives::{Algorithm, Case, Composition, Kind, Overrides, Selection, TreeShape};

use super::*;
use crate::library::{Library, preset};

fn own(name: &str) -> Selection {
    let text = preset(name).expect("a preset");
    Library::parse(name, text, "slingshot").expect("presets are valid").selection
}

/// A call of `bytes` as `Case` counts them, in 8-byte elements, with a predefined operator.
fn case(kind: Kind, (size, nodes): (u32, u32), bytes: u64) -> Case {
    Case {
        kind,
        size,
        nodes,
        consecutive: true,
        bytes,
        elements: bytes / 8,
        commutative: true,
        builtin: true,
    }
}

/// The choice of an MPICH file, without compositions.
fn chosen(text: &str, case: &Case) -> Algorithm {
    let own = Selection::default();
    let read = read(text, None, &own).unwrap_or_else(|e| panic!("{e:#?}\n{text}"));
    assert!(read.notes.is_empty(), "{:?}\n{text}", read.notes);
    read.over(&own).decide(case, &Overrides::default())
}

/// A file in which a condition chooses the ring, and all else another algorithm.
fn asks(kind: Kind, condition: &str) -> String {
    let (yes, no) = match kind {
        Kind::Allreduce => ("ring", "recursive_doubling"),
        Kind::Bcast => ("scatter_ring_allgather", "binomial"),
        Kind::Reduce => ("reduce_scatter_gather", "binomial"),
        Kind::Alltoall => ("brucks", "pairwise"),
        Kind::ReduceScatter | Kind::ReduceScatterBlock => ("recursive_halving", "pairwise"),
        _ => ("ring", "brucks"),
    };
    let name = kind.name();
    let long = format!("MPIR_{}{}_intra_", name[..1].to_uppercase(), &name[1..]);
    format!(
        "{{\"collective={name}\": {{\"comm_type=intra\": {{\"{condition}\": \
         {{\"algorithm={long}{yes}\": {{}}}}, \"any\": {{\"algorithm={long}{no}\": {{}}}}}}}}}}"
    )
}

fn holds(condition: &str, case: &Case) -> bool {
    let first = chosen(&asks(case.kind, condition), case);
    let no = [Algorithm::RecursiveDoubling, Algorithm::Binomial, Algorithm::Pairwise];
    let bruck = case.kind != Kind::Alltoall && first == Algorithm::Bruck;
    !no.contains(&first) && !bruck
}

/// [MPICH] csel.c: `comm_avg_ppn<=N` is `size <= N * nodes`. [measured] So it is in 5.0.2 with
/// `MPIR_CVAR_NUM_CLIQUES`, for one rank per node as well (`conformance/tuning`).
#[test]
fn mean_ranks_per_node() {
    for (size, nodes, le, lt) in [
        (16, 4, true, false),
        (15, 4, true, true),
        (17, 4, false, false),
        (4, 1, true, false),
        (5, 1, false, false),
        (4, 4, true, true),
        (1, 1, true, true),
        (4_000, 1_000, true, false),
        (3_999, 1_000, true, true),
    ] {
        let case = case(Kind::Allreduce, (size, nodes), 64);
        assert_eq!(holds("comm_avg_ppn<=4", &case), le, "{size} ranks on {nodes} nodes");
        assert_eq!(holds("comm_avg_ppn<4", &case), lt, "{size} ranks on {nodes} nodes");
    }
}

/// [MPICH] csel.c, `get_count`: elements of the vector; of one block for allgather and
/// reduce_scatter_block; of all blocks for allgatherv and reduce_scatter.
#[test]
fn element_counts() {
    let ranks = 8;
    for (kind, elements) in [
        (Kind::Bcast, 1),
        (Kind::Allreduce, 1),
        (Kind::Reduce, 1),
        (Kind::Allgather, ranks),
        (Kind::ReduceScatterBlock, ranks),
        (Kind::Allgatherv, 1),
        (Kind::ReduceScatter, 1),
    ] {
        for (count, le) in [(64, true), (65, false)] {
            let bytes = 8 * count * elements;
            let case = case(kind, (ranks as u32, 8), bytes);
            assert_eq!(holds("count<=64", &case), le, "{}: {count}", kind.name());
        }
    }
    // 7 elements cannot be spread over 8 ranks, 8 can.
    for (count, lt) in [(7u64, true), (8, false)] {
        let of = |kind, blocks: u64| case(kind, (8, 8), 8 * count * blocks);
        assert_eq!(holds("count<pow2", &of(Kind::Allreduce, 1)), lt, "{count}");
        assert_eq!(holds("count<pow2", &of(Kind::ReduceScatterBlock, 8)), lt, "{count}");
    }
}

#[test]
fn the_other_conditions() {
    let flat = case(Kind::Allreduce, (8, 8), 64);
    let packed = case(Kind::Allreduce, (8, 2), 64);
    let alone = case(Kind::Allreduce, (8, 1), 64);
    let dealt = Case { consecutive: false, ..packed };
    let users = Case { builtin: false, ..packed };
    for (condition, case, want) in [
        ("comm_hierarchy=parent", flat, false),
        ("comm_hierarchy=parent", packed, true),
        ("comm_hierarchy=flat", flat, true),
        ("comm_hierarchy=node", flat, true),
        ("comm_hierarchy=node", alone, false),
        ("comm_hierarchy=node_roots", flat, true),
        ("comm_hierarchy=flat", packed, false),
        ("comm_size=node_comm_size", alone, true),
        ("comm_size=node_comm_size", packed, false),
        ("is_node_consecutive=yes", packed, true),
        ("is_node_consecutive=yes", dealt, false),
        ("is_node_consecutive=yes", flat, false),
        ("is_node_consecutive=yes", alone, false),
        ("is_node_consecutive=no", alone, true),
        ("is_node_consecutive=no", packed, false),
        ("is_node_consecutive=no", dealt, true),
        ("is_node_consecutive=no", flat, true),
        ("comm_size=pow2", packed, true),
        ("comm_size=pow2", Case { size: 12, ..packed }, false),
        ("comm_size<8", packed, false),
        ("comm_size<=8", packed, true),
        ("avg_msg_size<64", packed, false),
        ("avg_msg_size<=64", packed, true),
        ("total_msg_size<512", packed, false),
        ("total_msg_size<=512", packed, true),
        ("is_op_built_in=yes", packed, true),
        ("is_op_built_in=yes", users, false),
        ("is_op_built_in=no", users, true),
        ("is_commutative=yes", packed, true),
        ("is_multi_threaded=no", packed, true),
        ("is_multi_threaded=yes", packed, false),
        ("comm_size <= 8", packed, true),
    ] {
        assert_eq!(holds(condition, &case), want, "{condition}: {case:?}");
    }
    let alltoall = case(Kind::Alltoall, (8, 8), 64);
    assert!(holds("is_sendbuf_inplace=no", &alltoall));
    // A condition may stand above the collectives.
    let text = "{\"comm_size<4\": {\"collective=allreduce\": \
                {\"algorithm=MPIR_Allreduce_intra_ring\": {}}}, \
                \"any\": {\"collective=allreduce\": \
                {\"algorithm=MPIR_Allreduce_intra_recursive_doubling\": {}}}}";
    assert_eq!(chosen(text, &packed), Algorithm::RecursiveDoubling);
    assert_eq!(chosen(text, &Case { size: 2, nodes: 1, ..packed }), Algorithm::Ring);
}

/// Where MPICH has an assertion, the file is an input error.
#[test]
fn unanswerable_conditions_are_errors() {
    let own = own("mpich");
    for (kind, condition, expected) in [
        (Kind::Alltoall, "count<=8", "for alltoall MPICH has no `count`"),
        (Kind::Allreduce, "count<8", "`count<=N` or `count<pow2`"),
        (Kind::Bcast, "is_commutative=yes", "for bcast MPICH has no `is_commutative`"),
        (Kind::Allgather, "is_op_built_in=yes", "for allgather MPICH has no"),
        (Kind::Bcast, "is_sendbuf_inplace=no", "for bcast MPICH has no `is_sendbuf_inplace`"),
        (Kind::Bcast, "comm_avg_ppn=4", "did you mean `comm_avg_ppn<"),
        (Kind::Bcast, "comm_avg_pn<=4", "did you mean `comm_avg_ppn<=N`?"),
        (Kind::Bcast, "comm_avg_ppn<=four", "expected a number after `<` or `<=`"),
        (Kind::Bcast, "comm_avg_ppn<=-1", "expected a number after `<` or `<=`"),
    ] {
        let text = asks(kind, condition);
        let errors = read(&text, None, &own).expect_err(condition);
        let at = format!("collective={}/comm_type=intra/{condition}: ", kind.name());
        let is = |e: &String| e.starts_with(&at) && e.contains(expected);
        assert!(errors.iter().any(is), "{condition}: {errors:#?}");
    }
}

/// A file tuned on top of another is equivalent when it is written and read again.
#[test]
fn conditions_round_trip() {
    let base = own("mpich");
    let kind = Kind::Allreduce;
    let text = "{\"collective=allreduce\": {\"comm_avg_ppn<=3\": {\"count<=64\": \
                {\"algorithm=MPIR_Allreduce_intra_ring\": {}}, \"any\": \
                {\"algorithm=MPIR_Allreduce_intra_recursive_doubling\": {}}}, \"comm_avg_ppn<6\": \
                {\"algorithm=MPIR_Allreduce_intra_recexch\": {\"k=4\": {}}}, \
                \"is_node_consecutive=no\": {\"algorithm=MPIR_Allreduce_intra_ring\": {}}, \
                \"any\": {\"algorithm=MPIR_Allreduce_intra_recursive_doubling\": {}}}}";
    let mine = read(text, None, &base).expect("valid").over(&base);
    let choices = [Choice { ranks: 100_000, bytes: 8, algorithm: Algorithm::RecursiveDoubling }];
    let again = read(&Family::Mpich.write(kind, &choices, &mine), None, &base).expect("valid");
    let again = again.over(&base);
    let mut flat = Overrides::default();
    flat.set("MPIR_CVAR_ALLREDUCE_COMPOSITION", "2").expect("valid");
    let mut seen = Vec::new();
    for nth in 0..2_000 {
        let nodes = 1 + below(draw(nth, 0, 0, 0), 40);
        let size = nodes + below(draw(nth, 1, 0, 0), 7 * nodes);
        let consecutive = below(draw(nth, 2, 0, 0), 2) > 0;
        let bytes = 8 * u64::from(below(draw(nth, 3, 0, 0), 130));
        let case = Case { consecutive, ..case(kind, (size, nodes), bytes) };
        let (a, b) = (mine.decide(&case, &flat), again.decide(&case, &flat));
        assert_eq!(a, b, "{case:?}");
        seen.push(a);
    }
    for algorithm in
        [Algorithm::Ring, Algorithm::RecursiveDoubling, Algorithm::RecursiveExchange { k: 4 }]
    {
        assert!(seen.contains(&algorithm), "{algorithm:?}");
    }
}

fn form(algorithm: Algorithm) -> Option<Composition> {
    match algorithm {
        Algorithm::NodeAware { form, .. } => Some(form),
        _ => None,
    }
}

/// MPICH's own compositions file equals its profile.
#[test]
fn mpichs_own_compositions_are_the_profiles() {
    let text = include_str!("../../libraries/mpich-ch4.json");
    let base = own("mpich");
    let read = read(text, None, &base).expect("MPICH's own file is valid");
    // Scans are not node-aware here.
    let noted: Vec<Kind> = read.notes.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(noted, [Kind::Scan], "{:?}", read.notes);
    let again = read.over(&base);
    let none = Overrides::default();
    for kind in Kind::ALL {
        for nth in 0..1_000 {
            let nodes = 1 + below(draw(nth, 0, 0, 0), 40);
            let size = nodes + below(draw(nth, 1, 0, 0), 3) * below(draw(nth, 4, 0, 0), 40);
            let bytes = draw(nth, 3, 0, 0) & ((1 << below(draw(nth, 2, 0, 0), 22)) - 1) & !7;
            let commutative = !kind.reduces() || below(draw(nth, 5, 0, 0), 4) > 0;
            let case =
                Case { commutative, builtin: commutative, ..case(kind, (size, nodes), bytes) };
            // By the library's `smp` nothing is sent.
            if bytes == 0 && kind != Kind::Barrier {
                continue;
            }
            assert_eq!(again.decide(&case, &none), base.decide(&case, &none), "{case:?}");
        }
    }
}

/// [MPICH] ch4_coll.h: the meaning of each composition; a call without one goes to the generic
/// selection.
#[test]
fn compositions_are_chosen_by_a_file() {
    let base = own("mpich");
    let none = Overrides::default();
    let file = |collective: &str, body: &str| {
        let text = format!("{{\"collective={collective}\": {body}}}");
        let read = read(&text, None, &base).unwrap_or_else(|e| panic!("{e:#?}\n{text}"));
        assert!(read.notes.is_empty(), "{:?}\n{text}", read.notes);
        read.over(&base)
    };
    let packed = |kind, bytes| case(kind, (64, 8), bytes);
    let beta = file("bcast", "{\"composition=MPIDI_Bcast_intra_composition_beta\": {}}");
    assert_eq!(form(beta.decide(&packed(Kind::Bcast, 1 << 20), &none)), Some(Composition::Beta));
    // Left out: no composition. The library's own is alpha.
    assert_eq!(form(base.decide(&packed(Kind::Allreduce, 8), &none)), Some(Composition::Alpha));
    assert_eq!(form(beta.decide(&packed(Kind::Allreduce, 8), &none)), None);
    let flat = file("allreduce", "{\"composition=MPIDI_Allreduce_intra_composition_beta\": {}}");
    let got = flat.decide(&packed(Kind::Allreduce, 1 << 20), &none);
    assert_eq!(got, Algorithm::Rabenseifner);
    // No backtracking: 8 ranks per node enter the first branch, which has no answer for long
    // vectors.
    let body = "{\"comm_avg_ppn<=8\": {\"avg_msg_size<=64\": \
                {\"composition=MPIDI_Allreduce_intra_composition_alpha\": {}}}, \
                \"comm_hierarchy=parent\": \
                {\"composition=MPIDI_Allreduce_intra_composition_alpha\": {}}}";
    let split = file("allreduce", body);
    assert_eq!(form(split.decide(&packed(Kind::Allreduce, 64), &none)), Some(Composition::Alpha));
    assert_eq!(form(split.decide(&packed(Kind::Allreduce, 65), &none)), None);
    let nine = case(Kind::Allreduce, (72, 8), 65);
    assert_eq!(form(split.decide(&nine, &none)), Some(Composition::Alpha));
    // The variable comes before the file.
    let mut set = Overrides::default();
    set.set("MPIR_CVAR_ALLREDUCE_COMPOSITION", "1").expect("valid");
    assert_eq!(form(flat.decide(&packed(Kind::Allreduce, 8), &set)), Some(Composition::Alpha));
    // Within one node gamma is the whole collective.
    let gamma = file("allreduce", "{\"composition=MPIDI_Allreduce_intra_composition_gamma\": {}}");
    assert_eq!(
        form(gamma.decide(&case(Kind::Allreduce, (8, 1), 8), &none)),
        Some(Composition::Alpha)
    );
    assert_eq!(form(gamma.decide(&packed(Kind::Allreduce, 8), &none)), None);
    // The profile's own rules replace what is not modeled.
    let text = "{\"collective=allreduce\": \
                {\"composition=MPIDI_Allreduce_intra_composition_delta\": {}}}";
    let delta = read(text, None, &base).expect("valid");
    assert!(delta.notes[0].1.contains("composition_delta is not modeled"), "{:?}", delta.notes);
    let delta = delta.over(&base);
    assert_eq!(form(delta.decide(&packed(Kind::Allreduce, 8), &none)), Some(Composition::Alpha));
}

#[test]
fn composition_and_posix_files_are_distinguished_and_checked() {
    let base = own("mpich");
    for (text, format, expected) in [
        (
            "{\"collective=bcast\": {\"composition=MPIDI_Bcast_intra_composition_betta\": {}}}",
            None,
            "did you mean `MPIDI_Bcast_intra_composition_beta`?",
        ),
        (
            "{\"collective=bcast\": {\"composition=MPIDI_Bcast_intra_composition_beta\": {}}}",
            Some(Format::Generic),
            "is for `MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE`",
        ),
        (
            "{\"collective=bcast\": {\"algorithm=MPIR_Bcast_intra_binomial\": {}}}",
            Some(Format::Compositions),
            "is for `MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE`",
        ),
        (
            "{\"collective=bcast\": {\"algorithm=MPIDI_POSIX_mpi_bcast_release_gathr\": {}}}",
            None,
            "did you mean `MPIDI_POSIX_mpi_bcast_release_gather`?",
        ),
        (
            "{\"collective=bcast\": {\"wierd=yes\": {}}}",
            Some(Format::Posix),
            "expected a condition of MPICH's",
        ),
    ] {
        let errors = read(text, format, &base).expect_err(text);
        assert!(errors.iter().any(|e| e.contains(expected)), "{text}: {errors:#?}");
    }
    // MPICH's own file: release and gather trees are modeled.
    let text = "{\"collective=bcast\": {\"comm_type=intra\": {\"is_multi_threaded=no\": \
                {\"algorithm=MPIDI_POSIX_mpi_bcast_release_gather\": {}}}}}";
    let posix = read(text, None, &base).expect("valid");
    assert!(posix.rules.is_empty() && posix.notes.is_empty(), "{posix:?}");
    let text = "{\"collective=bcast\": {\"avg_msg_size<=64\": \
                {\"algorithm=MPIDI_POSIX_mpi_bcast_ipc_read\": {}}, \"any\": \
                {\"algorithm=MPIR_Bcast_intra_binomial\": {}}}}";
    let posix = read(text, Some(Format::Posix), &base).expect("valid");
    assert_eq!(posix.notes.len(), 2, "{:?}", posix.notes);
    assert_eq!(posix.over(&base), base);
}

/// The example of Open MPI's documentation, including its trailing comma.
const DOCUMENTED: &str = r#"{
    "$schema": "tuned_schema.json",
    "rule_file_version" : 3,
    "module" : "tuned",
    "collectives" : {
        "allreduce" :
        [
            {
                "comm_size_min" : 64,
                "comm_size_max" : 128,
                "rules" : [
                    { "msg_size_min" : 512, "msg_size_max" : 511999, "alg" : 2, },
                    {
                        "msg_size_min" : 512000,
                        "msg_size_max" : "inf",
                        "alg" : "recursive_doubling",
                        "reqs" : 8
                    }
                ]
            }
        ]
    }
}"#;

#[test]
fn open_mpis_json_is_read() {
    let own = own("openmpi");
    let reading = read(DOCUMENTED, None, &own).expect("valid");
    assert!(reading.notes.is_empty(), "{:?}", reading.notes);
    let selection = reading.over(&own);
    let none = Overrides::default();
    for (size, bytes, want) in [
        (64, 511, None),
        (64, 512, Some(Algorithm::ReduceBcast)),
        (128, 511_999, Some(Algorithm::ReduceBcast)),
        (128, 512_000, Some(Algorithm::RecursiveDoubling)),
        (63, 512, None),
        (129, 512, None),
    ] {
        let case = case(Kind::Allreduce, (size, 8), bytes);
        let want = want.unwrap_or_else(|| own.decide(&case, &none));
        assert_eq!(selection.decide(&case, &none), want, "{size} ranks, {bytes} B");
    }
    let other = case(Kind::Bcast, (64, 8), 512);
    assert_eq!(selection.decide(&other, &none), own.decide(&other, &none));
}

/// Only the first communicator rule that holds is used, and of its rules the first that holds.
#[test]
fn the_first_rule_of_open_mpis_json_that_holds_is_taken() {
    let own = own("openmpi");
    let text = r#"{"module": "tuned", "comm_rank_distribution": "one-per-node", "collectives": {
        "allgather": [
            {"comm_rank_distribution": "single-node", "rules": [{"alg": "ring"}]},
            {"comm_size_max": 8, "rules": [
                {"msg_size_max": 99, "alg": "neighbor"}, {"msg_size_max": 999, "alg": 4}]},
            {"comm_size_max": 16, "rules": [{"alg": "bruck"}]},
            {"comm_rank_distribution": "any", "rules": [{"alg": "newest"}, {"alg": 99},
                {"alg": "linear", "msg_size_max": 9}, {"alg": "neighbor"}]}]}}"#;
    let reading = read(text, None, &own).expect("valid");
    let notes: Vec<&str> = reading.notes.iter().map(|(_, words)| &**words).collect();
    assert_eq!(notes.len(), 3, "{notes:#?}");
    assert!(notes[0].contains("rules[0].alg: found \"newest\", expected a number from 0 to 8"));
    assert!(notes[0].ends_with("rule ignored"), "{notes:#?}");
    assert!(notes[2].contains("algorithm 1 is not modeled (linear)"), "{notes:#?}");
    let selection = reading.over(&own);
    let none = Overrides::default();
    for ((size, nodes), bytes, want) in [
        ((6, 1), 5_000, Some(Algorithm::Ring)),
        ((8, 8), 99, Some(Algorithm::Neighbor)),
        ((8, 8), 100, Some(Algorithm::Ring)),
        ((8, 8), 1_000, None),
        ((16, 16), 1_000, Some(Algorithm::Bruck)),
        ((16, 4), 1_000, Some(Algorithm::Neighbor)),
        ((16, 4), 9, None),
    ] {
        let case = case(Kind::Allgather, (size, nodes), bytes);
        let want = want.unwrap_or_else(|| own.decide(&case, &none));
        assert_eq!(selection.decide(&case, &none), want, "{size} on {nodes}, {bytes} B");
    }
}

#[test]
fn errors_in_open_mpis_json_name_their_place() {
    let own = own("openmpi");
    let of = |rule: &str| format!("{{\"collectives\": {{\"bcast\": [{{\"rules\": [{rule}]}}]}}}}");
    for (text, expected) in [
        ("{\"collectives\": ".to_string(), "JSON as in Open MPI's rules of version 3 (EOF"),
        ("{\"rule_file_version\": 3}".into(), "collectives: expected an object of lists"),
        ("{\"collectives\": 3}".into(), "collectives: found `3`, expected an object of lists"),
        (
            "{\"collectives\": {\"allreduc\": []}}".into(),
            "collectives.allreduc: expected the name of a collective; did you mean `allreduce`?",
        ),
        ("{\"colectives\": {}, \"collectives\": {}}".into(), "did you mean `collectives`?"),
        ("{\"collectives\": {\"bcast\": {}}}".into(), "collectives.bcast: found `{}`"),
        ("{\"collectives\": {\"bcast\": [{}]}}".into(), "collectives.bcast[0].rules: expected"),
        (of("{}"), "collectives.bcast[0].rules[0].alg: found `null`, expected an algorithm's"),
        (of("{\"alg\": 1.5}"), "rules[0].alg: found `1.5`"),
        (of("{\"alg\": 1, \"msg_size_min\": -1}"), "rules[0].msg_size_min: found `-1`"),
        (of("{\"alg\": 1, \"msg_size\": 1}"), "rules[0].msg_size: expected one of msg_size_min"),
        (of("3"), "rules[0]: found `3`, expected an object"),
        (
            "{\"comm_rank_distribution\": \"single\", \"collectives\": {}}".into(),
            "comm_rank_distribution: found `\"single\"`, expected one of any, one-per-node",
        ),
    ] {
        let errors = read(&text, None, &own).expect_err(&text);
        assert!(errors.iter().any(|e| e.contains(expected)), "{text}: {errors:#?}");
    }
}

fn set(variables: &[(&str, &str)]) -> Result<Forced, Vec<(String, String)>> {
    forced(variables.iter().copied())
}

#[test]
fn open_mpis_variables_force_algorithms() {
    let own = own("openmpi");
    let use_them = ("OMPI_MCA_coll_tuned_use_dynamic_rules", "1");
    let none = Overrides::default();
    for (kind, variables, want) in [
        (Kind::Allreduce, vec![("allreduce_algorithm", "4")], Algorithm::Ring),
        (Kind::Allreduce, vec![("allreduce_algorithm", "ring")], Algorithm::Ring),
        (Kind::Alltoall, vec![("alltoall_algorithm", "2")], Algorithm::Pairwise),
        (
            Kind::Alltoall,
            vec![("alltoall_algorithm", "linear_sync"), ("alltoall_algorithm_max_requests", "7")],
            Algorithm::Scattered { throttle: 7 },
        ),
        (
            Kind::Bcast,
            vec![
                ("bcast_algorithm", "chain"),
                ("bcast_algorithm_chain_fanout", "3"),
                ("bcast_algorithm_segmentsize", "4096"),
            ],
            Algorithm::Tree { shape: TreeShape::Chain, k: 3, chunk: 4096 },
        ),
        (
            Kind::Bcast,
            vec![("bcast_algorithm", "chain"), ("init_chain_fanout", "2")],
            Algorithm::Tree { shape: TreeShape::Chain, k: 2, chunk: 0 },
        ),
        (
            Kind::Bcast,
            vec![("bcast_algorithm", "7"), ("bcast_algorithm_knomial_radix", "8")],
            Algorithm::Tree { shape: TreeShape::Knomial2, k: 8, chunk: 0 },
        ),
    ] {
        let named: Vec<(String, &str)> =
            variables.iter().map(|(n, v)| (format!("OMPI_MCA_coll_tuned_{n}"), *v)).collect();
        let mut named: Vec<(&str, &str)> = named.iter().map(|(n, v)| (&**n, *v)).collect();
        let case = case(kind, (48, 48), 1 << 16);
        // Without `use_dynamic_rules` they have no effect.
        let idle = set(&named).expect("valid");
        assert!(idle.rules.is_empty() && idle.notes[0].contains("has no effect"), "{idle:?}");
        named.push(use_them);
        let forced = set(&named).expect("valid");
        assert!(forced.notes.is_empty(), "{:?}", forced.notes);
        let mut overrides = Overrides::default();
        overrides.rules = forced.rules;
        assert_eq!(own.decide(&case, &overrides), want, "{variables:?}");
    }
    // A forced algorithm comes before a file; 0 is Open MPI's own choice.
    let file = read("1 2 1 0 1 0 3 0 0", None, &own).expect("valid").over(&own);
    let call = case(Kind::Allreduce, (48, 48), 1 << 20);
    assert_eq!(file.decide(&call, &none), Algorithm::RecursiveDoubling);
    for (word, want) in [("4", Algorithm::Ring), ("0", Algorithm::RecursiveDoubling)] {
        let forced = set(&[use_them, ("OMPI_MCA_coll_tuned_allreduce_algorithm", word)]);
        let rules = forced.expect("valid").rules;
        let mut overrides = Overrides::default();
        overrides.rules = rules;
        assert_eq!(file.decide(&call, &overrides), want, "{word}");
    }
    // Not modeled: the profile's own rule.
    let linear = set(&[use_them, ("OMPI_MCA_coll_tuned_allreduce_algorithm", "basic_linear")]);
    let linear = linear.expect("valid");
    assert!(linear.rules.is_empty());
    assert!(linear.notes[0].contains("algorithm 1 is not modeled (basic_linear)"), "{linear:?}");
    for (name, word, expected) in [
        ("allreduce_algorithm", "rign", "did you mean `ring`?"),
        ("allreduce_algorithm", "8", "a number from 0 to 7 or one of ignore"),
        ("bcast_algorithm", "-1", "a number from 0 to 9"),
    ] {
        let name = format!("OMPI_MCA_coll_tuned_{name}");
        let wrong = set(&[use_them, (&name, word)]).expect_err(word);
        assert_eq!(wrong[0].0, name);
        assert!(wrong[0].1.contains(expected), "{wrong:?}");
    }
    let name = "OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize";
    let wrong = set(&[("OMPI_MCA_coll_tuned_bcast_algorithm", "2"), (name, "4k")]);
    assert_eq!(wrong.expect_err("no number")[0].0, name);
}

/// Damaged files are read or reported as errors, whatever they contain.
#[test]
fn no_input_makes_a_reader_panic() {
    let own = own("mpich");
    let asked = asks(Kind::Allreduce, "comm_avg_ppn<=4");
    let samples = [
        DOCUMENTED,
        include_str!("../../libraries/mpich-ch4.json"),
        &asked,
        "rule-file-version-2\n1 # collectives\n3\n1\n64\n2\n0 0 0 0 0\n512000 4 0 0 64\n",
    ];
    for nth in 0..4_000u64 {
        let text = samples[nth as usize % samples.len()];
        let mut bytes = text.as_bytes().to_vec();
        for change in 0..=below(draw(nth, 1, 0, 0), 3) {
            if bytes.is_empty() {
                break;
            }
            let at = below(draw(nth, 2, change, 0), bytes.len() as u32) as usize;
            let byte = draw(nth, 3, change, 0);
            match below(draw(nth, 4, change, 0), 4) {
                0 => _ = bytes.remove(at),
                1 => bytes.insert(at, b"{}[]\",:<=-9\0\x7f#e."[byte as usize % 16]),
                2 => bytes.truncate(at + 1),
                _ => bytes[at] = byte as u8,
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        for format in [None, Some(Format::OpenMpi), Some(Format::Posix)] {
            if let Ok(reading) = read(&text, format, &own) {
                let selection = reading.over(&own);
                for kind in Kind::ALL {
                    selection.decide(&case(kind, (48, 8), 4_096), &Overrides::default());
                }
            }
        }
    }
}
