//! Locks of windows, as the target keeps them: shared or exclusive, in order of request.

use std::collections::{BTreeMap, VecDeque};

/// The holders and waiters of a lock. `T` identifies a request.
#[derive(Debug)]
struct Lock<T> {
    /// Ranks that hold it, in the order of grants; several only if `shared`.
    holders: Vec<u32>,
    shared: bool,
    waiting: VecDeque<(u32, bool, T)>,
}

/// All locks, by the window's context and the target rank. A lock without holders takes no memory.
#[derive(Debug)]
pub struct Locks<T> {
    locks: BTreeMap<(u32, u32), Lock<T>>,
}

impl<T> Default for Locks<T> {
    fn default() -> Self {
        Locks { locks: BTreeMap::new() }
    }
}

impl<T: Copy> Locks<T> {
    /// `rank` requests the lock of `target`'s part of the window `context`. True if it is granted
    /// now. Otherwise the `release` that grants it returns `request`. Requests are never reordered:
    /// a shared one behind an exclusive one waits, as otherwise writers would starve.
    pub fn request(
        &mut self,
        context: u32,
        target: u32,
        rank: u32,
        exclusive: bool,
        request: T,
    ) -> bool {
        let fresh = || Lock { holders: Vec::new(), shared: !exclusive, waiting: VecDeque::new() };
        let lock = self.locks.entry((context, target)).or_insert_with(fresh);
        let joins = lock.shared && !exclusive && lock.waiting.is_empty();
        if lock.holders.is_empty() || joins {
            lock.holders.push(rank);
            return true;
        }
        lock.waiting.push_back((rank, exclusive, request));
        false
    }

    /// `rank` releases the lock; requests that are granted now are appended to `granted`, in order.
    /// False if it did not hold the lock.
    pub fn release(&mut self, context: u32, target: u32, rank: u32, granted: &mut Vec<T>) -> bool {
        let Some(lock) = self.locks.get_mut(&(context, target)) else { return false };
        let Some(i) = lock.holders.iter().position(|&h| h == rank) else { return false };
        lock.holders.remove(i);
        while let Some(&(rank, exclusive, request)) = lock.waiting.front() {
            if !lock.holders.is_empty() && (exclusive || !lock.shared) {
                break;
            }
            lock.waiting.pop_front();
            lock.holders.push(rank);
            lock.shared = !exclusive;
            granted.push(request);
        }
        if lock.holders.is_empty() {
            self.locks.remove(&(context, target));
        }
        true
    }

    /// All waiting requests, by context and target, in order: (request, holders).
    pub fn waiting(&self) -> impl Iterator<Item = (T, &[u32])> {
        let of = |lock: &Lock<T>| lock.waiting.iter().map(|w| w.2).collect::<Vec<_>>();
        self.locks.values().flat_map(move |lock| {
            of(lock).into_iter().map(|request| (request, lock.holders.as_slice()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHARED: bool = false;
    const EXCLUSIVE: bool = true;

    /// A sequence of requests (`Some(exclusive)`) and releases (`None`) by rank, and what each step
    /// grants, by rank. Requests are identified by their rank.
    #[test]
    fn locks_are_granted_in_request_order() {
        let (s, x, free) = (Some(SHARED), Some(EXCLUSIVE), None);
        type LockStep<'a> = (u32, Option<bool>, &'a [u32]);
        let cases: &[&[LockStep]] = &[
            // Readers share; a writer waits for all of them.
            &[(1, s, &[1]), (2, s, &[2]), (3, x, &[]), (1, free, &[]), (2, free, &[3])],
            // A writer is alone; all readers behind it are granted at once.
            &[(1, x, &[1]), (2, s, &[]), (3, s, &[]), (1, free, &[2, 3])],
            // A reader does not overtake a waiting writer.
            &[(1, s, &[1]), (2, x, &[]), (3, s, &[]), (1, free, &[2]), (2, free, &[3])],
            // Readers up to the next writer are granted, not those behind it.
            &[
                (1, x, &[1]),
                (2, s, &[]),
                (3, x, &[]),
                (4, s, &[]),
                (1, free, &[2]),
                (2, free, &[3]),
                (3, free, &[4]),
            ],
            // Writers alternate; a rank that has released may request again, at the end of the
            // queue.
            &[(1, x, &[1]), (2, x, &[]), (1, free, &[2]), (1, x, &[]), (2, free, &[1])],
            // A request that arrives before its own rank's release waits for it.
            &[(1, x, &[1]), (1, x, &[]), (1, free, &[1]), (1, free, &[]), (2, s, &[2])],
            // A lock stops being shared when its last holder releases it.
            &[(1, s, &[1]), (1, free, &[]), (2, x, &[2]), (3, s, &[]), (2, free, &[3])],
        ];
        for (nth, case) in cases.iter().enumerate() {
            let mut locks = Locks::default();
            for (step, &(rank, asks, want)) in case.iter().enumerate() {
                let mut granted = Vec::new();
                match asks {
                    Some(exclusive) => {
                        if locks.request(7, 0, rank, exclusive, rank) {
                            granted.push(rank);
                        }
                    }
                    None => assert!(locks.release(7, 0, rank, &mut granted)),
                }
                assert_eq!(granted, want, "case {nth}, step {step}");
            }
        }
    }

    #[test]
    fn locks_are_per_window_and_rank() {
        let mut locks = Locks::default();
        for (context, target) in [(1, 0), (1, 1), (2, 0)] {
            assert!(locks.request(context, target, 5, EXCLUSIVE, ()), "{context} {target}");
        }
        assert!(!locks.request(1, 0, 6, EXCLUSIVE, ()));
        let mut granted = Vec::new();
        assert!(locks.release(2, 0, 5, &mut granted));
        assert!(granted.is_empty());
        assert_eq!(locks.waiting().collect::<Vec<_>>(), [((), &[5][..])]);
        assert!(locks.release(1, 0, 5, &mut granted));
        assert_eq!(granted.len(), 1);
        assert!(locks.release(1, 0, 6, &mut granted) && locks.release(1, 1, 5, &mut granted));
        assert!(locks.locks.is_empty(), "{locks:?}");
    }

    #[test]
    fn a_lock_not_held_cannot_be_released() {
        let mut locks = Locks::<()>::default();
        let mut granted = Vec::new();
        assert!(!locks.release(1, 0, 5, &mut granted));
        assert!(locks.request(1, 0, 5, SHARED, ()));
        assert!(!locks.release(1, 0, 6, &mut granted));
        assert!(locks.release(1, 0, 5, &mut granted));
        assert!(!locks.release(1, 0, 5, &mut granted));
    }
}
