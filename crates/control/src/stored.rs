//! Documents that clients create: VNI partitions and blocks, VLANs, jobs of accelerated
//! collectives, policies without an effect on ports, settings.
//!
//! A table has what each collection accepts; what follows from a change is in a function per
//! collection. Sources: sshot-net-operator (VNIs, VLANs), Slurm's switch plugin and libfabric
//! (collectives), cray-opa (settings and certificates).

use std::collections::BTreeSet;

use base::draw;
use serde_json::{Map, Value, json};

use crate::documents::{Collection, Request, Response, Revision, merge};
use crate::fabric::stream;
use crate::filter::Query;
use crate::policy::{DEFAULT_QOS, QOS_PROFILES, VLAN_IDS};
use crate::state::{Enforcement, PlaneState};
use crate::sweeps::SweepKind;
use crate::xnames::Mac;

/// Type of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Type {
    Text,
    Count,
    Array,
    Object,
    /// A number from 0 to this.
    Below(u64),
    Bool,
}

impl Type {
    fn accepts(self, value: &Value) -> bool {
        match self {
            Type::Text => value.is_string(),
            Type::Count => value.as_u64().is_some_and(|n| n <= u32::MAX.into()),
            Type::Array => value.is_array(),
            Type::Object => value.is_object(),
            Type::Below(end) => value.as_u64().is_some_and(|n| n < end),
            Type::Bool => value.is_boolean(),
        }
    }
    fn expected(self) -> String {
        match self {
            Type::Text => "a string".to_string(),
            Type::Count => "a whole number".to_string(),
            Type::Array => "an array".to_string(),
            Type::Object => "an object".to_string(),
            Type::Below(end) => format!("a whole number below {end}"),
            Type::Bool => "true or false".to_string(),
        }
    }
}

/// What a collection accepts.
struct Spec {
    path: &'static str,
    kind: &'static str,
    /// The field that names a new document without `documentSelfLink`.
    name: &'static str,
    /// Clients create and remove members.
    is_open: bool,
    fields: &'static [(&'static str, Type)],
    required: &'static [&'static str],
}

const fn spec(
    path: &'static str,
    kind: &'static str,
    name: &'static str,
    fields: &'static [(&'static str, Type)],
    required: &'static [&'static str],
) -> Spec {
    Spec { path, kind, name, is_open: true, fields, required }
}

const fn fixed(
    path: &'static str,
    kind: &'static str,
    fields: &'static [(&'static str, Type)],
) -> Spec {
    Spec { path, kind, name: "", is_open: false, fields, required: &[] }
}

const PARTITIONS: &str = "/fabric/vni/partitions";
const BLOCKS: &str = "/fabric/vni/blocks";
const TASKS: &str = "/fabric/vni/enforcement-tasks";
const JOBS: &str = "/fabric/collectives/jobs";
const MULTICASTS: &str = "/fabric/collectives/multicasts";
const QOS: &str = "/fabric/qos";
pub(crate) const ROUTING: &str = "/fabric/routing";

/// Multicast addresses have 13 bits (libfabric, prov/cxi).
const MULTICAST_IDS: u32 = 1 << 13;
/// A VNI is a number of 16 bits (Slingshot, VNI of the Portals header).
const VNIS: u32 = 1 << 16;

