//! The protocol of Lustre: clients with page caches and locks, MDSs, OSSs. docs/models/lustre.md.
//!
//! Key idea: each RPC has a record (`Request`) that states its meaning. A call advances in steps,
//! and continues when the replies that it waits for have arrived.

mod allocation;
mod client;
mod counters;
mod data;
mod extent_locks;
mod extents;
mod invariants;
mod layout;
mod locking;
mod messages;
mod metadata;
mod namespace;
mod osc;
mod read_ahead;
mod request;

use std::collections::{BTreeMap, VecDeque};

use base::{IndexVec, Slab, Span, Time};
use machine::storage::lustre::LustreParams;
use workload::{FileCall, FileCallKind, FileId, LayoutRequest, file_flag};

use self::allocation::{Allocator, Precreated};
use self::client::Client;
use self::counters::Counters;
use self::extent_locks::{LockId, Revocation};
use self::extents::{EOF, Extent};
use self::layout::{Layout, ObjectId, RequestedLayout, Template};
use self::messages::{OPERATIONS, Operation};
pub use self::namespace::Target;
use self::namespace::{Destroys, Directory, File, Object};
use self::request::{Call, Request, RequestId, Step, Work};
use crate::{
    CallId, ClientId, ClientScope, FileSystem, MediumId, Peer, Place, Rpc, RpcId, ServerId, Sink,
};

/// errno values of Linux.
const EINVAL: i32 = 22;
const EEXIST: i32 = 17;

/// The MDT of a file that no call has named.
const UNKNOWN: u32 = u32::MAX;

/// NICs of each server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ports {
    pub mds: u32,
    pub oss: u32,
}

/// Number of times that calls have waited, by cause.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Waits {
    /// Lock requests that conflicted with a lock of a client.
    pub lock_conflicts: u64,
    /// Inode locks of other clients that changes have revoked.
    pub inode_revocations: u64,
    pub grant: u64,
    pub dirty_limit: u64,
    /// Creates without a precreated object.
    pub precreation: u64,
}

/// A Lustre file system: all its clients and servers.
#[derive(Clone, Debug)]
pub struct Lustre {
    params: LustreParams,
    /// NICs are divided among the targets of a server, as are its threads. With more NICs than
    /// targets, each part has several (`rails`).
    ports: Ports,
    rails: Ports,
    now: Time,
    default_layout: Vec<Template>,
    clients: Vec<Client>,
    calls: Vec<Call>,
    /// Calls to continue.
    ready: VecDeque<CallId>,
    files: Vec<File>,
    objects: IndexVec<ObjectId, Object>,
    /// OSTs, then MDTs.
    targets: Vec<Target>,
    requests: Slab<RequestId, Request>,
    allocator: Allocator,
    /// Objects created ahead, by MDT and OST.
    precreated: BTreeMap<(u32, u32), Precreated>,
    /// By MDT.
    destroys: Vec<Destroys>,
    /// The next MDT in turn for new directories.
    next_mdt: u32,
    locks: u64,
    counters: Counters,
    /// Reused lists.
    revoke: Vec<Revocation>,
    holders: Vec<ClientId>,
}

impl Lustre {
    /// An empty file system whose MDSs and OSSs have `ports` NICs each. `seed` decides the OSTs of
    /// files.
    pub fn new(mut params: LustreParams, ports: Ports, seed: u64) -> Self {
        let parts = Ports {
            mds: ports.mds.min(params.mdts / params.mds).max(1),
            oss: ports.oss.min(params.osts / params.oss).max(1),
        };
        let rails = Ports { mds: ports.mds / parts.mds, oss: ports.oss / parts.oss };
        // A call needs the pages of some RPCs at a time.
        params.page_cache = params.page_cache.max(16 * params.brw_size);
        let ost = Target { capacity: params.ost_capacity, ..Target::default() };
        // The capacity of MDTs for data is not modeled.
        let mdt = Target { capacity: EOF / 2, ..Target::default() };
        let mut targets = vec![ost; params.osts as usize];
        targets.resize((params.osts + params.mdts) as usize, mdt);
        let default_layout = params.layout.iter().map(|c| Template {
            end: c.end,
            stripes: c.stripes,
            stripe_size: c.stripe_size,
            first_ost: None,
            pool: pool_index(&params, &c.pool),
            on_mdt: c.on_mdt,
            overstriping: false,
        });
        Lustre {
            now: Time::ZERO,
            default_layout: default_layout.collect(),
            clients: Vec::new(),
            calls: Vec::new(),
            ready: VecDeque::new(),
            files: Vec::new(),
            objects: IndexVec::new(),
            targets,
            requests: Slab::with_capacity(0),
            allocator: Allocator::new(seed, params.imbalance),
            precreated: BTreeMap::new(),
            destroys: vec![Destroys::default(); params.mdts as usize],
            next_mdt: 0,
            locks: 0,
            counters: Counters::new(),
            revoke: Vec::new(),
            holders: Vec::new(),
            ports: parts,
            rails,
            params,
        }
    }

