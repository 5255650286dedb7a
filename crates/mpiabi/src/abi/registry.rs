//! Objects created by a program, by slot. A lock guards them, because several threads may call.
//! Objects are reference-counted, because a freed datatype stays in use by pending requests and by
//! the types derived from it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(crate) struct Registry<T> {
    slots: Mutex<Slots<T>>,
}

struct Slots<T> {
    objects: Vec<Option<Arc<T>>>,
    /// Taken from the end: a program that alternately creates and frees reuses one handle.
    free: Vec<u32>,
}

impl<T> Registry<T> {
    pub const fn new() -> Registry<T> {
        Registry { slots: Mutex::new(Slots { objects: Vec::new(), free: Vec::new() }) }
    }
    fn lock(&self) -> MutexGuard<'_, Slots<T>> {
        // A panic aborts the process before any thread sees a partial change.
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// Stores an object and returns its slot.
    pub fn insert(&self, object: Arc<T>) -> u32 {
        let mut slots = self.lock();
        if let Some(slot) = slots.free.pop() {
            slots.objects[slot as usize] = Some(object);
            return slot;
        }
        slots.objects.push(Some(object));
        (slots.objects.len() - 1) as u32
    }
    /// Number of objects that have not been removed.
    pub fn len(&self) -> usize {
        self.lock().objects.iter().flatten().count()
    }
    pub fn get(&self, slot: u32) -> Option<Arc<T>> {
        self.lock().objects.get(slot as usize)?.clone()
    }
    /// The slot of an object, by linear search.
    pub fn slot_of(&self, object: &Arc<T>) -> Option<u32> {
        let is = |o: &Option<Arc<T>>| o.as_ref().is_some_and(|o| Arc::ptr_eq(o, object));
        self.lock().objects.iter().position(is).map(|slot| slot as u32)
    }
    pub fn remove(&self, slot: u32) -> Option<Arc<T>> {
        let mut slots = self.lock();
        let object = slots.objects.get_mut(slot as usize)?.take()?;
        slots.free.push(slot);
        Some(object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_is_empty_from_its_removal_to_its_next_use() {
        let registry = Registry::new();
        let (a, b) = (registry.insert(Arc::new('a')), registry.insert(Arc::new('b')));
        assert_eq!(registry.remove(a).as_deref(), Some(&'a'));
        assert_eq!((registry.get(a), registry.remove(a)), (None, None));
        assert_eq!(registry.get(b).as_deref(), Some(&'b'));
        let c = registry.insert(Arc::new('c'));
        assert_eq!((c, registry.get(a).as_deref()), (a, Some(&'c')));
        assert_eq!(registry.get(b + 1), None);
        assert_eq!(registry.slot_of(&registry.get(b).unwrap()), Some(b));
        assert_eq!(registry.slot_of(&Arc::new('b')), None, "equal, but another object");
    }
}
