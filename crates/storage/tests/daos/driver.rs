//! Executes RPCs one after the other. A step takes a microsecond; timers fire when nothing else is
//! to be done.

use std::collections::{BTreeMap, VecDeque};

use base::{Span, Time};
use machine::MachineSpec;
use machine::storage::Protocol;
use machine::storage::daos::{ClientPath, DaosParams, ObjectClass};
use storage::daos::Daos;
use storage::{Bulk, CallId, ClientId, FileSystem, Peer, Rpc, RpcId, ServerId, Sink};
use workload::{FileCall, FileCallKind, FileId, file_flag};

/// Requests of a protocol.
#[derive(Default)]
pub struct Requests {
    sent: VecDeque<(RpcId, Rpc)>,
    replies: VecDeque<RpcId>,
    pub in_flight: BTreeMap<u32, Rpc>,
    n_sent: u32,
    timers: BTreeMap<(Time, u32), u32>,
    n_timers: u32,
    now: Time,
    pub completed: Vec<(CallId, i32)>,
    pub occupied: Span,
    pub log: Vec<Rpc>,
}

impl Sink for Requests {
    fn send(&mut self, rpc: Rpc) -> RpcId {
        let id = RpcId(self.n_sent);
        self.n_sent += 1;
        self.sent.push_back((id, rpc));
        self.in_flight.insert(id.0, rpc);
        self.log.push(rpc);
        id
    }
    fn reply(&mut self, rpc: RpcId) {
        assert!(self.in_flight.contains_key(&rpc.0), "a reply to an RPC that is not in flight");
        self.replies.push_back(rpc);
    }
    fn occupy(&mut self, _call: CallId, span: Span) {
        self.occupied += span;
    }
    fn complete(&mut self, call: CallId, error: i32) {
        self.completed.push((call, error));
    }
    fn timer(&mut self, span: Span, token: u32) {
        assert!(token < 1 << 31);
        self.timers.insert((self.now + span, self.n_timers), token);
        self.n_timers += 1;
    }
}

pub struct Driver {
    pub daos: Daos,
    pub sink: Requests,
    n_calls: u32,
}

/// The parameters of DAOS by default, with a container of files of class `class`, which the DFS
/// library accesses.
pub fn params(class: &str) -> DaosParams {
    let text = "like = \"dragonfly-1056\"\n[[storage]]\nname = \"daos\"\nkind = \"daos\"\n\
                mount = \"/daos\"\ngroup = \"compute\"\nservers = 1";
    let machine = MachineSpec::parse("small", text, &[]).and_then(|spec| spec.resolve());
    let Protocol::Daos(defaults) = &machine.expect("legal").file_systems[0].protocol else {
        panic!("not DAOS")
    };
    let file_class = Some(ObjectClass::parse(class).expect("a class"));
    DaosParams { file_class, client_path: ClientPath::Dfs, ..DaosParams::clone(defaults) }
}

impl Driver {
    /// 20 servers, and two nodes of four clients.
    pub fn new(params: &DaosParams) -> Driver {
        Driver::on(params, 20)
    }

    pub fn on(params: &DaosParams, hosts: u32) -> Driver {
        let mut daos = Daos::new(params, hosts).expect("legal parameters");
        for client in 0..8 {
            daos.attach(ClientId(client), client / 4);
        }
        Driver { daos, sink: Requests::default(), n_calls: 0 }
    }

    pub fn submit(&mut self, client: u32, call: &FileCall) -> CallId {
        let id = CallId(self.n_calls);
        self.n_calls += 1;
        self.daos.call(self.sink.now, ClientId(client), id, call, &mut self.sink);
        id
    }

    /// Executes one step; false if nothing but timers is left.
    pub fn step(&mut self) -> bool {
        let Driver { daos, sink, .. } = self;
        sink.now += Span::us(1);
        if let Some(id) = sink.replies.pop_front() {
            let rpc = sink.in_flight.remove(&id.0).expect("in flight");
            daos.replied(sink.now, id, &rpc, sink);
        } else if let Some((id, rpc)) = sink.sent.pop_front() {
            daos.started(sink.now, id, &rpc, sink);
            daos.served(sink.now, id, &rpc, sink);
        } else {
            return false;
        }
        true
    }

