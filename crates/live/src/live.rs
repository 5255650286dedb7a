//! A running job: releases ranks, takes their calls and delivers completions.

use crate::children::{Children, Exit, resolve};
use crate::files::JobFiles;
use crate::launch::{LaunchError, LaunchSpec, MAX_RANKS, Progress, RankLocation};
use crate::matching::{AlgorithmSelector, CollectiveMatcher};
use crate::outcome::{Failure, FailureCause, Start};
use crate::output::StreamForwarder;
use crate::outside_mpi::BlockedRanks;
use crate::rank::{Rank, SendId, Slot, Stage};
use crate::segment::Shared;
use crate::start::{Descriptors, Started, start_all};
use crate::turn::Turns;
use base::{Span, Time};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use workload::functions::function_name;
use workload::schedule::record::Recorder;
use workload::wire::{self, Completion, Control, command, kind, state, wait};
use workload::{Call, CompletionStatus, Context, OpCompletion, Token, Workload};

/// Tokens of the simulator, above those that ranks may use.
pub(crate) const PAUSE: Token = wire::TOKENS as Token;
pub(crate) const EXIT: Token = PAUSE + 1;
const ALARMS: Token = 2 << 20;
/// Alarm numbers are reused cyclically; an alarm lasts no longer than a poll.
const ALARM_NUMBERS: Token = 1 << 20;
/// Tokens of sends, by `SendId`. A rank may reuse the token of a completed send before its message
/// is received, so the simulator gets a token that stays valid.
pub(crate) const SENDS: Token = 4 << 20;

/// Wall-clock interval at which processes and interrupts are checked.
pub(crate) const CHECK_INTERVAL: Duration = Duration::from_millis(20);

pub struct Live {
    pub(crate) children: Children,
    pub(crate) files: JobFiles,
    pub(crate) forwarders: Vec<StreamForwarder>,
    pub(crate) _descriptors: Descriptors,
    pub(crate) wall_start: Instant,
    pub(crate) start: Start,
    pub(crate) turns: Turns,
    pub(crate) locations: Vec<RankLocation>,
    pub(crate) ranks: Vec<Rank>,
    pub(crate) exits: Vec<Option<Exit>>,
    pub(crate) matcher: CollectiveMatcher,
    pub(crate) select_algorithm: Box<AlgorithmSelector>,
    pub(crate) interrupted: Box<dyn FnMut() -> bool>,
    pub(crate) progress: Option<Box<dyn FnMut(Progress)>>,
    pub(crate) poll_interval: Span,
    pub(crate) tag_ub: i32,
    /// Ranks released at this instant; consecutive checks that found a lost turn (`watch`).
    pub(crate) batch: Vec<u32>,
    pub(crate) lost: u32,
    /// Ranks that may run under a wrapper, whose end `waitpid` does not report; the last one
    /// checked.
    pub(crate) wrapped: Vec<u32>,
    pub(crate) next_wrapped: usize,
    /// Ranks to be woken at this instant to apply one-sided accesses.
    pub(crate) to_apply: Vec<u32>,
    /// Ranks blocked outside MPI, and how long they may be idle when no other rank can continue.
    pub(crate) outside_mpi: BlockedRanks,
    pub(crate) idle_timeout: Duration,
    /// Values of the counters in storage, by communicator.
    pub(crate) counters: BTreeMap<Context, i64>,
    pub(crate) checked_at: Instant,
    pub(crate) was_interrupted: bool,
    pub(crate) is_settled: bool,
    pub(crate) failure: Option<Failure>,
    /// Time of the last event other than an unsuccessful poll.
    pub(crate) last_progress: Time,
    /// Whether only alarms have been pending since then; unsuccessful polls meanwhile.
    pub(crate) alarms_only: bool,
    pub(crate) unsuccessful_polls: u64,
    /// Further ones, answered by the ranks themselves.
    pub(crate) local_polls_used: u64,
    pub(crate) livelock_polls: u64,
    pub(crate) alarms: u32,
    /// Ranks that may have a poll longer than the shortest one, in any order.
    pub(crate) long_polls: Vec<u32>,
    /// Records the calls of the ranks, if set.
    pub recorder: Option<Recorder>,
    /// Dropped last: all other fields may refer to it.
    pub(crate) shared: Shared,
}

