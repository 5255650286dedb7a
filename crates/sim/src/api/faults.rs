//! What a request says of faults, and what came of them.

use super::{MachineRequest, fidelity};
use crate::outcome::{Fidelity, Outcome};
use base::Span;
use machine::faults::FaultSchedule;
use machine::{InputError, Machine};
use net::Counters;
use serde::{Deserialize, Serialize};

/// A plan: the text of a file under a name of the user's, or a seed to draw one from.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum FaultsRequest {
    File { name: String, toml: String },
    Random { seed: u64, n: u32 },
}

/// Random plans are about so long; see `FaultSchedule::random`.
const HORIZON: Span = Span::ms(1_000);

/// Most faults that are drawn.
const MOST: u32 = 100_000;

/// What an MPI library tells of the network when a job ends on a machine with a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct NetworkRow {
    /// Timers of NICs that ran out for a packet: Cray MPICH's "network timeouts", `spt_timeouts` of
    /// the retry handler.
    pub network_timeouts: u64,
    pub packets_lost: u64,
    pub packets_resent: u64,
    /// Packets that a link sent again because a bit was wrong: `llr_tx_replay_event`.
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
    /// Those of another run, too.
    pub(super) fn add(&mut self, other: NetworkRow) {
        self.network_timeouts += other.network_timeouts;
        self.packets_lost += other.packets_lost;
        self.packets_resent += other.packets_resent;
        self.link_retries += other.link_retries;
        self.messages_failed += other.messages_failed;
    }
    /// Of a run on a machine with a plan.
    pub(super) fn of_run(machine: &Machine, outcome: &Outcome) -> Option<NetworkRow> {
        machine.faults.as_ref().map(|_| NetworkRow::of(&outcome.counters))
    }
}

fn plan(request: &FaultsRequest, machine: &Machine) -> Result<FaultSchedule, Vec<InputError>> {
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

/// The machine with the plan that its request names.
pub(super) fn apply(
    machine: Machine,
    request: Option<&FaultsRequest>,
) -> Result<Machine, Vec<InputError>> {
    let Some(request) = request else { return Ok(machine) };
    let plan = plan(request, &machine)?;
    machine.with_faults(&plan).map_err(|input_error| vec![input_error])
}

/// Makes the machine what a network of that fidelity takes. Flows and the closed form know faults
/// that are there from the start and stay, and that hit all alike; who asks for others is told.
pub(super) fn fit(machine: &mut Machine, name: &str) -> Result<(), InputError> {
    let Some(faults) = &machine.faults else { return Ok(()) };
    if fidelity(name).is_ok_and(|fidelity| fidelity == Fidelity::Packet) {
        return Ok(());
    }
    if faults.is_static() {
        machine.apply_lane_loss();
        return Ok(());
    }
    let wanted = "`packet` with faults that come or go, and bit errors: others have no packets \
                  that these could hit";
    Err(InputError::new("fidelity", name, wanted))
}

/// A plan as TOML, `odonata faults`.
pub fn faults(request: &MachineRequest) -> Result<String, Vec<InputError>> {
    let bare = MachineRequest { faults: None, ..request.clone() };
    let machine = super::machine(&bare, None)?;
    let Some(request) = &request.faults else {
        return Err(vec![InputError::new("faults", "", "a plan")]);
    };
    let plan = plan(request, &machine)?;
    let text = plan.to_toml(&machine);
    machine.with_faults(&plan).map_err(|input_error| vec![input_error])?;
    Ok(text)
}
