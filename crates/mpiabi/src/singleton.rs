//! Singleton initialization: a program that odonata did not start is a job of one rank, without a
//! simulator.
//!
//! Completes all submissions in the process's own memory. Operations take no time; the clock is the
//! time since the process started.

use std::collections::BTreeMap;

use collectives::Kind;
use workload::wire::{
    self, Arrival, Completion, Segment, SegmentLayout, Submission, flag, kind, wait,
};
use workload::{ANY_SOURCE, ANY_TAG};

/// The standard guarantees 32,767; MPICH returns 2^28 - 1 or more.
const TAG_UB: i32 = (1 << 28) - 1;
const PS_PER_NS: u64 = 1000;
/// The only rank.
const RANK: u32 = 0;

pub struct Singleton {
    segment: Segment,
    posted: Vec<Posted>,
    unexpected: Vec<QueuedMessage>,
    /// Messages reserved by a matched probe, by its token.
    taken: BTreeMap<u32, QueuedMessage>,
    next_context: u32,
    /// The counters of `kind::STORAGE`.
    counters: BTreeMap<u32, i64>,
    /// The last of the rank's list of one-sided operations.
    last_arrival: u64,
    started: std::time::Instant,
}

#[derive(Clone, Copy)]
struct QueuedMessage {
    tag: i32,
    context: u32,
    bytes: u64,
    block: u64,
    /// Token of a synchronous send that has not completed.
    waiting: Option<u32>,
}

#[derive(Clone, Copy, PartialEq)]
enum ReceiveKind {
    QueuedMessage,
    Probe,
    MatchedProbe,
}

struct Posted {
    token: u32,
    from: u32,
    tag: i32,
    context: u32,
    want: ReceiveKind,
}

impl Posted {
    fn matches(&self, m: &QueuedMessage) -> bool {
        self.context == m.context
            && (self.from == ANY_SOURCE || self.from == RANK)
            && (self.tag == ANY_TAG || self.tag == m.tag)
    }
}

impl Singleton {
    /// Creates a job of one rank in this process's own memory.
    pub fn new() -> Result<(Segment, Singleton), String> {
        let limit = |which| {
            let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
            // SAFETY: a valid rlimit.
            let known = unsafe { libc::getrlimit(which, &mut limit) } == 0;
            if known { limit.rlim_cur } else { libc::RLIM_INFINITY }
        };
        // At most half of the limit, because the program needs memory too.
        let room = limit(libc::RLIMIT_AS).min(limit(libc::RLIMIT_DATA)) / 2;
        let Some(layout) = SegmentLayout::within(1, room) else {
            let need = 2 * SegmentLayout::min_bytes(1) / 1024;
            return Err(format!(
                "no memory for a job of one rank: `ulimit -v` is below {need} KiB"
            ));
        };
        let bytes = layout.bytes(1) as usize;
        // SAFETY: a new mapping at an address the kernel chooses; never removed.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                bytes,
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
        // SAFETY: advice about the mapping made above: keep its holes out of core dumps.
        unsafe { libc::madvise(base, bytes, libc::MADV_DONTDUMP) };
        // SAFETY: mapped above with the length of one rank's segment, zeroed.
        let segment = unsafe { Segment::at(base.cast()) };
        // SAFETY: as above; no other code uses it yet.
        unsafe {
            let header = segment.header();
            (*header).magic = wire::MAGIC;
            (*header).ranks = 1;
            (*header).layout = layout;
            (*header).pid = std::process::id();
            (*header).tag_ub = TAG_UB;
            (*header).tag_max = TAG_UB;
            (*header).clock_tick_ps = 1_000; // what the clock resolves: nanoseconds
            let control = segment.control(RANK);
            (*control).nodes = 1;
            (*control).local_size = 1;
            copy_text(&mut (*control).node_name, &host_name());
        }
        let (posted, unexpected, taken) = (Vec::new(), Vec::new(), BTreeMap::new());
        // Contexts 0 and 1 belong to MPI_COMM_WORLD and MPI_COMM_SELF.
        let (next_context, started) = (2, std::time::Instant::now());
        let counters = BTreeMap::new();
        let singleton = Singleton {
            segment,
            posted,
            unexpected,
            taken,
            next_context,
            counters,
            last_arrival: 0,
            started,
        };
        Ok((segment, singleton))
    }

