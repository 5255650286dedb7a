//! Execution of one file system: its calls, the steps of its RPCs, its servers and media.
//!
//! What happens at one instant is a list of effects, which are worked off in order. An effect calls
//! the protocol, which requests more effects (`Requests`), or starts something that takes time.

use std::collections::VecDeque;

use base::{Gap, Idx, IndexVec, Slab, Span, Time};
use machine::storage::{Access, FileSystem as Site};
use machine::{NicId, NodeId};
use net::{Completion, NetworkModel};
use storage::{
    Bulk, CallId, ClientId, ClientScope, FileSystem, MediumId, Peer, Place, Rpc, RpcId, ServerId,
    Sink,
};
use workload::{CompletionStatus, FileCall, FileCallKind, OpCompletion, Token};

use super::Notice;
use super::accounts::Accounts;
use super::completion_order::CompletionOrder;
use super::limit::{self, Use};
use super::lnet::{InterfaceId, MAX_MESSAGE};
use super::network::{Endpoints, Network, Parcel, Part};
use super::outcome::{FileSystemOutcome, HostLoad, MediumLoad};
use super::rates::Counted;
use crate::endpoints::EndpointEvent;
use crate::kernel::Kernel;
use crate::service_queue::{Service, ServiceQueue};

/// Priorities of service.
const PRIORITIES: usize = 4;

/// A call of a rank that has not completed.
#[derive(Clone, Copy)]
struct PendingCall {
    rank: u32,
    token: Token,
    call: FileCall,
    began: Time,
    /// Its rank's CPU works for it until then.
    busy_until: Time,
    error: i32,
}

/// An RPC in flight.
#[derive(Clone, Copy)]
struct RpcState {
    rpc: Rpc,
    /// Interfaces of request and reply.
    from: InterfaceId,
    to: InterfaceId,
    /// Messages of the bulk transfer that have not arrived.
    parts: u32,
}

/// What happens now.
#[derive(Clone, Copy, Debug)]
enum Effect {
    /// The request leaves.
    Depart(RpcId),
    /// The request has arrived.
    Requested(RpcId),
    /// A service thread begins.
    Started(RpcId, Time),
    /// The service thread has ended.
    Serviced(RpcId),
    /// Data of a write have arrived, if there are any.
    Pulled(RpcId),
    /// The medium has been accessed, if it is.
    Accessed(RpcId),
    /// Data of a read have left, if there are any.
    Served(RpcId),
    Reply(RpcId),
    Replied(RpcId),
    Complete(CallId),
}

/// Tokens of events: what, and the number of an RPC or call.
const ID_BITS: u32 = 28;
const DEPART: u32 = 0;
const SERVICE: u32 = 1;
const ACCESS: u32 = 2;
const COMPLETE: u32 = 3;

/// A medium serves accesses one after another.
#[derive(Clone, Copy, Default)]
struct Medium {
    free: Time,
    load: MediumLoad,
}

/// Interfaces that the messages of a server use in turn.
#[derive(Clone, Copy)]
struct Rails {
    first: InterfaceId,
    count: u32,
    next: u32,
}

impl Rails {
    fn take(&mut self) -> InterfaceId {
        let taken = InterfaceId(self.first.0 + self.next);
        self.next = if self.next + 1 < self.count { self.next + 1 } else { 0 };
        taken
    }
}

/// A client of the file system.
struct Client {
    /// NICs that it uses in turn.
    nics: Vec<NicId>,
    next: u32,
}

/// Clients in the order of their first calls.
#[derive(Default)]
struct Clients {
    clients: IndexVec<ClientId, Client>,
    /// By node or by rank: its client plus 1.
    numbers: Vec<u32>,
}

