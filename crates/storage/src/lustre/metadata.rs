//! Calls on names and attributes: requests to MDTs, inode locks, precreated objects.

use base::Span;
use workload::{FileCall, FileCallKind, FileId, file_flag};

use super::Lustre;
use super::allocation::Precreated;
use super::extents::Extent;
use super::locking;
use super::messages::{self, Operation};
use super::namespace::bit;
use super::read_ahead::Scan;
use super::request::{Effect, Metadata, RequestId, Step, Work};
use crate::{Bulk, CallId, ClientId, MediumAccess, MediumId, Peer, Rpc, Sink};

/// Bytes of one RPC of `readdir` [L lustre_net.h: MD_MAX_BRW_SIZE].
const READ_PAGE: u64 = 1 << 20;

/// Looks up the next component of the path that the client has not cached.
pub fn lookup(fs: &mut Lustre, sink: &mut impl Sink, call: CallId, index: u32) {
    let c = fs.call_mut(call);
    let client = c.client;
    let Some(&(parent, file)) = c.lookups.get(index as usize) else {
        c.step = Step::Request;
        c.position = 0;
        fs.ready.push_back(call);
        return;
    };
    // An entry on another MDT than its inode takes a request to each.
    let remote = c.position == 1;
    fs.ensure_directory(parent);
    fs.ensure_directory(file);
    let (entry, inode) = (fs.files[parent as usize].mdt, fs.files[file as usize].mdt);
    if fs.files[file as usize].held(client) & bit::LOOKUP != 0 {
        let c = fs.call_mut(call);
        (c.step, c.position) = (Step::Lookup(index + 1), 0);
        fs.ready.push_back(call);
        return;
    }
    let last = remote || entry == inode;
    let effect =
        if last { Effect::Grant { file, bits: bit::LOOKUP | bit::UPDATE } } else { Effect::None };
    // The next component follows the reply, also if the lock is revoked before.
    let c = fs.call_mut(call);
    c.step = Step::Lookup(if last { index + 1 } else { index });
    c.position = u64::from(!last);
    let mdt = if remote { inode } else { entry };
    let service = fs.params.mds_getattr;
    fs.send_metadata(sink, Some(call), (client, mdt), Operation::LdlmIbitsEnqueue, service, effect);
}

/// Sends the request of a call, or finds that the client's caches suffice.
pub fn request(fs: &mut Lustre, sink: &mut impl Sink, call: CallId) {
    use FileCallKind as Kind;
    let c = fs.call_mut(call);
    let (client, what) = (c.client, c.what);
    c.step = Step::Answered;
    let kept = if what.kind == Kind::SetLayout { None } else { c.given_templates() };
    fs.ensure(&what, kept);
    fs.track_streams(client, &what);
    let held = fs.files[what.file as usize].held(client);
    match what.kind {
        Kind::Stat => return stat(fs, sink, call, client, &what, held),
        Kind::ReadDirectory => return read_directory(fs, sink, call, client, &what, held),
        Kind::ReadLink if held & bit::UPDATE != 0 => return fs.ready.push_back(call),
        Kind::GetXattr | Kind::GetLayout if held & bit::XATTR != 0 => {
            return fs.ready.push_back(call);
        }
        Kind::Read | Kind::Write => {
            let direct = what.flags & file_flag::DIRECT != 0;
            let c = fs.call_mut(call);
            c.step = if direct { Step::Direct } else { Step::Data };
            c.position = what.offset;
            return fs.ready.push_back(call);
        }
        Kind::Sync if what.flags & file_flag::DIRECTORY == 0 => {
            fs.call_mut(call).step = Step::Flush;
            return fs.ready.push_back(call);
        }
        Kind::SyncAll => {
            fs.call_mut(call).step = Step::Flush;
            return fs.ready.push_back(call);
        }
        Kind::Allocate => {
            fs.call_mut(call).step = Step::PunchLock;
            return fs.ready.push_back(call);
        }
        _ => {}
    }
    let (operation, mdt, service, transaction) = fs.message_of(&what);
    let access = transaction.then(|| fs.transaction(mdt));
    fs.send_to_mdt(sink, Some(call), (client, mdt), operation, Effect::Call, |rpc| {
        rpc.service = service;
        rpc.access = access;
    });
}

