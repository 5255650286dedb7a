//! LNet: credits of interfaces, buffers of routers, streams of sockets, and the network beyond
//! gateways. See docs/models/lnet.md.
//!
//! A message takes one hop, or two with a gateway between. On each hop it holds a credit of its
//! sender's interface and one of that interface for the next peer, from its departure until the
//! peer has accepted it. A gateway accepts a message when it has a free buffer of its size.

use std::collections::{BTreeMap, VecDeque};

use base::{Gap, IndexVec, Span, Time};
use machine::storage::Driver;

base::ids! {
    /// A network interface of a client, a server or a gateway.
    InterfaceId,
    /// A message in flight.
    TransferId,
}

/// Longest message, bytes (`LNET_MTU`, lustre/include/uapi/linux/lnet/lnet-types.h).
pub const MAX_MESSAGE: u64 = 1 << 20;
/// Header of a message, bytes (`struct lnet_hdr`, lustre/include/uapi/linux/lnet/lnet-idl.h).
pub const HEADER: u64 = 72;

/// Limits of an LNet driver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DriverLimits {
    /// Messages in flight of an interface, and from it to one peer.
    pub credits: u32,
    pub peer_credits: u32,
    /// Sockets: streams per peer, and the inverse of the rate of one.
    pub streams: Option<(u32, Gap)>,
    /// Whether the receiver of a request for data reads them without the CPU of the other side.
    pub has_rdma: bool,
}

impl DriverLimits {
    /// Defaults of Lustre 2.17: 256 and 8 (lnet/include/lnet/lib-lnet.h), kfilnd 512 and 16,
    /// o2iblnd 512 and 8. socklnd opens ilog2(Gb/s) / 2 + 1 = 4 connections per peer at 200 Gb/s
    /// (lnet/klnds/socklnd/socklnd_modparams.c). 4 GB/s per stream is an [estimate].
    pub fn of(driver: Driver) -> DriverLimits {
        let (credits, peer_credits) = match driver {
            Driver::Kfi => (512, 16),
            Driver::Tcp => (256, 8),
            Driver::O2ib => (512, 8),
        };
        let is_tcp = driver == Driver::Tcp;
        let streams = is_tcp.then(|| (4, Gap::from_bytes_per_s(4e9)));
        DriverLimits { credits, peer_credits, streams, has_rdma: !is_tcp }
    }
}

/// Messages up to this size do not wait for a stream of bulk data: socklnd's `min_bulk`, bytes.
const MIN_BULK: u64 = 1 << 10;

/// Messages of an interface to one peer.
#[derive(Default)]
struct Peer {
    in_flight: u32,
    waiting: VecDeque<TransferId>,
    /// Time at which each stream has carried all its messages.
    streams: Vec<Time>,
}

struct Interface {
    limits: DriverLimits,
    /// Credits that are not in use.
    free: u32,
    /// Messages that have a credit for their peer, and none of the interface.
    waiting: VecDeque<TransferId>,
    /// By number of the other interface.
    peers: BTreeMap<u32, Peer>,
}

/// The interfaces that hold credits.
#[derive(Default)]
pub struct Credits {
    interfaces: IndexVec<InterfaceId, Interface>,
}

impl Credits {
    /// Adds an interface; they are numbered from 0.
    pub fn add(&mut self, limits: DriverLimits) -> InterfaceId {
        let free = limits.credits;
        let (waiting, peers) = (VecDeque::new(), BTreeMap::new());
        self.interfaces.push(Interface { limits, free, waiting, peers })
    }

    /// A message is ready to leave. Returns whether it may; otherwise it waits.
    pub fn acquire(&mut self, from: InterfaceId, to: InterfaceId, message: TransferId) -> bool {
        let interface = &mut self.interfaces[from];
        let peer = interface.peers.entry(to.0).or_default();
        if peer.in_flight == interface.limits.peer_credits {
            peer.waiting.push_back(message);
            return false;
        }
        peer.in_flight += 1;
        if interface.free == 0 {
            interface.waiting.push_back(message);
            return false;
        }
        interface.free -= 1;
        true
    }

    /// The peer has accepted a message. Returns a message that may leave now.
    pub fn release(&mut self, from: InterfaceId, to: InterfaceId) -> Option<TransferId> {
        let interface = &mut self.interfaces[from];
        let peer = interface.peers.get_mut(&to.0).expect("it sent a message to this peer");
        peer.in_flight -= 1;
        interface.free += 1;
        if let Some(next) = peer.waiting.pop_front() {
            peer.in_flight += 1;
            interface.waiting.push_back(next);
        }
        let next = interface.waiting.pop_front();
        interface.free -= u32::from(next.is_some());
        next
    }

    /// Time at which a stream has carried the message that it starts with now, or later.
    pub fn stream(&mut self, from: InterfaceId, to: InterfaceId, bytes: u64, now: Time) -> Time {
        let interface = &mut self.interfaces[from];
        let Some((streams, gap)) = interface.limits.streams.filter(|_| bytes > MIN_BULK) else {
            return now;
        };
        let peer = interface.peers.get_mut(&to.0).expect("the message has its credit");
        peer.streams.resize(streams as usize, Time::ZERO);
        let next = peer.streams.iter_mut().min().expect("a peer has a stream");
        *next = now.max(*next) + gap.span(bytes);
        *next
    }
}

/// Buffers of one router, by size of message. Numbers of Lustre 2.17 for a router with default
/// parameters (lnet/lnet/router.c).
#[derive(Default)]
pub struct Router {
    used: [u32; 3],
    waiting: [VecDeque<TransferId>; 3],
}

