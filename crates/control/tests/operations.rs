//! What operators rely on: maintenances and policies that meet, what runs use of a fabric, limits.

mod common;

use common::{call, get, link_of, machine, phase, plane_of, running, target};
use control::{ControlPlane, Options, Response};
use machine::{MachineSpec, preset};
use serde_json::{Value, json};

fn stage(plane: &mut ControlPlane, name: &str) -> String {
    let path = format!("/fabric/maintenances/{name}");
    get(plane, &path)["stage"].as_str().expect("a stage").to_string()
}

/// A maintenance of a link, held offline.
fn hold(plane: &mut ControlPlane, name: &str, link: &str) -> Response {
    let order = json!({ "name": name, "targets": [target(link)], "hold": true });
    call(plane, "POST", "/fabric/maintenances", order)
}

/// The links of a finished maintenance may belong to a newer one.
#[test]
fn removing_a_finished_maintenance_leaves_the_drain_of_a_newer_one() {
    let mut plane = running();
    let (link, _) = link_of(&mut plane, "global");
    let order = json!({ "name": "old", "targets": [target(&link)] });
    assert_eq!(call(&mut plane, "POST", "/fabric/maintenances", order).status, 201);
    plane.advance(100.0);
    assert_eq!(stage(&mut plane, "old"), "FINISHED");
    assert_eq!(hold(&mut plane, "new", &link).status, 201);
    let path = "/fabric/maintenances/old";
    assert_eq!(call(&mut plane, "DELETE", path, Value::Null).status, 200);
    plane.advance(plane.now().seconds() + 5.1);
    assert_eq!(get(&mut plane, &link)["isRouted"], false, "drained by the routing sweep");
    assert_eq!(stage(&mut plane, "new"), "OFFLINE");
}

/// A failed maintenance keeps its links offline, so they are taken until it is cancelled. Another
/// one would save the offline policies and restore these.
#[test]
fn the_links_of_a_failed_maintenance_are_taken() {
    let mut plane = running();
    let (link, _) = link_of(&mut plane, "global");
    let errors = json!({ "target": target(&link), "kind": "BER", "ber": 1e-6 });
    call(&mut plane, "POST", "/simulation/faults", errors);
    let order = json!({ "name": "first", "targets": [target(&link)] });
    call(&mut plane, "POST", "/fabric/maintenances", order);
    plane.advance(200.0);
    assert_eq!(stage(&mut plane, "first"), "FAILED");
    assert_eq!(hold(&mut plane, "second", &link).status, 409);
    let cancel = json!({ "action": "CANCEL" });
    assert_eq!(call(&mut plane, "PATCH", "/fabric/maintenances/first", cancel).status, 200);
    assert_eq!(hold(&mut plane, "second", &link).status, 201);
}

/// A maintenance that restores has its links until they are online: another one would take them
/// offline again, and the first one would fail.
#[test]
fn the_links_of_a_restoring_maintenance_are_taken() {
    let mut plane = running();
    let (link, _) = link_of(&mut plane, "global");
    let order = json!({ "name": "first", "targets": [target(&link)] });
    assert_eq!(call(&mut plane, "POST", "/fabric/maintenances", order).status, 201);
    plane.advance(41.0);
    assert_eq!(stage(&mut plane, "first"), "RESTORING");
    assert_eq!(hold(&mut plane, "second", &link).status, 409);
    plane.advance(70.0);
    assert_eq!(stage(&mut plane, "first"), "FINISHED");
    assert_eq!(hold(&mut plane, "second", &link).status, 201);
}

