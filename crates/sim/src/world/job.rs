//! What a run is a function of.

use std::collections::BTreeMap;

use base::{IndexVec, Span, below, draw};
use machine::{Binding, Folding, Machine, NicId, NodeId};
use mpi::Library;

use crate::background::Background;
use crate::noise::Noise;
use crate::world::Policy;

/// Where a rank lives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seat {
    pub node: NodeId,
    pub nic: NicId,
    pub binding: Binding,
}

/// Where the buffers of messages lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Buffers {
    #[default]
    Host,
    /// In the memory of the rank's GPU.
    Gpu,
}

/// Everything a run is a function of, but for the workload and the fidelity.
#[derive(Clone, Debug)]
pub struct Job {
    pub machine: Machine,
    pub library: Library,
    pub seats: Vec<Seat>,
    /// The first rank of each of the jobs that run side by side; the first of all is 0.
    pub firsts: Vec<u32>,
    /// The virtual network of each job's messages: that of its traffic class.
    pub vnets: Vec<u8>,
    /// What nodes no job has do meanwhile, for `warmup` before the jobs start.
    pub background: Vec<Background>,
    pub warmup: Span,
    pub noise: Option<Noise>,
    /// What happens where something is used up.
    pub limits: Policy,
    pub buffers: Buffers,
    pub seed: u64,
    /// Which rounds and ranks of collectives are played.
    pub sample: Sample,
    /// Whether messages of collectives are counted for each pair of ranks.
    pub counts_pairs: bool,
}

/// The part of a collective that is played, where all of it is too much: some of the rounds from
/// `from` to `to`, by some of the ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample {
    pub from: u32,
    pub to: u32,
    /// So many of these rounds.
    pub rounds: u32,
    /// Ranks so many apart do the same at the same time, so only the first so many are played.
    /// What they send to another's twin their own twin sends them.
    pub ranks: Option<u32>,
    /// Partners are told by exclusive or of ranks, not by how many ranks they are away.
    pub swaps: bool,
}

impl Sample {
    pub const ALL: Sample =
        Sample { from: 0, to: u32::MAX, rounds: u32::MAX, ranks: None, swaps: false };

    /// Rounds are played in so many blocks of consecutive ones, the `nth` of them in the middle of
    /// this part of all. The first quarter, in which ranks that began together drift apart, and the
    /// rest have near and far partners alike.
    pub const BLOCKS: [u32; 8] = [5, 2, 7, 4, 1, 6, 3, 0];

    /// The number among those played with which this block begins.
    pub fn block(rounds: u32, nth: u32) -> u32 {
        (u64::from(rounds) * u64::from(nth) / Self::BLOCKS.len() as u64) as u32
    }

    /// The round that is played as the `nth` of a collective of so many.
    pub(crate) fn round(self, nth: u32, rounds: u32) -> Option<u32> {
        if nth >= self.rounds {
            return None;
        }
        let all = self.to.min(rounds) - self.from;
        if self.rounds >= all {
            return (nth < all).then_some(self.from + nth);
        }
        let blocks = Self::BLOCKS.len() as u32;
        let block = ((u64::from(blocks) * u64::from(nth) + u64::from(blocks) - 1)
            / u64::from(self.rounds)) as u32;
        let begins = Self::block(self.rounds, block);
        let (length, part) =
            (Self::block(self.rounds, block + 1) - begins, Self::BLOCKS[block as usize]);
        let (first, end) = (Self::block(all, part), Self::block(all, part + 1));
        let start = first + (end - first).saturating_sub(length) / 2;
        Some(self.from + start.min(all - length) + (nth - begins))
    }

    pub(crate) fn is_all(self) -> bool {
        self == Sample::ALL
    }
}

impl Job {
    /// Messages are to lie in `buffers`. Where NICs read and write GPUs' memory themselves, they do
    /// at its rate.
    pub fn put_buffers(&mut self, buffers: Buffers) {
        self.buffers = buffers;
        let one_way = self.machine.node.gpu.as_ref().and_then(|gpu| gpu.nic_gap_one_way);
        let is_own = buffers == Buffers::Gpu && self.library.gpu.rdma_min < u64::MAX;
        if let Some(gap) = one_way.filter(|_| is_own) {
            self.machine.nic.host_gap_one_way = gap;
        }
    }

