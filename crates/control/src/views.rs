//! Views of the whole fabric: metrics, the counts of `fmn-show-status`, and arrays for pages that
//! draw it. They read the state and change nothing.

use machine::{LinkKind, SwitchId};
use serde_json::{Value, json};

use crate::documents::{Response, sort};
use crate::filter::{Query, Scalar};
use crate::state::PlaneState;
use crate::wiring::{FarEnd, PortId};

/// Metrics of a port. `Congestion.rxBW` is documented (shs-docs); the others are ours.
const METRICS: [&str; 5] = ["PortState", "Lanes", "LinkFlaps", "BitErrorRate", "Congestion.rxBW"];

/// Rows without a limit in the query; more would be a response of hundreds of megabytes.
const MAX_ROWS: usize = 100_000;

/// One row: a metric of a port.
#[derive(Clone, Copy)]
struct Row {
    port: PortId,
    metric: usize,
}

impl Row {
    fn value(self, plane: &PlaneState) -> f64 {
        let fabric = &plane.fabric;
        let cable = fabric.wiring.ports[self.port].cable;
        match METRICS[self.metric] {
            "PortState" => f64::from(u8::from(fabric.is_up(cable))),
            "Lanes" => f64::from(fabric.lanes(cable)),
            "LinkFlaps" => f64::from(fabric.history.get(&cable).map_or(0, |h| h.flaps)),
            "BitErrorRate" => fabric.condition(cable).ber,
            _ => plane.bandwidth(self.port),
        }
    }

    fn field(self, plane: &PlaneState, name: &str) -> Option<Scalar> {
        let fabric = &plane.fabric;
        let own = fabric.wiring.ports[self.port];
        let number = |n: u32| Scalar::Number(f64::from(n));
        Some(match name {
            "Location" => Scalar::Text(fabric.names.asic_port(&fabric.wiring, self.port)),
            "PhysicalContext" => Scalar::Text(METRICS[self.metric].to_string()),
            "ParentalIndex" => number(fabric.machine.switch_group[own.switch].0),
            "Index" => number(fabric.wiring.index_in_group(&fabric.machine, own.switch)),
            "SubIndex" => number(own.number.into()),
            "DeviceSpecificContext" => Scalar::Text(fabric.wiring.link_type(self.port).to_string()),
            "Value" => Scalar::Number(self.value(plane)),
            "Timestamp" => Scalar::Text(fabric.timestamp(fabric.now)),
            _ => return None,
        })
    }

    fn document(self, plane: &PlaneState) -> Value {
        let fabric = &plane.fabric;
        let own = fabric.wiring.ports[self.port];
        json!({
            "Timestamp": fabric.timestamp(fabric.now),
            "Location": fabric.names.asic_port(&fabric.wiring, self.port),
            "ParentalIndex": fabric.machine.switch_group[own.switch].0,
            "PhysicalContext": METRICS[self.metric],
            "Index": fabric.wiring.index_in_group(&fabric.machine, own.switch),
            "DeviceSpecificContext": fabric.wiring.link_type(self.port),
            "SubIndex": own.number,
            "Value": self.value(plane).to_string(),
        })
    }
}

/// Rows that a query of metrics selects, in the form of OData.
pub(crate) fn metrics(plane: &PlaneState, query: &Query) -> Response {
    let fabric = &plane.fabric;
    let required = |name: &str| query.filter.as_ref().and_then(|filter| filter.required(name));
    let metrics: Vec<usize> = match required("PhysicalContext") {
        Some(name) => METRICS.iter().position(|own| *own == name).into_iter().collect(),
        None => (0..METRICS.len()).collect(),
    };
    let ports: Vec<PortId> = match required("Location") {
        Some(name) => crate::components::find_port(fabric, name).into_iter().collect(),
        None => fabric.wiring.ports.ids().collect(),
    };
    let all =
        ports.iter().flat_map(|&port| metrics.iter().map(move |&metric| Row { port, metric }));
    let accepted = |row: &Row| {
        query.filter.as_ref().is_none_or(|filter| filter.accepts(&|name| row.field(plane, name)))
    };
    let rows: Vec<Row> = all.filter(accepted).collect();
    let mut order: Vec<usize> = (0..rows.len()).collect();
    if let Some((field, descending)) = &query.orderby {
        sort(&mut order, *descending, |at| rows[at].field(plane, field));
    }
    let total = rows.len();
    let limit = query.top.unwrap_or(MAX_ROWS).min(query.limit.unwrap_or(MAX_ROWS)).min(MAX_ROWS);
    let shown = order.into_iter().skip(query.skip).take(limit);
    let values: Vec<Value> = shown.map(|at| rows[at].document(plane)).collect();
    let mut body = json!({ "@odata.context": "/metrics" });
    if query.count {
        body["@odata.count"] = json!(total);
    }
    if query.skip + values.len() < total && query.top.is_none() {
        let next = query.skip + values.len();
        let mut link = format!("/metrics?$skip={next}&$limit={limit}");
        if query.filter.is_some() {
            link += &format!("&$filter={}", crate::filter::encoded(&query.filter_text));
        }
        if let Some((field, descending)) = &query.orderby {
            let order = if *descending { "%20desc" } else { "" };
            link += &format!("&$orderby={}{order}", crate::filter::encoded(field));
        }
        body["@odata.nextLink"] = json!(link);
    }
    body["value"] = json!(values);
    Response::ok(body)
}

/// Names listed per kind; the counts are complete.
const MAX_NAMES: usize = 1_000;

