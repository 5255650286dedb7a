//! The binding of a rank: its CPU, GPU and NIC within its node.
//!
//! Ranks are distributed evenly and in order over the CPUs of their node and over the tiles of its
//! GPUs. NICs are attached to CPUs in order too. A rank is thus near a GPU and near some NICs; the
//! NIC policy decides whether it uses one of those. Equations in docs/models/node.md.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::input_error::{InputError, nearest};
use crate::{GroupKind, Machine, NicId, NodeId};

/// The parts of its node that a rank uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Binding {
    pub cpu: u16,
    /// The GPU and the tile that hold its buffers, if they are in GPU memory.
    pub gpu: u16,
    pub tile: u16,
    /// Its NIC is attached to another CPU than the rank's.
    pub has_far_nic: bool,
}

/// Assignment of the ranks of a node to its NICs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum NicPolicy {
    /// Consecutive ranks share a NIC; fewer ranks than NICs are spread over all NICs.
    #[default]
    Block,
    /// The NICs of the rank's own CPU in turn.
    Numa,
    /// All NICs in turn.
    RoundRobin,
    /// NICs are assigned to GPUs in order, and a rank uses the NIC of its GPU.
    Gpu,
    /// All ranks use the first NIC.
    Single,
    /// An explicit NIC for each rank of a node.
    User(NicMapping),
}

/// The NIC of each rank of a node, both numbered within the node.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NicMapping(BTreeMap<u32, u32>);

impl NicMapping {
    /// More ranks than any node has.
    const MAX_RANKS: u32 = 65_535;

    /// Reads `NIC:ranks` separated by semicolons; ranks are numbers and ranges separated by commas.
    /// [CRAY] intro_mpi(3), `MPICH_OFI_NIC_MAPPING`.
    pub fn parse(text: &str) -> Result<NicMapping, InputError> {
        let wrong = |found: &str, expected: &str| InputError::new("nic_policy", found, expected);
        let form = "`NIC:ranks` separated by semicolons, such as `0:0-3; 1:4,5`";
        let mut nics = BTreeMap::new();
        for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
            let number =
                |text: &str| text.trim().parse::<u32>().ok().filter(|&n| n <= Self::MAX_RANKS);
            let read = part.split_once(':').and_then(|(nic, ranks)| Some((number(nic)?, ranks)));
            let Some((nic, ranks)) = read else { return Err(wrong(part, form)) };
            for word in ranks.split(',').map(str::trim) {
                let ends = match word.split_once('-') {
                    Some((first, last)) => number(first).zip(number(last)),
                    None => number(word).map(|n| (n, n)),
                };
                let Some((first, last)) = ends.filter(|(first, last)| first <= last) else {
                    return Err(wrong(part, form));
                };
                for rank in first..=last {
                    if nics.insert(rank, nic).is_some() {
                        let expected = format!("one NIC for each rank of a node; {rank} has two");
                        return Err(wrong(text, &expected));
                    }
                }
            }
        }
        if nics.is_empty() { Err(wrong(text, form)) } else { Ok(NicMapping(nics)) }
    }

    /// The error of this mapping for a node with `nics` NICs and `ranks` ranks, if any.
    pub(crate) fn missing_for(&self, nics: u32, ranks: u32) -> Option<InputError> {
        let wrong =
            |found: String, expected: String| InputError::new("nic_policy", found, expected);
        if let Some(rank) = (0..ranks).find(|rank| !self.0.contains_key(rank)) {
            let expected =
                format!("a NIC for each of the {ranks} ranks of a node; {rank} has none");
            return Some(wrong(format!("{} ranks", self.0.len()), expected));
        }
        let beyond = self.0.range(..ranks).map(|(_, &nic)| nic).find(|&nic| nic >= nics)?;
        let expected = match nics {
            1 => "0, the only NIC of a node".to_string(),
            _ => format!("0 to {}, the NICs of a node", nics - 1),
        };
        Some(wrong(format!("NIC {beyond}"), expected))
    }
}

impl NicPolicy {
    pub const NAMES: [&str; 5] = ["block", "numa", "round-robin", "gpu", "single"];

    /// The policy that `word` names, also in Cray MPICH's capitals. `user:0:0-3; 1:4,5` gives the
    /// NIC of every rank of a node.
    pub fn from_name(word: &str) -> Result<NicPolicy, InputError> {
        let plain = word.to_ascii_lowercase().replace('_', "-");
        if let Some(mapping) = plain.strip_prefix("user:") {
            return NicMapping::parse(mapping).map(NicPolicy::User);
        }
        let all = [Self::Block, Self::Numa, Self::RoundRobin, Self::Gpu, Self::Single];
        let at = Self::NAMES.iter().position(|&name| name == plain);
        at.map(|at| all[at].clone()).ok_or_else(|| {
            let names = Self::NAMES.join(", ");
            let expected =
                format!("one of {names}, or `user:` and a mapping such as `0:0-3; 1:4,5`");
            InputError::new("nic_policy", word, expected).with_hint(nearest(&plain, Self::NAMES))
        })
    }
}

