//! LNet: credits of interfaces, buffers of routers, streams of sockets, and the network beyond
//! gateways. See docs/models/lnet.md.
//!
//! A message takes one hop, or two with a gateway between. On each hop it holds a credit of its
//! sender's interface and one of that interface for the next peer, from its departure until the
//! peer has accepted it. A gateway accepts a message when it has a free buffer of its size.

use std::collections::{BTreeMap, VecDeque};

use base::{Gap, IndexVec, Span, Time};
use machine::storage::{InterfaceLimits, RouterLimits, Streams};

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

/// Messages of an interface to one peer.
#[derive(Default)]
struct Peer {
    in_flight: u32,
    waiting: VecDeque<TransferId>,
    /// Time at which each stream has carried all its messages.
    streams: Vec<Time>,
}

struct Interface {
    limits: InterfaceLimits,
    /// Connections per peer, if it is one of sockets.
    streams: Option<Streams>,
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
    pub fn add(&mut self, limits: InterfaceLimits, streams: Option<Streams>) -> InterfaceId {
        let free = limits.credits;
        let (waiting, peers) = (VecDeque::new(), BTreeMap::new());
        self.interfaces.push(Interface { limits, streams, free, waiting, peers })
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
        let Some(streams) = interface.streams.filter(|streams| bytes > streams.min_bulk) else {
            return now;
        };
        let peer = interface.peers.get_mut(&to.0).expect("the message has its credit");
        peer.streams.resize(streams.count as usize, Time::ZERO);
        let next = peer.streams.iter_mut().min().expect("a peer has a stream");
        *next = now.max(*next) + streams.gap.span(bytes);
        *next
    }
}

/// Buffers of one router, by size of message. A message needs a credit of its peer, and then a
/// buffer (`lnet_post_routed_recv_locked`, lnet/lnet/lib-move.c).
pub struct Router {
    limits: RouterLimits,
    used: [u32; 3],
    /// Messages that have a credit of their peer, and no buffer.
    waiting: [VecDeque<TransferId>; 3],
    /// By number of the interface that sent to the router.
    peers: BTreeMap<u32, RouterPeer>,
}

/// A peer of a router.
#[derive(Default)]
struct RouterPeer {
    /// Buffers that it may not exceed.
    used: u32,
    /// Messages and their bytes.
    waiting: VecDeque<(TransferId, u64)>,
}

/// Largest message of each class of buffers, bytes (lnet/lnet/router.c).
const BUFFER_SIZES: [u64; 3] = [0, 4096, MAX_MESSAGE];

/// Sides of a router.
#[derive(Clone, Copy, Debug)]
pub enum Side {
    Fabric,
    Beyond,
}

impl Router {
    pub fn new(limits: RouterLimits) -> Router {
        let (used, waiting, peers) = ([0; 3], Default::default(), BTreeMap::new());
        Router { limits, used, waiting, peers }
    }

    fn class(bytes: u64) -> usize {
        let class = BUFFER_SIZES.iter().position(|&most| bytes <= most);
        class.unwrap_or_else(|| panic!("a message of {bytes} B is longer than LNet's"))
    }

    /// A message has arrived from a peer. Returns whether it gets a buffer; otherwise it waits.
    pub fn accept(
        &mut self,
        (peer, side): (InterfaceId, Side),
        bytes: u64,
        message: TransferId,
    ) -> bool {
        let peer = self.peers.entry(peer.0).or_default();
        if peer.used == self.limits.per_peer[side as usize] {
            peer.waiting.push_back((message, bytes));
            return false;
        }
        peer.used += 1;
        self.take_buffer(bytes, message)
    }

    fn take_buffer(&mut self, bytes: u64, message: TransferId) -> bool {
        let class = Router::class(bytes);
        let is_free = self.used[class] < self.limits.buffers[class];
        if is_free {
            self.used[class] += 1;
        } else {
            self.waiting[class].push_back(message);
        }
        is_free
    }

    /// A message of a peer has left its buffer. Returns the messages that get one.
    pub fn forwarded(&mut self, peer: InterfaceId, bytes: u64) -> [Option<TransferId>; 2] {
        let class = Router::class(bytes);
        let first = self.waiting[class].pop_front();
        self.used[class] -= u32::from(first.is_none());
        let peer = self.peers.get_mut(&peer.0).expect("it sent a message");
        let second = peer.waiting.pop_front();
        peer.used -= u32::from(second.is_none());
        let second = second.filter(|&(message, bytes)| self.take_buffer(bytes, message));
        [first, second.map(|(message, _)| message)]
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

    fn streams() -> Option<Streams> {
        Some(Streams { count: 2, gap: Gap::from_bytes_per_s(1e9), min_bulk: 1024 })
    }

    fn limits(credits: u32, peer_credits: u32) -> InterfaceLimits {
        InterfaceLimits { credits, peer_credits }
    }

    /// Messages to a peer without credits wait in order, and do not block those to other peers.
    #[test]
    fn credits_limit_messages_per_peer_and_per_interface() {
        let mut credits = Credits::default();
        let [a, b, c] = [(); 3].map(|()| credits.add(limits(3, 2), None));
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
        let [a, b] = [(); 2].map(|()| credits.add(limits(8, 8), streams()));
        (0..3).for_each(|n| assert!(credits.acquire(a, b, TransferId(n))));
        let ends = [0, 1, 2].map(|_| credits.stream(a, b, 1_000_000, Time::ZERO));
        assert_eq!(ends, [Span::us(1000), Span::us(1000), Span::us(2000)].map(|s| Time::ZERO + s));
        assert_eq!(credits.stream(a, b, 1024, Time(5)), Time(5));
    }

    #[test]
    fn a_router_without_buffers_holds_messages_of_their_size_only() {
        let limits = RouterLimits { buffers: [1, 1, 2], per_peer: [9, 9] };
        let (mut router, peer) = (Router::new(limits), InterfaceId(7));
        let mut accept = |bytes, n| router.accept((peer, Side::Fabric), bytes, TransferId(n));
        assert!(accept(MAX_MESSAGE, 0) && accept(MAX_MESSAGE, 1));
        assert!(!accept(4097, 2));
        assert!(accept(4096, 3) && accept(0, 4));
        assert_eq!(router.forwarded(peer, MAX_MESSAGE), [Some(TransferId(2)), None]);
        assert_eq!(router.forwarded(peer, 4097), [None, None]);
        assert!(router.accept((peer, Side::Fabric), MAX_MESSAGE, TransferId(5)));
    }

    /// A peer with all its buffers waits, while another gets one.
    #[test]
    fn a_peer_holds_its_share_of_a_router() {
        let limits = RouterLimits { buffers: [9, 1, 2], per_peer: [1, 2] };
        let mut router = Router::new(limits);
        let [near, other, far] = [0, 1, 2].map(InterfaceId);
        let mut accept = |peer, bytes, n| router.accept(peer, bytes, TransferId(n));
        assert!(accept((near, Side::Fabric), 4097, 0));
        assert!(!accept((near, Side::Fabric), 1, 1), "one buffer per peer on the fabric");
        assert!(accept((far, Side::Beyond), 1, 2));
        assert!(accept((other, Side::Fabric), 4097, 3));
        assert!(!accept((far, Side::Beyond), 4097, 4), "all large buffers are used");
        // Message 4 gets the buffer. Message 1 gets the credit of its peer, and no small buffer.
        assert_eq!(router.forwarded(near, 4097), [Some(TransferId(4)), None]);
        assert_eq!(router.forwarded(far, 1), [Some(TransferId(1)), None]);
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
