//! Layer 5: one simulation run. Plain data in, plain data out.
//!
//! `World` combines a machine, a workload and a network model. The event loop is explicit, the
//! events are a closed enum, and the fidelity is a type parameter.

mod agreement;
mod atomic_units;
mod background;
mod calls;
mod collective;
mod component;
mod costs;
mod endpoints;
mod engine;
mod event;
mod event_loop;
mod failures;
mod file_systems;
mod gpu;
mod intranode;
mod job;
mod kernel;
mod limit_checker;
mod named_nics;
mod network;
mod network_shards;
mod network_windows;
mod noise;
mod offload;
mod onesided;
mod outcome;
mod packing;
mod pairs;
mod patterns;
mod point_to_point;
mod progress;
mod rank;
mod rated_pattern;
mod round;
mod send;
mod service_queue;
mod shard_pool;
mod sources;
mod storage;
pub mod timeline;
pub mod traffic;
mod transport;
mod world;

pub use background::{Background, BackgroundTraffic};
pub use component::{Component, Context, EndpointEvent};
pub use engine::{EngineChoice, EngineUse, ThreadUse};
pub use file_systems::{
    CallClass, ClassTotals, Counted, FileSystemOutcome, FileTotals, HostLoad, IoPhase, MediumLoad,
    Rates,
};
pub use job::{Buffers, Job, LimitPolicy, RankPlacement, Sample};
pub use network_windows::window_obstacle;
pub use noise::Noise;
pub use outcome::{
    Blocked, End, Engine, ExceededLimit, Fidelity, JobOutcome, LimitReport, LimitUse,
    NetworkErrors, Outcome, PairTraffic,
};
pub use progress::{Progress, StartProgress};
pub use service_queue::{QueueCounters, Service, ServiceQueue};
pub use world::World;
