//! DAOS: objects on targets, replicas and erasure codes, distributed transactions, DFS.
//!
//! A call becomes a list of stages (`plan`, `fuse`). A stage sends RPCs to targets (`stages`,
//! `data`), and ends when all have been replied to. Targets forward updates to the other members of
//! a redundancy group (`engine`). Background work of targets: `commits`, `aggregation`.
//!
//! Model, sources and limits: docs/models/daos.md.

mod aggregation;
mod class;
mod clients;
mod commits;
mod counters;
mod data;
mod engine;
mod extents;
mod fuse;
mod fuse_plan;
mod node_cache;
mod objects;
mod placement;
mod plan;
mod pool;
mod prepare;
mod protocol;
mod rpcs;
mod stages;
mod task;
mod trees;

use base::{Slab, Time};
use machine::storage::daos::{DaosParams, ObjectClass, Redundancy};
use workload::{FileCall, FileId, LayoutRequest};

pub use class::{Layout, PoolSize, default_chunk, reserved_domains};
pub use counters::TargetLoad;
pub use placement::Placement;

use crate::{
    Bulk, CallId, ClientId, ClientScope, FileSystem, MediumId, Peer, Place, Rpc, RpcId, ServerId,
    Sink,
};
use aggregation::Aggregation;
use clients::Clients;
use commits::Commits;
use counters::Counters;
use node_cache::NodeCaches;
use objects::{Defaults, Objects};
use plan::Planner;
use pool::Pool;
use task::{NO_NODE, NO_TASK, Node, NodeId, Stage, Task, TaskId};
use trees::Trees;

/// Operations, by their names in DAOS (object/rpc.h, pool/rpc.h, dtx).
pub mod operation {
    pub const UPDATE: u8 = 0;
    pub const TGT_UPDATE: u8 = 1;
    pub const FETCH: u8 = 2;
    pub const DKEY_ENUM: u8 = 3;
    pub const KEY_QUERY: u8 = 4;
    pub const COLL_QUERY: u8 = 5;
    pub const OBJ_PUNCH: u8 = 6;
    pub const TGT_PUNCH: u8 = 7;
    pub const COLL_PUNCH: u8 = 8;
    pub const DKEY_PUNCH: u8 = 9;
    pub const TGT_DKEY_PUNCH: u8 = 10;
    pub const DTX_COMMIT: u8 = 11;
    pub const EC_AGGREGATE: u8 = 12;
    pub const EC_REPLICATE: u8 = 13;
    pub const POOL_CONNECT: u8 = 14;
    pub const CONT_OPEN: u8 = 15;
    pub const POOL_QUERY: u8 = 16;
    pub const NAMES: [&str; 17] = [
        "update",
        "tgt_update",
        "fetch",
        "dkey_enum",
        "key_query",
        "obj_coll_query",
        "obj_punch",
        "tgt_punch",
        "obj_coll_punch",
        "dkey_punch",
        "tgt_dkey_punch",
        "dtx_commit",
        "ec_agg",
        "ec_rep",
        "pool_connect",
        "cont_open",
        "pool_query",
    ];
}

/// Errors that DAOS returns where POSIX file systems succeed. Linux's numbers.
const EINVAL: i32 = 22;
const EOPNOTSUPP: i32 = 95;

/// A DAOS pool and container, and all its clients.
pub struct Daos {
    pool: Pool,
    clients: Clients,
    tasks: Slab<TaskId, Task>,
    nodes: Slab<NodeId, Node>,
    trees: Trees,
    /// Buffers of ended tasks.
    spare: Vec<Vec<Stage>>,
    commits: Commits,
    aggregation: Aggregation,
    caches: NodeCaches,
    counters: Counters,
}

/// Timers: the kind in the upper three of 31 bits, then an id.
#[derive(Clone, Copy)]
enum Timer {
    Task(TaskId),
    Commit(ServerId),
    Aggregation,
}

const TIMER_ID_BITS: u32 = 28;

