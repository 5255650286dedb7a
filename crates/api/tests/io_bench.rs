//! IOR and mdtest on a simulated file system: what they call, and what they report.

use api::{IoBenchRequest, IoBenchResult, io_bench};

fn run(json: &str) -> Result<IoBenchResult, Vec<machine::InputError>> {
    let request: IoBenchRequest = serde_json::from_str(json).expect("a request");
    io_bench(&request, &mut |_| true)
}

/// A request with these options, in closed form on Aurora.
fn request(name: &str, options: &str) -> String {
    format!(
        r#"{{"machine": {{"name": "aurora"}}, "fidelity": "loggp", "name": "{name}", "nodes": 4,
            "ppn": 2, "file_system": "flare", {options}}}"#
    )
}

fn operations(result: &IoBenchResult) -> Vec<(&'static str, u64, u64)> {
    result.rows.iter().map(|row| (row.phase, row.operations, row.bytes)).collect()
}

/// Calls of a class over all phases.
fn calls(result: &IoBenchResult, class: &str) -> u64 {
    let io = result.io.as_ref().expect("files were used");
    let phases = io.phases.iter().filter(|phase| phase.phase == class);
    phases.map(|phase| phase.operations).sum()
}

#[test]
fn ior_writes_and_reads_each_block_once() {
    for shape in [r#""file_per_process": true"#, r#""reorder": true"#, r#""random": true"#] {
        let sizes = r#""transfer": 65536, "block": 262144, "segments": 3, "fsync": true"#;
        let result = run(&request("ior", &format!("{sizes}, {shape}"))).expect("legal");
        assert!(result.failure.is_none(), "{:?}", result.failure);
        let (transfers, bytes) = (8 * 4 * 3, 8 * 3 * 262_144);
        assert_eq!(operations(&result), [("write", transfers, bytes), ("read", transfers, bytes)]);
        for row in &result.rows {
            assert!((row.rate * row.time_s / bytes as f64 - 1.0).abs() < 1e-9);
        }
        assert_eq!((calls(&result, "write"), calls(&result, "read")), (transfers, transfers));
        // Each rank opens and closes a file per phase, and synchronizes what it has written.
        assert_eq!((calls(&result, "open"), calls(&result, "close")), (16, 16));
        assert_eq!(calls(&result, "sync"), 8);
        let io = result.io.expect("files were used");
        let written: u64 = io.files.iter().map(|file| file.bytes_written).sum();
        let read: u64 = io.files.iter().map(|file| file.bytes_read).sum();
        assert_eq!((written, read), (bytes, bytes));
        let files = if shape.contains("process") { 8 } else { 1 };
        assert_eq!(io.files.len(), files);
    }
}