    /// What a message takes of each NIC that receives it, by how many ranks sit there.
    pub(crate) fn handling(&self) -> IndexVec<NicId, Span> {
        let mut ranks = IndexVec::filled(0, self.machine.n_nics() as usize);
        self.seats.iter().for_each(|seat| ranks[seat.nic] += 1);
        ranks.raw.into_iter().map(|n| self.machine.nic.handling(n)).collect()
    }

    /// Where each rank's core is in the circle of noise as the run begins; it is named by its place
    /// on its node.
    pub(crate) fn phases(&self) -> Vec<Span> {
        const STREAM: u32 = 0x6e6f_6973;
        let Some(noise) = self.noise else { return Vec::new() };
        let mut on_node: BTreeMap<NodeId, u64> = BTreeMap::new();
        let phase = |seat: &Seat| {
            let core = on_node.entry(seat.node).or_default();
            *core += 1;
            let part = below(draw(self.seed, STREAM, seat.node.0, *core - 1), 1 << 20);
            Span(((u128::from(noise.period.0) * u128::from(part)) >> 20) as u64)
        };
        self.seats.iter().map(phase).collect()
    }

    /// Where some ranks are played for all: the groups that do alike, and the NIC that stands for
    /// each.
    pub(crate) fn folding(&self) -> Option<Folding> {
        Some(self.folding_by(self.sample.ranks? as usize, self.sample.swaps))
    }

    /// The same if the first so many ranks are to be played, whose partners swap or not.
    pub(crate) fn folding_by(&self, ranks: usize, swaps: bool) -> Folding {
        let mut twin: IndexVec<NicId, NicId> = (0..self.machine.n_nics()).map(NicId).collect();
        // Ranks behind the last whole group take no part, and may sit on anybody's nodes.
        let whole = self.seats.len() / ranks * ranks;
        for (rank, seat) in self.seats[..whole].iter().enumerate() {
            // Long messages are striped over the NICs beside.
            let own = self.machine.nics_beside(seat.nic);
            let theirs = self.machine.nics_beside(self.seats[rank % ranks].nic);
            own.zip(theirs).for_each(|(nic, other)| twin[NicId(nic)] = NicId(other));
        }
        let firsts = self.seats[..whole].iter().step_by(ranks);
        let groups = firsts.map(|seat| self.machine.group_of(seat.nic)).collect();
        Folding { groups, swaps, twin }
    }

    /// One job on a machine that does nothing else.
    pub fn new(machine: Machine, library: Library, seats: Vec<Seat>, seed: u64) -> Job {
        Job {
            machine,
            library,
            seats,
            firsts: vec![0],
            vnets: vec![0],
            background: Vec::new(),
            warmup: Span::ZERO,
            noise: None,
            limits: Policy::Fail,
            buffers: Buffers::Host,
            seed,
            sample: Sample::ALL,
            counts_pairs: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_of_a_sample_are_blocks_spread_over_all() {
        for (from, to, rounds) in [(0, 24_575, 80), (1, 1_055, 64), (3, 300, 46), (0, 40, 35)] {
            let sample = Sample { from, to, rounds, ..Sample::ALL };
            let played: Vec<u32> = (0..).map_while(|nth| sample.round(nth, to)).collect();
            assert_eq!(played.len(), rounds as usize);
            assert!(played.iter().all(|round| (from..to).contains(round)), "{played:?}");
            if rounds < (to - from) / 2 {
                let mut sorted = played.clone();
                sorted.sort_unstable();
                sorted.dedup();
                assert_eq!(sorted.len(), rounds as usize, "a round is played twice: {played:?}");
                assert_eq!(played.windows(2).filter(|w| w[1] != w[0] + 1).count(), 7);
            }
            // As many near the first round as near the last, in the first quarter and in the rest.
            let middle = f64::from(from + to - 1) / 2.0;
            let (warm, rest) = played.split_at(Sample::block(rounds, 2) as usize);
            for part in [warm, rest] {
                let mean = part.iter().map(|&r| f64::from(r)).sum::<f64>() / part.len() as f64;
                assert!((mean - middle).abs() < 0.07 * f64::from(to - from), "{mean} {middle}");
            }
        }
        let all = Sample { from: 2, to: 6, rounds: 9, ..Sample::ALL };
        let played: Vec<u32> = (0..).map_while(|nth| all.round(nth, 6)).collect();
        assert_eq!(played, [2, 3, 4, 5]);
        let whole: Vec<u32> = (0..).map_while(|nth| Sample::ALL.round(nth, 3)).collect();
        assert_eq!(whole, [0, 1, 2]);
    }
}
