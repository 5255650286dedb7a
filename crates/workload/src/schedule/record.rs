//! A recorded run as columns, one row per call, and its conversion to a schedule.
//!
//! This is the format that odonata writes (docs/record-format.md). It keeps what other schedule
//! languages lose: collectives as such, communicators, send modes, and the matches of wildcards.
//! Columns are exchanged as bytes; the caller stores them as Parquet.

mod files;
mod matching;
mod recorder;

pub use recorder::Recorder;

use super::{
    Action, Builder, MAX_BYTES, MAX_COMPUTE, MAX_RANKS, Schedule, ScheduleError, ScheduleErrors,
};
use crate::wire::PRIVATE_CONTEXT;
use crate::{ANY_SOURCE, ANY_TAG, Context, FileId, NonContiguous, Op, SendMode, WORLD};
use base::Span;
use collectives::{Collective, Kind, Member, Ragged};
use matching::CollectiveMatching;
use std::collections::{BTreeMap, BTreeSet};

/// Longest transfer to or from storage: 1 PiB.
const MAX_STORED: u64 = 1 << 50;

macro_rules! columns {
    ($($(#[$doc:meta])* $name:ident: $type:ty,)*) => {
        /// The columns. Rows are sorted by rank, and are in the order of the rank's calls.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct Table { $($(#[$doc])* pub $name: Vec<$type>,)* }

        impl Table {
            /// Names and bytes of the values, little-endian.
            pub fn columns(&self) -> Vec<(&'static str, Vec<u8>)> {
                vec![$((
                    stringify!($name),
                    self.$name.iter().flat_map(|value| value.to_le_bytes()).collect(),
                )),*]
            }

            fn of_columns(input: &BTreeMap<String, Vec<u8>>, errors: &mut ScheduleErrors) -> Table {
                Table { $($name: {
                    let bytes = input.get(stringify!($name));
                    if bytes.is_none() {
                        let at = concat!("column ", stringify!($name));
                        errors.add(at, "none", "a column of that name");
                    }
                    let (values, _) = bytes.map_or(&[][..], Vec::as_slice).as_chunks();
                    values.iter().map(|value| <$type>::from_le_bytes(*value)).collect()
                }),* }
            }
        }
    };
}

columns! {
    rank: u32,
    /// Calls of a rank with the same number are made together.
    step: u32,
    /// An index into `OPS`.
    op: u8,
    /// Computation before the call.
    after_ps: u64,
    /// World rank of the other side; `u32::MAX` is any.
    peer: u32,
    tag: i32,
    context: u32,
    bytes: u64,
    /// Bytes returned by an access to another rank's memory. For packed data: bytes of the cache
    /// lines touched.
    back: u64,
    /// Length of a delay.
    span_ps: u64,
    /// The call meant, by its number in the rank: a probe whose message is received, a receive that
    /// is canceled. For packed data: the mean size of a run of like values, in units of 1 / `PARTS`
    /// bytes.
    other: u32,
    root: u32,
    /// Bytes of an element of a reduction. For packed data: the mean size of a value, in the same
    /// unit.
    grain: u64,
    flags: u8,
    /// End of the row's entries in `needs`.
    needs_end: u32,
    /// Calls that the step needs, by their numbers in the rank; on the first row of a step.
    needs: u32,
    /// End of the row's entries in `lengths`.
    lengths_end: u32,
    /// Block lengths of a collective with unequal blocks. The arguments of a call on a file.
    lengths: u64,
}

/// Bits of `flags`: wildcards as posted, and properties of a reduction's operator.
pub mod flag {
    pub const ANY_SOURCE: u8 = 1;
    pub const ANY_TAG: u8 = 2;
    pub const COMMUTATIVE: u8 = 4;
    pub const BUILTIN: u8 = 8;
}

/// Operations other than collectives.
const PLAIN: [&str; 49] = [
    "pause",
    "delay",
    "send",
    "ssend",
    "bsend",
    "recv",
    "probe",
    "mprobe",
    "iprobe",
    "mrecv",
    "cancel",
    "access",
    "atomic",
    "lock",
    "lock_shared",
    "unlock",
    "read",
    "write",
    "exit",
    "register",
    "deregister",
    "packs",
    "unpacks",
    "file_open",
    "file_close",
    "file_read",
    "file_write",
    "file_sync",
    "file_stat",
    "file_read_directory",
    "file_mkdir",
    "file_rmdir",
    "file_unlink",
    "file_rename",
    "file_link",
    "file_symlink",
    "file_read_link",
    "file_set_attributes",
    "file_truncate",
    "file_allocate",
    "file_get_xattr",
    "file_set_xattr",
    "file_statfs",
    "file_lock",
    "file_set_layout",
    "file_get_layout",
    "file_sync_all",
    "file_lookup",
    "file_layout",
];

/// Names of all operations: those above, then those of the collectives.
pub fn ops() -> Vec<&'static str> {
    PLAIN.into_iter().chain(Kind::ALL.map(Kind::name)).collect()
}

/// A record to be read.
pub struct RecordInput<'a> {
    pub ranks: u64,
    /// Members of every communicator but the world, as world ranks.
    pub communicators: &'a BTreeMap<Context, Vec<u32>>,
    /// The names of the codes in the column `op`.
    pub ops: &'a [String],
    pub columns: &'a BTreeMap<String, Vec<u8>>,
}

