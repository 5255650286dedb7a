//! Groups that do alike: what stands for the links of a way, of machines as they are cabled and
//! as they would be if all groups were cabled like the first.

use base::IndexVec;
use machine::{Folding, GroupId, Idle, LinkId, Machine, MachineSpec, NicId, preset};

/// A machine of eight groups and the folding of these.
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

/// The links that stand for the minimal way by one draw.
fn way(machine: &Machine, stands: &IndexVec<LinkId, LinkId>, src: u32, dst: u32) -> Vec<LinkId> {
    let mut path = Vec::new();
    machine.walk(NicId(src), NicId(dst), 0x1234_5678_9abc_def0, &Idle, &mut path);
    path.iter().map(|&link| stands[link]).collect()
}

/// Whether all ways are stood for by the links that stand for their twins' ways.
fn are_alike(machine: &Machine, folding: &Folding) -> bool {
    let stands = machine.folded_links(folding);
    let a_group = machine.kinds[0].nodes * machine.kinds[0].nics;
    // From some NICs of the first group to some of all, and the same some groups further on.
    let some = |n: u32| (0..n).step_by(n as usize / 23 + 1);
    some(a_group).all(|src| {
        some(8 * a_group).filter(|&dst| dst != src).all(|dst| {
            let own = way(machine, &stands, src, dst);
            (1..8).all(|on| {
                let moved = |nic: u32| {
                    let (group, at) = (nic / a_group, nic % a_group);
                    (if folding.swaps { group ^ on } else { (group + on) % 8 }) * a_group + at
                };
                way(machine, &stands, moved(src), moved(dst)) == own
            })
        })
    })
}

#[test]
fn ways_of_twins_are_stood_for_by_the_same_links_where_groups_are_cabled_alike() {
    for name in ["dragonfly-1056", "aurora", "cascade-3k"] {
        for swaps in [false, true] {
            let (machine, folding) = folded(name, &[], swaps);
            let alike = machine.with_uniform_cabling(&folding);
            assert!(alike.has_uniform_cabling(&folding) && are_alike(&alike, &folding), "{name}");
            // Dealt out in order they are not, and that is seen.
            assert!(!machine.has_uniform_cabling(&folding), "{name}");
            assert!(!are_alike(&machine, &folding), "{name}");
        }
    }
}

/// As many cables sit on each switch of a group as on that of the first, and all are whole: what
/// goes there comes back.
#[test]
fn groups_cabled_alike_have_the_cables_they_had() {
    let (machine, folding) = folded("aurora", &[], false);
    let alike = machine.with_uniform_cabling(&folding);
    for a in (0..8).map(GroupId) {
        for b in (0..8).map(GroupId).filter(|&b| b != a) {
            let (there, back) =
                (alike.global_links_between(a, b), alike.global_links_between(b, a));
            assert_eq!(there, machine.global_links_between(a, b));
            for (there, back) in there.into_iter().zip(back) {
                assert_eq!(alike.links.from[there], alike.links.to[back]);
                assert_eq!(alike.links.to[there], alike.links.from[back]);
            }
        }
    }
}
