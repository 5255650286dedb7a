//! Extent locks of one object at its server: grants, widening, the queue of waiting requests.
//!
//! Knows no message. Rules as in lustre/ldlm/ldlm_extent.c, as described in docs/models/lustre.md.

use std::collections::{BTreeMap, VecDeque};

use super::extents::{EOF, Extent, PAGE};
use crate::{CallId, ClientId};

/// A lock, over all objects.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LockId(pub u64);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// PR: any number of readers.
    Read,
    /// PW: one writer.
    Write,
    /// GROUP: the processes of one group, which coordinate their accesses themselves.
    Group,
}

impl Mode {
    pub fn conflicts(self, other: Mode) -> bool {
        !matches!((self, other), (Mode::Read, Mode::Read) | (Mode::Group, Mode::Group))
    }
}

/// Where the grant goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    Client(ClientId),
    /// The server itself, for the duration of one request: its number.
    Server(u32),
}

/// A request, or a granted lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExtentLock {
    pub id: LockId,
    pub owner: Owner,
    pub mode: Mode,
    pub requested: Extent,
    /// Equals `requested` until the lock is granted.
    pub extent: Extent,
    /// The server may grant more than `requested`.
    pub widen: bool,
    /// The call that uses it first, if a client owns it.
    pub call: CallId,
    /// A blocking AST has been sent, or accompanies the grant.
    pub revoked: bool,
}

/// A lock that has to be canceled because a request conflicts with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Revocation {
    pub client: ClientId,
    pub lock: LockId,
}

/// Result of a glimpse.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Glimpse {
    /// No conflict: a PR lock on the whole object is granted.
    Granted,
    /// The client whose PW lock reaches farthest states the size.
    Holder(ClientId),
    /// The server knows the size: requests wait, but no writer holds a lock.
    Known,
}

/// More conflicting locks than this: no growth below the request [ldlm_extent.c].
const CONFLICTS_DOWN: usize = 4;
/// More conflicting locks than this: a PW lock grows at most `LARGEST_GROWTH` [ldlm_extent.c].
const CONFLICTS_UP: usize = 32;
/// LDLM_MAX_GROWN_EXTENT.
const LARGEST_GROWTH: u64 = 32 << 20;

/// The locks of one object.
#[derive(Clone, Debug, Default)]
pub struct LockQueue {
    /// By start. PW locks are disjoint, so that a search for conflicts ends at the first gap.
    write: BTreeMap<(u64, LockId), ExtentLock>,
    read: BTreeMap<(u64, LockId), ExtentLock>,
    group: BTreeMap<(u64, LockId), ExtentLock>,
    waiting: VecDeque<ExtentLock>,
}

impl LockQueue {
    pub fn is_empty(&self) -> bool {
        self.granted().next().is_none() && self.waiting.is_empty()
    }
    pub fn granted(&self) -> impl Iterator<Item = &ExtentLock> {
        self.write.values().chain(self.read.values()).chain(self.group.values())
    }

    /// Adds a request. It is returned if it is granted at once. Locks to revoke are appended.
    pub fn enqueue(
        &mut self,
        mut lock: ExtentLock,
        revoke: &mut Vec<Revocation>,
    ) -> Option<ExtentLock> {
        let waits =
            |w: &ExtentLock| w.mode.conflicts(lock.mode) && w.requested.overlaps(lock.requested);
        // The server also sends blocking ASTs for requests that wait: they accompany the grant.
        let mut blocked = false;
        for w in self.waiting.iter_mut().filter(|w| waits(w)) {
            w.revoked = matches!(w.owner, Owner::Client(_));
            blocked = true;
        }
        blocked |= self.revoke_conflicts(&lock, revoke);
        if blocked {
            self.waiting.push_back(lock);
            return None;
        }
        lock.extent = self.widened(&lock);
        self.map(lock.mode).insert((lock.extent.start, lock.id), lock);
        Some(lock)
    }

    /// Removes a granted lock. Returns false if it is not granted.
    pub fn cancel(&mut self, mode: Mode, start: u64, id: LockId) -> bool {
        self.map(mode).remove(&(start, id)).is_some()
    }

