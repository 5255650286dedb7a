//! Decisions of each policy for given loads, one at a time.
//!
//! The machine is `dragonfly-1056`: one link between any two groups, so every path has a name.

use std::collections::BTreeMap;

use base::draw;
use machine::{
    Hop, Idle, LinkEnd, LinkId, LinkKind, LoadView, Machine, MachineSpec, NicId, Route, SwitchId,
    preset,
};

/// Near and far load of some links, zero for all others. `downstream` is near.
#[derive(Default)]
struct Seen(BTreeMap<LinkId, (u32, u32)>);
impl Seen {
    fn near(link: LinkId, bytes: u32) -> Seen {
        Seen([(link, (bytes, 0))].into())
    }
    fn of(&self, link: LinkId) -> (u32, u32) {
        self.0.get(&link).copied().unwrap_or_default()
    }
}
impl LoadView for Seen {
    fn near(&self, link: LinkId) -> u32 {
        self.of(link).0
    }
    fn far(&self, link: LinkId) -> u32 {
        self.of(link).1
    }
    fn downstream(&self, link: LinkId) -> u32 {
        self.of(link).0
    }
    fn remote_backlog(&self, link: LinkId) -> u32 {
        self.of(link).0 + self.of(link).1
    }
}

fn build(set: &[(&str, &str)]) -> Machine {
    let set: Vec<_> = set.iter().map(|&(k, v)| (k.to_string(), v.to_string())).collect();
    let text = preset("dragonfly-1056").expect("a preset");
    MachineSpec::parse("test", text, &set)
        .and_then(|spec| spec.resolve())
        .unwrap_or_else(|input_errors| panic!("{set:?}: {input_errors:?}"))
}

fn end(m: &Machine, link: LinkId) -> SwitchId {
    match m.links.to[link] {
        LinkEnd::Switch(switch) => switch,
        LinkEnd::Nic(_) => panic!("{link:?} leads to a NIC"),
    }
}

/// Packets from NIC 0 to another group whose minimal path begins with a hop within the group:
/// receiver, draw, first link, and the direct link between the groups.
fn packets(m: &Machine) -> Vec<(NicId, u64, LinkId, LinkId)> {
    let mut path = Vec::new();
    (32..m.n_nics())
        .step_by(7)
        .filter_map(|dst| {
            let r = draw(12, 0, dst, 0);
            m.walk(NicId(0), NicId(dst), r, &Idle, &mut path);
            let local = m.links.kind[path[1]] == LinkKind::Local;
            local.then(|| (NicId(dst), r, path[1], path[2]))
        })
        .collect()
}

fn first(m: &Machine, dst: NicId, r: u64, load: &impl LoadView) -> (Hop, Route) {
    let mut route = Route::default();
    let hop = m.next_hop(m.initial_fabric(), m.nic_switch[NicId(0)], dst, &mut route, r, load);
    (hop, route)
}

/// The queue of the direct link, one hop away, is invisible to the source switch of UGAL-L and
/// visible to those of UGAL-G and Slingshot.
#[test]
fn visibility_of_the_direct_link_depends_on_the_policy() {
    for (routing, sees) in [
        ("ugal-l", false),
        ("par", false),
        ("ugal-g", true),
        ("slingshot", true),
        ("adaptive-0", true),
        ("adaptive-3", true),
        ("min-hash", false),
        ("in-order", false),
    ] {
        let m = build(&[("routing", routing), ("ugal_bias", "0 B")]);
        for (dst, r, _, direct) in packets(&m) {
            let (_, route) = first(&m, dst, r, &Seen::near(direct, 60_000));
            assert_eq!(route.is_minimal(), !sees, "{routing} to {dst:?}");
        }
    }
}

/// At the switch with the direct link, progressive policies divert from it. PAR uses any path, one
/// class higher; the others use another global link of that switch.
#[test]
fn progressive_policies_decide_again_at_the_direct_link() {
    for routing in ["ugal-l", "par", "slingshot", "adaptive-0"] {
        let m = build(&[("routing", routing), ("ugal_bias", "0 B")]);
        let (mut diverted, mut all) = (0, 0);
        for (dst, r, local, direct) in packets(&m) {
            let (hop, mut route) = first(&m, dst, r, &Idle);
            assert_eq!(hop.link, local);
            let second = end(&m, local);
            let next = m.next_hop(
                m.initial_fabric(),
                second,
                dst,
                &mut route,
                r,
                &Seen::near(direct, 60_000),
            );
            assert_eq!(m.links.from[next.link], LinkEnd::Switch(second));
            all += 1;
            if next.link == direct {
                assert!(route.is_minimal());
                continue;
            }
            diverted += 1;
            assert!(!route.is_minimal(), "{routing}");
            assert_eq!(next.vc, u8::from(routing == "par"), "{routing}");
            if routing != "par" {
                assert_eq!(m.links.kind[next.link], LinkKind::Global, "{routing}");
            }
        }
        match routing {
            "ugal-l" => assert_eq!(diverted, 0),
            "par" => assert_eq!(diverted, all),
            // One of the switch's four global links is the direct one: both draws select it 1 time
            // in 16.
            _ => {
                assert!(diverted * 10 > all * 8 && diverted < all, "{routing}: {diverted} of {all}")
            }
        }
    }
}

