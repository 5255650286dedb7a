//! Flows of one group represent those of all: the reduced problem has the result of the whole.

use api::{MachineRequest, TuneRequest, TuneResult, tune};

/// 144 ranks on six groups of `switches` switches; two NICs and three ranks per node.
fn request_for(
    collective: &str,
    switches: &str,
    routing: &str,
    bytes: u64,
    messages: u64,
) -> TuneRequest {
    let set = [
        ("groups.compute.count", "6"),
        ("groups.compute.switches", switches),
        ("groups.compute.global_ports", "10"),
        ("groups.compute.nodes", "8"),
        ("groups.compute.nics", "2"),
        ("switch.ports", "31"),
        ("routing", routing),
    ];
    let request = serde_json::json!({
        "machine": { "name": "dragonfly-1056", "set": set },
        "fidelity": "flow",
        "collective": collective,
        "nodes": [48],
        "ppn": 3,
        "sizes": [bytes],
        "messages": messages,
    });
    let mut request: TuneRequest = serde_json::from_value(request).expect("a request");
    request.common.machine =
        MachineRequest { faults: None, toml: None, ..request.common.machine.clone() };
    request
}

fn tuned(request: &TuneRequest) -> TuneResult {
    tune(request, &mut |_| true).unwrap_or_else(|c| panic!("{c:#?}"))
}

/// The largest relative error of any algorithm's time from the ranks of one group, and the number
/// of algorithms compared.
fn off(request: &TuneRequest, group: u32) -> (f64, u32) {
    // 143 rounds at most; a tenth of the message budget in closed form.
    let few = TuneRequest { messages: u64::from(group) * 160 * 10, ..request.clone() };
    let all = TuneRequest { messages: 1 << 40, ..request.clone() };
    let (mut most, mut compared) = (0.0, 0);
    for (few, all) in tuned(&few).rows.iter().zip(&tuned(&all).rows) {
        let at = format!("{} {} {} B", request.collective, few.algorithm, few.bytes);
        assert_eq!(few.algorithm, all.algorithm);
        assert_eq!(all.sample.method, Some("exact"), "{at}");
        if few.sample.ranks_simulated != group {
            continue;
        }
        compared += 1;
        assert_eq!(few.sample.rounds_simulated, all.sample.rounds, "{at}");
        let (few, all) = (few.latency_s.expect("played"), all.latency_s.expect("played"));
        // A call returns a picosecond after its last round.
        most = f64::max(most, (few + 1e-12) / all - 1.0).max(1.0 - (few + 1e-12) / all);
    }
    (most, compared)
}

/// With one switch per group, representatives see exactly what all ranks see. Minimal paths only:
/// others are drawn per message, with separate draws for equivalent ranks.
#[test]
fn the_quotient_is_the_whole_to_the_picosecond_where_groups_are_alike() {
    let mut compared = 0;
    for collective in ["allgather", "allgatherv", "alltoall", "alltoallv"] {
        for bytes in [64, 5_000, 100_000] {
            let (most, n) = off(&request_for(collective, "1", "minimal", bytes, 0), 24);
            // A tenth of a picosecond of the shortest call, 10 us.
            assert!(most < 1e-8, "{collective} {bytes} B: {most}");
            compared += n;
        }
    }
    assert!(compared >= 24, "{compared} were compared");
}

/// Bruck's algorithm has so few rounds that all are simulated on all ranks, unless that exceeds the
/// budget.
#[test]
fn brucks_rounds_by_one_group_are_those_by_all() {
    for collective in ["allgather", "alltoall"] {
        for bytes in [64, 5_000] {
            let few = request_for(collective, "1", "minimal", bytes, 24 * 8 * 10);
            let all = TuneRequest { messages: 1 << 40, ..few.clone() };
            let bruck = |result: TuneResult| {
                let row = result.rows.into_iter().find(|row| row.algorithm == "brucks");
                row.expect("it is tried")
            };
            let (few, all) = (bruck(tuned(&few)), bruck(tuned(&all)));
            assert_eq!((few.sample.ranks_simulated, all.sample.ranks_simulated), (24, 144));
            assert_eq!((few.sample.method, all.sample.method), (Some("sampled"), Some("exact")));
            let times = [few, all].map(|row| row.latency_s.expect("played"));
            // A call returns a picosecond after its last round.
            let off = (times[0] + 1e-12) / times[1] - 1.0;
            assert!(off.abs() < 1e-8, "{collective} {bytes} B: {times:?}");
        }
    }
}

/// With adaptive routing, nonminimal paths are drawn per message, and groups of Aurora differ in
/// which switches have the cables to which group. Both average out over rounds: 5 % [estimate].
#[test]
fn the_quotient_is_near_the_whole_where_groups_differ_in_cables_and_draws() {
    // 72 ranks, six nodes of each of four groups.
    let mut few = request_for("alltoall", "1", "slingshot", 16_384, 0);
    few.common.machine = MachineRequest {
        name: "aurora".into(),
        toml: None,
        file: None,
        like: Vec::new(),
        set: Vec::new(),
        faults: None,
    };
    few.nodes = vec![24];
    let nodes: Vec<u32> = (0..72).map(|rank| rank / 18 * 64 + rank % 18 / 3).collect();
    let placement = serde_json::json!({ "nodes": nodes });
    few.common.placement = Some(serde_json::from_value(placement).expect("a placement"));
    let (most, n) = off(&few, 18);
    assert!(most < 0.05 && n == 3, "{most}, {n}");
}

