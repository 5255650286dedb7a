//! Floor 3: what every network model promises, at any fidelity.
//!
//! `Cx` is a model's only way out: the clock, the queue, the machine, what was delivered, and the
//! counters that are always on.

use base::{Span, Time};
use des::{EventCode, Item, PREFETCH_BLOCK, Phase, Queue};
use machine::{Folding, Machine, NicId, NicParams};

mod counters;
mod packetization;
mod partition;
mod undeliverable;

pub use counters::{CongestionCounters, Counters, LinkTraffic, NicCounters};
pub use machine::faults::LostAt;
pub use packetization::Packetization;
pub use partition::Partition;
pub use undeliverable::{LostId, Undeliverable};

base::ids! {
    /// A message in the network. Its sender names it, several alike if he likes; the model hands
    /// the name back, and what failed is asked about before anything else happens.
    MsgId,
}

/// Who commands a message: it decides whether the NIC first has to fetch the data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// A CPU. Data beyond the immediate limit costs the DMA read step.
    Host,
    /// The NIC itself, answering a rendezvous get: its DMA read stands in for the host's command.
    Nic,
    /// The NIC itself, answering another NIC on the spot: no command comes before the head, and no
    /// latency after the tail, since the request it answers has brought both.
    Answer,
}

impl Origin {
    /// What it takes until the first packet of `bytes` is in the NIC that sends them. Those of an
    /// answer are there: whoever answers has waited for them.
    #[inline]
    pub fn fetch(self, bytes: u64, nic: &NicParams) -> Span {
        match self {
            Origin::Host if bytes > nic.immediate_max => nic.fetch(bytes),
            Origin::Nic => nic.stage_first(bytes),
            Origin::Host | Origin::Answer => Span::ZERO,
        }
    }
}

/// Where and when a message is told of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Completion {
    /// Its receiver, when all of it is there.
    Target,
    /// Its sender, when the receiver's NIC has answered all of it, with so many bytes from there:
    /// a put's completion, or a get. Only for networks whose NICs answer (`NicParams::response`).
    Initiator(u64),
}

impl Completion {
    /// Bytes that come back.
    #[inline]
    pub fn back(self) -> u64 {
        match self {
            Completion::Target => 0,
            Completion::Initiator(bytes) => bytes,
        }
    }
}

/// Bytes to move from one NIC to another; `src != dst`. Zero bytes is one packet of headers.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    pub src: NicId,
    pub dst: NicId,
    pub bytes: u64,
    pub origin: Origin,
    /// The virtual network it goes by, below `Machine::n_vnets`.
    pub vnet: u8,
    pub completion: Completion,
    /// The message's own random number, from which its packets' draws are derived.
    pub draw: u64,
    /// Its packets, and those of others in order between the same two NICs and by the same virtual
    /// network, arrive as they were sent, where switches keep flows (`Machine::keeps_flows`).
    pub in_order: bool,
    /// What it takes of its receiver's host interface beside its bytes' time.
    pub handling: Span,
}

impl Message {
    /// The draw of its `nth` packet, at every fidelity. The first packet has the message's own.
    #[inline]
    pub fn packet_draw(draw: u64, nth: u32) -> u64 {
        const STREAM: u32 = 0x7061_636b;
        if nth == 0 { draw } else { base::draw(draw, STREAM, 0, u64::from(nth)) }
    }
    /// What the way of a packet in order is drawn from, at every fidelity: of its draw the upper
    /// half only, so that the lower may say something else.
    #[inline]
    pub fn draw_in_order(draw: u64) -> u64 {
        draw >> 32 | draw >> 32 << 32
    }
}

/// In place of the time a message is seen: it never will be, and `NetworkModel::failure` says why.
pub const FAILED: Time = Time(u64::MAX);

/// Why a message will never arrive: a packet of it was lost every time it was sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Failure {
    pub src: NicId,
    pub dst: NicId,
    /// Where it was lost for the last time.
    pub at: LostAt,
    /// How often that packet was sent.
    pub sent: u32,
}

/// What a network schedules for itself, as it lies in the queue.
pub trait NetEvent: Copy {
    /// Its kind (below `HOST`), the component whose doing it is, and one word more.
    fn pack(self) -> (u8, u32, u32);
    fn unpack(kind: u8, source: u32, arg: u32) -> Self;
}

/// The kind of event with which a message is ready to leave its NIC. The network's own where it
/// has been told of the message (`inject`), its user's where he keeps it until then (`leave`).
pub const READY: u8 = 3;

/// The kind of event that is no network's.
pub const HOST: u8 = EventCode::KINDS - 1;

/// The events of a run: the network's own, and those of the ranks.
#[derive(Clone, Copy, Debug)]
pub enum Event<N> {
    Net(N),
    /// Something of `rank`'s is due; what, only the run's loop knows.
    Host {
        rank: u32,
        token: u32,
    },
}

impl<N: NetEvent> Event<N> {
    #[inline]
    pub fn of(what: EventCode) -> Event<N> {
        match what.kind() {
            HOST => Event::Host { rank: what.source(), token: what.arg() },
            kind => Event::Net(N::unpack(kind, what.source(), what.arg())),
        }
    }
    /// A rank's event as it lies in the queue.
    #[inline]
    pub fn host(phase: Phase, rank: u32, token: u32) -> EventCode {
        EventCode::new(phase, HOST, rank, token)
    }
}