impl Live {
    /// Starts the ranks' processes. They run until their first hand-over; `start` waits for that.
    /// `select_algorithm` must depend on its argument only. `interrupted` is called about every
    /// 20 ms and ends the job when it returns true.
    ///
    /// The kernel kills the processes when the calling thread ends, so this thread must drive the
    /// run. Call this before the simulator allocates much memory, because the time to start a
    /// process grows with it.
    pub fn launch(
        mut spec: LaunchSpec,
        select_algorithm: Box<AlgorithmSelector>,
        mut interrupted: Box<dyn FnMut() -> bool>,
    ) -> Result<Live, LaunchError> {
        if spec.ranks == 0 || spec.ranks > MAX_RANKS || spec.locations.len() != spec.ranks as usize
        {
            return Err(LaunchError::Locations {
                ranks: spec.ranks,
                locations: spec.locations.len(),
            });
        }
        let wall_start = Instant::now();
        let program = resolve(&spec, &spec.program)?;
        let shared = Shared::new(spec.ranks)?;
        shared.write(&spec);
        let files = JobFiles::new(&spec).map_err(LaunchError::SharedMemory)?;
        let mut progress = spec.progress.take();
        let Started { children, forwarders, fork_refusal, descriptors } =
            start_all(&spec, &program, &shared, &files, &mut progress, &mut *interrupted)?;
        let n = spec.ranks;
        let nodes = spec.locations.iter().map(|location| location.node).collect();
        Ok(Live {
            children,
            files,
            forwarders,
            _descriptors: descriptors,
            wall_start,
            start: Start {
                forked: spec.warm.is_some() && fork_refusal.is_none(),
                fork_refusal,
                wall_s: 0.0,
            },
            turns: Turns::new(shared.segment),
            locations: spec.locations,
            ranks: (0..n).map(|_| Rank::new()).collect(),
            exits: vec![None; n as usize],
            matcher: CollectiveMatcher::new(shared.segment, nodes),
            select_algorithm,
            interrupted,
            progress,
            poll_interval: spec.poll_interval,
            tag_ub: spec.tag_ub,
            batch: (0..n).collect(),
            lost: 0,
            wrapped: (0..n).collect(),
            next_wrapped: 0,
            to_apply: Vec::new(),
            outside_mpi: BlockedRanks::default(),
            idle_timeout: spec.idle_timeout,
            counters: BTreeMap::new(),
            checked_at: Instant::now(),
            was_interrupted: false,
            is_settled: false,
            failure: None,
            last_progress: Time::ZERO,
            alarms_only: false,
            unsuccessful_polls: 0,
            local_polls_used: 0,
            livelock_polls: spec.livelock_polls,
            alarms: 0,
            long_polls: Vec::new(),
            recorder: None,
            shared,
        })
    }

    /// The MPI call that a rank is in: "MPI_Recv(source 2, tag 7)".
    pub fn call(&self, rank: u32) -> Option<String> {
        let inside = self.ranks[rank as usize].stage == Stage::InMpi;
        self.call_of(rank).filter(|_| inside)
    }

    /// The present call of a rank, or the reason why it is in none.
    pub fn describe(&self, rank: u32) -> String {
        match (self.ranks[rank as usize].stage, self.call_of(rank)) {
            (Stage::BeforeInit, _) => "has not called MPI_Init".to_string(),
            (Stage::NeverInitialized, _) => "ended without MPI_Init".to_string(),
            (Stage::Finished, _) if self.ranks[rank as usize].unfinalized => {
                "has exited without MPI_Finalize".to_string()
            }
            (Stage::Finished, _) => "has left MPI_Finalize".to_string(),
            (Stage::InMpi, Some(call)) => call,
            (Stage::InMpi, None) => "has made no MPI call since MPI_Init".to_string(),
        }
    }

    /// Whether the rank has left MPI, and how its process has ended, if it has.
    pub fn has_left(&self, rank: u32) -> (bool, Option<Exit>) {
        let left =
            matches!(self.ranks[rank as usize].stage, Stage::Finished | Stage::NeverInitialized);
        (left, self.exits[rank as usize])
    }

    /// Accounts the time until `now` of ranks that still wait at the end of the run.
    pub fn close(&mut self, now: Time) {
        for rank in &mut self.ranks {
            if rank.asleep && rank.stage == Stage::InMpi {
                rank.ready_at = now;
                rank.account(now);
            }
        }
    }

