//! Load reports among the switches of a group.
//!
//! Time is divided into report epochs (unrelated to those of credits) of the longest latency of a
//! local link. A report is the queue at the start of the previous epoch: between one and two
//! latencies old, without events, and without work for queues that do not change.
//!
//! Inputs: a call of `Reports::note` before each change of the bytes that wait for a link. A change
//! by a link reservation is recorded later (`OutputPort::reservation_begun`).

use base::{Span, Time, prefetch, with_capacity};
use machine::{LinkId, LinkKind, Machine};

pub(crate) struct Reports {
    /// 2^64 divided by the epoch in ps, so the number of an epoch is one multiplication.
    per_epoch: u64,
    /// Links below this are links of NICs, which are not reported.
    first: u32,
    /// By link between switches; empty where routing does not use reports.
    by_link: Vec<Report>,
}

#[derive(Clone, Copy, Default)]
struct Report {
    /// The epoch in which the queue last changed, counted from 1 and modulo 2^32; 0 if it never
    /// did.
    epoch: u32,
    /// The queue at the start of that epoch, of the one before it, and of the one before that.
    began: u32,
    before: u32,
    before_that: u32,
}

impl Report {
    #[inline]
    fn note(&mut self, epoch: u32, waiting: u32) {
        if self.epoch != epoch {
            let (before, before_that) = match epoch.wrapping_sub(self.epoch) {
                1 => (self.began, self.before),
                2 => (waiting, self.began),
                _ => (waiting, waiting),
            };
            *self = Report { epoch, began: waiting, before, before_that };
        }
    }
}

impl Reports {
    pub fn new(machine: &Machine) -> Self {
        let links = &machine.links;
        let local = |kind| matches!(kind, LinkKind::Local | LinkKind::LocalBlack);
        let delays = links.kind.iter().filter(|&(_, &k)| local(k)).map(|(l, _)| links.latency[l]);
        // Without local links there are no reports.
        let epoch = delays.max().unwrap_or(Span::us(1)).0.max(2);
        let first = 2 * machine.n_nics();
        let n_reported = if machine.routing.uses_reported_loads() {
            links.gap.len() - first as usize
        } else {
            0
        };
        let mut by_link = with_capacity(n_reported);
        by_link.resize(n_reported, Report::default());
        Reports { per_epoch: u64::MAX / epoch + 1, first, by_link }
    }

    #[inline]
    fn epoch(&self, now: Time) -> u32 {
        (((u128::from(now.0) * u128::from(self.per_epoch)) >> 64) as u32).wrapping_add(1)
    }

    #[inline]
    fn place(&self, link: LinkId) -> usize {
        link.0.wrapping_sub(self.first) as usize
    }

    /// The queue of `link` holds `waiting` bytes and is about to change.
    #[inline]
    pub fn note(&mut self, link: LinkId, now: Time, waiting: u32) {
        let (at, epoch) = (self.place(link), self.epoch(now));
        if let Some(report) = self.by_link.get_mut(at) {
            report.note(epoch, waiting);
        }
    }

    /// The reported queue of `link`, which holds `waiting` bytes now. `unrecorded` is a change that
    /// `note` has not recorded yet: its time, and the queue until then.
    #[inline]
    pub fn read(
        &self,
        link: LinkId,
        now: Time,
        waiting: u32,
        unrecorded: Option<(Time, u32)>,
    ) -> u32 {
        let epoch = self.epoch(now);
        let mut report = self.by_link[self.place(link)];
        if let Some((then, queue_until)) = unrecorded {
            report.note(self.epoch(then), queue_until);
        }
        match epoch.wrapping_sub(report.epoch) {
            // Within a window, the other switch may already be in the next epoch.
            u32::MAX => report.before_that,
            0 => report.before,
            1 => report.began,
            _ => waiting,
        }
    }

    #[inline]
    pub fn prefetch(&self, link: LinkId) {
        if let Some(report) = self.by_link.get(self.place(link)) {
            prefetch(report);
        }
    }

    pub fn held(&self) -> usize {
        size_of_val(&self.by_link[..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::draw;

    #[test]
    fn a_report_is_the_queue_at_the_start_of_the_previous_epoch() {
        check_reports(Time(0));
        // Wrap-around of epoch numbers.
        check_reports(Time((1_000 << 32) - 500_000));
    }

    fn check_reports(begin: Time) {
        const EPOCH: u64 = 1_000;
        let link = LinkId(5);
        let by_link = vec![Report::default()];
        let mut reports = Reports { per_epoch: u64::MAX / EPOCH + 1, first: 5, by_link };
        // The queue after each of its changes; empty before the first. Some changes are noted only
        // at the next access.
        let (mut history, mut now, mut unrecorded) = (vec![(Time(0), 0)], begin, None);
        for nth in 0..20_000u64 {
            let random = draw(1, 0, 0, nth);
            // Mostly short steps, with occasional pauses of some epochs.
            now =
                Time(now.0 + if random.is_multiple_of(16) { random % 5_000 } else { random % 300 });
            let began = Time((now.0 / EPOCH).saturating_sub(1) * EPOCH);
            let queue_until = |t: Time| history.iter().rev().find(|h| h.0 < t).map_or(0, |h| h.1);
            let waiting = history.last().expect("begins with one").1;
            assert_eq!(
                reports.read(link, now, waiting, unrecorded),
                queue_until(began),
                "at {now:?}"
            );
            if let Some((then, queue_until)) = unrecorded.take() {
                reports.note(link, then, queue_until);
            }
            match (random >> 16) % 4 {
                0 => unrecorded = Some((now, waiting)),
                _ => {
                    reports.note(link, now, waiting);
                    // A reader that is still in the epoch before, as in windows.
                    let behind = now.0.saturating_sub(EPOCH);
                    let began = Time((behind / EPOCH).saturating_sub(1) * EPOCH);
                    if behind >= begin.0 + 2 * EPOCH {
                        let read = reports.read(link, Time(behind), waiting, None);
                        assert_eq!(read, queue_until(began), "behind at {now:?}");
                    }
                }
            }
            history.push((now, (random >> 32) as u32 % 9_000));
        }
    }
}