impl Lustre {
    /// Operation, MDT and thread time of a call's request, and whether it is a transaction.
    fn message_of(&self, what: &FileCall) -> (Operation, u32, Span, bool) {
        use FileCallKind as Kind;
        let p = &self.params;
        let own = self.files[what.file as usize].mdt;
        let entry = self.files[what.parent as usize].mdt_of(what.name);
        let exists = what.flags & file_flag::EXISTS != 0;
        match what.kind {
            Kind::Open if exists => (Operation::ReintOpen, own, p.mds_open, false),
            Kind::Open if what.flags & file_flag::CREATE != 0 => {
                (Operation::ReintOpen, own, p.mds_create, true)
            }
            Kind::Open => (Operation::ReintOpen, entry, p.mds_getattr, false),
            Kind::Close => (Operation::MdsClose, own, p.mds_close, false),
            Kind::Mkdir => (Operation::ReintCreate, own, p.mds_mkdir, true),
            Kind::Symlink => (Operation::ReintCreate, own, p.mds_create, true),
            Kind::Rmdir => (Operation::ReintUnlink, entry, p.mds_rmdir, true),
            Kind::Unlink => (Operation::ReintUnlink, entry, p.mds_unlink, true),
            Kind::Rename => (Operation::ReintRename, entry, p.mds_rename, true),
            Kind::Link => (Operation::ReintLink, entry, p.mds_setattr, true),
            Kind::SetAttributes | Kind::Truncate => {
                (Operation::ReintSetattr, own, p.mds_setattr, true)
            }
            Kind::SetXattr => (Operation::ReintSetxattr, own, p.mds_setattr, true),
            Kind::SetLayout if exists => (Operation::ReintSetxattr, own, p.mds_setattr, true),
            Kind::SetLayout if what.flags & file_flag::DIRECTORY != 0 => {
                (Operation::ReintCreate, own, p.mds_mkdir, true)
            }
            Kind::SetLayout => (Operation::ReintOpen, own, p.mds_create, true),
            Kind::GetXattr | Kind::GetLayout => (Operation::MdsGetxattr, own, p.mds_getattr, false),
            Kind::StatFs => (Operation::MdsStatfs, 0, p.mds_getattr, false),
            Kind::Lock => (Operation::LdlmFlockEnqueue, own, p.mds_getattr, false),
            Kind::Sync => (Operation::MdsSync, own, p.mds_getattr, false),
            // `ReadLink`, and kinds that `request` has handled.
            _ => (Operation::MdsGetattr, own, p.mds_getattr, false),
        }
    }

    /// Read-ahead state lives while the client has the file open.
    fn track_streams(&mut self, client: ClientId, what: &FileCall) {
        let state = &mut self.clients[client.0 as usize];
        match what.kind {
            FileCallKind::Open if what.flags & file_flag::DIRECTORY == 0 => {
                state.streams.entry(what.file).or_default().opens += 1;
            }
            FileCallKind::Close => {
                let Some(streams) = state.streams.get_mut(&what.file) else { return };
                streams.opens = streams.opens.saturating_sub(1);
                if streams.opens == 0 {
                    state.read_ahead = state.read_ahead.saturating_sub(streams.unread());
                    state.streams.remove(&what.file);
                }
            }
            _ => {}
        }
    }

    pub(super) fn transaction(&self, mdt: u32) -> MediumAccess {
        let medium = MediumId(self.params.osts + mdt);
        MediumAccess { medium, span: self.params.mdt_access, latency: Span::ZERO }
    }

    /// Sends a request that occupies a thread of the MDS only.
    pub(super) fn send_metadata(
        &mut self,
        sink: &mut impl Sink,
        call: Option<CallId>,
        (client, mdt): (ClientId, u32),
        operation: Operation,
        service: Span,
        effect: Effect,
    ) {
        self.send_to_mdt(sink, call, (client, mdt), operation, effect, |rpc| rpc.service = service);
    }

