//! Layer 3: the interface that every network model implements, at any fidelity.
//!
//! `Cx` holds everything a model may use while it handles an event: the time, the machine, the
//! event queue, the list of completed messages, and the counters.

use base::{Span, Time};
use des::{EventCode, Item, PREFETCH_BLOCK, Phase, Queue, Units};
use machine::{Folding, LinkId, Machine, NicId, NicParams};

mod counters;
mod packetization;
mod partition;
mod undeliverable;

pub use counters::{CongestionCounters, Counters, LinkTraffic, NicCounters};
pub use machine::faults::LostAt;
pub use packetization::Packetization;
pub use partition::{MAX_SHARDS, Partition};
pub use undeliverable::{LostId, Undeliverable};

base::ids! {
    /// A message in the network. The sender chooses the id, which need not be unique. The model
    /// returns it on completion, and the sender queries a failure before it does anything else.
    MsgId,
}

/// The issuer of a message. It decides whether the NIC first has to fetch the data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// A CPU. Data beyond the immediate limit cost a DMA read.
    Host,
    /// The NIC itself, for the data of a rendezvous get. Its DMA read replaces the host's command.
    Nic,
    /// The NIC itself, as an immediate response to another NIC. It adds no command latency before
    /// the head and no receive latency after the tail; the request it answers has accounted for
    /// both.
    Response,
}

impl Origin {
    /// Time until the first packet of `bytes` is in the sending NIC. Zero for responses, whose data
    /// are already there.
    #[inline]
    pub fn fetch(self, bytes: u64, nic: &NicParams) -> Span {
        match self {
            Origin::Host if bytes > nic.immediate_max => nic.fetch(bytes),
            Origin::Nic => nic.stage_first(bytes),
            Origin::Host | Origin::Response => Span::ZERO,
        }
    }
}

/// Where and when the completion of a message is reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Completion {
    /// At the target, when all data have arrived.
    Target,
    /// At the initiator, when the target's NIC has answered all packets with this many bytes of
    /// data in total (0 for a put, the size of a get). Only for networks whose NICs send responses
    /// (`NicParams::response`).
    Initiator(u64),
}

impl Completion {
    /// Bytes of data that the responses carry.
    #[inline]
    pub fn response_bytes(self) -> u64 {
        match self {
            Completion::Target => 0,
            Completion::Initiator(bytes) => bytes,
        }
    }
}

/// A transfer from one NIC to another; `src != dst`. Zero bytes are one packet of headers.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    pub src: NicId,
    pub dst: NicId,
    pub bytes: u64,
    pub origin: Origin,
    /// Virtual network, below `Machine::n_vnets`.
    pub vnet: u8,
    pub completion: Completion,
    /// Random number of the message, from which the draws of its packets are derived.
    pub draw: u64,
    /// Packets of ordered messages between the same two NICs on the same virtual network arrive in
    /// the order in which they were sent, where switches keep flows (`Machine::keeps_flows`).
    pub in_order: bool,
    /// Time that the message occupies the receiver's host interface in addition to the time of its
    /// bytes.
    pub handling: Span,
}

impl Message {
    /// A message in host memory, on virtual network 0 and unordered. It completes at its target.
    pub fn new(src: NicId, dst: NicId, bytes: u64, draw: u64) -> Message {
        let (origin, completion) = (Origin::Host, Completion::Target);
        let (in_order, handling) = (false, Span::ZERO);
        Message { src, dst, bytes, origin, vnet: 0, completion, draw, in_order, handling }
    }
    /// The random draw of the `nth` packet, the same at every fidelity. The first packet has the
    /// draw of the message.
    #[inline]
    pub fn packet_draw(draw: u64, nth: u32) -> u64 {
        const STREAM: u32 = 0x7061_636b;
        if nth == 0 { draw } else { base::draw(draw, STREAM, 0, u64::from(nth)) }
    }
    /// The random draw for the route of an ordered packet, the same at every fidelity. It uses only
    /// the upper half of the packet's draw, so the lower half can hold other data.
    #[inline]
    pub fn draw_in_order(draw: u64) -> u64 {
        draw >> 32 | draw >> 32 << 32
    }
}

/// Reported instead of a completion time if the message failed; `NetworkModel::failure` gives the
/// reason.
pub const FAILED: Time = Time(u64::MAX);

/// Why a message failed: one of its packets was lost every time it was sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Failure {
    pub src: NicId,
    pub dst: NicId,
    /// Where it was lost for the last time.
    pub at: LostAt,
    /// How many times that packet was sent.
    pub sent: u32,
}

