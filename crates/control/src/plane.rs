//! The control plane: its event loop, requests by resource, and their log.
//!
//! Owns the components and knows which one an event or a request is for. A request takes effect at
//! the time that `advance` has reached.

use base::{Digest, Span, Time};
use machine::{InputError, Machine};
use serde_json::{Map, Value};

use crate::documents::{Documents, Request, Response};
use crate::fabric::{Fabric, kind};
use crate::filter::Query;
use crate::injection::Injection;
use crate::link_state::{Input, Phase};
use crate::options::{MAX_TIME_S, Options};
use crate::resources;
use crate::stored::Enforcement;
use crate::sweeps::{Reading, SweepKind, Sweeps};
use crate::telemetry::{Sensor, Site};
use crate::traffic::Traffic;
use crate::wiring::{CableId, PortId};

/// A fabric, its manager, and the documents of both.
pub struct ControlPlane {
    pub(crate) fabric: Fabric,
    pub(crate) sweeps: Sweeps,
    pub(crate) injection: Injection,
    pub(crate) documents: Documents,
    pub(crate) traffic: Traffic,
    pub(crate) health: Health,
    pub(crate) options: Options,
    /// VNI blocks that a deployment sweep has yet to enforce.
    pub(crate) enforcements: Vec<Enforcement>,
    /// The routing policy that switches use, and since when another one is requested.
    pub(crate) routing: Map<String, Value>,
    pub(crate) routing_changed: Option<Time>,
    /// Changes that were acknowledged, with their times.
    log: Vec<(Time, Request)>,
}

/// Health of the fabric as of the last sweep of the topology.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Health {
    pub runtime: bool,
    pub configuration: bool,
    pub traffic: bool,
}

impl ControlPlane {
    /// The control plane of a machine at time zero.
    pub fn new(
        machine: Machine,
        seed: u64,
        options: Options,
    ) -> Result<ControlPlane, Vec<InputError>> {
        let errors = options.check();
        if !errors.is_empty() {
            return Err(errors);
        }
        let mut fabric = Fabric::new(machine, seed, options.epoch_s, options.events_kept as usize);
        let is_running = options.start == "running";
        if is_running {
            fabric.start_running();
        }
        let mut sweeps = Sweeps::new(options.sweeps(), Span::from_seconds(options.failover_s));
        sweeps.start(&mut fabric);
        let mut injection = Injection::default();
        if let Some(faults) = &options.random_faults {
            injection.draw(faults.count, Span::from_seconds(faults.seconds), &mut fabric);
        }
        let start_micros = fabric.micros(Time::ZERO);
        let documents = Documents { start_micros, ..Documents::default() };
        let health = Health { runtime: true, configuration: is_running, traffic: is_running };
        let traffic = Traffic::new(&fabric);
        let mut plane = ControlPlane {
            fabric,
            traffic,
            sweeps,
            injection,
            documents,
            health,
            options,
            enforcements: Vec::new(),
            routing: Map::new(),
            routing_changed: None,
            log: Vec::new(),
        };
        crate::stored::add_presets(&mut plane);
        Ok(plane)
    }

    pub fn now(&self) -> Time {
        self.fabric.now
    }

    /// Runs sweeps, links and faults up to a time in seconds, rounded to microseconds. A time in
    /// the past or beyond the maximum has no effect.
    pub fn advance(&mut self, to_s: f64) {
        let micros = (to_s.clamp(0.0, MAX_TIME_S) * 1e6).round() as u64;
        let to = Time(micros * 1_000_000);
        if to <= self.fabric.now {
            return;
        }
        while let Some((at, code)) = self.fabric.queue.pop_before(Time(to.0 + 1)) {
            self.fabric.now = at;
            self.handle(code.kind(), code.source(), code.arg());
        }
        self.fabric.now = to;
    }

    fn handle(&mut self, event: u8, source: u32, arg: u32) {
        let fabric = &mut self.fabric;
        match event {
            kind::SWEEP_DUE => self.sweeps.due(source, arg, fabric),
            kind::SWEEP_END => self.end_sweep(arg),
            kind::TUNED => fabric.attempt_event(CableId(source), arg, Input::Tuned),
            kind::RETRY => fabric.attempt_event(CableId(source), arg, Input::Retry),
            kind::EXHAUSTED => fabric.attempt_event(CableId(source), arg, Input::Exhausted),
            kind::FAULT_START => self.injection.start(arg, fabric),
            kind::FAULT_END => {
                self.injection.end(arg, fabric);
            }
            kind::FAILOVER => self.sweeps.take_over(source, arg, fabric),
            _ => unreachable!("no event of kind {event} is scheduled"),
        }
    }

