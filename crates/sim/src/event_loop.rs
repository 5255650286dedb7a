//! The event loop of every simulation: a run of jobs (`world.rs`), and one load of synthetic
//! traffic as a whole or in shards (`traffic/load_simulation.rs`).
//!
//! The loop knows neither events nor clocks: a simulation removes its next event from its queue and
//! dispatches it.

/// What the event loop advances, one event at a time.
pub(crate) trait Simulation {
    /// Handles the next event. Returns false if there is none, or if the simulation cannot
    /// continue.
    fn step(&mut self) -> bool;
    /// Number of events so far.
    fn events(&self) -> u64;
}

/// Advances `simulation` until it has no next event. Each time the number of events reaches a
/// multiple of `interval`, a power of two, calls `check`, which reports progress. Returns false if
/// `check` stopped the run.
#[inline]
pub(crate) fn run<S: Simulation>(
    simulation: &mut S,
    interval: u64,
    mut check: impl FnMut(&mut S) -> bool,
) -> bool {
    debug_assert!(interval.is_power_of_two());
    // A step may handle several events.
    let next = |events: u64| (events & !(interval - 1)) + interval;
    let mut due = next(simulation.events());
    while simulation.step() {
        if simulation.events() >= due {
            due = next(simulation.events());
            if !check(simulation) {
                return false;
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A simulation with this number of events left.
    struct Countdown {
        left: u64,
        events: u64,
    }

    impl Simulation for Countdown {
        fn step(&mut self) -> bool {
            let has_next = self.left > 0;
            self.left -= u64::from(has_next);
            self.events += u64::from(has_next);
            has_next
        }
        fn events(&self) -> u64 {
            self.events
        }
    }

    #[test]
    fn a_run_ends_with_its_last_event_and_is_checked_at_multiples_of_the_interval() {
        let (mut simulation, mut checks) = (Countdown { left: 11, events: 0 }, Vec::new());
        let has_ended = run(&mut simulation, 4, |simulation| {
            checks.push(simulation.events);
            true
        });
        assert_eq!((has_ended, simulation.events, &checks[..]), (true, 11, &[4, 8][..]));
    }

    #[test]
    fn a_check_stops_a_run_that_can_be_continued() {
        let mut simulation = Countdown { left: 11, events: 0 };
        assert!(!run(&mut simulation, 4, |simulation| simulation.events < 8));
        assert_eq!((simulation.events, simulation.left), (8, 3));
        assert!(run(&mut simulation, 4, |_| true));
        assert_eq!((simulation.events, simulation.left), (11, 0));
    }
}
