//! Supervision of the processes and interrupts, and the end of a job.

use crate::Live;
use crate::children::Exit;
use crate::live::CHECK_INTERVAL;
use crate::outcome::{Failure, FailureCause, LiveOutcome};
use crate::process::Stat;
use crate::rank::{Rank, Stage};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use workload::Workload;
use workload::functions::function_name;
use workload::wire::{self, command, state};

/// Longest wait at a standstill for a killed process to end.
const DEATH_TIMEOUT: Duration = Duration::from_millis(200);

/// Longest wall-clock time of the exit handlers of a rank that aborts [estimate].
const ABORT_TIMEOUT: Duration = Duration::from_secs(2);

/// Ranks under wrappers checked at a time: a check takes about 10 us of the 20 ms interval, so
/// 4,096 such ranks are checked in 1.3 s.
const MAX_WRAPPED_CHECKS: usize = 64;

impl Live {
    /// Finds the cause of a standstill other than a deadlock of MPI calls: the death of a rank that
    /// was not complete at the last check, or a rank blocked outside MPI. Call it before reporting
    /// a deadlock.
    pub fn settle(&mut self) -> Option<&Failure> {
        self.await_deaths();
        if !self.is_finished() && !self.is_stopped() {
            self.fail_standstill();
        }
        self.failure.as_ref()
    }

    fn await_deaths(&mut self) {
        let started = Instant::now();
        while !self.is_finished() && !self.is_stopped() && !self.is_settled {
            self.is_settled = started.elapsed() > DEATH_TIMEOUT;
            self.children.wait(Duration::from_millis(5));
            self.check_processes();
            self.check_wrapped_exits(usize::MAX);
        }
    }

    /// Ends all processes and returns the results. If all ranks have left MPI, waits for their
    /// processes to exit by themselves.
    pub fn outcome(mut self) -> LiveOutcome {
        self.await_deaths();
        while self.is_finished() && self.children.alive() > 0 && !self.is_stopped() {
            self.children.wait(CHECK_INTERVAL);
            self.check_processes();
        }
        self.end();
        let exits: Vec<Exit> = self.exits.iter().map(|e| e.unwrap_or(Exit::Ended)).collect();
        self.attribute_tag_errors(&exits);
        let status = exits.iter().find_map(|e| match *e {
            Exit::Signal(signal) => Some(128 + signal),
            _ => None,
        });
        let status = status.or(exits.iter().find_map(|e| match *e {
            Exit::Status(0) => None,
            Exit::Status(status) => Some(status),
            // Killed without another failure: the simulator stopped the job.
            _ => Some(1),
        }));
        let exit_code = match &self.failure {
            Some(failure) => failure.exit_code(),
            None => status.unwrap_or(0),
        };
        let blocking_calls = (0..self.ranks.len() as u32).map(|rank| self.count_calls(rank)).sum();
        let mut accepted = [None; wire::accepted::KINDS];
        for at in 0..self.ranks.len() as u32 {
            // SAFETY: the process has ended.
            let control = unsafe { &*self.control(at) };
            let (at_init, peak) = (control.memory_at_init, control.memory_peak);
            for (first, function) in accepted.iter_mut().zip(&control.accepted) {
                let function = function.load(Ordering::Relaxed);
                *first = first.or((function != 0).then_some((at, function)));
            }
            self.ranks[at as usize].outcome.memory = (peak > 0).then_some((at_init, peak));
        }
        let sum = |f: fn(&Rank) -> u64| self.ranks.iter().map(f).sum();
        LiveOutcome {
            exit_code,
            interrupted: self.was_interrupted,
            start: std::mem::take(&mut self.start),
            files: self.files.counts_in_ledger(),
            exits,
            mpi_calls: sum(|r| r.outcome.functions.iter().map(|f| f.calls).sum()),
            blocking_calls,
            hand_overs: sum(|r| r.hand_overs),
            messages: sum(|r| r.messages),
            bytes: sum(|r| r.bytes),
            ranks: self.ranks.iter_mut().map(|r| std::mem::take(&mut r.outcome)).collect(),
            unfinalized: (0..).zip(&self.ranks).filter(|r| r.1.unfinalized).map(|r| r.0).collect(),
            outside_mpi: std::mem::take(&mut self.outside_mpi.calls),
            accepted,
            failure: self.failure.take(),
        }
    }

