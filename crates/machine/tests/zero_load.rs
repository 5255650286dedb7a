//! A single message: published latencies and rates, and the closed form.

#![allow(clippy::disallowed_macros)] // prints what it checks

use base::Span;
use machine::{Idle, Machine, MachineSpec, NicId, Routing, preset};

fn build(name: &str, set: &[(&str, &str)]) -> Machine {
    let set: Vec<_> = set.iter().map(|&(k, v)| (k.to_string(), v.to_string())).collect();
    let text = preset(name).expect("a preset");
    MachineSpec::parse(name, text, &set).and_then(|s| s.resolve()).expect("a sound preset")
}

/// A NIC reached from NIC 0 over this many hops between switches.
fn at_hops(m: &Machine, hops: usize) -> NicId {
    let mut path = Vec::new();
    let reached = |&dst: &NicId| {
        m.walk(NicId(0), dst, 0, &Idle, &mut path);
        path.len() == hops + 2
    };
    (1..m.n_nics()).map(NicId).find(reached).expect("some NIC is that far")
}

/// slingshot.md, section 4: 1.25 us and 0.35 us per switch, and MPICH's own constants: 1.60 us
/// through one switch, 1.95 through two of a group, 2.80 between groups.
#[test]
fn eight_bytes_take_the_published_time_over_slingshot() {
    for name in ["aurora", "frontier", "lumi-g"] {
        let m = build(name, &[]);
        let far = m.summary().zero_load_latency_s;
        for (ours, us) in [(far.same_switch, 1.60), (far.same_group, 1.95), (far.other_group, 2.80)]
        {
            let ours = ours.expect("has such pairs") * 1e6;
            println!("{name}: 8 B in {ours:.3} us, published {us}");
            assert!((ours / us - 1.0).abs() < 0.05, "{name}: {ours} us, published {us}");
        }
    }
}

#[test]
fn the_dma_step_and_the_full_rate_match() {
    let m = build("aurora", &[]);
    let dst = at_hops(&m, 1);
    let (small, large) = (m.zero_load(NicId(0), dst, 64), m.zero_load(NicId(0), dst, 128));
    // LCX: 1.63 us at 64 B and 2.22 at 128 B, between two NICs on one switch.
    let step = (large - small).seconds() * 1e6;
    assert!((step - 0.59).abs() < 0.01, "{step} us");
    let bytes = 4 << 20;
    let rate = bytes as f64 / m.zero_load(NicId(0), dst, bytes).seconds() * 1e-9;
    println!("aurora: 4 MiB at {rate:.2} GB/s");
    // The Aurora paper, 5.1: 90 GB/s through four NICs from the host, 23 through one from GPUs.
    assert!((22.2..=23.0).contains(&rate), "{rate} GB/s");
}

/// shs-libcxi's cxi_{send,write,read}_lat from 128 B to 1 KiB: 0.21, 0.17 and 0.16 us. The NIC
/// holds a whole packet before it sends it, and before it writes it.
#[test]
fn the_bytes_of_one_packet_count_at_both_ends() {
    let m = build("aurora", &[]);
    let dst = at_hops(&m, 0);
    let us = |bytes| m.zero_load(NicId(0), dst, bytes).seconds() * 1e6;
    let rise = us(1024) - us(128);
    assert!((0.16..=0.21).contains(&rise), "{rise} us");
    // With several packets only the first and the last count; the others overlap.
    let (whole, long) = (us(2048) - us(128), us(64 << 10) - us(60 << 10));
    assert!((long / 4096.0 - 1.0 / 22.6e3).abs() < 0.01 / 22.6e3, "{long} us");
    assert!(whole / 1920.0 > 4.0 * long / 4096.0, "{whole} and {long} us");
}

/// docs/models/aries.md: 0.8 us for a Put of 8 B, 100 ns per hop, 10 GB/s from one NIC where no
/// single link binds, 5.25 GB/s on the wire where one does.
#[test]
fn a_put_takes_the_published_time_over_aries() {
    let m = build("cascade-3k", &[("routing", "minimal")]);
    let near = m.zero_load(NicId(0), at_hops(&m, 0), 8).seconds() * 1e6;
    println!("cascade-3k: 8 B in {near:.3} us through one router");
    assert!((near - 0.8).abs() < 0.005, "{near} us");
    let mut path = Vec::new();
    for hops in 1..=5 {
        let dst = at_hops(&m, hops);
        m.walk(NicId(0), dst, 0, &Idle, &mut path);
        let latency: Span = path[1..path.len() - 1].iter().map(|&l| m.links.latency[l]).sum();
        assert_eq!(latency, Span::ns(100 * hops as u64));
    }
    let bytes = 4 << 20;
    let rate = |hops| {
        let dst = at_hops(&m, hops);
        bytes as f64 / m.zero_load(NicId(0), dst, bytes).seconds() * 1e-9
    };
    let (same_blade, one_green) = (rate(0), rate(1));
    println!("cascade-3k: 4 MiB at {same_blade:.2} GB/s on a blade, {one_green:.2} over one link");
    assert!((same_blade - 10.0).abs() < 0.05);
    // One way: the responses use the other direction.
    assert!((one_green - 5.25 * 64.0 / 88.0).abs() < 0.05);
}

/// The sum by hand, for a message of two full packets and a partial one.
#[test]
fn the_closed_form_is_the_stated_sum() {
    let m = build("dragonfly-1056", &[("routing", "minimal")]);
    let dst = at_hops(&m, 3);
    // NIC 10; injection 10, local 10, global 100, local 10, ejection 5; 2 x 256 and 1 B; NIC 10.
    let want = Span::ns(10 + 10 + 10 + 100 + 10 + 5 + 512 + 10) + Span::ps(125);
    assert_eq!(m.zero_load(NicId(0), dst, 4097), want);
    // Headers only, which have no bytes here.
    assert_eq!(m.zero_load(NicId(0), dst, 0), Span::ns(155));
}

/// Without load an adaptive route is minimal: the same links for the same draw.
#[test]
fn no_load_makes_every_adaptive_policy_minimal() {
    for name in ["aurora", "cascade-3k", "dragonfly-1056"] {
        let minimal = build(name, &[("routing", "minimal")]);
        let mut met = 0;
        for &word in Routing::NAMES {
            let m = build(name, &[("routing", word)]);
            if !m.routing.is_adaptive() {
                continue;
            }
            met += 1;
            let (mut one, mut other) = (Vec::new(), Vec::new());
            for draw in 0..2_000u64 {
                let r = base::draw(5, 0, 0, draw);
                let n = m.n_nics();
                let src = NicId(base::below(r, n));
                let dst = NicId((src.0 + 1 + base::below(r << 32, n - 1)) % n);
                minimal.walk(src, dst, r, &Idle, &mut one);
                assert!(m.walk(src, dst, r, &Idle, &mut other).is_minimal());
                assert_eq!(one, other, "{name}, {word}: {src:?} to {dst:?}, draw {r}");
            }
        }
        assert_eq!(met, 10, "adaptive policies and their other names");
    }
}
