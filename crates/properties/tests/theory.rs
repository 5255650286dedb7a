//! Routing against theory: accepted load of each policy and pattern, and latency of a packet
//! without contention. Closed forms and derivations: docs/models/saturation-bounds.md.
//!
//! The machine is the balanced dragonfly one size below `dragonfly-1056`: p = 2, a = 4, h = 2, g =
//! 9, one link between any two groups, all links at the rate of a NIC. Packets are small and
//! buffers large (128 packets per virtual channel and more), so that the fluid bound applies.

#![allow(clippy::disallowed_macros)] // prints what it checks

use base::Span;
use machine::{Machine, NicId};
use properties::{buffers, offered, request};
use sim::traffic::{Destinations, Finish, TrafficRow};

/// Nodes per switch, switches per group, global links per switch, groups.
const P: f64 = 2.0;
const A: f64 = 4.0;
const H: f64 = 2.0;
const G: f64 = 9.0;
const PACKET: u64 = 512;

fn small(routing: &str, buffer: &str) -> Machine {
    properties::small(&[&[("routing", routing)], &buffers(buffer)[..]].concat())
}

fn offer(machine: &Machine, pattern: &str, load: f64, window: Span) -> TrafficRow {
    sent(machine, pattern, PACKET, load, window)
}

fn sent(machine: &Machine, pattern: &str, bytes: u64, load: f64, window: Span) -> TrafficRow {
    offered(machine, &request(pattern, load, bytes, window, window), Finish::Measured).row
}

/// Fractions of uniform traffic to other groups, and to other switches of the own group.
fn uniform_shares() -> (f64, f64) {
    let others = P * A * G - 1.0;
    ((others + 1.0 - A * P) / others, (A - 1.0) * P / others)
}

/// Behavior of a policy, as far as the bounds are concerned.
#[derive(Clone, Copy, PartialEq, Debug)]
enum RouteClass {
    Minimal,
    Switch,
    Group,
    Adaptive,
}

const POLICIES: [(&str, RouteClass); 14] = [
    ("minimal", RouteClass::Minimal),
    ("min-hash", RouteClass::Minimal),
    ("in-order", RouteClass::Minimal),
    ("valiant", RouteClass::Switch),
    ("nmin-hash", RouteClass::Switch),
    ("valiant-group", RouteClass::Group),
    ("ugal-l", RouteClass::Adaptive),
    ("ugal-g", RouteClass::Adaptive),
    ("par", RouteClass::Adaptive),
    ("slingshot", RouteClass::Adaptive),
    ("adaptive-0", RouteClass::Adaptive),
    ("adaptive-1", RouteClass::Adaptive),
    ("adaptive-2", RouteClass::Adaptive),
    ("adaptive-3", RouteClass::Adaptive),
];

/// The largest load that `route_class` can carry, as a fraction of the injection rate.
fn bound(route_class: RouteClass, pattern: &str) -> f64 {
    let (far, near) = uniform_shares();
    let local_rate = (A - 1.0) / P;
    match (pattern, route_class) {
        ("uniform" | "all-to-all", RouteClass::Minimal | RouteClass::Adaptive) => 1.0,
        ("uniform" | "all-to-all", RouteClass::Switch) => {
            let local = local_rate / (4.0 * (A - 1.0) / A * far + 2.0 * near);
            local.min((G - 1.0) / (2.0 * far * A * P))
        }
        ("uniform" | "all-to-all", RouteClass::Group) => {
            let within = 1.0 - (H - 1.0) / (G - 2.0);
            let local = local_rate / ((2.0 * (A - 1.0) / A + within) * far + 2.0 * near);
            local.min((G - 1.0) / (2.0 * far * A * P))
        }
        ("adversarial:1" | "worst-permutation", RouteClass::Minimal) => 1.0 / (A * P),
        ("adversarial:1" | "worst-permutation", RouteClass::Switch) => (G - 2.0) / (2.0 * A * P),
        ("adversarial:1" | "worst-permutation", RouteClass::Group) => {
            (G - 2.0) / (H * P * (A + 2.0))
        }
        ("adversarial:1" | "worst-permutation", RouteClass::Adaptive) => {
            (1.0 + (G - 2.0) / 2.0) / (A * P)
        }
        ("group-shift:2", RouteClass::Minimal) => 1.0 / P,
        ("group-shift:2", RouteClass::Switch | RouteClass::Group) => (A - 2.0) / (2.0 * P),
        ("group-shift:2", RouteClass::Adaptive) => (1.0 / P + (A - 2.0) / (2.0 * P)).min(1.0),
        ("incast:9", _) => 1.0 / 9.0,
        other => unreachable!("{other:?}"),
    }
}

