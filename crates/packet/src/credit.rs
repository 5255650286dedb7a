//! Credits: room in the buffer at the far end of a link, and room that is on its way back.
//!
//! A credit's coming is not an event. What comes home is added up by epochs, a few of them to the
//! longest time a credit can take, and counted when somebody looks: so credits come home in
//! batches, up to an epoch late and never early. Sums do not care for the order of what they add.

use std::ops::Index;

use base::{Gap, Span, Time};
use machine::faults::LANES;
use machine::{Hop, LinkId, LinkKind, Machine};

use crate::lanes::Round;

/// What links have in common. A machine has a handful of kinds, so they are always in cache.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Class {
    pub gap: Gap,
    pub latency: Span,
    pub cable: Span,
    /// What room in its buffers is counted in.
    pub cell: Cell,
    /// Cells of a virtual channel's buffer.
    pub cells: u16,
    /// Cells that are out when a stream at full rate meets no other.
    pub pipe: u16,
    /// With so much room or more no more than the pipe is out, and nobody needs to know better.
    pub ample: u16,
    /// The shard its other end is in, +1; 0 if both are in this one (`Partition::remote_shard`).
    pub abroad: u8,
    /// It brings full packets slower than a NIC takes them.
    pub is_slow: bool,
    /// The least time that the way to a NIC and its host interface need for a full packet.
    taken_in: Span,
    /// Length of an epoch, ps, and 2^64 over it.
    epoch: u64,
    per_epoch: u64,
}
const _: () = assert!(size_of::<Class>() <= 64);

/// The classes of a machine's links, by number. There is one for every number that can be said, so
/// that none has to be looked for beyond the end.
pub(crate) struct Classes {
    of: Box<[Class; 256]>,
    len: usize,
}

impl Classes {
    /// One class, the first.
    pub fn of(first: Class) -> Classes {
        Classes { of: Box::new([first; 256]), len: 1 }
    }
    pub fn all(&self) -> &[Class] {
        &self.of[..self.len]
    }
    /// The number of `class`, which it has from now on if it is new.
    pub fn number(&mut self, class: Class) -> u8 {
        let known = self.all().iter().position(|&known| known == class);
        let at = known.unwrap_or_else(|| {
            assert!(self.len < self.of.len(), "links of at most 256 kinds");
            self.of[self.len] = class;
            self.len += 1;
            self.len - 1
        });
        at as u8
    }
}
impl Index<u8> for Classes {
    type Output = Class;
    #[inline(always)]
    fn index(&self, number: u8) -> &Class {
        &self.of[usize::from(number)]
    }
}

/// Room that a packet takes up at the far end of the link it came in by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Buffer {
    pub hop: Hop,
    pub cells: u16,
    /// Of the link.
    pub class: u8,
}

/// Epochs a counted credit may be on its way.
const EPOCHS: u64 = 6;
/// Epochs a channel keeps count of.
const SLOTS: usize = 8;
const _: () = assert!(SLOTS.is_power_of_two(), "numbers of epochs and slots wrap together");
/// Times of a full packet on a link that its credits are counted for, if others are slower still:
/// a slow link must not make the batches of fast ones large.
const PATIENCE: u64 = 4;

