//! Construction of a dragonfly from the kinds of groups of a machine file: switches, nodes, NICs
//! and all links. Each column is filled once.

use base::{Gap, IndexVec, Span};

use super::routing::{has_single_local_links, has_single_paths};
use super::{Dragonfly, GlobalLink, Group, NO_TRANSIT, RowCol, SwitchCoords, gateways};
use crate::group_kind::GroupKind;
use crate::spec::MachineSpec;
use crate::{GroupId, LinkEnd, LinkId, LinkKind, Links, NicId, NodeId, SwitchId};

/// A network and the nodes that it joins.
pub(crate) struct BuiltNetwork {
    pub dragonfly: Dragonfly,
    pub links: Links,
    pub group_kind: IndexVec<GroupId, u16>,
    pub node_nics: IndexVec<NodeId, u32>,
    pub nic_node: IndexVec<NicId, NodeId>,
    pub nic_switch: IndexVec<NicId, SwitchId>,
    pub switch_group: IndexVec<SwitchId, GroupId>,
}

impl BuiltNetwork {
    /// The network of a legal spec; `per_pair` has the links between two groups of each pair of
    /// kinds.
    pub fn new(spec: &MachineSpec, kinds: &[GroupKind], per_pair: &[Vec<u32>]) -> BuiltNetwork {
        let mut build = Build::new(spec, kinds);
        build.local_links();
        let global_links = build.global_links(per_pair);
        let dragonfly = build.dragonfly(global_links);
        let Build { links, group_kind, node_nics, nic_node, nic_switch, switch_group, .. } = build;
        let links = links.on_large_pages();
        BuiltNetwork { dragonfly, links, group_kind, node_nics, nic_node, nic_switch, switch_group }
    }
}

/// The columns while they are being filled.
struct Build<'a> {
    kinds: &'a [GroupKind],
    rows: [LinkRow; 4],
    links: Links,
    coords: IndexVec<SwitchId, SwitchCoords>,
    groups: IndexVec<GroupId, Group>,
    group_kind: IndexVec<GroupId, u16>,
    node_nics: IndexVec<NodeId, u32>,
    nic_node: IndexVec<NicId, NodeId>,
    nic_switch: IndexVec<NicId, SwitchId>,
    switch_group: IndexVec<SwitchId, GroupId>,
}

/// Properties shared by all links of a kind.
#[derive(Clone, Copy)]
struct LinkRow {
    /// Latency of the cable and of the switch that it leads to.
    latency: Span,
    cable: Span,
    gap: Gap,
    buffer: u32,
}

/// Indices into `Build::rows`.
const EDGE: usize = 0;
const LOCAL: usize = 1;
const CHASSIS: usize = 2;
const GLOBAL: usize = 3;

