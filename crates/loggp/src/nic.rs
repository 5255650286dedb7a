//! The two directions of a NIC: who is before whom, and what both share.

use base::{Span, Time, Zero};

/// What a NIC has been given, each way. A cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Nic {
    /// The next command (LogGP's g).
    pub enters: Time,
    /// When it sends, and when it takes what comes (G times the size of each).
    sends: Stretch,
    takes: Stretch,
    sent: Length,
    taken: Length,
}
// SAFETY: integers and floats.
unsafe impl Zero for Nic {}

impl Nic {
    /// A message is to leave, at `start` at the earliest; its first packet takes the link for
    /// `first`, all of it for `out`, and the shared part of the host for `shared`. When its head
    /// leaves, and how much later than alone its tail does then: others' packets go in between, and
    /// what comes in at the same time shares the host.
    pub fn send(
        &mut self,
        start: Time,
        now: Time,
        [first, out]: [Span; 2],
        shared: Span,
    ) -> (Time, Span) {
        let before = self.sends.join(start, now);
        let head = self.sent.turn(before, first);
        let all = if first == out { head } else { before };
        self.sent.join(before, out);
        let more = held_up(out, shared, self.takes.beside(start + all, out));
        self.sends.keep(out + more, shared);
        self.takes.until += more;
        (start + head, all - head + more)
    }

    /// A message comes now, and takes the link for `taken`, the NIC for `kept` and the shared part
    /// of the host for `shared`; it may be a lone packet. When its packets could have begun to
    /// come, one after the other.
    pub fn take(
        &mut self,
        now: Time,
        [taken, kept]: [Span; 2],
        shared: Span,
        is_lone: bool,
    ) -> Time {
        let before = self.takes.join(now, now);
        let begin = now + if is_lone { self.taken.turn(before, kept) } else { before };
        self.taken.join(before, kept);
        let more = held_up(taken, shared, self.sends.beside(begin, taken));
        self.takes.keep(kept + more, shared);
        self.sends.until += more;
        begin + more
    }
}

/// The present and the future of one direction of a NIC.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    /// From its first message on, or from now on if that has begun, to the end of its last.
    from: Time,
    until: Time,
    /// How much of it leaves the host interface to the other direction: breaks, and what keeps the
    /// link and not the host.
    free: Span,
}

impl Stretch {
    /// A message can go on at `start` at the earliest. How long that is before the end of what the
    /// stretch has.
    fn join(&mut self, start: Time, now: Time) -> Span {
        if self.until <= now {
            (self.from, self.until, self.free) = (start, start, Span::ZERO);
            return Span::ZERO;
        }
        self.pass(now);
        self.free += start.since(self.until);
        self.until = self.until.max(start);
        self.until.since(start)
    }

    /// It has the direction for so long, with so much of that at the shared rate of the host.
    fn keep(&mut self, taken: Span, shared: Span) {
        self.until += taken;
        self.free += Span(taken.0.saturating_sub(2 * shared.0));
    }

    /// What has passed holds nobody up.
    fn pass(&mut self, now: Time) {
        if now > self.from {
            let left = self.until.since(now);
            self.free = part(self.free, left, self.until.since(self.from));
            self.from = now;
        }
    }

    /// How long of what is under way from `begin` for `taken` both directions want the host.
    fn beside(&self, begin: Time, taken: Span) -> Span {
        let both = self.until.min(begin + taken).since(begin.max(self.from));
        let all = self.until.since(self.from);
        part(both, Span(all.0.saturating_sub(self.free.0)), all)
    }
}

/// How long the messages of a stretch are on the mean, in ps. Half a word, so that a NIC stays a
/// cache line; sums and quotients of floats are the same everywhere (IEEE 754).
#[derive(Clone, Copy, Debug)]
struct Length(f32);

impl Length {
    /// Packets of all messages go in turns: when a packet's comes that is `own` long, of each of
    /// the messages `before` it as much has gone. Of n with the mean L these are n min(L, own) at
    /// most, and never less than what packets as short as this one have of it.
    fn turn(self, before: Span, own: Span) -> Span {
        let (own, mean) = (own.0 as f32, self.0);
        if own < mean {
            Span((before.0 as f64 * (f64::from(own) / f64::from(mean))) as u64)
        } else {
            before
        }
    }