    /// Takes the numbers of calls from the rank's tally, because a call may have several
    /// hand-overs. Functions without a tally count one call per hand-over. Returns the number of
    /// calls that handed over, at most that of all calls.
    fn count_calls(&mut self, at: u32) -> u64 {
        let rank = &mut self.ranks[at as usize];
        let mut blocked = 0;
        // 0 is not a function.
        for function in 1..wire::FUNCTIONS as u32 {
            // SAFETY: within the tally; the process has ended.
            let calls = unsafe { *self.shared.segment.tally(at).add(function as usize) };
            if calls > 0 {
                let row = rank.row(function);
                blocked += row.calls.min(calls);
                row.calls = calls;
            } else if let Some(row) = rank.outcome.functions.iter().find(|r| r.function == function)
            {
                blocked += row.calls;
            }
        }
        blocked
    }

    /// Checks for an interrupt and for ended processes.
    pub(crate) fn check_processes(&mut self) {
        self.checked_at = Instant::now();
        if !self.was_interrupted {
            self.was_interrupted = (self.interrupted)();
        }
        self.note_exits();
        self.check_wrapped_exits(MAX_WRAPPED_CHECKS);
    }

    /// Checks the next `most` ranks under wrappers. A wrapper, such as a shell script, may outlive
    /// its rank, so that `waitpid` does not report the rank's end.
    fn check_wrapped_exits(&mut self, most: usize) {
        for _ in 0..self.wrapped.len().min(most) {
            self.next_wrapped = (self.next_wrapped + 1) % self.wrapped.len();
            let at = self.wrapped[self.next_wrapped];
            let control = self.control(at);
            // SAFETY: the field is atomic; the process id was written before the state.
            let (state, pid) =
                unsafe { ((*control).state.load(Ordering::Acquire), (*control).pid) };
            let wrapped = state == state::ACTIVE && pid != 0 && !self.children.is_child(at, pid);
            if wrapped && is_gone(pid) {
                self.fail(at, FailureCause::EndedUnderWrapper);
            }
        }
    }

    /// All ranks have attached: direct children need no such checks.
    pub(crate) fn drop_direct_children(&mut self) {
        let mut wrapped = std::mem::take(&mut self.wrapped);
        // SAFETY: written before the rank's first hand-over.
        wrapped.retain(|&at| !self.children.is_child(at, unsafe { (*self.control(at)).pid }));
        self.wrapped = wrapped;
    }

    pub(crate) fn note_exits(&mut self) {
        for (at, exit) in self.children.exited() {
            self.exits[at as usize] = Some(exit);
            // SAFETY: the field is atomic; the process id was written before the state.
            let (state, pid) = unsafe {
                let control = self.control(at);
                ((*control).state.load(Ordering::Acquire), (*control).pid)
            };
            // Otherwise the status is that of a wrapper.
            let is_ranks = self.children.is_child(at, pid);
            match (state, exit) {
                // Its hand-over is taken in rank order.
                (state::ABORTED, _) if self.turns.turn(at).load(Ordering::Acquire) == 0 => {}
                (state::ABORTED, _) => self.aborted(at),
                (_, Exit::Signal(signal)) => self.fail(at, FailureCause::Signal(signal)),
                (state::STARTING, _) => {
                    self.ranks[at as usize].stage = Stage::NeverInitialized;
                    self.turns.running().fetch_sub(1, Ordering::AcqRel);
                }
                (state::ACTIVE, Exit::Status(0)) if is_ranks && self.is_out(at) => {
                    self.note_exit_without_finalize(at);
                }
                (state::ACTIVE, Exit::Status(status)) => {
                    self.fail(at, FailureCause::ExitedEarly { status });
                }
                // Left MPI. If it ended within its last hand-over, `recover_lost_turns` notices.
                _ => {}
            }
        }
    }