    /// Sends a request to an MDT, when one of the requests in flight is free.
    pub(super) fn send_to_mdt(
        &mut self,
        sink: &mut impl Sink,
        call: Option<CallId>,
        (client, mdt): (ClientId, u32),
        operation: Operation,
        effect: Effect,
        edit: impl FnOnce(&mut Rpc),
    ) {
        let to = Peer::Server(self.mds_of(mdt));
        let id = self.request(Work::Free);
        let mut message = self.rpc(operation, Peer::Client(client), to, id);
        message.priority = 1;
        edit(&mut message);
        if let Some(call) = call
            && messages::has_layout(operation)
        {
            message.reply_bytes += self.layout_bytes(self.calls[call.0 as usize].what.file);
        }
        let modifying = match operation {
            Operation::MdsClose => true,
            Operation::MdsSync | Operation::MdsReadpage => false,
            _ => message.access.is_some(),
        };
        if let Some(call) = call {
            self.call_mut(call).outstanding += 1;
        }
        let metadata = Metadata { call, client, mdt, modifying, effect, message };
        self.requests[id].work = Work::Metadata(metadata);
        let mdc = self.clients[client.0 as usize].mdcs.entry(mdt).or_default();
        let queue = if modifying { &mut mdc.modifying_queue } else { &mut mdc.queue };
        queue.push_back(id);
        self.pump_metadata(sink, client, mdt);
    }

    /// Sends requests to an MDT as far as the limits in flight allow.
    pub(super) fn pump_metadata(&mut self, sink: &mut impl Sink, client: ClientId, mdt: u32) {
        while let Some(id) = self.next_metadata(client, mdt) {
            if let Work::Metadata(m) = &self.requests[id].work {
                let message = m.message;
                self.send(sink, message);
            }
        }
    }

    fn next_metadata(&mut self, client: ClientId, mdt: u32) -> Option<RequestId> {
        let (limit, modifying) = (self.params.rpcs_in_flight, self.params.mod_rpcs_in_flight);
        let mdc = self.clients[client.0 as usize].mdcs.entry(mdt).or_default();
        let free = u32::from(mdc.closes == 0);
        if let Some(&id) = mdc.modifying_queue.front()
            && let Work::Metadata(m) = &self.requests[id].work
            && mdc.modifying < modifying + if m.is_close() { free } else { 0 }
        {
            mdc.modifying += 1;
            mdc.closes += u32::from(m.is_close());
            return mdc.modifying_queue.pop_front();
        }
        if mdc.in_flight < limit && !mdc.queue.is_empty() {
            mdc.in_flight += 1;
            return mdc.queue.pop_front();
        }
        None
    }
}

/// Attributes by name or of an open file, then the size from the OSTs.
fn stat(
    fs: &mut Lustre,
    sink: &mut impl Sink,
    call: CallId,
    client: ClientId,
    what: &FileCall,
    held: u8,
) {
    let open = what.flags & file_flag::OPEN != 0;
    let exists = open || what.flags & file_flag::EXISTS != 0;
    let needed = if open { bit::UPDATE } else { bit::LOOKUP | bit::UPDATE };
    if held & needed == needed {
        return fs.ready.push_back(call);
    }
    if !open && exists && stat_ahead(fs, sink, call, client, what) {
        return;
    }
    let file = &fs.files[what.file as usize];
    let (operation, mdt) = if open {
        (Operation::MdsGetattr, file.mdt)
    } else {
        (Operation::LdlmIbitsEnqueue, fs.files[what.parent as usize].mdt_of(what.name))
    };
    let effect = if exists {
        let bits = bit::LOOKUP | bit::UPDATE | bit::LAYOUT;
        Effect::Grant { file: what.file, bits }
    } else {
        Effect::None
    };
    let service = fs.params.mds_getattr;
    fs.send_metadata(sink, Some(call), (client, mdt), operation, service, effect);
}

