//! The window engine gives MPI programs the results of the event engine, on any number of threads:
//! random programs on random machines, and programs on `aurora`.
//!
//! 20 random worlds by default; `ODONATA_STORM` sets another number. A failure prints its seed:
//! `ODONATA_SEED=N` runs that case alone.

use base::{Span, Time, below, draw};
use collectives::{Collective, Kind, Member};
use machine::{Machine, MachineSpec, NicId, NodeId};
use mpi::Library;
use net::{Completion, Message, NetworkModel};
use packet::PacketNetwork;
use sim::traffic::Destinations;
use sim::{Background, Buffers, Component, Context, End, EndpointEvent, Engine, EngineChoice, Job};
use sim::{Outcome, RankPlacement, World};
use workload::{Op, SendMode, Step, Streams, WORLD};

/// Random choices of one case, by subject.
struct Choices {
    seed: u64,
}

impl Choices {
    fn of(&self, about: u32, n: u32) -> u32 {
        below(draw(self.seed, 0x6d70_6977, about, 0), n)
    }
    fn one<'a, T: ?Sized>(&self, about: u32, among: &[&'a T]) -> &'a T {
        among[self.of(about, among.len() as u32) as usize]
    }
    fn once_in(&self, about: u32, n: u32) -> bool {
        self.of(about, n) == 0
    }
}

fn machine(choices: &Choices) -> (Machine, String) {
    let mut set: Vec<(&str, String)> = Vec::new();
    let mut put = |key, value: String| set.push((key, value));
    put("groups.compute.count", (1 + choices.of(0, 4)).to_string());
    put("groups.compute.switches", (1 + choices.of(1, 3)).to_string());
    put("groups.compute.nodes", (4 * (1 + choices.of(1, 3))).to_string());
    put("groups.compute.nics", (1 + choices.of(2, 2)).to_string());
    put("groups.compute.cpus", "2".into());
    put("groups.compute.global_ports", "40".into());
    put("global.links.compute.compute", (1 + choices.of(3, 3)).to_string());
    put("switch.ports", "200".into());
    put("routing", choices.one(4, &["minimal", "ugal", "valiant"]).into());
    put("switch.arbitration", choices.one(5, &["round-robin", "age"]).into());
    put("nic.packet_payload", choices.one(6, &["256 B", "512 B", "2048 B"]).into());
    put("nic.packet_overhead", choices.one(7, &["0 B", "84 B"]).into());
    // Round latencies and no gaps, so that many events have equal times.
    put("switch.latency", "40 ns".into());
    for key in ["links.edge.cable", "links.local.cable", "links.global.cable"] {
        put(key, "10 ns".into());
    }
    put("switch.credit_epoch", choices.one(8, &["50 ns", "25 ns", "10 ns"]).into());
    put("nic.recv_latency", choices.one(9, &["50 ns", "70 ns"]).into());
    put("nic.send_latency", choices.one(10, &["0 ns", "10 ns", "50 ns"]).into());
    put("nic.message_gap", choices.one(11, &["0 ns", "0 ns", "7 ns"]).into());
    put("nic.window", choices.one(12, &["4", "64", "1024"]).into());
    if choices.once_in(13, 2) {
        put("nic.host_rate", "15 GB/s".into());
    }
    if choices.once_in(14, 2) {
        put("nic.host_rate_one_way", "7 GB/s".into());
    }
    put("switch.flows", choices.one(15, &["kept", "none"]).into());
    put("congestion.management", choices.one(16, &["on", "off"]).into());
    put("congestion.threshold", choices.one(17, &["2200 B", "8 KiB"]).into());
    put("classes.profile", choices.one(18, &["hpc", "ll-be-bd-et"]).into());
    let settings = set.iter().map(|(k, v)| format!("{k}={v}")).collect::<Vec<_>>().join(" ");
    let text = machine::preset("dragonfly-1056").expect("a preset");
    let set: Vec<_> = set.into_iter().map(|(k, v)| (k.to_string(), v)).collect();
    let machine = MachineSpec::parse("dragonfly-1056", text, &set).and_then(|s| s.resolve());
    (machine.unwrap_or_else(|wrong| panic!("{settings}: {wrong:?}")), settings)
}

