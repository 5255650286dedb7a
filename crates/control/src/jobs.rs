//! Jobs on the fabric, below `/simulation/jobs`, and the predicted effect of an action on them,
//! below `/simulation/impacts`. An extension of ours.

use std::collections::BTreeSet;

use machine::names::expand;
use machine::{NodeId, SwitchId};
use serde_json::{Map, Value, json};

use crate::components::cable_name;
use crate::documents::{Request, Response, Revision, list_by_name};
use crate::filter::Query;
use crate::maintenance::parsed_targets;
use crate::state::PlaneState;
use crate::stored;
use crate::traffic::{Loads, TrafficJob};
use crate::wiring::CableId;
use crate::xnames::Component;

const PATH: &str = "/simulation/jobs";
/// Rate per NIC of a job that states none: half of a link of 200 Gbit/s `[estimate]`.
const DEFAULT_GBIT_S: f64 = 100.0;

pub(crate) fn answer(
    plane: &mut PlaneState,
    path: &str,
    request: &Request,
    query: &Query,
) -> Response {
    if path == PATH && request.method == "GET" {
        return list(plane, query);
    }
    let name = match stored::name_of(path, PATH, request, "name") {
        Ok(name) => name,
        Err(response) => return response,
    };
    let exists = plane.traffic.jobs.contains_key(&name);
    match (request.method.as_str(), exists) {
        ("POST", true) => Response::error(409, format!("{PATH}/{name} exists")),
        ("POST", false) => create(plane, &name, request),
        (_, false) => Response::not_found(path),
        ("GET", true) => Response::ok(document(plane, &name)),
        ("DELETE", true) => {
            let last = document(plane, &name);
            plane.traffic.jobs.remove(&name);
            plane.traffic.invalidate();
            Response::ok(last)
        }
        (method, true) => Response::not_allowed(method, path),
    }
}

fn list(plane: &PlaneState, query: &Query) -> Response {
    let revision = Revision { micros: plane.fabric.micros(plane.now()), version: 0 };
    list_by_name(PATH, plane.traffic.jobs.keys(), &|name| document(plane, name), query, revision)
}

fn document(plane: &PlaneState, name: &str) -> Value {
    let job = &plane.traffic.jobs[name];
    let machine = &plane.fabric.machine;
    let groups: BTreeSet<u32> = job
        .nodes
        .iter()
        .map(|&node| machine.group_of(machine::NicId(machine.node_nics[node])).0)
        .collect();
    json!({
        "documentSelfLink": format!("{PATH}/{name}"),
        "name": name,
        "nodes": job.nodes.iter().map(|node| node.0).collect::<Vec<_>>(),
        "nodeCount": job.nodes.len(),
        "groups": groups,
        "rateGbitPerNic": job.rate_per_nic * 8e-9,
    })
}

fn create(plane: &mut PlaneState, name: &str, request: &Request) -> Response {
    let Some(Value::Object(body)) = &request.body else {
        return Response::bad("the body must be an object");
    };
    match parsed(plane, body) {
        Err(response) => response,
        Ok(job) => {
            plane.traffic.jobs.insert(name.to_string(), job);
            plane.traffic.invalidate();
            Response { status: 201, body: document(plane, name) }
        }
    }
}

/// Nodes are xnames, names of the machine, host lists or numbers, or `nodeCount` is their number.
fn parsed(plane: &PlaneState, body: &Map<String, Value>) -> Result<TrafficJob, Response> {
    let machine = &plane.fabric.machine;
    let expected = || {
        let n = machine.compute_nodes;
        Response::bad(format!("nodes must be names or numbers of nodes, nodeCount 1 to {n}"))
    };
    let mut nodes = BTreeSet::new();
    match (body.get("nodes"), body.get("nodeCount")) {
        (Some(Value::Array(all)), _) => {
            for node in all {
                match node {
                    Value::String(text) => {
                        for name in expand(text).ok_or_else(expected)? {
                            nodes.insert(find_node(plane, &name).ok_or_else(expected)?);
                        }
                    }
                    node => {
                        let number = node.as_u64().filter(|&n| n < machine.compute_nodes.into());
                        nodes.insert(NodeId(number.ok_or_else(expected)? as u32));
                    }
                }
            }
        }
        (None, Some(count)) => {
            let n = count.as_u64().filter(|&n| n <= machine.compute_nodes.into());
            nodes.extend((0..n.ok_or_else(expected)? as u32).map(NodeId));
        }
        _ => return Err(expected()),
    }
    if nodes.is_empty() {
        return Err(expected());
    }
    let rate = match body.get("rateGbitPerNic") {
        None => Some(DEFAULT_GBIT_S),
        Some(value) => value.as_f64().filter(|&rate| rate > 0.0 && rate <= 10_000.0),
    };
    let wrong = || Response::bad("rateGbitPerNic must be a rate up to 10000 Gbit/s");
    let rate_per_nic = rate.ok_or_else(wrong)? * 1e9 / 8.0;
    Ok(TrafficJob { nodes: nodes.into_iter().collect(), rate_per_nic })
}

