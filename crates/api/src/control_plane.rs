//! The control plane of a fabric manager in requests, and snapshots of it.

use control::{ControlPlane, Options, Request};
use machine::InputError;
use serde::{Deserialize, Serialize};

use super::{MachineRequest, machine_without_faults};

/// The machine, the seed of all draws, and the options of a control plane.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ControlRequest {
    pub machine: NamedMachine,
    #[serde(default)]
    pub seed: u64,
    #[serde(default)]
    pub options: Options,
}

/// A preset's name, or a request as other commands have it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum NamedMachine {
    Preset(String),
    Request(MachineRequest),
}

impl NamedMachine {
    fn request(&self) -> MachineRequest {
        match self {
            NamedMachine::Request(request) => request.clone(),
            NamedMachine::Preset(name) => MachineRequest {
                name: name.clone(),
                toml: None,
                file: None,
                like: Vec::new(),
                set: Vec::new(),
                faults: None,
            },
        }
    }
}

/// The state of a control plane: it is a function of these.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ControlSnapshot {
    pub request: ControlRequest,
    pub now_s: f64,
    /// Changes in order, with their times in seconds.
    pub log: Vec<(f64, Request)>,
}

/// A control plane at time zero.
pub fn control_plane(request: &ControlRequest) -> Result<ControlPlane, Vec<InputError>> {
    let machine = request.machine.request();
    if machine.faults.is_some() {
        let expected = "no fault schedule: faults are requests to the control plane";
        return Err(vec![InputError::new("faults", "a schedule", expected)]);
    }
    let machine = machine_without_faults(&machine, None)?;
    ControlPlane::new(machine, request.seed, request.options.clone())
}

/// What `restored` needs to repeat the state of a control plane.
pub fn snapshot(request: &ControlRequest, plane: &ControlPlane) -> ControlSnapshot {
    let log = plane.log().map(|(at, request)| (at, request.clone())).collect();
    ControlSnapshot { request: request.clone(), now_s: plane.now().seconds(), log }
}

/// The control plane of a snapshot: all its requests at their times.
pub fn restored(snapshot: &ControlSnapshot) -> Result<ControlPlane, Vec<InputError>> {
    let mut plane = control_plane(&snapshot.request)?;
    for (at, request) in &snapshot.log {
        plane.advance(*at);
        plane.apply(request);
    }
    plane.advance(snapshot.now_s);
    Ok(plane)
}