/// The closed forms against a count: routes of each NIC's packets through the idle machine, with
/// their links counted. This checks the link loads of the derivation without a simulation.
#[test]
fn oblivious_routes_load_links_as_derived() {
    for (name, route_class) in POLICIES {
        if route_class == RouteClass::Adaptive {
            continue;
        }
        let machine = small(name, "64 KiB");
        for pattern in ["uniform", "adversarial:1", "worst-permutation", "group-shift:2"] {
            if name == "in-order" && pattern == "uniform" {
                continue; // One path per receiver, not the mean of many.
            }
            let to = Destinations::parse(pattern, &machine, 3).expect("a pattern");
            let draws = 12_000;
            let mut load = vec![0u64; machine.links.gap.len()];
            let mut path = Vec::new();
            for nic in 0..to.participants() {
                for nth in 0..draws {
                    let random = base::draw(4, 0, nic, nth);
                    machine.walk(NicId(nic), to.to(nic, nth), random, &machine::Idle, &mut path);
                    path.iter().for_each(|&link| load[link.0 as usize] += 1);
                }
            }
            let most = load.iter().max().expect("links");
            let counted = draws as f64 / *most as f64;
            let derived = bound(route_class, pattern);
            println!("{name} {pattern}: counted {counted:.4}, derived {derived:.4}");
            // The busiest of some hundred links exceeds the mean by three deviations of its count.
            let noise = 4.0 / (*most as f64).sqrt();
            assert!(counted <= derived * 1.005, "{name} {pattern}: {counted} above {derived}");
            assert!(counted >= derived * (0.995 - noise), "{name} {pattern}: {counted}, {derived}");
        }
    }
}

const PATTERNS: [&str; 5] =
    ["uniform", "adversarial:1", "worst-permutation", "group-shift:2", "incast:9"];

/// Generated load in the window, and its accepted part, as fractions of the injection rate.
fn accepted_load(name: &str, pattern: &str, offered: f64, window: Span) -> (f64, f64) {
    let machine = small(name, "256 KiB");
    let row = offer(&machine, pattern, offered, window);
    let senders = Destinations::parse(pattern, &machine, 3).expect("a pattern").senders();
    let full = f64::from(senders) * 8e9 * window.seconds();
    ((row.packets * PACKET) as f64 / full, row.accepted)
}

/// Fraction of the bound up to which a policy accepts all load. Adaptive policies choose greedily
/// by what a switch can see, which is not always the best mixture of paths; saturation-bounds.md
/// explains each case.
fn reach(policy: &str, pattern: &str) -> f64 {
    match (policy, pattern) {
        // Without a bias, or with a small one, short-term contention diverts packets to nonminimal
        // paths.
        ("adaptive-0", "uniform") => 0.80,
        ("adaptive-1" | "adaptive-2", "uniform") => 0.92,
        // The source switch sees the queue of the direct link only when the buffers up to it are
        // full. If the direct link is at the source switch itself, that switch sees it before all
        // others.
        ("ugal-l", "adversarial:1") => 0.92,
        ("ugal-l", "worst-permutation") => 0.89,
        ("par", "worst-permutation") => 0.94,
        _ => 0.97,
    }
}

