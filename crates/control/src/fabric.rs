//! The simulated fabric: configuration of ports, states of links, agents of switches, and what the
//! manager has learned of them.
//!
//! Does not know documents or sweeps. Every change of state passes through here: it updates
//! the counts, adds a telemetry event and enters the digest. Sets of pending work hold only what
//! changed, so agents that are in sync cost nothing.

use std::collections::{BTreeMap, BTreeSet};

use base::{Digest, IndexVec, Span, Time, draw, uniform};
use des::{EventCode, Phase as Order, Queue};
use machine::{Machine, SwitchId};

use crate::link_state::{Conditions, Configured, Input, LANES, Outcome, Phase, next};
use crate::policy::{ConfigId, DEFAULT_QOS, ListId, Policies, QOS_PROFILES};
use crate::telemetry::{Event, Sensor, Site, Telemetry};
use crate::wiring::{CableId, FarEnd, PortId, Wiring};
use crate::xnames::Names;

/// Kinds of events in the queue.
pub mod kind {
    /// A sweep is due; the source is its kind. It ends; the argument is the epoch of its manager.
    pub const SWEEP_DUE: u8 = 0;
    pub const SWEEP_END: u8 = 1;
    /// Inputs of the state machine of a link; the argument is the number of its attempt.
    pub const TUNED: u8 = 2;
    pub const RETRY: u8 = 3;
    pub const EXHAUSTED: u8 = 4;
    /// Begin and end of a fault; the argument is its number.
    pub const FAULT_START: u8 = 5;
    pub const FAULT_END: u8 = 6;
    /// The standby takes over; the argument is the epoch.
    pub const FAILOVER: u8 = 7;
    /// A step of a maintenance ends; the argument is its number.
    pub const MAINTENANCE: u8 = 8;
    /// Bandwidths of loaded ports are reported.
    pub const PERFORMANCE: u8 = 9;
}

/// Streams of random draws.
pub mod stream {
    pub const TUNING: u32 = 0x74_75_6e_65;
    pub const FAULTS: u32 = 0x66_6c_74_73;
    pub const TOKENS: u32 = 0x74_6f_6b_6e;
}

/// A link tunes for 3 to 5 s (Aurora paper: flaps of 3 to 5 s).
const TUNE_MIN: Span = Span::ms(3_000);
const TUNE_RANGE_S: f64 = 2.0;
const TUNE_MAX: Span = Span::ms(5_000);

/// The end of simulated time: 162 days. 2^64 ps are 213 days, so that no delay from it overflows.
pub const END_S: f64 = 1.4e7;
const END: Time = Time(14_000_000_000_000_000_000);

/// An agent and its switch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Agent {
    /// The switch has power and works.
    pub is_working: bool,
    /// The agent answers the manager; it never does on a failed switch.
    pub is_reachable: bool,
    /// The last time it answered while it did not any more.
    pub lost_at: Time,
    /// Configurations that it has received.
    pub deployments: u32,
}

/// Losses of a link that no operator requested.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct History {
    pub flaps: u32,
    pub first_flap: Time,
    pub last_flap: Time,
}

/// The faults of a link.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FaultCondition {
    pub is_down: bool,
    pub lanes: u8,
    pub ber: f64,
}

impl FaultCondition {
    pub const NONE: FaultCondition = FaultCondition { is_down: false, lanes: LANES, ber: 0.0 };
}

/// Links that are online.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    pub edge_up: u32,
    pub fabric_up: u32,
}

/// The configuration that a sweep sends to a switch.
pub type Deployment = (SwitchId, Vec<(PortId, ConfigId)>);

