//! Faults that are injected into the fabric: of links, switches and agents, by request or drawn.
//!
//! An extension of ours. Does not know their effects on links: it combines the faults of a link to
//! one condition, which `Fabric` applies.

use std::collections::{BTreeMap, BTreeSet};

use base::{Span, Time, below, draw, uniform};
use machine::SwitchId;

use crate::fabric::{Fabric, FaultCondition, kind, stream};
use crate::link_state::{Input, LANES};
use crate::wiring::CableId;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Target {
    Cable(CableId),
    Switch(SwitchId),
    /// The agent of a switch that goes on working.
    Agent(SwitchId),
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    Down,
    /// The link loses its signal for an instant.
    Flap,
    Lanes(u8),
    BitErrors(f64),
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fault {
    pub target: Target,
    pub kind: Kind,
    pub from: Time,
    /// `None` until it is removed.
    pub duration: Option<Span>,
}

#[derive(Default)]
pub struct Injection {
    pub faults: BTreeMap<u32, Fault>,
    /// Faults in effect, by target.
    active: BTreeSet<(Target, u32)>,
    next: u32,
}

impl Injection {
    /// Adds a fault that begins `delay` from now; returns its number.
    pub fn add(&mut self, fault: Fault, fabric: &mut Fabric) -> u32 {
        let number = self.next;
        self.next += 1;
        self.faults.insert(number, fault);
        fabric.schedule(fault.from.since(fabric.now), kind::FAULT_START, 0, number);
        number
    }

    pub fn start(&mut self, number: u32, fabric: &mut Fabric) {
        let Some(&fault) = self.faults.get(&number) else { return };
        if fault.kind == Kind::Flap {
            self.faults.remove(&number);
            if let Target::Cable(cable) = fault.target {
                fabric.input(cable, Input::Flap);
            }
            return;
        }
        self.active.insert((fault.target, number));
        if let Some(duration) = fault.duration {
            fabric.schedule(duration, kind::FAULT_END, 0, number);
        }
        self.apply(fault.target, fabric);
    }

    /// Ends a fault, or removes one that has not begun. Returns whether it existed.
    pub fn end(&mut self, number: u32, fabric: &mut Fabric) -> bool {
        let Some(fault) = self.faults.remove(&number) else { return false };
        if self.active.remove(&(fault.target, number)) {
            self.apply(fault.target, fabric);
        }
        true
    }

    fn of(&self, target: Target) -> impl Iterator<Item = Kind> {
        let range = self.active.range((target, 0)..=(target, u32::MAX));
        range.map(|(_, number)| self.faults[number].kind)
    }

    fn apply(&self, target: Target, fabric: &mut Fabric) {
        match target {
            Target::Cable(cable) => {
                let worst = |mut sum: FaultCondition, kind| {
                    match kind {
                        Kind::Down => sum.is_down = true,
                        Kind::Flap => {}
                        Kind::Lanes(lanes) => sum.lanes = sum.lanes.min(lanes),
                        Kind::BitErrors(ber) => sum.ber = sum.ber.max(ber),
                    }
                    sum
                };
                let condition = self.of(target).fold(FaultCondition::NONE, worst);
                fabric.set_condition(cable, condition);
            }
            Target::Switch(switch) | Target::Agent(switch) => {
                let is_free = |target| self.of(target).next().is_none();
                let is_working = is_free(Target::Switch(switch));
                fabric.set_agent(switch, is_working, is_free(Target::Agent(switch)));
            }
        }
    }

    /// `count` random faults that begin within `within` from now. Of 1,000, 580 are flaps, 200
    /// links that are down, 100 lost lanes and 100 bit errors. Ten are failed switches and ten
    /// unreachable agents. Durations are exponential with a mean of 10 minutes. All of these are
    /// an `[estimate]`.
    pub fn draw(&mut self, count: u32, within: Span, fabric: &mut Fabric) {
        const MEAN_S: f64 = 600.0;
        let first = self.next;
        for number in first..first.saturating_add(count) {
            let pick = |n: u32, nth| below(draw(fabric.seed, stream::FAULTS, number, nth), n);
            let share = |nth| uniform(draw(fabric.seed, stream::FAULTS, number, nth));
            let cable = Target::Cable(CableId(pick(fabric.wiring.cables.len() as u32, 0)));
            let switch = SwitchId(pick(fabric.wiring.n_switches() as u32, 1));
            let (target, kind) = match pick(1_000, 2) {
                0..=9 => (Target::Switch(switch), Kind::Down),
                10..=19 => (Target::Agent(switch), Kind::Down),
                20..=219 => (cable, Kind::Down),
                220..=319 => (cable, Kind::Lanes(2 + pick(2, 3) as u8)),
                320..=419 => (cable, Kind::BitErrors(1e-8)),
                _ => (cable, Kind::Flap),
            };
            let from = fabric.now + Span::from_seconds(within.seconds() * share(4));
            let duration = Some(Span::from_seconds(-MEAN_S * share(5).ln()));
            self.add(Fault { target, kind, from, duration }, fabric);
        }
    }

    /// `count` flaps of random links within `within` from now: a storm of events.
    pub fn storm(&mut self, count: u32, within: Span, fabric: &mut Fabric) {
        let first = self.next;
        for number in first..first.saturating_add(count) {
            let pick = draw(fabric.seed, stream::FAULTS, number, 6);
            let share = uniform(draw(fabric.seed, stream::FAULTS, number, 7));
            let cable = CableId(below(pick, fabric.wiring.cables.len() as u32));
            let from = fabric.now + Span::from_seconds(within.seconds() * share);
            let (target, kind) = (Target::Cable(cable), Kind::Flap);
            self.add(Fault { target, kind, from, duration: None }, fabric);
        }
    }
}

const _: () = assert!(LANES == 4, "random faults leave 2 or 3 of 4 lanes");
