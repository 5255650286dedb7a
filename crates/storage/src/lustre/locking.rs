//! Extent locks between clients and servers: requests, blocking and completion ASTs, cancels.

use super::Lustre;
use super::extent_locks::{ExtentLock, Glimpse, LockId, Mode, Owner, Revocation};
use super::extents::{Extent, ExtentSet};
use super::layout::ObjectId;
use super::messages::Operation;
use super::osc;
use super::request::{RequestId, Step, Work};
use crate::{CallId, ClientId, Peer, Rpc, Sink};

/// Uses a lock for an access of a call. Requests it if the client has none: returns false, and the
/// call continues when the lock is granted.
pub fn acquire(
    fs: &mut Lustre,
    sink: &mut impl Sink,
    call: CallId,
    object: ObjectId,
    mode: Mode,
    access: Extent,
    request: (Extent, bool),
) -> bool {
    let c = fs.call_mut(call);
    let client = c.client;
    if let Some(&(held, id)) = c.locks.first() {
        let o = fs.clients[client.0 as usize].object(held);
        if held == object && o.locks.iter().any(|l| l.id == id && l.extent.covers(access)) {
            return true;
        }
        // A call that waits for a lock holds no other: so locks cannot deadlock.
        release(fs, sink, call);
    }
    let o = fs.clients[client.0 as usize].object(object);
    if let Some(lock) = o.usable(mode, access) {
        lock.users += 1;
        let id = lock.id;
        fs.call_mut(call).locks.push((object, id));
        return true;
    }
    enqueue(fs, sink, call, object, mode, request);
    false
}

/// Requests a lock for a call.
pub fn enqueue(
    fs: &mut Lustre,
    sink: &mut impl Sink,
    call: CallId,
    object: ObjectId,
    mode: Mode,
    (requested, widen): (Extent, bool),
) {
    let c = fs.call_mut(call);
    c.outstanding += 1;
    let client = c.client;
    let lock = ExtentLock {
        id: fs.new_lock(),
        owner: Owner::Client(client),
        mode,
        requested,
        extent: requested,
        widen,
        call,
        revoked: false,
    };
    let work = Work::Enqueue { client, object, lock, granted: None };
    let to = Peer::Server(fs.place_of(fs.objects[object].target));
    send(fs, sink, Operation::LdlmExtentEnqueue, Peer::Client(client), to, work);
}

/// Sends a small request that occupies a thread of its receiver only.
fn send(
    fs: &mut Lustre,
    sink: &mut impl Sink,
    operation: Operation,
    from: Peer,
    to: Peer,
    work: Work,
) {
    let service = match to {
        Peer::Client(_) => fs.params.callback,
        Peer::Server(_) => fs.params.oss_lock,
    };
    let id = fs.request(work);
    let rpc = Rpc { service, priority: 0, ..fs.rpc(operation, from, to, id) };
    fs.send(sink, rpc);
}

/// A lock request is at the server.
pub fn enqueue_served(fs: &mut Lustre, sink: &mut impl Sink, id: RequestId) {
    let Work::Enqueue { object, lock, .. } = fs.requests[id].work else { return };
    let mut revoke = std::mem::take(&mut fs.revoke);
    let o = &mut fs.objects[object];
    let result = o.lock_queue().enqueue(lock, &mut revoke);
    if result.is_none() {
        fs.targets[o.target as usize].lock_conflicts += 1;
    }
    if let Work::Enqueue { granted, .. } = &mut fs.requests[id].work {
        *granted = result;
    }
    fs.reply(sink, id);
    send_blocking(fs, sink, object, revoke, false);
}

/// A server takes a lock for a direct access. The reply waits until it is granted.
pub fn lock_for_direct(fs: &mut Lustre, sink: &mut impl Sink, object: ObjectId, lock: ExtentLock) {
    let Owner::Server(request) = lock.owner else { return };
    let mut revoke = std::mem::take(&mut fs.revoke);
    let o = &mut fs.objects[object];
    match o.lock_queue().enqueue(lock, &mut revoke) {
        Some(granted) => {
            o.lock_queue().cancel(granted.mode, granted.extent.start, granted.id);
        }
        None => {
            fs.targets[o.target as usize].lock_conflicts += 1;
            let request = &mut fs.requests[RequestId(request)];
            request.pending += 1;
            // It occupies no place in flight while it waits: the pages that it waits for may need
            // that place.
            if let Work::Brw(brw) = &mut request.work {
                brw.parked = true;
                let (client, target) = (brw.client, brw.target);
                fs.osc(client, target).in_flight -= 1;
                osc::pump(fs, sink, client, target);
            }
        }
    }
    send_blocking(fs, sink, object, revoke, false);
}

