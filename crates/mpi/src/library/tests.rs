//! Profiles: their values, errors in them, and their costs.

use super::*;
use collectives::{Algorithm, Case, Overrides};

fn library(name: &str, fabric: &str) -> Library {
    let text = preset(name).expect("a preset");
    Library::parse(name, text, fabric).unwrap_or_else(|c| panic!("{name} on {fabric}: {c:#?}"))
}

#[test]
fn every_preset_is_valid_on_every_fabric_and_has_rules_for_all_kinds() {
    for name in PRESETS {
        for fabric in ["slingshot", "aries", "ideal"] {
            let library = library(name, fabric);
            for kind in Kind::ALL {
                assert!(!library.selection.rules(kind).is_empty(), "{name}: {kind:?}");
            }
            // The eager part of a rendezvous is at most the eager threshold.
            assert!(library.rendezvous_eager_part <= library.eager_max, "{name} on {fabric}");
            assert!(library.poll_interval > Span::ZERO, "{name}");
        }
    }
}

/// LUMI: what a window of osu_bw leaves of 1.43 and 1.80 million messages/s. Cascade: half of 1.3
/// less 0.8 us. First rendezvous at 18,434 B (threshold 16,384 + minimum 2,049, plus one).
#[test]
fn values_are_those_of_the_fabric() {
    for (name, fabric, overhead_ns, eager_max, tag_ub) in [
        ("mpich", "slingshot", 620, 16_384 + 2_049, 524_287),
        ("mpich", "aries", 250, 8_191, 1_073_741_823),
        ("cray-mpich", "slingshot", 480, 16_384 + 2_049, 524_287),
        ("cray-mpich", "aries", 250, 8_191, 2_097_151),
        ("openmpi", "slingshot", 480, 2_048 + 2_049, i32::MAX),
        ("openmpi", "aries", 250, 8_191, i32::MAX),
        ("none", "slingshot", 0, u64::MAX, i32::MAX),
        ("none", "aries", 0, u64::MAX, i32::MAX),
    ] {
        let library = library(name, fabric);
        let got = (library.send_overhead, library.eager_max, library.tag_ub);
        assert_eq!(got, (Span::ns(overhead_ns), eager_max, tag_ub), "{name} on {fabric}");
    }
}

fn decide(name: &str, kind: Kind, size: u32, bytes: u64) -> Algorithm {
    let (commutative, builtin, elements) = (true, true, bytes / 8);
    let case =
        Case { kind, size, nodes: size, consecutive: true, bytes, elements, commutative, builtin };
    library(name, "slingshot").selection.decide(&case, &Overrides::default())
}

/// The table of MPICH's rules, on both sides of every limit.
#[test]
fn mpich_chooses_as_its_table_says() {
    use Algorithm as A;
    let scattered = A::Scattered { throttle: 32 };
    for (kind, size, bytes, want) in [
        (Kind::Barrier, 9, 0, A::Dissemination { k: 2 }),
        (Kind::Bcast, 7, 1 << 20, A::Binomial),
        (Kind::Bcast, 8, 12_288, A::Binomial),
        (Kind::Bcast, 8, 12_289, A::ScatterRecursiveDoubling),
        (Kind::Bcast, 8, 524_288, A::ScatterRecursiveDoubling),
        (Kind::Bcast, 8, 524_289, A::ScatterRing),
        (Kind::Bcast, 9, 12_289, A::ScatterRing),
        (Kind::Allreduce, 64, 8, A::RecursiveDoubling),
        (Kind::Allreduce, 64, 8 * 63, A::RecursiveDoubling),
        (Kind::Allreduce, 64, 8 * 64, A::Rabenseifner),
        (Kind::Allreduce, 65, 8 * 64, A::Rabenseifner),
        (Kind::Allgather, 8, 524_287, A::RecursiveDoubling),
        (Kind::Allgather, 8, 524_288, A::Ring),
        (Kind::Allgatherv, 9, 81_919, A::Bruck),
        (Kind::Allgatherv, 9, 81_920, A::Ring),
        (Kind::Reduce, 4, 2_048, A::Binomial),
        (Kind::Reduce, 4, 2_056, A::ReduceScatterGather),
        (Kind::ReduceScatter, 6, 524_287, A::RecursiveHalving),
        (Kind::ReduceScatterBlock, 6, 524_288, A::Pairwise),
        (Kind::Alltoall, 7, 256, scattered),
        (Kind::Alltoall, 8, 256, A::Bruck),
        (Kind::Alltoall, 8, 257, scattered),
        (Kind::Alltoall, 8, 32_768, scattered),
        (Kind::Alltoall, 7, 32_769, A::Pairwise),
        (Kind::Alltoallv, 9, 0, scattered),
        (Kind::Gather, 9, 1, A::Binomial),
        (Kind::Scatterv, 9, 0, A::Linear),
        (Kind::Exscan, 9, 8, A::RecursiveDoubling),
    ] {
        assert_eq!(decide("mpich", kind, size, bytes), want, "{kind:?} {size} {bytes} B");
        if !matches!(kind, Kind::Allreduce | Kind::Alltoall | Kind::Alltoallv) {
            assert_eq!(decide("cray-mpich", kind, size, bytes), want, "{kind:?} {size} {bytes}");
        }
    }
}

