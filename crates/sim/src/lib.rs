//! Layer 5: one simulation run. Plain data in, plain data out.
//!
//! `World` combines a machine, a workload and a network model. The event loop is explicit, the
//! events are a closed enum, and the fidelity is a type parameter.

mod agreement;
mod background;
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
mod world;

pub use background::{Background, BackgroundTraffic};
pub use noise::Noise;
pub use outcome::{
    Blocked, Distance, End, Engine, ExceededLimit, Fidelity, JobOutcome, LimitReport, LimitUse,
    NetworkErrors, Outcome, PairTraffic,
};
pub use world::{Buffers, Job, LimitPolicy, Progress, RankPlacement, Sample, StartProgress, World};