const SPECS: [Spec; 16] = [
    spec("/fabric/link-policies", "LinkPolicyState", "name", &[], &[]),
    spec("/fabric/switch-policies", "SwitchPolicyState", "name", &[], &[]),
    spec("/fabric/topology-policies", "TopologyPolicyState", "name", &[], &[]),
    spec(
        PARTITIONS,
        "VniPartitionState",
        "partitionName",
        &[
            ("partitionName", Type::Text),
            ("vniCount", Type::Count),
            ("vniRanges", Type::Array),
            ("edgePortDFAs", Type::Array),
        ],
        &[],
    ),
    spec(
        BLOCKS,
        "VniBlockState",
        "vniBlockName",
        &[
            ("vniBlockName", Type::Text),
            ("partitionName", Type::Text),
            ("vniRanges", Type::Array),
            ("edgePortDFAs", Type::Array),
            ("portDFAs", Type::Array),
        ],
        &[],
    ),
    fixed(TASKS, "VniEnforcementTaskState", &[]),
    spec(
        "/fabric/vlans",
        "VlanState",
        "id",
        &[("id", Type::Below(VLAN_IDS)), ("name", Type::Text), ("status", Type::Text)],
        &["id"],
    ),
    spec(
        JOBS,
        "CollectiveJobState",
        "jobID",
        &[("jobID", Type::Text), ("mcastLimit", Type::Count), ("jobSteps", Type::Object)],
        &["jobID"],
    ),
    spec(
        MULTICASTS,
        "MulticastState",
        "",
        &[
            ("jobID", Type::Text),
            ("jobStepID", Type::Text),
            ("macs", Type::Array),
            ("timeout", Type::Count),
        ],
        &["jobID", "macs"],
    ),
    fixed(
        ROUTING,
        "RoutingPolicyState",
        &[
            ("nonminimalShift", Type::Below(4)),
            ("nonminimalAdd", Type::Below(64)),
            ("groupLoad", Type::Array),
        ],
    ),
    fixed(QOS, "QosPolicyState", &[("profile", Type::Text)]),
    spec("/telemetry", "TelemetryState", "name", &[("enabled", Type::Bool)], &[]),
    spec("/switch-telemetry", "SwitchTelemetryState", "name", &[("enabled", Type::Bool)], &[]),
    spec("/certmgr/switch-certificates", "SwitchCertificateState", "name", &[], &[]),
    fixed("/host-settings", "HostSettingsState", &[]),
    fixed("/fabric/rosetta-auth-token", "AuthTokenState", &[]),
];

/// Documents that are not members of a collection.
const SINGLE: [&str; 2] = ["/host-settings", "/fabric/rosetta-auth-token"];

/// A verb as `documentUpdateAction`.
pub(crate) fn action(method: &str) -> &'static str {
    match method {
        "POST" => "POST",
        "PUT" => "PUT",
        "DELETE" => "DELETE",
        _ => "PATCH",
    }
}

/// Documents that exist from the start.
pub(crate) fn add_presets(plane: &mut PlaneState) {
    let token = draw(plane.fabric.seed, stream::TOKENS, 0, 0);
    let kinds: Vec<String> = {
        let all = plane.fabric.machine.kinds.iter().filter(|kind| kind.group_load);
        all.map(|kind| kind.name.clone()).collect()
    };
    let (shift, add) = nonminimal_bias(plane);
    for (path, document) in [
        ("/fabric/topology-policies/template-policy", json!({ "isActive": true })),
        ("/fabric/switch-policies/switch-policy", json!({ "state": "ONLINE" })),
        ("/fabric/link-policies/link-policy", json!({ "state": "ONLINE" })),
        (
            "/fabric/vni/partitions/default",
            json!({ "partitionName": "default", "vniCount": VNIS - 1, "vniRanges": ["1-65535"],
                    "edgePortDFAs": [] }),
        ),
        ("/fabric/vlans/1", json!({ "id": 1, "name": "default", "status": "ONLINE" })),
        (
            "/fabric/routing/template-policy",
            json!({ "nonminimalShift": shift, "nonminimalAdd": add, "groupLoad": kinds }),
        ),
        ("/fabric/qos/template-policy", json!({ "profile": DEFAULT_QOS.to_uppercase() })),
        ("/telemetry/settings", json!({ "enabled": true })),
        ("/switch-telemetry/settings", json!({ "enabled": true })),
        ("/host-settings", json!({})),
        ("/fabric/rosetta-auth-token", json!({ "token": format!("{token:016x}") })),
    ] {
        let fields = document.as_object().cloned().unwrap_or_default();
        plane.documents.stored.insert(path.to_string(), fields);
    }
    plane.routing = plane.documents.stored["/fabric/routing/template-policy"].clone();
}

/// Shift and addend of nonminimal paths, as the machine has them.
fn nonminimal_bias(plane: &PlaneState) -> (u8, u8) {
    match plane.fabric.machine.routing {
        machine::Routing::Slingshot(scoring) => (scoring.nonminimal.shift, scoring.nonminimal.add),
        _ => (0, 0),
    }
}