/// A client that has read a directory and stats its entries: requests run ahead. Returns whether
/// the call is served by them.
fn stat_ahead(
    fs: &mut Lustre,
    sink: &mut impl Sink,
    call: CallId,
    client: ClientId,
    what: &FileCall,
) -> bool {
    // Requests run ahead for entries of the directory only.
    if what.flags & file_flag::EXISTS == 0 {
        return false;
    }
    let (min, max) = (fs.params.statahead_min, fs.params.statahead_max);
    let Some(scan) = fs.clients[client.0 as usize].scans.get_mut(&what.parent) else {
        return false;
    };
    if !scan.listed {
        return false;
    }
    scan.stats += 1;
    if scan.stats == 1 {
        scan.left = scan.cached.saturating_sub(1);
        return false;
    }
    if scan.window == 0 {
        scan.window = min;
        scan.left = scan.left.saturating_sub(1);
        send_ahead(fs, sink, client, what.parent);
        return false;
    }
    if scan.ready > 0 {
        scan.ready -= 1;
        scan.window = (scan.window * 2).min(max);
        fs.files[what.file as usize].grant(client, bit::LOOKUP | bit::UPDATE | bit::LAYOUT);
        fs.ready.push_back(call);
        fs.call_mut(call).read_ahead = true;
        send_ahead(fs, sink, client, what.parent);
        return true;
    }
    if scan.in_flight as usize > scan.waiters.len() {
        scan.waiters.push_back(call);
        fs.call_mut(call).step = Step::Statahead;
        return true;
    }
    false
}

/// Sends requests for the next entries of a scan.
fn send_ahead(fs: &mut Lustre, sink: &mut impl Sink, client: ClientId, directory: FileId) {
    loop {
        let Some(scan) = fs.clients[client.0 as usize].scans.get_mut(&directory) else { return };
        if scan.left == 0 || scan.in_flight + scan.ready >= scan.window {
            return;
        }
        scan.left -= 1;
        scan.in_flight += 1;
        let mdt = fs.files[directory as usize].mdt_of(scan.left);
        let service = fs.params.mds_getattr;
        let effect = Effect::Statahead { directory };
        fs.send_metadata(sink, None, (client, mdt), Operation::LdlmIbitsEnqueue, service, effect);
    }
}

/// A request ahead has been answered.
fn ahead_answered(fs: &mut Lustre, client: ClientId, directory: FileId) {
    let Some(scan) = fs.clients[client.0 as usize].scans.get_mut(&directory) else { return };
    scan.in_flight = scan.in_flight.saturating_sub(1);
    scan.ready += 1;
    if let Some(call) = scan.waiters.pop_front() {
        fs.ready.push_back(call);
    }
}

/// A call that waited for a request ahead.
pub fn stat_ahead_ready(fs: &mut Lustre, sink: &mut impl Sink, call: CallId) {
    fs.call_mut(call).step = Step::Request;
    request(fs, sink, call);
}

/// Reads entries of a directory under its inode lock, 1 MiB of pages per RPC.
fn read_directory(
    fs: &mut Lustre,
    sink: &mut impl Sink,
    call: CallId,
    client: ClientId,
    what: &FileCall,
    held: u8,
) {
    // A directory that has been removed grants no lock: its entries are read without one.
    let may_lock = std::mem::replace(&mut fs.call_mut(call).position, 1) == 0;
    let directory = &fs.files[what.file as usize];
    let first = directory.mdt_of(0);
    let shards = directory.directory.as_ref().map_or(1, |d| d.mdts.len().max(1)) as u64;
    let scans = &mut fs.clients[client.0 as usize].scans;
    let scan = scans.entry(what.file).or_default();
    if held & bit::UPDATE == 0 && may_lock {
        // The entries may have changed.
        *scan = Scan { waiters: std::mem::take(&mut scan.waiters), ..Scan::default() };
        let service = fs.params.mds_getattr;
        let effect = Effect::Grant { file: what.file, bits: bit::LOOKUP | bit::UPDATE };
        fs.call_mut(call).step = Step::Request;
        let operation = Operation::LdlmIbitsEnqueue;
        fs.send_metadata(sink, Some(call), (client, first), operation, service, effect);
        return;
    }
    let wanted = (what.offset + what.bytes).min(what.size);
    if scan.listed && scan.cached >= wanted {
        return fs.ready.push_back(call);
    }
    let p = &fs.params;
    let per_rpc = (READ_PAGE / p.entry_size).min(what.size.div_ceil(shards)).max(1);
    let entries = per_rpc.min(what.size - scan.cached.min(what.size));
    let mdt = directory.mdt_of(scan.cached / per_rpc);
    let service = p.mds_readpage + p.mds_entry * entries;
    let bytes = Extent::new(0, (entries * p.entry_size).max(1)).pages().bytes();
    scan.cached += entries;
    scan.listed = true;
    fs.call_mut(call).step = Step::Request;
    let operation = Operation::MdsReadpage;
    fs.send_to_mdt(sink, Some(call), (client, mdt), operation, Effect::None, |rpc| {
        rpc.service = service;
        rpc.bulk = Bulk::Push(bytes);
    });
}

