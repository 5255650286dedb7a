//! Where on its node a rank runs, and through which of the node's NICs it speaks.
//!
//! Ranks are dealt evenly and in order over the CPUs of their node and over the tiles of its GPUs;
//! NICs hang on CPUs in order too. So a rank is near a GPU and near some NICs, and whether it gets
//! one of those is its policy's doing. Equations in docs/models/node.md.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::input_error::{InputError, nearest};
use crate::{GroupKind, Machine, NicId, NodeId};

/// What of its node a rank has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Binding {
    pub cpu: u16,
    /// The GPU whose memory its buffers lie in, if they do, and the tile of it.
    pub gpu: u16,
    pub tile: u16,
    /// Its NIC hangs on another CPU than it runs on.
    pub has_far_nic: bool,
}

/// How the ranks of a node come to its NICs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum NicPolicy {
    /// Consecutive ranks share a NIC if they must, and few are spread over all.
    #[default]
    Block,
    /// The NICs of the rank's own CPU in turn.
    Numa,
    /// All NICs in turn.
    RoundRobin,
    /// The NICs are dealt to the GPUs in order, and a rank takes its GPU's.
    Gpu,
    /// All ranks the first.
    Single,
    /// The NIC that is named for each rank of a node.
    User(NicMapping),
}

/// A NIC for each rank of a node, both by their numbers there.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NicMapping(BTreeMap<u32, u32>);

impl NicMapping {
    /// More ranks than any node has.
    const MAX_RANKS: u32 = 65_535;

    /// Reads `NIC:ranks` between semicolons; ranks are numbers and ranges between commas. [CRAY]
    /// intro_mpi(3), `MPICH_OFI_NIC_MAPPING`.
    pub fn parse(text: &str) -> Result<NicMapping, InputError> {
        let wrong = |found: &str, wanted: &str| InputError::new("nic_policy", found, wanted);
        let form = "`NIC:ranks` between semicolons, such as `0:0-3; 1:4,5`";
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
                        let wanted = format!("one NIC for each rank of a node; {rank} has two");
                        return Err(wrong(text, &wanted));
                    }
                }
            }
        }
        if nics.is_empty() { Err(wrong(text, form)) } else { Ok(NicMapping(nics)) }
    }

    /// What keeps a node with so many NICs and ranks from being served.
    pub(crate) fn missing_for(&self, nics: u32, ranks: u32) -> Option<InputError> {
        let wrong = |found: String, wanted: String| InputError::new("nic_policy", found, wanted);
        if let Some(rank) = (0..ranks).find(|rank| !self.0.contains_key(rank)) {
            let wanted = format!("a NIC for each of the {ranks} ranks of a node; {rank} has none");
            return Some(wrong(format!("{} ranks", self.0.len()), wanted));
        }
        let beyond = self.0.range(..ranks).map(|(_, &nic)| nic).find(|&nic| nic >= nics)?;
        let wanted = match nics {
            1 => "0, the only NIC of a node".to_string(),
            _ => format!("0 to {}, the NICs of a node", nics - 1),
        };
        Some(wrong(format!("NIC {beyond}"), wanted))
    }
}

impl NicPolicy {
    pub const NAMES: [&str; 5] = ["block", "numa", "round-robin", "gpu", "single"];

    /// The policy that `word` names, in Cray MPICH's capitals as well. `user:0:0-3; 1:4,5` has the
    /// NIC of every rank of a node.
    pub fn from_word(word: &str) -> Result<NicPolicy, InputError> {
        let plain = word.to_ascii_lowercase().replace('_', "-");
        if let Some(mapping) = plain.strip_prefix("user:") {
            return NicMapping::parse(mapping).map(NicPolicy::User);
        }
        let all = [Self::Block, Self::Numa, Self::RoundRobin, Self::Gpu, Self::Single];
        let at = Self::NAMES.iter().position(|&name| name == plain);
        at.map(|at| all[at].clone()).ok_or_else(|| {
            let names = Self::NAMES.join(", ");
            let wanted = format!("one of {names}, or `user:` and a mapping such as `0:0-3; 1:4,5`");
            InputError::new("nic_policy", word, wanted).with_hint(nearest(&plain, Self::NAMES))
        })
    }
}

/// Part `i` of `n` of a whole of `of`, in order and evenly.
fn share(i: u32, n: u32, of: u32) -> u32 {
    (u64::from(i) * u64::from(of) / u64::from(n)) as u32
}

