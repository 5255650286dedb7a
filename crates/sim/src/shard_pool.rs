//! A pool of threads that simulate one network in parallel, one shard each. Between two barriers
//! every shard runs alone for at most the lookahead, within which no event of one shard can affect
//! another. Then all shards exchange messages.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::ScopedJoinHandle;

use base::{Span, Time};

/// Receives progress from time to time; false stops the run.
pub(crate) type Tick<'t> = dyn FnMut(Time, u64) -> bool + 't;

/// Simulated time that a shard may run alone.
#[derive(Clone, Copy)]
pub(crate) enum Alone {
    /// This time from the first event of any shard on.
    For(Span),
    /// Until the next multiple of this time.
    UntilMultipleOf(Span),
}

impl Alone {
    /// The end of that time, if the first event of all shards is at `first`.
    pub fn end(self, first: Time) -> Time {
        Time(match self {
            Alone::For(span) => first.0.saturating_add(span.0),
            Alone::UntilMultipleOf(span) => (first.0 / span.0 + 1).saturating_mul(span.0),
        })
    }
}

/// State shared by all shards of a pool.
pub(crate) struct ShardPool<M> {
    size: usize,
    pub alone: Alone,
    waiting: AtomicUsize,
    barriers: AtomicUsize,
    /// Values that each shard published at the last two all-gathers.
    published: [Vec<AtomicU64>; 2],
    /// Index: `from * size + to`.
    mailboxes: Vec<Mutex<M>>,
    failed: AtomicBool,
    /// Number of threads that sleep at the barrier, and the condition variable that wakes them.
    sleepers: AtomicUsize,
    mutex: Mutex<()>,
    condvar: Condvar,
}

/// Spins at a barrier before a thread sleeps, some 40 us [estimate]: about the cost of a sleep. On
/// busy cores, sleepers are woken sooner than spinning threads are scheduled.
const SPINS: u32 = 1_000;

impl<M: Default> ShardPool<M> {
    pub fn new(size: usize, alone: Alone) -> Self {
        let published = || (0..size).map(|_| AtomicU64::new(0)).collect();
        ShardPool {
            size,
            alone,
            waiting: AtomicUsize::new(0),
            barriers: AtomicUsize::new(0),
            published: [published(), published()],
            mailboxes: (0..size * size).map(|_| Mutex::default()).collect(),
            failed: AtomicBool::new(false),
            sleepers: AtomicUsize::new(0),
            mutex: Mutex::new(()),
            condvar: Condvar::new(),
        }
    }
}

impl<M: Default + Send> ShardPool<M> {
    /// Runs all shards, the first on this thread, and returns their results in order.
    pub fn run<R: Send>(
        size: usize,
        alone: Alone,
        tick: &mut Tick<'_>,
        shard: impl Fn(Member<M>, &mut Tick<'_>) -> R + Sync,
    ) -> Vec<R> {
        let pool = Arc::new(ShardPool::new(size, alone));
        std::thread::scope(|scope| {
            let (pool, shard) = (&pool, &shard);
            // Its drop ends the threads that wait if another one cannot be started.
            let own = Member::new(pool, 0);
            let start = |other| move || shard(Member::new(pool, other), &mut |_, _| true);
            let others: Vec<_> = (1..size).map(|other| scope.spawn(start(other))).collect();
            let first = shard(own, tick);
            let join = |other: ScopedJoinHandle<'_, R>| {
                other.join().unwrap_or_else(|panic| resume_unwind(panic))
            };
            std::iter::once(first).chain(others.into_iter().map(join)).collect()
        })
    }
}

impl<M> ShardPool<M> {
    /// Sleeps while `is_so` holds; panics if a shard has failed.
    fn sleep_while(&self, is_so: impl Fn() -> bool) {
        let failed = || self.failed.load(Ordering::SeqCst);
        // Either the waking thread sees this increment, or this thread sees the changed condition.
        self.sleepers.fetch_add(1, Ordering::SeqCst);
        let mutex = self.mutex.lock().expect("the mutex is not poisoned");
        drop(
            self.condvar
                .wait_while(mutex, |()| is_so() && !failed())
                .expect("the mutex is not poisoned"),
        );
        self.sleepers.fetch_sub(1, Ordering::SeqCst);
        assert!(!is_so(), "another shard of this simulation failed");
    }

    /// Releases all threads with a panic if this one panics.
    pub fn fail_in_panic(&self) {
        if std::thread::panicking() {
            self.failed.store(true, Ordering::SeqCst);
            self.wake();
        }
    }

    fn wake(&self) {
        if self.sleepers.load(Ordering::SeqCst) > 0 {
            // A thread about to sleep has not tested its condition yet, or receives the
            // notification.
            drop(self.mutex.lock().expect("the mutex is not poisoned"));
            self.condvar.notify_all();
        }
    }
}

