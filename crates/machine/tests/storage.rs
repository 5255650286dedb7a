//! File systems of machine files: servers, gateways and mounts of the presets, and every error.

use machine::storage::{Access, Driver, Host, Protocol};
use machine::{InputError, LinkEnd, Machine, MachineSpec, NodeId, preset};

fn try_build(text: &str, set: &[(&str, &str)]) -> Result<Machine, Vec<InputError>> {
    let set: Vec<_> = set.iter().map(|&(k, v)| (k.to_string(), v.to_string())).collect();
    MachineSpec::parse("mine", text, &set)?.resolve()
}

fn aurora(set: &[(&str, &str)]) -> Machine {
    try_build(preset("aurora").expect("a preset"), set).expect("legal")
}

fn errors(text: &str, set: &[(&str, &str)]) -> Vec<String> {
    let errors = try_build(text, set).expect_err("should be refused");
    errors.iter().map(InputError::to_string).collect()
}

/// The node of a host, and whether its NICs are those of the node.
fn node_of(m: &Machine, host: &Host) -> NodeId {
    let node = m.nic_node[host.nics[0]];
    let nics: Vec<u32> = (m.node_nics[node]..m.node_nics[NodeId(node.0 + 1)]).collect();
    assert_eq!(host.nics.iter().map(|nic| nic.0).collect::<Vec<_>>(), nics);
    node
}

/// [paper] 3.1 and ALCF's user guides, as in machines/aurora.toml: 1,024 servers in eight groups, 2
/// NICs and 32 targets each. Consecutive servers are in consecutive groups.
#[test]
fn servers_of_auroras_daos_are_the_nodes_of_its_io_groups() {
    let m = aurora(&[]);
    let daos = m.file_systems.iter().find(|fs| fs.name == "daos").expect("declared");
    assert_eq!((daos.hosts.len(), daos.data_targets()), (1024, 32 * 1024));
    assert_eq!((&daos.network, daos.driver), (&Access::Direct, Driver::Kfi));
    assert_eq!(daos.client_nics, [0, 1, 2, 3, 4, 5, 6, 7]);
    let mut of_group = vec![Vec::new(); m.n_groups as usize];
    for (nth, host) in daos.hosts.iter().enumerate() {
        assert_eq!(host.nics.len(), 2);
        let group = m.group_of(host.nics[0]);
        assert_eq!(group.0, 166 + nth as u32 % 8);
        of_group[group.0 as usize].push(node_of(&m, host));
    }
    for nodes in &of_group[166..174] {
        assert_eq!(nodes.len(), 128);
        assert!(nodes.is_sorted_by(|a, b| a.0 + 1 == b.0), "{nodes:?}");
    }
    let few = aurora(&[("storage.daos.servers", "20"), ("groups.daos.nodes", "3")]);
    assert_eq!(few.file_systems[0].hosts.len(), 20);
    assert_eq!(node_of(&few, &few.file_systems[0].hosts[8]).0, 166 * 64 + 1);
}

/// ALCF's site update, April 2025: 48 and 8 of the gateways, 4 and 2 NICs of a compute node. File
/// systems take nodes in the order of their names.
#[test]
fn flare_and_gecko_are_behind_gateways() {
    let m = aurora(&[]);
    let names: Vec<_> = m.file_systems.iter().map(|fs| &fs.name[..]).collect();
    assert_eq!(names, ["daos", "flare", "gecko"]);
    let (mut next, service) = (166 * 64 + 1024, 174);
    for (fs, n, servers, osts) in [(1, 48, 60, 160), (2, 8, 20, 32)] {
        let fs = &m.file_systems[fs];
        let Access::Routed { gateways, nics_per_gateway: 2, gap, .. } = &fs.network else {
            panic!("{:?}", fs.network);
        };
        assert_eq!((fs.n_gateways(), gateways.len()), (n, 2 * n as usize));
        assert_eq!(gap.bytes_per_s(), 25e9);
        for nics in gateways.chunks(2) {
            assert_eq!(m.group_of(nics[0]).0, service);
            assert_eq!(node_of(&m, &Host { nics: nics.to_vec(), ports_beyond: 0 }).0, next);
            next += 1;
        }
        assert_eq!((fs.hosts.len(), fs.data_targets()), (servers, osts));
        assert!(fs.hosts.iter().all(|host| host.nics.is_empty()));
        assert_eq!(fs.driver, Driver::Tcp);
        let Protocol::Lustre(p) = &fs.protocol else { panic!("{:?}", fs.protocol) };
        assert_eq!(p.mds + p.oss, servers as u32);
    }
    assert_eq!(m.file_systems[1].client_nics, [2, 3, 6, 7]);
    assert_eq!(m.file_systems[1].mounts, ["/lus/flare"]);
}

