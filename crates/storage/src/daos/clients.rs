//! Processes: RPC credits, directory entries that they cache, path lookups before a call.

use std::collections::{BTreeMap, VecDeque};

use base::Time;
use workload::{FileId, LayoutRequest};

use super::task::NodeId;
use crate::{ClientId, Rpc, ServerId};

/// A process.
#[derive(Debug, Default)]
pub struct Client {
    pub id: u32,
    /// Its node of the machine.
    pub node: u32,
    /// It has called `daos_init`.
    pub ready: bool,
    /// RPCs in flight by target; targets without are absent.
    in_flight: Vec<(ServerId, u32)>,
    /// RPCs without a credit, in order.
    waiting: VecDeque<(NodeId, Rpc)>,
    /// Directory entries: parent and file, which the next call looks up.
    pub lookups: Vec<(FileId, FileId)>,
    /// Directories whose handle is cached, until this time.
    entries: BTreeMap<FileId, Time>,
    /// The layout of the next call; empty for none.
    pub layout: LayoutRequest,
    /// Random draws so far.
    pub draws: u64,
}

#[derive(Debug, Default)]
pub struct Clients {
    clients: Vec<Client>,
    /// RPCs that have waited for a credit.
    pub credit_waits: u64,
}

impl Clients {
    pub fn get(&mut self, client: ClientId) -> &mut Client {
        let index = client.0 as usize;
        if index >= self.clients.len() {
            self.clients.resize_with(index + 1, Client::default);
        }
        self.clients[index].id = client.0;
        &mut self.clients[index]
    }

    /// Takes a credit for the RPC. Without one, the RPC waits.
    pub fn take_credit(
        &mut self,
        client: ClientId,
        target: ServerId,
        credits: u32,
        node: NodeId,
        rpc: &Rpc,
    ) -> bool {
        let of = self.get(client);
        match of.in_flight.iter_mut().find(|(t, _)| *t == target) {
            Some((_, n)) if *n >= credits => {
                of.waiting.push_back((node, *rpc));
                self.credit_waits += 1;
                return false;
            }
            Some((_, n)) => *n += 1,
            None => of.in_flight.push((target, 1)),
        }
        true
    }

    /// Returns a credit. The next RPC to the target, which then holds it.
    pub fn return_credit(&mut self, client: ClientId, target: ServerId) -> Option<(NodeId, Rpc)> {
        let of = self.get(client);
        let next = of.waiting.iter().position(|(_, rpc)| rpc.to == crate::Peer::Server(target));
        if let Some(next) = next {
            return of.waiting.remove(next);
        }
        if let Some(at) = of.in_flight.iter().position(|(t, _)| *t == target) {
            of.in_flight[at].1 -= 1;
            if of.in_flight[at].1 == 0 {
                of.in_flight.swap_remove(at);
            }
        }
        None
    }

    /// RPCs in flight to a target.
    pub fn in_flight(&self, client: ClientId, target: ServerId) -> u32 {
        let of = self.clients.get(client.0 as usize);
        let mut all = of.into_iter().flat_map(|of| &of.in_flight);
        all.find(|(t, _)| *t == target).map_or(0, |&(_, n)| n)
    }
}

impl Client {
    pub fn has_entry(&self, now: Time, file: FileId) -> bool {
        self.entries.get(&file).is_some_and(|&until| now < until)
    }

    pub fn add_entry(&mut self, file: FileId, until: Time) {
        self.entries.insert(file, until);
    }

    pub fn remove_entry(&mut self, file: FileId) {
        self.entries.remove(&file);
    }
}