    /// Wall-clock time since the job began.
    pub fn elapsed(&self) -> std::time::Duration {
        self.started.elapsed()
    }

    /// Processes a hand-over. The operations that it waits for must be complete, because no other
    /// rank can complete them.
    pub fn step(&mut self) -> Result<(), String> {
        // SAFETY: the caller has handed over.
        let submitted = unsafe { (*self.segment.control(RANK)).submitted };
        for i in 0..submitted as usize {
            // SAFETY: as above.
            let s = unsafe { *self.segment.submission(RANK, i) };
            self.take(&s);
        }
        if self.is_satisfied() {
            return Ok(());
        }
        Err("waits for a message that no rank can send: this job has one rank, because it was not \
             started by odonata run"
            .into())
    }

    /// Whether the operations that the rank waits for are complete. A poll always returns at once.
    fn is_satisfied(&self) -> bool {
        // SAFETY: the rank has handed over.
        unsafe {
            let control = self.segment.control(RANK);
            let count = (*control).wait_count as usize;
            let tokens = std::slice::from_raw_parts(self.segment.waits(RANK), count);
            let done = |t: &u32| (*self.segment.completion(RANK, *t)).done != 0;
            match (*control).wait_mode {
                wait::ALL => tokens.iter().all(done),
                wait::ANY => tokens.is_empty() || tokens.iter().any(done),
                wait::NEVER => false,
                _ => true,
            }
        }
    }

    fn take(&mut self, s: &Submission) {
        match s.kind {
            kind::SEND => self.send(s),
            kind::RECV => self.receive(s, ReceiveKind::QueuedMessage, true),
            kind::PROBE => {
                let want = if s.flags & flag::TAKE != 0 {
                    ReceiveKind::MatchedProbe
                } else {
                    ReceiveKind::Probe
                };
                self.receive(s, want, s.flags & flag::WAIT != 0);
            }
            kind::MATCHED_RECV => {
                let message = self.taken.remove(&s.other);
                self.received(s.token, &message.expect("a message is taken before it is received"));
            }
            kind::CANCEL => {
                if let Some(i) = self.posted.iter().position(|p| p.token == s.other) {
                    self.posted.remove(i);
                    self.complete(s.other, Completion { status: 2, ..Completion::default() });
                }
                self.complete(s.token, Completion::default());
            }
            kind::COLLECTIVE => self.collective(s),
            kind::COMM if s.block == 0 => {}
            // SAFETY: the list of members has one entry and is not read.
            kind::COMM => unsafe { wire::return_block(self.segment, s.block) },
            kind::ONE_SIDED => self.one_sided(s),
            // No other rank can hold a lock.
            kind::LOCK | kind::UNLOCK => self.complete(s.token, Completion::default()),
            kind::STORAGE => self.storage(s),
            kind::DELAY => {
                std::thread::sleep(std::time::Duration::from_nanos(s.bytes / PS_PER_NS));
                self.complete(s.token, Completion::default());
            }
            kind::EXIT | kind::REGION => {}
            other => panic!("an unknown kind of submission: {other}"),
        }
    }

    fn complete(&self, token: u32, completion: Completion) {
        // SAFETY: the rank has handed over.
        unsafe { *self.segment.completion(RANK, token) = Completion { done: 1, ..completion } };
    }
    fn received(&self, token: u32, m: &QueuedMessage) {
        let (tag, bytes, block) = (m.tag, m.bytes, m.block);
        self.complete(token, Completion { tag, bytes, block, ..Completion::default() });
        self.matched(m);
    }
    fn probed(&self, token: u32, m: &QueuedMessage) {
        let (tag, bytes) = (m.tag, m.bytes);
        self.complete(token, Completion { tag, bytes, ..Completion::default() });
    }
    fn matched(&self, m: &QueuedMessage) {
        if let Some(token) = m.waiting {
            self.complete(token, Completion::default());
        }
    }

