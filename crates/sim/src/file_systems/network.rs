//! Messages of RPCs: through the fabric, and through LNet and its gateways.

use std::collections::VecDeque;

use base::{Idx, IndexVec, Slab, Span, Time, draw};
use machine::NicId;
use machine::storage::{Access, Driver, FileSystem, InterfaceLimits, LnetParams, Streams};
use net::{Completion, Message, NetworkModel, Origin};
use storage::RpcId;

use super::lnet::{Beyond, Credits, HEADER, InterfaceId, Port, Router, Side, TransferId};
use crate::endpoints::EndpointEvent;
use crate::event::MessageOwner;
use crate::kernel::Kernel;

/// What a message is to its RPC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    Request,
    Reply,
    /// Bulk data.
    Data,
    /// Requests that many bytes of bulk data, which its receiver then sends.
    Fetch(u64),
}

/// A message to be sent.
#[derive(Clone, Copy, Debug)]
pub struct Parcel {
    pub rpc: RpcId,
    pub part: Part,
    pub from: InterfaceId,
    pub to: InterfaceId,
    pub bytes: u64,
    /// Whether its packets keep their order.
    pub in_order: bool,
    /// The receiver of the data fetches them from `to`, or their sender learns of their arrival.
    pub completion: Completion,
}

#[derive(Clone, Copy)]
struct Transfer {
    parcel: Parcel,
    /// With a gateway: the interface that receives from the sender, and the one that forwards.
    gateway: Option<(InterfaceId, InterfaceId)>,
    /// Whether the gateway has forwarded it.
    is_forwarded: bool,
    /// When it began to wait for a credit or a buffer.
    since: Time,
    /// Sockets: it does not arrive before. Beyond gateways: when its last byte can arrive.
    earliest: Time,
}

/// Tokens of events of a message on the network beyond gateways, or at its end.
const HEAD: u32 = 0;
const ARRIVED: u32 = 1;

/// Bytes and messages of one interface.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct InterfaceLoad {
    pub bytes_in: u64,
    pub bytes_out: u64,
    pub messages: u64,
}

/// What the kernel calls the endpoints of a file system, and how their messages travel.
#[derive(Clone, Copy)]
pub struct Endpoints {
    /// The endpoint of events.
    pub events: u32,
    /// That of the first message, and the distance of the next one: endpoints of the file systems
    /// alternate.
    pub first_message: u32,
    pub stride: u32,
    pub vnet: u8,
}

/// Random stream of the draws of messages.
const STREAM: u32 = 0x6669_6c65;

pub struct Network {
    /// As in `Endpoints`.
    first: u32,
    stride: u32,
    /// Virtual network of its traffic class.
    vnet: u8,
    /// Messages that have entered the fabric, which index the draws of routes.
    sent: u64,
    transfers: Slab<TransferId, Transfer>,
    /// By interface: its NIC on the fabric.
    nics: IndexVec<InterfaceId, Option<NicId>>,
    loads: IndexVec<InterfaceId, InterfaceLoad>,
    /// By NIC of the fabric: its interface plus 1.
    interface_of: IndexVec<NicId, u32>,
    driver: Driver,
    /// `None` for DAOS, whose messages do not pass LNet.
    lnet: Option<(LnetParams, Credits)>,
    routers: Vec<Router>,
    beyond: Option<Beyond>,
    /// Gateways: first interface on the fabric, first one beyond, their number, and the number of
    /// each gateway. Messages take them in turn.
    gateways: Gateways,
    next_gateway: Vec<u32>,
    /// Messages that may leave, or have arrived, because of another one's progress.
    ready: VecDeque<TransferId>,
    pub credit_waiting: Span,
    pub buffer_waiting: Span,
}

#[derive(Clone, Copy, Default)]
struct Gateways {
    fabric: u32,
    beyond: u32,
    count: u32,
    per_router: u32,
}

