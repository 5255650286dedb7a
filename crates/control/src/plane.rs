//! The control plane: its event loop, requests by resource, and their log.
//!
//! Owns the components and knows which one an event or a request is for. A request takes effect at
//! the time that `advance` has reached.

use base::{Digest, Span, Time};
use machine::{InputError, Machine};
use serde_json::{Map, Value};

use crate::documents::{Documents, Request, Response};
use crate::fabric::{END_S, Fabric, kind};
use crate::filter::Query;
use crate::injection::Injection;
use crate::link_state::{Input, Phase};
use crate::options::Options;
use crate::state::{Health, Maintenances, PlaneState};
use crate::sweeps::{Reading, SweepKind, Sweeps};
use crate::telemetry::{Sensor, Site};
use crate::traffic::Traffic;
use crate::wiring::CableId;
use crate::{cabling_files, event_documents, maintenance, resources, stored, views};

/// A fabric, its manager, and the documents of both.
pub struct ControlPlane {
    state: PlaneState,
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
        let mut state = PlaneState {
            fabric,
            traffic,
            maintenances: Maintenances::default(),
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
        stored::add_presets(&mut state);
        let mut plane = ControlPlane { state };
        plane.schedule_performance();
        Ok(plane)
    }

    pub fn now(&self) -> Time {
        self.state.fabric.now
    }

    /// Runs sweeps, links and faults up to a time in seconds, rounded to microseconds. A time in
    /// the past has no effect; one beyond `END_S` is that.
    pub fn advance(&mut self, to_s: f64) {
        let micros = (to_s.clamp(0.0, END_S) * 1e6).round() as u64;
        let to = Time(micros * 1_000_000);
        if to <= self.state.fabric.now {
            return;
        }
        while let Some((at, code)) = self.state.fabric.queue.pop_before(Time(to.0 + 1)) {
            self.state.fabric.now = at;
            self.handle(code.kind(), code.source(), code.arg());
        }
        self.state.fabric.now = to;
    }

    fn handle(&mut self, event: u8, source: u32, arg: u32) {
        let fabric = &mut self.state.fabric;
        match event {
            kind::SWEEP_DUE => self.state.sweeps.due(source, arg, fabric),
            kind::SWEEP_END => self.end_sweep(arg),
            kind::TUNED => fabric.attempt_event(CableId(source), arg, Input::Tuned),
            kind::RETRY => fabric.attempt_event(CableId(source), arg, Input::Retry),
            kind::EXHAUSTED => fabric.attempt_event(CableId(source), arg, Input::Exhausted),
            kind::FAULT_START => self.state.injection.start(arg, fabric),
            kind::FAULT_END => {
                self.state.injection.end(arg, fabric);
            }
            kind::FAILOVER => self.state.sweeps.take_over(source, arg, fabric),
            kind::MAINTENANCE => maintenance::timer(&mut self.state, arg),
            kind::PERFORMANCE => self.report_performance(),
            _ => unreachable!("no event of kind {event} is scheduled"),
        }
    }

    fn end_sweep(&mut self, epoch: u32) {
        let Some((sweep, reading)) = self.state.sweeps.end(epoch, &self.state.fabric) else {
            return;
        };
        match (sweep, reading) {
            (SweepKind::Deployment, Reading::Deployment(sent)) => {
                self.state.fabric.finish_deployment(&sent);
                stored::finish_enforcements(&mut self.state);
            }
            (SweepKind::Routing, Reading::Links(read)) => {
                self.report_routing_errors(&read);
                if self.state.fabric.finish_routing(&read) {
                    self.state.traffic.invalidate();
                }
                stored::finish_routing(&mut self.state);
            }
            (_, Reading::Links(read)) => {
                self.state.fabric.finish_topology(&read);
                self.check_health();
            }
            (_, Reading::Deployment(_)) => unreachable!("only a deployment reads configurations"),
        }
        maintenance::check_all(&mut self.state);
        self.state.sweeps.go_on(&mut self.state.fabric);
    }

    fn schedule_performance(&mut self) {
        if self.state.options.performance_s > 0.0 {
            let interval = Span::from_seconds(self.state.options.performance_s);
            self.state.fabric.schedule(interval, kind::PERFORMANCE, 0, 0);
        }
    }

