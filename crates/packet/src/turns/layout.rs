//! What all shards of a network have in common and do not change: types of links, and places of
//! ports and NICs. Also what turns of switches do not have.

use std::ops::Range;

use base::{IndexVec, Span};
use machine::{Arbitration, LinkEnd, LinkId, Machine, NicId, SwitchId};
use net::Partition;

use super::credits::Input;
use super::{SLOTS, Unit, switch};
use crate::credit::LinkTypes;
use crate::link::number_types;

/// Types of links, and places of ports and NICs: those of a switch are contiguous.
pub struct Layout {
    pub(super) types: LinkTypes,
    /// By link.
    pub(super) link_types: IndexVec<LinkId, u8>,
    pub(super) units: Vec<Unit>,
    /// By link: its place among all ports; by injection link: the place of its NIC among all NICs.
    pub(super) places: Vec<u32>,
}

impl Layout {
    /// That of a network for messages of `payload` bytes, one packet each, or what `Turns` does not
    /// model. `windows::length` permits the machine.
    pub fn new(
        machine: &Machine,
        payload: u64,
        partition: &Partition,
    ) -> Result<Layout, &'static str> {
        let wire = payload + machine.nic.packet_overhead;
        limits(machine, wire)?;
        if !partition.of.raw.is_sorted() {
            return Err("the switches of a shard are not contiguous");
        }
        let (types, link_types) = number_types(machine, None);
        if types.all().len() > Input::TYPES {
            return Err("there are more than 64 types of links");
        }
        let layout = Layout::of_all(machine, types, link_types);
        let most_links = layout.units.iter().map(|unit| unit.ports.1 - unit.ports.0).max();
        check_counts(machine, most_links.unwrap_or(0), wire as u16)?;
        Ok(layout)
    }

    fn of_all(machine: &Machine, types: LinkTypes, link_types: IndexVec<LinkId, u8>) -> Layout {
        let links = &machine.links;
        let n_nics = machine.n_nics();
        let from = |link: LinkId| match links.from[link] {
            LinkEnd::Switch(switch) => switch,
            LinkEnd::Nic(nic) => machine.nic_switch[nic],
        };
        let mut order: Vec<LinkId> = (n_nics..links.gap.len() as u32).map(LinkId).collect();
        order.sort_by_key(|&link| (from(link), link));
        let mut nics: Vec<NicId> = (0..n_nics).map(NicId).collect();
        nics.sort_by_key(|&nic| (machine.nic_switch[nic], nic));
        let mut places = vec![0; links.gap.len()];
        (0..).zip(&order).for_each(|(place, link)| places[link.0 as usize] = place);
        (0..).zip(&nics).for_each(|(place, nic)| places[nic.0 as usize] = place);
        let (mut port, mut nic) = (0, 0);
        let unit = |switch: SwitchId| {
            let n_ports = order[port..].iter().take_while(|&&link| from(link) == switch).count();
            let n_nics = nics[nic..].iter().take_while(|&&n| machine.nic_switch[n] == switch);
            let first = (port as u32, nic as u32);
            (port, nic) = (port + n_ports, nic + n_nics.count());
            Unit {
                ports: (first.0, port as u32),
                nics: (first.1, nic as u32),
                waiting: 0,
                lacking: 0,
            }
        };
        let units = (0..machine.n_switches()).map(SwitchId).map(unit).collect();
        Layout { types, link_types, units, places }
    }

    /// The units of these switches, with places among their own ports and NICs, and the latter.
    pub(super) fn of(&self, switches: Range<usize>) -> (Vec<Unit>, Vec<LinkId>, Vec<NicId>) {
        let units = &self.units[switches];
        let span = |range: fn(&Unit) -> (u32, u32)| {
            let first = units.first().map_or(0, |unit| range(unit).0);
            first..units.last().map_or(first, |unit| range(unit).1)
        };
        let (ports, nics) = (span(|unit| unit.ports), span(|unit| unit.nics));
        let own = |(begin, end): (u32, u32), all: &Range<u32>| (begin - all.start, end - all.start);
        let unit = |&unit: &Unit| Unit {
            ports: own(unit.ports, &ports),
            nics: own(unit.nics, &nics),
            ..unit
        };
        // What is at each of these places.
        let n_nics = self.units.last().map_or(0, |unit| unit.nics.1) as usize;
        let (of_nics, of_ports) = self.places.split_at(n_nics);
        let mut nic_ids = vec![NicId(0); nics.len()];
        for (nic, &place) in (0..).map(NicId).zip(of_nics).filter(|(_, at)| nics.contains(at)) {
            nic_ids[(place - nics.start) as usize] = nic;
        }
        let mut links = vec![LinkId(0); ports.len()];
        let all = (n_nics as u32..).map(LinkId).zip(of_ports);
        for (link, &place) in all.filter(|(_, at)| ports.contains(at)) {
            links[(place - ports.start) as usize] = link;
        }
        (units.iter().map(unit).collect(), links, nic_ids)
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.link_types.raw[..])
            + size_of_val(&self.units[..])
            + size_of_val(&self.places[..])
    }
}

