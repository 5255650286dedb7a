//! The timeline of a run: when calls begin and end, messages travel, and links are busy.
//!
//! An optional observer of the kernel. It draws no random numbers and schedules no event, so a run
//! with it has the digest of one without it. Records have a fixed size and are written when they
//! end; memory is bounded by a buffer and the operations in flight. `docs/timelines.md` has the
//! format. It knows neither viewers nor names.

use crate::event::{RunId, SendId};
use crate::send::{Purpose, Send};
use base::{Span, Time};
use collectives::Kind;
use machine::{LinkId, NicId};
use std::collections::BTreeMap;
use std::io::{self, Write};
use workload::wire::PRIVATE_CONTEXT;
use workload::{CallSlice, Context, Op, OpCompletion, Token, WORLD, Workload};

/// First bytes of the file; records follow.
pub const MAGIC: &[u8; 16] = b"odonata-tl/3\n\0\0\0";
/// Bytes of a record.
pub const RECORD: usize = 56;
/// Records are collected in a buffer of this size, bytes.
const BUFFER: usize = 1 << 20;
/// After so many samples of links the interval doubles, which bounds the number of samples by
/// this number times the logarithm of the run's length.
const SAMPLES: u32 = 1024;
/// First interval between two samples of links, if the user selects none.
const FIRST_SAMPLE: Span = Span::us(1);

/// What a record describes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum RecordKind {
    /// An operation of a rank, from its call to its completion. `op` is an `OP_NAMES` index.
    Operation = 1,
    /// Time of a rank in an MPI function. `op` is the number of the function.
    Call = 2,
    /// A message between ranks. `op` is the round of a collective.
    Message = 3,
    /// Bytes that a link, `rank`, carried between two samples.
    Link = 4,
    /// Computation of a rank.
    Compute = 5,
    /// A round of a collective at a rank. `op` is an `OP_NAMES` index, `tag` the round.
    Round = 6,
    /// Bytes of messages that a NIC, `rank`, has accepted and that have not arrived, at a sample.
    Queue = 7,
    /// Bytes that a storage target, `rank` of file system `op`, moved between two samples; it is
    /// free at `ready`.
    Target = 8,
}

/// Bits of a record's flags.
pub mod flag {
    /// A message of a collective.
    pub const COLLECTIVE: u32 = 1;
    /// The run ended before it.
    pub const UNFINISHED: u32 = 2;
    /// An exclusive lock.
    pub const EXCLUSIVE: u32 = 4;
}

/// Names of operations, in the order of their numbers in records. Collectives follow, in the order
/// of `collectives::Kind`.
pub const OP_NAMES: [&str; 17] = [
    "send", "ssend", "bsend", "recv", "probe", "iprobe", "mrecv", "cancel", "put", "get", "atomic",
    "lock", "unlock", "read", "write", "delay", "file",
];

/// What the user selects for a timeline.
#[derive(Clone, Debug)]
pub struct TimelineScope {
    /// Records that overlap with this part of the run.
    pub window: (Time, Time),
    /// First and last rank of each range; empty for all ranks.
    pub ranks: Vec<(u32, u32)>,
    /// Interval between two samples of links.
    pub sample: Option<Span>,
}

/// Numbers of records.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TimelineCounts {
    pub operations: u64,
    pub calls: u64,
    pub messages: u64,
    /// Rounds of collectives.
    pub rounds: u64,
    /// Of links, NICs and storage targets.
    pub samples: u64,
    /// Records outside the window or of other ranks.
    pub omitted: u64,
}

/// An operation that has not completed.
#[derive(Clone, Copy)]
struct Open {
    token: Token,
    op: u16,
    begin: Time,
    bytes: u64,
    peer: u32,
    tag: i32,
    context: u32,
    flags: u32,
}

/// The round that a rank begins, the number of rounds after the last one.
pub(crate) struct RoundOf {
    pub rank: u32,
    pub token: Token,
    pub kind: Kind,
    pub context: Context,
    pub begun: u32,
}

/// Bytes of messages at NICs that have not arrived.
#[derive(Default)]
struct NicQueues {
    /// By NIC; none if it has not sent anything.
    bytes: Vec<Option<NicQueue>>,
    /// NICs whose bytes have changed since the last sample.
    changed: Vec<NicId>,
}

#[derive(Clone, Copy)]
struct NicQueue {
    bytes: i64,
    is_listed: bool,
}

