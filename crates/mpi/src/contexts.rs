//! Context ids: the numbers that distinguish messages of different communicators.
//!
//! A library has a fixed number of ids, and every process knows which it has in use. A new
//! communicator takes the lowest id that is free on all of its ranks. Each rank returns the id when
//! it frees the communicator. So disjoint groups may have the same id. Overlapping groups may find
//! no id although each of their ranks has free ones: fragmentation. [MPICH]
//! `MPIR_Get_contextid_sparse_group`.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use workload::Context;

/// Ids of `MPI_COMM_WORLD` and `MPI_COMM_SELF`: taken from the start, and never returned.
pub const PREDEFINED: u32 = 2;

/// The result of an agreement.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Allocation {
    pub id: u32,
    /// The largest number of ids in use by a rank of the group, this one included, and that rank.
    pub most: u32,
    pub rank: u32,
}

/// Which ranks have which ids in use.
#[derive(Clone, Debug)]
pub struct Contexts {
    /// By rank: a bit mask of ids, up to the highest one ever used. Empty until a communicator is
    /// created, as most runs create none.
    taken: Vec<Vec<u64>>,
    ranks: usize,
    /// By job and context, while any rank is a member.
    communicators: BTreeMap<(u32, Context), Communicator>,
}

#[derive(Clone, Debug, Default)]
struct Communicator {
    /// Set by the agreement.
    id: Option<u32>,
    size: usize,
    joined: usize,
    /// Ranks that have left, and those that left before it had an id.
    left: usize,
    early: Vec<u32>,
}

impl Contexts {
    pub fn new(ranks: usize) -> Contexts {
        Contexts { taken: Vec::new(), ranks, communicators: BTreeMap::new() }
    }

    /// A rank joins a communicator of `size` ranks. True if all have joined now: all earlier
    /// `leave` calls are then known, and the members may `agree`.
    pub fn join(&mut self, key: (u32, Context), size: usize) -> bool {
        let communicator = self.communicators.entry(key).or_default();
        communicator.size = size;
        communicator.joined += 1;
        communicator.joined == size
    }

    /// The members of a communicator allocate an id for it.
    pub fn agree(&mut self, key: (u32, Context), members: &[u32]) -> Option<Allocation> {
        self.taken.resize(self.ranks, Vec::new());
        let id = self.lowest_free_id(members);
        let communicator = self.communicators.get_mut(&key)?;
        communicator.id = Some(id);
        let early = std::mem::take(&mut communicator.early);
        for &rank in members.iter().filter(|rank| !early.contains(rank)) {
            self.take(rank, id);
        }
        self.forget(key);
        let most = members.iter().map(|&rank| (self.in_use(rank), rank));
        let (most, rank) = most.max_by_key(|&(most, rank)| (most, u32::MAX - rank))?;
        Some(Allocation { id, most, rank })
    }

    /// The rank has freed the communicator.
    pub fn leave(&mut self, key: (u32, Context), rank: u32) {
        let Entry::Occupied(mut entry) = self.communicators.entry(key) else { return };
        let communicator = entry.get_mut();
        communicator.left += 1;
        match communicator.id {
            Some(id) => self.taken[rank as usize][id as usize / 64] &= !(1 << (id % 64)),
            None => communicator.early.push(rank),
        }
        self.forget(key);
    }

    fn forget(&mut self, key: (u32, Context)) {
        let Communicator { left, size, .. } = self.communicators[&key];
        if left == size {
            self.communicators.remove(&key);
        }
    }

    /// Communicators of the rank, including the two predefined ones.
    fn in_use(&self, rank: u32) -> u32 {
        PREDEFINED + self.taken[rank as usize].iter().map(|w| w.count_ones()).sum::<u32>()
    }

    fn lowest_free_id(&self, members: &[u32]) -> u32 {
        let masks = || members.iter().map(|&rank| &self.taken[rank as usize]);
        let word = |at: usize| {
            let first = if at == 0 { (1 << PREDEFINED) - 1 } else { 0 };
            masks().fold(first, |all, mask| all | mask.get(at).copied().unwrap_or(0))
        };
        let free = (0..).map(|at| (at, word(at))).find(|&(_, word)| word != u64::MAX);
        let (at, word) = free.expect("all ids beyond the longest mask are free");
        at as u32 * 64 + word.trailing_ones()
    }

