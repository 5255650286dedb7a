//! The end of a run: blocked ranks, and totals.

use super::World;
use crate::component::Component;
use crate::kernel::{JobState, Kernel};
use crate::outcome::{Blocked, End, Engine, JobOutcome, Outcome, PairTraffic};
use crate::transport::Transport;
use base::{Digest, Time};
use machine::NicId;
use mpi::Pattern;
use mpi::limits::Matches;
use net::{CongestionCounters, Counters, LinkTraffic, NetworkModel, NicCounters};
use std::collections::BTreeMap;
use workload::wire::PRIVATE_CONTEXT;
use workload::{WORLD, Workload};

impl<N: NetworkModel, W: Workload, C: Component<N>> World<'_, N, W, C> {
    /// In a sample: start time of each simulated round and end of the last, ps, summed over ranks.
    pub fn round_starts(&self) -> &[u128] {
        &self.collectives.round_starts
    }

    /// Messages that have arrived at each rank and were not received.
    pub fn unreceived(&self) -> impl Iterator<Item = u64> {
        let ranks = 0..self.transport.kernel.ranks.len() as u32;
        ranks.map(|rank| self.point_to_point.unexpected(rank).count() as u64)
    }

    /// Why the run ends.
    pub(super) fn end(&mut self, interrupted: bool) -> End {
        let (kernel, limit_checker) =
            (&mut self.transport.kernel, &mut self.transport.limit_checker);
        if interrupted {
            End::Interrupted
        } else if let Some(erroneous_call) = kernel.erroneous_call.take() {
            End::Erroneous(erroneous_call)
        } else if let Some(failed) = self.failures.failed.take() {
            End::Failed(failed)
        } else if let Some(exhausted) = limit_checker.take_exhausted() {
            End::Exhausted(exhausted)
        } else if self.workload.is_stopped() {
            End::Stopped
        } else if self.workload.is_finished() {
            End::Finished
        } else if let Some(blocked_by_limit) = limit_checker.blocked_by_limit(kernel) {
            End::Exhausted(blocked_by_limit)
        } else {
            End::Deadlock(self.blocked())
        }
    }

    /// What each blocked rank waits for. No event is pending any more.
    fn blocked(&self) -> Vec<Blocked> {
        let kernel = &self.transport.kernel;
        let mut blocked = Vec::new();
        let mut add =
            |rank: u32, what| blocked.push(Blocked { rank, node: kernel.node_of(rank), what });
        for (at, rank) in (0..).zip(&kernel.ranks) {
            let first = kernel.first_rank(rank.job);
            for (what, pattern) in self.point_to_point.waiting(at) {
                add(at, format!("{what} {}", describe(pattern, first)));
            }
            for what in self.collectives.describe_runs(kernel, &self.workload, at) {
                add(at, what);
            }
        }
        for (rank, what) in self.onesided.waiting_for_locks(kernel) {
            add(rank, what);
        }
        for (rank, what) in self.transport.limit_checker.waiting_to_send() {
            add(rank, what);
        }
        for (rank, what) in self.file_systems.waiting() {
            add(rank, what);
        }
        for (send, tag) in self.point_to_point.unmatched_sends(&self.transport.sends) {
            let (to, bytes) = (kernel.own_number(send.to), send.bytes);
            let what = format!("send to rank {to}, tag {tag}, {bytes} B: no receive was posted");
            add(send.from, what);
        }
        blocked.sort_by_key(|b| b.rank);
        blocked
    }

    pub(super) fn outcome(&mut self, end: End) -> Outcome {
        let end_is_final = end == End::Finished;
        let threads = self.thread_use();
        let kernel = &mut self.transport.kernel;
        // With an empty queue, counters are final and can be moved.
        let is_quiet = kernel.queue.is_empty() && kernel.network.is_quiet();
        let mut counters =
            if is_quiet { std::mem::take(&mut kernel.counters) } else { kernel.counters.clone() };
        kernel.network.report(&mut counters);
        let engine = Engine {
            events: kernel.events,
            packets: counters.injected_packets,
            packet_hops: counters.hops,
            used: N::HAS_WINDOWS.then_some(self.engine.used),
            threads,
            bytes: (kernel.network.bytes() + kernel.queue.bytes()) as u64,
        };
        let mut digest = kernel.digest;
        add_counters(&mut digest, &counters);
        let jobs: Vec<JobOutcome> =
            kernel.jobs.iter().map(|job| job_outcome(kernel, job, &counters)).collect();
        let last = jobs.iter().map(|job| job.time).max().unwrap_or(Time::ZERO);
        let time = if end_is_final { last } else { kernel.job_time() };
        let mut by_distance = [(0, 0); 4];
        for (sum, one) in jobs.iter().flat_map(|job| (0..4).zip(job.by_distance)) {
            let sum: &mut (u64, u64) = &mut by_distance[sum];
            *sum = (sum.0 + one.0, sum.1 + one.1);
        }
        let mut pairs: Vec<PairTraffic> = self
            .transport
            .pairs
            .iter()
            .map(|((from, to), p)| PairTraffic { from, to, messages: p.messages, bytes: p.bytes })
            .collect();
        pairs.sort_by_key(|p| (p.from, p.to));
        let file_systems = self.file_systems.outcome(kernel);
        Outcome {
            end,
            time,
            digest,
            engine,
            by_distance,
            pairs,
            counters,
            jobs,
            background: self.sources.outcome(kernel.job, time - Time::ZERO),
            limit_report: self.transport.limit_checker.report(self.collectives.offload.timeouts),
            matches: self.matches(),
            file_systems,
        }
    }

    fn matches(&self) -> BTreeMap<(NicId, u32), Matches> {
        let mut by_engine: BTreeMap<(NicId, u32), Matches> = BTreeMap::new();
        let Transport { kernel, limit_checker, .. } = &self.transport;
        let matches = limit_checker.limits.matches();
        for (placement, (engine, matches)) in kernel.job.placements.iter().zip(matches) {
            if matches != Matches::default() {
                by_engine.entry((placement.nic, engine)).or_default().add(matches);
            }
        }
        by_engine
    }
}

