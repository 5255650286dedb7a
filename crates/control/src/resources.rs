//! The resources of the REST interface: which path has which documents and accepts which verbs.
//!
//! Derived documents (switches, ports, links, agents) are here; documents that clients create are
//! in `stored`, and our extensions below `/simulation` in `simulation`.

use machine::SwitchId;
use serde_json::{Map, Value, json};

use crate::components as derived;
use crate::documents::{
    Collection, Field, Request, Response, Revision, is_reserved, list_by_name, merge,
};
use crate::filter::{Query, Scalar, field_of};
use crate::policy::wrong_field;
use crate::state::PlaneState;
use crate::sweeps::SweepKind;
use crate::wiring::{CableId, PortId};
use crate::{maintenance, simulation, stored, views};

/// Collections of documents that are derived from the fabric.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Family {
    Switches,
    Ports,
    Links,
    Agents,
}

impl Family {
    fn of(path: &str) -> Option<Family> {
        Some(match path {
            "/fabric/switches" => Family::Switches,
            "/fabric/ports" => Family::Ports,
            "/fabric/links" => Family::Links,
            "/fabric/agents" => Family::Agents,
            _ => return None,
        })
    }
    fn path(self) -> &'static str {
        match self {
            Family::Switches => "/fabric/switches",
            Family::Ports => "/fabric/ports",
            Family::Links => "/fabric/links",
            Family::Agents => "/fabric/agents",
        }
    }
    fn kind(self) -> &'static str {
        match self {
            Family::Switches => "SwitchState",
            Family::Ports => "PortState",
            Family::Links => "LinkState",
            Family::Agents => "AgentState",
        }
    }
    fn len(self, plane: &PlaneState) -> usize {
        match self {
            Family::Switches | Family::Agents => plane.fabric.wiring.n_switches(),
            Family::Ports => plane.fabric.wiring.ports.len(),
            Family::Links => plane.fabric.wiring.cables.len(),
        }
    }
    fn link(self, plane: &PlaneState, at: usize) -> String {
        let (fabric, id) = (&plane.fabric, at as u32);
        match self {
            Family::Switches => derived::switch_link(fabric, SwitchId(id)),
            Family::Agents => derived::agent_link(fabric, SwitchId(id)),
            Family::Ports => derived::port_link(fabric, PortId(id)),
            Family::Links => derived::cable_link(fabric, CableId(id)),
        }
    }
    fn find(self, plane: &PlaneState, name: &str) -> Option<usize> {
        let fabric = &plane.fabric;
        let id = match self {
            Family::Switches | Family::Agents => derived::find_switch(fabric, name)?.0,
            Family::Ports => derived::find_port(fabric, name)?.0,
            Family::Links => derived::find_cable(fabric, name)?.0,
        };
        Some(id as usize)
    }
    /// The ports of a switch, if a filter selects one: a page of a switch need not search them all.
    fn among(self, plane: &PlaneState, query: &Query) -> Option<Vec<usize>> {
        let link = query.filter.as_ref().filter(|_| self == Family::Ports)?;
        let link = link.required("switchLink")?;
        let name = link.strip_prefix("/fabric/switches/").unwrap_or("");
        let ports = derived::find_switch(&plane.fabric, name)
            .map(|switch| plane.fabric.wiring.ports_of(switch).map(|port| port.0 as usize));
        Some(ports.map_or_else(Vec::new, Iterator::collect))
    }

    fn document(self, plane: &PlaneState, at: usize) -> Value {
        let (fabric, id) = (&plane.fabric, at as u32);
        let fields = match self {
            Family::Switches => derived::switch_fields(fabric, SwitchId(id)),
            Family::Ports => derived::port_fields(fabric, PortId(id)),
            Family::Links => {
                let cable = CableId(id);
                derived::cable_fields(fabric, cable, &|| plane.load(cable))
            }
            Family::Agents => {
                let last_poll = plane.sweeps.records[SweepKind::Deployment as usize].last_end;
                derived::agent_fields(fabric, SwitchId(id), last_poll)
            }
        };
        plane.documents.complete(&self.link(plane, at), self.kind(), fields)
    }

    /// One field of a document: a filter of all ports of a large machine reads hundreds of
    /// thousands.
    fn field(self, plane: &PlaneState, at: usize, name: &str) -> Option<Scalar> {
        let (fabric, id) = (&plane.fabric, at as u32);
        let head = name.split(['.', '/']).next().unwrap_or(name);
        let has_added = || {
            let added = &plane.documents.added;
            !added.is_empty() && added.contains_key(&self.link(plane, at))
        };
        let value = match self {
            Family::Ports if !is_reserved(head) => derived::port_field(fabric, PortId(id), head),
            Family::Links if !is_reserved(head) => {
                let cable = CableId(id);
                derived::cable_field(fabric, cable, &|| plane.load(cable), head)
            }
            _ if is_reserved(head) => {
                let link = self.link(plane, at);
                let own = plane.documents.complete(&link, self.kind(), Map::new());
                return field_of(&own, name);
            }
            _ => return field_of(&self.document(plane, at), name),
        };
        match value {
            Some(value) if head == name => Some(Scalar::of(&value)),
            Some(value) => field_of(&json!({ head: value }), name),
            // A client may have added it.
            None if has_added() => field_of(&self.document(plane, at), name),
            None => None,
        }
    }
}