/// An event of a network model, in the packed form of the event queue.
pub trait NetEvent: Copy {
    /// Event code (below `INJECT`), component that the event belongs to, and one argument.
    fn pack(self) -> (u8, u32, u32);
    fn unpack(kind: u8, source: u32, arg: u32) -> Self;
}

/// Event code of a message that is ready to leave its NIC. It belongs to the network after
/// `inject`, and to the caller that will call `leave`.
pub const READY: u8 = 3;

/// Event code of a message that a host gives the network, where the two have queues of their own.
/// No network uses this code and those above it.
pub const INJECT: u8 = EventCode::KINDS - 3;

/// Event code of the arrival of a message at its receiver.
pub const ARRIVAL: u8 = EventCode::KINDS - 2;

/// Event code of all other events of hosts.
pub const HOST: u8 = EventCode::KINDS - 1;

/// Events of a run: those of the network, and those of ranks.
#[derive(Clone, Copy, Debug)]
pub enum Event<N> {
    Net(N),
    /// An event of `rank`; the event loop of the run interprets the token.
    Host {
        rank: u32,
        token: u32,
    },
}

impl<N: NetEvent> Event<N> {
    #[inline]
    pub fn of(code: EventCode) -> Event<N> {
        match code.kind() {
            ARRIVAL.. => Event::Host { rank: code.source(), token: code.arg() },
            kind => Event::Net(N::unpack(kind, code.source(), code.arg())),
        }
    }
    /// A rank's event in the form of the event queue.
    #[inline]
    pub fn host(phase: Phase, rank: u32, token: u32) -> EventCode {
        EventCode::new(phase, HOST, rank, token)
    }
    /// The arrival of a message of `rank`. It precedes other events of hosts at that instant, so
    /// its place does not depend on when the network reported it.
    #[inline]
    pub fn arrival(rank: u32, token: u32) -> EventCode {
        EventCode::new(Phase::Decide, ARRIVAL, rank, token)
    }
}

/// What a model may use while it handles an event.
pub struct Cx<'a> {
    pub now: Time,
    pub machine: &'a Machine,
    pub queue: &'a mut Queue,
    /// Messages that have completed, with the time at which the receiver sees them: now or later. A
    /// model reports them as soon as the time is known, so completion needs no event of its own.
    /// The time is `FAILED` for messages that were given up.
    pub delivered: &'a mut Vec<(MsgId, Time)>,
    pub counters: &'a mut Counters,
}

impl Cx<'_> {
    /// Schedules `ev`.
    ///
    /// Never for the current instant: an event requested for now is scheduled 1 ps later. So an
    /// instant cannot loop, and its phases only advance.
    #[inline(always)]
    pub fn at<N: NetEvent>(&mut self, when: Time, phase: Phase, ev: N) {
        debug_assert!(when >= self.now);
        let when = when.max(Time(self.now.0 + 1));
        let (kind, source, arg) = ev.pack();
        debug_assert!(kind < INJECT);
        self.queue.push(when, EventCode::new(phase, kind, source, arg));
    }
}

