//! A pool: parameters, objects, placement; the RPCs to its targets. No calls in progress.

use base::{Span, below, draw};
use machine::storage::daos::{Checksums, ClientPath, DaosParams, Redundancy};
use workload::{FileCall, FileCallKind, FileId, file_flag};

use super::class::Part;
use super::clients::Client;
use super::objects::Objects;
use super::placement::{Placement, group_of};
use super::task::{Insertion, Node, Stage};
use super::{operation, protocol};
use crate::{Bulk, ClientId, MediumAccess, MediumId, Peer, Rpc, ServerId};

pub struct Pool {
    pub params: DaosParams,
    pub placement: Placement,
    pub objects: Objects,
}

/// A call has this flag.
pub fn has(what: &FileCall, flag: u16) -> bool {
    what.flags & flag != 0
}

/// Sender of an RPC that is not sent yet.
pub const NO_CLIENT: Peer = Peer::Client(ClientId(u32::MAX));

impl Pool {
    pub fn engines(&self) -> u32 {
        self.placement.domains * self.params.engines
    }

    pub fn targets(&self) -> u32 {
        self.engines() * self.params.targets
    }

    /// The server of pool and container metadata. Its replicas take no part in client calls.
    pub fn service(&self) -> ServerId {
        ServerId(self.targets())
    }

    /// How a call reaches the file system.
    pub fn path(&self, what: &FileCall) -> ClientPath {
        match has(what, file_flag::LIBRARY) {
            true => ClientPath::Dfs,
            false => self.params.client_path,
        }
    }

    /// The call is a request to the daemon of the node.
    pub fn in_daemon(&self, what: &FileCall) -> bool {
        match self.path(what) {
            ClientPath::Dfs | ClientPath::Pil4dfs => false,
            ClientPath::Ioil => !matches!(what.kind, FileCallKind::Read | FileCallKind::Write),
            ClientPath::Dfuse { .. } => true,
        }
    }

    /// An RPC without data.
    pub fn rpc(&self, operation: u8, to: ServerId, service: Span) -> Rpc {
        Rpc {
            operation,
            from: NO_CLIENT,
            to: Peer::Server(to),
            request_bytes: self.params.message.request,
            reply_bytes: self.params.message.reply,
            bulk: Bulk::None,
            bulk_peer: NO_CLIENT,
            service: self.params.engine.request + service,
            access: None,
            priority: 0,
            tag: 0,
        }
    }

    /// An update of `bytes` on one target.
    pub fn update_rpc(&self, operation: u8, to: ServerId, bytes: u64, inline: bool) -> Rpc {
        let engine = &self.params.engine;
        let mut rpc = self.rpc(operation, to, engine.update);
        let on_nvme = bytes >= protocol::NVME_THRESHOLD;
        match inline {
            true => rpc.request_bytes += bytes as u32,
            false => rpc.bulk = Bulk::Pull(bytes),
        }
        // The thread copies a small payload to SCM. Other data moves by DMA.
        match inline && !on_nvme {
            true => rpc.service += engine.update_copy.span(bytes),
            false => rpc.access = Some(self.write_access(to, bytes, on_nvme)),
        }
        if self.params.checksums == Checksums::ClientAndEngine {
            rpc.service += engine.checksum.span(bytes);
        }
        rpc
    }

    /// What an update that begins at byte `from` of a chunk inserts. The update of its first byte
    /// makes the key. On average the first chunks, as many as groups, make the object's shards.
    pub fn insertion(&mut self, file: FileId, chunk: u64, from: u64) -> Insertion {
        if from > 0 || self.present(file, chunk, 0, 1) > 0 {
            return Insertion::None;
        }
        match chunk < u64::from(self.objects.layout(file).groups) {
            true => Insertion::Object,
            false => Insertion::Key,
        }
    }

    /// A punch of a whole object.
    pub fn punch_time(&mut self, object: FileId) -> Span {
        let has_data = !self.objects.get(object).written.is_empty();
        let engine = &self.params.engine;
        engine.punch + if has_data { engine.reclaim } else { Span::ZERO }
    }