impl Network {
    /// Interfaces of servers are the first: those of the ports of host 0, then of host 1.
    pub fn new(system: &FileSystem, n_nics: usize, endpoints: Endpoints) -> Network {
        let mut network = Network {
            first: endpoints.first_message,
            stride: endpoints.stride,
            vnet: endpoints.vnet,
            sent: 0,
            transfers: Slab::with_capacity(0),
            nics: IndexVec::new(),
            loads: IndexVec::new(),
            interface_of: IndexVec::sparse_zeros(n_nics),
            driver: system.driver,
            lnet: system.lnet.map(|params| (params, Credits::default())),
            routers: Vec::new(),
            beyond: None,
            gateways: Gateways::default(),
            next_gateway: Vec::new(),
            ready: VecDeque::new(),
            credit_waiting: Span::ZERO,
            buffer_waiting: Span::ZERO,
        };
        match &system.network {
            Access::Direct => {
                let nics = system.hosts.iter().flat_map(|host| &host.nics);
                nics.for_each(|&nic| {
                    network.interface(nic);
                });
            }
            Access::Routed { .. } => network.add_gateways(system),
        }
        network
    }

    fn add_gateways(&mut self, system: &FileSystem) {
        let Access::Routed { gateways, nics_per_gateway, gap, host_gap, latency } = &system.network
        else {
            unreachable!("the file system has gateways")
        };
        let LnetParams { gateway, router, beyond, streams, .. } =
            system.lnet.expect("file systems behind gateways use LNet");
        let mut ports = Vec::new();
        for _ in 0..system.hosts.iter().map(|host| host.ports_beyond).sum() {
            self.add(None, beyond, None);
            ports.push(Some(Port::new(*host_gap)));
        }
        let fabric = self.nics.len() as u32;
        gateways.iter().for_each(|&nic| {
            self.add(Some(nic), gateway, streams);
            ports.push(None);
        });
        let first_beyond = self.nics.len() as u32;
        gateways.iter().for_each(|_| {
            self.add(None, beyond, None);
            ports.push(Some(Port::new(*gap)));
        });
        let count = gateways.len() as u32;
        let per_router = *nics_per_gateway;
        self.routers.resize_with(count.div_ceil(per_router) as usize, || Router::new(router));
        self.gateways = Gateways { fabric, beyond: first_beyond, count, per_router };
        self.beyond = Some(Beyond { ports, latency: *latency });
    }

    fn add(
        &mut self,
        nic: Option<NicId>,
        limits: InterfaceLimits,
        streams: Option<Streams>,
    ) -> InterfaceId {
        if let Some((_, credits)) = &mut self.lnet {
            credits.add(limits, streams);
        }
        self.loads.push(InterfaceLoad::default());
        self.next_gateway.push(self.nics.len() as u32);
        let id = self.nics.push(nic);
        if let Some(nic) = nic {
            self.interface_of[nic] = id.0 + 1;
        }
        id
    }

    /// The interface of a NIC of a client, or of a server on the fabric.
    pub fn interface(&mut self, nic: NicId) -> InterfaceId {
        const NONE: InterfaceLimits = InterfaceLimits { credits: 0, peer_credits: 0 };
        let lnet = self.lnet.as_ref().map(|(lnet, _)| (lnet.fabric, lnet.streams));
        let (limits, streams) = lnet.unwrap_or((NONE, None));
        match self.interface_of[nic] {
            0 => self.add(Some(nic), limits, streams),
            number => InterfaceId(number - 1),
        }
    }

    /// Whether data is cut into LNet's messages.
    pub fn has_lnet(&self) -> bool {
        self.lnet.is_some()
    }

    /// Whether data is moved by NICs, without the CPU of the other side.
    pub fn has_rdma(&self) -> bool {
        self.gateways.count == 0 && self.driver != Driver::Tcp
    }

    /// Largest number of messages at one time.
    pub fn peak(&self) -> usize {
        self.transfers.peak()
    }

    pub fn load(&self, of: InterfaceId) -> InterfaceLoad {
        self.loads[of]
    }

    /// Messages, bytes toward servers and bytes toward clients of each gateway port.
    pub fn gateway_loads(&self) -> Vec<(u64, u64, u64)> {
        let Gateways { beyond, count, .. } = self.gateways;
        let load = |at: u32| {
            let load = self.loads[InterfaceId(beyond + at)];
            (load.messages, load.bytes_out, load.bytes_in)
        };
        (0..count).map(load).collect()
    }

    /// Whether the interface is beyond the gateways.
    fn is_beyond(&self, interface: InterfaceId) -> bool {
        self.nics[interface].is_none()
    }

