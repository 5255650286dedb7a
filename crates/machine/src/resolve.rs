//! Resolves a spec to a machine: conditions between keys are checked first, then it is built.

use base::Span;

use crate::fabric::FabricView;
use crate::group_kind::{GroupKind, MAX_NICS};
use crate::input_error::InputError;
use crate::names::HostList;
use crate::spec::MachineSpec;
use crate::topology::Topology;
use crate::topology::dragonfly::BuiltNetwork;
use crate::values::Value;
use crate::{Arbitration, Launcher, Machine};

/// Events hold a link id in 26 bits.
const MAX_LINKS: u64 = 1 << 26;

/// Maximum wire bytes of a packet: networks count them in 16 bits.
const MAX_PACKET: u64 = (1 << 16) - 1;

impl MachineSpec {
    /// Checks conditions between keys and builds the machine.
    pub fn resolve(&self) -> Result<Machine, Vec<InputError>> {
        let mut out = Vec::new();
        let kinds: Vec<GroupKind> =
            self.kinds.iter().map(|name| self.kind(name, &mut out)).collect();
        let per_pair = self.links_per_pair(&kinds, &mut out);
        if out.is_empty() {
            self.check_size(&kinds, &per_pair, &mut out);
        }
        if out.is_empty() {
            self.check_ports(&kinds, &per_pair, &mut out);
            self.check_buffers(&mut out);
            self.check_quantum(&mut out);
            self.check_congestion(&mut out);
            self.check_flows(&mut out);
            self.check_multipacket(&mut out);
            self.check_latencies(&mut out);
        }
        let classes = self.traffic_classes(&mut out);
        let file_systems = self.file_systems(&kinds, &classes, &mut out);
        if !out.is_empty() {
            return Err(self.with_file_names(out));
        }
        let built = BuiltNetwork::new(self, &kinds, &per_pair);
        let routing = self.routing();
        let arbitration = match self.text("switch.arbitration") {
            "age" => Arbitration::Age,
            _ => Arbitration::RoundRobin,
        };
        let of_compute = |k: &&GroupKind| k.compute;
        let compute_nodes = kinds.iter().filter(of_compute).map(|k| k.groups * k.nodes).sum();
        Ok(Machine {
            name: self.name.clone(),
            digest: self.digest(),
            topology: Topology::Dragonfly(built.dragonfly),
            routing,
            routing_name: self.text("routing").into(),
            arbitration,
            credit_epoch: self.number("switch.credit_epoch").map(Span::from_seconds),
            keeps_flows: self.text("switch.flows") == "kept",
            links: built.links,
            node_nics: built.node_nics,
            nic_node: built.nic_node,
            nic_switch: built.nic_switch,
            switch_group: built.switch_group,
            compute_nodes,
            n_groups: kinds.iter().map(|k| k.groups).sum(),
            n_vcs: routing.n_vcs(),
            // Responses have their own virtual channels.
            n_vnets: 1 + u8::from(self.number("nic.response").is_some()),
            classes,
            nic: self.nic(),
            congestion: self.congestion(),
            node: self.node(),
            libraries: self.libraries.clone(),
            compute: self.compute(),
            power: self.power(),
            local_storage: self.local_storage(),
            file_systems,
            retry: self.retry(),
            faults: None,
            bias_changes: Vec::new(),
            initial_fabric: FabricView::healthy(routing),
            fabric: self.text("fabric").into(),
            group_kind: built.group_kind,
            kinds,
            links_per_cable: self.count("global.links_per_cable").expect("has a default") as u32,
            node_names: HostList::parse(self.text("node_names")),
            launcher: match self.text("launcher") {
                "pals" => Launcher::Pals,
                _ => Launcher::Slurm,
            },
        })
    }