fn library(name: &str, machine: &Machine) -> Library {
    let text = mpi::library::preset(name).expect("a preset");
    Library::parse(name, text, &machine.fabric).expect("presets are legal")
}

/// A collective call of all ranks.
fn collective(kind: Kind, nth: u32, size: u32, bytes: u64) -> impl Fn(u32) -> Op {
    let all = kind.algorithms();
    let algorithm = all[nth as usize % all.len()];
    move |rank| {
        let member = Member { rank, size };
        let (root, grain, ragged, nodes) = (0, 8, None, None);
        let call = Collective { kind, algorithm, member, root, bytes, grain, ragged, nodes };
        Op::Collective { context: WORLD, call }
    }
}

/// Rounds of random messages, collectives and computation. Ranks wait at the end of each round.
fn program(choices: &Choices, ranks: u32, has_puts: bool) -> Vec<Vec<Step>> {
    let mut steps = vec![Vec::new(); ranks as usize];
    let rounds = 2 + choices.of(30, 4);
    for round in 0..rounds {
        let of = |about: u32, nth: u32, n: u32| {
            below(draw(choices.seed, 0x726f_756e + about, round, u64::from(nth)), n)
        };
        if of(0, 0, 4) == 0 {
            let kinds = [Kind::Alltoall, Kind::Allreduce, Kind::Bcast, Kind::Allgather];
            let kind = kinds[of(1, 0, 4) as usize];
            let call = collective(kind, of(2, 0, 8), ranks, [8, 700, 3_000][of(3, 0, 3) as usize]);
            (0..ranks).for_each(|rank| steps[rank as usize].push(Step::Do(call(rank))));
        } else {
            let receiver = (of(4, 0, 3) == 0).then(|| of(5, 0, ranks));
            for nth in 0..4 + of(6, 0, 3 * ranks) {
                let from = of(7, nth, ranks);
                let to = receiver.unwrap_or_else(|| of(8, nth, ranks));
                if from == to {
                    continue;
                }
                // The longest by rendezvous.
                let bytes = [0, 8, 512, 3_000, 9_000, 70_000][of(9, nth, 6) as usize];
                let after = [0, 0, 0, 10, 100, 5_000][of(10, nth, 6) as usize];
                let own = &mut steps[from as usize];
                own.push(Step::Compute(Span::ns(after)));
                let (context, tag, mode) = (WORLD, nth as i32, SendMode::Standard);
                if has_puts && of(11, nth, 10) == 0 {
                    let (request_bytes, response_bytes, atomic) = (bytes, 8, false);
                    let op = Op::OneSided { to, context, request_bytes, response_bytes, atomic };
                    own.push(Step::Do(op));
                    continue;
                }
                own.push(Step::Do(Op::Send { to, context, tag, bytes, mode }));
                steps[to as usize].push(Step::Do(Op::Recv { from, context, tag, bytes }));
            }
        }
        for own in &mut steps {
            own.extend([Step::Wait, Step::Mark]);
        }
    }
    steps
}

fn run(job: &Job, steps: &[Vec<Step>], engine: EngineChoice) -> (Outcome, Vec<Vec<Time>>) {
    let job = Job { engine, ..job.clone() };
    let mut world = World::<PacketNetwork, _>::new(&job, Streams::new(steps.iter().cloned()));
    let outcome = world.run(&mut |_| true);
    (outcome, world.workload.marks.clone())
}

