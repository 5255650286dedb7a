//! Telemetry events as Redfish-like documents.
//!
//! The fields of a sensor are those of Intel's monitoring of Aurora (unifiedcontrolsystem/dai-ds)
//! and of Cray-HPE/hms-hmcollector.

use machine::SwitchId;
use serde_json::{Value, json};

use crate::fabric::Fabric;
use crate::telemetry::{Event, Sensor, Site};

/// Events as documents.
pub fn events(fabric: &Fabric, since: u64, limit: usize) -> Value {
    let (from, lost, events) = fabric.telemetry.read(since, limit);
    let events: Vec<Value> = events.map(|event| document(fabric, event)).collect();
    json!({ "next": from + events.len() as u64, "lost": lost, "events": events })
}

fn document(fabric: &Fabric, event: &Event) -> Value {
    let (family, context) = event.sensor.names();
    let stamp = fabric.timestamp(event.at);
    let (location, group, index, port, specific) = place(fabric, event.site);
    let sensor = json!({
        "Timestamp": stamp,
        "Location": location,
        "ParentalIndex": group,
        "PhysicalContext": context,
        "Index": index,
        "DeviceSpecificContext": specific,
        "SubIndex": port,
        "Value": value_text(event),
    });
    let what = context.split('.').next().unwrap_or(context);
    json!({
        "EventTimestamp": stamp,
        "MessageId": format!("{family}.{what}"),
        "Oem": { "Sensors": [sensor], "TelemetrySource": "cFabric" },
    })
}

/// States as words, quantities as numbers; all are text.
fn value_text(event: &Event) -> String {
    let is_good = event.value > 0.0;
    let word = |good: &str, bad: &str| if is_good { good } else { bad }.to_string();
    match event.sensor {
        Sensor::PortState | Sensor::SwitchState => word("ONLINE", "OFFLINE"),
        Sensor::Traffic | Sensor::Configuration | Sensor::Runtime => word("HEALTHY", "UNHEALTHY"),
        _ => format!("{}", event.value),
    }
}

/// Location, group, switch in its group, port, and kind of link.
fn place(fabric: &Fabric, site: Site) -> (String, u32, u32, u32, &'static str) {
    let at = |switch: SwitchId| {
        let index = fabric.wiring.index_in_group(&fabric.machine, switch);
        (fabric.machine.switch_group[switch].0, index)
    };
    match site {
        Site::Fabric => ("fabric".to_string(), 0, 0, 0, "fabric"),
        Site::Switch(switch) => {
            let (group, index) = at(switch);
            (fabric.names.controller(switch), group, index, 0, "switch")
        }
        Site::Port(port) => {
            let (own, name) =
                (fabric.wiring.ports[port], fabric.names.asic_port(&fabric.wiring, port));
            let (group, index) = at(own.switch);
            (name, group, index, u32::from(own.number), fabric.wiring.link_type(port))
        }
    }
}