    fn kind(&self, name: &str, out: &mut Vec<InputError>) -> GroupKind {
        let at = |key: &str| format!("groups.{name}.{key}");
        let count = |key: &str| self.of_kind(name, key) as u32;
        let optional = |key: &str| self.count(&at(key)).map(|n| n as u32);
        let compute = self.is_compute(name);
        let spread = match (self.text(&at("wiring")), self.get(&at("spread"))) {
            ("spread", Some(Value::Counts(switches))) => {
                switches.iter().map(|&s| s.min(u64::from(u32::MAX) - 1) as u32).collect()
            }
            ("spread", _) => (0..count("nics")).collect(),
            _ => vec![0; count("nics") as usize],
        };
        let mut kind = GroupKind {
            name: name.into(),
            compute,
            groups: count("count"),
            switches: count("switches"),
            chassis: count("chassis"),
            local_links: count("local_links"),
            chassis_links: count("chassis_links"),
            local_ports: 0,
            global_ports: optional("global_ports"),
            group_load: self.text(&at("group_load")) == "on",
            transit: match self.text(&at("transit")) {
                "" => compute,
                word => word == "yes",
            },
            nodes: count("nodes"),
            nics: count("nics"),
            spread,
            cpus: count("cpus"),
            gpus: count("gpus"),
            gpu_tiles: count("gpu_tiles"),
        };
        let mut refuse = |key: &str, found: String, expected: String| {
            out.push(InputError::new(at(key), found, expected));
        };
        if !kind.switches.is_multiple_of(kind.chassis) {
            let expected = format!("a divisor of its {} switches", kind.switches);
            refuse("chassis", kind.chassis.to_string(), expected);
            kind.chassis = 1;
        }
        if kind.spread.len() != kind.nics as usize {
            let expected = format!("one number for each of {} NICs", kind.nics);
            refuse("spread", format!("{:?}", kind.spread), expected);
            kind.spread = vec![0; kind.nics as usize];
        } else if !kind.switches.is_multiple_of(kind.width()) {
            let expected = format!("switches 0 to n-1 with n a divisor of {}", kind.switches);
            refuse("spread", format!("{:?}", kind.spread), expected);
            kind.spread = vec![0; kind.nics as usize];
        }
        if kind.slots() > 1 && kind.local_links == 0 {
            refuse("local_links", "0".into(), "at least 1, or the group is not connected".into());
        }
        if kind.chassis > 1 && kind.chassis_links == 0 {
            refuse("chassis_links", "0".into(), "at least 1, or the group is not connected".into());
        }
        let degree = kind.local_degree();
        kind.local_ports = optional("local_ports").unwrap_or(degree);
        if kind.local_ports < degree {
            let expected = format!("at least the {degree} local links of a switch");
            refuse("local_ports", kind.local_ports.to_string(), expected);
        }
        kind
    }

    /// Links between two groups of each pair of kinds, a symmetric table.
    fn links_per_pair(&self, kinds: &[GroupKind], out: &mut Vec<InputError>) -> Vec<Vec<u32>> {
        let mut table = vec![vec![0; kinds.len()]; kinds.len()];
        let per_cable = self.count("global.links_per_cable").expect("has a default");
        for (i, a) in kinds.iter().enumerate() {
            for (j, b) in kinds.iter().enumerate().skip(i) {
                let path = format!("global.links.{}.{}", a.name, b.name);
                let reversed_key = format!("global.links.{}.{}", b.name, a.name);
                let (at, value) = match (self.get(&path), self.get(&reversed_key)) {
                    (Some(_), Some(_)) if i != j => {
                        let expected = format!("either it or `{path}`, not both");
                        out.push(InputError::new(reversed_key, "", expected));
                        continue;
                    }
                    (None, Some(value)) => (reversed_key, Some(value)),
                    (value, _) => (path, value),
                };
                let n = match value {
                    Some(Value::Count(n)) => *n,
                    Some(_) => full(kinds, per_cable, &at, out),
                    None => 0,
                };
                let are_joined = i != j || a.groups > 1;
                if n == 0 && are_joined && (a.compute || a.nodes > 0) && (b.compute || b.nodes > 0)
                {
                    // Groups without nodes may be passed through by nonminimal routes.
                    let who = if i == j { "its groups" } else { "groups of both kinds" };
                    let expected = format!(
                        "at least 1: {who} have nodes, and a minimal route has one link between \
                         groups"
                    );
                    let found = value.map_or(String::new(), |_| "0".into());
                    out.push(InputError::new(at.clone(), found, expected));
                }
                if n % per_cable != 0 {
                    let expected = format!("whole cables of {per_cable} links");
                    out.push(InputError::new(at, n.to_string(), expected));
                }
                table[i][j] = n as u32;
                table[j][i] = n as u32;
            }
        }
        table
    }

