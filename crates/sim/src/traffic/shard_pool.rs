//! Threads that simulate one world together, a shard each. Between two meetings everybody goes on
//! alone for as long as nobody can hear of anybody else; then all exchange what they have to tell.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};

use base::Span;

/// What the members of a crew share.
pub(super) struct ShardPool<M> {
    size: usize,
    /// How long a member may go on alone.
    pub lookahead: Span,
    waiting: AtomicUsize,
    barriers: AtomicUsize,
    /// What each member said at the last two meetings where they said something.
    published: [Vec<AtomicU64>; 2],
    /// `from * size + to`
    mailboxes: Vec<Mutex<M>>,
    failed: AtomicBool,
    /// Members that sleep until the meeting, and what wakes them.
    sleepers: AtomicUsize,
    mutex: Mutex<()>,
    condvar: Condvar,
}

/// Looks at a meeting before a member goes to sleep, some 40 us [estimate]: about what a sleep
/// costs. Where others want the cores as well, sleepers are woken sooner than spinners get a turn.
const SPINS: u32 = 1_000;

impl<M: Default> ShardPool<M> {
    pub fn new(size: usize, lookahead: Span) -> Self {
        let published = || (0..size).map(|_| AtomicU64::new(0)).collect();
        ShardPool {
            size,
            lookahead,
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

impl<M> ShardPool<M> {
    /// Sleeps until it is not so any more; panics if a member has.
    fn sleep_while(&self, is_so: impl Fn() -> bool) {
        let failed = || self.failed.load(Ordering::SeqCst);
        // Whoever rings the bell sees this, or we see why it would have been rung.
        self.sleepers.fetch_add(1, Ordering::SeqCst);
        let mutex = self.mutex.lock().expect("nobody fails in bed");
        drop(
            self.condvar.wait_while(mutex, |()| is_so() && !failed()).expect("nobody fails in bed"),
        );
        self.sleepers.fetch_sub(1, Ordering::SeqCst);
        assert!(!is_so(), "another shard of this world failed");
    }

    fn wake(&self) {
        if self.sleepers.load(Ordering::SeqCst) > 0 {
            // Whoever is about to sleep has not looked yet, or hears the bell.
            drop(self.mutex.lock().expect("nobody fails in bed"));
            self.condvar.notify_all();
        }
    }
}

/// One thread of a crew.
pub(super) struct Member<'c, M> {
    pub shard_pool: &'c ShardPool<M>,
    pub own: usize,
    /// Times it has said something.
    n_published: usize,
}

impl<'c, M> Member<'c, M> {
    pub fn new(shard_pool: &'c ShardPool<M>, own: usize) -> Self {
        Member { shard_pool, own, n_published: 0 }
    }

    /// Waits until all members have come here.
    fn wait_for_all(&self) {
        let shard_pool = self.shard_pool;
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

    /// Says something, and hears what everybody says, in the order of the members.
    pub fn all_gather(&mut self, word: u64) -> impl Iterator<Item = u64> {
        // Nobody can say something twice before all have heard the first: two places are enough.
        let published = &self.shard_pool.published[self.n_published % 2];
        self.n_published += 1;
        published[self.own].store(word, Ordering::Relaxed);
        self.wait_for_all();
        published.iter().map(|word| word.load(Ordering::Relaxed))
    }

    /// Gives a bag to every other member, as `fill` fills it, and waits for theirs.
    pub fn post(&self, mut fill: impl FnMut(usize, &mut M)) {
        for to in self.others() {
            fill(to, &mut self.mailbox(self.own, to));
        }
        self.wait_for_all();
    }

    /// Has `empty` empty the bags that the others have given. An empty bag is its sender's again,
    /// with the room it has.
    pub fn take(&self, mut empty: impl FnMut(usize, &mut M)) {
        for from in self.others() {
            empty(from, &mut self.mailbox(from, self.own));
        }
    }

    fn others(&self) -> impl Iterator<Item = usize> + use<M> {
        let own = self.own;
        (0..self.shard_pool.size).filter(move |&other| other != own)
    }

    fn mailbox(&self, from: usize, to: usize) -> MutexGuard<'c, M> {
        self.shard_pool.mailboxes[from * self.shard_pool.size + to]
            .lock()
            .expect("nobody failed with a bag open")
    }
}

/// Whoever waits for a member that failed would wait for ever.
impl<M> Drop for Member<'_, M> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.shard_pool.failed.store(true, Ordering::SeqCst);
            self.shard_pool.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every member sends every other its number and the round, and all add up what they hear.
    #[test]
    fn every_shard_receives_from_every_shard_each_round() {
        const ROUNDS: u64 = 300;
        for size in [1, 2, 3, 5] {
            let shard_pool = ShardPool::<Vec<u64>>::new(size, Span(1));
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
        let shard_pool = ShardPool::<()>::new(2, Span(1));
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
