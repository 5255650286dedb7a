//! Bulk reads and writes between a client and its targets: formation, limits in flight, effects.

use base::{Gap, Span};

use super::Lustre;
use super::client::{Osc, QueueItem};
use super::extent_locks::{ExtentLock, Mode, Owner};
use super::extents::Extent;
use super::layout::ObjectId;
use super::messages::{Operation, fragment_bytes};
use super::request::{Brw, RequestId, Work};
use crate::{Bulk, CallId, ClientId, MediumAccess, MediumId, Peer, Rpc, Sink};

/// Fragments of one RPC [L osc_cache.c: extents that are joined].
const MAX_FRAGMENTS: usize = 256;
/// errno ENOSPC of Linux.
pub const ENOSPC: i32 = 28;

impl Lustre {
    /// A client's state for a target; connects it first.
    pub(super) fn osc(&mut self, client: ClientId, target: u32) -> &mut Osc {
        let initial = self.params.grant_initial;
        let target_state = &mut self.targets[target as usize];
        let oscs = &mut self.clients[client.0 as usize].oscs;
        oscs.entry(target)
            .or_insert_with(|| Osc { grant: target_state.grant(initial), ..Osc::default() })
    }
}

/// Sends what the limit in flight allows.
pub fn pump(fs: &mut Lustre, sink: &mut impl Sink, client: ClientId, target: u32) {
    let limit = fs.params.rpcs_in_flight;
    loop {
        let osc = fs.osc(client, target);
        // Pages whose lock is revoked may exceed the limit by one RPC [L osc_cache.c], so that
        // a revocation never waits for requests that wait for other locks.
        if let Some(&object) = osc.urgent.front()
            && osc.in_flight <= limit
        {
            if !write_pages(fs, sink, client, object, true) {
                fs.osc(client, target).urgent.pop_front();
            }
            continue;
        }
        if osc.in_flight >= limit {
            return;
        }
        let Some(item) = osc.queue.pop_front() else { return };
        match item {
            QueueItem::Write(object) => {
                fs.clients[client.0 as usize].object(object).queued = false;
                if fs.has_full_rpc(client, object) {
                    write_pages(fs, sink, client, object, false);
                }
                queue_write(fs, client, object);
            }
            QueueItem::Read { object, extent } => {
                let brw = Brw { write: false, ..brw(client, target, object, extent) };
                send(fs, sink, brw, false);
            }
            QueueItem::Direct { call, object, extent, write, locked } => {
                let brw = brw(client, target, object, extent);
                let brw = Brw { write, locked, direct: Some(call), ..brw };
                send(fs, sink, brw, false);
            }
        }
    }
}

fn brw(client: ClientId, target: u32, object: ObjectId, extent: Extent) -> Brw {
    Brw {
        client,
        target,
        object,
        write: true,
        direct: None,
        locked: true,
        parked: false,
        first: extent,
        more: Vec::new(),
        bytes: extent.bytes(),
        grant: 0,
    }
}

impl Lustre {
    /// Whether dirty pages of an object may be sent: a full RPC, or all by request.
    fn has_full_rpc(&mut self, client: ClientId, object: ObjectId) -> bool {
        let full = self.params.brw_size;
        let Some(o) = self.clients[client.0 as usize].objects.get(&object) else { return false };
        !o.dirty.is_empty() && (o.flush || o.dirty.bytes() >= full)
    }
}

/// Puts an object with pages to send into the queue of its target.
pub fn queue_write(fs: &mut Lustre, client: ClientId, object: ObjectId) {
    if !fs.has_full_rpc(client, object) {
        return;
    }
    let target = fs.objects[object].target;
    let o = fs.clients[client.0 as usize].object(object);
    if !o.queued {
        o.queued = true;
        fs.osc(client, target).queue.push_back(QueueItem::Write(object));
    }
}

/// Requests that all dirty pages of an object are written.
pub fn flush_object(fs: &mut Lustre, client: ClientId, object: ObjectId) {
    let o = fs.clients[client.0 as usize].object(object);
    if !o.dirty.is_empty() {
        o.flush = true;
        queue_write(fs, client, object);
    }
}

/// Requests that all dirty pages of a client for a target are written.
pub fn flush_target(fs: &mut Lustre, client: ClientId, target: u32) {
    let dirty = &fs.clients[client.0 as usize].dirty_objects;
    let objects: Vec<ObjectId> =
        dirty.iter().copied().filter(|&o| fs.objects[o].target == target).collect();
    for object in objects {
        flush_object(fs, client, object);
    }
}

