//! Point-to-point messages: order as MPI guarantees it, and times as in the formulas, at both
//! fidelities.

use crate::common::{Script, completed, job, job_on, machine};
use base::{Span, Time};
use flow::FlowNetwork;
use loggp::LogGpNetwork;
use machine::NicId;
use mpi::limits::MatchMode;
use packet::PacketNetwork;
use sim::{End, Job, World};
use workload::{
    ANY_SOURCE, ANY_TAG, Call, CompletionStatus, Context, Op, OpCompletion, SendMode, WORLD,
    Workload,
};

fn send(to: u32, tag: i32, bytes: u64) -> Op {
    Op::Send { to, context: WORLD, tag, bytes, mode: SendMode::Standard }
}
fn recv(from: u32, tag: i32) -> Op {
    Op::Recv { from, context: WORLD, tag, bytes: u64::MAX }
}
/// Completion time of a lone message's receive, by the formulas of docs/models/library.md.
fn formula(job: &Job, bytes: u64) -> Span {
    let (m, l) = (&job.machine, &job.library);
    let (a, b) = (job.placements[0].nic, job.placements[1].nic);
    let eager = l.send_overhead + m.zero_load(a, b, bytes) + l.recv_overhead;
    if bytes <= l.eager_max {
        return eager + l.eager_copy_gap.span(bytes);
    }
    let part = l.rendezvous_eager_part.min(bytes);
    // The NIC fetches by itself: the data has no DMA step, which `zero_load` adds for a host's
    // command beyond the immediate limit.
    let data = m.zero_load(a, b, bytes - part) - m.nic.dma_latency;
    l.send_overhead + m.zero_load(a, b, part) + m.zero_load(b, a, 0) + data + l.recv_overhead
}

#[test]
fn a_lone_message_takes_what_the_formulas_say_on_both_sides_of_the_thresholds() {
    for nodes in [[0, 1], [0, 40], [0, 700]] {
        let job = job(&nodes);
        let eager_max = job.library.eager_max;
        for bytes in [0, 8, 64, 65, 2048, eager_max, eager_max + 1, 1 << 22] {
            let script = || Script::new(2, [(0, 0, 0, send(1, 7, bytes)), (1, 0, 0, recv(0, 7))]);
            let want = Time::ZERO + formula(&job, bytes);
            let (outcome, packet) = script().run::<PacketNetwork>(&job);
            assert_eq!(outcome.end, End::Finished);
            let (_, loggp) = script().run::<LogGpNetwork>(&job);
            // A request to send is injected one overhead after the call. Each protocol phase may
            // add the picosecond that keeps instants from looping.
            for (name, (at, done)) in
                [("packet", completed(&packet, 1, 0)), ("loggp", completed(&loggp, 1, 0))]
            {
                assert_eq!((done.peer, done.tag, done.bytes), (0, 7, bytes));
                let off = at.0.abs_diff(want.0);
                assert!(off <= 8, "{name} {nodes:?} {bytes} B: {at} for {want}, {off} ps off");
            }
        }
    }
}

/// The table of docs/models/node.md: the sender's host takes part a second time when it observes
/// that its data has been fetched. The receiver's host does not, because its NIC requests the data
/// by itself.
#[test]
fn a_host_far_from_its_nic_counts_three_times_until_a_rendezvous_is_known_to_its_sender() {
    let ends = |nic_latency: &str, bytes: u64| {
        let job =
            job_on(machine("aurora", &[("node.nic_latency", nic_latency)]), "mpich", &[0, 40]);
        let script = || Script::new(2, [(0, 0, 0, send(1, 7, bytes)), (1, 0, 0, recv(0, 7))]);
        let ends = |all: Vec<(Time, OpCompletion)>| [0, 1].map(|rank| completed(&all, rank, 0).0.0);
        let packet = ends(script().run::<PacketNetwork>(&job).1);
        let flow = ends(script().run::<FlowNetwork>(&job).1);
        [packet, flow, ends(script().run::<LogGpNetwork>(&job).1)]
    };
    let eager_max = job(&[0, 40]).library.eager_max;
    for bytes in [eager_max + 1, 1 << 20] {
        for (far, near) in ends("300 ns", bytes).into_iter().zip(ends("0 ns", bytes)) {
            let more = [0, 1].map(|rank| Span(far[rank] - near[rank]));
            assert_eq!(more, [Span::ns(900), Span::ns(600)], "{bytes} B");
        }
    }
}

