//! Ports of switches and the links between them, in the terms of the fabric manager: a link has
//! both directions, and a port is one end of it.
//!
//! Has no state. The columns follow from the machine alone. The numbers of ports are those of the
//! published address dumps where these exist: NICs are on ports 48 to 63 (shs-docs, AMA listing).

use base::IndexVec;
use machine::{GroupId, LinkEnd, LinkId, LinkKind, Machine, NicId, SwitchId};

base::ids! {
    /// A cabled port of a switch. Ports of a switch are consecutive, in the order of their numbers.
    PortId,
    /// Both directions of a link. Links of NICs come first, then those between switches.
    CableId,
}

/// First port number of NICs on a switch of 64 ports (shs-docs: ports 48, 49, 60, 61).
const EDGE_PORTS_FROM: u32 = 48;
/// Ports of a Rosetta switch.
const ROSETTA_PORTS: u32 = 64;

/// The end of a link that is not its first port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FarEnd {
    Port(PortId),
    Nic(NicId),
}

/// A link, both directions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cable {
    pub a: PortId,
    pub b: FarEnd,
    pub kind: LinkKind,
    /// The direction that leaves port `a`, and the other one.
    pub there: LinkId,
    pub back: LinkId,
}

impl Cable {
    pub fn is_edge(&self) -> bool {
        matches!(self.b, FarEnd::Nic(_))
    }
    /// `edge`, `local` or `global`.
    pub fn link_type(&self) -> &'static str {
        match (self.b, self.kind) {
            (FarEnd::Nic(_), _) => "edge",
            (_, LinkKind::Global) => "global",
            _ => "local",
        }
    }
    /// Both ports, or the only one.
    pub fn ports(&self) -> impl Iterator<Item = PortId> + use<> {
        let far = match self.b {
            FarEnd::Port(port) => Some(port),
            FarEnd::Nic(_) => None,
        };
        [Some(self.a), far].into_iter().flatten()
    }
}

/// One port of a switch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Port {
    pub switch: SwitchId,
    pub number: u16,
    pub cable: CableId,
}

/// All ports and links of a machine.
#[derive(Clone, Debug)]
pub struct Wiring {
    pub ports: IndexVec<PortId, Port>,
    pub cables: IndexVec<CableId, Cable>,
    /// Ports of switch `s` are `first[s]..first[s + 1]`.
    first: Vec<u32>,
    /// Cables of NICs are below this.
    pub edges: u32,
    /// First switch of each group, and one past the last.
    pub group_first: Vec<u32>,
}

/// A link between switches before its ports have numbers.
struct Draft {
    from: SwitchId,
    to: SwitchId,
    kind: LinkKind,
    there: LinkId,
    back: LinkId,
}

impl Wiring {
    pub fn new(machine: &Machine) -> Wiring {
        let drafts = drafts(machine);
        let edges = machine.n_nics();
        let n_switches = machine.n_switches() as usize;
        // Per switch: links within the machine in the order of cables, then its NICs.
        let mut inner: Vec<Vec<CableId>> = vec![Vec::new(); n_switches];
        for (nth, draft) in drafts.iter().enumerate() {
            let cable = CableId(edges + nth as u32);
            inner[draft.from.0 as usize].push(cable);
            inner[draft.to.0 as usize].push(cable);
        }
        let mut nics: Vec<Vec<CableId>> = vec![Vec::new(); n_switches];
        for (nic, switch) in machine.nic_switch.iter() {
            nics[switch.0 as usize].push(CableId(nic.0));
        }
        let mut ports = IndexVec::with_capacity(2 * drafts.len() + edges as usize);
        let mut ends = vec![[None; 2]; edges as usize + drafts.len()];
        let mut first = vec![0];
        for (switch, (inner, nics)) in inner.iter().zip(&nics).enumerate() {
            let edge_from = edge_ports_from(inner.len() as u32, nics.len() as u32);
            let numbered = (0..).zip(inner).chain((edge_from..).zip(nics));
            for (number, &cable) in numbered {
                let switch = SwitchId(switch as u32);
                let port = ports.push(Port { switch, number: number as u16, cable });
                let ends: &mut [Option<PortId>; 2] = &mut ends[cable.0 as usize];
                ends[usize::from(ends[0].is_some())] = Some(port);
            }
            first.push(ports.len() as u32);
        }
        let cables = cables(machine, &drafts, &ends);
        let mut group_first = vec![0];
        for group in 0..machine.n_groups {
            let last = group_first[group as usize];
            let own = machine.switch_group.raw[last as usize..].iter();
            group_first.push(last + own.take_while(|&&g| g == GroupId(group)).count() as u32);
        }
        Wiring { ports, cables, first, edges, group_first }
    }

