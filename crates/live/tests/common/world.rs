//! A minimal simulator: a message takes 1 us, a collective 1 us after its last member has entered,
//! and there is no contention.

use base::{Span, Time};
use collectives::Collective;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};
use workload::{ANY_SOURCE, ANY_TAG, Call, CompletionStatus, Op, OpCompletion, SendMode, Workload};

pub const LATENCY: Span = Span::us(1);

enum Event {
    Fire(Op),
    Arrive(Message),
    Complete(OpCompletion),
}

#[derive(Clone)]
struct Message {
    from: u32,
    context: u32,
    tag: i32,
    bytes: u64,
    token: u32,
    sent: Time,
    synchronous: bool,
}

#[derive(Clone)]
struct Posted {
    token: u32,
    from: u32,
    context: u32,
    tag: i32,
    at: Time,
    probes: bool,
    takes: bool,
}

impl Posted {
    fn admits(&self, m: &Message) -> bool {
        self.context == m.context
            && (self.from == ANY_SOURCE || self.from == m.from)
            && (self.tag == ANY_TAG || self.tag == m.tag)
    }
}

#[derive(Default)]
struct Rank {
    cpu: Time,
    calls: VecDeque<Call>,
    posted: Vec<Posted>,
    unexpected: Vec<Message>,
    taken: BTreeMap<u32, Message>,
    entered: BTreeMap<u32, u32>,
}

type Entered = Vec<(u32, u32, Collective)>;

pub struct World<W> {
    pub workload: W,
    pub now: Time,
    /// Every call, in the order of submission.
    pub log: Vec<Call>,
    ranks: Vec<Rank>,
    events: BTreeMap<u64, (u32, u32, Event)>,
    queue: BinaryHeap<Reverse<(Time, u8, u64)>>,
    n_events: u64,
    /// Numbers of the queued events that are alarms.
    alarms: BTreeSet<u64>,
    open_collectives: BTreeMap<(u32, u32), Entered>,
    /// Holder of the lock, then the waiting ranks, with tokens; exclusive only.
    locks: BTreeMap<(u32, u32), VecDeque<(u32, u32)>>,
}

impl<W: Workload> World<W> {
    pub fn new(workload: W) -> World<W> {
        World {
            ranks: (0..workload.ranks()).map(|_| Rank::default()).collect(),
            workload,
            now: Time::ZERO,
            log: Vec::new(),
            events: BTreeMap::new(),
            queue: BinaryHeap::new(),
            n_events: 0,
            alarms: BTreeSet::new(),
            open_collectives: BTreeMap::new(),
            locks: BTreeMap::new(),
        }
    }

    /// Runs until no event is left, or the workload stops.
    pub fn run(&mut self) {
        let mut calls = Vec::new();
        self.workload.start(&mut calls);
        self.go_on(calls);
    }
    /// Like `run`, for a workload that has been started.
    pub fn go_on(&mut self, mut calls: Vec<Call>) {
        self.submit(&mut calls);
        while !self.workload.is_stopped() {
            if !self.queue.is_empty() && self.queue.len() == self.alarms.len() {
                self.workload.alarms_only(0, self.now, &mut calls);
                self.submit(&mut calls);
            }
            let Some(Reverse((at, phase, n))) = self.queue.pop() else {
                self.workload.stalled(self.now, &mut calls);
                if calls.is_empty() {
                    return;
                }
                self.submit(&mut calls);
                continue;
            };
            self.alarms.remove(&n);
            self.now = at;
            let (rank, token, event) = self.events.remove(&n).unwrap();
            match event {
                Event::Fire(op) => self.fire(rank, token, op),
                Event::Arrive(message) => self.arrive(rank, message),
                Event::Complete(first) => {
                    let mut done = vec![first];
                    while let Some(&Reverse((t, p, n))) = self.queue.peek()
                        && (t, p) == (at, phase)
                    {
                        self.queue.pop();
                        self.alarms.remove(&n);
                        let Some((_, _, Event::Complete(next))) = self.events.remove(&n) else {
                            unreachable!("the last phase of an instant")
                        };
                        done.push(next);
                    }
                    done.sort_by_key(|d| d.rank);
                    self.workload.resume(self.now, &done, &mut calls);
                    self.submit(&mut calls);
                }
            }
        }
    }

    fn push(&mut self, at: Time, rank: u32, token: u32, event: Event) {
        let phase = u8::from(matches!(event, Event::Complete(_)));
        self.n_events += 1;
        self.queue.push(Reverse((at.max(self.now), phase, self.n_events)));
        self.events.insert(self.n_events, (rank, token, event));
    }
    /// Completes an operation, at least 1 ps later.
    fn complete(&mut self, at: Time, done: OpCompletion) {
        self.push(at.max(self.now + Span(1)), done.rank, done.token, Event::Complete(done));
    }

    fn submit(&mut self, calls: &mut Vec<Call>) {
        self.log.extend(calls.iter().cloned());
        for call in calls.drain(..) {
            let rank = &mut self.ranks[call.rank as usize];
            rank.calls.push_back(call.clone());
            if rank.calls.len() == 1 {
                rank.cpu = rank.cpu.max(self.now);
                self.take_on(call.rank);
            }
        }
    }
    fn take_on(&mut self, at: u32) {
        let rank = &mut self.ranks[at as usize];
        let Some(call) = rank.calls.front().cloned() else { return };
        rank.cpu += call.after;
        let when = rank.cpu;
        self.push(when, at, call.token, Event::Fire(call.op));
    }

