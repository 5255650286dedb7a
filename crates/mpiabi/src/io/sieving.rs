//! Data sieving: an access with gaps as few large calls.
//!
//! As ROMIO ([R] = pmodels/mpich, `common/ad_write_str.c`, `ad_read_str.c`), a window of the hint's
//! size begins at the first byte not yet accessed. A write locks the window, reads it, and writes
//! it with its new bytes.

use super::two_phase::{Run, Store};
use crate::error::Error;

/// A range of one window, and its position in the packed data.
type Part = (Run, u64);

/// A window: its start, its length, and its parts.
type Window = (i64, u64, Vec<Part>);

/// The windows of an access. The offsets of `runs` ascend.
fn windows(runs: &[Run], buffer: u64) -> Vec<Window> {
    let buffer = buffer.max(1);
    let end = runs.iter().map(|run| run.0 + run.1 as i64).max().unwrap_or(0);
    let mut windows: Vec<Window> = Vec::new();
    let mut position = 0;
    for &(mut at, mut len) in runs {
        while len > 0 {
            let window_end = windows.last().map_or(i64::MIN, |w| w.0 + w.1 as i64);
            if at >= window_end {
                windows.push((at, buffer.min((end - at) as u64), Vec::new()));
            }
            let window = windows.last_mut().expect("has a window");
            let some = len.min((window.0 + window.1 as i64 - at) as u64);
            window.2.push(((at, some), position));
            (at, len, position) = (at + some as i64, len - some, position + some);
        }
    }
    windows
}

/// Writes packed `data`. Returns the bytes written.
pub(super) async fn write<S: Store>(
    store: &S,
    runs: &[Run],
    data: &[u8],
    buffer: u64,
) -> (u64, Option<Error>) {
    let mut done = 0;
    let mut window = Vec::new();
    for (start, length, parts) in windows(runs, buffer) {
        // The window ends with its last new byte: only the read goes further.
        let end = parts.iter().map(|((at, len), _)| at + *len as i64).max().unwrap_or(start);
        window.clear();
        window.resize((end - start) as usize, 0);
        for ((at, len), position) in &parts {
            let source = &data[*position as usize..][..*len as usize];
            window[(at - start) as usize..][..*len as usize].copy_from_slice(source);
        }
        let changed: Vec<Run> = parts.iter().map(|part| part.0).collect();
        let mut failed = store.lock(start, length).await;
        if failed.is_none() {
            failed = store.read_back(start, length).await;
            if failed.is_none() {
                failed = store.write(start, &window, &changed).await;
            }
            let unlocked = store.unlock(start, length).await;
            failed = failed.or(unlocked);
        }
        if failed.is_some() {
            return (done, failed);
        }
        done += changed.iter().map(|run| run.1).sum::<u64>();
    }
    (done, None)
}

/// Reads into `out`, packed, up to the end of the file. Returns the bytes read.
pub(super) async fn read<S: Store>(
    store: &S,
    runs: &[Run],
    out: &mut [u8],
    buffer: u64,
) -> (u64, Option<Error>) {
    let mut done = 0;
    let mut window = Vec::new();
    for (start, length, parts) in windows(runs, buffer) {
        window.clear();
        window.resize(length as usize, 0);
        let (got, failed) = store.read(start, &mut window).await;
        let file_end = start + got as i64;
        for ((at, len), position) in parts {
            let some = (file_end.saturating_sub(at).max(0) as u64).min(len);
            let source = &window[(at - start) as usize..][..some as usize];
            out[position as usize..][..some as usize].copy_from_slice(source);
            done += some;
            if some < len {
                return (done, failed);
            }
        }
        if failed.is_some() {
            return (done, failed);
        }
    }
    (done, None)
}

#[cfg(test)]
mod tests {
    use super::super::two_phase::tests::{Call, Memory, ready};
    use super::*;

    #[test]
    fn windows_begin_at_the_first_byte_not_yet_accessed() {
        let runs = [(0, 10), (20, 10), (95, 10), (500, 250)];
        let expected = [
            (0, 100, vec![((0, 10), 0), ((20, 10), 10), ((95, 5), 20)]),
            (100, 100, vec![((100, 5), 25)]),
            (500, 100, vec![((500, 100), 30)]),
            (600, 100, vec![((600, 100), 130)]),
            (700, 50, vec![((700, 50), 230)]),
        ];
        assert_eq!(windows(&runs, 100), expected);
    }

    #[test]
    fn a_write_locks_reads_and_writes_each_window() {
        let file = Memory::filled(1000, 7);
        let store = file.store(0);
        let runs = [(10, 10), (40, 10), (300, 10)];
        let (done, error) = ready(write(&store, &runs, &[1; 30], 100));
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
        let (store, runs) = (file.store(0), [(10, 20), (50, 20), (90, 20)]);
        let (done, error) = ready(read(&store, &runs, &mut out, 64));
        assert!(error.is_none());
        assert_eq!(done, 50);
        assert_eq!(out[..50], [7; 50]);
        assert_eq!(file.calls(), [(0, Call::Read, 10, 64), (0, Call::Read, 90, 20)]);
    }
}