    /// Reports the bandwidth of each port that receives traffic.
    fn report_performance(&mut self) {
        let loaded = self.state.traffic.loads(&self.state.fabric).loaded().map(|(cable, _)| cable);
        let loaded: Vec<CableId> = loaded.filter(|&cable| self.state.fabric.is_up(cable)).collect();
        for cable in loaded {
            for port in self.state.fabric.wiring.cables[cable].ports() {
                let rate = self.state.bandwidth(port) as f32;
                self.state.fabric.emit(Sensor::RxBandwidth, Site::Port(port), rate);
            }
        }
        self.schedule_performance();
    }

    /// Reports links that routing used although they are down, if jobs are on the fabric. Whether
    /// a job uses the link is not considered.
    fn report_routing_errors(&mut self, read: &[(CableId, bool)]) {
        if self.state.traffic.jobs.is_empty() {
            return;
        }
        let fabric = &mut self.state.fabric;
        for &(cable, is_usable) in read {
            if !is_usable && !fabric.is_drained(cable) && fabric.is_routed(cable) {
                for port in fabric.wiring.cables[cable].ports() {
                    fabric.emit(Sensor::RoutingErrors, Site::Port(port), 1.0);
                }
            }
        }
    }

    /// Compares health with the last check and reports changes.
    fn check_health(&mut self) {
        let fabric = &mut self.state.fabric;
        let count = |phase: Phase| fabric.by_phase[phase as usize];
        let lost = count(Phase::Faulty) + count(Phase::Failed) + count(Phase::NoPeer);
        let next = Health {
            runtime: fabric.n_unreachable == 0,
            configuration: fabric.undeployed.is_empty() && count(Phase::Mismatch) == 0,
            traffic: lost + count(Phase::Tuning) == 0,
        };
        let last = std::mem::replace(&mut self.state.health, next);
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

    /// Answers a request. A change takes effect now and enters the log.
    pub fn apply(&mut self, request: &Request) -> Response {
        let query = match Query::parse(&request.query) {
            Ok(query) => query,
            Err(message) => return Response::bad(message),
        };
        let response = resources::answer(&mut self.state, request, &query);
        if request.is_mutation() && response.status < 400 {
            let text = serde_json::to_string(request).expect("requests are plain data");
            let mut digest = Digest::default();
            text.bytes().for_each(|byte| digest.mix(byte.into()));
            self.state.fabric.record(15, 0, digest.0);
            self.state.log.push((self.state.fabric.now, request.clone()));
        }
        response
    }

    /// A hash of every change of state so far.
    pub fn digest(&self) -> Digest {
        self.state.fabric.digest
    }

    /// The requests that changed the state, with their times in seconds.
    pub fn log(&self) -> impl Iterator<Item = (f64, &Request)> {
        self.state.log.iter().map(|(at, request)| (at.seconds(), request))
    }

    /// Telemetry events from number `since` on, at most `limit`.
    pub fn events(&self, since: u64, limit: usize) -> Value {
        event_documents::events(&self.state.fabric, since, limit)
    }

    /// The state as fault schedules and keys of the machine file; see `condition`.
    pub fn fabric_state(&self, targets: &[String]) -> Result<Value, Vec<InputError>> {
        self.state.fabric_state(targets)
    }

    /// A query of metrics.
    pub fn metrics(&self, query: &str) -> Response {
        match Query::parse(query) {
            Ok(query) => views::metrics(&self.state, &query),
            Err(message) => Response::bad(message),
        }
    }

    /// The counts of `fmn-show-status`.
    pub fn status(&self) -> Value {
        views::status(&self.state)
    }

    /// Groups, switches and links in arrays, for pages that draw them.
    pub fn layout(&self) -> Value {
        views::layout(&self.state)
    }

    /// The files of the cabling: `point-to-point`, `fabric-template` or `arp`. `None` for another
    /// name.
    pub fn cabling(&self, file: &str) -> Option<String> {
        let fabric = &self.state.fabric;
        let (machine, wiring, names) = (&fabric.machine, &fabric.wiring, &fabric.names);
        Some(match file {
            "point-to-point" => cabling_files::point_to_point(machine, wiring, names),
            "fabric-template" => cabling_files::fabric_template(machine, wiring, names).to_string(),
            "arp" => cabling_files::arp_table(machine, wiring, names),
            _ => return None,
        })
    }

    /// How a point-to-point file differs from the cabling of the machine.
    pub fn compare_cabling(&self, text: &str) -> Result<Value, Vec<InputError>> {
        let rows = cabling_files::read_point_to_point(text)?;
        let fabric = &self.state.fabric;
        Ok(cabling_files::differences(&fabric.machine, &fabric.wiring, &fabric.names, &rows))
    }
}