/// Continues after the reply.
pub fn answered(fs: &mut Lustre, sink: &mut impl Sink, call: CallId) {
    use FileCallKind as Kind;
    let c = fs.call_mut(call);
    let (client, what) = (c.client, c.what);
    let regular = what.flags & file_flag::DIRECTORY == 0;
    let exists = what.flags & (file_flag::EXISTS | file_flag::OPEN) != 0;
    let cuts = what.flags & file_flag::TRUNCATE != 0 && what.flags & file_flag::EXISTS != 0;
    c.step = match what.kind {
        Kind::Stat if regular && exists => Step::Glimpse,
        Kind::Open if regular && cuts => Step::Truncate,
        Kind::Truncate => Step::PunchLock,
        Kind::SetLayout | Kind::Open | Kind::Close => Step::Finish,
        _ => Step::Finish,
    };
    if c.step == Step::Glimpse && c.read_ahead {
        // The size is fetched ahead, too.
        c.step = Step::Finish;
        for object in fs.glimpsed(what.file) {
            locking::glimpse(fs, sink, client, None, object);
        }
    }
    fs.ready.push_back(call);
}

/// `O_TRUNC`: the kernel sets the size to 0 after the open.
pub fn truncate(fs: &mut Lustre, sink: &mut impl Sink, call: CallId) {
    let c = fs.call_mut(call);
    c.step = Step::PunchLock;
    let (client, file) = (c.client, c.what.file);
    let mdt = fs.files[file as usize].mdt;
    let (service, access) = (fs.params.mds_setattr, fs.transaction(mdt));
    let effect = Effect::None;
    fs.send_to_mdt(sink, Some(call), (client, mdt), Operation::ReintSetattr, effect, |rpc| {
        rpc.service = service;
        rpc.access = Some(access);
    });
}

/// A request is at its MDT: its effect, then the reply when all locks are revoked.
pub fn served(fs: &mut Lustre, sink: &mut impl Sink, id: RequestId) {
    let Work::Metadata(m) = fs.requests[id].work else { return };
    match m.effect {
        Effect::None | Effect::Statahead { .. } => {}
        Effect::Grant { file, bits } => {
            if fs.files[file as usize].links > 0 {
                fs.files[file as usize].grant(m.client, bits);
            }
        }
        Effect::Instantiate { file, upto } => {
            revoke(fs, sink, id, &m, file, bit::LAYOUT);
            create_objects(fs, sink, id, m.mdt, file, upto);
            fs.files[file as usize].grant(m.client, bit::LAYOUT);
        }
        Effect::Call => {
            if let Some(call) = m.call {
                let what = fs.call_mut(call).what;
                call_effect(fs, sink, id, &m, &what);
            }
        }
    }
    fs.reply_if_complete(sink, id);
}

