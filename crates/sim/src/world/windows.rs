//! The engine of a run: windows in which hosts and network alternate, and changes between them and
//! the event engine. Neither affects a result.

use super::World;
use crate::component::Component;
use crate::engine::{EngineChoice, EngineUse, ThreadUse};
use crate::kernel::Kernel;
use crate::network::Network;
use crate::network_windows::{NetworkWindows, WindowLength};
use base::Time;
use des::Queue;
use net::{Event, INJECT, MAX_SHARDS, NetworkModel};
use workload::Workload;

const TIMELINE: &str = "a timeline is recorded in the order of time";
const MOST: &str = "a network has at most 63 shards";
const _: () = assert!(MAX_SHARDS == 63, "the text above");
const FEW: &str = "few events occur per window";

/// Events from one choice of `auto` to the next.
const CHOICE_INTERVAL: u64 = 1 << 12;

/// The engine of a run, and what the choice of another one needs.
#[derive(Default)]
pub(super) struct EngineControl {
    pub used: EngineUse,
    /// With `auto`: the length of windows, if the run may enter them.
    length: Option<WindowLength>,
    /// With `auto`: why the run leaves windows at the end of the present one.
    leaves: Option<&'static str>,
    /// Time and number of events at the last choice.
    chosen_at: Time,
    chosen_events: u64,
}

