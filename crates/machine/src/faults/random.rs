//! Random fault schedules: every draw is keyed by the seed, the number of the fault and its
//! purpose.

use base::{Span, Time, below, draw, uniform};

use super::{Fault, FaultKind, FaultSchedule, FaultTarget, NEVER};
use crate::{LinkEnd, LinkId, LinkKind, Machine, NicId, NodeId, SwitchId};

const STREAM: u32 = 0x6661_756c;

/// The purpose of a draw.
#[derive(Clone, Copy)]
enum Draw {
    What,
    Which,
    From,
    HowLong,
    Length,
    Worse,
}

impl FaultSchedule {
    /// `n` faults of `machine`, most of them beginning within `horizon`.
    ///
    /// - Parts, of ten: five links between switches, two links of NICs, one switch, one NIC, one
    ///   node. A third of the links have lost lanes or bit errors instead of being down.
    /// - Start: a third at the start of the run, the others between `horizon` / 1000 and `horizon`,
    ///   equally many per octave.
    /// - Duration: a third permanent, a third short, a third flapping for 3 to 5 times `horizon`
    ///   (published: 3 to 5 s; the usual horizon is 1 s).
    ///
    /// The shares are an [estimate].
    pub fn random(machine: &Machine, seed: u64, n: u32, horizon: Span) -> FaultSchedule {
        let faults = (0..n).map(|nth| fault(machine, seed, nth, horizon)).collect();
        FaultSchedule { ber: 0.0, faults }
    }
}

fn fault(machine: &Machine, seed: u64, nth: u32, horizon: Span) -> Fault {
    let bits = |about: Draw| draw(seed, STREAM, nth, about as u64);
    let of = |about: Draw, n: u32| below(bits(about), n);
    // Links of NICs come first.
    let edges = 2 * machine.n_nics();
    let cable = || match machine.links.gap.len() as u32 - edges {
        0 => FaultTarget::NicLink(NicId(of(Draw::Which, machine.n_nics()))),
        n => cable_of(machine, LinkId(edges + of(Draw::Which, n))),
    };
    let nic = || NicId(of(Draw::Which, machine.n_nics()));
    let (target, is_link) = match of(Draw::What, 10) {
        0..4 | 9 => (cable(), true),
        4 | 5 => (FaultTarget::NicLink(nic()), true),
        6 => (FaultTarget::Switch(SwitchId(of(Draw::Which, machine.n_switches()))), false),
        7 => (FaultTarget::Nic(nic()), false),
        _ => (FaultTarget::Node(NodeId(of(Draw::Which, machine.compute_nodes))), false),
    };
    let worse = bits(Draw::Worse);
    let kind = match (is_link, below(worse, 9)) {
        (true, 0) => FaultKind::Lanes(2),
        (true, 1) => FaultKind::Lanes(3),
        (true, 2) => {
            // A power of ten, readable in the file.
            let rates = [1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5];
            FaultKind::Errors(rates[below(worse << 32, rates.len() as u32) as usize])
        }
        _ => FaultKind::Down,
    };
    let least = horizon.0 / 1_000;
    let from = match of(Draw::From, 3) {
        0 => Time::ZERO,
        // One of the ten octaves between a thousandth of the horizon and the horizon, and a point
        // in it.
        _ => {
            let octave = below(bits(Draw::From) << 32, 10);
            let mantissa = 1.0 + uniform(draw(seed, STREAM, nth, 64));
            whole(((least << octave) as f64 * mantissa) as u64)
        }
    };
    let share = uniform(bits(Draw::Length));
    let length = match of(Draw::HowLong, 3) {
        0 => None,
        1 => Some(horizon.0 as f64 * (0.01 + 0.3 * share)),
        _ => Some(horizon.0 as f64 * (3.0 + 2.0 * share)),
    };
    let until = length.map_or(NEVER, |length| from + (whole(length as u64 + 1_000) - Time::ZERO));
    Fault { target, kind, from, until }
}

/// Whole nanoseconds, readable in the file.
fn whole(ps: u64) -> Time {
    Time(ps.div_ceil(1_000) * 1_000)
}

/// The cable that `link` is a direction of, in terms of the file.
fn cable_of(machine: &Machine, link: LinkId) -> FaultTarget {
    let (LinkEnd::Switch(a), LinkEnd::Switch(b)) =
        (machine.links.from[link], machine.links.to[link])
    else {
        unreachable!("a link between switches")
    };
    if machine.links.kind[link] == LinkKind::Global {
        let (g, h) = (machine.switch_group[a], machine.switch_group[b]);
        let links = machine.global_links_between(g, h);
        let nth = links.iter().position(|&l| l == link).expect("it joins these groups");
        return FaultTarget::Groups(g, h, Some(nth as u32 / machine.links_per_cable));
    }
    let parallel = machine.topology.links_between(a, b);
    let nth = parallel.iter().position(|&l| l == link).expect("it joins these switches");
    FaultTarget::Switches(a, b, Some(nth as u32))
}
