//! The steps of RPCs, alone and with contention, on file systems with and without gateways.
//!
//! Times are those of the machine's parameters, as in docs/models/loggp.md. Nothing here calls the
//! network to compute an expectation.

use super::fixture::{PARAMS, REFUSED, SECOND_PORT};
use super::lnet::{HEADER, MAX_MESSAGE};
use super::{CallClass, Counted, FileSystemOutcome};
use crate::{End, Job, Outcome, RankPlacement, World};
use base::{Gap, Span, Time, below, draw};
use machine::{Machine, MachineSpec, NicId, NodeId};
use mpi::Library;
use net::NetworkModel;
use workload::{
    Call, CompletionStatus, Context, FileCall, FileCallKind as Kind, LayoutRequest, Op,
    OpCompletion, Workload, file_flag,
};

/// One switch. Rates are whole picoseconds per byte, so that sums are not rounded.
const MACHINE: &str = r#"
about = "one switch"
source = "arithmetic"
fabric = "generic"
routing = "minimal"
[groups.compute]
count = 1
switches = 1
global_ports = 0
nodes = 64
nics = 1
cpus = 1
[links.edge]
rate = "10 GB/s"
cable = "5 ns"
buffer = "64 KiB"
[links.local]
rate = "10 GB/s"
cable = "5 ns"
buffer = "64 KiB"
[links.global]
rate = "10 GB/s"
cable = "95 ns"
buffer = "64 KiB"
[switch]
ports = 70
latency = "350 ns"
[congestion]
management = "off"
[nic]
send_latency = "210 ns"
recv_latency = "190 ns"
immediate_max = "64 B"
dma_latency = "120 ns"
message_gap = "10 ns"
packet_payload = "2 KiB"
packet_overhead = "40 B"
window = 1024
[node]
cores = 16
shm_latency = "200 ns"
shm_rate = "8 GB/s"
memory_rate = "100 GB/s"
[local_storage]
rate = "1 TB/s"
node_rate = "10 GB/s"
latency = "100 us"
"#;

/// Two servers on the fabric.
const DIRECT: &str = r#"
[[storage]]
name = "scratch"
kind = "lustre"
mount = "/scratch"
group = "compute"
driver = "kfi"
mds = 1
mdts = 1
oss = 1
osts = 1
ost_read_rate = "1 GB/s"
ost_write_rate = "1 GB/s"
"#;

/// The same behind two gateways. Ports beyond are slower than links of the fabric.
const ROUTED: &str = r#"
gateways = 2
gateway_rate = "5 GB/s"
server_rate = "2 GB/s"
gateway_latency = "2 us"
"#;

const DAOS: &str = r#"
[[storage]]
name = "daos"
kind = "daos"
mount = "/daos"
group = "compute"
servers = 2
"#;

fn machine(storage: &[&str]) -> Machine {
    let text = [&[MACHINE], storage].concat().concat();
    MachineSpec::parse("storage", &text, &[]).and_then(|s| s.resolve()).expect("it is legal")
}

fn aurora() -> Machine {
    let text = machine::preset("aurora").expect("a preset");
    MachineSpec::parse("aurora", text, &[]).and_then(|s| s.resolve()).expect("presets are legal")
}

/// Ranks on the first nodes, `ppn` each.
fn job(machine: Machine, ranks: u32, ppn: u32) -> Job {
    let text = mpi::library::preset("mpich").expect("a preset");
    let library = Library::parse("mpich", text, &machine.fabric).expect("presets are legal");
    let placement = |rank: u32| {
        let node = NodeId(rank / ppn);
        RankPlacement { node, nic: NicId(machine.node_nics[node]), binding: Default::default() }
    };
    let placements = (0..ranks).map(placement).collect();
    Job::new(machine, library, placements, 1)
}

fn call(kind: Kind, file: u32, bytes: u64) -> FileCall {
    FileCall {
        kind,
        file_system: 0,
        flags: file_flag::EXISTS,
        file,
        parent: 0,
        other: 0,
        name: 0,
        offset: 0,
        bytes,
        size: bytes,
    }
}

/// Each rank makes its calls one after another. Completions are kept.
struct Script {
    world: Vec<u32>,
    calls: Vec<Vec<Op>>,
    next: Vec<usize>,
    completed: Vec<(Time, OpCompletion)>,
}

