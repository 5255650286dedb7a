//! Random networks: any topology, policy, buffers, NICs, traffic and faults that a machine file
//! permits, run until the network is empty. The network's own assertions are enabled (this is no
//! release build), among them conservation and the bound on hops. This test adds conservation of
//! messages, and repeats every run in shards, which must change nothing.
//!
//! 200 cases by default, and a fifth as many with background traffic; `make storm` runs 10,000. A
//! failure prints its seed: `ODONATA_SEED=N` runs that case alone.

use base::{Span, Time, below, draw};
use machine::faults::FaultSchedule;
use machine::{Bias, Machine, NicId, Routing, RoutingBias};
use properties::{assert_same, buffers, env_number, offered_at, preset};
use sim::Background;
use sim::traffic::{
    Destinations, EngineChoice, Finish, LoadOutcome, TrafficRequest, TrafficSetting, check,
};

/// Random choices of one case, by subject.
struct Choices {
    seed: u64,
}

impl Choices {
    fn of(&self, about: u32, n: u32) -> u32 {
        below(draw(self.seed, 0x7374_6f72, about, 0), n)
    }
    fn one<'a, T: ?Sized>(&self, about: u32, among: &[&'a T]) -> &'a T {
        among[self.of(about, among.len() as u32) as usize]
    }
    /// True in one of `n` cases.
    fn once_in(&self, about: u32, n: u32) -> bool {
        self.of(about, n) == 0
    }
}

/// A random small machine, and the keys that define it.
fn machine(choices: &Choices) -> (Machine, String) {
    let routings: Vec<&str> = Routing::NAMES.iter().copied().filter(|w| *w != "adaptive").collect();
    let mut set: Vec<(&str, String)> = Vec::new();
    let mut put = |key, value: String| set.push((key, value));
    let groups = 1 + choices.of(0, 6);
    let chassis = 1 + choices.of(1, 3);
    let switches = chassis * (1 + choices.of(2, 3));
    put("groups.compute.count", groups.to_string());
    put("groups.compute.switches", switches.to_string());
    if chassis > 1 {
        put("groups.compute.chassis", chassis.to_string());
        put("groups.compute.chassis_links", (1 + choices.of(3, 2)).to_string());
    }
    put("groups.compute.local_links", (1 + choices.of(4, 2)).to_string());
    put("groups.compute.nodes", (switches * (1 + choices.of(5, 3))).to_string());
    put("groups.compute.nics", (1 + choices.of(6, 2)).to_string());
    put("groups.compute.global_ports", "40".into());
    put("global.links.compute.compute", (1 + choices.of(7, 3)).to_string());
    put("switch.ports", "200".into());
    put("routing", choices.one(8, &routings).into());
    put("switch.arbitration", choices.one(9, &["round-robin", "age"]).into());
    let payload = choices.one(10, &["64 B", "512 B", "2048 B"]);
    put("nic.packet_payload", payload.into());
    // From one or two packets per channel to more than a path can hold.
    let tight = choices.one(11, &["24 KiB", "48 KiB", "1 MiB"]);
    let rates = ["links.edge.rate", "links.local.rate", "links.global.rate"];
    for (about, key) in (12..).zip(rates) {
        put(key, choices.one(about, &["25 GB/s", "10 GB/s", "40 Gbit/s"]).into());
    }
    for (key, value) in buffers(tight) {
        put(key, value.into());
    }
    put("links.global.cable", choices.one(20, &["5 ns", "100 ns", "2 us"]).into());
    put("links.local.cable", choices.one(21, &["1 ns", "10 ns"]).into());
    put("nic.window", choices.one(22, &["1", "4", "64", "1024"]).into());
    let is_shared = choices.once_in(23, 3);
    if is_shared {
        put("nic.host_rate", "15 GB/s".into());
    }
    if choices.once_in(24, 3) {
        put("nic.host_rate_one_way", "10 GB/s".into());
    }
    let overhead = choices.one(29, &["0 B", "36 B", "84 B"]);
    put("nic.packet_overhead", overhead.into());
    if overhead != "0 B" && choices.once_in(25, 2) {
        put("nic.response", "12 B".into());
    } else {
        if is_shared {
            put("nic.multipacket_message", choices.one(36, &["0 ns", "20 ns", "300 ns"]).into());
        }
        put("switch.flows", choices.one(33, &["kept", "none"]).into());
    }
    put("congestion.management", choices.one(30, &["on", "off"]).into());
    put("congestion.threshold", choices.one(32, &["2200 B", "8 KiB", "32 KiB"]).into());
    put("nic.send_latency", choices.one(34, &["10 ns", "0 ns"]).into());
    put("nic.message_gap", choices.one(35, &["0 ns", "7 ns", "300 ns"]).into());
    put("classes.profile", choices.one(31, &["hpc", "ll-be-bd-et"]).into());
    put("retry.timeout", choices.one(26, &["12 us", "40 us"]).into());
    put("retry.limit", choices.one(27, &["0", "1", "4"]).into());
    put("retry.sweep", choices.one(28, &["0 ns", "2 us", "20 us"]).into());
    if choices.once_in(37, 2) {
        // A hop of the preset takes 6 ns or more.
        let mut epochs = vec!["2 ns", "6 ns"];
        if choices.once_in(39, 3) {
            put("switch.latency", "300 ns".into());
            epochs.push("299 ns");
        }
        put("switch.credit_epoch", choices.one(38, &epochs).into());
    }
    let settings = set.iter().map(|(k, v)| format!("{k}={v}")).collect::<Vec<_>>().join(" ");
    let set: Vec<_> = set.iter().map(|(key, value)| (*key, &value[..])).collect();
    (preset("dragonfly-1056", &set), settings)
}

