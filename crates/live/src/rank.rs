//! State of one rank in the simulator.

use crate::outcome::{FunctionRow, RankOutcome};
use crate::poll_streak::PollStreak;
use base::{Slab, Span, Time};
use workload::functions::function_name;
use workload::wire::{self, Control, PRIVATE_CONTEXT, flag, kind, wait};
use workload::{ANY_SOURCE, ANY_TAG, Token};

base::ids! {
    /// A message of one rank, until its send is complete and it is received.
    SendId,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
    /// Its process runs and has not called MPI; it may never do so.
    BeforeInit,
    InMpi,
    /// It has left `MPI_Finalize`, or has exited without it.
    Finished,
    /// Its process ended without an MPI call.
    NeverInitialized,
}

/// A submitted operation of the rank, indexed by its token.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Slot {
    pub kind: u32,
    pub function: u32,
    pub peer: u32,
    pub tag: i32,
    pub context: u32,
    pub bytes: u64,
    /// Last hand-over (`Rank::epoch`) that waited for this token.
    pub awaited_in: u32,
    pub is_pending: bool,
    /// A matched probe: true until its message is received.
    pub holds_message: bool,
    /// Collectives: the open collective, and the rank in the communicator.
    pub open_collective: u32,
    pub member: u32,
    /// One-sided: the block. One-sided and storage: the flags, and the operand of a counter.
    pub block: u64,
    pub flags: u32,
    pub op: u64,
}

impl Slot {
    /// Description for messages.
    pub fn describe(&self) -> String {
        let tag = match self.tag {
            ANY_TAG => "any tag".to_string(),
            tag => format!("tag {tag}"),
        };
        let mut text = match (self.kind, self.peer) {
            (kind::SEND, to) => format!("destination {to}, {tag}, {} B", self.bytes),
            (kind::RECV | kind::PROBE, ANY_SOURCE) => format!("any source, {tag}"),
            (kind::RECV | kind::PROBE, from) => format!("source {from}, {tag}"),
            (kind::COLLECTIVE, _) => format!("{} B", self.bytes),
            (kind::ONE_SIDED, to) => format!("target {to}, {} B", self.bytes),
            (kind::LOCK, to) if self.flags & flag::EXCLUSIVE != 0 => {
                format!("exclusive lock of rank {to}")
            }
            (kind::LOCK, to) => format!("shared lock of rank {to}"),
            (kind::UNLOCK, to) => format!("lock of rank {to}"),
            (kind::STORAGE, _) if self.flags & flag::WRITE != 0 => {
                return format!("{} B to storage", self.bytes);
            }
            (kind::STORAGE, _) => return format!("{} B from storage", self.bytes),
            (kind::DELAY, _) => return format!("{}", Span(self.bytes)),
            (kind::FILE, _) => return "a call on a simulated file".to_string(),
            _ => "an operation".to_string(),
        };
        match self.context & !PRIVATE_CONTEXT {
            workload::WORLD => {}
            context => text += &format!(", communicator {context}"),
        }
        text
    }
}

/// Payload of a message; the receiver gets the block when the message matches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SentMessage {
    pub token: Token,
    pub block: u64,
    pub completed: bool,
    pub received: bool,
}

pub(crate) struct Rank {
    pub stage: Stage,
    /// Its hand-over has been taken, and it has not been released since.
    pub asleep: bool,
    /// MPI function of the last hand-over; 0: none.
    pub function: u32,

    pub mode: u32,
    /// Number of this hand-over.
    pub epoch: u32,
    /// Another thread of the rank has called MPI.
    pub wake_requested: bool,
    /// Its simulated CPU has finished the submissions.
    pub paused: bool,
    /// Awaited operations that are pending; whether one is complete; number of awaited tokens.
    pub n_pending: u32,
    pub any_complete: bool,
    pub n_awaited: u32,
    /// Only nonblocking probes were submitted; whether one of them found a message.
    pub probes_only: bool,
    pub probe_matched: bool,
    pub polling: PollStreak,
    /// Whether it is among `Polls::long_polls`.
    pub is_long: bool,

    /// Last block of the list `Control::incoming`; whether the rank is to be woken for it at this
    /// instant.
    pub incoming_last: u64,
    pub to_apply: bool,

    pub slots: Vec<Slot>,
    pub sends: Slab<SendId, SentMessage>,

    pub released_at: Time,
    /// When its simulated CPU had executed the submissions.
    pub cpu_done_at: Time,
    /// When the other side of the last completed awaited operation was ready.
    pub ready_at: Time,
    pub charged: Span,
    /// Simulated time that passed while the rank was detached: computation up to it is not charged
    /// again.
    pub credit: Span,
    /// It has exited with status 0 without `MPI_Finalize`; the exit has not been taken yet.
    pub unfinalized: bool,
    pub just_exited: bool,
    pub hand_overs: u64,
    /// Largest reported number of simultaneous requests.
    pub requests: u32,
    pub messages: u64,
    pub bytes: u64,
    /// Bytes of the call that the rank is in, for timelines.
    pub call_bytes: u64,
    pub outcome: RankOutcome,
}

