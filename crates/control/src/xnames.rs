//! Names of components as HPE's systems write them, and algorithmic MAC addresses, in both
//! directions.
//!
//! Grammar: Cray-HPE/hms-xname. `x1000c6r7b0` is a switch's controller, `x1000c6r7j13p0` a port,
//! `x1000c6r7a0l24` the same port of the ASIC. Which slots and jacks a machine uses is not public
//! for most machines; the rules here are marked `[estimate]` where they are ours.

use std::collections::BTreeMap;
use std::fmt;

use machine::{GroupId, Machine, NicId, NodeId, SwitchId};

use crate::wiring::{FarEnd, PortId, Wiring};

/// First cabinet of compute groups and of service groups without names in the machine file
/// `[estimate]`; HPE's examples are x1000 (liquid cooled) and x3000 (racks).
const COMPUTE_CABINET: u32 = 1000;
const SERVICE_CABINET: u32 = 3000;
/// Cabinets have four digits (hms-xname).
const MAX_CABINET: u32 = 9999;
/// Chassis of a cabinet (hms-xname: c0 to c7).
const MAX_CHASSIS: u32 = 8;
/// Two ports share a jack (shs-docs: `j13p0`, `j13p1`).
const PORTS_PER_JACK: u32 = 2;
/// Endpoints of a port in a destination fabric address (sshot-net-operator).
const DFA_ENDPOINT_BITS: u32 = 12;

/// Where the switches of a group are.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// First cabinet of the group.
    cabinet: u32,
    /// Chassis of the group in each cabinet, and switches in each chassis.
    chassis: u32,
    switches: u32,
    /// Slot of the first switch of a chassis, and distance of the next one.
    slot: u32,
    step: u32,
    nodes: u32,
    is_service: bool,
}

/// The names of all components of a machine.
#[derive(Clone, Debug)]
pub struct Names {
    places: Vec<Place>,
    /// First cabinet of each group.
    by_cabinet: BTreeMap<u32, GroupId>,
    group_first: Vec<u32>,
    /// First node of each group; one entry more.
    node_first: Vec<u32>,
    /// Whether compute nodes have xnames in the machine file.
    own_nodes: bool,
    /// Whether addresses fit 9, 5 and 6 bits.
    narrow: bool,
}

/// A parsed xname below a chassis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Component {
    Switch(SwitchId),
    Port(PortId),
    Nic(NicId),
    Node(NodeId),
}

/// The numbers of an xname: one per letter.
fn fields(text: &str) -> Option<Vec<(char, u32)>> {
    let mut fields = Vec::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let digits = rest.get(letter.len_utf8()..)?;
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        if end == 0 || end > 6 || !letter.is_ascii_lowercase() {
            return None;
        }
        fields.push((letter, digits[..end].parse().ok()?));
        rest = &digits[end..];
    }
    Some(fields)
}

impl Names {
    pub fn new(machine: &Machine, wiring: &Wiring) -> Names {
        let node_first = nodes_by_group(machine);
        let is_xname = |name: &str| {
            let letters: Option<String> = fields(name).map(|f| f.iter().map(|f| f.0).collect());
            letters.is_some_and(|letters| letters == "xcsbn")
        };
        let own_nodes = machine.node_names.is_some() && is_xname(&machine.node_name(NodeId(0)));
        let mut names = Names {
            places: Vec::new(),
            by_cabinet: BTreeMap::new(),
            group_first: wiring.group_first.clone(),
            node_first,
            own_nodes,
            narrow: true,
        };
        for group in 0..machine.n_groups {
            names.place_group(machine, GroupId(group));
        }
        let widest = names.group_first.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(0);
        let highest = wiring.ports.raw.iter().map(|port| port.number).max().unwrap_or(0);
        names.narrow = machine.n_groups <= 512 && widest <= 32 && highest < 64;
        names
    }