/// Approximate limit of packets per case: packets of one byte without headers would be millions per
/// microsecond, and a few such cases of ten thousand would take minutes.
const MOST_PACKETS: f64 = 50_000.0;

/// Traffic that this machine permits.
fn request(choices: &Choices, machine: &Machine) -> TrafficRequest {
    let groups = machine.n_groups;
    let mut patterns = vec!["uniform", "random-permutation", "hotspot:1", "all-to-all", "shift:1"];
    if groups > 1 {
        patterns.extend(["adversarial:1", "worst-permutation"]);
    }
    let most = machine.nic.packet_payload;
    let packet_bytes = [1, most / 2, most][choices.of(42, 3) as usize];
    let load = [0.05, 0.4, 1.0, 2.0][choices.of(40, 4) as usize];
    let rate = machine.links.gap[machine.injection(NicId(0))].bytes_per_s() * load;
    let packets_per_s = rate / (packet_bytes + machine.nic.packet_overhead) as f64;
    let enough = MOST_PACKETS / f64::from(machine.n_nics()) / packets_per_s;
    TrafficRequest {
        pattern: choices.one(41, &patterns).into(),
        loads: vec![load],
        packet_bytes,
        warmup: Span::ns(200).min(Span::from_seconds(enough / 10.0)),
        window: Span::us(1 + u64::from(choices.of(43, 3))).min(Span::from_seconds(enough)),
        seed: choices.seed,
        threads: 1,
        engine: EngineChoice::Event,
    }
}

/// The machine, and whether its routing has a bias that changes.
fn with_bias_change(machine: Machine, at: Time) -> (Machine, bool) {
    let (most, none) = (Bias { shift: 3, add: 63 }, Bias { shift: 0, add: 0 });
    let scores = RoutingBias::Scores { minimal: none, nonminimal: most };
    let biases = [RoutingBias::Ugal(1 << 16), scores];
    let changed = biases.iter().find_map(|&bias| machine.clone().with_bias_change(at, bias).ok());
    changed.map_or((machine, false), |machine| (machine, true))
}

/// Prints the case if an assertion of the network panics, which does not know the case.
struct PrintOnPanic<'a>(&'a str);

impl Drop for PrintOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("{}", self.0);
        }
    }
}