/// All but the protocol.
struct Parts {
    /// The kernel's number of the endpoint of events; timers of the protocol have the next one.
    endpoint: u32,
    network: Network,
    calls: Slab<CallId, PendingCall>,
    rpcs: Slab<RpcId, RpcState>,
    places: IndexVec<ServerId, Place>,
    /// By server: the interfaces of its host's ports.
    interfaces: IndexVec<ServerId, Rails>,
    queues: IndexVec<ServerId, ServiceQueue<RpcId>>,
    media: IndexVec<MediumId, Medium>,
    order: CompletionOrder,
    accounts: Accounts,
    effects: VecDeque<Effect>,
    /// RPCs sent, by operation.
    operations: Vec<u64>,
    /// The jobs have ended: the protocol's timers do nothing more.
    is_closing: bool,
}

pub(crate) struct Execution<P: FileSystem> {
    protocol: P,
    site: Site,
    clients: Clients,
    parts: Parts,
}

impl<P: FileSystem> Execution<P> {
    pub fn new(protocol: P, site: &Site, n_nics: usize, endpoints: Endpoints) -> Self {
        let network = Network::new(site, n_nics, endpoints);
        let places: IndexVec<ServerId, Place> = protocol.servers().into_iter().collect();
        let mut first = vec![0];
        for host in &site.hosts {
            first.push(first[first.len() - 1] + host.ports());
        }
        let interface = |place: &Place| {
            let own = first[place.host as usize];
            let ports = first[place.host as usize + 1] - own;
            let rails = place.rails.min(ports - place.port % ports).max(1);
            Rails { first: InterfaceId(own + place.port % ports), count: rails, next: 0 }
        };
        let parts = Parts {
            endpoint: endpoints.events,
            network,
            calls: Slab::with_capacity(0),
            rpcs: Slab::with_capacity(0),
            interfaces: places.raw.iter().map(interface).collect(),
            queues: places.raw.iter().map(|p| ServiceQueue::new(p.threads, PRIORITIES)).collect(),
            places,
            media: IndexVec::filled(Medium::default(), protocol.media() as usize),
            order: CompletionOrder::default(),
            accounts: Accounts::default(),
            effects: VecDeque::new(),
            operations: vec![0; P::OPERATIONS.len()],
            is_closing: false,
        };
        Execution { protocol, site: site.clone(), clients: Clients::default(), parts }
    }

    /// Largest numbers of messages, and of RPCs or calls, at one time.
    pub fn peaks(&self) -> (usize, usize) {
        let Parts { network, rpcs, calls, .. } = &self.parts;
        (network.peak(), rpcs.peak().max(calls.peak()))
    }

    /// No timer of the protocol has an effect from now on.
    pub fn close(&mut self) {
        self.parts.is_closing = true;
    }

    /// A rank's CPU has reached a call.
    pub fn call<N: NetworkModel>(
        &mut self,
        kernel: &mut Kernel<'_, N>,
        (rank, token): (u32, Token),
        call: FileCall,
        notices: impl Iterator<Item = Notice>,
    ) {
        let client = self.client(kernel, rank);
        for notice in notices {
            match notice {
                Notice::Lookup { parent, file } => self.protocol.lookup(client, parent, file),
                Notice::Layout(request) => self.protocol.layout(client, &request),
            }
        }
        let now = kernel.now;
        let parts = &mut self.parts;
        parts.accounts.begin(kernel.job_time(), rank, &call);
        let pending = PendingCall { rank, token, call, began: now, busy_until: now, error: 0 };
        let id = parts.calls.insert(pending);
        kernel.await_call(rank);
        let mut sink = Requests::new(kernel, parts);
        self.protocol.call(now, client, id, &call, &mut sink);
        self.work(kernel);
    }

