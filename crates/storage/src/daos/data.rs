//! Reads and writes: one RPC per chunk and, for erasure codes, data target.

use machine::storage::daos::Redundancy;
use workload::FileId;

use super::class::Part;
use super::task::{Node, TaskId, Work};
use super::{Daos, operation, protocol};
use crate::Sink;

impl Daos {
    /// An update of each chunk, all at once. Each goes to the leader of the chunk's group.
    pub(super) fn write(
        &mut self,
        task: TaskId,
        file: FileId,
        start: u64,
        end: u64,
        sink: &mut impl Sink,
    ) {
        let parity = self.pool.parity_time(file, start, end);
        self.occupy(task, parity, sink);
        self.pool.objects.get(file).small = end - start < protocol::NVME_THRESHOLD;
        for (chunk, from, to) in self.pool.chunks(file, start, end) {
            let part = self.pool.part(file, from, to);
            self.counters.update_kind(&part);
            let member = self.pool.leader_member(file);
            let target = self.pool.member(file, chunk, member);
            let inline = self.pool.is_inline(&part);
            let bytes = part.stored(member);
            let mut rpc = self.pool.update_rpc(operation::UPDATE, target, bytes, inline);
            let insertion = self.pool.insertion(file, chunk, from);
            rpc.service += self.pool.insertion_time(insertion);
            let node = Node::new(task, file, chunk, Work::Leader);
            self.post(Node { start: from, end: to, insertion, ..node }, rpc, sink);
        }
    }

    /// A fetch from one replica of each chunk, or from each target that holds cells of the range.
    pub(super) fn read(
        &mut self,
        task: TaskId,
        file: FileId,
        start: u64,
        end: u64,
        sink: &mut impl Sink,
    ) {
        for (chunk, from, to) in self.pool.chunks(file, start, end) {
            let part = self.pool.part(file, from, to);
            match part.redundancy {
                Redundancy::Replicas(_) => {
                    let client = self.tasks[task].client;
                    let member = self.pool.reading_member(self.clients.get(client), file);
                    let inline = part.bytes() < protocol::BULK_LIMIT;
                    let bytes = self.pool.present(file, chunk, from, to);
                    self.fetch(task, file, chunk, member, bytes, inline, sink);
                }
                Redundancy::ErasureCode { data, .. } => {
                    self.read_cells(task, file, chunk, &part, data, sink);
                }
            }
        }
    }

    fn read_cells(
        &mut self,
        task: TaskId,
        file: FileId,
        chunk: u64,
        part: &Part,
        data: u32,
        sink: &mut impl Sink,
    ) {
        let complete = self.pool.present(file, chunk, part.start, part.end) == part.bytes();
        let members = (0..data).filter(|&m| part.read(m) > 0);
        let one = members.clone().nth(1).is_none();
        let inline = one && part.bytes() < protocol::BULK_LIMIT;
        for member in members {
            let bytes = match complete {
                true => part.read(member),
                false => self.pool.cells_present(file, chunk, part, data, member),
            };
            self.fetch(task, file, chunk, member, bytes, inline, sink);
        }
    }

    #[expect(clippy::too_many_arguments, reason = "what a fetch depends on")]
    fn fetch(
        &mut self,
        task: TaskId,
        file: FileId,
        chunk: u64,
        member: u32,
        bytes: u64,
        inline: bool,
        sink: &mut impl Sink,
    ) {
        let target = self.pool.member(file, chunk, member);
        let small = self.pool.objects.get(file).small;
        let mut rpc = self.pool.fetch_rpc(target, bytes, inline, small);
        rpc.service += self.pool.params.engine.cold_fetch;
        let node = Node::new(task, file, chunk, Work::Single);
        self.post(Node { end: bytes, ..node }, rpc, sink);
    }
}