    /// Compute groups are liquid-cooled cabinets, service groups racks `[estimate]`.
    fn place_group(&mut self, machine: &Machine, group: GroupId) {
        let kind = &machine.kinds[usize::from(machine.group_kind[group])];
        let of = |chassis, switches, slot, step| (chassis, switches, slot, step);
        let (chassis, switches, slot, step) = if !kind.compute {
            of(1, kind.switches, 1, 1)
        } else if kind.chassis > 1 {
            // Cascade: cabinets of three chassis [paper].
            of(
                if kind.chassis.is_multiple_of(3) { 3 } else { 1 },
                kind.switches / kind.chassis,
                0,
                1,
            )
        } else if kind.switches.is_multiple_of(MAX_CHASSIS) && kind.switches > MAX_CHASSIS {
            // Up to four per chassis in odd slots, as in x1000c6r7 and x1001c7r3 (shs-docs).
            let each = kind.switches / MAX_CHASSIS;
            if each <= 4 { of(MAX_CHASSIS, each, 1, 2) } else { of(MAX_CHASSIS, each, 0, 1) }
        } else {
            of(1, kind.switches, 0, 1)
        };
        let per_cabinet = chassis * switches;
        let cabinets = kind.switches.div_ceil(per_cabinet);
        let first_node = self.node_first[group.0 as usize];
        let own = (kind.compute && self.own_nodes && cabinets == 1)
            .then(|| fields(&machine.node_name(NodeId(first_node))).map(|fields| fields[0].1))
            .flatten();
        let base = if kind.compute { COMPUTE_CABINET } else { SERVICE_CABINET };
        let is_free = |c: &u32| (*c..*c + cabinets).all(|c| !self.by_cabinet.contains_key(&c));
        let cabinet = own.filter(is_free).unwrap_or_else(|| {
            // Five digits, which real systems do not have, once all others are in use.
            let mut all = (base..=MAX_CABINET).chain(0..base).chain(MAX_CABINET + 1..);
            all.find(is_free).expect("there are more numbers than groups")
        });
        for each in cabinet..cabinet + cabinets {
            self.by_cabinet.insert(each, group);
        }
        let (nodes, is_service) = (kind.nodes, !kind.compute);
        self.places.push(Place { cabinet, chassis, switches, slot, step, nodes, is_service });
    }

    fn group(&self, switch: SwitchId) -> GroupId {
        GroupId((self.group_first.partition_point(|&first| first <= switch.0) - 1) as u32)
    }

    /// `x1000c6r7`.
    pub fn switch(&self, switch: SwitchId) -> String {
        let group = self.group(switch);
        let place = self.places[group.0 as usize];
        let nth = switch.0 - self.group_first[group.0 as usize];
        let (chassis, slot) = (nth / place.switches, nth % place.switches);
        let cabinet = place.cabinet + chassis / place.chassis;
        format!("x{cabinet}c{}r{}", chassis % place.chassis, place.slot + slot * place.step)
    }

    /// `x1000c6r7b0`: the controller on which the agent runs.
    pub fn controller(&self, switch: SwitchId) -> String {
        self.switch(switch) + "b0"
    }

    /// `x1000c6r7j13p0`. That port n is on jack n / 2 + 1 is an `[estimate]`.
    pub fn port(&self, wiring: &Wiring, port: PortId) -> String {
        let number = u32::from(wiring.ports[port].number);
        let (jack, nth) = (number / PORTS_PER_JACK + 1, number % PORTS_PER_JACK);
        format!("{}j{jack}p{nth}", self.switch(wiring.ports[port].switch))
    }

    /// `x1000c6r7a0l24`: the port of the ASIC.
    pub fn asic_port(&self, wiring: &Wiring, port: PortId) -> String {
        let switch = self.switch(wiring.ports[port].switch);
        format!("{switch}a0l{}", wiring.ports[port].number)
    }

    /// `x1000c0s0b0n0`. Without xnames in the machine file: two boards of two nodes per slot
    /// `[estimate]`; racks have one node per slot.
    pub fn node(&self, machine: &Machine, node: NodeId) -> String {
        if self.own_nodes && node.0 < machine.compute_nodes {
            return machine.node_name(node);
        }
        let group = self.node_first.partition_point(|&first| first <= node.0) - 1;
        let place = self.places[group];
        let nth = node.0 - self.node_first[group];
        if place.is_service {
            return format!("x{}c0s{nth}b0n0", place.cabinet);
        }
        let (switches, chassis) = (self.group_first[group + 1] - self.group_first[group], place);
        let n_chassis = switches / chassis.switches;
        let per_chassis = place.nodes.div_ceil(n_chassis).max(1);
        let (in_chassis, at) = (nth % per_chassis, nth / per_chassis);
        let cabinet = place.cabinet + at / place.chassis;
        let (slot, board, unit) = (in_chassis / 4, in_chassis / 2 % 2, in_chassis % 2);
        format!("x{cabinet}c{}s{slot}b{board}n{unit}", at % place.chassis)
    }

    /// `x1000c0s0b0n0h0`.
    pub fn nic(&self, machine: &Machine, nic: NicId) -> String {
        let node = machine.nic_node[nic];
        format!("{}h{}", self.node(machine, node), nic.0 - machine.node_nics[node])
    }

