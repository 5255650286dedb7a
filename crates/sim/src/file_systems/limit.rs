//! What limited the calls of a file system: the resource that was in use for most of the time.

use super::outcome::IoPhase;
use base::{Span, Time};

/// How much of the time one kind of resource was in use.
pub struct Use {
    /// The most used one, as the subject of a sentence.
    pub what: String,
    /// Fraction of the time that it was in use, and the mean of its kind.
    pub most: f64,
    pub mean: f64,
}

impl Use {
    /// Of resources that were in use for these times within `elapsed`; `name` gives the `nth`.
    pub fn of(
        elapsed: Span,
        busy: impl Iterator<Item = Span> + Clone,
        name: impl Fn(usize) -> String,
    ) -> Option<Use> {
        let n = busy.clone().count();
        let (at, most) = busy.clone().enumerate().max_by_key(|&(at, busy)| (busy, n - at))?;
        let sum: u128 = busy.map(|busy| u128::from(busy.0)).sum();
        let part = |busy: f64| busy / elapsed.0.max(1) as f64;
        Some(Use { what: name(at), most: part(most.0 as f64), mean: part(sum as f64 / n as f64) })
    }
}

/// A resource that is in use for this fraction of the time limits the rate.
const SATURATED: f64 = 0.7;

/// Time from the first call to the last completion of the phases.
pub fn active(phases: &[IoPhase]) -> Span {
    let start = phases.iter().map(|phase| phase.start).min().unwrap_or(Time::ZERO);
    let end = phases.iter().map(|phase| phase.end).max().unwrap_or(Time::ZERO);
    end.since(start)
}

/// The sentence that names the limit.
pub fn sentence(uses: &[Use], phases: &[IoPhase]) -> String {
    if phases.is_empty() {
        return String::new();
    }
    let percent = |part: f64| format!("{:.0} %", part.min(1.0) * 100.0);
    let by_use = |a: &&Use, b: &&Use| a.most.total_cmp(&b.most);
    let Some(first) = uses.iter().max_by(by_use) else {
        return "All calls were served without servers.".into();
    };
    let Use { what, most, mean } = first;
    if *most >= SATURATED {
        let (most, mean) = (percent(*most), percent(*mean));
        return format!("Limit: {what} was busy {most} of the time (mean of all: {mean}).");
    }
    let totals = phases.iter().map(|phase| phase.totals);
    let (operations, time) = totals.fold((0u64, Span::ZERO), |(operations, time), totals| {
        (operations + totals.operations, time + totals.time)
    });
    let in_flight = time.seconds() / active(phases).seconds().max(f64::MIN_POSITIVE);
    let mean_time = time.seconds() / operations.max(1) as f64 * 1e6;
    format!(
        "Limit: latency. A call took {mean_time:.0} us on average, with {in_flight:.1} in progress \
         at once; the most used resource, {what}, was busy {} of the time.",
        percent(*most)
    )
}

#[cfg(test)]
mod tests {
    use super::super::outcome::{CallClass, ClassTotals};
    use super::*;

    fn phase(end: Time) -> IoPhase {
        let totals =
            ClassTotals { operations: 4, bytes: 0, time: Span::us(8), ..ClassTotals::default() };
        IoPhase { class: CallClass::Write, start: Time::ZERO, end, totals }
    }

    #[test]
    fn the_busiest_resource_limits_if_it_is_saturated() {
        let elapsed = Span::us(10);
        let phases = [phase(Time::ZERO + elapsed)];
        let name = |at: usize| format!("OST {at}");
        let busy = [3, 9, 0].map(Span::us);
        let of = Use::of(elapsed, busy.iter().copied(), name).expect("there are three");
        let text = sentence(&[of], &phases);
        assert_eq!(text, "Limit: OST 1 was busy 90 % of the time (mean of all: 40 %).");
        let idle = Use::of(elapsed, [Span::us(1)].iter().copied(), name).expect("there is one");
        let text = sentence(&[idle], &phases);
        assert!(text.contains("2 us on average, with 0.8 in progress"), "{text}");
        assert_eq!(sentence(&[], &[]), "");
    }
}