    /// What calls have waited for, beside queues.
    pub fn waits(&self) -> Waits {
        Waits {
            lock_conflicts: self.targets.iter().map(|t| t.lock_conflicts).sum(),
            inode_revocations: self.counters.inode_revocations,
            grant: self.counters.grant_waits,
            dirty_limit: self.counters.dirty_waits,
            precreation: self.counters.precreation_waits,
        }
    }

    /// Load of each OST, then of each MDT.
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// Continues calls until all wait.
    fn run(&mut self, sink: &mut impl Sink) {
        while let Some(call) = self.ready.pop_front() {
            let c = self.call_mut(call);
            if c.outstanding > 0 {
                continue;
            }
            let replies = u64::from(std::mem::take(&mut c.replies));
            let step = c.step;
            // Also without replies: what follows is on the CPU of this call's rank.
            sink.occupy(call, self.params.rpc_cpu * replies);
            match step {
                Step::Idle => {}
                Step::Lookup(index) => metadata::lookup(self, sink, call, index),
                Step::Request => metadata::request(self, sink, call),
                Step::Answered => metadata::answered(self, sink, call),
                Step::Truncate => metadata::truncate(self, sink, call),
                Step::Statahead => metadata::stat_ahead_ready(self, sink, call),
                Step::Glimpse => data::glimpse(self, sink, call),
                Step::Data => self.transfer(sink, call),
                Step::Direct => data::direct(self, sink, call),
                Step::Flush => data::flush(self, sink, call),
                Step::Commit => data::commit(self, sink, call),
                Step::PunchLock => data::punch_lock(self, sink, call),
                Step::Punch => data::punch(self, sink, call),
                Step::Finish => self.finish(sink, call),
            }
        }
    }

    fn transfer(&mut self, sink: &mut impl Sink, call: CallId) {
        if self.call_mut(call).what.kind == FileCallKind::Write {
            data::write(self, sink, call);
        } else {
            data::read(self, sink, call);
        }
    }

    fn finish(&mut self, sink: &mut impl Sink, call: CallId) {
        let c = self.call_mut(call);
        c.step = Step::Idle;
        let error = c.error;
        sink.complete(call, error);
    }

    fn call_mut(&mut self, call: CallId) -> &mut Call {
        &mut self.calls[call.0 as usize]
    }
    /// A reply or grant for a call has arrived.
    fn done(&mut self, call: CallId) {
        let c = self.call_mut(call);
        c.outstanding -= 1;
        c.replies += 1;
        if c.outstanding == 0 {
            self.ready.push_back(call);
        }
    }
    /// The call ends with its first error.
    fn fail(&mut self, call: CallId, error: i32) {
        let c = self.call_mut(call);
        if c.error == 0 {
            c.error = error;
        }
    }

    fn new_lock(&mut self) -> LockId {
        self.locks += 1;
        LockId(self.locks)
    }
    fn request(&mut self, work: Work) -> RequestId {
        self.requests.insert(Request { rpc: None, pending: 0, error: 0, work })
    }
    /// An RPC without data, service time and access.
    fn rpc(&self, operation: Operation, from: Peer, to: Peer, id: RequestId) -> Rpc {
        let (request_bytes, reply_bytes) = messages::sizes(operation);
        Rpc {
            operation: operation as u8,
            from,
            to,
            request_bytes,
            reply_bytes,
            bulk: crate::Bulk::None,
            bulk_peer: from,
            service: Span::ZERO,
            access: None,
            priority: 0,
            tag: u64::from(id.0),
        }
    }
    fn send(&mut self, sink: &mut impl Sink, rpc: Rpc) {
        self.counters.rpcs[rpc.operation as usize] += 1;
        sink.send(rpc);
    }
    fn reply(&mut self, sink: &mut impl Sink, id: RequestId) {
        if let Some(rpc) = self.requests[id].rpc.take() {
            sink.reply(rpc);
        }
    }
    fn reply_if_complete(&mut self, sink: &mut impl Sink, id: RequestId) {
        if self.requests[id].pending == 0 {
            self.reply(sink, id);
        }
    }
    /// An event that the reply of a request waits for.
    fn resolve(&mut self, sink: &mut impl Sink, id: RequestId) {
        self.requests[id].pending -= 1;
        self.reply_if_complete(sink, id);
    }

