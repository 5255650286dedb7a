//! What a client reads ahead: pages of files that are read sequentially, attributes of the entries
//! of a directory that is scanned. Sends nothing.

use std::collections::VecDeque;

use super::extents::Extent;
use crate::CallId;

/// Sequential reads of one file. The kernel keeps this state per open file; the calls do not name
/// it, so a read belongs to the stream that ended where it begins.
#[derive(Clone, Debug, Default)]
pub struct Streams {
    streams: VecDeque<Stream>,
    requests: u64,
    /// Open file descriptors of the client.
    pub opens: u32,
}

#[derive(Clone, Copy, Debug)]
struct Stream {
    next: u64,
    /// Consecutive reads.
    reads: u32,
    window: u64,
    /// End of the bytes that have been requested ahead.
    ahead: u64,
}

/// Streams per file and client: more than ranks of a node.
const STREAMS: usize = 512;

/// Limits of read-ahead, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The window grows by this much per consecutive read.
    pub step: u64,
    pub window: u64,
    pub whole: u64,
    /// Unread bytes that the client may still add.
    pub budget: u64,
}

/// What to read ahead, and by how much the unread bytes of the client change.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Ahead {
    pub range: Option<Extent>,
    pub added: u64,
    pub consumed: u64,
}

impl Streams {
    /// A read of `range` of a file of `size` bytes.
    pub fn read(&mut self, range: Extent, size: u64, limits: &Limits) -> Ahead {
        self.requests += 1;
        let at = self.streams.iter().position(|s| s.next == range.start);
        let mut stream = match at.and_then(|i| self.streams.remove(i)) {
            Some(stream) => stream,
            None => Stream { next: range.start, reads: 0, window: 0, ahead: range.start },
        };
        let consumed = stream.ahead.min(range.end).saturating_sub(stream.next);
        let mut result = Ahead { consumed, ..Ahead::default() };
        stream.reads += 1;
        stream.next = range.end;
        stream.ahead = stream.ahead.max(range.end);
        if self.streams.len() == STREAMS
            && let Some(oldest) = self.streams.pop_front()
        {
            result.consumed += oldest.ahead - oldest.next;
        }
        let end = if size <= limits.whole && self.requests == 2 {
            size
        } else if stream.reads >= 2 {
            stream.window = (stream.window + limits.step).min(limits.window);
            let end = range.end.saturating_add(stream.window);
            if end >= size { size } else { end / limits.step * limits.step }
        } else {
            stream.ahead
        };
        let end = end.min(stream.ahead.saturating_add(limits.budget));
        if end > stream.ahead {
            result.range = Some(Extent::new(stream.ahead, end));
            result.added = end - stream.ahead;
            stream.ahead = end;
        }
        self.streams.push_back(stream);
        result
    }
    /// Unread bytes, when the file is forgotten.
    pub fn unread(&self) -> u64 {
        self.streams.iter().map(|s| s.ahead - s.next).sum()
    }
}

/// A directory that a client reads.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// Entries in the client's cache, valid while it holds the inode lock of the directory.
    pub cached: u64,
    /// The directory has been read from its beginning; its entries may be statted in order.
    pub listed: bool,
    /// Consecutive calls of `stat` on entries.
    pub stats: u32,
    /// Statahead: requests allowed in flight, in flight, answered and not used.
    pub window: u32,
    pub in_flight: u32,
    pub ready: u32,
    /// Entries for which no request has been sent.
    pub left: u64,
    pub waiters: VecDeque<CallId>,
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;
    const LIMITS: Limits =
        Limits { step: 4 * MIB, window: 8 * MIB, whole: 4 * MIB, budget: 64 * MIB };

    #[test]
    fn the_second_read_of_a_small_file_loads_all_of_it() {
        let mut streams = Streams::default();
        let size = 3 * MIB;
        assert_eq!(streams.read(Extent::new(0, 4096), size, &LIMITS).range, None);
        let ahead = streams.read(Extent::new(4096, 8192), size, &LIMITS);
        assert_eq!(ahead.range, Some(Extent::new(8192, size)));
    }

    #[test]
    fn the_window_of_a_large_file_grows_by_steps_to_its_limit() {
        let mut streams = Streams::default();
        let mut unread = 0;
        let mut ends = Vec::new();
        for i in 0..8 {
            let ahead = streams.read(Extent::new(i * MIB, (i + 1) * MIB), 1 << 40, &LIMITS);
            unread = unread + ahead.added - ahead.consumed;
            ends.push(ahead.range.map(|e| e.end / MIB));
        }
        // The window is 0, 4, then 8 MiB; it ends at the multiple of 4 MiB below its end.
        assert_eq!(ends, [None, Some(4), Some(8), Some(12), None, None, None, Some(16)]);
        assert_eq!(unread, streams.unread());
    }

    #[test]
    fn random_reads_load_nothing_ahead() {
        let mut streams = Streams::default();
        for i in [9, 3, 27, 1] {
            let read = Extent::new(i * MIB, i * MIB + 4096);
            assert_eq!(streams.read(read, 1 << 40, &LIMITS).range, None);
        }
    }

    #[test]
    fn the_budget_of_the_client_limits_all_streams() {
        let mut streams = Streams::default();
        let limits = Limits { budget: MIB, ..LIMITS };
        streams.read(Extent::new(0, MIB), 1 << 40, &limits);
        let ahead = streams.read(Extent::new(MIB, 2 * MIB), 1 << 40, &limits);
        assert_eq!(ahead.range, Some(Extent::new(2 * MIB, 3 * MIB)));
    }
}
