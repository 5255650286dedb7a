//! Engines: a leader forwards updates and punches to the other members; trees of engines.

use base::Time;
use machine::storage::daos::Redundancy;

use super::commits::Entry;
use super::task::{NO_TASK, Node, NodeId, Work};
use super::{Daos, operation, protocol};
use crate::{Bulk, Peer, Rpc, ServerId, Sink};

impl Daos {
    /// A thread begins with an RPC: it forwards it before it executes it.
    pub(super) fn forward(&mut self, id: NodeId, rpc: &Rpc, sink: &mut impl Sink) {
        match self.nodes[id].work {
            Work::Single => (),
            Work::Leader => self.forward_to_members(id, rpc, sink),
            Work::ObjectLeader => self.forward_to_shards(id, rpc, sink),
            Work::Tree => self.forward_in_tree(id, rpc, sink),
        }
    }

    fn forward_to_members(&mut self, id: NodeId, rpc: &Rpc, sink: &mut impl Sink) {
        let node = self.nodes[id];
        let layout = self.pool.objects.layout(node.object);
        let Peer::Server(leader) = rpc.to else { return };
        if layout.group_size == 1 {
            return;
        }
        let part = self.pool.part_of(&node);
        let leading = self.pool.leader_member(node.object);
        let carried = self.piggyback(leader, node.object, node.key);
        for member in (0..layout.group_size).filter(|&m| m != leading) {
            let bytes = part.stored(member);
            if rpc.operation == operation::UPDATE && bytes == 0 {
                continue;
            }
            let target = self.pool.member(node.object, node.key, member);
            let mut forwarded = match rpc.operation {
                operation::UPDATE => {
                    let inline = !matches!(rpc.bulk, Bulk::Pull(_));
                    let update = operation::TGT_UPDATE;
                    let mut rpc = self.pool.update_rpc(update, target, bytes, inline);
                    rpc.service += self.pool.insertion_time(node.insertion);
                    rpc
                }
                _ => {
                    let punch = self.pool.params.engine.punch;
                    self.pool.rpc(operation::TGT_DKEY_PUNCH, target, punch)
                }
            };
            // Each member fetches its data from the client (ORF_BULK_BIND).
            forwarded.bulk_peer = rpc.bulk_peer;
            forwarded.request_bytes += carried * protocol::COMMIT_ENTRY_BYTES;
            forwarded.service += self.pool.params.engine.commit * u64::from(carried);
            let forward = Node::new(NO_TASK, node.object, node.key, Work::Single);
            self.post_from(leader, Node { parent: id, end: bytes, ..forward }, forwarded, sink);
        }
    }

    fn forward_to_shards(&mut self, id: NodeId, rpc: &Rpc, sink: &mut impl Sink) {
        let node = self.nodes[id];
        let Peer::Server(leader) = rpc.to else { return };
        for shard in 0..self.pool.objects.layout(node.object).shards() {
            let target = self.pool.placement.target(node.object, shard);
            if target == leader {
                continue;
            }
            let service = self.pool.punch_time(node.object);
            let forwarded = self.pool.rpc(operation::TGT_PUNCH, target, service);
            let forward = Node::new(NO_TASK, node.object, 0, Work::Single);
            self.post_from(leader, Node { parent: id, ..forward }, forwarded, sink);
        }
    }

    fn forward_in_tree(&mut self, id: NodeId, rpc: &Rpc, sink: &mut impl Sink) {
        let node = self.nodes[id];
        let Peer::Server(from) = rpc.to else { return };
        let width = protocol::COLLECTIVE_WIDTH;
        let first = node.position * width + 1;
        let engines = self.trees.engines(node.tree).len() as u32;
        for position in first..(first + width).min(engines) {
            let to = self.trees.engines(node.tree)[position as usize];
            let forwarded = Rpc { to: Peer::Server(to), ..*rpc };
            let child = Node { parent: id, task: NO_TASK, position, pending: 0, ..node };
            self.post_from(from, Node { served: false, ..child }, forwarded, sink);
        }
    }

    /// Replies to an RPC that has been executed, and whose forwarded RPCs have been replied to.
    pub(super) fn reply_if_complete(
        &mut self,
        now: Time,
        id: NodeId,
        at: Peer,
        sink: &mut impl Sink,
    ) {
        let node = self.nodes[id];
        if !node.served || node.pending > 0 {
            return;
        }
        if let Peer::Server(target) = at
            && matches!(node.work, Work::Leader | Work::ObjectLeader)
        {
            self.executed(now, target, &node, sink);
        }
        self.counters.ended(node.operation, node.end - node.start, now.since(node.started));
        sink.reply(node.rpc);
    }

    /// All members have executed an update or punch.
    fn executed(&mut self, now: Time, leader: ServerId, node: &Node, sink: &mut impl Sink) {
        let layout = self.pool.objects.layout(node.object);
        let whole = node.work == Work::ObjectLeader;
        let members = if whole { layout.shards() } else { layout.group_size };
        if node.effect && members > 1 {
            let part = self.pool.part_of(node);
            let mask = match layout.redundancy {
                Redundancy::ErasureCode { .. } if part.bytes() > 0 => {
                    (0..members).filter(|&m| part.stored(m) > 0).fold(0, |mask, m| mask | 1 << m)
                }
                _ => Entry::ALL,
            };
            let entry = Entry { object: node.object, key: node.key, mask, whole };
            self.add_commit(now, leader, entry, sink);
            self.add_partial_stripes(now, leader, node, &part, sink);
        }
    }
}
