//! Layer 4: packet-level network with virtual cut-through switches, finite input buffers, batched
//! credits, and NICs with windows. Model: docs/models/packet.md; deadlock freedom:
//! docs/models/deadlock.md; components: ARCHITECTURE.md.
//!
//! This crate decides when a packet may move. `Machine::next_hop` decides where to.
//!
//! Design: a packet is represented by its head. A link is occupied from the entry of the head until
//! the tail has left, a buffer from the grant until the tail has left it. Both ends are known when
//! the grant is made, so tails need no events.

mod arrivals;
mod channels;
mod classes;
mod congestion;
mod credit;
mod deliver;
mod endpoints;
mod event;
mod fabric;
mod faults;
mod flows;
mod inject;
mod link;
mod loads;
mod loss;
mod message;
mod network;
mod next_hop;
mod nic;
mod notice;
mod packet;
mod pending_acks;
mod prefetch;
mod reports;
mod retransmission;
mod shard;
mod throttle;
mod turns;
mod voq;
mod windows;

pub use event::PacketEvent;
pub use network::PacketNetwork;
pub use shard::Mail;
pub use turns::{Layout, Traffic, TurnMail, Turns};
