//! The max-min fair shares of all subflows.

use base::IndexVec;
use fluid::{FlowId, MaxMin, Use};
use machine::{LinkId, Machine, NicId};

use crate::classes::Classes;
use crate::fabric::{Fabric, PacketWeight};
use crate::in_flight::InFlightId;
use crate::subflow::Subflow;

/// Shares are fair to one part in 2 to this power; smaller changes do not propagate.
pub const PRECISION_BITS: u32 = 6;

pub(crate) struct Shares {
    pub fabric: Fabric,
    pub sharing: MaxMin,
    /// The message of each flow.
    message_of: IndexVec<FlowId, InFlightId>,
    /// Only with congestion trees.
    receiver_limited: Option<ReceiverLimited>,
    /// Uses of the flow that is being added.
    uses: Vec<Use>,
}

/// What a flow is needed for: a message from NIC to NIC in a traffic class.
#[derive(Clone, Copy)]
pub(crate) struct FlowOwner {
    pub message: InFlightId,
    pub class: u8,
    /// The representatives of its NICs.
    pub ends: (NicId, NicId),
    pub weight: PacketWeight,
}

impl Shares {
    pub fn new(machine: &Machine, classes: &Classes) -> Shares {
        let fabric = Fabric::new(machine);
        let mut sharing = MaxMin::new(fabric.capacities(), PRECISION_BITS);
        if classes.len() > 0 {
            sharing.share_by_class(classes.len() as u32, fabric.class_entitlements(machine));
        }
        Shares {
            fabric,
            sharing,
            message_of: IndexVec::new(),
            receiver_limited: None,
            uses: Vec::with_capacity(64),
        }
    }

    /// From now on, finds the flows that their receivers limit.
    pub fn find_receiver_limited(&mut self) {
        self.receiver_limited = Some(ReceiverLimited::default());
    }

    /// Adds a subflow of `count` packets on these forward and response links. It takes its share
    /// when it is started.
    pub fn add(
        &mut self,
        owner: FlowOwner,
        count: u32,
        path: (&[LinkId], &[LinkId]),
        is_minimal: bool,
    ) -> Subflow {
        self.fabric.uses(owner.ends, owner.weight, count, path, &mut self.uses);
        let flow = self.add_flow(owner.message, owner.class);
        Subflow::new(flow, count, (path.0.len(), path.1.len()), is_minimal)
    }

    /// Adds a flow with the uses in `uses`.
    fn add_flow(&mut self, message: InFlightId, class: u8) -> FlowId {
        let flow = self.sharing.add_in_class(class.into(), &self.uses);
        if self.message_of.len() <= flow.0 as usize {
            self.message_of.raw.resize(flow.0 as usize + 1, message);
        }
        self.message_of[flow] = message;
        flow
    }

    /// From the next solve on the subflow takes its share.
    pub fn start(&mut self, subflow: &Subflow) {
        self.sharing.start(subflow.flow);
    }

    pub fn remove(&mut self, flow: FlowId) {
        self.sharing.remove(flow);
        if let Some(receiver_limited) = &mut self.receiver_limited {
            receiver_limited.set(flow, false);
        }
    }

    /// Changes the number of packets of a started subflow.
    pub fn resize(&mut self, subflow: &mut Subflow, count: u32, class: u8) {
        // As in `Fabric::uses`: a weight that does not fit is the maximum.
        let scale =
            |one: Use| Use { weight: (one.weight / subflow.count).saturating_mul(count), ..one };
        self.uses.clear();
        self.uses.extend(self.sharing.uses(subflow.flow).map(scale));
        let message = self.message_of[subflow.flow];
        self.remove(subflow.flow);
        subflow.count = count;
        subflow.flow = self.add_flow(message, class);
        self.start(subflow);
    }

    /// The level that `subflow` would have alone.
    pub fn level_alone(&self, subflow: &Subflow) -> u64 {
        let level = |one: Use| self.sharing.capacity(one.resource) / u64::from(one.weight);
        self.sharing.uses(subflow.flow).map(level).min().unwrap_or(u64::MAX)
    }

    /// Computes the shares, and puts the messages whose level changed into `changed`, in order.
    pub fn solve(&mut self, changed: &mut Vec<InFlightId>) {
        self.sharing.solve();
        changed.clear();
        changed.extend(self.sharing.changed().iter().map(|&flow| self.message_of[flow]));
        changed.sort_unstable();
        changed.dedup();
    }

    /// After a solve: finds the flows that their receivers limit.
    pub fn update_receiver_limited(&mut self) {
        let Some(receiver_limited) = &mut self.receiver_limited else { return };
        for &flow in self.sharing.opened() {
            let at = self.sharing.bottleneck(flow);
            receiver_limited.set(flow, at.is_some_and(|at| self.fabric.is_any_receiver_limit(at)));
        }
    }

    /// Flows with their bottleneck at a receiving NIC, each with its message by `message_of`; empty
    /// without congestion trees.
    pub fn receiver_limited(&self) -> &[FlowId] {
        self.receiver_limited.as_ref().map_or(&[], |limited| &limited.flows)
    }

    pub fn message_of(&self, flow: FlowId) -> InFlightId {
        self.message_of[flow]
    }

    pub fn bytes(&self) -> usize {
        self.sharing.bytes()
            + self.message_of.raw.capacity() * size_of::<InFlightId>()
            + self.receiver_limited.as_ref().map_or(0, ReceiverLimited::bytes)
    }
}

/// Flows with their bottleneck at a receiving NIC. Only their packets occupy buffers.
#[derive(Default)]
struct ReceiverLimited {
    flows: Vec<FlowId>,
    /// The position of each flow in that list, or `ABSENT`.
    place: IndexVec<FlowId, u32>,
}

const ABSENT: u32 = u32::MAX;

impl ReceiverLimited {
    /// Records whether the bottleneck of `flow` is at a receiving NIC.
    fn set(&mut self, flow: FlowId, is_limited: bool) {
        if self.place.len() <= flow.0 as usize {
            self.place.raw.resize(flow.0 as usize + 1, ABSENT);
        }
        let place = self.place[flow];
        if is_limited && place == ABSENT {
            self.place[flow] = self.flows.len() as u32;
            self.flows.push(flow);
        } else if !is_limited && place != ABSENT {
            self.place[flow] = ABSENT;
            self.flows.swap_remove(place as usize);
            if let Some(&moved) = self.flows.get(place as usize) {
                self.place[moved] = place;
            }
        }
    }

    fn bytes(&self) -> usize {
        self.flows.capacity() * size_of::<FlowId>() + self.place.raw.capacity() * size_of::<u32>()
    }
}
