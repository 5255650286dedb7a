//! Converts the submissions of a hand-over to calls of the simulator.
//!
//! The rank's process wrote them, so they are checked: a violation of the protocol ends the job
//! with the rank's name and does not reach the simulator.

use crate::file_calls::FileCalls;
use crate::matching::CollectiveMatcher;
use crate::memory::{MAX_BYTES, check_access};
use crate::outcome::FailureCause;
use crate::polling::Polls;
use crate::rank::{SentMessage, Slot, Stage};
use crate::ranks::Ranks;
use crate::segment::lies_inside;
use crate::tokens::{EXIT, FILE_CALL, PAUSE, SENDS};
use base::Span;
use std::sync::atomic::Ordering;
use workload::schedule::record::{self, Recorder};
use workload::wire::{self, Submission, flag, kind, state, wait};
use workload::{Call, NonContiguous, Op, SendMode};

/// Latest end of a sleep in picoseconds, 160 days: simulated time ends after 213 days, and leaves
/// room for computation and messages after the sleep.
const LATEST_WAKE_PS: u64 = 3 << 62;

/// The hand-over of a rank, and what it changes.
pub(crate) struct HandOver<'a> {
    pub ranks: &'a mut Ranks,
    pub matcher: &'a mut CollectiveMatcher,
    pub polls: &'a mut Polls,
    pub file_calls: &'a mut FileCalls,
    /// Another process of the rank started the one in MPI, and may make file calls after it.
    pub is_wrapped: bool,
    pub recorder: &'a mut Option<Recorder>,
}

