//! Flows against packets: the same work at both fidelities, and the difference. Source of the table
//! in docs/models/flow-agreement.md.

use std::time::Instant;

use api::BenchRequest;
use base::{Time, draw};
use flow::FlowNetwork;
use machine::{Machine, NicId};
use net::{Message, NetworkModel};
use packet::PacketNetwork;
use properties::{Run, message, run_on};
use sim::traffic::Destinations;

/// Patterns of `odonata traffic`, and messages per sender, all sent at once.
const PATTERNS: [(&str, u64); 9] = [
    ("uniform", 4),
    ("adversarial:1", 1),
    ("worst-permutation", 1),
    ("shift:1", 1),
    ("shift:37", 1),
    ("random-permutation", 1),
    ("group-shift:4", 1),
    ("incast:64", 1),
    ("hotspot:16", 1),
];

/// Messages per NIC to random destinations, sent at random times.
const STAGGERED: u64 = 4;

/// Collectives, the variable that selects an algorithm, and that algorithm.
const COLLECTIVES: [(&str, &str, &str); 5] = [
    ("alltoall", "MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM", "pairwise"),
    ("allgather", "MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM", "ring"),
    ("allgather", "MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM", "brucks"),
    ("allreduce", "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM", "recursive_doubling"),
    ("allreduce", "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM", "reduce_scatter_allgather"),
];

/// Flow and packet: completion of the last message, s; mean over all messages, s; wall time, s.
#[derive(Debug)]
pub struct Agreement {
    pub what: String,
    pub last_s: [f64; 2],
    pub mean_s: [f64; 2],
    pub wall_s: [f64; 2],
}

impl Agreement {
    fn row(&self) -> String {
        let what = &self.what;
        let [last, mean] = [self.last_s, self.mean_s];
        format!(
            "| {what} | {:.2} | {:.2} | {:+.1} % | {:+.1} % | {:.2} | {:.2} |",
            last[0] * 1e6,
            last[1] * 1e6,
            off(last),
            off(mean),
            self.wall_s[0],
            self.wall_s[1],
        )
    }
}

/// `bench agree MACHINE ROUTING BYTES RANKS BLOCK [KEY=VALUE...]`: messages of BYTES, and
/// collectives of RANKS ranks (one per node) with BLOCK bytes per rank; no collectives if RANKS is
/// 0.
pub fn table(args: &[String]) -> Vec<Agreement> {
    let [name, routing, bytes, ranks, block, keys @ ..] = args else {
        panic!("bench agree MACHINE ROUTING BYTES RANKS BLOCK [KEY=VALUE...]");
    };
    let [bytes, ranks, block] = [bytes, ranks, block].map(|n| n.parse::<u64>().expect("a number"));
    let mut set: Vec<(&str, &str)> = keys.iter().filter_map(|key| key.split_once('=')).collect();
    set.push(("routing", routing));
    let machine = crate::preset(name, &set);
    println!("| {name}, {routing} | flow, us | packet, us | last | mean | flow, s | packet, s |");
    println!("|---|---|---|---|---|---|---|");
    let mut rows = Vec::new();
    let mut tell = |row: Agreement| {
        println!("{}", row.row());
        rows.push(row);
    };
    for (pattern, each) in PATTERNS {
        let messages = messages(&machine, pattern, each, bytes);
        tell(compare(&machine, &messages, format!("{pattern}, {each} x {bytes} B")));
    }
    let staggered = at_any_time(&machine, STAGGERED, bytes);
    tell(compare(&machine, &staggered, format!("at any time, {STAGGERED} x {bytes} B")));
    for (kind, variable, algorithm) in COLLECTIVES.into_iter().filter(|_| ranks > 0) {
        let both = ["flow", "packet"].map(|fidelity| {
            let keys: Vec<String> =
                set.iter().map(|(k, v)| format!("[\"{k}\", \"{v}\"]")).collect();
            let text = format!(
                "name = \"{kind}\"\nnodes = {ranks}\nppn = 1\nsizes = [{block}]\n\
                 fidelity = \"{fidelity}\"\nenv = [[\"{variable}\", \"{algorithm}\"]]\n\
                 [machine]\nname = \"{name}\"\nset = [{}]\n",
                keys.join(", ")
            );
            let request: BenchRequest = toml::from_str(&text).expect("a request");
            let began = Instant::now();
            let done = api::bench(&request, &mut |_| true);
            let done = done.unwrap_or_else(|input_errors| panic!("{text}: {input_errors:?}"));
            let row = &done.rows[0];
            let last = row.latency_max_s.expect("a collective");
            (last, row.latency_s.expect("a collective"), began.elapsed().as_secs_f64())
        });
        tell(Agreement {
            what: format!("{kind} {algorithm}, {ranks} ranks, {block} B"),
            last_s: both.map(|b| b.0),
            mean_s: both.map(|b| b.1),
            wall_s: both.map(|b| b.2),
        });
    }
    println!("\n{}", summary(&rows));
    rows
}

