//! Machine files: all errors of a wrong file are reported at once, in the terms of the file, and
//! the shipped files are valid.

use machine::{
    InputError, LinkEnd, LinkKind, Machine, MachineSpec, PRESETS, Routing, SwitchId, preset,
    reference,
};

fn try_build(name: &str, set: &[(&str, &str)]) -> Result<Machine, Vec<InputError>> {
    let set: Vec<_> = set.iter().map(|&(k, v)| (k.to_string(), v.to_string())).collect();
    MachineSpec::parse(name, preset(name).expect("a preset"), &set)?.resolve()
}

fn refused(name: &str, set: &[(&str, &str)]) -> Vec<String> {
    let input_errors = try_build(name, set).expect_err("should be refused");
    input_errors.iter().map(InputError::to_string).collect()
}

#[test]
fn every_preset_resolves_and_has_a_source() {
    for name in PRESETS {
        let text = preset(name).expect("listed");
        let spec = MachineSpec::parse(name, text, &[]).unwrap_or_else(|c| panic!("{name}: {c:#?}"));
        let m = spec.resolve().unwrap_or_else(|c| panic!("{name}: {c:#?}"));
        assert!(!spec.text("about").is_empty() && !spec.text("source").is_empty(), "{name}");
        assert_eq!(m.name, *name);
    }
    assert!(preset("nowhere").is_none());
}

#[test]
fn a_wrong_key_gets_the_nearest_legal_one_as_a_suggestion() {
    for (set, want) in [
        (("links.global.speed", "1"), "did you mean `links.global.rate`?"),
        (("link.local.rate", "25 GB/s"), "did you mean `links.local.rate`?"),
        (("groups.compute.node", "3"), "did you mean `groups.compute.nodes`?"),
        (("global.links.compute.doas", "2"), "did you mean `global.links.compute.daos`?"),
        (("groups.computer.nodes", "3"), "did you mean `groups.compute.nodes`?"),
        (("rooting", "ugal"), "did you mean `routing`?"),
        (("routing", "minmal"), "did you mean `minimal`?"),
    ] {
        let errors = refused("aurora", &[set]);
        assert!(
            errors.iter().any(|c| c.starts_with(set.0) && c.ends_with(want)),
            "{set:?}: {errors:?}"
        );
    }
}

#[test]
fn an_error_shows_the_value_and_what_is_legal() {
    for (set, want) in [
        (("links.global.rate", "25 GB"), "did you mean `25 GB/s`?"),
        (("links.global.rate", "25"), "did you mean `25 Gbit/s` or `25 GB/s`?"),
        (("links.global.rate", "0 GB/s"), "found `0 GB/s`, expected a rate"),
        (("switch.latency", "350 ms/s"), "did you mean `350 ms`?"),
        (("switch.latency", "1e9 s"), "expected a time"),
        (("links.local.buffer", "128 kib"), "did you mean `128 KiB`?"),
        (("links.local.buffer", "4 KiB"), "from 8528 B (a packet of 2132 B on each of 4 virtual"),
        (("groups.compute.count", "0"), "a whole number from 1 to 65000"),
        (("groups.compute.count", "many"), "a whole number from 1 to 65000"),
        (("groups.compute.count", "-1"), "a whole number from 1 to 65000"),
        (("groups.compute", "3"), "groups.compute: found `3`"),
        (("groups.compute.chassis", "5"), "a divisor of its 32 switches"),
        (("groups.compute.spread", "[0, 1]"), "one number for each of 8 NICs"),
        (("groups.compute.spread", "[0, 1, 2, 0, 1, 2, 0, 4]"), "n a divisor of 32"),
        (("groups.compute.local_ports", "30"), "at least the 31 local links of a switch"),
        (("groups.compute.local_links", "0"), "at least 1"),
        (("global.links.compute.compute", "0"), "global.links.compute.compute: found `0`"),
        (("global.links.compute.compute", "3"), "whole cables of 2 links"),
        (("global.links.compute.compute", "full"), "machines with one kind of group"),
        (("global.links.daos.compute", "2"), "not both"),
        (("global.links.compute.compute", "20"), "switch.ports: found `64`, expected at least"),
        (("groups.compute.count", "60000"), "at most 4096 groups"),
        (("groups.compute.nodes", "1000000"), "links, one way"),
        (("groups.compute.role", "service"), "at least one node"),
        (("node.core_speed", "0"), "a number from 0.001 to 1000"),
        (("node.mpi_speed", "1001"), "a number from 0.001 to 1000"),
        (("node.mpi_speed", "1e-4"), "a number from 0.001 to 1000"),
        (("nic.packet_payload", "0 B"), "from 1 B"),
        (("nic.packet_payload", "64 KiB"), "from 1 B to 65451 B: a packet has at most 65535 B"),
        (("nic.packet_overhead", "1 MB"), "less than the 65535 B that a packet may have"),
        (("nic.response", "12 B"), "nic.multipacket_message: found `17.00 ns`"),
        (("nic.multipacket_message", "101 us"), "at most 100"),
        (("nic.command_gap", "101 us"), "at most 100"),
        (("nic.received_message", "101 us"), "at most 100"),
        (("switch..latency", "1 ns"), "a dotted key"),
        (("routing.kind", "ugal"), "`routing` to be a table"),
    ] {
        let errors = refused("aurora", &[set]);
        assert!(errors.iter().any(|c| c.contains(want)), "{set:?}: {errors:#?}");
    }
    // The resource that it would occupy has no limit on this machine.
    let errors = refused("dragonfly-1056", &[("nic.multipacket_message", "17 ns")]);
    assert!(errors.len() == 1 && errors[0].contains("nic.host_rate"), "{errors:#?}");
}