/// A file with another kind of groups and two file systems, to which `keys` are added.
fn small(keys: &str) -> String {
    format!(
        "like = \"dragonfly-1056\"\n[groups.io]\nrole = \"service\"\ncount = 2\nswitches = 1\n\
         nodes = 3\n[global.links.compute]\nio = 1\n[global.links.io]\nio = 1\n[switch]\n\
         ports = 60\n[groups.compute]\nglobal_ports = 5\n{keys}\n"
    )
}

const DAOS: &str = "[[storage]]\nname = \"d\"\nkind = \"daos\"\nmount = \"/d\"\ngroup = \"io\"\n\
                    servers = 2\n";
const LUSTRE: &str = "[[storage]]\nname = \"l\"\nkind = \"lustre\"\nmount = [\"/l\", \"/lus/l\"]\n\
                      group = \"io\"\nmds = 1\nmdts = 2\noss = 2\nosts = 4\n\
                      ost_read_rate = \"2 GB/s\"\nost_write_rate = \"1 GB/s\"\n";

/// File systems share a kind of groups in the order of their names: 2 servers of `d`, 3 of `l`, on
/// two groups of 3 nodes, which alternate.
#[test]
fn file_systems_of_one_kind_of_groups_have_different_nodes() {
    let m = try_build(&small(&format!("{LUSTRE}{DAOS}")), &[]).expect("legal");
    let nodes = |fs: usize| -> Vec<u32> {
        let first = m.compute_nodes;
        m.file_systems[fs].hosts.iter().map(|host| node_of(&m, host).0 - first).collect()
    };
    assert_eq!((nodes(0), nodes(1)), (vec![0, 3], vec![1, 4, 2]));
    assert_eq!(m.file_systems[1].mounts, ["/l", "/lus/l"]);
    let Protocol::Lustre(p) = &m.file_systems[1].protocol else { panic!() };
    let rates = [p.ost_read_gap, p.ost_write_gap].map(|gap| gap.bytes_per_s());
    assert_eq!((p.mds, p.mdts, p.oss, p.osts, rates), (1, 2, 2, 4, [2e9, 1e9]));
    // Compute groups give their last nodes. 33 groups of 32 nodes.
    let on = [("storage.d.group", "compute"), ("storage.d.servers", "34")];
    let m = try_build(&small(DAOS), &on).expect("legal");
    let nodes: Vec<u32> = m.file_systems[0].hosts.iter().map(|h| node_of(&m, h).0).collect();
    assert_eq!((nodes[0], nodes[1], nodes[32], nodes[33]), (31, 63, 33 * 32 - 1, 30));
}

#[test]
fn a_derived_machine_changes_adds_and_removes_file_systems() {
    let names = |text: &str, set: &[(&str, &str)]| -> Vec<String> {
        let m = try_build(text, set).expect("legal");
        m.file_systems.iter().map(|fs| fs.name.clone()).collect()
    };
    let like = "like = \"aurora\"\n";
    let one = format!("{like}[[storage]]\nname = \"flare\"\nosts = 80\n");
    let m = try_build(&one, &[("storage.gecko.gateways", "9")]).expect("legal");
    let [_, flare, gecko] = &m.file_systems[..] else { panic!("{:?}", m.file_systems) };
    assert_eq!((flare.data_targets(), gecko.n_gateways()), (80, 9));
    assert_eq!(flare.mounts, ["/lus/flare"]);
    // The same in the form of `--set`.
    let table = try_build(&format!("{like}[storage.flare]\nosts = 80\n"), &[]).expect("legal");
    assert_eq!(table.file_systems[1], *flare);
    let none = format!("{like}[[storage]]\nname = \"flare\"\nkind = \"none\"\n");
    assert_eq!(names(&none, &[]), ["daos", "gecko"]);
    assert_eq!(names(like, &[("storage.daos.kind", "none")]), ["flare", "gecko"]);
    // Without their servers or gateways.
    assert_eq!(names(like, &[("groups.service.count", "0")]), ["daos"]);
    assert_eq!(names(like, &[("groups.daos.count", "0")]), ["flare", "gecko"]);
    let more = format!("{like}{}", DAOS.replace("\"io\"", "\"service\""));
    assert_eq!(names(&more, &[]), ["d", "daos", "flare", "gecko"]);
    let fewer = [("groups.compute.nics", "4"), ("groups.compute.spread", "[0, 0, 1, 1]")];
    assert_eq!(aurora(&fewer).file_systems[1].client_nics, [2, 3]);
}

