//! Every structure fact that the papers print about these machines, compared with the machine
//! files. Facts are matched by id; one that is neither checked nor excused fails the test.

#![allow(clippy::disallowed_macros)] // prints what it checks

use std::collections::BTreeMap;

use machine::{Idle, InputError, LinkEnd, LinkKind, Machine, MachineSpec, NicId, SwitchId, preset};
use toml::{Table, Value};

/// Facts that no machine file can express, with the reason.
const EXCUSED: &[(&str, &str)] = &[
    ("S0.gpu.xecores", "inside a GPU"),
    ("S0.t1.ddr_cap", "memory capacity"),
    ("S0.t1.hbm_cap", "memory capacity"),
    ("S0.fab.global_text", "the paper's text contradicts its Table 1, which arithmetic supports"),
    ("S0.mon.comp", "what a monitoring system counts"),
    ("S1.ior6.size", "a file's size"),
    ("S3.au.bw", "digits swapped in the talk: 2.12, which S0.t1.inj checks"),
    ("S3.au.vram", "memory capacity"),
    ("S3.au512.vram", "memory capacity"),
    ("S3.au1024.vram", "memory capacity"),
    ("S3.au2048.vram", "memory capacity"),
    ("S3.tag", "the MPI library's"),
];

fn try_build(name: &str, set: &[(&str, &str)]) -> Result<Machine, Vec<InputError>> {
    let set: Vec<_> = set.iter().map(|&(k, v)| (k.to_string(), v.to_string())).collect();
    MachineSpec::parse(name, preset(name).expect("a preset"), &set)?.resolve()
}

fn build(name: &str, set: &[(&str, &str)]) -> Machine {
    try_build(name, set).unwrap_or_else(|c| panic!("{name} {set:?}: {c:#?}"))
}

/// Cascade with any number of groups.
fn cascade(groups: u32) -> Machine {
    build("cascade-24k", &[("groups.compute.count", &groups.to_string())])
}

struct Facts {
    by_id: BTreeMap<String, Table>,
    checked: BTreeMap<String, f64>,
}

impl Facts {
    fn read() -> Facts {
        let file: Table = include_str!("../../../testdata/published.toml").parse().expect("TOML");
        let Value::Array(facts) = &file["fact"] else { panic!("a list of facts") };
        let by_id = facts.iter().map(|fact| {
            let fact = fact.as_table().expect("a table").clone();
            (fact["id"].as_str().expect("an id").to_string(), fact)
        });
        Facts { by_id: by_id.collect(), checked: BTreeMap::new() }
    }

    /// Checks our number, in the fact's unit: equal to a printed whole number, beyond a printed
    /// `>n`, else equal to the last printed digit.
    fn check(&mut self, id: &str, ours: f64) {
        let fact = self.by_id.get(id).unwrap_or_else(|| panic!("no fact {id}"));
        let (ok, printed) = match &fact["value"] {
            Value::Integer(n) => (ours == *n as f64, n.to_string()),
            Value::Float(x) => {
                let printed = format!("{x}");
                let digits = printed.split('.').nth(1).map_or(0, str::len) as i32;
                ((ours - x).abs() <= 0.5 * 10f64.powi(-digits) + 1e-9, printed)
            }
            Value::String(text) => {
                let bound = text.strip_prefix('>').unwrap_or_else(|| panic!("{id}: {text}"));
                let bound: f64 = bound.replace(',', "").parse().expect("a number");
                (ours > bound, text.clone())
            }
            other => panic!("{id}: {other}"),
        };
        let unit = fact["unit"].as_str().unwrap_or("");
        let what = fact["what"].as_str().unwrap_or("");
        println!("{id}: {what}: published {printed}, ours {ours} {unit}");
        assert!(ok, "{id}: {what}: published {printed}, ours {ours} {unit}");
        self.checked.insert(id.into(), ours);
    }

