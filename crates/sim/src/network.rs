//! The network of a run: as a whole, or divided into shards (`network_shards.rs`). Both engines
//! simulate both.

use crate::job::Job;
use crate::network_shards::Shards;
use crate::network_windows::{NetworkEvents, WindowLength};
use base::Time;
use des::{EventCode, Item, PREFETCH_BLOCK, Queue};
use machine::{LinkId, Machine, NicId};
use net::{Counters, Cx, Message, MsgId, NetworkModel};

pub(crate) enum Network<N: NetworkModel> {
    Whole {
        net: N,
        /// For windows.
        events: Option<Box<NetworkEvents>>,
    },
    Shards(Box<Shards<N>>),
}

impl<N: NetworkModel> Network<N> {
    /// The network of `job`, divided if it has several threads and the window engine may be used.
    /// Otherwise returns the reason too.
    pub fn new(job: &Job) -> (Self, Option<&'static str>) {
        if job.threads <= 1 {
            return (Self::whole(job), None);
        }
        match Shards::new(job) {
            Ok(shards) => (Network::Shards(Box::new(shards)), None),
            Err(reason) => (Self::whole(job), Some(reason)),
        }
    }

    pub fn whole(job: &Job) -> Self {
        let mut net = N::build(&job.machine);
        if let Some(folding) = job.folding() {
            net.fold(&job.machine, folding);
        }
        Network::Whole { net, events: None }
    }

    /// Whether several threads have simulated a window.
    pub fn has_run_in_parallel(&self) -> bool {
        matches!(self, Network::Shards(shards) if shards.has_run_in_parallel)
    }

    /// Number of shards, 1 if it is not divided.
    pub fn n_shards(&self) -> usize {
        match self {
            Network::Whole { .. } => 1,
            Network::Shards(shards) => shards.len(),
        }
    }
}

/// The network in the event engine.
impl<N: NetworkModel> Network<N> {
    pub fn start(&mut self, cx: &mut Cx<'_>) {
        match self {
            Network::Whole { net, .. } => net.start(cx),
            Network::Shards(shards) => shards.start(cx),
        }
    }

    #[inline(always)]
    pub fn inject(&mut self, id: MsgId, message: Message, cx: &mut Cx<'_>) {
        match self {
            Network::Whole { net, .. } => net.inject(id, message, cx),
            Network::Shards(shards) => shards.inject(id, message, cx),
        }
    }

    #[inline(always)]
    pub fn handle(&mut self, event: N::Event, cx: &mut Cx<'_>) {
        match self {
            Network::Whole { net, .. } => net.handle(event, cx),
            Network::Shards(shards) => shards.handle(event, cx),
        }
    }

    /// `Prefetch::prefetch_next`. The queue has events of all shards, which do not prefetch.
    #[inline(always)]
    pub fn prefetch_next(&self, queue: &Queue, machine: &Machine) -> Option<MsgId> {
        match self {
            Network::Whole { net, .. } => net.prefetch_next(queue, machine),
            Network::Shards(_) => None,
        }
    }

    /// `Prefetch::prefetch_block`.
    #[inline(always)]
    pub fn prefetch_block(
        &mut self,
        block: &[Item; PREFETCH_BLOCK],
        machine: &Machine,
        report: impl FnMut(MsgId),
    ) {
        if let Network::Whole { net, .. } = self {
            net.prefetch_block(block, machine, report);
        }
    }

    #[inline(always)]
    pub fn prefetch(&self, nic: NicId) {
        if let Network::Whole { net, .. } = self {
            net.prefetch(nic);
        }
    }
}

/// The network in windows.
impl<N: NetworkModel> Network<N> {
    /// The run enters windows, which the machine permits.
    pub fn enter_windows(&mut self, machine: &Machine, length: WindowLength) {
        if let Network::Whole { events, .. } = self {
            events.get_or_insert_with(|| Box::new(NetworkEvents::new(length, N::units(machine))));
        }
    }

