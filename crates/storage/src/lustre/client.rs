//! State of a client, which is the kernel of a node: pages, locks, credits per target.
//!
//! Methods change this state only; they send nothing.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use base::Time;
use workload::FileId;

use super::extent_locks::{ExtentLock, LockId, Mode};
use super::extents::{Extent, ExtentSet};
use super::layout::{ObjectId, RequestedLayout};
use super::read_ahead::{Scan, Streams};
use super::request::RequestId;
use crate::CallId;

/// A granted extent lock.
#[derive(Clone, Copy, Debug)]
pub struct HeldLock {
    pub id: LockId,
    pub mode: Mode,
    pub extent: Extent,
    /// Calls that use it. A blocking AST takes effect when it is 0.
    pub users: u32,
    /// A blocking AST has arrived: no new users.
    pub revoked: bool,
}

/// What a client holds of an object.
#[derive(Clone, Debug, Default)]
pub struct ClientObject {
    pub locks: Vec<HeldLock>,
    /// Blocking ASTs that arrived before the grant.
    pub early_revocations: Vec<LockId>,
    /// Bytes in the page cache; contains `dirty`.
    pub cached: ExtentSet,
    /// Bytes that no RPC carries yet.
    pub dirty: ExtentSet,
    /// Bytes of write RPCs in flight. A byte that is written again is also dirty.
    pub writing: Vec<Extent>,
    /// Bytes of read RPCs that are queued or in flight.
    pub loading: ExtentSet,
    /// All dirty bytes are to be written at once.
    pub flush: bool,
    /// It is in the queue of its target.
    pub queued: bool,
    pub dirty_since: Time,
    /// Calls to continue when pages arrive or have been written.
    pub waiters: Vec<CallId>,
}

impl ClientObject {
    /// A lock for an access of `mode` to all of `extent`, without a blocking AST.
    pub fn usable(&mut self, mode: Mode, extent: Extent) -> Option<&mut HeldLock> {
        let fits = |l: &HeldLock| l.mode == mode || (mode == Mode::Read && l.mode == Mode::Write);
        self.locks.iter_mut().find(|l| !l.revoked && fits(l) && l.extent.covers(extent))
    }
    pub fn is_writing(&self, extent: Extent) -> bool {
        self.writing.iter().any(|e| e.overlaps(extent))
    }
    pub fn is_clean(&self) -> bool {
        self.dirty.is_empty() && self.writing.is_empty()
    }
    /// Nothing refers to it.
    pub fn is_idle(&self) -> bool {
        self.locks.is_empty()
            && self.early_revocations.is_empty()
            && self.cached.is_empty()
            && self.is_clean()
            && self.loading.is_empty()
            && self.waiters.is_empty()
            && !self.queued
    }
    pub fn install(&mut self, lock: &ExtentLock, users: u32) {
        let early = self.early_revocations.iter().position(|&id| id == lock.id);
        let revoked = early.map(|i| self.early_revocations.swap_remove(i)).is_some();
        if self.locks.is_empty() {
            // Most objects of a client have one lock.
            self.locks.reserve_exact(1);
        }
        self.locks.push(HeldLock {
            id: lock.id,
            mode: lock.mode,
            extent: lock.extent,
            users,
            revoked: revoked || lock.revoked,
        });
    }
}

/// Work that waits for one of the RPCs in flight to a target.
#[derive(Clone, Copy, Debug)]
pub enum QueueItem {
    /// Dirty pages of an object.
    Write(ObjectId),
    /// Pages into the cache.
    Read { object: ObjectId, extent: Extent },
    /// Data that a call waits for: O_DIRECT, or with `locked` under a lock of the client.
    Direct { call: CallId, object: ObjectId, extent: Extent, write: bool, locked: bool },
}

