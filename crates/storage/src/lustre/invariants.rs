//! Conditions that hold between any two events; for tests.

use super::Lustre;
use super::extent_locks::{ExtentLock, Mode, Owner};
use super::extents::ExtentSet;
use super::layout::ObjectId;
use base::Idx;

impl Lustre {
    /// The first condition that does not hold.
    pub fn invariants(&self) -> Result<(), String> {
        self.locks_are_exclusive()?;
        self.clients_hold_what_servers_granted()?;
        self.dirty_pages_are_locked_and_limited()
    }

    /// No lock conflicts with another one on the same bytes.
    fn locks_are_exclusive(&self) -> Result<(), String> {
        for (object, o) in self.objects.iter() {
            let Some(queue) = &o.locks else { continue };
            let granted: Vec<&ExtentLock> = queue.granted().collect();
            for (i, a) in granted.iter().enumerate() {
                for b in &granted[..i] {
                    if a.mode.conflicts(b.mode) && a.extent.overlaps(b.extent) {
                        return Err(format!("{object:?}: {a:?} and {b:?}"));
                    }
                }
            }
        }
        Ok(())
    }

    fn clients_hold_what_servers_granted(&self) -> Result<(), String> {
        for (i, client) in self.clients.iter().enumerate() {
            for (&object, o) in &client.objects {
                for lock in &o.locks {
                    let queue = self.objects[object].locks.as_ref();
                    let granted = queue.and_then(|q| q.granted().find(|l| l.id == lock.id));
                    let same = granted.is_some_and(|g| {
                        g.extent == lock.extent
                            && g.mode == lock.mode
                            && matches!(g.owner, Owner::Client(c) if c.idx() == i)
                    });
                    if !same {
                        return Err(format!("client {i}, {object:?}: {lock:?}, not {granted:?}"));
                    }
                }
            }
        }
        Ok(())
    }

    fn dirty_pages_are_locked_and_limited(&self) -> Result<(), String> {
        let limit = self.params.dirty_limit.max(self.params.brw_size);
        for (i, client) in self.clients.iter().enumerate() {
            for (&object, o) in &client.objects {
                // Locks requested in advance are as long as their writes, so adjacent dirty bytes
                // may be under several of them.
                let mut writable = ExtentSet::default();
                for lock in o.locks.iter().filter(|lock| lock.mode != Mode::Read) {
                    writable.insert(lock.extent);
                }
                for dirty in o.dirty.iter().chain(o.writing.iter().copied()) {
                    if !writable.covers(dirty) && !self.objects[object].destroyed {
                        return Err(format!("client {i}, {object:?}: no lock for {dirty:?}"));
                    }
                }
                if o.dirty.iter().any(|e| !o.cached.covers(e)) {
                    return Err(format!("client {i}, {object:?}: dirty and not cached"));
                }
            }
            let cached: u64 = client.objects.values().map(|o| o.cached.bytes()).sum();
            if cached != client.cached {
                return Err(format!("client {i}: {cached} bytes cached, not {}", client.cached));
            }
            for (&target, osc) in &client.oscs {
                let of_target = |id: ObjectId| self.objects[id].target == target;
                let objects = client.objects.iter().filter(|(id, _)| of_target(**id));
                let dirty: u64 = objects
                    .map(|(_, o)| {
                        let writing = o.writing.iter().map(|e| e.bytes());
                        o.dirty.bytes() + writing.sum::<u64>()
                    })
                    .sum();
                if dirty != osc.dirty || dirty > limit {
                    return Err(format!(
                        "client {i}, target {target}: {dirty} dirty, counted {}, limit {limit}",
                        osc.dirty
                    ));
                }
            }
        }
        for (i, target) in self.targets.iter().enumerate() {
            if target.used + target.granted > target.capacity {
                return Err(format!("target {i}: {target:?}"));
            }
        }
        Ok(())
    }
}
