//! The resident memory of a process, and the peak of its private part.
//!
//! Parses the text of `/proc/PID/status` (proc(5)), which the caller reads, and combines several
//! samples. The kernel keeps the high-water mark of all resident memory, not of private memory. So
//! the shared part is subtracted in the sample in which the mark has risen.

/// One sample, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Resident {
    /// Anonymous private pages: heap, stacks, private maps; resident or swapped out.
    pub own: u64,
    /// Pages of files and of shared memory.
    pub others: u64,
    /// High-water mark of resident memory.
    pub most: u64,
}

impl Resident {
    /// `None` if the kernel does not provide the values.
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

/// Peak private memory of a process, from several samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Peak {
    /// Bytes inherited when the process was forked; not counted.
    inherited: u64,
    /// Private memory at the first sample.
    first: u64,
    most: u64,
    bytes: u64,
}

impl Peak {
    pub fn new(inherited: u64) -> Peak {
        Peak { inherited, ..Peak::default() }
    }
    /// Adds a sample. `shared_own`: bytes of shared memory that belong to the process, constant
    /// since the previous sample.
    pub fn sample(&mut self, now: Resident, shared_own: u64) {
        let mut own = now.own;
        if now.most > self.most {
            // Shared pages usually stay. If they appeared after the mark was reached, the estimate
            // is too low by their size.
            own = own.max(now.most.saturating_sub(now.others));
        }
        if self.most == 0 {
            self.first = now.own.saturating_sub(self.inherited);
        }
        self.most = self.most.max(now.most);
        self.bytes = self.bytes.max(own.saturating_sub(self.inherited) + shared_own);
    }
    /// Private memory at the first sample, and its peak.
    pub fn first_and_peak(&self) -> (u64, u64) {
        (self.first, self.bytes)
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
        // A terminated process has no memory, and a text may be truncated.
        assert_eq!(Resident::read(b"Name:\tx\nState:\tZ (zombie)\n"), None);
        assert_eq!(Resident::read(&STATUS[..130]), None);
        assert_eq!(Resident::read(b""), None);
    }

    fn samples(inherited: u64, samples: &[(u64, u64, u64, u64)]) -> (u64, u64) {
        let mut peak = Peak::new(inherited);
        for &(own, others, most, shared_own) in samples {
            peak.sample(Resident { own, others, most }, shared_own);
        }
        peak.first_and_peak()
    }

    #[test]
    fn memory_freed_between_samples_is_in_the_high_water_mark() {
        // 10 private and 5 of files; then it had 100 more and returned them.
        assert_eq!(samples(0, &[(10, 5, 15, 0), (12, 5, 115, 0)]), (10, 110));
        // A mark that has not risen says nothing about later memory.
        assert_eq!(samples(0, &[(10, 5, 115, 0), (12, 60, 115, 0), (20, 90, 115, 0)]), (10, 110));
        // Shared pages that appeared after the mark hide as much, and no more.
        assert_eq!(samples(0, &[(10, 5, 15, 0), (12, 45, 115, 0)]), (10, 70));
    }

    #[test]
    fn shared_windows_count_and_inherited_memory_does_not() {
        assert_eq!(samples(0, &[(10, 5, 15, 0), (30, 5, 35, 0), (10, 5, 35, 50)]), (10, 60));
        assert_eq!(samples(8, &[(10, 5, 15, 0), (30, 5, 35, 0)]), (2, 22));
        assert_eq!(samples(40, &[(30, 5, 35, 0)]), (0, 0));
    }
}