impl Script {
    fn new(calls: Vec<Vec<Op>>) -> Script {
        let ranks = calls.len();
        let world = (0..ranks as u32).collect();
        Script { world, next: vec![0; ranks], calls, completed: Vec::new() }
    }

    /// Submits the rank's calls up to the next that completes.
    fn submit(&mut self, rank: u32, calls: &mut Vec<Call>) {
        loop {
            let next = &mut self.next[rank as usize];
            let Some(op) = self.calls[rank as usize].get(*next) else { return };
            calls.push(Call { rank, token: *next as u32, after: Span::ZERO, op: op.clone() });
            *next += 1;
            if op.completes() {
                return;
            }
        }
    }
}

impl Workload for Script {
    fn ranks(&self) -> u32 {
        self.world.len() as u32
    }
    fn members(&self, _: u32, _: Context) -> &[u32] {
        &self.world
    }
    fn start(&mut self, calls: &mut Vec<Call>) {
        (0..self.ranks()).for_each(|rank| self.submit(rank, calls));
    }
    fn resume(&mut self, now: Time, done: &[OpCompletion], calls: &mut Vec<Call>) {
        self.completed.extend(done.iter().map(|&done| (now, done)));
        done.iter().for_each(|done| self.submit(done.rank, calls));
    }
    fn is_finished(&self) -> bool {
        let all: usize = self.calls.iter().flatten().filter(|op| op.completes()).count();
        self.completed.len() == all
    }
}

fn run<N: NetworkModel>(job: &Job, calls: Vec<Vec<Op>>) -> (Outcome, Vec<(Time, OpCompletion)>) {
    let mut world = World::<N, _>::new(job, Script::new(calls));
    world.file_systems.uses_fixture = true;
    let outcome = world.run(&mut |_| true);
    (outcome, world.workload.completed)
}

/// The same call by each of `ranks` ranks, of file `rank * step`.
fn same(ranks: u32, step: u32, kind: Kind, bytes: u64) -> Vec<Vec<Op>> {
    (0..ranks).map(|rank| vec![Op::File(call(kind, rank * step, bytes))]).collect()
}

/// From the command to the NIC until the receiver observes it: two links and a switch.
fn network(bytes: u64) -> Span {
    let dma = if bytes > 64 { 120_000 } else { 0 };
    let latency = 210_000 + dma + 2 * 5_000 + 350_000 + 190_000;
    Span(latency + wire(bytes))
}

/// Time of a message's packets on a link.
fn wire(bytes: u64) -> u64 {
    100 * (bytes + 40 * bytes.div_ceil(2048).max(1))
}

/// The rank's CPU reaches its first call 1 ps after the start, and a completion is 1 ps later than
/// the event that allows it.
const EDGES: Span = Span(2);

fn ends(done: &[(Time, OpCompletion)]) -> Vec<Span> {
    done.iter().map(|done| done.0 - Time::ZERO).collect()
}

fn only(outcome: &Outcome) -> &FileSystemOutcome {
    let [one] = &outcome.file_systems[..] else { panic!("one file system") };
    one
}

const REQUEST: u64 = PARAMS.request as u64 + HEADER;
const REPLY: u64 = PARAMS.reply as u64 + HEADER;

/// CPU, request, service and reply of a call without data.
fn unloaded() -> Span {
    PARAMS.before + network(REQUEST) + PARAMS.service + network(REPLY) + PARAMS.after
}

#[test]
fn a_call_without_data_is_a_request_and_a_reply() {
    fn check<N: NetworkModel>() {
        let job = job(machine(&[DIRECT]), 1, 1);
        let (outcome, done) = run::<N>(&job, same(1, 1, Kind::Stat, 0));
        assert_eq!(outcome.end, End::Finished);
        assert_eq!(ends(&done), [unloaded() + EDGES]);
        let host = &only(&outcome).hosts[0];
        assert_eq!((host.bytes_in, host.bytes_out, host.served), (REQUEST, REPLY, 1));
        assert_eq!(only(&outcome).operations[0], ("metadata".to_string(), 1));
    }
    check::<loggp::LogGpNetwork>();
    check::<packet::PacketNetwork>();
}