/// Reads a record. `Err` has all errors.
pub fn read(input: &RecordInput<'_>) -> Result<Schedule, Vec<ScheduleError>> {
    let mut errors = ScheduleErrors::default();
    let table = Table::of_columns(input.columns, &mut errors);
    if !(1..=u64::from(MAX_RANKS)).contains(&input.ranks) {
        errors.add("ranks", input.ranks.to_string(), "a number of ranks, 1 to 16777216");
    }
    let ops: Vec<Option<usize>> = input.ops.iter().map(|name| code(name)).collect();
    for (name, _) in input.ops.iter().zip(&ops).filter(|(_, code)| code.is_none()) {
        errors.add("column op", name, &format!("one of {}", self::ops().join(", ")));
    }
    table.check_lengths(&mut errors);
    if !errors.is_empty() {
        return errors.finish(()).map(|()| unreachable!("there are faults"));
    }
    let ranks = input.ranks as u32;
    let mut positions = BTreeMap::new();
    for (context, members) in input.communicators {
        positions.insert(*context, member_positions(ranks, *context, members, &mut errors));
    }
    let mut reader = Reader {
        table: &table,
        ops: &ops,
        ranks,
        positions,
        builder: Builder::new(),
        matching: CollectiveMatching::default(),
        taken: BTreeSet::new(),
        files: Vec::new(),
        errors,
    };
    reader.read();
    let Reader { builder, matching, mut errors, .. } = reader;
    let cases = matching.check(&mut errors);
    if !errors.is_empty() {
        return errors.finish(()).map(|()| unreachable!("there are faults"));
    }
    errors.finish(builder.build(input.communicators.clone(), cases))
}

/// Mean sizes of packed data are stored in units of 1 / `PARTS` bytes. They are exact where up to
/// ten values or runs have that many bytes together.
const PARTS: u64 = 5040;

/// The mean of `bytes` over `n`, at most `most`; 0 if `n` is 0.
fn mean(bytes: u64, n: u64, most: u64) -> u64 {
    nearest(bytes, PARTS, n).min(most)
}

/// The number with such a mean.
fn of_mean(bytes: u64, mean: u64) -> u64 {
    nearest(bytes, PARTS, mean)
}

/// `a * b / c`; 0 if `c` is.
fn nearest(a: u64, b: u64, c: u64) -> u64 {
    let (product, c) = (u128::from(a) * u128::from(b), u128::from(c));
    (product + c / 2).checked_div(c).unwrap_or(0).min(u64::MAX.into()) as u64
}

fn code(name: &str) -> Option<usize> {
    ops().iter().position(|&known| known == name)
}

/// Members and their positions in a communicator, by rank; adds errors about them.
fn member_positions(
    ranks: u32,
    context: Context,
    members: &[u32],
    errors: &mut ScheduleErrors,
) -> Vec<(u32, u32)> {
    let at = format!("communicator {context}");
    if context == WORLD || context & PRIVATE_CONTEXT != 0 {
        errors.add(&at, context.to_string(), "a number from 1 to 1073741823");
    }
    if let Some(rank) = members.iter().find(|&&rank| rank >= ranks) {
        errors.add(&at, format!("member {rank}"), &format!("a rank below {ranks}"));
    }
    let mut positions: Vec<(u32, u32)> = members.iter().copied().zip(0..).collect();
    positions.sort_unstable();
    if let Some(pair) = positions.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        errors.add(at, format!("member {} twice", pair[0].0), "members that differ");
    }
    positions
}