/// The answer to any request.
pub(crate) fn answer(plane: &mut PlaneState, request: &Request, query: &Query) -> Response {
    let path = match request.path.as_str() {
        "/" => "/",
        path => path.trim_end_matches('/'),
    };
    let known = ["GET", "POST", "PUT", "PATCH", "DELETE"];
    if !known.contains(&request.method.as_str()) {
        return Response::not_allowed(&request.method, path);
    }
    if path == "/simulation" || path.starts_with("/simulation/") {
        return simulation::answer(plane, path, request, query);
    }
    if plane.sweeps.active.is_none() {
        return Response::error(503, "no fabric manager is active");
    }
    if let Some(family) = Family::of(path) {
        return match request.method.as_str() {
            "GET" => collection(plane, family, query),
            method => Response::not_allowed(method, path),
        };
    }
    let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
    if let Some(family) = Family::of(parent) {
        return member(plane, family, name, request);
    }
    if path == "/fabric/port-policies" || parent == "/fabric/port-policies" {
        return port_policies(plane, path, request, query);
    }
    if let Some(response) = maintenance::answer(plane, path, request, query) {
        return response;
    }
    match (path, request.method.as_str()) {
        ("/metrics", "GET") => views::metrics(plane, query),
        ("/port-sets", "GET") => Response::ok(json!(["fabric-ports", "edge-ports"])),
        (
            "/port-sets/fabric-ports"
            | "/port-sets/edge-ports"
            | "/port-sets/fabric-ports/status"
            | "/port-sets/edge-ports/status",
            "GET",
        ) => {
            let (is_edge, with_status) = (path.contains("edge"), path.ends_with("status"));
            Response::ok(derived::port_set(&plane.fabric, is_edge, with_status))
        }
        ("/fabric/topology-maps/template-map", _) => topology_map(plane, request),
        ("/fabric/health-engines/template-policy", "GET") => health(plane),
        ("/fabric/topology-maps" | "/fabric/health-engines", "GET") => {
            let name = if path.ends_with("maps") { "template-map" } else { "template-policy" };
            let document = |name: &str| match name {
                "template-map" => map_document(plane),
                _ => health(plane).body,
            };
            let revision = Revision { micros: plane.fabric.micros(plane.fabric.now), version: 0 };
            list_by_name(path, [name].into_iter(), &document, query, revision)
        }
        ("/metrics", method) => Response::not_allowed(method, path),
        _ => stored::answer(plane, path, request, query),
    }
}

fn collection(plane: &PlaneState, family: Family, query: &Query) -> Response {
    let link = |at| family.link(plane, at);
    let document = |at| family.document(plane, at);
    let (path, len, among) = (family.path(), family.len(plane), family.among(plane, query));
    let field = |at: usize, name: &str| family.field(plane, at, name);
    let field: Option<&Field> = Some(&field);
    let collection = Collection { path, len, among, link: &link, document: &document, field };
    collection.answer(query, revision(plane))
}