    /// A message of length `own` joins while `before` is still to come: n + 1 there are then.
    fn join(&mut self, before: Span, own: Span) {
        if before == Span::ZERO {
            self.0 = own.0 as f32;
        } else if own.0 as f32 != self.0 {
            let (ahead, own, mean) = (before.0 as f64, own.0 as f64, f64::from(self.0).max(1.0));
            self.0 = ((ahead + own) * mean / (ahead + mean)) as f32;
        }
    }
}

/// `whole * share / of`.
fn part(whole: Span, share: Span, of: Span) -> Span {
    if share == of || whole == Span::ZERO {
        return whole;
    }
    Span((u128::from(whole.0) * u128::from(share.0) / u128::from(of.0)) as u64)
}

/// How much longer a message lasts that would take `taken` alone, of which the host interface needs
/// `shared`, and is beside others in the other direction for so long: it has half of it then.
fn held_up(taken: Span, shared: Span, beside: Span) -> Span {
    match (2 * shared.0).saturating_sub(taken.0) {
        0 => Span::ZERO,
        more => part(Span(more), beside, taken),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NIC: Nic = {
        let idle = Stretch { from: Time(0), until: Time(0), free: Span(0) };
        Nic { enters: Time(0), sends: idle, takes: idle, sent: Length(0.0), taken: Length(0.0) }
    };
    const US: u64 = 1 << 20;

    fn send(nic: &mut Nic, start: u64, first: u64, out: u64) -> (u64, u64) {
        let (head, late) = nic.send(Time(start), Time(start), [Span(first), Span(out)], Span(0));
        (head.0, late.0)
    }

    /// Alike they go one after the other: each tail as late as all before it are long; their heads
    /// go in turns.
    #[test]
    fn equal_messages_complete_in_sequence() {
        let mut nic = NIC;
        for nth in 0..5 {
            assert_eq!(send(&mut nic, 0, US / 8, US), (nth * US / 8, nth * US * 7 / 8));
        }
    }

    /// Of four long ones before it a packet alone lets as much go first as it is long itself, out
    /// and in, and all is done as late as without turns. Longer ones wait for all.
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

    /// However many they are and whatever lies before them, packets take the link one at a time.
    #[test]
    fn single_packets_are_serialized() {
        let mut nic = NIC;
        send(&mut nic, 0, US / 8, 100 * US);
        let last = (0..1000).map(|_| send(&mut nic, 0, US / 8, US / 8).0).last();
        let packets = 999 * US / 8;
        let most = packets + packets / 50;
        assert!((packets..most).contains(&last.unwrap()), "{last:?} for {packets}");
    }

    /// Of a message that takes 8 us alone and 6 of the shared part of the host.
    const BOTH: [Span; 2] = [Span(8 * US), Span(6 * US)];

    fn take(nic: &mut Nic, now: u64) -> u64 {
        let [alone, shared] = BOTH;
        nic.take(Time(now), [alone; 2], shared, false).0 - now
    }

    /// The host moves both in 1.5 times what one takes alone: what comes in beside a long send is
    /// half as long again, and so much later the send ends, which the next one sees; and the other
    /// way round, where the send's own tail is late.
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
        // What is not the host's holds nobody up: a send of headers alone.
        let mut nic = NIC;
        nic.send(Time(0), Time(0), [alone; 2], Span(0));
        assert_eq!(take(&mut nic, 0), 0);
        // Nor does a send that begins after it.
        let mut nic = NIC;
        nic.send(Time(9 * US), Time(0), [alone; 2], shared);
        assert_eq!(take(&mut nic, 0), 0);
    }

    /// Two sends with a break of their own length between them: what comes in beside them is held
    /// up for two thirds of the time; at 20 us, when the first and the break are over, as far as
    /// the NIC knows for two thirds of the 4 us that are left.
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
        // A third one joins: 4 us are left of the others, of which a third counts as break.
        nic.send(Time(20 * US), Time(20 * US), [alone; 2], shared);
        let busy = |us: f64| us * US as f64;
        let want = busy(4.0 * (1.0 - 4.0 / 3.0 / 12.0));
        let got = take(&mut nic, 20 * US) as f64;
        assert!((got - want).abs() < 4.0, "{got}, not {want}");
    }
}