fn send_blocking(
    fs: &mut Lustre,
    sink: &mut impl Sink,
    object: ObjectId,
    mut revoke: Vec<Revocation>,
    discard: bool,
) {
    let from = Peer::Server(fs.place_of(fs.objects[object].target));
    for Revocation { client, lock } in revoke.drain(..) {
        let work = Work::Blocking { client, object, lock, discard };
        send(fs, sink, Operation::LdlmBlockingCallback, from, Peer::Client(client), work);
    }
    fs.revoke = revoke;
}

/// A lock has left the object: grants what waits for it.
fn grant_waiting(fs: &mut Lustre, sink: &mut impl Sink, object: ObjectId) {
    let from = Peer::Server(fs.place_of(fs.objects[object].target));
    let mut revoke = std::mem::take(&mut fs.revoke);
    while let Some(lock) = fs.objects[object].lock_queue().grant_next(&mut revoke) {
        match lock.owner {
            Owner::Client(client) => {
                let work = Work::Completion { client, object, lock };
                let to = Peer::Client(client);
                send(fs, sink, Operation::LdlmCompletionCallback, from, to, work);
            }
            Owner::Server(request) => {
                let queue = fs.objects[object].lock_queue();
                queue.cancel(lock.mode, lock.extent.start, lock.id);
                fs.resolve(sink, RequestId(request));
            }
        }
    }
    if fs.objects[object].lock_queue().is_empty() {
        fs.objects[object].locks = None;
    }
    send_blocking(fs, sink, object, revoke, false);
}

/// A grant has reached the client, with the reply or by a completion AST.
pub fn granted(
    fs: &mut Lustre,
    sink: &mut impl Sink,
    client: ClientId,
    object: ObjectId,
    lock: &ExtentLock,
) {
    // A cut needs its locks once, and does not keep them while it waits for others.
    let keep = fs.call_mut(lock.call).step != Step::Punch;
    let o = fs.clients[client.0 as usize].object(object);
    o.install(lock, u32::from(keep));
    if keep {
        fs.call_mut(lock.call).locks.push((object, lock.id));
    } else {
        cancel_revoked(fs, sink, client, object);
    }
    fs.done(lock.call);
}

/// Ends the use of a call's locks.
pub fn release(fs: &mut Lustre, sink: &mut impl Sink, call: CallId) {
    let c = fs.call_mut(call);
    let client = c.client;
    let mut locks = std::mem::take(&mut c.locks);
    for (object, id) in locks.drain(..) {
        let o = fs.clients[client.0 as usize].object(object);
        let Some(lock) = o.locks.iter_mut().find(|l| l.id == id) else { continue };
        lock.users -= 1;
        if lock.users == 0 && lock.revoked {
            cancel_revoked(fs, sink, client, object);
        }
    }
    fs.call_mut(call).locks = locks;
}

/// A blocking AST is at the client.
pub fn blocking(
    fs: &mut Lustre,
    sink: &mut impl Sink,
    client: ClientId,
    object: ObjectId,
    lock: LockId,
    discard: bool,
) {
    let o = fs.clients[client.0 as usize].object(object);
    match o.locks.iter_mut().find(|l| l.id == lock) {
        Some(held) => held.revoked = true,
        None => o.early_revocations.push(lock),
    }
    if discard {
        discard_pages(fs, client, object);
    }
    cancel_revoked(fs, sink, client, object);
}

/// The object is destroyed: its dirty pages are not written.
pub fn discard_pages(fs: &mut Lustre, client: ClientId, object: ObjectId) {
    let target = fs.objects[object].target;
    let client = &mut fs.clients[client.0 as usize];
    let Some(o) = client.objects.get_mut(&object) else { return };
    let dropped = o.dirty.bytes();
    o.dirty.clear();
    o.flush = false;
    // A `fsync` may wait for these pages.
    fs.ready.extend(o.waiters.drain(..));
    if o.is_clean() {
        client.dirty_objects.remove(&object);
    }
    if let Some(osc) = client.oscs.get_mut(&target) {
        osc.dirty -= dropped;
        osc.grant += dropped;
        fs.ready.extend(osc.waiters.drain(..));
    }
    client.drop_pages(object, Extent::ALL);
    client.release(object);
}