/// A flat group has 4 x 4 pairs of switches across the halves, with a link of 8 GB/s each way.
/// Cascade's group has three chassis on either side, whose 16 slots have three links of 5.25 GB/s
/// each way from chassis to chassis. With two groups only the link between them counts.
#[test]
fn a_single_group_is_bisected_between_its_switches() {
    for (name, set, want) in [
        ("dragonfly-1056", &[("groups.compute.count", "1")][..], 4.0 * 4.0 * 2.0 * 8e9),
        ("cascade-24k", &[("groups.compute.count", "1")], 3.0 * 3.0 * 16.0 * 3.0 * 2.0 * 5.25e9),
        ("dragonfly-1056", &[("groups.compute.count", "2")], 2.0 * 8e9),
    ] {
        let found = try_build(name, set).expect("legal").summary().bisection_B_per_s;
        assert!((found / want - 1.0).abs() < 1e-6, "{name} {set:?}: {found:e}, not {want:e}");
    }
}

#[test]
fn a_file_may_have_32_kinds_of_groups_and_32_classes() {
    let with = |table: &str, n: usize, body: &str| {
        let mut text = String::from("like = \"aurora\"\n");
        (0..n).for_each(|i| text.push_str(&format!("[{table}.x{i}]\n{body}\n")));
        let read = MachineSpec::parse("x", &text, &[]).err().unwrap_or_default();
        read.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    // Aurora has 3 kinds of its own. Each further kind adds a row and a column of legal links.
    let group = "count = 1\nswitches = 2\nnodes = 2\nunknown = 1";
    let errors = with("groups", 30, group);
    assert_eq!(errors, ["groups: found `33`, expected at most 32 kinds of groups"]);
    assert!(with("groups", 29, group).iter().any(|c| c.starts_with("groups.x28.unknown")));
    let errors = with("classes", 33, "assured = 1\nunknown = 1");
    assert_eq!(errors, ["classes: found `33`, expected at most 32 classes"]);
    assert_eq!(with("classes", 32, "assured = 1\nunknown = 1").len(), 32);
}

#[test]
fn all_errors_are_reported_at_once() {
    let errors = refused(
        "aurora",
        &[("links.local.rate", "fast"), ("switch.lateny", "1 ns"), ("nic.window", "0")],
    );
    for at in ["links.local.rate", "switch.lateny", "nic.window"] {
        assert_eq!(errors.iter().filter(|c| c.starts_with(at)).count(), 1, "{at}: {errors:?}");
    }
    assert_eq!(errors.len(), 3, "{errors:?}");
}

#[test]
fn missing_keys_and_invalid_toml_are_reported() {
    let all = MachineSpec::parse("empty", "", &[]).expect_err("empty");
    assert!(all.iter().any(|c| c.at == "groups"), "{all:?}");
    assert!(all.iter().any(|c| c.at == "links.edge.rate"), "{all:?}");
    let torn = MachineSpec::parse("torn", "about = \"x\"\n[groups\n", &[]).expect_err("not TOML");
    assert!(torn[0].to_string().starts_with("torn, line 2: "), "{torn:?}");
}

#[test]
fn overrides_take_precedence_over_the_file() {
    let set = [("routing", "minimal"), ("groups.compute.wiring", "single"), ("fabric", "aries")];
    let m = try_build("aurora", &set).expect("legal");
    assert_eq!((m.routing, m.fabric.as_str()), (Routing::Minimal, "aries"));
    // The paper's reading: two nodes per switch, with all eight NICs of a node on it.
    let switches: Vec<u32> = m.nic_switch.raw[..24].iter().map(|s| s.0).collect();
    assert_eq!(switches, [[0; 8], [0; 8], [1; 8]].concat());
}

#[test]
fn nics_are_cabled_as_in_the_published_listing() {
    let m = try_build("aurora", &[]).expect("legal");
    // Slingshot Host Software guide: hsn0,1 on 4c+2, hsn2,3 on 4c+3, hsn4,5 on 4c+1, hsn6,7 on 4c.
    for (node, chassis) in [(0u32, 0u32), (7, 0), (8, 1), (63, 7), (64, 8)] {
        let first = m.node_nics.raw[node as usize] as usize;
        let switches: Vec<u32> = m.nic_switch.raw[first..first + 8].iter().map(|s| s.0).collect();
        let want = [2, 2, 3, 3, 1, 1, 0, 0].map(|s| 4 * chassis + s);
        assert_eq!(switches, want, "node {node}");
    }
}

/// Global links are assigned evenly: the switches of a group have as many as each other, to within
/// one, and those to one other group are on as many switches as possible.
#[test]
fn links_between_groups_are_spread_evenly_over_the_switches_of_both() {
    for name in PRESETS {
        let m = try_build(name, &[]).expect("legal");
        let mut ports = vec![0u32; m.n_switches() as usize];
        let mut of_pair = std::collections::BTreeMap::<_, Vec<SwitchId>>::new();
        for (link, _) in m.links.kind.iter().filter(|&(_, &kind)| kind == LinkKind::Global) {
            let (LinkEnd::Switch(from), LinkEnd::Switch(to)) =
                (m.links.from[link], m.links.to[link])
            else {
                panic!("{name}: a global link that ends at a NIC")
            };
            ports[from.0 as usize] += 1;
            of_pair.entry((m.switch_group[from], m.switch_group[to])).or_default().push(from);
        }
        let mut range = std::collections::BTreeMap::new();
        for (switch, &group) in m.switch_group.iter() {
            let n = ports[switch.0 as usize];
            let (low, high) = range.entry(group).or_insert((n, n));
            (*low, *high) = (n.min(*low), n.max(*high));
        }
        assert!(range.values().all(|(low, high)| high - low <= 1), "{name}: {range:?}");
        for ((a, b), mut from) in of_pair {
            let links = from.len();
            from.sort();
            from.dedup();
            let switches = m.switch_group.iter().filter(|&(_, &g)| g == a).count();
            assert_eq!(from.len(), links.min(switches), "{name}: from {a:?} to {b:?}");
        }
    }
}

/// Buffers of the presets let a single flow run at full rate. The window does too: it covers the
/// round trip of the longest route with a full packet at every switch.
#[test]
fn a_single_flow_never_waits_for_credits_or_window() {
    for name in PRESETS {
        let m = try_build(name, &[]).expect("legal");
        for link in m.links.to.ids() {
            let (has, needs) = (u64::from(m.links.buffer[link]), m.single_flow_buffer(link));
            assert!(has >= needs, "{name}: {:?} has {has} B, needs {needs}", m.links.kind[link]);
        }
        let packet = m.nic.packet_payload + m.nic.packet_overhead;
        let slowest = m.links.latency.raw.iter().max().expect("has links").0
            + m.links.gap.raw.iter().max().expect("has links").span(packet).0;
        let round_trip = 2 * 12 * slowest + m.nic.recv_latency.0;
        let fastest = m.links.gap.raw.iter().min().expect("has links").span(packet);
        let window = u64::from(m.nic.window) * fastest.max(m.nic.host_gap_one_way.span(64)).0;
        assert!(window >= round_trip, "{name}: window {window} ps, round trip {round_trip} ps");
    }
}

/// docs/reference/machine-file.md ends with the reference that the schema generates.
#[test]
fn the_reference_is_up_to_date() {
    let page = include_str!("../../../docs/reference/machine-file.md");
    let start = page.find("\n### ").expect("sections of the reference");
    let reference = reference();
    let is_equal = page[start..] == reference;
    assert!(is_equal, "put this at the end of docs/reference/machine-file.md:{reference}");
}

#[test]
fn the_time_of_a_hop_is_bounded_on_both_sides() {
    let errors_of = |set: &[(&str, &str)]| try_build("dragonfly-1056", set).err();
    for (set, at) in [
        (vec![("links.edge.cable", "0 ns")], "links.edge.cable"),
        (vec![("switch.latency", "0 ns"), ("links.local.cable", "0.4 ps")], "links.local.cable"),
        (vec![("links.global.cable", "101 us")], "links.global.cable"),
        (vec![("switch.latency", "1 s")], "switch.latency"),
    ] {
        let all = errors_of(&set).expect("refused");
        assert_eq!(all.iter().map(|c| c.at.as_str()).collect::<Vec<_>>(), [at], "{all:?}");
    }
    assert!(errors_of(&[("switch.latency", "0 ns")]).is_none(), "the cables have a latency");
    assert!(errors_of(&[("links.global.cable", "100 us")]).is_none());
}

#[test]
fn a_kind_of_group_has_a_plain_name() {
    let text = preset("dragonfly-1056").expect("a preset");
    for name in ["\"a.b\"", "\"\"", "\"a b\""] {
        let text = text.replace("[groups.compute]", &format!("[groups.{name}]"));
        let all = MachineSpec::parse("odd", &text, &[]).expect_err("refused");
        assert_eq!(all[0].at, "groups", "{name}: {all:?}");
    }
}

#[test]
fn hops_max_counts_existing_hops_only() {
    let longest =
        |set: &[(&str, &str)]| try_build("dragonfly-1056", set).expect("legal").summary().hops_max;
    assert_eq!(longest(&[]), 3);
    // Groups of one switch with one node: the only hops are between groups.
    let with = |count: &'static str| {
        [
            ("groups.compute.switches", "1"),
            ("groups.compute.nodes", "1"),
            ("groups.compute.global_ports", "8"),
            ("groups.compute.count", count),
        ]
    };
    assert_eq!(longest(&with("9")), 1);
    let alone = with("1");
    assert_eq!(longest(&alone), 0);
}

