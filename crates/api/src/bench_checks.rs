//! Checks of the options of a benchmark request. They return input errors for windows,
//! shifts, buffers and sizes that do not apply or are too large.

use super::bench_calls::call_across_nodes;
use super::vocabulary::BUFFERS;
use super::{BenchRequest, Fidelity, calls, shifts, unknown};
use crate::benchmarks::{
    Bench, BenchPlan, MAX_WINDOW, Measure, PUTS, SHIFTS, WINDOW, bypasses_mpi,
};
use crate::fabric_tests::FabricTest;
use base::{Gap, Span};
use collectives::{Algorithm, Collective, Kind};
use machine::InputError;
use sim::{Buffers, Job, RankPlacement};

/// The reason why error bars are not available, whether requested directly or by fidelity `auto`.
pub(super) fn no_bars(request: &BenchRequest, benchmark: Option<Bench>) -> Option<InputError> {
    let fidelity = &request.common.fidelity;
    let (at, found, expected) = if benchmark.is_some_and(|w| !matches!(w, Bench::Collective(_))) {
        let expected = "a collective for error bars: replicas exist for no other benchmark";
        ("benchmark", request.name.clone(), expected)
    } else if *fidelity == Fidelity::Packet.name() {
        let expected = "`loggp` or `flow` for error bars: packets are the reference";
        ("fidelity", fidelity.clone(), expected)
    } else if request.common.machine.faults.is_some() {
        let expected = "`packet` with faults: replicas would not have the faults";
        ("fidelity", fidelity.clone(), expected)
    } else if request.nodes < 4 {
        let expected = "at least 4 for error bars: a replica has 2 to half of them";
        ("nodes", request.nodes.to_string(), expected)
    } else {
        return None;
    };
    Some(InputError::new(at, found, expected))
}

/// Maximum number of steps in the programs of all ranks, for windows above the default.
const MOST_STEPS: u64 = 1 << 25;

/// `--window`, for benchmarks with a window.
pub(super) fn window(requested: Option<u32>, benchmark: Option<Bench>) -> Result<u32, InputError> {
    let Some(window) = requested else { return Ok(WINDOW) };
    let expected = if benchmark.is_some_and(|benchmark| benchmark.measure() != Measure::Bandwidth) {
        "no window for this benchmark: only bandwidth tests have one".into()
    } else if !(1..=MAX_WINDOW).contains(&window) {
        format!("a whole number from 1 to {MAX_WINDOW}")
    } else {
        return Ok(window);
    };
    Err(InputError::new("window", window.to_string(), expected))
}

/// `--shifts` among `ranks` ranks, for benchmarks with shifts.
pub(super) fn simulated_shifts(
    requested: Option<u32>,
    benchmark: Option<Bench>,
    ranks: u32,
) -> Result<u32, InputError> {
    let all = ranks.saturating_sub(1);
    let Some(shifts) = requested else { return Ok(SHIFTS.min(all)) };
    let least = (PUTS * shifts::LEAST_PARTS as u32).min(all);
    let expected = if benchmark.is_some_and(|benchmark| benchmark != Bench::PutAlltoall) {
        "no shifts for this benchmark: only `put_alltoall` has them".into()
    } else if !(least..=all).contains(&shifts) {
        format!("a whole number from {least} to {all}, all of {ranks} ranks")
    } else {
        return Ok(shifts);
    };
    Err(InputError::new("shifts", shifts.to_string(), expected))
}

/// `--buffers`, for benchmarks that support it.
pub(super) fn buffers(
    requested: Option<&str>,
    benchmark: Option<Bench>,
) -> Result<Buffers, InputError> {
    match (requested, benchmark) {
        (None | Some("host"), _) => Ok(Buffers::Host),
        (Some("gpu"), Some(benchmark)) if !benchmark.supports_gpu_buffers() => {
            let expected = "`host` for this benchmark, in which CPUs poll host memory";
            Err(InputError::new("buffers", "gpu", expected))
        }
        (Some("gpu"), _) => Ok(Buffers::Gpu),
        (Some(word), _) => Err(unknown("buffers", word, &BUFFERS)),
    }
}

