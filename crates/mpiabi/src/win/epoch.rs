//! Epochs: which one-sided calls are allowed at present. Only the rules are here; `sync` implements
//! waiting.

use std::collections::BTreeMap;

use crate::abi::c;
use crate::error::{Result, fail};

/// How this rank may access other ranks' memory. Ranks are those of the window.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Access {
    Closed,
    /// From one fence to the next. A fence epoch without an operation need not be ended.
    Fence {
        used: bool,
    },
    /// From MPI_Win_start to MPI_Win_complete.
    Start(Vec<u32>),
    /// Individual locks.
    Locks(BTreeMap<u32, Lock>),
    All(Lock),
}

/// How a lock is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lock {
    /// Granted by the simulator.
    Taken,
    /// `MPI_MODE_NOCHECK`: the program guarantees that no conflicting lock is held.
    Assumed,
}

#[derive(Debug)]
pub(super) struct Epochs {
    pub access: Access,
    /// Between MPI_Win_post and MPI_Win_wait: this rank's memory is exposed to a group.
    pub exposed: bool,
}

impl Epochs {
    pub fn new() -> Epochs {
        Epochs { access: Access::Closed, exposed: false }
    }

    /// Checks an operation on `target`.
    pub fn operate(&mut self, target: u32) -> Result {
        match &mut self.access {
            Access::Fence { used } => {
                *used = true;
                Ok(())
            }
            Access::Start(group) if group.contains(&target) => Ok(()),
            Access::Locks(locks) if locks.contains_key(&target) => Ok(()),
            Access::All(_) => Ok(()),
            Access::Closed => fail!(
                c::ERR_RMA_SYNC,
                "no epoch has begun: call MPI_Win_fence, MPI_Win_start or MPI_Win_lock first"
            ),
            Access::Start(_) => {
                fail!(c::ERR_RMA_SYNC, "rank {target} is not in the group of MPI_Win_start")
            }
            Access::Locks(_) => fail!(c::ERR_RMA_SYNC, "rank {target} is not locked"),
        }
    }
    /// Checks that no epoch other than a fence's is open.
    fn idle(&self) -> Result {
        match &self.access {
            Access::Closed | Access::Fence { used: false } => Ok(()),
            _ => fail!(c::ERR_RMA_SYNC, "{} has not ended", self.what()),
        }
    }
    /// Description of the open access epoch, for messages.
    fn what(&self) -> &'static str {
        match self.access {
            Access::Closed => "no epoch",
            Access::Fence { .. } => "the epoch of MPI_Win_fence",
            Access::Start(_) => "the epoch of MPI_Win_start",
            Access::Locks(_) => "the epoch of MPI_Win_lock",
            Access::All(_) => "the epoch of MPI_Win_lock_all",
        }
    }
    pub fn fence(&self) -> Result {
        match self.access {
            Access::Closed | Access::Fence { .. } if !self.exposed => Ok(()),
            Access::Closed | Access::Fence { .. } => {
                fail!(c::ERR_RMA_SYNC, "MPI_Win_post has not been followed by MPI_Win_wait")
            }
            _ => fail!(c::ERR_RMA_SYNC, "{} has not ended", self.what()),
        }
    }
    pub fn start(&self) -> Result {
        self.idle()
    }
    pub fn complete(&self) -> Result {
        match self.access {
            Access::Start(_) => Ok(()),
            _ => fail!(c::ERR_RMA_SYNC, "there was no MPI_Win_start before it"),
        }
    }
    pub fn post(&self) -> Result {
        if self.exposed {
            return fail!(
                c::ERR_RMA_SYNC,
                "the MPI_Win_post before it has not been followed by MPI_Win_wait"
            );
        }
        match self.access {
            Access::Fence { used: true } => {
                fail!(c::ERR_RMA_SYNC, "{} has not ended", self.what())
            }
            _ => Ok(()),
        }
    }
    pub fn wait(&self) -> Result {
        if !self.exposed {
            return fail!(c::ERR_RMA_SYNC, "there was no MPI_Win_post before it");
        }
        Ok(())
    }
    pub fn lock(&self, target: u32) -> Result {
        match &self.access {
            Access::Locks(locks) if locks.contains_key(&target) => {
                fail!(c::ERR_RMA_SYNC, "rank {target} is locked already")
            }
            Access::Locks(_) => Ok(()),
            _ => self.idle(),
        }
    }
    pub fn lock_all(&self) -> Result {
        self.idle()
    }
    /// How `target` is locked.
    pub fn locked(&self, target: u32) -> Result<Lock> {
        let held = match &self.access {
            Access::Locks(locks) => locks.get(&target),
            _ => None,
        };
        held.copied().map_or_else(
            || fail!(c::ERR_RMA_SYNC, "rank {target} has not been locked by MPI_Win_lock"),
            Ok,
        )
    }
    pub fn all_locked(&self) -> Result<Lock> {
        match self.access {
            Access::All(lock) => Ok(lock),
            _ => fail!(c::ERR_RMA_SYNC, "there was no MPI_Win_lock_all before it"),
        }
    }
    /// A flush of one rank, or of all.
    pub fn flush(&self, target: Option<u32>) -> Result {
        match (&self.access, target) {
            (Access::All(_), _) | (Access::Locks(_), None) => Ok(()),
            (Access::Locks(locks), Some(rank)) if locks.contains_key(&rank) => Ok(()),
            (Access::Locks(_), Some(rank)) => {
                fail!(c::ERR_RMA_SYNC, "rank {rank} is not locked")
            }
            _ => fail!(
                c::ERR_RMA_SYNC,
                "nothing is locked: the call is for passive target synchronization"
            ),
        }
    }
    pub fn sync(&self) -> Result {
        match self.access {
            Access::All(_) | Access::Locks(_) => Ok(()),
            _ => fail!(
                c::ERR_RMA_SYNC,
                "nothing is locked: the call is for passive target synchronization"
            ),
        }
    }
    pub fn free(&self) -> Result {
        self.idle()?;
        if self.exposed {
            return fail!(c::ERR_RMA_SYNC, "MPI_Win_post has not been followed by MPI_Win_wait");
        }
        Ok(())
    }
    pub fn insert(&mut self, target: u32, lock: Lock) {
        match &mut self.access {
            Access::Locks(locks) => {
                locks.insert(target, lock);
            }
            _ => self.access = Access::Locks(BTreeMap::from([(target, lock)])),
        }
    }
    pub fn remove(&mut self, target: u32) {
        if let Access::Locks(locks) = &mut self.access {
            locks.remove(&target);
            if locks.is_empty() {
                self.access = Access::Closed;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which calls are allowed, as letters: fence, start, complete, post, wait, lock (0), unlock
    /// (0), lock all, unlock all, operate (on 0), free.
    fn allowed(epochs: &Epochs) -> String {
        let calls = [
            ('f', epochs.fence().is_ok()),
            ('s', epochs.start().is_ok()),
            ('c', epochs.complete().is_ok()),
            ('p', epochs.post().is_ok()),
            ('w', epochs.wait().is_ok()),
            ('l', epochs.lock(0).is_ok()),
            ('u', epochs.locked(0).is_ok()),
            ('a', epochs.lock_all().is_ok()),
            ('e', epochs.all_locked().is_ok()),
            ('F', epochs.flush(Some(0)).is_ok()),
            ('x', epochs.free().is_ok()),
        ];
        calls.iter().filter(|c| c.1).map(|c| c.0).collect()
    }

    #[test]
    fn every_epoch_allows_its_own_calls() {
        let taken = Lock::Taken;
        let cases = [
            (Access::Closed, false, "fsplax"),
            (Access::Closed, true, "swla"),
            (Access::Fence { used: false }, false, "fsplax"),
            (Access::Fence { used: true }, false, "f"),
            (Access::Start(vec![0]), false, "cp"),
            (Access::Start(vec![0]), true, "cw"),
            (Access::Locks(BTreeMap::from([(0, taken)])), false, "puF"),
            (Access::Locks(BTreeMap::from([(1, taken)])), false, "pl"),
            (Access::All(taken), false, "peF"),
        ];
        for (access, exposed, expect) in cases {
            let what = format!("{access:?}, exposed: {exposed}");
            assert_eq!(allowed(&Epochs { access, exposed }), expect, "{what}");
        }
    }

    #[test]
    fn operations_need_an_epoch_that_reaches_their_target() {
        let cases = [
            (Access::Closed, false),
            (Access::Fence { used: false }, true),
            (Access::Start(vec![0, 2]), true),
            (Access::Start(vec![1]), false),
            (Access::Locks(BTreeMap::from([(2, Lock::Assumed)])), true),
            (Access::Locks(BTreeMap::from([(0, Lock::Assumed)])), false),
            (Access::All(Lock::Taken), true),
        ];
        for (access, expect) in cases {
            let mut epochs = Epochs { access, exposed: false };
            assert_eq!(epochs.operate(2).is_ok(), expect, "{:?}", epochs.access);
        }
        let mut epochs = Epochs { access: Access::Fence { used: false }, exposed: false };
        epochs.operate(0).unwrap();
        assert!(epochs.lock(0).is_err(), "the fence's epoch has been used");
    }
}