/// The processing time per message at the receiver's NIC also applies to data that the receiver has
/// requested. A rendezvous has two messages, 8 us each with one rank per NIC, not 2 us as with
/// four.
#[test]
fn requested_data_is_limited_by_the_requesters_nic() {
    let set = [("nic.process_message", "8 us")];
    let mut job = job_on(crate::common::machine("cascade-3k", &set), "none", &[0, 0, 0, 0, 4]);
    job.library.eager_max = 8;
    let last = |n: u32| {
        let both = |i| [(0, i, 0, send(4, 1, 64)), (4, i, 0, recv(0, 1))];
        let script = || Script::new(5, (0..n).flat_map(both));
        let ends = [script().run::<PacketNetwork>(&job).1, script().run::<LogGpNetwork>(&job).1];
        ends.map(|all| (0..n).map(|i| completed(&all, 4, i).0).max().expect("some"))
    };
    for (ten, one) in last(10).into_iter().zip(last(1)) {
        let each = (ten - one).0 / 9;
        assert!(each.abs_diff(Span::us(16).0) < Span::us(1).0, "{} a rendezvous", Span(each));
    }
}

/// Two ranks give one NIC messages at the same time. Messages of one rank leave a `command_gap`
/// apart, and all messages a `message_gap`. Each arrives that much later than alone, at both
/// fidelities.
#[test]
fn a_ranks_commands_leave_apart_and_so_do_those_of_all_ranks_of_a_nic() {
    // Rank 0 sends to 2, 4 and 6; rank 1 puts to 3, 5 and 7. The last completion of each, and the
    // calls.
    let calls = |i: u32| {
        let put = Op::OneSided {
            to: 3 + 2 * i,
            context: WORLD,
            request_bytes: 8,
            response_bytes: 0,
            atomic: false,
        };
        let to = 2 + 2 * i;
        let sent = vec![(0, i, 0, send(to, 1, 8)), (to, 0, 0, recv(0, 1))];
        [((to, 0), sent), ((1, i), vec![(1, i, 0, put)])]
    };
    // Each occupies the link for 3.7 ns: no message waits for it except for its gaps.
    for (command, message) in [(59, 12), (12, 59), (0, 30), (40, 4)] {
        let (command_gap, message_gap) = (format!("{command} ns"), format!("{message} ns"));
        let set = [("nic.command_gap", &command_gap[..]), ("nic.message_gap", &message_gap[..])];
        let job = job_on(crate::common::machine("aurora", &set), "none", &[0, 0, 1, 2, 3, 4, 5, 6]);
        let all = || (0..3).flat_map(calls).flat_map(|(_, calls)| calls);
        let with_others = [
            Script::new(8, all()).run::<PacketNetwork>(&job).1,
            Script::new(8, all()).run::<LogGpNetwork>(&job).1,
        ];
        let mut free = 0;
        for i in 0..3 {
            for ((rank, token), calls) in calls(i) {
                let enters = free.max(u64::from(i) * command);
                free = enters + message;
                let alone = [
                    Script::new(8, calls.clone()).run::<PacketNetwork>(&job).1,
                    Script::new(8, calls).run::<LogGpNetwork>(&job).1,
                ];
                for (with_others, alone) in with_others.iter().zip(alone) {
                    let [with_others, alone] =
                        [with_others, &alone].map(|of| completed(of, rank, token).0);
                    let off = with_others.since(alone).0.abs_diff(enters * 1_000);
                    assert!(off <= 16, "{set:?}, rank {rank}, {token}: {with_others} for {alone}");
                }
            }
        }
    }
}

