//! Results about simulated file systems: phases, files, servers and media.

use super::FileSystemRow;
use machine::Machine;
use serde::Serialize;
use sim::{CallClass, ClassTotals, Counted, FileSystemOutcome, Outcome};
use std::collections::BTreeMap;

/// What the file systems of a run did. Rows name their file system.
#[derive(Clone, Debug, Default, Serialize)]
pub struct IoResult {
    /// Live runs: calls of the program, by file system.
    pub file_systems: Vec<FileSystemRow>,
    pub phases: Vec<IoPhaseRow>,
    /// Files whose data were read or written, most bytes first, at most `FILES` per file system.
    pub files: Vec<IoFileRow>,
    pub servers: Vec<IoPortRow>,
    pub media: Vec<IoMediaRow>,
    /// The media with most bytes or accesses, at most `TARGETS` per file system.
    pub targets: Vec<IoTargetRow>,
    pub rates: Vec<IoRatesRow>,
    pub gateways: Vec<IoGatewayRow>,
    /// Time of all calls, in data, locks and metadata.
    pub time: Vec<IoTimeRow>,
    /// RPCs of each operation, and the protocol's counters, which have the real system's names.
    pub rpcs: Vec<IoCountRow>,
    pub counters: Vec<IoCountRow>,
    /// For each file system, the sentence that names its limit.
    pub limits: Vec<IoLimitRow>,
}

/// A period of calls of one class.
#[derive(Clone, Debug, Serialize)]
pub struct IoPhaseRow {
    pub file_system: String,
    pub phase: &'static str,
    pub start_s: f64,
    /// From its first call to its last completion.
    pub time_s: f64,
    pub bytes: u64,
    #[serde(rename = "rate_B_per_s")]
    pub rate: f64,
    pub operations: u64,
    pub operations_per_s: f64,
    /// Sum over calls, and the number of calls that failed.
    pub call_time_s: f64,
    pub errors: u64,
}

#[derive(Clone, Debug, Serialize)]
pub struct IoFileRow {
    pub file_system: String,
    /// The number of the file, and its path where the program's calls have one.
    pub file: u32,
    pub path: Option<String>,
    pub bytes_read: u64,
    pub bytes_written: u64,
    pub reads: u64,
    pub writes: u64,
    /// Sum over its calls.
    pub read_time_s: f64,
    pub write_time_s: f64,
    pub lock_time_s: f64,
    pub metadata_time_s: f64,
    /// From its first read or write to the last.
    pub time_s: f64,
    #[serde(rename = "rate_B_per_s")]
    pub rate: f64,
}

/// A port of a host of servers.
#[derive(Clone, Debug, Serialize)]
pub struct IoPortRow {
    pub file_system: String,
    /// Name of its server, such as `OSS 3`.
    pub name: String,
    pub host: u32,
    pub port: u32,
    pub bytes_in: u64,
    pub bytes_out: u64,
    pub requests: u64,
    pub threads: u32,
    /// Sum over threads, and sum over requests.
    pub busy_s: f64,
    pub waiting_s: f64,
    pub queue_max: u64,
}

/// Load over all media of a file system.
#[derive(Clone, Debug, Serialize)]
pub struct IoMediaRow {
    pub file_system: String,
    pub media: usize,
    pub used: usize,
    pub accesses: u64,
    /// Mean of all, and of those that were accessed.
    pub busy_mean_s: f64,
    pub busy_mean_used_s: f64,
    pub busy_max_s: f64,
    /// Longest time over the mean of those that were accessed.
    pub imbalance: f64,
    /// The busiest.
    pub busiest: usize,
    pub waiting_s: f64,
    /// Time that each was busy.
    pub busy_s: Vec<f64>,
}

/// A storage medium: an OST or MDT, the SCM of a target of DAOS, or one of its NVMes.
#[derive(Clone, Debug, Serialize)]
pub struct IoTargetRow {
    pub file_system: String,
    pub target: String,
    /// Of bulk transfers; data within requests and replies are not counted.
    pub bytes_read: u64,
    pub bytes_written: u64,
    pub accesses: u64,
    pub busy_s: f64,
    pub waiting_s: f64,
}

/// Bytes over time, in bins of one width from the start of the jobs.
#[derive(Clone, Debug, Serialize)]
pub struct IoRatesRow {
    pub file_system: String,
    pub width_s: f64,
    /// Of calls, spread over the time of each.
    pub bytes_read: Vec<u64>,
    pub bytes_written: Vec<u64>,
    /// Of bulk transfers between clients and servers.
    pub bytes_from_servers: Vec<u64>,
    pub bytes_to_servers: Vec<u64>,
}

