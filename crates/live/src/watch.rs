//! Supervision of the processes, and interrupts by the user.

use crate::children::{Children, Exit};
use crate::detached::DetachedRanks;
use crate::outcome::FailureCause;
use crate::process::Stat;
use crate::rank::Stage;
use crate::ranks::Ranks;
use crate::turn::Turns;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use workload::wire::{command, state};

/// Wall-clock interval at which processes and interrupts are checked.
pub(crate) const CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// Longest wait at a standstill for a killed process to end.
const DEATH_TIMEOUT: Duration = Duration::from_millis(200);

/// Longest wall-clock time of the exit handlers of a rank that aborts [estimate].
const ABORT_TIMEOUT: Duration = Duration::from_secs(2);

/// Ranks under wrappers checked at a time: a check takes about 10 us of the 20 ms interval, so
/// 4,096 such ranks are checked in 1.3 s.
const MAX_WRAPPED_CHECKS: usize = 64;

pub(crate) struct Watch {
    children: Children,
    exits: Vec<Option<Exit>>,
    interrupted: Box<dyn FnMut() -> bool>,
    checked_at: Instant,
    /// The wait for killed processes has ended.
    is_settled: bool,
    /// Consecutive checks that found a lost turn.
    n_lost: u32,
    /// Ranks that may run under a wrapper, whose end `waitpid` does not report; the last one
    /// checked.
    wrapped: Vec<u32>,
    next_wrapped: usize,
}

impl Watch {
    /// Watches the processes of `n` ranks. `interrupted` is called about every `CHECK_INTERVAL`.
    pub fn new(children: Children, n: u32, interrupted: Box<dyn FnMut() -> bool>) -> Watch {
        Watch {
            children,
            exits: vec![None; n as usize],
            interrupted,
            checked_at: Instant::now(),
            is_settled: false,
            n_lost: 0,
            wrapped: (0..n).collect(),
            next_wrapped: 0,
        }
    }

    /// How the process of a rank has ended, if it has.
    pub fn exit(&self, rank: u32) -> Option<Exit> {
        self.exits[rank as usize]
    }

    /// How each process has ended.
    pub fn exits(&self) -> Vec<Exit> {
        self.exits.iter().map(|exit| exit.unwrap_or(Exit::Ended)).collect()
    }

    /// The process that was started for the rank.
    pub fn started(&self, rank: u32) -> u32 {
        self.children.started(rank)
    }

    /// Whether `pid` is the process that was started for the rank.
    pub fn is_child(&self, rank: u32, pid: u32) -> bool {
        self.children.is_child(rank, pid)
    }

    /// Whether `pid` is a process of the job.
    pub fn is_of_rank(&self, rank: u32, pid: u32) -> bool {
        self.children.is_of_rank(rank, pid)
    }

    pub fn is_check_due(&self) -> bool {
        self.checked_at.elapsed() > CHECK_INTERVAL
    }

    /// Checks for an interrupt and for ended processes.
    pub fn check(&mut self, ranks: &mut Ranks, turns: &mut Turns, detached: &mut DetachedRanks) {
        self.checked_at = Instant::now();
        if !ranks.was_interrupted {
            ranks.was_interrupted = (self.interrupted)();
        }
        self.note_exits(ranks, turns, detached);
        self.check_wrapped_exits(MAX_WRAPPED_CHECKS, ranks);
    }

    /// Checks the next `most` ranks under wrappers. A wrapper, such as a shell script, may outlive
    /// its rank, so that `waitpid` does not report the rank's end.
    fn check_wrapped_exits(&mut self, most: usize, ranks: &mut Ranks) {
        for _ in 0..self.wrapped.len().min(most) {
            self.next_wrapped = (self.next_wrapped + 1) % self.wrapped.len();
            let at = self.wrapped[self.next_wrapped];
            let (state, pid) = (ranks.state(at), ranks.pid(at));
            let wrapped = state == state::ACTIVE && pid != 0 && !self.children.is_child(at, pid);
            if wrapped && is_gone(pid) {
                ranks.fail(at, FailureCause::EndedUnderWrapper);
            }
        }
    }

    /// All ranks have attached: direct children need no such checks.
    pub fn drop_direct_children(&mut self, ranks: &Ranks) {
        self.wrapped.retain(|&at| !self.children.is_child(at, ranks.pid(at)));
    }