/// An error if buffers are in GPU memory and a node of the job has no GPU in the machine file.
pub(super) fn missing_gpus(job: &Job) -> Option<InputError> {
    let machine = &job.machine;
    let has_none = |placement: &RankPlacement| machine.kind_of(placement.node).gpus == 0;
    if job.buffers == Buffers::Host {
        return None;
    }
    let why = if job.placements.iter().any(has_none) {
        "have no GPUs"
    } else if machine.node.gpu.is_none() {
        "have GPUs, but its machine file does not say `node.gpu_rate`"
    } else {
        return None;
    };
    let expected = format!("`host`: nodes of `{}` {why}", machine.name);
    Some(InputError::new("buffers", "gpu", expected))
}

/// An error for a size whose packets or time could overflow. Packets: if every rank has a block,
/// one message may carry all blocks. Time: the windows of all ranks, one message after the other
/// over the slowest link, must fit a `Time`, 213 days.
pub(super) fn too_large(
    job: &Job,
    benchmark: Bench,
    window: u32,
    sizes: &[u64],
) -> Option<InputError> {
    let machine = &job.machine;
    let slowest = machine.links.gap.raw.iter().max().copied().unwrap_or_default();
    let node = &machine.node;
    let slowest = slowest.max(node.shm_gap).max(node.far_gap).max(node.memory_gap);
    let gpu = node.gpu.as_ref();
    let gpu = gpu.map(|p| [p.gap, p.link_gap, p.tile_gap, p.nic_gap, job.library.gpu.ipc_gap]);
    let slowest = gpu.into_iter().flatten().fold(slowest, Gap::max).max(job.library.packing.gap());
    let share = Gap(slowest.0.saturating_mul(job.placements.len() as u64 * u64::from(window) * 4));
    use Kind as K;
    let blocks = match benchmark {
        Bench::Collective(K::Bcast | K::Reduce | K::Allreduce | K::ReduceScatter) => 1,
        Bench::Collective(K::Barrier | K::Scan | K::Exscan) => 1,
        Bench::Collective(_) | Bench::FabricTest(_) => job.placements.len() as u64,
        _ => 1,
    };
    // `MOST_STEPS` steps take a few gigabytes. Bandwidth tests have up to nine iterations.
    let steps = job.placements.len() as u64 * 9 * u64::from(window);
    if window > WINDOW && steps > MOST_STEPS {
        let most = (MOST_STEPS / 9 / job.placements.len() as u64).max(WINDOW.into());
        let expected = format!("at most {most} for {} ranks", job.placements.len());
        return Some(InputError::new("window", window.to_string(), expected));
    }
    let fits = |bytes: u64| {
        let packets = bytes.saturating_mul(blocks).div_ceil(machine.nic.packet_payload);
        packets < 1 << 31 && share.span(bytes) < Span(1 << 62)
    };
    let bytes = sizes.iter().copied().find(|&bytes| !fits(bytes))?;
    let expected = "a size that ends within 50 days, in fewer than 2^31 packets";
    Some(InputError::new("sizes", bytes.to_string(), expected))
}

/// Seconds of wall time that a benchmark of one size may take with the default message budget, by
/// the rates below. A larger budget allows proportionally more.
const LONGEST_S: f64 = 60.0;

/// Messages per second of wall time in closed form [estimate], on 9,658 nodes of Aurora.
///
/// - Collectives: 1.5 to 3 million, in rings and exchanges of 6,000 to 10,000 ranks.
/// - Windows of sends: 320,000 to 480,000 with the eager protocol, 250,000 with rendezvous. Windows
///   of puts: 460,000 and more.
/// - Random rings (`rr_lat`): 170,000 to 330,000, and with rendezvous fewer than 140,000.
fn messages_per_s(bench: Bench, is_rendezvous: bool) -> f64 {
    let is_window = match bench {
        Bench::Collective(_) | Bench::FabricTest(FabricTest::Multiple(_)) => return 2e6,
        Bench::FabricTest(test) => test.is_rate(),
        _ => true,
    };
    match (is_window, is_rendezvous) {
        (true, false) => 4e5,
        (true, true) => 2.5e5,
        (false, false) => 2e5,
        (false, true) => 1.3e5,
    }
}

