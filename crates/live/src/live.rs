//! The job under way: whose turn it is, what they asked for, what has come of it.

use crate::children::{Children, Exit, resolve};
use crate::launch::{LaunchError, LaunchSpec, MAX_RANKS, Progress, SeatSpec};
use crate::meet::{Choose, Meetings};
use crate::outcome::{Failure, LiveOutcome, Why};
use crate::output::Pump;
use crate::rank::{Rank, SendId, Sent, Slot, Stage};
use crate::segment::Shared;
use crate::start::start_all;
use crate::turn::Turns;
use base::{Span, Time};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use workload::functions::function_name;
use workload::wire::{self, Completion, Control, Submission, command, flag, kind, state, wait};
use workload::{Call, Context, Done, Found, Op, SendMode, Token, Workload};

/// Tokens of our own, beyond those ranks may use.
const PAUSE: Token = wire::TOKENS as Token;
const EXIT: Token = PAUSE + 1;
const ALARMS: Token = 2 << 20;
/// Alarms are numbered in a circle; one lives no longer than a poll.
const ALARM_NUMBERS: Token = 1 << 20;
/// Sends, by `SendId`. A rank may reuse a send's token once it has completed, which may be before
/// its message is received: so the simulator is given a name that lasts.
const SENDS: Token = 4 << 20;

/// How often processes and the user are looked after, in time of the wall clock.
const LOOK: Duration = Duration::from_millis(20);

/// How long a killed process may take to be gone, as seen by a job that has come to a standstill.
const DYING: Duration = Duration::from_millis(200);

/// Nothing but unsuccessful polls for so long is a livelock [estimate].
const LIVELOCK: Span = Span(1_000_000_000_000_000);

pub struct Live {
    children: Children,
    pumps: Vec<Pump>,
    turns: Turns,
    seats: Vec<SeatSpec>,
    ranks: Vec<Rank>,
    exits: Vec<Option<Exit>>,
    meetings: Meetings,
    choose: Box<Choose>,
    interrupted: Box<dyn FnMut() -> bool>,
    progress: Option<Box<dyn FnMut(Progress)>>,
    poll_interval: Span,
    /// Ranks released at this instant, and those of them still out after a death.
    batch: Vec<u32>,
    lost: u32,
    looked_at: Instant,
    was_interrupted: bool,
    failure: Option<Failure>,
    /// When something other than an unsuccessful poll happened last.
    lively_at: Time,
    alarms: u32,
    /// Dropped last: everything else may look into it.
    shared: Shared,
}

impl Live {
    /// Starts the ranks' processes. They run until their first hand-over by themselves; `start`
    /// waits for them. `choose` must be a function of its argument: every rank is asked on its own.
    /// `interrupted` is asked about every 20 ms and ends the job when it says so.
    ///
    /// The processes die with the thread that calls this: it is the one that must drive the run.
    /// Call it before the simulator takes much memory: starting a process costs in proportion.
    pub fn launch(
        mut spec: LaunchSpec,
        choose: Box<Choose>,
        mut interrupted: Box<dyn FnMut() -> bool>,
    ) -> Result<Live, LaunchError> {
        if spec.ranks == 0 || spec.ranks > MAX_RANKS || spec.seats.len() != spec.ranks as usize {
            return Err(LaunchError::Seats { ranks: spec.ranks, seats: spec.seats.len() });
        }
        let program = resolve(&spec)?;
        let shared = Shared::new(spec.ranks).map_err(LaunchError::SharedMemory)?;
        shared.write(&spec);
        let mut progress = spec.progress.take();
        let (children, pumps) =
            start_all(&spec, &program, shared.fd(), &mut progress, &mut *interrupted)?;
        let n = spec.ranks;
        Ok(Live {
            children,
            pumps,
            turns: Turns::new(shared.segment),
            seats: spec.seats,
            ranks: (0..n).map(|_| Rank::new()).collect(),
            exits: vec![None; n as usize],
            meetings: Meetings::new(shared.segment, n),
            choose,
            interrupted,
            progress,
            poll_interval: spec.poll_interval,
            batch: (0..n).collect(),
            lost: 0,
            looked_at: Instant::now(),
            was_interrupted: false,
            failure: None,
            lively_at: Time::ZERO,
            alarms: 0,
            shared,
        })
    }