impl Timer {
    fn token(self) -> u32 {
        let (kind, id) = match self {
            Timer::Task(task) => (0, task.0),
            Timer::Commit(leader) => (1, leader.0),
            Timer::Aggregation => (2, 0),
        };
        debug_assert!(id >> TIMER_ID_BITS == 0);
        kind << TIMER_ID_BITS | id
    }

    fn of(token: u32) -> Timer {
        let id = token & ((1 << TIMER_ID_BITS) - 1);
        match token >> TIMER_ID_BITS {
            0 => Timer::Task(TaskId(id)),
            1 => Timer::Commit(ServerId(id)),
            _ => Timer::Aggregation,
        }
    }
}

impl Daos {
    /// A pool on all targets of `hosts` server nodes. An error states which parameter does not fit.
    pub fn new(params: &DaosParams, hosts: u32) -> Result<Daos, String> {
        let pool = PoolSize {
            targets: hosts * params.engines * params.targets,
            domains: hosts,
            redundancy_factor: params.redundancy_factor,
        };
        if pool.targets == 0 {
            return Err("DAOS needs at least one server, engine and target".to_string());
        }
        let mut objects = Objects::new(pool, params.cell_size);
        let defaults = container_defaults(params, &pool, &mut objects)?;
        objects.add_defaults(defaults);
        let placement = Placement {
            domains: hosts,
            targets_per_domain: params.engines * params.targets,
            seed: params.placement_seed,
        };
        Ok(Daos {
            pool: Pool { params: params.clone(), placement, objects },
            clients: Clients::default(),
            tasks: Slab::with_capacity(0),
            nodes: Slab::with_capacity(0),
            trees: Trees::default(),
            spare: Vec::new(),
            commits: Commits::new(pool.targets as usize),
            aggregation: Aggregation::default(),
            caches: NodeCaches::new(params.dfuse.clone()),
            counters: Counters::new(pool.targets as usize),
        })
    }

    fn new_task(&mut self, call: Option<CallId>, client: ClientId) -> TaskId {
        let stages = self.spare.pop().unwrap_or_default();
        let (current, parent) = (Stage::Done, NO_TASK);
        let task = Task { call, client, stages, current, pending: 0, parent, in_daemon: false };
        self.tasks.insert(task)
    }

    /// Something that a task waits for has happened.
    fn step(&mut self, now: Time, task: TaskId, sink: &mut impl Sink) {
        let of = &mut self.tasks[task];
        of.pending -= 1;
        if of.pending == 0 {
            self.advance(now, task, sink);
        }
    }

    /// Begins stages until one takes time.
    fn advance(&mut self, now: Time, task: TaskId, sink: &mut impl Sink) {
        loop {
            self.finish_stage(now, task, sink);
            let Some(stage) = self.tasks[task].stages.pop() else {
                return self.end_task(now, task, sink);
            };
            self.tasks[task].current = stage;
            self.begin_stage(now, task, stage, sink);
            if self.tasks[task].pending > 0 {
                return;
            }
        }
    }

    fn end_task(&mut self, now: Time, task: TaskId, sink: &mut impl Sink) {
        let of = &mut self.tasks[task];
        let (call, parent) = (of.call, of.parent);
        self.spare.push(std::mem::take(&mut of.stages));
        self.tasks.free(task);
        if let Some(call) = call {
            sink.complete(call, 0);
        }
        if parent != NO_TASK {
            self.part_ended(now, parent, sink);
        }
    }

    /// Counts an RPC and its payload.
    fn count(&mut self, node: NodeId, rpc: &Rpc) {
        let of = self.nodes[node];
        let (written, read) = match (rpc.operation, rpc.bulk) {
            (_, Bulk::Pull(bytes)) => (bytes, 0),
            (_, Bulk::Push(bytes)) => (0, bytes),
            (operation::UPDATE | operation::TGT_UPDATE, Bulk::None) => (of.end - of.start, 0),
            (operation::FETCH, Bulk::None) => {
                (0, u64::from(rpc.reply_bytes - self.pool.params.message.reply))
            }
            _ => (0, 0),
        };
        self.counters.served(rpc, written, read);
    }

