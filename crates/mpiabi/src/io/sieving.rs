//! Data sieving: an access with gaps as few large calls.
//!
//! As ROMIO ([R] = pmodels/mpich, `common/ad_write_str.c`, `ad_read_str.c`), a window of the hint's
//! size begins at the first byte not yet accessed. A write locks the window, reads it, and writes
//! it with its new bytes.

use super::two_phase::{Run, Store};
use crate::error::Error;

/// A range of one window, and its position in the packed data.
type Part = (Run, u64);

/// Calls `visit` with start, length and parts of each window until it returns `false`. The offsets
/// of `runs` ascend.
fn each_window(runs: &[Run], buffer: u64, mut visit: impl FnMut(i64, u64, &[Part]) -> bool) {
    let buffer = buffer.max(1);
    let Some(end) = runs.iter().map(|run| run.0 + run.1 as i64).max() else { return };
    let window_of = |at: i64| buffer.min((end - at) as u64);
    let (mut parts, mut start, mut length) = (Vec::<Part>::new(), 0, 0);
    let mut position = 0;
    for &(mut at, mut len) in runs {
        while len > 0 {
            if parts.is_empty() || at >= start + length as i64 {
                if !parts.is_empty() && !visit(start, length, &parts) {
                    return;
                }
                parts.clear();
                (start, length) = (at, window_of(at));
            }
            let some = len.min((start + length as i64 - at) as u64);
            parts.push(((at, some), position));
            (at, len, position) = (at + some as i64, len - some, position + some);
        }
    }
    if !parts.is_empty() {
        visit(start, length, &parts);
    }
}

/// Writes packed `data`. Returns the bytes written.
pub(super) fn write<S: Store>(
    store: &S,
    runs: &[Run],
    data: &[u8],
    buffer: u64,
) -> (u64, Option<Error>) {
    let (mut done, mut failed) = (0, None);
    let mut window = Vec::new();
    each_window(runs, buffer, |start, length, parts| {
        // The window ends with its last new byte: only the read goes further.
        let end = parts.iter().map(|((at, len), _)| at + *len as i64).max().unwrap_or(start);
        window.clear();
        window.resize((end - start) as usize, 0);
        for ((at, len), position) in parts {
            let source = &data[*position as usize..][..*len as usize];
            window[(at - start) as usize..][..*len as usize].copy_from_slice(source);
        }
        let changed: Vec<Run> = parts.iter().map(|part| part.0).collect();
        failed = store.lock(start, length);
        if failed.is_none() {
            let written = store.read_back(start, length);
            let written = written.or_else(|| store.write(start, &window, &changed));
            let unlocked = store.unlock(start, length);
            failed = written.or(unlocked);
        }
        if failed.is_none() {
            done += changed.iter().map(|run| run.1).sum::<u64>();
        }
        failed.is_none()
    });
    (done, failed)
}

/// Reads into `out`, packed, up to the end of the file. Returns the bytes read.
pub(super) fn read<S: Store>(
    store: &S,
    runs: &[Run],
    out: &mut [u8],
    buffer: u64,
) -> (u64, Option<Error>) {
    let (mut done, mut failed) = (0, None);
    let mut window = Vec::new();
    each_window(runs, buffer, |start, length, parts| {
        window.clear();
        window.resize(length as usize, 0);
        let (got, error) = store.read(start, &mut window);
        let file_end = start + got as i64;
        failed = error;
        for ((at, len), position) in parts {
            let some = (file_end.saturating_sub(*at).max(0) as u64).min(*len);
            let source = &window[(at - start) as usize..][..some as usize];
            out[*position as usize..][..some as usize].copy_from_slice(source);
            done += some;
            if some < *len {
                return false;
            }
        }
        failed.is_none()
    });
    (done, failed)
}

#[cfg(test)]
mod tests {
    use super::super::two_phase::tests::{Call, Memory};
    use super::*;

    #[test]
    fn windows_begin_at_the_first_byte_not_yet_accessed() {
        let mut seen = Vec::new();
        let runs = [(0, 10), (20, 10), (95, 10), (500, 250)];
        each_window(&runs, 100, |start, length, parts| {
            seen.push((start, length, parts.to_vec()));
            true
        });
        let expected = [
            (0, 100, vec![((0, 10), 0), ((20, 10), 10), ((95, 5), 20)]),
            (100, 100, vec![((100, 5), 25)]),
            (500, 100, vec![((500, 100), 30)]),
            (600, 100, vec![((600, 100), 130)]),
            (700, 50, vec![((700, 50), 230)]),
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_write_locks_reads_and_writes_each_window() {
        let file = Memory::filled(1000, 7);
        let store = file.store(0);
        let runs = [(10, 10), (40, 10), (300, 10)];
        let (done, error) = write(&store, &runs, &[1; 30], 100);
        assert!(error.is_none());
        assert_eq!(done, 30);
        let calls = [
            (0, Call::Lock, 10, 100),
            (0, Call::ReadBack, 10, 100),
            (0, Call::Write, 10, 40),
            (0, Call::Unlock, 10, 100),
            (0, Call::Lock, 300, 10),
            (0, Call::ReadBack, 300, 10),
            (0, Call::Write, 300, 10),
            (0, Call::Unlock, 300, 10),
        ];
        assert_eq!(file.calls(), calls);
        let changed = |i: i64| runs.iter().any(|&(at, len)| (at..at + len as i64).contains(&i));
        for (i, byte) in file.bytes().into_iter().enumerate() {
            assert_eq!(byte, if changed(i as i64) { 1 } else { 7 }, "byte {i}");
        }
    }

    #[test]
    fn a_read_ends_with_the_file() {
        let file = Memory::filled(100, 7);
        let mut out = [0; 60];
        let (done, error) = read(&file.store(0), &[(10, 20), (50, 20), (90, 20)], &mut out, 64);
        assert!(error.is_none());
        assert_eq!(done, 50);
        assert_eq!(out[..50], [7; 50]);
        assert_eq!(file.calls(), [(0, Call::Read, 10, 64), (0, Call::Read, 90, 20)]);
    }
}