    /// The server of an OST or MDT. Neighboring OSTs are on different OSSs, so that round robin
    /// alternates over them [L lod_qos.c].
    fn place_of(&self, target: u32) -> ServerId {
        let p = &self.params;
        if target >= p.osts {
            return self.mds_of(target - p.osts);
        }
        let (host, port) = (target % p.oss, target / p.oss % self.ports.oss);
        ServerId(p.mds * self.ports.mds + host * self.ports.oss + port)
    }
    fn mds_of(&self, mdt: u32) -> ServerId {
        let p = &self.params;
        let (host, port) = (mdt % p.mds, mdt / p.mds % self.ports.mds);
        ServerId(host * self.ports.mds + port)
    }
}

/// Files and directories.
impl Lustre {
    fn file_layout(&self, file: FileId) -> Option<&Layout> {
        self.files[file as usize].layout.as_deref()
    }
    /// Bytes of the layout of a file in a reply. A file that is being created has those of the
    /// default layout.
    fn layout_bytes(&self, file: FileId) -> u32 {
        let (components, objects) =
            match (self.file_layout(file), &self.files[file as usize].directory) {
                (Some(layout), _) => (layout.components.len(), layout.objects().count() as u32),
                (None, Some(_)) => (0, 0),
                (None, None) => {
                    let first = self.default_layout[0];
                    (self.default_layout.len(), first.stripes.min(self.params.osts))
                }
            };
        messages::layout_bytes(components as u32, objects)
    }
    fn object_list(&self, file: FileId) -> Vec<ObjectId> {
        self.file_layout(file).map_or_else(Vec::new, |l| l.objects().collect())
    }
    fn reserve(&mut self, file: FileId) {
        if self.files.len() <= file as usize {
            self.files.resize(file as usize + 1, File::new(UNKNOWN));
        }
    }

    /// A directory exists; one that no call has created is on the first MDT.
    fn ensure_directory(&mut self, file: FileId) {
        self.reserve(file);
        let f = &mut self.files[file as usize];
        if f.mdt == UNKNOWN {
            f.mdt = 0;
            f.directory = Some(Box::default());
        }
    }

    /// The files that a call names exist, as far as its flags state it. One from before the run has
    /// these templates, or the default.
    fn ensure(&mut self, what: &FileCall, kept: Option<Vec<Template>>) {
        use FileCallKind as Kind;
        let by_path = what.flags & file_flag::OPEN == 0
            && !matches!(what.kind, Kind::Read | Kind::Write | Kind::Sync | Kind::Close);
        if by_path {
            self.ensure_directory(what.parent);
        }
        if what.kind == Kind::Rename {
            self.ensure_directory(what.other);
        }
        let directory = what.flags & file_flag::DIRECTORY != 0
            || matches!(what.kind, Kind::Mkdir | Kind::Rmdir | Kind::ReadDirectory);
        if self.files[what.file as usize].mdt == UNKNOWN {
            self.add_file(what, directory);
        }
        let holds_data = what.flags & (file_flag::EXISTS | file_flag::OPEN) != 0
            || matches!(what.kind, Kind::Read | Kind::Write | Kind::Sync | Kind::Allocate);
        let named = !matches!(what.kind, Kind::Symlink | Kind::ReadLink);
        let f = &self.files[what.file as usize];
        if holds_data && named && f.directory.is_none() && f.layout.is_none() {
            self.add_data(what, kept);
        }
    }

    /// A file or directory that is new to the protocol.
    fn add_file(&mut self, what: &FileCall, directory: bool) {
        let parent = &self.files[what.parent as usize];
        let mdt = if parent.mdt == UNKNOWN { 0 } else { parent.mdt_of(what.name) };
        if !directory {
            self.files[what.file as usize].mdt = mdt;
            return;
        }
        let mut d = match parent.directory.as_deref() {
            Some(d) => Directory { depth: d.depth + 1, ..d.clone() },
            None => Directory::default(),
        };
        let is_new = matches!(what.kind, FileCallKind::Mkdir | FileCallKind::SetLayout);
        d.mdts = match d.default_mdts {
            _ if !is_new => vec![mdt],
            Some((count, first)) => self.next_mdts(first, count),
            None if d.depth <= self.params.mkdir_levels => self.next_mdts(None, 1),
            None => vec![mdt],
        };
        let f = &mut self.files[what.file as usize];
        f.mdt = d.mdts[0];
        f.directory = Some(Box::new(d));
    }