/// A parameter without effect is not checked.
#[test]
fn a_congestion_threshold_must_hold_a_packet() {
    let large = |management| {
        let set = [
            ("congestion.management", management),
            ("nic.packet_payload", "40 KiB"),
            ("links.edge.buffer", "1 MiB"),
            ("links.local.buffer", "1 MiB"),
            ("links.global.buffer", "1 MiB"),
        ];
        try_build("dragonfly-1056", &set).map(|machine| machine.congestion)
    };
    assert_eq!(large("off").expect("legal"), None);
    let all = large("on").expect_err("the threshold is 32 KiB");
    assert_eq!(all.iter().map(|c| c.at.as_str()).collect::<Vec<_>>(), ["congestion.threshold"]);
}

/// The machine of a file that inherits from others, or all of its errors.
fn like(text: &str, files: &[(&str, &str)]) -> Result<Machine, Vec<String>> {
    let files: Vec<_> = files.iter().map(|&(p, t)| (p.to_string(), t.to_string())).collect();
    MachineSpec::parse_with_parents("mine", text, &files, &[])
        .and_then(|spec| spec.resolve())
        .map_err(|all| all.iter().map(InputError::to_string).collect())
}

/// Inherited keys have the same effect as keys in the file or by `--set`: equal machines have equal
/// digests.
#[test]
fn a_machine_inherits_every_key() {
    for name in PRESETS {
        let digest = try_build(name, &[]).expect("legal").digest;
        assert_eq!(like(&format!("like = \"{name}\""), &[]).expect("legal").digest, digest);
    }
    let mine = "like = \"theirs.toml\"\n[groups.compute]\nnodes = 32";
    let theirs = ("theirs.toml", "like = \"dragonfly-1056\"\n[groups.compute]\ncount = 9");
    let at_hand = [("groups.compute.count", "9"), ("groups.compute.nodes", "32")];
    assert_eq!(
        like(mine, &[theirs]).expect("legal").digest,
        try_build("dragonfly-1056", &at_hand).expect("legal").digest
    );
}