    fn take(&mut self, rank: u32, id: u32) {
        let (mask, at) = (&mut self.taken[rank as usize], id as usize / 64);
        mask.resize(mask.len().max(at + 1), 0);
        mask[at] |= 1 << (id % 64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All ranks join in turn; the allocation, if they agree on one.
    fn make(contexts: &mut Contexts, context: Context, members: &[u32]) -> Option<Allocation> {
        for i in 1..=members.len() {
            assert_eq!(contexts.join((0, context), members.len()), i == members.len());
        }
        contexts.agree((0, context), members)
    }
    fn id(contexts: &mut Contexts, context: Context, members: &[u32]) -> u32 {
        make(contexts, context, members).expect("all have joined").id
    }

    #[test]
    fn the_lowest_id_that_is_free_on_all_is_taken() {
        let mut c = Contexts::new(4);
        assert_eq!(id(&mut c, 10, &[0, 1, 2, 3]), 2);
        // Disjoint groups share an id.
        assert_eq!((id(&mut c, 11, &[0, 1]), id(&mut c, 12, &[3, 2])), (3, 3));
        assert_eq!(id(&mut c, 13, &[1, 2]), 4);
        // 0 has 2 and 3 in use, and 1 has 2, 3 and 4.
        assert_eq!(make(&mut c, 14, &[0, 1]), Some(Allocation { id: 5, most: 6, rank: 1 }));
        [0, 1].into_iter().for_each(|rank| c.leave((0, 11), rank));
        assert_eq!(id(&mut c, 15, &[0]), 3);
        // Rank 1 has 3 free, rank 0 has 4.
        assert_eq!(id(&mut c, 16, &[0, 1]), 6);
    }

    /// Also beyond one word of a mask.
    #[test]
    fn freed_ids_are_reused() {
        let mut c = Contexts::new(2);
        for nth in 0..1000 {
            assert_eq!(id(&mut c, nth, &[0, 1]), 2 + nth);
        }
        for nth in [700, 7] {
            [0, 1].into_iter().for_each(|rank| c.leave((0, nth), rank));
        }
        assert_eq!((id(&mut c, 2000, &[1]), id(&mut c, 2001, &[0, 1])), (9, 702));
        assert_eq!(c.communicators.len(), 1000);
    }

    /// As measured with MPICH 5.0.2: even ranks keep 1,023 ids of their own. Then odd ranks keep
    /// 1,023 more, shared until then with a neighbor. No id below 2,048 is left for both.
    #[test]
    fn overlapping_groups_fragment_the_ids() {
        let mut c = Contexts::new(2);
        let mut context = 0;
        let mut next = || {
            context += 1;
            context
        };
        for nth in 0..1023 {
            assert_eq!(id(&mut c, next(), &[0]), 2 + nth);
        }
        let both: Vec<Context> = (0..1023).map(|_| next()).collect();
        for &shared in &both {
            id(&mut c, shared, &[0, 1]);
        }
        both.iter().for_each(|&shared| c.leave((0, shared), 0));
        assert_eq!(
            make(&mut c, next(), &[0, 1]),
            Some(Allocation { id: 2048, most: 1026, rank: 0 })
        );
    }

    #[test]
    fn leaving_before_others_join_holds_no_id() {
        let mut c = Contexts::new(2);
        assert!(!c.join((0, 1), 2));
        c.leave((0, 1), 0);
        assert!(c.join((0, 1), 2));
        assert_eq!(c.agree((0, 1), &[0, 1]), Some(Allocation { id: 2, most: 3, rank: 1 }));
        assert_eq!(id(&mut c, 2, &[0]), 2);
        c.leave((0, 1), 1);
        c.leave((0, 1), 1);
        assert_eq!((c.in_use(0), c.in_use(1), c.communicators.len()), (3, 2, 1));
        // Another job's communicator may have the same number.
        assert!(c.join((1, 2), 1));
        assert_eq!(c.agree((1, 2), &[1]).unwrap().id, 2);
    }
}
