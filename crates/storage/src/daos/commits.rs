//! Commits of distributed transactions, which leaders send in batches.
//!
//! Source: daos-stack/daos @1ff45496, dtx/dtx_common.c.

use base::Time;
use workload::FileId;

use super::task::{NO_TASK, Node, Work};
use super::{Daos, Timer, operation, protocol};
use crate::{ServerId, Sink};

/// A transaction that all members have prepared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    pub object: FileId,
    pub key: u64,
    /// Members that take part: bit i is member i. `ALL` are all members.
    pub mask: u32,
    /// All shards of the object take part, not one group.
    pub whole: bool,
}

impl Entry {
    pub const ALL: u32 = u32::MAX;
}

#[derive(Clone, Debug, Default)]
struct Leader {
    entries: Vec<Entry>,
    /// When the first entry came.
    oldest: Time,
    /// A timer is set.
    armed: bool,
}

/// Committable transactions by leader.
#[derive(Debug)]
pub struct Commits {
    leaders: Vec<Leader>,
    /// Batches, and entries committed in batches or with later updates.
    pub batches: u64,
    pub committed: u64,
}

impl Commits {
    pub fn new(targets: usize) -> Commits {
        Commits { leaders: vec![Leader::default(); targets], batches: 0, committed: 0 }
    }

    /// Transactions that are not committed.
    pub fn pending(&self) -> usize {
        self.leaders.iter().map(|leader| leader.entries.len()).sum()
    }
}

impl Daos {
    pub(super) fn add_commit(
        &mut self,
        now: Time,
        leader: ServerId,
        entry: Entry,
        sink: &mut impl Sink,
    ) {
        let age = protocol::COMMIT_AGE;
        let of = &mut self.commits.leaders[leader.0 as usize];
        if of.entries.is_empty() {
            of.oldest = now;
        }
        of.entries.push(entry);
        if !of.armed {
            of.armed = true;
            sink.timer(age, Timer::Commit(leader).token());
        }
        if of.entries.len() > protocol::COMMIT_ENTRIES {
            self.commit(leader, sink);
        }
    }

    pub(super) fn commit_timer(&mut self, now: Time, leader: ServerId, sink: &mut impl Sink) {
        let age = protocol::COMMIT_AGE;
        let of = &mut self.commits.leaders[leader.0 as usize];
        of.armed = false;
        if of.entries.is_empty() {
            return;
        }
        let passed = now.since(of.oldest);
        if passed >= age {
            return self.commit(leader, sink);
        }
        of.armed = true;
        sink.timer(base::Span(age.0 - passed.0), Timer::Commit(leader).token());
    }

    /// Removes entries of the same key, which travel with an update. Returns their number.
    pub(super) fn piggyback(&mut self, leader: ServerId, object: FileId, key: u64) -> u32 {
        let most = protocol::PIGGYBACK_ENTRIES;
        let entries = &mut self.commits.leaders[leader.0 as usize].entries;
        let first = entries.len().saturating_sub(most);
        let mut carried = 0;
        for at in (first..entries.len()).rev() {
            let entry = entries[at];
            if entry.object == object && entry.key == key && !entry.whole {
                entries.swap_remove(at);
                carried += 1;
            }
        }
        self.commits.committed += u64::from(carried);
        carried
    }

    /// Commits all entries of a leader: one RPC to each target that took part.
    fn commit(&mut self, leader: ServerId, sink: &mut impl Sink) {
        let mut entries = std::mem::take(&mut self.commits.leaders[leader.0 as usize].entries);
        self.commits.batches += 1;
        self.commits.committed += entries.len() as u64;
        let mut targets = vec![leader; entries.len()];
        for entry in &entries {
            self.pool.add_targets(entry, leader, &mut targets);
        }
        targets.sort_unstable();
        for same in targets.chunk_by(|a, b| a == b) {
            let (to, n) = (same[0], same.len() as u32);
            let service = self.pool.params.engine.commit * u64::from(n);
            let mut rpc = self.pool.rpc(operation::DTX_COMMIT, to, service);
            rpc.request_bytes += n * protocol::COMMIT_ENTRY_BYTES;
            let node = Node::new(NO_TASK, 0, 0, Work::Single);
            self.post_from(leader, node, rpc, sink);
        }
        entries.clear();
        self.commits.leaders[leader.0 as usize].entries = entries;
    }
}

impl super::Pool {
    /// Targets of an entry without its leader.
    fn add_targets(&mut self, entry: &Entry, leader: ServerId, targets: &mut Vec<ServerId>) {
        let layout = self.objects.layout(entry.object);
        let n = if entry.whole { layout.shards() } else { layout.group_size };
        for member in 0..n {
            if entry.mask != Entry::ALL && entry.mask & 1 << member == 0 {
                continue;
            }
            let target = match entry.whole {
                true => self.placement.target(entry.object, member),
                false => self.member(entry.object, entry.key, member),
            };
            if target != leader {
                targets.push(target);
            }
        }
    }
}