/// One case.
#[derive(Default)]
struct Repeated {
    generated: u64,
    failed: u64,
    /// Whether both engines simulated it, and whether with faults or a change of biases.
    in_windows: bool,
    with_changes: bool,
}

fn run_world(seed: u64) -> Repeated {
    let choices = &Choices { seed };
    let (mut machine, settings) = machine(choices);
    if machine.n_nics() < 2 {
        return Repeated::default();
    }
    let is_faulty = choices.once_in(50, 3);
    if is_faulty {
        let schedule = FaultSchedule::random(&machine, seed, 1 + choices.of(51, 4), Span::us(3));
        machine =
            machine.with_faults(&schedule).unwrap_or_else(|c| panic!("{seed}: {settings}: {c:?}"));
    }
    let mut is_biased = false;
    if choices.once_in(53, 3) {
        let at = Time::ZERO + Span::ns(choices.of(54, 2_000).into());
        (machine, is_biased) = with_bias_change(machine, at);
    }
    let request = request(choices, &machine);
    let in_order = machine.keeps_flows && choices.once_in(52, 2);
    let case = format!(
        "ODONATA_SEED={seed}: faulty {is_faulty}, {} at {:?}, in order {in_order}, {settings}",
        request.pattern, request.loads
    );
    let place = TrafficSetting { in_order, ..TrafficSetting::default() };
    let _tells = PrintOnPanic(&case);
    let done = offered_at(&machine, &request, &place, Finish::Empty);
    let c = &done.counters;
    assert!(!done.interrupted, "{case}");
    // A message is one packet; a lost response is requested again without data.
    let (arrived, rest) = (c.delivered_payload / request.packet_bytes, c.delivered_payload);
    assert_eq!(rest % request.packet_bytes, 0, "{case}");
    assert_eq!(done.generated, arrived + c.failed_messages, "{case}");
    let repeated_requests = c.delivered_packets - arrived;
    assert!(
        repeated_requests == 0 || is_faulty && settings.contains("nic.response"),
        "{case}: {repeated_requests}"
    );
    if !is_faulty {
        assert_eq!(done.row.unfinished, 0, "{case}");
    }
    let threads = 2 + choices.of(60, 3) as usize;
    let request = TrafficRequest { threads, ..request };
    let again = offered_at(&machine, &request, &place, Finish::Empty);
    assert_same(&done, &again, &format!("{case}: {threads} threads"));
    let request = TrafficRequest { threads: [1, threads][choices.of(61, 2) as usize], ..request };
    let in_windows = repeat_in_windows(&machine, &request, &place, (&done, &case));
    Repeated {
        generated: done.generated,
        failed: c.failed_messages,
        in_windows,
        with_changes: in_windows && (is_faulty || is_biased),
    }
}

/// Runs a world again by the window engine, if that is possible. Returns whether it was.
fn repeat_in_windows(
    machine: &Machine,
    request: &TrafficRequest,
    place: &TrafficSetting,
    (done, case): (&LoadOutcome, &str),
) -> bool {
    let request = TrafficRequest { engine: EngineChoice::Window, ..request.clone() };
    if check(machine, &request, place).is_err() {
        return false;
    }
    let again = offered_at(machine, &request, place, Finish::Empty);
    assert!(again.engine.is_some_and(|engine| engine.uses_windows), "{case}");
    assert_same(done, &again, &format!("{case}: in windows on {} threads", request.threads));
    true
}

/// Progress of a long test.
fn report_progress(what: &str, done: u64, of: u64) {
    if of > 200 && done.is_multiple_of(of / 20) {
        println!("{done} of {of} {what}");
    }
}