    pub fn note_exits(
        &mut self,
        ranks: &mut Ranks,
        turns: &mut Turns,
        detached: &mut DetachedRanks,
    ) {
        for (at, exit) in self.children.exited() {
            self.exits[at as usize] = Some(exit);
            let (state, pid) = (ranks.state(at), ranks.pid(at));
            // Otherwise the status is that of a wrapper.
            let is_ranks = self.children.is_child(at, pid);
            // It runs outside MPI.
            let runs_outside_mpi = !ranks[at].asleep && turns.has_turn(at);
            match (state, exit) {
                // Its hand-over is taken in rank order.
                (state::ABORTED, _) if !turns.has_turn(at) => {}
                (state::ABORTED, _) => ranks.fail_by_abort(at),
                (_, Exit::Signal(signal)) => ranks.fail(at, FailureCause::Signal(signal)),
                (state::STARTING, _) => {
                    ranks[at].stage = Stage::NeverInitialized;
                    turns.running().fetch_sub(1, Ordering::AcqRel);
                }
                // Without its library's knowledge.
                (state::ACTIVE, Exit::Status(0)) if is_ranks && runs_outside_mpi => {
                    let rank = &mut ranks[at];
                    (rank.stage, rank.asleep) = (Stage::Finished, false);
                    (rank.unfinalized, rank.just_exited) = (true, true);
                    if !detached.note_exit(at) {
                        turns.running().fetch_sub(1, Ordering::AcqRel);
                    }
                }
                // Its process has made file calls, and no MPI call. Other processes of the rank are
                // not simulated from here on.
                (state::FILES | state::WRAPPED, Exit::Status(_)) => {
                    let rank = &mut ranks[at];
                    rank.stage = Stage::Finished;
                    rank.just_exited = true;
                    rank.asleep = false;
                    ranks.leave(at);
                    if !runs_outside_mpi {
                        detached.add_exit(at);
                    } else if !detached.note_exit(at) {
                        turns.running().fetch_sub(1, Ordering::AcqRel);
                    }
                }
                (state::ACTIVE, Exit::Status(status)) => {
                    ranks.fail(at, FailureCause::ExitedEarly { status });
                }
                // Left MPI. If it ended within its last hand-over, `recover_lost_turns` notices.
                _ => {}
            }
        }
    }

    /// A process that ended within its last hand-over stays counted in `running`. If there is such
    /// a rank, and two consecutive checks find no live rank running, the count is reset.
    pub fn recover_lost_turns(&mut self, ranks: &Ranks, turns: &mut Turns) {
        let vanished = |&at: &u32| {
            let stage = ranks[at].stage;
            !self.children.is_alive(at)
                && !matches!(stage, Stage::Finished | Stage::NeverInitialized)
        };
        let is_out = |&at: &u32| self.is_out(at, ranks, turns);
        let is_lost = turns.batch.iter().any(vanished) && !turns.batch.iter().any(is_out);
        self.n_lost = if is_lost { self.n_lost + 1 } else { 0 };
        if self.n_lost == 2 {
            turns.running().store(0, Ordering::Release);
            self.n_lost = 0;
        }
    }

    /// Whether a live rank has its turn and can hand over.
    pub fn is_out(&self, at: u32, ranks: &Ranks, turns: &Turns) -> bool {
        turns.has_turn(at) && self.children.is_alive(at) && ranks[at].stage != Stage::Finished
    }

    /// At a standstill: waits for killed processes to end.
    pub fn await_deaths(
        &mut self,
        ranks: &mut Ranks,
        turns: &mut Turns,
        detached: &mut DetachedRanks,
    ) {
        let started = Instant::now();
        while !ranks.is_finished() && !ranks.is_stopped() && !self.is_settled {
            self.is_settled = started.elapsed() > DEATH_TIMEOUT;
            self.children.wait(Duration::from_millis(5));
            self.check(ranks, turns, detached);
            self.check_wrapped_exits(usize::MAX, ranks);
        }
    }

    /// If all ranks have left MPI: waits for their processes to exit by themselves.
    pub fn await_exits(
        &mut self,
        ranks: &mut Ranks,
        turns: &mut Turns,
        detached: &mut DetachedRanks,
    ) {
        while ranks.is_finished() && self.children.alive() > 0 && !ranks.is_stopped() {
            self.children.wait(CHECK_INTERVAL);
            self.check(ranks, turns, detached);
        }
    }

    /// Ends all processes.
    pub fn end(&mut self, ranks: &Ranks, turns: &Turns) {
        for at in 0..ranks.len() {
            if !turns.has_turn(at) && self.children.is_alive(at) {
                // SAFETY: the rank has handed over.
                unsafe { (*ranks.control(at)).command = command::DIE };
                turns.give(at);
            }
        }
        self.await_aborted_ranks(ranks);
        self.children.end();
    }

    /// Waits for ranks that abort: they flush buffers and run exit handlers.
    fn await_aborted_ranks(&mut self, ranks: &Ranks) {
        let wall_start = Instant::now();
        let aborts = |watch: &Watch, at: u32| {
            ranks.state(at) == state::ABORTED && watch.children.is_alive(at)
        };
        while wall_start.elapsed() < ABORT_TIMEOUT && (0..ranks.len()).any(|at| aborts(self, at)) {
            self.children.wait(Duration::from_millis(2));
            for (at, exit) in self.children.exited() {
                self.exits[at as usize] = Some(exit);
            }
        }
    }
}

/// Whether a process has ended, reaped or not.
fn is_gone(pid: u32) -> bool {
    match Stat::of(&pid.to_string()) {
        Ok(stat) => stat.has_ended(),
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    }
}
