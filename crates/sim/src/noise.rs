//! Noise of the operating system: every so often a core does something else for a while.
//!
//! The pattern of Ferreira, Bridges and Brightwell ("Characterizing application sensitivity to OS
//! interference using kernel-level noise injection", SC 2008): pulses of one length at one
//! frequency, each core's at a phase of its own; they inject 2.5 % as 25 us every 1 ms, 250 us
//! every 10 ms or 2,500 us every 100 ms. Only the CPU is taken, the NIC goes on.

use base::{Span, Time};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Noise {
    /// From the beginning of a pulse to that of the next.
    pub period: Span,
    /// How long the core is away each time; less than the period.
    pub length: Span,
}

impl Noise {
    /// When work that takes `span` is done on a core that begins it at `start`. Pulses begin at
    /// `phase` before the run began, and every period from there; `phase` is at most a period.
    ///
    /// Counting only the time the core is there turns the sum into an addition.
    pub fn done(self, phase: Span, start: Time, span: Span) -> Time {
        if span == Span::ZERO {
            return start;
        }
        let (period, there) = (self.period.0, self.period.0 - self.length.0);
        let at = start.0 + phase.0;
        let useful = at / period * there + (at % period).saturating_sub(self.length.0) + span.0;
        // Work that ends as a pulse begins does not wait for its end.
        let (whole, rest) = ((useful - 1) / there, (useful - 1) % there + 1);
        Time(whole * period + self.length.0 + rest - phase.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Picosecond by picosecond.
    fn by_hand(noise: Noise, phase: Span, start: Time, span: Span) -> Time {
        let (mut at, mut left) = (start.0, span.0);
        while left > 0 {
            left -= u64::from((at + phase.0) % noise.period.0 >= noise.length.0);
            at += 1;
        }
        Time(at)
    }

    #[test]
    fn noise_pulses_extend_work() {
        let noise = Noise { period: Span(10), length: Span(3) };
        for phase in 0..=10 {
            for start in 0..25 {
                for span in 0..30 {
                    let (phase, start, span) = (Span(phase), Time(start), Span(span));
                    let want = by_hand(noise, phase, start, span);
                    assert_eq!(
                        noise.done(phase, start, span),
                        want,
                        "{phase:?} {start:?} {span:?}"
                    );
                }
            }
        }
    }
}
