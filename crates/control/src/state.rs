//! The state of a control plane: its components, and the records that several resources share.
//!
//! Has no rules: `plane` runs the events, and each resource has its own module.

use std::collections::BTreeMap;

use base::Time;
use machine::SwitchId;
use serde_json::{Map, Value};

use crate::documents::{Documents, Request};
use crate::fabric::{Fabric, of_profile};
use crate::injection::Injection;
use crate::link_state::LANES;
use crate::options::Options;
use crate::sweeps::Sweeps;
use crate::traffic::Traffic;
use crate::wiring::{CableId, PortId};

/// A fabric, its manager, and the documents of both.
pub struct PlaneState {
    pub fabric: Fabric,
    pub sweeps: Sweeps,
    pub injection: Injection,
    pub documents: Documents,
    pub traffic: Traffic,
    pub maintenances: Maintenances,
    pub health: Health,
    pub options: Options,
    /// VNI blocks that a deployment sweep has yet to enforce.
    pub enforcements: Vec<Enforcement>,
    /// The routing policy that switches use, and since when another one is requested.
    pub routing: Map<String, Value>,
    pub routing_changed: Option<Time>,
    /// Changes that were acknowledged, with their times.
    pub log: Vec<(Time, Request)>,
}

/// Health of the fabric as of the last sweep of the topology.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Health {
    pub runtime: bool,
    pub configuration: bool,
    pub traffic: bool,
}

impl PlaneState {
    pub fn now(&self) -> Time {
        self.fabric.now
    }

    /// Rate of a link with the lanes that it uses, in bytes per second.
    pub fn rate(&self, cable: CableId) -> f64 {
        let there = self.fabric.wiring.cables[cable].there;
        let lanes = f64::from(self.fabric.lanes_in_use(cable)) / f64::from(LANES);
        self.fabric.machine.links.gap[there].bytes_per_s() * lanes
    }

    /// Load of a link as a fraction of its rate; none while it is down.
    pub fn load(&self, cable: CableId) -> f64 {
        if !self.fabric.is_up(cable) {
            return 0.0;
        }
        self.traffic.loads(&self.fabric).of(cable) / self.rate(cable)
    }

    /// Bytes per second that enter a switch through a port.
    pub fn bandwidth(&self, port: PortId) -> f64 {
        let wiring = &self.fabric.wiring;
        match self.fabric.is_up(wiring.ports[port].cable) {
            true => self.traffic.loads(&self.fabric).received(wiring, port),
            false => 0.0,
        }
    }
}

/// A task that waits until the switches of a VNI block have it.
#[derive(Clone, Debug)]
pub struct Enforcement {
    pub link: String,
    pub since: Time,
    pub switches: Vec<SwitchId>,
    pub sweeps: u32,
}

/// Stage of a maintenance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    Draining,
    Offline,
    Diagnosing,
    Restoring,
    Finished,
    Failed,
}

impl Stage {
    pub fn name(self) -> &'static str {
        match self {
            Stage::Draining => "DRAINING",
            Stage::Offline => "OFFLINE",
            Stage::Diagnosing => "DIAGNOSING",
            Stage::Restoring => "RESTORING",
            Stage::Finished => "FINISHED",
            Stage::Failed => "FAILED",
        }
    }
    pub fn is_over(self) -> bool {
        matches!(self, Stage::Finished | Stage::Failed)
    }
}

/// One maintenance.
#[derive(Clone, Debug)]
pub struct Maintenance {
    pub targets: Vec<String>,
    pub cables: Vec<CableId>,
    pub stage: Stage,
    /// Stays offline until an operator restores it.
    pub holds: bool,
    pub drains: bool,
    /// Its links have not been given back: routing avoids them, or their ports are offline.
    pub has_links: bool,
    /// Policies of the ports before.
    pub saved: Vec<(PortId, Vec<String>)>,
    pub entered: Time,
    pub created: Time,
    /// Changes of stage, for the history in its document.
    pub history: Vec<(Stage, Time)>,
    pub problem: String,
    /// Number of its timer events.
    pub number: u32,
}

/// All maintenances by name.
#[derive(Default)]
pub struct Maintenances {
    pub all: BTreeMap<String, Maintenance>,
    pub next: u32,
}

impl Maintenances {
    /// Replaces the saved policies of a QoS profile by those of another one, so that the end of a
    /// maintenance does not revert a change of the profile.
    pub fn set_saved_profile(&mut self, profile: &str) {
        let saved = self.all.values_mut().flat_map(|own| &mut own.saved);
        for name in saved.flat_map(|(_, names)| names) {
            *name = of_profile(name, profile);
        }
    }
}