    /// Grants the first waiting request if nothing conflicts. Otherwise its conflicts are revoked.
    pub fn grant_next(&mut self, revoke: &mut Vec<Revocation>) -> Option<ExtentLock> {
        let mut lock = *self.waiting.front()?;
        if self.revoke_conflicts(&lock, revoke) {
            return None;
        }
        self.waiting.pop_front();
        lock.extent = self.widened(&lock);
        // Requests behind it that conflict with what it got: cancel after use.
        lock.revoked |= matches!(lock.owner, Owner::Client(_))
            && self
                .waiting
                .iter()
                .any(|w| w.mode.conflicts(lock.mode) && w.requested.overlaps(lock.extent));
        self.map(lock.mode).insert((lock.extent.start, lock.id), lock);
        Some(lock)
    }

    /// A glimpse by `client` with lock `id`, granted if there is no writer and nothing waits.
    pub fn glimpse(&mut self, client: ClientId, id: LockId) -> Glimpse {
        let farthest = self.write.values().chain(self.group.values()).max_by_key(|l| l.extent.end);
        if let Some(lock) = farthest {
            return match lock.owner {
                Owner::Client(holder) => Glimpse::Holder(holder),
                Owner::Server(_) => Glimpse::Known,
            };
        }
        if !self.waiting.is_empty() {
            return Glimpse::Known;
        }
        let lock = ExtentLock {
            id,
            owner: Owner::Client(client),
            mode: Mode::Read,
            requested: Extent::ALL,
            extent: Extent::ALL,
            widen: false,
            call: CallId(0),
            revoked: false,
        };
        self.read.insert((0, id), lock);
        Glimpse::Granted
    }

    /// All granted locks of clients, which are revoked because the object is destroyed.
    pub fn revoke_all(&mut self, revoke: &mut Vec<Revocation>) {
        for map in [&mut self.write, &mut self.read, &mut self.group] {
            for lock in map.values_mut() {
                revoke_lock(lock, revoke);
            }
        }
    }

    fn map(&mut self, mode: Mode) -> &mut BTreeMap<(u64, LockId), ExtentLock> {
        match mode {
            Mode::Read => &mut self.read,
            Mode::Write => &mut self.write,
            Mode::Group => &mut self.group,
        }
    }

    /// Whether a granted lock conflicts with the request. Those without an AST get one.
    fn revoke_conflicts(&mut self, lock: &ExtentLock, revoke: &mut Vec<Revocation>) -> bool {
        let mut found = false;
        let end = (lock.requested.end, LockId(0));
        if lock.mode.conflicts(Mode::Write) {
            let below = self.write.range_mut(..end).rev();
            for (_, l) in below.take_while(|(_, l)| l.extent.overlaps(lock.requested)) {
                found = true;
                revoke_lock(l, revoke);
            }
        }
        let others = [(Mode::Read, &mut self.read), (Mode::Group, &mut self.group)];
        for (mode, map) in others {
            if lock.mode.conflicts(mode) {
                for (_, l) in map.range_mut(..end) {
                    if l.extent.overlaps(lock.requested) {
                        found = true;
                        revoke_lock(l, revoke);
                    }
                }
            }
        }
        found
    }

    /// The largest extent that conflicts with nothing, by the rules of the server.
    fn widened(&self, lock: &ExtentLock) -> Extent {
        let request = lock.requested;
        if !lock.widen || request == Extent::ALL {
            return request;
        }
        let mut extent = Extent::ALL;
        let mut conflicts = 0;
        for (mode, map) in
            [(Mode::Read, &self.read), (Mode::Write, &self.write), (Mode::Group, &self.group)]
        {
            if !mode.conflicts(lock.mode) || map.is_empty() {
                continue;
            }
            conflicts += map.len();
            // Downwards a lock grows only if there is no conflicting lock at all.
            extent.start = request.start;
            if let Some((&(start, _), _)) = map.range((request.end, LockId(0))..).next() {
                extent.end = extent.end.min(start);
            }
        }
        extent = aligned(lock, extent, conflicts);
        self.limited_by_waiting(lock, extent)
    }

