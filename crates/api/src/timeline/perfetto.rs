//! Writes a timeline as a Perfetto trace: packets in the encoding of protobuf.
//!
//! Fields and numbers are those of `perfetto/trace/trace_packet.proto`. Perfetto counts
//! nanoseconds; the exact duration in picoseconds is an argument of each slice.

use super::reader::{Names, Record, TimelineFile, kind};
use sim::timeline::flag;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// Packets are collected in a buffer of this size, bytes.
const BUFFER: usize = 1 << 20;
const PS_PER_NS: u64 = 1000;
/// Peer of a record without one.
const NO_PEER: u32 = u32::MAX;

/// Names of arguments, which are interned from number 1 on.
const ARGUMENTS: [&str; 7] =
    ["bytes", "peer", "tag", "duration_ps", "waiting_ps", "communicator", "round"];
mod argument {
    pub const BYTES: u8 = 1;
    pub const PEER: u8 = 2;
    pub const TAG: u8 = 3;
    pub const DURATION: u8 = 4;
    pub const WAITING: u8 = 5;
    pub const COMMUNICATOR: u8 = 6;
    pub const ROUND: u8 = 7;
}

/// Names of categories, which are interned from number 1 on.
const CATEGORIES: [&str; 5] = ["mpi", "operation", "compute", "message", "round"];
mod category {
    pub const MPI: u8 = 1;
    pub const OPERATION: u8 = 2;
    pub const COMPUTE: u8 = 3;
    pub const MESSAGE: u8 = 4;
    pub const ROUND: u8 = 5;
}

/// Names of slices that are neither functions nor operations, from number 1 on.
const OTHERS: [&str; 3] = ["compute", "send", "receive"];
const COMPUTE: u64 = 1;

/// Values of the field `type` of a track event.
const BEGIN: u8 = 1;
const END: u8 = 2;
const INSTANT: u8 = 3;
const COUNTER: u8 = 4;

/// Bits of a track's number that select one of its rank.
const RANK_TRACKS: u32 = 10;
const MESSAGES: u64 = 1;
const FIRST_LANE: u64 = 2;
const FIRST_ROUNDS: u64 = 512;
const LINK_TRACKS: u64 = 1 << 50;
const NODE_TRACKS: u64 = 1 << 51;
const QUEUE_TRACKS: u64 = 1 << 52;
/// Two tracks per storage target: its rate and its backlog.
const TARGET_TRACKS: u64 = 1 << 53;

/// `trusted_packet_sequence_id` 1; `sequence_flags` `SEQ_NEEDS_INCREMENTAL_STATE`.
const SEQUENCE: [u8; 2] = [0x50, 1];
const NEEDS_STATE: [u8; 2] = [0x68, 2];

/// Converts the records of `source`. `go_on` is called from time to time, and ends the work if it
/// is false.
pub fn write(source: &Path, target: &Path, go_on: &mut dyn FnMut() -> bool) -> io::Result<()> {
    let mut records = TimelineFile::open(source)?;
    let mut trace = Trace::new(File::create(target)?, &records.names);
    trace.head(&records.names);
    records.records(go_on, |_, record| {
        trace.record(record);
        trace.error.take().map_or(Ok(()), Err)
    })?;
    trace.finish()
}

/// A message in the encoding of protobuf.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 128 {
            self.0.push(value as u8 | 128);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    /// A field with a number.
    fn number(mut self, field: u32, value: u64) -> Message {
        self.varint(u64::from(field) << 3);
        self.varint(value);
        self
    }

    /// A field with a text or a message.
    fn bytes(mut self, field: u32, content: &[u8]) -> Message {
        self.varint(u64::from(field) << 3 | 2);
        self.varint(content.len() as u64);
        self.0.extend_from_slice(content);
        self
    }

    fn raw(mut self, bytes: &[u8]) -> Message {
        self.0.extend_from_slice(bytes);
        self
    }

    /// A debug annotation of a track event: field 4, with the number of its name and a value.
    fn argument(&mut self, name: u8, value: u64) {
        self.annotation(name, 0x18, value);
    }

    fn signed_argument(&mut self, name: u8, value: i32) {
        self.annotation(name, 0x20, i64::from(value) as u64);
    }

    fn annotation(&mut self, name: u8, tag: u8, value: u64) {
        self.0.extend_from_slice(&[0x22, 3 + width(value), 8, name, tag]);
        self.varint(value);
    }
}

