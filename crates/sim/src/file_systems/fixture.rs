//! A protocol whose messages are known: one RPC per call, to a server that the file determines.

use base::{Span, Time};
use storage::{
    Bulk, CallId, ClientId, ClientScope, FileSystem, MediumAccess, MediumId, Peer, Place, Rpc,
    RpcId, ServerId, Sink,
};
use workload::{FileCall, FileCallKind, FileId, LayoutRequest};

/// Times and sizes of its RPCs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FixtureParams {
    pub threads: u32,
    pub request: u32,
    pub reply: u32,
    pub service: Span,
    pub access: Span,
    pub latency: Span,
    /// CPU time of the client before the request, and after the reply.
    pub before: Span,
    pub after: Span,
}

pub(crate) const PARAMS: FixtureParams = FixtureParams {
    threads: 2,
    request: 300,
    reply: 200,
    service: Span::us(5),
    access: Span::us(7),
    latency: Span::us(3),
    before: Span::us(1),
    after: Span::us(2),
};

/// Errno of `Rename`, which this file system refuses.
pub(crate) const REFUSED: i32 = 18;

pub(crate) struct Fixture {
    pub params: FixtureParams,
    hosts: u32,
    /// Lookups and layouts that came before the last call.
    pub noticed: u64,
}

/// Files from this number on are served by servers of the second port of hosts.
pub const SECOND_PORT: FileId = 1 << 16;

impl Fixture {
    pub fn new(params: FixtureParams, hosts: u32) -> Fixture {
        Fixture { params, hosts, noticed: 0 }
    }

    /// The RPC of a call that a client makes.
    pub fn rpc(&self, client: ClientId, call: CallId, what: &FileCall) -> Rpc {
        let FixtureParams { request, reply, service, access, latency, .. } = self.params;
        let host = what.file % self.hosts;
        let server = host + if what.file < SECOND_PORT { 0 } else { self.hosts };
        let bulk = match what.kind {
            FileCallKind::Write => Bulk::Pull(what.bytes),
            FileCallKind::Read => Bulk::Push(what.bytes),
            _ => Bulk::None,
        };
        let access = MediumAccess { medium: MediumId(host), span: access, latency };
        Rpc {
            operation: u8::from(bulk != Bulk::None),
            from: Peer::Client(client),
            to: Peer::Server(ServerId(server)),
            request_bytes: request,
            reply_bytes: reply,
            bulk,
            bulk_peer: Peer::Client(client),
            service,
            access: (bulk != Bulk::None).then_some(access),
            priority: 0,
            tag: call.0.into(),
        }
    }
}

impl FileSystem for Fixture {
    const CLIENTS: ClientScope = ClientScope::Node;
    const OPERATIONS: &'static [&'static str] = &["metadata", "data"];

    fn servers(&self) -> Vec<Place> {
        let threads = self.params.threads;
        let on_port =
            |port| (0..self.hosts).map(move |host| Place { host, port, rails: 1, threads });
        on_port(0).chain(on_port(1)).collect()
    }

    fn media(&self) -> u32 {
        self.hosts
    }

    fn attach(&mut self, _: ClientId, _: u32) {}

    fn lookup(&mut self, _: ClientId, _: FileId, _: FileId) {
        self.noticed += 1;
    }

    fn layout(&mut self, _: ClientId, _: &LayoutRequest) {
        self.noticed += 1;
    }

    fn call(
        &mut self,
        _: Time,
        client: ClientId,
        call: CallId,
        what: &FileCall,
        sink: &mut impl Sink,
    ) {
        match what.kind {
            FileCallKind::Rename => sink.complete(call, REFUSED),
            // Nothing answers it.
            FileCallKind::Lock => {}
            FileCallKind::Sync => {
                sink.timer(self.params.latency, call.0);
            }
            _ => {
                sink.occupy(call, self.params.before);
                sink.send(self.rpc(client, call, what));
            }
        }
    }

    fn served(&mut self, _: Time, id: RpcId, _: &Rpc, sink: &mut impl Sink) {
        sink.reply(id);
    }

    fn replied(&mut self, _: Time, _: RpcId, rpc: &Rpc, sink: &mut impl Sink) {
        let call = CallId(rpc.tag as u32);
        sink.occupy(call, self.params.after);
        sink.complete(call, 0);
    }

    fn timer(&mut self, _: Time, token: u32, sink: &mut impl Sink) {
        sink.complete(CallId(token), 0);
    }

    fn counters(&self) -> Vec<(String, u64)> {
        vec![("noticed".into(), self.noticed)]
    }
}
