//! A schedule: the calls of all ranks as a dependency graph.
//!
//! Each rank has a sequence of steps. A step is one or more calls, made in order at the instant at
//! which the last call that the step needs has completed. Steps without dependencies start the run.
//! Schedule files of other tools (`goal`) and recorded runs (`record`) are read into this form.

pub mod goal;
pub mod record;

use crate::wire::PRIVATE_CONTEXT;
use crate::{
    Call, Context, FileCall, FileCallKind, Op, OpCompletion, SendMode, Token, WORLD, Workload,
};
use base::{Span, Time};
use collectives::{Algorithm, Case, NodeMap};
use std::collections::{BTreeMap, VecDeque};

/// An error in a file: its place, what was found, and what was expected.
#[derive(Clone, Debug, PartialEq)]
pub struct ScheduleError {
    pub at: String,
    pub found: String,
    pub expected: String,
}

/// The errors in a file, up to a limit.
#[derive(Default)]
pub(crate) struct ScheduleErrors {
    list: Vec<ScheduleError>,
    more: usize,
}

impl ScheduleErrors {
    const MAX_ERRORS: usize = 40;

    pub fn add(&mut self, at: impl Into<String>, found: impl Into<String>, expected: &str) {
        if self.list.len() == Self::MAX_ERRORS {
            self.more += 1;
            return;
        }
        let (at, found) = (at.into(), found.into());
        self.list.push(ScheduleError { at, found, expected: expected.to_string() });
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn finish<T>(mut self, value: T) -> Result<T, Vec<ScheduleError>> {
        if self.is_empty() {
            return Ok(value);
        }
        if self.more > 0 {
            let found = format!("{} more", self.more);
            self.list.push(ScheduleError {
                at: "and".into(),
                found,
                expected: "corrections of the errors above first".into(),
            });
        }
        Err(self.list)
    }
}

/// What a call does. Frequent operations are stored here, others in a list of their own, to keep
/// schedules of many million messages small.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    Pause,
    Delay { span: Span },
    Send { to: u32, context: Context, tag: i32, bytes: u64, mode: SendMode },
    Recv { from: u32, context: Context, tag: i32, bytes: u64 },
    Other(u32),
}

/// A call and the computation before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScheduledCall {
    pub after: Span,
    pub action: Action,
}
const _: () = assert!(size_of::<ScheduledCall>() == 32);

/// The longest computation of one rank, and the latest time of a call. Simulated time ends after
/// 213 days, so calls in flight then can still complete.
pub const MAX_COMPUTE: Span = Span(50 * 86_400 * 1_000_000_000_000);
const MAX_TIME: Time = Time(110 * 86_400 * 1_000_000_000_000);
/// Longest message, and longest buffer of a collective: 1 TiB, more than any rank has.
pub const MAX_BYTES: u64 = 1 << 40;
/// Largest number of ranks, equal to the limit on other counters.
pub const MAX_RANKS: u32 = 1 << 24;

/// Bytes of messages and buffers: the longest, the total including cache lines of packed data, and
/// bytes of storage.
#[derive(Clone, Copy, Default, Debug)]
pub struct Volume {
    pub longest: u64,
    pub total: u64,
    pub stored: u64,
    /// Bytes read and written on simulated file systems.
    pub filed: u64,
    /// Members of datatypes that are packed one by one.
    pub members: u64,
}

impl Volume {
    fn add(&mut self, bytes: u64) {
        self.longest = self.longest.max(bytes);
        self.total = self.total.saturating_add(bytes);
    }
}

/// Columns by step, by call and by edge. Ranks, and the calls of a rank, are consecutive.
#[derive(Clone, Debug)]
pub struct Schedule {
    pub ranks: u32,
    /// The first step of each rank, and one past the last.
    first_step: Vec<u32>,
    /// The first call of each step, and one past the last.
    first_call: Vec<u32>,
    /// By step: the number of completions it waits for.
    needs: Vec<u32>,
    scheduled: Vec<ScheduledCall>,
    others: Vec<Op>,
    /// By call: the index in `successors` of the steps that need it; and one past the last.
    successor_start: Vec<u32>,
    successors: Vec<u32>,
    /// By step: its computing thread. Empty where every rank has only one.
    thread: Vec<u32>,
    n_threads: u32,
    /// Members, in rank order, of every communicator but the world.
    communicators: BTreeMap<Context, Vec<u32>>,
    /// By collective in `others`: the case of its first member, by which the algorithm is chosen.
    cases: Vec<(u32, Case)>,
    /// By call: the NICs of a send, as in `Op::Nics`. Empty if the file names only NIC 0.
    nics: Vec<[u8; 2]>,
    /// Every NIC but 0 that the file names: rank, NIC, and position in the file.
    named: Vec<(u32, u8, FilePosition)>,
}