/// Both sides of the limits in MPICH_ENV_DISPLAY, with defaults and with variables set; only on
/// Slingshot.
#[test]
fn cray_mpich_sends_blocks_of_an_alltoall_in_pieces_on_few_nodes() {
    use Algorithm as A;
    let decide = |fabric: &str, set: &[(&str, &str)], nodes: u32, bytes: u64| {
        let mut overrides = Overrides::default();
        for (name, value) in set {
            let name = format!("MPICH_ALLTOALL_{name}");
            assert_eq!(overrides.set(&name, value), Ok(collectives::Setting::Applied));
        }
        let size = 8 * nodes;
        let (kind, commutative, builtin, elements) = (Kind::Alltoall, true, true, 0);
        let case =
            Case { kind, size, nodes, consecutive: true, bytes, elements, commutative, builtin };
        library("cray-mpich", fabric).selection.decide(&case, &overrides)
    };
    let scattered = |throttle| A::Scattered { throttle };
    let chunked = |chunk, throttle| A::Chunked { chunk, throttle };
    for (set, nodes, bytes, want) in [
        (&[][..], 4, 256, A::Bruck),
        (&[], 4, 257, scattered(24)),
        (&[], 4, 16_384, scattered(24)),
        (&[], 4, 16_385, chunked(16_384, 24)),
        (&[], 90, 16_385, chunked(16_384, 24)),
        (&[], 91, 16_385, scattered(1)),
        (&[("SHORT_MSG", "64")], 4, 65, scattered(24)),
        (&[("SHORT_MSG", "512")], 4, 512, A::Bruck),
        (&[("SYNC_FREQ", "2")], 4, 16_385, chunked(16_384, 2)),
        (&[("SYNC_FREQ", "2")], 91, 16_385, scattered(2)),
        (&[("BLK_SIZE", "8192")], 4, 8_192, scattered(24)),
        (&[("BLK_SIZE", "8192")], 4, 8_193, chunked(8_192, 24)),
        (&[("BLK_SIZE", "65536")], 4, 65_536, scattered(1)),
        (&[("CHUNKING_MAX_NODES", "0")], 4, 16_385, scattered(1)),
        (&[("CHUNKING_MAX_NODES", "1000")], 91, 16_385, chunked(16_384, 24)),
    ] {
        let what = format!("{set:?} {nodes} nodes, {bytes} B");
        assert_eq!(decide("slingshot", set, nodes, bytes), want, "{what}");
    }
    assert_eq!(decide("aries", &[], 4, 32_769), A::Pairwise);
    // Each of the two has its own variable.
    let mut overrides = Overrides::default();
    for (name, value) in [("MPICH_ALLTOALL_SYNC_FREQ", "2"), ("MPICH_ALLTOALLV_THROTTLE", "3")] {
        assert_eq!(overrides.set(name, value), Ok(collectives::Setting::Applied));
        let cray = library("cray-mpich", "slingshot").selection;
        let chosen = cray.choose(Kind::Alltoallv, 64, 8, true, &overrides);
        let want = if name.ends_with("FREQ") { 8 } else { 3 };
        assert_eq!(chosen, A::Scattered { throttle: want }, "{name}");
    }
    for (name, value) in [("SYNC_FREQ", "0"), ("BLK_SIZE", "0"), ("SHORT_MSG", "many")] {
        assert!(Overrides::default().set(&format!("MPICH_ALLTOALL_{name}"), value).is_err());
    }
}

