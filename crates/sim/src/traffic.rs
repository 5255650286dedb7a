//! Open-loop synthetic traffic: every NIC generates packets at a constant mean rate, whether or not
//! the network keeps up. The result is the accepted load and the latency. Theory:
//! docs/models/saturation.md.
//!
//! Each load is a simulation of its own: sources, an infinite queue per NIC, one packet per
//! message. Sources start idle, and a window is measured after the warm-up. Sources then continue
//! until every packet of the window has arrived, so that late packets see the same load. That lasts
//! at most as long as warm-up and window did.

use std::sync::Mutex;

use base::{Span, Time};
use machine::{InputError, Machine};
use net::Windowed;
use packet::PacketNetwork;

use self::load_simulation::Load;
pub use self::request::{
    BackgroundLoad, Engine, Finish, LoadOutcome, SliceRow, TrafficRequest, TrafficRow,
    TrafficSetting,
};
pub use crate::engine::EngineChoice;
use crate::outcome::Fidelity;
pub use crate::patterns::{Destinations, PATTERNS};
use crate::timeline::Timeline;

mod histogram;
mod load_simulation;
mod request;
mod slices;

/// Runs one load of `request` on `threads` cores (0 means one). `finish` selects the end condition.
/// Fails if the request is invalid.
pub fn one_load(
    machine: &Machine,
    fidelity: Fidelity,
    request: &TrafficRequest,
    load: f64,
    finish: Finish,
    tick: &mut dyn FnMut(Time, u64) -> bool,
) -> Result<LoadOutcome, Vec<InputError>> {
    one_load_at(machine, fidelity, request, &TrafficSetting::default(), load, finish, tick)
}

/// The same between selected NICs, and with background traffic.
pub fn one_load_at(
    machine: &Machine,
    fidelity: Fidelity,
    request: &TrafficRequest,
    setting: &TrafficSetting,
    load: f64,
    finish: Finish,
    tick: &mut dyn FnMut(Time, u64) -> bool,
) -> Result<LoadOutcome, Vec<InputError>> {
    run_load(machine, fidelity, request, setting, (load, finish, None), tick)
}

/// Runs one load as a whole, and records the loads of links.
pub fn one_load_with_timeline(
    machine: &Machine,
    fidelity: Fidelity,
    request: &TrafficRequest,
    setting: &TrafficSetting,
    (load, timeline): (f64, &Mutex<Timeline>),
    tick: &mut dyn FnMut(Time, u64) -> bool,
) -> Result<LoadOutcome, Vec<InputError>> {
    let what = (load, Finish::Measured, Some(timeline));
    run_load(machine, fidelity, request, setting, what, tick)
}

fn run_load(
    machine: &Machine,
    fidelity: Fidelity,
    request: &TrafficRequest,
    setting: &TrafficSetting,
    (load, finish, timeline): (f64, Finish, Option<&Mutex<Timeline>>),
    tick: &mut dyn FnMut(Time, u64) -> bool,
) -> Result<LoadOutcome, Vec<InputError>> {
    let destinations = &check(machine, request, setting)?;
    let load = Load { machine, destinations, request, setting, load, finish, timeline };
    let threads = if timeline.is_some() { 1 } else { request.threads.max(1) };
    Ok(match fidelity {
        Fidelity::Packet => load.run_packets::<PacketNetwork>(threads, tick),
        Fidelity::Flow => load.run::<flow::FlowNetwork>(tick),
        Fidelity::LogGp => load.run::<loggp::LogGpNetwork>(tick),
    })
}

/// The destinations of `request`, or all of its input errors.
pub fn check(
    machine: &Machine,
    request: &TrafficRequest,
    setting: &TrafficSetting,
) -> Result<Destinations, Vec<InputError>> {
    let mut input_errors = Vec::new();
    let to = match &setting.nics[..] {
        [] => Destinations::parse(&request.pattern, machine, request.seed),
        nics => Destinations::between(&request.pattern, machine, nics.to_vec(), request.seed),
    };
    if request.loads.is_empty() {
        input_errors.push(InputError::new("loads", "", "one load or more"));
    }
    for &load in &request.loads {
        // Below one in a million a run takes too long; above 16 it only grows queues.
        if !(1e-6..=16.0).contains(&load) {
            let expected = "a fraction of the injection rate, from 0.000001 to 16";
            input_errors.push(InputError::new("load", load.to_string(), expected));
        }
    }
    let most = machine.nic.packet_payload;
    if request.packet_bytes > most {
        let expected = format!("one packet's payload, at most {most} B on this machine");
        input_errors.push(InputError::new("packet", request.packet_bytes.to_string(), expected));
    }
    if request.packet_bytes + machine.nic.packet_overhead == 0 {
        let expected = "1 B or more: packets of this machine have no overhead";
        input_errors.push(InputError::new("packet", "0", expected));
    }
    if request.window == Span::ZERO {
        input_errors.push(InputError::new("time", "0 s", "a time above zero"));
    }
    // Far below 2^32 sequence numbers per source and the clock's 213 days.
    if request.window.0.saturating_add(request.warmup.0) > Span::ms(1_000_000).0 {
        let found = format!("{:e} s", request.window.seconds() + request.warmup.seconds());
        input_errors.push(InputError::new("time", found, "at most 1,000 s with the warm-up"));
    }
    if request.engine == EngineChoice::Window
        && let Err(reason) = PacketNetwork::window_length(machine, request.latest_end())
    {
        input_errors.push(InputError::new("engine", "window", format!("`event`: {reason}")));
    }
    if setting.in_order && !machine.keeps_flows {
        let expected = "a machine whose switches keep flows (switch.flows = \"kept\")";
        input_errors.push(InputError::new("ordered", "yes", expected));
    }
    match to {
        Ok(to) if input_errors.is_empty() => Ok(to),
        Ok(_) => Err(input_errors),
        Err(input_error) => {
            input_errors.insert(0, input_error);
            Err(input_errors)
        }
    }
}