/// Mean absolute error, and the largest.
fn summary(rows: &[Agreement]) -> String {
    let of = |what: fn(&Agreement) -> [f64; 2]| {
        let errors = || rows.iter().map(|row| off(what(row)).abs());
        let mean = errors().sum::<f64>() / rows.len() as f64;
        format!("mean {mean:.1} %, worst {:.1} %", errors().fold(0.0, f64::max))
    };
    let (last, mean) = (of(|row| row.last_s), of(|row| row.mean_s));
    format!("{} rows. Last message: {last}. Mean message: {mean}.", rows.len())
}

/// Flow over packet minus 1, percent.
fn off([flow, packet]: [f64; 2]) -> f64 {
    100.0 * (flow / packet - 1.0)
}

fn messages(machine: &Machine, pattern: &str, each: u64, bytes: u64) -> Vec<(Time, Message)> {
    let to = Destinations::parse(pattern, machine, 3)
        .unwrap_or_else(|input_error| panic!("{pattern}: {input_error:?}"));
    let from = (0..to.participants()).filter(|&at| to.sends(at));
    let of = |at| {
        let (src, to) = (to.nic(at).0, &to);
        (0..each).map(move |nth| {
            let random = draw(11, 0, src, nth);
            (Time::ZERO, message(src, to.to(at, nth).0, bytes, random))
        })
    };
    from.flat_map(of).collect()
}

/// Every NIC sends `each` messages to random destinations, at random times within the time they
/// would take alone one after the other.
fn at_any_time(machine: &Machine, each: u64, bytes: u64) -> Vec<(Time, Message)> {
    let all = machine.zero_load(NicId(0), NicId(machine.n_nics() - 1), bytes) * each;
    let mut messages = messages(machine, "uniform", each, bytes);
    for (nth, (at, _)) in (0..).zip(&mut messages) {
        *at = Time(draw(12, 0, 0, nth) % all.0);
    }
    messages.sort_by_key(|&(at, _)| at);
    messages
}

/// `bench staggered MACHINE ROUTING BYTES MESSAGES`: messages per NIC at random times, by flows,
/// for instruction counts. Prints the number completed.
pub fn staggered(args: &[String]) {
    let [name, routing, bytes, each] = args else {
        panic!("bench staggered MACHINE ROUTING BYTES MESSAGES");
    };
    let [bytes, each] = [bytes, each].map(|n| n.parse::<u64>().expect("a number"));
    let machine = crate::preset(name, &[("routing", routing)]);
    let messages = at_any_time(&machine, each, bytes);
    println!("{}", run_on::<FlowNetwork>(&machine, &messages).seen.len());
}

fn compare(machine: &Machine, messages: &[(Time, Message)], what: String) -> Agreement {
    let (flow, flow_s) = timed::<FlowNetwork>(machine, messages);
    let (packet, packet_s) = timed::<PacketNetwork>(machine, messages);
    let took = |run: &Run| {
        let each = run.seen.iter().zip(messages).map(|(seen, (at, _))| seen.since(*at).seconds());
        each.sum::<f64>() / run.seen.len() as f64
    };
    Agreement {
        what,
        last_s: [flow.end(), packet.end()].map(Time::seconds),
        mean_s: [took(&flow), took(&packet)],
        wall_s: [flow_s, packet_s],
    }
}

fn timed<N: NetworkModel>(machine: &Machine, messages: &[(Time, Message)]) -> (Run, f64) {
    let began = Instant::now();
    let run = run_on::<N>(machine, messages);
    (run, began.elapsed().as_secs_f64())
}