    pub fn far_end(&self, machine: &Machine, wiring: &Wiring, end: FarEnd) -> String {
        match end {
            FarEnd::Port(port) => self.port(wiring, port),
            FarEnd::Nic(nic) => self.nic(machine, nic),
        }
    }

    /// The component that an xname names.
    pub fn parse(&self, machine: &Machine, wiring: &Wiring, text: &str) -> Option<Component> {
        let fields = fields(text)?;
        let letters: String = fields.iter().map(|field| field.0).collect();
        let number = |at: usize| fields[at].1;
        let found = match letters.as_str() {
            "xcr" | "xcrb" => Component::Switch(self.find_switch(&fields)?),
            "xcrjp" => {
                let jack = number(3).checked_sub(1)?;
                let (switch, nth) = (self.find_switch(&fields)?, number(4));
                let number = jack * PORTS_PER_JACK + nth;
                Component::Port(wiring.port(switch, number).filter(|_| nth < PORTS_PER_JACK)?)
            }
            "xcral" if number(3) == 0 => {
                Component::Port(wiring.port(self.find_switch(&fields)?, number(4))?)
            }
            "xcsbn" => Component::Node(self.find_node(machine, text, &fields)?),
            "xcsbnh" => {
                let node = text.rsplit_once('h')?.0;
                let node = self.find_node(machine, node, &fields[..5])?;
                let first = machine.node_nics[node];
                let n = machine.node_nics[NodeId(node.0 + 1)] - first;
                if number(5) >= n {
                    return None;
                }
                Component::Nic(NicId(first + number(5)))
            }
            _ => return None,
        };
        // Only the spelling that this module writes: no leading zeros.
        let plain = self.write(machine, wiring, found);
        let is_same = plain == text
            || matches!(found, Component::Switch(s) if self.controller(s) == text)
            || matches!(found, Component::Port(p) if self.asic_port(wiring, p) == text);
        is_same.then_some(found)
    }

    pub fn write(&self, machine: &Machine, wiring: &Wiring, component: Component) -> String {
        match component {
            Component::Switch(switch) => self.switch(switch),
            Component::Port(port) => self.port(wiring, port),
            Component::Nic(nic) => self.nic(machine, nic),
            Component::Node(node) => self.node(machine, node),
        }
    }

    fn find_switch(&self, fields: &[(char, u32)]) -> Option<SwitchId> {
        let (cabinet, chassis, slot) = (fields[0].1, fields[1].1, fields[2].1);
        let group = *self.by_cabinet.get(&cabinet)?;
        let place = self.places[group.0 as usize];
        let slot = slot.checked_sub(place.slot)?;
        let is_legal = chassis < place.chassis
            && slot.is_multiple_of(place.step)
            && slot / place.step < place.switches;
        let chassis = (cabinet - place.cabinet) * place.chassis + chassis;
        let nth = chassis * place.switches + slot / place.step;
        let first = self.group_first[group.0 as usize];
        let in_group = first + nth < self.group_first[group.0 as usize + 1];
        (is_legal && in_group).then_some(SwitchId(first + nth))
    }

    fn find_node(&self, machine: &Machine, text: &str, fields: &[(char, u32)]) -> Option<NodeId> {
        if self.own_nodes
            && let Some(at) = machine.node_names.as_ref().and_then(|names| names.position(text))
        {
            return Some(NodeId(at as u32));
        }
        let group = self.by_cabinet.get(&fields[0].1)?.0 as usize;
        let nodes = self.node_first[group]..self.node_first[group + 1];
        nodes.map(NodeId).find(|&node| self.node(machine, node) == text)
    }

    /// The number that the network gives a port: group, switch and port.
    pub fn address(&self, wiring: &Wiring, port: PortId) -> u64 {
        let at = wiring.ports[port];
        let group = self.group(at.switch).0;
        let nth = at.switch.0 - self.group_first[group as usize];
        let (group, nth, port) = (u64::from(group), u64::from(nth), u64::from(at.number));
        if self.narrow { group << 11 | nth << 6 | port } else { group << 22 | nth << 10 | port }
    }

    /// The IP address of the NIC at an edge port, an extension of ours: the number of the port in
    /// the low 23 bits of 10.128.0.0/9. Machines with larger groups have wider numbers; there it is
    /// the number of the NIC.
    pub fn ip(&self, wiring: &Wiring, port: PortId) -> String {
        let nid = match self.narrow {
            true => self.address(wiring, port),
            false => u64::from(wiring.ports[port].cable.0),
        };
        format!("10.{}.{}.{}", 128 + (nid >> 16 & 0x7f), nid >> 8 & 0xff, nid & 0xff)
    }

