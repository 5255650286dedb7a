//! Credits: room in the buffer at the far end of a link, and room that is on its way back.
//!
//! A credit's coming is not an event. What comes home is added up by epochs, a few of them to the
//! longest time a credit can take, and counted when somebody looks: so credits come home in
//! batches, up to an epoch late and never early. Sums do not care for the order of what they add.

use base::{Gap, Span, Time};
use machine::{LinkId, LinkKind, Machine};

use crate::NONE;

/// What links have in common. A machine has a handful of kinds, so they are always in cache.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Class {
    pub gap: Gap,
    pub latency: Span,
    pub cable: Span,
    /// Cells of a virtual channel's buffer.
    pub cells: u16,
    /// Cells that are out when a stream at full rate meets no other.
    pub pipe: u16,
    /// Length of an epoch, ps, and 2^64 over it.
    epoch: u64,
    per_epoch: u64,
}

/// Epochs a credit may be on its way.
const EPOCHS: u64 = 6;
/// Epochs a channel keeps count of.
const SLOTS: u32 = 8;

impl Class {
    /// `release` is the longest time from a packet's grant until its tail has left a buffer.
    pub fn new(machine: &Machine, link: LinkId, cell: Cell, release: Span) -> Class {
        let links = &machine.links;
        let (gap, latency, cable) = (links.gap[link], links.latency[link], links.cable[link]);
        assert!(latency > Span::ZERO && gap > Gap::ZERO, "{link:?} takes no time");
        let packet = machine.nic.packet_payload + machine.nic.packet_overhead;
        let (buffer, release) = match links.kind[link] {
            // One channel has the whole port. What a NIC without a limit takes is known when the
            // link is granted.
            LinkKind::Ejection => (port(machine, link), release + latency),
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
        Class {
            gap,
            latency,
            cable,
            cells: cell.count(buffer),
            pipe: cell.count(pipe),
            epoch,
            per_epoch: u64::MAX / epoch + 1,
        }
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

/// Bytes of a whole port.
fn port(machine: &Machine, link: LinkId) -> u64 {
    u64::from(machine.links.buffer[link]) * u64::from(machine.n_vcs)
}

/// The unit in which buffers are counted: 8 B [estimate], more where buffers are very large.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    log2: u32,
}

impl Cell {
    pub fn of(machine: &Machine) -> Cell {
        let largest = machine.links.buffer.ids().map(|link| port(machine, link)).max().unwrap_or(0);
        let mut cell = Cell { log2: 3 };
        while largest >> cell.log2 >= u64::from(u16::MAX) {
            cell.log2 += 1;
        }
        cell
    }
    #[inline]
    pub fn count(self, bytes: u64) -> u16 {
        u16::try_from(bytes.div_ceil(1 << self.log2)).unwrap_or(u16::MAX)
    }
    #[inline]
    pub fn bytes(self, cells: u16) -> u32 {
        u32::from(cells) << self.log2
    }
}

/// One virtual channel of a link: the room at its far end, and who waits for it. Half a line.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(crate) struct Channel {
    /// Cells that come home in the epochs after `epoch`, sixteen bits each, the next one lowest.
    due: u128,
    /// Cells that may be sent, as of `epoch`.
    pub room: u16,
    /// The last epoch counted, modulo 2^32.
    epoch: u32,
    /// The lane that joined last; the one whose turn it is comes after it.
    pub last: u32,
    /// Somebody waits for nothing but credit.
    pub starved: bool,
    /// A `Credit` event is pending for this epoch, modulo 256; 0 in the upper byte if none is.
    wakes: u16,
}
const _: () = assert!(size_of::<Channel>() == 32);

/// Sum of the sixteen-bit numbers in a word. A buffer's cells are fewer than 2^16.
#[inline]
fn sum(due: u128) -> u16 {
    let lanes = (due as u64).wrapping_add((due >> 64) as u64);
    (lanes.wrapping_mul(0x0001_0001_0001_0001) >> 48) as u16
}

/// In `Channel::wakes`: an event is pending.
const ARMED: u16 = 1 << 8;

impl Channel {
    pub fn new(class: &Class) -> Channel {
        Channel { room: class.cells, epoch: 0, due: 0, last: NONE, starved: false, wakes: 0 }
    }
    /// Counts what has come home.
    #[inline]
    pub fn count(&mut self, class: &Class, now: Time) {
        let epoch = class.epoch(now);
        let passed = epoch.wrapping_sub(self.epoch);
        self.epoch = epoch;
        if passed == 0 || self.due == 0 {
            return;
        }
        let bits = 16 * passed.min(SLOTS);
        let left = self.due.checked_shr(bits).unwrap_or(0);
        self.room += sum(self.due ^ left.checked_shl(bits).unwrap_or(0));
        self.due = left;
    }
    /// Cells that have come home and are not counted yet.
    pub fn uncounted(mut self, class: &Class, now: Time) -> u16 {
        let counted = self.room;
        self.count(class, now);
        self.room - counted
    }
    /// Cells on their way home.
    pub fn coming(&self) -> u16 {
        sum(self.due)
    }
    pub fn is_armed(&self) -> bool {
        self.wakes != 0
    }
    /// So many cells will be `home` then.
    #[inline]
    pub fn give_back(&mut self, cells: u16, home: Time, now: Time, class: &Class) {
        self.count(class, now);
        // At the end of the epoch in which they come.
        let ahead = class.epoch(home).wrapping_sub(self.epoch);
        debug_assert!(ahead < SLOTS, "a credit takes longer than any can");
        self.due += u128::from(cells) << (16 * ahead);
    }
    /// When the next credit comes home, unless an event for it or for one before it is pending;
    /// one is, from now on.
    pub fn next_due(&mut self, class: &Class, now: Time) -> Option<Time> {
        self.count(class, now);
        if self.due == 0 {
            return None;
        }
        let ahead = self.due.trailing_zeros() / 16 + 1;
        let pending = u32::from((self.wakes as u8).wrapping_sub(self.epoch as u8));
        if self.is_armed() && (1..=ahead).contains(&pending) {
            return None;
        }
        self.wakes = ARMED | u16::from(self.epoch.wrapping_add(ahead) as u8);
        Some(class.start(now, ahead))
    }
    /// A `Credit` event is there. False if nobody waits for it any more.
    pub fn has_come(&mut self, class: &Class, now: Time) -> bool {
        self.count(class, now);
        let expected = self.is_armed() && self.wakes as u8 == self.epoch as u8;
        if expected {
            self.wakes = 0;
        }
        expected && self.starved
    }
}