#[test]
fn rules_of_another_fabric_are_read_and_not_used() {
    let text = |rule: &str| {
        format!("like = \"mpich\"\nversion = \"1\"\n[fabric.aries.collectives]\nbcast = [{rule}]")
    };
    let ring = text("{ use = \"scatter_ring_allgather\" }");
    let of = |fabric| {
        let library = Library::parse("mine", &ring, fabric).expect("valid");
        library.selection.choose(Kind::Bcast, 4, 8, true, &Overrides::default())
    };
    assert_eq!((of("aries"), of("slingshot")), (Algorithm::ScatterRing, Algorithm::Binomial));
    let wrong = Library::parse("mine", &text("{ use = \"ring\" }"), "slingshot");
    let input_errors = wrong.expect_err("bcast has no ring");
    assert!(
        input_errors[0].starts_with("fabric.aries.collectives.bcast[0].use"),
        "{input_errors:?}"
    );
}

/// Also from a base that has a base itself.
#[test]
fn a_profile_inherits_everything_from_its_base() {
    for name in PRESETS {
        let theirs = library(name, "slingshot");
        let text = format!("like = \"{name}\"\nversion = \"mine\"");
        let mine = Library::parse("mine", &text, "slingshot").expect("valid");
        let renamed = Library { name: name.to_string(), version: theirs.version.clone(), ..mine };
        assert_eq!(renamed, theirs, "{name}");
    }
}

#[test]
fn the_aurora_build_has_its_own_rules() {
    let recexch = |k| Algorithm::RecursiveExchange { k };
    for (kind, size, bytes, want) in [
        (Kind::Allreduce, 64, 128, Algorithm::RecursiveDoubling),
        (Kind::Allreduce, 64, 2_048, recexch(6)),
        (Kind::Allreduce, 512, 16_384, recexch(12)),
        (Kind::Allreduce, 512, 32_768, recexch(4)),
        (Kind::Allreduce, 64, 262_144, Algorithm::RecursiveDoubling),
        (Kind::Allreduce, 512, 262_144, Algorithm::Rabenseifner),
        (Kind::Allreduce, 513, 262_144, Algorithm::RecursiveDoubling),
        (Kind::Allreduce, 513, 262_152, Algorithm::Rabenseifner),
        (Kind::Allgather, 1000, 1 << 30, Algorithm::Bruck),
        (Kind::Allgatherv, 1024, 1 << 30, Algorithm::RecursiveDoubling),
        (Kind::Bcast, 1000, 1 << 30, Algorithm::ScatterRecursiveDoubling),
        // Kinds it has no rules for use MPICH's.
        (Kind::Alltoall, 8, 257, Algorithm::Scattered { throttle: 32 }),
    ] {
        assert_eq!(decide("mpich-aurora", kind, size, bytes), want, "{kind:?} {size} {bytes}");
    }
}

