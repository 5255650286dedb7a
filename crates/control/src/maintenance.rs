//! Orchestrated maintenance of links: drain, take offline, diagnose, restore.
//!
//! An extension of ours: HPE's documents are not public. The stages follow `sat swap`, which
//! creates offline copies of policies and puts the saved ones back. A stage ends at a sweep, since
//! routes and configurations change only there.

use base::Span;
use serde_json::{Map, Value, json};

use crate::components::{cable_name, find_cable, find_port, find_switch};
use crate::documents::{Request, Response, Revision, list_by_name};
use crate::fabric::{END_S, kind};
use crate::filter::Query;
use crate::link_state::{LANES, Phase};
use crate::state::{Maintenance, PlaneState, Stage};
use crate::stored;
use crate::wiring::{CableId, PortId};

const PATH: &str = "/fabric/maintenances";

/// Time of loopback and bit-error tests `[estimate]`.
const DIAGNOSIS: Span = Span::ms(30_000);
/// Bit-error rate above which a link fails its test `[estimate]`.
const BER_LIMIT: f64 = 1e-9;
/// Time after which links must be online again `[estimate]`.
const RESTORE_LIMIT: Span = Span::ms(120_000);
/// Time of the stages that have a timer: without it a maintenance does not end.
const TIMERS: Span = Span(DIAGNOSIS.0 + RESTORE_LIMIT.0);
/// Prefix of the copies of policies that keep a port offline.
const OFFLINE: &str = "offline-";

pub(crate) fn answer(
    plane: &mut PlaneState,
    path: &str,
    request: &Request,
    query: &Query,
) -> Option<Response> {
    let rest = path.strip_prefix(PATH)?;
    if rest.is_empty() && request.method == "GET" {
        return Some(list(plane, query));
    }
    if !rest.is_empty() && !rest.starts_with('/') {
        return None;
    }
    let name = match stored::name_of(path, PATH, request, "name") {
        Ok(name) => name,
        Err(response) => return Some(response),
    };
    let exists = plane.maintenances.all.contains_key(&name);
    Some(match (request.method.as_str(), exists) {
        ("POST", true) => Response::error(409, format!("{PATH}/{name} exists")),
        ("POST", false) => create(plane, &name, request),
        (_, false) => Response::not_found(path),
        ("GET", true) => Response::ok(document(plane, &name)),
        ("PATCH", true) => change(plane, &name, request),
        ("DELETE", true) => remove(plane, &name),
        (method, true) => Response::not_allowed(method, path),
    })
}

fn list(plane: &PlaneState, query: &Query) -> Response {
    let revision =
        Revision { micros: plane.fabric.micros(plane.now()), version: plane.documents.changes };
    let names = plane.maintenances.all.keys();
    list_by_name(PATH, names, &|name| document(plane, name), query, revision)
}

fn document(plane: &PlaneState, name: &str) -> Value {
    let own = &plane.maintenances.all[name];
    let history: Vec<Value> = own
        .history
        .iter()
        .map(|(stage, at)| json!({ "stage": stage.name(), "atSeconds": at.seconds() }))
        .collect();
    let links = own.cables.iter().map(|&cable| cable_name(&plane.fabric, cable));
    let fields = json!({
        "name": name,
        "targets": own.targets,
        "links": links.collect::<Vec<_>>(),
        "stage": own.stage.name(),
        "drain": own.drains,
        "hold": own.holds,
        "problem": own.problem,
        "createdSeconds": own.created.seconds(),
        "enteredSeconds": own.entered.seconds(),
        "history": history,
    });
    let fields = fields.as_object().cloned().unwrap_or_default();
    plane.documents.complete(&format!("{PATH}/{name}"), "MaintenanceState", fields)
}

/// The links of a component: a port, a link, or all of a switch.
pub(crate) fn cables_of(plane: &PlaneState, target: &str) -> Option<Vec<CableId>> {
    let fabric = &plane.fabric;
    let cable = |port| fabric.wiring.ports[port].cable;
    find_cable(fabric, target)
        .map(|cable| vec![cable])
        .or_else(|| find_port(fabric, target).map(|port| vec![cable(port)]))
        .or_else(|| {
            find_switch(fabric, target).map(|s| fabric.wiring.ports_of(s).map(cable).collect())
        })
}

/// The links of a request's `targets`, without duplicates.
pub(crate) fn parsed_targets(
    plane: &PlaneState,
    body: &Map<String, Value>,
) -> Result<(Vec<String>, Vec<CableId>), Response> {
    let expected = || Response::bad("targets must be xnames of ports, links or switches");
    let Some(Value::Array(targets)) = body.get("targets") else { return Err(expected()) };
    let (mut names, mut cables) = (Vec::new(), Vec::new());
    for target in targets {
        let name = target.as_str().ok_or_else(expected)?;
        cables.extend(cables_of(plane, name).ok_or_else(expected)?);
        names.push(name.to_string());
    }
    cables.sort_unstable();
    cables.dedup();
    if cables.is_empty() { Err(expected()) } else { Ok((names, cables)) }
}