#[test]
fn messages_of_one_sender_match_in_the_order_they_were_sent() {
    let job = job(&[0, 700]);
    // A rendezvous, a long eager message, then short ones that could overtake both.
    let sizes = [1 << 20, 16_000, 8, 0, 300_000, 8];
    let calls = (0..6u32).flat_map(|i| {
        [(0, i, 0, send(1, 1, sizes[i as usize])), (1, i, 0, recv(ANY_SOURCE, ANY_TAG))]
    });
    let (outcome, all) = Script::new(2, calls).run::<PacketNetwork>(&job);
    assert_eq!(outcome.end, End::Finished);
    for i in 0..6 {
        assert_eq!(completed(&all, 1, i).1.bytes, sizes[i as usize], "receive {i}");
    }
}

#[test]
fn a_standard_send_is_done_at_once_if_eager_and_with_its_receive_if_not() {
    let job = job(&[0, 1]);
    let late = 1_000_000; // ns: long after the message has come
    for (bytes, mode, waits) in [
        (8, SendMode::Standard, false),
        (1 << 20, SendMode::Standard, true),
        (8, SendMode::Synchronous, true),
        (1 << 20, SendMode::Buffered, false),
    ] {
        let op = Op::Send { to: 1, context: WORLD, tag: 0, bytes, mode };
        let (outcome, all) =
            Script::new(2, [(0, 0, 0, op), (1, 0, late, recv(0, 0))]).run::<PacketNetwork>(&job);
        assert_eq!(outcome.end, End::Finished);
        let at = completed(&all, 0, 0).0;
        assert_eq!(at > Time::ZERO + Span::ns(late), waits, "{bytes} B, {mode:?}: done at {at}");
        // The receiver was late, and its wait began when it posted.
        let (_, done) = completed(&all, 1, 0);
        assert!(done.ready >= Time::ZERO + Span::ns(late), "{bytes} B, {mode:?}");
    }
}

#[test]
fn two_receives_that_wait_for_each_other_are_a_deadlock_with_names() {
    let job = job(&[0, 1, 2]);
    let script =
        Script::new(3, [(0, 0, 0, recv(1, 5)), (1, 0, 0, recv(0, 6)), (2, 0, 10, Op::Pause)]);
    let (outcome, _) = script.run::<PacketNetwork>(&job);
    let End::Deadlock(blocked) = outcome.end else { panic!("{:?}", outcome.end) };
    let text: Vec<(u32, &str)> = blocked.iter().map(|b| (b.rank, b.what.as_str())).collect();
    assert_eq!(text, [(0, "receive from rank 1, tag 5"), (1, "receive from rank 0, tag 6")]);
}

#[test]
fn a_rendezvous_nobody_receives_is_a_deadlock_of_its_sender() {
    let job = job(&[0, 1]);
    let (outcome, _) = Script::new(2, [(0, 0, 0, send(1, 3, 1 << 20))]).run::<PacketNetwork>(&job);
    let End::Deadlock(blocked) = outcome.end else { panic!("{:?}", outcome.end) };
    assert_eq!(blocked.len(), 1);
    assert_eq!(blocked[0].rank, 0);
    assert!(blocked[0].what.contains("no receive was posted"), "{}", blocked[0].what);
}

#[test]
fn probes_see_messages_and_take_them_only_if_asked() {
    let job = job(&[0, 1]);
    let probe = |wait, take| Op::Probe { from: 0, context: WORLD, tag: ANY_TAG, wait, take };
    let script = Script::new(
        2,
        [
            (0, 0, 0, send(1, 4, 100)),
            (0, 1, 0, send(1, 9, 200)),
            (1, 0, 0, probe(false, false)),
            (1, 1, 0, probe(true, false)),
            (1, 2, 100_000, probe(false, true)),
            (1, 3, 0, probe(true, false)),
            (1, 4, 0, Op::MatchedRecv { probe: 2, bytes: 100 }),
            (1, 5, 0, recv(0, 9)),
        ],
    );
    let (outcome, all) = script.run::<PacketNetwork>(&job);
    assert_eq!(outcome.end, End::Finished);
    let answer = |token| {
        let (_, d) = completed(&all, 1, token);
        (d.status, d.tag, d.bytes)
    };
    assert_eq!(answer(0).0, CompletionStatus::NoMessage);
    assert_eq!(answer(1), (CompletionStatus::Success, 4, 100));
    assert_eq!(answer(2), (CompletionStatus::Success, 4, 100));
    assert_eq!(answer(3), (CompletionStatus::Success, 9, 200), "the first message was set aside");
    assert_eq!(answer(4), (CompletionStatus::Success, 4, 100));
    assert_eq!(answer(5), (CompletionStatus::Success, 9, 200));
}

