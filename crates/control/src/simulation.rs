//! Resources below `/simulation`, an extension of ours: the clock, the sweeps, the managers and
//! faults. They also work while no manager is active.

use base::Span;
use serde_json::{Map, Value, json};

use crate::components::{cable_name, find_cable, find_port, find_switch};
use crate::documents::{Collection, Request, Response, Revision};
use crate::fabric::END_S;
use crate::filter::Query;
use crate::injection::{Fault, Kind, Target};
use crate::jobs;
use crate::options::{INTERVAL, MAX_DELAY_S, MAX_FAULTS, is_interval};
use crate::state::PlaneState;
use crate::sweeps::{SWEEPS, SweepKind};

const MANAGERS: [&str; 2] = ["fm-a", "fm-b"];
const FAULTS: &str = "/simulation/faults";

pub(crate) fn answer(
    plane: &mut PlaneState,
    path: &str,
    request: &Request,
    query: &Query,
) -> Response {
    let method = request.method.as_str();
    let parts: Vec<&str> = path.split('/').skip(2).collect();
    match (parts.as_slice(), method) {
        ([], "GET") => {
            let all = ["clock", "sweeps", "managers", "faults", "jobs"];
            Response::ok(json!({ "documentLinks": all.map(|name| format!("/simulation/{name}")) }))
        }
        (["clock"], "GET") => Response::ok(json!({ "nowSeconds": plane.now().seconds() })),
        (["sweeps"], "GET") => Response::ok(sweeps(plane)),
        (["sweeps"], "PATCH") => set_sweeps(plane, request),
        (["managers"], "GET") => {
            let link = |at: usize| format!("/simulation/managers/{}", MANAGERS[at]);
            let document = |at: usize| instance(plane, at);
            let collection = Collection {
                path,
                len: MANAGERS.len(),
                among: None,
                link: &link,
                document: &document,
                field: None,
            };
            collection.answer(query, revision(plane))
        }
        (["managers", name], _) => match MANAGERS.iter().position(|own| own == name) {
            None => Response::not_found(path),
            Some(which) => instance_request(plane, which, request),
        },
        (["failover"], "POST") => match plane.sweeps.fail_over(&mut plane.fabric) {
            true => Response::ok(json!({ "state": "STARTED" })),
            false => Response::error(409, "the other manager is not up"),
        },
        (["jobs", ..], _) => jobs::answer(plane, path, request, query),
        (["impacts"], "POST") => jobs::impact(plane, request),
        (["faults"], "GET") => list_faults(plane, query),
        (["faults"], "POST") => add_fault(plane, request),
        (["faults", number], "GET" | "DELETE") => one_fault(plane, number, request),
        (
            ["clock" | "sweeps" | "failover" | "faults" | "impacts"]
            | ["faults", _]
            | ["managers"]
            | [],
            _,
        ) => Response::not_allowed(method, path),
        _ => Response::not_found(path),
    }
}

fn sweeps(plane: &PlaneState) -> Value {
    let fabric = &plane.fabric;
    let mut all = Map::new();
    let mut demand = 0.0;
    for sweep in SWEEPS {
        let settings = plane.sweeps.settings[sweep as usize];
        let record = plane.sweeps.records[sweep as usize];
        let work = plane.sweeps.work(sweep, fabric.wiring.n_switches() as u64, 0).seconds();
        demand += work / settings.interval.seconds();
        let document = json!({
            "intervalSeconds": settings.interval.seconds(),
            "workSeconds": work,
            "completed": record.completed,
            "missed": record.missed,
            "lastStartSeconds": record.last_start.seconds(),
            "lastEndSeconds": record.last_end.seconds(),
            "lastDelaySeconds": record.last_delay.seconds(),
            "longestDelaySeconds": record.longest_delay.seconds(),
        });
        all.insert(sweep.name().to_string(), document);
    }
    let now = fabric.now.seconds();
    let busy = plane.sweeps.busy.seconds();
    all.insert("managerDemand".to_string(), json!(demand));
    all.insert(
        "managerLoad".to_string(),
        json!(if now > 0.0 { (busy / now).min(1.0) } else { 0.0 }),
    );
    Value::Object(all)
}