fn find_node(plane: &PlaneState, name: &str) -> Option<NodeId> {
    let (machine, wiring) = (&plane.fabric.machine, &plane.fabric.wiring);
    match plane.fabric.names.parse(machine, wiring, name) {
        Some(Component::Node(node)) => Some(node),
        _ => {
            let at = machine.node_names.as_ref()?.position(name)?;
            u32::try_from(at).ok().filter(|&at| at < machine.compute_nodes).map(NodeId)
        }
    }
}

/// The busiest link of a fabric: its load as a fraction of its rate, and its name.
fn busiest(plane: &PlaneState, loads: &Loads) -> (f64, Option<CableId>) {
    let fabric = &plane.fabric;
    let is_inner = |cable: CableId| !fabric.wiring.cables[cable].is_edge();
    loads.loaded().filter(|&(cable, _)| is_inner(cable)).fold((0.0, None), |best, (cable, load)| {
        let load = load / plane.rate(cable);
        if load > best.0 { (load, Some(cable)) } else { best }
    })
}

/// What the removal of links costs the jobs on the fabric.
pub(crate) fn impact(plane: &PlaneState, request: &Request) -> Response {
    let Some(Value::Object(body)) = &request.body else {
        return Response::bad("the body must be an object");
    };
    let (_, cables) = match parsed_targets(plane, body) {
        Ok(targets) => targets,
        Err(response) => return response,
    };
    let fabric = &plane.fabric;
    let removed = |cable: CableId| cables.binary_search(&cable).is_ok();
    let before = plane.traffic.loads(fabric);
    let after = plane.traffic.computed(fabric, &removed);
    let ((peak_before, at_before), (peak_after, at_after)) =
        (busiest(plane, before), busiest(plane, &after));
    let displaced: f64 = cables.iter().map(|&cable| before.of(cable)).sum();
    // A job that loads its busiest link beyond its rate runs slower by as much. If traffic loses
    // its path, the loads of the remaining links do not describe the jobs.
    let is_cut = after.unrouted > before.unrouted * (1.0 + 1e-9);
    let slowdown = (!is_cut).then(|| peak_after.max(1.0) / peak_before.max(1.0));
    let switches: BTreeSet<SwitchId> = cables
        .iter()
        .flat_map(|&cable| fabric.wiring.cables[cable].ports())
        .map(|port| fabric.wiring.ports[port].switch)
        .collect();
    let isolated = cables.iter().filter(|&&cable| fabric.wiring.cables[cable].is_edge()).count();
    let jobs: Vec<&String> = plane
        .traffic
        .jobs
        .iter()
        .filter(|(_, job)| {
            let nics = job.nodes.iter().flat_map(|&node| {
                fabric.machine.node_nics[node]..fabric.machine.node_nics[NodeId(node.0 + 1)]
            });
            nics.map(CableId).any(removed)
        })
        .map(|(name, _)| name)
        .collect();
    let name = |cable: Option<CableId>| cable.map(|cable| cable_name(fabric, cable));
    Response::ok(json!({
        "links": cables.len(),
        "switches": switches.len(),
        "displacedBytesPerSecond": displaced,
        "unroutedBytesPerSecond": after.unrouted,
        "peakLoadBefore": peak_before,
        "busiestLinkBefore": name(at_before),
        "peakLoadAfter": peak_after,
        "busiestLinkAfter": name(at_after),
        "slowdown": slowdown,
        "isolatedNics": isolated,
        "jobsThatLoseNics": jobs,
    }))
}
