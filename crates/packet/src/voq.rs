//! Virtual output queues (VOQs) of each virtual channel, and their order in arbitration.
//!
//! A link of a fully used machine may have many VOQs on one channel, and each new VOQ and each
//! grant searches them. The VOQs of a channel are therefore contiguous; in a linked list
//! every step would be a dependent read.

use base::{Time, grow, prefetch_all_at, resident_bytes, with_capacity};
use machine::{Arbitration, LinkId};

use crate::packet::{NONE, PacketId};

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
    pub fn list(&self, entry: VoqList) -> &[Voq] {
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

    /// The VOQ of a list for packets that arrived by `input`.
    #[inline]
    pub fn find(&mut self, entry: VoqList, input: LinkId) -> Option<&mut Voq> {
        self.rows[entry.range()].iter_mut().find(|voq| voq.input == input)
    }

    /// Prefetches the first VOQ of a list.
    #[inline]
    pub fn prefetch(&self, entry: VoqList) {
        prefetch_all_at(&self.rows, entry.at as usize);
    }

    /// Inserts `voq` into `entry`, behind those with the same arbitration key.
    pub fn add(&mut self, entry: &mut VoqList, voq: Voq) {
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
    pub fn requeue_first(&mut self, entry: VoqList, voq: Voq) {
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
    pub fn remove(&mut self, entry: &mut VoqList) {
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

/// Assigns the keys by which arbitration orders VOQs.
pub(crate) struct Arbiter {
    arbitration: Arbitration,
    /// Keys assigned so far, for round robin.
    assigned: u64,
}

impl Arbiter {
    pub fn new(arbitration: Arbitration) -> Arbiter {
        Arbiter { arbitration, assigned: 0 }
    }

    /// The key of a VOQ whose head left its NIC at `born`: with age arbitration that time,
    /// otherwise the next number.
    #[inline]
    pub fn next_key(&mut self, born: Time) -> u64 {
        match self.arbitration {
            Arbitration::Age => born.0,
            Arbitration::RoundRobin => {
                self.assigned += 1;
                self.assigned
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::draw;

    fn voq(arbitration_key: u64, input: u32) -> Voq {
        let packet = PacketId(input);
        Voq { arbitration_key, input: LinkId(input), head: packet, tail: packet, bytes: 64 }
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
                assert_eq!(voqs.list(*entry), &list[..], "seed {seed}, step {step}");
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
