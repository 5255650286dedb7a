//! Fault schedules in requests, and their effects in results.

use super::{MachineRequest, fidelity};
use crate::outcome::{Fidelity, Outcome};
use base::Span;
use machine::faults::FaultSchedule;
use machine::{InputError, Machine};
use net::Counters;
use serde::{Deserialize, Serialize};

/// A fault schedule: the text of a named file, or a seed to draw one.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum FaultsRequest {
    File { name: String, toml: String },
    Random { seed: u64, n: u32 },
}

/// Approximate length of random schedules; see `FaultSchedule::random`.
const HORIZON: Span = Span::ms(1_000);

/// Maximum number of random faults.
const MOST: u32 = 100_000;

/// Network errors that an MPI library reports at the end of a job, on a machine with a fault
/// schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct NetworkRow {
    /// Packet timers of NICs that expired: Cray MPICH's "network timeouts", `spt_timeouts` of the
    /// retry handler.
    pub network_timeouts: u64,
    pub packets_lost: u64,
    pub packets_resent: u64,
    /// Packets that a link sent again after a bit error: `llr_tx_replay_event`.
    pub link_retries: u64,
    pub messages_failed: u64,
}

impl NetworkRow {
    pub fn of(counters: &Counters) -> NetworkRow {
        NetworkRow {
            network_timeouts: counters.timeouts,
            packets_lost: counters.lost_packets,
            packets_resent: counters.resent_packets,
            link_retries: counters.link_retries,
            messages_failed: counters.failed_messages,
        }
    }
    /// Adds those of another run.
    pub(super) fn add(&mut self, other: NetworkRow) {
        self.network_timeouts += other.network_timeouts;
        self.packets_lost += other.packets_lost;
        self.packets_resent += other.packets_resent;
        self.link_retries += other.link_retries;
        self.messages_failed += other.messages_failed;
    }
    /// Of a run on a machine with a fault schedule.
    pub(super) fn of_run(machine: &Machine, outcome: &Outcome) -> Option<NetworkRow> {
        machine.faults.as_ref().map(|_| NetworkRow::of(&outcome.counters))
    }
}

fn drawn_or_parsed(
    request: &FaultsRequest,
    machine: &Machine,
) -> Result<FaultSchedule, Vec<InputError>> {
    match request {
        FaultsRequest::File { name, toml } => FaultSchedule::parse(name, toml, machine),
        FaultsRequest::Random { seed, n } if *n <= MOST => {
            Ok(FaultSchedule::random(machine, *seed, *n, HORIZON))
        }
        FaultsRequest::Random { n, .. } => {
            let wanted = format!("at most {MOST} faults");
            Err(vec![InputError::new("faults", n.to_string(), wanted)])
        }
    }
}

/// The machine with the fault schedule of its request.
pub(super) fn apply(
    machine: Machine,
    request: Option<&FaultsRequest>,
) -> Result<Machine, Vec<InputError>> {
    let Some(request) = request else { return Ok(machine) };
    let schedule = drawn_or_parsed(request, &machine)?;
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
    let wanted = "`packet` with temporary faults and bit errors: other fidelities have no packets \
                  to affect";
    Err(InputError::new("fidelity", name, wanted))
}

/// A fault schedule as TOML, `odonata faults`.
pub fn faults(request: &MachineRequest) -> Result<String, Vec<InputError>> {
    let bare = MachineRequest { faults: None, ..request.clone() };
    let machine = super::machine(&bare, None)?;
    let Some(request) = &request.faults else {
        return Err(vec![InputError::new("faults", "", "a fault schedule")]);
    };
    let schedule = drawn_or_parsed(request, &machine)?;
    let text = schedule.to_toml(&machine);
    machine.with_faults(&schedule).map_err(|input_error| vec![input_error])?;
    Ok(text)
}