fn new() -> Message {
    Message::default()
}

/// Bytes of a number in the variable-length encoding.
fn width(value: u64) -> u8 {
    (64 - (value | 1).leading_zeros()).div_ceil(7) as u8
}

struct Trace {
    out: File,
    /// Complete packets.
    buffer: Message,
    /// The track event of the next packet.
    event: Message,
    error: Option<io::Error>,
    first_operation: u64,
    first_function: u64,
    first_round: u64,
    /// Number of the operation whose tag is the number of bytes that return.
    atomic: Option<u16>,
    /// Tracks of lanes that have a name.
    lanes: BTreeSet<u64>,
    /// Messages so far, which number the flows.
    flows: u64,
    /// By link: the end of its last record; 0 before the first.
    link_ends: Vec<u64>,
}

impl Trace {
    fn new(out: File, names: &Names) -> Trace {
        let first_operation = OTHERS.len() as u64 + 1;
        let first_function = first_operation + names.operations.len() as u64;
        Trace {
            out,
            buffer: Message(Vec::with_capacity(BUFFER + 4096)),
            event: Message::default(),
            error: None,
            first_operation,
            first_function,
            first_round: first_function + names.functions.len() as u64,
            atomic: names.operations.iter().position(|name| name == "atomic").map(|at| at as u16),
            lanes: BTreeSet::new(),
            flows: 0,
            link_ends: vec![0; names.link_numbers()],
        }
    }

    /// Names, and the tracks of nodes, ranks, links, NICs and storage targets.
    fn head(&mut self, names: &Names) {
        let rounds = names.operations.iter().map(|name| format!("round of {name}"));
        let others = OTHERS.iter().map(ToString::to_string);
        let slices = others.chain(names.operations.iter().cloned());
        let slices = slices.chain(names.functions.iter().cloned()).chain(rounds);
        let mut interned = new();
        let entry = |number: u64, name: &str| new().number(1, number).bytes(2, name.as_bytes());
        for (number, name) in (1..).zip(CATEGORIES) {
            interned = interned.bytes(1, &entry(number, name).0);
        }
        for (number, name) in (1..).zip(slices) {
            interned = interned.bytes(2, &entry(number, &name).0);
        }
        for (number, name) in (1..).zip(ARGUMENTS) {
            interned = interned.bytes(3, &entry(number, name).0);
        }
        // sequence_flags SEQ_INCREMENTAL_STATE_CLEARED
        let first = new().bytes(12, &interned.0).raw(&SEQUENCE).number(13, 1);
        self.packet(&first);
        for (node, name) in (0..).zip(&names.nodes) {
            let process = new().number(1, node + 1).bytes(6, format!("node {name}").as_bytes());
            self.track(NODE_TRACKS + node, &new().bytes(3, &process.0));
        }
        self.rank_tracks(names);
        for link in &names.links {
            let name = format!("{} {} -> {}", link.kind, link.from, link.to);
            self.counter_track(LINK_TRACKS + u64::from(link.link), &name, "B/s");
        }
        for (nic, name) in &names.nics {
            self.counter_track(QUEUE_TRACKS + u64::from(*nic), &format!("queue of {name}"), "B");
        }
        for (file_system, target, name) in &names.targets {
            let uuid = target_track(*file_system, *target);
            self.counter_track(uuid, name, "B/s");
            self.counter_track(uuid + 1, &format!("backlog of {name}"), "ns");
        }
    }