    /// Who waits where for what: "rank 3 on x1: MPI_Recv(source 2, tag 7)".
    pub fn describe(&self, rank: u32) -> String {
        let what = match (self.ranks[rank as usize].stage, self.call_of(rank)) {
            (Stage::Outside, _) => "has not called MPI_Init".to_string(),
            (Stage::NeverCame, _) => "ended without MPI_Init".to_string(),
            (Stage::Left, _) => "has left MPI_Finalize".to_string(),
            (Stage::Inside, Some(call)) => call,
            (Stage::Inside, None) => "has made no MPI call since MPI_Init".to_string(),
        };
        format!("rank {rank} on {}: {what}", self.seats[rank as usize].node_name)
    }

    /// Why the job was ended from inside, if it was.
    pub fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    /// Ends what still runs and says what came of the job. If all ranks are through with MPI, waits
    /// until their processes have exited by themselves.
    pub fn outcome(mut self) -> LiveOutcome {
        let asked = Instant::now();
        while self.children.alive() > 0 && !self.is_stopped() {
            // Nobody can go on: perhaps because of a death that is not complete yet.
            if !self.is_finished() && asked.elapsed() > DYING {
                break;
            }
            self.children.wait(Duration::from_millis(5));
            self.look();
        }
        self.end();
        let exits: Vec<Exit> = self.exits.iter().map(|e| e.unwrap_or(Exit::Ended)).collect();
        let status = exits.iter().find_map(|e| match *e {
            Exit::Signal(signal) => Some(128 + signal),
            _ => None,
        });
        let status = status.or(exits.iter().find_map(|e| match *e {
            Exit::Status(0) => None,
            Exit::Status(status) => Some(status),
            // Not at its own end, and nothing else is wrong: the simulator gave up.
            _ => Some(1),
        }));
        let exit_code = match &self.failure {
            Some(failure) => failure.exit_code(),
            None => status.unwrap_or(0),
        };
        for rank in 0..self.ranks.len() as u32 {
            self.count_calls(rank);
        }
        let sum = |f: fn(&Rank) -> u64| self.ranks.iter().map(f).sum();
        LiveOutcome {
            exit_code,
            interrupted: self.was_interrupted,
            exits,
            mpi_calls: sum(|r| r.outcome.functions.iter().map(|f| f.calls).sum()),
            blocking_calls: sum(|r| r.hand_overs),
            messages: sum(|r| r.messages),
            bytes: sum(|r| r.bytes),
            ranks: self.ranks.iter_mut().map(|r| std::mem::take(&mut r.outcome)).collect(),
            failure: self.failure.take(),
        }
    }

    /// Reads the rank's own tally. A function that has handed over was called at least once, even
    /// if the rank's library does not count.
    fn count_calls(&mut self, at: u32) {
        let rank = &mut self.ranks[at as usize];
        for function in 0..wire::FUNCTIONS as u32 {
            // SAFETY: within the tally; the process has ended.
            let calls = unsafe { *self.shared.segment.tally(at).add(function as usize) };
            if calls > 0 {
                let row = rank.row(function);
                row.calls = row.calls.max(calls);
            }
        }
    }