    pub fn n_switches(&self) -> usize {
        self.first.len() - 1
    }

    pub fn ports_of(&self, switch: SwitchId) -> impl DoubleEndedIterator<Item = PortId> + use<> {
        (self.first[switch.0 as usize]..self.first[switch.0 as usize + 1]).map(PortId)
    }

    pub fn port(&self, switch: SwitchId, number: u32) -> Option<PortId> {
        let start = self.first[switch.0 as usize];
        let own = &self.ports.raw[start as usize..self.first[switch.0 as usize + 1] as usize];
        let nth = own.binary_search_by_key(&number, |port| u32::from(port.number)).ok()?;
        Some(PortId(start + nth as u32))
    }

    pub fn is_edge(&self, port: PortId) -> bool {
        self.ports[port].cable.0 < self.edges
    }

    /// `edge`, `local` or `global`.
    pub fn link_type(&self, port: PortId) -> &'static str {
        self.cables[self.ports[port].cable].link_type()
    }

    /// The other end of a port's link.
    pub fn far_end(&self, port: PortId) -> FarEnd {
        let cable = &self.cables[self.ports[port].cable];
        if cable.a == port { cable.b } else { FarEnd::Port(cable.a) }
    }

    /// Position of a switch in its group.
    pub fn index_in_group(&self, machine: &Machine, switch: SwitchId) -> u32 {
        switch.0 - self.group_first[machine.switch_group[switch].0 as usize]
    }
}

/// The first port number of a switch's NICs.
fn edge_ports_from(inner: u32, nics: u32) -> u32 {
    let fits = inner <= EDGE_PORTS_FROM && nics <= ROSETTA_PORTS - EDGE_PORTS_FROM;
    if fits { EDGE_PORTS_FROM } else { inner }
}

/// The links between switches, local ones first, each with both directions.
fn drafts(machine: &Machine) -> Vec<Draft> {
    let mut forward = Vec::new();
    let mut backward = Vec::new();
    for (link, &from) in machine.links.from.iter() {
        let (LinkEnd::Switch(from), LinkEnd::Switch(to)) = (from, machine.links.to[link]) else {
            continue;
        };
        let kind = machine.links.kind[link];
        if from < to {
            forward.push((kind, from, to, link));
        } else {
            backward.push((kind, to, from, link));
        }
    }
    forward.sort_unstable();
    backward.sort_unstable();
    assert_eq!(forward.len(), backward.len(), "every link has two directions");
    let both = forward.into_iter().zip(backward);
    let drafts = both.map(|((kind, from, to, there), (_, a, b, back))| {
        debug_assert_eq!((from, to), (a, b));
        Draft { from, to, kind, there, back }
    });
    drafts.collect()
}

/// `ends` has the ports of each cable: two, or the one of a NIC's link.
fn cables(
    machine: &Machine,
    drafts: &[Draft],
    ends: &[[Option<PortId>; 2]],
) -> IndexVec<CableId, Cable> {
    let n_nics = machine.n_nics();
    let edge = |nic: NicId| Cable {
        a: ends[nic.0 as usize][0].expect("every NIC has a port"),
        b: FarEnd::Nic(nic),
        kind: LinkKind::Ejection,
        there: machine.ejection(nic),
        back: machine.injection(nic),
    };
    let mut cables: IndexVec<CableId, Cable> = (0..n_nics).map(|nic| edge(NicId(nic))).collect();
    for (draft, ends) in drafts.iter().zip(&ends[n_nics as usize..]) {
        let [Some(a), Some(b)] = *ends else { panic!("a link has two ports") };
        let (kind, there, back) = (draft.kind, draft.there, draft.back);
        // Ports are numbered switch by switch, so `a` is the one of the lower switch.
        cables.push(Cable { a, b: FarEnd::Port(b), kind, there, back });
    }
    cables
}
