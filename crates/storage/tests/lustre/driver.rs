//! A sink without time: it serves the RPCs of a protocol in the order of their sending, or in a
//! random order.

use std::collections::BTreeMap;

use base::{Span, Time, below, draw};
use machine::storage::Protocol;
use machine::storage::lustre::LustreParams;
use machine::{MachineSpec, preset};
use storage::lustre::{Lustre, Ports};
use storage::{Bulk, CallId, ClientId, FileSystem, Peer, Rpc, RpcId, Sink};
use workload::{FileCall, FileCallKind};

/// What happens next to an RPC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    Request,
    /// Served, and not replied to.
    Held,
    Reply,
}

/// Records what a protocol requests.
#[derive(Default)]
pub struct Record {
    pub in_flight: BTreeMap<u32, (Rpc, Stage)>,
    next: u32,
    /// All RPCs, in the order of their sending.
    pub sent: Vec<Rpc>,
    pub completed: Vec<(CallId, i32)>,
    pub occupied: Vec<(CallId, Span)>,
    pub timers: Vec<(Span, u32)>,
}

impl Sink for Record {
    fn send(&mut self, rpc: Rpc) -> RpcId {
        self.next += 1;
        self.in_flight.insert(self.next, (rpc, Stage::Request));
        self.sent.push(rpc);
        RpcId(self.next)
    }
    fn reply(&mut self, rpc: RpcId) {
        let (_, stage) = self.in_flight.get_mut(&rpc.0).expect("the RPC is in flight");
        assert_eq!(*stage, Stage::Held, "replied twice, or before it was served");
        *stage = Stage::Reply;
    }
    fn occupy(&mut self, call: CallId, span: Span) {
        self.occupied.push((call, span));
    }
    fn complete(&mut self, call: CallId, error: i32) {
        assert!(!self.completed.iter().any(|c| c.0 == call), "{call:?} completes twice");
        self.completed.push((call, error));
    }
    fn timer(&mut self, span: Span, token: u32) {
        self.timers.push((span, token));
    }
}

/// A Lustre file system and its record.
pub struct World {
    pub fs: Lustre,
    pub record: Record,
    pub now: Time,
    calls: u32,
}

/// Parameters from a machine file with these keys.
pub fn params(keys: &str) -> LustreParams {
    let storage = format!(
        "\n[[storage]]\nname = \"scratch\"\nkind = \"lustre\"\nmount = \"/scratch\"\n\
         group = \"compute\"\nost_read_rate = \"4 GB/s\"\nost_write_rate = \"4 GB/s\"\n{keys}\n"
    );
    let text = format!("{}{storage}", preset("dragonfly-1056").expect("a preset"));
    let machine = MachineSpec::parse("test", &text, &[]).and_then(|s| s.resolve());
    let machine = machine.unwrap_or_else(|errors| panic!("{errors:#?}"));
    match machine.file_systems.into_iter().next().map(|f| f.protocol) {
        Some(Protocol::Lustre(params)) => *params,
        other => panic!("{other:?} is not Lustre"),
    }
}

impl World {
    /// With `clients` clients.
    pub fn new(params: LustreParams, clients: u32, seed: u64) -> World {
        let mut fs = Lustre::new(params, Ports { mds: 1, oss: 1 }, seed);
        for client in 0..clients {
            fs.attach(ClientId(client), client);
        }
        World { fs, record: Record::default(), now: Time::ZERO, calls: 0 }
    }

    /// Submits a call.
    pub fn submit(&mut self, client: u32, call: &FileCall) -> CallId {
        let id = CallId(self.calls);
        self.calls += 1;
        self.fs.call(self.now, ClientId(client), id, call, &mut self.record);
        id
    }

    /// Processes one stage of an RPC.
    fn process(&mut self, id: u32) {
        let (rpc, stage) = self.record.in_flight[&id];
        match stage {
            Stage::Request => {
                self.record.in_flight.insert(id, (rpc, Stage::Held));
                self.fs.served(self.now, RpcId(id), &rpc, &mut self.record);
            }
            Stage::Reply => {
                self.record.in_flight.remove(&id);
                self.fs.replied(self.now, RpcId(id), &rpc, &mut self.record);
            }
            Stage::Held => unreachable!("only the protocol continues a held RPC"),
        }
    }

    fn movable(&self) -> Vec<u32> {
        let all = self.record.in_flight.iter();
        all.filter(|(_, (_, stage))| *stage != Stage::Held).map(|(&id, _)| id).collect()
    }

    /// Processes a random stage. False if none is left.
    pub fn random_step(&mut self, seed: u64, nth: u64) -> bool {
        let movable = self.movable();
        if movable.is_empty() {
            return false;
        }
        let at = below(draw(seed, 0, 0, nth), movable.len() as u32);
        self.process(movable[at as usize]);
        true
    }

    /// Processes all RPCs, the oldest first.
    pub fn drain(&mut self) {
        while let Some(&id) = self.movable().first() {
            self.process(id);
        }
        assert!(self.record.in_flight.is_empty(), "held: {:?}", self.record.in_flight);
    }

    /// Processes all RPCs, the newest first, so that those in flight occupy their slots until later
    /// calls are complete.
    pub fn drain_newest_first(&mut self) {
        while let Some(&id) = self.movable().last() {
            self.process(id);
        }
        assert!(self.record.in_flight.is_empty(), "held: {:?}", self.record.in_flight);
    }

    /// Executes a call alone and returns the names of its RPCs.
    pub fn run(&mut self, client: u32, call: &FileCall) -> Vec<&'static str> {
        let from = self.record.sent.len();
        let id = self.submit(client, call);
        self.drain();
        assert!(self.record.completed.contains(&(id, 0)), "{call:?} did not complete");
        self.names(from)
    }

    /// Names of the RPCs from the `from`-th on.
    pub fn names(&self, from: usize) -> Vec<&'static str> {
        let name = |rpc: &Rpc| Lustre::OPERATIONS[rpc.operation as usize];
        self.record.sent[from..].iter().map(name).collect()
    }

    /// Number of RPCs by name, and bytes of data in bulk transfers and inline.
    pub fn count(&self, from: usize, name: &str) -> usize {
        self.names(from).iter().filter(|n| **n == name).count()
    }
    pub fn bulk(&self, from: usize) -> u64 {
        let bytes = |rpc: &Rpc| match rpc.bulk {
            Bulk::None => 0,
            Bulk::Pull(n) | Bulk::Push(n) => n,
        };
        self.record.sent[from..].iter().map(bytes).sum()
    }
    /// Fires the timers that were set.
    pub fn fire_timers(&mut self) {
        for (span, token) in std::mem::take(&mut self.record.timers) {
            self.now = Time(self.now.0.max(span.0));
            self.fs.timer(self.now, token, &mut self.record);
        }
        self.drain();
    }
}

/// A call without flags on file 1 in directory 0.
pub fn call(kind: FileCallKind) -> FileCall {
    FileCall {
        kind,
        file_system: 0,
        flags: 0,
        file: 1,
        parent: 0,
        other: 0,
        name: 7,
        offset: 0,
        bytes: 0,
        size: 0,
    }
}

/// Whether an RPC goes from a server to a client.
pub fn is_callback(rpc: &Rpc) -> bool {
    matches!(rpc.to, Peer::Client(_))
}
