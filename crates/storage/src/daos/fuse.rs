//! Calls through dfuse: the kernel's FUSE requests, and the daemon's RPCs for them.
//!
//! Source: daos-stack/daos @1ff45496, client/dfuse and its user's manual.

use base::{Span, Time};
use machine::storage::daos::DfuseParams;
use workload::FileId;

use super::task::{Stage, TaskId};
use super::{Daos, Timer};
use crate::{ClientId, Sink};

/// Age at which the kernel writes modified data back: vm.dirty_expire_centisecs, 30 s.
const WRITE_BACK_AGE: Span = Span::ms(30_000);

impl Daos {
    /// A thread of the daemon serves a request of this task.
    pub(super) fn daemon(&mut self, now: Time, task: TaskId, span: Span, sink: &mut impl Sink) {
        let client = self.tasks[task].client;
        let node = self.clients.get(client).node;
        let delay = self.caches.get(node).serve(now, span);
        self.tasks[task].pending += 1;
        sink.timer(delay, Timer::Task(task).token());
    }

    pub(super) fn begin_fuse_stage(
        &mut self,
        now: Time,
        task: TaskId,
        stage: Stage,
        sink: &mut impl Sink,
    ) {
        let client = self.tasks[task].client;
        let node = self.clients.get(client).node;
        match stage {
            Stage::Requests { file, start, end, write } => {
                self.next_request(task, file, start, end, write);
            }
            Stage::Flush { file } => {
                self.flush(now, task, node, file, sink);
                self.watch_modified(now, node, client, sink);
            }
            Stage::FlushAll { next } => self.flush_all(task, node, next),
            Stage::WrittenBack(bytes) => {
                self.caches.get(node).modified -= bytes;
                self.release_throttled(now, node, sink);
            }
            Stage::FlushDue => self.caches.get(node).flush_due = false,
            Stage::Fill { file, start, end } => self.fill(now, task, node, file, start, end, sink),
            Stage::Throttle => self.throttle(now, task, node, sink),
            _ => (),
        }
    }

    /// The kernel sends one request after the other and waits for each.
    fn next_request(&mut self, task: TaskId, file: FileId, start: u64, end: u64, write: bool) {
        let stop = end.min(start + self.pool.params.dfuse.request_bytes);
        let [kernel, entry, daemon] = self.pool.request(stop - start, write);
        let stages = &mut self.tasks[task].stages;
        if stop < end {
            stages.push(Stage::Requests { file, start: stop, end, write });
        }
        stages.push(match write {
            true => Stage::Write { file, start, end: stop },
            false => Stage::Read { file, start, end: stop },
        });
        stages.extend([daemon, entry, kernel]);
    }

    /// A request that no process waits for, as a part of `parent`.
    fn background(&mut self, now: Time, parent: TaskId, access: Stage, sink: &mut impl Sink) {
        let client = self.tasks[parent].client;
        self.tasks[parent].pending += 1;
        let (bytes, write) = match access {
            Stage::Write { start, end, .. } => (end - start, true),
            Stage::Read { start, end, .. } => (end - start, false),
            _ => (0, false),
        };
        let [_, _, daemon] = self.pool.request(bytes, write);
        let part = self.new_task(None, client);
        let of = &mut self.tasks[part];
        (of.parent, of.in_daemon) = (parent, true);
        if write {
            of.stages.push(Stage::WrittenBack(bytes));
        }
        of.stages.extend([access, daemon]);
        self.advance(now, part, sink);
    }

    /// A part of a task has ended.
    pub(super) fn part_ended(&mut self, now: Time, task: TaskId, sink: &mut impl Sink) {
        let client = self.tasks[task].client;
        let node = self.clients.get(client).node;
        self.tasks[task].pending -= 1;
        match self.tasks[task].current {
            Stage::Flush { file } => self.flush(now, task, node, file, sink),
            Stage::Fill { file, start, end } => self.fill(now, task, node, file, start, end, sink),
            _ => (),
        }
        if self.tasks[task].pending == 0 {
            self.advance(now, task, sink);
        }
    }

