//! The engine of a run: windows in which hosts and network alternate, and the change to the event
//! engine. Neither changes a result.

use super::World;
use crate::component::Component;
use crate::engine::{EngineChoice, EngineUse};
use crate::kernel::Kernel;
use crate::network_windows::NetworkWindows;
use base::Time;
use des::Queue;
use machine::faults::NEVER;
use net::{Event, INJECT, NetworkModel};
use workload::Workload;

impl<N: NetworkModel, W: Workload, C: Component<N>> World<'_, N, W, C> {
    /// Selects the engine at the start of the run.
    pub(super) fn select_engine(&mut self) {
        let kernel = &mut self.transport.kernel;
        let choice = kernel.job.engine;
        if choice == EngineChoice::Event {
            return;
        }
        let possible = if kernel.timeline.is_some() {
            Err("a timeline is recorded in the order of time")
        } else if self.failures.next_failure != NEVER {
            Err("nodes fail during the run")
        } else {
            NetworkWindows::new::<N>(&kernel.job.machine)
        };
        match possible {
            Err(reason) => self.engine.reason = reason,
            Ok(windows) if choice == EngineChoice::Window => self.enter_windows(windows),
            Ok(_) => self.engine.reason = "jobs use windows only on request",
        }
    }

    /// Begins with the window engine at the start of a run.
    fn enter_windows(&mut self, mut windows: NetworkWindows) {
        let kernel = &mut self.transport.kernel;
        windows.end = windows.end_of(Time::ZERO);
        let mut hosts = Queue::new();
        if kernel.queue.has_prefetch() {
            windows.queue.enable_prefetch();
            hosts.enable_prefetch();
        }
        while let Some((at, code)) = kernel.queue.pop() {
            let queue = if code.kind() < INJECT { &mut windows.queue } else { &mut hosts };
            queue.push(at, code);
        }
        kernel.queue = hosts;
        kernel.windows = Some(Box::new(windows));
        self.engine.uses_windows = true;
    }

    /// Changes to the event engine at the end of a window, because of `reason`.
    fn leave_windows(&mut self, reason: &'static str) {
        let kernel = &mut self.transport.kernel;
        let Some(mut windows) = kernel.windows.take() else { return };
        windows.queue.drain(|at, code| kernel.queue.push(at, code));
        self.engine = EngineUse { uses_windows: false, has_changed: true, reason };
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
        let next = kernel.queue.earliest_bound().min(windows.queue.earliest_bound());
        if next == Time(u64::MAX) {
            kernel.now = kernel.now.max(windows.last);
            return NextInWindows::End;
        }
        windows.end = windows.end_of(next.max(end));
        let is_too_late = windows.end > windows.limit;
        if kernel.has_responses {
            self.leave_windows("one-sided operations have responses");
        } else if is_too_late {
            self.leave_windows("the run is too long");
        }
        NextInWindows::Boundary
    }

    /// Simulates the network until `end`, at most the end of the window.
    pub(super) fn run_network(&mut self, end: Time) {
        let Kernel { windows, net, job, delivered, counters, events, .. } =
            &mut self.transport.kernel;
        let Some(windows) = windows else { return };
        *events += windows.run(end, (net, &job.machine), delivered, counters);
        let mut windows = self.transport.kernel.windows.take();
        let reports = windows.as_mut().expect("taken once");
        reports.take_reports(|id, seen| self.complete_message(id, seen));
        self.transport.kernel.windows = windows;
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
