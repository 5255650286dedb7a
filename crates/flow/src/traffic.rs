//! The traffic of all messages: their subflows, shares and offered load, which change together.
//!
//! The reasons for changes are in path choice, rerouting, backlogs and full buffers.

use base::Span;
use machine::Machine;
use net::{Cx, LinkTraffic, Message};

use crate::classes::Classes;
use crate::in_flight::{InFlight, InFlightId, whole_packets};
use crate::messages::Messages;
use crate::nics::Nics;
use crate::offered_load::{Demand, OfferedLoad, PacketDemand};
use crate::packet_path::{DrawnPaths, PacketPath};
use crate::shares::{FlowOwner, PRECISION_BITS, Shares};
use crate::subflow::Subflow;

/// The capacity of an ended message is distributed when the next message starts, and at the latest
/// after this fraction of its duration. So messages that end together share a solve.
pub(crate) const IDLE_FRACTION: u64 = 16;

/// Demand of messages while they choose paths.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum DemandBasis {
    /// What their NICs would let them send.
    Offered,
    /// The rate of their shares.
    Achieved,
}

pub(crate) struct Traffic {
    pub messages: Messages,
    pub shares: Shares,
    pub offered_load: OfferedLoad,
    pub nics: Nics,
    pub classes: Classes,
    /// Payload of a full packet, bytes.
    packet_payload: u64,
}

impl Traffic {
    pub fn new(machine: &Machine) -> Traffic {
        let classes = Classes::new(machine);
        let shares = Shares::new(machine, &classes);
        Traffic {
            messages: Messages::new(),
            offered_load: OfferedLoad::new(machine, &shares.fabric.capacity),
            shares,
            nics: Nics::new(machine.n_nics() as usize),
            classes,
            packet_payload: machine.nic.packet_payload,
        }
    }

    /// Batching window: how long an arriving message waits for others, to get its share together
    /// with them. It is a fraction of its duration if all contenders share its NICs, and at most
    /// its undisturbed duration.
    pub fn batching_window(&self, message: InFlightId) -> Span {
        let InFlight { msg, stream_time, .. } = &self.messages[message];
        let contenders = self.nics.contenders(msg);
        let part = (stream_time.0 >> PRECISION_BITS).saturating_mul(contenders.into());
        Span(part.min(stream_time.0).max(1))
    }

    /// Demand of each sampled packet of `message`.
    pub fn demand_of(&self, message: InFlightId, basis: DemandBasis) -> PacketDemand {
        let f = &self.messages[message];
        // The fair share of its NICs, if nothing else limits it.
        let contenders = self.nics.contenders(&f.msg).max(1);
        let offered = f.unloaded_rate / (u64::from(contenders) * u64::from(f.samples));
        let each = match basis {
            DemandBasis::Offered => offered,
            // Of a class with a ceiling, everything that NICs have sent waits, and this part of it
            // moves.
            DemandBasis::Achieved => {
                let part = u128::from(f.rate) * u128::from(f.unloaded_rate);
                let achieved = part / u128::from(f.max_rate().max(1) * u64::from(f.samples));
                offered.min(u64::try_from(achieved).unwrap_or(u64::MAX))
            }
        };
        let demand = |weight: u32| Demand {
            rate: OfferedLoad::rate(each, weight),
            bytes: f.packetization.packets.div_ceil(f.samples.into()) * u64::from(weight),
        };
        PacketDemand { forward: demand(f.weight.wire), response: demand(f.weight.response) }
    }

    /// Changes the demand of `message`, whose levels are known.
    pub fn set_demand(&mut self, message: InFlightId, basis: DemandBasis) {
        let (old, new) = (self.messages[message].demand, self.demand_of(message, basis));
        if old == new {
            return;
        }
        let (sharing, offered_load) = (&self.shares.sharing, &mut self.offered_load);
        let f = &mut self.messages[message];
        for subflow in f.subflows_mut() {
            subflow.unblock(old, sharing, offered_load);
            subflow.remove_demand(old, subflow.count, sharing, offered_load);
            subflow.add_demand(new, sharing, offered_load);
            let at = sharing.bottleneck(subflow.flow);
            subflow.block_at(at, new, sharing, offered_load);
        }
        f.demand = new;
    }

    /// Takes the levels of the subflows of `message` after a solve.
    pub fn take_levels(&mut self, message: InFlightId) {
        self.messages[message].take_levels(&self.shares.sharing, &mut self.offered_load);
    }

    /// Makes the drawn paths those of `message`, which has none.
    pub fn set_paths(&mut self, message: InFlightId, drawn: &DrawnPaths) {
        let owner = self.owner(message);
        let f = &mut self.messages[message];
        for (path, links) in drawn.iter() {
            f.push_subflow(self.shares.add(owner, path.count, links, path.is_minimal));
        }
    }

    fn owner(&self, message: InFlightId) -> FlowOwner {
        let InFlight { msg, class, weight, .. } = &self.messages[message];
        FlowOwner { message, class: *class, ends: self.nics.ends(msg), weight: *weight }
    }

    /// From the next solve on the subflows of `message` take their shares.
    pub fn start_subflows(&mut self, message: InFlightId) {
        for subflow in self.messages[message].subflows() {
            self.shares.start(subflow);
        }
    }