/// A network model at one fidelity, chosen once per run. Everything inside is monomorphic.
pub trait NetworkModel: Prefetch + PrecomputedReady + Windowed + Sharded {
    type Event: NetEvent;
    /// Sizes every arena from the machine.
    fn build(machine: &Machine) -> Self;
    /// Some NICs and the links of their group represent others, which behave identically at the
    /// same times. Only for models of aggregate rates, without an order of packets.
    fn fold(&mut self, _machine: &Machine, _folding: Folding) {
        unreachable!("a packet network has no representatives")
    }
    /// Start of the run: schedules the network's own events.
    fn start(&mut self, _cx: &mut Cx<'_>) {}
    /// `msg` is issued now. The model later reports `id` once in `cx.delivered`, completed or
    /// failed.
    fn inject(&mut self, id: MsgId, msg: Message, cx: &mut Cx<'_>);
    fn handle(&mut self, ev: Self::Event, cx: &mut Cx<'_>);
    /// Handles an event in the form of the event queue.
    #[inline(always)]
    fn dispatch(&mut self, code: EventCode, cx: &mut Cx<'_>) {
        self.handle(Self::Event::unpack(code.kind(), code.source(), code.arg()), cx);
    }
    /// Why a message was reported as `FAILED`. Valid for one call.
    fn failure(&mut self, _id: MsgId) -> Option<Failure> {
        None
    }
    /// Whether responses count as packets (`Counters::responses`), on machines whose NICs send
    /// them.
    const COUNTS_RESPONSES: bool = false;
    /// Adds internal counts to `counters`, once at the end of a run. `counters` must be the object
    /// used throughout the run.
    fn report(&self, _counters: &mut Counters) {}
    /// The bytes that links have carried so far; links without traffic may be omitted. `counters`
    /// must be the object used throughout the run.
    fn carried(&self, counters: &Counters, mut each: impl FnMut(LinkId, u64)) {
        counters.links.iter().for_each(|(link, carried)| each(link, carried.bytes));
    }
    /// Memory held, bytes, for the engine statistics.
    fn bytes(&self) -> usize;
    /// Asserts the model's conservation invariants. Called when no event is pending.
    fn assert_idle(&self, machine: &Machine);
}

/// Prefetching of memory before the events that need it. It has no observable effect; a model that
/// does not prefetch has an empty implementation.
pub trait Prefetch {
    /// Prefetches memory of upcoming events, and returns a message that may complete soon, so the
    /// caller can prefetch its own data about it. Called before every event.
    #[inline]
    fn prefetch_next(&self, _queue: &Queue, _machine: &Machine) -> Option<MsgId> {
        None
    }
    /// The same for queues that expose upcoming events: a block of events at a time,
    /// `des::PREFETCH_STAGES` blocks ahead.
    #[inline]
    fn prefetch_block(
        &mut self,
        _block: &[Item; PREFETCH_BLOCK],
        _machine: &Machine,
        _report: impl FnMut(MsgId),
    ) {
    }
    /// A message will be injected at this NIC soon: prefetches its state.
    #[inline]
    fn prefetch(&self, _nic: NicId) {}
}

/// Ready times that are known when a message is generated: generation and readiness are then one
/// event. A model without them has an empty implementation.
pub trait PrecomputedReady {
    /// Whether `ready` and `leave` may replace `inject`.
    const PRECOMPUTES_READY: bool = false;
    /// When a message of `bytes` that `src` itself issues at `at` (`Origin::Nic`) will be ready to
    /// leave. The command counts as issued, and commands of a NIC must be in order. The caller must
    /// call `leave` at that time. Not to be mixed with `inject` for the same NIC.
    fn ready(&mut self, _src: NicId, _bytes: u64, _at: Time) -> Time {
        unreachable!("this network has no precomputed ready times")
    }
    /// `msg`, whose ready time was returned by `ready`, is ready now.
    fn leave(&mut self, _id: MsgId, _msg: Message, _cx: &mut Cx<'_>) {
        unreachable!("this network has no precomputed ready times")
    }
}

/// Simulation of one unit at a time, a window of simulated time each (`des::Queue::in_windows`). A
/// model without it has an empty implementation.
pub trait Windowed {
    /// Whether some machines permit it.
    const HAS_WINDOWS: bool = false;
    /// The length of a window. If the machine does not permit windows for a run that ends at `end`
    /// at the latest, the reason.
    fn window_length(_machine: &Machine, _end: Time) -> Result<Span, &'static str> {
        Err("only packets are simulated in windows")
    }
    /// The units of the network's events. The machine permits windows.
    fn units(_machine: &Machine) -> Units {
        unreachable!("only packets are simulated in windows")
    }
}

/// Division of a network into shards, which run in parallel. A model without it has no mail.
pub trait Sharded: Sized + Send {
    /// What one shard sends another at the end of a time window.
    type Mail: Default + Send;
    /// Whether the network can be divided into shards on this machine.
    fn can_be_sharded(_machine: &Machine) -> bool {
        false
    }
    /// Builds the part of the network that is shard `own` of `partition`.
    fn build_part(_machine: &Machine, _partition: &Partition, _own: u8) -> Self {
        unreachable!("this network is not divided")
    }
    /// The completion of a message is reported in the shard of its receiver from now on, by the
    /// event that completes it, and not in mail to the shard of its sender.
    fn report_at_receivers(&mut self) {
        unreachable!("this network is not divided")
    }
    /// Mailbox for shard `to`. All its entries take effect later by at least the partition's
    /// `lookahead`.
    fn outgoing(&mut self, _to: usize) -> &mut Self::Mail {
        unreachable!("this network is not divided")
    }
    /// Shards that may have mail since the last call, one bit each.
    fn take_addressees(&mut self) -> u64 {
        unreachable!("this network is not divided")
    }
    /// Takes the mail of shard `from`.
    fn incoming(&mut self, _from: usize, _mail: &mut Self::Mail, _cx: &mut Cx<'_>) {
        unreachable!("this network is not divided")
    }
}
