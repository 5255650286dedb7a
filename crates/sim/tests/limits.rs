//! Effects of exhausted resources of a NIC or the provider: reports and costs.

use crate::common::{Script, completed, job_on, machine};
use base::{Span, Time};
use loggp::LogGpNetwork;
use mpi::limits::{Limit, MatchMode};
use packet::PacketNetwork;
use sim::{End, Job, LimitPolicy, Outcome};
use workload::{ANY_SOURCE, Op, OpCompletion, SendMode, WORLD};

type Completions = Vec<(Time, OpCompletion)>;

fn send(to: u32, tag: i32, bytes: u64) -> Op {
    Op::Send { to, context: WORLD, tag, bytes, mode: SendMode::Standard }
}
fn recv(from: u32, tag: i32) -> Op {
    Op::Recv { from, context: WORLD, tag, bytes: u64::MAX }
}

/// Ranks on these nodes of a machine whose NICs have one match engine with `entries` entries.
fn job(nodes: &[u32], entries: &str) -> Job {
    let set = [("nic.match_engines", "1"), ("nic.match_entries", entries)];
    job_on(machine("aurora", &set), "mpich", nodes)
}
fn run(job: &Job, calls: impl IntoIterator<Item = (u32, u32, u64, Op)>) -> (Outcome, Completions) {
    Script::new(job.placements.len() as u32, calls).run::<PacketNetwork>(job)
}
fn what(outcome: &Outcome) -> (u32, String) {
    let End::Exhausted(blocked) = &outcome.end else { panic!("{:?}", outcome.end) };
    (blocked.rank, blocked.what.clone())
}
fn used(outcome: &Outcome, limit: Limit) -> (u64, u32) {
    let row = outcome.limit_report.uses.iter().find(|row| row.limit == limit).expect("one a limit");
    (row.used, row.rank)
}

/// `n` receives at rank 0, then as many messages from rank 1, much later.
fn posted(n: u32) -> Vec<(u32, u32, u64, Op)> {
    let receive = |i: u32| (0, i, 0, recv(1, i as i32));
    let message = |i: u32| (1, i, if i == 0 { 1_000_000 } else { 0 }, send(0, i as i32, 8));
    (0..n).map(receive).chain((0..n).map(message)).collect()
}
/// The opposite: messages at once, receives 5 ms later.
fn unexpected(n: u32) -> Vec<(u32, u32, u64, Op)> {
    let receive = |i: u32| (0, i, if i == 0 { 5_000_000 } else { 0 }, recv(1, i as i32));
    let message = |i: u32| (1, i, 0, send(0, i as i32, 8));
    (0..n).map(receive).chain((0..n).map(message)).collect()
}

#[test]
fn the_largest_tag_is_legal_and_the_next_ends_the_run_with_its_name() {
    let job = job(&[0, 1], "100");
    for (tag, fits) in [(524_287, true), (524_288, false)] {
        let (outcome, _) = run(&job, [(1, 0, 0, recv(0, tag)), (0, 0, 0, send(1, tag, 8))]);
        assert_eq!(used(&outcome, Limit::Tag).0, tag as u64);
        if fits {
            assert_eq!(outcome.end, End::Finished);
            continue;
        }
        let (_, text) = what(&outcome);
        assert!(text.contains("524288") && text.contains("MPI_TAG_UB is 524287"), "{text}");
        assert!(text.contains("Fix: keep tags below"), "{text}");
    }
}

