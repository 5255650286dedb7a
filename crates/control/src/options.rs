//! Options of a control plane, and their checks.

use base::Span;
use machine::InputError;
use serde::{Deserialize, Serialize};

use crate::sweeps::SweepSettings;

/// Random faults from the start on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RandomFaults {
    pub count: u32,
    /// They begin within this time.
    pub seconds: f64,
}

/// Options; times in seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Intervals of the sweeps (Aurora paper).
    pub deployment_s: f64,
    pub routing_s: f64,
    pub topology_s: f64,
    /// Work of the manager per switch and sweep, and per change `[estimate]`.
    pub poll_deployment_s: f64,
    pub poll_routing_s: f64,
    pub poll_topology_s: f64,
    pub change_s: f64,
    /// From the failure of the active manager until the standby has taken over `[estimate]`.
    pub failover_s: f64,
    /// `cold`: no switch has a configuration. `running`: all links are online.
    pub start: String,
    /// Interval between reports of bandwidths of loaded ports; 0 is none.
    pub performance_s: f64,
    pub random_faults: Option<RandomFaults>,
    /// Telemetry events that are kept for readers.
    pub events_kept: u32,
    /// Start of simulated time, seconds since 1970; 2025-01-01 by default.
    pub epoch_s: u64,
}

impl Options {
    /// The defaults: those of Aurora where they are public.
    pub fn published() -> Options {
        Options {
            deployment_s: 10.0,
            routing_s: 5.0,
            topology_s: 10.0,
            poll_deployment_s: 200e-6,
            poll_routing_s: 100e-6,
            poll_topology_s: 100e-6,
            change_s: 100e-6,
            failover_s: 30.0,
            start: "cold".to_string(),
            performance_s: 0.0,
            random_faults: None,
            events_kept: 1 << 20,
            epoch_s: 1_735_689_600,
        }
    }

    /// All errors in the options.
    pub fn check(&self) -> Vec<InputError> {
        let mut errors = Vec::new();
        let mut wrong = |at: &str, found: String, expected: &str| {
            errors.push(InputError::new(format!("options.{at}"), found, expected));
        };
        for (name, value) in [
            ("deployment_s", self.deployment_s),
            ("routing_s", self.routing_s),
            ("topology_s", self.topology_s),
        ] {
            if !is_interval(value) {
                wrong(name, value.to_string(), INTERVAL);
            }
        }
        for (name, value) in [
            ("poll_deployment_s", self.poll_deployment_s),
            ("poll_routing_s", self.poll_routing_s),
            ("poll_topology_s", self.poll_topology_s),
            ("change_s", self.change_s),
            ("failover_s", self.failover_s),
            ("performance_s", self.performance_s),
        ] {
            if !(0.0..=86_400.0).contains(&value) {
                wrong(name, value.to_string(), "0 to 86400 seconds");
            }
        }
        if let Some(faults) = &self.random_faults {
            if faults.count > MAX_FAULTS {
                wrong("random_faults.count", faults.count.to_string(), "at most 1000000");
            }
            if !(0.0..=MAX_DELAY_S).contains(&faults.seconds) {
                wrong("random_faults.seconds", faults.seconds.to_string(), "0 to 1e6 seconds");
            }
        }
        if !["cold", "running"].contains(&self.start.as_str()) {
            wrong("start", self.start.clone(), "cold or running");
        }
        if self.events_kept == 0 {
            wrong("events_kept", "0".to_string(), "at least 1");
        }
        if self.epoch_s > MAX_EPOCH_S {
            wrong("epoch_s", self.epoch_s.to_string(), "a time before the year 2500");
        }
        errors
    }

    pub(crate) fn sweeps(&self) -> [SweepSettings; 3] {
        let of = |interval: f64, poll: f64| SweepSettings {
            interval: Span::from_seconds(interval),
            per_switch: Span::from_seconds(poll),
            per_change: Span::from_seconds(self.change_s),
        };
        [
            of(self.deployment_s, self.poll_deployment_s),
            of(self.routing_s, self.poll_routing_s),
            of(self.topology_s, self.poll_topology_s),
        ]
    }
}

/// Maximum number of faults that one request adds.
pub(crate) const MAX_FAULTS: u32 = 1_000_000;
/// Longest delay or duration of a fault.
pub(crate) const MAX_DELAY_S: f64 = 1e6;
const MAX_EPOCH_S: u64 = 16_725_225_600;
pub(crate) const INTERVAL: &str = "an interval of 0.01 to 86400 seconds";

pub(crate) fn is_interval(seconds: f64) -> bool {
    (0.01..=86_400.0).contains(&seconds)
}

impl Default for Options {
    fn default() -> Options {
        Options::published()
    }
}
