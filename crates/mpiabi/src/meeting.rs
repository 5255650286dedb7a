//! What a collective means, for `solo`: the definition of each kind, without an algorithm.
//!
//! All members have entered and sleep; every block goes straight to where its receiver collects it.
//! Reductions run in rank order, each by the process that owns the right operand, so operators need
//! neither commute nor be known here.

use collectives::{Collective, Kind, Part};
use workload::wire::{Combine, Segment, Submission};

/// One member's call.
pub struct Entry {
    pub world: u32,
    pub submission: Submission,
    layout: Collective,
}

impl Entry {
    pub fn new(world: u32, submission: Submission, size: usize, ragged: Vec<u64>) -> Entry {
        let layout = crate::coll::layout_of(&submission, size as u32, ragged);
        Entry { world, submission, layout }
    }
    fn deposit(&self, i: usize) -> Part {
        self.find(i, self.layout.deposits())
    }
    fn collect(&self, i: usize) -> Part {
        self.find(i, self.layout.collects())
    }
    fn find(&self, i: usize, mut parts: impl Iterator<Item = (u32, Part)>) -> Part {
        parts.find(|&(block, _)| block as usize == i).expect("a block of this kind").1
    }
}

pub struct Meeting {
    entries: Vec<Option<Entry>>,
}

impl Meeting {
    pub fn new(size: usize) -> Meeting {
        Meeting { entries: (0..size).map(|_| None).collect() }
    }
    pub fn size(&self) -> usize {
        self.entries.len()
    }
    pub fn enter(&mut self, entry: Entry) {
        let seat = entry.submission.peer as usize;
        self.entries[seat] = Some(entry);
    }
    pub fn is_complete(&self) -> bool {
        self.entries.iter().all(Option::is_some)
    }
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().flatten()
    }
    fn of(&self, seat: usize) -> &Entry {
        self.entries[seat].as_ref().expect("everybody has entered")
    }

    /// Moves the bytes.
    pub fn hold(&self, segment: Segment, combine: &mut dyn FnMut(u32, Combine)) {
        let layout = &self.of(0).layout;
        let (kind, root, last) = (layout.kind, layout.root as usize, self.size() - 1);
        let everybody = 0..self.size();
        if kind.reduces() {
            let area = layout.deposit_area();
            self.prefixes(area.len, combine);
        }
        match kind {
            Kind::Barrier | Kind::Scan => {}
            Kind::Bcast => everybody.for_each(|to| self.move_block(segment, (root, 0), (to, 0))),
            Kind::Reduce => self.move_block(segment, (last, 0), (root, 0)),
            Kind::Allreduce => {
                everybody.for_each(|to| self.move_block(segment, (last, 0), (to, 0)));
            }
            Kind::Exscan => {
                everybody.skip(1).rev().for_each(|to| {
                    self.move_block(segment, (to - 1, 0), (to, 0));
                });
            }
            Kind::ReduceScatter | Kind::ReduceScatterBlock => {
                everybody.for_each(|to| self.move_block(segment, (last, to), (to, to)));
            }
            Kind::Allgather | Kind::Allgatherv => {
                for from in everybody.clone() {
                    for to in everybody.clone() {
                        self.move_block(segment, (from, from), (to, from));
                    }
                }
            }
            Kind::Gather | Kind::Gatherv => {
                everybody.for_each(|from| self.move_block(segment, (from, from), (root, from)));
            }
            Kind::Scatter | Kind::Scatterv => {
                everybody.for_each(|to| self.move_block(segment, (root, to), (to, to)));
            }
            Kind::Alltoall | Kind::Alltoallv => {
                for from in everybody.clone() {
                    for to in everybody.clone() {
                        self.move_block(segment, (from, to), (to, from));
                    }
                }
            }
        }
    }

    /// Every seat's vector becomes the reduction of all seats up to it.
    fn prefixes(&self, bytes: u64, combine: &mut dyn FnMut(u32, Combine)) {
        for seat in 1..self.size() {
            let (left, here) = (self.of(seat - 1), self.of(seat));
            let (into, from) = (here.submission.block, left.submission.block);
            let (op, datatype) = (here.submission.op, here.submission.datatype);
            if bytes > 0 {
                let call = Combine { into, from, bytes, left: 1, _pad: 0, op, datatype };
                combine(here.world, call);
            }
        }
    }

    /// From where `from.0` deposits its block `from.1` to where `to.0` collects its block `to.1`.
    fn move_block(&self, segment: Segment, from: (usize, usize), to: (usize, usize)) {
        let (source, target) = (self.of(from.0), self.of(to.0));
        let (a, b) = (source.deposit(from.1), target.collect(to.1));
        assert_eq!(a.len, b.len, "blocks {from:?} and {to:?} of a collective differ in length");
        let (from, to) = (source.submission.block + a.at, target.submission.block + b.at);
        if from != to {
            // SAFETY: stretches of working buffers whose owners sleep; they do not overlap.
            unsafe {
                segment.ptr(to).copy_from_nonoverlapping(segment.ptr(from), a.len as usize);
            }
        }
    }
}
