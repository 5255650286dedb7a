//! Tuning: what is estimated from a few rounds is what all of them take, and the winner is one.

use sim::api::{MachineRequest, TuneRequest, TuneResult, TuneRow, tune};

fn ask(collective: &str, nodes: &[u32], sizes: &[u64], messages: u64) -> TuneRequest {
    let request = serde_json::json!({
        "machine": { "name": "aurora" },
        "fidelity": "loggp",
        "collective": collective,
        "nodes": nodes,
        "ppn": 12,
        "sizes": sizes,
        "messages": messages,
    });
    serde_json::from_value(request).expect("a request")
}

fn tuned(request: &TuneRequest) -> TuneResult {
    tune(request, &mut |_| true).unwrap_or_else(|c| panic!("{c:#?}"))
}

/// 288 ranks in two groups of Aurora, a twentieth of the rounds against all of them.
#[test]
fn a_few_rounds_stand_for_all() {
    let mut estimates = 0;
    for collective in ["allgather", "alltoall", "alltoallv", "bcast", "reduce_scatter"] {
        for bytes in [64, 100_000] {
            let request = ask(collective, &[24], &[bytes], 288 * 35);
            let placed = serde_json::json!({ "nodes": spread(24) });
            let few = with_placement(&request, placed.clone());
            let all = TuneRequest { messages: 1 << 40, ..few.clone() };
            for (few, all) in tuned(&few).rows.iter().zip(&tuned(&all).rows) {
                assert_eq!(few.algorithm, all.algorithm);
                assert_eq!(all.rounds_played, all.rounds);
                if few.rounds_played == few.rounds {
                    assert_eq!(few, all);
                } else if let (Some(a), Some(b)) = (few.latency_s, all.latency_s) {
                    estimates += 1;
                    let off = a / b - 1.0;
                    // Messages that are asked for make a rank wait both ways, so who is slow is
                    // felt only after a while: docs/models/collectives.md.
                    let bound = if bytes == 64 { 0.08 } else { 0.2 };
                    let at = format!("{collective} {} {bytes} B", few.algorithm);
                    assert!(off.abs() < bound, "{at}: {off:+.3}");
                    let sent = few.bytes_sent.expect("played") / all.bytes_sent.expect("played");
                    assert!((sent - 1.0).abs() < 0.02, "{collective} {}: {sent}", few.algorithm);
                }
            }
        }
    }
    assert!(estimates >= 8, "{estimates} estimates were compared");
}

/// Half of the nodes in the first group, half in the second.
fn spread(nodes: u32) -> Vec<u32> {
    let node =
        |rank: u32| if rank / 12 < nodes / 2 { rank / 12 } else { 64 + rank / 12 - nodes / 2 };
    (0..nodes * 12).map(node).collect()
}

fn with_placement(request: &TuneRequest, placement: serde_json::Value) -> TuneRequest {
    let mut request = request.clone();
    request.common.placement = Some(serde_json::from_value(placement).expect("a placement"));
    request
}

/// The winner is the fastest of those the library has, the default what its rules say.
#[test]
fn rows_say_what_they_are() {
    let mut request = ask("allgather", &[2, 4], &[8, 20_000], 1 << 30);
    request.common.fidelity = "packet".into();
    let result = tuned(&request);
    let calls: Vec<&[TuneRow]> =
        result.rows.chunk_by(|a, b| (a.nodes, a.bytes) == (b.nodes, b.bytes)).collect();
    assert_eq!(calls.len(), 4);
    for rows in calls {
        let own: Vec<_> = rows.iter().filter(|r| r.is_default).collect();
        // 24 and 48 ranks, 192 and 384 B in all, or 480 kB and more: [MPICH] below 81,920 B Bruck.
        let want = if rows[0].bytes == 8 { "brucks" } else { "ring" };
        assert_eq!(own.iter().map(|r| r.algorithm.as_str()).collect::<Vec<_>>(), [want]);
        let winner: Vec<_> = rows.iter().filter(|r| r.is_winner).collect();
        let [winner] = winner[..] else { panic!("{rows:#?}") };
        assert!(winner.algorithm != "neighbor", "MPICH has none");
        for row in rows.iter().filter(|r| r.algorithm != "neighbor") {
            assert!(winner.latency_s <= row.latency_s, "{row:?}");
        }
        for row in rows {
            // Words meet nobody.
            let contention = row.contention.expect("packets were run");
            assert!(row.bytes > 8 || (contention - 1.0).abs() < 0.1, "{row:?}");
        }
        let ring = rows.iter().find(|r| r.algorithm == "ring").expect("it is tried");
        let (p, m) = (ring.ranks, ring.bytes);
        assert_eq!(ring.rounds, p - 1);
        assert_eq!(ring.bytes_sent, Some(f64::from(p - 1) * m as f64));
        // The last rank of each node alone sends to another.
        assert_eq!(ring.network_bytes, Some(f64::from(ring.nodes * (p - 1)) * m as f64));
    }
    assert_eq!(
        result.files.iter().map(|f| f.name).collect::<Vec<_>>(),
        ["mpich.json", "openmpi.conf"]
    );
}