    fn end_sweep(&mut self, epoch: u32) {
        let Some((sweep, reading)) = self.sweeps.end(epoch, &self.fabric) else { return };
        match (sweep, reading) {
            (SweepKind::Deployment, Reading::Deployment(sent)) => {
                self.fabric.finish_deployment(&sent);
                crate::stored::finish_enforcements(self);
            }
            (SweepKind::Routing, Reading::Links(read)) => {
                if self.fabric.finish_routing(&read) {
                    self.traffic.update(&self.fabric);
                }
                crate::stored::finish_routing(self);
            }
            (_, Reading::Links(read)) => {
                self.fabric.finish_topology(&read);
                self.check_health();
            }
            (_, Reading::Deployment(_)) => unreachable!("only a deployment reads configurations"),
        }
        self.sweeps.go_on(&mut self.fabric);
    }

    /// Compares health with the last check and reports changes.
    fn check_health(&mut self) {
        let fabric = &mut self.fabric;
        let count = |phase: Phase| fabric.by_phase[phase as usize];
        let lost = count(Phase::Faulty) + count(Phase::Failed) + count(Phase::NoPeer);
        let next = Health {
            runtime: fabric.n_unreachable == 0,
            configuration: fabric.undeployed.is_empty() && count(Phase::Mismatch) == 0,
            traffic: lost + count(Phase::Tuning) == 0,
        };
        let last = std::mem::replace(&mut self.health, next);
        for (sensor, before, after) in [
            (Sensor::Runtime, last.runtime, next.runtime),
            (Sensor::Configuration, last.configuration, next.configuration),
            (Sensor::Traffic, last.traffic, next.traffic),
        ] {
            if before != after {
                fabric.emit(sensor, Site::Fabric, f32::from(u8::from(after)));
            }
        }
    }

    /// Load of a link as a fraction of its rate; none while it is down.
    pub(crate) fn load(&self, cable: CableId) -> f64 {
        if !self.fabric.is_up(cable) {
            return 0.0;
        }
        let there = self.fabric.wiring.cables[cable].there;
        self.traffic.loads.of(cable) / self.fabric.machine.links.gap[there].bytes_per_s()
    }

    /// Bytes per second that enter a switch through a port.
    pub(crate) fn bandwidth(&self, port: PortId) -> f64 {
        let wiring = &self.fabric.wiring;
        match self.fabric.is_up(wiring.ports[port].cable) {
            true => self.traffic.loads.received(wiring, port),
            false => 0.0,
        }
    }

    /// Answers a request. A change takes effect now and enters the log.
    pub fn apply(&mut self, request: &Request) -> Response {
        let query = match Query::parse(&request.query) {
            Ok(query) => query,
            Err(message) => return Response::bad(message),
        };
        let response = resources::answer(self, request, &query);
        if request.is_mutation() && response.status < 400 {
            let text = serde_json::to_string(request).expect("requests are plain data");
            let mut digest = Digest::default();
            text.bytes().for_each(|byte| digest.mix(byte.into()));
            self.fabric.record(15, 0, digest.0);
            self.log.push((self.fabric.now, request.clone()));
        }
        response
    }

    /// A hash of every change of state so far.
    pub fn digest(&self) -> Digest {
        self.fabric.digest
    }

    /// The requests that changed the state, with their times in seconds.
    pub fn log(&self) -> impl Iterator<Item = (f64, &Request)> {
        self.log.iter().map(|(at, request)| (at.seconds(), request))
    }

    /// Telemetry events from number `since` on, at most `limit`.
    pub fn events(&self, since: u64, limit: usize) -> Value {
        crate::telemetry::events(&self.fabric, since, limit)
    }

    /// A query of metrics.
    pub fn metrics(&self, query: &str) -> Response {
        match Query::parse(query) {
            Ok(query) => crate::views::metrics(self, &query),
            Err(message) => Response::bad(message),
        }
    }

    /// The counts of `fmn-show-status`.
    pub fn status(&self) -> Value {
        crate::views::status(self)
    }

    /// Groups, switches and links in arrays, for pages that draw them.
    pub fn layout(&self) -> Value {
        crate::views::layout(self)
    }
}
