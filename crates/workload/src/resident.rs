//! What a process has in memory, and the most it ever had that was its own.
//!
//! Reads the text of `/proc/PID/status` (proc(5)), which others fetch, and draws conclusions from
//! what several such looks say. The kernel keeps the highest mark of all that was resident, not of
//! what was the process's own: the one idea is to take off it what belonged to others at the look
//! that finds it risen.

/// One look, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Resident {
    /// Pages of no file that nobody else writes to: heap, stacks, private maps; there or swapped
    /// out.
    pub own: u64,
    /// Pages of files and of shared memory.
    pub others: u64,
    /// The most that was there at once.
    pub most: u64,
}

impl Resident {
    /// None if the kernel does not tell.
    pub fn read(status: &[u8]) -> Option<Resident> {
        let [most, own, file, shared] =
            [&b"VmHWM:"[..], b"RssAnon:", b"RssFile:", b"RssShmem:"].map(|name| find(status, name));
        let swapped = find(status, b"VmSwap:").unwrap_or(0);
        Some(Resident { own: own? + swapped, others: file? + shared?, most: most? })
    }
}

/// The value of a line such as `RssAnon:     112 kB`, in bytes.
fn find(status: &[u8], name: &[u8]) -> Option<u64> {
    let line = status.split(|&b| b == b'\n').find(|line| line.starts_with(name))?;
    let mut words = line[name.len()..].split(u8::is_ascii_whitespace).filter(|w| !w.is_empty());
    let kib: u64 = std::str::from_utf8(words.next()?).ok()?.parse().ok()?;
    (words.next() == Some(b"kB")).then_some(kib * 1024)
}

/// The most a process had of its own, as several looks tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Peak {
    /// Bytes it does not count: they were there before it was what it is.
    inherited: u64,
    begun: u64,
    most: u64,
    bytes: u64,
}

impl Peak {
    pub fn new(inherited: u64) -> Peak {
        Peak { inherited, ..Peak::default() }
    }
    /// A look; `shared_own`: bytes in shared memory that are its own all the same, as many all the
    /// time since the look before.
    pub fn sample(&mut self, now: Resident, shared_own: u64) {
        let mut own = now.own;
        if now.most > self.most {
            // Others' pages mostly come to stay. Where they came after the mark was reached, what
            // was its own then is told too low by them.
            own = own.max(now.most.saturating_sub(now.others));
        }
        if self.most == 0 {
            self.begun = now.own.saturating_sub(self.inherited);
        }
        self.most = self.most.max(now.most);
        self.bytes = self.bytes.max(own.saturating_sub(self.inherited) + shared_own);
    }
    /// At the first look, and the most.
    pub fn begin_and_peak(&self) -> (u64, u64) {
        (self.begun, self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATUS: &[u8] = b"Name:\tRssAnon: 7 kB\nGroups:\t0 1 \nVmPeak:\t    3060 kB\nVmHWM:\t\
        1748 kB\nVmRSS:\t    1748 kB\nRssAnon:\t     112 kB\nRssFile:\t    1600 kB\n\
        RssShmem:\t       36 kB\nVmSwap:\t       8 kB\nThreads:\t1\n";

    #[test]
    fn lines_are_found_by_name() {
        let read = Resident::read(STATUS).unwrap();
        let kib = |n: u64| n * 1024;
        assert_eq!(read, Resident { own: kib(120), others: kib(1636), most: kib(1748) });
        // A process that has ended has no memory, and a text may be cut.
        assert_eq!(Resident::read(b"Name:\tx\nState:\tZ (zombie)\n"), None);
        assert_eq!(Resident::read(&STATUS[..130]), None);
        assert_eq!(Resident::read(b""), None);
    }

    fn samples(inherited: u64, samples: &[(u64, u64, u64, u64)]) -> (u64, u64) {
        let mut peak = Peak::new(inherited);
        for &(own, others, most, shared_own) in samples {
            peak.sample(Resident { own, others, most }, shared_own);
        }
        peak.begin_and_peak()
    }

    #[test]
    fn memory_freed_between_samples_is_in_the_high_water_mark() {
        // 10 of its own and 5 of files; then it had 100 and gave them back.
        assert_eq!(samples(0, &[(10, 5, 15, 0), (12, 5, 115, 0)]), (10, 110));
        // The mark of the past says nothing of what came after it.
        assert_eq!(samples(0, &[(10, 5, 115, 0), (12, 60, 115, 0), (20, 90, 115, 0)]), (10, 110));
        // Pages of others that came after the mark hide as much, and no more.
        assert_eq!(samples(0, &[(10, 5, 15, 0), (12, 45, 115, 0)]), (10, 70));
    }

    #[test]
    fn windows_count_while_they_are_there_and_what_was_inherited_never() {
        assert_eq!(samples(0, &[(10, 5, 15, 0), (30, 5, 35, 0), (10, 5, 35, 50)]), (10, 60));
        assert_eq!(samples(8, &[(10, 5, 15, 0), (30, 5, 35, 0)]), (2, 22));
        assert_eq!(samples(40, &[(30, 5, 35, 0)]), (0, 0));
    }
}
