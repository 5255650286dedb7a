//! Credits: free space in the buffer at the far end of a link, and credits in transit.
//!
//! The return of a credit is usually not an event. Time is divided into epochs, and a few epochs
//! cover the longest time that a credit takes to return. Each channel sums the credits in transit
//! by the epoch in which they return, and collects the sums of elapsed epochs when it needs them.
//! Credits therefore return in batches, up to one epoch late and never early, and the result does
//! not depend on the order of events.
//!
//! docs/models/packet.md names the function of each step in the life of a credit.

use std::ops::Index;

use base::{Gap, Span, Time};
use machine::faults::LANES;
use machine::{Hop, LinkId, LinkKind, Machine};

use crate::voq::VoqList;

/// Common parameters of links. A machine has a handful of types, which stay in the cache.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct LinkType {
    /// Time per byte.
    pub gap: Gap,
    /// From the entry of a head until it is ready for a routing decision at the next switch.
    pub latency: Span,
    /// Propagation delay of the cable alone, which a credit takes to return.
    pub cable: Span,
    /// Unit of its buffers.
    pub cell: Cell,
    /// Cells of a virtual channel's buffer.
    pub cells: u16,
    /// Bandwidth-delay product of the credit loop, in cells: what a sender at full rate has
    /// outstanding.
    pub bdp: u16,
    /// `cells - bdp`. With at least this credit no more than `bdp` is outstanding, so far load is
    /// zero and returned credits need not be collected.
    pub ample: u16,
    /// The shard of its far end plus 1; 0 if both ends are in this shard
    /// (`Partition::remote_shard`).
    pub remote_shard: u8,
    /// It delivers full packets more slowly than a NIC takes them.
    pub is_slower_than_nic: bool,
    /// Minimum time of a full packet on an ejection link and host interface.
    min_take_time: Span,
    /// Length of an epoch, ps, and 2^64 divided by it.
    epoch: u64,
    per_epoch: u64,
}
const _: () = assert!(size_of::<LinkType>() <= 64);

/// The link types of a machine, by number. The array covers all values of the index type, so no
/// bounds check is needed.
pub(crate) struct LinkTypes {
    types: Box<[LinkType; 256]>,
    len: usize,
}

impl LinkTypes {
    /// A table with one type.
    pub fn new(first: LinkType) -> LinkTypes {
        LinkTypes { types: Box::new([first; 256]), len: 1 }
    }
    pub fn all(&self) -> &[LinkType] {
        &self.types[..self.len]
    }
    /// The number of `link_type`, which is added if it is new.
    pub fn number(&mut self, link_type: LinkType) -> u8 {
        let known = self.all().iter().position(|&known| known == link_type);
        let at = known.unwrap_or_else(|| {
            assert!(self.len < self.types.len(), "at most 256 link types");
            self.types[self.len] = link_type;
            self.len += 1;
            self.len - 1
        });
        at as u8
    }
}
impl Index<u8> for LinkTypes {
    type Output = LinkType;
    #[inline(always)]
    fn index(&self, number: u8) -> &LinkType {
        &self.types[usize::from(number)]
    }
}

/// Space that a packet occupies at the far end of the link it arrived by. It returns as credit to
/// the near end of that link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Buffer {
    /// That link, and the virtual channel on it.
    pub hop: Hop,
    pub cells: u16,
    /// Number of the link's type.
    pub link_type: u8,
}

/// Epochs for which a credit in a channel's slots may be in transit. A credit in transit for longer
/// is a `LateCredit` event.
const EPOCHS: u64 = 6;
/// Slots of a channel, one per epoch.
const SLOTS: usize = 8;
const _: () = assert!(SLOTS.is_power_of_two(), "numbers of epochs and slots wrap together");
/// Limit of the release time used for the epoch, in times of a full packet on the link: slow links
/// must not make the credit batches of fast ones large.
const MAX_RELEASE_PACKETS: u64 = 4;