/// The position of an operation in a file.
#[derive(Clone, Copy, PartialEq, Debug)]
enum FilePosition {
    Line(u32),
    Number { rank: u32, op: u32 },
}

impl std::fmt::Display for FilePosition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FilePosition::Line(line) => write!(f, "line {line}"),
            FilePosition::Number { rank, op } => write!(f, "rank {rank}, operation {op}"),
        }
    }
}

impl Schedule {
    /// Number of calls.
    pub fn calls(&self) -> usize {
        self.scheduled.len()
    }

    /// Number of file systems that its calls name: the largest number plus 1.
    pub fn file_systems(&self) -> usize {
        let file_system = |op: &Op| match op {
            Op::File(FileCall { file_system, .. })
            | Op::Lookup { file_system, .. }
            | Op::Layout { file_system, .. } => usize::from(*file_system) + 1,
            _ => 0,
        };
        self.others.iter().map(file_system).max().unwrap_or(0)
    }

    /// The bytes that the schedule moves.
    pub fn volume(&self) -> Volume {
        let mut volume = Volume::default();
        for scheduled in &self.scheduled {
            match scheduled.action {
                Action::Send { bytes, .. } => volume.add(bytes),
                Action::Other(at) => match &self.others[at as usize] {
                    Op::Collective { call, .. } => volume.add(call.buffer_bytes()),
                    Op::OneSided { request_bytes: out, response_bytes: back, .. } => {
                        volume.add(*out);
                        volume.add(*back);
                    }
                    Op::SendLayout(layout) | Op::RecvLayout(layout) => {
                        // A value takes at most as long as a byte.
                        let most = layout.bytes.max(layout.touched);
                        volume.total = volume.total.saturating_add(most);
                        volume.members = volume.members.saturating_add(layout.members);
                    }
                    Op::Storage { bytes, .. } => {
                        volume.stored = volume.stored.saturating_add(*bytes);
                    }
                    Op::File(FileCall {
                        kind: FileCallKind::Read | FileCallKind::Write,
                        bytes,
                        ..
                    }) => {
                        volume.filed = volume.filed.saturating_add(*bytes);
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        volume
    }

    /// Chooses the algorithm of every collective again, for ranks on these nodes.
    pub fn choose(&mut self, nodes: &[u32], choose: &dyn Fn(&Case) -> Algorithm) {
        let mut known: BTreeMap<Context, NodeMap> = BTreeMap::new();
        for (at, case) in &self.cases {
            let Op::Collective { context, call } = &mut self.others[*at as usize] else {
                unreachable!("meetings are of collectives")
            };
            let mut case = *case;
            let of = |members: &[u32]| NodeMap::new(members.iter().map(|&m| nodes[m as usize]));
            let nodes =
                known.entry(*context).or_insert_with(|| match self.communicators.get(context) {
                    Some(members) => of(members),
                    None => NodeMap::new(nodes.iter().copied()),
                });
            case.nodes = nodes.count();
            case.consecutive = nodes.are_consecutive();
            call.nodes = Some(nodes.clone());
            call.algorithm = case.fit(choose(&case));
        }
    }

    /// Errors for named NICs that the node of the rank does not have. `of` returns the number of
    /// NICs of a rank's node.
    pub fn missing_nics(&self, of: impl Fn(u32) -> u32) -> Vec<ScheduleError> {
        let mut errors = ScheduleErrors::default();
        for &(rank, nic, place) in
            self.named.iter().filter(|named| u32::from(named.1) >= of(named.0))
        {
            let expected = match of(rank) {
                1 => format!("`nic 0`: the node of rank {rank} has one NIC"),
                n => format!("a NIC of the node of rank {rank}, 0 to {}", n - 1),
            };
            errors.add(place.to_string(), format!("nic {nic}"), &expected);
        }
        errors.finish(()).err().unwrap_or_default()
    }

    /// Scales all computation. Returns false without a change if a rank's computation would exceed
    /// `MAX_COMPUTE`.
    #[must_use]
    pub fn scale(&mut self, factor: f64) -> bool {
        let scaled = |span: Span| Span(((span.0 as f64) * factor).round() as u64);
        if self.computed().into_iter().any(|span| scaled(span) > MAX_COMPUTE) {
            return false;
        }
        for scheduled in &mut self.scheduled {
            scheduled.after = scaled(scheduled.after);
            if let (Action::Delay { span }, true) = (&mut scheduled.action, self.n_threads > 0) {
                // Where ranks have several computing threads, delays are their computation.
                *span = scaled(*span);
            }
        }
        true
    }

    /// The computation of each rank, on its CPU or its threads.
    pub fn computed(&self) -> Vec<Span> {
        let of_rank = |rank: usize| {
            let calls = self.calls_of(rank as u32);
            self.scheduled[calls].iter().map(|scheduled| match scheduled.action {
                Action::Delay { span } if self.n_threads > 0 => scheduled.after + span,
                _ => scheduled.after,
            })
        };
        (0..self.ranks as usize).map(|rank| of_rank(rank).sum()).collect()
    }

    fn calls_of(&self, rank: u32) -> std::ops::Range<usize> {
        let step = |at: u32| self.first_call[self.first_step[at as usize] as usize] as usize;
        step(rank)..step(rank + 1)
    }
}

/// Collects steps in rank order.
pub(crate) struct Builder {
    first_step: Vec<u32>,
    first_call: Vec<u32>,
    needs: Vec<u32>,
    scheduled: Vec<ScheduledCall>,
    others: Vec<Op>,
    edges: Vec<(u32, u32)>,
    thread: Vec<u32>,
    n_threads: u32,
}

impl Builder {
    pub fn new() -> Builder {
        Builder {
            first_step: Vec::new(),
            first_call: Vec::new(),
            needs: Vec::new(),
            scheduled: Vec::new(),
            others: Vec::new(),
            edges: Vec::new(),
            thread: Vec::new(),
            n_threads: 0,
        }
    }

    pub fn begin_rank(&mut self) {
        self.first_step.push(self.needs.len() as u32);
    }

    /// Begins a step; returns its number.
    pub fn begin_step(&mut self) -> u32 {
        self.first_call.push(self.scheduled.len() as u32);
        self.needs.push(0);
        self.needs.len() as u32 - 1
    }

    /// The current step occupies a computing thread.
    pub fn occupy(&mut self, thread: u32) {
        self.thread.resize(self.needs.len(), NONE);
        *self.thread.last_mut().expect("a step was begun") = thread;
        self.n_threads = self.n_threads.max(thread + 1);
    }

    /// Adds a call to the current step; returns its number.
    pub fn call(&mut self, after: Span, action: Action) -> u32 {
        self.scheduled.push(ScheduledCall { after, action });
        self.scheduled.len() as u32 - 1
    }

    pub fn other(&mut self, op: Op) -> Action {
        self.others.push(op);
        Action::Other(self.others.len() as u32 - 1)
    }

    pub fn need(&mut self, call: u32, step: u32) {
        self.needs[step as usize] += 1;
        self.edges.push((call, step));
    }

    pub fn build(
        mut self,
        communicators: BTreeMap<Context, Vec<u32>>,
        cases: Vec<(u32, Case)>,
    ) -> Schedule {
        let ranks = self.first_step.len() as u32;
        self.first_step.push(self.needs.len() as u32);
        self.first_call.push(self.scheduled.len() as u32);
        if self.n_threads > 0 {
            self.thread.resize(self.needs.len(), NONE);
        }
        let mut schedule = Schedule {
            ranks,
            first_step: self.first_step,
            first_call: self.first_call,
            needs: self.needs,
            successor_start: vec![0; self.scheduled.len() + 1],
            successors: vec![0; self.edges.len()],
            scheduled: self.scheduled,
            others: self.others,
            thread: self.thread,
            n_threads: self.n_threads,
            communicators,
            cases,
            nics: Vec::new(),
            named: Vec::new(),
        };
        for &(call, _) in &self.edges {
            schedule.successor_start[call as usize + 1] += 1;
        }
        for call in 0..schedule.scheduled.len() {
            schedule.successor_start[call + 1] += schedule.successor_start[call];
        }
        let mut next = schedule.successor_start.clone();
        // Of steps that become ready at once, those without computation go first, as a call after a
        // computation waits for its end.
        for computes in [false, true] {
            for &(call, step) in &self.edges {
                if schedule.computes(step) == computes {
                    let at = &mut next[call as usize];
                    schedule.successors[*at as usize] = step;
                    *at += 1;
                }
            }
        }
        schedule
    }
}

const NONE: u32 = u32::MAX;

impl Schedule {
    fn step(&self, step: u32) -> std::ops::Range<usize> {
        self.first_call[step as usize] as usize..self.first_call[step as usize + 1] as usize
    }

    fn computes(&self, step: u32) -> bool {
        self.scheduled[self.step(step)].iter().any(|scheduled| match scheduled.action {
            Action::Delay { .. } => true,
            _ => scheduled.after > Span::ZERO,
        })
    }

    /// The first step of a rank that is part of a dependency cycle, or depends on one: steps that
    /// are not reached by executing ready steps.
    pub(crate) fn cycle(&self, rank: u32) -> Option<u32> {
        let (first, last) = (self.first_step[rank as usize], self.first_step[rank as usize + 1]);
        let mut unmet: Vec<u32> = self.needs[first as usize..last as usize].to_vec();
        let mut ready: Vec<u32> = (first..last).filter(|&s| self.needs[s as usize] == 0).collect();
        while let Some(step) = ready.pop() {
            for call in self.step(step) {
                let (from, to) =
                    (self.successor_start[call] as usize, self.successor_start[call + 1] as usize);
                for &next in &self.successors[from..to] {
                    let unmet = &mut unmet[(next - first) as usize];
                    *unmet -= 1;
                    if *unmet == 0 {
                        ready.push(next);
                    }
                }
            }
        }
        unmet.iter().position(|&unmet| unmet > 0).map(|at| first + at as u32)
    }
}

/// One of several computing threads of a rank: it executes one step at a time, in order of arrival.
#[derive(Default)]
struct ComputeThread {
    busy: bool,
    waiting: VecDeque<u32>,
}

/// A schedule in execution.
pub struct Dag {
    schedule: Schedule,
    world: Vec<u32>,
    /// By rank: its first call; its tokens are relative to it.
    base: Vec<u32>,
    /// By step: the number of outstanding completions.
    unmet: Vec<u32>,
    threads: Vec<ComputeThread>,
    /// Calls that have not completed.
    remaining: usize,
    /// By rank: the time of its last completion so far.
    pub end_times: Vec<Time>,
    /// By rank: the time in which nothing progressed because another rank was not ready.
    pub wait_times: Vec<Span>,
    /// By rank: when its CPU finishes the computation submitted so far.
    cpu_free_at: Vec<Time>,
    /// A rank that would continue beyond the end of simulated time.
    pub rank_past_end: Option<u32>,
}

impl Dag {
    pub fn new(mut schedule: Schedule) -> Dag {
        let base = (0..schedule.ranks).map(|rank| schedule.calls_of(rank).start as u32).collect();
        Dag {
            world: (0..schedule.ranks).collect(),
            base,
            unmet: std::mem::take(&mut schedule.needs),
            threads: (0..schedule.n_threads).map(|_| ComputeThread::default()).collect(),
            remaining: schedule.calls(),
            end_times: vec![Time::ZERO; schedule.ranks as usize],
            wait_times: vec![Span::ZERO; schedule.ranks as usize],
            cpu_free_at: vec![Time::ZERO; schedule.ranks as usize],
            rank_past_end: None,
            schedule,
        }
    }

    /// Calls that have not completed.
    pub fn remaining(&self) -> usize {
        self.remaining
    }

    /// All dependencies of the step have completed.
    fn ready(&mut self, now: Time, rank: u32, step: u32, calls: &mut Vec<Call>) {
        if let Some(&thread) = self.schedule.thread.get(step as usize)
            && thread != NONE
        {
            let thread = &mut self.threads[thread as usize];
            if std::mem::replace(&mut thread.busy, true) {
                thread.waiting.push_back(step);
                return;
            }
        }
        self.submit(now, rank, step, calls);
    }

    fn submit(&mut self, now: Time, rank: u32, step: u32, calls: &mut Vec<Call>) {
        if now > MAX_TIME {
            self.rank_past_end = Some(rank);
        }
        let base = self.base[rank as usize];
        let cpu_free_at = &mut self.cpu_free_at[rank as usize];
        *cpu_free_at = now.max(*cpu_free_at);
        for call in self.schedule.step(step) {
            let ScheduledCall { after, action } = self.schedule.scheduled[call];
            *cpu_free_at += after;
            let op = match action {
                Action::Pause => Op::Pause,
                Action::Delay { span } => Op::Delay { span },
                Action::Send { to, context, tag, bytes, mode } => {
                    Op::Send { to, context, tag, bytes, mode }
                }
                Action::Recv { from, context, tag, bytes } => {
                    Op::Recv { from, context, tag, bytes }
                }
                Action::Other(at) => self.schedule.others[at as usize].clone(),
            };
            if let (Op::Send { .. }, Some(&[own, peer])) = (&op, self.schedule.nics.get(call)) {
                let (token, op) = (call as Token - base, Op::Nics { own, peer });
                calls.push(Call { rank, token, after: Span::ZERO, op });
            }
            self.remaining -= usize::from(!op.completes());
            calls.push(Call { rank, token: call as Token - base, after, op });
        }
    }

    /// If `call` is the last of its step, its computing thread starts the next step.
    fn free_thread(&mut self, now: Time, rank: u32, call: usize, calls: &mut Vec<Call>) {
        let first = &self.schedule.first_call;
        let step = first.partition_point(|&first| first as usize <= call) - 1;
        if first[step + 1] as usize != call + 1 || self.schedule.thread[step] == NONE {
            return;
        }
        let thread = &mut self.threads[self.schedule.thread[step] as usize];
        match thread.waiting.pop_front() {
            Some(next) => self.submit(now, rank, next, calls),
            None => thread.busy = false,
        }
    }
}

impl Workload for Dag {
    fn ranks(&self) -> u32 {
        self.schedule.ranks
    }

    fn members(&self, _: u32, context: Context) -> &[u32] {
        match context & !PRIVATE_CONTEXT {
            WORLD => &self.world,
            context => self.schedule.communicators.get(&context).map_or(&[], Vec::as_slice),
        }
    }

    fn start(&mut self, calls: &mut Vec<Call>) {
        for rank in 0..self.schedule.ranks {
            let first = &self.schedule.first_step;
            let steps = first[rank as usize]..first[rank as usize + 1];
            for computes in [false, true] {
                for step in steps.clone() {
                    if self.unmet[step as usize] == 0 && self.schedule.computes(step) == computes {
                        self.ready(Time::ZERO, rank, step, calls);
                    }
                }
            }
        }
    }

    fn resume(&mut self, now: Time, done: &[OpCompletion], calls: &mut Vec<Call>) {
        for done in done {
            let rank = done.rank;
            let call = (self.base[rank as usize] + done.token) as usize;
            self.remaining -= 1;
            let before = std::mem::replace(&mut self.end_times[rank as usize], now);
            if !matches!(self.schedule.scheduled[call].action, Action::Pause | Action::Delay { .. })
            {
                let idle = before.max(self.cpu_free_at[rank as usize]);
                self.wait_times[rank as usize] += done.ready.min(now).since(idle);
            }
            if !self.threads.is_empty() {
                self.free_thread(now, rank, call, calls);
            }
            let (from, to) =
                (self.schedule.successor_start[call], self.schedule.successor_start[call + 1]);
            for at in from..to {
                let step = self.schedule.successors[at as usize];
                let unmet = &mut self.unmet[step as usize];
                *unmet -= 1;
                if *unmet == 0 {
                    self.ready(now, rank, step, calls);
                }
            }
        }
    }

    fn is_finished(&self) -> bool {
        self.remaining == 0
    }

    fn is_stopped(&self) -> bool {
        self.rank_past_end.is_some()
    }
}

#[cfg(test)]
mod tests;
