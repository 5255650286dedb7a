//! Accounts of calls: per file, and per phase.
//!
//! A phase is a period of calls of one class. A call starts a new phase if its rank has called in
//! the last one, and no call of the class is in progress or has ended recently. Recent is within
//! `PAUSE`, and within the time that the phase has lasted.

use super::outcome::{CallClass, ClassTotals, FileTotals, IoPhase};
use super::rates::{Counted, Rates};
use base::{Span, Time};
use workload::{FileCall, FileCallKind, FileId};

/// Shorter pauses do not end a phase.
const PAUSE: Span = Span::ms(1);

/// Phases per class. Calls after the last one count as part of it.
const MAX_PHASES: usize = 64;

#[derive(Default)]
pub struct Accounts {
    /// By file: its entry in `files`.
    numbers: Vec<u32>,
    files: Vec<FileTotals>,
    classes: [Class; CallClass::ALL.len()],
    pub rates: Rates,
}

/// Calls of one class.
#[derive(Default)]
struct Class {
    /// In the order of their starts.
    phases: Vec<IoPhase>,
    in_progress: u64,
    /// By rank: number of the last phase in which it made a call.
    ranks: Vec<u8>,
}

/// Further files have an entry only if their data are read or written.
const MAX_FILES: usize = 1 << 16;

/// Number of a file without an entry.
const NONE: u32 = u32::MAX;

impl Accounts {
    pub fn begin(&mut self, now: Time, rank: u32, call: &FileCall) {
        let class = CallClass::of(call.kind);
        let Class { phases, in_progress, ranks } = &mut self.classes[class as usize];
        let rank = rank as usize;
        if rank >= ranks.len() {
            ranks.resize(rank + 1, 0);
        }
        let is_new = phases.last().is_none_or(|last| {
            let pause = PAUSE.max(last.end.since(last.start));
            let has_called = ranks[rank] as usize == phases.len();
            let is_over = *in_progress == 0 && now.since(last.end) > pause;
            has_called && is_over && phases.len() < MAX_PHASES
        });
        if is_new {
            phases.push(IoPhase { class, start: now, end: now, totals: ClassTotals::default() });
        }
        ranks[rank] = phases.len() as u8;
        *in_progress += 1;
    }

    /// A call that began at `began` completes at `end`.
    pub fn end(&mut self, began: Time, end: Time, call: &FileCall, error: i32) {
        let class = CallClass::of(call.kind);
        let is_data = matches!(call.kind, FileCallKind::Read | FileCallKind::Write) && error == 0;
        let left = call.size.saturating_sub(call.offset);
        let bytes = match call.kind {
            _ if !is_data => 0,
            // A read beyond the end of the file moves less than it requests.
            FileCallKind::Read => call.bytes.min(left),
            _ => call.bytes,
        };
        let Class { phases, in_progress, .. } = &mut self.classes[class as usize];
        *in_progress -= 1;
        let phase = phases.last_mut().expect("the call began in a phase");
        phase.end = phase.end.max(end);
        phase.totals.add(bytes, end.since(began), error);
        if is_data {
            let is_read = call.kind == FileCallKind::Read;
            let counted = if is_read { Counted::Read } else { Counted::Written };
            self.rates.spread((began, end), counted, bytes);
            let file = self.file(call.file);
            let totals = if is_read { &mut file.read } else { &mut file.written };
            totals.add(bytes, end.since(began), error);
            file.start = file.start.min(began);
            file.end = file.end.max(end);
        } else if self.files.len() < MAX_FILES || self.has(call.file) {
            let file = self.file(call.file);
            let totals = match class {
                CallClass::Lock => &mut file.locks,
                _ => &mut file.metadata,
            };
            totals.add(0, end.since(began), error);
        }
    }

    fn has(&self, file: FileId) -> bool {
        self.numbers.get(file as usize).is_some_and(|&number| number != NONE)
    }

    fn file(&mut self, file: FileId) -> &mut FileTotals {
        let at = file as usize;
        if at >= self.numbers.len() {
            self.numbers.resize(at + 1, NONE);
        }
        if self.numbers[at] == NONE {
            self.numbers[at] = self.files.len() as u32;
            self.files.push(FileTotals::new(file));
        }
        &mut self.files[self.numbers[at] as usize]
    }

    /// Files with data, by number.
    pub fn files(&self) -> Vec<FileTotals> {
        let with_data = |file: &&FileTotals| file.read.operations + file.written.operations > 0;
        let mut files: Vec<FileTotals> = self.files.iter().filter(with_data).copied().collect();
        files.sort_by_key(|file| file.file);
        files
    }

    /// All phases, in the order of their starts.
    pub fn phases(&self) -> Vec<IoPhase> {
        let phases = self.classes.iter().flat_map(|class| &class.phases);
        let mut phases: Vec<IoPhase> = phases.copied().collect();
        phases.sort_by_key(|phase| (phase.start, phase.class as u8));
        phases
    }
}

impl ClassTotals {
    fn add(&mut self, bytes: u64, span: Span, error: i32) {
        self.operations += 1;
        self.bytes += bytes;
        self.time += span;
        self.errors += u64::from(error != 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(file: FileId, bytes: u64) -> FileCall {
        FileCall {
            kind: FileCallKind::Write,
            file_system: 0,
            flags: 0,
            file,
            parent: 0,
            other: 0,
            name: 0,
            offset: 0,
            bytes,
            size: 0,
        }
    }

    const MS: u64 = 1_000_000_000;

    /// Two writes in a row are one phase, and a write after a long pause is another, unless it is
    /// the first of its rank.
    #[test]
    fn a_pause_longer_than_the_phase_ends_it() {
        let mut accounts = Accounts::default();
        let calls = [(100, 150, 7, 0), (151, 200, 7, 0), (301, 310, 3, 1), (522, 530, 3, 1)];
        for (began, ended, file, rank) in calls {
            let (began, ended) = (Time(began * MS), Time(ended * MS));
            accounts.begin(began, rank, &write(file, 10));
            accounts.end(began, ended, &write(file, 10), 0);
        }
        let phases = accounts.phases();
        let found: Vec<_> = phases
            .iter()
            .map(|p| (p.start.0 / MS, p.end.0 / MS, p.totals.bytes, p.totals.time.0 / MS))
            .collect();
        assert_eq!(found, [(100, 310, 30, 108), (522, 530, 10, 8)]);
        let files = accounts.files();
        let found: Vec<_> = files.iter().map(|f| (f.file, f.written.bytes, f.read.bytes)).collect();
        assert_eq!(found, [(3, 20, 0), (7, 20, 0)]);
    }

    /// A call in progress holds its phase open, and a failed write has no bytes.
    #[test]
    fn a_call_in_progress_continues_its_phase() {
        let mut accounts = Accounts::default();
        let [start, later, end] = [0, 5, 9].map(|at| Time(at * MS));
        accounts.begin(start, 0, &write(0, 10));
        accounts.begin(later, 0, &write(1, 10));
        accounts.end(later, later + Span(1), &write(1, 10), 28);
        accounts.end(start, end, &write(0, 10), 0);
        let phases = accounts.phases();
        assert_eq!(phases.len(), 1);
        let ClassTotals { operations, bytes, errors, .. } = phases[0].totals;
        assert_eq!((operations, bytes, errors), (2, 10, 1));
    }
}
