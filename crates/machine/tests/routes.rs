//! Every route of small machines, and many of large ones: it ends where it should, within its hop
//! bound, and no cycle of virtual channels can fill up.

use std::collections::BTreeSet;

use base::draw;
use machine::{
    End, LinkId, LinkKind, LoadView, Machine, MachineSpec, NicId, Route, Routing, preset,
};

/// Load as a function of the link and a seed: routers see every mixture of queues.
struct Fuzz(u64);
impl LoadView for Fuzz {
    fn backlog(&self, link: LinkId) -> u64 {
        let noise = draw(self.0, 7, link.0, 0);
        if noise & 1 == 0 { 0 } else { (noise >> 8) % 100_000 }
    }
}

fn build(name: &str, set: &[(&str, &str)]) -> Machine {
    let set: Vec<_> = set.iter().map(|&(k, v)| (k.to_string(), v.to_string())).collect();
    let text = preset(name).expect("a preset");
    MachineSpec::parse(name, text, &set)
        .and_then(|spec| spec.resolve())
        .unwrap_or_else(|c| panic!("{name} {set:?}: {c:#?}"))
}

/// Small machines of each shape: one level with one and with two links a pair, and two levels.
fn small() -> Vec<Machine> {
    let one = |groups: &'static str, links: &'static str| {
        build(
            "dragonfly-1056",
            &[
                ("groups.compute.count", groups),
                ("groups.compute.switches", "4"),
                ("groups.compute.nodes", "4"),
                ("groups.compute.global_ports", "6"),
                ("switch.ports", "64"),
                ("global.links.compute.compute", links),
            ],
        )
    };
    let two = |groups: &'static str, links: &'static str| {
        build(
            "dragonfly-1056",
            &[
                ("groups.compute.count", groups),
                ("groups.compute.switches", "6"),
                ("groups.compute.chassis", "2"),
                ("groups.compute.chassis_links", "3"),
                ("groups.compute.nodes", "6"),
                ("groups.compute.global_ports", "9"),
                ("switch.ports", "64"),
                ("global.links.compute.compute", links),
            ],
        )
    };
    vec![one("5", "1"), one("4", "2"), one("2", "3"), one("1", "1"), two("4", "1"), two("3", "8")]
}

const ROUTINGS: [Routing; 4] =
    [Routing::Minimal, Routing::Valiant, Routing::Ugal { bias: 0 }, Routing::Ugal { bias: 50_000 }];

/// The route's links with their virtual channels, the ejection link included.
fn trace(
    m: &Machine,
    src: NicId,
    dst: NicId,
    draw: u64,
    load: &impl LoadView,
) -> Vec<(LinkId, u8)> {
    let mut route = Route::default();
    let mut path = vec![(m.injection(src), 0)];
    loop {
        match m.links.to[path[path.len() - 1].0] {
            End::Nic(nic) => {
                assert_eq!(nic, dst, "{src:?} to {dst:?}, draw {draw}: a wrong end");
                assert_eq!(usize::from(route.hops) + 2, path.len());
                return path;
            }
            End::Switch(at) => {
                let hop = m.next_hop(at, dst, &mut route, draw, load);
                assert_eq!(m.links.from[hop.link], End::Switch(at), "a link that is not here");
                assert!(hop.vc < m.n_vcs, "class {} of {}", hop.vc, m.n_vcs);
                path.push((hop.link, hop.vc));
                assert!(path.len() < 20, "{src:?} to {dst:?}, draw {draw}: {path:?}");
            }
        }
    }
}

fn bounds(m: &Machine) -> (usize, usize) {
    if m.kinds.iter().any(|k| k.chassis > 1) { (5, 10) } else { (3, 6) }
}

#[test]
fn every_route_of_small_machines_ends_at_its_nic_and_no_channels_wait_in_a_circle() {
    for mut m in small() {
        let (least, most) = bounds(&m);
        // Channel c waits for channel d if a packet in c's buffer may ask for d next.
        let mut waits = BTreeSet::new();
        for routing in ROUTINGS {
            m.routing = routing;
            for (src, dst) in pairs(m.n_nics()) {
                for nth in 0..40 {
                    let r = draw(1, 0, src.0 * 1000 + dst.0, nth);
                    let path = trace(&m, src, dst, r, &Fuzz(nth % 5));
                    let bound = if routing == Routing::Minimal { least } else { most };
                    assert!(path.len() - 2 <= bound, "{routing:?} {src:?} {dst:?}: {path:?}");
                    assert!(path.windows(2).all(|w| w[0].1 <= w[1].1), "classes never fall");
                    waits.extend(path.windows(2).map(|w| (w[0], w[1])));
                }
            }
        }
        assert_acyclic(&waits);
    }
}

/// The order that docs/models/routing.md claims: by class, and within a class row, column, global.
#[test]
fn channels_are_taken_in_the_stated_order() {
    let rank = |m: &Machine, (link, vc): (LinkId, u8)| match m.links.kind[link] {
        LinkKind::Injection => 0,
        LinkKind::Local => 1 + 3 * u32::from(vc),
        LinkKind::LocalBlack => 2 + 3 * u32::from(vc),
        LinkKind::Global => 3 + 3 * u32::from(vc),
        LinkKind::Ejection => u32::MAX,
    };
    let mut machines = small();
    machines.push(build("aurora", &[]));
    for mut m in machines {
        for routing in ROUTINGS {
            m.routing = routing;
            for nth in 0..20_000 {
                let r = draw(2, 0, 0, nth);
                let (src, dst) = some_pair(&m, nth);
                let path = trace(&m, src, dst, r, &Fuzz(nth));
                let ranks: Vec<u32> = path.iter().map(|&hop| rank(&m, hop)).collect();
                assert!(ranks.is_sorted_by(|a, b| a < b), "{routing:?} {src:?} {dst:?} {ranks:?}");
            }
        }
    }
}

fn some_pair(m: &Machine, nth: u64) -> (NicId, NicId) {
    let n = m.n_nics();
    let src = base::below(draw(3, 0, 0, nth), n);
    let dst = (src + 1 + base::below(draw(3, 1, 0, nth), n - 1)) % n;
    (NicId(src), NicId(dst))
}

fn pairs(n: u32) -> impl Iterator<Item = (NicId, NicId)> {
    (0..n).flat_map(move |s| (0..n).filter(move |&d| d != s).map(move |d| (NicId(s), NicId(d))))
}

/// Kahn's algorithm: what remains after taking away all that wait for nobody is a circle.
fn assert_acyclic(waits: &BTreeSet<((LinkId, u8), (LinkId, u8))>) {
    let mut left = waits.clone();
    loop {
        let waiting: BTreeSet<_> = left.iter().map(|&(from, _)| from).collect();
        let before = left.len();
        left.retain(|(_, to)| waiting.contains(to));
        if left.is_empty() {
            return;
        }
        assert!(left.len() < before, "channels wait in a circle: {left:?}");
    }
}