impl NicQueues {
    fn add(&mut self, nic: NicId, bytes: i64) {
        let at = nic.0 as usize;
        if self.bytes.len() <= at {
            self.bytes.resize(at + 1, None);
        }
        let queue = self.bytes[at].get_or_insert(NicQueue { bytes: 0, is_listed: false });
        queue.bytes += bytes;
        if !std::mem::replace(&mut queue.is_listed, true) {
            self.changed.push(nic);
        }
    }
}

/// One record. `lane` separates operations of a rank that overlap.
struct Record {
    kind: RecordKind,
    lane: u8,
    op: u16,
    rank: u32,
    begin: Time,
    end: Time,
    ready: Time,
    bytes: u64,
    peer: u32,
    tag: i32,
    context: u32,
    flags: u32,
}

pub struct Timeline {
    out: Box<dyn Write + std::marker::Send>,
    buffer: Vec<u8>,
    /// The first error of writing; nothing is written after it.
    error: Option<io::Error>,
    window: (Time, Time),
    /// By rank, whether it is recorded.
    is_recorded: Vec<bool>,
    /// By rank and lane.
    open: Vec<Vec<Option<Open>>>,
    /// By number of a send: when it left.
    sent: Vec<Time>,
    /// By rank: start of the call that its CPU reaches next.
    begins: Vec<Time>,
    /// Members of the communicators in which ranks communicate, except the world.
    communicators: BTreeMap<Context, Vec<u32>>,
    /// By number of a run of a collective: start of its round.
    rounds: Vec<Time>,
    /// By link: bytes at the last sample; empty before the first.
    carried: Vec<u64>,
    queues: NicQueues,
    /// By file system and target: bytes at the last sample.
    moved: Vec<Vec<u64>>,
    interval: Span,
    /// Whether the interval grows.
    is_adaptive: bool,
    n_samples: u32,
    last_sample: Time,
    next_sample: Time,
    pub counts: TimelineCounts,
}

impl Timeline {
    /// Of a run of `ranks` ranks.
    pub fn new(
        out: Box<dyn Write + std::marker::Send>,
        scope: &TimelineScope,
        ranks: u32,
    ) -> Timeline {
        let is_recorded = |rank: u32| {
            scope.ranks.is_empty() || scope.ranks.iter().any(|&(a, b)| (a..=b).contains(&rank))
        };
        let mut buffer = Vec::with_capacity(BUFFER + RECORD);
        buffer.extend_from_slice(MAGIC);
        Timeline {
            out,
            buffer,
            error: None,
            window: scope.window,
            is_recorded: (0..ranks).map(is_recorded).collect(),
            open: (0..ranks).map(|_| Vec::new()).collect(),
            sent: Vec::new(),
            begins: vec![Time::ZERO; ranks as usize],
            communicators: BTreeMap::new(),
            rounds: Vec::new(),
            carried: Vec::new(),
            queues: NicQueues::default(),
            moved: Vec::new(),
            interval: scope.sample.unwrap_or(FIRST_SAMPLE),
            is_adaptive: scope.sample.is_none(),
            n_samples: 0,
            last_sample: Time::ZERO,
            next_sample: scope.window.0 + scope.sample.unwrap_or(FIRST_SAMPLE),
            counts: TimelineCounts::default(),
        }
    }

    /// The time of the next sample.
    pub fn next_sample(&self) -> Time {
        self.next_sample
    }

    /// Links that carried bytes in a sample.
    pub fn links(&self) -> impl Iterator<Item = LinkId> {
        let carried = (0..).zip(&self.carried).filter(|(_, bytes)| **bytes > 0);
        carried.map(|(link, _)| LinkId(link))
    }

    /// NICs that have sent messages.
    pub fn nics(&self) -> impl Iterator<Item = NicId> {
        let bytes = (0..).zip(&self.queues.bytes);
        bytes.filter(|(_, bytes)| bytes.is_some()).map(|(nic, _)| NicId(nic))
    }

    /// Interval between samples at the end of the run.
    pub fn interval(&self) -> Span {
        self.interval
    }

    /// Writes what is left, then `footer` and its length.
    pub fn finish(mut self, footer: &[u8]) -> io::Result<()> {
        self.flush();
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        self.out.write_all(footer)?;
        self.out.write_all(&(footer.len() as u64).to_le_bytes())?;
        self.out.flush()
    }

    fn flush(&mut self) {
        if self.error.is_none() {
            self.error = self.out.write_all(&self.buffer).err();
        }
        self.buffer.clear();
    }

    /// Whether writing has failed: the run continues without records.
    pub fn has_failed(&self) -> bool {
        self.error.is_some()
    }