impl Table {
    pub fn rows(&self) -> usize {
        self.rank.len()
    }

    /// Checks that all columns have equal numbers of rows, and that lists lie within theirs.
    fn check_lengths(&self, errors: &mut ScheduleErrors) {
        let rows = self.rows();
        let lengths = [
            ("step", self.step.len()),
            ("op", self.op.len()),
            ("after_ps", self.after_ps.len()),
            ("peer", self.peer.len()),
            ("tag", self.tag.len()),
            ("context", self.context.len()),
            ("bytes", self.bytes.len()),
            ("back", self.back.len()),
            ("span_ps", self.span_ps.len()),
            ("other", self.other.len()),
            ("root", self.root.len()),
            ("grain", self.grain.len()),
            ("flags", self.flags.len()),
            ("needs_end", self.needs_end.len()),
            ("lengths_end", self.lengths_end.len()),
        ];
        for (name, len) in lengths {
            if len != rows {
                let expected = format!("{rows}, as many as column rank has");
                errors.add(format!("column {name}"), format!("{len} rows"), &expected);
            }
        }
        let ends = [
            ("needs", &self.needs_end, self.needs.len()),
            ("lengths", &self.lengths_end, self.lengths.len()),
        ];
        for (name, ends, len) in ends {
            if !ends.is_sorted() || ends.last().is_some_and(|&end| end as usize != len) {
                let found = "lists that are not consecutive";
                errors.add(format!("column {name}"), found, "a list in every row");
            }
        }
        if rows >= u32::MAX as usize {
            errors.add("rows", rows.to_string(), "fewer than 2^32");
        }
    }

    fn needs_of(&self, row: usize) -> &[u32] {
        &self.needs[of_row(&self.needs_end, row)]
    }
    fn lengths_of(&self, row: usize) -> &[u64] {
        &self.lengths[of_row(&self.lengths_end, row)]
    }
}

fn of_row(ends: &[u32], row: usize) -> std::ops::Range<usize> {
    let first = row.checked_sub(1).map_or(0, |before| ends[before] as usize);
    first..ends[row] as usize
}

struct Reader<'a> {
    table: &'a Table,
    ops: &'a [Option<usize>],
    ranks: u32,
    /// By communicator: its members, sorted, and their positions.
    positions: BTreeMap<Context, Vec<(u32, u32)>>,
    builder: Builder,
    matching: CollectiveMatching,
    /// Rows of probes whose messages have been received.
    taken: BTreeSet<usize>,
    /// Files and the rows that name them.
    files: Vec<(FileId, usize)>,
    errors: ScheduleErrors,
}