    /// The failure of a rank that ended the job, if any.
    pub fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    pub(crate) fn call_of(&self, rank: u32) -> Option<String> {
        let state = &self.ranks[rank as usize];
        if state.function == 0 {
            return None;
        }
        let mut open = state.waited_for(self.control(rank), self.shared.segment, rank);
        let more = open.len().saturating_sub(3);
        open.truncate(3);
        if more > 0 {
            open.push(format!("and {more} more"));
        }
        let name = function_name(state.function);
        Some(if open.is_empty() {
            name.to_string()
        } else {
            format!("{name}({})", open.join("; "))
        })
    }

    pub(crate) fn control(&self, rank: u32) -> *mut Control {
        // SAFETY: the header is written.
        unsafe { self.shared.segment.control(rank) }
    }

    /// Releases the batch, waits until it has handed over, and takes its calls in rank order.
    fn run_batch(&mut self, now: Time, calls: &mut Vec<Call>) {
        if self.batch.is_empty() || self.is_stopped() {
            return;
        }
        let mut n_running = 0;
        for i in 0..self.batch.len() {
            let at = self.batch[i];
            self.allow_local_polls(at);
            let control = self.control(at);
            // SAFETY: the rank sleeps, so only the simulator accesses its region.
            unsafe {
                (*control).now_ps = now.0;
                (*control).command = command::RUN;
                (*control).wake_request.store(0, Ordering::Relaxed);
            }
            let rank = &mut self.ranks[at as usize];
            rank.account(now);
            (rank.asleep, rank.wake_requested) = (false, false);
            // A rank that has finalized does not hand over again.
            n_running += u32::from(rank.stage == Stage::InMpi);
        }
        self.turns.running().fetch_add(n_running, Ordering::Relaxed);
        for &rank in &self.batch {
            self.turns.give(rank);
        }
        self.wait_for_batch();
        self.take_batch(calls);
    }

    fn take_batch(&mut self, calls: &mut Vec<Call>) {
        let batch = std::mem::take(&mut self.batch);
        for &rank in &batch {
            if self.is_stopped() {
                break;
            }
            if self.ranks[rank as usize].stage == Stage::Finished && !self.has_just_exited(rank) {
                continue;
            }
            if let Err(why) = self.take(rank, calls) {
                self.fail(rank, why);
            }
        }
        self.batch = batch;
        self.batch.clear();
    }

    pub(crate) fn wait_for_all(&mut self) {
        while !self.turns.all_back(CHECK_INTERVAL) {
            self.check_processes();
            self.detect_calls_after_finalize();
            if self.is_stopped() {
                return;
            }
            self.recover_lost_turns();
        }
    }

    pub(crate) fn finish(&mut self, now: Time, done: &OpCompletion) -> Result<(), FailureCause> {
        let at = done.rank;
        let rank = &mut self.ranks[at as usize];
        let mut token = done.token;
        match token {
            PAUSE => {
                rank.paused = true;
                rank.cpu_done_at = now;
                rank.ready_at = rank.ready_at.max(now);
                return Ok(());
            }
            EXIT => return Ok(()),
            ALARMS..SENDS => {
                rank.polling.fired |= rank.polling.alarm == Some(token);
                if let Some(recorder) = &mut self.recorder {
                    recorder.alarm_expired(done);
                }
                return Ok(());
            }
            _ => {}
        }
        let is_unsuccessful = done.status == CompletionStatus::NoMessage;
        if token >= SENDS {
            let id = SendId(token - SENDS);
            token = rank.sends[id].token;
            rank.sends[id].completed = true;
            if rank.sends[id].received {
                rank.sends.free(id);
            }
        }
        let slot = rank.slots[token as usize];
        let mut completion = Completion {
            done: wire::DONE,
            status: done.status as u32,
            peer: done.peer,
            tag: done.tag,
            bytes: done.bytes,
            ..Completion::default()
        };
        match slot.kind {
            kind::RECV | kind::MATCHED_RECV if done.status == CompletionStatus::Success => {
                completion.block = self.received(done)?;
            }
            kind::COLLECTIVE => completion.value = self.complete_collective(slot)?,
            kind::ONE_SIDED => self.deliver_access(at, slot)?,
            kind::STORAGE => completion.value = self.counter_value(slot),
            _ => {}
        }
        // SAFETY: the rank sleeps: completions come only between releases.
        unsafe { *self.shared.segment.completion(at, token) = completion };
        let rank = &mut self.ranks[at as usize];
        rank.probe_matched |= slot.kind == kind::PROBE && done.status == CompletionStatus::Success;
        let slot = &mut rank.slots[token as usize];
        slot.is_pending = false;
        slot.holds_message &= done.status == CompletionStatus::Success;
        let named = rank.asleep && slot.awaited_in == rank.epoch;
        if let Some(recorder) = &mut self.recorder {
            recorder.done(token, done, named && rank.waits_for_this());
        }
        if named {
            rank.n_pending -= 1;
            rank.any_complete = true;
            rank.ready_at = done.ready;
        }
        if !is_unsuccessful {
            self.note_progress(now);
        }
        Ok(())
    }