    fn send(&mut self, s: &Submission) {
        let synchronous = s.flags & flag::SYNCHRONOUS != 0;
        let waiting = synchronous.then_some(s.token);
        let (tag, context, bytes, block) = (s.tag, s.context, s.bytes, s.block);
        let message = QueuedMessage { tag, context, bytes, block, waiting };
        if !synchronous {
            self.complete(s.token, Completion::default());
        }
        while let Some(i) = self.posted.iter().position(|p| p.matches(&message)) {
            let posted = self.posted.remove(i);
            match posted.want {
                ReceiveKind::Probe => self.probed(posted.token, &message),
                ReceiveKind::MatchedProbe => return self.reserve(posted.token, message),
                ReceiveKind::QueuedMessage => return self.received(posted.token, &message),
            }
        }
        self.unexpected.push(message);
    }

    fn reserve(&mut self, token: u32, m: QueuedMessage) {
        self.probed(token, &m);
        self.matched(&m);
        self.taken.insert(token, QueuedMessage { waiting: None, ..m });
    }

    fn receive(&mut self, s: &Submission, want: ReceiveKind, waits: bool) {
        let (token, from, tag, context) = (s.token, s.peer, s.tag, s.context);
        let posted = Posted { token, from, tag, context, want };
        match self.unexpected.iter().position(|m| posted.matches(m)) {
            Some(i) if want == ReceiveKind::Probe => self.probed(token, &self.unexpected[i]),
            Some(i) => {
                let m = self.unexpected.remove(i);
                match want {
                    ReceiveKind::QueuedMessage => self.received(token, &m),
                    _ => self.reserve(token, m),
                }
            }
            None if waits => self.posted.push(posted),
            None => self.complete(token, Completion { status: 1, ..Completion::default() }),
        }
    }

    /// Links the operation into the rank's list, which it applies before it proceeds.
    fn one_sided(&mut self, s: &Submission) {
        let mut end = self.last_arrival;
        // SAFETY: the rank has handed over; blocks of the list are its own.
        unsafe {
            let incoming = &raw mut (*self.segment.control(RANK)).incoming;
            if *incoming == 0 {
                end = 0;
            }
            (*self.segment.ptr(s.block).cast::<Arrival>()).next = 0;
            match end {
                0 => *incoming = s.block,
                _ => (*self.segment.ptr(end).cast::<Arrival>()).next = s.block,
            }
        }
        self.last_arrival = s.block;
        self.complete(s.token, Completion::default());
    }

    /// The process accesses files by itself; only the counters are here.
    fn storage(&mut self, s: &Submission) {
        let counter = self.counters.entry(s.context).or_default();
        let value = *counter as u64;
        if s.flags & flag::SET != 0 {
            *counter = s.op as i64;
        } else if s.flags & flag::FETCH != 0 {
            *counter = counter.wrapping_add(s.op as i64);
        }
        self.complete(s.token, Completion { value, ..Completion::default() });
    }

    /// With one member a collective moves no data, except for the all-to-alls, which have a
    /// separate receive area.
    fn collective(&mut self, s: &Submission) {
        let value = u64::from(self.next_context);
        if s.flags & flag::NEW_CONTEXTS != 0 {
            self.next_context += 1;
        }
        let bytes = match Kind::ALL[s.collective as usize] {
            Kind::Alltoall => s.bytes,
            // SAFETY: the list of lengths is in the rank's arena, unchanged until this completes.
            Kind::Alltoallv => unsafe { self.segment.ptr(s.ragged).cast::<u64>().read() },
            _ => 0,
        };
        let area = self.segment.ptr(s.block);
        if bytes > 0 {
            // SAFETY: the two areas of one working buffer.
            unsafe { area.add(bytes as usize).copy_from_nonoverlapping(area, bytes as usize) };
        }
        self.complete(s.token, Completion { value, ..Completion::default() });
    }
}

fn host_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    if name.trim().is_empty() { "localhost".into() } else { name.trim().into() }
}

fn copy_text(into: &mut [u8], text: &str) {
    let n = text.len().min(into.len() - 1);
    into[..n].copy_from_slice(&text.as_bytes()[..n]);
    into[n] = 0;
}