#[test]
fn a_policy_that_a_maintenance_restores_is_in_use() {
    let mut plane = running();
    let (link, ports) = link_of(&mut plane, "global");
    let policy = json!({ "documentSelfLink": "own", "state": "ONLINE" });
    call(&mut plane, "POST", "/fabric/port-policies", policy);
    let wish = json!({ "portPolicyLinks": ["/fabric/port-policies/own"] });
    for port in &ports {
        call(&mut plane, "PATCH", port, wish.clone());
    }
    plane.advance(20.0);
    hold(&mut plane, "m", &link);
    plane.advance(40.0);
    assert_eq!(stage(&mut plane, "m"), "OFFLINE");
    let delete = |plane: &mut ControlPlane| {
        call(plane, "DELETE", "/fabric/port-policies/own", Value::Null).status
    };
    assert_eq!(delete(&mut plane), 409);
    call(&mut plane, "PATCH", "/fabric/maintenances/m", json!({ "action": "CANCEL" }));
    for port in &ports {
        assert_eq!(get(&mut plane, port)["portPolicyLinks"], wish["portPolicyLinks"]);
        call(&mut plane, "PATCH", port, json!({ "portPolicyLinks": [] }));
    }
    assert_eq!(delete(&mut plane), 200);
}

#[test]
fn the_end_of_a_maintenance_keeps_a_new_qos_profile() {
    let mut plane = running();
    let (link, ports) = link_of(&mut plane, "global");
    hold(&mut plane, "m", &link);
    plane.advance(20.0);
    let profile = json!({ "profile": "HPC" });
    assert_eq!(call(&mut plane, "PATCH", "/fabric/qos/template-policy", profile).status, 200);
    call(&mut plane, "PATCH", "/fabric/maintenances/m", json!({ "action": "CANCEL" }));
    let policies = ["fabric-policy", "qos-hpc-fabric-policy"];
    let links = policies.map(|name| format!("/fabric/port-policies/{name}"));
    assert_eq!(get(&mut plane, &ports[0])["portPolicyLinks"], json!(links));
    plane.advance(60.0);
    assert_eq!(phase(&mut plane, &link), "ONLINE", "both ends and all others have the profile");
}

/// Without its NICs a job is cut off; the loads of the links that remain are no speedup.
#[test]
fn an_action_that_cuts_traffic_has_no_slowdown() {
    let mut plane = running();
    let job = json!({ "name": "j", "nodes": [0, 1, 600, 601], "rateGbitPerNic": 1_000 });
    assert_eq!(call(&mut plane, "POST", "/simulation/jobs", job).status, 201);
    let switch = get(&mut plane, "/fabric/switches?$limit=1")["documentLinks"][0].clone();
    let name = target(switch.as_str().expect("a path"));
    let impact = call(&mut plane, "POST", "/simulation/impacts", json!({ "targets": [name] }));
    assert_eq!((impact.status, &impact.body["slowdown"]), (200, &Value::Null));
    // Two NICs of 1,000 Gbit/s.
    let cut = impact.body["unroutedBytesPerSecond"].as_f64().expect("a rate");
    assert!(cut >= 2.0 * 1_000e9 / 8.0, "{cut}");
    let (link, _) = link_of(&mut plane, "global");
    let other = json!({ "targets": [target(&link)] });
    let impact = call(&mut plane, "POST", "/simulation/impacts", other);
    assert!(impact.body["slowdown"].as_f64().is_some_and(|ratio| ratio >= 1.0), "{}", impact.body);
}

/// A link that is up again carries nothing before the next routing sweep.
#[test]
fn a_run_does_not_use_links_that_routing_does_not_use() {
    let mut plane = running();
    let (link, _) = link_of(&mut plane, "global");
    plane.advance(9.0);
    call(
        &mut plane,
        "POST",
        "/simulation/faults",
        json!({ "target": target(&link), "kind": "FLAP" }),
    );
    plane.advance(14.9);
    let now = get(&mut plane, &link);
    assert_eq!((&now["status"]["phase"], &now["isRouted"]), (&json!("ONLINE"), &json!(false)));
    let machine = machine("dragonfly-1056");
    let parse = |state: &Value, key: &str| {
        let text = state[key].as_str().expect("text").to_string();
        machine::faults::FaultSchedule::parse("state", &text, &machine).expect("legal").faults
    };
    let state = plane.fabric_state(&[]).expect("no targets");
    assert_eq!(state["staleLinks"], 0);
    let (fixed, moving) = (parse(&state, "toml"), parse(&state, "dynamicToml"));
    assert_eq!((fixed.len(), moving.len()), (1, 1));
    // For good, and until the first nanosecond.
    assert_eq!((fixed[0].until, moving[0].until), (base::Time(u64::MAX), base::Time(1_000)));
    plane.advance(16.0);
    assert_eq!(plane.fabric_state(&[]).expect("no targets")["toml"], "");
}