#[test]
fn mdtest_makes_and_removes_each_file_once() {
    for shape in [r#""unique": true"#, r#""file_bytes": 3901, "stride": 2"#] {
        let result = run(&request("mdtest", &format!(r#""items": 5, {shape}"#))).expect("legal");
        assert!(result.failure.is_none(), "{:?}", result.failure);
        let bytes = if shape.contains("3901") { 3901 * 40 } else { 0 };
        let phases = ["create", "stat", "read", "remove"].map(|phase| (phase, 40, bytes));
        assert_eq!(operations(&result), phases);
        // The ranks but the first call the file system once before the first phase.
        assert_eq!((calls(&result, "stat"), calls(&result, "unlink")), (40 + 7, 40));
        assert_eq!((calls(&result, "open"), calls(&result, "close")), (80, 80));
        // The directory, and one per rank.
        assert_eq!(calls(&result, "mkdir"), if shape.contains("unique") { 9 } else { 1 });
        let data = if bytes > 0 { 40 } else { 0 };
        assert_eq!((calls(&result, "write"), calls(&result, "read")), (data, data));
    }
}

/// At the stonewall ranks stop; with wear-out they continue to the number of the fastest.
#[test]
fn a_stonewall_ends_the_first_phase() {
    let sizes = r#""transfer": 1048576, "block": 1048576, "segments": 1000000"#;
    for wear_out in [false, true] {
        let options = format!(r#"{sizes}, "stonewall_s": 0.002, "wear_out": {wear_out}"#);
        let result = run(&request("ior", &options)).expect("legal");
        assert!(result.failure.is_none(), "{:?}", result.failure);
        let [write, read] = &result.rows[..] else { panic!("two phases") };
        let wall = write.stonewall.expect("it was hit");
        assert!(wall.operations_min > 0 && wall.operations_max < 1_000_000, "{wall:?}");
        assert!(wall.time_s >= 0.002 && wall.time_s < write.time_s, "{wall:?}");
        if wear_out {
            assert_eq!(write.operations, 8 * wall.operations_max);
            assert_eq!(read.operations, write.operations);
        } else {
            assert!(write.operations >= 8 * wall.operations_min);
            assert_eq!(read.operations, 8 * wall.operations_min);
        }
    }
}

/// Options of the programs' command lines mean the same.
#[test]
fn options_of_the_programs_are_read() {
    let line = r#""io_options": "-w -t 64k -b 256k -s 3 -e -F -C -O lustreStripeCount=2""#;
    let words = run(&request("ior", line)).expect("legal");
    let fields = r#""transfer": 65536, "block": 262144, "segments": 3, "fsync": true,
        "file_per_process": true, "reorder": true, "stripe_count": 2, "phases": ["write"]"#;
    let fields = run(&request("ior", fields)).expect("legal");
    assert_eq!((&words.rows, &words.digest), (&fields.rows, &fields.digest));
    let line = r#""io_options": "-n 5 -u -F -w 3901 -e 3901 -N 2 -C -T""#;
    let words = run(&request("mdtest", line)).expect("legal");
    assert_eq!(operations(&words), [("create", 40, 3901 * 40), ("stat", 40, 3901 * 40)]);
    let wrong = r#""io_options": "-t 1q -k -b""#;
    let errors = run(&request("ior", wrong)).expect_err("four errors");
    let found: Vec<&str> = errors.iter().map(|error| error.found.as_str()).collect();
    assert_eq!(found[..3], ["-t 1q", "-k", "-b"]);
}

#[test]
fn errors_are_reported_together() {
    let wrong = r#""transfer": 3, "block": 10, "segments": 0, "phases": ["wrte"]"#;
    let text = request("ior", wrong).replace("flare", "flair");
    let errors = run(&text).expect_err("five errors");
    let places: Vec<&str> = errors.iter().map(|error| error.at.as_str()).collect();
    assert_eq!(places, ["block", "segments", "file_system", "phases"]);
    let hints: Vec<String> = errors.iter().map(|error| format!("{error:?}")).collect();
    assert!(hints[2].contains("flare") && hints[3].contains("write"), "{hints:?}");
}

/// With `-a DFS` processes call the library of DAOS, and not the daemon of their node.
#[test]
fn a_program_can_call_the_library_of_daos() {
    let time = |options: &str| {
        let json = request("ior", &format!(r#""io_options": "-t 1m -b 8m -F -w -r {options}""#));
        run(&json.replace("flare", "daos"))
    };
    let (posix, dfs) = (time("-a POSIX").expect("legal"), time("-a DFS").expect("legal"));
    assert_eq!(operations(&posix), operations(&dfs));
    // The page cache of a node has what it has written. The library has no cache.
    assert!(dfs.rows[1].time_s > 2.0 * posix.rows[1].time_s, "{:?} {:?}", dfs.rows, posix.rows);
    for (options, system) in [("-a MPIIO", "daos"), ("-a DFS", "flare")] {
        let json = request("ior", &format!(r#""io_options": "{options}""#));
        let errors = run(&json.replace("flare", system)).expect_err("refused");
        assert_eq!(errors.len(), 1, "{options}");
        assert_eq!(errors[0].at, "io_options");
    }
}

/// The layout of `--dfs.dir_oclass` holds for the directory that all ranks share: its entries are
/// on many targets.
#[test]
fn a_shared_directory_has_the_requested_class() {
    let rate = |class: &str| {
        let options = format!("-a DFS -n 200 -C --dfs.dir_oclass={class}");
        let json = request("mdtest", &format!(r#""io_options": "{options}""#));
        let json = json.replace("flare", "daos").replace("\"ppn\": 2", "\"ppn\": 64");
        run(&json).expect("legal").rows[0].operations_per_s
    };
    // One target makes at most 1 / (5 + 10.4 + 12.5 us) = 36 k entries per second.
    let (one, all) = (rate("S1"), rate("SX"));
    assert!(one < 36e3 && all > 20.0 * one, "{one} {all}");
}
