//! A message as its NIC sees it: packets, and what comes before the first of them.

use base::Span;
use machine::NicParams;

use crate::{Message, Origin, Told};

/// A message's packets: all but the last are full.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cut {
    /// One at least.
    pub packets: u64,
    /// Payload of the last.
    pub rest: u64,
}

impl Cut {
    pub fn new(bytes: u64, payload: u64) -> Cut {
        let packets = bytes.div_ceil(payload).max(1);
        Cut { packets, rest: bytes - (packets - 1) * payload }
    }
}

impl Message {
    /// From its command's entering the NIC to its head's leaving, if nothing is in its way.
    pub fn before_head(&self, nic: &NicParams) -> Span {
        if self.origin == Origin::Answer {
            return Span::ZERO;
        }
        let moved = match self.told {
            Told::There => self.bytes,
            Told::Back(back) => self.bytes.max(back),
        };
        let fetches = self.origin == Origin::Host && self.bytes > nic.immediate_max;
        let dma = if fetches { nic.dma_latency } else { Span::ZERO };
        nic.send_latency + nic.block_start(moved) + dma
    }
}
