//! Records the calls of the ranks of a live run.
//!
//! A hand-over is a step: the rank's submissions, and a pause for the computation after them. It
//! needs what allowed the rank to continue: the previous pause, the operations it waited for, and
//! whatever else its library had reported to its program by then. It does not need operations that
//! merely had completed by then, as they may not have on another machine.

use super::{PLAIN, Table, files, flag, mean};
use crate::{
    ANY_SOURCE, ANY_TAG, Call, CompletionStatus, Context, FileCall, Op, OpCompletion, SendMode,
    Token, WORLD, wire,
};
use base::{Span, Time};
use collectives::{Collective, Kind};
use std::collections::BTreeMap;

struct LoggedCall {
    step: u32,
    after: Span,
    op: Op,
    flags: u8,
}

#[derive(Default)]
struct RankLog {
    entries: Vec<LoggedCall>,
    /// By step: the calls it needs.
    needs: Vec<Vec<u32>>,
    /// By the wire's token: its latest call.
    call_of: Vec<u32>,
    /// What the next step needs.
    next_needs: Vec<u32>,
    /// Completed calls of which the program may not know.
    unreported: Vec<(Token, u32)>,
    /// The first alarm of an unsuccessful poll, and when it started, once that is known.
    alarm: Option<Token>,
    began: Option<Time>,
    /// Unsuccessful polls that ended before their first alarm: its token, the delay's call, and the
    /// end.
    interrupted: Vec<(Token, u32, Time)>,
}

pub struct Recorder {
    logs: Vec<RankLog>,
    pub communicators: BTreeMap<Context, Vec<u32>>,
    /// Why the run cannot be represented by its submissions.
    pub refused: Option<String>,
    /// Unsuccessful polls.
    pub unsuccessful_polls: u64,
    /// Number of block lengths so far.
    lengths: u64,
}

impl Recorder {
    pub fn new(ranks: u32) -> Recorder {
        Recorder {
            logs: (0..ranks).map(|_| RankLog::default()).collect(),
            communicators: BTreeMap::new(),
            refused: None,
            unsuccessful_polls: 0,
            lengths: 0,
        }
    }

    /// A hand-over of the rank begins. `reported` states whether the program has been informed of a
    /// completed token.
    pub fn begin(&mut self, rank: u32, mut reported: impl FnMut(Token) -> bool) {
        let log = &mut self.logs[rank as usize];
        let mut needs = std::mem::take(&mut log.next_needs);
        log.unreported.retain(|&(token, call)| {
            let reported = reported(token);
            if reported {
                needs.push(call);
            }
            !reported
        });
        needs.sort_unstable();
        needs.dedup();
        log.needs.push(needs);
    }

    /// A call of this hand-over. `token` is the wire's, if there is one.
    pub fn call(&mut self, call: &Call, token: Option<Token>, flags: u8) {
        self.lengths += match &call.op {
            Op::Collective { call: Collective { ragged: Some(ragged), .. }, .. } => {
                ragged.len() as u64
            }
            op => files::arguments(op).len() as u64,
        };
        if self.lengths > u64::from(u32::MAX) {
            self.refuse(|| "2^32 block lengths of collectives and arguments of file calls".into());
        }
        let log = &mut self.logs[call.rank as usize];
        let number = log.entries.len() as u32;
        let mut op = call.op.clone();
        if let Op::MatchedRecv { probe: other, .. } | Op::Cancel { token: other } = &mut op {
            *other = log.call_of.get(*other as usize).copied().unwrap_or_default();
        }
        if let Some(token) = token.map(|token| token as usize) {
            if log.call_of.len() <= token {
                log.call_of.resize(token + 1, 0);
            }
            log.call_of[token] = number;
        }
        let step = log.needs.len() as u32 - 1;
        log.entries.push(LoggedCall { step, after: call.after, op, flags });
    }

    /// The pause that ends a hand-over: nothing continues before it.
    pub fn pause(&mut self, call: &Call) {
        self.call(call, None, 0);
        let log = &mut self.logs[call.rank as usize];
        log.next_needs.push(log.entries.len() as u32 - 1);
    }

    /// The hand-over also waits for this operation, which has completed already.
    pub fn waits_for(&mut self, rank: u32, token: Token) {
        let log = &mut self.logs[rank as usize];
        log.next_needs.extend(log.call_of.get(token as usize));
    }

