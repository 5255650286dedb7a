//! Processes that wait for record locks, and cycles of them.
//!
//! The kernel grants the locks. A process that waits repeats its attempt, and states with each
//! which process it waits for (`crates/posix/src/locks.rs`). It does not report that it has the
//! lock. So an entry counts only if its process has made two attempts since another one began to
//! wait: that one releases nothing meanwhile, so the first of the two has failed.

use base::Time;
use std::collections::BTreeMap;

/// A process of the computer. Numbers are compared only: predictions do not depend on them.
type Pid = u32;

/// Attempts after which a process looks for a cycle. Others attempt at about the same rate.
const ATTEMPTS: usize = 8;

/// A process that waits.
struct Wait {
    holder: Pid,
    /// The last attempts; the latest is the last element.
    attempts: Vec<Time>,
}

#[derive(Default)]
pub(crate) struct Waits {
    by_process: BTreeMap<Pid, Wait>,
}

impl Waits {
    /// A process attempts to lock, and waits for `holder`: 0 at its first attempt, and if it is not
    /// known. Returns whether it waits for itself.
    pub fn attempt(&mut self, now: Time, process: Pid, holder: Pid) -> bool {
        if holder == 0 {
            self.by_process.remove(&process);
            return false;
        }
        let new = || Wait { holder, attempts: Vec::new() };
        let wait = self.by_process.entry(process).or_insert_with(new);
        if wait.attempts.len() == ATTEMPTS {
            wait.attempts.remove(0);
        }
        wait.holder = holder;
        wait.attempts.push(now);
        let is_cycle = wait.attempts.len() == ATTEMPTS && self.is_cycle(process);
        if is_cycle {
            self.by_process.remove(&process);
        }
        is_cycle
    }

    fn is_cycle(&self, process: Pid) -> bool {
        let start = self.by_process[&process].attempts[0];
        let mut at = self.by_process[&process].holder;
        for _ in 0..self.by_process.len() {
            if at == process {
                return true;
            }
            let Some(next) = self.by_process.get(&at) else { return false };
            let since = next.attempts.iter().filter(|&&attempt| attempt >= start).count();
            if since < 2 {
                return false;
            }
            at = next.holder;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_processes_that_wait_for_each_other_are_a_cycle() {
        let mut waits = Waits::default();
        let mut found = Vec::new();
        for step in 0..10 {
            found.push(waits.attempt(Time(2 * step), 1, 2));
            found.push(waits.attempt(Time(2 * step + 1), 2, 1));
            if found.contains(&true) {
                break;
            }
        }
        // The first that has made all attempts.
        assert_eq!(found.iter().position(|&cycle| cycle), Some(2 * (ATTEMPTS - 1)));
    }

    #[test]
    fn a_process_that_has_its_lock_is_in_no_cycle() {
        let mut waits = Waits::default();
        assert!(!waits.attempt(Time(0), 2, 1));
        // Process 1 has released that lock, and process 2 holds another.
        assert!(!waits.attempt(Time(2), 2, 1));
        for step in 1..30 {
            assert!(!waits.attempt(Time(2 * step), 1, 2));
        }
    }

    #[test]
    fn three_processes_and_one_outside() {
        let mut waits = Waits::default();
        let mut found = Vec::new();
        for step in 0..ATTEMPTS as u64 {
            for (process, holder) in [(4, 1), (1, 2), (2, 3), (3, 1)] {
                if waits.attempt(Time(10 * step + process), process as Pid, holder) {
                    found.push(process);
                }
            }
        }
        // Process 4 waits for the cycle without being part of it.
        assert_eq!(found, [1]);
    }
}
