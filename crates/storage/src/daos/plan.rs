//! Stages of a call in a process that links the DFS library: `ClientPath::Dfs`, `Pil4dfs`, and data
//! calls of `Ioil`.
//!
//! Source: daos-stack/daos @1ff45496, client/dfs: obj.c, file.c, rename.c, common.c.

use base::Time;
use machine::storage::daos::ClientPath;
use workload::{FileCall, FileCallKind, FileId, file_flag};

use super::clients::Clients;
use super::node_cache::NodeCaches;
use super::pool::{Pool, has};
use super::task::Stage;
use crate::ClientId;

/// Makes the stages of one call.
pub struct Planner<'a> {
    pub pool: &'a mut Pool,
    pub clients: &'a mut Clients,
    pub caches: &'a mut NodeCaches,
    pub now: Time,
    /// The process of the call, and its node.
    pub client: ClientId,
    pub node: u32,
    pub path: ClientPath,
    pub in_daemon: bool,
    /// In the order of execution.
    pub stages: Vec<Stage>,
}

impl Planner<'_> {
    /// The stages of a call, in order.
    pub(super) fn plan(&mut self, what: &FileCall) {
        if self.in_daemon {
            return self.plan_fuse(what);
        }
        self.plan_init();
        self.plan_path();
        match what.kind {
            FileCallKind::Read => self.plan_read(what),
            FileCallKind::Write => self.plan_write(what),
            FileCallKind::Open => self.plan_open(what),
            _ => self.plan_metadata(what),
        }
    }

    /// The first call of a process. A program that calls DFS has connected before.
    fn plan_init(&mut self) {
        let connects = self.path != ClientPath::Dfs;
        let of = self.clients.get(self.client);
        if !connects || std::mem::replace(&mut of.ready, true) {
            return;
        }
        match self.path {
            ClientPath::Dfs | ClientPath::Dfuse { .. } => (),
            // The library gets the handles from dfuse.
            ClientPath::Ioil => self.stages.push(Stage::Occupy(self.pool.params.client.init)),
            ClientPath::Pil4dfs => self.stages.extend([
                Stage::Occupy(self.pool.params.client.init),
                Stage::PoolConnect,
                Stage::ContainerOpen,
            ]),
        }
    }

    /// One fetch per component whose directory handle is not cached.
    fn plan_path(&mut self) {
        let mut lookups = std::mem::take(&mut self.clients.get(self.client).lookups);
        for (parent, file) in lookups.drain(..) {
            self.plan_directory(parent, file);
        }
        self.clients.get(self.client).lookups = lookups;
    }

    fn plan_directory(&mut self, parent: FileId, file: FileId) {
        let until = match self.path {
            ClientPath::Dfs => Time(u64::MAX),
            _ => self.now + self.pool.params.client.entry_timeout,
        };
        let key = self.pool.objects.entry_key(file);
        let of = self.clients.get(self.client);
        if !of.has_entry(self.now, file) {
            of.add_entry(file, until);
            self.stages.push(Stage::FetchEntry { directory: parent, key });
        }
    }

    fn plan_read(&mut self, what: &FileCall) {
        let (file, start) = (what.file, what.offset);
        let end = start.saturating_add(what.bytes);
        if start < end {
            self.stages.push(Stage::Read { file, start, end });
            self.stages.push(Stage::SizeIfShort { file, start, end });
        }
    }

    fn plan_write(&mut self, what: &FileCall) {
        let (file, start) = (what.file, what.offset);
        let end = start.saturating_add(what.bytes);
        if has(what, file_flag::APPEND) {
            self.stages.push(Stage::QuerySize { file });
        }
        if start < end {
            self.stages.push(Stage::Write { file, start, end });
        }
    }

    fn plan_open(&mut self, what: &FileCall) {
        let key = self.pool.objects.entry_key(what.file);
        let directory = what.parent;
        let exists = has(what, file_flag::EXISTS);
        if has(what, file_flag::DIRECTORY) && exists {
            return self.plan_directory(directory, what.file);
        }
        if exists || has(what, file_flag::CREATE) {
            self.open_object();
        }
        if has(what, file_flag::CREATE) {
            self.stages.push(Stage::UpdateEntry { directory, key, effect: !exists });
            if !exists || has(what, file_flag::EXCLUSIVE) {
                return;
            }
        }
        self.stages.push(Stage::FetchEntry { directory, key });
        if exists && has(what, file_flag::TRUNCATE) {
            self.plan_size(what.file, what.size, 0);
        }
    }

    /// CPU time of the process or daemon that opens the object of a file.
    pub(super) fn open_object(&mut self) {
        let open = self.pool.params.client.open;
        self.stages.push(match self.in_daemon {
            true => Stage::Daemon(open),
            false => Stage::Occupy(open),
        });
    }

    /// `daos_array_set_size`: lists the keys, punches those after the end, or extends the file.
    pub(super) fn plan_size(&mut self, file: FileId, old: u64, new: u64) {
        let chunk = self.pool.objects.chunk(file);
        if chunk == 0 {
            // Not a file: a directory, a link, or nothing. The call fails without a message.
            return;
        }
        let (entries, first) = (old.div_ceil(chunk), new / chunk);
        let (from, to, group, part) = (0, u64::MAX, 0, 0);
        self.stages.push(Stage::List { object: file, entries, from, to, group, part });
        if new < old {
            self.stages.push(Stage::PunchChunks { file, first, end: entries });
        } else if new > old {
            self.stages.push(Stage::Extend { file, chunk: (new - 1) / chunk });
        }
        self.stages.push(Stage::SetSize { file, size: new });
    }

    /// The RPCs of other calls, which are the same for the library and the daemon.
    pub(super) fn plan_metadata(&mut self, what: &FileCall) {
        let (file, directory) = (what.file, what.parent);
        let key = self.pool.objects.entry_key(file);
        let exists = has(what, file_flag::EXISTS) || has(what, file_flag::OPEN);
        let fetch = Stage::FetchEntry { directory, key };
        let update = Stage::UpdateEntry { directory, key, effect: true };
        match what.kind {
            FileCallKind::Stat => {
                self.stages.push(fetch);
                if exists && !has(what, file_flag::DIRECTORY) {
                    self.open_object();
                    self.stages.push(Stage::QuerySize { file });
                }
            }
            FileCallKind::ReadDirectory => {
                let (from, to) = (what.offset, what.offset.saturating_add(what.bytes));
                let (entries, group, part) = (what.size, 0, 0);
                self.stages.push(Stage::List { object: file, entries, from, to, group, part });
            }
            FileCallKind::Mkdir | FileCallKind::Symlink => {
                self.stages.push(Stage::UpdateEntry { directory, key, effect: !exists });
            }
            FileCallKind::Unlink | FileCallKind::Rmdir => {
                self.plan_removal(what, fetch);
            }
            FileCallKind::Rename => {
                self.clients.get(self.client).remove_entry(file);
                let (target, other) = (what.other, key ^ OTHER_NAME);
                self.stages.extend([
                    fetch,
                    Stage::FetchEntry { directory: target, key: other },
                    Stage::UpdateEntry { directory: target, key: other, effect: true },
                    Stage::PunchEntry { directory, key },
                ]);
            }
            FileCallKind::ReadLink | FileCallKind::GetXattr => self.stages.push(fetch),
            FileCallKind::SetAttributes => self.stages.extend([fetch, update]),
            FileCallKind::SetXattr | FileCallKind::SetLayout => self.stages.push(update),
            FileCallKind::GetLayout if !has(what, file_flag::OPEN) => self.stages.push(fetch),
            FileCallKind::Truncate => {
                if !has(what, file_flag::OPEN) {
                    self.stages.push(fetch);
                }
                self.plan_size(file, what.size, what.bytes);
            }
            FileCallKind::StatFs => self.stages.push(Stage::PoolQuery),
            // Data is persistent when a write returns, and handles are local.
            FileCallKind::Open
            | FileCallKind::Close
            | FileCallKind::Read
            | FileCallKind::Write
            | FileCallKind::Sync
            | FileCallKind::SyncAll
            | FileCallKind::Lock
            | FileCallKind::GetLayout
            | FileCallKind::Link
            | FileCallKind::Allocate => (),
        }
    }

    fn plan_removal(&mut self, what: &FileCall, fetch: Stage) {
        let (object, directory) = (what.file, what.parent);
        let key = self.pool.objects.entry_key(object);
        self.stages.push(fetch);
        if !has(what, file_flag::EXISTS) {
            return;
        }
        if what.kind == FileCallKind::Rmdir {
            self.clients.get(self.client).remove_entry(object);
            // The list ends with the first entry.
            let (entries, from, group, part) = (what.size, 0, 0, 0);
            self.stages.push(Stage::List { object, entries, from, to: 1, group, part });
            if entries > 0 {
                return;
            }
        }
        self.stages.push(Stage::PunchObject { object });
        self.stages.push(Stage::PunchEntry { directory, key });
    }
}

/// Distinguishes the key of the new entry of a rename, whose name a call does not state.
const OTHER_NAME: u64 = 0x5851_F42D_4C95_7F2D;