    fn call_of(&self, rank: u32) -> Option<String> {
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

    fn control(&self, rank: u32) -> *mut Control {
        // SAFETY: the header is written.
        unsafe { self.shared.segment.control(rank) }
    }

    /// The first failure ends the job; what follows from it is not news.
    fn fail(&mut self, rank: u32, why: Why) {
        if self.failure.is_none() {
            let node = self.seats[rank as usize].node_name.clone();
            self.failure = Some(Failure { rank, node, call: self.call_of(rank), why });
        }
    }

    // -- Turns ------------------------------------------------------------------------------------

    /// Lets the batch go, waits until it is back and takes its calls in the order of ranks.
    fn run_batch(&mut self, now: Time, calls: &mut Vec<Call>) {
        if self.batch.is_empty() || self.is_stopped() {
            return;
        }
        let mut counted = 0;
        for &at in &self.batch {
            let control = self.control(at);
            // SAFETY: the rank sleeps, so its region is ours.
            unsafe {
                (*control).now_ps = now.0;
                (*control).command = command::RUN;
            }
            let rank = &mut self.ranks[at as usize];
            rank.account(now);
            rank.asleep = false;
            // Who has finalized goes its own way.
            counted += u32::from(rank.stage == Stage::Inside);
        }
        self.turns.running().fetch_add(counted, Ordering::Relaxed);
        for &rank in &self.batch {
            self.turns.give(rank);
        }
        self.wait_for_all();
        self.take_batch(calls);
    }

    fn take_batch(&mut self, calls: &mut Vec<Call>) {
        let batch = std::mem::take(&mut self.batch);
        for &rank in &batch {
            if self.is_stopped() {
                break;
            }
            if self.ranks[rank as usize].stage == Stage::Left {
                continue;
            }
            if let Err(why) = self.take(rank, calls) {
                self.fail(rank, why);
            }
        }
        self.batch = batch;
        self.batch.clear();
    }

    fn wait_for_all(&mut self) {
        while !self.turns.all_back(LOOK) {
            self.look();
            if self.is_stopped() {
                return;
            }
            self.find_lost_turns();
        }
    }

    /// Looks after the user and the processes.
    fn look(&mut self) {
        self.looked_at = Instant::now();
        if !self.was_interrupted {
            self.was_interrupted = (self.interrupted)();
        }
        self.note_exits();
    }

    fn note_exits(&mut self) {
        for (at, exit) in self.children.exited() {
            self.exits[at as usize] = Some(exit);
            // SAFETY: the field is atomic.
            let state = unsafe { (*self.control(at)).state.load(Ordering::Acquire) };
            match (state, exit) {
                (state::ABORTED, _) => self.aborted(at),
                (_, Exit::Signal(signal)) => self.fail(at, Why::Signal(signal)),
                (state::STARTING, _) => {
                    self.ranks[at as usize].stage = Stage::NeverCame;
                    self.turns.running().fetch_sub(1, Ordering::AcqRel);
                }
                (state::ACTIVE, Exit::Status(status)) => {
                    self.fail(at, Why::LeftEarly { status });
                }
                // Through with MPI. If it went before its last hand-over was complete, its turn is
                // lost: `find_lost_turns` notices.
                _ => {}
            }
        }
    }

    /// A process that ended inside its last hand-over has taken its place in `running` along. If
    /// nobody alive has the turn in two looks on end, nobody will come back.
    fn find_lost_turns(&mut self) {
        let out = |&at: &u32| {
            let has_turn = self.turns.turn(at).load(Ordering::Acquire) == 1;
            has_turn && self.children.is_alive(at) && self.ranks[at as usize].stage != Stage::Left
        };
        let all_out = self.children.alive() as usize == self.ranks.len();
        self.lost = if all_out || self.batch.iter().any(out) { 0 } else { self.lost + 1 };
        if self.lost == 2 {
            self.turns.running().store(0, Ordering::Release);
            self.lost = 0;
        }
    }

    fn aborted(&mut self, rank: u32) {
        // SAFETY: the rank sleeps for ever or has ended.
        let code = unsafe { (*self.control(rank)).abort_code };
        self.fail(rank, Why::Abort { code });
    }

    fn end(&mut self) {
        for at in 0..self.ranks.len() as u32 {
            if self.ranks[at as usize].asleep && self.children.is_alive(at) {
                // SAFETY: the rank sleeps.
                unsafe { (*self.control(at)).command = command::DIE };
                self.turns.give(at);
            }
        }
        self.children.end();
        // Whatever they wrote last is passed on before we say how it ended.
        self.pumps.clear();
    }

    // -- What ranks ask for -----------------------------------------------------------------------

    /// Takes a rank's hand-over.
    fn take(&mut self, at: u32, calls: &mut Vec<Call>) -> Result<(), Why> {
        if self.ranks[at as usize].stage == Stage::NeverCame {
            calls.push(Call { rank: at, token: EXIT, after: Span::ZERO, op: Op::Exit });
            return Ok(());
        }
        // SAFETY: the rank sleeps, so its region is ours.
        let control = unsafe { &*self.control(at) };
        let state = control.state.load(Ordering::Acquire);
        let rank = &mut self.ranks[at as usize];
        rank.asleep = true;
        rank.function = control.function;
        rank.epoch = rank.epoch.wrapping_add(1);
        rank.hand_overs += 1;
        rank.row(control.function).calls += 1;
        rank.mode = control.wait_mode;
        (rank.paused, rank.any, rank.owed, rank.named) = (false, false, 0, control.wait_count);
        match state {
            state::ABORTED => {
                self.aborted(at);
                return Ok(());
            }
            state::FINALIZED => rank.stage = Stage::Left,
            state::ACTIVE => rank.stage = Stage::Inside,
            _ => return Err(Why::Protocol("handed over before MPI_Init".into())),
        }
        let (submitted, after) = (control.submitted as usize, Span(control.after_ps));
        if submitted > wire::RING || control.wait_count as usize > wire::WAITS {
            return Err(Why::Protocol("overran its submission ring or its wait list".into()));
        }
        let mut probes_only = submitted > 0 || control.wait_mode == wait::POLL;
        for i in 0..submitted {
            // SAFETY: as above, and `i` is below RING.
            let s = unsafe { *self.shared.segment.submission(at, i) };
            probes_only &= s.kind == kind::PROBE && s.flags & flag::WAIT == 0;
            self.ranks[at as usize].charged += Span(s.after_ps);
            self.submit(at, &s, calls)?;
        }
        let rank = &mut self.ranks[at as usize];
        rank.charged += after;
        if probes_only {
            rank.polling.worked += rank.charged;
        } else {
            rank.polling = Default::default();
        }
        self.name_tokens(at)?;
        calls.push(Call { rank: at, token: PAUSE, after, op: Op::Pause });
        Ok(())
    }

    /// Marks the tokens of the wait list that are not done.
    fn name_tokens(&mut self, at: u32) -> Result<(), Why> {
        let rank = &mut self.ranks[at as usize];
        for i in 0..rank.named as usize {
            // SAFETY: below WAITS, and the rank sleeps.
            let token = unsafe { *self.shared.segment.waits(at).add(i) };
            match rank.slots.get_mut(token as usize) {
                Some(slot) if slot.out && slot.named != rank.epoch => {
                    slot.named = rank.epoch;
                    rank.owed += 1;
                }
                Some(slot) if slot.out => {}
                Some(_) => rank.any = true,
                None => return Err(Why::Protocol(format!("waits for {token}, which is nothing"))),
            }
        }
        // A hand-over that waits for any of nothing goes on at once; a poll waits its time out.
        rank.any |= rank.mode == wait::ANY && rank.named == 0;
        Ok(())
    }

    fn submit(&mut self, at: u32, s: &Submission, calls: &mut Vec<Call>) -> Result<(), Why> {
        let wrong = |what: &str| Err(Why::Protocol(format!("submitted {what}: {s:?}")));
        let mut token = s.token;
        match s.kind {
            kind::COMM => return self.register(at, s),
            kind::EXIT => token = EXIT,
            kind::SEND..=kind::COLLECTIVE => {
                if token as usize >= wire::TOKENS {
                    return wrong("a token out of range");
                }
                if s.kind <= kind::COLLECTIVE
                    && !matches!(s.kind, kind::RECV_TAKEN | kind::CANCEL)
                    && self.meetings.members(s.context).is_empty()
                {
                    return wrong("a communicator nobody has registered");
                }
                let slots = &mut self.ranks[at as usize].slots;
                if slots.len() <= token as usize {
                    slots.resize(token as usize + 1, Slot::default());
                }
                let slot = &mut slots[token as usize];
                if slot.out {
                    return wrong("a token that is out");
                }
                *slot = Slot {
                    kind: s.kind,
                    function: s.function,
                    peer: s.peer,
                    tag: s.tag,
                    context: s.context,
                    bytes: s.bytes,
                    out: true,
                    takes: s.kind == kind::PROBE && s.flags & flag::TAKE != 0,
                    ..Slot::default()
                };
            }
            _ => return wrong("an operation of no known kind"),
        }
        let (peer, tag, context, bytes) = (s.peer, s.tag, s.context, s.bytes);
        let n_ranks = self.ranks.len() as u32;
        let op = match s.kind {
            kind::SEND if peer >= n_ranks => return wrong("a send to nobody"),
            kind::SEND => {
                let mode = match s.flags {
                    f if f & flag::SYNCHRONOUS != 0 => SendMode::Synchronous,
                    f if f & flag::BUFFERED != 0 => SendMode::Buffered,
                    _ => SendMode::Standard,
                };
                let rank = &mut self.ranks[at as usize];
                rank.messages += 1;
                rank.bytes += bytes;
                rank.row(s.function).bytes += bytes;
                let sent = Sent { token, block: s.block, completed: false, received: false };
                token = SENDS + rank.sends.insert(sent).0;
                Op::Send { to: peer, context, tag, bytes, mode }
            }
            kind::RECV => Op::Recv { from: peer, context, tag, bytes },
            kind::PROBE => {
                let (wait, take) = (s.flags & flag::WAIT != 0, s.flags & flag::TAKE != 0);
                Op::Probe { from: peer, context, tag, wait, take }
            }
            kind::RECV_TAKEN => {
                match self.ranks[at as usize].slots.get_mut(s.other as usize) {
                    Some(probe) if probe.takes && !probe.out => probe.takes = false,
                    _ => return wrong("a receive of a message no probe has taken"),
                }
                Op::RecvTaken { probe: s.other, bytes }
            }
            kind::CANCEL => Op::Cancel { token: s.other },
            kind::EXIT => Op::Exit,
            _ => {
                let (call, meeting) = self.meetings.join(at, s, &*self.choose)?;
                let rank = &mut self.ranks[at as usize];
                rank.row(s.function).bytes += contributed(&call);
                let slot = &mut rank.slots[token as usize];
                (slot.meeting, slot.seat) = (meeting, s.peer);
                Op::Collective { context, call }
            }
        };
        calls.push(Call { rank: at, token, after: Span(s.after_ps), op });
        Ok(())
    }

    fn register(&mut self, at: u32, s: &Submission) -> Result<(), Why> {
        let n = (s.bytes / 4) as usize;
        // SAFETY: the rank wrote its list into the block and lends it until we return it.
        let members =
            unsafe { std::slice::from_raw_parts(self.shared.segment.ptr(s.block).cast(), n) };
        let registered = self.meetings.register(at, s.context, members);
        // SAFETY: nobody reads the block any more.
        unsafe { wire::return_block(self.shared.segment, s.block) };
        registered
    }

    // -- What has come of it ----------------------------------------------------------------------

    fn finish(&mut self, now: Time, done: &Done) -> Result<(), Why> {
        let at = done.rank;
        let rank = &mut self.ranks[at as usize];
        let mut token = done.token;
        match token {
            PAUSE => {
                rank.paused = true;
                rank.through_at = now;
                rank.ready_at = rank.ready_at.max(now);
                return Ok(());
            }
            EXIT => return Ok(()),
            ALARMS..SENDS => {
                rank.polling.rang |= rank.polling.alarm == Some(token);
                return Ok(());
            }
            _ => {}
        }
        if done.found != Found::No {
            self.lively_at = now;
        }
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
            done: 1,
            found: done.found as u32,
            peer: done.peer,
            tag: done.tag,
            bytes: done.bytes,
            ..Completion::default()
        };
        match slot.kind {
            kind::RECV | kind::RECV_TAKEN if done.found == Found::Yes => {
                completion.block = self.received(done)?;
            }
            kind::COLLECTIVE => completion.value = self.collected(slot)?,
            _ => {}
        }
        // SAFETY: the rank sleeps: completions come only between releases.
        unsafe { *self.shared.segment.completion(at, token) = completion };
        let rank = &mut self.ranks[at as usize];
        let slot = &mut rank.slots[token as usize];
        slot.out = false;
        slot.takes &= done.found == Found::Yes;
        if rank.asleep && slot.named == rank.epoch {
            rank.owed -= 1;
            rank.any = true;
            rank.ready_at = done.ready;
        }
        Ok(())
    }