    /// Refuses machines whose ids would not fit, before anything is sized by them.
    fn check_size(&self, kinds: &[GroupKind], per_pair: &[Vec<u32>], out: &mut Vec<InputError>) {
        let (mut groups, mut links, mut nodes, mut nics) = (0u64, 0u64, 0u64, 0u64);
        for (i, kind) in kinds.iter().enumerate() {
            let of_group = u64::from(kind.switches) * u64::from(kind.local_degree())
                + 2 * u64::from(kind.nodes) * u64::from(kind.nics)
                + to_others(kinds, per_pair, i);
            groups += u64::from(kind.groups);
            links = links.saturating_add(of_group.saturating_mul(kind.groups.into()));
            nodes += u64::from(kind.groups) * u64::from(kind.nodes);
            nics = nics.saturating_add(
                u64::from(kind.groups) * u64::from(kind.nodes) * u64::from(kind.nics),
            );
        }
        for (what, n, most) in [
            // The table of pairs of groups then takes 64 MiB.
            ("groups", groups, 4_096),
            ("links, one way", links, MAX_LINKS - 1),
            ("nodes", nodes, MAX_LINKS - 1),
            ("NICs", nics, MAX_NICS),
        ] {
            if n > most {
                let expected = format!("at most {most} {what} in total");
                out.push(InputError::new("groups", n.to_string(), expected));
            }
        }
        if !kinds.iter().any(|k| k.compute && k.nodes > 0) {
            let expected = "a kind of group with role `compute` and at least one node";
            out.push(InputError::new("groups", "", expected));
        }
    }

    fn check_ports(&self, kinds: &[GroupKind], per_pair: &[Vec<u32>], out: &mut Vec<InputError>) {
        for (i, kind) in kinds.iter().enumerate() {
            let global = to_others(kinds, per_pair, i).div_ceil(u64::from(kind.switches));
            let edge = kind.most_edge_ports();
            let used = edge + u64::from(kind.local_ports) + global;
            if let Some(limit) = kind.global_ports.filter(|&limit| u64::from(limit) < global) {
                let expected = format!("at least {global} for the links to other groups");
                let at = format!("groups.{}.global_ports", kind.name);
                out.push(InputError::new(at, limit.to_string(), expected));
            }
            if let Some(ports) = self.count("switch.ports").filter(|&ports| ports < used) {
                let expected = format!(
                    "at least {used}: a switch of `{}` has {edge} edge, {} local and {global} \
                     global ports",
                    kind.name, kind.local_ports
                );
                out.push(InputError::new("switch.ports", ports.to_string(), expected));
            }
        }
    }

    /// A buffer must hold a full packet per virtual channel, or packets could never move.
    fn check_buffers(&self, out: &mut Vec<InputError>) {
        let overhead = self.bytes("nic.packet_overhead");
        if overhead >= MAX_PACKET {
            let expected = format!("less than the {MAX_PACKET} B that a packet may have in total");
            out.push(InputError::new("nic.packet_overhead", format!("{overhead} B"), expected));
            return;
        }
        if let Some(response) = self.number("nic.response")
            && (response < 1.0 || response > overhead as f64)
        {
            let expected = format!("from 1 B to the {overhead} B of a request's headers");
            out.push(InputError::new("nic.response", format!("{response} B"), expected));
        }
        let (payload, most) = (self.bytes("nic.packet_payload"), MAX_PACKET - overhead);
        if payload == 0 || payload > most {
            let expected =
                format!("from 1 B to {most} B: a packet has at most {MAX_PACKET} B on the wire");
            out.push(InputError::new("nic.packet_payload", format!("{payload} B"), expected));
            return;
        }
        let packet = payload + overhead;
        let n_vcs = u64::from(self.routing().n_vcs());
        for link in ["edge", "local", "chassis", "global"] {
            let at = format!("links.{link}.buffer");
            let Some(bytes) = self.number(&at) else { continue };
            let least = packet * n_vcs;
            if bytes < least as f64 || bytes > f64::from(u32::MAX) {
                let expected = format!(
                    "from {least} B (a packet of {packet} B on each of {n_vcs} virtual channels) \
                     to {} B",
                    u32::MAX
                );
                out.push(InputError::new(at, format!("{bytes} B"), expected));
            }
        }
    }