/// Forms one write RPC of an object's dirty pages; with `urgent`, of those under revoked locks.
/// Returns false if there are none.
fn write_pages(
    fs: &mut Lustre,
    sink: &mut impl Sink,
    client: ClientId,
    object: ObjectId,
    urgent: bool,
) -> bool {
    let size = fs.params.brw_size;
    let target = fs.objects[object].target;
    let Some(o) = fs.clients[client.0 as usize].objects.get_mut(&object) else { return false };
    let mut request = brw(client, target, object, Extent::new(0, 0));
    if urgent {
        let revoked = o.locks.iter().filter(|l| l.revoked && l.users == 0).map(|l| l.extent);
        for extent in revoked {
            gather(&mut request, o.dirty.within(extent), size);
            if request.bytes > 0 {
                break;
            }
        }
    } else {
        gather(&mut request, o.dirty.iter(), size);
    }
    if request.bytes == 0 {
        return false;
    }
    for e in request.fragments() {
        o.dirty.remove(e);
        o.writing.push(e);
    }
    if o.dirty.is_empty() {
        o.flush = false;
    }
    send(fs, sink, request, urgent);
    true
}

/// Takes dirty extents in order, up to the size of an RPC. An RPC ends at a multiple of its size,
/// so that a sequential writer sends aligned RPCs.
fn gather(request: &mut Brw, dirty: impl Iterator<Item = Extent>, size: u64) {
    for extent in dirty {
        let boundary = (extent.start / size + 1).saturating_mul(size);
        let end = extent.end.min(boundary).min(extent.start + size - request.bytes);
        let part = Extent::new(extent.start, end);
        if request.bytes == 0 {
            request.first = part;
        } else {
            request.more.push(part);
        }
        request.bytes += part.bytes();
        let full = request.bytes == size || request.more.len() + 1 == MAX_FRAGMENTS;
        if full || part.end < extent.end {
            return;
        }
    }
}

/// Sends a bulk read or write.
fn send(fs: &mut Lustre, sink: &mut impl Sink, brw: Brw, urgent: bool) {
    let p = &fs.params;
    let operation = if brw.write { Operation::OstWrite } else { Operation::OstRead };
    let peer = Peer::Client(brw.client);
    let fragments = 1 + brw.more.len() as u32;
    // All threads together reach the rate of the server.
    let copy = Gap(p.oss_gap.0 * u64::from(p.oss_threads));
    let service = p.oss_rpc + copy.span(brw.bytes);
    let access = MediumAccess {
        medium: MediumId(brw.target),
        span: medium_time(fs, &brw),
        latency: Span::ZERO,
    };
    let (bytes, write, target) = (brw.bytes, brw.write, brw.target);
    let inline = bytes <= p.short_io;
    let osc = fs.osc(brw.client, target);
    osc.in_flight += 1;
    osc.writes_in_flight += u32::from(write);
    let to = Peer::Server(fs.place_of(target));
    let id = fs.request(Work::Brw(brw));
    let mut rpc = Rpc {
        service,
        access: Some(access),
        priority: u8::from(!urgent),
        ..fs.rpc(operation, peer, to, id)
    };
    rpc.request_bytes += fragment_bytes(fragments);
    match (inline, write) {
        (true, true) => rpc.request_bytes += bytes as u32,
        (true, false) => rpc.reply_bytes += bytes as u32,
        (false, true) => rpc.bulk = Bulk::Pull(bytes),
        (false, false) => rpc.bulk = Bulk::Push(bytes),
    }
    fs.send(sink, rpc);
}

/// Occupancy of the target by a read or write.
fn medium_time(fs: &Lustre, brw: &Brw) -> Span {
    let p = &fs.params;
    let allocated = &fs.objects[brw.object].allocated;
    if brw.target >= p.osts {
        let gap = if brw.write { p.mdt_write_gap } else { p.mdt_read_gap };
        return p.mdt_access + gap.span(brw.bytes);
    }
    if !brw.write {
        // Holes are not read.
        let parts = brw.fragments().flat_map(|e| allocated.within(e));
        let bytes = parts.map(Extent::bytes).sum();
        return if bytes == 0 { Span::ZERO } else { p.ost_access + p.ost_read_gap.span(bytes) };
    }
    let partial: u64 = brw.fragments().map(|e| partial_stripes(e, p.raid_stripe)).sum();
    let absorbed = brw.fragments().all(|e| e.bytes() <= p.raid_absorbs);
    let modify = if absorbed { Span::ZERO } else { p.raid_partial * partial };
    p.ost_access + p.ost_write_gap.span(brw.bytes) + modify
}