    /// Consecutive MDTs from `first`, or from the next one in turn.
    fn next_mdts(&mut self, first: Option<u32>, count: u32) -> Vec<u32> {
        let n = self.params.mdts;
        let first = first.unwrap_or_else(|| {
            let next = self.next_mdt;
            self.next_mdt = (next + 1) % n;
            next
        });
        (0..count.clamp(1, n)).map(|i| (first + i) % n).collect()
    }

    /// Objects of a file that existed before the run.
    fn add_data(&mut self, what: &FileCall, kept: Option<Vec<Template>>) {
        let templates = kept.unwrap_or_else(|| self.default_layout(what.parent));
        self.set_templates(what.file, &templates);
        self.instantiate(what.file, what.size.max(1));
        let layout = self.file_layout(what.file);
        let extents = layout.map(|l| l.object_extents(Extent::new(0, what.size)));
        for (object, extent) in extents.unwrap_or_default() {
            let o = &mut self.objects[object];
            let target = &mut self.targets[o.target as usize];
            target.used += o.allocated.insert(extent);
            // Data that exist had space, also if the OSTs of this run are others.
            target.capacity = target.capacity.max(target.used + target.granted);
        }
    }

    fn default_layout(&self, directory: FileId) -> Vec<Template> {
        let d = self.files.get(directory as usize).and_then(|f| f.directory.as_ref());
        let own = d.and_then(|d| d.default_layout.as_ref());
        own.unwrap_or(&self.default_layout).clone()
    }
    fn set_templates(&mut self, file: FileId, templates: &[Template]) {
        self.files[file as usize].layout = Some(Box::new(Layout::new(templates)));
    }

    /// Creates the objects of components before the byte at `upto`. Returns their OSTs.
    fn instantiate(&mut self, file: FileId, upto: u64) -> Vec<u32> {
        let mut osts = Vec::new();
        let f = &mut self.files[file as usize];
        let mdt = f.mdt;
        let Some(layout) = &mut f.layout else { return osts };
        let mut start = 0;
        for component in &mut layout.components {
            let template = component.template;
            if start >= upto {
                break;
            }
            start = template.end;
            if !component.objects.is_empty() {
                continue;
            }
            let chosen = if template.on_mdt {
                vec![self.params.osts + mdt]
            } else {
                let range = match template.pool.map(|i| &self.params.pools[i as usize]) {
                    Some(pool) => pool.first..pool.first + pool.osts,
                    None => 0..self.params.osts,
                };
                self.allocator.choose(mdt, &template, range, &self.targets)
            };
            component.objects.reserve_exact(chosen.len());
            for &target in &chosen {
                self.targets[target as usize].objects += 1;
                component.objects.push(self.objects.push(Object {
                    target,
                    locks: None,
                    allocated: Default::default(),
                    destroyed: false,
                }));
            }
            if !template.on_mdt {
                osts.extend(chosen);
            }
        }
        osts
    }

    /// `lfs setstripe`, `lfs setdirstripe` or `lfs mkdir` on a directory. The request does not
    /// state which: MDTs are those of new directories in it and, while it is empty, its own.
    fn set_directory(&mut self, file: FileId, requested: &RequestedLayout, is_empty: bool) {
        let sets_mdts = requested.mdt_count > 0 || requested.first_mdt.is_some();
        let own = self.files[file as usize].mdt;
        let first = requested.first_mdt.unwrap_or(own);
        let mdts =
            (sets_mdts && is_empty).then(|| self.next_mdts(Some(first), requested.mdt_count));
        let d = self.files[file as usize].directory.get_or_insert_default();
        if let Some(templates) = &requested.templates
            && !templates.is_empty()
        {
            d.default_layout = Some(templates.clone());
        }
        if sets_mdts {
            d.default_mdts = Some((requested.mdt_count, requested.first_mdt));
        }
        if let Some(mdts) = mdts {
            d.mdts = mdts;
        }
    }