/// A drained link carries traffic until the next routing sweep.
#[test]
fn a_run_uses_a_drained_link_until_the_sweep() {
    let mut plane = running();
    let (link, _) = link_of(&mut plane, "global");
    plane.advance(1.0);
    hold(&mut plane, "m", &link);
    assert_eq!(plane.fabric_state(&[]).expect("no targets")["toml"], "");
    plane.advance(5.1);
    let state = plane.fabric_state(&[]).expect("no targets");
    let text = state["dynamicToml"].as_str().expect("text");
    assert!(text.contains("[[fault]]") && !text.contains("until"), "{text}");
}

/// Half of the speed is two of four lanes; a speed that the ports do not have keeps a link down.
#[test]
fn the_speed_of_a_policy_is_the_rate_of_the_link() {
    let mut plane = running();
    let full = get(&mut plane, "/fabric/port-policies/fabric-policy")["speed"].clone();
    let gbit = full.as_str().expect("a speed").trim_matches(|c: char| !c.is_ascii_digit());
    let half = gbit.parse::<u64>().expect("digits") / 2;
    let job = json!({ "name": "j", "nodeCount": 1_056, "rateGbitPerNic": 8 });
    call(&mut plane, "POST", "/simulation/jobs", job);
    let (link, ports) = link_of(&mut plane, "global");
    let load = |plane: &mut ControlPlane| get(plane, &link)["load"].as_f64().expect("a load");
    let before = load(&mut plane);
    for (name, speed) in [("half", format!("BS_{half}G")), ("other", "BS_3G".to_string())] {
        let policy = json!({ "documentSelfLink": name, "state": "ONLINE", "speed": speed });
        assert_eq!(call(&mut plane, "POST", "/fabric/port-policies", policy).status, 201);
    }
    let set = |plane: &mut ControlPlane, name: &str| {
        let wish = json!({ "portPolicyLinks": [format!("/fabric/port-policies/{name}")] });
        ports.iter().for_each(|port| {
            call(plane, "PATCH", port, wish.clone());
        });
        plane.advance(plane.now().seconds() + 60.0);
    };
    set(&mut plane, "half");
    assert!((load(&mut plane) / before - 2.0).abs() < 1e-6);
    let state = plane.fabric_state(&[]).expect("no targets");
    assert!(state["toml"].as_str().expect("text").contains("lanes = 2"), "{state}");
    set(&mut plane, "other");
    let now = get(&mut plane, &link);
    assert_eq!(now["status"]["phase"], "MISMATCH");
    assert_eq!(now["status"]["reason"], "the ports do not have the speed of their policies");
}