    fn rank_tracks(&mut self, names: &Names) {
        let selected = &names.selected_ranks;
        let of_rank = &names.node_of_rank[..names.ranks as usize];
        for (rank, &node) in (0u32..).zip(of_rank) {
            if !selected.is_empty() && !selected.iter().any(|&(a, b)| (a..=b).contains(&rank)) {
                continue;
            }
            let (rank, node) = (u64::from(rank), u64::from(node));
            let thread = new().number(1, node + 1).number(2, rank + names.nodes.len() as u64 + 1);
            let thread = thread.bytes(5, format!("rank {rank}").as_bytes());
            let uuid = (rank + 1) << RANK_TRACKS;
            self.track(uuid, &new().bytes(4, &thread.0));
            self.child_track(uuid, MESSAGES, "messages");
            self.child_track(uuid, FIRST_LANE, "operations");
        }
    }

    fn child_track(&mut self, parent: u64, which: u64, name: &str) {
        self.track(parent + which, &new().number(5, parent).bytes(2, name.as_bytes()));
    }

    fn counter_track(&mut self, uuid: u64, name: &str, unit: &str) {
        let counter = new().bytes(6, unit.as_bytes());
        self.track(uuid, &new().bytes(2, name.as_bytes()).bytes(8, &counter.0));
    }

    /// A track descriptor.
    fn track(&mut self, uuid: u64, rest: &Message) {
        let descriptor = new().number(1, uuid).raw(&rest.0);
        self.packet(&new().bytes(60, &descriptor.0).raw(&SEQUENCE));
    }

    fn packet(&mut self, content: &Message) {
        self.buffer = std::mem::take(&mut self.buffer).bytes(1, &content.0);
        self.flush_full();
    }