    /// A request in terms of this file system.
    fn requested(&self, request: &LayoutRequest) -> RequestedLayout {
        let default = self.default_layout[0];
        let mut valid = true;
        let mut templates = Vec::new();
        let mut start = 0;
        for c in &request.components {
            let pool = pool_index(&self.params, &c.pool);
            let end = if c.end == 0 { EOF } else { c.end };
            let stripe_size = if c.stripe_size == 0 { default.stripe_size } else { c.stripe_size };
            // Stripe sizes are multiples of 64 KiB [L lustre_user.h: LOV_MIN_STRIPE_SIZE].
            valid &= (c.pool.is_empty() || pool.is_some())
                && end > start
                && stripe_size.is_multiple_of(64 << 10)
                && c.first_ost <= self.params.osts;
            start = end;
            templates.push(Template {
                end,
                stripes: if c.stripe_count == 0 { default.stripes } else { c.stripe_count },
                stripe_size,
                first_ost: c.first_ost.checked_sub(1),
                pool,
                on_mdt: c.on_mdt,
                overstriping: c.overstriping,
            });
        }
        valid &= request.first_mdt <= self.params.mdts;
        RequestedLayout {
            templates: valid.then_some(templates),
            mdt_count: request.mdt_count,
            first_mdt: request.first_mdt.checked_sub(1),
        }
    }
}

fn pool_index(params: &LustreParams, name: &str) -> Option<u16> {
    params.pools.iter().position(|p| p.name == name).map(|i| i as u16)
}