    /// A fact that is a formula or an approximate number; `holds` is the result of the comparison.
    fn check_that(&mut self, id: &str, ours: f64, holds: bool) {
        let fact = self.by_id.get(id).unwrap_or_else(|| panic!("no fact {id}"));
        let (what, value) = (fact["what"].as_str().unwrap_or(""), &fact["value"]);
        println!("{id}: {what}: published {value}, ours {ours}");
        assert!(holds, "{id}: {what}: published {value}, ours {ours}");
        self.checked.insert(id.into(), ours);
    }
}

#[test]
fn every_structure_fact_of_the_papers_holds() {
    let mut facts = Facts::read();
    aurora(&mut facts);
    cascade_counts(&mut facts);
    cascade_bandwidth(&mut facts);
    let structure = |(id, fact): (&String, &Table)| {
        (fact["kind"].as_str() == Some("structure")).then(|| id.clone())
    };
    let ids: Vec<String> = facts.by_id.iter().filter_map(structure).collect();
    for id in &ids {
        match EXCUSED.iter().find(|(excused, _)| excused == id) {
            Some((_, why)) => println!("{id}: not checked: {why}"),
            None => assert!(facts.checked.contains_key(id), "{id} is not checked"),
        }
    }
    println!("{} facts checked, {} of them structure", facts.checked.len(), {
        ids.iter().filter(|id| facts.checked.contains_key(*id)).count()
    });
}

fn aurora(facts: &mut Facts) {
    let m = build("aurora", &[]);
    let s = m.summary();
    let peta = 1e-15;
    for id in
        ["S0.abs.nodes_gt", "S0.sys.nodes", "S0.t1.nodes", "S1.cl.aurora.nodes", "S3.au.nodes"]
    {
        facts.check(id, s.nodes.into());
    }
    // "Nearly 85,000".
    let nearly = (f64::from(s.endpoints) / 1e3).round() * 1e3;
    facts.check_that("S0.abs.nics", s.endpoints.into(), nearly == 85_000.0);
    facts.check("S0.intro.nics", s.endpoints.into());
    facts.check("S0.abs.switches", s.switches.into());
    for id in ["S0.intro.gpus", "S0.t1.gpus", "S1.au.gpu"] {
        facts.check(id, s.gpus as f64);
    }
    for id in ["S0.intro.cpus", "S0.t1.cpus", "S1.au.cpu"] {
        facts.check(id, s.cpus as f64);
    }
    facts.check("S3.au.tiles", s.gpu_tiles as f64);
    // Approximate, fabric and edge together: to one digit.
    let links = (s.links + s.edge_ports) as f64;
    facts.check_that("S0.intro.links", links, (links / 1e5).round() == 2.0);
    for id in ["S0.t1.inj", "S0.fab.inj", "S1.top.inj"] {
        facts.check(id, s.injection_B_per_s * peta);
    }
    facts.check("S0.t1.global", s.global_B_per_s * peta);
    for id in ["S0.fab.bisection", "S1.top.bis"] {
        facts.check(id, s.bisection_B_per_s * peta);
    }
    for id in ["S0.fab.endpoints", "S1.au.ep"] {
        facts.check(id, s.endpoints.into());
    }
    let compute = s.groups_by_kind["compute"];
    facts.check("S0.fab.ep_per_group", f64::from(s.endpoints / compute));
    facts.check("S1.au.cab", compute.into()); // a cabinet is a group
    facts.check("S0.fab.groups_compute", compute.into());
    facts.check("S0.fab.groups_storage", s.groups_by_kind["daos"].into());
    facts.check("S0.fab.groups_service", s.groups_by_kind["service"].into());
    facts.check("S1.top.groups", s.groups.into());
    facts.check("S0.node.nics", s.nics_per_node.into());
    let global = m.links.gap.raw.last().expect("global links come last").bytes_per_s();
    facts.check("S0.fab.cable_bw", (f64::from(m.links_per_cable) * global * 1e-9).round());
    facts.check("S0.fab.hops_min", s.hops_max.into());
    facts.check("S0.fab.ports_total", (s.fabric_ports + s.edge_ports) as f64);
    facts.check("S0.fab.ports_fabric", s.fabric_ports as f64);
    facts.check("S0.fab.ports_edge", s.edge_ports as f64);
    // Not a fact of the list, but the sum that it comes from.
    assert_eq!(s.links, 175 * 496 + 27_390 + 2_988 + 672 + 64);

    // Inputs of the machine file, recomputed from the resolved machine.
    let mut ends = vec![0u32; m.n_switches() as usize];
    for (_, &switch) in m.nic_switch.iter() {
        ends[switch.0 as usize] += 1;
    }
    for (switch, &n) in ends[..166 * 32].iter().enumerate() {
        assert_eq!(n, 16, "endpoints of switch {switch}");
    }
    facts.check("S0.fab.ep_per_switch", ends[0].into());
    facts.check("S0.fab.sw_per_group", f64::from(s.switches / s.groups));
    let between = |a: u32, b: u32| {
        let of = |end: LinkEnd| match end {
            LinkEnd::Switch(switch) => m.switch_group[switch].0,
            LinkEnd::Nic(_) => u32::MAX,
        };
        let ids = m.links.kind.iter().filter(|&(_, &kind)| kind == LinkKind::Global);
        ids.filter(|&(id, _)| (of(m.links.from[id]), of(m.links.to[id])) == (a, b)).count() as f64
    };
    facts.check("S0.fab.links_cc", between(3, 165));
    for other in 166..175 {
        facts.check("S0.fab.links_cn", between(7, other));
    }
    facts.check("S0.fab.links_dd", between(166, 173));
    let local = |link: &machine::LinkId| {
        (m.links.from[*link], m.links.to[*link])
            == (LinkEnd::Switch(SwitchId(3)), LinkEnd::Switch(SwitchId(9)))
    };
    facts.check("S0.fab.local_links", m.links.to.ids().filter(local).count() as f64);
}