/// RAID stripes that an extent covers in part.
fn partial_stripes(extent: Extent, stripe: u64) -> u64 {
    let (first, last) = (extent.start / stripe, extent.end / stripe);
    let head = u64::from(!extent.start.is_multiple_of(stripe));
    let tail = u64::from(!extent.end.is_multiple_of(stripe));
    if first == last { 1 } else { head + tail }
}

/// The target has moved the data of a read or write.
pub fn served(fs: &mut Lustre, id: RequestId) {
    let Work::Brw(brw) = &fs.requests[id].work else { return };
    let brw = brw.clone();
    let target = &mut fs.targets[brw.target as usize];
    let object = &mut fs.objects[brw.object];
    if brw.write {
        target.write_rpcs += 1;
        let new: u64 =
            brw.fragments().flat_map(|e| object.allocated.missing(e)).map(Extent::bytes).sum();
        if brw.direct.is_none() {
            target.granted = target.granted.saturating_sub(brw.bytes);
        }
        // Space that has been granted belongs to the pages in caches.
        let reserved = if brw.direct.is_some() { target.granted } else { 0 };
        if target.used + reserved + new > target.capacity {
            fs.requests[id].error = ENOSPC;
        } else {
            target.written_bytes += brw.bytes;
            if !object.destroyed {
                target.used += new;
                for e in brw.fragments() {
                    object.allocated.insert(e);
                }
            }
        }
        grant_more(fs, id, &brw);
    } else {
        target.read_rpcs += 1;
        target.read_bytes += brw.bytes;
    }
}

/// The reply of a write carries grant. A client requests enough for its dirty limit, and for one
/// RPC more than may be in flight [L osc_request.c: osc_announce_cached].
fn grant_more(fs: &mut Lustre, id: RequestId, brw: &Brw) {
    let p = &fs.params;
    let in_flight = p.brw_size * (u64::from(p.rpcs_in_flight) + 1);
    let (most, step) = (p.dirty_limit.max(in_flight), p.grant_step);
    let osc = fs.osc(brw.client, brw.target);
    let wanted = most.saturating_sub(osc.grant).min(step);
    let grant = fs.targets[brw.target as usize].grant(wanted);
    if let Work::Brw(brw) = &mut fs.requests[id].work {
        brw.grant = grant;
    }
}

/// The lock that the server takes for a direct access.
pub fn direct_lock(fs: &mut Lustre, id: RequestId) -> Option<(ObjectId, ExtentLock)> {
    let Work::Brw(brw) = &fs.requests[id].work else { return None };
    if brw.locked {
        return None;
    }
    let (object, extent) = (brw.object, brw.span().pages());
    let mode = if brw.write { Mode::Write } else { Mode::Read };
    let lock = ExtentLock {
        id: fs.new_lock(),
        owner: Owner::Server(id.0),
        mode,
        requested: extent,
        extent,
        widen: false,
        call: CallId(0),
        revoked: false,
    };
    Some((object, lock))
}

/// The reply of a read or write has arrived.
pub fn replied(fs: &mut Lustre, brw: &Brw, error: i32) {
    let osc = fs.osc(brw.client, brw.target);
    osc.in_flight -= u32::from(!brw.parked);
    osc.writes_in_flight -= u32::from(brw.write);
    osc.grant += brw.grant;
    if let Some(call) = brw.direct {
        fs.fail(call, error);
        fs.done(call);
        return;
    }
    let limit = fs.params.page_cache;
    let client = &mut fs.clients[brw.client.0 as usize];
    if brw.write {
        if let Some(osc) = client.oscs.get_mut(&brw.target) {
            osc.dirty -= brw.bytes;
            fs.ready.extend(osc.waiters.drain(..));
        }
        let o = client.object(brw.object);
        for e in brw.fragments() {
            if let Some(i) = o.writing.iter().position(|w| *w == e) {
                o.writing.swap_remove(i);
            }
        }
        if o.is_clean() {
            client.dirty_objects.remove(&brw.object);
        }
    } else {
        let o = client.object(brw.object);
        o.loading.remove(brw.first);
        // Without a lock the pages may be stale.
        if o.locks.iter().any(|l| l.extent.covers(brw.first)) {
            client.cache(brw.object, brw.first, limit);
        }
    }
    let o = client.object(brw.object);
    fs.ready.extend(o.waiters.drain(..));
}