    /// The rank's CPU computes from `start`, and begins its next call at `begin`.
    pub fn compute(&mut self, rank: u32, start: Time, begin: Time) {
        self.begins[rank as usize] = begin;
        if begin > start {
            let kind = RecordKind::Compute;
            self.write(Record { rank, begin: start, end: begin, ready: begin, ..Record::of(kind) });
        }
    }

    /// Members of communicators, in the order of their contexts.
    pub fn communicators(&self) -> impl Iterator<Item = (Context, &[u32])> {
        self.communicators.iter().map(|(context, members)| (*context, &members[..]))
    }

    /// An operation takes effect, and its communicator is recorded if it is new.
    pub fn begin<W: Workload>(&mut self, rank: u32, token: Token, op: &Op, workload: &W) {
        if let Some(context) = communicator_of(op)
            && !self.communicators.contains_key(&context)
        {
            self.communicators.insert(context, workload.members(0, context).to_vec());
        }
        let Some(open) = Open::of(token, op, self.begins[rank as usize]) else { return };
        let lanes = &mut self.open[rank as usize];
        match lanes.iter_mut().find(|lane| lane.is_none()) {
            Some(lane) => *lane = Some(open),
            None => lanes.push(Some(open)),
        }
    }

    /// An operation has completed at `now`.
    pub fn complete(&mut self, now: Time, done: &OpCompletion, ready: Time) {
        let lanes = &mut self.open[done.rank as usize];
        let is_it = |lane: &Option<Open>| lane.is_some_and(|open| open.token == done.token);
        let Some(lane) = lanes.iter().position(is_it) else { return };
        let Some(open) = lanes[lane].take() else { return };
        let is_recv = matches!(open.op, RECV | PROBE | MRECV);
        let (peer, tag, bytes) = match is_recv {
            true => (done.peer, done.tag, done.bytes),
            false => (open.peer, open.tag, open.bytes),
        };
        let open = Open { peer, tag, bytes, ..open };
        self.write(open.record(done.rank, lane, now, ready, 0));
    }

    /// A rank was in an MPI function.
    pub fn call(&mut self, slice: &CallSlice) {
        self.write(Record {
            rank: slice.rank,
            op: slice.function as u16,
            begin: slice.begin,
            end: slice.end,
            ready: slice.begin + slice.waiting,
            bytes: slice.bytes,
            ..Record::of(RecordKind::Call)
        });
    }

    /// The limits of the rank's NIC hold this operation back: it begins again later.
    pub(crate) fn withdraw(&mut self, rank: u32, token: Token) {
        let lanes = &mut self.open[rank as usize];
        let is_it = |lane: &&mut Option<Open>| lane.is_some_and(|open| open.token == token);
        if let Some(lane) = lanes.iter_mut().find(is_it) {
            *lane = None;
        }
    }

    /// A message leaves its rank.
    pub(crate) fn sent(&mut self, id: SendId, now: Time) {
        let at = id.0 as usize;
        if self.sent.len() <= at {
            self.sent.resize(at + 1, Time::ZERO);
        }
        self.sent[at] = now;
    }

    /// The NIC of a rank gets the data of a message.
    pub(crate) fn queue(&mut self, nic: NicId, bytes: u64) {
        self.queues.add(nic, bytes as i64);
    }

    /// The data have arrived.
    pub(crate) fn dequeue(&mut self, nic: NicId, bytes: u64) {
        self.queues.add(nic, -(bytes as i64));
    }

    /// A rank begins a round of a collective, or has ended the last one.
    pub(crate) fn round(&mut self, now: Time, run: RunId, round: &RoundOf) {
        let at = run.0 as usize;
        if self.rounds.len() <= at {
            self.rounds.resize(at + 1, Time::ZERO);
        }
        let begin = std::mem::replace(&mut self.rounds[at], now);
        let Some(last) = round.begun.checked_sub(1) else { return };
        let lanes = &self.open[round.rank as usize];
        let is_it = |lane: &Option<Open>| lane.is_some_and(|open| open.token == round.token);
        let lane = lanes.iter().position(is_it).unwrap_or(0);
        self.write(Record {
            rank: round.rank,
            lane: lane.min(u8::MAX.into()) as u8,
            op: OP_NAMES.len() as u16 + round.kind as u16,
            begin,
            end: now,
            ready: now,
            tag: last as i32,
            context: round.context,
            ..Record::of(RecordKind::Round)
        });
    }

