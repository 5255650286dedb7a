//! Property tests, in one program: it is compiled and linked once, not per file.

mod aries;
mod classes;
mod congestion;
mod fabric;
mod faults;
mod flow;
mod flow_classes;
mod multipacket;
mod network;
mod ordered_flows;
mod shards;
mod storm;
mod theory;
mod windows;
