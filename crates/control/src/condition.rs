//! The condition of the fabric in the form of a fault schedule and of keys of the machine file, as
//! requests for simulations have them.

use std::collections::BTreeSet;
use std::fmt::Write;

use machine::InputError;
use serde_json::{Value, json};

use crate::fabric::Fabric;
use crate::link_state::LANES;
use crate::maintenance::cables_of;
use crate::policy::DEFAULT_QOS;
use crate::state::PlaneState;
use crate::sweeps::SweepKind;
use crate::wiring::{CableId, FarEnd};

/// Routing delay without an active manager: longer than any simulated run.
const NEVER_S: f64 = 86_400.0;

/// Key of a fault that only the switches at its ends know.
const STALE: &str = "reported = false\n";
/// Mark of a link that is up and that routing does not use yet.
const UNUSED: &str = "# up\n";

impl PlaneState {
    /// The fault schedules of the fabric's state, and keys of the machine file for its policies.
    /// The components of `targets` are down in addition, as if routing knew it.
    ///
    /// `toml` has only faults from the start. A link that is down although routing uses it has
    /// `reported = false` there, and one that is up although routing does not use it is down.
    /// `dynamicToml` has what the next routing sweep reports: the first one fails just after the
    /// start, the second one is repaired just after it, unless an operator drains it.
    pub fn fabric_state(&self, targets: &[String]) -> Result<Value, Vec<InputError>> {
        let fabric = &self.fabric;
        let mut removed = BTreeSet::new();
        let mut errors = Vec::new();
        for (nth, target) in targets.iter().enumerate() {
            match cables_of(self, target) {
                Some(cables) => removed.extend(cables),
                None => {
                    let expected = "the xname of a port, a link or a switch of this machine";
                    errors.push(InputError::new(format!("targets[{nth}]"), target, expected));
                }
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let mut toml = String::new();
        let mut stale = 0;
        for cable in fabric.wiring.cables.ids() {
            let (is_up, is_routed) = (fabric.is_up(cable), fabric.is_routed(cable));
            if removed.contains(&cable) || !is_up || !is_routed {
                let is_stale = !removed.contains(&cable) && is_routed;
                let returns = !removed.contains(&cable) && is_up && !fabric.is_drained(cable);
                stale += u32::from(is_stale);
                let rest = match (is_stale, returns) {
                    (true, _) => STALE,
                    (false, true) => UNUSED,
                    (false, false) => "",
                };
                row(&mut toml, fabric, cable, rest);
                continue;
            }
            let (condition, lanes) = (fabric.condition(cable), fabric.lanes_in_use(cable));
            if lanes < LANES {
                row(&mut toml, fabric, cable, &format!("lanes = {lanes}\n"));
            }
            if condition.ber > 0.0 {
                row(&mut toml, fabric, cable, &format!("ber = {:e}\n", condition.ber));
            }
        }
        let delay = self.routing_delay_s();
        let dynamic = toml.replace(STALE, "from = \"1 ns\"\n");
        Ok(json!({
            "nowSeconds": fabric.now.seconds(),
            "toml": toml.replace(UNUSED, ""),
            "dynamicToml": dynamic.replace(UNUSED, "until = \"1 ns\"\n"),
            "staleLinks": stale,
            "routingDelaySeconds": delay,
            "set": self.keys(delay),
        }))
    }

    /// Time until the end of the routing sweep that reads the state of now.
    fn routing_delay_s(&self) -> f64 {
        if self.sweeps.active.is_none() {
            return NEVER_S;
        }
        let at = SweepKind::Routing as usize;
        let n_switches = self.fabric.wiring.n_switches() as u64;
        let work = self.sweeps.work(SweepKind::Routing, n_switches, 0);
        let next = self.sweeps.next_due[at].since(self.fabric.now);
        (next + work).seconds()
    }

    /// Keys of the machine file that differ from it.
    fn keys(&self, delay: f64) -> Vec<[String; 2]> {
        let mut keys = vec![
            ["retry.reports".to_string(), "delayed".to_string()],
            ["retry.sweep".to_string(), format!("{:.0} ns", delay * 1e9)],
        ];
        let number = |key: &str| self.routing.get(key).and_then(Value::as_u64);
        if let machine::Routing::Slingshot(scoring) = self.fabric.machine.routing {
            for (field, key, own) in [
                (
                    "nonminimalShift",
                    "adaptive.nonminimal_shift",
                    u64::from(scoring.nonminimal.shift),
                ),
                ("nonminimalAdd", "adaptive.nonminimal_add", u64::from(scoring.nonminimal.add)),
            ] {
                if let Some(value) = number(field).filter(|&value| value != own) {
                    keys.push([key.to_string(), value.to_string()]);
                }
            }
        }
        if let Some(Value::Array(selected)) = self.routing.get("groupLoad") {
            for kind in &self.fabric.machine.kinds {
                let is_on = selected.iter().any(|name| name.as_str() == Some(&kind.name));
                if is_on != kind.group_load {
                    let word = if is_on { "on" } else { "off" };
                    keys.push([format!("groups.{}.group_load", kind.name), word.to_string()]);
                }
            }
        }
        let qos = &self.documents.stored["/fabric/qos/template-policy"];
        let profile = qos.get("profile").and_then(Value::as_str).unwrap_or("").to_lowercase();
        if self.fabric.machine.fabric == "slingshot" && profile != DEFAULT_QOS {
            keys.push(["classes.profile".to_string(), profile.replace('_', "-")]);
        }
        keys
    }
}

/// A row of a fault schedule for a link.
fn row(toml: &mut String, fabric: &Fabric, cable: CableId, rest: &str) {
    let ends = &fabric.wiring.cables[cable];
    let a = fabric.wiring.ports[ends.a].switch;
    let part = match ends.b {
        FarEnd::Nic(nic) => {
            let node = fabric.machine.nic_node[nic];
            let nth = nic.0 - fabric.machine.node_nics[node];
            format!("nic_link = \"{}:{nth}\"", node.0)
        }
        FarEnd::Port(port) => {
            let b = fabric.wiring.ports[port].switch;
            let between = fabric.machine.links_between(a, b);
            let nth = between.iter().position(|&link| link == ends.there);
            let (nth, a, b) = (nth.expect("the link joins its switches"), a.0, b.0);
            format!("switches = [{a}, {b}]\ncable = {nth}")
        }
    };
    let _ = write!(toml, "[[fault]]\n{part}\n{rest}");
}
