//! A running job: releases ranks, takes their calls and delivers completions.

use crate::calls::HandOver;
use crate::children::{Exit, resolve};
use crate::detached::DetachedRanks;
use crate::execution::Execution;
use crate::file_calls::FileCalls;
use crate::files::JobFiles;
use crate::launch::{LaunchError, LaunchSpec, MAX_RANKS, Progress};
use crate::matching::{AlgorithmSelector, CollectiveMatcher};
use crate::memory::Accesses;
use crate::outcome::{Failure, FailureCause, LiveOutcome, Start};
use crate::output::StreamForwarder;
use crate::outside_mpi::{BlockDetector, handed_over, standstill};
use crate::polling::Polls;
use crate::rank::{Rank, SendId, Stage};
use crate::ranks::Ranks;
use crate::segment::Shared;
use crate::start::{Descriptors, Started, start_all};
use crate::threads::{ThreadWait, refuse_threads, serve_wake_requests};
use crate::tokens::{ALARMS, EXIT, FILE_CALL, PAUSE, SENDS};
use crate::turn::Turns;
use crate::watch::{CHECK_INTERVAL, Watch};
use base::{Span, Time};
use std::sync::atomic::Ordering;
use std::time::Instant;
use workload::schedule::record::Recorder;
use workload::wire::{self, Completion, kind, state, wait};
use workload::{Call, CallSlice, CompletionStatus, Context, FileId, OpCompletion, Token, Workload};

