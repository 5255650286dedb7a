//! Virtual output queues (VOQs) of each virtual channel, and their order in arbitration.
//!
//! A link of a fully used machine may have many VOQs on one channel, and each new VOQ and each
//! grant searches them. The VOQs of a channel are therefore contiguous; in a linked list
//! every step would be a dependent read.

use base::{Time, grow, prefetch_all_at, resident_bytes, with_capacity};
use machine::{Arbitration, Hop, LinkId};

use crate::link::ones;
use crate::{NONE, Packet, PacketId, PacketNetwork};

/// Packets that arrived by one link and wait for one virtual channel of another, first in, first
/// out. A VOQ exists only while packets wait: one per pair of ports would be 41 million on Aurora,
/// and few are ever in use.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(32))]
pub(crate) struct Voq {
    /// Among the channels with credit, the VOQ with the lowest key is next: an age or a sequence
    /// number.
    pub arbitration_key: u64,
    pub input: LinkId,
    pub head: PacketId,
    pub tail: PacketId,
    /// Wire bytes of the head.
    pub bytes: u16,
}
const _: () = assert!(size_of::<Voq>() == 32);

/// The VOQs of a channel: position of the first, number, and binary logarithm of the capacity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct VoqList {
    at: u32,
    len: u16,
    log2: u8,
}

impl VoqList {
    pub const EMPTY: VoqList = VoqList { at: NONE, len: 0, log2: 0 };

    /// Number of VOQs.
    pub fn len(self) -> usize {
        self.len.into()
    }

    /// Their positions.
    #[inline]
    fn range(self) -> std::ops::Range<usize> {
        self.at as usize..self.at as usize + self.len()
    }
}

/// A list that is not empty has a capacity of at least two.
const MIN_LOG2: u8 = 1;
/// Capacities are at most 2^16: no switch has as many ports (`Count` of ports in
/// `crates/machine/src/schema.rs`).
const LOG2_SIZES: usize = 17;

/// The VOQs of all channels, those of each channel in order of their arbitration keys.
#[derive(Debug)]
pub(crate) struct VoqStore {
    rows: Vec<Voq>,
    /// First free block of each capacity; the head of its first VOQ names the next.
    free: [u32; LOG2_SIZES],
}

impl VoqStore {
    pub fn with_capacity(n: usize) -> VoqStore {
        VoqStore { rows: with_capacity(n), free: [NONE; LOG2_SIZES] }
    }

    /// The VOQs of a channel.
    #[inline]
    pub fn of(&self, entry: VoqList) -> &[Voq] {
        &self.rows[entry.range()]
    }

    /// The VOQ with the lowest arbitration key of a list that is not empty.
    #[inline]
    pub fn first(&self, entry: VoqList) -> &Voq {
        &self.rows[entry.at as usize]
    }

    /// Bytes held, including unused capacity.
    pub fn bytes(&self) -> usize {
        resident_bytes(&self.rows)
    }

    /// Prefetches the first VOQ of a list.
    #[inline]
    pub fn prefetch(&self, entry: VoqList) {
        prefetch_all_at(&self.rows, entry.at as usize);
    }

    /// Inserts `voq` into `entry`, behind those with the same arbitration key.
    fn add(&mut self, entry: &mut VoqList, voq: Voq) {
        if entry.len == 0 {
            *entry = self.allocate(MIN_LOG2);
        } else if usize::from(entry.len) == 1 << entry.log2 {
            self.grow_list(entry);
        }
        entry.len += 1;
        let voqs = &mut self.rows[entry.range()];
        let mut at = voqs.len() - 1;
        while at > 0 && voqs[at - 1].arbitration_key > voq.arbitration_key {
            voqs[at] = voqs[at - 1];
            at -= 1;
        }
        voqs[at] = voq;
    }

