//! GOAL in the binary format of `txt2bin`: little-endian, without alignment.
//!
//! | offset | content |
//! |---|---|
//! | 0 | 4223 in 64 bits |
//! | 8 | ranks in 32 bits, largest cpu and NIC in 8 bits each |
//! | 14 | for each rank, begin and end of its part: 64 bits each, relative to byte 8 |
//!
//! A part consists of: the numbers of operations and of those without dependencies, 32 bits each;
//! the indices of the latter; one record per operation; the indices to which records refer.
//!
//! A record (39 bytes) has the completions it waits for (32 bits), its kind (8: 1 send, 2 recv, 3
//! calc), peer (32), size (64), tag (32), cpu (8) and NIC (8). Then follow, for operations that
//! need its end and for those that need its begin, their number and the position of their indices
//! at the end of the part (32 bits each).
//!
//! Parts must not overlap, and neither must those lists; otherwise a short file could expand beyond
//! any memory.

use super::{Edge, GoalOp, OpKind, RankOps, ScheduleErrors, is_valid_rank_count};

const MAGIC: u64 = 4223;
/// Byte to which offsets in the file are relative.
const ORIGIN: usize = 8;
const RECORD: usize = 39;

pub(super) fn is_binary(file: &[u8]) -> bool {
    file.get(..8) == Some(&MAGIC.to_le_bytes())
}

/// Reads integers from bytes whose length has been checked.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (head, rest) = self.0.split_first_chunk().expect("looked at how long it is");
        self.0 = rest;
        *head
    }
    fn u8(&mut self) -> u8 {
        self.take::<1>()[0]
    }
    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }
    fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }
}

pub(super) fn read(file: &[u8], errors: &mut ScheduleErrors) -> Vec<RankOps> {
    let body = &file[ORIGIN..];
    if body.len() < 6 {
        errors.add("byte 8", "the end of the file", "the number of ranks");
        return Vec::new();
    }
    let ranks = Fields(body).u32();
    if !is_valid_rank_count(u64::from(ranks), "byte 8", errors) {
        return Vec::new();
    }
    let table = 6..6 + 16 * ranks as usize;
    let Some(table) = body.get(table) else {
        let expected = format!("where the parts of {ranks} ranks begin and end");
        errors.add("byte 14", "the end of the file", &expected);
        return Vec::new();
    };
    let mut parts = Vec::with_capacity(ranks as usize);
    let mut left = body.len();
    for (rank, entry) in table.chunks_exact(16).enumerate() {
        let (from, to) = (Fields(entry).u64(), Fields(&entry[8..]).u64());
        let stretch = usize::try_from(from).ok().zip(usize::try_from(to).ok());
        let part = match stretch.and_then(|(from, to)| body.get(from..to)) {
            Some(bytes) if bytes.len() > left => {
                let found = format!("bytes {from} to {to}");
                errors.add(format!("rank {rank}"), found, "parts that do not overlap");
                return parts;
            }
            Some(bytes) => {
                left -= bytes.len();
                part(rank, bytes, errors)
            }
            None => {
                let found = format!("bytes {from} to {to} of {}", body.len());
                errors.add(format!("rank {rank}"), found, "a part that lies inside the file");
                RankOps::default()
            }
        };
        parts.push(part);
    }
    parts
}

fn part(rank: usize, bytes: &[u8], errors: &mut ScheduleErrors) -> RankOps {
    let at = format!("rank {rank}");
    let mut part = RankOps::default();
    if bytes.len() < 8 {
        let found = format!("{} bytes", bytes.len());
        errors.add(at, found, "at least 8 bytes: how many operations there are");
        return part;
    }
    let (n, roots) = (Fields(bytes).u32() as usize, Fields(&bytes[4..]).u32() as usize);
    let records = 8 + 4 * roots;
    let numbers = records + RECORD * n;
    if numbers > bytes.len() {
        let found = format!("{} bytes", bytes.len());
        errors.add(at, found, &format!("{n} operations, which take {numbers} bytes or more"));
        return part;
    }
    let list = &bytes[numbers..];
    let mut left = list.len() / 4;
    let mut waits = vec![0u32; n];
    for (op, record) in bytes[records..numbers].chunks_exact(RECORD).enumerate() {
        let mut fields = Fields(record);
        waits[op] = fields.u32();
        let kind = match fields.u8() {
            1 => OpKind::Send,
            2 => OpKind::Recv,
            code => {
                if code != 3 {
                    let expected = "1 (send), 2 (recv) or 3 (calc)";
                    errors.add(format!("{at}, operation {op}"), format!("kind {code}"), expected);
                }
                OpKind::Calc
            }
        };
        let (peer, size, tag) = (fields.u32(), fields.u64(), fields.u32());
        let (cpu, nic) = (fields.u8(), fields.u8());
        part.ops.push(GoalOp { kind, cpu, nic, peer, tag, size, position: op as u32 });
        for needs_begin_only in [false, true] {
            let (count, first) = (fields.u32() as usize, fields.u32() as usize);
            if count == 0 {
                continue;
            }
            let Some(stretch) = list.get(4 * first..4 * (first + count)) else {
                let found = format!("{count} numbers from place {first}");
                let expected = format!("places below {}, as many as there are", list.len() / 4);
                errors.add(format!("{at}, operation {op}"), found, &expected);
                continue;
            };
            if count > left {
                let found = format!("{count} numbers from place {first}");
                errors.add(format!("{at}, operation {op}"), found, "lists that do not overlap");
                return part;
            }
            left -= count;
            for number in stretch.chunks_exact(4) {
                let dependent = Fields(number).u32();
                if dependent as usize >= n {
                    let found = format!("operation {dependent} needs it");
                    let expected = format!("an operation below {n}, as many as there are");
                    errors.add(format!("{at}, operation {op}"), found, &expected);
                    continue;
                }
                part.edges.push(Edge { op: dependent, needed: op as u32, needs_begin_only });
            }
        }
    }
    let mut found = vec![0u32; n];
    for edge in &part.edges {
        found[edge.op as usize] += 1;
    }
    for (op, (waits, found)) in waits.iter().zip(&found).enumerate() {
        if waits != found && errors.is_empty() {
            let found = format!("{found} that it needs");
            errors.add(format!("{at}, operation {op}"), found, &format!("{waits}, as it says"));
        }
    }
    part
}