    /// The payload of the received message.
    fn received(&mut self, done: &OpCompletion) -> Result<u64, FailureCause> {
        let Some(id) = done.peer_token.checked_sub(SENDS).map(SendId) else {
            return Err(FailureCause::Protocol(format!(
                "received a message that was not sent: {done:?}"
            )));
        };
        let sends = &mut self.ranks[done.peer as usize].sends;
        let sent = &mut sends[id];
        sent.received = true;
        let (block, completed) = (sent.block, sent.completed);
        if completed {
            sends.free(id);
        }
        Ok(block)
    }

    /// Moves the data of a collective that is complete at a rank.
    fn complete_collective(&mut self, slot: Slot) -> Result<u64, FailureCause> {
        let mut matcher =
            std::mem::replace(&mut self.matcher, CollectiveMatcher::none(self.shared.segment));
        let value = matcher
            .complete(slot.open_collective, slot.member, &mut |rank, c| self.combine(rank, c));
        self.matcher = matcher;
        value
    }

    /// Lets a sleeping rank's process apply a user-defined operator.
    fn combine(&mut self, at: u32, combine: wire::Combine) -> Result<(), FailureCause> {
        if self.is_stopped() || !self.ranks[at as usize].asleep {
            return Err(FailureCause::Protocol(format!("rank {at} cannot apply its operator")));
        }
        let control = self.control(at);
        // SAFETY: the rank sleeps.
        unsafe {
            (*control).command = command::COMBINE;
            (*control).combine = combine;
        }
        self.turns.running().fetch_add(1, Ordering::Relaxed);
        let batch = std::mem::replace(&mut self.batch, vec![at]);
        self.turns.give(at);
        self.wait_for_all();
        self.batch = batch;
        // SAFETY: the field is atomic.
        if unsafe { (*control).state.load(Ordering::Acquire) } == wire::state::ABORTED {
            self.aborted(at);
        }
        match &self.failure {
            Some(failure) => Err(failure.why.clone()),
            None => Ok(()),
        }
    }

    /// Whether the rank is released now. Starts the alarm of an unsuccessful poll.
    fn resumed(&mut self, now: Time, at: u32, calls: &mut Vec<Call>) -> bool {
        let rank = &mut self.ranks[at as usize];
        if !rank.asleep || !rank.paused {
            return false;
        }
        let comes = match rank.mode {
            // Independent of its wait: it has left MPI.
            _ if rank.stage == Stage::Finished => true,
            wait::NONE => true,
            _ if rank.wake_requested => {
                rank.polling = Default::default();
                self.refuse_threads(at);
                return true;
            }
            wait::ALL => rank.n_pending == 0,
            wait::ANY | wait::POLL => rank.any_complete,
            _ => false,
        };
        if comes && !rank.probes_unsuccessfully() {
            if rank.mode == wait::POLL || rank.probes_only {
                rank.polling = Default::default();
            }
            if let Some(recorder) = &mut self.recorder {
                recorder.resumed(at, now, false);
            }
            return true;
        }
        if !comes && rank.mode != wait::POLL {
            return false;
        }
        let fired = self.delay_poll(now, at, calls);
        if let (true, Some(recorder)) = (fired, &mut self.recorder) {
            recorder.resumed(at, now, true);
        }
        fired
    }