/// The files, read back, make the library choose what won.
#[test]
fn what_won_is_chosen_when_the_file_is_read_back() {
    let sizes = [8, 1_024, 20_000];
    let result = tuned(&ask("allreduce", &[2, 8], &sizes, 1 << 30));
    let file = result.files.iter().find(|f| f.name == "mpich.json").expect("MPICH has it");
    let mut again = ask("allreduce", &[2, 8], &sizes, 1 << 30);
    let rules = serde_json::json!({ "name": file.name, "text": file.text });
    again.common.rules = Some(serde_json::from_value(rules).expect("a file"));
    let again = tuned(&again);
    assert!(result.rows.iter().any(|r| r.is_winner && !r.is_default), "nothing was tuned");
    for call in again.rows.chunk_by(|a, b| (a.nodes, a.bytes) == (b.nodes, b.bytes)) {
        let own = call.iter().find(|r| r.is_default).expect("the library chooses one");
        let best = result
            .rows
            .iter()
            .find(|r| r.is_winner && (r.nodes, r.bytes) == (own.nodes, own.bytes));
        assert_eq!(own.algorithm, best.expect("one won").algorithm, "{} B", own.bytes);
        assert!(own.is_winner);
    }
}

/// Open MPI counts no bytes for alltoallv, and a reduction's in whole elements: of sizes it takes
/// for one the longest decides, and the file can be read.
#[test]
fn sizes_that_a_library_counts_alike_are_one() {
    for (collective, sizes, nodes) in
        [("alltoallv", &[8, 100_000][..], 8), ("reduce_scatter", &[8, 9, 100_000, 100_001], 2)]
    {
        for (mpi, name) in [("mpich", "mpich.json"), ("openmpi", "openmpi.conf")] {
            let mut request = ask(collective, &[nodes], sizes, 1 << 30);
            request.common.mpi = mpi.into();
            let result = tuned(&request);
            let file = result.files.iter().find(|file| file.name == name).expect("it has both");
            let rules = serde_json::json!({ "name": name, "text": file.text });
            request.common.rules = Some(serde_json::from_value(rules).expect("a file"));
            let again = tuned(&request);
            let is_longest = |row: &&TuneRow| Some(&row.bytes) == sizes.last();
            let won = result.rows.iter().filter(is_longest).find(|row| row.is_winner);
            let own = again.rows.iter().filter(is_longest).find(|row| row.is_default);
            let names = [won, own].map(|row| &row.expect("one").algorithm);
            assert_eq!(names[0], names[1], "{collective}\n{}", file.text);
        }
    }
}

/// One message of a scatter may carry the blocks of half of the ranks.
#[test]
fn sizes_whose_packets_cannot_be_counted_are_refused() {
    let mut request = ask("scatter", &[512], &[1 << 30], 1 << 40);
    request.common.fidelity = "packet".into();
    request.common.machine.set = vec![("nic.packet_payload".into(), "512 B".into())];
    let complaints = tune(&request, &mut |_| false).expect_err("2^33.6 packets");
    assert_eq!(complaints[0].at, "sizes");
    // A vector is never more than its bytes.
    request.collective = "bcast".into();
    assert!(tune(&request, &mut |_| false).expect("2^21 packets").interrupted);
}

#[test]
fn what_cannot_be_tuned_is_complained_of() {
    let mut request = ask("barrier", &[1], &[8], 0);
    request.ppn = 1;
    request.common.machine = MachineRequest {
        name: "aurora".into(),
        toml: None,
        set: vec![("nic.windw".into(), "3".into())],
        faults: None,
    };
    request.env = vec![("MPIR_CVAR_ALLTOALL_THROTTLE".into(), "many".into())];
    let complaints = tune(&request, &mut |_| true).expect_err("wrong");
    let at: Vec<&str> = complaints.iter().map(|c| c.at.as_str()).collect();
    assert_eq!(at, ["collective", "env.MPIR_CVAR_ALLTOALL_THROTTLE", "nodes"]);
    let none = ask("bcast", &[], &[8], 10);
    assert_eq!(tune(&none, &mut |_| true).expect_err("no nodes")[0].at, "nodes");
}