impl Reader<'_> {
    fn read(&mut self) {
        let t = self.table;
        let mut next_rank = 0;
        // Of the current rank: its first call, and the first call of its current step.
        let (mut base, mut first, mut computed) = (0, 0, 0u64);
        for row in 0..t.rows() {
            let rank = t.rank[row];
            if rank >= self.ranks || rank + 1 < next_rank {
                let expected =
                    format!("a rank below {}, and rows in the order of ranks", self.ranks);
                return self.error(row, format!("rank {rank}"), &expected);
            }
            let is_new = rank >= next_rank;
            while next_rank <= rank {
                self.builder.begin_rank();
                next_rank += 1;
            }
            if is_new {
                (base, computed) = (row, 0);
            }
            let number = t.step[row];
            let begins = is_new || number != t.step[row - 1];
            if begins {
                let expected = if is_new { 0 } else { t.step[row - 1].wrapping_add(1) };
                if number != expected {
                    return self.error(row, format!("step {number}"), &format!("step {expected}"));
                }
                first = row - base;
                let step = self.builder.begin_step();
                for &call in t.needs_of(row) {
                    if call as usize >= first {
                        let expected = "calls of earlier steps of its rank";
                        self.error(row, format!("needs call {call}"), expected);
                    } else if self.never_completes(base + call as usize) {
                        let expected = "calls that complete; notifications do not";
                        self.error(row, format!("needs call {call}"), expected);
                    } else {
                        self.builder.need(base as u32 + call, step);
                    }
                }
            } else if !t.needs_of(row).is_empty() {
                self.error(row, "needs", "none but on the first row of a step");
            }
            computed = computed.saturating_add(t.after_ps[row]).saturating_add(t.span_ps[row]);
            if computed > MAX_COMPUTE.0 {
                let expected = "computation of at most 50 days in all of one rank";
                return self.error(row, format!("{} ps", t.after_ps[row]), expected);
            }
            let action = self.action(row, base, first);
            self.builder.call(Span(t.after_ps[row]), action);
        }
        while next_rank < self.ranks {
            self.builder.begin_rank();
            next_rank += 1;
        }
        // Tables are indexed by file, so numbers have no large gaps.
        let most = self.files.len() as u64;
        if let Some(&(file, row)) = self.files.iter().find(|file| u64::from(file.0) >= most.max(1))
        {
            let expected = "files that are numbered from 0 in the order of their first use";
            self.error(row, format!("file {file}"), expected);
        }
    }

    /// Whether the row's call never completes, so that no step can wait for it.
    fn never_completes(&self, row: usize) -> bool {
        let code = self.ops.get(self.table.op[row] as usize).copied().flatten();
        let name = code.and_then(|code| PLAIN.get(code));
        matches!(
            name,
            Some(
                &"register"
                    | &"deregister"
                    | &"packs"
                    | &"unpacks"
                    | &"file_lookup"
                    | &"file_layout"
            )
        )
    }

    fn error(&mut self, row: usize, found: impl Into<String>, expected: &str) {
        self.errors.add(format!("row {row}"), found, expected);
    }

    fn action(&mut self, row: usize, base: usize, first: usize) -> Action {
        let t = self.table;
        let Some(code) = self.ops.get(t.op[row] as usize).copied().flatten() else {
            self.error(row, format!("operation {}", t.op[row]), "a named operation");
            return Action::Pause;
        };
        let (peer, tag, context, bytes) = (t.peer[row], t.tag[row], t.context[row], t.bytes[row]);
        let name = PLAIN.get(code).copied();
        let stores = name.is_some_and(|n| matches!(n, "read" | "write") || n.starts_with("file_"));
        let most = if stores { MAX_STORED } else { MAX_BYTES };
        if bytes.max(t.back[row]) > most {
            let expected = format!("at most {most} bytes");
            self.error(row, format!("{} B", bytes.max(t.back[row])), &expected);
            return Action::Pause;
        }
        let Some(name) = name else {
            return self.collective(row, Kind::ALL[code - PLAIN.len()]);
        };
        let has_peer = matches!(name, "send" | "ssend" | "bsend" | "access" | "atomic" | "unlock")
            || name.starts_with("lock");
        let may_be_any = matches!(name, "recv" | "probe" | "mprobe" | "iprobe");
        if (has_peer || may_be_any && peer != ANY_SOURCE) && peer >= self.ranks {
            self.error(row, format!("peer {peer}"), &format!("a rank below {}", self.ranks));
            return Action::Pause;
        }
        let mode = match name {
            "ssend" => SendMode::Synchronous,
            "bsend" => SendMode::Buffered,
            _ => SendMode::Standard,
        };
        let probe = |wait, take| Op::Probe { from: peer, context, tag, wait, take };
        let op = match name {
            "pause" => return Action::Pause,
            "delay" => return Action::Delay { span: Span(t.span_ps[row]) },
            "send" | "ssend" | "bsend" => {
                if tag == ANY_TAG {
                    self.error(row, "a send with any tag", "its tag");
                }
                return Action::Send { to: peer, context, tag, bytes, mode };
            }
            "recv" => return Action::Recv { from: peer, context, tag, bytes },
            "probe" => probe(true, false),
            "mprobe" => probe(true, true),
            "iprobe" => probe(false, false),
            "mrecv" => return self.received_later(row, base, first),
            "cancel" => {
                let other = t.other[row];
                if other as usize >= row - base {
                    self.error(row, format!("call {other}"), "an earlier call of its rank");
                }
                Op::Cancel { token: other }
            }
            "access" | "atomic" => Op::OneSided {
                to: peer,
                context,
                request_bytes: bytes,
                response_bytes: t.back[row],
                atomic: name == "atomic",
            },
            "lock" | "lock_shared" => Op::Lock { context, to: peer, exclusive: name == "lock" },
            "unlock" => Op::Unlock { context, to: peer },
            "read" | "write" => Op::Storage { bytes, write: name == "write" },
            "register" | "deregister" => {
                Op::Region { held: name == "register", optimized: t.other[row] != 0 }
            }
            "packs" | "unpacks" => return self.layout(row, name),
            _ if name.starts_with("file_") => match files::read(name, bytes, t.lengths_of(row)) {
                Ok(op) => {
                    self.files.extend(files::numbers(&op).map(|file| (file, row)));
                    op
                }
                Err((found, expected)) => {
                    self.error(row, found, expected);
                    return Action::Pause;
                }
            },
            _ => Op::Exit,
        };
        self.builder.other(op)
    }

    /// The layout of the next call's data.
    fn layout(&mut self, row: usize, name: &str) -> Action {
        let t = self.table;
        let (bytes, touched) = (t.bytes[row], t.back[row]);
        let values = of_mean(bytes, t.grain[row]);
        let members = of_mean(bytes, t.other[row].into());
        let layout = NonContiguous { bytes, touched, values, members };
        if !layout.is_valid() {
            let expected = "at most 64 GiB, a line of 64 B for every byte, and values of a byte";
            let found =
                format!("{bytes} B in lines of {touched} B, {values} values, {members} runs");
            self.error(row, found, expected);
        }
        // The layout of the call's other side may stand between the two.
        let other_side = if name == "packs" { "unpacks" } else { "packs" };
        let behind = |at: usize| {
            let is_there = at < t.rows() && t.rank[at] == t.rank[row] && t.step[at] == t.step[row];
            if is_there { self.ops.get(t.op[at] as usize).copied().flatten() } else { None }
        };
        let mut next = behind(row + 1);
        if next == code(other_side) {
            next = behind(row + 2);
        }
        let has_data = next.is_some_and(|next| match PLAIN.get(next) {
            Some(&("send" | "ssend" | "bsend")) => name == "packs",
            Some(&("recv" | "mrecv")) => name == "unpacks",
            Some(&plain) => matches!(plain, "access" | "atomic"),
            None => Kind::ALL[next - PLAIN.len()] != Kind::Barrier,
        });
        if !has_data {
            let moves = if name == "packs" { "sends" } else { "receives" };
            let expected = format!("a following call in its step that {moves} data");
            self.error(row, name, &expected);
        }
        let op = if name == "packs" { Op::SendLayout(layout) } else { Op::RecvLayout(layout) };
        self.builder.other(op)
    }

    /// Receives the message that a probe has set aside. The step waits for the probe, beside its
    /// other dependencies.
    fn received_later(&mut self, row: usize, base: usize, first: usize) -> Action {
        let t = self.table;
        let other = t.other[row] as usize;
        let is_probe = other < first && {
            let code = self.ops.get(t.op[base + other] as usize).copied().flatten();
            code == self::code("mprobe")
        };
        if !is_probe || !self.taken.insert(base + other) {
            let expected = "an `mprobe` of an earlier step that no other `mrecv` has received";
            self.error(row, format!("call {other}"), expected);
            return Action::Pause;
        }
        let step = self.builder.needs.len() as u32 - 1;
        self.builder.need((base + other) as u32, step);
        self.builder.other(Op::MatchedRecv { probe: other as u32, bytes: t.bytes[row] })
    }

    fn collective(&mut self, row: usize, kind: Kind) -> Action {
        let t = self.table;
        let (rank, context) = (t.rank[row], t.context[row]);
        let member = match (context, self.positions.get(&context)) {
            (WORLD, _) => Some(Member { rank, size: self.ranks }),
            (_, Some(positions)) => positions
                .binary_search_by_key(&rank, |member| member.0)
                .ok()
                .map(|at| Member { rank: positions[at].1, size: positions.len() as u32 }),
            (_, None) => None,
        };
        let Some(member) = member else {
            let expected = format!("a communicator that rank {rank} is a member of");
            self.error(row, format!("communicator {context}"), &expected);
            return Action::Pause;
        };
        let lengths = t.lengths_of(row);
        let call = Collective {
            kind,
            algorithm: kind.algorithms()[0],
            member,
            root: t.root[row],
            bytes: t.bytes[row],
            grain: t.grain[row],
            ragged: (!lengths.is_empty()).then(|| Ragged::from(lengths)),
            nodes: None,
        };
        if let Err((found, expected)) = matching::check_call(&call) {
            self.error(row, found, expected);
            return Action::Pause;
        }
        let flags = t.flags[row];
        let commutative = !kind.reduces() || flags & flag::COMMUTATIVE != 0;
        let case = call.case(commutative, !kind.reduces() || flags & flag::BUILTIN != 0);
        let action = self.builder.other(Op::Collective { context, call: call.clone() });
        let Action::Other(at) = action else { unreachable!("`other` returns it") };
        self.matching.join(row, context, at, call, case);
        action
    }
}

#[cfg(test)]
mod tests;