/// A write adds a message that fetches, the data, and the medium; a read adds the medium and the
/// data.
#[test]
fn data_move_in_lnet_messages() {
    fn check<N: NetworkModel>(slack: u64) {
        let bytes = 1 << 20;
        let data = bytes + HEADER;
        let medium = PARAMS.access + PARAMS.latency;
        let job = job(machine(&[DIRECT]), 1, 1);
        for (kind, fetch) in [(Kind::Write, network(HEADER)), (Kind::Read, Span::ZERO)] {
            let (outcome, done) = run::<N>(&job, same(1, 1, kind, bytes));
            let expected = unloaded() + fetch + network(data) + medium + EDGES;
            let found = ends(&done)[0];
            assert!(found >= expected && found.0 <= expected.0 + slack, "{found:?}, {expected:?}");
            let host = &only(&outcome).hosts[0];
            let moved = match kind {
                Kind::Write => (REQUEST + data, REPLY + HEADER),
                _ => (REQUEST, REPLY + data),
            };
            assert_eq!((host.bytes_in, host.bytes_out), moved);
            let media = &only(&outcome).media[0];
            let rates = &only(&outcome).rates;
            let sum = |counted: Counted| -> u64 {
                rates.bins.iter().map(|bin| bin[counted as usize]).sum()
            };
            let calls = [Counted::Read, Counted::Written].map(sum);
            let servers = [Counted::ReadFromServers, Counted::WrittenToServers].map(sum);
            let expected = if kind == Kind::Read { [bytes, 0] } else { [0, bytes] };
            assert_eq!((calls, servers), (expected, expected));
            assert_eq!([media.bytes_read, media.bytes_written], expected);
            let phase = only(&outcome).phases[0];
            assert_eq!((phase.totals.bytes, phase.totals.operations), (bytes, 1));
            assert_eq!(phase.end - phase.start, found - Span(1));
        }
        // Four messages of 1 MiB follow each other on the link of the sender.
        let (_, done) = run::<N>(&job, same(1, 1, Kind::Write, 4 * MAX_MESSAGE));
        let first = unloaded() + network(HEADER) + network(data) + medium + EDGES;
        let least = first + Span(3 * wire(data));
        let found = ends(&done)[0];
        assert!(found >= least && found < least + Span::us(1), "{found:?}, {least:?}");
    }
    check::<loggp::LogGpNetwork>(0);
    // The packet model adds the time of the last packet at the second link.
    check::<packet::PacketNetwork>(wire(2048));
}

/// DAOS moves the data of a call as a whole, without LNet's headers.
#[test]
fn daos_moves_data_as_a_whole() {
    let bytes = 4 << 20;
    let job = job(machine(&[DAOS]), 1, 1);
    let (outcome, _) = run::<loggp::LogGpNetwork>(&job, same(1, 1, Kind::Read, bytes));
    let host = &only(&outcome).hosts[0];
    let [request, reply] = [PARAMS.request, PARAMS.reply].map(u64::from);
    assert_eq!((host.bytes_in, host.bytes_out), (request, reply + bytes));
    assert!(only(&outcome).gateways.is_empty());
}

/// Requests that arrive at once are served in rounds of two threads, and their accesses of the
/// medium one after another.
#[test]
fn requests_wait_for_threads_and_for_the_medium() {
    const N: u32 = 6;
    let job = job(machine(&[DIRECT]), N, 1);
    let (outcome, done) = run::<loggp::LogGpNetwork>(&job, same(N, 2, Kind::Stat, 0));
    // Requests arrive one after another, as the link of the server delivers them.
    let gap = wire(REQUEST);
    let service = PARAMS.service.0;
    let mut free = [0; 2];
    let arrived = (0..N as u64).map(|nth| nth * gap);
    let served: Vec<u64> = arrived
        .map(|at| {
            let thread = free.iter_mut().min().expect("two threads");
            *thread = at.max(*thread) + service;
            *thread - service
        })
        .collect();
    let mut expected: Vec<Span> =
        served.iter().map(|&late| unloaded() + EDGES + Span(late)).collect();
    let mut found = ends(&done);
    found.sort_unstable();
    // Two replies at once follow each other on the link, and no two calls complete at once.
    expected.sort_unstable();
    for (found, expected) in found.iter().zip(&expected) {
        let late = found.0.checked_sub(expected.0).expect("not before");
        assert!(late <= wire(REPLY) + 10_000, "{found:?}, {expected:?}");
    }
    let host = &only(&outcome).hosts[0];
    // The host has two servers with two threads each, of which one is called.
    assert_eq!((host.served, host.threads, host.service), (u64::from(N), 4, PARAMS.service * 6));
    let waited: u64 = served.iter().zip(0..).map(|(&start, nth)| start - nth * gap).sum();
    assert_eq!(host.waiting.0, waited);

    let (outcome, done) = run::<loggp::LogGpNetwork>(&job, same(N, 2, Kind::Read, 8));
    let medium = only(&outcome).media[0];
    assert_eq!((medium.accesses, medium.busy), (u64::from(N), PARAMS.access * 6));
    let last = ends(&done).into_iter().max().expect("six calls");
    assert!(last > PARAMS.access * 6 + unloaded(), "{last:?}");
    assert!(
        only(&outcome).limit.starts_with("Limit: medium 0 was busy"),
        "{}",
        only(&outcome).limit
    );
}

