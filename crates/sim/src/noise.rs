//! Operating-system noise: periodic interruptions of each core.
//!
//! The pattern is that of Ferreira, Bridges and Brightwell ("Characterizing application sensitivity
//! to OS interference using kernel-level noise injection", SC 2008): pulses of one length at one
//! frequency, with a phase per core. They inject 2.5 % as 25 us every 1 ms, 250 us every 10 ms or
//! 2,500 us every 100 ms. Only the CPU is interrupted; the NIC continues.

use base::{Span, Time};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Noise {
    /// From the start of a pulse to the start of the next.
    pub period: Span,
    /// Duration of a pulse; less than the period.
    pub length: Span,
}

impl Noise {
    /// End of work that takes `span` of CPU time and starts at `start`. Pulses start `phase` before
    /// the start of the run, and every period from there; `phase` is at most one period.
    ///
    /// Counting only CPU time outside pulses turns the sum into an addition.
    pub fn done(self, phase: Span, start: Time, span: Span) -> Time {
        if span == Span::ZERO {
            return start;
        }
        let (period, there) = (self.period.0, self.period.0 - self.length.0);
        let at = start.0 + phase.0;
        let useful = at / period * there + (at % period).saturating_sub(self.length.0) + span.0;
        // Work that ends at the start of a pulse is not delayed by it.
        let (whole, rest) = ((useful - 1) / there, (useful - 1) % there + 1);
        Time(whole * period + self.length.0 + rest - phase.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reference implementation, one picosecond at a time.
    fn reference_end(noise: Noise, phase: Span, start: Time, span: Span) -> Time {
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
                    let want = reference_end(noise, phase, start, span);
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
