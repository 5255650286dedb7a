//! NICs with the messages that they send and receive.
//!
//! The methods are in three files: from a command to packets on the injection link (`inject.rs`),
//! from the entry of a packet into its last link to a completion (`deliver.rs`), and losses
//! (`loss.rs`).

use machine::{LinkId, Machine};
use net::{Counters, Cx, Failure, MsgId, Partition};

use crate::arrivals::Arrivals;
use crate::fabric::Fabric;
use crate::flows::Flows;
use crate::nic::Nics;
use crate::retransmission::Retransmissions;
use crate::shard::Mail;
use crate::throttle::Throttles;

pub(crate) struct Endpoints {
    pub nics: Nics,
    pub arrivals: Arrivals,
    pub flows: Flows,
    pub throttles: Throttles,
    /// On a machine with a fault schedule.
    pub retransmissions: Option<Box<Retransmissions>>,
}

impl Endpoints {
    /// NICs of the machine, or of one shard of it, whose links are those of `fabric`.
    pub fn new(machine: &Machine, part: Option<(&Partition, u8)>, fabric: &Fabric) -> Endpoints {
        let partition = part.map(|(partition, _)| partition);
        let shards = partition.map_or(1, |partition| partition.shards);
        Endpoints {
            nics: Nics::new(machine, fabric.shares.n_classes()),
            arrivals: Arrivals::new(machine.n_nics() as usize, partition),
            flows: Flows::new(machine, fabric.mail.own(), shards),
            throttles: Throttles::new(machine),
            retransmissions: Retransmissions::new(machine),
        }
    }

    /// Processes the mail of shard `from` that concerns NICs and messages, apart from packets.
    pub fn receive_mail(&mut self, from: usize, mail: &mut Mail, cx: &mut Cx<'_>) {
        for (ack_at, nic, vnet) in mail.acks.drain(..) {
            self.nics.expect_ack(nic, vnet, ack_at, cx);
        }
        for (then, flow_key) in mail.flows.drain(..) {
            self.flows.acknowledge(flow_key, then);
        }
        for (number, arrival) in mail.opened.drain(..) {
            self.arrivals.receive_opened(from, number, arrival);
        }
        for number in mail.closed.drain(..) {
            self.arrivals.receive_closed(from, number);
        }
        cx.delivered.append(&mut mail.delivered);
    }

    /// A congestion notice about ejection link `link` has reached a sender.
    #[cold]
    pub fn receive_notice(
        &mut self,
        link: LinkId,
        word: u32,
        fabric: &mut Fabric,
        cx: &mut Cx<'_>,
    ) {
        let Endpoints { nics, throttles, .. } = self;
        if let Some(src) = throttles.receive_notice(link, word, nics, &mut fabric.mail, cx) {
            self.pump(src, fabric, cx);
        }
    }

    /// Why a message failed; forgets it.
    pub fn take_failure(&mut self, id: MsgId) -> Option<Failure> {
        self.retransmissions.as_mut()?.take_failure(id)
    }

    /// Adds internal counts to `counters`.
    pub fn report(&self, fabric: &Fabric, counters: &mut Counters) {
        self.nics.report(&fabric.links, counters);
        counters.congestion.returned = self.throttles.returned;
    }

    /// Asserts that all messages are complete, and nothing is in flight.
    pub fn assert_idle(&self, fabric: &Fabric, machine: &Machine) {
        self.nics.assert_idle(&fabric.links, machine);
        self.arrivals.assert_idle();
        self.flows.assert_idle();
        self.throttles.assert_idle();
        if let Some(retransmissions) = &self.retransmissions {
            retransmissions.assert_idle();
        }
    }

    /// Bytes of memory held.
    pub fn held(&self) -> usize {
        self.nics.held()
            + self.arrivals.held()
            + self.flows.held()
            + self.throttles.held()
            + self.retransmissions.as_ref().map_or(0, |retransmissions| retransmissions.held())
    }
}