    pub fn insertion_time(&self, insertion: Insertion) -> Span {
        let engine = &self.params.engine;
        match insertion {
            Insertion::None => Span::ZERO,
            Insertion::Key => engine.new_key,
            Insertion::Object => engine.new_key + engine.new_object,
        }
    }

    /// A fetch from one target, which has `bytes` of what is requested.
    pub fn fetch_rpc(&self, to: ServerId, bytes: u64, inline: bool, small: bool) -> Rpc {
        let engine = &self.params.engine;
        let mut rpc = self.rpc(operation::FETCH, to, engine.fetch);
        if bytes == 0 {
            return rpc;
        }
        match inline {
            true => rpc.reply_bytes += bytes as u32,
            false => rpc.bulk = Bulk::Push(bytes),
        }
        match inline && small {
            true => rpc.service += engine.fetch_copy.span(bytes),
            false => rpc.access = Some(self.read_access(to, bytes, !small)),
        }
        rpc
    }

    pub fn nvme(&self, target: ServerId) -> Option<MediumId> {
        let (per_engine, nvmes) = (self.params.targets, self.params.nvmes);
        if nvmes == 0 {
            return None;
        }
        let (engine, slot) = (target.0 / per_engine, target.0 % per_engine);
        let first = self.targets() + engine * nvmes;
        Some(MediumId(first + slot * nvmes / per_engine))
    }

    pub fn write_access(&self, target: ServerId, bytes: u64, nvme: bool) -> MediumAccess {
        let engine = &self.params.engine;
        match self.nvme(target).filter(|_| nvme) {
            Some(medium) => MediumAccess {
                medium,
                span: engine.nvme_command + engine.nvme_write.span(bytes),
                latency: engine.nvme_write_latency,
            },
            None => MediumAccess {
                medium: MediumId(target.0),
                span: engine.scm_write.span(bytes),
                latency: Span::ZERO,
            },
        }
    }

    pub fn read_access(&self, target: ServerId, bytes: u64, nvme: bool) -> MediumAccess {
        let engine = &self.params.engine;
        match self.nvme(target).filter(|_| nvme) {
            Some(medium) => MediumAccess {
                medium,
                span: engine.nvme_command + engine.nvme_read.span(bytes),
                latency: engine.nvme_read_latency,
            },
            None => MediumAccess {
                medium: MediumId(target.0),
                span: engine.scm_read.span(bytes),
                latency: Span::ZERO,
            },
        }
    }

    /// Target of a member of a group: data cells first, then parity cells; or replicas, the leader
    /// first.
    pub fn member(&mut self, object: FileId, key: u64, member: u32) -> ServerId {
        let layout = self.objects.layout(object);
        let hash = self.placement.hash(object, key);
        let group = group_of(hash, layout.groups);
        self.member_of(object, group, hash, member)
    }

    /// The same in a given group, for a key with this hash.
    pub fn member_of(&mut self, object: FileId, group: u32, hash: u64, member: u32) -> ServerId {
        let layout = self.objects.layout(object);
        // Replicas start at (hash + group) mod r, cells at the hash of the key.
        let turn = match layout.redundancy {
            Redundancy::Replicas(_) => hash.wrapping_add(group.into()),
            Redundancy::ErasureCode { .. } => hash,
        };
        let start = (turn & 0xFFFF_FFFF) % u64::from(layout.group_size);
        let shard = (start as u32 + member) % layout.group_size;
        self.placement.target(object, group * layout.group_size + shard)
    }

    /// The leading member: the first replica, or the last parity cell.
    pub fn leader_member(&mut self, object: FileId) -> u32 {
        let layout = self.objects.layout(object);
        match layout.redundancy {
            Redundancy::Replicas(_) => 0,
            Redundancy::ErasureCode { .. } => layout.group_size - 1,
        }
    }
    /// The parts of chunks in a range of a file: chunk, first byte in it, first byte after.
    pub fn chunks(
        &mut self,
        file: FileId,
        start: u64,
        end: u64,
    ) -> impl Iterator<Item = (u64, u64, u64)> + use<> {
        let chunk = self.objects.chunk(file);
        (start / chunk..end.div_ceil(chunk)).map(move |index| {
            let base = index * chunk;
            (index, start.max(base) - base, end.min(base.saturating_add(chunk)) - base)
        })
    }

