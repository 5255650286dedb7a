//! State of a process or a thread from the kernel (proc(5), `stat`).

use std::io;
use workload::resident::Resident;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stat {
    /// `R` runs, `S` sleeps, `T` and `t` are stopped, `Z` and `X` have ended.
    pub state: u8,
    pub parent: u32,
}

impl Stat {
    /// Of a process id, or of `PID/task/TID`.
    pub fn of(what: &str) -> io::Result<Stat> {
        let text = std::fs::read(format!("/proc/{what}/stat"))?;
        Stat::read(&text).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// State and parent follow the name, which may contain any byte and ends with the last `)`.
    fn read(text: &[u8]) -> Option<Stat> {
        let at = text.iter().rposition(|&b| b == b')')?;
        let mut words = text[at + 1..].split(|&b| b == b' ').filter(|w| !w.is_empty());
        let state = *words.next()?.first()?;
        let parent = std::str::from_utf8(words.next()?).ok()?.parse().ok()?;
        Some(Stat { state, parent })
    }

    /// Whether it has ended, reaped or not.
    pub fn has_ended(self) -> bool {
        matches!(self.state, b'Z' | b'X')
    }
}

/// Private memory of a process in bytes: no files, no shared memory.
pub(crate) fn own_memory(pid: libc::pid_t) -> Option<u64> {
    let status = std::fs::read(format!("/proc/{pid}/status")).ok()?;
    Resident::read(&status).map(|resident| resident.own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn process_names_may_contain_any_byte() {
        let read = |text: &str| Stat::read(text.as_bytes()).map(|s| (s.state, s.parent));
        assert_eq!(read("12 (sh) S 7 12"), Some((b'S', 7)));
        assert_eq!(read("12 (a) Z 1 (b) R) X 65536 0\n"), Some((b'X', 65536)));
        assert_eq!(Stat::read(b"12 (\xff\xfe) R 3 1").map(|s| s.parent), Some(3));
        assert_eq!((read("12 (sh) S"), read("12 (sh"), read("")), (None, None, None));
    }

    #[test]
    fn missing_processes_are_not_found() {
        let us = Stat::of("self").unwrap();
        assert!(!us.has_ended() && us.parent == std::os::unix::process::parent_id());
        // Beyond the kernel's largest process id, 2^22 (proc(5), pid_max).
        assert_eq!(Stat::of("4194305").unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
