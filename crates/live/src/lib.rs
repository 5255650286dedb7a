//! Layer 4: a workload whose ranks are processes: unmodified programs on the simulated machine.
//!
//! Every rank is an operating-system process that maps one shared segment and follows the protocol
//! of `workload::wire`. This crate knows processes, turns, payloads and what MPI calls wait for. It
//! does not know costs, which the simulator supplies, or handles, which the MPI library keeps.
//!
//! Ranks and simulator take turns. All ranks that may run at one simulated instant run in parallel.
//! When all of them sleep again, their calls are taken in rank order. So no result depends on the
//! scheduling of the processes.
//!
//! This is the only crate of its layer that does I/O, reads the wall clock and starts threads (for
//! standard streams): it uses Linux directly.

mod blocked;
mod calls;
mod children;
mod combine;
mod detached;
mod direct;
mod exec;
mod execution;
mod file_blocks;
mod file_calls;
mod file_effects;
mod file_facts;
mod file_layouts;
mod file_names;
mod file_store;
mod file_waits;
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
mod poll_streak;
mod polling;
mod process;
mod rank;
mod ranks;
mod segment;
mod start;
mod streams;
mod threads;
mod tokens;
mod turn;
mod variables;
mod warm;
mod watch;

pub use children::Exit;
pub use file_facts::SystemFacts;
pub use file_store::{FileSystems, Mount};
pub use files::FileCounts;
pub use launch::{LaunchError, LaunchSpec, Launcher, Progress, RankLocation};
pub use live::Live;
pub use matching::{AlgorithmSelector, CollectiveCase};
pub use outcome::{
    Failure, FailureCause, FileTraffic, FunctionRow, LiveOutcome, RankOutcome, Start,
};