pub struct Fabric {
    pub machine: Machine,
    pub names: Names,
    pub wiring: Wiring,
    pub seed: u64,
    pub now: Time,
    pub queue: Queue,
    pub telemetry: Telemetry,
    pub digest: Digest,
    pub policies: Policies,
    /// Start of simulated time, seconds since 1970.
    epoch_s: u64,
    pub desired: IndexVec<PortId, ListId>,
    pub actual: IndexVec<PortId, ConfigId>,
    phase: IndexVec<CableId, Phase>,
    /// The number of attempts to tune each link; an event of an earlier attempt is void.
    attempt: IndexVec<CableId, u32>,
    /// Whether routing uses a link, as of the last routing sweep, and whether the live topology has
    /// it.
    routed: IndexVec<CableId, bool>,
    reported: IndexVec<CableId, bool>,
    down_since: IndexVec<CableId, Time>,
    pub history: BTreeMap<CableId, History>,
    conditions: BTreeMap<CableId, FaultCondition>,
    /// Links that routing avoids on request of an operator.
    drained: BTreeSet<CableId>,
    pub agents: IndexVec<SwitchId, Agent>,
    pub n_unreachable: u32,
    /// Switches whose ports may differ from their desired configuration.
    pub undeployed: BTreeSet<SwitchId>,
    pub unrouted: BTreeSet<CableId>,
    pub unreported: BTreeSet<CableId>,
    pub counts: Counts,
    /// Links in each phase.
    pub by_phase: [u32; 7],
}

/// Names of the default policies of a port: the common one, and that of the QoS profile.
pub fn default_policies(is_edge: bool, qos: &str) -> Vec<String> {
    let (own, part) =
        if is_edge { ("edge-policy", "cassini") } else { ("fabric-policy", "fabric") };
    vec![own.to_string(), format!("qos-{qos}-{part}-policy")]
}

/// The policy of another QoS profile, if `name` is that of one: `qos-hpc-fabric-policy`.
pub fn of_profile(name: &str, profile: &str) -> String {
    let part = name.strip_prefix("qos-").and_then(|rest| {
        QOS_PROFILES.into_iter().find_map(|old| rest.strip_prefix(old)?.strip_prefix('-'))
    });
    part.map_or_else(|| name.to_string(), |part| format!("qos-{profile}-{part}"))
}

impl Fabric {
    /// A fabric in which no agent has a configuration yet.
    pub fn new(machine: Machine, seed: u64, epoch_s: u64, events_kept: usize) -> Fabric {
        let wiring = Wiring::new(&machine);
        let names = Names::new(&machine, &wiring);
        let rate = machine.links.gap.raw.last().map_or(0.0, |gap| gap.bytes_per_s() * 8e-9);
        let mut policies = Policies::published(rate.round() as u64);
        let lists = [false, true].map(|edge| policies.list(&default_policies(edge, DEFAULT_QOS)));
        let unset = policies.unset();
        let (n_ports, n_cables) = (wiring.ports.len(), wiring.cables.len());
        let desired = wiring.ports.ids().map(|port| lists[usize::from(wiring.is_edge(port))]);
        let agent =
            Agent { is_working: true, is_reachable: true, lost_at: Time::ZERO, deployments: 0 };
        Fabric {
            desired: desired.collect(),
            actual: IndexVec::filled(unset, n_ports),
            phase: IndexVec::filled(Phase::Offline, n_cables),
            attempt: IndexVec::filled(0, n_cables),
            routed: IndexVec::filled(false, n_cables),
            reported: IndexVec::filled(false, n_cables),
            down_since: IndexVec::filled(Time::ZERO, n_cables),
            history: BTreeMap::new(),
            conditions: BTreeMap::new(),
            drained: BTreeSet::new(),
            agents: IndexVec::filled(agent, wiring.n_switches()),
            n_unreachable: 0,
            undeployed: (0..wiring.n_switches() as u32).map(SwitchId).collect(),
            unrouted: BTreeSet::new(),
            unreported: BTreeSet::new(),
            counts: Counts::default(),
            by_phase: [n_cables as u32, 0, 0, 0, 0, 0, 0],
            seed,
            now: Time::ZERO,
            queue: Queue::new(),
            telemetry: Telemetry::new(events_kept),
            digest: Digest::default(),
            epoch_s,
            policies,
            machine,
            names,
            wiring,
        }
    }

