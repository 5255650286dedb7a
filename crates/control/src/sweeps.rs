//! The manager: periodic sweeps, an active-standby pair, and the load of both.
//!
//! Does not know what a sweep changes: `ControlPlane` executes its start and end. A manager does
//! one sweep at a time. A sweep takes a time per switch and per change, so short intervals
//! overload it and sweeps start late. Intervals: Aurora paper (10, 5 and 10 s); costs and failover
//! time are estimates of ours.

use base::{Span, Time};

use crate::fabric::{Deployment, Fabric, kind};
use crate::wiring::CableId;

/// The three sweeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum SweepKind {
    Deployment,
    Routing,
    Topology,
}

pub const SWEEPS: [SweepKind; 3] = [SweepKind::Deployment, SweepKind::Routing, SweepKind::Topology];

impl SweepKind {
    pub fn name(self) -> &'static str {
        match self {
            SweepKind::Deployment => "deployment",
            SweepKind::Routing => "routing",
            SweepKind::Topology => "topology",
        }
    }
}

/// Interval and costs of a sweep.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SweepSettings {
    pub interval: Span,
    pub per_switch: Span,
    pub per_change: Span,
}

/// What has happened to one kind of sweep.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SweepRecord {
    pub completed: u64,
    /// Sweeps that were due while the previous one of their kind had not ended.
    pub missed: u64,
    pub last_start: Time,
    pub last_end: Time,
    /// Start after the due time: of the last sweep, and the longest.
    pub last_delay: Span,
    pub longest_delay: Span,
}

/// What a running sweep has read at its start.
#[derive(Clone, Debug)]
pub enum Reading {
    Deployment(Vec<Deployment>),
    Links(Vec<(CableId, bool)>),
}

/// One of the two managers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instance {
    pub is_up: bool,
    pub since: Time,
}

pub struct Sweeps {
    pub settings: [SweepSettings; 3],
    pub records: [SweepRecord; 3],
    /// Due and waiting for the manager, and since when.
    waiting: [Option<Time>; 3],
    /// When the next sweep of each kind is due.
    pub next_due: [Time; 3],
    /// Validity of `SWEEP_DUE` events: a new interval or manager starts a new series.
    series: [u32; 3],
    running: Option<(SweepKind, Reading)>,
    pub instances: [Instance; 2],
    pub active: Option<usize>,
    /// Counts failures and failovers; events of an earlier epoch are void.
    pub epoch: u32,
    pub failovers: u32,
    failover: Span,
    /// Time that the manager has worked, and from when it is counted.
    pub busy: Span,
}

impl Sweeps {
    pub fn new(settings: [SweepSettings; 3], failover: Span) -> Sweeps {
        let up = Instance { is_up: true, since: Time::ZERO };
        Sweeps {
            settings,
            records: [SweepRecord::default(); 3],
            waiting: [None; 3],
            next_due: [Time::ZERO; 3],
            series: [0; 3],
            running: None,
            instances: [up; 2],
            active: Some(0),
            epoch: 0,
            failovers: 0,
            failover,
            busy: Span::ZERO,
        }
    }

    /// Starts the series of all sweeps; the first of each kind is due an interval from now.
    pub fn start(&mut self, fabric: &mut Fabric) {
        for sweep in SWEEPS {
            self.restart(sweep, fabric);
        }
    }

    fn restart(&mut self, sweep: SweepKind, fabric: &mut Fabric) {
        let at = sweep as usize;
        self.series[at] += 1;
        self.waiting[at] = None;
        let interval = self.settings[at].interval;
        self.next_due[at] = fabric.now + interval;
        fabric.schedule(interval, kind::SWEEP_DUE, at as u32, self.series[at]);
    }

    /// Changes the interval of a sweep; a new series begins now.
    pub fn set_interval(&mut self, sweep: SweepKind, interval: Span, fabric: &mut Fabric) {
        self.settings[sweep as usize].interval = interval;
        fabric.record(kind::SWEEP_DUE, sweep as u32, interval.0);
        if self.active.is_some() {
            self.restart(sweep, fabric);
        }
    }

    /// A sweep is due. The next one is due an interval later.
    pub fn due(&mut self, source: u32, series: u32, fabric: &mut Fabric) {
        let at = source as usize;
        if self.series[at] != series || self.active.is_none() {
            return;
        }
        self.next_due[at] = fabric.now + self.settings[at].interval;
        fabric.schedule(self.settings[at].interval, kind::SWEEP_DUE, source, series);
        let is_running = self.running.as_ref().is_some_and(|(sweep, _)| *sweep as usize == at);
        if is_running || self.waiting[at].is_some() {
            self.records[at].missed += 1;
            return;
        }
        self.waiting[at] = Some(fabric.now);
        self.start_next(fabric);
    }

