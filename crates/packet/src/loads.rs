//! What a router can tell of the load of links when it decides about a packet's way.

use base::Time;
use machine::{LinkId, LoadView};

use crate::PacketNetwork;

/// What the router at the near end of a link can tell of its load.
pub(crate) struct Loads<'a> {
    pub net: &'a PacketNetwork,
    pub now: Time,
}

impl LoadView for Loads<'_> {
    /// A link that streams at full rate into an empty switch always has a round trip of credits
    /// out. Those bytes are on the cable, not in a queue, and are not counted as load.
    #[inline]
    fn backlog(&self, link: LinkId) -> u64 {
        let wire = &self.net.wires[link];
        let mut out = wire.out;
        if out > wire.pipe {
            out -= self.net.come_home(link, self.now);
        }
        u64::from(wire.waiting) + u64::from(out.saturating_sub(wire.pipe))
    }
}