fn set_sweeps(plane: &mut PlaneState, request: &Request) -> Response {
    let Some(Value::Object(body)) = &request.body else {
        return Response::bad("the body must be an object");
    };
    let mut changes: Vec<(SweepKind, Span)> = Vec::new();
    for (name, value) in body {
        let Some(sweep) = SWEEPS.into_iter().find(|sweep| sweep.name() == name) else {
            return Response::bad(format!("{name} is not one of deployment, routing, topology"));
        };
        let seconds = value.get("intervalSeconds").and_then(Value::as_f64);
        let Some(seconds) = seconds.filter(|&s| is_interval(s)) else {
            return Response::bad(format!("{name}.intervalSeconds must be {INTERVAL}"));
        };
        changes.push((sweep, Span::from_seconds(seconds)));
    }
    for (sweep, interval) in changes {
        plane.sweeps.set_interval(sweep, interval, &mut plane.fabric);
    }
    Response::ok(sweeps(plane))
}

fn instance(plane: &PlaneState, which: usize) -> Value {
    let instance = plane.sweeps.instances[which];
    let role = match (instance.is_up, plane.sweeps.active == Some(which)) {
        (_, true) => "ACTIVE",
        (true, false) => "STANDBY",
        (false, false) => "DOWN",
    };
    json!({
        "documentSelfLink": format!("/simulation/managers/{}", MANAGERS[which]),
        "name": MANAGERS[which],
        "state": if instance.is_up { "UP" } else { "DOWN" },
        "role": role,
        "sinceSeconds": instance.since.seconds(),
        "failovers": plane.sweeps.failovers,
    })
}

fn instance_request(plane: &mut PlaneState, which: usize, request: &Request) -> Response {
    match request.method.as_str() {
        "GET" => {}
        "PATCH" => {
            let state = request.body.as_ref().and_then(|body| body.get("state"));
            let is_up = match state.and_then(Value::as_str) {
                Some("UP") => true,
                Some("DOWN") => false,
                _ => return Response::bad("state must be UP or DOWN"),
            };
            plane.sweeps.set_instance(which, is_up, &mut plane.fabric);
        }
        method => return Response::not_allowed(method, &request.path),
    }
    Response::ok(instance(plane, which))
}

fn target_name(plane: &PlaneState, target: Target) -> String {
    match target {
        Target::Cable(cable) => cable_name(&plane.fabric, cable),
        Target::Switch(switch) | Target::Agent(switch) => plane.fabric.names.controller(switch),
    }
}

fn fault_document(plane: &PlaneState, number: u32, fault: &Fault) -> Value {
    let (kind, detail) = match (fault.kind, fault.target) {
        (Kind::Down, Target::Agent(_)) => ("AGENT_DOWN", Value::Null),
        (Kind::Down, _) => ("DOWN", Value::Null),
        (Kind::Flap, _) => ("FLAP", Value::Null),
        (Kind::Lanes(lanes), _) => ("LANES", json!(lanes)),
        (Kind::BitErrors(ber), _) => ("BER", json!(ber)),
    };
    json!({
        "documentSelfLink": format!("{FAULTS}/{number}"),
        "kind": kind,
        "target": target_name(plane, fault.target),
        "value": detail,
        "fromSeconds": fault.from.seconds(),
        "durationSeconds": fault.duration.map(Span::seconds),
    })
}

/// Of collections without versions.
fn revision(plane: &PlaneState) -> Revision {
    Revision { micros: plane.fabric.micros(plane.now()), version: 0 }
}

fn list_faults(plane: &PlaneState, query: &Query) -> Response {
    let all: Vec<(&u32, &Fault)> = plane.injection.faults.iter().collect();
    let link = |at: usize| format!("{FAULTS}/{}", all[at].0);
    let document = |at: usize| fault_document(plane, *all[at].0, all[at].1);
    let collection = Collection {
        path: FAULTS,
        len: all.len(),
        among: None,
        link: &link,
        document: &document,
        field: None,
    };
    collection.answer(query, revision(plane))
}

fn one_fault(plane: &mut PlaneState, number: &str, request: &Request) -> Response {
    let known = number.parse().ok().and_then(|n: u32| Some((n, *plane.injection.faults.get(&n)?)));
    let Some((number, fault)) = known else { return Response::not_found(&request.path) };
    let document = fault_document(plane, number, &fault);
    if request.method == "DELETE" {
        plane.injection.end(number, &mut plane.fabric);
    }
    Response::ok(document)
}

/// Seconds of a field, with a default.
fn seconds(body: &Map<String, Value>, name: &str, default: f64) -> Result<f64, Response> {
    let value = match body.get(name) {
        None | Some(Value::Null) => return Ok(default),
        Some(value) => value.as_f64(),
    };
    let legal = value.filter(|&s| (0.0..=MAX_DELAY_S).contains(&s));
    legal.ok_or_else(|| Response::bad(format!("{name} must be 0 to {MAX_DELAY_S} seconds")))
}

