//! Reads the records of a timeline (`docs/timelines.md`), one after another.

use serde::Deserialize;
use sim::timeline::{MAGIC, RECORD};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// Longest footer, bytes.
const MAX_FOOTER: u64 = 1 << 30;
/// Numbers of links are below it; tables are indexed by them.
const MAX_LINK: u32 = 1 << 26;
/// Records that are read at once.
const CHUNK: usize = 1 << 14;

/// Names of what records have by number.
#[derive(Debug, Deserialize)]
pub struct Names {
    pub time_s: f64,
    pub ranks: u32,
    pub nodes: Vec<String>,
    pub node_of_rank: Vec<u32>,
    pub operations: Vec<String>,
    pub functions: Vec<String>,
    pub links: Vec<LinkName>,
    pub nics: Vec<(u32, String)>,
    pub targets: Vec<(u32, u32, String)>,
    pub communicators: Vec<(u32, Vec<u32>)>,
    pub window_s: Option<(f64, f64)>,
    pub selected_ranks: Vec<(u32, u32)>,
    pub counts: CallCount,
}

#[derive(Debug, Deserialize)]
pub struct LinkName {
    pub link: u32,
    pub from: String,
    pub to: String,
    pub kind: String,
    pub bytes_per_s: f64,
}

#[derive(Debug, Deserialize)]
pub struct CallCount {
    pub calls: u64,
}

/// Kinds of records, as `sim::timeline::RecordKind` numbers them.
pub mod kind {
    use sim::timeline::RecordKind;

    pub const OPERATION: u8 = RecordKind::Operation as u8;
    pub const CALL: u8 = RecordKind::Call as u8;
    pub const MESSAGE: u8 = RecordKind::Message as u8;
    pub const LINK: u8 = RecordKind::Link as u8;
    pub const COMPUTE: u8 = RecordKind::Compute as u8;
    pub const ROUND: u8 = RecordKind::Round as u8;
    pub const QUEUE: u8 = RecordKind::Queue as u8;
    pub const TARGET: u8 = RecordKind::Target as u8;
}

/// One record. Times are picoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    pub kind: u8,
    pub lane: u8,
    pub op: u16,
    pub rank: u32,
    pub begin: u64,
    pub end: u64,
    pub ready: u64,
    pub bytes: u64,
    pub peer: u32,
    pub tag: i32,
    pub context: u32,
    pub flags: u32,
}

impl Record {
    fn of(bytes: &[u8; RECORD]) -> Record {
        let long = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"));
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"));
        Record {
            kind: bytes[0],
            lane: bytes[1],
            op: u16::from_le_bytes([bytes[2], bytes[3]]),
            rank: word(4),
            begin: long(8),
            end: long(16),
            ready: long(24),
            bytes: long(32),
            peer: word(40),
            tag: word(44) as i32,
            context: word(48),
            flags: word(52),
        }
    }
}

/// A timeline that a run has completed.
pub struct TimelineFile {
    file: File,
    pub names: Names,
    records: u64,
}

impl Names {
    /// One more than the highest number of a link.
    pub fn link_numbers(&self) -> usize {
        self.links.last().map_or(0, |last| last.link as usize + 1)
    }
}

impl TimelineFile {
    pub fn open(path: &Path) -> io::Result<TimelineFile> {
        let damaged = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_string());
        let mut file = File::open(path)?;
        let size = file.metadata()?.len();
        let mut magic = [0; MAGIC.len()];
        let least = MAGIC.len() as u64 + 8;
        if size < least || file.read_exact(&mut magic).is_err() || &magic != MAGIC {
            return Err(damaged("no timeline of odonata"));
        }
        let mut length = [0; 8];
        file.seek(SeekFrom::End(-8))?;
        file.read_exact(&mut length)?;
        let length = u64::from_le_bytes(length);
        let rest = (size - least).checked_sub(length).filter(|_| length <= MAX_FOOTER);
        let Some(rest) = rest.filter(|rest| rest % RECORD as u64 == 0) else {
            return Err(damaged("a timeline that was not completed"));
        };
        let mut footer = vec![0; length as usize];
        file.seek(SeekFrom::Start(MAGIC.len() as u64 + rest))?;
        file.read_exact(&mut footer)?;
        let names: Names = serde_json::from_slice(&footer)
            .map_err(|_| damaged("a timeline with a damaged end"))?;
        let is_sorted = names.links.is_sorted_by(|a, b| a.link < b.link);
        if !is_sorted || names.links.last().is_some_and(|last| last.link >= MAX_LINK) {
            return Err(damaged("a timeline with damaged links"));
        }
        if names.node_of_rank.len() < names.ranks as usize
            || names.node_of_rank.iter().any(|&node| node as usize >= names.nodes.len())
        {
            return Err(damaged("a timeline with a damaged end"));
        }
        Ok(TimelineFile { file, names, records: rest / RECORD as u64 })
    }

    /// Calls `each` with the records, in the order in which they ended, up to its first error.
    /// `go_on` is called from time to time; if it is false, the error is `Interrupted`. A record of
    /// a rank that the run does not have is an error, and one that ends before it begins.
    pub fn records(
        &mut self,
        go_on: &mut dyn FnMut() -> bool,
        mut each: impl FnMut(&Names, &Record) -> io::Result<()>,
    ) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(MAGIC.len() as u64))?;
        let mut chunk = vec![0; CHUNK * RECORD];
        let mut left = self.records;
        while left > 0 {
            if !go_on() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let some = left.min(CHUNK as u64) as usize;
            let part = &mut chunk[..some * RECORD];
            self.file.read_exact(part)?;
            for bytes in part.as_chunks::<RECORD>().0 {
                let record = Record::of(bytes);
                self.check(&record)?;
                each(&self.names, &record)?;
            }
            left -= some as u64;
        }
        Ok(())
    }

    fn check(&self, record: &Record) -> io::Result<()> {
        let names = &self.names;
        let is_valid = match record.kind {
            kind::OPERATION | kind::ROUND => {
                record.rank < names.ranks && usize::from(record.op) < names.operations.len()
            }
            kind::CALL => {
                record.rank < names.ranks && usize::from(record.op) < names.functions.len()
            }
            kind::MESSAGE => record.rank < names.ranks && record.peer < names.ranks,
            kind::COMPUTE => record.rank < names.ranks,
            _ => true,
        };
        match is_valid && record.begin <= record.end {
            true => Ok(()),
            false => Err(io::Error::new(io::ErrorKind::InvalidData, "a damaged record")),
        }
    }
}