/// Offered 97 % of the theoretical bound, every policy accepts all of it.
#[test]
fn every_policy_carries_what_theory_says() {
    let mut wrong = Vec::new();
    for (name, route_class) in POLICIES {
        for pattern in PATTERNS {
            let (bound, share) = (bound(route_class, pattern), reach(name, pattern));
            let (offered, accepted) = accepted_load(name, pattern, bound * share, Span::us(100));
            println!("{name} {pattern}: {accepted:.4} of {offered:.4}, {share} of {bound:.4}");
            if accepted < 0.985 * offered {
                wrong.push((name, pattern, accepted / bound));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Beyond the bound, no policy accepts more.
#[test]
fn no_policy_carries_more_than_theory_says() {
    let mut wrong = Vec::new();
    for (name, route_class) in POLICIES {
        for pattern in PATTERNS {
            let bound = bound(route_class, pattern);
            if bound * 1.15 > 1.0 {
                continue;
            }
            let accepted = accepted_load(name, pattern, bound * 1.15, Span::us(80)).1;
            println!("{name} {pattern}: {accepted:.4}, {:+.1} %", 100.0 * (accepted / bound - 1.0));
            if accepted > 1.03 * bound {
                wrong.push((name, pattern, accepted / bound));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// An all-to-all offers the same load as uniform traffic.
#[test]
fn all_to_all_saturates_as_uniform_traffic_does() {
    for (name, route_class) in POLICIES {
        if !["minimal", "valiant", "valiant-group", "ugal-l", "slingshot"].contains(&name) {
            continue;
        }
        let bound = bound(route_class, "all-to-all");
        for pattern in ["all-to-all", "random-all-to-all"] {
            let (offered, accepted) = accepted_load(name, pattern, 0.97 * bound, Span::us(100));
            println!("{name}, {pattern}: {accepted:.4} of {offered:.4}, 0.97 of {bound:.4}");
            assert!(accepted >= 0.985 * offered, "{name}, {pattern}: {accepted} of {offered}");
        }
    }
}

/// Five groups of `dragonfly-1056` with n cables between any two. The direct cables carry n / (a p)
/// of adversarial traffic, and those by each of the three other groups half as much. Where every
/// switch has its own cable to each group, UGAL-L does not find this mixture. Packets for the
/// direct cables wait in all local links alike, so all paths look equally full at the source
/// (Jiang, Kim and Dally, ISCA 2009, on local queue information). PAR decides again at the cable.
#[test]
fn parallel_cables_carry_their_sum_where_routing_sees_them() {
    for cables in [2u32, 4, 8] {
        let minimal = f64::from(cables) / (8.0 * 4.0);
        let mixture = minimal * (1.0 + 3.0 / 2.0);
        for name in ["minimal", "ugal-l", "par", "ugal-g", "slingshot"] {
            let cables = cables.to_string();
            let five: &[(&str, &str)] = &[
                ("routing", name),
                ("groups.compute.count", "5"),
                ("global.links.compute.compute", &cables),
            ];
            let all = [five, &buffers("256 KiB")[..]].concat();
            let machine = properties::preset("dragonfly-1056", &all);
            let bound = if name == "minimal" { minimal } else { mixture };
            let [below, above] = [0.95, 1.15].map(|share| {
                offer(&machine, "adversarial:1", share * bound, Span::us(100)).accepted / bound
            });
            println!("{cables}, {name}: {below:.3} of {bound:.4}, {above:.3}");
            assert!(above <= 1.03, "{cables}, {name}: {above} of {bound}");
            match (name, cables.as_str()) {
                // Never less than the direct cables alone, 1 / 2.5 of the bound.
                ("ugal-l", "8") => assert!(0.4 < below && below < 0.7, "{cables}: {below}"),
                ("ugal-l", "4") => assert!(below > 0.8, "{cables}: {below}"),
                // The generated load is at most 2 % off the offered load.
                _ => assert!(below > 0.93, "{cables}, {name}: {below} of {bound}"),
            }
        }
    }
}

/// A random permutation has no closed form, but a count: with one path per pair, the link shared by
/// most pairs sets the bound. Below it all load is accepted, above it not.
#[test]
fn a_random_permutation_is_carried_up_to_its_busiest_link() {
    let machine = small("minimal", "256 KiB");
    let to = Destinations::parse("random-permutation", &machine, 3).expect("a pattern");
    let (mut pairs, mut path) = (vec![0u32; machine.links.gap.len()], Vec::new());
    for nic in 0..to.participants() {
        machine.walk(NicId(nic), to.to(nic, 0), 1, &machine::Idle, &mut path);
        path.iter().for_each(|&link| pairs[link.0 as usize] += 1);
    }
    let bound = 1.0 / f64::from(*pairs.iter().max().expect("links"));
    let row = |share: f64| offer(&machine, "random-permutation", bound * share, Span::us(200));
    let (below, above) = (row(0.97), row(1.15));
    println!(
        "bound {bound}: {} of {} below, {} above",
        below.accepted, below.offered, above.accepted
    );
    assert!(below.accepted > 0.985 * below.offered);
    assert!(above.accepted < 0.97 * above.offered, "{above:?}");
}

/// Mean local and global hops of a packet without contention.
fn hops(route_class: RouteClass, pattern: &str) -> (f64, f64) {
    let (far, near) = uniform_shares();
    // From any switch to a random switch of a group.
    let local = (A - 1.0) / A;
    match (pattern, route_class) {
        ("uniform", RouteClass::Minimal | RouteClass::Adaptive) => (2.0 * local * far + near, far),
        ("uniform", RouteClass::Switch) => (4.0 * local * far + 2.0 * near, 2.0 * far),
        ("uniform", RouteClass::Group) => {
            let within = 1.0 - (H - 1.0) / (G - 2.0);
            ((2.0 * local + within) * far + 2.0 * near, 2.0 * far)
        }
        ("adversarial:1", RouteClass::Minimal | RouteClass::Adaptive) => (2.0 * local, 1.0),
        ("adversarial:1", RouteClass::Switch) => (4.0 * local, 2.0),
        // The links to two neighboring groups are on neighboring switches.
        ("adversarial:1", RouteClass::Group) => (2.0 * local + 1.0, 2.0),
        ("group-shift:2", RouteClass::Minimal | RouteClass::Adaptive) => (1.0, 0.0),
        ("group-shift:2", RouteClass::Switch | RouteClass::Group) => (2.0, 0.0),
        other => unreachable!("{other:?}"),
    }
}

/// At very low load, the mean latency is the sum of the parts of the mean path.
#[test]
fn zero_load_latency_is_the_sum_of_the_hops() {
    for (name, route_class) in POLICIES {
        let machine = small(name, "64 KiB");
        for pattern in ["uniform", "adversarial:1", "group-shift:2"] {
            let (local, global) = hops(route_class, pattern);
            // NICs 2 x 10, injection 10 with its switch, ejection 5, 512 B at 8 GB/s; a local hop
            // 10 ns and a global one 100 ns, each with its switch.
            let want = 20.0 + 15.0 + 64.0 + 10.0 * local + 100.0 * global;
            let row = offer(&machine, pattern, 0.004, Span::us(400));
            let got = row.latency_mean_s * 1e9;
            println!("{name} {pattern}: {got:.1} ns, theory {want:.1}");
            assert!((got / want - 1.0).abs() < 0.03, "{name} {pattern}: {got} ns, theory {want}");
        }
    }
}

/// Under moderate adversarial load, the information of a policy decides. UGAL-G sees the queue of
/// the direct link from anywhere, PAR when the packet is there. UGAL-L sees it only once it has
/// filled the buffers up to the source: Jiang, Kim and Dally (ISCA 2009), Figure 7. Slingshot
/// switches use reports of their neighbors.
#[test]
fn better_load_information_lowers_latency() {
    for load in [0.2, 0.3, 0.4] {
        let mean = |name: &str| {
            let machine = small(name, "64 KiB");
            let row = sent(&machine, "adversarial:1", 2048, load, Span::us(150));
            assert!((row.accepted / load - 1.0).abs() < 0.03, "{name}: {row:?}");
            row.latency_mean_s * 1e6
        };
        let [global, par, local, slingshot] = ["ugal-g", "par", "ugal-l", "slingshot"].map(mean);
        println!("{load}: {global:.2} {par:.2} {local:.2}, slingshot {slingshot:.2} us");
        assert!(global < par && par < local, "{load}: {global} {par} {local}");
        assert!(slingshot < local, "{load}: {slingshot} {local}");
    }
}