    /// A rank that calls MPI after its last hand-over decrements `running` without having been
    /// counted.
    pub(crate) fn detect_calls_after_finalize(&mut self) {
        if self.turns.running().load(Ordering::Acquire) <= self.ranks.len() as u32 {
            return;
        }
        for at in 0..self.ranks.len() as u32 {
            // SAFETY: the field is atomic.
            let state = unsafe { (*self.control(at)).state.load(Ordering::Acquire) };
            let has_left = matches!(state, state::FINALIZED | state::LEFT);
            let exited = self.ranks[at as usize].unfinalized;
            if self.ranks[at as usize].stage == Stage::Finished && !has_left && !exited {
                self.fail(at, FailureCause::Protocol("called MPI_Init a second time".into()));
            }
        }
        self.fail(0, FailureCause::Protocol("or another called MPI after MPI_Finalize".into()));
    }

    /// A process that ended within its last hand-over stays counted in `running`. If there is such
    /// a rank, and two consecutive checks find no live rank running, the count is reset.
    pub(crate) fn recover_lost_turns(&mut self) {
        let out = |&at: &u32| {
            let has_turn = self.turns.turn(at).load(Ordering::Acquire) == 1;
            has_turn
                && self.children.is_alive(at)
                && self.ranks[at as usize].stage != Stage::Finished
        };
        let vanished = |&at: &u32| {
            let stage = self.ranks[at as usize].stage;
            !self.children.is_alive(at)
                && !matches!(stage, Stage::Finished | Stage::NeverInitialized)
        };
        let lost = self.batch.iter().any(vanished) && !self.batch.iter().any(out);
        self.lost = if lost { self.lost + 1 } else { 0 };
        if self.lost == 2 {
            self.turns.running().store(0, Ordering::Release);
            self.lost = 0;
        }
    }

    pub(crate) fn aborted(&mut self, rank: u32) {
        // SAFETY: the rank sleeps until the end or has ended.
        let (code, tag) = unsafe {
            let control = &*self.control(rank);
            (control.abort_code, control.refused_tag)
        };
        // `MPI_ERR_TAG` is 4 in every ABI here.
        if tag > 0 && code == 4 {
            self.fail(rank, FailureCause::Tag { tag, bound: self.tag_ub, code });
        } else {
            self.fail(rank, FailureCause::Abort { code });
        }
    }

    /// With MPI errors as exceptions (mpi4py), a rank whose tag was refused exits by itself.
    fn attribute_tag_errors(&mut self, exits: &[Exit]) {
        for (rank, exit) in (0..).zip(exits) {
            // SAFETY: the rank has ended.
            let tag = unsafe { (*self.control(rank)).refused_tag };
            if let (1.., &Exit::Status(code @ 1..)) = (tag, exit) {
                self.fail(rank, FailureCause::Tag { tag, bound: self.tag_ub, code });
            }
        }
    }

    /// Ends the job. Only the first failure is kept; later ones follow from it.
    pub(crate) fn fail(&mut self, rank: u32, why: FailureCause) {
        if self.failure.is_none() {
            let node = self.locations[rank as usize].node_name.clone();
            let (mut call, mut place) = (self.call_of(rank), None);
            if matches!(why, FailureCause::Signal(_)) {
                (call, place) = self.place_of(rank);
            }
            self.failure = Some(Failure { rank, node, call, place, why });
        }
    }