/// Aurora has compute groups, which are linked to each other and to two kinds of service groups.
#[test]
fn groups_merge_by_kind_and_key_and_count_0_removes_them() {
    let resolved = |text: &str, files: &[(&str, &str)]| {
        let found = like(&format!("like = \"aurora\"\n{text}"), files).expect("legal");
        let found = found.summary();
        (found.groups, found.links_by_kind.global)
    };
    // [paper] as in machines/aurora.toml: 2 links between compute groups and from them to the
    // others, 24 between DAOS groups, 8 from these to the service group.
    let inner = |n: u64| n * (n - 1) / 2 * 2;
    let all = |compute: u64| inner(compute) + compute * 9 * 2 + 8 * 7 / 2 * 24 + 8 * 8;
    assert_eq!(resolved("", &[]), (175, all(166)));
    // One key of one kind is set; all others are inherited.
    assert_eq!(resolved("[groups.daos]\nnodes = 64", &[]), (175, all(166)));
    assert_eq!(resolved("[groups.compute]\ncount = 20", &[]), (29, all(20)));
    let without = "[groups.daos]\ncount = 0\n[groups.service]\ncount = 0\n";
    assert_eq!(resolved(without, &[]), (166, inner(166)));
    let one = "[groups.service]\ncount = 0\n";
    assert_eq!(resolved(one, &[]), (174, all(166) - 166 * 2 - 8 * 8));
    // Links can be set from either end. An intermediate file may remove what the next one sets
    // again.
    let links = |text: &str| {
        resolved(&format!("[groups.compute]\ncount = 20\n[global.links.{text}"), &[]).1
    };
    assert_eq!(links("compute]\ncompute = 4"), all(20) + inner(20));
    assert_eq!(links("compute]\nservice = 4"), all(20) + 20 * 2);
    assert_eq!(links("service]\ncompute = 4"), all(20) + 20 * 2);
    let between = ("between.toml", "like = \"aurora\"\n[groups.daos]\ncount = 0\n");
    let mine = |text: &str| like(&format!("like = \"between.toml\"\n{text}"), &[between]);
    assert_eq!(mine("").expect("legal").summary().groups, 167);
    let again = mine("[groups.daos]\ncount = 8\n").expect("legal");
    assert_eq!(again.digest, try_build("aurora", &[]).expect("legal").digest);
    // `--set` has the same effect.
    let set = [("groups.daos.count", "0"), ("groups.service.count", "0")];
    assert_eq!(try_build("aurora", &set).expect("legal").summary().groups, 166);
}