/// The name of the document that a request is about: the last part of its path, or that of a new
/// document from its body.
pub(crate) fn name_of(
    path: &str,
    collection: &str,
    request: &Request,
    field: &str,
) -> Result<String, Response> {
    let rest = path.strip_prefix(collection).unwrap_or("");
    let own = rest.strip_prefix('/').filter(|name| !name.is_empty());
    let Some(name) = own else {
        if request.method != "POST" {
            return Err(Response::not_allowed(&request.method, path));
        }
        let Some(body) = request.body.as_ref().and_then(Value::as_object) else {
            return Err(Response::bad("the body must be an object"));
        };
        let text = |field: &str| match body.get(field) {
            Some(Value::String(text)) => Some(text.clone()),
            Some(Value::Number(number)) => Some(number.to_string()),
            _ => None,
        };
        let link = text("documentSelfLink");
        let name = link.map(|link| link.rsplit('/').next().unwrap_or("").to_string());
        let name = name.or_else(|| text(field)).unwrap_or_default();
        return checked(name, field);
    };
    if request.method == "POST" {
        return Err(Response::not_allowed("POST", path));
    }
    Ok(name.to_string())
}

/// Names are parts of paths.
fn checked(name: String, field: &str) -> Result<String, Response> {
    let legal = |c: char| c.is_ascii_alphanumeric() || "-_.:".contains(c);
    if name.is_empty() || name.len() > 128 || !name.chars().all(legal) {
        let or = if field.is_empty() { String::new() } else { format!(" or {field}") };
        let expected = "a name of at most 128 letters, digits, '-', '_', '.' and ':'";
        return Err(Response::bad(format!("documentSelfLink{or} must have {expected}")));
    }
    Ok(name)
}

/// The answer to a request for a stored document or collection.
pub(crate) fn answer(
    plane: &mut PlaneState,
    path: &str,
    request: &Request,
    query: &Query,
) -> Response {
    let is_member = |spec: &&Spec| {
        let rest = path.strip_prefix(spec.path).unwrap_or("-");
        rest.is_empty() || (rest.starts_with('/') && !rest[1..].contains('/'))
    };
    let Some(spec) = SPECS.iter().find(is_member) else { return Response::not_found(path) };
    let is_single = SINGLE.contains(&spec.path);
    if is_single && path != spec.path {
        return Response::not_found(path);
    }
    if path == spec.path && !is_single && request.method == "GET" {
        return list(plane, spec, query);
    }
    if request.method == "POST" && !spec.is_open {
        return Response::not_allowed("POST", path);
    }
    let link = if is_single {
        path.to_string()
    } else {
        let field = if spec.path == MULTICASTS { "documentSelfLink" } else { spec.name };
        match name_of(path, spec.path, &with_number(plane, spec, request), field) {
            Ok(name) => format!("{}/{name}", spec.path),
            Err(response) => return response,
        }
    };
    change(plane, spec, &link, request)
}

/// A request for a collection that numbers its documents.
fn with_number(plane: &mut PlaneState, spec: &Spec, request: &Request) -> Request {
    let mut request = request.clone();
    if spec.path == MULTICASTS
        && request.method == "POST"
        && let Some(Value::Object(body)) = &mut request.body
    {
        body.insert("documentSelfLink".to_string(), json!(free_multicast(plane).to_string()));
    }
    request
}

/// The lowest multicast number that is not in use; the maximum plus one if all are.
fn free_multicast(plane: &PlaneState) -> u32 {
    let is_free = |id: &u32| !plane.documents.stored.contains_key(&format!("{MULTICASTS}/{id}"));
    (1..MULTICAST_IDS).find(is_free).unwrap_or(MULTICAST_IDS)
}

/// The stored members of a collection.
fn members<'a>(
    plane: &'a PlaneState,
    path: &str,
) -> impl Iterator<Item = (&'a String, &'a Map<String, Value>)> + use<'a> {
    let (from, to) = (format!("{path}/"), format!("{path}0"));
    plane.documents.stored.range(from..to)
}