/// Refuses a fault that would begin after the end of simulated time, and so never.
fn check_reached(plane: &PlaneState, delay: Span) -> Result<(), Response> {
    if plane.fabric.reaches(delay) {
        return Ok(());
    }
    Err(Response::error(409, format!("the simulated time ends at {END_S} s, before the fault")))
}

fn add_fault(plane: &mut PlaneState, request: &Request) -> Response {
    let Some(Value::Object(body)) = &request.body else {
        return Response::bad("the body must be an object");
    };
    match parsed_fault(plane, body) {
        Err(response) => response,
        Ok(number) => {
            let body = match plane.injection.faults.get(&number) {
                Some(fault) => fault_document(plane, number, fault),
                None => json!({ "documentSelfLink": FAULTS }),
            };
            Response { status: 201, body }
        }
    }
}

fn parsed_fault(plane: &mut PlaneState, body: &Map<String, Value>) -> Result<u32, Response> {
    let word = body.get("kind").and_then(Value::as_str).unwrap_or("");
    if matches!(word, "STORM" | "RANDOM") {
        return storm(plane, body, word == "STORM");
    }
    let kind = match word {
        "DOWN" | "AGENT_DOWN" => Kind::Down,
        "FLAP" => Kind::Flap,
        "LANES" => {
            let lanes = body.get("lanes").and_then(Value::as_u64).filter(|n| matches!(n, 2 | 3));
            Kind::Lanes(lanes.ok_or_else(|| Response::bad("lanes must be 2 or 3"))? as u8)
        }
        "BER" => {
            let ber = body.get("ber").and_then(Value::as_f64);
            let legal = ber.filter(|&ber| ber > 0.0 && ber <= 1e-4);
            Kind::BitErrors(legal.ok_or_else(|| Response::bad("ber must be 0 to 1e-4"))?)
        }
        _ => {
            let all = "DOWN, FLAP, LANES, BER, AGENT_DOWN, STORM or RANDOM";
            return Err(Response::bad(format!("kind must be {all}")));
        }
    };
    let name = body.get("target").and_then(Value::as_str).unwrap_or("");
    let fabric = &plane.fabric;
    let cable = find_cable(fabric, name)
        .or_else(|| find_port(fabric, name).map(|port| fabric.wiring.ports[port].cable));
    let target = match (cable, find_switch(fabric, name), word) {
        (_, Some(switch), "AGENT_DOWN") => Target::Agent(switch),
        (_, Some(switch), "DOWN") => Target::Switch(switch),
        (Some(cable), _, word) if word != "AGENT_DOWN" => Target::Cable(cable),
        _ => {
            let expected =
                "target must be the xname of a port, of a link, or of a switch that fails";
            return Err(Response::bad(expected));
        }
    };
    let delay = Span::from_seconds(seconds(body, "delaySeconds", 0.0)?);
    check_reached(plane, delay)?;
    let from = plane.fabric.now + delay;
    let duration = match body.get("durationSeconds") {
        None | Some(Value::Null) => None,
        Some(_) => Some(Span::from_seconds(seconds(body, "durationSeconds", 0.0)?)),
    };
    Ok(plane.injection.add(Fault { target, kind, from, duration }, &mut plane.fabric))
}

/// Many faults at once: flaps only, or of all kinds. Returns a number that no fault has.
fn storm(plane: &mut PlaneState, body: &Map<String, Value>, flaps: bool) -> Result<u32, Response> {
    let count = body.get("count").and_then(Value::as_u64).filter(|&n| n <= MAX_FAULTS.into());
    let expected = || Response::bad(format!("count must be 0 to {MAX_FAULTS}"));
    let count = count.ok_or_else(expected)? as u32;
    let open = plane.injection.faults.len() as u64;
    if open + u64::from(count) > u64::from(MAX_FAULTS) {
        return Err(Response::error(
            429,
            format!("{open} faults are waiting; the limit is {MAX_FAULTS}"),
        ));
    }
    let within = Span::from_seconds(seconds(body, "seconds", 1.0)?);
    check_reached(plane, within)?;
    match flaps {
        true => plane.injection.storm(count, within, &mut plane.fabric),
        false => plane.injection.draw(count, within, &mut plane.fabric),
    }
    Ok(u32::MAX)
}