impl Machine {
    /// The kind of group a node is of.
    pub fn kind_of(&self, node: NodeId) -> &GroupKind {
        let first = NicId(self.node_nics[node]);
        &self.kinds[usize::from(self.group_kind[self.group_of(first)])]
    }

    /// The CPU that a NIC hangs on, counted within its node.
    pub fn cpu_of(&self, nic: NicId) -> u16 {
        let (all, kind) = (self.nics_of_same_node(nic), self.kind_of(self.nic_node[nic]));
        share(nic.0 - all.start, kind.nics, kind.cpus.max(1)) as u16
    }

    /// All NICs of the node that has this one, by their numbers.
    pub fn nics_of_same_node(&self, nic: NicId) -> Range<u32> {
        let node = self.nic_node[nic];
        self.node_nics[node]..self.node_nics[NodeId(node.0 + 1)]
    }

    /// The NIC of the rank that is `local` among the ranks of `node`, which has room for `room`,
    /// and what else of the node it has.
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
                // First of the CPU's ranks, and of its NICs: the least whose share is the CPU.
                let first = |of: u32| (cpu * of).div_ceil(cpus);
                let mine = first(nics)..((cpu + 1) * nics).div_ceil(cpus);
                match mine.len() as u32 {
                    // More CPUs than NICs: some have none of their own.
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

    /// Aurora: cxi0-3 are CPU 0's, cxi4-7 CPU 1's (ALCF; "Scaling MPI Applications on Aurora",
    /// 3.8.4); six GPUs of two tiles.
    #[test]
    fn every_policy_deals_the_nics_its_own_way() {
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

    /// One rank a tile is how Aurora is used: ranks 2i, 2i + 1 share GPU i, GPUs 0-2 are CPU 0's.
    #[test]
    fn ranks_are_dealt_over_cpus_and_tiles_in_order() {
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
            assert_eq!(NicPolicy::from_word(word).expect("known"), policy);
        }
        let wrong = NicPolicy::from_word("USER").expect_err("there is no mapping");
        assert!(wrong.wanted.contains("numa"), "{wrong:?}");
    }

    /// The example of Slingshot's `dgnettest`, and Perlmutter's, whose GPU 0 is next to NIC 3.
    #[test]
    fn users_name_the_nic_of_each_rank() {
        let m = aurora(&[]);
        for (word, room, want) in [
            ("USER:0:0,2,4,6;1:1,3,5,7", 8, vec![0, 1, 0, 1, 0, 1, 0, 1]),
            ("user:0:3; 1:2; 2:1; 3:0", 4, vec![3, 2, 1, 0]),
            ("user:7:0-1;2:2-3,5;0:4", 6, vec![7, 7, 2, 2, 0, 2]),
            // Ranks that are not there need no NIC.
            ("user:9:9;1:0", 1, vec![1]),
        ] {
            let policy = NicPolicy::from_word(word).expect(word);
            let NicPolicy::User(mapping) = &policy else { panic!("{word}: {policy:?}") };
            assert_eq!(mapping.missing_for(8, room), None, "{word}");
            assert_eq!(nics(&m, room, &policy), want, "{word}");
        }
        // CPU 1's NICs are far from CPU 0's rank.
        let crossed = NicPolicy::from_word("user:4:0; 0:1").expect("legal");
        assert!((0..2).all(|l| m.bind(NodeId(0), (l, 2), &crossed).1.has_far_nic));
        for (word, wanted) in [
            ("user:", "such as `0:0-3; 1:4,5`"),
            ("user:0", "such as"),
            ("user:0:x", "such as"),
            ("user:0:3-1", "such as"),
            ("user:0:0-4294967295", "such as"),
            ("user:0:0;1:0", "0 has two"),
        ] {
            let wrong = NicPolicy::from_word(word).expect_err(word);
            assert!(wrong.wanted.contains(wanted), "{word}: {wrong:?}");
        }
        let missing_for = |word: &str, ranks: u32| match NicPolicy::from_word(word).expect(word) {
            NicPolicy::User(mapping) => mapping.missing_for(8, ranks).expect("a complaint").wanted,
            other => panic!("{other:?}"),
        };
        assert!(missing_for("user:0:0;1:1", 3).ends_with("2 has none"));
        assert!(missing_for("user:8:0", 1).starts_with("0 to 7"));
    }
}
