//! Instants at which calls complete. The workload executes a call when it completes, so two calls
//! of which one changes what the other reads never complete at the same instant.
//!
//! Reads and writes of different files are independent. Any other call shares its instant with no
//! other call of the file system. A call that would is 1 ps later.

use base::{Span, Time};
use workload::{FileCall, FileCallKind, FileId, file_flag};

#[derive(Default)]
pub struct CompletionOrder {
    /// The last instants that were given to a call that excludes all others, and to any other.
    exclusive: Time,
    shared: Time,
    /// By file: the last instant given to a read or write of it.
    files: Vec<Time>,
}

impl CompletionOrder {
    /// The instant, later than `now`, at which a call completes that could complete now.
    pub fn place(&mut self, now: Time, call: &FileCall) -> Time {
        let earliest = now.max(self.exclusive) + Span(1);
        if !is_independent(call) {
            self.exclusive = earliest.max(self.shared + Span(1));
            return self.exclusive;
        }
        let file = self.last_of(call.file);
        let when = earliest.max(*file + Span(1));
        *file = when;
        self.shared = self.shared.max(when);
        when
    }

    fn last_of(&mut self, file: FileId) -> &mut Time {
        let file = file as usize;
        if file >= self.files.len() {
            self.files.resize(file + 1, Time::ZERO);
        }
        &mut self.files[file]
    }
}

/// Whether the call reads or writes bytes of one file at a known place. An append depends on the
/// size of the file, as other writes of the file do: they are not at the same instant either.
fn is_independent(call: &FileCall) -> bool {
    matches!(call.kind, FileCallKind::Read | FileCallKind::Write)
        && call.flags & file_flag::DIRECTORY == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(kind: FileCallKind, file: FileId) -> FileCall {
        FileCall {
            kind,
            file_system: 0,
            flags: 0,
            file,
            parent: 0,
            other: 0,
            name: 0,
            offset: 0,
            bytes: 8,
            size: 8,
        }
    }

    #[test]
    fn only_reads_and_writes_of_different_files_share_an_instant() {
        use FileCallKind::{Read, Stat, Unlink, Write};
        let mut order = CompletionOrder::default();
        let now = Time(100);
        let calls =
            [(Write, 1), (Read, 2), (Write, 1), (Stat, 3), (Unlink, 2), (Read, 4), (Read, 1)];
        let places = calls.map(|(kind, file)| order.place(now, &call(kind, file)).0);
        assert_eq!(places, [101, 101, 102, 103, 104, 105, 105]);
        // Later calls are not delayed.
        assert_eq!(order.place(Time(200), &call(Stat, 1)), Time(201));
    }
}