pub(crate) fn status(plane: &PlaneState) -> Value {
    let fabric = &plane.fabric;
    let wiring = &fabric.wiring;
    let n_switches = wiring.n_switches();
    let (edges, cables) = (wiring.edges, wiring.cables.len() as u32);
    let behind: Vec<SwitchId> =
        fabric.undeployed.iter().copied().filter(|&s| !fabric.is_in_sync(s)).collect();
    let offline = fabric.agents.iter().filter(|(_, agent)| !agent.is_reachable);
    let offline: Vec<SwitchId> = offline.map(|(switch, _)| switch).collect();
    let lost: usize = offline.iter().map(|&switch| wiring.ports_of(switch).count()).sum();
    let names = |all: &[SwitchId]| -> Vec<String> {
        all.iter().take(MAX_NAMES).map(|&switch| fabric.names.controller(switch)).collect()
    };
    let (mut edge_down, mut fabric_down) = (Vec::new(), Vec::new());
    for cable in wiring.cables.ids().filter(|&cable| !fabric.is_up(cable)) {
        let ends = &wiring.cables[cable];
        let down = if ends.is_edge() { &mut edge_down } else { &mut fabric_down };
        if down.len() < MAX_NAMES {
            down.push(crate::components::cable_name(fabric, cable));
        }
    }
    let word = |good: bool| if good { "HEALTHY" } else { "UNHEALTHY" };
    json!({
        "nowSeconds": fabric.now.seconds(),
        "edge": { "online": fabric.counts.edge_up, "total": edges },
        // Both ends of a link between switches are ports.
        "fabric": { "online": 2 * fabric.counts.fabric_up, "total": 2 * (cables - edges) },
        "portsReported": {
            "reported": wiring.ports.len() - lost,
            "total": wiring.ports.len(),
        },
        "synchronizedSwitches": { "synchronized": n_switches - behind.len(), "total": n_switches },
        "incompleteSwitches": names(&behind),
        "downedLinks": {
            "edge": edge_down,
            "fabric": fabric_down,
            "edgeCount": edges - fabric.counts.edge_up,
            "fabricCount": cables - edges - fabric.counts.fabric_up,
        },
        "offlineSwitches": names(&offline),
        "activeTopology": "template-policy",
        "health": {
            "Runtime": word(plane.health.runtime),
            "Configuration": word(plane.health.configuration),
            "Traffic": word(plane.health.traffic),
            "Security": word(true),
        },
        "isManaged": plane.sweeps.active.is_some(),
        "events": fabric.telemetry.next(),
        "eventTotals": fabric.telemetry.totals,
    })
}

/// Groups, switches and links between switches as arrays. Edge links are counts per switch.
pub(crate) fn layout(plane: &PlaneState) -> Value {
    let fabric = &plane.fabric;
    let (machine, wiring) = (&fabric.machine, &fabric.wiring);
    let n_switches = wiring.n_switches();
    let groups: Vec<Value> = (0..machine.n_groups as usize)
        .map(|group| {
            let kind = usize::from(machine.group_kind.raw[group]);
            let (first, end) = (wiring.group_first[group], wiring.group_first[group + 1]);
            json!({ "kind": machine.kinds[kind].name, "first": first, "switches": end - first })
        })
        .collect();
    let switches = || (0..n_switches as u32).map(SwitchId);
    let state = |switch: SwitchId| match fabric.agents[switch] {
        agent if !agent.is_working => "OFFLINE",
        agent if !agent.is_reachable => "UNREACHABLE",
        _ if !fabric.is_in_sync(switch) => "INCOMPLETE",
        _ => "ONLINE",
    };
    let edges_up = |switch: SwitchId| {
        let own = wiring.ports_of(switch).filter(|&port| wiring.is_edge(port));
        own.filter(|&port| fabric.is_up(wiring.ports[port].cable)).count()
    };
    let edges =
        |switch: SwitchId| wiring.ports_of(switch).filter(|&port| wiring.is_edge(port)).count();
    let (mut a, mut b, mut global, mut phase, mut load) = (vec![], vec![], vec![], vec![], vec![]);
    for (cable, ends) in wiring.cables.iter().filter(|(_, ends)| !ends.is_edge()) {
        let FarEnd::Port(far) = ends.b else { continue };
        a.push(wiring.ports[ends.a].switch.0);
        b.push(wiring.ports[far].switch.0);
        global.push(u8::from(ends.kind == LinkKind::Global));
        phase.push(fabric.phase(cable) as u8);
        load.push((plane.load(cable) * 1e3).round() / 1e3);
    }
    json!({
        "nowSeconds": fabric.now.seconds(),
        "phases": PHASES,
        "groups": groups,
        "switches": {
            "xname": switches().map(|switch| fabric.names.controller(switch)).collect::<Vec<_>>(),
            "group": machine.switch_group.raw.iter().map(|group| group.0).collect::<Vec<_>>(),
            "state": switches().map(state).collect::<Vec<_>>(),
            "edgePorts": switches().map(edges).collect::<Vec<_>>(),
            "edgeOnline": switches().map(edges_up).collect::<Vec<_>>(),
        },
        "links": {
            "a": a, "b": b, "isGlobal": global, "phase": phase, "load": load,
            "first": wiring.edges,
        },
    })
}

/// Names of phases by number.
const PHASES: [&str; 7] =
    ["OFFLINE", "MISMATCH", "NO_PEER", "FAULTY", "TUNING", "ONLINE", "FAILED"];