#[test]
fn removing_an_unknown_kind_of_group_is_an_error() {
    let errors = like("like = \"aurora\"\n[groups.doas]\ncount = 0", &[]).expect_err("misspelled");
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].starts_with("groups.doas.count: found `0`"), "{errors:?}");
    assert!(errors[0].contains("groups.daos.count"), "{errors:?}");
    // Other keys do not create a kind, nor does an intermediate file.
    let more = "[groups.doas]\ncount = 0\nrole = \"service\"\nnodes = 4";
    let between = ("between.toml", &*format!("like = \"aurora\"\n{more}"));
    for (text, files) in [
        (format!("like = \"aurora\"\n{more}"), &[][..]),
        ("like = \"between.toml\"".into(), &[between]),
    ] {
        let errors = like(&text, files).expect_err("misspelled");
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert!(errors[0].contains("groups.doas.count: found `0`"), "{errors:?}");
        assert!(errors[0].contains("did you mean `groups.daos.count`?"), "{errors:?}");
    }
    let none = "[groups.daos]\ncount = 0\n[groups.service]\ncount = 0\n[groups.compute]\ncount = 0";
    let errors = like(&format!("like = \"aurora\"\n{none}"), &[]).expect_err("no groups");
    assert!(errors[0].starts_with("groups.compute.count: found `0`"), "{errors:?}");
}