/// Behind a gateway a message crosses the fabric, waits for two ports, and is stored in between.
#[test]
fn gateways_store_and_forward() {
    fn check<N: NetworkModel>(slack: u64) {
        let job = job(machine(&[DIRECT, ROUTED]), 1, 1);
        // 500 ps per byte: the server's port is the slower one.
        let hop = |bytes: u64| network(bytes) + Span::us(2) + Span(500 * bytes);
        let medium = PARAMS.access + PARAMS.latency;
        let call = hop(REQUEST) + PARAMS.service + hop(REPLY) + PARAMS.before + PARAMS.after;
        let (outcome, done) = run::<N>(&job, same(1, 1, Kind::Stat, 0));
        assert_eq!(ends(&done), [call + EDGES]);
        let gateways = &only(&outcome).gateways;
        // Messages of one interface take gateways in turn.
        let (out, back): (u64, u64) =
            gateways.iter().fold((0, 0), |sum, load| (sum.0 + load.1, sum.1 + load.2));
        assert_eq!((gateways.len(), out, back), (2, REQUEST, REPLY));

        let data = MAX_MESSAGE + HEADER;
        let (_, done) = run::<N>(&job, same(1, 1, Kind::Write, MAX_MESSAGE));
        let expected = call + hop(HEADER) + hop(data) + medium + EDGES;
        let found = ends(&done)[0];
        assert!(found >= expected && found.0 <= expected.0 + slack, "{found:?}, {expected:?}");
    }
    check::<loggp::LogGpNetwork>(0);
    check::<packet::PacketNetwork>(wire(2048));
}

/// With one stream of sockets per message the data take the stream's time.
#[test]
fn sockets_carry_data_at_the_rate_of_their_streams() {
    let socket = DIRECT.replace("kfi", "tcp");
    let job = job(machine(&[&socket]), 1, 1);
    let gap = Gap::from_bytes_per_s(4e9); // the default of `lnet_stream_rate`
    let (_, done) = run::<loggp::LogGpNetwork>(&job, same(1, 1, Kind::Read, MAX_MESSAGE));
    let data = gap.span(MAX_MESSAGE + HEADER);
    assert!(data > network(MAX_MESSAGE + HEADER), "the stream is slower than the link");
    let medium = PARAMS.access + PARAMS.latency;
    assert_eq!(ends(&done), [unloaded() + data + medium + EDGES]);
}

/// A message beyond the peer's credits leaves when an earlier one has been accepted.
#[test]
fn credits_limit_messages_in_flight() {
    // 32 messages of 1 MiB to one server, with 16 credits: the second half of the requests to
    // fetch waits, and no data is lost.
    let job = job(machine(&[DIRECT]), 1, 1);
    let (outcome, _) = run::<loggp::LogGpNetwork>(&job, same(1, 1, Kind::Write, 32 << 20));
    assert!(only(&outcome).credit_waiting > Span::ZERO);
    assert_eq!(only(&outcome).hosts[0].bytes_in, REQUEST + 32 * (MAX_MESSAGE + HEADER));
    let (outcome, _) = run::<loggp::LogGpNetwork>(&job, same(1, 1, Kind::Write, 16 << 20));
    assert_eq!(only(&outcome).credit_waiting, Span::ZERO);
}