#[test]
fn nested_values_of_policies_are_checked() {
    let mut plane = running();
    for body in [
        json!({ "flowControl": { "rx": "yes" } }),
        json!({ "flowControl": true }),
        json!({ "autoRetry": { "enabled": 1 } }),
        json!({ "autoRetry": { "num_retries": -1 } }),
        json!({ "autoRetry": { "num_retries": 2.5 } }),
        json!({ "autoRetry": { "duration_sec": -1 } }),
        json!({ "headShellReset": { "duration_sec": "10" } }),
        json!({ "allowedVlans": ["x"] }),
        json!({ "allowedVlans": [99_999_999_999_u64] }),
        json!({ "allowedVlans": ["65000"] }),
        json!({ "allowedVlans": ["/fabric/vlans/4095"] }),
        json!({ "nativeVlanId": 4_095 }),
    ] {
        let made = call(&mut plane, "PATCH", "/fabric/port-policies/fabric-policy", body.clone());
        assert_eq!(made.status, 400, "{body}");
    }
    let legal = json!({
        "flowControl": { "rx": true, "tx": true },
        "autoRetry": { "enabled": true, "always": false, "num_retries": 2, "duration_sec": 0.5 },
        "allowedVlans": ["/fabric/vlans/2", 3, "4094"],
        "nativeVlanId": "/fabric/vlans/2",
    });
    let made = call(&mut plane, "PATCH", "/fabric/port-policies/fabric-policy", legal);
    assert_eq!(made.status, 200, "{}", made.body);
}

#[test]
fn a_job_of_collectives_frees_its_own_trees_only() {
    let mut plane = running();
    let page = get(&mut plane, "/fabric/ports?$filter=portType eq 'edge'&$top=2&expand=true");
    let ports = page["documents"].as_object().expect("ports").values();
    let macs: Vec<Value> = ports.map(|port| port["mac"].clone()).collect();
    for job in ["c-1", "c-2"] {
        call(&mut plane, "POST", "/fabric/collectives/jobs", json!({ "jobID": job }));
        let tree = json!({ "jobID": job, "jobStepID": "0", "macs": macs });
        assert_eq!(call(&mut plane, "POST", "/fabric/collectives/multicasts", tree).status, 201);
    }
    let steps = json!({ "jobID": "c-2", "jobSteps": { "0": null } });
    assert_eq!(call(&mut plane, "PATCH", "/fabric/collectives/jobs/c-1", steps).status, 400);
    assert_eq!(get(&mut plane, "/fabric/collectives/multicasts")["totalCount"], 2);
    let steps = json!({ "jobSteps": { "0": null } });
    assert_eq!(call(&mut plane, "PATCH", "/fabric/collectives/jobs/c-1", steps).status, 200);
    let left = get(&mut plane, "/fabric/collectives/multicasts?expand=true");
    let left: Vec<&Value> = left["documents"].as_object().expect("trees").values().collect();
    assert_eq!((left.len(), &left[0]["jobID"]), (1, &json!("c-2")));
}

/// A tree keeps what its root and its number depend on.
#[test]
fn a_change_of_a_tree_keeps_its_place() {
    let mut plane = running();
    let page = get(&mut plane, "/fabric/ports?$filter=portType eq 'edge'&$top=3&expand=true");
    let ports = page["documents"].as_object().expect("ports").values();
    let macs: Vec<Value> = ports.map(|port| port["mac"].clone()).collect();
    for job in ["c-1", "c-2"] {
        let job = json!({ "jobID": job, "mcastLimit": 2 });
        assert_eq!(call(&mut plane, "POST", "/fabric/collectives/jobs", job).status, 201);
    }
    let tree = json!({ "jobID": "c-1", "jobStepID": "0", "macs": macs });
    let trees = "/fabric/collectives/multicasts";
    let all: Vec<Value> =
        (0..2).map(|_| call(&mut plane, "POST", trees, tree.clone()).body).collect();
    let second = all[1]["documentSelfLink"].as_str().expect("a path");
    // The root of the first tree is free, and it would be the first choice for the second one.
    let first = all[0]["documentSelfLink"].as_str().expect("a path");
    assert_eq!(call(&mut plane, "DELETE", first, Value::Null).status, 200);
    let mut replaced = tree.clone();
    replaced["timeout"] = json!(7);
    for (method, body) in [("PATCH", json!({ "timeout": 7, "hwRoot": "x" })), ("PUT", replaced)] {
        let changed = call(&mut plane, method, second, body);
        assert_eq!((changed.status, &changed.body["timeout"]), (200, &json!(7)));
        for name in ["hwRoot", "mcastID"] {
            assert_eq!(changed.body[name], all[1][name], "{method}: {name}");
        }
    }
    for body in [
        json!({ "jobID": "c-2" }),
        json!({ "jobStepID": "1" }),
        json!({ "jobStepID": null }),
        json!({ "macs": [macs[2]] }),
    ] {
        assert_eq!(call(&mut plane, "PATCH", second, body.clone()).status, 400, "{body}");
    }
    let steps = |plane: &mut ControlPlane, job: &str| {
        get(plane, &format!("/fabric/collectives/jobs/{job}"))["jobSteps"].clone()
    };
    assert_eq!(steps(&mut plane, "c-1"), json!({ "0": [2] }));
    assert_eq!(steps(&mut plane, "c-2"), json!({}));
}

