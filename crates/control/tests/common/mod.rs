//! Planes and requests that several tests use.

use control::{ControlPlane, Options, Request, Response};
use machine::{MachineSpec, preset};
use serde_json::Value;

pub fn machine(name: &str) -> machine::Machine {
    let spec = MachineSpec::parse(name, preset(name).expect("a preset"), &[]).expect("legal");
    spec.resolve().expect("sound")
}

pub fn plane_of(name: &str, options: Options) -> ControlPlane {
    ControlPlane::new(machine(name), 0, options).expect("legal options")
}

/// A small machine on which all links are online.
pub fn running() -> ControlPlane {
    plane_of("dragonfly-1056", Options { start: "running".to_string(), ..Options::published() })
}

pub fn call(plane: &mut ControlPlane, method: &str, path: &str, body: Value) -> Response {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let body = if body.is_null() { None } else { Some(body) };
    let (method, path) = (method.to_string(), path.to_string());
    plane.apply(&Request { method, path, query: query.to_string(), body, owner: "test".into() })
}

pub fn get(plane: &mut ControlPlane, path: &str) -> Value {
    let response = call(plane, "GET", path, Value::Null);
    assert_eq!(response.status, 200, "{path}: {}", response.body);
    response.body
}

/// The first link of a kind: its path, and the paths of its ports.
pub fn link_of(plane: &mut ControlPlane, kind: &str) -> (String, Vec<String>) {
    let path = format!("/fabric/links?$filter=linkType eq '{kind}'&$top=1&expand=true");
    let page = get(plane, &path);
    let link = page["documentLinks"][0].as_str().expect("one link").to_string();
    let ports = page["documents"][&link]["portLinks"].as_array().expect("ports").clone();
    (link, ports.iter().map(|port| port.as_str().expect("a path").to_string()).collect())
}

pub fn phase(plane: &mut ControlPlane, link: &str) -> String {
    get(plane, link)["status"]["phase"].as_str().expect("a phase").to_string()
}

pub fn target(link: &str) -> &str {
    link.rsplit('/').next().expect("a name")
}
