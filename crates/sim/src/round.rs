//! The messages of one rank in one round of a collective, as an algorithm lists them.

use base::Time;
use collectives::{ApplyMode, ByteRange, InNetwork, OFFLOAD_MAX, RoundSink};

/// A message of a round to a rank, and the time at which its sender's CPU has finished it.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Outgoing {
    pub to: u32,
    /// Within a node.
    pub same_node: bool,
    pub rendezvous: bool,
    pub is_in_shared_cell: bool,
    pub bytes: u64,
    pub leaves: Time,
}

/// A message as an algorithm addresses it: to a member of the communicator.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Named {
    pub member: u32,
    pub through: Through,
    pub bytes: u64,
    /// Number of non-contiguous pieces that are packed into the message, or 0.
    pub segments: u32,
}

/// Traffic of a round, one entry per peer. Reused, so that it stops allocating.
#[derive(Default, Debug)]
pub(crate) struct Traffic {
    pub sends: Vec<Named>,
    pub recvs: Vec<u32>,
    pub combines: bool,
    /// Bytes copied locally at the end of the round.
    pub moved: u64,
    pub combined: u64,
    /// Blocks that are copied one by one.
    pub single: u64,
    pub lists: Vec<Vec<Outgoing>>,
    /// Whether the network may take part, and its part.
    pub network_reduces: bool,
    pub offloaded: Option<InNetwork>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Through {
    Message,
    /// In a cell that all ranks of the node read, written by this message or by the one before.
    Cell,
    SameCell,
}

impl RoundSink for Traffic {
    fn send(&mut self, to: u32, part: ByteRange) {
        // All parts for one peer form one message; algorithms list them consecutively.
        match self.sends.last_mut() {
            Some(last) if last.member == to && last.through == Through::Message => {
                last.bytes += part.len;
            }
            _ => {
                let (through, bytes) = (Through::Message, part.len);
                self.sends.push(Named { member: to, through, bytes, segments: 0 });
            }
        }
    }
    fn send_shared(&mut self, to: u32, part: ByteRange, is_first: bool) {
        let through = if is_first { Through::Cell } else { Through::SameCell };
        self.sends.push(Named { member: to, through, bytes: part.len, segments: 0 });
    }
    fn in_network(&mut self, part: InNetwork) -> bool {
        let takes = self.network_reduces && part.bytes <= OFFLOAD_MAX;
        // The result phase belongs to the reduction phase.
        self.offloaded = Some(part).filter(|part| takes && part.goes_up && part.size > 1);
        takes
    }
    fn recv(&mut self, from: u32, _: ByteRange, land: ApplyMode) {
        if self.recvs.last() != Some(&from) {
            self.recvs.push(from);
        }
        self.combines |= land != ApplyMode::Write;
    }
    fn local(&mut self, _: ByteRange, to: ByteRange, land: ApplyMode) {
        match land {
            ApplyMode::Write => self.moved += to.len,
            _ => self.combined += to.len,
        }
    }
    fn send_run(&mut self, to: u32, first: ByteRange, _: u64, count: u32) {
        if count > 0 {
            self.send(to, ByteRange { at: first.at, len: first.len * u64::from(count) });
            self.sends.last_mut().expect("just named").segments += count;
        }
    }
    fn recv_run(&mut self, from: u32, first: ByteRange, _: u64, count: u32) {
        if count > 0 {
            self.recv(from, first, ApplyMode::Write);
        }
    }
    fn local_run(&mut self, _: ByteRange, step: i64, to: ByteRange, to_step: i64, count: u32) {
        self.moved += to.len * u64::from(count);
        // Reordered blocks are copied one by one.
        self.single += u64::from(if step == to_step { 0 } else { count });
    }
}

impl Traffic {
    pub fn clear(&mut self) {
        self.sends.clear();
        self.recvs.clear();
        (self.combines, self.moved, self.combined, self.single) = (false, 0, 0, 0);
        self.offloaded = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use collectives::{Collective, Kind, Member, NodeMap, Ragged};

    /// `Traffic` merges only adjacent parts into a message. That gives one message per peer because
    /// algorithms list the parts for a peer consecutively.
    #[test]
    fn parts_for_one_peer_are_contiguous_in_a_round() {
        let mut traffic = Traffic::default();
        for kind in Kind::ALL {
            for &algorithm in kind.algorithms() {
                for size in 1..=17 {
                    for rank in 0..size {
                        let even = Ragged::new(std::iter::repeat_n(24, 2 * size as usize));
                        let one = Ragged::new(std::iter::repeat_n(24, size as usize));
                        let ragged = match kind {
                            Kind::Alltoallv => Some(even),
                            Kind::Allgatherv | Kind::ReduceScatter => Some(one),
                            Kind::Gatherv | Kind::Scatterv if rank == 0 => Some(one),
                            _ => None,
                        };
                        let member = Member { rank, size };
                        let call = Collective {
                            kind,
                            algorithm,
                            member,
                            root: 0,
                            bytes: 24,
                            grain: 8,
                            ragged,
                            nodes: Some(NodeMap::new((0..size).map(|r| r / 3))),
                        };
                        for k in 0..call.rounds() {
                            traffic.clear();
                            call.round(k, &mut traffic);
                            let at =
                                format!("{kind:?} {algorithm:?} rank {rank} of {size}, round {k}");
                            let mut to: Vec<u32> = traffic.sends.iter().map(|s| s.member).collect();
                            let mut from = traffic.recvs.clone();
                            for peers in [&mut to, &mut from] {
                                let named = peers.len();
                                peers.sort_unstable();
                                peers.dedup();
                                assert_eq!(peers.len(), named, "{at}");
                            }
                        }
                    }
                }
            }
        }
    }
}