impl<'a> Build<'a> {
    /// Creates groups, switches, nodes and NICs, and the links of the NICs.
    fn new(spec: &MachineSpec, kinds: &'a [GroupKind]) -> Build<'a> {
        let switch = spec.span("switch.latency");
        let rows = ["edge", "local", "chassis", "global"].map(|link| {
            let path = |key: &str| {
                let own = format!("links.{link}.{key}");
                if spec.get(&own).is_some() { own } else { format!("links.local.{key}") }
            };
            let cable = spec.span(&path("cable"));
            LinkRow {
                latency: cable + switch,
                cable,
                gap: spec.gap(&path("rate")),
                buffer: (spec.bytes(&path("buffer")) / u64::from(spec.routing().n_vcs())) as u32,
            }
        });
        let mut build = Build {
            kinds,
            rows,
            links: Links::default(),
            coords: IndexVec::new(),
            groups: IndexVec::new(),
            group_kind: IndexVec::new(),
            node_nics: IndexVec::new(),
            nic_node: IndexVec::new(),
            nic_switch: IndexVec::new(),
            switch_group: IndexVec::new(),
        };
        let mut transit = 0;
        for (k, kind) in kinds.iter().enumerate() {
            for _ in 0..kind.groups {
                build.group(k as u16, kind, &mut transit);
            }
        }
        build.node_nics.push(build.nic_node.len() as u32);
        build.edge_links();
        build
    }

    fn group(&mut self, k: u16, kind: &GroupKind, transit: &mut u32) {
        let first = self.coords.len() as u32;
        let mut nth = NO_TRANSIT;
        if kind.transit {
            nth = *transit;
            *transit += 1;
        }
        let (switches, compares_load) = (kind.switches, kind.group_load);
        let id = self.groups.push(Group { first, switches, transit: nth, compares_load });
        self.group_kind.push(k);
        for switch in 0..kind.switches {
            self.switch_group.push(id);
            self.coords.push(SwitchCoords {
                group: id.0 as u16,
                row: (switch / kind.slots()) as u16,
                col: (switch % kind.slots()) as u16,
                row_links: kind.local_links as u8,
                col_links: kind.chassis_links as u8,
                row_first: 0,
                col_first: 0,
            });
        }
        for node in 0..kind.nodes {
            let id = self.node_nics.push(self.nic_node.len() as u32);
            for nic in 0..kind.nics {
                self.nic_node.push(id);
                self.nic_switch.push(SwitchId(first + kind.switch_of(node, nic)));
            }
        }
    }

    fn push_link(&mut self, from: LinkEnd, to: LinkEnd, kind: LinkKind) -> LinkId {
        let row = self.rows[match kind {
            LinkKind::Injection | LinkKind::Ejection => EDGE,
            LinkKind::Local => LOCAL,
            LinkKind::LocalBlack => CHASSIS,
            LinkKind::Global => GLOBAL,
        }];
        let latency = if kind == LinkKind::Ejection { row.cable } else { row.latency };
        self.links.from.push(from);
        self.links.to.push(to);
        self.links.kind.push(kind);
        self.links.latency.push(latency);
        self.links.cable.push(row.cable);
        self.links.gap.push(row.gap);
        self.links.buffer.push(row.buffer)
    }

    fn edge_links(&mut self) {
        for nic in self.nic_switch.ids() {
            let switch = self.nic_switch[nic];
            self.push_link(LinkEnd::Nic(nic), LinkEnd::Switch(switch), LinkKind::Injection);
        }
        for nic in self.nic_switch.ids() {
            let switch = self.nic_switch[nic];
            self.push_link(LinkEnd::Switch(switch), LinkEnd::Nic(nic), LinkKind::Ejection);
        }
    }

    /// Switch by switch: to the other columns of its row, then to the other rows of its column.
    fn local_links(&mut self) {
        for at in self.coords.ids() {
            let switch_coords = self.coords[at];
            let group = self.groups[GroupId(switch_coords.group.into())];
            let kind =
                &self.kinds[usize::from(self.group_kind[GroupId(switch_coords.group.into())])];
            let slots = kind.slots();
            let place =
                |row: u32, col: u32| LinkEnd::Switch(SwitchId(group.first + row * slots + col));
            let (row, col) = (u32::from(switch_coords.row), u32::from(switch_coords.col));
            self.coords[at].row_first = self.links.to.len() as u32;
            for other in (0..slots).filter(|&other| other != col) {
                for _ in 0..kind.local_links {
                    self.push_link(LinkEnd::Switch(at), place(row, other), LinkKind::Local);
                }
            }
            self.coords[at].col_first = self.links.to.len() as u32;
            for other in (0..kind.chassis).filter(|&other| other != row) {
                for _ in 0..kind.chassis_links {
                    self.push_link(LinkEnd::Switch(at), place(other, col), LinkKind::LocalBlack);
                }
            }
        }
    }

    /// Global links in both directions, sorted by pair of groups.
    ///
    /// Each group assigns its ports to its peers in order, one switch after another. The links of a
    /// pair are on as many switches as possible, and the switches of a group have equally many to
    /// within one.
    fn global_links(&mut self, per_pair: &[Vec<u32>]) -> (Vec<u32>, Vec<GlobalLink>) {
        let n = self.groups.len();
        let kind_of = |g: usize| usize::from(self.group_kind.raw[g]);
        let mut pair_first = Vec::with_capacity(n * n + 1);
        pair_first.push(0u32);
        for a in 0..n {
            for b in 0..n {
                let links = if a == b { 0 } else { per_pair[kind_of(a)][kind_of(b)] };
                pair_first.push(pair_first[a * n + b] + links);
            }
        }
        let mut ends = vec![(SwitchId(0), SwitchId(0)); pair_first[n * n] as usize];
        let mut assigned = vec![0u64; n];
        for a in 0..n {
            for b in a + 1..n {
                let (there, back) = (pair_first[a * n + b], pair_first[b * n + a]);
                for nth in 0..pair_first[a * n + b + 1] - there {
                    let [from, to] = [a, b].map(|g| {
                        let switch = self.kinds[kind_of(g)].link_switch(assigned[g]);
                        assigned[g] += 1;
                        SwitchId(self.groups.raw[g].first + switch)
                    });
                    let (there, back) = ((there + nth) as usize, (back + nth) as usize);
                    ends[there] = (from, to);
                    ends[back] = (to, from);
                }
            }
        }
        let place =
            |switch_coords: SwitchCoords| RowCol { row: switch_coords.row, col: switch_coords.col };
        let global_links = ends.into_iter().map(|(from, to)| GlobalLink {
            link: self.push_link(LinkEnd::Switch(from), LinkEnd::Switch(to), LinkKind::Global),
            from: place(self.coords[from]),
            to: place(self.coords[to]),
        });
        let global_links = global_links.collect();
        (pair_first, global_links)
    }

    fn dragonfly(&mut self, (pair_first, global_links): (Vec<u32>, Vec<GlobalLink>)) -> Dragonfly {
        // Hops of the longest path within a group: along its chassis, and across them.
        let within = |k: &GroupKind| u32::from(k.slots() > 1) + u32::from(k.chassis > 1);
        let within = self.kinds.iter().map(within).max().expect("a machine has a kind");
        let transit = self.groups.iter().filter(|(_, g)| g.transit != NO_TRANSIT);
        let (gateway_first, gateways) = gateways(&self.links, &self.coords, &self.groups);
        Dragonfly {
            transit: transit.map(|(id, _)| id).collect(),
            has_single_paths: has_single_paths(&self.coords, &pair_first),
            has_single_local_links: has_single_local_links(&self.coords),
            coords: std::mem::take(&mut self.coords),
            groups: std::mem::take(&mut self.groups),
            pair_first,
            global_links,
            gateway_first,
            gateways,
            diameter: 1 + 2 * within,
        }
    }
}