fn flag(body: &Map<String, Value>, name: &str, default: bool) -> Result<bool, Response> {
    match body.get(name) {
        None => Ok(default),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(_) => Err(Response::bad(format!("{name} must be true or false"))),
    }
}

fn create(plane: &mut PlaneState, name: &str, request: &Request) -> Response {
    let Some(Value::Object(body)) = &request.body else {
        return Response::bad("the body must be an object");
    };
    let parsed = parsed_targets(plane, body);
    let (drains, holds) = (flag(body, "drain", true), flag(body, "hold", false));
    let ((targets, cables), drains, holds) = match (parsed, drains, holds) {
        (Ok(targets), Ok(drains), Ok(holds)) => (targets, drains, holds),
        (Err(response), _, _) | (_, Err(response), _) | (_, _, Err(response)) => return response,
    };
    // One that failed its test keeps its links offline until it is cancelled or deleted. One that
    // restores has given its policies back, and its links are still offline or tuning.
    let is_open = |other: &&Maintenance| other.has_links || !other.stage.is_over();
    let open = plane.maintenances.all.values().filter(is_open);
    let mut taken = open.flat_map(|other| &other.cables);
    if let Some(&cable) = taken.find(|cable| cables.contains(cable)) {
        let taken = cable_name(&plane.fabric, cable);
        return Response::error(409, format!("{taken} is in another maintenance"));
    }
    if !plane.fabric.reaches(TIMERS) {
        return time_ends();
    }
    let now = plane.now();
    let number = plane.maintenances.next;
    plane.maintenances.next += 1;
    let maintenance = Maintenance {
        targets,
        cables,
        stage: Stage::Draining,
        holds,
        drains,
        has_links: true,
        saved: Vec::new(),
        entered: now,
        created: now,
        history: Vec::new(),
        problem: String::new(),
        number,
    };
    plane.maintenances.all.insert(name.to_string(), maintenance);
    touch(plane, name, "POST", &request.owner);
    if drains {
        enter(plane, name, Stage::Draining);
    } else {
        enter(plane, name, Stage::Offline);
    }
    Response { status: 201, body: document(plane, name) }
}

fn time_ends() -> Response {
    Response::error(409, format!("the simulated time ends at {END_S} s, before the maintenance"))
}

fn touch(plane: &mut PlaneState, name: &str, action: &'static str, owner: &str) {
    let micros = plane.fabric.micros(plane.now());
    plane.documents.touch(&format!("{PATH}/{name}"), micros, action, owner);
}

/// `action` is `RESTORE`, which ends a hold, or `CANCEL`, which restores at once.
fn change(plane: &mut PlaneState, name: &str, request: &Request) -> Response {
    let action = request.body.as_ref().and_then(|body| body.get("action"));
    let own = &plane.maintenances.all[name];
    let stage = own.stage;
    match action.and_then(Value::as_str) {
        Some("RESTORE") if stage == Stage::Offline && own.holds => {
            if !plane.fabric.reaches(TIMERS) {
                return time_ends();
            }
            if let Some(own) = plane.maintenances.all.get_mut(name) {
                own.holds = false;
            }
            step(plane, name);
        }
        Some("CANCEL") if !stage.is_over() => {
            restore(plane, name);
            fail(plane, name, "cancelled by an operator");
        }
        // After a failed test the links stay offline until the maintenance is cancelled.
        Some("CANCEL") if own.has_links => restore(plane, name),
        Some("RESTORE" | "CANCEL") => {
            let stage = stage.name();
            return Response::error(
                409,
                format!("a maintenance in stage {stage} does not allow it"),
            );
        }
        _ => return Response::bad("action must be RESTORE or CANCEL"),
    }
    touch(plane, name, "PATCH", &request.owner);
    Response::ok(document(plane, name))
}

fn remove(plane: &mut PlaneState, name: &str) -> Response {
    if !plane.maintenances.all[name].stage.is_over() {
        return Response::error(409, "a maintenance in progress must be cancelled first");
    }
    let last = document(plane, name);
    restore(plane, name);
    plane.maintenances.all.remove(name);
    plane.documents.forget(&format!("{PATH}/{name}"));
    Response::ok(last)
}

/// Enters a stage and requests what it waits for.
fn enter(plane: &mut PlaneState, name: &str, stage: Stage) {
    let now = plane.now();
    let Some(own) = plane.maintenances.all.get_mut(name) else { return };
    (own.stage, own.entered) = (stage, now);
    own.history.push((stage, now));
    let (cables, number) = (own.cables.clone(), own.number);
    plane.fabric.record(kind::MAINTENANCE, number, stage as u64);
    match stage {
        Stage::Draining => cables.iter().for_each(|&c| plane.fabric.set_drained(c, true)),
        Stage::Offline => take_offline(plane, name, &cables),
        Stage::Diagnosing => plane.fabric.schedule(DIAGNOSIS, kind::MAINTENANCE, 0, number),
        Stage::Restoring => {
            restore(plane, name);
            plane.fabric.schedule(RESTORE_LIMIT, kind::MAINTENANCE, 0, number);
        }
        Stage::Finished | Stage::Failed => {}
    }
}

