//! Floor 5: one run. The façade: plain data in, plain data out.
//!
//! `World` ties a machine, a workload and a network model together; the loop is explicit, the
//! events a closed enum, the fidelity a type.

pub mod api;
mod bench;
mod collective;
mod intranode;
mod onesided;
mod outcome;
mod pairs;
mod patterns;
mod protocol;
mod storage;
pub mod traffic;
mod world;

pub use outcome::{Blocked, Distance, End, Engine, Outcome, PairTraffic};
pub use world::{Job, Progress, Seat, Starting, World};