/// The number, out of `of`, that index `i` of `n` falls on if they are distributed evenly and in
/// order.
fn share(i: u32, n: u32, of: u32) -> u32 {
    (u64::from(i) * u64::from(of) / u64::from(n)) as u32
}

impl Machine {
    /// The kind of group that a node belongs to.
    pub fn kind_of(&self, node: NodeId) -> &GroupKind {
        let first = NicId(self.node_nics[node]);
        &self.kinds[usize::from(self.group_kind[self.group_of(first)])]
    }

    /// The CPU that a NIC is attached to, counted within its node.
    pub fn cpu_of(&self, nic: NicId) -> u16 {
        let (all, kind) = (self.nics_of_same_node(nic), self.kind_of(self.nic_node[nic]));
        share(nic.0 - all.start, kind.nics, kind.cpus.max(1)) as u16
    }

    /// The numbers of all NICs of this NIC's node.
    pub fn nics_of_same_node(&self, nic: NicId) -> Range<u32> {
        let node = self.nic_node[nic];
        self.node_nics[node]..self.node_nics[NodeId(node.0 + 1)]
    }

    /// The NIC and the binding of rank `local` of a node that has `room` rank slots.
    pub(crate) fn bind(
        &self,
        node: NodeId,
        (local, room): (u32, u32),
        policy: &NicPolicy,
    ) -> (NicId, Binding) {
        let kind = self.kind_of(node);
        let (nics, cpus) = (kind.nics, kind.cpus.max(1));
        let (gpus, tiles) = (kind.gpus.max(1), kind.gpu_tiles.max(1));
        let cpu = share(local, room, cpus);
        let unit = share(local, room, gpus * tiles);
        let gpu = unit / tiles;
        let nic = match policy {
            NicPolicy::Block => share(local, room, nics),
            NicPolicy::RoundRobin => local % nics,
            NicPolicy::Gpu => share(gpu, gpus, nics),
            NicPolicy::Single => 0,
            NicPolicy::User(mapping) => mapping.0.get(&local).copied().unwrap_or(0).min(nics - 1),
            NicPolicy::Numa => {
                // The CPU's first rank or first NIC: the least index whose share is the CPU.
                let first = |of: u32| (cpu * of).div_ceil(cpus);
                let mine = first(nics)..((cpu + 1) * nics).div_ceil(cpus);
                match mine.len() as u32 {
                    // With more CPUs than NICs, some CPUs have no NIC.
                    0 => share(local, room, nics),
                    n => mine.start + (local - first(room)) % n,
                }
            }
        };
        let has_far_nic = share(nic, nics, cpus) != cpu;
        let (cpu, gpu, tile) = (cpu as u16, gpu as u16, (unit % tiles) as u16);
        (NicId(self.node_nics[node] + nic), Binding { cpu, gpu, tile, has_far_nic })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MachineSpec, preset};

    fn aurora(set: &[(&str, &str)]) -> Machine {
        let text = preset("aurora").expect("a preset");
        let set: Vec<_> = set.iter().map(|&(k, v)| (k.to_string(), v.to_string())).collect();
        MachineSpec::parse("aurora", text, &set).expect("legal").resolve().expect("sound")
    }

    fn nics(machine: &Machine, room: u32, policy: &NicPolicy) -> Vec<u32> {
        (0..room).map(|l| machine.bind(NodeId(0), (l, room), policy).0.0).collect()
    }

    /// Aurora: cxi0-3 are attached to CPU 0, cxi4-7 to CPU 1 (ALCF; "Scaling MPI Applications on
    /// Aurora", 3.8.4); six GPUs of two tiles.
    #[test]
    fn every_policy_assigns_nics_by_its_rule() {
        let m = aurora(&[]);
        let half = [0, 1, 2, 3, 0, 1];
        for (room, policy, want) in [
            (12, NicPolicy::Block, vec![0, 0, 1, 2, 2, 3, 4, 4, 5, 6, 6, 7]),
            (12, NicPolicy::Numa, [half, half.map(|nic| nic + 4)].concat()),
            (12, NicPolicy::RoundRobin, vec![0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3]),
            (12, NicPolicy::Gpu, vec![0, 0, 1, 1, 2, 2, 4, 4, 5, 5, 6, 6]),
            (12, NicPolicy::Single, vec![0; 12]),
            (2, NicPolicy::Block, vec![0, 4]),
            (2, NicPolicy::RoundRobin, vec![0, 1]),
            (3, NicPolicy::Numa, vec![0, 1, 4]),
        ] {
            assert_eq!(nics(&m, room, &policy), want, "{room} ranks, {policy:?}");
        }
        let one_nic = aurora(&[("groups.compute.nics", "1"), ("groups.compute.spread", "[0]")]);
        assert_eq!(nics(&one_nic, 3, &NicPolicy::Numa), [0, 0, 0]);
    }