/// Gives the ports offline copies of their policies.
fn take_offline(plane: &mut PlaneState, name: &str, cables: &[CableId]) {
    let ports: Vec<PortId> =
        cables.iter().flat_map(|&cable| plane.fabric.wiring.cables[cable].ports()).collect();
    let mut saved = Vec::new();
    for port in ports {
        let names = plane.fabric.policies.names_of(plane.fabric.desired[port]).to_vec();
        let mut copies = Vec::new();
        for policy in &names {
            let copy = format!("{OFFLINE}{policy}");
            if plane.fabric.policies.get(&copy).is_none() {
                let mut fields = plane.fabric.policies.get(policy).cloned().unwrap_or_default();
                fields.insert("state".to_string(), json!("OFFLINE"));
                plane.fabric.policies.set(&copy, fields);
            }
            copies.push(copy);
        }
        plane.fabric.request_policies(port, &copies);
        saved.push((port, names));
    }
    if let Some(own) = plane.maintenances.all.get_mut(name) {
        own.saved = saved;
    }
}

/// Puts the saved policies back and lets routing use the links. What the ports got from other
/// requests meanwhile stays. Has an effect once: later the links may belong to another maintenance.
fn restore(plane: &mut PlaneState, name: &str) {
    let Some(own) = plane.maintenances.all.get_mut(name) else { return };
    if !std::mem::take(&mut own.has_links) {
        return;
    }
    let (saved, cables) = (std::mem::take(&mut own.saved), own.cables.clone());
    for (port, names) in saved {
        let now = plane.fabric.policies.names_of(plane.fabric.desired[port]);
        if now.iter().all(|policy| policy.starts_with(OFFLINE)) {
            plane.fabric.request_policies(port, &names);
        }
    }
    cables.iter().for_each(|&cable| plane.fabric.set_drained(cable, false));
}

/// Whether a maintenance will give a policy back to a port.
pub(crate) fn saves_policy(plane: &PlaneState, policy: &str) -> bool {
    let saved = plane.maintenances.all.values().flat_map(|own| &own.saved);
    saved.flat_map(|(_, names)| names).any(|name| name == policy)
}

fn fail(plane: &mut PlaneState, name: &str, problem: &str) {
    enter(plane, name, Stage::Failed);
    if let Some(own) = plane.maintenances.all.get_mut(name) {
        own.problem = problem.to_string();
    }
}

/// Lets every maintenance whose conditions hold enter its next stage. Called after each sweep.
pub(crate) fn check_all(plane: &mut PlaneState) {
    let open = plane.maintenances.all.iter().filter(|(_, own)| !own.stage.is_over());
    let names: Vec<String> = open.map(|(name, _)| name.clone()).collect();
    for name in names {
        step(plane, &name);
    }
}

fn step(plane: &mut PlaneState, name: &str) {
    let own = &plane.maintenances.all[name];
    let fabric = &plane.fabric;
    let all = |condition: &dyn Fn(CableId) -> bool| own.cables.iter().all(|&c| condition(c));
    match own.stage {
        // A link that routing does not use has no load.
        Stage::Draining if all(&|c| !fabric.is_routed(c)) => {
            enter(plane, name, Stage::Offline);
        }
        Stage::Offline if !own.holds && all(&|c| is_offline(fabric.phase(c))) => {
            enter(plane, name, Stage::Diagnosing);
        }
        Stage::Restoring if all(&|c| fabric.is_up(c) && fabric.is_routed(c)) => {
            enter(plane, name, Stage::Finished);
        }
        _ => {}
    }
}

/// A port that is configured offline, or whose switch does not work.
fn is_offline(phase: Phase) -> bool {
    matches!(phase, Phase::Offline | Phase::NoPeer)
}

/// The time of a stage is over.
pub(crate) fn timer(plane: &mut PlaneState, number: u32) {
    let found = plane.maintenances.all.iter().find(|(_, own)| own.number == number);
    let Some((name, own)) = found.map(|(name, own)| (name.clone(), own.clone())) else { return };
    let elapsed = plane.now().since(own.entered);
    match own.stage {
        Stage::Diagnosing if elapsed >= DIAGNOSIS => {
            let bad = own.cables.iter().find(|&&cable| {
                let found = plane.fabric.condition(cable);
                found.is_down || found.lanes < LANES || found.ber > BER_LIMIT
            });
            match bad {
                None => enter(plane, &name, Stage::Restoring),
                Some(&cable) => {
                    let problem = format!("{} fails its test", cable_name(&plane.fabric, cable));
                    fail(plane, &name, &problem);
                }
            }
        }
        Stage::Restoring if elapsed >= RESTORE_LIMIT => {
            fail(plane, &name, "a link is not online after the time limit");
        }
        _ => {}
    }
}