/// Whether messages of a test of pairs or rings use rendezvous. Puts and gets do not.
fn uses_rendezvous(job: &Job, bench: Bench, bytes: u64) -> bool {
    use FabricTest as F;
    let is_one_sided =
        bypasses_mpi(bench) || matches!(bench, Bench::FabricTest(F::RrGetLat | F::RrPutBw));
    !is_one_sided && bytes > job.library.eager_max
}

/// Flows per second of CPU time [estimate], measured on 1,024 and 9,658 nodes of Aurora
/// (docs/lab/benchmark-times.md). The rates of long flows change more often.
///
/// - Windows of 64 sends, puts or gets: 20,000 to 45,000 of 2 KiB, 12,000 of 4 KiB, 6,000 to 11,000
///   of 64 KiB, 1,500 with rendezvous and with longer puts.
/// - Puts to all ranks in turn: 40,000 of 2 KiB, 8,000 of 64 KiB.
/// - Rings with one message per neighbor in flight: 100,000 of 2 KiB, 9,000 to 11,000 with
///   rendezvous and of gets from 64 KiB on. With eight messages and rendezvous: 1,200 to 2,500.
/// - Many small collectives: 200,000 of up to 2 KiB, 78,000 of 8 KiB, 7,000 with rendezvous, at
///   least 25,000 of long reductions.
fn flows_per_s(bench: Bench, bytes: u64, is_rendezvous: bool) -> f64 {
    const PACKET: u64 = 2 << 10;
    const SHORT: u64 = 8 << 10;
    const LONG: u64 = 64 << 10;
    use FabricTest as F;
    let is_long = is_rendezvous || bytes > LONG;
    match bench {
        Bench::FabricTest(F::Multiple(kind)) if is_long && kind.reduces() => 1e4,
        Bench::FabricTest(F::Multiple(_)) if is_long => 6e3,
        Bench::FabricTest(F::Multiple(_)) if bytes > PACKET => 6e4,
        Bench::FabricTest(F::Multiple(_)) => 3e5,
        Bench::FabricTest(F::RrLat | F::RrGetLat) if is_long || bytes > SHORT => 8e3,
        Bench::FabricTest(F::RrLat | F::RrGetLat) => 1e5,
        Bench::FabricTest(F::RrBw | F::RrBwSync) if is_rendezvous => 1.2e3,
        Bench::PutAlltoall if bytes > PACKET => 8e3,
        _ if is_long => 1.5e3,
        _ if bytes > SHORT => 6e3,
        _ if bytes > PACKET => 9e3,
        _ => 3e4,
    }
}

/// Flows per second of CPU time of a collective that cannot be sampled [estimate].
fn collective_flows_per_s(call: &Collective, eager_max: u64) -> f64 {
    let is_rendezvous = longest_message(call) > eager_max;
    let is_from_root = matches!(call.kind, Kind::Scatter | Kind::Scatterv);
    if is_from_root && call.algorithm == Algorithm::Linear && is_rendezvous {
        // Each message that begins or ends changes the rates of all others of the root: 0.65 s for
        // two calls on 1,024 nodes, 13 s on 4,096, 64 KiB each.
        return 2.5e6 / f64::from(call.member.size);
    }
    if calls::has_long_windows(call) {
        1.5e3
    } else if is_rendezvous && longest_message(call) > call.bytes {
        5e3 // 270,000 of 300 KB in 54 s
    } else {
        3e4
    }
}

/// Bytes of the longest messages of a call. In Bruck's all-to-all they have many blocks.
fn longest_message(call: &Collective) -> u64 {
    let ranks = u64::from(call.member.size);
    match (call.kind, call.algorithm) {
        (Kind::Alltoall, Algorithm::Bruck) => call.bytes.saturating_mul(ranks / 2),
        (Kind::Alltoall, Algorithm::KBruck { k }) => {
            call.bytes.saturating_mul(ranks / u64::from(k))
        }
        _ => call.bytes,
    }
}