impl Class {
    /// `release` is the longest time from a packet's grant until its tail has left a buffer,
    /// `taken_in` the least in which a NIC takes a full packet from its switch.
    pub fn new(
        machine: &Machine,
        link: LinkId,
        release: Span,
        taken_in: Span,
        abroad: u8,
    ) -> Class {
        let links = &machine.links;
        let (gap, latency, cable) = (links.gap[link], links.latency[link], links.cable[link]);
        let packet = machine.nic.packet_payload + machine.nic.packet_overhead;
        let release = release.min(gap.span(packet) * PATIENCE);
        assert!(latency > Span::ZERO && gap > Gap::ZERO, "{link:?} takes no time");
        let (buffer, release) = match links.kind[link] {
            // One channel has the whole port. What a NIC without a limit takes is known when the
            // link is granted.
            LinkKind::Ejection => {
                let port = u64::from(links.buffer[link]) * u64::from(machine.n_vcs);
                (port, release + latency)
            }
            _ => (u64::from(links.buffer[link]), release),
        };
        assert!(packet <= u64::from(u16::MAX), "a packet of {packet} B");
        assert!(
            buffer >= packet,
            "{link:?}: a buffer of {buffer} B cannot take a packet of {packet} B"
        );
        let epoch = (release + cable).0.div_ceil(EPOCHS).max(2);
        // From a grant until its credit is back: there, across, out again, home, and to the end
        // of an epoch.
        let round = latency + gap.span(packet) + cable + Span(epoch);
        let pipe = (round.seconds() * gap.bytes_per_s()) as u64 + packet;
        let cell = Cell::of(buffer);
        let (cells, pipe) = (cell.count(buffer), cell.count(pipe));
        Class {
            gap,
            latency,
            cable,
            cell,
            cells,
            pipe,
            ample: cells.saturating_sub(pipe),
            abroad,
            is_slow: gap.span(packet) > taken_in,
            taken_in,
            epoch,
            per_epoch: u64::MAX / epoch + 1,
        }
    }
    /// The same with so many of four lanes: slower, and counted in the same cells and epochs, so
    /// that credits under way stay what they are.
    pub fn with_lanes(&self, lanes: u8, packet: u64) -> Class {
        let gap = Gap(self.gap.0 * u64::from(LANES) / u64::from(lanes));
        let round = self.latency + gap.span(packet) + self.cable + Span(self.epoch);
        let pipe = (round.seconds() * gap.bytes_per_s()) as u64 + packet;
        let pipe = self.cell.count(pipe);
        let is_slow = gap.span(packet) > self.taken_in;
        Class { gap, pipe, ample: self.cells.saturating_sub(pipe), is_slow, ..*self }
    }
    /// Whether there is room for so many cells on a channel of such a link. What has come home is
    /// counted if it matters.
    #[inline(always)]
    pub fn lets<'a>(
        &self,
        cells: u16,
        room: &mut u16,
        channel: impl FnOnce() -> &'a mut Channel,
        now: Time,
    ) -> bool {
        if *room < cells.max(self.ample) {
            channel().count(room, self, now);
        }
        *room >= cells
    }
    #[inline]
    fn epoch(&self, t: Time) -> u32 {
        ((u128::from(t.0) * u128::from(self.per_epoch)) >> 64) as u32
    }
    /// The first instant of the epoch that comes `ahead` after that of `now`.
    fn start(&self, now: Time, ahead: u32) -> Time {
        let mut t = Time((now.0 / self.epoch + u64::from(ahead)) * self.epoch);
        // The reciprocal is rounded; it may disagree by one at a border.
        while self.epoch(t).wrapping_sub(self.epoch(now)) < ahead {
            t += Span(1);
        }
        t
    }
}

/// The unit in which buffers are counted: 8 B [estimate], more in a buffer of 512 KiB or more.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Cell {
    log2: u32,
    /// Bytes of a cell less one.
    less: u32,
}

impl Cell {
    fn of(buffer: u64) -> Cell {
        let mut log2 = 3;
        while buffer >> log2 >= u64::from(u16::MAX) {
            log2 += 1;
        }
        Cell { log2, less: (1 << log2) - 1 }
    }
    #[inline]
    pub fn count(self, bytes: u64) -> u16 {
        let cells = (bytes + u64::from(self.less)) >> self.log2;
        u16::try_from(cells).unwrap_or(u16::MAX)
    }
    /// The same for a packet, which never has more than can be counted.
    #[inline]
    pub fn of_packet(self, bytes: u16) -> u16 {
        ((u32::from(bytes) + self.less) >> self.log2) as u16
    }
    #[inline]
    pub fn bytes(self, cells: u16) -> u32 {
        u32::from(cells) << self.log2
    }
}

