//! A message as its NIC sees it: packets, and what comes before the first of them.

use base::Span;
use machine::NicParams;

use crate::{Completion, Message, Origin};

/// A message's packets: all but the last are full.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packetization {
    /// One at least.
    pub packets: u64,
    /// Payload of the last.
    pub rest: u64,
}

impl Packetization {
    pub fn new(bytes: u64, payload: u64) -> Packetization {
        let packets = bytes.div_ceil(payload).max(1);
        Packetization { packets, rest: bytes - (packets - 1) * payload }
    }
}

impl Message {
    /// From its command's entering the NIC to its head's leaving, if nothing is in its way.
    pub fn injection_delay(&self, nic: &NicParams) -> Span {
        if self.origin == Origin::Answer {
            return Span::ZERO;
        }
        let moved = match self.completion {
            Completion::Target => self.bytes,
            Completion::Initiator(back) => self.bytes.max(back),
        };
        nic.send_latency + nic.block_start(moved) + self.origin.fetch(self.bytes, nic)
    }

    /// What it takes of the NIC that it is sent to: where an answer is awaited, that is whose
    /// handling counts.
    #[inline]
    pub fn target_handling(&self) -> Span {
        if self.completion == Completion::Target { self.handling } else { Span::ZERO }
    }

    /// How much longer the full packets of its data take into memory than the last one, which may
    /// be short: it is seen when all are there.
    #[inline]
    pub fn ahead(&self, nic: &NicParams) -> Span {
        match self.completion {
            Completion::Target => nic.stage_ahead(self.bytes),
            // The answers' data, if they bring any.
            Completion::Initiator(back) => nic.stage_ahead(back),
        }
    }

    /// From its last byte's coming, or that of its answer, to what can be seen of it.
    #[inline(always)]
    pub fn completion_delay(&self, nic: &NicParams) -> Span {
        match self.origin {
            Origin::Answer => nic.stage_last(self.bytes),
            // Answers that bring nothing do not say whose packet was the last to be in memory: as
            // if it were a full one, if there is any.
            _ if self.completion == Completion::Initiator(0) => {
                nic.recv_latency + nic.stage_first(self.bytes)
            }
            Origin::Host | Origin::Nic => nic.completion(self.bytes.max(self.completion.back())),
        }
    }
}
