//! Sampling of calls: what is simulated, and what is reported.

use super::*;

/// 144 ranks on six groups of four switches with identical cabling, one cable per pair, so that no
/// random draw matters. Representatives then meet what all ranks meet, and the flows of one group
/// are those of all. In a pairwise exchange, picoseconds decide the order of arrival, with effects
/// on all other ranks.
#[test]
fn one_group_represents_all_with_uniform_cabling() {
    let common = serde_json::json!({
        "machine": { "name": "dragonfly-1056", "set": [
            ["groups.compute.count", "6"],
            ["groups.compute.nodes", "8"],
            ["groups.compute.nics", "2"],
            ["groups.compute.switches", "4"],
            ["routing", "minimal"],
        ] },
        "fidelity": "flow",
    });
    let common: crate::Common = serde_json::from_value(common).expect("options");
    let mut job = crate::job(&common, 144, 3).expect("legal");
    let of = |kind, algorithm, bytes| first_call(&job, kind, algorithm, 144, bytes);
    let (gather, exchange) = (Kind::Allgather, Kind::Alltoall);
    let scattered = Algorithm::Scattered { throttle: 32 };
    let calls = [
        (of(gather, Algorithm::Ring, 100_000), 1e-8),
        (of(gather, Algorithm::Neighbor, 5_000), 1e-8),
        (of(exchange, scattered, 64), 1e-8),
        (of(exchange, scattered, 20_000), 1e-5),
        (of(exchange, Algorithm::Pairwise, 20_000), 0.02),
    ];
    let flow = Fidelity::Flow;
    // With the real cabling, a round takes as long as the group with the least favorable cables.
    let as_it_is = parts(&job, &calls[0].0, flow, 24 * 160 * 10);
    assert!(as_it_is.is_none_or(|parts| parts.ranks == 144));
    let folding = job.folding_by(24, false);
    job.machine = job.machine.with_uniform_cabling(&folding);
    for (call, bound) in &calls {
        let few = parts(&job, call, flow, 24 * 160 * 10).expect("24 ranks' rounds");
        assert_eq!((few.ranks, few.is_sample), (24, true));
        let [few, all] = [few, SamplingPlan::all_rounds(call.clone())].map(|parts| {
            let timing = time(&mut job, &parts, flow, &mut Sums::default(), &mut |_| true);
            timing.expect("it ends").mean_s
        });
        // A call returns a picosecond after its last round.
        let off = (few + 1e-12) / all - 1.0;
        assert!(off.abs() < *bound, "{:?}: {few} {all}", call.algorithm);
    }
}

/// Ranks beyond the last whole group are on nodes of the first, whose ranks then have neighbors
/// that other groups lack.
#[test]
fn groups_with_additional_ranks_are_not_representative() {
    let node = |rank: u32| if rank < 120 { rank / 3 } else { 4 + (rank - 120) / 3 };
    let common = serde_json::json!({
        "machine": { "name": "dragonfly-1056", "set": [
            ["groups.compute.count", "6"],
            ["groups.compute.switches", "1"],
            ["groups.compute.global_ports", "5"],
            ["groups.compute.nodes", "8"],
            ["groups.compute.nics", "2"],
            ["groups.compute.cpus", "1"],
            ["switch.ports", "21"],
            ["routing", "minimal"],
        ] },
        "fidelity": "loggp",
        "nic_policy": "single",
        "placement": { "nodes": (0..126).map(node).collect::<Vec<u32>>() },
    });
    let common: crate::Common = serde_json::from_value(common).expect("options");
    let mut job = crate::job(&common, 126, 3).expect("legal");
    let call = first_call(&job, Kind::Allgather, Algorithm::Ring, 126, 100_000);
    let few = parts(&job, &call, Fidelity::LogGp, 24 * 100);
    let mut mean = |parts: SamplingPlan| {
        let closed = Fidelity::LogGp;
        let timing = time(&mut job, &parts, closed, &mut Sums::default(), &mut |_| true);
        timing.expect("it ends").mean_s
    };
    let all = mean(SamplingPlan::all_rounds(call));
    assert!(few.is_none_or(|few| (mean(few) / all - 1.0).abs() < 0.03));
}

/// Whatever the message budget, equal rounds are extrapolated exactly.
#[test]
fn any_sample_of_rounds_predicts_the_others() {
    for (fidelity, nodes, ppn) in
        [("flow", 18, 8), ("flow", 20, 8), ("loggp", 20, 8), ("loggp", 24, 12)]
    {
        let common = serde_json::json!({ "machine": { "name": "aurora" }, "fidelity": fidelity });
        let common: crate::Common = serde_json::from_value(common).expect("options");
        let job = crate::job(&common, nodes * ppn, ppn).expect("legal");
        let call = first_call(&job, Kind::Alltoall, Algorithm::Pairwise, nodes * ppn, 100_000);
        let fidelity = if fidelity == "flow" { Fidelity::Flow } else { Fidelity::LogGp };
        let mut sampled = 0;
        for rounds in 1..u64::from(call.rounds()) {
            let messages = rounds * u64::from(nodes * ppn);
            for messages in [messages, messages * cost(fidelity), most_messages() + messages] {
                let Some(parts) = parts(&job, &call, fidelity, messages) else { continue };
                sampled += u32::from(parts.is_sample);
                for range in &parts.ranges {
                    let round_starts: Vec<f64> =
                        (0..=range.sample.simulated()).map(|nth| f64::from(nth) * 2.0).collect();
                    let (span, error) = range.sample.extrapolate(&round_starts, range.rounds);
                    let is_so = (span - 2.0 * f64::from(range.rounds)).abs() < 1e-6;
                    assert!(is_so && error < 1e-6, "{messages}: {span} {error} {range:?}");
                }
            }
        }
        assert!(sampled > 100, "{sampled}");
    }
}