fn list(plane: &PlaneState, spec: &Spec, query: &Query) -> Response {
    let all: Vec<(&String, &Map<String, Value>)> = members(plane, spec.path).collect();
    let link = |at: usize| all[at].0.clone();
    let document = |at: usize| plane.documents.complete(all[at].0, spec.kind, all[at].1.clone());
    let collection = Collection {
        path: spec.path,
        len: all.len(),
        among: None,
        link: &link,
        document: &document,
        field: None,
    };
    let micros = plane.fabric.micros(plane.fabric.now);
    collection.answer(query, Revision { micros, version: plane.documents.changes })
}

fn change(plane: &mut PlaneState, spec: &Spec, link: &str, request: &Request) -> Response {
    let old = plane.documents.stored.get(link).cloned();
    let document = |plane: &PlaneState| {
        let fields = plane.documents.stored.get(link).cloned().unwrap_or_default();
        plane.documents.complete(link, spec.kind, fields)
    };
    match (request.method.as_str(), &old) {
        ("POST", Some(_)) => return Response::error(409, format!("{link} exists")),
        ("POST", None) => {}
        (_, None) => return Response::not_found(link),
        ("GET", Some(_)) => return Response::ok(document(plane)),
        ("DELETE", Some(_)) if !spec.is_open => {
            return Response::not_allowed("DELETE", link);
        }
        ("DELETE", Some(_)) => {
            let last = document(plane);
            plane.documents.forget(link);
            after_delete(plane, spec, link, &old.unwrap_or_default());
            return Response::ok(last);
        }
        _ => {}
    }
    let Some(Value::Object(body)) = &request.body else {
        return Response::bad("the body must be an object");
    };
    let mut fields = match request.method.as_str() {
        "PATCH" => old.unwrap_or_default(),
        _ => Map::new(),
    };
    merge(&mut fields, body);
    for &(name, expected) in spec.fields {
        if fields.get(name).is_some_and(|value| !expected.accepts(value)) {
            return Response::bad(format!("{name} must be {}", expected.expected()));
        }
    }
    if let Some(name) = spec.required.iter().find(|&&name| !fields.contains_key(name)) {
        return Response::bad(format!("{name} is required"));
    }
    // The key field is the name of the document in its link.
    let key = plane.documents.stored.get(link).and_then(|old| old.get(spec.name));
    if key.is_some() && key != fields.get(spec.name) {
        return Response::bad(format!("{} cannot be changed", spec.name));
    }
    if let Err(response) = before_change(plane, spec, link, &mut fields, request) {
        return response;
    }
    plane.documents.stored.insert(link.to_string(), fields);
    let micros = plane.fabric.micros(plane.fabric.now);
    plane.documents.touch(link, micros, action(&request.method), &request.owner);
    let status = if request.method == "POST" { 201 } else { 200 };
    Response { status, body: document(plane) }
}

/// Checks what a table cannot, adds fields that the manager sets, and lets the change take effect.
fn before_change(
    plane: &mut PlaneState,
    spec: &Spec,
    link: &str,
    fields: &mut Map<String, Value>,
    request: &Request,
) -> Result<(), Response> {
    match spec.path {
        PARTITIONS => check_ranges(fields).map(|count| {
            if fields.contains_key("vniRanges") {
                fields.insert("vniCount".to_string(), json!(count));
            }
        }),
        BLOCKS => enforce(plane, link, fields),
        JOBS if request.method == "POST" => {
            let nth = plane.documents.changes;
            let token = draw(plane.fabric.seed, stream::TOKENS, 1, nth);
            fields.insert("sessionToken".to_string(), json!(format!("{token:016x}")));
            fields.entry("jobSteps").or_insert(json!({}));
            Ok(())
        }
        JOBS => {
            free_steps(plane, link, request);
            Ok(())
        }
        MULTICASTS if request.method == "POST" => allocate_multicast(plane, link, fields),
        MULTICASTS => keep_multicast(plane, link, fields),
        QOS => set_qos(plane, fields),
        ROUTING => set_routing(plane, fields),
        _ => Ok(()),
    }
}

