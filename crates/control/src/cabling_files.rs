//! Cabling as files: the point-to-point file, a CSV, and the fabric template, both written for any
//! machine and read back.
//!
//! Columns: Cray-HPE/sat, tests/resources. The file of a real machine has a row per cable of up to
//! two links; here a row is one link, and `src_conn_b` and `dst_conn_b` are empty.

use std::collections::BTreeMap;

use machine::{GroupId, InputError, Machine};
use serde_json::{Value, json};

use crate::wiring::{FarEnd, Wiring};
use crate::xnames::Names;

const COLUMNS: &str = "cable_id,src_conn_a,src_conn_b,dst_conn_a,dst_conn_b,stage,link_type,\
                       src_group,dst_group,part_number,part_length,calculated_distance,route";
/// Delay of a cable per meter: 5 ns, as in the machine files.
const NS_PER_M: f64 = 5.0;

/// One row of a point-to-point file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Row {
    pub source: String,
    pub destination: String,
    pub link_type: String,
}

/// The point-to-point file of a machine.
pub fn point_to_point(machine: &Machine, wiring: &Wiring, names: &Names) -> String {
    let mut text = format!("{COLUMNS}\n");
    for (id, cable) in wiring.cables.iter() {
        let source = names.port(wiring, cable.a);
        let destination = names.far_end(machine, wiring, cable.b);
        let group = |switch| machine.switch_group[switch];
        let from = group(wiring.ports[cable.a].switch);
        let to: GroupId = match cable.b {
            FarEnd::Port(port) => group(wiring.ports[port].switch),
            FarEnd::Nic(_) => from,
        };
        let length = machine.links.cable[cable.there].seconds() * 1e9 / NS_PER_M;
        text += &format!(
            "{id},{source},,{destination},,1,{kind},{from},{to},,{length:.2},{length:.2},\n",
            id = id.0,
            kind = cable.link_type(),
            from = from.0,
            to = to.0,
        );
    }
    text
}

/// The rows of a point-to-point file, or all errors in it. Columns may be in any order, and others
/// may be present.
pub fn read_point_to_point(text: &str) -> Result<Vec<Row>, Vec<InputError>> {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or("").split(',').map(str::trim).collect();
    let column = |name: &str| header.iter().position(|own| *own == name);
    let (source, destination, kind) =
        (column("src_conn_a"), column("dst_conn_a"), column("link_type"));
    let (Some(source), Some(destination), Some(kind)) = (source, destination, kind) else {
        let expected = "a header with src_conn_a, dst_conn_a and link_type";
        return Err(vec![InputError::new("line 1", header.join(","), expected)]);
    };
    let (mut rows, mut errors) = (Vec::new(), Vec::new());
    for (nth, line) in (2..).zip(lines).filter(|(_, line)| !line.trim().is_empty()) {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let field = |at: usize| fields.get(at).copied().unwrap_or("");
        let row = Row {
            source: field(source).to_string(),
            destination: field(destination).to_string(),
            link_type: field(kind).to_string(),
        };
        if row.source.is_empty() || row.destination.is_empty() {
            let expected = "both ends of a link";
            errors.push(InputError::new(format!("line {nth}"), line, expected));
        }
        rows.push(row);
    }
    if errors.is_empty() { Ok(rows) } else { Err(errors) }
}

/// How a point-to-point file differs from the machine: links that it lacks, links that only it has,
/// and links of another type.
pub fn differences(machine: &Machine, wiring: &Wiring, names: &Names, rows: &[Row]) -> Value {
    let ordered = |a: String, b: String| if a <= b { (a, b) } else { (b, a) };
    let mut own = BTreeMap::new();
    for (_, cable) in wiring.cables.iter() {
        let ends = (names.port(wiring, cable.a), names.far_end(machine, wiring, cable.b));
        own.insert(ordered(ends.0, ends.1), cable.link_type());
    }
    let (mut extra, mut changed) = (Vec::new(), Vec::new());
    for row in rows {
        let ends = ordered(row.source.clone(), row.destination.clone());
        let name = format!("{}-{}", ends.0, ends.1);
        match own.remove(&ends) {
            None => extra.push(name),
            Some(kind) if kind != row.link_type => changed.push(name),
            Some(_) => {}
        }
    }
    let missing: Vec<String> = own.keys().map(|(a, b)| format!("{a}-{b}")).collect();
    json!({ "missing": missing, "extra": extra, "changed": changed })
}

/// The fabric template: switches and their ports, by connector and node.
pub fn fabric_template(machine: &Machine, wiring: &Wiring, names: &Names) -> Value {
    let switch = |switch: u32| {
        let switch = machine::SwitchId(switch);
        let (mut edges, mut inner) = (Vec::new(), Vec::new());
        for port in wiring.ports_of(switch) {
            let connector = names.port(wiring, port);
            match wiring.far_end(port) {
                FarEnd::Nic(nic) => edges.push(json!({
                    "conn_port": connector,
                    "node": names.node(machine, machine.nic_node[nic]),
                    "nic": names.nic(machine, nic),
                    "mac": names.mac(wiring, port).to_string(),
                })),
                FarEnd::Port(far) => inner.push(json!({
                    "conn_port": connector,
                    "dst_port": names.port(wiring, far),
                })),
            }
        }
        json!({
            "xname": names.controller(switch),
            "grpId": machine.switch_group[switch].0,
            "swcNum": wiring.index_in_group(machine, switch),
            "edgePorts": edges,
            "fabricPorts": inner,
        })
    };
    let switches = (0..wiring.n_switches() as u32).map(switch);
    json!({ "switches": switches.collect::<Vec<_>>() })
}

/// The links of a fabric template, or all errors in it.
pub fn read_template(text: &str) -> Result<Vec<Row>, Vec<InputError>> {
    let wrong =
        |at: String, found: String, expected: &str| vec![InputError::new(at, found, expected)];
    let template: Value = serde_json::from_str(text)
        .map_err(|error| wrong("template".into(), error.to_string(), "JSON"))?;
    let list = |value: &Value, name: &str| value.get(name).and_then(Value::as_array).cloned();
    let switches = list(&template, "switches")
        .ok_or_else(|| wrong("switches".into(), "nothing".into(), "an array"))?;
    let (mut rows, mut errors) = (Vec::new(), Vec::new());
    for (nth, switch) in switches.iter().enumerate() {
        for (name, far) in [("edgePorts", "nic"), ("fabricPorts", "dst_port")] {
            for port in list(switch, name).unwrap_or_default() {
                let text = |key: &str| port.get(key).and_then(Value::as_str).map(str::to_string);
                match (text("conn_port"), text(far)) {
                    (Some(source), Some(destination)) => {
                        let link_type = if far == "nic" { "edge" } else { "fabric" }.to_string();
                        rows.push(Row { source, destination, link_type });
                    }
                    _ => {
                        let at = format!("switches[{nth}].{name}");
                        errors.extend(wrong(at, port.to_string(), "conn_port and its far end"));
                    }
                }
            }
        }
    }
    if errors.is_empty() { Ok(rows) } else { Err(errors) }
}

/// Static ARP entries: IP address and MAC address of each NIC, in the order of NICs.
pub fn arp_table(machine: &Machine, wiring: &Wiring, names: &Names) -> String {
    let mut text = String::new();
    for (_, cable) in wiring.cables.iter().filter(|(_, cable)| cable.is_edge()) {
        let (ip, mac) = (names.ip(wiring, cable.a), names.mac(wiring, cable.a));
        let nic = names.far_end(machine, wiring, cable.b);
        text += &format!("{ip} {mac} {nic}\n");
    }
    text
}