/// With flows, no more rounds than necessary are simulated, unless the budget is above the default.
/// Then it is used.
#[test]
fn a_larger_message_budget_simulates_more_rounds() {
    let common = serde_json::json!({ "machine": { "name": "aurora" }, "fidelity": "flow" });
    let common: crate::Common = serde_json::from_value(common).expect("options");
    let job = crate::job(&common, 8_192, 8).expect("legal");
    let scattered = Algorithm::Scattered { throttle: 32 };
    let call = first_call(&job, Kind::Alltoall, scattered, 8_192, 1_024);
    let simulated = |messages| {
        let parts = parts(&job, &call, Fidelity::Flow, messages).expect("a part tells");
        let (rounds, ranks) =
            (parts.ranges.iter().map(|s| s.sample.simulated()).sum(), parts.ranks);
        (ranks, rounds)
    };
    // 512 ranks of a group with 32 partners each: a wave has 16 rounds. Six waves are simulated, or
    // more if a tenth of the budget allows it. The first and the last round differ.
    let most = |messages: u64| (messages / 10 / (512 * 32)) as u32;
    assert!(most(most_messages()) < 6 * 16, "more than the waves");
    assert_eq!(simulated(most_messages()), (512, 2 + 6 * 16));
    assert_eq!(simulated(20_000_000), (512, 2 + most(20_000_000) / 16 * 16));
}

/// If all ranks are simulated, waves of longer flows have fewer messages: at most the budget
/// divided by the weight of one. On random nodes no group represents the others.
#[test]
fn waves_of_long_flows_keep_to_the_limit() {
    let flow = Fidelity::Flow;
    let ranks_and_rounds = |nodes: u32, placement: &str, kind, bytes| {
        let common = serde_json::json!({
            "machine": { "name": "aurora" }, "fidelity": "flow", "placement": placement,
        });
        let common: crate::Common = serde_json::from_value(common).expect("options");
        let job = crate::job(&common, nodes, 1).expect("legal");
        let call = first_call(&job, kind, Algorithm::Pairwise, nodes, bytes);
        let parts = parts(&job, &call, flow, most_messages())?;
        let alike = parts.ranges.iter().filter(|range| range.alike);
        Some((parts.ranks, alike.map(|range| range.sample.simulated()).sum::<u32>()))
    };
    let [short, medium, long] = [4 << 10, 16 << 10, 4 << 20];
    for kind in [Kind::Alltoall, Kind::ReduceScatterBlock] {
        // Each group has 64 nodes, and 9,658 nodes fill 150 of them.
        for bytes in [short, medium, long] {
            let found = ranks_and_rounds(9_658, "contiguous", kind, bytes);
            assert_eq!(found.expect("64 ranks").0, 64, "{kind:?} {bytes}");
        }
        let random = |nodes, bytes| ranks_and_rounds(nodes, "random", kind, bytes);
        let simulated = |nodes: u32, bytes| {
            let (ranks, rounds) = random(nodes, bytes).expect("it is sampled");
            assert_eq!(ranks, nodes, "{kind:?} {bytes}");
            u64::from(ranks * rounds)
        };
        let most = most_messages();
        assert!((most / 4..=most).contains(&simulated(9_658, short)));
        assert!((most / 10..=most / 4).contains(&simulated(9_658, medium)));
        assert!(simulated(4_096, long) <= most / 10);
        // At least three waves of 16 rounds: more than a tenth of the budget.
        assert_eq!(random(9_658, long), None, "{kind:?}");
    }
}

/// A broadcast by a ring in which some ranks have no piece: three calls on fewer ranks give its
/// time within the stated error. CPUs limit the ring of 11 ranks per node, latency that of one.
#[test]
fn fewer_ranks_represent_a_ring_with_empty_pieces() {
    for (nodes, ppn) in [(64, 11), (704, 1)] {
        let common = serde_json::json!({ "machine": { "name": "aurora" }, "fidelity": "loggp" });
        let common: crate::Common = serde_json::from_value(common).expect("options");
        let mut job = crate::job(&common, nodes * ppn, ppn).expect("legal");
        // Of 704 ranks, 5 %, 36 % and 43 % have no piece.
        for bytes in [12_673, 450, 400] {
            let call = first_call(&job, Kind::Bcast, Algorithm::ScatterRing, 704, bytes);
            let closed = Fidelity::LogGp;
            let few = parts(&job, &call, closed, 100_000).expect("it is sampled");
            assert!(few.is_sample && few.smaller.len() == 3 && few.smaller[2].member.size <= 352);
            let whole = SamplingPlan::all_rounds(call);
            let [few, whole] = [few, whole].map(|plan| {
                time(&mut job, &plan, closed, &mut Sums::default(), &mut |_| true).expect("it ends")
            });
            let off = (few.mean_s / whole.mean_s - 1.0).abs();
            let error = few.error_s / few.mean_s;
            assert!(off < 0.02 + error, "{ppn} {bytes}: off by {off}, stated {error}");
            assert!((few.messages / whole.messages - 1.0).abs() < 0.05, "{bytes}");
            assert_eq!(job.placements.len(), 704);
        }
    }
}