    /// The MPI call in which a process ended, or the last one before, and a description.
    fn place_of(&self, at: u32) -> (Option<String>, Option<String>) {
        // SAFETY: both fields are atomic.
        let (inside, entered) = unsafe {
            let control = &*self.control(at);
            (control.inside.load(Ordering::Relaxed), control.entered.load(Ordering::Relaxed))
        };
        let rank = &self.ranks[at as usize];
        let (function, call) = match rank.asleep && rank.function != 0 {
            true => (rank.function, self.call_of(at)),
            false if inside != 0 => (inside, None),
            false => (0, None),
        };
        if function == 0 && entered == 0 {
            return (None, Some("before MPI_Init".into()));
        }
        // Written by the rank, so it is checked.
        let name = |f: u32| function_name(f.min(wire::FUNCTIONS as u32)).to_string();
        if function == 0 {
            let call = name(entered);
            let place = format!("outside MPI, after {call} had returned");
            return (Some(call), Some(place));
        }
        let call = call.unwrap_or_else(|| name(function));
        let place = format!("in {call}");
        (Some(call), Some(place))
    }

    /// Whether the rank is running outside MPI.
    fn is_out(&self, at: u32) -> bool {
        !self.ranks[at as usize].asleep && self.turns.turn(at).load(Ordering::Acquire) == 1
    }

    /// Notes that a running process has exited with status 0, without its library's knowledge.
    fn note_exit_without_finalize(&mut self, at: u32) {
        let was_detached = self.forget_detached(at);
        let rank = &mut self.ranks[at as usize];
        (rank.stage, rank.asleep) = (Stage::Finished, false);
        (rank.unfinalized, rank.just_exited) = (true, true);
        if was_detached {
            self.outside_mpi.exited.push(at);
        } else {
            self.turns.running().fetch_sub(1, Ordering::AcqRel);
        }
    }

    /// Whether the exit of a rank has not been taken yet.
    pub(crate) fn has_just_exited(&self, at: u32) -> bool {
        self.ranks[at as usize].just_exited
    }

    /// No rank can continue. Fails if a rank is blocked outside MPI or has exited without
    /// `MPI_Finalize`, which is not a deadlock of MPI calls.
    pub(crate) fn fail_standstill(&mut self) {
        self.fail_blocked();
        let left = self.ranks.iter().position(|r| r.unfinalized);
        if let (Some(rank), false) = (left, self.is_finished()) {
            self.fail(rank as u32, FailureCause::ExitedEarly { status: 0 });
        }
    }

    pub(crate) fn end(&mut self) {
        for at in 0..self.ranks.len() as u32 {
            let sleeps = self.turns.turn(at).load(Ordering::Acquire) == 0;
            if sleeps && self.children.is_alive(at) {
                // SAFETY: the rank has handed over.
                unsafe { (*self.control(at)).command = command::DIE };
                self.turns.give(at);
            }
        }
        self.await_aborted_ranks();
        self.children.end();
        // Their last output is forwarded before the result is reported.
        self.forwarders.clear();
    }
}

impl Live {
    /// Waits for ranks that abort: they flush buffers and run exit handlers.
    fn await_aborted_ranks(&mut self) {
        let wall_start = Instant::now();
        let aborts = |live: &Live, at: u32| {
            // SAFETY: the field is atomic.
            let state = unsafe { (*live.control(at)).state.load(Ordering::Acquire) };
            state == state::ABORTED && live.children.is_alive(at)
        };
        while wall_start.elapsed() < ABORT_TIMEOUT
            && (0..self.ranks.len() as u32).any(|at| aborts(self, at))
        {
            self.children.wait(Duration::from_millis(2));
            for (at, exit) in self.children.exited() {
                self.exits[at as usize] = Some(exit);
            }
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.end();
    }
}

/// Whether a process has ended, reaped or not.
fn is_gone(pid: u32) -> bool {
    match Stat::of(&pid.to_string()) {
        Ok(stat) => stat.has_ended(),
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    }
}