/// Compares everything but the cost of the engine. It may have other events: a port that waits for
/// credits may get them one by one.
fn assert_same(one: &(Outcome, Vec<Vec<Time>>), two: &(Outcome, Vec<Vec<Time>>), case: &str) {
    assert_eq!(one.1, two.1, "{case}: times");
    let comparable = |outcome: &Outcome| {
        let engine = Engine { events: 0, bytes: 0, used: None, threads: None, ..outcome.engine };
        Outcome { engine, ..outcome.clone() }
    };
    let (a, b) = (comparable(&one.0), comparable(&two.0));
    assert_eq!(a.counters, b.counters, "{case}: counters");
    assert_eq!(a, b, "{case}");
}

/// What one random world has covered.
struct Covered {
    packets: u64,
    /// Windows alone simulated it.
    in_windows: bool,
    /// `auto` changed the engine: on one thread, and on several.
    changed: bool,
    changed_in_shards: bool,
    /// Maximum number of threads.
    threads: usize,
}

fn run_world(seed: u64) -> Covered {
    let choices = &Choices { seed };
    let (mut machine, settings) = machine(choices);
    let n_nodes = machine.node_nics.len() as u32 - 1;
    let ppn = 1 + choices.of(20, 4);
    let ranks = (2 + choices.of(21, 2 * n_nodes)).min(ppn * n_nodes);
    let is_shared = choices.once_in(22, 3);
    let found: Vec<usize> = ["low-latency", "best-effort"][usize::from(!is_shared)..]
        .iter()
        .map(|name| machine.classes.find("class", Some(name)).expect("a known class"))
        .collect();
    machine.use_classes(&found).unwrap_or_else(|wrong| panic!("{settings}: {wrong}"));
    let vnets: Vec<u8> =
        found.iter().map(|&class| machine.classes.vnet(class).expect("in use")).collect();
    let placement = |rank: u32| {
        let node = NodeId(rank / ppn);
        let nics = machine.node_nics[node]..machine.node_nics[NodeId(node.0 + 1)];
        let nic = NicId(nics.start + rank % nics.len() as u32);
        RankPlacement { node, nic, binding: Default::default() }
    };
    let placements: Vec<RankPlacement> = (0..ranks).map(placement).collect();
    let library = library(choices.one(23, &["mpich", "cray-mpich"]), &machine);
    let last = placements.last().expect("two ranks or more").nic.0;
    let others: Vec<NicId> = (last + 1..machine.n_nics()).map(NicId).collect();
    let mut job = Job::new(machine, library, placements, seed);
    job.limits = sim::LimitPolicy::Off;
    job.vnets = vec![vnets[0]];
    if choices.once_in(24, 3) && others.len() > 3 {
        let pattern = choices.one(25, &["uniform", "incast:2"]);
        job.background = vec![Background {
            to: Destinations::between(pattern, &job.machine, others, seed).expect("a pattern"),
            pattern: pattern.into(),
            load: [0.1, 0.4][choices.of(26, 2) as usize],
            bytes: [200, 900][choices.of(27, 2) as usize],
            vnet: *vnets.last().expect("one or two"),
        }];
        job.warmup = Span::ns(500);
    }
    let has_puts = choices.once_in(29, 4);
    let case = format!("ODONATA_SEED={seed}: {ranks} ranks, {ppn} per node, {settings}");
    let steps = program(choices, ranks, has_puts);
    let events = run(&job, &steps, EngineChoice::Event);
    assert!(matches!(events.0.end, End::Finished), "{case}: {:?}", events.0.end);
    let windows = run(&job, &steps, EngineChoice::Window);
    let used = windows.0.engine.used.expect("packets have engines");
    assert!(used.uses_windows || has_puts, "{case}: {}", used.reason);
    assert_same(&events, &windows, &case);
    // With changes between the engines: of event rates around the average.
    let windows_in_run = (events.0.time.0 / job.machine.credit_epoch.expect("set").0).max(1);
    job.many_events = (events.0.engine.events / windows_in_run).max(2);
    let both = run(&job, &steps, EngineChoice::Auto);
    assert_same(&events, &both, &format!("{case}, auto"));
    let has_changed = |outcome: &Outcome| outcome.engine.used.is_some_and(|used| used.changes > 0);
    let mut covered = Covered {
        packets: events.0.engine.packets,
        in_windows: used.name() == "window",
        changed: has_changed(&both.0),
        changed_in_shards: false,
        threads: 1,
    };
    let threads = 2 + choices.of(31, 3) as usize;
    job.threads = threads;
    // In all windows, or after those with more events than the average.
    job.shared_events = [0, job.many_events][choices.of(32, 2) as usize];
    let case = format!("{case}, {threads} threads from {} events on", job.shared_events);
    let windows = run(&job, &steps, EngineChoice::Window);
    assert_same(&events, &windows, &case);
    let used = windows.0.engine.threads.expect("several are requested");
    assert!((used.used == threads) == used.reason.is_none(), "{case}: {used:?}");
    let both = run(&job, &steps, EngineChoice::Auto);
    assert_same(&events, &both, &format!("{case}, auto"));
    covered.threads = used.used;
    covered.changed_in_shards = used.used > 1 && has_changed(&both.0);
    covered
}