#[derive(Clone, Debug, Serialize)]
pub struct IoGatewayRow {
    pub file_system: String,
    pub gateways: usize,
    pub messages: u64,
    pub bytes_to_servers: u64,
    pub bytes_to_clients: u64,
    /// Sums over messages.
    pub credit_waiting_s: f64,
    pub buffer_waiting_s: f64,
}

#[derive(Clone, Debug, Serialize)]
pub struct IoTimeRow {
    pub file_system: String,
    pub data_s: f64,
    pub locks_s: f64,
    pub metadata_s: f64,
}

#[derive(Clone, Debug, Serialize)]
pub struct IoCountRow {
    pub file_system: String,
    pub name: String,
    pub count: u64,
}

#[derive(Clone, Debug, Serialize)]
pub struct IoLimitRow {
    pub file_system: String,
    pub limit: String,
}

/// Paths of files, by file system and number.
pub type Paths = BTreeMap<(String, u32), String>;

/// Maximum number of rows of the table of files, per file system.
const FILES: usize = 100;
/// The same of targets.
const TARGETS: usize = 256;

/// Paths of the files in the table, by file system and number, from `path` of the number of a file
/// system of `machine` and a file.
pub(super) fn paths(
    machine: &Machine,
    outcome: &Outcome,
    path: impl Fn(u8, u32) -> Option<String>,
) -> Paths {
    let mut found = BTreeMap::new();
    for of in &outcome.file_systems {
        let Some(number) = machine.file_systems.iter().position(|system| system.name == of.name)
        else {
            continue;
        };
        for file in largest(of) {
            let named = path(number as u8, file.file);
            found.extend(named.map(|path| ((of.name.clone(), file.file), path)));
        }
    }
    found
}

/// The files with most bytes.
fn largest(of: &FileSystemOutcome) -> Vec<sim::FileTotals> {
    let mut files = of.files.clone();
    files.sort_by_key(|file| (u64::MAX - (file.read.bytes + file.written.bytes), file.file));
    files.truncate(FILES);
    files
}

impl IoResult {
    /// `None` if no file system was called.
    pub fn of(outcome: &Outcome) -> Option<IoResult> {
        let all = &outcome.file_systems;
        if all.is_empty() {
            return None;
        }
        let limit = |of: &FileSystemOutcome| IoLimitRow {
            file_system: of.name.clone(),
            limit: of.limit.clone(),
        };
        Some(IoResult {
            file_systems: Vec::new(),
            phases: all.iter().flat_map(phases).collect(),
            files: all.iter().flat_map(files).collect(),
            servers: all.iter().flat_map(servers).collect(),
            media: all.iter().map(media).collect(),
            targets: all.iter().flat_map(targets).collect(),
            rates: all.iter().map(rates).collect(),
            gateways: all.iter().filter(|of| !of.gateways.is_empty()).map(gateways).collect(),
            time: all.iter().map(time).collect(),
            rpcs: all.iter().flat_map(|of| counts(of, &of.operations)).collect(),
            counters: all.iter().flat_map(|of| counts(of, &of.counters)).collect(),
            limits: all.iter().map(limit).collect(),
        })
    }

    /// Sets the paths of files, by file system and number.
    pub fn name_files(&mut self, paths: &Paths) {
        for row in &mut self.files {
            row.path = paths.get(&(row.file_system.clone(), row.file)).cloned();
        }
    }
}

/// A quotient that is 0 where no time has passed.
fn per_s(amount: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { amount as f64 / seconds } else { 0.0 }
}

fn phases(of: &FileSystemOutcome) -> impl Iterator<Item = IoPhaseRow> + '_ {
    of.phases.iter().map(|phase| {
        let ClassTotals { operations, bytes, time, errors } = phase.totals;
        let time_s = phase.end.since(phase.start).seconds();
        IoPhaseRow {
            file_system: of.name.clone(),
            phase: phase.class.name(),
            start_s: phase.start.seconds(),
            time_s,
            bytes,
            rate: per_s(bytes, time_s),
            operations,
            operations_per_s: per_s(operations, time_s),
            call_time_s: time.seconds(),
            errors,
        }
    })
}

fn files(of: &FileSystemOutcome) -> Vec<IoFileRow> {
    let row = |file: &sim::FileTotals| {
        let time_s = file.end.since(file.start).seconds();
        IoFileRow {
            file_system: of.name.clone(),
            file: file.file,
            path: None,
            bytes_read: file.read.bytes,
            bytes_written: file.written.bytes,
            reads: file.read.operations,
            writes: file.written.operations,
            read_time_s: file.read.time.seconds(),
            write_time_s: file.written.time.seconds(),
            lock_time_s: file.locks.time.seconds(),
            metadata_time_s: file.metadata.time.seconds(),
            time_s,
            rate: per_s(file.read.bytes + file.written.bytes, time_s),
        }
    };
    largest(of).iter().map(row).collect()
}