/// Sums the VNIs of `vniRanges`, which are texts such as `64-127`.
fn check_ranges(fields: &Map<String, Value>) -> Result<u32, Response> {
    let Some(Value::Array(ranges)) = fields.get("vniRanges") else { return Ok(0) };
    let mut taken = Vec::new();
    for range in ranges {
        let parsed = range.as_str().and_then(|text| {
            let (first, last) = text.split_once('-').unwrap_or((text, text));
            Some((first.trim().parse::<u32>().ok()?, last.trim().parse::<u32>().ok()?))
        });
        let Some((first, last)) = parsed.filter(|&(a, b)| 0 < a && a <= b && b < VNIS) else {
            let expected = "ranges of 1 to 65535 such as \"64-127\"";
            return Err(Response::bad(format!("vniRanges must have {expected}")));
        };
        taken.push((first, last));
    }
    taken.sort_unstable();
    if taken.windows(2).any(|pair| pair[1].0 <= pair[0].1) {
        return Err(Response::bad("vniRanges overlap"));
    }
    Ok(taken.iter().map(|(first, last)| last - first + 1).sum())
}

/// Deployment sweeps after which an enforcement fails if a switch is unreachable `[estimate]`.
const ENFORCEMENT_SWEEPS: u32 = 3;

/// Starts the enforcement of a block: a task that the next deployment sweep finishes.
fn enforce(
    plane: &mut PlaneState,
    link: &str,
    fields: &mut Map<String, Value>,
) -> Result<(), Response> {
    check_ranges(fields)?;
    let mut switches = Vec::new();
    for name in ["portDFAs", "edgePortDFAs"] {
        for address in fields.get(name).and_then(Value::as_array).into_iter().flatten() {
            let (names, wiring) = (&plane.fabric.names, &plane.fabric.wiring);
            let port = address.as_u64().and_then(|dfa| names.port_of_dfa(wiring, dfa));
            let Some(port) = port.filter(|&port| wiring.is_edge(port)) else {
                let expected = names.dfa_formula();
                return Err(Response::bad(format!("{name} must be edge ports: {expected}")));
            };
            switches.push(plane.fabric.wiring.ports[port].switch);
        }
    }
    let name = link.rsplit('/').next().unwrap_or("");
    let task = format!("{TASKS}/{name}");
    fields.insert("enforcementTaskServiceLink".to_string(), json!(task));
    let state = json!({ "blockLink": link, "taskInfo": { "stage": "STARTED" } });
    plane.documents.stored.insert(task.clone(), state.as_object().cloned().unwrap_or_default());
    let since = plane.fabric.now;
    plane.enforcements.retain(|other| other.link != task);
    plane.enforcements.push(Enforcement { link: task, since, switches, sweeps: 0 });
    Ok(())
}

/// Ends the enforcements whose switches the last deployment sweep has reached.
pub(crate) fn finish_enforcements(plane: &mut PlaneState) {
    let started = plane.sweeps.records[SweepKind::Deployment as usize].last_start;
    let mut open = std::mem::take(&mut plane.enforcements);
    open.retain_mut(|task| {
        if task.since > started {
            return true;
        }
        task.sweeps += 1;
        let agents = &plane.fabric.agents;
        let stage = if task.switches.iter().all(|&switch| agents[switch].is_reachable) {
            "FINISHED"
        } else if task.sweeps >= ENFORCEMENT_SWEEPS {
            "FAILED"
        } else {
            return true;
        };
        if let Some(fields) = plane.documents.stored.get_mut(&task.link) {
            fields.insert("taskInfo".to_string(), json!({ "stage": stage }));
        }
        let micros = plane.fabric.micros(plane.fabric.now);
        plane.documents.touch(&task.link, micros, "PATCH", "fabric-manager");
        false
    });
    plane.enforcements = open;
}

