//! Several jobs as one workload. Each has its own ranks, communicators and tokens, and is
//! independent of the others.

use crate::{ANY_SOURCE, Call, Context, FileId, Op, OpCompletion, Token, Workload};
use base::Time;

/// The ranks of the first job, then those of the second, and so on.
pub struct MultiJob<W> {
    pub jobs: Vec<W>,
    /// The first rank of each job, and one past the last.
    first: Vec<u32>,
    done: Vec<OpCompletion>,
}

impl<W: Workload> MultiJob<W> {
    pub fn new(jobs: Vec<W>) -> MultiJob<W> {
        let mut first = vec![0];
        for job in &jobs {
            first.push(first.last().expect("not empty") + job.ranks());
        }
        MultiJob { jobs, first, done: Vec::new() }
    }

    /// The first rank of each job.
    pub fn firsts(&self) -> &[u32] {
        &self.first[..self.jobs.len()]
    }

    /// Forwards to one job, and translates the ranks in its calls to those of the whole workload.
    fn forward(
        &mut self,
        job: usize,
        calls: &mut Vec<Call>,
        what: impl FnOnce(&mut W, &mut Vec<Call>),
    ) {
        if self.jobs[job].is_stopped() {
            return;
        }
        let from = calls.len();
        what(&mut self.jobs[job], calls);
        let first = self.first[job];
        let jobs = self.jobs.len() as u32;
        let number_of = |file: FileId| file.saturating_mul(jobs).saturating_add(job as u32);
        for call in &mut calls[from..] {
            call.rank += first;
            match &mut call.op {
                Op::Send { to, .. }
                | Op::OneSided { to, .. }
                | Op::Lock { to, .. }
                | Op::Unlock { to, .. } => *to += first,
                Op::Recv { from, .. } | Op::Probe { from, .. } => {
                    *from += if *from == ANY_SOURCE { 0 } else { first };
                }
                Op::Pause
                | Op::Alarm { .. }
                | Op::Delay { .. }
                | Op::MatchedRecv { .. }
                | Op::Cancel { .. }
                | Op::Collective { .. }
                | Op::Storage { .. }
                | Op::Region { .. }
                | Op::Join { .. }
                | Op::Leave { .. }
                | Op::SendLayout(_)
                | Op::RecvLayout(_)
                | Op::Nics { .. }
                | Op::Layout { .. }
                | Op::Requests(_)
                | Op::Exit => {}
                // Files of several jobs differ. Numbers stay dense.
                Op::File(call) => {
                    for file in [&mut call.file, &mut call.parent, &mut call.other] {
                        *file = number_of(*file);
                    }
                }
                Op::Lookup { parent, file, .. } => {
                    (*parent, *file) = (number_of(*parent), number_of(*file));
                }
            }
        }
    }
}

impl<W: Workload> Workload for MultiJob<W> {
    fn ranks(&self) -> u32 {
        *self.first.last().expect("not empty")
    }
    fn members(&self, job: u32, context: Context) -> &[u32] {
        self.jobs[job as usize].members(0, context)
    }
    fn start(&mut self, calls: &mut Vec<Call>) {
        for job in 0..self.jobs.len() {
            self.forward(job, calls, |w, calls| w.start(calls));
        }
    }
    fn resume(&mut self, now: Time, done: &[OpCompletion], calls: &mut Vec<Call>) {
        let mut rest = done;
        for job in 0..self.jobs.len() {
            let end = self.first[job + 1];
            let n = rest.partition_point(|d| d.rank < end);
            if n == 0 {
                continue;
            }
            let first = self.first[job];
            let mut own = std::mem::take(&mut self.done);
            own.clear();
            // A peer is a rank of the same job, or none.
            let own_number = |d: &OpCompletion| OpCompletion {
                rank: d.rank - first,
                peer: d.peer.saturating_sub(first),
                ..*d
            };
            own.extend(rest[..n].iter().map(own_number));
            rest = &rest[n..];
            self.forward(job, calls, |w, calls| w.resume(now, &own, calls));
            self.done = own;
        }
    }
    fn describe(&mut self, rank: u32, token: Token, text: String) {
        let job = self.first.partition_point(|&first| first <= rank) - 1;
        self.jobs[job].describe(rank - self.first[job], token, text);
    }
    fn stalled(&mut self, now: Time, calls: &mut Vec<Call>) {
        for job in 0..self.jobs.len() {
            self.forward(job, calls, |w, calls| w.stalled(now, calls));
        }
    }
    fn alarms_only(&mut self, job: u32, now: Time, calls: &mut Vec<Call>) {
        self.forward(job as usize, calls, |w, calls| w.alarms_only(0, now, calls));
    }
    fn is_finished(&self) -> bool {
        self.jobs.iter().all(W::is_finished)
    }
    fn has_ended(&self, job: u32) -> bool {
        self.jobs[job as usize].has_ended(0)
    }
    /// A job that was ended from within ends alone: the others continue.
    fn is_stopped(&self) -> bool {
        self.jobs.iter().any(W::is_stopped) && self.jobs.iter().all(|w| w.has_ended(0))
    }
}
