//! Messages that will never arrive, for models without packets. These models know all failed parts
//! from the start.

use std::collections::BTreeMap;

use base::{Slab, Time};
use machine::RetryParams;

use crate::{Cx, FAILED, Failure, LostAt, Message, MsgId};

base::ids! {
    /// A message that is being given up.
    LostId,
}

/// Messages without a route to their destination.
pub struct Undeliverable {
    in_flight: Slab<LostId, (MsgId, Failure)>,
    /// Reported as failed; the reason has not been queried yet.
    reported: BTreeMap<u32, Failure>,
}

impl Default for Undeliverable {
    fn default() -> Self {
        Undeliverable { in_flight: Slab::with_capacity(0), reported: BTreeMap::new() }
    }
}

impl Undeliverable {
    /// Every packet of `msg`, sent from `start` on, is lost at `at`. Returns the time at which the
    /// NIC gives up, after all retransmission timeouts, and the entry for `give_up`.
    pub fn lose(
        &mut self,
        (id, msg): (MsgId, Message),
        at: LostAt,
        start: Time,
        retry: &RetryParams,
    ) -> (Time, LostId) {
        let sent = retry.limit + 1;
        let failure = Failure { src: msg.src, dst: msg.dst, at, sent };
        (start + retry.timeout * u64::from(sent), self.in_flight.insert((id, failure)))
    }

    /// The NIC gives up, and the sender gets a failure. One packet is counted for the message.
    pub fn give_up(&mut self, lost: LostId, cx: &mut Cx<'_>) {
        let (id, failure) = self.in_flight[lost];
        self.in_flight.free(lost);
        let sent = u64::from(failure.sent);
        cx.counters.injected_packets += sent;
        cx.counters.lost_packets += sent;
        cx.counters.timeouts += sent;
        cx.counters.resent_packets += sent - 1;
        cx.counters.failed_messages += 1;
        self.reported.insert(id.0, failure);
        cx.delivered.push((id, FAILED));
    }

    /// Why a message failed; forgets it.
    pub fn failure(&mut self, id: MsgId) -> Option<Failure> {
        self.reported.remove(&id.0)
    }

    pub fn live(&self) -> usize {
        self.in_flight.live()
    }
}