    /// Lets all agents have their configuration, and all links be online and known.
    pub fn start_running(&mut self) {
        for port in self.wiring.ports.ids() {
            self.actual[port] = self.policies.config_of(self.desired[port]);
        }
        self.undeployed.clear();
        for cable in self.wiring.cables.ids() {
            self.phase[cable] = Phase::Online;
            self.routed[cable] = true;
            self.reported[cable] = true;
        }
        let (edges, all) = (self.wiring.edges, self.wiring.cables.len() as u32);
        self.counts = Counts { edge_up: edges, fabric_up: all - edges };
        self.by_phase = [0; 7];
        self.by_phase[Phase::Online as usize] = all;
    }

    /// Adds a change of state to the digest.
    pub fn record(&mut self, what: u8, which: u32, value: u64) {
        self.digest.mix(self.now.0);
        self.digest.mix(u64::from(what) << 32 | u64::from(which));
        self.digest.mix(value);
    }

    pub fn emit(&mut self, sensor: Sensor, site: Site, value: f32) {
        self.telemetry.push(Event { at: self.now, sensor, site, value });
    }

    /// The time of an event that is scheduled now; `None` if simulated time ends before it.
    fn event_time(&self, after: Span) -> Option<Time> {
        // At least 1 ps later, so that an event never precedes the one that caused it.
        let at = Time(self.now.0.saturating_add(after.0.max(1)));
        Some(at).filter(|&at| at <= END)
    }

    /// Whether an event after this time takes place before simulated time ends.
    pub(crate) fn reaches(&self, after: Span) -> bool {
        self.event_time(after).is_some()
    }

    pub fn schedule(&mut self, after: Span, kind: u8, source: u32, arg: u32) {
        if let Some(at) = self.event_time(after) {
            self.queue.push(at, EventCode::new(Order::Arrive, kind, source, arg));
        }
    }

    pub fn phase(&self, cable: CableId) -> Phase {
        self.phase[cable]
    }
    pub fn is_up(&self, cable: CableId) -> bool {
        self.phase[cable] == Phase::Online
    }
    pub fn is_routed(&self, cable: CableId) -> bool {
        self.routed[cable]
    }
    pub fn is_reported(&self, cable: CableId) -> bool {
        self.reported[cable]
    }
    pub fn is_drained(&self, cable: CableId) -> bool {
        self.drained.contains(&cable)
    }
    pub fn condition(&self, cable: CableId) -> FaultCondition {
        self.conditions.get(&cable).copied().unwrap_or(FaultCondition::NONE)
    }
    pub fn lanes(&self, cable: CableId) -> u8 {
        self.condition(cable).lanes
    }
    /// The lanes that carry data: those of the configured speed, if as many work.
    pub fn lanes_in_use(&self, cable: CableId) -> u8 {
        let configured = self.config(self.wiring.cables[cable].a).lanes;
        self.lanes(cable).min(configured.unwrap_or(LANES))
    }
    /// Since when a link is down, if it is.
    pub fn down_since(&self, cable: CableId) -> Option<Time> {
        (!self.is_up(cable)).then_some(self.down_since[cable])
    }

    pub fn config(&self, port: PortId) -> &crate::policy::PortConfig {
        self.policies.config(self.actual[port])
    }

    pub fn configured(&self, cable: CableId) -> Configured {
        let ends = &self.wiring.cables[cable];
        match ends.b {
            FarEnd::Port(b) => self.config(ends.a).joins(self.config(b)),
            FarEnd::Nic(_) => self.config(ends.a).joins_nic(&self.policies.speed),
        }
    }

    fn conditions_of(&self, cable: CableId) -> Conditions {
        let ends = &self.wiring.cables[cable];
        let is_working = |port: PortId| self.agents[self.wiring.ports[port].switch].is_working;
        Conditions {
            configured: self.configured(cable),
            has_peers: ends.ports().all(is_working),
            is_faulty: self.condition(cable).is_down,
            retries: self.config(ends.a).retry.enabled,
        }
    }

