//! An untimed answer to the wire, for a job nobody simulates: a program started by hand is one rank
//! and talks to itself.
//!
//! It knows matching and the meaning of collectives, and no clock: everything happens at once, and
//! simulated time is the time the process has run. It serves any number of ranks, because that
//! costs nothing here and lets the library's tests run without the simulator.

use std::collections::BTreeMap;

use workload::wire::{self, Combine, Completion, Segment, Submission, flag, kind, wait};
use workload::{ANY_SOURCE, ANY_TAG};

use crate::meeting::{Entry, Meeting};

/// Smallest tag upper bound a program may rely on is 32,767; MPICH answers 2^28 - 1 or more.
const TAG_UB: i32 = (1 << 28) - 1;

pub struct Solo {
    segment: Segment,
    seats: Vec<Seat>,
    contexts: BTreeMap<u32, Vec<u32>>,
    next_context: u32,
    /// Collectives some but not all members have entered, by context and count.
    meetings: BTreeMap<(u32, u64), Meeting>,
    started: std::time::Instant,
}

#[derive(Default)]
struct Seat {
    posted: Vec<Posted>,
    unexpected: Vec<Message>,
    /// Set aside by a probe, by its token.
    taken: BTreeMap<u32, Message>,
    /// Collectives entered, by context.
    entered: BTreeMap<u32, u64>,
}

#[derive(Clone, Copy)]
struct Message {
    from: u32,
    tag: i32,
    context: u32,
    bytes: u64,
    block: u64,
    /// Token of a synchronous send that has not completed.
    waiting: Option<u32>,
}

#[derive(Clone, Copy, PartialEq)]
enum Want {
    Message,
    Look,
    SetAside,
}

struct Posted {
    token: u32,
    from: u32,
    tag: i32,
    context: u32,
    want: Want,
}

impl Posted {
    fn matches(&self, m: &Message) -> bool {
        self.context == m.context
            && (self.from == ANY_SOURCE || self.from == m.from)
            && (self.tag == ANY_TAG || self.tag == m.tag)
    }
}

