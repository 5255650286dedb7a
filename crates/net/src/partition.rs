//! Assignment of the machine to shards: whole units of the topology, with their switches and NICs.

use base::{IndexVec, Span};
use machine::{LinkEnd, LinkId, Machine, NicId, SwitchId};

/// Maximum number of shards: networks encode a shard in six bits.
pub const MAX_SHARDS: usize = 63;

/// The shard of each switch.
#[derive(Clone, Debug)]
pub struct Partition {
    pub of: IndexVec<SwitchId, u8>,
    pub shards: usize,
}

impl Partition {
    /// Assigns neighboring units (`Machine::partition_unit`) to each of `shards` parts, with about
    /// equal numbers of NICs. There are at most as many shards as units.
    pub fn new(machine: &Machine, shards: usize) -> Partition {
        Self::by_weight(machine, shards, |_| 1)
    }

    /// The same with about equal sums of the weights of NICs.
    pub fn by_weight(machine: &Machine, shards: usize, weight: impl Fn(NicId) -> u64) -> Partition {
        let n_units = machine.n_partition_units() as usize;
        let shards = shards.clamp(1, MAX_SHARDS.min(n_units));
        let mut weights = vec![0u64; n_units];
        for (nic, &switch) in machine.nic_switch.iter() {
            weights[machine.partition_unit(switch) as usize] += weight(nic);
        }
        let all = weights.iter().sum::<u64>().max(1);
        let mut before = 0;
        let of_unit: Vec<u8> = weights
            .iter()
            .map(|n| {
                // By the middle of the unit.
                let middle = 2 * before + n;
                before += n;
                (middle * shards as u64 / (2 * all)).min(shards as u64 - 1) as u8
            })
            .collect();
        let switches = (0..machine.n_switches()).map(SwitchId);
        let of = switches.map(|switch| of_unit[machine.partition_unit(switch) as usize]).collect();
        Partition { of, shards }
    }

    /// Time for which shards can advance independently: the shortest cable between two of them.
    /// None if there is no such cable, or one of length zero, so shards cannot advance
    /// independently.
    pub fn lookahead(&self, machine: &Machine) -> Option<Span> {
        let cut = machine.links.cable.iter().filter(|&(link, _)| {
            let [near, far] = self.ends(machine, link);
            near != far
        });
        cut.map(|(_, &cable)| cable).min().filter(|&cable| cable > Span::ZERO)
    }

    /// The shards of both ends of a link.
    fn ends(&self, machine: &Machine, link: LinkId) -> [u8; 2] {
        let of = |end| match end {
            LinkEnd::Switch(switch) => self.of[switch],
            LinkEnd::Nic(nic) => self.of[machine.nic_switch[nic]],
        };
        [of(machine.links.from[link]), of(machine.links.to[link])]
    }

    /// The shard of the other end of `link` plus 1, as seen from shard `own`; 0 if both ends are in
    /// the same shard, or neither is in `own`.
    pub fn remote_shard(&self, machine: &Machine, link: LinkId, own: u8) -> u8 {
        match self.ends(machine, link) {
            [near, far] if near == own && far != own => far + 1,
            [near, far] if far == own && near != own => near + 1,
            _ => 0,
        }
    }
}