#[test]
fn every_error_in_a_file_system_is_reported() {
    let all = format!("{DAOS}{LUSTRE}");
    for (set, want) in [
        (("storage.d.kind", "doas"), "found `doas`, expected one of lustre, daos, none; did you"),
        (("storage.d.mount", "d"), "storage.d.mount: found `d`, expected absolute paths"),
        (("storage.d.mount", "/"), "found `/`, expected absolute paths"),
        (("storage.d.mount", "/d/"), "found `/d/`"),
        (("storage.d.mount", "/a/../d"), "found `/a/../d`"),
        (("storage.d.mount", "/proc/d"), "not below /dev, /proc or /sys"),
        (("storage.d.mount", "[]"), "storage.d.mount: found `[]`"),
        (("storage.d.mount", "[3]"), "storage.d.mount: found `[3]`"),
        (
            ("storage.d.mount", "/l"),
            "storage.l.mount: found `/l`, expected no path at, above or below `/l` of `d`",
        ),
        (("storage.d.mount", "/lus"), "storage.l.mount: found `/lus/l`, expected no path at"),
        (("storage.d.mount", "/lus/l/x"), "expected no path at, above or below `/lus/l/x` of `d`"),
        (("storage.d.mount", "[\"/x\", \"/x/y\"]"), "no path at, above or below `/x` of `d`"),
        (
            ("storage.d.group", "ioo"),
            "a kind of group of this machine: compute, io; did you mean `io`?",
        ),
        (("storage.d.servers", "7"), "found `7`, expected from 1 to 6, the nodes of"),
        (("storage.d.servers", "0"), "a whole number from 1 to 65000"),
        (("storage.d.engines", "0"), "a whole number from 1 to 16"),
        (("storage.d.file_class", "EC_2P1"), "storage.d.file_class: found `EC_2P1`, expected an"),
        (("storage.d.directory_class", "RP_7G1"), "expected an object class, such as `S1`"),
        (("storage.d.file_class", "RP_128G1"), "a class for 2 servers with 64 targets in total"),
        (("storage.d.file_class", "S65"), "a class for 2 servers with 64 targets in total"),
        (("storage.d.chunk_size", "0 B"), "storage.d.chunk_size: found `0 B`, expected at least"),
        (("storage.d.entry_size", "1 MB"), "found `1000000 B`, expected at most 65536 B"),
        (("storage.d.client_path", "pil4df"), "did you mean `pil4dfs`?"),
        (("storage.l.brw_size", "0 B"), "found `0 B`, expected from 4096 B to 1073741824 B"),
        (("storage.l.brw_size", "5000 B"), "a multiple of 4096 B"),
        (("storage.l.raid_stripe", "0 B"), "storage.l.raid_stripe: found `0 B`"),
        (("storage.l.entry_size", "0 B"), "storage.l.entry_size: found `0 B`"),
        (("storage.l.short_io", "2 MiB"), "storage.l.short_io: found `2097152 B`"),
        (("storage.l.pools", "flash=0-4"), "expected `NAME=FIRST-LAST` of OSTs that exist"),
        (("storage.l.layout", "-c 1 -p flash"), "options of `lfs setstripe`"),
        (("storage.l.collective_locks", "none"), "one of extent, lock-ahead, group"),
        (
            ("storage.l.oss", "5"),
            "storage.l.oss: found `6`, expected at most 4: groups of kind `io`",
        ),
        (("storage.l.osts", "1"), "storage.l.osts: found `1`, expected at least one for each of 2"),
        (("storage.l.mds", "3"), "storage.l.mdts: found `2`, expected at least one for each of 3"),
        (("storage.l.ost_read_rate", "2 GB"), "did you mean `2 GB/s`?"),
        (("storage.l.ost_red_rate", "2 GB/s"), "did you mean `storage.l.ost_read_rate`?"),
        (("storage.l.targets", "2"), "storage.l.targets: found `2`, expected a key of machine"),
        (("storage.m.osts", "2"), "expected a file system of this machine: d, l"),
        (("storage.l.client_nics", "[0, 0]"), "different NICs of a compute node"),
        (("storage.l.client_nics", "[]"), "different NICs of a compute node"),
        (("storage.l.client_nics", "[256]"), "different NICs of a compute node"),
        (("storage.l.driver", "kfilnd"), "one of kfi, tcp, o2ib; did you mean `kfi`?"),
        (("storage.l.gateways", "2"), "storage.l.gateway_rate: expected a value, because"),
        (("storage.l.gateways", "2"), "storage.l.server_rate: expected a value, because"),
        (("storage.l.gateways", "2"), "storage.l.gateway_latency: expected a value, because"),
        (("storage.l.server_rate", "2 GB/s"), "storage.l.server_rate: expected no value without"),
        (("storage.d.gateways", "2"), "none: DAOS clients reach the servers directly"),
        (("storage.rate", "2 TB/s"), "did you mean `local_storage.rate`?"),
    ] {
        let found = errors(&small(&all), &[set]);
        assert!(found.iter().any(|error| error.contains(want)), "{set:?}: {found:#?}");
    }
    // All nodes of the groups, if their number is not given.
    let large = [("groups.io.nodes", "40000"), ("groups.io.switches", "1000")];
    let found = errors(&small(&DAOS.replace("servers = 2", "")), &large);
    assert!(found.contains(&"storage.d.servers: found `80000`, expected at most 65000".into()));
    let routed = [
        ("storage.l.gateways", "6"),
        ("storage.l.gateway_rate", "2 GB/s"),
        ("storage.l.server_rate", "1 GB/s"),
        ("storage.l.gateway_latency", "2 ms"),
        ("storage.d.servers", "1"),
    ];
    let errors = errors(&small(&all), &routed);
    let want = ["storage.l.gateway_latency: found `2.00 ms`", "storage.l.gateways: found `6`"];
    assert!(errors.iter().zip(want).all(|(error, want)| error.starts_with(want)), "{errors:#?}");
    assert_eq!(errors.len(), 2);
    assert!(errors[1].contains("at most 5: groups of kind `io` have 6 nodes"), "{errors:#?}");
}

