//! Occupancy of a NIC in both directions, and the host interface that they share.

use base::{Span, Time, Zero};

/// Work assigned to a NIC, in each direction. One cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Nic {
    /// The next command (LogGP's g).
    pub enters: Time,
    /// Busy intervals for sending and receiving (G times the size of each message).
    sends: BusyInterval,
    takes: BusyInterval,
    sent: MeanLength,
    taken: MeanLength,
}
// SAFETY: integers and floats.
unsafe impl Zero for Nic {}

impl Nic {
    /// A message is to leave at `start` at the earliest. Its first packet occupies the link for
    /// `first`, the whole message for `out`, and the shared part of the host interface for
    /// `shared`. Returns the departure of its head, and the delay of its tail beyond that of the
    /// head. The tail is delayed by interleaved messages and by receives that share the host
    /// interface.
    pub fn send(
        &mut self,
        start: Time,
        now: Time,
        [first, out]: [Span; 2],
        shared: Span,
    ) -> (Time, Span) {
        let before = self.sends.extend(start, now);
        let head = self.sent.wait(before, first);
        let all = if first == out { head } else { before };
        self.sent.extend(before, out);
        let more = slowdown(out, shared, self.takes.overlap(start + all, out));
        self.sends.occupy(out + more, shared);
        self.takes.until += more;
        (start + head, all - head + more)
    }

    /// A message arrives now. It occupies the link for `taken`, the NIC for `nic_taken` and the
    /// shared part of the host interface for `shared`; it may be a single packet. Returns the time
    /// at which its packets could have started to arrive back to back.
    pub fn take(
        &mut self,
        now: Time,
        [taken, nic_taken]: [Span; 2],
        shared: Span,
        is_single_packet: bool,
    ) -> Time {
        let before = self.takes.extend(now, now);
        let begin =
            now + if is_single_packet { self.taken.wait(before, nic_taken) } else { before };
        self.taken.extend(before, nic_taken);
        let more = slowdown(taken, shared, self.sends.overlap(begin, taken));
        self.takes.occupy(nic_taken + more, shared);
        self.sends.until += more;
        begin + more
    }
}

/// Current and future occupancy of one direction of a NIC.
#[derive(Clone, Copy, Debug)]
struct BusyInterval {
    /// From its first message, or from now if that has begun, to the end of its last.
    from: Time,
    until: Time,
    /// Part of the interval that leaves the host interface free for the other direction: gaps, and
    /// time that occupies the link only.
    free: Span,
}

impl BusyInterval {
    /// A message can proceed at `start` at the earliest. Returns the remaining occupancy at that
    /// time.
    fn extend(&mut self, start: Time, now: Time) -> Span {
        if self.until <= now {
            (self.from, self.until, self.free) = (start, start, Span::ZERO);
            return Span::ZERO;
        }
        self.advance(now);
        self.free += start.since(self.until);
        self.until = self.until.max(start);
        self.until.since(start)
    }

    /// Occupies the direction for `taken`, of which the host interface is needed for `shared` at
    /// its shared rate.
    fn occupy(&mut self, taken: Span, shared: Span) {
        self.until += taken;
        self.free += Span(taken.0.saturating_sub(2 * shared.0));
    }

    /// Removes the part of the interval that has passed.
    fn advance(&mut self, now: Time) {
        if now > self.from {
            let left = self.until.since(now);
            self.free = scale(self.free, left, self.until.since(self.from));
            self.from = now;
        }
    }

    /// For how long in `taken` from `begin` on both directions need the host interface.
    fn overlap(&self, begin: Time, taken: Span) -> Span {
        let both = self.until.min(begin + taken).since(begin.max(self.from));
        let all = self.until.since(self.from);
        scale(both, Span(all.0.saturating_sub(self.free.0)), all)
    }
}

/// Mean length of the messages of an interval, ps. Single precision keeps a NIC in one cache line;
/// sums and quotients of floats are the same on all platforms (IEEE 754).
#[derive(Clone, Copy, Debug)]
struct MeanLength(f32);

impl MeanLength {
    /// Packets of all messages interleave. A packet of length `own` waits until as much of each of
    /// the messages `before` it has passed: at most n min(L, own) for n messages of mean length L.
    fn wait(self, before: Span, own: Span) -> Span {
        let (own, mean) = (own.0 as f32, self.0);
        if own < mean {
            Span((before.0 as f64 * (f64::from(own) / f64::from(mean))) as u64)
        } else {
            before
        }
    }

    /// A message of length `own` joins while `before` is still to be transferred.
    fn extend(&mut self, before: Span, own: Span) {
        if before == Span::ZERO {
            self.0 = own.0 as f32;
        } else if own.0 as f32 != self.0 {
            let (ahead, own, mean) = (before.0 as f64, own.0 as f64, f64::from(self.0).max(1.0));
            self.0 = ((ahead + own) * mean / (ahead + mean)) as f32;
        }
    }
}

/// `whole * share / of`.
fn scale(whole: Span, share: Span, of: Span) -> Span {
    if share == of || whole == Span::ZERO {
        return whole;
    }
    Span((u128::from(whole.0) * u128::from(share.0) / u128::from(of.0)) as u64)
}