fn revision(plane: &PlaneState) -> Revision {
    Revision { micros: plane.fabric.micros(plane.fabric.now), version: plane.documents.changes }
}

fn member(plane: &mut PlaneState, family: Family, name: &str, request: &Request) -> Response {
    let Some(at) = family.find(plane, name) else { return Response::not_found(&request.path) };
    match request.method.as_str() {
        "GET" => return Response::ok(family.document(plane, at)),
        "PATCH" | "PUT" => {}
        method => return Response::not_allowed(method, &request.path),
    }
    let Some(Value::Object(body)) = &request.body else {
        return Response::bad("the body must be an object");
    };
    let changed = match family {
        Family::Ports => change_port(plane, PortId(at as u32), body),
        Family::Switches => change_switch(plane, SwitchId(at as u32), body),
        Family::Links | Family::Agents => Ok(()),
    };
    if let Err(response) = changed {
        return response;
    }
    // Fields that no component has are kept; those of components are read-only.
    let link = family.link(plane, at);
    let mut added = plane.documents.added.remove(&link).unwrap_or_default();
    let own = family.document(plane, at);
    let unknown = |(name, _): &(&String, &Value)| own.get(name).is_none() && *name != "action";
    let ours = body.iter().filter(unknown).map(|(name, value)| (name.clone(), value.clone()));
    merge(&mut added, &ours.collect());
    if !added.is_empty() {
        plane.documents.added.insert(link.clone(), added);
    }
    let action = if request.method == "PUT" { "PUT" } else { "PATCH" };
    let micros = plane.fabric.micros(plane.fabric.now);
    plane.documents.touch(&link, micros, action, &request.owner);
    Response::ok(family.document(plane, at))
}

/// Names of existing port policies from their links.
fn policy_names(plane: &PlaneState, links: &Value) -> Result<Vec<String>, Response> {
    let Value::Array(links) = links else {
        return Err(Response::bad("portPolicyLinks must be an array of links"));
    };
    let name = |link: &Value| {
        let text = link.as_str().ok_or_else(|| Response::bad("a link must be a string"))?;
        let name = text.strip_prefix(derived::POLICIES).unwrap_or(text);
        match plane.fabric.policies.get(name) {
            Some(_) => Ok(name.to_string()),
            None => Err(Response::bad(format!("there is no port policy {name}"))),
        }
    };
    links.iter().map(name).collect()
}

fn change_port(
    plane: &mut PlaneState,
    port: PortId,
    body: &Map<String, Value>,
) -> Result<(), Response> {
    let names = body.get("portPolicyLinks").map(|links| policy_names(plane, links)).transpose()?;
    let resets = is_reset(body)?;
    if let Some(names) = names {
        plane.fabric.request_policies(port, &names);
    }
    if resets {
        let cable = plane.fabric.wiring.ports[port].cable;
        plane.fabric.input(cable, crate::link_state::Input::Reset);
    }
    Ok(())
}

/// An extension of ours: `action` is `RESET`.
fn is_reset(body: &Map<String, Value>) -> Result<bool, Response> {
    match body.get("action") {
        None => Ok(false),
        Some(Value::String(action)) if action == "RESET" => Ok(true),
        Some(_) => Err(Response::bad("action must be RESET")),
    }
}

/// A reset switch loses its configuration and gets it again from the next deployment sweep.
fn change_switch(
    plane: &mut PlaneState,
    switch: SwitchId,
    body: &Map<String, Value>,
) -> Result<(), Response> {
    if is_reset(body)? {
        plane.fabric.forget_configuration(switch);
    }
    Ok(())
}