    /// The client that a rank belongs to.
    fn client<N: NetworkModel>(&mut self, kernel: &Kernel<'_, N>, rank: u32) -> ClientId {
        let node = kernel.node_of(rank);
        let key = match P::CLIENTS {
            ClientScope::Node => node.0,
            ClientScope::Process => rank,
        } as usize;
        let Clients { clients, numbers } = &mut self.clients;
        if key >= numbers.len() {
            numbers.resize(key + 1, 0);
        }
        if numbers[key] == 0 {
            let nics = match P::CLIENTS {
                ClientScope::Node => client_nics(kernel, &self.site, node),
                ClientScope::Process => vec![kernel.nic_of(rank)],
            };
            let client = clients.push(Client { nics, next: 0 });
            numbers[key] = client.0 + 1;
            self.protocol.attach(client, node.0);
        }
        ClientId(numbers[key] - 1)
    }

    /// A timer of the protocol has expired.
    pub fn timer<N: NetworkModel>(&mut self, kernel: &mut Kernel<'_, N>, token: u32) {
        if self.parts.is_closing {
            return;
        }
        let now = kernel.now;
        let mut sink = Requests::new(kernel, &mut self.parts);
        self.protocol.timer(now, token, &mut sink);
        self.work(kernel);
    }

    /// An event of an RPC or call.
    pub fn event<N: NetworkModel>(&mut self, kernel: &mut Kernel<'_, N>, token: u32) {
        let (what, id) = (token >> ID_BITS, token & ((1 << ID_BITS) - 1));
        let effect = match what {
            DEPART => Effect::Depart(RpcId(id)),
            SERVICE => Effect::Serviced(RpcId(id)),
            ACCESS => Effect::Accessed(RpcId(id)),
            _ => Effect::Complete(CallId(id)),
        };
        self.parts.effects.push_back(effect);
        self.work(kernel);
    }

    /// An event of a message.
    pub fn message<N: NetworkModel>(
        &mut self,
        kernel: &mut Kernel<'_, N>,
        id: u32,
        event: EndpointEvent,
    ) {
        if let Some(parcel) = self.parts.network.handle(kernel, id, event) {
            self.parts.arrived(kernel, parcel);
            self.work(kernel);
        }
    }

    /// Works off all effects of this instant.
    fn work<N: NetworkModel>(&mut self, kernel: &mut Kernel<'_, N>) {
        let now = kernel.now;
        while let Some(effect) = self.parts.effects.pop_front() {
            let (Effect::Started(id, _) | Effect::Served(id) | Effect::Replied(id)) = effect else {
                if let Effect::Complete(id) = effect {
                    self.describe(kernel, id);
                }
                self.parts.take_effect(kernel, &mut self.clients, effect);
                continue;
            };
            let rpc = self.parts.rpcs[id].rpc;
            let mut sink = Requests::new(kernel, &mut self.parts);
            match effect {
                Effect::Started(_, ends) => {
                    self.protocol.started(now, id, &rpc, &mut sink);
                    self.parts.after(kernel, ends, (SERVICE, id.0), Effect::Serviced(id));
                }
                Effect::Served(_) => self.protocol.served(now, id, &rpc, &mut sink),
                _ => {
                    self.protocol.replied(now, id, &rpc, &mut sink);
                    self.parts.rpcs.free(id);
                }
            }
        }
    }

    /// Reports what a call returns beside its completion, if it succeeds.
    fn describe<N: NetworkModel>(&self, kernel: &mut Kernel<'_, N>, id: CallId) {
        let PendingCall { rank, token, call, error, .. } = self.parts.calls[id];
        let has_text = matches!(call.kind, FileCallKind::GetLayout | FileCallKind::StatFs);
        if has_text
            && error == 0
            && let Some(text) = self.protocol.describe(&call)
        {
            kernel.descriptions.push((rank, token, text));
        }
    }

    /// Calls that have not completed: their ranks, and what they are.
    pub fn waiting(&self) -> Vec<(u32, String)> {
        let calls = (0..self.parts.calls.peak()).map(|at| &self.parts.calls[CallId(at as u32)]);
        let calls = calls.filter(|pending| pending.error != COMPLETED);
        let what = |pending: &PendingCall| {
            let FileCall { kind, bytes, offset, .. } = pending.call;
            let name = kind.name().trim_start_matches("file_");
            format!("{name} of {bytes} B at {offset} on file system {}", self.site.name)
        };
        calls.map(|pending| (pending.rank, what(pending))).collect()
    }

