//! Joint path choice of messages that start together.
//!
//! Key idea: NICs send in parallel, one packet after the other. So messages choose a path for one
//! sampled packet each in turn, at the load of all others. When their rates are known they choose
//! again with these rates as demand (`rerouting`), because a NIC sends no more than its blocked
//! packets allow. docs/models/flow-routing.md.

use machine::{LinkId, Machine};
use net::{Cx, LostAt};

use crate::in_flight::InFlightId;
use crate::packet_path::{DrawnPath, DrawnPaths, PATH_EXISTS, PacketPath};
use crate::subflow::MAX_SUBFLOWS;
use crate::traffic::{DemandBasis, Traffic};

/// Rounds of choice for each sampled packet at full demand [estimate].
const OFFERED_ROUNDS: u32 = 2;

/// Paths of choosing messages: a row per message, with one entry per sampled packet.
#[derive(Default)]
struct PathRows {
    paths: Vec<DrawnPath>,
    /// Links of the paths chosen in this round, and of those from before it.
    links: Vec<LinkId>,
    before: Vec<LinkId>,
}

impl PathRows {
    /// Links of the `nth` path of a row while that of `sample` is being chosen: those of earlier
    /// samples are from this round.
    fn links_of(&self, row: usize, nth: u32, sample: u32) -> (&[LinkId], &[LinkId]) {
        let links = if nth < sample { &self.links } else { &self.before };
        self.paths[row + nth as usize].both(links)
    }

    fn bytes(&self) -> usize {
        self.paths.capacity() * size_of::<DrawnPath>()
            + (self.links.capacity() + self.before.capacity()) * size_of::<LinkId>()
    }
}

pub(crate) struct PathChoice {
    rows: PathRows,
    path: PacketPath,
    drawn: DrawnPaths,
}

impl PathChoice {
    pub fn new() -> PathChoice {
        PathChoice {
            rows: PathRows::default(),
            path: PacketPath::new(),
            drawn: DrawnPaths::with_capacity(MAX_SUBFLOWS),
        }
    }

    /// Draws the paths of `message`, which has none, and returns them. Returns an error if there is
    /// no path.
    pub fn draw_first(
        &mut self,
        message: InFlightId,
        traffic: &mut Traffic,
        machine: &Machine,
    ) -> Result<&DrawnPaths, LostAt> {
        let demand = traffic.demand_of(message, DemandBasis::Offered);
        let f = &mut traffic.messages[message];
        f.demand = demand;
        self.drawn.clear();
        let offered_load = &mut traffic.offered_load;
        for _ in 0..f.samples {
            let draw = f.next_draw(machine);
            let is_minimal = self.path.draw(f.endpoints(), draw, offered_load, machine)?;
            let PacketPath { forward, response } = &self.path;
            forward.iter().for_each(|&link| offered_load.add_own_demand(link, demand.forward));
            response.iter().for_each(|&link| offered_load.add_own_demand(link, demand.response));
            self.drawn.add(self.path.both(), is_minimal);
        }
        offered_load.clear_own();
        traffic.set_paths(message, &self.drawn);
        Ok(&self.drawn)
    }

    /// Messages that arrived at one time choose paths again, in the order of their commands.
    pub fn choose_batch(&mut self, batch: &[InFlightId], traffic: &mut Traffic, cx: &mut Cx<'_>) {
        let times = if cx.machine.routing.is_adaptive() { OFFERED_ROUNDS } else { 1 };
        self.choose(batch, (DemandBasis::Offered, times), traffic, cx);
    }

    /// Each message chooses a path for each sampled packet, `times` times, one packet each in turn.
    /// Their subflows have yet to start.
    pub fn choose(
        &mut self,
        batch: &[InFlightId],
        (basis, times): (DemandBasis, u32),
        traffic: &mut Traffic,
        cx: &mut Cx<'_>,
    ) {
        let rows = &mut self.rows;
        rows.paths.clear();
        rows.before.clear();
        for &message in batch {
            let row = rows.paths.len();
            for subflow in traffic.messages[message].subflows() {
                let path = subflow.drawn(rows.before.len());
                rows.paths.extend((0..subflow.count).map(|_| path));
                rows.before.extend(subflow.path(&traffic.shares.sharing));
            }
            rows.paths.resize(row + MAX_SUBFLOWS as usize, DrawnPath::NONE);
            traffic.drop_subflows(message, false, cx);
            let demand = traffic.demand_of(message, basis);
            traffic.messages[message].demand = demand;
            let load = &mut traffic.offered_load;
            for nth in 0..traffic.messages[message].samples {
                let (forward, response) = rows.links_of(row, nth, 0);
                forward.iter().for_each(|&link| load.add(link, demand.forward));
                response.iter().for_each(|&link| load.add(link, demand.response));
            }
        }
        for _ in 0..times {
            self.rows.links.clear();
            for sample in 0..MAX_SUBFLOWS {
                for (nth, &message) in batch.iter().enumerate() {
                    if sample < traffic.messages[message].samples {
                        let row = nth * MAX_SUBFLOWS as usize;
                        self.choose_path(message, (row, sample), traffic, cx.machine);
                    }
                }
            }
            std::mem::swap(&mut self.rows.links, &mut self.rows.before);
        }
        for (nth, &message) in batch.iter().enumerate() {
            self.drawn.clear();
            for sample in 0..traffic.messages[message].samples {
                let row = nth * MAX_SUBFLOWS as usize;
                let is_minimal = self.rows.paths[row + sample as usize].is_minimal;
                self.drawn.add(self.rows.links_of(row, sample, 0), is_minimal);
            }
            traffic.set_paths(message, &self.drawn);
        }
    }

    /// One sampled packet of `message` chooses at the load of all others and its own.
    fn choose_path(
        &mut self,
        message: InFlightId,
        (row, sample): (usize, u32),
        traffic: &mut Traffic,
        machine: &Machine,
    ) {
        let f = &mut traffic.messages[message];
        let load = &mut traffic.offered_load;
        let demand = f.demand;
        for nth in 0..f.samples {
            let (forward, response) = self.rows.links_of(row, nth, sample);
            if nth == sample {
                forward.iter().for_each(|&link| load.remove(link, demand.forward));
                response.iter().for_each(|&link| load.remove(link, demand.response));
            } else {
                forward.iter().for_each(|&link| load.mark_own(link, demand.forward));
                response.iter().for_each(|&link| load.mark_own(link, demand.response));
            }
        }
        let draw = f.next_draw(machine);
        let is_minimal = self.path.draw(f.endpoints(), draw, load, machine).expect(PATH_EXISTS);
        load.clear_own();
        self.path.add_demand(load, demand, 1);
        let PacketPath { forward, response } = &self.path;
        let lengths = (forward.len() as u16, response.len() as u16);
        self.rows.paths[row + sample as usize] =
            DrawnPath::new(self.rows.links.len(), lengths, is_minimal);
        self.rows.links.extend_from_slice(forward);
        self.rows.links.extend_from_slice(response);
    }

    pub fn bytes(&self) -> usize {
        self.rows.bytes()
    }
}
