//! The condition of the fabric on which routing depends: a value that changes at simulated times.
//!
//! It has the links that are down, as the switches at their ends detect it and as it is reported to
//! all others, and the biases of adaptive routing, which hold for all traffic classes. The packet
//! model advances its own copy of the machine's initial view. Flows and LogGP use the initial view.
//! The machine itself is immutable during a run. `faults::RoutingDelay` is the policy for the time
//! of reports.

use base::{IndexVec, Time};

use crate::faults::{Faults, NEVER};
use crate::input_error::InputError;
use crate::{LinkId, Machine, Routing, RoutingBias};

/// A change of the fabric.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum FabricUpdate {
    /// The switches at the ends of a link detect that it is down, or up again.
    AtEnds { link: LinkId, is_up: bool },
    /// It is reported to all other switches that a link is down, or up again.
    Elsewhere { link: LinkId, is_up: bool },
    /// All switches use these biases of adaptive routing.
    Bias(RoutingBias),
}

/// An update that takes effect at a time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct FabricChange {
    at: Time,
    update: FabricUpdate,
}

/// For which switches a link is down.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct KnownDown {
    pub at_ends: bool,
    pub elsewhere: bool,
}

/// The condition of the fabric at one time, and the changes that are planned.
#[derive(Clone, Debug)]
pub struct FabricView {
    /// The policy with its current biases.
    routing: Routing,
    /// Empty without a fault schedule.
    links: IndexVec<LinkId, KnownDown>,
    /// Sorted by time.
    changes: Vec<FabricChange>,
    /// The changes that have taken effect.
    applied: usize,
}

impl FabricView {
    /// A fabric without faults, whose biases are those of `routing`.
    pub(crate) fn healthy(routing: Routing) -> FabricView {
        FabricView { routing, links: IndexVec::new(), changes: Vec::new(), applied: 0 }
    }

    #[inline]
    pub fn routing(&self) -> Routing {
        self.routing
    }

    /// Lets all changes up to and including `now` take effect. `now` may be earlier
    /// than in the last call only if no change lies in between.
    #[inline]
    pub fn advance(&mut self, now: Time) {
        while let Some(&FabricChange { at, update }) = self.changes.get(self.applied)
            && at <= now
        {
            self.apply(update);
            self.applied += 1;
        }
    }

    /// Lets one update take effect now. States of links are for machines with a fault schedule,
    /// whose virtual channels allow for routes around faults.
    fn apply(&mut self, update: FabricUpdate) {
        match update {
            FabricUpdate::AtEnds { link, is_up } => self.links[link].at_ends = !is_up,
            FabricUpdate::Elsewhere { link, is_up } => self.links[link].elsewhere = !is_up,
            FabricUpdate::Bias(bias) => {
                let changed = self.routing.with_bias(bias);
                self.routing = changed.expect("a bias of this policy");
            }
        }
    }

    /// The times of later changes of biases. A model has an event at each, at which it advances its
    /// view. Changes of links need none of their own: they matter only to decisions, which advance
    /// the view before.
    pub fn later_bias_changes(&self) -> impl Iterator<Item = Time> {
        let later = self.changes[self.applied..].iter();
        let is_bias = |change: &&FabricChange| matches!(change.update, FabricUpdate::Bias(_));
        later.filter(is_bias).map(|change| change.at)
    }

    /// The times of all later changes.
    pub fn later_changes(&self) -> impl Iterator<Item = Time> {
        self.changes[self.applied..].iter().map(|change| change.at)
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.links.raw[..]) + size_of_val(&self.changes[..])
    }

    #[inline]
    pub(crate) fn known_down(&self, link: LinkId) -> KnownDown {
        self.links[link]
    }

    /// Plans the outages of a fault schedule and their reports.
    fn plan_faults(&mut self, faults: &Faults, machine: &Machine) {
        let n_links = machine.links.gap.len();
        self.links = IndexVec::filled(KnownDown::default(), n_links);
        for link in self.links.ids() {
            for &outage in faults.outages(link) {
                let mut plan = |at: Time, update: FabricUpdate| {
                    if at != NEVER {
                        self.changes.push(FabricChange { at, update });
                    }
                };
                plan(outage.from, FabricUpdate::AtEnds { link, is_up: false });
                plan(outage.until, FabricUpdate::AtEnds { link, is_up: true });
                let reported = machine.retry.routing_delay.reported(outage);
                if let Some(reported) = reported.filter(|_| faults.reports(link)) {
                    plan(reported.from, FabricUpdate::Elsewhere { link, is_up: false });
                    plan(reported.until, FabricUpdate::Elsewhere { link, is_up: true });
                }
            }
        }
    }
}

impl Machine {
    /// The view at the start of a run, with the changes that are planned for it.
    pub fn initial_fabric(&self) -> &FabricView {
        &self.initial_fabric
    }

    /// This machine with other biases of adaptive routing from time `at` on, which counts from the
    /// start of the run, warm-up included, as in a fault schedule.
    ///
    /// Only the packet model supports changes after the start: it is an input error of the caller
    /// to run such a machine at another fidelity.
    pub fn with_bias_change(mut self, at: Time, bias: RoutingBias) -> Result<Machine, InputError> {
        if self.routing.with_bias(bias).is_none() {
            let expected = "a routing policy with such a bias";
            return Err(InputError::new("routing", self.routing_name.clone(), expected));
        }
        self.bias_changes.push(FabricChange { at, update: FabricUpdate::Bias(bias) });
        self.plan_fabric();
        Ok(self)
    }