/// The credits of the machine file limit requests for data in flight to one client.
#[test]
fn credits_are_those_of_the_machine_file() {
    for (credits, waits) in [("4", true), ("8", false)] {
        let storage = [DIRECT, "lnet_peer_credits = ", credits, "\n"].concat();
        let job = job(machine(&[&storage]), 1, 1);
        let (outcome, _) = run::<loggp::LogGpNetwork>(&job, same(1, 1, Kind::Write, 8 << 20));
        assert_eq!(only(&outcome).credit_waiting > Span::ZERO, waits, "{credits}");
    }
}

/// With one large buffer in all, data of two messages pass the gateways one after another: the
/// second holds its credit while it waits.
#[test]
fn buffers_of_gateways_are_those_of_the_machine_file() {
    for (buffers, waits) in [("1", true), ("4", false)] {
        let one = ROUTED.replace("gateways = 2", "gateways = 1");
        let storage = [DIRECT, &one, "gateway_large_buffers = ", buffers, "\n"].concat();
        let job = job(machine(&[&storage]), 1, 1);
        let (outcome, _) = run::<loggp::LogGpNetwork>(&job, same(1, 1, Kind::Write, 4 << 20));
        assert_eq!(outcome.end, End::Finished);
        assert_eq!(only(&outcome).buffer_waiting > Span::ZERO, waits, "{buffers}");
    }
}

/// Two servers of one host use different ports, so their data leave the host at twice the rate.
#[test]
fn hosts_beyond_gateways_have_several_ports() {
    let fast = ROUTED.replace("gateway_rate = \"5 GB/s\"", "gateway_rate = \"50 GB/s\"");
    let bytes = 4 << 20;
    let ends = ["1", "2"].map(|ports| {
        let storage = [DIRECT, &fast, "mds_ports = ", ports, "\n"].concat();
        let machine = machine(&[&storage]);
        assert_eq!(machine.file_systems[0].hosts[0].ports().to_string(), ports);
        let job = job(machine, 2, 1);
        let calls = same(2, SECOND_PORT, Kind::Read, bytes);
        let (outcome, _) = run::<loggp::LogGpNetwork>(&job, calls);
        let hosts = &only(&outcome).hosts;
        let used = hosts.iter().filter(|load| load.bytes_out > bytes).count();
        (used, outcome.time - Time::ZERO)
    });
    assert_eq!([ends[0].0, ends[1].0], [1, 2]);
    // 500 ps per byte and port.
    let data = 500 * bytes;
    assert!(ends[0].1.0 > 2 * data && ends[1].1.0 < data * 3 / 2, "{ends:?}");
}

/// A ceiling of 20 % of the class of storage makes a write five times longer than the link.
#[test]
fn messages_have_the_class_of_their_file_system() {
    const CEILING: &str = "[classes.bulk-data]\nceiling = 20\n";
    let bytes = 16u64 << 20;
    let times = [0, 1].map(|vnet| {
        let mut machine = machine(&[CEILING, DIRECT]);
        let find = |word| machine.classes.find("class", Some(word)).expect("known");
        let classes = [find("best-effort"), find("bulk-data")];
        machine.use_classes(&classes).expect("they fit");
        // Virtual networks have the order of classes.
        let vnet = machine.classes.vnet(classes[vnet]).expect("in use");
        let mut job = job(machine, 1, 1);
        job.storage_vnets = vec![vnet];
        run::<packet::PacketNetwork>(&job, same(1, 1, Kind::Write, bytes)).0.time - Time::ZERO
    });
    let link = wire(bytes);
    assert!(times[0].0 < link * 5 / 4, "{times:?}");
    assert!((link * 5..link * 11 / 2).contains(&times[1].0), "{times:?}");
}

#[test]
fn errors_and_notices_reach_their_call() {
    let job = job(machine(&[DIRECT]), 1, 1);
    let lookup = Op::Lookup { file_system: 0, parent: 0, file: 1 };
    let layout = Op::Layout { file_system: 0, request: Box::<LayoutRequest>::default() };
    let rename = Op::File(call(Kind::Rename, 1, 0));
    let calls = vec![lookup.clone(), lookup, layout, rename, Op::File(call(Kind::Stat, 1, 0))];
    let (outcome, done) = run::<loggp::LogGpNetwork>(&job, vec![calls]);
    let status: Vec<_> = done.iter().map(|done| done.1.status).collect();
    assert_eq!(status, [CompletionStatus::FileError(REFUSED), CompletionStatus::Success]);
    assert_eq!(only(&outcome).counters, [("noticed".to_string(), 3)]);
    let errors = only(&outcome).phases.iter().map(|phase| (phase.class, phase.totals.errors));
    let errors: Vec<_> = errors.collect();
    assert_eq!(errors, [(CallClass::Other, 1), (CallClass::Stat, 0)]);
}

