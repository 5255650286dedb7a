//! Instructions per packet, counted by callgrind and compared with recorded counts, independent of
//! the load of the machine.
//!
//! Each case runs for one window and for two; the difference is the cost of the packets without the
//! construction of the network. Changes among flows, messages in closed form and messages by flows
//! are counted in the same way.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use base::Span;
use serde::{Deserialize, Serialize};

use crate::Benchmark;

/// A larger increase fails; a larger decrease should be recorded.
const TOLERANCE: f64 = 0.02;
/// Messages that begin one after another never reach a steady state, and one different route at the
/// start changes all that follow: 10 % with other draws.
const RANDOM_TOLERANCE: f64 = 0.1;

/// `instructions.toml`: the counts, and the compiler they are valid for.
#[derive(Serialize, Deserialize)]
struct Record {
    rustc: String,
    #[serde(rename = "count")]
    counts: Vec<Count>,
    flows: Vec<Flows>,
    closed: Vec<ClosedForm>,
    staggered: Vec<Staggered>,
}

/// Barriers with one rank at each of the first `ppn` NICs of each node: `bench closed`.
#[derive(Serialize, Deserialize)]
struct ClosedForm {
    machine: String,
    nodes: u64,
    ppn: u64,
    calls: u64,
    instructions_per_message: u64,
}

impl ClosedForm {
    fn measured(&self) -> u64 {
        let run = |times: u64| {
            let numbers = [self.nodes, self.ppn, self.calls * times].map(|n| n.to_string());
            counted(&["closed", &self.machine, &numbers[0], &numbers[1], &numbers[2]]).0
        };
        // Every rank sends one message per round.
        let ranks = self.nodes * self.ppn;
        let rounds = u64::from(ranks.next_power_of_two().ilog2());
        (run(2) - run(1)) / (self.calls * ranks * rounds)
    }
}

/// Messages by flows that begin at random times, each next to all in flight: `bench staggered`.
#[derive(Serialize, Deserialize)]
struct Staggered {
    machine: String,
    routing: String,
    bytes: u64,
    /// Per NIC.
    messages: u64,
    instructions_per_message: u64,
}

impl Staggered {
    fn measured(&self) -> u64 {
        let run = |times: u64| {
            let numbers = [self.bytes, self.messages * times].map(|n| n.to_string());
            counted(&["staggered", &self.machine, &self.routing, &numbers[0], &numbers[1]])
        };
        let ((less, few), (more, many)) = (run(1), run(2));
        let ended = |out: &str| out.trim().parse::<u64>().unwrap_or_else(|_| panic!("{out}"));
        (more - less) / (ended(&many) - ended(&few))
    }
}

/// Flows between random pairs, of which one ends and one starts: `bench flows`.
#[derive(Serialize, Deserialize)]
struct Flows {
    machine: String,
    flows: u64,
    changes: u64,
    instructions_per_event: u64,
}

impl Flows {
    fn measured(&self) -> u64 {
        let run = |times: u64| {
            let numbers = [self.flows, self.changes * times].map(|n| n.to_string());
            counted(&["flows", &self.machine, &numbers[0], &numbers[1]]).0
        };
        // One ends, one starts.
        (run(2) - run(1)) / (2 * self.changes)
    }
}

#[derive(Clone, Serialize, Deserialize)]
struct Count {
    machine: String,
    routing: String,
    packet_bytes: u64,
    load: f64,
    /// The shorter window, nanoseconds: some ten thousand packets.
    window_ns: u64,
    instructions_per_packet: u64,
}

impl Count {
    fn benchmark(&self, times: u64) -> Benchmark {
        let window = Span::ns(self.window_ns * times);
        Benchmark {
            machine: self.machine.clone().leak(),
            routing: self.routing.clone().leak(),
            pattern: "uniform",
            packet_bytes: self.packet_bytes,
            load: self.load,
            warmup: window,
            window,
        }
    }

    /// Runs this case in another process under callgrind: instructions, packets.
    fn run(&self, times: u64) -> (u64, u64) {
        let benchmark = self.benchmark(times);
        let (bytes, load) = (benchmark.packet_bytes.to_string(), benchmark.load.to_string());
        let window = benchmark.window.0.to_string();
        let args = ["packets", benchmark.machine, benchmark.routing, &bytes, &load, &window];
        let (instructions, output) = counted(&args);
        let packets = output.trim().parse().unwrap_or_else(|_| panic!("{args:?}: {output}"));
        (instructions, packets)
    }