/// Largest message of each class of buffers, bytes, and number of buffers.
const BUFFERS: [(u64, u32); 3] = [(0, 2048), (4096, 16_384), (MAX_MESSAGE, 1024)];

impl Router {
    fn class(bytes: u64) -> usize {
        let class = BUFFERS.iter().position(|class| bytes <= class.0);
        class.unwrap_or_else(|| panic!("a message of {bytes} B is longer than LNet's"))
    }

    /// A message has arrived. Returns whether it gets a buffer; otherwise it waits.
    pub fn accept(&mut self, bytes: u64, message: TransferId) -> bool {
        let class = Router::class(bytes);
        let is_free = self.used[class] < BUFFERS[class].1;
        if is_free {
            self.used[class] += 1;
        } else {
            self.waiting[class].push_back(message);
        }
        is_free
    }

    /// A message has left its buffer. Returns the message that gets it.
    pub fn forwarded(&mut self, bytes: u64) -> Option<TransferId> {
        let class = Router::class(bytes);
        let next = self.waiting[class].pop_front();
        self.used[class] -= u32::from(next.is_none());
        next
    }
}

/// A port on the network beyond gateways, in both directions.
#[derive(Clone, Copy)]
pub struct Port {
    pub gap: Gap,
    out_free: Time,
    in_free: Time,
}

impl Port {
    pub fn new(gap: Gap) -> Port {
        Port { gap, out_free: Time::ZERO, in_free: Time::ZERO }
    }
    /// A message leaves. Returns when its first and its last byte leave.
    pub fn send(&mut self, bytes: u64, now: Time) -> (Time, Time) {
        let start = now.max(self.out_free);
        self.out_free = start + self.gap.span(bytes);
        (start, self.out_free)
    }
    /// The first byte of a message arrives now, and its last byte not before `tail`. Returns when
    /// it has been received.
    pub fn receive(&mut self, bytes: u64, now: Time, tail: Time) -> Time {
        self.in_free = now.max(self.in_free) + self.gap.span(bytes);
        self.in_free = self.in_free.max(tail);
        self.in_free
    }
}

/// The network beyond gateways.
pub struct Beyond {
    /// By number of the interface; those on the fabric have none.
    pub ports: Vec<Option<Port>>,
    pub latency: Span,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(credits: u32, peer_credits: u32) -> DriverLimits {
        let streams = Some((2, Gap::from_bytes_per_s(1e9)));
        DriverLimits { credits, peer_credits, streams, has_rdma: false }
    }

    /// Messages to a peer without credits wait in order, and do not block those to other peers.
    #[test]
    fn credits_limit_messages_per_peer_and_per_interface() {
        let mut credits = Credits::default();
        let [a, b, c] = [(); 3].map(|()| credits.add(limits(3, 2)));
        let message = |n| TransferId(n);
        let left = |credits: &mut Credits, to, n| credits.acquire(a, to, message(n));
        assert!(left(&mut credits, b, 0) && left(&mut credits, b, 1));
        assert!(!left(&mut credits, b, 2), "two credits per peer");
        assert!(left(&mut credits, c, 3));
        assert!(!left(&mut credits, c, 4), "three credits of the interface");
        // Message 4 waits for the interface, message 2 for its peer.
        assert_eq!(credits.release(a, b), Some(message(4)));
        assert_eq!(credits.release(a, c), Some(message(2)));
        assert_eq!([(a, b), (a, b), (a, c)].map(|(from, to)| credits.release(from, to)), [None; 3]);
    }

    #[test]
    fn bulk_data_shares_the_streams_of_its_peer() {
        let mut credits = Credits::default();
        let [a, b] = [(); 2].map(|()| credits.add(limits(8, 8)));
        (0..3).for_each(|n| assert!(credits.acquire(a, b, TransferId(n))));
        let ends = [0, 1, 2].map(|_| credits.stream(a, b, 1_000_000, Time::ZERO));
        assert_eq!(ends, [Span::us(1000), Span::us(1000), Span::us(2000)].map(|s| Time::ZERO + s));
        assert_eq!(credits.stream(a, b, 1024, Time(5)), Time(5));
    }

    #[test]
    fn a_router_without_buffers_holds_messages_of_their_size_only() {
        let mut router = Router::default();
        (0..1024).for_each(|n| assert!(router.accept(MAX_MESSAGE, TransferId(n))));
        assert!(!router.accept(4097, TransferId(1024)));
        assert!(router.accept(4096, TransferId(1025)) && router.accept(0, TransferId(1026)));
        assert_eq!(router.forwarded(MAX_MESSAGE), Some(TransferId(1024)));
        assert_eq!(router.forwarded(4097), None);
        assert!(router.accept(MAX_MESSAGE, TransferId(1)));
    }

    /// A fast port and a slow one: the message takes the time of the slow one.
    #[test]
    fn the_slower_port_paces_a_message() {
        let latency = Span::us(1);
        for (sender, receiver) in [(1e9, 4e9), (4e9, 1e9)] {
            let mut from = Port::new(Gap::from_bytes_per_s(sender));
            let mut to = Port::new(Gap::from_bytes_per_s(receiver));
            let arrivals = [0, 1].map(|_| {
                let (head, tail) = from.send(1_000_000, Time::ZERO);
                to.receive(1_000_000, head + latency, tail + latency)
            });
            let expected = [1001, 2001].map(|us| Time::ZERO + Span::us(us));
            assert_eq!(arrivals, expected, "{sender} to {receiver} B/s");
        }
    }
}