    pub fn outcome<N: NetworkModel>(&self, kernel: &Kernel<'_, N>) -> FileSystemOutcome {
        let parts = &self.parts;
        let names = P::OPERATIONS.iter().map(|name| (*name).to_string());
        let phases = parts.accounts.phases();
        let limit = limit::sentence(&self.uses(kernel, limit::active(&phases)), &phases);
        FileSystemOutcome {
            name: self.site.name.clone(),
            files: parts.accounts.files(),
            phases,
            hosts: self.host_loads(),
            media: parts.media.raw.iter().map(|medium| medium.load).collect(),
            media_names: self.media_names(),
            rates: parts.accounts.rates.clone(),
            operations: names.zip(parts.operations.iter().copied()).collect(),
            counters: self.protocol.counters(),
            gateways: parts.network.gateway_loads(),
            credit_waiting: parts.network.credit_waiting,
            buffer_waiting: parts.network.buffer_waiting,
            limit,
        }
    }

    /// By medium that has been accessed: bytes so far, and how long it stays busy.
    pub fn loads(&self, now: Time, mut each: impl FnMut(usize, u64, Span)) {
        let used = self.parts.media.raw.iter().enumerate();
        for (medium, state) in used.filter(|(_, state)| state.load.accesses > 0) {
            let bytes = state.load.bytes_read + state.load.bytes_written;
            each(medium, bytes, state.free.since(now));
        }
    }

    /// Names of these media, with that of the file system.
    pub fn named_targets(&self) -> Vec<(u32, String)> {
        let name = |medium: String| format!("{} {medium}", self.site.name);
        self.media_names().into_iter().map(|(id, medium)| (id, name(medium))).collect()
    }

    /// Names of the media that have been accessed.
    fn media_names(&self) -> Vec<(u32, String)> {
        let media = self.parts.media.iter();
        let used = media.filter(|(_, medium)| medium.load.accesses > 0);
        used.map(|(id, _)| (id.0, self.protocol.medium_name(id))).collect()
    }

    /// Load of each port of each host.
    fn host_loads(&self) -> Vec<HostLoad> {
        let mut loads = self.parts.host_loads();
        for (first, load) in &mut loads {
            load.name = self.protocol.place_name(*first);
        }
        loads.into_iter().map(|(_, load)| load).collect()
    }

    /// Use of media, service threads and ports in `elapsed`.
    fn uses<N: NetworkModel>(&self, kernel: &Kernel<'_, N>, elapsed: Span) -> Vec<Use> {
        let (parts, site) = (&self.parts, &self.site);
        let media = parts.media.raw.iter().map(|medium| medium.load.busy);
        let medium = |at: usize| self.protocol.medium_name(MediumId(at as u32));
        let threads = parts
            .queues
            .raw
            .iter()
            .zip(&parts.places.raw)
            .map(|(queue, place)| Span(queue.counters().service.0 / u64::from(place.threads)));
        let thread = |at: usize| self.protocol.place_name(ServerId(at as u32));
        let hosts = self.host_loads();
        let gap = |load: &HostLoad| match (
            &site.network,
            site.hosts[load.host as usize].nics.get(load.port as usize),
        ) {
            (Access::Routed { host_gap, .. }, _) => *host_gap,
            (Access::Direct, Some(&nic)) => {
                let machine = &kernel.job.machine;
                machine.links.gap[machine.ejection(nic)]
            }
            (Access::Direct, None) => Gap::ZERO,
        };
        let ports = hosts.iter().map(|load| gap(load).span(load.bytes_in.max(load.bytes_out)));
        let port = |at: usize| format!("port {} of server host {}", hosts[at].port, hosts[at].host);
        let gateways = parts.network.gateway_loads();
        let beyond = match site.network {
            Access::Routed { gap, .. } => gap,
            Access::Direct => Gap::ZERO,
        };
        let routed = gateways.iter().map(|load| beyond.span(load.1.max(load.2)));
        let uses = [
            Use::of(elapsed, media, medium),
            Use::of(elapsed, threads, |at| format!("the thread pool of {}", thread(at))),
            Use::of(elapsed, ports, port),
            Use::of(elapsed, routed, |at| format!("gateway {at}")),
        ];
        uses.into_iter().flatten().collect()
    }
}

