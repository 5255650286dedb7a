//! Fault schedules in requests, and their effects in results.

use super::{MachineRequest, fidelity};
use base::Span;
use machine::faults::FaultSchedule;
use machine::{InputError, Machine};
use serde::{Deserialize, Serialize};
use sim::Fidelity;

/// A fault schedule: the text of a named file, or a seed to draw one.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FaultsRequest {
    File { name: String, toml: String },
    Random { seed: u64, n: u32 },
}

/// Approximate length of random schedules; see `FaultSchedule::random`.
const HORIZON: Span = Span::ms(1_000);

/// Maximum number of random faults.
const MOST: u32 = 100_000;

fn fault_schedule(
    request: &FaultsRequest,
    machine: &Machine,
) -> Result<FaultSchedule, Vec<InputError>> {
    match request {
        FaultsRequest::File { name, toml } => FaultSchedule::parse(name, toml, machine),
        FaultsRequest::Random { seed, n } if *n <= MOST => {
            Ok(FaultSchedule::random(machine, *seed, *n, HORIZON))
        }
        FaultsRequest::Random { n, .. } => {
            let expected = format!("at most {MOST} faults");
            Err(vec![InputError::new("faults", n.to_string(), expected)])
        }
    }
}

/// The machine with the fault schedule of its request.
pub(super) fn apply(
    machine: Machine,
    request: Option<&FaultsRequest>,
) -> Result<Machine, Vec<InputError>> {
    let Some(request) = request else { return Ok(machine) };
    let schedule = fault_schedule(request, &machine)?;
    machine.with_faults(&schedule).map_err(|input_error| vec![input_error])
}

/// Adapts the machine to a fidelity. Flows and the closed form support only permanent faults that
/// exist from the start and affect all alike; others are input errors.
pub(super) fn fit(machine: &mut Machine, name: &str) -> Result<(), InputError> {
    let Some(faults) = &machine.faults else { return Ok(()) };
    if fidelity(name).is_ok_and(|fidelity| fidelity == Fidelity::Packet) {
        return Ok(());
    }
    if faults.is_static() {
        machine.apply_lane_loss();
        return Ok(());
    }
    let expected = "`packet` with temporary faults and bit errors: other fidelities have no \
                    packets to affect";
    Err(InputError::new("fidelity", name, expected))
}

/// A fault schedule as TOML, `odonata faults`.
pub fn faults(request: &MachineRequest) -> Result<String, Vec<InputError>> {
    let bare = MachineRequest { faults: None, ..request.clone() };
    let machine = super::machine(&bare, None)?;
    let Some(request) = &request.faults else {
        return Err(vec![InputError::new("faults", "", "a fault schedule")]);
    };
    let schedule = fault_schedule(request, &machine)?;
    let text = schedule.to_toml(&machine);
    machine.with_faults(&schedule).map_err(|input_error| vec![input_error])?;
    Ok(text)
}