/// An error if a benchmark has too many messages to end soon, in closed form or with flows. It is a
/// collective that cannot be sampled, a fabric test, a test of pairs, or puts to all ranks. Packets
/// are the reference and have no budget.
pub(super) fn too_long(
    job: &Job,
    plan: &BenchPlan,
    fidelity: Fidelity,
    messages: u64,
) -> Option<InputError> {
    let BenchPlan { bench, ranks, ppn, bytes, iterations, .. } = *plan;
    let repeated = |messages: u64| messages.saturating_mul(iterations as u64 + 1);
    let is_rendezvous = uses_rendezvous(job, bench, bytes);
    let (all, flows_per_s) = match bench {
        Bench::Collective(kind) => {
            let call = calls::first_call(job, kind, plan.algorithm, ranks, bytes);
            let sampled = calls::parts(job, &call, fidelity, messages);
            if sampled.is_some_and(|parts| parts.is_sample) {
                return None;
            }
            (repeated(calls::most(&call)), collective_flows_per_s(&call, job.library.eager_max))
        }
        Bench::FabricTest(test) => {
            let times = test.repetitions(ranks / ppn);
            let all = messages_of_iteration(plan, test).saturating_mul(times);
            let longest = test.kind().map_or(bytes, |kind| {
                longest_message(&call_across_nodes(kind, plan.algorithm, ranks / ppn, bytes))
            });
            (all, flows_per_s(bench, longest, uses_rendezvous(job, bench, longest)))
        }
        _ if bench.measure() == Measure::Bandwidth => {
            (repeated(plan.messages_moved()), flows_per_s(bench, bytes, is_rendezvous))
        }
        Bench::PutAlltoall => {
            let all = u64::from(ranks) * u64::from(plan.shifts);
            (all, flows_per_s(bench, bytes, is_rendezvous))
        }
        _ => return None,
    };
    let rate = match fidelity {
        Fidelity::Flow => flows_per_s,
        _ => messages_per_s(bench, is_rendezvous),
    };
    let seconds = all as f64 / rate;
    let times = seconds / LONGEST_S;
    let default = calls::most_messages() as f64;
    if fidelity == Fidelity::Packet || times <= (messages as f64 / default).max(1.0) {
        return None;
    }
    let what = match bench {
        Bench::Collective(_) => format!("`{}` cannot be sampled; it", plan.algorithm.name()),
        _ => "this benchmark".to_string(),
    };
    let fewer = if bench == Bench::PutAlltoall { "ranks or shifts" } else { "ranks" };
    let expected = format!(
        "at least {:.0}, or fewer {fewer}: {what} has up to {all} messages of {bytes} B, which \
         take about {:.0} minutes",
        (times * default).ceil(),
        (seconds / 60.0).ceil(),
    );
    Some(InputError::new("messages", messages.to_string(), expected))
}

/// Messages of all ranks in an iteration of a fabric test, with those of its collective calls.
fn messages_of_iteration(plan: &BenchPlan, test: FabricTest) -> u64 {
    let BenchPlan { ranks, ppn, bytes, algorithm, .. } = *plan;
    let call = |kind| calls::most(&call_across_nodes(kind, algorithm, ranks / ppn, bytes));
    let calls = test.kind().map_or(0, |kind| u64::from(ppn) * call(kind));
    u64::from(ranks) * test.messages() + calls
}

/// An error if one iteration of a fabric test exceeds the message budget: it cannot be sampled.
pub(super) fn too_many(plan: &BenchPlan, fidelity: Fidelity, messages: u64) -> Option<InputError> {
    let BenchPlan { bench: Bench::FabricTest(test), bytes, .. } = *plan else { return None };
    let all = messages_of_iteration(plan, test);
    let requested = all * calls::cost(fidelity);
    let expected = format!(
        "at least {requested}, or fewer ranks: an iteration at {bytes} B has up to {all} messages, \
         and it cannot be sampled"
    );
    (requested > messages).then(|| InputError::new("messages", messages.to_string(), expected))
}