    pub(crate) fn next_alarm(&mut self) -> Token {
        self.alarms = (self.alarms + 1) % ALARM_NUMBERS;
        ALARMS + self.alarms
    }
}

impl Workload for Live {
    fn ranks(&self) -> u32 {
        self.ranks.len() as u32
    }
    fn members(&self, _: u32, context: Context) -> &[u32] {
        self.matcher.members(context)
    }

    fn start(&mut self, calls: &mut Vec<Call>) {
        while !self.turns.all_back(CHECK_INTERVAL) && !self.is_stopped() {
            self.check_processes();
            self.recover_lost_turns();
            self.detach_blocked();
            self.report_progress();
        }
        self.start.wall_s = self.wall_start.elapsed().as_secs_f64();
        self.note_exits();
        self.drop_direct_children();
        if let Some(mut progress) = self.progress.take() {
            let ranks = self.ranks.len() as u32;
            progress(Progress { started: ranks, attached: ranks, ranks });
        }
        if !self.is_stopped() {
            self.take_batch(calls);
        }
        let came =
            self.ranks.iter().position(|r| matches!(r.stage, Stage::InMpi | Stage::Finished));
        let never = self.ranks.iter().position(|r| r.stage == Stage::NeverInitialized);
        if let (Some(other), Some(rank)) = (came, never)
            && let Some(Exit::Status(status)) = self.exits[rank]
        {
            self.fail(rank as u32, FailureCause::NeverInitialized { status, other: other as u32 });
        }
    }

    fn resume(&mut self, now: Time, done: &[OpCompletion], calls: &mut Vec<Call>) {
        if self.checked_at.elapsed() > CHECK_INTERVAL {
            self.check_processes();
        }
        for of_rank in done.chunk_by(|a, b| a.rank == b.rank) {
            let at = of_rank[0].rank;
            if self.defer(of_rank) {
                continue;
            }
            for done in of_rank {
                if self.is_stopped() {
                    return;
                }
                if let Err(why) = self.finish(now, done) {
                    self.fail(at, why);
                }
            }
            if self.resumed(now, at, calls) {
                self.batch.push(at);
            }
        }
        self.apply_arrivals();
        self.serve_wake_requests();
        self.rejoin(now, calls);
        self.run_batch(now, calls);
    }

    fn stalled(&mut self, now: Time, calls: &mut Vec<Call>) {
        self.await_activity(now, calls);
        self.run_batch(now, calls);
    }

    fn alarms_only(&mut self, _: u32, now: Time, calls: &mut Vec<Call>) {
        self.shorten_polls(now, calls);
    }
    fn is_finished(&self) -> bool {
        let through = |r: &Rank| match r.stage {
            Stage::Finished => !r.asleep,
            Stage::NeverInitialized => true,
            Stage::BeforeInit | Stage::InMpi => false,
        };
        self.failure.is_none() && self.ranks.iter().all(through)
    }
    fn is_stopped(&self) -> bool {
        self.failure.is_some() || self.was_interrupted
    }
}

impl Live {
    fn report_progress(&mut self) {
        let Some(progress) = &mut self.progress else { return };
        let ranks = self.ranks.len() as u32;
        let attached = (0..ranks).filter(|&r| {
            // SAFETY: the field is atomic.
            unsafe {
                (*self.shared.segment.control(r)).state.load(Ordering::Relaxed) != state::STARTING
            }
        });
        progress(Progress { started: ranks, attached: attached.count() as u32, ranks });
    }
}

impl Rank {
    /// Descriptions of the pending operations that the last hand-over named.
    fn waited_for(&self, control: *mut Control, segment: wire::Segment, at: u32) -> Vec<String> {
        // SAFETY: the header is written. A running rank may change its list, so the values are
        // checked.
        let n_awaited = unsafe { (*control).wait_count as usize }.min(wire::WAITS);
        let tokens = (0..n_awaited).map(|i| unsafe { segment.waits(at).add(i).read_volatile() });
        let slots = tokens.filter_map(|t| self.slots.get(t as usize));
        let open = slots.filter(|s| s.is_pending && s.awaited_in == self.epoch);
        open.map(|s| match s.function == self.function {
            true => s.describe(),
            false => format!("{}: {}", function_name(s.function), s.describe()),
        })
        .collect()
    }
}
