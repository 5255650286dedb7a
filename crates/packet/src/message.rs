//! Messages at their two ends.

use base::{Span, Time};
use machine::NicId;
use net::MsgId;

use crate::packet::ArrivalId;

/// A message at its sender, until its last packet has been made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transit {
    pub draw: u64,
    /// Payload not yet packetized, bytes.
    pub unsent: u64,
    pub arrival: ArrivalId,
    pub src: NicId,
    pub dst: NicId,
    /// Packets made so far, and in total.
    pub made: u32,
    pub packets: u32,
    /// Next message in the NIC's round-robin list.
    pub next: u32,
    pub vnet: u8,
    /// The throttled destination whose endpoint credit allows it to send one packet now, if any.
    pub throttle: u32,
    /// Its flow; none unless the message is ordered.
    pub flow: u32,
}

/// A message at its receiver, until its last packet has arrived. If completion is reported at the
/// initiator, a second record there counts the responses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    /// When the last byte so far had passed the host interface; for full packets plus
    /// `staging_lead`.
    pub done: Time,
    /// From arrival of the last tail to the visible completion.
    pub completion_delay: Span,
    /// How much longer a full packet takes into memory than the last one.
    pub staging_lead: Span,
    pub id: MsgId,
    pub src: NicId,
    /// Time the message occupies the receiver's host interface in addition to its bytes, ps.
    pub handling: u32,
    /// Packets that have not arrived yet.
    pub missing: u32,
    /// Packets given up by the sender. The receiver reads it only to decide whether the record is
    /// complete.
    pub dropped: u32,
    /// Payload that responses still have to return, and the record at the initiator that counts
    /// them; none if completion is reported here.
    pub response_bytes: u64,
    pub initiator: ArrivalId,
}