/// A few rounds on one group's ranks represent all rounds on all ranks, within the stated error.
#[test]
fn a_few_rounds_of_the_quotient_predict_all() {
    for bytes in [20_000, 100_000] {
        let all = tuned(&request_for("alltoall", "1", "minimal", bytes, 1 << 40));
        // Four of pairwise's six waves of 24 rounds. Also the last wave, with three rounds before
        // it, and the first round, which differs.
        let few = tuned(&request_for("alltoall", "1", "minimal", bytes, 24 * 125));
        let rounds: Vec<_> = few.rows.iter().map(|row| row.sample.rounds_simulated).collect();
        assert!(rounds.contains(&124), "{rounds:?}");
        for (few, all) in
            few.rows.iter().zip(&all.rows).filter(|(few, _)| few.sample.rounds_simulated == 124)
        {
            let (time, error) = (few.latency_s.expect("played"), few.sample.error.expect("played"));
            let off = time / all.latency_s.expect("played") - 1.0;
            assert!(off.abs() < error, "{}: {off}, {error}", few.algorithm);
            assert!(error > 0.0 && error < 0.3, "{}: {error}", few.algorithm);
        }
    }
}

/// In a pairwise reduce_scatter each rank has one round in which it stores what arrives instead of
/// combining it. Equivalent ranks have it in different rounds. If combining takes no time, they
/// behave alike.
#[test]
fn a_free_reduction_matches_its_representative() {
    let free = "like = \"mpich\"\nreduce_rate = \"unlimited\"";
    for (bytes, rate) in [(9_216, Some(free)), (995_328, Some(free)), (995_328, None)] {
        let mut request = request_for("reduce_scatter", "1", "minimal", bytes, 0);
        request.common.mpi_toml = rate.map(String::from);
        let (most, n) = off(&request, 24);
        // At 10 GB/s, combining pieces of 6,912 B takes 0.7 us, a twentieth of a round.
        let bound = if rate.is_some() { 1e-8 } else { 0.05 };
        assert!(most < bound && n == 2, "{bytes} B, {rate:?}: {most}, {n}");
    }
}

/// Partners of a reduce_scatter are at a constant distance for any number of ranks. Those of an
/// all-to-all among a power of two are not.
#[test]
fn partners_at_a_constant_distance_match_their_representatives() {
    let some = [12_000, 16_000, 20_000, 24_000];
    for (collective, sizes) in [("reduce_scatter", &[1_280_000][..]), ("alltoall", &some)] {
        let of = |&bytes: &u64| {
            let mut request = request_for(collective, "1", "ugal", bytes, 0);
            (request.nodes, request.ppn) = (vec![32], 2);
            request.common.machine.set[0].1 = "4".into();
            let (most, n) = off(&request, 16);
            assert!(n >= 2, "{collective} {bytes} B: {n}");
            most
        };
        // Draws differ, so one size may have an error as large as 6 %, that of 20 kB with other
        // links; the mean has not.
        let mean = sizes.iter().map(of).sum::<f64>() / sizes.len() as f64;
        assert!(mean < 0.035, "{collective}: {mean}");
    }
}

/// Ranks elsewhere in their group use other links, and are not equivalent.
#[test]
fn ranks_at_other_switches_are_not_equivalent() {
    let placed = |first: u32| {
        let mut request = request_for("allgather", "4", "ugal", 100_000, 0);
        request.nodes = vec![24];
        let node = |rank: u32| match rank / 12 {
            0 => first + rank / 3,
            group => group * 8 + rank % 12 / 3,
        };
        let nodes = serde_json::json!({ "nodes": (0..72).map(node).collect::<Vec<_>>() });
        request.common.placement = Some(serde_json::from_value(nodes).expect("a placement"));
        request
    };
    // All on the first half of their groups; those of the first group on the second half.
    assert_eq!([0, 4].map(|first| off(&placed(first), 12).1), [2, 0]);
}

/// 132 ranks in five and a half groups: partners that wrap around at the last rank are half a group
/// off, which makes rounds longer.
#[test]
fn a_last_group_that_is_not_full_is_in_the_error() {
    let mut few = request_for("alltoall", "1", "minimal", 100_000, 24 * 160 * 10);
    few.nodes = vec![44];
    let all = TuneRequest { messages: 1 << 40, ..few.clone() };
    let pairwise = |request: &TuneRequest| {
        let rows = tuned(request).rows;
        rows.into_iter().find(|row| row.algorithm == "pairwise").expect("it is tried")
    };
    let (few, all) = (pairwise(&few), pairwise(&all));
    assert_eq!((few.sample.ranks_simulated, all.sample.method), (24, Some("exact")));
    let off = few.latency_s.expect("played") / all.latency_s.expect("played") - 1.0;
    let error = few.sample.error.expect("played");
    assert!(off.abs() < error && error < 0.25, "{off:+.4}, {error:.4}");
}

/// Ranks that send to all other groups at once enter each at another switch, like the traffic that
/// arrives.
#[test]
fn an_exchange_with_all_enters_groups_where_all_enter() {
    let mut request = request_for("alltoall", "4", "ugal", 20_000, 8 * 50 * 10);
    request.ppn = 1;
    let all = TuneRequest { messages: 1 << 40, ..request.clone() };
    let at_once = |request: &TuneRequest| {
        let rows = tuned(request).rows;
        rows.into_iter().find(|row| row.algorithm == "scattered:all").expect("it is tried")
    };
    let (few, all) = (at_once(&request), at_once(&all));
    assert_eq!(few.sample.ranks_simulated, 8);
    let off = few.latency_s.expect("played") / all.latency_s.expect("played") - 1.0;
    // 20 % if all enter at the same switch.
    assert!(off.abs() < 0.05, "{off:+.4}");
}
