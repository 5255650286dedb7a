//! Counters, by the names of DAOS telemetry, and the load of targets.
//!
//! Names: daos-stack/daos @1ff45496, object/obj_utils.c and object/srv_mod.c, without the pool's id
//! and summed over targets.

use base::Span;
use machine::storage::daos::Redundancy;

use super::class::Part;
use super::operation;
use crate::{Peer, Rpc};

/// What a target has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TargetLoad {
    pub rpcs: u64,
    pub bytes_written: u64,
    pub bytes_read: u64,
    /// Time of its thread.
    pub service: Span,
}

/// Sizes of updates by which latencies are counted: largest size, and the name.
const SIZES: [(u64, &str); 16] = [
    (256, "256B"),
    (512, "512B"),
    (1 << 10, "1KB"),
    (2 << 10, "2KB"),
    (4 << 10, "4KB"),
    (8 << 10, "8KB"),
    (16 << 10, "16KB"),
    (32 << 10, "32KB"),
    (64 << 10, "64KB"),
    (128 << 10, "128KB"),
    (256 << 10, "256KB"),
    (512 << 10, "512KB"),
    (1 << 20, "1MB"),
    (2 << 20, "2MB"),
    (4 << 20, "4MB"),
    (u64::MAX, "GT4MB"),
];

/// RPCs of one kind and size.
#[derive(Clone, Copy, Debug, Default)]
struct Latency {
    count: u64,
    sum: Span,
    longest: Span,
}

/// RPCs of one operation.
#[derive(Clone, Copy, Debug, Default)]
struct Operation {
    count: u64,
    /// Received and not replied to: now, and at most.
    active: u64,
    most_active: u64,
}

#[derive(Debug)]
pub struct Counters {
    pub targets: Vec<TargetLoad>,
    operations: [Operation; operation::NAMES.len()],
    /// Updates and fetches.
    latencies: [[Latency; SIZES.len()]; 2],
    full_stripes: u64,
    partial_stripes: u64,
}

impl Counters {
    pub fn new(targets: usize) -> Counters {
        Counters {
            targets: vec![TargetLoad::default(); targets],
            operations: [Operation::default(); _],
            latencies: [[Latency::default(); _]; 2],
            full_stripes: 0,
            partial_stripes: 0,
        }
    }

    /// An RPC has been executed.
    pub fn served(&mut self, rpc: &Rpc, written: u64, read: u64) {
        self.operations[usize::from(rpc.operation)].count += 1;
        let Peer::Server(target) = rpc.to else { return };
        let Some(load) = self.targets.get_mut(target.0 as usize) else { return };
        load.rpcs += 1;
        load.service += rpc.service;
        load.bytes_written += written;
        load.bytes_read += read;
    }

    /// A process updates a part of a chunk.
    pub fn update_kind(&mut self, part: &Part) {
        if let Redundancy::ErasureCode { data, .. } = part.redundancy {
            let (first, last) = part.full_stripes();
            match (last - first) * u64::from(data) * part.cell == part.bytes() {
                true => self.full_stripes += 1,
                false => self.partial_stripes += 1,
            }
        }
    }

    /// A thread begins with an RPC.
    pub fn started(&mut self, operation: u8) {
        let of = &mut self.operations[usize::from(operation)];
        of.active += 1;
        of.most_active = of.most_active.max(of.active);
    }

    /// An RPC is replied to, which has `bytes`, `span` after its start.
    pub fn ended(&mut self, operation: u8, bytes: u64, span: Span) {
        self.operations[usize::from(operation)].active -= 1;
        let kind = match operation {
            operation::UPDATE => 0,
            operation::FETCH => 1,
            _ => return,
        };
        let size = SIZES.iter().position(|&(most, _)| bytes <= most).unwrap_or(SIZES.len() - 1);
        let of = &mut self.latencies[kind][size];
        of.count += 1;
        of.sum += span;
        of.longest = of.longest.max(span);
    }

    /// Fullest engine and fullest target, relative to the mean.
    pub fn imbalance(&self, per_engine: usize) -> Option<(f64, f64)> {
        let bytes = |load: &TargetLoad| load.bytes_written + load.bytes_read;
        let all: u64 = self.targets.iter().map(bytes).sum();
        if all == 0 {
            return None;
        }
        let engines = self.targets.chunks(per_engine);
        let n_engines = engines.len();
        let engine = engines.map(|of| of.iter().map(bytes).sum::<u64>()).max()?;
        let target = self.targets.iter().map(bytes).max()?;
        let ratio = |most: u64, n: usize| most as f64 * n as f64 / all as f64;
        Some((ratio(engine, n_engines), ratio(target, self.targets.len())))
    }

    pub fn list(&self) -> Vec<(String, u64)> {
        let mut all: Vec<(String, u64)> = operation::NAMES
            .iter()
            .zip(self.operations)
            .flat_map(|(name, of)| {
                let active = (format!("io/ops/{name}/active/max"), of.most_active);
                [(format!("pool/ops/{name}"), of.count), active]
            })
            .collect();
        let sum = |of: fn(&TargetLoad) -> u64| self.targets.iter().map(of).sum();
        all.push(("pool/xferred/update".to_string(), sum(|load| load.bytes_written)));
        all.push(("pool/xferred/fetch".to_string(), sum(|load| load.bytes_read)));
        all.push(("pool/EC_update/full_stripe".to_string(), self.full_stripes));
        all.push(("pool/EC_update/partial".to_string(), self.partial_stripes));
        for (kind, latencies) in ["update", "fetch"].into_iter().zip(&self.latencies) {
            for ((_, size), of) in SIZES.iter().zip(latencies) {
                let Some(mean) = of.sum.0.checked_div(of.count) else { continue };
                let name = |what: &str| format!("io/latency/{kind}/{size}/{what}_us");
                all.push((name("mean"), mean / 1_000_000));
                all.push((name("max"), of.longest.0 / 1_000_000));
            }
        }
        all
    }
}