impl FileSystem for Lustre {
    const CLIENTS: ClientScope = ClientScope::Node;
    const OPERATIONS: &'static [&'static str] = OPERATIONS;

    fn servers(&self) -> Vec<Place> {
        let p = &self.params;
        let places = |first: u32, hosts: u32, ports: u32, rails: u32, threads: u32| {
            (0..hosts * ports).map(move |i| Place {
                host: first + i / ports,
                port: i % ports * rails,
                rails,
                threads: (threads / ports).max(1),
            })
        };
        let mds = places(0, p.mds, self.ports.mds, self.rails.mds, p.mds_threads);
        mds.chain(places(p.mds, p.oss, self.ports.oss, self.rails.oss, p.oss_threads)).collect()
    }

    fn media(&self) -> u32 {
        self.params.osts + self.params.mdts
    }

    fn medium_name(&self, medium: MediumId) -> String {
        match medium.0.checked_sub(self.params.osts) {
            None => format!("OST{:04x}", medium.0),
            Some(mdt) => format!("MDT{mdt:04x}"),
        }
    }

    fn place_name(&self, server: ServerId) -> String {
        match server.0.checked_sub(self.params.mds * self.ports.mds) {
            None => format!("MDS {}", server.0 / self.ports.mds),
            Some(oss) => format!("OSS {}", oss / self.ports.oss),
        }
    }

    fn attach(&mut self, client: ClientId, _node: u32) {
        if self.clients.len() <= client.0 as usize {
            self.clients.resize(client.0 as usize + 1, Client::default());
        }
    }

    fn lookup(&mut self, client: ClientId, parent: FileId, file: FileId) {
        self.clients[client.0 as usize].lookups.push((parent, file));
    }

    fn layout(&mut self, client: ClientId, request: &LayoutRequest) {
        let requested = self.requested(request);
        self.clients[client.0 as usize].layout = Some(requested);
    }

    fn call(
        &mut self,
        now: Time,
        client: ClientId,
        call: CallId,
        what: &FileCall,
        sink: &mut impl Sink,
    ) {
        self.now = now;
        self.counters.call(what);
        self.reserve(what.file.max(what.parent).max(what.other));
        let i = call.0 as usize;
        if self.calls.len() <= i {
            self.calls.resize(i + 1, Call::idle(*what));
        }
        let c = &mut self.calls[i];
        debug_assert!(c.step == Step::Idle, "the call is in use");
        let mut lookups = std::mem::take(&mut c.lookups);
        lookups.clear();
        let notices = &mut self.clients[client.0 as usize];
        lookups.append(&mut notices.lookups);
        // Calls of other ranks of the node may follow before this one is served.
        let layout = notices.layout.take();
        let locks = std::mem::take(&mut c.locks);
        *c = Call { client, step: Step::Lookup(0), lookups, locks, layout, ..Call::idle(*what) };
        sink.occupy(call, self.params.call_cpu);
        self.ready.push_back(call);
        self.run(sink);
    }

    fn served(&mut self, now: Time, rpc_id: RpcId, rpc: &Rpc, sink: &mut impl Sink) {
        self.now = now;
        let id = RequestId(rpc.tag as u32);
        self.requests[id].rpc = Some(rpc_id);
        match self.requests[id].work {
            Work::Free => {}
            Work::Enqueue { .. } => locking::enqueue_served(self, sink, id),
            Work::Blocking { client, object, lock, discard } => {
                self.reply(sink, id);
                locking::blocking(self, sink, client, object, lock, discard);
            }
            Work::Completion { client, object, lock } => {
                self.reply(sink, id);
                locking::granted(self, sink, client, object, &lock);
            }
            Work::Cancel { .. } => locking::cancel_served(self, sink, id),
            Work::Glimpse { .. } => locking::glimpse_served(self, sink, id),
            Work::Brw(_) => {
                osc::served(self, id);
                if let Some((object, lock)) = osc::direct_lock(self, id) {
                    locking::lock_for_direct(self, sink, object, lock);
                }
                self.reply_if_complete(sink, id);
            }
            Work::Object { object, operation, from, .. } => {
                data::object_served(self, object, operation, from);
                self.reply(sink, id);
            }
            Work::Metadata(_) => metadata::served(self, sink, id),
            Work::InodeBlocking { client, mdt, of } => {
                self.reply(sink, id);
                metadata::inode_blocking(self, sink, client, mdt, of);
            }
            Work::InodeCancel { of } => {
                self.reply(sink, id);
                self.resolve(sink, of);
            }
            Work::Destroy { object, .. } => {
                self.reply(sink, id);
                locking::destroy_served(self, sink, object);
            }
            Work::GlimpseAst { .. } | Work::Precreate { .. } | Work::Update { .. } => {
                self.reply(sink, id);
            }
        }
        self.run(sink);
    }

    fn replied(&mut self, now: Time, _id: RpcId, rpc: &Rpc, sink: &mut impl Sink) {
        self.now = now;
        let id = RequestId(rpc.tag as u32);
        let error = self.requests[id].error;
        match std::mem::replace(&mut self.requests[id].work, Work::Free) {
            Work::Enqueue { client, object, granted: Some(lock), .. } => {
                locking::granted(self, sink, client, object, &lock);
            }
            Work::Glimpse { client, object, call, lock, granted } => {
                locking::glimpse_replied(self, sink, client, object, call, granted.then_some(lock));
            }
            Work::Brw(brw) => {
                osc::replied(self, &brw, error);
                locking::cancel_revoked(self, sink, brw.client, brw.object);
                osc::pump(self, sink, brw.client, brw.target);
            }
            Work::Object { call, .. } => self.done(call),
            Work::Metadata(m) => metadata::replied(self, sink, &m, error),
            Work::Precreate { mdt, ost, objects } => {
                metadata::precreated(self, sink, mdt, ost, objects);
            }
            Work::Destroy { mdt, .. } => metadata::destroyed(self, sink, mdt),
            Work::GlimpseAst { of } | Work::Update { of } => self.resolve(sink, of),
            Work::Free
            | Work::Enqueue { .. }
            | Work::Blocking { .. }
            | Work::Completion { .. }
            | Work::Cancel { .. }
            | Work::InodeBlocking { .. }
            | Work::InodeCancel { .. } => {}
        }
        self.requests.free(id);
        self.run(sink);
    }

    fn timer(&mut self, now: Time, token: u32, sink: &mut impl Sink) {
        self.now = now;
        data::flush_old(self, sink, ClientId(token));
        self.run(sink);
    }

    fn describe(&self, what: &FileCall) -> Option<String> {
        let text = match what.kind {
            FileCallKind::GetLayout => {
                let layout = self.files.get(what.file as usize)?.layout.as_ref()?;
                let lines = layout.components.iter().map(|component| {
                    let placed = component
                        .objects
                        .iter()
                        .map(|&object| (self.objects[object].target, u64::from(object.0)));
                    let on_osts = placed.filter(|&(target, _)| target < self.params.osts);
                    words(on_osts)
                });
                lines.collect::<Vec<String>>().join("\n")
            }
            FileCallKind::StatFs => {
                let osts = self.targets[..self.params.osts as usize].iter();
                words((0..).zip(osts.map(|target| target.used)))
            }
            _ => return None,
        };
        Some(text)
    }

    fn counters(&self) -> Vec<(String, u64)> {
        self.counters.list(&self.targets, self.params.osts)
    }
}

/// Targets and their numbers, as `describe` returns them.
fn words(pairs: impl Iterator<Item = (u32, u64)>) -> String {
    pairs.map(|(target, number)| format!("{target}:{number}")).collect::<Vec<_>>().join(" ")
}