/// Cancels revoked locks that no call uses, after their dirty pages have been written.
pub fn cancel_revoked(fs: &mut Lustre, sink: &mut impl Sink, client: ClientId, object: ObjectId) {
    let target = fs.objects[object].target;
    let mut at = 0;
    loop {
        let Some(o) = fs.clients[client.0 as usize].objects.get_mut(&object) else { return };
        let Some(lock) = o.locks.get(at).copied() else { break };
        if !lock.revoked || lock.users > 0 {
            at += 1;
            continue;
        }
        if o.dirty.overlaps(lock.extent) {
            let urgent = &mut fs.osc(client, target).urgent;
            if !urgent.contains(&object) {
                urgent.push_back(object);
            }
            osc::pump(fs, sink, client, target);
            at += 1;
        } else if o.is_writing(lock.extent) {
            at += 1;
        } else {
            o.locks.swap_remove(at);
            let mut stale = ExtentSet::default();
            stale.insert(lock.extent);
            for other in &o.locks {
                stale.remove(other.extent);
            }
            for extent in stale.iter() {
                fs.clients[client.0 as usize].drop_pages(object, extent);
            }
            let work =
                Work::Cancel { object, mode: lock.mode, start: lock.extent.start, lock: lock.id };
            let to = Peer::Server(fs.place_of(target));
            send(fs, sink, Operation::LdlmCancel, Peer::Client(client), to, work);
        }
    }
    fs.clients[client.0 as usize].release(object);
}

/// A cancel is at the server.
pub fn cancel_served(fs: &mut Lustre, sink: &mut impl Sink, id: RequestId) {
    let Work::Cancel { object, mode, start, lock } = fs.requests[id].work else { return };
    fs.objects[object].lock_queue().cancel(mode, start, lock);
    fs.reply(sink, id);
    grant_waiting(fs, sink, object);
}

/// Requests the size of an object from its server.
pub fn glimpse(
    fs: &mut Lustre,
    sink: &mut impl Sink,
    client: ClientId,
    call: Option<CallId>,
    object: ObjectId,
) {
    if let Some(call) = call {
        fs.call_mut(call).outstanding += 1;
    }
    let lock = fs.new_lock();
    let work = Work::Glimpse { client, object, call, lock, granted: false };
    let to = Peer::Server(fs.place_of(fs.objects[object].target));
    send(fs, sink, Operation::LdlmGlimpseEnqueue, Peer::Client(client), to, work);
}

/// A glimpse is at the server.
pub fn glimpse_served(fs: &mut Lustre, sink: &mut impl Sink, id: RequestId) {
    let Work::Glimpse { client, object, lock, .. } = fs.requests[id].work else { return };
    let from = Peer::Server(fs.place_of(fs.objects[object].target));
    match fs.objects[object].lock_queue().glimpse(client, lock) {
        Glimpse::Granted => {
            if let Work::Glimpse { granted, .. } = &mut fs.requests[id].work {
                *granted = true;
            }
            fs.reply(sink, id);
        }
        Glimpse::Known => fs.reply(sink, id),
        Glimpse::Holder(holder) => {
            fs.requests[id].pending += 1;
            let work = Work::GlimpseAst { of: id };
            send(fs, sink, Operation::LdlmGlimpseCallback, from, Peer::Client(holder), work);
        }
    }
}

/// The reply of a glimpse has arrived, with a lock if the server granted it.
pub fn glimpse_replied(
    fs: &mut Lustre,
    sink: &mut impl Sink,
    client: ClientId,
    object: ObjectId,
    call: Option<CallId>,
    granted: Option<LockId>,
) {
    if let Some(id) = granted {
        let lock = ExtentLock {
            id,
            owner: Owner::Client(client),
            mode: Mode::Read,
            requested: Extent::ALL,
            extent: Extent::ALL,
            widen: false,
            call: CallId(0),
            revoked: false,
        };
        fs.clients[client.0 as usize].object(object).install(&lock, 0);
        cancel_revoked(fs, sink, client, object);
    }
    if let Some(call) = call {
        fs.done(call);
    }
}

/// An object is destroyed at its target: its locks are revoked, its space is free.
pub fn destroy_served(fs: &mut Lustre, sink: &mut impl Sink, object: ObjectId) {
    let o = &mut fs.objects[object];
    o.destroyed = true;
    let target = &mut fs.targets[o.target as usize];
    target.used -= o.allocated.bytes();
    target.objects -= 1;
    o.allocated = ExtentSet::default();
    let mut revoke = std::mem::take(&mut fs.revoke);
    if let Some(locks) = &mut o.locks {
        locks.revoke_all(&mut revoke);
    }
    send_blocking(fs, sink, object, revoke, true);
}