/// A client's state for an OST, or for the data on an MDT (an OSC).
#[derive(Clone, Debug, Default)]
pub struct Osc {
    pub in_flight: u32,
    pub writes_in_flight: u32,
    /// Dirty bytes, also those of RPCs in flight.
    pub dirty: u64,
    pub grant: u64,
    /// Objects with a lock to cancel: their pages go first.
    pub urgent: VecDeque<ObjectId>,
    pub queue: VecDeque<QueueItem>,
    /// Calls that wait for the dirty limit or for grant.
    pub waiters: Vec<CallId>,
}

/// A client's requests to an MDT (an MDC).
#[derive(Clone, Debug, Default)]
pub struct Mdc {
    pub in_flight: u32,
    pub modifying: u32,
    /// Closes among them. One may exceed the limit, so that closes do not wait for creates that
    /// wait for closes [L genops.c].
    pub closes: u32,
    pub queue: VecDeque<RequestId>,
    pub modifying_queue: VecDeque<RequestId>,
}

/// A node's client.
#[derive(Clone, Debug, Default)]
pub struct Client {
    /// Components of the next call's path: parent and entry.
    pub lookups: Vec<(FileId, FileId)>,
    /// The layout of the next call.
    pub layout: Option<RequestedLayout>,
    pub objects: BTreeMap<ObjectId, ClientObject>,
    pub oscs: BTreeMap<u32, Osc>,
    pub mdcs: BTreeMap<u32, Mdc>,
    /// Sequential reads, per file.
    pub streams: BTreeMap<FileId, Streams>,
    /// Bytes that read-ahead has loaded and no call has read.
    pub read_ahead: u64,
    /// Directories that are read or whose entries are statted in order.
    pub scans: BTreeMap<FileId, Scan>,
    /// Pages in the order in which they entered the cache. Entries may be stale.
    pub cache_order: VecDeque<(ObjectId, Extent)>,
    /// Length of `cache_order` at which stale entries are removed.
    pub compact_at: usize,
    pub cached: u64,
    /// Objects with dirty pages, for the flush by age and for `sync`.
    pub dirty_objects: BTreeSet<ObjectId>,
    pub flush_timer: bool,
}

impl Client {
    pub fn object(&mut self, object: ObjectId) -> &mut ClientObject {
        self.objects.entry(object).or_default()
    }
    /// Forgets an object that nothing refers to.
    pub fn release(&mut self, object: ObjectId) {
        if self.objects.get(&object).is_some_and(ClientObject::is_idle) {
            self.objects.remove(&object);
        }
    }
    /// Adds pages to the cache and removes the oldest clean ones beyond `limit`.
    pub fn cache(&mut self, object: ObjectId, extent: Extent, limit: u64) {
        let new = self.object(object).cached.insert(extent);
        self.cached += new;
        if new > 0 {
            match self.cache_order.back_mut() {
                Some((last, e)) if *last == object && e.end == extent.start => e.end = extent.end,
                _ => self.cache_order.push_back((object, extent)),
            }
        }
        if self.cache_order.len() > self.compact_at {
            let objects = &self.objects;
            self.cache_order
                .retain(|(id, extent)| objects.get(id).is_some_and(|o| o.cached.overlaps(*extent)));
            self.compact_at = (2 * self.cache_order.len()).max(1024);
        }
        // Each entry is visited once: dirty pages return to the end of the order.
        let mut visits = self.cache_order.len();
        while self.cached > limit && visits > 0 {
            visits -= 1;
            let Some((oldest, extent)) = self.cache_order.pop_front() else { return };
            self.evict(oldest, extent);
        }
    }
    fn evict(&mut self, object: ObjectId, extent: Extent) {
        let Some(o) = self.objects.get_mut(&object) else { return };
        if o.dirty.overlaps(extent) || o.is_writing(extent) {
            self.cache_order.push_back((object, extent));
        } else {
            self.cached -= o.cached.remove(extent);
            self.release(object);
        }
    }
    /// Removes pages of an object from the cache, which are clean or to be discarded.
    pub fn drop_pages(&mut self, object: ObjectId, extent: Extent) {
        if let Some(o) = self.objects.get_mut(&object) {
            self.cached -= o.cached.remove(extent);
        }
    }
}
