//! The message budget of a call: how much each message counts.
//!
//! It has no knowledge of what a budget simulates. Key idea: weights keep the time of one budget
//! below half a minute at each fidelity.

use crate::Fidelity;
use collectives::{Algorithm, Collective, Kind};

/// Cost of a message at flow fidelity, in messages in closed form.
const FLOWS_COST: u64 = 10;

/// The same of long messages if each rank has many at once that end at different times. Rates
/// change whenever one ends. Of an alltoallv on 64 nodes of Aurora, 8,000 messages of 64 KiB to
/// 4 MiB took 4 s of CPU time.
const LONG_FLOWS_COST: u64 = 40;
const LONG: u64 = 32 << 10;

/// Weight of a message in the message budget.
pub(crate) fn cost(fidelity: Fidelity) -> u64 {
    if fidelity == Fidelity::Flow { FLOWS_COST } else { 1 }
}

/// Weight of a message of a call.
pub(crate) fn cost_of(call: &Collective, fidelity: Fidelity) -> u64 {
    if fidelity == Fidelity::Flow && has_long_windows(call) {
        return LONG_FLOWS_COST;
    }
    cost(fidelity)
}

/// Whether each rank has many long messages at once that end at different times. Those of `chunked`
/// end together: 590,000 of 128 KiB took 17 s of CPU time on 24 nodes of Elbert.
pub(crate) fn has_long_windows(call: &Collective) -> bool {
    matches!(call.algorithm, Algorithm::Scattered { .. }) && call.bytes >= LONG
}

/// Weight of a message of a call in waves of rounds in which all ranks are simulated, each with one
/// partner. Six waves may exceed the limit of a sample, because short messages are fast.
///
/// Per second of CPU time, 82,000 messages of 1 KiB, 23,000 of 8 KiB, 7,000 of 32 KiB and 4,900 of
/// 64 KiB were measured in pairwise exchanges among 9,658 nodes of Aurora. Long messages of
/// successive rounds overlap, which changes more rates at once.
pub(super) fn cost_in_waves(call: &Collective) -> u64 {
    match piece(call) {
        0..=0x1000 => 1,
        0x1001..=0x4000 => 4,
        _ => FLOWS_COST,
    }
}

/// Bytes of the longest piece for one rank.
pub(super) fn piece(call: &Collective) -> u64 {
    let p = u64::from(call.member.size);
    match call.kind {
        Kind::Bcast | Kind::Allreduce | Kind::ReduceScatter => call.bytes.div_ceil(p),
        _ => call.bytes,
    }
}

/// Number of messages of a call that the budget `messages` allows.
pub(crate) fn messages_allowed(fidelity: Fidelity, messages: u64) -> u64 {
    messages / cost(fidelity)
}

/// The budget that allows so many messages.
pub(crate) fn messages_needed(fidelity: Fidelity, messages: f64) -> u64 {
    (messages.ceil() as u64).saturating_mul(cost(fidelity))
}