#[test]
fn a_receive_is_cancelled_once_at_most() {
    let job = job(&[0, 1]);
    let script = Script::new(
        2,
        [
            (1, 0, 0, recv(0, 1)),
            (1, 1, 0, Op::Cancel { token: 0 }),
            (1, 2, 0, recv(0, 1)),
            (0, 0, 0, send(1, 1, 8)),
            (1, 3, 100_000, Op::Cancel { token: 2 }),
        ],
    );
    let (outcome, all) = script.run::<PacketNetwork>(&job);
    assert_eq!(outcome.end, End::Finished);
    assert_eq!(completed(&all, 1, 0).1.status, CompletionStatus::Cancelled);
    assert_eq!(
        (completed(&all, 1, 2).1.status, completed(&all, 1, 2).1.bytes),
        (CompletionStatus::Success, 8)
    );
}

#[test]
fn an_alarm_rings_beside_the_cpu_and_lengthens_no_run() {
    let job = job(&[0]);
    let alarm = Op::Alarm { span: Span::us(500) };
    let script = Script::new(1, [(0, 0, 0, alarm), (0, 1, 1_000, Op::Pause)]);
    let (outcome, all) = script.run::<PacketNetwork>(&job);
    let (pause, alarm) = (completed(&all, 0, 1).0, completed(&all, 0, 0).0);
    assert!(pause < Time::ZERO + Span::ns(1_001), "{pause}");
    assert!(alarm >= Time::ZERO + Span::us(500), "{alarm}");
    assert_eq!(outcome.time, pause);
}

/// A rank has one CPU, and nothing else makes progress for it: completing receives takes the same
/// time whether or not the rank computes meanwhile. A core copies eager data unless the NIC does.
#[test]
fn the_work_of_receiving_waits_for_the_cpu_and_occupies_it() {
    let mut job = job(&[0, 1]);
    job.library.eager_direct = true;
    work_of_receiving(&job, job.library.recv_overhead);
    job.library.eager_direct = false;
    let copy = job.library.eager_copy_gap.span(16_000);
    work_of_receiving(&job, job.library.recv_overhead + copy);
    job.library.eager_direct = true;
    job.library.provider.match_mode = MatchMode::Software;
    job.library.provider.match_element = Span::ZERO;
    work_of_receiving(&job, job.library.recv_overhead + copy);
}

fn work_of_receiving(job: &Job, each: Span) {
    let (n, bytes, compute_ns) = (200u32, 16_000, 2_000_000);
    let script = |compute_ns| {
        let posts = (0..n).map(move |i| (1, i, 0, recv(0, 0)));
        // The first leaves when all receives have been posted.
        let late = |i| if i == 0 { 500_000 } else { 0 };
        let sends = (0..n).map(move |i| (0, i, late(i), send(1, 0, bytes)));
        Script::new(2, posts.chain(sends).chain([(1, n, compute_ns, Op::Pause)]))
    };
    let library = &job.library;
    let (outcome, all) = script(compute_ns).run::<PacketNetwork>(job);
    assert_eq!(outcome.end, End::Finished);
    // Everything has arrived long before the computation ends; then the receives are completed.
    let computed = Span::ns(compute_ns) + library.post_overhead * u64::from(n);
    let want = computed + each * u64::from(n);
    let last = (0..n).map(|i| completed(&all, 1, i).0).max().expect("there are receives");
    // Each completes a picosecond after its call or later.
    let off = last.0.abs_diff((Time::ZERO + want).0);
    assert!(off <= 2, "{last} for {want}");
    let (idle, _) = script(0).run::<PacketNetwork>(job);
    assert!(idle.time < outcome.time, "computation is not free");
}

