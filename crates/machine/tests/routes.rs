//! All routes of small machines, and many of large ones: they end at their target within their hop
//! bound, and no cycle of virtual channels exists.

use std::cell::Cell;
use std::collections::BTreeSet;

use base::draw;
use machine::{
    Idle, LinkEnd, LinkId, LinkKind, LoadView, Machine, MachineSpec, NicId, PRESETS, Route,
    Routing, SwitchId, preset,
};

/// Load as a function of a seed, the link and the number of queries: routers see every mixture of
/// queues, and later switches see other loads. It also asserts that a switch uses only loads that
/// it can know.
struct Shifting<'a> {
    machine: &'a Machine,
    /// The switch of the packet.
    at: Cell<SwitchId>,
    seed: u64,
    queries: Cell<u64>,
}
impl<'a> Shifting<'a> {
    fn new(machine: &'a Machine, seed: u64) -> Self {
        Shifting { machine, at: Cell::new(SwitchId(0)), seed, queries: Cell::new(0) }
    }
    fn queue(&self, link: LinkId) -> u32 {
        let nth = self.queries.replace(self.queries.get() + 1);
        let noise = draw(self.seed, 7, link.0, nth);
        if noise & 1 == 0 { 0 } else { ((noise >> 8) % 100_000) as u32 }
    }
    fn from(&self, link: LinkId) -> SwitchId {
        match self.machine.links.from[link] {
            LinkEnd::Switch(switch) => switch,
            LinkEnd::Nic(_) => panic!("no switch sends on {link:?}"),
        }
    }
}
impl LoadView for Shifting<'_> {
    fn near(&self, link: LinkId) -> u32 {
        assert_eq!(self.from(link), self.at.get(), "a queue of another switch");
        self.queue(link)
    }
    fn far(&self, link: LinkId) -> u32 {
        assert_eq!(self.from(link), self.at.get(), "credits of another switch");
        self.queue(link)
    }
    fn downstream(&self, link: LinkId) -> u32 {
        let group = |switch| self.machine.switch_group[switch];
        assert_ne!(self.from(link), self.at.get(), "a report of its own");
        assert_eq!(group(self.from(link)), group(self.at.get()), "a report from another group");
        self.queue(link)
    }
    fn remote_backlog(&self, link: LinkId) -> u32 {
        assert!(
            matches!(self.machine.routing, Routing::UgalG { .. }),
            "a load that no switch knows"
        );
        self.queue(link)
    }
}

/// Observer of a route's construction.
trait Watch: LoadView {
    fn arrive_at(&self, _: SwitchId) {}
}
impl Watch for Shifting<'_> {
    fn arrive_at(&self, at: SwitchId) {
        self.at.set(at);
    }
}
impl Watch for On {}

fn build(name: &str, set: &[(&str, &str)]) -> Machine {
    let set: Vec<_> = set.iter().map(|&(k, v)| (k.to_string(), v.to_string())).collect();
    let text = preset(name).expect("a preset");
    MachineSpec::parse(name, text, &set)
        .and_then(|spec| spec.resolve())
        .unwrap_or_else(|c| panic!("{name} {set:?}: {c:#?}"))
}