    /// Starts a subflow of `message`, which the caller adds to it.
    pub fn new_subflow(
        &mut self,
        message: InFlightId,
        count: u32,
        path: &PacketPath,
        is_minimal: bool,
    ) -> Subflow {
        path.add_demand(&mut self.offered_load, self.messages[message].demand, count);
        let subflow = self.shares.add(self.owner(message), count, path.both(), is_minimal);
        self.shares.start(&subflow);
        subflow
    }

    /// Moves one packet of the subflow `from` of `message` to the subflow `to`, which has this
    /// path, or to a new one.
    pub fn move_packet(
        &mut self,
        message: InFlightId,
        (from, to): (usize, Option<usize>),
        (path, is_minimal): (&PacketPath, bool),
        cx: &mut Cx<'_>,
    ) {
        let f = &self.messages[message];
        let (demand, subflow) = (f.demand, f.subflows()[from]);
        if let Some(to) = to {
            let count = f.subflows()[to].count + 1;
            path.add_demand(&mut self.offered_load, demand, 1);
            self.resize(message, to, count);
        } else {
            let new = self.new_subflow(message, 1, path, is_minimal);
            // If the old subflow ends, the new one takes its slot: there is no other.
            if subflow.count == 1 {
                self.drop_subflow(message, from, false, cx);
                self.messages[message].subflows_mut()[from] = new;
                return;
            }
            self.messages[message].push_subflow(new);
        }
        if subflow.count == 1 {
            self.drop_subflow(message, from, false, cx);
            self.messages[message].swap_remove_subflow(from);
        } else {
            subflow.remove_demand(demand, 1, &self.shares.sharing, &mut self.offered_load);
            self.resize(message, from, subflow.count - 1);
        }
    }

    /// Changes the number of packets of a subflow.
    fn resize(&mut self, message: InFlightId, nth: usize, count: u32) {
        let f = &mut self.messages[message];
        let (demand, class) = (f.demand, f.class);
        let subflow = &mut f.subflows_mut()[nth];
        subflow.unblock(demand, &self.shares.sharing, &mut self.offered_load);
        self.shares.resize(subflow, count, class);
    }

    /// Removes all subflows. Counts the rest of the traffic if the message `is_complete`.
    pub fn drop_subflows(&mut self, message: InFlightId, is_complete: bool, cx: &mut Cx<'_>) {
        let n = self.messages[message].subflows().len();
        for nth in 0..n {
            self.drop_subflow(message, nth, is_complete && nth + 1 == n, cx);
        }
        self.messages[message].clear_subflows();
    }

    /// Ends a subflow, which the caller removes from the message, and counts its traffic. That is
    /// the whole packets of all subflows before it and itself, less those already counted; or all
    /// that is left if it is the last.
    fn drop_subflow(&mut self, message: InFlightId, nth: usize, is_last: bool, cx: &mut Cx<'_>) {
        let (sharing, offered_load) = (&self.shares.sharing, &mut self.offered_load);
        let f = &mut self.messages[message];
        let demand = f.demand;
        let subflow = &mut f.subflows_mut()[nth];
        subflow.unblock(demand, sharing, offered_load);
        let subflow = *subflow;
        f.carried += subflow.carried;
        let until = if is_last {
            f.packetization.packets
        } else {
            // Rounded down and less than all: the last subflow counts at least one packet.
            f.counted.max(whole_packets(f.carried, f.packet_work).min(f.packetization.packets - 1))
        };
        let bytes_until = |packets: u64| match packets {
            all if all == f.packetization.packets => f.msg.bytes,
            some => some * self.packet_payload,
        };
        let packets = until - f.counted;
        let forward = bytes_until(until) - bytes_until(f.counted) + packets * f.extra.headers;
        let response = packets * f.extra.response;
        f.counted = until;
        let counters = &mut *cx.counters;
        counters.hops += packets * (subflow.hops() as u64 - 1);
        counters.nonminimal += if subflow.is_minimal { 0 } else { packets };
        for (nth, link) in subflow.path(sharing).enumerate() {
            let bytes = if nth < subflow.hops() { forward } else { response };
            counters.links[link] += LinkTraffic { bytes, packets };
            self.classes.count(&f.msg, link, packets);
        }
        subflow.remove_demand(demand, subflow.count, sharing, offered_load);
        self.shares.remove(subflow.flow);
    }

    /// Counts a message that starts.
    pub fn insert(&mut self, message: InFlight) -> InFlightId {
        self.nics.add(&message.msg);
        self.messages.insert(message)
    }

    /// Removes a message without subflows.
    pub fn remove(&mut self, message: InFlightId) -> Message {
        let msg = self.messages[message].msg;
        self.messages.free(message);
        self.nics.remove(&msg);
        msg
    }

    pub fn bytes(&self) -> usize {
        self.messages.bytes()
            + self.shares.bytes()
            + self.offered_load.bytes()
            + self.nics.bytes()
            + self.classes.bytes()
    }

    /// Asserts that no message is in flight.
    pub fn assert_idle(&self) {
        self.messages.assert_idle();
        assert_eq!(self.shares.sharing.live(), 0, "a subflow of a message that has ended");
        self.offered_load.assert_idle();
        assert!(self.nics.is_idle());
    }
}
