//! Background traffic, as a request describes it and as a result reports it.

use crate::patterns::Destinations;
use machine::Machine;

/// Background traffic of a set of nodes.
#[derive(Clone, Debug)]
pub struct Background {
    /// As the user wrote it.
    pub pattern: String,
    pub to: Destinations,
    /// Offered wire bytes as a fraction of the capacity of the injection links of its NICs.
    pub load: f64,
    /// Payload of a message, bytes.
    pub bytes: u64,
    /// Virtual network of its traffic class.
    pub vnet: u8,
}

impl Background {
    /// Payload per second of all senders at a load.
    pub fn rate_of_load(&self, machine: &Machine, load: f64) -> f64 {
        let link = machine.links.gap[machine.injection(self.to.nic(0))].bytes_per_s();
        let share = self.bytes as f64 / self.wire(machine) as f64;
        load * share * link * f64::from(self.to.senders())
    }

    /// The load at which all senders send this payload per second.
    pub fn load_of_rate(&self, machine: &Machine, rate: f64) -> f64 {
        rate / self.rate_of_load(machine, 1.0)
    }

    /// Wire bytes of a message.
    pub(crate) fn wire(&self, machine: &Machine) -> u64 {
        let packets = self.bytes.div_ceil(machine.nic.packet_payload).max(1);
        self.bytes + packets * machine.nic.packet_overhead
    }
}

/// Result of background traffic while jobs ran.
#[derive(Clone, Debug, PartialEq)]
pub struct BackgroundTraffic {
    pub pattern: String,
    /// NICs that sent.
    pub nics: u32,
    pub offered: f64,
    /// Wire bytes that arrived, as a fraction of the capacity of the injection links.
    pub accepted: f64,
    /// Messages that arrived, and their payload.
    pub messages: u64,
    pub bytes: u64,
}