/// What begins after the end of simulated time never begins, so it is refused.
#[test]
fn requests_beyond_the_end_of_time_are_refused() {
    let slow = Options {
        deployment_s: 86_400.0,
        routing_s: 86_400.0,
        topology_s: 86_400.0,
        start: "running".into(),
        ..Options::published()
    };
    let mut plane = plane_of("dragonfly-1056", slow);
    let (link, _) = link_of(&mut plane, "global");
    let (other, _) = link_of(&mut plane, "local");
    let fault = |plane: &mut ControlPlane, delay: f64| {
        let fault = json!({ "target": target(&link), "kind": "DOWN", "delaySeconds": delay });
        call(plane, "POST", "/simulation/faults", fault).status
    };
    let maintain = |plane: &mut ControlPlane, name: &str, link: &str| {
        let order =
            json!({ "name": name, "targets": [target(link)], "hold": true, "drain": false });
        call(plane, "POST", "/fabric/maintenances", order).status
    };
    // Diagnosis takes 30 s; the limit of the stage after it is 120 s.
    plane.advance(control::END_S - 150.0);
    assert_eq!(maintain(&mut plane, "m", &link), 201);
    plane.advance(control::END_S - 100.0);
    assert_eq!(maintain(&mut plane, "n", &other), 409);
    let restore = json!({ "action": "RESTORE" });
    assert_eq!(call(&mut plane, "PATCH", "/fabric/maintenances/m", restore).status, 409);
    assert_eq!((fault(&mut plane, 99.0), fault(&mut plane, 101.0)), (201, 409));
    plane.advance(control::END_S);
    assert_eq!(fault(&mut plane, 0.0), 409);
    for kind in ["STORM", "RANDOM"] {
        let many = json!({ "kind": kind, "count": 3, "seconds": 0 });
        assert_eq!(call(&mut plane, "POST", "/simulation/faults", many).status, 409, "{kind}");
    }
}

/// 162 days: sweeps and faults also work after 1e6 s.
#[test]
fn time_goes_on_for_months() {
    let slow = Options {
        deployment_s: 86_400.0,
        routing_s: 86_400.0,
        topology_s: 86_400.0,
        start: "running".into(),
        ..Options::published()
    };
    let mut plane = plane_of("dragonfly-1056", slow);
    let (link, _) = link_of(&mut plane, "global");
    plane.advance(control::END_S - 3.0 * 86_400.0);
    let fault = json!({ "target": target(&link), "kind": "DOWN", "durationSeconds": 3_600 });
    assert_eq!(call(&mut plane, "POST", "/simulation/faults", fault).status, 201);
    plane.advance(plane.now().seconds() + 3_000.0);
    assert_eq!(phase(&mut plane, &link), "FAULTY");
    plane.advance(plane.now().seconds() + 2.0 * 86_400.0);
    assert_eq!(phase(&mut plane, &link), "ONLINE");
    let swept = get(&mut plane, "/simulation/sweeps")["routing"]["completed"].clone();
    assert!(swept.as_u64().is_some_and(|n| n >= 159), "{swept}");
    plane.advance(1e9);
    assert_eq!(plane.now().seconds(), control::END_S);
}

