//! Summary of a machine: the numbers that papers print, counted as papers count them.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::storage::FileSystem;
use crate::{Distance, GroupId, LinkEnd, LinkKind, Machine, NicId};

/// The resolved machine in numbers. Field names are the keys of `odonata show --json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(non_snake_case)] // `B` is bytes, also in a key.
pub struct Summary {
    pub name: String,
    /// Groups of all kinds.
    pub groups: u32,
    /// Switches of all groups.
    pub switches: u32,
    /// Compute nodes.
    pub nodes: u32,
    /// NICs of the compute nodes.
    pub endpoints: u32,
    /// Links between switches, both directions as one.
    pub links: u64,
    /// Fabric ports of switches: those reserved for the group, used or not, and the ends of links
    /// between groups.
    pub fabric_ports: u64,
    /// Ports of switches for NICs, service nodes included.
    pub edge_ports: u64,
    /// All compute endpoints, one way.
    pub injection_B_per_s: f64,
    /// All links between compute groups, both ways.
    pub global_B_per_s: f64,
    /// Links between the first and the second half of the compute groups, both ways. With one such
    /// group, links between the halves of its switches.
    pub bisection_B_per_s: f64,
    /// Files outside mounts: rate of all nodes together, rate of one node, latency of a transfer.
    pub storage_B_per_s: f64,
    pub storage_node_B_per_s: f64,
    pub storage_latency_s: f64,
    pub file_systems: Vec<FileSystemSummary>,
    /// An 8-byte message, one way, from host to host.
    pub zero_load_latency_s: Distances,
    pub groups_by_kind: BTreeMap<String, u32>,
    pub nodes_by_kind: BTreeMap<String, u32>,
    pub links_by_kind: LinksByKind,
    pub ports_by_kind: PortsByKind,
    /// Cables between groups.
    pub global_cables: u64,
    /// NICs per compute node.
    pub nics_per_node: u32,
    /// Total of all compute nodes.
    pub cpus: u64,
    pub gpus: u64,
    pub gpu_tiles: u64,
    /// Computing units per node of `[node.device]`; 0 without rates.
    pub units_per_node: u32,
    /// Longest minimal route in hops between switches.
    pub hops_max: u32,
}

/// A file system that compute nodes mount.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FileSystemSummary {
    pub name: String,
    /// `lustre` or `daos`.
    pub kind: String,
    pub mounts: Vec<String>,
    /// Server nodes, those of metadata included.
    pub servers: u32,
    /// Targets of file data: OSTs, or targets of DAOS engines.
    pub targets: u32,
    /// Gateways between the fabric and the servers; 0 with servers on the fabric.
    pub gateways: u32,
}

/// The farthest pair of each distance; `None` where the machine has no such pair of endpoints.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize)]
pub struct Distances {
    pub same_switch: Option<f64>,
    pub same_group: Option<f64>,
    pub other_group: Option<f64>,
}

/// Links, both directions as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize)]
pub struct LinksByKind {
    pub edge: u64,
    pub local: u64,
    pub chassis: u64,
    pub global: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize)]
pub struct PortsByKind {
    pub edge: u64,
    /// Reserved for the group, used or not.
    pub local: u64,
    pub global: u64,
}

impl Machine {
    pub fn summary(&self) -> Summary {
        let kinds = || self.kinds.iter();
        let of_nodes = |each: fn(&crate::GroupKind) -> u32| -> u64 {
            kinds()
                .filter(|k| k.compute)
                .map(|k| u64::from(k.groups) * u64::from(k.nodes) * u64::from(each(k)))
                .sum()
        };
        let links = links_by_kind(self);
        let ports = PortsByKind {
            edge: links.edge,
            local: kinds()
                .map(|k| u64::from(k.groups) * u64::from(k.switches) * u64::from(k.local_ports))
                .sum(),
            global: 2 * links.global,
        };
        let endpoints = of_nodes(|k| k.nics);
        let edge_rate = self.links.gap[self.injection(NicId(0))].bytes_per_s();
        let (global, bisection) = compute_global_rates(self);
        Summary {
            name: self.name.clone(),
            groups: self.n_groups,
            switches: self.n_switches(),
            nodes: self.compute_nodes,
            endpoints: endpoints as u32,
            links: links.local + links.chassis + links.global,
            fabric_ports: ports.local + ports.global,
            edge_ports: ports.edge,
            injection_B_per_s: endpoints as f64 * edge_rate,
            global_B_per_s: global,
            bisection_B_per_s: bisection,
            storage_B_per_s: self.local_storage.gap.bytes_per_s(),
            storage_node_B_per_s: self.local_storage.node_gap.bytes_per_s(),
            storage_latency_s: self.local_storage.latency.seconds(),
            file_systems: self.file_systems.iter().map(FileSystemSummary::of).collect(),
            zero_load_latency_s: distances(self),
            groups_by_kind: kinds().map(|k| (k.name.clone(), k.groups)).collect(),
            nodes_by_kind: kinds().map(|k| (k.name.clone(), k.groups * k.nodes)).collect(),
            links_by_kind: links,
            ports_by_kind: ports,
            global_cables: links.global / u64::from(self.links_per_cable),
            nics_per_node: kinds().find(|k| k.compute).map_or(0, |k| k.nics),
            cpus: of_nodes(|k| k.cpus),
            gpus: of_nodes(|k| k.gpus),
            gpu_tiles: of_nodes(|k| k.gpus * k.gpu_tiles),
            units_per_node: self.compute.as_ref().map_or(0, |unit| unit.count),
            hops_max: self.topology.longest_minimal(),
        }
    }