    /// Every window begins with some events for each of these.
    fn events(&mut self) -> impl Iterator<Item = &mut NetworkEvents> {
        let (whole, shards) = match self {
            Network::Whole { events, .. } => (events.as_deref_mut(), None),
            Network::Shards(shards) => (None, Some(shards.events())),
        };
        whole.into_iter().chain(shards.into_iter().flatten())
    }

    pub fn enable_prefetch(&mut self) {
        self.events().for_each(|events| events.queue.enable_prefetch());
    }

    /// Schedules a pending event of the event engine.
    pub fn push(&mut self, at: Time, code: EventCode) {
        match self {
            Network::Whole { events, .. } => of_windows(events).queue.push(at, code),
            Network::Shards(shards) => shards.push(at, code),
        }
    }

    /// Passes all pending events to `each`.
    pub fn drain(&mut self, mut each: impl FnMut(Time, EventCode)) {
        self.events().for_each(|events| events.queue.drain(&mut each));
    }

    /// A host gives the network a message at `now`, in the current window.
    #[inline]
    pub fn command(&mut self, now: Time, id: MsgId, message: Message) {
        match self {
            Network::Whole { events, .. } => of_windows(events).command(now, id, message),
            Network::Shards(shards) => shards.command(now, id, message),
        }
    }

    /// Simulates the network until `end`, and adds its reports to the empty list `delivered`, in
    /// the order of the event engine. Returns the number of events.
    pub fn run(
        &mut self,
        end: Time,
        machine: &Machine,
        delivered: &mut Vec<(MsgId, Time)>,
        counters: &mut Counters,
    ) -> u64 {
        match self {
            Network::Whole { net, events } => {
                let events = of_windows(events);
                let n = events.run(end, (net, machine), delivered, counters);
                let reports = events.reports.drain(..);
                delivered.extend(reports.map(|report| (report.id, report.seen)));
                n
            }
            Network::Shards(shards) => shards.run(end, machine, delivered),
        }
    }

    /// Time of the first pending event.
    pub fn earliest_bound(&mut self) -> Time {
        self.events().map(|events| events.queue.earliest_bound()).min().unwrap_or(Time(u64::MAX))
    }

    /// Time of the latest event.
    pub fn last(&self) -> Time {
        match self {
            Network::Whole { events, .. } => events.as_ref().map_or(Time::ZERO, |of| of.last),
            Network::Shards(shards) => shards.last(),
        }
    }

    /// Whether no event is pending in windows.
    pub fn is_quiet(&mut self) -> bool {
        self.events().all(|events| events.queue.is_empty())
    }
}

fn of_windows(events: &mut Option<Box<NetworkEvents>>) -> &mut NetworkEvents {
    events.as_mut().expect("called only in windows")
}

/// Results.
impl<N: NetworkModel> Network<N> {
    /// Adds internal counts to `counters`, once at the end of a run.
    pub fn report(&mut self, counters: &mut Counters) {
        match self {
            Network::Whole { net, .. } => net.report(counters),
            Network::Shards(shards) => shards.report(counters),
        }
    }

    /// `NetworkModel::carried`.
    pub fn carried(&self, counters: &Counters, each: impl FnMut(LinkId, u64)) {
        match self {
            Network::Whole { net, .. } => net.carried(counters, each),
            Network::Shards(_) => unreachable!("a network with a timeline is not divided"),
        }
    }

    /// `NetworkModel::failure`.
    pub fn failure(&mut self, id: MsgId) -> Option<net::Failure> {
        match self {
            Network::Whole { net, .. } => net.failure(id),
            Network::Shards(_) => unreachable!("a network with faults is not divided"),
        }
    }

    /// Bytes held, with the pending events in windows.
    pub fn bytes(&mut self) -> usize {
        let nets = match self {
            Network::Whole { net, .. } => net.bytes(),
            Network::Shards(shards) => shards.bytes(),
        };
        nets + self.events().map(|events| events.queue.bytes()).sum::<usize>()
    }

    pub fn assert_idle(&self, machine: &Machine) {
        match self {
            Network::Whole { net, .. } => net.assert_idle(machine),
            Network::Shards(shards) => shards.assert_idle(machine),
        }
    }
}