/// One virtual channel of a link: what room at its far end comes home, and who waits for it. Half a
/// line. The room that is counted lies in a column of its own (`PacketNetwork::rooms`), which is so
/// much smaller that decisions about ways, which look at nothing else, find it in a cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(crate) struct Channel {
    /// Cells that come home in each epoch from `epoch` on, by the epoch's number.
    due: [u16; SLOTS],
    /// The last epoch counted, modulo 2^32.
    epoch: u32,
    /// Who waits for it.
    pub round: Round,
    /// Somebody waits for nothing but credit.
    pub starved: bool,
    /// A `Credit` event is pending for this epoch, modulo 256; 0 in the upper byte if none is.
    wakes: u16,
}
const _: () = assert!(size_of::<Channel>() == 32);

/// In `Channel::wakes`: an event is pending.
const ARMED: u16 = 1 << 8;

impl Channel {
    pub const IDLE: Channel =
        Channel { epoch: 0, due: [0; SLOTS], round: Round::EMPTY, starved: false, wakes: 0 };

    /// Counts what has come home: there is so much more `room`. Nobody can guess how many epochs
    /// have passed, so all slots are looked at and nothing is a branch.
    #[inline(never)]
    pub fn count(&mut self, room: &mut u16, class: &Class, now: Time) {
        let epoch = class.epoch(now);
        let passed = epoch.wrapping_sub(self.epoch).min(SLOTS as u32) as u16;
        let counted = self.epoch as u16;
        for (slot, due) in (0..).zip(&mut self.due) {
            let has_passed = u16::wrapping_sub(slot, counted) % (SLOTS as u16) < passed;
            let home = if has_passed { *due } else { 0 };
            *room += home;
            *due -= home;
        }
        self.epoch = epoch;
    }
    #[inline]
    fn due_in(&mut self, epoch: u32) -> &mut u16 {
        &mut self.due[epoch as usize % SLOTS]
    }
    /// Cells that have come home and are not counted yet.
    pub fn uncounted(mut self, class: &Class, now: Time) -> u16 {
        let mut room = 0;
        self.count(&mut room, class, now);
        room
    }
    /// Cells on their way home.
    pub fn coming(&self) -> u16 {
        self.due.iter().sum()
    }
    pub fn is_armed(&self) -> bool {
        self.wakes != 0
    }
    /// Whether a credit that is `home` then can be counted now; otherwise it can be then.
    #[inline]
    pub fn is_countable(class: &Class, home: Time, now: Time) -> bool {
        // Nearly all are, and that much is no more epochs, wherever these begin.
        home.0 - now.0 <= class.epoch * EPOCHS || Self::is_just_countable(class, home, now)
    }
    #[cold]
    fn is_just_countable(class: &Class, home: Time, now: Time) -> bool {
        let epochs = class.epoch(home).wrapping_sub(class.epoch(now));
        epochs < SLOTS as u32 && home.0 - now.0 < class.epoch * SLOTS as u64
    }
    /// So many cells will be `home` then, which is countable. `room` is asked for only if it has to
    /// be counted before.
    #[inline(always)]
    pub fn give_back<'a>(
        &mut self,
        cells: u16,
        home: Time,
        room: impl FnOnce() -> &'a mut u16,
        class: &Class,
        now: Time,
    ) {
        // At the end of the epoch in which they come. Nobody asks what has come by now, unless its
        // places are needed.
        let epoch = class.epoch(home);
        if epoch.wrapping_sub(self.epoch) >= SLOTS as u32 {
            self.count(room(), class, now);
        }
        debug_assert!(epoch.wrapping_sub(self.epoch) < SLOTS as u32, "it cannot be counted yet");
        *self.due_in(epoch) += cells;
    }
    /// When the next credit comes home, unless an event for it or for one before it is pending;
    /// one is, from now on.
    pub fn next_due(&mut self, room: &mut u16, class: &Class, now: Time) -> Option<Time> {
        self.count(room, class, now);
        let epoch = self.epoch;
        let mut ahead = 0..SLOTS as u32;
        let ahead = 1 + ahead.find(|&nth| *self.due_in(epoch.wrapping_add(nth)) > 0)?;
        let pending = u32::from((self.wakes as u8).wrapping_sub(self.epoch as u8));
        // An event of this very epoch is still to come in this instant, and is that of a credit.
        if self.is_armed() && pending <= ahead {
            return None;
        }
        self.wakes = ARMED | u16::from(self.epoch.wrapping_add(ahead) as u8);
        Some(class.start(now, ahead))
    }
    /// A `Credit` event is there. False if nobody waits for it any more.
    pub fn has_come(&mut self, room: &mut u16, class: &Class, now: Time) -> bool {
        self.count(room, class, now);
        let expected = self.is_armed() && self.wakes as u8 == self.epoch as u8;
        if expected {
            self.wakes = 0;
        }
        expected && self.starved
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::draw;

    fn class(epoch: u64) -> Class {
        Class {
            gap: Gap(1),
            latency: Span(1),
            cable: Span(1),
            cell: Cell::of(8_000),
            cells: 1_000,
            pipe: 0,
            ample: 1_000,
            abroad: 0,
            is_slow: false,
            taken_in: Span::ZERO,
            epoch,
            per_epoch: u64::MAX / epoch + 1,
        }
    }

    /// Also where epochs' numbers wrap, and at the end of time.
    #[test]
    fn credits_return_at_most_one_epoch_late() {
        for (epoch, begin) in
            [(1_000, 0), (777, (777 << 32) - 50_000), (1 << 10, 1 << 63), (3_331, u64::MAX >> 4)]
        {
            let class = class(epoch);
            let (mut channel, mut room) = (Channel::IDLE, class.cells);
            let (mut now, mut out, mut homes) = (Time(begin), 0, Vec::new());
            for nth in 0..20_000u64 {
                let luck = draw(epoch, 0, 0, nth);
                // Mostly short steps, now and then a pause.
                now += Span(if luck.is_multiple_of(16) { luck % 20_000 } else { luck % 300 });
                channel.count(&mut room, &class, now);
                let home = |by: u64| -> u16 {
                    homes.iter().filter(|h: &&(Time, u16)| h.0.0 <= by).map(|h| h.1).sum()
                };
                let came = room + out - class.cells;
                assert!(came <= home(now.0), "at {now:?}: early");
                assert!(came >= home(now.0.saturating_sub(epoch + 1)), "at {now:?}: late");
                assert_eq!(room + channel.coming() + out - home(u64::MAX), class.cells);
                let cells = 1 + (luck >> 32) as u16 % 9;
                let home = now + Span((luck >> 40) % (SLOTS as u64 * epoch));
                let is_countable = Channel::is_countable(&class, home, now);
                assert!(is_countable || home.0 - now.0 > EPOCHS * epoch, "it is near enough");
                if room >= cells && homes.len() < 500 && is_countable {
                    room -= cells;
                    out += cells;
                    channel.give_back(cells, home, || &mut room, &class, now);
                    homes.push((home, cells));
                } else if channel.coming() == 0 {
                    (out, homes) = (0, Vec::new());
                }
            }
        }
    }

    /// A credit starts home in the instant in which the event of another is still to come.
    #[test]
    fn a_credit_sent_as_another_arrives_is_counted() {
        let class = class(1_000);
        let (mut channel, mut room) = (Channel { starved: true, ..Channel::IDLE }, 0);
        let room = &mut room;
        channel.give_back(1, Time(500), || room, &class, Time(0));
        assert_eq!(channel.next_due(room, &class, Time(0)), Some(Time(1_000)));
        channel.give_back(1, Time(3_500), || room, &class, Time(1_000));
        assert_eq!(channel.next_due(room, &class, Time(1_000)), None, "its event is about to come");
        assert!(channel.has_come(room, &class, Time(1_000)));
        assert_eq!(channel.next_due(room, &class, Time(1_000)), Some(Time(4_000)));
    }
}