    fn flush_full(&mut self) {
        if self.buffer.0.len() >= BUFFER {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if self.error.is_none() {
            self.error = self.out.write_all(&self.buffer.0).err();
        }
        self.buffer.0.clear();
    }

    fn record(&mut self, record: &Record) {
        match record.kind {
            kind::OPERATION | kind::CALL | kind::COMPUTE | kind::ROUND => self.slice(record),
            kind::MESSAGE => self.message(record),
            kind::LINK => self.link(record),
            kind::QUEUE => {
                self.counter(record.end, QUEUE_TRACKS + u64::from(record.rank), record.bytes);
            }
            kind::TARGET => self.target(record),
            _ => {}
        }
    }

    fn slice(&mut self, record: &Record) {
        let base = (u64::from(record.rank) + 1) << RANK_TRACKS;
        let lane = u64::from(record.lane);
        let op = u64::from(record.op);
        let (track, name, category) = match record.kind {
            kind::OPERATION => {
                (base + FIRST_LANE + lane, self.first_operation + op, category::OPERATION)
            }
            kind::CALL => (base, self.first_function + op, category::MPI),
            kind::ROUND => (base + FIRST_ROUNDS + lane, self.first_round + op, category::ROUND),
            _ => (base, COMPUTE, category::COMPUTE),
        };
        let is_round = record.kind == kind::ROUND;
        if is_round || record.kind == kind::OPERATION && lane > 0 {
            self.name_lane(track, if is_round { "rounds" } else { "operations" });
        }
        let (begin, end) = (record.begin, record.end);
        let event = &mut self.event;
        event.0.extend_from_slice(&[0x48, BEGIN, 0x58]);
        event.varint(track);
        event.0.push(0x50);
        event.varint(name);
        event.0.extend_from_slice(&[0x18, category]);
        event.argument(argument::DURATION, end - begin);
        if matches!(record.kind, kind::OPERATION | kind::CALL) {
            event.argument(argument::BYTES, record.bytes);
            event.argument(argument::WAITING, record.ready.clamp(begin, end) - begin);
        }
        if record.peer != NO_PEER {
            event.argument(argument::PEER, record.peer.into());
        }
        let is_atomic = record.kind == kind::OPERATION && self.atomic == Some(record.op);
        if is_round {
            event.argument(argument::ROUND, record.tag.max(0) as u64);
        } else if record.tag != -1 && !is_atomic {
            event.signed_argument(argument::TAG, record.tag);
        }
        if record.context != 0 {
            event.argument(argument::COMMUNICATOR, record.context.into());
        }
        self.put(begin);
        self.event.0.extend_from_slice(&[0x48, END, 0x58]);
        self.event.varint(track);
        self.put(end);
    }

    /// Describes the track of rounds, or of operations that overlap with others.
    fn name_lane(&mut self, track: u64, name: &str) {
        if self.lanes.insert(track) {
            let parent = track >> RANK_TRACKS << RANK_TRACKS;
            self.child_track(parent, track - parent, name);
        }
    }

    /// An instant at each end, with a flow from one to the other.
    fn message(&mut self, record: &Record) {
        self.flows += 1;
        // flow_ids is field 47, terminating_flow_ids field 48.
        let ends = [
            (record.begin, record.rank, record.peer, 2, [0xf9, 2]),
            (record.end, record.peer, record.rank, 3, [0x81, 3]),
        ];
        for (time, of, other, name, flow) in ends {
            let event = &mut self.event;
            event.0.extend_from_slice(&[0x48, INSTANT, 0x58]);
            event.varint(((u64::from(of) + 1) << RANK_TRACKS) + MESSAGES);
            event.0.extend_from_slice(&[0x50, name, 0x18, category::MESSAGE]);
            event.0.extend_from_slice(&flow);
            event.0.extend_from_slice(&self.flows.to_le_bytes());
            event.argument(argument::PEER, other.into());
            event.argument(argument::BYTES, record.bytes);
            if record.tag != -1 {
                event.signed_argument(argument::TAG, record.tag);
            }
            if record.flags & flag::COLLECTIVE != 0 {
                event.argument(argument::ROUND, record.op.into());
            }
            self.put(time);
        }
    }

    /// The mean rate of a link between two samples, then zero until the next record. There is no
    /// zero if the next record begins where this one ends.
    fn link(&mut self, record: &Record) {
        let track = LINK_TRACKS + u64::from(record.rank);
        let Some(end) = self.link_ends.get_mut(record.rank as usize) else { return };
        let last = std::mem::replace(end, record.end);
        if last != 0 && last != record.begin {
            self.counter(last, track, 0);
        }
        self.counter(record.begin, track, rate(record));
    }

    /// The rate of a storage target between two samples, and its backlog at the second.
    fn target(&mut self, record: &Record) {
        let track = target_track(record.op.into(), record.rank);
        self.counter(record.end, track, 0);
        self.counter(record.begin, track, rate(record));
        let backlog = record.ready.saturating_sub(record.end) / PS_PER_NS;
        self.counter(record.end, track + 1, backlog);
    }

    /// The value of a counter at a time.
    fn counter(&mut self, time: u64, track: u64, value: u64) {
        self.event.0.extend_from_slice(&[0x48, COUNTER, 0x58]);
        self.event.varint(track);
        self.event.0.extend_from_slice(&[0xf0, 1]);
        self.event.varint(value);
        self.put(time);
    }

    /// Ends the packet of `event`.
    fn put(&mut self, time: u64) {
        let time = time / PS_PER_NS;
        let n = self.event.0.len() as u64;
        let length = n + u64::from(width(n)) + u64::from(width(time)) + 6;
        let buffer = &mut self.buffer;
        buffer.0.push(0x0a);
        buffer.varint(length);
        buffer.0.push(0x40);
        buffer.varint(time);
        buffer.0.extend_from_slice(&SEQUENCE);
        buffer.0.extend_from_slice(&NEEDS_STATE);
        buffer.0.push(0x5a);
        buffer.varint(n);
        buffer.0.extend_from_slice(&self.event.0);
        self.event.0.clear();
        self.flush_full();
    }

    fn finish(mut self) -> io::Result<()> {
        for (track, end) in (LINK_TRACKS..).zip(std::mem::take(&mut self.link_ends)) {
            if end != 0 {
                self.counter(end, track, 0);
            }
        }
        self.flush();
        self.error.map_or(Ok(()), Err)
    }
}

/// The track of a storage target's rate; that of its backlog is the next one.
fn target_track(file_system: u32, target: u32) -> u64 {
    TARGET_TRACKS + (u64::from(file_system) << 33) + (u64::from(target) << 1)
}

/// Mean bytes per second.
fn rate(record: &Record) -> u64 {
    let span = (record.end - record.begin).max(1);
    (record.bytes as f64 * (1e12 / span as f64)).round_ties_even() as u64
}
