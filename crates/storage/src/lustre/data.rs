//! Reads, writes, and what concerns the data of files: flush, commit, cut, sizes.
//!
//! A call advances until it waits for a lock, a page, space for dirty pages, or replies.

use base::Span;
use machine::storage::lustre::CollectiveLocks;
use workload::{FileCallKind, FileId, file_flag};

use super::Lustre;
use super::client::QueueItem;
use super::extent_locks::Mode;
use super::extents::{EOF, Extent, PAGE};
use super::layout::{ObjectId, Piece};
use super::locking;
use super::messages::Operation;
use super::osc;
use super::read_ahead::Limits;
use super::request::{Effect, Step, Work};
use crate::{CallId, ClientId, MediumAccess, MediumId, Peer, Rpc, Sink};

/// Continues a write through the page cache.
pub fn write(fs: &mut Lustre, sink: &mut impl Sink, call: CallId) {
    while let Some(piece) = next_piece(fs, sink, call) {
        let Some(object) = piece.object else {
            instantiate(fs, sink, call, piece);
            return;
        };
        if !write_piece(fs, sink, call, object, piece.extent) {
            return;
        }
    }
}

/// Continues a read through the page cache.
pub fn read(fs: &mut Lustre, sink: &mut impl Sink, call: CallId) {
    while let Some(piece) = next_piece(fs, sink, call) {
        let Some(object) = piece.object else {
            fs.call_mut(call).position += piece.extent.bytes();
            continue;
        };
        if !read_piece(fs, sink, call, object, piece.extent) {
            return;
        }
    }
}

/// The rest of a call in one stripe. If there is none, the call ends.
fn next_piece(fs: &mut Lustre, sink: &mut impl Sink, call: CallId) -> Option<Piece> {
    let c = fs.call_mut(call);
    let (file, position, end) = (c.what.file, c.position, end_of(c));
    // Without a layout the file has been destroyed.
    if position < end
        && let Some(layout) = fs.file_layout(file)
    {
        return Some(layout.piece(position, end));
    }
    let c = fs.call_mut(call);
    let write = c.what.kind == FileCallKind::Write;
    let sync = write && c.what.flags & file_flag::SYNC != 0;
    c.step = if sync { Step::Flush } else { Step::Finish };
    locking::release(fs, sink, call);
    fs.ready.push_back(call);
    None
}

/// First byte after the access; a read ends at the end of the file.
fn end_of(c: &super::request::Call) -> u64 {
    let end = c.what.offset.saturating_add(c.what.bytes);
    if c.what.kind == FileCallKind::Read { end.min(c.what.size) } else { end }
}

/// Requests the objects of a component before the first write to it.
fn instantiate(fs: &mut Lustre, sink: &mut impl Sink, call: CallId, piece: Piece) {
    let c = fs.call_mut(call);
    let (client, file) = (c.client, c.what.file);
    let upto = c.position + piece.extent.bytes();
    let mdt = fs.files[file as usize].mdt;
    let service = fs.params.mds_setattr;
    let effect = Effect::Instantiate { file, upto };
    fs.send_metadata(sink, Some(call), (client, mdt), Operation::LayoutIntent, service, effect);
}

/// Writes a part of one stripe into the cache, in parts of at most an RPC. Returns false if the
/// call waits.
fn write_piece(
    fs: &mut Lustre,
    sink: &mut impl Sink,
    call: CallId,
    object: ObjectId,
    piece: Extent,
) -> bool {
    let (mode, request) = write_lock(fs, call, object, piece);
    let c = fs.call_mut(call);
    let client = c.client;
    let file_offset = c.position;
    let size = c.what.size;
    let target = fs.objects[object].target;
    let brw_size = fs.params.brw_size;
    let cut = (piece.start / brw_size + 1).saturating_mul(brw_size);
    let extent = Extent::new(piece.start, piece.end.min(cut));
    if !locking::acquire(fs, sink, call, object, mode, extent.pages(), request) {
        return false;
    }
    let file_end = (piece.start + size).saturating_sub(file_offset);
    if !load_partial_pages(fs, sink, call, object, extent, file_end) {
        return false;
    }
    // Space for dirty pages: the dirty limit of the client, and the grant of the target.
    let o = fs.clients[client.0 as usize].object(object);
    let again: u64 = o.dirty.within(extent).map(Extent::bytes).sum();
    let new = extent.bytes() - again;
    let limit = fs.params.dirty_limit;
    let osc = fs.osc(client, target);
    let lacks_grant = osc.grant < new;
    if osc.dirty > 0 && (osc.dirty + new > limit || lacks_grant) {
        osc.waiters.push(call);
        fs.counters.grant_waits += u64::from(lacks_grant);
        fs.counters.dirty_waits += u64::from(!lacks_grant);
        osc::flush_target(fs, client, target);
        osc::pump(fs, sink, client, target);
        return false;
    }
    fs.call_mut(call).position += extent.bytes();
    let copy = fs.params.copy_gap.span(extent.bytes());
    sink.occupy(call, copy);
    if lacks_grant {
        write_through(fs, sink, call, object, extent);
        return false;
    }
    let osc = fs.osc(client, target);
    osc.dirty += new;
    osc.grant -= new;
    dirty(fs, sink, client, object, extent);
    true
}

