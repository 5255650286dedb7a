//! The calls of a model as rows, which Python compares with a recording.

use machine::InputError;
use phases::{Compiled, ListedCall, Listing, Program};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AppCallsRequest {
    pub program: Program,
    pub seed: u64,
}

/// Calls of all ranks.
#[derive(Clone, Debug, Serialize)]
pub struct AppCallsResult {
    pub phases: Vec<String>,
    /// Members of the communicators of collectives, in rank order.
    pub communicators: BTreeMap<u32, Vec<u32>>,
    /// Kernels of the computations, by number; empty if the model states the time.
    pub kernels: Vec<String>,
    /// By rank: `[op, phase, peer, bytes, back, communicator, low, high, is_optional, grain, head,
    /// blocks]`. The `op` of a computation is `compute`, and its `peer` the number.
    pub ranks: Vec<Vec<CallRow>>,
}

#[derive(Clone, Debug, Serialize)]
pub struct CallRow(
    pub &'static str,
    pub u32,
    pub u32,
    pub u64,
    pub u64,
    pub u32,
    pub Option<u64>,
    pub Option<u64>,
    pub bool,
    pub u64,
    pub u64,
    pub Vec<(u64, u64)>,
);

/// Calls of one rank that are listed.
const MOST_CALLS: usize = 1 << 20;

pub fn app_calls(request: &AppCallsRequest) -> Result<AppCallsResult, Vec<InputError>> {
    let mut program = Compiled::new(&request.program, request.seed).map_err(|errors| {
        let of = |error: phases::ProgramError| {
            InputError::new(format!("model, {}", error.at), error.found, error.expected)
        };
        errors.into_iter().map(of).collect::<Vec<_>>()
    })?;
    program.simulate_all_iterations();
    let listing = Listing { program: &program };
    let mut communicators = BTreeMap::new();
    let mut ranks = Vec::new();
    for rank in 0..program.ranks {
        let Some(calls) = listing.calls(rank, MOST_CALLS) else {
            let expected = format!("at most {MOST_CALLS} per rank: fewer iterations");
            return Err(vec![InputError::new("model", "more calls", expected)]);
        };
        for call in &calls {
            let of = call.communicator;
            communicators.entry(of).or_insert_with(|| listing.members(of).to_vec());
        }
        ranks.push(calls.into_iter().map(row).collect());
    }
    let kernel = |of: &phases::Computation| match of.seconds {
        Some(_) => String::new(),
        None => of.kernel.clone(),
    };
    let kernels = program.computations.iter().map(kernel).collect();
    Ok(AppCallsResult { phases: program.phases.clone(), communicators, kernels, ranks })
}

fn row(call: ListedCall) -> CallRow {
    let (low, high) = (call.range.map(|range| range.0), call.range.map(|range| range.1));
    CallRow(
        call.op,
        call.phase,
        call.peer,
        call.bytes,
        call.back,
        call.communicator,
        low,
        high,
        call.is_optional,
        call.grain,
        call.head,
        call.blocks,
    )
}
