//! Lost packets, until the NICs that sent them retransmit them or give up. Rules:
//! docs/models/faults.md.
//!
//! Design: the fault schedule is fixed before the run, so whether a packet crosses a link is known
//! when it enters. A packet that does not is removed at that time, and nothing downstream processes
//! it. So no packet can arrive twice.

use std::collections::{BTreeMap, BTreeSet};

use base::Time;
use machine::{Machine, NicId};
use net::{Cx, FAILED, Failure, LostAt, MsgId};

use crate::message::Arrival;
use crate::packet::ArrivalId;

/// A lost packet, until the retransmission timer expires at the NIC that sent the request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lost {
    /// For a request, its message; for a response, the message at the initiator, if any.
    pub arrival: ArrivalId,
    pub is_response: bool,
    /// The NIC at the other end.
    pub peer: NicId,
    /// Virtual network of the request, also for a repeated request after a lost response.
    pub vnet: u8,
    pub draw: u64,
    pub payload: u64,
    pub at: LostAt,
    /// Sent on an endpoint credit.
    pub on_endpoint_credit: bool,
    /// Its flow.
    pub flow: Option<u32>,
    pub times: u32,
}

/// A retransmitted packet or a response in flight: number of retransmissions, and the NIC that
/// responds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resent {
    pub times: u32,
    pub by: NicId,
}

/// State of retransmissions, on a machine with a fault schedule.
#[derive(Default)]
pub(crate) struct Retransmissions {
    /// By NIC, time at which the timer expires, draw, and a number that separates equal keys. The
    /// order of insertion differs between the engines, so it must not order losses of one instant.
    lost: BTreeMap<(u32, Time, u64, u32), Lost>,
    /// Number of losses so far.
    n_lost: u32,
    /// By message and packet draw.
    resent: BTreeMap<(u32, u64), Resent>,
    /// Repeated requests for responses whose message needs no report.
    unreported: BTreeSet<u32>,
    /// Messages reported as failed of which packets are still in flight.
    failed: BTreeSet<u32>,
    /// Reported as failed; the reason has not been queried yet.
    failures: BTreeMap<u32, Failure>,
}

impl Retransmissions {
    pub fn new(machine: &Machine) -> Option<Box<Retransmissions>> {
        machine.faults.as_deref().map(|_| Box::default())
    }

    /// The timer of `nic` for a lost packet expires at `when`.
    pub fn add_lost(&mut self, nic: NicId, when: Time, lost: Lost) {
        self.lost.insert((nic.0, when, lost.draw, self.n_lost), lost);
        self.n_lost = self.n_lost.wrapping_add(1);
    }

    /// Removes the first of the lost packets whose timers expire at `nic` at `now`.
    pub fn take_lost(&mut self, nic: NicId, now: Time) -> Lost {
        let first = self.lost.range((nic.0, now, 0, 0)..=(nic.0, now, u64::MAX, u32::MAX)).next();
        let key = *first.expect("an event per lost packet").0;
        self.lost.remove(&key).expect("found above")
    }

    /// Records that the packet of `arrival` with this draw is a retransmission.
    pub fn record(&mut self, arrival: ArrivalId, draw: u64, resent: Resent) {
        self.resent.insert((arrival.0, draw), resent);
    }

    /// Removes the record of a packet, if it is a retransmission or a response.
    pub fn forget(&mut self, arrival: ArrivalId, draw: u64) -> Option<Resent> {
        self.resent.remove(&(arrival.0, draw))
    }

    /// `by` responds to a request: the response inherits the number of retransmissions.
    #[cold]
    #[inline(never)]
    pub fn response_sent(
        &mut self,
        request: (ArrivalId, u64),
        by: NicId,
        response: (ArrivalId, u64),
    ) {
        let times = self.forget(request.0, request.1).map_or(0, |resent| resent.times);
        self.record(response.0, response.1, Resent { times, by });
    }

    /// A response has arrived.
    #[cold]
    #[inline(never)]
    pub fn response_received(&mut self, arrival: ArrivalId, draw: u64) {
        self.forget(arrival, draw);
    }

    /// The repeated request `arrival` needs no report.
    pub fn add_unreported(&mut self, arrival: ArrivalId) {
        self.unreported.insert(arrival.0);
    }

    pub fn is_unreported(&self, arrival: ArrivalId) -> bool {
        self.unreported.contains(&arrival.0)
    }

    pub fn has_failed(&self, arrival: ArrivalId) -> bool {
        self.failed.contains(&arrival.0)
    }

    /// Message `id` can never complete: reports its failure to the sender, once.
    pub fn fail(&mut self, arrival: ArrivalId, id: MsgId, why: Failure, cx: &mut Cx<'_>) {
        if self.failed.insert(arrival.0) {
            self.failures.insert(id.0, why);
            cx.counters.failed_messages += 1;
            cx.delivered.push((id, FAILED));
        }
    }

    /// All packets of a message are accounted for: it has arrived, or was reported as failed.
    #[cold]
    #[inline(never)]
    pub fn finish(&mut self, arrival: ArrivalId, record: Arrival, cx: &mut Cx<'_>) {
        let Arrival { id, done, completion_delay, .. } = record;
        while let Some((&key, _)) = self.resent.range((arrival.0, 0)..=(arrival.0, u64::MAX)).next()
        {
            self.resent.remove(&key);
        }
        if !self.failed.remove(&arrival.0) && !self.unreported.remove(&arrival.0) {
            cx.delivered.push((id, done + completion_delay));
        }
    }

    /// Why a message failed; forgets it.
    pub fn take_failure(&mut self, id: MsgId) -> Option<Failure> {
        self.failures.remove(&id.0)
    }

    /// Asserts that nothing is left to retransmit.
    pub fn assert_idle(&self) {
        assert!(self.lost.is_empty(), "lost packets without an expired timer");
        assert!(self.resent.is_empty(), "packets that are still to be retransmitted");
        assert!(self.unreported.is_empty(), "repeated requests are left");
        assert!(self.failed.is_empty(), "packets of failed messages are left");
    }

    /// Bytes of memory held.
    pub fn held(&self) -> usize {
        self.lost.len() * size_of::<((u32, Time, u64, u32), Lost)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Timers of one NIC that expire at one instant are handled by draw, in any order of losses;
    /// other instants and NICs are separate.
    #[test]
    fn losses_of_one_instant_are_independent_of_the_order_of_insertion() {
        let lost = |draw| Lost {
            arrival: ArrivalId(1),
            is_response: false,
            peer: NicId(7),
            vnet: 0,
            draw,
            payload: draw,
            at: LostAt::Link(machine::LinkId(0)),
            on_endpoint_credit: false,
            flow: None,
            times: 0,
        };
        for order in [[30, 20], [20, 30]] {
            let mut all = Retransmissions::default();
            for draw in order {
                all.add_lost(NicId(3), Time(1_000), lost(draw));
            }
            all.add_lost(NicId(3), Time(999), lost(40));
            all.add_lost(NicId(2), Time(1_000), lost(10));
            let mut take = |nic, at| all.take_lost(NicId(nic), Time(at)).draw;
            let taken = [take(3, 999), take(3, 1_000), take(3, 1_000), take(2, 1_000)];
            assert_eq!(taken, [40, 20, 30, 10], "{order:?}");
            all.assert_idle();
        }
    }
}