pub struct Live {
    execution: Execution,
    block_detector: BlockDetector,
    matcher: CollectiveMatcher,
    accesses: Accesses,
    polls: Polls,
    files: JobFiles,
    file_calls: FileCalls,
    forwarders: Vec<StreamForwarder>,
    _descriptors: Descriptors,
    wall_start: Instant,
    start: Start,
    progress: Option<Box<dyn FnMut(Progress)>>,
    /// Records the calls of the ranks, if set.
    pub recorder: Option<Recorder>,
    /// Dropped last: all other fields may refer to it.
    _shared: Shared,
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
        let file_calls = FileCalls::new(&spec.file_systems).map_err(LaunchError::Store)?;
        let files = JobFiles::new(&spec, &file_calls.store, &shared);
        let files = files.map_err(LaunchError::SharedMemory)?;
        let mut progress = spec.progress.take();
        let Started { children, forwarders, fork_refusal, descriptors } =
            start_all(&spec, &program, &shared, &files, &mut progress, &mut *interrupted)?;
        let segment = shared.segment;
        let nodes = spec.locations.iter().map(|location| location.node).collect();
        Ok(Live {
            execution: Execution {
                ranks: Ranks::new(spec.locations, segment, spec.tag_ub),
                turns: Turns::new(segment, spec.ranks),
                detached: DetachedRanks::default(),
                watch: Watch::new(children, spec.ranks, interrupted),
            },
            block_detector: BlockDetector::new(spec.idle_timeout),
            matcher: CollectiveMatcher::new(segment, nodes, select_algorithm),
            accesses: Accesses::default(),
            polls: Polls::new(spec.poll_interval, spec.livelock_polls),
            files,
            file_calls,
            forwarders,
            _descriptors: descriptors,
            wall_start,
            start: Start {
                forked: spec.warm.is_some() && fork_refusal.is_none(),
                fork_refusal,
                wall_s: 0.0,
            },
            progress,
            recorder: None,
            _shared: shared,
        })
    }

    /// The MPI call that a rank is in: "MPI_Recv(source 2, tag 7)".
    pub fn call(&self, rank: u32) -> Option<String> {
        self.execution.ranks.call(rank)
    }

    /// The present call of a rank, or the reason why it is in none.
    pub fn describe(&self, rank: u32) -> String {
        self.execution.ranks.describe(rank)
    }

    /// Whether the rank has left MPI, and how its process has ended, if it has.
    pub fn has_left(&self, rank: u32) -> (bool, Option<Exit>) {
        let stage = self.execution.ranks[rank].stage;
        let left = matches!(stage, Stage::Finished | Stage::NeverInitialized);
        (left, self.execution.watch.exit(rank))
    }

    /// Collects the calls of MPI functions, for a timeline.
    pub fn collect_calls(&mut self) {
        self.execution.ranks.call_slices = Some(Vec::new());
    }

    /// Accounts the time until `now` of ranks that still wait at the end of the run.
    pub fn close(&mut self, now: Time) {
        self.execution.ranks.close(now);
    }

    /// The failure of a rank that ended the job, if any.
    pub fn failure(&self) -> Option<&Failure> {
        self.execution.ranks.failure.as_ref()
    }

    /// Finds the cause of a standstill other than a deadlock of MPI calls: the death of a rank that
    /// was not complete at the last check, or a rank blocked outside MPI. Call it before reporting
    /// a deadlock.
    pub fn settle(&mut self) -> Option<&Failure> {
        self.execution.await_deaths();
        if !self.is_finished()
            && !self.is_stopped()
            && let Some((rank, why)) = standstill(&self.execution)
        {
            self.execution.ranks.fail(rank, why);
        }
        self.failure()
    }

    /// A path by which a file of a simulated file system was opened.
    pub fn file_path(&self, file_system: u8, file: FileId) -> Option<String> {
        self.file_calls.path(file_system, file)
    }

    /// Ends all processes and returns the results. If all ranks have left MPI, waits for their
    /// processes to exit by themselves.
    pub fn outcome(mut self) -> LiveOutcome {
        self.execution.await_deaths();
        self.execution.await_exits();
        self.end();
        let exits = self.execution.watch.exits();
        let ranks = &mut self.execution.ranks;
        ranks.attribute_tag_errors(&exits);
        let exit_code = match &ranks.failure {
            Some(failure) => failure.exit_code(),
            None => exit_code(&exits),
        };
        let blocking_calls = (0..ranks.len()).map(|rank| ranks.count_calls(rank)).sum();
        let mut accepted = [None; wire::accepted::KINDS];
        for at in 0..ranks.len() {
            // SAFETY: the process has ended.
            let control = unsafe { &*ranks.control(at) };
            let (at_init, peak) = (control.memory_at_init, control.memory_peak);
            for (first, function) in accepted.iter_mut().zip(&control.accepted) {
                let function = function.load(Ordering::Relaxed);
                *first = first.or((function != 0).then_some((at, function)));
            }
            ranks[at].outcome.memory = (peak > 0).then_some((at_init, peak));
        }
        let sum = |f: fn(&Rank) -> u64| ranks.iter().map(f).sum();
        LiveOutcome {
            exit_code,
            interrupted: ranks.was_interrupted,
            start: std::mem::take(&mut self.start),
            files: self.files.counts_in_ledger(),
            file_traffic: self.file_calls.traffic(),
            exits,
            mpi_calls: sum(|r| r.outcome.functions.iter().map(|f| f.calls).sum()),
            blocking_calls,
            hand_overs: sum(|r| r.hand_overs),
            messages: sum(|r| r.messages),
            bytes: sum(|r| r.bytes),
            unfinalized: (0..).zip(ranks.iter()).filter(|r| r.1.unfinalized).map(|r| r.0).collect(),
            ranks: ranks.iter_mut().map(|r| std::mem::take(&mut r.outcome)).collect(),
            outside_mpi: self.execution.detached.take_calls(),
            accepted,
            failure: ranks.failure.take(),
        }
    }

    /// Ends all processes. Their last output is forwarded.
    fn end(&mut self) {
        self.execution.end();
        self.forwarders.clear();
    }

    /// Releases the batch, waits until it has handed over, and takes its calls in rank order.
    fn run_batch(&mut self, now: Time, calls: &mut Vec<Call>) {
        let Execution { ranks, turns, .. } = &mut self.execution;
        if turns.batch.is_empty() || ranks.is_stopped() {
            return;
        }
        turns.batch.iter().for_each(|&at| self.polls.allow_local(at, ranks));
        self.execution.release_batch(now);
        self.block_detector.wait_for_batch(&mut self.execution, &mut self.recorder);
        self.take_batch(calls);
    }

    fn take_batch(&mut self, calls: &mut Vec<Call>) {
        let batch = std::mem::take(&mut self.execution.turns.batch);
        for &at in &batch {
            if self.is_stopped() {
                break;
            }
            let rank = &self.execution.ranks[at];
            if rank.stage != Stage::Finished || rank.just_exited {
                self.take(at, calls);
            }
        }
        self.execution.turns.batch = batch;
        self.execution.turns.batch.clear();
    }

    /// Takes the hand-over of a rank.
    fn take(&mut self, at: u32, calls: &mut Vec<Call>) {
        let ranks = &mut self.execution.ranks;
        let (matcher, polls, recorder) = (&mut self.matcher, &mut self.polls, &mut self.recorder);
        let file_calls = &mut self.file_calls;
        let is_child = self.execution.watch.is_child(at, ranks.pid(at));
        let is_wrapped = file_calls.has_mounts() && !is_child;
        let hand_over = HandOver { ranks, matcher, polls, file_calls, is_wrapped, recorder };
        if let Err(why) = { hand_over }.take(at, calls) {
            self.execution.ranks.fail(at, why);
        }
        if matches!(self.execution.ranks.state(at), state::FILES | state::WRAPPED) {
            // No process of the rank is in MPI: the first one stands for all of them.
            let pid = self.execution.watch.started(at);
            self.execution.ranks.set_pid(at, pid);
        }
    }

    /// Delivers the completion of an operation.
    fn finish(&mut self, now: Time, done: &OpCompletion) -> Result<(), FailureCause> {
        let at = done.rank;
        let rank = &mut self.execution.ranks[at];
        let mut token = done.token;
        match token {
            PAUSE => {
                rank.paused = true;
                rank.cpu_done_at = now;
                rank.ready_at = rank.ready_at.max(now);
                return Ok(());
            }
            EXIT => return Ok(()),
            FILE_CALL => return self.finish_file_call(now, done),
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
            status: done.status.code(),
            peer: done.peer,
            tag: done.tag,
            bytes: done.bytes,
            ..Completion::default()
        };
        let Execution { ranks, detached, .. } = &mut self.execution;
        match slot.kind {
            kind::RECV | kind::MATCHED_RECV if done.status == CompletionStatus::Success => {
                completion.block = received(done, ranks)?;
            }
            kind::COLLECTIVE => {
                let mut apply = |rank, c| self.execution.apply_operator(rank, c);
                completion.value =
                    self.matcher.complete(slot.open_collective, slot.member, &mut apply)?;
            }
            kind::ONE_SIDED => self.accesses.deliver(at, slot, ranks, detached)?,
            kind::STORAGE => completion.value = self.accesses.counter_value(slot),
            kind::FILE => {
                let segment = ranks.segment;
                self.file_calls.complete(segment, (at, done.token), now, done.status)?;
            }
            _ => {}
        }
        let ranks = &mut self.execution.ranks;
        // SAFETY: the rank sleeps: completions come only between releases.
        unsafe { *ranks.segment.completion(at, token) = completion };
        let rank = &mut ranks[at];
        rank.probe_matched |= slot.kind == kind::PROBE && done.status == CompletionStatus::Success;
        let slot = &mut rank.slots[token as usize];
        slot.is_pending = false;
        slot.holds_message &= done.status == CompletionStatus::Success;
        let is_awaited = rank.asleep && slot.awaited_in == rank.epoch;
        if let Some(recorder) = &mut self.recorder {
            recorder.done(token, done, is_awaited && rank.waits_for_this());
        }
        if is_awaited {
            rank.n_pending -= 1;
            rank.any_complete = true;
            rank.ready_at = done.ready;
        }
        if !is_unsuccessful {
            self.polls.note_progress(now);
        }
        Ok(())
    }

    /// Delivers the completion of a file call of a process without MPI.
    fn finish_file_call(&mut self, now: Time, done: &OpCompletion) -> Result<(), FailureCause> {
        let segment = self.execution.ranks.segment;
        self.file_calls.complete(segment, (done.rank, done.token), now, done.status)?;
        let rank = &mut self.execution.ranks[done.rank];
        rank.n_pending = 0;
        rank.any_complete = true;
        rank.ready_at = done.ready;
        self.polls.note_progress(now);
        Ok(())
    }

    /// Whether the rank is released now. Starts the alarm of an unsuccessful poll.
    fn is_released(&mut self, now: Time, at: u32, calls: &mut Vec<Call>) -> bool {
        let rank = &mut self.execution.ranks[at];
        if !rank.asleep || !rank.paused {
            return false;
        }
        let is_ready = match rank.mode {
            // Independent of its wait: it has left MPI.
            _ if rank.stage == Stage::Finished => true,
            wait::NONE => true,
            _ if rank.wake_requested => {
                rank.polling = Default::default();
                refuse_threads(at, &mut self.recorder);
                return true;
            }
            wait::ALL | wait::FILE => rank.n_pending == 0,
            wait::ANY | wait::POLL => rank.any_complete,
            _ => false,
        };
        if is_ready && !rank.probes_unsuccessfully() {
            if rank.mode == wait::POLL || rank.probes_only {
                rank.polling = Default::default();
            }
            if let Some(recorder) = &mut self.recorder {
                recorder.resumed(at, now, false);
            }
            return true;
        }
        if !is_ready && rank.mode != wait::POLL {
            return false;
        }
        let ranks = &mut self.execution.ranks;
        if !self.polls.delay(now, at, ranks, &mut self.recorder, calls) {
            return false;
        }
        self.detect_livelock(now, at);
        if let Some(recorder) = &mut self.recorder {
            recorder.resumed(at, now, true);
        }
        true
    }

    /// Ends the job if the ranks only poll without success.
    fn detect_livelock(&mut self, now: Time, at: u32) {
        if self.polls.is_long_streak() && self.block_detector.wait_for_detached(&self.execution) {
            return;
        }
        if let Some(since) = self.polls.count_unsuccessful(&self.execution.ranks) {
            self.execution.ranks.fail(at, FailureCause::Livelock { since, now });
        }
    }

    /// No event is pending. Returns when a thread has sent a wake-up request or a detached rank has
    /// rejoined, or when neither is expected.
    fn await_activity(&mut self, now: Time, calls: &mut Vec<Call>) {
        let mut threads = ThreadWait::new(&self.execution.ranks);
        while !self.is_stopped() {
            serve_wake_requests(&mut self.execution, &mut self.recorder);
            if self.rejoin(now, calls) || !self.execution.turns.batch.is_empty() {
                return;
            }
            if self.block_detector.expects_detached(&self.execution) {
                self.execution.turns.await_wake_request(CHECK_INTERVAL);
            } else if !threads.wait(&self.execution) {
                return;
            }
            self.execution.check();
        }
    }

    /// Takes the hand-overs of detached ranks. Whether there are any.
    fn rejoin(&mut self, now: Time, calls: &mut Vec<Call>) -> bool {
        let exited = self.execution.detached.take_exited();
        for &at in &exited {
            self.take(at, calls);
        }
        if self.execution.detached.is_empty() {
            return !exited.is_empty();
        }
        let rejoining = handed_over(&self.execution);
        for &at in &rejoining {
            self.catch_up(at, now, calls);
        }
        if !rejoining.is_empty() {
            self.block_detector.note_activity();
        }
        !rejoining.is_empty() || !exited.is_empty()
    }

    /// Delivers what has completed while a rank was detached, and takes its hand-over.
    fn catch_up(&mut self, at: u32, now: Time, calls: &mut Vec<Call>) {
        for done in &self.execution.detached.rejoin(at) {
            if let Err(why) = self.finish(now, done) {
                self.execution.ranks.fail(at, why);
            }
        }
        let rank = &mut self.execution.ranks[at];
        // Its computation since the release overlaps with the simulated time that has passed.
        rank.credit = now.since(rank.released_at);
        self.take(at, calls);
        self.execution.ranks[at].credit = Span::ZERO;
    }

    fn report_progress(&mut self) {
        let Some(progress) = &mut self.progress else { return };
        let ranks = &self.execution.ranks;
        let n = ranks.len();
        let attached = (0..n).filter(|&at| ranks.state(at) != state::STARTING).count() as u32;
        progress(Progress { started: n, attached, ranks: n });
    }
}

