//! Layer 4: the flow model. Messages are flows that share links and NICs max-min fairly.
//! docs/models/flow.md has the equations and limits.
//!
//! Knows the paths and rates of messages. Does not model single packets or their order.
//!
//! Key idea: an undisturbed message takes the time of the closed form. A message that shares
//! resources takes longer in proportion to its smaller share. Its packets spread over the paths
//! that the machine's own routing chooses at the present load.

mod backlog;
mod classes;
mod congestion_tree;
mod fabric;
mod head_of_line;
mod in_flight;
mod messages;
mod network;
mod nics;
mod offered_load;
mod packet_path;
mod path_choice;
mod rates;
mod rerouting;
mod shares;
mod subflow;
mod traffic;
mod unloaded;

pub use fabric::capacity;
pub use network::{FlowEvent, FlowNetwork};
pub use shares::PRECISION_BITS;