impl HandOver<'_> {
    /// Takes the hand-over of the rank `at`.
    pub fn take(&mut self, at: u32, calls: &mut Vec<Call>) -> Result<(), FailureCause> {
        let has_exited = std::mem::take(&mut self.ranks[at].just_exited);
        if has_exited || self.ranks[at].stage == Stage::NeverInitialized {
            calls.push(Call { rank: at, token: EXIT, after: Span::ZERO, op: Op::Exit });
            if let Some(recorder) = &mut *self.recorder {
                recorder.begin(at, |_| true);
                recorder.call(&calls[calls.len() - 1], None, 0);
            }
            return Ok(());
        }
        // SAFETY: the rank sleeps, so only the simulator accesses its region.
        let control = unsafe { &*self.ranks.control(at) };
        let state = control.state.load(Ordering::Acquire);
        let polled = self.polls.note_local(at, self.ranks);
        let rank = &mut self.ranks[at];
        rank.asleep = true;
        rank.function = control.function;
        rank.epoch = rank.epoch.wrapping_add(1);
        rank.hand_overs += 1;
        // Function 0: it attaches, sleeps or reads a clock between calls.
        if control.function != 0 {
            rank.row(control.function).calls += 1;
        }
        rank.mode = control.wait_mode;
        (rank.n_pending, rank.n_awaited) = (0, control.wait_count);
        (rank.paused, rank.any_complete, rank.probe_matched) = (false, false, false);
        match state {
            state::ABORTED => {
                self.ranks.fail_by_abort(at);
                return Ok(());
            }
            state::FINALIZED | state::LEFT if self.is_wrapped => {
                rank.unfinalized = state == state::LEFT;
                control.state.store(state::WRAPPED, Ordering::Release);
            }
            state::FINALIZED | state::LEFT => {
                rank.stage = Stage::Finished;
                rank.unfinalized = state == state::LEFT;
            }
            state::ACTIVE | state::FILES | state::WRAPPED => rank.stage = Stage::InMpi,
            _ => return Err(FailureCause::Protocol("handed over before MPI_Init".into())),
        }
        let (submitted, after) = (control.submitted as usize, Span(control.after_ps));
        if submitted > wire::RING || control.wait_count as usize > wire::WAITS {
            return Err(FailureCause::Protocol(
                "overran its submission ring or its wait list".into(),
            ));
        }
        if let Some(recorder) = &mut *self.recorder {
            let segment = self.ranks.segment;
            // SAFETY: as above; called for submitted tokens only.
            recorder.begin(at, |t| unsafe { (*segment.completion(at, t)).done != wire::DONE });
        }
        let held = control.requests;
        let rank = &mut self.ranks[at];
        if held > rank.requests {
            rank.requests = held;
            let op = Op::Requests(held);
            calls.push(Call { rank: at, token: PAUSE, after: Span::ZERO, op });
        }
        let mut probes_only = true;
        for i in 0..submitted {
            // SAFETY: as above, and `i` is below RING.
            let mut s = unsafe { *self.ranks.segment.submission(at, i) };
            s.after_ps = self.ranks[at].remaining(Span(s.after_ps)).0;
            if s.kind == kind::EXIT && self.is_wrapped {
                continue;
            }
            probes_only &= s.kind == kind::PROBE && s.flags & flag::WAIT == 0;
            self.ranks[at].charged += Span(s.after_ps);
            let before = calls.len();
            self.submit(at, &s, calls)?;
            // A record has a communicator when an operation uses it.
            if s.kind != kind::COMM {
                self.record(&s, &calls[before..]);
            }
        }
        let rank = &mut self.ranks[at];
        let after = rank.remaining(after);
        rank.charged += after;
        rank.charged = Span(rank.charged.0.saturating_sub(polled.0));
        rank.probes_only = probes_only && submitted > 0;
        if rank.probes_only || probes_only && control.wait_mode == wait::POLL {
            rank.polling.computed += rank.charged;
        } else {
            rank.polling = Default::default();
        }
        self.mark_awaited(at)?;
        if control.wait_mode == wait::FILE {
            self.ranks[at].n_pending = 1;
        }
        calls.push(Call { rank: at, token: PAUSE, after, op: Op::Pause });
        if let Some(recorder) = &mut *self.recorder {
            recorder.pause(&calls[calls.len() - 1]);
        }
        Ok(())
    }

    /// Records the calls that a submission was converted to.
    fn record(&mut self, s: &Submission, converted: &[Call]) {
        let (Some(recorder), [before @ .., call]) = (&mut *self.recorder, converted) else {
            return;
        };
        let mut flags = 0;
        if let Op::Collective { context, .. } = call.op {
            recorder.add_communicator(context, self.matcher.members(context));
            if s.flags & flag::COMMUTATIVE != 0 {
                flags |= record::flag::COMMUTATIVE;
            }
            if s.combine != wire::combine::USER {
                flags |= record::flag::BUILTIN;
            }
        }
        before.iter().for_each(|each| recorder.call(each, None, 0));
        if is_of_child(s) {
            let rank = call.rank;
            recorder.refuse(|| format!("a process without MPI made file calls for rank {rank}"));
        }
        let has_token = !matches!(s.kind, kind::EXIT | kind::REGION) && !is_of_child(s);
        recorder.call(call, has_token.then_some(s.token), flags);
    }

    /// Marks the pending operations of the wait list.
    fn mark_awaited(&mut self, at: u32) -> Result<(), FailureCause> {
        let segment = self.ranks.segment;
        let rank = &mut self.ranks[at];
        for i in 0..rank.n_awaited as usize {
            // SAFETY: below WAITS, and the rank sleeps.
            let token = unsafe { *segment.waits(at).add(i) };
            match rank.slots.get_mut(token as usize) {
                Some(slot) if slot.is_pending && slot.awaited_in != rank.epoch => {
                    slot.awaited_in = rank.epoch;
                    rank.n_pending += 1;
                }
                Some(slot) if slot.is_pending => {}
                Some(_) => {
                    rank.any_complete = true;
                    if let (wait::ALL, Some(recorder)) = (rank.mode, &mut *self.recorder) {
                        recorder.waits_for(at, token);
                    }
                }
                None => {
                    return Err(FailureCause::Protocol(format!(
                        "waits for {token}, which is no operation"
                    )));
                }
            }
        }
        // A wait for any of no operations ends at once; a poll lasts its full time.
        rank.any_complete |= rank.mode == wait::ANY && rank.n_awaited == 0;
        Ok(())
    }

    fn submit(
        &mut self,
        at: u32,
        s: &Submission,
        calls: &mut Vec<Call>,
    ) -> Result<(), FailureCause> {
        let wrong = |what: &str| Err(FailureCause::Protocol(format!("submitted {what}: {s:?}")));
        let (peer, tag, context, bytes) = (s.peer, s.tag, s.context, s.bytes);
        let n_ranks = self.ranks.len();
        let mut token = s.token;
        match s.kind {
            kind::COMM => {
                self.register(at, s)?;
                let joins = s.block != 0;
                let op = if joins { Op::Join { context } } else { Op::Leave { context } };
                if context > n_ranks {
                    calls.push(Call { rank: at, token: PAUSE, after: Span::ZERO, op });
                }
                return Ok(());
            }
            kind::REGION => {
                let (held, optimized) = (s.flags & flag::SET != 0, s.flags & flag::OPTIMIZED != 0);
                let op = Op::Region { held, optimized };
                calls.push(Call { rank: at, token: PAUSE, after: Span::ZERO, op });
                return Ok(());
            }
            kind::EXIT => token = EXIT,
            kind::MATCHED_RECV => match self.ranks[at].slots.get_mut(s.other as usize) {
                Some(probe) if probe.holds_message && !probe.is_pending => {
                    probe.holds_message = false
                }
                _ => return wrong("a receive of a message that no matched probe took"),
            },
            kind::FILE if is_of_child(s) => token = FILE_CALL,
            kind::CANCEL | kind::FILE => {}
            kind::DELAY => self.check_sleep(at, bytes)?,
            kind::ONE_SIDED | kind::LOCK | kind::UNLOCK | kind::STORAGE => {
                let members = self.matcher.members(s.context);
                check_access(s, self.ranks, members).or_else(wrong)?;
            }
            kind::SEND if bytes > MAX_BYTES => return wrong("more bytes than a rank has"),
            kind::SEND if peer >= n_ranks => return wrong("a send to a rank that does not exist"),
            kind::SEND | kind::RECV | kind::PROBE | kind::COLLECTIVE => {
                if self.matcher.members(context & !wire::PRIVATE_CONTEXT).is_empty() {
                    return wrong("an unregistered communicator");
                }
            }
            _ => return wrong("an operation of no known kind"),
        }
        // The layouts may not cover more bytes than the call moves.
        let (max_sent, max_received) = match s.kind {
            kind::SEND => (bytes, 0),
            kind::RECV | kind::MATCHED_RECV => (0, u64::MAX),
            kind::ONE_SIDED => (bytes, s.grain),
            kind::COLLECTIVE => (u64::MAX, u64::MAX),
            _ => (0, 0),
        };
        let is_possible = |apart: &NonContiguous, most| apart.is_valid() && apart.bytes <= most;
        if !is_possible(&s.send_layout, max_sent) || !is_possible(&s.recv_layout, max_received) {
            return wrong("an impossible data layout");
        }
        if s.kind != kind::EXIT && !is_of_child(s) {
            self.occupy(at, s).or_else(wrong)?;
        }
        let mut moved = 0;
        let op = match s.kind {
            kind::SEND => {
                let mode = match s.flags {
                    f if f & flag::SYNCHRONOUS != 0 => SendMode::Synchronous,
                    f if f & flag::BUFFERED != 0 => SendMode::Buffered,
                    _ => SendMode::Standard,
                };
                let rank = &mut self.ranks[at];
                rank.messages += 1;
                rank.bytes += bytes;
                moved = bytes;
                let sent = SentMessage { token, block: s.block, completed: false, received: false };
                token = SENDS + rank.sends.insert(sent).0;
                Op::Send { to: peer, context, tag, bytes, mode }
            }
            kind::RECV => Op::Recv { from: peer, context, tag, bytes },
            kind::PROBE => {
                let (wait, take) = (s.flags & flag::WAIT != 0, s.flags & flag::TAKE != 0);
                Op::Probe { from: peer, context, tag, wait, take }
            }
            kind::MATCHED_RECV => Op::MatchedRecv { probe: s.other, bytes },
            kind::CANCEL => Op::Cancel { token: s.other },
            kind::EXIT => Op::Exit,
            kind::DELAY => Op::Delay { span: Span(bytes) },
            kind::ONE_SIDED => {
                let (request_bytes, response_bytes) = (bytes, s.grain);
                let rank = &mut self.ranks[at];
                rank.messages += 1;
                rank.bytes += request_bytes + response_bytes;
                moved = request_bytes + response_bytes;
                Op::OneSided {
                    to: peer,
                    context,
                    request_bytes,
                    response_bytes,
                    atomic: s.flags & flag::ATOMIC != 0,
                }
            }
            kind::LOCK => {
                let exclusive = s.flags & flag::EXCLUSIVE != 0;
                Op::Lock { context, to: peer, exclusive }
            }
            kind::UNLOCK => Op::Unlock { context, to: peer },
            kind::FILE => {
                let rank = &self.ranks[at];
                let now = rank.released_at + rank.charged;
                let segment = self.ranks.segment;
                self.file_calls.submit(segment, (at, token), s, now, calls)?
            }
            kind::STORAGE => Op::Storage { bytes, write: s.flags & flag::WRITE != 0 },
            _ => {
                let (context, call, open_collective) = self.matcher.join(at, s)?;
                let rank = &mut self.ranks[at];
                moved = contributed(&call);
                let slot = &mut rank.slots[token as usize];
                (slot.open_collective, slot.member) = (open_collective, s.peer);
                Op::Collective { context, call }
            }
        };
        if moved > 0 {
            self.ranks[at].row(s.function).bytes += moved;
        }
        self.ranks.note_submission(at, s.function, moved);
        let layouts = [
            (s.send_layout, Op::SendLayout(s.send_layout)),
            (s.recv_layout, Op::RecvLayout(s.recv_layout)),
        ];
        for (_, op) in layouts.into_iter().filter(|(layout, _)| layout.is_some()) {
            calls.push(Call { rank: at, token: PAUSE, after: Span::ZERO, op });
        }
        calls.push(Call { rank: at, token, after: Span(s.after_ps), op });
        Ok(())
    }

    /// Registers the submission under its token.
    fn occupy(&mut self, at: u32, s: &Submission) -> Result<(), &'static str> {
        let token = s.token as usize;
        // SAFETY: the header is written.
        if s.token as u64 >= unsafe { self.ranks.segment.layout() }.tokens {
            return Err("a token out of range");
        }
        let slots = &mut self.ranks[at].slots;
        if slots.len() <= token {
            slots.resize(token + 1, Slot::default());
        }
        if slots[token].is_pending {
            return Err("a token that is in use");
        }
        slots[token] = Slot {
            kind: s.kind,
            function: s.function,
            peer: s.peer,
            tag: s.tag,
            context: s.context,
            bytes: s.bytes,
            is_pending: true,
            block: s.block,
            flags: s.flags,
            op: s.op,
            holds_message: s.kind == kind::PROBE && s.flags & flag::TAKE != 0,
            ..Slot::default()
        };
        Ok(())
    }

    fn check_sleep(&self, at: u32, span: u64) -> Result<(), FailureCause> {
        let rank = &self.ranks[at];
        let end = (rank.released_at + rank.charged).0.checked_add(span);
        match end.is_some_and(|end| end <= LATEST_WAKE_PS) {
            true => Ok(()),
            false => Err(FailureCause::Protocol("sleeps beyond the end of simulated time".into())),
        }
    }

    fn register(&mut self, at: u32, s: &Submission) -> Result<(), FailureCause> {
        if s.block == 0 {
            return self.matcher.leave(at, s.context);
        }
        if !lies_inside(self.ranks.segment, s.block, s.bytes, align_of::<u32>()) {
            return Err(FailureCause::Protocol(format!(
                "registered members outside the segment: {s:?}"
            )));
        }
        let n = (s.bytes / 4) as usize;
        // SAFETY: the rank wrote its list into the block and does not access it until its return.
        let members =
            unsafe { std::slice::from_raw_parts(self.ranks.segment.ptr(s.block).cast(), n) };
        let registered = self.matcher.register(at, s.context, members);
        // SAFETY: the block is no longer read.
        unsafe { wire::return_block(self.ranks.segment, s.block) };
        registered
    }
}

/// Whether it is a file call of a process of the rank that has not called `MPI_Init`.
fn is_of_child(s: &Submission) -> bool {
    s.kind == kind::FILE && s.token == wire::FILE_TOKEN
}

/// Bytes that one rank contributes to a collective.
fn contributed(call: &collectives::Collective) -> u64 {
    use collectives::Kind::*;
    let (size, is_root) = (u64::from(call.member.size), call.member.rank == call.root);
    let ragged = |n: usize| call.ragged.as_ref().map_or(0, |r| r.lengths().take(n).sum());
    match call.kind {
        Barrier => 0,
        Bcast | Scatter | Scatterv if !is_root => 0,
        Scatter | Alltoall | ReduceScatterBlock => call.bytes * size,
        Scatterv | Alltoallv | ReduceScatter => ragged(call.member.size as usize),
        Allgatherv => call.ragged.as_ref().map_or(0, |r| r.part(call.member.rank as usize).len),
        _ => call.bytes,
    }
}