    /// The algorithmic MAC address: 9 bits of group, 5 of switch, 6 of port in the low bits
    /// (shs-docs). Machines with larger groups have 14, 12 and 10 bits and the top bit of the
    /// second byte set, an extension of ours.
    pub fn mac(&self, wiring: &Wiring, port: PortId) -> Mac {
        let wide = if self.narrow { 0 } else { 1 << 39 };
        Mac(2 << 40 | wide | self.address(wiring, port))
    }

    /// The destination fabric address of a port with this address, as a formula for users: the low
    /// 12 bits are an endpoint (sshot-net-operator).
    pub(crate) fn dfa_formula(&self) -> &'static str {
        match self.narrow {
            true => "group << 23 | switch << 18 | port << 12",
            false => "1 << 51 | group << 34 | switch << 22 | port << 12",
        }
    }

    /// The port that a destination fabric address of endpoint 0 belongs to. An address has 40 bits
    /// below the prefix of algorithmic MAC addresses.
    pub(crate) fn port_of_dfa(&self, wiring: &Wiring, dfa: u64) -> Option<PortId> {
        let (address, endpoint) = (dfa >> DFA_ENDPOINT_BITS, dfa & ((1 << DFA_ENDPOINT_BITS) - 1));
        let is_legal = endpoint == 0 && address < 1 << 40;
        if is_legal { self.port_of_mac(wiring, Mac(2 << 40 | address)) } else { None }
    }

    /// The port that an algorithmic address belongs to.
    pub fn port_of_mac(&self, wiring: &Wiring, mac: Mac) -> Option<PortId> {
        let wide = mac.0 >> 39 & 1 == 1;
        let low = mac.0 & ((1 << 39) - 1);
        let (group, nth, number) = if wide {
            (low >> 22, low >> 10 & 0xfff, low & 0x3ff)
        } else {
            (low >> 11, low >> 6 & 0x1f, low & 0x3f)
        };
        let is_ours = mac.0 >> 40 == 2 && wide != self.narrow;
        let group = usize::try_from(group).ok().filter(|_| is_ours)?;
        let (first, end) = (*self.group_first.get(group)?, *self.group_first.get(group + 1)?);
        let switch = SwitchId(first + nth as u32);
        if switch.0 >= end { None } else { wiring.port(switch, number as u32) }
    }
}

/// First node of each group: compute nodes first, then service nodes, in the order of groups.
fn nodes_by_group(machine: &Machine) -> Vec<u32> {
    let mut first = vec![0];
    for (_, &kind) in machine.group_kind.iter() {
        let nodes = machine.kinds[usize::from(kind)].nodes;
        first.push(first[first.len() - 1] + nodes);
    }
    first
}

/// A MAC address in the low 48 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mac(pub u64);

impl fmt::Display for Mac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in (0..6).rev() {
            let colon = if byte == 5 { "" } else { ":" };
            write!(f, "{colon}{:02x}", self.0 >> (8 * byte) & 0xff)?;
        }
        Ok(())
    }
}

impl Mac {
    /// The algorithmic address of a NIC that a client writes in three octets, as libfabric does:
    /// `4:AA:F2` (prov/cxi, requests for multicast trees).
    pub fn of_nic(text: &str) -> Option<Mac> {
        let octets: Vec<&str> = text.split(':').collect();
        let is_octet = |octet: &&str| {
            (1..=2).contains(&octet.len()) && octet.bytes().all(|b| b.is_ascii_hexdigit())
        };
        if octets.len() != 3 || !octets.iter().all(is_octet) {
            return None;
        }
        let value = |octet: &str| u64::from_str_radix(octet, 16).ok();
        let low = octets.into_iter().try_fold(0, |sum, octet| Some(sum << 8 | value(octet)?))?;
        Some(Mac(2 << 40 | low))
    }

    pub fn parse(text: &str) -> Option<Mac> {
        let bytes: Vec<&str> = text.split(':').collect();
        let is_byte = |byte: &&str| byte.len() == 2 && byte.bytes().all(|b| b.is_ascii_hexdigit());
        if bytes.len() != 6 || !bytes.iter().all(is_byte) {
            return None;
        }
        let value = |byte: &str| u64::from_str_radix(byte, 16).ok();
        bytes.into_iter().try_fold(0, |sum, byte| Some(sum << 8 | value(byte)?)).map(Mac)
    }
}
