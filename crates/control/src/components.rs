//! Documents that are derived from the fabric: switches, ports, links, agents, the live topology
//! and health.
//!
//! Reads the state; changes nothing. Fields with a public source are those of HPE's guides and
//! clients (sshot-net-operator, sat); the others are extensions of ours, listed in
//! docs/models/fabric-manager.md.

use base::Time;
use machine::SwitchId;
use serde_json::{Map, Value, json};

use crate::fabric::Fabric;
use crate::policy::PortConfig;
use crate::wiring::{CableId, PortId};
use crate::xnames::Component;

pub const POLICIES: &str = "/fabric/port-policies/";

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => unreachable!("a literal of an object"),
    }
}

pub fn switch_link(fabric: &Fabric, switch: SwitchId) -> String {
    format!("/fabric/switches/{}", fabric.names.controller(switch))
}
pub fn agent_link(fabric: &Fabric, switch: SwitchId) -> String {
    format!("/fabric/agents/{}", fabric.names.controller(switch))
}
pub fn port_link(fabric: &Fabric, port: PortId) -> String {
    format!("/fabric/ports/{}", fabric.names.port(&fabric.wiring, port))
}
/// The two ends joined by a hyphen.
pub fn cable_name(fabric: &Fabric, cable: CableId) -> String {
    let ends = &fabric.wiring.cables[cable];
    let far = fabric.names.far_end(&fabric.machine, &fabric.wiring, ends.b);
    format!("{}-{far}", fabric.names.port(&fabric.wiring, ends.a))
}
pub fn cable_link(fabric: &Fabric, cable: CableId) -> String {
    format!("/fabric/links/{}", cable_name(fabric, cable))
}

pub fn find_switch(fabric: &Fabric, name: &str) -> Option<SwitchId> {
    match fabric.names.parse(&fabric.machine, &fabric.wiring, name)? {
        Component::Switch(switch) => Some(switch),
        _ => None,
    }
}
pub fn find_port(fabric: &Fabric, name: &str) -> Option<PortId> {
    match fabric.names.parse(&fabric.machine, &fabric.wiring, name)? {
        Component::Port(port) => Some(port),
        _ => None,
    }
}
/// A link by its two ends, in either order.
pub fn find_cable(fabric: &Fabric, name: &str) -> Option<CableId> {
    let (a, b) = name.split_once('-')?;
    let port = find_port(fabric, a).or_else(|| find_port(fabric, b))?;
    let cable = fabric.wiring.ports[port].cable;
    let ends = &fabric.wiring.cables[cable];
    let far = fabric.names.far_end(&fabric.machine, &fabric.wiring, ends.b);
    let near = fabric.names.port(&fabric.wiring, ends.a);
    ((a, b) == (&near, &far) || (a, b) == (&far, &near)).then_some(cable)
}

pub fn switch_fields(fabric: &Fabric, switch: SwitchId) -> Map<String, Value> {
    let wiring = &fabric.wiring;
    let (mut edge_links, mut fabric_links) = (Vec::new(), Vec::new());
    let (mut edges, mut inner) = (Vec::new(), Vec::new());
    for port in wiring.ports_of(switch) {
        let row = json!({
            "portNum": wiring.ports[port].number,
            "conn_port": fabric.names.port(wiring, port),
        });
        let (links, rows) = if wiring.is_edge(port) {
            (&mut edge_links, &mut edges)
        } else {
            (&mut fabric_links, &mut inner)
        };
        links.push(port_link(fabric, port));
        rows.push(row);
    }
    let group = fabric.machine.switch_group[switch];
    let is_compute = fabric.machine.kinds[usize::from(fabric.machine.group_kind[group])].compute;
    let name = fabric.names.controller(switch);
    json!({
        "IP": name,
        "displayName": name,
        "grpId": group.0,
        "swcNum": wiring.index_in_group(&fabric.machine, switch),
        // Liquid-cooled blades are Colorado, switches of racks Columbia.
        "switchType": if is_compute { "Colorado" } else { "Columbia" },
        "firmwareVersion": "odonata",
        "firmwareImage": "odonata",
        "serialNumber": format!("OD{:08}", switch.0),
        "agentLink": agent_link(fabric, switch),
        "edgePortLinks": edge_links,
        "fabricPortLinks": fabric_links,
        "edgePorts": edges,
        "fabricPorts": inner,
        "switchLabelList": [],
        "switchPolicyLink": "/fabric/switch-policies/switch-policy",
        "state": if fabric.agents[switch].is_working { "ONLINE" } else { "OFFLINE" },
    })
    .into_map()
}

/// `Value` to its fields.
trait IntoMap {
    fn into_map(self) -> Map<String, Value>;
}
impl IntoMap for Value {
    fn into_map(self) -> Map<String, Value> {
        object(self)
    }
}