#[test]
fn an_error_in_an_inherited_key_names_its_file() {
    let theirs = "like = \"dragonfly-1056\"\n[nic]\nwindow = 0\nwidnow = 1\n[switch]\nlatency = 3";
    let mine = "like = \"theirs.toml\"\n[switch]\nlatency = \"1 ns\"\n[node]\ncores = 0";
    let errors = like(mine, &[("theirs.toml", theirs)]).expect_err("three");
    assert_eq!(errors.len(), 3, "{errors:?}");
    for want in ["node.cores: ", "theirs.toml, nic.window: ", "theirs.toml, nic.widnow: "] {
        assert!(errors.iter().any(|c| c.starts_with(want)), "{want}: {errors:?}");
    }
    // This holds for errors found in `resolve` too.
    let errors =
        like("like = \"aurora\"\n[nic]\npacket_payload = \"60 KiB\"", &[]).expect_err("large");
    assert!(errors.iter().any(|c| c.starts_with("aurora, links.edge.buffer: ")), "{errors:?}");
}

/// With an unknown base file, keys are not reported as missing.
#[test]
fn an_unknown_base_file_is_reported_with_all_other_errors() {
    let wrong = "\n[global.links.compute]\ncompute = 1\n[nic]\nwindow = 0";
    for (word, near) in [
        ("\"arora\"", "; did you mean `aurora`?"),
        ("3", "(NAME.toml)"),
        ("\"gone.toml\"", "(NAME.toml)"),
    ] {
        let errors = like(&format!("like = {word}{wrong}"), &[]).expect_err("none");
        assert!(errors.len() == 2 && errors[0].starts_with("like: found `"), "{errors:?}");
        assert!(errors[0].ends_with(near) && errors[1].starts_with("nic.window: "), "{errors:?}");
    }
    for (theirs, want) in [
        ("like = \"arora\"", "a.toml, like: found `arora`"),
        ("like = \"a.toml\"", "a.toml, like: found `a.toml`"),
        ("\n[groups\n", "a.toml, line 2: "),
    ] {
        let errors = like("like = \"a.toml\"", &[("a.toml", theirs)]).expect_err("none");
        assert!(errors.len() == 1 && errors[0].starts_with(want), "{errors:?}");
    }
    let errors = refused("aurora", &[("like", "frontier")]);
    assert!(errors.len() == 1 && errors[0].starts_with("like: found `frontier`"), "{errors:?}");
}