    /// All data of a message has arrived at its rank.
    pub(crate) fn message(&mut self, now: Time, id: SendId, send: &Send) {
        let (tag, context, op, flags) = match send.purpose {
            Purpose::User { envelope, .. } => (envelope.tag, envelope.context, 0, 0),
            Purpose::Collective { context, round, .. } => {
                (-1, context, round.min(u16::MAX.into()) as u16, flag::COLLECTIVE)
            }
        };
        self.write(Record {
            rank: send.from,
            peer: send.to,
            begin: self.sent[id.0 as usize],
            end: now,
            ready: now,
            bytes: send.bytes,
            tag,
            context,
            op,
            flags,
            ..Record::of(RecordKind::Message)
        });
    }

    /// Starts a sample of links at `now`, of which there are `n`.
    pub fn begin_sample(&mut self, n: usize) {
        if self.carried.is_empty() {
            self.carried = vec![0; n];
        }
    }

    /// The bytes that a link has carried so far.
    pub fn sample(&mut self, now: Time, link: LinkId, bytes: u64) {
        let before = std::mem::replace(&mut self.carried[link.0 as usize], bytes);
        if bytes > before {
            self.write(Record {
                rank: link.0,
                begin: self.last_sample,
                end: now,
                ready: now,
                bytes: bytes - before,
                ..Record::of(RecordKind::Link)
            });
        }
    }

    /// The bytes that a storage target has moved so far; it is busy for `backlog`.
    pub fn sample_target(&mut self, now: Time, at: (usize, usize), bytes: u64, backlog: Span) {
        let (file_system, target) = at;
        if self.moved.len() <= file_system {
            self.moved.resize_with(file_system + 1, Vec::new);
        }
        let moved = &mut self.moved[file_system];
        if moved.len() <= target {
            moved.resize(target + 1, 0);
        }
        let before = std::mem::replace(&mut moved[target], bytes);
        if bytes > before || backlog > Span::ZERO {
            self.write(Record {
                rank: target as u32,
                op: file_system as u16,
                begin: self.last_sample,
                end: now,
                ready: now + backlog,
                bytes: bytes - before,
                ..Record::of(RecordKind::Target)
            });
        }
    }

    /// The NICs whose queues have changed.
    fn sample_queues(&mut self, now: Time) {
        let mut changed = std::mem::take(&mut self.queues.changed);
        for nic in changed.drain(..) {
            let entry = &mut self.queues.bytes[nic.0 as usize];
            let Some(queue) = entry else { continue };
            queue.is_listed = false;
            let bytes = queue.bytes.max(0) as u64;
            let begin = self.last_sample;
            let kind = RecordKind::Queue;
            let record = Record { rank: nic.0, begin, end: now, bytes, ..Record::of(kind) };
            self.write(Record { ready: now, ..record });
        }
        self.queues.changed = changed;
    }

    /// Ends a sample, and schedules the next.
    pub fn end_sample(&mut self, now: Time) {
        self.sample_queues(now);
        self.last_sample = now;
        self.n_samples += 1;
        if self.is_adaptive && self.n_samples == SAMPLES {
            self.n_samples = SAMPLES / 2;
            self.interval = self.interval * 2;
        }
        self.next_sample = match now >= self.window.1 {
            true => Time(u64::MAX),
            false => now + self.interval,
        };
    }

    /// Records operations in flight at the end of the run.
    pub fn close(&mut self, now: Time) {
        for rank in 0..self.open.len() {
            for lane in 0..self.open[rank].len() {
                if let Some(open) = self.open[rank][lane].take() {
                    let end = now.max(open.begin);
                    let record = open.record(rank as u32, lane, end, end, flag::UNFINISHED);
                    self.write(record);
                }
            }
        }
    }

    fn write(&mut self, record: Record) {
        let (from, to) = self.window;
        use RecordKind::{Link, Queue, Target};
        let is_of_machine = matches!(record.kind, Link | Queue | Target);
        let is_in_scope = is_of_machine
            || self.is_recorded[record.rank as usize]
            || record.kind == RecordKind::Message && self.is_recorded[record.peer as usize];
        if !is_in_scope || record.end < from || record.begin >= to {
            self.counts.omitted += 1;
            return;
        }
        match record.kind {
            RecordKind::Operation => self.counts.operations += 1,
            RecordKind::Call => self.counts.calls += 1,
            RecordKind::Message => self.counts.messages += 1,
            RecordKind::Round => self.counts.rounds += 1,
            Link | Queue | Target => self.counts.samples += 1,
            RecordKind::Compute => {}
        }
        self.buffer.extend_from_slice(&record.bytes());
        if self.buffer.len() >= BUFFER {
            self.flush();
        }
    }
}