#[test]
fn random_worlds_have_equal_results_by_both_engines() {
    if let Some(seed) = number("ODONATA_SEED") {
        run_world(seed);
        return;
    }
    let cases = number("ODONATA_STORM").unwrap_or(20);
    let all: Vec<Covered> = (0..cases).map(run_world).collect();
    let count = |is_so: fn(&Covered) -> bool| all.iter().filter(|one| is_so(one)).count() as u64;
    let packets: u64 = all.iter().map(|one| one.packets).sum();
    let (in_windows, with_change) = (count(|one| one.in_windows), count(|one| one.changed));
    let (in_shards, of_shards) = (count(|one| one.threads > 1), count(|one| one.changed_in_shards));
    println!(
        "{cases} cases, {packets} packets, {in_windows} in windows, {with_change} with changes, \
         {in_shards} on several threads, {of_shards} of these with changes"
    );
    assert!(packets > 100 * cases && 2 * in_windows > cases, "{packets}, {in_windows}: too few");
    assert!(4 * with_change > cases, "{with_change} with changes: too few");
    assert!(2 * in_shards > cases && 5 * of_shards > cases, "{in_shards}, {of_shards}: too few");
}

/// Two ranks per node of `aurora`: a ring with messages by rendezvous, and an all-to-all.
#[test]
fn programs_on_aurora_have_equal_results_by_both_engines() {
    let text = machine::preset("aurora").expect("a preset");
    let set = [("switch.credit_epoch".to_string(), "350 ns".to_string())];
    let machine = MachineSpec::parse("aurora", text, &set).and_then(|s| s.resolve());
    let machine = machine.expect("a legal machine");
    const RANKS: u32 = 96;
    let placement = |rank: u32| {
        let node = NodeId(rank / 2 * 30);
        let nic = NicId(machine.node_nics[node] + rank % 2);
        RankPlacement { node, nic, binding: Default::default() }
    };
    let placements = (0..RANKS).map(placement).collect();
    let library = library("mpich", &machine);
    let mut job = Job::new(machine.clone(), library, placements, 1);
    job.shared_events = 0;
    let (context, mode) = (WORLD, SendMode::Standard);
    let ring = |rank: u32| {
        let (to, from) = ((rank + 1) % RANKS, (rank + RANKS - 1) % RANKS);
        let each = [8, 100_000].into_iter().zip(0..).flat_map(move |(bytes, tag)| {
            [
                Step::Do(Op::Send { to, context, tag, bytes, mode }),
                Step::Do(Op::Recv { from, context, tag, bytes }),
                Step::Wait,
                Step::Mark,
            ]
        });
        each.collect::<Vec<_>>()
    };
    let call = collective(Kind::Alltoall, 0, RANKS, 1_024);
    let all_to_all = |rank| vec![Step::Do(call(rank)), Step::Wait, Step::Mark];
    let rings: Vec<_> = (0..RANKS).map(ring).collect();
    let all_to_alls: Vec<_> = (0..RANKS).map(all_to_all).collect();
    for (what, steps) in [("ring", rings), ("all-to-all", all_to_alls)] {
        for buffers in [Buffers::Host, Buffers::Gpu] {
            job.put_buffers(buffers);
            let events = run(&job, &steps, EngineChoice::Event);
            for threads in 1..=4 {
                job.threads = threads;
                let windows = run(&job, &steps, EngineChoice::Window);
                assert_eq!(windows.0.engine.used.map(|used| used.name()), Some("window"));
                assert_same(&events, &windows, &format!("{what}, {buffers:?}, {threads} threads"));
                let used = windows.0.engine.threads.map_or(1, |threads| threads.used);
                assert_eq!(used, threads, "{what}");
            }
        }
    }
}

