//! Links on a machine with faults: bit errors, fewer lanes, and failures. Rules:
//! docs/models/faults.md.
//!
//! `LinkConditions` knows the current condition of each link. Routes around faults are computed in
//! `machine`; lost packets are retransmitted by `retransmission.rs`.

use base::{IndexVec, Time, draw, uniform};
use des::Phase;
use machine::faults::{Faults, LANES, LinkChange, packet_error_probability};
use machine::{LinkId, Machine};
use net::Cx;

use crate::classes::Shares;
use crate::credit::LinkType;
use crate::event::PacketEvent;
use crate::link::Links;
use crate::packet::{NONE, Packet};

/// Random stream of bit errors.
const STREAM_BITS: u32 = 0x6269_7473;

/// Maximum number of replays on a link, after which the packet counts as transferred. At the
/// highest permitted error rate fewer than one packet of 2 KiB in 10^5 needs as many.
const MOST_REPLAYS: u32 = 64;

/// The fault schedule; callers know that there is one.
pub(crate) fn schedule(machine: &Machine) -> &Faults {
    machine.faults.as_deref().expect("a network with faults has a schedule")
}

/// All changes after the start, as events of phase `Arrive`: those of routing biases, and those of
/// a fault schedule.
pub(crate) fn changes(machine: &Machine) -> impl Iterator<Item = (Time, PacketEvent)> {
    let of_biases = machine.initial_fabric().later_bias_changes();
    let bias = PacketEvent::Change { link: LinkId(0), nth: NONE };
    let of_links = machine.faults.iter().flat_map(|faults| (0..).zip(&faults.changes));
    let of_links = of_links.filter(|(_, change)| change.at > Time::ZERO);
    let of_link = |(nth, change): (u32, &LinkChange)| {
        (change.at, PacketEvent::Change { link: change.link, nth })
    };
    of_biases.map(move |at| (at, bias)).chain(of_links.map(of_link))
}

/// Schedules all changes after the start.
pub(crate) fn schedule_changes(cx: &mut Cx<'_>) {
    for (at, change) in changes(cx.machine) {
        cx.at(at, Phase::Arrive, change);
    }
}

/// Current condition of all links of a machine with a fault schedule.
pub(crate) struct LinkConditions {
    /// Bit-error rates, and the types of undamaged links.
    ber: IndexVec<LinkId, f64>,
    whole: IndexVec<LinkId, u8>,
    pub max_hops: u32,
}

impl LinkConditions {
    /// The conditions from the start, which are applied to `links`.
    pub fn new(
        machine: &Machine,
        links: &mut Links,
        shares: &mut Shares,
    ) -> Option<Box<LinkConditions>> {
        let faults = machine.faults.as_deref()?;
        let mut conditions = Box::new(LinkConditions {
            ber: IndexVec::filled(faults.ber, machine.links.gap.len()),
            whole: links.type_numbers(),
            max_hops: machine.max_hops(),
        });
        for &change in faults.changes.iter().take_while(|change| change.at == Time::ZERO) {
            conditions.set(change, links, shares, machine);
        }
        Some(conditions)
    }

    /// Applies a change of the schedule, apart from the packets that wait.
    pub fn set(
        &mut self,
        change: LinkChange,
        links: &mut Links,
        shares: &mut Shares,
        machine: &Machine,
    ) {
        let LinkChange { link, to, .. } = change;
        self.ber[link] = to.ber;
        let mut link_type = self.whole[link];
        if to.lanes < LANES {
            let packet = machine.nic.packet_payload + machine.nic.packet_overhead;
            let narrow = links.types[link_type].with_lanes(to.lanes, packet);
            link_type = link_type_number(narrow, links, shares);
        }
        links.set_type(link, link_type);
    }

    /// How often `link` repeats packet `p` because of bit errors.
    pub fn replays(&self, p: &Packet, link: LinkId) -> u32 {
        let ber = self.ber[link];
        let mut replays = 0;
        if ber > 0.0 {
            let chance = packet_error_probability(ber, u64::from(p.bytes));
            let is_hit = |nth: u32| {
                let nth = u64::from(p.route.hops) << 32 | u64::from(nth);
                uniform(draw(p.routing_draw(), STREAM_BITS, link.0, nth)) < chance
            };
            while replays < MOST_REPLAYS && is_hit(replays) {
                replays += 1;
            }
        }
        replays
    }

    /// Bytes of memory held.
    pub fn held(&self) -> usize {
        size_of_val(&self.ber.raw[..]) + size_of_val(&self.whole.raw[..])
    }
}

/// The number of a link type, which is added if it is new.
fn link_type_number(link_type: LinkType, links: &mut Links, shares: &mut Shares) -> u8 {
    let known = links.types.all().len();
    let number = links.types.number(link_type);
    if links.types.all().len() > known {
        shares.add_link_type(link_type.gap);
    }
    number
}