/// What the request of a call changes.
fn call_effect(
    fs: &mut Lustre,
    sink: &mut impl Sink,
    id: RequestId,
    m: &Metadata,
    what: &FileCall,
) {
    use FileCallKind as Kind;
    const NAME: u8 = bit::LOOKUP | bit::UPDATE;
    let (file, parent) = (what.file, what.parent);
    let exists = what.flags & file_flag::EXISTS != 0;
    let directory = what.flags & file_flag::DIRECTORY != 0;
    match what.kind {
        Kind::Open => {
            if exists || what.flags & file_flag::CREATE != 0 {
                fs.files[file as usize].opens += 1;
            }
            if !exists && what.flags & file_flag::CREATE != 0 {
                create(fs, sink, id, m, what);
            }
            if !directory {
                fs.files[file as usize].grant(m.client, bit::LAYOUT);
            }
        }
        Kind::Close => {
            let f = &mut fs.files[file as usize];
            f.opens = f.opens.saturating_sub(1);
            destroy_unused(fs, sink, file);
        }
        Kind::Mkdir | Kind::Symlink => {
            revoke(fs, sink, id, m, parent, bit::UPDATE);
            let entry = fs.files[parent as usize].mdt_of(what.name);
            update_shards(fs, sink, id, m.mdt, file, entry);
        }
        Kind::Unlink | Kind::Rmdir => {
            revoke(fs, sink, id, m, parent, bit::UPDATE);
            revoke(fs, sink, id, m, file, NAME);
            update_other(fs, sink, id, m.mdt, fs.files[file as usize].mdt);
            let f = &mut fs.files[file as usize];
            f.links = f.links.saturating_sub(1);
            destroy_unused(fs, sink, file);
        }
        Kind::Rename => {
            revoke(fs, sink, id, m, parent, bit::UPDATE);
            if what.other != parent {
                revoke(fs, sink, id, m, what.other, bit::UPDATE);
            }
            revoke(fs, sink, id, m, file, NAME);
            update_other(fs, sink, id, m.mdt, fs.files[what.other as usize].mdt_of(what.name));
        }
        Kind::Link => {
            revoke(fs, sink, id, m, parent, bit::UPDATE);
            revoke(fs, sink, id, m, file, bit::UPDATE);
            update_other(fs, sink, id, m.mdt, fs.files[file as usize].mdt);
            fs.files[file as usize].links += 1;
        }
        Kind::SetAttributes => revoke(fs, sink, id, m, file, NAME),
        Kind::Truncate => revoke(fs, sink, id, m, file, bit::UPDATE),
        Kind::SetXattr => revoke(fs, sink, id, m, file, bit::XATTR),
        Kind::GetXattr | Kind::GetLayout => fs.files[file as usize].grant(m.client, bit::XATTR),
        Kind::ReadLink => {
            fs.files[file as usize].grant(m.client, bit::LOOKUP | bit::UPDATE);
        }
        Kind::SetLayout => set_layout(fs, sink, id, m, what),
        _ => {}
    }
}

/// Creates a file with the layout of its directory; the call gives that of a directory from before
/// the run.
fn create(fs: &mut Lustre, sink: &mut impl Sink, id: RequestId, m: &Metadata, what: &FileCall) {
    revoke(fs, sink, id, m, what.parent, bit::UPDATE);
    if fs.files[what.file as usize].layout.is_none() {
        let given = m.call.and_then(|call| fs.call_mut(call).given_templates());
        let templates = given.unwrap_or_else(|| fs.default_layout(what.parent));
        fs.set_templates(what.file, &templates);
        create_objects(fs, sink, id, m.mdt, what.file, 1);
    }
}

/// Sets the layout of a new file, or the default of a directory.
fn set_layout(fs: &mut Lustre, sink: &mut impl Sink, id: RequestId, m: &Metadata, what: &FileCall) {
    let request = m.call.and_then(|call| fs.call_mut(call).layout.take());
    let Some(request) = request else { return };
    let Some(templates) = &request.templates else {
        fs.requests[id].error = super::EINVAL;
        return;
    };
    let exists = what.flags & file_flag::EXISTS != 0;
    if !exists {
        revoke(fs, sink, id, m, what.parent, bit::UPDATE);
    }
    if what.flags & file_flag::DIRECTORY != 0 {
        fs.set_directory(what.file, &request, !exists || what.size == 0);
        revoke(fs, sink, id, m, what.file, bit::UPDATE);
        let entry = if exists { m.mdt } else { fs.files[what.parent as usize].mdt_of(what.name) };
        update_shards(fs, sink, id, m.mdt, what.file, entry);
    } else if !exists || what.size == 0 {
        destroy_objects(fs, sink, what.file);
        let default = fs.default_layout(what.parent);
        let templates = if templates.is_empty() { &default } else { templates };
        fs.set_templates(what.file, templates);
        create_objects(fs, sink, id, m.mdt, what.file, 1);
        revoke(fs, sink, id, m, what.file, bit::LAYOUT);
    } else {
        // A file with data keeps its layout, as in Lustre.
        fs.requests[id].error = super::EEXIST;
    }
}