/// Mode and extent of the lock for a write, and whether the server may grant more.
fn write_lock(
    fs: &mut Lustre,
    call: CallId,
    object: ObjectId,
    piece: Extent,
) -> (Mode, (Extent, bool)) {
    let c = fs.call_mut(call);
    let flags = c.what.flags;
    if fs.objects[object].target >= fs.params.osts || flags & file_flag::APPEND != 0 {
        // Data on the MDT have one lock; an append locks the file to its end.
        return (Mode::Write, (Extent::ALL, true));
    }
    let collective = flags & file_flag::COLLECTIVE != 0;
    match fs.params.collective_locks {
        CollectiveLocks::Group if collective => (Mode::Group, (Extent::ALL, false)),
        CollectiveLocks::LockAhead if collective => (Mode::Write, (piece.pages(), false)),
        _ => (Mode::Write, (piece.pages(), true)),
    }
}

/// Loads pages that a write covers in part, if they hold other data of the file. `file_end` is the
/// end of the file in bytes of the object. Returns false if the call waits.
fn load_partial_pages(
    fs: &mut Lustre,
    sink: &mut impl Sink,
    call: CallId,
    object: ObjectId,
    extent: Extent,
    file_end: u64,
) -> bool {
    let client = fs.call_mut(call).client;
    let pages = extent.pages();
    let o = fs.clients[client.0 as usize].object(object);
    let lacks = |part: Extent| part.bytes() > 0 && !o.cached.covers(part);
    let exists = |start: u64, end: u64| Extent::new(start, end.min(file_end).max(start));
    let mut missing = [None; 2];
    if lacks(exists(pages.start, extent.start)) {
        missing[0] = Some(exists(pages.start, pages.start + PAGE));
    }
    if lacks(exists(extent.end, pages.end)) {
        missing[1] = Some(exists(pages.end - PAGE, pages.end));
    }
    if missing == [None; 2] {
        return true;
    }
    for page in missing.into_iter().flatten() {
        load(fs, client, object, page);
    }
    wait_for_pages(fs, sink, call, object);
    false
}

/// Queues reads of the bytes that are neither cached nor on their path.
fn load(fs: &mut Lustre, client: ClientId, object: ObjectId, extent: Extent) {
    let size = fs.params.brw_size;
    let target = fs.objects[object].target;
    let o = fs.clients[client.0 as usize].object(object);
    let mut wanted = Vec::new();
    for gap in o.cached.missing(extent) {
        wanted.extend(o.loading.missing(gap));
    }
    for extent in wanted {
        let o = fs.clients[client.0 as usize].object(object);
        o.loading.insert(extent);
        let mut at = extent.start;
        while at < extent.end {
            let end = ((at / size + 1) * size).min(extent.end);
            let item = QueueItem::Read { object, extent: Extent::new(at, end) };
            fs.osc(client, target).queue.push_back(item);
            at = end;
        }
    }
}

fn wait_for_pages(fs: &mut Lustre, sink: &mut impl Sink, call: CallId, object: ObjectId) {
    let client = fs.call_mut(call).client;
    let target = fs.objects[object].target;
    fs.clients[client.0 as usize].object(object).waiters.push(call);
    osc::pump(fs, sink, client, target);
}

/// Marks bytes dirty that are in the cache, and sends full RPCs.
fn dirty(
    fs: &mut Lustre,
    sink: &mut impl Sink,
    client: ClientId,
    object: ObjectId,
    extent: Extent,
) {
    let limit = fs.params.page_cache;
    let now = fs.now;
    let state = &mut fs.clients[client.0 as usize];
    let o = state.object(object);
    if o.dirty.is_empty() {
        o.dirty_since = now;
    }
    o.dirty.insert(extent);
    state.dirty_objects.insert(object);
    state.cache(object, extent, limit);
    if !state.flush_timer {
        state.flush_timer = true;
        sink.timer(fs.params.flush_age, client.0);
    }
    osc::queue_write(fs, client, object);
    let target = fs.objects[object].target;
    osc::pump(fs, sink, client, target);
}