    /// From the start of an attempt until that of the next one, if it fails.
    fn retry_period(&self, cable: CableId) -> Span {
        let retry = &self.config(self.wiring.cables[cable].a).retry;
        TUNE_MAX + Span::ms(u64::from(retry.duration_ms))
    }

    /// Applies an input to the state machine of a link.
    pub fn input(&mut self, cable: CableId, input: Input) {
        let before = self.phase[cable];
        let (after, outcome) = next(before, self.conditions_of(cable), input);
        if after != before || outcome == Outcome::Tune {
            self.change_phase(cable, after, input);
        }
        match outcome {
            Outcome::Nothing => {}
            Outcome::Tune => {
                self.attempt[cable] += 1;
                let attempt = self.attempt[cable];
                let share = uniform(draw(self.seed, stream::TUNING, cable.0, attempt.into()));
                let tune = TUNE_MIN + Span::from_seconds(TUNE_RANGE_S * share);
                self.schedule(tune, kind::TUNED, cable.0, attempt);
            }
            Outcome::AwaitRetry => {
                let period = self.retry_period(cable).0;
                let since = self.now.since(self.down_since[cable]).0;
                let wait = Span(period - since % period);
                self.schedule(wait, kind::RETRY, cable.0, self.attempt[cable]);
            }
            Outcome::LimitRetries => {
                let retry = self.config(self.wiring.cables[cable].a).retry.clone();
                if !retry.always {
                    let tries = u64::from(retry.num_retries);
                    let all = Span(self.retry_period(cable).0.saturating_mul(tries));
                    self.schedule(all, kind::EXHAUSTED, cable.0, self.attempt[cable]);
                }
            }
        }
    }

    /// An event of a link's attempt. Events of earlier attempts are void.
    pub fn attempt_event(&mut self, cable: CableId, attempt: u32, input: Input) {
        if self.attempt[cable] == attempt {
            self.input(cable, input);
        }
    }

    fn change_phase(&mut self, cable: CableId, to: Phase, input: Input) {
        let was_up = self.is_up(cable);
        self.by_phase[self.phase[cable] as usize] -= 1;
        self.by_phase[to as usize] += 1;
        self.phase[cable] = to;
        let is_up = self.is_up(cable);
        self.record(kind::TUNED, cable.0, to as u64);
        if was_up == is_up {
            return;
        }
        let ends = self.wiring.cables[cable];
        let count =
            if ends.is_edge() { &mut self.counts.edge_up } else { &mut self.counts.fabric_up };
        *count = if is_up { *count + 1 } else { *count - 1 };
        self.unrouted.insert(cable);
        self.unreported.insert(cable);
        for port in ends.ports() {
            self.emit(Sensor::PortState, Site::Port(port), f32::from(u8::from(is_up)));
        }
        if is_up {
            return;
        }
        self.down_since[cable] = self.now;
        let is_loss = matches!(to, Phase::Faulty | Phase::Failed) || input == Input::Flap;
        if is_loss {
            let now = self.now;
            let history = self.history.entry(cable).or_default();
            if history.flaps == 0 {
                history.first_flap = now;
            }
            history.flaps += 1;
            history.last_flap = now;
            for port in ends.ports() {
                self.emit(Sensor::HardwareErrors, Site::Port(port), 1.0);
            }
        }
    }

    /// Sets the faults of a link.
    pub fn set_condition(&mut self, cable: CableId, to: FaultCondition) {
        let before = self.condition(cable);
        if before == to {
            return;
        }
        if to == FaultCondition::NONE {
            self.conditions.remove(&cable);
        } else {
            self.conditions.insert(cable, to);
        }
        self.record(kind::FAULT_START, cable.0, u64::from(to.lanes) | to.ber.to_bits() << 8);
        for port in self.wiring.cables[cable].ports() {
            if before.lanes != to.lanes {
                self.emit(Sensor::Lanes, Site::Port(port), f32::from(to.lanes));
            }
            if to.ber > before.ber {
                self.emit(Sensor::BitErrors, Site::Port(port), -to.ber.log10() as f32);
            }
        }
        if before.is_down != to.is_down {
            self.input(cable, Input::Check);
        }
    }

