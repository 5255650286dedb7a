//! Messages that will never arrive, for networks without packets of their own: of what is down
//! there it is known from the start.

use std::collections::BTreeMap;

use base::{Slab, Time};
use machine::RetryParams;

use crate::{Cx, FAILED, Failure, LostAt, Message, MsgId};

base::ids! {
    /// A message that is being given up.
    LostId,
}

/// Messages for which there is no way.
pub struct Undeliverable {
    under_way: Slab<LostId, (MsgId, Failure)>,
    /// Told, and not asked about yet.
    told: BTreeMap<u32, Failure>,
}

impl Default for Undeliverable {
    fn default() -> Self {
        Undeliverable { under_way: Slab::with_capacity(0), told: BTreeMap::new() }
    }
}

impl Undeliverable {
    /// A packet of `msg` that sets out at `start` is lost at `at`, however often its NIC sends it:
    /// when the NIC gives up, each of its timers having run out, and what it gives up then.
    pub fn lose(
        &mut self,
        (id, msg): (MsgId, Message),
        at: LostAt,
        start: Time,
        retry: &RetryParams,
    ) -> (Time, LostId) {
        let sent = retry.limit + 1;
        let failure = Failure { src: msg.src, dst: msg.dst, at, sent };
        (start + retry.timeout * u64::from(sent), self.under_way.insert((id, failure)))
    }

    /// The NIC gives up: whoever sent the message is told. One packet of it is counted.
    pub fn give_up(&mut self, lost: LostId, cx: &mut Cx<'_>) {
        let (id, failure) = self.under_way[lost];
        self.under_way.free(lost);
        let sent = u64::from(failure.sent);
        cx.counters.injected_packets += sent;
        cx.counters.lost_packets += sent;
        cx.counters.timeouts += sent;
        cx.counters.resent_packets += sent - 1;
        cx.counters.failed_messages += 1;
        self.told.insert(id.0, failure);
        cx.delivered.push((id, FAILED));
    }

    /// Why a message failed; it is forgotten then.
    pub fn failure(&mut self, id: MsgId) -> Option<Failure> {
        self.told.remove(&id.0)
    }

    pub fn live(&self) -> usize {
        self.under_way.live()
    }
}
