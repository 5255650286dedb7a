//! All ranks of the job, what each of them does in MPI, and the failure that ends the job.

use crate::children::Exit;
use crate::launch::RankLocation;
use crate::outcome::{Failure, FailureCause};
use crate::rank::{Rank, Stage};
use base::{Span, Time};
use std::ops::{Index, IndexMut};
use std::sync::atomic::Ordering;
use workload::CallSlice;
use workload::functions::function_name;
use workload::wire::{self, Control, Segment};

pub(crate) struct Ranks {
    all: Vec<Rank>,
    locations: Vec<RankLocation>,
    pub segment: Segment,
    tag_ub: i32,
    pub failure: Option<Failure>,
    pub was_interrupted: bool,
    /// Returned calls, if they are collected for a timeline.
    pub call_slices: Option<Vec<CallSlice>>,
}

impl Ranks {
    /// The ranks before `MPI_Init`. The header of `segment` is written, and the mapping lives
    /// longer than this value.
    pub fn new(locations: Vec<RankLocation>, segment: Segment, tag_ub: i32) -> Ranks {
        let all = locations.iter().map(|_| Rank::new()).collect();
        Ranks {
            all,
            locations,
            segment,
            tag_ub,
            failure: None,
            was_interrupted: false,
            call_slices: None,
        }
    }

    pub fn len(&self) -> u32 {
        self.all.len() as u32
    }