    /// A hop must take time, so that no instant repeats forever. It must be short enough that the
    /// time of a whole path fits 32 bits of picoseconds (4.29 ms).
    fn check_latencies(&self, out: &mut Vec<InputError>) {
        let mut check = |at: &str, added: Span| {
            if self.number(at).is_none() {
                return;
            }
            let span = self.span(at);
            let refuse = |expected: String| InputError::new(at, span.to_string(), expected);
            if span > Span::us(100) {
                out.push(refuse(format!("at most {}", Span::us(100))));
            } else if span + added == Span::ZERO {
                out.push(refuse("more than 0 ps per hop in total".into()));
            }
        };
        check("switch.latency", Span::ps(1));
        check("links.edge.cable", Span::ZERO);
        for link in ["local", "chassis", "global"] {
            check(&format!("links.{link}.cable"), self.span("switch.latency"));
        }
        let nic = ["message_gap", "command_gap", "process_message", "received_message"];
        nic.iter().for_each(|key| check(&format!("nic.{key}"), Span::ps(1)));
        if self.number("switch.credit_epoch").is_some() {
            let (key, epoch) = ("switch.credit_epoch", self.span("switch.credit_epoch"));
            if !(Span::ns(1)..=Span::us(10)).contains(&epoch) {
                out.push(InputError::new(key, epoch.to_string(), "a time from 1 ns to 10 us"));
            }
        }
    }

    /// A step of a score must be a power of two, so that decisions need no division.
    fn check_quantum(&self, out: &mut Vec<InputError>) {
        let quantum = self.bytes("adaptive.quantum");
        if !quantum.is_power_of_two() || quantum > 1 << 30 {
            let expected = "a power of two from 1 B to 1 GiB";
            out.push(InputError::new("adaptive.quantum", format!("{quantum} B"), expected));
        }
    }

    /// A flow ends when its acknowledgements are back. With response packets there are none, and
    /// nothing is known of ordered flows there.
    fn check_flows(&self, out: &mut Vec<InputError>) {
        if self.text("switch.flows") == "kept" && self.number("nic.response").is_some() {
            let expected = "none, on a machine whose NICs answer with packets (nic.response)";
            out.push(InputError::new("switch.flows", "kept", expected));
        }
    }

    /// It is time on the resource that `nic.host_rate` limits. With response packets it is
    /// undefined which messages of a get it applies to.
    fn check_multipacket(&self, out: &mut Vec<InputError>) {
        let key = "nic.multipacket_message";
        let span = self.span(key);
        if span == Span::ZERO {
            return;
        }
        let mut refuse =
            |expected: &str| out.push(InputError::new(key, span.to_string(), expected));
        // Beyond that the weights of the flow model cannot represent it in addition to bytes.
        if span > Span::us(100) {
            refuse("at most 100 us");
        }
        if self.number("nic.host_rate").is_none() {
            refuse(
                "0 ns where the host interface has no limit for both directions (nic.host_rate)",
            );
        }
        if self.number("nic.response").is_some() {
            refuse("0 ns on a machine whose NICs answer with packets (nic.response)");
        }
    }

    /// Below one packet every packet would be congestion.
    fn check_congestion(&self, out: &mut Vec<InputError>) {
        if self.text("congestion.management") == "off" {
            return;
        }
        let threshold = self.bytes("congestion.threshold");
        let packet = self.bytes("nic.packet_payload") + self.bytes("nic.packet_overhead");
        if !(packet..=1 << 30).contains(&threshold) {
            let expected = format!("from a packet's {packet} B to 1 GiB");
            out.push(InputError::new("congestion.threshold", format!("{threshold} B"), expected));
        }
    }
}

/// Links from one group of the `i`th kind to all other groups.
fn to_others(kinds: &[GroupKind], per_pair: &[Vec<u32>], i: usize) -> u64 {
    let links = |(j, k): (usize, &GroupKind)| {
        u64::from(per_pair[i][j]) * u64::from(k.groups - u32::from(i == j))
    };
    kinds.iter().enumerate().map(links).sum()
}

/// As many whole cables to every other group as the global ports of a group allow. The Cascade
/// paper's rule, section II.D: cables per pair = floor(cables per group / (groups - 1)).
fn full(kinds: &[GroupKind], per_cable: u64, at: &str, out: &mut Vec<InputError>) -> u64 {
    let [kind] = kinds else {
        let expected = "a whole number: `full` is for machines with one kind of group";
        out.push(InputError::new(at, "full", expected));
        return per_cable;
    };
    let Some(ports) = kind.global_ports else {
        let expected = format!("`groups.{}.global_ports` to be set as well", kind.name);
        out.push(InputError::new(at, "full", expected));
        return per_cable;
    };
    let cables = u64::from(ports) * u64::from(kind.switches) / per_cable;
    if kind.groups > 1 && u64::from(kind.groups) - 1 > cables {
        let at = format!("groups.{}.count", kind.name);
        let expected = format!("at most {}: a group has ports for {cables} cables", cables + 1);
        out.push(InputError::new(at, kind.groups.to_string(), expected));
        return per_cable;
    }
    cables / u64::from(kind.groups.max(2) - 1) * per_cable
}