    fn fire(&mut self, at: u32, token: u32, op: Op) {
        let now = self.now;
        let done = OpCompletion { rank: at, token, ready: now, ..OpCompletion::default() };
        match op {
            Op::Pause | Op::Exit => self.complete(now, done),
            Op::Delay { span } => self.complete(now + span, done),
            Op::Region { .. }
            | Op::Join { .. }
            | Op::Leave { .. }
            | Op::SendLayout(_)
            | Op::RecvLayout(_)
            | Op::Nics { .. }
            | Op::Lookup { .. }
            | Op::Layout { .. }
            | Op::Requests(_) => {}
            Op::Alarm { span } => {
                self.complete(now + span, done);
                self.alarms.insert(self.n_events);
            }
            Op::OneSided { .. } | Op::Storage { .. } | Op::File(_) => {
                self.complete(now + LATENCY, done)
            }
            Op::Lock { context, to, .. } => {
                let line = self.locks.entry((context, to)).or_default();
                line.push_back((at, token));
                if line.len() == 1 {
                    self.complete(now + LATENCY, done);
                }
            }
            Op::Unlock { context, to } => {
                let line = self.locks.get_mut(&(context, to)).expect("it was locked");
                line.pop_front();
                if let Some(&(rank, token)) = line.front() {
                    self.complete(now + LATENCY, OpCompletion { rank, token, ..done });
                }
                self.complete(now, done);
            }
            Op::Send { to, context, tag, bytes, mode } => {
                let synchronous = mode == SendMode::Synchronous;
                if !synchronous {
                    self.complete(now, done);
                }
                let m = Message { from: at, context, tag, bytes, token, sent: now, synchronous };
                self.push(now + LATENCY, to, 0, Event::Arrive(m));
            }
            Op::Recv { from, context, tag, .. } => {
                let p = Posted { token, from, context, tag, at: now, probes: false, takes: false };
                self.find_message(at, p, true);
            }
            Op::Probe { from, context, tag, wait, take } => {
                let p = Posted { token, from, context, tag, at: now, probes: true, takes: take };
                self.find_message(at, p, wait);
            }
            Op::MatchedRecv { probe, .. } => {
                let m = self.ranks[at as usize].taken.remove(&probe).expect("a probe took it");
                self.answer(at, token, now, &m);
            }
            Op::Cancel { token: receive } => {
                let posted = &mut self.ranks[at as usize].posted;
                if let Some(i) = posted.iter().position(|p| p.token == receive) {
                    posted.remove(i);
                    let status = CompletionStatus::Cancelled;
                    self.complete(now, OpCompletion { token: receive, status, ..done });
                }
                self.complete(now, done);
            }
            Op::Collective { context, call } => self.enter(at, token, context, call),
        }
        self.ranks[at as usize].calls.pop_front();
        self.take_on(at);
    }

    fn find_message(&mut self, at: u32, posted: Posted, wait: bool) {
        let rank = &mut self.ranks[at as usize];
        match rank.unexpected.iter().position(|m| posted.admits(m)) {
            Some(i) => {
                let m = rank.unexpected[i].clone();
                if !posted.probes || posted.takes {
                    rank.unexpected.remove(i);
                }
                self.match_message(at, &posted, m);
            }
            None if wait => rank.posted.push(posted),
            None => {
                let (token, ready) = (posted.token, self.now);
                let status = CompletionStatus::NoMessage;
                self.complete(
                    self.now,
                    OpCompletion { rank: at, token, status, ready, ..OpCompletion::default() },
                );
            }
        }
    }
    fn arrive(&mut self, at: u32, m: Message) {
        let rank = &mut self.ranks[at as usize];
        if let Some(i) = rank.posted.iter().position(|p| p.admits(&m)) {
            let posted = rank.posted.remove(i);
            self.match_message(at, &posted, m.clone());
            if !posted.probes || posted.takes {
                return;
            }
            return self.ranks[at as usize].unexpected.push(m);
        }
        rank.unexpected.push(m);
    }
    fn match_message(&mut self, at: u32, posted: &Posted, m: Message) {
        self.answer(at, posted.token, posted.at, &m);
        if posted.takes {
            self.ranks[at as usize].taken.insert(posted.token, m);
        } else if !posted.probes && m.synchronous {
            let done = OpCompletion {
                rank: m.from,
                token: m.token,
                ready: posted.at,
                ..OpCompletion::default()
            };
            self.complete(self.now + LATENCY, done);
        }
    }
    fn answer(&mut self, rank: u32, token: u32, posted: Time, m: &Message) {
        let (peer, tag, bytes, peer_token) = (m.from, m.tag, m.bytes, m.token);
        let (status, ready) = (CompletionStatus::Success, m.sent.max(posted));
        self.complete(
            self.now,
            OpCompletion { rank, token, peer, tag, bytes, peer_token, status, ready },
        );
    }

    /// The root of a broadcast completes immediately; all others wait for all members.
    fn enter(&mut self, at: u32, token: u32, context: u32, call: Collective) {
        let n = self.ranks[at as usize].entered.entry(context).or_default();
        let key = (context, *n);
        *n += 1;
        let is_root = call.kind == collectives::Kind::Bcast && call.member.rank == call.root;
        let size = call.member.size as usize;
        if is_root {
            self.complete(
                self.now,
                OpCompletion { rank: at, token, ready: self.now, ..OpCompletion::default() },
            );
        }
        let entered = self.open_collectives.entry(key).or_default();
        entered.push((at, token, call));
        if entered.len() == size {
            for (rank, token, call) in self.open_collectives.remove(&key).unwrap() {
                let is_root =
                    call.kind == collectives::Kind::Bcast && call.member.rank == call.root;
                if !is_root {
                    let done =
                        OpCompletion { rank, token, ready: self.now, ..OpCompletion::default() };
                    self.complete(self.now + LATENCY, done);
                }
            }
        }
    }
}