#[test]
fn errors_of_the_tables_themselves_are_reported_with_all_others() {
    let unnamed = "[[storage]]\nkind = \"daos\"\n[[storage]]\nname = 3\n";
    let found = errors(&small(&format!("{DAOS}{DAOS}{unnamed}")), &[("nic.window", "0")]);
    let want = [
        "storage[1].name: found `d`, expected a name that no other",
        "storage[2].name: expected the name of the file system",
        "storage[3].name: found `3`, expected the name of the file system",
        "nic.window: found `0`",
    ];
    assert!(found.iter().zip(want).all(|(error, want)| error.starts_with(want)), "{found:#?}");
    assert_eq!(found.len(), want.len());
    // Of a file system with an unknown kind, no further keys are required.
    let kindless = "[[storage]]\nname = \"x\"\nmount = \"/x\"\nosts = 1\ntargets = 2\n";
    let found = errors(&small(kindless), &[]);
    assert!(found.len() == 1 && found[0].starts_with("storage.x.kind: expected"), "{found:#?}");
    let found = errors(&small("[[storage]]\nname = \"x\"\nkind = \"lustre\""), &[]);
    let required = ["mount", "group", "mds", "mdts", "oss", "osts", "ost_read", "ost_write"];
    assert!(required.iter().all(|k| found.iter().any(|f| f.contains(&format!("storage.x.{k}")))));
    assert_eq!(found.len(), required.len(), "{found:#?}");
    // The name of the table of files outside mounts in earlier versions.
    let found = errors("like = \"aurora\"\n[storage]\nrate = \"2 TB/s\"\nlatency = \"1 us\"", &[]);
    assert!(found[0].contains("storage.latency: found `1 us`"), "{found:#?}");
    assert!(found[0].ends_with("did you mean `local_storage.latency`?"), "{found:#?}");
    assert_eq!(found.len(), 2, "{found:#?}");
    for (text, want) in [
        ("storage = 3", "storage: found `3`, expected tables `[[storage]]`"),
        ("storage = [3]", "storage: found `3`, expected tables `[[storage]]`"),
        (
            "[[storage]]\nname = \"a.b\"\nkind = \"daos\"",
            "storage: found `a.b`, expected a name of",
        ),
        (
            "[[storage]]\nname = \"flar\"\nkind = \"none\"",
            "expected a file system of the machine that this one is `like`; did you mean \
             `storage.flare.kind`?",
        ),
    ] {
        let found = errors(&format!("like = \"aurora\"\n{text}"), &[]);
        assert!(found.iter().any(|error| error.contains(want)), "{text}: {found:#?}");
    }
    let many: String = (0..33).map(|n| DAOS.replace("\"d\"", &format!("\"d{n}\""))).collect();
    assert!(errors(&small(&many), &[])[0].contains("at most 32 file systems"));
    let found = errors("like = \"spock\"", &[("storage.x.osts", "1")]);
    assert!(found[0].contains("this machine has no file systems"), "{found:#?}");
}