/// Without grant the data have to reach the OST before the call continues.
fn write_through(
    fs: &mut Lustre,
    sink: &mut impl Sink,
    call: CallId,
    object: ObjectId,
    extent: Extent,
) {
    let client = fs.call_mut(call).client;
    let target = fs.objects[object].target;
    fs.counters.grant_waits += 1;
    let o = fs.clients[client.0 as usize].object(object);
    let again = o.dirty.remove(extent);
    let limit = fs.params.page_cache;
    fs.clients[client.0 as usize].cache(object, extent, limit);
    let osc = fs.osc(client, target);
    osc.dirty -= again;
    osc.grant += again;
    queue_direct(fs, call, object, extent, true, true);
    osc::pump(fs, sink, client, target);
}

fn queue_direct(
    fs: &mut Lustre,
    call: CallId,
    object: ObjectId,
    extent: Extent,
    write: bool,
    locked: bool,
) {
    let size = fs.params.brw_size;
    let client = fs.call_mut(call).client;
    let target = fs.objects[object].target;
    let mut at = extent.start;
    while at < extent.end {
        let end = ((at / size + 1) * size).min(extent.end);
        let part = Extent::new(at, end);
        fs.call_mut(call).outstanding += 1;
        let item = QueueItem::Direct { call, object, extent: part, write, locked };
        fs.osc(client, target).queue.push_back(item);
        at = end;
    }
}

/// Reads a part of one stripe, in parts of at most an RPC. Returns false if the call waits.
fn read_piece(
    fs: &mut Lustre,
    sink: &mut impl Sink,
    call: CallId,
    object: ObjectId,
    piece: Extent,
) -> bool {
    let pages = piece.pages();
    let request = if fs.objects[object].target >= fs.params.osts { Extent::ALL } else { pages };
    if !locking::acquire(fs, sink, call, object, Mode::Read, pages, (request, true)) {
        return false;
    }
    let c = fs.call_mut(call);
    let client = c.client;
    let after = c.what.size - c.position;
    // Whole pages, up to the end of the file.
    let mut wanted = Extent::new(pages.start, pages.end.min(piece.start.saturating_add(after)));
    load(fs, client, object, wanted);
    if !fs.call_mut(call).read_ahead {
        fs.call_mut(call).read_ahead = true;
        read_ahead(fs, call);
    }
    let target = fs.objects[object].target;
    osc::pump(fs, sink, client, target);
    let size = fs.params.brw_size;
    let cut = (piece.start / size + 1).saturating_mul(size).min(piece.end);
    wanted.end = wanted.end.min(cut.next_multiple_of(PAGE));
    let o = fs.clients[client.0 as usize].object(object);
    if !o.cached.covers(wanted) {
        o.waiters.push(call);
        return false;
    }
    let bytes = cut - piece.start;
    sink.occupy(call, fs.params.copy_gap.span(bytes));
    fs.call_mut(call).position += bytes;
    true
}

/// Queues what the client reads ahead of this call, under locks that it holds.
fn read_ahead(fs: &mut Lustre, call: CallId) {
    let c = fs.call_mut(call);
    let (client, file, size) = (c.client, c.what.file, c.what.size);
    let range = Extent::new(c.what.offset, end_of(c));
    let p = &fs.params;
    let state = &mut fs.clients[client.0 as usize];
    let limits = Limits {
        step: p.brw_size,
        window: p.read_ahead_file,
        whole: p.read_ahead_whole,
        budget: p.read_ahead_client.saturating_sub(state.read_ahead),
    };
    let ahead = state.streams.entry(file).or_default().read(range, size, &limits);
    state.read_ahead = (state.read_ahead + ahead.added).saturating_sub(ahead.consumed);
    let Some(range) = ahead.range else { return };
    let extents = fs.file_layout(file).map(|l| l.object_extents(range));
    for (object, extent) in extents.unwrap_or_default() {
        let o = fs.clients[client.0 as usize].object(object);
        if o.usable(Mode::Read, extent).is_some() {
            load(fs, client, object, extent);
        }
    }
}

