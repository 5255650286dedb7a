//! The network's side of a run that is simulated in windows (docs/models/window-engine.md): its
//! event queue, commands of hosts that it has not reached, and its reports to hosts. Of a divided
//! network, each shard has its own (`network_shards.rs`).
//!
//! Hosts are simulated first in each window, then the network. A host observes what the network
//! reports no earlier than the latency of a receive later, which is in a later window. A command of
//! a host is an event of the network at its own time, so no lookahead is needed there.

use base::{Slab, Span, Time};
use des::{EventCode, Phase, Queue, Units};
use machine::Machine;
use net::{Counters, Cx, INJECT, Message, MsgId, NetworkModel};
use packet::PacketNetwork;

base::ids! {
    /// A command of a host that the network has not reached.
    CommandId,
}

/// The length of a window.
#[derive(Clone, Copy)]
pub(crate) struct WindowLength(pub Span);

impl WindowLength {
    /// If the machine does not permit windows, the reason.
    pub fn of<N: NetworkModel>(machine: &Machine) -> Result<WindowLength, &'static str> {
        let length = N::window_length(machine, Time::ZERO)?;
        check(machine, length)?;
        Ok(WindowLength(length))
    }

    /// The end of the window that contains `at`.
    pub fn end_of(self, at: Time) -> Time {
        Time((at.0 / self.0.0 + 1).saturating_mul(self.0.0))
    }

    /// Later windows are not exact (`net::Windowed`).
    pub fn limit(self) -> Time {
        Time(((1u128 << 64) / u128::from(self.0.0) - 1) as u64)
    }
}

/// The windows of a run.
pub(crate) struct NetworkWindows {
    pub length: WindowLength,
    /// End of the current window.
    pub end: Time,
}

/// A message that the network has completed.
#[derive(Clone, Copy)]
pub(crate) struct Report {
    /// Time and order of the event that reported it.
    pub at: Time,
    pub order: u32,
    /// Position among all reports of these events in the window, which are unit by unit.
    nth: u32,
    pub id: MsgId,
    pub seen: Time,
}

#[cfg(test)]
impl Report {
    pub fn new(at: Time, order: u32, id: MsgId, seen: Time) -> Report {
        Report { at, order, nth: 0, id, seen }
    }
}

/// Pending events of a network, or of one shard, in windows.
pub(crate) struct NetworkEvents {
    pub queue: Queue,
    /// The latest event.
    pub last: Time,
    commands: Slab<CommandId, (MsgId, Message)>,
    /// Those of the current window, after `run` in the order of the event engine. Time and order
    /// of an event belong to one unit (`Units`), hence to one shard.
    pub reports: Vec<Report>,
}

impl NetworkEvents {
    pub fn new(length: WindowLength, units: Units) -> NetworkEvents {
        NetworkEvents {
            queue: Queue::in_windows(length.0, units),
            last: Time::ZERO,
            commands: Slab::with_capacity(1 << 8),
            reports: Vec::with_capacity(1 << 8),
        }
    }

    /// A host gives the network a message at `now`, in the current window. The network takes it
    /// behind all its own events of that instant, which have earlier phases.
    #[inline]
    pub fn command(&mut self, now: Time, id: MsgId, message: Message) {
        let src = message.src.0;
        let command = self.commands.insert((id, message));
        self.queue.push(now, EventCode::new(Phase::Resume, INJECT, src, command.0));
    }

    /// Simulates the network until `end`, one unit after the other. Returns the number of its
    /// events, without commands.
    pub fn run<N: NetworkModel>(
        &mut self,
        end: Time,
        (net, machine): (&mut N, &Machine),
        delivered: &mut Vec<(MsgId, Time)>,
        counters: &mut Counters,
    ) -> u64 {
        let mut events = 0;
        let has_prefetch = self.queue.has_prefetch();
        while let Some((now, code)) = self.queue.pop_before(end) {
            self.last = self.last.max(now);
            if has_prefetch && let Some(block) = self.queue.next_prefetch_block() {
                net.prefetch_block(block, machine, |_| {});
            }
            let mut cx = Cx { now, machine, queue: &mut self.queue, delivered, counters };
            if code.kind() == INJECT {
                let command = CommandId(code.arg());
                let (id, message) = self.commands[command];
                self.commands.free(command);
                net.inject(id, message, &mut cx);
            } else {
                events += 1;
                net.dispatch(code, &mut cx);
            }
            for (id, seen) in delivered.drain(..) {
                let nth = self.reports.len() as u32;
                self.reports.push(Report { at: now, order: code.order(), nth, id, seen });
            }
        }
        debug_assert!(self.queue.earliest_bound() >= end);
        self.reports.sort_unstable_by_key(|report| (report.at, report.order, report.nth));
        events
    }
}

/// Why packets on this machine cannot be simulated in windows together with jobs, if so.
pub fn window_obstacle(machine: &Machine) -> Option<&'static str> {
    WindowLength::of::<PacketNetwork>(machine).err()
}

/// Whether hosts observe the network late enough for windows of this length.
fn check(machine: &Machine, length: Span) -> Result<(), &'static str> {
    // The failure of a message is observed at once.
    if machine.faults.is_some() {
        return Err("the machine has a fault schedule");
    }
    if machine.nic.recv_latency < length {
        return Err("switch.credit_epoch exceeds nic.recv_latency");
    }
    // A response is observed without the latency of a receive, but not in the window in which it is
    // sent. The event engine simulates the windows after it.
    let nics = (0..machine.n_nics()).map(machine::NicId);
    let links = nics.map(|nic| (machine.injection(nic), machine.ejection(nic)));
    let latency = &machine.links.latency;
    let mut out = Span(u64::MAX);
    let mut back = Span(u64::MAX);
    for (injection, ejection) in links {
        (out, back) = (out.min(latency[injection]), back.min(latency[ejection]));
    }
    if out + back < length {
        return Err("switch.credit_epoch exceeds the latency from NIC to NIC");
    }
    Ok(())
}