impl Rank {
    pub fn new() -> Rank {
        Rank {
            stage: Stage::BeforeInit,
            asleep: false,
            function: 0,
            mode: wait::NONE,
            epoch: 0,
            wake_requested: false,
            paused: false,
            n_pending: 0,
            any_complete: false,
            n_awaited: 0,
            probes_only: false,
            probe_matched: false,
            polling: PollStreak::default(),
            is_long: false,
            incoming_last: 0,
            to_apply: false,
            slots: Vec::new(),
            sends: Slab::with_capacity(0),
            released_at: Time::ZERO,
            cpu_done_at: Time::ZERO,
            ready_at: Time::ZERO,
            charged: Span::ZERO,
            credit: Span::ZERO,
            unfinalized: false,
            just_exited: false,
            hand_overs: 0,
            requests: 0,
            messages: 0,
            bytes: 0,
            call_bytes: 0,
            outcome: RankOutcome::default(),
        }
    }

    /// Whether it is an unsuccessful `MPI_Iprobe`, which is delayed like any poll.
    pub fn probes_unsuccessfully(&self) -> bool {
        self.probes_only && !self.probe_matched
    }

    /// Whether an awaited operation that completes now may end the wait: each of all, or the first
    /// of any.
    pub fn waits_for_this(&self) -> bool {
        match self.mode {
            wait::ALL | wait::FILE => true,
            wait::ANY | wait::POLL => !self.any_complete,
            _ => false,
        }
    }

    /// Descriptions of the pending operations that the last hand-over waited for.
    pub fn waited_for(
        &self,
        control: *mut Control,
        segment: wire::Segment,
        at: u32,
    ) -> Vec<String> {
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

    /// The part of a computation that has not passed yet, for a rank that was detached.
    pub fn remaining(&mut self, computed: Span) -> Span {
        let passed = computed.min(self.credit);
        self.credit = self.credit - passed;
        computed - passed
    }

    pub fn row(&mut self, function: u32) -> &mut FunctionRow {
        let rows = &mut self.outcome.functions;
        let i = match rows.binary_search_by_key(&function, |r| r.function) {
            Ok(i) => i,
            Err(i) => {
                rows.insert(i, FunctionRow { function, ..FunctionRow::default() });
                i
            }
        };
        &mut rows[i]
    }

    /// Divides the time since the last release: computation, MPI's CPU time, waiting until the
    /// other side was ready, transfer until completion. A run that fails may end while the rank
    /// computes, or before its CPU has finished the submissions.
    ///
    /// Returns the time inside MPI, and the waiting part of it.
    pub fn account(&mut self, now: Time) -> (Span, Span) {
        let all = now.since(self.released_at);
        let charged = self.charged.min(all);
        let inside = all - charged;
        let blocked = now.since(self.cpu_done_at);
        let waiting = match self.mode {
            wait::NONE => Span::ZERO,
            wait::POLL if !self.any_complete => blocked,
            _ if self.probes_unsuccessfully() => blocked,
            _ => self.ready_at.min(now).since(self.cpu_done_at),
        };
        let waiting = waiting.min(inside);
        let outcome = &mut self.outcome;
        outcome.compute += charged;
        outcome.waiting += waiting;
        outcome.transfer += inside - waiting;
        outcome.end = now;
        let function = self.function;
        self.row(function).blocked += inside;
        self.released_at = now;
        self.charged = Span::ZERO;
        (inside, waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The divided times add up to the elapsed time, whenever the run ends.
    #[test]
    fn time_components_sum_to_the_elapsed_time() {
        let us = |n| Time::ZERO + Span::us(n);
        // Released at 10 us, it computes until 15; its CPU finished at 2, or at 16.
        for (now, through, ready, want) in [
            (20, 16, 18, [5, 2, 3]),
            (20, 16, 30, [5, 4, 1]),
            (12, 2, 12, [2, 0, 0]),
            (17, 2, 17, [5, 2, 0]),
        ] {
            let mut rank = Rank::new();
            (rank.released_at, rank.charged) = (us(10), Span::us(5));
            (rank.cpu_done_at, rank.ready_at) = (us(through), us(ready));
            rank.mode = wait::ALL;
            rank.account(us(now));
            let got = [rank.outcome.compute, rank.outcome.waiting, rank.outcome.transfer];
            assert_eq!(got, want.map(Span::us), "at {now} us");
        }
    }
}