/// O_DIRECT: all RPCs of the call at once. The servers lock.
pub fn direct(fs: &mut Lustre, sink: &mut impl Sink, call: CallId) {
    let c = fs.call_mut(call);
    let (client, file) = (c.client, c.what.file);
    let write = c.what.kind == FileCallKind::Write;
    let range = Extent::new(c.what.offset, end_of(c).max(c.what.offset));
    let mut extents = Vec::new();
    if range.bytes() > 0
        && let Some(layout) = fs.file_layout(file)
    {
        // The component of the last byte decides whether all are instantiated.
        if write && layout.piece(range.end - 1, range.end).object.is_none() {
            fs.call_mut(call).position = range.start;
            instantiate(fs, sink, call, Piece { object: None, extent: range });
            return;
        }
        extents = layout.object_extents(range);
    }
    fs.call_mut(call).step = Step::Finish;
    for &(object, extent) in &extents {
        queue_direct(fs, call, object, extent, write, false);
    }
    for &(object, _) in &extents {
        let target = fs.objects[object].target;
        osc::pump(fs, sink, client, target);
    }
    if extents.is_empty() {
        fs.ready.push_back(call);
    }
}

/// Writes the dirty pages of the file, or with `SyncAll` of all files, and waits for them.
pub fn flush(fs: &mut Lustre, sink: &mut impl Sink, call: CallId) {
    let c = fs.call_mut(call);
    let (client, file, kind) = (c.client, c.what.file, c.what.kind);
    let objects: Vec<ObjectId> = if kind == FileCallKind::SyncAll {
        fs.clients[client.0 as usize].dirty_objects.iter().copied().collect()
    } else {
        fs.object_list(file)
    };
    let mut unclean = None;
    for &object in &objects {
        if fs.clients[client.0 as usize].objects.get(&object).is_some_and(|o| !o.is_clean()) {
            osc::flush_object(fs, client, object);
            let target = fs.objects[object].target;
            osc::pump(fs, sink, client, target);
            unclean = Some(object);
        }
    }
    if let Some(object) = unclean {
        fs.clients[client.0 as usize].object(object).waiters.push(call);
        return;
    }
    fs.call_mut(call).step =
        if kind == FileCallKind::SyncAll { Step::Finish } else { Step::Commit };
    fs.ready.push_back(call);
}

/// Commits the inode at its MDT and the objects at their OSTs.
pub fn commit(fs: &mut Lustre, sink: &mut impl Sink, call: CallId) {
    let c = fs.call_mut(call);
    c.step = Step::Finish;
    let (client, file) = (c.client, c.what.file);
    let mdt = fs.files[file as usize].mdt;
    let p = &fs.params;
    let (service, span) = (p.mds_getattr, p.mdt_access);
    // One commit of the journal takes all transactions so far.
    let access = MediumAccess { medium: MediumId(p.osts + mdt), span, latency: p.commit };
    let operation = Operation::MdsSync;
    fs.send_to_mdt(sink, Some(call), (client, mdt), operation, Effect::None, |rpc| {
        rpc.service = service;
        rpc.access = Some(access);
    });
    for object in fs.object_list(file) {
        object_operation(fs, sink, call, object, Operation::OstSync, 0);
    }
}

/// Sends another operation on an object.
fn object_operation(
    fs: &mut Lustre,
    sink: &mut impl Sink,
    call: CallId,
    object: ObjectId,
    operation: Operation,
    from: u64,
) {
    let target = fs.objects[object].target;
    let (to, medium) = (Peer::Server(fs.place_of(target)), MediumId(target));
    let p = &fs.params;
    let (span, latency) = match operation {
        Operation::OstSync => (base::Span::ZERO, p.commit),
        _ => (p.ost_access, base::Span::ZERO),
    };
    let service = p.oss_lock;
    let c = fs.call_mut(call);
    c.outstanding += 1;
    let client = Peer::Client(c.client);
    let id = fs.request(Work::Object { call, object, operation, from });
    let access = Some(MediumAccess { medium, span, latency });
    let rpc = Rpc { service, access, priority: 1, ..fs.rpc(operation, client, to, id) };
    fs.send(sink, rpc);
}

/// Locks the bytes that `Truncate` cuts off or `Allocate` reserves, on all objects at once.
pub fn punch_lock(fs: &mut Lustre, sink: &mut impl Sink, call: CallId) {
    fs.call_mut(call).step = Step::Punch;
    let client = fs.call_mut(call).client;
    for (object, extent) in punched(fs, call) {
        let o = fs.clients[client.0 as usize].object(object);
        if o.usable(Mode::Write, extent.pages()).is_none() {
            locking::enqueue(fs, sink, call, object, Mode::Write, (extent.pages(), true));
        }
    }
    if fs.call_mut(call).outstanding == 0 {
        fs.ready.push_back(call);
    }
}