impl Workload for Live {
    fn ranks(&self) -> u32 {
        self.execution.ranks.len()
    }
    fn members(&self, _: u32, context: Context) -> &[u32] {
        self.matcher.members(context)
    }

    fn start(&mut self, calls: &mut Vec<Call>) {
        while !self.execution.turns.all_handed_over(CHECK_INTERVAL) && !self.is_stopped() {
            self.execution.check();
            self.execution.recover_lost_turns();
            self.block_detector.detach_blocked(&mut self.execution, &mut self.recorder);
            self.report_progress();
        }
        self.start.wall_s = self.wall_start.elapsed().as_secs_f64();
        self.execution.note_exits();
        self.execution.watch.drop_direct_children(&self.execution.ranks);
        if let Some(mut progress) = self.progress.take() {
            let ranks = self.execution.ranks.len();
            progress(Progress { started: ranks, attached: ranks, ranks });
        }
        if !self.is_stopped() {
            self.take_batch(calls);
        }
        let Execution { ranks, watch, .. } = &mut self.execution;
        let attached = (0..ranks.len()).position(|at| {
            let calls_mpi = ranks.state(at) != state::FILES;
            matches!(ranks[at].stage, Stage::InMpi | Stage::Finished) && calls_mpi
        });
        let never = ranks.iter().position(|r| r.stage == Stage::NeverInitialized);
        if let (Some(other), Some(rank)) = (attached, never)
            && let Some(Exit::Status(status)) = watch.exit(rank as u32)
        {
            let other = other as u32;
            ranks.fail(rank as u32, FailureCause::NeverInitialized { status, other });
        }
    }