/// Both sides of some limits of Open MPI's table, by its algorithm numbers. Sizes are blocks of one
/// rank for allgather, whose recursive doubling is Bruck's unless the size is a power of two.
#[test]
fn open_mpi_chooses_as_its_table_says() {
    use Algorithm as A;
    let all = A::Scattered { throttle: u16::MAX };
    for (kind, size, block, want) in [
        (Kind::Allreduce, 64, 262_143, A::RecursiveDoubling),
        (Kind::Allreduce, 64, 262_144, A::Rabenseifner),
        (Kind::Allreduce, 256, 4_095, A::ReduceBcast),
        (Kind::Allreduce, 256, 4_096, A::Rabenseifner),
        (Kind::Allreduce, 6_144, 2_047, A::ReduceBcast),
        // Fewer elements than ranks: no ring.
        (Kind::Allreduce, 6_144, 2_048, A::RecursiveDoubling),
        (Kind::Allreduce, 6_144, 32_768, A::Rabenseifner),
        (Kind::Allgather, 16, 1 << 20, A::RecursiveDoubling),
        (Kind::Allgather, 24, 1 << 20, A::Bruck),
        (Kind::Allgather, 384, 1_023, A::Bruck),
        (Kind::Allgather, 384, 1_024, A::Neighbor),
        (Kind::Allgather, 256, 1_023, A::RecursiveDoubling),
        (Kind::Allgather, 384, 131_072, A::Ring),
        (Kind::Allgather, 24_576, 4_095, A::Bruck),
        (Kind::Allgather, 24_576, 4_096, A::Neighbor),
        (Kind::Allgatherv, 384, 1_023, A::Bruck),
        (Kind::Allgatherv, 384, 1_024, A::Ring),
        (Kind::Alltoall, 48, 511, A::Bruck),
        (Kind::Alltoall, 48, 512, all),
        (Kind::Alltoall, 384, 32_767, all),
        (Kind::Alltoall, 384, 32_768, A::Pairwise),
        (Kind::Alltoallv, 100, 0, A::Pairwise),
    ] {
        let blocks = if kind.counts_all_blocks() { u64::from(size) } else { 1 };
        let got = decide("openmpi", kind, size, block * blocks);
        assert_eq!(got, want, "{kind:?} {size} {block} B");
    }
}

/// Up to 2,048 B in Cray MPICH, up to 8 B in MPICH (docs/models/collective-selection.md).
#[test]
fn the_threshold_of_small_allreduces_is_that_of_the_librarys_version() {
    use Algorithm as A;
    for (library, bytes, want) in [
        ("cray-mpich", 2_048, A::RecursiveDoubling),
        ("cray-mpich", 2_056, A::Rabenseifner),
        ("mpich", 8, A::RecursiveDoubling),
        ("mpich", 32, A::Rabenseifner), // one double per rank
    ] {
        assert_eq!(decide(library, Kind::Allreduce, 4, bytes), want, "{library} {bytes} B");
    }
}

#[test]
fn the_ends_of_ranges_are_legal_and_differ_from_no_limit() {
    let text = r#"
            like = "mpich"
            reduce_rate = "1000 TB/s"
            local_copy_rate = "1 MB/s"
            eager_max = "9223372036854775807 B"
            control_bytes = "4294967295 B"
        "#;
    let library = Library::parse("mine", text, "slingshot").expect("legal");
    // 2^20 units per picosecond.
    assert_eq!((library.reduce_gap, library.local_copy_gap), (Gap(1049), Gap(1_000_000 << 20)));
    assert_eq!((library.eager_max, library.control_bytes), (i64::MAX as u64, u32::MAX.into()));
}