/// The reason names what the run lacks for all of its threads.
#[test]
fn fewer_threads_have_a_reason() {
    let set = |more: &[(&str, &str)]| {
        let text = machine::preset("dragonfly-1056").expect("a preset");
        let all = [("switch.credit_epoch", "10 ns"), ("nic.recv_latency", "50 ns")];
        let set: Vec<_> = all.iter().chain(more).map(|&(k, v)| (k.into(), v.into())).collect();
        MachineSpec::parse("dragonfly-1056", text, &set).and_then(|s| s.resolve()).expect("legal")
    };
    let used = |machine: &Machine, nodes: &[u32], engine: EngineChoice, shared_events: u64| {
        let placement = |&node: &u32| {
            let node = NodeId(node);
            let nic = NicId(machine.node_nics[node]);
            RankPlacement { node, nic, binding: Default::default() }
        };
        let placements: Vec<_> = nodes.iter().map(placement).collect();
        let call = collective(Kind::Alltoall, 0, nodes.len() as u32, 9_000);
        let steps: Vec<_> = (0..nodes.len() as u32)
            .map(|rank| vec![Step::Do(call(rank)), Step::Wait, Step::Mark])
            .collect();
        let mut job = Job::new(machine.clone(), library("mpich", machine), placements, 1);
        (job.threads, job.shared_events) = (3, shared_events);
        run(&job, &steps, engine).0.engine.threads.expect("three are requested")
    };
    let per_group = 32;
    let (window, far) = (EngineChoice::Window, &[0, per_group, 2 * per_group][..]);
    let hasty = set(&[("nic.recv_latency", "9 ns")]);
    let minimal = set(&[("routing", "minimal")]);
    for (machine, nodes, engine, threads, reason) in [
        (&minimal, far, window, 3, None),
        (&minimal, &far[..2], window, 2, Some("no more groups have NICs of the jobs")),
        (&minimal, &[0, 1], window, 1, Some("the jobs use the NICs of one group")),
        (&minimal, far, EngineChoice::Event, 1, Some("the event engine uses one thread")),
        (&minimal, far, EngineChoice::Auto, 1, Some("few events occur per window")),
        (&hasty, far, window, 1, Some("switch.credit_epoch exceeds nic.recv_latency")),
        (
            &set(&[("routing", "ugal-g")]),
            far,
            window,
            1,
            Some("ugal-g uses the present loads of all links"),
        ),
    ] {
        let found = used(machine, nodes, engine, 0);
        assert_eq!((found.used, found.reason), (threads, reason));
    }
    // Windows with few events are simulated by one thread.
    let found = used(&minimal, far, window, 1_000);
    assert_eq!((found.used, found.reason), (1, Some("few events occur per window")));
}

/// Sends a message that the network refuses, from a NIC, at 1 us.
struct Breaker {
    from: NicId,
    to: NicId,
}

impl<N: NetworkModel> Component<N> for Breaker {
    fn endpoints(&self) -> u32 {
        1
    }
    fn start(&mut self, context: &mut Context<'_, '_, N>) {
        context.schedule(0, Time::ZERO + Span::us(1), 0);
    }
    fn handle(&mut self, context: &mut Context<'_, '_, N>, endpoint: u32, _: EndpointEvent) {
        // NICs of this machine send no responses.
        let completion = Completion::Initiator(8);
        context.send(endpoint, Message { completion, ..Message::new(self.from, self.to, 8, 1) });
    }
}

