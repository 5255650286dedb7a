//! Subflows: the paths of a message, and the traffic that each has carried.
//!
//! Key idea: a few sampled packets represent all. The machine's routing chooses a path for each, at
//! the load that it sees, including samples drawn before. Equal paths form one subflow.

use fluid::{FlowId, MaxMin, Resource};
use machine::LinkId;

use crate::offered_load::{OfferedLoad, PacketDemand};
use crate::packet_path::DrawnPath;

/// Sampled packets per message, and so the maximum number of its subflows.
pub(crate) const MAX_SUBFLOWS: u32 = 8;

/// One path of a message and the sampled packets on it.
#[derive(Clone, Copy)]
pub(crate) struct Subflow {
    pub flow: FlowId,
    pub count: u32,
    /// Links forward, and on the response path.
    forward: u16,
    response: u16,
    pub is_minimal: bool,
    /// Index of the link that limits it; 0 if no link between switches does.
    blocked_at: u16,
    /// Level of each of its packets.
    pub level: u64,
    /// Level x count x time.
    pub carried: u128,
}

impl Subflow {
    pub const NONE: Subflow = Subflow {
        flow: FlowId(u32::MAX),
        count: 0,
        forward: 0,
        response: 0,
        is_minimal: true,
        blocked_at: 0,
        level: 0,
        carried: 0,
    };

    /// `count` packets whose paths have this number of links forward and for the response.
    pub fn new(
        flow: FlowId,
        count: u32,
        (forward, response): (usize, usize),
        is_minimal: bool,
    ) -> Subflow {
        let (forward, response) = (forward as u16, response as u16);
        Subflow { flow, count, forward, response, is_minimal, ..Subflow::NONE }
    }

    /// Links from NIC to NIC.
    pub fn hops(&self) -> usize {
        self.forward.into()
    }

    /// Links of its path, forward and response: the first of its uses.
    pub fn n_links(&self) -> usize {
        usize::from(self.forward) + usize::from(self.response)
    }

    /// These links.
    pub fn path(&self, sharing: &MaxMin) -> impl Iterator<Item = LinkId> {
        sharing.uses(self.flow).take(self.n_links()).map(|one| LinkId(one.resource.0))
    }

    /// The path of one of its packets, whose links begin at `begin`.
    pub fn drawn(&self, begin: usize) -> DrawnPath {
        DrawnPath::new(begin, (self.forward, self.response), self.is_minimal)
    }

    /// Whether a link between switches limits it.
    pub fn is_blocked(&self) -> bool {
        self.blocked_at > 0
    }

    /// Whether a link of its response path limits it.
    pub fn is_blocked_by_response(&self) -> bool {
        self.blocked_at >= self.forward
    }

    /// Adds the demand of its packets on the links of its path.
    pub fn add_demand(&self, demand: PacketDemand, sharing: &MaxMin, load: &mut OfferedLoad) {
        for (nth, link) in self.path(sharing).enumerate() {
            let demand = if nth < self.hops() { demand.forward } else { demand.response };
            load.add(link, demand.times(self.count));
        }
    }

    /// Removes the demand of `count` of its packets.
    pub fn remove_demand(
        &self,
        demand: PacketDemand,
        count: u32,
        sharing: &MaxMin,
        load: &mut OfferedLoad,
    ) {
        for (nth, link) in self.path(sharing).enumerate() {
            let demand = if nth < self.hops() { demand.forward } else { demand.response };
            load.remove(link, demand.times(count));
        }
    }

    /// `at` now sets its level. If that is a link between switches, the buffers before it fill,
    /// back to the source switch. The same holds for responses.
    pub fn block_at(
        &mut self,
        at: Option<Resource>,
        demand: PacketDemand,
        sharing: &MaxMin,
        offered_load: &mut OfferedLoad,
    ) {
        let (forward, all) = (usize::from(self.forward), self.n_links());
        let place_of = |at| sharing.uses(self.flow).take(all).position(|one| one.resource == at);
        // The first and last link of either direction belong to NICs.
        let is_at_nic = |place: usize| [0, forward - 1, forward, all - 1].contains(&place);
        let place = at.and_then(place_of).filter(|&place| !is_at_nic(place));
        let blocked_at = place.unwrap_or(0) as u16;
        if blocked_at != self.blocked_at {
            self.unblock(demand, sharing, offered_load);
            self.blocked_at = blocked_at;
            self.links_before_block(demand, sharing, |link, rate| offered_load.fill(link, rate));
        }
    }

    /// Nothing limits it between switches.
    pub fn unblock(
        &mut self,
        demand: PacketDemand,
        sharing: &MaxMin,
        offered_load: &mut OfferedLoad,
    ) {
        self.links_before_block(demand, sharing, |link, rate| offered_load.drain(link, rate));
        self.blocked_at = 0;
    }

    /// The links from the source switch to the limiting link, and its demand on them.
    fn links_before_block(
        &self,
        demand: PacketDemand,
        sharing: &MaxMin,
        mut visit: impl FnMut(LinkId, u64),
    ) {
        let (demand, begin) = if self.blocked_at < self.forward {
            (demand.forward, 0)
        } else {
            (demand.response, self.forward)
        };
        let links =
            sharing.uses(self.flow).take(self.blocked_at.into()).skip(usize::from(begin) + 1);
        links.for_each(|one| visit(LinkId(one.resource.0), demand.rate * u64::from(self.count)));
    }
}
