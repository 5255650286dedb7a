//! Notes on calls that the MPI standard forbids and the simulated library accepts.

use live::LiveOutcome;
use workload::functions::function_name;
use workload::wire::accepted;

/// The violation in such a call.
fn fault(kind: usize) -> &'static str {
    match kind {
        accepted::ALIASED_BUFFERS => "the same buffer for sending and receiving",
        accepted::NEGATIVE_COLOR => "a negative color that is not MPI_UNDEFINED",
        accepted::REPEATED_RANK => "a rank listed twice",
        accepted::BLOCK_LENGTHS => "a block to itself of another length than the one received",
        _ => "a message that ends within an element of the receive's datatype",
    }
}

/// One note per kind of violation, with the first rank that made such a call.
pub(super) fn notes(live: &LiveOutcome, library: &str) -> Vec<String> {
    let calls = live.accepted.iter().enumerate().filter_map(|(kind, call)| Some((kind, (*call)?)));
    let note = |(kind, (rank, function))| {
        format!(
            "not legal in MPI, though {library} accepts it: {} on rank {rank} with {}",
            function_name(function),
            fault(kind)
        )
    };
    calls.map(note).collect()
}