/// Marks a free entry of `Parts::calls`.
const COMPLETED: i32 = i32::MIN;

/// NICs of a compute node that a client of the node uses.
fn client_nics<N: NetworkModel>(kernel: &Kernel<'_, N>, site: &Site, node: NodeId) -> Vec<NicId> {
    let machine = &kernel.job.machine;
    let all = machine.node_nics[node]..machine.node_nics[NodeId(node.0 + 1)];
    let named = site.client_nics.iter().map(|&nth| all.start + u32::from(nth));
    let named: Vec<NicId> = named.filter(|nic| all.contains(nic)).map(NicId).collect();
    if named.is_empty() { all.map(NicId).collect() } else { named }
}

impl Parts {
    /// An effect at `when`: an event, unless that is now.
    fn after<N: NetworkModel>(
        &mut self,
        kernel: &mut Kernel<'_, N>,
        when: Time,
        (what, id): (u32, u32),
        effect: Effect,
    ) {
        if when <= kernel.now {
            return self.effects.push_back(effect);
        }
        assert!(id < 1 << ID_BITS, "more RPCs in flight than ids");
        kernel.push_endpoint(self.endpoint, when, what << ID_BITS | id);
    }

    /// An effect that does not call the protocol.
    fn take_effect<N: NetworkModel>(
        &mut self,
        kernel: &mut Kernel<'_, N>,
        clients: &mut Clients,
        effect: Effect,
    ) {
        match effect {
            Effect::Depart(id) => self.depart(kernel, clients, id),
            Effect::Requested(id) => self.queue(kernel.now, id),
            Effect::Serviced(id) => self.serviced(kernel, clients, id),
            Effect::Pulled(id) => self.access(kernel, id),
            Effect::Accessed(id) => self.push(kernel, clients, id),
            Effect::Reply(id) => self.reply(kernel, id),
            Effect::Complete(id) => self.complete(kernel, id),
            Effect::Started(..) | Effect::Served(_) | Effect::Replied(_) => {
                unreachable!("the protocol handles it")
            }
        }
    }

    /// The interface by which the peer sends or receives its next message.
    fn interface(&mut self, clients: &mut Clients, peer: Peer) -> InterfaceId {
        match peer {
            Peer::Server(server) => self.interfaces[server].take(),
            Peer::Client(client) => {
                let client = &mut clients.clients[client];
                let nic = client.nics[client.next as usize];
                client.next = (client.next + 1) % client.nics.len() as u32;
                self.network.interface(nic)
            }
        }
    }

    /// Whether the peers are servers of one port, which exchange no messages.
    fn is_local(&self, a: Peer, b: Peer) -> bool {
        match (a, b) {
            (Peer::Server(a), Peer::Server(b)) => {
                self.interfaces[a].first == self.interfaces[b].first
            }
            _ => false,
        }
    }

    /// Step 1: the request leaves.
    fn depart<N: NetworkModel>(
        &mut self,
        kernel: &mut Kernel<'_, N>,
        clients: &mut Clients,
        id: RpcId,
    ) {
        let rpc = self.rpcs[id].rpc;
        if self.is_local(rpc.from, rpc.to) {
            return self.effects.push_back(Effect::Requested(id));
        }
        let from = self.interface(clients, rpc.from);
        let to = self.interface(clients, rpc.to);
        let state = &mut self.rpcs[id];
        (state.from, state.to) = (from, to);
        self.send(kernel, id, Part::Request, (from, to), rpc.request_bytes.into());
    }