    /// Writes modified data of a file back, with a limited number of requests in flight.
    fn flush(&mut self, now: Time, task: TaskId, node: u32, file: FileId, sink: &mut impl Sink) {
        let (most, size) = (DfuseParams::MAX_BACKGROUND, self.pool.params.dfuse.request_bytes);
        while self.tasks[task].pending < most {
            let cache = self.caches.get(node);
            let Some(of) = cache.files.get_mut(&file) else { break };
            let Some((start, end)) = of.modified.take_first(size) else { break };
            self.background(now, task, Stage::Write { file, start, end }, sink);
        }
    }

    fn flush_all(&mut self, task: TaskId, node: u32, next: FileId) {
        let cache = self.caches.get(node);
        let mut modified = cache.files.range(next..).filter(|(_, of)| !of.modified.is_empty());
        match modified.next() {
            Some((&file, _)) => {
                let next = file.saturating_add(1);
                self.tasks[task].stages.extend([Stage::FlushAll { next }, Stage::Flush { file }]);
            }
            // Files before this one have been modified again, and writers wait.
            None if !cache.throttled.is_empty()
                && cache.files.values().any(|of| !of.modified.is_empty()) =>
            {
                self.tasks[task].stages.push(Stage::FlushAll { next: 0 });
            }
            None if self.tasks[task].call.is_none() => cache.flushing = false,
            None => (),
        }
    }

    /// Modified data of a node is written back when it is old.
    fn watch_modified(&mut self, now: Time, node: u32, client: ClientId, sink: &mut impl Sink) {
        let cache = self.caches.get(node);
        if cache.modified > 0 && !std::mem::replace(&mut cache.flush_due, true) {
            let stages =
                [Stage::FlushAll { next: 0 }, Stage::FlushDue, Stage::Delay(WRITE_BACK_AGE)];
            self.write_back(now, client, &stages, sink);
        }
    }

    fn write_back(&mut self, now: Time, client: ClientId, stages: &[Stage], sink: &mut impl Sink) {
        let task = self.new_task(None, client);
        self.tasks[task].in_daemon = true;
        self.tasks[task].stages.extend(stages);
        self.advance(now, task, sink);
    }

    /// A writer waits while the node has too much modified data.
    fn throttle(&mut self, now: Time, task: TaskId, node: u32, sink: &mut impl Sink) {
        let client = self.tasks[task].client;
        let most = self.pool.params.dfuse.dirty_bytes;
        let cache = self.caches.get(node);
        if cache.modified > most {
            cache.throttled.push(task);
            self.tasks[task].pending += 1;
            if !std::mem::replace(&mut cache.flushing, true) {
                self.write_back(now, client, &[Stage::FlushAll { next: 0 }], sink);
            }
        }
        self.watch_modified(now, node, client, sink);
    }

    fn release_throttled(&mut self, now: Time, node: u32, sink: &mut impl Sink) {
        let most = self.pool.params.dfuse.dirty_bytes;
        let cache = self.caches.get(node);
        if cache.modified > most || cache.throttled.is_empty() {
            return;
        }
        for task in std::mem::take(&mut cache.throttled) {
            self.step(now, task, sink);
        }
    }

    /// Reads what a range lacks in the page cache.
    #[expect(clippy::too_many_arguments, reason = "a range of a file on a node")]
    fn fill(
        &mut self,
        now: Time,
        task: TaskId,
        node: u32,
        file: FileId,
        start: u64,
        end: u64,
        sink: &mut impl Sink,
    ) {
        let dfuse = &self.pool.params.dfuse;
        let (requests, size, most) =
            (DfuseParams::MAX_BACKGROUND, dfuse.request_bytes, dfuse.cache_bytes);
        while self.tasks[task].pending < requests {
            let cache = self.caches.get(node);
            let Some((from, to)) = cache.file(file).cached.first_gap(start, end) else { return };
            let to = to.min(from + size);
            cache.add_cached(file, from, to, most);
            self.background(now, task, Stage::Read { file, start: from, end: to }, sink);
        }
    }
}