/// Fields of a port.
pub const PORT: [&str; 12] = [
    "conn_port",
    "id",
    "portNumber",
    "switchLink",
    "dst_port",
    "portPolicyLinks",
    "portType",
    "portSubtype",
    "mac",
    "linkLink",
    "status",
    "hsnIp",
];

/// One field of a port, if it has it.
pub fn port_field(fabric: &Fabric, port: PortId, name: &str) -> Option<Value> {
    let wiring = &fabric.wiring;
    let own = wiring.ports[port];
    Some(match name {
        "conn_port" => json!(fabric.names.port(wiring, port)),
        "id" => json!(fabric.names.asic_port(wiring, port)),
        "portNumber" => json!(own.number),
        "switchLink" => json!(switch_link(fabric, own.switch)),
        "dst_port" => json!(fabric.names.far_end(&fabric.machine, wiring, wiring.far_end(port))),
        "portPolicyLinks" => {
            let policies = fabric.policies.names_of(fabric.desired[port]).iter();
            json!(policies.map(|name| format!("{POLICIES}{name}")).collect::<Vec<_>>())
        }
        "portType" => json!(if wiring.is_edge(port) { "edge" } else { "fabric" }),
        "portSubtype" => json!(wiring.link_type(port)),
        "mac" => json!(fabric.names.mac(wiring, port).to_string()),
        "linkLink" => json!(cable_link(fabric, own.cable)),
        "status" => link_status(fabric, own.cable),
        "hsnIp" if wiring.is_edge(port) => json!(fabric.names.ip(wiring, port)),
        _ => return None,
    })
}

pub fn port_fields(fabric: &Fabric, port: PortId) -> Map<String, Value> {
    fields_of(&PORT, |name| port_field(fabric, port, name))
}

fn fields_of(names: &[&str], field: impl Fn(&str) -> Option<Value>) -> Map<String, Value> {
    names.iter().filter_map(|&name| Some((name.to_string(), field(name)?))).collect()
}

/// State of a link as its own switches have it.
fn link_status(fabric: &Fabric, cable: CableId) -> Value {
    let condition = fabric.condition(cable);
    let config: &PortConfig = fabric.policies.config(fabric.actual[fabric.wiring.cables[cable].a]);
    json!({
        "state": if fabric.is_up(cable) { "ONLINE" } else { "OFFLINE" },
        "phase": fabric.phase(cable).name(),
        "reason": reason(fabric, cable),
        "speed": config.speed,
        "lanes": fabric.lanes_in_use(cable),
        "bitErrorRate": condition.ber,
        "flaps": fabric.history.get(&cable).map_or(0, |history| history.flaps),
    })
}

/// Why a link is down, for `linkdbg`; empty if it is up.
fn reason(fabric: &Fabric, cable: CableId) -> &'static str {
    use crate::link_state::Phase;
    match fabric.phase(cable) {
        Phase::Online => "",
        Phase::Offline => "a port policy keeps the port offline",
        Phase::Mismatch if has_equal_policies(fabric, cable) => {
            "the ports do not have the speed of their policies"
        }
        Phase::Mismatch => "the policies of the two ports differ",
        Phase::NoPeer => "the switch at one end does not work",
        Phase::Faulty => "no signal; tuning is retried",
        Phase::Tuning => "the link is tuning",
        Phase::Failed => "no signal; all retries are used up",
    }
}

fn has_equal_policies(fabric: &Fabric, cable: CableId) -> bool {
    let mut configs = fabric.wiring.cables[cable].ports().map(|port| fabric.config(port));
    matches!((configs.next(), configs.next()), (Some(a), Some(b)) if a.agrees(b))
}

/// Scores from 0 (good) to 6 (bad), as `show-flaps` has them. The rule is an extension of ours:
/// one point for each doubling of the flaps of the last day.
pub fn flap_score(flaps: u32, last: Time, now: Time) -> u32 {
    const DAY_S: f64 = 86_400.0;
    let is_recent = now.since(last).seconds() < DAY_S;
    if flaps == 0 || !is_recent { 0 } else { (flaps + 1).ilog2().min(6) }
}

/// Fields of a link.
pub const CABLE: [&str; 13] = [
    "name",
    "portLinks",
    "farEnd",
    "linkType",
    "status",
    "isRouted",
    "isDrained",
    "load",
    "flapCount",
    "secondsSinceLastFlap",
    "flapPeriodSeconds",
    "flapScore",
    "secondsDown",
];

