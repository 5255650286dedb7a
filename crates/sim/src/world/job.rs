//! What a run is a function of.

use base::Span;
use machine::{Binding, Machine, NicId, NodeId};
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
    /// Which rounds of collectives are played.
    pub sample: Sample,
}

/// Some rounds of a collective, from which the time of all is estimated where they are too many:
/// the first `lead`, then one in `every`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample {
    pub lead: u32,
    pub every: u32,
    /// No more than so many in all.
    pub most: u32,
}

impl Sample {
    pub const ALL: Sample = Sample { lead: 0, every: 1, most: u32::MAX };

    /// The round that is played as the `nth` of `rounds`.
    pub(crate) fn round(self, nth: u32, rounds: u32) -> Option<u32> {
        if nth >= self.most {
            return None;
        }
        let beyond = nth.saturating_sub(self.lead);
        let round = nth.min(self.lead).checked_add(beyond.checked_mul(self.every)?)?;
        (round < rounds).then_some(round)
    }
}

impl Job {
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
        }
    }
}
