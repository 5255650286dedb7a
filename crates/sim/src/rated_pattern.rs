//! A traffic pattern with a rate: the sources of synthetic traffic, measured or in the background,
//! generate their messages by one.

use base::{Span, Time, draw, uniform};
use machine::Machine;
use net::{Completion, Message, Origin};

use crate::background::Background;
use crate::patterns::Destinations;

const STREAM_GAP: u32 = 0x6761_7073;
const STREAM_ROUTE: u32 = 0x726f_7574;

/// Messages of one length between the NICs of a pattern. Every source is a Poisson process of one
/// mean rate. A source is named by the position of its NIC in the pattern.
#[derive(Clone, Copy)]
pub(crate) struct RatedPattern<'a> {
    pub to: &'a Destinations,
    /// Payload of a message.
    pub bytes: u64,
    vnet: u8,
    in_order: bool,
    /// Mean interarrival time of the messages of one NIC, ps.
    mean_gap: f64,
}

impl<'a> RatedPattern<'a> {
    /// Messages of `bytes` of payload and `wire` wire bytes, which offer `load` of the capacity of
    /// the injection links.
    pub fn new(
        machine: &Machine,
        to: &'a Destinations,
        (bytes, wire): (u64, u64),
        load: f64,
    ) -> RatedPattern<'a> {
        let busy = machine.links.gap[machine.injection(to.nic(0))].span(wire);
        RatedPattern { to, bytes, vnet: 0, in_order: false, mean_gap: busy.0 as f64 / load }
    }

    /// The same on a virtual network, ordered or not.
    pub fn on(self, vnet: u8, in_order: bool) -> RatedPattern<'a> {
        RatedPattern { vnet, in_order, ..self }
    }

    pub fn of_background(machine: &Machine, b: &'a Background) -> RatedPattern<'a> {
        RatedPattern::new(machine, &b.to, (b.bytes, b.wire(machine)), b.load).on(b.vnet, false)
    }

    /// Generation time of message `nth` of a source, if the one before was generated at
    /// `generated_at`.
    #[inline]
    pub fn next_generation(&self, source: u32, generated_at: Time, nth: u32) -> Time {
        let random_draw = draw(self.to.seed(), STREAM_GAP, self.to.nic(source).0, u64::from(nth));
        let gap = -ln(uniform(random_draw)) * self.mean_gap;
        generated_at + Span((gap as u64).max(1))
    }

    /// Message `nth` of a source.
    #[inline]
    pub fn message(&self, source: u32, nth: u32) -> Message {
        let (to, nth) = (self.to, u64::from(nth));
        Message {
            src: to.nic(source),
            dst: to.to(source, nth),
            bytes: self.bytes,
            // The data is in the NIC; its fetch is not modeled here.
            origin: Origin::Nic,
            vnet: self.vnet,
            completion: Completion::Target,
            draw: draw(to.seed(), STREAM_ROUTE, to.nic(source).0, nth),
            in_order: self.in_order,
            handling: Span::ZERO,
        }
    }
}

/// Natural logarithm using only +, -, x and /, which IEEE 754 rounds identically everywhere:
/// arrival times must not depend on the mathematical library. Relative error below 1e-14.
fn ln(x: f64) -> f64 {
    debug_assert!(x.is_normal() && x > 0.0);
    // x = m 2^exponent with m in (sqrt(1/2), sqrt(2)], computed without an unpredictable branch.
    const ABOVE: u64 = std::f64::consts::FRAC_1_SQRT_2.to_bits() + 1;
    let bits = x.to_bits();
    let exponent = bits.wrapping_sub(ABOVE).cast_signed() >> 52;
    let m = f64::from_bits(bits.wrapping_sub((exponent << 52).cast_unsigned()));
    // ln m = 2 artanh z; |z| < 0.172, so eleven terms leave less than 1e-17.
    let z = (m - 1.0) / (m + 1.0);
    let (square, mut sum) = (z * z, 0.0);
    for k in (0..11).rev() {
        sum = sum * square + 1.0 / f64::from(2 * k + 1);
    }
    2.0 * z * sum + exponent as f64 * std::f64::consts::LN_2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_is_the_library_s_within_its_error() {
        for i in 1..100_000u64 {
            let x = uniform(draw(1, 2, 3, i));
            let (got, want) = (ln(x), x.ln());
            assert!((got - want).abs() <= 1e-14 * want.abs().max(1e-2), "ln({x}) = {got}, {want}");
        }
    }
}