    /// Limits growth by the requests that wait.
    fn limited_by_waiting(&self, lock: &ExtentLock, mut extent: Extent) -> Extent {
        let request = lock.requested;
        let mut conflicts = 0;
        for other in &self.waiting {
            if extent == request {
                return extent;
            }
            if !other.mode.conflicts(lock.mode) && other.owner != lock.owner {
                continue;
            }
            conflicts += 1;
            if conflicts > CONFLICTS_DOWN {
                extent.start = request.start;
            }
            let wanted = other.requested;
            if !wanted.overlaps(extent) || wanted.overlaps(request) {
                continue;
            }
            if wanted.start < request.start {
                extent.start = extent.start.max(wanted.end.min(request.start));
            } else {
                extent.end = extent.end.min(wanted.start);
            }
        }
        aligned(lock, extent, conflicts)
    }
}

fn revoke_lock(lock: &mut ExtentLock, revoke: &mut Vec<Revocation>) {
    if let (Owner::Client(client), false) = (lock.owner, lock.revoked) {
        lock.revoked = true;
        revoke.push(Revocation { client, lock: lock.id });
    }
}

/// Limits growth under contention, and shrinks the extent to the alignment of the request.
fn aligned(lock: &ExtentLock, mut extent: Extent, conflicts: usize) -> Extent {
    let request = lock.requested;
    if conflicts > CONFLICTS_UP && lock.mode == Mode::Write {
        let largest = request.start.saturating_add(LARGEST_GROWTH);
        extent.end = extent.end.min(largest).max(request.end);
    }
    if extent == Extent::ALL {
        return extent;
    }
    // The largest power of two that divides both ends of the request, at least a page.
    let ends = request.start | if request.end == EOF { 0 } else { request.end };
    let unit = if ends == 0 { PAGE } else { (1 << ends.trailing_zeros()).max(PAGE) };
    let start = extent.start.checked_next_multiple_of(unit).unwrap_or(request.start);
    let end = if extent.end == EOF { EOF } else { extent.end & !(unit - 1) };
    Extent { start: start.min(request.start), end: end.max(request.end) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn request(id: u64, client: u32, mode: Mode, start: u64, end: u64) -> ExtentLock {
        let extent = Extent::new(start, end);
        ExtentLock {
            id: LockId(id),
            owner: Owner::Client(ClientId(client)),
            mode,
            requested: extent,
            extent,
            widen: true,
            call: CallId(0),
            revoked: false,
        }
    }

    #[test]
    fn the_first_lock_grows_to_the_whole_object() {
        let mut queue = LockQueue::default();
        let got = queue.enqueue(request(1, 0, Mode::Write, MIB, 2 * MIB), &mut Vec::new());
        assert_eq!(got.expect("no conflict").extent, Extent::ALL);
    }

    #[test]
    fn a_second_writer_revokes_the_first_and_grows_upwards() {
        let (mut queue, mut revoke) = (LockQueue::default(), Vec::new());
        queue.enqueue(request(1, 0, Mode::Write, 0, MIB), &mut revoke);
        let second = request(2, 1, Mode::Write, MIB, 2 * MIB);
        assert_eq!(queue.enqueue(second, &mut revoke), None);
        assert_eq!(revoke, [Revocation { client: ClientId(0), lock: LockId(1) }]);
        assert_eq!(queue.grant_next(&mut revoke), None);
        assert_eq!(revoke.len(), 1, "one AST per lock");
        assert!(queue.cancel(Mode::Write, 0, LockId(1)));
        let granted = queue.grant_next(&mut revoke).expect("nothing is left");
        assert_eq!(granted.extent, Extent::ALL);
        assert!(!granted.revoked);
    }

    #[test]
    fn a_lock_ends_where_the_next_conflicting_lock_begins() {
        let (mut queue, mut revoke) = (LockQueue::default(), Vec::new());
        let mut exact = request(1, 0, Mode::Write, 8 * MIB, 9 * MIB);
        exact.widen = false;
        queue.enqueue(exact, &mut revoke);
        let got = queue.enqueue(request(2, 1, Mode::Write, 2 * MIB, 3 * MIB), &mut revoke);
        // Not downwards, because a conflicting lock exists.
        assert_eq!(got.expect("disjoint").extent, Extent::new(2 * MIB, 8 * MIB));
        assert!(revoke.is_empty());
    }

    #[test]
    fn more_than_32_conflicts_limit_growth_to_32_mib() {
        let (mut queue, mut revoke) = (LockQueue::default(), Vec::new());
        for i in 0..33 {
            let at = (1000 + u64::from(i)) * MIB;
            let mut lock = request(u64::from(i), i, Mode::Write, at, at + MIB);
            lock.widen = false;
            queue.enqueue(lock, &mut revoke);
        }
        let got = queue.enqueue(request(99, 99, Mode::Write, MIB, 2 * MIB), &mut revoke);
        assert_eq!(got.expect("disjoint").extent, Extent::new(MIB, 33 * MIB));
        let got = queue.enqueue(request(100, 98, Mode::Read, 500 * MIB, 501 * MIB), &mut revoke);
        assert_eq!(got.expect("disjoint").extent.end, 1000 * MIB, "PR locks have no such limit");
    }

    #[test]
    fn readers_share_and_a_writer_revokes_all() {
        let (mut queue, mut revoke) = (LockQueue::default(), Vec::new());
        for i in 0..3 {
            let lock = request(u64::from(i), i, Mode::Read, 0, MIB);
            assert_eq!(queue.enqueue(lock, &mut revoke).expect("shared").extent, Extent::ALL);
        }
        assert_eq!(queue.enqueue(request(9, 9, Mode::Write, 0, MIB), &mut revoke), None);
        assert_eq!(revoke.len(), 3);
        for i in 0..3 {
            assert!(queue.grant_next(&mut revoke).is_none());
            queue.cancel(Mode::Read, 0, LockId(i));
        }
        assert!(queue.grant_next(&mut revoke).is_some());
    }

    #[test]
    fn a_waiting_request_limits_the_lock_granted_before_it() {
        let (mut queue, mut revoke) = (LockQueue::default(), Vec::new());
        queue.enqueue(request(1, 0, Mode::Write, 0, MIB), &mut revoke);
        queue.enqueue(request(2, 1, Mode::Write, MIB, 2 * MIB), &mut revoke);
        queue.enqueue(request(3, 2, Mode::Write, 2 * MIB, 3 * MIB), &mut revoke);
        queue.cancel(Mode::Write, 0, LockId(1));
        let second = queue.grant_next(&mut revoke).expect("first in the queue");
        assert_eq!(second.extent, Extent::new(0, 2 * MIB));
        let third = queue.grant_next(&mut revoke).expect("does not conflict");
        assert_eq!(third.extent, Extent::new(2 * MIB, EOF));
    }

    #[test]
    fn group_locks_share_and_conflict_with_others() {
        let (mut queue, mut revoke) = (LockQueue::default(), Vec::new());
        for i in 0..2 {
            assert!(queue.enqueue(request(i, 0, Mode::Group, 0, EOF), &mut revoke).is_some());
        }
        assert!(queue.enqueue(request(2, 3, Mode::Read, 0, MIB), &mut revoke).is_none());
        assert_eq!(revoke.len(), 2);
    }

    #[test]
    fn a_glimpse_is_granted_or_names_the_farthest_writer() {
        let (mut queue, mut revoke) = (LockQueue::default(), Vec::new());
        assert_eq!(queue.glimpse(ClientId(5), LockId(1)), Glimpse::Granted);
        queue.cancel(Mode::Read, 0, LockId(1));
        for (i, end) in [(2, MIB), (3, 9 * MIB), (4, 4 * MIB)] {
            let mut lock = request(i, i as u32, Mode::Write, end - MIB, end);
            lock.widen = false;
            queue.enqueue(lock, &mut revoke);
        }
        assert_eq!(queue.glimpse(ClientId(5), LockId(6)), Glimpse::Holder(ClientId(3)));
    }
}