/// One thread of a pool.
pub(crate) struct Member<M> {
    pub shard_pool: Arc<ShardPool<M>>,
    pub own: usize,
    /// Number of all-gathers so far.
    n_published: usize,
}

impl<M> Member<M> {
    pub fn new(shard_pool: &Arc<ShardPool<M>>, own: usize) -> Self {
        Member { shard_pool: Arc::clone(shard_pool), own, n_published: 0 }
    }

    /// Barrier.
    pub fn wait_for_all(&self) {
        let shard_pool = &self.shard_pool;
        let barrier = shard_pool.barriers.load(Ordering::Acquire);
        if shard_pool.waiting.fetch_add(1, Ordering::AcqRel) + 1 == shard_pool.size {
            shard_pool.waiting.store(0, Ordering::Relaxed);
            shard_pool.barriers.store(barrier.wrapping_add(1), Ordering::SeqCst);
            shard_pool.wake();
            return;
        }
        let goes_on = || shard_pool.barriers.load(Ordering::SeqCst) == barrier;
        for _ in 0..SPINS {
            if !goes_on() {
                return;
            }
            std::hint::spin_loop();
        }
        shard_pool.sleep_while(goes_on);
    }

    /// Publishes a value, and returns the values of all shards in order.
    pub fn all_gather(&mut self, word: u64) -> impl Iterator<Item = u64> {
        // No shard can publish twice before all have read the first value, so two slots are enough.
        let published = &self.shard_pool.published[self.n_published % 2];
        self.n_published += 1;
        published[self.own].store(word, Ordering::Relaxed);
        self.wait_for_all();
        published.iter().map(|word| word.load(Ordering::Relaxed))
    }

    /// Fills the mailbox for every other shard with `fill`, then waits at the barrier.
    pub fn post(&self, mut fill: impl FnMut(usize, &mut M)) {
        for to in self.others() {
            fill(to, &mut self.mailbox(self.own, to));
        }
        self.wait_for_all();
    }

    /// Empties the mailboxes from the other shards with `empty`. An emptied mailbox keeps its
    /// capacity for its sender.
    pub fn take(&self, mut empty: impl FnMut(usize, &mut M)) {
        for from in self.others() {
            empty(from, &mut self.mailbox(from, self.own));
        }
    }

    /// Calls `each` with the mailboxes for the other shards.
    pub fn look(&self, mut each: impl FnMut(&M)) {
        self.others().for_each(|to| each(&self.mailbox(self.own, to)));
    }

    fn others(&self) -> impl Iterator<Item = usize> + use<M> {
        let own = self.own;
        (0..self.shard_pool.size).filter(move |&other| other != own)
    }

    fn mailbox(&self, from: usize, to: usize) -> MutexGuard<'_, M> {
        self.shard_pool.mailboxes[from * self.shard_pool.size + to]
            .lock()
            .expect("the mailbox is not poisoned")
    }
}

/// Other shards would wait forever for a shard that failed.
impl<M> Drop for Member<M> {
    fn drop(&mut self) {
        self.shard_pool.fail_in_panic();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every shard sends its number and the round to every other shard, and adds up what it
    /// receives.
    #[test]
    fn every_shard_receives_from_every_shard_each_round() {
        const ROUNDS: u64 = 300;
        for size in [1, 2, 3, 5] {
            let shard_pool = Arc::new(ShardPool::<Vec<u64>>::new(size, Alone::For(Span(1))));
            let run = |own: usize| {
                let (mut member, mut got) = (Member::new(&shard_pool, own), 0);
                for round in 0..ROUNDS {
                    let published: Vec<u64> = member.all_gather(round * 10 + own as u64).collect();
                    let want: Vec<u64> = (0..size as u64).map(|m| round * 10 + m).collect();
                    assert_eq!(published, want, "round {round}");
                    member.post(|to, mailbox| mailbox.push(round * 100 + to as u64));
                    member.take(|_, mailbox| mailbox.drain(..).for_each(|n| got += n - own as u64));
                }
                got
            };
            let sum = (size as u64 - 1) * 100 * (0..ROUNDS).sum::<u64>();
            std::thread::scope(|scope| {
                let run = &run;
                let others: Vec<_> = (1..size).map(|own| scope.spawn(move || run(own))).collect();
                assert_eq!(run(0), sum);
                others.into_iter().for_each(|t| assert_eq!(t.join().expect("no panic"), sum));
            });
        }
    }

    #[test]
    fn a_failed_shard_releases_the_others() {
        let shard_pool = Arc::new(ShardPool::<()>::new(2, Alone::For(Span(1))));
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| Member::new(&shard_pool, 0).wait_for_all());
            let fails = scope.spawn(|| {
                let _member = Member::new(&shard_pool, 1);
                panic!("as meant");
            });
            assert!(fails.join().is_err() && waits.join().is_err());
        });
    }
}