    /// The first VOQ of `entry` was served and is replaced by `voq`, at its new position.
    #[inline]
    fn requeue_first(&mut self, entry: VoqList, voq: Voq) {
        let voqs = &mut self.rows[entry.range()];
        let mut at = 0;
        while let Some(&next) = voqs.get(at + 1)
            && next.arbitration_key <= voq.arbitration_key
        {
            voqs[at] = next;
            at += 1;
        }
        voqs[at] = voq;
    }

    /// Removes the first VOQ of `entry`, which is empty.
    fn remove(&mut self, entry: &mut VoqList) {
        if entry.len == 1 {
            self.release(*entry);
            *entry = VoqList::EMPTY;
            return;
        }
        self.rows.copy_within(entry.range().start + 1..entry.range().end, entry.range().start);
        entry.len -= 1;
    }

    /// Allocates room for 2^`log2` VOQs.
    fn allocate(&mut self, log2: u8) -> VoqList {
        let first = &mut self.free[usize::from(log2)];
        let mut at = *first;
        if at == NONE {
            at = u32::try_from(self.rows.len()).expect("fewer than 2^32 queues");
            let none = PacketId(NONE);
            let empty =
                Voq { arbitration_key: 0, input: LinkId(NONE), head: none, tail: none, bytes: 0 };
            for _ in 0..1u32 << log2 {
                grow(&mut self.rows);
                self.rows.push(empty);
            }
        } else {
            *first = self.rows[at as usize].head.0;
        }
        VoqList { at, len: 0, log2 }
    }

    /// Moves a full list to a block of twice the capacity.
    #[cold]
    fn grow_list(&mut self, entry: &mut VoqList) {
        let wide = VoqList { len: entry.len, ..self.allocate(entry.log2 + 1) };
        self.rows.copy_within(entry.range(), wide.at as usize);
        self.release(*entry);
        *entry = wide;
    }

    fn release(&mut self, entry: VoqList) {
        let first = std::mem::replace(&mut self.free[usize::from(entry.log2)], entry.at);
        self.rows[entry.at as usize].head = PacketId(first);
    }
}

impl PacketNetwork {
    /// The arbitration key of a VOQ whose head left its NIC at `born`: with age arbitration that
    /// time, otherwise the next number.
    #[inline]
    fn next_arbitration_key(&mut self, born: Time) -> u64 {
        match self.arbitration {
            Arbitration::Age => born.0,
            Arbitration::RoundRobin => {
                self.arbitrations += 1;
                self.arbitrations
            }
        }
    }

    /// Appends `packet` to its VOQ, and creates the VOQ if necessary.
    pub(crate) fn enqueue(&mut self, packet: PacketId, hop: Hop) {
        let at = self.channel(hop.link, hop.vc);
        let p = &mut self.packets[packet];
        p.next = NONE;
        let Packet { input, born, bytes, .. } = *p;
        // Without waiting packets there are no VOQs. This test avoids a read of the channel, which
        // would stall.
        let waited_for = &mut self.ports[hop.link].waited_for;
        let mut entry = VoqList::EMPTY;
        if *waited_for & (1 << hop.vc) != 0 {
            entry = self.channels[at].waiting;
            let voqs = &mut self.voqs.rows[entry.range()];
            if let Some(voq) = voqs.iter_mut().find(|voq| voq.input == input) {
                let tail = std::mem::replace(&mut voq.tail, packet);
                self.packets[tail].next = packet.0;
                return;
            }
        }
        *waited_for |= 1 << hop.vc;
        let arbitration_key = self.next_arbitration_key(born);
        self.voqs
            .add(&mut entry, Voq { arbitration_key, input, head: packet, tail: packet, bytes });
        self.channels[at].waiting = entry;
    }