/// They count for the profile of their name and for files that are `like` it, not for included
/// profiles that are.
#[test]
fn a_machine_has_its_own_keys_of_a_profile() {
    let installed: Table = r#"
            [mpich]
            send_overhead = "1 us"
            gpu_rdma_min = "0 B"
            version = "MPICH 4.3.1"
            collectives.allreduce = [{ use = "ring" }]
        "#
    .parse()
    .expect("a table");
    let on = |name: &str, text: &str| {
        Library::parse_on(name, text, "slingshot", &installed).expect("legal")
    };
    let own = on("mpich", preset("mpich").unwrap());
    assert_eq!((own.send_overhead, own.gpu.rdma_min), (Span::us(1), 0));
    assert_eq!(own.version, "MPICH 4.3.1");
    let general = library("mpich", "slingshot");
    assert_eq!(own.recv_overhead, general.recv_overhead);
    assert_ne!(own.selection, general.selection);
    let mine = on("mine", "like = \"mpich\"\ngpu_rdma_min = \"2 B\"");
    assert_eq!((mine.send_overhead, mine.gpu.rdma_min), (Span::us(1), 2));
    let cray = on("cray-mpich", preset("cray-mpich").unwrap());
    assert_eq!(cray, library("cray-mpich", "slingshot"));
    let wrong: Table = r#"
            mpitch.send_overhead = "1 us"
            mpich = { send_overhed = "1 us", recv_overhead = 3 }
            openmpi = 3
            none.collectives.bcast = [{ use = "rong" }]
        "#
    .parse()
    .expect("a table");
    let text = preset("mpich").unwrap();
    let errors = Library::parse_on("mpich", text, "slingshot", &wrong).unwrap_err();
    for part in [
        "libraries.mpitch: expected one of mpich",
        "libraries.mpich.send_overhed: found",
        "libraries.mpich.recv_overhead: found `3`, expected a time",
        "libraries.openmpi: expected a table",
        "libraries.none.collectives.bcast[0].use: found `\"rong\"`",
    ] {
        assert!(errors.iter().any(|e| e.starts_with(part)), "{part}\n{errors:#?}");
    }
    assert_eq!(errors.len(), 5, "{errors:#?}");
}

#[test]
fn all_errors_are_reported_with_their_place() {
    let text = r#"
            like = "mpitch"
            send_overhed = "1 ns"
            recv_overhead = 370
            eager_max = "1.5 B"
            reduce_rate = "0.9 MB/s"
            local_copy_rate = "1e20 GB/s"
            gpu_ipc_rate = "1001 TB/s"
            gpu_chunk = "1e30 B"
            shm_cell = "9223372036854775808 B"
            control_bytes = "4096 MiB"
            cma_page = "11 us"
            tag_ub = 12
            unexpected_events = "unlimited"
            rdzv_get_min = "unlimited"
            match_element = "1e9 s"
            flow_control = "1001 s"
            [fabric.aries]
            call_overhead = "50 parsec"
            [collectives]
            bcast = [{ use = "ring" }]
        "#;
    let errors = Library::parse("mine", text, "slingshot").unwrap_err();
    for part in [
        "like: found `\"mpitch\"`",
        "did you mean `mpich`?",
        "send_overhed: found `\"1 ns\"`, expected a key of profiles",
        "did you mean `send_overhead`?",
        "recv_overhead: found `370`, expected a time",
        "eager_max: found `\"1.5 B\"`, expected a size",
        "reduce_rate: found `\"0.9 MB/s\"`, expected a rate",
        "local_copy_rate: found `\"1e20 GB/s\"`, expected a rate",
        "gpu_ipc_rate: found `\"1001 TB/s\"`, expected a rate",
        "gpu_chunk: found `\"1e30 B\"`, expected a size",
        "shm_cell: found `\"9223372036854775808 B\"`, expected a size",
        "control_bytes: found `\"4096 MiB\"`, expected a size",
        "cma_page: found `\"11 us\"`, expected a time",
        "tag_ub: found `12`, expected a whole number",
        "unexpected_events: found `\"unlimited\"`, expected a whole number from 0",
        "rdzv_get_min: found `\"unlimited\"`, expected a size",
        "match_element: found `\"1e9 s\"`, expected a time",
        "flow_control: found `\"1001 s\"`, expected a time",
        "fabric.aries.call_overhead: found `\"50 parsec\"`",
        "collectives.bcast[0].use: found `\"ring\"`, expected one of binomial",
    ] {
        assert!(errors.iter().any(|e| e.contains(part)), "{part}\n{errors:#?}");
    }
    assert_eq!(errors.len(), 18, "{errors:#?}");
    let missing = Library::parse("mine", "version = \"1\"", "aries").unwrap_err();
    assert_eq!(missing.len(), KEYS.len(), "{missing:#?}");
}
