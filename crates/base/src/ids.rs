//! Typed ids and the containers they index.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use crate::arena::{Zero, grow, resident_bytes, sparse_zeros, with_capacity, zeros};

/// A `u32` id of one kind of item.
pub trait Idx: Copy + Eq + Ord {
    fn new(i: usize) -> Self;
    fn idx(self) -> usize;
}

/// Declares id types: `ids! { /// A node. NodeId }`.
#[macro_export]
macro_rules! ids { ($($(#[$m:meta])* $n:ident),* $(,)?) => {$(
    $(#[$m])*
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
    pub struct $n(pub u32);
    impl $crate::Idx for $n {
        #[inline]
        fn new(i: usize) -> Self {
            debug_assert!(u32::try_from(i).is_ok(), "more than 2^32 items");
            $n(i as u32)
        }
        #[inline]
        fn idx(self) -> usize {
            self.0 as usize
        }
    }
)*}}

/// A `Vec` that only its own kind of id can index.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexVec<I, T> {
    pub raw: Vec<T>,
    kind: PhantomData<fn(I)>,
}

impl<I: Idx, T> IndexVec<I, T> {
    pub fn new() -> Self {
        IndexVec { raw: Vec::new(), kind: PhantomData }
    }
    /// Empty, with capacity for `n` items.
    pub fn with_capacity(n: usize) -> Self {
        IndexVec { raw: with_capacity(n), kind: PhantomData }
    }
    pub fn push(&mut self, t: T) -> I {
        self.raw.push(t);
        I::new(self.raw.len() - 1)
    }
    pub fn len(&self) -> usize {
        self.raw.len()
    }
    pub fn is_empty(&self) -> bool {
        self.raw.is_empty()
    }
    pub fn ids(&self) -> impl Iterator<Item = I> + use<I, T> {
        (0..self.raw.len()).map(I::new)
    }
    pub fn iter(&self) -> impl Iterator<Item = (I, &T)> {
        self.raw.iter().enumerate().map(|(i, t)| (I::new(i), t))
    }
    /// Prefetches the cache line at the start of item `i`.
    #[inline]
    pub fn prefetch(&self, i: I) {
        crate::prefetch_at(&self.raw, i.idx());
    }
}
impl<I: Idx, T: Zero> IndexVec<I, T> {
    /// `n` zeros. They use no memory until they are written.
    pub fn zeros(n: usize) -> Self {
        IndexVec { raw: zeros(n), kind: PhantomData }
    }
    /// `n` zeros of which few are written (small pages).
    pub fn sparse_zeros(n: usize) -> Self {
        IndexVec { raw: sparse_zeros(n), kind: PhantomData }
    }
}
impl<I: Idx, T: Clone> IndexVec<I, T> {
    /// `n` copies of `t`.
    pub fn filled(t: T, n: usize) -> Self {
        let mut all = Self::with_capacity(n);
        all.raw.resize(n, t);
        all
    }
}
impl<I: Idx, T> Default for IndexVec<I, T> {
    fn default() -> Self {
        Self::new()
    }
}
impl<I: Idx, T> FromIterator<T> for IndexVec<I, T> {
    fn from_iter<It: IntoIterator<Item = T>>(items: It) -> Self {
        IndexVec { raw: items.into_iter().collect(), kind: PhantomData }
    }
}
impl<I: Idx, T> Index<I> for IndexVec<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, i: I) -> &T {
        &self.raw[i.idx()]
    }
}
impl<I: Idx, T> IndexMut<I> for IndexVec<I, T> {
    #[inline]
    fn index_mut(&mut self, i: I) -> &mut T {
        &mut self.raw[i.idx()]
    }
}

/// Storage with reuse: an id stays valid until freed, and freeing moves no other item.
///
/// Freed ids are reused last in, first out, so a run is deterministic and stays in cache.
#[derive(Debug, Clone)]
pub struct Slab<I, T> {
    items: IndexVec<I, T>,
    free: Vec<I>,
}

impl<I: Idx, T> Slab<I, T> {
    pub fn with_capacity(n: usize) -> Self {
        let items = IndexVec::with_capacity(n);
        // Few of many items are free at once until the end of a run.
        Slab { items, free: Vec::with_capacity(n.min(1 << 14)) }
    }
    pub fn insert(&mut self, t: T) -> I {
        self.insert_with(|| t)
    }
    /// Inserts an item built in place. A copy from elsewhere would have to wait until all earlier
    /// stores are in the cache.
    #[inline(always)]
    pub fn insert_with(&mut self, t: impl FnOnce() -> T) -> I {
        match self.free.pop() {
            Some(i) => {
                self.items[i] = t();
                i
            }
            None => {
                grow(&mut self.items.raw);
                self.items.push(t())
            }
        }
    }
    /// Frees `i`. The caller must not use it afterwards.
    pub fn free(&mut self, i: I) {
        grow(&mut self.free);
        self.free.push(i);
        debug_assert!(self.free.len() <= self.items.len(), "an id was freed twice");
    }
    /// An item, possibly freed; `None` if the id was never used.
    #[inline]
    pub fn get(&self, i: I) -> Option<&T> {
        self.items.raw.get(i.idx())
    }
    /// Prefetches an item. Any id is allowed, also an unused one.
    #[inline]
    pub fn prefetch(&self, i: I) {
        crate::prefetch_all_at(&self.items.raw, i.idx());
    }
    /// Prefetches the slot of the item after the next insertion.
    #[inline]
    pub fn prefetch_free(&self) {
        if let Some(&i) = self.free.len().checked_sub(2).and_then(|last| self.free.get(last)) {
            self.prefetch(i);
        }
    }
    /// Prefetches the first `bytes` of an item.
    #[inline]
    pub fn prefetch_first(&self, i: I, bytes: usize) {
        crate::prefetch_lines::prefetch_first_at(&self.items.raw, i.idx(), bytes);
    }
    /// The largest number of items at one time.
    #[inline]
    pub fn peak(&self) -> usize {
        self.items.len()
    }
    /// Items not freed.
    pub fn live(&self) -> usize {
        self.items.len() - self.free.len()
    }
    /// Bytes held, used or free.
    pub fn bytes(&self) -> usize {
        resident_bytes(&self.items.raw) + self.free.capacity() * size_of::<I>()
    }
}
impl<I: Idx, T> Index<I> for Slab<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, i: I) -> &T {
        &self.items[i]
    }
}
impl<I: Idx, T> IndexMut<I> for Slab<I, T> {
    #[inline]
    fn index_mut(&mut self, i: I) -> &mut T {
        &mut self.items[i]
    }
}
