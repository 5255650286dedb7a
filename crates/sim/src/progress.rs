//! Progress of a run.

use base::Time;

/// Progress of a run, for the caller.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    pub now: Time,
    pub events: u64,
    pub starting: Option<StartProgress>,
    /// Completed parts of the request, and all of them, if it has several.
    pub parts: Option<(u32, u32)>,
}

/// Start of a live job, until all of its ranks have called MPI.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StartProgress {
    /// Processes that have been started.
    pub started: u32,
    /// Of these, ranks that have called `MPI_Init`.
    pub attached: u32,
    pub ranks: u32,
}

impl Progress {
    pub fn at(now: Time, events: u64) -> Progress {
        Progress { now, events, starting: None, parts: None }
    }
}
