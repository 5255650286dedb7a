//! Aggregation of partial stripes: a leader replaces replicas on parity targets by parity.
//!
//! Source: daos-stack/daos @1ff45496, object/srv_ec_aggregate.c.

use std::collections::{BTreeMap, BTreeSet};

use base::{Span, Time};
use machine::storage::daos::Redundancy;

use super::class::Part;
use super::task::{NO_NODE, Node, Stage, Stripe, TaskId, Work};
use super::{Daos, Timer, operation, protocol};
use crate::{Bulk, ClientId, Peer, ServerId, Sink};

/// Cells of a stripe that have a replica on the parity targets.
#[derive(Clone, Copy, Debug)]
struct Partial {
    cells: u32,
    /// Of the first write.
    since: Time,
}

/// Partial stripes of all leaders.
#[derive(Debug, Default)]
pub struct Aggregation {
    partial: BTreeMap<(ServerId, Stripe), Partial>,
    /// Leaders that aggregate a stripe.
    active: BTreeSet<ServerId>,
    armed: bool,
    pub aggregated: u64,
}

impl Aggregation {
    pub fn pending(&self) -> usize {
        self.partial.len()
    }

    /// The first stripe of a leader that is old enough, and its replicated cells.
    fn aged(&self, now: Time, leader: ServerId) -> Option<(Stripe, u32)> {
        let least = Stripe { file: 0, chunk: 0, index: 0 };
        self.partial
            .range((leader, least)..)
            .take_while(|((of, _), _)| *of == leader)
            .find(|(_, partial)| now.since(partial.since) >= protocol::AGGREGATION_AGE)
            .map(|(&(_, stripe), partial)| (stripe, partial.cells))
    }

    /// The first leader from this one on that has partial stripes.
    fn next_leader(&self, from: ServerId) -> Option<ServerId> {
        let least = Stripe { file: 0, chunk: 0, index: 0 };
        self.partial.range((from, least)..).next().map(|((leader, _), _)| *leader)
    }
}

impl Daos {
    /// A write has ended: its partial stripes are to be aggregated, its full stripes no longer.
    pub(super) fn add_partial_stripes(
        &mut self,
        now: Time,
        leader: ServerId,
        node: &Node,
        part: &Part,
        sink: &mut impl Sink,
    ) {
        let Redundancy::ErasureCode { data, .. } = part.redundancy else { return };
        if part.bytes() == 0 {
            return;
        }
        let stripe = u64::from(data) * part.cell;
        let full = part.full_stripes();
        for index in part.start / stripe..part.end.div_ceil(stripe) {
            let key = (leader, Stripe { file: node.object, chunk: node.key, index: index as u32 });
            if (full.0..full.1).contains(&index) {
                self.aggregation.partial.remove(&key);
                continue;
            }
            let from = part.start.max(index * stripe) - index * stripe;
            let to = part.end.min((index + 1) * stripe) - index * stripe;
            let cells = (from / part.cell..to.div_ceil(part.cell)).fold(0, |m, c| m | 1 << c);
            let new = Partial { cells: 0, since: now };
            self.aggregation.partial.entry(key).or_insert(new).cells |= cells;
        }
        self.arm_aggregation(sink);
    }

    fn arm_aggregation(&mut self, sink: &mut impl Sink) {
        if !self.aggregation.armed && !self.aggregation.partial.is_empty() {
            self.aggregation.armed = true;
            // Four checks per age, so a stripe is at most a quarter older.
            let period = Span(protocol::AGGREGATION_AGE.0 / 4);
            sink.timer(period, Timer::Aggregation.token());
        }
    }

    /// Starts leaders that have aged stripes.
    pub(super) fn aggregate(&mut self, now: Time, sink: &mut impl Sink) {
        self.aggregation.armed = false;
        let mut at = Some(ServerId(0));
        while let Some(leader) = at.and_then(|at| self.aggregation.next_leader(at)) {
            if self.aggregation.active.insert(leader) {
                self.aggregate_next(now, leader, sink);
            }
            at = leader.0.checked_add(1).map(ServerId);
        }
        self.arm_aggregation(sink);
    }

    /// A leader begins with its next aged stripe. It aggregates one at a time.
    pub(super) fn aggregate_next(&mut self, now: Time, leader: ServerId, sink: &mut impl Sink) {
        let (stripe, cells) = loop {
            let Some((stripe, cells)) = self.aggregation.aged(now, leader) else {
                self.aggregation.active.remove(&leader);
                return;
            };
            self.aggregation.partial.remove(&(leader, stripe));
            // Stripes of removed files are dropped.
            if !self.pool.objects.get(stripe.file).written.is_empty() {
                break (stripe, cells);
            }
        };
        self.aggregation.aggregated += 1;
        let task = self.new_task(None, ClientId(u32::MAX));
        let stages = &mut self.tasks[task].stages;
        stages.push(Stage::AggregateWrite { leader, stripe });
        stages.push(Stage::AggregateFetch { leader, stripe, cells });
        self.advance(now, task, sink);
    }

    /// The leader has the replicas. It reads the other cells, or, if fewer than half of the cells
    /// have been written, the former contents of these.
    pub(super) fn aggregate_fetch(
        &mut self,
        task: TaskId,
        leader: ServerId,
        stripe: Stripe,
        cells: u32,
        sink: &mut impl Sink,
    ) {
        let Some((data, _)) = self.pool.code_of(stripe.file) else { return };
        let recompute = 2 * cells.count_ones() >= data;
        for member in 0..data {
            let written = cells & 1 << member != 0;
            if written == recompute {
                continue;
            }
            let to = self.pool.member(stripe.file, stripe.chunk, member);
            let cell = self.pool.params.cell_size;
            let mut rpc = self.pool.rpc(operation::EC_AGGREGATE, to, self.pool.params.engine.fetch);
            rpc.bulk = Bulk::Push(cell);
            rpc.access = Some(self.pool.read_access(to, cell, true));
            let node = Node::new(task, stripe.file, stripe.chunk, Work::Single);
            self.post_from(leader, node, rpc, sink);
        }
    }

    /// The leader computes and writes parity: its own cell, and that of each other parity target.
    pub(super) fn aggregate_write(
        &mut self,
        task: TaskId,
        leader: ServerId,
        stripe: Stripe,
        sink: &mut impl Sink,
    ) {
        let Some((data, parity)) = self.pool.code_of(stripe.file) else { return };
        let cell = self.pool.params.cell_size;
        for member in data..data + parity {
            let to = self.pool.member(stripe.file, stripe.chunk, member);
            let mut rpc =
                self.pool.rpc(operation::EC_REPLICATE, to, self.pool.params.engine.update);
            rpc.access = Some(self.pool.write_access(to, cell, true));
            if to == leader {
                let bytes = u64::from(data) * u64::from(parity) * cell;
                rpc.service += self.pool.params.engine.parity.span(bytes);
            } else {
                rpc.bulk = Bulk::Pull(cell);
                rpc.bulk_peer = Peer::Server(leader);
            }
            let node = Node::new(task, stripe.file, stripe.chunk, Work::Single);
            self.post_from(leader, Node { parent: NO_NODE, ..node }, rpc, sink);
        }
    }
}
