//! Application models as phase programs: the calls of all ranks in symbolic form. Layer 3.
//!
//! A program (`program`) is one list of calls for all ranks. Partners are rules such as "the
//! neighbor at (1, 0, 0) on this grid", so the list does not grow with the number of ranks.
//! `expand` lists the calls of one rank on demand, and `run` is the workload that simulates them.
//! Loops whose steps are alike are simulated a few times and counted with a weight.

mod compile;
mod draws;
mod expand;
mod fold;
mod folded_messages;
mod grid;
mod listing;
mod program;
mod run;
mod units;

pub use compile::{Compiled, LoopCode, ProgramError};
pub use expand::{Item, Position};
pub use grid::Grid;
pub use listing::{ListedCall, Listing};
pub use program::{
    Action, Boxes, Computation, Distribution, Node, Partition, Partner, Program, Size, Where,
};
pub use run::{PhaseRun, PhaseTotals};
pub use units::{Unit, UnitUse, Units};