    /// Fires the next timer; false if there is none.
    pub fn fire(&mut self) -> bool {
        let Some(((at, _), token)) = self.sink.timers.pop_first() else { return false };
        self.sink.now = self.sink.now.max(at);
        self.daos.timer(self.sink.now, token, &mut self.sink);
        true
    }

    /// Runs until the call completes. Returns its error and the RPCs that were sent meanwhile.
    pub fn run(&mut self, client: u32, call: &FileCall) -> (i32, Vec<Rpc>) {
        let before = self.sink.log.len();
        let id = self.submit(client, call);
        loop {
            if let Some(&(_, error)) = self.sink.completed.iter().find(|(c, _)| *c == id) {
                return (error, self.sink.log[before..].to_vec());
            }
            assert!(self.step() || self.fire(), "{call:?} does not complete");
        }
    }

    /// The RPCs of a call that succeeds.
    pub fn rpcs(&mut self, client: u32, call: &FileCall) -> Vec<Rpc> {
        let (error, rpcs) = self.run(client, call);
        assert_eq!(error, 0, "{call:?}");
        rpcs
    }

    /// Runs until neither RPCs nor timers are left. Returns the RPCs.
    pub fn drain(&mut self) -> Vec<Rpc> {
        let before = self.sink.log.len();
        while self.step() || self.fire() {}
        self.sink.log[before..].to_vec()
    }

    pub fn wait(&mut self, span: Span) {
        self.sink.now += span;
    }
}

pub fn call(kind: FileCallKind, file: FileId, parent: FileId, flags: u16) -> FileCall {
    FileCall {
        kind,
        file_system: 0,
        flags,
        file,
        parent,
        other: parent,
        name: 0,
        offset: 0,
        bytes: 0,
        size: 0,
    }
}

pub fn create(file: FileId) -> FileCall {
    call(FileCallKind::Open, file, ROOT, file_flag::CREATE | file_flag::WRITE)
}

pub fn write(file: FileId, offset: u64, bytes: u64) -> FileCall {
    FileCall { offset, bytes, ..call(FileCallKind::Write, file, ROOT, file_flag::OPEN) }
}

/// A read of a file of this size.
pub fn read(file: FileId, offset: u64, bytes: u64, size: u64) -> FileCall {
    FileCall { offset, bytes, size, ..call(FileCallKind::Read, file, ROOT, file_flag::OPEN) }
}

/// The root directory, and a file.
pub const ROOT: FileId = 0;
pub const FILE: FileId = 1;

/// Bytes through NICs.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    pub rpcs: usize,
    pub client_out: u64,
    pub client_in: u64,
    /// Ingress of each server that got something, ascending; requests, replies and bulk data.
    pub server_in: Vec<u64>,
}

pub fn traffic(rpcs: &[Rpc]) -> Traffic {
    let mut servers: BTreeMap<ServerId, u64> = BTreeMap::new();
    let mut of = Traffic { rpcs: rpcs.len(), ..Traffic::default() };
    let mut carry = |from: Peer, to: Peer, bytes: u64| {
        match from {
            Peer::Client(_) => of.client_out += bytes,
            Peer::Server(_) => (),
        }
        match to {
            Peer::Client(_) => of.client_in += bytes,
            Peer::Server(server) => *servers.entry(server).or_default() += bytes,
        }
    };
    for rpc in rpcs.iter().filter(|rpc| rpc.from != rpc.to) {
        carry(rpc.from, rpc.to, rpc.request_bytes.into());
        carry(rpc.to, rpc.from, rpc.reply_bytes.into());
        match rpc.bulk {
            Bulk::Pull(bytes) => carry(rpc.bulk_peer, rpc.to, bytes),
            Bulk::Push(bytes) => carry(rpc.to, rpc.bulk_peer, bytes),
            Bulk::None => (),
        }
    }
    of.server_in = servers.into_values().collect();
    of.server_in.sort_unstable();
    of
}

/// Names of the operations of RPCs, with their number.
pub fn names(rpcs: &[Rpc]) -> Vec<(&'static str, usize)> {
    let mut all: Vec<(&'static str, usize)> = Vec::new();
    for rpc in rpcs {
        let name = Daos::OPERATIONS[usize::from(rpc.operation)];
        match all.last_mut() {
            Some((last, n)) if *last == name => *n += 1,
            _ => all.push((name, 1)),
        }
    }
    all
}