    /// Sends a request, a reply or a request for data.
    fn send<N: NetworkModel>(
        &mut self,
        kernel: &mut Kernel<'_, N>,
        rpc: RpcId,
        part: Part,
        (from, to): (InterfaceId, InterfaceId),
        bytes: u64,
    ) {
        let bytes = self.network.with_header(bytes);
        let (in_order, completion) = (true, Completion::Target);
        self.network.send(kernel, Parcel { rpc, part, from, to, bytes, in_order, completion });
    }

    /// A message has arrived.
    fn arrived<N: NetworkModel>(&mut self, kernel: &mut Kernel<'_, N>, parcel: Parcel) {
        let id = parcel.rpc;
        match parcel.part {
            Part::Request => self.effects.push_back(Effect::Requested(id)),
            Part::Reply => self.effects.push_back(Effect::Replied(id)),
            Part::Fetch(bytes) => {
                let (from, to) = (parcel.to, parcel.from);
                self.send_data(kernel, id, (from, to), bytes);
            }
            Part::Data => {
                let state = &mut self.rpcs[id];
                state.parts -= 1;
                let is_write = matches!(state.rpc.bulk, Bulk::Pull(_));
                let counted = match is_write {
                    true => Counted::WrittenToServers,
                    false => Counted::ReadFromServers,
                };
                let bytes = self.network.data_bytes(&parcel);
                self.accounts.rates.add(kernel.job_time(), counted, bytes);
                if state.parts == 0 {
                    let next = if is_write { Effect::Pulled(id) } else { Effect::Served(id) };
                    self.effects.push_back(next);
                }
            }
        }
    }

    /// Step 2: a request waits for a service thread. A client serves all requests at once.
    fn queue(&mut self, now: Time, id: RpcId) {
        let Rpc { to, service, priority, .. } = self.rpcs[id].rpc;
        let Peer::Server(server) = to else {
            return self.effects.push_back(Effect::Started(id, now + service));
        };
        let priority = usize::from(priority).min(PRIORITIES - 1);
        let started = self.queues[server].arrive(now, priority, service, id);
        self.begin(started);
    }

    fn begin(&mut self, started: Option<Service<RpcId>>) {
        self.effects.extend(started.map(|Service { job, ends }| Effect::Started(job, ends)));
    }

    /// The thread is free. Step 3: the data are fetched.
    fn serviced<N: NetworkModel>(
        &mut self,
        kernel: &mut Kernel<'_, N>,
        clients: &mut Clients,
        id: RpcId,
    ) {
        let rpc = self.rpcs[id].rpc;
        if let Peer::Server(server) = rpc.to {
            let next = self.queues[server].end(kernel.now);
            self.begin(next);
        }
        match rpc.bulk {
            Bulk::Pull(bytes) if bytes > 0 && !self.is_local(rpc.to, rpc.bulk_peer) => {
                self.transfer(kernel, clients, id, bytes);
            }
            _ => self.effects.push_back(Effect::Pulled(id)),
        }
    }

    /// Step 4: the medium is accessed after earlier accesses.
    fn access<N: NetworkModel>(&mut self, kernel: &mut Kernel<'_, N>, id: RpcId) {
        let now = kernel.now;
        let Rpc { access: Some(access), bulk, .. } = self.rpcs[id].rpc else {
            return self.effects.push_back(Effect::Accessed(id));
        };
        let medium = &mut self.media[access.medium];
        let start = now.max(medium.free);
        medium.free = start + access.span;
        let load = &mut medium.load;
        load.accesses += 1;
        load.busy += access.span;
        load.waiting += start - now;
        match bulk {
            Bulk::Pull(bytes) => load.bytes_written += bytes,
            Bulk::Push(bytes) => load.bytes_read += bytes,
            Bulk::None => {}
        }
        let when = medium.free + access.latency;
        self.after(kernel, when, (ACCESS, id.0), Effect::Accessed(id));
    }