/// Filters read single fields; they must accept what they accept on documents.
#[test]
fn a_field_of_a_filter_is_that_of_the_document() {
    let mut plane = running();
    let (link, ports) = link_of(&mut plane, "edge");
    call(&mut plane, "PATCH", &ports[0], json!({ "note": { "by": "me" } }));
    for (collection, link) in [("/fabric/ports", &ports[0]), ("/fabric/links", &link)] {
        let document = get(&mut plane, link);
        let mut checked = 0;
        let fields = document.as_object().expect("fields").clone();
        let status = fields["status"].as_object().expect("fields").clone();
        let nested = status.into_iter().map(|(name, value)| (format!("status.{name}"), value));
        for (name, value) in fields.into_iter().chain(nested) {
            let literal = match &value {
                Value::String(text) => format!("'{text}'"),
                Value::Number(_) | Value::Bool(_) | Value::Null => value.to_string(),
                _ => continue,
            };
            checked += 1;
            let path = format!("{collection}?$filter={name} eq {literal}");
            let found = get(&mut plane, &path);
            let links = found["documentLinks"].as_array().expect("links");
            assert!(links.iter().any(|found| found == link.as_str()), "{path}");
        }
        assert!(checked > 20, "{checked}");
    }
    let found = get(&mut plane, "/fabric/ports?$filter=note/by eq 'me'");
    assert_eq!(found["documentLinks"], json!([ports[0]]));
}

/// Destination fabric addresses as sshot-net-operator computes them: group, switch and port.
#[test]
fn a_block_names_edge_ports_by_their_addresses() {
    let mut plane = running();
    let page = get(&mut plane, "/fabric/switches?$filter=grpId eq 2 and swcNum eq 1&expand=true");
    let switch = page["documents"].as_object().expect("one").values().next().expect("one").clone();
    let number = |port: &Value| port["portNum"].as_u64().expect("a number");
    let dfa = |port: u64| 2u64 << 23 | 1 << 18 | port << 12;
    let edge = number(&switch["edgePorts"][0]);
    let inner = number(&switch["fabricPorts"][0]);
    for (name, address, status) in [
        ("portDFAs", dfa(edge), 201),
        ("edgePortDFAs", dfa(edge), 201),
        ("portDFAs", dfa(inner), 400),
        ("portDFAs", dfa(edge) + 1, 400),
        ("portDFAs", dfa(edge) | 1 << 53, 400),
        ("portDFAs", dfa(edge) | 1 << 63, 400),
        ("portDFAs", dfa(63), 400),
    ] {
        let block = json!({ "vniBlockName": format!("{name}-{status}"), name: [address] });
        let made = call(&mut plane, "POST", "/fabric/vni/blocks", block);
        assert_eq!(made.status, status, "{address}: {}", made.body);
    }
}

