//! Execution of stages: the RPCs of each.

use base::Time;
use workload::FileId;

use super::task::{Insertion, Node, Stage, TaskId, Work};
use super::{Daos, Timer, operation, protocol};
use crate::{ServerId, Sink};

/// Punches that a process has in flight for one truncation [estimate]. Each has one chunk.
const PUNCHES_AT_ONCE: u64 = 1_024;

impl Daos {
    pub(super) fn begin_stage(
        &mut self,
        now: Time,
        task: TaskId,
        stage: Stage,
        sink: &mut impl Sink,
    ) {
        match stage {
            Stage::Occupy(span) => {
                if let Some(call) = self.tasks[task].call {
                    sink.occupy(call, span);
                }
            }
            Stage::Daemon(span) => self.daemon(now, task, span, sink),
            Stage::Delay(span) => {
                self.tasks[task].pending += 1;
                sink.timer(span, Timer::Task(task).token());
            }
            Stage::PoolConnect => self.call_service(task, operation::POOL_CONNECT, sink),
            Stage::ContainerOpen => self.call_service(task, operation::CONT_OPEN, sink),
            Stage::PoolQuery => {
                let tree = self.trees.grow_all(&self.pool);
                let root = Node { tree, ..Node::new(task, 0, 0, Work::Tree) };
                let query = self.pool.params.engine.query;
                let rpc = self.pool.rpc(operation::POOL_QUERY, self.pool.service(), query);
                self.post(root, rpc, sink);
            }
            Stage::FetchEntry { directory, key } => self.fetch_entry(task, directory, key, sink),
            Stage::UpdateEntry { directory, key, effect } => {
                let bytes = u64::from(self.pool.params.message.entry);
                self.update_key(task, directory, key, bytes, effect, sink);
            }
            Stage::PunchEntry { directory, key } => self.punch_key(task, directory, key, sink),
            Stage::QuerySize { file } => self.query_size(task, file, sink),
            Stage::SizeIfShort { file, start, end } => {
                if self.pool.objects.get(file).written.covered(start, end) < end - start {
                    self.query_size(task, file, sink);
                }
            }
            Stage::PunchObject { object } => self.punch_object(task, object, sink),
            Stage::List { .. } => self.list(task, stage, sink),
            Stage::PunchChunks { file, first, end } => {
                let stop = end.min(first + PUNCHES_AT_ONCE);
                for chunk in first..stop {
                    self.punch_key(task, file, chunk, sink);
                }
                if stop < end {
                    let rest = Stage::PunchChunks { file, first: stop, end };
                    self.tasks[task].stages.push(rest);
                }
            }
            Stage::Extend { file, chunk } => self.update_key(task, file, chunk, 1, true, sink),
            Stage::Write { file, start, end } => self.write(task, file, start, end, sink),
            Stage::Read { file, start, end } => self.read(task, file, start, end, sink),
            Stage::SetSize { file, size } => self.pool.objects.get(file).written.truncate(size),
            Stage::Requests { .. }
            | Stage::Flush { .. }
            | Stage::FlushAll { .. }
            | Stage::WrittenBack(_)
            | Stage::FlushDue
            | Stage::Fill { .. }
            | Stage::Throttle => self.begin_fuse_stage(now, task, stage, sink),
            Stage::AggregateFetch { leader, stripe, cells } => {
                self.aggregate_fetch(task, leader, stripe, cells, sink);
            }
            Stage::AggregateWrite { leader, stripe } => {
                self.aggregate_write(task, leader, stripe, sink);
            }
            Stage::Done => (),
        }
    }

    /// The effects of a stage on the state, when all its RPCs have been replied to.
    pub(super) fn finish_stage(&mut self, now: Time, task: TaskId, sink: &mut impl Sink) {
        let of = &mut self.tasks[task];
        match std::mem::replace(&mut of.current, Stage::Done) {
            Stage::Write { file, start, end } => {
                self.pool.objects.get(file).written.insert(start, end);
            }
            Stage::Extend { file, chunk } => {
                let base = chunk * self.pool.objects.chunk(file);
                self.pool.objects.get(file).written.insert(base, base + 1);
            }
            Stage::PunchObject { object } => {
                self.pool.objects.get(object).written = super::extents::Extents::default();
            }
            Stage::AggregateWrite { leader, .. } => self.aggregate_next(now, leader, sink),
            _ => (),
        }
    }

    fn call_service(&mut self, task: TaskId, operation: u8, sink: &mut impl Sink) {
        let rpc = self.pool.rpc(operation, self.pool.service(), self.pool.params.engine.query);
        let node = Node::new(task, 0, 0, Work::Single);
        self.post(node, rpc, sink);
    }

    fn fetch_entry(&mut self, task: TaskId, directory: FileId, key: u64, sink: &mut impl Sink) {
        let member = self.pool.reading_member(self.clients.get(self.tasks[task].client), directory);
        let target = self.pool.member(directory, key, member);
        let bytes = u64::from(self.pool.params.message.entry);
        let rpc = self.pool.fetch_rpc(target, bytes, true, true);
        let node = Node::new(task, directory, key, Work::Single);
        self.post(node, rpc, sink);
    }