fn port_policies(plane: &mut PlaneState, path: &str, request: &Request, query: &Query) -> Response {
    const PATH: &str = "/fabric/port-policies";
    let micros = plane.fabric.micros(plane.fabric.now);
    let document = |plane: &PlaneState, name: &str| {
        let fields = plane.fabric.policies.get(name).cloned().unwrap_or_default();
        plane.documents.complete(&format!("{PATH}/{name}"), "PortPolicyState", fields)
    };
    if path == PATH && request.method == "GET" {
        let names = plane.fabric.policies.names();
        let document = |name: &str| document(plane, name);
        return list_by_name(PATH, names, &document, query, revision(plane));
    }
    let name = match stored::name_of(path, PATH, request, "name") {
        Ok(name) => name,
        Err(response) => return response,
    };
    let link = format!("{PATH}/{name}");
    let old = plane.fabric.policies.get(&name).cloned();
    match (request.method.as_str(), &old) {
        ("POST", Some(_)) => return Response::error(409, format!("{link} exists")),
        ("POST", None) => {}
        (_, None) => return Response::not_found(&link),
        ("GET", Some(_)) => return Response::ok(document(plane, &name)),
        ("DELETE", Some(_)) => {
            if plane.fabric.uses_policy(&name) {
                return Response::error(409, format!("{link} is in use by a port"));
            }
            if maintenance::saves_policy(plane, &name) {
                return Response::error(409, format!("{link} is in use by a maintenance"));
            }
            let last = document(plane, &name);
            plane.fabric.policies.remove(&name);
            plane.documents.forget(&link);
            return Response::ok(last);
        }
        _ => {}
    }
    let Some(Value::Object(body)) = &request.body else {
        return Response::bad("the body must be an object");
    };
    let mut policy = match request.method.as_str() {
        "PATCH" => old.unwrap_or_default(),
        _ => Map::new(),
    };
    merge(&mut policy, body);
    if let Some((field, expected)) = wrong_field(&policy) {
        return Response::bad(format!("{field} must be {expected}"));
    }
    let lists = plane.fabric.policies.set(&name, policy);
    plane.fabric.mark_lists(&lists);
    let action = stored::action(&request.method);
    plane.documents.touch(&link, micros, action, &request.owner);
    let status = if request.method == "POST" { 201 } else { 200 };
    Response { status, body: document(plane, &name) }
}

fn map_document(plane: &PlaneState) -> Value {
    let interval = plane.sweeps.settings[SweepKind::Topology as usize].interval;
    let fields = derived::topology_fields(&plane.fabric, interval.0 / 1_000_000_000);
    plane.documents.complete("/fabric/topology-maps/template-map", "TopologyMapState", fields)
}

/// The live topology; a PATCH of `sweepIntervalInMilliseconds` changes the interval of its sweep.
fn topology_map(plane: &mut PlaneState, request: &Request) -> Response {
    match request.method.as_str() {
        "GET" => {}
        "PATCH" | "PUT" => {
            let Some(Value::Object(body)) = &request.body else {
                return Response::bad("the body must be an object");
            };
            if let Some(value) = body.get("sweepIntervalInMilliseconds") {
                let seconds = value.as_f64().map(|ms| ms * 1e-3);
                let Some(seconds) = seconds.filter(|&s| crate::options::is_interval(s)) else {
                    let expected = "sweepIntervalInMilliseconds must be 10 to 86400000";
                    return Response::bad(expected);
                };
                let interval = base::Span::from_seconds(seconds);
                plane.sweeps.set_interval(SweepKind::Topology, interval, &mut plane.fabric);
            }
            let (path, micros) =
                ("/fabric/topology-maps/template-map", plane.fabric.micros(plane.fabric.now));
            plane.documents.touch(path, micros, stored::action(&request.method), &request.owner);
        }
        method => return Response::not_allowed(method, &request.path),
    }
    Response::ok(map_document(plane))
}

fn health(plane: &PlaneState) -> Response {
    let word = |good: bool| if good { "HEALTHY" } else { "UNHEALTHY" };
    let fields = json!({
        "Runtime": word(plane.health.runtime),
        "Configuration": word(plane.health.configuration),
        "Traffic": word(plane.health.traffic),
        "Security": word(true),
    });
    let fields = fields.as_object().cloned().unwrap_or_default();
    let path = "/fabric/health-engines/template-policy";
    Response::ok(plane.documents.complete(path, "HealthEngineState", fields))
}