    /// Step 5: the data of a read leave.
    fn push<N: NetworkModel>(
        &mut self,
        kernel: &mut Kernel<'_, N>,
        clients: &mut Clients,
        id: RpcId,
    ) {
        let rpc = self.rpcs[id].rpc;
        match rpc.bulk {
            Bulk::Push(bytes) if bytes > 0 && !self.is_local(rpc.to, rpc.bulk_peer) => {
                self.transfer(kernel, clients, id, bytes);
            }
            _ => self.effects.push_back(Effect::Served(id)),
        }
    }

    /// Starts a bulk transfer between the receiver of the request and `bulk_peer`: LNet in messages
    /// of 1 MiB, DAOS as a whole.
    fn transfer<N: NetworkModel>(
        &mut self,
        kernel: &mut Kernel<'_, N>,
        clients: &mut Clients,
        id: RpcId,
        bytes: u64,
    ) {
        let rpc = self.rpcs[id].rpc;
        let most = if self.network.has_lnet() { MAX_MESSAGE } else { u64::MAX };
        self.rpcs[id].parts = bytes.div_ceil(most) as u32;
        let fetches = self.network.has_rdma() && kernel.job.machine.nic.response > 0;
        let mut left = bytes;
        while left > 0 {
            let part = left.min(most);
            left -= part;
            let own = self.interface(clients, rpc.to);
            let other = self.interface(clients, rpc.bulk_peer);
            match rpc.bulk {
                Bulk::Pull(_) if fetches => {
                    let (part, completion) = (Part::Data, Completion::Initiator(part));
                    let (from, to, bytes, in_order) = (own, other, 0, false);
                    let parcel = Parcel { rpc: id, part, from, to, bytes, in_order, completion };
                    self.network.send(kernel, parcel);
                }
                Bulk::Pull(_) => self.send(kernel, id, Part::Fetch(part), (own, other), 0),
                _ => self.send_data(kernel, id, (own, other), part),
            }
        }
    }

    /// Sends bulk data. The sender knows of their arrival where NICs respond to RDMA.
    fn send_data<N: NetworkModel>(
        &mut self,
        kernel: &mut Kernel<'_, N>,
        rpc: RpcId,
        (from, to): (InterfaceId, InterfaceId),
        bytes: u64,
    ) {
        let has_rdma = self.network.has_rdma();
        let (bytes, completion) = match has_rdma && kernel.job.machine.nic.response > 0 {
            true => (bytes, Completion::Initiator(0)),
            false => (self.network.with_header(bytes), Completion::Target),
        };
        // Puts of DAOS are ordered in hardware, as all packets of a socket are.
        let is_put = matches!(self.rpcs[rpc].rpc.bulk, Bulk::Push(_));
        let in_order = !has_rdma || is_put && !self.network.has_lnet();
        let part = Part::Data;
        self.network.send(kernel, Parcel { rpc, part, from, to, bytes, in_order, completion });
    }

    /// Step 7: the reply leaves.
    fn reply<N: NetworkModel>(&mut self, kernel: &mut Kernel<'_, N>, id: RpcId) {
        let RpcState { rpc, from, to, .. } = self.rpcs[id];
        if self.is_local(rpc.from, rpc.to) {
            return self.effects.push_back(Effect::Replied(id));
        }
        self.send(kernel, id, Part::Reply, (to, from), rpc.reply_bytes.into());
    }