    /// The payload of the message that was received.
    fn received(&mut self, done: &Done) -> Result<u64, Why> {
        let Some(id) = done.peer_token.checked_sub(SENDS).map(SendId) else {
            return Err(Why::Protocol(format!("received what nobody sent: {done:?}")));
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

    /// Brings the data of a collective that is complete at a rank to it.
    fn collected(&mut self, slot: Slot) -> Result<u64, Why> {
        let mut meetings =
            std::mem::replace(&mut self.meetings, Meetings::none(self.shared.segment));
        let value =
            meetings.complete(slot.meeting, slot.seat, &mut |rank, c| self.combine(rank, c));
        self.meetings = meetings;
        value
    }

    /// Has a sleeping rank's process apply an operator only it knows.
    fn combine(&mut self, at: u32, combine: wire::Combine) -> Result<(), Why> {
        if self.is_stopped() || !self.ranks[at as usize].asleep {
            return Err(Why::Protocol(format!("rank {at} is not there to apply its operator")));
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
        match &self.failure {
            Some(failure) => Err(failure.why.clone()),
            None => Ok(()),
        }
    }

    /// Whether the rank goes on now; starts the alarm of a poll that has found nothing.
    fn goes_on(&mut self, now: Time, at: u32, calls: &mut Vec<Call>) -> bool {
        let rank = &mut self.ranks[at as usize];
        if !rank.asleep || !rank.paused {
            return false;
        }
        match rank.mode {
            // Whatever it asked for: it is through with MPI.
            _ if rank.stage == Stage::Left => true,
            wait::NONE => true,
            wait::ALL => rank.owed == 0,
            wait::ANY => rank.any,
            wait::POLL if rank.any => {
                rank.polling = Default::default();
                true
            }
            wait::POLL if rank.polling.rang => {
                (rank.polling.rang, rank.polling.alarm) = (false, None);
                rank.polling.held += now.since(rank.through_at);
                self.look_for_livelock(now, at);
                true
            }
            wait::POLL => {
                if rank.polling.alarm.is_none() {
                    let idle = now.since(self.lively_at);
                    let span = rank.polling.next(self.poll_interval, rank.named > 0, idle);
                    self.alarms = (self.alarms + 1) % ALARM_NUMBERS;
                    let token = ALARMS + self.alarms;
                    rank.polling.alarm = Some(token);
                    let op = Op::Alarm { span };
                    calls.push(Call { rank: at, token, after: Span::ZERO, op });
                }
                false
            }
            _ => false,
        }
    }

    /// Nothing happens any more if every rank inside MPI polls or is blocked, and has for long.
    fn look_for_livelock(&mut self, now: Time, at: u32) {
        if now.since(self.lively_at) < LIVELOCK {
            return;
        }
        let works =
            |r: &Rank| r.stage == Stage::Inside && r.asleep && !r.paused && !r.polling.is_streak();
        if !self.ranks.iter().any(works) {
            self.fail(at, Why::Livelock { since: self.lively_at, now });
        }
    }
}

/// What one rank gives to a collective, in bytes.
fn contributed(call: &collectives::Collective) -> u64 {
    use collectives::Kind::*;
    let (size, is_root) = (u64::from(call.seat.size), call.seat.rank == call.root);
    let ragged = |n: usize| call.ragged.as_ref().map_or(0, |r| r.lengths().take(n).sum());
    match call.kind {
        Barrier => 0,
        Bcast | Scatter | Scatterv if !is_root => 0,
        Scatter | Alltoall | ReduceScatterBlock => call.bytes * size,
        Scatterv | Alltoallv | ReduceScatter => ragged(call.seat.size as usize),
        Allgatherv => call.ragged.as_ref().map_or(0, |r| r.part(call.seat.rank as usize).len),
        _ => call.bytes,
    }
}

impl Workload for Live {
    fn ranks(&self) -> u32 {
        self.ranks.len() as u32
    }
    fn members(&self, context: Context) -> &[u32] {
        self.meetings.members(context)
    }

    fn start(&mut self, calls: &mut Vec<Call>) {
        while !self.turns.all_back(LOOK) && !self.is_stopped() {
            self.look();
            self.find_lost_turns();
            self.tell_progress();
        }
        self.note_exits();
        self.tell_progress();
        if !self.is_stopped() {
            self.take_batch(calls);
        }
        let came = self.ranks.iter().position(|r| matches!(r.stage, Stage::Inside | Stage::Left));
        let never = self.ranks.iter().position(|r| r.stage == Stage::NeverCame);
        if let (Some(other), Some(rank)) = (came, never)
            && let Some(Exit::Status(status)) = self.exits[rank]
        {
            self.fail(rank as u32, Why::NeverCame { status, other: other as u32 });
        }
    }

    fn resume(&mut self, now: Time, done: &[Done], calls: &mut Vec<Call>) {
        if self.looked_at.elapsed() > LOOK {
            self.look();
        }
        for of_rank in done.chunk_by(|a, b| a.rank == b.rank) {
            let at = of_rank[0].rank;
            for done in of_rank {
                if self.is_stopped() {
                    return;
                }
                if let Err(why) = self.finish(now, done) {
                    self.fail(at, why);
                }
            }
            if self.goes_on(now, at, calls) {
                self.batch.push(at);
            }
        }
        self.run_batch(now, calls);
    }

    fn is_finished(&self) -> bool {
        let through = |r: &Rank| match r.stage {
            Stage::Left => !r.asleep,
            Stage::NeverCame => true,
            Stage::Outside | Stage::Inside => false,
        };
        self.failure.is_none() && self.ranks.iter().all(through)
    }
    fn is_stopped(&self) -> bool {
        self.failure.is_some() || self.was_interrupted
    }
}

impl Live {
    fn tell_progress(&mut self) {
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
    /// The operations named by the last hand-over that are not done, in words.
    fn waited_for(&self, control: *mut Control, segment: wire::Segment, at: u32) -> Vec<String> {
        // SAFETY: the header is written; a rank that runs may change its list meanwhile, so what
        // is read is not trusted.
        let named = unsafe { (*control).wait_count as usize }.min(wire::WAITS);
        let tokens = (0..named).map(|i| unsafe { segment.waits(at).add(i).read_volatile() });
        let slots = tokens.filter_map(|t| self.slots.get(t as usize));
        let open = slots.filter(|s| s.out && s.named == self.epoch);
        open.map(|s| match s.function == self.function {
            true => s.describe(),
            false => format!("{}: {}", function_name(s.function), s.describe()),
        })
        .collect()
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.end();
    }
}