    /// An operation has completed; `awaited`: the rank may continue because of it.
    pub fn done(&mut self, token: Token, done: &OpCompletion, awaited: bool) {
        let log = &mut self.logs[done.rank as usize];
        let call = log.call_of[token as usize];
        log.unreported.push((token, call));
        if awaited {
            log.next_needs.push(call);
        }
        let entry = &mut log.entries[call as usize];
        let has_message = done.status == CompletionStatus::Success;
        match &mut entry.op {
            Op::Recv { from, tag, .. } if has_message => {
                entry.flags |= resolve(from, tag, done);
            }
            Op::Probe { from, tag, wait, .. } if has_message => {
                *wait = true;
                entry.flags |= resolve(from, tag, done);
            }
            Op::Probe { take, .. } => *take = false,
            _ => {}
        }
    }

    /// An unsuccessful poll holds the rank until this alarm, or one that is set later.
    pub fn alarm_set(&mut self, rank: u32, alarm: Token) {
        let log = &mut self.logs[rank as usize];
        if log.alarm.is_none() {
            (log.alarm, log.began) = (Some(alarm), None);
        }
    }

    /// An alarm has expired; `done.ready` is its start.
    pub fn alarm_expired(&mut self, done: &OpCompletion) {
        let log = &mut self.logs[done.rank as usize];
        if log.alarm == Some(done.token) {
            log.began = Some(done.ready);
        }
        if let Some(i) = log.interrupted.iter().position(|interrupted| interrupted.0 == done.token)
        {
            let (_, call, end) = log.interrupted.swap_remove(i);
            log.entries[call as usize].op = Op::Delay { span: end.since(done.ready) };
        }
    }

    /// The rank continues; `unsuccessful`: because its poll ended without success.
    pub fn resumed(&mut self, rank: u32, now: Time, unsuccessful: bool) {
        let log = &mut self.logs[rank as usize];
        let alarm = log.alarm.take();
        if !unsuccessful {
            return;
        }
        self.unsuccessful_polls += 1;
        let Some(alarm) = alarm else { return };
        log.next_needs.sort_unstable();
        log.needs.push(std::mem::take(&mut log.next_needs));
        let call = log.entries.len() as u32;
        let span = log.began.map_or(Span::ZERO, |began| now.since(began));
        if log.began.is_none() {
            log.interrupted.push((alarm, call, now));
        }
        let step = log.needs.len() as u32 - 1;
        log.entries.push(LoggedCall { step, after: Span::ZERO, op: Op::Delay { span }, flags: 0 });
        log.next_needs.push(call);
    }

    pub fn refuse(&mut self, why: impl FnOnce() -> String) {
        self.refused.get_or_insert_with(why);
    }

    /// The members of a communicator that is about to be used.
    pub fn add_communicator(&mut self, context: Context, members: &[u32]) {
        let context = context & !wire::PRIVATE_CONTEXT;
        if context != WORLD && !self.communicators.contains_key(&context) {
            self.communicators.insert(context, members.to_vec());
        }
    }

    pub fn table(&self) -> Table {
        let mut table = Table::default();
        for (rank, log) in (0u32..).zip(&self.logs) {
            let mut last = None;
            for (at, entry) in log.entries.iter().enumerate() {
                if last != Some(entry.step) {
                    table.needs.extend(&log.needs[entry.step as usize]);
                    last = Some(entry.step);
                }
                // Steps without calls are left out.
                table.push(rank, entry);
                if let (Op::SendLayout(_) | Op::RecvLayout(_), Some(peer)) =
                    (&entry.op, table.peer.last_mut())
                {
                    // So that extrapolation finds which call it belongs to.
                    *peer = peer_of(&log.entries[at + 1..]);
                }
            }
        }
        table
    }
}

/// The peer of the first of these calls that is not a notification.
fn peer_of(entries: &[LoggedCall]) -> u32 {
    let mut calls = entries.iter().filter(|entry| entry.op.completes());
    match calls.next().map(|entry| &entry.op) {
        Some(&(Op::Send { to, .. } | Op::OneSided { to, .. })) => to,
        Some(&Op::Recv { from, .. }) => from,
        _ => 0,
    }
}

/// Replaces wildcards by what matched; returns which they were.
fn resolve(from: &mut u32, tag: &mut i32, done: &OpCompletion) -> u8 {
    let mut flags = 0;
    if *from == ANY_SOURCE {
        (*from, flags) = (done.peer, flags | flag::ANY_SOURCE);
    }
    if *tag == ANY_TAG {
        (*tag, flags) = (done.tag, flags | flag::ANY_TAG);
    }
    flags
}