#[test]
fn random_worlds_keep_all_invariants() {
    if let Some(seed) = env_number("ODONATA_SEED") {
        run_world(seed);
        return;
    }
    let cases = env_number("ODONATA_STORM").unwrap_or(200);
    let (mut packets, mut failed, mut empty) = (0, 0, 0);
    let (mut in_windows, mut with_changes) = (0, 0);
    for seed in 0..cases {
        let world = run_world(seed);
        report_progress("cases", seed + 1, cases);
        packets += world.generated;
        failed += world.failed;
        empty += u64::from(world.generated == 0);
        in_windows += u64::from(world.in_windows);
        with_changes += u64::from(world.with_changes);
    }
    println!("{cases} cases, {packets} packets, {failed} of them failed");
    assert!(packets > 500 * cases && failed > 0, "{packets} packets, {failed} failed: too few");
    assert!(empty * 10 < cases, "{empty} cases without a packet");
    println!("{in_windows} by both engines, {with_changes} of them with faults or new biases");
    assert!(in_windows * 10 > cases, "{in_windows} cases by both engines");
    assert!(with_changes * 20 > cases, "{with_changes} by both engines with changes");
}

/// A case with background traffic from every other NIC, in up to three traffic classes: times that
/// NICs became congested, and number of classes.
fn run_with_background(seed: u64) -> (u64, usize) {
    let choices = &Choices { seed };
    let (mut machine, settings) = machine(choices);
    let names = ["low-latency", "bulk-data", "best-effort"];
    let most = if machine.nic.response > 0 { 1 } else { names.len() as u32 };
    let names = &names[names.len() - 1 - choices.of(70, most) as usize..];
    let find = |name: &&str| machine.classes.find("class", Some(name)).expect("a known class");
    let found: Vec<usize> = names.iter().map(find).collect();
    machine.use_classes(&found).unwrap_or_else(|input_error| panic!("{settings}: {input_error}"));
    let vnet = |about| {
        let class = found[choices.of(about, found.len() as u32) as usize];
        machine.classes.vnet(class).expect("it is in use")
    };
    let nics = |odd| (0..machine.n_nics()).filter(|nic| nic % 2 == odd).map(NicId).collect();
    let others: Vec<NicId> = nics(1);
    if others.len() < 2 {
        return (0, 1);
    }
    let senders = 1 + choices.of(71, others.len() as u32 - 1);
    let background = |about, pattern: String| Background {
        to: Destinations::between(&pattern, &machine, others.clone(), seed).expect("a pattern"),
        pattern,
        load: [0.1, 0.5, 1.0][choices.of(about, 3) as usize],
        bytes: [1, 700, 9_000][choices.of(about + 1, 3) as usize],
        vnet: vnet(about + 2),
    };
    let background =
        vec![background(72, format!("incast:{senders}")), background(75, "uniform".into())];
    let place =
        TrafficSetting { nics: nics(0), background, vnet: vnet(78), ..TrafficSetting::default() };
    let patterns = ["uniform", "hotspot:1", "all-to-all"];
    let request =
        TrafficRequest { pattern: choices.one(79, &patterns).into(), ..request(choices, &machine) };
    let case = format!("ODONATA_SEED={seed}: {place:?}, {request:?}, {settings}");
    let _tells = PrintOnPanic(&case);
    let done = offered_at(&machine, &request, &place, Finish::Empty);
    assert!(!done.interrupted && done.row.unfinished == 0, "{case}");
    let threads = 2 + choices.of(60, 3) as usize;
    let request = TrafficRequest { threads, ..request };
    let again = offered_at(&machine, &request, &place, Finish::Empty);
    assert_same(&done, &again, &format!("{case}: {threads} threads"));
    repeat_in_windows(&machine, &request, &place, (&done, &case));
    (done.row.onsets, found.len())
}

#[test]
fn random_worlds_with_background_traffic_keep_all_invariants() {
    if let Some(seed) = env_number("ODONATA_SEED") {
        run_with_background(seed);
        return;
    }
    let (mut congested, mut shared) = (0, 0);
    let cases = env_number("ODONATA_STORM").unwrap_or(200) / 5;
    for seed in 0..cases {
        let (onsets, classes) = run_with_background(seed);
        report_progress("cases with background traffic", seed + 1, cases);
        congested += onsets;
        shared += usize::from(classes > 1);
    }
    println!("{congested} times congested, {shared} cases with several classes");
    assert!(
        congested > 10 && shared > 5,
        "{congested} times congested, {shared} with several classes"
    );
}