/// Extra time of a message that takes `taken` alone, needs the host interface for `shared`, and
/// overlaps with the other direction for `overlap`: it gets half of the interface then.
fn slowdown(taken: Span, shared: Span, overlap: Span) -> Span {
    match (2 * shared.0).saturating_sub(taken.0) {
        0 => Span::ZERO,
        more => scale(Span(more), overlap, taken),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NIC: Nic = {
        let idle = BusyInterval { from: Time(0), until: Time(0), free: Span(0) };
        Nic {
            enters: Time(0),
            sends: idle,
            takes: idle,
            sent: MeanLength(0.0),
            taken: MeanLength(0.0),
        }
    };
    const US: u64 = 1 << 20;

    fn send(nic: &mut Nic, start: u64, first: u64, out: u64) -> (u64, u64) {
        let (head, late) = nic.send(Time(start), Time(start), [Span(first), Span(out)], Span(0));
        (head.0, late.0)
    }

    /// Equal messages complete in sequence: each tail is delayed by all messages before it, and
    /// heads interleave.
    #[test]
    fn equal_messages_complete_in_sequence() {
        let mut nic = NIC;
        for nth in 0..5 {
            assert_eq!(send(&mut nic, 0, US / 8, US), (nth * US / 8, nth * US * 7 / 8));
        }
    }

    /// With four long messages before it, a single packet waits for as much of each as it is long
    /// itself, in both directions. The total time is unchanged. Longer messages wait for all.
    #[test]
    fn a_single_packet_interleaves_with_long_messages() {
        let mut nic = NIC;
        for _ in 0..4 {
            send(&mut nic, 0, US / 8, US);
            nic.take(Time(0), [Span(US); 2], Span(0), false);
        }
        let packet = [Span(US / 64); 2];
        assert_eq!(send(&mut nic, 0, US / 64, US / 64), (4 * US / 64, 0));
        assert_eq!(nic.take(Time(0), packet, Span(0), true), Time(4 * US / 64));
        let all = Time(4 * US + US / 64);
        assert_eq!((nic.sends.until, nic.takes.until), (all, all));
        assert_eq!(nic.take(Time(0), packet, Span(0), false), all);
        let (head, late) = send(&mut nic, 0, US / 64, US / 32);
        assert_eq!(head + late, all.0);
    }

    /// Single packets are serialized on the link, however many there are and whatever is before
    /// them.
    #[test]
    fn single_packets_are_serialized() {
        let mut nic = NIC;
        send(&mut nic, 0, US / 8, 100 * US);
        let last = (0..1000).map(|_| send(&mut nic, 0, US / 8, US / 8).0).last();
        let packets = 999 * US / 8;
        let most = packets + packets / 50;
        assert!((packets..most).contains(&last.unwrap()), "{last:?} for {packets}");
    }

    /// A message that takes 8 us alone and 6 of the shared part of the host interface.
    const BOTH: [Span; 2] = [Span(8 * US), Span(6 * US)];

    fn take(nic: &mut Nic, now: u64) -> u64 {
        let [alone, shared] = BOTH;
        nic.take(Time(now), [alone; 2], shared, false).0 - now
    }

    /// The host interface transfers both directions in 1.5 times the time of one. A receive next to
    /// a long send takes 1.5 times as long and delays the end of the send, which the next send
    /// sees; and vice versa.
    #[test]
    fn receives_and_sends_share_the_host_interface() {
        let [alone, shared] = BOTH;
        let mut nic = NIC;
        nic.send(Time(0), Time(0), [alone; 2], shared);
        assert_eq!(take(&mut nic, 0), 4 * US);
        assert_eq!((nic.takes.until, nic.sends.until), (Time(12 * US), Time(12 * US)));
        let mut nic = NIC;
        assert_eq!(take(&mut nic, 0), 0);
        let sent = nic.send(Time(0), Time(0), [alone; 2], shared);
        assert_eq!(sent, (Time(0), Span(4 * US)));
        assert_eq!((nic.takes.until, nic.sends.until), (Time(12 * US), Time(12 * US)));
        // A send without data does not occupy the host interface.
        let mut nic = NIC;
        nic.send(Time(0), Time(0), [alone; 2], Span(0));
        assert_eq!(take(&mut nic, 0), 0);
        // A later send does not delay it.
        let mut nic = NIC;
        nic.send(Time(9 * US), Time(0), [alone; 2], shared);
        assert_eq!(take(&mut nic, 0), 0);
    }

    /// Two sends with a gap of their own length between them: a receive overlaps with them for two
    /// thirds of the time. At 20 us, when the first send and the gap are over, the NIC still
    /// assumes two thirds, of the remaining 4 us.
    #[test]
    fn gaps_between_sends_leave_the_host_interface_free() {
        let [alone, shared] = BOTH;
        let sends = |nic: &mut Nic| {
            nic.send(Time(0), Time(0), [alone; 2], shared);
            nic.send(Time(16 * US), Time(0), [alone; 2], shared);
        };
        let mut nic = NIC;
        sends(&mut nic);
        assert_eq!(take(&mut nic, 0), 4 * US * 2 / 3);
        let mut nic = NIC;
        sends(&mut nic);
        // A third send joins: 4 us of the others are left, of which a third counts as a gap.
        nic.send(Time(20 * US), Time(20 * US), [alone; 2], shared);
        let busy = |us: f64| us * US as f64;
        let want = busy(4.0 * (1.0 - 4.0 / 3.0 / 12.0));
        let got = take(&mut nic, 20 * US) as f64;
        assert!((got - want).abs() < 4.0, "{got}, not {want}");
    }
}