    pub fn iter(&self) -> std::slice::Iter<'_, Rank> {
        self.all.iter()
    }

    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, Rank> {
        self.all.iter_mut()
    }

    pub fn control(&self, rank: u32) -> *mut Control {
        // SAFETY: the header is written.
        unsafe { self.segment.control(rank) }
    }

    /// The state of a rank's process, see `wire::state`.
    pub fn state(&self, rank: u32) -> u32 {
        // SAFETY: the field is atomic.
        unsafe { (*self.control(rank)).state.load(Ordering::Acquire) }
    }

    /// Ends the simulation of a rank whose process has ended.
    pub fn leave(&self, rank: u32) {
        // SAFETY: the field is atomic.
        unsafe { (*self.control(rank)).state.store(wire::state::FINALIZED, Ordering::Release) };
    }

    /// The process id of a rank that has attached.
    pub fn pid(&self, rank: u32) -> u32 {
        // SAFETY: written when the rank attached, before its state.
        unsafe { (*self.control(rank)).pid }
    }

    /// Sets the process id of a rank that sleeps.
    pub fn set_pid(&self, rank: u32, pid: u32) {
        // SAFETY: the rank sleeps, so only the simulator accesses its region.
        unsafe { (*self.control(rank)).pid = pid };
    }

    /// The job ends early: a rank has failed, or the user has interrupted it.
    pub fn is_stopped(&self) -> bool {
        self.failure.is_some() || self.was_interrupted
    }

    pub fn is_finished(&self) -> bool {
        let is_through = |r: &Rank| match r.stage {
            Stage::Finished => !r.asleep,
            Stage::NeverInitialized => true,
            Stage::BeforeInit | Stage::InMpi => false,
        };
        self.failure.is_none() && self.all.iter().all(is_through)
    }

    /// The MPI call that a rank is in: "MPI_Recv(source 2, tag 7)".
    pub fn call(&self, rank: u32) -> Option<String> {
        let is_inside = self[rank].stage == Stage::InMpi;
        self.last_call(rank).filter(|_| is_inside)
    }

    /// The present call of a rank, or the reason why it is in none.
    pub fn describe(&self, rank: u32) -> String {
        match (self[rank].stage, self.last_call(rank)) {
            (Stage::BeforeInit, _) => "has not called MPI_Init".to_string(),
            (Stage::NeverInitialized, _) => "ended without MPI_Init".to_string(),
            (Stage::Finished, _) if self[rank].unfinalized => {
                "has exited without MPI_Finalize".to_string()
            }
            (Stage::Finished, _) => "has left MPI_Finalize".to_string(),
            (Stage::InMpi, Some(call)) => call,
            (Stage::InMpi, None) => "has made no MPI call since MPI_Init".to_string(),
        }
    }

    /// The last call of a rank, with the operations that it waits for.
    fn last_call(&self, rank: u32) -> Option<String> {
        let state = &self[rank];
        if state.function == 0 {
            return None;
        }
        let mut open = state.waited_for(self.control(rank), self.segment, rank);
        let more = open.len().saturating_sub(3);
        open.truncate(3);
        if more > 0 {
            open.push(format!("and {more} more"));
        }
        let name = function_name(state.function);
        Some(match open.is_empty() {
            true => name.to_string(),
            false => format!("{name}({})", open.join("; ")),
        })
    }

    /// Ends the job. Only the first failure is kept; later ones follow from it.
    pub fn fail(&mut self, rank: u32, why: FailureCause) {
        if self.failure.is_none() {
            let node = self.locations[rank as usize].node_name.clone();
            let (mut call, mut place) = (self.last_call(rank), None);
            if matches!(why, FailureCause::Signal(_)) {
                (call, place) = self.place_of(rank);
            }
            self.failure = Some(Failure { rank, node, call, place, why });
        }
    }

    /// Ends the job because of a rank that aborts.
    pub fn fail_by_abort(&mut self, rank: u32) {
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
    pub fn attribute_tag_errors(&mut self, exits: &[Exit]) {
        for (rank, exit) in (0..).zip(exits) {
            // SAFETY: the rank has ended.
            let tag = unsafe { (*self.control(rank)).refused_tag };
            if let (1.., &Exit::Status(code @ 1..)) = (tag, exit) {
                self.fail(rank, FailureCause::Tag { tag, bound: self.tag_ub, code });
            }
        }
    }

    /// The MPI call in which a process ended, or the last one before, and a description.
    fn place_of(&self, at: u32) -> (Option<String>, Option<String>) {
        // SAFETY: both fields are atomic.
        let (inside, entered) = unsafe {
            let control = &*self.control(at);
            (control.inside.load(Ordering::Relaxed), control.entered.load(Ordering::Relaxed))
        };
        let rank = &self[at];
        let (function, call) = match rank.asleep && rank.function != 0 {
            true => (rank.function, self.last_call(at)),
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

    /// Accounts the time until `now` of ranks that still wait at the end of the run.
    pub fn close(&mut self, now: Time) {
        for rank in &mut self.all {
            if rank.asleep && rank.stage == Stage::InMpi {
                rank.ready_at = now;
            }
        }
        for at in 0..self.len() {
            if self[at].asleep && self[at].stage == Stage::InMpi {
                self.account(at, now);
            }
        }
    }

    /// Accounts the time of a rank until `now`.
    pub fn account(&mut self, at: u32, now: Time) {
        let rank = &mut self.all[at as usize];
        let function = rank.function;
        let (inside, waiting) = rank.account(now);
        let bytes = std::mem::take(&mut rank.call_bytes);
        if let Some(slices) = &mut self.call_slices
            && function != 0
        {
            let begin = Time(now.0 - inside.0);
            slices.push(CallSlice { rank: at, function, begin, end: now, waiting, bytes });
        }
    }

    /// A rank submits an operation of a function that does not wait for it.
    pub fn note_submission(&mut self, at: u32, function: u32, bytes: u64) {
        let rank = &mut self.all[at as usize];
        if function == rank.function {
            rank.call_bytes += bytes;
        } else if let Some(slices) = &mut self.call_slices
            && function != 0
        {
            let begin = rank.released_at + rank.charged;
            let waiting = Span::ZERO;
            slices.push(CallSlice { rank: at, function, begin, end: begin, waiting, bytes });
        }
    }

    /// Takes the numbers of calls from the rank's tally, because a call may have several
    /// hand-overs. Functions without a tally count one call per hand-over. Returns the number of
    /// calls that handed over, at most that of all calls. The process has ended.
    pub fn count_calls(&mut self, at: u32) -> u64 {
        let segment = self.segment;
        let rank = &mut self[at];
        let mut blocked = 0;
        // 0 is not a function.
        for function in 1..wire::FUNCTIONS as u32 {
            // SAFETY: within the tally; the process has ended.
            let calls = unsafe { *segment.tally(at).add(function as usize) };
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
}

impl Index<u32> for Ranks {
    type Output = Rank;
    #[inline]
    fn index(&self, rank: u32) -> &Rank {
        &self.all[rank as usize]
    }
}

impl IndexMut<u32> for Ranks {
    #[inline]
    fn index_mut(&mut self, rank: u32) -> &mut Rank {
        &mut self.all[rank as usize]
    }
}