    /// A small update of one key.
    fn update_key(
        &mut self,
        task: TaskId,
        object: FileId,
        key: u64,
        bytes: u64,
        effect: bool,
        sink: &mut impl Sink,
    ) {
        let member = self.pool.leader_member(object);
        let target = self.pool.member(object, key, member);
        let mut rpc = self.pool.update_rpc(operation::UPDATE, target, bytes, true);
        let insertion = if effect { Insertion::Key } else { Insertion::None };
        rpc.service += self.pool.insertion_time(insertion);
        let node = Node::new(task, object, key, Work::Leader);
        self.post(Node { end: bytes, effect, insertion, ..node }, rpc, sink);
    }

    fn punch_key(&mut self, task: TaskId, object: FileId, key: u64, sink: &mut impl Sink) {
        let member = self.pool.leader_member(object);
        let target = self.pool.member(object, key, member);
        let rpc = self.pool.rpc(operation::DKEY_PUNCH, target, self.pool.params.engine.punch);
        let node = Node::new(task, object, key, Work::Leader);
        self.post(node, rpc, sink);
    }

    /// One query per group, or a collective of many shards.
    fn query_size(&mut self, task: TaskId, file: FileId, sink: &mut impl Sink) {
        let layout = self.pool.objects.layout(file);
        if layout.shards() > protocol::COLLECTIVE_THRESHOLD {
            // Different processes use different roots.
            let first = self.tasks[task].client.0;
            return self.collective(task, file, operation::COLL_QUERY, first.into(), sink);
        }
        let member = self.pool.leader_member(file);
        for group in 0..layout.groups {
            let target = self.pool.member_of(file, group, 0, member);
            let rpc = self.pool.rpc(operation::KEY_QUERY, target, self.pool.params.engine.query);
            let node = Node::new(task, file, 0, Work::Single);
            self.post(node, rpc, sink);
        }
    }

    fn punch_object(&mut self, task: TaskId, object: FileId, sink: &mut impl Sink) {
        let shards = self.pool.objects.layout(object).shards();
        let hash = self.pool.placement.hash(object, 0);
        if shards > protocol::COLLECTIVE_THRESHOLD {
            return self.collective(task, object, operation::COLL_PUNCH, hash, sink);
        }
        let shard = (hash % u64::from(shards)) as u32;
        let target = self.pool.placement.target(object, shard);
        let service = self.pool.punch_time(object);
        let rpc = self.pool.rpc(operation::OBJ_PUNCH, target, service);
        let node = Node::new(task, object, 0, Work::ObjectLeader);
        self.post(node, rpc, sink);
    }

    fn collective(
        &mut self,
        task: TaskId,
        object: FileId,
        operation: u8,
        first: u64,
        sink: &mut impl Sink,
    ) {
        let tree = self.trees.grow(&mut self.pool, object, first);
        let root: ServerId = self.trees.engines(tree)[0];
        let service = match operation {
            operation::COLL_PUNCH => self.pool.punch_time(object),
            _ => self.pool.params.engine.query,
        };
        let rpc = self.pool.rpc(operation, root, service);
        let node = Node { tree, ..Node::new(task, object, 0, Work::Tree) };
        self.post(node, rpc, sink);
    }

    /// The next RPC of a list. Each has at most `list_entries` entries of one group.
    fn list(&mut self, task: TaskId, stage: Stage, sink: &mut impl Sink) {
        let Stage::List { object, entries, from, to, mut group, mut part } = stage else { return };
        let groups = u64::from(self.pool.objects.layout(object).groups);
        let per_rpc = protocol::LIST_ENTRIES;
        while u64::from(group) < groups {
            let index = u64::from(group);
            let here = entries / groups + u64::from(index < entries % groups);
            let start = index * (entries / groups) + index.min(entries % groups);
            // RPCs that begin before the range belong to an earlier call.
            part = part.max(from.saturating_sub(start).div_ceil(per_rpc));
            let at = start + part * per_rpc;
            if at >= to {
                return;
            }
            if part < here.div_ceil(per_rpc).max(1) {
                let count = (here - part * per_rpc).min(per_rpc);
                self.list_group(task, object, group, count, sink);
                let next = Stage::List { object, entries, from, to, group, part: part + 1 };
                self.tasks[task].stages.push(next);
                return;
            }
            (group, part) = (group + 1, 0);
        }
    }

    fn list_group(
        &mut self,
        task: TaskId,
        object: FileId,
        group: u32,
        count: u64,
        sink: &mut impl Sink,
    ) {
        let member = self.pool.reading_member(self.clients.get(self.tasks[task].client), object);
        let target = self.pool.member_of(object, group, 0, member);
        let engine = &self.pool.params.engine;
        let service = engine.list + engine.list_entry * count;
        let mut rpc = self.pool.rpc(operation::DKEY_ENUM, target, service);
        rpc.reply_bytes += (count * u64::from(self.pool.params.message.list_entry)) as u32;
        let node = Node::new(task, object, 0, Work::Single);
        self.post(node, rpc, sink);
    }
}