/// One field of a link. `load` is evaluated for that field only.
pub fn cable_field(
    fabric: &Fabric,
    cable: CableId,
    load: &dyn Fn() -> f64,
    name: &str,
) -> Option<Value> {
    let ends = &fabric.wiring.cables[cable];
    let history = || fabric.history.get(&cable).copied().unwrap_or_default();
    let seconds = |n: u32, value: f64| if n == 0 { Value::Null } else { json!(value) };
    Some(match name {
        "name" => json!(cable_name(fabric, cable)),
        "portLinks" => {
            json!(ends.ports().map(|port| port_link(fabric, port)).collect::<Vec<_>>())
        }
        "farEnd" => json!(fabric.names.far_end(&fabric.machine, &fabric.wiring, ends.b)),
        "linkType" => json!(fabric.wiring.link_type(ends.a)),
        "status" => link_status(fabric, cable),
        "isRouted" => json!(fabric.is_routed(cable)),
        "isDrained" => json!(fabric.is_drained(cable)),
        "load" => json!(load()),
        "flapCount" => json!(history().flaps),
        "secondsSinceLastFlap" => {
            let own = history();
            seconds(own.flaps, fabric.now.since(own.last_flap).seconds())
        }
        "flapPeriodSeconds" => {
            let own = history();
            let (gaps, all) = (own.flaps.saturating_sub(1), own.last_flap.since(own.first_flap));
            seconds(gaps, all.seconds() / f64::from(gaps.max(1)))
        }
        "flapScore" => json!(flap_score(history().flaps, history().last_flap, fabric.now)),
        "secondsDown" => {
            json!(fabric.down_since(cable).map(|since| fabric.now.since(since).seconds()))
        }
        _ => return None,
    })
}

pub fn cable_fields(fabric: &Fabric, cable: CableId, load: &dyn Fn() -> f64) -> Map<String, Value> {
    fields_of(&CABLE, |name| cable_field(fabric, cable, load, name))
}

/// Desired and actual configuration of an agent: the ports whose configurations differ.
pub fn agent_fields(fabric: &Fabric, switch: SwitchId, last_poll: Time) -> Map<String, Value> {
    let agent = fabric.agents[switch];
    let wiring = &fabric.wiring;
    let mut pending = Map::new();
    for port in wiring.ports_of(switch) {
        let desired = fabric.policies.config_of(fabric.desired[port]);
        if desired != fabric.actual[port] {
            let configs = json!({
                "desired": fabric.policies.config(desired).document(),
                "actual": fabric.policies.config(fabric.actual[port]).document(),
            });
            pending.insert(fabric.names.port(wiring, port), configs);
        }
    }
    let answered = if agent.is_reachable { last_poll } else { agent.lost_at };
    json!({
        "switchLink": switch_link(fabric, switch),
        "state": if agent.is_reachable { "AVAILABLE" } else { "UNAVAILABLE" },
        "inSync": pending.is_empty(),
        "pendingPorts": pending,
        "deployments": agent.deployments,
        "lastHeardTimeMicros": fabric.micros(answered),
    })
    .into_map()
}

/// The live topology as of its last sweep.
pub fn topology_fields(fabric: &Fabric, interval_ms: u64) -> Map<String, Value> {
    let state = |is_on: bool| if is_on { "ONLINE" } else { "OFFLINE" };
    let rows = (0..fabric.wiring.n_switches() as u32).map(|switch| {
        let switch = SwitchId(switch);
        let (mut edges, mut inner) = (Map::new(), Map::new());
        for port in fabric.wiring.ports_of(switch) {
            let of = if fabric.wiring.is_edge(port) { &mut edges } else { &mut inner };
            let is_up = fabric.is_reported(fabric.wiring.ports[port].cable);
            of.insert(fabric.names.port(&fabric.wiring, port), json!(state(is_up)));
        }
        json!({
            "switchLink": switch_link(fabric, switch),
            "enabled": state(fabric.agents[switch].is_reachable),
            "edgePortStateMap": edges,
            "fabricPortStateMap": inner,
        })
    });
    json!({
        "sweepIntervalInMilliseconds": interval_ms,
        "edgePortChange": fabric.unreported.iter().any(|cable| cable.0 < fabric.wiring.edges),
        "fabricPortChange": fabric.unreported.iter().any(|cable| cable.0 >= fabric.wiring.edges),
        "fabricStatus": rows.collect::<Vec<_>>(),
    })
    .into_map()
}

/// The ports of a first-generation port set.
pub fn port_set(fabric: &Fabric, is_edge: bool, with_status: bool) -> Value {
    let ports = fabric.wiring.ports.ids().filter(|&port| fabric.wiring.is_edge(port) == is_edge);
    let rows = ports.map(|port| {
        let mut row = json!({ "xname": fabric.names.port(&fabric.wiring, port) });
        if with_status {
            let enable = fabric.policies.config(fabric.actual[port]).is_online;
            row["status"] = json!({ "enable": enable });
        }
        row
    });
    json!({ "ports": rows.collect::<Vec<_>>() })
}