    /// Sends a message, or queues it at its interface.
    pub fn send<N: NetworkModel>(&mut self, kernel: &mut Kernel<'_, N>, parcel: Parcel) {
        let (from, to) = (parcel.from, parcel.to);
        let gateway = (self.is_beyond(from) != self.is_beyond(to)).then(|| self.choose(from));
        let now = kernel.now;
        let (is_forwarded, since, earliest) = (false, now, now);
        let transfer = Transfer { parcel, gateway, is_forwarded, since, earliest };
        let id = self.transfers.insert(transfer);
        let moved = parcel.bytes + parcel.completion.response_bytes();
        let (out, into) = match parcel.completion {
            Completion::Initiator(back) if back > 0 => (to, from),
            _ => (from, to),
        };
        self.loads[out].bytes_out += moved;
        self.loads[into].bytes_in += moved;
        self.loads[from].messages += 1;
        self.leave(kernel, id);
        self.advance_ready(kernel);
    }

    /// The next gateway of the interface's messages.
    fn choose(&mut self, from: InterfaceId) -> (InterfaceId, InterfaceId) {
        let Gateways { fabric, beyond, count, .. } = self.gateways;
        let next = &mut self.next_gateway[from.idx()];
        let at = *next % count;
        *next = at + 1;
        let (fabric, beyond) = (InterfaceId(fabric + at), InterfaceId(beyond + at));
        if self.nics[from].is_none() { (beyond, fabric) } else { (fabric, beyond) }
    }

    /// Sender and receiver of the present hop.
    fn hop(&self, id: TransferId) -> (InterfaceId, InterfaceId) {
        let Transfer { parcel, gateway, is_forwarded, .. } = self.transfers[id];
        match (gateway, is_forwarded) {
            (None, _) => (parcel.from, parcel.to),
            (Some((receiver, _)), false) => (parcel.from, receiver),
            (Some((_, sender)), true) => (sender, parcel.to),
        }
    }

    /// A hop begins: the message leaves, or waits for credits.
    fn leave<N: NetworkModel>(&mut self, kernel: &mut Kernel<'_, N>, id: TransferId) {
        let (from, to) = self.hop(id);
        self.transfers[id].since = kernel.now;
        if self.lnet.as_mut().is_none_or(|(_, credits)| credits.acquire(from, to, id)) {
            self.depart(kernel, id);
        }
    }

    /// The message has its credits.
    fn depart<N: NetworkModel>(&mut self, kernel: &mut Kernel<'_, N>, id: TransferId) {
        let now = kernel.now;
        let (from, to) = self.hop(id);
        let transfer = &mut self.transfers[id];
        let Parcel { bytes, in_order, completion, .. } = transfer.parcel;
        self.credit_waiting += now - transfer.since;
        transfer.earliest = match &mut self.lnet {
            Some((_, credits)) => credits.stream(from, to, bytes, now),
            None => now,
        };
        match (self.nics[from], self.nics[to]) {
            // Within one NIC no network is used.
            (Some(src), Some(dst)) if src == dst => {
                let when = self.transfers[id].earliest;
                self.schedule(kernel, id, when, ARRIVED);
            }
            (Some(src), Some(dst)) => {
                self.sent += 1;
                let draw = draw(kernel.job.seed, STREAM, src.0, self.sent);
                let (origin, vnet) = (Origin::Host, self.vnet);
                let handling = Span::ZERO;
                let message =
                    Message { src, dst, bytes, origin, vnet, completion, draw, in_order, handling };
                let endpoint = self.first + id.0 * self.stride;
                kernel.inject(MessageOwner::Endpoint(endpoint), message);
            }
            _ => {
                let beyond = self.beyond.as_mut().expect("one end is beyond gateways");
                let port = beyond.ports[from.idx()].as_mut().expect("a port beyond");
                let (head, tail) = port.send(bytes, now);
                self.transfers[id].earliest = tail + beyond.latency;
                let when = head + beyond.latency;
                self.schedule(kernel, id, when, HEAD);
            }
        }
    }

    fn schedule<N: NetworkModel>(
        &self,
        kernel: &mut Kernel<'_, N>,
        id: TransferId,
        when: Time,
        token: u32,
    ) {
        let when = when.max(kernel.now + Span(1));
        kernel.push_endpoint(self.first + id.0 * self.stride, when, token);
    }

