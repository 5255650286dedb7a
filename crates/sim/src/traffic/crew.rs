//! Threads that simulate one world together, a shard each. Between two meetings everybody goes on
//! alone for as long as nobody can hear of anybody else; then all exchange what they have to tell.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};

use base::Span;

/// What the members of a crew share.
pub(super) struct Crew<M> {
    size: usize,
    /// How long a member may go on alone.
    pub lookahead: Span,
    waiting: AtomicUsize,
    meetings: AtomicUsize,
    /// What each member said at the last two meetings where they said something.
    said: [Vec<AtomicU64>; 2],
    /// `from * size + to`
    bags: Vec<Mutex<M>>,
    failed: AtomicBool,
    /// Members that sleep until the meeting, and what wakes them.
    sleepers: AtomicUsize,
    bed: Mutex<()>,
    bell: Condvar,
}

/// Looks at a meeting before a member goes to sleep, some 40 us [estimate]: about what a sleep
/// costs. Where others want the cores as well, sleepers are woken sooner than spinners get a turn.
const LOOKS: u32 = 1_000;

impl<M: Default> Crew<M> {
    pub fn new(size: usize, lookahead: Span) -> Self {
        let said = || (0..size).map(|_| AtomicU64::new(0)).collect();
        Crew {
            size,
            lookahead,
            waiting: AtomicUsize::new(0),
            meetings: AtomicUsize::new(0),
            said: [said(), said()],
            bags: (0..size * size).map(|_| Mutex::default()).collect(),
            failed: AtomicBool::new(false),
            sleepers: AtomicUsize::new(0),
            bed: Mutex::new(()),
            bell: Condvar::new(),
        }
    }
}

impl<M> Crew<M> {
    /// Sleeps until it is not so any more; panics if a member has.
    fn sleep_while(&self, is_so: impl Fn() -> bool) {
        let failed = || self.failed.load(Ordering::SeqCst);
        // Whoever rings the bell sees this, or we see why it would have been rung.
        self.sleepers.fetch_add(1, Ordering::SeqCst);
        let bed = self.bed.lock().expect("nobody fails in bed");
        drop(self.bell.wait_while(bed, |()| is_so() && !failed()).expect("nobody fails in bed"));
        self.sleepers.fetch_sub(1, Ordering::SeqCst);
        assert!(!is_so(), "another shard of this world failed");
    }

    fn wake(&self) {
        if self.sleepers.load(Ordering::SeqCst) > 0 {
            // Whoever is about to sleep has not looked yet, or hears the bell.
            drop(self.bed.lock().expect("nobody fails in bed"));
            self.bell.notify_all();
        }
    }
}

/// One thread of a crew.
pub(super) struct Member<'c, M> {
    pub crew: &'c Crew<M>,
    pub own: usize,
    /// Times it has said something.
    spoken: usize,
}

impl<'c, M> Member<'c, M> {
    pub fn new(crew: &'c Crew<M>, own: usize) -> Self {
        Member { crew, own, spoken: 0 }
    }

    /// Waits until all members have come here.
    fn meet(&self) {
        let crew = self.crew;
        let meeting = crew.meetings.load(Ordering::Acquire);
        if crew.waiting.fetch_add(1, Ordering::AcqRel) + 1 == crew.size {
            crew.waiting.store(0, Ordering::Relaxed);
            crew.meetings.store(meeting.wrapping_add(1), Ordering::SeqCst);
            crew.wake();
            return;
        }
        let goes_on = || crew.meetings.load(Ordering::SeqCst) == meeting;
        for _ in 0..LOOKS {
            if !goes_on() {
                return;
            }
            std::hint::spin_loop();
        }
        crew.sleep_while(goes_on);
    }

    /// Says something, and hears what everybody says, in the order of the members.
    pub fn say(&mut self, word: u64) -> impl Iterator<Item = u64> {
        // Nobody can say something twice before all have heard the first: two places are enough.
        let said = &self.crew.said[self.spoken % 2];
        self.spoken += 1;
        said[self.own].store(word, Ordering::Relaxed);
        self.meet();
        said.iter().map(|word| word.load(Ordering::Relaxed))
    }

    /// Gives a bag to every other member, as `fill` fills it, and waits for theirs.
    pub fn give(&self, mut fill: impl FnMut(usize, &mut M)) {
        for to in self.others() {
            fill(to, &mut self.bag(self.own, to));
        }
        self.meet();
    }

    /// Has `empty` empty the bags that the others have given. An empty bag is its sender's again,
    /// with the room it has.
    pub fn take(&self, mut empty: impl FnMut(usize, &mut M)) {
        for from in self.others() {
            empty(from, &mut self.bag(from, self.own));
        }
    }

    fn others(&self) -> impl Iterator<Item = usize> + use<M> {
        let own = self.own;
        (0..self.crew.size).filter(move |&other| other != own)
    }

    fn bag(&self, from: usize, to: usize) -> MutexGuard<'c, M> {
        self.crew.bags[from * self.crew.size + to].lock().expect("nobody failed with a bag open")
    }
}

/// Whoever waits for a member that failed would wait for ever.
impl<M> Drop for Member<'_, M> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.crew.failed.store(true, Ordering::SeqCst);
            self.crew.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every member sends every other its number and the round, and all add up what they hear.
    #[test]
    fn everybody_hears_everybody_in_every_round() {
        const ROUNDS: u64 = 300;
        for size in [1, 2, 3, 5] {
            let crew = Crew::<Vec<u64>>::new(size, Span(1));
            let run = |own: usize| {
                let (mut member, mut got) = (Member::new(&crew, own), 0);
                for round in 0..ROUNDS {
                    let said: Vec<u64> = member.say(round * 10 + own as u64).collect();
                    let want: Vec<u64> = (0..size as u64).map(|m| round * 10 + m).collect();
                    assert_eq!(said, want, "round {round}");
                    member.give(|to, bag| bag.push(round * 100 + to as u64));
                    member.take(|_, bag| bag.drain(..).for_each(|n| got += n - own as u64));
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
    fn nobody_waits_for_a_member_that_failed() {
        let crew = Crew::<()>::new(2, Span(1));
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| Member::new(&crew, 0).meet());
            let fails = scope.spawn(|| {
                let _member = Member::new(&crew, 1);
                panic!("as meant");
            });
            assert!(fails.join().is_err() && waits.join().is_err());
        });
    }
}