/// Sends the cut or the reservation to all objects.
pub fn punch(fs: &mut Lustre, sink: &mut impl Sink, call: CallId) {
    let c = fs.call_mut(call);
    c.step = Step::Finish;
    let client = c.client;
    let allocate = c.what.kind == FileCallKind::Allocate;
    let operation = if allocate { Operation::OstFallocate } else { Operation::OstPunch };
    for (object, extent) in punched(fs, call) {
        if !allocate {
            forget_dirty(fs, client, object, extent);
        }
        object_operation(fs, sink, call, object, operation, extent.start);
    }
    if fs.call_mut(call).outstanding == 0 {
        fs.ready.push_back(call);
    }
}

fn punched(fs: &mut Lustre, call: CallId) -> Vec<(ObjectId, Extent)> {
    let what = fs.call_mut(call).what;
    let Some(layout) = fs.file_layout(what.file) else { return Vec::new() };
    match what.kind {
        FileCallKind::Allocate => {
            let end = what.offset.saturating_add(what.bytes);
            layout.object_extents(Extent::new(what.offset, end))
        }
        FileCallKind::Truncate => layout.beyond(what.bytes),
        // `O_TRUNC`.
        _ => layout.beyond(0),
    }
}

/// Removes dirty and cached bytes that a cut makes void.
fn forget_dirty(fs: &mut Lustre, client: ClientId, object: ObjectId, extent: Extent) {
    let target = fs.objects[object].target;
    let state = &mut fs.clients[client.0 as usize];
    let o = state.object(object);
    let dropped = o.dirty.remove(extent);
    if o.dirty.is_empty() {
        o.flush = false;
    }
    // A `fsync` may wait for these pages.
    fs.ready.extend(o.waiters.drain(..));
    if o.is_clean() {
        state.dirty_objects.remove(&object);
    }
    state.drop_pages(object, extent);
    if dropped > 0 {
        let osc = fs.osc(client, target);
        osc.dirty -= dropped;
        osc.grant += dropped;
        let waiters = std::mem::take(&mut osc.waiters);
        fs.ready.extend(waiters);
    }
}

/// An operation on an object is at its server.
pub fn object_served(fs: &mut Lustre, object: ObjectId, operation: Operation, from: u64) {
    if operation == Operation::OstPunch {
        let o = &mut fs.objects[object];
        let freed = o.allocated.remove(Extent::new(from, EOF));
        fs.targets[o.target as usize].used -= freed;
    }
}

/// Requests the sizes of objects that no lock of the client guarantees.
pub fn glimpse(fs: &mut Lustre, sink: &mut impl Sink, call: CallId) {
    let c = fs.call_mut(call);
    c.step = Step::Finish;
    let (client, file) = (c.client, c.what.file);
    for object in fs.glimpsed(file) {
        let o = fs.clients[client.0 as usize].objects.get_mut(&object);
        let known = o.is_some_and(|o| o.usable(Mode::Read, Extent::ALL).is_some());
        if !known {
            locking::glimpse(fs, sink, client, Some(call), object);
        }
    }
    if fs.call_mut(call).outstanding == 0 {
        fs.ready.push_back(call);
    }
}

impl Lustre {
    /// Objects whose servers know parts of the size of a file; none if its MDT knows the size.
    pub(super) fn glimpsed(&self, file: FileId) -> Vec<ObjectId> {
        match &self.files[file as usize].layout {
            Some(layout) if !layout.only_on_mdt() => layout.objects().collect(),
            _ => Vec::new(),
        }
    }
}

/// The kernel looks for old pages at this interval (vm.dirty_writeback_centisecs of Linux).
const WRITEBACK_INTERVAL: Span = Span::ms(5_000);

/// Writes pages that have been dirty for the flush age.
pub fn flush_old(fs: &mut Lustre, sink: &mut impl Sink, client: ClientId) {
    let age = fs.params.flush_age;
    let state = &mut fs.clients[client.0 as usize];
    state.flush_timer = false;
    let dirty: Vec<ObjectId> = state.dirty_objects.iter().copied().collect();
    let mut oldest = None;
    for object in dirty {
        let o = fs.clients[client.0 as usize].object(object);
        if o.dirty.is_empty() {
            continue;
        }
        if o.dirty_since + age <= fs.now {
            osc::flush_object(fs, client, object);
            let target = fs.objects[object].target;
            osc::pump(fs, sink, client, target);
        } else if oldest.is_none_or(|t| o.dirty_since < t) {
            oldest = Some(o.dirty_since);
        }
    }
    if let Some(since) = oldest {
        fs.clients[client.0 as usize].flush_timer = true;
        let next = (since + age).since(fs.now).max(WRITEBACK_INTERVAL);
        sink.timer(next, client.0);
    }
}
