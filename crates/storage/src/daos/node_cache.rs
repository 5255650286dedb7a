//! What the kernel and the dfuse daemon of a node keep: attributes, cached and modified data,
//! threads of the daemon.

use std::collections::BTreeMap;

use base::{Span, Time};
use machine::storage::daos::DfuseParams;
use workload::FileId;

use super::extents::Extents;
use super::task::TaskId;
use crate::ClientId;

/// A file as its node has it.
#[derive(Debug, Default)]
pub struct NodeFile {
    /// Entry and attributes are valid until then.
    pub valid_until: Time,
    /// Data in the page cache, valid until then.
    pub cached: Extents,
    pub cached_until: Time,
    /// Data that has not been written to DAOS.
    pub modified: Extents,
    /// End of the last read.
    pub next: u64,
}

/// A node with a daemon.
#[derive(Debug)]
pub struct NodeCache {
    /// The process whose NIC the daemon uses.
    pub daemon: ClientId,
    /// When each thread of the daemon is free.
    threads: Vec<Time>,
    pub files: BTreeMap<FileId, NodeFile>,
    /// Bytes modified and not written.
    pub modified: u64,
    /// Bytes cached.
    pub cached: u64,
    /// Writers that wait until `modified` is below its limit.
    pub throttled: Vec<TaskId>,
    /// A task writes modified data back, at once or when it is old.
    pub flushing: bool,
    pub flush_due: bool,
}

#[derive(Debug)]
pub struct NodeCaches {
    params: DfuseParams,
    nodes: Vec<Option<NodeCache>>,
}

impl NodeCaches {
    pub fn new(params: DfuseParams) -> NodeCaches {
        NodeCaches { params, nodes: Vec::new() }
    }

    pub fn attach(&mut self, client: ClientId, node: u32) {
        let index = node as usize;
        if index >= self.nodes.len() {
            self.nodes.resize_with(index + 1, || None);
        }
        let threads = self.params.threads.max(1) as usize;
        self.nodes[index].get_or_insert_with(|| NodeCache {
            daemon: client,
            threads: vec![Time::ZERO; threads],
            files: BTreeMap::new(),
            modified: 0,
            cached: 0,
            throttled: Vec::new(),
            flushing: false,
            flush_due: false,
        });
    }

    /// The node's cache. The engine has attached a client of the node.
    pub fn get(&mut self, node: u32) -> &mut NodeCache {
        let of = self.nodes.get_mut(node as usize).and_then(Option::as_mut);
        of.expect("a call of an attached client")
    }
}

impl NodeCache {
    /// A request for a thread of the daemon: how long until its service ends.
    pub fn serve(&mut self, now: Time, span: Span) -> Span {
        let Some(thread) = self.threads.iter_mut().min() else { return span };
        *thread = (*thread).max(now) + span;
        thread.since(now)
    }

    pub fn file(&mut self, file: FileId) -> &mut NodeFile {
        self.files.entry(file).or_default()
    }

    pub fn is_valid(&self, now: Time, file: FileId) -> bool {
        self.files.get(&file).is_some_and(|of| now < of.valid_until)
    }

    /// Data enters the page cache. A full cache drops unmodified files.
    pub fn add_cached(&mut self, file: FileId, start: u64, end: u64, most: u64) {
        let of = self.files.entry(file).or_default();
        let before = of.cached.covered(start, end);
        of.cached.insert(start, end);
        self.cached += end - start - before;
        while self.cached > most {
            let Some(freed) = self.drop_one(file) else { return };
            self.cached = self.cached.saturating_sub(freed);
        }
    }

    fn drop_one(&mut self, except: FileId) -> Option<u64> {
        let mut others = self.files.iter_mut().filter(|(id, _)| **id != except);
        let (_, of) = others.find(|(_, of)| !of.cached.is_empty() && of.modified.is_empty())?;
        let bytes = of.cached.covered(0, u64::MAX);
        of.cached = Extents::default();
        Some(bytes)
    }

    /// Entries whose validity has passed and that have no data are removed.
    pub fn purge(&mut self, now: Time) {
        self.files.retain(|_, of| {
            now < of.valid_until || !of.cached.is_empty() || !of.modified.is_empty()
        });
    }
}