    fn measured(&self) -> u64 {
        let ((less, few), (more, many)) = (self.run(1), self.run(2));
        (more - less) / (many - few)
    }
}

/// Runs this program with these arguments under callgrind: instructions, and its output.
fn counted(args: &[&str]) -> (u64, String) {
    let own = std::env::current_exe().expect("this program has a path");
    let mut child = Command::new("valgrind");
    child.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(own).args(args);
    let done = child.output().expect("valgrind starts");
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{child:?}: {errors}");
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let counted = errors.lines().find_map(|line| number(line.split("Collected :").nth(1)?));
    let counted = counted.unwrap_or_else(|| panic!("{child:?} prints no count: {errors}"));
    (counted, String::from_utf8_lossy(&done.stdout).into_owned())
}

/// In the child process: runs one benchmark and prints the number of packets delivered. By an
/// engine of choice if it is given with the length of a credit epoch.
pub fn packets(args: &[String]) {
    let (own, engine) = args.split_at(args.len().min(5));
    let [machine, routing, packet_bytes, load, window_ps] = own else {
        panic!("bench packets MACHINE ROUTING BYTES LOAD WINDOW_PS [ENGINE EPOCH]");
    };
    let window = Span(window_ps.parse().expect("picoseconds"));
    let benchmark = Benchmark {
        machine: machine.clone().leak(),
        routing: routing.clone().leak(),
        pattern: "uniform",
        packet_bytes: packet_bytes.parse().expect("bytes"),
        load: load.parse().expect("a load"),
        warmup: window,
        window,
    };
    let delivered = match engine {
        [] => benchmark.measure().outcome.counters.delivered_packets,
        [engine, epoch] => crate::delivered_by(benchmark, engine, epoch),
        _ => panic!("an engine and the length of a credit epoch"),
    };
    println!("{delivered}");
}

/// Counts and prints; returns whether no count has grown. With `write`, records the counts.
///
/// Counts of another compiler are printed and not compared.
pub fn count(write: bool) -> bool {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("instructions.toml");
    let text = fs::read_to_string(&path).expect("instructions.toml is part of this crate");
    let mut record: Record = toml::from_str(&text).expect("instructions.toml is valid");
    let rustc = Command::new("rustc").arg("--version").output().expect("rustc is installed");
    let rustc = String::from_utf8_lossy(&rustc.stdout).trim().to_string();
    let compares = rustc == record.rustc;
    let mut fine = true;
    let mut tell = |what: &str, was: &mut u64, is: u64, within: f64| {
        let more = is as f64 / *was as f64 - 1.0;
        let verdict = match more {
            _ if !compares => "",
            more if more > within => "TOO MANY",
            more if more < -within => "fewer: record it with `bench count --write`",
            _ => "as recorded",
        };
        fine &= !compares || more <= within;
        println!("{what}, recorded {was}, {:+.1} % {verdict}: {is}", more * 100.0);
        *was = is;
    };
    for count in &mut record.counts {
        let Count { machine, routing, packet_bytes, load, .. } = &*count;
        let what =
            format!("{machine}, {routing}, {packet_bytes} B, load {load}: instructions per packet");
        let is = count.measured();
        tell(&what, &mut count.instructions_per_packet, is, TOLERANCE);
    }
    for flows in &mut record.flows {
        let what = format!("{}, {} flows: instructions per event", flows.machine, flows.flows);
        let is = flows.measured();
        tell(&what, &mut flows.instructions_per_event, is, TOLERANCE);
    }
    for closed in &mut record.closed {
        let ClosedForm { machine, nodes, ppn, .. } = &*closed;
        let what =
            format!("{machine}, {} ranks in closed form: instructions per message", nodes * ppn);
        let is = closed.measured();
        tell(&what, &mut closed.instructions_per_message, is, TOLERANCE);
    }
    for staggered in &mut record.staggered {
        let Staggered { machine, routing, bytes, .. } = &*staggered;
        let what = format!(
            "{machine}, {routing}, {bytes} B by flows, one after another: instructions per message"
        );
        let is = staggered.measured();
        tell(&what, &mut staggered.instructions_per_message, is, RANDOM_TOLERANCE);
    }
    if !compares {
        println!("recorded for {}, this is {rustc}: not compared", record.rustc);
    }
    if write {
        record.rustc = rustc;
        let head: String =
            text.lines().take_while(|l| l.starts_with('#')).map(|l| format!("{l}\n")).collect();
        let body = toml::to_string(&record).expect("plain data");
        fs::write(&path, head + "\n" + &body).expect("our own file");
    }
    fine || write
}