    /// An event of a message. Returns the message if it has arrived at its destination.
    pub fn handle<N: NetworkModel>(
        &mut self,
        kernel: &mut Kernel<'_, N>,
        id: u32,
        event: EndpointEvent,
    ) -> Option<Parcel> {
        let id = TransferId(id);
        let arrived = match event {
            EndpointEvent::Timer(HEAD) => {
                let (_, to) = self.hop(id);
                let Transfer { parcel, earliest, .. } = self.transfers[id];
                let beyond = self.beyond.as_mut().expect("it is beyond gateways");
                let port = beyond.ports[to.idx()].as_mut().expect("a port beyond");
                let when = port.receive(parcel.bytes, kernel.now, earliest);
                self.schedule(kernel, id, when, ARRIVED);
                None
            }
            EndpointEvent::Arrived if self.transfers[id].earliest > kernel.now => {
                // A stream still carries it.
                self.schedule(kernel, id, self.transfers[id].earliest, ARRIVED);
                None
            }
            EndpointEvent::Timer(_) | EndpointEvent::Arrived => self.arrive(kernel, id),
            EndpointEvent::Failed => unreachable!("a failed message ends the run"),
        };
        self.advance_ready(kernel);
        arrived
    }

    /// The message has arrived at the end of a hop.
    fn arrive<N: NetworkModel>(
        &mut self,
        kernel: &mut Kernel<'_, N>,
        id: TransferId,
    ) -> Option<Parcel> {
        let Transfer { parcel, gateway, is_forwarded, .. } = self.transfers[id];
        if let (Some((receiver, _)), false) = (gateway, is_forwarded) {
            self.transfers[id].since = kernel.now;
            let router = self.router(receiver);
            let side = if self.is_beyond(receiver) { Side::Beyond } else { Side::Fabric };
            if self.routers[router].accept((parcel.from, side), payload(parcel.bytes), id) {
                self.forward(kernel, id);
            }
            return None;
        }
        self.release(id);
        if let Some((_, sender)) = gateway {
            let router = self.router(sender);
            let next = self.routers[router].forwarded(parcel.from, payload(parcel.bytes));
            next.into_iter().flatten().for_each(|next| self.forward(kernel, next));
        }
        self.transfers.free(id);
        Some(parcel)
    }

    /// A gateway has a buffer for the message: it accepts it and starts the second hop.
    fn forward<N: NetworkModel>(&mut self, kernel: &mut Kernel<'_, N>, id: TransferId) {
        self.release(id);
        let transfer = &mut self.transfers[id];
        self.buffer_waiting += kernel.now - transfer.since;
        transfer.is_forwarded = true;
        let bytes = transfer.parcel.bytes;
        let (receiver, sender) = transfer.gateway.expect("it is at a gateway");
        // Loads of gateways are those of their ports beyond.
        let (into, out) = (self.is_beyond(receiver), self.is_beyond(sender));
        self.loads[receiver].bytes_in += if into { bytes } else { 0 };
        self.loads[sender].bytes_out += if out { bytes } else { 0 };
        let port = if into { receiver } else { sender };
        self.loads[port].messages += 1;
        self.leave(kernel, id);
    }

    /// The router of a gateway's interface.
    fn router(&self, interface: InterfaceId) -> usize {
        let Gateways { fabric, beyond, per_router, .. } = self.gateways;
        let first = if self.is_beyond(interface) { beyond } else { fabric };
        ((interface.0 - first) / per_router) as usize
    }

    /// The credits of the present hop return. Another message may leave.
    fn release(&mut self, id: TransferId) {
        let (from, to) = self.hop(id);
        if let Some((_, credits)) = &mut self.lnet {
            self.ready.extend(credits.release(from, to));
        }
    }

    fn advance_ready<N: NetworkModel>(&mut self, kernel: &mut Kernel<'_, N>) {
        while let Some(next) = self.ready.pop_front() {
            self.depart(kernel, next);
        }
    }

    /// Bulk data of a message.
    pub fn data_bytes(&self, parcel: &Parcel) -> u64 {
        match parcel.completion {
            Completion::Initiator(back) if back > 0 => back,
            Completion::Initiator(_) => parcel.bytes,
            _ => parcel.bytes - self.with_header(0),
        }
    }

    /// Bytes of a message that is not moved by RDMA.
    pub fn with_header(&self, bytes: u64) -> u64 {
        if self.has_lnet() { bytes + HEADER } else { bytes }
    }
}

/// Bytes that need a buffer of a router, beside the header.
fn payload(bytes: u64) -> u64 {
    bytes.saturating_sub(HEADER)
}