impl Solo {
    /// A job of one rank in this process's own memory.
    pub fn new() -> Result<(Segment, Solo), String> {
        // SAFETY: a new mapping at an address the kernel chooses; never removed.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                wire::segment_bytes(1) as usize,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if base == libc::MAP_FAILED {
            let why = std::io::Error::last_os_error();
            return Err(format!("no memory for a job of one rank: {why}"));
        }
        // SAFETY: mapped above with the length of one rank's segment, zeroed.
        let segment = unsafe { Segment::at(base.cast()) };
        Ok((segment, Solo::over(segment, 1)))
    }

    /// Writes the header and every rank's control, and answers for all of them.
    pub fn over(segment: Segment, ranks: u32) -> Solo {
        // SAFETY: the caller's mapping is zeroed and holds `ranks` regions; no rank has started.
        unsafe {
            let header = segment.header();
            (*header).magic = wire::MAGIC;
            (*header).ranks = ranks;
            (*header).pid = std::process::id();
            (*header).tag_ub = TAG_UB;
            (*header).clock_tick_ps = 1_000;
            copy_text(&mut (*header).machine, "this computer");
            for rank in 0..ranks {
                let control = segment.control(rank);
                (*control).nodes = 1;
                (*control).local_rank = rank;
                (*control).local_size = ranks;
                copy_text(&mut (*control).node_name, "localhost");
            }
        }
        Solo {
            segment,
            seats: (0..ranks).map(|_| Seat::default()).collect(),
            contexts: BTreeMap::from([(0, (0..ranks).collect())]),
            next_context: 1 + ranks,
            meetings: BTreeMap::new(),
            started: std::time::Instant::now(),
        }
    }

    /// The only rank hands over: what it waits for must have come, for nobody else can bring it.
    pub fn step(&mut self) -> Result<(), String> {
        self.take(0, &mut |_, _| unreachable!("one rank combines with nobody"));
        let deadlock = !self.is_satisfied(0);
        self.release(0);
        if deadlock {
            return Err("waits for a message that nobody can send: this job has one rank, for it \
                        was not started by odonata run"
                .into());
        }
        Ok(())
    }

    /// Time since the job began: nobody simulates it, so the time that has really passed.
    pub fn elapsed(&self) -> std::time::Duration {
        self.started.elapsed()
    }

    /// Takes what `rank` submitted. `combine` has a rank's process apply an operator.
    pub fn take(&mut self, rank: u32, combine: &mut dyn FnMut(u32, Combine)) {
        // SAFETY: `rank` has handed over; its region is ours until it is released.
        let submitted = unsafe { (*self.segment.control(rank)).submitted };
        for i in 0..submitted as usize {
            // SAFETY: as above.
            let s = unsafe { *self.segment.submission(rank, i) };
            self.one(rank, &s, combine);
        }
        // SAFETY: as above.
        unsafe { (*self.segment.control(rank)).submitted = 0 };
    }

    /// Whether what `rank` waits for has come. A poll always gives up at once.
    pub fn is_satisfied(&self, rank: u32) -> bool {
        // SAFETY: `rank` has handed over.
        unsafe {
            let control = self.segment.control(rank);
            let count = (*control).wait_count as usize;
            let tokens = std::slice::from_raw_parts(self.segment.waits(rank), count);
            let done = |t: &u32| (*self.segment.completion(rank, *t)).done != 0;
            match (*control).wait_mode {
                wait::ALL => tokens.iter().all(done),
                wait::ANY => tokens.is_empty() || tokens.iter().any(done),
                wait::NEVER => false,
                _ => true,
            }
        }
    }

    /// Writes what a released rank reads. Its turn is the caller's affair.
    pub fn release(&mut self, rank: u32) {
        // SAFETY: `rank` has handed over.
        unsafe {
            let control = self.segment.control(rank);
            (*control).now_ps = self.started.elapsed().as_nanos() as u64 * 1000;
            (*control).command = wire::command::RUN;
        }
    }

    fn one(&mut self, rank: u32, s: &Submission, combine: &mut dyn FnMut(u32, Combine)) {
        match s.kind {
            kind::SEND => self.send(rank, s),
            kind::RECV => self.receive(rank, s, Want::Message, true),
            kind::PROBE => {
                let want = if s.flags & flag::TAKE != 0 { Want::SetAside } else { Want::Look };
                self.receive(rank, s, want, s.flags & flag::WAIT != 0);
            }
            kind::RECV_TAKEN => {
                let message = self.seats[rank as usize].taken.remove(&s.other);
                let message = message.expect("a message is taken before it is received");
                self.received(rank, s.token, &message);
            }
            kind::CANCEL => {
                let posted = &mut self.seats[rank as usize].posted;
                if let Some(i) = posted.iter().position(|p| p.token == s.other) {
                    posted.remove(i);
                    let cancelled = Completion { found: 2, ..Completion::default() };
                    self.complete(rank, s.other, cancelled);
                }
                self.complete(rank, s.token, Completion::default());
            }
            kind::COLLECTIVE => self.collective(rank, s, combine),
            kind::COMM => {
                let n = (s.bytes / 4) as usize;
                // SAFETY: the rank wrote `bytes` bytes of members to its block, and lends it.
                let members = unsafe {
                    let at = self.segment.ptr(s.block).cast::<u32>();
                    std::slice::from_raw_parts(at, n).to_vec()
                };
                // SAFETY: the block is not read again.
                unsafe { wire::return_block(self.segment, s.block) };
                self.contexts.insert(s.context, members);
            }
            kind::EXIT => {}
            other => panic!("rank {rank} submitted an unknown kind {other}"),
        }
    }

    fn complete(&self, rank: u32, token: u32, completion: Completion) {
        // SAFETY: called for a rank that has handed over; a running rank waits for nothing that
        // completes, for completions reach only sleepers.
        unsafe {
            *self.segment.completion(rank, token) = Completion { done: 1, ..completion };
        }
    }

    fn received(&self, rank: u32, token: u32, m: &Message) {
        let (peer, tag, bytes, block) = (m.from, m.tag, m.bytes, m.block);
        let received = Completion { peer, tag, bytes, block, ..Completion::default() };
        self.complete(rank, token, received);
        self.matched(m);
    }
    fn looked(&self, rank: u32, token: u32, m: &Message) {
        let (peer, tag, bytes) = (m.from, m.tag, m.bytes);
        let seen = Completion { peer, tag, bytes, ..Completion::default() };
        self.complete(rank, token, seen);
    }
    fn matched(&self, m: &Message) {
        if let Some(token) = m.waiting {
            self.complete(m.from, token, Completion::default());
        }
    }

    fn send(&mut self, rank: u32, s: &Submission) {
        let synchronous = s.flags & flag::SYNCHRONOUS != 0;
        let message = Message {
            from: rank,
            tag: s.tag,
            context: s.context,
            bytes: s.bytes,
            block: s.block,
            waiting: synchronous.then_some(s.token),
        };
        if !synchronous {
            self.complete(rank, s.token, Completion::default());
        }
        while let Some(i) =
            self.seats[s.peer as usize].posted.iter().position(|p| p.matches(&message))
        {
            let posted = self.seats[s.peer as usize].posted.remove(i);
            match posted.want {
                Want::Look => self.looked(s.peer, posted.token, &message),
                Want::SetAside => return self.set_aside(s.peer, posted.token, message),
                Want::Message => return self.received(s.peer, posted.token, &message),
            }
        }
        self.seats[s.peer as usize].unexpected.push(message);
    }

    fn set_aside(&mut self, rank: u32, token: u32, m: Message) {
        self.looked(rank, token, &m);
        self.matched(&m);
        self.seats[rank as usize].taken.insert(token, Message { waiting: None, ..m });
    }

    fn receive(&mut self, rank: u32, s: &Submission, want: Want, waits: bool) {
        let posted = Posted { token: s.token, from: s.peer, tag: s.tag, context: s.context, want };
        let seat = &mut self.seats[rank as usize];
        match seat.unexpected.iter().position(|m| posted.matches(m)) {
            Some(i) if want == Want::Look => {
                let m = seat.unexpected[i];
                self.looked(rank, s.token, &m);
            }
            Some(i) => {
                let m = seat.unexpected.remove(i);
                match want {
                    Want::Message => self.received(rank, s.token, &m),
                    _ => self.set_aside(rank, s.token, m),
                }
            }
            None if waits => seat.posted.push(posted),
            None => {
                self.complete(rank, s.token, Completion { found: 1, ..Completion::default() });
            }
        }
    }

    fn collective(&mut self, rank: u32, s: &Submission, combine: &mut dyn FnMut(u32, Combine)) {
        let members = self.contexts[&s.context].clone();
        let nth = self.seats[rank as usize].entered.entry(s.context).or_default();
        *nth += 1;
        let key = (s.context, *nth);
        let meeting = self.meetings.entry(key).or_insert_with(|| Meeting::new(members.len()));
        // SAFETY: the ragged lengths are in the rank's arena, lent until it completes.
        let ragged = unsafe {
            let at = self.segment.ptr(s.ragged).cast::<u64>();
            (0..s.ragged_len as usize).map(|i| at.add(i).read()).collect()
        };
        let size = meeting.size();
        meeting.enter(Entry::new(rank, *s, size, ragged));
        if !meeting.is_complete() {
            return;
        }
        let meeting = self.meetings.remove(&key).expect("just entered");
        meeting.hold(self.segment, combine);
        let value = u64::from(self.next_context);
        if s.flags & flag::NEW_CONTEXTS != 0 {
            self.next_context += members.len() as u32;
        }
        for entry in meeting.entries() {
            let token = entry.submission.token;
            self.complete(entry.world, token, Completion { value, ..Completion::default() });
        }
    }
}

fn copy_text(into: &mut [u8], text: &str) {
    let n = text.len().min(into.len() - 1);
    into[..n].copy_from_slice(&text.as_bytes()[..n]);
    into[n] = 0;
}
