//! Simulation of one switch with its NICs at a time (docs/models/window-engine.md): the unit of
//! each event, and whether a machine permits it.
//!
//! A head needs the latency of its link to reach another switch. Acknowledgements and congestion
//! notices take the latencies of a packet's path, so they are no faster. Credits count from the end
//! of their epoch on, which is no earlier than the end of the window, because both have the same
//! boundaries. They are added to the state of the upstream switch at once: sums by epoch do not
//! depend on the order of additions.
//!
//! Switches read two things that belong to all of them, and whose changes are planned before the
//! run: the view of the fabric, and types of links, which have lanes. The order of events is cut
//! there. The retransmission timer expires no earlier than an acknowledgement could
//! return.

use base::{Span, Time};
use des::{EventCode, Phase, Units};
use machine::{LinkEnd, LinkId, LinkKind, Machine, Routing};
use net::{INJECT, NetEvent};

use crate::event::kind;
use crate::faults;

/// Bits of a notice that contain its NIC (`CongestionNotice::word`).
const NOTICE_NIC: u32 = (1 << 24) - 1;

/// The length of a window, or why switches cannot be simulated in turn. `end` is the latest end of
/// the run.
pub(crate) fn length(machine: &Machine, end: Time) -> Result<Span, &'static str> {
    let length = machine.credit_epoch.ok_or("the machine has no switch.credit_epoch")?;
    let links = &machine.links;
    let mut between = links.kind.iter().filter(|(_, kind)| !is_of_nic(**kind));
    if between.any(|(link, _)| links.latency[link] < length) {
        return Err("switch.credit_epoch exceeds the latency of a hop");
    }
    if matches!(machine.routing, Routing::UgalG { .. }) {
        return Err("ugal-g uses the present loads of all links");
    }
    if machine.n_switches() as usize > Units::MAX {
        return Err("the machine has more than 65,536 switches");
    }
    // Numbers of epochs are exact below this time (`LinkType::epoch`).
    if u128::from(end.0) * u128::from(length.0) >= 1 << 64 {
        return Err("the run is too long");
    }
    Ok(length)
}

fn is_of_nic(kind: LinkKind) -> bool {
    matches!(kind, LinkKind::Injection | LinkKind::Ejection)
}

/// One unit per switch.
pub(crate) fn units(machine: &Machine) -> Units {
    let (links, of_nic) = (&machine.links, &machine.nic_switch);
    let of = |end: LinkEnd| match end {
        LinkEnd::Switch(switch) => switch.0 as u16,
        LinkEnd::Nic(nic) => of_nic[nic].0 as u16,
    };
    let ids = || (0..links.gap.len() as u32).map(LinkId);
    let nics: Vec<u16> = of_nic.raw.iter().map(|switch| switch.0 as u16).collect();
    let mut units = Units::new(machine.n_switches() as usize);
    units.by_source(&[kind::HEAD], ids().map(|link| of(links.to[link])).collect());
    units.by_source(
        &[kind::CREDIT, kind::LATE_CREDIT, kind::FREE, kind::ALLOWED, kind::CHANGE],
        ids().map(|link| of(links.from[link])).collect(),
    );
    units.by_argument(&[kind::NOTICE, kind::ENDPOINT_CREDIT], nics.clone(), NOTICE_NIC);
    let of_nics = [kind::READY, kind::ACK, kind::HOST, kind::RESPOND, kind::LOST, INJECT];
    units.by_source(&of_nics, nics);
    let mut changes: Vec<(Time, EventCode)> = faults::changes(machine)
        .map(|(at, change)| {
            let (kind, source, arg) = change.pack();
            (at, EventCode::new(Phase::Arrive, kind, source, arg))
        })
        .collect();
    changes.sort_by_key(|&(at, code)| (at, code.order()));
    for (nth, &(at, code)) in changes.iter().enumerate() {
        // Other kinds of events come before or after all changes of an instant.
        match changes.get(nth + 1) {
            Some(&(next, _)) if next == at => units.cut_in_front(at, code),
            _ => units.cut_around(at, code),
        }
    }
    if machine.faults.is_some() {
        // Every routing decision of an instant sees all updates of that instant.
        machine.initial_fabric().later_changes().for_each(|at| units.cut_at(at));
    }
    units
}