/// LUMI's user guide: 2 MDSs and 58 OSTs; four times 1 MDS and 32 OSTs. Orion and Aurora as derived
/// in their files.
#[test]
fn presets_have_their_file_systems() {
    let lumi = ["lustref1", "lustrep1", "lustrep2", "lustrep3", "lustrep4"];
    for (name, want) in [
        ("aurora", &["daos", "flare", "gecko"][..]),
        ("elbert", &["daos"]),
        ("frontier", &["orion"]),
        ("lumi-c", &lumi),
        ("lumi-g", &lumi),
        ("piz-daint", &["scratch"]),
        ("cascade-3k", &["scratch"]),
        ("cascade-24k", &["scratch"]),
        ("perlmutter", &["pscratch"]),
        ("alps", &["capstor", "iopsstor"]),
        ("setonix", &[]),
        ("polaris", &[]),
        ("theta", &["scratch"]),
        ("spock", &[]),
        ("dragonfly-1056", &[]),
    ] {
        let m = try_build(preset(name).expect("a preset"), &[]).expect("legal");
        let names: Vec<_> = m.file_systems.iter().map(|fs| &fs.name[..]).collect();
        assert_eq!(names, want, "{name}");
        // No node serves two file systems.
        let mut nics = Vec::new();
        for fs in &m.file_systems {
            nics.extend(fs.hosts.iter().flat_map(|host| host.nics.clone()));
            if let Access::Routed { gateways, .. } = &fs.network {
                nics.extend(gateways);
            }
        }
        let all = nics.len();
        nics.sort_unstable();
        nics.dedup();
        assert_eq!(nics.len(), all, "{name}");
    }
    let found = |machine: &str, name: &str| {
        let m = try_build(preset(machine).expect("a preset"), &[]).expect("legal");
        let fs = m.summary().file_systems.into_iter().find(|fs| fs.name == name).expect("there");
        (fs.kind, fs.mounts.concat(), fs.servers, fs.targets, fs.gateways)
    };
    let lustre = |mount: &str, servers: u32, targets: u32, gateways: u32| {
        ("lustre".to_string(), mount.to_string(), servers, targets, gateways)
    };
    assert_eq!(found("lumi-g", "lustref1"), lustre("/pfs/lustref1", 2 + 58, 58, 0));
    assert_eq!(found("lumi-c", "lustrep4"), lustre("/pfs/lustrep4", 1 + 16, 32, 0));
    assert_eq!(found("frontier", "orion"), lustre("/lustre/orion", (480 + 5400) / 12, 450, 0));
    assert_eq!(found("aurora", "flare"), lustre("/lus/flare", 20 + 40, 160, 48));
    assert_eq!(found("aurora", "daos").3, 1024 * 32);
    assert_eq!(found("piz-daint", "scratch"), lustre("/scratch", 1 + 24, 24, 28));
}

/// The links from storage to compute groups add up to the bandwidths of LUMI's user guide, in both
/// directions: 3.2 TB/s each from LUMI-C, 7.2 and 9.6 TB/s from LUMI-G.
#[test]
fn links_to_lumis_storage_have_the_published_bandwidth() {
    for (name, want) in [("lumi-c", [3.2e12, 3.2e12]), ("lumi-g", [7.2e12, 9.6e12])] {
        let m = try_build(preset(name).expect("a preset"), &[]).expect("legal");
        let groups = m.n_groups;
        let mut found = [0.0; 2];
        for (link, &from) in m.links.from.iter() {
            let (LinkEnd::Switch(from), LinkEnd::Switch(to)) = (from, m.links.to[link]) else {
                continue;
            };
            let [from, to] = [from, to].map(|switch| m.switch_group[switch].0);
            for (nth, found) in found.iter_mut().enumerate() {
                let storage = groups - 2 + nth as u32;
                if (from == storage) != (to == storage) && from.min(to) < groups - 2 {
                    *found += m.links.gap[link].bytes_per_s();
                }
            }
        }
        for (found, want) in found.into_iter().zip(want) {
            assert!((found / want - 1.0).abs() < 1e-6, "{name}: {found:e}, not {want:e}");
        }
    }
}