    pub fn part(&mut self, file: FileId, start: u64, end: u64) -> Part {
        let redundancy = self.objects.layout(file).redundancy;
        Part { redundancy, cell: self.params.cell_size, start, end }
    }

    /// An update of more than one shard of an erasure code always uses bulk transfers.
    pub fn is_inline(&self, part: &Part) -> bool {
        matches!(part.redundancy, Redundancy::Replicas(_)) && part.bytes() < protocol::BULK_LIMIT
    }

    /// CPU time of the parity cells of all full stripes.
    pub fn parity_time(&mut self, file: FileId, start: u64, end: u64) -> Span {
        let Redundancy::ErasureCode { data, parity } = self.objects.layout(file).redundancy else {
            return Span::ZERO;
        };
        let stripe = u64::from(data) * self.params.cell_size;
        let stripes: u64 = self
            .chunks(file, start, end)
            .map(|(_, from, to)| Part {
                redundancy: Redundancy::ErasureCode { data, parity },
                cell: self.params.cell_size,
                start: from,
                end: to,
            })
            .map(|part| part.full_stripes())
            .map(|(first, last)| last - first)
            .sum();
        self.params.client.parity.span(stripes * stripe * u64::from(parity))
    }

    /// Bytes of a part of a chunk that have been written. Others are holes.
    pub fn present(&mut self, file: FileId, chunk: u64, start: u64, end: u64) -> u64 {
        let base = chunk * self.objects.chunk(file);
        self.objects.get(file).written.covered(base + start, base + end)
    }

    /// Bytes of a member's cells in a part that have been written.
    pub fn cells_present(
        &mut self,
        file: FileId,
        chunk: u64,
        part: &Part,
        data: u32,
        member: u32,
    ) -> u64 {
        let stripe = u64::from(data) * part.cell;
        let mut sum = 0;
        for index in part.start / stripe..part.end.div_ceil(stripe) {
            let cell = index * stripe + u64::from(member) * part.cell;
            let (from, to) = (cell.max(part.start), (cell + part.cell).min(part.end));
            if from < to {
                sum += self.present(file, chunk, from, to);
            }
        }
        sum
    }

    pub fn part_of(&mut self, node: &Node) -> Part {
        Part {
            redundancy: self.objects.layout(node.object).redundancy,
            cell: self.params.cell_size,
            start: node.start,
            end: node.end,
        }
    }

    pub fn code_of(&mut self, file: FileId) -> Option<(u32, u32)> {
        match self.objects.layout(file).redundancy {
            Redundancy::ErasureCode { data, parity } => Some((data, parity)),
            Redundancy::Replicas(_) => None,
        }
    }

    /// A request to the daemon, which moves `bytes` and makes RPCs, or none. The daemon begins when
    /// the process has entered the kernel.
    pub fn request(&self, bytes: u64, write: bool) -> [Stage; 3] {
        let (dfuse, client) = (&self.params.dfuse, &self.params.client);
        let per_byte = if write { client.write } else { client.read };
        let rpc = client.send + client.receive + per_byte.span(bytes);
        let daemon = Stage::Daemon(dfuse.request + dfuse.copy.span(bytes) + rpc);
        [Stage::Occupy(dfuse.kernel), Stage::Delay(dfuse.kernel), daemon]
    }

    /// A member from which a process reads: any replica, or the leader of an erasure code.
    pub fn reading_member(&mut self, client: &mut Client, object: FileId) -> u32 {
        match self.objects.layout(object).redundancy {
            Redundancy::Replicas(1) => 0,
            Redundancy::Replicas(r) => {
                client.draws += 1;
                below(draw(self.placement.seed, REPLICAS, client.id, client.draws), r)
            }
            Redundancy::ErasureCode { .. } => self.leader_member(object),
        }
    }
}

/// Stream of random draws: the replica that a fetch reads.
const REPLICAS: u32 = 0xDA05_0010;