/// Takes bits of an inode lock from all clients. The request waits for the cancels of the others;
/// its own client cancels with the request.
fn revoke(
    fs: &mut Lustre,
    sink: &mut impl Sink,
    id: RequestId,
    m: &Metadata,
    file: FileId,
    bits: u8,
) {
    let mut holders = std::mem::take(&mut fs.holders);
    fs.files[file as usize].revoke(bits, m.client, &mut holders);
    for client in holders.drain(..) {
        fs.requests[id].pending += 1;
        fs.counters.inode_revocations += 1;
        let work = Work::InodeBlocking { client, mdt: m.mdt, of: id };
        let (from, to) = (Peer::Server(fs.mds_of(m.mdt)), Peer::Client(client));
        let blocking = fs.request(work);
        let service = fs.params.callback;
        let rpc = fs.rpc(Operation::LdlmBlockingCallback, from, to, blocking);
        fs.send(sink, Rpc { service, ..rpc });
    }
    fs.holders = holders;
}

/// The client answers a blocking AST with a cancel.
pub fn inode_blocking(
    fs: &mut Lustre,
    sink: &mut impl Sink,
    client: ClientId,
    mdt: u32,
    of: RequestId,
) {
    let to = Peer::Server(fs.mds_of(mdt));
    let cancel = fs.request(Work::InodeCancel { of });
    let service = fs.params.oss_lock;
    let rpc = fs.rpc(Operation::LdlmCancel, Peer::Client(client), to, cancel);
    fs.send(sink, Rpc { service, ..rpc });
}

/// A transaction that spans two MDTs: the other one is updated before the reply.
fn update_other(fs: &mut Lustre, sink: &mut impl Sink, id: RequestId, mdt: u32, other: u32) {
    if mdt == other {
        return;
    }
    fs.requests[id].pending += 1;
    let (from, to) = (Peer::Server(fs.mds_of(mdt)), Peer::Server(fs.mds_of(other)));
    let update = fs.request(Work::Update { of: id });
    let (service, access) = (fs.params.mds_update, Some(fs.transaction(other)));
    let rpc = fs.rpc(Operation::OutUpdate, from, to, update);
    fs.send(sink, Rpc { service, access, ..rpc });
}

/// Updates the MDT of the entry, and all MDTs of a directory, other than that of the request.
fn update_shards(
    fs: &mut Lustre,
    sink: &mut impl Sink,
    id: RequestId,
    mdt: u32,
    file: FileId,
    entry: u32,
) {
    let directory = fs.files[file as usize].directory.as_ref();
    let mut others = directory.map_or_else(Vec::new, |d| d.mdts.clone());
    if !others.contains(&entry) {
        others.push(entry);
    }
    for other in others {
        update_other(fs, sink, id, mdt, other);
    }
}

/// Gives the components of a file up to the byte before `upto` their objects.
fn create_objects(
    fs: &mut Lustre,
    sink: &mut impl Sink,
    id: RequestId,
    mdt: u32,
    file: FileId,
    upto: u64,
) {
    for ost in fs.instantiate(file, upto) {
        let key = (mdt, ost);
        let (min, max) = (fs.params.precreate_min, fs.params.precreate_max);
        let ahead = fs.precreated.entry(key).or_insert_with(|| Precreated::new(min));
        let taken = ahead.take(id);
        let refill = ahead.refill(max);
        fs.requests[id].pending += u32::from(!taken);
        fs.counters.precreation_waits += u64::from(!taken);
        if let Some(objects) = refill {
            precreate(fs, sink, mdt, ost, objects);
        }
    }
}