    /// The channel of `link` among `channels` that is next: the one whose first VOQ has the lowest
    /// key. A channel whose first VOQ lacks credit is skipped entirely, so small packets cannot
    /// starve a large one.
    #[inline(always)]
    pub(crate) fn choose(&mut self, link: LinkId, channels: u32, now: Time) -> Option<u8> {
        let mut best: Option<(u64, u8)> = None;
        for vc in ones(channels) {
            let entry = self.channels[self.channel(link, vc)].waiting;
            let Voq { arbitration_key, bytes, .. } = *self.voqs.first(entry);
            if best.is_none_or(|(least, _)| arbitration_key < least)
                && self.has_credit(Hop { link, vc }, bytes, now)
            {
                best = Some((arbitration_key, vc));
            }
        }
        best.map(|(_, vc)| vc)
    }

    /// Removes the next packet of a channel with waiting packets. Its VOQ gets a new key, or is
    /// removed.
    pub(crate) fn dequeue(&mut self, link: LinkId, vc: u8) -> PacketId {
        let at = self.channel(link, vc);
        let entry = self.channels[at].waiting;
        let voq = *self.voqs.first(entry);
        if voq.head == voq.tail {
            self.voqs.remove(&mut self.channels[at].waiting);
            if entry.len == 1 {
                self.ports[link].waited_for &= !(1 << vc);
            }
        } else {
            let head = PacketId(self.packets[voq.head].next);
            let Packet { born, bytes, .. } = self.packets[head];
            let arbitration_key = self.next_arbitration_key(born);
            self.voqs.requeue_first(entry, Voq { arbitration_key, head, bytes, ..voq });
        }
        voq.head
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;
    use crate::ArrivalId;
    use base::draw;
    use machine::{MachineSpec, NicId, Route, SwitchId, preset};
    use net::NetworkModel;

    const EMPTY_PACKET: Packet = Packet {
        tail: Time::ZERO,
        born: Time::ZERO,
        draw: 0,
        route: Route { class: 0, hops: 0, via: 0, passed: false, decided: false },
        arrival: ArrivalId(NONE),
        dst: NicId(0),
        bytes: 90,
        traveled: 0,
        input: LinkId(NONE),
        next: NONE,
        at: SwitchId(NONE),
        cells: 0,
        input_type: 0,
        input_vc: 0,
        vnet: 0,
        marks: 0,
    };

    fn voq(arbitration_key: u64, input: u32) -> Voq {
        let packet = PacketId(input);
        Voq { arbitration_key, input: LinkId(input), head: packet, tail: packet, bytes: 64 }
    }

    /// Arbitration against a direct implementation of its definition. Round robin picks the VOQ
    /// that has waited longest since it was served, age the VOQ with the oldest first packet. Ties
    /// go to the earlier VOQ.
    #[test]
    fn arbitration_follows_its_policy() {
        let (seed, link) = (8, LinkId(3_000));
        for rule in ["round-robin", "age"] {
            let text = preset("dragonfly-1056").expect("a preset");
            let set = [("switch.arbitration".into(), rule.into())];
            let spec = MachineSpec::parse("it", text, &set).expect("legal");
            let machine = spec.resolve().expect("sound");
            let mut net = PacketNetwork::build(&machine);
            assert!(!net.is_edge(link), "between switches");
            let by_age = machine.arbitration == Arbitration::Age;
            // By channel: VOQs in order of their wait, with its start and their packets.
            let mut model: [Vec<(u64, u32, VecDeque<PacketId>)>; 2] = Default::default();
            let mut served = 0;
            for step in 0..6_000 {
                let random = draw(seed, 0, 0, step);
                if (random >> 8) % 100 < if step / 500 % 2 == 0 { 70 } else { 30 } {
                    let (vc, input) = ((random % 2) as u8, (random >> 32 & 7) as u32);
                    let born = Time(random >> 40 & 63);
                    let p = Packet { input: LinkId(input), born, ..EMPTY_PACKET };
                    let packet = net.packets.insert(p);
                    net.enqueue(packet, Hop { link, vc });
                    let voqs = &mut model[usize::from(vc)];
                    match voqs.iter_mut().find(|voq| voq.1 == input) {
                        Some(voq) => voq.2.push_back(packet),
                        None => voqs.push((step, input, [packet].into())),
                    }
                    continue;
                }
                let born = |id: PacketId| net.packets[id].born.0;
                let key = |voq: &(u64, u32, VecDeque<PacketId>)| {
                    if by_age { born(voq.2[0]) } else { voq.0 }
                };
                let all = (0..2).flat_map(|vc| (0..model[vc].len()).map(move |nth| (vc, nth)));
                let first = all.min_by_key(|&(vc, nth)| key(&model[vc][nth]));
                let waited_for = net.ports[link].waited_for;
                let chosen = net.choose(link, waited_for, Time::ZERO);
                assert_eq!(chosen, first.map(|(vc, _)| vc as u8), "{rule}, seed {seed}, {step}");
                let Some((vc, nth)) = first else { continue };
                let (_, input, mut packets) = model[vc].remove(nth);
                assert_eq!(Some(net.dequeue(link, vc as u8)), packets.pop_front());
                if !packets.is_empty() {
                    model[vc].push((step, input, packets));
                }
                served += 1;
            }
            assert!(served > 2_000, "{served}");
        }
    }

    /// Lists that grow and shrink concurrently stay sorted by key, with ties in order of
    /// insertion.
    #[test]
    fn queues_stay_sorted() {
        let seed = 20;
        let mut voqs = VoqStore::with_capacity(4);
        let mut entries = [VoqList::EMPTY; 5];
        let mut lists: [Vec<Voq>; 5] = Default::default();
        let place = |list: &[Voq], voq: &Voq| {
            list.partition_point(|l| l.arbitration_key <= voq.arbitration_key)
        };
        for step in 0..20_000 {
            let random = draw(seed, 0, 0, step);
            let at = (random % 5) as usize;
            let (entry, list) = (&mut entries[at], &mut lists[at]);
            // Few distinct keys, so that many are equal; phases of growth and decline.
            let new = voq(random >> 40 & 15, step as u32);
            let grows = (step / 1_000) % 2 == 0;
            match random >> 32 & 3 {
                0 if !list.is_empty() => {
                    list.remove(0);
                    voqs.remove(entry);
                }
                1 if !list.is_empty() => {
                    list.remove(0);
                    list.insert(place(list, &new), new);
                    voqs.requeue_first(*entry, new);
                }
                2 if !grows && !list.is_empty() => {
                    list.remove(0);
                    voqs.remove(entry);
                }
                _ if grows || list.is_empty() => {
                    list.insert(place(list, &new), new);
                    voqs.add(entry, new);
                }
                _ => continue,
            }
            if let Some(first) = list.first() {
                assert_eq!(voqs.first(entries[at]), first, "seed {seed}, step {step}");
            }
            for (entry, list) in entries.iter().zip(&lists).filter(|(_, list)| !list.is_empty()) {
                assert_eq!(voqs.of(*entry), &list[..], "seed {seed}, step {step}");
            }
        }
        assert!(lists.iter().all(|list| list.len() < 600), "they shrink too");
    }

    /// Freed blocks are reused.
    #[test]
    fn freed_storage_is_reused() {
        let mut voqs = VoqStore::with_capacity(0);
        let fill = |voqs: &mut VoqStore| {
            let mut entry = VoqList::EMPTY;
            (0..100).for_each(|nth| voqs.add(&mut entry, voq(nth, nth as u32)));
            (0..100).for_each(|_| voqs.remove(&mut entry));
            assert_eq!(entry, VoqList::EMPTY);
        };
        fill(&mut voqs);
        let rows = voqs.rows.len();
        assert_eq!(rows, 2 + 4 + 8 + 16 + 32 + 64 + 128);
        (0..10).for_each(|_| fill(&mut voqs));
        assert_eq!(voqs.rows.len(), rows);
    }
}