#[test]
fn receives_beyond_the_entries_end_a_job_that_matches_in_hardware() {
    let job = job(&[0, 1], "8");
    let (outcome, _) = run(&job, posted(8));
    assert_eq!((&outcome.end, used(&outcome, Limit::MatchEntries)), (&End::Finished, (8, 0)));
    let (outcome, _) = run(&job, posted(9));
    let (rank, text) = what(&outcome);
    assert_eq!(rank, 0);
    for part in [
        "x4000c0s0b0n0",
        "all 8 of a match engine",
        "9 posted receives and 0 unexpected messages",
        "FI_CXI_RX_MATCH_MODE=hardware",
        "FI_CXI_RX_MATCH_MODE=hybrid",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

/// The ninth receive moves eight to the host. Messages come in the order of their receives, so each
/// search ends at its first element. Each message costs one element, and so does each of the nine
/// receives moved or posted later. The CPU of rank 0 has no other work.
#[test]
fn hybrid_matching_goes_on_and_costs_the_walks() {
    let mut job = job(&[0, 1], "8");
    job.library.provider.match_mode = MatchMode::Hybrid;
    let element = job.library.provider.match_element;
    let (outcome, by_cpu) = run(&job, posted(9));
    assert_eq!((&outcome.end, outcome.limit_report.software_ranks), (&End::Finished, 1));
    job.limits = LimitPolicy::Off;
    let (outcome, by_nic) = run(&job, posted(9));
    assert_eq!((&outcome.end, outcome.limit_report.software_ranks), (&End::Finished, 0));
    // The first message finds the rank idle: its search is the only delay.
    let first = |completed: &Completions| crate::common::completed(completed, 0, 0).0;
    assert_eq!(first(&by_cpu) - first(&by_nic), element);
}

/// Five windows of rank 0 leave three entries for receives.
#[test]
fn what_windows_take_receives_cannot_have() {
    let job = job(&[0, 1], "8");
    for (n, fits) in [(3, true), (4, false)] {
        let (outcome, _) = run(&job, [windows(&[5], false), posted(n)].concat());
        assert_eq!(outcome.end == End::Finished, fits, "{n}: {:?}", outcome.end);
    }
}

/// A table of 12 entries: each endpoint has three, and optimized windows take one each.
#[test]
fn optimized_windows_take_entries_of_the_portal_table() {
    let with = |set| {
        let set = [("nic.portal_table", "12"), ("nic.command_queues", set)];
        job_on(machine("aurora", &set), "mpich", &[0, 0])
    };
    let mut job = with("2");
    let (outcome, _) = run(&job, windows(&[2, 4], true));
    assert_eq!((&outcome.end, used(&outcome, Limit::PortalTable)), (&End::Finished, (12, 1)));
    assert_eq!(run(&job, windows(&[20, 20], false)).0.end, End::Finished);
    let (_, text) = what(&run(&job, windows(&[2, 5], true)).0);
    for part in ["all 12 entries", "has 5 optimized windows", "2 ranks share", "OPTIMIZED_MRS=0"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    job.library.set("FI_CXI_OPTIMIZED_MRS", "0").expect("legal");
    assert_eq!(run(&job, windows(&[20, 20], true)).0.end, End::Finished);
    // A rank without a command queue does not even start.
    let (rank, text) = what(&run(&with("1"), []).0);
    assert!(rank == 0 && text.contains("it has 1, one for the endpoint"), "{text}");
    assert!(text.contains("MPI_Init fails") && text.contains("MPICH_OFI_NIC_POLICY"), "{text}");
}

/// In the opposite order every search walks the whole remaining list: 9 + 8 + ... + 1.
#[test]
fn software_matching_walks_the_list_to_the_end() {
    let mut job = job(&[0, 1], "1000");
    job.library.provider.match_mode = MatchMode::Software;
    // Slow enough that the CPU is never idle between messages.
    job.library.provider.match_element = Span::us(10);
    let n = 9u32;
    let receive = |i: u32| (0, i, 0, recv(1, (n - 1 - i) as i32));
    let message = |i: u32| (1, i, if i == 0 { 1_000_000 } else { 0 }, send(0, i as i32, 8));
    let calls = || (0..n).map(receive).chain((0..n).map(message));
    let (_, slow) = run(&job, calls());
    job.library.provider.match_element = Span::ZERO;
    let (_, fast) = run(&job, calls());
    // The first message's receive is the last posted, and so on.
    let gone = |i: u32| completed(&slow, 0, n - 1 - i).0;
    assert_eq!(gone(0) - completed(&fast, 0, n - 1).0, Span::us(10 * u64::from(n)));
    let per_message = job.library.recv_overhead + job.library.eager_copy_gap.span(8);
    for i in 1..n {
        let walk = Span::us(10 * u64::from(n - i));
        assert_eq!(gone(i) - gone(i - 1), walk + per_message, "message {i}");
    }
}

/// Flow control: unexpected headers move to the host, and messages that arrive meanwhile are
/// delayed by it.
#[test]
fn hardware_matching_survives_a_burst_it_can_move_away_and_pays_for_it() {
    let mut job = job(&[0, 1], "8");
    let wait = job.library.provider.flow_control;
    assert_eq!(wait, Span::us(1000));
    // Messages leave 1 us apart: the tenth finds the endpoint closed by the ninth.
    let (outcome, all) = run(&job, unexpected(10));
    assert_eq!((&outcome.end, outcome.limit_report.flow_controls), (&End::Finished, 1));
    assert_eq!(used(&outcome, Limit::MatchEntries).0, 8);
    // All have arrived when the receives are posted, after 5 ms: nothing is lost or changed.
    assert!((0..10).all(|i| completed(&all, 0, i).1.tag == i as i32));
    // A receive that waits only for the tenth completes after the delay, and not before.
    let late: Vec<_> = unexpected(10).into_iter().filter(|c| c.0 == 1).collect();
    let calls = |late: Vec<_>| late.into_iter().chain([(0, 9, 100_000, recv(1, 9))]);
    let (_, all) = run(&job, calls(late.clone()));
    let slow = completed(&all, 0, 9).0;
    job.limits = LimitPolicy::Off;
    let (_, all) = run(&job, calls(late));
    let fast = completed(&all, 0, 9).0;
    // Eight headers are moved when the CPU has finished its 100 us; then the delay starts.
    let open = Time::ZERO + Span::us(100) + Span::ns(8 * 150) + wait;
    assert!(fast < Time::ZERO + Span::us(102), "{fast}");
    assert!(slow >= open && slow < open + Span::us(2), "{slow}");
}

#[test]
fn an_event_queue_overflows_by_the_manuals_count() {
    let mut job = job(&[0, 1], "1000");
    job.library.provider.cq_size = 96;
    job.library.provider.eq_page = 64;
    // 35 always, 6 for each unexpected message: ten fit into 96 slots.
    let (outcome, _) = run(&job, unexpected(10));
    assert_eq!((&outcome.end, used(&outcome, Limit::EventQueue)), (&End::Finished, (95, 0)));
    let (outcome, _) = run(&job, unexpected(11));
    let (rank, text) = what(&outcome);
    assert_eq!(rank, 0);
    for part in ["11 unexpected messages", "101 events", "96 slots", "FI_CXI_DEFAULT_CQ_SIZE"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

/// As many windows of each rank as listed.
fn windows(of: &[u32], optimized: bool) -> Vec<(u32, u32, u64, Op)> {
    let region = Op::Region { held: true, optimized };
    let each = (0u32..).zip(of).flat_map(|(rank, &n)| (0..n).map(move |_| rank));
    each.map(|rank| (rank, 0, 0, region.clone())).collect()
}

/// Ranks 0 and 1 share a NIC. Entries that hold windows cannot hold messages.
#[test]
fn windows_take_entries_of_their_ranks_nic() {
    let mut job = job(&[0, 0, 1], "8");
    let (outcome, _) = run(&job, windows(&[5, 3, 8], false));
    assert_eq!((&outcome.end, used(&outcome, Limit::Regions)), (&End::Finished, (8, 1)));
    let (outcome, _) = run(&job, windows(&[5, 4], false));
    let (rank, text) = what(&outcome);
    assert_eq!(rank, 1);
    for part in ["x4000c0s0b0n0 nic0", "all 8 of a match", "has 4 windows", "2 ranks share", "Fix"]
    {
        assert!(text.contains(part), "{part}\n{text}");
    }
    // Entries that are returned can be used again.
    let given_up = (0, 0, 0, Op::Region { held: false, optimized: false });
    let calls = [windows(&[5], false), vec![given_up], windows(&[0, 4], false)].concat();
    assert_eq!(run(&job, calls).0.end, End::Finished);
    for (policy, exceeded) in [(LimitPolicy::Warn, &[Limit::Regions][..]), (LimitPolicy::Off, &[])]
    {
        job.limits = policy;
        let (outcome, _) = run(&job, windows(&[9], false));
        let limits: Vec<Limit> = outcome.limit_report.exceeded.iter().map(|c| c.limit).collect();
        assert_eq!((&outcome.end, &limits[..]), (&End::Finished, exceeded));
    }
}

/// `n` accumulates of rank 0 on rank 1, with `out` bytes sent and `back` bytes returned.
fn accumulates(n: u32, out: u64, back: u64) -> Vec<(u32, u32, u64, Op)> {
    let accumulate = Op::OneSided {
        to: 1,
        context: WORLD,
        request_bytes: out,
        response_bytes: back,
        atomic: true,
    };
    (0..n).map(|i| (0, i, 0, accumulate.clone())).collect()
}

/// The target reads data above 16 KiB from registered memory. The first accumulate has returned
/// when the target's CPU has combined it, 2 us beyond the round trip. In that time rank 0, which
/// has one ready every 0.62 us, has called all nine.
#[test]
fn long_accumulates_take_match_entries_of_the_rank_that_is_read() {
    let mut job = job(&[0, 1], "8");
    let ended = |job: &Job, n, out, back| {
        let (outcome, _) = run(job, accumulates(n, out, back));
        (outcome.end.clone(), used(&outcome, Limit::Regions))
    };
    assert_eq!(ended(&job, 8, 16_385, 0), (End::Finished, (8, 0)));
    assert_eq!(ended(&job, 40, 16_384, 16_384), (End::Finished, (0, 0)));
    let (outcome, _) = run(&job, accumulates(9, 16_385, 0));
    let (rank, text) = what(&outcome);
    assert_eq!(rank, 0);
    let parts = ["x4000c0s0b0n0 nic0", "all 8 of a match", "0 windows, 9 long acc", "PIPELINE"];
    parts.iter().for_each(|part| assert!(text.contains(part), "{part}\n{text}"));
    // Returned data is read from the target. One after another, all entries are returned.
    let (end, (_, rank)) = ended(&job, 1, 8, 20_000);
    assert_eq!((end, rank), (End::Finished, 1));
    let apart = (0..40).map(|i| (0, i, 100_000, accumulates(1, 20_000, 20_000)[0].3.clone()));
    let (outcome, _) = run(&job, apart);
    assert_eq!((&outcome.end, used(&outcome, Limit::Regions).0), (&End::Finished, 1));
    job.library.am_eager_max = u64::MAX;
    assert_eq!(ended(&job, 40, 20_000, 20_000), (End::Finished, (0, 0)));
}

#[test]
fn a_rank_with_more_requests_than_its_library_has_ends_the_run() {
    let mut job = job(&[0, 1], "8");
    job.library.max_requests = 6;
    let held = |n| [(1, 0, 0, Op::Requests(4)), (1, 0, 0, Op::Requests(n))];
    let (outcome, _) = run(&job, held(6));
    assert_eq!((&outcome.end, used(&outcome, Limit::Requests)), (&End::Finished, (6, 1)));
    let (rank, text) = what(&run(&job, held(7)).0);
    assert_eq!(rank, 1);
    for part in ["has 7 at once", "its library has 6", "req != NULL", "MPI_Request_free"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    for (policy, exceeded) in [(LimitPolicy::Warn, &[Limit::Requests][..]), (LimitPolicy::Off, &[])]
    {
        job.limits = policy;
        let (outcome, _) = run(&job, held(7));
        let limits: Vec<Limit> = outcome.limit_report.exceeded.iter().map(|c| c.limit).collect();
        assert_eq!((&outcome.end, &limits[..]), (&End::Finished, exceeded));
    }
}

const LONG: u64 = 100_000;

/// Two ranks that send each other `n` long messages, and receive after or before.
fn exchange(n: u32, receives_first: bool) -> Vec<(u32, u32, u64, Op)> {
    let mut calls = Vec::new();
    for (me, other) in [(0, 1), (1, 0)] {
        let sends = (0..n).map(|i| (me, i, 0, send(other, i as i32, LONG)));
        let receives = (0..n).map(|i| (me, 100 + i, 0, recv(other, i as i32)));
        let (first, second): (Vec<_>, Vec<_>) = (sends.collect(), receives.collect());
        match receives_first {
            true => calls.extend(second.into_iter().chain(first)),
            false => calls.extend(first.into_iter().chain(second)),
        }
    }
    calls
}

#[test]
fn rendezvous_sends_wait_for_one_another_and_may_wait_for_ever() {
    let mut job = job(&[0, 1], "1000");
    job.library.provider.tx_size = 4;
    for (n, receives_first, fits) in [(4, false, true), (5, true, true), (5, false, false)] {
        let (outcome, _) = run(&job, exchange(n, receives_first));
        assert_eq!(used(&outcome, Limit::RendezvousSends).0, 4, "{n} {receives_first}");
        if fits {
            assert_eq!(outcome.end, End::Finished, "{n} {receives_first}");
            continue;
        }
        let (_, text) = what(&outcome);
        for part in
            ["has 4 in progress", "2 ranks wait", "FI_CXI_DEFAULT_TX_SIZE", "receives before"]
        {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }
    // Eager messages take none, nor do messages within a node.
    let mut near = job.clone();
    near.placements[1] = near.placements[0];
    assert_eq!(run(&near, exchange(9, false)).0.end, End::Finished);
}

/// The fifth of five sends leaves when the first is complete, and not before.
#[test]
fn a_send_without_an_identifier_leaves_when_another_is_through() {
    let mut job = job(&[0, 1], "1000");
    let late = 1_000_000;
    let calls = |n: u32| {
        let sends = (0..n).map(|i| (0, i, 0, send(1, i as i32, LONG)));
        let receive = move |i: u32| (1, i, if i == 0 { late } else { 0 }, recv(0, i as i32));
        let mark = (0, 99, 0, Op::Pause);
        sends.chain([mark]).chain((0..n).map(receive)).collect::<Vec<_>>()
    };
    let after_sends = |completed_: &Completions| completed(completed_, 0, 99).0;
    let (_, all) = run(&job, calls(5));
    assert!(after_sends(&all) < Time::ZERO + Span::us(10), "{}", after_sends(&all));
    job.library.provider.tx_size = 4;
    let (outcome, all) = run(&job, calls(5));
    assert_eq!(outcome.end, End::Finished);
    let first = completed(&all, 0, 0).0;
    assert!(first > Time::ZERO + Span::us(1000));
    let over = after_sends(&all) - first;
    assert!(over <= job.library.call_overhead + Span(10), "{over}");
}

#[test]
fn warn_continues_and_reports_each_limit_once() {
    let mut job = job(&[0, 1], "8");
    job.limits = LimitPolicy::Warn;
    job.library.provider.tx_size = 4;
    let mut calls = exchange(6, false);
    calls.extend((0..12).map(|i| (0, 200 + i, 0, recv(1, 600_000 + i as i32))));
    calls.extend((0..12).map(|i| (1, 200 + i, 0, send(0, 600_000 + i as i32, 8))));
    let (outcome, all) = run(&job, calls);
    assert_eq!((&outcome.end, all.len()), (&End::Finished, 48));
    let limits: Vec<Limit> = outcome.limit_report.exceeded.iter().map(|c| c.limit).collect();
    assert_eq!(limits, [Limit::RendezvousSends, Limit::Tag, Limit::MatchEntries]);
}

/// Far from every bound the three policies are identical, to the last event, at every fidelity.
#[test]
fn unreached_limits_change_nothing() {
    let mut calls = exchange(20, false);
    calls.extend((0..40).map(|i| (0, 300 + i, 0, recv(ANY_SOURCE, 50 + i as i32))));
    calls.extend((0..40).map(|i| (2, 300 + i, 0, send(0, 50 + i as i32, 64))));
    calls.extend(windows(&[30, 0, 60], false));
    let mut job = crate::common::job(&[0, 40, 700]);
    let digests = |job: &Job| {
        let script = || Script::new(3, calls.clone());
        let packet = script().run::<PacketNetwork>(job).0;
        assert_eq!(packet.end, End::Finished);
        (packet.digest, script().run::<LogGpNetwork>(job).0.digest)
    };
    let with = digests(&job);
    for policy in [LimitPolicy::Warn, LimitPolicy::Off] {
        job.limits = policy;
        assert_eq!(digests(&job), with, "{policy:?}");
    }
    // Windows take no time.
    calls.retain(|call| call.3.completes());
    let digests = Script::new(3, calls).run::<PacketNetwork>(&job).0.digest;
    assert_eq!(digests, with.0);
}

/// Collectives use the same entries, and return all of them.
#[test]
fn collectives_are_counted_and_leave_nothing_behind() {
    use collectives::{Algorithm, Kind, Member};
    let n = 8u32;
    let job = job(&[0, 1, 2, 3, 40, 41, 700, 701], "1000");
    let call = |rank: u32, after: u64| {
        let member = Member { rank, size: n };
        let call = collectives::Collective {
            kind: Kind::Gather,
            algorithm: Algorithm::Linear,
            member,
            root: 0,
            bytes: 8,
            grain: 1,
            ragged: None,
            nodes: None,
        };
        (rank, 0, after, Op::Collective { context: WORLD, call })
    };
    // The root is first, with a receive posted for each; or last, and all messages are unexpected.
    for (late, events) in [(0, 7 + 35), (1_000_000, 7 * 6 + 35)] {
        let calls = (0..n).map(|r| call(r, if r == 0 { late } else { 1_000_000 - late }));
        let (outcome, _) = run(&job, calls);
        assert_eq!(outcome.end, End::Finished);
        assert_eq!(used(&outcome, Limit::EventQueue), (events, 0), "root {late} ns late");
    }
}