    #[test]
    fn a_nic_of_another_cpu_is_far() {
        let m = aurora(&[]);
        let far = |room: u32, policy: &NicPolicy| {
            let far = |l: u32| m.bind(NodeId(0), (l, room), policy).1.has_far_nic;
            (0..room).map(far).collect::<Vec<bool>>()
        };
        for room in [1, 2, 8, 12, 16, 96] {
            for policy in [NicPolicy::Block, NicPolicy::Numa, NicPolicy::Gpu] {
                assert!(far(room, &policy).iter().all(|&f| !f), "{room} ranks, {policy:?}");
            }
        }
        assert_eq!(far(4, &NicPolicy::RoundRobin), [false, false, true, true]);
        assert_eq!(far(4, &NicPolicy::Single), [false, false, true, true]);
    }

    /// Aurora is used with one rank per tile: ranks 2i, 2i + 1 share GPU i; GPUs 0-2 belong to CPU
    /// 0.
    #[test]
    fn ranks_are_distributed_over_cpus_and_tiles_in_order() {
        let m = aurora(&[]);
        let at = |l: u32, room: u32| m.bind(NodeId(7), (l, room), &NicPolicy::Block).1;
        for l in 0..12 {
            let b = at(l, 12);
            assert_eq!((b.gpu, b.tile, b.cpu), (l as u16 / 2, l as u16 % 2, l as u16 / 6), "{l}");
        }
        let two = [at(0, 2), at(1, 2)].map(|b| (b.cpu, b.gpu, b.tile));
        assert_eq!(two, [(0, 0, 0), (1, 3, 0)]);
    }

    #[test]
    fn policies_are_named_as_in_cray_mpich_too() {
        for (word, policy) in [
            ("block", NicPolicy::Block),
            ("ROUND-ROBIN", NicPolicy::RoundRobin),
            ("round_robin", NicPolicy::RoundRobin),
            ("NUMA", NicPolicy::Numa),
        ] {
            assert_eq!(NicPolicy::from_name(word).expect("known"), policy);
        }
        let wrong = NicPolicy::from_name("USER").expect_err("there is no mapping");
        assert!(wrong.expected.contains("numa"), "{wrong:?}");
    }

    /// The example of Slingshot's `dgnettest`, and that of Perlmutter, whose GPU 0 is next to NIC
    /// 3.
    #[test]
    fn users_name_the_nic_of_each_rank() {
        let m = aurora(&[]);
        for (word, room, want) in [
            ("USER:0:0,2,4,6;1:1,3,5,7", 8, vec![0, 1, 0, 1, 0, 1, 0, 1]),
            ("user:0:3; 1:2; 2:1; 3:0", 4, vec![3, 2, 1, 0]),
            ("user:7:0-1;2:2-3,5;0:4", 6, vec![7, 7, 2, 2, 0, 2]),
            // Ranks that do not exist need no NIC.
            ("user:9:9;1:0", 1, vec![1]),
        ] {
            let policy = NicPolicy::from_name(word).expect(word);
            let NicPolicy::User(mapping) = &policy else { panic!("{word}: {policy:?}") };
            assert_eq!(mapping.missing_for(8, room), None, "{word}");
            assert_eq!(nics(&m, room, &policy), want, "{word}");
        }
        // CPU 1's NICs are far from CPU 0's rank.
        let crossed = NicPolicy::from_name("user:4:0; 0:1").expect("legal");
        assert!((0..2).all(|l| m.bind(NodeId(0), (l, 2), &crossed).1.has_far_nic));
        for (word, expected) in [
            ("user:", "such as `0:0-3; 1:4,5`"),
            ("user:0", "such as"),
            ("user:0:x", "such as"),
            ("user:0:3-1", "such as"),
            ("user:0:0-4294967295", "such as"),
            ("user:0:0;1:0", "0 has two"),
        ] {
            let wrong = NicPolicy::from_name(word).expect_err(word);
            assert!(wrong.expected.contains(expected), "{word}: {wrong:?}");
        }
        let missing_for = |word: &str, ranks: u32| match NicPolicy::from_name(word).expect(word) {
            NicPolicy::User(mapping) => mapping.missing_for(8, ranks).expect("an error").expected,
            other => panic!("{other:?}"),
        };
        assert!(missing_for("user:0:0;1:1", 3).ends_with("2 has none"));
        assert!(missing_for("user:8:0", 1).starts_with("0 to 7"));
    }
}