/// Adds all counters to the digest of a run.
fn add_counters(digest: &mut Digest, counters: &Counters) {
    for (link, carried) in counters.links.iter() {
        let (stalled, queue) = (counters.stalled[link].0, counters.queue_max[link]);
        if (carried.packets, stalled, queue) != (0, 0, 0) {
            let of_link = [carried.bytes, carried.packets, stalled, queue.into()];
            digest.mix(u64::from(link.0));
            of_link.into_iter().for_each(|count| digest.mix(count));
        }
    }
    for (nic, of_nic) in counters.nics.iter().filter(|(_, one)| **one != NicCounters::default()) {
        let &NicCounters { requests, timeouts, resent, replays_out, replays_in, onsets } = of_nic;
        digest.mix(u64::from(nic.0));
        let counts = [requests, timeouts, resent, replays_out, replays_in, onsets];
        counts.into_iter().for_each(|count| digest.mix(count));
    }
    for of_class in &counters.by_class {
        of_class.raw.iter().for_each(|&packets| digest.mix(packets));
    }
    let c = counters;
    let CongestionCounters { onsets, holds, credits, returned } = c.congestion;
    let packets = [c.injected_packets, c.delivered_packets, c.delivered_payload, c.responses];
    let paths = [c.hops, c.nonminimal, c.link_retries, c.lost_packets, c.timeouts];
    let rest = [c.resent_packets, c.failed_messages, onsets, holds, credits, returned];
    packets.into_iter().chain(paths).chain(rest).for_each(|count| digest.mix(count));
}

fn job_outcome<N: NetworkModel>(
    kernel: &Kernel<'_, N>,
    job: &JobState,
    counters: &Counters,
) -> JobOutcome {
    let machine = &kernel.job.machine;
    let ranks = job.first..job.first + job.ranks;
    let mut nics: Vec<NicId> = ranks.map(|rank| kernel.nic_of(rank)).collect();
    nics.sort_unstable();
    nics.dedup();
    let mut sent = LinkTraffic::default();
    nics.iter().for_each(|&nic| sent += counters.links[machine.injection(nic)]);
    JobOutcome {
        first: job.first,
        ranks: job.ranks,
        time: job.last_completion,
        digest: job.digest,
        by_distance: job.by_distance,
        packets: sent.packets,
        wire_bytes: sent.bytes,
    }
}

fn describe(pattern: Pattern, first: u32) -> String {
    let source = match pattern.from {
        workload::ANY_SOURCE => "any rank".to_string(),
        rank => format!("rank {}", rank - first),
    };
    let tag = match pattern.tag {
        workload::ANY_TAG => "any tag".to_string(),
        tag => format!("tag {tag}"),
    };
    match pattern.context & !PRIVATE_CONTEXT {
        WORLD => format!("from {source}, {tag}"),
        context => format!("from {source}, {tag}, communicator {context}"),
    }
}