fn servers(of: &FileSystemOutcome) -> impl Iterator<Item = IoPortRow> + '_ {
    let used = of.hosts.iter().filter(|host| host.served > 0);
    used.map(|host| IoPortRow {
        file_system: of.name.clone(),
        // All targets of an engine of DAOS have one port.
        name: host.name.split(" tgt_").next().unwrap_or_default().into(),
        host: host.host,
        port: host.port,
        bytes_in: host.bytes_in,
        bytes_out: host.bytes_out,
        requests: host.served,
        threads: host.threads,
        busy_s: host.service.seconds(),
        waiting_s: host.waiting.seconds(),
        queue_max: host.longest,
    })
}

fn media(of: &FileSystemOutcome) -> IoMediaRow {
    let busy_s: Vec<f64> = of.media.iter().map(|medium| medium.busy.seconds()).collect();
    let used = of.media_names.len();
    let sum: f64 = busy_s.iter().sum();
    let busy_mean_used_s = sum / used.max(1) as f64;
    let most = (0..).zip(&of.media).max_by_key(|&(at, medium)| (medium.busy, usize::MAX - at));
    let (busiest, busy_max_s) = most.map_or((0, 0.0), |(at, medium)| (at, medium.busy.seconds()));
    IoMediaRow {
        file_system: of.name.clone(),
        media: of.media.len(),
        used,
        accesses: of.media.iter().map(|medium| medium.accesses).sum(),
        busy_mean_s: sum / busy_s.len().max(1) as f64,
        busy_mean_used_s,
        busy_max_s,
        imbalance: if busy_mean_used_s > 0.0 { busy_max_s / busy_mean_used_s } else { 0.0 },
        busiest,
        waiting_s: of.media.iter().map(|medium| medium.waiting.seconds()).sum(),
        busy_s,
    }
}

fn targets(of: &FileSystemOutcome) -> Vec<IoTargetRow> {
    let row = |(number, name): &(u32, String)| {
        let load = of.media[*number as usize];
        IoTargetRow {
            file_system: of.name.clone(),
            target: name.clone(),
            bytes_read: load.bytes_read,
            bytes_written: load.bytes_written,
            accesses: load.accesses,
            busy_s: load.busy.seconds(),
            waiting_s: load.waiting.seconds(),
        }
    };
    let mut used: Vec<&(u32, String)> = of.media_names.iter().collect();
    used.sort_by_key(|(number, _)| (std::cmp::Reverse(of.media[*number as usize].busy), *number));
    used.truncate(TARGETS);
    used.into_iter().map(row).collect()
}

fn rates(of: &FileSystemOutcome) -> IoRatesRow {
    let bins = |counted: Counted| of.rates.bins.iter().map(|bin| bin[counted as usize]).collect();
    IoRatesRow {
        file_system: of.name.clone(),
        width_s: of.rates.width.seconds(),
        bytes_read: bins(Counted::Read),
        bytes_written: bins(Counted::Written),
        bytes_from_servers: bins(Counted::ReadFromServers),
        bytes_to_servers: bins(Counted::WrittenToServers),
    }
}

fn gateways(of: &FileSystemOutcome) -> IoGatewayRow {
    let sum = |get: fn(&(u64, u64, u64)) -> u64| of.gateways.iter().map(get).sum();
    IoGatewayRow {
        file_system: of.name.clone(),
        gateways: of.gateways.len(),
        messages: sum(|load| load.0),
        bytes_to_servers: sum(|load| load.1),
        bytes_to_clients: sum(|load| load.2),
        credit_waiting_s: of.credit_waiting.seconds(),
        buffer_waiting_s: of.buffer_waiting.seconds(),
    }
}

fn time(of: &FileSystemOutcome) -> IoTimeRow {
    let sum = |counts: &dyn Fn(CallClass) -> bool| {
        let phases = of.phases.iter().filter(|phase| counts(phase.class));
        phases.map(|phase| phase.totals.time.seconds()).sum()
    };
    IoTimeRow {
        file_system: of.name.clone(),
        data_s: sum(&CallClass::is_data),
        locks_s: sum(&|class| class == CallClass::Lock),
        metadata_s: sum(&|class| !class.is_data() && class != CallClass::Lock),
    }
}

fn counts<'a>(
    of: &'a FileSystemOutcome,
    list: &'a [(String, u64)],
) -> impl Iterator<Item = IoCountRow> + 'a {
    let used = list.iter().filter(|entry| entry.1 > 0);
    used.map(|(name, count)| IoCountRow {
        file_system: of.name.clone(),
        name: name.clone(),
        count: *count,
    })
}