/// A receiver handles two events of each rendezvous more than of an eager message, a sender one.
/// They occupy the CPUs, which compute meanwhile here. Data does not wait for them.
#[test]
fn events_of_a_rendezvous_occupy_the_cpus_of_both_ends_and_delay_no_data() {
    const EVENT: u64 = 300;
    let ends = |event_ns: u64, n: u32, bytes: u64, compute_ns: u64| {
        let mut job = job(&[0, 1]);
        job.library.rendezvous_event = Span::ns(event_ns);
        let posts = (0..n).map(|i| (1, i, 0, recv(0, 0)));
        // The first leaves when all receives have been posted.
        let sends = (0..n).map(|i| (0, i, if i == 0 { 500_000 } else { 0 }, send(1, 0, bytes)));
        let computes = (0..2).map(|rank| (rank, n, compute_ns, Op::Pause));
        let script = || Script::new(2, posts.clone().chain(sends.clone()).chain(computes.clone()));
        // The last message of each end, and the end of the sender's computation.
        let last = |all: Vec<(Time, OpCompletion)>| {
            let of = |rank| (0..n).map(|i| completed(&all, rank, i).0.0).max().expect("some");
            [of(0), of(1), completed(&all, 0, n).0.0]
        };
        [last(script().run::<PacketNetwork>(&job).1), last(script().run::<LogGpNetwork>(&job).1)]
    };
    let eager_max = job(&[0, 1]).library.eager_max;
    let runs = |n, bytes, compute_ns| {
        ends(EVENT, n, bytes, compute_ns).into_iter().zip(ends(0, n, bytes, compute_ns))
    };
    for (with, without) in runs(20, eager_max + 1, 4_000_000) {
        // The sender computes longer than its messages take. Without events no CPU is needed.
        assert!(without[0] < without[2]);
        let sender = with[0] - without[2];
        assert!(sender.abs_diff(Span::ns(20 * EVENT).0) <= 2, "{}", Span(sender));
        assert_eq!(Span(with[1] - without[1]), Span::ns(2 * 20 * EVENT));
    }
    for (with, without) in runs(20, eager_max, 4_000_000) {
        assert_eq!(with, without, "eager messages");
    }
    for (with, without) in runs(1, eager_max + 1, 0) {
        let sender = with[0] - without[0]; // a completion may be a picosecond late
        assert!(sender.abs_diff(Span::ns(EVENT).0) <= 1, "{}", Span(sender));
        assert_eq!(with[1], without[1], "the receiver waits for data");
    }
}

/// With `shared_memory = false` ranks of a node exchange messages through their NICs, in the time
/// and with the protocols of messages between nodes.
#[test]
fn without_shared_memory_ranks_of_a_node_use_their_nics() {
    let nics = |job: &mut Job| {
        let first = job.placements[0].nic;
        for (rank, placement) in job.placements.iter_mut().enumerate() {
            placement.nic = NicId(first.0 + rank as u32);
        }
    };
    let mut job = job(&[0, 0]);
    nics(&mut job);
    let eager_max = job.library.eager_max;
    for bytes in [8, 4096, eager_max, eager_max + 1, 1 << 20] {
        let received = |job: &Job| {
            let script = || Script::new(2, [(0, 0, 0, send(1, 7, bytes)), (1, 0, 0, recv(0, 7))]);
            let packet = completed(&script().run::<PacketNetwork>(job).1, 1, 0).0;
            [packet, completed(&script().run::<LogGpNetwork>(job).1, 1, 0).0]
        };
        job.library.shared_memory = false;
        let want = Time::ZERO + formula(&job, bytes);
        for at in received(&job) {
            let off = at.0.abs_diff(want.0);
            assert!(off <= 8, "{bytes} B: {at} for {want}, {off} ps off");
        }
        job.library.shared_memory = true;
        for at in received(&job) {
            assert!(at.0.abs_diff(want.0) > 100_000, "{bytes} B through memory: {at}");
        }
    }
}