    /// Load of each target, in the order of `ServerId`.
    pub fn loads(&self) -> &[TargetLoad] {
        &self.counters.targets
    }

    /// Ratio of the load of the fullest engine, and of the fullest target, to the mean, in bytes
    /// written and read. `None` if there were none.
    pub fn imbalance(&self) -> Option<(f64, f64)> {
        self.counters.imbalance(self.pool.params.targets as usize)
    }

    /// RPCs of a process that are in flight to a target.
    pub fn in_flight(&self, client: ClientId, target: ServerId) -> u32 {
        self.clients.in_flight(client, target)
    }

    /// Transactions that are not committed, and partial stripes that are not aggregated.
    pub fn unfinished(&self) -> (usize, usize) {
        (self.commits.pending(), self.aggregation.pending())
    }

    /// Object class of a file or directory.
    pub fn class_of(&mut self, file: FileId) -> Layout {
        self.pool.objects.layout(file)
    }
}

/// Classes and chunk size of a container, from its properties.
fn container_defaults(
    params: &DaosParams,
    pool: &PoolSize,
    objects: &mut Objects,
) -> Result<Defaults, String> {
    let file = params.file_class.or_else(|| pool.default_file_class());
    let file = file.ok_or_else(|| "redundancy factor: at most 3".to_string())?;
    // DFS ignores an erasure code for directories (client/dfs/README.md).
    let directory = params
        .directory_class
        .filter(|class| matches!(class.redundancy, Redundancy::Replicas(_)))
        .unwrap_or_else(|| pool.default_directory_class());
    let mut index = |class: ObjectClass| {
        objects.class(class).ok_or_else(|| {
            let (targets, domains) = (pool.targets, pool.domains);
            format!(
                "class {}: needs more than {targets} targets of {domains} servers",
                class.name()
            )
        })
    };
    let (file_class, directory_class) = (index(file)?, index(directory)?);
    let chunk = params.chunk_size.unwrap_or_else(|| match params.file_class {
        Some(_) => default_chunk(Redundancy::Replicas(1), params.cell_size),
        None => default_chunk(file.redundancy, params.cell_size),
    });
    if chunk == 0 || params.cell_size == 0 {
        return Err("chunk size and cell size: larger than 0".to_string());
    }
    Ok(Defaults { file_class, directory_class, chunk })
}