/// A call that nothing completes is a deadlock that names it, and a call on a file system that the
/// machine does not have is an error.
#[test]
fn a_run_that_cannot_continue_names_the_call() {
    let job = job(machine(&[DIRECT]), 2, 1);
    let (outcome, _) = run::<loggp::LogGpNetwork>(&job, same(2, 1, Kind::Lock, 0));
    let End::Deadlock(blocked) = &outcome.end else { panic!("{:?}", outcome.end) };
    assert_eq!(blocked.iter().map(|b| b.rank).collect::<Vec<_>>(), [0, 1]);
    assert!(blocked[0].what.contains("lock") && blocked[0].what.contains("scratch"));
    let missing = FileCall { file_system: 1, ..call(Kind::Stat, 0, 0) };
    let (outcome, _) = run::<loggp::LogGpNetwork>(&job, vec![vec![Op::File(missing)], vec![]]);
    assert!(matches!(outcome.end, End::Erroneous(_)), "{:?}", outcome.end);
}

/// Random calls of many ranks: each completes, runs repeat, and calls that depend on each other
/// never complete at one instant.
#[test]
fn random_calls_complete_in_an_order_that_repeats() {
    const SEED: u64 = 20_261_128;
    let kinds = [Kind::Stat, Kind::Write, Kind::Read, Kind::Open, Kind::Sync, Kind::Unlink];
    let routed = [DIRECT, ROUTED].concat();
    let socket = routed.replace("kfi", "tcp");
    let worlds = [
        machine(&[DIRECT]),
        machine(&[&routed]),
        machine(&[&socket]),
        machine(&[DAOS]),
        machine(&[DAOS, &DIRECT.replace("kfi", "tcp")]),
        aurora(),
    ];
    for (world, machine) in (0u32..).zip(worlds) {
        let random = |rank: u32, nth: u64, of: u32| below(draw(SEED, world, rank, nth), of);
        let systems = machine.file_systems.len() as u32;
        let (ranks, ppn) = (24, 1 + world % 3);
        let script = |rank: u32| -> Vec<Op> {
            let one = |nth: u64| {
                let kind = kinds[random(rank, 8 * nth, 6) as usize];
                let bytes = 1 << random(rank, 8 * nth + 1, 24);
                let file = random(rank, 8 * nth + 2, 9);
                let file_system = random(rank, 8 * nth + 3, systems) as u8;
                Op::File(FileCall { file_system, ..call(kind, file, bytes) })
            };
            (0..12).map(one).collect()
        };
        let calls: Vec<Vec<Op>> = (0..ranks).map(script).collect();
        let job = job(machine, ranks, ppn);
        let runs = [(); 2].map(|()| run::<packet::PacketNetwork>(&job, calls.clone()));
        let [(outcome, done), (again, _)] = &runs;
        assert_eq!(outcome.end, End::Finished, "world {world}, seed {SEED}");
        assert_eq!((outcome.digest, outcome.time), (again.digest, again.time));
        assert_eq!(done.len(), 12 * ranks as usize, "world {world}, seed {SEED}");
        let of = |done: &OpCompletion| match calls[done.rank as usize][done.token as usize] {
            Op::File(call) => call,
            _ => unreachable!("only calls on files"),
        };
        for pair in done.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            let [a, b] = [of(&pair[0].1), of(&pair[1].1)];
            let is_data = |c: &FileCall| matches!(c.kind, Kind::Read | Kind::Write);
            let may =
                a.file_system != b.file_system || is_data(&a) && is_data(&b) && a.file != b.file;
            assert!(may, "world {world}, seed {SEED}: {a:?} and {b:?} at {:?}", pair[0].0);
        }
        let phases = outcome.file_systems.iter().flat_map(|system| &system.phases);
        let operations: u64 = phases.map(|phase| phase.totals.operations).sum();
        assert_eq!(operations, 12 * u64::from(ranks));
    }
}