/// An MDT has objects created on an OST.
fn precreate(fs: &mut Lustre, sink: &mut impl Sink, mdt: u32, ost: u32, objects: u32) {
    let (from, to) = (Peer::Server(fs.mds_of(mdt)), Peer::Server(fs.place_of(ost)));
    let request = fs.request(Work::Precreate { mdt, ost, objects });
    let p = &fs.params;
    let access = MediumAccess { medium: MediumId(ost), span: p.ost_access, latency: Span::ZERO };
    let service = p.oss_rpc;
    let rpc = fs.rpc(Operation::OstCreate, from, to, request);
    fs.send(sink, Rpc { service, access: Some(access), ..rpc });
}

/// A batch of objects exists.
pub fn precreated(fs: &mut Lustre, sink: &mut impl Sink, mdt: u32, ost: u32, objects: u32) {
    let largest = fs.params.precreate_max;
    let Some(ahead) = fs.precreated.get_mut(&(mdt, ost)) else { return };
    let served = ahead.created(objects);
    let refill = ahead.refill(largest);
    for request in served {
        fs.resolve(sink, request);
    }
    // More requests may wait than the batch has objects.
    if let Some(objects) = refill {
        precreate(fs, sink, mdt, ost, objects);
    }
}

/// Destroys the objects of a file without links and open descriptors.
fn destroy_unused(fs: &mut Lustre, sink: &mut impl Sink, file: FileId) {
    let f = &fs.files[file as usize];
    if f.links == 0 && f.opens == 0 {
        destroy_objects(fs, sink, file);
    }
}

fn destroy_objects(fs: &mut Lustre, sink: &mut impl Sink, file: FileId) {
    let mdt = fs.files[file as usize].mdt;
    let Some(layout) = fs.files[file as usize].layout.take() else { return };
    for object in layout.objects() {
        if fs.objects[object].target >= fs.params.osts {
            locking::destroy_served(fs, sink, object);
        } else {
            fs.destroys[mdt as usize].queue.push_back(object);
        }
    }
    pump_destroys(fs, sink, mdt);
}

/// Sends destroys of an MDT as far as its limit allows.
pub fn pump_destroys(fs: &mut Lustre, sink: &mut impl Sink, mdt: u32) {
    loop {
        let limit = fs.params.destroys;
        let state = &mut fs.destroys[mdt as usize];
        if state.in_flight >= limit {
            return;
        }
        let Some(object) = state.queue.pop_front() else { return };
        state.in_flight += 1;
        let target = fs.objects[object].target;
        let (from, to) = (Peer::Server(fs.mds_of(mdt)), Peer::Server(fs.place_of(target)));
        let request = fs.request(Work::Destroy { mdt, object });
        let p = &fs.params;
        let span = p.mdt_access;
        let access = MediumAccess { medium: MediumId(target), span, latency: Span::ZERO };
        let service = p.oss_rpc;
        let rpc = fs.rpc(Operation::OstDestroy, from, to, request);
        fs.send(sink, Rpc { service, access: Some(access), priority: 2, ..rpc });
    }
}

/// The reply has arrived.
pub fn replied(fs: &mut Lustre, sink: &mut impl Sink, m: &Metadata, error: i32) {
    let mdc = fs.clients[m.client.0 as usize].mdcs.entry(m.mdt).or_default();
    if m.modifying {
        mdc.modifying -= 1;
        mdc.closes -= u32::from(m.is_close());
    } else {
        mdc.in_flight -= 1;
    }
    if let Effect::Statahead { directory } = m.effect {
        ahead_answered(fs, m.client, directory);
    }
    if let Some(call) = m.call {
        fs.fail(call, error);
        fs.done(call);
    }
    fs.pump_metadata(sink, m.client, m.mdt);
}

/// Objects whose destruction has been requested.
pub fn destroyed(fs: &mut Lustre, sink: &mut impl Sink, mdt: u32) {
    fs.destroys[mdt as usize].in_flight -= 1;
    pump_destroys(fs, sink, mdt);
}