impl<N: NetworkModel, W: Workload, C: Component<N>> World<'_, N, W, C> {
    /// Before the start of the run: a network with a timeline is not divided.
    pub(super) fn select_threads(&mut self) {
        let kernel = &mut self.transport.kernel;
        if kernel.timeline.is_some() && kernel.network.n_shards() > 1 {
            kernel.network = Network::whole(kernel.job);
            kernel.undivided_reason = Some(TIMELINE);
        }
    }

    /// The threads of the run, if it requests several.
    pub(super) fn thread_use(&self) -> Option<ThreadUse> {
        let Kernel { job, network, undivided_reason, .. } = &self.transport.kernel;
        let (requested, shards, engine) = (job.threads, network.n_shards(), self.engine.used);
        let (used, reason) = match *undivided_reason {
            Some(reason) => (1, Some(reason)),
            None if !engine.uses_windows && engine.changes == 0 => (1, Some(engine.reason)),
            None if !network.has_run_in_parallel() => (1, Some(FEW)),
            None if shards == MAX_SHARDS && shards < requested => (shards, Some(MOST)),
            None if shards < requested => (shards, Some("no more groups have NICs of the jobs")),
            None => (shards, None),
        };
        (requested > 1).then_some(ThreadUse { requested, used, reason })
    }

    /// Selects the engine at the start of the run.
    pub(super) fn select_engine(&mut self) {
        let kernel = &mut self.transport.kernel;
        let choice = kernel.job.engine;
        if choice == EngineChoice::Event {
            return;
        }
        match WindowLength::of::<N>(&kernel.job.machine) {
            Err(reason) => self.engine.used.reason = reason,
            Ok(_) if kernel.timeline.is_some() => {
                self.engine.used.reason = TIMELINE;
            }
            Ok(length) if choice == EngineChoice::Window => {
                self.engine.used.uses_windows = true;
                self.enter_windows(length);
            }
            Ok(length) => {
                self.engine.used.reason = FEW;
                self.engine.length = Some(length);
            }
        }
    }

    /// With `auto`: chooses the engine by the number of events per window since the last choice.
    /// Called every few thousand events.
    pub(super) fn choose_engine(&mut self) {
        let Some(length) = self.engine.length else { return };
        let kernel = &self.transport.kernel;
        let (now, is_in_windows) = (kernel.clock(), kernel.windows.is_some());
        let count = kernel.events - self.engine.chosen_events;
        if count < CHOICE_INTERVAL {
            return;
        }
        let elapsed = now.since(self.engine.chosen_at).0;
        let many = |least: u64| {
            u128::from(count) * u128::from(length.0.0) >= u128::from(least) * u128::from(elapsed)
        };
        let is_too_late = length.end_of(now) > length.limit();
        let most = kernel.job.many_events;
        let (enters, leaves) = (many(most), !many(most / 2));
        let may_enter = !is_in_windows && !kernel.has_responses && !is_too_late;
        (self.engine.chosen_at, self.engine.chosen_events) = (now, kernel.events);
        if is_in_windows && leaves {
            self.engine.leaves = Some(FEW);
        } else if may_enter && enters {
            self.engine.used.change("many events occur per window");
            self.enter_windows(length);
        }
    }

    /// The window engine simulates the run from now on. Hosts are simulated first, until the end of
    /// the window that contains the last event.
    fn enter_windows(&mut self, length: WindowLength) {
        let kernel = &mut self.transport.kernel;
        kernel.network.enter_windows(&kernel.job.machine, length);
        let mut hosts = Queue::new();
        if kernel.queue.has_prefetch() {
            kernel.network.enable_prefetch();
            hosts.enable_prefetch();
        }
        while let Some((at, code)) = kernel.queue.pop() {
            match code.kind() < INJECT {
                true => kernel.network.push(at, code),
                false => hosts.push(at, code),
            }
        }
        kernel.queue = hosts;
        kernel.windows = Some(NetworkWindows { length, end: length.end_of(kernel.now) });
    }

    /// Changes to the event engine at the end of a window, because of `reason`.
    fn leave_windows(&mut self, reason: &'static str) {
        let kernel = &mut self.transport.kernel;
        let Kernel { windows, network, queue, now, .. } = kernel;
        if windows.take().is_none() {
            return;
        }
        *now = (*now).max(network.last());
        network.drain(|at, code| queue.push(at, code));
        self.engine.used.change(reason);
    }

    /// The next event of hosts in this window. After the last one, simulates the network until the
    /// end of the window and begins the next window.
    pub(super) fn next_in_windows(&mut self) -> NextInWindows<N> {
        let kernel = &mut self.transport.kernel;
        let windows = kernel.windows.as_mut().expect("called only with windows");
        let end = windows.end;
        if let Some((now, what)) = kernel.queue.pop_before(end) {
            let event = kernel.begin_event(now, what);
            self.prefetch_next();
            return NextInWindows::Event(event);
        }
        self.run_network(end);
        let kernel = &mut self.transport.kernel;
        let windows = kernel.windows.as_mut().expect("called only with windows");
        let next = kernel.queue.earliest_bound().min(kernel.network.earliest_bound());
        if next == Time(u64::MAX) {
            kernel.now = kernel.now.max(kernel.network.last());
            return NextInWindows::End;
        }
        windows.end = windows.length.end_of(next.max(end));
        let is_too_late = windows.end > windows.length.limit();
        if kernel.has_responses {
            self.leave_windows("one-sided operations have responses");
        } else if is_too_late {
            self.leave_windows("the run is too long");
        } else if let Some(reason) = self.engine.leaves.take() {
            self.leave_windows(reason);
        }
        NextInWindows::Boundary
    }

    /// Simulates the network until `end`, at most the end of the window.
    pub(super) fn run_network(&mut self, end: Time) {
        let Kernel { windows, network, job, delivered, counters, events, .. } =
            &mut self.transport.kernel;
        let Some(NetworkWindows { end: window_end, .. }) = *windows else { return };
        *events += network.run(end, &job.machine, delivered, counters);
        let is_later = delivered.iter().all(|&(_, seen)| seen >= window_end);
        assert!(is_later, "a host observes the network within a window");
        self.deliver();
    }
}

/// What follows in the window engine.
pub(super) enum NextInWindows<N: NetworkModel> {
    Event(Event<N::Event>),
    /// A window has ended.
    Boundary,
    /// Nothing is pending.
    End,
}