/// A panic of a shard, in the main thread or in another one, ends the run as a panic.
#[test]
fn a_panic_in_a_shard_ends_the_run() {
    let job = two_groups();
    let ends = [0, 1].map(|at| job.placements[at].nic);
    for [from, to] in [ends, [ends[1], ends[0]]] {
        let steps = exchanges();
        let ended = std::panic::catch_unwind(|| {
            let (streams, breaker) = (Streams::new(steps.iter().cloned()), Breaker { from, to });
            let mut world = World::<PacketNetwork, _, _>::with_component(&job, streams, breaker);
            world.run(&mut |_| true).end
        });
        assert!(ended.is_err(), "from {from:?}: {ended:?}");
    }
}

/// The caller can interrupt a run on several threads.
#[test]
fn a_run_in_shards_can_be_interrupted() {
    let job = two_groups();
    let streams = Streams::new(exchanges().iter().cloned());
    let mut world = World::<PacketNetwork, _>::new(&job, streams);
    let mut reports = 0;
    let outcome = world.run(&mut |_| {
        reports += 1;
        reports < 2
    });
    assert_eq!((outcome.end, reports), (End::Interrupted, 2));
    assert_eq!(outcome.engine.threads.map(|threads| threads.used), Some(2));
}

/// Two ranks in two groups, on two threads in all windows.
fn two_groups() -> Job {
    let text = machine::preset("dragonfly-1056").expect("a preset");
    let set = [("switch.credit_epoch".to_string(), "10 ns".to_string())];
    let machine = MachineSpec::parse("dragonfly-1056", text, &set).and_then(|s| s.resolve());
    let machine = machine.expect("a legal machine");
    let placement = |&node: &u32| {
        let (node, binding) = (NodeId(node), Default::default());
        RankPlacement { node, nic: NicId(machine.node_nics[node]), binding }
    };
    let placements = [0, 32].iter().map(placement).collect();
    let mut job = Job::new(machine.clone(), library("mpich", &machine), placements, 1);
    (job.threads, job.shared_events, job.engine) = (2, 0, EngineChoice::Window);
    job
}

/// Both ranks send 4 MB.
fn exchanges() -> [Vec<Step>; 2] {
    let (context, tag, bytes, mode) = (WORLD, 0, 4_000_000, SendMode::Standard);
    [1, 0].map(|other| {
        vec![
            Step::Do(Op::Send { to: other, context, tag, bytes, mode }),
            Step::Do(Op::Recv { from: other, context, tag, bytes }),
            Step::Wait,
        ]
    })
}

/// Without a credit epoch, or with one above the latency of a receive, the event engine is used.
#[test]
fn windows_need_late_observation() {
    for (epoch, recv, obstacle) in [
        (None, "50 ns", "the machine has no switch.credit_epoch"),
        (Some("10 ns"), "9 ns", "switch.credit_epoch exceeds nic.recv_latency"),
    ] {
        let text = machine::preset("dragonfly-1056").expect("a preset");
        let epoch = epoch.map(|epoch| ("switch.credit_epoch", epoch));
        let set = epoch.into_iter().chain([("nic.recv_latency", recv)]);
        let set: Vec<_> = set.map(|(key, value)| (key.to_string(), value.to_string())).collect();
        let machine = MachineSpec::parse("dragonfly-1056", text, &set).and_then(|s| s.resolve());
        assert_eq!(sim::window_obstacle(&machine.expect("a legal machine")), Some(obstacle));
    }
}

fn number(variable: &str) -> Option<u64> {
    let word = std::env::var(variable).ok()?;
    Some(word.parse().unwrap_or_else(|_| panic!("{variable} is a number, not {word}")))
}