fn cascade_counts(facts: &mut Facts) {
    let m = cascade(8);
    let (s, kind) = (m.summary(), &m.kinds[0]);
    let blue_ports = kind.global_ports.expect("given");
    facts.check("S4.net_tiles", f64::from(kind.local_ports + blue_ports));
    facts.check("S4.nodes_blade", f64::from(kind.nodes / kind.switches));
    facts.check("S4.blades", f64::from(kind.switches / kind.chassis));
    // A cabinet is three chassis, S4.chassis_cab.
    facts.check("S4.nodes_cab", f64::from(kind.nodes / kind.chassis * 3));
    facts.check("S4.nodes_group", f64::from(s.nodes / s.groups));
    facts.check("S4.blue", blue_ports.into());
    facts.check("S4.blue_group", f64::from(kind.switches * blue_ports));
    facts.check("S4.blue_cable", m.links_per_cable.into());
    facts.check("S4.cables_group", f64::from(kind.switches * blue_ports / m.links_per_cable));
    facts.check("S4.f9n", s.nodes.into());
    // Links from switch 0 to the same slot of the next chassis.
    let black = |link: &machine::LinkId| {
        let ends = (m.links.from[*link], m.links.to[*link]);
        ends == (LinkEnd::Switch(SwitchId(0)), LinkEnd::Switch(SwitchId(16)))
    };
    facts.check("S4.black", m.links.to.ids().filter(black).count() as f64);
    // Three lanes per link; 8 bits per byte.
    let lane = |kind: LinkKind| {
        let link = m.links.kind.ids().find(|&l| m.links.kind[l] == kind).expect("has some");
        m.links.gap[link].bytes_per_s() * 8.0 / 3.0 * 1e-9
    };
    facts.check("S4.green_rate", (lane(LinkKind::Local) * 1e3).round() * 1e-3);
    assert!((lane(LinkKind::LocalBlack) - 14.0).abs() < 1e-3);
    assert!((lane(LinkKind::Global) - 12.5).abs() < 1e-3, "S4.blue_cable, its conditions");

    let largest = cascade(241);
    facts.check("S4.max_groups", largest.n_groups.into());
    facts.check("S4.max_nodes", largest.compute_nodes.into());
    let one_more = try_build("cascade-24k", &[("groups.compute.count", "242")]);
    assert_eq!(one_more.expect_err("no ports are left")[0].at, "groups.compute.count");

    // Six groups in bundles of 12 cables: 60 of a group's 240.
    let set = [("groups.compute.count", "6"), ("global.links.compute.compute", "48")];
    let six = build("cascade-24k", &set).summary();
    assert_eq!(six.global_cables * 2 / 6, 60);
    facts.check("S4.ex_cables", six.global_cables as f64 / (6.0 * 5.0 / 2.0));

    for groups in [2u64, 3, 6, 8, 16, 61, 64, 100, 241] {
        let ours = cascade(groups as u32).summary().global_cables;
        let formula = 240 / (groups - 1) * (groups - 1) * groups / 2;
        facts.check_that("S4.formula.cables", ours as f64, ours == formula);
    }
}