/// The formula of the message holds for machines with larger groups, too.
#[test]
fn a_block_of_a_wide_machine_names_ports_by_the_formula_of_its_message() {
    let set = [
        ("groups.compute.count", "2"),
        ("groups.compute.switches", "33"),
        ("groups.compute.nodes", "33"),
        ("switch.ports", "64"),
    ];
    let set: Vec<_> = set.iter().map(|&(k, v)| (k.to_string(), v.to_string())).collect();
    let text = preset("dragonfly-1056").expect("a preset");
    let spec = MachineSpec::parse("wide", text, &set).and_then(|spec| spec.resolve());
    let mut plane =
        ControlPlane::new(spec.expect("legal"), 0, Options::published()).expect("legal options");
    let page = get(&mut plane, "/fabric/switches?$filter=grpId eq 1 and swcNum eq 32&expand=true");
    let switch = page["documents"].as_object().expect("one").values().next().expect("one").clone();
    let edge = switch["edgePorts"][0]["portNum"].as_u64().expect("a number");
    let block = |plane: &mut ControlPlane, name: &str, dfa: u64| {
        let block = json!({ "vniBlockName": name, "portDFAs": [dfa] });
        call(plane, "POST", "/fabric/vni/blocks", block)
    };
    let narrow = block(&mut plane, "narrow", 1 << 23 | 32 << 18 | edge << 12);
    let message = narrow.body["message"].as_str().expect("text");
    let formula = "1 << 51 | group << 34 | switch << 22 | port << 12";
    assert!(narrow.status == 400 && message.ends_with(formula), "{message}");
    let wide = block(&mut plane, "wide", 1 << 51 | 1 << 34 | 32 << 22 | edge << 12);
    assert_eq!(wide.status, 201, "{}", wide.body);
}

/// libfabric compares the root with the addresses of its NICs: 20 bits in six octets.
#[test]
fn trees_have_roots_that_libfabric_finds() {
    let mut plane = running();
    let page = get(&mut plane, "/fabric/ports?$filter=portType eq 'edge'&$top=2&expand=true");
    let ports = page["documents"].as_object().expect("ports").values();
    let nids: Vec<u64> = ports
        .map(|port| {
            let text = port["mac"].as_str().expect("an address").replace(':', "");
            u64::from_str_radix(&text, 16).expect("hexadecimal") & 0xf_ffff
        })
        .collect();
    // "%01X:%02X:%02X" (prov/cxi/src/cxip_coll.c).
    let macs: Vec<String> = nids
        .iter()
        .map(|nid| format!("{:01X}:{:02X}:{:02X}", nid >> 16, nid >> 8 & 0xff, nid & 0xff))
        .collect();
    call(&mut plane, "POST", "/fabric/collectives/jobs", json!({ "jobID": "c-1" }));
    let tree = json!({ "macs": macs, "vni": 10, "timeout": 20_000, "jobID": "c-1",
                       "jobStepID": "0" });
    for nid in nids {
        let made = call(&mut plane, "POST", "/fabric/collectives/multicasts", tree.clone());
        assert_eq!(made.status, 201, "{}", made.body);
        let root = made.body["hwRoot"].as_str().expect("a text");
        let octets: Vec<u64> =
            root.split(':').map(|o| u64::from_str_radix(o, 16).expect("hexadecimal")).collect();
        assert_eq!(octets.len(), 6);
        assert_eq!(octets.iter().fold(0, |sum, octet| sum << 8 | octet), nid);
        assert!(made.body["mcastID"].as_u64().is_some_and(|id| id < 8_192));
    }
    let made = call(&mut plane, "POST", "/fabric/collectives/multicasts", tree);
    assert_eq!(made.status, 409, "each NIC is the root of a tree");
}

/// VLANs are named by their numbers, which sshot-net-operator reads from their links.
#[test]
fn vlans_have_their_numbers_as_names() {
    let mut plane = running();
    let vlan = json!({ "name": "tenant", "id": 2, "status": "ONLINE" });
    let made = call(&mut plane, "POST", "/fabric/vlans", vlan);
    assert_eq!((made.status, &made.body["documentSelfLink"]), (201, &json!("/fabric/vlans/2")));
    for (method, body, status) in [
        ("PATCH", json!({ "id": 3 }), 400),
        ("PUT", json!({ "id": 3 }), 400),
        ("PATCH", json!({ "id": 2, "name": "other" }), 200),
        ("PUT", json!({ "id": 2 }), 200),
    ] {
        let made = call(&mut plane, method, "/fabric/vlans/2", body.clone());
        assert_eq!(made.status, status, "{method} {body}");
    }
    assert_eq!(get(&mut plane, "/fabric/vlans/2")["id"], 2);
}
