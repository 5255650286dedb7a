//! Packets of a message, and the NIC latencies before the first and after the last of them.

use base::Span;
use machine::NicParams;

use crate::{Completion, Message, Origin};

/// The packets of a message: all but the last are full.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packetization {
    /// At least one.
    pub packets: u64,
    /// Payload of the last packet, bytes.
    pub rest: u64,
}

impl Packetization {
    pub fn new(bytes: u64, payload: u64) -> Packetization {
        let packets = bytes.div_ceil(payload).max(1);
        Packetization { packets, rest: bytes - (packets - 1) * payload }
    }
}

impl Message {
    /// From acceptance of the command by the NIC to departure of the head, without contention.
    pub fn injection_delay(&self, nic: &NicParams) -> Span {
        if self.origin == Origin::Response {
            return Span::ZERO;
        }
        let moved = match self.completion {
            Completion::Target => self.bytes,
            Completion::Initiator(back) => self.bytes.max(back),
        };
        nic.send_latency + nic.block_start(moved) + self.origin.fetch(self.bytes, nic)
    }

    /// Time the message occupies the target's NIC for handling. Zero if completion is reported at
    /// the initiator, where handling then counts.
    #[inline]
    pub fn target_handling(&self) -> Span {
        if self.completion == Completion::Target { self.handling } else { Span::ZERO }
    }

    /// How much longer a full packet takes into memory than the last one, which may be short. The
    /// message is complete when all packets are in memory.
    #[inline]
    pub fn staging_lead(&self, nic: &NicParams) -> Span {
        match self.completion {
            Completion::Target => nic.stage_ahead(self.bytes),
            // Data of the responses, if any.
            Completion::Initiator(back) => nic.stage_ahead(back),
        }
    }

    /// From arrival of the last byte, or of the last response, to the visible completion.
    #[inline(always)]
    pub fn completion_delay(&self, nic: &NicParams) -> Span {
        match self.origin {
            Origin::Response => nic.stage_last(self.bytes),
            // Responses without data do not tell which packet was the last in memory: assume a full
            // one, if there is any.
            _ if self.completion == Completion::Initiator(0) => {
                nic.recv_latency + nic.stage_first(self.bytes)
            }
            Origin::Host | Origin::Nic => {
                nic.completion(self.bytes.max(self.completion.response_bytes()))
            }
        }
    }
}