    /// Starts the sweep that has waited longest, if the manager is idle.
    fn start_next(&mut self, fabric: &mut Fabric) {
        if self.running.is_some() {
            return;
        }
        let waiting = SWEEPS.into_iter().filter_map(|s| Some((self.waiting[s as usize]?, s)));
        let Some((due, sweep)) = waiting.min_by_key(|&(due, sweep)| (due, sweep as u8)) else {
            return;
        };
        let at = sweep as usize;
        self.waiting[at] = None;
        let (reading, changes) = match sweep {
            SweepKind::Deployment => {
                let sent = fabric.begin_deployment();
                let n = sent.len();
                (Reading::Deployment(sent), n)
            }
            SweepKind::Routing => {
                let read = fabric.begin_routing();
                let n = read.len();
                (Reading::Links(read), n)
            }
            SweepKind::Topology => {
                let read = fabric.begin_topology();
                let n = read.len();
                (Reading::Links(read), n)
            }
        };
        let work = self.work(sweep, fabric.wiring.n_switches() as u64, changes as u64);
        let record = &mut self.records[at];
        record.last_start = fabric.now;
        record.last_delay = fabric.now.since(due);
        record.longest_delay = record.longest_delay.max(record.last_delay);
        self.busy += work;
        self.running = Some((sweep, reading));
        fabric.schedule(work, kind::SWEEP_END, at as u32, self.epoch);
    }

    /// Time that a sweep takes.
    pub fn work(&self, sweep: SweepKind, switches: u64, changes: u64) -> Span {
        let SweepSettings { per_switch, per_change, .. } = self.settings[sweep as usize];
        Span(per_switch.0 * switches + per_change.0 * changes)
    }

    /// A sweep ends. Returns it with what it read, unless its manager has failed meanwhile.
    pub fn end(&mut self, epoch: u32, fabric: &Fabric) -> Option<(SweepKind, Reading)> {
        if epoch != self.epoch {
            return None;
        }
        let (sweep, reading) = self.running.take()?;
        let record = &mut self.records[sweep as usize];
        record.completed += 1;
        record.last_end = fabric.now;
        Some((sweep, reading))
    }

    /// To be called after the effects of a sweep.
    pub fn go_on(&mut self, fabric: &mut Fabric) {
        self.start_next(fabric);
    }

    /// Lets a manager fail or return. If the active one fails, the standby takes over after the
    /// failover time.
    pub fn set_instance(&mut self, which: usize, is_up: bool, fabric: &mut Fabric) {
        if self.instances[which].is_up == is_up {
            return;
        }
        self.instances[which] = Instance { is_up, since: fabric.now };
        fabric.record(kind::FAILOVER, which as u32, is_up.into());
        if !is_up && self.active == Some(which) {
            self.stop(fabric);
        }
        if self.active.is_none() && self.instances.iter().any(|instance| instance.is_up) {
            fabric.schedule(self.failover, kind::FAILOVER, 0, self.epoch);
        }
    }

    /// The active manager stops. What its sweep had read is read again by the next manager.
    fn stop(&mut self, fabric: &mut Fabric) {
        self.active = None;
        self.epoch += 1;
        self.waiting = [None; 3];
        if let Some((sweep, Reading::Links(read))) = self.running.take() {
            let cables = read.into_iter().map(|(cable, _)| cable);
            match sweep {
                SweepKind::Topology => fabric.unreported.extend(cables),
                _ => fabric.unrouted.extend(cables),
            }
        }
    }

    /// Moves the active role to the other manager, if that is up.
    pub fn fail_over(&mut self, fabric: &mut Fabric) -> bool {
        let Some(active) = self.active else { return false };
        if !self.instances[1 - active].is_up {
            return false;
        }
        self.stop(fabric);
        // The previous one becomes the standby, so the other one is chosen.
        fabric.schedule(self.failover, kind::FAILOVER, 1 + (1 - active) as u32, self.epoch);
        true
    }

    /// The failover time is over.
    pub fn take_over(&mut self, preferred: u32, epoch: u32, fabric: &mut Fabric) {
        if epoch != self.epoch || self.active.is_some() {
            return;
        }
        let is_up = |which: &usize| self.instances[*which].is_up;
        let first = (preferred as usize).checked_sub(1).filter(is_up);
        let Some(active) = first.or_else(|| [0, 1].into_iter().find(is_up)) else { return };
        self.active = Some(active);
        self.epoch += 1;
        self.failovers += 1;
        fabric.record(kind::FAILOVER, active as u32, u64::from(self.epoch) << 1);
        self.start(fabric);
    }
}