impl Table {
    fn push(&mut self, rank: u32, entry: &LoggedCall) {
        let LoggedCall { step, after, ref op, flags } = *entry;
        let (mut peer, mut tag, mut context, mut bytes) = (0, 0, 0, 0);
        let (mut back, mut span, mut other, mut root, mut grain) = (0, 0, 0, 0, 1);
        let name = match *op {
            Op::Pause => "pause",
            Op::Alarm { span: length } | Op::Delay { span: length } => {
                span = length.0;
                "delay"
            }
            Op::Send { to, context: c, tag: t, bytes: b, mode } => {
                (peer, context, tag, bytes) = (to, c, t, b);
                match mode {
                    SendMode::Standard => "send",
                    SendMode::Synchronous => "ssend",
                    SendMode::Buffered => "bsend",
                }
            }
            Op::Recv { from, context: c, tag: t, bytes: b } => {
                (peer, context, tag, bytes) = (from, c, t, b);
                "recv"
            }
            Op::Probe { from, context: c, tag: t, wait, take } => {
                (peer, context, tag) = (from, c, t);
                match (wait, take) {
                    (true, false) => "probe",
                    (true, true) => "mprobe",
                    (false, _) => "iprobe",
                }
            }
            Op::MatchedRecv { probe, bytes: b } => {
                (other, bytes) = (probe, b);
                "mrecv"
            }
            Op::Cancel { token } => {
                other = token;
                "cancel"
            }
            Op::Collective { context: c, ref call } => {
                (context, bytes, root, grain) = (c, call.bytes, call.root, call.grain);
                self.lengths.extend(call.ragged.iter().flat_map(|ragged| ragged.lengths()));
                call.kind.name()
            }
            Op::OneSided { to, context: c, request_bytes: out, response_bytes: b, atomic } => {
                (peer, context, bytes, back) = (to, c, out, b);
                if atomic { "atomic" } else { "access" }
            }
            Op::Lock { context: c, to, exclusive } => {
                (context, peer) = (c, to);
                if exclusive { "lock" } else { "lock_shared" }
            }
            Op::Unlock { context: c, to } => {
                (context, peer) = (c, to);
                "unlock"
            }
            Op::Storage { bytes: b, write } => {
                bytes = b;
                if write { "write" } else { "read" }
            }
            Op::Region { held, optimized } => {
                other = u32::from(optimized);
                if held { "register" } else { "deregister" }
            }
            Op::SendLayout(layout) | Op::RecvLayout(layout) => {
                (bytes, back) = (layout.bytes, layout.touched);
                grain = mean(bytes, layout.values, u64::MAX);
                other = mean(bytes, layout.members, u32::MAX.into()) as u32;
                if matches!(op, Op::SendLayout(_)) { "packs" } else { "unpacks" }
            }
            Op::Join { .. } | Op::Leave { .. } => unreachable!("communicators are `know`n"),
            Op::Exit => "exit",
            Op::File(FileCall { kind, bytes: b, .. }) => {
                bytes = b;
                self.lengths.extend(files::arguments(op));
                kind.name()
            }
            Op::Lookup { .. } | Op::Layout { .. } => {
                self.lengths.extend(files::arguments(op));
                if matches!(op, Op::Lookup { .. }) { "file_lookup" } else { "file_layout" }
            }
            Op::Nics { .. } => unreachable!("programs do not name NICs"),
            Op::Requests(_) => unreachable!("how many requests there are is not recorded"),
        };
        let names = PLAIN.into_iter().chain(Kind::ALL.map(Kind::name));
        let op = names.into_iter().position(|known| known == name);
        self.op.push(op.expect("every operation has a name") as u8);
        self.rank.push(rank);
        self.step.push(step);
        self.after_ps.push(after.0);
        self.peer.push(peer);
        self.tag.push(tag);
        self.context.push(context);
        self.bytes.push(bytes);
        self.back.push(back);
        self.span_ps.push(span);
        self.other.push(other);
        self.root.push(root);
        self.grain.push(grain);
        self.flags.push(flags);
        self.needs_end.push(self.needs.len() as u32);
        self.lengths_end.push(self.lengths.len() as u32);
    }
}
