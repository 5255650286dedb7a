//! The end of a run: blocked ranks, and totals.

use super::{JobState, Waiter, World};
use crate::outcome::{Blocked, End, Engine, JobOutcome, Outcome, PairTraffic};
use base::Time;
use machine::NicId;
use mpi::Pattern;
use mpi::limits::Matches;
use net::{Counters, LinkTraffic, NetworkModel};
use std::collections::BTreeMap;
use workload::wire::PRIVATE_CONTEXT;
use workload::{WORLD, Workload};

impl<N: NetworkModel, W: Workload> World<'_, N, W> {
    /// In a sample: start time of each simulated round and end of the last, ps, summed over ranks.
    pub fn round_starts(&self) -> &[u128] {
        &self.round_starts
    }

    /// Messages that have arrived at each rank and were not received.
    pub fn unreceived(&self) -> impl Iterator<Item = u64> {
        self.ranks.iter().map(|rank| rank.unexpected().count() as u64)
    }

    /// What each blocked rank waits for. No event is pending any more.
    pub(super) fn blocked(&self) -> Vec<Blocked> {
        let mut blocked = Vec::new();
        for (at, rank) in self.ranks.iter().enumerate() {
            let mut add = |what: String| {
                let node = self.job.placements[at].node;
                blocked.push(Blocked { rank: at as u32, node, what });
            };
            let first = self.jobs[rank.job as usize].first;
            if let Some(inbox) = &rank.inbox {
                for (pattern, waiter) in inbox.matching.posted() {
                    if let Waiter::User { .. } = waiter {
                        add(format!("receive {}", describe(pattern, first)));
                    }
                }
                for &(pattern, ..) in &inbox.probes {
                    add(format!("probe {}", describe(pattern, first)));
                }
            }
            for run in self.runs_of(at as u32) {
                let run = &self.runs[run];
                add(self.describe_run(run));
            }
        }
        for (rank, what) in self.waiting_for_locks() {
            blocked.push(Blocked { rank, node: self.job.placements[rank as usize].node, what });
        }
        for (rank, what) in self.waiting_to_send() {
            blocked.push(Blocked { rank, node: self.job.placements[rank as usize].node, what });
        }
        for pair in self.unmatched_sends() {
            let (from, to, tag, bytes) = pair;
            let node = self.job.placements[from as usize].node;
            let to = self.own_number(to);
            let what = format!("send to rank {to}, tag {tag}, {bytes} B: no receive was posted");
            blocked.push(Blocked { rank: from, node, what });
        }
        blocked.sort_by_key(|b| b.rank);
        blocked
    }

    pub(super) fn outcome(&mut self, end: End) -> Outcome {
        let end_is_final = end == End::Finished;
        // With an empty queue, counters are final and can be moved.
        let is_quiet = self.queue.is_empty();
        let engine = Engine {
            events: self.events,
            packets: self.counters.injected_packets,
            packet_hops: self.counters.hops,
            bytes: (self.net.bytes() + self.queue.bytes()) as u64,
        };
        let mut counters =
            if is_quiet { std::mem::take(&mut self.counters) } else { self.counters.clone() };
        self.net.report(&mut counters);
        let jobs: Vec<JobOutcome> =
            self.jobs.iter().map(|job| self.job_outcome(job, &counters)).collect();
        let last = jobs.iter().map(|job| job.time).max().unwrap_or(Time::ZERO);
        let time = if end_is_final { last } else { self.job_time() };
        let mut by_distance = [(0, 0); 4];
        for (sum, one) in jobs.iter().flat_map(|job| (0..4).zip(job.by_distance)) {
            let sum: &mut (u64, u64) = &mut by_distance[sum];
            *sum = (sum.0 + one.0, sum.1 + one.1);
        }
        let mut pairs: Vec<PairTraffic> = self
            .pairs
            .iter()
            .map(|((from, to), p)| PairTraffic { from, to, messages: p.messages, bytes: p.bytes })
            .collect();
        pairs.sort_by_key(|p| (p.from, p.to));
        Outcome {
            end,
            time,
            digest: self.digest,
            engine,
            by_distance,
            pairs,
            counters,
            jobs,
            background: self.sources.outcome(self.job, time - Time::ZERO),
            limit_report: self.limit_report(),
            matches: self.matches(),
        }
    }

    fn matches(&self) -> BTreeMap<(NicId, u32), Matches> {
        let mut by_engine: BTreeMap<(NicId, u32), Matches> = BTreeMap::new();
        for (placement, (engine, matches)) in
            self.job.placements.iter().zip(self.limit_checker.limits.matches())
        {
            if matches != Matches::default() {
                by_engine.entry((placement.nic, engine)).or_default().add(matches);
            }
        }
        by_engine
    }

    fn job_outcome(&self, job: &JobState, counters: &Counters) -> JobOutcome {
        let machine = &self.job.machine;
        let mut nics: Vec<NicId> = (job.first..job.first + job.ranks)
            .map(|r| self.job.placements[r as usize].nic)
            .collect();
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