/// The length of a window for packets of `wire` bytes, or why `Turns` cannot simulate this machine,
/// which `windows::length` permits.
fn limits(machine: &Machine, wire: u64) -> Result<Span, &'static str> {
    let length = machine.credit_epoch.ok_or("the machine has no switch.credit_epoch")?;
    let links = &machine.links;
    if machine.faults.is_some() {
        return Err("the machine has a fault schedule");
    }
    if machine.initial_fabric().later_bias_changes().next().is_some() {
        return Err("routing biases change during the run");
    }
    if machine.arbitration != Arbitration::RoundRobin {
        return Err("arbitration is by age");
    }
    if machine.n_vnets > 1 || machine.classes.is_shared() || machine.nic.response > 0 {
        return Err("there are several virtual networks");
    }
    if machine.n_vcs > Input::VCS || length > Span(1 << switch::OFFSET_BITS) {
        return Err("windows or channels exceed their ranges");
    }
    let injection = (0..machine.n_nics()).map(|nic| machine.injection(NicId(nic)));
    if injection.clone().any(|link| links.latency[link] < length) {
        return Err("switch.credit_epoch exceeds the latency of an injection link");
    }
    let most = |column: &[Span]| column.iter().max().copied().unwrap_or_default();
    let slowest = links.gap.raw.iter().max().map_or(Span::ZERO, |gap| gap.span(wire));
    let host = machine.nic.host_gap.max(machine.nic.host_gap_one_way).span(wire);
    let longest = most(&links.latency.raw) + most(&links.cable.raw) + slowest.max(host) * 4;
    if longest > length * (SLOTS - 2) {
        return Err("packets are in transit for more than six windows");
    }
    Ok(length)
}

/// Whether the ports of a switch can be numbered, and the heads of a turn and the bytes that wait
/// for a port counted, with packets of `wire` bytes. A switch has as many links to it as from it.
fn check_counts(machine: &Machine, most_links: u32, wire: u16) -> Result<(), &'static str> {
    let links = &machine.links;
    if most_links > Input::NICS {
        return Err("a switch has more than 64 ports");
    }
    let fastest = links.gap.raw.iter().min().map_or(Span::ZERO, |gap| gap.span(wire.into()));
    let window = machine.credit_epoch.unwrap_or_default();
    let heads = u64::from(most_links) * (window.0 / fastest.0.max(1) + 2);
    if heads > 1 << switch::POSITION_BITS {
        return Err("too many packets enter a switch per window");
    }
    let port = links.buffer.raw.iter().max().map_or(0, |&buffer| u64::from(buffer));
    let bytes = port.saturating_mul(machine.n_vcs.into()).saturating_mul(most_links.into());
    if bytes > u32::MAX.into() {
        return Err("the buffers of a switch exceed 4 GiB");
    }
    Ok(())
}