/// Loads count in whole steps and add up: the minimal path is left exactly if its score exceeds the
/// bias of the other class.
#[test]
fn a_score_is_the_sum_of_steps_against_the_bias() {
    for (routing, add) in [("slingshot", 5u32), ("adaptive-0", 0), ("adaptive-2", 3)] {
        let m = build(&[
            ("routing", routing),
            ("adaptive.quantum", "1 KiB"),
            ("adaptive.nonminimal_add", "5"),
            ("adaptive.small_add", "3"),
        ]);
        for (dst, r, local, direct) in packets(&m) {
            let leaves = |near: u32, far: u32, downstream: u32| {
                let loads = [(local, (near, far)), (direct, (downstream, 0))];
                !first(&m, dst, r, &Seen(loads.into())).1.is_minimal()
            };
            // A candidate that shares the first hop is no better; most do not.
            if !leaves(60_000, 0, 0) {
                continue;
            }
            assert!(!leaves(add * 1024, 0, 0), "{routing}: a tie goes to the minimal path");
            assert!(leaves((add + 1) * 1024, 0, 0), "{routing}");
            assert!(leaves(0, (add + 1) * 1024, 0), "{routing}");
            assert!(leaves(0, 0, (add + 1) * 1024), "{routing}");
            // Loads below one step count as zero.
            assert!(!leaves(1023, 1023, 1023), "{routing}");
        }
    }
}

/// 4-bit scores saturate at 15; more load has no effect.
#[test]
fn scores_saturate() {
    let m = build(&[("routing", "slingshot"), ("adaptive.nonminimal_add", "15")]);
    let eager = build(&[("routing", "slingshot"), ("adaptive.nonminimal_add", "14")]);
    for (dst, r, local, _) in packets(&m) {
        let full = Seen::near(local, u32::MAX / 2);
        assert!(first(&m, dst, r, &full).1.is_minimal());
        let (hop, route) = first(&eager, dst, r, &full);
        assert!(!route.is_minimal() || hop.link == local);
    }
}

/// ADAPTIVE_1 needs more load to divert at the second router than at the first.
#[test]
fn adaptive_1_grows_with_the_routers_visited() {
    let m = build(&[("routing", "adaptive-1"), ("adaptive.growth", "3")]);
    let (mut here, mut there) = (0, 0);
    for (dst, r, local, direct) in packets(&m) {
        // Four steps: more than the bias of one router, less than that of two.
        let four = 4 * 2048;
        here += u32::from(!first(&m, dst, r, &Seen::near(local, four)).1.is_minimal());
        let (hop, mut route) = first(&m, dst, r, &Idle);
        m.next_hop(
            m.initial_fabric(),
            end(&m, hop.link),
            dst,
            &mut route,
            r,
            &Seen::near(direct, four),
        );
        there += u32::from(!route.is_minimal());
    }
    assert!(here > 50 && there == 0, "{here} at the first router, {there} at the second");
}

/// Slingshot draws two groups per candidate and drops the one whose link has the longer queue.
#[test]
fn slingshot_avoids_groups_whose_link_is_full() {
    let m = build(&[("routing", "slingshot")]);
    let group = |nic: NicId| m.group_of(nic);
    // The direct link and the links from group 0 to every second group are full.
    let is_full = |g: u32, dst: NicId| g.is_multiple_of(2) || g == group(dst).0;
    let (mut full, mut all) = (0, 0);
    for (dst, r, local, _) in packets(&m) {
        let mut seen = Seen::near(local, 20_000);
        for link in m.links.to.ids().filter(|&l| m.links.kind[l] == LinkKind::Global) {
            let LinkEnd::Switch(from) = m.links.from[link] else { unreachable!() };
            if m.switch_group[from].0 == 0 && is_full(m.switch_group[end(&m, link)].0, dst) {
                seen.0.insert(link, (9_000, 0));
            }
        }
        let (_, route) = first(&m, dst, r, &seen);
        if !route.is_minimal() {
            all += 1;
            let via = m.switch_group[SwitchId(route.via - 1)].0;
            full += u32::from(is_full(via, dst));
        }
    }
    // One random group would be full in half of the cases; all four drawn groups are in 1 of 16.
    assert!(all > 50 && full * 8 < all, "{full} of {all}");
}

/// IN_ORDER depends on the receiver only; MIN_HASH and NMIN_HASH on the draw, never on load.
#[test]
fn hashed_paths_ignore_load() {
    for routing in ["min-hash", "nmin-hash", "in-order"] {
        let m = build(&[
            ("routing", routing),
            ("global.links.compute.compute", "2"),
            ("groups.compute.global_ports", "8"),
            ("switch.ports", "64"),
        ]);
        let busy = Seen(m.links.to.ids().map(|l| (l, (l.0 % 7 * 10_000, 5_000))).collect());
        let (mut one, mut other) = (Vec::new(), Vec::new());
        let mut spread = 0;
        for dst in (32..m.n_nics()).step_by(17).map(NicId) {
            let r = draw(13, 0, dst.0, 0);
            m.walk(NicId(0), dst, r, &Idle, &mut one);
            m.walk(NicId(0), dst, r, &busy, &mut other);
            assert_eq!(one, other, "{routing} to {dst:?}");
            m.walk(NicId(0), dst, draw(13, 0, dst.0, 1), &Idle, &mut other);
            spread += u32::from(one != other);
        }
        assert_eq!(spread > 10, routing != "in-order", "{routing}: {spread} paths differ");
    }
}
