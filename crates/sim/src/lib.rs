//! Floor 5: one run. The façade: plain data in, plain data out.
//!
//! `World` ties a machine, a workload and a network model together; the loop is explicit, the
//! events a closed enum, the fidelity a type.

mod agreement;
pub mod api;
mod background;
mod bench;
mod collective;
mod gpu;
mod intranode;
mod named_nics;
mod noise;
mod offload;
mod onesided;
mod outcome;
mod pairs;
mod patterns;
mod protocol;
mod storage;
pub mod traffic;
mod validation;
mod world;

pub use background::{Background, BackgroundTraffic};
pub use noise::Noise;
pub use outcome::{
    Blocked, Distance, End, Engine, ExceededLimit, JobOutcome, LimitReport, LimitUse, Outcome,
    PairTraffic,
};
pub use world::{Buffers, Job, Policy, Progress, RankPlacement, Sample, Starting, World};