fn cascade_bandwidth(facts: &mut Facts) {
    let giga = 1e-9;
    let m = cascade(241); // all 240 cables of a group are used
    let s = m.summary();
    let raw = s.global_B_per_s / f64::from(s.nodes) * giga;
    facts.check("S4.p.glob", raw);
    let packet = m.nic.packet_payload as f64;
    // A property test asserts that a run gives it (crates/properties/tests/aries.rs).
    let headers = m.nic.packet_overhead + m.nic.response;
    let efficiency = packet / (packet + headers as f64);
    facts.check("S4.p.eff", efficiency * 100.0);
    facts.check("S4.p.globp", raw * efficiency);
    facts.check("S4.p.bis", s.bisection_B_per_s / s.global_B_per_s);
    facts.check("S4.p.pay", (m.nic.host_gap_one_way.bytes_per_s() * giga * 1e6).round() * 1e-6);
    facts.check("S4.p.sym", m.nic.host_gap.bytes_per_s() / 2.0 * giga);
    facts.check("S4.p.outst", m.nic.window.into());

    // The longest minimal route: five hops between routers.
    let mut path = Vec::new();
    let (src, first) = (NicId(0), m.nic_switch[NicId(0)]);
    let far = (0..m.n_nics()).map(NicId).filter(|&dst| m.nic_switch[dst] != first);
    let ns = far.map(|dst| {
        m.walk(src, dst, 0, &Idle, &mut path);
        let hops = &path[1..path.len() - 1];
        for &hop in hops {
            let ns = m.links.latency[hop].seconds() * 1e9;
            assert!((ns - 100.0).abs() < 1e-6, "S4.p.hop: {ns} ns");
        }
        hops.iter().map(|&hop| m.links.latency[hop].0).sum::<u64>() / 1_000
    });
    let longest = ns.max().expect("there are other switches");
    facts.check("S4.p.maxhop", longest as f64);
    facts.check("S4.p.hop", longest as f64 / f64::from(s.hops_max));

    // G/(2(G-1)) * L * links per group * G, counting the links in use, both ways. An odd number of
    // groups is cut into unequal halves, which lose one part in G squared.
    for groups in [6, 8, 16, 64, 241] {
        let s = cascade(groups).summary();
        let g = f64::from(groups);
        let in_use = (240.0 / (g - 1.0)).floor() * (g - 1.0) * 4.0;
        let formula = g / (2.0 * (g - 1.0)) * 4.6875e9 * in_use * g;
        let lost = if groups % 2 == 1 { 1.0 / (g * g) } else { 0.0 };
        let exact = (s.bisection_B_per_s / formula / (1.0 - lost) - 1.0).abs() < 1e-6;
        facts.check_that("S4.formula.bis", s.bisection_B_per_s, exact);
    }
}
