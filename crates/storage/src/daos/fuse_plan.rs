//! Stages of a call through dfuse: FUSE requests of the kernel, RPCs of the daemon.
//!
//! Source: daos-stack/daos @1ff45496, client/dfuse and its user's manual.

use machine::storage::daos::{ClientPath, DfuseParams};
use workload::{FileCall, FileCallKind, FileId, file_flag};

use super::plan::Planner;
use super::pool::has;
use super::task::Stage;

/// Number of files of a node after which invalid entries are removed.
const PURGE_AT: usize = 4_096;

impl Planner<'_> {
    /// Looks an entry up, with its attributes. An entry that the kernel caches takes no request.
    fn plan_lookup(&mut self, parent: FileId, file: FileId, is_file: bool) {
        if self.caches.get(self.node).is_valid(self.now, file) {
            return;
        }
        let key = self.pool.objects.entry_key(file);
        self.stages.extend(self.pool.request(0, false));
        self.stages.push(Stage::FetchEntry { directory: parent, key });
        if is_file {
            self.open_object();
            self.stages.push(Stage::QuerySize { file });
        }
        self.validate(file);
    }

    /// The kernel caches the entry and attributes.
    fn validate(&mut self, file: FileId) {
        let until = match self.path {
            ClientPath::Dfuse { caching: false, .. } => self.now,
            _ => self.now + DfuseParams::ATTRIBUTE_TIMEOUT,
        };
        let cache = self.caches.get(self.node);
        cache.file(file).valid_until = until;
        // Doubling keeps the cost of a purge constant per entry.
        if cache.files.len() >= PURGE_AT && cache.files.len().is_power_of_two() {
            cache.purge(self.now);
        }
    }

    pub(super) fn plan_fuse(&mut self, what: &FileCall) {
        let mut lookups = std::mem::take(&mut self.clients.get(self.client).lookups);
        for (parent, file) in lookups.drain(..) {
            self.plan_lookup(parent, file, false);
        }
        self.clients.get(self.client).lookups = lookups;
        match what.kind {
            FileCallKind::Read => self.plan_fuse_read(what),
            FileCallKind::Write => self.plan_fuse_write(what),
            FileCallKind::Open => self.plan_fuse_open(what),
            FileCallKind::Close | FileCallKind::Sync => {
                self.stages.push(Stage::Flush { file: what.file });
            }
            FileCallKind::SyncAll => self.stages.push(Stage::FlushAll { next: 0 }),
            // The kernel keeps locks within the node.
            FileCallKind::Lock => self.stages.push(Stage::Occupy(self.pool.params.dfuse.kernel)),
            _ => self.plan_fuse_metadata(what),
        }
    }

    fn plan_fuse_open(&mut self, what: &FileCall) {
        let (file, directory) = (what.file, what.parent);
        let exists = has(what, file_flag::EXISTS);
        let is_file = exists && !has(what, file_flag::DIRECTORY);
        self.plan_lookup(directory, file, is_file);
        if !exists && !has(what, file_flag::CREATE) {
            return;
        }
        self.stages.extend(self.pool.request(0, false));
        if !exists {
            let key = self.pool.objects.entry_key(file);
            self.open_object();
            self.stages.push(Stage::UpdateEntry { directory, key, effect: true });
            self.validate(file);
        } else if has(what, file_flag::TRUNCATE) {
            self.stages.extend(self.pool.request(0, false));
            self.plan_size(file, what.size, 0);
            self.cut(file, 0);
        }
    }

    fn plan_fuse_metadata(&mut self, what: &FileCall) {
        let (file, parent) = (what.file, what.parent);
        let exists = has(what, file_flag::EXISTS);
        let is_file = exists && !has(what, file_flag::DIRECTORY);
        match what.kind {
            FileCallKind::Stat if self.caches.get(self.node).is_valid(self.now, file) => {
                return self.stages.push(Stage::Occupy(self.pool.params.dfuse.kernel));
            }
            FileCallKind::Stat => self.validate(file),
            _ if has(what, file_flag::OPEN) => (),
            FileCallKind::StatFs => (),
            _ => self.plan_lookup(parent, file, is_file),
        }
        match what.kind {
            FileCallKind::Unlink | FileCallKind::Rmdir | FileCallKind::Rename => {
                self.caches.get(self.node).file(file).valid_until = self.now;
            }
            FileCallKind::Truncate => self.cut(file, what.bytes),
            _ => (),
        }
        self.stages.extend(self.pool.request(0, false));
        self.plan_metadata(what);
    }

    /// The file has no bytes from `size` on.
    fn cut(&mut self, file: FileId, size: u64) {
        let cache = self.caches.get(self.node);
        let of = cache.file(file);
        let modified = of.modified.covered(size, u64::MAX);
        let cached = of.cached.covered(size, u64::MAX);
        of.modified.truncate(size);
        of.cached.truncate(size);
        cache.modified -= modified;
        cache.cached = cache.cached.saturating_sub(cached);
    }

    fn caches_data(&self, what: &FileCall) -> (bool, bool) {
        match self.path {
            ClientPath::Dfuse { caching, write_back } if !has(what, file_flag::DIRECT) => {
                (caching, caching && write_back)
            }
            _ => (false, false),
        }
    }

    fn plan_fuse_write(&mut self, what: &FileCall) {
        let (file, start) = (what.file, what.offset);
        let end = start.saturating_add(what.bytes);
        let (caching, write_back) = self.caches_data(what);
        if start >= end {
            return;
        }
        if caching {
            let (until, most) =
                (self.now + DfuseParams::DATA_TIMEOUT, self.pool.params.dfuse.cache_bytes);
            let cache = self.caches.get(self.node);
            cache.file(file).cached_until = until;
            cache.add_cached(file, start, end, most);
        }
        if !write_back {
            return self.stages.push(Stage::Requests { file, start, end, write: true });
        }
        let dfuse = &self.pool.params.dfuse;
        self.stages.push(Stage::Occupy(dfuse.copy.span(end - start)));
        let cache = self.caches.get(self.node);
        let of = cache.file(file);
        let before = of.modified.covered(start, end);
        of.modified.insert(start, end);
        cache.modified += end - start - before;
        self.stages.push(Stage::Throttle);
        if has(what, file_flag::SYNC) {
            self.stages.push(Stage::Flush { file });
        }
    }

    fn plan_fuse_read(&mut self, what: &FileCall) {
        let (file, start) = (what.file, what.offset);
        // The kernel has the size of the file.
        let end = start.saturating_add(what.bytes).min(what.size);
        if start >= end {
            return self.stages.push(Stage::Occupy(self.pool.params.dfuse.kernel));
        }
        let (caching, _) = self.caches_data(what);
        if !caching {
            return self.stages.push(Stage::Requests { file, start, end, write: false });
        }
        let dfuse = self.pool.params.dfuse.clone();
        let cache = self.caches.get(self.node);
        let of = cache.file(file);
        if self.now >= of.cached_until {
            let bytes = of.cached.covered(0, u64::MAX);
            of.cached = of.modified.clone();
            let kept = of.modified.covered(0, u64::MAX);
            cache.cached = cache.cached.saturating_sub(bytes.saturating_sub(kept));
        }
        let of = cache.file(file);
        if of.cached.is_empty() {
            of.cached_until = self.now + DfuseParams::DATA_TIMEOUT;
        }
        let sequential = of.next == start;
        of.next = end;
        let (from, until) = match sequential {
            _ if what.size <= DfuseParams::PREREAD => (0, what.size),
            // Read-ahead: the kernel's requests are coalesced to the largest one.
            true => (start, end.next_multiple_of(dfuse.request_bytes).min(what.size)),
            false => (start, end),
        };
        self.stages.push(Stage::Fill { file, start: from, end: until });
        self.stages.push(Stage::Occupy(dfuse.copy.span(end - start)));
    }
}