    fn describe(&mut self, rank: u32, token: Token, text: String) {
        self.file_calls.describe((rank, token), text);
    }

    fn resume(&mut self, now: Time, done: &[OpCompletion], calls: &mut Vec<Call>) {
        if self.execution.watch.is_check_due() {
            self.execution.check();
        }
        for of_rank in done.chunk_by(|a, b| a.rank == b.rank) {
            let at = of_rank[0].rank;
            if self.execution.detached.defer(of_rank) {
                continue;
            }
            for done in of_rank {
                if self.is_stopped() {
                    return;
                }
                if let Err(why) = self.finish(now, done) {
                    self.execution.ranks.fail(at, why);
                }
            }
            if self.is_released(now, at, calls) {
                self.execution.turns.batch.push(at);
            }
        }
        let targets = self.accesses.take_targets();
        if !targets.is_empty() && !self.is_stopped() {
            self.execution.apply_accesses(targets);
        }
        serve_wake_requests(&mut self.execution, &mut self.recorder);
        self.rejoin(now, calls);
        self.run_batch(now, calls);
    }

    fn stalled(&mut self, now: Time, calls: &mut Vec<Call>) {
        self.await_activity(now, calls);
        self.run_batch(now, calls);
    }

    fn alarms_only(&mut self, _: u32, now: Time, calls: &mut Vec<Call>) {
        self.polls.shorten(now, &mut self.execution.ranks, &mut self.recorder, calls);
    }
    fn take_call_slices(&mut self, slices: &mut Vec<CallSlice>) {
        if let Some(returned) = &mut self.execution.ranks.call_slices {
            slices.append(returned);
        }
    }
    fn is_finished(&self) -> bool {
        self.execution.ranks.is_finished()
    }
    fn is_stopped(&self) -> bool {
        self.execution.ranks.is_stopped()
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.end();
    }
}

/// The payload of a received message.
fn received(done: &OpCompletion, ranks: &mut Ranks) -> Result<u64, FailureCause> {
    let Some(id) = done.peer_token.checked_sub(SENDS).map(SendId) else {
        return Err(FailureCause::Protocol(format!(
            "received a message that was not sent: {done:?}"
        )));
    };
    let sends = &mut ranks[done.peer].sends;
    let sent = &mut sends[id];
    sent.received = true;
    let (block, completed) = (sent.block, sent.completed);
    if completed {
        sends.free(id);
    }
    Ok(block)
}

/// The exit code of a job without a failure: 128 plus the signal that ended a rank, else the first
/// nonzero status in rank order.
fn exit_code(exits: &[Exit]) -> i32 {
    let signal = exits.iter().find_map(|exit| match *exit {
        Exit::Signal(signal) => Some(128 + signal),
        _ => None,
    });
    let status = exits.iter().find_map(|exit| match *exit {
        Exit::Status(0) => None,
        Exit::Status(status) => Some(status),
        // Killed without another failure: the simulator stopped the job.
        _ => Some(1),
    });
    signal.or(status).unwrap_or(0)
}