    /// Plans all changes of the fabric, after the machine got others.
    pub(crate) fn plan_fabric(&mut self) {
        let mut view = FabricView::healthy(self.routing);
        view.changes.extend(&self.bias_changes);
        if let Some(faults) = &self.faults {
            view.plan_faults(faults, self);
        }
        // Stable: changes of one link and of one instant stay in order.
        view.changes.sort_by_key(|change| change.at);
        view.advance(Time::ZERO);
        self.initial_fabric = view;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::{Fault, FaultKind, FaultSchedule, FaultTarget};
    use crate::{Bias, MachineSpec, SwitchId, preset};
    use base::Span;

    fn machine(set: &[(&str, &str)]) -> Machine {
        let text = preset("dragonfly-1056").expect("a preset");
        let set: Vec<_> = set.iter().map(|&(k, v)| (k.to_string(), v.to_string())).collect();
        let spec = MachineSpec::parse("dragonfly-1056", text, &set).expect("legal");
        spec.resolve().expect("sound")
    }

    #[test]
    fn a_bias_takes_effect_at_its_time_and_not_before() {
        let ugal = |bias| (Routing::UgalL { bias }, RoutingBias::Ugal(bias));
        let (before, between, after) = (ugal(0), ugal(7), ugal(1 << 20));
        let machine = machine(&[("routing", "ugal-l"), ("ugal_bias", "0 B")]);
        // Planned out of order.
        let machine = machine.with_bias_change(Time(2_000), after.1).expect("a UGAL bias");
        let machine = machine.with_bias_change(Time(1_000), between.1).expect("a UGAL bias");
        let mut view = machine.initial_fabric().clone();
        assert_eq!(view.later_bias_changes().collect::<Vec<_>>(), [Time(1_000), Time(2_000)]);
        for (now, routing) in [
            (0, before.0),
            (999, before.0),
            (1_000, between.0),
            (1_999, between.0),
            (2_000, after.0),
        ] {
            view.advance(Time(now));
            assert_eq!(view.routing(), routing, "at {now} ps");
        }
        assert_eq!(view.later_bias_changes().next(), None);
        assert_eq!(machine.routing, before.0, "the machine does not change");
    }

    /// A change of scores keeps what a bias does not consist of; a policy without biases has none.
    #[test]
    fn a_bias_fits_its_policy() {
        let scores = |add| {
            let (minimal, nonminimal) = (Bias { shift: 0, add: 0 }, Bias { shift: 1, add });
            RoutingBias::Scores { minimal, nonminimal }
        };
        let slingshot = machine(&[("routing", "slingshot")]);
        let Routing::Slingshot(old) = slingshot.routing else { panic!("slingshot") };
        let changed = slingshot.clone().with_bias_change(Time::ZERO, scores(63)).expect("scores");
        let Routing::Slingshot(new) = changed.initial_fabric().routing() else {
            panic!("slingshot")
        };
        assert_eq!((new.quantum, new.nonminimal.add), (old.quantum, 63));
        for (routing, bias) in
            [("slingshot", RoutingBias::Ugal(1)), ("ugal-l", scores(1)), ("minimal", scores(1))]
        {
            let refused = machine(&[("routing", routing)]).with_bias_change(Time::ZERO, bias);
            assert_eq!(refused.expect_err("refused").at, "routing", "{routing}");
        }
    }

    /// An unreported fault is known at its ends only, whatever the routing delay.
    #[test]
    fn an_unreported_fault_is_known_to_the_ends_only() {
        let text = "[[fault]]\nswitches = [0, 1]\nreported = false";
        let healthy = machine(&[]);
        let schedule = FaultSchedule::parse("test", text, &healthy).expect("legal");
        assert_eq!(
            FaultSchedule::parse("test", &schedule.to_toml(&healthy), &healthy),
            Ok(schedule.clone())
        );
        let machine = healthy.with_faults(&schedule).expect("buffers hold packets");
        let link = machine.topology.links_between(SwitchId(0), SwitchId(1))[0];
        let mut view = machine.initial_fabric().clone();
        for seconds in [0, 1, 3_600] {
            view.advance(Time::ZERO + Span::ms(1_000 * seconds));
            assert_eq!(view.known_down(link), KnownDown { at_ends: true, elsewhere: false });
        }
        assert!(machine.faults.is_some_and(|faults| faults.is_static()));
    }

    /// Both ends detect a failure at once; to others it is reported after the routing delay.
    #[test]
    fn a_fault_is_known_to_the_ends_before_it_is_reported() {
        let machine = machine(&[("retry.sweep", "1 us")]);
        let fault = Fault {
            target: FaultTarget::Switches(SwitchId(0), SwitchId(1), None),
            kind: FaultKind::Down,
            from: Time::ZERO + Span::us(5),
            until: Time::ZERO + Span::us(8),
        };
        let schedule = FaultSchedule { ber: 0.0, faults: vec![fault] };
        let machine = machine.with_faults(&schedule).expect("buffers hold packets");
        let link = machine.topology.links_between(SwitchId(0), SwitchId(1))[0];
        let mut view = machine.initial_fabric().clone();
        for (ns, at_ends, elsewhere) in [
            (0, false, false),
            (4_999, false, false),
            (5_000, true, false),
            (5_999, true, false),
            (6_000, true, true),
            (8_000, false, true),
            (9_000, false, false),
        ] {
            view.advance(Time(ns * 1_000));
            assert_eq!(view.known_down(link), KnownDown { at_ends, elsewhere }, "at {ns} ns");
        }
    }
}
