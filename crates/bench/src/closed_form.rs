//! Messages in closed form: a dissemination barrier, its cost per message, and its memory per rank.

use std::process::Command;

use base::Digest;
use collectives::{Algorithm, Collective, Kind, Member};
use loggp::LogGpNetwork;
use machine::{NicId, NodeId};
use sim::{End, Job, RankPlacement, World};
use workload::{Op, Step, Streams, WORLD};

/// 65,536 ranks, as in the measurement of LogGOPSim (COMPARE.md).
pub const NODES: u32 = 8192;
pub const PPN: u32 = 8;

/// Result of a run.
pub struct ClosedForm {
    pub ranks: u32,
    pub messages: u64,
    pub events: u64,
    pub digest: Digest,
    /// Core time, s.
    pub seconds: f64,
    /// Peak memory of the process minus its memory with the machine alone, and the same for a
    /// process with few ranks; if the system reports it.
    pub bytes: Option<u64>,
    pub few: Option<u64>,
}

/// Nodes of a run with few ranks.
const FEW: u32 = 2;

/// Runs in this process, and with few ranks in another one. The latter measures the program, the
/// queue, and a page of every column of the whole machine.
pub fn with_baseline(machine: &str, nodes: u32, ppn: u32, calls: usize) -> ClosedForm {
    let few = || {
        let own = std::env::current_exe().ok()?;
        let done = Command::new(own).args(["few", machine, &ppn.to_string()]).output().ok()?;
        if !done.status.success() {
            return None;
        }
        String::from_utf8(done.stdout).ok()?.trim().parse::<u64>().ok()
    };
    ClosedForm { few: few(), ..dissemination(machine, nodes, ppn, calls) }
}

/// In the other process: prints the memory of a run with few ranks, or nothing if unknown.
pub fn few(args: &[String]) {
    let [machine, ppn] = args else { panic!("bench few MACHINE PPN") };
    let ppn = ppn.parse().expect("ranks per node");
    if let Some(bytes) = dissemination(machine, FEW, ppn, 1).bytes {
        println!("{bytes}");
    }
}

/// `calls` barriers on `nodes` nodes of `machine`, with one rank at each of the first `ppn` NICs.
pub fn dissemination(machine: &str, nodes: u32, ppn: u32, calls: usize) -> ClosedForm {
    let machine = crate::preset(machine, &[]);
    let before = memory("VmRSS:");
    let text = mpi::library::preset("mpich").expect("a preset");
    let library = mpi::Library::parse("mpich", text, &machine.fabric).expect("presets are legal");
    let placements = (0..nodes * ppn).map(|rank| {
        let node = NodeId(rank / ppn);
        let nic = NicId(machine.node_nics[node] + rank % ppn);
        RankPlacement { node, nic, binding: Default::default() }
    });
    let placements: Vec<RankPlacement> = placements.collect();
    let size = nodes * ppn;
    let job = Job { counts_pairs: false, ..Job::new(machine, library, placements, 1) };
    let call = move |rank| Collective {
        kind: Kind::Barrier,
        algorithm: Algorithm::Dissemination { k: 2 },
        member: Member { rank, size },
        root: 0,
        bytes: 0,
        grain: 1,
        ragged: None,
        nodes: None,
    };
    let streams = Streams::generated(size, move |rank, nth| {
        (nth < 2 * calls).then(|| match nth % 2 {
            0 => Step::Do(Op::Collective { context: WORLD, call: call(rank) }),
            _ => Step::Wait,
        })
    });
    let began = crate::on_core_s().unwrap_or_default();
    let outcome = World::<LogGpNetwork, _>::new(&job, streams).run(&mut |_| true);
    let seconds = crate::on_core_s().unwrap_or_default() - began;
    assert_eq!(outcome.end, End::Finished);
    ClosedForm {
        ranks: size,
        messages: outcome.by_distance.iter().map(|row| row.0).sum(),
        events: outcome.engine.events,
        digest: outcome.digest,
        seconds,
        bytes: memory("VmHWM:").zip(before).map(|(most, before)| most.saturating_sub(before)),
        few: None,
    }
}

/// Current or peak memory of this process, bytes. Linux only: proc(5).
fn memory(which: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line =
        text.lines().find_map(|line| line.strip_prefix(which)?.trim().strip_suffix(" kB"))?;
    Some(line.parse::<u64>().ok()? << 10)
}

impl std::fmt::Display for ClosedForm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ClosedForm { ranks, messages, events, seconds, bytes, few, digest } = self;
        let per = |n: u64, of: f64| n as f64 / of;
        let rank = |bytes: Option<u64>| match bytes {
            Some(bytes) => format!("{:.0}", per(bytes, f64::from(*ranks))),
            None => "-".into(),
        };
        let own = bytes.zip(*few).map(|(bytes, few)| bytes.saturating_sub(few));
        write!(
            f,
            "loggp, dissemination, {ranks} ranks: {messages} messages in {seconds:.2} s, {:.0} \
             messages/s, {:.2} events per message; {} B per rank, {} beyond those of {FEW} nodes; \
             digest {digest:?}",
            per(*messages, *seconds),
            per(*events, *messages as f64),
            rank(*bytes),
            rank(own),
        )
    }
}