    /// Lets a switch or only its agent fail, or return.
    pub fn set_agent(&mut self, switch: SwitchId, is_working: bool, is_reachable: bool) {
        let before = self.agents[switch];
        let is_reachable = is_working && is_reachable;
        if (before.is_working, before.is_reachable) == (is_working, is_reachable) {
            return;
        }
        let lost = before.is_reachable && !is_reachable;
        let lost_at = if lost { self.now } else { before.lost_at };
        self.agents[switch] = Agent { is_working, is_reachable, lost_at, ..before };
        self.n_unreachable += u32::from(lost);
        self.n_unreachable -= u32::from(!before.is_reachable && is_reachable);
        self.record(
            kind::FAULT_END,
            switch.0,
            u64::from(is_working) << 1 | u64::from(is_reachable),
        );
        self.emit(Sensor::SwitchState, Site::Switch(switch), f32::from(u8::from(is_reachable)));
        if before.is_working != is_working {
            if is_working {
                self.forget_configuration(switch);
            }
            for port in self.wiring.ports_of(switch) {
                self.input(self.wiring.ports[port].cable, Input::Check);
            }
        }
    }

    /// A switch that starts has no configuration.
    pub fn forget_configuration(&mut self, switch: SwitchId) {
        let unset = self.policies.unset();
        for port in self.wiring.ports_of(switch) {
            self.actual[port] = unset;
            self.input(self.wiring.ports[port].cable, Input::Check);
        }
        self.undeployed.insert(switch);
    }

    /// Lets routing avoid a link, or use it again, from the next routing sweep on.
    pub fn set_drained(&mut self, cable: CableId, is_drained: bool) {
        let changed = match is_drained {
            true => self.drained.insert(cable),
            false => self.drained.remove(&cable),
        };
        if changed {
            self.unrouted.insert(cable);
            self.record(kind::MAINTENANCE, cable.0, u64::from(is_drained));
        }
    }

    /// Requests policies for a port. They reach it with the next deployment sweep.
    pub fn request_policies(&mut self, port: PortId, names: &[String]) {
        let list = self.policies.list(names);
        if self.desired[port] != list {
            self.desired[port] = list;
            self.undeployed.insert(self.wiring.ports[port].switch);
            self.record(kind::SWEEP_DUE, port.0, list.0.into());
        }
    }

    /// Requests the policies of another QoS profile for all ports that have those of one.
    pub fn set_qos(&mut self, profile: &str) {
        let mut changed: BTreeMap<ListId, Option<Vec<String>>> = BTreeMap::new();
        for port in self.wiring.ports.ids() {
            let list = self.desired[port];
            let names = changed.entry(list).or_insert_with(|| {
                let old = self.policies.names_of(list);
                let new: Vec<String> = old.iter().map(|name| of_profile(name, profile)).collect();
                (new != old).then_some(new)
            });
            if let Some(names) = names.clone() {
                self.request_policies(port, &names);
            }
        }
    }

    /// Marks the switches with a port that has one of these lists.
    pub fn mark_lists(&mut self, lists: &[ListId]) {
        if lists.is_empty() {
            return;
        }
        for (port, list) in self.desired.iter() {
            if lists.contains(list) {
                self.undeployed.insert(self.wiring.ports[port].switch);
            }
        }
    }

    /// Whether a policy is in use by a port.
    pub fn uses_policy(&self, name: &str) -> bool {
        let lists = self.policies.lists_with(name);
        !lists.is_empty() && self.desired.raw.iter().any(|list| lists.contains(list))
    }