impl LinkType {
    /// `release` is the longest time from the grant of a packet's next link until its tail has left
    /// the buffer before that link. `min_take_time` is the shortest time in which a NIC takes a
    /// full packet from its switch.
    pub fn new(
        machine: &Machine,
        link: LinkId,
        release: Span,
        min_take_time: Span,
        remote_shard: u8,
    ) -> LinkType {
        let links = &machine.links;
        let (gap, latency, cable) = (links.gap[link], links.latency[link], links.cable[link]);
        let packet = machine.nic.packet_payload + machine.nic.packet_overhead;
        let release = release.min(gap.span(packet) * MAX_RELEASE_PACKETS);
        assert!(latency > Span::ZERO && gap > Gap::ZERO, "{link:?} takes no time");
        let (buffer, release) = match links.kind[link] {
            // One channel has the buffer of the whole port. A NIC without a host-interface limit
            // receives a packet at a time known at the grant, so its credit is recorded one link
            // latency in advance.
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
        let epoch = match machine.credit_epoch {
            None => (release + cable).0.div_ceil(EPOCHS).max(2),
            Some(epoch) => epoch.0,
        };
        // From the grant of this link until the credit is available again: the head's latency, the
        // packet's departure from the far end, the credit's return, and at most one epoch.
        let round_trip = latency + gap.span(packet) + cable + Span(epoch);
        let bdp = (round_trip.seconds() * gap.bytes_per_s()) as u64 + packet;
        let cell = Cell::for_buffer(buffer);
        let (cells, bdp) = (cell.count(buffer), cell.count(bdp));
        LinkType {
            gap,
            latency,
            cable,
            cell,
            cells,
            bdp,
            ample: cells.saturating_sub(bdp),
            remote_shard,
            is_slower_than_nic: gap.span(packet) > min_take_time,
            min_take_time,
            epoch,
            per_epoch: u64::MAX / epoch + 1,
        }
    }
    /// The same link with so many of four lanes: slower, with unchanged cells and epochs, so
    /// credits in transit remain valid.
    pub fn with_lanes(&self, lanes: u8, packet: u64) -> LinkType {
        let gap = Gap(self.gap.0 * u64::from(LANES) / u64::from(lanes));
        let round_trip = self.latency + gap.span(packet) + self.cable + Span(self.epoch);
        let bdp = (round_trip.seconds() * gap.bytes_per_s()) as u64 + packet;
        let bdp = self.cell.count(bdp);
        let is_slower_than_nic = gap.span(packet) > self.min_take_time;
        LinkType { gap, bdp, ample: self.cells.saturating_sub(bdp), is_slower_than_nic, ..*self }
    }
    /// Whether a channel of this type has credit for `cells`. Collects returned credits first if
    /// `credit` is below `cells`, or below `ample`: then far load depends on it, and routing reads
    /// that.
    #[inline(always)]
    pub fn admits<'a>(
        &self,
        cells: u16,
        credit: &mut u16,
        channel: impl FnOnce() -> &'a mut Channel,
        now: Time,
    ) -> bool {
        if *credit < cells.max(self.ample) {
            channel().collect(credit, self, now);
        }
        *credit >= cells
    }
    #[inline]
    fn epoch(&self, t: Time) -> u32 {
        ((u128::from(t.0) * u128::from(self.per_epoch)) >> 64) as u32
    }
    /// The first instant of the epoch that is `ahead` epochs after that of `now`.
    fn start(&self, now: Time, ahead: u32) -> Time {
        let mut t = Time((now.0 / self.epoch + u64::from(ahead)) * self.epoch);
        // The reciprocal is rounded and may be off by one at a boundary.
        while self.epoch(t).wrapping_sub(self.epoch(now)) < ahead {
            t += Span(1);
        }
        t
    }
}

/// The unit of buffer space: 8 B [estimate], larger in buffers of 512 KiB or more.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Cell {
    log2: u32,
    /// Bytes of a cell minus one.
    less: u32,
}

impl Cell {
    fn for_buffer(buffer: u64) -> Cell {
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
    /// The same for a packet, whose cells always fit.
    #[inline]
    pub fn count_packet(self, bytes: u16) -> u16 {
        ((u32::from(bytes) + self.less) >> self.log2) as u16
    }
    #[inline]
    pub fn bytes(self, cells: u16) -> u32 {
        u32::from(cells) << self.log2
    }
}

/// Credit state of a virtual channel: credits in transit, and VOQs that wait. Half a cache line.
/// Available credits are in an array of their own (`Channels::credits`), small enough to stay
/// in a cache for routing decisions, which read nothing else.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(crate) struct Channel {
    /// Cells that return in each epoch from `epoch` on. The slot of an epoch is its number modulo
    /// `SLOTS`.
    due: [u16; SLOTS],
    /// The epoch of the last `collect`, modulo 2^32: credits of earlier epochs are available.
    epoch: u32,
    /// VOQs whose packets wait for this channel.
    pub waiting: VoqList,
    /// A packet lacks nothing but credit, so the return of credit must be an event.
    pub waits_for_credit: bool,
    /// Lower byte: the epoch of the pending `Credit` event, modulo 256. Upper byte: `ARMED`, or 0
    /// without a pending event.
    event_epoch: u16,
}
const _: () = assert!(size_of::<Channel>() == 32);