impl FileSystem for Daos {
    const CLIENTS: ClientScope = ClientScope::Process;
    const OPERATIONS: &'static [&'static str] = &operation::NAMES;

    fn servers(&self) -> Vec<Place> {
        let per_host = self.pool.placement.targets_per_domain;
        let of = |target: u32| Place {
            host: target / per_host,
            port: target % per_host / self.pool.params.targets,
            rails: 1,
            threads: 1,
        };
        let service = Place { host: 0, port: 0, rails: 1, threads: 1 };
        (0..self.pool.targets()).map(of).chain([service]).collect()
    }

    /// The SCM of each target, then all NVMes.
    fn media(&self) -> u32 {
        self.pool.targets() + self.pool.engines() * self.pool.params.nvmes
    }

    fn medium_name(&self, medium: MediumId) -> String {
        let per_engine = self.pool.params.targets;
        match medium.0.checked_sub(self.pool.targets()) {
            None => format!("SCM of rank {} tgt_{}", medium.0 / per_engine, medium.0 % per_engine),
            Some(nvme) => {
                let nvmes = self.pool.params.nvmes;
                format!("NVMe {} of rank {}", nvme % nvmes, nvme / nvmes)
            }
        }
    }

    fn place_name(&self, server: ServerId) -> String {
        let per_engine = self.pool.params.targets;
        match server == self.pool.service() {
            true => "pool service".to_string(),
            false => format!("rank {} tgt_{}", server.0 / per_engine, server.0 % per_engine),
        }
    }

    fn attach(&mut self, client: ClientId, node: u32) {
        self.clients.get(client).node = node;
        self.caches.attach(client, node);
    }

    fn lookup(&mut self, client: ClientId, parent: FileId, file: FileId) {
        self.pool.objects.find(file, parent, true, 0);
        self.clients.get(client).lookups.push((parent, file));
    }

    fn layout(&mut self, client: ClientId, request: &LayoutRequest) {
        self.clients.get(client).layout = request.clone();
    }

    fn call(
        &mut self,
        now: Time,
        client: ClientId,
        call: CallId,
        what: &FileCall,
        sink: &mut impl Sink,
    ) {
        if let Err(error) = self.pool.prepare(self.clients.get(client), what) {
            self.clients.get(client).lookups.clear();
            return sink.complete(call, error);
        }
        let in_daemon = self.pool.in_daemon(what);
        let node = self.clients.get(client).node;
        let sender = if in_daemon { self.caches.get(node).daemon } else { client };
        let task = self.new_task(Some(call), sender);
        self.tasks[task].in_daemon = in_daemon;
        let mut planner = Planner {
            node,
            path: self.pool.path(what),
            in_daemon,
            pool: &mut self.pool,
            clients: &mut self.clients,
            caches: &mut self.caches,
            now,
            client,
            stages: std::mem::take(&mut self.tasks[task].stages),
        };
        planner.plan(what);
        planner.stages.reverse();
        self.tasks[task].stages = planner.stages;
        self.advance(now, task, sink);
    }

    fn started(&mut self, now: Time, id: RpcId, rpc: &Rpc, sink: &mut impl Sink) {
        let node = NodeId(rpc.tag as u32);
        self.nodes[node].rpc = id;
        self.nodes[node].started = now;
        self.counters.started(rpc.operation);
        self.forward(node, rpc, sink);
    }

    fn served(&mut self, now: Time, _id: RpcId, rpc: &Rpc, sink: &mut impl Sink) {
        let node = NodeId(rpc.tag as u32);
        self.count(node, rpc);
        self.nodes[node].served = true;
        self.reply_if_complete(now, node, rpc.to, sink);
    }

    fn replied(&mut self, now: Time, _id: RpcId, rpc: &Rpc, sink: &mut impl Sink) {
        let id = NodeId(rpc.tag as u32);
        let node = self.nodes[id];
        self.nodes.free(id);
        if node.work == task::Work::Tree && node.parent == NO_NODE {
            self.trees.free(node.tree);
        }
        if let (Peer::Client(client), Peer::Server(target)) = (rpc.from, rpc.to) {
            if let Some((next, waiting)) = self.clients.return_credit(client, target) {
                self.launch(next, waiting, sink);
            }
            self.receive(node.task, rpc, sink);
        }
        if node.parent != NO_NODE {
            self.nodes[node.parent].pending -= 1;
            self.reply_if_complete(now, node.parent, rpc.from, sink);
        }
        if node.task != NO_TASK {
            self.step(now, node.task, sink);
        }
    }

    fn timer(&mut self, now: Time, token: u32, sink: &mut impl Sink) {
        match Timer::of(token) {
            Timer::Task(task) => self.step(now, task, sink),
            Timer::Commit(leader) => self.commit_timer(now, leader, sink),
            Timer::Aggregation => self.aggregate(now, sink),
        }
    }

    fn counters(&self) -> Vec<(String, u64)> {
        let mut all = self.counters.list();
        let commits = [self.commits.batches, self.commits.committed];
        for (name, count) in ["pool/dtx_batched_total", "pool/dtx_committed"].iter().zip(commits) {
            all.push((name.to_string(), count));
        }
        all.push(("pool/ec_aggregated_stripes".to_string(), self.aggregation.aggregated));
        all.push(("crt/credit_waits".to_string(), self.clients.credit_waits));
        all
    }
}