/// Small machines of each shape: one level with one and with two links per pair of groups, and two
/// levels.
fn small(routing: &str) -> Vec<Machine> {
    let one = |groups: &'static str, links: &'static str| {
        build(
            "dragonfly-1056",
            &[
                ("routing", routing),
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
                ("routing", routing),
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

/// The route's links with their virtual channels, including the ejection link.
fn trace(m: &Machine, src: NicId, dst: NicId, draw: u64, load: &impl Watch) -> Vec<(LinkId, u8)> {
    let mut route = Route::default();
    let mut path = vec![(m.injection(src), 0)];
    loop {
        match m.links.to[path[path.len() - 1].0] {
            LinkEnd::Nic(nic) => {
                assert_eq!(nic, dst, "{src:?} to {dst:?}, draw {draw}: a wrong end");
                assert_eq!(usize::from(route.hops) + 2, path.len());
                return path;
            }
            LinkEnd::Switch(at) => {
                load.arrive_at(at);
                let hop = m.next_hop(m.initial_fabric(), at, dst, &mut route, draw, load);
                assert_eq!(m.links.from[hop.link], LinkEnd::Switch(at), "a link that is not here");
                assert!(hop.vc < m.n_vcs, "class {} of {}", hop.vc, m.n_vcs);
                path.push((hop.link, hop.vc));
                assert!(path.len() < 20, "{src:?} to {dst:?}, draw {draw}: {path:?}");
            }
        }
    }
}

/// Hops of the longest minimal route.
fn diameter(m: &Machine) -> u32 {
    let levels = if m.kinds.iter().any(|k| k.chassis > 1) { 2 } else { 1 };
    if m.n_groups > 1 { 1 + 2 * levels } else { levels }
}

#[test]
fn every_route_of_small_machines_ends_at_its_nic_without_channel_cycles() {
    for &routing in Routing::NAMES {
        let mut highest = 0;
        for m in small(routing) {
            // Channel c waits for channel d if a packet in c's buffer may request d next.
            let mut waits = BTreeSet::new();
            let most = m.routing.max_hops(diameter(&m)) as usize;
            for (src, dst) in pairs(m.n_nics()) {
                for nth in 0..40 {
                    let r = draw(1, 0, src.0 * 1000 + dst.0, nth);
                    let path = trace(&m, src, dst, r, &Shifting::new(&m, nth));
                    assert!(path.len() - 2 <= most, "{routing} {src:?} {dst:?}: {path:?}");
                    assert!(path.windows(2).all(|w| w[0].1 <= w[1].1), "classes never fall");
                    highest = highest.max(path[path.len() - 1].1);
                    waits.extend(path.windows(2).map(|w| (w[0], w[1])));
                }
            }
            assert_acyclic(&waits);
        }
        // There is no superfluous channel either: each takes a share of every buffer.
        let n_vcs = small(routing)[0].n_vcs;
        assert_eq!(highest + 1, n_vcs, "{routing}: classes up to {highest}");
    }
}

/// The order that docs/models/deadlock.md states: by class, within a class row, column, global.
#[test]
fn channels_are_used_in_the_stated_order() {
    let rank = |m: &Machine, (link, vc): (LinkId, u8)| match m.links.kind[link] {
        LinkKind::Injection => 0,
        LinkKind::Local => 1 + 3 * u32::from(vc),
        LinkKind::LocalBlack => 2 + 3 * u32::from(vc),
        LinkKind::Global => 3 + 3 * u32::from(vc),
        LinkKind::Ejection => u32::MAX,
    };
    for &routing in Routing::NAMES {
        let mut machines = small(routing);
        machines.extend(PRESETS.iter().map(|name| build(name, &[("routing", routing)])));
        for m in machines {
            for nth in 0..3_000 {
                let r = draw(2, 0, 0, nth);
                let (src, dst) = some_pair(&m, nth);
                let path = trace(&m, src, dst, r, &Shifting::new(&m, nth));
                let ranks: Vec<u32> = path.iter().map(|&hop| rank(&m, hop)).collect();
                assert!(ranks.is_sorted_by(|a, b| a < b), "{routing} {src:?} {dst:?} {ranks:?}");
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

/// A link and one of its virtual channels.
type Channel = (LinkId, u8);

/// Kahn's algorithm: what remains after removing all channels that wait for none is a cycle.
fn assert_acyclic(waits: &BTreeSet<(Channel, Channel)>) {
    let mut left = waits.clone();
    loop {
        let waiting: BTreeSet<_> = left.iter().map(|&(from, _)| from).collect();
        let before = left.len();
        left.retain(|(_, to)| waiting.contains(to));
        if left.is_empty() {
            return;
        }
        assert!(left.len() < before, "a cycle of channels: {left:?}");
    }
}

/// The first hop out of `src`'s switch, and the intermediate switch if there is one.
fn decide(m: &Machine, src: NicId, dst: NicId, r: u64, load: &impl LoadView) -> (LinkId, u32) {
    let mut route = Route::default();
    let hop = m.next_hop(m.initial_fabric(), m.nic_switch[src], dst, &mut route, r, load);
    (hop.link, route.via)
}

#[test]
fn valiant_routes_use_every_switch_of_every_third_group_equally_often() {
    let m = build("dragonfly-1056", &[("routing", "valiant")]);
    // Group 0 to group 5, 32 nodes per group; within group 0, 4 nodes per switch.
    for (dst, others) in [(5 * 32, 31 * 8), (4, 6)] {
        let mut seen = vec![0u32; m.n_switches() as usize + 1];
        for nth in 0..100 * others {
            seen[decide(&m, NicId(0), NicId(dst), draw(8, 0, 0, nth), &Idle).1 as usize] += 1;
        }
        let passed: Vec<u32> = seen.iter().copied().filter(|&n| n > 0).collect();
        assert_eq!(passed.len() as u64, others, "minimal or through an end: {seen:?}");
        // 100 expected each; six standard deviations are 60.
        assert!(passed.iter().all(|n| (40..160).contains(n)), "{passed:?}");
    }
}

/// The same backlog on some links, none on all others.
struct On(Vec<LinkId>, u64);
impl LoadView for On {
    fn near(&self, link: LinkId) -> u32 {
        if self.0.contains(&link) { self.1 as u32 } else { 0 }
    }
    fn far(&self, _: LinkId) -> u32 {
        0
    }
    fn downstream(&self, link: LinkId) -> u32 {
        self.near(link)
    }
    fn remote_backlog(&self, link: LinkId) -> u32 {
        self.near(link)
    }
}

/// Backlog times hops, with bias: minimal at the break-even point, nonminimal above it.
#[test]
fn ugal_leaves_the_minimal_route_when_its_queue_outweighs_bias() {
    let bias = 12_000;
    let m = build("dragonfly-1056", &[("routing", "ugal-l"), ("ugal_bias", "12000 B")]);
    let mut path = Vec::new();
    for dst in (4..m.n_nics()).map(NicId) {
        let r = draw(9, 0, dst.0, 0);
        m.walk(NicId(0), dst, r, &Idle, &mut path);
        let (first, hops) = (path[1], path.len() as u64 - 2);
        for (backlog, minimal) in [(bias / hops, true), (bias / hops + 1, false)] {
            let (link, via) = decide(&m, NicId(0), dst, r, &On(vec![first], backlog));
            // A nonminimal path that begins with the same link is no better than the minimal one.
            assert_eq!(via == 0, minimal || link == first, "{dst:?}: {backlog} B, {hops} hops");
            assert!(minimal || link != first || via == 0);
        }
        // With equal queues the longer path costs more.
        let equal = On(m.links.to.ids().collect(), 100_000);
        assert_eq!(decide(&m, NicId(0), dst, r, &equal).1, 0);
    }
}

#[test]
fn parallel_links_are_chosen_by_load_and_among_equals_by_the_draw() {
    let m = build("cascade-3k", &[("routing", "minimal")]);
    let like = SwitchId(16); // the same slot in the next chassis, 64 nodes on
    assert_eq!(m.nic_switch[NicId(64)], like);
    let bundle: Vec<LinkId> = m
        .links
        .to
        .ids()
        .filter(|&l| {
            (m.links.from[l], m.links.to[l])
                == (LinkEnd::Switch(SwitchId(0)), LinkEnd::Switch(like))
        })
        .collect();
    assert_eq!(bundle.len(), 3);
    let mut seen = [0u32; 3];
    for nth in 0..3_000 {
        let r = draw(10, 0, 0, nth);
        let free = nth as usize % 3;
        let busy = bundle.iter().copied().filter(|&l| l != bundle[free]).collect();
        assert_eq!(decide(&m, NicId(0), NicId(64), r, &On(busy, 1)).0, bundle[free]);
        let (link, _) = decide(&m, NicId(0), NicId(64), r, &Idle);
        seen[bundle.iter().position(|&l| l == link).expect("one of the bundle")] += 1;
    }
    // 1,000 expected each; six standard deviations are 155.
    assert!(seen.iter().all(|n| (845..1155).contains(n)), "{seen:?}");
}

/// There are two links between two groups of Aurora. With both idle each packet takes the shorter
/// path or the draw's; a busy link is avoided.
#[test]
fn links_to_another_group_are_chosen_by_load() {
    let m = build("aurora", &[("routing", "minimal")]);
    let global_link = |src, dst, r, load: &On| {
        let path = trace(&m, src, dst, r, load);
        let hop = path.iter().find(|(l, _)| m.links.kind[*l] == LinkKind::Global);
        (path[1].0, hop.expect("another group").0)
    };
    let (mut taken, mut left) = (BTreeSet::new(), 0);
    for nth in 0..2_000 {
        let r = draw(11, 0, 0, nth);
        let (src, dst) = (NicId(base::below(r, 512)), NicId(512 * 7 + base::below(r << 32, 512)));
        let (first, link) = global_link(src, dst, r, &On(vec![], 0));
        taken.insert(link);
        let (_, other) = global_link(src, dst, r, &On(vec![first], 50_000));
        left += u32::from(other != link);
    }
    assert_eq!(taken.len(), 2, "both links are used");
    assert_eq!(left, 2_000, "a busy first hop sends the packet to the other link");
}