/// Removes the multicasts of steps that a PATCH of a job sets to null. They are those of the job in
/// the path, so a body cannot name another one.
fn free_steps(plane: &mut PlaneState, link: &str, request: &Request) {
    let job = link.rsplit('/').next().unwrap_or("").to_string();
    let body = request.body.as_ref();
    let Some(steps) = body.and_then(|b| b.get("jobSteps")).and_then(Value::as_object) else {
        return;
    };
    let freed: Vec<&String> = steps.iter().filter(|(_, v)| v.is_null()).map(|(k, _)| k).collect();
    let is_freed = |multicast: &Map<String, Value>| {
        let text = |key: &str| multicast.get(key).and_then(Value::as_str);
        let step = text("jobStepID").unwrap_or("");
        text("jobID") == Some(job.as_str()) && freed.iter().any(|freed| *freed == step)
    };
    remove_multicasts(plane, is_freed);
}

fn remove_multicasts(plane: &mut PlaneState, is_freed: impl Fn(&Map<String, Value>) -> bool) {
    let all = members(plane, MULTICASTS).filter(|(_, multicast)| is_freed(multicast));
    let links: Vec<String> = all.map(|(link, _)| link.clone()).collect();
    for link in links {
        plane.documents.forget(&link);
    }
}

/// Gives a multicast tree its number and its root: the first member that is the root of no other
/// tree, since a NIC can be the root of one only (libfabric, prov/cxi).
fn allocate_multicast(
    plane: &mut PlaneState,
    link: &str,
    fields: &mut Map<String, Value>,
) -> Result<(), Response> {
    let id: u32 = link.rsplit('/').next().and_then(|id| id.parse().ok()).unwrap_or(MULTICAST_IDS);
    if id >= MULTICAST_IDS {
        return Err(Response::error(507, "all multicast addresses are in use"));
    }
    let job = fields.get("jobID").and_then(Value::as_str).unwrap_or("").to_string();
    let Some(of_job) = plane.documents.stored.get(&format!("{JOBS}/{job}")) else {
        return Err(Response::error(404, format!("{JOBS}/{job} does not exist")));
    };
    let limit = of_job.get("mcastLimit").and_then(Value::as_u64).unwrap_or(u64::MAX);
    let own = |(_, multicast): &(&String, &Map<String, Value>)| {
        multicast.get("jobID").and_then(Value::as_str) == Some(job.as_str())
    };
    if members(plane, MULTICASTS).filter(own).count() as u64 >= limit {
        return Err(Response::error(429, format!("{job} has used its {limit} multicasts")));
    }
    let root = free_root(plane, fields)?;
    let step = fields.get("jobStepID").and_then(Value::as_str).unwrap_or("").to_string();
    note_tree(plane, &job, &step, id);
    fields.insert("hwRoot".to_string(), json!(root));
    fields.insert("mcastID".to_string(), json!(id));
    Ok(())
}

/// Refuses another job, step or set of members for a tree, whose root and number depend on them.
fn keep_multicast(
    plane: &PlaneState,
    link: &str,
    fields: &mut Map<String, Value>,
) -> Result<(), Response> {
    let Some(old) = plane.documents.stored.get(link) else { return Ok(()) };
    for name in ["jobID", "jobStepID", "macs"] {
        if old.get(name) != fields.get(name) {
            return Err(Response::bad(format!("{name} cannot be changed")));
        }
    }
    for name in ["hwRoot", "mcastID"] {
        fields.insert(name.to_string(), old.get(name).cloned().unwrap_or_default());
    }
    Ok(())
}

fn free_root(plane: &PlaneState, fields: &Map<String, Value>) -> Result<String, Response> {
    let (names, wiring) = (&plane.fabric.names, &plane.fabric.wiring);
    let mut roots = Vec::new();
    for mac in fields.get("macs").and_then(Value::as_array).into_iter().flatten() {
        let text = mac.as_str().unwrap_or("");
        let port = Mac::parse(text).or_else(|| Mac::of_nic(text));
        let Some(port) = port.and_then(|mac| names.port_of_mac(wiring, mac)) else {
            return Err(Response::bad("macs must be algorithmic addresses of this fabric"));
        };
        // The address of the NIC in six octets; libfabric sums all of them.
        roots.push(Mac(names.address(wiring, port)).to_string());
    }
    let taken: BTreeSet<&str> = members(plane, MULTICASTS)
        .filter_map(|(_, multicast)| multicast.get("hwRoot").and_then(Value::as_str))
        .collect();
    if roots.is_empty() {
        return Err(Response::bad("macs must not be empty"));
    }
    let free = roots.into_iter().find(|root| !taken.contains(root.as_str()));
    free.ok_or_else(|| Response::error(409, "each of the macs is the root of another multicast"))
}

