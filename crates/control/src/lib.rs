//! Layer 3: the control plane of a fabric manager, in simulated time.
//!
//! One agent per switch has a desired and an actual configuration; a manager closes the gap with
//! periodic sweeps; links have a state machine; documents describe all of it over a REST interface.
//! Deterministic: its state is a function of the machine, the seed and the log of requests with
//! their times. No network, no files, no clock. Its key idea: a sweep costs what has changed, so a
//! day of an idle machine is a few ten thousand events.

mod cabling_files;
mod components;
mod condition;
mod documents;
mod event_documents;
mod fabric;
mod filter;
mod injection;
mod jobs;
mod link_state;
mod maintenance;
mod options;
mod plane;
mod policy;
mod resources;
mod simulation;
mod state;
mod stored;
mod sweeps;
mod telemetry;
mod traffic;
mod views;
mod wiring;
mod xnames;

pub use cabling_files::{
    Row, arp_table, differences, fabric_template, point_to_point, read_point_to_point,
    read_template,
};
pub use documents::{Request, Response};
pub use fabric::END_S;
pub use link_state::{Conditions, Configured, Input, Outcome, Phase, next};
pub use options::{Options, RandomFaults};
pub use plane::ControlPlane;
pub use wiring::{Cable, CableId, FarEnd, Port, PortId, Wiring};
pub use xnames::{Component, Mac, Names};