const RECV: u16 = 3;
const PROBE: u16 = 4;
const MRECV: u16 = 6;

/// The communicator of an operation. `None`: the world, or messages of the library itself.
fn communicator_of(op: &Op) -> Option<Context> {
    let (Op::Send { context, .. }
    | Op::Recv { context, .. }
    | Op::Collective { context, .. }
    | Op::OneSided { context, .. }
    | Op::Lock { context, .. }) = *op
    else {
        return None;
    };
    (context != WORLD && context & PRIVATE_CONTEXT == 0).then_some(context)
}

impl Open {
    /// `None`: an operation without a name, such as a mark.
    fn of(token: Token, op: &Op, begin: Time) -> Option<Open> {
        use workload::SendMode::{Buffered, Standard, Synchronous};
        let none =
            Open { token, op: 0, begin, bytes: 0, peer: u32::MAX, tag: -1, context: 0, flags: 0 };
        Some(match *op {
            Op::Send { to, context, tag, bytes, mode } => {
                let op = match mode {
                    Standard => 0,
                    Synchronous => 1,
                    Buffered => 2,
                };
                Open { op, bytes, peer: to, tag, context, ..none }
            }
            Op::Recv { from, context, tag, bytes } => {
                Open { op: RECV, bytes, peer: from, tag, context, ..none }
            }
            Op::Probe { from, context, tag, wait, .. } => {
                Open { op: if wait { PROBE } else { 5 }, peer: from, tag, context, ..none }
            }
            Op::MatchedRecv { bytes, .. } => Open { op: MRECV, bytes, ..none },
            Op::Cancel { .. } => Open { op: 7, ..none },
            Op::OneSided { to, context, request_bytes, response_bytes, atomic } => {
                let op = if atomic { 10 } else { 8 + u16::from(response_bytes > request_bytes) };
                let bytes = request_bytes + response_bytes;
                // An access has no tag. That of an atomic is the bytes that return, or the largest.
                let tag = if atomic { response_bytes.min(i32::MAX as u64) as i32 } else { -1 };
                Open { op, bytes, peer: to, tag, context, ..none }
            }
            Op::Lock { context, to, exclusive } => {
                let flags = if exclusive { flag::EXCLUSIVE } else { 0 };
                Open { op: 11, peer: to, context, flags, ..none }
            }
            Op::Unlock { context, to } => Open { op: 12, peer: to, context, ..none },
            Op::Storage { bytes, write } => Open { op: 13 + u16::from(write), bytes, ..none },
            Op::Delay { .. } => Open { op: 15, ..none },
            Op::File(ref call) => Open { op: 16, bytes: call.bytes, ..none },
            Op::Collective { context, ref call } => {
                let op = OP_NAMES.len() as u16 + call.kind as u16;
                Open { op, bytes: call.bytes, peer: call.root, context, ..none }
            }
            _ => return None,
        })
    }

    fn record(&self, rank: u32, lane: usize, end: Time, ready: Time, flags: u32) -> Record {
        Record {
            lane: lane.min(u8::MAX.into()) as u8,
            op: self.op,
            rank,
            begin: self.begin,
            end,
            ready,
            bytes: self.bytes,
            peer: self.peer,
            tag: self.tag,
            context: self.context,
            flags: flags | self.flags,
            ..Record::of(RecordKind::Operation)
        }
    }
}

impl Record {
    fn of(kind: RecordKind) -> Record {
        Record {
            kind,
            lane: 0,
            op: 0,
            rank: 0,
            begin: Time::ZERO,
            end: Time::ZERO,
            ready: Time::ZERO,
            bytes: 0,
            peer: u32::MAX,
            tag: -1,
            context: 0,
            flags: 0,
        }
    }

    fn bytes(&self) -> [u8; RECORD] {
        let mut out = [0; RECORD];
        out[0] = self.kind as u8;
        out[1] = self.lane;
        out[2..4].copy_from_slice(&self.op.to_le_bytes());
        out[4..8].copy_from_slice(&self.rank.to_le_bytes());
        let longs = [self.begin.0, self.end.0, self.ready.0, self.bytes];
        for (nth, long) in longs.into_iter().enumerate() {
            out[8 + 8 * nth..16 + 8 * nth].copy_from_slice(&long.to_le_bytes());
        }
        out[40..44].copy_from_slice(&self.peer.to_le_bytes());
        out[44..48].copy_from_slice(&self.tag.to_le_bytes());
        out[48..52].copy_from_slice(&self.context.to_le_bytes());
        out[52..56].copy_from_slice(&self.flags.to_le_bytes());
        out
    }
}