    /// A call completes, at an instant that it shares with no call that depends on it.
    fn complete<N: NetworkModel>(&mut self, kernel: &mut Kernel<'_, N>, id: CallId) {
        let PendingCall { rank, token, call, began, error, .. } = self.calls[id];
        let when = self.order.place(kernel.now, &call);
        let status = match error {
            0 => CompletionStatus::Success,
            errno => CompletionStatus::FileError(errno),
        };
        let done = OpCompletion { rank, token, status, ready: began, ..OpCompletion::default() };
        kernel.complete(when, done);
        kernel.call_ends(rank);
        let in_job = |time: Time| Time(time.0.saturating_sub(kernel.origin.0));
        self.accounts.end(in_job(began), in_job(when), &call, error);
        self.calls[id].error = COMPLETED;
        self.calls.free(id);
    }

    /// Load of each port of each host, and the first server of the port.
    fn host_loads(&self) -> Vec<(ServerId, HostLoad)> {
        let mut loads: Vec<Option<(ServerId, HostLoad)>> = Vec::new();
        for (server, place) in self.places.iter() {
            let Rails { first, count, .. } = self.interfaces[server];
            let at = first.idx();
            if at + count as usize > loads.len() {
                loads.resize(at + count as usize, None);
            }
            for rail in 0..count {
                let bytes = self.network.load(InterfaceId(first.0 + rail));
                loads[at + rail as usize].get_or_insert_with(|| {
                    let (host, port) = (place.host, place.port + rail);
                    let (bytes_in, bytes_out) = (bytes.bytes_in, bytes.bytes_out);
                    let load = HostLoad { host, port, bytes_in, bytes_out, ..HostLoad::default() };
                    (server, load)
                });
            }
            let (_, load) = loads[at].as_mut().expect("it has a load");
            let counters = self.queues[server].counters();
            load.served += counters.served;
            load.threads += place.threads;
            load.service += counters.service;
            load.waiting += counters.waiting;
            load.longest = load.longest.max(counters.longest as u64);
        }
        loads.into_iter().flatten().collect()
    }
}

/// Requests of the protocol, while it handles something that happens now.
struct Requests<'a, 'k, 'j, N: NetworkModel> {
    kernel: &'k mut Kernel<'j, N>,
    parts: &'a mut Parts,
    /// RPCs that the protocol sends do not leave before: the CPU of their call works until then.
    leave: Time,
}

impl<'a, 'k, 'j, N: NetworkModel> Requests<'a, 'k, 'j, N> {
    fn new(kernel: &'k mut Kernel<'j, N>, parts: &'a mut Parts) -> Self {
        let leave = kernel.now;
        Requests { kernel, parts, leave }
    }
}

impl<N: NetworkModel> Sink for Requests<'_, '_, '_, N> {
    fn send(&mut self, rpc: Rpc) -> RpcId {
        let nowhere = InterfaceId(u32::MAX);
        let state = RpcState { rpc, from: nowhere, to: nowhere, parts: 0 };
        let id = self.parts.rpcs.insert(state);
        self.parts.operations[usize::from(rpc.operation)] += 1;
        self.parts.after(self.kernel, self.leave, (DEPART, id.0), Effect::Depart(id));
        id
    }

    fn reply(&mut self, rpc: RpcId) {
        self.parts.effects.push_back(Effect::Reply(rpc));
    }

    fn occupy(&mut self, call: CallId, span: Span) {
        let pending = &mut self.parts.calls[call];
        pending.busy_until = self.kernel.occupy_cpu(pending.rank, span);
        self.leave = pending.busy_until;
    }

    fn complete(&mut self, call: CallId, error: i32) {
        let pending = &mut self.parts.calls[call];
        pending.error = error;
        let when = pending.busy_until;
        self.parts.after(self.kernel, when, (COMPLETE, call.0), Effect::Complete(call));
    }

    fn timer(&mut self, span: Span, token: u32) {
        let when = self.kernel.now + span.max(Span(1));
        self.kernel.push_endpoint(self.parts.endpoint + 1, when, token);
    }
}