/// In `Channel::event_epoch`: an event is pending.
const ARMED: u16 = 1 << 8;

impl Channel {
    pub const IDLE: Channel = Channel {
        epoch: 0,
        due: [0; SLOTS],
        waiting: VoqList::EMPTY,
        waits_for_credit: false,
        event_epoch: 0,
    };

    /// Moves the cells of elapsed epochs from their slots to `credit`, where the sender can use
    /// them. The number of elapsed epochs is unpredictable, so all slots are visited without
    /// branches.
    #[inline(never)]
    pub fn collect(&mut self, credit: &mut u16, link_type: &LinkType, now: Time) {
        let epoch = link_type.epoch(now);
        let passed = epoch.wrapping_sub(self.epoch).min(SLOTS as u32) as u16;
        let collected = self.epoch as u16;
        for (slot, due) in (0..).zip(&mut self.due) {
            let has_passed = u16::wrapping_sub(slot, collected) % (SLOTS as u16) < passed;
            let returned = if has_passed { *due } else { 0 };
            *credit += returned;
            *due -= returned;
        }
        self.epoch = epoch;
    }
    #[inline]
    fn slot(&mut self, epoch: u32) -> &mut u16 {
        &mut self.due[epoch as usize % SLOTS]
    }
    /// Cells that have returned and are not in the available credit yet.
    pub fn uncollected(mut self, link_type: &LinkType, now: Time) -> u16 {
        let mut credit = 0;
        self.collect(&mut credit, link_type, now);
        credit
    }
    /// Cells in transit, or returned and not collected.
    pub fn in_transit(&self) -> u16 {
        self.due.iter().sum()
    }
    pub fn is_armed(&self) -> bool {
        self.event_epoch != 0
    }
    /// Whether the epoch of `returns_at` has a slot now. If not, the caller schedules a
    /// `LateCredit` event for that time.
    #[inline]
    pub fn has_slot_for(link_type: &LinkType, returns_at: Time, now: Time) -> bool {
        // `EPOCHS` epochs fit into the slots wherever they begin. Nearly all credits return sooner.
        returns_at.0 - now.0 <= link_type.epoch * EPOCHS
            || Self::has_slot_exactly(link_type, returns_at, now)
    }
    #[cold]
    fn has_slot_exactly(link_type: &LinkType, returns_at: Time, now: Time) -> bool {
        let epochs = link_type.epoch(returns_at).wrapping_sub(link_type.epoch(now));
        epochs < SLOTS as u32 && returns_at.0 - now.0 < link_type.epoch * SLOTS as u64
    }
    /// `cells` will return at `returns_at`, whose epoch must have a slot. `credit` is evaluated
    /// only if slots have to be freed.
    #[inline(always)]
    pub fn add_credit<'a>(
        &mut self,
        cells: u16,
        returns_at: Time,
        credit: impl FnOnce() -> &'a mut u16,
        link_type: &LinkType,
        now: Time,
    ) {
        // They are available at the end of the epoch in which they return. Earlier credits are
        // collected only if their slots are needed.
        let epoch = link_type.epoch(returns_at);
        if epoch.wrapping_sub(self.epoch) >= SLOTS as u32 {
            self.collect(credit(), link_type, now);
        }
        debug_assert!(epoch.wrapping_sub(self.epoch) < SLOTS as u32, "its epoch has no slot yet");
        *self.slot(epoch) += cells;
    }
    /// The time of the next `Credit` event, which the caller schedules: the end of the first epoch
    /// in which credit returns. `None` if no credit is in transit, or if an event for that epoch or
    /// an earlier one is pending.
    pub fn next_credit_event(
        &mut self,
        credit: &mut u16,
        link_type: &LinkType,
        now: Time,
    ) -> Option<Time> {
        self.collect(credit, link_type, now);
        let epoch = self.epoch;
        let mut offsets = 0..SLOTS as u32;
        let ahead = 1 + offsets.find(|&nth| *self.slot(epoch.wrapping_add(nth)) > 0)?;
        let pending = u32::from((self.event_epoch as u8).wrapping_sub(self.epoch as u8));
        // An event for that epoch or an earlier one is pending. With `pending` 0 it is due at this
        // instant and still in the queue.
        if self.is_armed() && pending <= ahead {
            return None;
        }
        self.event_epoch = ARMED | u16::from(self.epoch.wrapping_add(ahead) as u8);
        Some(link_type.start(now, ahead))
    }
    /// A `Credit` event occurs. False if it is superseded or no packet waits for credit any more.
    pub fn credit_event(&mut self, credit: &mut u16, link_type: &LinkType, now: Time) -> bool {
        self.collect(credit, link_type, now);
        let expected = self.is_armed() && self.event_epoch as u8 == self.epoch as u8;
        if expected {
            self.event_epoch = 0;
        }
        expected && self.waits_for_credit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::draw;

    fn link_type(epoch: u64) -> LinkType {
        LinkType {
            gap: Gap(1),
            latency: Span(1),
            cable: Span(1),
            cell: Cell::for_buffer(8_000),
            cells: 1_000,
            bdp: 0,
            ample: 1_000,
            remote_shard: 0,
            is_slower_than_nic: false,
            min_take_time: Span::ZERO,
            epoch,
            per_epoch: u64::MAX / epoch + 1,
        }
    }

    /// Includes wrap-around of epoch numbers, and the end of time.
    #[test]
    fn credits_return_at_most_one_epoch_late() {
        for (epoch, begin) in
            [(1_000, 0), (777, (777 << 32) - 50_000), (1 << 10, 1 << 63), (3_331, u64::MAX >> 4)]
        {
            let link_type = link_type(epoch);
            let (mut channel, mut credit) = (Channel::IDLE, link_type.cells);
            let (mut now, mut out, mut returns) = (Time(begin), 0, Vec::new());
            for nth in 0..20_000u64 {
                let random = draw(epoch, 0, 0, nth);
                // Mostly short steps, with occasional pauses.
                now += Span(if random.is_multiple_of(16) { random % 20_000 } else { random % 300 });
                channel.collect(&mut credit, &link_type, now);
                let returned = |by: u64| -> u16 {
                    returns.iter().filter(|h: &&(Time, u16)| h.0.0 <= by).map(|h| h.1).sum()
                };
                let came = credit + out - link_type.cells;
                assert!(came <= returned(now.0), "at {now:?}: early");
                assert!(came >= returned(now.0.saturating_sub(epoch + 1)), "at {now:?}: late");
                assert_eq!(
                    credit + channel.in_transit() + out - returned(u64::MAX),
                    link_type.cells
                );
                let cells = 1 + (random >> 32) as u16 % 9;
                let returns_at = now + Span((random >> 40) % (SLOTS as u64 * epoch));
                let has_slot = Channel::has_slot_for(&link_type, returns_at, now);
                assert!(
                    has_slot || returns_at.0 - now.0 > EPOCHS * epoch,
                    "the time is near enough"
                );
                if credit >= cells && returns.len() < 500 && has_slot {
                    credit -= cells;
                    out += cells;
                    channel.add_credit(cells, returns_at, || &mut credit, &link_type, now);
                    returns.push((returns_at, cells));
                } else if channel.in_transit() == 0 {
                    (out, returns) = (0, Vec::new());
                }
            }
        }
    }

    /// A credit starts to return at an instant for which the event of another credit is in the
    /// queue.
    #[test]
    fn a_credit_sent_as_another_arrives_is_collected() {
        let link_type = link_type(1_000);
        let (mut channel, mut credit) = (Channel { waits_for_credit: true, ..Channel::IDLE }, 0);
        let credit = &mut credit;
        channel.add_credit(1, Time(500), || credit, &link_type, Time(0));
        assert_eq!(channel.next_credit_event(credit, &link_type, Time(0)), Some(Time(1_000)));
        channel.add_credit(1, Time(3_500), || credit, &link_type, Time(1_000));
        assert_eq!(
            channel.next_credit_event(credit, &link_type, Time(1_000)),
            None,
            "an event is in the queue at this instant"
        );
        assert!(channel.credit_event(credit, &link_type, Time(1_000)));
        assert_eq!(channel.next_credit_event(credit, &link_type, Time(1_000)), Some(Time(4_000)));
    }
}
