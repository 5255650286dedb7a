//! Names and addresses of every preset, in both directions.

use control::{Component, Mac, Names, Wiring};
use machine::{MachineSpec, NicId, NodeId, PRESETS, SwitchId, preset};

fn machine(name: &str) -> machine::Machine {
    let spec = MachineSpec::parse(name, preset(name).expect("a preset"), &[]).expect("legal");
    spec.resolve().expect("sound")
}

/// Every 97th component of each kind, and the first and last ones.
fn sample(n: usize) -> impl Iterator<Item = u32> {
    (0..n as u32).filter(move |at| at.is_multiple_of(97) || *at + 1 == n as u32)
}

#[test]
fn xnames_and_addresses_name_one_component_each() {
    for &name in PRESETS {
        let machine = machine(name);
        let wiring = Wiring::new(&machine);
        let names = Names::new(&machine, &wiring);
        let same = |component: Component| {
            let text = names.write(&machine, &wiring, component);
            assert_eq!(names.parse(&machine, &wiring, &text), Some(component), "{name}: {text}");
        };
        sample(wiring.n_switches()).for_each(|at| same(Component::Switch(SwitchId(at))));
        sample(machine.n_nics() as usize).for_each(|at| same(Component::Nic(NicId(at))));
        let nodes = machine.node_nics.len() - 1;
        sample(nodes).for_each(|at| same(Component::Node(NodeId(at))));
        for port in wiring.ports.ids() {
            let mac = names.mac(&wiring, port);
            assert_eq!(Mac::parse(&mac.to_string()), Some(mac));
            assert_eq!(names.port_of_mac(&wiring, mac), Some(port), "{name}: {mac}");
            if port.0.is_multiple_of(97) {
                same(Component::Port(port));
            }
        }
    }
}

/// All switches have different names, on every preset.
#[test]
fn names_of_switches_differ() {
    for &name in PRESETS {
        let machine = machine(name);
        let wiring = Wiring::new(&machine);
        let names = Names::new(&machine, &wiring);
        let switches = (0..wiring.n_switches() as u32).map(SwitchId);
        let mut all: Vec<String> = switches.map(|switch| names.switch(switch)).collect();
        let n = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), n, "{name}");
    }
}

/// Aurora has 241,428 fabric ports, of which its switches use one less than reserved within a group
/// (5,600), and 87,404 edge ports (Aurora paper).
#[test]
fn aurora_has_the_published_ports() {
    let machine = machine("aurora");
    let wiring = Wiring::new(&machine);
    let edges = wiring.ports.ids().filter(|&port| wiring.is_edge(port)).count();
    assert_eq!(edges, 87_404);
    assert_eq!(wiring.ports.len() - edges, 241_428 - 5_600);
}

/// shs-docs, concepts: 02:00:00:04:aa:f2 is group 149, switch 11, port 50.
#[test]
fn the_address_of_the_guide() {
    let machine = machine("aurora");
    let wiring = Wiring::new(&machine);
    let names = Names::new(&machine, &wiring);
    let mac = Mac::parse("02:00:00:04:aa:f2").expect("an address");
    let port = names.port_of_mac(&wiring, mac).expect("Aurora has it");
    assert!(wiring.is_edge(port));
    assert_eq!(wiring.ports[port].switch.0, 149 * 32 + 11);
    assert_eq!(wiring.ports[port].number, 50);
}

#[test]
fn wrong_names_name_nothing() {
    let machine = machine("aurora");
    let wiring = Wiring::new(&machine);
    let names = Names::new(&machine, &wiring);
    for text in [
        "",
        "x",
        "x4000",
        "x4000c0r2",
        "x4000c8r1",
        "x04000c0r1",
        "x4000c0r1j0p0",
        "x4000c0r1j1p2",
        "x4000c0r1a1l0",
        "x4000c0s0b0n0h8",
        "x4000c0s9b0n0",
        "é1",
        "x4000c0r1j99999999p0",
    ] {
        assert_eq!(names.parse(&machine, &wiring, text), None, "{text}");
    }
    for text in
        ["", "02:00:00:04:aa", "02:00:00:04:aa:g2", "04:00:00:04:aa:f2", "+2:00:00:04:aa:f2"]
    {
        let port = Mac::parse(text).and_then(|mac| names.port_of_mac(&wiring, mac));
        assert_eq!(port, None, "{text}");
    }
}

/// Both files have each link of a machine: a link between switches once in the point-to-point file,
/// and once per end in the template.
#[test]
fn cabling_files_are_read_back() {
    for name in ["frontier", "lumi-c", "spock", "cascade-3k", "dragonfly-1056"] {
        let machine = machine(name);
        let wiring = Wiring::new(&machine);
        let names = Names::new(&machine, &wiring);
        let text = control::point_to_point(&machine, &wiring, &names);
        let mut rows = control::read_point_to_point(&text).expect("our own file");
        assert_eq!(rows.len(), wiring.cables.len(), "{name}");
        let same = control::differences(&machine, &wiring, &names, &rows);
        let empty = serde_json::json!({ "missing": [], "extra": [], "changed": [] });
        assert_eq!(same, empty, "{name}");
        let moved = rows.pop().expect("a link").destination;
        rows[0].destination = moved;
        let changed = control::differences(&machine, &wiring, &names, &rows);
        let count = |key: &str| changed[key].as_array().map_or(0, Vec::len);
        assert_eq!((count("missing"), count("extra")), (2, 1), "{name}");
        if wiring.n_switches() > 1_000 {
            continue; // The template of a large machine takes seconds.
        }
        let template = control::fabric_template(&machine, &wiring, &names).to_string();
        let ends = control::read_template(&template).expect("our own file");
        let edges = machine.n_nics() as usize;
        assert_eq!(ends.len(), 2 * (wiring.cables.len() - edges) + edges, "{name}");
    }
    for wrong in ["", "a,b\n1,2\n", "src_conn_a,dst_conn_a,link_type\n,x,y\n"] {
        assert!(control::read_point_to_point(wrong).is_err(), "{wrong}");
    }
    for wrong in ["", "{}", r#"{"switches": [{"edgePorts": [{}]}]}"#] {
        assert!(control::read_template(wrong).is_err(), "{wrong}");
    }
}

/// Also of machines whose groups are larger than the addresses of guides allow.
#[test]
fn addresses_of_nics_differ() {
    for &name in PRESETS {
        let machine = machine(name);
        let wiring = Wiring::new(&machine);
        let names = Names::new(&machine, &wiring);
        let text = control::arp_table(&machine, &wiring, &names);
        for column in 0..3 {
            let mut all: Vec<&str> =
                text.lines().map(|line| line.split(' ').nth(column).expect("a column")).collect();
            let n = all.len();
            all.sort_unstable();
            all.dedup();
            assert_eq!((all.len(), n), (machine.n_nics() as usize, n), "{name}: column {column}");
        }
    }
}
