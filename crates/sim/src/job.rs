//! Inputs of a run.

use std::collections::BTreeMap;
use std::ops::Range;

use base::{IndexVec, Span, below, draw};
use machine::{Binding, Folding, Machine, NicId, NodeId};
use mpi::Library;

use crate::background::Background;
use crate::engine::{EngineChoice, MANY_EVENTS, SHARED_EVENTS};
use crate::noise::Noise;

/// Node, NIC and binding of one rank.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankPlacement {
    pub node: NodeId,
    pub nic: NicId,
    pub binding: Binding,
}

/// Memory that holds message buffers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Buffers {
    #[default]
    Host,
    /// In the memory of the rank's GPU.
    Gpu,
}

/// Effect of exceeding a limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LimitPolicy {
    /// There are no limits.
    Off,
    /// Report it, and continue as if the limit did not exist.
    Warn,
    /// End the run where the machine would fail.
    Fail,
}

impl LimitPolicy {
    pub const NAMES: [&str; 3] = ["off", "warn", "fail"];
    pub fn from_name(name: &str) -> Option<LimitPolicy> {
        let at = Self::NAMES.iter().position(|&known| known == name)?;
        Some([LimitPolicy::Off, LimitPolicy::Warn, LimitPolicy::Fail][at])
    }
}

/// All inputs of a run except the workload and the fidelity.
#[derive(Clone, Debug)]
pub struct Job {
    pub machine: Machine,
    pub library: Library,
    pub placements: Vec<RankPlacement>,
    /// First rank of each concurrent job; the first element is 0.
    pub firsts: Vec<u32>,
    /// Virtual network of each job's messages: that of its traffic class.
    pub vnets: Vec<u8>,
    /// That of the messages of each file system of the machine.
    pub storage_vnets: Vec<u8>,
    /// Traffic of nodes without a job. It starts `warmup` before the jobs.
    pub background: Vec<Background>,
    pub warmup: Span,
    pub noise: Option<Noise>,
    /// Effect of exceeding a limit.
    pub limits: LimitPolicy,
    pub buffers: Buffers,
    pub seed: u64,
    /// How packets are simulated. Never changes a result.
    pub engine: EngineChoice,
    /// Events per window from which on `EngineChoice::Auto` uses windows; it leaves them below half
    /// of this.
    pub many_events: u64,
    /// Threads that simulate packets in windows. Never changes a result.
    pub threads: usize,
    /// Events per window from which on they do; one thread simulates the window after a smaller
    /// one.
    pub shared_events: u64,
    /// Rounds and ranks of collectives that are simulated.
    pub sample: Sample,
    /// Whether messages of collectives are counted per pair of ranks.
    pub counts_pairs: bool,
    /// Whether one-sided accesses are counted per pair of ranks.
    pub counts_accesses: bool,
}

/// The simulated part of a collective that is too large to simulate whole: some of its rounds, on
/// some of its ranks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sample {
    /// Blocks of rounds in the order in which they are simulated; empty for all rounds.
    pub blocks: Vec<Range<u32>>,
    /// Period of equivalent ranks: ranks this far apart behave alike, so only the first `ranks` are
    /// simulated. A message to another rank goes to that rank's representative instead.
    pub ranks: Option<u32>,
    /// Partners are given by exclusive or of rank numbers, not by a constant distance.
    pub swaps: bool,
}

impl Sample {
    pub const ALL: Sample = Sample { blocks: Vec::new(), ranks: None, swaps: false };

    /// The round simulated as the `nth` of a collective with `rounds` rounds.
    pub(crate) fn round(&self, nth: u32, rounds: u32) -> Option<u32> {
        if self.blocks.is_empty() {
            return (nth < rounds).then_some(nth);
        }
        let mut ahead = 0;
        let block = self.blocks.iter().find(|block| {
            ahead += block.len() as u32;
            nth < ahead
        })?;
        Some(block.end - (ahead - nth))
    }

    pub(crate) fn is_all(&self) -> bool {
        *self == Sample::ALL
    }
}