/// docs.nersc.gov: 1,792 nodes with GPUs and four NICs, 3,072 without and one. cscs-docs: 2,688
/// nodes of GH200, 1,024 of Zen 2, 128 of MI300A, 144 of A100. Pawsey's documentation: 1,600 nodes
/// of Setonix without GPUs, 192 with.
#[test]
fn a_machine_has_nodes_of_the_selected_kind() {
    for (name, kind, nodes, nics, gpus) in [
        ("perlmutter", "gpu", 1_792, 4, 4),
        ("perlmutter", "cpu", 3_072, 1, 0),
        ("alps", "gh200", 2_688, 4, 4),
        ("alps", "zen2", 1_024, 2, 0),
        ("alps", "mi300", 128, 4, 4),
        ("alps", "a100", 144, 4, 4),
        ("setonix", "cpu", 1_600, 1, 0),
        ("setonix", "gpu", 192, 4, 4),
    ] {
        let m =
            try_build(name, &[("node_kind", kind)]).unwrap_or_else(|c| panic!("{name}: {c:#?}"));
        let first = m.kind_of(machine::NodeId(0));
        let found = (m.compute_nodes, first.nics, first.gpus);
        assert_eq!(found, (nodes, nics, gpus), "{name} {kind}");
        let default = try_build(name, &[]).expect("legal");
        assert_eq!(default.n_groups, m.n_groups, "the network is the same");
    }
}

/// They are of one kind of nodes, and part of the machine's digest.
#[test]
fn keys_of_library_profiles_are_kept_for_the_selected_nodes() {
    let keys = |kind| {
        let machine = try_build("alps", &[("node_kind", kind)]).expect("legal");
        machine.libraries.get("mpich").and_then(|keys| keys.get("gpu_rdma_min")).cloned()
    };
    assert_eq!(keys("gh200").as_ref().and_then(|v| v.as_str()), Some("0 B"));
    assert_eq!(keys("zen2"), None);
    let own = try_build("aurora", &[]).expect("legal");
    let set = ("libraries.mpich.gpu_rdma_min", "0 B");
    let other = try_build("aurora", &[set]).expect("legal");
    assert!(own.libraries.is_empty() && own.digest != other.digest);
    assert_eq!(refused("aurora", &[("libraries", "3")]).len(), 1);
}

#[test]
fn a_kind_of_nodes_is_one_of_the_machine() {
    let errors = refused("perlmutter", &[("node_kind", "gpus")]);
    assert_eq!(errors, ["node_kind: found `gpus`, expected one of cpu, gpu; did you mean `gpu`?"]);
    let errors = refused("aurora", &[("node_kind", "gpu")]);
    assert!(errors[0].contains("nodes of this machine are of one kind"), "{errors:?}");
    let none = "like = \"dragonfly-1056\"\n[node_kinds.a]\nnode.cores = 3\n";
    let errors = MachineSpec::parse("m", none, &[]).expect_err("none is selected");
    assert!(errors[0].at == "node_kind" && errors[0].expected.contains("one of a"), "{errors:?}");
    let odd = "like = \"dragonfly-1056\"\nnode_kind = \"a\"\nnode_kinds.a = 3\n";
    let errors = MachineSpec::parse("m", odd, &[]).expect_err("no table");
    assert_eq!(errors[0].at, "node_kinds.a", "{errors:?}");
}

/// Keys of a file, and `--set`, override those of the kind of nodes of a file that it is `like`.
#[test]
fn a_derived_file_overrides_the_kinds_of_its_base() {
    let cores = |text: &str, set: &[(&str, &str)]| {
        let set: Vec<_> = set.iter().map(|&(k, v)| (k.to_string(), v.to_string())).collect();
        let spec = MachineSpec::parse("m", text, &set).unwrap_or_else(|c| panic!("{c:#?}"));
        spec.resolve().expect("legal").node.cores
    };
    let like = "like = \"perlmutter\"\n";
    assert_eq!(cores(like, &[]), 64);
    assert_eq!(cores(like, &[("node_kind", "cpu")]), 128);
    assert_eq!(cores(&format!("{like}node_kind = \"cpu\""), &[]), 128);
    let own = format!("{like}node.cores = 7");
    assert_eq!(cores(&own, &[]), 7);
    assert_eq!(cores(&own, &[("node_kind", "cpu")]), 7);
    assert_eq!(cores(&own, &[("node_kind", "cpu"), ("node.cores", "5")]), 5);
    let kinds = format!("{own}\n[node_kinds.cpu]\nnode.cores = 9");
    assert_eq!(cores(&kinds, &[]), 7);
    assert_eq!(cores(&kinds, &[("node_kind", "cpu")]), 9);
}