/// The program waits for a sleep: it counts in the run's time, in parallel to the CPU.
#[test]
fn a_delay_lasts_beside_the_cpu_and_lengthens_the_run() {
    let job = job(&[0]);
    let delay = Op::Delay { span: Span::us(500) };
    let script = Script::new(1, [(0, 0, 1_000, delay), (0, 1, 1_000, Op::Pause)]);
    let (outcome, all) = script.run::<PacketNetwork>(&job);
    assert_eq!(outcome.end, End::Finished);
    // No call completes at its own instant: a picosecond later at the earliest.
    assert_eq!(completed(&all, 0, 1).0, Time::ZERO + Span::us(2) + Span(1));
    assert_eq!(completed(&all, 0, 0).0, Time::ZERO + Span::us(501));
    assert_eq!(outcome.time, Time::ZERO + Span::us(501));
}

/// A workload whose ranks make further calls only when no other event is pending.
struct Late {
    left: u32,
    out: bool,
    stalled_at: Vec<Time>,
}

impl Workload for Late {
    fn ranks(&self) -> u32 {
        1
    }
    fn members(&self, _: u32, _: Context) -> &[u32] {
        &[0]
    }
    fn start(&mut self, calls: &mut Vec<Call>) {
        self.out = true;
        calls.push(Call { rank: 0, token: 0, after: Span::us(1), op: Op::Pause });
    }
    fn resume(&mut self, _: Time, _: &[OpCompletion], _: &mut Vec<Call>) {
        self.out = false;
    }
    fn stalled(&mut self, now: Time, calls: &mut Vec<Call>) {
        self.stalled_at.push(now);
        if self.left > 0 {
            self.left -= 1;
            self.out = true;
            calls.push(Call { rank: 0, token: 0, after: Span::us(1), op: Op::Pause });
        }
    }
    fn is_finished(&self) -> bool {
        !self.out && self.left == 0
    }
}

#[test]
fn calls_made_after_everything_else_are_honored() {
    let job = job(&[0]);
    let workload = Late { left: 3, out: false, stalled_at: Vec::new() };
    let mut world = World::<PacketNetwork, _>::new(&job, workload);
    let outcome = world.run(&mut |_| true);
    // Each call completes a picosecond after its computation.
    let after = |n: u64| Time(n * (Span::us(1).0 + 1));
    assert_eq!((outcome.end, outcome.time), (End::Finished, after(4)));
    // Called three times with further calls, and a fourth time without.
    let at: Vec<Time> = (1..=4).map(after).collect();
    assert_eq!(world.workload.stalled_at, at);
}

/// Eager data uses one path if switches keep flows. Fetched rendezvous data, puts and gets spread
/// over the global links between two groups, of which this machine has twenty.
#[test]
fn envelopes_and_eager_data_are_in_order_and_bulk_data_is_not() {
    let crossed = |flows: &str, op: Op| {
        let machine = crate::common::machine("lumi-g", &[("switch.flows", flows)]);
        let job = job_on(machine, "mpich", &[0, 2_000]);
        let mut calls = vec![(1, 0, 0, recv(0, 7))];
        calls.truncate(usize::from(matches!(op, Op::Send { .. })));
        calls.push((0, 0, 0, op));
        let (outcome, _) = Script::new(2, calls).run::<PacketNetwork>(&job);
        assert_eq!(outcome.end, End::Finished);
        // Outward and return path.
        let group = |rank: usize| job.machine.group_of(job.placements[rank].nic);
        [(group(0), group(1)), (group(1), group(0))].map(|(from, to)| {
            let links = job.machine.global_links_between(from, to);
            links.iter().filter(|&&link| outcome.counters.links[link].packets > 0).count()
        })
    };
    let eager_max = job(&[0]).library.eager_max;
    assert!(eager_max >= 4 * 2048, "some packets");
    assert_eq!(crossed("kept", send(1, 7, eager_max)), [1, 0]);
    assert!(crossed("none", send(1, 7, eager_max))[0] > 1);
    let one_sided = |out, back| Op::OneSided {
        to: 1,
        context: WORLD,
        request_bytes: out,
        response_bytes: back,
        atomic: false,
    };
    for flows in ["kept", "none"] {
        assert!(crossed(flows, send(1, 7, 1 << 20))[0] > 5, "the data of a rendezvous");
        assert!(crossed(flows, one_sided(1 << 20, 0))[0] > 5, "a put");
        assert!(crossed(flows, one_sided(0, 1 << 20))[1] > 5, "a get");
    }
}