    /// Bytes held by the columns and tables.
    pub fn bytes(&self) -> usize {
        let links = &self.links;
        let per_link = size_of_val(&links.from.raw[..])
            + size_of_val(&links.to.raw[..])
            + size_of_val(&links.kind.raw[..])
            + size_of_val(&links.latency.raw[..])
            + size_of_val(&links.cable.raw[..])
            + size_of_val(&links.gap.raw[..])
            + size_of_val(&links.buffer.raw[..]);
        let places = size_of_val(&self.node_nics.raw[..])
            + size_of_val(&self.nic_node.raw[..])
            + size_of_val(&self.nic_switch.raw[..])
            + size_of_val(&self.switch_group.raw[..])
            + size_of_val(&self.group_kind.raw[..]);
        per_link + places + self.topology.bytes()
    }

    /// Whether the group's nodes run jobs.
    pub fn is_compute(&self, group: GroupId) -> bool {
        self.kinds[usize::from(self.group_kind[group])].compute
    }
}

impl FileSystemSummary {
    fn of(file_system: &FileSystem) -> FileSystemSummary {
        FileSystemSummary {
            name: file_system.name.clone(),
            kind: file_system.protocol.name().into(),
            mounts: file_system.mounts.clone(),
            servers: file_system.hosts.len() as u32,
            targets: file_system.data_targets(),
            gateways: file_system.n_gateways(),
        }
    }
}

fn links_by_kind(machine: &Machine) -> LinksByKind {
    let mut one_way = [0u64; 5];
    for (_, &kind) in machine.links.kind.iter() {
        one_way[kind as usize] += 1;
    }
    LinksByKind {
        edge: one_way[LinkKind::Injection as usize],
        local: one_way[LinkKind::Local as usize] / 2,
        chassis: one_way[LinkKind::LocalBlack as usize] / 2,
        global: one_way[LinkKind::Global as usize] / 2,
    }
}

/// Rates in bytes per second of all links between compute groups, and of those between the two
/// halves of the machine: of its groups, or of the switches of its only group.
fn compute_global_rates(machine: &Machine) -> (f64, f64) {
    let compute = machine.group_kind.ids().take_while(|&g| machine.is_compute(g)).count() as u32;
    let (mut all, mut across) = (0.0, 0.0);
    for a in (0..compute).map(GroupId) {
        for b in (0..compute).map(GroupId) {
            let mut links = machine.topology.links_between_groups(a, b);
            let n = links.len() as f64;
            let rate = links.next().map_or(0.0, |link| machine.links.gap[link].bytes_per_s()) * n;
            all += rate;
            if (a.0 < compute / 2) != (b.0 < compute / 2) {
                across += rate;
            }
        }
    }
    (all, if compute == 1 { across_switches(machine) } else { across })
}

/// Rate of the links between the two halves of the first group's switches.
fn across_switches(machine: &Machine) -> f64 {
    let group = GroupId(0); // compute groups come first
    let n = machine.switch_group.raw.iter().filter(|&&g| g == group).count() as u32;
    let half = |end| match end {
        LinkEnd::Switch(switch) if machine.switch_group[switch] == group => Some(switch.0 < n / 2),
        _ => None,
    };
    let links = machine.links.from.iter().map(|(link, &from)| (link, from, machine.links.to[link]));
    links
        .filter(|&(_, from, to)| half(from).zip(half(to)).is_some_and(|(a, b)| a != b))
        .map(|(link, ..)| machine.links.gap[link].bytes_per_s())
        .sum()
}

/// Seen from the first NIC, which represents all because groups are equal.
fn distances(machine: &Machine) -> Distances {
    let src = NicId(0);
    let mut far = Distances::default();
    let compute_nics = machine.node_nics.raw[machine.compute_nodes as usize];
    for dst in (1..compute_nics).map(NicId) {
        let nearness = match machine.distance(src, dst) {
            Distance::Global => &mut far.other_group,
            // NICs of one node can be on several switches.
            _ if machine.nic_switch[src] == machine.nic_switch[dst] => &mut far.same_switch,
            _ => &mut far.same_group,
        };
        let latency = (machine.zero_load(src, dst, 8) + machine.node.nic_latency * 2).seconds();
        *nearness = Some(nearness.unwrap_or(0.0).max(latency));
    }
    far
}