impl Job {
    /// Places message buffers in `buffers`. If NICs access all GPU memory directly, they do so at
    /// the GPU's rate; background traffic then uses that rate too.
    pub fn put_buffers(&mut self, buffers: Buffers) {
        self.buffers = buffers;
        let one_way = self.machine.node.gpu.as_ref().and_then(|gpu| gpu.nic_gap_one_way);
        let is_own = buffers == Buffers::Gpu && self.library.gpu.rdma_min == 0;
        if let Some(gap) = one_way.filter(|_| is_own) {
            self.machine.nic.host_gap_one_way = gap;
        }
    }

    /// Per-message processing time of each NIC, which depends on the number of ranks that use it.
    pub(crate) fn handling(&self) -> IndexVec<NicId, Span> {
        let mut ranks = IndexVec::filled(0, self.machine.n_nics() as usize);
        self.placements.iter().for_each(|placement| ranks[placement.nic] += 1);
        ranks.raw.into_iter().map(|n| self.machine.nic.handling(n)).collect()
    }

    /// Phase of each core's noise at the start of the run. The random draw is indexed by the core's
    /// position on its node.
    pub(crate) fn phases(&self) -> Vec<Span> {
        const STREAM: u32 = 0x6e6f_6973;
        let Some(noise) = self.noise else { return Vec::new() };
        let mut on_node: BTreeMap<NodeId, u64> = BTreeMap::new();
        let phase = |placement: &RankPlacement| {
            let core = on_node.entry(placement.node).or_default();
            *core += 1;
            let part = below(draw(self.seed, STREAM, placement.node.0, *core - 1), 1 << 20);
            Span(((u128::from(noise.period.0) * u128::from(part)) >> 20) as u64)
        };
        self.placements.iter().map(phase).collect()
    }

    /// For a sample of ranks: the equivalent groups, and the NIC that represents each NIC.
    pub fn folding(&self) -> Option<Folding> {
        Some(self.folding_by(self.sample.ranks? as usize, self.sample.swaps))
    }

    /// The same if the first `ranks` ranks are simulated, with partners by exclusive or if `swaps`.
    pub fn folding_by(&self, ranks: usize, swaps: bool) -> Folding {
        let mut representative: IndexVec<NicId, NicId> =
            (0..self.machine.n_nics()).map(NicId).collect();
        // Ranks after the last whole group are not simulated, and may be on any nodes.
        let whole = self.placements.len() / ranks * ranks;
        for (rank, placement) in self.placements[..whole].iter().enumerate() {
            // Long messages are striped over the other NICs of the node.
            let own = self.machine.nics_of_same_node(placement.nic);
            let theirs = self.machine.nics_of_same_node(self.placements[rank % ranks].nic);
            own.zip(theirs).for_each(|(nic, other)| representative[NicId(nic)] = NicId(other));
        }
        let firsts = self.placements[..whole].iter().step_by(ranks);
        let groups =
            firsts.map(|placement| self.machine.folding_place(placement.nic).group).collect();
        Folding { groups, swaps, representative }
    }

    /// One job on an otherwise idle machine.
    pub fn new(
        machine: Machine,
        library: Library,
        placements: Vec<RankPlacement>,
        seed: u64,
    ) -> Job {
        Job {
            storage_vnets: vec![0; machine.file_systems.len()],
            machine,
            library,
            placements,
            firsts: vec![0],
            vnets: vec![0],
            background: Vec::new(),
            warmup: Span::ZERO,
            noise: None,
            limits: LimitPolicy::Fail,
            buffers: Buffers::Host,
            seed,
            engine: EngineChoice::Auto,
            many_events: MANY_EVENTS,
            threads: 1,
            shared_events: SHARED_EVENTS,
            sample: Sample::ALL,
            counts_pairs: true,
            counts_accesses: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_of_a_sample_are_its_blocks_in_turn() {
        let simulated = |sample: &Sample, rounds| -> Vec<u32> {
            (0..).map_while(|nth| sample.round(nth, rounds)).collect()
        };
        let blocks = vec![7..9, 2..3, 4..4, 11..14];
        let some = Sample { blocks, ..Sample::ALL };
        assert_eq!(simulated(&some, 20), [7, 8, 2, 11, 12, 13]);
        assert_eq!(simulated(&Sample::ALL, 3), [0, 1, 2]);
        let few = Sample { ranks: Some(2), ..Sample::ALL };
        assert_eq!((simulated(&few, 3), few.is_all()), (vec![0, 1, 2], false));
    }
}
