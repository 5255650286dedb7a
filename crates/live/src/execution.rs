//! The execution of the ranks' processes between two simulated instants: releases ranks, and waits
//! until they have handed over, exited or failed.

use crate::detached::DetachedRanks;
use crate::outcome::FailureCause;
use crate::rank::Stage;
use crate::ranks::Ranks;
use crate::turn::Turns;
use crate::watch::{CHECK_INTERVAL, Watch};
use base::Time;
use std::sync::atomic::Ordering;
use workload::wire::{self, command, state};

pub(crate) struct Execution {
    pub ranks: Ranks,
    pub turns: Turns,
    pub detached: DetachedRanks,
    pub watch: Watch,
}

impl Execution {
    /// Checks for an interrupt and for ended processes.
    pub fn check(&mut self) {
        self.watch.check(&mut self.ranks, &mut self.turns, &mut self.detached);
    }

    /// Takes the exits of processes.
    pub fn note_exits(&mut self) {
        self.watch.note_exits(&mut self.ranks, &mut self.turns, &mut self.detached);
    }

    /// At a standstill: waits for killed processes to end.
    pub fn await_deaths(&mut self) {
        self.watch.await_deaths(&mut self.ranks, &mut self.turns, &mut self.detached);
    }

    /// If all ranks have left MPI: waits for their processes to exit by themselves.
    pub fn await_exits(&mut self) {
        self.watch.await_exits(&mut self.ranks, &mut self.turns, &mut self.detached);
    }

    /// Ends all processes.
    pub fn end(&mut self) {
        self.watch.end(&self.ranks, &self.turns);
    }

    /// Releases the batch at `now`.
    pub fn release_batch(&mut self, now: Time) {
        let mut n_running = 0;
        for &at in &self.turns.batch {
            let control = self.ranks.control(at);
            // SAFETY: the rank sleeps, so only the simulator accesses its region.
            unsafe {
                (*control).now_ps = now.0;
                (*control).command = command::RUN;
                (*control).wake_request.store(0, Ordering::Relaxed);
            }
            self.ranks.account(at, now);
            let rank = &mut self.ranks[at];
            (rank.asleep, rank.wake_requested) = (false, false);
            // A rank that has finalized does not hand over again.
            n_running += u32::from(rank.stage == Stage::InMpi);
        }
        self.turns.give_batch(n_running);
    }

    /// Waits until all ranks have handed over, or the job is stopped.
    fn wait_for_all(&mut self) {
        while !self.turns.all_handed_over(CHECK_INTERVAL) {
            if !self.check_running() {
                return;
            }
        }
    }

    /// Checks the running ranks, for which the simulator waits. Whether the job continues.
    pub fn check_running(&mut self) -> bool {
        self.check();
        self.detect_calls_after_finalize();
        if self.ranks.is_stopped() {
            return false;
        }
        self.recover_lost_turns();
        true
    }

    /// Corrects the number of running ranks after a process has ended within its hand-over.
    pub fn recover_lost_turns(&mut self) {
        self.watch.recover_lost_turns(&self.ranks, &mut self.turns);
    }

    /// A rank that calls MPI after its last hand-over decrements `running` without having been
    /// counted.
    fn detect_calls_after_finalize(&mut self) {
        if self.turns.running().load(Ordering::Acquire) <= self.ranks.len() {
            return;
        }
        for at in 0..self.ranks.len() {
            let has_left = matches!(self.ranks.state(at), state::FINALIZED | state::LEFT);
            let rank = &self.ranks[at];
            if rank.stage == Stage::Finished && !has_left && !rank.unfinalized {
                let what = "called MPI_Init a second time".into();
                self.ranks.fail(at, FailureCause::Protocol(what));
            }
        }
        let what = "or another called MPI after MPI_Finalize".into();
        self.ranks.fail(0, FailureCause::Protocol(what));
    }

    /// Lets a sleeping rank's process apply a user-defined operator.
    pub fn apply_operator(&mut self, at: u32, combine: wire::Combine) -> Result<(), FailureCause> {
        if self.ranks.is_stopped() || !self.ranks[at].asleep {
            return Err(FailureCause::Protocol(format!("rank {at} cannot apply its operator")));
        }
        // SAFETY: the rank sleeps.
        unsafe {
            let control = self.ranks.control(at);
            (*control).command = command::COMBINE;
            (*control).combine = combine;
        }
        self.run(vec![at]);
        match &self.ranks.failure {
            Some(failure) => Err(failure.why.clone()),
            None => Ok(()),
        }
    }

    /// Wakes these ranks to apply their lists of one-sided accesses, before any other rank
    /// continues.
    pub fn apply_accesses(&mut self, targets: Vec<u32>) {
        for &at in &targets {
            self.ranks[at].to_apply = false;
            // SAFETY: the rank sleeps: it is inside MPI, and no rank has been released yet.
            unsafe { (*self.ranks.control(at)).command = command::APPLY };
        }
        self.run(targets);
    }

    /// Runs these ranks, which sleep, until they have carried out their commands.
    fn run(&mut self, ranks: Vec<u32>) {
        let n = ranks.len() as u32;
        let batch = std::mem::replace(&mut self.turns.batch, ranks);
        self.turns.give_batch(n);
        self.wait_for_all();
        for at in std::mem::replace(&mut self.turns.batch, batch) {
            if self.ranks.state(at) == state::ABORTED {
                self.ranks.fail_by_abort(at);
            }
        }
    }
}
