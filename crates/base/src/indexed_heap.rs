//! A priority queue of ids whose keys may change.

use crate::{Idx, IndexVec};

/// "Not in the heap."
const ABSENT: u32 = u32::MAX;

/// An indexed binary heap: ids ordered by key, ties by id. It stores the position of each id, so a
/// key can be changed or removed in O(log n), and no entry is ever stale.
#[derive(Clone, Debug)]
pub struct IndexedHeap<I, K> {
    heap: Vec<(K, I)>,
    position: IndexVec<I, u32>,
}

impl<I: Idx, K: Copy + Ord> Default for IndexedHeap<I, K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Idx, K: Copy + Ord> IndexedHeap<I, K> {
    pub fn new() -> Self {
        IndexedHeap { heap: Vec::new(), position: IndexVec::new() }
    }

    /// The least entry: its key and id.
    #[inline]
    pub fn first(&self) -> Option<(K, I)> {
        self.heap.first().copied()
    }

    /// The key of `id`, if it is in the heap.
    #[inline]
    pub fn key(&self, id: I) -> Option<K> {
        match self.position.raw.get(id.idx()) {
            None | Some(&ABSENT) => None,
            Some(&at) => Some(self.heap[at as usize].0),
        }
    }

    /// All ids in the heap, in no particular order.
    pub fn ids(&self) -> impl Iterator<Item = I> {
        self.heap.iter().map(|&(_, id)| id)
    }

    /// Inserts `id`, or changes its key.
    pub fn set(&mut self, id: I, key: K) {
        if self.position.len() <= id.idx() {
            self.position.raw.resize(id.idx() + 1, ABSENT);
        }
        let at = match self.position[id] {
            ABSENT => {
                self.heap.push((key, id));
                self.heap.len() - 1
            }
            at => {
                self.heap[at as usize].0 = key;
                at as usize
            }
        };
        self.sift(at);
    }

    /// Removes `id`, if it is in the heap.
    pub fn remove(&mut self, id: I) {
        let Some(at) = self.position.raw.get(id.idx()).copied().filter(|&at| at != ABSENT) else {
            return;
        };
        self.position[id] = ABSENT;
        let last = self.heap.pop().expect("one is in");
        if last.1 != id {
            self.heap[at as usize] = last;
            self.sift(at as usize);
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.heap.capacity() * size_of::<(K, I)>() + self.position.raw.capacity() * size_of::<u32>()
    }

    /// Moves the entry at `at` up or down to restore the heap order.
    fn sift(&mut self, mut at: usize) {
        let (heap, position) = (&mut self.heap[..], &mut self.position);
        let (item, begin) = (heap[at], at);
        while at > 0 {
            let above = heap[(at - 1) / 2];
            if above <= item {
                break;
            }
            heap[at] = above;
            position[above.1] = at as u32;
            at = (at - 1) / 2;
        }
        while at >= begin {
            let Some(&left) = heap.get(2 * at + 1) else { break };
            let (mut child, mut below) = (2 * at + 1, left);
            if let Some(&right) = heap.get(2 * at + 2)
                && right < left
            {
                (child, below) = (2 * at + 2, right);
            }
            if item <= below {
                break;
            }
            heap[at] = below;
            position[below.1] = at as u32;
            at = child;
        }
        heap[at] = item;
        position[item.1] = at as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{below, draw};

    crate::ids! { Item }

    /// Compares with a linear search of a list.
    #[test]
    fn the_first_item_has_the_least_key() {
        let (mut heap, mut list) = (IndexedHeap::<Item, u64>::new(), [None; 40]);
        for nth in 0..20_000 {
            let pick = |stream, n| below(draw(5, stream, 0, nth), n);
            let item = Item(pick(0, 40));
            match pick(1, 4) {
                0 => {
                    heap.remove(item);
                    list[item.idx()] = None;
                }
                1 => {
                    if let Some((_, first)) = heap.first() {
                        heap.remove(first);
                        list[first.idx()] = None;
                    }
                }
                _ => {
                    let key = u64::from(pick(2, 25));
                    heap.set(item, key);
                    list[item.idx()] = Some(key);
                }
            }
            let all = list.iter().zip(0..).filter_map(|(key, i)| Some(((*key)?, Item(i))));
            assert_eq!(heap.first(), all.min(), "step {nth}");
            assert_eq!(heap.key(item), list[item.idx()]);
        }
    }
}
