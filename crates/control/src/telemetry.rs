//! Telemetry: a ring of compact events. `event_documents` writes them out when they are read.
//!
//! The four families are those of Intel's monitoring of Aurora
//! (unifiedcontrolsystem/dai-ds) and of Cray-HPE/hms-hmcollector. Sensor names without a public
//! source are an extension of ours; docs/models/fabric-manager.md lists them.

use std::collections::VecDeque;

use base::Time;
use machine::SwitchId;

use crate::wiring::PortId;

/// What a sensor reports.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Sensor {
    /// A port is online (1) or not (0).
    PortState,
    /// Lanes in use.
    Lanes,
    /// Received bandwidth of a congested or loaded port, in bytes per second.
    RxBandwidth,
    /// A port lost its link without a command.
    HardwareErrors,
    /// Ports whose traffic still targets a failed link.
    RoutingErrors,
    /// Bit-error rate as -log10.
    BitErrors,
    /// Health of the whole fabric: 1 good, 0 bad.
    Traffic,
    Configuration,
    Runtime,
    /// A switch is reachable (1) or not (0).
    SwitchState,
}

impl Sensor {
    /// Prefix of the message identifier, and the sensor's `PhysicalContext`.
    pub fn names(self) -> (&'static str, &'static str) {
        match self {
            Sensor::PortState => ("CrayFabricTelemetry", "PortState"),
            Sensor::Lanes => ("CrayFabricTelemetry", "Lanes"),
            Sensor::SwitchState => ("CrayFabricTelemetry", "SwitchState"),
            Sensor::RxBandwidth => ("CrayFabricPerfTelemetry", "Congestion.rxBW"),
            Sensor::HardwareErrors => ("CrayFabricCritTelemetry", "HardwareErrors"),
            Sensor::RoutingErrors => ("CrayFabricCritTelemetry", "RoutingErrors"),
            Sensor::BitErrors => ("CrayFabricCritTelemetry", "BitErrors"),
            Sensor::Traffic => ("CrayFabricHealth", "Traffic"),
            Sensor::Configuration => ("CrayFabricHealth", "Configuration"),
            Sensor::Runtime => ("CrayFabricHealth", "Runtime"),
        }
    }
}

/// The component that an event concerns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Site {
    Port(PortId),
    Switch(SwitchId),
    Fabric,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Event {
    pub at: Time,
    pub sensor: Sensor,
    pub site: Site,
    pub value: f32,
}
const _: () = assert!(size_of::<Event>() <= 24);

/// The newest events.
#[derive(Clone, Debug)]
pub struct Telemetry {
    kept: VecDeque<Event>,
    /// Number of the first kept event.
    first: u64,
    capacity: usize,
    /// Totals by family, in the order of `FAMILIES`.
    pub totals: [u64; 4],
}

/// Message families, in the order of `Telemetry::totals`.
pub const FAMILIES: [&str; 4] = [
    "CrayFabricTelemetry",
    "CrayFabricPerfTelemetry",
    "CrayFabricCritTelemetry",
    "CrayFabricHealth",
];

impl Telemetry {
    pub fn new(capacity: usize) -> Telemetry {
        Telemetry { kept: VecDeque::new(), first: 0, capacity, totals: [0; 4] }
    }

    pub fn push(&mut self, event: Event) {
        if self.kept.len() == self.capacity {
            self.kept.pop_front();
            self.first += 1;
        }
        let family = FAMILIES.iter().position(|&name| name == event.sensor.names().0);
        self.totals[family.expect("every sensor has a family")] += 1;
        self.kept.push_back(event);
    }

    /// Number of the next event.
    pub fn next(&self) -> u64 {
        self.first + self.kept.len() as u64
    }

    /// At most `limit` events from number `since` on: the number of the first one, how many were
    /// dropped before it, and the events.
    pub fn read(&self, since: u64, limit: usize) -> (u64, u64, impl Iterator<Item = &Event>) {
        let from = since.clamp(self.first, self.next());
        let lost = self.first.saturating_sub(since);
        let skip = (from - self.first) as usize;
        let end = skip.saturating_add(limit).min(self.kept.len());
        (from, lost, self.kept.range(skip..end))
    }
}