/// Adds a tree to the steps of its job: `"jobSteps": {STEP: [NUMBER, ...]}` (Slurm,
/// switch/hpe_slingshot).
fn note_tree(plane: &mut PlaneState, job: &str, step: &str, id: u32) {
    change_steps(plane, job, |steps| {
        let of_step = steps.entry(step).or_insert_with(|| json!([]));
        if let Some(trees) = of_step.as_array_mut() {
            trees.push(json!(id));
        }
    });
}

fn change_steps(plane: &mut PlaneState, job: &str, change: impl FnOnce(&mut Map<String, Value>)) {
    let link = format!("{JOBS}/{job}");
    let Some(fields) = plane.documents.stored.get_mut(&link) else { return };
    if let Some(steps) = fields.get_mut("jobSteps").and_then(Value::as_object_mut) {
        change(steps);
        let micros = plane.fabric.micros(plane.fabric.now);
        plane.documents.touch(&link, micros, "PATCH", "fabric-manager");
    }
}

fn after_delete(plane: &mut PlaneState, spec: &Spec, link: &str, old: &Map<String, Value>) {
    let name = link.rsplit('/').next().unwrap_or("").to_string();
    match spec.path {
        JOBS => remove_multicasts(plane, |multicast| {
            multicast.get("jobID").and_then(Value::as_str) == Some(name.as_str())
        }),
        MULTICASTS => {
            let text = |key: &str| old.get(key).and_then(Value::as_str).unwrap_or("").to_string();
            let number = old.get("mcastID").cloned().unwrap_or_default();
            change_steps(plane, &text("jobID"), |steps| {
                let of_step = steps.get_mut(&text("jobStepID")).and_then(Value::as_array_mut);
                if let Some(trees) = of_step {
                    trees.retain(|tree| *tree != number);
                }
            });
        }
        BLOCKS => {
            let task = format!("{TASKS}/{name}");
            plane.documents.forget(&task);
            plane.enforcements.retain(|open| open.link != task);
        }
        _ => {}
    }
}

/// Gives all ports the policies of another QoS profile.
fn set_qos(plane: &mut PlaneState, fields: &Map<String, Value>) -> Result<(), Response> {
    let profile = fields.get("profile").and_then(Value::as_str).unwrap_or("").to_lowercase();
    if !QOS_PROFILES.contains(&profile.as_str()) {
        let all = QOS_PROFILES.map(str::to_uppercase).join(", ");
        return Err(Response::bad(format!("profile must be one of {all}")));
    }
    plane.fabric.set_qos(&profile);
    plane.maintenances.set_saved_profile(&profile);
    Ok(())
}

/// Checks the kinds of groups whose switches compare loads of groups.
fn set_routing(plane: &mut PlaneState, fields: &Map<String, Value>) -> Result<(), Response> {
    let kinds = &plane.fabric.machine.kinds;
    if let Some(Value::Array(names)) = fields.get("groupLoad") {
        let exists = |name: &Value| kinds.iter().any(|kind| name.as_str() == Some(&kind.name));
        if !names.iter().all(exists) {
            let all: Vec<&str> = kinds.iter().map(|kind| kind.name.as_str()).collect();
            return Err(Response::bad(format!("groupLoad must have kinds of {}", all.join(", "))));
        }
    }
    plane.routing_changed = Some(plane.fabric.now);
    Ok(())
}

/// A routing sweep has ended: switches use the biases that were set before it began.
pub(crate) fn finish_routing(plane: &mut PlaneState) {
    let started = plane.sweeps.records[SweepKind::Routing as usize].last_start;
    if plane.routing_changed.is_some_and(|at| at <= started) {
        plane.routing_changed = None;
        plane.routing = plane.documents.stored["/fabric/routing/template-policy"].clone();
    }
}
