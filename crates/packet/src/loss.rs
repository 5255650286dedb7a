//! Loss of packets as their NICs see it: timers, retransmission, and messages that are given up.
//! Rules: docs/models/faults.md.

use base::{Span, Time, draw};
use des::Phase;
use machine::NicId;
use net::{Cx, Failure, LostAt, MsgId};

use crate::endpoints::Endpoints;
use crate::event::PacketEvent;
use crate::fabric::Fabric;
use crate::message::{Arrival, Transit};
use crate::packet::{ArrivalId, NONE, Packet, PacketId, mark};
use crate::retransmission::{Lost, Resent, Retransmissions};
use crate::shard::Mailboxes;

/// Random stream: the draw of a retransmitted packet.
const STREAM_AGAIN: u32 = 0x6167_6169;

impl Endpoints {
    fn retransmissions(&mut self) -> &mut Retransmissions {
        self.retransmissions.as_mut().expect("called only with a fault schedule")
    }

    /// `packet` is lost. The NIC that sent it, or that waits for it as a response, detects this
    /// when its timer expires, and not before information about the loss could have reached it.
    #[cold]
    #[inline(never)]
    pub fn lose(&mut self, packet: PacketId, at: LostAt, fabric: &mut Fabric, cx: &mut Cx<'_>) {
        let p = fabric.packets[packet];
        let Packet { arrival, dst, vnet, draw, bytes, born, traveled, marks, .. } = p;
        fabric.packets.free(packet);
        cx.counters.lost_packets += 1;
        let is_response = self.nics.is_response(vnet);
        let known = self.retransmissions().forget(arrival, draw);
        let Resent { times, by } = known.unwrap_or(Resent { times: 0, by: dst });
        let (nic, peer) =
            if is_response { (dst, by) } else { (self.arrivals.get(arrival).src, dst) };
        let payload = self.nics.payload(bytes, vnet);
        let on_endpoint_credit = marks & mark::ENDPOINT_CREDIT != 0;
        let vnet = if is_response { 0 } else { vnet };
        let flow = p.flow();
        let lost = Lost {
            arrival,
            is_response,
            peer,
            vnet,
            draw: p.routing_draw(),
            payload,
            at,
            on_endpoint_credit,
            flow,
            times,
        };
        let when = (born + cx.machine.retry.timeout).max(cx.now + Span(u64::from(traveled)));
        self.retransmissions().add_lost(nic, when, lost);
        cx.at(when, Phase::Arrive, PacketEvent::Lost { nic });
    }

    /// The timer of a lost packet of `nic` expires: the NIC retransmits it as a message of its own,
    /// or the message has failed. For a lost response it sends a request without data; the other
    /// NIC recognizes the repetition and only responds.
    pub fn time_out(&mut self, nic: NicId, fabric: &mut Fabric, cx: &mut Cx<'_>) {
        let retransmissions = self.retransmissions();
        let Lost {
            arrival,
            is_response,
            peer,
            vnet,
            draw: own,
            payload,
            at,
            on_endpoint_credit,
            flow,
            times,
        } = retransmissions.take_lost(nic, cx.now);
        self.nics.count_lost(nic, vnet);
        cx.counters.timeouts += 1;
        cx.counters.nic(nic).timeouts += 1;
        if let Some(flow) = flow {
            self.flows.acknowledge(flow, cx.now);
        }
        if on_endpoint_credit {
            self.throttles.return_lost_endpoint_credit(nic, vnet, peer, &mut fabric.mail, cx);
        }
        let initiator = if is_response { arrival } else { self.arrivals.get(arrival).initiator };
        let retransmissions = self.retransmissions();
        let reported = match (initiator.0, is_response) {
            (NONE, true) => None,
            (NONE, false) if retransmissions.is_unreported(arrival) => None,
            (NONE, false) => Some(arrival),
            _ => Some(initiator),
        };
        let has_failed = reported.is_some_and(|reported| retransmissions.has_failed(reported));
        if times == cx.machine.retry.limit || has_failed {
            if let Some(reported) = reported {
                let why = Failure { src: nic, dst: peer, at, sent: times + 1 };
                let id = self.arrivals.get(reported).id;
                self.retransmissions().fail(reported, id, why, cx);
            }
            if !is_response {
                self.drop_expected(arrival, initiator.0 == NONE, &mut fabric.mail, cx);
            }
            if initiator.0 != NONE {
                self.drop_expected(initiator, true, &mut fabric.mail, cx);
            }
        } else {
            let (arrival, payload) = match is_response {
                true => (self.request_again(nic, initiator, payload), 0),
                false => (arrival, payload),
            };
            let draw = draw(own, STREAM_AGAIN, 0, u64::from(times));
            self.retransmissions().record(arrival, draw, Resent { times: times + 1, by: peer });
            cx.counters.resent_packets += 1;
            cx.counters.nic(nic).resent += 1;
            let transit = self.nics.transits.insert(Transit {
                draw,
                unsent: payload,
                arrival,
                src: nic,
                dst: peer,
                made: 0,
                packets: 1,
                next: NONE,
                throttle: NONE,
                vnet,
                // All later packets of the flow have arrived: there is no order left to keep.
                flow: NONE,
            });
            self.nics.append(nic, transit);
        }
        self.pump(nic, fabric, cx);
    }

    /// Repeats the request for a lost response of `response_bytes` bytes.
    fn request_again(
        &mut self,
        src: NicId,
        initiator: ArrivalId,
        response_bytes: u64,
    ) -> ArrivalId {
        let (done, completion_delay, id, missing) = (Time::ZERO, Span::ZERO, MsgId(NONE), 1);
        let (handling, staging_lead) = (0, Span::ZERO);
        let arrival = self.arrivals.insert(Arrival {
            done,
            completion_delay,
            id,
            src,
            handling,
            staging_lead,
            missing,
            dropped: 0,
            response_bytes,
            initiator,
        });
        if initiator.0 == NONE {
            self.retransmissions().add_unreported(arrival);
        }
        arrival
    }

    /// A packet of a message, or a response, will never arrive.
    fn drop_expected(
        &mut self,
        id: ArrivalId,
        is_reported_here: bool,
        mail: &mut Mailboxes,
        cx: &mut Cx<'_>,
    ) {
        let arrival = self.arrivals.get(id);
        arrival.dropped += 1;
        if arrival.missing > arrival.dropped {
            return;
        }
        match is_reported_here {
            true => self.finish_with_faults(id, cx),
            false => self.arrivals.close_unreported(id, mail),
        }
    }

    /// All packets of a message are accounted for, on a machine with a fault schedule.
    #[cold]
    #[inline(never)]
    pub fn finish_with_faults(&mut self, id: ArrivalId, cx: &mut Cx<'_>) {
        let record = self.arrivals.remove(id);
        self.retransmissions().finish(id, record, cx);
    }
}
