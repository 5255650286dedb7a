//! RPCs: sizes, bulk transfers, service times, media. Sending them from processes and engines.

use base::Span;
use machine::storage::daos::Checksums;

use super::Daos;
use super::pool::NO_CLIENT;
use super::task::{NO_NODE, Node, NodeId, TaskId};
use crate::{Bulk, Peer, Rpc, ServerId, Sink};

impl Daos {
    /// A process sends an RPC, or queues it until it has a credit.
    pub(super) fn post(&mut self, node: Node, mut rpc: Rpc, sink: &mut impl Sink) {
        let client = self.tasks[node.task].client;
        self.tasks[node.task].pending += 1;
        let id = self.nodes.insert(Node { operation: rpc.operation, ..node });
        rpc.tag = u64::from(id.0);
        (rpc.from, rpc.bulk_peer) = (Peer::Client(client), Peer::Client(client));
        let Peer::Server(target) = rpc.to else { unreachable!("requests go to servers") };
        let credits = self.pool.params.client.credits;
        if self.clients.take_credit(client, target, credits, id, &rpc) {
            self.launch(id, rpc, sink);
        }
    }

    /// A process sends an RPC for which it has a credit.
    pub(super) fn launch(&mut self, id: NodeId, rpc: Rpc, sink: &mut impl Sink) {
        let client = &self.pool.params.client;
        let node = self.nodes[id];
        let (inline, bulk) = match rpc.bulk {
            // The memory of the whole part of the chunk, of which each target fetches its share.
            Bulk::Pull(_) => (0, node.end - node.start),
            _ => (u64::from(rpc.request_bytes - self.pool.params.message.request), 0),
        };
        let mut span = client.send + client.write.span(bulk);
        if self.pool.params.checksums != Checksums::Off {
            span += client.checksum.span(inline + bulk);
        }
        self.occupy(node.task, span, sink);
        self.nodes[id].rpc = sink.send(rpc);
    }

    /// CPU time of a process that receives a reply.
    pub(super) fn receive(&mut self, task: TaskId, rpc: &Rpc, sink: &mut impl Sink) {
        let client = &self.pool.params.client;
        let (inline, bulk) = match rpc.bulk {
            Bulk::Push(bytes) => (0, bytes),
            _ => (u64::from(rpc.reply_bytes - self.pool.params.message.reply), 0),
        };
        let mut span = client.receive + client.read.span(bulk);
        if self.pool.params.checksums != Checksums::Off {
            span += client.checksum.span(inline + bulk);
        }
        self.occupy(task, span, sink);
    }

    /// CPU time of the rank of a task. That of a daemon is in `Stage::Daemon`.
    pub(super) fn occupy(&mut self, task: TaskId, span: Span, sink: &mut impl Sink) {
        let of = &self.tasks[task];
        if let Some(call) = of.call.filter(|_| !of.in_daemon && span > Span::ZERO) {
            sink.occupy(call, span);
        }
    }

    /// An engine sends an RPC: for another RPC (`node.parent`), for a task, or for neither.
    pub(super) fn post_from(
        &mut self,
        from: ServerId,
        node: Node,
        mut rpc: Rpc,
        sink: &mut impl Sink,
    ) {
        if node.parent != NO_NODE {
            self.nodes[node.parent].pending += 1;
        } else if node.task != super::NO_TASK {
            self.tasks[node.task].pending += 1;
        }
        rpc.from = Peer::Server(from);
        if rpc.bulk_peer == NO_CLIENT {
            rpc.bulk_peer = rpc.from;
        }
        let id = self.nodes.insert(Node { operation: rpc.operation, ..node });
        rpc.tag = u64::from(id.0);
        self.nodes[id].rpc = sink.send(rpc);
    }
}
