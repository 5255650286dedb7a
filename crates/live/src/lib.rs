//! Floor 4: a workload whose ranks are processes: unmodified programs on the simulated machine.
//!
//! Every rank is a process of the operating system that maps one shared segment and speaks the
//! wire of `workload::wire`. Knows processes, turns, payloads and what MPI calls wait for; refuses
//! to know what anything costs, which is the simulator's affair, and what a handle is, which is the
//! rank's. Its one idea: ranks and simulator take turns. All ranks that may run at one simulated
//! instant run at once, really in parallel; when every one of them sleeps again, their calls are
//! taken in the order of ranks. So no result depends on which process ran first.
//!
//! The only room of its floor that does I/O, looks at the wall clock and starts a thread (to label
//! output): it talks to Linux.

mod blocked;
mod calls;
mod children;
mod combine;
mod direct;
mod exec;
mod files;
mod job;
mod launch;
mod live;
mod matching;
mod memory;
mod orphan_reaper;
mod outcome;
mod output;
mod outside_mpi;
mod polling;
mod process;
mod rank;
mod segment;
mod start;
mod threads;
mod turn;
mod variables;
mod warm;
mod watch;

pub use children::Exit;
pub use files::FilesSeen;
pub use launch::{LaunchError, LaunchSpec, Progress, RankLocation};
pub use live::Live;
pub use matching::{AlgorithmSelector, CollectiveCase};
pub use outcome::{Failure, FailureCause, FunctionRow, LiveOutcome, RankOutcome, Start};
pub use variables::Launcher;