    /// Whether a switch has the desired configuration.
    pub fn is_in_sync(&self, switch: SwitchId) -> bool {
        !self.undeployed.contains(&switch)
            || self
                .wiring
                .ports_of(switch)
                .all(|port| self.actual[port] == self.policies.config_of(self.desired[port]))
    }

    /// What a deployment sweep that starts now sends to the agents that it reaches.
    pub fn begin_deployment(&mut self) -> Vec<Deployment> {
        let (agents, wiring) = (&self.agents, &self.wiring);
        let reached = self.undeployed.iter().filter(|&&switch| agents[switch].is_reachable);
        let of = |&switch: &SwitchId| {
            let config = |port| (port, self.policies.config_of(self.desired[port]));
            (switch, wiring.ports_of(switch).map(config).collect())
        };
        reached.map(of).collect()
    }

    /// The agents have received and applied what the sweep sent.
    pub fn finish_deployment(&mut self, sent: &[Deployment]) {
        for (switch, ports) in sent {
            if !self.agents[*switch].is_reachable {
                continue;
            }
            for &(port, config) in ports {
                self.actual[port] = config;
            }
            self.agents[*switch].deployments += 1;
            let wanted = |port| self.policies.config_of(self.desired[port]);
            if ports.iter().all(|&(port, config)| wanted(port) == config) {
                self.undeployed.remove(switch);
            }
            self.record(kind::SWEEP_END, switch.0, ports.len() as u64);
        }
        // After all agents have applied theirs, so that both ends of a link change at once.
        for (_, ports) in sent {
            for &(port, _) in ports {
                self.input(self.wiring.ports[port].cable, Input::Check);
            }
        }
    }

    /// The changes that a sweep of routing, or of the live topology, that starts now reads.
    pub fn begin_routing(&mut self) -> Vec<(CableId, bool)> {
        let changed = std::mem::take(&mut self.unrouted);
        let usable = |cable: &CableId| self.is_up(*cable) && !self.is_drained(*cable);
        changed.into_iter().map(|cable| (cable, usable(&cable))).collect()
    }
    pub fn begin_topology(&mut self) -> Vec<(CableId, bool)> {
        let changed = std::mem::take(&mut self.unreported);
        changed.into_iter().map(|cable| (cable, self.is_up(cable))).collect()
    }

    /// All switches have the routes of the sweep; returns whether any link changed.
    pub fn finish_routing(&mut self, read: &[(CableId, bool)]) -> bool {
        let mut changed = false;
        for &(cable, is_usable) in read {
            if self.routed[cable] != is_usable {
                self.routed[cable] = is_usable;
                self.record(kind::RETRY, cable.0, is_usable.into());
                changed = true;
            }
        }
        changed
    }
    pub fn finish_topology(&mut self, read: &[(CableId, bool)]) {
        for &(cable, is_up) in read {
            self.reported[cable] = is_up;
        }
    }

    pub fn micros(&self, at: Time) -> u64 {
        self.epoch_s * 1_000_000 + at.0 / 1_000_000
    }

    /// `2025-01-01T00:00:00.000000Z`.
    pub fn timestamp(&self, at: Time) -> String {
        let micros = self.micros(at);
        let (seconds, fraction) = (micros / 1_000_000, micros % 1_000_000);
        let (days, of_day) = (seconds / 86_400, seconds % 86_400);
        let (year, month, day) = civil(days);
        let (hour, minute, second) = (of_day / 3_600, of_day / 60 % 60, of_day % 60);
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{fraction:06}Z")
    }
}

/// Year, month and day of a number of days since 1970-01-01, after Hinnant, "chrono-compatible
/// low-level date algorithms".
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::civil;

    #[test]
    fn dates_of_the_calendar() {
        for (days, date) in [
            (0, (1970, 1, 1)),
            (59, (1970, 3, 1)),
            (11_016, (2000, 2, 29)),
            (20_089, (2025, 1, 1)),
            (20_454, (2026, 1, 1)),
        ] {
            assert_eq!(civil(days), date);
        }
    }
}
