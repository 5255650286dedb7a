//! Folding: the links that represent those of a path, on machines as cabled and with uniform
//! cabling.

use base::IndexVec;
use machine::{Folding, GroupId, Idle, LinkId, Machine, MachineSpec, NicId, preset};

/// A machine with eight groups, and their folding.
fn folded(name: &str, set: &[(&str, &str)], swaps: bool) -> (Machine, Folding) {
    let own = [("groups.compute.count", "8"), ("routing", "minimal")];
    let set: Vec<_> =
        own.iter().chain(set).map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let spec = MachineSpec::parse(name, preset(name).expect("a preset"), &set).expect("legal");
    let machine = spec.resolve().expect("legal");
    let a_group = machine.kinds[0].nodes * machine.kinds[0].nics;
    let representative = |nic: u32| if nic < 8 * a_group { nic % a_group } else { nic };
    let representative: IndexVec<NicId, NicId> =
        (0..machine.n_nics()).map(|nic| NicId(representative(nic))).collect();
    (machine, Folding { groups: (0..8).map(GroupId).collect(), swaps, representative })
}

/// The representatives of the links of the minimal path with a fixed draw.
fn represented_path(
    machine: &Machine,
    representatives: &IndexVec<LinkId, LinkId>,
    src: u32,
    dst: u32,
) -> Vec<LinkId> {
    let mut path = Vec::new();
    machine.walk(NicId(src), NicId(dst), 0x1234_5678_9abc_def0, &Idle, &mut path);
    path.iter().map(|&link| representatives[link]).collect()
}

/// Whether every path has the same representatives as the path of its representative NICs.
fn paths_are_equivalent(machine: &Machine, folding: &Folding) -> bool {
    let representatives = machine.folded_links(folding);
    let a_group = machine.kinds[0].nodes * machine.kinds[0].nics;
    // From some NICs of the first group to some of all groups, and the same shifted by some groups.
    let some = |n: u32| (0..n).step_by(n as usize / 23 + 1);
    some(a_group).all(|src| {
        some(8 * a_group).filter(|&dst| dst != src).all(|dst| {
            let own = represented_path(machine, &representatives, src, dst);
            (1..8).all(|on| {
                let moved = |nic: u32| {
                    let (group, at) = (nic / a_group, nic % a_group);
                    (if folding.swaps { group ^ on } else { (group + on) % 8 }) * a_group + at
                };
                represented_path(machine, &representatives, moved(src), moved(dst)) == own
            })
        })
    })
}

#[test]
fn equivalent_paths_share_representatives_under_uniform_cabling() {
    for name in ["dragonfly-1056", "aurora", "cascade-3k"] {
        for swaps in [false, true] {
            let (machine, folding) = folded(name, &[], swaps);
            let uniform = machine.with_uniform_cabling(&folding);
            assert!(
                uniform.has_uniform_cabling(&folding) && paths_are_equivalent(&uniform, &folding),
                "{name}"
            );
            // With ports assigned in order cabling is not uniform, which is detected.
            assert!(!machine.has_uniform_cabling(&folding), "{name}");
            assert!(!paths_are_equivalent(&machine, &folding), "{name}");
        }
    }
}

/// Each switch of a group has as many cables as that of the first, and both directions of each
/// cable match.
#[test]
fn uniform_cabling_keeps_the_cables_of_each_pair_of_groups() {
    let (machine, folding) = folded("aurora", &[], false);
    let uniform = machine.with_uniform_cabling(&folding);
    for a in (0..8).map(GroupId) {
        for b in (0..8).map(GroupId).filter(|&b| b != a) {
            let (there, back) =
                (uniform.global_links_between(a, b), uniform.global_links_between(b, a));
            assert_eq!(there, machine.global_links_between(a, b));
            for (there, back) in there.into_iter().zip(back) {
                assert_eq!(uniform.links.from[there], uniform.links.to[back]);
                assert_eq!(uniform.links.to[there], uniform.links.from[back]);
            }
        }
    }
}