/// What a model may do while it handles an event.
pub struct Cx<'a> {
    pub now: Time,
    pub machine: &'a Machine,
    pub queue: &'a mut Queue,
    /// Messages that have arrived whole, and when their receiver can see them: now or later. They
    /// are told as soon as that is known, so that it need not be an event of the network's.
    /// `FAILED` for those that never will.
    pub delivered: &'a mut Vec<(MsgId, Time)>,
    pub counters: &'a mut Counters,
}

impl Cx<'_> {
    /// Schedules `ev`.
    ///
    /// Never in the present instant: what is asked for now comes 1 ps later, so that an instant
    /// cannot loop and its phases only go forward.
    #[inline(always)]
    pub fn at<N: NetEvent>(&mut self, when: Time, phase: Phase, ev: N) {
        debug_assert!(when >= self.now);
        let when = when.max(Time(self.now.0 + 1));
        let (kind, source, arg) = ev.pack();
        debug_assert!(kind < HOST);
        self.queue.push(when, EventCode::new(phase, kind, source, arg));
    }
}

/// A network at some fidelity, chosen once a run; everything inside is monomorphic.
pub trait NetworkModel {
    type Event: NetEvent;
    /// What one shard tells another at the end of a window.
    type Mail: Default + Send;
    /// Sizes every arena from the machine.
    fn build(machine: &Machine) -> Self;
    /// Whether it can be divided into shards on this machine.
    fn divides(_machine: &Machine) -> bool {
        false
    }
    /// Some NICs, and the links of their group, stand for others, which do the same at the same
    /// time. Only for networks that know how much goes where, and not what goes first.
    fn fold(&mut self, _machine: &Machine, _folding: Folding) {
        unreachable!("where packets meet nobody stands for others")
    }
    /// The part of it that is shard `own` of `partition`.
    fn build_part(machine: &Machine, _partition: &Partition, _own: u8) -> Self
    where
        Self: Sized,
    {
        Self::build(machine)
    }
    /// What this shard has to tell shard `to`: all of it for instants that lie ahead by the
    /// partition's `lookahead` or more.
    fn outgoing(&mut self, _to: usize) -> &mut Self::Mail {
        unreachable!("a network that cannot be divided has no shards")
    }
    /// Takes what shard `from` has told.
    fn incoming(&mut self, _from: usize, _mail: &mut Self::Mail, _cx: &mut Cx<'_>) {
        unreachable!("a network that cannot be divided has no shards")
    }
    /// `msg` is commanded now. The model later reports `id` in `cx.delivered`, once: that it has
    /// come, or that it has failed.
    fn inject(&mut self, id: MsgId, msg: Message, cx: &mut Cx<'_>);
    /// Whether it says when messages will be `ready`, and may be told of them only then.
    const PRECOMPUTES_READY: bool = false;
    /// When a message of so many bytes that `src` itself commands at `at` (`Origin::Nic`) will be
    /// ready to leave. The command counts as given, those of a NIC in order; the message is to
    /// `leave` then. Of no use beside messages that are injected.
    fn ready(&mut self, _src: NicId, _bytes: u64, _at: Time) -> Time {
        unreachable!("a network that does not say when messages are ready is told of them before")
    }
    /// `msg`, of which the network has only heard that it is commanded, is ready now.
    fn leave(&mut self, _id: MsgId, _msg: Message, _cx: &mut Cx<'_>) {
        unreachable!("a network that does not say when messages are ready is told of them before")
    }
    fn handle(&mut self, ev: Self::Event, cx: &mut Cx<'_>);
    /// The same of an event of its own as it stood in the queue.
    #[inline(always)]
    fn dispatch(&mut self, what: EventCode, cx: &mut Cx<'_>) {
        self.handle(Self::Event::unpack(what.kind(), what.source(), what.arg()), cx);
    }
    /// Fetches the memory that events to come will need, and says which message they may tell of,
    /// for whoever keeps something about it. Called before every event; changes nothing that
    /// anybody could see.
    #[inline]
    fn prefetch_next(&self, _queue: &Queue, _machine: &Machine) -> Option<MsgId> {
        None
    }
    /// The same where the queue foresees: events are looked at a block at a time, `des::LOOKS`
    /// blocks before their turn.
    #[inline]
    fn prefetch_block(
        &mut self,
        _: &[Item; PREFETCH_BLOCK],
        _: &Machine,
        _tell: impl FnMut(MsgId),
    ) {
    }
    /// A message will be injected at this NIC soon: fetches what that needs.
    #[inline]
    fn prefetch(&self, _nic: NicId) {}
    /// The run begins: what will happen by itself is scheduled.
    fn start(&mut self, _cx: &mut Cx<'_>) {}
    /// Why a message that was told to have `FAILED` did. Asked once.
    fn failure(&mut self, _id: MsgId) -> Option<Failure> {
        None
    }
    /// Whether answers are packets that it counts (`Counters::responses`), where NICs send such.
    const COUNTS_RESPONSES: bool = false;
    /// Adds what it has counted itself to the columns of `counters`: once, at the end of a run, of
    /// the counters that it was given all along.
    fn report(&self, _counters: &mut Counters) {}
    /// Bytes of memory held, for the engine statistics.
    fn bytes(&self) -> usize;
    /// Asserts the model's own conservation laws. Called when no event is pending.
    fn assert_quiet(&self, machine: &Machine);
}
